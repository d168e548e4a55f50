//! From expressions of the language to formulas of the plan.

use tt_lang::ir::{IntExpr, Kernel};
use tt_plan::Formula;

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
