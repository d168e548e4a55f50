//! How the elements of an access meet those of the result of a parallel loop.

use crate::codes;
use crate::flow::Broadcast;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Linear, Span, VarId};

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

/// An access along rows and columns: what is added, and how it meets the result.
#[derive(Debug, Clone)]
pub struct Classified {
    /// How it meets the result.
    pub broadcast: Broadcast,
    /// What is added to row and column, in elements.
    pub offset: [Linear; 2],
    /// Whether row, and column, are the same for all elements of the result.
    pub uniform: [bool; 2],
    /// A row of what is accessed is a column of the result, or the other way round, which repeats.
    pub crossed: bool,
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
                "write the loop's indices themselves, plus what is the same for all elements, or that alone; swap both for the transpose; rows may have constant factors, quotients and remainders",
            )
        };
        let rows = self
            .axis(row, self.row, self.column)
            .ok_or_else(|| refused("an index is not a loop index plus an offset"))?;
        let columns = self
            .axis(column, self.column, self.row)
            .ok_or_else(|| refused("an index is not a loop index plus an offset"))?;
        let uniform = [&rows, &columns].map(|axis| matches!(axis, Axis::Fixed(_)));
        let [down, across] = self.extent.map(|extent| extent == 1);
        let row = if down { Broadcast::None } else { Broadcast::Row };
        let column = if across { Broadcast::None } else { Broadcast::Column };
        let (broadcast, crossed, offset) = match (rows, columns) {
            (Axis::Along(r), Axis::Along(c)) => (Broadcast::None, false, [r, c]),
            (Axis::Fixed(r), Axis::Along(c)) => (row, false, [r, c]),
            (Axis::Along(r), Axis::Fixed(c)) => (column, false, [r, c]),
            (Axis::Fixed(r), Axis::Fixed(c)) => (
                match (down, across) {
                    (true, true) => Broadcast::None,
                    (true, false) => Broadcast::Column,
                    (false, true) => Broadcast::Row,
                    (false, false) => Broadcast::Scalar,
                },
                false,
                [r, c],
            ),
            (Axis::Cross(r), Axis::Cross(c)) => (Broadcast::Transpose, false, [r, c]),
            (Axis::Cross(r), Axis::Fixed(c)) => (row, true, [r, c]),
            (Axis::Fixed(r), Axis::Cross(c)) => (column, true, [r, c]),
            (Axis::Cross(_), Axis::Along(_)) | (Axis::Along(_), Axis::Cross(_)) => {
                return Err(refused("one index stands for a row and a column"));
            }
        };
        Ok(Classified {
            broadcast,
            offset,
            uniform,
            crossed,
        })
    }
}
