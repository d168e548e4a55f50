//! Values of integer and uniform boolean expressions.

use super::error::InterpretErrorKind as Kind;
use super::launch::Launch;
use crate::ir::{BoolExpr, IntExpr, IntOp, Named, NumberExpr, VarId};

/// What integer expressions see: the launch and the current values of all variables.
#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    pub launch: &'a Launch<'a>,
    pub variables: Vec<i64>,
}

impl Scope<'_> {
    /// The value of an integer, which fits in 32 bits where it differs from block to block.
    pub fn integer(&self, expr: &IntExpr) -> Result<i64, Kind> {
        self.known_integer(expr).map(|(value, _)| value)
    }

    /// The value, and whether it is the same for the whole launch: such integers are computed in 64 bits.
    fn known_integer(&self, expr: &IntExpr) -> Result<(i64, bool), Kind> {
        Ok(match expr {
            IntExpr::Const(value) => (*value, true),
            IntExpr::Extent(id) => (self.launch.extents[id.index()], true),
            IntExpr::Scalar(id) => (self.launch.integers[id.index()], true),
            IntExpr::Var(id) | IntExpr::Fetched(id) => (self.variables[id.index()], false),
            IntExpr::Binary(op, a, b) => {
                let ((a, is_known), (b, is_known_too)) = (self.known_integer(a)?, self.known_integer(b)?);
                let is_known = is_known && is_known_too;
                let value = op.apply(a, b);
                let value = value.filter(|value| is_known || i32::try_from(*value).is_ok());
                (value.ok_or_else(|| self.arithmetic(expr))?, is_known)
            }
        })
    }

    pub fn boolean(&self, expr: &BoolExpr) -> Result<bool, Kind> {
        Ok(match expr {
            BoolExpr::Const(value) => *value,
            BoolExpr::Compare(op, a, b) => op.apply(self.integer(a)?, self.integer(b)?),
            BoolExpr::CompareNumbers(op, a, b) => op.apply(self.number(a)? as f32, self.number(b)? as f32),
            BoolExpr::And(a, b) => self.boolean(a)? && self.boolean(b)?,
            BoolExpr::Or(a, b) => self.boolean(a)? || self.boolean(b)?,
            BoolExpr::Not(a) => !self.boolean(a)?,
        })
    }

    /// A number, not yet rounded: of one that differs from block to block what is known at launch is.
    pub fn number(&self, expr: &NumberExpr) -> Result<f64, Kind> {
        match expr {
            NumberExpr::Call(op, args) if !expr.is_launch_constant() => {
                let part = |arg: &NumberExpr| {
                    let value = self.number(arg)?;
                    Ok(match arg.is_launch_constant() {
                        true => f64::from(value as f32),
                        false => value,
                    })
                };
                let args: Vec<f64> = args.iter().map(part).collect::<Result<_, _>>()?;
                Ok((op.row().value)(&args))
            }
            NumberExpr::Literal(_) | NumberExpr::Scalar(_) | NumberExpr::Int(_) | NumberExpr::Call(..) => {
                self.number_at_launch(expr)
            }
        }
    }

    fn number_at_launch(&self, expr: &NumberExpr) -> Result<f64, Kind> {
        Ok(match expr {
            NumberExpr::Literal(value) => f64::from(*value as f32),
            NumberExpr::Scalar(id) => self.launch.floats[id.index()],
            NumberExpr::Int(value) => self.integer(value)? as f64,
            NumberExpr::Call(op, args) => {
                let args = args.iter().map(|arg| self.number_at_launch(arg));
                let args: Vec<f64> = args.collect::<Result<_, _>>()?;
                (op.row().value)(&args)
            }
        })
    }

    /// `expr` as `base + outer · o + inner · i` over the two parallel indices, where it has that form.
    pub fn affine(&self, expr: &IntExpr, outer: Option<VarId>, inner: Option<VarId>) -> Result<Option<Affine>, Kind> {
        Ok(match expr {
            IntExpr::Var(id) if Some(*id) == inner => Some(Affine {
                base: 0,
                outer: 0,
                inner: 1,
            }),
            IntExpr::Var(id) if Some(*id) == outer => Some(Affine {
                base: 0,
                outer: 1,
                inner: 0,
            }),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => {
                Some(Affine {
                    base: self.integer(expr)?,
                    outer: 0,
                    inner: 0,
                })
            }
            IntExpr::Binary(op, a, b) => {
                let (Some(a), Some(b)) = (self.affine(a, outer, inner)?, self.affine(b, outer, inner)?) else {
                    return Ok(None);
                };
                let overflow = || self.arithmetic(expr);
                match op {
                    IntOp::Add | IntOp::Sub => Some(a.combine(*op, b).ok_or_else(overflow)?),
                    IntOp::Mul if b.is_constant() => Some(a.scale(b.base).ok_or_else(overflow)?),
                    IntOp::Mul if a.is_constant() => Some(b.scale(a.base).ok_or_else(overflow)?),
                    IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max
                        if a.is_constant() && b.is_constant() =>
                    {
                        Some(Affine {
                            base: op.apply(a.base, b.base).ok_or_else(overflow)?,
                            outer: 0,
                            inner: 0,
                        })
                    }
                    IntOp::Mul | IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max => None,
                }
            }
        })
    }

    fn arithmetic(&self, expr: &IntExpr) -> Kind {
        Kind::Arithmetic(Named(self.launch.kernel, expr).to_string())
    }
}

/// `base + outer · o + inner · i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Affine {
    pub base: i64,
    pub outer: i64,
    pub inner: i64,
}

impl Affine {
    fn is_constant(self) -> bool {
        self.outer == 0 && self.inner == 0
    }

    fn combine(self, op: IntOp, other: Affine) -> Option<Affine> {
        Some(Affine {
            base: op.apply(self.base, other.base)?,
            outer: op.apply(self.outer, other.outer)?,
            inner: op.apply(self.inner, other.inner)?,
        })
    }

    fn scale(self, factor: i64) -> Option<Affine> {
        Some(Affine {
            base: self.base.checked_mul(factor)?,
            outer: self.outer.checked_mul(factor)?,
            inner: self.inner.checked_mul(factor)?,
        })
    }

    pub fn at(self, outer: i64, inner: i64) -> Option<i64> {
        self.base
            .checked_add(self.outer.checked_mul(outer)?)?
            .checked_add(self.inner.checked_mul(inner)?)
    }
}
