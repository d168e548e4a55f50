//! What rustc reports of a file with kernels, from the tokens that the attribute leaves there.

use crate::Source;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::ops::Range;
use syn::spanned::Spanned;

/// Something that rustc prints with a place in the file.
pub(super) struct Report {
    /// Under `deprecated`, the lint that carries our warnings.
    pub(super) warning: bool,
    pub(super) text: String,
    /// The bytes of the file that it points at.
    pub(super) place: Range<usize>,
}

/// What the kernels in `text`, the file `name`, give, in the order of the source.
pub(super) fn reports(name: &str, text: &str) -> Result<Vec<Report>, String> {
    let tokens: TokenStream = text.parse().map_err(|error| format!("no tokens of Rust: {error}"))?;
    let mut kernels = Vec::new();
    find(tokens, &mut kernels);
    let mut reports = Vec::new();
    for kernel in kernels {
        let source = Source {
            name: name.to_string(),
            text: Some(text.to_string()),
        };
        let expansion = crate::expand(kernel.options, kernel.item, &source);
        let file: syn::File =
            syn::parse2(expansion).map_err(|error| format!("what the macro leaves is no Rust: {error}"))?;
        reports.extend(
            file.items
                .iter()
                .filter_map(|item| error(item).or_else(|| warning(item))),
        );
    }
    Ok(reports)
}

/// An item under `#[tt::kernel]`, as rustc hands it over.
struct Attributed {
    options: TokenStream,
    item: TokenStream,
}

/// Adds every item under `#[tt::kernel]` in `tokens`. Not by `syn`: rustc also hands over what is almost Rust.
fn find(tokens: TokenStream, found: &mut Vec<Attributed>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut attribute = None;
    let mut item = Vec::new();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group))) if hash.as_char() == '#' => {
                if let Some(options) = options(group) {
                    attribute = Some(options);
                    tokens.next();
                    continue;
                }
            }
            // `#![..]` belongs to what is around.
            (TokenTree::Punct(hash), Some(TokenTree::Punct(not))) if (hash.as_char(), not.as_char()) == ('#', '!') => {
                tokens.nth(1);
                continue;
            }
            _ => {}
        }
        let body = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
            _ => None,
        };
        let ends = body.is_some() || matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        item.push(token);
        if ends {
            let item = std::mem::take(&mut item).into_iter().collect();
            match (attribute.take(), body) {
                (Some(options), _) => found.push(Attributed { options, item }),
                (None, Some(body)) => find(body, found),
                (None, None) => {}
            }
        }
    }
}

/// The options of `[tt::kernel(..)]`.
fn options(group: &Group) -> Option<TokenStream> {
    let meta: syn::Meta = syn::parse2(group.stream()).ok()?;
    let kernel: syn::Path = syn::parse_quote!(tt::kernel);
    match meta {
        syn::Meta::Path(path) => (path == kernel).then(TokenStream::new),
        syn::Meta::List(list) => (list.path == kernel).then_some(list.tokens),
        syn::Meta::NameValue(_) => None,
    }
}

/// `::core::compile_error! { ".." }`
fn error(item: &syn::Item) -> Option<Report> {
    let syn::Item::Macro(item) = item else { return None };
    (item.mac.path == syn::parse_quote!(::core::compile_error)).then(|| Report {
        warning: false,
        text: item.mac.parse_body::<syn::LitStr>().expect("a text").value(),
        place: item.mac.span().byte_range(),
    })
}

/// The use of a deprecated constant, unless that is allowed where it stands.
fn warning(item: &syn::Item) -> Option<Report> {
    let syn::Item::Const(item) = item else { return None };
    let syn::Expr::Block(block) = &*item.expr else {
        return None;
    };
    let [syn::Stmt::Item(syn::Item::Const(declared)), syn::Stmt::Expr(used, None)] = block.block.stmts.as_slice()
    else {
        return None;
    };
    let allow: syn::Attribute = syn::parse_quote!(#[allow(deprecated)]);
    let deprecated = declared
        .attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("deprecated"))?;
    let mut note = None;
    deprecated
        .parse_nested_meta(|meta| {
            note = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            Ok(())
        })
        .expect("`note = ..`");
    (!item.attrs.contains(&allow)).then(|| Report {
        warning: true,
        text: format!(
            "use of deprecated constant `_::{}`: {}",
            declared.ident,
            note.unwrap_or_default()
        ),
        place: used.span().byte_range(),
    })
}
