//! Devices, tensors and launches over the TT-Metalium host API.
//!
//! One path, two Metaliums: everything here goes through the `bridge` to the host API, which the embedded emulator provides
//! by default and `libtt_metal.so` where `TT_METAL_HOME` named an SDK when this crate was built.
//!
//! - [`Device`]: opening, sharing, closing;
//! - [`Tensor`]: upload and download, in tiles of 32 × 32 on the device;
//! - [`Launch`]: a kernel with its arguments, made by the function that `#[tt::kernel]` leaves behind ([`launcher!`]);
//! - [`Error`]: everything that can fail.

mod block_float;
mod bridge;
mod device;
mod element;
mod emulator;
mod error;
mod host_memory;
mod interop;
mod kernel;
mod launch;
mod launcher;
mod layout;
mod tensor;
mod tile;

pub use block_float::{bfp4, bfp8};
pub use device::{DEVICE_VARIABLE, Device};
pub use element::{Element, Float};
pub use error::{Error, ErrorKind, Result};
pub use half::{bf16, f16};
pub use kernel::{EntryPoint, Kernel, Precompiled, Sources, StageSources};
pub use launch::{Argument, Comparison, Constant, Launch, Profile, Reference};
pub use layout::Layout;
pub use tensor::{Tensor, UploadF32, Zeros};
pub use tt_emulator::abi::Api as KernelApi;
pub use tt_emulator::{
    Bound, ComputeCounters, CoreCounters, FromChip, Modelled, RiscCounters, RunCounters, Unstored, Use,
};
pub use tt_lang::ir::ElementType;
pub use tt_plan::{
    BufferReport, CoreRange, CoreWork, DeviceGrid, Direction, EngineReport, Estimate, Execution, LaunchReport,
    LayoutRecord, MovedReport, OperandReport, Plan, Report, Sharing, StageReport, Way, WorkItem,
};
