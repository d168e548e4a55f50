//! F: the device program is proved, or refused.
//!
//! What is checked is the program as it will be written, not how it came about: nothing here shares code with the passes
//! that made it, but for what `orient_vectors` says of the shape of a region (`tile`).
//!
//! Before: Device IR (E1). After: the same, of which all below is proved.
//!
//! | module | proves |
//! |---|---|
//! | `tile` | after every pass before C1, and of names and coordinates: what the head of the pass promises |
//! | `budgets` | L1 bytes, circular buffers, runtime arguments and semaphores fit on every chip; the plan says what the programs do |
//! | `progress` | after every pass from D1 on: the three programs have the same loops and branches, and can neither starve nor overflow with the depths chosen |
//! | `ahead` | what is done a turn of a loop earlier than it stands is what would have been done in its place |
//! | `walk` | loops of tiles in parts have the turns of the loop as it stands |
//! | `fetched` | the programs have the same integers of tensors |
//! | `shared` | all cores of a line share the same versions at the same places, and none waits for ever |
//! | `runs` | what is kept over runs of blocks is read anew where one begins, and in the first block |
//! | `ring` | no push, pop or access straddles a ring or leaves its window; transfers arrive before their pages are passed on |
//! | `flow` | between the passes of stage C: one producer and one consumer per buffer, registers that fit, versions that live |
//! | `sight` | after C3: every use finds the definitions that it sees in the source, round loops and through branches |
//! | `traffic` | after every pass from D1 on: versions are pushed, used and popped in the order of Flow IR, so that what `sight` proved holds of the programs |
//! | `scope` | every name that emitted code mentions is declared where it stands |
//! | `protocol` | the register protocol, and the engine state that every operation needs, on every path |
//!
//! Budgets are the user's to keep; anything else that fails is a fault of the compiler, and is reported as one.

mod ahead;
pub mod budgets;
mod event;
mod fetched;
#[cfg(test)]
pub(crate) mod fixture;
pub mod flow;
mod pages;
pub mod progress;
mod protocol;
pub mod range;
mod ring;
mod runs;
mod scope;
mod shared;
pub mod sight;
mod steps;
pub mod tile;
pub mod traffic;
mod value;
mod walk;

use crate::codes;
use crate::device::Device;
use crate::pipeline::{Form, Pass, Unit};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Span};

/// The pass: changes nothing, proves everything.
pub const PASS: Pass<Unit<Device>, Verified> = Pass {
    name: "F verify",
    does: "budgets, progress, windows, protocols and engine state are proved",
    run: |unit| Ok(Verified(unit)),
    check: |Verified(unit)| verify(&unit.facts.source, &unit.program),
};

/// A device program that may be written.
#[derive(Debug, Clone)]
pub struct Verified(pub Unit<Device>);

impl Form for Verified {
    const NAME: &'static str = "Device IR, verified";

    fn text(&self) -> Option<String> {
        None
    }
}

/// What could not be proved, in the compiler's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub String);

/// The result of a proof.
pub type Proof<T = ()> = Result<T, Fault>;

/// A proof that failed.
fn fault<T>(text: impl Into<String>) -> Proof<T> {
    Err(Fault(text.into()))
}

/// Verifies `device`.
///
/// # Errors
/// Budgets exceeded, at the block or parameter that exceeds them; else everything that could not be proved.
pub fn verify(kernel: &Kernel, device: &Device) -> Result<(), Vec<Diagnostic>> {
    let exceeded = budgets::exceeded(kernel, device);
    if !exceeded.is_empty() {
        return Err(exceeded);
    }
    let mut faults = vec![
        budgets::consistent(device),
        progress::prove(device),
        ahead::prove(device),
        fetched::prove(device),
        shared::prove(device),
        runs::prove(kernel, device),
    ];
    faults.extend(device.programs.iter().map(|program| scope::prove(device, program)));
    faults.extend(device.programs.iter().map(|program| walk::prove(device, program)));
    let unproved: Vec<Diagnostic> = faults
        .into_iter()
        .filter_map(Result::err)
        .map(|fault| unproved(kernel.span, &fault))
        .collect();
    if unproved.is_empty() { Ok(()) } else { Err(unproved) }
}

/// A failed proof as a diagnostic.
pub fn unproved(span: Span, Fault(reason): &Fault) -> Diagnostic {
    Diagnostic::new(
        &codes::UNPROVED,
        span,
        "the compiler could not prove what it made of this kernel",
    )
    .note(format!(
        "this is a fault of the compiler, please report it with the kernel: {reason}"
    ))
}

#[cfg(test)]
mod tests;
