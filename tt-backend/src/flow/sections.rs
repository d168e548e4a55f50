//! The second stage of Flow IR, from C2 to D1: what compute does is passes over destination registers.

use super::{
    Broadcast, BufferId, DefinitionId, Fetch, FlowLoop, Index, Inspection, Operand, ProductSees, Read, Sees, Shift,
    Write,
};
use crate::ir::{self, Stage, Stmt};
use std::collections::BTreeSet;
use tt_lang::ir::{BoolExpr, IntExpr, Span, VarId};
use tt_plan::Number;

/// After C2: what compute does is passes over destination registers.
#[derive(Debug, Clone, PartialEq)]
pub enum Sections {}

impl Stage for Sections {
    type Op = SectionOp;
    type Loop = FlowLoop;
    type Branch = BoolExpr;
    type Group = Accumulate;
    /// Its place in the source.
    type Note = Span;
}

/// A statement after C2.
pub type SectionStmt = Stmt<Sections>;

/// All operations of `body`, those in the registers of a section after it.
pub fn operations<'a>(body: &'a [SectionStmt], each: &mut dyn FnMut(&'a SectionOp)) {
    ir::operations(body, &mut |op| {
        each(op);
        if let SectionOp::Section(section) = op {
            section.controls().for_each(|body| operations(body, each));
        }
    });
}

/// Compute: reserves a version of `buffer`, into which the sections within pack; none of the statements within reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Accumulate {
    /// The accumulator.
    pub buffer: BufferId,
    /// The fill that the first sum stands for.
    pub fill: Option<DefinitionId>,
}

/// An operation over sections.
#[derive(Debug, Clone, PartialEq)]
pub enum SectionOp {
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
    /// The producer appends a version of zeros, which nobody reads: before a loop that finds one, and drops it.
    Blank(BufferId),
    /// The consumer drops the front version.
    Release(BufferId),
    /// Compute: one pass over destination registers.
    Section(Section),
    /// Compute, within `Step::Control`: `register 0 += a · b` in the enclosing section.
    Multiply(Matmul),
}

impl SectionOp {
    /// The buffers that it touches, those of loops in its registers apart.
    pub fn buffers(&self) -> BTreeSet<BufferId> {
        match self {
            SectionOp::Read(Read { buffer, after, .. }) | SectionOp::Write(Write { buffer, after, .. }) => {
                std::iter::once(*buffer).chain(*after).collect()
            }
            SectionOp::Blank(buffer) | SectionOp::Release(buffer) => BTreeSet::from([*buffer]),
            SectionOp::Shift(of) => BTreeSet::from([of.from, of.buffer]),
            SectionOp::Inspect(inspection) => inspection.uses().into_iter().map(|(buffer, _)| buffer).collect(),
            SectionOp::Fetch(fetch) => fetch.into.reader.into_iter().chain(fetch.into.writer).collect(),
            SectionOp::Section(section) => {
                let mut all = section.uses();
                all.insert(section.pack.buffer);
                all
            }
            SectionOp::Multiply(matmul) => BTreeSet::from([matmul.a, matmul.b]),
        }
    }
}

/// One pass over destination registers: for every chunk of tiles, acquire, `steps`, pack, release.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Rows and columns of tiles of the result.
    pub tiles: [u32; 2],
    /// Rows and columns of tiles of one chunk; they divide `tiles`.
    pub chunk: [u32; 2],
    /// Destination registers per tile of a chunk.
    pub registers: u32,
    /// What happens in the registers, in order.
    pub steps: Vec<Step>,
    /// The register of each tile that is packed.
    pub result: u32,
    /// Where it goes.
    pub pack: Pack,
    /// What the packed version is: a definition, or the sums of the section's products.
    pub makes: Makes,
    /// The fill that the registers start from instead.
    pub fill: Option<DefinitionId>,
}

impl Section {
    /// The buffers that it reads, outside of its control steps.
    pub fn uses(&self) -> BTreeSet<BufferId> {
        let mut uses = BTreeSet::new();
        tile_steps(&self.steps, &mut |_, args| {
            uses.extend(args.iter().filter_map(|arg| match arg {
                Arg::Tile(operand) => Some(operand.buffer),
                Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => None,
            }));
        });
        for step in &self.steps {
            match step {
                Step::Matmul(matmul) => uses.extend([matmul.a, matmul.b]),
                Step::Tile { .. } | Step::Control(_) | Step::Along { .. } | Step::Unless { .. } => {}
            }
        }
        uses
    }

    /// The buffer that it appends a version to.
    pub fn defines(&self) -> Option<BufferId> {
        (self.pack.mode == PackMode::Publish).then_some(self.pack.buffer)
    }

    /// The buffer whose front version it replaces: it uses it and appends a new one.
    pub fn replaces(&self) -> Option<BufferId> {
        self.defines().filter(|buffer| self.uses().contains(buffer))
    }

    /// The statements of its control steps, in order.
    pub fn controls(&self) -> impl DoubleEndedIterator<Item = &Vec<SectionStmt>> {
        self.steps.iter().filter_map(|step| match step {
            Step::Control(body) => Some(body),
            Step::Tile { .. } | Step::Matmul(_) | Step::Along { .. } | Step::Unless { .. } => None,
        })
    }

    /// As [`Section::controls`], to be changed.
    pub fn controls_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Vec<SectionStmt>> {
        self.steps.iter_mut().filter_map(|step| match step {
            Step::Control(body) => Some(body),
            Step::Tile { .. } | Step::Matmul(_) | Step::Along { .. } | Step::Unless { .. } => None,
        })
    }
}

/// What a section packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// What a statement defines.
    Definition(DefinitionId),
    /// What a statement defines that sees the sums of the section's products.
    OfSums {
        /// What the sums are to it.
        sees: Sees,
        /// What it defines.
        defines: DefinitionId,
    },
    /// What its registers hold: the sums of its products, or where there are none, what it loads.
    Registers,
}

/// Where a section packs its tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The buffer.
    pub buffer: BufferId,
    /// How the packer meets what is there.
    pub mode: PackMode,
}

/// How the packer meets what is in L1.
#[derive(Debug, Clone, PartialEq)]
pub enum PackMode {
    /// A new version: reserve, pack, push.
    Publish,
    /// Into the version that an enclosing `Accumulate` reserved, overwriting.
    Overwrite,
    /// Into that version, adding to what is there.
    Add,
    /// As `Add`, but overwriting while all these variables are at the first value of their loops.
    AddAfterFirst(Vec<(VarId, IntExpr)>),
}

/// One step of a section, done for every tile of the chunk before the next step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// An operation on registers `register + …` of each tile.
    Tile {
        /// The operation.
        op: crate::tile_ops::TileOp,
        /// The register (of each tile) that holds the result.
        out: u32,
        /// Where the operands are.
        args: Vec<Arg>,
    },
    /// `register 0 += a · b` over `k` tiles.
    Matmul(Matmul),
    /// A loop around steps that use one acquire: the accumulation stays in the registers.
    Control(Vec<SectionStmt>),
    /// The steps for one tile after the other of what is reduced, along its rows (0) or columns (1): that tile is the one of
    /// their operands, along this axis.
    Along {
        /// Which axis.
        axis: usize,
        /// How many tiles.
        tiles: u32,
        /// The steps, no products among them.
        steps: Vec<Step>,
    },
    /// The steps for those tiles alone in which the integer is not below zero everywhere.
    Unless {
        /// The integer.
        negative: Index,
        /// The steps, no products among them.
        steps: Vec<Step>,
    },
}

/// Calls `visit` for the operation and the operands of every step on tiles, those within others too.
pub fn tile_steps<'a>(steps: &'a [Step], visit: &mut impl FnMut(crate::tile_ops::TileOp, &'a [Arg])) {
    for step in steps {
        match step {
            Step::Tile { op, args, .. } => visit(*op, args),
            Step::Along { steps, .. } | Step::Unless { steps, .. } => tile_steps(steps, visit),
            Step::Matmul(_) | Step::Control(_) => {}
        }
    }
}

/// An operand of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// Tiles of a buffer.
    Tile(Operand),
    /// The tile of a buffer that holds a constant.
    Constant(BufferId),
    /// A register of the same tile.
    Register(u32),
    /// A number known at launch.
    Number(Number),
    /// An integer of each tile, as a number.
    Integer(Integer),
}

impl Arg {
    /// The buffer whose tiles it is, and how they are spread.
    pub fn source(&self) -> Option<(BufferId, Broadcast)> {
        match self {
            Arg::Tile(operand) => Some((operand.buffer, operand.broadcast)),
            Arg::Constant(buffer) => Some((*buffer, Broadcast::None)),
            Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => None,
        }
    }
}

/// An integer of each tile: that of the first, and what it is more in the next tile down and the next to the right.
#[derive(Debug, Clone, PartialEq)]
pub struct Integer {
    /// In the first tile.
    pub first: IntExpr,
    /// More in the next tile down, and in the next to the right.
    pub per_tile: [i64; 2],
    /// What it is divided by then, rounded down: 1 or more.
    pub over: i64,
    /// Where it lies outside of these, the nearest of them.
    pub between: Option<[i64; 2]>,
}

/// A block product within a section.
#[derive(Debug, Clone, PartialEq)]
pub struct Matmul {
    /// Left operand, rows of `k` tiles.
    pub a: BufferId,
    /// Right operand.
    pub b: BufferId,
    /// What its sums become.
    pub defines: DefinitionId,
    /// What its operands are, and what it adds to.
    pub sees: ProductSees,
    /// The length of the sums, in tiles.
    pub k: u32,
    /// Tiles from one step of the sum to the next in `b`.
    pub b_step: u32,
    /// Tiles from one column to the next in `b`; 1 unless chunks are one column wide.
    pub b_column: u32,
    /// Tiles of `b` are transposed one by one.
    pub transpose: bool,
}
