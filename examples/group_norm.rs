//! Group normalisation of an NHWC tensor: the channels of a pixel are in groups, and a group's mean and variance are taken over all
//! pixels of an image: y = (x − mean) / √(var + eps) · gamma + beta, gamma and beta for each channel.
//!
//! A block of the grid has one group of one image. It goes over its pixels, 32 of them by 64 channels at a time, three times: for the
//! mean, for the variance around it (which loses nothing by cancellation, as a mean of squares less the square of a mean
//! would), and for the results. So x is read three times and written once, and L1 holds a block of it and two numbers, however large
//! an image is. Groups may have any number of channels: what a block has beyond its group has no value and is in no sum.
//!
//! Where groups do not begin at multiples of 16 channels, the elements of their edges are moved one by one.
//!
//!     cargo run --release --example group_norm

mod support;

use std::process::ExitCode;
use support::{ROUNDED_ONCE, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// `P` pixels to an image, `G` groups of `C` channels.
#[tt::kernel]
fn group_norm<const B: usize, const P: usize, const G: usize, const C: usize>(
    x: &Tensor<bf16, B, P, { G * C }>,
    gamma: &Tensor<f32, G, C>,
    beta: &Tensor<f32, G, C>,
    eps: f32,
    y: &mut Tensor<bf16, B, P, { G * C }>,
) {
    let (group, image) = T.Kernel(G, B);
    let block = T.alloc_shared::<bf16>(32, 64);
    let scale = T.alloc_shared::<f32>(64);
    let shift = T.alloc_shared::<f32>(64);
    let d = T.alloc_fragment::<f32>(32, 64);
    let mean = T.alloc_fragment::<f32>(1, 1);
    let var = T.alloc_fragment::<f32>(1, 1);
    let parts = C.div_ceil(64);
    let turns = P.div_ceil(32) * parts;
    let first = group * C;
    T.clear(mean);
    for turn in T.Pipelined(turns, num_stages = 2) {
        let p = turn / parts * 32;
        let c = turn % parts * 64;
        let end = (c + 64).min(C);
        T.copy(x[(image, p..p + 32, first + c..first + end)], block);
        T.reduce_sum(block, mean, dim = (0, 1), clear = false);
    }
    for (i, j) in T.Parallel(1, 1) {
        mean[(i, j)] /= (P * C) as f32;
    }
    T.clear(var);
    for turn in T.Pipelined(turns, num_stages = 2) {
        let p = turn / parts * 32;
        let c = turn % parts * 64;
        let end = (c + 64).min(C);
        T.copy(x[(image, p..p + 32, first + c..first + end)], block);
        for (i, j) in T.Parallel(32, 64) {
            d[(i, j)] = (block[(i, j)] - mean[(0, 0)]).square();
        }
        T.reduce_sum(d, var, dim = (0, 1), clear = false);
    }
    for (i, j) in T.Parallel(1, 1) {
        var[(i, j)] = (var[(i, j)] / ((P * C) as f32) + eps).rsqrt();
    }
    for turn in T.Pipelined(turns, num_stages = 2) {
        let p = turn / parts * 32;
        let c = turn % parts * 64;
        let end = (c + 64).min(C);
        T.copy(x[(image, p..p + 32, first + c..first + end)], block);
        T.copy(gamma[(group, c)], scale);
        T.copy(beta[(group, c)], shift);
        for (i, j) in T.Parallel(32, 64) {
            d[(i, j)] = (block[(i, j)] - mean[(0, 0)]) * var[(0, 0)] * scale[j] + shift[j];
        }
        T.copy(d, y[(image, p..p + 32, first + c..first + end)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    const EPS: f32 = 1e-5;
    let mut is_right = true;
    for (b, pixels, groups, channels) in [(1, 64, 2, 64), (2, 45, 4, 16), (1, 70, 3, 10), (1, 33, 1, 80)] {
        let width = groups * channels;
        let x_host = numbers(b * pixels * width, 1);
        let of = |seed: usize| -> Vec<f32> { numbers(width, seed).iter().map(|x| x.to_f32()).collect() };
        let (gamma_host, beta_host) = (of(2), of(3));
        let x = device.upload(&x_host, [b, pixels, width])?;
        let gamma = device.upload(&gamma_host, [groups, channels])?;
        let beta = device.upload(&beta_host, [groups, channels])?;
        let mut y = device.zeros::<bf16>([b, pixels, width])?;
        let profile = group_norm(&x, &gamma, &beta, EPS, &mut y).profile()?;

        let x = exact(&x_host);
        let mut expected = vec![0.0; x.len()];
        for (image, group) in (0..b * groups).map(|at| (at / groups, at % groups)) {
            let places: Vec<usize> = (0..pixels * channels)
                .map(|at| (image * pixels + at / channels) * width + group * channels + at % channels)
                .collect();
            let mean = places.iter().map(|at| x[*at]).sum::<f64>() / places.len() as f64;
            let var = places.iter().map(|at| (x[*at] - mean).powi(2)).sum::<f64>() / places.len() as f64;
            for at in places {
                let channel = at % width;
                let normal = (x[at] - mean) / (var + f64::from(EPS)).sqrt();
                expected[at] = normal * f64::from(gamma_host[channel]) + f64::from(beta_host[channel]);
            }
        }
        is_right &= is_within(
            &format!("{b} images of {pixels} pixels, {groups} groups of {channels} channels"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &ROUNDED_ONCE,
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
