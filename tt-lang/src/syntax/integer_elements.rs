//! Whole literals in expressions of integer elements: each is one of its type, no divisor is 0, and no shift leaves its 32 bits.

use super::frontend::Frontend;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{Buffer, Buffers, Element, ElementKind, ElementOp, ElementType, IntExpr, Span};

/// How far the bits of an integer element are shifted.
pub(super) const SHIFTS: std::ops::Range<i64> = 0..32;

impl Buffers for Frontend {
    fn element_of(&self, buffer: Buffer) -> Option<ElementType> {
        match buffer {
            Buffer::Block(id) => Some(self.block(id).element),
            Buffer::Tensor(id) => self.tensor(id).map(|tensor| tensor.element.value),
        }
    }
}

impl Frontend {
    /// Reports the literals of `element`, one of type `wanted`, that have no value there.
    pub(super) fn check_literals(&mut self, element: &Element, wanted: ElementType) {
        if let (ElementKind::Int(IntExpr::Const(value)), Some(integers)) = (&element.kind, wanted.integers())
            && !integers.contains(value)
        {
            let name = wanted.name();
            let note = format!(
                "elements of `{name}` are from {} to {}",
                integers.start(),
                integers.end()
            );
            self.report_literal(element.span, format!("`{value}` does not fit in `{name}`"), &note);
        }
        let operands = element.operand_type(self, wanted);
        if let (ElementKind::Call(op, args), true) = (&element.kind, operands.is_integer())
            && let [_, right] = args.as_slice()
            && let ElementKind::Int(IntExpr::Const(value)) = right.kind
        {
            self.check_right_operand(*op, value, right.span);
        }
        for operand in element.operands() {
            self.check_literals(operand, operands);
        }
    }

    /// Reports `value` as the right operand of `op` on integers where that has no value; whether it has one.
    pub(super) fn check_right_operand(&mut self, op: ElementOp, value: i64, at: Span) -> bool {
        if matches!(op, ElementOp::Div | ElementOp::Rem) && value == 0 {
            self.report_literal(at, "division by zero".into(), "divide by another number");
            return false;
        }
        if matches!(op, ElementOp::Shl | ElementOp::Shr) && !SHIFTS.contains(&value) {
            let message = format!("a shift by {value} leaves nothing of 32 bits");
            self.report_literal(at, message, "shift by 0 to 31");
            return false;
        }
        true
    }

    fn report_literal(&mut self, at: Span, message: String, note: &str) {
        self.report(Diagnostic::new(&codes::ARITHMETIC, at, message).note(note));
    }
}
