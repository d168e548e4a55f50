//! Integer expressions as sums: what makes `(by + 1) * 32 - by * 32` the constant 32, and tells how an index depends on
//! the indices of a parallel loop.

use super::{IntExpr, IntOp, VarId};

/// `constant + Σ coefficient · term`, where the terms are variables, extents, scalars and what is not linear in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    terms: Vec<(IntExpr, i64)>,
    constant: i64,
}

impl Linear {
    /// The sum that `expr` is; `None` where a coefficient overflows.
    pub fn of(expr: &IntExpr) -> Option<Linear> {
        match expr {
            IntExpr::Const(value) => Some(Linear {
                terms: Vec::new(),
                constant: *value,
            }),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => {
                Some(Linear::term(expr.clone()))
            }
            IntExpr::Binary(IntOp::Add, a, b) => Linear::of(a)?.plus(&Linear::of(b)?, 1),
            IntExpr::Binary(IntOp::Sub, a, b) => Linear::of(a)?.plus(&Linear::of(b)?, -1),
            IntExpr::Binary(IntOp::Mul, a, b) => {
                let (a, b) = (Linear::of(a)?, Linear::of(b)?);
                match (a.as_const(), b.as_const()) {
                    (_, Some(factor)) => Linear::default().plus(&a, factor),
                    (Some(factor), _) => Linear::default().plus(&b, factor),
                    _ => Some(Linear::term(expr.clone())),
                }
            }
            IntExpr::Binary(IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max, ..) => {
                Some(Linear::term(expr.clone()))
            }
        }
    }

    /// `a - b`, where what both have is in neither.
    pub fn difference(a: &IntExpr, b: &IntExpr) -> Option<Linear> {
        Linear::of(a)?.plus(&Linear::of(b)?, -1)
    }

    /// `a - b`, where it is the same whatever the variables are.
    pub fn constant_difference(a: &IntExpr, b: &IntExpr) -> Option<i64> {
        Linear::difference(a, b)?.as_const()
    }

    /// `of / by`, where it is a multiple whatever its terms are.
    pub fn quotient(of: &IntExpr, by: i64) -> Option<IntExpr> {
        let exact = |value: i64| (value.checked_rem(by)? == 0).then_some(value.checked_div(by)?);
        let mut of = Linear::of(of)?;
        of.constant = exact(of.constant)?;
        for (_, coefficient) in &mut of.terms {
            *coefficient = exact(*coefficient)?;
        }
        Some(of.to_expr())
    }

    /// The sum as an expression.
    pub fn to_expr(&self) -> IntExpr {
        let terms = self.terms.iter();
        let terms =
            terms.map(|(term, coefficient)| IntExpr::binary(IntOp::Mul, term.clone(), IntExpr::Const(*coefficient)));
        let sum = terms.reduce(|sum, term| IntExpr::binary(IntOp::Add, sum, term));
        let constant = IntExpr::Const(self.constant);
        match sum {
            Some(sum) => IntExpr::binary(IntOp::Add, sum, constant),
            None => constant,
        }
    }

    /// The value, where there are no terms.
    pub fn as_const(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The least and the greatest value while each variable lies between the two that `between` says; `None` where another
    /// term takes part.
    pub fn range(&self, between: impl Fn(VarId) -> Option<[i64; 2]>) -> Option<[i64; 2]> {
        let mut range = [self.constant; 2];
        for (term, coefficient) in &self.terms {
            let IntExpr::Var(var) = term else { return None };
            let [least, greatest] = between(*var)?;
            let [a, b] = [coefficient.checked_mul(least)?, coefficient.checked_mul(greatest)?];
            range = [range[0].checked_add(a.min(b))?, range[1].checked_add(a.max(b))?];
        }
        Some(range)
    }

    /// Whether `var` stands in it.
    pub fn mentions(&self, var: VarId) -> bool {
        self.terms.iter().any(|(term, _)| term.mentions(var))
    }

    /// The sum without the multiples of `var`.
    pub fn without(&self, var: VarId) -> Linear {
        let mut rest = self.clone();
        rest.terms.retain(|(term, _)| *term != IntExpr::Var(var));
        rest
    }

    /// The coefficient of `var`; `None` where `var` also appears inside a term that is not linear in it.
    pub fn coefficient(&self, var: VarId) -> Option<i64> {
        let mut coefficient = 0;
        for (term, factor) in &self.terms {
            if *term == IntExpr::Var(var) {
                coefficient = *factor;
            } else if term.mentions(var) {
                return None;
            }
        }
        Some(coefficient)
    }

    fn term(term: IntExpr) -> Linear {
        Linear {
            terms: vec![(term, 1)],
            constant: 0,
        }
    }

    /// `self + factor · other`.
    pub(super) fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (term, coefficient) in &other.terms {
            let scaled = coefficient.checked_mul(factor)?;
            match self.terms.iter_mut().find(|(known, _)| known == term) {
                Some((_, known)) => *known = known.checked_add(scaled)?,
                None => self.terms.push((term.clone(), scaled)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(n: u32) -> IntExpr {
        IntExpr::Var(VarId(n))
    }

    fn op(op: IntOp, a: IntExpr, b: IntExpr) -> IntExpr {
        IntExpr::binary(op, a, b)
    }

    #[test]
    fn the_length_of_a_blocks_range_is_constant() {
        let c = IntExpr::Const;
        let start = op(IntOp::Mul, var(0), c(32));
        let end = op(IntOp::Mul, op(IntOp::Add, var(0), c(1)), c(32));
        assert_eq!(Linear::constant_difference(&end, &start), Some(32));
        let other = op(IntOp::Mul, var(1), c(32));
        assert_eq!(Linear::constant_difference(&end, &other), None);
    }

    #[test]
    fn terms_that_are_not_linear_cancel_as_a_whole() {
        let product = op(IntOp::Mul, var(0), var(1));
        let end = op(IntOp::Add, product.clone(), IntExpr::Const(7));
        assert_eq!(Linear::constant_difference(&end, &product), Some(7));
        assert_eq!(Linear::of(&end).and_then(|l| l.coefficient(VarId(0))), None);
    }

    #[test]
    fn ranges_follow_the_signs_of_the_coefficients() {
        let index = op(
            IntOp::Sub,
            IntExpr::Const(10),
            op(IntOp::Mul, var(0), IntExpr::Const(2)),
        );
        let range = Linear::of(&index).and_then(|l| l.range(|_| Some([0, 3])));
        assert_eq!(range, Some([4, 10]));
    }
}
