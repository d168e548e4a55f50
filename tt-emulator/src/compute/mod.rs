//! The compute engines of a core: unpackers, matrix engine, vector unit, packer and destination registers.
//!
//! A compute kernel runs as one coroutine; what are three threads on silicon is held together by a strict state machine
//! ([`destination`]) and by tracking what each engine is set for ([`engine_state`]). Tiles stay in the hardware's face order
//! from page to page. What kernels call is in [`crate::engine`]; nothing here knows of it.

#[cfg(any(test, doc, not(tt_emulator_apart)))]
#[path = "calculation.rs"]
pub mod calculation;

#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub use calculation::*;
#[cfg(all(not(any(test, doc)), tt_emulator_apart))]
pub use tt_emulator_calculation::compute::*;

/// The operations of the vector unit alone, to be measured against the chips.
pub mod vector_unit {
    pub use super::sfpu::cases::{CASES, Case};
    pub use super::sfpu::measure::{COUNT, applied, digest, distance, fed, line, name, packed, results};
}
