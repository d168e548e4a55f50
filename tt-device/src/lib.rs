//! The facts of the device, each written once: language, compiler, host and emulator read them here.
//!
//! The [`catalogue`](ELEMENT_OPS) has one row for every operation on elements: what it is called, what it gives, how the
//! host computes it in C++, which calls of TT-Metalium compute it on a tile. What the emulator must know on its own to be
//! a check of the compiler (the protocol, the state of the engines, which init a call needs) is not here.

mod catalogue;
pub mod composed;
mod function;
mod operation;
mod special;

pub use catalogue::{ELEMENT_OPS, ElementOp, SFPU_OPS, SfpuOp};
pub use function::Function;
pub use operation::{Arithmetic, Cpp, ElementOpRow, Lowering, OfZeros, SfpuForm, SfpuRow};
