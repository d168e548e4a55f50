//! The `#[tt::kernel]` attribute: reads the function with `tt-lang`, compiles it with `tt-backend`, and leaves either the
//! launcher or the errors. There is no compiler logic here.

mod documentation;
mod launcher;
mod precompiled;
mod refused;
mod warning;

use proc_macro::TokenStream;
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
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    let file = file_name(&proc_macro::Span::call_site().file());
    let item = proc_macro2::TokenStream::from(item);
    let mut parsed = tt_lang::syntax::parse(options.into(), item.clone(), &file);
    match place(&mut parsed) {
        Placement::Free => {}
        Placement::Associated => return refused::without_module(&parsed, false).into(),
        Placement::Taken => return refused::without_module(&parsed, true).into(),
    }
    let (Some(kernel), Some(signature)) = (parsed.kernel.take(), parsed.signature.clone()) else {
        return refused::tokens(&parsed, &parsed.diagnostics, item).into();
    };
    compiled(&mut parsed, &kernel, &signature, item).into()
}

/// What stands in place of a kernel that is right as far as the language goes.
fn compiled(
    parsed: &mut Parsed,
    kernel: &Kernel,
    signature: &Signature,
    item: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
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
        (Err(diagnostics), Some(_)) if launcher::has_host_types(kernel) => {
            launcher::refused(kernel, signature, &diagnostics)
        }
        (Err(mut diagnostics), reference) => {
            if reference.is_some() {
                launcher::explain_host_types(kernel, &mut diagnostics);
            }
            return refused::tokens(parsed, &diagnostics, item);
        }
    };
    let warnings = warning::tokens(parsed);
    quote::quote! { #warnings #launcher }
}

/// Reports what is wrong with the kernel's place, as far as its file tells.
fn place(parsed: &mut Parsed) -> Placement {
    let here = proc_macro::Span::call_site();
    match here.local_file().and_then(|path| std::fs::read_to_string(path).ok()) {
        Some(text) => parsed.check_placement(&text, here.column() > 1),
        None => Placement::Free,
    }
}

/// The last part of a path: nothing else of it enters what is emitted.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_string()
}
