//! Kernels over whole rows: softmax of a row that fits in L1, online softmax, softmax in three sweeps, layer norm and RMS norm, each
//! against plain loops in f64, on shapes that are no multiple of anything.
//!
//!     cargo run --release --example normalization

mod support;

use std::process::ExitCode;
use support::{example, largest};
use tt::prelude::*;

/// Rows of at most 1024 elements: a block of them stays in L1, and every element is read from DRAM once.
#[tt::kernel]
fn softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let row = T.alloc_shared::<bf16>(32, 1024);
    let e = T.alloc_fragment::<f32>(32, 1024);
    let most = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], row);
    T.reduce_max(row, most, dim = 1);
    for (i, j) in T.Parallel(32, 1024) {
        e[(i, j)] = (row[(i, j)] - most[i]).exp();
    }
    T.reduce_sum(e, total, dim = 1);
    for (i, j) in T.Parallel(32, 1024) {
        e[(i, j)] /= total[i];
    }
    T.copy(e, y[(by * 32, 0)]);
}

/// Rows of any length: the maximum and the sum under it grow block by block, then the rows are read once more.
#[tt::kernel]
fn online_softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let before = T.alloc_fragment::<f32>(32);
    let most = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        T.copy(most, before);
        T.reduce_max(block, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, part, dim = 1);
        for i in T.Parallel(32) {
            total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
        }
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp() / total[i];
        }
        T.copy(e, y[(by * 32, k * 128)]);
    }
}

/// Rows of any length, each read three times: for its maximum, for the sum under it, and for its elements.
#[tt::kernel]
fn three_sweep_softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let e = T.alloc_fragment::<f32>(32, 128);
    let most = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(total);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        T.reduce_max(block, most, dim = 1, clear = false);
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp();
        }
        T.reduce_sum(e, total, dim = 1, clear = false);
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        for (i, j) in T.Parallel(32, 128) {
            e[(i, j)] = (block[(i, j)] - most[i]).exp() / total[i];
        }
        T.copy(e, y[(by * 32, k * 128)]);
    }
}

/// (x − mean) / √(var + eps) · gamma + beta, in three sweeps.
#[tt::kernel]
fn layer_norm<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    gamma: &Tensor<bf16, 1, N>,
    beta: &Tensor<bf16, 1, N>,
    eps: f32,
    y: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let scale = T.alloc_shared::<bf16>(1, 128);
    let shift = T.alloc_shared::<bf16>(1, 128);
    let d = T.alloc_fragment::<f32>(32, 128);
    let mean = T.alloc_fragment::<f32>(32);
    let var = T.alloc_fragment::<f32>(32);
    T.clear(mean);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        T.reduce_sum(block, mean, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        mean[i] = mean[i] / (N as f32);
    }
    T.clear(var);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        for (i, j) in T.Parallel(32, 128) {
            d[(i, j)] = (block[(i, j)] - mean[i]).square();
        }
        T.reduce_sum(d, var, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        var[i] = (var[i] / (N as f32) + eps).rsqrt();
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        T.copy(gamma[(0, k * 128)], scale);
        T.copy(beta[(0, k * 128)], shift);
        for (i, j) in T.Parallel(32, 128) {
            d[(i, j)] = (block[(i, j)] - mean[i]) * var[i] * scale[(0, j)] + shift[(0, j)];
        }
        T.copy(d, y[(by * 32, k * 128)]);
    }
}

/// x / √(mean of x² + eps) · gamma
#[tt::kernel]
fn rms_norm<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    gamma: &Tensor<bf16, 1, N>,
    eps: f32,
    y: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let scale = T.alloc_shared::<bf16>(1, 128);
    let d = T.alloc_fragment::<f32>(32, 128);
    let squares = T.alloc_fragment::<f32>(32);
    T.clear(squares);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        for (i, j) in T.Parallel(32, 128) {
            d[(i, j)] = block[(i, j)] * block[(i, j)];
        }
        T.reduce_sum(d, squares, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        squares[i] = (squares[i] / (N as f32) + eps).rsqrt();
    }
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(x[(by * 32, k * 128)], block);
        T.copy(gamma[(0, k * 128)], scale);
        for (i, j) in T.Parallel(32, 128) {
            d[(i, j)] = block[(i, j)] * squares[i] * scale[(0, j)];
        }
        T.copy(d, y[(by * 32, k * 128)]);
    }
}

fn main() -> ExitCode {
    example(run)
}

/// Runs the kernels and tells whether the results are right.
fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, n) in [(64, 1000), (33, 1000), (70, 517), (3, 7)] {
        let values = |count: usize, step: usize| -> Vec<bf16> {
            (0..count)
                .map(|i| bf16::from_f32((i * step % 257) as f32 / 64.0 - 2.0))
                .collect()
        };
        let wide = |values: &[bf16]| values.iter().map(|v| v.to_f64()).collect::<Vec<f64>>();
        let (host, gamma, beta) = (values(m * n, 7), values(n, 5), values(n, 3));
        let x = device.upload(&host, [m, n])?;
        let [scale, shift] = [device.upload(&gamma, [1, n])?, device.upload(&beta, [1, n])?];
        let mut y = device.zeros::<bf16>([m, n])?;
        let (x64, gamma, beta) = (wide(&host), wide(&gamma), wide(&beta));
        let rows = |of: &dyn Fn(&[f64]) -> Vec<f64>| -> Vec<f64> { x64.chunks(n).flat_map(of).collect() };
        let exact_softmax = rows(&|row| {
            let most = row.iter().copied().fold(f64::MIN, f64::max);
            let total: f64 = row.iter().map(|v| (v - most).exp()).sum();
            row.iter().map(|v| (v - most).exp() / total).collect()
        });
        let exact_layer = rows(&|row| {
            let mean = row.iter().sum::<f64>() / n as f64;
            let var = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
            let of = |(j, v): (usize, &f64)| (v - mean) / (var + 1e-5).sqrt() * gamma[j] + beta[j];
            row.iter().enumerate().map(of).collect()
        });
        let exact_rms = rows(&|row| {
            let mean = row.iter().map(|v| v * v).sum::<f64>() / n as f64;
            row.iter()
                .enumerate()
                .map(|(j, v)| v / (mean + 1e-5).sqrt() * gamma[j])
                .collect()
        });
        let mut judge = |name: &str, got: Vec<bf16>, exact: &[f64], allowed: f64| {
            let worst = worst(&got, exact);
            println!("{name:19} {m:3} × {n:4}: worst error {worst:.1e} of {allowed:.0e}");
            is_right &= got.len() == exact.len() && worst <= allowed;
        };
        softmax(&x, &mut y).run()?;
        judge("softmax", y.download()?, &exact_softmax, 5e-3);
        online_softmax(&x, &mut y).run()?;
        judge("online softmax", y.download()?, &exact_softmax, 5e-3);
        three_sweep_softmax(&x, &mut y).run()?;
        judge("three-sweep softmax", y.download()?, &exact_softmax, 5e-3);
        layer_norm(&x, &scale, &shift, 1e-5, &mut y).run()?;
        judge("layer norm", y.download()?, &exact_layer, 2e-2);
        rms_norm(&x, &scale, 1e-5, &mut y).run()?;
        judge("RMS norm", y.download()?, &exact_rms, 2e-2);
    }
    Ok(is_right)
}

/// The largest error, relative to 1e-3 + |exact| where that is below 1, else to 1 + |exact|.
fn worst(got: &[bf16], exact: &[f64]) -> f64 {
    let of_softmax = exact.iter().all(|exact| (0.0..=1.0).contains(exact));
    let least = if of_softmax { 1e-3 } else { 1.0 };
    let error = |(got, exact): (&bf16, &f64)| (got.to_f64() - exact).abs() / (least + exact.abs());
    largest(got.iter().zip(exact).map(error))
}
