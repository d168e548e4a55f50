//! The multiply-add of the vector unit, bit for bit.
//!
//! It is neither IEEE's fused operation nor two roundings: the product keeps 28 bits, the lowest of which collects what lies
//! below; both terms are aligned to the larger exponent with three bits to spare, a term shifted out entirely leaves no
//! trace, and the sum is rounded to nearest even. Denormals are zero on both sides. The two chips differ in the signs of
//! zeros and NaNs and in one bit that Wormhole drops when the sum carries twice. Source of the facts: the simulator ttsim
//! 1.10.0, `src/fma.cpp`.

use super::lanes::Lanes;
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

/// `x · y + z` of one lane.
#[inline(always)]
fn multiply_add<const BLACKHOLE: bool>(x: u32, y: u32, z: u32) -> u32 {
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
        if zero { z_sign & p_sign } else { value }
    } else if zero | tiny {
        0
    } else {
        sign | normal
    };
    let too_large = !zero & (result_exponent >= 255);
    let finite = if too_large { sign | INFINITY } else { finite };
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
        let quiet = (if product_nan | opposed { p_sign } else { z_sign }) | 0x7f80_0001;
        let leaks = !zero & !too_large & !tiny;
        quiet | if leaks { normal } else { 0 }
    };
    let infinite = if z_infinite { z } else { p_sign | INFINITY };
    let value = if special { infinite } else { finite };
    if product_nan | opposed | z_nan { nan } else { value }
}

macro_rules! on_face {
    ($name:ident, $chip:literal) => {
        vectorised! {
            fn $name(x: &[u32; FACE], y: &[u32; FACE], z: &[u32; FACE], out: &mut [u32; FACE]) {
                for i in 0..FACE {
                    out[i] = multiply_add::<$chip>(x[i], y[i], z[i]);
                }
            }
        }
    };
}

on_face!(wormhole, false);
on_face!(blackhole, true);

/// `x · y + z` as Wormhole (or Blackhole) computes it.
pub fn face(blackhole_chip: bool, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    let mut out = Lanes::ZERO;
    if blackhole_chip {
        blackhole(&x.0, &y.0, &z.0, &mut out.0);
    } else {
        wormhole(&x.0, &y.0, &z.0, &mut out.0);
    }
    out
}
