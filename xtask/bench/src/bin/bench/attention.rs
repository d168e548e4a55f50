//! Causal flash attention against the same language without the fusion: three kernels with the scores and the weights in DRAM
//! between them. Both leave out the blocks above the diagonal, and both read 64 queries at a time.

use crate::inputs::{fastest_in_turn, seconds, values};
use crate::table::Row;
use crate::traffic::{Traffic, traffic};
use crate::{Measured, Scale};
use tt::prelude::*;

/// softmax(scale · q kᵀ) v, for each query over the keys up to its own.
#[tt::kernel]
pub fn fused<const B: usize, const H: usize, const S: usize>(
    q: &Tensor<bf16, B, H, S, 64>,
    k: &Tensor<bf16, B, H, S, 64>,
    v: &Tensor<bf16, B, H, S, 64>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, S, 64>,
) {
    let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
    let queries = T.alloc_shared::<bf16>(64, 64);
    let keys = T.alloc_shared::<bf16>(64, 64);
    let values = T.alloc_shared::<bf16>(64, 64);
    let scores = T.alloc_fragment::<f32>(64, 64);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let before = T.alloc_fragment::<f32>(64);
    let most = T.alloc_fragment::<f32>(64);
    let rescale = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);
    T.copy(q[(b, h, block * 64, 0)], queries);
    T.clear(acc);
    T.clear(total);
    T.fill(most, f32::NEG_INFINITY);
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(k[(b, h, r * 64, 0)], keys);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = if r * 64 + j <= block * 64 + i {
                scores[(i, j)] * scale
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for i in T.Parallel(64) {
            rescale[i] = (before[i] - most[i]).exp();
        }
        for (i, j) in T.Parallel(64, 64) {
            weights[(i, j)] = (scores[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(weights, part, dim = 1);
        for i in T.Parallel(64) {
            total[i] = total[i] * rescale[i] + part[i];
        }
        for (i, j) in T.Parallel(64, 64) {
            acc[(i, j)] *= rescale[i];
        }
        T.copy(v[(b, h, r * 64, 0)], values);
        T.gemm(weights, values, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] /= total[i];
    }
    T.copy(acc, out[(b, h, block * 64, 0)]);
}

/// scale · q kᵀ up to the diagonal, and −∞ beyond it within its blocks; nothing is stored to the other blocks.
#[tt::kernel]
pub fn scores<const B: usize, const H: usize, const S: usize>(
    q: &Tensor<bf16, B, H, S, 64>,
    k: &Tensor<bf16, B, H, S, 64>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, S, S>,
) {
    let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
    let queries = T.alloc_shared::<bf16>(64, 64);
    let keys = T.alloc_shared::<bf16>(64, 64);
    let scores = T.alloc_fragment::<f32>(64, 64);
    T.copy(q[(b, h, block * 64, 0)], queries);
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(k[(b, h, r * 64, 0)], keys);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = if r * 64 + j <= block * 64 + i {
                scores[(i, j)] * scale
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(scores, out[(b, h, block * 64, r * 64)]);
    }
}

/// The softmax of each row, over its blocks up to the diagonal.
#[tt::kernel]
pub fn softmax<const B: usize, const H: usize, const S: usize>(
    x: &Tensor<bf16, B, H, S, S>,
    y: &mut Tensor<bf16, B, H, S, S>,
) {
    let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
    let scores = T.alloc_shared::<bf16>(64, 64);
    let e = T.alloc_fragment::<f32>(64, 64);
    let before = T.alloc_fragment::<f32>(64);
    let most = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(x[(b, h, block * 64, r * 64)], scores);
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(64, 64) {
            e[(i, j)] = (scores[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, part, dim = 1);
        for i in T.Parallel(64) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
    }
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(x[(b, h, block * 64, r * 64)], scores);
        for (i, j) in T.Parallel(64, 64) {
            e[(i, j)] = (scores[(i, j)] - most[i]).exp() / total[i];
        }
        T.copy(e, y[(b, h, block * 64, r * 64)]);
    }
}

/// p · v over the blocks of p up to the diagonal.
#[tt::kernel]
pub fn weighted<const B: usize, const H: usize, const S: usize>(
    p: &Tensor<bf16, B, H, S, S>,
    v: &Tensor<bf16, B, H, S, 64>,
    out: &mut Tensor<bf16, B, H, S, 64>,
) {
    let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let values = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for r in T.Pipelined(block + 1, num_stages = 2) {
        T.copy(p[(b, h, block * 64, r * 64)], weights);
        T.copy(v[(b, h, r * 64, 0)], values);
        T.gemm(weights, values, acc);
    }
    T.copy(acc, out[(b, h, block * 64, 0)]);
}

pub fn attention(scale: Scale) -> Measured {
    let (h, s) = if scale.quick { (2, 256) } else { (8, 2048) };
    let device = tt::Device::open()?;
    let upload = |seed| device.upload(&values(h * s * 64, seed), [1, h, s, 64]);
    let (q, k, v) = (upload(1)?, upload(2)?, upload(3)?);
    let mut out = device.zeros::<bf16>([1, h, s, 64])?;
    let mut stored = device.zeros::<bf16>([1, h, s, s])?;
    let mut weights = device.zeros::<bf16>([1, h, s, s])?;
    let mut unfused = device.zeros::<bf16>([1, h, s, 64])?;
    let of_scores = 0.125;

    let ours = traffic(&fused(&q, &k, &v, of_scores, &mut out).profile()?)?;
    let theirs: Traffic = [
        scores(&q, &k, of_scores, &mut stored).profile()?,
        softmax(&stored, &mut weights).profile()?,
        weighted(&weights, &v, &mut unfused).profile()?,
    ]
    .iter()
    .map(traffic)
    .sum::<Result<_, _>>()?;
    let far = out
        .download()?
        .iter()
        .zip(unfused.download()?)
        .map(|(a, b)| (a.to_f32() - b.to_f32()).abs())
        .fold(0.0, f32::max);
    if far.is_nan() || far > 2e-2 {
        return Err(format!("the two attentions differ by {far}").into());
    }

    let [fast, slow] = fastest_in_turn(
        5,
        [&mut || fused(&q, &k, &v, of_scores, &mut out).run(), &mut || {
            scores(&q, &k, of_scores, &mut stored).run()?;
            softmax(&stored, &mut weights).run()?;
            weighted(&weights, &v, &mut unfused).run()
        }],
    )?;
    let of_bytes = ours.bytes() as f64 / theirs.bytes() as f64;
    let of_time = fast.as_secs_f64() / slow.as_secs_f64();
    let what = format!("causal attention, {h} heads, {s} queries and keys of 64");
    Ok(vec![
        Row::new(
            format!("{what}: bytes from and to DRAM"),
            ours.to_string(),
            format!("three kernels: {theirs}"),
            format!("{:.0} %", of_bytes * 100.0),
            "at most 50 %",
            of_bytes <= 0.5,
        ),
        Row::new(
            format!("{what}: time"),
            seconds(fast),
            format!("three kernels: {}", seconds(slow)),
            format!("{:.0} %", of_time * 100.0),
            "less",
            of_time < 1.0,
        ),
    ])
}
