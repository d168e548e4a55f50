//! The vector unit: operations on destination registers in place.

#[cfg(test)]
mod accuracy;
mod algorithms;
mod lanes;
mod multiply_add;
pub mod run;
pub mod table;
pub mod unit;

use crate::compute::tile::FACE;

/// Values of a face.
pub type Face = [f32; FACE];
