//! 1 / x and x / y.
//!
//! Wormhole starts from a parabola over the mantissa and takes Newton steps; Blackhole from an instruction's table of seven
//! bits.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// A parabola through the reciprocal, fitted for the steps that follow: constant, linear, square.
struct Start([f32; 3]);

const FOR_ONE_ROUNDED_STEP: Start = Start([2.120_088_3, 1.451_414_8, 0.321_334]);
const FOR_TWO_STEPS: Start = Start([2.121_212_5, 1.454_546, 0.323_232_5]);

/// Wormhole's reciprocal of any value.
fn wormhole(unit: &Unit, x: &Lanes, start: &Start, steps: usize, round: bool) -> Lanes {
    wormhole_negative(unit, x, start, steps, round).copy_sign(x)
}

fn wormhole_negative(unit: &Unit, x: &Lanes, start: &Start, steps: usize, round: bool) -> Lanes {
    let negative_mantissa = Lanes::all(-1.0).set_mantissa(x);
    let mut y = newton(unit, &negative_mantissa, start, steps);
    if round {
        y = y.to_bf16();
    }
    // The exponent's complement is that of half the scale, for zero and infinity too.
    let scale = unit.mul(x.not().and(0xff80_0000u32), 0.5);
    unit.mul(y, scale)
}

fn newton(unit: &Unit, negative: &Lanes, start: &Start, steps: usize) -> Lanes {
    let Start([constant, linear, square]) = *start;
    let y = unit.mad(square, negative, linear);
    let mut y = unit.mad(y, negative, constant);
    for _ in 0..steps.max(1) {
        let error = unit.mad(negative, &y, 1.0);
        y = unit.mad(&y, error, &y);
    }
    y
}

/// The reciprocal that other functions use, with up to two steps.
pub fn steps(unit: &Unit, x: &Lanes, steps: usize) -> Lanes {
    if !unit.is_blackhole() {
        return wormhole(unit, x, &FOR_TWO_STEPS, steps, false);
    }
    let y = x.approximate_reciprocal();
    if steps == 0 {
        return y;
    }
    let refined = |y: &Lanes, t: &Lanes| unit.mad(y, t.neg(), -0.0);
    let t = unit.mad(x, &y, -2.0);
    let first = refined(&y, &t);
    let result = if steps > 1 {
        let t = unit.mad(x, &first, -2.0);
        refined(&first, &t)
    } else {
        first
    };
    // A NaN's sign is clear: zero and infinity keep the table's value.
    result.select(t.negative(), y)
}

/// The reciprocal of values between 1 and 2 with one step.
fn normalized(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.is_blackhole() {
        let y = x.approximate_reciprocal();
        let t = unit.mad(x, &y, -2.0);
        unit.mad(&y, t.neg(), -0.0)
    } else {
        newton(unit, &x.set_sign(true), &FOR_TWO_STEPS, 1).copy_sign(x)
    }
}

/// −1 / x with one step, as the tangent takes it.
pub fn negative(unit: &Unit, x: &Lanes) -> Lanes {
    if !unit.is_blackhole() {
        return wormhole_negative(unit, x, &FOR_TWO_STEPS, 1, false);
    }
    let y = x.approximate_reciprocal();
    let error = unit.mad(x.neg(), &y, 1.0);
    let y = y.neg();
    unit.mad(&y, error, &y)
}

/// 1 / x of positive values.
pub fn of_positive(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.is_blackhole() {
        let mut y = x.approximate_reciprocal();
        for _ in 0..if unit.wide { 2 } else { 1 } {
            let error = unit.mad(x.neg(), &y, 1.0);
            y = unit.mad(&y, error, &y);
        }
        return y;
    }
    // The guess is negative until the last step.
    let mut y = Lanes::all(0xfef3_92e0u32).isub(x);
    let mut error = unit.mad(x, &y, 1.0);
    if unit.wide {
        y = unit.mad(&y, error, &y);
        error = unit.mad(x, &y, 1.0);
    }
    let p = unit.mad(&error, &error, &error);
    let y = y.neg();
    unit.mad(&y, p, &y)
}

/// 1 / x.
pub fn recip(unit: &Unit, x: &Lanes) -> Lanes {
    const PRECISE: u32 = 1;
    const APPROXIMATE: u32 = 2;
    let approximate = match unit.variant {
        PRECISE => false,
        APPROXIMATE => true,
        _ => unit.approximate,
    };
    match (unit.is_blackhole(), approximate, unit.wide) {
        (false, true, _) => wormhole(unit, x, &FOR_TWO_STEPS, 0, false),
        (false, false, true) => wormhole(unit, x, &FOR_TWO_STEPS, 2, false),
        (false, false, false) => wormhole(unit, x, &FOR_ONE_ROUNDED_STEP, 1, true),
        (true, true, _) => x.approximate_reciprocal(),
        (true, false, true) => {
            let y = x.approximate_reciprocal();
            let t = unit.mad(x.neg(), &y, 1.0);
            let e = unit.mad(&t, &t, &t);
            let e = unit.mad(&e, &t, &t).min(1.0);
            unit.mad(&e, &y, &y)
        }
        (true, false, false) => {
            // The half-way bit decides the eighth bit by the sign of the error.
            let y = x.approximate_reciprocal().or(0x8000);
            let error = unit.mad(unit.mad(0.0, 0.0, x), &y, -1.0);
            y.iadd(error.shift(-16))
        }
    }
}

/// number / x.
pub fn rdiv(unit: &Unit, x: &Lanes) -> Lanes {
    let inverse = match (unit.approximate, unit.wide) {
        (true, _) => steps(unit, x, 0),
        (false, true) => steps(unit, x, 2),
        (false, false) => steps(unit, x, 1).to_bf16(),
    };
    unit.mul(inverse, unit.real(0))
}

/// x / y.
pub fn div(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    if unit.wide {
        wide_quotient(unit, x, y)
    } else {
        narrow_quotient(unit, x, y)
    }
}

fn narrow_quotient(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    let quotient = unit.mul(x, steps(unit, y, 2));
    let by_zero = Lanes::all(f32::NAN).select(x.is_zero(), Lanes::all(f32::INFINITY).copy_sign(x));
    unit.rounded_even(by_zero.select(y.is_zero(), quotient))
}

fn wide_quotient(unit: &Unit, x: &Lanes, y: &Lanes) -> Lanes {
    const INFINITY: u32 = 0x7f80_0000;
    let (mx, my) = (x.set_exponent(127), y.set_exponent(127));
    let r = normalized(unit, &my);
    let q = unit.mul(&mx, &r);
    // Blackhole's kernel subtracts a product, which is not contracted.
    let residual = if unit.is_blackhole() {
        unit.sub(&mx, unit.mul(&q, &my))
    } else {
        unit.mad(&q, my.neg(), &mx)
    };
    let q = unit.mad(residual, r, q);
    let (ex, ey) = (x.biased_exponent(), y.exponent());
    let exponent = ex.isub(&ey).iadd(q.biased_exponent());
    let half = exponent.shift(-1);
    let scaled = unit.mul(
        q.set_exponent(&half),
        Lanes::all(1.0).set_exponent(exponent.isub(&half)),
    );

    let ordinary = ex
        .iless(1)
        .not()
        .and(ex.iless(255))
        .and(ey.iless(-126).not())
        .and(ey.iless(128));
    let nan_divisor = y.set_sign(false).above(INFINITY);
    let scale = if unit.is_blackhole() {
        y.not().and(0xff80_0000u32)
    } else {
        y.and(0xff80_0000u32).xor(INFINITY)
    };
    let special = if unit.is_blackhole() {
        unit.mad(x.neg(), scale, nan_divisor)
    } else {
        y.select(nan_divisor, unit.mul(x, scale))
    };
    scaled.select(ordinary, special)
}
