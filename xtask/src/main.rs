//! The project's own chores: `cargo xtask --help` lists them.
//!
//! This crate stays light, so that a chore starts at once. What needs the host library or other crates lives in crates of
//! its own below this one, which the chores here build and start: benchmarks in `xtask/bench`,
//! checks against TT-Metalium itself in `xtask/conformance`.

mod heavy;
mod miri;
mod programs;
mod targets;

use clap::Parser;
use std::process::ExitCode;

/// The project's own chores
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    Explain(xtask::explain::Options),
    Book(xtask::book::Options),
    Programs(programs::Options),
    Targets(targets::Options),
    Miri(miri::Options),
    Kernels(xtask::kernels::Options),
    Library(xtask::library::Options),
    Conformance(heavy::Words),
    Bench(xtask::bench::Options),
    Tune(xtask::tune::Options),
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Explain(options) => xtask::explain::run(&options),
        Chore::Book(options) => xtask::book::run(&options),
        Chore::Programs(options) => programs::run(&options),
        Chore::Targets(_) => targets::run(),
        Chore::Miri(_) => miri::run(),
        Chore::Kernels(options) => xtask::kernels::run(&options),
        Chore::Library(options) => xtask::library::run(&options),
        Chore::Conformance(_) => heavy::start("tt-conformance", "conformance", &[]),
        Chore::Bench(_) => heavy::start("tt-bench", "bench", &["--release"]),
        Chore::Tune(_) => heavy::start("tt-bench", "tune", &["--release"]),
    };
    xtask::exit("cargo xtask", outcome)
}
