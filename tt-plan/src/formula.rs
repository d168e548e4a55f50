//! Formulas over the extents and scalars of a launch.
//!
//! In JSON a formula is a number, a name, or an object with one operation: `{"ceil_div": ["N", 128]}`.

use serde::{Deserialize, Serialize};
use std::fmt;
use tt_lang::ir::{CompareOp, ElementOp, IntOp};

/// An integer formula.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Formula {
    /// A constant.
    Const(i64),
    /// An extent or integer scalar, by name.
    Name(String),
    /// An operation.
    Op(Box<FormulaOp>),
}

/// An operation on formulas.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum FormulaOp {
    Add(Formula, Formula),
    Sub(Formula, Formula),
    Mul(Formula, Formula),
    Div(Formula, Formula),
    Rem(Formula, Formula),
    CeilDiv(Formula, Formula),
    Min(Formula, Formula),
    Max(Formula, Formula),
}

impl FormulaOp {
    /// `op(a, b)`.
    pub fn new(op: IntOp, a: Formula, b: Formula) -> FormulaOp {
        match op {
            IntOp::Add => FormulaOp::Add(a, b),
            IntOp::Sub => FormulaOp::Sub(a, b),
            IntOp::Mul => FormulaOp::Mul(a, b),
            IntOp::Div => FormulaOp::Div(a, b),
            IntOp::Rem => FormulaOp::Rem(a, b),
            IntOp::CeilDiv => FormulaOp::CeilDiv(a, b),
            IntOp::Min => FormulaOp::Min(a, b),
            IntOp::Max => FormulaOp::Max(a, b),
        }
    }

    /// The operation and its operands.
    pub fn parts(&self) -> (IntOp, &Formula, &Formula) {
        match self {
            FormulaOp::Add(a, b) => (IntOp::Add, a, b),
            FormulaOp::Sub(a, b) => (IntOp::Sub, a, b),
            FormulaOp::Mul(a, b) => (IntOp::Mul, a, b),
            FormulaOp::Div(a, b) => (IntOp::Div, a, b),
            FormulaOp::Rem(a, b) => (IntOp::Rem, a, b),
            FormulaOp::CeilDiv(a, b) => (IntOp::CeilDiv, a, b),
            FormulaOp::Min(a, b) => (IntOp::Min, a, b),
            FormulaOp::Max(a, b) => (IntOp::Max, a, b),
        }
    }
}

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaError {
    /// It names something that is not bound.
    Unbound(String),
    /// It overflows or divides by zero.
    Arithmetic(String),
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormulaError::Unbound(name) => write!(f, "`{name}` has no value"),
            FormulaError::Arithmetic(formula) => write!(f, "`{formula}` overflows or divides by zero"),
        }
    }
}

impl Formula {
    /// `op(a, b)`, folded where both are constants.
    pub fn binary(op: IntOp, a: Formula, b: Formula) -> Formula {
        if let (Formula::Const(x), Formula::Const(y)) = (&a, &b)
            && let Some(value) = op.apply(*x, *y)
        {
            return Formula::Const(value);
        }
        Formula::Op(Box::new(FormulaOp::new(op, a, b)))
    }

    /// Its value where `value_of` gives the value of each name.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<i64, FormulaError> {
        match self {
            Formula::Const(value) => Ok(*value),
            Formula::Name(name) => value_of(name).ok_or_else(|| FormulaError::Unbound(name.clone())),
            Formula::Op(op) => {
                let (op, a, b) = op.parts();
                op.apply(a.evaluate(value_of)?, b.evaluate(value_of)?)
                    .ok_or_else(|| FormulaError::Arithmetic(self.to_string()))
            }
        }
    }

    /// Calls `visit` with every name in it.
    pub fn names(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Formula::Const(_) => {}
            Formula::Name(name) => visit(name),
            Formula::Op(op) => {
                let (_, a, b) = op.parts();
                a.names(visit);
                b.names(visit);
            }
        }
    }
}

/// As an expression of Rust.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Const(value) => write!(f, "{value}"),
            Formula::Name(name) => f.write_str(name),
            Formula::Op(op) => {
                let (op, a, b) = op.parts();
                let symbol = op.symbol();
                let side = |x: &Formula| match x {
                    Formula::Op(_) => format!("({x})"),
                    Formula::Const(_) | Formula::Name(_) => x.to_string(),
                };
                match op {
                    IntOp::CeilDiv | IntOp::Min | IntOp::Max => write!(f, "{}.{symbol}({b})", side(a)),
                    IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Rem => {
                        write!(f, "{} {symbol} {}", side(a), side(b))
                    }
                }
            }
        }
    }
}

/// An `f32` formula: computed by the host once per launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// A constant; in JSON its IEEE bits, since JSON has no infinities.
    Bits(u32),
    /// An `f32` scalar, by name.
    Scalar(String),
    /// An integer formula as `f32`.
    Int(Formula),
    /// An operation of the language's table.
    Call(ElementOp, Vec<Number>),
    /// 1 where the comparison holds, else 0; subnormal numbers count as 0.
    Compare(CompareOp, Box<Number>, Box<Number>),
    /// The bf16 that stands for an `f32` in a comparison with bf16 elements.
    Bf16(Neighbour, Box<Number>),
}

/// Which bf16 stands for an `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Neighbour {
    /// The largest that is not above.
    Below,
    /// The smallest that is not below.
    Above,
    /// The same number, NaN where no bf16 is: nothing equals it.
    Same,
}

impl Neighbour {
    /// The bf16 that stands for `value`, as an `f32`; a subnormal `value` counts as 0.
    pub fn of(self, value: f32) -> f32 {
        let value = normal(value);
        let bits = value.to_bits();
        let toward_zero = bits & 0xffff_0000;
        if value.is_nan() || bits == toward_zero {
            return value;
        }
        // Away from zero the next pattern is the next bf16; above the largest that is infinity.
        let away = toward_zero.wrapping_add(0x1_0000);
        f32::from_bits(match (self, value.is_sign_negative()) {
            (Neighbour::Below, false) | (Neighbour::Above, true) => toward_zero,
            (Neighbour::Below, true) | (Neighbour::Above, false) => away,
            (Neighbour::Same, _) => return f32::NAN,
        })
    }
}

/// The value with subnormal numbers as zeros.
fn normal(value: f32) -> f32 {
    if value.is_subnormal() { 0.0 } else { value }
}

impl Number {
    /// The constant `value`.
    pub fn constant(value: f32) -> Number {
        Number::Bits(value.to_bits())
    }

    /// Its value: operations are done in `f64` and rounded once.
    pub fn evaluate(
        &self,
        int: &dyn Fn(&str) -> Option<i64>,
        scalar: &dyn Fn(&str) -> Option<f32>,
    ) -> Result<f64, FormulaError> {
        Ok(match self {
            Number::Bits(bits) => f64::from(f32::from_bits(*bits)),
            Number::Scalar(name) => f64::from(scalar(name).ok_or_else(|| FormulaError::Unbound(name.clone()))?),
            Number::Int(formula) => formula.evaluate(int)? as f64,
            Number::Call(op, args) => {
                let args: Vec<f64> = args
                    .iter()
                    .map(|arg| arg.evaluate(int, scalar))
                    .collect::<Result<_, _>>()?;
                (op.row().value)(&args)
            }
            Number::Compare(op, a, b) => {
                let value = |number: &Number| Ok(normal(number.evaluate(int, scalar)? as f32));
                f64::from(u8::from(op.apply(value(a)?, value(b)?)))
            }
            Number::Bf16(neighbour, number) => f64::from(neighbour.of(number.evaluate(int, scalar)? as f32)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_reads_as_rust_and_round_trips_through_json() {
        let blocks = Formula::binary(IntOp::CeilDiv, Formula::Name("N".into()), Formula::Const(128));
        let all = Formula::binary(IntOp::Mul, blocks, Formula::Name("M".into()));
        assert_eq!(all.to_string(), "(N.div_ceil(128)) * M");
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(json, r#"{"mul":[{"ceil_div":["N",128]},"M"]}"#);
        assert_eq!(serde_json::from_str::<Formula>(&json).unwrap(), all);
        assert_eq!(all.evaluate(&|name| Some(if name == "N" { 130 } else { 3 })), Ok(6));
        assert_eq!(all.evaluate(&|_| None), Err(FormulaError::Unbound("N".into())));
    }

    #[test]
    fn a_bf16_compares_with_the_neighbour_as_with_the_number() {
        let numbers = [
            0.1,
            1.0,
            f32::MAX,
            f32::MIN_POSITIVE,
            1.001 * f32::MIN_POSITIVE,
            1e-40,
            f32::INFINITY,
        ];
        let elements = (0..=u16::MAX).map(|bits| normal(f32::from_bits(u32::from(bits) << 16)));
        let numbers = numbers.map(|number| [number, -number]);
        for x in elements.filter(|x| !x.is_nan()) {
            for number in numbers.as_flattened() {
                let of = |neighbour: Neighbour| neighbour.of(*number);
                let number = normal(*number);
                assert_eq!(x < of(Neighbour::Above), x < number, "{x:e} < {number:e}");
                assert_eq!(x >= of(Neighbour::Above), x >= number, "{x:e} >= {number:e}");
                assert_eq!(x > of(Neighbour::Below), x > number, "{x:e} > {number:e}");
                assert_eq!(x <= of(Neighbour::Below), x <= number, "{x:e} <= {number:e}");
                assert_eq!(x == of(Neighbour::Same), x == number, "{x:e} == {number:e}");
            }
        }
        assert!(Neighbour::Below.of(f32::NAN).is_nan());
    }

    #[test]
    fn a_number_keeps_infinities() {
        let number = Number::Call(
            ElementOp::Mul,
            vec![Number::constant(f32::NEG_INFINITY), Number::Int(Formula::Const(2))],
        );
        let json = serde_json::to_string(&number).unwrap();
        let back: Number = serde_json::from_str(&json).unwrap();
        assert_eq!(back.evaluate(&|_| None, &|_| None), Ok(f64::NEG_INFINITY));
    }
}
