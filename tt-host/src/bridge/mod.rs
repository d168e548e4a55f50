//! The bridge to the TT-Metalium host API: the MeshDevice calls of 0.81, and nothing else.
//!
//! Every call that can throw gives a `Result`; `bridge.h` sees to it that nothing thrown passes into Rust. The host API
//! is not thread-safe: callers hold the lock of the device (`device/session.rs`).
//!
//! Chips, formats and fidelities cross by name. Each side translates them with a match over all of them, so that an SDK that numbers
//! its own otherwise does not silently run another format or fidelity, and one without a name does not compile.

use crate::{Error, ErrorKind, Result};
use tt_device::{ArchName, DataFormat};
use tt_lang::ir;

#[cxx::bridge(namespace = "tt_host")]
mod ffi {
    /// What a device offers to programs.
    #[derive(Debug, Clone)]
    struct DeviceFacts {
        chip: Chip,
        columns: u32,
        rows: u32,
        /// L1 of a core that programs may use.
        l1_bytes: u32,
        /// Circular buffers of a core.
        circular_buffers: u32,
        /// Where every core is on the NoC: x and y, row by row.
        noc: Vec<u32>,
        /// Banks of DRAM.
        dram_banks: u32,
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
        format: Format,
        page_bytes: u32,
        pages: u32,
    }

    #[derive(Debug, Clone)]
    struct ComputeSpec {
        math_fidelity: Fidelity,
        fp32_dest_acc_en: bool,
        dst_full_sync_en: bool,
        math_approx_mode: bool,
        /// Circular buffers unpacked straight into 32-bit destination registers.
        unpack_to_dest_fp32: Vec<u8>,
        /// Circular buffers of a core.
        circular_buffers: u32,
    }

    /// A chip that kernels are compiled for.
    #[repr(u8)]
    #[derive(Debug)]
    enum Chip {
        WormholeB0,
        Blackhole,
    }

    /// A format of elements: by name, since the number of a name is the SDK's.
    #[repr(u8)]
    #[derive(Debug)]
    enum Format {
        Float32,
        Float16B,
        Bfp8B,
        Bfp4B,
        Int32,
        UInt8,
        Int8,
    }

    /// How exactly the matrix engine multiplies, likewise.
    #[repr(u8)]
    #[derive(Debug)]
    enum Fidelity {
        LoFi,
        HiFi2,
        HiFi3,
        HiFi4,
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
        /// A buffer of as many pages in each of `banks`, in DRAM banks by `x`, in L1 cores.
        fn allocate_in_banks(
            device: &SharedPtr<MeshDevice>,
            pages_of_bank: u32,
            page_bytes: u64,
            memory: Memory,
            banks: &[Core],
        ) -> Result<SharedPtr<MeshBuffer>>;
        fn buffer_address(buffer: &SharedPtr<MeshBuffer>) -> Result<u64>;
        fn accessor_words(buffer: &SharedPtr<MeshBuffer>) -> Result<Vec<u32>>;
        /// Whole pages, to `offset` bytes from the first one.
        fn write_buffer(
            device: &SharedPtr<MeshDevice>,
            buffer: &SharedPtr<MeshBuffer>,
            offset: u64,
            bytes: &[u8],
        ) -> Result<()>;
        /// Whole pages, from `offset` bytes from the first one on.
        fn read_buffer(
            device: &SharedPtr<MeshDevice>,
            buffer: &SharedPtr<MeshBuffer>,
            offset: u64,
            bytes: &mut [u8],
        ) -> Result<()>;

        fn create_program() -> Result<UniquePtr<Program>>;
        fn add_circular_buffer(
            program: Pin<&mut Program>,
            cores: &[Rectangle],
            spec: &CircularBufferSpec,
        ) -> Result<()>;
        /// A circular buffer of the pages that `buffer` has in the L1 of each core.
        fn add_circular_buffer_on(
            program: Pin<&mut Program>,
            cores: &[Rectangle],
            spec: &CircularBufferSpec,
            buffer: &SharedPtr<MeshBuffer>,
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

impl From<ArchName> for Chip {
    fn from(arch: ArchName) -> Chip {
        match arch {
            ArchName::WormholeB0 => Chip::WormholeB0,
            ArchName::Blackhole => Chip::Blackhole,
        }
    }
}

impl From<DataFormat> for Format {
    fn from(format: DataFormat) -> Format {
        match format {
            DataFormat::Float32 => Format::Float32,
            DataFormat::Float16B => Format::Float16B,
            DataFormat::Bfp8B => Format::Bfp8B,
            DataFormat::Bfp4B => Format::Bfp4B,
            DataFormat::Int32 => Format::Int32,
            DataFormat::UInt8 => Format::UInt8,
            DataFormat::Int8 => Format::Int8,
        }
    }
}

impl From<ir::Fidelity> for Fidelity {
    fn from(fidelity: ir::Fidelity) -> Fidelity {
        match fidelity {
            ir::Fidelity::LoFi => Fidelity::LoFi,
            ir::Fidelity::HiFi2 => Fidelity::HiFi2,
            ir::Fidelity::HiFi3 => Fidelity::HiFi3,
            ir::Fidelity::HiFi4 => Fidelity::HiFi4,
        }
    }
}

impl DeviceFacts {
    /// The device's chip.
    ///
    /// # Errors
    /// Where the C++ side names one that this side does not know.
    pub(crate) fn arch(&self) -> Result<ArchName> {
        let mut known = ArchName::ALL.into_iter();
        known.find(|arch| Chip::from(*arch) == self.chip).ok_or_else(|| {
            let message = format!("the device has a chip that is not known here: {:?}", self.chip);
            Error::new(ErrorKind::Device, message)
        })
    }
}

/// An exception of the runtime as an error: the message without the C++ stack that Metalium appends.
pub(crate) fn thrown(kind: ErrorKind, doing: &str, exception: &cxx::Exception) -> Error {
    let message = exception.what();
    let message = message.split("\nbacktrace:").next().unwrap_or(message).trim_end();
    Error::new(kind, format!("{doing}: {message}"))
}

/// What a run of a program was refused with, or failed with: of want of L1 circular buffers are found to clash with tensors before anything
/// runs (rule EMU0406; `ProgramImpl::validate_circular_buffer_region` of TT-Metalium).
pub(crate) fn failed_run(doing: &str, exception: &cxx::Exception) -> Error {
    let lacks_room = ["EMU0406", "Statically allocated circular buffers"];
    let kind = match lacks_room.iter().any(|words| exception.what().contains(words)) {
        true => ErrorKind::Memory,
        false => ErrorKind::Run,
    };
    thrown(kind, doing, exception)
}
