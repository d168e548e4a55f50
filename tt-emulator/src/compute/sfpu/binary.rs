//! Operations on two and three registers: what each does to a lane.

use super::real;
use super::unary::{larger, remainder_of_floor, remainder_toward_zero, smaller};
use super::{Face, Scalars};
use crate::compute::rounding::{NEGATIVE_NAN, SIGN, flush_keeping_sign};
use crate::compute::vector::vectorised;

/// Declares lane functions of two operands; `out` may not overlap them.
macro_rules! pairs {
    ($($name:ident($x:ident, $y:ident, $s:ident) = $body:expr;)*) => {
        $(
            vectorised! {
                pub fn $name(first: &Face, second: &Face, out: &mut Face, $s: &Scalars) {
                    let _ = $s;
                    for ((out, x), y) in out.iter_mut().zip(first).zip(second) {
                        let $x = f32::from_bits(flush_keeping_sign(x.to_bits()));
                        let $y = f32::from_bits(flush_keeping_sign(y.to_bits()));
                        *out = $body;
                    }
                }
            }
        )*
    };
}

/// Declares lane functions of three operands.
macro_rules! triples {
    ($($name:ident($x:ident, $y:ident, $z:ident, $s:ident) = $body:expr;)*) => {
        $(
            vectorised! {
                pub fn $name(first: &Face, second: &Face, third: &Face, out: &mut Face, $s: &Scalars) {
                    let _ = $s;
                    for (out, ($x, ($y, $z))) in out.iter_mut().zip(first.iter().zip(second.iter().zip(third))) {
                        let ($x, $y, $z) = (*$x, *$y, *$z);
                        *out = $body;
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

/// The value, or the NaN of a product with these sign bits.
#[inline(always)]
pub fn with_nan_of(value: f32, product: u32) -> f32 {
    let nan = if product & SIGN != 0 { NEGATIVE_NAN } else { 0x7fc0_0000 };
    if value.is_nan() { f32::from_bits(nan) } else { value }
}

pairs! {
    // The first operand is the product of these sums, with one.
    add(x, y, s) = with_nan_of(x + y, x.to_bits());
    sub(x, y, s) = with_nan_of(x - y, x.to_bits());
    rsub(x, y, s) = with_nan_of(y - x, y.to_bits());
    // With a 16-bit destination +0 times anything is zero, as on the matrix engine.
    mul(x, y, s) = {
        let zero = !s.wide & ((x.to_bits() == 0) | (y.to_bits() == 0));
        if zero { 0.0 } else { with_nan_of(x * y, x.to_bits() ^ y.to_bits()) }
    };
    div(x, y, s) = x / y;
    power(x, y, s) = real::power(wide(x), wide(y)) as f32;
    max(x, y, s) = larger(x, y);
    min(x, y, s) = smaller(x, y);
    eq(x, y, s) = truth(x == y);
    ne(x, y, s) = truth(x != y);
    lt(x, y, s) = truth(x < y);
    le(x, y, s) = truth(x <= y);
    gt(x, y, s) = truth(x > y);
    ge(x, y, s) = truth(x >= y);
    xlogy(x, y, s) = (wide(x) * real::log(wide(y))) as f32;
    atan2(y, x, s) = {
        let base = real::atan(wide(y) / wide(x));
        let base = if y == 0.0 && x == 0.0 { 0.0f64.copysign(wide(y)) } else { base };
        let turned = base + std::f64::consts::PI.copysign(wide(y));
        (if x.is_sign_negative() { turned } else { base }) as f32
    };
    fmod(x, y, s) = remainder_toward_zero(wide(x), wide(y)) as f32;
    remainder(x, y, s) = remainder_of_floor(wide(x), wide(y)) as f32;
    logaddexp(x, y, s) = {
        let (high, low) = (wide(larger(x, y)), wide(smaller(x, y)));
        let sum = high + real::log1p(real::exp(low - high));
        (if high.is_infinite() { high } else { sum }) as f32
    };
    logaddexp2(x, y, s) = {
        let (high, low) = (wide(larger(x, y)), wide(smaller(x, y)));
        let sum = high + real::log1p(real::exp2(low - high)) * std::f64::consts::LOG2_E;
        (if high.is_infinite() { high } else { sum }) as f32
    };
    mask(x, m, s) = if m == 0.0 { 0.0 } else { x };
    mask_infinity(x, m, s) = if m == 0.0 { f32::INFINITY } else { x };
}

triples! {
    select(c, x, y, s) = if c.to_bits() << 1 != 0 { x } else { y };
    lerp(x, y, w, s) = x + w * (y - x);
    multiply_add(x, y, z, s) = x * y + z;
    addcmul(x, y, z, s) = x + s.real(0) * y * z;
    addcdiv(x, y, z, s) = x + s.real(0) * (y / z);
}
