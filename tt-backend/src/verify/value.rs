//! What is known of a value of the emitted code: a range of integers, or an address within the window of a buffer.

use super::range::{self, LIMIT, Range};
use crate::device::function::{GET_READ_PTR, GET_WRITE_PTR, PLACE_ON_CURVE};
use crate::device::{Bits, Call, Expr, Operator, Program};
use crate::flow::{Buffer, BufferId};
use std::rc::Rc;
use tt_lang::ir::IntOp;
use tt_plan::{Plan, RuntimeValue};

/// Which end of a buffer an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The pages reserved at the back.
    Back,
    /// The pages at the front.
    Front,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// An integer.
    Int(Range),
    /// The index of a buffer.
    Buffer(BufferId),
    /// Bytes from the first page of an end of a buffer.
    Address(BufferId, End, Range),
}

impl Value {
    /// Nothing is known.
    pub const UNKNOWN: Value = Value::Int(Range::ANY);

    /// The least that holds of both.
    pub fn join(self, other: Value) -> Value {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.hull(b)),
            (Value::Address(a, end, x), Value::Address(b, other_end, y)) if a == b && end == other_end => {
                Value::Address(a, end, x.hull(y))
            }
            (a, b) if a == b => a,
            _ => Value::UNKNOWN,
        }
    }

    fn int(self) -> Range {
        match self {
            Value::Int(range) => range,
            Value::Buffer(_) | Value::Address(..) => Range::ANY,
        }
    }
}

/// Names that a copy of what is known shares with it, as long as nothing of them changes.
const TOGETHER: usize = 32;

/// The names in scope and what is known of them, the innermost last. A copy, as every branch takes one, costs little.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Env<'a>(Vec<Rc<Vec<(&'a str, Value)>>>);

impl<'a> Env<'a> {
    /// At the start of a program: its arguments. Extents are at least 1, an empty tensor is refused at launch.
    pub fn of(program: &'a Program, plan: &Plan) -> Env<'a> {
        let known = program.args.iter().map(|arg| {
            let range = match &arg.value {
                RuntimeValue::Formula(formula) => range::of(formula, plan),
                RuntimeValue::FirstPage(_)
                | RuntimeValue::StartId
                | RuntimeValue::Count
                | RuntimeValue::RunPitch
                | RuntimeValue::Place(_)
                | RuntimeValue::Sender(_) => Range::new(0, LIMIT),
                RuntimeValue::Cores(_) | RuntimeValue::Every(_) | RuntimeValue::Step | RuntimeValue::RunLength => {
                    Range::new(1, LIMIT)
                }
                RuntimeValue::Flag { .. } => Range::new(0, 1),
                RuntimeValue::Address(_) | RuntimeValue::Number(_) | RuntimeValue::Noc { .. } => Range::ANY,
            };
            (arg.name.as_str(), Value::Int(range))
        });
        let mut env = Env::default();
        known.for_each(|(name, value)| env.declare(name, value));
        env
    }

    /// What is known of the variable of a loop over `start..end`, and whether the loop surely runs.
    pub fn loop_range(&self, start: &Expr<Bits>, end: &Expr<Bits>, buffers: &[Buffer]) -> (Range, bool) {
        let (start, end) = (self.value(start, buffers).int(), self.value(end, buffers).int());
        (
            Range {
                low: start.low,
                high: end.high.saturating_sub(1).max(start.low),
            },
            end.low > start.high,
        )
    }

    /// What is known of `name`.
    pub fn get(&self, name: &str) -> Value {
        // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
        let mut all = self.0.as_slice();
        while let [outer @ .., names] = all {
            let mut names = names.as_slice();
            while let [before @ .., (known, value)] = names {
                if *known == name {
                    return *value;
                }
                names = before;
            }
            all = outer;
        }
        Value::UNKNOWN
    }

    /// Declares `name` in the innermost scope.
    pub fn declare(&mut self, name: &'a str, value: Value) {
        match self.0.last_mut() {
            Some(names) if names.len() < TOGETHER => Rc::make_mut(names).push((name, value)),
            Some(_) | None => self.0.push(Rc::new(vec![(name, value)])),
        }
    }

    /// Changes what is known of `name`, where it is declared.
    pub fn assign(&mut self, name: &str, value: Value) {
        for names in self.0.iter_mut().rev() {
            if let Some(at) = names.iter().rposition(|(known, _)| *known == name) {
                Rc::make_mut(names)[at].1 = value;
                return;
            }
        }
    }

    /// Where the innermost scope ends so far.
    pub fn mark(&self) -> usize {
        self.0.iter().map(|names| names.len()).sum()
    }

    /// Leaves all scopes entered since `mark`.
    pub fn leave(&mut self, mark: usize) {
        let mut left = mark;
        self.0.retain_mut(|names| {
            let kept = left.min(names.len());
            left = left.saturating_sub(kept);
            if kept > 0 && kept < names.len() {
                Rc::make_mut(names).truncate(kept);
            }
            kept > 0
        });
    }

    /// Calls `each` for what is known here and in `other`, which has the same names, where they may differ.
    fn beside(&mut self, other: &Env, each: impl Fn(&mut Value, Value)) {
        for (names, others) in self.0.iter_mut().zip(&other.0) {
            // The names of either may live longer than those of the other.
            if !std::ptr::addr_eq(Rc::as_ptr(names), Rc::as_ptr(others)) {
                let all = Rc::make_mut(names).iter_mut().zip(others.iter());
                all.for_each(|((_, value), (_, other))| each(value, *other));
            }
        }
    }

    /// What is known where either may be the case. Both stand in the same scope.
    pub fn join(&mut self, other: &Env) {
        self.beside(other, |value, other| *value = value.join(other));
    }

    /// Forgets everything that is not as in `before`: what changes with every iteration of a loop.
    pub fn widen(&mut self, before: &Env) {
        self.beside(before, |value, before| {
            if *value != before {
                *value = Value::UNKNOWN;
            }
        });
    }

    /// Forgets the addresses at one end of a buffer: it has moved.
    pub fn moved(&mut self, buffer: BufferId, end: End) {
        let is_there = |value: &Value| matches!(value, Value::Address(of, at, _) if *of == buffer && *at == end);
        for names in &mut self.0 {
            if names.iter().any(|(_, value)| is_there(value)) {
                let all = Rc::make_mut(names).iter_mut();
                all.filter(|(_, value)| is_there(value))
                    .for_each(|(_, value)| *value = Value::UNKNOWN);
            }
        }
    }

    /// What is known of `expr`.
    pub fn value(&self, expr: &Expr<Bits>, buffers: &[Buffer]) -> Value {
        let int = |value: i64| Value::Int(Range::one(value));
        match expr {
            Expr::Int(value) => int(*value),
            Expr::Bool(value) => int(i64::from(*value)),
            Expr::Name(name) => self.get(name),
            Expr::Buffer(id) => Value::Buffer(*id),
            Expr::PageBytes(id) => buffers
                .get(id.0)
                .map_or(Value::UNKNOWN, |buffer| int(i64::from(buffer.format.tile_bytes()))),
            Expr::Call(call) => self.call(call, buffers),
            Expr::Binary(op, a, b) => match self.rounded_up(expr, buffers) {
                Some(quotient) => Value::Int(quotient),
                None => self.operation(*op, self.value(a, buffers), self.value(b, buffers)),
            },
            Expr::Value(_) | Expr::Accessor(_) | Expr::Text(_) => Value::UNKNOWN,
        }
    }

    /// `a / b + (a % b != 0)` of what is not negative: one where `a` is one, whatever is left, which neither side tells alone.
    fn rounded_up(&self, expr: &Expr<Bits>, buffers: &[Buffer]) -> Option<Range> {
        let Expr::Binary(Operator::Add, quotient, more) = expr else {
            return None;
        };
        let (Expr::Binary(Operator::Div, a, b), Expr::Binary(Operator::NotEqual, rest, zero)) = (&**quotient, &**more)
        else {
            return None;
        };
        let is_rest = matches!(&**rest, Expr::Binary(Operator::Rem, of, by) if of == a && by == b);
        let [a, b] = [a, b].map(|side| self.value(side, buffers).int());
        let is_quotient = is_rest && **zero == Expr::Int(0) && a.low >= 0 && b.low > 0;
        is_quotient.then(|| range::apply(IntOp::CeilDiv, a, b))
    }

    fn call(&self, call: &Call<Bits>, buffers: &[Buffer]) -> Value {
        let end = match call.function {
            function if *function == GET_WRITE_PTR => End::Back,
            function if *function == GET_READ_PTR => End::Front,
            // A column or a row, unsigned where it is found.
            function if *function == PLACE_ON_CURVE => return Value::Int(Range::new(0, LIMIT)),
            _ => return Value::UNKNOWN,
        };
        match call.args.first().map(|arg| self.value(arg, buffers)) {
            Some(Value::Buffer(buffer)) => Value::Address(buffer, end, Range::one(0)),
            _ => Value::UNKNOWN,
        }
    }

    /// `a + b`
    pub fn sum(&self, a: Value, b: Value) -> Value {
        self.operation(Operator::Add, a, b)
    }

    fn operation(&self, op: Operator, a: Value, b: Value) -> Value {
        let arithmetic = |op| Value::Int(range::apply(op, a.int(), b.int()));
        let truth = |always: bool, never: bool| Value::Int(Range::new(i64::from(always), i64::from(!never)));
        let (x, y) = (a.int(), b.int());
        match op {
            Operator::Add => match (a, b) {
                (Value::Address(buffer, end, at), Value::Int(by))
                | (Value::Int(by), Value::Address(buffer, end, at)) => {
                    Value::Address(buffer, end, range::apply(IntOp::Add, at, by))
                }
                _ => arithmetic(IntOp::Add),
            },
            Operator::Sub => arithmetic(IntOp::Sub),
            Operator::Mul => arithmetic(IntOp::Mul),
            Operator::Div => arithmetic(IntOp::Div),
            Operator::Rem => arithmetic(IntOp::Rem),
            Operator::Min => arithmetic(IntOp::Min),
            Operator::Max => arithmetic(IntOp::Max),
            Operator::Less => truth(x.high < y.low, x.low >= y.high),
            Operator::AtMost => truth(x.high <= y.low, x.low > y.high),
            Operator::Greater => truth(x.low > y.high, x.high <= y.low),
            Operator::AtLeast => truth(x.low >= y.high, x.high < y.low),
            Operator::Equal => truth(x == y && x.exact().is_some(), x.high < y.low || x.low > y.high),
            Operator::NotEqual => truth(x.high < y.low || x.low > y.high, x == y && x.exact().is_some()),
            Operator::And => truth(x.low > 0 && y.low > 0, x == Range::one(0) || y == Range::one(0)),
            Operator::Or => truth(x.low > 0 || y.low > 0, x == Range::one(0) && y == Range::one(0)),
        }
    }

    /// What is known besides where `cond` holds: names compared with constants.
    pub fn assume(&mut self, cond: &Expr<Bits>, buffers: &[Buffer]) {
        let Expr::Binary(op, a, b) = cond else { return };
        if *op == Operator::And {
            self.assume(a, buffers);
            self.assume(b, buffers);
            return;
        }
        let (Expr::Name(name), Value::Int(bound)) = (&**a, self.value(b, buffers)) else {
            return;
        };
        let Value::Int(known) = self.get(name) else { return };
        let range = match *op {
            Operator::Less => Range {
                low: known.low,
                high: known.high.min(bound.high.saturating_sub(1)),
            },
            Operator::AtMost => Range {
                low: known.low,
                high: known.high.min(bound.high),
            },
            Operator::Greater => Range {
                low: known.low.max(bound.low.saturating_add(1)),
                high: known.high,
            },
            Operator::AtLeast => Range {
                low: known.low.max(bound.low),
                high: known.high,
            },
            Operator::Equal => Range {
                low: known.low.max(bound.low),
                high: known.high.min(bound.high),
            },
            Operator::Add
            | Operator::Sub
            | Operator::Mul
            | Operator::Div
            | Operator::Rem
            | Operator::Min
            | Operator::Max
            | Operator::NotEqual
            | Operator::And
            | Operator::Or => return,
        };
        self.assign(name, Value::Int(range));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::call;

    #[test]
    fn an_index_is_bounded_by_the_condition_around_it() {
        let mut env = Env::default();
        env.declare("edge", Value::UNKNOWN);
        let edge = || Expr::name("edge");
        let present = Expr::binary(
            Operator::And,
            Expr::binary(Operator::NotEqual, Expr::name("filled"), Expr::Int(0)),
            Expr::binary(
                Operator::And,
                Expr::binary(Operator::AtLeast, edge(), Expr::Int(0)),
                Expr::binary(Operator::Less, edge(), Expr::Int(4)),
            ),
        );
        env.assume(&present, &[]);
        let index = Expr::binary(
            Operator::Add,
            Expr::binary(Operator::Mul, edge(), Expr::Int(2)),
            Expr::Int(1),
        );
        assert_eq!(env.value(&index, &[]), Value::Int(Range::new(1, 7)));
        assert_eq!(
            env.value(&Expr::binary(Operator::Less, index, Expr::Int(8)), &[]),
            Value::Int(Range::one(1))
        );
    }

    #[test]
    fn a_quotient_that_is_rounded_up_is_one_at_least() {
        let mut env = Env::default();
        env.declare("by", Value::Int(Range::new(0, LIMIT)));
        let quotient = |first, by| {
            let a = || Expr::binary(Operator::Add, Expr::name("by"), Expr::Int(first));
            let rest = Expr::binary(Operator::Rem, a(), Expr::Int(by));
            let more = Expr::binary(Operator::NotEqual, rest, Expr::Int(0));
            Expr::binary(Operator::Add, Expr::binary(Operator::Div, a(), Expr::Int(by)), more)
        };
        assert_eq!(env.value(&quotient(1, 2), &[]).int().low, 1);
        assert_eq!(env.value(&quotient(7, 3), &[]).int().low, 3);
        assert_eq!(env.value(&quotient(0, 2), &[]).int().low, 0);
        assert!(env.value(&quotient(-1, 2), &[]).int().low <= 0);
        assert!(env.value(&quotient(1, -2), &[]).int().low < 0);
    }

    #[test]
    fn an_address_is_forgotten_when_its_buffer_moves() {
        let crate::device::Leaf::Call(pointer) = call(&GET_WRITE_PTR, [Expr::Buffer(BufferId(0))]) else {
            unreachable!()
        };
        let mut env = Env::default();
        env.declare("dst", env.value(&Expr::Call(Box::new(pointer)), &[]));
        let next = env.value(&Expr::binary(Operator::Add, Expr::name("dst"), Expr::Int(2048)), &[]);
        assert_eq!(next, Value::Address(BufferId(0), End::Back, Range::one(2048)));
        env.moved(BufferId(0), End::Front);
        assert_ne!(env.get("dst"), Value::UNKNOWN);
        env.moved(BufferId(0), End::Back);
        assert_eq!(env.get("dst"), Value::UNKNOWN);
    }
}
