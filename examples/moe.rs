//! A layer of a mixture of experts on the device, from the gate to the sum, in five stages of one kernel:
//!
//! 1. the gate: scores of 32 tokens for all experts, their two largest, and a softmax of these two as weights;
//! 2. places: how many chose the same expert before, of 32 tokens the first choices and then the second ones. A block of zeros and ones, a row for a token and a column
//!    for an expert, times a lower triangle of ones has them all, exactly; one core does that for all tokens, 32 at a time;
//! 3. dispatch: the row of every token is moved to its place among the rows of each of its two experts;
//! 4. the experts: a product for each expert and 32 of its rows, where it has that many;
//! 5. combine: the two rows of every token come back, and are added by their weights.
//!
//! An expert takes `capacity` tokens, in the order of stage 2; the tokens beyond get nothing of it. `experts.rs` has the products with
//! nothing lost, for rows that the host sorted. Integers that a stage stores are offsets and counts of the stages after it; the
//! host learns none of them.
//!
//!     cargo run --release --example moe

mod support;

use std::process::ExitCode;
use support::{Bound, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// At most 32 experts, `E`.
#[tt::kernel]
fn mixture<const M: usize, const K: usize, const N: usize, const E: usize>(
    x: &Tensor<bf16, M, K>,
    gate: &Tensor<bf16, K, E>,
    weights: &Tensor<bf16, E, K, N>,
    capacity: u32,
    y: &mut Tensor<bf16, M, N>,
) {
    let chosen = T.alloc_global::<i32>(2, M);
    let place = T.alloc_global::<i32>(2, M);
    let rows = T.alloc_global::<bf16>(E, capacity, K);
    let share = T.alloc_global::<f32>(2, M);
    let counts = T.alloc_global::<i32>(E);
    let out = T.alloc_global::<bf16>(E, capacity, N);
    {
        let by = T.Kernel(M.div_ceil(32));
        T.assert(E <= 32);
        let tokens = T.alloc_shared::<bf16>(32, 64);
        let gates = T.alloc_shared::<bf16>(64, 32);
        let score = T.alloc_fragment::<f32>(32, 32);
        let most = T.alloc_fragment::<f32>(32);
        let next = T.alloc_fragment::<f32>(32);
        let first = T.alloc_fragment::<i32>(32);
        let second = T.alloc_fragment::<i32>(32);
        T.clear(score);
        for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
            T.copy(x[(by * 32, k * 64)], tokens);
            T.copy(gate[(k * 64, 0)], gates);
            T.gemm(tokens, gates, score);
        }
        for (i, j) in T.Parallel(32, 32) {
            score[(i, j)] = if j < E { score[(i, j)] } else { f32::NEG_INFINITY };
        }
        T.reduce_argmax(score, most, first, dim = 1);
        for (i, j) in T.Parallel(32, 32) {
            score[(i, j)] = if j == first[i] {
                f32::NEG_INFINITY
            } else {
                score[(i, j)]
            };
        }
        T.reduce_argmax(score, next, second, dim = 1);
        for i in T.Parallel(32) {
            next[i] = (next[i] - most[i]).exp();
            most[i] = 1.0 / (1.0 + next[i]);
            next[i] *= most[i];
        }
        T.copy(first, chosen[(0, by * 32)]);
        T.copy(second, chosen[(1, by * 32)]);
        T.copy(most, share[(0, by * 32)]);
        T.copy(next, share[(1, by * 32)]);
    }
    {
        let _ = T.Kernel(1);
        let expert = T.alloc_shared::<i32>(32);
        let ones = T.alloc_fragment::<bf16>(32, 32);
        let triangle = T.alloc_fragment::<bf16>(32, 32);
        let before = T.alloc_fragment::<f32>(32, 32);
        let own = T.alloc_fragment::<f32>(32);
        let at = T.alloc_fragment::<i32>(32);
        let taken = T.alloc_fragment::<f32>(32);
        let count = T.alloc_fragment::<i32>(32);
        for (i, j) in T.Parallel(32, 32) {
            triangle[(i, j)] = if j < i { 1.0 } else { 0.0 };
        }
        T.clear(taken);
        for turn in 0..2 * M.div_ceil(32) {
            let slot = turn % 2;
            T.copy(chosen[(slot, turn / 2 * 32)], expert);
            for (i, j) in T.Parallel(32, 32) {
                ones[(i, j)] = if turn / 2 * 32 + i < M && j == expert[i] {
                    1.0
                } else {
                    0.0
                };
            }
            T.gemm(triangle, ones, before, clear_accum = true);
            for (i, j) in T.Parallel(32, 32) {
                before[(i, j)] = if j == expert[i] { before[(i, j)] + taken[j] } else { 0.0 };
            }
            T.reduce_sum(before, own, dim = 1);
            for i in T.Parallel(32) {
                at[i] = own[i] as i32;
            }
            T.copy(at, place[(slot, turn / 2 * 32)]);
            T.reduce_sum(ones, taken, dim = 0, clear = false);
        }
        for i in T.Parallel(32) {
            count[i] = taken[i] as i32;
        }
        T.copy(count, counts[0]);
    }
    {
        let (bx, token) = T.Kernel(K.div_ceil(256), M);
        let row = T.alloc_shared::<bf16>(1, 256);
        T.copy(x[(token, bx * 256)], row);
        for slot in T.serial(2) {
            T.copy(row, rows[(chosen[(slot, token)], place[(slot, token)], bx * 256)]);
        }
    }
    {
        let (bx, by, e) = T.Kernel(N.div_ceil(64), capacity.div_ceil(32), E);
        let tokens = T.alloc_shared::<bf16>(32, 64);
        let block = T.alloc_shared::<bf16>(64, 64);
        let acc = T.alloc_fragment::<f32>(32, 64);
        if by * 32 < counts[e] {
            T.clear(acc);
            for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
                T.copy(rows[(e, by * 32, k * 64)], tokens);
                T.copy(weights[(e, k * 64, bx * 64)], block);
                T.gemm(tokens, block, acc);
            }
            T.copy(acc, out[(e, by * 32, bx * 64)]);
        }
    }
    {
        let (bx, token) = T.Kernel(N.div_ceil(256), M);
        let row = T.alloc_shared::<bf16>(1, 256);
        let by = T.alloc_shared::<f32>(1, 1);
        let sum = T.alloc_fragment::<f32>(1, 256);
        T.clear(sum);
        for slot in T.serial(2) {
            T.copy(out[(chosen[(slot, token)], place[(slot, token)], bx * 256)], row);
            T.copy(share[(slot, token)], by);
            for (i, j) in T.Parallel(1, 256) {
                sum[(i, j)] += row[(i, j)] * by[(0, 0)];
            }
        }
        T.copy(sum, y[(token, bx * 256)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, k, n, experts, capacity) in [(64, 128, 64, 8, 32), (45, 70, 90, 5, 9), (3, 33, 260, 2, 64)] {
        let scaled = |count: usize, seed: usize| -> Vec<bf16> {
            let of = |x: &bf16| bf16::from_f32(x.to_f32() / (k as f32).sqrt());
            numbers(count, seed).iter().map(of).collect()
        };
        let (x_host, gate_host) = (numbers(m * k, 1), scaled(k * experts, 2));
        let weights_host = scaled(experts * k * n, 3);
        let x = device.upload(&x_host, [m, k])?;
        let gate = device.upload(&gate_host, [k, experts])?;
        let weights = device.upload(&weights_host, [experts, k, n])?;
        let mut y = device.zeros::<bf16>([m, n])?;
        let profile = mixture(&x, &gate, &weights, capacity, &mut y).profile()?;

        let (x, gate, weights) = (exact(&x_host), exact(&gate_host), exact(&weights_host));
        // The two experts of every token, and their weights.
        let choices = |token: usize| {
            let score = |e: usize| (0..k).map(|at| x[token * k + at] * gate[at * experts + e]).sum::<f64>();
            let mut scores: Vec<(f64, usize)> = (0..experts).map(|e| (score(e), e)).collect();
            scores.sort_by(|a, b| b.0.total_cmp(&a.0));
            let first = 1.0 / (1.0 + (scores[1].0 - scores[0].0).exp());
            [(scores[0].1, first), (scores[1].1, 1.0 - first)]
        };
        let of_tokens: Vec<_> = (0..m).map(choices).collect();
        let (mut taken, mut lost) = (vec![0; experts], 0);
        let mut expected = vec![0.0; m * n];
        for first in (0..m).step_by(32) {
            for (slot, token) in (0..2).flat_map(|slot| (first..m.min(first + 32)).map(move |token| (slot, token))) {
                let (e, share) = of_tokens[token][slot];
                taken[e] += 1;
                if taken[e] > capacity {
                    lost += 1;
                    continue;
                }
                for j in 0..n {
                    let of = |at: usize| x[token * k + at] * weights[(e * k + at) * n + j];
                    expected[token * n + j] += share * (0..k).map(of).sum::<f64>();
                }
            }
        }
        is_right &= is_within(
            &format!("{m} tokens, {experts} experts for {capacity} each, {lost} choices lost"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &Bound {
                limit: 8e-3,
                reason: "what experts give and their weighted sum are rounded to bf16, by up to 2⁻⁸ each",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
