//! Powers of differences of two −∞ are 0, never NaN (docs/numbers.md): a row of scores without a valid one before the first
//! valid one would otherwise leave NaN in what an online softmax sums.
//!
//! ```text
//!  exp(a − b)           ⟹   exp(a − max(b, lowest))
//!  exp((a − b) · 0.5)   ⟹   exp((a − max(b, lowest)) · 0.5)
//! ```
//!
//! `lowest` is the most negative finite number of the registers: for every other `b` nothing changes, and −∞ less `lowest` is −∞.
//! What the FPU subtracts stays: its −∞ − (−∞) is 0.

use super::Context;
use crate::flow::{BufferId, Value, ValueKind};
use crate::tile_ops::FpuOp;
use tt_lang::ir::ElementOp;
use tt_plan::{DataFormat, Number};

impl Context {
    /// `value` with the differences in its powers held so; `sums` is what register 0 holds.
    pub(super) fn with_differences(&self, value: &Value, sums: Option<BufferId>) -> Value {
        let mut out = value.clone();
        self.powers(&mut out, sums);
        out
    }

    fn powers(&self, value: &mut Value, sums: Option<BufferId>) {
        if let ValueKind::Call(ElementOp::Exp | ElementOp::Exp2 | ElementOp::Expm1, args) = &mut value.kind {
            args.iter_mut().for_each(|arg| self.hold(arg, false, sums));
        }
        for operand in value.operands_mut() {
            self.powers(operand, sums);
        }
    }

    /// Holds the differences that `value` is made of; `is_negated` where the power is of its negative.
    fn hold(&self, value: &mut Value, is_negated: bool, sums: Option<BufferId>) {
        let through_fpu = matches!(&value.kind, ValueKind::Call(ElementOp::Sub, args)
            if self.fpu(FpuOp::Sub, &args[0], &args[1], sums).is_some());
        match &mut value.kind {
            ValueKind::Call(ElementOp::Sub, args) if !through_fpu => {
                let [a, b] = args.as_mut_slice() else { return };
                let (minuend, subtrahend) = if is_negated { (b, a) } else { (a, b) };
                self.hold(minuend, is_negated, sums);
                self.raise(subtrahend);
            }
            ValueKind::Call(ElementOp::Add, args) => args.iter_mut().for_each(|arg| self.hold(arg, is_negated, sums)),
            ValueKind::Call(ElementOp::Neg, args) => args.iter_mut().for_each(|arg| self.hold(arg, !is_negated, sums)),
            ValueKind::Call(ElementOp::Mul | ElementOp::Div, args) => {
                let negatives = args.iter().filter(|arg| is_negative(arg)).count();
                let is_negated = is_negated ^ (negatives == 1);
                args.iter_mut().for_each(|arg| self.hold(arg, is_negated, sums));
            }
            ValueKind::Cast(to, of) if !to.is_integer() => self.hold(of, is_negated, sums),
            ValueKind::Call(..)
            | ValueKind::Number(_)
            | ValueKind::Load(_)
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_)
            | ValueKind::Cast(..)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_)
            | ValueKind::Select(..)
            | ValueKind::Reduce(..)
            | ValueKind::Pick(..) => {}
        }
    }

    /// Makes of `value` what is at least the lowest finite number.
    fn raise(&self, value: &mut Value) {
        if !self.may_be_infinite(value) {
            return;
        }
        let lowest = match self.registers.fp32 {
            true => f32::MIN,
            false => f32::from_bits(0xFF7F_0000),
        };
        let span = value.span;
        let kind = std::mem::replace(&mut value.kind, ValueKind::Number(Number::constant(lowest)));
        value.kind = if let ValueKind::Number(number) = kind {
            ValueKind::Number(Number::Call(ElementOp::Max, vec![number, Number::constant(lowest)]))
        } else {
            let lowest = ValueKind::Number(Number::constant(lowest));
            let operands = [kind, lowest].map(|kind| Value { kind, span });
            ValueKind::Call(ElementOp::Max, operands.into())
        };
    }

    /// Whether `value` may be −∞, as far as its structure says.
    fn may_be_infinite(&self, value: &Value) -> bool {
        match &value.kind {
            ValueKind::Number(Number::Bits(bits)) => f32::from_bits(*bits) == f32::NEG_INFINITY,
            ValueKind::Number(Number::Int(_))
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_) => false,
            ValueKind::Number(_) | ValueKind::Reduce(..) | ValueKind::Pick(..) => true,
            ValueKind::Load(operand) => {
                let format = self.buffers[operand.buffer.0].format;
                matches!(format, DataFormat::Float32 | DataFormat::Float16B)
            }
            ValueKind::Cast(_, of) => !of.is_integer(&self.buffers) && self.may_be_infinite(of),
            ValueKind::Select(_, a, b) => self.may_be_infinite(a) || self.may_be_infinite(b),
            ValueKind::Call(ElementOp::Clamp, args) => args.get(1).is_none_or(|least| self.may_be_infinite(least)),
            ValueKind::Call(ElementOp::Max, args) => args.iter().all(|arg| self.may_be_infinite(arg)),
            ValueKind::Call(op, _) => !op.row().is_bounded_below,
        }
    }
}

/// Whether `value` is a number below zero.
fn is_negative(value: &Value) -> bool {
    matches!(value.number(), Some(Number::Bits(bits)) if f32::from_bits(*bits) < 0.0)
}
