//! From a destination register to a page in L1.
//!
//! The packer rounds a 32-bit destination to bf16 half away from zero, keeps a 16-bit destination as it is, turns NaN into
//! infinity and denormals into zero on the way to 16 bits, and leaves fp32 to fp32 alone. fp16 (five exponent bits) knows
//! neither infinities nor NaNs. Integers of 16 and 32 bits are taken as they lie in the register: the raw 16 bits, or the
//! upper 16 of 32; integers of 8 bits are clamped. Reduce masks zero what a
//! reduction does not define, ReLU is free, and L1 accumulation adds to what the page holds.

use super::block_float;
pub use super::enumerations::ReduceDim;
use super::enumerations::ReluMode;
use super::rounding::{
    EXPONENT, SIGN, encode_destination, flush_keeping_sign, flush_to_zero, nan_to_infinity, to_bf16_away, to_bf16_even,
};
use super::tile::{FACE, SIDE, TILE, Tile};
use super::vector::vectorised;
use crate::data_format::DataFormat;

/// The packer's ReLU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relu {
    /// Off.
    None,
    /// Negative values become zero.
    Zero,
    /// Values up to the threshold (a bf16 pattern) become zero.
    MinThreshold(u16),
    /// Negative values become zero, values above the threshold become the threshold.
    MaxThreshold(u16),
}

impl Relu {
    /// From LLK's mode and threshold.
    pub fn from_ids(mode: u32, threshold: u32) -> Option<Relu> {
        let threshold = threshold as u16;
        Some(match ReluMode::from_id(mode)? {
            ReluMode::None => Relu::None,
            ReluMode::Zero => Relu::Zero,
            ReluMode::MinThreshold => Relu::MinThreshold(threshold),
            ReluMode::MaxThreshold => Relu::MaxThreshold(threshold),
        })
    }

    /// Values up to this pattern become zero, and values above the second one become it. Patterns of non-negative values
    /// order as integers. The threshold is a bf16 pattern, or of `half` exponents.
    fn limits(self, half: bool) -> (u32, u32) {
        let place = |threshold: u16| u32::from(threshold) << if half { 13 } else { 16 };
        match self {
            Relu::None | Relu::Zero => (0, u32::MAX),
            Relu::MinThreshold(threshold) => (place(threshold), u32::MAX),
            Relu::MaxThreshold(threshold) => (0, place(threshold)),
        }
    }
}

/// How the packer is set.
#[derive(Clone, Copy, Debug)]
pub struct Packer {
    /// Destination registers are 32 bits wide.
    pub wide: bool,
    /// Registers of 16 bits hold values of five exponent bits.
    pub half: bool,
    /// Format of the page.
    pub format: DataFormat,
    /// Keep all bits until the shared exponent is known.
    pub bfp8_precise: bool,
    /// What a reduction left undefined is zeroed.
    pub mask: Option<ReduceDim>,
    /// ReLU.
    pub relu: Relu,
    /// Add to what the page holds.
    pub accumulate: bool,
}

/// Formats that can be packed to from a destination of 32 (`wide`) or 16 bits, which then holds values of five (`half`) or
/// eight exponent bits.
pub fn is_supported(format: DataFormat, wide: bool, half: bool) -> bool {
    use DataFormat::*;
    match format {
        Float32 | Float16_b | UInt16 => true,
        Bfp8_b | Bfp4_b | Bfp2_b => wide || !half,
        Float16 => !wide && half,
        Int32 | UInt32 | UInt8 | Int8 => wide,
        _ => false,
    }
}

/// Formats that L1 accumulation works on.
pub fn accumulates(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Float32 | Float16_b | Float16)
}

impl Packer {
    /// Whether finite numbers of bf16 but -0 and denormals go to the page as they are.
    pub fn stores_patterns(&self) -> bool {
        let changes_them = self.half || self.mask.is_some() || self.relu != Relu::None || self.accumulate;
        self.format == DataFormat::Float16_b && !changes_them
    }

    /// Packs a register (`None`: one never written, which the packer sees as zeros) into `page`.
    pub fn pack(&self, register: Option<&Tile>, page: &mut [u8]) {
        const ZEROS: Tile = Tile::zero();
        let tile = register.unwrap_or(&ZEROS);
        let narrow_half = self.half && !self.wide;
        if !narrow_half && self.mask.is_none() && self.relu == Relu::None {
            match (self.format, self.accumulate) {
                (DataFormat::Float32, false) if self.wide => return store_f32(tile, page),
                (DataFormat::Float32, false) => return store_f32_of_bf16(tile, page),
                (DataFormat::Float32, true) if self.wide => return add_f32(tile, page),
                (DataFormat::Float16_b, false) if self.wide => return store_bf16_rounded(tile, page),
                (DataFormat::Float16_b, false) => return store_bf16(tile, page),
                _ => {}
            }
        }
        self.pack_adjusted(tile, page);
    }

    fn pack_adjusted(&self, tile: &Tile, page: &mut [u8]) {
        let mut values = Tile::zero();
        match self.format {
            DataFormat::UInt16 => return store_upper_halves(tile, page),
            DataFormat::UInt8 | DataFormat::Int8 => return store_clamped(tile, self.format == DataFormat::Int8, page),
            DataFormat::Int32 | DataFormat::UInt32 => values = tile.clone(),
            _ if self.half && !self.wide => flush_half(tile, &mut values),
            _ => convert(tile, self.wide, self.rounding(), &mut values),
        }
        if let Some(dim) = self.mask {
            mask_out(&mut values, dim);
        }
        if self.relu != Relu::None {
            let (zero_up_to, cap) = self.relu.limits(self.half && !self.wide);
            relu(&mut values, zero_up_to, cap);
        }
        if self.half && !self.wide {
            return self.store_half(&values, page);
        }
        match (self.format, self.accumulate) {
            (DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32, false) => store_f32(&values, page),
            (DataFormat::Float32, true) => add_f32(&values, page),
            (DataFormat::Float16_b, false) => store_bf16(&values, page),
            (DataFormat::Float16_b, true) => add_bf16(&values, page),
            (format, _) => {
                let mut patterns = [0u16; TILE];
                for (pattern, value) in patterns.iter_mut().zip(&values.0) {
                    *pattern = (flush_to_zero(value.to_bits()) >> 16) as u16;
                }
                block_float::encode(&patterns, format, page);
            }
        }
    }

    /// Stores values of five exponent bits. Wider exponents are formed late, without rounding.
    fn store_half(&self, values: &Tile, page: &mut [u8]) {
        let wider = |bits: u32| {
            if bits & EXPONENT == 0 {
                (bits & SIGN) | (bits & 0x7f_ffff)
            } else {
                bits + (112 << 23)
            }
        };
        match (self.format, self.accumulate) {
            (DataFormat::Float16, false) => {
                for (bytes, value) in page.chunks_exact_mut(2).zip(&values.0) {
                    bytes.copy_from_slice(&half_pattern(value.to_bits()).to_le_bytes());
                }
            }
            (DataFormat::Float16, true) => {
                for (bytes, value) in page.chunks_exact_mut(2).zip(&values.0) {
                    let old = u16::from_le_bytes([bytes[0], bytes[1]]);
                    bytes.copy_from_slice(&add_half(old, half_pattern(value.to_bits())).to_le_bytes());
                }
            }
            (format, accumulate) => {
                let mut wide = Tile::zero();
                for (to, from) in wide.0.iter_mut().zip(&values.0) {
                    *to = f32::from_bits(wider(from.to_bits()));
                }
                match (format, accumulate) {
                    (DataFormat::Float32, false) => store_f32(&wide, page),
                    (DataFormat::Float32, true) => add_f32(&wide, page),
                    (_, false) => store_bf16(&wide, page),
                    (_, true) => {
                        let mut cut = Tile::zero();
                        convert(&wide, false, 0, &mut cut);
                        add_bf16(&cut, page);
                    }
                }
            }
        }
    }

    fn rounding(&self) -> u32 {
        match self.format {
            DataFormat::Float32 => 0,
            DataFormat::Float16_b => 1,
            _ if self.bfp8_precise => 0,
            _ => 2,
        }
    }
}

vectorised! {
    /// Early conversion: 0 keeps the register, 1 gives bf16, 2 the six mantissa bits that lead to block floats.
    fn convert(tile: &Tile, wide: bool, rounding: u32, out: &mut Tile) {
        for (to, from) in out.0.iter_mut().zip(&tile.0) {
            let bits = from.to_bits();
            let narrow = flush_to_zero(nan_to_infinity(bits));
            let converted = match (rounding, wide) {
                (0, true) => bits,
                (1, true) => flush_to_zero(to_bf16_away(nan_to_infinity(bits))),
                (0 | 1, false) => narrow,
                _ => flush_to_zero(((nan_to_infinity(bits) & 0xffff_0000).wrapping_add(0x1_0000)) & 0xfffe_0000),
            };
            *to = f32::from_bits(converted);
        }
    }
}

/// fp16 of a value with its five exponent bits where an `f32` has eight.
fn half_pattern(bits: u32) -> u16 {
    (((bits & SIGN) >> 16) | ((bits & 0x0fff_e000) >> 13)) as u16
}

vectorised! {
    fn flush_half(tile: &Tile, out: &mut Tile) {
        for (to, from) in out.0.iter_mut().zip(&tile.0) {
            *to = f32::from_bits(flush_to_zero(from.to_bits()));
        }
    }
}

fn store_upper_halves(tile: &Tile, page: &mut [u8]) {
    for (bytes, value) in page.chunks_exact_mut(2).zip(&tile.0) {
        bytes.copy_from_slice(&encode_destination(value.to_bits()).to_le_bytes());
    }
}

/// Sign and magnitude to 8 bits: signed ones keep their sign and up to 127, unsigned ones are clamped to 0 and 255.
fn store_clamped(tile: &Tile, signed: bool, page: &mut [u8]) {
    for (byte, value) in page.iter_mut().zip(&tile.0) {
        let bits = value.to_bits();
        *byte = match (signed, bits & SIGN != 0) {
            (true, negative) => (u8::from(negative) << 7) | (bits & !SIGN).min(127) as u8,
            (false, true) => 0,
            (false, false) => bits.min(255) as u8,
        };
    }
}

vectorised! {
    fn relu(values: &mut Tile, zero_up_to: u32, cap: u32) {
        for value in &mut values.0 {
            let bits = value.to_bits();
            let positive = if bits & SIGN != 0 || bits <= zero_up_to { 0 } else { bits };
            // The comparison sees ten mantissa bits.
            *value = f32::from_bits(if positive >> 13 > cap >> 13 { cap } else { positive });
        }
    }
}

fn mask_out(values: &mut Tile, dim: ReduceDim) {
    for (index, value) in values.0.iter_mut().enumerate() {
        let (face, row, column) = (index / FACE, index % FACE / SIDE, index % SIDE);
        let kept = match dim {
            ReduceDim::Row => column == 0,
            ReduceDim::Col => face < 2 && row == 0,
            ReduceDim::Scalar => index == 0,
        };
        if !kept {
            *value = 0.0;
        }
    }
}

vectorised! {
    fn store_f32(tile: &Tile, page: &mut [u8]) {
        for (bytes, value) in page.chunks_exact_mut(4).zip(&tile.0) {
            bytes.copy_from_slice(&value.to_bits().to_le_bytes());
        }
    }
}

vectorised! {
    fn store_f32_of_bf16(tile: &Tile, page: &mut [u8]) {
        for (bytes, value) in page.chunks_exact_mut(4).zip(&tile.0) {
            let bits = flush_to_zero(nan_to_infinity(value.to_bits()));
            bytes.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

vectorised! {
    fn add_f32(tile: &Tile, page: &mut [u8]) {
        for (bytes, values) in page.chunks_exact_mut(4 * SIDE).zip(tile.0.chunks_exact(SIDE)) {
            let mut sums = [0u32; SIDE];
            for (sum, old) in sums.iter_mut().zip(bytes.chunks_exact(4)) {
                *sum = u32::from_le_bytes([old[0], old[1], old[2], old[3]]);
            }
            for (sum, value) in sums.iter_mut().zip(values) {
                let old = f32::from_bits(flush_keeping_sign(*sum));
                let new = (old + f32::from_bits(flush_keeping_sign(value.to_bits()))).to_bits();
                *sum = if new & !SIGN > EXPONENT { 0x7fc0_0000 } else { flush_keeping_sign(new) };
            }
            for (new, sum) in bytes.chunks_exact_mut(4).zip(sums) {
                new.copy_from_slice(&sum.to_le_bytes());
            }
        }
    }
}

vectorised! {
    fn store_bf16(tile: &Tile, page: &mut [u8]) {
        for (bytes, value) in page.chunks_exact_mut(2).zip(&tile.0) {
            let bits = flush_to_zero(nan_to_infinity(value.to_bits()));
            bytes.copy_from_slice(&((bits >> 16) as u16).to_le_bytes());
        }
    }
}

vectorised! {
    fn store_bf16_rounded(tile: &Tile, page: &mut [u8]) {
        for (bytes, value) in page.chunks_exact_mut(2).zip(&tile.0) {
            let bits = flush_to_zero(to_bf16_away(nan_to_infinity(value.to_bits())));
            bytes.copy_from_slice(&((bits >> 16) as u16).to_le_bytes());
        }
    }
}

/// Adds in fp16 as the accumulator beside L1 does: every exponent but zero is a number's, halves round to even, and what
/// leaves the range saturates, small results too.
fn add_half(old: u16, new: u16) -> u16 {
    const LARGEST: u16 = 0x7fff;
    let widen = |half: u16| {
        let magnitude = u32::from(half & 0x7fff);
        let number = if magnitude >= 0x400 {
            (magnitude << 13) + (112 << 23)
        } else {
            0
        };
        f32::from_bits((u32::from(half & 0x8000) << 16) | number)
    };
    let sum = (widen(old) + widen(new)).to_bits();
    let sign = ((sum >> 16) & 0x8000) as u16;
    if sum & !SIGN == 0 {
        let cancelled = (old >> 10) & 31;
        return sign | if cancelled >= 30 { LARGEST } else { 0 };
    }
    let exponent = ((sum >> 23) & 255) as i32 - 112;
    if exponent <= 0 {
        return sign | if exponent < 0 { LARGEST } else { 0 };
    }
    let mantissa = sum & 0x7f_ffff;
    let packed = ((exponent as u32) << 10) + ((mantissa + 0xfff + ((mantissa >> 13) & 1)) >> 13);
    sign | if packed < 0x8000 { packed as u16 } else { LARGEST }
}

vectorised! {
    /// Adds in bf16, rounding half to even, as the accumulator beside L1 does. An `f32` holds the sum of two bf16 values exactly, or, where
    /// one is 2^16 times as large, one so close to that value that it is rounded to it: so sums are rounded once.
    fn add_bf16(tile: &Tile, page: &mut [u8]) {
        for (bytes, value) in page.chunks_exact_mut(2).zip(&tile.0) {
            let old = flush_keeping_sign(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16);
            let new = flush_keeping_sign(value.to_bits());
            // A NaN in L1 counts as a huge number, to which infinity alone can be added.
            let is_huge = old & !SIGN > EXPONENT;
            let held = if is_huge { (old & SIGN) | EXPONENT } else { old };
            let sum = (f32::from_bits(held) + f32::from_bits(new)).to_bits();
            let is_nan = sum & !SIGN > EXPONENT;
            let sum = to_bf16_even(flush_keeping_sign(if is_nan { 0x7fc0_0000 } else { sum }));
            let sum = if is_huge & (new & !SIGN == EXPONENT) { new } else { sum };
            bytes.copy_from_slice(&((sum >> 16) as u16).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::position;

    fn packer(wide: bool, format: DataFormat) -> Packer {
        Packer {
            wide,
            half: false,
            format,
            bfp8_precise: false,
            mask: None,
            relu: Relu::None,
            accumulate: false,
        }
    }

    fn bf16_page(packer: Packer, tile: &Tile) -> Vec<u16> {
        let mut page = vec![0u8; 2048];
        packer.pack(Some(tile), &mut page);
        page.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
    }

    #[test]
    fn all_ties_of_a_wide_register_go_away_from_zero() {
        for base in (0x0080u32..0x7f7f).step_by(1024) {
            let mut tile = Tile::zero();
            for (i, value) in tile.0.iter_mut().enumerate() {
                *value = f32::from_bits(((base + i as u32).min(0x7f7f) << 16) | 0x8000);
            }
            for (i, packed) in bf16_page(packer(true, DataFormat::Float16_b), &tile)
                .into_iter()
                .enumerate()
            {
                assert_eq!(u32::from(packed), (base + i as u32).min(0x7f7f) + 1);
            }
        }
    }

    #[test]
    fn special_values_pack_as_on_the_chips() {
        let mut tile = Tile::zero();
        let specials = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::from_bits(1)];
        tile.0[..5].copy_from_slice(&specials);
        for wide in [false, true] {
            let packed = bf16_page(packer(wide, DataFormat::Float16_b), &tile);
            assert_eq!(packed[..5], [0x7f80, 0x7f80, 0xff80, 0, 0]);
        }
        let mut page = vec![0u8; 4096];
        packer(true, DataFormat::Float32).pack(Some(&tile), &mut page);
        assert_eq!(page[12..16], (-0.0f32).to_le_bytes());
        assert_eq!(page[16..20], 1u32.to_le_bytes());
    }

    #[test]
    fn a_register_never_written_packs_as_zeros() {
        let mut page = vec![0xaau8; 2048];
        packer(false, DataFormat::Float16_b).pack(None, &mut page);
        assert!(page.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn masks_keep_what_the_reduction_defines() {
        let tile = Tile([1.0; TILE]);
        for (dim, kept) in [
            (ReduceDim::Row, vec![position(0, 0), position(3, 16), position(31, 0)]),
            (ReduceDim::Col, vec![position(0, 0), position(0, 31)]),
            (ReduceDim::Scalar, vec![0]),
        ] {
            let packed = bf16_page(
                Packer {
                    mask: Some(dim),
                    ..packer(true, DataFormat::Float16_b)
                },
                &tile,
            );
            let expected = match dim {
                ReduceDim::Row => 64,
                ReduceDim::Col => 32,
                ReduceDim::Scalar => 1,
            };
            assert_eq!(packed.iter().filter(|v| **v != 0).count(), expected);
            assert!(kept.into_iter().all(|at| packed[at] == 0x3f80), "{dim:?}");
        }
    }

    #[test]
    fn relu_modes_cut_below_and_above() {
        let mut tile = Tile::zero();
        tile.0[..4].copy_from_slice(&[-1.0, 0.5, 2.0, 8.0]);
        let two = 0x4000;
        for (relu, expected) in [
            (Relu::Zero, [0.0, 0.5, 2.0, 8.0]),
            (Relu::MinThreshold(two), [0.0, 0.0, 0.0, 8.0]),
            (Relu::MaxThreshold(two), [0.0, 0.5, 2.0, 2.0]),
        ] {
            for format in [DataFormat::Float16_b, DataFormat::Float32] {
                let mut page = vec![0u8; format.tile_bytes(32, 32)];
                Packer {
                    relu,
                    ..packer(true, format)
                }
                .pack(Some(&tile), &mut page);
                let mut back = Tile::zero();
                crate::compute::unpack::to_source(&page, format, crate::compute::unpack::Mask(!0), false, &mut back);
                assert_eq!(back.0[..4], expected, "{relu:?} {format:?}");
            }
        }
    }

    /// The sum of two bf16 values, which `f64` holds exactly, rounded half to even; a NaN in L1 is a huge number.
    fn sum_of_bf16(old: u16, new: u16) -> u16 {
        let value = |pattern: u16| f64::from(f32::from_bits(flush_keeping_sign(u32::from(pattern) << 16)));
        let held = match value(old) {
            held if held.is_nan() => f64::MAX.copysign(if old >> 15 == 1 { -1.0 } else { 1.0 }),
            held => held,
        };
        bf16_from_f64(held + value(new))
    }

    fn bf16_from_f64(value: f64) -> u16 {
        if value.is_nan() {
            return 0x7fc0;
        }
        let bits = value.to_bits();
        let sign = ((bits >> 48) & 0x8000) as u16;
        let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023 + 127;
        let mantissa = bits & ((1 << 52) - 1);
        if exponent <= 0 {
            sign
        } else if exponent >= 255 {
            sign | 0x7f80
        } else {
            let rounded = (mantissa + (1 << 44) - 1 + ((mantissa >> 45) & 1)) >> 45;
            sign | (((exponent as u64) << 7) + rounded) as u16
        }
    }

    #[test]
    fn sums_in_bf16_are_rounded_once() {
        let accumulating = Packer {
            accumulate: true,
            ..packer(false, DataFormat::Float16_b)
        };
        let mut state = 1u32;
        for old in 0..=u16::MAX {
            // Values of all kinds, and such as are near the one in L1 and near half of its last place.
            let mut tile = Tile::zero();
            for (i, value) in tile.0.iter_mut().enumerate() {
                state = state.wrapping_mul(1664525).wrapping_add(1013904223);
                let random = (state >> 16) as u16;
                let pattern = match i % 4 {
                    0 => random,
                    1 => old ^ (random & 0x80ff),
                    2 => (old ^ (random & 0x807f)).wrapping_sub((random >> 8 & 31) << 7),
                    _ => (old ^ (random & 0x8000)).wrapping_sub((8 + (random & 1)) << 7) & !0x7f | (random >> 8 & 1),
                };
                // The register holds no NaN that the packer would keep.
                *value = f32::from_bits(nan_to_infinity(u32::from(pattern) << 16));
            }
            if old % 16 != 0 && old & 0x7f80 != 0x7f80 && old & 0x7f80 > 0x0100 {
                continue;
            }
            let mut page: Vec<u8> = (0..TILE).flat_map(|_| old.to_le_bytes()).collect();
            accumulating.pack(Some(&tile), &mut page);
            for (found, value) in page.chunks(2).zip(&tile.0) {
                let new = (flush_to_zero(value.to_bits()) >> 16) as u16;
                let found = u16::from_le_bytes([found[0], found[1]]);
                assert_eq!(found, sum_of_bf16(old, new), "{old:04x} and {new:04x}");
            }
        }
    }

    #[test]
    fn a_nan_in_l1_is_a_huge_number_to_the_bf16_accumulator() {
        let mut page = vec![0u8; 2048];
        for (bytes, old) in page.chunks_mut(2).zip([0x7fc1u16, 0xffc0, 0x7fc0]) {
            bytes.copy_from_slice(&old.to_le_bytes());
        }
        let mut tile = Tile::zero();
        tile.0[..3].copy_from_slice(&[-5.0, 5.0, f32::NEG_INFINITY]);
        Packer {
            accumulate: true,
            ..packer(false, DataFormat::Float16_b)
        }
        .pack(Some(&tile), &mut page);
        let sums: Vec<_> = page
            .chunks(2)
            .take(3)
            .map(|b| u16::from_le_bytes([b[0], b[1]]))
            .collect();
        assert_eq!(sums, [0x7f80, 0xff80, 0xff80]);
    }

    #[test]
    fn accumulation_adds_in_the_pages_format() {
        let tile = Tile([1.0 / 256.0; TILE]);
        for (format, expected) in [(DataFormat::Float32, 1.0 + 1.0 / 256.0), (DataFormat::Float16_b, 1.0)] {
            let mut page = vec![0u8; format.tile_bytes(32, 32)];
            packer(true, format).pack(Some(&Tile([1.0; TILE])), &mut page);
            Packer {
                accumulate: true,
                ..packer(true, format)
            }
            .pack(Some(&tile), &mut page);
            let mut back = Tile::zero();
            crate::compute::unpack::to_source(&page, format, crate::compute::unpack::Mask(!0), false, &mut back);
            assert_eq!(back.0[77], expected, "{format:?}: a tie goes to even");
        }
    }
}
