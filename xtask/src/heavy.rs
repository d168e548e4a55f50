//! Chores that need more than this crate: they are started from crates of their own.

use std::process::ExitCode;
use xtask::arguments::Chore;
use xtask::project;

/// Checks against TT-Metalium itself.
pub const CONFORMANCE: Chore = Chore {
    name: "conformance",
    operand: "CHECK",
    options: &[],
    about: "holds what we emit and what we emulate against TT-Metalium; `conformance --help` lists the checks",
    run: |arguments| start("tt-conformance", "conformance", &[], &arguments.words()),
};

/// Measurements.
pub const BENCH: Chore = Chore {
    name: "bench",
    operand: "",
    options: &[
        ("only", "NAMES", "only these measurements, separated by commas"),
        (
            "quick",
            "",
            "smaller sizes, to see that everything runs; writes nothing",
        ),
        ("list", "", "the measurements with what each is compared to"),
    ],
    about: "measures speed and memory, prints a table and writes it to BENCHMARKS.md\n\n\
            Everything is measured in one run, side by side with what it is compared to.",
    run: |arguments| start("tt-bench", "bench", &["--release"], &arguments.words()),
};

/// [`CONFORMANCE`] with the words of the command line as they are.
pub fn conformance(words: Vec<String>) -> ExitCode {
    match start("tt-conformance", "conformance", &[], &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn start(package: &str, binary: &str, profile: &[&str], words: &[String]) -> Result<(), String> {
    let status = project::cargo()
        .args(["run", "--quiet", "--package", package, "--bin", binary])
        .args(profile)
        .arg("--")
        .args(words)
        .current_dir(project::root())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{binary}` ended with {status}"))
    }
}
