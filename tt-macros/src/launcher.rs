//! The call of `tt::__private::launcher!` that stands in place of a kernel without errors.

use crate::documentation;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use std::path::Path;
use std::str::FromStr;
use tt_backend::{Artifact, Programs};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;
use tt_lang::syntax::{self, Signature, SignatureKind, SignatureParam, render_text};
use tt_plan::{TUNING_FILE, Tuning, Way};

/// A kernel with what was made of it.
pub(crate) struct Variant<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) signature: &'a Signature,
    /// Its constants of the option `variants`.
    pub(crate) constants: &'a syntax::Variant,
    /// The way it is run in.
    pub(crate) way: Way,
    /// What was compiled, or why the compiler refuses it: then it has a reference only.
    pub(crate) outcome: &'a Result<Artifact, Vec<Diagnostic>>,
}

/// The launcher of a kernel, in all its variants: the first that is compiled, if one is, and the others.
pub(crate) fn variants(variants: &[Variant<'_>]) -> TokenStream {
    let at = variants
        .iter()
        .position(|variant| variant.outcome.is_ok())
        .unwrap_or_default();
    let Some(first) = variants.get(at) else {
        return quote! { ::core::compile_error! { "a kernel has no variant" } };
    };
    let others = variants.iter().enumerate().filter(|(other, _)| *other != at);
    let parts = made(first).and_then(|first| {
        let others = others.map(|(_, variant)| made(variant));
        Ok((first, others.collect::<Result<Vec<_>, _>>()?))
    });
    let (made, others) = match parts {
        Ok(parts) => parts,
        Err(error) => return error,
    };
    let stages = stages(first);
    let others_exist = variants.iter().any(|variant| !variant.constants.is_empty());
    let constants = constants(&variants.iter().map(|variant| variant.constants).collect::<Vec<_>>());
    let variants = quote! { variants: [#({ #others }),*], };
    let tuning = match tuning(others_exist) {
        Ok(tuning) => tuning,
        Err(error) => return error,
    };
    launcher(
        first.kernel,
        first.signature,
        quote! { #made #stages #variants #tuning constants: { #constants }, },
    )
}

/// What was measured of the kernels of the package, where it has such a file: a launch takes the variant that was fastest.
fn tuning(has_variants: bool) -> Result<Option<TokenStream>, TokenStream> {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR").filter(|_| has_variants) else {
        return Ok(None);
    };
    let path = Path::new(&package).join(TUNING_FILE);
    let failed = |why: &str| {
        let message = format!(
            "{}: {why}\nnote: `cargo xtask tune` writes it anew where it is removed",
            path.display()
        );
        quote! { ::core::compile_error! { #message } }
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error.to_string())),
    };
    Tuning::from_json(&text).map_err(|error| failed(&error))?;
    let path = path.to_str().ok_or_else(|| failed("its path is not UTF-8"))?;
    // Cargo compiles the crate anew where an included file changes.
    Ok(Some(quote! { tuning: ::core::include_str!(#path), }))
}

/// The text of the kernel at every stage that it comes to.
fn stages(variant: &Variant<'_>) -> TokenStream {
    let artifact = match variant.outcome {
        Ok(artifact) => artifact,
        Err(_) => {
            let text = variant.kernel.to_string();
            return quote! { ir: [("tile", #text)], };
        }
    };
    let mut texts: Vec<&str> = Vec::new();
    let mut ir = Vec::new();
    for stage in &artifact.stages {
        // What a pass leaves as it is, is so after the pass before it.
        if texts.last() != Some(&stage.text.as_str()) {
            texts.push(&stage.text);
        }
        let (name, at) = (&stage.name, texts.len() - 1);
        ir.push(quote! { (#name, #at) });
    }
    let texts = texts.into_iter().map(literal);
    quote! { texts: [#(#texts),*], ir: [#(#ir),*], }
}

/// Sources, plan, Tile IR and what was compiled ahead of time; or why there are none, and Tile IR.
fn made(variant: &Variant<'_>) -> Result<TokenStream, TokenStream> {
    let (tile, chosen) = (tile(variant.kernel)?, chosen(variant.constants));
    let artifact = match variant.outcome {
        Ok(artifact) => artifact,
        Err(reasons) => {
            let Kernel { locations, file, .. } = variant.kernel;
            let reasons = reasons.iter().map(|reason| render_text(reason, locations, file));
            let reasons = reasons.collect::<Vec<_>>().join("\n");
            return Ok(quote! { refused: #reasons, tile: #tile, chosen: [#chosen], });
        }
    };
    let Artifact {
        reader,
        compute,
        writer,
        main,
        plan,
        later,
        stages: _,
    } = artifact;
    let [reader, compute, writer, main, plan] = [reader, compute, writer, main, plan].map(|text| literal(text));
    let later = later.iter().map(|programs| {
        let Programs {
            reader,
            compute,
            writer,
        } = programs;
        let [reader, compute, writer] = [reader, compute, writer].map(|text| literal(text));
        quote! { (#reader, #compute, #writer) }
    });
    let way = match variant.way {
        Way::Written => None,
        Way::InParts => Some(quote! { way: InParts, }),
        Way::OnShards => Some(quote! { way: OnShards, }),
    };
    let objects = crate::precompiled::objects(artifact).into_iter();
    let precompiled = objects.map(|object| {
        let role = Ident::new(&object.role, Span::call_site());
        let symbol = Ident::new(&object.symbol, Span::call_site());
        let key = object.key;
        // tt-build compiled the object under this key from this very artifact.
        quote! { unsafe (#role, #key, #symbol) }
    });
    Ok(quote! {
        reader: #reader,
        compute: #compute,
        writer: #writer,
        main: #main,
        later: [#(#later),*],
        plan: #plan,
        tile: #tile,
        precompiled: [#(#precompiled),*],
        chosen: [#chosen],
        #way
    })
}

/// `("BM", 64), ("BK", 32),`
fn chosen(constants: &syntax::Variant) -> TokenStream {
    let each = constants.iter().map(|(name, value)| quote! { (#name, #value), });
    each.collect()
}

/// For each constant the function that chooses it, with the values it has in these variants.
pub(crate) fn constants(variants: &[&syntax::Variant]) -> TokenStream {
    let names = variants
        .first()
        .into_iter()
        .flat_map(|variant| variant.iter().enumerate());
    let of_each = names.map(|(at, (name, _))| {
        let mut values: Vec<String> = Vec::new();
        for (_, value) in variants.iter().filter_map(|variant| variant.get(at)) {
            let value = value.to_string();
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let about = format!("Chooses the variant in which `{name}` is {}.", values.join(" or "));
        // It is a name, and may be `r#loop`.
        let ident = Ident::new_raw(name, Span::call_site());
        quote! {
            #[doc = #about]
            pub const fn #ident(value: i64) -> ::tt::Constant {
                ::tt::Constant::new(#name, value)
            }
        }
    });
    of_each.collect()
}

/// The Tile IR as it is stored, or the error that stands in place of the launcher.
fn tile(kernel: &Kernel) -> Result<Literal, TokenStream> {
    let bytes = kernel.stored().map_err(|error| {
        let message = format!("the kernel cannot be stored in the program: {error}");
        quote! { ::core::compile_error! { #message } }
    })?;
    Ok(Literal::byte_string(&bytes))
}

/// `text` as a raw literal that rustc makes: nearly all that is emitted are texts, in which nobody has to look for what stands there in
/// other words then.
fn literal(text: &str) -> TokenStream {
    let mut marks = String::from("#");
    // What would end the literal is looked for by its marks: texts have hardly any, and nobody's search for one byte is slow.
    let is_in_text = |marks: &str| {
        text.match_indices('#')
            .any(|(at, _)| text[..at].ends_with('"') && text[at..].starts_with(marks))
    };
    while is_in_text(&marks) {
        marks.push('#');
    }
    // It cannot hold a carriage return; and without rustc, in tests, there is none.
    if text.contains('\r') || !proc_macro::is_available() {
        return text.to_token_stream();
    }
    match proc_macro::Literal::from_str(&format!("r{marks}\"{text}\"{marks}")) {
        Ok(mut literal) => {
            literal.set_span(proc_macro::Span::call_site());
            proc_macro::TokenStream::from(proc_macro::TokenTree::from(literal)).into()
        }
        Err(_) => text.to_token_stream(),
    }
}

fn launcher(kernel: &Kernel, signature: &Signature, made: TokenStream) -> TokenStream {
    let Signature {
        attributes,
        visibility,
        name,
        params,
    } = signature;
    let paths = tensor_paths(params);
    let params = params.iter().map(parameter);
    let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let documentation = documentation::lines(kernel, documented);
    quote! {
        #paths

        ::tt::__private::launcher! {
            attributes: [#(#attributes)* #(#[doc = #documentation])*],
            visibility: [#visibility],
            name: #name,
            params: [#(#params),*],
            #made
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
        SignatureKind::Unknown(_) => quote! { (#name, unknown) },
    }
}

/// Uses the user's path to `Tensor` as Rust would, so that a missing import is an error there and a present one is used.
pub(crate) fn tensor_paths(params: &[SignatureParam]) -> TokenStream {
    let paths = params.iter().filter_map(|param| match &param.kind {
        SignatureKind::Tensor {
            tensor,
            element_path,
            rank,
            ..
        } => {
            let rank = Literal::usize_unsuffixed(*rank);
            Some(quote! {
                const _: ::core::option::Option<&#tensor<#element_path, #rank>> = ::core::option::Option::None;
            })
        }
        SignatureKind::Scalar(..) | SignatureKind::Unknown(_) => None,
    });
    quote! { #(#paths)* }
}
