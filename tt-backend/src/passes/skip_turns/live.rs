//! Which blocks are used later.

use crate::ir::{Backward, Never, operations};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{
    Access, Assign, BlockId, Buffer, ElementKind, For, IntExpr, Kernel, Language, Op, Place, PrintItem, Span, Spanned,
    Stmt, VarId,
};

/// Blocks whose elements are used before all of them are written again.
pub type Live = BTreeSet<BlockId>;

/// What is used at the head of each turn of a loop and after the last, by the loop's variable.
pub type Loops = BTreeMap<VarId, Live>;

/// What is live in each loop of `kernel`.
pub fn in_loops(kernel: &Kernel) -> Loops {
    let loops = Loops::new();
    let mut uses = Uses { kernel, loops };
    uses.placed(kernel.body.clone(), &mut Live::new());
    uses.loops
}

struct Uses<'k> {
    kernel: &'k Kernel,
    loops: Loops,
}

impl Backward<Language> for Uses<'_> {
    type State = Live;

    fn op(&self, op: &Op, live: &mut Live) {
        match op {
            Op::Parallel { indices, assigns } => {
                for assign in assigns.iter().rev() {
                    if let Some(block) = written(self.kernel, indices, assign) {
                        live.remove(&block);
                    }
                    assign.value.walk(&mut |part| {
                        if let ElementKind::Load(access) = &part.kind {
                            live.extend(block_of(access));
                        }
                    });
                }
            }
            Op::Copy { src, dst } => {
                remove(dst, live);
                add(src, live);
            }
            Op::Fill { block, .. } => {
                live.remove(&block.value);
            }
            Op::Gemm {
                a, b, acc, clear_accum, ..
            } => {
                if *clear_accum {
                    live.remove(&acc.value);
                } else {
                    live.insert(acc.value);
                }
                add(a, live);
                add(b, live);
            }
            Op::Reduce { src, out, clear, .. } => folded(src, [Some(out), None], *clear, live),
            Op::ReduceArg {
                src, val, pos, clear, ..
            } => folded(src, [Some(pos), val.as_ref()], *clear, live),
            Op::Transpose { src, dst } => folded(src, [Some(dst), None], true, live),
            Op::Print { items } => live.extend(items.iter().filter_map(|item| match item {
                PrintItem::Block { block, .. } => Some(block.value),
                PrintItem::Text(_) | PrintItem::Value(_) | PrintItem::Number(_) => None,
            })),
            Op::Fetch { .. } | Op::Assert { .. } => {}
        }
    }

    fn close(&self, group: &Never, _: &[Stmt], _: &mut Live) {
        match *group {}
    }

    fn runs(&self, _: &For) -> bool {
        false
    }

    fn join(&self, live: &mut Live, other: &Live) {
        live.extend(other);
    }

    fn after(&mut self, _: &Stmt, _: &Live) -> Vec<Stmt> {
        Vec::new()
    }

    fn between(&mut self, _: &Span, _: &Live, _: &Live) -> Vec<Stmt> {
        Vec::new()
    }

    fn carried(&mut self, head: &For, live: &Live) {
        self.loops.insert(head.var, live.clone());
    }
}

fn folded(src: &Spanned<BlockId>, outs: [Option<&Spanned<BlockId>>; 2], clear: bool, live: &mut Live) {
    for out in outs.into_iter().flatten() {
        if clear {
            live.remove(&out.value);
        } else {
            live.insert(out.value);
        }
    }
    live.insert(src.value);
}

fn add(place: &Place, live: &mut Live) {
    if let Place::Block(block) = place {
        live.insert(block.value);
    }
}

fn remove(place: &Place, live: &mut Live) {
    if let Place::Block(block) = place {
        live.remove(&block.value);
    }
}

fn block_of(access: &Access) -> Option<BlockId> {
    match access.buffer {
        Buffer::Block(block) => Some(block),
        Buffer::Tensor(_) => None,
    }
}

/// The block that an assignment writes all elements of.
fn written(kernel: &Kernel, indices: &[(VarId, u64)], assign: &Assign) -> Option<BlockId> {
    block_of(&assign.target).filter(|_| covers(kernel, indices, &assign.target))
}

/// Whether an access of a block is to each of its elements, each by indices of its own.
pub fn covers(kernel: &Kernel, indices: &[(VarId, u64)], target: &Access) -> bool {
    let Some(block) = block_of(target) else { return false };
    let shape = &kernel.block(block).shape;
    let mut seen = BTreeSet::new();
    shape.len() == target.indices.len()
        && shape.iter().zip(&target.indices).all(|(extent, index)| match index {
            IntExpr::Var(var) => seen.insert(*var) && indices.contains(&(*var, *extent)),
            IntExpr::Const(0) => *extent == 1,
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                false
            }
        })
}

/// The blocks that statements write.
pub fn targets(body: &[Stmt]) -> BTreeSet<BlockId> {
    let mut all = BTreeSet::new();
    operations(body, &mut |op| match op {
        Op::Copy {
            dst: Place::Block(block),
            ..
        }
        | Op::Fill { block, .. }
        | Op::Gemm { acc: block, .. }
        | Op::Reduce { out: block, .. }
        | Op::Transpose { dst: block, .. } => {
            all.insert(block.value);
        }
        Op::ReduceArg { val, pos, .. } => all.extend(val.iter().chain([pos]).map(|block| block.value)),
        Op::Parallel { assigns, .. } => all.extend(assigns.iter().filter_map(|assign| block_of(&assign.target))),
        Op::Copy {
            dst: Place::Tensor(_), ..
        }
        | Op::Fetch { .. }
        | Op::Print { .. }
        | Op::Assert { .. } => {}
    });
    all
}
