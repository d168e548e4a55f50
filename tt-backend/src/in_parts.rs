//! A kernel whose sum is cut into parts, so that a small grid with a long loop keeps more cores busy.
//!
//! A loop that does nothing but add to blocks may be run by several cores, each a part of it: what they added lies in a temporary
//! then, and a second stage goes through the kernel as before, but for the loop, in place of which it adds the parts up. How many parts
//! there are a launch decides, by a scalar behind the kernel's parameters; whether to run the kernel so or as it was written, too. Sums are
//! in `f32` either way; their order is another.
//!
//! ```text
//!  grid (bx, by)                              grid (bx, by, part)
//!  acc = bias                                 clear(acc)
//!  for k in 0..n { acc += a[k] · b[k] }  ⟹   for k in part * n / parts.. { acc += a[k] · b[k] }
//!  c = relu(acc)                              sums[part, by, bx] = acc
//!                                             grid (bx, by)
//!                                             acc = bias
//!                                             for part in 0..parts { acc += sums[part, by, bx] }
//!                                             c = relu(acc)
//! ```

#![warn(clippy::arithmetic_side_effects)]

use crate::ir::{Kind, operations};
use crate::passes::fill_parts::touch::{self, Known, whole};
use std::collections::BTreeSet;
use tt_lang::ir::{
    Access, Assign, Block, BlockId, BlockScope, Buffer, Element, ElementKind, ElementOp, ElementType, For, Grid,
    IntExpr, IntOp, Kernel, Layout, LoopKind, Op, Order, Param, ParamId, Place, Real, ReduceOp, Region, RegionAxis,
    Residence, ScalarKind, ScalarParam, Sharding, Span, Spanned, Stage, Stmt, TensorParam, Variable, WherePaying,
};

/// The axes of a grid that leave one for the parts, in the grid and in front of a temporary's.
const MOST_AXES: usize = 3;

/// `kernel` with the sum of its one loop that only adds cut into parts; as many as its last scalar says, but not more than the loop has
/// turns. None where there is no such loop, or it is not to be cut.
pub fn in_parts(kernel: &Kernel) -> Option<Kernel> {
    let options = &kernel.options;
    let is_asked = options.split == WherePaying::Auto && options.order.value != Order::MatchShard;
    // What is added up in 16 bits is rounded once more with every part.
    let is_exact = options.fp32_acc != Some(false);
    if !is_asked
        || !is_exact
        || !kernel.later.is_empty()
        || kernel.grid.axes.len() > MOST_AXES
        || says_more(&kernel.body)
    {
        return None;
    }
    let loops = (0..kernel.body.len()).filter_map(|at| Some((at, Sum::of(kernel, at)?)));
    // Where there are several, none is the one that takes the time.
    let [(at, sum)] = &loops.collect::<Vec<_>>()[..] else {
        return None;
    };
    let mut out = kernel.clone();
    let parts = fresh(kernel, "parts");
    out.params.push(Param::Scalar(ScalarParam {
        name: parts,
        span: sum.span,
        kind: ScalarKind::U32,
    }));
    let turns = IntExpr::binary(IntOp::Max, sum.turns(), IntExpr::Const(1));
    let parts = IntExpr::binary(IntOp::Min, IntExpr::Scalar(last_param(&out)), turns);
    let temporaries: Vec<ParamId> = sum
        .blocks
        .iter()
        .map(|block| temporary(&mut out, *block, &parts))
        .collect();
    let (before, after) = (&kernel.body[..*at], kernel.body.get(at.checked_add(1)?..)?);
    let first = sum.partial(&out, before, (&parts, &temporaries));
    let last = sum.combined(&out, (before, after), (&parts, &temporaries));
    out.grid = first.grid;
    out.variables = first.variables;
    out.body = first.body;
    out.later.push(last);
    Some(out)
}

/// Whether a stage of its own would say or read something again that stands for itself.
fn says_more(body: &[Stmt]) -> bool {
    let mut found = false;
    operations(body, &mut |op| {
        found |= match op {
            Op::Print { .. } | Op::Assert { .. } | Op::Fetch { .. } => true,
            Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Parallel { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. } => false,
        };
    });
    found
}

/// A name that no parameter or extent has.
fn fresh(kernel: &Kernel, wanted: &str) -> String {
    let is_taken = |name: &str| {
        let extent = kernel.extents.iter().any(|extent| extent.name == name);
        extent || kernel.params.iter().any(|param| param.name() == name)
    };
    let mut name = wanted.to_string();
    while is_taken(&name) {
        name.push('_');
    }
    name
}

fn last_param(kernel: &Kernel) -> ParamId {
    ParamId((kernel.params.len() as u32).saturating_sub(1))
}

/// A temporary that holds a block of the grid's blocks, of every part.
fn temporary(kernel: &mut Kernel, id: BlockId, parts: &IntExpr) -> ParamId {
    let block = kernel.block(id).clone();
    let span = block.span;
    let spanned = |value| Spanned { value, span };
    let axes = kernel.grid.axes.iter().rev().map(|(_, extent)| extent.value.clone());
    let shape = block.shape.iter().map(|extent| IntExpr::Const(*extent as i64));
    let extents = std::iter::once(parts.clone()).chain(axes).chain(shape);
    kernel.params.push(Param::Temporary(TensorParam {
        name: fresh(kernel, &format!("{}_parts", block.name)),
        span,
        element: Spanned {
            value: ElementType::F32,
            span,
        },
        extents: extents.map(spanned).collect(),
        mutable: true,
        layout: Layout {
            residence: Residence::Dram,
            sharding: Sharding::Interleaved,
            span,
        },
    }));
    last_param(kernel)
}

/// A loop that adds to blocks, and does nothing else that is seen behind it.
struct Sum<'k> {
    head: &'k For,
    body: &'k [Stmt],
    span: Span,
    /// What it adds to.
    blocks: Vec<BlockId>,
}

impl<'k> Sum<'k> {
    /// The statement number `at` of the kernel, if it is such a loop.
    fn of(kernel: &'k Kernel, at: usize) -> Option<Sum<'k>> {
        let stmt = kernel.body.get(at)?;
        let Kind::Loop(head, body) = &stmt.kind else {
            return None;
        };
        let before = kernel.body.get(..at)?;
        let after = kernel.body.get(at.checked_add(1)?..)?;
        // As many turns in every block, of which there are not more parts.
        let is_known = head.start.is_launch_constant() && head.end.is_launch_constant();
        if !is_known || stores_to_tensors(before) || stores_to_tensors(body) {
            return None;
        }
        let (mut added, mut touched, mut stored) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        operations(body, &mut |op| {
            let adds = added_to(op);
            touch::of(op, &mut |touch| {
                if !adds.contains(&touch.block) {
                    touched.insert(touch.block);
                    if touch.is_store {
                        stored.insert(touch.block);
                    }
                }
            });
            added.extend(adds);
        });
        let is_sum = |id: &BlockId| {
            let block = kernel.block(*id);
            block.element == ElementType::F32 && block.shape.len() == 2 && !touched.contains(id)
        };
        let goes_on = |id: &BlockId| is_carried(kernel, body, *id) || is_carried(kernel, after, *id);
        if added.is_empty() || !added.iter().all(is_sum) || stored.iter().any(goes_on) {
            return None;
        }
        Some(Sum {
            head,
            body,
            span: stmt.note,
            blocks: added.into_iter().collect(),
        })
    }

    /// How often the loop runs; nothing where that is below zero.
    fn turns(&self) -> IntExpr {
        IntExpr::binary(IntOp::Sub, self.head.end.clone(), self.head.start.clone())
    }

    /// The stage in which every block of the grid sums a part.
    fn partial(&self, kernel: &Kernel, before: &[Stmt], (parts, temporaries): (&IntExpr, &[ParamId])) -> Stage {
        let span = self.span;
        let mut stage = Stage {
            grid: kernel.grid.clone(),
            blocks: kernel.blocks.clone(),
            variables: kernel.variables.clone(),
            body: before.to_vec(),
        };
        let part = variable(&mut stage, "part", span);
        let of_parts = Spanned {
            value: parts.clone(),
            span,
        };
        stage.grid.axes.push((part, of_parts));
        let mut wanted = BTreeSet::new();
        operations(self.body, &mut |op| {
            touch::of(op, &mut |touch| wanted.extend([touch.block]));
        });
        wanted.retain(|block| !self.blocks.contains(block));
        keep_what_makes(&mut stage.body, wanted);
        let For { start, end, kind, var } = self.head.clone();
        let each = IntExpr::binary(IntOp::CeilDiv, self.turns(), parts.clone());
        let from = |part: IntExpr| {
            let first = IntExpr::binary(IntOp::Mul, part, each.clone());
            IntExpr::binary(IntOp::Add, start.clone(), first)
        };
        let part = IntExpr::Var(part);
        let next = IntExpr::binary(IntOp::Add, part.clone(), IntExpr::Const(1));
        let head = For {
            var,
            start: from(part),
            end: IntExpr::binary(IntOp::Min, from(next), end),
            kind,
        };
        let stmts = &mut stage.body;
        for block in &self.blocks {
            stmts.push(op(
                span,
                Op::Fill {
                    block: Spanned { value: *block, span },
                    value: Element {
                        kind: ElementKind::Float(Real(0.0)),
                        span,
                    },
                },
            ));
        }
        stmts.push(Stmt::new(span, Kind::Loop(head, self.body.to_vec())));
        for (block, temporary) in self.blocks.iter().zip(temporaries) {
            let shape = &kernel.block(*block).shape;
            let dst = Place::Tensor(region(
                *temporary,
                shape,
                &stage.grid,
                IntExpr::Var(last_axis(&stage.grid)),
                span,
            ));
            let src = Place::Block(Spanned { value: *block, span });
            stmts.push(op(span, Op::Copy { src, dst }));
        }
        stage
    }

    /// The stage that adds the parts up, and does what the kernel does before and after.
    fn combined(
        &self,
        kernel: &Kernel,
        (before, after): (&[Stmt], &[Stmt]),
        (parts, temporaries): (&IntExpr, &[ParamId]),
    ) -> Stage {
        let span = self.span;
        let mut stage = Stage {
            grid: kernel.grid.clone(),
            blocks: kernel.blocks.clone(),
            variables: kernel.variables.clone(),
            body: before.to_vec(),
        };
        let mut wanted: BTreeSet<BlockId> = self.blocks.iter().copied().collect();
        operations(after, &mut |op| {
            touch::of(op, &mut |touch| wanted.extend([touch.block]));
        });
        keep_what_makes(&mut stage.body, wanted);
        let part = variable(&mut stage, "part", span);
        let mut adds = Vec::new();
        for (block, temporary) in self.blocks.iter().zip(temporaries) {
            let Block { name, shape, .. } = kernel.block(*block).clone();
            let src = Place::Tensor(region(*temporary, &shape, &stage.grid, IntExpr::Var(part), span));
            stage.blocks.push(Block {
                name: format!("{name}_part"),
                span,
                scope: BlockScope::Shared,
                element: ElementType::F32,
                shape: shape.clone(),
            });
            let of_part = BlockId((stage.blocks.len() as u32).saturating_sub(1));
            let dst = Place::Block(Spanned { value: of_part, span });
            adds.push(op(span, Op::Copy { src, dst }));
            let indices = shape
                .iter()
                .zip(["i", "j"])
                .map(|(extent, name)| (variable(&mut stage, name, span), *extent));
            let indices: Vec<_> = indices.collect();
            let at = |block| Access {
                buffer: Buffer::Block(block),
                indices: indices.iter().map(|(var, _)| IntExpr::Var(*var)).collect(),
                span,
            };
            let load = |block| Element {
                kind: ElementKind::Load(at(block)),
                span,
            };
            let assign = Assign {
                target: at(*block),
                value: Element {
                    kind: ElementKind::Call(ElementOp::Add, vec![load(*block), load(of_part)]),
                    span,
                },
                compound: true,
                span,
            };
            let assigns = vec![assign];
            adds.push(op(span, Op::Parallel { indices, assigns }));
        }
        let head = For {
            var: part,
            start: IntExpr::Const(0),
            end: parts.clone(),
            kind: LoopKind::Pipelined(2),
        };
        stage.body.push(Stmt::new(span, Kind::Loop(head, adds)));
        stage.body.extend_from_slice(after);
        stage
    }
}

fn op(span: Span, op: Op) -> Stmt {
    Stmt::new(span, Kind::Op(op))
}

fn variable(stage: &mut Stage, name: &str, span: Span) -> tt_lang::ir::VarId {
    let name = name.to_string();
    stage.variables.push(Variable { name, span });
    tt_lang::ir::VarId((stage.variables.len() as u32).saturating_sub(1))
}

fn last_axis(grid: &Grid) -> tt_lang::ir::VarId {
    grid.axes.last().map_or(tt_lang::ir::VarId(0), |(var, _)| *var)
}

/// What the block of `grid` has of `part` in a temporary; of the grid's axes those of the kernel as it was count.
fn region(tensor: ParamId, shape: &[u64], grid: &Grid, part: IntExpr, span: Span) -> Region {
    let at = |value, extent| RegionAxis::run(Spanned { value, span }, extent);
    let own = grid
        .axes
        .iter()
        .map(|(var, _)| IntExpr::Var(*var))
        .filter(|var| *var != part);
    let own: Vec<IntExpr> = own.collect();
    let points = std::iter::once(part)
        .chain(own.into_iter().rev())
        .map(|index| at(index, 1));
    Region {
        tensor,
        axes: points
            .chain(shape.iter().map(|extent| at(IntExpr::Const(0), *extent)))
            .collect(),
        span,
    }
}

/// Whether something is stored to a tensor.
fn stores_to_tensors(body: &[Stmt]) -> bool {
    let mut found = false;
    operations(body, &mut |op| {
        found |= match op {
            Op::Copy { dst, .. } => matches!(dst, Place::Tensor(_)),
            Op::Parallel { assigns, .. } => assigns
                .iter()
                .any(|assign| matches!(assign.target.buffer, Buffer::Tensor(_))),
            Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => false,
        };
    });
    found
}

/// The blocks that `op` adds to, and does nothing else with.
fn added_to(op: &Op) -> BTreeSet<BlockId> {
    match op {
        Op::Gemm {
            a,
            b,
            acc,
            clear_accum: false,
            ..
        } => {
            let is_operand = [a, b]
                .into_iter()
                .any(|place| matches!(place, Place::Block(block) if block.value == acc.value));
            (!is_operand).then_some(acc.value).into_iter().collect()
        }
        Op::Reduce {
            op: ReduceOp::Sum,
            src,
            out,
            clear: false,
            ..
        } if src.value != out.value => BTreeSet::from([out.value]),
        Op::Parallel { assigns, .. } => {
            let (mut added, mut others) = (BTreeSet::new(), BTreeSet::new());
            for assign in assigns {
                let Buffer::Block(target) = assign.target.buffer else {
                    continue;
                };
                let loads = |value: &Element, into: &mut BTreeSet<BlockId>| {
                    value.walk(&mut |part| {
                        if let ElementKind::Load(Access {
                            buffer: Buffer::Block(block),
                            ..
                        }) = &part.kind
                        {
                            into.insert(*block);
                        }
                    });
                };
                match assign.compound() {
                    Some((ElementOp::Add, other)) => {
                        added.insert(target);
                        loads(other, &mut others);
                    }
                    Some(_) | None => {
                        others.insert(target);
                        loads(&assign.value, &mut others);
                    }
                }
            }
            added.difference(&others).copied().collect()
        }
        Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Gemm { .. }
        | Op::Reduce { .. }
        | Op::ReduceArg { .. }
        | Op::Transpose { .. }
        | Op::Fetch { .. }
        | Op::Print { .. }
        | Op::Assert { .. } => BTreeSet::new(),
    }
}

/// Whether `body` may read what the block held before it.
fn is_carried(kernel: &Kernel, body: &[Stmt], id: BlockId) -> bool {
    for stmt in body {
        let Some(op) = stmt.op() else {
            // What stands in it may not run, so that it defines nothing for what comes behind.
            if stmt.bodies().any(|inner| is_carried(kernel, inner, id)) {
                return true;
            }
            continue;
        };
        let mut defines = None;
        touch::of(op, &mut |touch| {
            if touch.block == id {
                let is_whole = touch.part(kernel, &Known::new()) == Some(whole(kernel, id));
                defines.get_or_insert(touch.is_store && is_whole);
            }
        });
        if let Some(defines) = defines {
            return !defines;
        }
    }
    false
}

/// Leaves out of `body` what makes none of the blocks `wanted`, or of those that they are made of.
fn keep_what_makes(body: &mut Vec<Stmt>, mut wanted: BTreeSet<BlockId>) {
    let mut kept = Vec::new();
    for stmt in body.drain(..).rev() {
        let (mut touched, mut is_wanted) = (BTreeSet::new(), false);
        operations(std::slice::from_ref(&stmt), &mut |op| {
            touch::of(op, &mut |touch| {
                is_wanted |= touch.is_store && wanted.contains(&touch.block);
                touched.insert(touch.block);
            });
        });
        if is_wanted {
            wanted.append(&mut touched);
            kept.push(stmt);
        }
    }
    kept.reverse();
    *body = kept;
}
