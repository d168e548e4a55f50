//! Elements of blocks at any offset, against plain loops on both emulated chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

/// A stencil in L1, of what was computed there: constant offsets within tiles.
#[tt::kernel]
fn stencil<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(30), M.div_ceil(30));
    let v = T.alloc_shared::<bf16>(32, 32);
    let w = T.alloc_fragment::<f32>(30, 30);
    T.copy(x[(by * 30 - 1, bx * 30 - 1)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] * 2.0;
    }
    T.clear(w);
    for (i, j) in T.Parallel(30, 30) {
        w[(i, j)] += v[(i, j + 1)];
        w[(i, j)] += v[(i + 2, j + 1)];
        w[(i, j)] += v[(i + 1, j)];
        w[(i, j)] += v[(i + 1, j + 2)];
    }
    T.copy(w, y[(by * 30, bx * 30)]);
}

#[test]
fn a_stencil_reads_the_neighbours_of_what_was_computed() {
    for [m, n] in [[30, 62], [64, 128], [31, 61], [90, 100], [1, 1], [3, 40]] {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.upload(&vec![99.0f32; m * n], [m, n])?;
            stencil(&x, &mut y).check(0.0)?;
            let found = y.download()?;
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let around = [(0, 1), (2, 1), (1, 0), (1, 2)];
                let values = around.into_iter().filter_map(|(di, dj)| {
                    let (row, column) = ((i + di).checked_sub(1)?, (j + dj).checked_sub(1)?);
                    (row < m && column < n).then(|| number(row * n + column) * 2.0)
                });
                assert_eq!(found[i * n + j], values.sum::<f32>(), "{m}x{n}: ({i}, {j})");
            }
            Ok(())
        });
    }
}

/// Stores at any offset, of parts, vectors and rows.
#[tt::kernel]
fn placed<const M: usize>(
    x: &Tensor<f32, M, 64>,
    first: &Tensor<i32, 2>,
    n: i32,
    y: &mut Tensor<f32, M, 64>,
    v: &mut Tensor<f32, 64>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let a = T.alloc_shared::<f32>(64, 64);
    let b = T.alloc_shared::<f32>(64, 64);
    let r = T.alloc_fragment::<f32>(64);
    let s = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, 0)], a);
    T.copy(a, b);
    T.copy(x[(by * 64, 0..64)], r);
    T.copy(r, s);
    for (i, j) in T.Parallel(17, 40) {
        b[(i + 5, j + 3)] = a[(i + 20, j + 11)] + 1.0;
    }
    let row = first[0];
    let column = first[1];
    for (i, j) in T.Parallel(20, 30) {
        b[(i + row, j + column)] += a[(i + n, j + 1)];
    }
    for j in T.Parallel(30) {
        b[(40, j + 33)] = a[(n, j)];
        s[j + 21] = r[j + n] * 2.0;
    }
    T.copy(b, y[(by * 64, 0)]);
    T.copy(s, v[by * 64]);
}

/// Some elements, none of them where a tensor has none.
fn same(found: &[f32], expected: &[Option<f32>], first: usize, what: &str) {
    let inside = expected.iter().enumerate().filter(|(at, _)| first + at < found.len());
    for (at, expected) in inside {
        let expected = expected.unwrap_or(99.0);
        assert_eq!(found[first + at], expected, "{what}: ({}, {})", at / 64, at % 64);
    }
}

#[test]
fn stores_leave_what_lies_beside_them() {
    for m in [64, 128, 50, 1] {
        let host: Vec<f32> = (0..m * 64).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, 64])?;
            for (row, column, n) in [(0, 0, 0), (3, 31, 4), (44, 34, 33)] {
                let first = device.upload(&[row, column], [2])?;
                let mut y = device.upload(&vec![99.0f32; m * 64], [m, 64])?;
                let mut v = device.zeros::<f32>([64])?;
                placed(&x, &first, n, &mut y, &mut v).check(0.0)?;
                let (row, column, n) = (row as usize, column as usize, n as usize);
                let (y, v) = (y.download()?, v.download()?);
                for block in 0..m.div_ceil(64) {
                    let a = |i: usize, j: usize| host.get((block * 64 + i) * 64 + j).copied();
                    let mut b: Vec<Option<f32>> = (0..64 * 64).map(|at| a(at / 64, at % 64)).collect();
                    for (i, j) in (0..17).flat_map(|i| (0..40).map(move |j| (i, j))) {
                        b[(i + 5) * 64 + j + 3] = a(i + 20, j + 11).map(|x| x + 1.0);
                    }
                    for (i, j) in (0..20).flat_map(|i| (0..30).map(move |j| (i, j))) {
                        let held = &mut b[(i + row) * 64 + j + column];
                        *held = held.map(|held| held + a(i + n, j + 1).unwrap_or(0.0));
                    }
                    let mut s: Vec<Option<f32>> = (0..64).map(|j| a(0, j)).collect();
                    for j in 0..30 {
                        b[40 * 64 + j + 33] = a(n, j);
                        s[j + 21] = a(0, j + n).map(|x| x * 2.0);
                    }
                    same(&y, &b, block * 64 * 64, &format!("{m}, {row} {column} {n}"));
                    if block == 0 {
                        same(&v, &s, 0, &format!("v of {m}, {row} {column} {n}"));
                    }
                }
            }
            Ok(())
        });
    }
}

/// Parts that are copied, and reads that a choice makes: turned, of one column, at offsets that it leaves unread.
#[tt::kernel]
fn chosen<const M: usize>(x: &Tensor<bf16, M, 64>, n: i32, z: &mut Tensor<f32, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
    let a = T.alloc_shared::<bf16>(64, 64);
    let b = T.alloc_shared::<f32>(64, 64);
    let s = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, 0)], a);
    T.copy(a, b);
    T.copy(a[(3..23, 7..37)], b[(31..51, 2..32)]);
    T.reduce_sum(a, s, dim = 1);
    for (i, j) in T.Parallel(50, 30) {
        b[(i, j + 34)] = if i > 40 && n > 3 {
            a[(j + 1, i + n)]
        } else {
            a[(i + 9, j + 2)] - s[i + 3]
        };
    }
    T.copy(b, z[(by * 64, 0)]);
}

#[test]
fn parts_are_copied_and_chosen() {
    for m in [64, 128, 50, 1] {
        let numbers: Vec<f32> = (0..m * 64).map(number).collect();
        let host: Vec<bf16> = numbers.iter().map(|x| bf16::from_f32(*x)).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, 64])?;
            for n in [-70, 0, 4, 14] {
                let mut z = device.upload(&vec![99.0f32; m * 64], [m, 64])?;
                chosen(&x, n, &mut z).check(0.0)?;
                let z = z.download()?;
                for block in 0..m.div_ceil(64) {
                    let a = |i: usize, j: usize| numbers.get((block * 64 + i) * 64 + j).copied();
                    let mut b: Vec<Option<f32>> = (0..64 * 64).map(|at| a(at / 64, at % 64)).collect();
                    for (i, j) in (0..20).flat_map(|i| (0..30).map(move |j| (i, j))) {
                        b[(i + 31) * 64 + j + 2] = a(i + 3, j + 7);
                    }
                    let s = |i: usize| (0..64).filter_map(|j| a(i, j)).sum::<f32>();
                    for (i, j) in (0..50).flat_map(|i| (0..30).map(move |j| (i, j))) {
                        b[i * 64 + j + 34] = match i > 40 && n > 3 {
                            true => a(j + 1, i + n as usize),
                            false => a(i + 9, j + 2).map(|x| x - s(i + 3)),
                        };
                    }
                    same(&z, &b, block * 64 * 64, &format!("{m}, {n}"));
                }
            }
            Ok(())
        });
    }
}

/// What lies outside is said.
#[tt::kernel]
fn outside(x: &Tensor<f32, 32, 64>, n: i32, m: i32, y: &mut Tensor<f32, 32, 64>) {
    let bx = T.Kernel(1);
    let a = T.alloc_shared::<f32>(32, 64);
    T.copy(x[(0, bx)], a);
    for (i, j) in T.Parallel(20, 40) {
        a[(i + m, j)] = a[(i, j + n)];
    }
    T.copy(a, y[(bx, 0)]);
}

#[test]
fn what_lies_outside_of_a_block_is_said() {
    on_both_chips(|device| {
        let host: Vec<f32> = (0..32 * 64).map(number).collect();
        let x = device.upload(&host, [32, 64])?;
        let mut y = device.zeros::<f32>([32, 64])?;
        outside(&x, 24, 12, &mut y).check(0.0)?;
        for (n, m, what) in [
            (25, 0, "the columns from n on are some of a"),
            (-1, 0, "the columns from n on are some of a"),
            (0, 13, "the rows from m on are some of a"),
        ] {
            let error = outside(&x, n, m, &mut y).run().expect_err(what).to_string();
            assert!(error.contains(what), "{error}");
        }
        Ok(())
    });
}

/// Elements of which some have a value past an edge and some have none, moved and summed; and stored with their indices swapped.
#[tt::kernel]
fn mixed<const M: usize>(
    x: &Tensor<f32, M, 40>,
    u: &Tensor<f32, 32, 64>,
    n: i32,
    y: &mut Tensor<f32, 40, M>,
    sums: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 64);
    let w = T.alloc_shared::<f32>(32, 64);
    let z = T.alloc_shared::<f32>(64, 32);
    let s = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], v);
    T.copy(u[(0, 0)], w);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = if w[(i, j)] > 0.0 { v[(i, j)] } else { w[(i, j)] };
    }
    T.clear(w);
    for (i, j) in T.Parallel(30, 61) {
        w[(i + 1, j + n)] = v[(i + n, j + 2)];
    }
    T.reduce_sum(w, s, dim = 1);
    for (i, j) in T.Parallel(32, 64) {
        z[(j, i)] = w[(i, j)];
    }
    T.copy(z, y[(0, by * 32)]);
    T.copy(s, sums[by * 32]);
}

#[test]
fn what_has_no_value_moves_with_the_others() {
    for m in [32, 64, 50, 7] {
        let host: Vec<f32> = (0..m * 40).map(number).collect();
        let other: Vec<f32> = (0..32 * 64).map(|at| number(at * 5 + 3)).collect();
        on_both_chips(|device| {
            let (x, u) = (device.upload(&host, [m, 40])?, device.upload(&other, [32, 64])?);
            for n in [0, 2] {
                let mut y = device.upload(&vec![99.0f32; 40 * m], [40, m])?;
                let mut sums = device.upload(&vec![99.0f32; m], [m])?;
                mixed(&x, &u, n, &mut y, &mut sums).check(0.0)?;
                let (y, sums, n) = (y.download()?, sums.download()?, n as usize);
                for row in 0..m {
                    let v = |i: usize, j: usize| {
                        let (of, u) = (row / 32 * 32 + i, other[i * 64 + j]);
                        if u > 0.0 {
                            (of < m && j < 40).then(|| host[of * 40 + j])
                        } else {
                            Some(u)
                        }
                    };
                    let w = |j: usize| match (row % 32, j) {
                        (1..31, j) if (n..n + 61).contains(&j) => v(row % 32 - 1 + n, j - n + 2),
                        _ => Some(0.0),
                    };
                    for j in 0..40 {
                        assert_eq!(y[j * m + row], w(j).unwrap_or(99.0), "{m}, {n}: ({row}, {j})");
                    }
                    assert_eq!(sums[row], (0..64).filter_map(w).sum::<f32>(), "{m}, {n}: {row}");
                }
            }
            Ok(())
        });
    }
}

macro_rules! of_type {
    ($($name:ident $element:ident $of:expr;)*) => {$(
        mod $name {
            use super::*;

            #[tt::kernel]
            fn moved(x: &Tensor<$element, 50, 40>, y: &mut Tensor<$element, 50, 40>) {
                let bx = T.Kernel(1);
                let a = T.alloc_shared::<$element>(64, 64);
                let b = T.alloc_shared::<$element>(64, 64);
                T.copy(x[(0, bx)], a);
                T.copy(a, b);
                for (i, j) in T.Parallel(33, 18) {
                    b[(i + 13, j + 19)] = a[(i + 1, j + 17)];
                }
                T.copy(b, y[(bx, 0)]);
            }

            #[test]
            fn elements_move_as_they_are() {
                let of = $of;
                let host: Vec<$element> = (0..50 * 40).map(|at| of(at)).collect();
                on_both_chips(|device| {
                    let x = device.upload(&host, [50, 40])?;
                    let mut y = device.upload(&host, [50, 40])?;
                    moved(&x, &mut y).run()?;
                    let found = y.download()?;
                    for (i, j) in (0..50).flat_map(|i| (0..40).map(move |j| (i, j))) {
                        let is_moved = (13..46).contains(&i) && (19..37).contains(&j);
                        let from = if is_moved { (i - 12) * 40 + j - 2 } else { i * 40 + j };
                        assert_eq!(found[i * 40 + j], host[from], "({i}, {j})");
                    }
                    Ok(())
                });
            }
        }
    )*};
}

of_type! {
    singles f32 |at: usize| 1.0 + at as f32 / 8388608.0;
    halves f16 |at: usize| f16::from_f32(number(at) * 0.25);
    signed i32 |at: usize| (at as i32).wrapping_mul(0x0123_4567);
    unsigned u32 |at: usize| (at as u32).wrapping_mul(0x9123_4567);
    short u16 |at: usize| (at * 31) as u16;
}

/// Rows and elements of integers, which are moved and not picked out.
#[tt::kernel]
fn rows(x: &Tensor<u32, 40, 50>, n: i32, y: &mut Tensor<u32, 40, 50>) {
    let bx = T.Kernel(1);
    let a = T.alloc_shared::<u32>(64, 64);
    T.copy(x[(0, bx)], a);
    for (i, j) in T.Parallel(64, 64) {
        a[(i, j)] = a[(i, j)] ^ a[(n, j)] ^ a[(i, 3)] ^ a[(n, 5)];
    }
    T.copy(a, y[(bx, 0)]);
}

#[test]
fn rows_of_integers_repeat() {
    let host: Vec<u32> = (0..40 * 50).map(|at| (at as u32).wrapping_mul(0x9123_4567)).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [40, 50])?;
        let mut y = device.zeros::<u32>([40, 50])?;
        for n in [0, 17, 39] {
            rows(&x, n as i32, &mut y).run()?;
            let found = y.download()?;
            for (i, j) in (0..40).flat_map(|i| (0..50).map(move |j| (i, j))) {
                let at = |i: usize, j: usize| host[i * 50 + j];
                let expected = at(i, j) ^ at(n, j) ^ at(i, 3) ^ at(n, 5);
                assert_eq!(found[i * 50 + j], expected, "{n}: ({i}, {j})");
            }
        }
        Ok(())
    });
}

/// What every turn of a loop moves once more.
#[tt::kernel]
fn carried<const M: usize>(x: &Tensor<f32, M, 32>, n: i32, y: &mut Tensor<f32, M, 32>) {
    let by = T.Kernel(M.div_ceil(32));
    let a = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, 0)], a);
    for k in 0..n {
        for (i, j) in T.Parallel(31, 30) {
            a[(i, j)] = a[(i + 1, j + k % 3)];
        }
    }
    T.copy(a, y[(by * 32, 0)]);
}

#[test]
fn loops_move_what_they_moved() {
    for m in [32, 45, 3] {
        let host: Vec<f32> = (0..m * 32).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, 32])?;
            for n in [0, 1, 2, 7] {
                let mut y = device.upload(&vec![99.0f32; m * 32], [m, 32])?;
                carried(&x, n, &mut y).check(0.0)?;
                let y = y.download()?;
                for block in 0..m.div_ceil(32) {
                    let mut a: Vec<Option<f32>> = (0..1024).map(|at| host.get(block * 1024 + at).copied()).collect();
                    for k in 0..n as usize {
                        let before = a.clone();
                        for (i, j) in (0..31).flat_map(|i| (0..30).map(move |j| (i, j))) {
                            a[i * 32 + j] = before[(i + 1) * 32 + j + k % 3];
                        }
                    }
                    for (at, expected) in a.iter().enumerate().filter(|(at, _)| block * 1024 + at < m * 32) {
                        assert_eq!(y[block * 1024 + at], expected.unwrap_or(99.0), "{m}, {n}: {at}");
                    }
                }
            }
            Ok(())
        });
    }
}

/// Operands of which fewer columns are moved than their tiles have: what lies past them is not summed.
#[tt::kernel]
fn narrow(x: &Tensor<bf16, 32, 20>, y: &Tensor<bf16, 20, 32>, z: &mut Tensor<f32, 16, 32>) {
    let bx = T.Kernel(1);
    let a = T.alloc_shared::<bf16>(32, 20);
    let b = T.alloc_shared::<bf16>(20, 32);
    let part = T.alloc_shared::<bf16>(16, 20);
    let junk = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(16, 32);
    T.copy(x[(bx, 0)], a);
    T.copy(y[(bx, 0)], b);
    for (i, j) in T.Parallel(16, 20) {
        part[(i, j)] = a[(i + 1, j)];
    }
    T.fill(junk, f32::INFINITY);
    T.gemm(part, b, acc, clear_accum = true);
    for (i, j) in T.Parallel(16, 32) {
        acc[(i, j)] += if junk[(i, j)] > 0.0 { 0.0 } else { 1.0 };
    }
    T.copy(acc, z[(bx, 0)]);
}

#[test]
fn what_lies_beside_what_is_moved_is_not_summed() {
    let numbers: Vec<f32> = (0..640).map(number).collect();
    let host: Vec<bf16> = numbers.iter().map(|x| bf16::from_f32(*x)).collect();
    on_both_chips(|device| {
        let (x, y) = (device.upload(&host, [32, 20])?, device.upload(&host, [20, 32])?);
        let mut z = device.zeros::<f32>([16, 32])?;
        for _ in 0..2 {
            narrow(&x, &y, &mut z).check(0.0)?;
        }
        for (at, found) in z.download()?.into_iter().enumerate() {
            let (i, j) = (at / 32, at % 32);
            let sum: f32 = (0..20).map(|k| numbers[(i + 1) * 20 + k] * numbers[k * 32 + j]).sum();
            assert_eq!(found, sum, "({i}, {j})");
        }
        Ok(())
    });
}

/// Rows of blocks at a pace: from the last on, each twice, every second, and again and again.
#[tt::kernel]
fn at_paces<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, n: i32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(48), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 48);
    let w = T.alloc_fragment::<f32>(64, 48);
    let most = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, bx * 48)], v);
    for (i, j) in T.Parallel(64, 48) {
        v[(i, j)] = v[(i, j)] * 2.0;
    }
    T.reduce_max(v, most, dim = 1);
    T.fill(w, 1.0);
    for (i, j) in T.Parallel(64, 48) {
        w[(i, j)] += v[(n - i, j)];
        w[(i, j)] += v[(i / 2, j)] * 4.0;
        w[(i, j)] += if i < 30 { v[(2 * i + 3, j)] } else { v[(i % 8, j)] };
        w[(i, j)] += if i >= 60 { v[(3 * i - 180, j)] } else { most[i / 4] };
    }
    for k in 0..2 {
        for (i, j) in T.Parallel(64, 48) {
            w[(i, j)] += v[((i + k * 5) / 3, j)];
        }
    }
    T.copy(w, y[(by * 64, bx * 48)]);
}

/// Every second row, summed up, and columns of what is turned from the last on.
#[tt::kernel]
fn turned_at_paces<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    sums: &mut Tensor<f32, { (M + 63) / 64 }, N>,
    turned: &mut Tensor<f32, N, M>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(48), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 48);
    let u = T.alloc_fragment::<f32>(32, 48);
    let sum = T.alloc_fragment::<f32>(48);
    let t = T.alloc_fragment::<f32>(48, 64);
    T.copy(x[(by * 64, bx * 48)], v);
    for (i, j) in T.Parallel(64, 48) {
        v[(i, j)] = v[(i, j)] * 2.0;
    }
    for (i, j) in T.Parallel(32, 48) {
        u[(i, j)] = v[(2 * i + 1, j)];
    }
    T.reduce_sum(u, sum, dim = 0);
    T.copy(sum, sums[(by, bx * 48)]);
    for (i, j) in T.Parallel(48, 64) {
        t[(i, j)] = v[(63 - j, i)];
    }
    T.copy(t, turned[(bx * 48, by * 64)]);
}

#[test]
fn rows_of_blocks_are_read_at_a_pace() {
    for [m, n] in [[64, 48], [128, 96], [63, 47], [70, 50], [1, 1], [5, 100]] {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            let mut sums = device.zeros::<f32>([m.div_ceil(64), n])?;
            let mut turned = device.upload(&vec![99.0f32; m * n], [n, m])?;
            at_paces(&x, 63, &mut y).check(0.0)?;
            turned_at_paces(&x, &mut sums, &mut turned).check(0.0)?;
            let value = |row: usize, column: usize| (row < m && column < n).then(|| number(row * n + column) * 2.0);
            let found = y.download()?;
            for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let (first, i) = (row / 64 * 64, row % 64);
                let block = |of: usize| value(first + of, column);
                let most = |of: usize| {
                    let left = column / 48 * 48;
                    let values = (left..left + 48).filter_map(|column| value(first + of, column));
                    values.fold(f32::NEG_INFINITY, f32::max)
                };
                let added = [
                    block(63 - i),
                    block(i / 2).map(|value| value * 4.0),
                    if i < 30 { block(2 * i + 3) } else { block(i % 8) },
                    if i >= 60 { block(3 * i - 180) } else { Some(most(i / 4)) },
                    block(i / 3),
                    block((i + 5) / 3),
                ];
                let wanted = 1.0 + added.into_iter().flatten().sum::<f32>();
                assert_eq!(found[row * n + column], wanted, "{m}x{n}: ({row}, {column})");
            }
            let found = sums.download()?;
            for (block, column) in (0..m.div_ceil(64)).flat_map(|block| (0..n).map(move |column| (block, column))) {
                let rows = (0..32).filter_map(|i| value(block * 64 + 2 * i + 1, column));
                assert_eq!(
                    found[block * n + column],
                    rows.sum::<f32>(),
                    "{m}x{n}: the sum {block}, {column}"
                );
            }
            let found = turned.download()?;
            for (row, column) in (0..n).flat_map(|row| (0..m).map(move |column| (row, column))) {
                let from = value(column / 64 * 64 + 63 - column % 64, row);
                assert_eq!(
                    found[row * m + column],
                    from.unwrap_or(99.0),
                    "{m}x{n}: turned ({row}, {column})"
                );
            }
            Ok(())
        });
    }
}
