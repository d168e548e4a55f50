//! Math fidelity: which bits of the sources are multiplied, in how many products.
//!
//! The multipliers take 5 significant bits of SrcA and 7 of SrcB per phase. LoFi runs phase 0 (high · high), HiFi2 adds
//! phase 1 (low A · high B), HiFi3 phase 2 (high A · low B), HiFi4 phase 3 (low · low). Into a 32-bit destination the
//! phases of one pass add up without rounding in between, so neighbouring phases merge: HiFi2 is one product of all of A
//! with the high part of B, HiFi4 one product of everything, and so, for bf16 numbers, is HiFi3, from which what it [leaves
//! out](super::left_out) is taken away. Into a 16-bit destination each phase is a product of its own.

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
    /// The bits of the source that the first part leaves out.
    Rest,
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
    /// Whether some product uses the rest of A.
    pub rest_a: bool,
    /// Whether some product uses the rest of B.
    pub rest_b: bool,
    /// Whether the products hold that of the low parts, which no phase forms.
    pub leaves_out: bool,
}

/// The parts of an operand as bits of an `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// What the first part keeps.
    pub first: Mask,
    /// Whether some product uses the rest.
    pub rest: bool,
}

use Part::{First, Rest};
const HIGH_HIGH: Product = Product { a: First, b: First };
const LOW_HIGH: Product = Product { a: Rest, b: First };
const HIGH_LOW: Product = Product { a: First, b: Rest };
const LOW_LOW: Product = Product { a: Rest, b: Rest };
/// Products of the highest fidelity.
pub const MOST_PRODUCTS: usize = 4;
const PHASES: [Product; MOST_PRODUCTS] = [HIGH_HIGH, LOW_HIGH, HIGH_LOW, LOW_LOW];

impl Plan {
    /// The plan of a fidelity, for a 32-bit (`wide`) or 16-bit destination; `are_bf16` where neither source keeps more than bf16 has.
    pub fn of(fidelity: MathFidelity, wide: bool, are_bf16: bool) -> Plan {
        let one = |first_a, first_b| Plan {
            first_a,
            first_b,
            products: &PHASES[..1],
            rest_a: false,
            rest_b: false,
            leaves_out: false,
        };
        let whole = one(Keep::AllA, Keep::Tf32);
        match fidelity {
            MathFidelity::LoFi if wide => one(Keep::HighA, Keep::HighB),
            MathFidelity::HiFi2 if wide => one(Keep::AllA, Keep::HighB),
            MathFidelity::HiFi3 if wide && are_bf16 => Plan {
                leaves_out: true,
                ..whole
            },
            MathFidelity::HiFi4 if wide => whole,
            _ => {
                let phases = phase_count(fidelity);
                Plan {
                    products: &PHASES[..phases as usize],
                    rest_a: phases > 1,
                    rest_b: phases > 2,
                    ..one(Keep::HighA, Keep::HighB)
                }
            }
        }
    }

    /// The parts of an A of which the source keeps so much.
    pub fn cut_a(&self, keep: Keep) -> Cut {
        Cut {
            first: keep.and(self.first_a),
            rest: self.rest_a,
        }
    }

    /// As [`cut_a`](Plan::cut_a), of a B.
    pub fn cut_b(&self, keep: Keep) -> Cut {
        Cut {
            first: keep.and(self.first_b),
            rest: self.rest_b,
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
        for (fidelity, narrow, wide, wide_of_bf16) in [
            (MathFidelity::LoFi, 1, 1, 1),
            (MathFidelity::HiFi2, 2, 1, 1),
            (MathFidelity::HiFi3, 3, 3, 1),
            (MathFidelity::HiFi4, 4, 1, 1),
        ] {
            for are_bf16 in [false, true] {
                assert_eq!(Plan::of(fidelity, false, are_bf16).products.len(), narrow);
            }
            assert_eq!(Plan::of(fidelity, true, false).products.len(), wide);
            let plan = Plan::of(fidelity, true, true);
            assert_eq!(plan.products.len(), wide_of_bf16);
            assert_eq!(plan.leaves_out, fidelity == MathFidelity::HiFi3);
        }
    }
}
