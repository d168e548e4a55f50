//! Formulas of the plan as C++ over a struct `arguments` that holds extents and scalars.

use super::members::Members;
use crate::codegen::expression::{Precedence, Text};
use tt_lang::ir::{ElementOp, IntOp};
use tt_plan::{Formula, FormulaOp, Number};

/// An integer formula, over `int64_t`.
pub fn integer(formula: &Formula, members: &Members) -> Text {
    let (op, a, b) = match formula {
        Formula::Const(value) => {
            return Text::integer(*value).unwrap_or_else(|| Text::primary(format!("INT64_C({value})")));
        }
        Formula::Name(name) => return Text::primary(members.argument(name)),
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
    let (a, b) = (integer(a, members), integer(b, members));
    match op {
        IntOp::CeilDiv => Text::primary(format!("ceil_div({}, {})", a.into_string(), b.into_string())),
        IntOp::Min => Text::primary(format!("std::min<int64_t>({}, {})", a.into_string(), b.into_string())),
        IntOp::Max => Text::primary(format!("std::max<int64_t>({}, {})", a.into_string(), b.into_string())),
        _ => Text::int_op(op, &a, &b),
    }
}

/// A number, over `double`.
pub fn number(value: &Number, members: &Members) -> Text {
    match value {
        Number::Bits(bits) => {
            let value = f32::from_bits(*bits);
            if value.is_finite() {
                let precedence = if value.is_sign_negative() {
                    Precedence::Unary
                } else {
                    Precedence::Primary
                };
                Text::new(format!("{value:?}"), precedence)
            } else {
                Text::primary(format!("std::bit_cast<float>(0x{bits:08x}u)"))
            }
        }
        Number::Scalar(name) => Text::primary(format!("double({})", members.argument(name))),
        Number::Int(formula) => Text::primary(format!("double({})", integer(formula, members).into_string())),
        Number::Call(op, args) => call(*op, &args.iter().map(|arg| number(arg, members)).collect::<Vec<_>>()),
    }
}

/// An operation of the language on numbers, as C++ has it.
fn call(op: ElementOp, args: &[Text]) -> Text {
    let arg = |index: usize| args.get(index).cloned().unwrap_or_else(|| Text::primary("0.0"));
    let of = |function: &str| Text::primary(format!("{function}({})", arg(0).into_string()));
    let with = |function: &str| {
        Text::primary(format!(
            "{function}({}, {})",
            arg(0).into_string(),
            arg(1).into_string()
        ))
    };
    let tight = |index: usize| arg(index).at_least(Precedence::Primary);
    let (x, y, z) = (tight(0), tight(1), tight(2));
    let sum = |text: String| Text::new(text, Precedence::Sum);
    let product = |text: String| Text::new(text, Precedence::Product);
    let choice = |text: String| Text::new(text, Precedence::Conditional);
    match op {
        ElementOp::Add => sum(format!("{x} + {y}")),
        ElementOp::Sub => sum(format!("{x} - {y}")),
        ElementOp::Mul => product(format!("{x} * {y}")),
        ElementOp::Div => product(format!("{x} / {y}")),
        ElementOp::Neg => Text::new(format!("-{x}"), Precedence::Unary),
        ElementOp::Exp => of("std::exp"),
        ElementOp::Exp2 => of("std::exp2"),
        ElementOp::Log => of("std::log"),
        ElementOp::Log2 => of("std::log2"),
        ElementOp::Log1p => of("std::log1p"),
        ElementOp::Expm1 => of("std::expm1"),
        ElementOp::Sqrt => of("std::sqrt"),
        ElementOp::Rsqrt => product(format!("1.0 / std::sqrt({x})")),
        ElementOp::Recip => product(format!("1.0 / {x}")),
        ElementOp::Abs => of("std::abs"),
        ElementOp::Sign => choice(format!("{x} > 0.0 ? 1.0 : {x} < 0.0 ? -1.0 : 0.0")),
        ElementOp::Square => product(format!("{x} * {x}")),
        ElementOp::Powf | ElementOp::Powi => with("std::pow"),
        ElementOp::Sin => of("std::sin"),
        ElementOp::Cos => of("std::cos"),
        ElementOp::Tan => of("std::tan"),
        ElementOp::Asin => of("std::asin"),
        ElementOp::Acos => of("std::acos"),
        ElementOp::Atan => of("std::atan"),
        ElementOp::Sinh => of("std::sinh"),
        ElementOp::Cosh => of("std::cosh"),
        ElementOp::Tanh => of("std::tanh"),
        ElementOp::Sigmoid => product(format!("1.0 / (1.0 + std::exp(-{x}))")),
        ElementOp::Silu => product(format!("{x} / (1.0 + std::exp(-{x}))")),
        ElementOp::Gelu => product(format!("0.5 * {x} * (1.0 + std::erf({x} / std::sqrt(2.0)))")),
        ElementOp::Relu => Text::primary(format!("std::max<double>({x}, 0.0)")),
        ElementOp::LeakyRelu => choice(format!("{x} > 0.0 ? {x} : {x} * {y}")),
        ElementOp::Elu => choice(format!("{x} > 0.0 ? {x} : {y} * std::expm1({x})")),
        ElementOp::Softplus => sum(format!(
            "std::max<double>({x}, 0.0) + std::log1p(std::exp(-std::abs({x})))"
        )),
        ElementOp::Erf => of("std::erf"),
        ElementOp::Erfc => of("std::erfc"),
        ElementOp::Floor => of("std::floor"),
        ElementOp::Ceil => of("std::ceil"),
        ElementOp::Round => of("std::round"),
        ElementOp::Trunc => of("std::trunc"),
        ElementOp::Min => with("std::min<double>"),
        ElementOp::Max => with("std::max<double>"),
        ElementOp::Clamp => Text::primary(format!("std::min<double>(std::max<double>({x}, {y}), {z})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_read_as_an_engineer_would_write_them() {
        let members = Members::of(["N", "default"].into_iter(), [].into_iter());
        let n = || Formula::Name("N".into());
        let blocks = Formula::binary(IntOp::CeilDiv, n(), Formula::Const(128));
        let padded = Formula::binary(IntOp::Mul, Formula::binary(IntOp::Sub, blocks, Formula::Const(1)), n());
        assert_eq!(
            integer(&padded, &members).into_string(),
            "(ceil_div(arguments.N, 128) - 1) * arguments.N"
        );
        let scale = Number::Call(ElementOp::Rsqrt, vec![Number::Int(n())]);
        let minus = Number::Call(ElementOp::Sub, vec![Number::Scalar("default".into()), scale]);
        assert_eq!(
            number(&minus, &members).into_string(),
            "double(arguments.default_2) - (1.0 / std::sqrt(double(arguments.N)))"
        );
        assert_eq!(
            number(&Number::constant(f32::NEG_INFINITY), &members).into_string(),
            "std::bit_cast<float>(0xff800000u)"
        );
    }
}
