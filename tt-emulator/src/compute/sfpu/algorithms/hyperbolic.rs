//! Hyperbolic sine and cosine by a quarter of an exponential, and the inverses by logarithms.

use super::exponential::HALF;
use super::{logarithm, reciprocal};
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;
use std::f32::consts::LN_2;

const INVERSE_LN_2: f32 = 1.442_695;
const LN_2_PARTS: [f32; 2] = [-0.693_145_75, -1.428_606_8e-6];

/// |x| less its nearest multiple of ln 2, and that multiple.
fn reduced(unit: &Unit, a: &Lanes) -> (Lanes, Lanes) {
    let whole = unit.mul(a, INVERSE_LN_2).to_unsigned_8();
    let j = whole.to_real();
    let f = if unit.wide {
        let f = unit.mad(&j, LN_2_PARTS[0], a);
        unit.mad(&j, LN_2_PARTS[1], f)
    } else {
        unit.mad(&j, -LN_2, a)
    };
    (f, whole)
}

/// e^a / 4 for a ≥ 0.
fn quarter_exp(unit: &Unit, a: &Lanes) -> Lanes {
    let (f, whole) = reduced(unit, a);
    let r = if unit.wide {
        unit.polynomial(
            &f,
            [
                1.0,
                1.0,
                0.499_999_85,
                0.166_664_72,
                0.041_669_536,
                0.008_373_124_5,
                0.001_378_059_4,
            ],
        )
    } else {
        unit.polynomial(&f, [1.0, 0.999_963_46, 0.500_122, 0.168_174_85, 0.038_877_178])
    };
    let exponent = whole.iadd(125);
    let overflow = unit.mul(a, f32::INFINITY);
    unit.mul(r, exponent.shift(23)).select(exponent.iless(255), overflow)
}

/// Hyperbolic cosine.
pub fn cosh(unit: &Unit, x: &Lanes) -> Lanes {
    let q = quarter_exp(unit, &x.set_sign(false));
    let r = unit.mul(reciprocal::of_positive(unit, &q), 0.125);
    let y = unit.add(&q, &q);
    unit.rounded(unit.add(&y, r).select(q.exponent().iless(24), y))
}

/// (e^a − 1) / 4 for a ≥ 0.
fn quarter_expm1(unit: &Unit, a: &Lanes) -> Lanes {
    const QUARTER: i32 = HALF as i32 - 0x0080_0000;
    let (f, whole) = reduced(unit, a);
    let r = if unit.wide {
        unit.polynomial(
            &f,
            [
                0.499_999_97,
                0.166_666_72,
                0.041_666_802,
                0.008_333_44,
                0.001_393_107_9,
                1.974_105_8e-4,
            ],
        )
    } else {
        unit.polynomial(&f, [0.5, 0.166_625_98, 0.041_778_564, 0.008_361_816])
    };
    let r = unit.mad(r, unit.mul(&f, &f), &f);
    let scale = whole.shift(23).iadd(QUARTER);
    let value = unit.mad(r, &scale, unit.sub(&scale, 0.25));
    value.select(whole.iless(130), unit.mul(a, f32::INFINITY))
}

/// Hyperbolic sine.
pub fn sinh(unit: &Unit, x: &Lanes) -> Lanes {
    let q = quarter_expm1(unit, &x.set_sign(false));
    let r = reciprocal::of_positive(unit, &unit.mad(4.0, &q, 1.0));
    let y = unit.add(&q, &q);
    let exponent = q.exponent();
    let y = unit.mad(&y, r, &y).select(exponent.iless(23), y);
    unit.rounded(x.select(exponent.iless(-27), y).copy_sign(x))
}

/// √x of values that are not negative.
fn root(unit: &Unit, x: &Lanes) -> Lanes {
    let half = x.add_to_exponent(-1);
    let mut y = Lanes::all(0x5f11_10a0u32).isub(x.shift(-1));
    for _ in 0..if unit.wide { 3 } else { 2 } {
        let product = unit.mul(unit.mul(&half, &y), &y);
        y = unit.mul(&y, unit.sub(1.5, product));
    }
    let a = unit.mul(x, &y);
    let error = unit.mul(0.5, unit.sub(x, unit.mul(&a, &a)));
    let a = unit.mad(error, y, a);
    Lanes::ZERO.select(x.is_zero(), a)
}

/// From here on x² ± 1 is x².
const LARGE: f32 = 2.684_354_6e+8;

/// Inverse hyperbolic cosine.
pub fn acosh(unit: &Unit, x: &Lanes) -> Lanes {
    let less_one = unit.sub(x, 1.0);
    let inner = root(unit, &unit.mul(unit.add(x, 1.0), &less_one));
    let argument = unit.add(&less_one, inner).select(unit.less(x, LARGE), less_one);
    let value = logarithm::log1p_of(unit, &unit.through_register(&argument));
    let value = unit.add(&value, LN_2).select(unit.at_least(x, LARGE), value);
    let value = Lanes::all(f32::NAN).select(unit.less(x, 1.0), value);
    unit.rounded(Lanes::ZERO.select(unit.equal(x, 1.0), value))
}

/// Inverse hyperbolic sine.
pub fn asinh(unit: &Unit, x: &Lanes) -> Lanes {
    let a = x.abs();
    let large = unit.at_least(&a, LARGE);
    let sum = unit.add(1.0, root(unit, &unit.mad(x, x, 1.0)));
    let middle = unit.mad(unit.mul(x, x), reciprocal::of_positive(unit, &sum), &a);
    let argument = middle.select(unit.at_least(&a, 0.75), 0.0);
    let argument = unit.sub(&a, 1.0).select(&large, argument);
    let value = logarithm::log1p_of(unit, &unit.through_register(&argument));
    let value = unit.add(&value, LN_2).select(large, value);
    let polynomial = unit.polynomial(
        &unit.mul(x, x),
        [
            1.0,
            -0.166_665_23,
            0.074_958_06,
            -0.044_177_79,
            0.027_853_612,
            -0.014_848_585,
            0.004_375_356,
        ],
    );
    let small = unit.mul(&a, polynomial);
    unit.rounded(small.select(unit.less(&a, 0.75), value).copy_sign(x))
}

/// Inverse hyperbolic tangent.
pub fn atanh(unit: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.abs();
    let a = Lanes::ZERO.select(unit.at_least(&magnitude, 1.0), &magnitude);
    let inverse = reciprocal::of_positive(unit, &unit.sub(1.0, &a));
    let argument = unit.mul(unit.add(&a, &a), inverse);
    let value = logarithm::log1p_of(unit, &unit.through_register(&argument));
    let value = unit.mul(0.5, value).copy_sign(x);
    let ends = Lanes::all(f32::INFINITY).copy_sign(x);
    let value = ends.select(unit.equal(&magnitude, 1.0), value);
    unit.rounded(Lanes::all(f32::NAN).select(unit.greater(&magnitude, 1.0), value))
}
