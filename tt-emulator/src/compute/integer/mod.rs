//! Operations of the vector unit on integers.
//!
//! A 32-bit destination register holds the bits of the integer where it otherwise holds those of an fp32; a 16-bit register
//! holds 16 bits, raw, in the arrangement that copies and packs know too. [`table`] says what each operation does to a lane,
//! [`run`] does it.

pub mod run;
pub mod table;
