//! Integer expressions, numbers known at launch, and uniform boolean expressions.

use super::{ElementOp, ExtentId, ParamId, Real, VarId};
use serde::{Deserialize, Serialize};

/// An integer expression, over `i64`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntExpr {
    /// A constant.
    Const(i64),
    /// A symbolic extent.
    Extent(ExtentId),
    /// An `i32` or `u32` scalar parameter, or an integer that the launcher derives.
    Scalar(ParamId),
    /// A grid axis, loop variable or parallel index.
    Var(VarId),
    /// What a [`Fetch`](super::Op::Fetch) found in a tensor: any integer of 32 bits.
    Fetched(VarId),
    /// An operation.
    Binary(IntOp, Box<IntExpr>, Box<IntExpr>),
}

/// An integer operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, truncating
    Div,
    /// `a % b`
    Rem,
    /// `a.div_ceil(b)`
    CeilDiv,
    /// `a.min(b)`
    Min,
    /// `a.max(b)`
    Max,
}

impl IntOp {
    /// As written in Rust: a sign, or the name of a method.
    pub fn symbol(self) -> &'static str {
        match self {
            IntOp::Add => "+",
            IntOp::Sub => "-",
            IntOp::Mul => "*",
            IntOp::Div => "/",
            IntOp::Rem => "%",
            IntOp::CeilDiv => "div_ceil",
            IntOp::Min => "min",
            IntOp::Max => "max",
        }
    }

    /// Applies it; `None` on overflow or division by zero.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            IntOp::Add => a.checked_add(b),
            IntOp::Sub => a.checked_sub(b),
            IntOp::Mul => a.checked_mul(b),
            IntOp::Div => a.checked_div(b),
            IntOp::Rem => a.checked_rem(b),
            IntOp::CeilDiv => {
                let quotient = a.checked_div(b)?;
                let exact = a.checked_rem(b)? == 0 || (a < 0) != (b < 0);
                if exact { Some(quotient) } else { quotient.checked_add(1) }
            }
            IntOp::Min => Some(a.min(b)),
            IntOp::Max => Some(a.max(b)),
        }
    }
}

impl IntExpr {
    /// `op(a, b)`, folded where both are constants or one is neutral.
    pub fn binary(op: IntOp, a: IntExpr, b: IntExpr) -> IntExpr {
        use IntExpr::Const;
        match (op, &a, &b) {
            (_, Const(x), Const(y)) if op.apply(*x, *y).is_some() => Const(op.apply(*x, *y).unwrap_or_default()),
            (IntOp::Add, Const(0), _) | (IntOp::Mul, Const(1), _) => b,
            (IntOp::Add | IntOp::Sub, _, Const(0)) => a,
            (IntOp::Mul | IntOp::Div | IntOp::CeilDiv, _, Const(1)) => a,
            (IntOp::Mul, Const(0), _) | (IntOp::Mul, _, Const(0)) => Const(0),
            _ => IntExpr::Binary(op, Box::new(a), Box::new(b)),
        }
    }

    /// The value, where it is a constant.
    pub fn as_const(&self) -> Option<i64> {
        match self {
            IntExpr::Const(value) => Some(*value),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                None
            }
        }
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk(&self, visit: &mut impl FnMut(&IntExpr)) {
        visit(self);
        if let IntExpr::Binary(_, a, b) = self {
            a.walk(visit);
            b.walk(visit);
        }
    }

    /// Whether it mentions the variable `var`.
    pub fn mentions(&self, var: VarId) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= *e == IntExpr::Var(var));
        found
    }

    /// Whether it is the same for every block and iteration: no variables and nothing fetched, only extents, scalars and constants.
    pub fn is_launch_constant(&self) -> bool {
        let mut constant = true;
        self.walk(&mut |e| constant &= !matches!(e, IntExpr::Var(_) | IntExpr::Fetched(_)));
        constant
    }

    /// The expression with `replace(var)` in place of each variable, also one that was fetched, for which it gives something.
    pub fn substitute(&self, replace: &impl Fn(VarId) -> Option<IntExpr>) -> IntExpr {
        self.replace(&|part| match part {
            IntExpr::Var(var) | IntExpr::Fetched(var) => replace(*var),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Binary(..) => None,
        })
    }

    /// The expression with `by(part)` in place of each part of it, the largest first, for which it gives something.
    pub fn replace(&self, by: &impl Fn(&IntExpr) -> Option<IntExpr>) -> IntExpr {
        by(self).unwrap_or_else(|| match self {
            IntExpr::Binary(op, a, b) => IntExpr::binary(*op, a.replace(by), b.replace(by)),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => {
                self.clone()
            }
        })
    }
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Applies it to two ordered values.
    pub fn apply<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            CompareOp::Eq => a == b,
            CompareOp::Ne => a != b,
            CompareOp::Lt => a < b,
            CompareOp::Le => a <= b,
            CompareOp::Gt => a > b,
            CompareOp::Ge => a >= b,
        }
    }

    /// The comparison that holds for (b, a) where this one holds for (a, b).
    pub fn mirrored(self) -> CompareOp {
        match self {
            CompareOp::Eq | CompareOp::Ne => self,
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
        }
    }

    /// As written in Rust and C++.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        }
    }
}

/// A number that is the same for a whole block: made of literals, `f32` scalars and integers. The leaves are `f32`, operations are
/// done in `f64`, and who uses the number rounds it once. In a number that differs from block to block, so is the largest part of
/// it that is known at launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NumberExpr {
    /// A literal as written; its value is the nearest `f32`.
    Literal(Real),
    /// An `f32` scalar parameter.
    Scalar(ParamId),
    /// An integer as a number.
    Int(IntExpr),
    /// An operation; as many arguments as its row says, and one of [`NumberExpr::IN_KERNELS`] where an argument differs from block
    /// to block.
    Call(ElementOp, Vec<NumberExpr>),
}

/// A condition that is the same for a whole block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BoolExpr {
    /// `true`, `false`.
    Const(bool),
    /// A comparison of integers.
    Compare(CompareOp, IntExpr, IntExpr),
    /// A comparison of numbers, each rounded to `f32` once.
    CompareNumbers(CompareOp, NumberExpr, NumberExpr),
    /// `a && b`
    And(Box<BoolExpr>, Box<BoolExpr>),
    /// `a || b`
    Or(Box<BoolExpr>, Box<BoolExpr>),
    /// `!a`
    Not(Box<BoolExpr>),
}

impl BoolExpr {
    /// Calls `visit` for every integer in it.
    pub fn integers(&self, visit: &mut impl FnMut(&IntExpr)) {
        match self {
            BoolExpr::Const(_) => {}
            BoolExpr::Compare(_, a, b) => {
                visit(a);
                visit(b);
            }
            BoolExpr::CompareNumbers(_, a, b) => {
                a.integers(visit);
                b.integers(visit);
            }
            BoolExpr::And(a, b) | BoolExpr::Or(a, b) => {
                a.integers(visit);
                b.integers(visit);
            }
            BoolExpr::Not(a) => a.integers(visit),
        }
    }

    /// As [`integers`](Self::integers), to be changed.
    pub fn integers_mut(&mut self, visit: &mut impl FnMut(&mut IntExpr)) {
        match self {
            BoolExpr::Const(_) => {}
            BoolExpr::Compare(_, a, b) => {
                visit(a);
                visit(b);
            }
            BoolExpr::CompareNumbers(_, a, b) => {
                a.integers_mut(visit);
                b.integers_mut(visit);
            }
            BoolExpr::And(a, b) | BoolExpr::Or(a, b) => {
                a.integers_mut(visit);
                b.integers_mut(visit);
            }
            BoolExpr::Not(a) => a.integers_mut(visit),
        }
    }

    /// Whether it holds, where constants alone tell.
    pub fn as_const(&self) -> Option<bool> {
        match self {
            BoolExpr::Const(value) => Some(*value),
            BoolExpr::Compare(op, a, b) => Some(op.apply(a.as_const()?, b.as_const()?)),
            BoolExpr::CompareNumbers(..) => None,
            BoolExpr::And(a, b) => match (a.as_const(), b.as_const()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => Some(a? && b?),
            },
            BoolExpr::Or(a, b) => match (a.as_const(), b.as_const()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => Some(a? || b?),
            },
            BoolExpr::Not(a) => a.as_const().map(|value| !value),
        }
    }
}

impl NumberExpr {
    /// The operations that kernels do themselves, of numbers that differ from block to block.
    pub const IN_KERNELS: [ElementOp; 5] = [
        ElementOp::Add,
        ElementOp::Sub,
        ElementOp::Mul,
        ElementOp::Div,
        ElementOp::Neg,
    ];

    /// Calls `visit` for every integer in it.
    pub fn integers(&self, visit: &mut impl FnMut(&IntExpr)) {
        match self {
            NumberExpr::Literal(_) | NumberExpr::Scalar(_) => {}
            NumberExpr::Int(integer) => visit(integer),
            NumberExpr::Call(_, args) => args.iter().for_each(|arg| arg.integers(visit)),
        }
    }

    /// As [`integers`](Self::integers), to be changed.
    pub fn integers_mut(&mut self, visit: &mut impl FnMut(&mut IntExpr)) {
        match self {
            NumberExpr::Literal(_) | NumberExpr::Scalar(_) => {}
            NumberExpr::Int(integer) => visit(integer),
            NumberExpr::Call(_, args) => args.iter_mut().for_each(|arg| arg.integers_mut(visit)),
        }
    }

    /// Whether it is the same for every block and iteration.
    pub fn is_launch_constant(&self) -> bool {
        let mut constant = true;
        self.integers(&mut |integer| constant &= integer.is_launch_constant());
        constant
    }
}
