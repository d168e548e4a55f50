//! How often a condition holds, on the average of the turns of the loops around it.
//!
//! The variable of a loop is taken to have each of its values equally often, whatever the others have: where a loop begins or ends by
//! another variable, all values that it has in any. What a condition compares it with is in the middle of its values. Of what depends on
//! the place in the grid alone nothing is said: a core may have all the blocks in which it holds, and it is the last to be done.

use super::integers::{At, Integers, difference, sum};
use super::takes::{constant, product};
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, IntOp, VarId};
use tt_plan::Formula;

/// A part of all turns: so many of as many.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) hits: Formula,
    pub(super) of: Formula,
}

impl Part {
    /// Those that are not among them.
    pub(super) fn rest(self) -> Part {
        Part {
            hits: difference(self.of.clone(), self.hits),
            of: self.of,
        }
    }

    /// Those below two bounds (`alike`), or above them, else between them.
    fn within(self, other: Part, alike: bool) -> Part {
        let hits = match alike {
            true => Formula::binary(IntOp::Min, self.hits, other.hits),
            false => {
                let both = difference(sum(self.hits, other.hits), self.of.clone());
                Formula::binary(IntOp::Max, both, constant(0))
            }
        };
        Part { hits, of: self.of }
    }

    /// Those that are among others, too.
    fn and(&self, other: &Part) -> Part {
        Part {
            hits: product(&self.hits, &other.hits),
            of: product(&self.of, &other.of),
        }
    }
}

/// Numbers from `start` on that come equally often: every `step`-th within `span`.
struct Spread {
    /// The variable that they come with; a single one comes with none.
    var: Option<VarId>,
    start: Formula,
    span: Formula,
    step: Formula,
}

impl Spread {
    /// How many are below a number, `step` for each.
    fn below(&self, limit: Formula) -> Formula {
        let within = difference(limit, self.start.clone());
        if self.step == constant(1) {
            return clamped(within, &self.span);
        }
        let steps = Formula::binary(IntOp::CeilDiv, within, self.step.clone());
        clamped(product(&steps, &self.step), &self.span)
    }

    fn compared(&self, op: CompareOp, other: Formula) -> Part {
        let up_to = |limit: &Formula| self.below(sum(limit.clone(), constant(1)));
        let part = |hits| Part {
            hits,
            of: self.span.clone(),
        };
        match op {
            CompareOp::Lt => part(self.below(other)),
            CompareOp::Le => part(up_to(&other)),
            CompareOp::Ge => part(self.below(other)).rest(),
            CompareOp::Gt => part(up_to(&other)).rest(),
            CompareOp::Eq => part(difference(up_to(&other), self.below(other))),
            CompareOp::Ne => self.compared(CompareOp::Eq, other).rest(),
        }
    }
}

impl Integers<'_> {
    /// In how many of how many turns a condition holds.
    pub(super) fn part(&self, cond: &BoolExpr) -> Option<Part> {
        Some(match cond {
            BoolExpr::Const(holds) => Part {
                hits: constant(u64::from(*holds)),
                of: constant(1),
            },
            BoolExpr::Compare(op, a, b) => match (self.spread(a), self.spread(b)) {
                (None, Some(spread)) => spread.compared(op.mirrored(), self.average(a)?),
                (Some(spread), _) => spread.compared(*op, self.average(b)?),
                (None, None) => {
                    if !a.is_launch_constant() || !b.is_launch_constant() {
                        return None;
                    }
                    let alone = Spread {
                        var: None,
                        start: self.average(a)?,
                        span: constant(1),
                        step: constant(1),
                    };
                    alone.compared(*op, self.average(b)?)
                }
            },
            BoolExpr::CompareNumbers(..) => return None,
            BoolExpr::And(a, b) => match (self.part(a), self.part(b)) {
                (Some(of_a), Some(of_b)) => match (self.is_bound_above(a), self.is_bound_above(b)) {
                    (Some(a), Some(b)) if a.0 == b.0 && of_a.of == of_b.of => of_a.within(of_b, a.1 == b.1),
                    _ => of_a.and(&of_b),
                },
                (a, b) => a.or(b)?,
            },
            BoolExpr::Or(a, b) => self.part(a)?.rest().and(&self.part(b)?.rest()).rest(),
            BoolExpr::Not(cond) => self.part(cond)?.rest(),
        })
    }

    /// Whether a condition holds up to a value of a loop's variable, or from one on.
    fn is_bound_above(&self, cond: &BoolExpr) -> Option<(VarId, bool)> {
        let BoolExpr::Compare(op, a, b) = cond else { return None };
        let is_above = match op {
            CompareOp::Lt | CompareOp::Le => true,
            CompareOp::Gt | CompareOp::Ge => false,
            CompareOp::Eq | CompareOp::Ne => return None,
        };
        let spread = self.spread(a);
        let is_first = spread.is_some();
        Some((spread.or_else(|| self.spread(b))?.var?, is_above == is_first))
    }

    fn average(&self, expr: &IntExpr) -> Option<Formula> {
        self.integer(expr, At::Middle)
    }

    /// The values of an integer that changes with a loop; none where it does not, or not evenly.
    fn spread(&self, expr: &IntExpr) -> Option<Spread> {
        let (op, a, b) = match expr {
            IntExpr::Var(var) => {
                let values = self.values.get(var).filter(|values| values.is_of_loop)?;
                let [start, end] = values.all.clone();
                return Some(Spread {
                    var: Some(*var),
                    span: difference(end, start.clone()),
                    start,
                    step: constant(1),
                });
            }
            IntExpr::Binary(op, a, b) => (*op, &**a, &**b),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) => return None,
        };
        let Some(of_a) = self.spread(a) else {
            let of_b = self.spread(b)?;
            let a = self.average(a)?;
            let start = match op {
                IntOp::Add => sum(a, of_b.start),
                IntOp::Mul if self.is_natural(&a) => return Some(times(of_b, &a)),
                IntOp::Sub => {
                    let last = difference(sum(of_b.start, of_b.span.clone()), of_b.step.clone());
                    difference(a, last)
                }
                IntOp::Mul | IntOp::Div | IntOp::CeilDiv | IntOp::Rem | IntOp::Min | IntOp::Max => return None,
            };
            return Some(Spread { start, ..of_b });
        };
        let b = self.average(b)?;
        if matches!(op, IntOp::Mul | IntOp::Div | IntOp::Rem) && !self.is_natural(&b) {
            return None;
        }
        Some(match op {
            IntOp::Add => Spread {
                start: sum(of_a.start, b),
                ..of_a
            },
            IntOp::Sub => Spread {
                start: difference(of_a.start, b),
                ..of_a
            },
            IntOp::Mul => times(of_a, &b),
            IntOp::Div => Spread {
                start: Formula::binary(IntOp::Div, of_a.start, b.clone()),
                span: Formula::binary(IntOp::CeilDiv, of_a.span, b),
                step: constant(1),
                ..of_a
            },
            // Rests, all of which come where there are as many values.
            IntOp::Rem => Spread {
                start: constant(0),
                span: Formula::binary(IntOp::Min, of_a.span, b),
                ..of_a
            },
            IntOp::CeilDiv | IntOp::Min | IntOp::Max => return None,
        })
    }
}

/// All of them so many times as large.
fn times(of: Spread, factor: &Formula) -> Spread {
    Spread {
        start: product(&of.start, factor),
        span: product(&of.span, factor),
        step: product(&of.step, factor),
        ..of
    }
}

/// Not below 0, and not above a number that is 1 at least.
fn clamped(formula: Formula, most: &Formula) -> Formula {
    if let Formula::Const(known @ ..=1) = formula {
        return Formula::Const(known.max(0));
    }
    let formula = Formula::binary(IntOp::Max, formula, constant(0));
    Formula::binary(IntOp::Min, formula, most.clone())
}

#[cfg(test)]
mod tests {
    use super::super::integers::Values;
    use super::*;
    use crate::verify::fixture;
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};

    const K: VarId = VarId(0);
    const BY: VarId = VarId(1);
    /// Turns of the loop, and blocks of the grid.
    const TURNS: i64 = 24;
    const BLOCKS: i64 = 9;

    fn binary(op: IntOp, a: IntExpr, b: i64) -> IntExpr {
        IntExpr::Binary(op, Box::new(a), Box::new(IntExpr::Const(b)))
    }

    fn compare(op: CompareOp, a: IntExpr, b: IntExpr) -> BoolExpr {
        BoolExpr::Compare(op, a, b)
    }

    fn value(expr: &IntExpr, k: i64, by: i64) -> i64 {
        match expr {
            IntExpr::Const(value) => *value,
            IntExpr::Var(K) => k,
            IntExpr::Var(_) => by,
            IntExpr::Binary(op, a, b) => op.apply(value(a, k, by), value(b, k, by)).unwrap(),
            _ => unreachable!("there are no others here"),
        }
    }

    fn holds(cond: &BoolExpr, k: i64, by: i64) -> bool {
        match cond {
            BoolExpr::Compare(op, a, b) => op.apply(value(a, k, by), value(b, k, by)),
            BoolExpr::And(a, b) => holds(a, k, by) && holds(b, k, by),
            BoolExpr::Or(a, b) => holds(a, k, by) || holds(b, k, by),
            BoolExpr::Not(cond) => !holds(cond, k, by),
            _ => unreachable!("there are no others here"),
        }
    }

    fn part(cond: &BoolExpr) -> Option<f64> {
        let values = [(K, TURNS, true), (BY, BLOCKS, false)].map(|(var, end, is_of_loop)| {
            let usual = [0, end].map(Formula::Const);
            let all = usual.clone();
            (var, Values { usual, all, is_of_loop })
        });
        let kernel = &fixture::kernel();
        let values = values.into_iter().collect();
        let Part { hits, of } = Integers { kernel, values }.part(cond)?;
        let [hits, of] = [hits, of].map(|formula| formula.evaluate(&|_| None).unwrap() as f64);
        Some(hits / of)
    }

    #[test]
    fn conditions_hold_as_often_as_is_counted() {
        let [k, by] = [K, BY].map(IntExpr::Var);
        let k_plus = |more| binary(IntOp::Add, k.clone(), more);
        let both = |op, a: &IntExpr, b: &IntExpr| IntExpr::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
        let mut conds = Vec::new();
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            for number in [-1, 0, 1, 7, 23, 24, 40] {
                let number = IntExpr::Const(number);
                conds.push(compare(op, k.clone(), number.clone()));
                conds.push(compare(op, number.clone(), k_plus(3)));
                conds.push(compare(op, binary(IntOp::Sub, k.clone(), 2), number.clone()));
                conds.push(compare(op, both(IntOp::Sub, &IntExpr::Const(9), &k), number));
            }
            for number in 0..4 {
                conds.push(compare(op, binary(IntOp::Rem, k_plus(1), 4), IntExpr::Const(number)));
                conds.push(compare(
                    op,
                    binary(IntOp::Div, k.clone(), 6),
                    IntExpr::Const(number % 2),
                ));
                conds.push(compare(
                    op,
                    binary(IntOp::Mul, k.clone(), 32),
                    IntExpr::Const(number * 32),
                ));
            }
            // What it is compared with lies in the middle, and the sums of both ends are alike.
            if !matches!(op, Eq | Ne) {
                conds.push(compare(op, k.clone(), by.clone()));
                conds.push(compare(op, by.clone(), k.clone()));
                conds.push(compare(op, k.clone(), binary(IntOp::Add, by.clone(), 5)));
            }
        }
        for [low, high] in [[3, 9], [0, 40], [9, 3], [-4, 2]].map(|ends| ends.map(IntExpr::Const)) {
            let from = Box::new(compare(Ge, k.clone(), low.clone()));
            let behind = Box::new(compare(Lt, low, k.clone()));
            let before = Box::new(compare(Gt, high, k.clone()));
            conds.push(BoolExpr::And(from.clone(), before.clone()));
            conds.push(BoolExpr::And(before, behind.clone()));
            conds.push(BoolExpr::And(from, behind));
        }
        let near = compare(Lt, k.clone(), IntExpr::Const(6));
        conds.push(BoolExpr::Not(Box::new(near.clone())));
        let even = compare(Eq, binary(IntOp::Rem, k, 2), IntExpr::Const(0));
        conds.push(BoolExpr::And(Box::new(near.clone()), Box::new(even.clone())));
        conds.push(BoolExpr::Or(Box::new(near), Box::new(even)));
        for cond in conds {
            let turns = (0..TURNS).flat_map(|k| (0..BLOCKS).map(move |by| (k, by)));
            let counted = turns.filter(|(k, by)| holds(&cond, *k, *by)).count() as f64 / (TURNS * BLOCKS) as f64;
            let part = part(&cond).unwrap();
            assert!((part - counted).abs() < 1e-9, "{cond:?}: {part}, counted {counted}");
        }
    }

    #[test]
    fn of_the_grid_alone_nothing_is_said() {
        let first = compare(Eq, IntExpr::Var(BY), IntExpr::Const(0));
        assert_eq!(part(&first), None);
        let early = compare(Lt, IntExpr::Var(K), IntExpr::Const(6));
        let both =
            |make: fn(Box<BoolExpr>, Box<BoolExpr>) -> BoolExpr| make(Box::new(first.clone()), Box::new(early.clone()));
        // In the blocks that have it.
        assert_eq!(part(&both(BoolExpr::And)), Some(0.25));
        assert_eq!(part(&both(BoolExpr::Or)), None);
        assert_eq!(part(&compare(Lt, IntExpr::Const(3), IntExpr::Const(4))), Some(1.0));
    }
}
