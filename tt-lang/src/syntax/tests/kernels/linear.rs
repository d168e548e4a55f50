//! y = gelu(x · w + bias) in one kernel, and a product with a transposed operand.
use tt::prelude::*;

#[tt::kernel]
pub fn linear_gelu<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, 1, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x_block = T.alloc_shared::<bf16>(64, 32);
    let w_block = T.alloc_shared::<bf16>(32, 64);
    let bias_row = T.alloc_shared::<bf16>(1, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.copy(bias[(0, bx * 64)], bias_row);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 3) {
        T.copy(x[(by * 64, k * 32)], x_block);
        T.copy(w[(k * 32, bx * 64)], w_block);
        T.gemm(x_block, w_block, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] = (acc[(i, j)] + bias_row[(0, j)]).gelu();
    }
    T.copy(acc, y[(by * 64, bx * 64)]);
}

/// scores = q · kᵀ / √d
#[tt::kernel]
pub fn scores<const S: usize, const R: usize, const D: usize>(
    q: &Tensor<bf16, S, D>,
    k: &Tensor<bf16, R, D>,
    scale: f32,
    out: &mut Tensor<bf16, S, R>,
) {
    let (bx, by) = T.Kernel(R.div_ceil(64), S.div_ceil(64));
    let q_block = T.alloc_shared::<bf16>(64, 64);
    let k_block = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for d in T.Pipelined(D.div_ceil(64), num_stages = 2) {
        T.copy(q[(by * 64, d * 64)], q_block);
        T.copy(k[(bx * 64, d * 64)], k_block);
        T.gemm(q_block, k_block, acc, transpose_b = true);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] *= scale;
    }
    T.copy(acc, out[(by * 64, bx * 64)]);
}
