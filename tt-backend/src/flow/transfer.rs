//! What moves between tensors and buffers: regions of tensors, in which pieces they go, and the integers that are read one by one.

use super::{Buffer, BufferId, BufferKind, DefinitionId, Sees};
use tt_device::{CHIPS, FACE, TILE};
use tt_lang::ir::{IntExpr, IntOp, Linear, ParamId, VarId};
use tt_plan::{DataFormat, TransferClass};

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

    /// What it stores, and where to.
    pub fn stores(&self) -> (Sees, TileRegion) {
        (self.sees, self.region.clone())
    }

    /// Whether elements are stored alone.
    pub fn is_of_elements(&self) -> bool {
        self.region.transfer.class_of_write(self.stored.is_some()) == TransferClass::Element
    }
}

/// An index along an axis of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorIndex {
    /// Which.
    pub at: IntExpr,
    /// Whether it may be none of the tensor's.
    pub may_miss: bool,
}

/// An integer from a tensor, the same for the whole block.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    /// What stands for it from here on.
    pub var: VarId,
    /// The tensor.
    pub tensor: ParamId,
    /// One index for every axis; where one is none of the tensor's, the integer is 0.
    pub indices: Vec<TensorIndex>,
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileRegion {
    /// The tensor.
    pub tensor: ParamId,
    /// Which matrix: an index along every leading axis.
    pub matrix: Vec<TensorIndex>,
    /// Where in the matrix it lies, and how it is moved.
    pub transfer: Transfer,
    /// Elements along rows and columns.
    pub extent: [u64; 2],
    /// Whether the region may reach past the tensor's last row or column: of tiles, where it is moved in pages.
    pub may_exceed: [bool; 2],
    /// Whether the region may begin before the tensor's first row or column.
    pub may_precede: [bool; 2],
    /// Whether the region may hold a tile that the tensor fills only in part (pad_tiles), in which the rest must be zero.
    pub zero_edge: [bool; 2],
}

impl TileRegion {
    /// The integers in it.
    pub fn integers(&self) -> impl Iterator<Item = &IntExpr> {
        self.matrix
            .iter()
            .map(|index| &index.at)
            .chain(self.transfer.integers())
    }
}

/// How a rectangle of elements is moved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// In whole tiles, a page each: the first tile row and column.
    Pages([IntExpr; 2]),
    /// In rows of 16 elements, as faces of tiles hold them.
    Rows(Rows),
}

/// Rows of a tensor, wherever they begin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// How rows of a tensor, or of a block, follow those of a rectangle: row `r` of it is row `(first + step * r) / over % modulo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
        let bytes = format.row_bytes();
        let is_aligned = |bytes: u32| CHIPS.iter().all(|chip| bytes.is_multiple_of(chip.dram_read_alignment));
        bytes.is_none_or(|bytes| !is_aligned(bytes))
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
        Linear::of(&self.first[1]).is_multiple_of(FACE)
    }

    /// Whether its columns are pieces of 16, as rows lie in faces, whatever the values at launch.
    pub fn in_pieces(&self) -> bool {
        self.in_faces() && Linear::of(&self.count[1]).is_multiple_of(FACE)
    }

    /// Whether rows of such elements go by way of a page of the reader's.
    pub fn by_way_of_scratch(&self, format: DataFormat) -> bool {
        !self.in_faces() || Rows::may_lie_otherwise(format)
    }
}

impl Transfer {
    /// The pieces of a read.
    pub fn class_of_read(&self) -> TransferClass {
        self.class(|rows| !rows.in_faces())
    }

    /// The pieces of a write, of all elements or of `some` of them.
    pub fn class_of_write(&self, some: bool) -> TransferClass {
        self.class(|rows| some || !rows.in_pieces())
    }

    fn class(&self, by_element: impl FnOnce(&Rows) -> bool) -> TransferClass {
        match self {
            Transfer::Pages(_) => TransferClass::Page,
            Transfer::Rows(rows) if by_element(rows) => TransferClass::Element,
            Transfer::Rows(Rows { along: Some(_), .. }) => TransferClass::Axis,
            Transfer::Rows(_) => TransferClass::Row,
        }
    }

    /// The first row and column, in elements.
    pub fn first(&self) -> [IntExpr; 2] {
        match self {
            Transfer::Rows(rows) => rows.first.clone(),
            Transfer::Pages(tile) => tile.each_ref().map(|tile| {
                let first = IntExpr::binary(IntOp::Mul, tile.clone(), IntExpr::Const(TILE));
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
