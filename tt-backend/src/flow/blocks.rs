//! The first stage of Flow IR, from C1 to C2: what statements do with whole blocks.

use super::{BufferId, DefinitionId, FlowLoop, Operand, ProductSees, Read, Sees, Write};
use crate::ir::{Never, Stage, Stmt};
use tt_lang::ir::{BoolExpr, CompareOp, ElementOp, Span};
use tt_plan::Number;

/// After C1: what statements do with whole blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Blocks {}

impl Stage for Blocks {
    type Op = BlockOp;
    type Loop = FlowLoop;
    type Branch = BoolExpr;
    type Group = Never;
    /// Its place in the source.
    type Note = Span;
}

/// A statement after C1.
pub type BlockStmt = Stmt<Blocks>;

/// An operation on whole blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockOp {
    /// Reader: a new version of a buffer from a tensor.
    Read(Read),
    /// Writer: the front version of a buffer to a tensor.
    Write(Write),
    /// Compute: an element expression for every element of a buffer.
    Elementwise(Elementwise),
    /// Compute: `acc += a · b`.
    Gemm(Gemm),
}

impl BlockOp {
    /// Calls `visit` for everything that it uses, with its place where that is not the statement's.
    pub fn uses(&self, visit: &mut impl FnMut(BufferId, Sees, Option<Span>)) {
        match self {
            BlockOp::Read(_) => {}
            BlockOp::Write(write) => visit(write.buffer, write.sees, None),
            BlockOp::Elementwise(elementwise) => elementwise.value.loads(&mut |operand, span| {
                if let Some(sees) = operand.sees {
                    visit(operand.buffer, sees, Some(span));
                }
            }),
            BlockOp::Gemm(gemm) => {
                visit(gemm.a, gemm.sees.a, None);
                visit(gemm.b, gemm.sees.b, None);
                if let Some(sees) = gemm.sees.acc {
                    visit(gemm.acc, sees, None);
                }
            }
        }
    }

    /// Whether it uses `buffer`.
    pub fn is_use_of(&self, buffer: BufferId) -> bool {
        let mut found = false;
        self.uses(&mut |used, _, _| found |= used == buffer);
        found
    }

    /// Whether it defines `buffer`.
    pub fn is_definition_of(&self, buffer: BufferId) -> bool {
        self.defines().is_some_and(|(defined, _)| defined == buffer)
    }

    /// What it defines.
    pub fn defines(&self) -> Option<(BufferId, DefinitionId)> {
        match self {
            BlockOp::Read(read) => Some((read.buffer, read.defines)),
            BlockOp::Write(_) => None,
            BlockOp::Elementwise(elementwise) => Some((elementwise.target, elementwise.defines)),
            BlockOp::Gemm(gemm) => Some((gemm.acc, gemm.defines)),
        }
    }
}

/// An element expression for every element of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Elementwise {
    /// Defined.
    pub target: BufferId,
    /// As what.
    pub defines: DefinitionId,
    /// Elements along rows and columns (one column for a value per row).
    pub extent: [u64; 2],
    /// The value.
    pub value: Value,
}

/// An element expression over buffers.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Its place in the source.
    pub span: Span,
}

impl Value {
    /// The number that it is, if it is nothing else.
    pub fn number(&self) -> Option<&Number> {
        match &self.kind {
            ValueKind::Number(number) => Some(number),
            ValueKind::Load(_)
            | ValueKind::Call(..)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_)
            | ValueKind::Select(..) => None,
        }
    }

    /// The direct operands.
    pub fn operands(&self) -> Vec<&Value> {
        match &self.kind {
            ValueKind::Number(_) | ValueKind::Load(_) => Vec::new(),
            ValueKind::Call(_, args) => args.iter().collect(),
            ValueKind::Compare(_, a, b) | ValueKind::And(a, b) | ValueKind::Or(a, b) => vec![a, b],
            ValueKind::Not(a) => vec![a],
            ValueKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Value> {
        match &mut self.kind {
            ValueKind::Number(_) | ValueKind::Load(_) => Vec::new(),
            ValueKind::Call(_, args) => args.iter_mut().collect(),
            ValueKind::Compare(_, a, b) | ValueKind::And(a, b) | ValueKind::Or(a, b) => vec![a, b],
            ValueKind::Not(a) => vec![a],
            ValueKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Calls `visit` for every load in it.
    pub fn loads(&self, visit: &mut impl FnMut(Operand, Span)) {
        if let ValueKind::Load(operand) = self.kind {
            visit(operand, self.span);
        }
        for operand in self.operands() {
            operand.loads(visit);
        }
    }

    /// Calls `visit` for every load in it, to be changed.
    pub fn loads_mut(&mut self, visit: &mut impl FnMut(&mut Operand)) {
        if let ValueKind::Load(operand) = &mut self.kind {
            visit(operand);
        }
        for operand in self.operands_mut() {
            operand.loads_mut(visit);
        }
    }
}

/// What an element expression over buffers is. Truth values are 1 and 0.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// A number known at launch.
    Number(Number),
    /// Tiles of a buffer.
    Load(Operand),
    /// An operation of the language.
    Call(ElementOp, Vec<Value>),
    /// A comparison.
    Compare(CompareOp, Box<Value>, Box<Value>),
    /// Both.
    And(Box<Value>, Box<Value>),
    /// Either.
    Or(Box<Value>, Box<Value>),
    /// Neither.
    Not(Box<Value>),
    /// The second where the first holds, else the third.
    Select(Box<Value>, Box<Value>, Box<Value>),
}

/// `acc += a · b`, in tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Gemm {
    /// Left operand.
    pub a: BufferId,
    /// Right operand.
    pub b: BufferId,
    /// Accumulator.
    pub acc: BufferId,
    /// What the accumulator becomes.
    pub defines: DefinitionId,
    /// What the three are.
    pub sees: ProductSees,
    /// Rows, columns, and the length of the sums, in tiles.
    pub m: u32,
    /// Columns, in tiles.
    pub n: u32,
    /// The length of the sums, in tiles.
    pub k: u32,
    /// The left operand is stored `k × m`.
    pub transpose_a: bool,
    /// The right operand is stored `n × k`.
    pub transpose_b: bool,
}
