//! Rounding to integers and to decimals.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// Toward zero: bits below the point are masked.
pub fn trunc(_: &Unit, x: &Lanes) -> Lanes {
    let exponent = x.exponent();
    let below_point = Lanes::all(23).isub(&exponent);
    let mask = Lanes::all(-1)
        .shift(&below_point)
        .select(below_point.non_negative(), -1);
    x.and(Lanes::all(0x8000_0000u32).select(exponent.negative(), mask))
}

/// Toward −∞.
pub fn floor(unit: &Unit, x: &Lanes) -> Lanes {
    let whole = trunc(unit, x);
    unit.add(&whole, -1.0).select(whole.above(x), &whole)
}

/// Toward +∞.
pub fn ceil(unit: &Unit, x: &Lanes) -> Lanes {
    let whole = trunc(unit, x);
    unit.add(&whole, 1.0).select(x.above(&whole), &whole)
}

/// What truncation takes away.
pub fn frac(unit: &Unit, x: &Lanes) -> Lanes {
    unit.sub(x, trunc(unit, x))
}

/// To nearest, halves to even.
pub fn nearest(unit: &Unit, x: &Lanes) -> Lanes {
    const TWO_23: f32 = 8_388_608.0;
    let rounded = unit.add(unit.add(x.set_sign(false), TWO_23), -TWO_23).copy_sign(x);
    rounded.select(x.exponent().iless(23), x)
}

/// To nearest at a number of decimals, an integer.
pub fn round(unit: &Unit, x: &Lanes) -> Lanes {
    let decimals = unit.words[0] as i32;
    let scaled = nearest(unit, &unit.mul(x, power_of_ten(decimals)));
    unit.mul(power_of_ten(decimals.wrapping_neg()), scaled)
}

fn power_of_ten(exponent: i32) -> f32 {
    match exponent {
        39.. => f32::INFINITY,
        ..-45 => 0.0,
        exponent => 10f64.powi(exponent) as f32,
    }
}
