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
    Residence, ScalarKind, ScalarParam, Sharding, Span, Spanned, Stage, Stmt, TensorParam, VarId, Variable,
    WherePaying,
};

/// The axes of a grid that leave one for the parts, in the grid and in front of a temporary's.
const MOST_AXES: usize = 3;

/// `kernel` with the sum of its one loop that only adds cut into parts; as many as its last scalar says, but not more than the loop has
/// turns. None where there is no such loop, or it is not to be cut.
pub(crate) fn in_parts(kernel: &Kernel) -> Option<Kernel> {
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
    let name = out.free_name("parts");
    let parts = out.add_param(Param::Scalar(ScalarParam {
        name,
        span: sum.span,
        kind: ScalarKind::U32,
    }));
    let turns = IntExpr::binary(IntOp::Max, sum.turns(), IntExpr::Const(1));
    let parts = IntExpr::binary(IntOp::Min, IntExpr::Scalar(parts), turns);
    let temporaries: Vec<ParamId> = sum
        .blocks
        .iter()
        .map(|block| temporary(&mut out, *block, &parts))
        .collect();
    let (before, after) = (&kernel.body[..*at], kernel.body.get(at.checked_add(1)?..)?);
    let last = sum.combined(out.clone(), (before, after), (&parts, &temporaries));
    let mut first = sum.partial(out, before, (&parts, &temporaries));
    first.later.push(last);
    Some(first)
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

/// A temporary that holds a block of the grid's blocks, of every part.
fn temporary(kernel: &mut Kernel, id: BlockId, parts: &IntExpr) -> ParamId {
    let block = kernel.block(id).clone();
    let span = block.span;
    let spanned = |value| Spanned { value, span };
    let axes = kernel.grid.axes.iter().rev().map(|(_, extent)| extent.value.clone());
    let shape = block.shape.iter().map(|extent| IntExpr::Const(*extent as i64));
    let extents = std::iter::once(parts.clone()).chain(axes).chain(shape);
    kernel.add_param(Param::Temporary(TensorParam {
        name: kernel.free_name(&format!("{}_parts", block.name)),
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
    }))
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

    /// `kernel` as the stage in which every block of the grid sums a part.
    fn partial(&self, mut kernel: Kernel, before: &[Stmt], (parts, temporaries): (&IntExpr, &[ParamId])) -> Kernel {
        let span = self.span;
        let own = kernel.grid.clone();
        let axis = variable(&mut kernel, "part", span);
        let part = IntExpr::Var(axis);
        let of_parts = Spanned {
            value: parts.clone(),
            span,
        };
        kernel.grid.axes.push((axis, of_parts));
        let mut wanted = BTreeSet::new();
        operations(self.body, &mut |op| {
            touch::of(op, &mut |touch| wanted.extend([touch.block]));
        });
        wanted.retain(|block| !self.blocks.contains(block));
        kernel.body = what_makes(before, wanted);
        let For { start, end, kind, var } = self.head.clone();
        let each = IntExpr::binary(IntOp::CeilDiv, self.turns(), parts.clone());
        let from = |part: IntExpr| {
            let first = IntExpr::binary(IntOp::Mul, part, each.clone());
            IntExpr::binary(IntOp::Add, start.clone(), first)
        };
        let next = IntExpr::binary(IntOp::Add, part.clone(), IntExpr::Const(1));
        let head = For {
            var,
            start: from(part.clone()),
            end: IntExpr::binary(IntOp::Min, from(next), end),
            kind,
        };
        let cleared = self.blocks.iter().map(|block| {
            let value = Element {
                kind: ElementKind::Float(Real(0.0)),
                span,
            };
            let block = Spanned { value: *block, span };
            op(span, Op::Fill { block, value })
        });
        kernel.body.extend(cleared);
        kernel.body.push(Stmt::new(span, Kind::Loop(head, self.body.to_vec())));
        for (block, temporary) in self.blocks.iter().zip(temporaries) {
            let shape = &kernel.block(*block).shape;
            let dst = Place::Tensor(region(*temporary, shape, &own, part.clone(), span));
            let src = Place::Block(Spanned { value: *block, span });
            kernel.body.push(op(span, Op::Copy { src, dst }));
        }
        kernel
    }

    /// `kernel` as the stage that adds the parts up, and does what it does before and after.
    fn combined(
        &self,
        mut kernel: Kernel,
        (before, after): (&[Stmt], &[Stmt]),
        (parts, temporaries): (&IntExpr, &[ParamId]),
    ) -> Stage {
        let span = self.span;
        let mut wanted: BTreeSet<BlockId> = self.blocks.iter().copied().collect();
        operations(after, &mut |op| {
            touch::of(op, &mut |touch| wanted.extend([touch.block]));
        });
        kernel.body = what_makes(before, wanted);
        let part = variable(&mut kernel, "part", span);
        let mut adds = Vec::new();
        for (block, temporary) in self.blocks.iter().zip(temporaries) {
            let Block { name, shape, .. } = kernel.block(*block).clone();
            let src = Place::Tensor(region(*temporary, &shape, &kernel.grid, IntExpr::Var(part), span));
            let of_part = kernel.add_block(Block {
                name: format!("{name}_part"),
                span,
                scope: BlockScope::Shared,
                element: ElementType::F32,
                shape: shape.clone(),
            });
            let dst = Place::Block(Spanned { value: of_part, span });
            adds.push(op(span, Op::Copy { src, dst }));
            let indices = shape
                .iter()
                .zip(["i", "j"])
                .map(|(extent, name)| (variable(&mut kernel, name, span), *extent));
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
        kernel.body.push(Stmt::new(span, Kind::Loop(head, adds)));
        kernel.body.extend_from_slice(after);
        Stage {
            grid: kernel.grid,
            blocks: kernel.blocks,
            variables: kernel.variables,
            body: kernel.body,
        }
    }
}

fn op(span: Span, op: Op) -> Stmt {
    Stmt::new(span, Kind::Op(op))
}

fn variable(kernel: &mut Kernel, name: &str, span: Span) -> VarId {
    let name = name.to_string();
    kernel.add_variable(Variable { name, span })
}

/// What a block of `grid`, that of the kernel as it was, has of `part` in a temporary.
fn region(tensor: ParamId, shape: &[u64], grid: &Grid, part: IntExpr, span: Span) -> Region {
    let at = |value, extent| RegionAxis::run(Spanned { value, span }, extent);
    let own = grid.axes.iter().rev().map(|(var, _)| IntExpr::Var(*var));
    let points = std::iter::once(part).chain(own).map(|index| at(index, 1));
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
        found |= matches!(
            op,
            Op::Copy {
                dst: Place::Tensor(_),
                ..
            }
        );
        op.accesses(&mut |access, stores| found |= stores && matches!(access.buffer, Buffer::Tensor(_)));
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

/// The statements of `body` that make one of the blocks `wanted`, or of those that they are made of.
fn what_makes(body: &[Stmt], mut wanted: BTreeSet<BlockId>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body.iter().rev() {
        let (mut touched, mut is_wanted) = (BTreeSet::new(), false);
        operations(std::slice::from_ref(stmt), &mut |op| {
            touch::of(op, &mut |touch| {
                is_wanted |= touch.is_store && wanted.contains(&touch.block);
                touched.insert(touch.block);
            });
        });
        if is_wanted {
            wanted.append(&mut touched);
            kept.push(stmt.clone());
        }
    }
    kept.reverse();
    kept
}
