//! A kernel that returns its result.
use tt::prelude::*;

#[tt::kernel]
fn copy<const M: usize>(x: &Tensor<bf16, M, 64>) -> Tensor<bf16, M, 64> {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
