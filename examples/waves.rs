//! Waves on a membrane: many time steps of finite differences, u[t + 1] = 2 u[t] − u[t − 1] + c² (∇² of u[t]), of fourth order in space.
//!
//! A launch is a step. Two tensors take turns: a step reads one, with its neighbours two rows and two columns away on each side, and
//! replaces the other, the state before, by the state after; each block of the grid reads and writes its own elements there, so
//! nothing else needs them. Launches are queued one behind the other, and the host waits once, at the end.
//!
//! A block has 32 × 64 elements. The eight shifted blocks are regions of the same tensor that begin at other rows or columns:
//! rows are moved as they are, columns one by one. Outside of the membrane nothing has a value and `+=` leaves it out, which holds
//! its edge at 0. So an element is read nine times and two others once each are read and written.
//!
//!     cargo run --release --example waves

mod support;

use std::process::ExitCode;
use support::{Bound, is_within, on_both_chips, show_counters};
use tt::prelude::*;

/// `rate` is (speed · step in time / step in space)².
#[tt::kernel]
fn step<const M: usize, const N: usize>(now: &Tensor<f32, M, N>, rate: f32, other: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let here = T.alloc_shared::<f32>(32, 64);
    let before = T.alloc_shared::<f32>(32, 64);
    let near = T.alloc_fragment::<f32>(32, 64);
    let far = T.alloc_fragment::<f32>(32, 64);
    T.copy(now[(by * 32, bx * 64)], here);
    T.copy(other[(by * 32, bx * 64)], before);
    T.clear(near);
    T.clear(far);
    for (i, j) in T.Parallel(32, 64) {
        near[(i, j)] += now[(by * 32 + i - 1, bx * 64 + j)];
        near[(i, j)] += now[(by * 32 + i + 1, bx * 64 + j)];
        near[(i, j)] += now[(by * 32 + i, bx * 64 + j - 1)];
        near[(i, j)] += now[(by * 32 + i, bx * 64 + j + 1)];
        far[(i, j)] += now[(by * 32 + i - 2, bx * 64 + j)];
        far[(i, j)] += now[(by * 32 + i + 2, bx * 64 + j)];
        far[(i, j)] += now[(by * 32 + i, bx * 64 + j - 2)];
        far[(i, j)] += now[(by * 32 + i, bx * 64 + j + 2)];
        near[(i, j)] = (16.0 * near[(i, j)] - far[(i, j)] - 60.0 * here[(i, j)]) / 12.0;
        near[(i, j)] = 2.0 * here[(i, j)] - before[(i, j)] + rate * near[(i, j)];
    }
    T.copy(near, other[(by * 32, bx * 64)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    const RATE: f32 = 0.25;
    const STEPS: usize = 10;
    let mut is_right = true;
    for (m, n) in [(64, 128), (50, 77), (1, 33)] {
        // A bump at rest.
        let bump = |at: usize| {
            let (x, y) = ((at / n) as f32 - m as f32 / 2.0, (at % n) as f32 - n as f32 / 3.0);
            (-(x * x + y * y) / 20.0).exp()
        };
        let host: Vec<f32> = (0..m * n).map(bump).collect();
        let mut now = device.upload(&host, [m, n])?;
        let mut other = device.upload(&host, [m, n])?;
        for _ in 1..STEPS {
            step(&now, RATE, &mut other).enqueue()?;
            std::mem::swap(&mut now, &mut other);
        }
        let profile = step(&now, RATE, &mut other).profile()?;

        let mut exact: Vec<f64> = host.iter().map(|x| f64::from(*x)).collect();
        let mut before = exact.clone();
        for _ in 0..STEPS {
            let u = |i: isize, j: isize| {
                let is_inside = (0..m as isize).contains(&i) && (0..n as isize).contains(&j);
                if is_inside {
                    exact[i as usize * n + j as usize]
                } else {
                    0.0
                }
            };
            for (at, earlier) in before.iter_mut().enumerate() {
                let (i, j) = ((at / n) as isize, (at % n) as isize);
                let around = |d: isize| u(i - d, j) + u(i + d, j) + u(i, j - d) + u(i, j + d);
                let bend = (16.0 * around(1) - around(2) - 60.0 * u(i, j)) / 12.0;
                *earlier = 2.0 * u(i, j) - *earlier + f64::from(RATE) * bend;
            }
            std::mem::swap(&mut exact, &mut before);
        }
        is_right &= is_within(
            &format!("{STEPS} steps of a membrane of {m} × {n}"),
            other.download()?.into_iter().map(f64::from),
            &exact,
            &Bound {
                limit: 2e-6,
                reason: "f32: some ten roundings of 2⁻²⁴ a step, which grow with the square of the number of steps",
            },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
