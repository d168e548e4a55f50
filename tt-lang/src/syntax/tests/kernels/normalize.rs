//! Row-wise kernels of any width: softmax in three sweeps, layer norm, RMS norm, and column sums.
use tt::prelude::*;

#[tt::kernel]
pub fn softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let row_max = T.alloc_fragment::<f32>(32);
    let row_sum = T.alloc_fragment::<f32>(32);

    T.fill(row_max, f32::NEG_INFINITY);
    for j in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, j * 128)], block);
        T.reduce_max(block, row_max, dim = 1, clear = false);
    }
    T.clear(row_sum);
    for j in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, j * 128)], block);
        for (i, c) in T.Parallel(32, 128) {
            e[(i, c)] = (block[(i, c)] - row_max[i]).exp();
        }
        T.reduce_sum(e, row_sum, dim = 1, clear = false);
    }
    for j in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, j * 128)], block);
        for (i, c) in T.Parallel(32, 128) {
            e[(i, c)] = (block[(i, c)] - row_max[i]).exp() / row_sum[i];
        }
        T.copy(e, y[(by * 32, j * 128)]);
    }
}

#[tt::kernel]
pub fn layer_norm<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    gamma: &Tensor<bf16, 1, N>,
    beta: &Tensor<bf16, 1, N>,
    eps: f32,
    y: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 64);
    let g = T.alloc_shared::<bf16>(1, 64);
    let b = T.alloc_shared::<bf16>(1, 64);
    let v = T.alloc_fragment::<f32>(32, 64);
    let mean = T.alloc_fragment::<f32>(32);
    let var = T.alloc_fragment::<f32>(32);

    T.clear(mean);
    for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 32, j * 64)], block);
        T.reduce_sum(block, mean, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        mean[i] = mean[i] / (N as f32);
    }
    T.clear(var);
    for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 32, j * 64)], block);
        for (i, c) in T.Parallel(32, 64) {
            v[(i, c)] = (block[(i, c)] - mean[i]).square();
        }
        T.reduce_sum(v, var, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        var[i] = (var[i] / (N as f32) + eps).rsqrt();
    }
    for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 32, j * 64)], block);
        T.copy(gamma[(0, j * 64)], g);
        T.copy(beta[(0, j * 64)], b);
        for (i, c) in T.Parallel(32, 64) {
            v[(i, c)] = (block[(i, c)] - mean[i]) * var[i] * g[(0, c)] + b[(0, c)];
        }
        T.copy(v, y[(by * 32, j * 64)]);
    }
}

#[tt::kernel]
pub fn column_sum<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, out: &mut Tensor<f32, 1, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let block = T.alloc_shared::<bf16>(64, 64);
    let sum = T.alloc_fragment::<f32>(1, 64);
    T.clear(sum);
    for k in T.Pipelined(M.div_ceil(64), num_stages = 2) {
        T.copy(x[(k * 64, bx * 64)], block);
        T.reduce_sum(block, sum, dim = 0, clear = false);
    }
    T.copy(sum, out[(0, bx * 64)]);
}
