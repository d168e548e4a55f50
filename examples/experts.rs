//! A mixture of experts: rows are sorted by expert, and each group of rows meets the weights of its own. Groups begin at any row and
//! have any length, so several of them store into one tile.
//!
//!     cargo run --release --example experts

mod support;

use std::process::ExitCode;
use support::{exact, example, is_near, numbers};
use tt::prelude::*;

/// `y[r] = silu(x[r] · gate[e]) * (x[r] · up[e])` for the rows from `first[g]` on, `rows[g]` of them, at most 64, of expert `expert[g]`.
#[tt::kernel]
fn gated<const R: usize, const K: usize, const N: usize, const E: usize, const G: usize>(
    x: &Tensor<bf16, R, K>,
    gate: &Tensor<bf16, E, K, N>,
    up: &Tensor<bf16, E, K, N>,
    expert: &Tensor<i32, G>,
    first: &Tensor<i32, G>,
    rows: &Tensor<i32, G>,
    y: &mut Tensor<bf16, R, N>,
) {
    let (column, group) = T.Kernel(N.div_ceil(64), G);
    let inputs = T.alloc_shared::<bf16>(64, 64);
    let gates = T.alloc_shared::<bf16>(64, 64);
    let ups = T.alloc_shared::<bf16>(64, 64);
    let open = T.alloc_fragment::<f32>(64, 64);
    let through = T.alloc_fragment::<f32>(64, 64);
    let e = expert[group];
    let r = first[group];
    let n = rows[group];
    T.clear(open);
    T.clear(through);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(x[(r..r + n, k * 64..k * 64 + 64)], inputs);
        T.copy(gate[(e, k * 64, column * 64)], gates);
        T.copy(up[(e, k * 64, column * 64)], ups);
        T.gemm(inputs, gates, open);
        T.gemm(inputs, ups, through);
    }
    for (i, j) in T.Parallel(64, 64) {
        open[(i, j)] = open[(i, j)].silu() * through[(i, j)];
    }
    T.copy(open, y[(r..r + n, column * 64..column * 64 + 64)]);
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let (k, n, experts) = (96, 160, 3);
    let groups: [(usize, usize); 5] = [(0, 5), (2, 64), (2, 9), (1, 1), (0, 23)];
    let total: usize = groups.iter().map(|(_, rows)| rows).sum();
    let integers = |of: &dyn Fn(usize) -> usize| -> Vec<i32> { (0..groups.len()).map(|g| of(g) as i32).collect() };
    let begins = |g: usize| groups[..g].iter().map(|(_, rows)| rows).sum();
    let (x_host, gate_host, up_host) = (
        numbers(total * k, 1),
        numbers(experts * k * n, 2),
        numbers(experts * k * n, 3),
    );
    let x = device.upload(&x_host, [total, k])?;
    let gate = device.upload(&gate_host, [experts, k, n])?;
    let up = device.upload(&up_host, [experts, k, n])?;
    let expert = device.upload(&integers(&|g| groups[g].0), [groups.len()])?;
    let first = device.upload(&integers(&begins), [groups.len()])?;
    let rows = device.upload(&integers(&|g| groups[g].1), [groups.len()])?;
    let mut y = device.zeros::<bf16>([total, n])?;
    gated(&x, &gate, &up, &expert, &first, &rows, &mut y).run()?;

    let (x, gate, up) = (exact(&x_host), exact(&gate_host), exact(&up_host));
    let mut expected = Vec::new();
    for (g, (e, rows)) in groups.iter().enumerate() {
        for row in begins(g)..begins(g) + rows {
            for column in 0..n {
                let of = |w: &[f64]| {
                    (0..k)
                        .map(|at| x[row * k + at] * w[(e * k + at) * n + column])
                        .sum::<f64>()
                };
                let open = of(&gate);
                expected.push(open / (1.0 + (-open).exp()) * of(&up));
            }
        }
    }
    let found = y.download()?;
    let what = format!("{} groups of rows, {experts} experts", groups.len());
    // Two sums of products are multiplied, each of which a chip's adders leave with some 11 bits: `TT_EMULATOR_FPU=exact` shows 5.3e-2,
    // in HiFi4 5.1e-2.
    Ok(is_near(&what, found.iter().map(|x| x.to_f64()), &expected, 8e-2))
}
