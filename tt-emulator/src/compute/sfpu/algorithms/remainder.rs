//! Remainders of a division by a number and by a register.

use super::{reciprocal, rounding};
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// |x / number|, whole, before a correction; and whether it had a fraction to lose.
fn whole_quotient(unit: &Unit, a: &Lanes, inverse: f32) -> (Lanes, Lanes, Lanes) {
    let quotient = unit.mul(a, inverse);
    let exponent = quotient.exponent();
    let below_point = exponent.iadd(-23);
    let masked = quotient.shift(&below_point).shift(Lanes::ZERO.isub(&below_point));
    let whole = Lanes::ZERO.select(exponent.negative(), masked);
    let fractional = exponent.iless(23);
    (whole.select(&fractional, &quotient), quotient, fractional)
}

/// What ten subtractions leave at most below the divisor.
fn folded(unit: &Unit, v: Lanes, divisor: f32) -> Lanes {
    let mut v = if divisor == 0.0 { Lanes::all(f32::NAN) } else { v };
    for _ in 0..10 {
        v = unit.sub(&v, divisor).select(unit.at_least(&v, divisor), &v);
    }
    let whole = unit.sub(v.abs(), divisor).is_zero();
    Lanes::ZERO.select(whole, v)
}

/// x less a multiple of a number, with the sign of x. Parameters: the number, its reciprocal.
pub fn fmod_number(unit: &Unit, x: &Lanes) -> Lanes {
    let (divisor, inverse) = (unit.real(0).abs(), unit.real(1).abs());
    let a = x.abs();
    let (q, _, fractional) = whole_quotient(unit, &a, inverse);
    let too_large = fractional.and(unit.greater(unit.mul(&q, divisor), &a));
    let q = unit.sub(&q, 1.0).select(too_large, q);
    let v = unit.sub(a, unit.mul(q, divisor)).copy_sign(x);
    folded(unit, v, divisor)
}

/// x less a multiple of a number, with the sign of the number. Parameters: the number, its reciprocal.
pub fn remainder_number(unit: &Unit, x: &Lanes) -> Lanes {
    let (divisor, inverse) = (unit.real(0).abs(), unit.real(1).abs());
    let a = x.abs();
    let (q, quotient, _) = whole_quotient(unit, &a, inverse);
    let q = unit.sub(&q, 1.0).select(unit.greater(&q, quotient), q);
    let v = unit.sub(a, unit.mul(q, divisor));
    let v = unit.sub(divisor, &v).select(x.negative().and(v.is_nonzero()), v);
    let v = if unit.real(0).is_sign_negative() {
        unit.add(&v, unit.real(0)).select(v.is_nonzero(), v)
    } else {
        v
    };
    folded(unit, v.copy_sign(Lanes::all(unit.real(0))), divisor)
}

/// x less a multiple of y, with the sign of x.
pub fn fmod(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let b = y.abs();
    let quotient = rounding::trunc(unit, &unit.mul(x, reciprocal::steps(unit, y, 2)));
    let r = unit.sub(x, unit.mul(quotient, y));
    let zero = Lanes::ZERO;
    let corrected = unit.sub(&r, &b).select(unit.at_least(&r, &zero), unit.add(&r, &b));
    let r = corrected.select(unit.at_least(r.abs(), &b), r);
    let of_positive = unit.add(&r, &b).select(unit.less(&r, &zero), &r);
    let of_negative = unit.sub(&r, &b).select(unit.greater(&r, &zero), &r);
    let r = of_positive.select(unit.at_least(x, &zero), of_negative);
    let r = Lanes::ZERO.select(unit.equal(x, y), r);
    unit.rounded(Lanes::all(f32::NAN).select(unit.equal(y, &zero), r))
}

/// x less a multiple of y, with the sign of y.
pub fn remainder(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let zero = Lanes::ZERO;
    let quotient = rounding::floor(unit, &unit.mul(x, reciprocal::steps(unit, y, 2)));
    let r = unit.sub(x, unit.mul(quotient, y));
    let differ = unit.equal(&r, &zero).not().and(r.xor(y).negative());
    let r = unit.add(&r, y).select(differ, r);
    let positive = unit.greater(y, &zero).and(unit.greater(x, &zero));
    let less = unit.sub(&r, y);
    let r = less.select(positive.and(unit.at_least(&less, &zero)), r);
    let negative = unit.less(y, &zero).and(unit.less(x, &zero));
    let less = unit.sub(&r, y);
    let r = less.select(negative.and(unit.at_least(&zero, &less)), r);
    unit.rounded(Lanes::all(f32::NAN).select(unit.equal(y, &zero), r))
}
