//! Functions that are no Rust: what is known to be written by those who come from other languages is named.

use crate::codes;
use crate::diagnostic::Diagnostic;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::frontend::Frontend;

impl Frontend {
    /// Reports every `a[i, j]` in `tokens`; whether there are any.
    pub(super) fn refuse_comma_indices(&mut self, tokens: TokenStream) -> bool {
        let mut found = false;
        let mut before: Option<TokenTree> = None;
        for token in tokens {
            if let TokenTree::Group(group) = &token {
                let name = before.as_ref().and_then(indexed);
                if let (Delimiter::Bracket, Some(name)) = (group.delimiter(), name)
                    && let Some(comma) = inner_comma(group.stream())
                {
                    found = true;
                    let indices = group.stream().to_string();
                    let span = self.spans.between(comma, comma);
                    self.report(
                        Diagnostic::new(&codes::COMMA_INDEX, span, "several indices stand in parentheses")
                            .note(format!("write `{name}[({indices})]`")),
                    );
                }
                found |= self.refuse_comma_indices(group.stream());
            }
            before = Some(token);
        }
        found
    }
}

/// The name of what is indexed, where brackets behind `token` are an index.
fn indexed(token: &TokenTree) -> Option<String> {
    match token {
        // Behind a keyword, `in [1, 2]`, brackets are an array.
        TokenTree::Ident(name) => {
            let name = name.to_string();
            syn::parse_str::<syn::Ident>(&name).is_ok().then_some(name)
        }
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    }
}

/// The first comma with something behind it.
fn inner_comma(tokens: TokenStream) -> Option<proc_macro2::Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(comma) = &token
            && comma.as_char() == ','
            && tokens.peek().is_some()
        {
            return Some(comma.span());
        }
    }
    None
}
