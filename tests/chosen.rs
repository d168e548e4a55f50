//! Integers that a condition chooses, in offsets, counts, values and what is read from tensors, against plain loops on both emulated
//! chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

#[tt::kernel]
fn chosen<const M: usize, const N: usize, const B: usize>(
    a: &Tensor<f32, M, N>,
    rows: &Tensor<i32, B>,
    n: i32,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    let sum = T.alloc_fragment::<f32>(32, 32);
    let first = rows[by];
    let shift = if first > n && !(bx == by) { 32 } else { -32 * bx };
    let turns = if first <= n {
        by + 1
    } else if n < 0 {
        0
    } else {
        n.min(4)
    };
    T.clear(sum);
    for k in 0..turns {
        T.copy(a[((if k % 2 == 0 { first } else { by * 32 }), bx * 32 + shift)], x);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += x[(i, j)] + ((if k >= n { 7 } else { k }) as f32);
        }
    }
    if (if n == 3 { bx } else { by }) != 1 {
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += if n > 2 { i } else { j } as f32;
        }
    }
    T.copy(sum, c[(by * 32, bx * 32)]);
}

#[test]
fn integers_are_chosen_by_conditions() {
    on_both_chips(|device| {
        let (m, n) = (70, 100);
        let a: Vec<f32> = (0..m * n).map(|at| (at % 251) as f32).collect();
        let x = device.upload(&a, [m, n])?;
        let rows: [i32; 3] = [5, i32::MAX, 2];
        let y = device.upload(&rows, [3])?;
        for scalar in [-1, 2, 3, 6, i32::MAX, i32::MIN + 1] {
            let mut out = device.zeros::<f32>([m, n])?;
            chosen(&x, &y, scalar, &mut out).check(0.0)?;
            let found = out.download()?;
            for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let (bx, by) = (column / 32, row / 32);
                let (i, j) = (row % 32, column % 32);
                let first = rows[by];
                let shift = if first > scalar && bx != by {
                    32
                } else {
                    -32 * bx as i64
                };
                let turns = match (first <= scalar, scalar < 0) {
                    (true, _) => by as i32 + 1,
                    (false, true) => 0,
                    (false, false) => scalar.min(4),
                };
                let mut sum = Some(0f32);
                for k in 0..turns {
                    let from = if k % 2 == 0 { i64::from(first) } else { by as i64 * 32 };
                    let at = (from + i as i64, column as i64 + shift);
                    let value = match (usize::try_from(at.0), usize::try_from(at.1)) {
                        (Ok(row), Ok(column)) if row < m && column < n => Some(a[row * n + column]),
                        _ => None,
                    };
                    // What has no value leaves a sum as it was.
                    if let (Some(sum), Some(value)) = (&mut sum, value) {
                        *sum += value + if k >= scalar { 7.0 } else { k as f32 };
                    }
                }
                if (if scalar == 3 { bx } else { by }) != 1 {
                    sum = sum.map(|sum| sum + if scalar > 2 { i } else { j } as f32);
                }
                assert_eq!(Some(found[row * n + column]), sum, "({row}, {column}) with {scalar}");
            }
        }
        Ok(())
    });
}
