//! A block of more rows than any core holds.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let all = T.alloc_shared::<bf16>(2097152, 32);
    T.copy(x[(0, bx * 32)], all);
    T.copy(all, y[(0, bx * 32)]);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
