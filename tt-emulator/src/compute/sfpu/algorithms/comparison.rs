//! Comparisons: 1 where they hold, else 0.
//!
//! With a number, the sign of a difference decides. Of two registers, and against zero, bit patterns are compared in their
//! order, all zeros are equal, and nothing holds of NaNs.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

const INFINITY: u32 = 0x7f80_0000;

fn truth(condition: Lanes) -> Lanes {
    Lanes::all(1.0).and(condition)
}

fn falsehood(condition: Lanes) -> Lanes {
    truth(condition.not())
}

/// x = number.
pub fn eq_number(unit: &Unit, x: &Lanes) -> Lanes {
    truth(unit.equal(x, unit.real(0)))
}

/// x ≠ number.
pub fn ne_number(unit: &Unit, x: &Lanes) -> Lanes {
    falsehood(unit.equal(x, unit.real(0)))
}

/// x < number.
pub fn lt_number(unit: &Unit, x: &Lanes) -> Lanes {
    truth(unit.less(x, unit.real(0)))
}

/// x > number.
pub fn gt_number(unit: &Unit, x: &Lanes) -> Lanes {
    truth(unit.greater(x, unit.real(0)))
}

/// x ≤ number.
pub fn le_number(unit: &Unit, x: &Lanes) -> Lanes {
    falsehood(unit.greater(x, unit.real(0)))
}

/// x ≥ number.
pub fn ge_number(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.is_blackhole() {
        falsehood(unit.less(x, unit.real(0)))
    } else {
        truth(unit.sub(x, unit.real(0)).non_negative())
    }
}

/// |x| is at most infinity: no NaN.
fn ordered(magnitude: &Lanes) -> Lanes {
    magnitude.isub(INFINITY + 1).negative()
}

/// x = 0.
pub fn eq_zero(_: &Unit, x: &Lanes) -> Lanes {
    truth(x.set_sign(false).is_zero())
}

/// x ≠ 0.
pub fn ne_zero(_: &Unit, x: &Lanes) -> Lanes {
    falsehood(x.set_sign(false).is_zero())
}

/// x < 0.
pub fn lt_zero(_: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.set_sign(false);
    truth(x.negative().and(magnitude.is_nonzero()).and(ordered(&magnitude)))
}

/// x > 0.
pub fn gt_zero(_: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.set_sign(false);
    truth(x.non_negative().and(magnitude.is_nonzero()).and(ordered(&magnitude)))
}

/// x ≥ 0.
pub fn ge_zero(_: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.set_sign(false);
    truth(x.negative().and(magnitude.is_nonzero()).not().and(ordered(&magnitude)))
}

/// x ≤ 0.
pub fn le_zero(_: &Unit, x: &Lanes) -> Lanes {
    let magnitude = x.set_sign(false);
    truth(
        x.non_negative()
            .and(magnitude.is_nonzero())
            .not()
            .and(ordered(&magnitude)),
    )
}

/// +0.
pub fn logical_not(_: &Unit, x: &Lanes) -> Lanes {
    truth(x.is_zero())
}

fn infinite(x: &Lanes) -> Lanes {
    x.set_sign(false).same(INFINITY)
}

/// ±∞.
pub fn is_infinite(_: &Unit, x: &Lanes) -> Lanes {
    truth(infinite(x))
}

/// +∞.
pub fn is_positive_infinity(_: &Unit, x: &Lanes) -> Lanes {
    truth(x.same(INFINITY))
}

/// −∞.
pub fn is_negative_infinity(_: &Unit, x: &Lanes) -> Lanes {
    truth(infinite(x).and(x.negative()))
}

/// NaN.
pub fn is_nan(_: &Unit, x: &Lanes) -> Lanes {
    falsehood(ordered(&x.set_sign(false)))
}

/// Neither infinite nor NaN.
pub fn is_finite(_: &Unit, x: &Lanes) -> Lanes {
    truth(x.biased_exponent().iless(255))
}

/// The sum of the magnitudes: +0 of two zeros, above infinity with a NaN.
fn magnitudes(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    unit.add(x.set_sign(false), y.set_sign(false))
}

fn same(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let sum = magnitudes(unit, x, y);
    sum.is_zero().or(ordered(&sum).and(x.same(y)))
}

fn below(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let sum = magnitudes(unit, x, y);
    sum.is_nonzero().and(ordered(&sum)).and(y.above(x))
}

fn at_most(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let sum = magnitudes(unit, x, y);
    sum.is_nonzero().and(x.above(y)).not().and(ordered(&sum))
}

/// x = y.
pub fn eq(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    truth(same(unit, x, y))
}

/// x ≠ y.
pub fn ne(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    falsehood(same(unit, x, y))
}

/// x < y.
pub fn lt(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    truth(below(unit, x, y))
}

/// x > y.
pub fn gt(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    truth(below(unit, y, x))
}

/// x ≤ y.
pub fn le(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    truth(at_most(unit, x, y))
}

/// x ≥ y.
pub fn ge(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    truth(at_most(unit, y, x))
}
