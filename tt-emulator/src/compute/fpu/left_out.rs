//! What HiFi3 leaves out of products of bf16 numbers: the three lowest bits of A by the lowest of B.
//!
//! Into a 32-bit destination the other phases add up to the whole product without it, so the whole product is formed and this is taken
//! away from it before. It is a few hundred-thousandths of the sums, a third of what a chip's adders are off, so it need not be exact to the bit:
//! low parts are integers of 8 bits, as parts of the power of two of the largest number of A's column, or of B's tile. Those of numbers
//! down to an eighth of that (of A) or a sixty-fourth (of B) are exact, smaller ones lose their last bits, and a 128th has none. Sums of
//! such integers are exact, so every version gives the same bits.

use super::pairs::RowPairs;
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

/// Rows, and columns, of a tile.
const LINES: usize = 2 * SIDE;

/// Those of both operands of a product.
pub type Both<'a> = (&'a Rows, &'a Columns);

/// Integers whose products are added up at a time: of a pair along k of each half of k.
type Four = [u8; 4];

/// Pairs along k of a face: so many fours has a row or a column of a tile.
const FOURS: usize = SIDE / 2;

/// The exponent field of a pattern of bf16.
const EXPONENT: u16 = 0x7f80;

/// What is added to integers of B, so that none is negative.
const OFFSET: u8 = 64;

/// The least exponent of a unit's number: below it all of the low bits of a tile are too small to count.
const LEAST: u16 = 7;

/// The low bits of B, of a tile.
#[repr(C, align(64))]
pub struct Rows {
    /// Of every row of the tile its fours, with [`OFFSET`].
    fours: [Four; LINES * FOURS],
    /// The largest exponent of the tile.
    exponent: i32,
}

/// The low bits of A, of a tile.
#[repr(C, align(64))]
pub struct Columns {
    /// Of every pair along k of a face those of all columns, as bytes of integers with a sign.
    fours: [[Four; LINES]; FOURS],
    /// What a column gives with [`OFFSET`] in place of every integer of B, negated.
    starts: [i32; LINES],
    /// The largest exponent of each column.
    exponents: [i32; LINES],
}

/// From the exponents of A and B to that of what one is of a sum of products of their integers: a last bit of A is 2^-7 of its exponent's
/// power of two and 2^4 as an integer, that of B 2^-7 and 2^6; and one bias less.
const TO_UNIT: i32 = 127 + 7 + 4 + 7 + 6;

/// Exponents of units with which no sum of products of integers leaves the numbers of `f32`. Beyond, products of the numbers themselves
/// do, or are zeros.
const MOST_UNIT: i32 = 254 - 18;

/// Of a pattern the integer of its last bit, where `exponent` is the largest.
#[inline(always)]
fn of_row(pattern: u16, exponent: u16) -> i16 {
    let size = shifted((pattern & 1) << 6, pattern, exponent);
    with_sign(size, pattern)
}

/// Of a pattern the integer of its last three bits, where `exponent` is the largest.
#[inline(always)]
fn of_column(pattern: u16, exponent: u16) -> i16 {
    let size = shifted((pattern & 7) << 4, pattern, exponent);
    with_sign(size, pattern)
}

#[inline(always)]
fn shifted(bits: u16, pattern: u16, exponent: u16) -> u16 {
    let shift = (exponent - (pattern & EXPONENT)) >> 7;
    if shift < 16 { bits >> shift } else { 0 }
}

#[inline(always)]
fn with_sign(size: u16, pattern: u16) -> i16 {
    let size = size as i16;
    if pattern >> 15 == 1 { -size } else { size }
}

/// Both patterns of a pair.
#[inline(always)]
fn patterns(pair: u32) -> [u16; 2] {
    [pair as u16, (pair >> 16) as u16]
}

/// The largest exponent of a pair.
#[inline(always)]
fn exponent_of(pair: u32) -> u16 {
    let [lower, upper] = patterns(pair);
    (lower & EXPONENT).max(upper & EXPONENT)
}

/// The unit's exponent field that a largest one makes.
fn least(exponent: u16) -> u16 {
    exponent.max(LEAST << 7)
}

impl Rows {
    /// Zeros.
    pub const ZERO: Rows = Rows {
        fours: [[OFFSET; 4]; LINES * FOURS],
        exponent: LEAST as i32,
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        let exponent = least(largest_exponent(pairs));
        self.exponent = i32::from(exponent >> 7);
        fours_of_rows(pairs, exponent, &mut self.fours);
    }

    /// Whether a number of the tile has the largest exponent.
    pub fn has_largest_exponent(&self) -> bool {
        self.exponent == i32::from(EXPONENT >> 7)
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (row, k) = line_and_across(at);
            let four = self.fours[row * FOURS + k % SIDE / 2];
            *number = f32::from(i16::from(four[place(k)]) - i16::from(OFFSET));
        }
    }
}

impl Columns {
    /// Zeros.
    pub const ZERO: Columns = Columns {
        fours: [[[0; 4]; LINES]; FOURS],
        starts: [0; LINES],
        exponents: [LEAST as i32; LINES],
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        take_columns(self, pairs);
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (k, column) = line_and_across(at);
            *number = f32::from(self.fours[k % SIDE / 2][column][place(k)] as i8);
        }
    }
}

/// The row and the column of the element of a tile that lies there.
fn line_and_across(at: usize) -> (usize, usize) {
    let (face, at) = (at / FACE, at % FACE);
    (face / 2 * SIDE + at / SIDE, face % 2 * SIDE + at % SIDE)
}

/// Where k is in a four: of a pair the first of both halves of k comes first.
fn place(k: usize) -> usize {
    k % 2 * 2 + k / SIDE
}

vectorised! {
    fn largest_exponent(pairs: &RowPairs) -> u16 {
        let mut most = 0;
        for number in pairs.as_flattened().as_chunks::<2>().0 {
            let exponent = u16::from_le_bytes(*number) & EXPONENT;
            most = if exponent > most { exponent } else { most };
        }
        most
    }
}

vectorised! {
    fn fours_of_rows(pairs: &RowPairs, exponent: u16, fours: &mut [Four; LINES * FOURS]) {
        rows_plain(pairs, exponent, fours);
    }
    avx2 { rows_plain(pairs, exponent, fours) }
    avx512 { x86::fours_of_rows(pairs, exponent, fours) }
}

#[inline(always)]
fn rows_plain(pairs: &RowPairs, exponent: u16, fours: &mut [Four; LINES * FOURS]) {
    let halves = pairs.as_chunks::<{ SIDE * FOURS }>().0;
    for (half, fours) in fours.as_chunks_mut::<{ SIDE * FOURS }>().0.iter_mut().enumerate() {
        let [left, right] = [halves[2 * half], halves[2 * half + 1]];
        for (four, (left, right)) in fours.iter_mut().zip(left.iter().zip(right)) {
            let pairs = [*left, right].map(u32::from_le_bytes).map(patterns);
            *four = four_of(pairs, |pattern| (of_row(pattern, exponent) + i16::from(OFFSET)) as u8);
        }
    }
}

/// The integers of two pairs.
#[inline(always)]
fn four_of([[a, b], [c, d]]: [[u16; 2]; 2], integer: impl Fn(u16) -> u8) -> Four {
    [integer(a), integer(c), integer(b), integer(d)]
}

vectorised! {
    fn take_columns(columns: &mut Columns, pairs: &RowPairs) {
        columns_plain(columns, pairs);
    }
    avx2 { columns_plain(columns, pairs) }
    avx512 { x86::take_columns(columns, pairs) }
}

/// Pairs of a right operand in both halves of k, row by row of the left face and then of the right one.
fn halves(pairs: &RowPairs) -> [&[[[u8; 4]; SIDE]]; 2] {
    let (upper, lower) = pairs.as_chunks::<SIDE>().0.split_at(SIDE);
    [upper, lower]
}

#[inline(always)]
fn columns_plain(columns: &mut Columns, pairs: &RowPairs) {
    for column in 0..LINES {
        let halves = halves(pairs);
        let pair = |half: usize, k: usize| u32::from_le_bytes(halves[half][column / SIDE * FOURS + k][column % SIDE]);
        let mut exponent = 0;
        for k in 0..FOURS {
            exponent = exponent.max(exponent_of(pair(0, k))).max(exponent_of(pair(1, k)));
        }
        let exponent = least(exponent);
        let mut sum = 0;
        for (k, fours) in columns.fours.iter_mut().enumerate() {
            let four = four_of([0, 1].map(|half| patterns(pair(half, k))), |pattern| {
                of_column(pattern, exponent) as u8
            });
            sum += four.iter().map(|byte| i32::from(*byte as i8)).sum::<i32>();
            fours[column] = four;
        }
        columns.starts[column] = -i32::from(OFFSET) * sum;
        columns.exponents[column] = i32::from(exponent >> 7);
    }
}

/// What one is of a sum of products of integers of these exponents.
#[inline(always)]
fn unit(row: i32, column: i32) -> f32 {
    let exponent = row + column - TO_UNIT;
    let counts = exponent > 0 && exponent <= MOST_UNIT;
    f32::from_bits(if counts { (exponent as u32) << 23 } else { 0 })
}

vectorised! {
    /// Takes what is left out away from a tile of sums: these sums of products of integers.
    pub fn take_away(sums: &mut Tile, products: &Tile, both: Both) {
        let (rows, columns) = both;
        let mut units = [0.0; LINES];
        for (unit_of, column) in units.iter_mut().zip(&columns.exponents) {
            *unit_of = unit(rows.exponent, *column);
        }
        let faces = sums.0.as_chunks_mut::<FACE>().0.iter_mut().zip(products.0.as_chunks::<FACE>().0);
        for (face, (sums, products)) in faces.enumerate() {
            let units = &units.as_chunks::<SIDE>().0[face % 2];
            let rows = sums.as_chunks_mut::<SIDE>().0.iter_mut().zip(products.as_chunks::<SIDE>().0);
            for (sums, products) in rows {
                for i in 0..SIDE {
                    sums[i] -= products[i] * units[i];
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Both, Columns, EXPONENT, FOURS, Four, LEAST, LINES, MOST_UNIT, OFFSET, RowPairs, SIDE, TO_UNIT};
    use std::arch::x86_64::*;
    use std::hint::black_box;

    /// Fours in a vector.
    const LANES: usize = 16;

    /// By how much integers of these patterns are smaller than those of the largest exponents.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn shifts(patterns: __m512i, largest: __m512i) -> __m512i {
        let exponents = _mm512_and_si512(patterns, _mm512_set1_epi16(EXPONENT as i16));
        _mm512_srli_epi16::<7>(_mm512_sub_epi16(largest, exponents))
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn fours_of_rows(pairs: &RowPairs, exponent: u16, fours: &mut [Four; LINES * FOURS]) {
        let largest = _mm512_set1_epi16(exponent as i16);
        let halves = pairs.as_chunks::<{ SIDE * FOURS }>().0.as_chunks::<2>().0;
        for (fours, [left, right]) in fours.as_chunks_mut::<{ SIDE * FOURS }>().0.iter_mut().zip(halves) {
            let both = left.as_chunks::<LANES>().0.iter().zip(right.as_chunks::<LANES>().0);
            for (fours, (left, right)) in fours.as_chunks_mut::<LANES>().0.iter_mut().zip(both) {
                // SAFETY: 64 bytes each, at any address.
                unsafe {
                    let left = of_rows(_mm512_loadu_si512(left.as_ptr().cast()), largest);
                    let right = of_rows(_mm512_loadu_si512(right.as_ptr().cast()), largest);
                    let both = _mm512_or_si512(left, _mm512_slli_epi16::<8>(right));
                    _mm512_storeu_si512(fours.as_mut_ptr().cast(), both);
                }
            }
        }
    }

    /// As [`of_row`](super::of_row), with [`OFFSET`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of_rows(patterns: __m512i, largest: __m512i) -> __m512i {
        let has_bit = _mm512_test_epi16_mask(patterns, _mm512_set1_epi16(1));
        let size = _mm512_maskz_srlv_epi16(has_bit, _mm512_set1_epi16(1 << 6), shifts(patterns, largest));
        let offset = _mm512_set1_epi16(OFFSET.into());
        let positive = _mm512_add_epi16(offset, size);
        _mm512_mask_sub_epi16(positive, _mm512_movepi16_mask(patterns), offset, size)
    }

    /// As [`of_column`](super::of_column).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of_columns(patterns: __m512i, largest: __m512i) -> __m512i {
        let bits = _mm512_and_si512(_mm512_slli_epi16::<4>(patterns), _mm512_set1_epi16(7 << 4));
        let size = _mm512_srlv_epi16(bits, shifts(patterns, largest));
        _mm512_mask_sub_epi16(size, _mm512_movepi16_mask(patterns), _mm512_setzero_si512(), size)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn take_columns(columns: &mut Columns, pairs: &RowPairs) {
        // A processor that multiplies pairs has the instruction; elsewhere there is nothing to gain.
        if !super::super::pairs::are_multiplied() {
            return super::columns_plain(columns, pairs);
        }
        // SAFETY: as asked.
        unsafe { take_columns_vnni(columns, pairs) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn take_columns_vnni(columns: &mut Columns, pairs: &RowPairs) {
        let [upper, lower] = super::halves(pairs);
        for face in 0..2 {
            // SAFETY: 64 bytes, at any address.
            let load = |half: &[[[u8; 4]; SIDE]], k: usize| unsafe {
                _mm512_loadu_si512(half[face * FOURS + k].as_ptr().cast())
            };
            let mut largest = _mm512_set1_epi16((LEAST << 7) as i16);
            for k in 0..FOURS {
                for half in [upper, lower] {
                    let exponents = _mm512_and_si512(load(half, k), _mm512_set1_epi16(EXPONENT as i16));
                    largest = _mm512_max_epu16(largest, exponents);
                }
            }
            let largest = _mm512_max_epu16(largest, _mm512_rol_epi32::<16>(largest));
            let mut sum = _mm512_setzero_si512();
            for (k, fours) in columns.fours.iter_mut().enumerate() {
                let (first, second) = (of_columns(load(upper, k), largest), of_columns(load(lower, k), largest));
                let first = _mm512_and_si512(first, _mm512_set1_epi16(0xff));
                let both = _mm512_or_si512(first, _mm512_slli_epi16::<8>(second));
                sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(OFFSET as i8), both);
                // SAFETY: 64 bytes, at any address.
                unsafe { _mm512_storeu_si512(fours[face * SIDE..][..SIDE].as_mut_ptr().cast(), both) };
            }
            let starts = _mm512_sub_epi32(_mm512_setzero_si512(), sum);
            let exponents = _mm512_srli_epi32::<23>(largest);
            // SAFETY: 64 bytes each, at any address.
            unsafe {
                _mm512_storeu_si512(columns.starts[face * SIDE..][..SIDE].as_mut_ptr().cast(), starts);
                _mm512_storeu_si512(columns.exponents[face * SIDE..][..SIDE].as_mut_ptr().cast(), exponents);
            }
        }
    }

    /// What is left out of some rows of a tile, from `first` on: sums of products of integers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn products<const ROWS: usize>((rows, columns): Both, first: usize) -> [[__m512i; 2]; ROWS] {
        let starts = [0, 1].map(|face| load(&columns.starts, face));
        let mut products = [starts; ROWS];
        let fours = &rows.fours[first * FOURS..][..ROWS * FOURS];
        for k in 0..FOURS {
            // Else the compiler loads what all steps need before the first one, and has no registers left.
            let k = black_box(k);
            // SAFETY: `k` is below the fours of a row, of which there are ROWS, and of a column of both faces.
            unsafe {
                let column = columns.fours.as_ptr().add(k).cast::<i32>();
                let [left, right] = [
                    _mm512_load_si512(column.cast()),
                    _mm512_load_si512(column.add(SIDE).cast()),
                ];
                for (r, product) in products.iter_mut().enumerate() {
                    let row = _mm512_set1_epi32(i32::from_le_bytes(*fours.as_ptr().add(r * FOURS + k)));
                    product[0] = _mm512_dpbusd_epi32(product[0], row, left);
                    product[1] = _mm512_dpbusd_epi32(product[1], row, right);
                }
            }
        }
        products
    }

    /// Numbers of the columns of a face.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(numbers: &[i32; LINES], face: usize) -> __m512i {
        // SAFETY: 64 bytes, at any address.
        unsafe { _mm512_loadu_si512(numbers[face * SIDE..][..SIDE].as_ptr().cast()) }
    }

    /// Takes them away from sums.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn take_away<const ROWS: usize>(
        sums: &mut [[__m512; 2]; ROWS],
        products: &[[__m512i; 2]; ROWS],
        (rows, columns): Both,
    ) {
        let to_unit = _mm512_set1_epi32(rows.exponent - TO_UNIT);
        let (one, most) = (_mm512_set1_epi32(1), _mm512_set1_epi32(MOST_UNIT));
        let unit = |face: usize| {
            let exponents = _mm512_add_epi32(load(&columns.exponents, face), to_unit);
            let counts = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(exponents, one), most);
            _mm512_castsi512_ps(_mm512_maskz_slli_epi32::<23>(counts, exponents))
        };
        let units = [unit(0), unit(1)];
        for (sum, product) in sums.iter_mut().zip(products) {
            for ((sum, product), unit) in sum.iter_mut().zip(product).zip(&units) {
                *sum = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(*product), *unit, *sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fidelity::{Part, Plan};
    use super::super::matmul::{Parts, multiply, pairs_are_multiplied};
    use super::*;
    use crate::compute::tile::{TILE, position};
    use crate::compute::unpack::Keep;
    use crate::kernel_config::MathFidelity;

    /// Random numbers of bf16 of both signs and of these exponents; in some, zeros and denormals.
    fn page(seed: u32, exponents: std::ops::Range<u32>, with_zeros: bool) -> Vec<u16> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let number = |_| {
            let exponent = match random() % 16 {
                0 if with_zeros => 0,
                _ => exponents.start + random() % (exponents.end - exponents.start),
            };
            (random() << 15 & 0x8000 | exponent << 7 | random() & 0x7f) as u16
        };
        (0..TILE).map(number).collect()
    }

    fn value(pattern: u16) -> f64 {
        let is_denormal = pattern & EXPONENT == 0;
        let bits = if is_denormal { 0 } else { u32::from(pattern) << 16 };
        f64::from(f32::from_bits(bits))
    }

    /// What a number is without these of its last bits.
    fn without(pattern: u16, bits: u16) -> f64 {
        value(pattern & !bits)
    }

    /// The product in HiFi3 as each version forms it, onto zeros.
    fn products(rows: &[u16], columns: &[u16]) -> Vec<Vec<f32>> {
        let plan = Plan::of(MathFidelity::HiFi3, true, true);
        assert!(plan.leaves_out);
        let mut parts = [rows, columns].map(|page| {
            let mut parts = Parts::zero();
            for (to, pattern) in parts.first.0.iter_mut().zip(page) {
                *to = value(*pattern) as f32;
            }
            parts
        });
        parts[0].pair_rows(plan.cut_b(Keep::Bf16));
        parts[1].pair_columns(plan.cut_a(Keep::Bf16));
        let (mut low_rows, mut low_columns) = (Rows::ZERO, Columns::ZERO);
        let pairs = parts.each_ref().map(|parts| parts.paired(Part::First).as_bytes());
        low_rows.take(pairs[0]);
        low_columns.take(pairs[1]);
        low_rows.numbers(&mut parts[0].rest);
        low_columns.numbers(&mut parts[1].rest);
        let pairs = parts.each_ref().map(|parts| parts.paired(Part::First).as_bytes());
        // The versions of other processors.
        let (mut plain_rows, mut plain_columns) = (Rows::ZERO, Columns::ZERO);
        rows_plain(pairs[0], least(largest_exponent(pairs[0])), &mut plain_rows.fours);
        columns_plain(&mut plain_columns, pairs[1]);
        assert!(plain_rows.fours == low_rows.fours);
        assert!(plain_columns.fours == low_columns.fours && plain_columns.exponents == low_columns.exponents);
        let form = |paired| {
            let mut sums = Tile::zero();
            let products = (plan.products, Some((&low_rows, &low_columns)));
            multiply(&mut sums, (&parts[0], None), &parts[1], products, (true, paired), || {});
            sums.0.to_vec()
        };
        [false, true]
            .into_iter()
            .filter(|paired| !paired || pairs_are_multiplied())
            .map(form)
            .collect()
    }

    #[test]
    fn numbers_of_close_exponents_are_multiplied_as_hifi3_does() {
        for seed in 0..20 {
            // So few bits that sums are exact.
            let rows = page(2 * seed, 130..133, false);
            let columns = page(2 * seed + 1, 128..130, false);
            for sums in products(&rows, &columns) {
                for at in 0..TILE {
                    let (r, c) = (at / 32, at % 32);
                    let exact: f64 = (0..32)
                        .map(|k| {
                            let (b, a) = (rows[position(r, k)], columns[position(k, c)]);
                            value(b) * value(a) - (value(b) - without(b, 1)) * (value(a) - without(a, 7))
                        })
                        .sum();
                    assert_eq!(f64::from(sums[position(r, c)]), exact, "{seed}: {r}, {c}");
                }
            }
        }
    }

    #[test]
    fn what_is_left_out_is_known_to_its_last_bits() {
        let ranges = [
            (0..200, 60..120),
            (60..120, 0..200),
            (100..140, 100..140),
            (1..20, 180..255),
            (235..255, 20..30),
            (120..128, 120..128),
        ];
        for (seed, (of_rows, of_columns)) in (0..48).zip(ranges.into_iter().cycle()) {
            let rows = page(2 * seed, of_rows, true);
            let columns = page(2 * seed + 1, of_columns, true);
            let exponent = |pattern: u16| i32::from(pattern >> 7 & 0xff);
            let largest = rows.iter().map(|pattern| exponent(*pattern)).max().unwrap_or(0);
            let all = products(&rows, &columns);
            for sums in &all {
                assert!(
                    sums.iter().zip(&all[0]).all(|(a, b)| a.to_bits() == b.to_bits()),
                    "{seed}"
                );
            }
            for at in 0..TILE {
                let (r, c) = (at / 32, at % 32);
                let of_column = (0..32).map(|k| exponent(columns[position(k, c)])).max().unwrap_or(0);
                let power = |exponent: i32| f64::from(exponent).exp2();
                let (unit_b, unit_a) = (power(largest.max(7) - 127 - 13), power(of_column.max(7) - 127 - 11));
                let (mut exact, mut room) = (0.0, 0.0);
                for k in 0..32 {
                    let (b, a) = (rows[position(r, k)], columns[position(k, c)]);
                    let (low_b, low_a) = (value(b) - without(b, 1), value(a) - without(a, 7));
                    exact += value(b) * value(a) - low_b * low_a;
                    room += unit_b * low_a.abs() + unit_a * low_b.abs();
                    room += 40.0 * power(-24) * (value(b) * value(a)).abs() + power(-120);
                }
                let found = f64::from(all[0][position(r, c)]);
                assert!(
                    (found - exact).abs() <= room,
                    "{seed}: {r}, {c}: {found:e}, {exact:e}, {room:e}"
                );
            }
        }
    }
}
