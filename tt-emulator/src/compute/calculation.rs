//! The compute engines without the calls of kernels: all that takes time.
//!
//! Compiled as part of the crate where that is optimised, else apart and optimised (see `../apart.rs`). So nothing in here, and
//! in [`crate::arch`], [`crate::data_format`], `crate::enumerations`, [`crate::kernel_config`] and [`crate::rules`], may use what is outside of it, or
//! a crate other than `std`.

pub mod ahead;
pub mod block_float;
pub mod counters;
pub mod cumulative;
pub mod destination;
pub mod engine_state;
pub mod enumerations;
#[cfg(test)]
mod figures;
pub mod fpu;
pub mod integer;
pub mod kept;
pub mod matrix_calls;
pub mod pack;
pub mod pack_calls;
pub mod reused;
pub mod rounding;
pub mod row_major;
pub mod rules;
pub mod sfpu;
pub mod sfpu_calls;
pub mod state;
pub mod tile;
pub mod unpack;
pub mod vector;
pub use counters::{ComputeCounters, FromChip};
pub use rules::RULES;
pub use state::{ComputeState, Fpu};
