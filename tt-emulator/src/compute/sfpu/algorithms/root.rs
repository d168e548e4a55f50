//! √x and 1 / √x: a guess by integer arithmetic, refined.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

const INFINITY: u32 = 0x7f80_0000;

/// The reciprocal root, not yet refined.
fn guess(x: &Lanes, magic: u32) -> Lanes {
    Lanes::all(magic).isub(x.shift(-1))
}

/// √x.
pub fn sqrt(unit: &Unit, x: &Lanes) -> Lanes {
    let root = if unit.approximate {
        let y = guess(x, 0x5f0b_3892);
        let c = unit.mul(x, &y);
        let t = unit.mad(y.neg(), &c, 1.890_990_1);
        c.select(x.same(INFINITY), unit.mul(&c, t))
    } else {
        let (root, y) = of_positive_with_guess(unit, x);
        root.select(x.iless(INFINITY), y)
    };
    let root = Lanes::all(f32::NAN).select(x.negative(), root);
    unit.rounded(x.select(x.set_sign(false).is_zero(), root))
}

/// √x of positive finite values, and 1 / √x a step before.
fn of_positive_with_guess(unit: &Unit, x: &Lanes) -> (Lanes, Lanes) {
    let y = refined(unit, x);
    let xy = unit.mul(x, &y);
    let error = unit.rest(y.neg(), &xy, 1.0);
    let half = unit.mul(0.5, &xy);
    (unit.mad(error, half, xy), y)
}

/// √x of positive finite values.
pub fn of_positive(unit: &Unit, x: &Lanes) -> Lanes {
    of_positive_with_guess(unit, x).0
}

/// One step of third order from the guess.
fn refined(unit: &Unit, x: &Lanes) -> Lanes {
    let y = guess(x, 0x5f11_10a0);
    let xy = unit.mul(x, &y);
    let c = unit.mul(y.neg(), xy);
    let sum = unit.add(2.253_305, &c);
    let factor = unit.mad(c, sum, 2.282_518_6);
    unit.mul(y, factor)
}

/// 1 / √x.
pub fn rsqrt(unit: &Unit, x: &Lanes) -> Lanes {
    let y = if unit.approximate {
        let y = guess(x, 0x5f0b_3892);
        let c = unit.mul(x, &y);
        let t = unit.mad(y.neg(), c, 1.890_990_1);
        unit.mul(y, t)
    } else {
        let y = refined(unit, x);
        let xy = unit.mul(x, &y);
        let error = unit.rest(y.neg(), xy, 1.0);
        unit.mad(error, y.add_to_exponent(-1), &y)
    };
    let y = Lanes::all(f32::NAN).select(x.negative(), y);
    // Infinity of zero, zero of infinity.
    let from_infinity = Lanes::all(INFINITY).isub(x);
    let ordinary = from_infinity.is_nonzero().and(x.set_sign(false).is_nonzero());
    unit.rounded(y.select(ordinary, from_infinity))
}

/// √x by two steps from a shorter guess, as other functions take it.
pub fn short(unit: &Unit, x: &Lanes) -> Lanes {
    let negative_half = unit.mul(x, -0.5);
    let mut y = guess(x, 0x5f37_0000);
    for _ in 0..2 {
        let factor = unit.mad(unit.mul(&y, &y), &negative_half, 1.5);
        y = unit.mul(factor, y);
    }
    let finite = x.biased_exponent().iless(255);
    unit.mul(y, x).select(x.is_nonzero().and(finite), x)
}

/// ∛x: the exponent divided by real arithmetic on the bits, then a polynomial.
pub fn cbrt(unit: &Unit, x: &Lanes) -> Lanes {
    const NEGATIVE_THIRD_256: u32 = 0xbaaa_aaab;
    const GUESS: f32 = 1.418_472_3e+9 / 256.0 + 8_388_608.0;
    let (constant, linear, square) = (
        f32::from_bits(0x3fe0_4c03),
        f32::from_bits(0xbfa0_1f36),
        f32::from_bits(0x3f02_66d9),
    );
    let a = x.abs();
    let y = unit.mad(a.to_real(), NEGATIVE_THIRD_256, GUESS).shift(8);
    if unit.wide {
        let c = unit.mul(unit.mul(&a, &y), unit.mul(&y, &y));
        let factor = unit.mad(&c, unit.mad(square, &c, linear), constant);
        let y = unit.mul(y, factor);
        let d = unit.mul(&a, unit.mul(&y, &y));
        let c = unit.mad(&d, &y, -1.0);
        let t = unit.mad(c, Lanes::all(NEGATIVE_THIRD_256).add_to_exponent(8), 1.0);
        return unit.mul(d.copy_sign(x), unit.mul(&t, &t));
    }
    let d = unit.mul(&a, unit.mul(&y, &y));
    let c = unit.mul(&d, &y);
    let t = unit.mad(&c, unit.mad(square, &c, linear), constant);
    unit.mul(d.copy_sign(x), unit.mul(&t, &t)).to_bf16()
}
