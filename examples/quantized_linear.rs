//! A linear layer whose weights are `bfp8`: y = x · W + bias, with W in blocks of 16 numbers that share an exponent, 8.5 bits for each.
//!
//! Decoding is bound by the reading of weights, and these take 17 bytes where `bf16` takes 32. The kernel is that of any
//! matmul: a block of the grid makes 32 × 64 results and goes along K in steps of 128; weights stay `bfp8` in L1 too, and
//! the matrix engine reads them as they are, exactly. Activations stay `bf16`, sums `f32`.
//!
//! The upload rounds W. The results are held against loops over the rounded numbers, which show what the kernel does, and the
//! rounded numbers against W, by the definition: each within half a step of the 16 in which it is.
//!
//!     cargo run --release --example quantized_linear

mod support;

use std::process::ExitCode;
use support::{PRODUCTS, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

#[tt::kernel]
fn linear<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    weights: &Tensor<bfp8, K, N>,
    bias: &Tensor<bf16, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 128);
    let block = T.alloc_shared::<bfp8>(128, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(128), num_stages = 3) {
        T.copy(x[(by * 32, k * 128)], rows);
        T.copy(weights[(k * 128, bx * 64)], block);
        T.gemm(rows, block, acc);
    }
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] += bias[bx * 64 + j];
    }
    T.copy(acc, y[(by * 32, bx * 64)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, k, n) in [(32, 256, 128), (7, 300, 500), (65, 33, 31)] {
        let (x_host, weights_host, bias_host) = (numbers(m * k, 1), exact(&numbers(k * n, 2)), numbers(n, 3));
        let x = device.upload(&x_host, [m, k])?;
        let elements: Vec<bfp8> = weights_host.iter().map(|w| bfp8::from(*w as f32)).collect();
        let weights = device.upload(&elements, [k, n])?;
        let bias = device.upload(&bias_host, [n])?;
        let mut y = device.zeros::<bf16>([m, n])?;
        let profile = linear(&x, &weights, &bias, &mut y).profile()?;

        let (x, bias) = (exact(&x_host), exact(&bias_host));
        let rounded: Vec<f64> = weights.download()?.iter().map(|w| f64::from(f32::from(*w))).collect();
        let mut off = 0;
        for (row, kept) in weights_host.chunks(n).zip(rounded.chunks(n)) {
            for (sixteen, kept) in row.chunks(16).zip(kept.chunks(16)) {
                // 7 bits for the magnitude of the largest of the 16, so a step is 2⁻⁶ of the power of two in it.
                let most = sixteen.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
                let step = most.log2().floor().exp2() / 64.0;
                off += sixteen
                    .iter()
                    .zip(kept)
                    .filter(|(w, kept)| (*w - *kept).abs() > step / 2.0)
                    .count();
            }
        }
        let mut expected = Vec::new();
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            let product: f64 = (0..k).map(|at| x[i * k + at] * rounded[at * n + j]).sum();
            expected.push(product + bias[j]);
        }
        println!("{m} × {k} · {k} × {n}: {off} weights are further than half a step from theirs");
        let found = y.download()?;
        is_right &= off == 0;
        is_right &= is_within("results", found.iter().map(|x| x.to_f64()), &expected, &PRODUCTS);
        show_counters(&profile);
    }
    Ok(is_right)
}
