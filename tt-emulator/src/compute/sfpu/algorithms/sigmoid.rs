//! Logistic and hyperbolic tangent.

use super::exponential;
use super::lookup::{eight_bit, six_lines};
use super::reciprocal;
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

const APPROXIMATE: u32 = 1;

/// 1 / (1 + e^−x), not yet rounded.
pub fn sigmoid_of(unit: &Unit, x: &Lanes) -> Lanes {
    let denominator = unit.add(1.0, exponential::exp_for_width(unit, &x.neg()));
    reciprocal::steps(unit, &denominator, if unit.wide { 2 } else { 1 })
}

/// 1 / (1 + e^−x).
pub fn sigmoid(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.variant & APPROXIMATE != 0 {
        let line = eight_bit(unit, x, [(0.226_562_5, 0.0), (0.265_625, -0.046_875), (0.0, 0.5)]);
        return unit.add(line, 0.5);
    }
    unit.rounded(sigmoid_of(unit, x))
}

/// x / (1 + e^−x).
pub fn silu(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded(unit.mul(x, sigmoid_of(unit, x)))
}

/// Hyperbolic tangent.
pub fn tanh(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.variant & APPROXIMATE != 0 {
        let lines = [
            (0.961_914_06, 0.0),
            (0.576_171_9, 0.192_871_1),
            (0.287_109_38, 0.481_933_6),
            (0.096_435_55, 0.768_066_4),
            (0.039_062_5, 0.882_812_5),
            (0.0, 1.0),
        ];
        return six_lines(unit, x, lines).copy_sign(x);
    }
    if unit.wide {
        return tanh_accurate(unit, x);
    }
    let a = x.abs();
    let polynomial = unit.polynomial(
        &a,
        [
            0.999_004_36,
            0.030_897_439,
            -0.489_065_97,
            0.281_917_63,
            -0.066_649_02,
            0.005_876_734,
        ],
    );
    unit.mul(polynomial, a).min(1.0).copy_sign(x).to_bf16()
}

/// Hyperbolic tangent for 32-bit registers: e^2|x| − 1 over e^2|x| + 1.
pub fn tanh_accurate(unit: &Unit, x: &Lanes) -> Lanes {
    let whole = unit.mul(x, 2.0 * 1.442_695f32).to_unsigned_8();
    let a = unit.add(x, x).set_sign(false);
    let f = unit.mad(whole.to_real(), -0.693_147_2, &a);
    let r = unit.polynomial(
        &f,
        [
            0.5,
            0.166_666_72,
            0.041_666_802,
            0.008_331_299,
            0.001_393_318_2,
            1.974_105_8e-4,
        ],
    );
    let r = unit.mad(r, unit.mul(&f, &f), &f);
    let scale = Lanes::ZERO.set_exponent(whole.iadd(126));
    let x0 = unit.mad(r, &scale, unit.sub(&scale, 0.5));
    let x1 = unit.add(&x0, 1.0);
    let quotient = |negative_x1: &Lanes, reciprocal: &Lanes| {
        let y0 = unit.mul(&x0, reciprocal);
        let t = unit.rest(negative_x1, &y0, &x0);
        unit.mad(t, reciprocal, y0)
    };
    let y = if unit.is_blackhole() {
        let (reciprocal, negative) = (x1.approximate_reciprocal(), x1.neg());
        let t = unit.rest(&negative, &reciprocal, 1.0);
        quotient(&negative, &unit.mad(&reciprocal, t, &reciprocal))
    } else {
        // The guess is negative, and so is the quotient; the sign is set at the end.
        let guess = Lanes::all(0xfef3_0000u32).isub(&x1);
        let t = unit.rest(&x1, &guess, 1.0);
        let t = unit.mad(&t, &t, &t);
        quotient(&x1, &unit.mad(&guess, t, &guess))
    };
    let small = y.select(x.biased_exponent().iless(115).not(), x);
    let is_moderate = whole.iless(61);
    if is_moderate.0.iter().all(|all| *all != 0) {
        return small.copy_sign(x);
    }
    // One, or NaN: infinity less one bit is finite.
    let saturated = unit.mad(a.iadd(-1), 0.0, 1.0);
    small.select(is_moderate, saturated).copy_sign(x)
}
