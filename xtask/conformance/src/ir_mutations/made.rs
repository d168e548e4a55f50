//! Mutants as they are made and judged by the verifier, and what becomes of them.

use super::emulator::{Case, Files, Healthy, Said};
use crate::mutations::kernels::{self, Subject};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tt_backend::mutate::{Mutant, mutants};
use tt_backend::verify;
use tt_lang::diagnostic::Diagnostic;

/// What becomes of a mutant.
#[derive(Clone)]
pub enum Outcome {
    /// The verifier refuses it.
    Verifier(String),
    /// The code writer does.
    Writer(String),
    /// What is written is what is written without it.
    Unchanged,
    /// It is to be run: the digest of what is written.
    Run(String, Case),
    /// The emulator stops it, or its numbers are wrong.
    Emulator(String),
    /// Its numbers are others, but within the bound.
    Within(String),
    /// Its bits are those of the healthy program.
    Same,
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
            Outcome::Run(digest, case) => Some((digest, case)),
            _ => None,
        }
    }

    /// Takes what the emulator said.
    pub fn said(&mut self, said: Said) {
        self.outcome = match said {
            Said::Wrong(what) => Outcome::Emulator(what),
            Said::Within(what) => Outcome::Within(what),
            Said::Same => Outcome::Same,
        };
    }

    /// Everything about it in a line.
    pub fn line(&self) -> String {
        let outcome = match &self.outcome {
            Outcome::Verifier(what) => format!("verifier: {what}"),
            Outcome::Writer(what) => format!("code writer: {what}"),
            Outcome::Unchanged => "nothing is written otherwise".to_string(),
            Outcome::Run(..) => "not run".to_string(),
            Outcome::Emulator(what) => format!("emulator: {what}"),
            Outcome::Within(what) => format!("within the bound: {what}"),
            Outcome::Same => {
                let why = super::reasons::harmless(&self.kernel, &self.mutant).unwrap_or("?");
                format!("the same bits: {why}")
            }
        };
        format!("{}: {} ⟹ {outcome}", self.kernel, self.mutant)
    }
}

/// Makes all mutants of all kernels, or those of `only`, and lets the verifier judge them.
///
/// # Errors
/// Where a kernel does not compile.
pub fn all(only: Option<&[String]>) -> Result<(Vec<Healthy>, Vec<Made>), String> {
    let mut subjects = kernels::subjects()?;
    if let Some(only) = only {
        subjects.retain(|subject| only.contains(&subject.kernel.name));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Mutex<Option<Result<_, String>>>> = subjects.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = subjects.get(at) else { break };
                    let result = of(at, subject);
                    if let Ok(mut place) = results[at].lock() {
                        *place = Some(result);
                    }
                }
            });
        }
    });
    let (mut healthy, mut mutants) = (Vec::new(), Vec::new());
    for result in results {
        let result = result.into_inner().map_err(|error| error.to_string())?;
        let (kernel, made) = result.ok_or("a kernel was left out")??;
        healthy.push(kernel);
        mutants.extend(made);
    }
    Ok((healthy, mutants))
}

/// The mutants of one kernel.
fn of(at: usize, Subject { kernel, samples }: &Subject) -> Result<(Healthy, Vec<Made>), String> {
    let fail = |errors: Vec<Diagnostic>| format!("`{}` does not compile: {}", kernel.name, reason(&errors));
    let device = tt_backend::lowered(kernel).map_err(fail)?;
    verify::verify(kernel, &device).map_err(fail)?;
    let healthy = Files::from(tt_backend::written(kernel, &device).map_err(fail)?);
    let unchanged = healthy.digest();
    let mut made = Vec::new();
    mutants(kernel, &device, &mut |mutant, device| {
        let outcome = match verify::verify(kernel, &device) {
            Err(errors) => Outcome::Verifier(reason(&errors)),
            Ok(()) => match tt_backend::written(kernel, &device).map(Files::from) {
                Err(errors) => Outcome::Writer(reason(&errors)),
                Ok(files) => match files.digest() {
                    digest if digest == unchanged => Outcome::Unchanged,
                    digest => Outcome::Run(
                        digest,
                        Case {
                            of: at,
                            artifact: files,
                        },
                    ),
                },
            },
        };
        made.push(Made {
            kernel: kernel.name.clone(),
            mutant,
            digest: match &outcome {
                Outcome::Run(digest, _) => Some(digest.clone()),
                _ => None,
            },
            outcome,
        });
    });
    let healthy = Healthy {
        kernel: kernel.clone(),
        samples: samples.clone(),
        artifact: healthy,
    };
    Ok((healthy, made))
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
