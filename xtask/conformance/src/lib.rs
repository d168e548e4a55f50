//! The checks of `cargo xtask conformance`.

pub mod abi;
pub mod binaries;
pub mod corpus;
pub mod emulated;
pub mod examples;
pub mod fetch;
pub mod headers;
pub mod ir_mutations;
pub mod launch;
pub mod mutations;
pub mod names;
pub mod production;
pub mod rules;
pub mod sfpu;
pub mod simulator;
