//! Ten functions of the vector unit, one after the other: the emulator against a plain loop of the same functions.

use crate::inputs::{fastest_in_turn, seconds, values};
use crate::table::Row;
use crate::{Measured, Scale};
use rayon::prelude::*;
use std::time::Duration;
use tt::prelude::*;
use tt::{Tensor, bf16};

/// Ten functions of every element, each of what the one before gives, in blocks of 128 × 128.
#[tt::kernel]
fn chain_of_bf16<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    for (i, j) in T.Parallel(128, 128) {
        y[(by * 128 + i, bx * 128 + j)] = -x[(by * 128 + i, bx * 128 + j)]
            .abs()
            .sqrt()
            .exp()
            .log()
            .sigmoid()
            .square()
            .recip()
            .rsqrt()
            .tanh();
    }
}

/// The same of `f32`.
#[tt::kernel]
fn chain_of_f32<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    for (i, j) in T.Parallel(128, 128) {
        y[(by * 128 + i, bx * 128 + j)] = -x[(by * 128 + i, bx * 128 + j)]
            .abs()
            .sqrt()
            .exp()
            .log()
            .sigmoid()
            .square()
            .recip()
            .rsqrt()
            .tanh();
    }
}

/// The same in plain Rust.
fn plain(x: f32) -> f32 {
    let positive = 1.0 / (1.0 + (-x.abs().sqrt().exp().ln()).exp());
    -(1.0 / (1.0 / (positive * positive)).sqrt()).tanh()
}

/// The plain loop over all elements, on all threads.
fn plainly<E: Copy + Send + Sync>(x: &[E], y: &mut [E], function: impl Fn(E) -> E + Sync) {
    const CHUNK: usize = 1 << 16;
    let parts = y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK));
    parts.for_each(|(y, x)| y.iter_mut().zip(x).for_each(|(y, x)| *y = function(*x)));
}

pub fn chains(scale: Scale) -> Measured {
    let n = if scale.quick { 512 } else { 4096 };
    let (narrow, device) = (values(n * n, 7), tt::Device::open()?);
    let wide: Vec<f32> = narrow.iter().map(|value| value.to_f32()).collect();
    let row = |element: &str, [ours, plain]: [Duration; 2]| {
        Row::with_ratio(
            format!("ten functions of {n}² {element}, one after the other"),
            seconds(ours),
            format!(
                "plain loop, {} threads: {}",
                rayon::current_num_threads(),
                seconds(plain)
            ),
            format!("{:.0} %", 100.0 * plain.as_secs_f64() / ours.as_secs_f64()),
        )
    };

    let (x, mut y) = (device.upload(&narrow, [n, n])?, device.zeros::<bf16>([n, n])?);
    chain_of_bf16(&x, &mut y).run()?;
    let mut plain_y = vec![bf16::ZERO; n * n];
    let mut of_plain = || {
        plainly(&narrow, &mut plain_y, |x: bf16| bf16::from_f32(plain(x.to_f32())));
        Ok(())
    };
    let of_bf16 = fastest_in_turn(3, [&mut || chain_of_bf16(&x, &mut y).run(), &mut of_plain])?;

    let (x, mut y) = (device.upload(&wide, [n, n])?, device.zeros::<f32>([n, n])?);
    chain_of_f32(&x, &mut y).run()?;
    let mut plain_y = vec![0.0; n * n];
    let mut of_plain = || {
        plainly(&wide, &mut plain_y, plain);
        Ok(())
    };
    let of_f32 = fastest_in_turn(3, [&mut || chain_of_f32(&x, &mut y).run(), &mut of_plain])?;
    Ok(vec![row("bf16", of_bf16), row("f32", of_f32)])
}
