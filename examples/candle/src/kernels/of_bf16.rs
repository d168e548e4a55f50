//! The kernels, of tensors of `bf16`. Sums and what is computed in between are `f32`; a result is rounded once.

use tt::prelude::*;

/// `y = x / √(mean of x² + eps) · weight`, along the rows. A row is read twice: for its squares, and for its elements.
#[tt::kernel]
pub(crate) fn rms_norm<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    weight: &Tensor<bf16, N>,
    eps: f32,
    y: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 128);
    let weights = T.alloc_shared::<bf16>(1, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let scale = T.alloc_fragment::<f32>(32);
    T.clear(scale);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], rows);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = rows[(i, j)] * rows[(i, j)];
        }
        T.reduce_sum(e, scale, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        scale[i] = (scale[i] / (N as f32) + eps).rsqrt();
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], rows);
        T.copy(weight[k * 128], weights);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = rows[(i, j)] * scale[i] * weights[(0, j)];
        }
        T.copy(e, y[(by * 32, k * 128)]);
    }
}

/// The gradients of [`rms_norm`]. With `r = 1 / √(mean of x² + eps)` of a row and `g` the gradient of its result,
///
/// - `dx = r · g · weight - x · r³ · mean of (g · weight · x)`, a stage whose blocks are rows and which leaves `r` behind,
/// - `dweight = sum over the rows of g · x · r`, a stage whose blocks are columns.
#[tt::kernel]
pub(crate) fn rms_norm_backward<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    weight: &Tensor<bf16, N>,
    grad: &Tensor<bf16, M, N>,
    eps: f32,
    dx: &mut Tensor<bf16, M, N>,
    dweight: &mut Tensor<bf16, N>,
) {
    let scales = T.alloc_global::<f32>(M);
    {
        let by = T.Kernel(M.div_ceil(32));
        let rows = T.alloc_shared::<bf16>(32, 128);
        let grads = T.alloc_shared::<bf16>(32, 128);
        let weights = T.alloc_shared::<bf16>(1, 128);
        let e = T.alloc_fragment::<f32>(32, 128);
        let scale = T.alloc_fragment::<f32>(32);
        let along = T.alloc_fragment::<f32>(32);
        T.clear(scale);
        T.clear(along);
        for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
            T.copy(x[(by * 32, k * 128)], rows);
            T.copy(grad[(by * 32, k * 128)], grads);
            T.copy(weight[k * 128], weights);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = rows[(i, j)] * rows[(i, j)];
            }
            T.reduce_sum(e, scale, dim = 1, clear = false);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = rows[(i, j)] * grads[(i, j)] * weights[(0, j)];
            }
            T.reduce_sum(e, along, dim = 1, clear = false);
        }
        for i in T.Parallel(32) {
            scale[i] = (scale[i] / (N as f32) + eps).rsqrt();
            along[i] = along[i] / (N as f32) * scale[i] * scale[i] * scale[i];
        }
        T.copy(scale, scales[by * 32]);
        for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
            T.copy(x[(by * 32, k * 128)], rows);
            T.copy(grad[(by * 32, k * 128)], grads);
            T.copy(weight[k * 128], weights);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = grads[(i, j)] * weights[(0, j)] * scale[i] - rows[(i, j)] * along[i];
            }
            T.copy(e, dx[(by * 32, k * 128)]);
        }
    }
    {
        let bx = T.Kernel(N.div_ceil(128));
        let rows = T.alloc_shared::<bf16>(32, 128);
        let grads = T.alloc_shared::<bf16>(32, 128);
        let scale = T.alloc_shared::<f32>(32);
        let e = T.alloc_fragment::<f32>(32, 128);
        let sums = T.alloc_fragment::<f32>(1, 128);
        T.clear(sums);
        for k in T.Pipelined(M.div_ceil(32), num_stages = 2) {
            T.copy(x[(k * 32, bx * 128)], rows);
            T.copy(grad[(k * 32, bx * 128)], grads);
            T.copy(scales[k * 32], scale);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = rows[(i, j)] * grads[(i, j)] * scale[i];
            }
            T.reduce_sum(e, sums, dim = 0, clear = false);
        }
        T.copy(sums, dweight[bx * 128]);
    }
}

/// `y = silu(x · gateᵀ) * (x · upᵀ)`: each block of `x` is read once for both products, and neither is ever in DRAM.
#[tt::kernel]
pub(crate) fn swiglu<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    gate: &Tensor<bf16, N, K>,
    up: &Tensor<bf16, N, K>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let rows = T.alloc_shared::<bf16>(64, 64);
    let gates = T.alloc_shared::<bf16>(64, 64);
    let ups = T.alloc_shared::<bf16>(64, 64);
    let open = T.alloc_fragment::<f32>(64, 64);
    let through = T.alloc_fragment::<f32>(64, 64);
    T.clear(open);
    T.clear(through);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 64, k * 64)], rows);
        T.copy(gate[(bx * 64, k * 64)], gates);
        T.copy(up[(bx * 64, k * 64)], ups);
        T.gemm(rows, gates, open, transpose_b = true);
        T.gemm(rows, ups, through, transpose_b = true);
    }
    for (i, j) in T.Parallel(64, 64) {
        open[(i, j)] = open[(i, j)].silu() * through[(i, j)];
    }
    T.copy(open, y[(by * 64, bx * 64)]);
}

/// Softmax along the rows, of any length: the maximum and the sum under it grow block by block, then a row is read once more.
#[tt::kernel]
pub(crate) fn softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let before = T.alloc_fragment::<f32>(32);
    let most = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], rows);
        T.copy(most, before);
        T.reduce_max(rows, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (rows[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, part, dim = 1);
        for i in T.Parallel(32) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], rows);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (rows[(i, j)] - most[i]).exp() / total[i];
        }
        T.copy(e, y[(by * 32, k * 128)]);
    }
}
