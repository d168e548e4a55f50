//! 1 / x and x / y.
//!
//! Wormhole starts from a parabola over the mantissa and takes Newton steps; Blackhole from an instruction's table of seven
//! bits.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::multiply_add::GROUP;
use crate::compute::sfpu::unit::Unit;
use crate::compute::tile::FACE;
use crate::compute::vector::vectorised;

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

/// −1 / x of numbers from −2, which is not one of them, to −1.
fn newton(unit: &Unit, negative: &Lanes, start: &Start, steps: usize) -> Lanes {
    let mut out = Lanes::ZERO;
    if !newton_of_face(&negative.0, start.0, steps.max(1), &mut out.0) {
        out = newton_by_steps(unit, negative, start, steps);
    }
    out
}

/// The instructions of [`newton`], one by one.
fn newton_by_steps(unit: &Unit, negative: &Lanes, start: &Start, steps: usize) -> Lanes {
    let Start([constant, linear, square]) = *start;
    let y = unit.mad(square, negative, linear);
    let mut y = unit.mad(y, negative, constant);
    for _ in 0..steps.max(1) {
        let error = unit.mad(negative, &y, 1.0);
        y = unit.mad(&y, error, &y);
    }
    y
}

vectorised! {
    /// [`newton`] on Wormhole with the arithmetic of the machine, and whether all arguments are in its range.
    ///
    /// The first and every last sum of a step are as IEEE rounds them (`multiply_add.rs` says when that is so). Of the others both terms
    /// are close to each other; there the exponent of the larger is that of the constant.
    fn newton_of_face(negative: &[u32; FACE], start: [f32; 3], steps: usize, out: &mut [u32; FACE]) -> bool {
        let [constant, linear, square] = start;
        let mut in_range = true;
        for (negative, out) in negative.as_chunks::<GROUP>().0.iter().zip(out.as_chunks_mut::<GROUP>().0) {
            let x = negative.map(f32::from_bits);
            let mut y = [0.0; GROUP];
            for i in 0..GROUP {
                in_range &= negative[i] >> 23 == (-1f32).to_bits() >> 23;
                y[i] = cancelled(square.mul_add(x[i], linear), x[i], constant, 1.0 / (1 << 25) as f32);
            }
            for _ in 0..steps {
                for i in 0..GROUP {
                    let error = cancelled(y[i], x[i], 1.0, 1.0 / (1 << 26) as f32);
                    y[i] = y[i].mul_add(error, y[i]);
                }
            }
            *out = y.map(f32::to_bits);
        }
        in_range
    }
}

/// `x · y + z` of a negative product that all but cancels with z, as Wormhole's unit has it: the product is cut to multiples of `lowest`,
/// 2^-26 of the larger exponent, and what is lost shows in the last of them.
#[inline(always)]
fn cancelled(x: f32, y: f32, z: f32, lowest: f32) -> f32 {
    let product = x * y;
    // What is left of the product is exact, and so is the sum of the rest.
    let left = x.mul_add(y, -product) * (-1.0 / lowest);
    let cut = left.floor();
    let half = cut * 0.5;
    let is_even = half.floor() == half;
    let kept = if (cut != left) & is_even { cut + 1.0 } else { cut };
    (product + z) - kept * lowest
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchName;

    /// Every mantissa with `TT_EVERY_ARGUMENT`; else one in 61, and those next to powers of two.
    #[test]
    fn the_reciprocal_of_the_machine_is_that_of_the_steps() {
        let unit = Unit {
            chip: ArchName::WormholeB0,
            wide: true,
            approximate: false,
            input_f32: false,
            variant: 0,
            words: [0; 3],
        };
        let step = if std::env::var_os("TT_EVERY_ARGUMENT").is_some() {
            1
        } else {
            61
        };
        let ends = (0..512).chain((1 << 23) - 512..1 << 23);
        let mantissas: Vec<u32> = (0..1 << 23).step_by(step).chain(ends).collect();
        for (start, steps) in [(FOR_ONE_ROUNDED_STEP, 1), (FOR_TWO_STEPS, 1), (FOR_TWO_STEPS, 2)] {
            for mantissas in mantissas.chunks(FACE) {
                let mut x = Lanes::all(-1.0);
                x.0.iter_mut().zip(mantissas).for_each(|(x, mantissa)| *x |= mantissa);
                let mut machine = Lanes::ZERO;
                assert!(newton_of_face(&x.0, start.0, steps, &mut machine.0));
                assert_eq!(
                    machine.0,
                    newton_by_steps(&unit, &x, &start, steps).0,
                    "{steps} steps from {:#x} on",
                    x.0[0]
                );
            }
        }
    }

    #[test]
    fn arguments_beside_the_range_are_told() {
        for bits in [0u32, 0xbf7f_ffff, 0xc000_0000, 0x3f80_0000, 0xff80_0000] {
            let mut x = Lanes::all(-1.5);
            x.0[77] = bits;
            assert!(!newton_of_face(&x.0, FOR_TWO_STEPS.0, 2, &mut [0; FACE]), "{bits:#x}");
        }
    }
}
