//! What a launch stored of a tensor, element by element.

use super::parts::Parts;
use super::{FACE, StoredTensor, TILE, Watched, matrices};
use crate::engine::writers::{Writer, Writers};
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;

/// Rows of faces in a tile: 16 elements that lie together in memory and in the tensor.
const RUNS: usize = TILE * TILE / FACE;

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
        let read_parts = watched.read_parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut read = watched.read.into_inner().unwrap_or_default().into_iter();
        for (page, whole) in watched.whole.into_iter().enumerate() {
            let whole = Writers(whole.into_inner());
            let read = Writers(read.next().map_or(0, AtomicU64::into_inner));
            let (part, read_part) = (parts.get(&page), read_parts.get(&page));
            let is_stored_once = part.is_none() && !whole.is_none() && whole.pair().is_none();
            if is_stored_once && read.is_none() && read_part.is_none() {
                continue;
            }
            let (matrix, tile) = (page / (tile_rows * tile_columns), page % (tile_rows * tile_columns));
            let (tile_row, tile_column) = (tile / tile_columns * TILE, tile % tile_columns * TILE);
            let writers_of =
                |element| part.map_or(whole, |part: &Parts| part.of_element(whole, tensor.format, element));
            // Where one of the readers wants one of these elements, all of which others store: the first of them, and who.
            let certain = |readers: Writers, elements: Range<usize>| {
                let apart = |reader, element| {
                    let mut writers = writers_of(element).ends().into_iter().flatten();
                    writers.find(|writer| core_of(*writer) != core_of(reader))
                };
                readers.ends().into_iter().flatten().find_map(|reader| {
                    let writer = apart(reader, elements.start)?;
                    let all = elements.clone().all(|element| apart(reader, element).is_some());
                    all.then_some([reader, writer])
                })
            };
            if elsewhere.is_none() {
                let first = certain(read, 0..1);
                elsewhere = first.map(|pair| ((matrix, tile_row, tile_column), pair));
            }
            if let Some(read) = read_part
                && elsewhere.is_none()
            {
                elsewhere = (0..RUNS).find_map(|run| {
                    let (row, column, valid) = place_of(run, [tile_row, tile_column], [rows, columns]);
                    let wanted = match (tensor.read_by_element, valid) {
                        (false, _) => valid.min(1),
                        (true, FACE) => FACE,
                        // What is wanted may be padding: a block may begin past the edge that cuts this run.
                        (true, _) => 0,
                    };
                    let first = run * FACE;
                    let readers = read.of_element(Writers::default(), tensor.format, first);
                    let pair = certain(readers, first..first + wanted).filter(|_| wanted > 0)?;
                    Some(((matrix, row, column), pair))
                });
            }
            if is_stored_once {
                continue;
            }
            // A row of a face at a time: what lies together in memory and in the tensor.
            for run in 0..RUNS {
                let (row, column, valid) = place_of(run, [tile_row, tile_column], [rows, columns]);
                for element in 0..valid {
                    let writers = writers_of(run * FACE + element);
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

/// Where a run begins in the tensor, and how many of its elements are some of it.
fn place_of(run: usize, [tile_row, tile_column]: [usize; 2], [rows, columns]: [usize; 2]) -> (usize, usize, usize) {
    let (face, row) = (run / FACE, run % FACE);
    let (row, column) = (tile_row + face / 2 * FACE + row, tile_column + face % 2 * FACE);
    let valid = if row < rows {
        columns.saturating_sub(column).min(FACE)
    } else {
        0
    };
    (row, column, valid)
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

#[cfg(test)]
mod tests {
    use super::super::tests::judged_in;
    use super::*;
    use tt_device::DataFormat;

    const FORMATS: [DataFormat; 2] = [DataFormat::Bfp8B, DataFormat::Bfp4B];

    /// Judges after writes by core of the first page, from an offset on, of so many bytes: the first element of two, or how many
    /// nobody stored.
    fn judged(format: DataFormat, writes: &[(u16, u64, u32)]) -> Result<u64, String> {
        let writes: Vec<_> = writes
            .iter()
            .map(|(core, offset, bytes)| (Writer::Core(*core), 0, *offset, *bytes))
            .collect();
        judged_in(format, &[32, 32], &writes).map(|left| left.iter().map(|left| left.elements).sum())
    }

    /// Where the element begins in its page, behind 64 exponents.
    fn place(format: DataFormat, element: u32) -> u64 {
        u64::from(64 + element * format.element_bits() / 8)
    }

    #[test]
    fn halves_of_a_page_with_their_exponents_are_apart() {
        for format in FORMATS {
            let half = 512 * format.element_bits() / 8;
            let halves = [(0, 0, 32), (0, 64, half), (1, 32, 32), (1, place(format, 512), half)];
            assert_eq!(judged(format, &halves), Ok(0));
            assert_eq!(judged(format, &halves[..2]), Ok(512));
            // Exponents alone are no elements.
            assert_eq!(judged(format, &[(0, 0, 64)]), Ok(1024));
        }
    }

    #[test]
    fn an_element_of_two_is_found_in_its_place() {
        for format in FORMATS {
            let page = (0, 0, format.tile_bytes());
            let error = judged(format, &[page, (1, 0, format.tile_bytes())]).unwrap_err();
            assert!(error.contains("element [0, 0] of `c`"), "{error}");
            // Column 4 of row 2, with the next where two share a byte; then the exponent of row 1 in the last face.
            let error = judged(format, &[page, (1, place(format, 2 * 16 + 4), 1)]).unwrap_err();
            assert!(error.contains("element [2, 4] of `c`"), "{error}");
            let error = judged(format, &[page, (1, 3 * 16 + 1, 1)]).unwrap_err();
            assert!(error.contains("element [17, 16] of `c`"), "{error}");
        }
    }
}
