//! Integers of the emitted code on the average of all blocks and turns, as formulas over a launch's extents.

use super::takes::constant;
use crate::device::{Expr, Operator, Symbol};
use std::collections::BTreeMap;
use tt_lang::ir::{IntExpr, IntOp, Kernel, VarId};
use tt_plan::{Formula, formula};

/// The values of a variable.
#[derive(Debug, Clone)]
pub(super) struct Values {
    /// Where others are in the middle of theirs: from one to before another.
    pub(super) usual: [Formula; 2],
    /// Wherever others are.
    pub(super) all: [Formula; 2],
    /// It is that of a loop.
    pub(super) is_of_loop: bool,
}

/// Which of the values of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum At {
    First,
    Middle,
    Last,
}

impl At {
    /// Which value of a variable makes what is taken away from something the other end of it.
    pub(super) fn turned(self) -> At {
        match self {
            At::First => At::Last,
            At::Middle => At::Middle,
            At::Last => At::First,
        }
    }
}

impl Values {
    pub(super) fn at(&self, at: At) -> Formula {
        match at {
            At::First => self.all[0].clone(),
            At::Last => difference(self.all[1].clone(), constant(1)),
            At::Middle => {
                let [start, end] = self.usual.clone();
                let both = sum(start, end);
                Formula::binary(IntOp::Div, difference(both, constant(1)), constant(2))
            }
        }
    }
}

/// What is known of integers.
pub(super) struct Integers<'k> {
    pub(super) kernel: &'k Kernel,
    /// Of the variables of the grid and of loops.
    pub(super) values: BTreeMap<VarId, Values>,
}

impl Integers<'_> {
    /// An integer on the average of all blocks.
    pub(super) fn value(&self, expr: &Expr<Symbol>) -> Option<Formula> {
        self.value_at(expr, At::Middle)
    }

    /// An integer where variables have these of their values.
    pub(super) fn value_at(&self, expr: &Expr<Symbol>, at: At) -> Option<Formula> {
        match expr {
            Expr::Int(value) => Some(Formula::Const(*value)),
            Expr::Value(Symbol::Int(of) | Symbol::Wide(of)) => self.integer(of, at),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    Operator::Add => IntOp::Add,
                    Operator::Sub => IntOp::Sub,
                    Operator::Mul => IntOp::Mul,
                    Operator::Div => IntOp::Div,
                    Operator::Rem => IntOp::Rem,
                    Operator::Min => IntOp::Min,
                    Operator::Max => IntOp::Max,
                    Operator::And
                    | Operator::Or
                    | Operator::Equal
                    | Operator::NotEqual
                    | Operator::Less
                    | Operator::AtMost
                    | Operator::Greater
                    | Operator::AtLeast => return None,
                };
                Some(Formula::binary(
                    op,
                    self.value_at(a, at)?,
                    self.value_at(b, of_second(op, at))?,
                ))
            }
            Expr::Bool(_)
            | Expr::Name(_)
            | Expr::Value(_)
            | Expr::Buffer(_)
            | Expr::PageBytes(_)
            | Expr::Accessor(_)
            | Expr::Text(_)
            | Expr::Call(_) => None,
        }
    }

    pub(super) fn integer(&self, expr: &IntExpr, at: At) -> Option<Formula> {
        match expr {
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) => formula(self.kernel, expr),
            IntExpr::Var(var) => self.values.get(var).map(|values| values.at(at)),
            IntExpr::Fetched(_) => None,
            IntExpr::Binary(op, a, b) => {
                let b = self.integer(b, of_second(*op, at))?;
                Some(Formula::binary(*op, self.integer(a, at)?, b))
            }
        }
    }

    /// Whether an integer is surely not below 0: it is made of extents.
    pub(super) fn is_natural(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Const(value) => *value >= 0,
            Formula::Name(name) => self.kernel.extents.iter().any(|extent| extent.name == *name),
            Formula::Op(op) => {
                let (op, a, b) = op.parts();
                match op {
                    IntOp::Add | IntOp::Mul | IntOp::Div | IntOp::CeilDiv | IntOp::Rem | IntOp::Min => {
                        self.is_natural(a) && self.is_natural(b)
                    }
                    IntOp::Max => self.is_natural(a) || self.is_natural(b),
                    IntOp::Sub => false,
                }
            }
        }
    }
}

/// Which values the second operand has where the result is to be what it is at the first ones, or the last.
fn of_second(op: IntOp, at: At) -> At {
    match op {
        IntOp::Sub | IntOp::Div | IntOp::CeilDiv => at.turned(),
        IntOp::Add | IntOp::Mul | IntOp::Rem | IntOp::Min | IntOp::Max => at,
    }
}

pub(super) fn sum(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (Formula::Const(0), other) | (other, Formula::Const(0)) => other,
        (a, b) => Formula::binary(IntOp::Add, a, b),
    }
}

pub(super) fn difference(a: Formula, b: Formula) -> Formula {
    if a == b {
        constant(0)
    } else if b == constant(0) {
        a
    } else {
        Formula::binary(IntOp::Sub, a, b)
    }
}
