//! Elements of blocks that are read in a branch of a choice by the indices: only those of the branch are read, so that the
//! others need not be there, nor have been written.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [[usize; 2]; 4] = [[64, 64], [130, 97], [5, 33], [32, 31]];

fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

/// Neighbours within a block: what has none is itself. The same of a vector, of integers, and of a turned block.
#[tt::kernel]
fn neighbours<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    q: &Tensor<i32, M, N>,
    y: &mut Tensor<f32, M, N>,
    z: &mut Tensor<i32, M, N>,
    t: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let u = T.alloc_shared::<i32>(64, 64);
    let s = T.alloc_fragment::<f32>(64);
    let d = T.alloc_fragment::<f32>(64);
    let o = T.alloc_shared::<f32>(64, 64);
    let p = T.alloc_shared::<i32>(64, 64);
    let r = T.alloc_shared::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(q[(by * 64, bx * 64)], u);
    T.reduce_sum(v, s, dim = 1);
    for i in T.Parallel(64) {
        d[i] = if i < 3 { 0.0 } else { s[i - 3] };
    }
    for (i, j) in T.Parallel(64, 64) {
        o[(i, j)] = d[i] + if i > 0 { v[(i - 1, j)] } else { v[(i, j)] } + if !(j >= 62) { v[(i, j + 2)] } else { 0.0 };
        p[(i, j)] = if i >= 32 && j >= 1 {
            u[(i - 32, j - 1)]
        } else {
            u[(i, j)] + 1
        };
        r[(i, j)] = if 5 <= j { v[(j - 5, i)] } else { 1.0 };
    }
    T.copy(o, y[(by * 64, bx * 64)]);
    T.copy(p, z[(by * 64, bx * 64)]);
    T.copy(r, t[(by * 64, bx * 64)]);
}

#[test]
fn what_has_no_neighbour_takes_the_other_branch() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let whole: Vec<i32> = host.iter().map(|x| *x as i32).collect();
        let at = |i: usize, j: usize| (i < m && j < n).then(|| host[i * n + j]);
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let q = device.upload(&whole, [m, n])?;
            let mut y = device.upload(&vec![-99.0f32; m * n], [m, n])?;
            let mut z = device.upload(&vec![-99i32; m * n], [m, n])?;
            let mut t = device.upload(&vec![-99.0f32; m * n], [m, n])?;
            neighbours(&x, &q, &mut y, &mut z, &mut t).run()?;
            let (y, z, t) = (y.download()?, z.download()?, t.download()?);
            for i in 0..m {
                for j in 0..n {
                    let (r, c) = (i % 64, j % 64);
                    let (top, left) = (i - r, j - c);
                    let above = if r > 0 { at(i - 1, j) } else { at(i, j) };
                    let right = if c < 62 { at(i, j + 2) } else { Some(0.0) };
                    let sum = |i: usize| (left..n.min(left + 64)).filter_map(|j| at(i, j)).sum::<f32>();
                    let d = if r < 3 { 0.0 } else { sum(i - 3) };
                    // Where there is no value, what was there stays.
                    let o = above.zip(right).map_or(-99.0, |(above, right)| above + right + d);
                    let p = if r >= 32 && c >= 1 {
                        at(i - 32, j - 1)
                    } else {
                        at(i, j).map(|x| x + 1.0)
                    };
                    let turned = if c >= 5 { at(top + c - 5, left + r) } else { Some(1.0) };
                    let place = i * n + j;
                    assert_eq!(y[place], o, "{m}x{n}: y ({i}, {j})");
                    assert_eq!(z[place], p.map_or(-99, |p| p as i32), "{m}x{n}: z ({i}, {j})");
                    assert_eq!(t[place], turned.unwrap_or(-99.0), "{m}x{n}: t ({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

/// Two blocks beside each other, one block of which a half is written, and a mean over what a mask leaves.
#[tt::kernel]
fn joined<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    w: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, 2, M, N>,
    z: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let a = T.alloc_shared::<bf16>(32, 32);
    let b = T.alloc_shared::<bf16>(32, 32);
    let both = T.alloc_shared::<bf16>(32, 64);
    let half = T.alloc_fragment::<f32>(32, 32);
    let o = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], a);
    T.copy(w[(by * 32, bx * 32)], b);
    for (i, j) in T.Parallel(32, 64) {
        both[(i, j)] = if j < 32 { a[(i, j)] } else { b[(i, j - 32)] };
    }
    for (i, j) in T.Parallel(16, 32) {
        half[(i, j)] = a[(i, j)] * 2.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        o[(i, j)] = if i < 16 {
            half[(i, j)]
        } else if i < 20 {
            both[(i, j + 32)]
        } else {
            both[(i - 20, j)]
        };
    }
    for (i, j) in T.Parallel(32, 32) {
        y[(0, by * 32 + i, bx * 32 + j)] = both[(i, j)];
        y[(1, by * 32 + i, bx * 32 + j)] = both[(i, j + 32)];
    }
    T.copy(o, z[(by * 32, bx * 32)]);
}

#[test]
fn blocks_are_joined_and_halves_are_read() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let other: Vec<f32> = (0..m * n).map(|at| number(at * 5 + 3)).collect();
        let half = |values: &[f32]| values.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        on_both_chips(|device| {
            let x = device.upload(&half(&host), [m, n])?;
            let w = device.upload(&half(&other), [m, n])?;
            let mut y = device.zeros::<bf16>([2, m, n])?;
            let mut z = device.upload(&vec![-99.0f32; m * n], [m, n])?;
            joined(&x, &w, &mut y, &mut z).run()?;
            let (y, z) = (y.download()?, z.download()?);
            for i in 0..m {
                for j in 0..n {
                    let at = i * n + j;
                    let found = [0, 1].map(|side| y[side * m * n + at].to_f32());
                    assert_eq!(found, [host[at], other[at]], "{m}x{n}: ({i}, {j})");
                    let expected = match i % 32 {
                        0..16 => host[at] * 2.0,
                        16..20 => other[at],
                        _ => host[at - 20 * n],
                    };
                    assert_eq!(z[at], expected, "{m}x{n}: z ({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

/// Three corners of a block from parts of others, and nothing in the fourth: each branch is told by what those before are not.
#[tt::kernel]
fn corners<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let a = T.alloc_shared::<bf16>(32, 32);
    let o = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], a);
    for (i, j) in T.Parallel(32, 32) {
        o[(i, j)] = if i < 16 && j < 10 {
            0.0
        } else if i >= 16 {
            a[(i - 16, j)]
        } else {
            a[(i, j - 10)] * 2.0
        };
    }
    T.copy(o, y[(by * 32, bx * 32)]);
}

#[test]
fn what_two_conditions_leave_is_told_by_the_next() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>(), [m, n])?;
            let mut y = device.upload(&vec![-99.0f32; m * n], [m, n])?;
            corners(&x, &mut y).run()?;
            for (at, found) in y.download()?.into_iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let expected = match (i % 32, j % 32) {
                    (0..16, 0..10) => 0.0,
                    (16.., _) => host[at - 16 * n],
                    _ => host[at - 10] * 2.0,
                };
                assert_eq!(found, expected, "{m}x{n}: ({i}, {j})");
            }
            Ok(())
        });
    }
}

/// Offsets that are known at run time, which the masks keep inside of their blocks.
#[tt::kernel]
fn shifted<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, n: i32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let a = T.alloc_shared::<f32>(32, 64);
    let o = T.alloc_fragment::<f32>(32, 64);
    let s = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, bx * 64)], a);
    T.reduce_max(a, s, dim = 1);
    T.clear(o);
    for k in T.serial(3) {
        for (i, j) in T.Parallel(32, 64) {
            o[(i, j)] += if i >= k * 8 { a[(i - k * 8, j)] } else { 0.0 };
            o[(i, j)] += if j + 32 * k < 64 { a[(i, j + 32 * k)] } else { s[i] };
        }
    }
    for (i, j) in T.Parallel(32, 64) {
        o[(i, j)] += if i < 32 - n && j != 0 { a[(i + n, j - 1)] } else { 1.0 };
        o[(i, j)] += if n > 3 {
            a[(i, j)]
        } else if i <= 3 {
            s[i + n]
        } else {
            0.0
        };
    }
    T.copy(o, y[(by * 32, bx * 64)]);
}

#[test]
fn offsets_of_run_time_take_what_is_there() {
    let [m, n] = [64, 128];
    let host: Vec<f32> = (0..m * n).map(number).collect();
    for by in [0, 5, 28, 32] {
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            shifted(&x, by, &mut y).run()?;
            let y = y.download()?;
            let by = by as usize;
            for i in 0..m {
                for j in 0..n {
                    let (top, left) = (i / 32 * 32, j / 64 * 64);
                    let (r, c) = (i - top, j - left);
                    let at = |r: usize, c: usize| host[(top + r) * n + left + c];
                    let most = |r: usize| (0..64).map(|c| at(r, c)).fold(f32::MIN, f32::max);
                    let mut sum = 0.0;
                    for k in 0..3 {
                        sum += if r >= k * 8 { at(r - k * 8, c) } else { 0.0 };
                        sum += if c + 32 * k < 64 { at(r, c + 32 * k) } else { most(r) };
                    }
                    sum += if r + by < 32 && c != 0 { at(r + by, c - 1) } else { 1.0 };
                    sum += match (by > 3, r <= 3) {
                        (true, _) => at(r, c),
                        (false, true) => most(r + by),
                        (false, false) => 0.0,
                    };
                    assert_eq!(y[i * n + j], sum, "{by}: ({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

/// A mask that lets through what is not there.
#[tt::kernel]
fn past<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, n: i32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let a = T.alloc_shared::<f32>(32, 32);
    let o = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], a);
    for (i, j) in T.Parallel(32, 32) {
        o[(i, j)] = if i < 30 { a[(i + n, j)] } else { 0.0 };
    }
    T.copy(o, y[(by * 32, bx * 32)]);
}

#[test]
fn a_mask_that_lets_through_what_is_not_there_is_told() {
    on_both_chips(|device| {
        let x = device.zeros::<f32>([32, 32])?;
        let mut y = device.zeros::<f32>([32, 32])?;
        for n in 0..=2 {
            past(&x, n, &mut y).run()?;
        }
        for n in [-1, 3, 40] {
            let error = past(&x, n, &mut y).run().expect_err("some of the rows are not there");
            let error = error.to_string();
            assert!(error.contains("inside of a where it is chosen"), "{error}");
        }
        Ok(())
    });
}
