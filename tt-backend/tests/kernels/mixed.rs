//! Kernels whose operands have different formats, and what else the compiler must not mix up: sides of a branch that write,
//! tensors that are read and written, bounds that depend on a loop.
use tt::prelude::*;

#[tt::kernel]
pub fn mixed_product<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<f32, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(128));
    let x = T.alloc_shared::<bf16>(128, 32);
    let y = T.alloc_shared::<f32>(32, 64);
    let acc = T.alloc_fragment::<f32>(128, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 128, k * 32)], x);
        T.copy(b[(k * 32, bx * 64)], y);
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 128, bx * 64)]);
}
#[tt::kernel]
pub fn product_or_copy<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<f32, K, N>,
    z: &Tensor<bf16, M, N>,
    n: u32,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 32);
    let y = T.alloc_shared::<f32>(32, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let o = T.alloc_fragment::<f32>(64, 64);
    T.copy(z[(by * 64, bx * 64)], w);
    if n > 0 {
        T.clear(acc);
        for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
            T.copy(a[(by * 64, k * 32)], x);
            T.copy(b[(k * 32, bx * 64)], y);
            T.gemm(x, y, acc);
        }
        for (i, j) in T.Parallel(64, 64) {
            o[(i, j)] = acc[(i, j)] + w[(i, j)];
        }
    } else {
        for (i, j) in T.Parallel(64, 64) {
            o[(i, j)] = w[(i, j)] * 2.0;
        }
    }
    T.copy(o, c[(by * 64, bx * 64)]);
}
#[tt::kernel]
pub fn either<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, M, N>,
    r: &Tensor<f32, N>,
    n: u32,
    c: &mut Tensor<f32, M, N>,
    d: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let row = T.alloc_shared::<f32>(32);
    let o = T.alloc_fragment::<f32>(32, 32);
    let p = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
    T.copy(b[(by * 32, bx * 32)], y);
    T.copy(r[bx * 32], row);
    for (i, j) in T.Parallel(32, 32) {
        p[(i, j)] = x[(i, j)] - y[(i, j)];
    }
    for k in 0..n {
        for m in 0..(k + 2).div_ceil(2) {
            for (i, j) in T.Parallel(32, 32) {
                p[(i, j)] = p[(i, j)] * 0.5 + y[(i, j)];
            }
        }
    }
    for (i, j) in T.Parallel(32, 32) {
        o[(i, j)] = x[(i, j)].exp() * row[j] + x[(i, j)] * y[(i, j)];
    }
    if n > 2 {
        T.copy(o, c[(by * 32, bx * 32)]);
    } else {
        T.copy(p, d[(by * 32, bx * 32)]);
    }
}
#[tt::kernel]
pub fn in_place<const M: usize, const N: usize>(c: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    T.copy(c[(by * 32, bx * 32)], x);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = x[(i, j)] * 0.5 + 1.0;
    }
    T.copy(x, c[(by * 32, bx * 32)]);
}
