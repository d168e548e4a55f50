//! Rounding and flushing of single values, as bit patterns of `f32`.
//!
//! The device rounds in three ways: half away from zero in FPU and packer, half to even in some SFPU kernels, and by
//! truncation in unpackers and plain SFPU stores.

/// Exponent field of the `f32` pattern.
pub const EXPONENT: u32 = 0x7f80_0000;
/// Sign bit.
pub const SIGN: u32 = 0x8000_0000;

/// Nearest bf16, halves away from zero. Infinities stay; a carry into the exponent is the right result.
#[inline(always)]
pub const fn to_bf16_away(bits: u32) -> u32 {
    bits.wrapping_add(0x8000) & 0xffff_0000
}

/// Nearest bf16, halves to even.
#[inline(always)]
pub const fn to_bf16_even(bits: u32) -> u32 {
    bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000
}

/// Denormals become zero of the same sign.
#[inline(always)]
pub const fn flush_keeping_sign(bits: u32) -> u32 {
    if bits & EXPONENT == 0 { bits & SIGN } else { bits }
}

/// Denormals and both zeros become +0.
#[inline(always)]
pub const fn flush_to_zero(bits: u32) -> u32 {
    if bits & EXPONENT == 0 { 0 } else { bits }
}

/// NaN becomes the infinity of its sign.
#[inline(always)]
pub const fn nan_to_infinity(bits: u32) -> u32 {
    if bits & !SIGN > EXPONENT {
        (bits & SIGN) | EXPONENT
    } else {
        bits
    }
}

/// The `f32` pattern of what a 16-bit destination register holds raw: sign, mantissa, exponent from the top. Integers are
/// stored raw, values of bf16 arranged like this.
#[inline(always)]
pub const fn decode_destination(raw: u16) -> u32 {
    let raw = raw as u32;
    ((raw & 0x8000) << 16) | ((raw & 0xff) << 23) | ((raw & 0x7f00) << 8)
}

/// The inverse of [`decode_destination`].
#[inline(always)]
pub const fn encode_destination(bits: u32) -> u16 {
    (((bits >> 16) & 0x8000) | ((bits >> 8) & 0x7f00) | ((bits >> 23) & 0xff)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bf16_neighbours(value: f32) -> (f32, f32) {
        let down = f32::from_bits(value.to_bits() & 0xffff_0000);
        (
            down,
            f32::from_bits((value.to_bits() & 0xffff_0000).wrapping_add(0x1_0000)),
        )
    }

    #[test]
    fn every_tie_of_every_mantissa_goes_away_from_zero_or_to_even() {
        for high in 0x3f00u32..0x4100 {
            for sign in [0, SIGN] {
                let tie = sign | (high << 16) | 0x8000;
                assert_eq!(to_bf16_away(tie), sign | ((high + 1) << 16));
                assert_eq!(to_bf16_even(tie), sign | ((high + (high & 1)) << 16));
                assert_eq!(to_bf16_away(tie - 1), sign | (high << 16));
                assert_eq!(to_bf16_even(tie + 1), sign | ((high + 1) << 16));
            }
        }
    }

    #[test]
    fn nearest_is_never_farther_than_the_other_neighbour() {
        for step in 0..20_000u32 {
            let value = f32::from_bits(0x3f80_0000 + step * 397);
            let (down, up) = bf16_neighbours(value);
            for rounded in [to_bf16_away(value.to_bits()), to_bf16_even(value.to_bits())] {
                let error = (f32::from_bits(rounded) - value).abs();
                assert!(error <= (value - down).abs() && error <= (up - value).abs(), "{value}");
            }
        }
    }

    #[test]
    fn raw_bits_of_a_register_come_back() {
        for raw in 0..=u16::MAX {
            assert_eq!(encode_destination(decode_destination(raw)), raw);
        }
        assert_eq!(encode_destination(0xc0e0_0000), 0xe081, "-7: sign, mantissa, exponent");
    }
}
