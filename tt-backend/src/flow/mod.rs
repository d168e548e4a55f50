//! Flow IR: one program over circular buffers, without any protocol.
//!
//! The program goes through two stages, each with operations of its own ([`crate::ir`]):
//!
//! | after | operations |
//! |---|---|
//! | C1, pad_tiles | [`Blocks`]: reads, writes, element expressions and gemms, each of whole blocks |
//! | C2, C3 | [`Sections`]: reads, writes and passes over destination registers, and from C3 on what keeps the buffers in order |
//!
//! A *buffer* is one circular buffer: a FIFO of versions of a block, each version `tiles` pages. Exactly one version is
//! at the front at a time; a statement that defines a buffer appends a version, [`SectionOp::Release`] drops the front one.
//! A buffer has one producer and one consumer:
//!
//! | buffer | defined by | used by |
//! |---|---|---|
//! | incoming | `Read` (reader) | compute |
//! | local | compute | compute |
//! | outgoing | compute | `Write`, `Inspect`, `Shift` (writer) |
//! | shifted | `Shift` (writer) | compute |
//! | constant | the reader, once | compute |
//! | scratch | reader or writer | the same |
//! | token | writer or reader, with a `Read` or `Write` | reader or writer |
//!
//! What a buffer holds is a *definition* of the user's program, with a number of its own; every use of a block says which
//! definitions it may [see](Sees) there, round loops and through branches. Passes that move, merge or drop statements keep
//! both, and `verify::sight` compares them with what arrives.
//!
//! Every statement runs on the three processors in the same order under the same loops and branches: that is what makes
//! progress provable (`verify::progress`).

mod blocks;
mod inspection;
pub mod print;
#[cfg(feature = "text")]
pub mod read;
mod sections;
mod shift;

pub use blocks::{BlockOp, BlockStmt, Blocks, Elementwise, Gemm, Pick, Reduction, Value, ValueKind};
pub use inspection::{Inspection, Printed, PrintedBlock, PrintedElement};
pub use sections::{
    Accumulate, Arg, Integer, Makes, Matmul, Pack, PackMode, Section, SectionOp, SectionStmt, Sections, Step,
    operations, tile_steps,
};
pub use shift::{Shift, Window};

use crate::ir::{Stage, Stmt};
use crate::linear::lower_bound;
use crate::pipeline::{Form, Unit};
use crate::verify::range::{self, LIMIT, Range};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{BlockId, IntExpr, IntOp, Linear, LoopKind, ParamId, Span, VarId};
use tt_plan::{DataFormat, Role};

/// A circular buffer, an index into [`Flow::buffers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// A statement of the source, or a copy that the compiler added, that gives a block its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub u32);

/// The definitions that a use may see, an index into [`Sights`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sees(pub u32);

/// The sets of definitions that uses see, each kept once; and the definitions given out.
#[derive(Debug, Clone, Default)]
pub struct Sights {
    sets: Vec<BTreeSet<DefinitionId>>,
    known: BTreeMap<BTreeSet<DefinitionId>, Sees>,
    definitions: u32,
}

impl Sights {
    /// A definition that nothing else is.
    pub fn define(&mut self) -> DefinitionId {
        self.definitions += 1;
        DefinitionId(self.definitions - 1)
    }

    /// What a use sees of which nothing is known yet: a number of its own until C1 finds out.
    pub fn unknown(&mut self) -> Sees {
        self.sets.push(BTreeSet::new());
        Sees(self.sets.len() as u32 - 1)
    }

    /// Counts `definition` as given out.
    #[cfg(feature = "text")]
    pub(crate) fn has(&mut self, DefinitionId(number): DefinitionId) {
        self.definitions = self.definitions.max(number + 1);
    }

    /// What a use sees that any of `definitions` may reach.
    pub fn sees(&mut self, definitions: BTreeSet<DefinitionId>) -> Sees {
        if let Some(sees) = self.known.get(&definitions) {
            return *sees;
        }
        let sees = Sees(self.sets.len() as u32);
        self.sets.push(definitions.clone());
        self.known.insert(definitions, sees);
        sees
    }

    /// The definitions behind `sees`.
    pub fn definitions(&self, Sees(index): Sees) -> &BTreeSet<DefinitionId> {
        &self.sets[index as usize]
    }
}

/// The program at stage `S`.
#[derive(Debug, Clone)]
pub struct Flow<S: Stage> {
    /// The circular buffers.
    pub buffers: Vec<Buffer>,
    /// The definitions, and what uses see of them.
    pub sights: Sights,
    /// What one block does.
    pub body: Vec<Stmt<S>>,
}

/// The constant tiles among `buffers`.
pub fn constants(buffers: &[Buffer]) -> impl Iterator<Item = (BufferId, Constant)> {
    buffers.iter().enumerate().filter_map(|(id, buffer)| match buffer.kind {
        BufferKind::Constant(constant) => Some((BufferId(id), constant)),
        BufferKind::Incoming
        | BufferKind::Local
        | BufferKind::Outgoing
        | BufferKind::Shifted
        | BufferKind::Scratch(_)
        | BufferKind::Token(_) => None,
    })
}

impl<S: print::Show> Form for Unit<Flow<S>> {
    const NAME: &'static str = S::NAME;

    fn text(&self) -> Option<String> {
        Some(print::flow(&self.facts.kernel, &self.program))
    }
}

/// How deep a buffer is where nothing asks for more: one version in use, one on its way.
const DEFAULT_DEPTH: u32 = 2;

/// How many versions of a block are to be in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The default, which may be lowered to fit in L1.
    Default,
    /// As asked.
    Asked(u32),
}

impl Depth {
    /// How many versions.
    pub fn versions(self) -> u32 {
        match self {
            Depth::Default => DEFAULT_DEPTH,
            Depth::Asked(versions) => versions,
        }
    }
}

/// One circular buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Its name in the emitted code, unique.
    pub name: String,
    /// The block it holds, where it holds one the user named.
    pub block: Option<BlockId>,
    /// Its place in the source.
    pub span: Span,
    /// The format of its pages.
    pub format: DataFormat,
    /// Rows and columns of tiles of one version.
    pub tiles: [u32; 2],
    /// Who defines and who uses it.
    pub kind: BufferKind,
    /// How many versions are to be in flight, where that overlaps anything.
    pub depth: Depth,
    /// How many versions fit (C3).
    pub versions: u32,
    /// Tiles of an incoming block lie column by column (for a transposed right operand).
    pub column_major: bool,
    /// Unpacked straight into 32-bit destination registers, as integers always are; then no FPU operation may read it.
    pub unpack_to_dest: bool,
    /// Which circular buffer of the core it is (C3); none where nothing uses it.
    pub index: Option<u8>,
}

#[warn(clippy::arithmetic_side_effects)]
impl Buffer {
    /// Tiles of one version. More than a number holds, which fit nowhere, count as the most it holds.
    pub fn version_tiles(&self) -> u32 {
        self.tiles[0].saturating_mul(self.tiles[1])
    }

    /// Pages in all, likewise.
    pub fn pages(&self) -> u32 {
        self.version_tiles().saturating_mul(self.versions)
    }

    /// Whether the plan asks that it is unpacked straight to the registers: integers always are.
    pub fn asks_to_unpack_to_dest(&self) -> bool {
        self.unpack_to_dest && self.format != DataFormat::Int32
    }

    /// Bytes of all pages.
    pub fn bytes(&self) -> u64 {
        u64::from(self.pages()).saturating_mul(u64::from(self.format.tile_bytes()))
    }
}

/// Who defines and who uses a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// From reader to compute.
    Incoming,
    /// From compute to compute.
    Local,
    /// From compute to writer.
    Outgoing,
    /// From writer to compute.
    Shifted,
    /// One tile that the reader makes once, held to the end.
    Constant(Constant),
    /// One page that reader or writer alone fetches integers to, or rows on their way, outside of any protocol.
    Scratch(Role),
    /// To this one, reader or writer, from the other: its transfers so far have arrived.
    Token(Role),
}

/// A tile that is the same for every block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// All elements are 0.
    Zeros,
    /// Every element is the number of its row in the tile.
    Rows,
    /// Every element is the number of its column in the tile.
    Columns,
}

impl Constant {
    /// Every one.
    pub const ALL: [Constant; 3] = [Constant::Zeros, Constant::Rows, Constant::Columns];

    /// Its name, in the text form and in the emitted code.
    pub fn name(self) -> &'static str {
        match self {
            Constant::Zeros => "zeros",
            Constant::Rows => "tile_rows",
            Constant::Columns => "tile_columns",
        }
    }
}

/// An integer of every element of a block: `row · i + column · j + rest` in row i and column j of the block.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// What a row adds.
    pub row: i64,
    /// What a column adds.
    pub column: i64,
    /// What it is in row 0 and column 0.
    pub rest: IntExpr,
}

impl Index {
    /// What it is at least and at most in a tile, over what it is at the tile's first element.
    pub fn span(&self) -> [i64; 2] {
        let [row, column] = [self.row, self.column].map(|step| step.saturating_mul(31));
        [
            row.min(0).saturating_add(column.min(0)),
            row.max(0).saturating_add(column.max(0)),
        ]
    }

    /// What the next tile down and the next tile to the right add.
    pub fn per_tile(&self) -> [i64; 2] {
        [self.row, self.column].map(|step| step.saturating_mul(32))
    }

    /// `self + other`.
    pub fn plus(&self, other: &Index) -> Index {
        let rest = IntExpr::binary(IntOp::Add, self.rest.clone(), other.rest.clone());
        Index {
            row: self.row.saturating_add(other.row),
            column: self.column.saturating_add(other.column),
            rest: Linear::of(&rest).to_expr(),
        }
    }

    /// `self · times`.
    pub fn times(&self, times: i64) -> Index {
        let rest = IntExpr::binary(IntOp::Mul, self.rest.clone(), IntExpr::Const(times));
        Index {
            row: self.row.saturating_mul(times),
            column: self.column.saturating_mul(times),
            rest: Linear::of(&rest).to_expr(),
        }
    }

    /// `-self - less`.
    pub fn negated(&self, less: i64) -> Index {
        let rest = IntExpr::binary(IntOp::Sub, IntExpr::Const(less.saturating_neg()), self.rest.clone());
        Index {
            row: self.row.saturating_neg(),
            column: self.column.saturating_neg(),
            rest: Linear::of(&rest).to_expr(),
        }
    }
}

/// How elements are folded into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// Their sum, over how many they are.
    Mean,
    /// Their product.
    Product,
}

impl Fold {
    /// Every one.
    pub const ALL: [Fold; 5] = [Fold::Sum, Fold::Max, Fold::Min, Fold::Mean, Fold::Product];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Max => "max",
            Fold::Min => "min",
            Fold::Mean => "mean",
            Fold::Product => "product",
        }
    }

    /// What changes no element that it is folded with: the fold of nothing.
    pub fn neutral(self) -> f32 {
        match self {
            Fold::Sum | Fold::Mean => 0.0,
            Fold::Product => 1.0,
            Fold::Max => f32::NEG_INFINITY,
            Fold::Min => f32::INFINITY,
        }
    }
}

/// A loop.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowLoop {
    /// The loop variable.
    pub var: VarId,
    /// First value.
    pub start: IntExpr,
    /// One past the last value.
    pub end: IntExpr,
    /// How it is run.
    pub kind: LoopKind,
    /// Whether it runs at least once, whatever the values at launch.
    pub runs: bool,
}

impl FlowLoop {
    /// Whether a loop runs at least once, whatever the values at launch, where no variable is below zero.
    pub fn counts(start: &IntExpr, end: &IntExpr) -> bool {
        lower_bound(&FlowLoop::count(start, end)).is_some_and(|low| low >= 1)
    }

    /// How often a loop runs.
    pub fn count(start: &IntExpr, end: &IntExpr) -> IntExpr {
        Linear::difference(end, start).to_expr()
    }

    /// Whether the ranges of its bounds tell that it runs, as the verifier sees them.
    pub fn is_seen_to_run(&self) -> bool {
        let range = |bound| range::of_integer(bound, &|_| Range::new(0, LIMIT));
        self.runs && range(&self.end).low > range(&self.start).high
    }
}

/// A version of a buffer from a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Defined.
    pub buffer: BufferId,
    /// As what.
    pub defines: DefinitionId,
    /// Where from.
    pub region: TileRegion,
    /// The token of the writer's that it waits for: what was stored before it has arrived (C3).
    pub after: Option<BufferId>,
}

/// A version of a buffer to a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Used.
    pub buffer: BufferId,
    /// What it holds.
    pub sees: Sees,
    /// Where to.
    pub region: TileRegion,
    /// Where not all of its elements are stored: a block of numbers that are 0 where an element is not.
    pub stored: Option<(BufferId, Sees)>,
    /// The token of the reader's that it waits for: what was read before it has arrived (C3).
    pub after: Option<BufferId>,
}

impl Write {
    /// What it uses.
    pub fn uses(&self) -> impl Iterator<Item = (BufferId, Sees)> {
        std::iter::once((self.buffer, self.sees)).chain(self.stored)
    }

    /// Whether elements are stored alone.
    pub fn is_of_elements(&self) -> bool {
        self.stored.is_some() || matches!(&self.region.transfer, Transfer::Rows(rows) if !rows.in_pieces())
    }
}

/// An integer from a tensor, the same for the whole block.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    /// What stands for it from here on.
    pub var: VarId,
    /// The tensor.
    pub tensor: ParamId,
    /// One index for every axis.
    pub indices: Vec<IntExpr>,
    /// Whether an index may be none of the tensor's; the integer is then 0.
    pub may_miss: Vec<bool>,
    /// Where the programs that need it have it from (C3).
    pub into: FetchedInto,
}

/// Where reader and writer fetch an integer to, each for itself; none of those that does not need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchedInto {
    /// A scratch page of the reader's, or an incoming buffer, where compute needs it too and takes it from there.
    pub reader: Option<BufferId>,
    /// A scratch page of the writer's.
    pub writer: Option<BufferId>,
}

impl FetchedInto {
    /// The buffer that compute takes it from.
    pub fn passed_on(&self, buffers: &[Buffer]) -> Option<BufferId> {
        let is_incoming = |buffer: &BufferId| buffers.get(buffer.0).is_some_and(|of| of.kind == BufferKind::Incoming);
        self.reader.filter(is_incoming)
    }
}

/// A rectangle of elements of a tensor, to or from the tiles of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRegion {
    /// The tensor.
    pub tensor: ParamId,
    /// Which matrix: an index along every leading axis.
    pub matrix: Vec<IntExpr>,
    /// Where in the matrix it lies, and how it is moved.
    pub transfer: Transfer,
    /// Elements along rows and columns.
    pub extent: [u64; 2],
    /// Whether the region may reach past the tensor's last row or column: of tiles, where it is moved in pages.
    pub may_exceed: [bool; 2],
    /// Whether the region may begin before the tensor's first row or column.
    pub may_precede: [bool; 2],
    /// Whether an index of `matrix` may be none of the tensor's.
    pub matrix_may_miss: Vec<bool>,
    /// Whether the region may hold a tile that the tensor fills only in part (pad_tiles), in which the rest must be zero.
    pub zero_edge: [bool; 2],
}

/// How a rectangle of elements is moved.
#[derive(Debug, Clone, PartialEq)]
pub enum Transfer {
    /// In whole tiles, a page each: the first tile row and column.
    Pages([IntExpr; 2]),
    /// In rows of 16 elements, as faces of tiles hold them.
    Rows(Rows),
}

/// Rows of a tensor, wherever they begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The first row and column, in elements.
    pub first: [IntExpr; 2],
    /// How many rows and columns there are, and never more than the rectangle has.
    pub count: [IntExpr; 2],
    /// How rows of the tensor follow those of the rectangle, from the first on.
    pub pace: Pace,
    /// Rows that follow each other along a leading axis: that axis, and the row of all its matrices.
    pub along: Option<(usize, IntExpr)>,
}

/// How rows of a tensor follow those of a rectangle: row `r` of it is row `(first + step * r) / over % modulo` of the tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Never 0.
    pub step: i32,
    /// At least 1. Quotients are cut towards zero.
    pub over: u32,
    /// At least 1; none for any row.
    pub modulo: Option<u32>,
}

impl Pace {
    /// One row after the other.
    pub const PLAIN: Pace = Pace::by(1);

    /// So many rows on each time.
    pub const fn by(step: i32) -> Pace {
        Pace {
            step,
            over: 1,
            modulo: None,
        }
    }

    /// Whether every row of the rectangle is another one of the tensor.
    pub fn is_of_steps(self) -> bool {
        (self.over, self.modulo) == (1, None)
    }
}

impl Rows {
    /// Whether rows of 16 elements are shorter than what a transfer from DRAM is aligned to on some chip, so that one may lie
    /// otherwise there than in its tile.
    pub fn may_lie_otherwise(format: DataFormat) -> bool {
        !Rows::bytes(format).is_multiple_of(DRAM_READ_ALIGNMENT)
    }

    /// The turns of a remainder that `count` of its rows are in, where the first is in turn 0; one for what is none.
    #[warn(clippy::arithmetic_side_effects)]
    pub fn turns(&self, count: u64) -> std::ops::RangeInclusive<i64> {
        let Some(modulo) = self.pace.modulo else { return 0..=0 };
        let turn = i64::from(modulo).saturating_mul(i64::from(self.pace.over)).max(1);
        let last = i64::try_from(count).unwrap_or(i64::MAX).saturating_sub(1);
        let way = last.saturating_mul(i64::from(self.pace.step));
        // The first is anywhere in its turn.
        match way < 0 {
            true => way.div_euclid(turn)..=0,
            false => {
                0..=way
                    .saturating_add(turn.saturating_sub(1))
                    .checked_div(turn)
                    .unwrap_or(0)
            }
        }
    }

    /// Whether its columns begin at a multiple of 16, whatever the values at launch: where rows lie in faces.
    pub fn in_faces(&self) -> bool {
        Linear::of(&self.first[1]).is_multiple_of(16)
    }

    /// Whether its columns are pieces of 16, as rows lie in faces, whatever the values at launch.
    pub fn in_pieces(&self) -> bool {
        self.in_faces() && Linear::of(&self.count[1]).is_multiple_of(16)
    }

    /// Whether rows of such elements go by way of a page of the reader's.
    pub fn by_way_of_scratch(&self, format: DataFormat) -> bool {
        !self.in_faces() || Rows::may_lie_otherwise(format)
    }

    /// Bytes of a row of 16 elements.
    pub fn bytes(format: DataFormat) -> u32 {
        format.tile_bytes() / tt_device::TILE_ELEMENTS * 16
    }
}

/// What transfers from DRAM are aligned to on the chip that asks for most (metalium.md §1.8).
const DRAM_READ_ALIGNMENT: u32 = 64;

impl Transfer {
    /// The first row and column, in elements.
    pub fn first(&self) -> [IntExpr; 2] {
        match self {
            Transfer::Rows(rows) => rows.first.clone(),
            Transfer::Pages(tile) => tile.each_ref().map(|tile| {
                let first = IntExpr::binary(IntOp::Mul, tile.clone(), IntExpr::Const(32));
                Linear::of(&first).to_expr()
            }),
        }
    }

    /// The integers in it.
    pub fn integers(&self) -> impl Iterator<Item = &IntExpr> {
        let (first, rest) = match self {
            Transfer::Pages(tile) => (tile, None),
            Transfer::Rows(rows) => (&rows.first, Some(rows)),
        };
        let line = rest.and_then(|rows| rows.along.as_ref()).map(|(_, line)| line);
        first
            .iter()
            .chain(rest.into_iter().flat_map(|rows| &rows.count))
            .chain(line)
    }
}

/// Tiles of a buffer for an element-wise use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The buffer.
    pub buffer: BufferId,
    /// Tile row and column added. Where that is none of the buffer's tiles, the nearest stands for it.
    pub offset: [i32; 2],
    /// How its elements meet those of the result.
    pub broadcast: Broadcast,
    /// What is in the buffer; `None` for what the sums of a section start from, where the product says it.
    pub sees: Option<Sees>,
}

/// How the elements of an operand meet those of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Broadcast {
    /// Element by element.
    None,
    /// Row 0 for every row.
    Row,
    /// Column 0 for every column.
    Column,
    /// Element (0, 0) for all.
    Scalar,
    /// Element (j, i) for (i, j).
    Transpose,
}

/// What the operands of a product are, and what its sums are added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProductSees {
    /// The left operand.
    pub a: Sees,
    /// The right operand.
    pub b: Sees,
    /// The accumulator before; `None` where it starts from zero.
    pub acc: Option<Sees>,
}
