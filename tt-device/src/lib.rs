//! The facts of the device, each written once: language, compiler, host and emulator read them here.
//!
//! The [`catalogue`](ELEMENT_OPS) has one row for every operation on elements: what it is called, what it gives, how the
//! host computes it in C++, which calls of TT-Metalium compute it on a tile. Beside it stand the formats of elements with their
//! pages, the layout of a tile, the chips with their budgets, and what steps [cost](costs) on them. What the emulator must know on its own to be
//! a check of the compiler (the protocol, the state of the engines, which init a call needs) is not here.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod catalogue;
mod chip;
pub mod composed;
pub mod costs;
mod expansion;
mod format;
mod function;
mod operation;
mod special;
mod tile;

pub use catalogue::{BIT_OPS, ELEMENT_OPS, ElementOp, SFPU_OPS, SfpuOp};
pub use chip::{ArchName, BLACKHOLE, CHIPS, Chip, MAX_RUNTIME_ARGS, SEMAPHORES, WORMHOLE_B0};
pub use expansion::{Expansion, PerElement, Relation};
pub use format::{DataFormat, ElementType};
pub use function::{Function, Inclusion};
pub use operation::{Arithmetic, Cpp, ElementOpRow, Lowering, OfZeros, OnIntegers, OnUnsigned, SfpuForm, SfpuRow};
pub use tile::{
    FACE, FACE_ELEMENTS, FACE_SIDE, TILE, TILE_ELEMENTS, TILE_SIDE, are_whole_tiles, elements_along, tiles_along,
    whole_tiles_along,
};
