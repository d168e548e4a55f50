//! Block-sparse attention: softmax(q kᵀ / √d) v over the blocks of keys that a list names for every block of queries, as sliding
//! windows, global tokens or learned patterns make them.
//!
//! A block of the grid has 64 queries of one head and goes through its list: it reads a number, and the 64 keys and values that it
//! names, and updates the largest score, the sum under it and the results in L1 (online softmax). Blocks that no list names are
//! neither read nor multiplied, so time and traffic go by the length of the lists, not by S². Lists are tensors of
//! integers that differ from head to head and may have any order; a block of queries with an empty list gives zeros.
//!
//! Queries are read once, keys and values as often as lists name them; two of them are in flight.
//!
//!     cargo run --release --example block_sparse_attention

mod support;

use std::process::ExitCode;
use support::{Bound, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// `counts[h, b]` numbers of `lists[h, b]` are looked at. Heads have `D` columns, at most 128.
#[tt::kernel]
fn attention<const H: usize, const S: usize, const D: usize, const BLOCKS: usize, const L: usize>(
    q: &Tensor<bf16, H, S, D>,
    k: &Tensor<bf16, H, S, D>,
    v: &Tensor<bf16, H, S, D>,
    lists: &Tensor<i32, H, BLOCKS, L>,
    counts: &Tensor<i32, H, BLOCKS>,
    scale: f32,
    out: &mut Tensor<bf16, H, S, D>,
) {
    let (block, head) = T.Kernel(S.div_ceil(64), H);
    let queries = T.alloc_shared::<bf16>(64, 128);
    let keys = T.alloc_shared::<bf16>(64, 128);
    let values = T.alloc_shared::<bf16>(64, 128);
    let scores = T.alloc_fragment::<f32>(64, 64);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 128);
    let before = T.alloc_fragment::<f32>(64);
    let most = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);
    T.copy(q[(head, block * 64, 0)], queries);
    T.clear(acc);
    T.clear(total);
    T.fill(most, -1e30);
    for turn in T.Pipelined(counts[(head, block)], num_stages = 2) {
        let at = lists[(head, block, turn)];
        T.copy(k[(head, at * 64, 0)], keys);
        T.copy(v[(head, at * 64, 0)], values);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = if at * 64 + j < S {
                scores[(i, j)] * scale
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(64, 64) {
            weights[(i, j)] = (scores[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(weights, part, dim = 1);
        for i in T.Parallel(64) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
        for (i, j) in T.Parallel(64, 128) {
            acc[(i, j)] *= (before[i] - most[i]).exp();
        }
        T.gemm(weights, values, acc);
    }
    // A sum is at least 1, that of its largest score, where there is one.
    for (i, j) in T.Parallel(64, 128) {
        acc[(i, j)] /= total[i].max(0.5);
    }
    T.copy(acc, out[(head, block * 64, 0)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (h, s, d) in [(2, 256_usize, 64), (1, 200, 128), (3, 90, 40)] {
        let blocks = s.div_ceil(64);
        // The first block and a window of two, in turned order; the second block of the first head sees nothing.
        let list = |head: usize, block: usize| -> Vec<usize> {
            match (head, block) {
                (0, 1) => vec![],
                (_, 0) => vec![0],
                (_, 1) => vec![1, 0],
                _ => vec![block, block - 1, 0],
            }
        };
        let (q_host, k_host, v_host) = (numbers(h * s * d, 1), numbers(h * s * d, 2), numbers(h * s * d, 3));
        let (mut lists_host, mut counts_host) = (Vec::new(), Vec::new());
        for (head, block) in (0..h * blocks).map(|at| (at / blocks, at % blocks)) {
            let list = list(head, block);
            counts_host.push(list.len() as i32);
            // What lies beyond the count is never looked at.
            lists_host.extend((0..3).map(|at| list.get(at).map_or(-1, |at| *at as i32)));
        }
        let q = device.upload(&q_host, [h, s, d])?;
        let k = device.upload(&k_host, [h, s, d])?;
        let v = device.upload(&v_host, [h, s, d])?;
        let lists = device.upload(&lists_host, [h, blocks, 3])?;
        let counts = device.upload(&counts_host, [h, blocks])?;
        let mut out = device.zeros::<bf16>([h, s, d])?;
        let scale = 1.0 / (d as f32).sqrt();
        let profile = attention(&q, &k, &v, &lists, &counts, scale, &mut out).profile()?;

        let (q, k, v) = (exact(&q_host), exact(&k_host), exact(&v_host));
        let mut expected = Vec::new();
        for (head, row) in (0..h * s).map(|at| (at / s, at % s)) {
            let seen = list(head, row / 64);
            let keys: Vec<usize> = (0..s).filter(|key| seen.contains(&(key / 64))).collect();
            let score = |key: &usize| -> f64 {
                let at = |d_at: usize| q[(head * s + row) * d + d_at] * k[(head * s + key) * d + d_at];
                ((0..d).map(at).sum::<f64>() * f64::from(scale)).exp()
            };
            let weights: Vec<f64> = keys.iter().map(score).collect();
            let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            for column in 0..d {
                let of = |(key, w): (&usize, &f64)| w * v[(head * s + key) * d + column];
                expected.push(keys.iter().zip(&weights).map(of).sum::<f64>() / total);
            }
        }
        is_right &= is_within(
            &format!("{h} heads of {s} × {d}"),
            out.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &Bound {
                limit: 8e-3,
                reason: "weights and results are rounded to bf16, by up to 2⁻⁸ each, and results are means of values below 2",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
