//! Tiles against rows: where the elements of a tile lie in a row-major block.
//!
//! A row-major block of `width` tiles has rows of `32 · width` elements. A tile is 64 runs of 16 elements: a run is a row
//! of a face, contiguous on both sides.

use super::tile::{FACE, SIDE};

/// Byte offsets of every run: in the tile, and in a row-major block of `width` tiles for its tile `column`.
fn runs(element: usize, width: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..64).map(move |run| {
        let (face, r) = (run / SIDE, run % SIDE);
        let (row, first) = (face / 2 * SIDE + r, column * 32 + face % 2 * SIDE);
        ((face * FACE + r * SIDE) * element, (row * width * 32 + first) * element)
    })
}

/// Copies tile `column` out of a row-major block.
pub fn gather(block: &[u8], element: usize, width: usize, column: usize, tile: &mut [u8]) {
    for (to, from) in runs(element, width, column) {
        tile[to..to + SIDE * element].copy_from_slice(&block[from..from + SIDE * element]);
    }
}

/// Copies a tile to its place in a row-major block.
pub fn scatter(tile: &[u8], element: usize, width: usize, column: usize, block: &mut [u8]) {
    for (from, to) in runs(element, width, column) {
        block[to..to + SIDE * element].copy_from_slice(&tile[from..from + SIDE * element]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::position;

    #[test]
    fn gathering_and_scattering_are_inverse_and_put_rows_into_faces() {
        let block: Vec<u8> = (0..32 * 96u32).flat_map(|i| (i as u16).to_le_bytes()).collect();
        let mut back = vec![0u8; block.len()];
        for column in 0..3 {
            let mut tile = vec![0u8; 2048];
            gather(&block, 2, 3, column, &mut tile);
            let at = position(17, 5) * 2;
            let value = u16::from_le_bytes([tile[at], tile[at + 1]]);
            assert_eq!(usize::from(value), 17 * 96 + column * 32 + 5);
            scatter(&tile, 2, 3, column, &mut back);
        }
        assert_eq!(back, block);
    }
}
