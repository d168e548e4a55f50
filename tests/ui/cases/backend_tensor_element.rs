//! Indices of tensors in parallel loops that are not compiled.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const B: usize, const M: usize, const N: usize>(
    a: &Tensor<bf16, B, M, N>,
    m: &Tensor<bf16, M, N>,
    n: i32,
    y: &mut Tensor<bf16, M, N>,
    c: &mut Tensor<bf16, B, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = a[(i, j, 0)];
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = a[(i, i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = m[(i, j / 2)] + m[(i, 2 * j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = m[((n + i) % 8, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = m[(4 * i % 3, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        c[(i, i, j)] = v[(i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        c[(0, i / 2, j)] = v[(i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        c[(0, i, 63 - j)] = v[(i, j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
