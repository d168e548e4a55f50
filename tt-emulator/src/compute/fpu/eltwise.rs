//! Element-wise operations of the matrix engine, with the device's own arithmetic.

use super::datapath;
use crate::compute::rounding::{EXPONENT, SIGN, flush_keeping_sign, nan_to_infinity};
use crate::compute::tile::Tile;
use crate::compute::vector::vectorised;

/// An element-wise operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Binary {
    /// SrcA · SrcB, always added to the destination.
    Mul = 0,
    /// SrcA + SrcB.
    Add = 2,
    /// SrcA − SrcB.
    Sub = 3,
}

impl Binary {
    /// The operation with LLK's id.
    pub fn from_id(id: u32) -> Option<Binary> {
        [Binary::Mul, Binary::Add, Binary::Sub]
            .into_iter()
            .find(|op| *op as u32 == id)
    }
}

vectorised! {
    fn sum(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, wide: bool) {
        for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
            *to = f32::from_bits(datapath::add(a.to_bits(), b.to_bits() ^ flip, None, wide));
        }
    }
}

vectorised! {
    fn sum_onto(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, wide: bool) {
        for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
            *to = f32::from_bits(datapath::add(a.to_bits(), b.to_bits() ^ flip, Some(to.to_bits()), wide));
        }
    }
}

vectorised! {
    fn product_onto(destination: &mut Tile, a: &Tile, b: &Tile, phases: u32, wide: bool) {
        for phase in 0..phases {
            for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
                *to = f32::from_bits(datapath::multiply_phase(a.to_bits(), b.to_bits(), to.to_bits(), phase, wide));
            }
        }
    }
}

/// `a op b` over the destination. With `accumulate` (which multiplication always does) the result is added to it.
pub fn binary(destination: &mut Tile, op: Binary, a: &Tile, b: &Tile, phases: u32, accumulate: bool, wide: bool) {
    let flip = if op == Binary::Sub { SIGN } else { 0 };
    match (op, accumulate) {
        (Binary::Mul, _) => product_onto(destination, a, b, phases, wide),
        (_, false) => sum(destination, a, b, flip, wide),
        (_, true) => sum_onto(destination, a, b, flip, wide),
    }
}

vectorised! {
    /// A source into the destination. A 32-bit destination is reached through the adder, which knows neither NaN nor
    /// negative zero; a 16-bit one gets the bits, and a NaN there packs and computes as the infinity of its sign.
    pub fn copy(destination: &mut Tile, source: &Tile, wide: bool) {
        for (to, from) in destination.0.iter_mut().zip(&source.0) {
            let bits = nan_to_infinity(from.to_bits());
            let zero = bits & EXPONENT == 0;
            *to = f32::from_bits(if zero && wide { 0 } else { flush_keeping_sign(bits) });
        }
    }
}

vectorised! {
    /// What a source register keeps of a destination register that is moved into it.
    pub fn destination_as_source(destination: &Tile, mask: u32, out: &mut Tile) {
        for (to, from) in out.0.iter_mut().zip(&destination.0) {
            *to = f32::from_bits(flush_keeping_sign(from.to_bits() & mask));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::TILE;

    fn bf16(seed: u32) -> Tile {
        let mut state = seed;
        let mut tile = Tile::zero();
        for value in &mut tile.0 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            *value = f32::from_bits((((state >> 9) as f32 / (1 << 22) as f32 - 1.0) * 4.0).to_bits() & 0xffff_0000);
        }
        tile
    }

    fn check(op: Binary, wide: bool, accumulate: bool, relative: f64, exact: impl Fn(f64, f64, f64) -> f64) {
        let (a, b, start) = (bf16(1), bf16(2), bf16(3));
        let mut destination = start.clone();
        binary(&mut destination, op, &a, &b, 4, accumulate, wide);
        for i in 0..TILE {
            let (x, y, z) = (f64::from(a.0[i]), f64::from(b.0[i]), f64::from(start.0[i]));
            let error = (f64::from(destination.0[i]) - exact(x, y, z)).abs();
            let scale = x.abs() + y.abs() + z.abs() + (x * y).abs();
            assert!(
                error <= relative * scale,
                "{op:?} wide {wide}: {x} {y} {z} -> {}",
                destination.0[i]
            );
        }
    }

    #[test]
    fn sums_differences_and_products_are_right_to_their_format() {
        for (wide, relative) in [(true, 1.0 / 1024.0), (false, 3.0 / 256.0)] {
            check(Binary::Add, wide, false, relative, |x, y, _| x + y);
            check(Binary::Sub, wide, false, relative, |x, y, _| x - y);
            check(Binary::Add, wide, true, relative, |x, y, z| x + y + z);
            check(Binary::Mul, wide, true, relative, |x, y, z| x * y + z);
        }
    }

    #[test]
    fn low_fidelity_multiplies_fewer_bits() {
        let (a, b) = (bf16(4), bf16(5));
        let mut worst = [0f64; 2];
        for (worst, phases) in worst.iter_mut().zip([1, 4]) {
            let mut destination = Tile::zero();
            binary(&mut destination, Binary::Mul, &a, &b, phases, true, true);
            for i in 0..TILE {
                let exact = f64::from(a.0[i]) * f64::from(b.0[i]);
                *worst = worst.max((f64::from(destination.0[i]) - exact).abs() / exact.abs().max(1e-30));
            }
        }
        assert!(
            worst[0] > 0.05 && worst[0] < 1.0 / 16.0 + 1.0 / 64.0,
            "five bits of a, seven of b: {worst:?}"
        );
        assert_eq!(worst[1], 0.0, "bf16 products are exact in all phases");
    }

    #[test]
    fn copies_know_neither_nan_nor_denormals() {
        let mut source = Tile::zero();
        source.0[..3].copy_from_slice(&[f32::NAN, -0.0, f32::from_bits(0x8000_0001)]);
        let mut destination = Tile::zero();
        copy(&mut destination, &source, true);
        assert_eq!(
            destination.0[..3].iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
            [EXPONENT, 0, 0]
        );
        copy(&mut destination, &source, false);
        assert_eq!(
            destination.0[..3].iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
            [EXPONENT, SIGN, SIGN]
        );
    }
}
