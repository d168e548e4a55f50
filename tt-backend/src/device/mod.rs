//! Device IR: three programs of protocol statements, one-to-one with Metalium calls.
//!
//! A [`Node`] tree is generic over its leaves: what a stage may contain is what its leaf type allows. After D1 the leaves
//! are [`Step`]s; D3, D4 and D5 lower them until only [`Leaf`]s remain, which the code writer prints one by one.

#![warn(clippy::arithmetic_side_effects)]

pub mod function;
pub mod print;

use crate::flow::{BufferId, Matmul, Section, TileRegion};
use function::Function;
use tt_lang::ir::{BoolExpr, IntExpr, ParamId, Span, VarId};
use tt_plan::{Number, Plan, Role, RuntimeValue};

/// A statement tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<L> {
    /// One step.
    Leaf(L),
    /// A loop of the user's program: the same on every processor that takes part.
    Loop {
        /// The loop variable.
        var: VarId,
        /// First value.
        start: Expr,
        /// One past the last value.
        end: Expr,
        /// Written out by the C++ compiler.
        unroll: bool,
        /// The statements.
        body: Vec<Node<L>>,
        /// Which loop of Flow IR it comes from.
        origin: Origin,
    },
    /// A branch of the user's program.
    If {
        /// The condition.
        cond: Expr,
        /// Where it holds.
        then: Vec<Node<L>>,
        /// Where it does not.
        otherwise: Vec<Node<L>>,
        /// Which branch of Flow IR it comes from.
        origin: Origin,
    },
    /// A loop over tiles that the compiler made: `for (name = 0; name < end; name += step)`.
    Tiles {
        /// The loop variable.
        name: String,
        /// One past the last value.
        end: u32,
        /// The step.
        step: u32,
        /// The statements.
        body: Vec<Node<L>>,
    },
    /// A condition that the compiler made.
    When {
        /// The condition.
        cond: Expr,
        /// Where it holds.
        then: Vec<Node<L>>,
        /// Where it does not.
        otherwise: Vec<Node<L>>,
    },
    /// Statements in a scope of their own: `{ .. }`.
    Scope(Vec<Node<L>>),
    /// A place in the source, shown as a comment before what follows.
    Source(Span),
}

/// Where in Flow IR a node comes from: its number in preorder. Equal numbers on two processors mean the same statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// A leaf between D1 and D5.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Lowered.
    Leaf(Leaf),
    /// Consumer: wait for a version.
    Receive(BufferId),
    /// Consumer: drop a version.
    Release(BufferId),
    /// Producer: room for a version.
    Reserve(BufferId),
    /// Producer: a version is complete.
    Publish(BufferId),
    /// Reader: the pages of a version.
    Read(BufferId, TileRegion),
    /// Reader: one page of zeros.
    ReadZeros(BufferId),
    /// Writer: the pages of a version.
    Write(BufferId, TileRegion),
    /// Compute: a pass over destination registers.
    Section(Box<SectionStep>),
    /// Compute, within the control steps of a section: a product into its registers, with the transitions before it (D4).
    Multiply(Matmul, Vec<Leaf>),
}

/// A section on its way through D4 and D5.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionStep {
    /// The section.
    pub section: Section,
    /// Transitions before its loops (D4).
    pub before: Vec<Leaf>,
    /// Transitions before each of its steps, within the loops (D4).
    pub steps: Vec<Vec<Leaf>>,
    /// Transitions before the pack, within the loops (D4).
    pub pack: Vec<Leaf>,
    /// The lowered bodies of `Control` steps, by step (D1).
    pub control: Vec<Vec<Node<Step>>>,
}

/// A statement of the emitted code.
#[derive(Debug, Clone, PartialEq)]
pub enum Leaf {
    /// A call.
    Call(Call),
    /// `type name = value;`
    Let {
        /// The C++ type.
        kind: &'static str,
        /// The name.
        name: String,
        /// The value.
        value: Expr,
    },
    /// `name += value;`
    Advance {
        /// The name.
        name: String,
        /// The value.
        value: Expr,
    },
}

/// A call of a device function.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// Its template arguments, printed as they are; empty for none.
    pub template: String,
    /// Its arguments.
    pub args: Vec<Expr>,
}

/// An expression of the emitted code.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// An integer.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// A variable the compiler made.
    Name(String),
    /// An integer expression of the language; its launch-constant parts become runtime arguments (E1).
    User(IntExpr),
    /// A condition of the language, as 1 or 0.
    Condition(BoolExpr),
    /// The bits of a number known at launch: a literal, or a runtime argument (E1).
    Number(Number),
    /// The index of a circular buffer.
    Buffer(BufferId),
    /// Bytes of a page of a circular buffer.
    PageBytes(BufferId),
    /// The accessor of a tensor.
    Accessor(ParamId),
    /// The tiles of a tensor along its rows (0) or columns (1).
    TensorTiles(ParamId, usize),
    /// The extent of a tensor along an axis, counted from the outermost.
    TensorExtent(ParamId, usize),
    /// The extent of a tensor along its rows (0) or columns (1).
    TensorAxis(ParamId, usize),
    /// A constant of the emitted file (`DST_FORMAT`).
    Constant(&'static str),
    /// A call with a value.
    Call(Box<Call>),
    /// `a op b`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// `a op b`, folded where neutral or constant.
    pub fn binary(op: &'static str, a: Expr, b: Expr) -> Expr {
        match (op, &a, &b) {
            ("+", Expr::Int(0), _) | ("*", Expr::Int(1), _) => b,
            ("+" | "-", _, Expr::Int(0)) | ("*" | "/", _, Expr::Int(1)) => a,
            ("*", Expr::Int(0), _) | ("*", _, Expr::Int(0)) => Expr::Int(0),
            ("+", Expr::Int(x), Expr::Int(y)) if x.checked_add(*y).is_some() => Expr::Int(x.saturating_add(*y)),
            ("*", Expr::Int(x), Expr::Int(y)) if x.checked_mul(*y).is_some() => Expr::Int(x.saturating_mul(*y)),
            ("+", Expr::User(x), Expr::User(y)) => {
                Expr::User(IntExpr::binary(tt_lang::ir::IntOp::Add, x.clone(), y.clone()))
            }
            ("+", Expr::User(x), Expr::Int(y)) => {
                Expr::User(IntExpr::binary(tt_lang::ir::IntOp::Add, x.clone(), IntExpr::Const(*y)))
            }
            _ => Expr::Binary(op, Box::new(a), Box::new(b)),
        }
    }

    /// A variable the compiler made.
    pub fn name(name: impl Into<String>) -> Expr {
        Expr::Name(name.into())
    }

    /// An integer expression of the language, or the integer it is.
    pub fn user(expr: &IntExpr) -> Expr {
        match expr {
            IntExpr::Const(value) => Expr::Int(*value),
            _ => Expr::User(expr.clone()),
        }
    }
}

/// `function(args..)`.
pub fn call(function: &'static Function, args: impl IntoIterator<Item = Expr>) -> Leaf {
    Leaf::Call(Call {
        function,
        template: String::new(),
        args: args.into_iter().collect(),
    })
}

/// `function<template>(args..)`.
pub fn call_with(
    function: &'static Function,
    template: impl Into<String>,
    args: impl IntoIterator<Item = Expr>,
) -> Leaf {
    Leaf::Call(Call {
        function,
        template: template.into(),
        args: args.into_iter().collect(),
    })
}

/// A device program as it is written out: everything named, every argument numbered.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Which of the three.
    pub role: Role,
    /// Runtime arguments in order; the code writer declares each as a constant of its name.
    pub args: Vec<Argument>,
    /// Tensors accessed, in the order of their compile-time words, each with its name and that of its address argument.
    pub accessors: Vec<Accessor>,
    /// Once, before the first block.
    pub before: Vec<Node<Leaf>>,
    /// From the number of a block (`block_id`) to its grid coordinates (pass rasterize).
    pub coordinates: Vec<Leaf>,
    /// For every block.
    pub body: Vec<Node<Leaf>>,
    /// Once, after the last block.
    pub after: Vec<Node<Leaf>>,
}

/// A runtime argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `int32_t` for integers of the language, `uint32_t` for addresses and bits.
    pub kind: &'static str,
    /// Its name in the emitted code.
    pub name: String,
    /// Where its value comes from.
    pub value: RuntimeValue,
}

/// A tensor accessed by a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Accessor {
    /// The tensor.
    pub tensor: ParamId,
    /// The name of the accessor object in the emitted code.
    pub name: String,
    /// The name of the argument that holds the address.
    pub address: String,
}

/// Everything the code writer prints, and the plan.
#[derive(Debug, Clone)]
pub struct Device {
    /// The circular buffers with their indices in the plan, by [`BufferId`].
    pub buffers: Vec<crate::flow::Buffer>,
    /// The index of every buffer on the device, by [`BufferId`].
    pub indices: Vec<u8>,
    /// Reader, compute, writer.
    pub programs: [Program; 3],
    /// The name of every variable of the kernel in the emitted code, by `VarId`.
    pub variables: Vec<String>,
    /// The plan.
    pub plan: Plan,
}

/// The three programs, at the stage whose leaves are `L`.
#[derive(Debug, Clone, PartialEq)]
pub struct Programs<R, C, W> {
    /// On NCRISC.
    pub reader: Vec<Node<R>>,
    /// On the three TRISCs.
    pub compute: Vec<Node<C>>,
    /// On BRISC.
    pub writer: Vec<Node<W>>,
}
