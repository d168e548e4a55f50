//! How the elements of an access meet those of the result of a parallel loop.

use crate::codes;
use crate::flow::Broadcast;
use crate::linear::Linear;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Span, VarId};

/// The indices of a parallel loop, as rows and columns of its result.
#[derive(Debug, Clone, Copy)]
pub struct Result2d {
    /// The variable that counts rows; none for a result of one row that has no index for it.
    pub row: Option<VarId>,
    /// The variable that counts columns.
    pub column: Option<VarId>,
    /// Elements along rows and columns.
    pub extent: [u64; 2],
}

/// An access along rows and columns: what is added in tiles, and how it meets the result.
#[derive(Debug, Clone)]
pub struct Classified {
    /// How it meets the result.
    pub broadcast: Broadcast,
    /// What is added to row and column, a multiple of 32 elements.
    pub offset: [Linear; 2],
}

enum Axis {
    Along(Linear),
    Cross(Linear),
    Fixed(Linear),
}

impl Result2d {
    fn axis(&self, index: &Linear, along: Option<VarId>, cross: Option<VarId>) -> Option<Axis> {
        for (var, is_cross) in [(along, false), (cross, true)] {
            let Some(var) = var else { continue };
            if index.coefficient(var) == 1 {
                let rest = index.clone().without(var);
                let clean = !rest.mentions(var)
                    && !along.is_some_and(|v| rest.mentions(v))
                    && !cross.is_some_and(|v| rest.mentions(v));
                return clean.then_some(if is_cross { Axis::Cross(rest) } else { Axis::Along(rest) });
            }
        }
        let free = !along.is_some_and(|v| index.mentions(v)) && !cross.is_some_and(|v| index.mentions(v));
        free.then(|| Axis::Fixed(index.clone()))
    }

    /// Classifies an access with the indices `row` and `column` of a two-axis buffer.
    pub fn classify(&self, row: &Linear, column: &Linear, name: &str, span: Span) -> Result<Classified, Diagnostic> {
        let refused = |what: &str| {
            Diagnostic::new(&codes::ACCESS, span, format!("`{name}` is indexed in a way that is not compiled: {what}")).note(
                "write the loop's indices themselves, `0`, or an index plus a constant multiple of 32; swap both for the transpose",
            )
        };
        let rows = self
            .axis(row, self.row, self.column)
            .ok_or_else(|| refused("an index is not a loop index plus an offset"))?;
        let columns = self
            .axis(column, self.column, self.row)
            .ok_or_else(|| refused("an index is not a loop index plus an offset"))?;
        let (broadcast, offset) = match (rows, columns) {
            (Axis::Along(r), Axis::Along(c)) => (Broadcast::None, [r, c]),
            (Axis::Fixed(r), Axis::Along(c)) => (
                if self.extent[0] == 1 {
                    Broadcast::None
                } else {
                    Broadcast::Row
                },
                [r, c],
            ),
            (Axis::Along(r), Axis::Fixed(c)) => (
                if self.extent[1] == 1 {
                    Broadcast::None
                } else {
                    Broadcast::Column
                },
                [r, c],
            ),
            (Axis::Fixed(r), Axis::Fixed(c)) => (
                match self.extent {
                    [1, 1] => Broadcast::None,
                    [1, _] => Broadcast::Column,
                    [_, 1] => Broadcast::Row,
                    _ => Broadcast::Scalar,
                },
                [r, c],
            ),
            (Axis::Cross(r), Axis::Cross(c)) => (Broadcast::Transpose, [r, c]),
            (Axis::Cross(_), _) | (_, Axis::Cross(_)) => {
                return Err(refused("a row index stands for a column, or the other way round"));
            }
        };
        if !offset.iter().all(|part| part.is_multiple_of(32)) {
            let message =
                format!("`{name}` is indexed at an offset that is not a multiple of 32 whatever the values at launch");
            return Err(Diagnostic::new(&codes::OFFSET_IN_TILE, span, message)
                .note("elements keep their places within tiles of 32 × 32: write offsets that are multiples of 32"));
        }
        Ok(Classified { broadcast, offset })
    }
}
