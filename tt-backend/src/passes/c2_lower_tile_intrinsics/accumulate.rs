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
    self, Arg, Broadcast, BufferId, DefinitionId, FlowLoop, FlowOp, FlowStmt, Gemm, Makes, Matmul, Operand, Pack,
    PackMode, Section, Step, Value, ValueKind,
};
use crate::ir::{Kind, replaced};
use crate::passes::c1_lower_shared_to_cb::runs_at_least_once;
use crate::tile_ops::TileOp;
use std::collections::{BTreeSet, VecDeque};
use tt_lang::ir::{IntExpr, Span, VarId};
use tt_plan::Number;

/// Runs the step: every gemm and every element expression becomes a section.
pub fn run(body: Vec<FlowStmt>, context: &mut Context) -> Vec<FlowStmt> {
    Accumulate { context }.list(body, &mut Vec::new(), &BTreeSet::new())
}

struct Accumulate<'a, 'b> {
    context: &'a mut Context<'b>,
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

impl Accumulate<'_, '_> {
    /// `live`: the accumulators of `body` that something sees after it.
    fn list(&mut self, body: Vec<FlowStmt>, open: &mut Vec<Open>, live: &BTreeSet<BufferId>) -> Vec<FlowStmt> {
        let mut out: Vec<FlowStmt> = Vec::new();
        let mut rest: VecDeque<FlowStmt> = body.into();
        while let Some(stmt) = rest.pop_front() {
            let span = stmt.note;
            match stmt.kind {
                Kind::Op(FlowOp::Gemm(gemm)) => match open.iter().find(|scope| scope.acc == gemm.acc) {
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
                Kind::Op(FlowOp::Elementwise(elementwise)) => self.context.elementwise(&elementwise, span, &mut out),
                Kind::Loop(FlowLoop { var, start, end, kind }, body) => {
                    let stmt = FlowStmt {
                        kind: Kind::Loop(FlowLoop { var, start, end, kind }, body),
                        note: span,
                    };
                    self.scope(stmt, open, &mut out, &mut rest, live);
                }
                Kind::If(cond, then, otherwise) => {
                    let after = |side: &[FlowStmt]| live_after(accumulators(side), rest.iter(), live);
                    let (live_then, live_otherwise) = (after(&then), after(&otherwise));
                    let then = self.list(then, open, &live_then);
                    let otherwise = self.list(otherwise, open, &live_otherwise);
                    out.push(FlowStmt {
                        kind: Kind::If(cond, then, otherwise),
                        note: span,
                    });
                }
                kind @ (Kind::Op(
                    FlowOp::Read { .. }
                    | FlowOp::Write { .. }
                    | FlowOp::Blank { .. }
                    | FlowOp::Release { .. }
                    | FlowOp::Section(_)
                    | FlowOp::Multiply(_),
                )
                | Kind::Group(..)) => out.push(FlowStmt { kind, note: span }),
            }
        }
        out
    }

    /// A gemm by itself.
    fn direct(
        &mut self,
        gemm: &Gemm,
        span: Span,
        out: &mut Vec<FlowStmt>,
        rest: &mut VecDeque<FlowStmt>,
        live: &BTreeSet<BufferId>,
    ) {
        let start = if gemm.clear {
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
        stmt: FlowStmt,
        open: &mut Vec<Open>,
        out: &mut Vec<FlowStmt>,
        rest: &mut VecDeque<FlowStmt>,
        live: &BTreeSet<BufferId>,
    ) {
        let span = stmt.note;
        let mut found = Vec::new();
        spanning(&stmt, &mut Vec::new(), true, &mut found);
        let gemms = found.len();
        found.retain(|candidate: &Candidate| {
            candidate.alone && !candidate.gemm.clear && !open.iter().any(|scope| scope.acc == candidate.gemm.acc)
        });
        let Kind::Loop(FlowLoop { var, start, end, kind }, body) = stmt.kind else {
            return;
        };

        // In the registers around a loop there is one product.
        if let [candidate] = found.as_slice()
            && gemms == 1
            && self.fits_registers(&candidate.gemm)
            && only_reads_and(&body)
        {
            let gemm = candidate.gemm.clone();
            let start_value = take_fill(out, gemm.acc);
            let whole = [gemm.m, gemm.n];
            let (epilogue, pack) = self.epilogue(&gemm, rest, Some(whole), live);
            let matmul = self.matmul(&gemm);
            let control = vec![FlowStmt {
                kind: Kind::Loop(FlowLoop { var, start, end, kind }, multiply(body, &matmul)),
                note: span,
            }];
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
            let first = (!candidate.conditional && candidate.loops.iter().all(|(_, s, e)| runs_at_least_once(s, e)))
                .then(|| {
                    candidate
                        .loops
                        .iter()
                        .map(|(var, start, _)| (*var, start.clone()))
                        .collect::<Vec<_>>()
                });
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
        let mut inner = vec![FlowStmt {
            kind: Kind::Loop(FlowLoop { var, start, end, kind }, body),
            note: span,
        }];
        for (buffer, before, fill) in wrapped.into_iter().rev() {
            if let Some(before) = before {
                inner.insert(0, section(before, span));
            }
            inner = vec![FlowStmt {
                kind: Kind::Group(flow::Accumulate { buffer, fill }, inner),
                note: span,
            }];
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
        rest: &mut VecDeque<FlowStmt>,
        whole_chunk: Option<[u32; 2]>,
        live: &BTreeSet<BufferId>,
    ) -> (Epilogue, Pack) {
        let publish = |buffer| Pack {
            buffer,
            mode: PackMode::Publish,
        };
        let nothing = (Epilogue::none(), publish(gemm.acc));
        let Some(FlowStmt {
            kind: Kind::Op(FlowOp::Elementwise(next)),
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
        next.value.loads(&mut |operand, _| {
            if operand.buffer == gemm.acc {
                loads.push(operand);
            }
        });
        let [
            Operand {
                offset: [0, 0],
                broadcast: Broadcast::None,
                sees: Some(sees),
                ..
            },
        ] = loads.as_slice()
        else {
            return nothing;
        };
        let tiles = crate::passes::a1_infer_layout::tiles(next.extent);
        if !last || tiles != [gemm.m, gemm.n] {
            return nothing;
        }
        let mut value = next.value.clone();
        in_register(&mut value, gemm.acc);
        let Some((steps, registers, result)) = self.context.epilogue(&value) else {
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

fn section(section: Section, span: Span) -> FlowStmt {
    FlowStmt {
        kind: Kind::Op(FlowOp::Section(section)),
        note: span,
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

fn in_register(value: &mut Value, acc: BufferId) {
    if matches!(&value.kind, ValueKind::Load(operand) if operand.buffer == acc) {
        value.kind = ValueKind::Accumulator;
    }
    for operand in value.operands_mut() {
        in_register(operand, acc);
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
fn take_fill(out: &mut Vec<FlowStmt>, acc: BufferId) -> Started {
    for at in (0..out.len()).rev() {
        if let Kind::Op(FlowOp::Section(section)) = &out[at].kind
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
        if touches(&out[at], acc) {
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
fn seen<'a>(body: impl Iterator<Item = &'a FlowStmt>, buffer: BufferId) -> Seen {
    for stmt in body {
        let first = match &stmt.kind {
            Kind::Loop(FlowLoop { start, end, .. }, body) => match seen(body.iter(), buffer) {
                Seen::Replaced if !runs_at_least_once(start, end) => Seen::Neither,
                first @ (Seen::Used | Seen::Replaced | Seen::Neither) => first,
            },
            Kind::If(_, then, otherwise) => match [then, otherwise].map(|side| seen(side.iter(), buffer)) {
                [Seen::Used, _] | [_, Seen::Used] => Seen::Used,
                [Seen::Replaced, Seen::Replaced] => Seen::Replaced,
                _ => Seen::Neither,
            },
            Kind::Op(FlowOp::Gemm(gemm)) if gemm.acc == buffer => {
                let uses = !gemm.clear || gemm.a == buffer || gemm.b == buffer;
                if uses { Seen::Used } else { Seen::Replaced }
            }
            Kind::Op(FlowOp::Read { buffer: defined, .. }) if *defined == buffer => Seen::Replaced,
            Kind::Op(FlowOp::Elementwise(elementwise)) => {
                let mut used = false;
                elementwise
                    .value
                    .loads(&mut |operand, _| used |= operand.buffer == buffer);
                match (used, elementwise.target == buffer) {
                    (true, _) => Seen::Used,
                    (false, true) => Seen::Replaced,
                    (false, false) => Seen::Neither,
                }
            }
            _ if touches(stmt, buffer) => Seen::Used,
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
    rest: impl Iterator<Item = &'a FlowStmt> + Clone,
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
fn accumulators(body: &[FlowStmt]) -> BTreeSet<BufferId> {
    let mut out = BTreeSet::new();
    for stmt in body {
        match &stmt.kind {
            Kind::Op(FlowOp::Gemm(gemm)) => drop(out.insert(gemm.acc)),
            Kind::Loop(_, body) => out.extend(accumulators(body)),
            Kind::If(_, then, otherwise) => {
                out.extend(accumulators(then));
                out.extend(accumulators(otherwise));
            }
            Kind::Op(_) | Kind::Group(..) => {}
        }
    }
    out
}

fn touches(stmt: &FlowStmt, buffer: BufferId) -> bool {
    match &stmt.kind {
        Kind::Op(
            FlowOp::Read { buffer: b, .. }
            | FlowOp::Write { buffer: b, .. }
            | FlowOp::Blank { buffer: b }
            | FlowOp::Release { buffer: b },
        ) => *b == buffer,
        Kind::Op(FlowOp::Elementwise(elementwise)) => {
            let mut found = elementwise.target == buffer;
            elementwise
                .value
                .loads(&mut |operand, _| found |= operand.buffer == buffer);
            found
        }
        Kind::Op(FlowOp::Gemm(gemm)) => [gemm.a, gemm.b, gemm.acc].contains(&buffer),
        Kind::Op(FlowOp::Multiply(matmul)) => [matmul.a, matmul.b].contains(&buffer),
        Kind::Op(FlowOp::Section(section)) => {
            section.pack.buffer == buffer
                || section.steps.iter().any(|step| match step {
                    Step::Tile { args, .. } => args
                        .iter()
                        .any(|arg| matches!(arg, Arg::Tile(operand) if operand.buffer == buffer)),
                    Step::Matmul(matmul) => [matmul.a, matmul.b].contains(&buffer),
                    Step::Control(body) => body.iter().any(|stmt| touches(stmt, buffer)),
                })
        }
        Kind::Group(flow::Accumulate { buffer: b, .. }, body) => {
            *b == buffer || body.iter().any(|stmt| touches(stmt, buffer))
        }
        Kind::Loop(_, body) => body.iter().any(|stmt| touches(stmt, buffer)),
        Kind::If(_, then, otherwise) => then.iter().chain(otherwise).any(|stmt| touches(stmt, buffer)),
    }
}

/// A gemm within a loop, with the loops from there to it.
struct Candidate {
    gemm: Gemm,
    loops: Vec<(VarId, IntExpr, IntExpr)>,
    /// A branch stands between.
    conditional: bool,
    /// Nothing else in the loop touches its accumulator.
    alone: bool,
}

/// Every gemm in `stmt`.
fn spanning(stmt: &FlowStmt, loops: &mut Vec<(VarId, IntExpr, IntExpr)>, top: bool, found: &mut Vec<Candidate>) {
    match &stmt.kind {
        Kind::Loop(FlowLoop { var, start, end, .. }, body) => {
            loops.push((*var, start.clone(), end.clone()));
            body.iter().for_each(|stmt| spanning(stmt, loops, false, found));
            loops.pop();
            if top {
                for candidate in found.iter_mut() {
                    candidate.alone = touching(body, candidate.gemm.acc) == 1;
                }
            }
        }
        Kind::If(_, then, otherwise) => {
            let before = found.len();
            then.iter()
                .chain(otherwise)
                .for_each(|stmt| spanning(stmt, loops, false, found));
            found[before..]
                .iter_mut()
                .for_each(|candidate| candidate.conditional = true);
        }
        Kind::Op(FlowOp::Gemm(gemm)) => {
            found.push(Candidate {
                gemm: gemm.clone(),
                loops: loops.clone(),
                conditional: false,
                alone: false,
            });
        }
        Kind::Op(_) | Kind::Group(..) => {}
    }
}

/// How many statements touch `buffer`.
fn touching(body: &[FlowStmt], buffer: BufferId) -> usize {
    body.iter()
        .map(|stmt| match &stmt.kind {
            Kind::Loop(_, body) => touching(body, buffer),
            Kind::If(_, then, otherwise) => touching(then, buffer) + touching(otherwise, buffer),
            Kind::Op(_) | Kind::Group(..) => usize::from(touches(stmt, buffer)),
        })
        .sum()
}

/// Whether there is nothing in `body` but loops, reads and gemms.
fn only_reads_and(body: &[FlowStmt]) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        Kind::Op(FlowOp::Read { .. } | FlowOp::Gemm(_)) => true,
        Kind::Loop(_, body) => only_reads_and(body),
        Kind::Op(_) | Kind::Group(..) | Kind::If(..) => false,
    })
}

/// `body` with its gemm as a product in the registers of the section around it.
fn multiply(body: Vec<FlowStmt>, matmul: &Matmul) -> Vec<FlowStmt> {
    replaced(body, &mut |span, op| {
        let op = match op {
            FlowOp::Gemm(_) => FlowOp::Multiply(matmul.clone()),
            op @ (FlowOp::Read { .. }
            | FlowOp::Write { .. }
            | FlowOp::Blank { .. }
            | FlowOp::Release { .. }
            | FlowOp::Elementwise(_)
            | FlowOp::Section(_)
            | FlowOp::Multiply(_)) => op,
        };
        vec![FlowStmt::new(span, Kind::Op(op))]
    })
}
