//! Products whose operands and results are parts of blocks, and other results in parts, against plain loops on both emulated chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 13) as f32 - 6.0
}

const SHAPES: [[usize; 2]; 3] = [[128, 64], [70, 64], [3, 64]];

/// Halves of blocks are multiplied by loops over three indices.
#[tt::kernel]
fn halves<const M: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, 64>,
    part: u32,
    c: &mut Tensor<f32, M, 64>,
    d: &mut Tensor<f32, M, 32>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let few = T.alloc_fragment::<f32>(64, 32);
    T.copy(a[(by * 64, 0)], x);
    T.copy(b[(0, 0)], y);
    T.clear(acc);
    T.clear(few);
    for (i, j, k) in T.Parallel(64, 64, 32) {
        acc[(i, j)] += x[(i, k)] * y[(k, j)];
    }
    for (i, j, k) in T.Parallel(64, 64, 32) {
        acc[(i, j)] += x[(i, k + 32)] * y[(j, k + 5)];
    }
    for (i, j, k) in T.Parallel(64, 32, 16) {
        few[(i, j)] += x[(i, 3 + k)] * y[(k + part.min(48), j + 32)];
    }
    // The columns 32.. of the accumulator alone.
    for (i, j, k) in T.Parallel(64, 32, 64) {
        acc[(i, j + 32)] = acc[(i, j + 32)] + y[(k, j)] * x[(i, k)];
    }
    T.copy(acc, c[(by * 64, 0)]);
    T.copy(few, d[(by * 64, 0)]);
}

#[test]
fn parts_of_blocks_are_operands_of_the_loop_over_three_indices() {
    for [m, k] in SHAPES {
        let a: Vec<f32> = (0..m * k).map(number).collect();
        let b: Vec<f32> = (0..64 * 64).map(|at| number(at * 3 + 1)).collect();
        let half = |of: &[f32]| of.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        on_both_chips(|device| {
            let (x, y) = (device.upload(&half(&a), [m, 64])?, device.upload(&half(&b), [64, 64])?);
            for part in [0, 7, 64] {
                let mut c = device.zeros::<f32>([m, 64])?;
                let mut d = device.zeros::<f32>([m, 32])?;
                halves(&x, &y, part, &mut c, &mut d).check(1e-6)?;
                let (c, d) = (c.download()?, d.download()?);
                let (a, b) = (|i: usize, k: usize| a[i * 64 + k], |k: usize, j: usize| b[k * 64 + j]);
                for i in 0..m {
                    for j in 0..64 {
                        let mut sum: f32 = (0..32).map(|k| a(i, k) * b(k, j) + a(i, k + 32) * b(j, k + 5)).sum();
                        if j >= 32 {
                            sum += (0..64).map(|k| a(i, k) * b(k, j - 32)).sum::<f32>();
                        }
                        assert_eq!(c[i * 64 + j], sum, "{m}: ({i}, {j})");
                    }
                    for j in 0..32 {
                        let first = part.min(48) as usize;
                        let sum: f32 = (0..16).map(|k| a(i, 3 + k) * b(k + first, j + 32)).sum();
                        assert_eq!(d[i * 32 + j], sum, "{m}, {part}: ({i}, {j})");
                    }
                }
            }
            Ok(())
        });
    }
}

/// Blocks of a stack are operands and accumulators, and rows of a tensor lie along an axis before its last two.
#[tt::kernel]
fn of_stacks<const P: usize, const M: usize>(
    a: &Tensor<bf16, P, M, 2, 32>,
    c: &mut Tensor<f32, P, M, 32>,
    d: &mut Tensor<f32, P, M, 32>,
) {
    let (p, q) = T.Kernel(P, M.div_ceil(32));
    let z = T.alloc_fragment::<f32>(2, 32, 32);
    let w = T.alloc_shared::<bf16>(2, 32, 32);
    T.clear(z);
    T.copy(a[(p, q * 32..q * 32 + 32, 1, 0..32)], w[(1, 0..32, 0..32)]);
    T.fill(w[(0, 0..32, 0..32)], 1.0);
    for (i, j, k) in T.Parallel(32, 32, 32) {
        z[(0, i, j)] += a[(p, q * 32 + i, 0, k)] * w[(1, j, k)];
    }
    for s in 0..2 {
        for (i, j, k) in T.Parallel(32, 32, 32) {
            z[(1, i, j)] += w[(s, i, k)] * w[(1 - s, k, j)];
        }
    }
    T.copy(z[(0, 0..32, 0..32)], c[(p, q * 32, 0)]);
    T.copy(z[(1, 0..32, 0..32)], d[(p, q * 32, 0)]);
}

#[test]
fn blocks_of_stacks_and_rows_along_other_axes_are_multiplied() {
    for [p, m] in [[2, 64], [1, 40]] {
        let a: Vec<f32> = (0..p * m * 64).map(number).collect();
        let half: Vec<bf16> = a.iter().map(|x| bf16::from_f32(*x)).collect();
        on_both_chips(|device| {
            let x = device.upload(&half, [p, m, 2, 32])?;
            let mut c = device.zeros::<f32>([p, m, 32])?;
            let mut d = device.zeros::<f32>([p, m, 32])?;
            of_stacks(&x, &mut c, &mut d).check(1e-6)?;
            let (c, d) = (c.download()?, d.download()?);
            let at = |b: usize, i: usize, h: usize, k: usize| match i < m {
                true => a[((b * m + i) * 2 + h) * 32 + k],
                false => 0.0,
            };
            for (b, i, j) in (0..p).flat_map(|b| (0..m).flat_map(move |i| (0..32).map(move |j| (b, i, j)))) {
                let first = i / 32 * 32;
                let sum: f32 = (0..32).map(|k| at(b, i, 0, k) * at(b, first + j, 1, k)).sum();
                let row = (b * m + i) * 32 + j;
                if first + j < m {
                    assert_eq!(c[row], sum, "{p}x{m}: ({b}, {i}, {j})");
                }
                let ones: f32 = (0..32).map(|k| at(b, first + k, 1, j) + at(b, i, 1, k)).sum();
                assert_eq!(d[row], ones, "{p}x{m}: ({b}, {i}, {j})");
            }
            Ok(())
        });
    }
}

/// What products, transposes, fills and reductions give goes into parts of blocks; what lies beside them stays.
#[tt::kernel]
fn results<const M: usize>(a: &Tensor<f32, M, 32>, n: u32, c: &mut Tensor<f32, 6, M, 32>) {
    let b = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    let z = T.alloc_fragment::<f32>(6, 32, 32);
    T.copy(a[(b * 32, 0)], x);
    T.fill(z, 9.0);
    T.clear(z[(n, 0..32, 0..32)]);
    T.gemm(x, x, z[(n, 0..32, 0..32)], transpose_b = true);
    T.gemm(x, x, z[(n, 0..32, 0..32)], transpose_b = true);
    T.transpose(x, z[(2, 0..32, 0..32)]);
    T.fill(z[(3, 4..12, 0..32)], 2.0);
    T.clear(z[(3, 0..32, 5)]);
    T.reduce_sum(x, z[(4, 0..32, 3..4)], dim = 1);
    T.reduce_max(x, z[(4, 7, 0..32)], dim = 0);
    T.reduce_max(z[(2, 0..32, 0..32)], z[(4, 8, 0..32)], dim = 0, clear = false);
    T.reduce_sum(x, z[(5, 1..2, 1..2)], dim = (0, 1));
    T.gemm(
        x[(0..32, 0..16)],
        x[(0..32, 0..16)],
        z[(5, 0..32, 0..32)],
        transpose_b = true,
        clear_accum = true,
    );
    T.copy(z, c[(0, b * 32, 0)]);
}

#[test]
fn results_go_into_parts_of_blocks() {
    let m = 64;
    let a: Vec<f32> = (0..m * 32).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&a, [m, 32])?;
        for n in [0, 1] {
            let mut c = device.zeros::<f32>([6, m, 32])?;
            results(&x, n, &mut c).check(1e-6)?;
            let c = c.download()?;
            for (s, i, j) in (0..6).flat_map(|s| (0..m).flat_map(move |i| (0..32).map(move |j| (s, i, j)))) {
                let (first, row) = (i / 32 * 32, i % 32);
                let x = |i: usize, j: usize| a[(first + i) * 32 + j];
                let product = |cut: usize| (0..cut).map(|k| x(row, k) * x(j, k)).sum::<f32>();
                let max = |of: &dyn Fn(usize) -> f32| (0..32).map(of).fold(f32::NEG_INFINITY, f32::max);
                let wanted = match s {
                    0 | 1 if s == n as usize => 2.0 * product(32),
                    2 => x(j, row),
                    3 if j == 5 => 0.0,
                    3 if (4..12).contains(&row) => 2.0,
                    4 if row == 7 => max(&|k| x(k, j)),
                    4 if row == 8 && j != 3 => max(&|k| x(j, k)).max(9.0),
                    4 if row == 8 => max(&|k| x(j, k)).max((0..32).map(|k| x(row, k)).sum()),
                    4 if j == 3 => (0..32).map(|k| x(row, k)).sum(),
                    5 => product(16),
                    _ => 9.0,
                };
                assert_eq!(c[(s * m + i) * 32 + j], wanted, "{n}: ({s}, {i}, {j})");
            }
        }
        Ok(())
    });
}
