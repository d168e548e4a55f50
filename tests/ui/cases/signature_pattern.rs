//! Parameters that are not plain names.
use tt::prelude::*;

#[tt::kernel]
fn copy<const M: usize>(x: &Tensor<bf16, M, 64>, mut n: u32, (p, q): f32) {
    let by = T.Kernel(M.div_ceil(64));
}

fn main() {}
