//! The table of production kernels, as the repository keeps it.

use super::case::Case;
use super::values::Expected;
use std::collections::BTreeMap;
use std::fmt::Write;
use tt_emulator::kernel_config::KernelRole;

/// What is known of a kernel from all its cases.
#[derive(Default)]
struct Row {
    risc: &'static str,
    runs: Vec<String>,
    bounds: Vec<String>,
    failures: Vec<String>,
}

/// Kernels that give right numbers, of data movement and of compute, and kernels that do not.
pub struct Counts {
    /// Readers and writers.
    pub data_movement: usize,
    /// Compute kernels.
    pub compute: usize,
    /// Kernels that give right numbers in no case.
    pub failing: usize,
}

/// Counts and text of the table of `cases`.
pub fn table(cases: &[Case]) -> (Counts, String) {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for case in cases {
        for kernel in case.kernels.iter().filter(|kernel| kernel.text.is_none()) {
            let row = rows.entry(&kernel.path).or_default();
            row.risc = match kernel.role {
                KernelRole::Compute(_) => "compute",
                KernelRole::DataMovement { .. } => "data movement",
            };
            match &case.fails {
                Some(failure) => row.failures.push(format!("{}: {}", case.name, failure.reason)),
                None => {
                    row.runs.push(case.name.clone());
                    let bounds = case.buffers.iter().filter_map(|buffer| buffer.expected.as_ref());
                    row.bounds.extend(bounds.map(Expected::bound));
                }
            }
        }
    }
    let runs = |risc: &str| {
        rows.values()
            .filter(|row| row.risc == risc && !row.runs.is_empty())
            .count()
    };
    let counts = Counts {
        data_movement: runs("data movement"),
        compute: runs("compute"),
        failing: rows.values().filter(|row| row.runs.is_empty()).count(),
    };
    (counts, text(&rows))
}

fn text(rows: &BTreeMap<&str, Row>) -> String {
    let mut text = String::from(
        "# Production kernels on the emulator\n\n\
         Kernels that the operations of `ttnn` 0.81.1 run, taken from its wheel as they are (but for two constructs\n\
         that GCC 12 refuses: docs/device.md) and run on both emulated chips under host programs written by hand (`xtask/conformance/src/production`). Their results are compared with plain\n\
         Rust: byte by byte where data only moves, within the bound given where it is computed with. None of their code is\n\
         part of this repository. `cargo xtask conformance kernels` runs them all and fails where one is wrong, where one\n\
         that is listed as failing is right, and where this table, which `--write` writes, is not what it found.\n",
    );
    for risc in ["data movement", "compute"] {
        let rows = || rows.iter().filter(|(_, row)| row.risc == risc && !row.runs.is_empty());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n## {} kernels of {risc}\n", rows().count());
        text.push_str("| kernel | cases | results |\n|---|---|---|\n");
        for (path, row) in rows() {
            let _ = writeln!(text, "| `{path}` | {} | {} |", list(&row.runs), list(&row.bounds));
        }
    }
    let failing = || rows.iter().filter(|(_, row)| !row.failures.is_empty());
    if failing().next().is_some() {
        text.push_str("\n## What does not work yet\n\n| kernel | case and reason |\n|---|---|\n");
        for (path, row) in failing() {
            let _ = writeln!(text, "| `{path}` | {} |", list(&row.failures));
        }
    }
    text
}

/// Each once, in order, separated by commas.
fn list(items: &[String]) -> String {
    let mut items = items.to_vec();
    items.sort();
    items.dedup();
    items.join(", ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::production::case::{Buffer, Kernel};

    #[test]
    fn a_kernel_counts_once_and_as_failing_only_where_nothing_works() {
        let case = |name: &str, paths: &[&str]| {
            let case = Case::new(name).buffer(Buffer::output("out", 32, vec![0; 32]));
            paths
                .iter()
                .fold(case, |case, path| case.kernel(Kernel::reader(path, &[(0, 0)])))
        };
        let cases = [
            case("one", &["a.cpp", "b.cpp"]),
            case("two", &["a.cpp"]),
            case("three", &["b.cpp", "c.cpp"]).fails("a reason", "an error"),
        ];
        let (counts, text) = table(&cases);
        assert_eq!((counts.data_movement, counts.compute, counts.failing), (2, 0, 1));
        assert!(text.contains("| `a.cpp` | one, two | exact |"));
        assert!(text.contains("| `c.cpp` | three: a reason |"));
    }
}
