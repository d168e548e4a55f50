//! The version of the table through which kernels call the engine.
//!
//! It is part of every kernel key, so an object compiled for another table is never loaded.

/// Raised whenever the layout of the table in `abi.rs` or `compute/abi.rs` changes.
pub const ABI_VERSION: u32 = 3;
