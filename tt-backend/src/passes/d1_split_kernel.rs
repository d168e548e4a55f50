//! D1: one program becomes three.
//!
//! Before: Flow IR. After: reader, compute and writer, each with the statements of its role under the same loops and
//! branches (which keep their `Origin`), and with the two ends of every buffer made explicit: the producer reserves and
//! publishes a version, the consumer receives and releases it. A version is received right where it is published, so the
//! order of versions is the same for all three. Each program does so for every block of its core (B2); constant tiles are
//! made before the first block and dropped after the last.
//!
//! ```text
//!                       reader: reserve a; read a; publish a
//!  read a          ⟹    compute: receive a; reserve y; section y ← a; publish y; release a
//!  section y ← a        writer: receive y; write y; release y
//!  release a; write y; release y
//! ```

use crate::device::{
    Around, Compute, ComputeOp, Move, Moves, Origin, Parts, Programs, Protocol, Section, Source, SourceBranch,
    SourceLoop, print,
};
use crate::flow::{
    self, Accumulate, Arg, BufferId, BufferKind, Constant, Fetch, FetchedInto, Flow, FlowLoop, Makes, Pack, PackMode,
    Read, SectionOp, SectionStmt, Sections,
};
use crate::ir::{Kind, Stage, Stmt};
use crate::pipeline::{Form, Pass, Unit};
use crate::tile_ops::TileOp;
use crate::verify::progress::proved;
use crate::verify::sight;
use tt_lang::ir::{LoopKind, Span};
use tt_plan::{Number, Role};

/// The programs after D1.
pub type Split = Programs<Moves, Compute<Protocol>, Moves>;

/// The pass.
pub const PASS: Pass<Unit<Flow<Sections>>, Unit<Parts<Split, ()>>> = Pass {
    name: "D1 split_kernel",
    does: "reader, compute and writer",
    run: |unit| {
        unit.lowered(|_, flow| {
            let programs = run(&flow);
            Ok(Parts {
                traffic: sight::traffic(&flow),
                buffers: flow.buffers,
                accessors: (),
                programs,
            })
        })
    },
    check: proved,
};

impl Form for Unit<Parts<Split, ()>> {
    const NAME: &'static str = "Device IR: moves";

    fn text(&self) -> Option<String> {
        Some(print::programs(
            &self.facts.kernel,
            &self.program.buffers,
            &self.program.programs,
        ))
    }
}

/// Runs the pass.
pub fn run(flow: &Flow<Sections>) -> Split {
    let mut split = SplitKernel { flow, next: 0 };
    let Split {
        reader,
        compute,
        writer,
    } = split.body(&flow.body);
    let (mut reader, mut compute, writer) = (of_blocks(reader), of_blocks(compute), of_blocks(writer));
    for (buffer, constant) in flow::constants(&flow.buffers) {
        let made = made_of(buffer, constant).map(|op| Stmt::new(None, Kind::Op(op)));
        reader.splice(0..0, made);
        compute.insert(0, plain(Protocol::Receive(buffer)));
        compute.push(plain(Protocol::Release(buffer)));
    }
    Split {
        reader,
        compute,
        writer,
    }
}

/// `body` for every block; nothing where there is nothing to do.
fn of_blocks<S: Stage<Loop = SourceLoop, Note = Source>>(body: Vec<Stmt<S>>) -> Vec<Stmt<S>> {
    match body.is_empty() {
        true => Vec::new(),
        false => vec![Stmt::new(None, Kind::Loop(SourceLoop::Blocks, body))],
    }
}

/// How the reader makes a version of a constant.
fn made_of(buffer: BufferId, constant: Constant) -> [Move; 3] {
    [
        Move::Protocol(Protocol::Reserve(buffer)),
        Move::Make(buffer, constant),
        Move::Protocol(Protocol::Publish(buffer)),
    ]
}

fn plain(step: Protocol) -> Stmt<Compute<Protocol>> {
    Stmt::new(None, Kind::Op(ComputeOp::Plain(step)))
}

/// A token from one program to the other, which waits for it.
fn pass(token: BufferId, from: &mut Growing<Moves>, to: &mut Growing<Moves>) {
    from.op(Protocol::Reserve(token));
    from.op(Protocol::Publish(token));
    to.op(Protocol::Receive(token));
    to.op(Protocol::Release(token));
}

/// The statements of one program that a statement of Flow IR becomes.
struct Growing<S: Stage> {
    out: Vec<Stmt<S>>,
    /// What the next statement says of its place.
    source: Source,
}

impl<S: Stage<Note = Source>> Growing<S> {
    fn new() -> Growing<S> {
        Growing {
            out: Vec::new(),
            source: None,
        }
    }

    fn push(&mut self, kind: Kind<S>) {
        self.out.push(Stmt::new(self.source.take(), kind));
    }

    fn op(&mut self, op: impl Into<S::Op>) {
        self.push(Kind::Op(op.into()));
    }
}

impl From<Protocol> for Move {
    fn from(step: Protocol) -> Move {
        Move::Protocol(step)
    }
}

impl From<Protocol> for ComputeOp<Protocol> {
    fn from(step: Protocol) -> ComputeOp<Protocol> {
        ComputeOp::Plain(step)
    }
}

/// The three programs as they grow.
struct Three {
    reader: Growing<Moves>,
    compute: Growing<Compute<Protocol>>,
    writer: Growing<Moves>,
}

impl Three {
    fn step(&mut self, role: Role, step: Protocol) {
        match role {
            Role::Reader => self.reader.op(step),
            Role::Compute => self.compute.op(step),
            Role::Writer => self.writer.op(step),
        }
    }

    fn extend(&mut self, inner: Split) {
        self.reader.out.extend(inner.reader);
        self.compute.out.extend(inner.compute);
        self.writer.out.extend(inner.writer);
    }
}

struct SplitKernel<'a> {
    flow: &'a Flow<Sections>,
    next: u32,
}

impl SplitKernel<'_> {
    fn body(&mut self, body: &[SectionStmt]) -> Split {
        let mut out = Three {
            reader: Growing::new(),
            compute: Growing::new(),
            writer: Growing::new(),
        };
        for stmt in body {
            self.statement(stmt, &mut out);
        }
        Split {
            reader: out.reader.out,
            compute: out.compute.out,
            writer: out.writer.out,
        }
    }

    fn kind(&self, buffer: BufferId) -> BufferKind {
        self.flow.buffers[buffer.0].kind
    }

    /// A version of zeros.
    fn zeros(&self, buffer: BufferId) -> flow::Section {
        let fill = flow::Step::Tile {
            op: TileOp::Fill,
            out: 0,
            args: vec![Arg::Number(Number::constant(0.0))],
        };
        flow::Section {
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
    fn received(&self, buffer: BufferId, out: &mut Three) {
        out.step(self.kind(buffer).consumer(), Protocol::Receive(buffer));
    }

    fn statement(&mut self, stmt: &SectionStmt, out: &mut Three) {
        let origin = Origin(self.next);
        self.next += 1;
        match &stmt.kind {
            Kind::Op(SectionOp::Read(Read {
                buffer, region, after, ..
            })) => {
                out.reader.source = Some(stmt.note);
                if let Some(token) = after {
                    pass(*token, &mut out.writer, &mut out.reader);
                }
                out.reader.op(Protocol::Reserve(*buffer));
                out.reader.op(Move::Read(*buffer, region.clone(), None));
                out.reader.op(Protocol::Publish(*buffer));
                out.compute.op(Protocol::Receive(*buffer));
            }
            Kind::Op(SectionOp::Write(write)) => {
                out.writer.source = Some(stmt.note);
                if let Some(token) = write.after {
                    pass(token, &mut out.reader, &mut out.writer);
                }
                let stored = write.stored.map(|(buffer, _)| buffer);
                out.writer.op(Move::Write(write.buffer, write.region.clone(), stored));
            }
            Kind::Op(SectionOp::Shift(shift)) => {
                out.writer.source = Some(stmt.note);
                out.writer.op(Protocol::Reserve(shift.buffer));
                out.writer.op(Move::Shift {
                    from: shift.from,
                    to: shift.buffer,
                    window: shift.window.clone(),
                });
                out.writer.op(Protocol::Publish(shift.buffer));
                self.received(shift.buffer, out);
            }
            Kind::Op(SectionOp::Inspect(inspection)) => {
                out.writer.source = Some(stmt.note);
                out.writer.op(Move::Inspect(inspection.clone()));
            }
            Kind::Op(SectionOp::Fetch(fetch)) => {
                self.fetch(fetch, stmt.note, out);
            }
            Kind::Op(SectionOp::Blank(buffer)) => {
                let part = match self.kind(*buffer).producer() {
                    Role::Reader => &mut out.reader,
                    Role::Writer => &mut out.writer,
                    Role::Compute => {
                        let kind = Kind::Op(SectionOp::Section(self.zeros(*buffer)));
                        return self.statement(&SectionStmt { kind, note: stmt.note }, out);
                    }
                };
                made_of(*buffer, Constant::Zeros).into_iter().for_each(|op| part.op(op));
                self.received(*buffer, out);
            }
            Kind::Op(SectionOp::Release(buffer)) => {
                out.step(self.kind(*buffer).consumer(), Protocol::Release(*buffer));
            }
            Kind::Op(SectionOp::Section(section)) => {
                out.compute.source = Some(stmt.note);
                self.section(section, out);
            }
            Kind::Op(SectionOp::Multiply(matmul)) => {
                out.compute.source = Some(stmt.note);
                out.compute.op(ComputeOp::Matmul(matmul.clone()));
            }
            Kind::Group(Accumulate { buffer, .. }, body) => {
                out.compute.op(Protocol::Reserve(*buffer));
                let inner = self.body(body);
                out.extend(inner);
                out.compute.op(Protocol::Publish(*buffer));
                self.received(*buffer, out);
            }
            Kind::Loop(head, body) => {
                let FlowLoop {
                    var, start, end, kind, ..
                } = head;
                let inner = self.body(body);
                let head = || SourceLoop::Over {
                    var: *var,
                    start: start.clone(),
                    end: end.clone(),
                    unroll: *kind == LoopKind::Unroll,
                    origin,
                };
                repeat(&mut out.reader, stmt, inner.reader, head);
                repeat(&mut out.compute, stmt, inner.compute, head);
                repeat(&mut out.writer, stmt, inner.writer, head);
            }
            Kind::If(cond, then, otherwise) => {
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                let head = || SourceBranch {
                    cond: cond.clone(),
                    origin,
                };
                choose(&mut out.reader, stmt, then.reader, otherwise.reader, head);
                choose(&mut out.compute, stmt, then.compute, otherwise.compute, head);
                choose(&mut out.writer, stmt, then.writer, otherwise.writer, head);
            }
        }
    }

    /// An integer, for each program that needs it. Compute takes it from the version that it is, which is gone then.
    fn fetch(&self, fetch: &Fetch, span: Span, out: &mut Three) {
        let of = || Fetch {
            into: FetchedInto::default(),
            ..fetch.clone()
        };
        let passed_on = fetch.into.passed_on(&self.flow.buffers);
        if let Some(buffer) = passed_on {
            out.reader.source = Some(span);
            out.compute.source = Some(span);
            out.reader.op(Protocol::Reserve(buffer));
            out.reader.op(Move::Fetch(buffer, of()));
            out.reader.op(Protocol::Publish(buffer));
            out.compute.op(Protocol::Receive(buffer));
            out.compute.op(Protocol::Take(fetch.var, buffer));
            out.compute.op(Protocol::Release(buffer));
        } else if let Some(buffer) = fetch.into.reader {
            out.reader.source = Some(span);
            out.reader.op(Move::Fetch(buffer, of()));
        }
        if let Some(buffer) = fetch.into.writer {
            out.writer.source = Some(span);
            out.writer.op(Move::Fetch(buffer, of()));
        }
    }

    fn steps(&mut self, steps: &[flow::Step], body: &mut Growing<Compute<Protocol>>, out: &mut Three) {
        for step in steps {
            match step {
                flow::Step::Tile { op, out, args } => body.op(ComputeOp::Tile {
                    op: *op,
                    out: *out,
                    args: args.clone(),
                }),
                flow::Step::Matmul(matmul) => body.op(ComputeOp::Matmul(matmul.clone())),
                flow::Step::Control(inner) => {
                    let inner = self.body(inner);
                    out.reader.out.extend(inner.reader);
                    out.writer.out.extend(inner.writer);
                    body.out.extend(inner.compute);
                }
                flow::Step::Along { axis, tiles, steps } => {
                    let mut inner = Growing::new();
                    self.steps(steps, &mut inner, out);
                    let (axis, tiles) = (*axis, *tiles);
                    body.push(Kind::Group(Around::Along { axis, tiles }, inner.out));
                }
                flow::Step::Unless { negative, steps } => {
                    let mut inner = Growing::new();
                    self.steps(steps, &mut inner, out);
                    body.push(Kind::Group(Around::Unless(negative.clone()), inner.out));
                }
            }
        }
    }

    fn section(&mut self, section: &flow::Section, out: &mut Three) {
        let publishes = section.pack.mode == PackMode::Publish;
        if publishes {
            out.compute.op(Protocol::Reserve(section.pack.buffer));
        }
        let mut body = Growing::new();
        self.steps(&section.steps, &mut body, out);
        body.op(ComputeOp::Commit);
        body.op(ComputeOp::Pack {
            register: section.result,
            to: section.pack.clone(),
        });
        let head = Section {
            tiles: section.tiles,
            chunk: section.chunk,
            registers: section.registers,
        };
        out.compute.push(Kind::Group(Around::Section(head), body.out));
        if publishes {
            out.compute.op(Protocol::Publish(section.pack.buffer));
            // The old version goes before the new one is waited for: a wait counts all versions in the FIFO.
            if let Some(buffer) = section.replaces() {
                out.compute.op(Protocol::Release(buffer));
            }
            self.received(section.pack.buffer, out);
        }
    }
}

/// A loop where the program takes part in it.
fn repeat<S>(part: &mut Growing<S>, stmt: &SectionStmt, body: Vec<Stmt<S>>, head: impl Fn() -> SourceLoop)
where
    S: Stage<Note = Source, Loop = SourceLoop>,
{
    if !body.is_empty() {
        part.source = Some(stmt.note);
        part.push(Kind::Loop(head(), body));
    }
}

/// A branch where the program takes part in it.
fn choose<S>(
    part: &mut Growing<S>,
    stmt: &SectionStmt,
    then: Vec<Stmt<S>>,
    otherwise: Vec<Stmt<S>>,
    head: impl Fn() -> SourceBranch,
) where
    S: Stage<Note = Source, Branch = SourceBranch>,
{
    if !then.is_empty() || !otherwise.is_empty() {
        part.source = Some(stmt.note);
        part.push(Kind::If(head(), then, otherwise));
    }
}
