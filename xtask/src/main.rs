//! The project's own chores: `cargo xtask --help` lists them.
//!
//! This crate stays light, so that a chore starts at once. What needs the host library or other crates (benchmarks, runs on
//! the emulator) lives in `xtask/bench`, which the chores here build and start.

mod arguments;
mod heavy;
mod kernels;
mod programs;
mod project;
mod targets;

use arguments::{Arguments, Chore};
use std::process::ExitCode;

/// Every chore, in the order of the help.
const CHORES: &[Chore] = &[
    programs::CHORE,
    targets::CHORE,
    kernels::CHORE,
    heavy::ORACLE,
    heavy::BENCH,
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let outcome = match words.next().as_deref() {
        None | Some("--help" | "-h" | "help") => {
            print!("{}", arguments::help(CHORES));
            return ExitCode::SUCCESS;
        }
        Some(name) => match CHORES.iter().find(|chore| chore.name == name) {
            None => Err(format!("there is no chore `{name}`; `cargo xtask --help` lists them")),
            Some(chore) => match Arguments::parse(chore, words) {
                Ok(None) => {
                    print!("{}", arguments::chore_help(chore));
                    return ExitCode::SUCCESS;
                }
                Ok(Some(arguments)) => (chore.run)(&arguments),
                Err(message) => Err(message),
            },
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
