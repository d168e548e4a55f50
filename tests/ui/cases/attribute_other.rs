//! Another attribute on a kernel.
use tt::prelude::*;

#[tt::kernel]
#[inline(always)]
fn copy<const M: usize>(x: &Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
