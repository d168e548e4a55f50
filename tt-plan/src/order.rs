//! The order in which a core takes its blocks: from a running number to grid coordinates.

use serde::{Deserialize, Serialize};

/// The order of blocks over a grid whose first axis is the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockOrder {
    /// Along the first axis.
    RowMajor,
    /// Along the second axis.
    ColumnMajor,
    /// In bands of `h` rows of blocks, each cut into rectangles `w` wide, row by row inside a rectangle.
    BlockLinear(u32, u32),
}

impl BlockOrder {
    /// The coordinates of block `id` of a grid of `grid[0]` × `grid[1]` × .. blocks. The emitted kernels do the same
    /// arithmetic (`tt-backend`, pass rasterize).
    pub fn position(self, id: u64, grid: [u64; 6]) -> [u64; 6] {
        let plane = grid[0] * grid[1];
        let mut position = [0; 6];
        let mut above = id / plane;
        for (at, extent) in position.iter_mut().zip(grid).skip(2) {
            *at = above % extent;
            above /= extent;
        }
        let id = id % plane;
        [position[0], position[1]] = match self {
            BlockOrder::RowMajor => [id % grid[0], id / grid[0]],
            BlockOrder::ColumnMajor => [id / grid[1], id % grid[1]],
            BlockOrder::BlockLinear(h, w) => {
                let (h, w) = (u64::from(h), u64::from(w));
                let band = id / (h * grid[0]);
                let rows = h.min(grid[1] - band * h);
                let within = id % (h * grid[0]);
                let group = within / (rows * w);
                let columns = w.min(grid[0] - group * w);
                let rest = within % (rows * w);
                [group * w + rest % columns, band * h + rest / columns]
            }
        };
        position
    }

    /// Its name, as in `#[tt::kernel(order = ..)]`.
    pub fn name(self) -> &'static str {
        match self {
            BlockOrder::RowMajor => "row_major",
            BlockOrder::ColumnMajor => "column_major",
            BlockOrder::BlockLinear(..) => "block_linear",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_visits_every_block_once() {
        for order in [
            BlockOrder::RowMajor,
            BlockOrder::ColumnMajor,
            BlockOrder::BlockLinear(2, 3),
            BlockOrder::BlockLinear(4, 4),
        ] {
            for [x, y, z, w] in [[1, 1, 1, 1], [5, 3, 2, 1], [8, 8, 1, 2], [7, 9, 1, 1], [2, 1, 3, 4]] {
                let grid = [x, y, z, w, 1, 1];
                let count = grid.iter().product();
                let mut seen: Vec<[u64; 6]> = (0..count).map(|id| order.position(id, grid)).collect();
                seen.sort();
                seen.dedup();
                assert_eq!(seen.len() as u64, count, "{order:?} over {grid:?}");
                assert!(
                    seen.iter().all(|p| (0..6).all(|axis| p[axis] < grid[axis])),
                    "{order:?} over {grid:?}"
                );
            }
        }
    }
}
