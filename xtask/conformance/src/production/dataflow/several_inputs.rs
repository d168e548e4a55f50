//! Readers that fill several circular buffers for a computation: operands of element-wise operations, broadcasts, products.
//!
//! Our drain (`kernels/streams.cpp`) stands where the compute kernel would be: it writes what every circular buffer brings to a
//! tensor of its own, so the order of the tiles that the reader delivers is what is checked.

use crate::arguments;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, Stream, share};
use crate::production::values::{bf16_bits, pattern, reordered};
use tt_emulator::{CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = tt_device::DataFormat::Float16B.tile_bytes();
const CORE: CoreCoord = (1, 1);

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    vec![
        binary(),
        ternary(),
        ternary_with_scalar(),
        binary_of_shapes(),
        broadcast_rows(),
        broadcast_columns(),
        broadcast_scalars(),
        broadcast_one_scalar(),
        broadcast_given_scalar(),
        transposed_order(),
        matmul_tiles(),
        matmul_blocks(),
        two_results(),
    ]
}

/// Runs `reader`, which reads tensors `a`, `b`, `c` of `tiles` tiles into circular buffers 0, 1, 2, and expects from every
/// circular buffer the tiles of `orders`, in steps of one tile each that go round the buffers.
fn delivers(name: &str, reader: Kernel, tiles: &[u32], orders: &[Vec<u32>], steps: Vec<(u32, u32)>) -> Case {
    const INPUTS: [&str; 3] = ["a", "b", "c"];
    const OUTPUTS: [&str; 3] = ["out a", "out b", "out c"];
    let mut case = Case::new(name);
    let mut streams = Vec::new();
    for (index, (tiles, order)) in tiles.iter().zip(orders).enumerate() {
        let content = pattern((tiles * TILE) as usize, index + 1);
        let expected = reordered(&content, TILE, order);
        streams.push(Stream::new(index as u32, OUTPUTS[index]));
        case = case
            .buffer(Buffer::input(INPUTS[index], TILE, content))
            .buffer(Buffer::output(OUTPUTS[index], TILE, expected))
            .cb(CircularBuffer::tiles(index as u8, &reader.cores, BF16, 2));
    }
    let drain = Kernel::drain(&reader.cores, &streams).steps(CORE, &streams, steps);
    case.kernel(reader).kernel(drain)
}

/// One tile of every stream in turn, `rounds` times.
fn in_turn(streams: u32, rounds: u32) -> Vec<(u32, u32)> {
    (0..rounds)
        .flat_map(|_| (0..streams).map(|stream| (stream, 1)))
        .collect()
}

fn binary() -> Case {
    let reader = "operations/eltwise/binary/device/kernels/dataflow/reader_binary_interleaved_start_id.cpp";
    let reader = Kernel::reader(reader, &[CORE])
        .compile_args([0u32])
        .accessor("a")
        .accessor("b")
        .args(CORE, arguments![Arg::Address("a"), Arg::Address("b"), 6, 2, 0, 0, 0]);
    let order: Vec<u32> = (2..8).collect();
    delivers(
        "binary operands",
        reader,
        &[9, 9],
        &[order.clone(), order],
        in_turn(2, 6),
    )
}

fn ternary() -> Case {
    let reader = "operations/eltwise/ternary/device/kernels/dataflow/ternary_reader_nobcast_ttt.cpp";
    let [a, b, c] = ["a", "b", "c"].map(Arg::Address);
    let reader = Kernel::reader(reader, &[CORE])
        .compile_args([0u32, 1, 2])
        .accessor("a")
        .accessor("b")
        .accessor("c")
        .args(CORE, arguments![a, b, c, 5, 3]);
    let order: Vec<u32> = (3..8).collect();
    delivers(
        "ternary operands",
        reader,
        &[8; 3],
        &[order.clone(), order.clone(), order],
        in_turn(3, 5),
    )
}

fn ternary_with_scalar() -> Case {
    let reader = "operations/eltwise/ternary/device/kernels/dataflow/ternary_reader_nobcast_tst_tts.cpp";
    let reader = Kernel::reader(reader, &[CORE])
        .define("SRC_SHARDED_A", "0")
        .define("SRC_SHARDED_B", "0")
        .compile_args([0u32, 1])
        .accessor("a")
        .accessor("b")
        .args(CORE, arguments![Arg::Address("a"), Arg::Address("b"), 0, 5, 1]);
    let order: Vec<u32> = (1..6).collect();
    delivers(
        "ternary operands with a scalar",
        reader,
        &[6; 2],
        &[order.clone(), order],
        in_turn(2, 5),
    )
}

/// Operands [2, 3, 2, 4] (N, C, Ht, Wt) and [1, 3, 2, 4]: the second is repeated along N.
fn binary_of_shapes() -> Case {
    let (n, c, ht, wt) = (2u32, 3u32, 2u32, 4u32);
    let per_n = c * ht * wt;
    let reader = "operations/eltwise/binary_ng/device/kernels_ng/dataflow/reader_interleaved_no_bcast.cpp";
    let mut words = arguments![Arg::Address("a"), 0, 0, n * per_n, 0].to_vec();
    words.extend(arguments![n * per_n, n * per_n, per_n, ht * wt, 1, n, c, ht, wt, 1]);
    words.extend(arguments![Arg::Address("b"), per_n, per_n, 0, ht * wt, 0, wt, wt]);
    let reader = Kernel::reader(reader, &[CORE])
        .define("SRC_SHARDED", "0")
        .define("SRC_SHARDED_B", "0")
        .accessor("a")
        .accessor("b")
        .compile_args([0u32])
        .args(CORE, words);
    let tiles = n * per_n;
    delivers(
        "binary operands of two shapes",
        reader,
        &[tiles, per_n],
        &[(0..tiles).collect(), (0..tiles).map(|tile| tile % per_n).collect()],
        in_turn(2, tiles),
    )
}

/// The arguments that the readers of `bcast` share.
fn bcast_words(nc: u32, ht: u32, wt: u32, once: u32) -> Vec<Arg> {
    let tiles = nc * ht * wt;
    let mut words = arguments![Arg::Address("a"), 0, 0, tiles, Arg::Address("b"), 0, 0, tiles].to_vec();
    words.extend(arguments![tiles, nc, ht, wt, once]);
    words
}

fn bcast(file: &str) -> Kernel {
    Kernel::reader(
        &format!("operations/data_movement/bcast/device/kernels/dataflow/{file}"),
        &[CORE],
    )
}

/// A row of tiles per matrix, added to every row.
fn broadcast_rows() -> Case {
    let (nc, ht, wt) = (2, 3, 4);
    let reader = bcast("reader_bcast_h_interleaved.cpp").accessor("a").accessor("b");
    let tiles = nc * ht * wt;
    let row = |tile: u32| tile / (ht * wt) * wt + tile % wt;
    delivers(
        "broadcast along H",
        reader.args(CORE, bcast_words(nc, ht, wt, 0)),
        &[tiles, nc * wt],
        &[(0..tiles).collect(), (0..tiles).map(row).collect()],
        in_turn(2, tiles),
    )
}

/// A column of tiles, the same for every matrix.
fn broadcast_columns() -> Case {
    let (nc, ht, wt) = (2, 3, 4);
    let reader = bcast("reader_bcast_w_interleaved.cpp").accessor("a").accessor("b");
    let tiles = nc * ht * wt;
    let steps = (0..nc * ht).flat_map(|_| [(1, 1), (0, wt)]).collect();
    delivers(
        "broadcast along W",
        reader.args(CORE, bcast_words(nc, ht, wt, 1)),
        &[tiles, ht],
        &[(0..tiles).collect(), (0..nc * ht).map(|row| row % ht).collect()],
        steps,
    )
}

/// A tile per matrix.
fn broadcast_scalars() -> Case {
    let (nc, ht, wt) = (3, 2, 2);
    let reader = bcast("reader_bcast_hw_interleaved.cpp").accessor("a").accessor("b");
    let tiles = nc * ht * wt;
    delivers(
        "broadcast along H and W",
        reader.args(CORE, bcast_words(nc, ht, wt, 0)),
        &[tiles, nc],
        &[(0..tiles).collect(), (0..tiles).map(|tile| tile / (ht * wt)).collect()],
        in_turn(2, tiles),
    )
}

/// One tile for everything.
fn broadcast_one_scalar() -> Case {
    let (nc, ht, wt) = (1, 2, 3);
    let reader = bcast("reader_bcast_hw_interleaved.cpp")
        .define("BCAST_SCALAR", "1")
        .accessor("a")
        .accessor("b");
    let tiles = nc * ht * wt;
    delivers(
        "broadcast of one tile",
        reader.args(CORE, bcast_words(nc, ht, wt, 0)),
        &[tiles, 1],
        &[(0..tiles).collect(), vec![0]],
        vec![(1, 1), (0, tiles)],
    )
}

/// A scalar out of the arguments, which the reader puts into the first place of a tile.
fn broadcast_given_scalar() -> Case {
    let tiles = 6u32;
    let scalar = u32::from(bf16_bits(1.5)) << 16 | u32::from(bf16_bits(1.5));
    let reader = bcast("reader_bcast_scalar_interleaved_partitioned.cpp")
        .accessor("a")
        .args(CORE, arguments![Arg::Address("a"), scalar, tiles, tiles, 0, 0, 0]);
    let content = pattern((tiles * TILE) as usize, 1);
    let streams = [Stream::new(0, "out")];
    Case::new("broadcast of a given scalar")
        .buffer(Buffer::output("out", TILE, content.clone()))
        .buffer(Buffer::input("a", TILE, content))
        .cb(CircularBuffer::tiles(0, &[CORE], BF16, 2))
        .cb(CircularBuffer::tiles(1, &[CORE], BF16, 1))
        .kernel(reader)
        .kernel(Kernel::drain(&[CORE], &streams).steps(CORE, &streams, [(0, tiles)]))
}

/// Tiles column by column, as a transposition wants them.
fn transposed_order() -> Case {
    let (n, ht, wt) = (2u32, 3u32, 4u32);
    let reader = "operations/data_movement/transpose/device/kernels/dataflow/reader_unary_transpose_wh_interleaved.cpp";
    let reader = Kernel::reader(reader, &[CORE])
        .accessor("a")
        .args(CORE, arguments![Arg::Address("a"), n, ht, wt, ht * wt]);
    let order = (0..n * ht * wt).map(|index| {
        let (matrix, within) = (index / (ht * wt), index % (ht * wt));
        matrix * ht * wt + within % ht * wt + within / ht
    });
    let tiles = n * ht * wt;
    delivers(
        "transposed order of tiles",
        reader,
        &[tiles],
        &[order.collect()],
        in_turn(1, tiles),
    )
}

/// The operands of a product tile by tile: Mt = 2, Kt = 3, Nt = 2, two batches.
fn matmul_tiles() -> Case {
    let (mt, kt, nt, batch) = (2u32, 3u32, 2u32, 2u32);
    let reader = "operations/matmul/device/kernels/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp";
    let mut words = arguments![
        Arg::Address("a"),
        Arg::Address("b"),
        mt,
        kt,
        nt,
        mt * kt,
        kt * nt,
        batch
    ]
    .to_vec();
    words.extend(arguments![0, 0, batch * mt * nt, mt * nt]);
    let reader = Kernel::reader(reader, &[CORE])
        .named("cb_in0", 0)
        .named("cb_in1", 1)
        .compile_args([0u32, 0])
        .accessor("a")
        .accessor("b")
        .args(CORE, words);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for b in 0..batch {
        for m in 0..mt {
            for n in 0..nt {
                left.extend((0..kt).map(|k| (b * mt + m) * kt + k));
                right.extend((0..kt).map(|k| (b * kt + k) * nt + n));
            }
        }
    }
    let rounds = left.len() as u32;
    delivers(
        "operands of bmm",
        reader,
        &[batch * mt * kt, batch * kt * nt],
        &[left, right],
        in_turn(2, rounds),
    )
}

/// The operands of a product in blocks of 2 × 1 and 1 × 2 tiles: Mt = 2, Kt = 3, Nt = 4, of which columns 2 and 3.
fn matmul_blocks() -> Case {
    let (mt, kt, nt) = (2u32, 3u32, 4u32);
    let reader = "operations/matmul/device/kernels/dataflow/reader_bmm_tile_layout.cpp";
    let mut words = arguments![Arg::Address("a"), 0, 1, kt, 1, 1, mt, mt].to_vec();
    words.extend(arguments![Arg::Address("b"), 2, 1, nt, nt, 2, 1, 2]);
    words.extend(arguments![kt, mt * kt, kt * nt, 1, 0]);
    let reader = Kernel::reader(reader, &[CORE])
        .named("cb_in0", 0)
        .named("cb_in1", 1)
        .accessor("a")
        .accessor("b")
        .args(CORE, words);
    let left = (0..kt).flat_map(|k| (0..mt).map(move |m| m * kt + k)).collect();
    let right = (0..kt).flat_map(|k| [k * nt + 2, k * nt + 3]).collect();
    let steps = (0..kt).flat_map(|_| [(0, 2), (1, 2)]).collect();
    delivers(
        "operands of bmm in blocks",
        reader,
        &[mt * kt, kt * nt],
        &[left, right],
        steps,
    )
}

/// A writer that takes two circular buffers.
fn two_results() -> Case {
    let cores = [CORE, (2, 1)];
    let tiles = 7u32;
    let streams = [Stream::new(2, "a"), Stream::new(3, "b")];
    let mut feed = Kernel::feed(&cores, &streams);
    let writer = "operations/eltwise/binary_backward/device/kernels/dataflow/writer_binary_backward_dual_nobcast.cpp";
    let mut writer = Kernel::writer(writer, &cores)
        .compile_args([2u32, 3])
        .accessor("out a")
        .accessor("out b");
    for (core, first, count) in share(tiles, &cores) {
        let from_there = streams.map(|stream| Stream { first, ..stream });
        feed = feed.steps(core, &from_there, in_turn(2, count));
        let [a, b] = ["out a", "out b"].map(Arg::Address);
        writer = writer.args(core, arguments![a, b, count, first]);
    }
    let (a, b) = (pattern((tiles * TILE) as usize, 8), pattern((tiles * TILE) as usize, 9));
    Case::new("two results")
        .buffer(Buffer::input("a", TILE, a.clone()))
        .buffer(Buffer::input("b", TILE, b.clone()))
        .buffer(Buffer::output("out a", TILE, a))
        .buffer(Buffer::output("out b", TILE, b))
        .cb(CircularBuffer::tiles(2, &cores, BF16, 2))
        .cb(CircularBuffer::tiles(3, &cores, BF16, 2))
        .kernel(feed)
        .kernel(writer)
}
