//! Operations of the vector unit on integers.
//!
//! A 32-bit destination register holds the bits of the integer where it otherwise holds those of an fp32; a 16-bit register
//! holds 16 bits, in the upper half of the emulator's word. [`table`] says what each operation does to a lane, [`run`] does it.

pub mod run;
pub mod table;
