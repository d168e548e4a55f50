//! Computations whose time was measured for a tile.

use tt_emulator::kernel_config::MathFidelity::{self, HiFi2, HiFi4};
use tt_emulator::{ArchName, DataFormat};

use super::programs::{Computing, Work};

pub const BF16: DataFormat = DataFormat::Float16_b;
pub const F32: DataFormat = DataFormat::Float32;

pub const fn computing(arch: ArchName, formats: [DataFormat; 2], fidelity: MathFidelity, wide: bool) -> Computing {
    Computing {
        arch,
        formats,
        fidelity,
        wide,
    }
}

/// What is computed, in cycles of a tile, modelled and measured.
pub fn computations() -> Vec<(&'static str, f64, f64)> {
    use ArchName::{Blackhole, WormholeB0};
    let slope = |on: Computing, work, [few, many]: [usize; 2]| {
        (on.time(work, many).cycles - on.time(work, few).cycles) / (many - few) as f64
    };
    let wormhole = computing(WormholeB0, [BF16; 2], HiFi4, true);
    let products = computing(Blackhole, [BF16; 2], HiFi2, false);
    let product = |columns: usize, rows: usize| products.time(Work::Product, columns + 16 * rows).cycles / 256.0;
    vec![
        ("WH add_tiles, bf16", slope(wormhole, Work::Additions, [16, 32]), 65.0),
        (
            "WH add_tiles, f32",
            slope(computing(WormholeB0, [F32; 2], HiFi4, true), Work::Additions, [16, 32]),
            130.0,
        ),
        (
            "BH add_tiles, f32",
            slope(computing(Blackhole, [F32; 2], HiFi4, true), Work::Additions, [16, 32]),
            38.9,
        ),
        (
            "BH rsqrt",
            slope(computing(Blackhole, [BF16; 2], HiFi4, false), Work::Rsqrt, [2, 10]),
            1010.0,
        ),
        ("WH reduce rows", slope(wormhole, Work::ReduceRows, [8, 24]), 156.0),
        ("WH reduce columns", slope(wormhole, Work::ReduceColumns, [8, 24]), 83.0),
        ("WH reduce all", slope(wormhole, Work::ReduceAll, [8, 24]), 173.0),
        ("BH matmul, 1 × 1", product(1, 1), 54.8),
        ("BH matmul, 2 × 2", product(2, 2), 39.1),
        ("BH matmul, 2 × 4", product(4, 2), 37.5),
    ]
}
