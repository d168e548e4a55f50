//! Names for values, arguments that differ from element to element, functions of integer elements, vectors that are reduced or
//! copied to rows and columns, short ranges, chains of conditions, and other ways to write a kernel, against plain loops on both
//! emulated chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small numbers with a fraction, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 / 4.0 - 3.75
}

const SHAPES: [[usize; 2]; 3] = [[64, 64], [70, 33], [3, 130]];

#[tt::kernel]
fn named<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    alpha: f32,
    n: i32,
    y: &mut Tensor<f32, M, N>,
    z: &mut Tensor<i32, M, N>,
) {
    const SCALE: f32 = 2.0 * 0.25;
    let twice = alpha * 2.0;
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    let q = T.alloc_shared::<i32>(32, 32);
    let even = n % 2 == 0;
    let offset = bx as f32 * SCALE;
    fn kept(x: f32, low: f32) -> f32 {
        if x > low {
            let more = x - low;
            let scaled: f32 = more * SCALE;
            scaled + low
        } else {
            low
        }
    }
    fn doubled(p: i32, most: i32) -> i32 {
        let twice = p * 2;
        (twice & 0xFF).min(most)
    }
    fn is_odd(p: i32) -> bool {
        p % 2 != 0
    }
    T.copy(x[(by * 32, bx * 32)], v);
    if even == (alpha > 0.0) {
        T.fill(w, twice);
    } else {
        T.fill(w, if even { offset } else { -SCALE });
    }
    for (i, j) in T.Parallel(32, 32) {
        let t = v[(i, j)] * 2.0;
        let large = t > alpha;
        w[(i, j)] += if large { T.exp2(t.min(4.0)) } else { kept(t, twice) };
        let p = v[(i, j)] as i32;
        q[(i, j)] = if is_odd(p) { doubled(p, n) } else { p };
        let again = q[(i, j)] + 1;
        q[(i, j)] = doubled(again, i + j) + (i < j) as i32 + (v[(i, j)] > 1.0) as i32;
    }
    T.copy(w, y[(by * 32, bx * 32)]);
    T.copy(q, z[(by * 32, bx * 32)]);
}

#[test]
fn names_stand_for_their_expressions() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            for (alpha, count) in [(0.5_f32, 4), (0.5, 3), (-1.0, 4), (-1.0, 7)] {
                let mut y = device.zeros::<f32>([m, n])?;
                let mut z = device.zeros::<i32>([m, n])?;
                named(&x, alpha, count, &mut y, &mut z).check(1e-6)?;
                let (y, z) = (y.download()?, z.download()?);
                let kept = |x: f32, low: f32| if x > low { (x - low) * 0.5 + low } else { low };
                let doubled = |p: i32, most: i32| ((p * 2) & 0xFF).min(most);
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let v = host[i * n + j];
                    let even = count % 2 == 0;
                    let first = match even == (alpha > 0.0) {
                        true => alpha * 2.0,
                        false if even => (j / 32) as f32 * 0.5,
                        false => -0.5,
                    };
                    let t = v * 2.0;
                    let wanted = first
                        + if t > alpha {
                            t.min(4.0).exp2()
                        } else {
                            kept(t, alpha * 2.0)
                        };
                    let found = y[i * n + j];
                    assert!(
                        (found - wanted).abs() <= wanted.abs() * 1e-6,
                        "{found} {wanted}: ({i}, {j})"
                    );
                    let p = v as i32;
                    let q = if p % 2 != 0 { doubled(p, count) } else { p };
                    let (row, column) = ((i % 32) as i32, (j % 32) as i32);
                    let q = doubled(q + 1, row + column) + i32::from(row < column) + i32::from(v > 1.0);
                    assert_eq!(z[i * n + j], q, "({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn of_bytes<const N: usize>(x: &Tensor<u8, 32, N>, y: &mut Tensor<u8, 32, N>) {
    fn capped(p: u8, most: u8) -> u8 {
        if p > most { most } else { p }
    }
    let b = T.Kernel(N.div_ceil(64));
    let v = T.alloc_shared::<u8>(32, 64);
    T.copy(x[(0, b * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = capped(v[(i, j)], if b == 0 { 100u8 } else { u8::MAX });
    }
    T.copy(v, y[(0, b * 64)]);
}

#[test]
fn functions_take_and_give_bytes() {
    let host: Vec<u8> = (0..32 * 128).map(|at| (at * 37 % 256) as u8).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [32, 128])?;
        let mut y = device.zeros::<u8>([32, 128])?;
        of_bytes(&x, &mut y).check(0.0)?;
        let wanted = host.iter().enumerate();
        let wanted: Vec<u8> = wanted
            .map(|(at, x)| if at % 128 < 64 { (*x).min(100) } else { *x })
            .collect();
        assert_eq!(y.download()?, wanted);
        Ok(())
    });
}

/// Every function whose arguments are the same for all elements elsewhere.
#[tt::kernel]
fn arguments<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    s: &Tensor<f32, M, N>,
    y: &mut Tensor<f32, 10, M, N>,
    z: &mut Tensor<i32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    let out = T.alloc_fragment::<f32>(32, 32);
    let q = T.alloc_shared::<i32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    T.copy(s[(by * 32, bx * 32)], w);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].clamp(-w[(i, j)], w[(i, j)]);
    }
    T.copy(out, y[(0, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].clamp(0.0, bx as f32);
    }
    T.copy(out, y[(1, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = w[(i, j)].powf(v[(i, j)]);
    }
    T.copy(out, y[(2, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].leaky_relu(w[(i, j)]);
    }
    T.copy(out, y[(3, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].relu_max(w[(i, j)]) + T.heaviside(v[(i, j)], w[(i, j)]);
    }
    T.copy(out, y[(4, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].threshold(w[(i, j)], by as f32);
    }
    T.copy(out, y[(5, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].softshrink(w[(i, j)]);
    }
    T.copy(out, y[(6, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].hardshrink(w[(i, j)]);
    }
    T.copy(out, y[(7, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].elu(w[(i, j)]);
    }
    T.copy(out, y[(8, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        out[(i, j)] = v[(i, j)].celu(w[(i, j)]);
    }
    T.copy(out, y[(9, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 32) {
        q[(i, j)] = (v[(i, j)] * 4.0) as i32;
        q[(i, j)] = q[(i, j)].clamp(0, by + j) + (T.to_bits(w[(i, j)]) >> 23);
    }
    T.copy(q, z[(by * 32, bx * 32)]);
}

#[test]
fn arguments_differ_from_element_to_element() {
    for [m, n] in [[64, 64], [40, 33]] {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let scales: Vec<f32> = (0..m * n).map(|at| (at % 5) as f32 * 0.5 + 0.5).collect();
        on_both_chips(|device| {
            let (x, s) = (device.upload(&host, [m, n])?, device.upload(&scales, [m, n])?);
            let mut y = device.zeros::<f32>([10, m, n])?;
            let mut z = device.zeros::<i32>([m, n])?;
            arguments(&x, &s, &mut y, &mut z).check(1e-2)?;
            let (y, z) = (y.download()?, z.download()?);
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let (v, w) = (host[i * n + j], scales[i * n + j]);
                let (bx, by) = ((j / 32) as f32, (i / 32) as f32);
                let step = if v > 0.0 {
                    1.0
                } else if v < 0.0 {
                    0.0
                } else {
                    w
                };
                let below = |x: f32| if v > 0.0 { v } else { w * x.exp_m1() };
                let soft = if v > w {
                    v - w
                } else if v < -w {
                    v + w
                } else {
                    0.0
                };
                let wanted = [
                    v.max(-w).min(w),
                    v.max(0.0).min(bx),
                    w.powf(v),
                    if v > 0.0 { v } else { v * w },
                    v.max(0.0).min(w) + step,
                    if v <= w { by } else { v },
                    soft,
                    if v.abs() > w { v } else { 0.0 },
                    below(v),
                    below(v / w),
                ];
                for (at, wanted) in wanted.into_iter().enumerate() {
                    let found = y[(at * m + i) * n + j];
                    let near = (found - wanted).abs() <= wanted.abs() * 1e-5 + 1e-6;
                    assert!(near, "{at}: {found} for {wanted}, of {v} and {w}");
                }
                let clamped = ((v * 4.0) as i32).max(0).min(by as i32 + (j % 32) as i32);
                assert_eq!(z[i * n + j], clamped + ((w.to_bits() as i32) >> 23), "({i}, {j})");
            }
            Ok(())
        });
    }
}

/// Vectors are reduced, and copied to and from blocks of one row and one column.
#[tt::kernel]
fn of_vectors<const N: usize>(x: &Tensor<f32, N>, y: &mut Tensor<f32, 8, 1>, lines: &mut Tensor<f32, 2, N>) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<f32>(64);
    let one = T.alloc_fragment::<f32>(1);
    let single = T.alloc_fragment::<f32>(1, 1);
    let column = T.alloc_shared::<f32>(64, 1);
    let row = T.alloc_shared::<f32>(1, 64);
    let again = T.alloc_shared::<f32>(64);
    T.copy(x[b], v);
    T.reduce_sum(v, one, dim = 0);
    T.copy(one, y[(0, 0)]);
    T.reduce_max(v, single, dim = 0);
    T.copy(single, y[(1, 0)]);
    T.reduce_min(v, one, dim = 0);
    T.copy(one, y[(2, 0)]);
    T.reduce_absmax(v, one, dim = 0);
    T.copy(one, y[(3, 0)]);
    T.reduce_mean(v, one, dim = 0);
    T.copy(one, y[(4, 0)]);
    T.reduce_sum(v[0..32], one, dim = 0);
    T.copy(one, y[(5, 0)]);
    T.reduce_sum(v[0..32], one, dim = 0, clear = false);
    T.copy(one, y[(6, 0)]);
    T.copy(v, column);
    T.copy(column, row);
    T.copy(row, again);
    T.copy(again, lines[(0, 0)]);
    T.copy(row, column);
    T.copy(column, again);
    T.copy(again, row);
    T.copy(row, lines[(1, 0)]);
}

/// Positions in vectors, and vectors of integers.
#[tt::kernel]
fn places_in_vectors<const N: usize>(
    x: &Tensor<f32, N>,
    p: &Tensor<i32, N>,
    y: &mut Tensor<f32, 8, 1>,
    at: &mut Tensor<i32, 4, 1>,
) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<f32>(64);
    let q = T.alloc_shared::<i32>(64);
    let one = T.alloc_fragment::<f32>(1);
    let place = T.alloc_fragment::<i32>(1);
    T.copy(x[b], v);
    T.copy(p[b], q);
    T.reduce_argmax(v, one, place, dim = 0, base = 100);
    T.copy(one, y[(7, 0)]);
    T.copy(place, at[(0, 0)]);
    T.reduce_argmin(v, _, place, dim = 0);
    T.copy(place, at[(1, 0)]);
    T.reduce_sum(q, place, dim = 0);
    T.copy(place, at[(2, 0)]);
    T.reduce_max(q, place, dim = 0);
    T.copy(place, at[(3, 0)]);
}

#[test]
fn vectors_are_reduced_and_copied_to_rows_and_columns() {
    for n in [64, 40, 1] {
        let host: Vec<f32> = (0..n).map(|at| number(at * 3 + 1)).collect();
        let integers: Vec<i32> = (0..n as i32)
            .map(|at| at.wrapping_mul(77_777_777) % 1_000_003)
            .collect();
        on_both_chips(|device| {
            let (x, p) = (device.upload(&host, [n])?, device.upload(&integers, [n])?);
            let mut y = device.zeros::<f32>([8, 1])?;
            let mut at = device.zeros::<i32>([4, 1])?;
            let mut lines = device.zeros::<f32>([2, n])?;
            of_vectors(&x, &mut y, &mut lines).check(1e-3)?;
            places_in_vectors(&x, &p, &mut y, &mut at).check(1e-3)?;
            let sum: f32 = host.iter().sum();
            let half: f32 = host.iter().take(32).sum();
            let max = host.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let min = host.iter().copied().fold(f32::INFINITY, f32::min);
            let absmax = max.max(-min);
            let wanted = [sum, max, min, absmax, sum / n as f32, half, 2.0 * half, max];
            for (found, wanted) in y.download()?.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() <= wanted.abs() * 1e-3 + 1e-3,
                    "{n}: {found} for {wanted}"
                );
            }
            let place = |of: f32| host.iter().position(|x| *x == of).unwrap() as i32;
            let total: i32 = integers.iter().sum();
            let most = *integers.iter().max().unwrap();
            assert_eq!(at.download()?, [100 + place(max), place(min), total, most], "{n}");
            assert_eq!(lines.download()?, [host.clone(), host.clone()].concat(), "{n}");
            Ok(())
        });
    }
}

/// Ranges that are shorter than the block, include their end or have none.
#[tt::kernel]
fn ranges<const M: usize>(x: &Tensor<f32, M, 64>, r: i32, y: &mut Tensor<f32, M, 64>, z: &mut Tensor<f32, M, 64>) {
    let (_, by) = T.Kernel(1, M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 64);
    let w = T.alloc_shared::<f32>(32, 64);
    let few = T.alloc_shared::<f32>(16, 64);
    T.copy(x[(by * 32..by * 32 + 16, 0..48)], v);
    T.copy(v, y[(by * 32, 0)]);
    T.fill(w, 7.0);
    T.copy(x[(by * 32 + r..=by * 32 + r + 15, ..)], few);
    T.copy(few, w[(16.., ..)]);
    T.copy(w[(..=15, 0..64)], few);
    T.copy(few, z[((r - by * 32 - 10).abs()..(r - by * 32 - 10).abs() + 8, ..)]);
    for (i, _) in T.Parallel(32, 1) {
        w[(i, 0)] += 1f32;
    }
    if by * 32 + 32 <= M {
        T.copy(w[(16..32, ..)], z[(by * 32 + 16, 0)]);
    }
}

#[test]
fn ranges_are_shorter_than_blocks_and_open() {
    let m = 96;
    let host: Vec<f32> = (0..m * 64).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [m, 64])?;
        let mut y = device.upload(&vec![99.0; m * 64], [m, 64])?;
        let mut z = device.upload(&vec![99.0; m * 64], [m, 64])?;
        ranges(&x, 5, &mut y, &mut z).check(0.0)?;
        let (y, z) = (y.download()?, z.download()?);
        for (i, j) in (0..m).flat_map(|i| (0..64).map(move |j| (i, j))) {
            let row = i % 32;
            let within = row < 16 && j < 48;
            assert_eq!(
                y[i * 64 + j],
                if within { host[i * 64 + j] } else { 99.0 },
                "({i}, {j})"
            );
            let wanted = match row {
                16.. => host[(i - 16 + 5) * 64 + j] + if j == 0 { 1.0 } else { 0.0 },
                5..13 => 7.0,
                _ => 99.0,
            };
            assert_eq!(z[i * 64 + j], wanted, "({i}, {j})");
        }
        Ok(())
    });
}

/// A chain of conditions is written out once for each of its branches.
#[tt::kernel]
fn chain<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, n: u32, alpha: f32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = if bx == 0 {
            v[(i, j)] + 1.0
        } else if bx == 1 {
            v[(i, j)] * 2.0
        } else if by == 0 && n > 2 {
            -v[(i, j)]
        } else if bx == 2 {
            v[(j, i)]
        } else if alpha > 0.0 {
            v[(i, j)] * alpha
        } else if n == 7 {
            0.5
        } else if by == 1 {
            v[(i, j)].abs()
        } else if n == 1 {
            0.25
        } else {
            v[(i, j)] - 1.0
        };
    }
    T.copy(v, y[(by * 32, bx * 32)]);
}

#[test]
fn chains_of_conditions_have_no_limit_of_four() {
    let [m, n] = [96, 160];
    let host: Vec<f32> = (0..m * n).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [m, n])?;
        for (count, alpha) in [(1, 2.0_f32), (1, -1.0), (7, -1.0), (3, 0.0)] {
            let mut y = device.zeros::<f32>([m, n])?;
            chain(&x, count, alpha, &mut y).check(0.0)?;
            let y = y.download()?;
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let (bx, by, v) = (j / 32, i / 32, host[i * n + j]);
                let turned = host[(by * 32 + j % 32) * n + bx * 32 + i % 32];
                let wanted = match (bx, by) {
                    (0, _) => v + 1.0,
                    (1, _) => v * 2.0,
                    (_, 0) if count > 2 => -v,
                    (2, _) => turned,
                    _ if alpha > 0.0 => v * alpha,
                    _ if count == 7 => 0.5,
                    (_, 1) => v.abs(),
                    _ if count == 1 => 0.25,
                    _ => v - 1.0,
                };
                assert_eq!(y[i * n + j], wanted, "{count}, {alpha}: ({i}, {j})");
            }
        }
        Ok(())
    });
}

/// The side of a choice that is not taken divides by nothing.
#[tt::kernel]
fn quotients<const N: usize>(x: &Tensor<f32, N>, n: i32, y: &mut Tensor<f32, N>) {
    let b = T.Kernel(N.div_ceil(32));
    let v = T.alloc_shared::<f32>(32);
    let k = if n > 0 { N / n } else { 2 };
    let l = if n == 0 { 5 } else { 64 % n + 64.div_ceil(n) };
    let m = (n + 1).next_multiple_of(8);
    T.copy(x[b * 32], v);
    for t in 0..(if b > 0 { (k / b).min(3) } else { 1 }) {
        for i in T.Parallel(32) {
            v[i] += k as f32 + (l * 1000 + m) as f32 + t as f32;
        }
    }
    T.copy(v, y[b * 32]);
}

#[test]
fn the_side_that_is_not_taken_divides_by_nothing() {
    let n = 96;
    let host: Vec<f32> = (0..n).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [n])?;
        for by in [0, 1, 7, -3] {
            let mut y = device.zeros::<f32>([n])?;
            quotients(&x, by, &mut y).check(0.0)?;
            let y = y.download()?;
            let k = if by > 0 { n as i32 / by } else { 2 };
            let ceil = |a: i32, b: i32| a / b + i32::from(a % b != 0 && (a < 0) == (b < 0));
            let l = if by == 0 { 5 } else { 64 % by + ceil(64, by) };
            let m = ceil(by + 1, 8) * 8;
            for (i, x) in host.iter().enumerate() {
                let b = i as i32 / 32;
                let turns = if b > 0 { (k / b).min(3) } else { 1 };
                let wanted: f32 = *x + (0..turns).map(|t| (k + l * 1000 + m + t) as f32).sum::<f32>();
                assert_eq!(y[i], wanted, "{by}: {i}");
            }
        }
        Ok(())
    });
}

/// A grid with an extent of 0, in the source or at launch, runs nothing.
#[tt::kernel]
fn nothing<const N: usize>(x: &Tensor<f32, N>, n: u32, y: &mut Tensor<f32, N>) {
    {
        let (a, _) = T.Kernel(0, 1);
        let v = T.alloc_shared::<f32>(32);
        T.copy(x[a * 32], v);
        T.copy(v, y[a * 32]);
    }
    {
        let (a, _) = T.Kernel(N.div_ceil(32), n);
        let v = T.alloc_shared::<f32>(32);
        T.copy(x[a * 32], v);
        T.copy(v, y[a * 32]);
    }
}

#[test]
fn a_grid_without_blocks_runs_nothing() {
    let host: Vec<f32> = (0..64).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [64])?;
        for n in [0, 1] {
            let mut y = device.upload(&[99.0; 64], [64])?;
            nothing(&x, n, &mut y).check(0.0)?;
            assert_eq!(y.download()?, if n == 0 { vec![99.0; 64] } else { host.clone() });
        }
        Ok(())
    });
}
