//! The `#[tt::kernel]` attribute: reads the function with `tt-lang`, compiles it with `tt-backend`, and leaves either the
//! launcher or the errors. There is no compiler logic here.

mod launcher;
mod precompiled;
mod refused;

use proc_macro::TokenStream;

/// Compiles the function below it for Tenstorrent accelerators and leaves a launcher of the same name in its place.
///
/// Options: `fidelity = LoFi | HiFi2 | HiFi3 | HiFi4`, `fp32_acc = true | false`, `approx = true | false`,
/// `order = row_major | column_major | block_linear(h, w) | z_order | hilbert | match_shard`, `multicast = auto | off`.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    let file = file_name(&proc_macro::Span::call_site().file());
    let item = proc_macro2::TokenStream::from(item);
    let parsed = tt_lang::syntax::parse(options.into(), item.clone(), &file);
    let (Some(kernel), Some(signature)) = (&parsed.kernel, &parsed.signature) else {
        return refused::tokens(&parsed, &parsed.diagnostics, item).into();
    };
    match tt_backend::compile(kernel) {
        Ok(artifact) => launcher::tokens(kernel, signature, &artifact).into(),
        Err(diagnostics) => refused::tokens(&parsed, &diagnostics, item).into(),
    }
}

/// The last part of a path: nothing else of it enters what is emitted.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_string()
}
