//! Mamba's selective scan: for every channel a state of N numbers, h[t] = exp(Δ[t] A) h[t − 1] + Δ[t] B[t] x[t], of which
//! y[t] = C[t] · h[t] + D x[t] is given. Step after step it would keep few cores busy; cut into chunks of 32 steps it takes three stages:
//!
//! 1. every chunk by itself, from a state of zeros: its last state, and by how much it lets an earlier one decay, exp(A ΣΔ);
//! 2. along the chunks, a multiplication and an addition for each: the state that each begins with;
//! 3. every chunk once more, from that state, now with the results.
//!
//! A block of the grid has 64 channels, and in stages 1 and 3 one chunk. The state lies in L1 as N rows of 64 channels, so a step is a few
//! operations on whole tiles. What changes from step to step is four vectors: Δ and x go along the columns of the state, B and C
//! along its rows; they are read while earlier steps are computed. x, Δ and B are read twice, C once, and states go through
//! DRAM once for each chunk, not for each step.
//!
//!     cargo run --release --example selective_scan

mod support;

use std::process::ExitCode;
use support::{ROUNDED_ONCE, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// `S` steps, `C` channels, a state of `N`, at most 32.
#[tt::kernel]
fn scan<const S: usize, const C: usize, const N: usize>(
    x: &Tensor<bf16, S, C>,
    delta: &Tensor<bf16, S, C>,
    a: &Tensor<f32, N, C>,
    b: &Tensor<bf16, S, N>,
    c: &Tensor<bf16, S, N>,
    d: &Tensor<f32, C>,
    y: &mut Tensor<bf16, S, C>,
) {
    let chunks = S.div_ceil(32);
    let last = T.alloc_global::<f32>(chunks, N, C);
    let decay = T.alloc_global::<f32>(chunks, N, C);
    let first = T.alloc_global::<f32>(chunks, N, C);
    {
        let (bx, chunk) = T.Kernel(C.div_ceil(64), chunks);
        let input = T.alloc_shared::<bf16>(64);
        let pace = T.alloc_shared::<bf16>(64);
        let into = T.alloc_shared::<bf16>(32);
        let rates = T.alloc_shared::<f32>(32, 64);
        let h = T.alloc_fragment::<f32>(32, 64);
        let total = T.alloc_fragment::<f32>(64);
        T.copy(a[(0, bx * 64)], rates);
        T.clear(h);
        T.clear(total);
        for t in T.Pipelined(chunk * 32..(chunk * 32 + 32).min(S), num_stages = 4) {
            T.copy(x[(t, bx * 64)], input);
            T.copy(delta[(t, bx * 64)], pace);
            T.copy(b[(t, 0)], into);
            for (i, j) in T.Parallel(32, 64) {
                h[(i, j)] = h[(i, j)] * (pace[j] * rates[(i, j)]).exp() + pace[j] * input[j] * into[i];
            }
            for j in T.Parallel(64) {
                total[j] += pace[j];
            }
        }
        T.copy(h, last[(chunk, 0, bx * 64)]);
        for (i, j) in T.Parallel(32, 64) {
            h[(i, j)] = (total[j] * rates[(i, j)]).exp();
        }
        T.copy(h, decay[(chunk, 0, bx * 64)]);
    }
    {
        let bx = T.Kernel(C.div_ceil(64));
        let end = T.alloc_shared::<f32>(32, 64);
        let by = T.alloc_shared::<f32>(32, 64);
        let h = T.alloc_fragment::<f32>(32, 64);
        T.clear(h);
        for chunk in T.Pipelined(chunks, num_stages = 2) {
            T.copy(h, first[(chunk, 0, bx * 64)]);
            T.copy(last[(chunk, 0, bx * 64)], end);
            T.copy(decay[(chunk, 0, bx * 64)], by);
            for (i, j) in T.Parallel(32, 64) {
                h[(i, j)] = h[(i, j)] * by[(i, j)] + end[(i, j)];
            }
        }
    }
    {
        let (bx, chunk) = T.Kernel(C.div_ceil(64), chunks);
        let input = T.alloc_shared::<bf16>(64);
        let pace = T.alloc_shared::<bf16>(64);
        let into = T.alloc_shared::<bf16>(32);
        let out_of = T.alloc_shared::<bf16>(32);
        let rates = T.alloc_shared::<f32>(32, 64);
        let through = T.alloc_shared::<f32>(64);
        let h = T.alloc_fragment::<f32>(32, 64);
        let part = T.alloc_fragment::<f32>(32, 64);
        let sum = T.alloc_fragment::<f32>(64);
        T.copy(a[(0, bx * 64)], rates);
        T.copy(d[bx * 64], through);
        T.copy(first[(chunk, 0, bx * 64)], h);
        for t in T.Pipelined(chunk * 32..(chunk * 32 + 32).min(S), num_stages = 4) {
            T.copy(x[(t, bx * 64)], input);
            T.copy(delta[(t, bx * 64)], pace);
            T.copy(b[(t, 0)], into);
            T.copy(c[(t, 0)], out_of);
            for (i, j) in T.Parallel(32, 64) {
                h[(i, j)] = h[(i, j)] * (pace[j] * rates[(i, j)]).exp() + pace[j] * input[j] * into[i];
                part[(i, j)] = h[(i, j)] * out_of[i];
            }
            T.reduce_sum(part, sum, dim = 0);
            for j in T.Parallel(64) {
                sum[j] += through[j] * input[j];
            }
            T.copy(sum, y[(t, bx * 64)]);
        }
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (s, c, n) in [(64, 64, 16), (75, 70, 16), (5, 33, 5)] {
        let (x_host, b_host, c_host) = (numbers(s * c, 1), numbers(s * n, 2), numbers(s * n, 3));
        // Δ is between 0 and 0.4, A below 0: states decay.
        let delta_host: Vec<bf16> = numbers(s * c, 4)
            .iter()
            .map(|x| bf16::from_f32((x.to_f32() + 2.0) / 10.0))
            .collect();
        let a_host: Vec<f32> = (0..n * c)
            .map(|at| -((at / c + 1) as f32) - (at % c) as f32 / 64.0)
            .collect();
        let d_host: Vec<f32> = (0..c).map(|at| at as f32 / 32.0).collect();
        let x = device.upload(&x_host, [s, c])?;
        let delta = device.upload(&delta_host, [s, c])?;
        let a = device.upload(&a_host, [n, c])?;
        let b = device.upload(&b_host, [s, n])?;
        let of_states = device.upload(&c_host, [s, n])?;
        let d = device.upload(&d_host, [c])?;
        let mut y = device.zeros::<bf16>([s, c])?;
        let profile = scan(&x, &delta, &a, &b, &of_states, &d, &mut y).profile()?;

        let (x, delta, b, of_states) = (exact(&x_host), exact(&delta_host), exact(&b_host), exact(&c_host));
        let mut h = vec![0.0; n * c];
        let mut expected = Vec::new();
        for (at, (x, delta)) in x.iter().zip(&delta).enumerate() {
            let (t, channel) = (at / c, at % c);
            let mut sum = f64::from(d_host[channel]) * x;
            for i in 0..n {
                let state = &mut h[i * c + channel];
                *state = *state * (delta * f64::from(a_host[i * c + channel])).exp() + delta * b[t * n + i] * x;
                sum += of_states[t * n + i] * *state;
            }
            expected.push(sum);
        }
        is_right &= is_within(
            &format!("{s} steps of {c} channels, {n} to a state"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &ROUNDED_ONCE,
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
