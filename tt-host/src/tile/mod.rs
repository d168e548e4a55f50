//! Tensors as tiles: how many, and in which order their elements lie.
//!
//! The last two axes are cut into tiles of 32 × 32 elements, the last ones filled up; leading axes select
//! matrices. A tile is four faces of 16 × 16, top left, top right, bottom left, bottom right, each row by row. Tiles lie
//! row by row, matrix after matrix. A tensor of one axis is one row.

mod copy;

pub(crate) use copy::{tilize, untilize, untilize_into};

use crate::{Error, ErrorKind, Result};

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
