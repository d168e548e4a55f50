//! The forward pass: one kernel, launched once for each layer of the model.
//!
//! A launch takes `M` tokens through a layer, at most 32, which is one tile high: those of the prompt, or the one that came last. The
//! launch of the first layer looks up their embeddings first, and that of the last one chooses the token that comes next, so the
//! host hands over numbers of tokens and gets one back. Nothing is added to products: the model has no biases.
//!
//! A head of attention is one tile wide, and one block of the grid; other products have a block for every 32 of their columns, so
//! that as many cores as possible read weights. Layer norm is computed again by each block, which takes no longer than once.
//!
//! Weights are `bf16`, and activations and the cache `f32`, of which the matrix unit takes the first 11 bits (TF32).

use tt::prelude::*;

/// Layer number `layer` for the tokens from number `start` on, of which `keys` and `values` get their rows. `x` is the sum that
/// every layer adds to; what its rows behind the tokens hold goes nowhere.
#[tt::kernel]
pub fn layer<const M: usize, const L: usize, const S: usize, const V: usize>(
    layer: u32,
    start: u32,
    tokens: &Tensor<i32, M>,
    embedding: &Tensor<bf16, V, 128>,
    positions: &Tensor<bf16, S, 128>,
    norm1: &Tensor<bf16, L, 1, 128>,
    qkv: &Tensor<bf16, L, 128, 384>,
    out: &Tensor<bf16, L, 128, 128>,
    norm2: &Tensor<bf16, L, 1, 128>,
    up: &Tensor<bf16, L, 128, 512>,
    down: &Tensor<bf16, L, 512, 128>,
    norm: &Tensor<bf16, 1, 128>,
    x: &mut Tensor<f32, 32, 128>,
    keys: &mut Tensor<f32, L, 4, S, 32>,
    values: &mut Tensor<f32, L, 4, S, 32>,
    logits: &mut Tensor<f32, 1, V>,
    next: &mut Tensor<i32, 1>,
) {
    const EPS: f32 = 1e-5;
    const SCALE: f32 = 1.0 / 32.0f32.sqrt();
    let attended = T.alloc_global::<f32>(32, 128);
    let hidden = T.alloc_global::<f32>(32, 512);
    // Before the first layer: the row of each token in the table, plus that of its place.
    {
        let at = T.Kernel(if layer == 0 { M } else { 0 });
        let row = T.alloc_fragment::<f32>(1, 128);
        let token = tokens[at];
        T.assert(token >= 0 && token < V && M <= 32);
        for (i, j) in T.Parallel(1, 128) {
            row[(i, j)] = embedding[(token, j)] + positions[(start + at, j)];
        }
        T.copy(row, x[(at, 0)]);
    }
    // Attention, a block for each head: layer norm, queries, keys and values, the cache, softmax over it.
    {
        let head = T.Kernel(4);
        let rows = T.alloc_shared::<f32>(32, 128);
        let squares = T.alloc_fragment::<f32>(32, 128);
        let gain = T.alloc_shared::<bf16>(1, 128);
        let mean = T.alloc_fragment::<f32>(32);
        let variance = T.alloc_fragment::<f32>(32);
        let weights = T.alloc_shared::<bf16>(128, 32);
        let q = T.alloc_fragment::<f32>(32, 32);
        let new = T.alloc_fragment::<f32>(32, 32);
        let k = T.alloc_shared::<f32>(128, 32);
        let v = T.alloc_shared::<f32>(128, 32);
        let scores = T.alloc_fragment::<f32>(32, 128);
        let shares = T.alloc_fragment::<f32>(32, 128);
        let acc = T.alloc_fragment::<f32>(32, 32);
        let before = T.alloc_fragment::<f32>(32);
        let most = T.alloc_fragment::<f32>(32);
        let part = T.alloc_fragment::<f32>(32);
        let total = T.alloc_fragment::<f32>(32);

        T.copy(norm1[(layer, 0, 0)], gain);
        T.copy(x[(0, 0)], rows);
        T.reduce_mean(rows, mean, dim = 1);
        for (i, j) in T.Parallel(32, 128) {
            rows[(i, j)] -= mean[i];
        }
        for (i, j) in T.Parallel(32, 128) {
            squares[(i, j)] = rows[(i, j)].square();
        }
        T.reduce_mean(squares, variance, dim = 1);
        for i in T.Parallel(32) {
            variance[i] = (variance[i] + EPS).rsqrt();
        }
        for (i, j) in T.Parallel(32, 128) {
            rows[(i, j)] *= variance[i] * gain[(0, j)];
        }

        T.copy(qkv[(layer, 0, head * 32)], weights);
        T.gemm(rows, weights, q, clear_accum = true);
        T.copy(qkv[(layer, 0, 128 + head * 32)], weights);
        T.gemm(rows, weights, new, clear_accum = true);
        T.copy(new, keys[(layer, head, start..start + M, 0..32)]);
        T.copy(qkv[(layer, 0, 256 + head * 32)], weights);
        T.gemm(rows, weights, new, clear_accum = true);
        T.copy(new, values[(layer, head, start..start + M, 0..32)]);

        T.clear(acc);
        T.clear(total);
        T.fill(most, f32::NEG_INFINITY);
        for r in T.Pipelined((start + M).div_ceil(128), num_stages = 2) {
            T.copy(keys[(layer, head, r * 128, 0)], k);
            T.copy(values[(layer, head, r * 128, 0)], v);
            T.gemm(q, k, scores, transpose_b = true, clear_accum = true);
            for (i, j) in T.Parallel(32, 128) {
                scores[(i, j)] = if r * 128 + j <= start + i {
                    scores[(i, j)] * SCALE
                } else {
                    f32::NEG_INFINITY
                };
            }
            T.copy(most, before);
            T.reduce_max(scores, most, dim = 1, clear = false);
            for (i, j) in T.Parallel(32, 128) {
                shares[(i, j)] = (scores[(i, j)] - most[i]).exp();
            }
            T.reduce_sum(shares, part, dim = 1);
            for i in T.Parallel(32) {
                before[i] = (before[i] - most[i]).exp();
                total[i] = total[i] * before[i] + part[i];
            }
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] *= before[i];
            }
            T.gemm(shares, v, acc);
        }
        for (i, j) in T.Parallel(32, 32) {
            acc[(i, j)] /= total[i];
        }
        T.copy(acc, attended[(0, head * 32)]);
    }
    // What the heads found, put together and added.
    {
        let b = T.Kernel(4);
        let rows = T.alloc_shared::<f32>(32, 128);
        let weights = T.alloc_shared::<bf16>(128, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(attended[(0, 0)], rows);
        T.copy(out[(layer, 0, b * 32)], weights);
        T.gemm(rows, weights, acc, clear_accum = true);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, b * 32 + j)] += acc[(i, j)];
        }
    }
    // The hidden units, 32 to a block: layer norm, product, GELU.
    {
        let b = T.Kernel(16);
        let rows = T.alloc_shared::<f32>(32, 128);
        let squares = T.alloc_fragment::<f32>(32, 128);
        let gain = T.alloc_shared::<bf16>(1, 128);
        let mean = T.alloc_fragment::<f32>(32);
        let variance = T.alloc_fragment::<f32>(32);
        let weights = T.alloc_shared::<bf16>(128, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(norm2[(layer, 0, 0)], gain);
        T.copy(up[(layer, 0, b * 32)], weights);
        T.copy(x[(0, 0)], rows);
        T.reduce_mean(rows, mean, dim = 1);
        for (i, j) in T.Parallel(32, 128) {
            rows[(i, j)] -= mean[i];
        }
        for (i, j) in T.Parallel(32, 128) {
            squares[(i, j)] = rows[(i, j)].square();
        }
        T.reduce_mean(squares, variance, dim = 1);
        for i in T.Parallel(32) {
            variance[i] = (variance[i] + EPS).rsqrt();
        }
        for (i, j) in T.Parallel(32, 128) {
            rows[(i, j)] *= variance[i] * gain[(0, j)];
        }
        T.gemm(rows, weights, acc, clear_accum = true);
        for (i, j) in T.Parallel(32, 32) {
            hidden[(i, b * 32 + j)] = acc[(i, j)].gelu_tanh();
        }
    }
    // What they come to, added.
    {
        let b = T.Kernel(4);
        let rows = T.alloc_shared::<f32>(32, 512);
        let weights = T.alloc_shared::<bf16>(512, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(hidden[(0, 0)], rows);
        T.copy(down[(layer, 0, b * 32)], weights);
        T.gemm(rows, weights, acc, clear_accum = true);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, b * 32 + j)] += acc[(i, j)];
        }
    }
    // Behind the last layer: layer norm of the last token, its product with every row of the table, and the largest of these.
    {
        let _one = T.Kernel(if layer + 1 == L { 1 } else { 0 });
        let row = T.alloc_shared::<f32>(1, 128);
        let squares = T.alloc_fragment::<f32>(1, 128);
        let mean = T.alloc_fragment::<f32>(1);
        let variance = T.alloc_fragment::<f32>(1);
        let table = T.alloc_shared::<bf16>(64, 128);
        let acc = T.alloc_fragment::<f32>(1, 64);
        let place = T.alloc_fragment::<i32>(1);
        T.copy(embedding[(0, 0)], table);
        T.copy(x[(M - 1, 0)], row);
        T.reduce_mean(row, mean, dim = 1);
        for (i, j) in T.Parallel(1, 128) {
            row[(i, j)] -= mean[i];
        }
        for (i, j) in T.Parallel(1, 128) {
            squares[(i, j)] = row[(i, j)].square();
        }
        T.reduce_mean(squares, variance, dim = 1);
        for i in T.Parallel(1) {
            variance[i] = (variance[i] + EPS).rsqrt();
        }
        for (i, j) in T.Parallel(1, 128) {
            row[(i, j)] *= variance[i] * norm[(i, j)];
        }
        T.gemm(row, table, acc, transpose_b = true, clear_accum = true);
        T.reduce_argmax(acc, _, place, dim = 1);
        T.copy(acc, logits[(0, 0)]);
        T.copy(place, next[0]);
    }
}
