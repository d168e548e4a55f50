//! Parts of blocks: operands and targets of loops, copies, products and reductions.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

const SHAPES: [[usize; 2]; 4] = [[96, 128], [95, 127], [33, 65], [5, 3]];

/// Parts of a block are stored to in turn: whole tiles, the beginning of one, a row, and sums.
#[tt::kernel]
fn pieces<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>, k: i32) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(96));
    let v = T.alloc_shared::<bf16>(96, 128);
    let w = T.alloc_shared::<f32>(96, 128);
    T.copy(x[(by * 96, bx * 128)], v);
    T.fill(w, 7.0);
    for (i, j) in T.Parallel(32, 128) {
        w[(i + 32, j)] = v[(i, j)] + v[(i + 64, j)];
    }
    for (i, j) in T.Parallel(5, 40) {
        w[(i + 64, j + 64)] += v[(i, j)] * 2.0;
    }
    for (i, j) in T.Parallel(96, 32) {
        w[(i, j)] = w[(i, j)] + w[(i, j + 96)];
    }
    for j in T.Parallel(32) {
        w[(k, j + 32)] = v[(k, j)];
    }
    T.copy(w, y[(by * 96, bx * 128)]);
}

#[test]
fn loops_store_to_parts_of_blocks() {
    for shape @ [m, n] in SHAPES {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        let v = |i: usize, j: usize| (i < m && j < n).then(|| number(i * n + j));
        for k in [0, 3, 32, 66] {
            let mut w = vec![Some(7.0f32); 96 * 128];
            for (i, j) in (0..32).flat_map(|i| (0..128).map(move |j| (i, j))) {
                w[(i + 32) * 128 + j] = v(i, j).zip(v(i + 64, j)).map(|(a, b)| a + b);
            }
            for (i, j) in (0..5).flat_map(|i| (0..40).map(move |j| (i, j))) {
                if let (Some(w), Some(v)) = (&mut w[(i + 64) * 128 + j + 64], v(i, j)) {
                    *w += v * 2.0;
                }
            }
            for (i, j) in (0..96).flat_map(|i| (0..32).map(move |j| (i, j))) {
                w[i * 128 + j] = w[i * 128 + j].zip(w[i * 128 + j + 96]).map(|(a, b)| a + b);
            }
            for j in 0..32 {
                w[k * 128 + j + 32] = v(k, j);
            }
            on_both_chips(|device| {
                let x = device.upload(&host, shape)?;
                let mut y = device.upload(&vec![99.0; m * n], shape)?;
                pieces(&x, &mut y, k as i32).run()?;
                for (place, found) in y.download()?.iter().enumerate() {
                    let (i, j) = (place / n, place % n);
                    let expected = w[i * 128 + j].unwrap_or(99.0);
                    assert_eq!(*found, expected, "{m}x{n}, {k}: ({i}, {j})");
                }
                Ok(())
            });
        }
    }
}

/// Products of parts, sums of parts, and copies between parts, blocks and tensors.
#[tt::kernel]
fn halves<const M: usize, const N: usize>(
    q: &Tensor<bf16, M, 128>,
    kv: &Tensor<bf16, N, 96>,
    s: &mut Tensor<f32, M, N>,
    sums: &mut Tensor<f32, M>,
    y: &mut Tensor<bf16, M, 64>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let a = T.alloc_shared::<bf16>(64, 128);
    let b = T.alloc_shared::<bf16>(32, 96);
    let acc = T.alloc_fragment::<f32>(64, 32);
    let of_rows = T.alloc_fragment::<f32>(64);
    let joined = T.alloc_shared::<bf16>(64, 64);
    T.copy(q[(by * 64, 0)], a);
    T.copy(kv[(bx * 32, 0)], b);
    T.clear(acc);
    T.gemm(a[(0..64, 32..96)], b[(0..32, 0..64)], acc, transpose_b = true);
    T.gemm(a[(0..64, 0..32)], b[(0..32, 64..96)], acc, transpose_b = true);
    T.copy(acc, s[(by * 64, bx * 32)]);
    if bx == 0 {
        T.reduce_sum(a[(0..64, 96..128)], of_rows, dim = 1);
        T.copy(of_rows, sums[by * 64]);
        T.clear(joined);
        T.copy(a[(0..64, 96..128)], joined[(0..64, 0..32)]);
        T.copy(joined[(32..64, 0..32)], joined[(0..32, 32..64)]);
        T.copy(q[(by * 64 + 3, 5)], joined[(32..64, 32..64)]);
        T.copy(joined[(0..32, 0..64)], y[(by * 64, 0)]);
        T.copy(joined[(32..64, 0..64)], y[(by * 64 + 32, 0)]);
    }
}

#[test]
fn parts_of_blocks_are_copied_multiplied_and_summed() {
    for [m, n] in [[64, 32], [65, 33], [100, 70], [7, 3]] {
        let q: Vec<bf16> = (0..m * 128).map(|at| bf16::from_f32(number(at))).collect();
        let kv: Vec<bf16> = (0..n * 96).map(|at| bf16::from_f32(number(at + 3))).collect();
        let of = |i: usize, j: usize| if i < m { number(i * 128 + j) } else { 0.0 };
        on_both_chips(|device| {
            let (x, w) = (device.upload(&q, [m, 128])?, device.upload(&kv, [n, 96])?);
            let mut s = device.zeros::<f32>([m, n])?;
            let mut sums = device.zeros::<f32>([m])?;
            let mut y = device.zeros::<bf16>([m, 64])?;
            halves(&x, &w, &mut s, &mut sums, &mut y).run()?;
            for (place, found) in s.download()?.iter().enumerate() {
                let (i, j) = (place / n, place % n);
                let right = |k: usize| number(j * 96 + k + 3);
                let expected: f32 = (0..64).map(|k| of(i, 32 + k) * right(k)).sum::<f32>()
                    + (0..32).map(|k| of(i, k) * right(64 + k)).sum::<f32>();
                assert_eq!(*found, expected, "{m}x{n}: ({i}, {j})");
            }
            for (i, found) in sums.download()?.iter().enumerate() {
                assert_eq!(*found, (96..128).map(|k| of(i, k)).sum::<f32>(), "{m}x{n}: {i}");
            }
            for (place, found) in y.download()?.iter().enumerate() {
                let (i, j) = (place / 64, place % 64);
                let first = i / 64 * 64;
                let expected = match (i % 64 < 32, j < 32) {
                    (_, true) => of(i, 96 + j),
                    // What has no value is not stored.
                    (true, false) => of(i + 32, 64 + j),
                    (false, false) => of(first + 3 + i % 32, 5 + j - 32),
                };
                assert_eq!(found.to_f32(), expected, "{m}x{n}: ({i}, {j})");
            }
            Ok(())
        });
    }
}

/// Every turn moves rows on by a tile, and what has no value with them.
#[tt::kernel]
fn walk<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, turns: u32) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(96));
    let v = T.alloc_shared::<f32>(96, 64);
    T.copy(x[(by * 96, bx * 64)], v);
    for k in T.serial(turns) {
        for (i, j) in T.Parallel(64, 64) {
            v[(i + 32, j)] = v[(i, j)] + 1.0;
        }
        for (i, j) in T.Parallel(96, 32) {
            v[(i, j)] = v[(i, j + 32)];
        }
    }
    T.copy(v, y[(by * 96, bx * 64)]);
}

#[test]
fn parts_go_round_loops() {
    for shape @ [m, n] in [[96, 64], [40, 50], [95, 33], [20, 20]] {
        for turns in [0, 1, 2, 5] {
            let host: Vec<f32> = (0..m * n).map(number).collect();
            let mut v: Vec<Option<f32>> = (0..96 * 64)
                .map(|at| (at / 64 < m && at % 64 < n).then(|| number(at / 64 * n + at % 64)))
                .collect();
            for _ in 0..turns {
                let before = v.clone();
                for at in 0..64 * 64 {
                    v[at + 32 * 64] = before[at].map(|x| x + 1.0);
                }
                let before = v.clone();
                for at in (0..96 * 64).filter(|at| at % 64 < 32) {
                    v[at] = before[at + 32];
                }
            }
            on_both_chips(|device| {
                let x = device.upload(&host, shape)?;
                let mut y = device.upload(&vec![99.0; m * n], shape)?;
                walk(&x, &mut y, turns).run()?;
                for (place, found) in y.download()?.iter().enumerate() {
                    let expected = v[place / n * 64 + place % n].unwrap_or(99.0);
                    assert_eq!(*found, expected, "{m}x{n}, {turns}: ({}, {})", place / n, place % n);
                }
                Ok(())
            });
        }
    }
}

/// A part of one row of tiles lies under a row that is picked out of the whole block.
#[tt::kernel]
fn picked_from_a_part<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>, k: i32) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(1, 64) {
        v[(i, j)] = v[(i + 32, j)] * 2.0;
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)] + v[(k % 64, j)] * 4.0;
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn a_row_is_picked_out_of_what_a_part_was_stored_to() {
    on_both_chips(|device| {
        let (m, n) = (64, 128);
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        let x = device.upload(&host, [m, n])?;
        for k in [0, 1, 33, 63] {
            let mut y = device.zeros::<bf16>([m, n])?;
            picked_from_a_part(&x, &mut y, k as i32).run()?;
            let found = y.download()?;
            let v = |i: usize, j: usize| match i {
                0 => number(32 * n + j) * 2.0,
                _ => number(i * n + j),
            };
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                assert_eq!(
                    found[i * n + j].to_f32(),
                    v(i, j) + v(k, j) * 4.0,
                    "({i}, {j}), row {k}"
                );
            }
        }
        Ok(())
    });
}

/// Rows and columns of blocks, from and to tensors of one axis and of two, and to blocks.
#[tt::kernel]
fn lines<const N: usize>(
    row: &Tensor<bf16, N>,
    x: &Tensor<bf16, N, N>,
    k: i32,
    y: &mut Tensor<bf16, N, N>,
    last: &mut Tensor<bf16, N>,
) {
    let bx = T.Kernel(N.div_ceil(64));
    let a = T.alloc_shared::<bf16>(32, 64);
    let b = T.alloc_shared::<bf16>(64, 32);
    T.fill(a, 1.0);
    T.fill(b, 2.0);
    T.copy(row[bx * 64..bx * 64 + 64], a[(3, 0..64)]);
    T.copy(x[(k, bx * 64..bx * 64 + 64)], a[(4, 0..64)]);
    T.copy(x[(bx * 64..bx * 64 + 64, k)], a[(5, 0..64)]);
    T.copy(a[(3, 0..64)], b[(0..64, 1)]);
    T.copy(x[(bx * 64, k)], b[(0..64, 7)]);
    T.copy(a[(3..6, 0..64)], y[(0..3, bx * 64..bx * 64 + 64)]);
    T.copy(b[(0..64, 1)], y[(4, bx * 64..bx * 64 + 64)]);
    T.copy(b[(0..64, 7)], last[bx * 64..bx * 64 + 64]);
}

/// The same as operands of a product and a sum.
#[tt::kernel]
fn line_sums<const N: usize>(
    row: &Tensor<bf16, N>,
    x: &Tensor<bf16, N, N>,
    k: i32,
    y: &mut Tensor<bf16, N, N>,
    sums: &mut Tensor<f32, N, 2>,
) {
    let bx = T.Kernel(N.div_ceil(64));
    let a = T.alloc_shared::<bf16>(32, 64);
    let b = T.alloc_shared::<bf16>(64, 32);
    let total = T.alloc_fragment::<f32>(1);
    let outer = T.alloc_fragment::<f32>(64, 64);
    T.clear(a);
    T.clear(b);
    T.copy(x[(k, bx * 64)], a[(20, 0..64)]);
    T.copy(a[(20, 0..64)], y[(3, bx * 64)]);
    T.copy(row[bx * 64..bx * 64 + 64], a[(3, 0..64)]);
    T.copy(x[(bx * 64, k)], b[(0..64, 7)]);
    T.reduce_sum(a[(3, 0..64)], total, dim = 1);
    T.copy(total, sums[(bx, 0)]);
    T.gemm(b[(0..64, 7)], a[(3, 0..64)], outer, clear_accum = true);
    T.reduce_sum(outer[(2, 0..64)], total, dim = 1);
    T.copy(total, sums[(bx, 1)]);
}

#[test]
fn rows_and_columns_of_blocks_are_copied() {
    for n in [64, 130, 33] {
        let k = n - 7;
        let host: Vec<f32> = (0..n * n).map(number).collect();
        let line: Vec<f32> = (0..n).map(|at| number(at * 3 + 2)).collect();
        let half = |values: &[f32]| values.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        on_both_chips(|device| {
            let row = device.upload(&half(&line), [n])?;
            let x = device.upload(&half(&host), [n, n])?;
            let mut y = device.zeros::<bf16>([n, n])?;
            let mut last = device.zeros::<bf16>([n])?;
            let mut sums = device.zeros::<f32>([n, 2])?;
            lines(&row, &x, k as i32, &mut y, &mut last).run()?;
            line_sums(&row, &x, k as i32, &mut y, &mut sums).run()?;
            let (y, last, sums) = (y.download()?, last.download()?, sums.download()?);
            for j in 0..n {
                let found: Vec<f32> = (0..5).map(|i| y[i * n + j].to_f32()).collect();
                let expected = [line[j], host[k * n + j], host[j * n + k], host[k * n + j], line[j]];
                assert_eq!(found, expected, "{n}: column {j}");
                assert_eq!(last[j].to_f32(), host[j * n + k], "{n}: last {j}");
            }
            for (block, values) in line.chunks(64).enumerate() {
                let sum: f32 = values.iter().sum();
                let third = block * 64 + 2;
                let factor = if third < n { host[third * n + k] } else { continue };
                assert_eq!(sums[block * 2..][..2], [sum, sum * factor], "{n}: block {block}");
            }
            Ok(())
        });
    }
}
