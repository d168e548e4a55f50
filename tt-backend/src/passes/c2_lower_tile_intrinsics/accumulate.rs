//! How each gemm carries its sums.
//!
//! | where | how |
//! |---|---|
//! | a loop around nothing but the gemm, block within the registers | one acquire around the loop |
//! | a loop around the gemm, otherwise | the packer adds to a 32-bit block in L1 (`pack_reconfig_l1_acc`) |
//! | a gemm by itself | all its sums in one acquire per chunk, preloaded with what the accumulator held |
//!
//! An accumulator that was filled just before is not filled: registers and packer start from nothing. An element
//! expression that reads the accumulator just after runs in the same acquire where the registers allow and nothing sees
//! the sums later, on any path, round the loops around too.
//! Calls: patterns.md §1 and §1b.

use super::select::{Context, chunk};
use crate::flow::{
    self, Arg, BlockOp, BlockStmt, Broadcast, BufferId, DefinitionId, FlowLoop, Gemm, Makes, Matmul, Operand, Pack,
    PackMode, Section, SectionOp, SectionStmt, Step, Value, ValueKind,
};
use crate::ir::{Kind, operations};
use crate::tile_ops::TileOp;
use std::collections::{BTreeSet, VecDeque};
use tt_lang::ir::Span;
use tt_plan::Number;

/// Runs the step: every gemm and every element expression becomes a section.
pub fn run(body: Vec<BlockStmt>, context: &mut Context) -> Vec<SectionStmt> {
    Accumulate { context }.list(body, &mut Vec::new(), &BTreeSet::new())
}

struct Accumulate<'a> {
    context: &'a mut Context,
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
    /// `live`: the accumulators of `body` that something sees after it.
    fn list(&mut self, body: Vec<BlockStmt>, open: &mut Vec<Open>, live: &BTreeSet<BufferId>) -> Vec<SectionStmt> {
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
                        let pack = Pack {
                            buffer: gemm.acc,
                            mode: scope.mode.clone(),
                        };
                        let product = self.product(&gemm, Vec::new(), None, Epilogue::none(), pack);
                        out.push(section(product, span));
                    }
                    None => self.direct(&gemm, span, &mut out, &mut rest, live),
                },
                Kind::Op(BlockOp::Elementwise(elementwise)) => self.context.elementwise(&elementwise, span, &mut out),
                Kind::Loop(head, body) => self.scope((head, body), span, open, &mut out, &mut rest, live),
                Kind::If(cond, then, otherwise) => {
                    let after = |side: &[BlockStmt]| live_after(accumulators(side), rest.iter(), live);
                    let (live_then, live_otherwise) = (after(&then), after(&otherwise));
                    let then = self.list(then, open, &live_then);
                    let otherwise = self.list(otherwise, open, &live_otherwise);
                    out.push(SectionStmt::new(span, Kind::If(cond, then, otherwise)));
                }
            }
        }
        out
    }

    /// A gemm by itself.
    fn direct(
        &mut self,
        gemm: &Gemm,
        span: Span,
        out: &mut Vec<SectionStmt>,
        rest: &mut VecDeque<BlockStmt>,
        live: &BTreeSet<BufferId>,
    ) {
        let start = if gemm.sees.acc.is_none() {
            Started {
                at: Start::Zero,
                fill: None,
            }
        } else {
            take_fill(out, gemm.acc)
        };
        let preload = preload(&start.at, gemm.acc);
        let (epilogue, pack) = self.epilogue(gemm, rest, None, live);
        let section_body = self.product(gemm, preload, start.fill, epilogue, pack);
        out.push(section(section_body, span));
    }

    /// A loop: the accumulations that span it, then what is inside.
    fn scope(
        &mut self,
        (head, body): (FlowLoop, Vec<BlockStmt>),
        span: Span,
        open: &mut Vec<Open>,
        out: &mut Vec<SectionStmt>,
        rest: &mut VecDeque<BlockStmt>,
        live: &BTreeSet<BufferId>,
    ) {
        let mut found = Vec::new();
        candidates(&body, &mut vec![head.clone()], &mut found);
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
            let (epilogue, pack) = self.epilogue(gemm, rest, Some(whole), live);
            let control = vec![SectionStmt::new(span, Kind::Loop(head, body))];
            let mut steps = preload(&start_value.at, gemm.acc);
            steps.push(Step::Control(control));
            steps.extend(epilogue.steps);
            out.push(section(
                Section {
                    tiles: whole,
                    chunk: whole,
                    registers: epilogue.registers,
                    steps,
                    result: epilogue.result,
                    pack,
                    makes: epilogue.makes,
                    fill: start_value.fill,
                },
                span,
            ));
            return;
        }

        // What something sees after an iteration: after the loop, or in the next one.
        let live = {
            let inside = accumulators(&body);
            let mut live = live_after(inside.clone(), rest.iter(), live);
            live.extend(inside.into_iter().filter(|acc| seen(body.iter(), *acc) == Seen::Used));
            live
        };

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
                    let pack = Pack {
                        buffer: gemm.acc,
                        mode: PackMode::Overwrite,
                    };
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
        let body = self.list(body, open, &live);
        open.truncate(open.len() - wrapped.len());
        let mut inner = vec![SectionStmt::new(span, Kind::Loop(head, body))];
        for (buffer, before, fill) in wrapped.into_iter().rev() {
            if let Some(before) = before {
                inner.insert(0, section(before, span));
            }
            inner = vec![SectionStmt::new(
                span,
                Kind::Group(flow::Accumulate { buffer, fill }, inner),
            )];
        }
        out.append(&mut inner);
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
        preload: Vec<Step>,
        fill: Option<DefinitionId>,
        epilogue: Epilogue,
        pack: Pack,
    ) -> Section {
        let matmul = self.matmul(gemm);
        let tiles = [gemm.m, gemm.n];
        let width = if matmul.b_column == 1 { gemm.n } else { 1 };
        let chunk = chunk([gemm.m, width], self.context.registers.capacity / epilogue.registers);
        let mut steps = preload;
        steps.push(Step::Matmul(matmul));
        steps.extend(epilogue.steps);
        Section {
            tiles,
            chunk,
            registers: epilogue.registers,
            steps,
            result: epilogue.result,
            pack,
            makes: epilogue.makes,
            fill,
        }
    }

    /// The expression that reads the accumulator next, where it can run in the same acquire and is the last to see the
    /// sums, and where its result goes; else nothing to do but publish the accumulator.
    fn epilogue(
        &mut self,
        gemm: &Gemm,
        rest: &mut VecDeque<BlockStmt>,
        whole_chunk: Option<[u32; 2]>,
        live: &BTreeSet<BufferId>,
    ) -> (Epilogue, Pack) {
        let publish = |buffer| Pack {
            buffer,
            mode: PackMode::Publish,
        };
        let nothing = (Epilogue::none(), publish(gemm.acc));
        let Some(BlockStmt {
            kind: Kind::Op(BlockOp::Elementwise(next)),
            ..
        }) = rest.front()
        else {
            return nothing;
        };
        let last = next.target == gemm.acc
            || match seen(rest.iter().skip(1), gemm.acc) {
                Seen::Used => false,
                Seen::Replaced => true,
                Seen::Neither => !live.contains(&gemm.acc),
            };
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
        let Some((steps, registers, result)) = self.context.epilogue(&next.value, gemm.acc) else {
            return nothing;
        };
        let least = whole_chunk.map_or(1, |[h, w]| h * w);
        if registers * least > self.context.registers.capacity {
            return nothing;
        }
        let pack = publish(next.target);
        let makes = Makes::OfSums {
            sees: *sees,
            defines: next.defines,
        };
        rest.pop_front();
        let epilogue = Epilogue {
            steps,
            registers,
            result,
            makes,
        };
        (epilogue, pack)
    }
}

/// What follows the products of a section in its registers.
struct Epilogue {
    steps: Vec<Step>,
    /// Registers of each tile, and the one with the result.
    registers: u32,
    result: u32,
    makes: Makes,
}

impl Epilogue {
    fn none() -> Self {
        Epilogue {
            steps: Vec::new(),
            registers: 1,
            result: 0,
            makes: Makes::Registers,
        }
    }
}

fn section(section: Section, span: Span) -> SectionStmt {
    SectionStmt::new(span, Kind::Op(SectionOp::Section(section)))
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

/// Steps that bring what the accumulator starts from into register 0. Registers start from zero.
fn preload(start: &Start, acc: BufferId) -> Vec<Step> {
    let step = |op, arg| {
        vec![Step::Tile {
            op,
            out: 0,
            args: vec![arg],
        }]
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
        if let Kind::Op(SectionOp::Section(section)) = &out[at].kind
            && section.pack.buffer == acc
            && let [
                Step::Tile {
                    op: TileOp::Fill, args, ..
                },
            ] = section.steps.as_slice()
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
        let mut is_touched = false;
        flow::operations(&out[at..=at], &mut |op| is_touched |= op.buffers().contains(&acc));
        if is_touched {
            break;
        }
    }
    Started {
        at: Start::Existing,
        fill: None,
    }
}

/// What statements do first with what a buffer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Something may use it.
    Used,
    /// Something else takes its place on every path before it is used.
    Replaced,
    /// Neither, on some path.
    Neither,
}

/// What `body`, before this pass, does first with what `buffer` holds.
fn seen<'a>(body: impl Iterator<Item = &'a BlockStmt>, buffer: BufferId) -> Seen {
    for stmt in body {
        let first = match &stmt.kind {
            Kind::Loop(head, body) => match seen(body.iter(), buffer) {
                Seen::Replaced if !head.runs => Seen::Neither,
                first @ (Seen::Used | Seen::Replaced | Seen::Neither) => first,
            },
            Kind::If(_, then, otherwise) => match [then, otherwise].map(|side| seen(side.iter(), buffer)) {
                [Seen::Used, _] | [_, Seen::Used] => Seen::Used,
                [Seen::Replaced, Seen::Replaced] => Seen::Replaced,
                _ => Seen::Neither,
            },
            Kind::Op(op) if op.is_use_of(buffer) => Seen::Used,
            Kind::Op(op) if op.is_definition_of(buffer) => Seen::Replaced,
            Kind::Op(_) | Kind::Group(..) => Seen::Neither,
        };
        if first != Seen::Neither {
            return first;
        }
    }
    Seen::Neither
}

/// Those of `accumulators` that something may see in the statements that follow, or where those end.
fn live_after<'a>(
    accumulators: BTreeSet<BufferId>,
    rest: impl Iterator<Item = &'a BlockStmt> + Clone,
    live: &BTreeSet<BufferId>,
) -> BTreeSet<BufferId> {
    let seen_later = |acc: &BufferId| match seen(rest.clone(), *acc) {
        Seen::Used => true,
        Seen::Replaced => false,
        Seen::Neither => live.contains(acc),
    };
    accumulators.into_iter().filter(seen_later).collect()
}

/// The accumulators of all gemms in `body`.
fn accumulators(body: &[BlockStmt]) -> BTreeSet<BufferId> {
    let mut out = BTreeSet::new();
    operations(body, &mut |op| {
        if let BlockOp::Gemm(gemm) = op {
            out.insert(gemm.acc);
        }
    });
    out
}

/// A gemm within a loop, with the loops from there to it.
struct Candidate {
    gemm: Gemm,
    loops: Vec<FlowLoop>,
    /// A branch stands between.
    conditional: bool,
}

/// Every gemm in `body`, which stands in `loops`.
fn candidates(body: &[BlockStmt], loops: &mut Vec<FlowLoop>, found: &mut Vec<Candidate>) {
    for stmt in body {
        match &stmt.kind {
            Kind::Loop(head, body) => {
                loops.push(head.clone());
                candidates(body, loops, found);
                loops.pop();
            }
            Kind::If(_, then, otherwise) => {
                let before = found.len();
                candidates(then, loops, found);
                candidates(otherwise, loops, found);
                found[before..]
                    .iter_mut()
                    .for_each(|candidate| candidate.conditional = true);
            }
            Kind::Op(BlockOp::Gemm(gemm)) => found.push(Candidate {
                gemm: gemm.clone(),
                loops: loops.clone(),
                conditional: false,
            }),
            Kind::Op(
                BlockOp::Read(_)
                | BlockOp::Write(_)
                | BlockOp::Inspect(_)
                | BlockOp::Shift(_)
                | BlockOp::Fetch(_)
                | BlockOp::Elementwise(_),
            )
            | Kind::Group(..) => {}
        }
    }
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
            Kind::Op(BlockOp::Gemm(_)) => Kind::Op(SectionOp::Multiply(matmul.clone())),
            Kind::Loop(head, body) => Kind::Loop(head.clone(), multiply(body, matmul)?),
            Kind::Op(BlockOp::Write(_) | BlockOp::Inspect(_) | BlockOp::Shift(_) | BlockOp::Elementwise(_))
            | Kind::Group(..)
            | Kind::If(..) => return None,
        };
        Some(SectionStmt::new(stmt.note, kind))
    };
    body.iter().map(lowered).collect()
}
