//! Buffers that are never alive together share one circular buffer.
//!
//! Only where there are too many: buffers of their own let reader, compute and writer run further ahead of each other.
//!
//! ```text
//!  b = f(a); release a; c = g(b); release b; ..      ⟹      b = f(a); release a; a = g(b); release b; ..
//! ```

use super::{section_defines, section_uses};
use crate::flow::{Accumulate, Arg, Buffer, BufferId, BufferKind, Flow, FlowOp, FlowStmt, Step};
use crate::ir::Kind;
use std::collections::{BTreeSet, HashMap};

/// Runs the step for buffers of `kind`: gives each the place of an earlier one that it can take.
pub fn run(flow: &mut Flow, kind: BufferKind) {
    let mut together = Together {
        alive: vec![0; flow.buffers.len()],
        now: BTreeSet::new(),
        pairs: vec![BTreeSet::new(); flow.buffers.len()],
    };
    together.body(&flow.body);
    let mut places: HashMap<_, Vec<Vec<BufferId>>> = HashMap::new();
    let mut place_of: Vec<BufferId> = (0..flow.buffers.len()).map(BufferId).collect();
    for (index, buffer) in flow.buffers.iter().enumerate() {
        if buffer.kind != kind {
            continue;
        }
        let places = places.entry(shape(buffer)).or_default();
        let apart = |others: &&mut Vec<BufferId>| {
            let meets = |other: &BufferId| together.pairs[index].contains(other);
            !others.iter().any(meets)
        };
        match places.iter_mut().find(apart) {
            Some(others) => {
                place_of[index] = others[0];
                others.push(BufferId(index));
            }
            None => places.push(vec![BufferId(index)]),
        }
    }
    for (index, place) in place_of.iter().enumerate() {
        let versions = flow.buffers[index].versions;
        let shared = &mut flow.buffers[place.0];
        shared.versions = shared.versions.max(versions);
    }
    rename(&mut flow.body, &|buffer| *buffer = place_of[buffer.0]);
}

/// What two buffers have in common that share a place.
fn shape(buffer: &Buffer) -> impl Eq + std::hash::Hash + use<> {
    let Buffer {
        format,
        tiles,
        column_major,
        unpack_to_dest,
        ..
    } = buffer;
    (*format, *tiles, *column_major, *unpack_to_dest)
}

/// Which buffers are alive together.
struct Together {
    alive: Vec<u32>,
    now: BTreeSet<BufferId>,
    pairs: Vec<BTreeSet<BufferId>>,
}

impl Together {
    fn append(&mut self, buffer: BufferId) {
        for other in self.now.iter().filter(|other| **other != buffer) {
            self.pairs[buffer.0].insert(*other);
            self.pairs[other.0].insert(buffer);
        }
        self.alive[buffer.0] += 1;
        self.now.insert(buffer);
    }

    fn release(&mut self, buffer: BufferId) {
        let alive = &mut self.alive[buffer.0];
        *alive = alive.saturating_sub(1);
        if *alive == 0 {
            self.now.remove(&buffer);
        }
    }

    /// Releases stand in the flow already; loops and branches leave what they found.
    fn body(&mut self, body: &[FlowStmt]) {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(FlowOp::Read { buffer, .. } | FlowOp::Blank { buffer }) => self.append(*buffer),
                Kind::Op(FlowOp::Release { buffer }) => self.release(*buffer),
                Kind::Op(FlowOp::Section(section)) => {
                    let defined = section_defines(section);
                    defined.into_iter().for_each(|buffer| self.append(buffer));
                    for step in &section.steps {
                        if let Step::Control(body) = step {
                            self.body(body);
                        }
                    }
                    if let Some(buffer) = defined.filter(|buffer| section_uses(section).contains(buffer)) {
                        self.release(buffer);
                    }
                }
                Kind::Group(Accumulate { buffer, .. }, body) => {
                    self.append(*buffer);
                    self.body(body);
                }
                Kind::Loop(_, body) => self.body(body),
                Kind::If(_, then, otherwise) => {
                    let before = (self.alive.clone(), self.now.clone());
                    self.body(then);
                    (self.alive, self.now) = before;
                    self.body(otherwise);
                }
                Kind::Op(FlowOp::Write { .. } | FlowOp::Multiply(_) | FlowOp::Elementwise(_) | FlowOp::Gemm(_)) => {}
            }
        }
    }
}

fn rename(body: &mut [FlowStmt], to: &impl Fn(&mut BufferId)) {
    for stmt in body {
        match &mut stmt.kind {
            Kind::Op(
                FlowOp::Read { buffer, .. }
                | FlowOp::Write { buffer, .. }
                | FlowOp::Blank { buffer }
                | FlowOp::Release { buffer },
            ) => to(buffer),
            Kind::Op(FlowOp::Section(section)) => {
                to(&mut section.pack.buffer);
                for step in &mut section.steps {
                    match step {
                        Step::Tile { args, .. } => {
                            for arg in args {
                                match arg {
                                    Arg::Tile(operand) => to(&mut operand.buffer),
                                    Arg::Register(_) | Arg::Number(_) => {}
                                }
                            }
                        }
                        Step::Matmul(matmul) => {
                            to(&mut matmul.a);
                            to(&mut matmul.b);
                        }
                        Step::Control(body) => rename(body, to),
                    }
                }
            }
            Kind::Op(FlowOp::Multiply(matmul)) => {
                to(&mut matmul.a);
                to(&mut matmul.b);
            }
            Kind::Group(Accumulate { buffer, .. }, body) => {
                to(buffer);
                rename(body, to);
            }
            Kind::Loop(_, body) => rename(body, to),
            Kind::If(_, then, otherwise) => {
                rename(then, to);
                rename(otherwise, to);
            }
            Kind::Op(FlowOp::Elementwise(_) | FlowOp::Gemm(_)) => {}
        }
    }
}
