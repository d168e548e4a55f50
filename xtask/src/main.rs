//! The project's own chores: `cargo xtask --help` lists them.
//!
//! This crate stays light, so that a chore starts at once. What needs the host library or other crates lives in crates of
//! its own below this one, which the chores here build and start: benchmarks in `xtask/bench`,
//! checks against TT-Metalium itself in `xtask/conformance`.

mod heavy;
mod miri;
mod programs;
mod targets;

use std::process::ExitCode;
use xtask::arguments::{Chore, dispatch};

/// Every chore, in the order of the help.
const CHORES: &[Chore] = &[
    programs::CHORE,
    targets::CHORE,
    miri::CHORE,
    xtask::kernels::CHORE,
    xtask::library::CHORE,
    heavy::CONFORMANCE,
    heavy::BENCH,
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    if words.peek().map(String::as_str) == Some(heavy::CONFORMANCE.name) {
        // Its checks have options of their own.
        return heavy::conformance(words.skip(1).collect());
    }
    dispatch("cargo xtask", CHORES, words)
}
