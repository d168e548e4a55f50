//! The vector unit as a call finds it: chip, width of the registers, parameters; and what it computes by multiply-add.

use super::Face;
use super::lanes::{Lanes, Operand, Room, Stores};
use super::multiply_add;
use super::series::series;
use crate::arch::ArchName;
use crate::compute::tile::FACE;

/// A vector unit and the parameters of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The chip.
    pub chip: ArchName,
    /// Destination registers are 32 bits wide.
    pub wide: bool,
    /// The kernel is built with approximate special functions.
    pub approximate: bool,
    /// The kernel defines `INP_FLOAT32`: functions that have polynomials of two lengths take the longer ones.
    pub input_f32: bool,
    /// Template parameters of the call.
    pub variant: u32,
    /// The words the call got; most are `f32` patterns.
    pub words: [u32; 3],
}

impl Unit {
    /// A word as the `f32` pattern it is.
    #[inline(always)]
    pub fn real(&self, index: usize) -> f32 {
        f32::from_bits(self.words[index])
    }

    /// Blackhole, whose instructions differ in places.
    pub fn is_blackhole(&self) -> bool {
        match self.chip {
            ArchName::WormholeB0 => false,
            ArchName::Blackhole => true,
        }
    }

    /// `a · b + c`.
    pub fn mad(&self, a: impl Operand, b: impl Operand, c: impl Operand) -> Lanes {
        let [of_a, of_b, of_c] = &mut [const { Room::uninit() }; 3];
        multiply_add::face(self.is_blackhole(), a.lanes(of_a), b.lanes(of_b), c.lanes(of_c))
    }

    /// `a · b + c`, which is sooner found where the terms all but cancel.
    pub fn rest(&self, a: impl Operand, b: impl Operand, c: impl Operand) -> Lanes {
        let [of_a, of_b, of_c] = &mut [const { Room::uninit() }; 3];
        multiply_add::rest(self.is_blackhole(), a.lanes(of_a), b.lanes(of_b), c.lanes(of_c))
    }

    /// `a · b`.
    pub fn mul(&self, a: impl Operand, b: impl Operand) -> Lanes {
        let [of_a, of_b] = &mut [const { Room::uninit() }; 2];
        multiply_add::product(self.is_blackhole(), a.lanes(of_a), b.lanes(of_b))
    }

    /// `a · b` as registers of 16 bits get it: rounded, and zero beside +0.
    pub fn short_mul(&self, a: &Lanes, b: &Lanes) -> Lanes {
        multiply_add::short_product(self.is_blackhole(), a, b)
    }

    /// `a + b`.
    pub fn add(&self, a: impl Operand, b: impl Operand) -> Lanes {
        let [of_a, of_b] = &mut [const { Room::uninit() }; 2];
        multiply_add::sum(self.is_blackhole(), a.lanes(of_a), b.lanes(of_b))
    }

    /// `a − b`.
    pub fn sub(&self, a: impl Operand, b: impl Operand) -> Lanes {
        let [of_a, of_b] = &mut [const { Room::uninit() }; 2];
        multiply_add::difference(self.is_blackhole(), a.lanes(of_a), b.lanes(of_b))
    }

    /// `a < b`, by the sign of the difference.
    pub fn less(&self, a: impl Operand, b: impl Operand) -> Lanes {
        self.mad(b, -1.0, a).negative()
    }

    /// `a > b`.
    pub fn greater(&self, a: impl Operand, b: impl Operand) -> Lanes {
        self.less(b, a)
    }

    /// `a ≥ b`.
    pub fn at_least(&self, a: impl Operand, b: impl Operand) -> Lanes {
        self.mad(b, -1.0, a).non_negative()
    }

    /// `a = b`: their difference is +0.
    pub fn equal(&self, a: impl Operand, b: impl Operand) -> Lanes {
        self.mad(b, -1.0, a).is_zero()
    }

    /// A polynomial by Horner's rule, the constant coefficient first.
    pub fn polynomial<const N: usize>(&self, x: &Lanes, coefficients: [f32; N]) -> Lanes {
        series(self.is_blackhole(), x, &coefficients)
    }

    /// Rounded to the nearest bf16 if the registers hold 16 bits.
    #[inline(always)]
    pub fn rounded(&self, x: Lanes) -> Lanes {
        if self.wide { x } else { x.to_bf16() }
    }

    /// Rounded to the nearest bf16, halves to even, by integer arithmetic, if the registers hold 16 bits.
    #[inline(always)]
    pub fn rounded_even(&self, x: Lanes) -> Lanes {
        if self.wide { x } else { x.to_bf16_even() }
    }

    /// Stored into a register and loaded again.
    pub fn through_register(&self, x: &Lanes) -> Lanes {
        let mut face: Face = [0.0; FACE];
        x.store(Stores::Reals, self.wide, &mut face);
        Lanes::of(&face).clone()
    }
}
