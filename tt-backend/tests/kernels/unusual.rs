//! Kernels off the beaten path: branches around products, several accumulators, deep expressions, values carried by loops.
use tt::prelude::*;

#[tt::kernel(allow(TT0350, TT0351))]
pub fn nothing<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
}
#[tt::kernel(fidelity = HiFi4)]
pub fn gemm_in_if<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    flag: u32,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 32);
    let y = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.fill(acc, 1.0);
    for o in T.serial(2) {
        for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
            if k % 2 == 0 || flag > 0 {
                T.copy(a[(by * 64, k * 32)], x);
                T.copy(b[(k * 32, bx * 64)], y);
                T.gemm(x, y, acc);
            }
        }
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}
#[tt::kernel]
pub fn two_accumulators<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    d: &Tensor<bf16, N, K>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let z = T.alloc_shared::<bf16>(64, 64);
    let g = T.alloc_fragment::<f32>(64, 64);
    let u = T.alloc_fragment::<f32>(64, 64);
    let o = T.alloc_fragment::<f32>(64, 64);
    T.clear(g);
    T.clear(u);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        T.copy(d[(bx * 64, k * 64)], z);
        T.gemm(x, y, g);
        T.gemm(x, z, u, transpose_b = true);
    }
    for (i, j) in T.Parallel(64, 64) {
        o[(i, j)] = g[(i, j)].silu() * u[(i, j)];
    }
    T.copy(o, c[(by * 64, bx * 64)]);
}
#[tt::kernel]
pub fn big_expression<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    b: &Tensor<f32, M, N>,
    s: f32,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<f32>(64, 64);
    let y = T.alloc_shared::<f32>(64, 64);
    T.copy(a[(by * 64, bx * 64)], x);
    T.copy(b[(by * 64, bx * 64)], y);
    for (i, j) in T.Parallel(64, 64) {
        x[(i, j)] =
            (((x[(i, j)] + y[(i, j)]) * (x[(i, j)] - y[(i, j)])) + ((x[(i, j)] * y[(i, j)]) / (y[(i, j)] + 2.0))).max(
                ((x[(i, j)] + y[(i, j)] * s) * (x[(i, j)] - s))
                    - ((y[(i, j)].exp() + x[(i, j)].sin()) * (x[(i, j)].abs() + y[(i, j)].cos())),
            );
    }
    T.copy(x, c[(by * 64, bx * 64)]);
}
#[tt::kernel]
pub fn long_polynomials<const M: usize, const N: usize>(a: &Tensor<f32, M, N>, c: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<f32>(64, 64);
    T.copy(a[(by * 64, bx * 64)], x);
    for (i, j) in T.Parallel(64, 64) {
        x[(i, j)] = (x[(i, j)] * 4.0).erf() + (x[(i, j)] * 8.0).softplus() + x[(i, j)].elu(0.5);
    }
    T.copy(x, c[(by * 64, bx * 64)]);
}
#[tt::kernel(fidelity = LoFi, approx = true, fp32_acc = false, order = column_major)]
pub fn options<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in T.pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        T.gemm(x, y, acc);
    }
    for (i, j) in T.parallel(64, 64) {
        acc[(i, j)] = acc[(i, j)].exp().gelu();
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}
#[tt::kernel]
pub fn loop_carried<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 64);
    let last = T.alloc_shared::<bf16>(32, 64);
    T.clear(last);
    for k in 0..N.div_ceil(64) {
        T.copy(a[(by * 32, k * 64)], x);
        for (i, j) in T.Parallel(32, 64) {
            x[(i, j)] += last[(i, j)];
        }
        T.copy(x, c[(by * 32, k * 64)]);
        T.copy(x, last);
    }
}
#[tt::kernel]
pub fn resident<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let q = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let s = T.alloc_fragment::<f32>(64, 64);
    T.copy(a[(by * 64, 0)], q);
    for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(b[(0, j * 64)], y);
        T.gemm(q, y, s, clear_accum = true);
        for (i, k) in T.Parallel(64, 64) {
            s[(i, k)] = (s[(i, k)] * 0.125).tanh();
        }
        T.copy(s, c[(by * 64, j * 64)]);
    }
}

/// Elements of a block are read at other places within its tiles.
#[tt::kernel]
pub fn shifted(a: &Tensor<bf16, 128, 192>, c: &mut Tensor<f32, 64, 128>) {
    let (bx, by) = T.Kernel(2, 2);
    let x = T.alloc_shared::<bf16>(64, 96);
    let w = T.alloc_shared::<f32>(32, 64);
    T.copy(a[(by * 64, bx * 96)], x);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] = x[(i + 3, j + bx * 7)] * 2.0;
    }
    T.copy(w, c[(by * 32, bx * 64)]);
}
