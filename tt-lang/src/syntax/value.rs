//! What an expression turns out to be, and the demands of its place: an integer, a number or a truth value.

use super::frontend::{Frontend, Loads};
use super::limits;
use super::source_text::source_text;
use super::spans::Node;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{BoolExpr, Element, ElementKind, ElementType, IntExpr, NumberExpr, Param, Real, ScalarKind, Span};
use syn::Expr;

/// The value of an expression.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Over constants, extents, integer scalars, block indices, loop variables and integers of tensors.
    Integer(IntExpr),
    /// An element, an `f32` scalar, or what is computed from them.
    Number(Element, Class),
    /// A comparison, or what is computed from comparisons.
    Truth(Element),
}

/// The kinds of numbers that do not mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Float,
    Integer,
}

impl Class {
    pub(super) fn of(element: ElementType) -> Class {
        match element.is_integer() {
            true => Class::Integer,
            false => Class::Float,
        }
    }
}

impl Value {
    /// What it is, for messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Integer(_) => "an integer",
            Value::Number(_, Class::Float) => "a number",
            Value::Number(_, Class::Integer) => "an integer element",
            Value::Truth(_) => "a truth value",
        }
    }
}

impl Frontend {
    /// The integer that `expr` is: an index, an offset, an extent or a bound.
    pub(super) fn integer(&mut self, expr: &Expr) -> Option<IntExpr> {
        match self.with_loads(Loads::Index, |this| this.value(expr))? {
            Value::Integer(value) => Some(value),
            Value::Number(..) => self.refuse_number(expr),
            Value::Truth(_) => {
                self.error(
                    &codes::INTEGER_WANTED,
                    expr,
                    "an integer is wanted, found a truth value",
                    "write `if cond { .. }` around the statement",
                );
                None
            }
        }
    }

    /// Reports the number `expr` where an integer is wanted.
    pub(super) fn refuse_number<R>(&mut self, expr: &Expr) -> Option<R> {
        let note = "use extents, integer scalars (`n: u32`), block indices and loop variables";
        self.error(
            &codes::INTEGER_WANTED,
            expr,
            "an integer is wanted, found a number",
            note,
        );
        None
    }

    /// The constant that `expr` is, at least `least`. `what` names it in messages.
    pub(super) fn constant(&mut self, expr: &Expr, what: &str, least: i64) -> Option<u64> {
        let value = self.integer(expr)?;
        let Some(constant) = value.as_const() else {
            self.error(
                &codes::CONSTANT_WANTED,
                expr,
                format!("{what} is a constant"),
                "it is fixed when the kernel is compiled: use a literal or a `const` of the kernel",
            );
            return None;
        };
        if constant < least {
            let message = format!("{what} is at least {least}, found {constant}");
            self.error(&codes::OPTION_VALUE, expr, message, "write a larger constant");
            return None;
        }
        u64::try_from(constant).ok()
    }

    /// `value`, the value of `node`, as a number of `class`; integers become integer elements.
    pub(super) fn number(&mut self, value: Value, class: Class, node: &(impl Node + ?Sized)) -> Option<Element> {
        match (value, class) {
            (Value::Number(element, found), wanted) if found == wanted => Some(element),
            (Value::Integer(value), Class::Integer) => Some(Element {
                kind: ElementKind::Int(value),
                span: self.span_of(node),
            }),
            (Value::Integer(value), Class::Float) => {
                let note = match value {
                    IntExpr::Const(literal) => format!("write `{literal}.0`"),
                    IntExpr::Extent(_)
                    | IntExpr::Scalar(_)
                    | IntExpr::Var(_)
                    | IntExpr::Fetched(_)
                    | IntExpr::Binary(..) => {
                        format!("write `{} as f32`", parenthesised(&source_text(node)))
                    }
                };
                self.error(
                    &codes::NUMBER_WANTED,
                    node,
                    "a number is wanted, found an integer",
                    note,
                );
                None
            }
            (Value::Number(_, Class::Integer), Class::Float) => {
                self.error(
                    &codes::MIXED_TYPES,
                    node,
                    "a floating-point number is wanted, found an integer element",
                    "write the conversion: `x[(i, j)] as f32`",
                );
                None
            }
            (Value::Number(_, _), _) => {
                self.error(
                    &codes::MIXED_TYPES,
                    node,
                    "an integer element is wanted, found a floating-point number",
                    "write the conversion: `x[(i, j)] as i32`",
                );
                None
            }
            (Value::Truth(_), _) => {
                self.error(
                    &codes::TRUTH_VALUE,
                    node,
                    "a number is wanted, found a truth value",
                    "write `T.select(c, 1.0, 0.0)`",
                );
                None
            }
        }
    }

    /// `value`, the value of `node`, as a truth value.
    pub(super) fn truth(&mut self, value: Value, node: &(impl Node + ?Sized)) -> Option<Element> {
        match value {
            Value::Truth(element) => Some(element),
            other @ (Value::Integer(_) | Value::Number(..)) => {
                self.error(
                    &codes::TRUTH_VALUE,
                    node,
                    format!("a condition is wanted, found {}", other.describe()),
                    "compare it: `x != 0`, `x > 0.0`",
                );
                None
            }
        }
    }

    /// The condition of a statement: the same for the whole block.
    pub(super) fn condition(&mut self, expr: &Expr, loads: Loads) -> Option<BoolExpr> {
        let value = self.with_loads(loads, |this| this.value(expr))?;
        let element = self.truth(value, expr)?;
        self.uniform_truth(&element)
    }

    /// The condition that `element` is, which must be the same for the whole block.
    pub(super) fn uniform_truth(&mut self, element: &Element) -> Option<BoolExpr> {
        let mut left = limits::CONDITION;
        self.uniform(element, &mut left)
    }

    fn uniform(&mut self, element: &Element, left: &mut usize) -> Option<BoolExpr> {
        let Some(less) = left.checked_sub(1) else {
            let message = "this condition is too large";
            let note = "a condition that chooses between others repeats them: write `if` within `if`";
            self.report(Diagnostic::new(&codes::TOO_LARGE, element.span, message).note(note));
            return None;
        };
        *left = less;
        Some(match &element.kind {
            ElementKind::Bool(value) => BoolExpr::Const(*value),
            ElementKind::CompareInt(op, a, b) => BoolExpr::Compare(*op, a.clone(), b.clone()),
            ElementKind::And(a, b) => BoolExpr::And(Box::new(self.uniform(a, left)?), Box::new(self.uniform(b, left)?)),
            ElementKind::Or(a, b) => BoolExpr::Or(Box::new(self.uniform(a, left)?), Box::new(self.uniform(b, left)?)),
            ElementKind::Not(a) => BoolExpr::Not(Box::new(self.uniform(a, left)?)),
            ElementKind::Compare(op, a, b) => match (a.number_of_block(), b.number_of_block()) {
                (Some(NumberExpr::Literal(Real(a))), Some(NumberExpr::Literal(Real(b)))) => {
                    BoolExpr::Const(op.apply(a as f32, b as f32))
                }
                (Some(a @ NumberExpr::Literal(_)), Some(b)) => BoolExpr::CompareNumbers(op.mirrored(), b, a),
                (Some(a), Some(b)) => BoolExpr::CompareNumbers(*op, a, b),
                (None, _) => return self.refuse_condition(a.span),
                (_, None) => return self.refuse_condition(b.span),
            },
            // `if c { a } else { b }` over truth values is (c && a) || (!c && b).
            ElementKind::Select(c, a, b) => {
                let (once, again) = (self.uniform(c, left)?, self.uniform(c, left)?);
                let (a, b) = (self.uniform(a, left)?, self.uniform(b, left)?);
                BoolExpr::Or(
                    Box::new(BoolExpr::And(Box::new(once), Box::new(a))),
                    Box::new(BoolExpr::And(Box::new(BoolExpr::Not(Box::new(again))), Box::new(b))),
                )
            }
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Cast(..) => return self.refuse_condition(element.span),
        })
    }

    fn refuse_condition(&mut self, span: Span) -> Option<BoolExpr> {
        self.report(
            Diagnostic::new(
                &codes::DATA_DEPENDENT_BRANCH,
                span,
                "this condition is decided by a number that is not the same for the whole block, or not computed in kernels",
            )
            .note(
                "compare integers, or numbers made of `f32` scalars, literals and integers, of which those that differ from block to \
                 block are added, subtracted, multiplied and divided: `if bx as f32 > beta * 0.5 { .. }`",
            ),
        );
        None
    }

    /// The value of a scalar parameter.
    pub(super) fn scalar(&mut self, id: crate::ir::ParamId, node: &syn::Ident) -> Option<Value> {
        match self.params.get(id.index())? {
            Param::Scalar(scalar) => Some(match scalar.kind {
                ScalarKind::F32 => Value::Number(
                    Element {
                        kind: ElementKind::Scalar(id),
                        span: self.span(node),
                    },
                    Class::Float,
                ),
                ScalarKind::I32 | ScalarKind::U32 => Value::Integer(IntExpr::Scalar(id)),
            }),
            Param::Tensor(_) | Param::Temporary(_) | Param::Derived(_) => None,
        }
    }
}

/// `text` ready to stand before `as`.
fn parenthesised(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { text.to_string() } else { format!("({text})") }
}
