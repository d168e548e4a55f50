//! Integers of a tensor as elements of their own, and in blocks: not compiled yet.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize>(n: &Tensor<u16, M, 64>, y: &mut Tensor<f32, M, 64>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 64);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = n[(by * 32 + i, j)] as f32;
    }
    T.copy(v, y[(by * 32, 0)]);
}

fn main() {}
