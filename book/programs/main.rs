//! The programs of the book: `cargo run --release -p tt-book NAME` runs the one that a page shows under this name.

use std::process::ExitCode;

/// A program.
type Run = fn() -> tt::Result<()>;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        PROGRAMS.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Some((_, run)) = PROGRAMS.iter().find(|(known, _)| *known == name) else {
        eprintln!("the book has no program `{name}`; without a name they are listed");
        return ExitCode::FAILURE;
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
