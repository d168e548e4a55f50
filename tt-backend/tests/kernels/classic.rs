//! The kernels one would write first, one of each kind.

#[tt::kernel]
pub fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let a_block = T.alloc_shared::<bf16>(128, 64);
    let b_block = T.alloc_shared::<bf16>(64, 128);
    let acc = T.alloc_fragment::<f32>(128, 128);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 128, k * 64)], a_block);
        T.copy(b[(k * 64, bx * 128)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 128, bx * 128)]);
}

#[tt::kernel(fidelity = HiFi2)]
pub fn matmul_256(a: &Tensor<bf16, 256, 256>, b: &Tensor<bf16, 256, 256>, c: &mut Tensor<bf16, 256, 256>) {
    let (bx, by) = T.Kernel(8, 8);
    let a_tile = T.alloc_fragment::<bf16>(32, 32);
    let b_tile = T.alloc_fragment::<bf16>(32, 32);
    let c_tile = T.alloc_fragment::<f32>(32, 32);
    T.clear(c_tile);
    for step in 0..8 {
        T.copy(a[(by * 32..(by + 1) * 32, step * 32..(step + 1) * 32)], a_tile);
        T.copy(b[(step * 32..(step + 1) * 32, bx * 32..(bx + 1) * 32)], b_tile);
        T.gemm(a_tile, b_tile, c_tile);
    }
    T.copy(c_tile, c[(by * 32..(by + 1) * 32, bx * 32..(bx + 1) * 32)]);
}

#[tt::kernel]
pub fn contraction(a: &Tensor<bf16, 256, 128>, b: &Tensor<bf16, 128, 256>, c: &mut Tensor<bf16, 256, 256>) {
    let (bx, by) = T.Kernel(8, 8);
    let sum = T.alloc_fragment::<f32>(32, 32);
    T.clear(sum);
    for kt in T.serial(4) {
        for (i, j, k) in T.Parallel(32, 32, 32) {
            sum[(i, j)] += a[(by * 32 + i, kt * 32 + k)] * b[(kt * 32 + k, bx * 32 + j)];
        }
    }
    T.copy(sum, c[(by * 32, bx * 32)]);
}

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

#[tt::kernel(order = column_major)]
pub fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let x = T.alloc_shared::<bf16>(128, 128);
    let y = T.alloc_shared::<bf16>(128, 128);
    let z = T.alloc_shared::<bf16>(128, 128);
    T.copy(a[(by * 128, bx * 128)], x);
    T.copy(b[(by * 128, bx * 128)], y);
    for (i, j) in T.Parallel(128, 128) {
        z[(i, j)] = x[(i, j)] + y[(i, j)];
    }
    T.copy(z, c[(by * 128, bx * 128)]);
}

#[tt::kernel(approx = true)]
pub fn swiglu<const M: usize, const N: usize>(
    gate: &Tensor<bf16, M, N>,
    up: &Tensor<bf16, M, N>,
    scale: f32,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        out[(by * 64 + i, bx * 64 + j)] =
            gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)] * scale;
    }
}

#[tt::kernel]
pub fn shrink<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, threshold: f32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = if v[(i, j)].abs() > threshold {
            v[(i, j)]
        } else {
            (v[(i, j)] * 3.0 - 0.5).tanh().clamp(-0.9, 0.9)
        };
    }
    T.copy(v, y[(by * 32, bx * 64)]);
}

#[tt::kernel]
pub fn checkerboard<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let block = T.alloc_shared::<bf16>(32, 32);
    for half in T.unroll(2) {
        if (bx + by + half) % 2 == 0 {
            T.copy(x[(by * 64 + half * 32, bx * 32)], block);
        } else {
            T.fill(block, 1.5);
        }
        T.copy(block, y[(by * 64 + half * 32, bx * 32)]);
    }
}
