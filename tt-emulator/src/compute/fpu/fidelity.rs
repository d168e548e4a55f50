//! Math fidelity: which bits of the sources are multiplied, in how many products.
//!
//! The multipliers take 5 significant bits of SrcA and 7 of SrcB per phase. LoFi runs phase 0 (high · high), HiFi2 adds
//! phase 1 (low A · high B), HiFi3 phase 2 (high A · low B), HiFi4 phase 3 (low · low). Into a 32-bit destination the
//! phases of one pass add up without rounding in between, so neighbouring phases merge: HiFi2 is one product of all of A
//! with the high part of B, HiFi4 one product of everything. Into a 16-bit destination each phase is a product of its own.

use crate::compute::rounding::flush_to_zero;
use crate::compute::tile::Tile;
use crate::compute::unpack::{Keep, Mask};
use crate::compute::vector::vectorised;
use crate::kernel_config::MathFidelity;

/// A part of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the plan's `first_a` or `first_b` keeps.
    First,
    /// The other part of the plan.
    Second,
}

/// One product over a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Part of SrcA.
    pub a: Part,
    /// Part of SrcB.
    pub b: Part,
}

/// How a fidelity is computed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What the first part of A keeps.
    pub first_a: Keep,
    /// What the first part of B keeps.
    pub first_b: Keep,
    /// The products, in order.
    pub products: &'static [Product],
    /// The second part of A, if any product uses it.
    pub second_a: Option<Second>,
    /// The second part of B, if any product uses it.
    pub second_b: Option<Second>,
}

/// What a second part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// The bits of the source that the first part leaves out.
    Rest,
    /// The high part, where the first part is everything. Of A only.
    High,
}

/// The parts of an operand as bits of an `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// What the first part keeps.
    pub first: Mask,
    /// The second part, if any product uses it.
    pub second: Option<Second>,
    /// What the second part keeps where it is [`Second::High`].
    pub high: Mask,
}

use Part::{First, Second as Other};
const HIGH_HIGH: Product = Product { a: First, b: First };
const LOW_HIGH: Product = Product { a: Other, b: First };
const HIGH_LOW: Product = Product { a: First, b: Other };
const LOW_LOW: Product = Product { a: Other, b: Other };
/// Products of the highest fidelity.
pub const MOST_PRODUCTS: usize = 4;
const PHASES: [Product; MOST_PRODUCTS] = [HIGH_HIGH, LOW_HIGH, HIGH_LOW, LOW_LOW];

impl Plan {
    /// The plan of a fidelity, for a 32-bit (`wide`) or 16-bit destination.
    pub fn of(fidelity: MathFidelity, wide: bool) -> Plan {
        let phases = phase_count(fidelity);
        if !wide {
            return Plan {
                first_a: Keep::HighA,
                first_b: Keep::HighB,
                products: &PHASES[..phases as usize],
                second_a: (phases > 1).then_some(Second::Rest),
                second_b: (phases > 2).then_some(Second::Rest),
            };
        }
        let one = |first_a, first_b| Plan {
            first_a,
            first_b,
            products: &PHASES[..1],
            second_a: None,
            second_b: None,
        };
        match fidelity {
            MathFidelity::LoFi => one(Keep::HighA, Keep::HighB),
            MathFidelity::HiFi2 => one(Keep::AllA, Keep::HighB),
            MathFidelity::HiFi3 => Plan {
                products: &[HIGH_HIGH, LOW_LOW],
                second_a: Some(Second::High),
                second_b: Some(Second::Rest),
                ..one(Keep::AllA, Keep::HighB)
            },
            MathFidelity::HiFi4 => one(Keep::AllA, Keep::Tf32),
        }
    }

    /// The parts of an A of which the source keeps so much.
    pub fn cut_a(&self, keep: Keep) -> Cut {
        Cut {
            first: keep.and(self.first_a),
            second: self.second_a,
            high: keep.and(Keep::HighA),
        }
    }

    /// As [`cut_a`](Plan::cut_a), of a B.
    pub fn cut_b(&self, keep: Keep) -> Cut {
        Cut {
            first: keep.and(self.first_b),
            second: self.second_b,
            high: keep.and(Keep::HighB),
        }
    }
}

/// Phases that the device runs.
pub fn phase_count(fidelity: MathFidelity) -> u32 {
    match fidelity {
        MathFidelity::LoFi => 1,
        MathFidelity::HiFi2 => 2,
        MathFidelity::HiFi3 => 3,
        MathFidelity::HiFi4 => 4,
    }
}

vectorised! {
    /// Cuts a whole source to its first part, the bits of `first`; `second` gets what that leaves out, as values. `keep` are the
    /// bits that any phase sees.
    pub fn split(whole: &mut Tile, keep: u32, first: u32, second: &mut Tile) {
        for (whole, second) in whole.0.iter_mut().zip(&mut second.0) {
            let bits = whole.to_bits();
            let cut = f32::from_bits(bits & first);
            *second = f32::from_bits(flush_to_zero((f32::from_bits(bits & keep) - cut).to_bits()));
            *whole = cut;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_fidelity_runs_fewer_products() {
        for (fidelity, narrow, wide) in [
            (MathFidelity::LoFi, 1, 1),
            (MathFidelity::HiFi2, 2, 1),
            (MathFidelity::HiFi3, 3, 2),
            (MathFidelity::HiFi4, 4, 1),
        ] {
            assert_eq!(Plan::of(fidelity, false).products.len(), narrow);
            assert_eq!(Plan::of(fidelity, true).products.len(), wide);
        }
    }
}
