//! Integers that a condition chooses, `if n > 3 { a } else { b }`, as integer arithmetic.
//!
//! ```text
//!  c = n > 3                     ⟹   c = 4 - min(max(n, 3), 4), subtracted from 1: 1 where it holds, else 0
//!  if c { a } else { b }         ⟹   a · c + b · (1 - c)
//!  if c { a / n } else { b }     ⟹   likewise, with a / (n · c + (1 - c)): by 1 where it is not taken
//! ```

use super::frontend::Frontend;
use crate::ir::{CompareOp, Element, ElementKind, IntExpr, IntOp};
use quote::ToTokens;

impl Frontend {
    /// What decides `if condition { then } else { other }`, as 1 or 0, where that is the same for the whole block; else what it is
    /// instead of an integer, and what to write.
    pub(super) fn integer_choice(
        &self,
        condition: &Element,
        then: &IntExpr,
        other: &IntExpr,
    ) -> Result<IntExpr, [&'static str; 2]> {
        let holds = holds(condition).ok_or([
            "whose condition is more than comparisons of integers",
            "compare integers, `if n > 3 { a } else { b }`, or write `if` around the statements",
        ])?;
        let mut found = Ok(());
        for expr in [&holds, then, other] {
            expr.walk(&mut |part| {
                if let IntExpr::Var(var) = part
                    && self.parallel.iter().any(|(index, _)| index == var)
                {
                    found = Err([
                        "over the indices of elements",
                        "choose between the elements: `if c { x[(i, j)] } else { x[(0, j)] }`",
                    ]);
                }
            });
        }
        found.map(|()| holds)
    }

    /// `then` where `holds` is 1, `other` where it is 0.
    pub(super) fn chosen_integer(
        &mut self,
        holds: IntExpr,
        then: IntExpr,
        other: IntExpr,
        node: &(impl ToTokens + ?Sized),
    ) -> Option<IntExpr> {
        let (then, other) = (guarded(&then, &holds), guarded(&other, &not(holds.clone())));
        let chosen = self.integer_op(IntOp::Mul, then, holds.clone(), node)?;
        let otherwise = self.integer_op(IntOp::Mul, other, not(holds), node)?;
        self.integer_op(IntOp::Add, chosen, otherwise, node)
    }
}

/// `expr`, which counts where `holds` is 1, with 1 in place of what it divides by where that is 0.
fn guarded(expr: &IntExpr, holds: &IntExpr) -> IntExpr {
    expr.replace(&|part| {
        let IntExpr::Binary(op @ (IntOp::Div | IntOp::Rem | IntOp::CeilDiv), a, by) = part else {
            return None;
        };
        let by = match by.as_const() {
            Some(by) if by > 0 => IntExpr::Const(by),
            _ => {
                let taken = IntExpr::binary(IntOp::Mul, guarded(by, holds), holds.clone());
                IntExpr::binary(IntOp::Add, taken, not(holds.clone()))
            }
        };
        Some(IntExpr::binary(*op, guarded(a, holds), by))
    })
}

/// 1 where `condition` holds, else 0; nothing where it is decided by elements or numbers.
fn holds(condition: &Element) -> Option<IntExpr> {
    Some(match &condition.kind {
        ElementKind::Bool(value) => IntExpr::Const((*value).into()),
        ElementKind::CompareInt(op, a, b) => match op {
            CompareOp::Lt => less(a, b),
            CompareOp::Gt => less(b, a),
            CompareOp::Le => not(less(b, a)),
            CompareOp::Ge => not(less(a, b)),
            CompareOp::Eq => IntExpr::binary(IntOp::Mul, not(less(a, b)), not(less(b, a))),
            CompareOp::Ne => IntExpr::binary(IntOp::Max, less(a, b), less(b, a)),
        },
        ElementKind::And(a, b) => IntExpr::binary(IntOp::Mul, holds(a)?, holds(b)?),
        ElementKind::Or(a, b) => IntExpr::binary(IntOp::Max, holds(a)?, holds(b)?),
        ElementKind::Not(a) => not(holds(a)?),
        ElementKind::Float(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Load(_)
        | ElementKind::Call(..)
        | ElementKind::Compare(..)
        | ElementKind::Select(..)
        | ElementKind::Cast(..) => return None,
    })
}

fn not(holds: IntExpr) -> IntExpr {
    IntExpr::binary(IntOp::Sub, IntExpr::Const(1), holds)
}

/// `a < b` as 1 or 0: `b` less what is nearest to `a` of `b - 1` and `b`, so that nothing overflows; and, so that its range is seen,
/// held to it.
fn less(a: &IntExpr, b: &IntExpr) -> IntExpr {
    use IntExpr::Const;
    if a.as_const() == Some(i32::MAX.into()) || b.as_const() == Some(i32::MIN.into()) {
        return Const(0);
    }
    if let (Some(a), None) = (a.as_const(), b.as_const()) {
        // a < b where not b < a + 1.
        return not(less(b, &Const(a.saturating_add(1))));
    }
    let before = IntExpr::binary(IntOp::Sub, b.clone(), Const(1));
    let above = IntExpr::binary(IntOp::Max, a.clone(), before);
    let nearest = IntExpr::binary(IntOp::Min, above, b.clone());
    let less = IntExpr::binary(IntOp::Sub, b.clone(), nearest);
    match b.as_const() {
        Some(_) => less,
        None => IntExpr::binary(IntOp::Min, IntExpr::binary(IntOp::Max, less, Const(0)), Const(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ParamId;

    fn value(expr: &IntExpr, scalars: [i64; 2]) -> i64 {
        match expr {
            IntExpr::Const(value) => *value,
            IntExpr::Scalar(id) => scalars[id.index()],
            IntExpr::Binary(op, a, b) => {
                let value = op.apply(value(a, scalars), value(b, scalars)).expect("a value");
                assert!((i64::from(i32::MIN) - 1..=i32::MAX.into()).contains(&value), "{value}");
                value
            }
            IntExpr::Extent(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => 0,
        }
    }

    #[test]
    fn comparisons_are_1_or_0() {
        let ends = [i32::MIN, i32::MIN + 1, -2, -1, 0, 1, 2, 7, i32::MAX - 1, i32::MAX].map(i64::from);
        let [x, y] = [0, 1].map(|id| IntExpr::Scalar(ParamId(id)));
        for (a, b) in ends.iter().flat_map(|a| ends.map(|b| (*a, b))) {
            let wanted = i64::from(a < b);
            for (x, y) in [
                (x.clone(), y.clone()),
                (x.clone(), IntExpr::Const(b)),
                (IntExpr::Const(a), y.clone()),
            ] {
                assert_eq!(value(&less(&x, &y), [a, b]), wanted, "{a} < {b}");
            }
        }
    }
}
