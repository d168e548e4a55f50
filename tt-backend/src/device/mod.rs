//! Device IR: three programs of protocol statements, one-to-one with Metalium calls.
//!
//! The programs go through three stages, each with statements of its own ([`crate::ir`]):
//!
//! | after | reader and writer | compute |
//! |---|---|---|
//! | D1 | [`Moves`]: protocol and transfers | [`Compute<Protocol>`]: protocol, and steps in registers |
//! | D3, D4 | [`Calls<Symbol>`] | [`Compute<Leaf<Symbol>>`]: calls, and steps in registers |
//! | D5 | [`Calls<Symbol>`] | [`Calls<Symbol>`] |
//! | E1 | [`Calls<Bits>`] | [`Calls<Bits>`] |
//!
//! Statements run in order, each to its end before the next; only the transfers of the NoC go on by themselves, until a
//! barrier. The programs run at the same time and meet in circular buffers alone. What must hold is said by
//! [`crate::verify`].

#![warn(clippy::arithmetic_side_effects)]

pub mod ahead;
pub mod function;
mod operator;
pub mod parts;
pub mod print;
#[cfg(feature = "text")]
pub mod read;
mod template;
pub mod uses;

pub use operator::{CppType, Operator};
pub use template::{Template, TemplateArg};

use crate::flow::{Arg, BufferId, Constant, Fetch, Index, Inspection, Matmul, Pack, TileRegion, Window};
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::passes::b2_grid_to_cores::{COUNT, START_ID, STEP};
use crate::tile_ops::TileOp;
use crate::verify::traffic::Traffic;
use function::Function;
use std::fmt::Debug;
use std::marker::PhantomData;
use tt_lang::ir::{BoolExpr, IntExpr, IntOp, NumberExpr, ParamId, Span, VarId};
use tt_plan::{CoreLine, Number, Plan, Role, RuntimeValue, TransferPlan};

/// Where in Flow IR a loop or branch comes from: its number in preorder. Equal numbers on two processors mean the same
/// statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// The place in the source that a statement begins at, shown as a comment before it.
pub type Source = Option<Span>;

/// A loop before it is written as C++.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceLoop {
    /// Over the blocks of the core (B2).
    Blocks,
    /// Of the user's: the same on every processor that takes part.
    Over {
        /// The loop variable.
        var: VarId,
        /// First value.
        start: IntExpr,
        /// One past the last value.
        end: IntExpr,
        /// Written out by the C++ compiler.
        unroll: bool,
        /// Which loop of Flow IR it comes from.
        origin: Origin,
    },
}

/// A branch before it is written as C++.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceBranch {
    /// The condition.
    pub cond: BoolExpr,
    /// Whose it is.
    pub cause: Cause,
}

/// Whose a branch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The user's, which all programs take alike: which branch of Flow IR.
    User(Origin),
    /// The compiler's own.
    Compiler,
    /// The compiler's own, of some turns of the loop around it.
    Turn(Turn),
}

impl Cause {
    /// The branch of Flow IR that it is.
    pub fn origin(self) -> Option<Origin> {
        match self {
            Cause::User(origin) => Some(origin),
            Cause::Compiler | Cause::Turn(_) => None,
        }
    }

    /// The turns of the loop around that it is of.
    pub fn turn(self) -> Option<Turn> {
        match self {
            Cause::Turn(turn) => Some(turn),
            Cause::User(_) | Cause::Compiler => None,
        }
    }
}

/// Some turns of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// All but the last. What stands in the other side may leave the buffers otherwise than the loop found them: nothing of the loop comes
    /// behind it. A loop has one such branch at most, right in its body, and runs at least once.
    BeforeLast,
    /// All but the first.
    AfterFirst,
}

impl Turn {
    /// What its branch asks in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Turn::BeforeLast => "before the last turn",
            Turn::AfterFirst => "after the first turn",
        }
    }

    /// Every one.
    pub const ALL: [Turn; 2] = [Turn::BeforeLast, Turn::AfterFirst];
}

/// A step of the circular buffer protocol, for one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Producer: room for a version.
    Reserve(BufferId),
    /// Producer: a version is complete.
    Publish(BufferId),
    /// Producer: so many rows of tiles of a version are, the next ones.
    PublishRows(BufferId, u32),
    /// Consumer: wait for a version.
    Receive(BufferId),
    /// Consumer: drop a version.
    Release(BufferId),
    /// Consumer: the integer that the front version is.
    Take(VarId, BufferId),
}

/// Reader and writer after D1.
#[derive(Debug, Clone, PartialEq)]
pub enum Moves {}

impl Stage for Moves {
    type Op = Move;
    type Loop = SourceLoop;
    type Branch = SourceBranch;
    type Group = Never;
    type Note = Source;
}

/// An operation of reader or writer after D1.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// The protocol of the buffers.
    Protocol(Protocol),
    /// The pages of a version from a tensor; where a line of cores shares them, its sender has them from there, and the others from
    /// it. They have arrived after the last of reads that follow each other.
    Read(BufferId, TileRegion, Option<CoreLine>),
    /// The pages of a version, each a constant.
    Make(BufferId, Constant),
    /// The pages of a version to a tensor; where not all elements are stored, by a version of numbers that are 0 where one is not.
    Write(BufferId, TileRegion, Option<BufferId>),
    /// The pages of a version from another.
    Shift {
        /// From this version.
        from: BufferId,
        /// To this one.
        to: BufferId,
        /// Which elements.
        window: Window,
    },
    /// What is told of the block.
    Inspect(Inspection),
    /// An integer from a tensor, which the page then is too.
    Fetch(BufferId, Fetch),
}

/// The compute program from D1 to D5. `P` is what stands outside of registers: [`Protocol`], then [`Leaf`].
#[derive(Debug, Clone, PartialEq)]
pub struct Compute<P>(PhantomData<P>);

impl<P: Debug + Clone + PartialEq> Stage for Compute<P> {
    type Op = ComputeOp<P>;
    type Loop = SourceLoop;
    type Branch = SourceBranch;
    type Group = Around;
    type Note = Source;
}

/// An operation of the compute program. All but `Plain` stand in a [`Section`], and so do the transitions before them.
#[derive(Debug, Clone, PartialEq)]
pub enum ComputeOp<P> {
    /// Outside of registers, or a transition.
    Plain(P),
    /// For every tile of the chunk: an operation on its registers.
    Tile {
        /// The operation.
        op: TileOp,
        /// The register that holds the result.
        out: u32,
        /// Where the operands are.
        args: Vec<Arg>,
    },
    /// `register 0 += a · b`.
    Matmul(Matmul),
    /// The registers of the chunk are the packer's. For operations behind it the packer's thread asks the SFPU.
    Commit,
    /// For every tile of the chunk: a register goes to a buffer.
    Pack {
        /// The register.
        register: u32,
        /// Where to.
        to: Pack,
    },
}

/// What the compute program does around others.
#[derive(Debug, Clone, PartialEq)]
pub enum Around {
    /// In the destination registers, for every chunk of tiles.
    Section(Section),
    /// For one band of rows of tiles of a version after the other: sections pack to the band, of which their first row is one, and the
    /// rows of their operands are those of the version.
    Bands {
        /// The first row of tiles of the first band.
        first: u32,
        /// Rows of tiles of a band.
        rows: u32,
        /// How many bands.
        count: u32,
    },
    /// In a section: for one tile after the other of what is reduced, along its rows (0) or columns (1); that tile is the one
    /// of operands, along this axis.
    Along {
        /// Which axis.
        axis: usize,
        /// How many tiles.
        tiles: u32,
    },
    /// In a section: for those tiles of the chunk alone in which the integer is not below zero everywhere.
    Unless(Index),
}

/// A pass over destination registers: what stands in it is done for every chunk of tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The row and column of its first tile in the block, or band, that it packs to.
    pub first: [u32; 2],
    /// Rows and columns of tiles of the result.
    pub tiles: [u32; 2],
    /// Rows and columns of tiles of one chunk; they divide `tiles`.
    pub chunk: [u32; 2],
    /// Destination registers per tile of a chunk.
    pub registers: u32,
}

/// A program of calls, whose expressions mention `V`: [`Symbol`]s, after E1 [`Bits`] alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Calls<V>(PhantomData<V>);

impl<V: Debug + Clone + PartialEq> Stage for Calls<V> {
    type Op = Leaf<V>;
    type Loop = Loop<V>;
    type Branch = Branch<V>;
    type Group = Scope;
    type Note = Source;
}

/// Statements in a scope of their own: `{ .. }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope;

impl<V> Loop<V> {
    /// Over the blocks that the arguments of the program say are the core's.
    pub fn over_blocks() -> Loop<V> {
        Loop::Blocks {
            start: Expr::name(START_ID),
            count: Expr::name(COUNT),
            step: Expr::name(STEP),
        }
    }
}

/// A loop of the emitted code.
#[derive(Debug, Clone, PartialEq)]
pub enum Loop<V> {
    /// Over the blocks of the core (B2).
    Blocks {
        /// The first.
        start: Expr<V>,
        /// How many.
        count: Expr<V>,
        /// From one to the next.
        step: Expr<V>,
    },
    /// Of the user's: the same on every processor that takes part.
    Over {
        /// The loop variable.
        var: VarId,
        /// First value.
        start: Expr<V>,
        /// One past the last value.
        end: Expr<V>,
        /// Written out by the C++ compiler.
        unroll: bool,
        /// What a turn begins with is done ahead, in the turn before ([`ahead`]).
        ahead: bool,
        /// Which loop of Flow IR it comes from.
        origin: Origin,
    },
    /// Over tiles, made by the compiler: `for (name = 0; name < end; name += step)`.
    Tiles {
        /// The loop variable.
        name: String,
        /// One past the last value.
        end: u32,
        /// The step.
        step: u32,
        /// The turns in which the branch that each begins with goes one way, and those in which it goes the other, are loops of their own
        /// ([`parts`]).
        in_parts: bool,
    },
}

/// A branch of the emitted code.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch<V> {
    /// The condition.
    pub cond: Expr<V>,
    /// Whose it is.
    pub cause: Cause,
}

/// A statement of the emitted code.
#[derive(Debug, Clone, PartialEq)]
pub enum Leaf<V> {
    /// A call.
    Call(Call<V>),
    /// `type name = value;`
    Let {
        /// The C++ type.
        kind: CppType,
        /// The name.
        name: String,
        /// The value.
        value: Expr<V>,
    },
    /// `const int32_t var = call;`: an integer that stands for itself from here on.
    Define {
        /// The variable.
        var: VarId,
        /// What gives it.
        call: Call<V>,
    },
    /// `name += value;`
    Advance {
        /// The name.
        name: String,
        /// The value.
        value: Expr<V>,
    },
}

/// A call of a device function.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<V> {
    /// The function.
    pub function: &'static Function,
    /// Its template arguments.
    pub template: Template,
    /// Its arguments.
    pub args: Vec<Expr<V>>,
}

/// An expression of the emitted code over `V`.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr<V> {
    /// An integer.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// A variable or argument of the emitted code.
    Name(String),
    /// What is no C++ yet, or a literal.
    Value(V),
    /// The index of a circular buffer.
    Buffer(BufferId),
    /// Bytes of a page of a circular buffer.
    PageBytes(BufferId),
    /// The accessor of a tensor.
    Accessor(ParamId),
    /// A string literal, of no control characters but the end of its line.
    Text(String),
    /// A call with a value.
    Call(Box<Call<V>>),
    /// `a op b`.
    Binary(Operator, Box<Expr<V>>, Box<Expr<V>>),
}

/// What becomes a variable, a runtime argument or a literal (E1).
#[derive(Debug, Clone, PartialEq)]
pub enum Symbol {
    /// An integer expression of the language.
    Int(IntExpr),
    /// Likewise, in 64 bits: sums and multiples that no 32 bits need hold.
    Wide(IntExpr),
    /// A condition of the language, as 1 or 0.
    Condition(BoolExpr),
    /// Likewise, of integers in 64 bits.
    WideCondition(BoolExpr),
    /// The bits of a number known at launch.
    Number(Number),
    /// A number that differs from block to block, as a `float` that the kernel computes.
    Computed(NumberExpr),
    /// The page of its buffer at which a tensor begins.
    FirstPage(ParamId),
    /// The tiles of a tensor along its rows (0) or columns (1).
    TensorTiles(ParamId, usize),
    /// The extent of a tensor along an axis, counted from the outermost.
    TensorExtent(ParamId, usize),
    /// The extent of a tensor along its rows (0) or columns (1).
    TensorAxis(ParamId, usize),
}

/// The bits of an `f32` literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits(pub u32);

impl<V> Expr<V> {
    /// `a op b`.
    pub fn operation(op: Operator, a: Expr<V>, b: Expr<V>) -> Expr<V> {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// `a op b`, folded where neutral or constant.
    pub fn binary(op: Operator, a: Expr<V>, b: Expr<V>) -> Expr<V> {
        match (op, &a, &b) {
            (Operator::Add, Expr::Int(0), _) | (Operator::Mul, Expr::Int(1), _) => b,
            (Operator::Add | Operator::Sub, _, Expr::Int(0)) | (Operator::Mul | Operator::Div, _, Expr::Int(1)) => a,
            (Operator::Mul, Expr::Int(0), _) | (Operator::Mul, _, Expr::Int(0)) => Expr::Int(0),
            (Operator::Add, Expr::Int(x), Expr::Int(y)) if x.checked_add(*y).is_some() => {
                Expr::Int(x.saturating_add(*y))
            }
            (Operator::Mul, Expr::Int(x), Expr::Int(y)) if x.checked_mul(*y).is_some() => {
                Expr::Int(x.saturating_mul(*y))
            }
            _ => Expr::operation(op, a, b),
        }
    }

    /// A variable or argument of the emitted code.
    pub fn name(name: impl Into<String>) -> Expr<V> {
        Expr::Name(name.into())
    }

    /// The conditions of which this one says that all hold.
    pub fn all_of(&self) -> Vec<&Expr<V>> {
        if let Expr::Binary(Operator::And, a, b) = self {
            return [a.all_of(), b.all_of()].concat();
        }
        vec![self]
    }

    /// Whether the variable or argument `name` is in it.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Expr::Name(of) if of == name));
        found
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk(&self, visit: &mut impl FnMut(&Expr<V>)) {
        visit(self);
        match self {
            Expr::Call(call) => call.args.iter().for_each(|arg| arg.walk(visit)),
            Expr::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Expr::Int(_)
            | Expr::Bool(_)
            | Expr::Name(_)
            | Expr::Value(_)
            | Expr::Buffer(_)
            | Expr::PageBytes(_)
            | Expr::Accessor(_)
            | Expr::Text(_) => {}
        }
    }
}

impl Expr<Symbol> {
    /// An integer expression of the language, or the integer it is.
    pub fn user(expr: &IntExpr) -> Expr<Symbol> {
        match expr {
            IntExpr::Const(value) => Expr::Int(*value),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                Expr::Value(Symbol::Int(expr.clone()))
            }
        }
    }

    /// `a + b`, one expression of the language where both are.
    pub fn sum(a: Expr<Symbol>, b: Expr<Symbol>) -> Expr<Symbol> {
        let both = |a: &IntExpr, b| Expr::Value(Symbol::Int(IntExpr::binary(IntOp::Add, a.clone(), b)));
        match (&a, &b) {
            (Expr::Value(Symbol::Int(x)), Expr::Value(Symbol::Int(y))) => both(x, y.clone()),
            (Expr::Value(Symbol::Int(x)), Expr::Int(y)) if *y != 0 => both(x, IntExpr::Const(*y)),
            _ => Expr::binary(Operator::Add, a, b),
        }
    }
}

/// `function(args..)`.
pub fn call<V>(function: &'static Function, args: impl IntoIterator<Item = Expr<V>>) -> Leaf<V> {
    Leaf::Call(Call {
        function,
        template: Template::default(),
        args: args.into_iter().collect(),
    })
}

/// `function<template>(args..)`.
pub fn call_with<V>(
    function: &'static Function,
    template: impl Into<Template>,
    args: impl IntoIterator<Item = Expr<V>>,
) -> Leaf<V> {
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
    /// Macros that the file defines, with their values.
    pub defines: Vec<(&'static str, &'static str)>,
    /// The statements.
    pub body: Vec<Stmt<Calls<Bits>>>,
}

/// A runtime argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `int32_t` for integers of the language, `uint32_t` for addresses and bits.
    pub kind: CppType,
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
    /// The circular buffers, by [`BufferId`].
    pub buffers: Vec<crate::flow::Buffer>,
    /// Reader, compute, writer.
    pub programs: [Program; 3],
    /// What goes through the buffers.
    pub traffic: Traffic,
    /// The name of every variable of the kernel in the emitted code, by `VarId`.
    pub variables: Vec<String>,
    /// The plan.
    pub plan: Plan,
}

/// The three programs, each at a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Programs<R: Stage, C: Stage, W: Stage> {
    /// On NCRISC.
    pub reader: Vec<Stmt<R>>,
    /// On the three TRISCs.
    pub compute: Vec<Stmt<C>>,
    /// On BRISC.
    pub writer: Vec<Stmt<W>>,
}

/// The programs `P` of a kernel, with what they run over. `A` is what is known of their tensors: nothing before D2.
#[derive(Debug, Clone)]
pub struct Parts<P, A = Accessors> {
    /// The circular buffers, by [`BufferId`].
    pub buffers: Vec<crate::flow::Buffer>,
    /// What goes through them, as Flow IR has it.
    pub traffic: Traffic,
    /// Destination registers that compute uses at once, at most.
    pub registers: u32,
    /// How programs address tensors (D2).
    pub accessors: A,
    /// The programs.
    pub programs: P,
}

impl<P, A> Parts<P, A> {
    /// These with other programs.
    pub fn with<Q>(self, programs: impl FnOnce(&[crate::flow::Buffer], P) -> Q) -> Parts<Q, A> {
        Parts {
            programs: programs(&self.buffers, self.programs),
            buffers: self.buffers,
            traffic: self.traffic,
            registers: self.registers,
            accessors: self.accessors,
        }
    }
}

/// The tensors that programs access, each in the order of their compile-time words, and how.
#[derive(Debug, Clone)]
pub struct Accessors {
    /// The reader's.
    pub reader: Vec<Accessor>,
    /// The writer's.
    pub writer: Vec<Accessor>,
    /// What the reader moves, once for each statement of the source.
    pub reads: Vec<TransferPlan>,
    /// What the writer moves, likewise.
    pub writes: Vec<TransferPlan>,
}

/// A statement that the compiler made.
pub fn made<S: Stage<Note = Source>>(kind: Kind<S>) -> Stmt<S> {
    Stmt { note: None, kind }
}

/// A statement of the emitted code.
pub fn line<V: Debug + Clone + PartialEq>(leaf: Leaf<V>) -> Stmt<Calls<V>> {
    made(Kind::Op(leaf))
}

/// A loop over tiles.
pub fn tiles<V: Debug + Clone + PartialEq>(
    name: &str,
    end: u32,
    step: u32,
    body: Vec<Stmt<Calls<V>>>,
) -> Stmt<Calls<V>> {
    let head = Loop::Tiles {
        name: name.to_string(),
        end,
        step,
        in_parts: false,
    };
    made(Kind::Loop(head, body))
}

/// A loop over tiles in parts ([`parts`]): its body begins with the branch that tells them.
pub fn tiles_in_parts<V: Debug + Clone + PartialEq>(name: &str, end: u32, body: Vec<Stmt<Calls<V>>>) -> Stmt<Calls<V>> {
    let head = Loop::Tiles {
        name: name.to_string(),
        end,
        step: 1,
        in_parts: true,
    };
    made(Kind::Loop(head, body))
}

/// Statements in a scope of their own.
pub fn scope<V: Debug + Clone + PartialEq>(body: Vec<Stmt<Calls<V>>>) -> Stmt<Calls<V>> {
    made(Kind::Group(Scope, body))
}

/// A condition that the compiler made.
pub fn when<V: Debug + Clone + PartialEq>(
    cond: Expr<V>,
    then: Vec<Stmt<Calls<V>>>,
    otherwise: Vec<Stmt<Calls<V>>>,
) -> Stmt<Calls<V>> {
    let cause = Cause::Compiler;
    made(Kind::If(Branch { cond, cause }, then, otherwise))
}
