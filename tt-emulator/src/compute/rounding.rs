//! Rounding and flushing of single values, as bit patterns of `f32`.
//!
//! The device rounds in three ways: half away from zero in FPU and packer, half to even in some SFPU kernels, and by
//! truncation in unpackers and plain SFPU stores.

/// Exponent field of the `f32` pattern.
pub const EXPONENT: u32 = 0x7f80_0000;
/// Sign bit.
pub const SIGN: u32 = 0x8000_0000;

/// The NaN of a multiply-add whose product is negative. Wormhole gives NaNs the sign of the product, which shows when a
/// 16-bit register makes an infinity of them; every other NaN, whatever its sign on this machine, counts as positive.
pub const NEGATIVE_NAN: u32 = 0xffc0_0001;

/// How a 32-bit value becomes a bf16 one on an SFPU store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// The plain store drops the low half.
    Truncate,
    /// The kernel converts first, halves away from zero.
    Nearest,
    /// The kernel rounds first, halves to even.
    NearestEven,
}

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

/// The value an SFPU store leaves in a 16-bit destination register. A NaN becomes an infinity: a positive one by way of the
/// conversion instruction and where the chip does not keep `signed_nan`s, else one of the NaN's sign.
#[inline(always)]
pub const fn sfpu_store_16(bits: u32, store: Store, signed_nan: bool) -> u32 {
    if bits & !SIGN > EXPONENT {
        let negative = bits == NEGATIVE_NAN && signed_nan && !matches!(store, Store::Nearest);
        return if negative { SIGN | EXPONENT } else { EXPONENT };
    }
    let rounded = match store {
        Store::Truncate => bits & 0xffff_0000,
        Store::Nearest => {
            if bits & EXPONENT == 0 {
                0
            } else {
                to_bf16_away(bits)
            }
        }
        Store::NearestEven => to_bf16_even(bits),
    };
    flush_keeping_sign(rounded)
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

    #[test]
    fn stores_flush_denormals_and_turn_nan_into_infinity() {
        for store in [Store::Truncate, Store::Nearest, Store::NearestEven] {
            assert_eq!(sfpu_store_16(0x0000_0001, store, true), 0);
            assert_eq!(sfpu_store_16(f32::NAN.to_bits(), store, true), EXPONENT);
            assert_eq!(sfpu_store_16(0xffc0_0000, store, true), EXPONENT);
            assert_eq!(sfpu_store_16(NEGATIVE_NAN, store, false), EXPONENT);
            let sign = if store == Store::Nearest { 0 } else { SIGN };
            assert_eq!(sfpu_store_16(NEGATIVE_NAN, store, true), sign | EXPONENT);
            assert_eq!(sfpu_store_16(f32::INFINITY.to_bits(), store, true), EXPONENT);
        }
        assert_eq!(sfpu_store_16(0x3f80_ffff, Store::Truncate, true), 0x3f80_0000);
        assert_eq!(sfpu_store_16(0x3f80_ffff, Store::Nearest, true), 0x3f81_0000);
    }
}
