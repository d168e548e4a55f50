//! What a row or column of cores shares: it is read once, comes to all of them, and is stored by those whose block it is, on grids of
//! every size against cores of every number.

#[path = "support/orders.rs"]
mod orders;
mod support;

use orders::in_other_orders;
use support::on_both_chips;
use tt::__private::Sharing;
use tt::prelude::*;

fn number(at: usize) -> f32 {
    (at * 7 % 13) as f32 - 6.0
}

#[tt::kernel(multicast = auto, split = off)]
fn product<const M: usize, const N: usize, const K: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 64);
    let right = T.alloc_shared::<bf16>(64, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 32, k * 64)], left);
        T.copy(b[(k * 64, bx * 32)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, y[(by * 32, bx * 32)]);
}

#[test]
fn products_of_every_grid_are_those_of_plain_loops() {
    for [m, n, k] in [
        [32, 32, 64],
        [256, 256, 64],
        [300, 270, 130],
        [33, 900, 65],
        [1000, 40, 64],
        [513, 513, 31],
        // On a chip of 13 by 10 cores the rows of blocks lie along its columns.
        [416, 320, 64],
    ] {
        let a: Vec<bf16> = (0..m * k).map(|at| bf16::from_f32(number(at))).collect();
        let b: Vec<bf16> = (0..k * n).map(|at| bf16::from_f32(number(at + 5))).collect();
        let wanted: Vec<f32> = (0..m * n)
            .map(|at| {
                (0..k)
                    .map(|l| a[at / n * k + l].to_f32() * b[l * n + at % n].to_f32())
                    .sum()
            })
            .collect();
        on_both_chips(|device| {
            let (a, b) = (device.upload(&a, [m, k])?, device.upload(&b, [k, n])?);
            let mut y = device.zeros::<f32>([m, n])?;
            product(&a, &b, &mut y).sharing(Sharing::Always).run()?;
            assert!(y.download()? == wanted, "{m} x {n} x {k}");
            Ok(())
        });
    }
}

#[test]
fn a_shared_operand_is_read_once_for_all_cores_of_a_line() {
    on_both_chips(|device| {
        let ones = |count: usize| vec![bf16::from_f32(1.0); count];
        let (a, b) = (
            device.upload(&ones(256 * 512), [256, 512])?,
            device.upload(&ones(512 * 256), [512, 256])?,
        );
        let mut y = device.zeros::<f32>([256, 256])?;
        let profile = product(&a, &b, &mut y).sharing(Sharing::Always).profile()?;
        // 8 rows and 8 columns of blocks: each of the two operands once.
        let counters = profile.counters.expect("the emulator counts");
        assert_eq!(counters.total.dram_read_bytes.iter().sum::<u64>(), 2 * 256 * 512 * 2);
        Ok(())
    });
}

#[test]
fn a_rectangle_of_cores_lies_the_way_that_takes_fewer_rounds() {
    on_both_chips(|device| {
        let ones = |count: usize| vec![bf16::from_f32(1.0); count];
        let (a, b) = (
            device.upload(&ones(416 * 64), [416, 64])?,
            device.upload(&ones(64 * 320), [64, 320])?,
        );
        let mut y = device.zeros::<f32>([416, 320])?;
        let counters = product(&a, &b, &mut y)
            .sharing(Sharing::Always)
            .profile()?
            .counters
            .expect("the emulator counts");
        let read: u64 = counters.total.dram_read_bytes.iter().sum();
        // 13 rows and 10 columns of blocks: all at once on 10 rows and 13 columns of cores. On 8 by 8 they take two rounds in each
        // direction, in each of which all rows or columns are read once more, and a 14th row that is the last again.
        let blocks = if device.grid().x == 13 { 13 + 10 } else { 2 * (14 + 10) };
        assert_eq!(read, blocks * 32 * 64 * 2);
        Ok(())
    });
}

/// What is the same for all rows of a head, which are the third axis of the grid.
#[tt::kernel(multicast = auto, split = off)]
fn scaled<const B: usize, const H: usize, const M: usize>(
    x: &Tensor<f32, B, H, M, 32>,
    scale: &Tensor<f32, B, H, 32>,
    y: &mut Tensor<f32, B, H, M, 32>,
) {
    let (h, b, row) = T.Kernel(H, B, M.div_ceil(32));
    let block = T.alloc_shared::<f32>(32, 32);
    let by = T.alloc_shared::<f32>(32);
    T.copy(x[(b, h, row * 32, 0)], block);
    T.copy(scale[(b, h, 0)], by);
    for (i, j) in T.Parallel(32, 32) {
        block[(i, j)] *= by[j];
    }
    T.copy(block, y[(b, h, row * 32, 0)]);
}

#[test]
fn what_is_shared_along_any_axis_of_the_grid_is_read_once() {
    for [b, h, m] in [[1, 2, 256], [3, 5, 100], [2, 9, 350], [1, 1, 64]] {
        let x: Vec<f32> = (0..b * h * m * 32).map(number).collect();
        let scale: Vec<f32> = (0..b * h * 32).map(|at| number(at + 3)).collect();
        let wanted: Vec<f32> = (0..x.len())
            .map(|at| x[at] * scale[at / (m * 32) * 32 + at % 32])
            .collect();
        on_both_chips(|device| {
            let (x, scale) = (device.upload(&x, [b, h, m, 32])?, device.upload(&scale, [b, h, 32])?);
            let mut y = device.zeros::<f32>([b, h, m, 32])?;
            let counters = scaled(&x, &scale, &mut y)
                .sharing(Sharing::Always)
                .profile()?
                .counters
                .expect("the emulator counts");
            assert!(y.download()? == wanted, "{b} x {h} x {m}");
            if [b, h, m] == [1, 2, 256] {
                let read: u64 = counters.total.dram_read_bytes.iter().sum();
                // All of `x`, and the 32 numbers of each head once.
                assert_eq!(read, 2 * 256 * 32 * 4 + 2 * 32 * 4);
            }
            Ok(())
        });
    }
}

/// Rows and columns are shared in loops within loops and behind conditions; along a third axis of the grid there is more than one round.
#[tt::kernel(multicast = auto, split = off)]
fn nested<const B: usize, const M: usize, const N: usize>(
    rows: &Tensor<f32, B, M>,
    columns: &Tensor<f32, N>,
    both: &Tensor<f32, 32>,
    n: i32,
    y: &mut Tensor<f32, B, M, N>,
) {
    let (bx, by, bz) = T.Kernel(N.div_ceil(32), M.div_ceil(32), B);
    let down = T.alloc_shared::<f32>(32);
    let across = T.alloc_shared::<f32>(32);
    let all = T.alloc_shared::<f32>(32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for k in 0..by + 1 {
        T.copy(rows[(bz, by * 32)], down);
        if k % 2 == n {
            for l in 0..n + 2 {
                T.copy(columns[bx * 32], across);
                T.copy(both[0], all);
                for (i, j) in T.Parallel(32, 32) {
                    sums[(i, j)] += down[i] * across[j] + all[j];
                }
            }
        }
    }
    T.copy(sums, y[(bz, by * 32, bx * 32)]);
}

#[test]
fn versions_in_loops_and_behind_conditions_come_in_order() {
    for [b, m, n] in [[1, 64, 64], [3, 100, 300], [2, 290, 65]] {
        let rows: Vec<f32> = (0..b * m).map(number).collect();
        let columns: Vec<f32> = (0..n).map(number).collect();
        let both: Vec<f32> = (0..32).map(number).collect();
        for parity in [0, 1] {
            let wanted: Vec<f32> = (0..b * m * n)
                .map(|at| {
                    let [z, i, j] = [at / n / m, at / n % m, at % n];
                    let turns = (0..i / 32 + 1).filter(|k| k % 2 == parity).count() * (parity + 2);
                    turns as f32 * (rows[z * m + i] * columns[j] + both[j % 32])
                })
                .collect();
            on_both_chips(|device| {
                let rows = device.upload(&rows, [b, m])?;
                let columns = device.upload(&columns, [n])?;
                let both = device.upload(&both, [32])?;
                let mut y = device.zeros::<f32>([b, m, n])?;
                let launch = nested(&rows, &columns, &both, parity as i32, &mut y);
                launch.sharing(Sharing::Always).check(0.0)?;
                assert!(y.download()? == wanted, "{b} x {m} x {n}");
                Ok(())
            });
        }
    }
}

#[tt::kernel(multicast = auto, split = off)]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let left = T.alloc_shared::<bf16>(128, 64);
    let right = T.alloc_shared::<bf16>(64, 128);
    let sums = T.alloc_fragment::<f32>(128, 128);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 128, k * 64)], left);
        T.copy(b[(k * 64, bx * 128)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 128, bx * 128)]);
}

/// What the clock and the plan say of a launch that shares, and of one that does not.
#[test]
fn what_is_shared_is_what_the_clock_finds_faster() {
    // Many blocks of many steps, in which all cores read the same; then one column of blocks, whose rounds several rectangles share.
    for [m, n, k] in [[1024, 1024, 512], [8192, 128, 512]] {
        on_both_chips(|device| {
            let a = device.upload(&vec![bf16::ONE; m * k], [m, k])?;
            let b = device.upload(&vec![bf16::ONE; k * n], [k, n])?;
            let mut c = device.zeros::<f32>([m, n])?;
            let mut run = |sharing| {
                let launch = matmul(&a, &b, &mut c).sharing(sharing);
                let estimate = launch.estimate()?.expect("it depends on no tensor");
                let counters = launch.profile()?.counters.expect("the emulator counts");
                let modelled = counters.modelled.as_ref().expect("the clock was on").cycles as f64;
                // It overlaps all that may, and is to tell ways of a launch apart: by these launches it is 0.7 to 1 of the clock.
                assert!(
                    (0.5..1.5).contains(&(estimate / modelled)),
                    "{m} {n} {k} {sharing:?}: {estimate} of {modelled} cycles"
                );
                let read: u64 = counters.total.dram_read_bytes.iter().sum();
                Ok::<_, tt::Error>((read, modelled))
            };
            let (shared, alone, chosen) = (run(Sharing::Always)?, run(Sharing::Never)?, run(Sharing::WherePaying)?);
            assert!(shared.1 < alone.1, "{shared:?} {alone:?}");
            assert_eq!(chosen, shared);
            Ok(())
        });
    }
}

/// Much to compute, and little that blocks of a column read alike.
#[tt::kernel]
fn heavy<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, row: &Tensor<f32, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let block = T.alloc_fragment::<f32>(32, 32);
    let more = T.alloc_shared::<f32>(32);
    T.copy(x[(by * 32, bx * 32)], block);
    T.copy(row[(bx * 32)], more);
    for _k in 0..10 {
        for (i, j) in T.Parallel(32, 32) {
            block[(i, j)] = block[(i, j)].sin() + more[j];
        }
    }
    T.copy(block, y[(by * 32, bx * 32)]);
}

#[test]
fn rounds_that_leave_cores_idle_do_not_pay() {
    // Eleven rows are one more than the longer chip has.
    on_both_chips(|device| {
        let (x, row) = (device.zeros::<f32>([352, 352])?, device.zeros::<f32>([352])?);
        let mut y = device.zeros::<f32>([352, 352])?;
        let mut run = |sharing| {
            let profile = heavy(&x, &row, &mut y).sharing(sharing).profile()?;
            let counters = profile.counters.expect("the emulator counts");
            let cycles = counters.modelled.as_ref().expect("the clock was on").cycles;
            Ok::<_, tt::Error>((counters.cores.len(), cycles))
        };
        let (shared, alone, chosen) = (run(Sharing::Always)?, run(Sharing::Never)?, run(Sharing::WherePaying)?);
        assert!(shared.0 < alone.0 && alone.1 < shared.1, "{shared:?} {alone:?}");
        assert_eq!(chosen, alone);
        Ok(())
    });
}

fn numbers(count: usize, from: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f32(number(at + from))).collect()
}

/// What is read under a loop that runs, under one that may not, and under a condition; and `y` is stored to.
#[tt::kernel]
fn places<const M: usize, const N: usize>(
    n: i32,
    w: &Tensor<bf16, 96, 32>,
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let a = T.alloc_shared::<bf16>(32, 32);
    let b = T.alloc_shared::<bf16>(32, 32);
    let c = T.alloc_shared::<bf16>(32, 32);
    let d = T.alloc_shared::<bf16>(32, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], d);
    for (i, j) in T.Parallel(32, 32) {
        sums[(i, j)] = d[(i, j)];
    }
    for _k in 0..3 {
        T.copy(w[(0, 0)], a);
        for (i, j) in T.Parallel(32, 32) {
            sums[(i, j)] += a[(i, j)];
        }
    }
    for _k in 0..n {
        T.copy(w[(32, 0)], b);
        for (i, j) in T.Parallel(32, 32) {
            sums[(i, j)] += b[(i, j)];
        }
    }
    if n > 1 {
        T.copy(w[(n * 32, 0)], c);
        for (i, j) in T.Parallel(32, 32) {
            sums[(i, j)] -= c[(i, j)];
        }
    }
    T.copy(sums, y[(by * 32, bx * 32)]);
}

#[test]
fn what_all_blocks_read_alike_is_read_once_where_it_surely_is_read() {
    for ([m, n], times) in [([64, 64], 0), ([300, 270], 2), ([1000, 40], 1), ([33, 900], 2)] {
        let (x, w) = (numbers(m * n, 0), numbers(96 * 32, 3));
        let element = |row: usize, i: usize, j: usize| w[(row + i % 32) * 32 + j % 32].to_f32();
        let wanted: Vec<f32> = (0..m * n)
            .map(|at| {
                let [i, j] = [at / n, at % n];
                let last = if times > 1 { element(32 * times, i, j) } else { 0.0 };
                x[at].to_f32() + 3.0 * element(0, i, j) + times as f32 * element(32, i, j) - last
            })
            .collect();
        for sharing in [Sharing::Always, Sharing::Never, Sharing::WherePaying] {
            on_both_chips(|device| {
                let (x, w) = (device.upload(&x, [m, n])?, device.upload(&w, [96, 32])?);
                let mut y = device.zeros::<f32>([m, n])?;
                places(times as i32, &w, &x, &mut y).sharing(sharing).run()?;
                assert!(y.download()? == wanted, "{m} x {n}, {times}, {sharing:?}");
                Ok(())
            });
        }
    }
}

#[test]
fn other_orders_of_cores_and_transfers_give_the_same() {
    in_other_orders();
}
