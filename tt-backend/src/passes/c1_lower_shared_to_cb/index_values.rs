//! Integers of elements: indices as values, and comparisons of them.
//!
//! A sum of multiples of indices is known tile by tile, and is compared with zero for free in tiles that it leaves whole. Anything
//! else is the arithmetic of elements of `i32` over such sums.
//!
//! ```text
//!  if k * 64 + j <= q * 64 + i          negative(j - i + 64k - 64q - 1)
//!  if (k * 64 + j) / 48 <= n            (j + 64k) / 48 <= n, computed in registers
//! ```

#![warn(clippy::arithmetic_side_effects)]

use super::access::Result2d;
use super::translate::{Refused, Translate};
use crate::flow::{BlockStmt, Index, MOST_PER_ELEMENT, Value, ValueKind};
use tt_lang::ir::{CompareOp, ElementOp, ElementType, IntExpr, IntOp, Linear, Span, VarId};

impl Translate<'_> {
    /// An integer of each element that stands for a number.
    pub(super) fn index_as_number(
        &mut self,
        expr: &IntExpr,
        result: &Result2d,
        span: Span,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<ValueKind, Refused> {
        if let Some(index) = index(expr, result) {
            return Ok(ValueKind::Index(index));
        }
        let value = self.integer(expr, result, span, reads);
        Ok(ValueKind::Cast(ElementType::F32, Box::new(value)))
    }

    /// An integer of each element.
    pub(super) fn integer(
        &mut self,
        expr: &IntExpr,
        result: &Result2d,
        span: Span,
        reads: &mut Vec<BlockStmt>,
    ) -> Value {
        let value = |kind| Value { kind, span };
        let call = |op, a, b| value(ValueKind::Call(op, vec![a, b]));
        let of_sum = |linear: &Linear| index(&linear.to_expr(), result).map(|index| value(ValueKind::Integer(index)));
        let sum = Linear::of(expr);
        if let Some(known) = of_sum(&sum) {
            return known;
        }
        // A product, quotient, remainder, minimum or maximum.
        if let (IntExpr::Binary(op, a, b), [(atom, 1)], 0) = (expr, sum.terms.as_slice(), sum.constant)
            && atom == expr
        {
            return self.operation(*op, [a, b], result, span, reads);
        }
        // What is known of it as a sum, and then the rest, one after the other.
        let mut known = Linear {
            constant: sum.constant,
            terms: Vec::new(),
        };
        let mut rest = Vec::new();
        for (atom, factor) in sum.terms {
            let alone = Linear {
                constant: 0,
                terms: vec![(atom.clone(), factor)],
            };
            match of_sum(&alone) {
                Some(_) => known.terms.push((atom, factor)),
                None => rest.push((atom, factor)),
            }
        }
        let mut total = (known != Linear::default()).then(|| of_sum(&known)).flatten();
        for (atom, factor) in rest {
            let one = self.integer(&atom, result, span, reads);
            let constant = |factor| value(ValueKind::Integer(uniform(IntExpr::Const(factor))));
            total = Some(match (total, factor) {
                (None, 1) => one,
                (None, factor) => call(ElementOp::Mul, one, constant(factor)),
                (Some(total), 1) => call(ElementOp::Add, total, one),
                (Some(total), -1) => call(ElementOp::Sub, total, one),
                (Some(total), factor) => call(ElementOp::Add, total, call(ElementOp::Mul, one, constant(factor))),
            });
        }
        total.unwrap_or_else(|| value(ValueKind::Integer(uniform(IntExpr::Const(0)))))
    }

    /// What `op` makes of two integers of each element.
    fn operation(
        &mut self,
        op: IntOp,
        [a, b]: [&IntExpr; 2],
        result: &Result2d,
        span: Span,
        reads: &mut Vec<BlockStmt>,
    ) -> Value {
        let value = |kind| Value { kind, span };
        let call = |op, a, b| value(ValueKind::Call(op, vec![a, b]));
        let constant = |number| value(ValueKind::Integer(uniform(IntExpr::Const(number))));
        // Of what is not below zero, a power of two takes bits.
        let divisor = b.as_const().filter(|divisor| *divisor > 0);
        let bits = divisor.filter(|divisor| divisor.count_ones() == 1 && self.is_natural(a, result));
        let before = divisor.and_then(|divisor| divisor.checked_sub(1)).unwrap_or(0);
        if let (IntOp::CeilDiv, Some(_)) = (op, divisor)
            && self.is_natural(a, result)
        {
            let more = IntExpr::binary(IntOp::Add, a.clone(), IntExpr::Const(before));
            return self.operation(IntOp::Div, [&more, b], result, span, reads);
        }
        let x = self.integer(a, result, span, reads);
        if let Some(bits) = bits {
            match op {
                IntOp::Div => return call(ElementOp::Shr, x, constant(i64::from(bits.trailing_zeros()))),
                IntOp::Rem => return call(ElementOp::BitAnd, x, constant(before)),
                IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::CeilDiv | IntOp::Min | IntOp::Max => {}
            }
        }
        let y = self.integer(b, result, span, reads);
        match op {
            IntOp::Add => call(ElementOp::Add, x, y),
            IntOp::Sub => call(ElementOp::Sub, x, y),
            IntOp::Mul => call(ElementOp::Mul, x, y),
            IntOp::Div => call(ElementOp::Div, x, y),
            IntOp::Min => call(ElementOp::Min, x, y),
            IntOp::Max => call(ElementOp::Max, x, y),
            IntOp::Rem => {
                let [x, y] = [x, y].map(|value| self.computed_once(value, result, reads));
                value(self.remainder(x, y))
            }
            // One more than the quotient where something is left that has the sign of the divisor.
            IntOp::CeilDiv => {
                let [x, y] = [x, y].map(|value| self.computed_once(value, result, reads));
                let quotient = call(ElementOp::Div, x.clone(), y.clone());
                let left = value(self.remainder(x, y.clone()));
                let left = self.computed_once(left, result, reads);
                let of = |op, a: &Value, b: Value| value(ValueKind::Compare(op, Box::new(a.clone()), Box::new(b)));
                let signs = call(ElementOp::BitXor, left.clone(), y);
                let is_up = value(ValueKind::And(
                    Box::new(of(CompareOp::Ne, &left, constant(0))),
                    Box::new(of(CompareOp::Ge, &signs, constant(0))),
                ));
                let [one, none] = [1, 0].map(|number| Box::new(constant(number)));
                let up = value(ValueKind::Select(Box::new(is_up), one, none));
                call(ElementOp::Add, quotient, up)
            }
        }
    }

    /// A comparison of integers.
    pub(super) fn compare_indices(
        &mut self,
        op: CompareOp,
        a: &IntExpr,
        b: &IntExpr,
        result: &Result2d,
        span: Span,
        reads: &mut Vec<BlockStmt>,
    ) -> ValueKind {
        let less = IntExpr::binary(IntOp::Sub, a.clone(), b.clone());
        let Some(below) = index(&less, result) else {
            let [a, b] = [a, b].map(|side| Box::new(self.integer(side, result, span, reads)));
            return ValueKind::Compare(op, a, b);
        };
        // With zero: a > b where b - a < 0, a <= b where not a > b.
        let above = below.negated(0);
        let at_most = above.negated(1);
        let at_least = below.negated(1);
        let negative = |index| Value {
            kind: ValueKind::Negative(index),
            span,
        };
        match op {
            CompareOp::Lt => ValueKind::Negative(below),
            CompareOp::Gt => ValueKind::Negative(above),
            CompareOp::Le => ValueKind::Negative(at_most),
            CompareOp::Ge => ValueKind::Negative(at_least),
            CompareOp::Eq => ValueKind::And(Box::new(negative(at_most)), Box::new(negative(at_least))),
            CompareOp::Ne => ValueKind::Or(Box::new(negative(below)), Box::new(negative(above))),
        }
    }

    /// Whether an integer of each element is never below zero.
    fn is_natural(&self, expr: &IntExpr, result: &Result2d) -> bool {
        let mut least = Linear::of(expr);
        for (var, extent) in [result.row, result.column].into_iter().zip(result.extent) {
            if let Some(var) = var
                && least.coefficient(var) < 0
            {
                let last = i64::try_from(extent).unwrap_or(i64::MAX).saturating_sub(1);
                let way = last.saturating_mul(least.coefficient(var));
                least = least.without(var);
                least.constant = least.constant.saturating_add(way);
            }
        }
        self.signs.is_at_least(&least.to_expr(), 0)
    }
}

/// An integer that is the same for all elements.
pub(super) fn uniform(rest: IntExpr) -> Index {
    Index {
        row: 0,
        column: 0,
        rest,
    }
}

/// An integer of each element that is a sum of multiples of its indices and of what is the same for all.
fn index(expr: &IntExpr, result: &Result2d) -> Option<Index> {
    let linear = Linear::of(expr);
    let of = |var: Option<VarId>| var.map_or(0, |var| linear.coefficient(var));
    let (row, column) = (of(result.row), of(result.column));
    let indices = [result.row, result.column];
    let rest = indices.into_iter().flatten().fold(linear, Linear::without);
    let is_sum = !indices.into_iter().flatten().any(|var| rest.mentions(var));
    let is_small = [row, column].iter().all(|step| step.unsigned_abs() <= MOST_PER_ELEMENT);
    let rest = rest.to_expr();
    (is_sum && is_small).then_some(Index { row, column, rest })
}
