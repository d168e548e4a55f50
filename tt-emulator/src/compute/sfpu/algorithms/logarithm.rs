//! Natural logarithms: the exponent counted from 3/4, a polynomial of the rest.

use super::exponential::{exp_21f_in_range, exp_accurate, exp2};
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

const INFINITY: u32 = 0x7f80_0000;
const THREE_QUARTERS: u32 = 0x3f40_0000;
/// ln 2 in the units of the exponent field, 2^−23.
const LN_2: f32 = 0.693_147_2 * 1.192_092_9e-7;

const fn bits(pattern: u32) -> f32 {
    f32::from_bits(pattern)
}

/// (ln(1 + m) − m) / m², between −1/4 and 1/2.
fn rest(unit: &Unit, m: &Lanes) -> Lanes {
    if unit.wide {
        unit.polynomial(
            m,
            [
                -0.5,
                bits(0x3eaa_aab9),
                bits(0xbe80_000d),
                bits(0x3e4c_c000),
                bits(0xbe2a_8000),
                bits(0x3e13_a000),
                bits(0xbe06_2000),
                bits(0x3ddc_2000),
                bits(0xbd49_6000),
            ],
        )
    } else {
        unit.polynomial(m, [bits(0xbf00_4000), bits(0x3eba_2000), -0.25])
    }
}

/// The exponent field of `bits` above that of 3/4.
fn exponent_field(bits: &Lanes) -> Lanes {
    bits.isub(THREE_QUARTERS).and(0xff80_0000u32)
}

/// ln x, not yet rounded; with a scale, times that.
fn log_of(unit: &Unit, x: &Lanes, scale: Option<f32>) -> Lanes {
    const FAST: u32 = 1;
    let flushed = (unit.variant & FAST == 0).then(|| unit.mul(x, 1.0));
    let a = flushed.as_ref().unwrap_or(x);
    let e = exponent_field(a);
    let m = unit.sub(a.isub(&e), 1.0);
    let r = unit.mad(rest(unit, &m), unit.mul(&m, &m), &m);
    let exponent = e.iabs().to_real().copy_sign(&e);
    let result = match scale {
        Some(scale) if unit.words[1] != 0 => unit.mad(exponent, 1.192_092_9e-7, unit.mul(r, scale)),
        Some(scale) => unit.mul(unit.mad(exponent, LN_2, r), scale),
        None => unit.mad(exponent, LN_2, r),
    };
    // Halving by the exponent takes zero to infinity.
    let halved = a.add_to_exponent(-1);
    let infinite = halved.biased_exponent().same(255);
    let result = unit.mul(&result, halved).select(infinite, &result);
    result.select(a.non_negative(), f32::NAN)
}

/// ln x.
pub fn log(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded(log_of(unit, x, None))
}

/// ln x times a number.
pub fn log_with_base(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded(log_of(unit, x, Some(unit.real(0))))
}

/// ln(1 + x).
pub fn log1p(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded(log1p_of(unit, x))
}

/// ln(1 + x), not yet rounded.
pub fn log1p_of(unit: &Unit, x: &Lanes) -> Lanes {
    let u = unit.add(x, 1.0);
    let e = exponent_field(&u);
    // 2^−k x + (2^−k − 1), exact.
    let scale = Lanes::all(-4.0).isub(&e);
    let m = unit.add(x.isub(&e), unit.mad(-0.25, scale, -1.0));
    let exponent = e.iabs().to_real().copy_sign(&e);
    let r = unit.mad(rest(unit, &m), unit.mul(&m, &m), &m);
    let r = unit.mad(exponent, LN_2, r);
    let r = u.select(u.iless(INFINITY).not(), r);
    r.select(u.non_negative(), f32::NAN)
}

/// x · ln y; the logarithm is a cubic, and passes through the register.
pub fn xlogy(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let undefined = y.negative();
    let y = unit.through_register(y);
    let series = unit.polynomial(
        &y.set_exponent(127),
        [-1.492_776_2, 2.112_632_3, -0.729_104_2, 0.109_689_64],
    );
    let exponent = y.exponent();
    let exponent = exponent.iabs().copy_sign(&exponent).to_real();
    let logarithm = unit.mad(exponent, 0.693_147_2, series);
    let logarithm = Lanes::all(f32::NEG_INFINITY).select(y.is_zero(), logarithm);
    let product = unit.mul(unit.through_register(&logarithm), x);
    Lanes::all(f32::NAN).select(undefined, product)
}

/// The larger, or their sum where their distance is no number; and the distance.
fn larger_and_gap(unit: &Unit, x: &Lanes, y: &Lanes) -> (Lanes, Lanes) {
    let gap = unit.sub(x, y).abs();
    let nan = gap.set_sign(false).isub(INFINITY + 1).non_negative();
    (unit.add(x, y).select(&nan, x.max(y)), Lanes::ZERO.select(nan, gap))
}

/// ln(1 + y) between 0 and 1, by a short polynomial.
fn log1p_short(unit: &Unit, y: &Lanes) -> Lanes {
    let r = unit.polynomial(y, [bits(0xbefa_4224), bits(0x3e83_a6ad), bits(0xbd9a_0167)]);
    unit.mad(r, unit.mul(y, y), y)
}

/// ln(e^x + e^y).
pub fn logaddexp(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let (larger, gap) = larger_and_gap(unit, x, y);
    if unit.wide {
        return unit.add(larger, log1p_of(unit, &exp_accurate(unit, &gap.neg())));
    }
    let power = exp_21f_in_range(unit, &gap.min(88.0).neg());
    unit.add(larger, log1p_short(unit, &power)).to_bf16()
}

/// log₂(2^x + 2^y).
pub fn logaddexp2(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    const LOG2_E: f32 = 1.442_695;
    let (larger, gap) = larger_and_gap(unit, x, y);
    if unit.wide {
        let power = exp_accurate(unit, &unit.mul(gap, -0.693_147_2));
        return unit.mad(log1p_of(unit, &power), LOG2_E, larger);
    }
    let power = exp2(unit, &gap.neg());
    unit.mad(log1p_short(unit, &power), LOG2_E, larger).to_bf16()
}
