//! Expressions as they are written: integers, conditions, numbers, elements.

use super::{Source, raw};
use crate::ir::*;

impl Source<'_> {
    pub(super) fn int(&self, expr: &IntExpr) -> String {
        let is_sum = |x: &IntExpr| matches!(x, IntExpr::Binary(IntOp::Add | IntOp::Sub, ..));
        let is_product = |x: &IntExpr| matches!(x, IntExpr::Binary(IntOp::Mul | IntOp::Div | IntOp::Rem, ..));
        let side = |x: &IntExpr, parentheses: bool| match parentheses {
            true => format!("({})", self.int(x)),
            false => self.int(x),
        };
        match expr {
            IntExpr::Const(value) => value.to_string(),
            IntExpr::Extent(id) => raw(self.kernel.extent(*id)),
            IntExpr::Scalar(id) => match &self.kernel.params[id.index()] {
                Param::Derived(DerivedParam { op, sides: [a, b], .. }) => {
                    let (a, b) = (self.number(a), self.number(b));
                    format!("(if {a} {} {b} {{ 1 }} else {{ 0 }})", op.symbol())
                }
                Param::Scalar(_) | Param::Tensor(_) | Param::Temporary(_) => self.param_name(*id),
            },
            IntExpr::Var(id) | IntExpr::Fetched(id) => self.variables[id.index()].clone(),
            IntExpr::Binary(op, a, b) => {
                let binary = |symbol: &str, tight: bool| {
                    let left = side(a, tight && is_sum(a));
                    format!("{left} {symbol} {}", side(b, is_sum(b) || tight && is_product(b)))
                };
                let method = |name: &str| {
                    let is_plain = !matches!(&**a, IntExpr::Binary(..) | IntExpr::Const(i64::MIN..=-1));
                    format!("{}.{name}({})", side(a, !is_plain), self.int(b))
                };
                match op {
                    IntOp::Add => binary("+", false),
                    IntOp::Sub => binary("-", false),
                    IntOp::Mul => binary("*", true),
                    IntOp::Div => binary("/", true),
                    IntOp::Rem => binary("%", true),
                    IntOp::CeilDiv => method("div_ceil"),
                    IntOp::Min => method("min"),
                    IntOp::Max => method("max"),
                }
            }
        }
    }

    pub(super) fn condition(&self, expr: &BoolExpr) -> String {
        match expr {
            BoolExpr::Const(value) => value.to_string(),
            BoolExpr::Compare(op, a, b) => format!("{} {} {}", self.int(a), op.symbol(), self.int(b)),
            BoolExpr::CompareNumbers(op, a, b) => format!("{} {} {}", self.number(a), op.symbol(), self.number(b)),
            BoolExpr::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            BoolExpr::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            BoolExpr::Not(a) => format!("!({})", self.condition(a)),
        }
    }

    pub(super) fn number(&self, number: &NumberExpr) -> String {
        match number {
            NumberExpr::Literal(Real(value)) => float(*value),
            NumberExpr::Scalar(id) => self.param_name(*id),
            NumberExpr::Int(expr @ IntExpr::Binary(..)) => format!("(({}) as f32)", self.int(expr)),
            NumberExpr::Int(expr) => format!("({} as f32)", self.int(expr)),
            NumberExpr::Call(op, args) => {
                let argument = |arg: &NumberExpr| {
                    if *op == ElementOp::Powi
                        && let NumberExpr::Int(exponent) = arg
                    {
                        return self.int(exponent);
                    }
                    self.number(arg)
                };
                call(*op, args.iter().map(argument).collect())
            }
        }
    }

    /// An element expression where a number of the kind of `class` is wanted.
    pub(super) fn element(&self, element: &Element, class: ElementType) -> String {
        let show = |x: &Element| self.element(x, class);
        match &element.kind {
            ElementKind::Float(Real(value)) => float(*value),
            ElementKind::Bool(value) => value.to_string(),
            ElementKind::Scalar(id) => self.param_name(*id),
            ElementKind::Int(expr) if class.is_integer() => format!("({})", self.int(expr)),
            ElementKind::Int(expr @ IntExpr::Binary(..)) => format!("(({}) as f32)", self.int(expr)),
            ElementKind::Int(expr) => format!("({} as f32)", self.int(expr)),
            ElementKind::Load(access) => self.access(access),
            ElementKind::Call(op, args) => {
                let class = element.operand_type(self.kernel, class);
                let show = |x: &Element| self.element(x, class);
                let argument = |arg: &Element| {
                    if *op == ElementOp::Powi
                        && let ElementKind::Int(exponent) = &arg.kind
                    {
                        return self.int(exponent);
                    }
                    show(arg)
                };
                call(*op, args.iter().map(argument).collect())
            }
            ElementKind::Compare(op, a, b) => {
                let class = element.operand_type(self.kernel, class);
                format!(
                    "({} {} {})",
                    self.element(a, class),
                    op.symbol(),
                    self.element(b, class)
                )
            }
            ElementKind::CompareInt(op, a, b) => format!("({} {} {})", self.int(a), op.symbol(), self.int(b)),
            ElementKind::And(a, b) => format!("({} && {})", show(a), show(b)),
            ElementKind::Or(a, b) => format!("({} || {})", show(a), show(b)),
            ElementKind::Not(a) => format!("(!{})", show(a)),
            ElementKind::Select(c, a, b) => format!("(if {} {{ {} }} else {{ {} }})", show(c), show(a), show(b)),
            ElementKind::Cast(to, a) => {
                let class = element.operand_type(self.kernel, class);
                format!("({} as {})", self.element(a, class), to.name())
            }
        }
    }
}

/// A number as the shortest literal or constant that is its `f32`.
fn float(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        "f32::NAN".to_string()
    } else if value == f32::INFINITY {
        "f32::INFINITY".to_string()
    } else if value == f32::NEG_INFINITY {
        "f32::NEG_INFINITY".to_string()
    } else if value.is_sign_negative() {
        format!("({value:?})")
    } else {
        format!("{value:?}")
    }
}

/// An operation with its arguments as written.
fn call(op: ElementOp, args: Vec<String>) -> String {
    let row = op.row();
    if op == ElementOp::FromBits {
        return format!("f32::from_bits({})", args.join(", "));
    }
    match (row.operator, args.as_slice()) {
        (Some(operator), [a]) => format!("({operator}{a})"),
        (Some(operator), [a, b]) => format!("({a} {operator} {b})"),
        (_, [first, rest @ ..]) => format!("{first}.{}({})", row.name, rest.join(", ")),
        (_, []) => format!("{}()", row.name),
    }
}
