//! Gravity between N bodies, all pairs: positions and velocities after a step of leapfrog, in one kernel; a launch is a step.
//!
//! A block of the grid has 32 bodies, whose accelerations it sums up over all bodies, 64 at a time. Coordinates are vectors: those of
//! its own bodies lie down the rows of a 32 × 64 block and stay in L1, those of the others along its columns, so that a difference of two vectors
//! is all pairs at once. A reduction along rows adds what pulls at each body. Every block reads all bodies, 16 bytes for each,
//! which makes two thousand pairs of every kilobyte: the vector unit is what such a step waits for. `softening` keeps a body from pulling
//! itself: its own distance is 0, and so is the difference that the weight is multiplied by.
//!
//! A step reads one set of positions and writes another, as other blocks still read the first.
//!
//!     cargo run --release --example n_body

mod support;

use std::process::ExitCode;
use support::{Bound, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// The rows of `at`, of `next`, which comes after it, and of `speed` are x, y and z; speeds are those of half a step earlier.
#[tt::kernel]
fn step<const N: usize>(
    at: &Tensor<f32, 3, N>,
    mass: &Tensor<f32, N>,
    softening: f32,
    dt: f32,
    speed: &mut Tensor<f32, 3, N>,
    next: &mut Tensor<f32, 3, N>,
) {
    let by = T.Kernel(N.div_ceil(32));
    let x = T.alloc_fragment::<f32>(32);
    let y = T.alloc_fragment::<f32>(32);
    let z = T.alloc_fragment::<f32>(32);
    let others_x = T.alloc_shared::<f32>(64);
    let others_y = T.alloc_shared::<f32>(64);
    let others_z = T.alloc_shared::<f32>(64);
    let masses = T.alloc_shared::<f32>(64);
    let pull = T.alloc_fragment::<f32>(32, 64);
    let part = T.alloc_fragment::<f32>(32, 64);
    let pull_x = T.alloc_fragment::<f32>(32);
    let pull_y = T.alloc_fragment::<f32>(32);
    let pull_z = T.alloc_fragment::<f32>(32);
    T.copy(at[(0, by * 32)], x);
    T.copy(at[(1, by * 32)], y);
    T.copy(at[(2, by * 32)], z);
    T.clear(pull_x);
    T.clear(pull_y);
    T.clear(pull_z);
    for k in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(at[(0, k * 64)], others_x);
        T.copy(at[(1, k * 64)], others_y);
        T.copy(at[(2, k * 64)], others_z);
        T.copy(mass[k * 64], masses);
        for (i, j) in T.Parallel(32, 64) {
            let r = (others_x[j] - x[i]).square() + (others_y[j] - y[i]).square() + (others_z[j] - z[i]).square();
            pull[(i, j)] = (r + softening * softening).rsqrt();
            pull[(i, j)] = masses[j] * pull[(i, j)] * pull[(i, j)] * pull[(i, j)];
        }
        for (i, j) in T.Parallel(32, 64) {
            part[(i, j)] = pull[(i, j)] * (others_x[j] - x[i]);
        }
        T.reduce_sum(part, pull_x, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 64) {
            part[(i, j)] = pull[(i, j)] * (others_y[j] - y[i]);
        }
        T.reduce_sum(part, pull_y, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 64) {
            part[(i, j)] = pull[(i, j)] * (others_z[j] - z[i]);
        }
        T.reduce_sum(part, pull_z, dim = 1, clear = false);
    }
    for i in T.Parallel(32) {
        pull_x[i] = pull_x[i] * dt + speed[(0, by * 32 + i)];
        pull_y[i] = pull_y[i] * dt + speed[(1, by * 32 + i)];
        pull_z[i] = pull_z[i] * dt + speed[(2, by * 32 + i)];
    }
    T.copy(pull_x, speed[(0, by * 32)]);
    T.copy(pull_y, speed[(1, by * 32)]);
    T.copy(pull_z, speed[(2, by * 32)]);
    for i in T.Parallel(32) {
        x[i] += pull_x[i] * dt;
        y[i] += pull_y[i] * dt;
        z[i] += pull_z[i] * dt;
    }
    T.copy(x, next[(0, by * 32)]);
    T.copy(y, next[(1, by * 32)]);
    T.copy(z, next[(2, by * 32)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    const STEPS: usize = 4;
    let (softening, dt) = (0.25f32, 0.01f32);
    let mut is_right = true;
    for n in [128, 77, 1] {
        let of = |count: usize, seed: usize| -> Vec<f32> { numbers(count, seed).iter().map(|x| x.to_f32()).collect() };
        let (at_host, speed_host) = (of(3 * n, 1), of(3 * n, 2));
        let mass_host: Vec<f32> = of(n, 3).iter().map(|x| 1.0 + x.abs()).collect();
        let mut at = device.upload(&at_host, [3, n])?;
        let mass = device.upload(&mass_host, [n])?;
        let mut speed = device.upload(&speed_host, [3, n])?;
        let mut next = device.zeros::<f32>([3, n])?;
        for _ in 1..STEPS {
            step(&at, &mass, softening, dt, &mut speed, &mut next).enqueue()?;
            std::mem::swap(&mut at, &mut next);
        }
        let profile = step(&at, &mass, softening, dt, &mut speed, &mut next).profile()?;

        let wide = |values: &[f32]| values.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
        let (mut at, mut speeds) = (wide(&at_host), wide(&speed_host));
        for _ in 0..STEPS {
            for i in 0..n {
                for j in 0..n {
                    let d = [0, 1, 2].map(|axis| at[axis * n + j] - at[axis * n + i]);
                    let r = d.iter().map(|x| x * x).sum::<f64>() + f64::from(softening).powi(2);
                    let pull = f64::from(mass_host[j]) / (r * r.sqrt());
                    (0..3).for_each(|axis| speeds[axis * n + i] += pull * d[axis] * f64::from(dt));
                }
            }
            at.iter_mut().zip(&speeds).for_each(|(x, v)| *x += v * f64::from(dt));
        }
        let bound = Bound {
            limit: 1e-5,
            reason: "f32: a sum over all bodies and the vector unit's reciprocal root leave some 1e-6 a step",
        };
        println!("{n} bodies, {STEPS} steps");
        is_right &= is_within("positions", wide(&next.download()?), &at, &bound);
        is_right &= is_within("velocities", wide(&speed.download()?), &speeds, &bound);
        show_counters(&profile);
    }
    Ok(is_right)
}
