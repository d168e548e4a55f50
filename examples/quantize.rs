//! Per-token quantisation: every row of activations becomes integers of 8 bits and a scale, and comes back.
//!
//!     cargo run --release --example quantize

mod support;

use std::process::ExitCode;
use support::{example, is_near, numbers};
use tt::prelude::*;

/// Rows of at most 256 elements; the largest magnitude of each becomes 127.
#[tt::kernel]
fn quantize<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    q: &mut Tensor<i8, M, N>,
    scales: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let row = T.alloc_shared::<bf16>(32, 256);
    let whole = T.alloc_fragment::<i8>(32, 256);
    let most = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], row);
    T.reduce_absmax(row, most, dim = 1);
    for i in T.Parallel(32) {
        most[i] = most[i].max(1e-10) / 127.0;
    }
    for (i, j) in T.Parallel(32, 256) {
        whole[(i, j)] = (row[(i, j)] / most[i]).round() as i8;
    }
    T.copy(whole, q[(by * 32, 0)]);
    T.copy(most, scales[by * 32]);
}

#[tt::kernel]
fn restore<const M: usize, const N: usize>(q: &Tensor<i8, M, N>, scales: &Tensor<f32, M>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let whole = T.alloc_shared::<i8>(32, 64);
    let scale = T.alloc_shared::<f32>(32);
    let out = T.alloc_fragment::<f32>(32, 64);
    T.copy(q[(by * 32, bx * 64)], whole);
    T.copy(scales[by * 32], scale);
    for (i, j) in T.Parallel(32, 64) {
        out[(i, j)] = whole[(i, j)] as f32 * scale[i];
    }
    T.copy(out, y[(by * 32, bx * 64)]);
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, n) in [(64, 256), (33, 100), (1, 7)] {
        let host = numbers(m * n, 1);
        let x = device.upload(&host, [m, n])?;
        let mut q = device.zeros::<i8>([m, n])?;
        let mut scales = device.zeros::<f32>([m])?;
        let mut y = device.zeros::<f32>([m, n])?;
        quantize(&x, &mut q, &mut scales).run()?;
        restore(&q, &scales, &mut y).run()?;
        let (q, scales, y) = (q.download()?, scales.download()?, y.download()?);
        let mut off = 0;
        let (mut exact_scales, mut back) = (Vec::new(), Vec::new());
        for (row, values) in host.chunks(n).enumerate() {
            let scale = values.iter().map(|x| x.to_f64().abs()).fold(1e-10, f64::max) / 127.0;
            let difference = |(value, q): (&bf16, &i8)| (value.to_f64() / scale - f64::from(*q)).abs();
            // Half a step, and what f32 leaves of the quotient.
            off += values
                .iter()
                .zip(&q[row * n..])
                .filter(|pair| difference(*pair) > 0.5 + 1e-4)
                .count();
            back.extend(q[row * n..][..n].iter().map(|q| f64::from(*q) * scale));
            exact_scales.push(scale);
        }
        println!("quantised {m} × {n}: {off} elements are further than half a step from theirs");
        is_right &= off == 0;
        is_right &= is_near("scales", scales.iter().map(|x| f64::from(*x)), &exact_scales, 1e-6);
        is_right &= is_near("restored", y.iter().map(|x| f64::from(*x)), &back, 1e-6);
    }
    Ok(is_right)
}
