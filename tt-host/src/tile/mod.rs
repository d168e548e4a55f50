//! Tensors as tiles: how many, and in which order their elements lie.
//!
//! The last two axes are cut into tiles of 32 × 32 elements, the last ones filled up; leading axes select
//! matrices. A tile is four faces of 16 × 16, top left, top right, bottom left, bottom right, each row by row. Tiles lie
//! row by row, matrix after matrix. A tensor of one axis is one row.

mod copy;

pub(crate) use copy::{tilize, untilize, untilize_into};

use crate::{Error, ErrorKind, Result};
use std::ops::Range;

/// Rows and columns of a tile.
pub(crate) const TILE: usize = tt_device::TILE_SIDE as usize;
/// Rows and columns of a face.
pub(crate) const FACE: usize = tt_device::FACE_SIDE as usize;
/// Elements of a tile.
pub(crate) const TILE_ELEMENTS: usize = TILE * TILE;

/// A tensor's extents as matrices of tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Matrices that the leading axes select.
    pub matrices: usize,
    /// Rows of a matrix.
    pub rows: usize,
    /// Columns of a matrix.
    pub columns: usize,
}

/// A part of a tensor whose elements and tiles both follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) tiling: Tiling,
    first_element: usize,
    pub(crate) first_tile: usize,
}

impl Piece {
    /// Which of the tensor's elements it has.
    pub(crate) fn elements(self) -> Range<usize> {
        self.first_element..self.first_element + self.tiling.elements()
    }
}

impl Tiling {
    /// The tiling of a tensor with these extents, outermost first.
    pub(crate) fn of(shape: &[usize]) -> Result<Tiling> {
        if shape.is_empty() || shape.len() > 6 {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("a tensor has 1 to 6 axes, not {}", shape.len()),
            ));
        }
        if let Some(axis) = shape.iter().position(|extent| *extent == 0) {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("axis {axis} of the shape {shape:?} is zero"),
            ));
        }
        let too_large = || Error::new(ErrorKind::Shape, format!("the shape {shape:?} has too many elements"));
        let (columns, leading) = shape.split_last().ok_or_else(too_large)?;
        let (rows, leading) = leading.split_last().unwrap_or((&1, &[]));
        let matrices = leading
            .iter()
            .try_fold(1usize, |n, extent| n.checked_mul(*extent))
            .ok_or_else(too_large)?;
        let tiling = Tiling {
            matrices,
            rows: *rows,
            columns: *columns,
        };
        // Kernels number tiles in 32 bits; 16 bytes is more than any element takes.
        let tiles = rows
            .div_ceil(TILE)
            .checked_mul(columns.div_ceil(TILE))
            .and_then(|n| n.checked_mul(matrices));
        match tiles {
            Some(tiles) if u32::try_from(tiles).is_ok() && tiles.checked_mul(TILE_ELEMENTS * 16).is_some() => {
                Ok(tiling)
            }
            _ => Err(too_large()),
        }
    }

    /// Rows of tiles of a matrix.
    pub(crate) fn tile_rows(self) -> usize {
        self.rows.div_ceil(TILE)
    }

    /// Columns of tiles of a matrix.
    pub(crate) fn tile_columns(self) -> usize {
        self.columns.div_ceil(TILE)
    }

    /// Tiles of all matrices.
    pub(crate) fn tiles(self) -> usize {
        self.matrices * self.tile_rows() * self.tile_columns()
    }

    /// It cut into pieces of whole rows of tiles, of at most so many tiles each or of one row, in the order in which tiles lie.
    pub(crate) fn pieces(self, tiles: usize) -> impl Iterator<Item = Piece> {
        let of_matrix = self.tile_rows() * self.tile_columns();
        // Matrices of a piece, or else rows of tiles of one.
        let matrices = (tiles / of_matrix).clamp(1, self.matrices);
        let rows = if of_matrix <= tiles {
            self.tile_rows()
        } else {
            (tiles / self.tile_columns()).clamp(1, self.tile_rows())
        };
        (0..self.matrices).step_by(matrices).flat_map(move |matrix| {
            let matrices = matrices.min(self.matrices - matrix);
            (0..self.tile_rows()).step_by(rows).map(move |row| Piece {
                tiling: Tiling {
                    matrices,
                    rows: (rows * TILE).min(self.rows - row * TILE),
                    columns: self.columns,
                },
                first_element: (matrix * self.rows + row * TILE) * self.columns,
                first_tile: (matrix * self.tile_rows() + row) * self.tile_columns(),
            })
        })
    }

    /// Elements of all matrices, without filling.
    pub(crate) fn elements(self) -> usize {
        self.matrices * self.rows * self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_axes_select_matrices_and_one_axis_is_a_row() {
        let tiling = |shape: &[usize]| Tiling::of(shape).unwrap();
        assert_eq!(
            tiling(&[7]),
            Tiling {
                matrices: 1,
                rows: 1,
                columns: 7
            }
        );
        assert_eq!(tiling(&[2, 3, 33, 65]).tiles(), 2 * 3 * 2 * 3);
        assert_eq!(tiling(&[1, 1, 1, 1, 1, 1]).tiles(), 1);
    }

    #[test]
    fn pieces_follow_each_other_and_are_all_there_is() {
        for shape in [
            vec![7],
            vec![33, 65],
            vec![100, 32],
            vec![3, 100, 70],
            vec![5, 2, 32, 32],
            vec![1000, 1],
        ] {
            let whole = Tiling::of(&shape).unwrap();
            for tiles in [1, 2, 3, 6, 7, 12, 100, usize::MAX] {
                let (mut element, mut tile) = (0, 0);
                for piece in whole.pieces(tiles) {
                    assert_eq!(
                        (piece.first_element, piece.first_tile),
                        (element, tile),
                        "{shape:?} by {tiles}"
                    );
                    let is_row = piece.tiling.matrices == 1 && piece.tiling.tile_rows() == 1;
                    assert!(piece.tiling.tiles() <= tiles || is_row, "{shape:?} by {tiles}");
                    element += piece.tiling.elements();
                    tile += piece.tiling.tiles();
                }
                assert_eq!(
                    (element, tile),
                    (whole.elements(), whole.tiles()),
                    "{shape:?} by {tiles}"
                );
            }
        }
    }

    #[test]
    fn impossible_shapes_are_errors_that_name_them() {
        let message = |shape: &[usize]| Tiling::of(shape).unwrap_err().to_string();
        assert_eq!(message(&[3, 0]), "axis 1 of the shape [3, 0] is zero");
        assert_eq!(message(&[]), "a tensor has 1 to 6 axes, not 0");
        assert_eq!(message(&[1; 7]), "a tensor has 1 to 6 axes, not 7");
        for shape in [
            [usize::MAX, 2],
            [1 << 40, 1 << 20],
            [usize::MAX, usize::MAX],
            [1 << 30, 1 << 30],
        ] {
            assert_eq!(message(&shape), format!("the shape {shape:?} has too many elements"));
        }
    }
}
