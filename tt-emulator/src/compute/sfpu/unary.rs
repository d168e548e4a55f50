//! Operations on one register: what each does to a lane.
//!
//! Lanes are `f32`; functions go through `f64` and round once. Denormal inputs read as zero, as the SFPU's do. Parameters
//! are the words the call got: `s.real(i)` reads one as an `f32` pattern.

use super::Scalars;
use super::real;
use crate::compute::rounding::{flush_keeping_sign, to_bf16_even};
use crate::compute::vector::vectorised;

/// Declares lane functions: `name(x, s) = expression`, with `x` an `f32` lane and `s` the parameters.
macro_rules! lanes {
    ($($(#[$meta:meta])* $name:ident($x:ident, $s:ident) = $body:expr;)*) => {
        $(
            vectorised! {
                $(#[$meta])*
                pub fn $name(values: &mut [f32], $s: &Scalars) {
                    let _ = $s;
                    for value in values {
                        let $x = f32::from_bits(flush_keeping_sign(value.to_bits()));
                        *value = $body;
                    }
                }
            }
        )*
    };
}

#[inline(always)]
fn wide(x: f32) -> f64 {
    f64::from(x)
}

#[inline(always)]
fn truth(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

/// Sign and magnitude order, in which the SFPU swaps minimum and maximum.
#[inline(always)]
pub fn order(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

/// The larger in sign and magnitude order.
#[inline(always)]
pub fn larger(a: f32, b: f32) -> f32 {
    if order(a) > order(b) { a } else { b }
}

/// The smaller in sign and magnitude order.
#[inline(always)]
pub fn smaller(a: f32, b: f32) -> f32 {
    if order(a) < order(b) { a } else { b }
}

#[inline(always)]
fn truncated(x: f32) -> f32 {
    let magnitude = x.abs();
    let rounded = (magnitude + 8_388_608.0) - 8_388_608.0;
    let down = if rounded > magnitude { rounded - 1.0 } else { rounded };
    if magnitude < 8_388_608.0 { down.copysign(x) } else { x }
}

#[inline(always)]
fn rounded_even(x: f32) -> f32 {
    let rounded = (x.abs() + 8_388_608.0) - 8_388_608.0;
    if x.abs() < 8_388_608.0 { rounded.copysign(x) } else { x }
}

/// Six segments of a straight line over |x|, the table that the fast GELU looks up; half of x is added.
#[inline(always)]
fn gelu_segments(x: f32) -> f32 {
    let a = x.abs();
    let (slope, offset) = if a < 0.5 {
        (0.1928f32, -0.000_104_43f32)
    } else {
        (0.4939, -0.1604)
    };
    let (slope, offset) = if a < 1.0 { (slope, offset) } else { (0.6188, -0.2796) };
    let (slope, offset) = if a < 1.5 { (slope, offset) } else { (0.6099, -0.2635) };
    let (slope, offset) = if a < 2.0 { (slope, offset) } else { (0.5402, -0.1194) };
    let (slope, offset) = if a < 3.0 { (slope, offset) } else { (0.5, 0.0) };
    a * slope + offset + 0.5 * x
}

/// e^x as the SFPU computes it for 16-bit registers: the integer part of x / ln 2 + 127 becomes the exponent, a parabola of
/// the fractional part the mantissa (Moroz et al. 2022, `exp_21f`). `constant` is the parabola's constant term.
#[inline(always)]
fn exp_21f(x: f32, constant: f64) -> f32 {
    const INVERSE_LN_2: f64 = 1.442_695_021_629_333_5;
    let scaled = (wide(x) * INVERSE_LN_2 + 127.0) as f32;
    let scaled = if scaled > 255.0 { 255.0 } else { scaled };
    let bits = if scaled > 0.0 { scaled.to_bits() } else { 0 };
    let (exponent, mantissa) = ((bits >> 23) as i32 - 127, (bits & 0x7f_ffff) | 0x80_0000);
    let fixed = if exponent >= 0 {
        mantissa << (exponent & 7)
    } else {
        mantissa >> (-exponent).min(31)
    };
    let fraction = f64::from((fixed & 0x7f_ffff) as i32);
    let parabola = (constant + fraction * (7.839_635_491_371_155e-8 + fraction * 4.791_750_143_340_323e-15)) as f32;
    f32::from_bits((fixed & 0x7f80_0000) | (parabola.to_bits() & 0x7f_ffff))
}

/// The constant term where instructions load it as fp16, and where they load all of it.
const EXP_CONSTANT_FP16: f64 = 1.001_953_125;
const EXP_CONSTANT: f64 = 1.001_724_8;

#[inline(always)]
fn sigmoid_of(x: f32, wide_registers: bool) -> f64 {
    if wide_registers {
        real::sigmoid(wide(x))
    } else {
        1.0 / (1.0 + wide(exp_21f(-x, EXP_CONSTANT)))
    }
}

#[inline(always)]
fn exp_of(x: f32, s: &Scalars) -> f32 {
    if s.wide {
        real::exp(wide(x) * wide(s.real(0))) as f32
    } else {
        exp_21f(x * s.real(0), EXP_CONSTANT_FP16)
    }
}

lanes! {
    exp(x, s) = exp_of(x, s);
    exp2(x, s) = real::exp2(wide(x)) as f32;
    expm1(x, s) = real::expm1(wide(x)) as f32;
    log(x, s) = real::log(wide(x)) as f32;
    log_with_base(x, s) = (real::log(wide(x)) * wide(s.real(0))) as f32;
    log1p(x, s) = real::log1p(wide(x)) as f32;
    sqrt(x, s) = x.sqrt();
    rsqrt(x, s) = (1.0 / wide(x).sqrt()) as f32;
    cbrt(x, s) = {
        let root = real::exp(real::log(wide(x).abs()) * (1.0 / 3.0));
        let root = if x == 0.0 { 0.0 } else { root };
        (if x.is_infinite() { wide(x) } else { root }).copysign(wide(x)) as f32
    };
    recip(x, s) = if x.is_nan() { 0.0f32.copysign(x) } else { 1.0 / x };
    abs(x, s) = x.abs();
    negative(x, s) = -x;
    sign(x, s) = if x == 0.0 { 0.0 } else { 1.0f32.copysign(x) };
    signbit(x, s) = truth(x.is_sign_negative());
    square(x, s) = x * x;
    identity(x, s) = x;

    sin(x, s) = real::sin(wide(x)) as f32;
    cos(x, s) = real::cos(wide(x)) as f32;
    tan(x, s) = (real::sin(wide(x)) / real::cos(wide(x))) as f32;
    asin(x, s) = real::atan(wide(x) / ((1.0 - wide(x)) * (1.0 + wide(x))).sqrt()) as f32;
    acos(x, s) = (2.0 * real::atan(((1.0 - wide(x)) / (1.0 + wide(x))).sqrt())) as f32;
    atan(x, s) = real::atan(wide(x)) as f32;
    sinh(x, s) = {
        let e = real::expm1(wide(x).abs());
        (0.5 * (e + e / (e + 1.0))).copysign(wide(x)) as f32
    };
    cosh(x, s) = {
        let e = real::exp(wide(x).abs());
        (0.5 * (e + 1.0 / e)) as f32
    };
    tanh(x, s) = real::tanh(wide(x)) as f32;
    asinh(x, s) = {
        let a = wide(x).abs();
        let sum = a + a * a / (1.0 + (1.0 + a * a).sqrt());
        (if x.is_infinite() { a } else { real::log1p(sum) }).copysign(wide(x)) as f32
    };
    acosh(x, s) = real::log1p((wide(x) - 1.0) + ((wide(x) - 1.0) * (wide(x) + 1.0)).sqrt()) as f32;
    atanh(x, s) = (0.5 * real::log1p(2.0 * wide(x) / (1.0 - wide(x)))) as f32;

    sigmoid(x, s) = sigmoid_of(x, s.wide) as f32;
    logsigmoid(x, s) = {
        let a = wide(x).abs();
        (wide(x).min(0.0) - real::log1p(real::exp(-a))) as f32
    };
    silu(x, s) = (wide(x) * sigmoid_of(x, s.wide)) as f32;
    gelu(x, s) = (wide(x) * 0.5 * real::erfc(-wide(x) * std::f64::consts::FRAC_1_SQRT_2)) as f32;
    gelu_fast(x, s) = gelu_segments(x);
    gelu_tanh(x, s) = {
        let inner = 0.797_884_560_802_865_4 * (wide(x) + 0.044_715 * wide(x) * wide(x) * wide(x));
        (wide(x) * real::sigmoid(2.0 * inner)) as f32
    };
    mish(x, s) = (wide(x) * real::tanh(softplus_of(wide(x)))) as f32;
    hardmish(x, s) = x * clamped(x * 0.5 + 1.0, 0.0, 1.0);
    softsign(x, s) = x / (1.0 + x.abs());
    tanhshrink(x, s) = tanhshrink_of(wide(x)) as f32;
    hardsigmoid(x, s) = clamped(x * 0.166_666_67 + 0.5, 0.0, 1.0);
    relu(x, s) = if x > 0.0 { x } else { 0.0 };
    relu_max(x, s) = clamped(x, 0.0, s.real(0));
    relu_min(x, s) = larger(x, s.real(0));
    leaky_relu(x, s) = if x.is_sign_negative() { x * s.real(0) } else { x };
    elu(x, s) = if x > 0.0 { x } else { (wide(s.real(0)) * real::expm1(wide(x))) as f32 };
    selu(x, s) = {
        let negative = wide(s.real(1)) * real::expm1(wide(x));
        (wide(s.real(0)) * if x > 0.0 { wide(x) } else { negative }) as f32
    };
    celu(x, s) = if x > 0.0 { x } else { (wide(s.real(0)) * real::expm1(wide(x) * wide(s.real(1)))) as f32 };
    softplus(x, s) = {
        let t = wide(x) * wide(s.real(0));
        if t > wide(s.real(2)) { x } else { (softplus_of(t) * wide(s.real(1))) as f32 }
    };
    softshrink(x, s) = if x.abs() > s.real(0) { x - s.real(0).copysign(x) } else { 0.0 };
    hardshrink(x, s) = if x.abs() > s.real(0) { x } else { 0.0 };
    clamp(x, s) = clamped(x, s.real(0), s.real(1));
    threshold(x, s) = if x > s.real(0) { x } else { s.real(1) };
    heaviside(x, s) = if x == 0.0 { s.real(0) } else { truth(x.is_sign_positive()) };
    erf(x, s) = real::erf(wide(x)) as f32;
    erfc(x, s) = real::erfc(wide(x)) as f32;

    floor(x, s) = { let t = truncated(x); if t > x { t - 1.0 } else { t } };
    ceil(x, s) = { let t = truncated(x); if t < x { t + 1.0 } else { t } };
    trunc(x, s) = truncated(x);
    frac(x, s) = x - truncated(x);
    round(x, s) = rounded_even(x * s.real(0)) * s.real(1);

    add_scalar(x, s) = x + s.real(0);
    sub_scalar(x, s) = x - s.real(0);
    mul_scalar(x, s) = x * s.real(0);
    rsub_scalar(x, s) = s.real(0) - x;
    rdiv_scalar(x, s) = s.real(0) / x;
    power_scalar(x, s) = real::power(wide(x), wide(s.real(0))) as f32;
    rpow_scalar(x, s) = real::power(wide(s.real(0)), wide(x)) as f32;
    max_scalar(x, s) = larger(x, s.real(0));
    min_scalar(x, s) = smaller(x, s.real(0));
    fmod_scalar(x, s) = remainder_toward_zero(wide(x), wide(s.real(0))) as f32;
    remainder_scalar(x, s) = remainder_of_floor(wide(x), wide(s.real(0))) as f32;

    eq_scalar(x, s) = truth(x == s.real(0));
    ne_scalar(x, s) = truth(x != s.real(0));
    lt_scalar(x, s) = truth(x < s.real(0));
    le_scalar(x, s) = truth(x <= s.real(0));
    gt_scalar(x, s) = truth(x > s.real(0));
    ge_scalar(x, s) = truth(x >= s.real(0));
    eq_zero(x, s) = truth(x == 0.0);
    ne_zero(x, s) = truth(x != 0.0);
    lt_zero(x, s) = truth(x < 0.0);
    le_zero(x, s) = truth(x <= 0.0);
    gt_zero(x, s) = truth(x > 0.0);
    ge_zero(x, s) = truth(x >= 0.0);
    is_infinite(x, s) = truth(x.is_infinite());
    is_positive_infinity(x, s) = truth(x == f32::INFINITY);
    is_negative_infinity(x, s) = truth(x == f32::NEG_INFINITY);
    is_nan(x, s) = truth(x.is_nan());
    is_finite(x, s) = truth(x.is_finite());

    fill(x, s) = { let _ = x; s.real(0) };
    round_to_bf16(x, s) = f32::from_bits(to_bf16_even(x.to_bits()));
}

#[inline(always)]
fn clamped(x: f32, low: f32, high: f32) -> f32 {
    smaller(larger(x, low), high)
}

/// ln(1 + e^t) without overflow.
#[inline(always)]
fn softplus_of(t: f64) -> f64 {
    (if t > 0.0 { t } else { 0.0 }) + real::log1p(real::exp(-t.abs()))
}

/// x − tanh x: a series near zero, where the difference would lose its digits.
#[inline(always)]
fn tanhshrink_of(x: f64) -> f64 {
    let w = x * x;
    let series = x * w * (1.0 / 3.0 + w * (-2.0 / 15.0 + w * (17.0 / 315.0 + w * (-62.0 / 2835.0))));
    if x.abs() < 0.05 { series } else { x - real::tanh(x) }
}

/// x − y·trunc(x / y).
#[inline(always)]
pub fn remainder_toward_zero(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    let nearest = real::integral(quotient.abs());
    let whole = (if nearest > quotient.abs() {
        nearest - 1.0
    } else {
        nearest
    })
    .copysign(quotient);
    x - whole * y
}

/// x − y·floor(x / y).
#[inline(always)]
pub fn remainder_of_floor(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    let nearest = real::integral(quotient);
    let whole = if nearest > quotient { nearest - 1.0 } else { nearest };
    x - whole * y
}

/// Lanes whose argument is too large for the vectorised reduction, recomputed with the standard library.
pub fn with_large_arguments(values: &mut [f32], s: &Scalars, lanes: fn(&mut [f32], &Scalars), exact: fn(f64) -> f64) {
    let is_large = |value: &f32| value.abs() > real::TRIGONOMETRIC_LIMIT as f32;
    if values.iter().any(is_large) {
        for value in values {
            if is_large(value) {
                *value = exact(f64::from(*value)) as f32;
            } else {
                lanes(std::slice::from_mut(value), s);
            }
        }
    } else {
        lanes(values, s);
    }
}

/// Sine of every argument.
pub fn sin_any(values: &mut [f32], s: &Scalars) {
    with_large_arguments(values, s, sin, f64::sin);
}

/// Cosine of every argument.
pub fn cos_any(values: &mut [f32], s: &Scalars) {
    with_large_arguments(values, s, cos, f64::cos);
}

/// Tangent of every argument.
pub fn tan_any(values: &mut [f32], s: &Scalars) {
    with_large_arguments(values, s, tan, f64::tan);
}
