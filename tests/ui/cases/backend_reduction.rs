//! Reductions parse, and are not compiled yet.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let s = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.reduce_sum(v, s, dim = 1);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
