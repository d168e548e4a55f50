//! Regions that begin and end anywhere along rows, go along leading axes, have steps, and are shorter than their block.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn values(count: usize) -> Vec<bf16> {
    (0..count)
        .map(|at| bf16::from_f64((at * 7 % 31) as f64 - 15.0))
        .collect()
}

/// The element of a matrix in a row and a column, which it may not have.
fn at(x: &[bf16], [rows, columns]: [usize; 2], row: i64, column: i64) -> Option<f32> {
    let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
    (row < rows && column < columns).then(|| x[row * columns + column].to_f32())
}

#[tt::kernel]
fn rows_to_rows<const M: usize, const N: usize, const P: usize>(
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, P, N>,
    from: i32,
    to: i32,
    count: i32,
) {
    let bx = T.Kernel(N.div_ceil(64));
    let v = T.alloc_shared::<bf16>(96, 64);
    T.copy(x[(from..from + count, bx * 64..bx * 64 + 64)], v);
    T.copy(v, y[(to..to + count, bx * 64..bx * 64 + 64)]);
}

#[test]
fn rows_begin_and_end_anywhere_and_what_is_not_stored_stays() {
    for (m, n, p, from, to, count) in [
        (100, 64, 100, 5, 40, 33),
        (100, 70, 120, 1, 0, 96),
        (100, 33, 40, 90, 30, 20),
        (64, 32, 64, -7, 3, 30),
        (64, 96, 64, 16, -5, 40),
        (64, 32, 64, 3, 3, 0),
        (64, 32, 64, 3, 3, -4),
        (3, 17, 5, 2, 1, 96),
    ] {
        let x = values(m * n);
        let mut expected = vec![bf16::from_f32(99.0); p * n];
        for i in 0..i64::from(count.max(0)) {
            for j in 0..n {
                let value = at(&x, [m, n], i64::from(from) + i, j as i64);
                let Some(to) = usize::try_from(i64::from(to) + i).ok().filter(|to| *to < p) else {
                    continue;
                };
                // Elements without value that a store reaches are not looked at.
                expected[to * n + j] = value.map_or(bf16::NAN, bf16::from_f32);
            }
        }
        on_both_chips(|device| {
            let a = device.upload(&x, [m, n])?;
            let mut y = device.upload(&vec![bf16::from_f32(99.0); p * n], [p, n])?;
            rows_to_rows(&a, &mut y, from, to, count).run()?;
            let found: Vec<bf16> = y.download()?;
            for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(
                    expected.is_nan() || found == expected,
                    "{m}x{n} to {p}x{n}, {count} rows from {from} to {to}: element {place} is {found}, not {expected}"
                );
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn heads<const B: usize, const S: usize, const H: usize>(
    x: &Tensor<bf16, B, S, H, 64>,
    y: &mut Tensor<f32, B, H, S, 64>,
    z: &mut Tensor<bf16, B, S, H, 64>,
) {
    let (s, h, b) = T.Kernel(S.div_ceil(32), H, B);
    let v = T.alloc_shared::<bf16>(32, 64);
    let w = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(b, s * 32..s * 32 + 32, h, 0..64)], v);
    T.copy(v, y[(b, h, s * 32, 0)]);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] = v[(i, j)] * 2.0;
    }
    T.copy(w, z[(b, s * 32..s * 32 + 32, h, 0..64)]);
}

#[test]
fn rows_go_along_a_leading_axis() {
    for [b, s, h] in [[2, 50, 3], [1, 1, 40], [1, 64, 1]] {
        on_both_chips(|device| {
            let host = values(b * s * h * 64);
            let x = device.upload(&host, [b, s, h, 64])?;
            let mut y = device.zeros::<f32>([b, h, s, 64])?;
            let mut z = device.zeros::<bf16>([b, s, h, 64])?;
            heads(&x, &mut y, &mut z).run()?;
            let (y, z): (Vec<f32>, Vec<bf16>) = (y.download()?, z.download()?);
            for place in 0..host.len() {
                let (d, rest) = (place % 64, place / 64);
                let (head, rest) = (rest % h, rest / h);
                let (row, batch) = (rest % s, rest / s);
                let value = host[place].to_f32();
                assert_eq!(y[((batch * h + head) * s + row) * 64 + d], value, "{place}");
                assert_eq!(z[place].to_f32(), value * 2.0, "{place}");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn every_second<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, first: i32) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(
        x[(
            (by * 64 + first..by * 64 + first + 64).step_by(2),
            bx * 32..bx * 32 + 32,
        )],
        v,
    );
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] += 1.0;
    }
    T.copy(
        v,
        y[(
            (by * 64 + first..by * 64 + first + 64).step_by(2),
            bx * 32..bx * 32 + 32,
        )],
    );
}

#[test]
fn a_step_takes_every_so_many_rows() {
    for (m, n, first) in [(128, 32, 0), (128, 40, 1), (70, 33, 1), (5, 64, 0)] {
        on_both_chips(|device| {
            let host: Vec<f32> = (0..m * n).map(|at| at as f32).collect();
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            every_second(&x, &mut y, first as i32).run()?;
            let taken = |at: usize| at / n % 2 == first;
            let expected: Vec<f32> = (0..m * n)
                .map(|at| if taken(at) { host[at] + 1.0 } else { 0.0 })
                .collect();
            assert_eq!(y.download()?, expected, "{m} x {n} from {first}");
            Ok(())
        });
    }
}

#[tt::kernel]
fn neighbours<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, k: i32) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 32) {
        let row = by * 32 + i;
        let column = bx * 32 + j;
        y[(row, column)] = if row > 0 && row < M - 1 {
            x[(row - 1, column)] + x[(row + 1, column)] - 2.0 * x[(row, column)] + x[(k, column)]
        } else {
            x[(row, column)]
        };
    }
}

#[test]
fn tensors_are_read_at_any_row_of_an_element_expression() {
    for (m, n, k) in [(64, 64, 7), (33, 40, 32), (70, 33, 0), (2, 3, 1)] {
        let host: Vec<f32> = (0..m * n).map(|at| (at * 5 % 23) as f32).collect();
        let of = |row: usize, column: usize| host[row * n + column];
        let expected: Vec<f32> = (0..m * n)
            .map(|place| {
                let (row, column) = (place / n, place % n);
                match row > 0 && row < m - 1 {
                    true => of(row - 1, column) + of(row + 1, column) - 2.0 * of(row, column) + of(k, column),
                    false => of(row, column),
                }
            })
            .collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            neighbours(&x, &mut y, k as i32).run()?;
            assert_eq!(y.download()?, expected, "{m} x {n}");
            let reference = neighbours(&x, &mut y, k as i32).reference()?;
            assert_eq!(reference["y"], expected[..], "{m} x {n}");
            Ok(())
        });
    }
}

#[tt::kernel]
fn small<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
    sums: &mut Tensor<f32, M, 1>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(16), M.div_ceil(5));
    let v = T.alloc_shared::<bf16>(5, 16);
    let sum = T.alloc_fragment::<f32>(5, 1);
    T.copy(x[(by * 5, bx * 16)], v);
    T.copy(v, y[(by * 5, bx * 16)]);
    if bx == 0 {
        T.reduce_sum(v, sum, dim = 1);
        T.copy(sum, sums[(by * 5, 0)]);
    }
}

#[test]
fn blocks_are_smaller_than_tiles() {
    for (m, n) in [(40, 96), (33, 50), (4, 7)] {
        let host = values(m * n);
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<bf16>([m, n])?;
            let mut sums = device.zeros::<f32>([m, 1])?;
            small(&x, &mut y, &mut sums).run()?;
            assert_eq!(y.download()?, host, "{m} x {n}");
            let expected: Vec<f32> = (0..m)
                .map(|row| host[row * n..][..n.min(16)].iter().map(|x| x.to_f32()).sum())
                .collect();
            assert_eq!(sums.download()?, expected, "{m} x {n}");
            Ok(())
        });
    }
}

#[tt::kernel]
fn ragged_product<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
    first: i32,
    count: i32,
    inner: i32,
) {
    let bn = T.Kernel(N.div_ceil(64));
    let x = T.alloc_shared::<bf16>(32, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    T.clear(acc);
    for k in T.Pipelined((K - inner).div_ceil(64), num_stages = 2) {
        T.copy(a[(first..first + count, k * 64..k * 64 + 64)], x);
        T.copy(b[(k * 64 + inner, bn * 64)], w);
        T.gemm(x, w, acc);
    }
    T.copy(acc, c[(first..first + count, bn * 64..bn * 64 + 64)]);
}

#[test]
fn products_of_parts_leave_out_what_the_parts_have_not() {
    for (m, k, n, first, count, inner) in [(70, 96, 64, 13, 20, 0), (70, 100, 65, 50, 32, 3), (8, 64, 32, 1, 5, 33)] {
        let (a_host, b_host) = (values(m * k), values(k * n));
        let mut expected = vec![7.0f32; m * n];
        for row in first..(first + count).min(m) {
            for column in 0..n {
                expected[row * n + column] = (inner..k)
                    .map(|at| a_host[row * k + at - inner].to_f32() * b_host[at * n + column].to_f32())
                    .sum();
            }
        }
        on_both_chips(|device| {
            let a = device.upload(&a_host, [m, k])?;
            let b = device.upload(&b_host, [k, n])?;
            let mut c = device.upload(&vec![7.0f32; m * n], [m, n])?;
            ragged_product(&a, &b, &mut c, first as i32, count as i32, inner as i32).run()?;
            assert_eq!(c.download()?, expected, "{m}x{k}x{n}");
            Ok(())
        });
    }
}
