//! The MLP of a gated transformer: y = (silu(x · gate) * (x · up)) · down.
//!
//! Two stages with the hidden activations between them. A block of the first makes 64 rows of 64 hidden activations: each block of x
//! is read once for both products, whose sums stay in L1 side by side; what is stored is their gated product alone, so that
//! neither x · gate nor x · up is ever in DRAM. The second stage is a plain product by `down`.
//!
//! x is read HIDDEN / 64 times, gate and up M / 64 times, and the hidden activations, M × HIDDEN of them in bf16, are written once
//! and read N / 64 times. Blocks that cores of a row or column need alike the compiler has read once and multicast, where
//! that is estimated to be faster.
//!
//!     cargo run --release --example swiglu

mod support;

use std::process::ExitCode;
use support::{Bound, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

#[tt::kernel]
fn swiglu<const M: usize, const K: usize, const HIDDEN: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    gate: &Tensor<bf16, K, HIDDEN>,
    up: &Tensor<bf16, K, HIDDEN>,
    down: &Tensor<bf16, HIDDEN, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let hidden = T.alloc_global::<bf16>(M, HIDDEN);
    {
        let (bx, by) = T.Kernel(HIDDEN.div_ceil(64), M.div_ceil(64));
        let rows = T.alloc_shared::<bf16>(64, 64);
        let gates = T.alloc_shared::<bf16>(64, 64);
        let ups = T.alloc_shared::<bf16>(64, 64);
        let open = T.alloc_fragment::<f32>(64, 64);
        let through = T.alloc_fragment::<f32>(64, 64);
        T.clear(open);
        T.clear(through);
        for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
            T.copy(x[(by * 64, k * 64)], rows);
            T.copy(gate[(k * 64, bx * 64)], gates);
            T.copy(up[(k * 64, bx * 64)], ups);
            T.gemm(rows, gates, open);
            T.gemm(rows, ups, through);
        }
        for (i, j) in T.Parallel(64, 64) {
            open[(i, j)] = open[(i, j)].silu() * through[(i, j)];
        }
        T.copy(open, hidden[(by * 64, bx * 64)]);
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
        let rows = T.alloc_shared::<bf16>(64, 64);
        let downs = T.alloc_shared::<bf16>(64, 64);
        let acc = T.alloc_fragment::<f32>(64, 64);
        T.clear(acc);
        for k in T.Pipelined(HIDDEN.div_ceil(64), num_stages = 2) {
            T.copy(hidden[(by * 64, k * 64)], rows);
            T.copy(down[(k * 64, bx * 64)], downs);
            T.gemm(rows, downs, acc);
        }
        T.copy(acc, y[(by * 64, bx * 64)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, k, hidden, n) in [(64, 128, 192, 128), (70, 50, 130, 90), (1, 33, 65, 31)] {
        let x_host = numbers(m * k, 1);
        let weights = |rows: usize, columns: usize, seed: usize| -> Vec<bf16> {
            let scale = 1.0 / (rows as f32).sqrt();
            let of = |x: &bf16| bf16::from_f32(x.to_f32() * scale);
            numbers(rows * columns, seed).iter().map(of).collect()
        };
        let (gate_host, up_host) = (weights(k, hidden, 2), weights(k, hidden, 3));
        let down_host = weights(hidden, n, 4);
        let x = device.upload(&x_host, [m, k])?;
        let gate = device.upload(&gate_host, [k, hidden])?;
        let up = device.upload(&up_host, [k, hidden])?;
        let down = device.upload(&down_host, [hidden, n])?;
        let mut y = device.zeros::<bf16>([m, n])?;
        let profile = swiglu(&x, &gate, &up, &down, &mut y).profile()?;

        let (x, gate, up, down) = (exact(&x_host), exact(&gate_host), exact(&up_host), exact(&down_host));
        let mut expected = Vec::new();
        for row in x.chunks(k) {
            let by = |w: &[f64], j: usize| {
                row.iter()
                    .enumerate()
                    .map(|(at, x)| x * w[at * hidden + j])
                    .sum::<f64>()
            };
            let activation = |j: usize| by(&gate, j) / (1.0 + (-by(&gate, j)).exp()) * by(&up, j);
            let hidden: Vec<f64> = (0..hidden).map(activation).collect();
            for j in 0..n {
                expected.push(hidden.iter().enumerate().map(|(at, h)| h * down[at * n + j]).sum());
            }
        }
        is_right &= is_within(
            &format!("{m} × {k}, {hidden} hidden, {n} out"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &Bound {
                limit: 1e-2,
                reason: "a result is rounded to bf16, by up to 2⁻⁸; so are hidden activations, whose errors mostly cancel",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
