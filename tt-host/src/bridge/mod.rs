//! The bridge to the TT-Metalium host API: the MeshDevice calls of 0.81, and nothing else.
//!
//! Every call that can throw gives a `Result`; `bridge.h` sees to it that nothing thrown passes into Rust. The host API
//! is not thread-safe: callers hold the lock of the device (`device/session.rs`).

use crate::{Error, ErrorKind};

#[cxx::bridge(namespace = "tt_host")]
#[allow(clippy::missing_safety_doc)]
mod ffi {
    /// What a device offers to programs.
    #[derive(Debug, Clone)]
    struct DeviceFacts {
        /// `wormhole_b0` or `blackhole`.
        architecture: String,
        columns: u32,
        rows: u32,
        /// L1 of a core that programs may use.
        l1_bytes: u32,
        /// Circular buffers of a core.
        circular_buffers: u32,
        /// Where every core is on the NoC: x and y, row by row.
        noc: Vec<u32>,
    }

    #[derive(Debug, Clone, Copy)]
    struct Rectangle {
        x: u32,
        y: u32,
        columns: u32,
        rows: u32,
    }

    #[derive(Debug, Clone, Copy)]
    struct Core {
        x: u32,
        y: u32,
    }

    #[derive(Debug, Clone, Copy)]
    struct CircularBufferSpec {
        index: u8,
        /// Number in `tt::DataFormat`.
        format: u8,
        page_bytes: u32,
        pages: u32,
    }

    #[derive(Debug, Clone)]
    struct ComputeSpec {
        /// Number in `MathFidelity`.
        math_fidelity: u8,
        fp32_dest_acc_en: bool,
        dst_full_sync_en: bool,
        math_approx_mode: bool,
        /// Circular buffers unpacked straight into 32-bit destination registers.
        unpack_to_dest_fp32: Vec<u8>,
        /// Circular buffers of a core.
        circular_buffers: u32,
    }

    /// Where a buffer lives.
    #[repr(u8)]
    #[derive(Debug)]
    enum Memory {
        Dram,
        L1,
    }

    /// Which data movement RISC, with its NoC by convention.
    #[repr(u8)]
    #[derive(Debug)]
    enum Mover {
        Reader,
        Writer,
    }

    unsafe extern "C++" {
        include!("tt-host/src/bridge/bridge.h");

        #[namespace = "tt::tt_metal::distributed"]
        type MeshDevice;
        #[namespace = "tt::tt_metal::distributed"]
        type MeshBuffer;
        #[namespace = "tt::tt_metal::distributed"]
        type MeshWorkload;
        #[namespace = "tt::tt_metal"]
        type Program;

        fn open_device(id: i32) -> Result<SharedPtr<MeshDevice>>;
        fn device_facts(device: &SharedPtr<MeshDevice>) -> Result<DeviceFacts>;
        fn close_device(device: &SharedPtr<MeshDevice>) -> Result<()>;

        fn allocate(
            device: &SharedPtr<MeshDevice>,
            bytes: u64,
            page_bytes: u64,
            memory: Memory,
        ) -> Result<SharedPtr<MeshBuffer>>;
        fn buffer_address(buffer: &SharedPtr<MeshBuffer>) -> Result<u64>;
        fn accessor_words(buffer: &SharedPtr<MeshBuffer>) -> Result<Vec<u32>>;
        fn write_buffer(device: &SharedPtr<MeshDevice>, buffer: &SharedPtr<MeshBuffer>, bytes: &[u8]) -> Result<()>;
        fn read_buffer(device: &SharedPtr<MeshDevice>, buffer: &SharedPtr<MeshBuffer>, bytes: &mut [u8]) -> Result<()>;

        fn create_program() -> Result<UniquePtr<Program>>;
        fn add_circular_buffer(
            program: Pin<&mut Program>,
            cores: &[Rectangle],
            spec: &CircularBufferSpec,
        ) -> Result<()>;
        fn add_semaphore(program: Pin<&mut Program>, cores: &[Rectangle], initial: u32) -> Result<u32>;
        fn add_data_movement_kernel(
            program: Pin<&mut Program>,
            cores: &[Rectangle],
            mover: Mover,
            source: &str,
            compile_args: &[u32],
        ) -> Result<u32>;
        fn add_compute_kernel(
            program: Pin<&mut Program>,
            cores: &[Rectangle],
            source: &str,
            spec: &ComputeSpec,
            compile_args: &[u32],
        ) -> Result<u32>;

        fn create_workload(
            device: &SharedPtr<MeshDevice>,
            program: UniquePtr<Program>,
        ) -> Result<UniquePtr<MeshWorkload>>;
        /// `words` holds the arguments of the first core, then those of the second, all equally many.
        fn set_runtime_args(workload: Pin<&mut MeshWorkload>, kernel: u32, cores: &[Core], words: &[u32])
        -> Result<()>;
        fn enqueue_workload(
            device: &SharedPtr<MeshDevice>,
            workload: Pin<&mut MeshWorkload>,
            blocking: bool,
        ) -> Result<()>;
        fn finish(device: &SharedPtr<MeshDevice>) -> Result<()>;
    }
}

pub(crate) use ffi::*;

/// An exception of the runtime as an error: the message without the C++ stack that Metalium appends.
pub(crate) fn thrown(kind: ErrorKind, doing: &str, exception: &cxx::Exception) -> Error {
    let message = exception.what();
    let message = message.split("\nbacktrace:").next().unwrap_or(message).trim_end();
    Error::new(kind, format!("{doing}: {message}"))
}
