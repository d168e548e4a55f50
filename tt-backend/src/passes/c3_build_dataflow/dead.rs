//! What no store and no print needs goes.
//!
//! A buffer is needed where a write or a print uses it, or a definition of a buffer that is needed. A definition of any other is
//! dropped; what stands inside it for others (the reads in the loop of an accumulation) stays.

use crate::flow::{BufferId, Flow, Read, Section, SectionOp, SectionStmt, Sections, Shift, Step};
use crate::ir::{Kind, replaced};
use std::collections::BTreeSet;

/// Runs the step.
pub fn remove(flow: &mut Flow<Sections>) {
    let mut takes = vec![BTreeSet::new(); flow.buffers.len()];
    let mut needed = BTreeSet::new();
    collect(&flow.body, None, &mut takes, &mut needed);
    let mut next: Vec<BufferId> = needed.iter().copied().collect();
    while let Some(buffer) = next.pop() {
        for taken in std::mem::take(&mut takes[buffer.0]) {
            if needed.insert(taken) {
                next.push(taken);
            }
        }
    }
    flow.body = kept(std::mem::take(&mut flow.body), &needed);
}

/// What the definitions of each buffer use, and what is written. `into`: the buffer whose sums the statements make.
fn collect(
    body: &[SectionStmt],
    into: Option<BufferId>,
    takes: &mut [BTreeSet<BufferId>],
    needed: &mut BTreeSet<BufferId>,
) {
    for stmt in body {
        match &stmt.kind {
            Kind::Op(SectionOp::Write(write)) => needed.extend(write.uses().map(|(buffer, _)| buffer)),
            Kind::Op(SectionOp::Inspect(inspection)) => needed.extend(inspection.uses().map(|(buffer, _)| buffer)),
            Kind::Op(SectionOp::Shift(shift)) => {
                takes[shift.buffer.0].insert(shift.from);
            }
            Kind::Op(SectionOp::Section(section)) => {
                takes[section.pack.buffer.0].extend(section.uses());
                for body in section.controls() {
                    collect(body, Some(section.pack.buffer), takes, needed);
                }
            }
            Kind::Op(SectionOp::Multiply(matmul)) => {
                if let Some(into) = into {
                    takes[into.0].extend([matmul.a, matmul.b]);
                }
            }
            Kind::Loop(_, body) | Kind::Group(_, body) => collect(body, into, takes, needed),
            Kind::If(_, then, otherwise) => {
                collect(then, into, takes, needed);
                collect(otherwise, into, takes, needed);
            }
            Kind::Op(SectionOp::Read(_) | SectionOp::Fetch(_) | SectionOp::Blank(_) | SectionOp::Release(_)) => {}
        }
    }
}

fn kept(body: Vec<SectionStmt>, needed: &BTreeSet<BufferId>) -> Vec<SectionStmt> {
    let mut out = Vec::new();
    for SectionStmt { kind, note: span } in body {
        let mut keep = |kind| out.push(SectionStmt { kind, note: span });
        match kind {
            Kind::Op(
                SectionOp::Read(Read { buffer, .. })
                | SectionOp::Shift(Shift { buffer, .. })
                | SectionOp::Blank(buffer)
                | SectionOp::Release(buffer),
            ) => {
                if needed.contains(&buffer) {
                    keep(kind);
                }
            }
            Kind::Op(SectionOp::Section(mut section)) => {
                if needed.contains(&section.pack.buffer) {
                    for body in section.controls_mut() {
                        *body = kept(std::mem::take(body), needed);
                    }
                    keep(Kind::Op(SectionOp::Section(section)));
                } else {
                    out.extend(without_products(section).flat_map(|body| kept(body, needed)));
                }
            }
            Kind::Group(group, body) => {
                let body = kept(body, needed);
                if needed.contains(&group.buffer) {
                    keep(Kind::Group(group, body));
                } else {
                    out.extend(body);
                }
            }
            Kind::Loop(head, body) => {
                let body = kept(body, needed);
                if !body.is_empty() {
                    keep(Kind::Loop(head, body));
                }
            }
            Kind::If(cond, then, otherwise) => {
                let (then, otherwise) = (kept(then, needed), kept(otherwise, needed));
                if !then.is_empty() || !otherwise.is_empty() {
                    keep(Kind::If(cond, then, otherwise));
                }
            }
            Kind::Op(SectionOp::Write(_) | SectionOp::Inspect(_) | SectionOp::Fetch(_) | SectionOp::Multiply(_)) => {
                keep(kind);
            }
        }
    }
    out
}

/// What the loops in the registers of a section do besides multiplying.
fn without_products(section: Section) -> impl Iterator<Item = Vec<SectionStmt>> {
    section.steps.into_iter().filter_map(|step| match step {
        Step::Control(body) => Some(replaced(body, &mut |span, op| match op {
            SectionOp::Multiply(_) => Vec::new(),
            op @ (SectionOp::Read(_)
            | SectionOp::Write(_)
            | SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Fetch(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Section(_)) => vec![SectionStmt::new(span, Kind::Op(op))],
        })),
        Step::Tile { .. } | Step::Matmul(_) | Step::Along { .. } | Step::Unless { .. } => None,
    })
}
