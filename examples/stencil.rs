//! Heat in a plate: explicit steps of the five-point stencil, whose neighbours lie one row and one column away. Two steps are two
//! stages of one kernel, with a temporary between them.
//!
//!     cargo run --release --example stencil

mod support;

use std::process::ExitCode;
use support::{example, is_near};
use tt::prelude::*;

/// What lies outside of the plate has no value, so that nothing flows there: `+=` leaves such neighbours out.
#[tt::kernel]
fn two_steps<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, rate: f32, y: &mut Tensor<f32, M, N>) {
    let between = T.alloc_global::<f32>(M, N);
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
        let here = T.alloc_shared::<f32>(32, 64);
        let next = T.alloc_fragment::<f32>(32, 64);
        T.copy(x[(by * 32, bx * 64)], here);
        T.copy(here, next);
        for (i, j) in T.Parallel(32, 64) {
            next[(i, j)] += rate * (x[(by * 32 + i - 1, bx * 64 + j)] - here[(i, j)]);
            next[(i, j)] += rate * (x[(by * 32 + i + 1, bx * 64 + j)] - here[(i, j)]);
            next[(i, j)] += rate * (x[(by * 32 + i, bx * 64 + j - 1)] - here[(i, j)]);
            next[(i, j)] += rate * (x[(by * 32 + i, bx * 64 + j + 1)] - here[(i, j)]);
        }
        T.copy(next, between[(by * 32, bx * 64)]);
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
        let here = T.alloc_shared::<f32>(32, 64);
        let next = T.alloc_fragment::<f32>(32, 64);
        T.copy(between[(by * 32, bx * 64)], here);
        T.copy(here, next);
        for (i, j) in T.Parallel(32, 64) {
            next[(i, j)] += rate * (between[(by * 32 + i - 1, bx * 64 + j)] - here[(i, j)]);
            next[(i, j)] += rate * (between[(by * 32 + i + 1, bx * 64 + j)] - here[(i, j)]);
            next[(i, j)] += rate * (between[(by * 32 + i, bx * 64 + j - 1)] - here[(i, j)]);
            next[(i, j)] += rate * (between[(by * 32 + i, bx * 64 + j + 1)] - here[(i, j)]);
        }
        T.copy(next, y[(by * 32, bx * 64)]);
    }
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    const RATE: f32 = 0.2;
    let mut is_right = true;
    for (m, n) in [(64, 128), (50, 77), (1, 33)] {
        let mut plate: Vec<f32> = (0..m * n).map(|at| if at % 37 == 0 { 100.0 } else { 20.0 }).collect();
        let mut expected: Vec<f64> = plate.iter().map(|x| f64::from(*x)).collect();
        for _ in 0..5 {
            let x = device.upload(&plate, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            two_steps(&x, RATE, &mut y).run()?;
            plate = y.download()?;
        }
        for _ in 0..10 {
            let before = expected.clone();
            for at in 0..m * n {
                let (i, j) = (at / n, at % n);
                let around = [
                    (i > 0).then(|| at - n),
                    (i + 1 < m).then(|| at + n),
                    (j > 0).then(|| at - 1),
                    (j + 1 < n).then(|| at + 1),
                ];
                let flow: f64 = around
                    .into_iter()
                    .flatten()
                    .map(|other| before[other] - before[at])
                    .sum();
                expected[at] += f64::from(RATE) * flow;
            }
        }
        let what = format!("ten steps of a plate of {m} × {n}");
        is_right &= is_near(&what, plate.iter().map(|x| f64::from(*x)), &expected, 1e-5);
    }
    Ok(is_right)
}
