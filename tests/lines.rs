//! Odd things that lines of cores share: numbers are those of the source, bit for bit the same shared and not.

#[path = "support/orders.rs"]
mod orders;
mod support;

use orders::in_other_orders;
use support::on_both_chips;
use tt::__private::Sharing;
use tt::prelude::*;

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count)
        .map(|at| ((at * 37 + seed * 11) % 17) as f32 / 8.0 - 1.0)
        .collect()
}

fn halves(count: usize, seed: usize) -> Vec<bf16> {
    numbers(count, seed).into_iter().map(bf16::from_f32).collect()
}

/// Runs a launch shared and not: both within the tolerance of the source, and the same bits.
macro_rules! alike {
    ($y:ident, $tolerance:expr, $launch:expr) => {{
        let mut bits = Vec::new();
        for sharing in [Sharing::Never, Sharing::Always] {
            $launch.sharing(sharing).check($tolerance)?;
            bits.push($y.download()?);
        }
        assert!(bits[0] == bits[1], "{}", stringify!($launch));
    }};
}

/// Two operands along the row in one step, one along the column, and one of the core's own.
#[tt::kernel]
fn many<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    d: &Tensor<bf16, M, K>,
    e: &Tensor<bf16, M, N>,
    n: u32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 32);
    let also = T.alloc_shared::<bf16>(64, 32);
    let right = T.alloc_shared::<bf16>(32, 32);
    let own = T.alloc_shared::<bf16>(64, 32);
    let both = T.alloc_fragment::<bf16>(64, 32);
    let acc = T.alloc_fragment::<f32>(64, 32);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 3) {
        T.copy(a[(by * 64, k * 32)], left);
        T.copy(b[(k * 32, bx * 32)], right);
        T.copy(d[(by * 64, k * 32)], also);
        T.copy(e[(by * 64, bx * 32)], own);
        if k % 2 == n {
            for (i, j) in T.Parallel(64, 32) {
                both[(i, j)] = left[(i, j)] + also[(i, j)];
            }
        } else {
            for (i, j) in T.Parallel(64, 32) {
                both[(i, j)] = left[(i, j)] - also[(i, j)] * 0.5;
            }
        }
        T.gemm(both, right, acc);
        for (i, j) in T.Parallel(64, 32) {
            acc[(i, j)] = acc[(i, j)] + own[(i, j)];
        }
    }
    T.copy(acc, y[(by * 64, bx * 32)]);
}

#[test]
fn several_of_a_line_and_of_one_core_in_a_step() {
    on_both_chips(|device| {
        for [m, k, n] in [
            [200, 97, 170],
            [64, 32, 320],
            [640, 64, 33],
            [1, 130, 1],
            [700, 64, 500],
        ] {
            let a = device.upload(&halves(m * k, 1), [m, k])?;
            let b = device.upload(&halves(k * n, 2), [k, n])?;
            let d = device.upload(&halves(m * k, 3), [m, k])?;
            let e = device.upload(&halves(m * n, 4), [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            for parity in [0, 1] {
                alike!(y, 5e-2, many(&a, &b, &d, &e, parity, &mut y));
            }
        }
        Ok(())
    });
}

/// Loops of other lengths along one axis of the grid, beside reads that are in step.
#[tt::kernel]
fn triangle<const M: usize, const N: usize>(a: &Tensor<f32, M, N>, row: &Tensor<f32, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    let v = T.alloc_shared::<f32>(32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    T.copy(row[bx * 32], v);
    for k in 0..bx + 1 {
        T.copy(a[(by * 32, k * 32)], x);
        for (i, j) in T.Parallel(32, 32) {
            acc[(i, j)] = acc[(i, j)] + x[(i, j)] * v[j];
        }
    }
    for k in 0..by + 1 {
        T.copy(a[(by * 32, k % 2 * 32)], x);
        for (i, j) in T.Parallel(32, 32) {
            acc[(i, j)] = acc[(i, j)] + x[(i, j)];
        }
    }
    T.copy(acc, y[(by * 32, bx * 32)]);
}

#[test]
fn loops_that_differ_along_one_axis() {
    on_both_chips(|device| {
        for [m, n] in [[100, 130], [32, 320], [320, 64], [333, 257]] {
            let a = device.upload(&numbers(m * n, 1), [m, n])?;
            let row = device.upload(&numbers(n, 2), [n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            alike!(y, 1e-3, triangle(&a, &row, &mut y));
        }
        Ok(())
    });
}

/// Rows that begin anywhere, behind masks, in a grid of three axes; a table that all cores need; one buffer read twice.
#[tt::kernel]
fn anywhere<const B: usize, const M: usize, const N: usize>(
    a: &Tensor<f32, B, M, N>,
    table: &Tensor<f32, 40, N>,
    n: u32,
    y: &mut Tensor<f32, B, M, N>,
) {
    let (bx, bz, by) = T.Kernel(N.div_ceil(64), B, M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 64);
    let t = T.alloc_shared::<f32>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    T.copy(table[(3, bx * 64)], t);
    T.copy(a[(bz, by * 32 - 1, bx * 64 + 3)], x);
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] = t[(i, j)];
    }
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] = if by * 32 + i > 0 && by * 32 + i <= M && bx * 64 + j + 3 < N {
            acc[(i, j)] + x[(i, j)]
        } else {
            acc[(i, j)]
        };
    }
    for u in 0..n {
        T.copy(table[(u, bx * 64)], t);
        for (i, j) in T.Parallel(32, 64) {
            acc[(i, j)] = acc[(i, j)] * 0.5 + t[(i, j)];
        }
    }
    T.copy(acc, y[(bz, by * 32, bx * 64)]);
}

#[test]
fn rows_from_anywhere_in_grids_of_three_axes() {
    on_both_chips(|device| {
        for [b, m, n] in [[3, 70, 200], [1, 320, 64], [9, 33, 97], [14, 40, 700]] {
            let a = device.upload(&numbers(b * m * n, 1), [b, m, n])?;
            let table = device.upload(&numbers(40 * n, 2), [40, n])?;
            let mut y = device.zeros::<f32>([b, m, n])?;
            for count in [0, 1, 5] {
                alike!(y, 1e-3, anywhere(&a, &table, count, &mut y));
            }
        }
        Ok(())
    });
}

/// Attention whose keys and values all query blocks of a head share, as block floats beside bf16.
#[tt::kernel]
fn attention<const H: usize, const M: usize, const N: usize>(
    q: &Tensor<bf16, H, M, 32>,
    k: &Tensor<bfp8, H, N, 32>,
    v: &Tensor<bf16, H, N, 32>,
    y: &mut Tensor<bf16, H, M, 32>,
) {
    let (by, h) = T.Kernel(M.div_ceil(32), H);
    let queries = T.alloc_shared::<bf16>(32, 32);
    let keys = T.alloc_shared::<bfp8>(64, 32);
    let values = T.alloc_shared::<bf16>(64, 32);
    let scores = T.alloc_fragment::<f32>(32, 64);
    let weights = T.alloc_fragment::<bf16>(32, 64);
    let sums = T.alloc_fragment::<f32>(32, 32);
    let total = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    T.copy(q[(h, by * 32, 0)], queries);
    T.clear(sums);
    T.clear(total);
    for step in T.Pipelined(N.div_ceil(64), num_stages = 4) {
        T.copy(k[(h, step * 64, 0)], keys);
        T.copy(v[(h, step * 64, 0)], values);
        T.clear(scores);
        T.gemm(queries, keys, scores, transpose_b = true);
        for (i, j) in T.Parallel(32, 64) {
            scores[(i, j)] = if step * 64 + j < N {
                (scores[(i, j)] * 0.125).exp()
            } else {
                0.0
            };
        }
        T.reduce_sum(scores, part, dim = 1);
        for i in T.Parallel(32) {
            total[i] = total[i] + part[i];
        }
        for (i, j) in T.Parallel(32, 64) {
            weights[(i, j)] = scores[(i, j)];
        }
        T.gemm(weights, values, sums);
    }
    for (i, j) in T.Parallel(32, 32) {
        sums[(i, j)] = sums[(i, j)] / total[i];
    }
    T.copy(sums, y[(h, by * 32, 0)]);
}

#[test]
fn keys_and_values_of_a_head() {
    on_both_chips(|device| {
        for [h, m, n] in [[3, 100, 130], [9, 33, 64], [1, 640, 200], [16, 96, 65]] {
            let q = device.upload(&halves(h * m * 32, 1), [h, m, 32])?;
            let k = device.upload(
                &numbers(h * n * 32, 2)
                    .iter()
                    .map(|x| bfp8::from_f32(*x))
                    .collect::<Vec<_>>(),
                [h, n, 32],
            )?;
            let v = device.upload(&halves(h * n * 32, 3), [h, n, 32])?;
            let mut y = device.zeros::<bf16>([h, m, 32])?;
            alike!(y, 5e-2, attention(&q, &k, &v, &mut y));
        }
        Ok(())
    });
}

/// Stages, unrolled loops, transposed operands, integers from tensors, variants.
#[tt::kernel(variants(BM = [32, 96], STAGES = [1, 2, 4]))]
fn staged<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, K, M>,
    b: &Tensor<bf16, N, K>,
    which: &Tensor<i32, 8>,
    y: &mut Tensor<f32, M, N>,
) {
    let both = T.alloc_global::<f32>(M, N);
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(BM));
        let left = T.alloc_shared::<bf16>(64, BM);
        let right = T.alloc_shared::<bf16>(64, 64);
        let acc = T.alloc_fragment::<f32>(BM, 64);
        T.clear(acc);
        for k in T.Pipelined(K.div_ceil(64), num_stages = STAGES) {
            T.copy(a[(k * 64, by * BM)], left);
            T.copy(b[(bx * 64, k * 64)], right);
            T.gemm(left, right, acc, transpose_a = true, transpose_b = true);
        }
        T.copy(acc, both[(by * BM, bx * 64)]);
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(BM));
        let x = T.alloc_shared::<f32>(BM, 64);
        let z = T.alloc_shared::<f32>(BM, 64);
        let first = which[2];
        T.copy(both[(by * BM, bx * 64)], x);
        for u in T.unroll(3) {
            T.copy(both[(0, bx * 64)], z);
            for (i, j) in T.Parallel(BM, 64) {
                x[(i, j)] = if by * BM + i < M {
                    x[(i, j)] + z[(i, j)] * 0.25
                } else {
                    x[(i, j)]
                };
            }
        }
        if first > 1 {
            for (i, j) in T.Parallel(BM, 64) {
                x[(i, j)] = x[(i, j)] * 2.0;
            }
        }
        T.copy(x, y[(by * BM, bx * 64)]);
    }
}

#[test]
fn stages_and_variants() {
    on_both_chips(|device| {
        let which = device.upload(&[0, 1, 2, 3, 4, 5, 6, 7], [8])?;
        for [m, k, n] in [[96, 64, 130], [200, 130, 500], [700, 33, 64]] {
            let a = device.upload(&halves(m * k, 1), [k, m])?;
            let b = device.upload(&halves(k * n, 2), [n, k])?;
            let mut y = device.zeros::<f32>([m, n])?;
            for block in [32, 96] {
                for stages in [1, 2, 4] {
                    alike!(
                        y,
                        5e-2,
                        staged(&a, &b, &which, &mut y)
                            .with(staged::BM(block))
                            .with(staged::STAGES(stages))
                    );
                }
            }
            alike!(y, 5e-2, staged(&a, &b, &which, &mut y));
        }
        Ok(())
    });
}

/// Every second step of a loop whose end depends on the block, with sums of more tiles than registers hold, in chunks that do not
/// divide them.
#[tt::kernel]
fn every_second<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(224), M.div_ceil(160));
    let left = T.alloc_shared::<bf16>(160, 64);
    let right = T.alloc_shared::<bf16>(64, 224);
    let sums = T.alloc_fragment::<f32>(160, 224);
    T.clear(sums);
    for k in (0..by + 1).step_by(2) {
        T.copy(a[(by * 160, k * 64)], left);
        T.copy(b[(k * 64, bx * 224)], right);
        T.gemm(left, right, sums);
    }
    for (i, j) in T.Parallel(160, 224) {
        sums[(i, j)] = sums[(i, j)] * 0.5 + 1.0;
    }
    T.copy(sums, y[(by * 160, bx * 224)]);
}

#[test]
fn steps_of_two_up_to_a_block_and_chunks_with_a_rest() {
    on_both_chips(|device| {
        for [m, k, n] in [[160, 64, 224], [500, 300, 230], [333, 130, 700]] {
            let a = device.upload(&halves(m * k, 1), [m, k])?;
            let b = device.upload(&halves(k * n, 2), [k, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            alike!(y, 1e-3, every_second(&a, &b, &mut y));
        }
        Ok(())
    });
}

/// A grid of one axis: weights in steps, a row that all blocks read alike, and what is read as often as the block has a number.
#[tt::kernel(split = off)]
fn along<const M: usize, const K: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, 64>,
    row: &Tensor<f32, 64>,
    more: &Tensor<f32, 96>,
    y: &mut Tensor<f32, M, 64>,
) {
    let b = T.Kernel(M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 64);
    let right = T.alloc_shared::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(32, 64);
    let bias = T.alloc_shared::<f32>(64);
    let part = T.alloc_shared::<f32>(32);
    T.clear(sums);
    T.copy(row[0], bias);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 3) {
        T.copy(x[(b * 32, k * 64)], left);
        T.copy(w[(k * 64, 0)], right);
        T.gemm(left, right, sums);
    }
    for k in 0..b % 3 {
        T.copy(more[k * 32], part);
        for (i, j) in T.Parallel(32, 64) {
            sums[(i, j)] += part[i];
        }
    }
    for (i, j) in T.Parallel(32, 64) {
        sums[(i, j)] = (sums[(i, j)] + bias[j]).max(0.0);
    }
    T.copy(sums, y[(b * 32, 0)]);
}

#[test]
fn grids_of_one_axis_lie_along_the_rows_of_cores_one_after_the_other() {
    on_both_chips(|device| {
        // One block, part of a row of cores, a row and one, most of them, all and one, several rounds with a rest.
        for m in [
            20,
            96,
            32 * 8,
            32 * 9,
            32 * 14 - 5,
            32 * 63,
            32 * 65,
            32 * 131,
            32 * 300 - 1,
        ] {
            let k = 130;
            let x = device.upload(&halves(m * k, 1), [m, k])?;
            let w = device.upload(&halves(k * 64, 2), [k, 64])?;
            let row = device.upload(&numbers(64, 3), [64])?;
            let more = device.upload(&numbers(96, 4), [96])?;
            let mut y = device.zeros::<f32>([m, 64])?;
            alike!(y, 5e-2, along(&x, &w, &row, &more, &mut y));
        }
        Ok(())
    });
}

#[test]
fn what_a_grid_of_one_axis_reads_alike_is_read_once_for_a_row_of_cores() {
    on_both_chips(|device| {
        // A block for every core, which none goes along with.
        let [columns, rows] = [device.grid().x, device.grid().y].map(|cores| cores as usize);
        let [m, k] = [32 * columns * rows, 128];
        let x = device.upload(&halves(m * k, 1), [m, k])?;
        let w = device.upload(&halves(k * 64, 2), [k, 64])?;
        let row = device.upload(&numbers(64, 3), [64])?;
        let more = device.upload(&numbers(96, 4), [96])?;
        let mut y = device.zeros::<f32>([m, 64])?;
        let mut read = |sharing| {
            let profile = along(&x, &w, &row, &more, &mut y).sharing(sharing).profile()?;
            let counters = profile.counters.expect("the emulator counts");
            Ok::<_, tt::Error>(counters.total.dram_read_bytes.iter().sum::<u64>() as usize)
        };
        let (shared, alone) = (read(Sharing::Always)?, read(Sharing::Never)?);
        // The weights, and two tiles of which the row is the first.
        let alike = k * 64 * 2 + 2 * 32 * 32 * 4;
        assert_eq!(alone - shared, (columns * rows - rows) * alike, "{shared} {alone}");
        Ok(())
    });
}

#[test]
fn other_orders_of_cores_and_transfers_give_the_same() {
    in_other_orders();
}
