//! Skinny matmul: a few rows (1 to 32, the tokens that are decoded at once) times a wide matrix of weights.
//!
//! What such a product takes is the reading of its weights: each is used for at most 32 products. So the grid has columns alone: a
//! block of it makes 32 columns of results, one tile wide, that there may be as many blocks as possible, and every weight is read
//! by one core once. The rows are one tile high, whatever their number, and every core reads them all; cores of a row of the
//! chip need them in the same order, and the compiler has them multicast where that is estimated to be faster. Four blocks of
//! weights are in flight, since their way from DRAM takes longer than their products. A bias is added before the result is rounded.
//!
//!     cargo run --release --example skinny_matmul

mod support;

use std::process::ExitCode;
use support::{PRODUCTS, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// At most 32 rows; a launch with more has a second block of rows, which reads the weights once more.
#[tt::kernel]
fn skinny_matmul<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    weights: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 128);
    let block = T.alloc_shared::<bf16>(128, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(128), num_stages = 4) {
        T.copy(x[(by * 32, k * 128)], rows);
        T.copy(weights[(k * 128, bx * 32)], block);
        T.gemm(rows, block, acc);
    }
    for (i, j) in T.Parallel(32, 32) {
        acc[(i, j)] += bias[bx * 32 + j];
    }
    T.copy(acc, y[(by * 32, bx * 32)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, k, n) in [(32, 512, 256), (1, 300, 1000), (7, 129, 31), (33, 64, 50)] {
        let (x_host, weights_host, bias_host) = (numbers(m * k, 1), numbers(k * n, 2), numbers(n, 3));
        let x = device.upload(&x_host, [m, k])?;
        let weights = device.upload(&weights_host, [k, n])?;
        let bias = device.upload(&bias_host, [n])?;
        let mut y = device.zeros::<bf16>([m, n])?;
        let profile = skinny_matmul(&x, &weights, &bias, &mut y).profile()?;

        let (x, weights, bias) = (exact(&x_host), exact(&weights_host), exact(&bias_host));
        let mut expected = Vec::new();
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            let product: f64 = (0..k).map(|at| x[i * k + at] * weights[at * n + j]).sum();
            expected.push(product + bias[j]);
        }
        is_right &= is_within(
            &format!("{m} × {k} · {k} × {n}"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &PRODUCTS,
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
