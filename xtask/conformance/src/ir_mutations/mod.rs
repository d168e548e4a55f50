//! `cargo xtask conformance ir-mutations`: every mistake in the program is noticed, whoever made it.
//!
//! The mutants are `tt_backend::mutate`'s: Device IR with one thing wrong, for every kernel of the examples, the tests and
//! `../shared/programs`. Some of these kernels have samples (`mutations::kernels`): shapes made to tell mutants apart, and a bound. The
//! verifier judges all mutants of those. What it lets pass and what is written otherwise is run on the emulator, and compared with the
//! reference interpreter and with what the healthy kernel writes, bit by bit. One that leaves every bit as it is needs a reason.
//!
//! Of the others, which have a million mutants, some are drawn of each kernel for the verifier, and a few of what it lets pass for the
//! emulator. They are run on what the kernel's host program starts from, which was not made for this and does not tell all mutants
//! apart: that one goes unnoticed there is no failure. A failure is
//!
//! - a mutant at which the mutator, the verifier or the code writer panics or takes longer than half a minute, or whose run ends the
//!   process instead of being told of, or never ends;
//! - one that the emulator notices although `tt_backend::mutate` says that it changes nothing;
//! - with `--check`, another number in a row of their table than the page has: a verifier or an emulator that notices less, or more,
//!   than it did. The draw is by the kernel's own program, so that a row changes only with the compiler or those who judge it.

mod emulator;
mod made;
mod page;
mod reasons;

use clap::Args;
use emulator::{Case, Healthy, Said};
use made::{Judged, Made, Outcome, Wanted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xtask::project;

/// Breaks the compiled program in thousands of ways, one at a time, and sees that it is noticed
///
/// Writes docs/ir-mutations.md; fails where a mutant changes what a kernel computes and neither the verifier nor the emulator
/// notices, or where one changes nothing and no reason for that is known. What an earlier run found is taken over as long as
/// the emulator and its tests are the same.
#[derive(Args)]
pub struct Arguments {
    /// Write nothing: judge all with the verifier, some with the emulator, and see that the page says so
    #[arg(long)]
    check: bool,
    /// Run nothing: take what earlier runs found; writes no page
    #[arg(long)]
    known: bool,
    /// Of every kernel all mutants, which are a million: see `--only` and `--known`; writes no page
    #[arg(long, conflicts_with = "check")]
    all: bool,
    /// Only mutants of these kernels, separated by commas; writes no page
    #[arg(long, value_name = "KERNELS", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Write down what became of every mutant, one a line
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Run one batch of mutants; the chore starts itself so
    #[arg(long, value_name = "FILE")]
    judge: Option<PathBuf>,
}

/// What a mutant is run with: where none of this has changed, an earlier run has said it already.
const JUDGES: [&str; 11] = [
    "tt-emulator/device",
    "tt-emulator/src",
    "tt-host/src",
    "tt-lang/src",
    "tt-plan/src",
    "xtask/conformance/src/abi/host_programs.rs",
    "xtask/conformance/src/emulated.rs",
    "xtask/conformance/src/ir_mutations/emulator.rs",
    "xtask/conformance/src/mutations/judge.rs",
    "xtask/conformance/src/mutations/kernels.rs",
    "xtask/conformance/src/mutations/padding.rs",
];

/// Mutants that are drawn of a kernel without samples.
const DRAWN: usize = 150;

/// Programs after which what was found is written down.
const PART: usize = 512;

/// Mutants that `--check` runs.
const SPOT_CHECKS: usize = 768;

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    if let Some(file) = &arguments.judge {
        return emulator::run_batch(file);
    }
    let start = Instant::now();
    let only = &arguments.only;
    let mut judged = made::all(&Wanted {
        only: only.as_deref(),
        drawn: if arguments.all { usize::MAX } else { DRAWN },
    })?;
    println!(
        "{} mutants of {} kernels judged by the verifier in {:.0} s",
        judged.mutants.len() + judged.others.len(),
        judged.healthy.len(),
        start.elapsed().as_secs_f32()
    );
    let folder = project::target().join("ir-mutations");
    let path = project::root().join("docs/ir-mutations.md");
    if arguments.check {
        let page =
            std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        page::check(&page, &judged)?;
        spot_check(&folder, &mut judged)?;
        match project::shared_programs() {
            Some(_) => page::check_others(&page, &judged)?,
            None => println!("../shared/programs is not there: what the page says of them is not looked at"),
        }
        println!("checked in {:.0} s", start.elapsed().as_secs_f32());
        return Ok(());
    }
    let only_known = arguments.known;
    ask(&folder, &mut judged, only_known)?;
    if let Some(file) = &arguments.list {
        let lines: Vec<String> = judged.mutants.iter().chain(&judged.others).map(Made::line).collect();
        project::write(file, lines.join("\n") + "\n")?;
    }
    println!("{}", page::summary(&judged.mutants));
    if only.is_none() && !only_known && !arguments.all {
        project::write(&path, page::page(&judged))?;
    }
    unexplained(&judged)
}

/// Runs what no earlier run has, each program once, unless `only_known`, and keeps what is said.
fn ask(folder: &Path, judged: &mut Judged, only_known: bool) -> Result<(), String> {
    let Judged {
        healthy,
        mutants,
        others,
        ..
    } = judged;
    let record = folder.join("record.json");
    let judges = judges()?;
    let stored = std::fs::read_to_string(&record).unwrap_or_default();
    let (by, mut known): (String, BTreeMap<String, Said>) = serde_json::from_str(&stored).unwrap_or_default();
    if by != judges {
        known.clear();
    }
    let mut asked: BTreeMap<String, &Case> = BTreeMap::new();
    for (digest, case) in mutants.iter().chain(&*others).filter_map(Made::case) {
        if !only_known && !known.contains_key(digest) {
            asked.insert(digest.to_string(), case);
        }
    }
    let mut asked: Vec<(String, &Case)> = asked.into_iter().collect();
    asked.sort_by_key(|(_, case)| case.of);
    if !asked.is_empty() {
        healthy_run(folder, healthy)?;
    }
    // In parts, so that a run that is stopped is not lost.
    for part in asked.chunks(PART) {
        let cases: Vec<&Case> = part.iter().map(|(_, case)| *case).collect();
        let said = emulator::judge(folder, healthy, &cases)?;
        known.extend(part.iter().map(|(digest, _)| digest.clone()).zip(said));
        let text = serde_json::to_string(&(&judges, &known)).map_err(|error| error.to_string())?;
        project::write(&record, text)?;
    }
    for mutant in mutants.iter_mut().chain(others) {
        if let Some(said) = mutant.case().and_then(|(digest, _)| known.get(digest)).cloned() {
            mutant.said(said);
        }
    }
    Ok(())
}

/// Sees that every kernel is right without any mutant, and writes the same bits again.
fn healthy_run(folder: &Path, healthy: &[Healthy]) -> Result<(), String> {
    let all = healthy
        .iter()
        .enumerate()
        .filter(|(_, healthy)| !healthy.samples.is_empty());
    let cases: Vec<Case> = all
        .map(|(of, healthy)| Case {
            of,
            artifact: healthy.artifact.clone(),
        })
        .collect();
    let said = emulator::judge(folder, healthy, &cases.iter().collect::<Vec<_>>())?;
    for (healthy, said) in healthy.iter().zip(said) {
        if said != Said::Same {
            return Err(format!(
                "without any mutant `{}` is not the same again: {said:?}",
                healthy.kernel.name
            ));
        }
    }
    Ok(())
}

/// Runs some of the mutants: always the same ones of the same programs, and others where any program has changed; of the kernels
/// without samples all that are drawn.
fn spot_check(folder: &Path, judged: &mut Judged) -> Result<(), String> {
    let Judged {
        healthy,
        mutants,
        others,
        ..
    } = judged;
    let seal = page::seal(mutants);
    let lot = |digest: &str| crate::mutations::digest(format!("{seal}{digest}").as_bytes());
    let cases = mutants.iter().filter_map(Made::case);
    let all: BTreeMap<u64, (String, Case)> = cases
        .map(|(digest, case)| (lot(digest), (digest.to_string(), case.clone())))
        .collect();
    let mut chosen: Vec<(String, Case)> = all.into_values().take(SPOT_CHECKS).collect();
    let rest: BTreeMap<&str, &Case> = others.iter().filter_map(Made::case).collect();
    chosen.extend(
        rest.into_iter()
            .map(|(digest, case)| (digest.to_string(), case.clone())),
    );
    chosen.sort_by_key(|(_, case)| case.of);
    let cases: Vec<&Case> = chosen.iter().map(|(_, case)| case).collect();
    let said = emulator::judge(&folder.join("check"), healthy, &cases)?;
    let said: BTreeMap<&str, &Said> = chosen.iter().map(|(digest, _)| digest.as_str()).zip(&said).collect();
    for mutant in mutants.iter_mut().chain(others) {
        let found = mutant.case().and_then(|(digest, _)| said.get(digest));
        if let Some(said) = found.map(|said| (*said).clone()) {
            mutant.said(said);
        }
    }
    println!("{} of the programs that the verifier lets pass were run", chosen.len());
    unexplained(judged)
}

/// Sees that every mutant that has been judged is noticed, or changes nothing for a reason that is known, where its kernel has samples;
/// that none is noticed that must change nothing, and that nobody breaks at one.
fn unexplained(Judged { mutants, others, .. }: &Judged) -> Result<(), String> {
    let all = || mutants.iter().chain(others);
    let open = mutants.iter().filter(|made| match &made.outcome {
        Outcome::Within(_) => reasons::within(&made.mutant).is_none(),
        Outcome::Same => reasons::harmless(&made.kernel, &made.mutant).is_none(),
        _ => false,
    });
    let belied = all()
        .filter(|made| made.mutant.same.is_some() && matches!(made.outcome, Outcome::Within(_) | Outcome::Emulator(_)));
    let broken = all().filter(|made| matches!(made.outcome, Outcome::Panic(_) | Outcome::Ended(_)));
    let mut wrong = Vec::new();
    for (what, lines) in [
        ("break who judges them", broken.map(Made::line).collect::<Vec<String>>()),
        (
            "are noticed by nobody, and no reason is known why they change nothing",
            open.map(Made::line).collect(),
        ),
        (
            "change something, although the program seems to show that they cannot",
            belied.map(Made::line).collect(),
        ),
    ] {
        if !lines.is_empty() {
            wrong.push(format!("{} mutants {what}:\n{}", lines.len(), lines.join("\n")));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// A number for everything that mutants are run with.
fn judges() -> Result<String, String> {
    let mut text = Vec::new();
    for judge in JUDGES {
        read_all(&project::root().join(judge), &mut text)?;
    }
    Ok(format!("{:016x}", crate::mutations::digest(&text)))
}

/// Every file at or below `path`, by name.
fn read_all(path: &Path, into: &mut Vec<u8>) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    if path.is_file() {
        into.extend(std::fs::read(path).map_err(fail)?);
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(fail)?;
    let mut inner: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    inner.sort();
    inner.iter().try_for_each(|path| read_all(path, into))
}
