//! Decisions on what goes from core to core.

use tt_emulator::ArchName::{Blackhole, WormholeB0};
use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
use tt_emulator::{Buffer, BufferKind, CoreCoord};

use super::{Pairs, bh};
use crate::clock::computations::BF16;
use crate::clock::programs::{Rig, Time, row};
use crate::rig::*;

/// What every core of 8 × 8 needs of two operands, read by itself or once for each line.
fn shared_operands(by_lines: bool) -> Time {
    let cores = row(64);
    let mut rig = Rig::new(Blackhole, &cores);
    rig.buffer(0, 4, PAGE, BF16);
    rig.buffer(1, 16, PAGE, BF16);
    rig.semaphores(4);
    let (tensor, probes) = (rig.dram(8 * 4 + 4 * 32, PAGE), rig.dram(3 * 64, PAGE));
    let places: Vec<[usize; 2]> = cores.iter().map(|core| rig.place(*core)).collect();
    let at = |x: usize, y: usize| places[y * 8 + x];
    rig.kernel("topology", READER, &accessor(&tensor), |core, (x, y)| {
        let receivers = if by_lines { 7 } else { 0 };
        let mut words = vec![tensor.address() as usize];
        // Its row of the first, its columns of the second.
        for (first, count, run, step, line, [begin, end]) in [
            (4 * y, 4, 4, 0, x, [at(1, y), at(7, y)]),
            (32 + 4 * x, 16, 4, 32, y, [at(x, 1), at(x, 7)]),
        ] {
            let is_reader = !by_lines || line == 0;
            let [from, to] = if is_reader {
                [begin, end]
            } else if count == 4 {
                [at(0, y); 2]
            } else {
                [at(x, 0); 2]
            };
            words.extend([first, count, run, step, receivers, is_reader.into()]);
            words.extend([from[0], from[1], to[0], to[1]]);
        }
        words.extend([probes.address() as usize, 3 * core]);
        Some(words)
    });
    rig.time()
}

/// Cores of rows that send to each other in turn.
fn exchange(width: usize, bytes: usize, chunks: usize, to_all: bool) -> Time {
    let cores: Vec<CoreCoord> = (0..8 * width).map(|at| (at % width, at / width)).collect();
    let mut rig = Rig::new(WormholeB0, &cores);
    for id in 0..2 {
        rig.buffer(id, 1, bytes.max(PAGE), BF16);
    }
    rig.semaphores(2);
    let places: Vec<[usize; 2]> = cores.iter().map(|core| rig.place(*core)).collect();
    let rounds = 4;
    rig.kernel("exchange", READER, &[], |core, (x, _)| {
        let mut words = vec![rounds, bytes, chunks, to_all.into(), x, width, places[core][1]];
        words.extend(places[..width].iter().map(|place| place[0]));
        Some(words)
    });
    rig.time().of(rounds)
}

pub fn multicasts(pairs: &mut Pairs) {
    let by_lines = shared_operands(true);
    pairs.add(
        "13a",
        "BH operands of 8 × 8 cores: each reads its own, multicast along lines",
        (shared_operands(false), bh(8512.0)),
        (by_lines, bh(4450.0)),
    );
    for (width, bytes, chunks, one_by_one, to_all) in [
        (8, 32_768, 1, 64_491.0, 12_169.0),
        (8, 8192, 1, 18_145.0, 5416.0),
        (8, 2048, 1, 6616.0, 3708.0),
        (8, 64, 32, 169_613.0, 100_038.0),
        (4, 32_768, 1, 14_338.0, 5882.0),
        (4, 2048, 1, 2014.0, 1660.0),
        (2, 2048, 1, 730.0, 573.0),
        (2, 64, 32, 14_824.0, 17_827.0),
    ] {
        let what = format!("WH rows of {width}, {chunks} × {bytes} B: unicasts, multicast");
        let time = |all| exchange(width, bytes, chunks, all);
        pairs.add("19a-c", what, (time(false), one_by_one), (time(true), to_all));
    }
}

/// Each core of a line writes pages to the next, or to all others by turns: what a write takes, without the launch.
fn writing(bytes: usize, receivers: usize) -> Time {
    let [short, long] = [32, 96].map(|pages| {
        let cores = row(8);
        let mut rig = Rig::new(Blackhole, &cores);
        // A page on each core of the grid, in its order.
        let (columns, rows) = rig.device.arch().grid;
        let all = columns * rows * bytes;
        let target = Buffer::allocate(&rig.device, BufferKind::L1, all as u64, bytes as u64).unwrap();
        for id in 0..2 {
            rig.buffer(id, 1, bytes.max(PAGE), BF16);
        }
        rig.semaphores(1);
        rig.kernel("sender", WRITER, &accessor(&target), |core, _| {
            let pages_of = (1..=receivers).map(|at| (core + at) % cores.len());
            Some(
                [pages, bytes, target.address() as usize, receivers]
                    .into_iter()
                    .chain(pages_of)
                    .collect(),
            )
        });
        rig.time()
    });
    Time {
        cycles: (long.cycles - short.cycles) / 64.0,
        ..long
    }
}

pub fn destinations(pairs: &mut Pairs) {
    for (bytes, single, spread) in [
        (64, 35.4, 37.3),
        (256, 41.2, 37.2),
        (1024, 119.6, 91.6),
        (2048, 228.9, 165.4),
        (4096, 450.4, 318.5),
    ] {
        let what = format!("BH writes of {bytes} B between 8 cores: to one, to all by turns");
        let (one, all) = ((writing(bytes, 1), bh(single)), (writing(bytes, 7), bh(spread)));
        pairs.add("14b-c", what, one, all);
    }
}

pub fn split_reads(pairs: &mut Pairs) {
    let silicon = [
        (32, 147_427.0, 84_767.0),
        (64, 83_489.0, 50_926.0),
        (128, 51_508.0, 34_838.0),
        (256, 35_836.0, 26_434.0),
        (512, 28_318.0, 22_564.0),
        (1024, 25_385.0, 21_164.0),
        (2048, 25_085.0, 20_787.0),
    ];
    for (bytes, by_one, by_two) in silicon {
        let [a, b] = [false, true].map(|splits| {
            let mut cores = row(8);
            cores.push((0, 1));
            let mut rig = Rig::new(WormholeB0, &cores);
            for (id, pages) in [(3, 8), (0, 16), (1, 16)] {
                rig.buffer(id, pages, PAGE, BF16);
            }
            let target = rig.dram(64, PAGE);
            let places: Vec<usize> = row(8).iter().flat_map(|core| rig.place(*core)).collect();
            let [own, others] = if splits { [4, 4] } else { [8, 0] };
            for (role, cb, first, share, address) in [
                (READER, 0, 0, own, 0),
                (WRITER, 1, own, others, target.address() as usize),
            ] {
                rig.kernel("gather", role, &accessor(&target), |_, core| {
                    let words = vec![cb, first, share, PAGE / bytes, 0, address, 8];
                    (core == (0, 1)).then(|| [words, places.clone()].concat())
                });
            }
            rig.time()
        });
        let what = format!("WH tiles of 8 cores in reads of {bytes} B: one reader, two");
        pairs.add("21a-b", what, (a, by_one), (b, by_two));
    }
}

pub fn rings(pairs: &mut Pairs) {
    let rows = |width: usize| -> Vec<Vec<CoreCoord>> {
        (0..64 / width)
            .map(|at| (0..width).map(|x| (at * width % 8 + x, at * width / 8)).collect())
            .collect()
    };
    // There along one row and back along the next.
    let serpentine: Vec<Vec<CoreCoord>> = (0..4)
        .map(|at| {
            (0..8)
                .map(|x| (x, 2 * at))
                .chain((0..8).rev().map(|x| (x, 2 * at + 1)))
                .collect()
        })
        .collect();
    for (id, groups, bytes, on_noc_0, on_noc_1) in [
        ("23a-b", rows(8), 2048, 1974.0, 5106.0),
        ("23a-b", rows(8), 12_288, 4336.0, 26_300.0),
        ("23a-b", rows(8), 49_152, 12_777.0, 103_488.0),
        ("23", rows(4), 12_288, 4268.0, 10_426.0),
        ("23c", serpentine.clone(), 2048, 9580.0, 9635.0),
        ("23c", serpentine, 12_288, 47_174.0, 48_551.0),
    ] {
        let (length, rounds, cores) = (groups[0].len(), 4, groups.concat());
        let time = |noc| {
            let mut rig = Rig::new(WormholeB0, &cores);
            for id in 0..2 {
                rig.buffer(id, 1, bytes, BF16);
            }
            rig.semaphores(1);
            let places: Vec<[usize; 2]> = cores.iter().map(|core| rig.place(*core)).collect();
            let role = KernelRole::DataMovement {
                processor: DataMovementProcessor::Ncrisc,
                noc,
            };
            rig.kernel("sender", role, &[0, PAGE as u32], |core, _| {
                let [x, y] = places[core / length * length + (core + 1) % length];
                Some(vec![rounds * (length - 1), bytes, 0, 1, x, y])
            });
            rig.time().of(rounds)
        };
        let what = format!("WH rings of {length}, {bytes} B: NoC 1, NoC 0");
        pairs.add(id, what, (time(1), on_noc_1), (time(0), on_noc_0));
    }
}
