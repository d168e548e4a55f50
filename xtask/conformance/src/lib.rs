//! The checks of `cargo xtask conformance`.

pub mod emulated;
pub mod production;
pub mod simulator;
