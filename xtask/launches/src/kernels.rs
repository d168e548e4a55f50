//! Kernels of every structure that the launcher has to carry over: one reader and writer, circular buffers of several pages,
//! several outputs, tensors in place, broadcasts, reductions, products whose blocks are multicast, scalars, offsets, layouts.

use tt::prelude::*;

/// c = a + b
#[tt::kernel]
pub fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] + b[(by * 64 + i, bx * 64 + j)];
    }
}

/// x = x · alpha + beta, in place
#[tt::kernel]
pub fn scale<const M: usize, const N: usize>(x: &mut Tensor<bf16, M, N>, alpha: f32, beta: f32) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 64) {
        x[(by * 32 + i, bx * 64 + j)] = x[(by * 32 + i, bx * 64 + j)] * alpha + beta;
    }
}

/// out = silu(gate) · up
#[tt::kernel]
pub fn swiglu<const M: usize, const N: usize>(
    gate: &Tensor<bf16, M, N>,
    up: &Tensor<bf16, M, N>,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        out[(by * 64 + i, bx * 64 + j)] = gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)];
    }
}

/// out[i][j] = clamp(x[i][j] · weight[j] + shift[i], −1, 1)
#[tt::kernel]
pub fn affine<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    weight: &Tensor<bf16, 1, N>,
    shift: &Tensor<bf16, M, 1>,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let block = T.alloc_shared::<bf16>(64, 128);
    let row = T.alloc_shared::<bf16>(1, 128);
    let column = T.alloc_shared::<bf16>(64, 1);
    let result = T.alloc_fragment::<f32>(64, 128);
    T.copy(x[(by * 64, bx * 128)], block);
    T.copy(weight[(0, bx * 128)], row);
    T.copy(shift[(by * 64, 0)], column);
    for (i, j) in T.Parallel(64, 128) {
        result[(i, j)] = (block[(i, j)] * row[(0, j)] + column[(i, 0)]).clamp(-1.0, 1.0);
    }
    T.copy(result, out[(by * 64, bx * 128)]);
}

/// C = A · B over several cores, the accumulator in 32 bits. With four versions of its operands, senders read ahead.
#[tt::kernel(variants(STAGES = [2, 4]))]
pub fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let a_block = T.alloc_shared::<bf16>(64, 32);
    let b_block = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = STAGES) {
        T.copy(a[(by * 64, k * 32)], a_block);
        T.copy(b[(k * 32, bx * 64)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}

/// c = a · alpha in 32 bits, which goes into the destination registers without being rounded.
#[tt::kernel]
pub fn wide<const M: usize, const N: usize>(a: &Tensor<f32, M, N>, alpha: f32, c: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * alpha;
    }
}

/// c = a · 2 + b and d = a from two layouts to two others.
#[tt::kernel]
pub fn across_layouts<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<bf16, M, N>,
    #[layout(dram, width_sharded(5))] b: &Tensor<bf16, M, N>,
    #[layout(l1, block_sharded(2, 3))] c: &mut Tensor<bf16, M, N>,
    #[layout(l1)] d: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let f = T.alloc_fragment::<f32>(64, 64);
    T.copy(a[(by * 64, bx * 64)], v);
    T.copy(b[(by * 64, bx * 64)], w);
    for (i, j) in T.Parallel(64, 64) {
        f[(i, j)] = v[(i, j)] * 2.0 + w[(i, j)];
    }
    T.copy(f, c[(by * 64, bx * 64)]);
    T.copy(v, d[(by * 64, bx * 64)]);
}

/// c = a along three axes of shards, in blocks that fit none of them.
#[tt::kernel]
pub fn reshard<const B: usize, const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "B M N", grid = [2, 3, 3], shard = [2, 32, 64]))] a: &Tensor<bf16, B, M, N>,
    #[layout(dram, nd_sharded(axes = "B M N", grid = [4, 2, 8], shard = [1, 64, 32]))] c: &mut Tensor<bf16, B, M, N>,
) {
    let (bx, by, b) = T.Kernel(N.div_ceil(32), M.div_ceil(40), B);
    let v = T.alloc_shared::<bf16>(40, 32);
    T.copy(a[(b, by * 40, bx * 32)], v);
    T.copy(v, c[(b, by * 40, bx * 32)]);
}

/// c = a · 2 + b where shards lie: circular buffers on them.
#[tt::kernel(order = match_shard)]
pub fn on_rows<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<bf16, M, N>,
    #[layout(l1, height_sharded(8))] b: &Tensor<bf16, M, N>,
    #[layout(l1, height_sharded(8))] c: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 128);
    let w = T.alloc_shared::<bf16>(64, 128);
    T.copy(a[(by * 64, 0)], v);
    T.copy(b[(by * 64, 0)], w);
    for (i, j) in T.Parallel(64, 128) {
        v[(i, j)] = v[(i, j)] * 2.0 + w[(i, j)];
    }
    T.copy(v, c[(by * 64, 0)]);
}

/// c = a + 1 where shards lie on a rectangle of cores.
#[tt::kernel(order = match_shard)]
pub fn on_blocks<const M: usize, const N: usize>(
    #[layout(l1, block_sharded(4, 5))] a: &Tensor<bf16, M, N>,
    #[layout(l1, block_sharded(4, 5))] c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] + 1.0;
    }
}

/// Blocks of a sharded tensor turned in place.
#[tt::kernel(order = match_shard)]
pub fn turned_in_place<const M: usize>(#[layout(l1, height_sharded(4))] x: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let turned = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, 0)], v);
    for (i, j) in T.Parallel(64, 64) {
        turned[(i, j)] = v[(j, i)];
    }
    T.copy(turned, x[(by * 64, 0)]);
}
