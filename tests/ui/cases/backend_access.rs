//! Indices that are not compiled: another stride, a row as a column.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 96);
    T.copy(x[(by * 64, bx * 64)], w);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = w[(j, j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
