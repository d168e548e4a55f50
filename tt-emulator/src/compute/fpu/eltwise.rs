//! Element-wise operations of the matrix engine, with the device's own arithmetic.

use super::datapath;
use crate::compute::rounding::{EXPONENT, SIGN, flush_keeping_sign, flush_to_zero, nan_to_infinity, to_bf16_away};
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

/// From this exponent on, sums go through the device's adder step by step.
const HIGH_EXPONENT: u32 = 240 << 23;
/// Below this exponent, products go through the device's multiplier phase by phase.
const LOW_EXPONENT: u32 = 14 << 23;

vectorised! {
    /// What [`datapath::add`] gives without a destination, by way of `f32`: the smaller operand is rounded to the grid of the
    /// larger one's eleven bits (by adding and subtracting a power of two; a little is added first, so that halves go up),
    /// then the sum is exact. False, and an undefined destination, where an exponent is too large for that.
    fn sum(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, wide: bool) -> bool {
        let mut most = 0;
        for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
            let (a, b) = (flush_to_zero(a.to_bits()), flush_to_zero(b.to_bits()) ^ flip);
            let swap = (a & !SIGN) < (b & !SIGN);
            let (large, small) = if swap { (b, a) } else { (a, b) };
            most = most.max(large & EXPONENT);
            let grid = f32::from_bits(large & EXPONENT) * 8192.0;
            let magnitude = (f32::from_bits(small & !SIGN) * (1.0 + 1.0 / 4096.0) + grid) - grid;
            let sum = (f32::from_bits(large) + f32::from_bits(magnitude.to_bits() | (small & SIGN))).to_bits();
            *to = f32::from_bits(flush_to_zero(if wide { sum } else { to_bf16_away(sum) }));
        }
        most < HIGH_EXPONENT
    }
}

vectorised! {
    fn sum_of_any(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, wide: bool) {
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
    /// All phases of a product into an empty 32-bit destination, where they add up without rounding. False, and an undefined
    /// destination, where a phase would leave the range of exponents.
    fn product(destination: &mut Tile, a: &Tile, b: &Tile) -> bool {
        let (mut least, mut most) = (u32::MAX, 0);
        for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
            let zero = a.to_bits() & EXPONENT == 0 || b.to_bits() & EXPONENT == 0;
            // No phase sees the eleventh bit of A.
            let bits = (f32::from_bits(a.to_bits() & 0xffff_c000) * *b).to_bits();
            let magnitude = bits & !SIGN;
            least = least.min(if zero { u32::MAX } else { magnitude });
            most = most.max(if zero { 0 } else { magnitude }).max(a.to_bits() & EXPONENT).max(b.to_bits() & EXPONENT);
            *to = f32::from_bits(if zero { 0 } else { bits });
        }
        least >= LOW_EXPONENT && most < HIGH_EXPONENT
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

/// How an element-wise operation treats the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// It is overwritten.
    Nothing,
    /// It is added to; it was not written in this acquire, so it holds zeros.
    Zeros,
    /// It is added to.
    Values,
}

/// `a op b` over the destination.
pub fn binary(destination: &mut Tile, op: Binary, a: &Tile, b: &Tile, phases: u32, onto: Onto, wide: bool) {
    let flip = if op == Binary::Sub { SIGN } else { 0 };
    match (op, onto) {
        (Binary::Mul, _) => {
            if wide && phases == 4 && onto != Onto::Values {
                if product(destination, a, b) {
                    return;
                }
                destination.clear();
            }
            product_onto(destination, a, b, phases, wide);
        }
        (_, Onto::Nothing) => {
            if !sum(destination, a, b, flip, wide) {
                sum_of_any(destination, a, b, flip, wide);
            }
        }
        (_, Onto::Zeros | Onto::Values) => sum_onto(destination, a, b, flip, wide),
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
        let onto = if accumulate { Onto::Values } else { Onto::Nothing };
        binary(&mut destination, op, &a, &b, 4, onto, wide);
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
            binary(&mut destination, Binary::Mul, &a, &b, phases, Onto::Zeros, true);
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

    /// Source values of every exponent, with up to 11 significant bits, in pairs that lie near each other, and zeros.
    fn pairs(seed: u32, exponents: std::ops::Range<u32>) -> (Tile, Tile) {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state >> 7
        };
        let (mut a, mut b) = (Tile::zero(), Tile::zero());
        for i in 0..TILE {
            let exponent = exponents.start + next() % (exponents.end - exponents.start);
            let other = (exponent + next() % 17).saturating_sub(8).clamp(exponents.start, exponents.end - 1);
            let mut value = |exponent: u32| f32::from_bits(((next() & 1) << 31) | (exponent << 23) | ((next() & 0x3ff) << 13));
            a.0[i] = value(exponent);
            b.0[i] = if i % 61 == 0 { -a.0[i] } else { value(other) };
        }
        (a, b)
    }

    #[test]
    fn the_fast_paths_give_the_bits_of_the_datapath() {
        for (seed, exponents) in [(1, 100..150), (2, 1..40), (3, 0..30), (4, 200..256), (5, 0..256), (6, 120..131)] {
            let (a, b) = pairs(seed, exponents);
            for wide in [true, false] {
                for (op, flip) in [(Binary::Add, 0), (Binary::Sub, SIGN)] {
                    let mut destination = Tile::zero();
                    binary(&mut destination, op, &a, &b, 4, Onto::Nothing, wide);
                    for i in 0..TILE {
                        let (x, y) = (a.0[i].to_bits(), b.0[i].to_bits() ^ flip);
                        assert_eq!(destination.0[i].to_bits(), datapath::add(x, y, None, wide), "{x:x} {y:x} wide {wide}");
                    }
                }
                let mut destination = Tile::zero();
                binary(&mut destination, Binary::Mul, &a, &b, 4, Onto::Zeros, wide);
                for i in 0..TILE {
                    let (x, y) = (a.0[i].to_bits(), b.0[i].to_bits());
                    let exact = (0..4).fold(0, |d, phase| datapath::multiply_phase(x, y, d, phase, wide));
                    assert_eq!(destination.0[i].to_bits(), exact, "{x:x} {y:x} wide {wide}");
                }
            }
        }
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
