//! What is stored of a block: its elements that have a value, wherever their rows and columns begin, and nothing beside them.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format; all differ from what was there before.
fn number(at: usize) -> i32 {
    (at * 7 % 31) as i32 - 15
}

const BEFORE: i32 = 77;

/// Two matrices of as many columns, one below the other.
#[tt::kernel]
fn below<const A: usize, const B: usize, const N: usize, const P: usize, const Q: usize>(
    a: &Tensor<bf16, A, N>,
    b: &Tensor<bf16, B, N>,
    c: &mut Tensor<bf16, P, Q>,
) {
    let (bx, by, part) = T.Kernel(N.div_ceil(64), A.max(B).div_ceil(32), 2);
    let v = T.alloc_shared::<bf16>(32, 64);
    if part == 0 {
        T.copy(a[(by * 32, bx * 64)], v);
        T.copy(v, c[(by * 32, bx * 64)]);
    } else {
        T.copy(b[(by * 32, bx * 64)], v);
        T.copy(v, c[(A + by * 32, bx * 64)]);
    }
}

/// Two matrices of as many rows, one beside the other.
#[tt::kernel]
fn beside<const M: usize, const A: usize, const B: usize, const P: usize, const Q: usize>(
    a: &Tensor<f32, M, A>,
    b: &Tensor<f32, M, B>,
    c: &mut Tensor<f32, P, Q>,
) {
    let (bx, by, part) = T.Kernel(A.max(B).div_ceil(64), M.div_ceil(32), 2);
    let v = T.alloc_shared::<f32>(32, 64);
    if part == 0 {
        T.copy(a[(by * 32, bx * 64)], v);
        T.copy(v, c[(by * 32, bx * 64)]);
    } else {
        T.copy(b[(by * 32, bx * 64)], v);
        T.copy(v, c[(by * 32, A + bx * 64)]);
    }
}

const SHAPES: [[usize; 2]; 6] = [[64, 64], [33, 65], [1, 100], [31, 47], [70, 129], [3, 16]];

#[test]
fn what_two_blocks_of_the_grid_store_into_one_tile_is_there() {
    for [a, n] in SHAPES {
        for b in [1, 20, 33] {
            for more in [0, 40] {
                let (p, q) = (a + b + more, n + more);
                on_both_chips(|device| {
                    let host = |from: usize, count: usize| -> Vec<bf16> {
                        (from..from + count)
                            .map(|at| bf16::from_f32(number(at) as f32))
                            .collect()
                    };
                    let mut c = device.upload(&vec![bf16::from_f32(BEFORE as f32); p * q], [p, q])?;
                    let (x, y) = (
                        device.upload(&host(0, a * n), [a, n])?,
                        device.upload(&host(a * n, b * n), [b, n])?,
                    );
                    below(&x, &y, &mut c).run()?;
                    for (place, found) in c.download()?.iter().enumerate() {
                        let (i, j) = (place / q, place % q);
                        let expected = if i < a + b && j < n { number(i * n + j) } else { BEFORE };
                        assert_eq!(found.to_f32(), expected as f32, "{a}x{n}, {b} below: ({i}, {j})");
                    }
                    Ok(())
                });
                let (m, q, p) = (n, a + b + more, n + more);
                on_both_chips(|device| {
                    let host = |from: usize, count: usize| -> Vec<f32> {
                        (from..from + count).map(|at| number(at) as f32).collect()
                    };
                    let mut c = device.upload(&vec![BEFORE as f32; p * q], [p, q])?;
                    let (x, y) = (
                        device.upload(&host(0, m * a), [m, a])?,
                        device.upload(&host(m * a, m * b), [m, b])?,
                    );
                    beside(&x, &y, &mut c).run()?;
                    for (place, found) in c.download()?.iter().enumerate() {
                        let (i, j) = (place / q, place % q);
                        let expected = match j {
                            _ if i >= m || j >= a + b => BEFORE,
                            _ if j < a => number(i * a + j),
                            _ => number(m * a + i * b + j - a),
                        };
                        assert_eq!(*found, expected as f32, "{m}x{a}, {b} beside: ({i}, {j})");
                    }
                    Ok(())
                });
            }
        }
    }
}

/// Choices by data, of which one side has no value past its tensor; stores from any column on; one column; one element.
#[tt::kernel]
fn chosen<const M: usize, const N: usize, const A: usize, const B: usize>(
    x: &Tensor<i32, M, N>,
    y: &Tensor<i32, A, B>,
    z: &mut Tensor<i32, M, N>,
    row: i32,
    column: i32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<i32>(32, 32);
    let w = T.alloc_shared::<i32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    T.copy(y[(by * 32, bx * 32)], w);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = if v[(i, j)] < 3 { w[(i, j)] + 100 } else { v[(i, j)] };
    }
    for (i, j) in T.Parallel(32, 32) {
        z[(by * 32 + i + row, bx * 32 + j + column)] = v[(i, j)];
    }
}

#[test]
fn elements_without_a_value_are_not_stored_whatever_says_so() {
    for [m, n] in SHAPES {
        for [a, b] in [[m, n], [20, 40], [1, 1], [64, 33]] {
            for [row, column] in [[0, 0], [0, 16], [5, 1], [-3, -17], [1, 31]] {
                let x: Vec<i32> = (0..m * n).map(number).collect();
                let y: Vec<i32> = (0..a * b).map(|at| number(at + 5)).collect();
                let mut expected = vec![BEFORE; m * n];
                for (place, value) in x.iter().enumerate() {
                    let (i, j) = (place / n, place % n);
                    let chosen = match value {
                        ..3 => (i < a && j < b).then(|| y[i * b + j] + 100),
                        _ => Some(*value),
                    };
                    let to = [i as i32 + row, j as i32 + column];
                    if let Some(value) = chosen
                        && (0..m as i32).contains(&to[0])
                        && (0..n as i32).contains(&to[1])
                    {
                        expected[to[0] as usize * n + to[1] as usize] = value;
                    }
                }
                on_both_chips(|device| {
                    let (x, y) = (device.upload(&x, [m, n])?, device.upload(&y, [a, b])?);
                    let mut z = device.upload(&vec![BEFORE; m * n], [m, n])?;
                    let launch = chosen(&x, &y, &mut z, row, column);
                    let reference = launch.reference()?.into_single()?;
                    launch.run()?;
                    assert_eq!(z.download()?, expected, "{m}x{n}, {a}x{b} to ({row}, {column})");
                    assert!(reference.iter().zip(&expected).all(|(a, b)| *a == *b as f32));
                    Ok(())
                });
            }
        }
    }
}

/// As many columns as a tensor says, from where another says.
#[tt::kernel]
fn few<const G: usize, const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    starts: &Tensor<i32, G>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (g, by) = T.Kernel(G - 1, M.div_ceil(32));
    let first = starts[g];
    let next = starts[g + 1];
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, first..next)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] += 1.0;
    }
    T.copy(v, y[(by * 32, first..next)]);
}

#[test]
fn groups_of_columns_begin_and_end_anywhere() {
    let starts = [0, 1, 4, 20, 35, 70, 129];
    for m in [1, 33] {
        let n = 130;
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at) as f32)).collect();
        on_both_chips(|device| {
            let (x, at) = (device.upload(&host, [m, n])?, device.upload(&starts, [starts.len()])?);
            let mut y = device.upload(&vec![bf16::from_f32(BEFORE as f32); m * n], [m, n])?;
            few(&x, &at, &mut y).run()?;
            for (place, found) in y.download()?.iter().enumerate() {
                let expected = if place % n < 129 { number(place) + 1 } else { BEFORE };
                assert_eq!(found.to_f32(), expected as f32, "{m}: ({}, {})", place / n, place % n);
            }
            Ok(())
        });
    }
}
