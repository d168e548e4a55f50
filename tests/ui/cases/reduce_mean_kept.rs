//! A mean that folds into what was there before.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, 1>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let m = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.clear(m);
    T.reduce_mean(v, m, dim = 1, clear = false);
    T.copy(m, y[(by * 64, 0)]);
}

fn main() {}
