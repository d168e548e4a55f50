//! Integer data in a floating-point expression, and an integer beyond its type.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let q = T.alloc_shared::<i32>(64, 64);
    let p = T.alloc_shared::<u32>(64, 64);
    T.fill(p, 4294967296);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)] + q[(i, j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
