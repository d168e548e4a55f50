//! `cargo xtask conformance mutations`: a broken compiler is noticed.
//!
//! Every mutant is an edit of the compiler's sources that mutants of the program (`ir_mutations`) cannot express. It is
//! built in a copy of the workspace; what it makes of a set of kernels is compiled against the real device headers and run
//! on the emulator. The verifier does not count: belief in what we emit must not rest on the code that emits it.

pub(crate) mod judge;
pub(crate) mod kernels;
mod mutant;
pub(crate) mod padding;
mod record;
mod scratch;
mod table;

use clap::Args;
use judge::{Changed, Headers};
use mutant::Mutant;
use record::{Record, Verdict};
use scratch::{Emitted, Scratch};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tt_backend::Artifact;
use tt_lang::ir::Kernel;
use xtask::project;

/// Breaks the code writer, its names and the plan in some twenty ways, one at a time, and sees that it is noticed
///
/// Takes some minutes; what an earlier run found is taken over as long as compiler and emulator are the same, and
/// what the headers said as long as they and what is emitted are. Writes docs/mutations.md; fails where a mutant is noticed by
/// neither the device headers nor the emulator.
#[derive(Args)]
pub struct Arguments {
    /// Only see that every edit still applies and that docs/mutations.md has its row
    #[arg(long)]
    check: bool,
    /// Only these mutants, separated by commas; writes no table
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Take what an earlier run found although the sources have changed since
    #[arg(long)]
    keep: bool,
    /// Run one case and write down what is wrong with it; the chore starts itself so
    #[arg(long, value_name = "FILE")]
    judge: Option<PathBuf>,
}

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    if let Some(file) = &arguments.judge {
        return judge::run_case(file);
    }
    let all: Vec<&Mutant> = table::all().collect();
    let page = project::root().join("docs/mutations.md");
    for mutant in &all {
        mutated(mutant, &project::root())?;
    }
    if arguments.check {
        let text =
            std::fs::read_to_string(&page).map_err(|error| format!("cannot read {}: {error}", page.display()))?;
        return record::check(&text, &all, &kernels::sources()?);
    }
    let only = &arguments.only;
    if let Some(unknown) = only
        .iter()
        .flatten()
        .find(|name| !all.iter().any(|mutant| mutant.name == **name))
    {
        return Err(format!("there is no mutant `{unknown}`"));
    }
    let chosen = |mutant: &&Mutant| {
        only.as_ref()
            .is_none_or(|names| names.iter().any(|name| name == mutant.name))
    };

    let kernels = kernels::parsed()?;
    let scratch = Scratch::new(&kernels)?;
    let mut record = Record::open(&scratch.folder);
    // Where an earlier run has judged everything there is nothing to build.
    let mut bench: Option<Bench> = None;
    let mut survivors = Vec::new();
    for mutant in all.iter().copied().filter(chosen) {
        let edit = [mutant.file, mutant.find, mutant.replace].join("\0");
        let key = format!(
            "{} {} {:016x}",
            scratch.digest,
            scratch.headers,
            digest(edit.as_bytes())
        );
        let known = match (only, arguments.keep) {
            (Some(_), _) => None,
            (None, true) => record.get(mutant, None),
            (None, false) => record.get(mutant, Some(&key)),
        };
        let verdict = match known {
            Some(verdict) => verdict.clone(),
            None => {
                let bench = match &mut bench {
                    Some(bench) => bench,
                    none => none.insert(Bench::new(&scratch, &kernels)?),
                };
                let start = Instant::now();
                let verdict = bench.verdict(mutant, record.get(mutant, None))?;
                println!(
                    "{}: {} ({:.0} s)",
                    mutant.name,
                    told(&verdict),
                    start.elapsed().as_secs_f32()
                );
                record.put(mutant, &key, verdict.clone())?;
                verdict
            }
        };
        if !verdict.caught() {
            survivors.push(mutant.name);
        }
    }
    if let (Some(bench), None) = (&bench, only) {
        bench.headers_accept()?;
    }
    if only.is_none() {
        let judged: Vec<(&Mutant, &Verdict)> = all
            .iter()
            .filter_map(|mutant| Some((*mutant, record.get(mutant, None)?)))
            .collect();
        scratch::write_changed(&page, record::page(&judged, &kernels::sources()?).as_bytes())?;
    }
    if survivors.is_empty() {
        println!("every mutant is noticed");
        Ok(())
    } else {
        Err(format!(
            "{} mutants are noticed by nobody: {}",
            survivors.len(),
            survivors.join(", ")
        ))
    }
}

fn told(verdict: &Verdict) -> String {
    let part = |who: &str, what: &Option<String>| what.as_ref().map(|what| format!("{who}: {what}"));
    let parts = [
        part("headers", &verdict.headers),
        part("emulator", &verdict.emulator),
        part("verifier", &verdict.verifier),
        part("code writer", &verdict.refused),
    ];
    let told: Vec<String> = parts.into_iter().flatten().collect();
    let caught = if verdict.caught() { "noticed" } else { "SURVIVES" };
    format!("{caught}, {} kernels changed; {}", verdict.changed, told.join("; "))
}

/// A number for these bytes.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The file of a mutant below `root` as it is, and as the mutant makes it.
fn mutated(mutant: &Mutant, root: &Path) -> Result<(String, String), String> {
    let path = mutant.path(root);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let broken = mutant.apply(&text)?;
    Ok((text, broken))
}

/// Where mutants are judged: what the compiler as it is makes of the kernels is known to be right.
struct Bench<'a> {
    scratch: &'a Scratch,
    kernels: &'a [Kernel],
    headers: Headers,
    healthy: Vec<Artifact>,
}

impl Bench<'_> {
    /// Builds the compiler as it is.
    ///
    /// # Errors
    /// Where not everything it makes is right: then nothing could be learnt from mutants.
    fn new<'a>(scratch: &'a Scratch, kernels: &'a [Kernel]) -> Result<Bench<'a>, String> {
        let mut healthy = Vec::new();
        for (emitted, kernel) in scratch.emit()?.into_iter().zip(kernels) {
            match emitted {
                Emitted::Written(artifact, faults) if faults.is_empty() => healthy.push(*artifact),
                Emitted::Written(_, faults) => {
                    return Err(format!("`{}` is not verified: {}", kernel.name, faults.join("; ")));
                }
                Emitted::Refused(reason) => return Err(format!("`{}` does not compile: {reason}", kernel.name)),
            }
        }
        let bench = Bench {
            scratch,
            kernels,
            headers: Headers::new(&scratch.folder)?,
            healthy,
        };
        bench.once("emulator", &scratch.digest, || {
            match judge::emulator(&scratch.folder, &bench.all())? {
                Some((at, wrong)) => Err(format!(
                    "without any mutant the emulator says of `{}`: {wrong}",
                    kernels[at].name
                )),
                None => Ok(()),
            }
        })?;
        Ok(bench)
    }

    /// Every kernel as the compiler makes it without a mutant.
    fn all(&self) -> Vec<Changed<'_>> {
        let both = self.kernels.iter().zip(&self.healthy).enumerate();
        both.map(|(at, (kernel, artifact))| (at, kernel, artifact)).collect()
    }

    /// Sees that the headers accept the kernels without a mutant.
    ///
    /// # Errors
    /// Where they do not.
    fn headers_accept(&self) -> Result<(), String> {
        self.once("headers", &self.scratch.headers, || {
            match self.headers.refuse(&self.all(), &[])? {
                Some(wrong) => Err(format!("without any mutant the headers say: {wrong}")),
                None => Ok(()),
            }
        })
    }

    /// Shows something of the kernels without a mutant, unless an earlier run has and neither they nor `by` have changed.
    fn once(&self, what: &str, by: &str, show: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let digests = self.healthy.iter().map(Artifact::digest);
        let seal = std::iter::once(by.to_string())
            .chain(digests)
            .collect::<Vec<_>>()
            .join("\n");
        let sealed = self.scratch.folder.join(format!("healthy-{what}"));
        if std::fs::read_to_string(&sealed).is_ok_and(|earlier| earlier == seal) {
            return Ok(());
        }
        show()?;
        scratch::write_changed(&sealed, seal.as_bytes())
    }

    /// What becomes of a mutant; `earlier` is what a run before this one found.
    fn verdict(&self, mutant: &Mutant, earlier: Option<&Verdict>) -> Result<Verdict, String> {
        let (text, broken) = mutated(mutant, self.scratch.workspace())?;
        let path = mutant.path(self.scratch.workspace());
        scratch::write_changed(&path, broken.as_bytes())?;
        let emitted = self.scratch.emit();
        scratch::write_changed(&path, text.as_bytes())?;
        let emitted = emitted.map_err(|error| format!("mutant `{}`: {error}", mutant.name))?;
        self.judge(&emitted, earlier)
    }

    fn judge(&self, emitted: &[Emitted], earlier: Option<&Verdict>) -> Result<Verdict, String> {
        let mut verdict = Verdict::default();
        let mut changed = Vec::new();
        for (at, emitted) in emitted.iter().enumerate() {
            match emitted {
                Emitted::Refused(reason) => verdict.refused = Some(reason.clone()),
                Emitted::Written(artifact, faults) if artifact.digest() != self.healthy[at].digest() => {
                    changed.push((at, &self.kernels[at], artifact.as_ref()));
                    if verdict.verifier.is_none() {
                        verdict.verifier = faults.first().map(|fault| reason(fault).to_string());
                    }
                }
                Emitted::Written(..) => {}
            }
        }
        verdict.changed = changed.len();
        let seen = judge::emulator(&self.scratch.folder, &changed)?;
        verdict.emulator = seen
            .as_ref()
            .map(|(at, what)| format!("{what} (`{}`)", self.kernels[*at].name));
        // Where the emulator stops a kernel the headers are asked about that one, else about all.
        let asked: Vec<_> = changed
            .iter()
            .filter(|(at, ..)| seen.as_ref().is_none_or(|(seen, _)| seen == at))
            .copied()
            .collect();
        let question = asked
            .iter()
            .map(|(_, kernel, artifact)| kernel.name.clone() + &artifact.digest());
        let question = question
            .chain([self.scratch.headers.clone()])
            .collect::<Vec<_>>()
            .join("\0");
        verdict.asked = format!("{:016x}", digest(question.as_bytes()));
        verdict.headers = match earlier {
            Some(earlier) if earlier.asked == verdict.asked => earlier.headers.clone(),
            _ => self.headers.refuse(&asked, &self.healthy)?,
        };
        if !changed.is_empty() {
            // Kernels that were written are what counts; where some are refused the others are judged.
            verdict.refused = None;
        }
        Ok(verdict)
    }
}

/// The reason in the verifier's message, without what it tells users.
fn reason(fault: &str) -> &str {
    fault
        .split_once("please report it with the kernel: ")
        .map_or(fault, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_edit_applies_to_the_compiler_as_it_is() {
        for mutant in super::table::all() {
            super::mutated(mutant, &xtask::project::root()).expect("an edit");
        }
    }
}
