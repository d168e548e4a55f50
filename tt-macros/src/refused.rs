//! What stands in place of a kernel with errors: a `compile_error!` at each, the launcher's head so that callers give no
//! further errors, and the user's own tokens for editors.

use crate::launcher::{constants, tensor_paths};
use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::syntax::{
    Parsed, Passing, Signature, SignatureKind, SignatureParam, render_explanation, render_message, render_more,
};

/// The errors `diagnostics` of the kernel `parsed`, written as `item`.
pub(crate) fn tokens(parsed: &Parsed, diagnostics: &[Diagnostic], item: TokenStream) -> TokenStream {
    let errors = errors(parsed, diagnostics);
    let unexplained = diagnostics.is_empty().then(|| {
        let message = "this kernel cannot be compiled, and the compiler does not say why: please report it";
        quote! { ::core::compile_error! { #message } }
    });
    let constants = constants(&[&parsed.variant]);
    let head = parsed.signature.as_ref().map(|signature| head(signature, &constants));
    quote! {
        #errors
        #unexplained
        #head
        // Editors map what is typed to these tokens, for completion; rustc never sees them.
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            const _: () = { #item };
        };
    }
}

/// The errors of a kernel where no module of its name can stand, with a function so that callers give no further ones; `free` where
/// it is no method.
pub(crate) fn without_module(parsed: &Parsed, free: bool) -> TokenStream {
    let errors = errors(parsed, &parsed.diagnostics);
    let paths = parsed.signature.as_ref().filter(|_| free);
    let paths = paths.map(|signature| tensor_paths(&signature.params));
    let function = parsed.signature.as_ref().map(function);
    quote! { #errors #paths #function }
}

/// An error for each diagnostic; what its code means stands with the first of each kind.
fn errors(parsed: &Parsed, diagnostics: &[Diagnostic]) -> TokenStream {
    let mut explained: Vec<u16> = Vec::new();
    diagnostics
        .iter()
        .map(|diagnostic| {
            let mut message = render_message(diagnostic, parsed.spans.locations());
            if !explained.contains(&diagnostic.code.number) {
                explained.push(diagnostic.code.number);
                message += &render_explanation(diagnostic);
            }
            message += &render_more(diagnostic);
            error(parsed, diagnostic, &message)
        })
        .collect()
}

/// `compile_error!` from the first to the last token of the error's place.
fn error(parsed: &Parsed, diagnostic: &Diagnostic, message: &str) -> TokenStream {
    let (first, last) = parsed.spans.tokens(diagnostic.span);
    let path = quote_spanned! { first => ::core::compile_error! };
    let mut message = Group::new(Delimiter::Brace, quote_spanned! { last => #message });
    message.set_span(last);
    let message = TokenTree::Group(message);
    quote! { #path #message }
}

/// A function and a module with the launcher's names and types; the crate does not compile, so neither ever runs.
fn head(signature: &Signature, constants: &TokenStream) -> TokenStream {
    let (visibility, name) = (&signature.visibility, &signature.name);
    let paths = tensor_paths(&signature.params);
    let function = function(signature);
    quote! {
        #paths

        #function

        #[doc(hidden)]
        #[allow(unused, non_snake_case)]
        #visibility mod #name {
            #[doc(hidden)]
            pub const SOURCES: ::tt::Sources = ::tt::Sources::NONE;
            #[doc(hidden)]
            pub const PLAN: &str = "";
            #[doc(hidden)]
            pub const IR: &[(&str, &str)] = &[];
            #constants
        }
    }
}

fn function(signature: &Signature) -> TokenStream {
    let (visibility, name) = (&signature.visibility, &signature.name);
    let names = signature.params.iter().map(|param| &param.name);
    let mut borrowed = Vec::new();
    let types: Vec<TokenStream> = signature
        .params
        .iter()
        .map(|param| parameter_type(param, &mut borrowed))
        .collect();
    quote! {
        #[doc(hidden)]
        #[allow(unused, clippy::all)]
        #visibility fn #name<'t, #(#borrowed: ?::core::marker::Sized),*>(#(#names: #types),*) -> ::tt::Launch<'t> {
            ::core::unreachable!()
        }
    }
}

/// The type of `param`; adds a type parameter to `borrowed` where it refers to anything, sized or not.
fn parameter_type(param: &SignatureParam, borrowed: &mut Vec<Ident>) -> TokenStream {
    let passing = match &param.kind {
        SignatureKind::Tensor {
            mutable,
            element_path,
            rank,
            ..
        } => {
            let mutable = mutable.then(|| quote!(mut));
            let rank = Literal::usize_unsuffixed(*rank);
            return quote! { &'t #mutable ::tt::Tensor<#element_path, #rank> };
        }
        SignatureKind::Scalar(_, ty) => return quote! { #ty },
        SignatureKind::Unknown(passing) => *passing,
    };
    let mutable = match passing {
        Passing::Value => return quote! { impl ::core::marker::Sized },
        Passing::Reference => None,
        Passing::MutableReference => Some(quote!(mut)),
    };
    let any = format_ident!("Any{}", borrowed.len());
    borrowed.push(any.clone());
    quote! { &#mutable #any }
}
