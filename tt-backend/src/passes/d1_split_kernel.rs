//! D1: one program becomes three.
//!
//! Before: Flow IR. After: reader, compute and writer, each with the statements of its role under the same loops and
//! branches (which keep their `Origin`), and with the two ends of every buffer made explicit: the producer reserves and
//! publishes a version, the consumer receives and releases it. A version is received right where it is published, so the
//! order of versions is the same for all three.
//!
//! ```text
//!                       reader: reserve a; read a; publish a
//!  read a          ⟹    compute: receive a; reserve y; section y ← a; publish y; release a
//!  section y ← a        writer: receive y; write y; release y
//!  release a; write y; release y
//! ```

use super::c3_build_dataflow::replaces;
use crate::device::{Expr, Node, Origin, Programs, SectionStep, Step};
use crate::flow::{self, Arg, BufferId, BufferKind, Flow, FlowKind, FlowStmt, Makes, Pack, PackMode, Section};
use crate::tile_ops::TileOp;
use tt_lang::ir::LoopKind;
use tt_plan::Number;

/// The programs after D1: what runs once before and after the persistent loop, and for every block.
pub type Split = Programs<Step, Step, Step>;

/// Runs the pass.
pub fn run(flow: &Flow) -> Split {
    let mut split = SplitKernel { flow, next: 0 };
    split.body(&flow.body)
}

struct SplitKernel<'a> {
    flow: &'a Flow,
    next: u32,
}

impl SplitKernel<'_> {
    fn body(&mut self, body: &[FlowStmt]) -> Split {
        let mut out = Split {
            reader: Vec::new(),
            compute: Vec::new(),
            writer: Vec::new(),
        };
        for stmt in body {
            self.statement(stmt, &mut out);
        }
        out
    }

    fn kind(&self, buffer: BufferId) -> BufferKind {
        self.flow.buffers[buffer.0].kind
    }

    /// A version of zeros.
    fn zeros(&self, buffer: BufferId) -> Section {
        let fill = flow::Step::Tile {
            op: TileOp::Fill,
            out: 0,
            args: vec![Arg::Number(Number::constant(0.0))],
        };
        Section {
            tiles: self.flow.buffers[buffer.0].tiles,
            chunk: [1, 1],
            registers: 1,
            steps: vec![fill],
            result: 0,
            pack: Pack {
                buffer,
                mode: PackMode::Publish,
            },
            makes: Makes::Registers,
            fill: None,
        }
    }

    /// What follows the publication of a version by compute.
    fn received(&self, buffer: BufferId, out: &mut Split) {
        let receive = Node::Leaf(Step::Receive(buffer));
        match self.kind(buffer) {
            BufferKind::Outgoing => out.writer.push(receive),
            BufferKind::Local | BufferKind::Incoming | BufferKind::Zeros => out.compute.push(receive),
        }
    }

    fn statement(&mut self, stmt: &FlowStmt, out: &mut Split) {
        let source = || Node::Source(stmt.span);
        let origin = Origin(self.next);
        self.next += 1;
        match &stmt.kind {
            FlowKind::Read { buffer, region, .. } => {
                let steps = [
                    Step::Reserve(*buffer),
                    Step::Read(*buffer, region.clone()),
                    Step::Publish(*buffer),
                ];
                out.reader.push(source());
                out.reader.extend(steps.map(Node::Leaf));
                out.compute.push(Node::Leaf(Step::Receive(*buffer)));
            }
            FlowKind::Write { buffer, region, .. } => {
                out.writer.push(source());
                out.writer.push(Node::Leaf(Step::Write(*buffer, region.clone())));
            }
            FlowKind::Blank { buffer } => match self.kind(*buffer) {
                BufferKind::Incoming | BufferKind::Zeros => {
                    for step in [Step::Reserve, Step::ReadZeros, Step::Publish] {
                        out.reader.push(Node::Leaf(step(*buffer)));
                    }
                    self.received(*buffer, out);
                }
                BufferKind::Local | BufferKind::Outgoing => {
                    let kind = FlowKind::Section(self.zeros(*buffer));
                    self.statement(&FlowStmt { kind, span: stmt.span }, out);
                }
            },
            FlowKind::Release { buffer } => {
                let release = Node::Leaf(Step::Release(*buffer));
                match self.kind(*buffer) {
                    BufferKind::Outgoing => out.writer.push(release),
                    BufferKind::Incoming | BufferKind::Local | BufferKind::Zeros => out.compute.push(release),
                }
            }
            FlowKind::Section(section) => {
                let publishes = section.pack.mode == PackMode::Publish;
                out.compute.push(source());
                if publishes {
                    out.compute.push(Node::Leaf(Step::Reserve(section.pack.buffer)));
                }
                let mut control = vec![Vec::new(); section.steps.len()];
                for (at, step) in section.steps.iter().enumerate() {
                    if let flow::Step::Control(body) = step {
                        let inner = self.body(body);
                        out.reader.extend(inner.reader);
                        out.writer.extend(inner.writer);
                        control[at] = inner.compute;
                    }
                }
                let count = section.steps.len();
                let step = SectionStep {
                    section: section.clone(),
                    before: Vec::new(),
                    steps: vec![Vec::new(); count],
                    pack: Vec::new(),
                    control,
                };
                out.compute.push(Node::Leaf(Step::Section(Box::new(step))));
                if publishes {
                    out.compute.push(Node::Leaf(Step::Publish(section.pack.buffer)));
                    // The old version goes before the new one is waited for: a wait counts all versions in the FIFO.
                    if let Some(buffer) = replaces(section) {
                        out.compute.push(Node::Leaf(Step::Release(buffer)));
                    }
                    self.received(section.pack.buffer, out);
                }
            }
            FlowKind::Multiply(matmul) => {
                out.compute.push(source());
                out.compute.push(Node::Leaf(Step::Multiply(matmul.clone(), Vec::new())));
            }
            FlowKind::Accumulate { buffer, body, .. } => {
                out.compute.push(Node::Leaf(Step::Reserve(*buffer)));
                let inner = self.body(body);
                out.reader.extend(inner.reader);
                out.compute.extend(inner.compute);
                out.writer.extend(inner.writer);
                out.compute.push(Node::Leaf(Step::Publish(*buffer)));
                self.received(*buffer, out);
            }
            FlowKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => {
                let inner = self.body(body);
                let wrap = |body: Vec<Node<Step>>, out: &mut Vec<Node<Step>>| {
                    if body.iter().any(|node| !matches!(node, Node::Source(_))) {
                        let unroll = *kind == LoopKind::Unroll;
                        out.push(source());
                        out.push(Node::Loop {
                            var: *var,
                            start: Expr::user(start),
                            end: Expr::user(end),
                            unroll,
                            body,
                            origin,
                        });
                    }
                };
                wrap(inner.reader, &mut out.reader);
                wrap(inner.compute, &mut out.compute);
                wrap(inner.writer, &mut out.writer);
            }
            FlowKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                let wrap = |then: Vec<Node<Step>>, otherwise: Vec<Node<Step>>, out: &mut Vec<Node<Step>>| {
                    if !then.is_empty() || !otherwise.is_empty() {
                        out.push(source());
                        out.push(Node::If {
                            cond: Expr::Condition(cond.clone()),
                            then,
                            otherwise,
                            origin,
                        });
                    }
                };
                wrap(then.reader, otherwise.reader, &mut out.reader);
                wrap(then.compute, otherwise.compute, &mut out.compute);
                wrap(then.writer, otherwise.writer, &mut out.writer);
            }
            // C2 left none of these.
            FlowKind::Elementwise(_) | FlowKind::Gemm(_) => {}
        }
    }
}
