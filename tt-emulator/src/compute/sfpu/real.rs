//! Elementary functions in `f64`, written so that loops over them vectorise.
//!
//! Results are rounded once to `f32` by the caller, so 1e-9 of relative error here is far below what the caller keeps.
//! No branches, no fused multiply-adds, no library calls: selections and bit patterns only, the same bits on every
//! machine. Inputs come from `f32` values, so no argument is denormal or beyond 2^128.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E};

/// Adding and subtracting this rounds to an integer, which its low bits then hold.
const ROUND: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[0];
    let mut i = 1;
    while i < N {
        sum = sum * x + coefficients[i];
        i += 1;
    }
    sum
}

/// `exp(x) = scale · (1 + rest)` with `scale` a power of two, for |x| below 700.
#[inline(always)]
fn exp_parts(x: f64) -> (f64, f64) {
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let shifted = x * LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    let rest = r * polynomial(
        r,
        [
            1.0 / 3_628_800.0,
            1.0 / 362_880.0,
            1.0 / 40_320.0,
            1.0 / 5_040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
        ],
    );
    (scale, rest)
}

/// Arguments beyond which `exp` over- or underflows `f32`, NaN kept.
#[inline(always)]
fn clamp(x: f64, limit: f64) -> f64 {
    let x = if x > limit { limit } else { x };
    if x < -limit { -limit } else { x }
}

/// e^x. Underflow goes to tiny normal `f64` values, overflow to huge ones.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (scale, rest) = exp_parts(clamp(x, 400.0));
    let value = scale + scale * rest;
    if x.is_nan() { x } else { value }
}

/// 2^x.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    exp(clamp(x, 400.0) * LN_2)
}

/// e^x − 1, exact to its own size near zero.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let (scale, rest) = exp_parts(clamp(x, 400.0));
    let value = scale * rest + (scale - 1.0);
    if x.is_nan() { x } else { value }
}

/// ln(1 + f) for `f` between √½ − 1 and √2 − 1.
#[inline(always)]
fn log_near_one(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let w = s * s;
    let series = polynomial(
        w,
        [
            1.0 / 17.0,
            1.0 / 15.0,
            1.0 / 13.0,
            1.0 / 11.0,
            1.0 / 9.0,
            1.0 / 7.0,
            1.0 / 5.0,
            1.0 / 3.0,
            1.0,
        ],
    );
    2.0 * s * series
}

/// Exponent and mantissa of a positive normal value, the mantissa between √½ and √2.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const LOW: u64 = 0x3fe6_a09e_0000_0000;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let shifted = x.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - LOW);
    let k = f64::from_bits(0x4330_0000_0000_0000 | (shifted >> 52)) - TWO_52 - 1023.0;
    (k, f64::from_bits((shifted & 0x000f_ffff_ffff_ffff) + LOW))
}

#[inline(always)]
fn log_domain(x: f64, value: f64) -> f64 {
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    let value = if x < 0.0 { f64::NAN } else { value };
    let value = if x == f64::INFINITY { x } else { value };
    if x.is_nan() { x } else { value }
}

/// ln x.
#[inline(always)]
pub fn log(x: f64) -> f64 {
    let (k, m) = split(x);
    log_domain(x, k * LN_2 + log_near_one(m - 1.0))
}

/// ln(1 + x), exact to its own size near zero.
#[inline(always)]
pub fn log1p(x: f64) -> f64 {
    let u = 1.0 + x;
    let (k, m) = split(u);
    let f = if k == 0.0 { x } else { m - 1.0 };
    log_domain(u, k * LN_2 + log_near_one(f))
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let e = expm1(2.0 * clamp(x, 30.0));
    e / (e + 2.0)
}

/// 1 / (1 + e^−x).
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// Arguments up to here are reduced exactly enough by [`sin`] and [`cos`].
pub const TRIGONOMETRIC_LIMIT: f64 = 1_073_741_824.0;

/// The argument less its nearest multiple of π/2, and that multiple modulo 4 in the low bits.
#[inline(always)]
fn quadrant(x: f64) -> (f64, u64) {
    const A: f64 = 1.570_796_251_296_997;
    const B: f64 = 7.549_789_415_861_596e-8;
    const C: f64 = 5.390_302_858_158_119e-15;
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let k = shifted - ROUND;
    (((x - k * A) - k * B) - k * C, shifted.to_bits())
}

#[inline(always)]
fn sin_near_zero(r: f64) -> f64 {
    let w = r * r;
    r * polynomial(
        w,
        [
            1.0 / 6_227_020_800.0,
            -1.0 / 39_916_800.0,
            1.0 / 362_880.0,
            -1.0 / 5_040.0,
            1.0 / 120.0,
            -1.0 / 6.0,
            1.0,
        ],
    )
}

#[inline(always)]
fn cos_near_zero(r: f64) -> f64 {
    let w = r * r;
    polynomial(
        w,
        [
            1.0 / 479_001_600.0,
            -1.0 / 3_628_800.0,
            1.0 / 40_320.0,
            -1.0 / 720.0,
            1.0 / 24.0,
            -0.5,
            1.0,
        ],
    )
}

#[inline(always)]
fn negate_if(value: f64, condition: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (condition << 63))
}

/// Sine, for |x| up to [`TRIGONOMETRIC_LIMIT`].
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let (r, q) = quadrant(x);
    let value = if q & 1 != 0 { cos_near_zero(r) } else { sin_near_zero(r) };
    negate_if(value, (q >> 1) & 1)
}

/// Cosine, for |x| up to [`TRIGONOMETRIC_LIMIT`].
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (r, q) = quadrant(x);
    let value = if q & 1 != 0 { sin_near_zero(r) } else { cos_near_zero(r) };
    negate_if(value, ((q >> 1) ^ q) & 1)
}

/// Arctangent.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
    let a = x.abs();
    let steep = a > 1.0;
    let a = if steep { 1.0 / a } else { a };
    let middle = a > TAN_PI_8;
    let s = if middle { (a - 1.0) / (a + 1.0) } else { a };
    let w = s * s;
    let series = s * polynomial(
        w,
        [
            1.0 / 25.0,
            -1.0 / 23.0,
            1.0 / 21.0,
            -1.0 / 19.0,
            1.0 / 17.0,
            -1.0 / 15.0,
            1.0 / 13.0,
            -1.0 / 11.0,
            1.0 / 9.0,
            -1.0 / 7.0,
            1.0 / 5.0,
            -1.0 / 3.0,
            1.0,
        ],
    );
    let value = if middle { FRAC_PI_4 + series } else { series };
    let value = if steep { FRAC_PI_2 - value } else { value };
    value.copysign(x)
}

/// erfc(z) for z ≥ 0 with full relative precision: e^−z² times a polynomial in (z − 4) / (z + 4).
#[inline(always)]
fn erfc_of_magnitude(z: f64) -> f64 {
    let y = (z - 4.0) / (z + 4.0);
    let p = polynomial(
        y,
        [
            3.242_142_270_178_062e-6,
            -9.600_045_996_213_345e-6,
            -2.078_421_564_268_351_6e-5,
            0.000_147_808_363_968_693_27,
            -0.000_202_164_581_271_282,
            -0.000_755_333_099_407_509_6,
            0.005_033_294_614_172_266,
            -0.016_198_891_729_773_256,
            0.037_167_184_110_216_245,
            -0.066_330_069_195_396_37,
            0.093_732_876_004_527_19,
            -0.101_039_103_249_467_85,
            0.068_097_052_312_273_48,
            0.015_379_653_877_906_56,
            -0.139_621_116_825_403_07,
            1.232_995_118_611_678,
        ],
    );
    exp(-(z * z)) * p / (1.0 + 2.0 * z)
}

/// Complementary error function.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let z = x.abs();
    let tail = erfc_of_magnitude(if z > 30.0 { 30.0 } else { z });
    let value = if x < 0.0 { 2.0 - tail } else { tail };
    if x.is_nan() { x } else { value }
}

/// Error function.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let z = x.abs();
    let w = if z < 1.0 { z * z } else { 1.0 };
    let small = z * polynomial(
        w,
        [
            9.428_596_956_834_164e-9,
            -1.518_828_124_733_516_7e-7,
            1.631_035_651_387_174e-6,
            -1.491_330_090_631_639_5e-5,
            0.000_120_546_819_183_105_99,
            -0.000_854_830_487_178_274_1,
            0.005_223_977_154_105_304,
            -0.026_866_170_586_496_874,
            0.112_837_916_705_803_91,
            -0.376_126_389_031_744,
            1.128_379_167_095_512_1,
        ],
    );
    let value = if z < 1.0 {
        small
    } else {
        1.0 - erfc_of_magnitude(if z > 30.0 { 30.0 } else { z })
    };
    let value = value.copysign(x);
    if x.is_nan() { x } else { value }
}

/// |x|^y through logarithms; the sign and the special cases are [`power`]'s.
#[inline(always)]
fn power_of_magnitude(x: f64, y: f64) -> f64 {
    let product = y * log(x.abs());
    let product = if y == 0.0 { 0.0 } else { product };
    exp(product)
}

/// x^y: negative bases with integer exponents only, x^0 = 1 for every x.
#[inline(always)]
pub fn power(x: f64, y: f64) -> f64 {
    let magnitude = power_of_magnitude(x, y);
    let magnitude = if magnitude > 1e150 { f64::INFINITY } else { magnitude };
    let integer = integral(y) == y;
    let half = y * 0.5;
    let odd = integer && integral(half) != half;
    let signed = if x < 0.0 && odd { -magnitude } else { magnitude };
    if x < 0.0 && !integer { f64::NAN } else { signed }
}

/// The nearest integer, halves to even; values of 2^51 and beyond are integers already.
#[inline(always)]
pub fn integral(x: f64) -> f64 {
    let rounded = (x.abs() + 4_503_599_627_370_496.0) - 4_503_599_627_370_496.0;
    if x.abs() < 2_251_799_813_685_248.0 {
        rounded.copysign(x)
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(name: &str, from: f64, to: f64, function: fn(f64) -> f64, exact: fn(f64) -> f64) {
        for i in 0..=20_000 {
            let x = from + (to - from) * f64::from(i) / 20_000.0;
            let (value, expected) = (function(x), exact(x));
            let error = (value - expected).abs() / expected.abs().max(1e-300);
            assert!(
                error < 2e-10 || (value - expected).abs() < 1e-15,
                "{name}({x}) = {value}, not {expected}"
            );
        }
    }

    #[test]
    fn functions_agree_with_the_standard_library() {
        compare("exp", -87.0, 88.0, exp, f64::exp);
        compare("exp2", -126.0, 127.0, exp2, f64::exp2);
        compare("expm1", -1e-6, 1e-6, expm1, f64::exp_m1);
        compare("expm1", -20.0, 20.0, expm1, f64::exp_m1);
        compare("log", 1e-6, 3.0, log, f64::ln);
        compare("log", 1.0, 1e30, log, f64::ln);
        compare("log1p", -0.9, 2.0, log1p, f64::ln_1p);
        compare("log1p", -1e-8, 1e-8, log1p, f64::ln_1p);
        compare("tanh", -12.0, 12.0, tanh, f64::tanh);
        compare("sin", -50.0, 50.0, sin, f64::sin);
        compare("cos", -50.0, 50.0, cos, f64::cos);
        compare("sin", 1e8, 1.0001e8, sin, f64::sin);
        compare("atan", -30.0, 30.0, atan, f64::atan);
    }

    #[test]
    fn error_functions_keep_their_relative_precision() {
        // Abramowitz and Stegun, table 7.1, and asymptotic tails computed with 40 digits.
        for (x, erf_x, erfc_x) in [
            (0.1, 0.112_462_916_018_284_9, 0.887_537_083_981_715),
            (0.5, 0.520_499_877_813_046_5, 0.479_500_122_186_953_5),
            (1.0, 0.842_700_792_949_714_9, 0.157_299_207_050_285_1),
            (2.0, 0.995_322_265_018_952_7, 0.004_677_734_981_047_266),
            (4.0, 0.999_999_984_582_742_1, 1.541_725_790_028_002e-8),
            (8.0, 1.0, 1.122_429_717_298_292_8e-29),
        ] {
            assert!((erf(x) - erf_x).abs() < 1e-10 * erf_x, "erf({x}) = {}", erf(x));
            assert!((erfc(x) - erfc_x).abs() < 1e-9 * erfc_x, "erfc({x}) = {}", erfc(x));
            assert!((erf(-x) + erf_x).abs() < 1e-10 && (erfc(-x) - (2.0 - erfc_x)).abs() < 1e-10);
        }
    }

    #[test]
    fn powers_know_signs_and_zero() {
        assert_eq!(power(-2.0, 0.0), 1.0);
        assert_eq!(power(0.0, 0.0), 1.0);
        assert!((power(-2.0, 3.0) + 8.0).abs() < 1e-9);
        assert!((power(-2.0, 2.0) - 4.0).abs() < 1e-9);
        assert!((power(2.0, -1.5) - 0.353_553_390_593_273_8).abs() < 1e-10);
        assert!(power(-2.0, 0.5).is_nan());
        assert!(power(0.0, 2.0) < 1e-100 && power(0.0, -1.0).is_infinite());
    }

    #[test]
    fn special_values_pass_through() {
        assert!(exp(f64::NAN).is_nan() && log(f64::NAN).is_nan() && erf(f64::NAN).is_nan());
        assert_eq!(log(0.0), f64::NEG_INFINITY);
        assert_eq!(log(f64::INFINITY), f64::INFINITY);
        assert!(log(-1.0).is_nan() && log1p(-1.5).is_nan());
        assert_eq!(tanh(f64::INFINITY), 1.0);
        assert_eq!(sigmoid(f64::NEG_INFINITY), 1.0 / (1.0 + exp(400.0)));
        assert_eq!(integral(2.5), 2.0);
        assert_eq!(integral(-3.5), -4.0);
    }
}
