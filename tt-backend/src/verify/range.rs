//! Ranges of integers: what is known of indices, counts and extents before they have values.

use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, IntOp, ScalarKind, VarId};
use tt_plan::{Formula, Parameter, Plan};

/// Bounds beyond which a value counts as unbounded. No index or address comes near, and sums of a few cannot overflow.
pub const LIMIT: i64 = 1 << 40;

/// Integers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Range {
    /// Any integer.
    pub const ANY: Range = Range {
        low: -LIMIT,
        high: LIMIT,
    };

    /// One integer.
    pub fn one(value: i64) -> Range {
        Range::new(value, value)
    }

    /// From `low` to `high`, cut to the limits.
    pub fn new(low: i64, high: i64) -> Range {
        Range {
            low: low.clamp(-LIMIT, LIMIT),
            high: high.clamp(-LIMIT, LIMIT),
        }
    }

    /// The integer, where it is only one.
    pub fn exact(self) -> Option<i64> {
        (self.low == self.high && self.low.abs() < LIMIT).then_some(self.low)
    }

    /// The least range that holds both.
    pub fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn bounds(values: impl IntoIterator<Item = i64>) -> Range {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return Range::ANY };
        values.fold(Range::one(first), |range, value| range.hull(Range::one(value)))
    }

    fn is_bounded(self) -> bool {
        self.low > -LIMIT && self.high < LIMIT
    }

    /// `self op other` where all four bounds are known, or they do not matter.
    fn bounded(self, op: IntOp, other: Range) -> Range {
        let corners = |op: fn(i64, i64) -> i64| {
            if !self.is_bounded() || !other.is_bounded() {
                return Range::ANY;
            }
            let range = Range::bounds(
                [
                    (self.low, other.low),
                    (self.low, other.high),
                    (self.high, other.low),
                    (self.high, other.high),
                ]
                .map(|(a, b)| op(a, b)),
            );
            Range::new(range.low, range.high)
        };
        match op {
            IntOp::Add => Range {
                low: below(self.low, other.low),
                high: -below(-self.high, -other.high),
            },
            IntOp::Sub => Range {
                low: below(self.low, -other.high),
                high: -below(-self.high, other.low),
            },
            IntOp::Mul => corners(i64::saturating_mul),
            IntOp::Div if other.low > 0 => corners(|a, b| a / b),
            IntOp::CeilDiv if other.low > 0 && self.low >= 0 => corners(|a, b| (a + b - 1) / b),
            IntOp::Rem if other.low >= 0 && self.low >= 0 => Range::new(0, self.high.min(other.high.max(1) - 1)),
            IntOp::Rem if other.low > 0 => Range::new(1 - other.high, other.high - 1),
            IntOp::Div | IntOp::CeilDiv | IntOp::Rem => Range::ANY,
            IntOp::Min => Range {
                low: self.low.min(other.low),
                high: self.high.min(other.high),
            },
            IntOp::Max => Range {
                low: self.low.max(other.low),
                high: self.high.max(other.high),
            },
        }
    }
}

/// The sum of two lower bounds; none where either is none.
fn below(a: i64, b: i64) -> i64 {
    if a <= -LIMIT || b <= -LIMIT {
        -LIMIT
    } else {
        (a + b).clamp(-LIMIT, LIMIT)
    }
}

/// `a op b`, with a lower bound even where there is no upper one: extents have none.
pub fn apply(op: IntOp, a: Range, b: Range) -> Range {
    let positive = a.low >= 0 && b.low >= 0;
    match op {
        IntOp::Mul if positive => Range::new(a.low.saturating_mul(b.low), a.high.saturating_mul(b.high)),
        // Nothing is divided by 0.
        IntOp::Div if positive && b.high < LIMIT => Range::new(a.low / b.high.max(1), a.high),
        IntOp::Div if positive => Range::new(0, a.high),
        IntOp::CeilDiv if positive && b.high < LIMIT && b.low > 0 => Range::new((a.low + b.high - 1) / b.high, LIMIT),
        // One block even of the smallest extent.
        IntOp::CeilDiv if a.low >= 1 && b.low >= 1 => Range::new(1, LIMIT),
        IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max => {
            a.bounded(op, b)
        }
    }
}

/// What is known of an integer of a kernel before the launch, given what is known of its variables.
pub fn of_integer(expr: &IntExpr, of_variable: &dyn Fn(VarId) -> Range) -> Range {
    match expr {
        IntExpr::Const(value) => Range::one(*value),
        IntExpr::Extent(_) => Range::new(1, LIMIT),
        IntExpr::Scalar(_) | IntExpr::Fetched(_) => Range::ANY,
        IntExpr::Var(var) => of_variable(*var),
        IntExpr::Binary(op, a, b) => apply(*op, of_integer(a, of_variable), of_integer(b, of_variable)),
    }
}

/// That `index`, of which `known` is known, is one of `0..end`; nothing where this is known.
pub fn inside(index: &IntExpr, known: Range, end: i64) -> Option<BoolExpr> {
    let compare = |op, with| BoolExpr::Compare(op, index.clone(), IntExpr::Const(with));
    let (above, below) = (compare(CompareOp::Ge, 0), compare(CompareOp::Lt, end));
    match (known.low >= 0, known.high < end) {
        (true, true) => None,
        (true, false) => Some(below),
        (false, true) => Some(above),
        (false, false) => Some(BoolExpr::And(Box::new(above), Box::new(below))),
    }
}

/// What is known of a formula before its extents and scalars are. An empty tensor is refused at launch.
pub fn of(formula: &Formula, plan: &Plan) -> Range {
    let (op, a, b) = match formula {
        Formula::Const(value) => return Range::one(*value),
        Formula::Name(name) if plan.extents.contains(name) => return Range::new(1, LIMIT),
        Formula::Name(name) => {
            let unsigned = plan.parameters.iter().any(
                |parameter| matches!(parameter, Parameter::Scalar { name: of, kind: ScalarKind::U32 } if of == name),
            );
            return if unsigned { Range::new(0, LIMIT) } else { Range::ANY };
        }
        Formula::Op(op) => op.parts(),
    };
    apply(op, of(a, plan), of(b, plan))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_have_a_lower_bound_only() {
        let extent = Range::new(1, LIMIT);
        let by = |op, n| apply(op, extent, Range::one(n));
        assert_eq!(by(IntOp::CeilDiv, 64), Range::new(1, LIMIT));
        assert_eq!(by(IntOp::Div, 64).low, 0);
        assert_eq!(by(IntOp::Rem, 32), Range::new(0, 31));
        assert_eq!(by(IntOp::Mul, 3).low, 3);
        assert_eq!(by(IntOp::Min, 8), Range::new(1, 8));
        assert_eq!(by(IntOp::Sub, 1).low, 0);
    }

    #[test]
    fn what_may_be_anything_stays_so() {
        for op in [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::Div, IntOp::CeilDiv] {
            let range = apply(op, Range::ANY, Range::one(3));
            assert_eq!((range.low, range.high), (-LIMIT, LIMIT), "{op:?}");
        }
        assert_eq!(apply(IntOp::Rem, Range::ANY, Range::one(3)), Range::new(-2, 2));
    }
}
