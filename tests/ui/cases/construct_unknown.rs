//! Statements and words of Rust as values, and a public constant.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let a = { 4 };
    let b = for k in 0..4 {};
    let c = _;
    pub const D: usize = 4;
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
