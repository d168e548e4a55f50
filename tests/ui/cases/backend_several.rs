//! Several mistakes of several kinds at once.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 63, bx * 63)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)] * v[(j, j)];
    }
    T.copy(v, y[(by * 64, bx * 63)]);
}

fn main() {}
