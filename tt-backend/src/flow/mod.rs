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
//! | outgoing | compute | `Write` (writer) |
//! | constant | the reader, once | compute |
//!
//! What a buffer holds is a *definition* of the user's program, with a number of its own; every use of a block says which
//! definitions it may [see](Sees) there, round loops and through branches. Passes that move, merge or drop statements keep
//! both, and `verify::sight` compares them with what arrives.
//!
//! Every statement runs on the three processors in the same order under the same loops and branches: that is what makes
//! progress provable (`verify::progress`).

pub mod print;
#[cfg(feature = "text")]
pub mod read;

use crate::ir::{self, Never, Stage, Stmt};
use crate::pipeline::{Form, Unit};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{BlockId, BoolExpr, CompareOp, ElementOp, IntExpr, LoopKind, ParamId, Span, VarId};
use tt_plan::{DataFormat, Number};

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
        BufferKind::Incoming | BufferKind::Local | BufferKind::Outgoing => None,
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
    /// Unpacked straight into 32-bit destination registers; then no FPU operation may read it.
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
    /// One tile that the reader makes once, held to the end.
    Constant(Constant),
}

/// A tile that is the same for every block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// All elements are 0.
    Zeros,
}

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

/// A statement after C1.
pub type BlockStmt = Stmt<Blocks>;

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
}

/// Compute: reserves a version of `buffer`, into which the sections within pack; none of the statements within reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Accumulate {
    /// The accumulator.
    pub buffer: BufferId,
    /// The fill that the first sum stands for.
    pub fill: Option<DefinitionId>,
}

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

/// An operation over sections.
#[derive(Debug, Clone, PartialEq)]
pub enum SectionOp {
    /// Reader: a new version of a buffer from a tensor.
    Read(Read),
    /// Writer: the front version of a buffer to a tensor.
    Write(Write),
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
            SectionOp::Read(Read { buffer, .. })
            | SectionOp::Write(Write { buffer, .. })
            | SectionOp::Blank(buffer)
            | SectionOp::Release(buffer) => BTreeSet::from([*buffer]),
            SectionOp::Section(section) => {
                let mut all = section.uses();
                all.insert(section.pack.buffer);
                all
            }
            SectionOp::Multiply(matmul) => BTreeSet::from([matmul.a, matmul.b]),
        }
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
}

/// A rectangle of tiles of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRegion {
    /// The tensor.
    pub tensor: ParamId,
    /// Which matrix: an index along every leading axis.
    pub matrix: Vec<IntExpr>,
    /// The first tile row and column.
    pub tile: [IntExpr; 2],
    /// Elements along rows and columns.
    pub extent: [u64; 2],
    /// Whether the region may reach past the tensor's last tile row or column.
    pub may_exceed: [bool; 2],
    /// Whether the region may begin before the tensor's first tile row or column.
    pub may_precede: [bool; 2],
    /// Whether an index of `matrix` may be none of the tensor's.
    pub matrix_may_miss: Vec<bool>,
    /// Whether the region may hold a tile that the tensor fills only in part (pad_tiles), in which the rest must be zero.
    pub zero_edge: [bool; 2],
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

/// Tiles of a buffer for an element-wise use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The buffer.
    pub buffer: BufferId,
    /// Tile row and column added.
    pub offset: [u32; 2],
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
    /// The accumulator starts from zero.
    pub clear: bool,
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
        for step in &self.steps {
            match step {
                Step::Tile { args, .. } => uses.extend(args.iter().filter_map(|arg| match arg {
                    Arg::Tile(operand) => Some(operand.buffer),
                    Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) => None,
                })),
                Step::Matmul(matmul) => uses.extend([matmul.a, matmul.b]),
                Step::Control(_) => {}
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
            Step::Tile { .. } | Step::Matmul(_) => None,
        })
    }

    /// As [`Section::controls`], to be changed.
    pub fn controls_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Vec<SectionStmt>> {
        self.steps.iter_mut().filter_map(|step| match step {
            Step::Control(body) => Some(body),
            Step::Tile { .. } | Step::Matmul(_) => None,
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
