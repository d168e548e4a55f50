//! `cargo xtask miri`: the engine of the emulator, and the memory that it shares with C++, under Miri, which checks every reference
//! that is made against the rules of aliasing, and every thread's memory against what others do with it.
//!
//! What needs C++ or the system is left out: kernels are functions in Rust there (`tt-emulator/src/engine/aliasing.rs`).

use clap::Args;
use std::process::Command;
use xtask::project;

/// Addresses of L1 are numbers to kernels. What a thread that is never resumed still holds at the end is no leak.
const FLAGS: &str = "-Zmiri-permissive-provenance -Zmiri-disable-isolation -Zmiri-ignore-leaks";

/// Runs the tests of the emulator's engine, and of the memory it shares with C++, that need no C++ under Miri
///
/// Needs a nightly toolchain with it: rustup toolchain install nightly --component miri rust-src
#[derive(Args)]
pub struct Options {}

/// Does it.
pub fn run() -> Result<(), String> {
    let status = Command::new("rustup")
        .args([
            "run",
            "nightly",
            "cargo",
            "miri",
            "test",
            "--package",
            "tt-emulator",
            "--lib",
        ])
        .arg("--target-dir")
        .arg(project::target().join("miri"))
        // Mappings at a fixed address are the system's.
        .args(["--", "engine::", "host::memory::", "--skip", "region::"])
        .env("MIRIFLAGS", FLAGS)
        .current_dir(project::root())
        .status()
        .map_err(|error| format!("cannot start rustup: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("the engine does not pass under Miri".to_string()),
    }
}
