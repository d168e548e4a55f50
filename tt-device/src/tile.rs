//! How a tile is laid out: four faces, top left, top right, bottom left, bottom right, each row by row.

/// Rows and columns of a tile.
pub const TILE_SIDE: u32 = 32;

/// Rows and columns of a face.
pub const FACE_SIDE: u32 = 16;

/// [`TILE_SIDE`] among the integers of a kernel.
pub const TILE: i64 = TILE_SIDE as i64;

/// [`FACE_SIDE`] among the integers of a kernel.
pub const FACE: i64 = FACE_SIDE as i64;

/// Rows or columns of so many tiles.
pub const fn elements_along(tiles: u32) -> u64 {
    tiles as u64 * TILE_SIDE as u64
}

/// Tiles that hold so many rows or columns.
pub const fn tiles_along(elements: u64) -> u64 {
    elements.div_ceil(TILE_SIDE as u64)
}

/// Whole tiles among so many rows or columns.
pub const fn whole_tiles_along(elements: u64) -> u64 {
    elements / TILE_SIDE as u64
}

/// Whether so many rows or columns are those of whole tiles.
pub const fn are_whole_tiles(elements: u64) -> bool {
    elements.is_multiple_of(TILE_SIDE as u64)
}

/// Elements of a tile.
pub const TILE_ELEMENTS: u32 = TILE_SIDE * TILE_SIDE;

/// Elements of a face.
pub const FACE_ELEMENTS: u32 = FACE_SIDE * FACE_SIDE;
