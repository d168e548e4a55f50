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
    /// Along a Z in every square of two by two, of squares that are twice as wide in turn, as far as they lie in the grid.
    ZOrder,
    /// Along a Hilbert curve through the smallest such square that holds the grid, as far as it lies in there.
    Hilbert,
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
            BlockOrder::ZOrder => along_curve(false, id, [grid[0], grid[1]]),
            BlockOrder::Hilbert => along_curve(true, id, [grid[0], grid[1]]),
        };
        position
    }

    /// Its name, as in `#[tt::kernel(order = ..)]`.
    pub fn name(self) -> &'static str {
        match self {
            BlockOrder::RowMajor => "row_major",
            BlockOrder::ColumnMajor => "column_major",
            BlockOrder::BlockLinear(..) => "block_linear",
            BlockOrder::ZOrder => "z_order",
            BlockOrder::Hilbert => "hilbert",
        }
    }
}

/// The column and row of block `id` of those that lie in `grid`, in the order of a curve through the square around it: of each of the
/// four quarters of a square, one after the other, as many as lie in the grid.
fn along_curve(is_hilbert: bool, mut id: u64, grid: [u64; 2]) -> [u64; 2] {
    let mut side = grid[0].max(grid[1]).next_power_of_two();
    let mut at = [0; 2];
    // How the quarter that is gone through lies: its axes exchanged, and both turned around.
    let (mut is_exchanged, mut is_reversed) = (false, false);
    while side > 1 {
        side /= 2;
        for quarter in 0..4 {
            let mut place = match is_hilbert {
                true => [quarter / 2, u64::from(quarter == 1 || quarter == 2)],
                false => [quarter % 2, quarter / 2],
            };
            if is_exchanged {
                place.reverse();
            }
            let first = [0, 1].map(|axis| at[axis] + (place[axis] ^ u64::from(is_reversed)) * side);
            let blocks = [0, 1].map(|axis| grid[axis].saturating_sub(first[axis]).min(side));
            let blocks = blocks[0] * blocks[1];
            if id < blocks {
                at = first;
                is_exchanged ^= is_hilbert && (quarter == 0 || quarter == 3);
                is_reversed ^= is_hilbert && quarter == 3;
                break;
            }
            id -= blocks;
        }
    }
    at
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
            BlockOrder::ZOrder,
            BlockOrder::Hilbert,
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

    #[test]
    fn a_hilbert_curve_goes_from_block_to_block() {
        let grid = [16, 16, 1, 1, 1, 1];
        let positions: Vec<[u64; 6]> = (0..256).map(|id| BlockOrder::Hilbert.position(id, grid)).collect();
        assert_eq!(positions[0], [0; 6]);
        for pair in positions.windows(2) {
            let steps: u64 = (0..2).map(|axis| pair[0][axis].abs_diff(pair[1][axis])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }

    #[test]
    fn a_z_order_is_that_of_interleaved_bits() {
        let interleaved = |x: u64, y: u64| {
            (0..8)
                .map(|bit| (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1))
                .sum::<u64>()
        };
        let grid = [7, 11, 1, 1, 1, 1];
        let numbers = (0..77).map(|id| BlockOrder::ZOrder.position(id, grid));
        let numbers: Vec<u64> = numbers.map(|at| interleaved(at[0], at[1])).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
    }
}
