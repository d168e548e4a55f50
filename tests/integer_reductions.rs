//! Sums and extremes of blocks of integers, of every bit, against plain loops.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [[usize; 2]; 4] = [[64, 64], [70, 100], [33, 1], [1, 65]];

/// Integers of all sizes and both signs.
fn integer(at: usize) -> i32 {
    let mixed = (at as u32).wrapping_add(1).wrapping_mul(2_654_435_761);
    (mixed ^ mixed >> 15) as i32 >> (at % 29)
}

/// Of rows into a vector that holds a sum, and of columns and all of a block.
#[tt::kernel]
fn of_signed<const M: usize, const N: usize>(
    x: &Tensor<i32, M, N>,
    rows: &mut Tensor<i32, M>,
    columns: &mut Tensor<i32, { M.div_ceil(64) }, N>,
    whole: &mut Tensor<i32, { M.div_ceil(64) }, { N.div_ceil(64) }>,
    most: &mut Tensor<i32, M>,
) {
    {
        let by = T.Kernel(M.div_ceil(64));
        let v = T.alloc_shared::<i32>(64, 64);
        let sum = T.alloc_fragment::<i32>(64);
        let top = T.alloc_fragment::<i32>(64, 1);
        T.fill(sum, 5);
        T.fill(top, -1000);
        for k in T.serial(N.div_ceil(64)) {
            T.copy(x[(by * 64, k * 64)], v);
            T.reduce_sum(v, sum, dim = 1, clear = false);
            T.reduce_max(v, top, dim = 1, clear = false);
        }
        T.copy(sum, rows[by * 64]);
        for i in T.Parallel(64) {
            most[by * 64 + i] = top[(i, 0)];
        }
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
        let v = T.alloc_shared::<i32>(64, 64);
        let low = T.alloc_fragment::<i32>(64);
        let all = T.alloc_fragment::<i32>(1, 1);
        T.copy(x[(by * 64, bx * 64)], v);
        T.reduce_min(v, low, dim = 0);
        T.reduce_sum(v, all, dim = (0, 1));
        for j in T.Parallel(64) {
            columns[(by, bx * 64 + j)] = low[j];
        }
        T.copy(all, whole[(by, bx)]);
    }
}

#[test]
fn sums_wrap_and_extremes_are_exact() {
    for [m, n] in SHAPES {
        let host: Vec<i32> = (0..m * n).map(integer).collect();
        let (down, across) = (m.div_ceil(64), n.div_ceil(64));
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut rows = device.zeros::<i32>([m])?;
            let mut columns = device.zeros::<i32>([down, n])?;
            let mut whole = device.zeros::<i32>([down, across])?;
            let mut most = device.zeros::<i32>([m])?;
            of_signed(&x, &mut rows, &mut columns, &mut whole, &mut most).check(0.0)?;
            let (rows, columns) = (rows.download()?, columns.download()?);
            let (whole, most) = (whole.download()?, most.download()?);
            for (i, row) in host.chunks(n).enumerate() {
                assert_eq!(
                    rows[i],
                    row.iter().fold(5i32, |sum, x| sum.wrapping_add(*x)),
                    "{m}x{n}: row {i}"
                );
                assert_eq!(
                    most[i],
                    row.iter().fold(-1000, |most, x| most.max(*x)),
                    "{m}x{n}: row {i}"
                );
            }
            for (by, band) in host.chunks(64 * n).enumerate() {
                for j in 0..n {
                    let least = band.iter().skip(j).step_by(n).min();
                    assert_eq!(Some(&columns[by * n + j]), least, "{m}x{n}: column {j}");
                }
                for bx in 0..across {
                    let of_block = band.chunks(n).flat_map(|row| row.iter().skip(bx * 64).take(64));
                    let sum = of_block.fold(0i32, |sum, x| sum.wrapping_add(*x));
                    assert_eq!(whole[by * across + bx], sum, "{m}x{n}: block ({bx}, {by})");
                }
            }
            Ok(())
        });
    }
}

/// Without a sign; what has no value is no part of it, and of nothing there is the least and the greatest.
#[tt::kernel]
fn of_unsigned<const M: usize, const N: usize>(x: &Tensor<u32, M, N>, from: i32, y: &mut Tensor<u32, 2, 32>) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<u32>(32, 32);
    let sum = T.alloc_fragment::<u32>(32);
    let most = T.alloc_fragment::<u32>(32);
    T.copy(x[(b, from)], v);
    T.reduce_sum(v, sum, dim = 0);
    T.reduce_max(v, most, dim = 0);
    T.copy(sum, y[(0, 0..32)]);
    T.copy(most, y[(1, 0..32)]);
}

/// By itself, and folded into what is there.
#[tt::kernel]
fn least_unsigned<const M: usize, const N: usize>(x: &Tensor<u32, M, N>, from: i32, y: &mut Tensor<u32, 2, 32>) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<u32>(32, 32);
    let least = T.alloc_fragment::<u32>(32);
    let folded = T.alloc_fragment::<u32>(32);
    T.copy(x[(b, from)], v);
    T.fill(folded, 70000);
    T.reduce_min(v, least, dim = 0);
    T.reduce_min(v, folded, dim = 0, clear = false);
    T.copy(least, y[(0, 0..32)]);
    T.copy(folded, y[(1, 0..32)]);
}

#[test]
fn integers_without_a_sign_have_another_order() {
    let (m, n) = (20, 40);
    let host: Vec<u32> = (0..m * n).map(|at| integer(at) as u32).collect();
    for from in [0usize, 20] {
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<u32>([2, 32])?;
            let mut z = device.zeros::<u32>([2, 32])?;
            of_unsigned(&x, from as i32, &mut y).check(0.0)?;
            least_unsigned(&x, from as i32, &mut z).check(0.0)?;
            let y = [y.download()?, z.download()?].concat();
            for j in 0..32 {
                let column = || host.iter().skip(from + j).step_by(n).filter(|_| from + j < n);
                let sum = column().fold(0u32, |sum, x| sum.wrapping_add(*x));
                let most = column().copied().max().unwrap_or(0);
                let least = column().copied().min().unwrap_or(u32::MAX);
                let found: Vec<u32> = (0..4).map(|row| y[row * 32 + j]).collect();
                assert_eq!(found, [sum, most, least, least.min(70000)], "from {from}: column {j}");
            }
            Ok(())
        });
    }
}
