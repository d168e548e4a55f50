//! Kernels of matmul that are run without those that they come with: reader and writer of blocks on one core, and the reader of a left
//! operand that lies in shards, which are multicast.

use super::sharded::over_cores;
use crate::arguments;
use crate::production::bounds::rounded_product;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, Stream, rectangle};
use crate::production::values::{Matrix, pattern, reordered};
use tt_emulator::kernel_config::ComputeOptions;
use tt_emulator::{ArchName, CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = tt_device::DataFormat::Float16B.tile_bytes();
const FOLDER: &str = "operations/matmul/device/kernels";

/// Every case of this file.
pub fn cases(arch: ArchName) -> Vec<Case> {
    vec![
        matmul_in_blocks(),
        blocks_from_all_shards(arch, 3, 1),
        blocks_from_all_shards(arch, 2, 2),
    ]
}

/// Tensors `a` and `b` of [mt, kt] and [kt, nt] tiles, and their product `out`.
fn product(name: &str, mt: u32, kt: u32, nt: u32) -> Case {
    let a = Matrix::random(mt as usize * 32, kt as usize * 32, 1, -1.0, 1.0);
    let b = Matrix::random(kt as usize * 32, nt as usize * 32, 2, -1.0, 1.0);
    let out = a.times(&b);
    let (absolute, relative) = rounded_product(&a, &b);
    Case::new(name)
        .buffer(Buffer::input("a", TILE, a.tiles(BF16)))
        .buffer(Buffer::input("b", TILE, b.tiles(BF16)))
        .buffer(Buffer::output("out", TILE, out.near(BF16, absolute, relative)))
}

/// A product on one core: readers and writers of blocks, 2 × 1 subblocks, four blocks along K.
fn matmul_in_blocks() -> Case {
    const CORE: CoreCoord = (0, 0);
    let (mt, kt, nt) = (2u32, 4u32, 2u32);
    let names = |kernel: Kernel| {
        kernel
            .named("cb_in0", 0)
            .named("cb_in1", 1)
            .named("cb_out", 4)
            .named("cb_intermed0", 5)
    };
    let mut words = arguments![Arg::Address("a"), 0, 1, kt, 1, 1, mt, mt].to_vec();
    words.extend(arguments![Arg::Address("b"), 0, 1, nt, nt, nt, 1, nt]);
    words.extend(arguments![kt, mt * kt, kt * nt, 1, 0]);
    let reader = names(Kernel::reader(
        &format!("{FOLDER}/dataflow/reader_bmm_tile_layout.cpp"),
        &[CORE],
    ))
    .accessor("a")
    .accessor("b")
    .args(CORE, words);
    let writer = names(Kernel::writer(
        &format!("{FOLDER}/dataflow/writer_bmm_tile_layout.cpp"),
        &[CORE],
    ))
    .accessor("out")
    .args(
        CORE,
        arguments![Arg::Address("out"), 0, 1, nt, 1, 2 * nt, 1, 2, 2, 2, 1, mt * nt, 1],
    );
    let compute = names(Kernel::compute(
        &format!("{FOLDER}/compute/bmm_large_block_zm.cpp"),
        &[CORE],
        ComputeOptions::default(),
    ))
    .compile_args([1u32, 1, 2, 2, 2, 2, 2, 4, 2, 1, 2, 1]);
    product("matmul in blocks", mt, kt, nt)
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 4))
        .cb(CircularBuffer::tiles(1, &[CORE], BF16, 4))
        .cb(CircularBuffer::tiles(4, &[CORE], BF16, 4).and(5))
        .kernel(reader)
        .kernel(writer)
        .kernel(compute)
}

/// The left operand lies in shards of two rows of tiles over `count` cores, each of `blocks` blocks of 2 × 2 tiles;
/// every core in turn multicasts its blocks to all, itself among them.
fn blocks_from_all_shards(arch: ArchName, count: usize, blocks: u32) -> Case {
    let cores = rectangle((2, 3), (1 + count, 3));
    let senders = count as u32;
    let across = senders * blocks * 2;
    let content = pattern((2 * across * TILE) as usize, 3);
    let mut kernel = Kernel::reader(
        &format!("{FOLDER}/dataflow/reader_bmm_tile_layout_in0_sender_receiver_padding_block_sharded.cpp"),
        &cores,
    )
    .named("cb_in0", 0)
    .named("cb_in0_sharded", 2)
    .compile_args([
        1,
        1,
        4,
        4 * TILE,
        0,
        0,
        senders * blocks,
        1,
        1,
        0,
        1,
        senders,
        senders,
        senders,
        1,
        0,
    ])
    .compile_args([2 * blocks, 2, 2, 2, 1, 0]);
    let streams = [Stream::new(0, "out")];
    let mut drain = Kernel::drain(&cores, &streams);
    let each = 2 * across;
    let mut order = Vec::new();
    for (index, core) in (0..).zip(&cores) {
        let mut words = arguments![index].to_vec();
        words.extend(Arg::corners(cores[0], cores[count - 1]));
        words.extend(cores.iter().map(|core| Arg::NocX(*core)));
        words.push(Arg::NocY(*core));
        kernel = kernel.args(*core, words);
        let own = Stream {
            first: index * each,
            ..streams[0]
        };
        drain = drain.steps(*core, &[own], [(0, each)]);
        order.extend((0..senders * blocks).flat_map(|block| {
            let left = block * 2;
            [left, left + 1, across + left, across + left + 1]
        }));
    }
    Case::new(format!("blocks of {blocks} from {count} shards"))
        .buffer(Buffer::output("out", TILE, reordered(&content, TILE, &order)))
        .buffer(Buffer::input("in", TILE, content).in_l1().sharded(over_cores(
            arch,
            &[2, across],
            &[2, 2 * blocks],
            &cores,
        )))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 8))
        .cb(CircularBuffer::tiles(2, &cores, BF16, 4 * blocks).on("in"))
        .semaphore(&cores, 0)
        .semaphore(&cores, 0)
        .kernel(kernel)
        .kernel(drain)
}
