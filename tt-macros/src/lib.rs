//! The `#[tt::kernel]` attribute: reads the function with `tt-lang`, compiles it with `tt-backend`, and leaves either the
//! launcher or the errors. There is no compiler logic here.

mod documentation;
mod launcher;
mod precompiled;
mod refused;
#[cfg(test)]
mod tests;
mod warning;

use proc_macro2::TokenStream;
use tt_lang::codes::REFERENCE_UNNEEDED;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;
use tt_lang::syntax::{Parsed, Placement, Signature, Variant};

/// Compiles the function below it for Tenstorrent accelerators and leaves a launcher of the same name in its place.
///
/// Options: `fidelity = LoFi | HiFi2 | HiFi3 | HiFi4`, `fp32_acc = true | false`, `approx = true | false`,
/// `order = auto | row_major | column_major | block_linear(h, w) | z_order | hilbert | match_shard`, `multicast = auto | off`, `split = auto | off`,
/// `variants(BM = [64, 128], ..)` (constants of which each choice is compiled; a launch takes the one that it estimates to be fastest),
/// `reference` (the compiler may refuse the kernel, whose launcher then has `.reference()` only), `allow(TT0350)` (no warnings
/// with these codes).
#[proc_macro_attribute]
pub fn kernel(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let here = proc_macro::Span::call_site();
    let source = Source {
        name: file_name(&here.file()),
        text: here.local_file().and_then(|path| std::fs::read_to_string(path).ok()),
    };
    expand(options.into(), item.into(), &source).into()
}

/// Reserved: a module of kernels and what they share. Not built yet, and refused (TT0359).
///
/// ```compile_fail
/// #[tt_macros::module]
/// mod kernels {}
/// ```
#[proc_macro_attribute]
pub fn module(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let refused = proc_macro::TokenStream::from(reserved("`#[tt::module]`", "write the kernels in a plain module"));
    refused.into_iter().chain(item).collect()
}

/// Reserved: an operation on elements, written for the vector unit. Not built yet, and refused (TT0359).
///
/// ```compile_fail
/// tt_macros::sfpu_op! {}
/// ```
#[proc_macro]
pub fn sfpu_op(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    reserved(
        "`tt::sfpu_op!`",
        "write it with the element operations, in a function of a kernel's body",
    )
    .into()
}

/// What stands in place of a form that is not built yet.
fn reserved(form: &str, instead: &str) -> TokenStream {
    let message = format!(
        "{}: {form} is reserved, and not built yet\nnote: {instead}",
        tt_lang::codes::RESERVED
    );
    quote::quote! { ::core::compile_error! { #message } }
}

/// The file that a kernel stands in.
struct Source {
    /// Its name without folders.
    name: String,
    /// All of it, where it can be read.
    text: Option<String>,
}

/// What stands in place of `item`, a function under `#[tt::kernel(options)]`.
fn expand(options: TokenStream, item: TokenStream, source: &Source) -> TokenStream {
    let mut variants = tt_lang::syntax::parse_variants(&options, &item, &source.name);
    let placement = |parsed: &mut Parsed| match &source.text {
        Some(text) => parsed.check_placement(text),
        None => Placement::Free,
    };
    if let Some(first) = variants.first_mut() {
        match placement(first) {
            Placement::Free => {}
            Placement::Associated => return refused::without_module(first, false),
            Placement::Taken => return refused::without_module(first, true),
        }
    }
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for mut parsed in variants {
        match (parsed.kernel.take(), parsed.signature.clone()) {
            (Some(kernel), Some(signature)) => right.push(Right {
                parsed,
                kernel,
                signature,
            }),
            _ => wrong.push(parsed),
        }
    }
    // One that is wrong is enough.
    match wrong.first() {
        Some(parsed) => {
            let diagnostics = of_variant(parsed.diagnostics.clone(), &parsed.variant, !right.is_empty());
            refused::tokens(parsed, &diagnostics, item)
        }
        None => compiled(right, item),
    }
}

/// A kernel that is right as far as the language goes.
struct Right {
    parsed: Parsed,
    kernel: Kernel,
    signature: Signature,
}

/// These errors, with the variant that they are of where others do not have them.
fn of_variant(diagnostics: Vec<Diagnostic>, variant: &Variant, others_are_right: bool) -> Vec<Diagnostic> {
    if variant.is_empty() || !others_are_right {
        return diagnostics;
    }
    let note = format!("of the variant {}", shown(variant));
    let named = diagnostics.into_iter().map(|diagnostic| diagnostic.note(note.clone()));
    named.collect()
}

/// `BM = 64, BK = 32`
fn shown(variant: &Variant) -> String {
    let constants: Vec<String> = variant
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    constants.join(", ")
}

/// What stands in place of a kernel that is right as far as the language goes, in all its variants.
fn compiled(mut variants: Vec<Right>, item: TokenStream) -> TokenStream {
    let kernels: Vec<&Kernel> = variants.iter().map(|variant| &variant.kernel).collect();
    let compiled = tt_backend::compile_all_ways(&kernels);
    let wrong = variants
        .iter()
        .zip(&compiled)
        .find_map(|(variant, compiled)| Some((variant, compiled.outcome.as_ref().err()?)));
    let some_are_right = compiled.iter().any(|compiled| compiled.outcome.is_ok());
    // One that is wrong is enough, unless all have a reference.
    if let Some((Right { parsed, .. }, reasons)) = wrong
        && parsed.reference.is_none()
    {
        let diagnostics = of_variant(reasons.clone(), &parsed.variant, some_are_right);
        return refused::tokens(parsed, &diagnostics, item);
    }
    let made = compiled.iter().filter_map(|compiled| {
        let variant = variants.get(compiled.of)?;
        Some(launcher::Variant {
            // The reference is that of the kernel as it was written.
            kernel: &variant.kernel,
            signature: &variant.signature,
            constants: &variant.parsed.variant,
            way: compiled.way,
            outcome: &compiled.outcome,
        })
    });
    let launcher = launcher::variants(&made.collect::<Vec<_>>());
    let is_needed = wrong.is_some();
    if let Some(Right { parsed, .. }) = variants.first_mut()
        && let Some(span) = parsed.reference
        && !is_needed
        && !parsed.allowed.contains(&&REFERENCE_UNNEEDED)
    {
        let warning = Diagnostic::new(&REFERENCE_UNNEEDED, span, "this kernel compiles without `reference`");
        let warning = warning.note("leave the option out: the kernel can be run");
        parsed.warnings.push(warning);
    }
    let warnings = variants.first().map(|first| warning::tokens(&first.parsed));
    quote::quote! { #warnings #launcher }
}

/// The last part of a path: nothing else of it enters what is emitted.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_string()
}
