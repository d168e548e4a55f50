//! Kernels over whole rows, against an addition of as many elements: softmax, and reductions of a block that stays in L1.

use crate::inputs::{fastest_in_turn, seconds, values};
use crate::table::Row;
use crate::traffic::traffic;
use crate::{Measured, Scale, kernels};
use tt::prelude::*;

/// The softmax of rows of at most 8192 elements: 32 of them lie in L1, 512 KiB, and are read from DRAM once. The exponentials are
/// computed as they are summed, and again as they are divided, so that nothing but the rows and the result lies in L1.
#[tt::kernel]
pub fn resident_softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let row = T.alloc_shared::<bf16>(32, 8192);
    let e = T.alloc_fragment::<f32>(32, 8192);
    let most = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], row);
    T.reduce_max(row, most, dim = 1);
    for (i, j) in T.Parallel(32, 8192) {
        e[(i, j)] = (row[(i, j)] - most[i]).exp();
    }
    T.reduce_sum(e, total, dim = 1);
    for i in T.Parallel(32) {
        total[i] = 1.0 / total[i];
    }
    for (i, j) in T.Parallel(32, 8192) {
        y[(by * 32 + i, j)] = (row[(i, j)] - most[i]).exp() * total[i];
    }
}

/// The softmax of rows of any length, in two sweeps: the maximum and the sum under it grow block by block, then the rows are read
/// once more.
#[tt::kernel]
pub fn online_softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 512);
    let e = T.alloc_fragment::<f32>(32, 512);
    let before = T.alloc_fragment::<f32>(32);
    let most = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        T.copy(most, before);
        T.reduce_max(block, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 512) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, part, dim = 1);
        for i in T.Parallel(32) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
    }
    for i in T.Parallel(32) {
        total[i] = 1.0 / total[i];
    }
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        for (i, j) in T.Parallel(32, 512) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp() * total[i];
        }
        T.copy(e, y[(by * 32, k * 512)]);
    }
}

/// The softmax of rows of any length, in three sweeps: maximum, sum, quotient.
#[tt::kernel]
pub fn three_sweep_softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 512);
    let e = T.alloc_fragment::<f32>(32, 512);
    let most = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        T.reduce_max(block, most, dim = 1, clear = false);
    }
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        for (i, j) in T.Parallel(32, 512) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, total, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        total[i] = 1.0 / total[i];
    }
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        for (i, j) in T.Parallel(32, 512) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp() * total[i];
        }
        T.copy(e, y[(by * 32, k * 512)]);
    }
}

/// The sum of each row.
#[tt::kernel]
pub fn row_sums<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, 1>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 512);
    let sums = T.alloc_fragment::<f32>(32, 1);
    T.clear(sums);
    for k in T.Pipelined(N.div_ceil(512), num_stages = 2) {
        T.copy(x[(by * 32, k * 512)], block);
        T.reduce_sum(block, sums, dim = 1, clear = false);
    }
    T.copy(sums, y[(by * 32, 0)]);
}

/// y = (a · b + c) · d with a column a, a row b and a single c.
#[tt::kernel]
pub fn broadcast<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 1>,
    b: &Tensor<bf16, 1, N>,
    c: &Tensor<bf16, 1, 1>,
    d: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let column = T.alloc_shared::<bf16>(128, 1);
    let row = T.alloc_shared::<bf16>(1, 128);
    let number = T.alloc_shared::<bf16>(1, 1);
    T.copy(a[(by * 128, 0)], column);
    T.copy(b[(0, bx * 128)], row);
    T.copy(c[(0, 0)], number);
    for (i, j) in T.Parallel(128, 128) {
        y[(by * 128 + i, bx * 128 + j)] =
            (column[(i, 0)] * row[(0, j)] + number[(0, 0)]) * d[(by * 128 + i, bx * 128 + j)];
    }
}

/// `n` additions to a block that stays in L1.
#[tt::kernel]
pub fn resident_add<const M: usize>(x: &Tensor<bf16, M, 128>, n: u32, y: &mut Tensor<bf16, M, 128>) {
    let by = T.Kernel(M.div_ceil(128));
    let a = T.alloc_shared::<bf16>(128, 128);
    let b = T.alloc_shared::<bf16>(128, 128);
    T.copy(x[(by * 128, 0)], a);
    T.clear(b);
    for _ in 0..n {
        for (i, j) in T.Parallel(128, 128) {
            b[(i, j)] = a[(i, j)] + b[(i, j)];
        }
    }
    T.copy(b, y[(by * 128, 0)]);
}

/// `n` sums along the rows of such a block.
#[tt::kernel]
pub fn resident_row_sum<const M: usize>(x: &Tensor<bf16, M, 128>, n: u32, y: &mut Tensor<f32, M>) {
    let by = T.Kernel(M.div_ceil(128));
    let a = T.alloc_shared::<bf16>(128, 128);
    let sums = T.alloc_fragment::<f32>(128);
    T.copy(x[(by * 128, 0)], a);
    T.clear(sums);
    for _ in 0..n {
        T.reduce_sum(a, sums, dim = 1, clear = false);
    }
    T.copy(sums, y[by * 128]);
}

/// `n` sums down its columns.
#[tt::kernel]
pub fn resident_column_sum<const M: usize>(x: &Tensor<bf16, M, 128>, n: u32, y: &mut Tensor<f32, { M * 4 }>) {
    let by = T.Kernel(M.div_ceil(128));
    let a = T.alloc_shared::<bf16>(128, 128);
    let sums = T.alloc_fragment::<f32>(128);
    T.copy(x[(by * 128, 0)], a);
    T.clear(sums);
    for _ in 0..n {
        T.reduce_sum(a, sums, dim = 0, clear = false);
    }
    T.copy(sums, y[by * 128]);
}

/// `n` maxima along its rows.
#[tt::kernel]
pub fn resident_row_max<const M: usize>(x: &Tensor<bf16, M, 128>, n: u32, y: &mut Tensor<f32, M>) {
    let by = T.Kernel(M.div_ceil(128));
    let a = T.alloc_shared::<bf16>(128, 128);
    let most = T.alloc_fragment::<f32>(128);
    T.copy(x[(by * 128, 0)], a);
    T.fill(most, f32::NEG_INFINITY);
    for _ in 0..n {
        T.reduce_max(a, most, dim = 1, clear = false);
    }
    T.copy(most, y[by * 128]);
}

pub fn softmax(scale: Scale) -> Measured {
    let (m, n) = if scale.quick { (256, 8192) } else { (8192, 8192) };
    let device = tt::Device::open()?;
    let (a, b) = (
        device.upload(&values(m * n, 1), [m, n])?,
        device.upload(&values(m * n, 2), [m, n])?,
    );
    let [mut sum, mut y0, mut y1, mut y2] = [
        device.zeros::<bf16>([m, n])?,
        device.zeros::<bf16>([m, n])?,
        device.zeros::<bf16>([m, n])?,
        device.zeros::<bf16>([m, n])?,
    ];
    let reads = [
        resident_softmax(&a, &mut y0).profile()?,
        online_softmax(&a, &mut y1).profile()?,
        three_sweep_softmax(&a, &mut y2).profile()?,
    ];
    kernels::add(&a, &b, &mut sum).run()?;
    let [add, resident, online, three] = fastest_in_turn(
        3,
        [
            &mut || kernels::add(&a, &b, &mut sum).run(),
            &mut || resident_softmax(&a, &mut y0).run(),
            &mut || online_softmax(&a, &mut y1).run(),
            &mut || three_sweep_softmax(&a, &mut y2).run(),
        ],
    )?;
    let bytes = (m * n * 2) as f64;
    let mut rows = Vec::new();
    for ((what, sweeps, time), profile) in [
        ("rows in L1", 1.0, resident),
        ("online", 3.0, online),
        ("three sweeps", 3.0, three),
    ]
    .into_iter()
    .zip(&reads)
    {
        let moved = traffic(profile)?;
        let read = moved.read as f64 / bytes;
        let ratio = time.as_secs_f64() / add.as_secs_f64();
        rows.push(Row::new(
            format!("softmax of {m} × {n} bf16, {what}: reads from DRAM"),
            moved.to_string(),
            format!("the tensor: {:.1} MB", bytes / 1e6),
            format!("{read:.2} × read"),
            format!("at most {sweeps} ×"),
            read <= sweeps,
        ));
        rows.push(Row::new(
            format!("softmax of {m} × {n} bf16, {what}: time"),
            seconds(time),
            format!("addition of the same size: {}", seconds(add)),
            format!("{ratio:.2} ×"),
            "at most 6 ×",
            ratio <= 6.0,
        ));
    }
    Ok(rows)
}

pub fn reduction(scale: Scale) -> Measured {
    let (blocks, turns) = if scale.quick { (8, 400) } else { (64, 400) };
    let m = blocks * 128;
    let device = tt::Device::open()?;
    let x = device.upload(&values(m * 128, 1), [m, 128])?;
    let mut sums = device.zeros::<bf16>([m, 128])?;
    let mut of_rows = device.zeros::<f32>([m])?;
    let mut of_columns = device.zeros::<f32>([m * 4])?;
    let mut most = device.zeros::<f32>([m])?;
    resident_add(&x, 1, &mut sums).run()?;
    resident_row_sum(&x, 1, &mut of_rows).run()?;
    resident_column_sum(&x, 1, &mut of_columns).run()?;
    resident_row_max(&x, 1, &mut most).run()?;
    let [add, row_sum, column_sum, row_max] = fastest_in_turn(
        5,
        [
            &mut || resident_add(&x, turns, &mut sums).run(),
            &mut || resident_row_sum(&x, turns, &mut of_rows).run(),
            &mut || resident_column_sum(&x, turns, &mut of_columns).run(),
            &mut || resident_row_max(&x, turns, &mut most).run(),
        ],
    )?;
    Ok([
        ("row sums", row_sum),
        ("column sums", column_sum),
        ("row maxima", row_max),
    ]
    .into_iter()
    .map(|(what, time)| {
        let ratio = time.as_secs_f64() / add.as_secs_f64();
        Row::new(
            format!("{what} of a block of 128 × 128 bf16 in L1, {turns} times on {blocks} blocks"),
            seconds(time),
            format!("addition to such a block: {}", seconds(add)),
            format!("{ratio:.2} ×"),
            "at most 2 ×",
            ratio <= 2.0,
        )
    })
    .collect())
}
