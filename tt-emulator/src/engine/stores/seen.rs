//! What a launch stored of a tensor, element by element.

use super::{FACE, StoredTensor, TILE, Watched, matrices};
use crate::engine::writers::{Writer, Writers};
use std::sync::PoisonError;

/// Matrix, row and column of an element.
type Place = (usize, usize, usize);

/// What was found out about a tensor.
#[derive(Default)]
pub(super) struct Seen {
    pub unstored: u64,
    pub first_unstored: Option<Vec<usize>>,
    /// The first element that two stored, and who.
    pub twice: Option<(Vec<usize>, [Writer; 2])>,
    /// The first element of the first page that one core read and another stored, and who.
    pub elsewhere: Option<(Vec<usize>, [Writer; 2])>,
}

impl Seen {
    pub fn of(watched: Watched, tensor: &StoredTensor, core_of: &dyn Fn(Writer) -> Option<u16>) -> Seen {
        let (_, rows, columns) = matrices(&tensor.shape);
        let (tile_rows, tile_columns) = (rows.div_ceil(TILE), columns.div_ceil(TILE));
        let parts = watched.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut unstored = 0;
        let mut first_unstored: Option<Place> = None;
        let mut twice: Option<(Place, [Writer; 2])> = None;
        let mut elsewhere: Option<(Place, [Writer; 2])> = None;
        for (page, (whole, read)) in watched.whole.into_iter().zip(watched.read).enumerate() {
            let whole = Writers(whole.into_inner());
            let part = parts.get(&page);
            let (matrix, tile) = (page / (tile_rows * tile_columns), page % (tile_rows * tile_columns));
            let (tile_row, tile_column) = (tile / tile_columns * TILE, tile % tile_columns * TILE);
            let apart = |[reader, writer]: &[Writer; 2]| core_of(*reader) != core_of(*writer);
            let first = part.map_or(whole, |part| part.at(0).and(whole));
            let pairs = Writers(read.into_inner()).beside(first);
            if let Some(pair) = pairs.into_iter().flatten().find(apart)
                && elsewhere.is_none()
            {
                elsewhere = Some(((matrix, tile_row, tile_column), pair));
            }
            if part.is_none() && !whole.is_none() && whole.pair().is_none() {
                continue;
            }
            // A row of a face at a time: what lies together in memory and in the tensor.
            for run in 0..TILE * TILE / FACE {
                let (face, row) = (run / FACE, run % FACE);
                let (row, column) = (tile_row + face / 2 * FACE + row, tile_column + face % 2 * FACE);
                let valid = if row < rows {
                    columns.saturating_sub(column).min(FACE)
                } else {
                    0
                };
                for element in 0..valid {
                    let at = (run * FACE + element) * tensor.element_bytes;
                    let writers = part.map_or(whole, |part| part.at(at).and(whole));
                    let place = (matrix, row, column + element);
                    if writers.is_none() {
                        unstored += 1;
                        first_unstored = Some(first_unstored.map_or(place, |first| first.min(place)));
                    } else if let Some(pair) = writers.pair()
                        && twice.is_none_or(|(first, _)| place < first)
                    {
                        twice = Some((place, pair));
                    }
                }
            }
        }
        let index = |(matrix, row, column)| index(&tensor.shape, matrix, row, column);
        Seen {
            unstored,
            first_unstored: first_unstored.map(index),
            twice: twice.map(|(place, pair)| (index(place), pair)),
            elsewhere: elsewhere.map(|(place, pair)| (index(place), pair)),
        }
    }
}

/// The index of an element in a tensor.
fn index(shape: &[usize], mut matrix: usize, row: usize, column: usize) -> Vec<usize> {
    let Some(leading) = shape.len().checked_sub(2) else {
        return vec![column];
    };
    let mut index = vec![0; leading];
    for (place, extent) in index.iter_mut().zip(&shape[..leading]).rev() {
        *place = matrix % extent;
        matrix /= extent;
    }
    index.extend([row, column]);
    index
}
