//! Extents of parallel loops that no block has.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(0, 64) {
        v[(i, j)] = alpha;
    }
    for (i, j) in T.Parallel(65536, 65536) {
        y[(i, j)] = alpha;
    }
    for i in T.Parallel(100000000) {
        y[(0, i)] = alpha;
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
