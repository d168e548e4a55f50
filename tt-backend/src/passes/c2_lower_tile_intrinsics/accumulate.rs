//! How each gemm carries its sums.
//!
//! | where | how |
//! |---|---|
//! | a loop around nothing but the gemm, block within the registers | one acquire around the loop |
//! | a loop around the gemm, otherwise | the packer adds to a 32-bit block in L1 (`pack_reconfig_l1_acc`) |
//! | a gemm by itself | all its sums in one acquire per chunk, preloaded with what the accumulator held |
//!
//! Where the sums go through L1 and an expression that needs no further registers reads them next, on their way to the writer, the last
//! turn of the loop may pack straight to the result: the section of that expression says so, and D1 does.
//!
//! An accumulator that was filled just before is not filled: registers and packer start from nothing. An element
//! expression that reads the accumulator just after runs in the same acquire where the registers allow and nothing sees
//! the sums later, on any path, round the loops around too.
//! Calls: patterns.md §1 and §1b.

use super::select::{Context, chunk};
use crate::flow::{
    self, Arg, Around, BlockOp, BlockStmt, Blocks, Broadcast, BufferId, BufferKind, DefinitionId, FlowLoop, Gemm,
    Makes, Matmul, Operand, Pack, PackMode, Section, SectionOp, SectionStmt, Value, ValueKind,
};
use crate::ir::{Backward, Event, Frame, Kind, Never, operations, walk};
use crate::tile_ops::TileOp;
use std::collections::{BTreeSet, VecDeque};
use tt_lang::ir::Span;
use tt_plan::Number;

/// Runs the step: every gemm and every element expression becomes a section.
pub fn run(body: Vec<BlockStmt>, context: &mut Context) -> Vec<SectionStmt> {
    let mut last = LastSeen::of(&body);
    let body = last.placed(body, &mut BTreeSet::new());
    let last = last.by;
    Accumulate { context, last }.list(body, &mut Vec::new())
}

struct Accumulate<'a> {
    context: &'a mut Context,
    /// The element expressions after which nothing sees what an accumulator holds.
    last: BTreeSet<(DefinitionId, BufferId)>,
}

/// What an accumulator holds before the first product.
#[derive(Debug, Clone)]
enum Start {
    Zero,
    Value(Number),
    Existing,
}

/// What an accumulator holds before the first product, and the fill that is no longer a statement of its own.
#[derive(Debug, Clone)]
struct Started {
    at: Start,
    fill: Option<DefinitionId>,
}

/// A gemm that an enclosing `Accumulate` packs for.
struct Open {
    acc: BufferId,
    mode: PackMode,
}

impl Accumulate<'_> {
    fn list(&mut self, body: Vec<BlockStmt>, open: &mut Vec<Open>) -> Vec<SectionStmt> {
        let mut out = Vec::new();
        let mut rest: VecDeque<BlockStmt> = body.into();
        while let Some(BlockStmt { kind, note: span }) = rest.pop_front() {
            match kind {
                Kind::Op(BlockOp::Read(read)) => out.push(SectionStmt::new(span, Kind::Op(SectionOp::Read(read)))),
                Kind::Op(BlockOp::Write(write)) => out.push(SectionStmt::new(span, Kind::Op(SectionOp::Write(write)))),
                Kind::Op(BlockOp::Inspect(inspection)) => {
                    out.push(SectionStmt::new(span, Kind::Op(SectionOp::Inspect(inspection))));
                }
                Kind::Op(BlockOp::Shift(shift)) => out.push(SectionStmt::new(span, Kind::Op(SectionOp::Shift(shift)))),
                Kind::Op(BlockOp::Fetch(fetch)) => out.push(SectionStmt::new(span, Kind::Op(SectionOp::Fetch(fetch)))),
                Kind::Op(BlockOp::Gemm(gemm)) => match open.iter().find(|scope| scope.acc == gemm.acc) {
                    Some(scope) => {
                        let pack = Pack::of(gemm.acc, scope.mode.clone());
                        let product = self.product(&gemm, span, Vec::new(), None, Epilogue::none(), pack);
                        out.push(product);
                    }
                    None => self.direct(&gemm, span, &mut out, &mut rest),
                },
                Kind::Op(BlockOp::Elementwise(elementwise)) => self.context.elementwise(&elementwise, span, &mut out),
                Kind::Loop(head, body) => self.scope((head, body), span, open, &mut out, &mut rest),
                Kind::If(cond, then, otherwise) => {
                    let then = self.list(then, open);
                    let otherwise = self.list(otherwise, open);
                    out.push(SectionStmt::new(span, Kind::If(cond, then, otherwise)));
                }
            }
        }
        out
    }

    /// A gemm by itself.
    fn direct(&mut self, gemm: &Gemm, span: Span, out: &mut Vec<SectionStmt>, rest: &mut VecDeque<BlockStmt>) {
        let start = if gemm.sees.acc.is_none() {
            Started {
                at: Start::Zero,
                fill: None,
            }
        } else {
            take_fill(out, gemm.acc)
        };
        let preload = preload(&start.at, gemm.acc, span);
        let (epilogue, pack) = self.epilogue(gemm, rest, self.context.registers.capacity);
        out.push(self.product(gemm, span, preload, start.fill, epilogue, pack));
    }

    /// A loop: the accumulations that span it, then what is inside.
    fn scope(
        &mut self,
        (head, body): (FlowLoop, Vec<BlockStmt>),
        span: Span,
        open: &mut Vec<Open>,
        out: &mut Vec<SectionStmt>,
        rest: &mut VecDeque<BlockStmt>,
    ) {
        let mut found = candidates(&head, &body);
        let gemms = found.len();
        found.retain(|Candidate { gemm, .. }| {
            let alone = touching(&body, gemm.acc) == 1;
            alone && gemm.sees.acc.is_some() && !open.iter().any(|scope| scope.acc == gemm.acc)
        });

        // In the registers around a loop there is one product.
        if let [Candidate { gemm, .. }] = found.as_slice()
            && gemms == 1
            && self.fits_registers(gemm)
            && let matmul = self.matmul(gemm)
            && let Some(body) = multiply(&body, &matmul)
        {
            let start_value = take_fill(out, gemm.acc);
            let whole = [gemm.m, gemm.n];
            let most = self.context.registers.capacity / (gemm.m * gemm.n);
            let (epilogue, pack) = self.epilogue(gemm, rest, most);
            let mut inside = preload(&start_value.at, gemm.acc, span);
            inside.push(SectionStmt::new(span, Kind::Loop(head, body)));
            inside.extend(epilogue.body);
            let section = Section {
                tiles: whole,
                chunk: whole,
                registers: epilogue.registers,
                result: epilogue.result,
                pack,
                makes: epilogue.makes,
                fill: start_value.fill,
                in_last_turn: false,
                by_packer: 0,
            };
            out.push(SectionStmt::new(span, Kind::Group(Around::Section(section), inside)));
            return;
        }

        // Through L1: a version of each accumulator is reserved around the loop.
        let mut wrapped = Vec::new();
        for candidate in &found {
            let gemm = &candidate.gemm;
            let loops = candidate.loops.iter();
            let runs = loops.clone().all(FlowLoop::is_seen_to_run);
            let first = (runs && !candidate.conditional)
                .then(|| loops.map(|head| (head.var, head.start.clone())).collect::<Vec<_>>());
            let Started { at, mut fill } = take_fill(out, gemm.acc);
            let (mode, before) = match (at, first) {
                (Start::Zero, Some(first)) => (PackMode::AddAfterFirst(first), None),
                (start, _) => {
                    let value = match start {
                        Start::Zero => ValueKind::Number(Number::constant(0.0)),
                        Start::Value(number) => ValueKind::Number(number),
                        Start::Existing => ValueKind::Load(whole(gemm.acc)),
                    };
                    let pack = Pack::of(gemm.acc, PackMode::Overwrite);
                    let makes = fill.take().map_or(Makes::Registers, Makes::Definition);
                    let before = self
                        .context
                        .section(&Value { kind: value, span }, [gemm.m, gemm.n], pack, makes);
                    (PackMode::Add, Some(before))
                }
            };
            open.push(Open { acc: gemm.acc, mode });
            wrapped.push((gemm.acc, before, fill));
        }
        let body = self.list(body, open);
        open.truncate(open.len() - wrapped.len());
        let mut inner = vec![SectionStmt::new(span, Kind::Loop(head, body))];
        for (buffer, before, fill) in wrapped.into_iter().rev() {
            if let Some(before) = before {
                inner.insert(0, SectionStmt::new(span, before));
            }
            let around = Around::Accumulate(flow::Accumulate { buffer, fill });
            inner = vec![SectionStmt::new(span, Kind::Group(around, inner))];
        }
        out.append(&mut inner);
        if let [of] = found.as_slice()
            && let [head] = of.loops.as_slice()
            && !of.conditional
            && head.is_seen_to_run()
        {
            out.extend(self.last_turn(&of.gemm, rest));
        }
    }

    /// The expression that reads next what a loop around `gemm` has summed in L1, where the last turn may do it: where the registers that
    /// hold the products are enough, and the result goes to the writer. More registers make smaller chunks, which cost the products more
    /// than a pass of its own takes: by the clock 2 to 3 % of linear + gelu at 512 × 512 × 512, where a matmul of 1024³ takes 3 to 5 % less.
    fn last_turn(&mut self, gemm: &Gemm, rest: &mut VecDeque<BlockStmt>) -> Option<SectionStmt> {
        let front = rest.front()?;
        let Kind::Op(BlockOp::Elementwise(next)) = &front.kind else {
            return None;
        };
        let (span, target) = (front.note, next.target);
        let [rows, columns] = self.chunk(gemm, 1);
        // For each chunk the engines are set up twice: for the sums, and for the products again.
        let is_full = 2 * rows * columns > self.context.registers.capacity;
        if !is_full || self.context.buffers[target.0].kind != BufferKind::Outgoing {
            return None;
        }
        let (epilogue, pack) = self.epilogue(gemm, rest, 1);
        let Makes::OfSums { sees, defines } = epilogue.makes else {
            return None;
        };
        let sums = Operand {
            sees: Some(sees),
            ..whole(gemm.acc)
        };
        let load = SectionOp::Tile {
            op: TileOp::Load,
            out: 0,
            args: vec![Arg::Tile(sums)],
        };
        let mut body = vec![SectionStmt::new(span, Kind::Op(load))];
        body.extend(epilogue.body);
        let section = Section {
            tiles: [gemm.m, gemm.n],
            chunk: [rows, columns],
            registers: epilogue.registers,
            result: epilogue.result,
            pack,
            makes: Makes::Definition(defines),
            fill: None,
            in_last_turn: true,
            by_packer: 0,
        };
        Some(SectionStmt::new(span, Kind::Group(Around::Section(section), body)))
    }

    /// The chunk of a product, with so many registers of each tile.
    fn chunk(&self, gemm: &Gemm, registers: u32) -> [u32; 2] {
        let width = if self.matmul(gemm).b_column == 1 { gemm.n } else { 1 };
        chunk([gemm.m, width], self.context.registers.capacity / registers)
    }

    fn fits_registers(&self, gemm: &Gemm) -> bool {
        let one_column = self.matmul(gemm).b_column != 1;
        gemm.m * gemm.n <= self.context.registers.capacity && (!one_column || gemm.n == 1)
    }

    fn matmul(&self, gemm: &Gemm) -> Matmul {
        let column_major = self.context.buffers[gemm.b.0].column_major;
        let (b_step, b_column) = match (gemm.transpose_b, column_major) {
            (false, _) => (gemm.n, 1),
            (true, true) => (gemm.n, 1),
            (true, false) => (1, gemm.k),
        };
        Matmul {
            a: gemm.a,
            b: gemm.b,
            defines: gemm.defines,
            sees: gemm.sees,
            k: gemm.k,
            b_step,
            b_column,
            transpose: gemm.transpose_b,
        }
    }

    fn product(
        &self,
        gemm: &Gemm,
        span: Span,
        preload: Vec<SectionStmt>,
        fill: Option<DefinitionId>,
        epilogue: Epilogue,
        pack: Pack,
    ) -> SectionStmt {
        let matmul = self.matmul(gemm);
        let tiles = [gemm.m, gemm.n];
        let chunk = self.chunk(gemm, epilogue.registers);
        let mut body = preload;
        body.push(SectionStmt::new(span, Kind::Op(SectionOp::Matmul(matmul))));
        body.extend(epilogue.body);
        let section = Section {
            tiles,
            chunk,
            registers: epilogue.registers,
            result: epilogue.result,
            pack,
            makes: epilogue.makes,
            fill,
            in_last_turn: false,
            by_packer: 0,
        };
        SectionStmt::new(span, Kind::Group(Around::Section(section), body))
    }

    /// The expression that reads the accumulator next, where it can run in the same acquire with at `most` so many registers of each tile
    /// and is the last to see the sums, and where its result goes; else nothing to do but publish the accumulator.
    fn epilogue(&mut self, gemm: &Gemm, rest: &mut VecDeque<BlockStmt>, most: u32) -> (Epilogue, Pack) {
        let publish = |buffer| Pack::of(buffer, PackMode::Publish);
        let nothing = (Epilogue::none(), publish(gemm.acc));
        let Some(BlockStmt {
            kind: Kind::Op(BlockOp::Elementwise(next)),
            ..
        }) = rest.front()
        else {
            return nothing;
        };
        let last = next.target == gemm.acc || self.last.contains(&(next.defines, gemm.acc));
        let mut loads = Vec::new();
        next.value.loads_within(next.extent, &mut |operand, extent, _| {
            if operand.buffer == gemm.acc {
                loads.push((operand, extent));
            }
        });
        let [
            (
                Operand {
                    offset: [0, 0],
                    broadcast: Broadcast::None,
                    sees: Some(sees),
                    ..
                },
                extent,
            ),
        ] = loads.as_slice()
        else {
            return nothing;
        };
        let tiles = crate::passes::a1_infer_layout::tiles;
        if !last || tiles(next.extent) != [gemm.m, gemm.n] || tiles(*extent) != [gemm.m, gemm.n] {
            return nothing;
        }
        let Some((body, registers, result)) = self.context.epilogue(&next.value, gemm.acc) else {
            return nothing;
        };
        if registers > most {
            return nothing;
        }
        let pack = publish(next.target);
        let makes = Makes::OfSums {
            sees: *sees,
            defines: next.defines,
        };
        rest.pop_front();
        let epilogue = Epilogue {
            body,
            registers,
            result,
            makes,
        };
        (epilogue, pack)
    }
}

/// What follows the products of a section in its registers.
struct Epilogue {
    body: Vec<SectionStmt>,
    /// Registers of each tile, and the one with the result.
    registers: u32,
    result: u32,
    makes: Makes,
}

impl Epilogue {
    fn none() -> Self {
        Epilogue {
            body: Vec::new(),
            registers: 1,
            result: 0,
            makes: Makes::Registers,
        }
    }
}

/// What sums start from; the products say what that is.
fn whole(buffer: BufferId) -> Operand {
    Operand {
        buffer,
        offset: [0, 0],
        broadcast: Broadcast::None,
        sees: None,
    }
}

/// What brings what the accumulator starts from into register 0. Registers start from zero.
fn preload(start: &Start, acc: BufferId, span: Span) -> Vec<SectionStmt> {
    let step = |op, arg| {
        let op = SectionOp::Tile {
            op,
            out: 0,
            args: vec![arg],
        };
        vec![SectionStmt::new(span, Kind::Op(op))]
    };
    match start {
        Start::Zero => Vec::new(),
        Start::Value(number) => step(TileOp::Fill, Arg::Number(number.clone())),
        Start::Existing => step(TileOp::Load, Arg::Tile(whole(acc))),
    }
}

/// Takes away the fill of `acc` that stands last among the statements before, unless something between touches it.
fn take_fill(out: &mut Vec<SectionStmt>, acc: BufferId) -> Started {
    for at in (0..out.len()).rev() {
        if let Kind::Group(Around::Section(section), body) = &out[at].kind
            && section.pack.buffer == acc
            && let [SectionStmt { kind: Kind::Op(op), .. }] = body.as_slice()
            && let SectionOp::Tile {
                op: TileOp::Fill, args, ..
            } = op
            && let [Arg::Number(number)] = args.as_slice()
        {
            let start = if *number == Number::constant(0.0) {
                Start::Zero
            } else {
                Start::Value(number.clone())
            };
            let fill = match section.makes {
                Makes::Definition(fill) => Some(fill),
                Makes::OfSums { .. } | Makes::Registers => None,
            };
            out.remove(at);
            return Started { at: start, fill };
        }
        if flow::buffers(&out[at..=at]).contains(&acc) {
            break;
        }
    }
    Started {
        at: Start::Existing,
        fill: None,
    }
}

/// The element expressions that see an accumulator last, on any path.
struct LastSeen {
    accumulators: BTreeSet<BufferId>,
    by: BTreeSet<(DefinitionId, BufferId)>,
}

impl LastSeen {
    fn of(body: &[BlockStmt]) -> LastSeen {
        let mut accumulators = BTreeSet::new();
        operations(body, &mut |op| {
            if let BlockOp::Gemm(gemm) = op {
                accumulators.insert(gemm.acc);
            }
        });
        LastSeen {
            accumulators,
            by: BTreeSet::new(),
        }
    }
}

/// The accumulators that something sees later.
impl Backward<Blocks> for LastSeen {
    type State = BTreeSet<BufferId>;

    fn op(&self, op: &BlockOp, live: &mut BTreeSet<BufferId>) {
        if let Some((buffer, _)) = op.defines() {
            live.remove(&buffer);
        }
        op.uses(&mut |buffer, _, _| {
            if self.accumulators.contains(&buffer) {
                live.insert(buffer);
            }
        });
    }

    fn close(&self, group: &Never, _: &[BlockStmt], _: &mut BTreeSet<BufferId>) {
        match *group {}
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&self, live: &mut BTreeSet<BufferId>, other: &BTreeSet<BufferId>) {
        live.extend(other);
    }

    fn after(&mut self, stmt: &BlockStmt, live: &BTreeSet<BufferId>) -> Vec<BlockStmt> {
        if let Kind::Op(BlockOp::Elementwise(elementwise)) = &stmt.kind {
            elementwise.value.loads(&mut |operand, _| {
                if self.accumulators.contains(&operand.buffer) && !live.contains(&operand.buffer) {
                    self.by.insert((elementwise.defines, operand.buffer));
                }
            });
        }
        Vec::new()
    }

    fn between(&mut self, _: &Span, _: &BTreeSet<BufferId>, _: &BTreeSet<BufferId>) -> Vec<BlockStmt> {
        Vec::new()
    }
}

/// A gemm within a loop, with the loops from there to it.
struct Candidate {
    gemm: Gemm,
    loops: Vec<FlowLoop>,
    /// A branch stands between.
    conditional: bool,
}

/// Every gemm in `body`, which the loop `head` is around.
fn candidates(head: &FlowLoop, body: &[BlockStmt]) -> Vec<Candidate> {
    let (mut loops, mut branches, mut found) = (vec![head.clone()], 0_usize, Vec::new());
    walk(body, &mut |_, event| match event {
        Event::Op(BlockOp::Gemm(gemm)) => found.push(Candidate {
            gemm: gemm.clone(),
            loops: loops.clone(),
            conditional: branches > 0,
        }),
        Event::Enter(Frame::Loop(head)) => loops.push(head.clone()),
        Event::Leave(Frame::Loop(_)) => drop(loops.pop()),
        Event::Enter(Frame::If(_)) => branches += 1,
        Event::Leave(Frame::If(_)) => branches -= 1,
        Event::Op(_) | Event::Otherwise | Event::Enter(Frame::Group(..)) | Event::Leave(Frame::Group(..)) => {}
    });
    found
}

/// How many operations of `body` touch `buffer`.
fn touching(body: &[BlockStmt], buffer: BufferId) -> usize {
    let mut count = 0;
    operations(body, &mut |op| {
        count += usize::from(op.is_use_of(buffer) || op.is_definition_of(buffer));
    });
    count
}

/// `body` with its gemm as a product in the registers of the section around it, where there is nothing else in it but loops,
/// reads, fetches and what is told of them.
fn multiply(body: &[BlockStmt], matmul: &Matmul) -> Option<Vec<SectionStmt>> {
    let lowered = |stmt: &BlockStmt| {
        let kind = match &stmt.kind {
            Kind::Op(BlockOp::Read(read)) => Kind::Op(SectionOp::Read(read.clone())),
            Kind::Op(BlockOp::Fetch(fetch)) => Kind::Op(SectionOp::Fetch(fetch.clone())),
            Kind::Op(BlockOp::Inspect(inspection)) if inspection.uses().is_none() => {
                Kind::Op(SectionOp::Inspect(inspection.clone()))
            }
            Kind::Op(BlockOp::Gemm(_)) => Kind::Op(SectionOp::Matmul(matmul.clone())),
            Kind::Loop(head, body) => Kind::Loop(head.clone(), multiply(body, matmul)?),
            Kind::Op(BlockOp::Write(_) | BlockOp::Inspect(_) | BlockOp::Shift(_) | BlockOp::Elementwise(_))
            | Kind::Group(..)
            | Kind::If(..) => return None,
        };
        Some(SectionStmt::new(stmt.note, kind))
    };
    body.iter().map(lowered).collect()
}
