//! Block floating point: 16 elements of a face row share one exponent.
//!
//! A tile starts with 64 exponent bytes, one per row of each face in face order; then come the elements, sign and magnitude
//! without a hidden bit: 8, 4 or 2 bits each, the lower of a byte first. An element's value is
//! `magnitude / 2^(bits - 2) · 2^(exponent - 127)`.

use super::rounding::EXPONENT;
use super::tile::{SIDE, TILE, Tile};
use crate::data_format::DataFormat;

/// Shared exponents of a tile.
const GROUPS: usize = TILE / SIDE;

fn element_bits(format: DataFormat) -> usize {
    match format {
        DataFormat::Bfp4_b => 4,
        DataFormat::Bfp2_b => 2,
        _ => 8,
    }
}

/// Decodes a tile of `Bfp8_b`, `Bfp4_b` or `Bfp2_b`. Every value is exact in bf16. An exponent that normalising takes
/// below zero wraps around, as on the chips (ttsim: "will often wrap; seems odd, but spec/silicon are consistent here").
pub fn decode(page: &[u8], format: DataFormat, out: &mut Tile) {
    let bits = element_bits(format);
    let per_byte = 8 / bits;
    let (exponents, elements) = page.split_at(GROUPS);
    for (group, (values, &exponent)) in out.0.chunks_exact_mut(SIDE).zip(exponents).enumerate() {
        for (i, value) in values.iter_mut().enumerate() {
            let index = group * SIDE + i;
            let byte = elements[index / per_byte];
            let element = u32::from(byte >> (index % per_byte * bits)) & ((1 << bits) - 1);
            *value = f32::from_bits(element_pattern(element << (8 - bits), u32::from(exponent)));
        }
    }
}

/// The `f32` pattern of an 8-bit element. A negative zero stands for minus infinity.
fn element_pattern(element: u32, exponent: u32) -> u32 {
    let sign = (element & 0x80) << 24;
    let magnitude = element & 0x7f;
    if magnitude == 0 {
        return if sign == 0 { 0 } else { sign | EXPONENT };
    }
    let lost = magnitude.leading_zeros() - 25;
    let mantissa = (magnitude << lost) & 0x3f;
    sign | ((exponent.wrapping_sub(lost) & 255) << 23) | (mantissa << 17)
}

/// Encodes 1024 bf16 patterns. Elements are rounded half up in magnitude to 7 bits, and cut to the format's width.
pub fn encode(values: &[u16; TILE], format: DataFormat, page: &mut [u8]) {
    let bits = element_bits(format);
    let per_byte = 8 / bits;
    let (exponents, elements) = page.split_at_mut(GROUPS);
    elements[..TILE / per_byte].fill(0);
    for (group, (row, exponent)) in values.chunks_exact(SIDE).zip(exponents).enumerate() {
        let largest = row.iter().map(|value| (value >> 7) & 255).max().unwrap_or(0);
        *exponent = largest as u8;
        for (i, &value) in row.iter().enumerate() {
            let own = (value >> 7) & 255;
            let mantissa = u32::from(value & 127) | if own != 0 { 128 } else { 0 };
            let shift = u32::from(largest - own);
            let rounded = if shift >= 8 {
                0
            } else {
                ((mantissa + (1 << shift)) >> (shift + 1)).min(127)
            };
            let magnitude = rounded >> (8 - bits);
            let sign = if magnitude != 0 {
                u32::from(value >> 15) << (bits - 1)
            } else {
                0
            };
            let index = group * SIDE + i;
            elements[index / per_byte] |= ((sign | magnitude) << (index % per_byte * bits)) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(values: &[f32; TILE], format: DataFormat) -> Tile {
        let patterns: Vec<u16> = values.iter().map(|v| (v.to_bits() >> 16) as u16).collect();
        let mut page = vec![0u8; format.tile_bytes(32, 32)];
        encode(patterns.as_slice().try_into().expect("a tile"), format, &mut page);
        let mut tile = Tile::zero();
        decode(&page, format, &mut tile);
        tile
    }

    #[test]
    fn values_come_back_within_half_a_step_of_the_shared_exponent() {
        let mut values = [0f32; TILE];
        for (i, value) in values.iter_mut().enumerate() {
            let v = ((i * 37 % 101) as f32 - 50.0) * 0.125;
            *value = f32::from_bits(v.to_bits() & 0xffff_0000);
        }
        let tile = round_trip(&values, DataFormat::Bfp8_b);
        for (row, decoded) in values.chunks(16).zip(tile.0.chunks(16)) {
            let largest = row.iter().fold(0f32, |m, v| m.max(v.abs()));
            let step = 2f32.powi(largest.log2().floor() as i32 - 6);
            for (v, d) in row.iter().zip(decoded) {
                assert!((v - d).abs() <= step / 2.0 || d.abs() >= largest - step, "{v} {d}");
            }
        }
    }

    #[test]
    fn powers_of_two_and_their_sum_survive_every_width() {
        let mut values = [0f32; TILE];
        values[0] = -2.0;
        values[1] = 1.0;
        values[17] = 0.25;
        for format in [DataFormat::Bfp8_b, DataFormat::Bfp4_b] {
            let tile = round_trip(&values, format);
            assert_eq!(
                (tile.0[0], tile.0[1], tile.0[2], tile.0[17]),
                (-2.0, 1.0, 0.0, 0.25),
                "{format:?}"
            );
        }
    }

    #[test]
    fn narrow_formats_truncate() {
        let mut values = [0f32; TILE];
        values[0] = 1.0;
        values[1] = 0.984_375;
        let tile = round_trip(&values, DataFormat::Bfp4_b);
        assert_eq!(tile.0[1], 0.75);
    }
}
