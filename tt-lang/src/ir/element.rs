//! Element expressions.

use super::{BlockId, CompareOp, ElementType, IntExpr, Kernel, NumberExpr, ParamId, Real, Span};
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
    Float(Real),
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
        let mut all = Vec::new();
        self.each_operand(&mut |operand| all.push(operand));
        all
    }

    /// Calls `visit` for the direct operands.
    pub fn each_operand<'a>(&'a self, visit: &mut impl FnMut(&'a Element)) {
        match &self.kind {
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::CompareInt(..) => {}
            ElementKind::Call(_, args) => args.iter().for_each(visit),
            ElementKind::Compare(_, a, b) | ElementKind::And(a, b) | ElementKind::Or(a, b) => {
                visit(a);
                visit(b);
            }
            ElementKind::Not(a) | ElementKind::Cast(_, a) => visit(a),
            ElementKind::Select(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
        }
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Element> {
        match &mut self.kind {
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::CompareInt(..) => Vec::new(),
            ElementKind::Call(_, args) => args.iter_mut().collect(),
            ElementKind::Compare(_, a, b) | ElementKind::And(a, b) | ElementKind::Or(a, b) => vec![a, b],
            ElementKind::Not(a) | ElementKind::Cast(_, a) => vec![a],
            ElementKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// The type of the element that it is, where something in it says so: whole numbers are of the type that is wanted.
    pub fn element_type(&self, buffers: &impl Buffers) -> Option<ElementType> {
        match &self.kind {
            ElementKind::Float(_) | ElementKind::Scalar(_) => Some(ElementType::F32),
            ElementKind::Load(access) => buffers.element_of(access.buffer),
            ElementKind::Cast(to, _) => Some(*to),
            ElementKind::Call(op, args) => match op.row().types() {
                Some([_, of]) => Some(of),
                None => args.iter().find_map(|arg| arg.element_type(buffers)),
            },
            ElementKind::Select(_, a, b) => a.element_type(buffers).or_else(|| b.element_type(buffers)),
            ElementKind::Int(_)
            | ElementKind::Bool(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => None,
        }
    }

    /// The type of the elements that its operands are, where it is an element of type `wanted` itself.
    pub fn operand_type(&self, buffers: &impl Buffers, wanted: ElementType) -> ElementType {
        // What says nothing of its type is a number, and one of `i32` where it is computed or cast to an integer.
        let mut otherwise = ElementType::F32;
        let own = match &self.kind {
            ElementKind::Compare(_, a, b) => {
                if a.is_computed() || b.is_computed() {
                    otherwise = ElementType::I32;
                }
                a.element_type(buffers).or_else(|| b.element_type(buffers))
            }
            ElementKind::Cast(to, a) => {
                if to.is_integer() || a.is_computed() {
                    otherwise = ElementType::I32;
                }
                a.element_type(buffers)
            }
            ElementKind::Call(op, _) => return op.row().types().map_or(wanted, |[from, _]| from),
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Load(_)
            | ElementKind::Select(..)
            | ElementKind::Int(_)
            | ElementKind::Bool(_)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => return wanted,
        };
        own.unwrap_or(otherwise)
    }

    /// Whether it is the result of an operation: one of integers, where nothing in it says of which type they are.
    fn is_computed(&self) -> bool {
        match &self.kind {
            ElementKind::Call(..) => true,
            ElementKind::Select(_, a, b) => a.is_computed() || b.is_computed(),
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Load(_)
            | ElementKind::Int(_)
            | ElementKind::Cast(..)
            | ElementKind::Bool(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => false,
        }
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Element)) {
        visit(self);
        self.each_operand(&mut |operand| operand.walk(visit));
    }

    /// Calls `visit` for this expression and everything in it, to be changed; what is in it after it.
    pub fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Element)) {
        visit(self);
        for operand in self.operands_mut() {
            operand.walk_mut(visit);
        }
    }

    /// Whether it reads elements, which may have no value; then neither has it.
    pub fn reads(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part.kind, ElementKind::Load(_)));
        found
    }

    /// The number it is, where it is made of literals, `f32` scalars, extents and integer scalars.
    pub fn number_at_launch(&self) -> Option<NumberExpr> {
        self.number_of_block().filter(NumberExpr::is_launch_constant)
    }

    /// The number it is, where it is made of literals, `f32` scalars and integers, which are the same for the whole block where this
    /// is no element of a parallel loop.
    pub fn number_of_block(&self) -> Option<NumberExpr> {
        Some(match &self.kind {
            ElementKind::Float(Real(value)) => NumberExpr::Literal(Real(*value)),
            ElementKind::Scalar(id) => NumberExpr::Scalar(*id),
            ElementKind::Int(value) => NumberExpr::Int(value.clone()),
            ElementKind::Call(op, args) if op.row().is_computed_at_launch() => {
                let args: Vec<NumberExpr> = args.iter().map(Element::number_of_block).collect::<Option<_>>()?;
                let is_known = args.iter().all(NumberExpr::is_launch_constant);
                if !is_known && !NumberExpr::IN_KERNELS.contains(op) {
                    return None;
                }
                NumberExpr::Call(*op, args)
            }
            ElementKind::Cast(ElementType::F32, inner) => inner.number_of_block()?,
            ElementKind::Call(..)
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

/// Who knows the type of every block and tensor: a kernel, and who reads one.
pub trait Buffers {
    /// The type of the elements of `buffer`.
    fn element_of(&self, buffer: Buffer) -> Option<ElementType>;
}

impl Buffers for Kernel {
    fn element_of(&self, buffer: Buffer) -> Option<ElementType> {
        Some(buffer.element(self))
    }
}

impl Buffer {
    /// The type of its elements.
    pub fn element(self, kernel: &Kernel) -> ElementType {
        match self {
            Buffer::Block(id) => kernel.block(id).element,
            Buffer::Tensor(id) => kernel
                .tensor(id)
                .map_or(ElementType::F32, |tensor| tensor.element.value),
        }
    }
}
