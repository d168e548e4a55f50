//! The second stage of Flow IR, from C2 to D1: what compute does is passes over destination registers.

use super::{
    Broadcast, BufferId, DefinitionId, Fetch, FetchedInto, FlowLoop, Index, Inspection, Operand, ProductSees, Read,
    Sees, Shift, Write,
};
use crate::ir::{self, Kind, Stage, Stmt};
use crate::tile_ops::TileOp;
use std::collections::BTreeSet;
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, ParamId, Span, VarId};
use tt_plan::Number;

/// After C2: what compute does is passes over destination registers.
#[derive(Debug, Clone, PartialEq)]
pub enum Sections {}

impl Stage for Sections {
    type Op = SectionOp;
    type Loop = FlowLoop;
    type Branch = BoolExpr;
    type Group = Around;
    /// Its place in the source.
    type Note = Span;
}

/// A statement after C2.
pub type SectionStmt = Stmt<Sections>;

/// What a statement does around others.
#[derive(Debug, Clone, PartialEq)]
pub enum Around {
    /// Compute: a version of a buffer, into which the sections within pack.
    Accumulate(Accumulate),
    /// Compute: one pass over destination registers. Loops within keep what is in the registers, reads and fetches among them.
    Section(Section),
    /// Compute, in a section: the operations for one tile after the other of what is reduced, along its rows (0) or columns (1):
    /// that tile is the one of their operands, along this axis. No products are among them.
    Along {
        /// Which axis.
        axis: usize,
        /// How many tiles.
        tiles: u32,
    },
    /// Compute, in a section: the operations for those tiles alone in which the integer is not below zero everywhere. No products
    /// are among them.
    Unless(Index),
}

impl Around {
    /// The buffer that it makes a version of, or a part of one.
    pub fn buffer(&self) -> Option<BufferId> {
        match self {
            Around::Accumulate(of) => Some(of.buffer),
            Around::Section(of) => Some(of.pack.buffer),
            Around::Along { .. } | Around::Unless(_) => None,
        }
    }

    /// As [`Around::buffer`], to be changed.
    pub fn buffer_mut(&mut self) -> Option<&mut BufferId> {
        match self {
            Around::Accumulate(of) => Some(&mut of.buffer),
            Around::Section(of) => Some(&mut of.pack.buffer),
            Around::Along { .. } | Around::Unless(_) => None,
        }
    }

    /// The buffer that it appends a version to.
    pub fn defines(&self) -> Option<BufferId> {
        match self {
            Around::Accumulate(of) => Some(of.buffer),
            Around::Section(of) => of.defines(),
            Around::Along { .. } | Around::Unless(_) => None,
        }
    }

    /// The buffer whose front version it replaces: it uses it and appends a new one.
    pub fn replaces(&self, body: &[SectionStmt]) -> Option<BufferId> {
        match self {
            Around::Section(of) => of.defines().filter(|buffer| {
                let mut is_used = false;
                in_registers(body, &mut |op| op.uses(&mut |used| is_used |= used == *buffer));
                is_used
            }),
            Around::Accumulate(_) | Around::Along { .. } | Around::Unless(_) => None,
        }
    }
}

/// The operations of a section outside of its loops: what they use, they use until its end.
pub fn in_registers(body: &[SectionStmt], each: &mut impl FnMut(&SectionOp)) {
    for stmt in body {
        match &stmt.kind {
            Kind::Op(op) => each(op),
            Kind::Group(_, body) => in_registers(body, each),
            Kind::Loop(..) | Kind::If(..) => {}
        }
    }
}

/// The buffers that statements touch.
pub fn buffers(body: &[SectionStmt]) -> BTreeSet<BufferId> {
    let mut all = BTreeSet::new();
    ir::visit(body, &mut |stmt| match &stmt.kind {
        Kind::Op(op) => op.buffers(&mut all),
        Kind::Group(around, _) => {
            if let Some(buffer) = around.buffer() {
                all.insert(buffer);
            }
        }
        Kind::Loop(..) | Kind::If(..) => {}
    });
    all
}

/// Calls `each` with all buffers that statements make, use, drop or wait for versions of, to be changed.
pub fn buffers_mut(body: &mut [SectionStmt], each: &mut impl FnMut(&mut BufferId)) {
    ir::visit_mut(body, &mut |stmt| match &mut stmt.kind {
        Kind::Op(op) => op.buffers_mut(each),
        Kind::Group(around, _) => around.buffer_mut().into_iter().for_each(&mut *each),
        Kind::Loop(..) | Kind::If(..) => {}
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
    /// Compute, in a section: an operation on registers `register + …` of each tile of the chunk.
    Tile {
        /// The operation.
        op: TileOp,
        /// The register (of each tile) that holds the result.
        out: u32,
        /// Where the operands are.
        args: Vec<Arg>,
    },
    /// Compute, in a section: `register 0 += a · b` over `k` tiles.
    Matmul(Matmul),
}

impl SectionOp {
    /// Calls `each` with the buffers whose front version it uses, as often as it does.
    pub fn uses(&self, each: &mut impl FnMut(BufferId)) {
        match self {
            SectionOp::Write(write) => write.uses().for_each(|(buffer, _)| each(buffer)),
            SectionOp::Inspect(inspection) => inspection.uses().into_iter().for_each(|(buffer, _)| each(buffer)),
            SectionOp::Shift(of) => each(of.from),
            SectionOp::Tile { args, .. } => {
                for operand in args.iter().filter_map(Arg::operand) {
                    each(operand.buffer);
                }
            }
            SectionOp::Matmul(matmul) => {
                each(matmul.a);
                each(matmul.b);
            }
            SectionOp::Read(_) | SectionOp::Fetch(_) | SectionOp::Blank(_) | SectionOp::Release(_) => {}
        }
    }

    /// The buffer that it appends a version to.
    pub fn defines(&self) -> Option<BufferId> {
        match self {
            SectionOp::Read(Read { buffer, .. })
            | SectionOp::Shift(Shift { buffer, .. })
            | SectionOp::Blank(buffer) => Some(*buffer),
            SectionOp::Write(_)
            | SectionOp::Inspect(_)
            | SectionOp::Fetch(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => None,
        }
    }

    /// The buffer whose front version it drops.
    pub fn releases(&self) -> Option<BufferId> {
        match self {
            SectionOp::Release(buffer) => Some(*buffer),
            SectionOp::Read(_)
            | SectionOp::Write(_)
            | SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Fetch(_)
            | SectionOp::Blank(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => None,
        }
    }

    /// The tensor that it reads.
    pub fn tensor_read(&self) -> Option<ParamId> {
        match self {
            SectionOp::Read(of) => Some(of.region.tensor),
            SectionOp::Fetch(of) => Some(of.tensor),
            SectionOp::Write(_)
            | SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => None,
        }
    }

    /// The tensor that it stores to.
    pub fn tensor_stored(&self) -> Option<ParamId> {
        match self {
            SectionOp::Write(of) => Some(of.region.tensor),
            SectionOp::Read(_)
            | SectionOp::Fetch(_)
            | SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => None,
        }
    }

    /// The buffers that it touches.
    fn buffers(&self, all: &mut BTreeSet<BufferId>) {
        self.uses(&mut |buffer| {
            all.insert(buffer);
        });
        all.extend(self.defines());
        all.extend(self.releases());
        match self {
            SectionOp::Read(Read { after, .. }) | SectionOp::Write(Write { after, .. }) => all.extend(*after),
            SectionOp::Fetch(fetch) => all.extend(fetch.into.reader.into_iter().chain(fetch.into.writer)),
            SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => {}
        }
    }

    /// Calls `each` with the buffers whose front version it uses, to be changed.
    pub fn uses_mut(&mut self, each: &mut impl FnMut(&mut BufferId)) {
        match self {
            SectionOp::Write(Write { buffer, stored, .. }) => {
                each(buffer);
                stored.iter_mut().for_each(|(stored, _)| each(stored));
            }
            SectionOp::Inspect(inspection) => inspection.uses_mut().into_iter().for_each(|(buffer, _)| each(buffer)),
            SectionOp::Shift(of) => each(&mut of.from),
            SectionOp::Tile { args, .. } => {
                let operands = args.iter_mut().filter_map(Arg::operand_mut);
                operands.for_each(|operand| each(&mut operand.buffer));
            }
            SectionOp::Matmul(matmul) => [&mut matmul.a, &mut matmul.b].into_iter().for_each(each),
            SectionOp::Read(_) | SectionOp::Fetch(_) | SectionOp::Blank(_) | SectionOp::Release(_) => {}
        }
    }

    /// Calls `each` with all buffers of it, to be changed.
    fn buffers_mut(&mut self, each: &mut impl FnMut(&mut BufferId)) {
        self.uses_mut(each);
        match self {
            SectionOp::Read(Read { buffer, after, .. }) => {
                each(buffer);
                after.iter_mut().for_each(each);
            }
            SectionOp::Shift(Shift { buffer, .. }) | SectionOp::Blank(buffer) | SectionOp::Release(buffer) => {
                each(buffer)
            }
            SectionOp::Fetch(fetch) => {
                let FetchedInto { reader, writer } = &mut fetch.into;
                reader.iter_mut().chain(writer).for_each(each);
            }
            SectionOp::Write(write) => write.after.iter_mut().for_each(each),
            SectionOp::Tile { args, .. } => {
                let constants = args.iter_mut().filter_map(|arg| match arg {
                    Arg::Constant(buffer) => Some(buffer),
                    Arg::Tile(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => None,
                });
                constants.for_each(each);
            }
            SectionOp::Inspect(_) | SectionOp::Matmul(_) => {}
        }
    }
}

/// One pass over destination registers: for every chunk of tiles, acquire, what stands in it, pack, release. An operation in it
/// is done for every tile of the chunk before the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Rows and columns of tiles of the result.
    pub tiles: [u32; 2],
    /// Rows and columns of tiles of one chunk; of the last ones, where they do not divide `tiles`, at most.
    pub chunk: [u32; 2],
    /// Destination registers per tile of a chunk.
    pub registers: u32,
    /// The register of each tile that is packed.
    pub result: u32,
    /// Where it goes.
    pub pack: Pack,
    /// What the packed version is: a definition, or the sums of the section's products.
    pub makes: Makes,
    /// The fill that the registers start from instead.
    pub fill: Option<DefinitionId>,
    /// It stands behind an accumulation over one loop, of which it loads the sums first: the last turn of that loop may do it with its own
    /// products, in place of adding these to the sums in L1 (D1).
    pub in_last_turn: bool,
    /// How many of its last steps the packer's thread asks the SFPU for, while math is at the next chunk: where nothing else in the program
    /// needs the SFPU, which both would set up (D1).
    pub by_packer: u32,
}

impl Section {
    /// The buffer that it appends a version to.
    pub fn defines(&self) -> Option<BufferId> {
        (self.pack.mode == PackMode::Publish).then_some(self.pack.buffer)
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
    /// What is negative becomes zero on the way.
    pub relu: bool,
}

impl Pack {
    /// Tiles as the registers hold them.
    pub fn of(buffer: BufferId, mode: PackMode) -> Pack {
        Pack {
            buffer,
            mode,
            relu: false,
        }
    }
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

impl PackMode {
    /// Whether it adds to what is there, where that differs from turn to turn: whether any of the variables is past the first value of
    /// its loop.
    pub fn after_first(&self) -> Option<BoolExpr> {
        let PackMode::AddAfterFirst(first) = self else {
            return None;
        };
        let is_past =
            |(var, start): &(VarId, IntExpr)| BoolExpr::Compare(CompareOp::Ne, IntExpr::Var(*var), start.clone());
        let past = first.iter().map(is_past);
        Some(
            past.reduce(|a, b| BoolExpr::Or(Box::new(a), Box::new(b)))
                .unwrap_or(BoolExpr::Const(false)),
        )
    }
}

/// An operand of an operation on registers.
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
    /// The tiles of a buffer that a section uses.
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Arg::Tile(operand) => Some(operand),
            Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => None,
        }
    }

    /// As [`Arg::operand`], to be changed.
    pub fn operand_mut(&mut self) -> Option<&mut Operand> {
        match self {
            Arg::Tile(operand) => Some(operand),
            Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => None,
        }
    }

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
