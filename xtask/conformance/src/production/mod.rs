//! `cargo xtask conformance kernels`: kernels of production operations on the emulator, their numbers checked.

mod bounds;
pub mod case;
mod compute;
mod dataflow;
pub mod multicast_matmul;
mod run;
mod simulated;
mod table;
pub mod values;
mod wheel;

use crate::simulator::oracle::Oracle;
use case::Case;
use clap::Args;
use std::path::PathBuf;
use tt_emulator::ArchName;
use xtask::project;

pub use run::{Outcome, run as run_case};
pub use wheel::Wheel;

/// Where the table lies in the repository.
const TABLE: &str = "docs/production-kernels.md";

/// Runs production kernels of the ttnn wheel on the emulator and checks their numbers
///
/// Every kernel runs on both emulated chips under a host program written by hand. Fails where a kernel does not give right
/// numbers, where one listed as failing does (crashes of the machine's C++ compiler apart), and where
/// docs/production-kernels.md is not what was found.
#[derive(Args)]
pub struct Arguments {
    /// The unpacked wheel of ttnn, the folder that holds ttnn/cpp/ttnn
    #[arg(long, value_name = "DIR")]
    wheel: Option<PathBuf>,
    /// Cases whose name or kernels contain one of these; leaves the table alone
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Also runs them on simulated chips with this tool (shared/oracle/run_oracle), all that it can be told of
    #[arg(long, value_name = "FILE")]
    simulator: Option<PathBuf>,
    /// Writes docs/production-kernels.md instead of comparing it
    #[arg(long)]
    write: bool,
}

/// Every case, for a chip.
fn cases(arch: ArchName) -> Vec<Case> {
    [
        dataflow::cases(arch),
        multicast_matmul::cases(arch),
        compute::cases(arch),
    ]
    .concat()
}

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let wheel = match &arguments.wheel {
        Some(path) => Wheel::at(path)?,
        None => Wheel::fetched()?,
    };
    let only = &arguments.only;
    let oracle = match &arguments.simulator {
        Some(tool) => Some(Oracle::find(Some(tool))?),
        None => None,
    };
    let mut wrong = Vec::new();
    for arch in ArchName::ALL {
        let mut cases = cases(arch);
        cases.retain(|case| is_wanted(case, only.as_deref()));
        if cases.is_empty() {
            return Err(format!(
                "no case has any of `{}` in its name or in that of its kernels",
                only.as_deref().unwrap_or_default().join(", ")
            ));
        }
        if only.is_some() {
            println!("{} cases on {arch}", cases.len());
        }
        for (case, outcome) in cases.iter().zip(run::run_all(&cases, &wheel, arch)) {
            match (outcome, &case.fails) {
                (Ok(Outcome { share, .. }), None) => {
                    if only.is_some() {
                        println!("{} on {arch}: off by {:.2} % of the bound", case.name, 100.0 * share);
                    }
                }
                (Ok(_), Some(failure)) if failure.is_of_compiler() => println!(
                    "{} on {arch} gives right numbers: this C++ compiler survives it, though {}",
                    case.name, failure.reason
                ),
                (Err(error), Some(failure)) if error.contains(failure.evidence) => {
                    if only.is_some() {
                        let shown = error.lines().find(|line| line.contains(failure.evidence));
                        println!("{} on {arch} fails, as listed: {}", case.name, shown.unwrap_or(&error));
                    }
                }
                (Err(error), Some(failure)) => wrong.push(format!(
                    "{} on {arch} fails, but not with `{}`: {error}",
                    case.name, failure.evidence
                )),
                (Err(error), None) => wrong.push(format!("{} on {arch}: {error}", case.name)),
                (Ok(_), Some(failure)) => wrong.push(format!(
                    "{} on {arch} gives right numbers but is listed as failing: {}",
                    case.name, failure.reason
                )),
            }
        }
        if let Some(oracle) = &oracle {
            let folder = project::target().join("production/specs");
            let outcome = simulated::run(oracle, &cases, &wheel, arch, &folder)?;
            println!(
                "{} of {} cases give right numbers on the simulated {arch}",
                outcome.ran - outcome.wrong.len(),
                outcome.ran
            );
            if !outcome.unknown.is_empty() {
                println!("the simulator can say nothing of {}", outcome.unknown.join(", "));
            }
            wrong.extend(outcome.wrong);
        }
    }
    if !wrong.is_empty() {
        return Err(format!("{} cases are wrong\n{}", wrong.len(), wrong.join("\n")));
    }
    if only.is_some() {
        return Ok(());
    }
    let (counts, text) = table::table(&cases(ArchName::WormholeB0));
    println!(
        "{} production kernels give right numbers on both chips: {} of data movement, {} of compute; {} do not",
        counts.data_movement + counts.compute,
        counts.data_movement,
        counts.compute,
        counts.failing
    );
    keep(&text, arguments.write)
}

fn is_wanted(case: &Case, only: Option<&[String]>) -> bool {
    let Some(words) = only else { return true };
    let contains = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    contains(&case.name) || case.kernels.iter().any(|kernel| contains(&kernel.path))
}

/// Writes the table, or compares it.
fn keep(text: &str, write: bool) -> Result<(), String> {
    let path = project::root().join(TABLE);
    if write {
        return project::write(&path, text);
    }
    let known = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if known == text {
        Ok(())
    } else {
        Err(format!("{TABLE} is not what was found: `--write` writes it anew"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_case_has_a_name_of_its_own_can_fail_and_is_there_for_both_chips() {
        let names = |arch| {
            let mut names = BTreeSet::new();
            for case in cases(arch) {
                run::check(&case).unwrap_or_else(|error| panic!("{}: {error}", case.name));
                assert!(names.insert(case.name.clone()), "two cases are called {}", case.name);
            }
            names
        };
        assert_eq!(names(ArchName::WormholeB0), names(ArchName::Blackhole));
    }
}
