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
