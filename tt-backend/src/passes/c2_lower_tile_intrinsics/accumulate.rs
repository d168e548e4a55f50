//! How each gemm carries its sums.
//!
//! | where | how |
//! |---|---|
//! | a loop around nothing but the gemm, block within the registers | one acquire around the loop |
//! | a loop around the gemm, otherwise | the packer adds to a 32-bit block in L1 (`pack_reconfig_l1_acc`) |
//! | a gemm by itself | all its sums in one acquire per chunk, preloaded with what the accumulator held |
//!
//! An accumulator that was filled just before is not filled: registers and packer start from nothing. An element
//! expression that reads the accumulator just after runs in the same acquire where the registers allow.
//! Calls: patterns.md §1 and §1b.

use super::fuse::uses_and_definitions;
use super::select::{Context, chunk};
use crate::flow::{
    Arg, Broadcast, BufferId, FlowKind, FlowStmt, Gemm, Matmul, Operand, Pack, PackMode, Section, Step, Value,
    ValueKind,
};
use crate::passes::c1_lower_shared_to_cb::runs_at_least_once;
use crate::tile_ops::TileOp;
use tt_lang::ir::{IntExpr, Span, VarId};
use tt_plan::Number;

/// Runs the step: every gemm and every element expression becomes a section.
pub fn run(body: Vec<FlowStmt>, context: &mut Context) -> Vec<FlowStmt> {
    let mut count = vec![(0, 0); context.buffers.len()];
    uses_and_definitions(&body, &mut count);
    let mut this = Accumulate { count, context };
    this.list(body, &mut Vec::new())
}

struct Accumulate<'a, 'b> {
    /// Uses and definitions of every buffer in the whole program.
    count: Vec<(usize, usize)>,
    context: &'a mut Context<'b>,
}

/// What an accumulator holds before the first product.
#[derive(Debug, Clone)]
enum Start {
    Zero,
    Value(Number),
    Existing,
}

/// A gemm that an enclosing `Accumulate` packs for.
struct Open {
    acc: BufferId,
    mode: PackMode,
}

impl Accumulate<'_, '_> {
    fn list(&mut self, body: Vec<FlowStmt>, open: &mut Vec<Open>) -> Vec<FlowStmt> {
        let mut out: Vec<FlowStmt> = Vec::new();
        let mut rest: std::collections::VecDeque<FlowStmt> = body.into();
        while let Some(stmt) = rest.pop_front() {
            let span = stmt.span;
            match stmt.kind {
                FlowKind::Gemm(gemm) => match open.iter().find(|scope| scope.acc == gemm.acc) {
                    Some(scope) => {
                        let pack = Pack {
                            buffer: gemm.acc,
                            mode: scope.mode.clone(),
                        };
                        out.push(section(self.product(&gemm, Vec::new(), Vec::new(), 1, 0, pack), span));
                    }
                    None => self.direct(&gemm, span, &mut out, &mut rest),
                },
                FlowKind::Elementwise(elementwise) => self.context.elementwise(&elementwise, span, &mut out),
                FlowKind::For {
                    var,
                    start,
                    end,
                    kind,
                    body,
                } => {
                    let stmt = FlowStmt {
                        kind: FlowKind::For {
                            var,
                            start,
                            end,
                            kind,
                            body,
                        },
                        span,
                    };
                    self.scope(stmt, open, &mut out, &mut rest);
                }
                FlowKind::If { cond, then, otherwise } => {
                    let (then, otherwise) = (self.list(then, open), self.list(otherwise, open));
                    out.push(FlowStmt {
                        kind: FlowKind::If { cond, then, otherwise },
                        span,
                    });
                }
                kind @ (FlowKind::Read { .. }
                | FlowKind::Write { .. }
                | FlowKind::Release { .. }
                | FlowKind::Section(_)
                | FlowKind::Multiply(_)
                | FlowKind::Accumulate { .. }) => out.push(FlowStmt { kind, span }),
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
        rest: &mut std::collections::VecDeque<FlowStmt>,
    ) {
        let start = if gemm.clear {
            Start::Zero
        } else {
            take_fill(out, gemm.acc)
        };
        let preload = preload(&start, gemm.acc);
        let (epilogue, pack) = self.epilogue(gemm, rest, None);
        let section_body = self.product(gemm, preload, epilogue.0, epilogue.1, epilogue.2, pack);
        out.push(section(section_body, span));
    }

    /// A loop: the accumulations that span it, then what is inside.
    fn scope(
        &mut self,
        stmt: FlowStmt,
        open: &mut Vec<Open>,
        out: &mut Vec<FlowStmt>,
        rest: &mut std::collections::VecDeque<FlowStmt>,
    ) {
        let span = stmt.span;
        let mut found = Vec::new();
        spanning(&stmt, &mut Vec::new(), true, &mut found);
        found.retain(|candidate: &Candidate| {
            candidate.alone && !candidate.gemm.clear && !open.iter().any(|scope| scope.acc == candidate.gemm.acc)
        });
        let FlowKind::For {
            var,
            start,
            end,
            kind,
            body,
        } = stmt.kind
        else {
            return;
        };

        if let [candidate] = found.as_slice()
            && self.fits_registers(&candidate.gemm)
            && only_reads_and(&body)
        {
            let gemm = candidate.gemm.clone();
            let start_value = take_fill(out, gemm.acc);
            let whole = [gemm.m, gemm.n];
            let (epilogue, pack) = self.epilogue(&gemm, rest, Some(whole));
            let matmul = self.matmul(&gemm);
            let control = vec![FlowStmt {
                kind: FlowKind::For {
                    var,
                    start,
                    end,
                    kind,
                    body: multiply(body, &matmul),
                },
                span,
            }];
            let mut steps = preload(&start_value, gemm.acc);
            steps.push(Step::Control(control));
            steps.extend(epilogue.0);
            out.push(section(
                Section {
                    tiles: whole,
                    chunk: whole,
                    registers: epilogue.1,
                    steps,
                    result: epilogue.2,
                    pack,
                },
                span,
            ));
            return;
        }

        // Through L1: a version of each accumulator is reserved around the loop.
        let mut wrapped = Vec::new();
        for candidate in &found {
            let gemm = &candidate.gemm;
            let start_value = take_fill(out, gemm.acc);
            let first = (!candidate.conditional && candidate.loops.iter().all(|(_, s, e)| runs_at_least_once(s, e)))
                .then(|| {
                    candidate
                        .loops
                        .iter()
                        .map(|(var, start, _)| (*var, start.clone()))
                        .collect::<Vec<_>>()
                });
            let (mode, before) = match (start_value, first) {
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
                    let before = self
                        .context
                        .section(&Value { kind: value, span }, [gemm.m, gemm.n], pack);
                    (PackMode::Add, Some(before))
                }
            };
            open.push(Open { acc: gemm.acc, mode });
            wrapped.push((gemm.acc, before));
        }
        let body = self.list(body, open);
        open.truncate(open.len() - wrapped.len());
        let mut inner = vec![FlowStmt {
            kind: FlowKind::For {
                var,
                start,
                end,
                kind,
                body,
            },
            span,
        }];
        for (buffer, before) in wrapped.into_iter().rev() {
            if let Some(before) = before {
                inner.insert(0, section(before, span));
            }
            inner = vec![FlowStmt {
                kind: FlowKind::Accumulate { buffer, body: inner },
                span,
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
        epilogue: Vec<Step>,
        registers: u32,
        result: u32,
        pack: Pack,
    ) -> Section {
        let matmul = self.matmul(gemm);
        let tiles = [gemm.m, gemm.n];
        let width = if matmul.b_column == 1 { gemm.n } else { 1 };
        let chunk = chunk([gemm.m, width], self.context.registers.capacity / registers);
        let mut steps = preload;
        steps.push(Step::Matmul(matmul));
        steps.extend(epilogue);
        Section {
            tiles,
            chunk,
            registers,
            steps,
            result,
            pack,
        }
    }

    /// The steps of the expression that reads the accumulator next, where it can run in the same acquire, with its
    /// registers, its result and where that goes; else nothing to do but publish the accumulator.
    fn epilogue(
        &mut self,
        gemm: &Gemm,
        rest: &mut std::collections::VecDeque<FlowStmt>,
        whole_chunk: Option<[u32; 2]>,
    ) -> ((Vec<Step>, u32, u32), Pack) {
        let publish = |buffer| Pack {
            buffer,
            mode: PackMode::Publish,
        };
        let nothing = ((Vec::new(), 1, 0), publish(gemm.acc));
        // All definitions of the accumulator are this gemm and a fill; this expression must be its only other use.
        let (uses, definitions) = self.count[gemm.acc.0];
        let own = usize::from(!gemm.clear);
        if uses != own + 1 || definitions > 2 {
            return nothing;
        }
        let Some(FlowStmt {
            kind: FlowKind::Elementwise(next),
            ..
        }) = rest.front()
        else {
            return nothing;
        };
        let mut loads = 0;
        let mut plain = 0;
        next.value.loads(&mut |operand, _| {
            if operand.buffer == gemm.acc {
                loads += 1;
                plain += usize::from(operand == whole(gemm.acc));
            }
        });
        let tiles = crate::passes::a1_infer_layout::tiles(next.extent);
        if (loads, plain) != (1, 1) || tiles != [gemm.m, gemm.n] {
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
        rest.pop_front();
        ((steps, registers, result), pack)
    }
}

fn section(section: Section, span: Span) -> FlowStmt {
    FlowStmt {
        kind: FlowKind::Section(section),
        span,
    }
}

fn whole(buffer: BufferId) -> Operand {
    Operand {
        buffer,
        offset: [0, 0],
        broadcast: Broadcast::None,
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
fn take_fill(out: &mut Vec<FlowStmt>, acc: BufferId) -> Start {
    for at in (0..out.len()).rev() {
        if let FlowKind::Section(section) = &out[at].kind
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
            out.remove(at);
            return start;
        }
        if touches(&out[at], acc) {
            break;
        }
    }
    Start::Existing
}

fn touches(stmt: &FlowStmt, buffer: BufferId) -> bool {
    match &stmt.kind {
        FlowKind::Read { buffer: b, .. } | FlowKind::Write { buffer: b, .. } | FlowKind::Release { buffer: b } => {
            *b == buffer
        }
        FlowKind::Elementwise(elementwise) => {
            let mut found = elementwise.target == buffer;
            elementwise
                .value
                .loads(&mut |operand, _| found |= operand.buffer == buffer);
            found
        }
        FlowKind::Gemm(gemm) => [gemm.a, gemm.b, gemm.acc].contains(&buffer),
        FlowKind::Multiply(matmul) => [matmul.a, matmul.b].contains(&buffer),
        FlowKind::Section(section) => {
            section.pack.buffer == buffer
                || section.steps.iter().any(|step| match step {
                    Step::Tile { args, .. } => args
                        .iter()
                        .any(|arg| matches!(arg, Arg::Tile(operand) if operand.buffer == buffer)),
                    Step::Matmul(matmul) => [matmul.a, matmul.b].contains(&buffer),
                    Step::Control(body) => body.iter().any(|stmt| touches(stmt, buffer)),
                })
        }
        FlowKind::Accumulate { buffer: b, body } => *b == buffer || body.iter().any(|stmt| touches(stmt, buffer)),
        FlowKind::For { body, .. } => body.iter().any(|stmt| touches(stmt, buffer)),
        FlowKind::If { then, otherwise, .. } => then.iter().chain(otherwise).any(|stmt| touches(stmt, buffer)),
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
        FlowKind::For {
            var, start, end, body, ..
        } => {
            loops.push((*var, start.clone(), end.clone()));
            body.iter().for_each(|stmt| spanning(stmt, loops, false, found));
            loops.pop();
            if top {
                for candidate in found.iter_mut() {
                    candidate.alone = touching(body, candidate.gemm.acc) == 1;
                }
            }
        }
        FlowKind::If { then, otherwise, .. } => {
            let before = found.len();
            then.iter()
                .chain(otherwise)
                .for_each(|stmt| spanning(stmt, loops, false, found));
            found[before..]
                .iter_mut()
                .for_each(|candidate| candidate.conditional = true);
        }
        FlowKind::Gemm(gemm) => {
            found.push(Candidate {
                gemm: gemm.clone(),
                loops: loops.clone(),
                conditional: false,
                alone: false,
            });
        }
        _ => {}
    }
}

/// How many statements touch `buffer`.
fn touching(body: &[FlowStmt], buffer: BufferId) -> usize {
    body.iter()
        .map(|stmt| match &stmt.kind {
            FlowKind::For { body, .. } => touching(body, buffer),
            FlowKind::If { then, otherwise, .. } => touching(then, buffer) + touching(otherwise, buffer),
            _ => usize::from(touches(stmt, buffer)),
        })
        .sum()
}

/// Whether there is nothing in `body` but loops, reads and gemms.
fn only_reads_and(body: &[FlowStmt]) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        FlowKind::Read { .. } | FlowKind::Gemm(_) => true,
        FlowKind::For { body, .. } => only_reads_and(body),
        _ => false,
    })
}

/// `body` with its gemm as a product in the registers of the section around it.
fn multiply(body: Vec<FlowStmt>, matmul: &Matmul) -> Vec<FlowStmt> {
    body.into_iter()
        .map(|stmt| {
            let kind = match stmt.kind {
                FlowKind::Gemm(_) => FlowKind::Multiply(matmul.clone()),
                FlowKind::For {
                    var,
                    start,
                    end,
                    kind,
                    body,
                } => FlowKind::For {
                    var,
                    start,
                    end,
                    kind,
                    body: multiply(body, matmul),
                },
                kind => kind,
            };
            FlowStmt { kind, span: stmt.span }
        })
        .collect()
}
