//! The vector unit: operations on destination registers in place.

#[cfg(test)]
mod accuracy;
mod algorithms;
#[cfg(test)]
mod behaviour;
pub mod cases;
pub mod fold;
mod lanes;
pub mod measure;
mod multiply_add;
pub mod run;
mod series;
pub mod table;
pub mod tables;
#[cfg(test)]
mod trial;
pub mod unit;

use crate::compute::tile::FACE;

/// Values of a face.
pub type Face = [f32; FACE];
