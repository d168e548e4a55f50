//! Kernels of every kind that the emulator cannot run, and why.

use crate::production::case::{Buffer, Case, Kernel};

/// File of a kernel below `operations`, why it does not run, and what its error says.
const KERNELS: [(&str, &str, &str); 4] = [
    (
        "prefetcher/prefetcher/device/kernels/writer_l1.cpp",
        "circular buffers between cores: the emulator has none",
        "‘experimental’ has not been declared",
    ),
    (
        "matmul/device/kernels/dataflow/reader_bmm_tile_layout_in1_ring_all_gather.cpp",
        "writes registers of the NoC itself: the emulator has none",
        "‘NOC_CMD_BUF_WRITE_REG’ was not declared",
    ),
    (
        "ccl/broadcast/device/kernels/broadcast_tile_writer.cpp",
        "the network between chips: the emulator is one chip",
        "fabric",
    ),
    (
        "experimental/ccl/all_gather_async/device/kernels/minimal_default_writer.cpp",
        "the network between chips: the emulator is one chip",
        "fabric",
    ),
];

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let case = |(file, reason, evidence): &(&'static str, &'static str, &'static str)| {
        Case::new(file.rsplit('/').next().unwrap_or(file))
            .buffer(Buffer::output("out", 64, vec![0; 64]))
            .kernel(Kernel::writer(&format!("operations/{file}"), &[(0, 0)]).compile_args([0u32; 64]))
            .fails(reason, evidence)
    };
    KERNELS.iter().map(case).collect()
}
