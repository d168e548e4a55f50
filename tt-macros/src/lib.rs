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
use tt_lang::syntax::{Parsed, Placement, Signature};

/// Compiles the function below it for Tenstorrent accelerators and leaves a launcher of the same name in its place.
///
/// Options: `fidelity = LoFi | HiFi2 | HiFi3 | HiFi4`, `fp32_acc = true | false`, `approx = true | false`,
/// `order = row_major | column_major | block_linear(h, w) | z_order | hilbert | match_shard`, `multicast = auto | off`,
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
    let mut parsed = tt_lang::syntax::parse(options, item.clone(), &source.name);
    let placement = match &source.text {
        Some(text) => parsed.check_placement(text),
        None => Placement::Free,
    };
    match placement {
        Placement::Free => {}
        Placement::Associated => return refused::without_module(&parsed, false),
        Placement::Taken => return refused::without_module(&parsed, true),
    }
    let (Some(kernel), Some(signature)) = (parsed.kernel.take(), parsed.signature.clone()) else {
        return refused::tokens(&parsed, &parsed.diagnostics, item);
    };
    compiled(&mut parsed, &kernel, &signature, item)
}

/// What stands in place of a kernel that is right as far as the language goes.
fn compiled(parsed: &mut Parsed, kernel: &Kernel, signature: &Signature, item: TokenStream) -> TokenStream {
    let launcher = match (tt_backend::compile(kernel), parsed.reference) {
        (Ok(artifact), reference) => {
            if let Some(span) = reference
                && !parsed.allowed.contains(&&REFERENCE_UNNEEDED)
            {
                let warning = Diagnostic::new(&REFERENCE_UNNEEDED, span, "this kernel compiles without `reference`");
                parsed
                    .warnings
                    .push(warning.note("leave the option out: the kernel can be run"));
            }
            launcher::compiled(kernel, signature, &artifact)
        }
        (Err(diagnostics), Some(_)) => launcher::refused(kernel, signature, &diagnostics),
        (Err(diagnostics), None) => return refused::tokens(parsed, &diagnostics, item),
    };
    let warnings = warning::tokens(parsed);
    quote::quote! { #warnings #launcher }
}

/// The last part of a path: nothing else of it enters what is emitted.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_string()
}
