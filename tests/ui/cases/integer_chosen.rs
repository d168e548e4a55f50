//! Integers that a condition chooses, and that are none.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let column = if bx as f32 > alpha { 1 } else { 2 };
    T.copy(x[(0, column)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] += x[(if n > 0 { i } else { 0 }, j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
