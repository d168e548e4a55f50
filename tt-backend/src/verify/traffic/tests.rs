//! Tokens, which order the transfers of a tensor, stay where they are.

use crate::mutate::{Kind, mutants};
use crate::verify::verify;
use tt_lang::ir::Kernel;

const READ_AGAIN: &str = "#[tt::kernel] fn read_again<const M: usize, const N: usize>(
        x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, z: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    T.copy(v, y[(by * 32, bx * 32)]);
    T.copy(y[(by * 32, bx * 32)], w);
    T.copy(w, z[(by * 32, bx * 32)]);
}";

const OVERWRITTEN: &str = "#[tt::kernel] fn overwritten<const M: usize, const N: usize>(
        x: &mut Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    T.fill(v, 1.5);
    T.copy(x[(by * 32, bx * 32)], w);
    T.copy(v, x[(by * 32, bx * 32)]);
    T.copy(w, y[(by * 32, bx * 32)]);
}";

/// What is said of the mutant of `source` in which `calls` of a buffer stand elsewhere.
fn moved(source: &str, calls: &str) -> String {
    let function = syn::parse_str(source).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
    let mut said = None;
    mutants(&kernel, &device, &mut |mutant, changed| {
        if mutant.kind == Kind::Past && mutant.detail.starts_with(calls) {
            let errors = verify(&kernel, &changed).expect_err(&mutant.to_string());
            said = errors.into_iter().flat_map(|error| error.notes).next();
        }
    });
    said.expect("there is such a mutant")
}

#[test]
fn a_token_taken_or_passed_on_elsewhere_is_refused() {
    for (source, calls, by) in [
        (
            READ_AGAIN,
            "cb_wait_front(cb(stored), 1) → behind the next",
            "the reader moves tensor 1",
        ),
        (
            OVERWRITTEN,
            "cb_wait_front(cb(loaded), 1) → behind the next",
            "the writer moves tensor 0",
        ),
        (
            OVERWRITTEN,
            "cb_reserve_back(cb(loaded), 1) → before the last",
            "the reader moves tensor 0",
        ),
    ] {
        let said = moved(source, calls);
        assert!(said.contains(by), "{said}");
    }
}
