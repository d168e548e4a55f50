//! Matmuls by the emulator's clock (docs/clock.md), against the time that their products alone take on all cores.

use super::table::Row;
use super::traffic::traffic;
use super::{Measured, Scale};
use tt::Device;
use tt::prelude::*;

/// C = A · B, in blocks that the launch chooses.
#[tt::kernel(multicast = auto, variants(BM = [64, 128, 256], BN = [64, 128, 256], BK = [128]))]
fn blocked<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// Products of two tiles that a core forms in a cycle, times its cycles: 16 for each of the four phases of HiFi4
/// (`tt-device/src/costs`).
const CYCLES_OF_A_PRODUCT: f64 = 64.0;

pub fn modelled(scale: Scale) -> Measured {
    let shapes: &[[usize; 3]] = match scale.quick {
        true => &[[256, 256, 256]],
        false => &[
            [256, 256, 256],
            [512, 512, 512],
            [1024, 1024, 1024],
            [2048, 2048, 2048],
            [4096, 4096, 4096],
            [2048, 256, 1024],
            [256, 4096, 512],
        ],
    };
    let mut rows = Vec::new();
    for chip in ["wormhole_b0", "blackhole"] {
        let device = Device::open_named(&format!("emulator:{chip}"))?;
        let cores = f64::from(device.grid().x * device.grid().y);
        for [m, n, k] in shapes.iter().copied() {
            let (a, b) = (
                device.upload(&vec![bf16::ONE; m * k], [m, k])?,
                device.upload(&vec![bf16::ONE; k * n], [k, n])?,
            );
            let mut c = device.zeros::<bf16>([m, n])?;
            let launch = blocked(&a, &b, &mut c);
            let constants = launch
                .variant()?
                .iter()
                .map(|(name, value)| format!("{name} = {value}"));
            let constants = constants.collect::<Vec<_>>().join(", ");
            let estimate = launch.estimate()?.ok_or("no count depends on a tensor")?;
            let profile = launch.profile()?;
            let cycles = profile
                .counters
                .as_ref()
                .and_then(|counters| counters.modelled.as_ref())
                .ok_or("the emulator has a clock")?
                .cycles as f64;
            let read = traffic(&profile)?.read as f64 / 1e6;
            let once = (m * k + k * n) as f64 * 2.0 / 1e6;
            let products = [m, n, k]
                .map(|extent| extent.div_ceil(32) as f64)
                .iter()
                .product::<f64>();
            let least = products * CYCLES_OF_A_PRODUCT / cores;
            let share = least / cycles;
            let target = match (chip, m.min(n).min(k)) {
                ("wormhole_b0", 2048..) | (_, 4096..) => Some(85.0),
                (_, 2048..) => Some(75.0),
                _ => None,
            };
            let what = format!("bf16 matmul {m} × {n} × {k}, {chip}");
            let ours = format!(
                "{:.1} k cycles ({:.1} k estimated), {constants}; {read:.1} MB read",
                cycles / 1e3,
                estimate / 1e3
            );
            let other = format!("products alone: {:.1} k; operands once: {once:.1} MB", least / 1e3);
            let ratio = format!("{:.0} % of peak", share * 100.0);
            rows.push(match target {
                Some(wanted) => Row::new(
                    what,
                    ours,
                    other,
                    ratio,
                    format!("at least {wanted} %"),
                    share * 100.0 >= wanted,
                ),
                None => Row::with_ratio(what, ours, other, ratio),
            });
        }
    }
    Ok(rows)
}
