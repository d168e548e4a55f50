//! Readers and writers of interleaved tensors: copies of tiles and of rows.

use crate::arguments;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, rectangle, share};
use crate::production::values::{encode, pattern, reordered};
use tt_emulator::{CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = tt_device::DataFormat::Float16B.tile_bytes();

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let copy = "operations/data_movement/copy/device/kernels";
    let sticks = "kernel/dataflow";
    vec![
        copy_of_tiles(
            "unary copy",
            "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp",
            "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
            false,
        ),
        copy_of_tiles(
            "unary copy, last page first",
            "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp",
            "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
            true,
        ),
        copy_of_tiles(
            "copy of tiles",
            &format!("{copy}/reader_unary_start_id.cpp"),
            &format!("{copy}/writer_unary_start_id.cpp"),
            false,
        ),
        copy_of_tiles(
            "copy of tiles, last page first",
            &format!("{copy}/reader_unary_start_id.cpp"),
            &format!("{copy}/writer_unary_start_id.cpp"),
            true,
        ),
        copy_with_page_sizes(),
        copy_for_untilize(),
        copy_to_two_tensors(),
        columns_of_tiles(),
        copy_of_rows(
            "copy of rows",
            &format!("{copy}/reader_unary_stick_start_id.cpp"),
            &format!("{copy}/writer_unary_stick_start_id.cpp"),
        ),
        copy_of_rows(
            "copy of sticks",
            &format!("{sticks}/reader_unary_stick_layout_interleaved_start_id.cpp"),
            &format!("{sticks}/writer_unary_stick_layout_interleaved_start_id.cpp"),
        ),
        arange_of_rows(),
    ]
}

/// `pages` pages from `in` to `out` over four cores, each taking (address, pages, first page).
fn copy_of_tiles(name: &str, reader: &str, writer: &str, backwards: bool) -> Case {
    let pages = 22;
    let cores = rectangle((1, 2), (2, 3));
    let content = pattern((pages * TILE) as usize, 1);
    let mut read = Kernel::reader(reader, &cores).accessor("in");
    let mut write = Kernel::writer(writer, &cores).compile_args([0u32]).accessor("out");
    if backwards {
        (read, write) = (read.define("BACKWARDS", "1"), write.define("BACKWARDS", "1"));
    }
    for (core, first, count) in share(pages, &cores) {
        let start = if backwards { first + count - 1 } else { first };
        read = read.args(core, arguments![Arg::Address("in"), count, start]);
        write = write.args(core, arguments![Arg::Address("out"), count, start]);
    }
    tiles_through(name, &cores, content, read, write)
}

/// A copy from `in` to `out` through circular buffer 0.
fn tiles_through(name: &str, cores: &[CoreCoord], content: Vec<u8>, read: Kernel, write: Kernel) -> Case {
    Case::new(name)
        .buffer(Buffer::input("in", TILE, content.clone()))
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::tiles(0, cores, BF16, 2))
        .kernel(read)
        .kernel(write)
}

/// The kernels that are told the size of pages.
fn copy_with_page_sizes() -> Case {
    const CORE: CoreCoord = (4, 4);
    let folder = "operations/point_to_point/device/kernels/dataflow";
    let read = Kernel::reader(&format!("{folder}/reader_unary_interleaved_start_id_gen.cpp"), &[CORE])
        .accessor("in")
        .args(CORE, arguments![Arg::Address("in"), 9, 0, TILE]);
    let write = Kernel::writer(&format!("{folder}/writer_unary_interleaved_start_id_gen.cpp"), &[CORE])
        .compile_args([0u32])
        .accessor("out")
        .args(CORE, arguments![Arg::Address("out"), 9, 0, TILE]);
    tiles_through(
        "copy with given page size",
        &[CORE],
        pattern(9 * TILE as usize, 3),
        read,
        write,
    )
}

/// The reader of untilize with another writer.
fn copy_for_untilize() -> Case {
    const CORE: CoreCoord = (0, 7);
    let read = Kernel::reader(
        "operations/data_movement/untilize/device/kernels/dataflow/reader_unary_start_id.cpp",
        &[CORE],
    )
    .compile_args([0u32])
    .accessor("in")
    .args(CORE, arguments![Arg::Address("in"), 7, 0]);
    let writer = "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp";
    let write = Kernel::writer(writer, &[CORE])
        .compile_args([0u32])
        .accessor("out")
        .args(CORE, arguments![Arg::Address("out"), 7, 0]);
    tiles_through("untilize reader", &[CORE], pattern(7 * TILE as usize, 4), read, write)
}

/// A writer of two tensors.
fn copy_to_two_tensors() -> Case {
    const CORE: CoreCoord = (3, 5);
    let reader = "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp";
    let read = Kernel::reader(reader, &[CORE])
        .accessor("in")
        .args(CORE, arguments![Arg::Address("in"), 6, 0]);
    let write = Kernel::writer(
        "operations/examples/example_multiple_return/device/kernels/writer_multiple.cpp",
        &[CORE],
    )
    .compile_args([0u32])
    .accessor("out")
    .accessor("again")
    .args(CORE, arguments![Arg::Address("out"), Arg::Address("again"), 6, 0]);
    let content = pattern(6 * TILE as usize, 5);
    tiles_through("two outputs", &[CORE], content.clone(), read, write)
        .buffer(Buffer::output("again", TILE, content).in_l1())
}

/// Tiles column by column: each core takes columns of a matrix of 3 × 4 tiles, of two matrices.
fn columns_of_tiles() -> Case {
    let cores = rectangle((0, 0), (1, 0));
    let (rows, columns, matrices) = (3u32, 4u32, 2u32);
    let content = pattern((rows * columns * matrices * TILE) as usize, 6);
    let per_core = columns / cores.len() as u32;
    let mut read = Kernel::reader(
        "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_col_multicore.cpp",
        &cores,
    )
    .compile_args([rows * columns, matrices, per_core])
    .accessor("in");
    let writer = "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp";
    let mut write = Kernel::writer(writer, &cores).compile_args([0u32]).accessor("out");
    let mut order = Vec::new();
    for (index, core) in (0..).zip(&cores) {
        read = read.args(*core, arguments![Arg::Address("in"), index, columns, per_core]);
        let count = rows * matrices * per_core;
        write = write.args(*core, arguments![Arg::Address("out"), count, index * count]);
        for matrix in 0..matrices {
            for column in index * per_core..(index + 1) * per_core {
                order.extend((0..rows).map(|row| (matrix * rows + row) * columns + column));
            }
        }
    }
    Case::new("columns of tiles")
        .buffer(Buffer::output("out", TILE, reordered(&content, TILE, &order)))
        .buffer(Buffer::input("in", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 2))
        .kernel(read)
        .kernel(write)
}

fn copy_of_rows(name: &str, reader: &str, writer: &str) -> Case {
    const CORES: [CoreCoord; 3] = [(0, 0), (3, 1), (5, 5)];
    let (rows, row_bytes) = (37, 384);
    let content = pattern((rows * row_bytes) as usize, 2);
    let mut read = Kernel::reader(reader, &CORES)
        .compile_args([0, row_bytes])
        .accessor("in");
    let mut write = Kernel::writer(writer, &CORES)
        .compile_args([0, row_bytes])
        .accessor("out");
    for (core, first, count) in share(rows, &CORES) {
        read = read.args(core, arguments![Arg::Address("in"), row_bytes, count, first, 1]);
        write = write.args(core, arguments![Arg::Address("out"), row_bytes, count, first, 1]);
    }
    Case::new(name)
        .buffer(Buffer::input("in", row_bytes, content.clone()))
        .buffer(Buffer::output("out", row_bytes, content))
        .cb(CircularBuffer::pages(0, &CORES, BF16, row_bytes, 2))
        .kernel(read)
        .kernel(write)
}

/// A writer that makes its numbers itself: start + step · index, in one row.
fn arange_of_rows() -> Case {
    const CORES: [CoreCoord; 2] = [(2, 2), (2, 3)];
    let (start, step) = (2.5f32, 0.5f32);
    let values: Vec<f64> = (0..128).map(|index| f64::from(start + step * index as f32)).collect();
    let row_bytes = 128 * 4;
    let mut write = Kernel::writer(
        "operations/moreh/moreh_arange/device/kernels/writer_moreh_arange_rm.cpp",
        &CORES,
    )
    .accessor("out")
    .define("OUTPUT_DTYPE_FLOAT32", "1");
    for (core, first, count) in share(4, &CORES) {
        write = write.args(core, arguments![Arg::Address("out"), first, count, start, step, 4, 128]);
    }
    Case::new("arange of a row")
        .buffer(Buffer::output("out", row_bytes, encode(DataFormat::Float32, &values)))
        .cb(CircularBuffer::tiles(16, &CORES, DataFormat::Float32, 1))
        .kernel(write)
}
