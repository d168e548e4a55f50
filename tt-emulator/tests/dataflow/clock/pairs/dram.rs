//! Decisions on reads and writes of DRAM: which cores, in what order, how many at a time, on which NoC.

use tt_emulator::ArchName::{Blackhole, WormholeB0};
use tt_emulator::CoreCoord;

use super::{Pairs, bh};
use crate::clock::computations::BF16;
use crate::clock::programs::{Copying, Rig, Time, Walk, column, moving, row, walking};
use crate::rig::*;

/// Twelve cores with a bank each, or with all banks.
pub fn bank_placement(pairs: &mut Pairs) {
    // As near to the banks as those of the measured board, which lacks other rows.
    let near: [CoreCoord; 12] = [
        (3, 7),
        (0, 0),
        (0, 4),
        (0, 5),
        (4, 0),
        (7, 7),
        (4, 1),
        (4, 7),
        (4, 6),
        (6, 3),
        (4, 4),
        (4, 5),
    ];
    let far: Vec<CoreCoord> = (0..12).map(|bank| near[(bank + 6) % 12]).collect();
    let line = row(12);
    let silicon = [
        (512, [31_251.0, 28_587.0, 31_633.0], [28_432.0, 28_977.0]),
        (2048, [72_422.0, 71_942.0, 117_605.0], [64_382.0, 97_648.0]),
        (8192, [256_501.0, 243_386.0, 557_764.0], [281_984.0, 466_463.0]),
    ];
    for (page_bytes, one_bank, all_banks) in silicon {
        let copy = |cores: &[CoreCoord], one_bank: bool| {
            let mut copy = Copying {
                page_bytes,
                until_there: true,
                ..Copying::new(WormholeB0, cores, 3072, 8, 2)
            };
            if one_bank {
                copy.walk.stride = 12;
                copy.walk.step = 12 * 8;
                copy.first = |core, _| core;
            }
            copy.time()
        };
        let near_one = (copy(&near, true), one_bank[1]);
        let of = |what: &str| format!("WH copy, 12 cores, {page_bytes} B: {what}");
        pairs.add(
            "1a-c",
            of("far from their banks, near"),
            (copy(&far, true), one_bank[2]),
            near_one,
        );
        pairs.add(
            "1d",
            of("in a line with a bank each, near"),
            (copy(&line, true), one_bank[0]),
            near_one,
        );
        pairs.add(
            "1e",
            of("in a line with all banks, near"),
            (copy(&line, false), all_banks[0]),
            (copy(&near, false), all_banks[1]),
        );
    }
}

/// The whole grid reads what lies in one bank for each block, in the same order or not.
pub fn bank_stagger(pairs: &mut Pairs) {
    let cores: Vec<CoreCoord> = (0..110).map(|at| (at % 11, at / 11)).collect();
    let silicon = [
        (256, 8, 100_789.0, 76_722.0),
        (256, 16, 193_737.0, 162_812.0),
        (1024, 8, 183_685.0, 157_840.0),
        (1024, 16, 358_202.0, 316_906.0),
    ];
    for (row_bytes, blocks, in_order, rotated) in silicon {
        let [a, b] = [false, true].map(|rotated| {
            let (tiles, mut rig) = (row_bytes / 64, Rig::new(Blackhole, &cores));
            let pages = cores.len() * blocks * 32;
            let from = rig.dram(pages, row_bytes);
            let to = rig.dram(cores.len() * blocks * tiles, PAGE);
            let walk = Walk {
                stride: 8,
                rotated,
                wrap: 8,
                ..Walk::straight(32, blocks)
            };
            rig.buffer(0, 2 * 32, row_bytes, BF16);
            rig.buffer(2, 2 * tiles as u32, PAGE, BF16);
            let args = [&[row_bytes as u32][..], &accessor(&from)].concat();
            rig.kernel("reader", READER, &args, |core, _| {
                Some(walk.reads(0, [from.address() as usize, 0], 2, true, core * blocks * 32, core))
            });
            rig.kernel("stream", COMPUTE, &[3], |_, _| Some(vec![blocks, tiles, 32]));
            let args = [&[PAGE as u32][..], &accessor(&to)].concat();
            rig.kernel("writer", WRITER, &args, |core, _| {
                let walk = Walk {
                    block: tiles,
                    stride: 1,
                    ..walk
                };
                Some(walk.writes(2, to.address() as usize, true, true, core * walk.pages(), core))
            });
            rig.time()
        });
        let what = format!("BH tilize, {blocks} blocks a core, rows of {row_bytes} B: in order, rotated");
        pairs.add("2a-c", what, (a, bh(in_order)), (b, bh(rotated)));
    }
}

pub fn buffering(pairs: &mut Pairs) {
    let relu = |cores: &[CoreCoord], pages, block, depth| {
        Copying {
            has_relu: true,
            until_there: true,
            ..Copying::new(WormholeB0, cores, pages, block, depth)
        }
        .time()
    };
    let one = |block, depth| relu(&row(1), 256, block, depth);
    let first = (one(1, 1), 162_384.0);
    let others = vec![
        ("WH relu, 1 core: block 1 once, block 4 twice", (one(4, 2), 58_513.0)),
        ("WH relu, 1 core: block 1 once, block 1 twice", (one(1, 2), 131_363.0)),
        ("WH relu, 1 core: block 1 once, block 32 once", (one(32, 1), 80_794.0)),
    ];
    pairs.against("4a-c", first, others);
    let all = |block, depth| relu(&row(64), 4096, block, depth);
    let others = vec![
        ("WH relu, 64 cores: block 1 once, block 8 twice", (all(8, 2), 90_100.0)),
        ("WH relu, 64 cores: block 1 once, block 32 once", (all(32, 1), 95_700.0)),
    ];
    pairs.against("4d", (all(1, 1), 87_900.0), others);
}

pub fn saturation(pairs: &mut Pairs) {
    // The block that one core needs for 188 cycles a tile.
    let copy = |cores: &[CoreCoord]| Copying::new(WormholeB0, cores, 4096, 4, 2).time();
    let sixteen = (copy(&row(16)), 87_895.0);
    pairs.add("5a", "WH copy: 64 cores, 16", (copy(&row(64)), 86_556.0), sixteen);
    pairs.add(
        "5b",
        "WH copy, 8 cores: column, row",
        (copy(&column(8)), 233_728.0),
        (copy(&row(8)), 114_706.0),
    );
    pairs.add(
        "5c",
        "WH copy, 16 cores: columns, rows",
        (copy(&column(16)), 128_588.0),
        sixteen,
    );
    pairs.add(
        "5c",
        "WH copy, 32 cores: columns, rows",
        (copy(&column(32)), 93_433.0),
        (copy(&row(32)), 87_140.0),
    );
}

/// How two operands are read.
#[derive(Clone, Copy, PartialEq)]
enum Readers {
    One,
    OneOnNoc1,
    Two,
}

/// Products of `tiles` tiles of two operands on each core, which stay in its L1; or their reading alone.
fn products(cores: &[CoreCoord], tiles: usize, block: usize, parts: usize, readers: Readers, multiplies: bool) -> Time {
    let mut rig = Rig::new(Blackhole, cores);
    let operands = [0; 2].map(|_| rig.dram(tiles * cores.len(), PAGE));
    let [a, b] = operands.each_ref().map(|buffer| buffer.address() as usize);
    for id in 0..2 {
        rig.buffer(id, 2 * block as u32, PAGE, BF16);
    }
    rig.buffer(2, tiles as u32, PAGE, BF16);
    let args = [&[PAGE as u32][..], &accessor(&operands[0])].concat();
    let walk = Walk {
        parts,
        ..Walk::straight(block, tiles / block)
    };
    let reads = |cb, operands| move |core, _| Some(walk.reads(cb, operands, 2, true, core * tiles, core));
    match readers {
        Readers::One => rig.kernel("reader", READER, &args, reads(0, [a, b])),
        Readers::OneOnNoc1 => rig.kernel("reader", WRITER, &args, reads(0, [a, b])),
        Readers::Two => {
            rig.kernel("reader", READER, &args, reads(0, [a, 0]));
            rig.kernel("reader", WRITER, &args, reads(1, [b, 0]));
        }
    }
    let work = if multiplies { 1 } else { 2 };
    rig.kernel("stream", COMPUTE, &[work], |_, _| {
        Some(vec![tiles / block, block, block])
    });
    rig.time()
}

pub fn two_readers(pairs: &mut Pairs) {
    use Readers::{One, OneOnNoc1, Two};
    let read = |block, readers| products(&row(1), 128, block, 1, readers, false);
    let whole = |block, readers| products(&row(1), 128, block, 1, readers, true);
    for (block, one, two) in [(1, 60_047.0, 52_714.0), (8, 14_258.0, 10_669.0), (32, 10_816.0, 9462.0)] {
        let what = format!("BH products, blocks of {block}: one reader, two");
        pairs.add("6a", what, (whole(block, One), bh(one)), (whole(block, Two), bh(two)));
    }
    for (block, one, two) in [(1, 60_205.0, 52_860.0), (4, 20_267.0, 16_384.0), (32, 8562.0, 5388.0)] {
        let what = format!("BH reads, blocks of {block}: one reader, two");
        pairs.add("6b", what, (read(block, One), bh(one)), (read(block, Two), bh(two)));
    }
    for (parts, one, two) in [
        (2, 22_876.0, 14_434.0),
        (4, 38_661.0, 22_035.0),
        (8, 66_814.0, 35_956.0),
    ] {
        let read = |readers| products(&row(1), 128, 8, parts, readers, false);
        let what = format!("BH reads of {} B: one reader, two", PAGE / parts);
        pairs.add("6d", what, (read(One), bh(one)), (read(Two), bh(two)));
    }
    for (count, one, two, on_noc_1) in [
        (8, 4151.0, 6129.0, 12_152.0),
        (16, 6368.0, 8239.0, 15_795.0),
        (32, 12_229.0, 12_349.0, 22_815.0),
        (64, 23_426.0, 20_447.0, 38_082.0),
    ] {
        let read = |readers| products(&row(count), 32, 8, 1, readers, false);
        let first = (read(One), bh(one));
        pairs.add(
            "6e",
            format!("BH reads, {count} cores: one reader, two"),
            first,
            (read(Two), bh(two)),
        );
        pairs.add(
            "6f",
            format!("BH reads, {count} cores: NoC 0, NoC 1"),
            first,
            (read(OneOnNoc1), bh(on_noc_1)),
        );
    }
}

pub fn placement(pairs: &mut Pairs) {
    let diagonal: Vec<CoreCoord> = (0..8).map(|at| (at, at)).collect();
    let copy = |cores: &[CoreCoord]| Copying::new(WormholeB0, cores, 2048, 16, 2).time();
    let in_column = (copy(&column(8)), 959_161.0 / 8.0);
    let others = vec![
        ("WH copy, 8 cores: column, row", (copy(&row(8)), 330_069.0 / 8.0)),
        ("WH copy, 8 cores: column, diagonal", (copy(&diagonal), 327_144.0 / 8.0)),
    ];
    pairs.against("15a", in_column, others);
    let shapes = [("row", row(8)), ("diagonal", diagonal), ("column", column(8))];
    for (id, shape, writes, slow, silicon) in [
        ("15b", 0, false, 1, [969_373.0, 202_328.0]),
        ("15c", 0, true, 0, [1_044_350.0, 243_559.0]),
        ("15d", 1, false, 1, [503_313.0, 203_492.0]),
        ("15d", 1, true, 0, [626_001.0, 245_532.0]),
        ("15e", 2, false, 0, [791_603.0, 514_232.0]),
        ("15e", 2, true, 1, [922_173.0, 624_848.0]),
    ] {
        let (name, cores) = &shapes[shape];
        let [a, b] = [slow, 1 - slow].map(|noc| moving(WormholeB0, cores, 2048, writes, noc));
        let verb = if writes { "writes" } else { "reads" };
        let what = format!("WH {verb}, {name}: NoC {slow}, NoC {}", 1 - slow);
        pairs.add(id, what, (a, silicon[0] / 8.0), (b, silicon[1] / 8.0));
    }
}

pub fn walks(pairs: &mut Pairs) {
    let walk = |page_bytes, block, stride| walking(WormholeB0, page_bytes, 1536, block, stride);
    // Bytes a nanosecond.
    for (page_bytes, one, all) in [
        (512, 7.73, 7.64),
        (1024, 14.12, 15.08),
        (2048, 17.61, 22.19),
        (4096, 19.92, 26.0),
    ] {
        let silicon = |rate: f64| (1536 * page_bytes) as f64 / rate;
        let what = format!("WH reads of {page_bytes} B, 1 core: bank by bank, all banks");
        let first = (walk(page_bytes, 24, 12), silicon(one));
        pairs.add("16a-b", what, first, (walk(page_bytes, 24, 1), silicon(all)));
    }
    let all = 1536.0 * 2048.0 / 22.19;
    pairs.add(
        "16c",
        "WH reads of 2048 B, 1 core: steps of 1, of 13",
        (walk(2048, 24, 1), all),
        (walk(2048, 24, 13), all),
    );
}

/// Spans that the processor has to move once they are read, since source and target differ modulo 32 bytes.
pub fn alignment(pairs: &mut Pairs) {
    for (bytes, misaligned, aligned) in [
        (64, 185_885.0, 105_601.0),
        (256, 323_364.0, 111_469.0),
        (1024, 873_001.0, 121_846.0),
        (4096, 3_075_848.0, 161_685.0),
    ] {
        let [a, b] = [0, 1].map(|parts| {
            let mut copy = Copying::new(WormholeB0, &[(0, 0)], 256, 1, 2);
            copy.page_bytes = bytes;
            copy.walk.parts = parts;
            copy.time()
        });
        let what = format!("WH copy of {bytes} B: moved by the processor, read to its place");
        pairs.add("24a-b", what, (a, misaligned), (b, aligned));
    }
}

pub fn transactions(pairs: &mut Pairs) {
    let copy = |block: usize, ahead, ids| {
        let mut copy = Copying::new(Blackhole, &[(0, 0)], 256, block, 6);
        copy.walk.ahead = ahead;
        copy.walk.ids = ids;
        copy.time()
    };
    let silicon = |rate: f64| bh(2.0 * 256.0 * 2048.0 / rate);
    for (block, (ahead, full), (ids, ring)) in [
        (1, (3, 24.2), (4, 37.3)),
        (2, (3, 39.4), (4, 64.3)),
        (4, (3, 62.2), (3, 84.9)),
        (8, (3, 85.1), (3, 99.4)),
        (16, (3, 97.8), (2, 108.8)),
    ] {
        let what = format!("BH copy, blocks of {block}: {ahead} of them a barrier, {ids} transactions");
        pairs.add(
            "25a",
            what,
            (copy(block, ahead, 0), silicon(full)),
            (copy(block, 1, ids), silicon(ring)),
        );
    }
    let one = |block| copy(block, 1, 0);
    pairs.add(
        "25b",
        "BH copy, blocks of 1: a barrier, 4 transactions",
        (one(1), silicon(10.1)),
        (copy(1, 1, 4), silicon(37.3)),
    );
    pairs.add(
        "25",
        "BH copy, blocks of 1: one a barrier, two",
        (one(1), silicon(10.1)),
        (copy(1, 2, 0), silicon(17.6)),
    );
    pairs.add(
        "25",
        "BH copy, blocks of 8: one a barrier, three",
        (one(8), silicon(52.1)),
        (copy(8, 3, 0), silicon(85.1)),
    );
    pairs.add(
        "25",
        "BH copy, blocks of 8: three a barrier, four",
        (copy(8, 3, 0), silicon(85.1)),
        (copy(8, 4, 0), silicon(68.4)),
    );
}

pub fn widths(pairs: &mut Pairs) {
    for (tiles, one, split) in [
        (1, 1817.0, 1822.0),
        (8, 4292.0, 1919.0),
        (32, 9613.0, 2263.0),
        (64, 16_655.0, 2666.0),
        (128, 30_885.0, 4203.0),
        (256, 59_261.0, 7637.0),
    ] {
        let time = |cores: &[CoreCoord]| {
            Copying {
                has_relu: true,
                ..Copying::new(WormholeB0, cores, tiles, (tiles / cores.len()).min(4), 2)
            }
            .time()
        };
        let what = format!("WH relu of a row of {tiles} tiles: 1 core, {} cores", tiles.min(64));
        pairs.add("26a", what, (time(&row(1)), one), (time(&row(tiles.min(64))), split));
    }
}
