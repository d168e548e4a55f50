//! The tables of functions through which kernels call the engine.
//!
//! Kernels link to nothing: each exports one entry that takes these tables. What they are is said in `kernel_calls.rs` alone;
//! the device header of the same is written by the build script and is part of every kernel's key, so that an object compiled
//! for other tables is never loaded.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::ptr::NonNull;

use crate::compute::sfpu_calls::SfpuCall;

/// Entry of a compiled kernel.
pub type KernelEntry = unsafe extern "C" fn(*const Api);

/// A text of C++ that ends in 0. Only C++ makes one, of memory that is there during the call that gets it.
#[repr(transparent)]
pub struct CText(NonNull<c_char>);

impl CText {
    /// The text, with replacement characters for what is not UTF-8.
    pub fn get(&self) -> Cow<'_, str> {
        // SAFETY: as the type says.
        unsafe { CStr::from_ptr(self.0.as_ptr()) }.to_string_lossy()
    }
}

include!("kernel_calls.rs");
