//! Mutants as they are made and judged by the verifier, and what becomes of them.

use super::emulator::{Case, Files, Healthy, Said};
use crate::mutations::kernels::{self, Subject};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};
use tt_backend::device::Device;
use tt_backend::mutate::{Make, Mutant, mutants};
use tt_backend::verify;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

/// What becomes of a mutant.
#[derive(Clone)]
pub enum Outcome {
    /// The verifier refuses it.
    Verifier(String),
    /// The code writer does.
    Writer(String),
    /// What is written is what is written without it.
    Unchanged,
    /// One of the two panics.
    Panic(String),
    /// The verifier lets it pass: the digest of what is written, which is to be run where it is here.
    Run(String, Option<Case>),
    /// The emulator stops it, or its numbers are wrong.
    Emulator(String),
    /// Its numbers are others, but within the bound.
    Within(String),
    /// Its bits are those of the healthy program.
    Same,
    /// It ends the process, or never ends.
    Ended(String),
    /// There is nothing to compare it with.
    NoResult,
}

/// A mutant of a kernel.
pub struct Made {
    /// The kernel.
    pub kernel: String,
    /// The mutant.
    pub mutant: Mutant,
    /// What becomes of it.
    pub outcome: Outcome,
    /// The digest of what is written, where it is run.
    pub digest: Option<String>,
}

impl Made {
    /// What is to be run, with its digest.
    pub fn case(&self) -> Option<(&str, &Case)> {
        match &self.outcome {
            Outcome::Run(digest, case) => case.as_ref().map(|case| (digest.as_str(), case)),
            _ => None,
        }
    }

    /// Takes what the emulator said.
    pub fn said(&mut self, said: Said) {
        self.outcome = match said {
            Said::Wrong(what) => Outcome::Emulator(what),
            Said::Within(what) => Outcome::Within(what),
            Said::Same => Outcome::Same,
            Said::Ended(how) => Outcome::Ended(how),
            Said::NoResult => Outcome::NoResult,
        };
    }

    /// Everything about it in a line.
    pub fn line(&self) -> String {
        let outcome = match &self.outcome {
            Outcome::Verifier(what) => format!("verifier: {what}"),
            Outcome::Writer(what) => format!("code writer: {what}"),
            Outcome::Panic(what) => format!("panic: {what}"),
            Outcome::Unchanged => "nothing is written otherwise".to_string(),
            Outcome::Run(..) => "not run".to_string(),
            Outcome::Emulator(what) => format!("emulator: {what}"),
            Outcome::Within(what) => format!("within the bound: {what}"),
            Outcome::Ended(how) => how.clone(),
            Outcome::NoResult => "without any mutant there is no result".to_string(),
            Outcome::Same => {
                let why = super::reasons::harmless(&self.kernel, &self.mutant).unwrap_or("?");
                format!("the same bits: {why}")
            }
        };
        format!("{}: {} ⟹ {outcome}", self.kernel, self.mutant)
    }
}

/// Mutants of all kernels, judged by the verifier.
pub struct Judged {
    /// The kernels, by number: those that have samples, then the others.
    pub healthy: Vec<Healthy>,
    /// All mutants of kernels that have samples.
    pub mutants: Vec<Made>,
    /// Those that are drawn of the others'.
    pub others: Vec<Made>,
    /// How many changes could be made to the others, whether they make a program or not.
    pub all_others: usize,
}

/// Which mutants are made.
pub struct Wanted<'a> {
    /// The names of the kernels; all where there is none.
    pub only: Option<&'a [String]>,
    /// How many are drawn of a kernel without samples.
    pub drawn: usize,
}

/// How many of the programs that the verifier lets pass are run of a kernel without samples: of those of which nothing says that
/// they are the same, and of those that must be.
pub const RUN: [usize; 2] = [2, 1];

/// How long one mutant may take: none takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a thread is at, and since when.
type At = Mutex<Option<(String, Instant)>>;

/// Makes mutants of all kernels, and lets the verifier judge them.
///
/// # Errors
/// Where a kernel does not compile, or the mutator panics.
pub fn all(wanted: &Wanted) -> Result<Judged, String> {
    let mut subjects = kernels::subjects()?;
    subjects.extend(kernels::others(&subjects)?);
    if let Some(only) = wanted.only {
        subjects.retain(|subject| only.contains(&subject.name));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Mutex<Option<Result<_, String>>>> = subjects.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let at: Vec<At> = (0..threads).map(|_| At::default()).collect();
    let work = |at: &At| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(subject) = subjects.get(number) else { break };
            let result = of(number, subject, wanted.drawn, at);
            if let Ok(mut place) = results[number].lock() {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = at.iter().map(|at| scope.spawn(move || work(at))).collect();
        while !workers.iter().all(ScopedJoinHandle::is_finished) {
            at.iter().for_each(watch);
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let mut judged = Judged {
        healthy: Vec::new(),
        mutants: Vec::new(),
        others: Vec::new(),
        all_others: 0,
    };
    for result in results {
        let result = result.into_inner().map_err(|error| error.to_string())?;
        let (kernel, made, all) = result.ok_or("a kernel was left out")??;
        match kernel.samples.is_empty() {
            true => {
                judged.others.extend(made);
                judged.all_others += all;
            }
            false => judged.mutants.extend(made),
        }
        judged.healthy.push(kernel);
    }
    Ok(judged)
}

/// Ends the chore where a mutant takes too long: nothing else ends a thread.
fn watch(at: &At) {
    let Ok(at) = at.lock() else { return };
    if let Some((mutant, since)) = &*at
        && since.elapsed() > PATIENCE
    {
        eprintln!("{mutant}: neither refused nor written after {} s", PATIENCE.as_secs());
        std::process::exit(1);
    }
}

/// The mutants of one kernel, all where it has samples, else `wanted` of them; and how many changes are named.
fn of(number: usize, subject: &Subject, wanted: usize, at: &At) -> Result<(Healthy, Vec<Made>, usize), String> {
    let Subject {
        name, kernel, samples, ..
    } = subject;
    let fail = |errors: Vec<Diagnostic>| format!("`{name}` does not compile: {}", reason(&errors));
    let mut stages = Vec::new();
    for stage in kernel.stages() {
        let stage = stage.into_owned();
        let device = tt_backend::lowered(&stage).map_err(fail)?;
        verify::verify(&stage, &device).map_err(fail)?;
        stages.push((stage, device));
    }
    let artifact = Files::from(tt_backend::written(stages.clone()).map_err(fail)?);
    let unchanged = artifact.digest();
    // The same as long as the kernel is, and no other's.
    let lot = |text: &str| crate::mutations::digest(format!("{text}{unchanged}").as_bytes());
    let each = |visit: &mut dyn FnMut(usize, Mutant, Make)| {
        let stages = stages.iter().enumerate();
        caught(|| {
            stages.for_each(|(stage, (kernel, device))| {
                mutants(kernel, device, &mut |mutant, make| visit(stage, mutant, make));
            });
        })
        .map_err(|panic| format!("the mutator panics at `{name}`: {panic}"))
    };
    let mut lots = Vec::new();
    each(&mut |stage, mutant, _| lots.push(lot(&format!("{stage}{mutant}"))))?;
    let all = lots.len();
    lots.sort_unstable();
    let first_left = lots.get(wanted).filter(|_| samples.is_empty());

    let mut made: Vec<Made> = Vec::new();
    let mut to_run = [BTreeMap::new(), BTreeMap::new()];
    each(&mut |stage, mutant, make| {
        if first_left.is_some_and(|left| lot(&format!("{stage}{mutant}")) >= *left) {
            return;
        }
        if let Ok(mut at) = at.lock() {
            *at = Some((format!("{name}: {mutant}"), Instant::now()));
        }
        let Some(device) = make() else { return };
        let outcome = match caught(|| written(&stages, stage, device)) {
            Ok(Ok(artifact)) => match artifact.digest() {
                digest if digest == unchanged => Outcome::Unchanged,
                digest => Outcome::Run(digest, Some(Case { of: number, artifact })),
            },
            Ok(Err(outcome)) => outcome,
            Err(panic) => Outcome::Panic(panic),
        };
        let mut left = None;
        if let Outcome::Run(digest, _) = &outcome
            && samples.is_empty()
        {
            // Of programs that are the same, the last.
            let must_be_same = usize::from(mutant.same.is_some());
            let to_run = &mut to_run[must_be_same];
            left = to_run.insert(lot(digest), made.len());
            if to_run.len() > RUN[must_be_same] {
                left = to_run.pop_last().map(|(_, last)| last);
            }
        }
        made.push(Made {
            kernel: name.clone(),
            mutant,
            digest: match &outcome {
                Outcome::Run(digest, _) => Some(digest.clone()),
                _ => None,
            },
            outcome,
        });
        if let Some(Outcome::Run(_, case)) = left.map(|at| &mut made[at].outcome) {
            *case = None;
        }
    })?;
    if let Ok(mut at) = at.lock() {
        *at = None;
    }
    let healthy = Healthy {
        kernel: kernel.clone(),
        samples: samples.clone(),
        artifact,
    };
    Ok((healthy, made, all))
}

/// What is written of `stages` where one is `device`, unless it is refused.
fn written(stages: &[(Kernel, Device)], stage: usize, device: Device) -> Result<Files, Outcome> {
    verify::verify(&stages[stage].0, &device).map_err(|errors| Outcome::Verifier(reason(&errors)))?;
    let mut stages = stages.to_vec();
    stages[stage].1 = device;
    let artifact = tt_backend::written(stages).map_err(|errors| Outcome::Writer(reason(&errors)))?;
    Ok(Files::from(artifact))
}

/// What `judge` says, or why it panics.
fn caught<T>(judge: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(judge)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("?")
            .to_string()
    })
}

/// The first reason of the verifier or the code writer, without what it tells users.
fn reason(errors: &[Diagnostic]) -> String {
    let first = errors.first();
    let note = first.and_then(|error| error.notes.first());
    let text = note.and_then(|note| {
        note.split_once("please report it with the kernel: ")
            .map(|(_, reason)| reason)
    });
    text.or(first.map(|error| error.message.as_str()))
        .unwrap_or_default()
        .to_string()
}
