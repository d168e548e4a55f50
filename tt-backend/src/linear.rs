//! Integer expressions as sums: coefficients, bounds, divisibility.

use tt_lang::ir::{IntExpr, IntOp, VarId};

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
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) => atom(),
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
        self.constant % m == 0 && self.terms.iter().all(|(_, coefficient)| coefficient % m == 0)
    }

    /// As an expression again.
    pub fn to_expr(&self) -> IntExpr {
        let mut sum: Option<IntExpr> = None;
        for (atom, coefficient) in &self.terms {
            let term = IntExpr::binary(IntOp::Mul, atom.clone(), IntExpr::Const(*coefficient));
            sum = Some(match sum {
                Some(sum) => IntExpr::binary(IntOp::Add, sum, term),
                None => term,
            });
        }
        match sum {
            None => IntExpr::Const(self.constant),
            Some(sum) if self.constant < 0 => IntExpr::binary(IntOp::Sub, sum, IntExpr::Const(-self.constant)),
            Some(sum) => IntExpr::binary(IntOp::Add, sum, IntExpr::Const(self.constant)),
        }
    }

    /// A multiple of `m` divided by `m`.
    pub fn divided_by(&self, m: i64) -> Option<Linear> {
        self.is_multiple_of(m).then(|| Linear {
            constant: self.constant / m,
            terms: self
                .terms
                .iter()
                .map(|(atom, coefficient)| (atom.clone(), coefficient / m))
                .collect(),
        })
    }
}

/// A value that `expr` is never below: extents are at least 1, variables and `u32` scalars at least 0.
pub fn lower_bound(expr: &IntExpr) -> Option<i64> {
    match expr {
        IntExpr::Const(value) => Some(*value),
        IntExpr::Extent(_) => Some(1),
        IntExpr::Var(_) => Some(0),
        // An i32 scalar may be negative, and the IR does not tell the two apart here.
        IntExpr::Scalar(_) => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use tt_lang::ir::ExtentId;

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
