//! Transposes and permutes: axes of a tensor in another order, with every element moved once and none computed.
//!
//! Where the last axis stays the last (heads before positions), a block is a region of rows and columns that is read along one axis and
//! written along another: no tile is turned. Where it does not, a block is transposed in L1 between its reading and its writing: its
//! columns lie along the last axis of what is read, its rows along the one that becomes the last. Rows of a region may lie along any
//! axis but the last, so every permutation is one kernel that reads and writes each element once.
//!
//! Regions that begin and end with tiles are moved by tiles; rows along another axis are moved in pieces of 16 columns.
//!
//!     cargo run --release --example permute

mod support;

use std::process::ExitCode;
use support::{Bound, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// y[b, n, m] = x[b, m, n]
#[tt::kernel]
fn transpose<const B: usize, const M: usize, const N: usize>(x: &Tensor<bf16, B, M, N>, y: &mut Tensor<bf16, B, N, M>) {
    let (bx, by, b) = T.Kernel(N.div_ceil(64), M.div_ceil(64), B);
    let block = T.alloc_shared::<bf16>(64, 64);
    let turned = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(b, by * 64, bx * 64)], block);
    T.transpose(block, turned);
    T.copy(turned, y[(b, bx * 64, by * 64)]);
}

/// y[b, h, s, d] = x[b, s, h, d]: heads before positions.
#[tt::kernel]
fn heads_first<const B: usize, const S: usize, const H: usize, const D: usize>(
    x: &Tensor<bf16, B, S, H, D>,
    y: &mut Tensor<bf16, B, H, S, D>,
) {
    let (bx, by, h, b) = T.Kernel(D.div_ceil(64), S.div_ceil(32), H, B);
    let block = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(b, by * 32..by * 32 + 32, h, bx * 64..bx * 64 + 64)], block);
    T.copy(block, y[(b, h, by * 32, bx * 64)]);
}

/// y[b, h, d, s] = x[b, s, h, d]: keys as the right side of a product.
#[tt::kernel]
fn keys_turned<const B: usize, const S: usize, const H: usize, const D: usize>(
    x: &Tensor<bf16, B, S, H, D>,
    y: &mut Tensor<bf16, B, H, D, S>,
) {
    let (bx, by, h, b) = T.Kernel(D.div_ceil(32), S.div_ceil(32), H, B);
    let block = T.alloc_shared::<bf16>(32, 32);
    let turned = T.alloc_shared::<bf16>(32, 32);
    T.copy(x[(b, by * 32..by * 32 + 32, h, bx * 32..bx * 32 + 32)], block);
    T.transpose(block, turned);
    T.copy(turned, y[(b, h, bx * 32, by * 32)]);
}

/// y[b, c, h, w] = x[b, h, w, c]: NHWC to NCHW.
#[tt::kernel]
fn channels_first<const B: usize, const H: usize, const W: usize, const C: usize>(
    x: &Tensor<bf16, B, H, W, C>,
    y: &mut Tensor<bf16, B, C, H, W>,
) {
    let (bx, by, h, b) = T.Kernel(C.div_ceil(32), W.div_ceil(32), H, B);
    let block = T.alloc_shared::<bf16>(32, 32);
    let turned = T.alloc_shared::<bf16>(32, 32);
    T.copy(x[(b, h, by * 32, bx * 32)], block);
    T.transpose(block, turned);
    T.copy(turned, y[(b, bx * 32..bx * 32 + 32, h, by * 32..by * 32 + 32)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for shape in [[2, 64, 2, 64], [1, 37, 3, 70], [2, 5, 33, 1]] {
        let [b, p, q, r] = shape;
        let host = numbers(b * p * q * r, 1);
        let x = device.upload(&host, shape)?;
        let matrices = device.upload(&host, [b * p, q, r])?;
        // The axes of x in the order in which the result has them.
        let permuted = |order: [usize; 4]| -> Vec<f64> {
            let to = order.map(|axis| shape[axis]);
            let steps = [p * q * r, q * r, r, 1];
            let of = |at: usize| {
                let places = [
                    at / (to[1] * to[2] * to[3]),
                    at / (to[2] * to[3]) % to[1],
                    at / to[3] % to[2],
                    at % to[3],
                ];
                host[(0..4).map(|axis| places[axis] * steps[order[axis]]).sum::<usize>()].to_f64()
            };
            (0..host.len()).map(of).collect()
        };
        let mut judge = |name: &str, order: [usize; 4], found: Vec<bf16>, profile: tt::Profile| {
            let moved = Bound {
                limit: 0.0,
                reason: "elements are moved and not computed",
            };
            is_right &= is_within(&format!("{name} of {shape:?}"), exact(&found), &permuted(order), &moved);
            show_counters(&profile);
        };
        let mut y = device.zeros::<bf16>([b * p, r, q])?;
        let profile = transpose(&matrices, &mut y).profile()?;
        judge("transpose", [0, 1, 3, 2], y.download()?, profile);
        let mut y = device.zeros::<bf16>([b, q, p, r])?;
        let profile = heads_first(&x, &mut y).profile()?;
        judge("heads first", [0, 2, 1, 3], y.download()?, profile);
        let mut y = device.zeros::<bf16>([b, q, r, p])?;
        let profile = keys_turned(&x, &mut y).profile()?;
        judge("keys turned", [0, 2, 3, 1], y.download()?, profile);
        let mut y = device.zeros::<bf16>([b, r, p, q])?;
        let profile = channels_first(&x, &mut y).profile()?;
        judge("channels first", [0, 3, 1, 2], y.download()?, profile);
    }
    Ok(is_right)
}
