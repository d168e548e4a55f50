//! The checks of `cargo xtask conformance`.

pub mod production;
