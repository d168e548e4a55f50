//! Powers with any exponent.
//!
//! 16-bit registers take `exp_21f` of the exponent times a cubic logarithm; 32-bit ones a logarithm by the inverse hyperbolic
//! tangent's series and an exponential in two parts.

use super::exponential::exp_accurate;
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;
use std::f32::consts::{LN_2, LOG2_E};

/// 1.5 · 2^23: added and subtracted, it rounds to an integer.
const ROUND: f32 = 1.258_291_2e+7;

/// An integer in two's complement as a real number.
fn integer_as_real(value: &Lanes) -> Lanes {
    value.iabs().copy_sign(value).to_real()
}

/// The integer part of a value that is not negative, no larger than 2^31 − 1.
fn integer_part(x: &Lanes) -> Lanes {
    let exponent = x.exponent();
    let shifted = x.mantissa().shift(exponent.iadd(-23));
    let limited = Lanes::all(i32::MAX).select(exponent.iless(31).not(), shifted);
    Lanes::ZERO.select(exponent.negative(), limited)
}

/// 2^z for z above −127.
fn short_power_of_two(unit: &Unit, z: &Lanes) -> Lanes {
    const BIAS: f32 = 1_065_353_216.0;
    let low = Lanes::all(-127.0);
    let z = low.select(unit.less(z, &low), z);
    let fixed = integer_part(&unit.add(z.add_to_exponent(23), BIAS));
    let (exponent, fraction) = (fixed.exponent(), fixed.fraction());
    let second = unit.mul(4.019_611_3e-8, fraction.iadd(0xf9_4ee7).to_real());
    let third = fraction.iadd(0x560e).to_real();
    integer_part(&unit.mul(second, third)).set_exponent(exponent.iadd(127))
}

/// log₂ |x| by a cubic.
fn short_logarithm(unit: &Unit, x: &Lanes, scale: f32) -> Lanes {
    let series = unit.polynomial(
        &x.set_sign(false).set_exponent(127),
        [
            f32::from_bits(0xbfca_94c9),
            f32::from_bits(0x4013_d4e2),
            f32::from_bits(0xbf5e_712a),
            f32::from_bits(0x3e11_1cd0),
        ],
    );
    unit.mad(series, scale, integer_as_real(&x.exponent()))
}

/// With the sign that an odd exponent leaves to a negative base, and NaN where the exponent is no integer.
fn of_negative_base(unit: &Unit, y: Lanes, base: &Lanes, exponent: &Lanes) -> Lanes {
    let whole = exponent.to_signed_16();
    let signed = y.copy_sign(whole.shift(31));
    let signed = signed.select(unit.equal(whole.to_real(), exponent), f32::NAN);
    signed.select(base.negative(), y)
}

/// x^number.
pub fn power(unit: &Unit, x: &Lanes) -> Lanes {
    let exponent = Lanes::all(unit.real(0));
    let y = if unit.wide {
        let (high, low) = binary_exponent(unit, x, &exponent, LOG2_E, 1.003, 0.244);
        two_part_power_of_two(unit, &high, &low)
    } else {
        short_power_of_two(unit, &unit.mul(&exponent, short_logarithm(unit, x, LOG2_E)))
    };
    let y = of_negative_base(unit, y, x, &exponent);
    let zero = x.abs().is_zero();
    let y = if unit.real(0) < 0.0 {
        Lanes::all(f32::NAN).select(zero, y)
    } else if unit.real(0) > 0.0 {
        Lanes::ZERO.select(zero, y)
    } else {
        y
    };
    unit.rounded(y)
}

/// The exponent of two, in two parts: |x| = 2^e · m with m between √½ and √2, and ln m by artanh.
fn binary_exponent(
    unit: &Unit,
    x: &Lanes,
    exponent: &Lanes,
    inverse_ln_2: f32,
    constant: f32,
    slope: f32,
) -> (Lanes, Lanes) {
    const SPLIT: f32 = 4_097.0;
    let a = x.abs();
    let m = a.set_exponent(127);
    let large = unit.at_least(&m, 1.414_213_5);
    let m = m.add_to_exponent(-1).select(&large, m);
    let e = a.exponent().isub(large);

    let sum = unit.add(&m, 1.0);
    let mut reciprocal = unit.sub(constant, unit.mul(slope, &sum));
    for _ in 0..3 {
        let error = unit.sub(2.0, unit.mul(&sum, &reciprocal));
        reciprocal = unit.mul(reciprocal, error);
    }
    let z = unit.mul(unit.sub(m, 1.0), reciprocal);
    let series = unit.polynomial(
        &unit.mul(&z, &z),
        [1.0, 0.333_333_34, 0.2, 0.142_857_15, 0.111_111_11, 0.090_909_09],
    );
    let logarithm = unit.mul(2.0, unit.mul(z, series));

    let real = integer_as_real(&e);
    let product = unit.mul(exponent, SPLIT);
    let high = unit.sub(&product, unit.sub(&product, exponent));
    let low = unit.sub(exponent, &high);
    let fractional = unit.mul(exponent, unit.mul(logarithm, inverse_ln_2));
    (unit.mul(high, &real), unit.mad(low, &real, fractional))
}

/// The nearest integer as a real number and as an integer.
fn nearest(unit: &Unit, x: &Lanes) -> (Lanes, Lanes) {
    let sum = unit.add(x, ROUND);
    (unit.sub(&sum, ROUND), sum.isub(ROUND.to_bits()))
}

fn two_part_power_of_two(unit: &Unit, high: &Lanes, low: &Lanes) -> Lanes {
    let sum = unit.add(high, low);
    let error = unit.sub(low, unit.sub(&sum, high));
    let sum = sum.max(f32::from_bits(0xc2fd_ffff));
    let (k, whole) = nearest(unit, &sum);
    let f = unit.add(unit.sub(&sum, k), error);
    let r = unit.mad(&f, 0.693_359_4, unit.mul(&f, -2.121_944_4e-4));
    let p = unit.polynomial(
        &r,
        [
            1.0,
            1.0,
            0.5,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
        ],
    );
    let result = p.set_exponent(p.biased_exponent().iadd(whole));
    Lanes::all(f32::INFINITY).select(unit.at_least(&sum, 128.0), result)
}

/// x^y of two registers.
pub fn power_of(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    if unit.wide {
        wide_power_of(unit, x, y)
    } else {
        narrow_power_of(unit, x, y)
    }
}

fn narrow_power_of(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let value = short_power_of_two(unit, &unit.mul(y, short_logarithm(unit, x, 1.442_695)));
    let value = of_negative_base(unit, value, x, y);
    let of_zero = Lanes::all(f32::NAN).select(y.negative(), 0.0);
    let zero = x.set_sign(false).is_zero().and(y.is_nonzero());
    of_zero.select(zero, value).to_bf16()
}

fn wide_power_of(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let (high, low) = binary_exponent(unit, x, y, 1.442_695, 1.0, 0.242_640_69);
    let sum = unit.add(&high, &low);
    let error = unit.sub(low, unit.sub(&sum, high));
    let lowest = Lanes::all(-127.0);
    let below = unit.less(&sum, &lowest);
    let (sum, error) = (lowest.select(&below, sum), Lanes::ZERO.select(&below, error));
    let (k, whole) = nearest(unit, &sum);
    let fraction = unit.add(unit.sub(sum, k), error);
    let value = exp_accurate(unit, &unit.mul(fraction, LN_2));
    let exponent = value.biased_exponent().iadd(whole);
    let value = Lanes::all(f32::INFINITY).select(exponent.iless(255).not(), value.set_exponent(&exponent));

    let magnitude = y.abs();
    let value = of_negative_base(unit, value, x, &magnitude);
    let signed = |of: f32| Lanes::all(of).copy_sign(&value);
    let of_zero = signed(f32::INFINITY).select(y.negative(), signed(0.0));
    let of_zero = of_zero.select(magnitude.is_nonzero(), &value);
    let nan = y.set_sign(false).isub(0x7f80_0001).non_negative();
    let of_zero = Lanes::all(f32::NAN).select(nan, of_zero);
    of_zero.select(x.abs().is_zero(), value)
}

/// number^x.
pub fn power_of_number(unit: &Unit, x: &Lanes) -> Lanes {
    power_of(unit, &Lanes::all(unit.real(0)), x)
}

/// x to an integer, by squaring.
pub fn power_iterative(unit: &Unit, x: &Lanes) -> Lanes {
    let exponent = unit.real(0) as u32;
    if exponent == 0 {
        return Lanes::all(1.0);
    }
    let (mut result, mut square, mut rest) = (x.clone(), x.clone(), exponent - 1);
    while rest > 0 {
        if rest & 1 != 0 {
            result = unit.mul(result, &square);
        }
        square = unit.mul(&square, &square);
        rest >>= 1;
    }
    result
}
