//! Which blocks are used later.

use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{
    Access, Assign, BlockId, Buffer, ElementKind, IntExpr, Kernel, Place, PrintItem, Spanned, Stmt, StmtKind, VarId,
    visit,
};

/// Blocks whose elements are used before all of them are written again.
pub type Live = BTreeSet<BlockId>;

/// What is used at the head of each turn of a loop and after the last, by the loop's variable.
pub type Loops = BTreeMap<VarId, Live>;

/// What is live in each loop of `kernel`.
pub fn in_loops(kernel: &Kernel) -> Loops {
    let mut loops = Loops::new();
    statements(kernel, &kernel.body, &mut Live::new(), Some(&mut loops));
    loops
}

/// From what is used after statements to what is used from them on; where `loops` is given, with what is live in those within.
fn statements(kernel: &Kernel, body: &[Stmt], live: &mut Live, mut loops: Option<&mut Loops>) {
    for stmt in body.iter().rev() {
        statement(kernel, stmt, live, loops.as_deref_mut());
    }
}

fn statement(kernel: &Kernel, stmt: &Stmt, live: &mut Live, mut loops: Option<&mut Loops>) {
    match &stmt.kind {
        StmtKind::For { var, body, .. } => {
            // What one turn uses of the turn before, all turns do.
            let mut turn = live.clone();
            statements(kernel, body, &mut turn, None);
            live.extend(turn);
            if let Some(loops) = loops {
                loops.insert(*var, live.clone());
                statements(kernel, body, &mut live.clone(), Some(loops));
            }
        }
        StmtKind::If { then, otherwise, .. } => {
            let mut other = live.clone();
            statements(kernel, then, live, loops.as_deref_mut());
            statements(kernel, otherwise, &mut other, loops);
            live.extend(other);
        }
        StmtKind::Parallel { indices, assigns } => {
            for assign in assigns.iter().rev() {
                if let Some(block) = written(kernel, indices, assign) {
                    live.remove(&block);
                }
                assign.value.walk(&mut |part| {
                    if let ElementKind::Load(access) = &part.kind {
                        live.extend(block_of(access));
                    }
                });
            }
        }
        StmtKind::Copy { src, dst } => {
            remove(dst, live);
            add(src, live);
        }
        StmtKind::Fill { block, .. } => {
            live.remove(&block.value);
        }
        StmtKind::Gemm {
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
        StmtKind::Reduce { src, out, clear, .. } => folded(src, [Some(out), None], *clear, live),
        StmtKind::ReduceArg {
            src, val, pos, clear, ..
        } => folded(src, [Some(pos), val.as_ref()], *clear, live),
        StmtKind::Transpose { src, dst } => folded(src, [Some(dst), None], true, live),
        StmtKind::Print { items } => live.extend(items.iter().filter_map(|item| match item {
            PrintItem::Block { block, .. } => Some(block.value),
            PrintItem::Text(_) | PrintItem::Value(_) | PrintItem::Number(_) => None,
        })),
        StmtKind::Fetch { .. } | StmtKind::Assert { .. } => {}
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
    visit(body, &mut |stmt| match &stmt.kind {
        StmtKind::Copy {
            dst: Place::Block(block),
            ..
        }
        | StmtKind::Fill { block, .. }
        | StmtKind::Gemm { acc: block, .. }
        | StmtKind::Reduce { out: block, .. }
        | StmtKind::Transpose { dst: block, .. } => {
            all.insert(block.value);
        }
        StmtKind::ReduceArg { val, pos, .. } => all.extend(val.iter().chain([pos]).map(|block| block.value)),
        StmtKind::Parallel { assigns, .. } => all.extend(assigns.iter().filter_map(|assign| block_of(&assign.target))),
        StmtKind::Copy {
            dst: Place::Tensor(_), ..
        }
        | StmtKind::For { .. }
        | StmtKind::If { .. }
        | StmtKind::Fetch { .. }
        | StmtKind::Print { .. }
        | StmtKind::Assert { .. } => {}
    });
    all
}
