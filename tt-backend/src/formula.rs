//! From expressions of the language to formulas of the plan.

use tt_lang::ir::{IntExpr, Kernel, NumberExpr};
use tt_plan::{Formula, Number};

/// `expr` as a formula; `None` where it mentions a variable.
pub fn formula(kernel: &Kernel, expr: &IntExpr) -> Option<Formula> {
    Some(match expr {
        IntExpr::Const(value) => Formula::Const(*value),
        IntExpr::Extent(id) => Formula::Name(kernel.extent(*id).to_string()),
        IntExpr::Scalar(id) => Formula::Name(kernel.params[id.index()].name().to_string()),
        IntExpr::Var(_) => return None,
        IntExpr::Binary(op, a, b) => Formula::binary(*op, formula(kernel, a)?, formula(kernel, b)?),
    })
}

/// A number known at launch as one of the plan; `None` where it mentions a variable, which the language lets into none.
pub fn number(kernel: &Kernel, expr: &NumberExpr) -> Option<Number> {
    Some(match expr {
        NumberExpr::Literal(value) => Number::constant(*value as f32),
        NumberExpr::Scalar(id) => Number::Scalar(kernel.params[id.index()].name().to_string()),
        NumberExpr::Int(value) => Number::Int(formula(kernel, value)?),
        NumberExpr::Call(op, args) => {
            Number::Call(*op, args.iter().map(|arg| number(kernel, arg)).collect::<Option<_>>()?)
        }
    })
}
