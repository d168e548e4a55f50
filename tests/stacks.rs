//! Stacks of blocks, and parts of blocks that begin where a loop or a scalar says, against plain loops on both emulated chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

const SHAPES: [[usize; 2]; 3] = [[128, 96], [95, 127], [3, 40]];

/// A ring of three blocks: each step adds the one before it, and the sum of the last steps is stored.
#[tt::kernel]
fn ring<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>, back: u32) {
    let bx = T.Kernel(N.div_ceil(32));
    let held = T.alloc_shared::<bf16>(3, 32, 32);
    let sum = T.alloc_fragment::<f32>(32, 32);
    T.clear(held);
    for k in 0..M.div_ceil(32) {
        T.copy(x[(k * 32, bx * 32)], held[(k % 3, 0..32, 0..32)]);
        T.clear(sum);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += held[((k + 1) % 3, i, j)] + held[(k % 3, i, j)] * 2.0;
        }
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += held[((k + 3 - back.min(2)) % 3, 0, j)];
        }
        T.copy(sum, y[(k * 32, bx * 32)]);
    }
}

#[test]
fn blocks_of_a_stack_are_chosen_at_run_time() {
    for [m, n] in SHAPES {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            for back in [0, 1, 2, 7] {
                let mut y = device.upload(&vec![99.0; m * n], [m, n])?;
                ring(&x, &mut y, back).run()?;
                let found = y.download()?;
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let v = |row: i64| match row {
                        row if row < 0 => Some(0.0),
                        row => ((row as usize) < m).then(|| number(row as usize * n + j)),
                    };
                    let (row, step) = (i as i64, (i / 32) as i64 * 32);
                    let mut sum = 0.0;
                    // The sum that has no operand stays as it is.
                    if let Some((a, b)) = v(row - 64).zip(v(row)) {
                        sum += a + b * 2.0;
                    }
                    sum += v(step - 32 * i64::from(back.min(2))).unwrap_or(0.0);
                    assert_eq!(found[i * n + j], sum, "{m}x{n}, {back}: ({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

/// A stack of operands is loaded once and multiplied in turn; heights are no multiple of 32.
#[tt::kernel]
fn products<const M: usize, const K: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, 4, 20, K>,
    c: &mut Tensor<f32, 4, M, 20>,
    sums: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let q = T.alloc_shared::<bf16>(32, 64);
    let w = T.alloc_shared::<bf16>(4, 20, 64);
    let acc = T.alloc_fragment::<f32>(4, 32, 20);
    let sum = T.alloc_fragment::<f32>(32);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 32, k * 64)], q);
        T.copy(b[(0, 0, k * 64)], w);
        for s in T.serial(4) {
            let part = T.alloc_fragment::<f32>(32, 20);
            T.gemm(q, w[(s, 0..20, 0..64)], part, transpose_b = true, clear_accum = true);
            for (i, j) in T.Parallel(32, 20) {
                acc[(s, i, j)] += part[(i, j)];
            }
        }
    }
    T.copy(acc, c[(0, by * 32, 0)]);
    T.clear(sum);
    for s in T.unroll(4) {
        T.reduce_sum(acc[(3 - s, 0..32, 0..20)], sum, dim = 1, clear = false);
    }
    T.copy(sum, sums[by * 32]);
}

#[test]
fn stacks_are_loaded_multiplied_and_stored() {
    for [m, k] in [[64, 128], [33, 65], [5, 3]] {
        let a: Vec<f32> = (0..m * k).map(|at| number(at) / 4.0).collect();
        let b: Vec<f32> = (0..4 * 20 * k).map(|at| number(at * 3 + 1) / 4.0).collect();
        let half = |of: &[f32]| of.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        on_both_chips(|device| {
            let (x, w) = (device.upload(&half(&a), [m, k])?, device.upload(&half(&b), [4, 20, k])?);
            let mut c = device.zeros::<f32>([4, m, 20])?;
            let mut sums = device.zeros::<f32>([m])?;
            products(&x, &w, &mut c, &mut sums).check(1e-5)?;
            let (found, sums) = (c.download()?, sums.download()?);
            for i in 0..m {
                let mut all = 0.0;
                for (s, j) in (0..4).flat_map(|s| (0..20).map(move |j| (s, j))) {
                    let sum: f32 = (0..k).map(|at| a[i * k + at] * b[(s * 20 + j) * k + at]).sum();
                    assert_eq!(found[(s * m + i) * 20 + j], sum, "{m}x{k}: ({s}, {i}, {j})");
                    all += sum;
                }
                assert_eq!(sums[i], all, "{m}x{k}: {i}");
            }
            Ok(())
        });
    }
}

/// Several blocks of a stack at once: from a tensor, within the stack, to another and to a tensor.
#[tt::kernel]
fn several<const M: usize, const N: usize>(x: &Tensor<bf16, 3, M, N>, y: &mut Tensor<f32, 4, M, N>, from: u32) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let held = T.alloc_shared::<bf16>(4, 32, 32);
    let two = T.alloc_shared::<f32>(2, 32, 32);
    T.clear(held);
    T.copy(x[(0, by * 32, bx * 32)], held[(1..4, 0..32, 0..32)]);
    T.copy(held[(1..3, 0..32, 0..32)], held[(2..4, 0..32, 0..32)]);
    T.copy(held[(from..from + 2, 0..32, 0..32)], two);
    T.copy(two, y[(0, by * 32, bx * 32)]);
    T.copy(held[(0..2, 0..32, 0..32)], y[(2, by * 32, bx * 32)]);
}

#[test]
fn several_blocks_of_a_stack_are_copied_at_once() {
    for [m, n] in SHAPES {
        let host: Vec<bf16> = (0..3 * m * n).map(|at| bf16::from_f32(number(at))).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [3, m, n])?;
            for from in 0..3 {
                let mut y = device.upload(&vec![99.0; 4 * m * n], [4, m, n])?;
                several(&x, &mut y, from).run()?;
                let found = y.download()?;
                // The stack holds nothing, the first matrix twice, and the second.
                let held = |block: usize, at: usize| match block {
                    0 => 0.0,
                    1 | 2 => number(at),
                    _ => number(m * n + at),
                };
                let from = from as usize;
                for (at, block) in
                    (0..m * n).flat_map(|at| [from, from + 1, 0, 1].into_iter().enumerate().map(move |y| (at, y)))
                {
                    let (to, block) = block;
                    assert_eq!(found[to * m * n + at], held(block, at), "{m}x{n}, {from}: ({to}, {at})");
                }
            }
            Ok(())
        });
    }
}

/// Parts of blocks begin where a loop's variable, a scalar or an integer of a tensor says.
#[tt::kernel]
fn parts<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    first: &Tensor<i32, 1>,
    n: i32,
    y: &mut Tensor<f32, M, N>,
    z: &mut Tensor<f32, M, 32>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 128);
    let w = T.alloc_shared::<f32>(64, 128);
    let sum = T.alloc_fragment::<f32>(64, 32);
    T.copy(x[(by * 64, 0)], v);
    T.copy(v, w);
    T.clear(sum);
    for k in T.unroll(4) {
        for (i, j) in T.Parallel(64, 32) {
            sum[(i, j)] += v[(i, k * 32 + j)];
        }
    }
    let chosen = first[0];
    for k in 0..n {
        for (i, j) in T.Parallel(32, 64) {
            w[(i + chosen * 32, j + 32)] = v[(i, j + k * 32)] + (k as f32);
        }
    }
    T.copy(sum, z[(by * 64, 0)]);
    T.copy(w, y[(by * 64, 0)]);
}

#[test]
fn parts_begin_where_integers_say() {
    for [m, n] in [[64, 128], [90, 100], [3, 40]] {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            for (chosen, turns) in [(0, 3), (1, 2), (1, 0), (0, -1)] {
                let first = device.upload(&[chosen], [1])?;
                let mut y = device.upload(&vec![99.0; m * n], [m, n])?;
                let mut z = device.zeros::<f32>([m, 32])?;
                parts(&x, &first, turns, &mut y, &mut z).check(0.0)?;
                let (y, z) = (y.download()?, z.download()?);
                for block in 0..m.div_ceil(64) {
                    let v = |i: usize, j: usize| {
                        let row = block * 64 + i;
                        (row < m && j < n).then(|| host[row * n + j])
                    };
                    let mut w: Vec<Option<f32>> = (0..64 * 128).map(|at| v(at / 128, at % 128)).collect();
                    for k in 0..turns.max(0) as usize {
                        for (i, j) in (0..32).flat_map(|i| (0..64).map(move |j| (i, j))) {
                            let at = (i + chosen as usize * 32) * 128 + j + 32;
                            w[at] = v(i, j + k * 32).map(|x| x + k as f32);
                        }
                    }
                    for (i, j) in (0..64).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let row = block * 64 + i;
                        if row < m {
                            let expected = w[i * 128 + j].unwrap_or(99.0);
                            assert_eq!(y[row * n + j], expected, "{m}x{n}, {chosen}, {turns}: ({row}, {j})");
                            if j < 32 {
                                let sum: f32 = (0..4).filter_map(|k| v(i, k * 32 + j)).sum();
                                assert_eq!(z[row * 32 + j], sum, "{m}x{n}: ({row}, {j})");
                            }
                        }
                    }
                }
            }
            Ok(())
        });
    }
}

/// How many matrices a range takes is said at launch: of stacks, of a stack of one block, and of a row beside the rows of its block.
#[tt::kernel]
fn counted<const P: usize, const M: usize>(
    x: &Tensor<f32, P, M, 40>,
    n: i32,
    y: &mut Tensor<f32, P, M, 40>,
    first: &mut Tensor<f32, M, 40>,
    row: &mut Tensor<f32, 1, 32>,
    column: &mut Tensor<f32, P, M, 1>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let held = T.alloc_shared::<f32>(3, 32, 32);
    let narrow = T.alloc_shared::<f32>(3, 32, 1);
    let one = T.alloc_shared::<f32>(1, 32, 32);
    let line = T.alloc_shared::<f32>(1, 32);
    T.copy(x[(0..n, by * 32..by * 32 + 32, 0..32)], held);
    T.copy(held, y[((1..1 + 2 * n).step_by(2), by * 32..by * 32 + 32, 8..40)]);
    T.copy(x[(1..n.min(2), by * 32..by * 32 + 32, 0..32)], one);
    T.copy(one[(0, 0..32, 0..32)], first[(by * 32, 0)]);
    T.copy(x[(2..n.min(3), by * 32, 0..32)], line);
    T.copy(line, row[(by, 0)]);
    T.copy(x[(0..3, by * 32..by * 32 + 32, 16..17)], narrow);
    for s in T.unroll(3) {
        let part = T.alloc_shared::<f32>(32, 1);
        T.copy(narrow[(s, 0..32, 0..1)], part);
        T.copy(part, column[(s, by * 32, 0)]);
    }
}

#[test]
fn ranges_take_as_many_blocks_as_the_launch_says() {
    let (m, value) = (31, |p: usize, i: usize, j: usize| number((p * 31 + i) * 40 + j));
    for planes in [2, 7] {
        let host: Vec<f32> = (0..planes * m * 40).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [planes, m, 40])?;
            for n in [-1, 0, 1, 2, 3] {
                let fresh = |len: usize| vec![99.0f32; len];
                let mut y = device.upload(&fresh(host.len()), [planes, m, 40])?;
                let mut first = device.upload(&fresh(m * 40), [m, 40])?;
                let mut row = device.upload(&fresh(32), [1, 32])?;
                let mut column = device.upload(&fresh(planes * m), [planes, m, 1])?;
                counted(&x, n, &mut y, &mut first, &mut row, &mut column).check(0.0)?;
                let n = n.max(0) as usize;
                let (y, first, row, column) = (y.download()?, first.download()?, row.download()?, column.download()?);
                for (p, i, j) in (0..planes).flat_map(|p| (0..m * 40).map(move |at| (p, at / 40, at % 40))) {
                    let from = p / 2;
                    let is_stored = p % 2 == 1 && from < n && j >= 8;
                    let expected = if is_stored { value(from, i, j - 8) } else { 99.0 };
                    assert_eq!(y[(p * m + i) * 40 + j], expected, "{planes}, {n}: ({p}, {i}, {j})");
                    let expected = if p < 3 { value(p, i, 16) } else { 99.0 };
                    assert_eq!(column[p * m + i], expected, "{planes}: ({p}, {i})");
                    if p == 0 && j < 32 {
                        let expected = if n > 1 { value(1, i, j) } else { 99.0 };
                        assert_eq!(first[i * 40 + j], expected, "{planes}, {n}: ({i}, {j})");
                        let expected = if n > 2 && planes > 2 { value(2, 0, j) } else { 99.0 };
                        assert_eq!(row[j], expected, "{planes}, {n}: {j}");
                    }
                }
            }
            Ok(())
        });
    }
}

/// Four places that are chosen each by itself, one of them where a choice between elements may not read it.
#[tt::kernel]
fn four(x: &Tensor<bf16, 3, 32, 32>, of: &Tensor<i32, 4>, y: &mut Tensor<f32, 3, 32, 32>) {
    let bx = T.Kernel(1);
    let z = T.alloc_shared::<bf16>(3, 32, 32);
    let w = T.alloc_fragment::<f32>(3, 32, 32);
    T.copy(x[(bx, 0, 0)], z);
    T.clear(w);
    let p = of[0];
    let q = of[1];
    let r = of[2];
    let s = of[3];
    for (i, j) in T.Parallel(32, 32) {
        w[(p, i, j)] += z[(q, i, j)] + z[(r, j, i)] * 2.0 + (if i < 16 { z[(s, i, j)] } else { z[(q, i, j)] });
    }
    T.copy(w, y[(bx, 0, 0)]);
}

#[test]
fn places_are_chosen_each_by_itself() {
    let host: Vec<f32> = (0..3 * 1024).map(number).collect();
    let halves: Vec<bf16> = host.iter().map(|x| bf16::from_f32(*x)).collect();
    on_both_chips(|device| {
        let x = device.upload(&halves, [3, 32, 32])?;
        for [p, q, r, s] in [[0usize, 2, 1, 1], [1, 1, 1, 1], [2, 0, 1, 2]] {
            let of = device.upload(&[p, q, r, s].map(|at| at as i32), [4])?;
            let mut y = device.zeros::<f32>([3, 32, 32])?;
            four(&x, &of, &mut y).check(0.0)?;
            let found = y.download()?;
            for (i, j) in (0..32).flat_map(|i| (0..32).map(move |j| (i, j))) {
                let z = |s: usize, i: usize, j: usize| host[s * 1024 + i * 32 + j];
                let sum = z(q, i, j) + z(r, j, i) * 2.0 + if i < 16 { z(s, i, j) } else { z(q, i, j) };
                for block in 0..3 {
                    let expected = if block == p { sum } else { 0.0 };
                    assert_eq!(
                        found[block * 1024 + i * 32 + j],
                        expected,
                        "{p} {q} {r} {s}: ({block}, {i}, {j})"
                    );
                }
            }
        }
        Ok(())
    });
}

/// Stacks of a type that copies round to; loops that have no turn, and ones that count what a condition chooses.
#[tt::kernel]
fn rounded(x: &Tensor<bf16, 2, 32, 64>, n: i32, y: &mut Tensor<f32, 2, 32, 64>, z: &mut Tensor<f32, 32, 64>) {
    let bx = T.Kernel(1);
    let held = T.alloc_shared::<f16>(2, 32, 64);
    let again = T.alloc_shared::<f16>(2, 32, 64);
    let one = T.alloc_fragment::<f16>(32, 64);
    let sum = T.alloc_fragment::<f32>(1, 1);
    let ones = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(bx, 0, 0)], held);
    T.copy(held, again);
    T.copy(again, y[(bx, 0, 0)]);
    T.copy(held[(1, 0..32, 0..64)], one);
    T.fill(ones, 1.0);
    T.clear(acc);
    T.clear(sum);
    for k in 0..1 {
        for q in 0..k {
            T.reduce_sum(ones[(q * 64..q * 64 + 64, 0..64)], sum, dim = (0, 1));
        }
    }
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] += sum[(0, 0)];
    }
    for k in n..n + (if n < 2 { 2 } else { 3 }) {
        T.gemm(one, ones, acc);
    }
    for q in -2..1 {
        for k in 0..q + 1 {
            T.gemm(one, ones, acc);
        }
    }
    T.copy(acc, z[(bx, 0)]);
}

#[test]
fn stacks_are_rounded_block_by_block() {
    let numbers: Vec<f32> = (0..2 * 2048).map(number).collect();
    let host: Vec<bf16> = numbers.iter().map(|x| bf16::from_f32(*x)).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [2, 32, 64])?;
        for n in [-5, 1, 2] {
            let mut y = device.zeros::<f32>([2, 32, 64])?;
            let mut z = device.zeros::<f32>([32, 64])?;
            rounded(&x, n, &mut y, &mut z).check(1e-5)?;
            assert_eq!(y.download()?, numbers);
            let times = if n < 2 { 3.0 } else { 4.0 };
            for (at, found) in z.download()?.into_iter().enumerate() {
                let first = 2048 + at / 64 * 64;
                assert_eq!(
                    found,
                    numbers[first..first + 64].iter().sum::<f32>() * times,
                    "{n}: {at}"
                );
            }
        }
        Ok(())
    });
}

/// What is none of a stack's blocks, and no part of a block.
#[tt::kernel]
fn outside<const N: usize>(x: &Tensor<f32, 32, N>, n: i32, part: i32, y: &mut Tensor<f32, 32, N>) {
    let bx = T.Kernel(1);
    let z = T.alloc_shared::<f32>(2, 32, 64);
    T.clear(z);
    for (i, j) in T.Parallel(32, 32) {
        z[(n, i, j + part * 32)] = x[(i, j)];
    }
    T.copy(z[(0, 0..32, 0..64)], y[(bx, 0)]);
}

#[test]
fn what_is_no_block_or_part_is_said() {
    on_both_chips(|device| {
        let host: Vec<f32> = (0..32 * 64).map(number).collect();
        let x = device.upload(&host, [32, 64])?;
        let mut y = device.zeros::<f32>([32, 64])?;
        outside(&x, 0, 1, &mut y).check(0.0)?;
        for (n, part, what) in [
            (2, 0, "n is a block of z, which has 2"),
            (-1, 0, "n is a block of z, which has 2"),
            (1, 2, "part * 32"),
        ] {
            let error = outside(&x, n, part, &mut y).run().expect_err(what).to_string();
            assert!(error.contains(what), "{error}");
        }
        Ok(())
    });
}

/// Products go on in blocks of one stack, chosen by constants, loops and a scalar.
#[tt::kernel]
fn accumulators<const M: usize, const K: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, 48>,
    which: u32,
    c: &mut Tensor<f32, 3, M, 48>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 48);
    let w = T.alloc_shared::<bf16>(48, 48);
    let acc = T.alloc_fragment::<f32>(3, 32, 48);
    for s in 0..3 {
        T.clear(acc[(s, 0..32, 0..48)]);
    }
    for k in T.Pipelined(K.div_ceil(48), num_stages = 2) {
        T.copy(a[(by * 32, k * 48)], x);
        T.copy(b[(k * 48, 0)], w);
        T.gemm(x, w, acc[(0, 0..32, 0..48)]);
        T.gemm(x, w, acc[(1, 0..32, 0..48)], transpose_b = true);
        T.gemm(x, w, acc[(which, 0..32, 0..48)]);
    }
    T.copy(acc, c[(0, by * 32, 0)]);
}

/// What fills, transposes and reductions give is part of a block.
#[tt::kernel]
fn into_parts<const M: usize>(c: &Tensor<f32, 3, M, 48>, d: &mut Tensor<f32, M, 48>) {
    let by = T.Kernel(M.div_ceil(32));
    let acc = T.alloc_fragment::<f32>(3, 32, 48);
    let parts = T.alloc_fragment::<f32>(32, 48);
    T.copy(c[(0, by * 32, 0)], acc);
    T.fill(parts, 9.0);
    T.fill(parts[(0..7, 16..48)], 2.5);
    T.transpose(acc[(0, 0..20, 0..10)], parts[(7..17, 0..20)]);
    T.reduce_max(acc[(2, 0..32, 0..48)], parts[(0..32, 3)], dim = 1);
    T.reduce_sum(acc[(1, 0..10, 0..48)], parts[(20..30, 5)], dim = 1, clear = false);
    T.copy(parts, d[(by * 32, 0)]);
}

#[test]
fn results_are_parts_of_blocks() {
    for [m, k] in [[32, 96], [70, 50], [5, 3]] {
        let a: Vec<f32> = (0..m * k).map(|at| (at % 5) as f32 - 2.0).collect();
        let b: Vec<f32> = (0..k * 48).map(|at| (at % 7) as f32 - 3.0).collect();
        let half = |of: &[f32]| of.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        for which in [2, 0] {
            let product = |i: usize, j: usize, turned: bool| -> f32 {
                let one = |p: usize| {
                    let (first, p) = (p / 48 * 48, p % 48);
                    let (row, column) = if turned { (first + j, p) } else { (first + p, j) };
                    let of_b = (row < k).then(|| b[row * 48 + column]);
                    a[i * k + first + p] * of_b.unwrap_or(0.0)
                };
                (0..k).map(one).sum()
            };
            let acc = |s: usize, i: usize, j: usize| match s {
                1 => product(i, j, true),
                _ if s == which => product(i, j, false) * if which == 0 { 2.0 } else { 1.0 },
                0 => product(i, j, false),
                _ => 0.0,
            };
            on_both_chips(|device| {
                let (x, w) = (device.upload(&half(&a), [m, k])?, device.upload(&half(&b), [k, 48])?);
                let mut c = device.zeros::<f32>([3, m, 48])?;
                let mut d = device.upload(&vec![99.0f32; m * 48], [m, 48])?;
                accumulators(&x, &w, which as u32, &mut c).check(1e-6)?;
                into_parts(&c, &mut d).check(1e-6)?;
                let (c, d) = (c.download()?, d.download()?);
                for (i, j) in (0..m).flat_map(|i| (0..48).map(move |j| (i, j))) {
                    for s in 0..3 {
                        assert_eq!(
                            c[(s * m + i) * 48 + j],
                            acc(s, i, j),
                            "{m}x{k}, {which}: block {s}, ({i}, {j})"
                        );
                    }
                    let (first, row) = (i / 32 * 32, i % 32);
                    let mut expected = if row < 7 && j >= 16 { 2.5 } else { 9.0 };
                    if (7..17).contains(&row) && j < 20 {
                        expected = match first + j < m {
                            true => acc(0, first + j, row - 7),
                            false => f32::NAN,
                        };
                    }
                    if j == 3 {
                        expected = (0..48).map(|j| acc(2, i, j)).fold(f32::NEG_INFINITY, f32::max);
                    }
                    if (20..30).contains(&row) && j == 5 && first + row - 20 < m {
                        expected += (0..48).map(|j| acc(1, first + row - 20, j)).sum::<f32>();
                    }
                    let found = d[i * 48 + j];
                    assert!(
                        expected.is_nan() || found == expected,
                        "{m}x{k}, {which}: ({i}, {j}) is {found}, not {expected}"
                    );
                }
                Ok(())
            });
        }
    }
}
