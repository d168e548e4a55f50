//! Decisions on what a core computes.

use tt_emulator::ArchName::{Blackhole, WormholeB0};
use tt_emulator::kernel_config::MathFidelity::{HiFi2, HiFi4};

use super::{Pairs, bh};
use crate::clock::computations::{BF16, F32, computing};
use crate::clock::programs::{Computing, Rig, Time, Work};
use crate::rig::*;

pub fn block_sizes(pairs: &mut Pairs) {
    let on = computing(WormholeB0, [BF16; 2], HiFi2, true);
    let [with, without] =
        [Work::ChainReconfigured, Work::Chain].map(|work| [1, 2, 4, 8].map(|rows| on.time(work, rows)));
    let silicon = [
        [28_567.0, 22_510.0, 18_990.0, 17_392.0],
        [24_020.0, 19_420.0, 17_455.0, 16_646.0],
    ];
    for (at, rows) in [(1, 2), (2, 4), (3, 8)] {
        let what = format!("WH chain of five phases: one row of tiles in a pass, {rows}");
        pairs.add("3a-b", what, (with[0], silicon[0][0]), (with[at], silicon[0][at]));
    }
    for at in 0..4 {
        let what = format!("WH chain, {} passes: formats set in each phase, not", 8 >> at);
        pairs.add("3c", what, (with[at], silicon[0][at]), (without[at], silicon[1][at]));
    }
}

pub fn accumulation(pairs: &mut Pairs) {
    let on = computing(Blackhole, [F32; 2], HiFi4, true);
    let first = (on.time(Work::SumThroughBuffer, 64), bh(9756.83));
    let others = vec![
        (
            "BH sum of 64 tiles: through a buffer, by the packer",
            (on.time(Work::SumByPacker, 64), bh(1918.07)),
        ),
        (
            "BH sum of 64 tiles: through a buffer, in a register",
            (on.time(Work::Additions, 32), bh(921.51)),
        ),
    ];
    pairs.against("7a-b", first, others);
}

pub fn handshakes(pairs: &mut Pairs) {
    for (rows, width, with, without) in [
        (1, 2, 3417.0, 2299.0),
        (2, 4, 9327.0, 8249.0),
        (4, 8, 32_964.0, 31_611.0),
    ] {
        let [a, b] = [true, false].map(|shakes| {
            let mut rig = Rig::new(Blackhole, &[(0, 0)]);
            let tiles = rows * width;
            let rounds = if shakes { 20 } else { 1 };
            for id in [0, 2] {
                rig.buffer(id, tiles as u32, PAGE, BF16);
            }
            rig.kernel("handshake", READER, &[], |_, _| Some(vec![0, tiles, rounds, 1]));
            rig.kernel("handshake", WRITER, &[], |_, _| Some(vec![2, tiles, rounds, 0]));
            rig.kernel("tilizer", COMPUTE, &[], |_, _| {
                Some(vec![rows, width, 20, shakes.into()])
            });
            rig.time()
        });
        let what = format!("BH tilize, 20 rounds of {rows} × {width} tiles: a handshake for each, none");
        pairs.add("11c", what, (a, bh(with)), (b, bh(without)));
    }
}

pub fn subblocks(pairs: &mut Pairs) {
    let on = computing(Blackhole, [BF16; 2], HiFi2, false);
    let time = |columns: usize, rows: usize| on.time(Work::Product, columns + 16 * rows);
    let first = (time(1, 1), bh(10_397.12));
    let others = vec![
        ("BH matmul, subblocks: 1 × 1, 1 × 8", (time(8, 1), bh(7101.76))),
        ("BH matmul, subblocks: 1 × 1, 8 × 1", (time(1, 8), bh(7103.7))),
        ("BH matmul, subblocks: 1 × 1, 2 × 4", (time(4, 2), bh(7128.38))),
        ("BH matmul, subblocks: 1 × 1, 4 × 2", (time(2, 4), bh(7129.37))),
        ("BH matmul, subblocks: 1 × 1, 2 × 2", (time(2, 2), bh(7411.78))),
    ];
    pairs.against("12a-b", first, others);
}

pub fn reductions(pairs: &mut Pairs) {
    let on = computing(WormholeB0, [BF16, F32], HiFi4, true);
    for (name, of, fast, silicon) in [
        (
            "row",
            Work::ReduceRows,
            Work::RowsByVectors,
            [[5328.0, 1858.0], [649.0, 917.0]],
        ),
        (
            "column",
            Work::ReduceColumns,
            Work::ColumnsByVectors,
            [[2962.0, 1731.0], [472.0, 793.0]],
        ),
    ] {
        for (tiles, silicon) in [(32, silicon[0]), (2, silicon[1])] {
            let what = format!("WH mean along a {name}, {tiles} tiles: products, pairs and the vector unit");
            pairs.add(
                "17a-c",
                what,
                (on.time(of, tiles), silicon[0]),
                (on.time(fast, tiles), silicon[1]),
            );
        }
    }
    let folded = (on.time(Work::ReduceRows, 32), 5311.0);
    let in_pairs = (on.time(Work::RowsInPairs, 32), 1806.0);
    let others = vec![
        ("WH sums of rows, 32 tiles: products, pairs first", in_pairs),
        (
            "WH sums of rows, 32 tiles: products, one by one first",
            (on.time(Work::RowsOneByOne, 32), 2868.0),
        ),
        (
            "WH sums of rows, 32 tiles: products, the packer first",
            (on.time(Work::RowsByPacker, 32), 5150.0),
        ),
    ];
    pairs.against("18a-c", folded, others);
    let by_vectors = (on.time(Work::RowsByVectors, 32), 1856.0);
    pairs.add(
        "18d",
        "WH sums of rows, 32 tiles in pairs: a product last, the vector unit",
        in_pairs,
        by_vectors,
    );
}

pub fn scopes(pairs: &mut Pairs) {
    let on = computing(Blackhole, [BF16; 2], HiFi4, false);
    let time = |work| {
        let [few, many] = [2, 10].map(|calls| on.time(work, calls));
        Time {
            cycles: (many.cycles - few.cycles) / 8.0,
            ..many
        }
    };
    let half = (time(Work::RecipOfHalf), bh(449.6));
    pairs.add(
        "20a",
        "BH reciprocals: a tile, half of it",
        (time(Work::Recip), bh(890.4)),
        half,
    );
}

pub fn sums_of_blocks(pairs: &mut Pairs) {
    let [narrow, wide] = [false, true].map(|wide| computing(WormholeB0, [BF16; 2], HiFi4, wide));
    for (n, serial, in_bf16, in_f32) in [
        (2, 2066.0, 827.0, 766.0),
        (4, 5099.0, 1228.0, 1113.0),
        (8, 11_172.0, 2007.0, 1888.0),
        (16, 23_314.0, 3569.0, 3455.0),
    ] {
        let time = |on: Computing, work| on.time(work, n);
        let fast = (time(wide, Work::BlocksInPairs), in_f32);
        let what = format!("WH sum of {n} blocks: by the vector unit, in pairs by the matrix engine");
        pairs.add("22a", what, (time(wide, Work::BlocksByVectors), serial), fast);
        let what = format!("WH sum of {n} blocks in pairs: 16 bits, 32 bits");
        pairs.add("22b", what, (time(narrow, Work::BlocksInPairs), in_bf16), fast);
    }
}
