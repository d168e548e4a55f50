//! Flash attention, forward and backward: softmax(q kᵀ / √d) v without ever holding the matrix of scores. Causal, with heads of
//! queries that share heads of keys, and a length for every request, read from a tensor.
//!
//!     cargo run --release --example flash_attention

mod support;

use std::process::ExitCode;
use support::{exact, example, is_near, numbers};
use tt::prelude::*;

/// `G` heads of queries to each of `H` heads of keys and values. Queries and keys from `lengths[b]` on are left out, and what
/// would be stored for them stays as it was. `lse` is the logarithm of each row's sum, which the way back needs.
#[tt::kernel]
fn forward<const B: usize, const H: usize, const G: usize, const S: usize>(
    q: &Tensor<bf16, B, H, G, S, 64>,
    k: &Tensor<bf16, B, H, S, 64>,
    v: &Tensor<bf16, B, H, S, 64>,
    lengths: &Tensor<i32, B>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, G, S, 64>,
    lse: &mut Tensor<f32, B, H, G, S>,
) {
    let (block, g, h, b) = T.Kernel(S.div_ceil(64), G, H, B);
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

    let length = lengths[b].min(S);
    let rows = (length - block * 64).clamp(0, 64);
    T.copy(q[(b, h, g, block * 64..block * 64 + rows, 0..64)], queries);
    T.clear(acc);
    T.clear(total);
    T.fill(most, f32::NEG_INFINITY);
    for r in T.Pipelined((block * 64 + rows).div_ceil(64), num_stages = 2) {
        T.copy(k[(b, h, r * 64, 0)], keys);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = if r * 64 + j <= block * 64 + i && r * 64 + j < length {
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
        T.copy(v[(b, h, r * 64, 0)], values);
        T.gemm(weights, values, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] /= total[i];
    }
    for i in T.Parallel(64) {
        total[i] = most[i] + total[i].log();
    }
    T.copy(acc, out[(b, h, g, block * 64..block * 64 + rows, 0..64)]);
    T.copy(total, lse[(b, h, g, block * 64)]);
}

/// The gradients of `q`, `k` and `v` from that of the output, in three stages: the sums of each row, then keys and values over
/// all queries after them, then queries over all keys before them.
#[tt::kernel]
fn backward<const B: usize, const H: usize, const S: usize>(
    q: &Tensor<bf16, B, H, S, 64>,
    k: &Tensor<bf16, B, H, S, 64>,
    v: &Tensor<bf16, B, H, S, 64>,
    out: &Tensor<bf16, B, H, S, 64>,
    lse: &Tensor<f32, B, H, S>,
    gradient: &Tensor<bf16, B, H, S, 64>,
    scale: f32,
    dq: &mut Tensor<bf16, B, H, S, 64>,
    dk: &mut Tensor<bf16, B, H, S, 64>,
    dv: &mut Tensor<bf16, B, H, S, 64>,
) {
    let delta = T.alloc_global::<f32>(B, H, S);
    {
        let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
        let o = T.alloc_shared::<bf16>(64, 64);
        let product = T.alloc_fragment::<f32>(64, 64);
        let sums = T.alloc_fragment::<f32>(64);
        T.copy(out[(b, h, block * 64, 0)], o);
        for (i, j) in T.Parallel(64, 64) {
            product[(i, j)] = o[(i, j)] * gradient[(b, h, block * 64 + i, j)];
        }
        T.reduce_sum(product, sums, dim = 1);
        T.copy(sums, delta[(b, h, block * 64)]);
    }
    {
        let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
        let keys = T.alloc_shared::<bf16>(64, 64);
        let values = T.alloc_shared::<bf16>(64, 64);
        let queries = T.alloc_shared::<bf16>(64, 64);
        let gradients = T.alloc_shared::<bf16>(64, 64);
        let sums = T.alloc_shared::<f32>(64);
        let deltas = T.alloc_shared::<f32>(64);
        let scores = T.alloc_fragment::<f32>(64, 64);
        let slopes = T.alloc_fragment::<f32>(64, 64);
        let weights = T.alloc_shared::<bf16>(64, 64);
        let of_scores = T.alloc_shared::<bf16>(64, 64);
        let dk_acc = T.alloc_fragment::<f32>(64, 64);
        let dv_acc = T.alloc_fragment::<f32>(64, 64);
        T.copy(k[(b, h, block * 64, 0)], keys);
        T.copy(v[(b, h, block * 64, 0)], values);
        T.clear(dk_acc);
        T.clear(dv_acc);
        for r in T.Pipelined(block..S.div_ceil(64), num_stages = 2) {
            T.copy(q[(b, h, r * 64, 0)], queries);
            T.copy(gradient[(b, h, r * 64, 0)], gradients);
            T.copy(lse[(b, h, r * 64)], sums);
            T.copy(delta[(b, h, r * 64)], deltas);
            T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
            T.gemm(gradients, values, slopes, transpose_b = true, clear_accum = true);
            for (i, j) in T.Parallel(64, 64) {
                weights[(i, j)] = if block * 64 + j <= r * 64 + i {
                    (scores[(i, j)] * scale - sums[i]).exp()
                } else {
                    0.0
                };
                of_scores[(i, j)] = weights[(i, j)] * (slopes[(i, j)] - deltas[i]) * scale;
            }
            T.gemm(weights, gradients, dv_acc, transpose_a = true);
            T.gemm(of_scores, queries, dk_acc, transpose_a = true);
        }
        T.copy(dk_acc, dk[(b, h, block * 64, 0)]);
        T.copy(dv_acc, dv[(b, h, block * 64, 0)]);
    }
    {
        let (block, h, b) = T.Kernel(S.div_ceil(64), H, B);
        let keys = T.alloc_shared::<bf16>(64, 64);
        let values = T.alloc_shared::<bf16>(64, 64);
        let queries = T.alloc_shared::<bf16>(64, 64);
        let gradients = T.alloc_shared::<bf16>(64, 64);
        let sums = T.alloc_shared::<f32>(64);
        let deltas = T.alloc_shared::<f32>(64);
        let scores = T.alloc_fragment::<f32>(64, 64);
        let slopes = T.alloc_fragment::<f32>(64, 64);
        let of_scores = T.alloc_shared::<bf16>(64, 64);
        let acc = T.alloc_fragment::<f32>(64, 64);
        T.copy(q[(b, h, block * 64, 0)], queries);
        T.copy(gradient[(b, h, block * 64, 0)], gradients);
        T.copy(lse[(b, h, block * 64)], sums);
        T.copy(delta[(b, h, block * 64)], deltas);
        T.clear(acc);
        for r in T.Pipelined(block + 1, num_stages = 2) {
            T.copy(k[(b, h, r * 64, 0)], keys);
            T.copy(v[(b, h, r * 64, 0)], values);
            T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
            T.gemm(gradients, values, slopes, transpose_b = true, clear_accum = true);
            for (i, j) in T.Parallel(64, 64) {
                of_scores[(i, j)] = if r * 64 + j <= block * 64 + i {
                    (scores[(i, j)] * scale - sums[i]).exp() * (slopes[(i, j)] - deltas[i]) * scale
                } else {
                    0.0
                };
            }
            T.gemm(of_scores, keys, acc);
        }
        T.copy(acc, dq[(b, h, block * 64, 0)]);
    }
}

const D: usize = 64;

fn main() -> ExitCode {
    example(|device| Ok(forwards(device)? & backwards(device)?))
}

/// The softmax of row `i` of a matrix of queries and keys, up to the diagonal, and the logarithm of its sum.
fn weights(q: &[f64], k: &[f64], i: usize, scale: f64) -> (Vec<f64>, f64) {
    let score = |j: usize| (0..D).map(|d| q[i * D + d] * k[j * D + d]).sum::<f64>() * scale;
    let scores: Vec<f64> = (0..=i).map(score).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let lse = most + scores.iter().map(|score| (score - most).exp()).sum::<f64>().ln();
    (scores.iter().map(|score| (score - lse).exp()).collect(), lse)
}

fn forwards(device: &Device) -> tt::Result<bool> {
    let scale = 1.0 / (D as f32).sqrt();
    let mut is_right = true;
    for (h, g, s, lengths) in [
        (2, 1, 256, vec![256]),
        (1, 4, 100, vec![100, 37, 64]),
        (1, 1, 33, vec![1]),
    ] {
        let b = lengths.len();
        let [q_host, k_host, v_host] =
            [(h * g, 1), (h, 2), (h, 3)].map(|(heads, seed)| numbers(b * heads * s * D, seed));
        let q = device.upload(&q_host, [b, h, g, s, D])?;
        let k = device.upload(&k_host, [b, h, s, D])?;
        let v = device.upload(&v_host, [b, h, s, D])?;
        let of_requests = device.upload(&lengths, [b])?;
        let mut out = device.zeros::<bf16>([b, h, g, s, D])?;
        let mut lse = device.zeros::<f32>([b, h, g, s])?;
        forward(&q, &k, &v, &of_requests, scale, &mut out, &mut lse).run()?;
        let (q, k, v) = (exact(&q_host), exact(&k_host), exact(&v_host));
        let found_sums = lse.download()?;
        let (mut sums, mut exact_sums) = (Vec::new(), Vec::new());
        let mut expected = vec![0.0; out.shape().iter().product()];
        for (matrix, rows) in expected.chunks_mut(s * D).enumerate() {
            let (of_keys, request) = (matrix / g, matrix / (g * h));
            let [k, v] = [&k, &v].map(|of| &of[of_keys * s * D..][..s * D]);
            for i in 0..lengths[request] as usize {
                let (weights, sum) = weights(&q[matrix * s * D..], k, i, f64::from(scale));
                sums.push(f64::from(found_sums[matrix * s + i]));
                exact_sums.push(sum);
                for d in 0..D {
                    rows[i * D + d] = weights.iter().enumerate().map(|(j, w)| w * v[j * D + d]).sum();
                }
            }
        }
        let found = out.download()?;
        let what = format!("causal attention, {b} × {h} × {g} heads, lengths {lengths:?} of {s}");
        is_right &= is_near(&what, found.iter().map(|x| x.to_f64()), &expected, 2e-2);
        is_right &= is_near("the logarithms of its sums", sums, &exact_sums, 2e-2);
    }
    Ok(is_right)
}

fn backwards(device: &Device) -> tt::Result<bool> {
    let scale = 1.0 / (D as f32).sqrt();
    let mut is_right = true;
    for (b, h, s) in [(1, 2, 128), (2, 1, 77)] {
        let hosts = [1, 2, 3, 4].map(|seed| numbers(b * h * s * D, seed));
        let [q, k, v, gradient] = hosts.each_ref().map(|host| exact(host));
        let [mut dq, mut dk, mut dv] = [(); 3].map(|()| vec![0.0; b * h * s * D]);
        let (mut out, mut sums) = (vec![0.0; b * h * s * D], vec![0.0; b * h * s]);
        let factor = f64::from(scale);
        for matrix in 0..b * h {
            let of = |all: &[f64]| all[matrix * s * D..][..s * D].to_vec();
            let (q, k, v, gradient) = (of(&q), of(&k), of(&v), of(&gradient));
            let first = matrix * s * D;
            for i in 0..s {
                let (weights, lse) = weights(&q, &k, i, factor);
                sums[matrix * s + i] = lse;
                for d in 0..D {
                    out[first + i * D + d] = weights.iter().enumerate().map(|(j, w)| w * v[j * D + d]).sum();
                }
                let slope = |j: usize| (0..D).map(|d| gradient[i * D + d] * v[j * D + d]).sum::<f64>();
                let mean: f64 = weights.iter().enumerate().map(|(j, w)| w * slope(j)).sum();
                for (j, weight) in weights.iter().enumerate() {
                    let of_score = weight * (slope(j) - mean) * factor;
                    for d in 0..D {
                        dv[first + j * D + d] += weight * gradient[i * D + d];
                        dk[first + j * D + d] += of_score * q[i * D + d];
                        dq[first + i * D + d] += of_score * k[j * D + d];
                    }
                }
            }
        }
        let [q, k, v, gradient] = hosts.each_ref().map(|host| device.upload(host, [b, h, s, D]));
        let narrow: Vec<bf16> = out.iter().map(|x| bf16::from_f64(*x)).collect();
        let lse: Vec<f32> = sums.iter().map(|sum| *sum as f32).collect();
        let out = device.upload(&narrow, [b, h, s, D])?;
        let lse = device.upload(&lse, [b, h, s])?;
        let [found_q, found_k, found_v] = [(); 3].map(|()| device.zeros::<bf16>([b, h, s, D]));
        let (mut found_q, mut found_k, mut found_v) = (found_q?, found_k?, found_v?);
        backward(
            &q?,
            &k?,
            &v?,
            &out,
            &lse,
            &gradient?,
            scale,
            &mut found_q,
            &mut found_k,
            &mut found_v,
        )
        .run()?;
        for (what, found, expected) in [
            ("queries", &found_q, &dq),
            ("keys", &found_k, &dk),
            ("values", &found_v, &dv),
        ] {
            let what = format!("gradient of {what}, {b} × {h} × {s}");
            let found = found.download()?;
            is_right &= is_near(&what, found.iter().map(|x| x.to_f64()), expected, 3e-2);
        }
    }
    Ok(is_right)
}
