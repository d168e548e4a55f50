//! What no store needs goes.
//!
//! A buffer is needed where a write uses it, or a definition of a buffer that is needed. A definition of any other is
//! dropped; what stands inside it for others (the reads in the loop of an accumulation) stays.

use super::section_uses;
use crate::flow::{Accumulate, BufferId, Flow, FlowLoop, FlowOp, FlowStmt, Section, Step};
use crate::ir::{Kind, replaced};
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
            Kind::Op(FlowOp::Write { buffer, .. }) => drop(needed.insert(*buffer)),
            Kind::Op(FlowOp::Section(section)) => {
                takes[section.pack.buffer.0].extend(section_uses(section));
                for step in &section.steps {
                    if let Step::Control(body) = step {
                        collect(body, Some(section.pack.buffer), takes, needed);
                    }
                }
            }
            Kind::Op(FlowOp::Multiply(matmul)) => {
                if let Some(into) = into {
                    takes[into.0].extend([matmul.a, matmul.b]);
                }
            }
            Kind::Loop(_, body) | Kind::Group(_, body) => collect(body, into, takes, needed),
            Kind::If(_, then, otherwise) => {
                collect(then, into, takes, needed);
                collect(otherwise, into, takes, needed);
            }
            Kind::Op(
                FlowOp::Read { .. }
                | FlowOp::Blank { .. }
                | FlowOp::Release { .. }
                | FlowOp::Elementwise(_)
                | FlowOp::Gemm(_),
            ) => {}
        }
    }
}

fn kept(body: Vec<FlowStmt>, needed: &BTreeSet<BufferId>) -> Vec<FlowStmt> {
    let mut out = Vec::new();
    for FlowStmt { kind, note: span } in body {
        let mut keep = |kind| out.push(FlowStmt { kind, note: span });
        match kind {
            Kind::Op(FlowOp::Read { buffer, .. } | FlowOp::Blank { buffer } | FlowOp::Release { buffer }) => {
                if needed.contains(&buffer) {
                    keep(kind);
                }
            }
            Kind::Op(FlowOp::Section(mut section)) => {
                if needed.contains(&section.pack.buffer) {
                    for step in &mut section.steps {
                        if let Step::Control(body) = step {
                            *body = kept(std::mem::take(body), needed);
                        }
                    }
                    keep(Kind::Op(FlowOp::Section(section)));
                } else {
                    out.extend(without_products(section).flat_map(|body| kept(body, needed)));
                }
            }
            Kind::Group(Accumulate { buffer, fill }, body) => {
                let body = kept(body, needed);
                if needed.contains(&buffer) {
                    keep(Kind::Group(Accumulate { buffer, fill }, body));
                } else {
                    out.extend(body);
                }
            }
            Kind::Loop(FlowLoop { var, start, end, kind }, body) => {
                let body = kept(body, needed);
                if !body.is_empty() {
                    keep(Kind::Loop(FlowLoop { var, start, end, kind }, body));
                }
            }
            Kind::If(cond, then, otherwise) => {
                let (then, otherwise) = (kept(then, needed), kept(otherwise, needed));
                if !then.is_empty() || !otherwise.is_empty() {
                    keep(Kind::If(cond, then, otherwise));
                }
            }
            Kind::Op(FlowOp::Write { .. } | FlowOp::Multiply(_) | FlowOp::Elementwise(_) | FlowOp::Gemm(_)) => {
                keep(kind)
            }
        }
    }
    out
}

/// What the loops in the registers of a section do besides multiplying.
fn without_products(section: Section) -> impl Iterator<Item = Vec<FlowStmt>> {
    section.steps.into_iter().filter_map(|step| match step {
        Step::Control(body) => Some(replaced(body, &mut |span, op| match op {
            FlowOp::Multiply(_) => Vec::new(),
            op @ (FlowOp::Read { .. }
            | FlowOp::Write { .. }
            | FlowOp::Blank { .. }
            | FlowOp::Release { .. }
            | FlowOp::Elementwise(_)
            | FlowOp::Gemm(_)
            | FlowOp::Section(_)) => vec![FlowStmt::new(span, Kind::Op(op))],
        })),
        Step::Tile { .. } | Step::Matmul(_) => None,
    })
}
