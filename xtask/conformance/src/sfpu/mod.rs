//! `cargo xtask conformance sfpu`: every operation of the vector unit over all inputs of 16 bits and many of 32, on the
//! simulated chips and on the emulator, bit for bit.
//!
//! The record, tt-emulator/tests/sfpu/recorded.txt, holds a digest and samples per operation, chip and width of the
//! registers; a test of the emulator holds to it where there is no simulator.

mod spec;
mod summary;

use crate::simulator::oracle::{Failure, Oracle};
use clap::Args;
use spec::Run;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tt_emulator::ArchName;
use tt_emulator::vector_unit::{CASES, Case, digest, distance, line, name, results};
use xtask::project;

/// Compares the vector unit's operations with the simulated chips, bit for bit
///
/// Results of the simulator in --out are taken as they are; a whole run takes about 20 minutes. Fails where an operation
/// differs, or is refused, that the record does not say so of.
#[derive(Args)]
pub struct Arguments {
    /// The tool that runs specs (default: ../shared/oracle/run_oracle)
    #[arg(long, value_name = "FILE")]
    oracle: Option<PathBuf>,
    /// Only operations called so, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Where results are kept and found again (default: sfpu in the target folder)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// 1: one chip after the other; 2: both at once
    #[arg(long, value_name = "N", default_value = "2")]
    jobs: String,
    /// Writes tt-emulator/tests/sfpu/recorded.txt and the results in docs/sfpu.md
    #[arg(long, conflicts_with = "only")]
    record: bool,
    /// Says so and succeeds where there is no simulator
    #[arg(long)]
    skip_without_simulator: bool,
}

/// What a simulated chip and the emulator gave.
enum Outcome {
    Equal(String),
    Differs { line: String, share: f64, distance: u64 },
    Refused(Failure),
}

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let record = project::root().join("tt-emulator/tests/sfpu/recorded.txt");
    let only = arguments.only.clone().unwrap_or_default();
    let cases: Vec<&Case> = CASES
        .iter()
        .filter(|case| only.is_empty() || only.iter().any(|name| name == case.name))
        .collect();
    if cases.is_empty() {
        return Err(format!("there is no operation called {}", only.join(" or ")));
    }
    let out = arguments.out.clone().unwrap_or_else(|| project::target().join("sfpu"));
    std::fs::create_dir_all(&out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    let missing = runs(&cases).filter(|run| !run.is_done(&out)).collect::<Vec<_>>();
    let mut refused = BTreeMap::new();
    if !missing.is_empty() {
        let oracle = match Oracle::find(arguments.oracle.as_deref()) {
            Ok(oracle) => oracle,
            Err(error) if arguments.skip_without_simulator => {
                println!("skipped: {error}");
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        refused = spec::simulate(&missing, &out, &oracle, &arguments.jobs)?;
    }
    let outcomes = runs(&cases)
        .map(|run| compare(&run, &out, &refused).map(|outcome| (run, outcome)))
        .collect::<Result<Vec<_>, String>>()?;
    let known = std::fs::read_to_string(&record).unwrap_or_default();
    let begins = |start: &str| known.lines().any(|line| line.starts_with(start));
    let mut unexpected = Vec::new();
    for (run, outcome) in &outcomes {
        let name = name(run.case, run.chip, run.wide);
        match outcome {
            Outcome::Equal(_) => println!("{name}: equal"),
            Outcome::Refused(why) => println!("{name}: refused by the simulator: {why}"),
            Outcome::Differs { share, distance, .. } => {
                println!("{name}: {:.3} % equal, at most {distance} ulp off", share * 100.0);
            }
        }
        let as_recorded = match outcome {
            Outcome::Equal(_) => true,
            Outcome::Refused(_) => begins(&format!("{name}\trefused\t")),
            Outcome::Differs { share, distance, .. } => begins(&format!("{name}\tdiffers\t{share:.5}\t{distance}\t")),
        };
        if !as_recorded {
            unexpected.push(name);
        }
    }
    if arguments.record {
        let document = project::root().join("docs/sfpu.md");
        let text = std::fs::read_to_string(&document)
            .map_err(|error| format!("cannot read {}: {error}", document.display()))?;
        project::write(&document, &summary::rewritten(&text, &outcomes)?)?;
        return project::write(&record, &recorded(&outcomes)?);
    }
    if unexpected.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{} are not as recorded: {}",
            unexpected.len(),
            unexpected.join(", ")
        ))
    }
}

/// Every case on every chip in both widths.
fn runs<'a>(cases: &'a [&'a Case]) -> impl Iterator<Item = Run<'a>> + 'a {
    cases.iter().flat_map(|case| {
        ArchName::ALL
            .into_iter()
            .flat_map(move |chip| [false, true].map(|wide| Run { case, chip, wide }))
    })
}

fn compare(run: &Run, out: &Path, refused: &BTreeMap<String, Failure>) -> Result<Outcome, String> {
    let Run { case, chip, wide } = *run;
    if let Some(why) = refused.get(&name(case, chip, wide)) {
        return Ok(Outcome::Refused(why.clone()));
    }
    let wanted = run.read(out)?;
    let given = results(case, chip, wide).ok_or_else(|| format!("the emulator has no {}", case.operation))?;
    let line = line(case, chip, wide, &given);
    if digest(&given) == digest(&wanted) {
        return Ok(Outcome::Equal(line));
    }
    let (share, distance) = distance(&given, &wanted, wide);
    Ok(Outcome::Differs { line, share, distance })
}

/// The record, a line for every run.
fn recorded(outcomes: &[(Run, Outcome)]) -> Result<String, String> {
    let mut text = "# Written by `cargo xtask conformance sfpu --record`: operation, chip and width of the registers; digest\n\
                    # (FNV-1a) of the results over the inputs of src/compute/sfpu/measure.rs; samples. `differs`: share of equal\n\
                    # results, largest distance in ulp, then the emulator's own digest. `refused`: the simulator has no result.\n"
        .to_string();
    for (run, outcome) in outcomes {
        let name = name(run.case, run.chip, run.wide);
        let written = match outcome {
            Outcome::Equal(line) => writeln!(text, "{line}"),
            Outcome::Differs { line, share, distance } => {
                let rest = line.split_once('\t').map_or("", |(_, rest)| rest);
                writeln!(text, "{name}\tdiffers\t{share:.5}\t{distance}\t{rest}")
            }
            Outcome::Refused(why) => writeln!(text, "{name}\trefused\t{why}"),
        };
        written.map_err(|error| error.to_string())?;
    }
    Ok(text)
}
