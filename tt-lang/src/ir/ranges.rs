//! Which values the indices of `T.Parallel` have where a part of an expression counts.
//!
//! ```text
//!  for i in T.Parallel(64)   if i > 0 { x[i - 1] } else { .. }      i is 0 to 63; in the first branch, 1 to 63
//! ```

use super::{Access, CompareOp, Element, ElementKind, IntExpr, Linear, VarId};

/// The least and the greatest value of each index.
#[derive(Debug, Clone, Default)]
pub struct Ranges(Vec<(VarId, [i64; 2])>);

impl Ranges {
    /// Those of a loop.
    pub fn of(indices: &[(VarId, u64)]) -> Ranges {
        let last = |extent: u64| i64::try_from(extent).unwrap_or(i64::MAX).saturating_sub(1);
        Ranges(indices.iter().map(|(var, extent)| (*var, [0, last(*extent)])).collect())
    }

    /// The least and the greatest value of an index.
    pub fn get(&self, var: VarId) -> Option<[i64; 2]> {
        self.0.iter().find(|(known, _)| *known == var).map(|(_, range)| *range)
    }

    /// Whether nothing counts there at all.
    pub fn is_empty(&self) -> bool {
        self.0.iter().any(|(_, [least, greatest])| least > greatest)
    }

    /// What is left where `condition` holds, or where it does not: of comparisons of one index with a constant, and what
    /// `&&`, `||` and `!` make of them. Of others nothing is known.
    pub fn narrowed(&self, condition: &Element, holds: bool) -> Ranges {
        let mut left = self.clone();
        left.narrow(condition, holds);
        left
    }

    /// Calls `visit` for every element that `value` reads, with what the indices are where it is read. What is read nowhere is
    /// left out.
    pub fn loads<'a>(&self, value: &'a Element, visit: &mut dyn FnMut(&'a Access, &Ranges)) {
        if self.is_empty() {
            return;
        }
        if let ElementKind::Load(access) = &value.kind {
            visit(access, self);
        }
        let mut choose = |condition: &'a Element, then: Option<&'a Element>, other: Option<&'a Element>| {
            self.loads(condition, visit);
            for (side, holds) in [(then, true), (other, false)] {
                if let Some(side) = side {
                    self.narrowed(condition, holds).loads(side, visit);
                }
            }
        };
        match &value.kind {
            ElementKind::Select(condition, then, other) => choose(condition, Some(then), Some(other)),
            ElementKind::And(condition, then) => choose(condition, Some(then), None),
            ElementKind::Or(condition, other) => choose(condition, None, Some(other)),
            ElementKind::Float(_)
            | ElementKind::Int(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Cast(..)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::Not(_) => {
                value
                    .operands()
                    .into_iter()
                    .for_each(|operand| self.loads(operand, visit));
            }
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what other conditions say of indices is not known"
    )]
    fn narrow(&mut self, condition: &Element, holds: bool) {
        match &condition.kind {
            ElementKind::CompareInt(op, a, b) => self.compare(*op, a, b, holds),
            ElementKind::Not(of) => self.narrow(of, !holds),
            ElementKind::And(a, b) if holds => [a, b].into_iter().for_each(|of| self.narrow(of, true)),
            ElementKind::Or(a, b) if !holds => [a, b].into_iter().for_each(|of| self.narrow(of, false)),
            _ => {}
        }
    }

    fn compare(&mut self, op: CompareOp, a: &IntExpr, b: &IntExpr, holds: bool) {
        let difference = Linear::difference(a, b).and_then(|difference| difference.of_one_variable());
        let Some((var, coefficient, constant)) = difference else {
            return;
        };
        let Some((_, [least, greatest])) = self.0.iter_mut().find(|(known, _)| *known == var) else {
            return;
        };
        // As `coefficient · var + constant <= most`, and the same of what is negated for the others.
        let at_most = |most: i64| (coefficient, most.checked_sub(constant));
        let at_least = |least: i64| (coefficient.saturating_neg(), constant.checked_sub(least));
        let bounds = match (op, holds) {
            (CompareOp::Le, true) | (CompareOp::Gt, false) => vec![at_most(0)],
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => vec![at_most(-1)],
            (CompareOp::Ge, true) | (CompareOp::Lt, false) => vec![at_least(0)],
            (CompareOp::Gt, true) | (CompareOp::Le, false) => vec![at_least(1)],
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => vec![at_most(0), at_least(0)],
            (CompareOp::Eq, false) | (CompareOp::Ne, true) => {
                // It narrows where it leaves out an end.
                let is = |value: &i64| coefficient.saturating_mul(*value).saturating_add(constant) == 0;
                *least = least.saturating_add(i64::from(is(least)));
                *greatest = greatest.saturating_sub(i64::from(is(greatest)));
                vec![]
            }
        };
        for (coefficient, room) in bounds {
            let bound = room.and_then(|room| room.checked_div_euclid(coefficient));
            match bound {
                Some(bound) if coefficient > 0 => *greatest = (*greatest).min(bound),
                Some(bound) => *least = (*least).max(bound),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{IntOp, Span};

    #[test]
    fn a_range_is_narrowed_as_plain_loops_count() {
        let var = VarId(0);
        let ops = [
            CompareOp::Eq,
            CompareOp::Ne,
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
        ];
        let ranges = Ranges::of(&[(var, 12)]);
        for op in ops {
            for (coefficient, constant, holds) in (-3..=3)
                .flat_map(|c| (-20..=20).map(move |k| (c, k)))
                .flat_map(|(c, k)| [true, false].map(|holds| (c, k, holds)))
            {
                let index = IntExpr::binary(IntOp::Mul, IntExpr::Var(var), IntExpr::Const(coefficient));
                let kind = ElementKind::CompareInt(op, index, IntExpr::Const(constant));
                let condition = Element { kind, span: Span(0) };
                let [least, greatest] = ranges.narrowed(&condition, holds).get(var).unwrap();
                let counted = (0..12).filter(|i| op.apply(coefficient * i, constant) == holds);
                for i in counted.clone() {
                    assert!(
                        least <= i && i <= greatest,
                        "{op:?} {coefficient} {constant} {holds}: {i}"
                    );
                }
                // Where one side of the range is meant, it is the whole truth.
                let is_range = !matches!((op, holds), (CompareOp::Ne, true) | (CompareOp::Eq, false));
                if is_range && coefficient != 0 {
                    assert_eq!(
                        (least..=greatest).count(),
                        counted.count(),
                        "{op:?} {coefficient} {constant} {holds}"
                    );
                }
            }
        }
    }
}
