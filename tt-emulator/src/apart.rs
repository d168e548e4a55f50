//! What takes time, as a crate of its own without dependencies.
//!
//! A program built without `--release` builds this package without optimisation too, and the compute engines are a hundred times
//! slower then: what a profile says of a package counts in the workspace that is built, not in ours. So where Cargo asks for no
//! optimisation the build script compiles this file, with all of it, and the crate takes the modules from there.

#[macro_use]
mod tables;
#[macro_use]
mod enumerations;

pub mod arch;
#[path = "compute/calculation.rs"]
pub mod compute;
#[path = "engine/copying.rs"]
pub mod copying;
pub mod data_format;
pub mod kernel_config;
pub mod rules;
