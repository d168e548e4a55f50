//! What HiFi3 leaves out of products of bf16 numbers: the three lowest bits of A by the lowest of B.
//!
//! Into a 32-bit destination the other phases add up to the whole product without it, so the whole product is formed and this is taken
//! away from it. It is a few hundred-thousandths of the sums, a third of what a chip's adders are off, so it need not be exact to the bit:
//! low parts are integers of 8 bits, as parts of the power of two of the largest number of A's column, or of B's row: what lies in other
//! columns and rows, or past an edge, has no say. Those of numbers down to an eighth of that (of A) or a sixty-fourth (of B) are exact,
//! smaller ones lose their last bits, and a 64th (of A) or a 128th has none. Sums of such integers are exact, so every version gives the
//! same bits.
//!
//! Where there are vectors of bytes, one multiplication makes two products (S. Winograd, "A New Algorithm for Inner Product", 1968): of a
//! pair along k, `(a0 + b1) * (a1 + b0)` is `a0 * b0 + a1 * b1`, which is wanted, and `a0 * a1 + b0 * b1`, of which a column and a row
//! know their sums. Bytes are added where nothing else is, beside the products of the numbers.

use super::pairs::RowPairs;
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

/// Rows, and columns, of a tile.
const LINES: usize = 2 * SIDE;

/// Those of both operands of a product.
pub type Both<'a> = (&'a Rows, &'a Columns);

/// Integers as bytes, of which four products are added up at a time: of two neighbouring pairs along k of each half of k.
type Four = [u8; 4];

/// Pairs along k of a face.
const PAIRS: usize = SIDE / 2;

/// Fours of the firsts of pairs that a row or a column of a tile has, and of the seconds.
pub const FOURS: usize = LINES / 2 / 4;

/// The exponent field of a pattern of bf16.
const EXPONENT: u16 = 0x7f80;

/// What is added to sums of a first of A and a second of B, so that none is negative.
const OFFSET: u8 = 128;

/// The least exponent that integers are parts of: with it those of numbers that count as zero, below 2^-126, are zero.
const LEAST: u16 = 7 << 7;

/// The exponent that is said of zeros alone, whose integers are zeros, too.
const NEUTRAL: u16 = 127 << 7;

/// The low bits of B, of a tile.
#[repr(C, align(64))]
pub struct Rows {
    /// Of every row the fours of seconds, with [`OFFSET`], and of firsts.
    fours: [[[Four; FOURS]; 2]; LINES],
    exponents: Exponents,
    /// What a row adds to sums of products beside what is wanted, negated.
    starts: [i32; LINES],
}

/// The low bits of A, of a tile.
#[repr(C, align(64))]
pub struct Columns {
    /// The fours of firsts of all columns, and of seconds.
    fours: [[[Four; LINES]; 2]; FOURS],
    exponents: Exponents,
    /// What a column adds to sums of products beside what is wanted, negated.
    starts: [i32; LINES],
}

/// The largest exponents of the rows or columns of a tile.
#[repr(C, align(64))]
struct Exponents {
    of: [i32; LINES],
    /// The least and the largest of them.
    ends: [i32; 2],
}

impl Exponents {
    const ZERO: Exponents = Exponents {
        of: [NEUTRAL as i32 >> 7; LINES],
        ends: [NEUTRAL as i32 >> 7; 2],
    };

    fn note_ends(&mut self) {
        let [mut least, mut most] = [self.of[0]; 2];
        for of in self.of {
            (least, most) = (if of < least { of } else { least }, if of > most { of } else { most });
        }
        self.ends = [least, most];
    }
}

/// From the exponents of A and B to that of what one is of a sum of products of their integers: a last bit of A is 2^-7 of its exponent's
/// power of two and 2^3 as an integer, that of B 2^-7 and 2^6; and one bias less.
const TO_UNIT: i32 = 127 + 7 + 3 + 7 + 6;

/// Exponents of units with which no sum of products of integers leaves the numbers of `f32`. Beyond, the product of the largest numbers of
/// row and column does; below, nothing counts.
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
    let size = shifted((pattern & 7) << 3, pattern, exponent);
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

/// The exponent that integers are parts of where this is the largest.
#[inline(always)]
fn unit_exponent(largest: u16) -> u16 {
    match largest {
        0 => NEUTRAL,
        _ => largest.max(LEAST),
    }
}

/// A row or a column.
struct Line {
    exponent: i32,
    firsts: [Four; FOURS],
    seconds: [Four; FOURS],
}

/// The low bits of a line, by its pairs of each half of k and what `integer` makes of a pattern and the exponent.
#[inline(always)]
fn line(pair: impl Fn(usize, usize) -> [u8; 4], integer: impl Fn(u16, u16) -> i16) -> Line {
    let patterns = |half, at| {
        let [a, b, c, d] = pair(half, at);
        [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]
    };
    let mut largest = 0;
    for at in 0..PAIRS {
        for pattern in patterns(0, at).into_iter().chain(patterns(1, at)) {
            largest = largest.max(pattern & EXPONENT);
        }
    }
    let exponent = unit_exponent(largest);
    let fours = |which: usize| {
        std::array::from_fn(|four| {
            std::array::from_fn(|at| integer(patterns(at % 2, 2 * four + at / 2)[which], exponent) as u8)
        })
    };
    Line {
        exponent: i32::from(exponent >> 7),
        firsts: fours(0),
        seconds: fours(1),
    }
}

/// Of what firsts and seconds of a line add to sums of products beside what is wanted, the negative. `offset` are those that [`OFFSET`]
/// is added to the other factor of.
#[inline(always)]
fn start(line: &Line, offset: &[Four; FOURS]) -> i32 {
    let integer = |byte: &u8| i32::from(*byte as i8);
    let pairs = line.firsts.as_flattened().iter().zip(line.seconds.as_flattened());
    let products: i32 = pairs.map(|(a, b)| integer(a) * integer(b)).sum();
    -products - i32::from(OFFSET) * offset.as_flattened().iter().map(integer).sum::<i32>()
}

/// Of a value of k: to which of its pair it belongs, in which four and where in that.
fn place(k: usize) -> (usize, usize, usize) {
    let (half, pair) = (k / SIDE, k % SIDE / 2);
    (k % 2, pair / 2, pair % 2 * 2 + half)
}

impl Rows {
    /// Zeros.
    pub const ZERO: Rows = Rows {
        fours: [[[[OFFSET; 4]; FOURS], [[0; 4]; FOURS]]; LINES],
        exponents: Exponents::ZERO,
        starts: [0; LINES],
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        take_rows(self, pairs);
        self.exponents.note_ends();
    }

    /// Whether a number of the tile has the largest exponent.
    pub fn has_largest_exponent(&self) -> bool {
        self.exponents.ends[1] == i32::from(EXPONENT >> 7)
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (row, k) = line_and_across(at);
            let (which, four, at) = place(k);
            let offset = [0, OFFSET][which];
            *number = f32::from((self.fours[row][1 - which][four][at] ^ offset) as i8);
        }
    }
}

impl Columns {
    /// Zeros.
    pub const ZERO: Columns = Columns {
        fours: [[[[0; 4]; LINES]; 2]; FOURS],
        exponents: Exponents::ZERO,
        starts: [0; LINES],
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        take_columns(self, pairs);
        self.exponents.note_ends();
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (k, column) = line_and_across(at);
            let (which, four, at) = place(k);
            *number = f32::from(self.fours[four][which][column][at] as i8);
        }
    }
}

/// The row and the column of the element of a tile that lies there.
fn line_and_across(at: usize) -> (usize, usize) {
    let (face, at) = (at / FACE, at % FACE);
    (face / 2 * SIDE + at / SIDE, face % 2 * SIDE + at % SIDE)
}

vectorised! {
    fn take_rows(rows: &mut Rows, pairs: &RowPairs) {
        rows_plain(rows, pairs);
    }
    avx2 { rows_plain(rows, pairs) }
    avx512 { x86::take_rows(rows, pairs) }
}

#[inline(always)]
fn rows_plain(rows: &mut Rows, pairs: &RowPairs) {
    let faces = pairs.as_chunks::<PAIRS>().0.as_chunks::<SIDE>().0;
    for row in 0..LINES {
        let pair = |half: usize, at: usize| faces[row / SIDE * 2 + half][row % SIDE][at];
        let line = line(pair, of_row);
        rows.fours[row] = [line.seconds.map(|four| four.map(|byte| byte ^ OFFSET)), line.firsts];
        rows.starts[row] = start(&line, &line.firsts);
        rows.exponents.of[row] = line.exponent;
    }
}

vectorised! {
    fn take_columns(columns: &mut Columns, pairs: &RowPairs) {
        columns_plain(columns, pairs);
    }
    avx2 { columns_plain(columns, pairs) }
    avx512 { x86::take_columns(columns, pairs) }
}

#[inline(always)]
fn columns_plain(columns: &mut Columns, pairs: &RowPairs) {
    let faces = pairs.as_chunks::<SIDE>().0.as_chunks::<PAIRS>().0;
    for column in 0..LINES {
        let pair = |half: usize, at: usize| faces[half * 2 + column / SIDE][at][column % SIDE];
        let line = line(pair, of_column);
        for (fours, four) in columns.fours.iter_mut().zip(line.firsts.iter().zip(&line.seconds)) {
            (fours[0][column], fours[1][column]) = (*four.0, *four.1);
        }
        columns.starts[column] = start(&line, &line.seconds);
        columns.exponents.of[column] = line.exponent;
    }
}

/// What one is of a sum of products of integers of these exponents.
#[inline(always)]
fn unit(row: i32, column: i32) -> f32 {
    let exponent = row + column - TO_UNIT;
    let counts = exponent > 0 && exponent <= MOST_UNIT;
    f32::from_bits(if counts { (exponent as u32) << 23 } else { 0 })
}

/// Whether that is another number for all of both operands.
#[cfg(target_arch = "x86_64")]
fn all_count((rows, columns): Both) -> bool {
    let [least, most] = [0, 1].map(|end| rows.exponents.ends[end] + columns.exponents.ends[end] - TO_UNIT);
    least > 0 && most <= MOST_UNIT
}

vectorised! {
    /// Takes what is left out away from a tile of sums: these sums of products of integers.
    pub fn take_away(sums: &mut Tile, products: &Tile, both: Both) {
        let (rows, columns) = both;
        let lines = sums.0.as_chunks_mut::<SIDE>().0.iter_mut().zip(products.0.as_chunks::<SIDE>().0);
        for (at, (sums, products)) in lines.enumerate() {
            let (row, column) = line_and_across(at * SIDE);
            for i in 0..SIDE {
                sums[i] -= products[i] * unit(rows.exponents.of[row], columns.exponents.of[column + i]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::super::pairs;
    use super::{
        Both, Columns, EXPONENT, LEAST, LINES, MOST_UNIT, NEUTRAL, OFFSET, PAIRS, RowPairs, Rows, SIDE, TO_UNIT,
    };
    use std::arch::x86_64::*;

    /// Of the largest exponents those that integers are parts of.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn unit_exponents(largest: __m512i) -> __m512i {
        let are_zero = _mm512_testn_epi16_mask(largest, largest);
        let largest = _mm512_max_epu16(largest, _mm512_set1_epi16(LEAST as i16));
        _mm512_mask_mov_epi16(largest, are_zero, _mm512_set1_epi16(NEUTRAL as i16))
    }

    /// The exponents of patterns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn exponents_of(patterns: __m512i) -> __m512i {
        _mm512_and_si512(patterns, _mm512_set1_epi16(EXPONENT as i16))
    }

    /// Integers of these bits, where these exponents are the largest.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn integers(bits: __m512i, patterns: __m512i, exponents: __m512i) -> __m512i {
        let shifts = _mm512_srli_epi16::<7>(_mm512_sub_epi16(exponents, exponents_of(patterns)));
        let size = _mm512_srlv_epi16(bits, shifts);
        _mm512_mask_sub_epi16(size, _mm512_movepi16_mask(patterns), _mm512_setzero_si512(), size)
    }

    /// As [`of_row`](super::of_row).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of_rows(patterns: __m512i, exponents: __m512i) -> __m512i {
        let bits = _mm512_and_si512(_mm512_slli_epi16::<6>(patterns), _mm512_set1_epi16(1 << 6));
        integers(bits, patterns, exponents)
    }

    /// As [`of_column`](super::of_column).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn of_columns(patterns: __m512i, exponents: __m512i) -> __m512i {
        let bits = _mm512_and_si512(_mm512_slli_epi16::<3>(patterns), _mm512_set1_epi16(7 << 3));
        integers(bits, patterns, exponents)
    }

    /// Adds to what a line adds to sums beside what is wanted, twice: products of pairs of integers, and of those that `offset` says
    /// the product by [`OFFSET`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn add_to_starts(starts: __m512i, pairs: __m512i, offset: __m512i) -> __m512i {
        let other = _mm512_add_epi16(_mm512_rol_epi32::<16>(pairs), offset);
        _mm512_dpwssd_epi32(starts, pairs, other)
    }

    /// Twice [`OFFSET`] for the firsts of pairs, or for the seconds.
    const OFFSETS: [i32; 2] = [2 * OFFSET as i32, (2 * OFFSET as i32) << 16];

    /// The lower bytes of the first's words, and of the second's words those as upper ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn bytes_of(lower: __m512i, upper: __m512i) -> __m512i {
        let lower = _mm512_and_si512(lower, _mm512_set1_epi16(0xff));
        _mm512_or_si512(lower, _mm512_slli_epi16::<8>(upper))
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn take_rows(rows: &mut Rows, pairs: &RowPairs) {
        // A processor that multiplies pairs has the instructions; elsewhere there is nothing to gain.
        match pairs::are_multiplied() {
            // SAFETY: as asked.
            true => unsafe { take_rows_vnni(rows, pairs) },
            false => super::rows_plain(rows, pairs),
        }
    }

    /// Two rows of a face and of the one right of it at a time, which are a vector each.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn take_rows_vnni(rows: &mut Rows, pairs: &RowPairs) {
        // Of the 16 words of a row the seconds of all pairs, then the firsts.
        let sorted = std::array::from_fn::<u16, LINES, _>(|word| {
            let (row, word) = (word / SIDE * SIDE, word % SIDE);
            (row + word % PAIRS * 2 + 1 - word / PAIRS) as u16
        });
        let offset = std::array::from_fn::<u8, 64, _>(|byte| if byte % LINES < SIDE { OFFSET } else { 0 });
        // Of a vector of two rows the lanes of the second.
        let second = _mm512_mask_set1_epi32(_mm512_setzero_si512(), 0xff00, 1);
        // SAFETY: 64 bytes, at any address.
        let load = |from: *const u8| unsafe { _mm512_loadu_si512(from.cast()) };
        let (sorted, offset) = (load(sorted.as_ptr().cast()), load(offset.as_ptr()));
        let faces = pairs.as_chunks::<{ SIDE * PAIRS }>().0;
        for face in 0..2 {
            let vectors = |right: usize| faces[2 * face + right].as_chunks::<{ 2 * PAIRS }>().0;
            let (left, right) = (vectors(0), vectors(1));
            let mut largest = [_mm512_setzero_si512(); PAIRS];
            for (largest, (left, right)) in largest.iter_mut().zip(left.iter().zip(right)) {
                let (left, right) = (load(left.as_ptr().cast()), load(right.as_ptr().cast()));
                *largest = _mm512_max_epu16(exponents_of(left), exponents_of(right));
            }
            let largest = fold_rows::<false>(&largest);
            let exponents = unit_exponents(_mm512_max_epu16(largest, _mm512_rol_epi32::<16>(largest)));
            store(&mut rows.exponents.of, face, _mm512_srli_epi32::<23>(exponents));
            let mut starts = [_mm512_setzero_si512(); PAIRS];
            let fours = rows.fours[face * SIDE..].as_chunks_mut::<2>().0;
            for (two, (starts, fours)) in starts.iter_mut().zip(fours).enumerate() {
                let lanes = _mm512_add_epi32(second, _mm512_set1_epi32(2 * two as i32));
                let exponents = _mm512_permutexvar_epi32(lanes, exponents);
                let left = of_rows(load(left[two].as_ptr().cast()), exponents);
                let right = of_rows(load(right[two].as_ptr().cast()), exponents);
                *starts = add_to_starts(*starts, left, _mm512_set1_epi32(OFFSETS[0]));
                *starts = add_to_starts(*starts, right, _mm512_set1_epi32(OFFSETS[0]));
                let bytes = _mm512_permutexvar_epi16(sorted, bytes_of(left, right));
                // SAFETY: 64 bytes, at any address.
                unsafe { _mm512_storeu_si512(fours.as_mut_ptr().cast(), _mm512_xor_si512(bytes, offset)) };
            }
            store(&mut rows.starts, face, half_negated(fold_rows::<true>(&starts)));
        }
    }

    /// Of vectors of two rows the sums (SUM) or the largest words of each row's lanes, row by row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn fold_rows<const SUM: bool>(rows: &[__m512i; PAIRS]) -> __m512i {
        let fold = |a, b| match SUM {
            true => _mm512_add_epi32(a, b),
            false => _mm512_max_epu16(a, b),
        };
        let mut fours = [_mm512_setzero_si512(); 2];
        for (four, [a, b, c, d]) in fours.iter_mut().zip(rows.as_chunks::<4>().0) {
            let one = fold(_mm512_unpacklo_epi32(*a, *b), _mm512_unpackhi_epi32(*a, *b));
            let other = fold(_mm512_unpacklo_epi32(*c, *d), _mm512_unpackhi_epi32(*c, *d));
            *four = fold(_mm512_unpacklo_epi64(one, other), _mm512_unpackhi_epi64(one, other));
        }
        // Of each the first rows lie in the first two quarters, the second ones in the others.
        let [a, b] = fours;
        let one = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
        let rows = fold(one, _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b));
        let sorted = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
        _mm512_permutexvar_epi32(sorted, rows)
    }

    /// What lines add to sums beside what is wanted, which is known twice, negated.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn half_negated(twice: __m512i) -> __m512i {
        _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_srai_epi32::<1>(twice))
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn take_columns(columns: &mut Columns, pairs: &RowPairs) {
        match pairs::are_multiplied() {
            // SAFETY: as asked.
            true => unsafe { take_columns_vnni(columns, pairs) },
            false => super::columns_plain(columns, pairs),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn take_columns_vnni(columns: &mut Columns, pairs: &RowPairs) {
        let faces = pairs.as_chunks::<SIDE>().0.as_chunks::<PAIRS>().0;
        for face in 0..2 {
            // SAFETY: 64 bytes, at any address.
            let load =
                |half: usize, at: usize| unsafe { _mm512_loadu_si512(faces[half * 2 + face][at].as_ptr().cast()) };
            let mut largest = _mm512_setzero_si512();
            for at in 0..PAIRS {
                for half in 0..2 {
                    largest = _mm512_max_epu16(largest, exponents_of(load(half, at)));
                }
            }
            let exponents = unit_exponents(_mm512_max_epu16(largest, _mm512_rol_epi32::<16>(largest)));
            let mut starts = _mm512_setzero_si512();
            for (four, fours) in columns.fours.iter_mut().enumerate() {
                let mut bytes = [_mm512_setzero_si512(); 2];
                for (at, bytes) in bytes.iter_mut().enumerate() {
                    let upper = of_columns(load(0, 2 * four + at), exponents);
                    let lower = of_columns(load(1, 2 * four + at), exponents);
                    starts = add_to_starts(starts, upper, _mm512_set1_epi32(OFFSETS[1]));
                    starts = add_to_starts(starts, lower, _mm512_set1_epi32(OFFSETS[1]));
                    *bytes = bytes_of(upper, lower);
                }
                let [one, other] = bytes;
                let lower = _mm512_set1_epi32(0xffff);
                let firsts = _mm512_or_si512(_mm512_and_si512(one, lower), _mm512_slli_epi32::<16>(other));
                let seconds = _mm512_or_si512(_mm512_srli_epi32::<16>(one), _mm512_andnot_si512(lower, other));
                store(&mut fours[0], face, firsts);
                store(&mut fours[1], face, seconds);
            }
            store(&mut columns.starts, face, half_negated(starts));
            store(&mut columns.exponents.of, face, _mm512_srli_epi32::<23>(exponents));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load<T>(lines: &[T; LINES], face: usize) -> __m512i {
        const { assert!(size_of::<T>() == 4) };
        // SAFETY: 64 bytes, at any address.
        unsafe { _mm512_loadu_si512(lines[face * SIDE..][..SIDE].as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store<T>(lines: &mut [T; LINES], face: usize, vector: __m512i) {
        const { assert!(size_of::<T>() == 4) };
        // SAFETY: 64 bytes, at any address.
        unsafe { _mm512_storeu_si512(lines[face * SIDE..][..SIDE].as_mut_ptr().cast(), vector) }
    }

    /// What is left out of some rows of a tile, from `first` on, before any product is added: sums of products of integers.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn starts<const ROWS: usize>((rows, columns): Both, first: usize) -> [[__m512i; 2]; ROWS] {
        let (left, right) = (load(&columns.starts, 0), load(&columns.starts, 1));
        let mut sums = [[left, right]; ROWS];
        for (sum, row) in sums.iter_mut().zip(&rows.starts[first..][..ROWS]) {
            let row = _mm512_set1_epi32(*row);
            *sum = [_mm512_add_epi32(left, row), _mm512_add_epi32(right, row)];
        }
        sums
    }

    /// Adds the products of a four of firsts and of one of seconds.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn add<const ROWS: usize>(sums: &mut [[__m512i; 2]; ROWS], (rows, columns): Both, first: usize, four: usize) {
        // SAFETY: the same reference.
        let [firsts, seconds] = unsafe { &*pairs::later(&columns.fours[four]) };
        let firsts = [load(firsts, 0), load(firsts, 1)];
        let seconds = [load(seconds, 0), load(seconds, 1)];
        for (sum, [of_seconds, of_firsts]) in sums.iter_mut().zip(&rows.fours[first..][..ROWS]) {
            let of_seconds = _mm512_set1_epi32(i32::from_le_bytes(of_seconds[four]));
            let of_firsts = _mm512_set1_epi32(i32::from_le_bytes(of_firsts[four]));
            for face in 0..2 {
                let one = _mm512_add_epi8(firsts[face], of_seconds);
                let other = _mm512_add_epi8(seconds[face], of_firsts);
                sum[face] = _mm512_dpbusd_epi32(sum[face], one, other);
            }
        }
    }

    /// Takes them away from sums.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn take_away<const ROWS: usize>(
        sums: &mut [[__m512; 2]; ROWS],
        products: &[[__m512i; 2]; ROWS],
        (rows, columns): Both,
        first: usize,
    ) {
        let all_count = super::all_count((rows, columns));
        let of_columns = [load(&columns.exponents.of, 0), load(&columns.exponents.of, 1)];
        let (one, most) = (_mm512_set1_epi32(1), _mm512_set1_epi32(MOST_UNIT));
        let of_rows = &rows.exponents.of[first..][..ROWS];
        for ((sum, product), of_row) in sums.iter_mut().zip(products).zip(of_rows) {
            let of_row = _mm512_set1_epi32(of_row - TO_UNIT);
            for face in 0..2 {
                let exponents = _mm512_add_epi32(of_columns[face], of_row);
                let mut units = _mm512_slli_epi32::<23>(exponents);
                if !all_count {
                    let counts = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(exponents, one), most);
                    units = _mm512_maskz_mov_epi32(counts, units);
                }
                sum[face] = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(product[face]), _mm512_castsi512_ps(units), sum[face]);
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
        rows_plain(&mut plain_rows, pairs[0]);
        columns_plain(&mut plain_columns, pairs[1]);
        let (plain, low) = (&plain_rows, &low_rows);
        assert!(plain.fours == low.fours && plain.starts == low.starts && plain.exponents.of == low.exponents.of);
        let (plain, low) = (&plain_columns, &low_columns);
        assert!(plain.fours == low.fours && plain.starts == low.starts && plain.exponents.of == low.exponents.of);
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
    fn other_rows_and_columns_have_no_say() {
        let (mut rows, mut columns) = (page(1, 120..130, true), page(2, 120..130, true));
        let before = products(&rows, &columns);
        for at in 0..32 {
            (rows[position(31, at)], columns[position(at, 31)]) = (0x7149, 0x0149);
        }
        for (before, after) in before.iter().zip(products(&rows, &columns)) {
            for (r, c) in (0..31).flat_map(|r| (0..31).map(move |c| (r, c))) {
                let at = position(r, c);
                assert_eq!(before[at].to_bits(), after[at].to_bits(), "{r}, {c}");
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
            let all = products(&rows, &columns);
            for sums in &all {
                assert!(
                    sums.iter().zip(&all[0]).all(|(a, b)| a.to_bits() == b.to_bits()),
                    "{seed}"
                );
            }
            for at in 0..TILE {
                let (r, c) = (at / 32, at % 32);
                let of_row = (0..32).map(|k| exponent(rows[position(r, k)])).max().unwrap_or(0);
                let of_column = (0..32).map(|k| exponent(columns[position(k, c)])).max().unwrap_or(0);
                let power = |exponent: i32| f64::from(exponent).exp2();
                let (unit_b, unit_a) = (power(of_row.max(7) - 127 - 13), power(of_column.max(7) - 127 - 10));
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
