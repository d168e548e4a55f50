//! The tables of functions through which kernels call the engine.
//!
//! Kernels link to nothing: each exports one entry that takes these tables. What they are is said in `kernel_calls.rs` alone;
//! the device header of the same is written by the build script and is part of every kernel's key, so that an object compiled
//! for other tables is never loaded.

use std::ffi::c_char;

use crate::compute::sfpu_calls::SfpuCall;

/// Entry of a compiled kernel.
pub type KernelEntry = unsafe extern "C" fn(*const Api);

include!("kernel_calls.rs");
