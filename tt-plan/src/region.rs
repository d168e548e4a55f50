//! Where in a tensor blocks lie, and in which banks of DRAM. Pages are tiles, row by row, and go round the banks.

use serde::{Deserialize, Serialize};
use tt_device::TILE;

/// The part of a tensor that a block moves at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockRegion {
    /// How much further it begins in other blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Rows and columns of tiles.
    pub tiles: [u32; 2],
}

/// How much further a region begins along an axis of its tensor for each block along an axis of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The axis of the tensor, from 0.
    pub at: usize,
    /// The axis of the grid, from 0.
    pub along: usize,
    /// Elements.
    pub elements: i64,
}

impl BlockRegion {
    /// The page that a block begins with, in a tensor of these extents.
    pub(crate) fn first_page(&self, extents: &[i64], block: [u64; 6], grid: [u64; 6]) -> i64 {
        let mut page = 0i64;
        for (axis, extent) in extents.iter().enumerate() {
            let of_axis = self.steps.iter().filter(|step| step.at == axis);
            let first = of_axis.map(|step| {
                let at = block.get(step.along).zip(grid.get(step.along));
                // It goes along with the last one there is.
                let at = at.map_or(0, |(at, extent)| (*at).min(extent.saturating_sub(1)));
                step.elements.wrapping_mul(at as i64)
            });
            let tile = tile_along(axis, extents.len());
            let first = first.fold(0i64, i64::wrapping_add).div_euclid(tile);
            page = page.wrapping_mul(tiles_in(*extent, tile)).wrapping_add(first);
        }
        page
    }

    /// How many of its pages are in each bank, of regions that begin with these pages, in a tensor of these extents.
    pub(crate) fn in_banks(&self, extents: &[i64], firsts: impl Iterator<Item = i64>, banks: usize) -> Vec<u64> {
        let pitch = extents.last().map_or(1, |extent| tiles_in(*extent, TILE));
        // How many rows of tiles begin in each.
        let mut begun = vec![0u64; banks];
        for page in firsts {
            for row in 0..i64::from(self.tiles[0]).min(banks as i64) {
                let bank = page.wrapping_add(pitch.wrapping_mul(row)).rem_euclid(banks as i64);
                begun[bank as usize] += 1;
            }
        }
        let columns = self.tiles[1] as usize;
        let (all_round, rest) = (columns / banks, columns % banks);
        let rows: u64 = begun.iter().sum();
        let of_bank = |bank: usize| {
            let before = (0..rest).map(|column| begun[(bank + banks - column) % banks]);
            all_round as u64 * rows + before.sum::<u64>()
        };
        (0..banks).map(of_bank).collect()
    }
}

/// Elements of a tile along an axis of a tensor of so many.
fn tile_along(axis: usize, rank: usize) -> i64 {
    if axis + 2 < rank { 1 } else { TILE }
}

fn tiles_in(extent: i64, tile: i64) -> i64 {
    extent.saturating_add(tile - 1) / tile
}

/// The part of all pages that is in the bank which has most of them.
pub(crate) fn busiest(pages: &[u64]) -> f64 {
    let (most, all) = (pages.iter().max(), pages.iter().sum::<u64>());
    most.map_or(0.0, |most| *most as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 64 × 96 elements, along the last two axes of a tensor of matrices.
    fn region() -> BlockRegion {
        let step = |at, along, elements| Step { at, along, elements };
        BlockRegion {
            steps: vec![step(0, 2, 1), step(1, 1, 64), step(2, 0, 96)],
            tiles: [2, 3],
        }
    }

    #[test]
    fn pages_are_tiles_row_by_row() {
        // 5 rows of 7 tiles; the last ones are not full.
        let extents = [3, 150, 220];
        let first = |x, y, z| region().first_page(&extents, [x, y, z, 0, 0, 0], [3, 3, 2, 1, 1, 1]);
        assert_eq!(first(0, 0, 0), 0);
        assert_eq!(first(1, 0, 0), 3);
        assert_eq!(first(0, 2, 0), 28);
        assert_eq!(first(2, 1, 1), 35 + 14 + 6);
        // The grid has two blocks along its third axis.
        assert_eq!(first(0, 0, 2), 35);
    }

    #[test]
    fn a_row_of_a_multiple_of_the_banks_lays_columns_in_one() {
        // Pages 0 to 2 and 8 to 10, 3 to 5 and 11 to 13.
        let pages =
            |columns: i64, firsts: &[i64], banks| region().in_banks(&[1, 64, columns], firsts.iter().copied(), banks);
        assert_eq!(pages(256, &[0, 3], 8), [2, 2, 2, 2, 2, 2, 0, 0]);
        assert_eq!(pages(256, &[0, 0], 4), [4, 4, 4, 0]);
        // A page further on in each row.
        assert_eq!(pages(288, &[0], 8), [1, 2, 2, 1, 0, 0, 0, 0]);
        // Wider than the banks are many: one of each, and the rest once more.
        assert_eq!(pages(256, &[0], 2), [4, 2]);
        assert_eq!(pages(288, &[0], 2), [3, 3]);
    }

    #[test]
    fn the_busiest_bank_has_its_part_of_all() {
        assert_eq!(busiest(&[1, 3, 0, 0]), 0.75);
        assert_eq!(busiest(&[0, 0]), 0.0);
    }
}
