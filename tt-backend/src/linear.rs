//! Integer expressions as sums: coefficients, bounds, divisibility.

#![warn(clippy::arithmetic_side_effects)]

use std::collections::HashSet;
use tt_lang::ir::{IntExpr, IntOp, Kernel, Stmt, StmtKind, VarId};

/// A sum of a constant and terms (an atom times a coefficient). Atoms are whatever is not a sum or a constant multiple.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// The constant.
    pub constant: i64,
    /// Atoms with their coefficients, none zero, each atom once.
    pub terms: Vec<(IntExpr, i64)>,
}

impl Linear {
    /// `expr` as a sum. Arithmetic that overflows leaves the expression an atom.
    pub fn of(expr: &IntExpr) -> Linear {
        Linear::sum(expr).unwrap_or_else(|| Linear {
            constant: 0,
            terms: vec![(expr.clone(), 1)],
        })
    }

    fn sum(expr: &IntExpr) -> Option<Linear> {
        let atom = || {
            Some(Linear {
                constant: 0,
                terms: vec![(expr.clone(), 1)],
            })
        };
        match expr {
            IntExpr::Const(value) => Some(Linear {
                constant: *value,
                terms: Vec::new(),
            }),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => atom(),
            IntExpr::Binary(IntOp::Add, a, b) => Linear::sum(a)?.plus(&Linear::sum(b)?, 1),
            IntExpr::Binary(IntOp::Sub, a, b) => Linear::sum(a)?.plus(&Linear::sum(b)?, -1),
            IntExpr::Binary(IntOp::Mul, a, b) => {
                let (a, b) = (Linear::sum(a)?, Linear::sum(b)?);
                if a.terms.is_empty() {
                    Linear::default().plus(&b, a.constant)
                } else if b.terms.is_empty() {
                    Linear::default().plus(&a, b.constant)
                } else {
                    atom()
                }
            }
            IntExpr::Binary(IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max, ..) => atom(),
        }
    }

    /// `self + factor · other`.
    fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, coefficient) in &other.terms {
            let add = coefficient.checked_mul(factor)?;
            match self.terms.iter_mut().find(|(known, _)| known == atom) {
                Some((_, known)) => *known = known.checked_add(add)?,
                None => self.terms.push((atom.clone(), add)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        Some(self)
    }

    /// The coefficient of the variable `var`.
    pub fn coefficient(&self, var: VarId) -> i64 {
        self.terms
            .iter()
            .find(|(atom, _)| *atom == IntExpr::Var(var))
            .map_or(0, |(_, coefficient)| *coefficient)
    }

    /// Without the term of `var`.
    pub fn without(mut self, var: VarId) -> Linear {
        self.terms.retain(|(atom, _)| *atom != IntExpr::Var(var));
        self
    }

    /// Whether any atom mentions `var`.
    pub fn mentions(&self, var: VarId) -> bool {
        self.terms.iter().any(|(atom, _)| atom.mentions(var))
    }

    /// Whether it is a multiple of `m` whatever its atoms are.
    pub fn is_multiple_of(&self, m: i64) -> bool {
        let divides = |value: &i64| value.checked_rem(m) == Some(0);
        divides(&self.constant) && self.terms.iter().all(|(_, coefficient)| divides(coefficient))
    }

    /// As an expression again.
    pub fn to_expr(&self) -> IntExpr {
        let (more, less): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, coefficient)| *coefficient > 0);
        // What is taken away comes after what it is taken from.
        let constant_first = more.is_empty();
        let mut sum = constant_first.then_some(IntExpr::Const(self.constant));
        for (atom, coefficient) in more.into_iter().chain(less) {
            let term = |coefficient| IntExpr::binary(IntOp::Mul, atom.clone(), IntExpr::Const(coefficient));
            sum = Some(match (sum, coefficient.checked_neg().filter(|less| *less > 0)) {
                (Some(sum), Some(less)) => IntExpr::binary(IntOp::Sub, sum, term(less)),
                (Some(sum), None) => IntExpr::binary(IntOp::Add, sum, term(*coefficient)),
                (None, _) => term(*coefficient),
            });
        }
        match sum {
            None => IntExpr::Const(self.constant),
            Some(sum) if constant_first => sum,
            Some(sum) => match self.constant.checked_neg() {
                Some(less) if less > 0 => IntExpr::binary(IntOp::Sub, sum, IntExpr::Const(less)),
                _ => IntExpr::binary(IntOp::Add, sum, IntExpr::Const(self.constant)),
            },
        }
    }

    /// A multiple of `m` divided by `m`.
    pub fn divided_by(&self, m: i64) -> Option<Linear> {
        if !self.is_multiple_of(m) {
            return None;
        }
        let terms = self.terms.iter();
        Some(Linear {
            constant: self.constant.checked_div(m)?,
            terms: terms
                .map(|(atom, coefficient)| Some((atom.clone(), coefficient.checked_div(m)?)))
                .collect::<Option<_>>()?,
        })
    }
}

/// A value that `expr` is never below: extents are at least 1, variables at least 0 (but for those that [`Signs`] knows).
pub fn lower_bound(expr: &IntExpr) -> Option<i64> {
    match expr {
        IntExpr::Const(value) => Some(*value),
        IntExpr::Extent(_) => Some(1),
        IntExpr::Var(_) => Some(0),
        // An i32 scalar may be negative, and the IR does not tell the two apart here; what is fetched may be anything.
        IntExpr::Scalar(_) | IntExpr::Fetched(_) => None,
        IntExpr::Binary(op, a, b) => {
            let low = lower_bound(a)?;
            match op {
                IntOp::Add => low.checked_add(lower_bound(b)?),
                IntOp::Sub => low.checked_sub(b.as_const()?),
                IntOp::Mul => {
                    let other = lower_bound(b)?;
                    (low >= 0 && other >= 0).then(|| low.checked_mul(other)).flatten()
                }
                IntOp::Div | IntOp::CeilDiv => {
                    let divisor = b.as_const().filter(|divisor| *divisor > 0)?;
                    op.apply(low, divisor)
                }
                IntOp::Rem => (low >= 0).then_some(0),
                IntOp::Min => Some(low.min(lower_bound(b)?)),
                IntOp::Max => Some(low.max(lower_bound(b)?)),
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
            below_zero: HashSet::new(),
        };
        signs.loops(&kernel.body);
        signs
    }

    fn loops(&mut self, body: &[Stmt]) {
        for stmt in body {
            if let StmtKind::For { var, start, .. } = &stmt.kind
                && !self.is_at_least(start, 0)
            {
                self.below_zero.insert(*var);
            }
            stmt.bodies().for_each(|body| self.loops(body));
        }
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
    fn the_least_and_the_greatest_integers_are_no_exception() {
        for constant in [i64::MIN, i64::MAX, -1, 0] {
            for coefficient in [i64::MIN, i64::MAX, -1, 1] {
                let linear = Linear {
                    constant,
                    terms: vec![(IntExpr::Var(VarId(0)), coefficient)],
                };
                assert_eq!(Linear::of(&linear.to_expr()), linear);
                for m in [0, 1, -1, 32, i64::MIN] {
                    assert!(linear.divided_by(m).is_none() || linear.is_multiple_of(m));
                }
            }
        }
    }

    #[test]
    fn a_product_of_sums_keeps_its_coefficients() {
        let by = IntExpr::Var(VarId(0));
        let next = IntExpr::binary(IntOp::Add, by.clone(), IntExpr::Const(1));
        let linear = Linear::of(&IntExpr::binary(IntOp::Mul, next, IntExpr::Const(32)));
        assert_eq!((linear.constant, linear.coefficient(VarId(0))), (32, 32));
        assert!(linear.is_multiple_of(32) && !linear.is_multiple_of(64 * 3));
        assert_eq!(Linear::of(&linear.to_expr()), linear);
    }

    #[test]
    fn an_extent_in_blocks_is_at_least_one() {
        let blocks = IntExpr::binary(IntOp::CeilDiv, IntExpr::Extent(ExtentId(0)), IntExpr::Const(64));
        assert_eq!(lower_bound(&blocks), Some(1));
        let floor = IntExpr::binary(IntOp::Div, IntExpr::Extent(ExtentId(0)), IntExpr::Const(64));
        assert_eq!(lower_bound(&floor), Some(0));
    }
}
