//! The first stage of Flow IR, from C1 to C2: what statements do with whole blocks.

use super::{
    Buffer, BufferId, DefinitionId, Fetch, FlowLoop, Fold, Index, Inspection, Operand, ProductSees, Read, Sees, Shift,
    Write,
};
use crate::ir::{Never, Stage, Stmt};
use tt_lang::ir::{BoolExpr, CompareOp, ElementOp, ElementType, IntExpr, IntOp, Span};
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
    /// Writer: what is told of the block.
    Inspect(Inspection),
    /// Writer: a version of a buffer from the front version of another.
    Shift(Shift),
    /// Whoever needs it: an integer from a tensor.
    Fetch(Fetch),
    /// Compute: an element expression for every element of a buffer.
    Elementwise(Elementwise),
    /// Compute: `acc += a · b`.
    Gemm(Gemm),
}

impl BlockOp {
    /// Calls `visit` for everything that it uses, with its place where that is not the statement's.
    pub fn uses(&self, visit: &mut impl FnMut(BufferId, Sees, Option<Span>)) {
        match self {
            BlockOp::Read(_) | BlockOp::Fetch(_) => {}
            BlockOp::Write(write) => write.uses().for_each(|(buffer, sees)| visit(buffer, sees, None)),
            BlockOp::Inspect(inspection) => {
                if let Some((buffer, sees)) = inspection.uses() {
                    visit(buffer, sees, None);
                }
            }
            BlockOp::Shift(of) => visit(of.from, of.sees, None),
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

    /// What it adds products to.
    pub fn adds_to(&self) -> Option<Sees> {
        match self {
            BlockOp::Gemm(gemm) => gemm.sees.acc,
            BlockOp::Read(_)
            | BlockOp::Write(_)
            | BlockOp::Inspect(_)
            | BlockOp::Shift(_)
            | BlockOp::Fetch(_)
            | BlockOp::Elementwise(_) => None,
        }
    }

    /// What it defines.
    pub fn defines(&self) -> Option<(BufferId, DefinitionId)> {
        match self {
            BlockOp::Read(read) => Some((read.buffer, read.defines)),
            BlockOp::Shift(of) => Some((of.buffer, of.defines)),
            BlockOp::Write(_) | BlockOp::Inspect(_) | BlockOp::Fetch(_) => None,
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
    /// Whether it is an operation of what the target holds, its first operand, and something else: an element for which that
    /// has no value stays as it was.
    pub compound: bool,
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
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_)
            | ValueKind::Cast(..)
            | ValueKind::Call(..)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_)
            | ValueKind::Select(..)
            | ValueKind::Reduce(..)
            | ValueKind::Pick(..) => None,
        }
    }

    /// The direct operands.
    pub fn operands(&self) -> Vec<&Value> {
        let mut all = Vec::new();
        self.each_operand(&mut |operand| all.push(operand));
        all
    }

    /// Calls `visit` for the direct operands.
    pub fn each_operand<'a>(&'a self, visit: &mut impl FnMut(&'a Value)) {
        match &self.kind {
            ValueKind::Number(_)
            | ValueKind::Load(_)
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_) => {}
            ValueKind::Call(_, args) => args.iter().for_each(visit),
            ValueKind::Compare(_, a, b) | ValueKind::And(a, b) | ValueKind::Or(a, b) => {
                visit(a);
                visit(b);
            }
            ValueKind::Not(a) | ValueKind::Cast(_, a) | ValueKind::Reduce(_, a) | ValueKind::Pick(_, a) => visit(a),
            ValueKind::Select(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
        }
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Value> {
        match &mut self.kind {
            ValueKind::Number(_)
            | ValueKind::Load(_)
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_) => Vec::new(),
            ValueKind::Call(_, args) => args.iter_mut().collect(),
            ValueKind::Compare(_, a, b) | ValueKind::And(a, b) | ValueKind::Or(a, b) => vec![a, b],
            ValueKind::Not(a) | ValueKind::Cast(_, a) | ValueKind::Reduce(_, a) | ValueKind::Pick(_, a) => vec![a],
            ValueKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Calls `visit` for every load in it.
    pub fn loads(&self, visit: &mut impl FnMut(Operand, Span)) {
        if let ValueKind::Load(operand) = self.kind {
            visit(operand, self.span);
        }
        self.each_operand(&mut |operand| operand.loads(visit));
    }

    /// Calls `visit` for every load in it, where it is the value of a block of `extent` elements: with the elements of the
    /// block that the load stands in, and whether those are reduced.
    pub fn loads_within(&self, extent: [u64; 2], visit: &mut impl FnMut(Operand, [u64; 2], bool)) {
        self.loads_of((extent, false), visit);
    }

    fn loads_of(&self, within: ([u64; 2], bool), visit: &mut impl FnMut(Operand, [u64; 2], bool)) {
        if let ValueKind::Load(operand) = self.kind {
            visit(operand, within.0, within.1);
        }
        let within = match self.reduction() {
            Some(reduction) => (reduction.extent, true),
            None => within,
        };
        self.each_operand(&mut |operand| operand.loads_of(within, visit));
    }

    /// How its operand is reduced, if it is.
    pub fn reduction(&self) -> Option<Reduction> {
        match &self.kind {
            ValueKind::Reduce(reduction, _) => Some(*reduction),
            ValueKind::Pick(pick, _) => Some(pick.reduction()),
            ValueKind::Number(_)
            | ValueKind::Load(_)
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Integer(_)
            | ValueKind::Cast(..)
            | ValueKind::Call(..)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_)
            | ValueKind::Select(..) => None,
        }
    }

    /// Calls `visit` for this value and everything in it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Value)) {
        visit(self);
        self.each_operand(&mut |operand| operand.walk(visit));
    }

    /// Whether it loads anything.
    pub fn reads(&self) -> bool {
        let mut found = false;
        self.loads(&mut |_, _| found = true);
        found
    }

    /// Whether anything in it is reduced.
    pub fn reduces(&self) -> bool {
        self.reduction().is_some() || self.operands().into_iter().any(Value::reduces)
    }

    /// Calls `visit` for every integer in it that differs from block to block.
    pub fn integers<'a>(&'a self, visit: &mut impl FnMut(&'a IntExpr)) {
        if let ValueKind::Index(index) | ValueKind::Negative(index) | ValueKind::Integer(index) = &self.kind {
            visit(&index.rest);
        }
        if let ValueKind::Pick(pick, _) = &self.kind {
            pick.at.iter().flatten().for_each(&mut *visit);
        }
        self.each_operand(&mut |operand| operand.integers(visit));
    }

    /// Whether its elements are integers, held as such in registers.
    pub fn is_integer(&self, buffers: &[Buffer]) -> bool {
        match &self.kind {
            ValueKind::Integer(_) => true,
            ValueKind::Cast(to, _) => to.is_integer(),
            ValueKind::Load(operand) => buffers[operand.buffer.0].format.is_integer(),
            ValueKind::Call(op, args) => match op.row().types() {
                Some([_, of]) => of.is_integer(),
                None => args.first().is_some_and(|arg| arg.is_integer(buffers)),
            },
            ValueKind::Select(_, a, _) | ValueKind::Reduce(_, a) | ValueKind::Pick(_, a) => a.is_integer(buffers),
            ValueKind::Number(_)
            | ValueKind::Index(_)
            | ValueKind::Negative(_)
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_) => false,
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
    /// An integer of each element, as a number.
    Index(Index),
    /// Whether an integer of each element is below zero.
    Negative(Index),
    /// An integer of each element, as such.
    Integer(Index),
    /// A number as an integer, towards zero and held to the range of the type, an integer as a number or cut to fewer bits, or a
    /// number rounded to `f16` or `bf16`.
    Cast(ElementType, Box<Value>),
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
    /// An element for each row, each column or all of a block, whose elements the value is.
    Reduce(Reduction, Box<Value>),
    /// An element for each column, each row or all of a block, whose elements the value is: those of one row or column.
    Pick(Pick, Box<Value>),
}

/// Which row, and which column, of a block stands for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// The row, and the column, where it is one. The element stands in row 0, or in column 0.
    pub at: [Option<IntExpr>; 2],
    /// The block's elements along rows and columns.
    pub extent: [u64; 2],
}

impl Pick {
    /// What is below zero where an element is of that row and column, and nowhere else.
    pub fn is_there(&self) -> Vec<Index> {
        let at = self
            .at
            .iter()
            .enumerate()
            .filter_map(|(axis, at)| Some((axis, at.as_ref()?)));
        at.flat_map(|(axis, at)| {
            let after = Index {
                row: i64::from(axis == 0),
                column: i64::from(axis == 1),
                rest: IntExpr::binary(IntOp::Sub, IntExpr::Const(0), at.clone()),
            };
            // Not after it, and not before it.
            [after.negated(0).negated(1), after.negated(1)]
        })
        .collect()
    }

    /// What finds the elements: the largest is each, where all others are least.
    pub fn reduction(&self) -> Reduction {
        Reduction {
            fold: Fold::Max,
            along: self.at.each_ref().map(Option::is_some),
            extent: self.extent,
        }
    }
}

/// What becomes of a block's elements that are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// How two of them become one.
    pub fold: Fold,
    /// Whether it is all those of a column, and all those of a row. The element stands in row 0, or in column 0.
    pub along: [bool; 2],
    /// The block's elements along rows and columns.
    pub extent: [u64; 2],
}

impl Reduction {
    /// How many elements become one.
    pub fn count(&self) -> u64 {
        let along = |axis: usize| if self.along[axis] { self.extent[axis] } else { 1 };
        along(0).saturating_mul(along(1))
    }
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
