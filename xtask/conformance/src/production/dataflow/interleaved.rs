//! Readers and writers of interleaved tensors: copies of tiles and of rows.

use crate::arguments;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, rectangle, share};
use crate::production::values::pattern;
use tt_emulator::{CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const TILE: u32 = 2048;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    vec![
        copy_of_tiles(
            "eltwise/unary copy",
            "operations/eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp",
            "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
        ),
        copy_of_tiles(
            "copy of tiles",
            "operations/data_movement/copy/device/kernels/reader_unary_start_id.cpp",
            "operations/data_movement/copy/device/kernels/writer_unary_start_id.cpp",
        ),
        copy_of_rows(),
    ]
}

/// `pages` pages from `in` to `out` over four cores, each taking (address, pages, first page).
fn copy_of_tiles(name: &str, reader: &str, writer: &str) -> Case {
    let pages = 22;
    let cores = rectangle((1, 2), (2, 3));
    let content = pattern((pages * TILE) as usize, 1);
    let mut read = Kernel::reader(reader, &cores).accessor("in");
    let mut write = Kernel::writer(writer, &cores).compile_args([0u32]).accessor("out");
    for (core, first, count) in share(pages, &cores) {
        read = read.args(core, arguments![Arg::Address("in"), count, first]);
        write = write.args(core, arguments![Arg::Address("out"), count, first]);
    }
    Case::new(name)
        .buffer(Buffer::input("in", TILE, content.clone()))
        .buffer(Buffer::output("out", TILE, content))
        .cb(CircularBuffer::tiles(0, &cores, BF16, 2))
        .kernel(read)
        .kernel(write)
}

fn copy_of_rows() -> Case {
    const CORES: [CoreCoord; 3] = [(0, 0), (3, 1), (5, 5)];
    let (rows, row_bytes) = (37, 384);
    let content = pattern((rows * row_bytes) as usize, 2);
    let folder = "operations/data_movement/copy/device/kernels";
    let mut read = Kernel::reader(&format!("{folder}/reader_unary_stick_start_id.cpp"), &CORES)
        .compile_args([0, row_bytes])
        .accessor("in");
    let mut write = Kernel::writer(&format!("{folder}/writer_unary_stick_start_id.cpp"), &CORES)
        .compile_args([0, row_bytes])
        .accessor("out");
    for (core, first, count) in share(rows, &CORES) {
        read = read.args(core, arguments![Arg::Address("in"), row_bytes, count, first, 1]);
        write = write.args(core, arguments![Arg::Address("out"), row_bytes, count, first, 1]);
    }
    Case::new("copy of rows")
        .buffer(Buffer::input("in", row_bytes, content.clone()))
        .buffer(Buffer::output("out", row_bytes, content))
        .cb(CircularBuffer::pages(0, &CORES, BF16, row_bytes, 2))
        .kernel(read)
        .kernel(write)
}
