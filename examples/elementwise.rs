//! Element-wise kernels: a gated activation straight on the tensors, and a row and a column broadcast over a block.
//!
//!     cargo run --release --example elementwise

use std::process::ExitCode;
use tt::prelude::*;

/// out = silu(gate) · up · scale
#[tt::kernel]
fn swiglu<const M: usize, const N: usize>(
    gate: &Tensor<bf16, M, N>,
    up: &Tensor<bf16, M, N>,
    scale: f32,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        out[(by * 64 + i, bx * 64 + j)] =
            gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)] * scale;
    }
}

/// out[i][j] = clamp(x[i][j] · weight[j] + shift[i], −1, 1)
#[tt::kernel]
fn affine<const M: usize, const N: usize>(
    x: &Tensor<bf16, M, N>,
    weight: &Tensor<bf16, 1, N>,
    shift: &Tensor<bf16, M, 1>,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let block = T.alloc_shared::<bf16>(64, 128);
    let row = T.alloc_shared::<bf16>(1, 128);
    let column = T.alloc_shared::<bf16>(64, 1);
    let result = T.alloc_fragment::<f32>(64, 128);
    T.copy(x[(by * 64, bx * 128)], block);
    T.copy(weight[(0, bx * 128)], row);
    T.copy(shift[(by * 64, 0)], column);
    for (i, j) in T.Parallel(64, 128) {
        result[(i, j)] = (block[(i, j)] * row[(0, j)] + column[(i, 0)]).clamp(-1.0, 1.0);
    }
    T.copy(result, out[(by * 64, bx * 128)]);
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a result is not what its source says");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs both kernels on a shape that is no multiple of anything and tells whether the results are right.
fn run() -> tt::Result<bool> {
    let device = tt::Device::open()?;
    println!("{device}");
    let (m, n) = (500, 777);
    let values = |count: usize, step: usize| -> Vec<bf16> {
        (0..count)
            .map(|i| bf16::from_f32((i * step % 257) as f32 / 64.0 - 2.0))
            .collect()
    };
    let x = device.upload(&values(m * n, 7), [m, n])?;
    let y = device.upload(&values(m * n, 11), [m, n])?;
    let weight = device.upload(&values(n, 5), [1, n])?;
    let shift = device.upload(&values(m, 3), [m, 1])?;
    let mut out = device.zeros::<bf16>([m, n])?;

    println!("swiglu, {m} × {n}\n{}", swiglu(&x, &y, 1.5, &mut out).profile()?);
    let gated = worst(&out.download()?, &swiglu(&x, &y, 1.5, &mut out).reference()?["out"]);
    println!(
        "affine, {m} × {n}\n{}",
        affine(&x, &weight, &shift, &mut out).profile()?
    );
    let shifted = worst(
        &out.download()?,
        &affine(&x, &weight, &shift, &mut out).reference()?["out"],
    );
    println!("worst error of 1 + |exact|: swiglu {gated:.1e}, affine {shifted:.1e}");
    Ok(gated < 2e-2 && shifted < 2e-2)
}

/// The largest error, relative to 1 + |exact|.
fn worst(got: &[bf16], exact: &[f32]) -> f32 {
    let errors = got
        .iter()
        .zip(exact)
        .map(|(got, exact)| (got.to_f32() - exact).abs() / (1.0 + exact.abs()));
    errors.fold(0.0, |a: f32, b| if b > a || b.is_nan() { b } else { a })
}
