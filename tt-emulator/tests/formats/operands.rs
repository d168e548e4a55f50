//! Adversarial pages: bits that a format's own arithmetic is most likely to be wrong about.
//!
//! Of the four tiles of an operand the first is random bits, the second values of similar size with ties in their low bits,
//! the third values of widely spread exponents with zeros among them, and the fourth ordinary values among infinities,
//! NaNs, denormals, negative zeros, and the largest and smallest numbers. Everything follows from the seed.

use tt_emulator::DataFormat;

/// Tiles of an operand.
pub const TILES: usize = 4;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u32
    }
}

/// An `f32` pattern of a tile's kind. `low` are the mantissa bits that a format keeps.
fn pattern(random: &mut Random, tile: usize, low: u32) -> u32 {
    let bits = random.next();
    let (sign, mantissa) = (bits & 0x8000_0000, bits & 0x7f_ffff & low);
    let choice = random.next();
    // Every other value ends in a tie of bf16 or of the ten bits of a source.
    let tie = match choice & 3 {
        0 => (mantissa & 0x7f_0000) | 0x8000,
        1 => (mantissa & 0x7f_e000) | 0x1000,
        _ => mantissa,
    } & low;
    match tile {
        0 => bits & (0xff80_0000 | low),
        1 => sign | ((120 + (choice >> 4) % 14) << 23) | tie,
        2 if choice & 15 == 0 => sign,
        2 => sign | ((67 + (choice >> 4) % 120) << 23) | mantissa,
        _ => match (choice >> 4) % 16 {
            0 => sign | 0x7f80_0000,
            1 => sign | 0x7f80_0000 | mantissa,
            2 => sign | mantissa,
            3 => sign,
            4 => sign | 0x7f00_0000 | low,
            5 => sign | 0x0080_0000,
            6 => sign | ((1 + (choice >> 8) % 12) << 23) | mantissa,
            7 => sign | ((240 + (choice >> 8) % 15) << 23) | mantissa,
            _ => sign | ((124 + (choice >> 8) % 6) << 23) | tie,
        },
    }
}

/// A pattern of five exponent bits and ten mantissa bits, for which all exponents are numbers.
fn half(random: &mut Random, tile: usize) -> u16 {
    let (bits, choice) = (random.next(), random.next());
    let (sign, mantissa) = ((bits >> 16) as u16 & 0x8000, bits as u16 & 0x3ff);
    match tile {
        0 => bits as u16,
        1 => sign | ((12 + (choice % 5) as u16) << 10) | mantissa,
        2 if choice & 15 == 0 => sign,
        2 => sign | (((choice >> 4) % 32) as u16) << 10 | mantissa,
        _ => match choice % 8 {
            0 => sign | 0x7c00,
            1 => sign | 0x7c00 | mantissa,
            2 => sign | mantissa,
            3 => sign,
            4 => sign | 0x7bff,
            5 => sign | 0x0400,
            _ => sign | (13 + ((choice >> 4) % 4) as u16) << 10 | mantissa,
        },
    }
}

fn block_page(random: &mut Random, tile: usize, element_bits: usize, wide_exponent: bool) -> Vec<u8> {
    let mut page: Vec<u8> = (0..64)
        .map(|_| {
            let r = random.next();
            let (near, low, high, all) = if wide_exponent {
                (120, 0, 244, 256)
            } else {
                (12, 0, 26, 32)
            };
            let exponent = match tile {
                0 => r % all,
                1 => near + r % 5,
                2 => (near - 8) + r % 20,
                _ if r & 1 == 0 => low + (r >> 1) % 6,
                _ => high + (r >> 1) % (all - high),
            };
            exponent as u8
        })
        .collect();
    page.extend((0..1024 * element_bits / 8).map(|_| {
        let (r, choice) = (random.next() as u8, random.next());
        match choice % 8 {
            0 => 0,
            1 => 0x88,
            _ => r,
        }
    }));
    page
}

fn integer(random: &mut Random, tile: usize) -> u32 {
    let (bits, choice) = (random.next(), random.next());
    match tile {
        0 => bits,
        1 => bits % 256,
        2 => bits >> (choice % 32),
        _ => match choice % 6 {
            0 => 0x8000_0000,
            1 => 0x7fff_ffff,
            2 => u32::MAX,
            3 => 0xffff_8000,
            4 => bits & 0x8000_ffff,
            _ => (bits % 200).wrapping_sub(100),
        },
    }
}

/// Four pages.
pub fn pages(format: DataFormat, seed: u64) -> Vec<u8> {
    use DataFormat::*;
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ u64::from(format as u8));
    let mut out = Vec::new();
    for tile in 0..TILES {
        let mut each = |make: &mut dyn FnMut(&mut Random) -> Vec<u8>| {
            for _ in 0..1024 {
                let bytes = make(&mut random);
                out.extend(bytes);
            }
        };
        match format {
            Float32 | Tf32 => each(&mut |r| pattern(r, tile, 0x7f_ffff).to_le_bytes().to_vec()),
            Float16_b => each(&mut |r| ((pattern(r, tile, 0x7f_0000) >> 16) as u16).to_le_bytes().to_vec()),
            Float16 => each(&mut |r| half(r, tile).to_le_bytes().to_vec()),
            Int32 | UInt32 => each(&mut |r| integer(r, tile).to_le_bytes().to_vec()),
            UInt16 => each(&mut |r| (integer(r, tile) as u16).to_le_bytes().to_vec()),
            Int8 | UInt8 | Lf8 | Fp8_e4m3 => each(&mut |r| vec![integer(r, tile) as u8]),
            Bfp8_b => out.extend(block_page(&mut random, tile, 8, true)),
            Bfp4_b => out.extend(block_page(&mut random, tile, 4, true)),
            Bfp2_b => out.extend(block_page(&mut random, tile, 2, true)),
            Bfp8 => out.extend(block_page(&mut random, tile, 8, false)),
            Bfp4 => out.extend(block_page(&mut random, tile, 4, false)),
            Bfp2 => out.extend(block_page(&mut random, tile, 2, false)),
        }
    }
    out
}

/// Four bf16 tiles of a left (`rows`) or right operand of a matmul, whose first products are one, and whose second are
/// minus one and, in the other half of the sum, minus a power of two that falls from column to column.
pub fn cancelling(rows: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for tile in 0..TILES {
        for index in 0..1024usize {
            let (face, row, column) = (index / 256, index % 256 / 16, index % 16);
            let (k, other) = if rows {
                (face % 2 * 16 + column, face / 2 * 16 + row)
            } else {
                (face / 2 * 16 + row, face % 2 * 16 + column)
            };
            let value = match (k, tile % 2, rows) {
                (0, 0, _) => 0x3f80,
                (0, _, true) => 0xbf80,
                (0, _, false) => 0x3f80,
                (8, 1, true) => 0xba00 - ((other as u16 % 3) << 7),
                (8, 1, false) => 0x3a80 - ((other as u16 % 4) << 7),
                _ => 0u16,
            };
            out.extend(value.to_le_bytes());
        }
    }
    out
}

/// Two tiles of scalers, in bf16, fp32 or fp16: ones, and fractions of five significant bits that differ from column to
/// column. Only row 0 of every face holds a scaler.
pub fn scalers(format: DataFormat) -> Vec<u8> {
    let mut out = Vec::new();
    for tile in 0..2 {
        for index in 0..1024usize {
            let column = (index % 16) as u16;
            let value = match (index % 256 < 16, tile, format) {
                (false, ..) => 0,
                (true, 0, DataFormat::Float16) => 0x3c00,
                (true, 0, _) => 0x3f80,
                (true, _, DataFormat::Float16) => 0x2c00 | ((column * 0x3d) & 0x3ff),
                (true, ..) => 0x3d00 | ((column * 0x1d) & 0x7f),
            };
            if format == DataFormat::Float32 {
                // Bits that bf16 lacks, in the fractions.
                let more = if value & 0x7f != 0 { 0xb6db } else { 0 };
                out.extend(((u32::from(value) << 16) | more).to_le_bytes());
            } else {
                out.extend(u16::to_le_bytes(value));
            }
        }
    }
    out
}
