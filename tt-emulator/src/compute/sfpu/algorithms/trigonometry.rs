//! Sines, tangents and their inverses.
//!
//! The argument less its nearest multiple of π or π/2, in four parts, then an odd polynomial; the inverses fold their domain
//! by roots and reciprocals.

use super::{reciprocal, root};
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;
use std::f32::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2};

/// 1.5 · 2^23: added and subtracted, it rounds to an integer.
const ROUND: f32 = 1.258_291_2e+7;
const PI_PARTS: [f32; 4] = [
    bits(0xc049_0000),
    bits(0xba7d_8000),
    bits(0xb528_8000),
    bits(0xaf05_a309),
];
const HALF_PI_PARTS: [f32; 4] = [
    bits(0xbfc9_0000),
    bits(0xb9fd_8000),
    bits(0xb4a8_8000),
    bits(0xae85_a309),
];

const fn bits(pattern: u32) -> f32 {
    f32::from_bits(pattern)
}

/// x less `count` times a constant in parts.
fn less(unit: &Unit, x: &Lanes, count: &Lanes, parts: [f32; 4]) -> Lanes {
    parts.iter().fold(x.clone(), |rest, part| unit.mad(count, *part, rest))
}

/// The sine of a reduced argument, negated where `flip` has the sign bit.
fn sine_of_reduced(unit: &Unit, a: &Lanes, flip: &Lanes) -> Lanes {
    let s = unit.mul(a, a);
    let a = a.xor(flip);
    let r = if unit.wide {
        unit.polynomial(
            &s,
            [
                bits(0xbe2a_aaa6),
                bits(0x3c08_876d),
                bits(0xb94f_b878),
                bits(0x362e_e484),
            ],
        )
    } else {
        unit.polynomial(&s, [bits(0xbe2a_aa52), bits(0x3c08_6151), bits(0xb945_8852)])
    };
    unit.rounded(unit.mad(r, unit.mul(&a, &s), &a))
}

/// Sine.
pub fn sin(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.mad(x, FRAC_1_PI, ROUND);
    let a = less(unit, x, &unit.sub(&sum, ROUND), PI_PARTS);
    sine_of_reduced(unit, &a, &sum.shift(31))
}

/// Cosine: the sine of odd multiples of π/2.
pub fn cos(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.add(unit.mad(x, FRAC_1_PI, 0.5), ROUND);
    let odd = unit.mad(unit.add(&sum, -ROUND), 2.0, -1.0);
    let a = less(unit, x, &odd, HALF_PI_PARTS);
    sine_of_reduced(unit, &a, &sum.shift(31))
}

/// Tangent; of odd multiples of π/2, less the reciprocal.
pub fn tan(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.mad(x, FRAC_2_PI, ROUND);
    let a = less(unit, x, &unit.add(&sum, -ROUND), HALF_PI_PARTS);
    let s = unit.mul(&a, &a);
    let t = if unit.wide {
        unit.polynomial(
            &s,
            [
                bits(0x3eaa_aaab),
                bits(0x3e08_8839),
                bits(0x3d5d_2b8b),
                bits(0x3cb1_055e),
                bits(0x3c23_c3e8),
                bits(0x3a95_a020),
                bits(0x3b7d_4fc1),
            ],
        )
    } else {
        unit.polynomial(&s, [bits(0x3eaa_ca98), bits(0x3e01_5cc0), bits(0x3da7_8fa7)])
    };
    let t = unit.mul(t, &s);
    let r = unit.mad(&t, &a, &a);
    let inverse = reciprocal::negative(unit, &r);
    let inverse = if unit.wide {
        let rest = unit.mad(&t, &a, unit.mad(-1.0, &r, &a));
        let error = unit.mad(&r, &inverse, 1.0);
        let error = unit.mad(rest, &inverse, error);
        unit.mad(error, &inverse, &inverse)
    } else {
        inverse
    };
    unit.rounded(inverse.select(sum.shift(31).negative(), r))
}

/// Arctangent.
pub fn atan(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        atan_wide(unit, x)
    } else {
        atan_narrow(unit, x).to_bf16()
    }
}

fn atan_narrow(unit: &Unit, x: &Lanes) -> Lanes {
    let a = x.abs();
    let steep = unit.sub(&a, 1.0).non_negative();
    let a = reciprocal::steps(unit, &a, 2).select(&steep, a);
    let square = unit.mul(&a, &a);
    let t = unit.polynomial(&square, [0.999_787_87, -0.325_808_58, 0.155_579, -0.044_326_745]);
    let t = unit.mul(t, a);
    let t = unit.sub(FRAC_PI_2, &t).select(steep, t);
    let nan = x.set_sign(false).isub(0x7f80_0001).non_negative();
    Lanes::all(f32::NAN).select(nan, t.copy_sign(x))
}

fn atan_wide(unit: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.set_sign(false);
    let exponent = magnitude.exponent();
    let steep = exponent.non_negative();
    // Zero of what is large, NaN of NaN.
    let far = unit.mul(magnitude.iadd(-1), 0.0);
    let inverse = reciprocal::of_positive(unit, &magnitude).select(exponent.iless(26), far);
    let a = inverse.select(&steep, magnitude);
    let s = unit.mul(&a, &a);
    let p = unit.polynomial(
        &s,
        [
            bits(0xbeaa_aaa9),
            bits(0x3e4c_c9c2),
            bits(0xbe12_0000),
            bits(0x3dde_a000),
            bits(0xbda4_6000),
            bits(0x3d49_8000),
            bits(0xbca5_e000),
            bits(0x3b80_e000),
        ],
    );
    let r = unit.mad(p, unit.mul(&s, &a), &a);
    unit.sub(FRAC_PI_2, &r).select(steep, r).copy_sign(x)
}

/// Arcsine.
pub fn asin(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        asin_wide(unit, x)
    } else {
        in_domain(unit, x, asin_narrow(unit, x)).to_bf16()
    }
}

/// Arccosine.
pub fn acos(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        acos_wide(unit, x)
    } else {
        in_domain(unit, x, unit.sub(FRAC_PI_2, asin_narrow(unit, x))).to_bf16()
    }
}

fn in_domain(unit: &Unit, x: &Lanes, value: Lanes) -> Lanes {
    value.select(unit.at_least(1.0, x.abs()), f32::NAN)
}

fn asin_narrow(unit: &Unit, x: &Lanes) -> Lanes {
    let a = x.abs();
    let near_one = unit.sub(&a, 0.625).non_negative();
    let folded = root::short(unit, &unit.mul(unit.sub(1.0, &a), 0.5));
    let z = folded.select(&near_one, a);
    let ratio = unit.polynomial(
        &unit.mul(&z, &z),
        [0.999_978_6, 0.167_712_26, 0.063_812_63, 0.083_148_845],
    );
    let asin = unit.mul(z, ratio);
    let folded = unit.sub(FRAC_PI_2, unit.mul(2.0, &asin));
    folded.select(near_one, asin).copy_sign(x)
}

/// √((1 − |x|) / 2) near ±1, else |x|; and |x| − 9/16 and (1 − |x|) / 2.
fn folded(unit: &Unit, x: &Lanes) -> (Lanes, Lanes, Lanes) {
    let a = x.abs();
    let half = unit.mul(unit.sub(1.0, &a), 0.5);
    let t = unit.sub(&a, 0.5625);
    let z = a.select(t.negative(), root::of_positive(unit, &half));
    (z, t, half)
}

fn asin_wide(unit: &Unit, x: &Lanes) -> Lanes {
    let (z, t, half) = folded(unit, x);
    let s = unit.mul(&z, &z);
    let p = unit.polynomial(
        &s,
        [
            bits(0x3e2a_abc6),
            bits(0x3d99_4d3a),
            bits(0x3d3e_e000),
            bits(0x3c9b_2000),
            bits(0x3d4f_0000),
        ],
    );
    let r = unit.mad(unit.mul(p, s), &z, &z);
    let r = unit.mad(-2.0, &r, FRAC_PI_2).select(t.non_negative(), r).copy_sign(x);
    Lanes::all(f32::NAN).select(half.negative(), r)
}

fn acos_wide(unit: &Unit, x: &Lanes) -> Lanes {
    let (z, t, half) = folded(unit, x);
    let s = unit.mul(&z, &z);
    let p = unit.polynomial(
        &s,
        [
            bits(0x3e2a_aaa9),
            bits(0x3d99_a08f),
            bits(0x3d35_6000),
            bits(0x3d0a_c000),
            bits(0x3be5_0000),
            bits(0x3d41_8000),
        ],
    );
    let z = z.copy_sign(x.xor(&t));
    let r = unit.mad(unit.mul(p, s), &z, &z);
    let r = unit.add(&r, FRAC_PI_2).select(z.or(&t).negative(), r);
    let r = unit.add(&r, &r).select(t.non_negative(), r);
    Lanes::all(f32::NAN).select(half.negative(), r)
}

/// The angle of the point (x, y).
pub fn atan2(unit: &Unit, y: &Lanes, x: &Lanes) -> Lanes {
    let (ax, ay) = (x.set_sign(false), y.set_sign(false));
    let (small, large) = (ax.min(&ay), ax.max(&ay));
    let short = !unit.wide || unit.approximate;
    let a = unit.mul(&small, reciprocal::steps(unit, &large, if short { 0 } else { 2 }));
    let s = unit.mul(&a, &a);
    let q = if unit.wide {
        unit.polynomial(
            &s,
            [
                bits(0xbeaa_aaac),
                bits(0x3e4c_c9c5),
                bits(0xbe12_0000),
                bits(0x3dde_a000),
                bits(0xbda4_6000),
                bits(0x3d49_8000),
                bits(0xbca5_e000),
                bits(0x3b80_e000),
            ],
        )
    } else {
        unit.polynomial(&s, [bits(0xbeaa_0000), bits(0x3e33_4000), bits(0xbd6f_4000)])
    };
    let r = unit.mad(unit.mul(q, s), &a, &a);
    let steep = unit.sub(FRAC_PI_2, &r);
    let diagonal = Lanes::ZERO.select(large.is_zero(), FRAC_PI_2 / 2.0);
    let steep = diagonal.select(small.iless(&large).not(), steep);
    let r = steep.select(small.iless(&ax).not(), r);
    let r = unit.sub(2.0 * FRAC_PI_2, &r).select(x.negative(), r);
    let r = unit.rounded(r).copy_sign(y);
    Lanes::all(f32::NAN).select(Lanes::all(0x7f80_0000u32).iless(large), r)
}
