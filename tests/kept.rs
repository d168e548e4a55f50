//! What every block reads alike: a core reads it before its first block, once, however many it has.

mod support;

use support::on_both_chips;
use tt::__private::Sharing;
use tt::prelude::*;

fn number(at: usize) -> f32 {
    (at * 7 % 13) as f32 - 6.0
}

fn values(count: usize, from: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f32(number(at + from))).collect()
}

fn bytes(counters: &tt::RunCounters) -> u64 {
    counters.total.dram_read_bytes.iter().sum()
}

/// `x · w`, with weights that are the same for all rows.
#[tt::kernel]
fn with_weights<const M: usize>(x: &Tensor<bf16, M, 64>, w: &Tensor<bf16, 64, 64>, y: &mut Tensor<f32, M, 64>) {
    let by = T.Kernel(M.div_ceil(32));
    let rows = T.alloc_shared::<bf16>(32, 64);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(32, 64);
    T.clear(sums);
    T.copy(x[(by * 32, 0)], rows);
    T.copy(w[(0, 0)], weights);
    T.gemm(rows, weights, sums);
    T.copy(sums, y[(by * 32, 0)]);
}

#[test]
fn weights_of_all_rows_are_read_once_by_every_core() {
    for m in [1, 32, 100, 32 * 64, 32 * 300 + 5] {
        let (x, w) = (values(m * 64, 0), values(64 * 64, 3));
        let wanted: Vec<f32> = (0..m * 64)
            .map(|at| {
                let [i, j] = [at / 64, at % 64];
                (0..64)
                    .map(|k| x[i * 64 + k].to_f32() * w[k * 64 + j].to_f32())
                    .sum::<f32>()
            })
            .collect();
        on_both_chips(|device| {
            let (x, w) = (device.upload(&x, [m, 64])?, device.upload(&w, [64, 64])?);
            let mut y = device.zeros::<f32>([m, 64])?;
            // Not shared, which has tests of its own.
            let profile = with_weights(&x, &w, &mut y).sharing(Sharing::Never).profile()?;
            assert!(y.download()? == wanted, "{m}");
            let counters = profile.counters.expect("the emulator counts");
            let blocks = m.div_ceil(32);
            let grid = device.grid();
            let cores = blocks.min((grid.x * grid.y) as usize);
            assert_eq!(bytes(&counters), (blocks * 2 + cores * 4) as u64 * 2048, "{m}");
            Ok(())
        });
    }
}
