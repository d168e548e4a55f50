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
mod buffers;
mod inspection;
pub mod print;
#[cfg(feature = "text")]
pub mod read;
mod sections;
mod shift;
mod transfer;

pub use blocks::{BlockOp, BlockStmt, Blocks, Elementwise, Gemm, Pick, Reduction, Value, ValueKind};
pub use buffers::Buffers;
pub use inspection::{Inspection, Printed, PrintedBlock, PrintedElement};
pub use sections::{
    Accumulate, Arg, Around, Integer, Makes, Matmul, Pack, PackMode, Section, SectionOp, SectionStmt, Sections,
    buffers, buffers_mut, in_registers,
};
pub use shift::{Shift, Window};
pub use transfer::{Fetch, FetchedInto, Pace, Read, Rows, TensorIndex, TileRegion, Transfer, Write};

use crate::ir::{Head, Stage, Stmt};
use crate::linear::lower_bound;
use crate::pipeline::{Form, Unit};
use crate::verify::range::{self, LIMIT, Range};
use std::collections::BTreeSet;
use tt_device::TILE;
use tt_lang::hash::HashMap;
use tt_lang::ir::{BlockId, IntExpr, IntOp, Linear, LoopKind, ParamId, Span, VarId};
use tt_plan::{DataFormat, GridStep, Role};

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
    known: HashMap<BTreeSet<DefinitionId>, Sees>,
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
    pub buffers: Buffers,
    /// The definitions, and what uses see of them.
    pub sights: Sights,
    /// What one block does.
    pub body: Vec<Stmt<S>>,
}

/// The constant tiles among `buffers`.
pub fn constants(buffers: &[Buffer]) -> impl Iterator<Item = (BufferId, Constant)> {
    let constant = |(id, buffer): (usize, &Buffer)| Some((BufferId(id), buffer.kind.constant()?));
    buffers.iter().enumerate().filter_map(constant)
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
    /// The tensor in whose shards blocks have a place (C3): which of its pages a block's only version has.
    pub shard: Option<ShardOf>,
    /// How long a version stays that was read in a block, where that is longer than the block (C3).
    pub kept: Option<Kept>,
}

/// How long a core keeps a version that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The only one is read before its first block, and stays until after the last.
    Always,
    /// Until one of these variables of the grid is another than in its block before. Before the first block there is one that nobody uses.
    While(Vec<Unchanged>),
}

/// A variable of the grid by which runs of blocks are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unchanged {
    /// The variable.
    pub axis: VarId,
    /// What it was in the core's block before: [`BEFORE_ALL`] in the first.
    pub before: VarId,
}

/// What no variable of the grid is in any block.
pub const BEFORE_ALL: i64 = -1;

impl Buffer {
    /// The variables by which the runs of blocks are told apart over which a version is kept.
    pub fn kept_while(&self) -> &[Unchanged] {
        match &self.kept {
            Some(Kept::While(unchanged)) => unchanged,
            Some(Kept::Always) | None => &[],
        }
    }
}

/// The pages of a tensor that every block of the grid moves once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardOf {
    /// The tensor.
    pub tensor: ParamId,
    /// The first of them along every axis of the tensor.
    pub first: Vec<GridStep>,
    /// Whether it may lie there itself: the tensor is only read, or only stored to.
    pub lies_there: bool,
}

#[warn(clippy::arithmetic_side_effects)]
impl Buffer {
    /// A buffer of one version, of a block that no user named.
    pub fn new(name: String, span: Span, kind: BufferKind, format: DataFormat, tiles: [u32; 2]) -> Buffer {
        Buffer {
            name,
            block: None,
            span,
            format,
            tiles,
            kind,
            depth: Depth::Default,
            versions: 1,
            column_major: false,
            unpack_to_dest: false,
            index: None,
            shard: None,
            kept: None,
        }
    }

    /// Tiles of one version. More than a number holds, which fit nowhere, count as the most it holds.
    pub fn version_tiles(&self) -> u32 {
        self.tiles[0].saturating_mul(self.tiles[1])
    }

    /// Tiles of some rows of tiles of a version, likewise.
    pub fn tiles_of_rows(&self, rows: u32) -> u32 {
        rows.saturating_mul(self.tiles[1])
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

impl BufferKind {
    /// The program that makes its versions, and the one that uses them.
    pub fn ends(self) -> [Role; 2] {
        match self {
            BufferKind::Incoming | BufferKind::Constant(_) => [Role::Reader, Role::Compute],
            BufferKind::Local => [Role::Compute, Role::Compute],
            BufferKind::Outgoing => [Role::Compute, Role::Writer],
            BufferKind::Shifted => [Role::Writer, Role::Compute],
            BufferKind::Scratch(own) => [own, own],
            BufferKind::Token(Role::Reader) => [Role::Writer, Role::Reader],
            BufferKind::Token(to) => [Role::Reader, to],
        }
    }

    /// The constant that it holds.
    pub fn constant(self) -> Option<Constant> {
        match self {
            BufferKind::Constant(constant) => Some(constant),
            BufferKind::Incoming
            | BufferKind::Local
            | BufferKind::Outgoing
            | BufferKind::Shifted
            | BufferKind::Scratch(_)
            | BufferKind::Token(_) => None,
        }
    }

    /// The program that makes its versions.
    pub fn producer(self) -> Role {
        let [producer, _] = self.ends();
        producer
    }

    /// The program that uses its versions.
    pub fn consumer(self) -> Role {
        let [_, consumer] = self.ends();
        consumer
    }
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

/// What an index is multiplied by at most where its tiles are known: within a tile it is computed in registers.
pub const MOST_PER_ELEMENT: u64 = 1 << 16;

/// An integer of every element of a block: `row · i + column · j + rest` in row i and column j of the block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
        let [row, column] = [self.row, self.column].map(|step| step.saturating_mul(TILE - 1));
        [
            row.min(0).saturating_add(column.min(0)),
            row.max(0).saturating_add(column.max(0)),
        ]
    }

    /// What it is divided by, rounded down, so that registers hold what it is in each element of a tile over the tile's first one,
    /// and one more, when it is compared with zero: 1 where they hold that as it is. `row · i + column · j + rest` is below zero
    /// where `row / n · i + column / n · j + ⌊rest / n⌋` is. `None` where no number helps.
    pub fn divisor(&self, has_wide_registers: bool) -> Option<i64> {
        /// The integers to which bf16 and f32 have them all.
        const EXACT: [i64; 2] = [1 << 8, 1 << 24];
        let exact = EXACT[usize::from(has_wide_registers)];
        let is_held = |[least, most]: [i64; 2]| -exact <= least && most < exact;
        if is_held(self.span()) {
            return Some(1);
        }
        // Along one axis alone what is left is 1 or -1.
        let divisor = gcd(self.row.saturating_abs(), self.column.saturating_abs());
        is_held(self.over(divisor).span()).then_some(divisor)
    }

    /// Its steps divided by what both are multiples of, above zero; the rest stays.
    pub fn over(&self, divisor: i64) -> Index {
        Index {
            row: self.row / divisor,
            column: self.column / divisor,
            rest: self.rest.clone(),
        }
    }

    /// What the next tile down and the next tile to the right add.
    pub fn per_tile(&self) -> [i64; 2] {
        [self.row, self.column].map(|step| step.saturating_mul(TILE))
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

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
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

    /// Whether what is folded is divided by how many elements that are, so that it has no value of nothing.
    pub fn is_per_element(self) -> bool {
        match self {
            Fold::Mean => true,
            Fold::Sum | Fold::Max | Fold::Min | Fold::Product => false,
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
    /// The loop variable, of this loop alone.
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

impl Head for FlowLoop {
    fn var(&self) -> VarId {
        self.var
    }
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
