//! Turns of loops that a mask empties: they move nothing, and nothing is lost.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Softmax of scores over the keys before each query, and before `n`, times values.
#[tt::kernel]
fn attention<const S: usize>(
    q: &Tensor<bf16, S, 32>,
    k: &Tensor<bf16, S, 32>,
    v: &Tensor<bf16, S, 32>,
    n: i32,
    out: &mut Tensor<f32, S, 32>,
) {
    let b = T.Kernel(S.div_ceil(32));
    let queries = T.alloc_shared::<bf16>(32, 32);
    let keys = T.alloc_shared::<bf16>(32, 32);
    let scores = T.alloc_fragment::<f32>(32, 32);
    let weights = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let before = T.alloc_fragment::<f32>(32);
    let most = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.copy(q[(b * 32, 0)], queries);
    T.clear(acc);
    T.clear(total);
    T.fill(most, f32::NEG_INFINITY);
    for r in T.Pipelined(S.div_ceil(32), num_stages = 2) {
        T.copy(k[(r * 32, 0)], keys);
        T.gemm(queries, keys, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(32, 32) {
            scores[(i, j)] = if r * 32 + j <= b * 32 + i && r * 32 + j < n {
                scores[(i, j)]
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 32) {
            weights[(i, j)] = (scores[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(weights, part, dim = 1);
        for i in T.Parallel(32) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
        for (i, j) in T.Parallel(32, 32) {
            acc[(i, j)] *= (before[i] - most[i]).exp();
        }
        T.copy(v[(r * 32, 0)], keys);
        T.gemm(weights, keys, acc);
    }
    for (i, j) in T.Parallel(32, 32) {
        acc[(i, j)] /= total[i];
    }
    T.copy(acc, out[(b * 32, 0)]);
}

/// What plain loops make of it.
fn attended(q: &[f32], k: &[f32], v: &[f32], n: usize) -> Vec<f64> {
    let (rows, of) = (q.len() / 32, |values: &[f32], row: usize, at: usize| {
        f64::from(values[row * 32 + at])
    });
    let mut out = Vec::new();
    for i in 0..rows {
        let keys = (i + 1).min(n);
        let scores: Vec<f64> = (0..keys)
            .map(|j| (0..32).map(|d| of(q, i, d) * of(k, j, d)).sum())
            .collect();
        let most = scores.iter().fold(f64::NEG_INFINITY, |most, score| most.max(*score));
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        out.extend((0..32).map(|d| (0..keys).map(|j| weights[j] * of(v, j, d)).sum::<f64>() / total));
    }
    out
}

#[test]
fn keys_after_a_query_are_not_even_read() {
    for (s, n) in [(32, 32), (256, 256), (200, 200), (256, 40), (193, 65), (200, 1)] {
        let values = |seed: usize| -> Vec<bf16> {
            let number = |at: usize| ((at * seed % 29) as f32 - 14.0) / 32.0;
            (0..s * 32).map(|at| bf16::from_f32(number(at))).collect()
        };
        let [q, k, v] = [7, 11, 13].map(values);
        let wide = |of: &[bf16]| of.iter().map(|x| x.to_f32()).collect::<Vec<_>>();
        let wanted = attended(&wide(&q), &wide(&k), &wide(&v), n);
        on_both_chips(|device| {
            let [q, k, v] = [&q, &k, &v].map(|values| device.upload(values, [s, 32]));
            let (q, k, v) = (q?, k?, v?);
            let mut out = device.zeros::<f32>([s, 32])?;
            let profile = attention(&q, &k, &v, n as i32, &mut out).profile()?;
            for (at, (got, wanted)) in out.download()?.into_iter().zip(&wanted).enumerate() {
                assert!(
                    (f64::from(got) - wanted).abs() < 0.01,
                    "{s}, {n}, {at}: {got}, not {wanted}"
                );
            }
            let blocks = s.div_ceil(32);
            let turns: usize = (0..blocks).map(|b| (b + 1).min(n.div_ceil(32))).sum();
            let read: u64 = profile
                .counters
                .expect("the emulator counts")
                .total
                .dram_read_bytes
                .iter()
                .sum();
            assert_eq!(read, ((blocks + 2 * turns) * 32 * 32 * 2) as u64, "{s}, {n}");
            Ok(())
        });
    }
}

/// What is left out of a product is 0, behind another loop, a branch and a count that is known at launch.
#[tt::kernel(split = off)]
fn lower<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    x: &Tensor<f32, N, 32>,
    n: i32,
    y: &mut Tensor<f32, M, 32>,
) {
    let b = T.Kernel(M.div_ceil(32));
    let left = T.alloc_shared::<f32>(32, 32);
    let right = T.alloc_shared::<f32>(32, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for half in 0..2 {
        for c in half..n {
            if c % 2 == half {
                for (i, j) in T.Parallel(32, 32) {
                    left[(i, j)] = if b * 32 + i < c * 32 + j {
                        0.0
                    } else {
                        a[(b * 32 + i, c * 32 + j)]
                    };
                }
                T.copy(x[(c * 32, 0)], right);
                T.gemm(left, right, sums);
            }
        }
    }
    T.copy(sums, y[(b * 32, 0)]);
}

#[test]
fn the_upper_half_of_a_matrix_is_not_multiplied() {
    for (m, n) in [(64, 96), (100, 100), (33, 200), (200, 33)] {
        let number = |at: usize| (at * 5 % 11) as f32 - 5.0;
        let a: Vec<f32> = (0..m * n).map(number).collect();
        let x: Vec<f32> = (0..n * 32).map(|at| number(at + 3)).collect();
        let element = |at: usize| {
            let terms = (0..n.min(at / 32 + 1)).map(|l| a[at / 32 * n + l] * x[l * 32 + at % 32]);
            terms.sum::<f32>()
        };
        let wanted: Vec<f32> = (0..m * 32).map(element).collect();
        on_both_chips(|device| {
            let (a, x) = (device.upload(&a, [m, n])?, device.upload(&x, [n, 32])?);
            let mut y = device.zeros::<f32>([m, 32])?;
            let profile = lower(&a, &x, n.div_ceil(32) as i32, &mut y).profile()?;
            assert!(y.download()? == wanted, "{m} x {n}");
            let turns: usize = (0..m.div_ceil(32)).map(|b| (b + 1).min(n.div_ceil(32))).sum();
            let read: u64 = profile
                .counters
                .expect("the emulator counts")
                .total
                .dram_read_bytes
                .iter()
                .sum();
            assert_eq!(read, (2 * turns * 32 * 32 * 4) as u64, "{m} x {n}");
            Ok(())
        });
    }
}
