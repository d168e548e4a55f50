//! The multiply-add of the vector unit, bit for bit.
//!
//! It is neither IEEE's fused operation nor two roundings: the product keeps 28 bits, the lowest of which collects what lies
//! below; both terms are aligned to the larger exponent with three bits to spare, a term shifted out entirely leaves no
//! trace, and the sum is rounded to nearest even. Denormals are zero on both sides. The two chips differ in the signs of
//! zeros and NaNs and in one bit that Wormhole drops when the sum carries twice. Source of the facts: the simulator ttsim
//! 1.10.0, `src/fma.cpp`.

use super::lanes::{Lanes, Space};
use crate::compute::rounding::to_bf16_even;
use crate::compute::tile::FACE;
use crate::compute::vector::vectorised;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// Mantissa with its implicit bit, zero for denormals.
#[inline(always)]
fn mantissa(bits: u32, exponent: i32) -> u32 {
    if exponent == 0 {
        0
    } else {
        (bits & 0x7f_ffff) | 0x80_0000
    }
}

/// Shifts right; what is lost shows in the lowest bit unless all is lost.
#[inline(always)]
fn shifted(value: u32, distance: i32) -> u32 {
    let distance = if distance > 31 { 31 } else { distance } as u32;
    let kept = value >> distance;
    let lost = (kept != 0) & ((kept << distance) != value);
    kept | lost as u32
}

/// A sum of terms aligned to the exponent `top`, rounded; and its pattern as far as that shows through a NaN.
#[inline(always)]
fn rounded_sum<const BLACKHOLE: bool>(sum: i32, top: i32, zero_sign: u32) -> (u32, u32) {
    let sign = sum as u32 & SIGN;
    let magnitude = sum.unsigned_abs();
    // Wormhole forgets bit 1 when the sum is shifted by two.
    let magnitude = if !BLACKHOLE && magnitude >= 0x1000_0000 {
        magnitude & !2
    } else {
        magnitude
    };

    // The conversion rounds to nearest even; 2^26 stands for one unit of the larger exponent.
    let rounded = magnitude as i32 as f32;
    let bits = rounded.to_bits();
    let result_exponent = (bits >> 23) as i32 - 127 - 26 + top;
    let fraction = bits & 0x7f_ffff;
    let normal = ((result_exponent as u32) << 23) | fraction;
    let tiny = result_exponent <= 0;
    let zero = magnitude == 0;
    let finite = if BLACKHOLE {
        // A denormal whose bits are all ones is rounded up to the smallest normal value before the flush.
        let carried = (fraction == 0) & (rounded as i32 > magnitude as i32);
        let flushed = sign
            | if (fraction == 0x7f_ffff) | carried {
                0x80_0000
            } else {
                0
            };
        let value = if tiny { flushed } else { sign | normal };
        if zero { zero_sign } else { value }
    } else if zero | tiny {
        0
    } else {
        sign | normal
    };
    let too_large = !zero & (result_exponent >= 255);
    let leak = if zero | too_large | tiny { 0 } else { normal };
    (if too_large { sign | INFINITY } else { finite }, leak)
}

/// `x · y + z` of one lane.
#[inline(always)]
pub fn multiply_add<const BLACKHOLE: bool>(x: u32, y: u32, z: u32) -> u32 {
    let exponent = |bits: u32| ((bits >> 23) & 255) as i32;
    let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
    let (xm, ym, zm) = (mantissa(x, xe), mantissa(y, ye), mantissa(z, ze) << 3);
    let (p_sign, z_sign) = ((x ^ y) & SIGN, z & SIGN);

    let product = u64::from(xm) * u64::from(ym);
    let pm = (product >> 20) as u32 | ((product as u32 & 0xf_ffff) != 0) as u32;
    let pe = xe + ye - 127;
    let underflow = (pm == 0) | (pe < 0);
    let (pm, p_aligned) = if underflow { (0, 0) } else { (pm, pe) };
    let p_aligned = if !BLACKHOLE && p_aligned > 255 { 255 } else { p_aligned };

    let top = if p_aligned > ze { p_aligned } else { ze };
    let p = shifted(pm, top - p_aligned) as i32;
    let q = shifted(zm, top - ze) as i32;
    let sum = (if p_sign != 0 { -p } else { p }) + (if z_sign != 0 { -q } else { q });
    let (finite, leak) = rounded_sum::<BLACKHOLE>(sum, top, z_sign & p_sign);
    // Nothing is added to a product of zero: z as it is.
    let finite = if underflow & (zm != 0) { z } else { finite };

    let fraction_of = |bits: u32| bits & 0x7f_ffff;
    let product_infinite = (xe == 255) | (ye == 255) | (!BLACKHOLE & (pe >= 255));
    let special = product_infinite | (pe >= 255) | (ze == 255);
    let product_nan =
        ((xe == 255) & ((fraction_of(x) != 0) | (ym == 0))) | ((ye == 255) & ((fraction_of(y) != 0) | (xm == 0)));
    let z_infinite = (ze == 255) & (fraction_of(z) == 0);
    let z_nan = (ze == 255) & (fraction_of(z) != 0);
    let opposed = z_infinite & product_infinite & (z_sign != p_sign);
    let nan = if BLACKHOLE {
        0x7fc0_0000
    } else {
        // The mantissa of the sum shows through.
        leak | (if product_nan | opposed { p_sign } else { z_sign }) | 0x7f80_0001
    };
    let infinite = if z_infinite { z } else { p_sign | INFINITY };
    let value = if special { infinite } else { finite };
    if product_nan | opposed | z_nan { nan } else { value }
}

/// Lanes that are judged together: as many as the widest vector unit has.
pub const GROUP: usize = 16;

/// The exponent's bits.
#[inline(always)]
fn exponent(bits: u32) -> i32 {
    ((bits >> 23) & 255) as i32
}

/// Far enough from denormals that what is added to or taken from one of this size is no rounding of it: 2^-63.
const FAR: f32 = f32::from_bits(64 << 23);

/// `x · y + 0` by the multiplication of the machine, and whether that is what the unit gives.
///
/// Nothing is aligned, so that the bits below the 28 that are kept only decide the rounding, which their lowest bit still does. What
/// is zero here is zero there, of positive sign. What comes near a denormal or to an infinity is left to [`multiply_add`].
#[inline(always)]
fn product_lane(x: u32, y: u32) -> (u32, bool) {
    let [x, y] = [x, y].map(f32::from_bits);
    let value = x * y;
    let normal = (x.abs() >= f32::MIN_POSITIVE) & (y.abs() >= f32::MIN_POSITIVE);
    let far = (value.abs() >= FAR) & (value.abs() <= f32::MAX);
    // Zeros lose their sign by the sum.
    ((value + 0.0).to_bits(), (normal & far) | (value == 0.0))
}

/// `1 · y + z` by the addition of the machine, and whether that is what the unit gives.
///
/// The product is exact, so that at most one term loses bits to the alignment, and then the sum keeps at least two of the three bits to
/// spare: the rounding is IEEE's. A denormal beside a sum far from them changes nothing. Two terms that cancel give a positive zero;
/// so do two negative zeros on Wormhole.
#[inline(always)]
pub fn sum_lane<const BLACKHOLE: bool>(y: u32, z: u32) -> (u32, bool) {
    let value = f32::from_bits(y) + f32::from_bits(z);
    let far = (value.abs() >= FAR) & (value.abs() <= f32::MAX);
    let kept = if BLACKHOLE { value } else { value + 0.0 };
    (kept.to_bits(), far | (value == 0.0))
}

/// Factors up to this one, 2^40, make no denormal so large that it matters beside a term of [`SMALL`].
pub const LARGE: f32 = f32::from_bits(167 << 23);
/// 2^-50.
pub const SMALL: f32 = f32::from_bits(77 << 23);

/// The power of 2 that a number begins with.
#[inline(always)]
fn leading(number: f32) -> f32 {
    f32::from_bits(number.to_bits() & INFINITY)
}

/// Whether factors are no larger than [`LARGE`], and the power of 2 of the term that is added to their product is neither larger nor
/// smaller than [`SMALL`].
#[inline(always)]
fn is_moderate(x: f32, y: f32, one: f32) -> bool {
    const SPAN: u32 = LARGE.to_bits() - SMALL.to_bits();
    (x.abs() <= LARGE) & (y.abs() <= LARGE) & (one.to_bits().wrapping_sub(SMALL.to_bits()) <= SPAN)
}

/// `x · y + z` by the fused operation of the machine where z leads, and whether that is what the unit gives.
///
/// z leads where its exponent is the larger one and the sum is not shifted left by more than one place. Then it is aligned without loss,
/// and the lowest bit, which collects what the product loses, only decides the rounding. A product too small to leave a trace changes
/// nothing by IEEE either.
#[inline(always)]
fn led_lane(x: u32, y: u32, z: u32) -> (u32, bool) {
    let [x, y, z] = [x, y, z].map(f32::from_bits);
    let one = leading(z);
    let value = x.mul_add(y, z);
    let leads = ((x * y).abs() < 2.0 * one) & (value.abs() >= 0.5 * one);
    (value.to_bits(), leads & is_moderate(x, y, one))
}

/// `x · y + z` where the terms all but cancel, and whether they do.
///
/// They do where no more than a quarter of z is left. The product is cut to multiples of 2^-26 of the exponent of z, and what is lost
/// shows in the last of them; the rounded product and what it lacks are such multiples, but for what is lost, and their sums are exact.
#[inline(always)]
fn cancelled_lane(x: u32, y: u32, z: u32) -> (u32, bool) {
    let [x, y, z] = [x, y, z].map(f32::from_bits);
    let one = leading(z);
    let product = x * y;
    let lowest = one * (1.0 / (1 << 26) as f32);
    let inverse = f32::from_bits((254u32 << 23).wrapping_sub(lowest.to_bits()));
    // How much larger the product is than it was rounded to.
    let lack = x.mul_add(y, -product) * inverse.copysign(product);
    let cut = lack.floor();
    let half = cut * 0.5;
    let is_even = half.floor() == half;
    let kept = if (cut != lack) & is_even { cut + 1.0 } else { cut };
    let left = product + z;
    let cancels = (left.abs() <= 0.25 * z.abs()) & (leading(product) <= one);
    let value = left + kept * lowest.copysign(product);
    (value.to_bits(), cancels & is_moderate(x, y, one))
}

/// `x · y + z` by the fused operation of the machine, and whether that is certainly what the unit gives.
///
/// That is so where both terms are aligned without loss, and where one of them loses bits and the other is even, but the sum is
/// not shifted left by more than one place: the lowest bit, which collects what is lost, then only decides the rounding. The
/// product loses no bit where an `f32` holds it; of the three bits to spare a term whose exponent is smaller by two leaves one.
#[inline(always)]
fn fused_lane<const BLACKHOLE: bool>(x: u32, y: u32, z: u32) -> (u32, bool) {
    let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
    let [a, b, c] = [x, y, z].map(f32::from_bits);
    let value = a.mul_add(b, c).to_bits();
    let e = exponent(value);
    let product = a * b;
    let exact = a.mul_add(b, -product) == 0.0;
    let pe = xe + ye - 127;
    let above = ze - pe;
    let top = if above > 0 { ze } else { pe };
    let of_product = exact & (above <= 2);
    let of_z = above >= -2;
    let ordinary = (xe != 0) & (ye != 0) & (ze != 0) & (xe != 255) & (ye != 255) & (ze != 255);
    // Far from denormals, the rest of a product is representable.
    let in_range = (pe >= 26) & (e >= 2) & (e.max(top + 1) < 254);
    // Wormhole forgets a bit of larger sums.
    let small = BLACKHOLE | (e <= top + 1);
    let certain = (of_product & of_z) | ((of_product | of_z) & (e >= top - 1));
    (value, ordinary & in_range & small & certain)
}

/// `x · y + z` of numbers, step by step as [`multiply_add`], and whether none of them, nor their product, is an infinity or a NaN.
///
/// The product is shifted once instead of twice: what the first shift would lose, the second does.
#[inline(always)]
fn finite_lane<const BLACKHOLE: bool>(x: u32, y: u32, z: u32) -> (u32, bool) {
    let (xe, ye, ze) = (exponent(x), exponent(y), exponent(z));
    let (xm, ym, zm) = (mantissa(x, xe), mantissa(y, ye), mantissa(z, ze) << 3);
    let (p_sign, z_sign) = ((x ^ y) & SIGN, z & SIGN);
    let pe = xe + ye - 127;
    let underflow = (xm == 0) | (ym == 0) | (pe < 0);
    let (product, aligned) = if underflow {
        (0, 0)
    } else {
        (u64::from(xm) * u64::from(ym), pe)
    };
    let top = if aligned > ze { aligned } else { ze };
    let distance = if top - aligned > 31 {
        51
    } else {
        (top - aligned + 20) as u32
    };
    let kept = product >> distance;
    let lost = (kept != 0) & ((kept << distance) != product);
    let p = (kept as u32 | lost as u32) as i32;
    let q = shifted(zm, top - ze) as i32;
    let sum = (if p_sign != 0 { -p } else { p }) + (if z_sign != 0 { -q } else { q });
    let ordinary = (xe != 255) & (ye != 255) & (ze != 255) & (pe < 255);
    let (value, _) = rounded_sum::<BLACKHOLE>(sum, top, z_sign & p_sign);
    (if underflow & (zm != 0) { z } else { value }, ordinary)
}

/// Runs quick forms over groups of lanes, the next over those groups in which a lane asks for it, and last the certain form.
macro_rules! on_face {
    ($name:ident $operands:tt, [$($quick:expr),+], $certain:expr) => {
        on_face!(@ $name $operands, [$($quick => $operands),+], $certain);
    };
    (@ $name:ident($($operand:ident),+), [$($quick:expr => ($($given:ident),+)),+], $certain:expr) => {
        vectorised! {
            fn $name($($operand: &[u32; FACE],)+ out: &mut Space) {
                for group in 0..FACE / GROUP {
                    let lanes = group * GROUP..(group + 1) * GROUP;
                    $(
                        let mut doubtful = 0;
                        for i in lanes.clone() {
                            let (value, ordinary) = $quick($($given[i]),+);
                            out[i].write(value);
                            doubtful |= u32::from(!ordinary);
                        }
                        if doubtful == 0 {
                            continue;
                        }
                    )+
                    for i in lanes {
                        out[i].write($certain($($operand[i]),+));
                    }
                }
            }
        }
    };
}

on_face!(
    fused_on_wormhole(x, y, z),
    [led_lane, fused_lane::<false>, finite_lane::<false>],
    multiply_add::<false>
);
on_face!(
    fused_on_blackhole(x, y, z),
    [led_lane, fused_lane::<true>, finite_lane::<true>],
    multiply_add::<true>
);
on_face!(
    rest_on_wormhole(x, y, z),
    [cancelled_lane, finite_lane::<false>],
    multiply_add::<false>
);
on_face!(
    rest_on_blackhole(x, y, z),
    [cancelled_lane, finite_lane::<true>],
    multiply_add::<true>
);
on_face!(
    sum_on_wormhole(y, z),
    [sum_lane::<false>],
    |y, z| multiply_add::<false>(ONE, y, z)
);
on_face!(sum_on_blackhole(y, z), [sum_lane::<true>], |y, z| multiply_add::<true>(
    ONE, y, z
));
on_face!(
    difference_on_wormhole(y, z),
    [|y, z| sum_lane::<false>(y, z ^ SIGN)],
    |y, z| multiply_add::<false>(ONE, y, z ^ SIGN)
);
on_face!(
    difference_on_blackhole(y, z),
    [|y, z| sum_lane::<true>(y, z ^ SIGN)],
    |y, z| multiply_add::<true>(ONE, y, z ^ SIGN)
);
on_face!(product_on_wormhole(x, y), [product_lane], |x, y| multiply_add::<false>(
    x, y, 0
));
on_face!(product_on_blackhole(x, y), [product_lane], |x, y| multiply_add::<true>(
    x, y, 0
));
on_face!(
    short_product_on_wormhole(x, y),
    [|x, y| short(x, y, product_lane(x, y))],
    |x, y| short(x, y, (multiply_add::<false>(x, y, 0), true)).0
);
on_face!(
    short_product_on_blackhole(x, y),
    [|x, y| short(x, y, product_lane(x, y))],
    |x, y| short(x, y, (multiply_add::<true>(x, y, 0), true)).0
);

/// A product as [`short_product`] leaves it.
#[inline(always)]
fn short(x: u32, y: u32, (product, ordinary): (u32, bool)) -> (u32, bool) {
    let rounded = to_bf16_even(product);
    (if (x == 0) | (y == 0) { 0 } else { rounded }, ordinary)
}

/// 1.
pub const ONE: u32 = 0x3f80_0000;

/// Declares an operation over a face as one chip computes it or the other.
macro_rules! of_chip {
    ($($(#[$meta:meta])* $name:ident($($operand:ident),+) = $wormhole:ident, $blackhole:ident;)*) => {
        $(
            $(#[$meta])*
            pub fn $name(blackhole: bool, $($operand: &Lanes),+) -> Lanes {
                let work = if blackhole { $blackhole } else { $wormhole };
                // SAFETY: every group of lanes is written.
                unsafe { Lanes::written(|out| work($(&$operand.0,)+ out)) }
            }
        )*
    };
}

of_chip! {
    /// `x · y + z`.
    face(x, y, z) = fused_on_wormhole, fused_on_blackhole;
    /// `x · y + z`, which is sooner found where the terms all but cancel.
    rest(x, y, z) = rest_on_wormhole, rest_on_blackhole;
    /// `1 · y + z`.
    sum(y, z) = sum_on_wormhole, sum_on_blackhole;
    /// `1 · y − z`.
    difference(y, z) = difference_on_wormhole, difference_on_blackhole;
    /// `x · y + 0`.
    product(x, y) = product_on_wormhole, product_on_blackhole;
    /// `x · y + 0` rounded to the nearest bf16, halves to even, by integer arithmetic, and zero where a factor is +0.
    short_product(x, y) = short_product_on_wormhole, short_product_on_blackhole;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers whose exponents lie close together, as terms that cancel have them, among numbers of any bits.
    fn numbers(seed: u64) -> impl FnMut() -> u32 {
        let mut state = seed;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        move || {
            let (bits, shape) = (next(), next());
            // Few bits of the mantissa, so that products are exact.
            let bits = if shape & 3 == 0 { bits & 0xffff_0000 } else { bits };
            match (shape >> 2) & 15 {
                0 => bits,
                1 => bits & 0x807f_ffff,
                2 => bits | 0x7f80_0000,
                3 => bits & 0xff80_0000,
                4 => (bits & 0x807f_ffff) | ((bits >> 24 & 3) << 23),
                5 => (bits & 0x807f_ffff) | (0xfc + (bits >> 24 & 3)) << 23,
                6 => (bits & 0x807f_ffff) | (54 + (bits >> 24 & 15)) << 23,
                _ => (bits & 0x807f_ffff) | (123 + (bits >> 24 & 7)) << 23,
            }
        }
    }

    #[test]
    fn a_short_product_is_a_product_rounded_and_zero_beside_zero() {
        let mut next = numbers(7);
        for blackhole in [false, true] {
            for _ in 0..2000 {
                let [x, y] = [(); 2].map(|()| Lanes(std::array::from_fn(|i| if i % 29 == 0 { 0 } else { next() })));
                let rounded = product(blackhole, &x, &y).to_bf16_even();
                let short = short_product(blackhole, &x, &y);
                for i in 0..FACE {
                    let is_beside_zero = x.0[i] == 0 || y.0[i] == 0;
                    let expected = if is_beside_zero { 0 } else { rounded.0[i] };
                    assert_eq!(short.0[i], expected, "{:#x} · {:#x}", x.0[i], y.0[i]);
                }
            }
        }
    }

    #[test]
    fn what_the_quick_forms_are_certain_of_is_what_the_unit_gives() {
        let mut next = numbers(5);
        let (mut certain, rounds) = ([0u32; 6], 4_000_000u32);
        for _ in 0..rounds {
            let (x, y, mut z) = (next(), next(), next());
            if z & 7 == 0 {
                // All but cancelled.
                z = (-(f32::from_bits(x) * f32::from_bits(y))).to_bits() ^ (z >> 24 & 1);
            }
            let holds = |(value, certain): (u32, bool), exact: u32, what: &str| {
                assert!(
                    !certain || value == exact,
                    "{what} of {x:#x}, {y:#x}, {z:#x}: {value:#x} for {exact:#x}"
                );
                u32::from(certain)
            };
            certain[0] += holds(
                fused_lane::<false>(x, y, z),
                multiply_add::<false>(x, y, z),
                "Wormhole's",
            );
            holds(
                fused_lane::<true>(x, y, z),
                multiply_add::<true>(x, y, z),
                "Blackhole's",
            );
            for (form, found) in [(4, led_lane(x, y, z)), (5, cancelled_lane(x, y, z))] {
                certain[form] += holds(found, multiply_add::<false>(x, y, z), "Wormhole's other");
                holds(found, multiply_add::<true>(x, y, z), "Blackhole's other");
            }
            certain[3] += holds(
                finite_lane::<false>(x, y, z),
                multiply_add::<false>(x, y, z),
                "Wormhole's finite",
            );
            holds(
                finite_lane::<true>(x, y, z),
                multiply_add::<true>(x, y, z),
                "Blackhole's finite",
            );
            certain[1] += holds(
                sum_lane::<false>(y, z),
                multiply_add::<false>(ONE, y, z),
                "Wormhole's sum",
            );
            holds(
                sum_lane::<true>(y, z),
                multiply_add::<true>(ONE, y, z),
                "Blackhole's sum",
            );
            certain[2] += holds(product_lane(x, y), multiply_add::<false>(x, y, 0), "Wormhole's product");
            holds(product_lane(x, y), multiply_add::<true>(x, y, 0), "Blackhole's product");
        }
        assert!(certain.iter().all(|certain| *certain > rounds / 64), "{certain:?}");
    }
}
