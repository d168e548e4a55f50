//! Integers that a condition chooses, `if n > 3 { a } else { b }`, as integer arithmetic.
//!
//! ```text
//!  c = n > 3                     ⟹   c = 4 - min(max(n, 3), 4), subtracted from 1: 1 where it holds, else 0
//!  if c { a } else { b }         ⟹   a · c + b · (1 - c)
//!  if c { a / n } else { b }     ⟹   likewise, with a / (n · c + (1 - c)): by 1 where it is not taken
//!  n > 0 && a / n > 3            ⟹   the product of both, of which the right one divides by 1 where the left one does not hold
//!  c = alpha > 0.5               ⟹   c is an integer that the launcher derives: 1 where it holds, else 0
//! ```

use super::frontend::Frontend;
use super::spans::Node;
use crate::ir::{
    CompareOp, DerivedParam, Element, ElementKind, IntExpr, IntOp, NumberExpr, Param, ParamId, Real, free_name,
};

impl Frontend {
    /// What decides `if condition { then } else { other }`, as 1 or 0, where that is the same for the whole block; else what it is
    /// instead of an integer, and what to write.
    pub(super) fn integer_choice(
        &mut self,
        condition: &Element,
        then: &IntExpr,
        other: &IntExpr,
    ) -> Result<IntExpr, [&'static str; 2]> {
        let holds = self.holds(condition).ok_or([
            "whose condition is more than comparisons of integers, and of numbers known at launch",
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

    /// 1 where `condition` holds, else 0; nothing where it is decided by elements, or by numbers that differ from block to block.
    fn holds(&mut self, condition: &Element) -> Option<IntExpr> {
        Some(match &condition.kind {
            ElementKind::Bool(value) => IntExpr::Const((*value).into()),
            ElementKind::CompareInt(op, a, b) => match op {
                CompareOp::Lt => less(a, b),
                CompareOp::Gt => less(b, a),
                CompareOp::Le => not(less(b, a)),
                CompareOp::Ge => not(less(a, b)),
                CompareOp::Eq => IntExpr::binary(IntOp::Mul, not(less(a, b)), not(less(b, a))),
                CompareOp::Ne => either(less(a, b), less(b, a)),
            },
            ElementKind::Compare(op, a, b) => self.derived(*op, [a.number_at_launch()?, b.number_at_launch()?]),
            ElementKind::And(a, b) => {
                let a = self.holds(a)?;
                let b = guarded(&self.holds(b)?, &a);
                IntExpr::binary(IntOp::Mul, a, b)
            }
            ElementKind::Or(a, b) => {
                let a = self.holds(a)?;
                let b = guarded(&self.holds(b)?, &not(a.clone()));
                either(a, b)
            }
            ElementKind::Not(a) => not(self.holds(a)?),
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Select(..)
            | ElementKind::Cast(..) => return None,
        })
    }

    /// The integer that a launch derives from a comparison of numbers.
    fn derived(&mut self, op: CompareOp, sides: [NumberExpr; 2]) -> IntExpr {
        if let [NumberExpr::Literal(Real(a)), NumberExpr::Literal(Real(b))] = sides {
            return IntExpr::Const(op.apply(a as f32, b as f32).into());
        }
        let name = String::new();
        let derived = Param::Derived(DerivedParam { name, op, sides });
        let known = self.params.iter().position(|param| *param == derived);
        let at = known.unwrap_or(self.params.len());
        if known.is_none() {
            self.params.push(derived);
        }
        IntExpr::Scalar(ParamId(at as u32))
    }

    /// Gives what a launch derives names that nobody else has.
    pub(super) fn name_derived(&mut self) {
        for at in 0..self.params.len() {
            let Param::Derived(derived) = &self.params[at] else {
                continue;
            };
            let wanted = self.words_of(derived);
            let free = free_name(&wanted, &self.extents, &self.params);
            if let Some(Param::Derived(derived)) = self.params.get_mut(at) {
                derived.name = free;
            }
        }
    }

    /// What it compares, as one word: `alpha_above_0_5`.
    fn words_of(&self, derived: &DerivedParam) -> String {
        let compared = match derived.op {
            CompareOp::Eq => "equals",
            CompareOp::Ne => "differs_from",
            CompareOp::Lt => "below",
            CompareOp::Le => "at_most",
            CompareOp::Gt => "above",
            CompareOp::Ge => "at_least",
        };
        let [a, b] = derived.sides.each_ref().map(|side| self.words_of_number(side));
        let text = format!("{a} {compared} {b}");
        let words = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("_");
        let is_name = name.len() <= 40 && name.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_name { name } else { "comparison".to_string() }
    }

    fn words_of_number(&self, number: &NumberExpr) -> String {
        match number {
            NumberExpr::Literal(Real(value)) => value.to_string(),
            NumberExpr::Scalar(id) => self.params.get(id.index()).map_or("", Param::name).to_string(),
            NumberExpr::Int(integer) => {
                let mut words = Vec::new();
                integer.walk(&mut |part| match part {
                    IntExpr::Const(value) => words.push(value.to_string()),
                    IntExpr::Extent(id) => words.extend(self.extents.get(id.index()).map(|of| of.name.clone())),
                    IntExpr::Scalar(id) => words.extend(self.params.get(id.index()).map(|of| of.name().to_string())),
                    IntExpr::Binary(op, ..) => words.push(format!("{op:?}").to_lowercase()),
                    IntExpr::Var(_) | IntExpr::Fetched(_) => {}
                });
                words.join("_")
            }
            NumberExpr::Call(op, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.words_of_number(arg)).collect();
                format!("{}_{}", op.row().name, args.join("_"))
            }
        }
    }

    /// `then` where `holds` is 1, `other` where it is 0.
    pub(super) fn chosen_integer(
        &mut self,
        holds: IntExpr,
        then: IntExpr,
        other: IntExpr,
        node: &(impl Node + ?Sized),
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

fn not(holds: IntExpr) -> IntExpr {
    IntExpr::binary(IntOp::Sub, IntExpr::Const(1), holds)
}

/// 1 where one of the two is, else 0. The greater of both would be shorter, and is written out with each of them twice.
fn either(a: IntExpr, b: IntExpr) -> IntExpr {
    not(IntExpr::binary(IntOp::Mul, not(a), not(b)))
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
    // What is read may be the least integer there is, which nothing is below.
    let mut is_read = false;
    b.walk(&mut |part| is_read |= matches!(part, IntExpr::Fetched(_)));
    let least_but_one = Const(i64::from(i32::MIN) + 1);
    let from = match is_read {
        true => IntExpr::binary(IntOp::Max, b.clone(), least_but_one),
        false => b.clone(),
    };
    let before = IntExpr::binary(IntOp::Sub, from, Const(1));
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
    use crate::ir::{ParamId, VarId};

    fn value(expr: &IntExpr, scalars: [i64; 2]) -> i64 {
        match expr {
            IntExpr::Const(value) => *value,
            IntExpr::Scalar(id) => scalars[id.index()],
            IntExpr::Binary(op, a, b) => {
                let is_launch_constant = expr.is_launch_constant();
                let value = op.apply(value(a, scalars), value(b, scalars)).expect("a value");
                assert!(is_launch_constant || i32::try_from(value).is_ok(), "{value}");
                value
            }
            IntExpr::Fetched(var) => scalars[var.index()],
            IntExpr::Extent(_) | IntExpr::Var(_) => 0,
        }
    }

    #[test]
    fn comparisons_are_1_or_0() {
        let ends = [i32::MIN, i32::MIN + 1, -2, -1, 0, 1, 2, 7, i32::MAX - 1, i32::MAX].map(i64::from);
        let scalars = [0, 1].map(|id| IntExpr::Scalar(ParamId(id)));
        let read = [0, 1].map(|id| IntExpr::Fetched(VarId(id)));
        for [x, y] in [scalars, read] {
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
}
