//! The call of `tt::__private::launcher!` that stands in place of a kernel without errors.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use tt_backend::Artifact;
use tt_lang::ir::{ElementType, Kernel, ScalarKind};
use tt_lang::syntax::{Signature, SignatureKind, SignatureParam};

/// The launcher of `kernel`.
pub(crate) fn tokens(kernel: &Kernel, signature: &Signature, artifact: &Artifact) -> TokenStream {
    let tile = match serde_json::to_string(kernel) {
        Ok(tile) => tile,
        Err(error) => {
            let message = format!("the kernel cannot be stored in the program: {error}");
            return quote! { ::core::compile_error! { #message } };
        }
    };
    let Signature {
        attributes,
        visibility,
        name,
        params,
    } = signature;
    let params = params.iter().map(parameter);
    let Artifact {
        reader,
        compute,
        writer,
        main,
        plan,
        stages,
    } = artifact;
    let stages = stages.iter().map(|stage| {
        let (name, text) = (stage.name, &stage.text);
        quote! { (#name, #text) }
    });
    let precompiled = crate::precompiled::objects(&artifact.digest())
        .into_iter()
        .map(|object| {
            let role = Ident::new(&object.role, Span::call_site());
            let symbol = Ident::new(&object.symbol, Span::call_site());
            let key = object.key;
            quote! { (#role, #key, #symbol) }
        });
    quote! {
        ::tt::__private::launcher! {
            attributes: [#(#attributes)*],
            visibility: [#visibility],
            name: #name,
            params: [#(#params),*],
            reader: #reader,
            compute: #compute,
            writer: #writer,
            main: #main,
            plan: #plan,
            ir: [#(#stages),*],
            tile: #tile,
            precompiled: [#(#precompiled),*],
        }
    }
}

/// `(a, input, ::tt::bf16, 2)`, with the user's tokens for the name and the type.
fn parameter(param: &SignatureParam) -> TokenStream {
    let name = &param.name;
    match &param.kind {
        SignatureKind::Tensor { mutable, element, rank } => {
            let direction = if *mutable { quote!(output) } else { quote!(input) };
            let element = element_type(element.0, element.1);
            let rank = proc_macro2::Literal::usize_unsuffixed(*rank);
            quote! { (#name, #direction, #element, #rank) }
        }
        SignatureKind::Scalar(kind, span) => {
            let scalar = scalar_type(*kind, *span);
            quote! { (#name, scalar, #scalar) }
        }
        // A kernel without errors has none of these.
        SignatureKind::Unknown => quote! { (#name, unknown) },
    }
}

/// The host type of an element, at the user's own token.
pub(crate) fn element_type(element: ElementType, span: Span) -> TokenStream {
    let name = Ident::new(element.name(), span);
    match element {
        ElementType::F32 | ElementType::I32 | ElementType::U32 | ElementType::U16 | ElementType::U8 => {
            quote_spanned! { span => ::core::primitive::#name }
        }
        ElementType::Bf16 | ElementType::F16 | ElementType::Bfp8 | ElementType::Bfp4 => {
            quote_spanned! { span => ::tt::#name }
        }
    }
}

/// The host type of a scalar, at the user's own token.
pub(crate) fn scalar_type(kind: ScalarKind, span: Span) -> TokenStream {
    let name = match kind {
        ScalarKind::F32 => "f32",
        ScalarKind::I32 => "i32",
        ScalarKind::U32 => "u32",
    };
    let name = Ident::new(name, span);
    quote_spanned! { span => ::core::primitive::#name }
}
