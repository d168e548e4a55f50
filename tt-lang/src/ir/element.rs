//! Element expressions.

use super::{BlockId, CompareOp, ElementType, IntExpr, NumberExpr, ParamId, Span};
use serde::{Deserialize, Serialize};
use tt_device::ElementOp;

/// An expression for one element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Its place.
    pub span: Span,
}

/// What an element expression is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ElementKind {
    /// A number.
    Float(#[serde(with = "super::real")] f64),
    /// `true`, `false`.
    Bool(bool),
    /// A scalar parameter as a number.
    Scalar(ParamId),
    /// An integer expression as a number; it may mention parallel indices.
    Int(IntExpr),
    /// An element of a block or tensor.
    Load(Access),
    /// An operation of the catalogue; as many arguments as its row says.
    Call(ElementOp, Vec<Element>),
    /// A comparison of two numbers.
    Compare(CompareOp, Box<Element>, Box<Element>),
    /// A comparison of integers (block indices, loop variables, parallel indices): a mask.
    CompareInt(CompareOp, IntExpr, IntExpr),
    /// `a && b`
    And(Box<Element>, Box<Element>),
    /// `a || b`
    Or(Box<Element>, Box<Element>),
    /// `!a`
    Not(Box<Element>),
    /// `if c { a } else { b }`, `T.select(c, a, b)`.
    Select(Box<Element>, Box<Element>, Box<Element>),
    /// `a as f32` and other casts.
    Cast(ElementType, Box<Element>),
}

impl Element {
    /// The direct operands.
    pub fn operands(&self) -> Vec<&Element> {
        match &self.kind {
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::CompareInt(..) => Vec::new(),
            ElementKind::Call(_, args) => args.iter().collect(),
            ElementKind::Compare(_, a, b) | ElementKind::And(a, b) | ElementKind::Or(a, b) => vec![a, b],
            ElementKind::Not(a) | ElementKind::Cast(_, a) => vec![a],
            ElementKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Element)) {
        visit(self);
        for operand in self.operands() {
            operand.walk(visit);
        }
    }

    /// The number it is, where it is made of literals, `f32` scalars, extents and integer scalars.
    pub fn number_at_launch(&self) -> Option<NumberExpr> {
        Some(match &self.kind {
            ElementKind::Float(value) => NumberExpr::Literal(*value),
            ElementKind::Scalar(id) => NumberExpr::Scalar(*id),
            ElementKind::Int(value) if value.is_launch_constant() => NumberExpr::Int(value.clone()),
            ElementKind::Call(op, args) => {
                let args = args.iter().map(Element::number_at_launch).collect::<Option<_>>()?;
                NumberExpr::Call(*op, args)
            }
            ElementKind::Cast(ElementType::F32, inner) => inner.number_at_launch()?,
            ElementKind::Int(_)
            | ElementKind::Cast(..)
            | ElementKind::Bool(_)
            | ElementKind::Load(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => return None,
        })
    }

    /// Whether its value is a truth value.
    pub fn is_bool(&self) -> bool {
        match &self.kind {
            ElementKind::Bool(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => true,
            ElementKind::Select(_, a, _) => a.is_bool(),
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Cast(..) => false,
        }
    }
}

/// One element of a block or tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// What is accessed.
    pub buffer: Buffer,
    /// One index per axis.
    pub indices: Vec<IntExpr>,
    /// Its place.
    pub span: Span,
}

/// What an element is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Buffer {
    /// A block.
    Block(BlockId),
    /// A tensor parameter.
    Tensor(ParamId),
}
