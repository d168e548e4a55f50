//! The call of `tt::__private::launcher!` that stands in place of a kernel without errors.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use tt_backend::Artifact;
use tt_lang::ir::{ElementType, Kernel};
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
    let paths = tensor_paths(params);
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
            // tt-build compiled the object under this key from this very artifact.
            quote! { unsafe (#role, #key, #symbol) }
        });
    quote! {
        #paths

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

/// `(a, input, bf16, 2)`, with the user's tokens for the name and the type.
fn parameter(param: &SignatureParam) -> TokenStream {
    let name = &param.name;
    match &param.kind {
        SignatureKind::Tensor {
            mutable,
            element_path,
            rank,
            ..
        } => {
            let direction = if *mutable { quote!(output) } else { quote!(input) };
            let rank = Literal::usize_unsuffixed(*rank);
            quote! { (#name, #direction, #element_path, #rank) }
        }
        SignatureKind::Scalar(_, ty) => quote! { (#name, scalar, #ty) },
        // A kernel without errors has none of these.
        SignatureKind::Unknown => quote! { (#name, unknown) },
    }
}

/// Uses the user's path to `Tensor` as Rust would, so that a missing import is an error there and a present one is used.
pub(crate) fn tensor_paths(params: &[SignatureParam]) -> TokenStream {
    let paths = params.iter().filter_map(|param| match &param.kind {
        SignatureKind::Tensor {
            tensor,
            element,
            element_path,
            rank,
            ..
        } if has_host_type(*element) => {
            let rank = Literal::usize_unsuffixed(*rank);
            Some(quote! {
                const _: ::core::option::Option<&#tensor<#element_path, #rank>> = ::core::option::Option::None;
            })
        }
        SignatureKind::Tensor { .. } | SignatureKind::Scalar(..) | SignatureKind::Unknown => None,
    });
    quote! { #(#paths)* }
}

/// Whether values of this type exist on the host yet.
pub(crate) fn has_host_type(element: ElementType) -> bool {
    match element {
        ElementType::Bf16
        | ElementType::F32
        | ElementType::F16
        | ElementType::I32
        | ElementType::U32
        | ElementType::U16
        | ElementType::U8 => true,
        ElementType::Bfp8 | ElementType::Bfp4 => false,
    }
}
