//! From a page in L1 to SrcA, SrcB or a destination register.
//!
//! Sources hold 19 bits: bf16 as it is, block floats as bf16, fp32 cut to TF32 when the destination is 32 bits wide and to
//! bf16 otherwise. Nothing is rounded on the way in.

use super::block_float;
use super::rounding::{EXPONENT, flush_keeping_sign};
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
        if format == DataFormat::Float32 && wide {
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

/// Formats that sources can be unpacked from.
pub fn is_supported(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Float32 | Float16_b | Bfp8_b | Bfp4_b | Bfp2_b)
}

vectorised! {
    fn widen_bf16(page: &[u8], mask: u32, out: &mut Tile) -> u32 {
        let mut largest = 0u32;
        for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(2)) {
            let bits = (u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16) & mask;
            largest = largest.max(bits & EXPONENT);
            *value = f32::from_bits(flush_keeping_sign(bits));
        }
        largest
    }
}

vectorised! {
    fn cut_f32(page: &[u8], mask: u32, out: &mut Tile) -> u32 {
        let mut largest = 0u32;
        for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(4)) {
            let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & mask;
            largest = largest.max(bits & EXPONENT);
            *value = f32::from_bits(flush_keeping_sign(bits));
        }
        largest
    }
}

vectorised! {
    fn mask_in_place(tile: &mut Tile, mask: u32) {
        for value in &mut tile.0 {
            *value = f32::from_bits(value.to_bits() & mask);
        }
    }
}

/// Unpacks a page into a source. True if some value has the largest exponent, which the multipliers treat as a number
/// while `f32` arithmetic does not. `format` must be [supported](is_supported).
pub fn to_source(page: &[u8], format: DataFormat, mask: Mask, out: &mut Tile) -> bool {
    use DataFormat::*;
    let largest = match format {
        Float16_b => widen_bf16(page, mask.0, out),
        Float32 => cut_f32(page, mask.0, out),
        _ => {
            block_float::decode(page, format, out);
            mask_in_place(out, mask.0);
            out.0
                .iter()
                .fold(0, |largest, value| largest.max(value.to_bits() & EXPONENT))
        }
    };
    largest == EXPONENT
}

/// Unpacks 32-bit data straight to a destination register, every bit kept.
pub fn to_destination(page: &[u8], out: &mut Tile) {
    for (value, bytes) in out.0.iter_mut().zip(page.chunks_exact(4)) {
        *value = f32::from_bits(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
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

/// How SrcB is spread over the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Broadcast {
    /// Element by element.
    None = 0,
    /// Column 0 across the columns.
    Col = 1,
    /// One row down the rows.
    Row = 2,
    /// Element [0, 0] everywhere.
    Scalar = 3,
}

impl Broadcast {
    /// The broadcast with LLK's id.
    pub fn from_id(id: u32) -> Option<Broadcast> {
        [Broadcast::None, Broadcast::Col, Broadcast::Row, Broadcast::Scalar]
            .into_iter()
            .find(|b| *b as u32 == id)
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
        to_source(&page, DataFormat::Float32, Mask(Keep::Tf32.mask()), &mut tile);
        assert_eq!(tile.0[5].to_bits(), 0x3f80_e000);
        to_source(&page, DataFormat::Float32, Mask(Keep::Bf16.mask()), &mut tile);
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
            &mut tile
        ));
        let one = f32_page(|i| if i == 900 { f32::NEG_INFINITY } else { 1.0 });
        assert!(to_source(&one, DataFormat::Float32, mask, &mut tile));
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
