//! Elements of a block that are moved to other places, by the writer.

use super::{BufferId, DefinitionId, Pace, Sees};
use tt_device::elements_along;
use tt_lang::ir::IntExpr;

/// A version of a buffer, of elements of another at other places. Its other elements are anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Shift {
    /// Used.
    pub from: BufferId,
    /// What it holds.
    pub sees: Sees,
    /// Defined.
    pub buffer: BufferId,
    /// As what.
    pub defines: DefinitionId,
    /// Which elements.
    pub window: Window,
}

/// Some rows and columns of a block, and as many of another: row `r` of what is moved to is that many from the first on which the pace
/// says, the nearest there is where the one has no such row.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// The first row and column of the one.
    pub from: [IntExpr; 2],
    /// Those of the other.
    pub to: [IntExpr; 2],
    /// How many rows and columns, all of them the blocks'.
    pub extent: [IntExpr; 2],
    /// How rows follow those of the other.
    pub pace: Pace,
}

impl Window {
    /// The integers in it.
    pub fn integers(&self) -> impl Iterator<Item = &IntExpr> {
        self.from.iter().chain(&self.to).chain(&self.extent)
    }

    /// Where what is moved ends along an axis of `tiles` tiles, past which there is nothing: what is moved to other than the
    /// first element lies between others.
    pub fn end(&self, axis: usize, tiles: u32) -> u64 {
        let count = self.extent[axis].as_const().and_then(|count| u64::try_from(count).ok());
        match (self.to[axis].as_const(), count) {
            (Some(0), Some(count)) => count,
            _ => elements_along(tiles),
        }
    }
}
