//! What the project's chores share: command lines, where things are, and the kernels that everything is checked on.

pub mod bench;
pub mod book;
pub mod explain;
pub mod kernels;
pub mod library;
pub mod project;
pub mod tune;

use std::process::ExitCode;

/// How `program` ends whose chore gave `outcome`.
pub fn exit(program: &str, outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{program}: {message}");
            ExitCode::FAILURE
        }
    }
}
