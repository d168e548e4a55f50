//! Chores that need the host library: they live in the crate `tt-bench` (`xtask/bench`), built with optimisations.

use crate::arguments::{Arguments, Chore};
use crate::project;

/// Kernels on the real runtime's simulator against the emulator.
pub const ORACLE: Chore = Chore {
    name: "oracle",
    operand: "",
    options: &[
        ("out", "DIR", "where to write"),
        (
            "programs",
            "DIR",
            "where matmul.rs, tir_matmul.rs and elementwise.rs are (default: ../shared/programs)",
        ),
        ("arch", "NAME", "wormhole_b0 (default) or blackhole"),
    ],
    about: "runs kernels on the emulator and writes what shared/oracle/run_oracle needs to run the same ones\n\n\
            For every kernel and shape DIR/<kernel>-<shape>/ gets spec.json, made from the plan file alone, the three\n\
            kernels, the inputs and, as the expectation, the emulator's outputs. Then: run_oracle --spec-dir DIR",
    run: |arguments| start("oracle", arguments),
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
    run: |arguments| start("bench", arguments),
};

fn start(binary: &str, arguments: &Arguments) -> Result<(), String> {
    let status = project::cargo()
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "tt-bench",
            "--bin",
            binary,
            "--",
        ])
        .args(arguments.words())
        .current_dir(project::root())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{binary}` ended with {status}"))
    }
}
