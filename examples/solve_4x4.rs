//! Many systems of four equations, A x = b, each solved by itself: Gaussian elimination with rows exchanged for the largest pivot.
//!
//! A matrix of 4 × 4 is far smaller than a tile, so systems lie beside each other instead: one of the 16 coefficients of all systems
//! is a plane, and an operation on planes is done to 32 × 32 systems at once. A block of the grid brings in the 20 planes of its
//! systems, once, works on them in L1 and stores the 4 of x. Loops over rows and columns are written out by the compiler, since
//! planes are chosen by constants there. What differs between systems, which row has the largest pivot, is a selection: every
//! system takes its elements from the row that is its own.
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
    // Element (row, column) is plane 5 · row + column. Column 4 is the right side, and row 4 is free.
    let m = T.alloc_fragment::<f32>(25, 32, 32);
    let most = T.alloc_fragment::<f32>(32, 32);
    let at = T.alloc_fragment::<f32>(32, 32);
    let factor = T.alloc_fragment::<f32>(32, 32);
    for row in T.unroll(4) {
        for column in T.unroll(4) {
            T.copy(a[(row, column, by * 32, bx * 32)], m[(row * 5 + column, 0..32, 0..32)]);
        }
        T.copy(b[(row, by * 32, bx * 32)], m[(row * 5 + 4, 0..32, 0..32)]);
    }
    for k in T.unroll(4) {
        // Which row has the pivot, in every system.
        T.fill(at, k as f32);
        for (i, j) in T.Parallel(32, 32) {
            most[(i, j)] = m[(k * 6, i, j)].abs();
        }
        for row in T.unroll(k + 1..4) {
            for (i, j) in T.Parallel(32, 32) {
                at[(i, j)] = if m[(row * 5 + k, i, j)].abs() > most[(i, j)] {
                    row as f32
                } else {
                    at[(i, j)]
                };
                most[(i, j)] = most[(i, j)].max(m[(row * 5 + k, i, j)].abs());
            }
        }
        // The pivot's row goes to the free one, and row k, which is free then, to where that was.
        let pivot = (k + 4) % 5 * 5;
        for column in T.unroll(k..5) {
            for (i, j) in T.Parallel(32, 32) {
                m[(pivot + column, i, j)] = m[(k * 5 + column, i, j)];
            }
            for row in T.unroll(k + 1..4) {
                for (i, j) in T.Parallel(32, 32) {
                    m[(pivot + column, i, j)] = if at[(i, j)] == row as f32 {
                        m[(row * 5 + column, i, j)]
                    } else {
                        m[(pivot + column, i, j)]
                    };
                }
            }
        }
        for row in T.unroll(k + 1..4) {
            for (i, j) in T.Parallel(32, 32) {
                factor[(i, j)] = if at[(i, j)] == row as f32 {
                    m[(k * 6, i, j)]
                } else {
                    m[(row * 5 + k, i, j)]
                } / m[(pivot + k, i, j)];
            }
            for column in T.unroll(k + 1..5) {
                for (i, j) in T.Parallel(32, 32) {
                    m[(row * 5 + column, i, j)] = if at[(i, j)] == row as f32 {
                        m[(k * 5 + column, i, j)]
                    } else {
                        m[(row * 5 + column, i, j)]
                    } - factor[(i, j)] * m[(pivot + column, i, j)];
                }
            }
        }
    }
    for k in T.unroll((0..4).rev()) {
        let pivot = (k + 4) % 5 * 5;
        for column in T.unroll(k + 1..4) {
            for (i, j) in T.Parallel(32, 32) {
                m[(pivot + 4, i, j)] -= m[(pivot + column, i, j)] * m[((column + 4) % 5 * 5 + 4, i, j)];
            }
        }
        for (i, j) in T.Parallel(32, 32) {
            m[(pivot + 4, i, j)] /= m[(pivot + k, i, j)];
        }
        T.copy(m[(pivot + 4, 0..32, 0..32)], x[(k, by * 32, bx * 32)]);
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
        let (mut a_host, b_host) = (of(16 * count, 1), of(4 * count, 2));
        // The largest of each row lies off the diagonal, so that every system exchanges rows.
        for row in 0..4 {
            (0..count).for_each(|at| a_host[(row * 4 + (row + at + 1) % 4) * count + at] += 8.0);
        }
        let a = device.upload(&a_host, [4, 4, p, q])?;
        let b = device.upload(&b_host, [4, p, q])?;
        let mut x = device.zeros::<f32>([4, p, q])?;
        let profile = solve(&a, &b, &mut x).profile()?;

        // What is solved has to give the right side, to which nothing else was computed.
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
                reason: "f32: with the largest pivots a residual is a few 2⁻²⁴ of |A| · |x|, which is below 5 here",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
