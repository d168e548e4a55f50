//! Places in the source: from tokens to the numbers that the IR carries, and back.
//!
//! Only line and column of a node's first token enter the IR, because that is what the compiler's macro route and
//! `tt-build`'s route through plain text agree on. The tokens themselves stay here, for `compile_error!`.

use crate::ir::{SourceLocation, Span};
use proc_macro2::LineColumn;
use quote::ToTokens;
use std::collections::HashMap;

/// The first and the last token of every place that the kernel or a diagnostic mentions.
#[derive(Debug, Default)]
pub struct SpanTable {
    ranges: Vec<(proc_macro2::Span, proc_macro2::Span)>,
    locations: Vec<SourceLocation>,
    known: HashMap<(LineColumn, LineColumn), Span>,
}

impl SpanTable {
    /// The place of `node`.
    pub fn of(&mut self, node: &(impl ToTokens + ?Sized)) -> Span {
        let mut tokens = node.to_token_stream().into_iter();
        let first = tokens
            .next()
            .map_or_else(proc_macro2::Span::call_site, |token| token.span());
        let last = tokens.last().map_or(first, |token| token.span());
        self.between(first, last)
    }

    /// The place of the first token of `node`. Not what `syn` calls its span: that is the first token only where rustc hands
    /// the tokens over, and all of them where they were read from text.
    pub fn of_first_token(&mut self, node: &impl ToTokens) -> Span {
        let first = node.to_token_stream().into_iter().next();
        let first = first.map_or_else(proc_macro2::Span::call_site, |token| token.span());
        self.between(first, first)
    }

    /// The place from the token at `first` to the token at `last`.
    pub fn between(&mut self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        let key = (first.start(), last.start());
        if key.0.line > 0
            && let Some(known) = self.known.get(&key)
        {
            return *known;
        }
        let span = Span(self.ranges.len() as u32);
        self.ranges.push((first, last));
        self.locations.push(SourceLocation {
            line: key.0.line as u32,
            column: key.0.column as u32,
        });
        self.known.insert(key, span);
        span
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
