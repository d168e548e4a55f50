//! Reads, writes and copies of pages whose time was measured.

use tt_emulator::{ArchName, CoreCoord};

use super::programs::{Copying, column, moving, row, walking};
use crate::rig::PAGE;

/// What moves pages, modelled and measured.
pub fn moves() -> Vec<(&'static str, u64, u64)> {
    use ArchName::{Blackhole, WormholeB0};
    let diagonal: Vec<CoreCoord> = (0..8).map(|at| (at, at)).collect();
    let read = |cores: &[CoreCoord], noc| moving(WormholeB0, cores, 2048, false, noc);
    let write = |cores: &[CoreCoord], noc| moving(WormholeB0, cores, 2048, true, noc);
    // The block that one core needs for 188 cycles a tile.
    let copy = |cores: &[CoreCoord]| Copying::new(WormholeB0, cores, 4096, 4, 2).time();
    let rows = [
        ("WH copy, 1 core", copy(&row(1)), 771_739),
        ("WH copy, 8 cores in a row", copy(&row(8)), 114_706),
        ("WH copy, 8 cores in a column", copy(&column(8)), 233_728),
        ("WH copy, 16 cores by rows", copy(&row(16)), 87_895),
        ("WH copy, 16 cores by columns", copy(&column(16)), 128_588),
        ("WH copy, 64 cores", copy(&row(64)), 86_556),
        ("WH read, row, NoC 0", read(&row(8), 0), 202_328 / 8),
        ("WH read, row, NoC 1", read(&row(8), 1), 969_373 / 8),
        ("WH read, column, NoC 0", read(&column(8), 0), 791_603 / 8),
        ("WH read, column, NoC 1", read(&column(8), 1), 514_232 / 8),
        ("WH read, diagonal, NoC 0", read(&diagonal, 0), 203_492 / 8),
        ("WH read, diagonal, NoC 1", read(&diagonal, 1), 503_313 / 8),
        ("WH write, row, NoC 0", write(&row(8), 0), 1_044_350 / 8),
        ("WH write, row, NoC 1", write(&row(8), 1), 243_559 / 8),
        ("WH write, column, NoC 0", write(&column(8), 0), 624_848 / 8),
        ("WH write, column, NoC 1", write(&column(8), 1), 922_173 / 8),
        ("WH write, diagonal, NoC 0", write(&diagonal, 0), 626_001 / 8),
        ("WH write, diagonal, NoC 1", write(&diagonal, 1), 245_532 / 8),
        (
            "WH read, 1 core, all banks",
            walking(WormholeB0, PAGE, 1536, 24, 1),
            1536 * 92,
        ),
        (
            "WH read, 1 core, bank by bank",
            walking(WormholeB0, PAGE, 1536, 24, 12),
            1536 * 116,
        ),
        (
            "BH copy, 1 core, block 1",
            Copying::new(Blackhole, &row(1), 256, 1, 6).time(),
            256 * 547,
        ),
        (
            "BH copy, 1 core, block 8",
            Copying::new(Blackhole, &row(1), 256, 8, 6).time(),
            256 * 4096 * 1350 / 52_100,
        ),
    ];
    rows.into_iter()
        .map(|(what, time, measured)| (what, time.cycles as u64, measured))
        .collect()
}
