//! The kernel language: Tile IR, its syntax, its checks and its reference interpreter.
//!
//! `ir` is what everything else speaks; it knows neither Rust tokens nor devices and can be serialised, so that a
//! launcher can carry it to run time. `syntax` (feature of the same name) turns a Rust function into it.

#![deny(clippy::wildcard_enum_match_arm)]

pub mod codes;
pub mod diagnostic;
#[doc(hidden)]
pub mod hash;
pub mod interpret;
pub mod ir;
#[cfg(feature = "syntax")]
pub mod syntax;
pub mod tree;
mod warnings;

pub use warnings::warnings;
