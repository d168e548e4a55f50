//! What is told of a block, as text.

use super::Names;
use super::names::NEGATIVE;
use crate::flow::{Inspection, Printed, PrintedBlock};

/// A text between quotes, as JSON has it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Names<'_> {
    /// A line of a block, a block, or an assertion.
    pub fn inspection(&self, inspection: &Inspection) -> String {
        match inspection {
            Inspection::Line(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.printed(part)).collect();
                format!("print line ({})", parts.join(", "))
            }
            Inspection::Block(block) => {
                let PrintedBlock {
                    buffer,
                    sees,
                    name,
                    extent: [rows, columns],
                    is_vector,
                    is_unsigned,
                    has_value,
                } = block;
                let kind = if *is_vector { "vector" } else { "block" };
                let (buffer, name) = (self.seen(*buffer, *sees), quoted(name));
                let mut text = format!("print {kind} {buffer} as {name} of {rows} x {columns} elements");
                if *is_unsigned {
                    text += ", unsigned";
                }
                for any in has_value {
                    let any: Vec<String> = any.iter().map(|index| self.index(NEGATIVE, index)).collect();
                    text += &format!(", any of ({})", any.join(", "));
                }
                text
            }
            Inspection::Assertion { cond, text } => format!("assert {} as {}", self.condition(cond), quoted(text)),
        }
    }

    fn printed(&self, part: &Printed) -> String {
        match part {
            Printed::Text(text) => quoted(text),
            Printed::Integer(value) => format!("integer {}", self.int(value)),
            Printed::Number(value) => format!("number {}", self.number(value)),
            Printed::Computed(value) => format!("computed {}", self.number_expr(value)),
        }
    }
}
