//! What a deadlock looked like, in words.

use std::fmt::Write;

use crate::arch::{L1_SLOT_BYTES, SEMAPHORE_BASE, SEMAPHORE_STRIDE, SEMAPHORES};
use crate::report::{Place, Report, cited};
use crate::rules;
use crate::settings::SPIN_SECONDS;

use super::risc::{Risc, Wait};
use super::schedule::CoreRun;

/// Cores whose RISCs are listed one by one.
const LISTED_CORES: usize = 4;

/// The place of a line of a RISC's kernel.
pub(crate) fn place(risc: &Risc, line: i32) -> Place {
    let line = line.max(0) as u32;
    let (code, source) = cited(&risc.part.kernel.request.source, line);
    Place {
        kernel: risc.part.kernel.file.clone(),
        core: risc.core.logical,
        risc: risc.name,
        line,
        code,
        source,
    }
}

/// What a RISC waits for, in words.
fn describe(risc: &Risc) -> Option<String> {
    let core = &risc.core;
    Some(match risc.progress.wait.get() {
        Wait::Nothing | Wait::Done => return None,
        Wait::Front { cb, pages } => {
            let shared = &core.cbs[cb as usize];
            format!(
                "{pages} filled pages of circular buffer {cb}, {} of {} are filled",
                shared.filled(),
                shared.config.pages
            )
        }
        Wait::Back { cb, pages } => {
            let shared = &core.cbs[cb as usize];
            format!(
                "{pages} free pages of circular buffer {cb}, {} of {} are free",
                shared.free(),
                shared.config.pages
            )
        }
        Wait::Semaphore {
            address,
            value,
            at_least,
        } => {
            let now = core.word(address);
            let offset = address as usize % L1_SLOT_BYTES;
            let name = match offset.checked_sub(SEMAPHORE_BASE).map(|bytes| bytes / SEMAPHORE_STRIDE) {
                Some(id) if id < SEMAPHORES => format!("semaphore {id}"),
                _ => format!("the word at L1 offset {offset:#x}"),
            };
            format!(
                "{name} to be {}{value}, it is {now}",
                if at_least { "at least " } else { "" }
            )
        }
        Wait::Delivery => "memory that it polls".to_owned(),
        Wait::Spinning => "memory that it polls without any call, or computes, some time after this line".to_owned(),
    })
}

/// The report of a deadlock; RISCs had `spin_seconds` to go on without a call.
pub(crate) fn report(cores: &[CoreRun], spin_seconds: u64) -> Box<Report> {
    let mut detail = String::new();
    let mut first = None;
    let (mut listed, mut waiting) = (0, 0);
    for run in cores {
        let lines: Vec<_> = run
            .riscs
            .iter()
            .filter_map(|risc| Some((risc, describe(risc)?)))
            .collect();
        if lines.is_empty() {
            continue;
        }
        waiting += lines.len();
        listed += 1;
        if listed > LISTED_CORES {
            continue;
        }
        for (risc, what) in lines {
            first.get_or_insert_with(|| place(risc, risc.line));
            // Writing to a String cannot fail.
            let _ = write!(detail, "\n    {} waits for {what}", place(risc, risc.line));
        }
    }
    let more = listed.saturating_sub(LISTED_CORES);
    if more > 0 {
        let _ = write!(detail, "\n    and {more} more cores");
    }
    let riscs = || cores.iter().flat_map(|run| &run.riscs);
    if riscs().any(|risc| risc.progress.wait.get() == Wait::Spinning) {
        let _ = write!(
            detail,
            "\n    a loop that polls and one that computes look the same: it had {spin_seconds} s of processor time without a \
             call; where it computes, {SPIN_SECONDS} allows more"
        );
    }
    let detail = format!("{waiting} RISCs wait and none can run{detail}");
    Box::new(Report {
        rule: &rules::DEADLOCK,
        place: first,
        detail,
    })
}
