//! The programs of the book: `cargo run --release -p tt-book NAME` runs the one that a page shows under this name.

use std::process::ExitCode;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    match PROGRAMS.iter().find(|(known, _)| *known == name) {
        Some((_, run)) => match run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("Error: {error:?}");
                ExitCode::FAILURE
            }
        },
        None => {
            let names: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).collect();
            eprintln!("usage: cargo run --release -p tt-book NAME, with one of\n{}", names.join("\n"));
            ExitCode::FAILURE
        }
    }
}
