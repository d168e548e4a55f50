//! What is known of a value of the emitted code: a range of integers, or an address within the window of a buffer.

use crate::device::function::{GET_READ_PTR, GET_WRITE_PTR};
use crate::device::{Call, Expr, Program};
use crate::flow::{Buffer, BufferId};
use std::collections::BTreeMap;
use tt_lang::ir::{IntOp, ScalarKind};
use tt_plan::{Formula, FormulaOp, Parameter, Plan, RuntimeValue};

/// Bounds beyond which a value counts as unbounded. No index or address comes near, and sums of a few cannot overflow.
const LIMIT: i64 = 1 << 40;

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
    pub const ANY: Range = Range { low: -LIMIT, high: LIMIT };

    /// One integer.
    pub fn one(value: i64) -> Range {
        Range::new(value, value)
    }

    /// From `low` to `high`, cut to the limits.
    pub fn new(low: i64, high: i64) -> Range {
        Range { low: low.clamp(-LIMIT, LIMIT), high: high.clamp(-LIMIT, LIMIT) }
    }

    /// The integer, where it is only one.
    pub fn exact(self) -> Option<i64> {
        (self.low == self.high && self.low.abs() < LIMIT).then_some(self.low)
    }

    /// The least range that holds both.
    pub fn hull(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn bounds(values: impl IntoIterator<Item = i64>) -> Range {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return Range::ANY };
        values.fold(Range::one(first), |range, value| range.hull(Range::one(value)))
    }

    fn is_bounded(self) -> bool {
        self.low > -LIMIT && self.high < LIMIT
    }

    /// `self op other`.
    fn apply(self, op: IntOp, other: Range) -> Range {
        let corners = |op: fn(i64, i64) -> i64| {
            if !self.is_bounded() || !other.is_bounded() {
                return Range::ANY;
            }
            let range = Range::bounds([(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)].map(|(a, b)| op(a, b)));
            Range::new(range.low, range.high)
        };
        match op {
            IntOp::Add => Range::new(self.low + other.low, self.high + other.high),
            IntOp::Sub => Range::new(self.low - other.high, self.high - other.low),
            IntOp::Mul => corners(i64::saturating_mul),
            IntOp::Div if other.low > 0 => corners(|a, b| a / b),
            IntOp::CeilDiv if other.low > 0 && self.low >= 0 => corners(|a, b| (a + b - 1) / b),
            IntOp::Rem if other.low > 0 && self.low >= 0 => Range::new(0, self.high.min(other.high - 1)),
            IntOp::Rem if other.low > 0 => Range::new(1 - other.high, other.high - 1),
            IntOp::Div | IntOp::CeilDiv | IntOp::Rem => Range::ANY,
            IntOp::Min => Range { low: self.low.min(other.low), high: self.high.min(other.high) },
            IntOp::Max => Range { low: self.low.max(other.low), high: self.high.max(other.high) },
        }
    }
}

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

/// The names in scope and what is known of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Env(pub BTreeMap<String, Value>);

impl Env {
    /// At the start of a program: its arguments. Extents are at least 1, an empty tensor is refused at launch.
    pub fn of(program: &Program, plan: &Plan) -> Env {
        let known = program.args.iter().map(|arg| {
            let range = match &arg.value {
                RuntimeValue::Formula(formula) => formula_range(formula, plan),
                RuntimeValue::StartId | RuntimeValue::Count => Range::new(0, LIMIT),
                RuntimeValue::Flag { .. } => Range::new(0, 1),
                RuntimeValue::Address(_) | RuntimeValue::Number(_) => Range::ANY,
            };
            (arg.name.clone(), Value::Int(range))
        });
        Env(known.collect())
    }

    /// What is known of the variable of a loop over `start..end`, and whether the loop surely runs.
    pub fn loop_range(&self, start: &Expr, end: &Expr, buffers: &[Buffer]) -> (Range, bool) {
        let (start, end) = (self.value(start, buffers).int(), self.value(end, buffers).int());
        (Range { low: start.low, high: end.high.saturating_sub(1).max(start.low) }, end.low > start.high)
    }

    /// What is known of `name`.
    pub fn get(&self, name: &str) -> Value {
        self.0.get(name).copied().unwrap_or(Value::UNKNOWN)
    }

    /// What is known where either may be the case.
    pub fn join(&self, other: &Env) -> Env {
        let both = self.0.iter().filter_map(|(name, a)| Some((name.clone(), a.join(*other.0.get(name)?))));
        Env(both.collect())
    }

    /// Forgets the addresses at one end of a buffer: it has moved.
    pub fn moved(&mut self, buffer: BufferId, end: End) {
        self.0.retain(|_, value| !matches!(value, Value::Address(of, at, _) if *of == buffer && *at == end));
    }

    /// What is known of `expr`.
    pub fn value(&self, expr: &Expr, buffers: &[Buffer]) -> Value {
        let int = |value: i64| Value::Int(Range::one(value));
        match expr {
            Expr::Int(value) => int(*value),
            Expr::Bool(value) => int(i64::from(*value)),
            Expr::Name(name) => self.get(name),
            Expr::Buffer(id) => Value::Buffer(*id),
            Expr::PageBytes(id) => {
                buffers.get(id.0).map_or(Value::UNKNOWN, |buffer| int(i64::from(buffer.format.tile_bytes())))
            }
            Expr::Call(call) => self.pointer(call, buffers),
            Expr::Binary(op, a, b) => self.operation(op, self.value(a, buffers), self.value(b, buffers)),
            Expr::User(_)
            | Expr::Condition(_)
            | Expr::Number(_)
            | Expr::Accessor(_)
            | Expr::TensorTiles(..)
            | Expr::TensorExtent(..)
            | Expr::TensorAxis(..)
            | Expr::Constant(_) => Value::UNKNOWN,
        }
    }

    fn pointer(&self, call: &Call, buffers: &[Buffer]) -> Value {
        let end = match call.function {
            function if *function == GET_WRITE_PTR => End::Back,
            function if *function == GET_READ_PTR => End::Front,
            _ => return Value::UNKNOWN,
        };
        match call.args.first().map(|arg| self.value(arg, buffers)) {
            Some(Value::Buffer(buffer)) => Value::Address(buffer, end, Range::one(0)),
            _ => Value::UNKNOWN,
        }
    }

    fn operation(&self, op: &str, a: Value, b: Value) -> Value {
        let arithmetic = |op| Value::Int(bounded(op, a.int(), b.int()));
        let truth = |always: bool, never: bool| Value::Int(Range::new(i64::from(always), i64::from(!never)));
        let (x, y) = (a.int(), b.int());
        match op {
            "+" => match (a, b) {
                (Value::Address(buffer, end, at), Value::Int(by)) | (Value::Int(by), Value::Address(buffer, end, at)) => {
                    Value::Address(buffer, end, at.apply(IntOp::Add, by))
                }
                _ => arithmetic(IntOp::Add),
            },
            "-" => arithmetic(IntOp::Sub),
            "*" => arithmetic(IntOp::Mul),
            "/" => arithmetic(IntOp::Div),
            "%" => arithmetic(IntOp::Rem),
            "min" => arithmetic(IntOp::Min),
            "max" => arithmetic(IntOp::Max),
            "<" => truth(x.high < y.low, x.low >= y.high),
            "<=" => truth(x.high <= y.low, x.low > y.high),
            ">" => truth(x.low > y.high, x.high <= y.low),
            ">=" => truth(x.low >= y.high, x.high < y.low),
            "==" => truth(x == y && x.exact().is_some(), x.high < y.low || x.low > y.high),
            "!=" => truth(x.high < y.low || x.low > y.high, x == y && x.exact().is_some()),
            "&&" => truth(x.low > 0 && y.low > 0, x == Range::one(0) || y == Range::one(0)),
            "||" => truth(x.low > 0 || y.low > 0, x == Range::one(0) && y == Range::one(0)),
            _ => Value::UNKNOWN,
        }
    }

    /// What is known besides where `cond` holds: names compared with constants.
    pub fn assume(&mut self, cond: &Expr, buffers: &[Buffer]) {
        let Expr::Binary(op, a, b) = cond else { return };
        if *op == "&&" {
            self.assume(a, buffers);
            self.assume(b, buffers);
            return;
        }
        let (Expr::Name(name), Value::Int(bound)) = (&**a, self.value(b, buffers)) else { return };
        let Value::Int(known) = self.get(name) else { return };
        let range = match *op {
            "<" => Range { low: known.low, high: known.high.min(bound.high.saturating_sub(1)) },
            "<=" => Range { low: known.low, high: known.high.min(bound.high) },
            ">" => Range { low: known.low.max(bound.low.saturating_add(1)), high: known.high },
            ">=" => Range { low: known.low.max(bound.low), high: known.high },
            "==" => Range { low: known.low.max(bound.low), high: known.high.min(bound.high) },
            _ => return,
        };
        self.0.insert(name.clone(), Value::Int(range));
    }
}

/// As [`Range::apply`], keeping a lower bound where only the upper one is missing.
fn bounded(op: IntOp, a: Range, b: Range) -> Range {
    let positive = a.low >= 0 && b.low >= 0;
    match op {
        IntOp::Mul if positive => Range::new(a.low.saturating_mul(b.low), a.high.saturating_mul(b.high)),
        IntOp::Div if positive && b.high < LIMIT && b.low > 0 => Range::new(a.low / b.high, LIMIT),
        IntOp::CeilDiv if positive && b.high < LIMIT && b.low > 0 => Range::new((a.low + b.high - 1) / b.high, LIMIT),
        // One block even of the smallest extent.
        IntOp::CeilDiv if a.low >= 1 && b.low >= 1 => Range::new(1, LIMIT),
        _ => a.apply(op, b),
    }
}

fn formula_range(formula: &Formula, plan: &Plan) -> Range {
    let (op, a, b) = match formula {
        Formula::Const(value) => return Range::one(*value),
        Formula::Name(name) if plan.extents.contains(name) => return Range::new(1, LIMIT),
        Formula::Name(name) => {
            let unsigned = plan.parameters.iter().any(
                |parameter| matches!(parameter, Parameter::Scalar { name: of, kind: ScalarKind::U32 } if of == name),
            );
            return if unsigned { Range::new(0, LIMIT) } else { Range::ANY };
        }
        Formula::Op(op) => match &**op {
            FormulaOp::Add(a, b) => (IntOp::Add, a, b),
            FormulaOp::Sub(a, b) => (IntOp::Sub, a, b),
            FormulaOp::Mul(a, b) => (IntOp::Mul, a, b),
            FormulaOp::Div(a, b) => (IntOp::Div, a, b),
            FormulaOp::Rem(a, b) => (IntOp::Rem, a, b),
            FormulaOp::CeilDiv(a, b) => (IntOp::CeilDiv, a, b),
            FormulaOp::Min(a, b) => (IntOp::Min, a, b),
            FormulaOp::Max(a, b) => (IntOp::Max, a, b),
        },
    };
    bounded(op, formula_range(a, plan), formula_range(b, plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::call;

    #[test]
    fn an_index_is_bounded_by_the_condition_around_it() {
        let mut env = Env::default();
        let edge = || Expr::name("edge");
        let present = Expr::binary(
            "&&",
            Expr::binary("!=", Expr::name("filled"), Expr::Int(0)),
            Expr::binary("&&", Expr::binary(">=", edge(), Expr::Int(0)), Expr::binary("<", edge(), Expr::Int(4))),
        );
        env.assume(&present, &[]);
        let index = Expr::binary("+", Expr::binary("*", edge(), Expr::Int(2)), Expr::Int(1));
        assert_eq!(env.value(&index, &[]), Value::Int(Range::new(1, 7)));
        assert_eq!(env.value(&Expr::binary("<", index, Expr::Int(8)), &[]), Value::Int(Range::one(1)));
    }

    #[test]
    fn an_address_is_forgotten_when_its_buffer_moves() {
        let crate::device::Leaf::Call(pointer) = call(&GET_WRITE_PTR, [Expr::Buffer(BufferId(0))]) else { unreachable!() };
        let mut env = Env::default();
        env.0.insert("dst".into(), env.value(&Expr::Call(Box::new(pointer)), &[]));
        let next = env.value(&Expr::binary("+", Expr::name("dst"), Expr::Int(2048)), &[]);
        assert_eq!(next, Value::Address(BufferId(0), End::Back, Range::one(2048)));
        env.moved(BufferId(0), End::Front);
        assert_ne!(env.get("dst"), Value::UNKNOWN);
        env.moved(BufferId(0), End::Back);
        assert_eq!(env.get("dst"), Value::UNKNOWN);
    }
}
