//! What a mask lets through of a block at offsets of run time is some of it: asserted before the statement, where the masks
//! are comparisons of indices with what is the same for all elements. Of other masks nothing is known before they are computed.
//!
//! ```text
//!  if i > 0 { x[(i + n, j)] } ..   ⟹   assert !(1 <= 31) || 1 + n >= 0 && 31 + n < 32
//! ```

use super::Unstack;
use crate::ir::Kind;
use tt_lang::ir::{
    Access, BoolExpr, Buffer, CompareOp, IntExpr, IntOp, Linear, Masks, Named, Op, Ranges, Spanned, Stmt, StmtKind,
    VarId,
};

impl Unstack<'_> {
    /// Asserts in `out` that what `stmt` reads behind masks is there.
    pub(super) fn assert_masked(&self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let Kind::Op(Op::Parallel { indices, assigns }) = &stmt.kind else {
            return;
        };
        let mut found = Vec::new();
        for assign in assigns {
            Ranges::of(indices).loads(&assign.value, &mut |access, ranges| {
                let Some(masks) = ranges.masks().filter(|masks| !masks.is_vague) else {
                    return;
                };
                for axis in 0..access.indices.len() {
                    found.extend(self.inside(access, axis, (ranges, masks), indices));
                }
            });
        }
        for kind in found {
            if !out.iter().any(|known| known.kind == kind) {
                out.push(Stmt::new(stmt.note, kind));
            }
        }
    }

    /// The assertion that an index of `access` is inside wherever the masks have it counted; none where that is known.
    fn inside(
        &self,
        access: &Access,
        axis: usize,
        (ranges, masks): (&Ranges, &Masks),
        indices: &[(VarId, u64)],
    ) -> Option<StmtKind> {
        let Buffer::Block(block) = access.buffer else {
            return None;
        };
        let block = self.kernel.block(block);
        let end = IntExpr::Const(i64::try_from(*block.shape.get(axis)?).ok()?);
        let index = Linear::of(&access.indices[axis]);
        let counted = indices.iter().find(|(var, _)| index.mentions(*var));
        let first = match counted {
            Some((var, _)) if index.coefficient(*var) == 1 => index.without(*var),
            Some(_) => return None,
            None => index,
        };
        // Constant ones were looked at when they were read.
        if first.terms.is_empty() || indices.iter().any(|(var, _)| first.mentions(*var)) {
            return None;
        }
        let first = first.to_expr();
        let [least, most] = match counted {
            Some((var, _)) => bounds(ranges, masks, *var)?,
            None => [vec![IntExpr::Const(0)], vec![IntExpr::Const(0)]],
        };
        let sum = |bound: &IntExpr| Linear::of(&IntExpr::binary(IntOp::Add, bound.clone(), first.clone())).to_expr();
        let end_range = |bound: &IntExpr| self.range(&IntExpr::binary(IntOp::Sub, sum(bound), end.clone())).high;
        let mut wanted = Vec::new();
        if !least.iter().any(|bound| self.range(&sum(bound)).low >= 0) {
            let least = IntExpr::binary(IntOp::Add, folded(IntOp::Max, &least), first.clone());
            wanted.push(BoolExpr::Compare(CompareOp::Ge, least, IntExpr::Const(0)));
        }
        if !most.iter().any(|bound| end_range(bound) < 0) {
            let most = IntExpr::binary(IntOp::Add, folded(IntOp::Min, &most), first.clone());
            wanted.push(BoolExpr::Compare(CompareOp::Lt, most, end.clone()));
        }
        let wanted = wanted
            .into_iter()
            .reduce(|a, b| BoolExpr::And(Box::new(a), Box::new(b)))?;
        // Where the masks leave no index at all, nothing is read.
        let nothing = indices.iter().filter_map(|(var, _)| {
            let [least, most] = bounds(ranges, masks, *var)?;
            let is_constant = least.len() == 1 && most.len() == 1;
            let [least, most] = [folded(IntOp::Max, &least), folded(IntOp::Min, &most)];
            (!is_constant).then_some(BoolExpr::Compare(CompareOp::Gt, least, most))
        });
        let otherwise = masks.holds.iter().map(|holds| BoolExpr::Not(Box::new(holds.clone())));
        let value = nothing
            .chain(otherwise)
            .fold(wanted, |all, other| BoolExpr::Or(Box::new(other), Box::new(all)));
        let name = Named(&self.out, &access.indices[axis]);
        let text = format!("{name} is inside of {} where it is chosen", block.name);
        let cond = Spanned {
            value,
            span: access.span,
        };
        Some(Kind::Op(Op::Assert { cond, text }))
    }
}

/// What an index is not below, and not above.
fn bounds(ranges: &Ranges, masks: &Masks, var: VarId) -> Option<[Vec<IntExpr>; 2]> {
    let [least, most] = ranges.get(var)?;
    let of = |(end, all): (i64, &[(VarId, IntExpr)])| {
        let narrowed = all.iter().filter(|(known, _)| *known == var);
        let narrowed = narrowed.map(|(_, bound)| bound.clone());
        std::iter::once(IntExpr::Const(end)).chain(narrowed).collect()
    };
    Some([(least, masks.least.as_slice()), (most, masks.most.as_slice())].map(of))
}

fn folded(op: IntOp, bounds: &[IntExpr]) -> IntExpr {
    let bounds = bounds.iter().cloned();
    bounds
        .reduce(|a, b| IntExpr::binary(op, a, b))
        .unwrap_or(IntExpr::Const(0))
}
