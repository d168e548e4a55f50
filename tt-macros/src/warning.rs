//! Warnings on stable Rust, where a macro can only leave errors: each is the use of a deprecated constant that is called as the
//! warning's code, so that rustc itself prints the text at the user's token.
//!
//! `#[allow(deprecated)]` on the kernel silences all of them, `#[tt::kernel(allow(TT0350))]` one kind.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::syntax::{Parsed, render_explanation, render_more, render_note};

/// The warnings about the kernel `parsed`.
pub(crate) fn tokens(parsed: &Parsed) -> TokenStream {
    const LEVELS: [&str; 4] = ["allow", "warn", "deny", "forbid"];
    let attributes = parsed.signature.iter().flat_map(|signature| &signature.attributes);
    let levels: Vec<_> = attributes
        .filter(|attribute| LEVELS.iter().any(|level| attribute.path().is_ident(level)))
        .collect();
    let warnings = parsed.warnings.iter().map(|warning| {
        let declared = declaration(parsed, warning);
        quote! { #(#levels)* #declared }
    });
    quote! { #(#warnings)* }
}

fn declaration(parsed: &Parsed, warning: &Diagnostic) -> TokenStream {
    let (first, _) = parsed.spans.tokens(warning.span);
    let code = warning.code.to_string();
    let declared = Ident::new(&code, proc_macro2::Span::call_site());
    let used = Ident::new(&code, first);
    let text = render_note(warning, parsed.spans.locations()) + &render_explanation(warning) + &render_more(warning);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            const #declared: () = ();
            #used
        };
    }
}
