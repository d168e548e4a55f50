//! Integer expressions as sums: what makes `(by + 1) * 32 - by * 32` the constant 32, and tells how an index depends on
//! the indices of a parallel loop.

#![warn(clippy::arithmetic_side_effects)]

use super::{IntExpr, IntOp, VarId};

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

    /// `self + factor · other`; `None` where it overflows.
    pub fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
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

    /// `a - b`, where what both have is in neither.
    pub fn difference(a: &IntExpr, b: &IntExpr) -> Linear {
        Linear::of(&IntExpr::binary(IntOp::Sub, a.clone(), b.clone()))
    }

    /// The value, where there are no terms.
    pub fn as_const(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
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
        // Most indices are one of a loop.
        if let (0, [(atom, 1)]) = (self.constant, self.terms.as_slice()) {
            return atom.clone();
        }
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

    /// How much more it is where `var` is one more; `None` where `var` also appears inside of an atom.
    pub fn slope(&self, var: VarId) -> Option<i64> {
        let is_linear = self
            .terms
            .iter()
            .all(|(atom, _)| *atom == IntExpr::Var(var) || !atom.mentions(var));
        is_linear.then(|| self.coefficient(var))
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
        assert_eq!(Linear::difference(&end, &start).as_const(), Some(32));
        let other = op(IntOp::Mul, var(1), c(32));
        assert_eq!(Linear::difference(&end, &other).as_const(), None);
    }

    #[test]
    fn terms_that_are_not_linear_cancel_as_a_whole() {
        let product = op(IntOp::Mul, var(0), var(1));
        let end = op(IntOp::Add, product.clone(), IntExpr::Const(7));
        assert_eq!(Linear::difference(&end, &product).as_const(), Some(7));
        assert_eq!(Linear::of(&end).slope(VarId(0)), None);
    }

    #[test]
    fn ranges_follow_the_signs_of_the_coefficients() {
        let index = op(
            IntOp::Sub,
            IntExpr::Const(10),
            op(IntOp::Mul, var(0), IntExpr::Const(2)),
        );
        let range = Linear::of(&index).range(|_| Some([0, 3]));
        assert_eq!(range, Some([4, 10]));
    }

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
}
