//! What the C++ host API calls: the engine behind functions with C++'s calling convention.
//!
//! The shim in `host/src` turns each call of the real host API into one of these, and `../abi/host_calls.rs` says what they
//! are. Handles are boxed Rust values. A failure gives null or a negative number, and its text is kept for
//! [`error::tt_emulator_last_error`]; no panic gets out.
//!
//! What C++ promises is in the types: a `Box` is a handle that it gives up, a reference one that is live and, where it is
//! `mut`, that nobody else uses meanwhile, and a [`Slice`] is of memory that is there during the call.

mod device;
mod error;
mod memory;
mod program;

use std::ffi::c_char;
use std::sync::Arc;

use error::call;

use crate::abi::CText;
use crate::engine::device as engine_device;
use crate::engine::program as engine_program;

/// What a handle of a device is.
type Device = Arc<engine_device::Device>;
type Buffer = engine_device::Buffer;
type Program = engine_program::Program;

/// A type that has a name only on the other side.
macro_rules! opaque {
    ($name:ident {}) => {};
}

/// A structure of its own for every type of values; what it is made of is [`memory`]'s.
macro_rules! template {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[repr(C)]
        pub struct $name<T> {
            $($field: $type,)*
        }
    };
}

/// Exports functions that are answered by those of the same name in `answers`.
macro_rules! calls {
    ($host:ident {
        $($(#[$row:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*
    }) => {
        $(
            $(#[$row])*
            // SAFETY: no other symbol begins with `tt_emulator_`.
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                call(|| answers::$name($($argument),*))
            }
        )*
    };
}

/// What answers the calls.
mod answers {
    pub(super) use super::device::*;
    pub(super) use super::error::tt_emulator_last_error;
    pub(super) use super::program::*;
}

include!("../abi/host_calls.rs");
