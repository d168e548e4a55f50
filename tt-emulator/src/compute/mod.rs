//! The compute engines of a core: unpackers, matrix engine, vector unit, packer and destination registers.
//!
//! A compute kernel runs as one coroutine; what are three threads on silicon is held together by a strict state machine
//! ([`destination`]) and by tracking what each engine is set for ([`engine_state`]). Tiles stay in the hardware's face order
//! from page to page. [`abi`] is the table of functions that device headers call.

pub mod abi;
mod block_float;
mod counters;
mod cumulative;
mod destination;
mod engine_state;
mod entries;
#[cfg(test)]
mod figures;
mod fpu;
mod integer;
mod matrix_calls;
mod pack;
mod pack_calls;
mod rounding;
mod row_major;
pub(crate) mod rules;
mod sfpu;
mod sfpu_calls;
mod state;
mod thread_entries;
mod tile;
mod unpack;
mod untilize_entries;
mod vector;

/// The operations of the vector unit alone, to be measured against the chips.
pub mod vector_unit {
    pub use super::sfpu::cases::{CASES, Case};
    pub use super::sfpu::measure::{COUNT, applied, digest, distance, fed, line, name, packed, results};
}

pub use counters::ComputeCounters;
pub use rules::RULES;
pub(crate) use state::ComputeState;
