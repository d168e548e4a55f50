//! Elements of tensors at indices of parallel loops: rows along any axis but the last, with constant factors, quotients and
//! remainders.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn values(count: usize) -> Vec<bf16> {
    (0..count)
        .map(|at| bf16::from_f64((at * 7 % 31) as f64 - 15.0))
        .collect()
}

/// The element of a tensor at these indices; none outside of it.
fn at<T: Copy, const R: usize>(x: &[T], extents: [usize; R], indices: [i64; R]) -> Option<T> {
    let mut place = 0;
    for (extent, index) in extents.into_iter().zip(indices) {
        let index = usize::try_from(index).ok().filter(|index| *index < extent)?;
        place = place * extent + index;
    }
    Some(x[place])
}

/// What is stored over elements that `y` has; where no value is stored, anything.
fn agrees(found: &[bf16], expected: &[Option<bf16>], what: &str) {
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        if let Some(expected) = expected {
            assert_eq!(found, expected, "{what}: element {place}");
        }
    }
}

/// Heads lie before the last axis; rows are those of a sequence.
#[tt::kernel]
fn heads<const B: usize, const S: usize, const H: usize>(
    a: &Tensor<bf16, B, S, H, 64>,
    y: &mut Tensor<bf16, B, H, S, 64>,
    z: &mut Tensor<bf16, B, H, 64, S>,
    c: &mut Tensor<bf16, B, S, H, 64>,
) {
    let (q, h, p) = T.Kernel(S.div_ceil(32), H, B);
    let x = T.alloc_shared::<bf16>(32, 64);
    let t = T.alloc_shared::<bf16>(64, 32);
    for (i, j) in T.Parallel(32, 64) {
        x[(i, j)] = a[(p, q * 32 + i, h, j)];
    }
    for (i, j) in T.Parallel(64, 32) {
        t[(i, j)] = a[(p, q * 32 + j, h, i)];
    }
    T.copy(x, y[(p, h, q * 32, 0)]);
    T.copy(t, z[(p, h, 0, q * 32)]);
    for (i, j) in T.Parallel(32, 64) {
        c[(p, q * 32 + i, h, j)] = x[(i, j)] + a[(p, q * 32 + i, h, j)];
    }
}

#[test]
fn rows_of_elements_go_along_a_leading_axis() {
    for [b, s, h] in [[2, 50, 3], [1, 1, 40], [1, 64, 1]] {
        let host = values(b * s * h * 64);
        on_both_chips(|device| {
            let a = device.upload(&host, [b, s, h, 64])?;
            let mut y = device.zeros::<bf16>([b, h, s, 64])?;
            let mut z = device.zeros::<bf16>([b, h, 64, s])?;
            let mut c = device.zeros::<bf16>([b, s, h, 64])?;
            heads(&a, &mut y, &mut z, &mut c).check(0.0)?;
            let (y, z, c): (Vec<bf16>, Vec<bf16>, Vec<bf16>) = (y.download()?, z.download()?, c.download()?);
            for place in 0..host.len() {
                let (d, rest) = (place % 64, place / 64);
                let (head, rest) = (rest % h, rest / h);
                let (row, batch) = (rest % s, rest / s);
                let value = host[place];
                assert_eq!(y[((batch * h + head) * s + row) * 64 + d], value, "{place}");
                assert_eq!(z[((batch * h + head) * 64 + d) * s + row], value, "{place}");
                assert_eq!(c[place].to_f32(), value.to_f32() * 2.0, "{place}");
            }
            Ok(())
        });
    }
}

/// The first axis, a vector, one row, a step.
#[tt::kernel]
fn first_axis<const A: usize, const B: usize, const C: usize, const D: usize>(
    a: &Tensor<bf16, A, B, C, D>,
    y: &mut Tensor<bf16, 32, D>,
    z: &mut Tensor<bf16, 32>,
    w: &mut Tensor<bf16, 32, D>,
    c: &mut Tensor<bf16, A, C, D>,
    q: u32,
) {
    let b = T.Kernel(D.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32);
    for (i, j) in T.Parallel(32, 32) {
        y[(i, b * 32 + j)] = a[(i, q, 0, b * 32 + j)];
    }
    for i in T.Parallel(32) {
        v[i] = a[(0, i, 1, b)];
    }
    if b == 0 {
        T.copy(v, z[0]);
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, b * 32 + j)] = a[(0, 2 * i + 1, q, b * 32 + j)];
    }
    for k in 0..A {
        for (i, j) in T.Parallel(1, 32) {
            c[(k + i, 1, b * 32 + j)] = a[(k, 1, 1, b * 32 + j)];
        }
    }
}

#[test]
fn rows_of_elements_go_along_the_first_axis_and_in_steps() {
    for [a, b, c, d] in [[5, 40, 2, 33], [33, 9, 3, 64], [1, 2, 2, 1]] {
        let host = values(a * b * c * d);
        let of = |indices: [usize; 4]| at(&host, [a, b, c, d], indices.map(|index| index as i64));
        on_both_chips(|device| {
            let x = device.upload(&host, [a, b, c, d])?;
            let mut y = device.zeros::<bf16>([32, d])?;
            let mut z = device.zeros::<bf16>([32])?;
            let mut w = device.zeros::<bf16>([32, d])?;
            let mut s = device.upload(&vec![bf16::from_f32(99.0); a * c * d], [a, c, d])?;
            first_axis(&x, &mut y, &mut z, &mut w, &mut s, 1).check(0.0)?;
            let whole: Vec<[usize; 2]> = (0..32 * d).map(|at| [at / d, at % d]).collect();
            let expected: Vec<_> = whole.iter().map(|[i, j]| of([*i, 1, 0, *j])).collect();
            agrees(&y.download()?, &expected, "along the first axis");
            let expected: Vec<_> = (0..32).map(|i| of([0, i, 1, 0])).collect();
            agrees(&z.download()?, &expected, "a vector");
            let expected: Vec<_> = whole.iter().map(|[i, j]| of([0, 2 * i + 1, 1, *j])).collect();
            agrees(&w.download()?, &expected, "every second");
            let expected: Vec<_> = (0..a * c * d)
                .map(|at| match at / d % c {
                    1 => of([at / d / c, 1, 1, at % d]),
                    _ => Some(bf16::from_f32(99.0)),
                })
                .collect();
            agrees(&s.download()?, &expected, "one row each");
            Ok(())
        });
    }
}

/// Twice as many rows, every second one, the other way round, some again and again, and their transposes.
#[tt::kernel]
fn paces<const M: usize, const N: usize, const P: usize>(
    a: &Tensor<bf16, M, N>,
    up: &mut Tensor<bf16, P, N>,
    down: &mut Tensor<bf16, P, N>,
    back: &mut Tensor<bf16, P, N>,
    again: &mut Tensor<bf16, P, N>,
    turned: &mut Tensor<bf16, N, P>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), P.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 64);
    for (i, j) in T.Parallel(32, 64) {
        up[(by * 32 + i, bx * 64 + j)] = a[((by * 32 + i) / 2, bx * 64 + j)];
        down[(by * 32 + i, bx * 64 + j)] = a[(by * 64 + 2 * i + 1, bx * 64 + j)];
        back[(by * 32 + i, bx * 64 + j)] = a[(40 - by * 32 - i, bx * 64 + j)];
        x[(i, j)] = a[((by * 32 + i) / 3 % 5, bx * 64 + j)];
    }
    for (i, j) in T.Parallel(32, 64) {
        again[(by * 32 + i, bx * 64 + j)] = x[(i, j)] + a[(i / 2 + 3, bx * 64 + j)] * 0.0;
    }
    for (i, j) in T.Parallel(64, 32) {
        turned[(bx * 64 + i, by * 32 + j)] = a[((by * 32 + j).div_ceil(4) + 1, bx * 64 + i)];
    }
}

#[test]
fn factors_quotients_and_remainders_of_rows() {
    for [m, n, p] in [[40, 64, 80], [3, 33, 70], [1, 1, 1], [100, 65, 33]] {
        let host = values(m * n);
        let of = |row: i64, column: usize| at(&host, [m, n], [row, column as i64]);
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let [mut up, mut down, mut back, mut again] = [0; 4].map(|_| device.zeros::<bf16>([p, n]).expect("zeros"));
            let mut turned = device.zeros::<bf16>([n, p])?;
            paces(&a, &mut up, &mut down, &mut back, &mut again, &mut turned).check(0.0)?;
            let rows = |of_row: &dyn Fn(i64) -> i64| -> Vec<_> {
                (0..p * n).map(|at| of(of_row((at / n) as i64), at % n)).collect()
            };
            agrees(&up.download()?, &rows(&|row| row / 2), "a quotient");
            agrees(&down.download()?, &rows(&|row| row * 2 + 1), "a factor");
            agrees(&back.download()?, &rows(&|row| 40 - row), "a negative factor");
            let expected: Vec<_> = (0..p * n)
                .map(|at| {
                    let (row, column) = ((at / n) as i64, at % n);
                    of(row / 3 % 5, column)
                        .zip(of(row % 32 / 2 + 3, column))
                        .map(|(value, _)| value)
                })
                .collect();
            agrees(&again.download()?, &expected, "a remainder");
            let expected: Vec<_> = (0..n * p)
                .map(|at| of((at as i64 % p as i64 + 3) / 4 + 1, at / p))
                .collect();
            agrees(&turned.download()?, &expected, "a quotient, transposed");
            Ok(())
        });
    }
}

/// Elements that a remainder or a quotient finds outside of the tensor have no value: sums leave them out.
#[tt::kernel]
fn sums<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    of_remainders: &mut Tensor<f32, N>,
    of_quotients: &mut Tensor<f32, N>,
    means: &mut Tensor<f32, N>,
    backwards: &mut Tensor<f32, N>,
    first: i32,
) {
    let b = T.Kernel(N.div_ceil(32));
    let x = T.alloc_fragment::<f32>(32, 32);
    let s = T.alloc_fragment::<f32>(32);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = a[((b + 3 * i) % 10, b * 32 + j)] + 1.0;
    }
    T.reduce_sum(x, s, dim = 0);
    T.copy(s, of_remainders[b * 32]);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = a[((first + i) / 3, b * 32 + j)] + 1.0;
    }
    T.reduce_sum(x, s, dim = 0);
    T.copy(s, of_quotients[b * 32]);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = a[(first + 2 * i, b * 32 + j)] + 1.0;
    }
    T.reduce_mean(x, s, dim = 0);
    T.copy(s, means[b * 32]);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = a[(first + 20 - 3 * i, b * 32 + j)] + 1.0;
    }
    T.reduce_mean(x, s, dim = 0);
    T.copy(s, backwards[b * 32]);
}

#[test]
fn what_lies_outside_of_the_tensor_at_a_pace_is_not_summed() {
    for ([m, n], first) in [([7, 40], 0), ([7, 33], -4), ([33, 64], 1), ([1, 5], -9), ([10, 32], 25)] {
        let host: Vec<f32> = (0..m * n).map(|at| (at % 13) as f32 - 6.0).collect();
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let [mut r, mut q, mut s, mut t] = [0; 4].map(|_| device.zeros::<f32>([n]).expect("zeros"));
            sums(&a, &mut r, &mut q, &mut s, &mut t, first).check(0.001)?;
            let [r, q, s, t]: [Vec<f32>; 4] = [r.download()?, q.download()?, s.download()?, t.download()?];
            for column in 0..n {
                let all = |row_of: &dyn Fn(i64) -> i64| -> Vec<f32> {
                    let rows = (0..32).filter_map(|i| at(&host, [m, n], [row_of(i), column as i64]));
                    rows.map(|value| value + 1.0).collect()
                };
                let first = i64::from(first);
                let what = format!("{m} x {n} from {first}, column {column}");
                let close = |found: f32, expected: f32, of: &str| {
                    assert!(
                        (found - expected).abs() < 0.01 + expected.abs() * 0.001,
                        "{what}, {of}: {found}, not {expected}"
                    );
                };
                let block = column as i64 / 32;
                close(r[column], all(&|i| (block + 3 * i) % 10).iter().sum(), "remainders");
                close(q[column], all(&|i| (first + i) / 3).iter().sum(), "quotients");
                for (found, rows) in [
                    (s[column], all(&|i| first + 2 * i)),
                    (t[column], all(&|i| first + 20 - 3 * i)),
                ] {
                    if !rows.is_empty() {
                        close(found, rows.iter().sum::<f32>() / rows.len() as f32, "means");
                    }
                }
            }
            Ok(())
        });
    }
}

/// Stores in steps, up and down, and along a leading axis.
#[tt::kernel]
fn stores<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    c: &mut Tensor<bf16, { 2 * M }, N>,
    d: &mut Tensor<bf16, M, N>,
    e: &mut Tensor<bf16, M, 2, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 64);
    T.copy(a[(by * 32, bx * 64)], x);
    for (i, j) in T.Parallel(32, 64) {
        c[(by * 64 + 2 * i, bx * 64 + j)] = x[(i, j)];
        d[(M - 1 - by * 32 - i, bx * 64 + j)] = x[(i, j)];
        e[(M - 1 - by * 32 - i, 1, bx * 64 + j)] = x[(i, j)] * 2.0;
    }
}

#[test]
fn stores_go_in_steps_and_backwards() {
    for [m, n] in [[40, 64], [3, 33], [1, 1], [100, 65]] {
        let host = values(m * n);
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let mut c = device.zeros::<bf16>([2 * m, n])?;
            let mut d = device.zeros::<bf16>([m, n])?;
            let mut e = device.zeros::<bf16>([m, 2, n])?;
            stores(&a, &mut c, &mut d, &mut e).check(0.0)?;
            let (c, d, e): (Vec<bf16>, Vec<bf16>, Vec<bf16>) = (c.download()?, d.download()?, e.download()?);
            for row in 0..m {
                for column in 0..n {
                    let value = host[row * n + column];
                    let other = m - 1 - row;
                    assert_eq!(c[2 * row * n + column], value, "{row}, {column}");
                    assert_eq!(c[(2 * row + 1) * n + column], bf16::ZERO, "{row}, {column}");
                    assert_eq!(d[other * n + column], value, "{row}, {column}");
                    assert_eq!(
                        e[(2 * other + 1) * n + column].to_f32(),
                        value.to_f32() * 2.0,
                        "{row}, {column}"
                    );
                    assert_eq!(e[2 * other * n + column], bf16::ZERO, "{row}, {column}");
                }
            }
            Ok(())
        });
    }
}

/// Two rows again and again, of which the tensor may have one: sums and stores leave out what it has not.
#[tt::kernel]
fn in_turns<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    y: &mut Tensor<f32, 32, N>,
    s: &mut Tensor<f32, N>,
    t: &mut Tensor<f32, 32, N>,
    n: i32,
) {
    let b = T.Kernel(N.div_ceil(32));
    let x = T.alloc_fragment::<f32>(32, 32);
    let v = T.alloc_fragment::<f32>(32);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = a[((n.max(0) + i) % 2, b * 32 + j)] + 1.0;
        y[(i, b * 32 + j)] = x[(i, j)];
        t[(i, b * 32 + j)] = a[(i % 2, b * 32 + j)];
    }
    T.reduce_sum(x, v, dim = 0);
    T.copy(v, s[b * 32]);
}

#[test]
fn rows_come_again_in_every_turn_that_a_block_has() {
    for ([m, n], first) in [([1, 40], 0), ([1, 33], 5), ([2, 32], 3), ([5, 64], -3)] {
        let host: Vec<f32> = (0..m * n).map(|at| (at % 13) as f32 - 6.0).collect();
        on_both_chips(|device| {
            let a = device.upload(&host, [m, n])?;
            let [mut y, mut t] = [0; 2].map(|_| device.upload(&vec![99.0; 32 * n], [32, n]).expect("uploaded"));
            let mut s = device.zeros::<f32>([n])?;
            in_turns(&a, &mut y, &mut s, &mut t, first).check(0.001)?;
            let [y, s, t]: [Vec<f32>; 3] = [y.download()?, s.download()?, t.download()?];
            for (column, found) in s.iter().enumerate() {
                let mut sum = 0.0;
                for row in 0..32 {
                    let of = |row: i64| at(&host, [m, n], [row, column as i64]);
                    let value = of((i64::from(first.max(0)) + row) % 2).map(|value| value + 1.0);
                    sum += value.unwrap_or(0.0);
                    let place = row as usize * n + column;
                    assert_eq!(
                        y[place],
                        value.unwrap_or(99.0),
                        "{m} x {n} from {first}: {row}, {column}"
                    );
                    assert_eq!(t[place], of(row % 2).unwrap_or(99.0), "{m} x {n}: {row}, {column}");
                }
                assert!(
                    (found - sum).abs() < 0.5,
                    "{m} x {n} from {first}, {column}: {} not {sum}",
                    s[column]
                );
            }
            Ok(())
        });
    }
}

/// Along a leading axis at a pace, columns from anywhere, vectors of both orientations, reads of what was stored before.
#[tt::kernel]
fn combined<const B: usize, const S: usize, const H: usize, const N: usize>(
    a: &Tensor<bf16, B, S, H, N>,
    y: &mut Tensor<bf16, B, { 2 * S }, H, N>,
    z: &mut Tensor<bf16, B, H, S, N>,
    m: &mut Tensor<f32, B, H, 3>,
) {
    let (q, h, b) = T.Kernel(S.div_ceil(32), H, B);
    let x = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_fragment::<f32>(32);
    let w = T.alloc_fragment::<f32>(32);
    let s = T.alloc_fragment::<f32>(32, 32);
    let u = T.alloc_fragment::<f32>(32, 1);
    let t = T.alloc_fragment::<f32>(1, 1);
    for k in T.Pipelined(N.div_ceil(32), num_stages = 2) {
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = a[(b, (q * 32 + i) / 2, h, k * 32 + j)];
            y[(b, q * 64 + 2 * i + 1, h, k * 32 + j)] = x[(i, j)];
        }
        for (i, j) in T.Parallel(32, 32) {
            z[(b, h, q * 32 + i, k * 32 + j)] =
                y[(b, q * 64 + 2 * i + 1, h, k * 32 + j)] + a[(b, 31 - i, h, k * 32 + j - 5)] * 0.0;
        }
    }
    for i in T.Parallel(32) {
        v[i] = a[(b, i / 2, h, 1)] as f32;
        w[i] = a[(b, i % 7, h, 0)] as f32;
    }
    for (i, j) in T.Parallel(32, 32) {
        s[(i, j)] = v[i] * w[j] + w[i];
    }
    T.reduce_sum(s, t, dim = (0, 1));
    for (i, j) in T.Parallel(1, 1) {
        m[(b, h, 0)] = t[(i, j)];
    }
    for (i, j) in T.Parallel(32, 1) {
        u[(i, j)] = a[(b, i % 7, h, j)] as f32;
    }
    T.reduce_mean(u, t, dim = (0, 1));
    for (i, j) in T.Parallel(1, 1) {
        m[(b, h, 1)] = t[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        s[(i, j)] = if (i / 3 + j) % 2 == 0 {
            a[(b, i, h, j)] as f32
        } else {
            1.0
        };
    }
    T.reduce_sum(s, t, dim = (0, 1));
    for (i, j) in T.Parallel(1, 1) {
        m[(b, h, 2)] = t[(i, j)];
    }
}

#[test]
fn paces_stand_beside_everything_else() {
    for [b, s, h, n] in [[1, 30, 2, 33], [2, 5, 3, 64], [1, 20, 1, 20]] {
        let host = values(b * s * h * n);
        on_both_chips(|device| {
            let a = device.upload(&host, [b, s, h, n])?;
            let mut y = device.zeros::<bf16>([b, 2 * s, h, n])?;
            let mut z = device.upload(&vec![bf16::from_f32(77.0); b * h * s * n], [b, h, s, n])?;
            let mut m = device.zeros::<f32>([b, h, 3])?;
            combined(&a, &mut y, &mut z, &mut m).check(0.01)?;
            let (y, z, m): (Vec<bf16>, Vec<bf16>, Vec<f32>) = (y.download()?, z.download()?, m.download()?);
            let of = |[batch, row, head, column]: [i64; 4]| at(&host, [b, s, h, n], [batch, row, head, column]);
            for (batch, head) in (0..b as i64).flat_map(|batch| (0..h as i64).map(move |head| (batch, head))) {
                for (row, column) in (0..s as i64).flat_map(|row| (0..n as i64).map(move |column| (row, column))) {
                    let value = of([batch, row / 2, head, column]);
                    let stored = at(&y, [b, 2 * s, h, n], [batch, 2 * row + 1, head, column]);
                    assert_eq!(stored, value, "{batch}, {row}, {head}, {column}");
                    let beside = of([batch, 31 - row % 32, head, column - 5]);
                    let expected = beside.and(value).unwrap_or(bf16::from_f32(77.0));
                    let stored = at(&z, [b, h, s, n], [batch, head, row, column]);
                    assert_eq!(stored, Some(expected), "{batch}, {head}, {row}, {column}");
                }
                let number =
                    |row: i64, column: i64| of([batch, row, head, column]).map(|value| f64::from(value.to_f32()));
                let v: Vec<_> = (0..32).map(|i| number(i / 2, 1)).collect();
                let w: Vec<_> = (0..32).map(|i| number(i % 7, 0)).collect();
                let mut sum = 0.0;
                let mut chosen = 0.0;
                for (i, j) in (0..32_usize).flat_map(|i| (0..32_usize).map(move |j| (i, j))) {
                    if let (Some(v), Some(w), Some(more)) = (v[i], w[j], w[i]) {
                        sum += v * w + more;
                    }
                    chosen += match (i / 3 + j) % 2 {
                        0 => number(i as i64, j as i64).unwrap_or(0.0),
                        _ => 1.0,
                    };
                }
                let there: Vec<f64> = w.into_iter().flatten().collect();
                let mean = there.iter().sum::<f64>() / there.len() as f64;
                let found = &m[(batch as usize * h + head as usize) * 3..][..3];
                for (found, expected) in found.iter().zip([sum, mean, chosen]) {
                    assert!(
                        (f64::from(*found) - expected).abs() <= 0.01 * expected.abs() + 1.0,
                        "{b} x {s} x {h} x {n}: {found}, not {expected}"
                    );
                }
            }
            Ok(())
        });
    }
}
