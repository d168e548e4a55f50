//! Operations that only move data: slices, reshapes, moves, concatenations, transpositions of rows, heads of attention.

use super::sharded::over_cores;
use crate::arguments;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, Stream};
use crate::production::values::{Matrix, encode, pattern, reordered};
use tt_emulator::{Arch, ArchName, CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = tt_device::DataFormat::Float16B.tile_bytes();
const MOVEMENT: &str = "operations/data_movement";
const WRITER: &str = "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp";
const READER: &str = "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp";

/// Every case of this file.
pub fn cases(arch: ArchName) -> Vec<Case> {
    vec![
        strided_slice(),
        reshape_of_rows(),
        reshape_of_tiles(arch),
        moves(Moved::Tiles),
        moves(Moved::Rows),
        move_within_a_core(arch),
        concatenated_rows(),
        concatenated_shards(arch),
        concatenated_blocks(arch),
        index_fill(),
        rows_of_tiles_from_shard(arch),
        rows_of_tiles_to_shard(arch),
        channels_first(arch),
        channels_gathered(arch),
        concatenated_heads(),
        rotated_halves(),
        heads_of_queries(),
        heads_of_queries_keys_values(),
    ]
}

/// Rows (i, j) with j = 1, 3 and of each every second element from the first on.
fn strided_slice() -> Case {
    const CORE: CoreCoord = (0, 0);
    let values: Vec<f64> = (0..2 * 5 * 32).map(f64::from).collect();
    let mut expected = Vec::new();
    for row in [1, 3, 6, 8] {
        expected.extend((0..16).map(|element| values[row * 32 + 1 + 2 * element]));
    }
    let mut words = arguments![Arg::Address("in")].to_vec();
    for four in [[2u32, 5, 32], [0, 1, 1], [2, 5, 32], [1, 2, 2]] {
        words.extend(four.map(Arg::Word));
    }
    let folder = format!("{MOVEMENT}/slice/device/kernels/dataflow");
    let read = Kernel::reader(&format!("{folder}/strided_slice_reader_rm_interleaved_nd.cpp"), &[CORE])
        .compile_args([64u32, 3, 2])
        .accessor("in")
        .args(CORE, words);
    let write = Kernel::writer(&format!("{folder}/strided_slice_writer_rm_interleaved.cpp"), &[CORE])
        .compile_args([32u32])
        .accessor("out")
        .args(CORE, arguments![Arg::Address("out"), 4]);
    Case::new("strided slice")
        .buffer(Buffer::input("in", 64, encode(DataFormat::UInt16, &values)))
        .buffer(Buffer::output("out", 32, encode(DataFormat::UInt16, &expected)))
        .cb(CircularBuffer::pages(0, &[CORE], DataFormat::UInt16, 64, 1))
        .cb(CircularBuffer::pages(24, &[CORE], DataFormat::UInt16, 32, 2))
        .kernel(read)
        .kernel(write)
}

/// Rows of 128 bytes become rows of 256.
fn reshape_of_rows() -> Case {
    let cores = [(0, 1), (1, 1)];
    let (old, new) = (128u32, 256u32);
    let content = pattern(32 * old as usize, 1);
    let folder = format!("{MOVEMENT}/reshape_on_device/device/kernels/dataflow");
    let name = "unary_reshape_stick_layout_interleaved_multi_core.cpp";
    let mut read = Kernel::reader(&format!("{folder}/reader_{name}"), &cores)
        .compile_args([old])
        .accessor("in");
    let mut write = Kernel::writer(&format!("{folder}/writer_{name}"), &cores)
        .compile_args([0, new])
        .accessor("out");
    for (index, core) in (0..).zip(cores) {
        read = read.args(core, arguments![Arg::Address("in"), 4, 4, 4, index * 16]);
        write = write.args(core, arguments![Arg::Address("out"), 4, 2, 4, index * 8]);
    }
    Case::new("reshape of rows")
        .buffer(Buffer::input("in", old, content.clone()))
        .buffer(Buffer::output("out", new, content))
        .cb(CircularBuffer::pages(0, &cores, BF16, old, 8))
        .kernel(read)
        .kernel(write)
}

/// [64, 128] becomes [256, 32], both in tiles.
fn reshape_of_tiles(arch: ArchName) -> Case {
    const CORE: CoreCoord = (3, 3);
    let before = Matrix::random(64, 128, 1, -4.0, 4.0);
    let after = Matrix {
        rows: 256,
        columns: 32,
        values: before.values.clone(),
    };
    let reader = format!("{MOVEMENT}/reshape_on_device/device/kernels/dataflow/reader_unary_reshape_interleaved.cpp");
    let alignment = Arch::of(arch).dram_read_alignment as u32;
    let read = Kernel::reader(&reader, &[CORE])
        .compile_args([alignment, 2])
        .accessor("in")
        .args(CORE, arguments![Arg::Address("in"), 4, 1, 1, 8, 1]);
    let write = Kernel::writer(WRITER, &[CORE])
        .compile_args([0u32])
        .accessor("out")
        .args(CORE, arguments![Arg::Address("out"), 8, 0]);
    Case::new("reshape of tiles")
        .buffer(Buffer::input("in", TILE, before.tiles(BF16)))
        .buffer(Buffer::output("out", TILE, after.tiles(BF16)))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 2))
        .cb(CircularBuffer::pages(1, &[CORE], BF16, alignment, 1))
        .kernel(read)
        .kernel(write)
}

#[derive(Clone, Copy, PartialEq)]
enum Moved {
    Tiles,
    Rows,
}

/// Every core reads its pages and tells the controller; when all have, the controller tells all, and they write.
fn moves(moved: Moved) -> Case {
    const CONTROLLER: CoreCoord = (0, 0);
    let cores = [CONTROLLER, (1, 0), (0, 1), (1, 1)];
    let (page, file) = match moved {
        Moved::Tiles => (TILE, "move_interleaved_with_overlap.cpp"),
        Moved::Rows => (320, "move_stick_layout_interleaved_with_overlap.cpp"),
    };
    let content = pattern(20 * page as usize, 2);
    let mut kernel =
        Kernel::reader(&format!("{MOVEMENT}/move/device/kernels/dataflow/{file}"), &cores).compile_args([0u32]);
    if moved == Moved::Rows {
        kernel = kernel.compile_args([page]);
    }
    kernel = kernel.accessor("in").accessor("out");
    for (index, core) in (0..).zip(cores) {
        let mut words = arguments![Arg::Address("in"), Arg::Address("out"), index * 5, 5, 0].to_vec();
        words.extend([Arg::NocX(CONTROLLER), Arg::NocY(CONTROLLER)]);
        words.extend(arguments![3, u32::from(core == CONTROLLER)]);
        for (first, last, size) in [((1, 0), (1, 0), 1), ((0, 1), (1, 1), 2), ((0, 1), (1, 1), 2)] {
            words.extend([
                Arg::NocX(first),
                Arg::NocY(first),
                Arg::NocX(last),
                Arg::NocY(last),
                Arg::Word(size),
            ]);
        }
        words.extend(arguments![2, page]);
        kernel = kernel.args(core, words);
    }
    Case::new(match moved {
        Moved::Tiles => "move of tiles",
        Moved::Rows => "move of rows",
    })
    .buffer(Buffer::input("in", page, content.clone()))
    .buffer(Buffer::output("out", page, content))
    .cb(CircularBuffer::pages(0, &cores, BF16, page, 5))
    .semaphore(&cores, 0)
    .kernel(kernel)
}

/// A shard copied from its end backwards, in chunks.
fn move_within_a_core(arch: ArchName) -> Case {
    const CORE: CoreCoord = (5, 2);
    let content = pattern(7 * TILE as usize, 3);
    let sharding = over_cores(arch, &[7], &[7], &[CORE]);
    let kernel = format!("{MOVEMENT}/move/device/kernels/dataflow/reader_unary_local_l1_copy_backwards.cpp");
    let total = 7 * TILE;
    let kernel = Kernel::reader(&kernel, &[CORE])
        .compile_args([0u32, 1])
        .args(CORE, [total, total / 4096, 4096, total % 4096]);
    Case::new("move within a core")
        .buffer(
            Buffer::input("in", TILE, content.clone())
                .in_l1()
                .sharded(sharding.clone()),
        )
        .buffer(Buffer::output("out", TILE, content).in_l1().sharded(sharding))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 7).on("in"))
        .cb(CircularBuffer::tiles(1, &[CORE], BF16, 7).on("out"))
        .kernel(kernel)
}

/// Rows of two tensors alternate.
fn concatenated_rows() -> Case {
    const CORE: CoreCoord = (2, 6);
    let row = 128;
    let (a, b) = (pattern(6 * row as usize, 4), pattern(6 * row as usize, 5));
    let streams = [Stream::new(0, "a"), Stream::new(1, "b")];
    let write = Kernel::writer(
        &format!("{MOVEMENT}/concat/device/kernels/dataflow/writer_s2i_width.cpp"),
        &[CORE],
    )
    .compile_args([2, row])
    .accessor("out")
    .args(CORE, arguments![Arg::Address("out"), 0, 6, 12, 6, 0, 1]);
    let rows = a.chunks_exact(row as usize).zip(b.chunks_exact(row as usize));
    let expected: Vec<u8> = rows.flat_map(|(a, b)| [a, b].concat()).collect();
    Case::new("concatenated rows")
        .buffer(Buffer::input("a", row, a))
        .buffer(Buffer::input("b", row, b))
        .buffer(Buffer::output("out", row, expected))
        .cb(CircularBuffer::pages(0, &[CORE], BF16, row, 6))
        .cb(CircularBuffer::pages(1, &[CORE], BF16, row, 6))
        .kernel(Kernel::feed(&[CORE], &streams).steps(CORE, &streams, [(0, 6), (1, 6)]))
        .kernel(write)
}

/// On every core a shard of 2 and one of 3 pages a row become rows of 5 pages; the two RISCs take half the rows each.
fn concatenated_shards(arch: ArchName) -> Case {
    let cores = [(1, 0), (2, 0)];
    let page = 64;
    let (a, b) = (pattern(16 * page as usize, 6), pattern(24 * page as usize, 7));
    let kernel = format!("{MOVEMENT}/concat/device/kernels/dataflow/reader_s2s_tensor_concat.cpp");
    let mut case = Case::new("concatenated shards");
    for (writes, kernel) in [Kernel::reader(&kernel, &cores), Kernel::writer(&kernel, &cores)]
        .into_iter()
        .enumerate()
    {
        // Two blocks of two rows each, one for each RISC.
        let kernel = kernel.compile_args([16, page, 5 * page, 2, 10 * page, writes as u32, 1]);
        let words = [2, 2, 0, 0, 4 * page, 3, 2, 2 * page, 0, 6 * page];
        case = case.kernel(cores.iter().fold(kernel, |kernel, core| kernel.args(*core, words)));
    }
    let rows = a.chunks_exact(2 * page as usize).zip(b.chunks_exact(3 * page as usize));
    let expected: Vec<u8> = rows.flat_map(|(a, b)| [a, b].concat()).collect();
    case.buffer(
        Buffer::input("a", page, a)
            .in_l1()
            .sharded(over_cores(arch, &[16], &[8], &cores)),
    )
    .buffer(
        Buffer::input("b", page, b)
            .in_l1()
            .sharded(over_cores(arch, &[24], &[12], &cores)),
    )
    .buffer(
        Buffer::output("out", page, expected)
            .in_l1()
            .sharded(over_cores(arch, &[40], &[20], &cores)),
    )
    .cb(CircularBuffer::pages(0, &cores, BF16, page, 8).on("a"))
    .cb(CircularBuffer::pages(1, &cores, BF16, page, 12).on("b"))
    .cb(CircularBuffer::pages(16, &cores, BF16, page, 20).on("out"))
}

/// A list of strided copies from shards of other cores: core 0 gets rows of both, core 1 the same with the halves swapped.
fn concatenated_blocks(arch: ArchName) -> Case {
    let cores = [(1, 3), (2, 3)];
    let row = 96;
    let a = pattern(8 * row as usize, 8);
    let kernel = format!("{MOVEMENT}/concat/device/kernels/dataflow/reader_writer_block_sharded_concat.cpp");
    let mut kernel = Kernel::reader(&kernel, &cores).compile_args([16u32]);
    let mut order = Vec::new();
    for (index, core) in cores.into_iter().enumerate() {
        let mut words = arguments![2].to_vec();
        for half in 0..2u32 {
            let from = (index + half as usize) % 2;
            words.extend([Arg::NocX(cores[from]), Arg::NocY(cores[from])]);
            // Buffer 0, every second row, to every second row.
            words.extend(arguments![0, half * row, 2 * row, half * row, 2 * row, row, 2]);
        }
        kernel = kernel.args(core, words);
        for pair in 0..2 {
            order.extend((0..2u32).map(|half| ((index as u32 + half) % 2) * 4 + pair * 2 + half));
        }
    }
    let sharding = over_cores(arch, &[8], &[4], &cores);
    Case::new("concatenated blocks")
        .buffer(
            Buffer::output("out", row, reordered(&a, row, &order))
                .in_l1()
                .sharded(sharding.clone()),
        )
        .buffer(Buffer::input("a", row, a).in_l1().sharded(sharding))
        .cb(CircularBuffer::pages(0, &cores, BF16, row, 4).on("a"))
        .cb(CircularBuffer::pages(16, &cores, BF16, row, 4).on("out"))
        .kernel(kernel)
}

/// Rows whose number along a dimension of 5 is in the index are filled.
fn index_fill() -> Case {
    const CORE: CoreCoord = (0, 0);
    let (rows, width) = (10usize, 64usize);
    let values: Vec<f64> = (0..rows * width).map(|index| (index * 3) as f64).collect();
    let expected: Vec<f64> = (0..rows * width)
        .map(|index| match index / width % 5 {
            1 | 4 => 777.0,
            _ => values[index],
        })
        .collect();
    let bytes = width as u32 * 4;
    let mut index = encode(DataFormat::UInt32, &[4.0, 1.0]);
    index.resize(64, 0);
    let folder = "operations/index_fill/device/kernels";
    let [input, indices, output] = ["in", "index", "out"].map(Arg::Address);
    let read = Kernel::reader(&format!("{folder}/reader_index_fill.cpp"), &[CORE])
        .compile_args([bytes, 64, 2, 0])
        .accessor("in")
        .accessor("index")
        .args(CORE, arguments![input, indices, 0, rows as u32, 1, 5, 0, 1]);
    let write = Kernel::writer(&format!("{folder}/writer_index_fill.cpp"), &[CORE])
        .compile_args([bytes, 2, 4, 0])
        .accessor("out")
        .args(
            CORE,
            arguments![output, 0, rows as u32, 1, 5, 777, 0, 0, 1, 0, 1, bytes],
        );
    let words = DataFormat::UInt32;
    Case::new("index fill")
        .buffer(Buffer::input("in", bytes, encode(words, &values)))
        .buffer(Buffer::input("index", 64, index))
        .buffer(Buffer::output("out", bytes, encode(words, &expected)))
        .cb(CircularBuffer::pages(0, &[CORE], words, bytes, 2))
        .cb(CircularBuffer::pages(1, &[CORE], words, 64, 1))
        .cb(CircularBuffer::pages(2, &[CORE], words, bytes, 1))
        .kernel(read)
        .kernel(write)
}

/// Rows of a shard, 32 to a page of a tile's size.
fn rows_of_tiles_from_shard(arch: ArchName) -> Case {
    const CORE: CoreCoord = (1, 1);
    let row = 64;
    let content = pattern(128 * row as usize, 9);
    let reader = format!("{MOVEMENT}/transpose/device/kernels/dataflow/reader_unary_transpose_wh_sharded_rm.cpp");
    let streams = [Stream::new(24, "out")];
    Case::new("rows of a shard by tiles")
        .buffer(
            Buffer::input("in", row, content.clone())
                .in_l1()
                .sharded(over_cores(arch, &[128], &[128], &[CORE])),
        )
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::pages(0, &[CORE], BF16, row, 128).on("in"))
        .cb(CircularBuffer::tiles(24, &[CORE], BF16, 2))
        .kernel(Kernel::reader(&reader, &[CORE]).compile_args([2, 2, 32, 32, 1, row, row]))
        .kernel(Kernel::drain(&[CORE], &streams).steps(CORE, &streams, [(0, 4)]))
}

/// Pages of nine tiles' height into the rows of a shard.
fn rows_of_tiles_to_shard(arch: ArchName) -> Case {
    const CORE: CoreCoord = (1, 2);
    let row = 9 * 64;
    let content = pattern(64 * row as usize, 10);
    let writer = format!("{MOVEMENT}/transpose/device/kernels/dataflow/writer_unary_transpose_wh_sharded_rm.cpp");
    let streams = [Stream::new(27, "in")];
    Case::new("rows of tiles to a shard")
        .buffer(Buffer::input("in", TILE, content.clone()))
        .buffer(
            Buffer::output("out", row, content)
                .in_l1()
                .sharded(over_cores(arch, &[64], &[64], &[CORE])),
        )
        .cb(CircularBuffer::tiles(27, &[CORE], BF16, 18))
        .cb(CircularBuffer::pages(16, &[CORE], BF16, row, 64).on("out"))
        .kernel(Kernel::feed(&[CORE], &streams).steps(CORE, &streams, [(0, 18)]))
        .kernel(Kernel::writer(&writer, &[CORE]).compile_args([1, 9, 2, 32, 32, row, row]))
}

/// [C = 2, H = 4] rows become [H, C], in shards of four rows over two cores.
fn channels_first(arch: ArchName) -> Case {
    let cores = [(3, 4), (4, 4)];
    let row = 160;
    let content = pattern(8 * row as usize, 11);
    let order: Vec<u32> = (0..8).map(|index| index % 2 * 4 + index / 2).collect();
    let kernel = format!("{MOVEMENT}/transpose/device/kernels/dataflow/reader_unary_transpose_hc_sharded_rm.cpp");
    let mut kernel = Kernel::reader(&kernel, &cores).compile_args([0, 16, 1, 4, 2, row, 1, 2, 1]);
    for (index, core) in (0..).zip(cores) {
        let mut words = arguments![4, index * 2, 0, index * 2, 0].to_vec();
        words.extend([Arg::NocX(cores[0]), Arg::NocX(cores[1]), Arg::NocY(cores[0])]);
        kernel = kernel.args(core, words);
    }
    let sharding = over_cores(arch, &[8], &[4], &cores);
    Case::new("transposed channels")
        .buffer(
            Buffer::output("out", row, reordered(&content, row, &order))
                .in_l1()
                .sharded(sharding.clone()),
        )
        .buffer(Buffer::input("in", row, content).in_l1().sharded(sharding))
        .cb(CircularBuffer::pages(0, &cores, BF16, row, 4).on("in"))
        .cb(CircularBuffer::pages(16, &cores, BF16, row, 4).on("out"))
        .kernel(kernel)
}

/// The special case of the same transposition: each RISC gathers its rows from both cores.
fn channels_gathered(arch: ArchName) -> Case {
    let cores = [(3, 5), (4, 5)];
    let row = 64;
    let content = pattern(16 * row as usize, 12);
    let folder = format!("{MOVEMENT}/transpose/device/kernels/dataflow");
    let name = "unary_transpose_hc_sharded_rm.cpp";
    let mut read = Kernel::reader(&format!("{folder}/reader_{name}"), &cores)
        .define("USE_SPECIAL_CASE", "1")
        .compile_args([0, 16, row]);
    let mut write = Kernel::writer(&format!("{folder}/writer_{name}"), &cores).compile_args([0, 16, row]);
    let mut order = vec![0u32; 16];
    for (index, core) in (0..).zip(cores) {
        // Of both cores' eight rows: two from row 4 · index + 2 · c on, for c = 0 by the reader, for c = 1 by the writer.
        let offset = index * 4 * row;
        let tail = [
            Arg::Word(offset),
            Arg::Word(offset),
            Arg::NocX(cores[0]),
            Arg::NocX(cores[1]),
            Arg::NocY(cores[0]),
            Arg::NocY(cores[1]),
        ];
        let mut words = arguments![0, 1, 2, 2, row].to_vec();
        words.extend(tail);
        read = read.args(core, words);
        let mut words = arguments![0, 1, 2, 2, row, 2 * row, 4 * row].to_vec();
        words.extend(tail);
        write = write.args(core, words);
        for place in 0..8u32 {
            let (c, from, stick) = (place / 4, place / 2 % 2, place % 2);
            order[(index * 8 + place) as usize] = from * 8 + index * 4 + c * 2 + stick;
        }
    }
    let sharding = over_cores(arch, &[16], &[8], &cores);
    Case::new("gathered channels")
        .buffer(
            Buffer::output("out", row, reordered(&content, row, &order))
                .in_l1()
                .sharded(sharding.clone()),
        )
        .buffer(Buffer::input("in", row, content).in_l1().sharded(sharding))
        .cb(CircularBuffer::pages(0, &cores, BF16, row, 8).on("in"))
        .cb(CircularBuffer::pages(16, &cores, BF16, row, 8).on("out"))
        .kernel(read)
        .kernel(write)
}

/// [heads = 3, Ht = 2, Wt = 2] tiles become [Ht, heads · Wt]; one core a row of tiles.
fn concatenated_heads() -> Case {
    let cores = [(6, 0), (6, 1)];
    let content = pattern(12 * TILE as usize, 13);
    let reader = "operations/experimental/transformer/concatenate_heads/device/kernels/dataflow/reader_tm_tile_layout_concat_heads.cpp";
    let mut read = Kernel::reader(reader, &cores).compile_args([2u32, 3, 4]).accessor("in");
    let mut write = Kernel::writer(WRITER, &cores).compile_args([0u32]).accessor("out");
    let mut order = Vec::new();
    for (index, core) in (0..).zip(cores) {
        read = read.args(core, arguments![Arg::Address("in"), index * 2]);
        write = write.args(core, arguments![Arg::Address("out"), 6, index * 6]);
        order.extend((0..6).map(|tile| tile / 2 * 4 + index * 2 + tile % 2));
    }
    Case::new("concatenated heads")
        .buffer(Buffer::output("out", TILE, reordered(&content, TILE, &order)))
        .buffer(Buffer::input("in", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 6))
        .kernel(read)
        .kernel(write)
}

/// The halves of rows of six tiles change places.
fn rotated_halves() -> Case {
    const CORE: CoreCoord = (7, 7);
    let content = pattern(12 * TILE as usize, 14);
    let order: Vec<u32> = (0..12).map(|tile| tile / 6 * 6 + (tile % 6 + 3) % 6).collect();
    let folder = "operations/experimental/transformer/rotate_half/device/kernels/dataflow";
    let read = Kernel::reader(
        &format!("{folder}/reader_rotate_half_interleaved_start_id.cpp"),
        &[CORE],
    )
    .compile_args([0u32, 1, 2, 0xBF80])
    .accessor("in")
    .args(CORE, arguments![Arg::Address("in"), 2, 3, 0]);
    let write = Kernel::writer(
        &format!("{folder}/writer_rotate_half_interleaved_start_id.cpp"),
        &[CORE],
    )
    .compile_args([0u32, 1])
    .accessor("out")
    .args(CORE, arguments![Arg::Address("out"), 2, 3, 0]);
    Case::new("rotated halves")
        .buffer(Buffer::output("out", TILE, reordered(&content, TILE, &order)))
        .buffer(Buffer::input("in", TILE, content))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 2))
        .cb(CircularBuffer::tiles(1, &[CORE], BF16, 2))
        .cb(CircularBuffer::tiles(2, &[CORE], BF16, 1))
        .kernel(read)
        .kernel(write)
}

/// [St = 2, heads · Wt = 2 · 3] tiles become [heads, St, Wt].
fn heads_of_queries() -> Case {
    const CORE: CoreCoord = (2, 2);
    let content = pattern(12 * TILE as usize, 15);
    let order: Vec<u32> = (0..12).map(|tile| tile / 3 % 2 * 6 + tile / 6 * 3 + tile % 3).collect();
    let folder = "operations/experimental/transformer/nlp_create_qkv_heads_segformer/device/kernels/dataflow";
    let read = Kernel::reader(
        &format!("{folder}/reader_tm_tile_layout_nlp_create_qkv_heads.cpp"),
        &[CORE],
    )
    .compile_args([6u32])
    .accessor("in")
    .args(CORE, arguments![Arg::Address("in"), 0, 2, 0, 0]);
    let write = Kernel::writer(
        &format!("{folder}/writer_tm_tile_layout_nlp_create_qkv_heads.cpp"),
        &[CORE],
    )
    .compile_args([2u32, 3, 6, 2])
    .accessor("out")
    .args(CORE, arguments![Arg::Address("out"), 2, 0, 0]);
    Case::new("heads of queries")
        .buffer(Buffer::output("out", TILE, reordered(&content, TILE, &order)))
        .buffer(Buffer::input("in", TILE, content))
        .cb(CircularBuffer::tiles(1, &[CORE], BF16, 2))
        .kernel(read)
        .kernel(write)
}

/// Rows of 4 query, 2 key and 2 value tiles, two heads of queries, two blocks.
fn heads_of_queries_keys_values() -> Case {
    const CORE: CoreCoord = (5, 7);
    let content = pattern(16 * TILE as usize, 16);
    let writer = "operations/experimental/transformer/nlp_create_qkv_heads_falcon7b/device/kernels/dataflow/writer_tm_tile_layout_nlp_create_qkv_heads_falcon7b.cpp";
    let read = Kernel::reader(READER, &[CORE])
        .accessor("in")
        .args(CORE, arguments![Arg::Address("in"), 16, 0]);
    let [q, k, v] = ["q", "k", "v"].map(Arg::Address);
    let write = Kernel::writer(writer, &[CORE])
        .compile_args([4u32, 2, 2, 2, 2, 4])
        .accessor("q")
        .accessor("k")
        .accessor("v")
        .args(CORE, arguments![q, k, v, 2, 0, 0, 0]);
    let queries = reordered(&content, TILE, &[0, 1, 8, 9, 2, 3, 10, 11]);
    Case::new("heads of queries, keys and values")
        .buffer(Buffer::output("q", TILE, queries))
        .buffer(Buffer::output("k", TILE, reordered(&content, TILE, &[4, 5, 12, 13])))
        .buffer(Buffer::output("v", TILE, reordered(&content, TILE, &[6, 7, 14, 15])))
        .buffer(Buffer::input("in", TILE, content))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 8))
        .kernel(read)
        .kernel(write)
}
