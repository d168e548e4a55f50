//! A parameter given twice.
use tt::prelude::*;

#[tt::kernel]
fn copy<const M: usize>(x: &Tensor<bf16, M, 64>, x: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
