//! What no store and no print needs goes.
//!
//! A buffer is needed where a write or a print uses it, or a definition of a buffer that is needed. A definition of any other is
//! dropped; what stands inside it for others (the reads in the loop of an accumulation) stays.

use crate::flow::{Around, BufferId, Flow, SectionOp, SectionStmt, Sections};
use crate::ir::{Keep, Kind, operations, retained, visit};
use std::collections::BTreeSet;

/// Runs the step.
pub fn remove(flow: &mut Flow<Sections>) {
    let mut takes = vec![BTreeSet::new(); flow.buffers.len()];
    let mut needed = BTreeSet::new();
    collect(&flow.body, &mut takes, &mut needed);
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

/// What the definitions of each buffer use, and what is written.
fn collect(body: &[SectionStmt], takes: &mut [BTreeSet<BufferId>], needed: &mut BTreeSet<BufferId>) {
    visit(body, &mut |stmt| match &stmt.kind {
        Kind::Op(op @ (SectionOp::Write(_) | SectionOp::Inspect(_))) => {
            op.uses(&mut |buffer| {
                needed.insert(buffer);
            });
        }
        Kind::Op(SectionOp::Shift(shift)) => takes[shift.buffer.0].extend([shift.from]),
        Kind::Group(Around::Section(section), body) => {
            let takes = &mut takes[section.pack.buffer.0];
            operations(body, &mut |op| {
                op.uses(&mut |buffer| {
                    takes.insert(buffer);
                })
            });
        }
        Kind::Op(
            SectionOp::Read(_)
            | SectionOp::Fetch(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_),
        )
        | Kind::Group(..)
        | Kind::Loop(..)
        | Kind::If(..) => {}
    });
}

fn kept(body: Vec<SectionStmt>, needed: &BTreeSet<BufferId>) -> Vec<SectionStmt> {
    // Whether the section is needed that statements stand in.
    let mut in_registers = true;
    retained(body, &mut |stmt| {
        let is_kept = match &stmt.kind {
            Kind::Op(SectionOp::Tile { .. } | SectionOp::Matmul(_))
            | Kind::Group(Around::Along { .. } | Around::Unless(_), _) => in_registers,
            Kind::Op(SectionOp::Release(buffer)) => needed.contains(buffer),
            Kind::Op(op) => op.defines().is_none_or(|buffer| needed.contains(&buffer)),
            Kind::Group(Around::Section(section), _) => {
                in_registers = needed.contains(&section.pack.buffer);
                return if in_registers { Keep::Itself } else { Keep::Inside };
            }
            Kind::Group(Around::Accumulate(of), _) if !needed.contains(&of.buffer) => return Keep::Inside,
            Kind::Group(Around::Accumulate(_), _) | Kind::Loop(..) | Kind::If(..) => true,
        };
        if is_kept { Keep::Itself } else { Keep::Nothing }
    })
}
