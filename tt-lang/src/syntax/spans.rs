//! Places in the source: from tokens to the numbers that the IR carries, and back.
//!
//! Only line and column of a node's first token enter the IR, because that is what the compiler's macro route and
//! `tt-build`'s route through plain text agree on. The tokens themselves stay here, for `compile_error!`.

use crate::hash::HashMap;
use crate::ir::{SourceLocation, Span};
use proc_macro2::LineColumn;
use quote::ToTokens;
use std::collections::hash_map::Entry;
use syn::Expr;

/// What most places are of: its first and its last token are found without making all of them, for each of which rustc is called.
pub trait Node: ToTokens {
    /// The spans of the first and the last token.
    fn ends(&self) -> Ends;
}

/// The spans of the first and the last token of a node.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    first: proc_macro2::Span,
    /// None where it is the first.
    last: Option<proc_macro2::Span>,
}

impl Ends {
    fn last(self) -> proc_macro2::Span {
        self.last.unwrap_or(self.first)
    }
}

fn ends_of_tokens(node: &(impl ToTokens + ?Sized)) -> Ends {
    let mut tokens = node.to_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(proc_macro2::Span::call_site, |token| token.span());
    let last = tokens.last().map(|token| token.span());
    Ends { first, last }
}

impl<T: Node + ?Sized> Node for &T {
    fn ends(&self) -> Ends {
        (**self).ends()
    }
}

impl<T: Node + ?Sized> Node for Box<T> {
    fn ends(&self) -> Ends {
        (**self).ends()
    }
}

impl Node for syn::Ident {
    fn ends(&self) -> Ends {
        Ends {
            first: self.span(),
            last: None,
        }
    }
}

impl Node for syn::Lit {
    fn ends(&self) -> Ends {
        Ends {
            first: self.span(),
            last: None,
        }
    }
}

/// Expressions without attributes, which nearly all are, with the span of the first and of the last token of each.
macro_rules! nodes {
    ($($of:ident: $node:ty => $first:expr, $last:expr;)*) => {$(
        impl Node for $node {
            fn ends(&self) -> Ends {
                let $of = self;
                match $of.attrs.is_empty() {
                    true => Ends { first: $first, last: $last },
                    false => ends_of_tokens($of),
                }
            }
        }
    )*};
}

nodes! {
    of: syn::ExprAssign => of.left.ends().first, Some(of.right.ends().last());
    of: syn::ExprBinary => of.left.ends().first, Some(of.right.ends().last());
    of: syn::ExprCall => of.func.ends().first, Some(of.paren_token.span.join());
    of: syn::ExprCast => of.expr.ends().first, Some(ends_of_tokens(&of.ty).last());
    of: syn::ExprIf => of.if_token.span, ends_of_tokens(of).last;
    of: syn::ExprIndex => of.expr.ends().first, Some(of.bracket_token.span.join());
    of: syn::ExprLit => of.lit.span(), None;
    of: syn::ExprMethodCall => of.receiver.ends().first, Some(of.paren_token.span.join());
    of: syn::ExprParen => of.paren_token.span.join(), None;
    of: syn::ExprUnary => ends_of_tokens(&of.op).first, Some(of.expr.ends().last());
}

impl Node for syn::ExprPath {
    fn ends(&self) -> Ends {
        match self.path.get_ident() {
            Some(ident) if self.attrs.is_empty() && self.qself.is_none() => ident.ends(),
            Some(_) | None => ends_of_tokens(self),
        }
    }
}

impl Node for Expr {
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn ends(&self) -> Ends {
        match self {
            Expr::Assign(of) => of.ends(),
            Expr::Binary(of) => of.ends(),
            Expr::Call(of) => of.ends(),
            Expr::Cast(of) => of.ends(),
            Expr::If(of) => of.ends(),
            Expr::Index(of) => of.ends(),
            Expr::Lit(of) => of.ends(),
            Expr::MethodCall(of) => of.ends(),
            Expr::Paren(of) => of.ends(),
            Expr::Path(of) => of.ends(),
            Expr::Unary(of) => of.ends(),
            _ => ends_of_tokens(self),
        }
    }
}

/// Line and column as one number, which takes less to be looked up than two.
fn packed(LineColumn { line, column }: LineColumn) -> u64 {
    (line as u64) << 32 | column as u64
}

/// The first and the last token of every place that the kernel or a diagnostic mentions.
#[derive(Debug, Default)]
pub struct SpanTable {
    ranges: Vec<(proc_macro2::Span, proc_macro2::Span)>,
    locations: Vec<SourceLocation>,
    /// By where the two begin.
    known: HashMap<(u64, u64), Span>,
}

impl SpanTable {
    /// The place of `node`.
    pub fn of(&mut self, node: &(impl ToTokens + ?Sized)) -> Span {
        self.at(ends_of_tokens(node))
    }

    /// The place of `node`, likewise.
    pub fn of_node(&mut self, node: &(impl Node + ?Sized)) -> Span {
        self.at(node.ends())
    }

    /// The place of the first token of `node`. Not what `syn` calls its span: that is the first token only where rustc hands
    /// the tokens over, and all of them where they were read from text.
    pub fn of_first_token(&mut self, node: &impl ToTokens) -> Span {
        let first = node.to_token_stream().into_iter().next();
        let first = first.map_or_else(proc_macro2::Span::call_site, |token| token.span());
        self.at(Ends { first, last: None })
    }

    /// The place from the token at `first` to the token at `last`.
    pub fn between(&mut self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        self.at(Ends {
            first,
            last: Some(last),
        })
    }

    fn at(&mut self, ends: Ends) -> Span {
        let (first, last) = (ends.first, ends.last());
        // Where a token begins, rustc is asked.
        let from = first.start();
        let to = ends.last.map_or(from, |last| last.start());
        let new = Span(self.ranges.len() as u32);
        // Where tokens are from nowhere, each is a place of its own.
        if from.line > 0 {
            match self.known.entry((packed(from), packed(to))) {
                Entry::Occupied(known) => return *known.get(),
                Entry::Vacant(place) => drop(place.insert(new)),
            }
        }
        self.ranges.push((first, last));
        self.locations.push(SourceLocation {
            line: from.line as u32,
            column: from.column as u32,
        });
        new
    }

    /// The first and the last token of `span`.
    pub fn tokens(&self, span: Span) -> (proc_macro2::Span, proc_macro2::Span) {
        let unknown = || (proc_macro2::Span::call_site(), proc_macro2::Span::call_site());
        self.ranges.get(span.0 as usize).copied().unwrap_or_else(unknown)
    }

    /// Lines and columns of every place, by number.
    pub fn locations(&self) -> &[SourceLocation] {
        &self.locations
    }
}
