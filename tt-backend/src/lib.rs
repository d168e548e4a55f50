//! The compiler from Tile IR to TT-Metalium C++: targets, passes, verification, code writers.
//!
//! [`compile`] runs the pipeline of [`passes`] and writes the [`Artifact`]. Passes decide; [`codegen`] prints.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod artifact;
mod bounds;
pub mod codegen;
pub mod codes;
pub mod device;
pub mod flow;
mod in_parts;
mod linear;
#[doc(hidden)]
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "mutants are made of what is known to be worth breaking; of everything else there are none"
)]
pub mod mutate;
mod names;
pub mod passes;
mod persistent;
pub mod pipeline;
pub mod stages;
pub mod target;
#[doc(hidden)]
pub mod text;
pub mod tile_ops;
pub mod verify;
mod ways;

pub(crate) use tt_lang::tree as ir;

pub use artifact::{Artifact, Programs, Stage};
#[doc(hidden)]
pub use names::is_reserved;
pub use pipeline::{PASSES, Times, compile, compile_each, timed};
#[doc(hidden)]
pub use pipeline::{lowered, rewritten, unverified, written};
pub use ways::{Compiled, compile_all_ways, other_ways};
