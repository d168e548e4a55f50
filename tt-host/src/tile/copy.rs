//! Copying between row-major tensors and tiles, on all host threads.
//!
//! Work is cut into bands of 32 rows. Tiles are written some at a time, which stay in the first-level cache meanwhile, while what is read
//! next is fetched; they are read four lines of a band at a time, so that what is touched of a tile are whole cache lines, and stay in the
//! second-level cache. What is copied at once is the 16 elements of a face's row, a constant that the compiler turns into one or two
//! vector moves.

use super::{FACE, TILE, TILE_ELEMENTS, Tiling};
use crate::host_memory::prefetch;
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// Elements that are worth a task of their own.
const TASK_ELEMENTS: usize = 1 << 16;

/// Bytes of tiles that are written together.
const WRITTEN_TOGETHER: usize = 32 << 10;

/// Lines of a band that are written together; a row of faces has a multiple of them.
const LINES_TOGETHER: usize = 4;

/// Where row `row` of a tile starts in it.
fn row_offset(row: usize) -> usize {
    (row / FACE) * 2 * FACE * FACE + (row % FACE) * FACE
}

/// Where the right half of a row lies behind its left half.
const RIGHT_FACE: usize = FACE * FACE;

/// Writes the tiles of `source` to `tiles`, filled up with `padding`.
///
/// `source` has `tiling.elements()` elements, `tiles` has `tiling.tiles()` tiles.
pub(crate) fn tilize<T: Copy + Send + Sync>(source: &[T], tiling: Tiling, padding: T, tiles: &mut [T]) {
    debug_assert!(source.len() == tiling.elements() && tiles.len() == tiling.tiles() * TILE_ELEMENTS);
    let band_tiles = tiling.tile_columns() * TILE_ELEMENTS;
    tiles
        .par_chunks_mut(band_tiles)
        .enumerate()
        .with_min_len(TASK_ELEMENTS.div_ceil(band_tiles))
        .for_each(|(band, tiles)| {
            let (matrix, tile_row) = (band / tiling.tile_rows(), band % tiling.tile_rows());
            let first = matrix * tiling.rows + tile_row * TILE;
            let rows = TILE.min(tiling.rows - tile_row * TILE);
            let source = &source[first * tiling.columns..][..rows * tiling.columns];
            tilize_band(source, tiling.columns, padding, tiles);
        });
}

/// One band: up to 32 lines of `columns` elements.
fn tilize_band<T: Copy>(source: &[T], columns: usize, padding: T, tiles: &mut [T]) {
    let (tiles, _) = tiles.as_chunks_mut::<TILE_ELEMENTS>();
    let together = (WRITTEN_TOGETHER / (TILE_ELEMENTS * size_of::<T>()).max(1)).max(1);
    for (first, tiles) in (0..).step_by(together * TILE).zip(tiles.chunks_mut(together)) {
        let end = columns.min(first + together * TILE);
        for (row, line) in source.chunks_exact(columns).enumerate() {
            prefetch(&line[end..columns.min(end + together * TILE)]);
            let (whole, rest) = line[first..end].as_chunks::<TILE>();
            for (tile, values) in tiles.iter_mut().zip(whole) {
                write_row(tile, row, values);
            }
            if let (Some(tile), [_, ..]) = (tiles.last_mut(), rest) {
                let mut values = [padding; TILE];
                values[..rest.len()].copy_from_slice(rest);
                write_row(tile, row, &values);
            }
        }
        for row in source.len() / columns..TILE {
            tiles.iter_mut().for_each(|tile| write_row(tile, row, &[padding; TILE]));
        }
    }
}

/// Writes a row of a tile.
#[inline(always)]
fn write_row<T: Copy>(tile: &mut [T; TILE_ELEMENTS], row: usize, values: &[T; TILE]) {
    let offset = row_offset(row);
    tile[offset..offset + FACE].copy_from_slice(&values[..FACE]);
    tile[offset + RIGHT_FACE..offset + RIGHT_FACE + FACE].copy_from_slice(&values[FACE..]);
}

/// Appends the row-major elements of `tiles`, without filling.
///
/// `tiles` has `tiling.tiles()` tiles.
pub(crate) fn untilize<T: Copy + Send + Sync>(tiles: &[T], tiling: Tiling, elements: &mut Vec<T>) {
    elements.reserve(tiling.elements());
    write_elements(tiles, tiling, &mut elements.spare_capacity_mut()[..tiling.elements()]);
    // SAFETY: `write_elements` writes every one.
    unsafe { elements.set_len(elements.len() + tiling.elements()) };
}

/// As [`untilize`], over what `elements` holds, of which there are `tiling.elements()`.
pub(crate) fn untilize_into<T: Copy + Send + Sync>(tiles: &[T], tiling: Tiling, elements: &mut [T]) {
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and what is written to it is a `T`.
    let elements = unsafe { &mut *(std::ptr::from_mut(elements) as *mut [MaybeUninit<T>]) };
    write_elements(tiles, tiling, elements);
}

/// Writes every element of `to`, of which there are `tiling.elements()`.
fn write_elements<T: Copy + Send + Sync>(tiles: &[T], tiling: Tiling, to: &mut [MaybeUninit<T>]) {
    debug_assert!(tiles.len() == tiling.tiles() * TILE_ELEMENTS && to.len() == tiling.elements());
    let band_tiles = tiling.tile_columns() * TILE_ELEMENTS;
    let matrix_elements = tiling.rows * tiling.columns;
    // The bands are disjoint and cover all elements; `untilize_band` writes every one of its band.
    to.par_chunks_mut(matrix_elements)
        .zip(tiles.par_chunks(tiling.tile_rows() * band_tiles))
        .with_min_len(TASK_ELEMENTS.div_ceil(matrix_elements))
        .for_each(|(matrix, tiles)| {
            matrix
                .par_chunks_mut(TILE * tiling.columns)
                .zip(tiles.par_chunks(band_tiles))
                .with_min_len(TASK_ELEMENTS.div_ceil(band_tiles))
                .for_each(|(band, tiles)| untilize_band(tiles, tiling.columns, band));
        });
}

/// One band: writes every element of `band`, up to 32 lines of `columns` elements.
fn untilize_band<T: Copy>(tiles: &[T], columns: usize, band: &mut [MaybeUninit<T>]) {
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and a shared slice of it is only read.
    let tiles = unsafe { &*(std::ptr::from_ref(tiles) as *const [MaybeUninit<T>]) };
    let (tiles, _) = tiles.as_chunks::<TILE_ELEMENTS>();
    let mut row = 0;
    for lines in band.chunks_mut(LINES_TOGETHER * columns) {
        if lines.len() == LINES_TOGETHER * columns {
            untilize_lines::<T, LINES_TOGETHER>(tiles, columns, row, lines);
            row += LINES_TOGETHER;
        } else {
            for line in lines.chunks_exact_mut(columns) {
                untilize_lines::<T, 1>(tiles, columns, row, line);
                row += 1;
            }
        }
    }
}

/// So many lines of a band, from row `row` on, all in one row of faces.
#[inline(always)]
fn untilize_lines<T: Copy, const LINES: usize>(
    tiles: &[[MaybeUninit<T>; TILE_ELEMENTS]],
    columns: usize,
    row: usize,
    lines: &mut [MaybeUninit<T>],
) {
    let offset = row_offset(row);
    for (tile, first) in tiles.iter().zip((0..columns).step_by(TILE)) {
        let count = TILE.min(columns - first);
        for line in 0..LINES {
            let offset = offset + line * FACE;
            let to = &mut lines[line * columns + first..][..count];
            if let Ok(to) = <&mut [_; TILE]>::try_from(&mut *to) {
                to[..FACE].copy_from_slice(&tile[offset..offset + FACE]);
                to[FACE..].copy_from_slice(&tile[offset + RIGHT_FACE..offset + RIGHT_FACE + FACE]);
            } else {
                let (left, right) = to.split_at_mut(count.min(FACE));
                left.copy_from_slice(&tile[offset..][..left.len()]);
                right.copy_from_slice(&tile[offset + RIGHT_FACE..][..right.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::bf16;

    /// Where element (r, c) of a tile lies, as documented for the device.
    fn place(row: usize, column: usize) -> usize {
        ((row / 16) * 2 + column / 16) * 256 + (row % 16) * 16 + column % 16
    }

    /// Shapes that are ragged on either axis, tiny, long, deep, and large enough for several tasks.
    fn shapes() -> Vec<Vec<usize>> {
        let mut shapes: Vec<Vec<usize>> = vec![
            vec![1],
            vec![31],
            vec![1000],
            vec![1, 1],
            vec![33, 65],
            vec![3000, 17],
            vec![5, 4099],
            vec![513, 511],
        ];
        let extents = [1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 100];
        let mut state = 12345u64;
        for _ in 0..200 {
            let mut next = |n: usize| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 33) as usize % n
            };
            let rank = 1 + next(6);
            let shape: Vec<usize> = (0..rank)
                .map(|axis| {
                    if axis + 2 < rank {
                        1 + next(3)
                    } else {
                        extents[next(extents.len())]
                    }
                })
                .collect();
            shapes.push(shape);
        }
        shapes
    }

    fn check<T: Copy + PartialEq + std::fmt::Debug + Send + Sync>(padding: T, value: impl Fn(usize) -> T) {
        for shape in shapes() {
            let tiling = Tiling::of(&shape).unwrap();
            let source: Vec<T> = (0..tiling.elements()).map(&value).collect();
            // What was in the buffer before must not show through.
            let mut tiles = vec![value(usize::MAX); tiling.tiles() * TILE_ELEMENTS];
            tilize(&source, tiling, padding, &mut tiles);
            for (index, found) in tiles.iter().enumerate() {
                let (tile, within) = (index / TILE_ELEMENTS, index % TILE_ELEMENTS);
                let per_matrix = tiling.tile_rows() * tiling.tile_columns();
                let (matrix, tile) = (tile / per_matrix, tile % per_matrix);
                let (row, column) = (
                    within / 512 * 16 + within % 256 / 16,
                    within / 256 % 2 * 16 + within % 16,
                );
                assert_eq!(place(row, column), within);
                let (row, column) = (
                    tile / tiling.tile_columns() * 32 + row,
                    tile % tiling.tile_columns() * 32 + column,
                );
                let expected = if row < tiling.rows && column < tiling.columns {
                    source[(matrix * tiling.rows + row) * tiling.columns + column]
                } else {
                    padding
                };
                assert_eq!(
                    *found, expected,
                    "{shape:?}: matrix {matrix}, row {row}, column {column}"
                );
            }
            let mut back = vec![value(0)];
            untilize(&tiles, tiling, &mut back);
            assert_eq!(back[1..], source, "{shape:?}");
            let mut over = vec![value(usize::MAX); source.len()];
            untilize_into(&tiles, tiling, &mut over);
            assert_eq!(over, source, "{shape:?}");
        }
    }

    #[test]
    fn tiles_lie_as_documented_and_come_back_as_they_were() {
        check(0, |i| (i as u32).wrapping_mul(2654435761) | 1);
        check(u8::MAX, |i| (i % 251) as u8 + 1);
        check(bf16::ZERO, |i| bf16::from_bits((i as u16 & 0x3fff) | 1));
    }
}
