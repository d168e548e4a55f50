//! What those blocks read alike that follow each other on a core: it is read where a run of them begins, and blocks are dealt so that runs are
//! long.

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

/// `a · b`: a block reads a panel of rows and one of columns, of which others read the same.
#[tt::kernel]
fn of_panels<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let columns = T.alloc_shared::<bf16>(64, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(b[(0, bx * 32)], columns);
    T.gemm(rows, columns, sums);
    T.copy(sums, y[(by * 32, bx * 32)]);
}

#[tt::kernel(order = column_major)]
fn down_columns<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let columns = T.alloc_shared::<bf16>(64, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(b[(0, bx * 32)], columns);
    T.gemm(rows, columns, sums);
    T.copy(sums, y[(by * 32, bx * 32)]);
}

#[tt::kernel(order = block_linear(2, 3))]
fn in_groups<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let columns = T.alloc_shared::<bf16>(64, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(b[(0, bx * 32)], columns);
    T.gemm(rows, columns, sums);
    T.copy(sums, y[(by * 32, bx * 32)]);
}

#[tt::kernel(order = hilbert)]
fn along_a_curve<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let columns = T.alloc_shared::<bf16>(64, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(b[(0, bx * 32)], columns);
    T.gemm(rows, columns, sums);
    T.copy(sums, y[(by * 32, bx * 32)]);
}

/// How often a core begins a run of blocks with the same row, and how often one with the same column, in a launch of a plan.
fn runs(plan: &tt::Execution) -> [usize; 2] {
    let cores = plan.work_partition.values();
    let begins = cores.map(|blocks| {
        let blocks: Vec<[u64; 2]> = blocks.iter().map(|block| [block.io, block.jo]).collect();
        let changes = |axis: usize| 1 + blocks.windows(2).filter(|pair| pair[0][axis] != pair[1][axis]).count();
        [0, 1].map(changes)
    });
    begins.fold([0; 2], |all, core| [all[0] + core[0], all[1] + core[1]])
}

#[test]
fn a_panel_is_read_where_a_run_of_its_blocks_begins() {
    for [m, n] in [
        [1, 1],
        [33, 65],
        [100, 1000],
        [1600, 40],
        [32 * 25, 32 * 20],
        [32 * 3, 32 * 150],
    ] {
        let (a, b) = (values(m * 64, 0), values(64 * n, 3));
        let (rows, columns): (Vec<f32>, Vec<f32>) = (
            a.iter().map(|x| x.to_f32()).collect(),
            b.iter().map(|x| x.to_f32()).collect(),
        );
        let wanted: Vec<f32> = (0..m * n)
            .map(|at| {
                (0..64)
                    .map(|k| rows[at / n * 64 + k] * columns[k * n + at % n])
                    .sum::<f32>()
            })
            .collect();
        on_both_chips(|device| {
            let (a, b) = (device.upload(&a, [m, 64])?, device.upload(&b, [64, n])?);
            for kernel in [of_panels, down_columns, in_groups, along_a_curve] {
                let mut y = device.zeros::<f32>([m, n])?;
                let begins = runs(&kernel(&a, &b, &mut y).sharing(Sharing::Never).plan()?);
                let profile = kernel(&a, &b, &mut y).sharing(Sharing::Never).profile()?;
                assert!(y.download()? == wanted, "{m} x {n}");
                let counters = profile.counters.expect("the emulator counts");
                assert_eq!(bytes(&counters), (begins[0] + begins[1]) as u64 * 2 * 2048, "{m} x {n}");
                for sharing in [Sharing::Always, Sharing::WherePaying] {
                    let mut y = device.zeros::<f32>([m, n])?;
                    kernel(&a, &b, &mut y).sharing(sharing).run()?;
                    assert!(y.download()? == wanted, "{m} x {n}");
                }
            }
            Ok(())
        });
    }
}

/// What depends on one of three axes, on two of them, and on all.
#[tt::kernel]
fn of_three_axes<const B: usize, const M: usize, const N: usize>(
    x: &Tensor<bf16, B, M, N>,
    rows: &Tensor<bf16, B, M, 32>,
    of_plane: &Tensor<bf16, B, 32, 32>,
    of_column: &Tensor<bf16, 32, N>,
    y: &mut Tensor<f32, B, M, N>,
) {
    let (bx, by, bz) = T.Kernel(N.div_ceil(32), M.div_ceil(32), B);
    let sum = T.alloc_fragment::<f32>(32, 32);
    for (i, j) in T.Parallel(32, 32) {
        sum[(i, j)] = x[(bz, by * 32 + i, bx * 32 + j)] as f32 + rows[(bz, by * 32 + i, j)] as f32 * 2.0;
        sum[(i, j)] = sum[(i, j)] + of_plane[(bz, i, j)] as f32 * 4.0 + of_column[(i, bx * 32 + j)] as f32 * 8.0;
    }
    T.copy(sum, y[(bz, by * 32, bx * 32)]);
}

#[test]
fn what_depends_on_some_of_three_axes_is_kept_while_they_stay() {
    for [p, m, n] in [[1, 1, 1], [3, 70, 100], [2, 400, 230], [9, 64, 300]] {
        let [x, rows, of_plane, of_column] =
            [p * m * n, p * m * 32, p * 1024, 32 * n].map(|count| values(count, count % 5));
        on_both_chips(|device| {
            let x = device.upload(&x, [p, m, n])?;
            let rows = device.upload(&rows, [p, m, 32])?;
            let of_plane = device.upload(&of_plane, [p, 32, 32])?;
            let of_column = device.upload(&of_column, [32, n])?;
            for sharing in [Sharing::Always, Sharing::Never, Sharing::WherePaying] {
                let mut y = device.zeros::<f32>([p, m, n])?;
                of_three_axes(&x, &rows, &of_plane, &of_column, &mut y)
                    .sharing(sharing)
                    .check(0.0)?;
            }
            Ok(())
        });
    }
}

/// `x + a`, with what is the same in all columns of blocks.
#[tt::kernel]
fn with_rows<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 32>,
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + rows[(i, j)];
    }
    T.copy(v, y[(by * 32, bx * 32)]);
}

#[tt::kernel(order = row_major)]
fn with_rows_in_turn<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 32>,
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(by * 32, 0)], rows);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + rows[(i, j)];
    }
    T.copy(v, y[(by * 32, bx * 32)]);
}

/// `x + b`, with what is the same in all rows of blocks.
#[tt::kernel]
fn with_columns<const M: usize, const N: usize>(
    b: &Tensor<bf16, 32, N>,
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let columns = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(b[(0, bx * 32)], columns);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + columns[(i, j)];
    }
    T.copy(v, y[(by * 32, bx * 32)]);
}

/// What a launch without sharing reads, and its cycles by the clock.
fn taken(launch: tt::Launch<'_>) -> tt::Result<[u64; 2]> {
    let counters = launch
        .sharing(Sharing::Never)
        .profile()?
        .counters
        .expect("the emulator counts");
    let cycles = counters.modelled.as_ref().expect("the clock was on").cycles;
    Ok([bytes(&counters), cycles])
}

#[test]
fn launches_deal_blocks_so_that_runs_are_long() {
    for [rows, columns] in [[25, 20], [40, 40], [13, 60]] {
        let [m, n] = [rows * 32, columns * 32];
        on_both_chips(|device| {
            let (a, b) = (
                device.upload(&values(m * 32, 0), [m, 32])?,
                device.upload(&values(32 * n, 1), [32, n])?,
            );
            let x = device.upload(&values(m * n, 2), [m, n])?;
            let mut y = device.zeros::<bf16>([m, n])?;
            let in_turn = taken(with_rows_in_turn(&a, &x, &mut y))?;
            for found in [taken(with_rows(&a, &x, &mut y))?, taken(with_columns(&b, &x, &mut y))?] {
                // Of two tiles read in turn for each block one is left, and one for every run.
                assert!(
                    found[0] * 10 < in_turn[0] * 8 && found[1] < in_turn[1],
                    "{found:?} and {in_turn:?}"
                );
            }
            Ok(())
        });
    }
}

/// `x` and what is the same in all rows of blocks of all planes.
#[tt::kernel]
fn with_columns_of_planes<const P: usize, const M: usize, const N: usize>(
    b: &Tensor<bf16, 32, N>,
    x: &Tensor<bf16, P, M, N>,
    y: &mut Tensor<bf16, P, M, N>,
) {
    let (bx, by, bz) = T.Kernel(N.div_ceil(32), M.div_ceil(32), P);
    let columns = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(b[(0, bx * 32)], columns);
    T.copy(x[(bz, by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + columns[(i, j)];
    }
    T.copy(v, y[(bz, by * 32, bx * 32)]);
}

#[test]
fn rounds_of_a_rectangle_follow_columns_where_that_keeps_more() {
    for [planes, rows, columns] in [[1, 40, 40], [3, 40, 40], [2, 33, 50], [3, 60, 21]] {
        let [m, n] = [rows * 32, columns * 32];
        on_both_chips(|device| {
            let b = device.upload(&values(32 * n, 1), [32, n])?;
            let x = device.upload(&values(planes * m * n, 2), [planes, m, n])?;
            let mut y = device.zeros::<bf16>([planes, m, n])?;
            with_columns_of_planes(&b, &x, &mut y)
                .sharing(Sharing::Always)
                .check(0.0)?;
            if [rows, columns] == [40, 40] {
                // No core goes along with others, so that `x` is read once.
                let launch = with_columns_of_planes(&b, &x, &mut y).sharing(Sharing::Always);
                let tiles = bytes(&launch.profile()?.counters.expect("the emulator counts")) / 2048;
                let [of_x, of_b] = [planes * rows * columns, planes * columns].map(|tiles| tiles as u64);
                assert_eq!(
                    tiles,
                    of_x + of_b,
                    "a column of cores reads `b` for every column of blocks"
                );
            }
            Ok(())
        });
    }
}
