//! D1: one program becomes three.
//!
//! Before: Flow IR. After: reader, compute and writer, each with the statements of its role under the same loops and
//! branches (which keep their `Origin`), and with the two ends of every buffer made explicit: the producer reserves and
//! publishes a version, the consumer receives and releases it. A version is received right where it is published, so the
//! order of versions is the same for all three. Each program does so for every block of its core (B2); constant tiles are
//! made before the first block and dropped after the last, as what is kept (C3) is read, or made room for, and released there. Reads that
//! follow each other are one step, and their pages arrive together.
//! What the chunks of a section leave of its tiles is a section of its own behind it, which packs into the same version.
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
use crate::passes::c3_build_dataflow::kept;
use crate::pipeline::{Form, Pass, Unit};
use crate::tile_ops::TileOp;
use crate::verify::progress::proved;
use crate::verify::sight;
use tt_lang::ir::{BoolExpr, LoopKind, Span};
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
                buffers: flow.buffers.into(),
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
    let [first, block, last] = kept::apart(flow).map(|body| split.body(body, true));
    let mut reader = first.reader;
    reader.extend(of_blocks(block.reader));
    reader.extend(last.reader);
    let mut compute = first.compute;
    compute.extend(of_blocks(block.compute));
    compute.extend(last.compute);
    let mut writer = first.writer;
    writer.extend(of_blocks(block.writer));
    writer.extend(last.writer);
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
fn of_blocks<S: Stage<Loop = SourceLoop, Note = Source>>(body: Vec<Stmt<S>>) -> Option<Stmt<S>> {
    (!body.is_empty()).then(|| Stmt::new(None, Kind::Loop(SourceLoop::Blocks, body)))
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
    /// The number of the statement that comes next.
    next: u32,
}

impl SplitKernel<'_> {
    /// `tells`: whether operations on registers say their place and have a number. Right in a section they are part of that.
    fn body(&mut self, body: &[SectionStmt], tells: bool) -> Split {
        let mut out = Three {
            reader: Growing::new(),
            compute: Growing::new(),
            writer: Growing::new(),
        };
        let mut rest = body;
        while let Some((stmt, after)) = rest.split_first() {
            let reads = together(rest);
            if !reads.is_empty() {
                let count = reads.len();
                self.next += u32::try_from(count).unwrap_or(u32::MAX);
                read(&reads, &mut out);
                rest = rest.get(count..).unwrap_or_default();
                continue;
            }
            rest = after;
            let origin = Origin(self.next);
            self.next += u32::from(tells || !is_on_registers(stmt));
            match &stmt.kind {
                Kind::Op(op) => self.op(op, stmt.note, tells, &mut out),
                Kind::Group(around, body) => self.group(around, body, stmt.note, &mut out),
                Kind::Loop(head, body) => self.repeat((head, body), stmt.note, origin, &mut out),
                Kind::If(cond, then, otherwise) => self.choose(cond, [then, otherwise], stmt.note, origin, &mut out),
            }
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
    fn zeros(&mut self, buffer: BufferId, span: Span, out: &mut Three) {
        let fill = SectionOp::Tile {
            op: TileOp::Fill,
            out: 0,
            args: vec![Arg::Number(Number::constant(0.0))],
        };
        let section = flow::Section {
            tiles: self.flow.buffers[buffer.0].tiles,
            chunk: [1, 1],
            registers: 1,
            result: 0,
            pack: Pack {
                buffer,
                mode: PackMode::Publish,
            },
            makes: Makes::Registers,
            fill: None,
        };
        let body = vec![SectionStmt::new(span, Kind::Op(fill))];
        let made = SectionStmt::new(span, Kind::Group(flow::Around::Section(section), body));
        let made = self.body(&[made], true);
        out.extend(made);
    }

    /// What follows the publication of a version by compute.
    fn received(&self, buffer: BufferId, out: &mut Three) {
        out.step(self.kind(buffer).consumer(), Protocol::Receive(buffer));
    }

    fn op(&mut self, op: &SectionOp, span: Span, tells: bool, out: &mut Three) {
        match op {
            SectionOp::Read(of) => read(&[(of, span)], out),
            SectionOp::Write(write) => {
                out.writer.source = Some(span);
                if let Some(token) = write.after {
                    pass(token, &mut out.reader, &mut out.writer);
                }
                let stored = write.stored.map(|(buffer, _)| buffer);
                out.writer.op(Move::Write(write.buffer, write.region.clone(), stored));
            }
            SectionOp::Shift(shift) => {
                out.writer.source = Some(span);
                out.writer.op(Protocol::Reserve(shift.buffer));
                out.writer.op(Move::Shift {
                    from: shift.from,
                    to: shift.buffer,
                    window: shift.window.clone(),
                });
                out.writer.op(Protocol::Publish(shift.buffer));
                self.received(shift.buffer, out);
            }
            SectionOp::Inspect(inspection) => {
                out.writer.source = Some(span);
                out.writer.op(Move::Inspect(inspection.clone()));
            }
            SectionOp::Fetch(fetch) => {
                self.fetch(fetch, span, out);
            }
            SectionOp::Blank(buffer) => {
                let part = match self.kind(*buffer).producer() {
                    Role::Reader => &mut out.reader,
                    Role::Writer => &mut out.writer,
                    Role::Compute => return self.zeros(*buffer, span, out),
                };
                let [reserve, zeros, publish] = made_of(*buffer, Constant::Zeros);
                part.op(reserve);
                // What is kept is there before a core's first block, and nobody uses it.
                if self.flow.buffers[buffer.0].kept.is_none() {
                    part.op(zeros);
                }
                part.op(publish);
                self.received(*buffer, out);
            }
            SectionOp::Release(buffer) => {
                out.step(self.kind(*buffer).consumer(), Protocol::Release(*buffer));
            }
            SectionOp::Tile { op, out: to, args } => {
                out.compute.source = tells.then_some(span);
                out.compute.op(ComputeOp::Tile {
                    op: *op,
                    out: *to,
                    args: args.clone(),
                });
            }
            SectionOp::Matmul(matmul) => {
                out.compute.source = tells.then_some(span);
                out.compute.op(ComputeOp::Matmul(matmul.clone()));
            }
        }
    }

    fn group(&mut self, around: &flow::Around, body: &[SectionStmt], span: Span, out: &mut Three) {
        match around {
            flow::Around::Accumulate(Accumulate { buffer, .. }) => {
                out.compute.op(Protocol::Reserve(*buffer));
                let inner = self.body(body, true);
                out.extend(inner);
                out.compute.op(Protocol::Publish(*buffer));
                self.received(*buffer, out);
            }
            flow::Around::Section(section) => {
                out.compute.source = Some(span);
                self.section(section, body, out);
                // The old version goes before the new one is waited for: a wait counts all versions in the FIFO.
                if let Some(buffer) = around.replaces(body) {
                    out.compute.op(Protocol::Release(buffer));
                }
                if let Some(buffer) = section.defines() {
                    self.received(buffer, out);
                }
            }
            flow::Around::Along { axis, tiles } => {
                let (axis, tiles) = (*axis, *tiles);
                self.around(Around::Along { axis, tiles }, body, out, |_| {});
            }
            flow::Around::Unless(negative) => self.around(Around::Unless(negative.clone()), body, out, |_| {}),
        }
    }

    /// What compute does around others, and what it does in there at last.
    fn around(
        &mut self,
        around: Around,
        body: &[SectionStmt],
        out: &mut Three,
        last: impl FnOnce(&mut Growing<Compute<Protocol>>),
    ) {
        let Split {
            reader,
            compute,
            writer,
        } = self.body(body, false);
        out.reader.out.extend(reader);
        out.writer.out.extend(writer);
        let mut inside = Growing {
            out: compute,
            source: None,
        };
        last(&mut inside);
        out.compute.push(Kind::Group(around, inside.out));
    }

    fn section(&mut self, section: &flow::Section, body: &[SectionStmt], out: &mut Three) {
        if let Some(buffer) = section.defines() {
            out.compute.op(Protocol::Reserve(buffer));
        }
        let before = self.next;
        for head in parts(section) {
            self.next = before;
            self.around(Around::Section(head), body, out, |inside| {
                inside.op(ComputeOp::Commit);
                inside.op(ComputeOp::Pack {
                    register: section.result,
                    to: section.pack.clone(),
                });
            });
        }
        if let Some(buffer) = section.defines() {
            out.compute.op(Protocol::Publish(buffer));
        }
    }

    fn repeat(&mut self, (head, body): (&FlowLoop, &[SectionStmt]), span: Span, origin: Origin, out: &mut Three) {
        let FlowLoop {
            var, start, end, kind, ..
        } = head;
        let inner = self.body(body, true);
        let head = || SourceLoop::Over {
            var: *var,
            start: start.clone(),
            end: end.clone(),
            unroll: *kind == LoopKind::Unroll,
            origin,
        };
        repeat(&mut out.reader, span, inner.reader, head);
        repeat(&mut out.compute, span, inner.compute, head);
        repeat(&mut out.writer, span, inner.writer, head);
    }

    fn choose(&mut self, cond: &BoolExpr, sides: [&Vec<SectionStmt>; 2], span: Span, origin: Origin, out: &mut Three) {
        let [then, otherwise] = sides.map(|side| self.body(side, true));
        let head = || SourceBranch {
            cond: cond.clone(),
            origin,
        };
        choose(&mut out.reader, span, then.reader, otherwise.reader, head);
        choose(&mut out.compute, span, then.compute, otherwise.compute, head);
        choose(&mut out.writer, span, then.writer, otherwise.writer, head);
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
}

/// The reads that a sequence begins with and that are one step: each of another buffer, and none but the first after something.
///
/// Nothing is released between them, so that all have room where the first has.
fn together(body: &[SectionStmt]) -> Vec<(&Read, Span)> {
    let mut reads: Vec<(&Read, Span)> = Vec::new();
    for stmt in body {
        let Kind::Op(SectionOp::Read(read)) = &stmt.kind else {
            break;
        };
        let is_another = reads.iter().all(|(other, _)| other.buffer != read.buffer);
        let goes_along = reads.is_empty() || is_another && read.after.is_none();
        if !goes_along {
            break;
        }
        reads.push((read, stmt.note));
    }
    reads
}

/// A step of reads: all are under way before one is waited for.
fn read(reads: &[(&Read, Span)], out: &mut Three) {
    for (of, span) in reads {
        out.reader.source = Some(*span);
        if let Some(token) = of.after {
            pass(token, &mut out.writer, &mut out.reader);
        }
        out.reader.op(Protocol::Reserve(of.buffer));
    }
    for (of, _) in reads {
        out.reader.op(Move::Read(of.buffer, of.region.clone(), None));
    }
    for (of, _) in reads {
        out.reader.op(Protocol::Publish(of.buffer));
        out.compute.op(Protocol::Receive(of.buffer));
    }
}

/// A section whose chunks divide its tiles; one more for what is left of rows or columns.
fn parts(section: &flow::Section) -> Vec<Section> {
    let along = |axis: usize| {
        let (tiles, chunk) = (section.tiles[axis], section.chunk[axis].max(1));
        let left = tiles % chunk;
        let all = [(0, tiles - left, chunk), (tiles - left, left, left)];
        all.into_iter().filter(|(_, tiles, _)| *tiles > 0)
    };
    let parts = along(0).flat_map(|rows| along(1).map(move |columns| [rows, columns]));
    let parts = parts.map(|axes| Section {
        first: axes.map(|(first, ..)| first),
        tiles: axes.map(|(_, tiles, _)| tiles),
        chunk: axes.map(|(.., chunk)| chunk),
        registers: section.registers,
    });
    parts.collect()
}

/// Whether a statement of a section does something to registers.
fn is_on_registers(stmt: &SectionStmt) -> bool {
    matches!(
        &stmt.kind,
        Kind::Op(SectionOp::Tile { .. } | SectionOp::Matmul(_))
            | Kind::Group(flow::Around::Along { .. } | flow::Around::Unless(_), _)
    )
}

/// A loop where the program takes part in it.
fn repeat<S>(part: &mut Growing<S>, span: Span, body: Vec<Stmt<S>>, head: impl Fn() -> SourceLoop)
where
    S: Stage<Note = Source, Loop = SourceLoop>,
{
    if !body.is_empty() {
        part.source = Some(span);
        part.push(Kind::Loop(head(), body));
    }
}

/// A branch where the program takes part in it.
fn choose<S>(
    part: &mut Growing<S>,
    span: Span,
    then: Vec<Stmt<S>>,
    otherwise: Vec<Stmt<S>>,
    head: impl Fn() -> SourceBranch,
) where
    S: Stage<Note = Source, Branch = SourceBranch>,
{
    if !then.is_empty() || !otherwise.is_empty() {
        part.source = Some(span);
        part.push(Kind::If(head(), then, otherwise));
    }
}
