//! Blocks whose extents are no multiples of 32, above a tile and below: against plain loops on both emulated chips. What their last
//! tiles have beyond the extents is never moved, stored, summed or reduced.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn values(count: usize, seed: usize) -> Vec<bf16> {
    let value = |at: usize| ((at + seed) * (7 + seed) % 9) as f64 - 4.0;
    (0..count).map(|at| bf16::from_f64(value(at))).collect()
}

/// The transpose of a matrix with so many rows and columns.
fn turned<E: Copy>(x: &[E], [rows, columns]: [usize; 2]) -> Vec<E> {
    (0..rows * columns)
        .map(|at| x[at % rows * columns + at / rows])
        .collect()
}

fn product(a: &[bf16], b: &[bf16], [m, k, n]: [usize; 3]) -> Vec<f32> {
    let element = |at: usize| {
        (0..k)
            .map(|p| a[at / n * k + p].to_f32() * b[p * n + at % n].to_f32())
            .sum()
    };
    (0..m * n).map(element).collect()
}

#[tt::kernel]
fn plain<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(80), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(48, 40);
    let y = T.alloc_shared::<bf16>(40, 80);
    let acc = T.alloc_fragment::<f32>(48, 80);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(40), num_stages = 2) {
        T.copy(a[(by * 48, k * 40)], x);
        T.copy(b[(k * 40, bx * 80)], y);
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 48, bx * 80)]);
}

#[tt::kernel]
fn left_turned<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, K, M>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(80), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(40, 48);
    let y = T.alloc_shared::<bf16>(40, 80);
    let acc = T.alloc_fragment::<f32>(48, 80);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(40), num_stages = 2) {
        T.copy(a[(k * 40, by * 48)], x);
        T.copy(b[(k * 40, bx * 80)], y);
        T.gemm(x, y, acc, transpose_a = true);
    }
    T.copy(acc, c[(by * 48, bx * 80)]);
}

#[tt::kernel]
fn right_turned<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, N, K>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(80), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(48, 40);
    let y = T.alloc_shared::<bf16>(80, 40);
    let acc = T.alloc_fragment::<f32>(48, 80);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(40), num_stages = 2) {
        T.copy(a[(by * 48, k * 40)], x);
        T.copy(b[(bx * 80, k * 40)], y);
        T.gemm(x, y, acc, transpose_b = true);
    }
    T.copy(acc, c[(by * 48, bx * 80)]);
}

#[tt::kernel]
fn both_turned<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, K, M>,
    b: &Tensor<bf16, N, K>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(80), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(40, 48);
    let y = T.alloc_shared::<bf16>(80, 40);
    let acc = T.alloc_fragment::<f32>(48, 80);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(40), num_stages = 2) {
        T.copy(a[(k * 40, by * 48)], x);
        T.copy(b[(bx * 80, k * 40)], y);
        T.gemm(x, y, acc, transpose_a = true, transpose_b = true);
    }
    T.copy(acc, c[(by * 48, bx * 80)]);
}

#[test]
fn products_sum_over_what_blocks_have() {
    for [m, k, n] in [[48, 40, 80], [97, 130, 161], [7, 39, 81], [96, 33, 64]] {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let expected = product(&a, &b, [m, k, n]);
        on_both_chips(|device| {
            let x = device.upload(&a, [m, k])?;
            let y = device.upload(&b, [k, n])?;
            let x_turned = device.upload(&turned(&a, [m, k]), [k, m])?;
            let y_turned = device.upload(&turned(&b, [k, n]), [n, k])?;
            let mut c = device.zeros::<f32>([m, n])?;
            plain(&x, &y, &mut c).check(0.0)?;
            assert_eq!(c.download()?, expected, "{m} × {k} × {n}");
            left_turned(&x_turned, &y, &mut c).check(0.0)?;
            assert_eq!(c.download()?, expected, "{m} × {k} × {n}, a turned");
            right_turned(&x, &y_turned, &mut c).check(0.0)?;
            assert_eq!(c.download()?, expected, "{m} × {k} × {n}, b turned");
            both_turned(&x_turned, &y_turned, &mut c).check(0.0)?;
            assert_eq!(c.download()?, expected, "{m} × {k} × {n}, both turned");
            Ok(())
        });
    }
}

/// Operands that are not zero beyond their extents, and sums of a sum: what is beyond never gets in.
#[tt::kernel]
fn computed_operands<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 80>,
    w: &Tensor<bf16, 80, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(36), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(48, 80);
    let y = T.alloc_shared::<bf16>(80, 36);
    let acc = T.alloc_fragment::<f32>(48, 36);
    let again = T.alloc_fragment::<f32>(48, 36);
    let square = T.alloc_shared::<f32>(48, 48);
    T.copy(a[(by * 48, 0)], x);
    T.copy(w[(0, bx * 36)], y);
    for (i, j) in T.Parallel(48, 80) {
        x[(i, j)] += 1.0;
    }
    for (i, j) in T.Parallel(80, 36) {
        y[(i, j)] = 2.0 - y[(i, j)];
    }
    T.gemm(x, y, acc, clear_accum = true);
    T.fill(square, 1.0);
    T.gemm(square, acc, again, clear_accum = true);
    T.copy(again, c[(by * 48, bx * 36)]);
}

#[test]
fn what_lies_beyond_an_extent_is_not_multiplied() {
    for [m, n] in [[48, 36], [50, 100], [1, 1]] {
        let (a, w) = (values(m * 80, 3), values(80 * n, 4));
        let one = |i: usize, j: usize| -> f32 {
            let at = |k: usize| (a[i * 80 + k].to_f32() + 1.0) * (2.0 - w[k * n + j].to_f32());
            (0..80).map(at).sum()
        };
        let expected = (0..m * n).map(|at| {
            let first = at / n / 48 * 48;
            (first..m.min(first + 48)).map(|i| one(i, at % n)).sum()
        });
        let expected: Vec<f32> = expected.collect();
        on_both_chips(|device| {
            let a = device.upload(&a, [m, 80])?;
            let w = device.upload(&w, [80, n])?;
            let mut c = device.zeros::<f32>([m, n])?;
            computed_operands(&a, &w, &mut c).check(1e-6)?;
            for (place, (found, expected)) in c.download()?.iter().zip(&expected).enumerate() {
                assert!(
                    (found - expected).abs() <= 1e-3 * expected.abs(),
                    "{place}: {found}, {expected}"
                );
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn reduced<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    rows: &mut Tensor<f32, M, { N.div_ceil(80) }>,
    columns: &mut Tensor<f32, { M.div_ceil(48) }, N>,
    all: &mut Tensor<f32, { M.div_ceil(48) }, { N.div_ceil(80) }>,
    least: &mut Tensor<f32, M, { N.div_ceil(80) }>,
    places: &mut Tensor<i32, M, { N.div_ceil(80) }>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(80), M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(48, 80);
    let e = T.alloc_fragment::<f32>(48, 80);
    let row = T.alloc_fragment::<f32>(48, 1);
    let column = T.alloc_fragment::<f32>(1, 80);
    let one = T.alloc_fragment::<f32>(1, 1);
    let low = T.alloc_fragment::<f32>(48, 1);
    let place = T.alloc_fragment::<i32>(48, 1);
    T.copy(a[(by * 48, bx * 80)], x);
    for (i, j) in T.Parallel(48, 80) {
        e[(i, j)] = x[(i, j)] + 100.0;
    }
    T.reduce_sum(e, row, dim = 1);
    T.reduce_max(e, column, dim = 0);
    T.reduce_sum(e, one, dim = (0, 1));
    T.reduce_argmin(e, low, place, dim = 1);
    T.copy(row, rows[(by * 48..by * 48 + 48, bx..bx + 1)]);
    T.copy(column, columns[(by..by + 1, bx * 80..bx * 80 + 80)]);
    T.copy(one, all[(by, bx)]);
    T.copy(low, least[(by * 48..by * 48 + 48, bx..bx + 1)]);
    T.copy(place, places[(by * 48..by * 48 + 48, bx..bx + 1)]);
}

#[test]
fn reductions_are_of_what_blocks_have() {
    for [m, n] in [[48, 80], [100, 200], [5, 33]] {
        let host = values(m * n, 5);
        let at = |i: usize, j: usize| host[i * n + j].to_f32() + 100.0;
        let (down, across) = (m.div_ceil(48), n.div_ceil(80));
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let mut rows = device.zeros::<f32>([m, across])?;
            let mut columns = device.zeros::<f32>([down, n])?;
            let mut all = device.zeros::<f32>([down, across])?;
            let mut least = device.zeros::<f32>([m, across])?;
            let mut places = device.zeros::<i32>([m, across])?;
            reduced(&a, &mut rows, &mut columns, &mut all, &mut least, &mut places).check(0.0)?;
            let (rows, columns, all) = (rows.download()?, columns.download()?, all.download()?);
            let (least, places) = (least.download()?, places.download()?);
            for by in 0..down {
                for bx in 0..across {
                    let (is, js) = (by * 48..m.min(by * 48 + 48), bx * 80..n.min(bx * 80 + 80));
                    let mut sum = 0.0;
                    for i in is.clone() {
                        let of_row = js.clone().map(|j| at(i, j));
                        assert_eq!(rows[i * across + bx], of_row.clone().sum::<f32>(), "row {i}, {bx}");
                        let low = of_row.clone().fold(f32::INFINITY, f32::min);
                        assert_eq!(least[i * across + bx], low, "least of row {i}, {bx}");
                        let place = of_row.clone().position(|value| value == low);
                        assert_eq!(
                            places[i * across + bx],
                            place.unwrap_or(0) as i32,
                            "place in row {i}, {bx}"
                        );
                        sum += of_row.sum::<f32>();
                    }
                    for j in js {
                        let most = is.clone().map(|i| at(i, j)).fold(f32::NEG_INFINITY, f32::max);
                        assert_eq!(columns[by * n + j], most, "column {j}, {by}");
                    }
                    assert_eq!(all[by * across + bx], sum, "block {by}, {bx}");
                }
            }
            Ok(())
        });
    }
}

/// Vectors, transposes, parts, stacks, masks and tensors in expressions.
#[tt::kernel]
fn moved<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    r: &Tensor<f32, N>,
    n: i32,
    turned: &mut Tensor<f32, N, M>,
    masked: &mut Tensor<f32, M, N>,
    parts: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(40), M.div_ceil(72));
    let z = T.alloc_shared::<f32>(2, 72, 40);
    let y = T.alloc_shared::<f32>(40, 72);
    let v = T.alloc_shared::<f32>(40);
    let w = T.alloc_fragment::<f32>(72);
    let few = T.alloc_shared::<f32>(36, 40);
    T.copy(a[(by * 72, bx * 40)], z[(0, 0..72, 0..40)]);
    T.copy(r[bx * 40], v);
    for (i, j) in T.Parallel(72, 40) {
        z[(1, i, j)] = z[(0, i, j)] + v[j];
    }
    T.transpose(z[(1, 0..72, 0..40)], y);
    T.copy(y, turned[(bx * 40, by * 72)]);
    T.reduce_max(z[(0, 0..72, 0..40)], w, dim = 1);
    for (i, j) in T.Parallel(72, 40) {
        masked[(by * 72 + i, bx * 40 + j)] = if by * 72 + i > bx * 40 + j + n {
            w[i] + a[(by * 72 + i, bx * 40 + j)]
        } else {
            z[(1, i, j)]
        };
    }
    T.copy(z[(0, 36..72, 0..40)], few);
    T.copy(z[(1, 0..36, 0..40)], z[(0, 36..72, 0..40)]);
    T.copy(few, z[(0, 0..36, 0..40)]);
    T.copy(z[(0, 0..72, 0..40)], parts[(by * 72, bx * 40)]);
}

#[test]
fn blocks_are_turned_masked_and_moved_in_parts() {
    for ([m, n], more) in [([72, 40], 0), ([144, 80], 3), ([100, 97], -20)] {
        let host: Vec<f32> = values(m * n, 6).iter().map(|value| value.to_f32()).collect();
        let row: Vec<f32> = values(n, 7).iter().map(|value| value.to_f32()).collect();
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let r = device.upload(&row, [n])?;
            let mut turned = device.zeros::<f32>([n, m])?;
            let mut masked = device.zeros::<f32>([m, n])?;
            let mut parts = device.upload(&vec![99.0f32; m * n], [m, n])?;
            moved(&a, &r, more, &mut turned, &mut masked, &mut parts).check(0.0)?;
            let (turned, masked, parts) = (turned.download()?, masked.download()?, parts.download()?);
            for i in 0..m {
                for j in 0..n {
                    let plus = |i: usize| host[i * n + j] + row[j];
                    assert_eq!(turned[j * m + i], plus(i), "turned {i}, {j}");
                    let first = j / 40 * 40;
                    let most = host[i * n + first..i * n + n.min(first + 40)]
                        .iter()
                        .fold(f32::NEG_INFINITY, |most, value| most.max(*value));
                    let expected = match i as i32 > j as i32 + more {
                        true => most + host[i * n + j],
                        false => plus(i),
                    };
                    assert_eq!(masked[i * n + j], expected, "masked {i}, {j}");
                    let (above, within) = (i / 72 * 72, i % 72);
                    let expected = match within < 36 {
                        // What is past the tensor has no value, and is not stored.
                        true if above + within + 36 >= m => 99.0,
                        true => host[(above + within + 36) * n + j],
                        false => plus(above + within - 36),
                    };
                    assert_eq!(parts[i * n + j], expected, "parts {i}, {j}");
                }
            }
            Ok(())
        });
    }
}

/// Rows of one head of 80 after the other, in whatever order: regions that go along a leading axis.
#[tt::kernel]
fn attention<const B: usize, const S: usize, const H: usize>(
    q: &Tensor<bf16, B, S, H, 80>,
    k: &Tensor<bf16, B, S, H, 80>,
    v: &Tensor<bf16, B, S, H, 80>,
    scale: f32,
    out: &mut Tensor<bf16, B, S, H, 80>,
) {
    let (s, h, b) = T.Kernel(S.div_ceil(48), H, B);
    let x = T.alloc_shared::<bf16>(48, 80);
    let y = T.alloc_shared::<bf16>(48, 80);
    let z = T.alloc_shared::<bf16>(48, 80);
    let scores = T.alloc_fragment::<f32>(48, 48);
    let weights = T.alloc_shared::<bf16>(48, 48);
    let acc = T.alloc_fragment::<f32>(48, 80);
    let most = T.alloc_fragment::<f32>(48);
    let before = T.alloc_fragment::<f32>(48);
    let sums = T.alloc_fragment::<f32>(48);
    T.copy(q[(b, s * 48..s * 48 + 48, h, 0..80)], x);
    T.clear(acc);
    T.clear(sums);
    T.fill(most, f32::NEG_INFINITY);
    for t in T.Pipelined(S.div_ceil(48), num_stages = 2) {
        T.copy(k[(b, t * 48..t * 48 + 48, h, 0..80)], y);
        T.copy(v[(b, t * 48..t * 48 + 48, h, 0..80)], z);
        T.gemm(x, y, scores, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(48, 48) {
            scores[(i, j)] = if t * 48 + j < S {
                scores[(i, j)] * scale
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(48, 48) {
            scores[(i, j)] = (scores[(i, j)] - most[i]).exp();
        }
        for i in T.Parallel(48) {
            sums[i] *= (before[i] - most[i]).exp();
        }
        for (i, j) in T.Parallel(48, 80) {
            acc[(i, j)] *= (before[i] - most[i]).exp();
        }
        T.reduce_sum(scores, sums, dim = 1, clear = false);
        T.copy(scores, weights);
        T.gemm(weights, z, acc);
    }
    for (i, j) in T.Parallel(48, 80) {
        acc[(i, j)] /= sums[i];
    }
    T.copy(acc, out[(b, s * 48..s * 48 + 48, h, 0..80)]);
}

#[test]
fn attention_has_heads_of_80() {
    let scale = 0.125;
    for [b, s, h] in [[1, 50, 2], [2, 96, 1]] {
        let count = b * s * h * 80;
        let [q, k, v] = [1, 2, 3].map(|seed| {
            let host = values(count, seed);
            host.iter()
                .map(|value| bf16::from_f32(value.to_f32() / 4.0))
                .collect::<Vec<_>>()
        });
        let place = |batch: usize, row: usize, head: usize, d: usize| ((batch * s + row) * h + head) * 80 + d;
        on_both_chips(|device| {
            let shape = [b, s, h, 80];
            let [x, y, z] = [
                device.upload(&q, shape)?,
                device.upload(&k, shape)?,
                device.upload(&v, shape)?,
            ];
            let mut out = device.zeros::<bf16>(shape)?;
            attention(&x, &y, &z, scale, &mut out).check(0.02)?;
            let found = out.download()?;
            for (batch, head, row) in (0..b).flat_map(|b| (0..h).flat_map(move |h| (0..s).map(move |s| (b, h, s)))) {
                let score = |t: usize| -> f32 {
                    let at = |d: usize| q[place(batch, row, head, d)].to_f32() * k[place(batch, t, head, d)].to_f32();
                    (0..80).map(at).sum::<f32>() * scale
                };
                let scores: Vec<f32> = (0..s).map(score).collect();
                let most = scores.iter().fold(f32::NEG_INFINITY, |most, score| most.max(*score));
                let weights: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
                let sum: f32 = weights.iter().sum();
                for d in 0..80 {
                    let value = |t: usize| weights[t] * v[place(batch, t, head, d)].to_f32();
                    let expected = (0..s).map(value).sum::<f32>() / sum;
                    let found = found[place(batch, row, head, d)].to_f32();
                    assert!(
                        (found - expected).abs() < 0.02,
                        "{batch} {row} {head} {d}: {found}, {expected}"
                    );
                }
            }
            Ok(())
        });
    }
}

/// Integers and `f16`, every reduction, sums that go on, and parts of blocks as operands.
#[tt::kernel]
fn of_parts<const M: usize>(
    a: &Tensor<bf16, M, 80>,
    n: &Tensor<i32, M, 40>,
    h: &Tensor<f16, M, 40>,
    products: &mut Tensor<f32, M, 48>,
    totals: &mut Tensor<i32, M>,
    least: &mut Tensor<i32, { M.div_ceil(48) }, 40>,
    halves: &mut Tensor<f16, M, 40>,
    folded: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(48));
    let x = T.alloc_shared::<bf16>(48, 80);
    let few = T.alloc_shared::<bf16>(48, 40);
    let acc = T.alloc_fragment::<f32>(48, 48);
    let z = T.alloc_shared::<i32>(48, 40);
    let f = T.alloc_shared::<f16>(48, 40);
    let total = T.alloc_fragment::<i32>(48);
    let low = T.alloc_fragment::<i32>(40);
    let sums = T.alloc_fragment::<f32>(48);
    T.copy(a[(by * 48, 0)], x);
    T.copy(n[(by * 48, 0)], z);
    T.copy(h[(by * 48, 0)], f);
    T.gemm(
        x[(0..48, 0..40)],
        x[(0..48, 40..80)],
        acc,
        transpose_b = true,
        clear_accum = true,
    );
    T.copy(x[(0..48, 7..47)], few);
    T.gemm(few, few, acc, transpose_b = true);
    T.copy(acc, products[(by * 48, 0)]);
    T.reduce_sum(z, total, dim = 1);
    T.reduce_min(z, low, dim = 0);
    T.copy(total, totals[by * 48]);
    T.copy(low, least[(by, 0..40)]);
    for (i, j) in T.Parallel(48, 40) {
        f[(i, j)] = f[(i, j)] * 2.0 + 1.0;
    }
    T.copy(f, halves[(by * 48, 0)]);
    T.fill(sums, 1000.0);
    T.reduce_max(x, sums, dim = 1, clear = false);
    T.reduce_sum(x, sums, dim = 1, clear = false);
    T.copy(sums, folded[by * 48]);
}

#[test]
fn parts_and_integers_of_blocks_of_any_extents() {
    for m in [48, 100, 13] {
        let host = values(m * 80, 8);
        let integers: Vec<i32> = (0..m * 40).map(|at| (at as i32).wrapping_mul(1_000_003)).collect();
        let halves: Vec<f16> = values(m * 40, 9)
            .iter()
            .map(|value| f16::from_f32(value.to_f32()))
            .collect();
        on_both_chips(|device| {
            let (a, n) = (device.upload(&host, [m, 80])?, device.upload(&integers, [m, 40])?);
            let h = device.upload(&halves, [m, 40])?;
            let mut products = device.zeros::<f32>([m, 48])?;
            let mut totals = device.zeros::<i32>([m])?;
            let mut least = device.zeros::<i32>([m.div_ceil(48), 40])?;
            let mut doubled = device.zeros::<f16>([m, 40])?;
            let mut folded = device.zeros::<f32>([m])?;
            of_parts(
                &a,
                &n,
                &h,
                &mut products,
                &mut totals,
                &mut least,
                &mut doubled,
                &mut folded,
            )
            .check(0.0)?;
            let at = |i: usize, j: usize| host[i * 80 + j].to_f32();
            let products = products.download()?;
            for i in 0..m {
                let first = i / 48 * 48;
                for j in 0..48.min(m - first) {
                    let one = |k: usize| at(i, k) * at(first + j, 40 + k) + at(i, k + 7) * at(first + j, k + 7);
                    let expected: f32 = (0..40).map(one).sum();
                    assert_eq!(products[i * 48 + j], expected, "{i}, {j} of {m}");
                }
            }
            let of_row = |i: usize| {
                integers[i * 40..i * 40 + 40]
                    .iter()
                    .fold(0i32, |sum, value| sum.wrapping_add(*value))
            };
            assert_eq!(totals.download()?, (0..m).map(of_row).collect::<Vec<_>>());
            for (place, found) in least.download()?.into_iter().enumerate() {
                let (first, j) = (place / 40 * 48, place % 40);
                let expected = (first..m.min(first + 48)).map(|i| integers[i * 40 + j]).min();
                assert_eq!(Some(found), expected, "{place} of {m}");
            }
            for (found, value) in doubled.download()?.iter().zip(&halves) {
                assert_eq!(found.to_f32(), value.to_f32() * 2.0 + 1.0);
            }
            for (i, found) in folded.download()?.into_iter().enumerate() {
                let sum: f32 = (0..80).map(|j| at(i, j)).sum();
                assert_eq!(found, 1000.0 + sum, "sum {i} of {m}");
            }
            Ok(())
        });
    }
}
