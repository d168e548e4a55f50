//! What `isclose` allows and the last of `addcmul`, different from element to element.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let w = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(bx * 64, by * 64)], w);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)].isclose(alpha, w[(i, j)], 0.0);
        v[(i, j)] = v[(i, j)].addcmul(alpha, 2.0, w[(i, j)]);
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
