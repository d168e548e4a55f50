//! Readers and writers of sharded tensors: circular buffers that lie on shards, blocks between shards and pages, and tensor
//! accessors of sharded tensors.

use crate::arguments;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, Stream, rectangle, share};
use crate::production::values::pattern;
use tt_emulator::{Arch, ArchName, BufferKind, CoreCoord, DataFormat, Sharding};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = tt_device::DataFormat::Float16B.tile_bytes();
const FOLDER: &str = "operations/data_movement/sharded/device/kernels/dataflow";
const COPY: &str = "operations/data_movement/copy/device/kernels";

/// Every case of this file.
pub fn cases(arch: ArchName) -> Vec<Case> {
    vec![
        blocks_of_tiles_to_pages(arch),
        whole_blocks_to_pages(arch),
        rows_to_parts_of_rows(arch),
        rows_to_pages(arch),
        parts_of_rows_to_shards(arch, "rows to shards of half rows", (4, 0), 192),
        parts_of_rows_to_shards(arch, "rows to shards of odd halves", (4, 2), 80),
        shards_as_they_are(arch),
        accessor_of_shards(arch, BufferKind::L1),
        accessor_of_shards(arch, BufferKind::Dram),
        results_in_shape("operations/eltwise/ternary/device/kernels/dataflow/ternary_writer_nobcast.cpp"),
        results_in_shape("operations/eltwise/binary_ng/device/kernels_ng/dataflow/writer_interleaved_no_bcast.cpp"),
    ]
}

/// Shards of a tensor over worker cores; shapes in pages.
pub fn over_cores(arch: ArchName, tensor: &[u32], shard: &[u32], cores: &[CoreCoord]) -> Sharding {
    let columns = Arch::of(arch).grid.0;
    Sharding {
        tensor: tensor.to_vec(),
        shard: shard.to_vec(),
        banks: cores.iter().map(|(x, y)| (y * columns + x) as u32).collect(),
    }
}

/// The reader that hands over a shard as it lies in L1.
fn hands_over(cores: &[CoreCoord], units: u32) -> Kernel {
    let kernel = Kernel::reader(&format!("{FOLDER}/reader_unary_sharded.cpp"), cores).compile_args([0u32]);
    cores.iter().fold(kernel, |kernel, core| kernel.args(*core, [units]))
}

/// 4 × 5 tiles in shards of 2 × 3, so that the right ones are padded.
fn blocks_of_tiles_to_pages(arch: ArchName) -> Case {
    let cores = rectangle((2, 1), (3, 2));
    let content = pattern(20 * TILE as usize, 1);
    let mut write = Kernel::writer(
        &format!("{FOLDER}/writer_unary_sharded_blocks_interleaved_start_id.cpp"),
        &cores,
    )
    .compile_args([0u32])
    .accessor("out");
    for (index, core) in (0..).zip(&cores) {
        let (right, down) = (index % 2, index / 2);
        let unpadded = if right == 1 { 2 } else { 3 };
        let words = arguments![Arg::Address("out"), 2, 3, 2, unpadded, 5, 6, right * 3, down * 10];
        write = write.args(*core, words);
    }
    Case::new("block shards to pages")
        .buffer(
            Buffer::input("in", TILE, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[4, 5], &[2, 3], &cores)),
        )
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 6).on("in"))
        .kernel(hands_over(&cores, 6))
        .kernel(write)
}

/// 4 × 6 tiles in shards of 2 × 3.
fn whole_blocks_to_pages(arch: ArchName) -> Case {
    let cores = rectangle((0, 0), (1, 1));
    let content = pattern(24 * TILE as usize, 2);
    let mut write = Kernel::writer(&format!("{FOLDER}/writer_unary_sharded_blocks_start_id.cpp"), &cores)
        .compile_args([0u32])
        .accessor("out");
    for (index, core) in (0..).zip(&cores) {
        let first = index / 2 * 12 + index % 2 * 3;
        write = write.args(*core, arguments![Arg::Address("out"), 2, 3, 0, 6, 6, first, 0]);
    }
    Case::new("whole block shards to pages")
        .buffer(
            Buffer::input("in", TILE, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[4, 6], &[2, 3], &cores)),
        )
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 6).on("in"))
        .kernel(hands_over(&cores, 6))
        .kernel(write)
}

/// 8 rows of two halves, a shard is 4 halves; a page of the result is a row.
fn rows_to_parts_of_rows(arch: ArchName) -> Case {
    let cores = rectangle((4, 0), (5, 1));
    let half = 192;
    let content = pattern(16 * half as usize, 3);
    let mut write = Kernel::writer(
        &format!("{FOLDER}/writer_unary_stick_layout_sharded_blocks_interleaved_start_id.cpp"),
        &cores,
    )
    .compile_args([0u32])
    .accessor("out");
    for (index, core) in (0..).zip(&cores) {
        let words = arguments![Arg::Address("out"), 0, 4, half, half, index % 2 * half, index / 2 * 4];
        write = write.args(*core, words);
    }
    Case::new("shards of half rows to rows")
        .buffer(
            Buffer::input("in", half, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[8, 2], &[4, 1], &cores)),
        )
        .buffer(Buffer::output("out", 2 * half, content))
        .cb(CircularBuffer::pages(0, &cores, BF16, half, 4).on("in"))
        .kernel(hands_over(&cores, 4))
        .kernel(write)
}

/// The same shards, but a page of the result is half a row.
fn rows_to_pages(arch: ArchName) -> Case {
    let cores = rectangle((4, 0), (5, 1));
    let half = 192;
    let content = pattern(16 * half as usize, 4);
    let mut write = Kernel::writer(
        &format!("{FOLDER}/writer_unary_sharded_stick_layout_start_id.cpp"),
        &cores,
    )
    .compile_args([0u32])
    .accessor("out");
    for (index, core) in (0..).zip(&cores) {
        let first = index / 2 * 8 + index % 2;
        write = write.args(*core, arguments![Arg::Address("out"), 4, half, half, first, 2]);
    }
    Case::new("shards of half rows to pages")
        .buffer(
            Buffer::input("in", half, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[8, 2], &[4, 1], &cores)),
        )
        .buffer(Buffer::output("out", half, content))
        .cb(CircularBuffer::pages(0, &cores, BF16, half, 4).on("in"))
        .kernel(hands_over(&cores, 4))
        .kernel(write)
}

/// Rows of two halves into shards of halves. Halves that do not lie as reads of DRAM want come by way of scratch pages.
fn parts_of_rows_to_shards(arch: ArchName, name: &str, first: CoreCoord, half: u32) -> Case {
    let cores = rectangle(first, (first.0 + 1, first.1 + 1));
    let content = pattern(16 * half as usize, 5);
    let mut read = Kernel::reader(
        &format!("{FOLDER}/reader_unary_stick_layout_sharded_blocks_interleaved_start_id.cpp"),
        &cores,
    )
    .compile_args([0u32, 1, 4])
    .accessor("in");
    let alignment = Arch::of(arch).dram_read_alignment as u32;
    let aligned = u32::from(half.is_multiple_of(alignment));
    for (index, core) in (0..).zip(&cores) {
        let offset = index % 2 * half;
        let before = offset % alignment;
        let bytes = (before + half).next_multiple_of(alignment);
        let words = arguments![
            Arg::Address("in"),
            0,
            4,
            half,
            half,
            aligned,
            offset - before,
            bytes,
            before,
            index / 2 * 4
        ];
        read = read.args(*core, words);
    }
    Case::new(name)
        .buffer(Buffer::input("in", 2 * half, content.clone()))
        .buffer(
            Buffer::output("out", half, content)
                .in_l1()
                .sharded(over_cores(arch, &[8, 2], &[4, 1], &cores)),
        )
        .cb(CircularBuffer::pages(0, &cores, BF16, half, 4).on("out"))
        .cb(CircularBuffer::pages(1, &cores, BF16, 256, 4))
        .kernel(read)
}

/// A reader that pushes the pages of a shard without reserving them.
fn shards_as_they_are(arch: ArchName) -> Case {
    let cores = rectangle((6, 6), (7, 6));
    let content = pattern(10 * TILE as usize, 6);
    let reader = "operations/eltwise/unary/device/kernels/dataflow/reader_unary_sharded.cpp";
    let mut read = Kernel::reader(reader, &cores).compile_args([0u32]);
    let mut write = Kernel::writer(&format!("{COPY}/writer_unary_start_id.cpp"), &cores)
        .compile_args([0u32])
        .accessor("out");
    for (core, first, count) in share(10, &cores) {
        read = read.args(core, [count]);
        write = write.args(core, arguments![Arg::Address("out"), count, first]);
    }
    Case::new("shards handed over as they are")
        .buffer(
            Buffer::input("in", TILE, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[10], &[5], &cores)),
        )
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 5).on("in"))
        .kernel(read)
        .kernel(write)
}

/// Pages by number of a tensor in shards, on one core from wherever they lie.
fn accessor_of_shards(arch: ArchName, memory: BufferKind) -> Case {
    const CORE: CoreCoord = (1, 4);
    let content = pattern(5 * 7 * TILE as usize, 7);
    let sharding = match memory {
        BufferKind::L1 => over_cores(arch, &[5, 7], &[2, 3], &rectangle((1, 1), (3, 1))),
        BufferKind::Dram => Sharding {
            tensor: vec![5, 7],
            shard: vec![2, 3],
            banks: vec![0, 3, 5, 1],
        },
    };
    let place = |buffer: Buffer| match memory {
        BufferKind::L1 => buffer.in_l1(),
        BufferKind::Dram => buffer,
    };
    let read = Kernel::reader(&format!("{COPY}/reader_unary_start_id.cpp"), &[CORE])
        .accessor("in")
        .args(CORE, arguments![Arg::Address("in"), 35, 0]);
    let write = Kernel::writer(&format!("{COPY}/writer_unary_start_id.cpp"), &[CORE])
        .compile_args([0u32])
        .accessor("out")
        .args(CORE, arguments![Arg::Address("out"), 35, 0]);
    Case::new(format!("pages of shards in {memory:?}"))
        .buffer(place(
            Buffer::input("in", TILE, content.clone()).sharded(sharding.clone()),
        ))
        .buffer(place(Buffer::output("out", TILE, content).sharded(sharding)))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 2))
        .kernel(read)
        .kernel(write)
}

/// The writers of element-wise results: 6 × 4 tiles, of which each core has a block two tiles wide.
fn results_in_shape(writer: &str) -> Case {
    let cores = [(0, 3), (1, 3)];
    let (tall, wide) = (6u32, 4u32);
    let content = pattern((tall * wide * TILE) as usize, 8);
    let ternary = writer.contains("ternary");
    let streams = [Stream::new(2, "in")];
    let mut feed = Kernel::feed(&cores, &streams);
    let mut write = Kernel::writer(writer, &cores).define("DST_SHARDED", "0");
    if ternary {
        write = write.compile_args([2u32]);
    }
    write = write.accessor("out").compile_args([1u32]);
    for (index, core) in (0..).zip(cores) {
        let own = Stream {
            first: index * tall * 2,
            ..streams[0]
        };
        feed = feed.steps(core, &[own], [(0, tall * 2)]);
        let (start, count) = (index * 2, tall * 2);
        let [second, third] = if ternary { [count, start] } else { [start, count] };
        let words = arguments![Arg::Address("out"), second, third, 2, 1, 1, 1, tall, wide, 1];
        write = write.args(core, words);
    }
    let mut expected = vec![0; content.len()];
    for (index, tile) in content.chunks_exact(TILE as usize).enumerate() {
        let (block, within) = (index / 12, index % 12);
        let place = within / 2 * wide as usize + block * 2 + within % 2;
        expected[place * TILE as usize..][..TILE as usize].copy_from_slice(tile);
    }
    Case::new(if ternary {
        "blocks of ternary results"
    } else {
        "blocks of binary results"
    })
    .buffer(Buffer::input("in", TILE, content))
    .buffer(Buffer::output("out", TILE, expected))
    .cb(CircularBuffer::tiles(2, &cores, BF16, 2))
    .kernel(feed)
    .kernel(write)
}
