//! What takes whole blocks alone writes a part of a block by way of a block of its own (`tt_lang::syntax`). Where the part is all of its
//! block, as one of a stack is, nothing else needs that: the statement writes the block itself.
//!
//! ```text
//!  held[i, j] = z_0[i, j]; held += x · y; z_0[i, j] = held[i, j]   ⟹   z_0 += x · y
//! ```

use crate::ir::Kind;
use crate::passes::fill_parts::touch;
use tt_lang::hash::HashMap;
use tt_lang::ir::{BlockId, Buffer, ElementKind, IntExpr, Kernel, Op, Stmt};

/// Writes results where they belong.
pub(super) fn direct(kernel: &mut Kernel) {
    // Statements that touch a block, less those that would not any more.
    let mut left = HashMap::default();
    count(kernel, &kernel.body, &mut left);
    let mut body = std::mem::take(&mut kernel.body);
    rewrite(kernel, &left, &mut body);
    kernel.body = body;
}

fn count(kernel: &Kernel, body: &[Stmt], left: &mut HashMap<BlockId, i64>) {
    for (at, stmt) in body.iter().enumerate() {
        let mut add = |block, count: i64| {
            let known = left.entry(block).or_insert(0);
            *known = known.saturating_add(count);
        };
        touched(stmt).into_iter().for_each(|block| add(block, 1));
        if let Some(way) = Way::of(kernel, &body[..at], stmt) {
            add(way.held, if way.goes_on { -3 } else { -2 });
        }
        stmt.bodies().for_each(|body| count(kernel, body, left));
    }
}

fn touched(stmt: &Stmt) -> Vec<BlockId> {
    let mut all = Vec::new();
    if let Some(op) = stmt.op() {
        touch::of(op, &mut |touch| all.push(touch.block));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn rewrite(kernel: &Kernel, left: &HashMap<BlockId, i64>, body: &mut Vec<Stmt>) {
    let mut out: Vec<Stmt> = Vec::with_capacity(body.len());
    for mut stmt in body.drain(..) {
        for inner in stmt.bodies_mut() {
            rewrite(kernel, left, inner);
        }
        match Way::of(kernel, &out, &stmt).filter(|way| left.get(&way.held) == Some(&0)) {
            Some(Way { whole, goes_on, .. }) => {
                let writer = out.pop();
                if goes_on {
                    out.pop();
                }
                out.extend(writer.map(|writer| writing(writer, whole)));
            }
            None => out.push(stmt),
        }
    }
    *body = out;
}

/// How the result of a statement gets to its block.
struct Way {
    held: BlockId,
    whole: BlockId,
    /// Whether what the block holds is moved to where the statement goes on with it.
    goes_on: bool,
}

impl Way {
    /// The way that `stmt` ends, which stands behind `before`.
    fn of(kernel: &Kernel, before: &[Stmt], stmt: &Stmt) -> Option<Way> {
        let (held, whole) = moved(kernel, stmt)?;
        let [earlier @ .., writer] = before else { return None };
        if result(writer) != Some(held) || touched(writer).contains(&whole) {
            return None;
        }
        let goes_on = earlier.last().and_then(|stmt| moved(kernel, stmt)) == Some((whole, held));
        let mut reads = false;
        if let Some(op) = writer.op() {
            touch::of(op, &mut |touch| reads |= touch.block == held && !touch.is_store);
        }
        (reads == goes_on).then_some(Way { held, whole, goes_on })
    }
}

/// The block that all of another's elements are moved from, and that one, where a statement does nothing else.
fn moved(kernel: &Kernel, stmt: &Stmt) -> Option<(BlockId, BlockId)> {
    let Kind::Op(Op::Parallel { indices, assigns }) = &stmt.kind else {
        return None;
    };
    let [assign] = assigns.as_slice() else { return None };
    let (ElementKind::Load(from), Buffer::Block(to)) = (&assign.value.kind, assign.target.buffer) else {
        return None;
    };
    let Buffer::Block(source) = from.buffer else {
        return None;
    };
    let all: Vec<IntExpr> = indices.iter().map(|(var, _)| IntExpr::Var(*var)).collect();
    let (of, into) = (kernel.block(source), kernel.block(to));
    let is_whole = !assign.compound
        && from.indices == all
        && assign.target.indices == all
        && of.element == into.element
        && of.shape == into.shape
        && indices.iter().map(|(_, extent)| extent).eq(&of.shape);
    is_whole.then_some((source, to))
}

/// The only block that a statement writes, all of it, which takes whole blocks alone.
fn result(stmt: &Stmt) -> Option<BlockId> {
    match stmt.op()? {
        Op::Gemm { acc: out, .. }
        | Op::Reduce { out, .. }
        | Op::Transpose { dst: out, .. }
        | Op::Fill { block: out, .. } => Some(out.value),
        Op::ReduceArg { .. }
        | Op::Copy { .. }
        | Op::Parallel { .. }
        | Op::Fetch { .. }
        | Op::Print { .. }
        | Op::Assert { .. } => None,
    }
}

/// `stmt` with `block` as its [`result`].
fn writing(mut stmt: Stmt, block: BlockId) -> Stmt {
    if let Kind::Op(op) = &mut stmt.kind {
        match op {
            Op::Gemm { acc: out, .. }
            | Op::Reduce { out, .. }
            | Op::Transpose { dst: out, .. }
            | Op::Fill { block: out, .. } => out.value = block,
            Op::ReduceArg { .. }
            | Op::Copy { .. }
            | Op::Parallel { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
    }
    stmt
}
