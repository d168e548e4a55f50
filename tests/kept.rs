//! What every block reads alike: a core reads it before its first block, once, however many it has.

mod support;

use support::on_both_chips;
use tt::__private::Sharing;
use tt::prelude::*;

fn number(at: usize) -> f32 {
    (at * 7 % 13) as f32 - 6.0
}

fn values(count: usize, from: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f32(number(at + from))).collect()
}

fn bytes(counters: &tt::RunCounters) -> u64 {
    counters.total.dram_read_bytes.iter().sum()
}

/// `x · w` with weights that are the same for all rows.
#[tt::kernel]
fn with_weights<const M: usize>(
    x: &Tensor<bf16, M, 64>,
    w: &Tensor<bf16, 64, 32>,
    bias: &Tensor<bf16, 1, 32>,
    y: &mut Tensor<f32, M, 32>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let weights = T.alloc_shared::<bf16>(64, 32);
    let row = T.alloc_shared::<bf16>(1, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    T.copy(x[(by * 32, 0)], rows);
    T.copy(w[(0, 0)], weights);
    T.gemm(rows, weights, sums);
    T.copy(bias[(0, 0)], row);
    for (i, j) in T.Parallel(32, 32) {
        sums[(i, j)] += row[(0, j)];
    }
    T.copy(sums, y[(by * 32, 0)]);
}

#[test]
fn weights_of_all_rows_are_read_once_by_every_core() {
    for m in [1, 32, 100, 32 * 64, 32 * 300 + 5] {
        let (x, w, bias) = (values(m * 64, 0), values(64 * 32, 3), values(32, 5));
        let wanted: Vec<f32> = (0..m * 32)
            .map(|at| {
                let [i, j] = [at / 32, at % 32];
                let products = (0..64).map(|k| x[i * 64 + k].to_f32() * w[k * 32 + j].to_f32());
                products.sum::<f32>() + bias[j].to_f32()
            })
            .collect();
        on_both_chips(|device| {
            let (x, w) = (device.upload(&x, [m, 64])?, device.upload(&w, [64, 32])?);
            let bias = device.upload(&bias, [1, 32])?;
            let mut y = device.zeros::<f32>([m, 32])?;
            let profile = with_weights(&x, &w, &bias, &mut y).profile()?;
            assert!(y.download()? == wanted, "{m}");
            let counters = profile.counters.expect("the emulator counts");
            let blocks = m.div_ceil(32);
            let grid = device.grid();
            let cores = blocks.min((grid.x * grid.y) as usize);
            assert_eq!(bytes(&counters), (blocks * 2 + cores * 3) as u64 * 2048, "{m}");
            Ok(())
        });
    }
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
fn what_may_not_be_read_is_read_where_it_is_said() {
    for ([m, n], times) in [([64, 64], 0), ([300, 270], 2), ([1000, 40], 1), ([33, 900], 2)] {
        let (x, w) = (values(m * n, 0), values(96 * 32, 3));
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

/// The second stage reads what the first has stored, in every block.
#[tt::kernel]
fn stages<const M: usize>(x: &Tensor<f32, M, 32>, y: &mut Tensor<f32, M, 32>) {
    let sum = T.alloc_global::<f32>(32, 32);
    {
        let _one = T.Kernel(1);
        let a = T.alloc_shared::<f32>(32, 32);
        T.copy(x[(0, 0)], a);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] = a[(i, j)] * 2.0;
        }
    }
    {
        let by = T.Kernel(M.div_ceil(32));
        let a = T.alloc_shared::<f32>(32, 32);
        let b = T.alloc_shared::<f32>(32, 32);
        T.copy(sum[(0, 0)], a);
        T.copy(x[(by * 32, 0)], b);
        for (i, j) in T.Parallel(32, 32) {
            y[(by * 32 + i, j)] = a[(i, j)] + b[(i, j)];
        }
    }
}

#[test]
fn a_stage_keeps_what_the_one_before_has_made() {
    let m = 32 * 200;
    let x: Vec<f32> = (0..m * 32).map(number).collect();
    let wanted: Vec<f32> = (0..m * 32).map(|at| x[at % 1024] * 2.0 + x[at]).collect();
    on_both_chips(|device| {
        let x = device.upload(&x, [m, 32])?;
        let mut y = device.zeros::<f32>([m, 32])?;
        for _ in 0..2 {
            stages(&x, &mut y).run()?;
            assert!(y.download()? == wanted);
        }
        Ok(())
    });
}
