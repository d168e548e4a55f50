//! The vector unit: operations on destination registers in place.

#[cfg(test)]
mod accuracy;
pub mod binary;
pub mod real;
pub mod run;
pub mod table;
pub mod unary;

use crate::compute::tile::FACE;

/// Values of a face.
pub type Face = [f32; FACE];

/// Parameters of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Scalars {
    /// The words the call got; most are `f32` patterns.
    pub words: [u32; 3],
    /// Destination registers are 32 bits wide.
    pub wide: bool,
}

impl Scalars {
    /// A word as the `f32` pattern it is.
    #[inline(always)]
    pub fn real(&self, index: usize) -> f32 {
        f32::from_bits(self.words[index])
    }
}
