//! Reductions and masks against plain loops, on both emulated chips, at shapes around every multiple of 16, 32 and the block.
//! What lies in the padding of the tensors' tiles is no number.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [(usize, usize); 8] = [
    (64, 128),
    (1, 1),
    (31, 33),
    (32, 65),
    (33, 127),
    (65, 129),
    (15, 97),
    (100, 17),
];

/// Quarters between -8 and 8, exact in every format, and so are their sums.
fn values(count: usize) -> Vec<f64> {
    (0..count)
        .map(|at| ((at * 37 + at * at % 11 * 5) % 65) as f64 / 4.0 - 8.0)
        .collect()
}

fn close(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found = f64::from(*found);
        let error = (found - expected).abs();
        assert!(
            found == *expected || error <= tolerance * expected.abs().max(1.0),
            "{what}, [{at}]: {found} for {expected}"
        );
    }
}

/// A kernel for each axis: what is left of a block, and what is left of all blocks along the axis.
macro_rules! reductions {
    ($($module:ident: $reduce:ident of $element:ident, $init:expr, $alone:tt;)*) => {$(
        mod $module {
            use tt::prelude::*;

            #[tt::kernel]
            pub fn rows<const M: usize, const N: usize>(x: &Tensor<$element, M, N>, y: &mut Tensor<f32, M, 1>) {
                let by = T.Kernel(M.div_ceil(64));
                let block = T.alloc_shared::<$element>(64, 96);
                let left = T.alloc_fragment::<f32>(64);
                T.fill(left, $init);
                for k in T.Pipelined(N.div_ceil(96), num_stages = 2) {
                    T.copy(x[(by * 64, k * 96)], block);
                    T.$reduce(block, left, dim = 1, clear = $alone);
                }
                T.copy(left, y[(by * 64, 0)]);
            }

            #[tt::kernel]
            pub fn columns<const M: usize, const N: usize>(x: &Tensor<$element, M, N>, y: &mut Tensor<f32, 1, N>) {
                let bx = T.Kernel(N.div_ceil(32));
                let block = T.alloc_shared::<$element>(96, 32);
                let left = T.alloc_fragment::<f32>(1, 32);
                T.fill(left, $init);
                for k in T.Pipelined(M.div_ceil(96), num_stages = 2) {
                    T.copy(x[(k * 96, bx * 32)], block);
                    T.$reduce(block, left, dim = 0, clear = $alone);
                }
                T.copy(left, y[(0, bx * 32)]);
            }

            #[tt::kernel]
            pub fn all<const M: usize, const N: usize>(x: &Tensor<$element, M, N>, y: &mut Tensor<f32, 1, 1>) {
                let _one = T.Kernel(1);
                let block = T.alloc_shared::<$element>(64, 64);
                let left = T.alloc_fragment::<f32>(1, 1);
                T.fill(left, $init);
                for i in 0..M.div_ceil(64) {
                    for k in 0..N.div_ceil(64) {
                        T.copy(x[(i * 64, k * 64)], block);
                        T.$reduce(block, left, dim = (0, 1), clear = $alone);
                    }
                }
                T.copy(left, y[(0, 0)]);
            }
        }
    )*};
}

reductions! {
    sum_bf16: reduce_sum of bf16, 0.0, false;
    sum_f32: reduce_sum of f32, 0.0, false;
    max_bf16: reduce_max of bf16, f32::NEG_INFINITY, false;
    max_f32: reduce_max of f32, f32::NEG_INFINITY, false;
    min_bf16: reduce_min of bf16, f32::INFINITY, false;
    min_f32: reduce_min of f32, f32::INFINITY, false;
    absmax_f32: reduce_absmax of f32, 0.0, false;
    mean_f32: reduce_mean of f32, 0.0, true;
}

/// What is left of `of`, block by block where a mean is not carried on.
fn folded(of: &[f64], block: usize, fold: &str) -> f64 {
    let of = if fold == "mean" {
        of.chunks(block).last().unwrap_or(&[])
    } else {
        of
    };
    let all = of.iter().copied();
    match fold {
        "sum" => all.sum(),
        "max" => all.fold(f64::NEG_INFINITY, f64::max),
        "min" => all.fold(f64::INFINITY, f64::min),
        "absmax" => all.fold(0.0, |a, b| a.max(b.abs())),
        _ => all.sum::<f64>() / of.len() as f64,
    }
}

macro_rules! check {
    ($device:expr, $module:ident, $element:ident, $fold:literal) => {
        for (m, n) in SHAPES {
            let what = format!("{} {m} x {n}", stringify!($module));
            let x = values(m * n);
            let host: Vec<$element> = x.iter().map(|x| $element::from_f64(*x)).collect();
            let tensor = $device.upload(&host, [m, n])?;

            let mut rows = $device.zeros::<f32>([m, 1])?;
            $module::rows(&tensor, &mut rows).run()?;
            let expected: Vec<f64> = x.chunks(n).map(|row| folded(row, 96, $fold)).collect();
            close(&format!("{what} rows"), &rows.download()?, &expected, 1e-6);
            let reference = $module::rows(&tensor, &mut rows).reference()?.into_single()?;
            close(&format!("{what} rows, reference"), &reference, &expected, 1e-6);

            let mut columns = $device.zeros::<f32>([1, n])?;
            $module::columns(&tensor, &mut columns).run()?;
            let column = |j: usize| (0..m).map(|i| x[i * n + j]).collect::<Vec<f64>>();
            let expected: Vec<f64> = (0..n).map(|j| folded(&column(j), 96, $fold)).collect();
            close(&format!("{what} columns"), &columns.download()?, &expected, 1e-6);
            let reference = $module::columns(&tensor, &mut columns).reference()?.into_single()?;
            close(&format!("{what} columns, reference"), &reference, &expected, 1e-6);

            if $fold != "mean" {
                let mut all = $device.zeros::<f32>([1, 1])?;
                $module::all(&tensor, &mut all).run()?;
                close(&format!("{what} all"), &all.download()?, &[folded(&x, 1, $fold)], 1e-6);
                let reference = $module::all(&tensor, &mut all).reference()?.into_single()?;
                close(
                    &format!("{what} all, reference"),
                    &reference,
                    &[folded(&x, 1, $fold)],
                    1e-6,
                );
            }
        }
    };
}

trait FromF64 {
    fn from_f64(value: f64) -> Self;
}

impl FromF64 for f32 {
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

#[test]
fn every_reduction_along_every_axis() {
    on_both_chips(|device| {
        check!(device, sum_bf16, bf16, "sum");
        check!(device, sum_f32, f32, "sum");
        check!(device, max_bf16, bf16, "max");
        check!(device, max_f32, f32, "max");
        check!(device, min_bf16, bf16, "min");
        check!(device, min_f32, f32, "min");
        check!(device, absmax_f32, f32, "absmax");
        check!(device, mean_f32, f32, "mean");
        Ok(())
    });
}

/// A maximum of f32 is one of the elements, to the bit.
#[test]
fn maxima_are_exact() {
    on_both_chips(|device| {
        let x: Vec<f32> = (0..64 * 96)
            .map(|at| 1.0 + ((at * 7919) % 10007) as f32 * 1.2e-7)
            .collect();
        let tensor = device.upload(&x, [64, 96])?;
        let mut y = device.zeros::<f32>([64, 1])?;
        max_f32::rows(&tensor, &mut y).run()?;
        let expected: Vec<f32> = x
            .chunks(96)
            .map(|row| row.iter().copied().fold(f32::MIN, f32::max))
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// A choice by indices: below, on and above the diagonal, and every third of a sum of them.
#[tt::kernel]
fn masks<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    n: i32,
    causal: &mut Tensor<f32, M, N>,
    band: &mut Tensor<f32, M, N>,
    index: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_fragment::<f32>(32, 64);
    let w = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] = if bx * 64 + j <= by * 32 + i {
            v[(i, j)]
        } else {
            f32::NEG_INFINITY
        };
    }
    T.copy(w, causal[(by * 32, bx * 64)]);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] = if bx * 64 + j - 2 * (by * 32 + i) == n || !(i + j != n) {
            1.5
        } else if v[(i, j)] > 0.0 && bx * 64 + j >= 3 {
            v[(i, j)]
        } else {
            -1.0
        };
    }
    T.copy(w, band[(by * 32, bx * 64)]);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] = (bx * 64 + j) as f32 * 0.5 - ((by * 32 + i) * 3) as f32 + (n as f32) + (by as f32);
    }
    T.copy(w, index[(by * 32, bx * 64)]);
}

#[test]
fn indices_are_values() {
    on_both_chips(|device| {
        for (m, n) in SHAPES {
            for k in [-5i32, 0, 7, 40] {
                let x = values(m * n);
                let host: Vec<f32> = x.iter().map(|x| *x as f32).collect();
                let tensor = device.upload(&host, [m, n])?;
                let mut out = [0; 3].map(|_| device.zeros::<f32>([m, n]).expect("room"));
                let [causal, band, index] = &mut out;
                masks(&tensor, k, causal, band, index).run()?;
                let expected = |of: &dyn Fn(i64, i64, f64) -> f64| -> Vec<f64> {
                    (0..m * n)
                        .map(|at| of((at / n) as i64, (at % n) as i64, x[at]))
                        .collect()
                };
                let k = i64::from(k);
                let what = |name: &str| format!("{name} {m} x {n}, {k}");
                let lower = expected(&|i, j, x| if j <= i { x } else { f64::NEG_INFINITY });
                close(&what("causal"), &causal.download()?, &lower, 0.0);
                let banded = expected(&|i, j, x| {
                    if j - 2 * i == k || i % 32 + j % 64 == k {
                        1.5
                    } else if x > 0.0 && j >= 3 {
                        x
                    } else {
                        -1.0
                    }
                });
                close(&what("band"), &band.download()?, &banded, 0.0);
                let numbers = expected(&|i, j, _| j as f64 * 0.5 - 3.0 * i as f64 + k as f64 + (i / 32) as f64);
                close(&what("index"), &index.download()?, &numbers, 0.0);
                let [causal, band, index] = &mut out;
                let reference = masks(&tensor, k as i32, causal, band, index).reference()?;
                for (name, expected) in [("causal", &lower), ("band", &banded), ("index", &numbers)] {
                    close(&what(name), reference.get(name).expect("an output"), expected, 0.0);
                }
            }
        }
        Ok(())
    });
}

/// What has no value is left out of sums of anything, and constants that a mask puts there are not.
#[tt::kernel]
fn chosen_past_the_edge<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    left_out: &mut Tensor<f32, M, 1>,
    put_in: &mut Tensor<f32, M, 1>,
    some_put_in: &mut Tensor<f32, M, 1>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let s = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], v);
    for (i, j) in T.Parallel(32, 128) {
        e[(i, j)] = v[(i, j)].exp() + 1.0;
    }
    T.reduce_sum(e, s, dim = 1);
    T.copy(s, left_out[(by * 32, 0)]);
    for (i, j) in T.Parallel(32, 128) {
        e[(i, j)] = if j < N { v[(i, j)] } else { 2.0 };
    }
    T.reduce_sum(e, s, dim = 1);
    T.copy(s, put_in[(by * 32, 0)]);
    for (i, j) in T.Parallel(32, 128) {
        e[(i, j)] = if j < 100 { v[(i, j)] } else { 2.0 };
    }
    T.reduce_sum(e, s, dim = 1);
    T.copy(s, some_put_in[(by * 32, 0)]);
}

#[test]
fn sums_skip_what_has_no_value() {
    on_both_chips(|device| {
        for (m, n) in [(32, 128), (5, 3), (33, 127), (31, 100), (64, 99), (1, 101)] {
            let x = values(m * n);
            let host: Vec<bf16> = x.iter().map(|x| bf16::from_f64(*x)).collect();
            let tensor = device.upload(&host, [m, n])?;
            let mut out = [0; 3].map(|_| device.zeros::<f32>([m, 1]).expect("room"));
            let [left_out, put_in, some] = &mut out;
            let reference = chosen_past_the_edge(&tensor, left_out, put_in, some).reference()?;
            chosen_past_the_edge(&tensor, left_out, put_in, some).run()?;
            let rows = |of: &dyn Fn(&[f64]) -> f64| -> Vec<f64> { x.chunks(n).map(of).collect() };
            let told = |name: &str| reference.get(name).expect("an output").to_vec();
            let expected = rows(&|row| row.iter().map(|x| x.exp() + 1.0).sum());
            close(&format!("left out {m} x {n}"), &left_out.download()?, &expected, 1e-2);
            close(
                &format!("left out {m} x {n}, reference"),
                &told("left_out"),
                &expected,
                1e-6,
            );
            let expected = rows(&|row| row.iter().sum::<f64>() + 2.0 * (128 - n) as f64);
            close(&format!("put in {m} x {n}"), &put_in.download()?, &expected, 1e-6);
            close(
                &format!("put in {m} x {n}, reference"),
                &told("put_in"),
                &expected,
                1e-6,
            );
            let expected = rows(&|row| row.iter().take(100).sum::<f64>() + 56.0);
            close(&format!("some {m} x {n}"), &some.download()?, &expected, 1e-6);
            close(
                &format!("some {m} x {n}, reference"),
                &told("some_put_in"),
                &expected,
                1e-6,
            );
        }
        Ok(())
    });
}

/// Choices with several conditions over several tiles, which need more registers than there are; sums that start from a number.
#[tt::kernel]
fn cut_and_kept(
    x: &Tensor<bf16, 20, 50>,
    n: i32,
    chosen: &mut Tensor<f32, 20, 1>,
    kept: &mut Tensor<f32, 20, 1>,
    most: &mut Tensor<f32, 1, 1>,
) {
    let _one = T.Kernel(1);
    let v = T.alloc_shared::<bf16>(32, 64);
    let e = T.alloc_fragment::<f32>(32, 64);
    let r = T.alloc_fragment::<f32>(32, 1);
    let a = T.alloc_shared::<bf16>(32, 32);
    let b = T.alloc_shared::<bf16>(32, 64);
    let m = T.alloc_fragment::<f32>(1, 1);
    T.copy(x[(0, 0)], v);
    for (i, j) in T.Parallel(32, 64) {
        e[(i, j)] = if v[(i, j)] > 0.5 && v[(i, j)] < 1.5 || j > n {
            v[(i, j)] * 2.0
        } else {
            -1.0
        };
    }
    T.reduce_sum(e, r, dim = 1);
    T.copy(r, chosen[(0, 0)]);
    T.fill(e, 7.0);
    T.fill(a, 1.0);
    T.copy(x[(0, 0)], b);
    T.gemm(a, b, e);
    T.reduce_sum(e, r, dim = 1);
    T.copy(r, kept[(0, 0)]);
    T.reduce_max(v, r, dim = 1);
    for (i, j) in T.Parallel(32, 1) {
        r[(i, j)] = if i < 20 { r[(i, j)] } else { 0.0 };
    }
    T.reduce_max(r, m, dim = 0);
    T.copy(m, most[(0, 0)]);
}

/// The block that is summed was read in one place or in another.
#[tt::kernel]
fn of_two_paths(x: &Tensor<bf16, 20, 50>, n: i32, y: &mut Tensor<f32, 32, 1>) {
    let _one = T.Kernel(1);
    let v = T.alloc_shared::<bf16>(32, 64);
    let w = T.alloc_shared::<bf16>(32, 64);
    let r = T.alloc_fragment::<f32>(32);
    T.copy(x[(0, 0)], v);
    T.fill(w, 3.0);
    if n > 3 {
        for (i, j) in T.Parallel(32, 64) {
            w[(i, j)] = v[(i, j)] + 1.0;
        }
    }
    T.reduce_sum(w, r, dim = 1);
    T.copy(r, y[(0, 0)]);
}

/// Masks near the ends of 32 bits.
#[tt::kernel]
fn far(x: &Tensor<f32, 20, 50>, n: i32, y: &mut Tensor<f32, 20, 50>) {
    let _one = T.Kernel(1);
    let v = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(0, 0)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = if 65536 * j - 65536 * i < n && j <= n {
            v[(i, j)]
        } else {
            0.5
        };
    }
    T.copy(v, y[(0, 0)]);
}

#[test]
fn a_stranger_found_these() {
    let (m, n) = (20, 50);
    let x = values(m * n);
    on_both_chips(|device| {
        let host: Vec<bf16> = x.iter().map(|x| bf16::from_f64(*x)).collect();
        let tensor = device.upload(&host, [m, n])?;
        let [mut chosen, mut kept] = [device.zeros::<f32>([m, 1])?, device.zeros::<f32>([m, 1])?];
        let mut most = device.zeros::<f32>([1, 1])?;
        cut_and_kept(&tensor, 40, &mut chosen, &mut kept, &mut most).run()?;
        let of = |row: &[f64]| -> f64 {
            let each = |(j, v): (usize, &f64)| if *v > 0.5 && *v < 1.5 || j > 40 { v * 2.0 } else { -1.0 };
            row.iter().enumerate().map(each).sum()
        };
        let expected: Vec<f64> = x.chunks(n).map(of).collect();
        close("chosen", &chosen.download()?, &expected, 1e-6);
        let sums: f64 = 64.0 * 7.0 + x.iter().sum::<f64>();
        close("kept", &kept.download()?, &vec![sums; m], 1e-5);
        close("most", &most.download()?, &[x.iter().copied().fold(0.0, f64::max)], 0.0);

        let mut y = device.zeros::<f32>([32, 1])?;
        for n in [2, 5] {
            let launch = of_two_paths(&tensor, n, &mut y);
            let reference = launch.reference()?.into_single()?;
            launch.run()?;
            let wide: Vec<f64> = reference.iter().map(|v| f64::from(*v)).collect();
            close(&format!("of two paths, {n}"), &y.download()?, &wide, 1e-5);
        }

        let host: Vec<f32> = x.iter().map(|x| *x as f32).collect();
        let tensor = device.upload(&host, [m, n])?;
        let mut y = device.zeros::<f32>([m, n])?;
        for limit in [i32::MIN, i32::MIN + 40, -70_000, 0, 7, 70_000, i32::MAX - 1, i32::MAX] {
            far(&tensor, limit, &mut y).run()?;
            let k = i64::from(limit);
            let of = |at: usize| {
                let (i, j) = ((at / n) as i64, (at % n) as i64);
                if 65536 * j - 65536 * i < k && j <= k {
                    x[at]
                } else {
                    0.5
                }
            };
            let expected: Vec<f64> = (0..m * n).map(of).collect();
            close(&format!("far, {limit}"), &y.download()?, &expected, 0.0);
        }
        Ok(())
    });
}

/// Means of blocks of which nothing may lie in the tensor: they have no value, and leave what is stored and multiplied as it is.
#[tt::kernel]
fn of_nothing<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    n: i32,
    k: i32,
    rows: &mut Tensor<f32, 32, 1>,
    columns: &mut Tensor<f32, 1, 32>,
    all: &mut Tensor<f32, 1, 1>,
    held: &mut Tensor<f32, 32, 32>,
) {
    let b = T.Kernel(1);
    let z = T.alloc_shared::<f32>(32, 32);
    let y = T.alloc_shared::<f32>(32, 32);
    let by_row = T.alloc_fragment::<f32>(32, 1);
    let by_column = T.alloc_fragment::<f32>(1, 32);
    let one = T.alloc_fragment::<f32>(1, 1);
    T.clear(z);
    if k > -100 {
        T.copy(x[(b + n, k)], z);
    }
    T.reduce_mean(z, by_row, dim = 1);
    T.reduce_mean(z, by_column, dim = 0);
    T.reduce_mean(z, one, dim = (0, 1));
    T.fill(y, 5.0);
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] += by_row[(i, 0)] + one[(0, 0)];
    }
    T.copy(by_row, rows[(b, 0)]);
    T.copy(by_column, columns[(b, 0)]);
    T.copy(one, all[(b, 0)]);
    T.copy(y, held[(b, 0)]);
}

#[test]
fn the_mean_of_nothing_has_no_value() -> tt::Result<()> {
    let (m, n) = (48, 40);
    let host: Vec<f32> = (0..m * n).map(|at| (at % 7) as f32).collect();
    for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = Device::open_named(chip)?;
        let x = device.upload(&host, [m, n])?;
        for (row, column) in [
            (0, 0),
            (-32, 0),
            (-31, -31),
            (47, 39),
            (48, 0),
            (0, 40),
            (-40, 100),
            (5, -32),
            (0, -100),
        ] {
            let mut rows = device.upload(&[99.0f32; 32], [32, 1])?;
            let mut columns = device.upload(&[99.0f32; 32], [1, 32])?;
            let mut all = device.upload(&[99.0f32], [1, 1])?;
            let mut held = device.zeros::<f32>([32, 32])?;
            of_nothing(&x, row, column, &mut rows, &mut columns, &mut all, &mut held).check(1e-5)?;
            let value = |i: i32, j: i32| {
                let (i, j) = (usize::try_from(i + row).ok()?, usize::try_from(j + column).ok()?);
                (i < m && j < n).then(|| host[i * n + j])
            };
            let mean = |of: &mut dyn Iterator<Item = Option<f32>>| {
                let found: Vec<f32> = of.flatten().collect();
                (!found.is_empty()).then(|| found.iter().sum::<f32>() / found.len() as f32)
            };
            let is_read = column > -100;
            let at = |i, j| if is_read { value(i, j) } else { Some(0.0) };
            let near = |found: f32, wanted: Option<f32>, what: &str| {
                let wanted = wanted.unwrap_or(99.0);
                assert!(
                    (found - wanted).abs() < 1e-4,
                    "{what}, ({row}, {column}): {found} {wanted}"
                );
            };
            let one = mean(&mut (0..1024).map(|of| at(of / 32, of % 32)));
            near(all.download()?[0], one, "all");
            for i in 0..32 {
                let by_row = mean(&mut (0..32).map(|j| at(i, j)));
                near(rows.download()?[i as usize], by_row, "rows");
                near(
                    columns.download()?[i as usize],
                    mean(&mut (0..32).map(|j| at(j, i))),
                    "columns",
                );
                let sum = by_row.zip(one).map_or(5.0, |(x, y)| 5.0 + x + y);
                near(held.download()?[i as usize * 32], Some(sum), "held");
            }
        }
    }
    Ok(())
}
