//! A tile as the compute engines hold it: 32×32 values of 32 bits, in the face order of the hardware.
//!
//! Faces are 16×16 and lie top left, top right, bottom left, bottom right, each row-major. Keeping this order everywhere
//! makes packing and unpacking linear, and a row of a face is exactly one 512-bit vector.

/// Elements of a tile.
pub const TILE: usize = 1024;
/// Elements of a face.
pub const FACE: usize = 256;
/// Rows, and columns, of a face.
pub const SIDE: usize = 16;

/// 1024 values in face order. Integer formats keep their bits in the same storage.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Tile(pub [f32; TILE]);

impl Tile {
    /// A tile of zeros.
    pub const fn zero() -> Tile {
        Tile([0.0; TILE])
    }

    /// Sets every element to +0.
    pub fn clear(&mut self) {
        self.0.fill(0.0);
    }

    /// The face in row `row` and column `column` of the 2×2 faces.
    pub fn face(&self, row: usize, column: usize) -> &[f32] {
        &self.0[(row * 2 + column) * FACE..][..FACE]
    }
}

/// The upper halves of 1024 values in face order: of values of bf16 all that there is, as a page has them.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Patterns(pub [u16; TILE]);

impl Patterns {
    /// Those of zeros.
    pub const ZERO: Patterns = Patterns([0; TILE]);

    /// The values that they are of.
    pub fn widen(&self, tile: &mut Tile) {
        for (to, pattern) in tile.0.iter_mut().zip(&self.0) {
            *to = f32::from_bits(u32::from(*pattern) << 16);
        }
    }

    /// Stores them as a page has them.
    pub fn store(&self, page: &mut [u8]) {
        for (bytes, pattern) in page.as_chunks_mut::<2>().0.iter_mut().zip(&self.0) {
            *bytes = pattern.to_le_bytes();
        }
    }
}

/// Where the element of tile row `row` and column `column` lies.
pub const fn position(row: usize, column: usize) -> usize {
    ((row / SIDE) * 2 + column / SIDE) * FACE + (row % SIDE) * SIDE + column % SIDE
}
