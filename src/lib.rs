//! Write tile kernels for Tenstorrent accelerators in Rust.
//!
//! A kernel is a function under [`#[tt::kernel]`](kernel): it says what happens to blocks of tensors on a grid of cores. The
//! compiler behind the attribute turns it into TT-Metalium C++ and leaves a launcher of the same name, which runs it on the
//! [`Device`] that `TT_DEVICE` names: the embedded emulator unless told otherwise.
//!
//! ```no_run
//! use tt::prelude::*;
//!
//! # fn main() -> tt::Result<()> {
//! let device = tt::Device::open()?;
//! let a = device.upload(&[1.0f32; 64 * 64], [64, 64])?;
//! let b = device.zeros::<bf16>([64, 64])?;
//! println!("{device}: {:?} and {:?}", a.shape(), b.download()?.len());
//! # Ok(()) }
//! ```

pub use tt_host::{
    Argument, Bound, BufferReport, Comparison, ComputeCounters, Constant, CoreCounters, CoreRange, CoreWork,
    DEVICE_VARIABLE, Device, DeviceGrid, Direction, Element, ElementType, EngineReport, Error, ErrorKind, Estimate,
    Execution, Float, FromChip, Launch, LaunchReport, Layout, LayoutRecord, Modelled, MovedReport, OperandReport, Plan,
    Profile, Reference, Report, Result, RiscCounters, RunCounters, Sources, StageReport, StageSources, Tensor,
    Unstored, UploadF32, Use, WorkItem, Zeros, bf16, bfp4, bfp8, f16,
};
pub use tt_macros::{kernel, module, sfpu_op};

/// What a file with kernels imports.
pub mod prelude {
    pub use crate::{Device, Layout, Result, Tensor, UploadF32, Zeros, bf16, bfp4, bfp8, f16};
}

/// For the code that [`kernel`] leaves behind.
#[doc(hidden)]
pub mod __private {
    pub use tt_host::{Sharing, launcher};
}
