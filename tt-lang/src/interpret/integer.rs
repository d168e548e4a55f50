//! Values of integer and uniform boolean expressions.

use super::error::InterpretErrorKind as Kind;
use super::launch::Launch;
use crate::ir::{BoolExpr, IntExpr, IntOp, Named, NumberExpr, Real, VarId};

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
                let fits = |value: i64| i32::try_from(value).is_ok();
                // As in Rust, there is no remainder where there is no quotient.
                let has_quotient = *op != IntOp::Rem || is_known || a.checked_div(b).is_some_and(fits);
                let value = op.apply(a, b).filter(|value| is_known || fits(*value) && has_quotient);
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
            NumberExpr::Literal(Real(value)) => f64::from(*value as f32),
            NumberExpr::Scalar(id) => self.launch.floats[id.index()],
            NumberExpr::Int(value) => self.integer(value)? as f64,
            NumberExpr::Call(op, args) => {
                let args = args.iter().map(|arg| self.number_at_launch(arg));
                let args: Vec<f64> = args.collect::<Result<_, _>>()?;
                (op.row().value)(&args)
            }
        })
    }

    /// `expr` as `base + outer · o + inner · i` over the indices of a parallel loop, each with its extent, where it has that form and
    /// neither it nor what it is computed from leaves 32 bits for any of them.
    pub fn affine(&self, expr: &IntExpr, [outer, inner]: [Option<(VarId, usize)>; 2]) -> Option<Affine> {
        let is = |var: Option<(VarId, usize)>| var.is_some_and(|(var, _)| *expr == IntExpr::Var(var));
        let mentions = |var: Option<(VarId, usize)>| var.is_some_and(|(var, _)| expr.mentions(var));
        if !mentions(outer) && !mentions(inner) {
            return Some(Affine {
                base: self.integer(expr).ok()?,
                outer: 0,
                inner: 0,
            });
        }
        let IntExpr::Binary(op, a, b) = expr else {
            return Some(Affine {
                base: 0,
                outer: is(outer).into(),
                inner: is(inner).into(),
            });
        };
        let (a, b) = (self.affine(a, [outer, inner])?, self.affine(b, [outer, inner])?);
        let affine = match op {
            IntOp::Add | IntOp::Sub => a.combine(*op, b)?,
            IntOp::Mul if b.is_constant() => a.scale(b.base)?,
            IntOp::Mul if a.is_constant() => b.scale(a.base)?,
            IntOp::Mul | IntOp::Div | IntOp::Rem | IntOp::CeilDiv | IntOp::Min | IntOp::Max => return None,
        };
        let last = |var: Option<(VarId, usize)>| var.map_or(0, |(_, extent)| extent.saturating_sub(1) as i64);
        let fits = |o, i| affine.at(o, i).is_some_and(|value| i32::try_from(value).is_ok());
        let corners = [0, last(outer)].map(|o| [0, last(inner)].map(|i| fits(o, i)));
        (corners == [[true; 2]; 2]).then_some(affine)
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
