//! A literal that no number holds, and an exponent that the device does not take.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.fill(v, 1e39);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)].powi(40000);
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
