//! From a page in L1 to SrcA, SrcB or a destination register.
//!
//! Sources hold 19 bits: bf16 as it is, block floats as bf16, fp32 cut to TF32 when the destination is 32 bits wide and to
//! bf16 otherwise. Formats of five exponent bits keep their own exponent where an `f32` has its eight, and fp32 beside them
//! is cut to fp16. Nothing is rounded on the way in. Denormals reach the sources, where arithmetic reads them as zeros:
//! pages are unpacked for arithmetic with zeros in their place ([`to_source`]), and for copies as they are ([`to_copy`]).

use super::block_float;
pub use super::enumerations::Broadcast;
use super::rounding::{EXPONENT, SIGN, decode_destination, flush_keeping_sign};
use super::tile::{SIDE, TILE, Tile};
use super::vector::vectorised;
use crate::data_format::DataFormat;

/// What a source register keeps of an `f32` pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// 10 mantissa bits.
    Tf32,
    /// 7 mantissa bits.
    Bf16,
    /// The five significant bits of SrcA that phases 0 and 2 multiply.
    HighA,
    /// The ten significant bits of SrcA that all phases see.
    AllA,
    /// The seven significant bits of SrcB that phases 0 and 1 multiply.
    HighB,
}

impl Keep {
    const fn mask(self) -> u32 {
        match self {
            Keep::Tf32 => 0xffff_e000,
            Keep::Bf16 => 0xffff_0000,
            Keep::HighA => 0xfff8_0000,
            Keep::AllA => 0xffff_c000,
            Keep::HighB => 0xfffe_0000,
        }
    }

    /// What a source keeps of a page of this format.
    pub fn of(format: DataFormat, wide: bool) -> Keep {
        if format == DataFormat::Float32 && wide || has_half_exponent(format) {
            Keep::Tf32
        } else {
            Keep::Bf16
        }
    }

    /// Both restrictions at once.
    pub const fn and(self, other: Keep) -> Mask {
        Mask(self.mask() & other.mask())
    }
}

/// The bits of the `f32` pattern that survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(pub u32);

/// Formats that the matrix engine computes with.
pub fn is_supported(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Float32 | Float16_b | Float16 | Bfp8_b | Bfp4_b | Bfp2_b)
}

/// Formats that copies move: those, and integers.
pub fn can_copy(format: DataFormat) -> bool {
    use DataFormat::*;
    is_supported(format) || matches!(format, Int32 | UInt32 | UInt16 | UInt8 | Int8)
}

/// Integers of 8 bits.
pub fn is_byte(format: DataFormat) -> bool {
    matches!(format, DataFormat::UInt8 | DataFormat::Int8)
}

/// The format has five exponent bits.
pub fn has_half_exponent(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Float16 | Bfp8 | Bfp4 | Bfp2)
}

/// What becomes of denormals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denormals {
    /// They become zeros of their sign.
    Flushed,
    /// They stay.
    Kept,
}

impl Denormals {
    #[inline(always)]
    fn treat(self, bits: u32) -> u32 {
        match self {
            Denormals::Flushed => flush_keeping_sign(bits),
            Denormals::Kept => bits,
        }
    }
}

vectorised! {
    fn widen_bf16(page: &[u8], mask: u32, denormals: Denormals, out: &mut Tile) -> u32 {
        let mut largest = 0u32;
        for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(2)) {
            let bits = (u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16) & mask;
            largest = largest.max(bits & EXPONENT);
            *value = f32::from_bits(denormals.treat(bits));
        }
        largest
    }
}

vectorised! {
    fn cut_f32(page: &[u8], mask: u32, denormals: Denormals, out: &mut Tile) -> u32 {
        let mut largest = 0u32;
        for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(4)) {
            let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & mask;
            largest = largest.max(bits & EXPONENT);
            *value = f32::from_bits(denormals.treat(bits));
        }
        largest
    }
}

vectorised! {
    fn mask_in_place(tile: &mut Tile, mask: u32, denormals: Denormals) -> u32 {
        let mut largest = 0u32;
        for value in &mut tile.0 {
            let bits = value.to_bits() & mask;
            largest = largest.max(bits & EXPONENT);
            *value = f32::from_bits(denormals.treat(bits));
        }
        largest
    }
}

vectorised! {
    fn all_bits(page: &[u8]) -> u8 {
        page.iter().fold(0, |all, byte| all | byte)
    }
}

/// Whether every byte of a page is zero; most pages are not from the start.
pub fn is_zero(page: &[u8]) -> bool {
    page.first_chunk::<64>().is_none_or(|first| first == &[0; 64]) && all_bits(page) == 0
}

/// fp16 with its exponent where an `f32` has its own.
fn place_half(page: &[u8], mask: u32, denormals: Denormals, out: &mut Tile) {
    for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(2)) {
        let half = u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        let bits = ((half & 0x8000) << 16) | ((half & 0x7fff) << 13);
        *value = f32::from_bits(denormals.treat(bits & mask));
    }
}

/// fp32 cut to fp16: too large becomes the largest value, too small a zero of its sign.
fn cut_to_half(page: &[u8], mask: u32, denormals: Denormals, out: &mut Tile) {
    for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(4)) {
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let exponent = ((bits >> 23) & 255) as i32 - 112;
        let magnitude = match exponent {
            ..0 => 0,
            0..=31 => ((exponent as u32) << 23) | (bits & 0x7f_e000),
            _ => (31 << 23) | 0x7f_e000,
        };
        *value = f32::from_bits(denormals.treat(((bits & SIGN) | magnitude) & mask));
    }
}

/// The page as a kernel's family of formats sees it: fp32 beside formats of five exponent bits (`half`) is cut to fp16.
fn unpack(page: &[u8], format: DataFormat, mask: Mask, half: bool, denormals: Denormals, out: &mut Tile) -> bool {
    use DataFormat::*;
    let largest = match format {
        Float16_b => widen_bf16(page, mask.0, denormals, out),
        Float32 if !half => cut_f32(page, mask.0, denormals, out),
        Float32 => {
            cut_to_half(page, mask.0, denormals, out);
            0
        }
        Float16 => {
            place_half(page, mask.0, denormals, out);
            0
        }
        _ => {
            block_float::decode(page, format, out);
            mask_in_place(out, mask.0, denormals)
        }
    };
    largest == EXPONENT
}

/// Unpacks a page into a source, for arithmetic. True if some value has the largest exponent, which the multipliers treat
/// as a number while `f32` arithmetic does not. `format` must be [supported](is_supported).
pub fn to_source(page: &[u8], format: DataFormat, mask: Mask, half: bool, out: &mut Tile) -> bool {
    unpack(page, format, mask, half, Denormals::Flushed, out)
}

/// Unpacks a page for a copy, to what the matrix engine hands on. Only fp32 loses its denormals, where it is cut to bf16.
pub fn to_copy(page: &[u8], format: DataFormat, wide: bool, half: bool, out: &mut Tile) {
    let keep = Keep::of(format, wide || half);
    let denormals = if format == DataFormat::Float32 && !wide && !half {
        Denormals::Flushed
    } else {
        Denormals::Kept
    };
    unpack(page, format, keep.and(keep), half, denormals, out);
}

/// Unpacks 32-bit data straight to a destination register, every bit kept.
pub fn to_destination(page: &[u8], out: &mut Tile) {
    for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(4)) {
        *value = f32::from_bits(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    }
}

/// 16-bit integers as a destination register of 16 or 32 bits holds them: in its own arrangement of the bits, or in the
/// low half of what `out` holds.
pub fn integers_16(page: &[u8], wide: bool, out: &mut Tile) {
    for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(2)) {
        let integer = u16::from_le_bytes([bytes[0], bytes[1]]);
        *value = f32::from_bits(if wide {
            (value.to_bits() & 0xffff_0000) | u32::from(integer)
        } else {
            decode_destination(integer)
        });
    }
}

/// 8-bit integers, sign and magnitude if they are `signed`, as the integer adders leave them: sign and magnitude, no
/// negative zero.
pub fn integers_8(page: &[u8], signed: bool, out: &mut Tile) {
    for (value, byte) in out.0.iter_mut().zip(page) {
        let sign = if signed { byte & 0x80 } else { 0 };
        let magnitude = u32::from(byte - sign);
        let sign = if magnitude == 0 { 0 } else { u32::from(sign) << 24 };
        *value = f32::from_bits(sign | magnitude);
    }
}

/// Swaps rows and columns of a tile.
pub fn transpose(tile: &Tile, out: &mut Tile) {
    for (from_row, from_column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let from = tile.face(from_row, from_column);
        let to = &mut out.0[(from_column * 2 + from_row) * 256..][..256];
        for r in 0..SIDE {
            for c in 0..SIDE {
                to[c * SIDE + r] = from[r * SIDE + c];
            }
        }
    }
}

/// Spreads `tile` into `out`. `row` is the row that [`Broadcast::Row`] repeats.
pub fn spread(tile: &Tile, how: Broadcast, row: usize, out: &mut Tile) {
    match how {
        Broadcast::None => out.0.copy_from_slice(&tile.0),
        Broadcast::Scalar => out.0.fill(tile.0[0]),
        Broadcast::Col => {
            for face_row in 0..2 {
                for r in 0..SIDE {
                    let value = tile.face(face_row, 0)[r * SIDE];
                    for face_column in 0..2 {
                        out.0[(face_row * 2 + face_column) * 256 + r * SIDE..][..SIDE].fill(value);
                    }
                }
            }
        }
        Broadcast::Row => {
            for face in 0..4 {
                let from = &tile.face(row / SIDE, face % 2)[(row % SIDE) * SIDE..][..SIDE];
                for r in 0..SIDE {
                    out.0[face * 256 + r * SIDE..][..SIDE].copy_from_slice(from);
                }
            }
        }
    }
}

const _: () = assert!(TILE == 4 * SIDE * SIDE);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::position;

    fn f32_page(value: impl Fn(usize) -> f32) -> Vec<u8> {
        (0..TILE).flat_map(|i| value(i).to_le_bytes()).collect()
    }

    #[test]
    fn fp32_is_cut_and_not_rounded() {
        let page = f32_page(|_| f32::from_bits(0x3f80_ffff));
        let mut tile = Tile::zero();
        to_source(&page, DataFormat::Float32, Mask(Keep::Tf32.mask()), false, &mut tile);
        assert_eq!(tile.0[5].to_bits(), 0x3f80_e000);
        to_source(&page, DataFormat::Float32, Mask(Keep::Bf16.mask()), false, &mut tile);
        assert_eq!(tile.0[5].to_bits(), 0x3f80_0000);
        to_destination(&page, &mut tile);
        assert_eq!(tile.0[5].to_bits(), 0x3f80_ffff);
    }

    #[test]
    fn the_largest_exponent_is_reported() {
        let mut tile = Tile::zero();
        let mask = Mask(Keep::Bf16.mask());
        assert!(!to_source(
            &f32_page(|i| i as f32),
            DataFormat::Float32,
            mask,
            false,
            &mut tile
        ));
        let one = f32_page(|i| if i == 900 { f32::NEG_INFINITY } else { 1.0 });
        assert!(to_source(&one, DataFormat::Float32, mask, false, &mut tile));
    }

    #[test]
    fn transposing_and_spreading_follow_rows_and_columns() {
        let mut tile = Tile::zero();
        for r in 0..32 {
            for c in 0..32 {
                tile.0[position(r, c)] = (r * 100 + c) as f32;
            }
        }
        let (mut turned, mut spread_out) = (Tile::zero(), Tile::zero());
        transpose(&tile, &mut turned);
        for (how, row) in [
            (Broadcast::Col, 0),
            (Broadcast::Row, 0),
            (Broadcast::Row, 21),
            (Broadcast::Scalar, 0),
        ] {
            spread(&tile, how, row, &mut spread_out);
            for r in 0..32 {
                for c in 0..32 {
                    assert_eq!(turned.0[position(c, r)], (r * 100 + c) as f32);
                    let expected = match how {
                        Broadcast::Col => r * 100,
                        Broadcast::Row => row * 100 + c,
                        _ => 0,
                    };
                    assert_eq!(spread_out.0[position(r, c)], expected as f32, "{how:?} {r} {c}");
                }
            }
        }
    }
}
