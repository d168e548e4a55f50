//! Rotary embedding: each pair of elements `(x[d], x[d + 32])` of a head is turned by an angle that grows with the position.
//! Positions are a tensor, as they are where requests of several lengths are decoded together.
//!
//!     cargo run --release --example rotary

mod support;

use std::process::ExitCode;
use support::{exact, example, is_near, numbers};
use tt::prelude::*;

/// `cosines[p]` and `sines[p]` are those of the angles at position `p`.
#[tt::kernel]
fn rotate<const B: usize, const S: usize, const H: usize, const P: usize>(
    x: &Tensor<bf16, B, S, H, 64>,
    first: &Tensor<i32, B>,
    cosines: &Tensor<f32, P, 32>,
    sines: &Tensor<f32, P, 32>,
    y: &mut Tensor<bf16, B, S, H, 64>,
) {
    let (s, h, b) = T.Kernel(S.div_ceil(64), H, B);
    let p = first[b] + s * 64;
    let heads = T.alloc_shared::<bf16>(64, 64);
    let low = T.alloc_fragment::<bf16>(64, 32);
    let high = T.alloc_fragment::<bf16>(64, 32);
    T.copy(x[(b, s * 64..s * 64 + 64, h, 0..64)], heads);
    for (i, j) in T.Parallel(64, 32) {
        low[(i, j)] = heads[(i, j)] * cosines[(p + i, j)] - heads[(i, j + 32)] * sines[(p + i, j)];
        high[(i, j)] = heads[(i, j)] * sines[(p + i, j)] + heads[(i, j + 32)] * cosines[(p + i, j)];
    }
    T.copy(low, y[(b, s * 64..s * 64 + 64, h, 0..32)]);
    T.copy(high, y[(b, s * 64..s * 64 + 64, h, 32..64)]);
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let (b, s, h, positions) = (3, 70, 2, 512);
    let first = [0, 5, 400];
    let angle = |at: usize| (at / 32) as f64 * 10_000f64.powf(-((at % 32) as f64) / 32.0);
    let cosines: Vec<f32> = (0..positions * 32).map(|at| angle(at).cos() as f32).collect();
    let sines: Vec<f32> = (0..positions * 32).map(|at| angle(at).sin() as f32).collect();
    let host = numbers(b * s * h * 64, 1);
    let x = device.upload(&host, [b, s, h, 64])?;
    let firsts = device.upload(&first, [b])?;
    let on_cosines = device.upload(&cosines, [positions, 32])?;
    let on_sines = device.upload(&sines, [positions, 32])?;
    let mut y = device.zeros::<bf16>([b, s, h, 64])?;
    rotate(&x, &firsts, &on_cosines, &on_sines, &mut y).run()?;

    let x = exact(&host);
    let expected: Vec<f64> = (0..x.len())
        .map(|at| {
            let (d, row) = (at % 64, at / 64);
            let position = first[row / (s * h)] as usize + row / h % s;
            let turn = angle(position * 32 + d % 32);
            let other = x[row * 64 + (d + 32) % 64];
            x[at] * turn.cos() + if d < 32 { -other } else { other } * turn.sin()
        })
        .collect();
    let found = y.download()?;
    Ok(is_near(
        "rotary embedding",
        found.iter().map(|x| x.to_f64()),
        &expected,
        1e-2,
    ))
}
