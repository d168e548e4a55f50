//! Many systems of four equations, A x = b, each solved by itself: A is symmetric and positive definite, as normal equations of least
//! squares are, so that it is factored into L D Lᵀ without a search for pivots.
//!
//! A matrix of 4 × 4 is far smaller than a tile, so systems lie beside each other instead: one of the coefficients of all systems
//! is a plane, and an operation on planes is done to 32 × 32 systems at once. A block of the grid brings in the 10 planes of the
//! lower triangle and the 4 of b, once, works on them in L1 and stores the 4 of x: the upper triangle is not read. Loops over rows and
//! columns are written out by the compiler, since planes are chosen by constants there.
//!
//! What is written out has to fit in a core, too: an exchange of rows for pivots, which selects among rows in every system, makes
//! the program three times as large, more than a Blackhole takes by `cargo xtask conformance binaries`.
//!
//!     cargo run --release --example solve_4x4

mod support;

use std::process::ExitCode;
use support::{Bound, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// P × Q systems.
#[tt::kernel]
fn solve<const P: usize, const Q: usize>(
    a: &Tensor<f32, 4, 4, P, Q>,
    b: &Tensor<f32, 4, P, Q>,
    x: &mut Tensor<f32, 4, P, Q>,
) {
    let (bx, by) = T.Kernel(Q.div_ceil(32), P.div_ceil(32));
    // Element (row, column) is plane row · (row + 1) / 2 + column.
    let m = T.alloc_fragment::<f32>(10, 32, 32);
    let side = T.alloc_fragment::<f32>(4, 32, 32);
    let factor = T.alloc_fragment::<f32>(32, 32);
    for row in T.unroll(4) {
        for column in T.unroll(row + 1) {
            let at = row * (row + 1) / 2 + column;
            T.copy(a[(row, column, by * 32, bx * 32)], m[(at, 0..32, 0..32)]);
        }
        T.copy(b[(row, by * 32, bx * 32)], side[(row, 0..32, 0..32)]);
    }
    for k in T.unroll(4) {
        let pivot = k * (k + 3) / 2;
        for row in T.unroll(k + 1..4) {
            let first = row * (row + 1) / 2;
            for (i, j) in T.Parallel(32, 32) {
                factor[(i, j)] = m[(first + k, i, j)] / m[(pivot, i, j)];
                side[(row, i, j)] -= factor[(i, j)] * side[(k, i, j)];
            }
            for column in T.unroll(k + 1..row + 1) {
                for (i, j) in T.Parallel(32, 32) {
                    m[(first + column, i, j)] -= factor[(i, j)] * m[(column * (column + 1) / 2 + k, i, j)];
                }
            }
        }
    }
    for k in T.unroll((0..4).rev()) {
        for row in T.unroll(k + 1..4) {
            for (i, j) in T.Parallel(32, 32) {
                side[(k, i, j)] -= m[(row * (row + 1) / 2 + k, i, j)] * side[(row, i, j)];
            }
        }
        for (i, j) in T.Parallel(32, 32) {
            side[(k, i, j)] /= m[(k * (k + 3) / 2, i, j)];
        }
        T.copy(side[(k, 0..32, 0..32)], x[(k, by * 32, bx * 32)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (p, q) in [(32, 64), (50, 33), (1, 5)] {
        let count = p * q;
        let of = |count: usize, seed: usize| -> Vec<f32> { numbers(count, seed).iter().map(|x| x.to_f32()).collect() };
        let (roots, b_host) = (of(16 * count, 1), of(4 * count, 2));
        // G Gᵀ + 1 is positive definite for every G.
        let of = |at: usize| {
            let (row, column, system) = (at / count / 4, at / count % 4, at % count);
            let product = |k: usize| roots[(row * 4 + k) * count + system] * roots[(column * 4 + k) * count + system];
            (0..4).map(product).sum::<f32>() + if row == column { 1.0 } else { 0.0 }
        };
        let a_host: Vec<f32> = (0..16 * count).map(of).collect();
        let a = device.upload(&a_host, [4, 4, p, q])?;
        let b = device.upload(&b_host, [4, p, q])?;
        let mut x = device.zeros::<f32>([4, p, q])?;
        let profile = solve(&a, &b, &mut x).profile()?;

        // A times what was found has to be b again; nothing else was computed to it.
        let x: Vec<f64> = x.download()?.into_iter().map(f64::from).collect();
        let mut sides = Vec::new();
        for at in 0..4 * count {
            let (row, system) = (at / count, at % count);
            let of =
                |column: usize| f64::from(a_host[(row * 4 + column) * count + system]) * x[column * count + system];
            sides.push((0..4).map(of).sum::<f64>());
        }
        let expected: Vec<f64> = b_host.iter().map(|b| f64::from(*b)).collect();
        is_right &= is_within(
            &format!("the right sides of {p} × {q} systems"),
            sides,
            &expected,
            &Bound {
                limit: 1e-5,
                reason: "f32: of a positive definite A a residual is a few 2⁻²⁴ of |A| · |x|, which is some tens here",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
