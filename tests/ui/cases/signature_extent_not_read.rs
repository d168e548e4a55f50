//! An extent that no tensor shows.
use tt::prelude::*;

#[tt::kernel]
fn copy<const M: usize, const N: usize>(x: &Tensor<bf16, M, 64>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
