//! `acc += a · b` in `f64`. Padding contributes nothing: what it meets in `acc` stays as it was.

use super::error::InterpretErrorKind as Kind;
use super::storage::{BlockData, PADDING};

/// An operand, not transposed, with zeros for padded elements.
pub(super) struct Operand {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Operand {
    /// The left operand, `m × k`.
    pub fn rows(data: &BlockData, transposed: bool) -> Result<Operand, Kind> {
        Operand::new(data, transposed)
    }

    /// The right operand, `k × n`.
    pub fn columns(data: &BlockData, transposed: bool) -> Result<Operand, Kind> {
        Operand::new(data, transposed)
    }

    fn new(data: &BlockData, transposed: bool) -> Result<Operand, Kind> {
        let (stored_rows, stored_columns) = match data.shape.as_slice() {
            [_] => return Err(Kind::Unsupported("a gemm of a block with one axis")),
            // Rows of a tensor may lie along any axis before the last.
            [before @ .., columns] if before.iter().filter(|extent| **extent != 1).count() <= 1 => {
                (before.iter().product(), *columns)
            }
            _ => return Err(Kind::Unsupported("a gemm of stacked blocks")),
        };
        let (rows, columns) = if transposed {
            (stored_columns, stored_rows)
        } else {
            (stored_rows, stored_columns)
        };
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let at = if transposed {
                    column * stored_columns + row
                } else {
                    row * stored_columns + column
                };
                values.push(if data.marks[at] & PADDING == 0 {
                    data.values[at]
                } else {
                    0.0
                });
            }
        }
        Ok(Operand { rows, columns, values })
    }
}

/// Adds `a · b` to `out`.
pub(super) fn accumulate(a: &Operand, b: &Operand, out: &mut BlockData) -> Result<(), Kind> {
    let extents = |x: (usize, usize), y: (usize, usize)| Kind::Extents {
        what: "a gemm",
        found: [vec![x.0, x.1], vec![y.0, y.1]],
    };
    let (m, k, n) = (a.rows, a.columns, b.columns);
    if b.rows != k {
        return Err(extents((m, k), (b.rows, n)));
    }
    match out.matrix() {
        Some((rows, columns)) if rows == m && columns == n && out.shape.len() > 1 => {}
        _ => {
            return Err(Kind::Extents {
                what: "a gemm",
                found: [vec![m, n], out.shape.clone()],
            });
        }
    }
    if m == 0 || n == 0 {
        return Ok(());
    }
    for (row, sums) in out.values.chunks_exact_mut(n).enumerate() {
        let left = &a.values[row * k..(row + 1) * k];
        // Four rows of `b` at a time: a quarter of the loads and stores of the sums.
        let mut lefts = left.chunks_exact(4);
        let mut rights = b.values.chunks_exact(4 * n);
        for (x, y) in (&mut lefts).zip(&mut rights) {
            let (y0, rest) = y.split_at(n);
            let (y1, rest) = rest.split_at(n);
            let (y2, y3) = rest.split_at(n);
            for ((((sum, y0), y1), y2), y3) in sums.iter_mut().zip(y0).zip(y1).zip(y2).zip(y3) {
                *sum += x[0] * y0 + x[1] * y1 + (x[2] * y2 + x[3] * y3);
            }
        }
        for (x, y) in lefts.remainder().iter().zip(rights.remainder().chunks_exact(n)) {
            for (sum, y) in sums.iter_mut().zip(y) {
                *sum += x * y;
            }
        }
    }
    Ok(())
}
