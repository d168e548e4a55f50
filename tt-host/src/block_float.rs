//! Numbers whose exponent is shared: `bfp8` and `bfp4`.
//!
//! On the device 16 elements, half a row of a tile, share one exponent, that of the largest of them. An element is a sign and 7
//! (`bfp8`) or 3 (`bfp4`) bits of magnitude, whose highest counts 1 at that exponent. A page is the 64 exponents, a byte each, and
//! then the elements, of which the lower half of a byte comes first (metalium.md §4).

use crate::tile::{FACE, TILE_ELEMENTS, Tiling, tilize, untilize};
use rayon::prelude::*;
use tt_device::DataFormat;

/// A number that shares its exponent with those beside it once it is on the device.
pub trait BlockFloat: Copy + Send + Sync + From<f32> + Into<f32> {
    /// What it is on the device.
    const FORMAT: DataFormat;
}

macro_rules! block_floats {
    ($($name:ident, $format:ident, $magnitude:literal;)*) => {$(
        #[doc = concat!("An `f32` on the host; on the device a sign and ", $magnitude, " bits of an exponent that 16 elements share.")]
        ///
        /// It is rounded where it is uploaded, among its neighbours there: to nearest, to even at halves, and no farther than the
        /// largest magnitude.
        ///
        /// ```
        #[doc = concat!("use tt_host::", stringify!($name), ";")]
        #[doc = concat!("let x = ", stringify!($name), "::from_f32(1.5);")]
        /// assert_eq!(x.to_f32(), 1.5);
        /// ```
        #[allow(non_camel_case_types, reason = "a number, like `f32`")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
        #[repr(transparent)]
        pub struct $name(f32);

        impl $name {
            /// The number `value`.
            pub const fn from_f32(value: f32) -> Self {
                $name(value)
            }

            /// As it is; exact.
            pub const fn to_f32(self) -> f32 {
                self.0
            }
        }

        impl From<f32> for $name {
            fn from(value: f32) -> Self {
                $name(value)
            }
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> f32 {
                value.0
            }
        }

        impl BlockFloat for $name {
            const FORMAT: DataFormat = DataFormat::$format;
        }
    )*};
}

block_floats! {
    bfp8, Bfp8B, "7";
    bfp4, Bfp4B, "3";
}

/// Writes the pages of `elements`. What fills up the last tiles is zero: it shares exponents with elements.
pub fn pack<B: BlockFloat>(elements: &[B], tiling: Tiling, pages: &mut [u8]) {
    let numbers: Vec<f32> = elements.iter().map(|element| (*element).into()).collect();
    let mut tiles = vec![0f32; tiling.tiles() * TILE_ELEMENTS];
    tilize(&numbers, tiling, 0.0, &mut tiles);
    pages
        .par_chunks_mut(B::FORMAT.tile_bytes() as usize)
        .zip(tiles.par_chunks(TILE_ELEMENTS))
        .for_each(|(page, tile)| encode(tile, B::FORMAT, page));
}

/// The elements of `pages`.
pub fn unpack<B: BlockFloat>(pages: &[u8], tiling: Tiling) -> Vec<B> {
    let mut tiles = vec![0f32; tiling.tiles() * TILE_ELEMENTS];
    tiles
        .par_chunks_mut(TILE_ELEMENTS)
        .zip(pages.par_chunks(B::FORMAT.tile_bytes() as usize))
        .for_each(|(tile, page)| decode(page, B::FORMAT, tile));
    let mut values = Vec::new();
    untilize(&tiles, tiling, &mut values);
    values.into_iter().map(B::from).collect()
}

/// What fraction bits and the hidden one of an `f32` come to.
const MANTISSA_BITS: u32 = 24;

fn exponent(number: f32) -> u32 {
    number.to_bits() >> 23 & 0xff
}

fn encode(tile: &[f32], format: DataFormat, page: &mut [u8]) {
    let bits = format.element_bits();
    let (exponents, elements) = page.split_at_mut(format.exponent_bytes() as usize);
    elements.fill(0);
    let per_byte = 8 / bits as usize;
    for (group, (numbers, shared)) in tile.chunks_exact(FACE).zip(exponents).enumerate() {
        let largest = numbers.iter().map(|number| exponent(*number)).max().unwrap_or(0);
        *shared = largest as u8;
        for (at, number) in numbers.iter().enumerate() {
            let at = group * FACE + at;
            let element = element(*number, largest, bits);
            elements[at / per_byte] |= (element << (at % per_byte * bits as usize)) as u8;
        }
    }
}

/// Sign and magnitude of a number beside a shared exponent, rounded as TT-Metalium's own host does
/// (`convert_u32_to_bfp` of its `blockfloat_common`): bits that the difference of the exponents shifts out count for nothing.
fn element(number: f32, shared: u32, bits: u32) -> u32 {
    let own = exponent(number);
    if own == 0 {
        return 0;
    }
    let mantissa = number.to_bits() & 0x7f_ffff | 1 << 23;
    let mantissa = mantissa.checked_shr(shared.saturating_sub(own)).unwrap_or(0);
    let lost = MANTISSA_BITS - (bits - 1);
    let (kept, rest, half) = (mantissa >> lost, mantissa & ((1 << lost) - 1), 1 << (lost - 1));
    let up = rest > half || rest == half && kept & 1 == 1;
    let magnitude = (kept + u32::from(up)).min((1 << (bits - 1)) - 1);
    match magnitude {
        0 => 0,
        _ => number.to_bits() >> 31 << (bits - 1) | magnitude,
    }
}

fn decode(page: &[u8], format: DataFormat, tile: &mut [f32]) {
    let bits = format.element_bits();
    let (exponents, elements) = page.split_at(format.exponent_bytes() as usize);
    let per_byte = 8 / bits as usize;
    let sign = 1 << (bits - 1);
    for (group, (numbers, shared)) in tile.chunks_exact_mut(FACE).zip(exponents).enumerate() {
        // The highest bit of a magnitude counts 1 at the exponent.
        let unit = f64::from(i32::from(*shared) - 127 - (bits as i32 - 2)).exp2();
        for (at, number) in numbers.iter_mut().enumerate() {
            let at = group * FACE + at;
            let element = u32::from(elements[at / per_byte]) >> (at % per_byte * bits as usize) & (2 * sign - 1);
            let magnitude = f64::from(element & (sign - 1)) * unit;
            *number = if element & sign != 0 { -magnitude } else { magnitude } as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<B: BlockFloat>(numbers: &[f32]) -> Vec<f32> {
        let tiling = Tiling::of(&[numbers.len()]).unwrap();
        let elements: Vec<B> = numbers.iter().map(|number| B::from(*number)).collect();
        let mut pages = vec![0xa5; tiling.tiles() * B::FORMAT.tile_bytes() as usize];
        pack(&elements, tiling, &mut pages);
        unpack::<B>(&pages, tiling).into_iter().map(Into::into).collect()
    }

    #[test]
    fn numbers_are_rounded_to_nearest_beside_the_largest_of_16() {
        // Steps of 1/64 beside 1.0, of 2 beside 128.0; halves go to even, and nothing beyond the largest magnitude.
        let numbers = [
            1.0,
            1.0 + 1.0 / 128.0,
            1.0 + 3.0 / 128.0,
            -0.3,
            1.999,
            0.001,
            -0.0,
            1e-40,
        ];
        let rounded = [1.0, 1.0, 1.0 + 2.0 / 64.0, -19.0 / 64.0, 127.0 / 64.0, 0.0, 0.0, 0.0];
        assert_eq!(round_trip::<bfp8>(&numbers), rounded);
        let numbers = [128.0, 1.0, 3.0, -5.1, 0.999];
        assert_eq!(round_trip::<bfp8>(&numbers), [128.0, 0.0, 4.0, -6.0, 0.0]);
        let numbers = [4.0, 0.5, 1.5, -2.4, 7.9];
        assert_eq!(round_trip::<bfp4>(&numbers), [4.0, 0.0, 2.0, -2.0, 7.0]);
    }

    #[test]
    fn groups_of_16_are_apart() {
        let numbers: Vec<f32> = (0..70).map(|at| if at == 16 { 1e30 } else { at as f32 }).collect();
        let found = round_trip::<bfp8>(&numbers);
        assert_eq!(found[..16], numbers[..16]);
        assert!(found[17..32].iter().all(|number| *number == 0.0));
        assert_eq!(found[32..48], numbers[32..48]);
    }
}
