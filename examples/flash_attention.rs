//! Flash attention, causal: softmax(q kᵀ / √d) v over batch and heads, without ever holding the matrix of scores, for queries
//! and keys of any number. Blocks of keys after the last query of a block are not read.
//!
//!     cargo run --release --example flash_attention

use std::process::ExitCode;
use tt::prelude::*;

#[tt::kernel]
fn causal_attention<const B: usize, const H: usize, const S: usize>(
    q: &Tensor<bf16, B, H, S, 64>,
    k: &Tensor<bf16, B, H, S, 64>,
    v: &Tensor<bf16, B, H, S, 64>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, S, 64>,
) {
    let (block, head, batch) = T.Kernel(S.div_ceil(64), H, B);
    let queries = T.alloc_shared::<bf16>(64, 64);
    let keys = T.alloc_shared::<bf16>(64, 64);
    let values = T.alloc_shared::<bf16>(64, 64);
    let scores = T.alloc_fragment::<f32>(64, 64);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let before = T.alloc_fragment::<f32>(64);
    let most = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);

    T.copy(q[(batch, head, block * 64, 0)], queries);
    T.clear(acc);
    T.clear(total);
    T.fill(most, f32::NEG_INFINITY);
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(k[(batch, head, r * 64, 0)], keys);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = if r * 64 + j <= block * 64 + i && r * 64 + j < S {
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
        for (i, j) in T.Parallel(64, 64) {
            acc[(i, j)] *= (before[i] - most[i]).exp();
        }
        T.copy(v[(batch, head, r * 64, 0)], values);
        T.gemm(weights, values, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] /= total[i];
    }
    T.copy(acc, out[(batch, head, block * 64, 0)]);
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a result is not what plain loops say");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the kernel and tells whether the results are right.
fn run() -> tt::Result<bool> {
    const D: usize = 64;
    let device = tt::Device::open()?;
    println!("{device}");
    let scale = 1.0 / (D as f32).sqrt();
    let mut is_right = true;
    for (b, h, s) in [(1, 2, 256), (2, 1, 100), (1, 1, 33)] {
        let values = |step: usize| -> Vec<bf16> {
            (0..b * h * s * D)
                .map(|i| bf16::from_f32(((i * step + i / 64 * 13) % 257) as f32 / 64.0 - 2.0))
                .collect()
        };
        let (q, k, v) = (values(7), values(11), values(5));
        let [on_q, on_k, on_v] = [&q, &k, &v].map(|host| device.upload(host, [b, h, s, D]));
        let mut out = device.zeros::<bf16>([b, h, s, D])?;
        causal_attention(&on_q?, &on_k?, &on_v?, scale, &mut out).run()?;
        let got = out.download()?;
        let mut worst = 0.0f64;
        for (row, got) in got.chunks(D).enumerate() {
            let (matrix, i) = (row / s, row % s);
            let at = |of: &[bf16], j: usize, d: usize| of[(matrix * s + j) * D + d].to_f64();
            let score = |j: usize| (0..D).map(|d| at(&q, i, d) * at(&k, j, d)).sum::<f64>() * f64::from(scale);
            let most = (0..=i).map(score).fold(f64::MIN, f64::max);
            let weights: Vec<f64> = (0..=i).map(|j| (score(j) - most).exp()).collect();
            let total: f64 = weights.iter().sum();
            for (d, got) in got.iter().enumerate() {
                let exact = weights.iter().enumerate().map(|(j, w)| w * at(&v, j, d)).sum::<f64>() / total;
                worst = worst.max((got.to_f64() - exact).abs() / (1.0 + exact.abs()));
            }
        }
        println!("causal attention {b} × {h} × {s} × {D}: worst error {worst:.1e} of 2e-2");
        is_right &= worst <= 2e-2;
    }
    Ok(is_right)
}
