//! Sums, products, signs, selections, clamps.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// Sign cleared.
pub fn abs(_: &Unit, x: &Lanes) -> Lanes {
    x.abs()
}

/// Sign turned.
pub fn negative(_: &Unit, x: &Lanes) -> Lanes {
    x.neg()
}

/// As it is.
pub fn identity(_: &Unit, x: &Lanes) -> Lanes {
    x.clone()
}

/// ±1, or 0 of a zero.
pub fn sign(_: &Unit, x: &Lanes) -> Lanes {
    Lanes::ZERO.select(x.abs().is_zero(), Lanes::all(1.0).copy_sign(x))
}

/// x².
pub fn square(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded_even(unit.mul(x, x))
}

/// x + number.
pub fn add_number(unit: &Unit, x: &Lanes) -> Lanes {
    unit.add(x, unit.real(0))
}

/// x − number.
pub fn sub_number(unit: &Unit, x: &Lanes) -> Lanes {
    unit.sub(x, unit.real(0))
}

/// x · number; a quotient gets the reciprocal.
pub fn mul_number(unit: &Unit, x: &Lanes) -> Lanes {
    unit.mul(x, unit.real(0))
}

/// number − x.
pub fn rsub_number(unit: &Unit, x: &Lanes) -> Lanes {
    unit.rounded_even(unit.sub(unit.real(0), x))
}

/// The larger of x and a number.
pub fn max_number(unit: &Unit, x: &Lanes) -> Lanes {
    x.max(unit.real(0))
}

/// The smaller of x and a number.
pub fn min_number(unit: &Unit, x: &Lanes) -> Lanes {
    x.min(unit.real(0))
}

/// Between two numbers; the register is written in between.
pub fn clamp(unit: &Unit, x: &Lanes) -> Lanes {
    unit.through_register(&x.max(unit.real(0))).min(unit.real(1))
}

/// x, or 0 where it is negative.
pub fn relu(unit: &Unit, x: &Lanes) -> Lanes {
    let number = Unit { words: [0; 3], ..*unit };
    relu_min(&number, x)
}

/// x, at least a number.
pub fn relu_min(unit: &Unit, x: &Lanes) -> Lanes {
    let number = Lanes::all(unit.words[0]);
    if unit.is_blackhole() {
        // Only lanes below are written.
        return number.flushed().select(unit.less(x, &number), x);
    }
    x.max(number).flushed()
}

/// x, at most a number and not negative.
pub fn relu_max(unit: &Unit, x: &Lanes) -> Lanes {
    at_most_number(unit, x, unit.real(0))
}

/// x between 0 and a limit.
pub fn at_most_number(unit: &Unit, x: &Lanes, limit: f32) -> Lanes {
    if unit.is_blackhole() {
        return x.min(limit).max(0.0);
    }
    let x = Lanes::all(limit).select(unit.greater(x, limit), x);
    Lanes::ZERO.select(x.negative(), &x)
}

/// x, times a slope where it is negative.
pub fn leaky_relu(unit: &Unit, x: &Lanes) -> Lanes {
    unit.mul(x, unit.real(0)).select(x.negative(), x)
}

/// x + y.
pub fn add(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.add(x, y)
}

/// x − y.
pub fn sub(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.sub(x, y)
}

/// y − x.
pub fn rsub(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.sub(y, x)
}

/// x + y, rounded to nearest.
pub fn add_nearest(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.rounded_even(unit.add(x, y))
}

/// x − y, rounded to nearest.
pub fn sub_nearest(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.rounded_even(unit.sub(x, y))
}

/// y − x, rounded to nearest.
pub fn rsub_nearest(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.rounded_even(unit.sub(y, x))
}

/// x · y; with 16-bit registers +0 times anything is zero, as on the matrix engine.
pub fn mul(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    if unit.wide {
        unit.mul(x, y)
    } else {
        unit.short_mul(x, y)
    }
}

/// The larger.
pub fn max(_: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    x.max(y)
}

/// The smaller.
pub fn min(_: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    x.min(y)
}

/// The second where the first is not +0, else the third.
pub fn choose(_: &Unit, condition: &Lanes, x: &Lanes, y: &Lanes) -> Lanes {
    y.select(condition.is_zero(), x)
}

/// x · y as it is, as broadcasts multiply.
pub fn product(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.mul(x, y)
}

/// x · y + z.
pub fn multiply_add(unit: &Unit, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    unit.rounded(unit.mad(x, y, z))
}

/// x + w · (y − x).
pub fn lerp(unit: &Unit, x: &Lanes, y: &Lanes, w: &Lanes) -> Lanes {
    unit.rounded_even(unit.mad(w, unit.sub(y, x), x))
}

/// x + number · y · z.
pub fn addcmul(unit: &Unit, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    unit.rounded(unit.mad(unit.mul(unit.real(0), y), z, x))
}

/// x + number · y / z.
pub fn addcdiv(unit: &Unit, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    let inverse = super::reciprocal::steps(unit, z, 2);
    unit.rounded_even(unit.mad(unit.mul(y, unit.real(0)), inverse, x))
}

/// 1 of a set sign bit, else 0.
pub fn signbit(_: &Unit, x: &Lanes) -> Lanes {
    x.shift(-31).to_real()
}

/// 0 or 1 by the sign; a number of a zero.
pub fn heaviside(unit: &Unit, x: &Lanes) -> Lanes {
    let step = unit.add(Lanes::all(0.5).copy_sign(x), 0.5);
    Lanes::all(unit.real(0)).select(x.abs().is_zero(), step)
}

/// Between two numbers.
pub fn hardtanh(unit: &Unit, x: &Lanes) -> Lanes {
    x.max(unit.real(0)).min(unit.real(1))
}

/// x above a threshold, else a number.
pub fn threshold(unit: &Unit, x: &Lanes) -> Lanes {
    Lanes::all(unit.words[1])
        .flushed()
        .select(unit.at_least(unit.real(0), x), x)
}

/// x less what lies within ±λ.
pub fn softshrink(unit: &Unit, x: &Lanes) -> Lanes {
    let lambda = unit.real(0);
    if !unit.is_blackhole() {
        return unit.sub(x, x.max(-lambda).min(lambda));
    }
    let below = unit.add(x, lambda).select(unit.less(x, -lambda), 0.0);
    unit.sub(x, lambda).select(unit.greater(x, lambda), below)
}

/// x, or 0 within ±λ.
pub fn hardshrink(unit: &Unit, x: &Lanes) -> Lanes {
    Lanes::ZERO.select(unit.at_least(unit.real(0), x.set_sign(false)), x)
}

/// x, or 0 where the mask is +0.
pub fn mask(_: &Unit, x: &Lanes, mask: &Lanes) -> Lanes {
    Lanes::ZERO.select(mask.is_zero(), x)
}

/// x, or infinity where the mask is +0.
pub fn mask_infinity(_: &Unit, x: &Lanes, mask: &Lanes) -> Lanes {
    Lanes::all(f32::INFINITY).select(mask.is_zero(), x)
}

/// The nearest bf16, halves to even.
pub fn round_to_bf16(unit: &Unit, x: &Lanes) -> Lanes {
    Unit { wide: false, ..*unit }.rounded_even(x.clone())
}
