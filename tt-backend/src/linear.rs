//! What integer expressions are never below.

#![warn(clippy::arithmetic_side_effects)]

use crate::ir::{Kind, visit};
use tt_lang::hash::HashSet;
use tt_lang::ir::{For, IntExpr, IntOp, Kernel, VarId};

/// A value that `expr` is never below: extents are at least 1, variables at least 0 (but for those that [`Signs`] knows).
pub fn lower_bound(expr: &IntExpr) -> Option<i64> {
    match expr {
        IntExpr::Const(value) => Some(*value),
        IntExpr::Extent(_) => Some(1),
        IntExpr::Var(_) => Some(0),
        // An i32 scalar may be negative, and the IR does not tell the two apart here; what is fetched may be anything.
        IntExpr::Scalar(_) | IntExpr::Fetched(_) => None,
        IntExpr::Binary(IntOp::Max, a, b) => lower_bound(a).into_iter().chain(lower_bound(b)).max(),
        IntExpr::Binary(op, a, b) => {
            let low = lower_bound(a)?;
            match op {
                IntOp::Add => low.checked_add(lower_bound(b)?),
                IntOp::Sub => low.checked_sub(b.as_const()?),
                IntOp::Mul => {
                    let other = lower_bound(b)?;
                    (low >= 0 && other >= 0).then(|| low.checked_mul(other)).flatten()
                }
                IntOp::Div | IntOp::CeilDiv => match b.as_const().filter(|divisor| *divisor > 0) {
                    Some(divisor) => op.apply(low, divisor),
                    None => (low >= 0 && lower_bound(b)? > 0).then_some(0),
                },
                IntOp::Rem => (low >= 0).then_some(0),
                IntOp::Min => Some(low.min(lower_bound(b)?)),
                IntOp::Max => None,
            }
        }
    }
}

/// What integer expressions of one kernel are never below.
#[derive(Debug, Clone)]
pub struct Signs {
    /// Variables of loops that may start below zero.
    below_zero: HashSet<VarId>,
}

impl Signs {
    /// Of the variables of `kernel`.
    pub fn of(kernel: &Kernel) -> Signs {
        let mut signs = Signs {
            below_zero: HashSet::default(),
        };
        visit(&kernel.body, &mut |stmt| {
            if let Kind::Loop(For { var, start, .. }, _) = &stmt.kind
                && !signs.is_at_least(start, 0)
            {
                signs.below_zero.insert(*var);
            }
        });
        signs
    }

    /// Whether `expr` is never below `least`, whatever the values at launch.
    pub fn is_at_least(&self, expr: &IntExpr, least: i64) -> bool {
        let mut signed = false;
        expr.walk(&mut |part| signed |= matches!(part, IntExpr::Var(var) if self.below_zero.contains(var)));
        !signed && lower_bound(expr).is_some_and(|low| low >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tt_lang::ir::ExtentId;

    #[test]
    fn a_maximum_is_at_least_either_side() {
        let scalar = IntExpr::Scalar(tt_lang::ir::ParamId(0));
        let held = IntExpr::binary(IntOp::Max, scalar.clone(), IntExpr::Const(0));
        assert_eq!((lower_bound(&scalar), lower_bound(&held)), (None, Some(0)));
    }

    #[test]
    fn an_extent_in_blocks_is_at_least_one() {
        let blocks = IntExpr::binary(IntOp::CeilDiv, IntExpr::Extent(ExtentId(0)), IntExpr::Const(64));
        assert_eq!(lower_bound(&blocks), Some(1));
        let floor = IntExpr::binary(IntOp::Div, IntExpr::Extent(ExtentId(0)), IntExpr::Const(64));
        assert_eq!(lower_bound(&floor), Some(0));
        let row_of_a_flat_grid = IntExpr::binary(IntOp::Div, IntExpr::Var(VarId(0)), blocks);
        assert_eq!(lower_bound(&row_of_a_flat_grid), Some(0));
        let by_a_scalar = IntExpr::binary(IntOp::Div, floor, IntExpr::Scalar(tt_lang::ir::ParamId(0)));
        assert_eq!(lower_bound(&by_a_scalar), None);
    }
}
