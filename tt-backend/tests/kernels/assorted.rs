//! Kernels that differ in kind, for the tests of the compiler.
use tt::prelude::*;

#[tt::kernel(fidelity = HiFi4)]
pub fn tall<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, K, M>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(96));
    let x = T.alloc_shared::<bf16>(64, 96);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(96, 64);
    T.fill(acc, 2.5);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 3) {
        T.copy(a[(k * 64, by * 96)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        T.gemm(x, y, acc, transpose_a = true);
    }
    T.copy(acc, c[(by * 96, bx * 64)]);
}
#[tt::kernel]
pub fn two<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    s: f32,
    n: u32,
    c: &mut Tensor<bf16, M, N>,
    d: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_fragment::<f32>(32, 32);
    let z = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
    T.clear(y);
    for i in 0..n {
        for (i, j) in T.Parallel(32, 32) {
            y[(i, j)] = y[(i, j)] * s + x[(i, j)];
        }
    }
    if bx == 0 && s > 0.5 {
        for (i, j) in T.Parallel(32, 32) {
            z[(i, j)] = y[(i, j)].exp() + x[(j, i)] * 2.0;
        }
    } else {
        T.copy(y, z);
    }
    T.copy(z, c[(by * 32, bx * 32)]);
    T.copy(y, d[(by * 32, bx * 32)]);
}
#[tt::kernel]
pub fn mlp<const M: usize, const K: usize, const H: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, H>,
    v: &Tensor<bf16, H, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let xb = T.alloc_shared::<bf16>(32, 64);
    let wb = T.alloc_shared::<bf16>(64, 64);
    let vb = T.alloc_shared::<bf16>(64, 128);
    let h = T.alloc_fragment::<f32>(32, 64);
    let g = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 128);
    T.clear(acc);
    for j in T.serial(H.div_ceil(64)) {
        T.clear(h);
        for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
            T.copy(x[(by * 32, k * 64)], xb);
            T.copy(w[(k * 64, j * 64)], wb);
            T.gemm(xb, wb, h);
        }
        for (a, b) in T.Parallel(32, 64) {
            g[(a, b)] = h[(a, b)].relu();
        }
        T.copy(v[(j * 64, 0)], vb);
        T.gemm(g, vb, acc);
    }
    T.copy(acc, y[(by * 32, 0)]);
}
#[tt::kernel]
pub fn vectors<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    r: &Tensor<bf16, N>,
    q: &Tensor<bf16, M, 1>,
    o: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let row = T.alloc_shared::<bf16>(64);
    let t = T.alloc_fragment::<f32>(64);
    T.copy(r[bx * 64], row);
    for i in T.Parallel(64) {
        t[i] = q[(by * 64 + i, 0)] * 2.0 + 1.0;
    }
    for (i, j) in T.Parallel(64, 64) {
        o[(by * 64 + i, bx * 64 + j)] = (a[(by * 64 + i, bx * 64 + j)] * row[j] - t[i]).max(a[(by * 64 + i, 0)])
            / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs());
    }
}
#[tt::kernel(order = block_linear(2, 4))]
pub fn batched<const B: usize, const M: usize, const K: usize>(a: &Tensor<f32, B, M, K>, c: &mut Tensor<f32, B, K, M>) {
    let (bx, by, bz) = T.Kernel(K.div_ceil(64), M.div_ceil(32), B);
    let x = T.alloc_shared::<f32>(32, 64);
    let y = T.alloc_shared::<f32>(64, 32);
    T.copy(a[(bz, by * 32, bx * 64)], x);
    T.transpose(x, y);
    T.copy(y, c[(bz, bx * 64, by * 32)]);
}
