//! How a tile is laid out: four faces, top left, top right, bottom left, bottom right, each row by row.

/// Rows and columns of a tile.
pub const TILE_SIDE: u32 = 32;

/// Rows and columns of a face.
pub const FACE_SIDE: u32 = 16;

/// Elements of a tile.
pub const TILE_ELEMENTS: u32 = TILE_SIDE * TILE_SIDE;

/// Elements of a face.
pub const FACE_ELEMENTS: u32 = FACE_SIDE * FACE_SIDE;
