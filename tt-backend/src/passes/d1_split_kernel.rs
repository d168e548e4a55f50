//! D1: one program becomes three.
//!
//! Before: Flow IR. After: reader, compute and writer, each with the statements of its role under the same loops and
//! branches (which keep their `Origin`), and with the two ends of every buffer made explicit: the producer reserves and
//! publishes a version, the consumer receives and releases it. A version is received right where it is published, so the
//! order of versions is the same for all three. Each program does so for every block of its core (B2); constant tiles are
//! made before the first block and dropped after the last, as what is kept (C3) is read, or made room for, and released there. Reads that
//! follow each other are one step, and their pages arrive together.
//! What the chunks of a section leave of its tiles is a section of its own behind it, which packs into the same version. What goes to
//! the writer is published a row of chunks at a time, so that it is stored while the next one is computed. A section that may be done in
//! the last turn of the accumulation before it (C2) is: that turn's products start from the sums in L1, and none goes there once more.
//! What is the packer's thread's stands behind the commit that a section hands its registers over with.
//!
//! ```text
//!                       reader: reserve a; read a; publish a
//!  read a          ⟹    compute: receive a; reserve y; section y ← a; publish y; release a
//!  section y ← a        writer: receive y; write y; release y
//!  release a; write y; release y
//! ```

use crate::device::{
    Around, Cause, Compute, ComputeOp, Move, Moves, Origin, Parts, Programs, Protocol, Section, Source, SourceBranch,
    SourceLoop, Turn, print,
};
use crate::flow::{
    self, Accumulate, Arg, BufferId, BufferKind, Constant, Fetch, FetchedInto, Flow, FlowLoop, Makes, Pack, PackMode,
    Read, SectionOp, SectionStmt, Sections,
};
use crate::ir::{Kind, Stage, Stmt, visit};
use crate::passes::c3_build_dataflow::kept;
use crate::pipeline::{Form, Pass, Unit};
use crate::tile_ops::TileOp;
use crate::verify::progress::proved;
use crate::verify::sight;
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, IntOp, LoopKind, Span};
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
                registers: registers(&flow),
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

/// Destination registers that a chunk of tiles takes, at most.
fn registers(flow: &Flow<Sections>) -> u32 {
    let mut most = 0;
    visit(&flow.body, &mut |stmt| {
        if let Kind::Group(flow::Around::Section(section), _) = &stmt.kind {
            let [rows, columns] = section.chunk;
            most = most.max(rows * columns * section.registers);
        }
    });
    most
}

/// Runs the pass.
pub fn run(flow: &Flow<Sections>) -> Split {
    let mut split = SplitKernel {
        flow,
        next: 0,
        last: None,
    };
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
    fn new() -> Three {
        Three {
            reader: Growing::new(),
            compute: Growing::new(),
            writer: Growing::new(),
        }
    }

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
    /// What the last turn of the loop around does in place of adding to its sums.
    last: Option<LastTurn<'a>>,
}

/// An accumulation over a loop, the last turn of which does the section behind it.
#[derive(Clone, Copy)]
struct LastTurn<'a> {
    /// The accumulator.
    sums: BufferId,
    /// What stands before the loop.
    before: &'a [SectionStmt],
    head: &'a FlowLoop,
    turn: &'a [SectionStmt],
    /// The loop's place in the source.
    at: Span,
    section: &'a flow::Section,
    /// What stands in the section: it loads the sums first.
    body: &'a [SectionStmt],
    /// The section's place in the source.
    span: Span,
}

impl<'a> LastTurn<'a> {
    /// The accumulation that `stmt` is, where one of its turns may do `next`.
    fn of(stmt: &'a SectionStmt, next: Option<&'a SectionStmt>) -> Option<LastTurn<'a>> {
        let Kind::Group(flow::Around::Accumulate(Accumulate { buffer: sums, .. }), inside) = &stmt.kind else {
            return None;
        };
        let (before, last) = inside.split_at(inside.len().checked_sub(1)?);
        let [
            SectionStmt {
                kind: Kind::Loop(head, turn),
                note: at,
            },
        ] = last
        else {
            return None;
        };
        let SectionStmt { kind, note: span } = next?;
        let Kind::Group(flow::Around::Section(section), body) = kind else {
            return None;
        };
        let adds = turn.iter().filter(|stmt| adds_to(stmt, *sums)).count();
        (section.in_last_turn && adds == 1).then_some(LastTurn {
            sums: *sums,
            before,
            head,
            turn,
            at: *at,
            section,
            body,
            span: *span,
        })
    }
}

/// Whether a statement is a section that adds to these sums.
fn adds_to(stmt: &SectionStmt, sums: BufferId) -> bool {
    match &stmt.kind {
        Kind::Group(flow::Around::Section(flow::Section { pack, .. }), _) => {
            pack.buffer == sums && matches!(pack.mode, PackMode::Add | PackMode::AddAfterFirst(_))
        }
        Kind::Op(_) | Kind::Loop(..) | Kind::If(..) | Kind::Group(..) => false,
    }
}

impl<'a> SplitKernel<'a> {
    /// `tells`: whether operations on registers say their place and have a number. Right in a section they are part of that.
    fn body(&mut self, body: &'a [SectionStmt], tells: bool) -> Split {
        let mut out = Three::new();
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
            if let Some((_, after)) = after.split_first()
                && let Some(last) = LastTurn::of(stmt, rest.first())
            {
                self.accumulated(last, origin, &mut out);
                rest = after;
                continue;
            }
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
        let fill = |_: &mut Self| {
            let fill = ComputeOp::Tile {
                op: TileOp::Fill,
                out: 0,
                args: vec![Arg::Number(Number::constant(0.0))],
            };
            vec![Stmt::new(None, Kind::Op(fill))]
        };
        let section = flow::Section {
            tiles: self.flow.buffers[buffer.0].tiles,
            chunk: [1, 1],
            registers: 1,
            result: 0,
            pack: Pack::of(buffer, PackMode::Publish),
            makes: Makes::Registers,
            fill: None,
            in_last_turn: false,
            by_packer: 0,
        };
        out.compute.source = Some(span);
        self.sections(&section, fill, out);
        self.received(buffer, out);
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

    /// An accumulation, and what its last turn does.
    fn accumulated(&mut self, last: LastTurn<'a>, origin: Origin, out: &mut Three) {
        out.compute.op(Protocol::Reserve(last.sums));
        let before = self.body(last.before, true);
        out.extend(before);
        let outer = self.last.replace(last);
        self.repeat((last.head, last.turn), last.at, origin, out);
        self.last = outer;
        if let Some(buffer) = last.section.defines() {
            self.received(buffer, out);
        }
    }

    /// A section that adds to sums in all turns but the last, and what that one does.
    fn in_turns(
        &mut self,
        (section, body): (&'a flow::Section, &'a [SectionStmt]),
        last: LastTurn<'a>,
        span: Span,
        out: &mut Three,
    ) {
        let [mut every, mut ending] = [Three::new(), Three::new()];
        every.compute.source = Some(span);
        self.section(section, body, &mut every);
        ending.compute.source = Some(last.span);
        ending.compute.op(Protocol::Publish(last.sums));
        ending.compute.op(Protocol::Receive(last.sums));
        let (load, rest) = last.body.split_at(last.body.len().min(1));
        let after_first = section.pack.mode.after_first();
        let inside = |split: &mut Self| {
            let mut compute = split.body(load, false).compute;
            if let Some(cond) = after_first.clone() {
                let cause = Cause::Turn(Turn::AfterFirst);
                compute = vec![Stmt::new(
                    None,
                    Kind::If(SourceBranch { cond, cause }, compute, Vec::new()),
                )];
            }
            compute.extend(split.body(body, false).compute);
            compute.extend(split.body(rest, false).compute);
            compute
        };
        self.sections(last.section, inside, &mut ending);
        let FlowLoop { var, end, .. } = last.head;
        let next = IntExpr::binary(IntOp::Add, IntExpr::Var(*var), IntExpr::Const(1));
        let head = SourceBranch {
            cond: BoolExpr::Compare(CompareOp::Lt, next, end.clone()),
            cause: Cause::Turn(Turn::BeforeLast),
        };
        out.compute.push(Kind::If(head, every.compute.out, ending.compute.out));
    }

    fn group(&mut self, around: &'a flow::Around, body: &'a [SectionStmt], span: Span, out: &mut Three) {
        match around {
            flow::Around::Accumulate(Accumulate { buffer, .. }) => {
                out.compute.op(Protocol::Reserve(*buffer));
                let inner = self.body(body, true);
                out.extend(inner);
                out.compute.op(Protocol::Publish(*buffer));
                self.received(*buffer, out);
            }
            flow::Around::Section(section) => {
                if let Some(last) = self.last.take_if(|last| last.sums == section.pack.buffer) {
                    return self.in_turns((section, body), last, span, out);
                }
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
                self.around(Around::Along { axis, tiles }, body, out);
            }
            flow::Around::Unless(negative) => self.around(Around::Unless(negative.clone()), body, out),
        }
    }

    /// What compute does around others.
    fn around(&mut self, around: Around, body: &'a [SectionStmt], out: &mut Three) {
        let Split {
            reader,
            compute,
            writer,
        } = self.body(body, false);
        out.reader.out.extend(reader);
        out.writer.out.extend(writer);
        out.compute.push(Kind::Group(around, compute));
    }

    fn section(&mut self, section: &'a flow::Section, body: &'a [SectionStmt], out: &mut Three) {
        let mut others = [Vec::new(), Vec::new()];
        let inside = |split: &mut Self| {
            let Split {
                reader,
                compute,
                writer,
            } = split.body(body, false);
            others = [reader, writer];
            compute
        };
        self.sections(section, inside, out);
        let [reader, writer] = others;
        out.reader.out.extend(reader);
        out.writer.out.extend(writer);
    }

    /// Compute's passes over destination registers for a section: one for each part of its tiles, in which it does what `inside` makes,
    /// and a version where it defines one.
    fn sections(
        &mut self,
        section: &flow::Section,
        mut inside: impl FnMut(&mut Self) -> Vec<Stmt<Compute<Protocol>>>,
        out: &mut Three,
    ) {
        let defines = section.defines();
        if let Some(buffer) = defines {
            out.compute.op(Protocol::Reserve(buffer));
        }
        let before = self.next;
        let in_bands = defines.filter(|buffer| self.is_published_in_bands(*buffer, section));
        for part in parts(section) {
            self.next = before;
            let mut inside = inside(self);
            let pack = ComputeOp::Pack {
                register: section.result,
                to: section.pack.clone(),
            };
            let [commit, pack] = [ComputeOp::Commit, pack].map(|op| Stmt::new(None, Kind::Op(op)));
            let of_math = inside.len().saturating_sub(section.by_packer as usize);
            inside.insert(of_math, commit);
            inside.push(pack);
            let Some(buffer) = in_bands else {
                out.compute.push(Kind::Group(Around::Section(part), inside));
                continue;
            };
            let ([first, _], [tiles, columns], [rows, _]) = (part.first, part.tiles, part.chunk);
            let count = tiles / rows.max(1);
            let band = Around::Section(Section {
                first: [0, 0],
                tiles: [rows, columns],
                ..part
            });
            let band = vec![
                Stmt::new(None, Kind::Group(band, inside)),
                plain(Protocol::PublishRows(buffer, rows)),
            ];
            out.compute
                .push(Kind::Group(Around::Bands { first, rows, count }, band));
        }
        if let (Some(buffer), None) = (defines, in_bands) {
            out.compute.op(Protocol::Publish(buffer));
        }
    }

    /// Whether the writer may begin with the first rows of a version before the last are there: where there are several rows of chunks,
    /// and each is of whole rows of tiles.
    fn is_published_in_bands(&self, buffer: BufferId, section: &flow::Section) -> bool {
        let ([rows, columns], [of_chunk, across]) = (section.tiles, section.chunk);
        self.kind(buffer) == BufferKind::Outgoing && rows > of_chunk && columns % across.max(1) == 0
    }

    fn repeat(&mut self, (head, body): (&FlowLoop, &'a [SectionStmt]), span: Span, origin: Origin, out: &mut Three) {
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

    fn choose(
        &mut self,
        cond: &BoolExpr,
        sides: [&'a Vec<SectionStmt>; 2],
        span: Span,
        origin: Origin,
        out: &mut Three,
    ) {
        let [then, otherwise] = sides.map(|side| self.body(side, true));
        let head = || SourceBranch {
            cond: cond.clone(),
            cause: Cause::User(origin),
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
