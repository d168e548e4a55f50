//! A store to every other row of a block.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i * 2, j)] = v[(i, j)] * alpha;
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
