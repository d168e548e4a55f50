//! Where a comparison of indices comes out the same in all elements of a block.

use crate::ir::{Kind, visit};
use crate::linear::{Signs, lower_bound};
use tt_lang::ir::{CompareOp, Element, ElementKind, For, IntExpr, IntOp, Kernel, Linear, Op, Stmt, VarId};

/// For `false` and for `true`: integers that are the same for the whole block, each of which, where it is not below zero, makes
/// a comparison that in all elements. `indices` are those of the loop around it.
fn decided_by(op: CompareOp, a: &IntExpr, b: &IntExpr, indices: &[(VarId, u64)]) -> Option<[Vec<Linear>; 2]> {
    let difference = Linear::difference(a, b);
    let (mut least, mut most) = (difference.clone(), difference.clone());
    for (var, extent) in indices {
        let last = i64::try_from(*extent).ok()?.checked_sub(1)?;
        let reach = difference.coefficient(*var).checked_mul(last)?;
        least = least.without(*var).plus(&constant(reach.min(0)), 1)?;
        most = most.without(*var).plus(&constant(reach.max(0)), 1)?;
        if least.mentions(*var) {
            return None;
        }
    }
    // The difference is at least `above`, and at most `below`, everywhere.
    let at_least = |above: i64| least.clone().plus(&constant(above), -1);
    let at_most = |below: i64| constant(below).plus(&most, -1);
    Some(match op {
        CompareOp::Lt => [vec![at_least(0)?], vec![at_most(-1)?]],
        CompareOp::Le => [vec![at_least(1)?], vec![at_most(0)?]],
        CompareOp::Gt => [vec![at_most(0)?], vec![at_least(1)?]],
        CompareOp::Ge => [vec![at_most(-1)?], vec![at_least(0)?]],
        CompareOp::Eq => [vec![at_least(1)?, at_most(-1)?], Vec::new()],
        CompareOp::Ne => [Vec::new(), vec![at_least(1)?, at_most(-1)?]],
    })
}

fn constant(value: i64) -> Linear {
    Linear::of(&IntExpr::Const(value))
}

/// What a condition is in all elements that it has a value for.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    pub holds: bool,
    /// Whether it has one for all.
    pub has_value: bool,
}

/// What a condition is in all elements where `limit` is not below zero, as far as that alone says.
pub fn decided(condition: &Element, limit: &Linear, indices: &[(VarId, u64)]) -> Option<Decided> {
    let of = |operand: &Element| decided(operand, limit, indices);
    let known = |holds: bool| Decided { holds, has_value: true };
    match &condition.kind {
        ElementKind::CompareInt(op, a, b) => {
            let [is_false, is_true] = decided_by(*op, a, b, indices)?;
            match (is_false.contains(limit), is_true.contains(limit)) {
                (false, false) => None,
                (_, holds) => Some(known(holds)),
            }
        }
        ElementKind::Bool(value) => Some(known(*value)),
        ElementKind::Not(a) => of(a).map(|a| Decided { holds: !a.holds, ..a }),
        ElementKind::And(a, b) => either(a, of(a), of(b), false),
        ElementKind::Or(a, b) => either(a, of(a), of(b), true),
        ElementKind::Float(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Load(_)
        | ElementKind::Call(..)
        | ElementKind::Compare(..)
        | ElementKind::Select(..)
        | ElementKind::Cast(..) => None,
    }
}

/// What two conditions are together of which one alone tells by being `decisive`. What the first has no value for has none.
fn either(first: &Element, a: Option<Decided>, b: Option<Decided>, decisive: bool) -> Option<Decided> {
    match (a, b) {
        (Some(a), _) if a.holds == decisive => Some(a),
        (a, Some(b)) if b.holds == decisive || a.is_some() => Some(Decided {
            has_value: b.has_value && a.map_or(!first.reads(), |a| a.has_value),
            ..b
        }),
        _ => None,
    }
}

/// The limits of the masks in `body` over what is known when a turn of the loop begins, each once.
pub fn of_masks(body: &[Stmt]) -> Vec<Linear> {
    let (mut inside, mut limits) = (Vec::new(), Vec::new());
    visit(body, &mut |stmt| match &stmt.kind {
        Kind::Op(Op::Fetch { var, .. }) | Kind::Loop(For { var, .. }, _) => inside.push(*var),
        Kind::Op(Op::Parallel { indices, assigns }) => {
            for assign in assigns {
                assign.value.walk(&mut |part| {
                    if let ElementKind::Select(condition, ..) = &part.kind {
                        condition.walk(&mut |part| {
                            if let ElementKind::CompareInt(op, a, b) = &part.kind {
                                limits.extend(decided_by(*op, a, b, indices).into_iter().flatten().flatten());
                            }
                        });
                    }
                });
            }
        }
        Kind::Op(
            Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Print { .. }
            | Op::Assert { .. },
        )
        | Kind::Group(..)
        | Kind::If(..) => {}
    });
    let is_known = |limit: &Linear| {
        let mut known = true;
        for (atom, _) in &limit.terms {
            atom.walk(&mut |part| match part {
                IntExpr::Var(var) | IntExpr::Fetched(var) => known &= !inside.contains(var),
                IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Binary(..) => {}
            });
        }
        known && !limit.terms.is_empty()
    };
    let mut each: Vec<Linear> = Vec::new();
    for limit in limits {
        if is_known(&limit) && !each.contains(&limit) {
            each.push(limit);
        }
    }
    each
}

/// From where to where the variables around a statement go.
pub struct Around {
    signs: Signs,
    /// The outermost first: the first value, and one past the last.
    around: Vec<(VarId, [IntExpr; 2])>,
}

impl Around {
    /// Those of the grid.
    pub fn of(kernel: &Kernel) -> Around {
        let axes = kernel.grid.axes.iter();
        Around {
            signs: Signs::of(kernel),
            around: axes
                .map(|(var, extent)| (*var, [IntExpr::Const(0), extent.value.clone()]))
                .collect(),
        }
    }

    /// Those within a loop.
    pub fn enter(&mut self, var: VarId, ends: [IntExpr; 2]) {
        self.around.push((var, ends));
    }

    /// Out of the loop that was entered last.
    pub fn leave(&mut self) {
        self.around.pop();
    }

    /// The greatest value that `sum` has, as far as it can be told in so many `tries`.
    fn most(&self, sum: &Linear, tries: &mut u32) -> Option<i64> {
        if let Some(value) = sum.as_const() {
            return Some(value);
        }
        let innermost = self.around.last();
        let is_innermost = |atom: &IntExpr| innermost.is_some_and(|(var, _)| *atom == IntExpr::Var(*var));
        let is_computed = |atom: &IntExpr| matches!(atom, IntExpr::Binary(..));
        let mut terms: Vec<&(IntExpr, i64)> = sum.terms.iter().collect();
        // What is bounded by what is around it may leave a sum that is.
        terms.sort_by_key(|(atom, _)| (!is_innermost(atom), !is_computed(atom)));
        for (atom, factor) in terms {
            let rest = sum.clone().plus(&Linear::of(atom), factor.checked_neg()?)?;
            for options in self.bounds(atom, *factor) {
                *tries = tries.checked_sub(1)?;
                let mut each = options
                    .iter()
                    .map(|bound| self.most(&rest.clone().plus(bound, 1)?, tries));
                let most = each.try_fold(i64::MIN, |most, one| one.map(|one| most.max(one)));
                if most.is_some() {
                    return most;
                }
            }
        }
        None
    }

    /// Bounds from above of `factor · atom`: of each list the greatest is one.
    fn bounds(&self, atom: &IntExpr, factor: i64) -> Vec<Vec<Linear>> {
        let times = |of: &IntExpr, factor: i64| Linear::default().plus(&Linear::of(of), factor);
        let mut all = Vec::new();
        if let IntExpr::Binary(op, a, b) = atom {
            match (op, factor > 0, b.as_const()) {
                (IntOp::Min, true, _) | (IntOp::Max, false, _) => {
                    all.extend([a, b].map(|side| times(side, factor).into_iter().collect()));
                }
                (IntOp::Max, true, _) | (IntOp::Min, false, _) => {
                    all.push([a, b].into_iter().filter_map(|side| times(side, factor)).collect());
                }
                (IntOp::CeilDiv | IntOp::Div, _, Some(divisor @ 1..)) if factor.checked_rem(divisor) == Some(0) => {
                    let round = divisor.saturating_sub(1);
                    let quotient = factor.checked_div(divisor).unwrap_or(0);
                    // What is between `divisor` times the quotient and what is divided.
                    let more = match (op, factor > 0) {
                        (IntOp::CeilDiv, true) | (IntOp::Div, false) => round,
                        (IntOp::Div, true) if !self.signs.is_at_least(a, 0) => round,
                        _ => 0,
                    };
                    let over = times(a, quotient).zip(quotient.abs().checked_mul(more));
                    let bound = over.and_then(|(over, more)| over.plus(&constant(more), 1));
                    all.extend(bound.map(|bound| vec![bound]));
                }
                _ => {}
            }
        }
        let known = self.around.iter().rev().find(|(var, _)| *atom == IntExpr::Var(*var));
        if let Some((_, [first, end])) = known {
            let bound = match factor > 0 {
                true => times(end, factor).and_then(|end| end.plus(&constant(factor), -1)),
                false => times(first, factor),
            };
            all.extend(bound.map(|bound| vec![bound]));
        }
        if factor < 0 && self.signs.is_at_least(atom, i64::MIN) {
            let least = lower_bound(atom).and_then(|least| least.checked_mul(factor));
            all.extend(least.map(|least| vec![constant(least)]));
        }
        all.retain(|options| !options.is_empty());
        all
    }
}

/// How often a bound is put in place of a part of one sum.
const MOST_TRIES: u32 = 64;

/// Whether `limit` may be zero or more, as far as the bounds of variables say.
pub fn may_hold(limit: &Linear, around: &Around) -> bool {
    around.most(limit, &mut { MOST_TRIES }).is_none_or(|most| most >= 0)
}
