//! What a mask lets through of a block at offsets of run time is some of it: asserted before the statement, where the masks
//! are comparisons of indices with what is the same for all elements. Of other masks nothing is known before they are computed.
//!
//! ```text
//!  if i > 0 { x[(i + n, j)] } ..   ⟹   assert !(1 <= 31) || 1 + n >= 0 && 31 + n < 32
//! ```

use super::Unstack;
use crate::linear::Linear;
use tt_lang::ir::{
    Access, BoolExpr, Buffer, CompareOp, Element, ElementKind, IntExpr, IntOp, Named, Spanned, Stmt, StmtKind, VarId,
};

/// Where a part of an expression counts.
#[derive(Clone, Default)]
struct Branch {
    /// What holds there, of integers that are the same for all elements.
    holds: Vec<BoolExpr>,
    /// What an index is at least there.
    least: Vec<(VarId, IntExpr)>,
    /// What it is at most.
    most: Vec<(VarId, IntExpr)>,
    /// Whether that is not all that is asked there.
    is_vague: bool,
}

impl Unstack<'_> {
    /// Asserts in `out` that what `stmt` reads behind masks is there.
    pub(super) fn assert_masked(&self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let StmtKind::Parallel { indices, assigns } = &stmt.kind else {
            return;
        };
        let mut found = Vec::new();
        for assign in assigns {
            of(&assign.value, None, indices, &mut |access, branch| {
                for axis in 0..access.indices.len() {
                    found.extend(self.inside(access, axis, branch, indices));
                }
            });
        }
        for kind in found {
            if !out.iter().any(|known| known.kind == kind) {
                out.push(Stmt { kind, span: stmt.span });
            }
        }
    }

    /// The assertion that an index of `access` is inside wherever `branch` has it counted; none where that is known.
    fn inside(&self, access: &Access, axis: usize, branch: &Branch, indices: &[(VarId, u64)]) -> Option<StmtKind> {
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
        let bounds = |var: VarId, extent: u64| branch.bounds(var, extent);
        let [least, most] = match counted {
            Some((var, extent)) => bounds(*var, *extent),
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
        let mut nothing = Vec::new();
        for (var, extent) in indices {
            let [least, most] = bounds(*var, *extent);
            let [least, most] = [folded(IntOp::Max, &least), folded(IntOp::Min, &most)];
            match (least.as_const(), most.as_const()) {
                (Some(least), Some(most)) if least > most => return None,
                (Some(_), Some(_)) => {}
                _ => nothing.push(BoolExpr::Compare(CompareOp::Gt, least, most)),
            }
        }
        let otherwise = branch.holds.iter().map(|holds| BoolExpr::Not(Box::new(holds.clone())));
        let value = nothing
            .into_iter()
            .chain(otherwise)
            .fold(wanted, |all, other| BoolExpr::Or(Box::new(other), Box::new(all)));
        let name = Named(&self.out, &access.indices[axis]);
        let text = format!("{name} is inside of {} where it is chosen", block.name);
        let cond = Spanned {
            value,
            span: access.span,
        };
        Some(StmtKind::Assert { cond, text })
    }
}

/// Calls `visit` for what `value` reads in the branches of its choices.
fn of<'a>(
    value: &'a Element,
    branch: Option<&Branch>,
    indices: &[(VarId, u64)],
    visit: &mut dyn FnMut(&'a Access, &Branch),
) {
    if let (ElementKind::Load(access), Some(branch)) = (&value.kind, branch.filter(|branch| !branch.is_vague)) {
        visit(access, branch);
    }
    let narrowed = |condition: &Element, holds: bool| {
        let mut narrowed = branch.cloned().unwrap_or_default();
        narrowed.narrow(condition, holds, indices);
        narrowed
    };
    let operands = value.operands();
    match (&value.kind, operands.as_slice()) {
        (ElementKind::Select(..), [condition, then, other]) => {
            of(condition, branch, indices, visit);
            of(then, Some(&narrowed(condition, true)), indices, visit);
            of(other, Some(&narrowed(condition, false)), indices, visit);
        }
        (ElementKind::And(..) | ElementKind::Or(..), [condition, other]) => {
            let holds = matches!(value.kind, ElementKind::And(..));
            of(condition, branch, indices, visit);
            of(other, Some(&narrowed(condition, holds)), indices, visit);
        }
        _ => operands
            .into_iter()
            .for_each(|operand| of(operand, branch, indices, visit)),
    }
}

fn folded(op: IntOp, bounds: &[IntExpr]) -> IntExpr {
    let bounds = bounds.iter().cloned();
    bounds
        .reduce(|a, b| IntExpr::binary(op, a, b))
        .unwrap_or(IntExpr::Const(0))
}

impl Branch {
    /// What an index is not below, and not above.
    fn bounds(&self, var: VarId, extent: u64) -> [Vec<IntExpr>; 2] {
        let last = i64::try_from(extent.saturating_sub(1)).unwrap_or(i64::MAX);
        [(0, &self.least), (last, &self.most)].map(|(end, all)| {
            let narrowed = all.iter().filter(|(known, _)| *known == var);
            let narrowed = narrowed.map(|(_, bound)| bound.clone());
            std::iter::once(IntExpr::Const(end)).chain(narrowed).collect()
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what other conditions say is not known")]
    fn narrow(&mut self, condition: &Element, holds: bool, indices: &[(VarId, u64)]) {
        match &condition.kind {
            ElementKind::CompareInt(op, a, b) => self.compare(*op, [a, b], holds, indices),
            ElementKind::Not(of) => self.narrow(of, !holds, indices),
            ElementKind::And(a, b) if holds => [a, b].into_iter().for_each(|of| self.narrow(of, true, indices)),
            ElementKind::Or(a, b) if !holds => [a, b].into_iter().for_each(|of| self.narrow(of, false, indices)),
            _ => self.is_vague = true,
        }
    }

    fn compare(&mut self, op: CompareOp, [a, b]: [&IntExpr; 2], holds: bool, indices: &[(VarId, u64)]) {
        let difference = Linear::of(&IntExpr::binary(IntOp::Sub, a.clone(), b.clone()));
        let mut counted = indices.iter().filter(|(var, _)| difference.mentions(*var));
        let (Some((var, _)), None) = (counted.next(), counted.next()) else {
            if indices.iter().any(|(var, _)| difference.mentions(*var)) {
                self.is_vague = true;
                return;
            }
            let compared = BoolExpr::Compare(op, a.clone(), b.clone());
            self.holds.push(match holds {
                true => compared,
                false => BoolExpr::Not(Box::new(compared)),
            });
            return;
        };
        let coefficient = difference.coefficient(*var);
        let rest = difference.without(*var);
        if rest.mentions(*var) || ![1, -1].contains(&coefficient) {
            self.is_vague = true;
            return;
        }
        // var < bound, var > bound, or both up to one.
        let minus = IntExpr::binary(IntOp::Mul, rest.to_expr(), IntExpr::Const(coefficient.saturating_neg()));
        let bound = |more: i64| Linear::of(&IntExpr::binary(IntOp::Add, minus.clone(), IntExpr::Const(more))).to_expr();
        let op = match (op, holds) {
            (CompareOp::Le, true) | (CompareOp::Gt, false) => CompareOp::Le,
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => CompareOp::Lt,
            (CompareOp::Ge, true) | (CompareOp::Lt, false) => CompareOp::Ge,
            (CompareOp::Gt, true) | (CompareOp::Le, false) => CompareOp::Gt,
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => CompareOp::Eq,
            (CompareOp::Eq, false) | (CompareOp::Ne, true) => CompareOp::Ne,
        };
        let is_below = coefficient == 1;
        match op {
            CompareOp::Le if is_below => self.most.push((*var, bound(0))),
            CompareOp::Ge if !is_below => self.most.push((*var, bound(0))),
            CompareOp::Le | CompareOp::Ge => self.least.push((*var, bound(0))),
            CompareOp::Lt if is_below => self.most.push((*var, bound(-1))),
            CompareOp::Gt if !is_below => self.most.push((*var, bound(-1))),
            CompareOp::Lt | CompareOp::Gt => self.least.push((*var, bound(1))),
            CompareOp::Eq => {
                self.least.push((*var, bound(0)));
                self.most.push((*var, bound(0)));
            }
            CompareOp::Ne => self.is_vague = true,
        }
    }
}
