//! From a Rust function to Tile IR: everything a kernel may contain is read, checked and located here, everything else is
//! refused where it stands, by name.
//!
//! Two callers give the same function: the macro, with rustc's tokens, and `tt-build`, which parses the file itself. The
//! kernel they get is the same value, so that the artifact is the same text.

mod access;
mod call;
mod choice;
mod chosen_integer;
mod constants;
mod contraction;
mod copy;
mod declaration;
mod expression;
mod frontend;
mod function;
mod integer_elements;
mod layout;
mod limits;
mod looping;
mod method;
mod options;
mod parallel;
mod parameter;
mod part;
mod placement;
mod reduction;
mod refuse;
mod render;
mod reserved;
mod scope;
mod signature;
mod source_text;
mod spans;
mod statement;
#[cfg(test)]
mod tests;
mod unreadable;
mod value;
mod variants;
mod vocabulary;

pub use limits::kernels_are_within_limits;
pub use placement::Placement;
pub use render::{render_explanation, render_message, render_more, render_note, render_text};
pub use signature::{Passing, Signature, SignatureKind, SignatureParam};
pub use spans::SpanTable;
pub use variants::Variant;
pub use vocabulary::{ELSEWHERE, usages};

use crate::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{Kernel, Span};
use frontend::Frontend;
use frontend::name_of;
use limits::Beyond;
use proc_macro2::TokenStream;
use quote::ToTokens;

/// What reading a kernel gives.
#[derive(Debug)]
pub struct Parsed {
    /// The kernel, where nothing is wrong with it.
    pub kernel: Option<Kernel>,
    /// Every error, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The tokens behind every [`crate::ir::Span`].
    pub spans: SpanTable,
    /// The function's head, where it is a function.
    pub signature: Option<Signature>,
    /// Warnings about a kernel without errors, but for those that it allows.
    pub warnings: Vec<Diagnostic>,
    /// Where `#[tt::kernel(reference)]` says that the kernel need not compile.
    pub reference: Option<Span>,
    /// Warnings that the kernel allows.
    pub allowed: Vec<&'static Code>,
    /// The constants of the option `variants`, as this kernel has them; none where there is no such option.
    pub variant: Variant,
}

/// Reads `item`, a function under `#[tt::kernel(attr)]`, which stands in the file `file` (without folders): of several
/// [variants](parse_variants) the first.
pub fn parse(attr: TokenStream, item: TokenStream, file: &str) -> Parsed {
    let variant = variants::all(attr.clone()).into_iter().next().unwrap_or_default();
    parse_variant(attr, item, file, variant)
}

/// As [`parse`], once for each choice of the constants that the option `variants` names; once where there is no such option.
pub fn parse_variants(attr: &TokenStream, item: &TokenStream, file: &str) -> Vec<Parsed> {
    let all = variants::all(attr.clone()).into_iter();
    all.map(|variant| parse_variant(attr.clone(), item.clone(), file, variant))
        .collect()
}

fn parse_variant(attr: TokenStream, item: TokenStream, file: &str, variant: Variant) -> Parsed {
    if let Some(beyond) = limits::beyond(item.clone()) {
        return refuse(attr, item, beyond);
    }
    match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => read(attr, &function, &function.attrs, file, variant),
        Err(error) => {
            let mut frontend = Frontend::new(String::new());
            let span = frontend.spans.between(error.span(), error.span());
            let message = match syn::parse2::<syn::Item>(item.clone()) {
                Ok(_) => Some("`#[tt::kernel]` belongs on a function".to_string()),
                Err(_) if frontend.refuse_comma_indices(item) => None,
                Err(_) => Some(format!("this is not a function that Rust can read: {error}")),
            };
            if let Some(message) = message {
                frontend.report(
                    Diagnostic::new(&codes::NOT_A_FUNCTION, span, message)
                        .note("write `#[tt::kernel] fn name(a: &Tensor<bf16, M, N>, ..) { .. }`"),
                );
            }
            refused(frontend, None)
        }
    }
}

/// What reading a kernel gives that is beyond a limit: the error, and the head where that is not.
fn refuse(attr: TokenStream, item: TokenStream, beyond: Beyond) -> Parsed {
    let (mut frontend, signature) = match Some(limits::without_body(item))
        .filter(|head| limits::beyond(head.clone()).is_none())
        .and_then(|head| syn::parse2::<syn::ItemFn>(head).ok())
    {
        Some(function) => {
            let mut frontend = Frontend::new(name_of(&function.sig.ident));
            let span = frontend.span(&function.sig.ident);
            frontend.options(attr, span);
            let signature = frontend.signature(&function, &function.attrs);
            (frontend, Some(signature))
        }
        None => (Frontend::new(String::new()), None),
    };
    let (code, place, message, note) = match beyond {
        Beyond::Depth(place) => (
            &codes::TOO_DEEP,
            place,
            format!(
                "more than {} operators, parentheses and blocks around and before this",
                limits::DEPTH
            ),
            "name a part of the expression with `let` and go on from that, or put fewer loops and branches into each other",
        ),
        Beyond::Tokens(place) => (
            &codes::TOO_LARGE,
            place,
            format!("a kernel of more than {} tokens", limits::TOKENS),
            "write what repeats as a loop, or split the kernel",
        ),
    };
    let span = frontend.spans.between(place, place);
    frontend.report(Diagnostic::new(code, span, message).note(note));
    refused(frontend, signature)
}

/// What is known of a kernel whose body was not read.
fn refused(frontend: Frontend, signature: Option<Signature>) -> Parsed {
    Parsed {
        kernel: None,
        diagnostics: frontend.diagnostics,
        spans: frontend.spans,
        signature,
        warnings: Vec::new(),
        reference: None,
        allowed: Vec::new(),
        variant: frontend.variant,
    }
}

/// Reads `function` if it is a kernel, that is, if it carries `#[tt::kernel]` or `#[kernel]`; of several variants the first.
pub fn parse_item_fn(function: &syn::ItemFn, file: &str) -> Option<Parsed> {
    parse_item_fn_variants(function, file)?.into_iter().next()
}

/// As [`parse_item_fn`], once for each choice of the constants that the option `variants` names.
pub fn parse_item_fn_variants(function: &syn::ItemFn, file: &str) -> Option<Vec<Parsed>> {
    let position = function.attrs.iter().position(is_kernel)?;
    let options = match &function.attrs[position].meta {
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    };
    let mut others = function.attrs.clone();
    others.remove(position);
    if let Some(beyond) = limits::beyond(function.to_token_stream()) {
        let function = syn::ItemFn {
            attrs: others,
            ..function.clone()
        };
        return Some(vec![refuse(options, function.to_token_stream(), beyond)]);
    }
    let all = variants::all(options.clone()).into_iter();
    let read = all.map(|variant| read(options.clone(), function, &others, file, variant));
    Some(read.collect())
}

fn is_kernel(attribute: &syn::Attribute) -> bool {
    let segments: Vec<String> = attribute
        .path()
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    segments == ["kernel"] || segments == ["tt", "kernel"]
}

fn read(
    options: TokenStream,
    function: &syn::ItemFn,
    attributes: &[syn::Attribute],
    file: &str,
    variant: Variant,
) -> Parsed {
    let name = &function.sig.ident;
    let mut frontend = Frontend::new(name_of(name));
    frontend.variant = variant;
    let span = frontend.span(name);
    let options = frontend.options(options, span);
    let signature = frontend.signature(function, attributes);
    let mut stages = frontend.body(&function.block, name).into_iter();
    frontend.refuse_own_names(function);
    frontend.name_derived();
    let mut diagnostics = frontend.diagnostics;
    let locations = frontend.spans.locations();
    diagnostics.sort_by_key(|diagnostic| {
        let location = locations.get(diagnostic.span.0 as usize).copied().unwrap_or_default();
        (location.line, location.column)
    });
    let kernel = match stages.next() {
        Some(first) if diagnostics.is_empty() => Some(Kernel {
            name: frontend.name,
            span,
            file: file.to_string(),
            options,
            extents: frontend.extents,
            params: frontend.params,
            grid: first.grid,
            blocks: first.blocks,
            variables: first.variables,
            body: first.body,
            later: stages.collect(),
            locations: locations.to_vec(),
        }),
        _ => None,
    };
    let allowed = frontend.allowed;
    let mut warnings = kernel.as_ref().map(crate::warnings).unwrap_or_default();
    warnings.retain(|warning| !allowed.contains(&warning.code));
    Parsed {
        kernel,
        diagnostics,
        spans: frontend.spans,
        signature: Some(signature),
        warnings,
        reference: frontend.reference,
        allowed,
        variant: frontend.variant,
    }
}
