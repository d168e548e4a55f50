//! What no store needs goes.
//!
//! A buffer is needed where a write uses it, or a definition of a buffer that is needed. A definition of any other is
//! dropped; what stands inside it for others (the reads in the loop of an accumulation) stays.

use super::section_uses;
use crate::flow::{BufferId, Flow, FlowKind, FlowStmt, Section, Step};
use std::collections::BTreeSet;

/// Runs the step.
pub fn remove(flow: &mut Flow) {
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
    body: &[FlowStmt],
    into: Option<BufferId>,
    takes: &mut [BTreeSet<BufferId>],
    needed: &mut BTreeSet<BufferId>,
) {
    for stmt in body {
        match &stmt.kind {
            FlowKind::Write { buffer, .. } => drop(needed.insert(*buffer)),
            FlowKind::Section(section) => {
                takes[section.pack.buffer.0].extend(section_uses(section));
                for step in &section.steps {
                    if let Step::Control(body) = step {
                        collect(body, Some(section.pack.buffer), takes, needed);
                    }
                }
            }
            FlowKind::Multiply(matmul) => {
                if let Some(into) = into {
                    takes[into.0].extend([matmul.a, matmul.b]);
                }
            }
            FlowKind::For { body, .. } | FlowKind::Accumulate { body, .. } => collect(body, into, takes, needed),
            FlowKind::If { then, otherwise, .. } => {
                collect(then, into, takes, needed);
                collect(otherwise, into, takes, needed);
            }
            FlowKind::Read { .. }
            | FlowKind::Blank { .. }
            | FlowKind::Release { .. }
            | FlowKind::Elementwise(_)
            | FlowKind::Gemm(_) => {}
        }
    }
}

fn kept(body: Vec<FlowStmt>, needed: &BTreeSet<BufferId>) -> Vec<FlowStmt> {
    let mut out = Vec::new();
    for FlowStmt { kind, span } in body {
        let mut keep = |kind| out.push(FlowStmt { kind, span });
        match kind {
            FlowKind::Read { buffer, .. } | FlowKind::Blank { buffer } | FlowKind::Release { buffer } => {
                if needed.contains(&buffer) {
                    keep(kind);
                }
            }
            FlowKind::Section(mut section) => {
                if needed.contains(&section.pack.buffer) {
                    for step in &mut section.steps {
                        if let Step::Control(body) = step {
                            *body = kept(std::mem::take(body), needed);
                        }
                    }
                    keep(FlowKind::Section(section));
                } else {
                    out.extend(without_products(section).flat_map(|body| kept(body, needed)));
                }
            }
            FlowKind::Accumulate { buffer, fill, body } => {
                let body = kept(body, needed);
                if needed.contains(&buffer) {
                    keep(FlowKind::Accumulate { buffer, fill, body });
                } else {
                    out.extend(body);
                }
            }
            FlowKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => {
                let body = kept(body, needed);
                if !body.is_empty() {
                    keep(FlowKind::For {
                        var,
                        start,
                        end,
                        kind,
                        body,
                    });
                }
            }
            FlowKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (kept(then, needed), kept(otherwise, needed));
                if !then.is_empty() || !otherwise.is_empty() {
                    keep(FlowKind::If { cond, then, otherwise });
                }
            }
            FlowKind::Write { .. } | FlowKind::Multiply(_) | FlowKind::Elementwise(_) | FlowKind::Gemm(_) => keep(kind),
        }
    }
    out
}

/// What the loops in the registers of a section do besides multiplying.
fn without_products(section: Section) -> impl Iterator<Item = Vec<FlowStmt>> {
    section.steps.into_iter().filter_map(|step| match step {
        Step::Control(mut body) => {
            drop_products(&mut body);
            Some(body)
        }
        Step::Tile { .. } | Step::Matmul(_) => None,
    })
}

fn drop_products(body: &mut Vec<FlowStmt>) {
    body.retain(|stmt| !matches!(stmt.kind, FlowKind::Multiply(_)));
    for stmt in body {
        match &mut stmt.kind {
            FlowKind::For { body, .. } => drop_products(body),
            FlowKind::If { then, otherwise, .. } => {
                drop_products(then);
                drop_products(otherwise);
            }
            _ => {}
        }
    }
}
