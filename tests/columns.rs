//! What is read of tensors from columns that begin anywhere, and single columns and elements of them.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

fn values(count: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f32(number(at))).collect()
}

/// The element of a matrix in a row and a column, which it may not have.
fn at<E: Copy>(x: &[E], [rows, columns]: [usize; 2], row: i64, column: i64) -> Option<E> {
    let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
    (row < rows && column < columns).then(|| x[row * columns + column])
}

const SHAPES: [[usize; 2]; 7] = [[64, 64], [33, 65], [1, 100], [100, 1], [31, 47], [70, 129], [3, 16]];

#[tt::kernel]
fn from_column<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
    row: i32,
    column: i32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32 + row, bx * 64 + column)], v);
    T.copy(v, y[(by * 32, bx * 64)]);
}

#[test]
fn copies_begin_at_any_column() {
    for shape @ [m, n] in SHAPES {
        for [row, column] in [[0, 1], [5, 17], [-3, -1], [1, -40], [0, 15], [40, 70]] {
            let host = values(m * n);
            on_both_chips(|device| {
                let x = device.upload(&host, [m, n])?;
                let mut y = device.upload(&vec![bf16::from_f32(99.0); m * n], [m, n])?;
                from_column(&x, &mut y, row, column).run()?;
                for (place, found) in y.download()?.iter().enumerate() {
                    let [i, j] = [(place / n) as i64, (place % n) as i64];
                    // What has no value is not stored.
                    let read = at(&host, shape, i + i64::from(row), j + i64::from(column));
                    let expected = read.unwrap_or(bf16::from_f32(99.0));
                    assert_eq!(*found, expected, "{m}x{n} from ({row}, {column}): ({i}, {j})");
                }
                Ok(())
            });
        }
    }
}

#[tt::kernel]
fn stencil<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let sum = T.alloc_fragment::<f32>(64, 32);
    T.clear(sum);
    for (i, j) in T.Parallel(64, 32) {
        sum[(i, j)] += x[(by * 64 + i, bx * 32 + j - 1)];
        sum[(i, j)] += x[(by * 64 + i, bx * 32 + j + 1)];
        sum[(i, j)] += x[(by * 64 + i - 1, bx * 32 + j)];
        sum[(i, j)] += x[(by * 64 + i + 1, bx * 32 + j)];
        sum[(i, j)] -= 4.0 * x[(by * 64 + i, bx * 32 + j)];
    }
    T.copy(sum, y[(by * 64, bx * 32)]);
}

#[test]
fn a_stencil_leaves_out_neighbours_that_the_tensor_has_not() {
    for shape @ [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(|at| number(at) * 0.37).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            stencil(&x, &mut y).run()?;
            for (place, found) in y.download()?.iter().enumerate() {
                let [i, j] = [(place / n) as i64, (place % n) as i64];
                let around = [[i, j - 1], [i, j + 1], [i - 1, j], [i + 1, j]];
                let sum: f32 = around.iter().filter_map(|[i, j]| at(&host, shape, *i, *j)).sum();
                let expected = sum - 4.0 * host[place];
                assert!(
                    (found - expected).abs() <= 1e-5,
                    "{m}x{n}: ({i}, {j}) is {found}, not {expected}"
                );
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn single<const M: usize, const N: usize, const H: usize>(
    x: &Tensor<f32, M, N>,
    sink: &Tensor<bf16, H>,
    y: &mut Tensor<f32, H, M, N>,
    column: i32,
) {
    let (bx, by, h) = T.Kernel(N.div_ceil(64), M.div_ceil(32), H);
    let v = T.alloc_shared::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = v[(i, j)] * x[(by * 32 + i, column + h)] + sink[h];
    }
    T.copy(v, y[(h, by * 32, bx * 64)]);
}

#[test]
fn one_column_and_one_element_stand_for_all() {
    for [m, n] in SHAPES {
        for [h, column] in [[1, 0], [3, 3], [5, 14]] {
            let host: Vec<f32> = (0..m * n).map(|at| number(at) * 0.37).collect();
            let heads = values(h);
            on_both_chips(|device| {
                let x = device.upload(&host, [m, n])?;
                let sink = device.upload(&heads, [h])?;
                let mut y = device.zeros::<f32>([h, m, n])?;
                single(&x, &sink, &mut y, column as i32).run()?;
                for (place, found) in y.download()?.iter().enumerate() {
                    let (head, i, j) = (place / (m * n), place / n % m, place % n);
                    let factor = at(&host, [m, n], i as i64, (column + head) as i64);
                    let expected = factor.map_or(0.0, |factor| host[i * n + j] * factor + heads[head].to_f32());
                    assert!(
                        (found - expected).abs() <= 1e-4,
                        "{m}x{n}: ({head}, {i}, {j}) is {found}, not {expected}"
                    );
                }
                Ok(())
            });
        }
    }
}

#[tt::kernel]
fn chosen<const M: usize, const N: usize, const P: usize>(
    x: &Tensor<i32, M, N>,
    starts: &Tensor<i32, P>,
    y: &mut Tensor<i32, P, M, 32>,
    wide: &mut Tensor<f32, P, M, 32>,
) {
    let (p, by) = T.Kernel(P, M.div_ceil(32));
    let first = starts[p];
    let v = T.alloc_shared::<i32>(32, 32);
    let f = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, first..first + 32)], v);
    T.copy(v, y[(p, by * 32, 0)]);
    for (i, j) in T.Parallel(32, 32) {
        f[(i, j)] = (v[(i, j)] + x[(by * 32 + i, first + j + 1)]) as f32;
    }
    T.copy(f, wide[(p, by * 32, 0)]);
}

#[test]
fn integers_of_a_tensor_say_where_columns_begin() {
    let starts = [0, 1, 7, 31, 32, 40, 77];
    for shape @ [m, n] in SHAPES {
        let host: Vec<i32> = (0..m * n).map(|at| (at as i32 * 7919) % 65_536 - 9000).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let at_first = device.upload(&starts, [starts.len()])?;
            let mut y = device.zeros::<i32>([starts.len(), m, 32])?;
            let mut wide = device.zeros::<f32>([starts.len(), m, 32])?;
            chosen(&x, &at_first, &mut y, &mut wide).run()?;
            let (y, wide) = (y.download()?, wide.download()?);
            for place in 0..y.len() {
                let (p, i, j) = (place / (m * 32), place / 32 % m, place % 32);
                let of = |more: usize| at(&host, shape, i as i64, (starts[p] as usize + j + more) as i64);
                assert_eq!(y[place], of(0).unwrap_or(0), "{m}x{n}: ({p}, {i}, {j})");
                let sum = of(0).zip(of(1)).map_or(0, |(a, b)| a + b);
                assert_eq!(wide[place], sum as f32, "{m}x{n}: ({p}, {i}, {j})");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn folded<const B: usize, const S: usize, const H: usize, const D: usize>(
    x: &Tensor<bf16, B, S, H, D>,
    largest: &mut Tensor<bf16, B, H, S, 1>,
    column: i32,
    width: i32,
) {
    let (s, h, b) = T.Kernel(S.div_ceil(32), H, B);
    let v = T.alloc_shared::<bf16>(32, 64);
    let m = T.alloc_fragment::<f32>(32);
    T.copy(x[(b, s * 32..s * 32 + 32, h, column..column + width)], v);
    T.reduce_max(v, m, dim = 1);
    T.copy(m, largest[(b, h, s * 32, 0)]);
}

#[test]
fn reductions_take_in_what_the_tensor_has() {
    for ([b, s, h, d], column) in [
        ([2, 33, 3, 64], 5),
        ([1, 7, 2, 20], 3),
        ([1, 64, 1, 96], -9),
        ([1, 5, 1, 50], 49),
    ] {
        let host: Vec<bf16> = (0..b * s * h * d).map(|at| bf16::from_f32(number(at) - 40.0)).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [b, s, h, d])?;
            let mut y = device.zeros::<bf16>([b, h, s, 1])?;
            folded(&x, &mut y, column, 40).run()?;
            for (place, found) in y.download()?.iter().enumerate() {
                let (row, head, batch) = (place % s, place / s % h, place / (s * h));
                let columns = i64::from(column).max(0)..(i64::from(column) + 40).min(d as i64);
                let of = |j: i64| host[((batch * s + row) * h + head) * d + j as usize].to_f32();
                let expected = columns.map(of).fold(f32::NEG_INFINITY, f32::max);
                assert_eq!(found.to_f32(), expected, "{place}");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn ranked<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<f32, M, K>,
    b: &Tensor<f32, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let x = T.alloc_shared::<f32>(64, 64);
    let w = T.alloc_shared::<f32>(64, 32);
    let acc = T.alloc_fragment::<f32>(64, 32);
    T.clear(acc);
    for block in T.serial(K.div_ceil(64)) {
        T.copy(a[(by * 64, block * 64)], x);
        T.copy(b[(block * 64, bx * 32)], w);
        for k in T.serial(64) {
            for (i, j) in T.Parallel(64, 32) {
                acc[(i, j)] += x[(i, k)] * w[(k, j)];
            }
        }
    }
    T.copy(acc, c[(by * 64, bx * 32)]);
}

#[test]
fn a_row_and_a_column_of_a_block_are_those_of_a_turn() {
    for [m, k, n] in [[64, 64, 32], [33, 5, 7], [70, 100, 40]] {
        let (x, w): (Vec<f32>, Vec<f32>) = ((0..m * k).map(number).collect(), (0..k * n).map(number).collect());
        on_both_chips(|device| {
            let a = device.upload(&x, [m, k])?;
            let b = device.upload(&w, [k, n])?;
            let mut c = device.zeros::<f32>([m, n])?;
            ranked(&a, &b, &mut c).run()?;
            for (place, found) in c.download()?.iter().enumerate() {
                let expected: f32 = (0..k).map(|at| x[place / n * k + at] * w[at * n + place % n]).sum();
                assert_eq!(*found, expected, "{m}x{k}x{n}: {place}");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn largest_picked<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
    row: i32,
    column: i32,
) {
    let bx = T.Kernel(1);
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let rows = T.alloc_shared::<bf16>(64);
    let best = T.alloc_fragment::<bf16>(64, 64);
    T.copy(x[(bx, 0)], v);
    T.copy(v, w);
    for i in T.Parallel(64) {
        rows[i] = v[(i, 3)];
    }
    for (i, j) in T.Parallel(64, 64) {
        best[(i, j)] = w[(i, j)].max(v[(row, j)]).max(v[(i, column)]).max(v[(row + 1, column)]) + rows[5] + rows[i];
    }
    T.copy(best, y[(0, 0)]);
}

#[test]
fn what_is_picked_past_an_edge_has_no_value() {
    for (shape @ [m, n], row, column) in [
        ([64, 64], 40, 33),
        ([33, 40], 20, 39),
        ([33, 40], 32, 2),
        ([9, 5], 7, 4),
    ] {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, shape)?;
            let mut y = device.upload(&vec![bf16::from_f32(99.0); m * n], shape)?;
            largest_picked(&x, &mut y, row, column).run()?;
            let of = |i: usize, j: usize| at(&host, shape, i as i64, j as i64).map(|x| x.to_f32());
            let (row, column) = (row as usize, column as usize);
            for (place, found) in y.download()?.iter().enumerate() {
                let (i, j) = (place / n, place % n);
                let all = [of(i, j), of(row, j), of(i, column), of(row + 1, column)];
                let largest = all.into_iter().try_fold(f32::NEG_INFINITY, |a, b| Some(a.max(b?)));
                let more = of(5, 3).zip(of(i, 3)).map(|(a, b)| a + b);
                let expected = largest.zip(more).map_or(99.0, |(largest, more)| largest + more);
                assert_eq!(
                    *found,
                    bf16::from_f32(expected),
                    "{m}x{n}, ({row}, {column}): ({i}, {j})"
                );
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn reduced_rows<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, N>, row: i32) {
    let bx = T.Kernel(N.div_ceil(64));
    let v = T.alloc_shared::<f32>(32, 64);
    let largest = T.alloc_fragment::<f32>(64);
    for j in T.Parallel(64) {
        largest[j] = f32::NEG_INFINITY;
    }
    for k in T.serial(M.div_ceil(32)) {
        T.copy(x[(k * 32, bx * 64)], v);
        for j in T.Parallel(64) {
            largest[j] = largest[j].max(v[(31, j)]);
        }
    }
    T.copy(x[(row, bx * 64)], v);
    for j in T.Parallel(64) {
        largest[j] += v[(2, j)];
    }
    T.copy(largest, y[bx * 64]);
}

#[test]
fn a_row_past_the_edge_leaves_sums_as_they_were() {
    for [m, n, row] in [[64, 64, 3], [64, 33, 62], [32, 70, 29], [32, 70, 30]] {
        let host: Vec<f32> = (0..m * n).map(|at| number(at) * 0.5).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([n])?;
            reduced_rows(&x, &mut y, row as i32).run()?;
            for (j, found) in y.download()?.iter().enumerate() {
                let largest = (0..m / 32)
                    .map(|k| host[(k * 32 + 31) * n + j])
                    .fold(f32::NEG_INFINITY, f32::max);
                let more = at(&host, [m, n], row as i64 + 2, j as i64).unwrap_or(0.0);
                assert_eq!(*found, largest + more, "{m}x{n} {row}: {j}");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn running<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    down: &mut Tensor<f32, M, N>,
    along: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 64);
    let w = T.alloc_fragment::<f32>(32, 64);
    let total = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, bx * 64)], v);
    T.clear(total);
    T.copy(v, w);
    for k in 1..32 {
        for j in T.Parallel(64) {
            v[(k, j)] += v[(k - 1, j)];
        }
    }
    for k in T.serial(64) {
        for i in T.Parallel(32) {
            total[i] += w[(i, k)];
            w[(i, k)] = total[i];
        }
    }
    T.copy(v, down[(by * 32, bx * 64)]);
    T.copy(w, along[(by * 32, bx * 64)]);
}

#[test]
fn sums_run_down_and_along_a_block() {
    for [m, n] in [[32, 64], [33, 70], [7, 5], [64, 129]] {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut down = device.zeros::<f32>([m, n])?;
            let mut along = device.zeros::<f32>([m, n])?;
            running(&x, &mut down, &mut along).run()?;
            let (down, along) = (down.download()?, along.download()?);
            for place in 0..m * n {
                let (i, j) = (place / n, place % n);
                let expected: f32 = (i / 32 * 32..=i).map(|i| host[i * n + j]).sum();
                assert_eq!(down[place], expected, "{m}x{n}: down to ({i}, {j})");
                let expected: f32 = (j / 64 * 64..=j).map(|j| host[i * n + j]).sum();
                assert_eq!(along[place], expected, "{m}x{n}: along to ({i}, {j})");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn turned<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    of_rows: &Tensor<f32, M>,
    of_columns: &Tensor<bf16, N, 1>,
    y: &mut Tensor<f32, M, N>,
    row: i32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let w = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        w[(i, j)] = v[(row, i)] * v[(j, 1)] + v[(i, j)];
        w[(i, j)] += of_rows[by * 64 + i];
        w[(i, j)] += of_columns[(bx * 64 + j, 0)] * of_columns[(1, 0)];
    }
    T.copy(w, y[(by * 64, bx * 64)]);
}

#[test]
fn rows_stand_for_columns_and_columns_for_rows() {
    for ([m, n], row) in [([64, 64], 0), ([64, 128], 33), ([128, 64], 5)] {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let (down, along): (Vec<f32>, Vec<bf16>) = ((0..m).map(|at| number(at) * 0.25).collect(), values(n));
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let of_rows = device.upload(&down, [m])?;
            let of_columns = device.upload(&along, [n, 1])?;
            let mut y = device.zeros::<f32>([m, n])?;
            turned(&x, &of_rows, &of_columns, &mut y, row).run()?;
            for (place, found) in y.download()?.iter().enumerate() {
                let (i, j) = (place / n, place % n);
                let v = |r: usize, c: usize| host[(i / 64 * 64 + r) * n + j / 64 * 64 + c];
                let product = v(row as usize, i % 64) * v(j % 64, 1);
                let expected = product + host[place] + down[i] + along[j].to_f32() * along[1].to_f32();
                assert_eq!(*found, expected, "{m}x{n}: ({i}, {j})");
            }
            Ok(())
        });
    }
}
