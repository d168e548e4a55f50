//! A kernel that is async and unsafe.
use tt::prelude::*;

#[tt::kernel]
async unsafe fn copy<const M: usize>(x: &Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
