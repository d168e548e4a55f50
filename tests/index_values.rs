//! Products, quotients, remainders, extremes and bits of the indices of elements, as values and in masks.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [[usize; 2]; 4] = [[64, 64], [130, 97], [5, 33], [32, 31]];

fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

/// Groups, parities, block-causal masks, and products with what is known at launch.
#[tt::kernel]
fn masks<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    c: &mut Tensor<f32, M, N>,
    d: &mut Tensor<f32, M, N>,
    e: &mut Tensor<f32, M, N>,
    n: i32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<f32>(64, 64);
    let y = T.alloc_shared::<f32>(64, 64);
    T.copy(a[(by * 64, bx * 64)], x);
    for (i, j) in T.Parallel(64, 64) {
        y[(i, j)] = if j / 16 < n { x[(i, j)] } else { 0.0 };
        y[(i, j)] += if (bx * 64 + j) % 2 == 0 { 1.0 } else { 2.0 };
    }
    T.copy(y, c[(by * 64, bx * 64)]);
    for (i, j) in T.Parallel(64, 64) {
        y[(i, j)] = if (by * 64 + i) / 24 >= (bx * 64 + j) / 24 {
            x[(i, j)]
        } else {
            -1.0
        };
        y[(i, j)] *= if i * n <= j && (63 - j) % 7 != 3 { 2.0 } else { 1.0 };
    }
    T.copy(y, d[(by * 64, bx * 64)]);
    for (i, j) in T.Parallel(64, 64) {
        y[(i, j)] = if j & 1 == 0 || (i ^ j) >> 2 & 3 > 1 {
            x[(i, j)]
        } else {
            8.0
        };
        y[(i, j)] += if i.min(j) > n && !j < -40 { 4.0 } else { 0.0 };
    }
    T.copy(y, e[(by * 64, bx * 64)]);
}

#[test]
fn masks_of_what_is_no_sum_of_indices() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        for scalar in [0_i64, 2, 3, -1] {
            on_both_chips(|device| {
                let a = device.upload(&host, [m, n])?;
                let [mut c, mut d, mut e] = [0; 3].map(|_| device.zeros::<f32>([m, n]).expect("zeros"));
                masks(&a, &mut c, &mut d, &mut e, scalar as i32).check(0.0)?;
                let [c, d, e]: [Vec<f32>; 3] = [c.download()?, d.download()?, e.download()?];
                for at in 0..m * n {
                    let (row, column) = ((at / n) as i64, (at % n) as i64);
                    let (i, j) = (row % 64, column % 64);
                    let value = host[at];
                    let parity = if column % 2 == 0 { 1.0 } else { 2.0 };
                    let expected = if j / 16 < scalar { value } else { 0.0 } + parity;
                    assert_eq!(c[at], expected, "{m} x {n}, {scalar}: {row}, {column}");
                    let causal = if row / 24 >= column / 24 { value } else { -1.0 };
                    let expected = causal * if i * scalar <= j && (63 - j) % 7 != 3 { 2.0 } else { 1.0 };
                    assert_eq!(d[at], expected, "{m} x {n}, {scalar}: {row}, {column}");
                    let bits = if j & 1 == 0 || (i ^ j) >> 2 & 3 > 1 { value } else { 8.0 };
                    let expected = bits + if i.min(j) > scalar && !j < -40 { 4.0 } else { 0.0 };
                    assert_eq!(e[at], expected, "{m} x {n}, {scalar}: {row}, {column}");
                }
                Ok(())
            });
        }
    }
}

/// As numbers and as integers.
#[tt::kernel]
fn values<const M: usize, const N: usize>(
    c: &mut Tensor<f32, M, N>,
    d: &mut Tensor<i32, M, N>,
    e: &mut Tensor<i32, M, N>,
    f: &mut Tensor<u32, M, N>,
    n: i32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<f32>(64, 64);
    let p = T.alloc_shared::<i32>(64, 64);
    let q = T.alloc_shared::<u32>(64, 64);
    for (i, j) in T.Parallel(64, 64) {
        x[(i, j)] = ((j / 2) as f32) * 0.5 + (j.div_ceil(4) as f32) + (i.min(j) as f32) - ((i * j) as f32);
        p[(i, j)] = i / 2 + j % 3;
    }
    T.copy(x, c[(by * 64, bx * 64)]);
    T.copy(p, d[(by * 64, bx * 64)]);
    for (i, j) in T.Parallel(64, 64) {
        p[(i, j)] = (by * 64 + i) * N + bx * 64 + j - (j - 20) / n + (n - i).div_ceil(3) - 3 * ((i - j) % 5).max(n);
        q[(i, j)] = (j ^ 5) | i << 4;
    }
    T.copy(p, e[(by * 64, bx * 64)]);
    T.copy(q, f[(by * 64, bx * 64)]);
}

fn div_ceil(a: i64, b: i64) -> i64 {
    a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)
}

#[test]
fn values_of_what_is_no_sum_of_indices() {
    for [m, n] in SHAPES {
        for scalar in [1_i64, 7, -3] {
            on_both_chips(|device| {
                let mut c = device.zeros::<f32>([m, n])?;
                let [mut d, mut e] = [0; 2].map(|_| device.zeros::<i32>([m, n]).expect("zeros"));
                let mut f = device.zeros::<u32>([m, n])?;
                values(&mut c, &mut d, &mut e, &mut f, scalar as i32).check(0.0)?;
                let (c, d, e, f) = (c.download()?, d.download()?, e.download()?, f.download()?);
                for at in 0..m * n {
                    let (row, column) = ((at / n) as i64, (at % n) as i64);
                    let (i, j) = (row % 64, column % 64);
                    let what = format!("{m} x {n}, {scalar}: {row}, {column}");
                    let expected = (j / 2) as f32 * 0.5 + div_ceil(j, 4) as f32 + i.min(j) as f32 - (i * j) as f32;
                    assert_eq!(c[at], expected, "{what}");
                    assert_eq!(i64::from(d[at]), i / 2 + j % 3, "{what}");
                    let expected = row * n as i64 + column - (j - 20) / scalar + div_ceil(scalar - i, 3)
                        - 3 * ((i - j) % 5).max(scalar);
                    assert_eq!(i64::from(e[at]), expected, "{what}");
                    assert_eq!(i64::from(f[at]), (j ^ 5) | i << 4, "{what}");
                }
                Ok(())
            });
        }
    }
}
