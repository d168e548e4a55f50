//! unstack: stacked blocks become blocks of their own, and parts of blocks begin at constants.
//!
//! Before: Tile IR without uniform choices in elements. After: every block has one axis or two, and where an index of a block is one of
//! its loop plus multiples of 32, these are constants. A loop of constant bounds whose variable counts blocks or parts is
//! written out; elsewhere there is a branch for each block or part that may be meant, and what is none of them is asserted not to
//! be. Of a branch whose condition is decided by that one side is left. A parallel loop counts the rows first of what it stores to.
//!
//! ```text
//!  for s in 0..2 { copy(a[s], z[s]) }   ⟹   copy(a[0], z_0); copy(a[1], z_1)
//!  y[i] = x[(n * 32 + i, j)]            ⟹   if n == 0 { y[i] = x[(i, j)] } else { y[i] = x[(i + 32, j)] }
//! ```

#![warn(clippy::arithmetic_side_effects)]

mod choices;
mod lengths;
mod masked;
mod reads;
mod results;

use self::choices::{Chosen, choice, choices};
use crate::codes;
use crate::ir::{Kind, visit, visit_mut};
use crate::linear::Signs;
use crate::passes::b1_partition_work::ranges::always_runs;
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::range::{self, LIMIT, Range};
use crate::verify::tile::{has_no_stacks, holds_elements, keeps};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashMap;
use tt_lang::ir::{
    Access, Block, BlockId, BoolExpr, Buffer, CompareOp, ElementKind, For, IntExpr, IntOp, Kernel, Linear, Named, Op,
    Place, PrintItem, Region, Span, Spanned, Stmt, VarId,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "unstack",
    does: "stacked blocks become blocks of their own, and parts of blocks begin at constants",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel)?;
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [holds_elements, has_no_stacks]),
};

/// Iterations of a loop that is written out, and branches of a statement.
const MOST_PLACES: usize = 32;

/// Statements that are made in all, by loops that are written out and by branches.
const MOST_STATEMENTS: usize = 512;

/// Runs the pass.
pub fn run(mut kernel: Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let signs = Signs::of(&kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Unstack {
        out: kernel.clone(),
        stacks: HashMap::default(),
        ranges: Vec::new(),
        signs,
        is_certain: true,
        made: 0,
        is_refused: false,
        errors: Vec::new(),
        kernel: &kernel,
    };
    pass.allocate();
    let body = pass.statements(&body);
    match pass.errors.is_empty() {
        true => {
            let mut kernel = Kernel { body, ..pass.out };
            results::direct(&mut kernel);
            Ok(kernel)
        }
        false => Err(pass.errors),
    }
}

struct Unstack<'k> {
    /// As written.
    kernel: &'k Kernel,
    /// As it becomes: its blocks and variables grow.
    out: Kernel,
    /// The blocks of each stack.
    stacks: HashMap<BlockId, Vec<BlockId>>,
    /// What is known of the variables of the loops around.
    ranges: Vec<(VarId, Range)>,
    signs: Signs,
    /// Whether every block runs the statement that is looked at.
    is_certain: bool,
    /// Statements that were made.
    made: usize,
    /// Whether it was said that no more can be.
    is_refused: bool,
    errors: Vec<Diagnostic>,
}

impl Unstack<'_> {
    /// Gives every stack its blocks.
    fn allocate(&mut self) {
        for (index, block) in self.kernel.blocks.iter().enumerate() {
            let [count, rows, columns] = block.shape[..] else {
                continue;
            };
            let first = BlockId(index as u32);
            let mut stack = Vec::new();
            for number in 0..count.min(MOST_PLACES as u64) {
                let part = Block {
                    name: format!("{}_{number}", block.name),
                    shape: vec![rows, columns],
                    ..block.clone()
                };
                let blocks = &mut self.out.blocks;
                stack.push(if number == 0 {
                    first
                } else {
                    BlockId(blocks.len() as u32)
                });
                match number {
                    0 => blocks[index] = part,
                    _ => blocks.push(part),
                }
            }
            if count > MOST_PLACES as u64 {
                let message = format!("a stack of {count} blocks, where {MOST_PLACES} are possible");
                let note = "make the blocks of a stack higher, and name parts of them";
                self.errors
                    .push(Diagnostic::new(&codes::STACKED_BLOCK, block.span, message).note(note));
            }
            self.stacks.insert(first, stack);
        }
    }

    fn statements(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            self.statement(stmt, &mut out);
        }
        out
    }

    fn statement(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.note;
        match &stmt.kind {
            Kind::Loop(For { var, start, end, .. }, body) => {
                let bounds = start.as_const().zip(end.as_const());
                if let Some((first, end)) = bounds
                    && end.saturating_sub(first) <= MOST_PLACES as i64
                    && self.counts_places(body, *var)
                {
                    for value in first..end {
                        if self.is_too_long(span) {
                            return;
                        }
                        let mut with = HashMap::from_iter([(*var, IntExpr::Const(value))]);
                        let body = self.copied(body, &mut with);
                        out.append(&mut self.statements(&body));
                    }
                    return;
                }
                let (low, high) = (self.range(start).low, self.range(end).high);
                if high <= low {
                    // It has no turn.
                    return;
                }
                self.ranges.push((*var, Range::new(low, high.saturating_sub(1))));
                let runs = always_runs(&self.signs, start, end);
                out.push(self.with_bodies(stmt, runs));
                self.ranges.pop();
            }
            Kind::If(cond, then, otherwise) => match cond.value.as_const() {
                Some(true) => self.within(then, false, out),
                Some(false) => self.within(otherwise, false, out),
                None => out.push(self.with_bodies(stmt, false)),
            },
            Kind::Op(Op::Parallel { indices, assigns }) => {
                self.assert_masked(stmt, out);
                if choices(self.kernel, stmt).is_empty() {
                    return self.unstacked(stmt, out);
                }
                for assign in assigns {
                    let assign = self.read_first(assign, indices, span, out);
                    let (indices, assigns) = (indices.clone(), vec![assign]);
                    let kind = Kind::Op(Op::Parallel { indices, assigns });
                    self.choose(Stmt::new(span, kind), out);
                }
            }
            Kind::Group(never, _) => match *never {},
            Kind::Op(Op::Copy { .. }) => {
                self.assert_lengths(stmt, out);
                self.unstacked(stmt, out);
            }
            Kind::Op(
                Op::Fill { .. }
                | Op::Gemm { .. }
                | Op::Reduce { .. }
                | Op::ReduceArg { .. }
                | Op::Transpose { .. }
                | Op::Fetch { .. }
                | Op::Print { .. }
                | Op::Assert { .. },
            ) => self.unstacked(stmt, out),
        }
    }

    /// A statement with bodies, which every block runs that runs the statement, or may not.
    fn with_bodies(&mut self, stmt: &Stmt, runs: bool) -> Stmt {
        let mut stmt = stmt.clone();
        for body in stmt.bodies_mut() {
            let mut inner = Vec::new();
            self.within(body, runs, &mut inner);
            *body = inner;
        }
        stmt
    }

    fn within(&mut self, body: &[Stmt], runs: bool, out: &mut Vec<Stmt>) {
        let before = self.is_certain;
        self.is_certain &= runs;
        out.append(&mut self.statements(body));
        self.is_certain = before;
    }

    /// Whether no more statements can be made, which is said once.
    fn is_too_long(&mut self, span: Span) -> bool {
        let is = self.made >= MOST_STATEMENTS;
        if is && !self.is_refused {
            self.is_refused = true;
            let message =
                format!("loops and branches that name places of blocks are more than {MOST_STATEMENTS} statements");
            let note = "each iteration of such a loop and each place that may be meant is written out: name places by constants, or let fewer loops around them count them";
            self.errors
                .push(Diagnostic::new(&codes::PLACES, span, message).note(note));
        }
        is
    }

    /// Whether blocks of stacks or parts of blocks are counted by `var` in `body`.
    fn counts_places(&self, body: &[Stmt], var: VarId) -> bool {
        let mut counts = false;
        visit(body, &mut |stmt| {
            counts = counts
                || choices(self.kernel, stmt)
                    .iter()
                    .any(|chosen| chosen.choice.part.mentions(var));
        });
        counts
    }

    /// `body` with what `with` says in place of variables, and variables of its own.
    fn copied(&mut self, body: &[Stmt], with: &mut HashMap<VarId, IntExpr>) -> Vec<Stmt> {
        let mut out = body.to_vec();
        visit_mut(&mut out, &mut |stmt| {
            stmt.integers_mut(&mut |value| *value = value.substitute(&|var| with.get(&var).cloned()));
            self.made = self.made.saturating_add(1);
            let is_fetched = matches!(stmt.kind, Kind::Op(Op::Fetch { .. }));
            if let Kind::Op(Op::Fetch { var, .. }) | Kind::Loop(For { var, .. }, _) = &mut stmt.kind {
                let (before, fresh) = (*var, self.variable(*var));
                *var = fresh;
                let value = if is_fetched { IntExpr::Fetched } else { IntExpr::Var };
                with.insert(before, value(fresh));
            }
        });
        out
    }

    fn variable(&mut self, like: VarId) -> VarId {
        let variable = self.out.variables[like.index()].clone();
        self.out.add_variable(variable)
    }

    /// `stmt`, of one assignment, with a branch for each place that its first choice may mean.
    fn choose(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let mut all = choices(self.kernel, &stmt);
        let Some(part) = all.first().map(|first| first.choice.part.clone()) else {
            self.made = self.made.saturating_add(1);
            return self.unstacked(&stmt, out);
        };
        if self.is_too_long(stmt.note) {
            return;
        }
        all.retain(|chosen| chosen.choice.part == part);
        let within = self.range(&part);
        let mut values: Option<Vec<i64>> = None;
        let are_certain = all.iter().any(|chosen| chosen.certain);
        for chosen in all.iter().filter(|chosen| chosen.certain == are_certain) {
            let found: Vec<i64> = chosen
                .choice
                .values(within, chosen.certain)
                .take(MOST_PLACES.saturating_add(1))
                .collect();
            if found.len() > MOST_PLACES {
                return self.too_many(chosen);
            }
            values = Some(match values {
                None => found,
                // What is read for certain is inside; what may not be read is inside where it is.
                Some(known) if are_certain => known.into_iter().filter(|value| found.contains(value)).collect(),
                Some(known) => known.into_iter().chain(found).collect(),
            });
            if chosen.certain {
                self.assert_inside(chosen, out);
            }
        }
        let mut values = values.unwrap_or_default();
        if values.is_empty() && !are_certain {
            // Nothing of it is chosen: one place is as good as another.
            values.push(within.low);
        }
        values.sort_unstable();
        values.dedup();
        if values.len() > MOST_PLACES {
            return all.iter().take(1).for_each(|chosen| self.too_many(chosen));
        }
        let mut chain: Option<Vec<Stmt>> = None;
        for value in values.into_iter().rev() {
            let mut then = Vec::new();
            self.choose(self.fixed(&stmt, &part, value), &mut then);
            chain = Some(match chain {
                None => then,
                Some(otherwise) => {
                    let span = stmt.note;
                    let value = BoolExpr::Compare(CompareOp::Eq, part.clone(), IntExpr::Const(value));
                    let cond = Spanned { value, span };
                    let kind = Kind::If(cond, then, otherwise);
                    vec![Stmt::new(span, kind)]
                }
            });
        }
        match (chain, all.first()) {
            (Some(chain), _) => out.extend(chain),
            (None, Some(chosen)) => {
                let what = format!("`{}` is never inside", Named(&self.out, &chosen.choice.index()));
                self.outside(&chosen.access, &what);
            }
            (None, None) => {}
        }
    }

    fn too_many(&mut self, chosen: &Chosen) {
        let Chosen { choice, access, .. } = chosen;
        let what = Named(&self.out, &choice.index()).to_string();
        let message = format!(
            "`{what}` is one of {} places in `{}`, where {MOST_PLACES} are possible",
            choice.places,
            self.name(access)
        );
        let note = "each is a branch of its own: name fewer, or choose by constants";
        self.errors
            .push(Diagnostic::new(&codes::ACCESS, access.span, message).note(note));
    }

    /// Asserts in `out` that what is chosen is there, where that is not known.
    fn assert_inside(&self, chosen: &Chosen, out: &mut Vec<Stmt>) {
        let (choice, span) = (&chosen.choice, chosen.access.span);
        let index = choice.index();
        let Some(value) = range::inside(&index, self.range(&index), choice.end()) else {
            return;
        };
        let (index, name) = (Named(&self.out, &index), self.name(&chosen.access));
        let text = match (choice.step, chosen.access.indices.len().saturating_sub(chosen.axis)) {
            (1, _) => format!("{index} is a block of {name}, which has {}", choice.places),
            (_, 2) => format!("the rows from {index} on are some of {name}"),
            (_, _) => format!("the columns from {index} on are some of {name}"),
        };
        let cond = Spanned { value, span };
        let kind = Kind::Op(Op::Assert { cond, text });
        let known = out.iter().any(|known| known.kind == kind);
        if !known {
            out.push(Stmt::new(span, kind));
        }
    }

    /// `stmt` where `part` is `value`.
    fn fixed(&self, stmt: &Stmt, part: &IntExpr, value: i64) -> Stmt {
        let mut stmt = stmt.clone();
        let Kind::Op(Op::Parallel { indices, assigns }) = &mut stmt.kind else {
            return stmt;
        };
        let fix = |access: &mut Access| {
            for axis in 0..access.indices.len() {
                let Some(choice) = choice(self.kernel, access, axis, indices).filter(|choice| choice.part == *part)
                else {
                    continue;
                };
                let first = IntExpr::Const(choice.at(value));
                let index = Linear::of(&access.indices[axis]);
                let var = indices.iter().find(|(var, _)| index.coefficient(*var) == 1);
                access.indices[axis] = match var {
                    Some((var, _)) => IntExpr::binary(IntOp::Add, IntExpr::Var(*var), first),
                    None => first,
                };
            }
        };
        for assign in assigns {
            fix(&mut assign.target);
            assign.value.walk_mut(&mut |element| {
                if let ElementKind::Load(access) = &mut element.kind {
                    fix(access);
                }
            });
        }
        stmt
    }

    /// `stmt` over the blocks of stacks.
    fn unstacked(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.note;
        let mut stmt = stmt.clone();
        match &mut stmt.kind {
            Kind::Op(Op::Fill { block, value }) => {
                for part in self
                    .stacks
                    .get(&block.value)
                    .cloned()
                    .unwrap_or_else(|| vec![block.value])
                {
                    let block = Spanned {
                        value: part,
                        span: block.span,
                    };
                    let value = value.clone();
                    out.push(Stmt {
                        kind: Kind::Op(Op::Fill { block, value }),
                        note: span,
                    });
                }
                return;
            }
            Kind::Op(Op::Copy { src, dst }) => {
                let stack = [&*src, &*dst].into_iter().find_map(|place| match place {
                    Place::Block(block) => self.stacks.get(&block.value).map(Vec::len),
                    Place::Tensor(_) => None,
                });
                match stack {
                    Some(stack) => (0..stack).for_each(|number| {
                        let (src, dst) = (self.one_of(src, number, stack), self.one_of(dst, number, stack));
                        self.copy(src, dst, span, out);
                    }),
                    None => self.copy(src.clone(), dst.clone(), span, out),
                }
                return;
            }
            Kind::Op(Op::Print { items }) => {
                for item in items {
                    let PrintItem::Block { block, .. } = item else { continue };
                    if self.stacks.contains_key(&block.value) {
                        let name = &self.kernel.block(block.value).name;
                        let message = format!("`{name}` is a stack of blocks, one of which is wanted");
                        let note = "copy it to a block of its own, and print that";
                        self.errors
                            .push(Diagnostic::new(&codes::STACKED_BLOCK, block.span, message).note(note));
                    }
                }
            }
            Kind::Op(Op::Parallel { indices, assigns }) => {
                for assign in assigns.iter_mut() {
                    self.unstacked_access(&mut assign.target);
                    assign.value.walk_mut(&mut |element| {
                        if let ElementKind::Load(access) = &mut element.kind {
                            self.unstacked_access(access);
                        }
                    });
                }
                if assigns.iter().any(|assign| is_turned(&assign.target, indices)) {
                    out.extend(assigns.iter().map(|assign| {
                        let mut indices = indices.clone();
                        if is_turned(&assign.target, &indices) {
                            indices.reverse();
                        }
                        let assigns = vec![assign.clone()];
                        let kind = Kind::Op(Op::Parallel { indices, assigns });
                        Stmt::new(span, kind)
                    }));
                    return;
                }
            }
            // These take blocks of at most two axes.
            Kind::Op(Op::Gemm { .. } | Op::Reduce { .. } | Op::ReduceArg { .. } | Op::Transpose { .. }) => {}
            Kind::Op(Op::Fetch { .. } | Op::Assert { .. }) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => {}
        }
        out.push(stmt);
    }

    /// A side of the copy of block `number` of a stack `of` so many.
    fn one_of(&self, place: &Place, number: usize, of: usize) -> Place {
        match place {
            Place::Block(block) => {
                let stack = self.stacks.get(&block.value).and_then(|stack| stack.get(number));
                Place::Block(Spanned {
                    value: stack.copied().unwrap_or(block.value),
                    span: block.span,
                })
            }
            Place::Tensor(region) => {
                let mut axes = region.axes.clone();
                let mut long = axes.iter_mut().filter(|axis| axis.extent != 1);
                // The region of a stack of one block is that block's.
                if let Some(axis) = long.next().filter(|_| of > 1) {
                    let (number, step) = (number as i64, i64::from(axis.step));
                    let way = IntExpr::Const(step.saturating_mul(number));
                    axis.offset.value = IntExpr::binary(IntOp::Add, axis.offset.value.clone(), way);
                    axis.extent = 1;
                    let left = |count| IntExpr::binary(IntOp::Sub, count, IntExpr::Const(number));
                    axis.count = axis.count.take().map(left);
                }
                Place::Tensor(Region { axes, ..region.clone() })
            }
        }
    }

    /// A copy, under a condition where a range says of an axis beside rows and columns that it may have no element. What is read
    /// there has no value.
    fn copy(&self, src: Place, dst: Place, span: Span, out: &mut Vec<Stmt>) {
        let counted = [&src, &dst].into_iter().find_map(|place| {
            let Place::Tensor(region) = place else { return None };
            let (rows, columns) = region.rows_and_columns()?;
            let mut axes = region.axes.iter().enumerate();
            axes.find_map(|(at, axis)| {
                Some(at)
                    .zip(axis.count.clone())
                    .filter(|_| ![rows, Some(columns)].contains(&Some(at)))
            })
        });
        let Some((at, count)) = counted else {
            let kind = Kind::Op(Op::Copy { src, dst });
            return out.push(Stmt::new(span, kind));
        };
        let at_point = |place: &Place, before: bool| {
            let mut place = place.clone();
            if let Place::Tensor(Region { axes, .. }) = &mut place
                && let Some(axis) = axes.get_mut(at)
            {
                axis.count = None;
                if before {
                    axis.offset.value = IntExpr::Const(-1);
                }
            }
            place
        };
        let value = BoolExpr::Compare(CompareOp::Gt, count, IntExpr::Const(0));
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        self.copy(at_point(&src, false), at_point(&dst, false), span, &mut then);
        if matches!(src, Place::Tensor(_)) {
            self.copy(at_point(&src, true), at_point(&dst, true), span, &mut otherwise);
        }
        let cond = Spanned { value, span };
        let kind = Kind::If(cond, then, otherwise);
        out.push(Stmt::new(span, kind));
    }

    fn unstacked_access(&mut self, access: &mut Access) {
        let Buffer::Block(block) = access.buffer else { return };
        let Some(stack) = self.stacks.get(&block) else { return };
        let index = Linear::of(&access.indices[0]);
        if !index.terms.is_empty() {
            return self.outside(access, "its first index is not the same for all elements");
        }
        match usize::try_from(index.constant).ok().and_then(|at| stack.get(at)) {
            Some(part) => {
                access.buffer = Buffer::Block(*part);
                access.indices.remove(0);
            }
            None => {
                let what = format!("block {} is none of its {}", index.constant, stack.len());
                self.outside(access, &what);
            }
        }
    }

    fn outside(&mut self, access: &Access, what: &str) {
        let message = format!(
            "`{}` is indexed in a way that is not compiled: {what}",
            self.name(access)
        );
        let note = "the first index of a stack is one of its blocks, the same for all elements of the loop";
        self.errors
            .push(Diagnostic::new(&codes::ACCESS, access.span, message).note(note));
    }

    /// The name of the block that `access` is of.
    fn name(&self, access: &Access) -> &str {
        match access.buffer {
            Buffer::Block(block) => self.kernel.blocks.get(block.index()).map_or("", |block| &block.name),
            Buffer::Tensor(tensor) => self.kernel.params[tensor.index()].name(),
        }
    }

    /// What is known of `expr` before the launch.
    fn range(&self, expr: &IntExpr) -> Range {
        range::of_integer(expr, &|var| {
            let known = self.ranges.iter().rev().find(|(known, _)| *known == var);
            // The others are variables of the grid.
            known.map_or(Range::new(0, LIMIT), |(_, range)| *range)
        })
    }
}

/// Whether what is stored to has its rows counted by the second index of a parallel loop, and its columns by the first.
fn is_turned(target: &Access, indices: &[(VarId, u64)]) -> bool {
    let ([(i, _), (j, _)], [.., row, column]) = (indices, target.indices.as_slice()) else {
        return false;
    };
    let counts = |index: &IntExpr, var: &VarId| Linear::of(index).coefficient(*var) != 0;
    counts(row, j) && counts(column, i)
}
