//! Expressions of C++, with no more parentheses than precedence asks for.
//!
//! Integers of the language are `int32_t` in kernels; everything the compiler adds to them is too, so that nothing mixes
//! signedness. `div_ceil`, `min` and `max` have no counterpart in the device headers and are written out.

use crate::device::{Bits, Call, Device, Expr, Operator, Program};
use crate::passes::give_names::{index_name, page_bytes_name};
use std::borrow::Cow;
use tt_lang::ir::IntOp;

/// How tightly an expression binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    /// `c ? a : b`
    Conditional,
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a == b`
    Equality,
    /// `a < b`
    Relational,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `-a`, `!a`
    Unary,
    /// Names, literals, calls.
    Primary,
}

/// A written expression.
#[derive(Debug, Clone)]
pub struct Text {
    text: String,
    precedence: Precedence,
    value: Option<i64>,
}

impl Text {
    /// A name, a literal or a call.
    pub fn primary(text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            precedence: Precedence::Primary,
            value: None,
        }
    }

    /// An expression of this precedence.
    pub fn new(text: String, precedence: Precedence) -> Text {
        Text {
            text,
            precedence,
            value: None,
        }
    }

    /// An integer, if it has a 32-bit type.
    pub fn integer(value: i64) -> Option<Text> {
        let (text, precedence) = if value == i64::from(i32::MIN) {
            // In C++ the literal of its negative has no 32-bit type.
            ("-2147483647 - 1".to_string(), Precedence::Sum)
        } else if i32::try_from(value).is_ok() {
            (
                value.to_string(),
                if value < 0 {
                    Precedence::Unary
                } else {
                    Precedence::Primary
                },
            )
        } else {
            (format!("{}u", u32::try_from(value).ok()?), Precedence::Primary)
        };
        Some(Text {
            text,
            precedence,
            value: Some(value),
        })
    }

    /// The expression where only those that bind at least as tightly as `least` may stand.
    pub fn at_least(&self, least: Precedence) -> Cow<'_, str> {
        if self.precedence >= least {
            Cow::Borrowed(&self.text)
        } else {
            Cow::Owned(format!("({})", self.text))
        }
    }

    /// The expression where any may stand.
    pub fn into_string(self) -> String {
        self.text
    }

    /// `op(a, b)` of the language.
    pub fn int_op(op: IntOp, a: &Text, b: &Text) -> Text {
        use Precedence::{Conditional, Product, Sum, Unary};
        match op {
            IntOp::Add if b.value.is_some_and(|value| value < 0) => {
                Text::new(format!("{} - {}", a.at_least(Sum), b.text.trim_start_matches('-')), Sum)
            }
            IntOp::Add => Text::new(format!("{} + {}", a.at_least(Sum), b.at_least(Sum)), Sum),
            IntOp::Sub => Text::new(format!("{} - {}", a.at_least(Sum), b.at_least(Product)), Sum),
            IntOp::Mul => Text::new(format!("{} * {}", a.at_least(Product), b.at_least(Unary)), Product),
            IntOp::Div => Text::new(format!("{} / {}", a.at_least(Product), b.at_least(Unary)), Product),
            IntOp::Rem => Text::new(format!("{} % {}", a.at_least(Product), b.at_least(Unary)), Product),
            IntOp::CeilDiv => {
                let less_one = match b.value {
                    Some(value) => value.saturating_sub(1).to_string(),
                    None => format!("{} - 1", b.at_least(Sum)),
                };
                Text::new(
                    format!("({} + {less_one}) / {}", a.at_least(Sum), b.at_least(Unary)),
                    Product,
                )
            }
            IntOp::Min | IntOp::Max => {
                let symbol = if op == IntOp::Min { "<" } else { ">" };
                let (a, b) = (a.at_least(Sum), b.at_least(Sum));
                Text::new(format!("{a} {symbol} {b} ? {a} : {b}"), Conditional)
            }
        }
    }

    /// `a op b`.
    pub fn operator(op: Operator, a: &Text, b: &Text) -> Text {
        use Precedence::{And, Equality, Or, Relational, Sum};
        // `a || b && c` and comparisons of comparisons are right without parentheses, but compilers warn.
        let (precedence, least) = match op {
            Operator::Add => return Text::int_op(IntOp::Add, a, b),
            Operator::Sub => return Text::int_op(IntOp::Sub, a, b),
            Operator::Mul => return Text::int_op(IntOp::Mul, a, b),
            Operator::Div => return Text::int_op(IntOp::Div, a, b),
            Operator::Rem => return Text::int_op(IntOp::Rem, a, b),
            Operator::Min => return Text::int_op(IntOp::Min, a, b),
            Operator::Max => return Text::int_op(IntOp::Max, a, b),
            Operator::And => (And, Equality),
            Operator::Or => (Or, Equality),
            Operator::Equal | Operator::NotEqual => (Equality, Sum),
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => (Relational, Sum),
        };
        let is_logic = matches!(op, Operator::And | Operator::Or);
        let least = |side: &Text| match is_logic && side.precedence == precedence {
            true => precedence,
            false => least,
        };
        let (a, b) = (a.at_least(least(a)), b.at_least(least(b)));
        Text::new(format!("{a} {op} {b}"), precedence)
    }
}

/// What the names in a program's expressions stand for.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// All of it.
    pub device: &'a Device,
    /// The program.
    pub program: &'a Program,
}

/// Why something cannot be written: an earlier pass left what only it could lower.
pub type Unwritable = String;

impl Names<'_> {
    /// The constant that holds the index of a circular buffer.
    pub fn buffer(&self, id: crate::flow::BufferId) -> Result<String, Unwritable> {
        Ok(index_name(&self.device_buffer(id)?.name))
    }

    /// The constant that holds the bytes of a page of a circular buffer.
    pub fn page_bytes(&self, id: crate::flow::BufferId) -> Result<String, Unwritable> {
        Ok(page_bytes_name(&self.device_buffer(id)?.name))
    }

    /// The circular buffer `id`.
    pub fn device_buffer(&self, id: crate::flow::BufferId) -> Result<&crate::flow::Buffer, Unwritable> {
        self.device
            .buffers
            .get(id.0)
            .ok_or_else(|| format!("there is no circular buffer {}", id.0))
    }

    /// The name of a variable.
    pub fn variable(&self, var: tt_lang::ir::VarId) -> Result<&str, Unwritable> {
        self.device
            .variables
            .get(var.index())
            .map(String::as_str)
            .ok_or_else(|| format!("variable {} has no name", var.0))
    }

    /// An expression of the compiler.
    pub fn expr(&self, expr: &Expr<Bits>) -> Result<Text, Unwritable> {
        Ok(match expr {
            Expr::Int(value) => integer(*value)?,
            Expr::Bool(value) => Text::primary(value.to_string()),
            Expr::Name(name) => Text::primary(name.clone()),
            Expr::Value(Bits(bits)) => Text::primary(format!("0x{bits:08x}u /* {:?} */", f32::from_bits(*bits))),
            Expr::Buffer(id) => Text::primary(self.buffer(*id)?),
            Expr::PageBytes(id) => Text::primary(self.page_bytes(*id)?),
            Expr::Accessor(tensor) => {
                let accessor = self
                    .program
                    .accessors
                    .iter()
                    .find(|accessor| accessor.tensor == *tensor);
                Text::primary(
                    accessor
                        .ok_or_else(|| format!("{tensor} has no accessor here"))?
                        .name
                        .clone(),
                )
            }
            Expr::Text(text) => Text::primary(string_literal(text)),
            Expr::Call(call) => Text::primary(self.call_text(call)?),
            Expr::Binary(op, a, b) => Text::operator(*op, &self.expr(a)?, &self.expr(b)?),
        })
    }

    /// A call as a text of its own.
    pub fn call_text(&self, call: &Call<Bits>) -> Result<String, Unwritable> {
        let mut text = String::new();
        self.call(call, &mut |part| text.push_str(part))?;
        Ok(text)
    }

    /// Calls `put` with the parts of a call.
    pub fn call(&self, call: &Call<Bits>, put: &mut impl FnMut(&str)) -> Result<(), Unwritable> {
        put(call.function.name);
        if !call.template.args().is_empty() {
            put(&call.template.to_string());
        }
        let (mut before, mut args) = ("(", call.args.as_slice());
        // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
        while let [arg, others @ ..] = args {
            put(before);
            if let Expr::Name(name) = arg {
                put(name);
            } else {
                put(&self.expr(arg)?.text);
            }
            (before, args) = (", ", others);
        }
        put(if call.args.is_empty() { "()" } else { ")" });
        Ok(())
    }
}

/// `text` as a literal of C++.
fn string_literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn integer(value: i64) -> Result<Text, Unwritable> {
    Text::integer(value).ok_or_else(|| format!("{value} does not fit in 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Text {
        Text::primary(name)
    }

    fn number(value: i64) -> Text {
        Text::integer(value).unwrap()
    }

    #[test]
    fn parentheses_stand_where_the_value_would_change() {
        let sum = Text::int_op(IntOp::Add, &name("a"), &name("b"));
        let product = Text::int_op(IntOp::Mul, &name("a"), &name("b"));
        for (op, a, b, expected) in [
            (IntOp::Mul, &sum, &name("c"), "(a + b) * c"),
            (IntOp::Sub, &name("c"), &sum, "c - (a + b)"),
            (IntOp::Sub, &sum, &product, "a + b - a * b"),
            (IntOp::Div, &name("c"), &product, "c / (a * b)"),
            (IntOp::Rem, &product, &name("c"), "a * b % c"),
            (IntOp::Add, &sum, &number(-3), "a + b - 3"),
            (IntOp::CeilDiv, &sum, &number(32), "(a + b + 31) / 32"),
            (IntOp::CeilDiv, &name("n"), &sum, "(n + a + b - 1) / (a + b)"),
            (IntOp::Min, &sum, &number(4), "a + b < 4 ? a + b : 4"),
        ] {
            assert_eq!(Text::int_op(op, a, b).into_string(), expected);
        }
        let least = Text::int_op(IntOp::Min, &name("a"), &number(4));
        assert_eq!(
            Text::int_op(IntOp::Mul, &least, &name("b")).into_string(),
            "(a < 4 ? a : 4) * b"
        );
    }

    #[test]
    fn logic_is_written_so_that_no_compiler_warns() {
        let (less, equal) = (
            Text::operator(Operator::Less, &name("a"), &number(1)),
            Text::operator(Operator::Equal, &name("b"), &number(2)),
        );
        let both = Text::operator(Operator::And, &less, &equal);
        let three = Text::operator(Operator::And, &both, &less);
        assert_eq!(three.clone().into_string(), "a < 1 && b == 2 && a < 1");
        assert_eq!(
            Text::operator(Operator::Or, &three, &equal).into_string(),
            "(a < 1 && b == 2 && a < 1) || b == 2"
        );
    }

    #[test]
    fn integers_have_32_bits() {
        assert_eq!(number(-7).at_least(Precedence::Primary), "(-7)");
        assert_eq!(number(0xffff_ffff).into_string(), "4294967295u");
        let least = number(i64::from(i32::MIN));
        assert_eq!(
            Text::int_op(IntOp::Add, &name("a"), &least).into_string(),
            "a - 2147483647 - 1"
        );
        assert_eq!(
            Text::int_op(IntOp::Sub, &name("a"), &least).into_string(),
            "a - (-2147483647 - 1)"
        );
        assert!(Text::integer(1 << 32).is_none() && Text::integer(-(1 << 40)).is_none());
    }
}
