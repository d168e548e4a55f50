//! Decoding: attention of one new token of every request over a cache of keys and values in pages. Which pages a request has, and
//! how many tokens, are tensors; nothing is copied together, and a request of few tokens costs few pages.
//!
//!     cargo run --release --example decode_attention

mod support;

use std::process::ExitCode;
use support::{exact, example, is_near, numbers};
use tt::prelude::*;

/// The work on one request and head is shared by `PARTS` blocks of the first stage, each with every `PARTS`th page; the second
/// puts together what they found. A page has 64 tokens of every head.
#[tt::kernel]
fn decode<const B: usize, const H: usize, const G: usize, const PAGES: usize, const P: usize>(
    q: &Tensor<bf16, B, H, G, 64>,
    keys: &Tensor<bf16, PAGES, H, 64, 64>,
    values: &Tensor<bf16, PAGES, H, 64, 64>,
    pages: &Tensor<i32, B, P>,
    lengths: &Tensor<i32, B>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, G, 64>,
) {
    const PARTS: usize = 4;
    let sums = T.alloc_global::<f32>(B, H, PARTS, G, 64);
    let most_of = T.alloc_global::<f32>(B, H, PARTS, G);
    let total_of = T.alloc_global::<f32>(B, H, PARTS, G);
    {
        let (part, head, request) = T.Kernel(PARTS, H, B);
        let queries = T.alloc_shared::<bf16>(32, 64);
        let k = T.alloc_shared::<bf16>(64, 64);
        let v = T.alloc_shared::<bf16>(64, 64);
        let weights = T.alloc_shared::<bf16>(32, 64);
        let scores = T.alloc_fragment::<f32>(32, 64);
        let acc = T.alloc_fragment::<f32>(32, 64);
        let before = T.alloc_fragment::<f32>(32);
        let most = T.alloc_fragment::<f32>(32);
        let more = T.alloc_fragment::<f32>(32);
        let total = T.alloc_fragment::<f32>(32);
        let length = lengths[request];
        T.copy(q[(request, head, 0, 0)], queries);
        T.clear(acc);
        T.clear(total);
        T.fill(most, -1e30);
        for turn in T.Pipelined((length.div_ceil(64) - part).div_ceil(PARTS), num_stages = 2) {
            let at = turn * PARTS + part;
            let page = pages[(request, at)];
            T.copy(keys[(page, head, 0, 0)], k);
            T.copy(values[(page, head, 0, 0)], v);
            T.gemm(queries, k, scores, transpose_b = true, clear_accum = true);
            for (i, j) in T.Parallel(32, 64) {
                scores[(i, j)] = if at * 64 + j < length {
                    scores[(i, j)] * scale
                } else {
                    f32::NEG_INFINITY
                };
            }
            T.copy(most, before);
            T.reduce_max(scores, most, dim = 1, clear = false);
            for (i, j) in T.Parallel(32, 64) {
                weights[(i, j)] = (scores[(i, j)] - most[i]).exp();
            }
            T.reduce_sum(weights, more, dim = 1);
            for i in T.Parallel(32) {
                total[i] = total[i] * (before[i] - most[i]).exp() + more[i];
            }
            for (i, j) in T.Parallel(32, 64) {
                acc[(i, j)] *= (before[i] - most[i]).exp();
            }
            T.gemm(weights, v, acc);
        }
        T.copy(acc, sums[(request, head, part, 0, 0)]);
        T.copy(most, most_of[(request, head, part, 0)]);
        T.copy(total, total_of[(request, head, part, 0)]);
    }
    {
        let (head, request) = T.Kernel(H, B);
        let acc = T.alloc_fragment::<f32>(32, 64);
        let most = T.alloc_fragment::<f32>(32);
        let total = T.alloc_fragment::<f32>(32);
        T.fill(most, -1e30);
        T.clear(acc);
        T.clear(total);
        for part in T.serial(PARTS) {
            for i in T.Parallel(32) {
                most[i] = most[i].max(most_of[(request, head, part, i)]);
            }
        }
        for part in T.serial(PARTS) {
            for i in T.Parallel(32) {
                total[i] += total_of[(request, head, part, i)] * (most_of[(request, head, part, i)] - most[i]).exp();
            }
            for (i, j) in T.Parallel(32, 64) {
                acc[(i, j)] += sums[(request, head, part, i, j)] * (most_of[(request, head, part, i)] - most[i]).exp();
            }
        }
        for (i, j) in T.Parallel(32, 64) {
            acc[(i, j)] /= total[i];
        }
        T.copy(acc, out[(request, head, 0, 0)]);
    }
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    const D: usize = 64;
    let (b, h, g, columns, count) = (4, 2, 4, 6, 16);
    let lengths = [1, 64, 201, 383];
    // A page after the last of a request is never looked at.
    let pages: [[i32; 6]; 4] = [
        [5, -1, -1, -1, -1, -1],
        [2, -1, -1, -1, -1, -1],
        [7, 0, 3, 6, -1, -1],
        [15, 1, 14, 4, 13, 8],
    ];
    let (q_host, k_host, v_host) = (
        numbers(b * h * g * D, 1),
        numbers(count * h * 64 * D, 2),
        numbers(count * h * 64 * D, 3),
    );
    let q = device.upload(&q_host, [b, h, g, D])?;
    let keys = device.upload(&k_host, [count, h, 64, D])?;
    let values = device.upload(&v_host, [count, h, 64, D])?;
    let table = device.upload(&pages.concat(), [b, columns])?;
    let of_requests = device.upload(&lengths, [b])?;
    let mut out = device.zeros::<bf16>([b, h, g, D])?;
    let scale = 1.0 / (D as f32).sqrt();
    decode(&q, &keys, &values, &table, &of_requests, scale, &mut out).run()?;

    let (q, k, v) = (exact(&q_host), exact(&k_host), exact(&v_host));
    let mut expected = Vec::new();
    for row in 0..b * h * g {
        let (head, request) = (row / g % h, row / (g * h));
        let token = |t: usize| ((pages[request][t / 64] as usize * h + head) * 64 + t % 64) * D;
        let score = |t: usize| (0..D).map(|d| q[row * D + d] * k[token(t) + d]).sum::<f64>() * f64::from(scale);
        let weights: Vec<f64> = (0..lengths[request] as usize).map(|t| score(t).exp()).collect();
        let total: f64 = weights.iter().sum();
        let of = |d: usize| {
            weights
                .iter()
                .enumerate()
                .map(|(t, w)| w * v[token(t) + d])
                .sum::<f64>()
                / total
        };
        expected.extend((0..D).map(of));
    }
    let found = out.download()?;
    let what = format!("decode attention, lengths {lengths:?}");
    Ok(is_near(&what, found.iter().map(|x| x.to_f64()), &expected, 2e-2))
}
