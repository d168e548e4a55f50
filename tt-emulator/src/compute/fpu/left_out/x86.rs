//! The low bits, and the sums of their products, in vectors of bytes.

use super::super::pairs;
use super::{
    Both, Columns, EXPONENT, Exponents, IN_F32, LEAST, LINES, MOST_UNIT, NEUTRAL, OFFSET, PAIRS, RowPairs, Rows, SIDE,
    TO_UNIT,
};
use std::arch::asm;
use std::arch::x86_64::*;

/// Of the largest exponents those that integers are parts of.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unit_exponents(largest: __m512i) -> __m512i {
    let are_zero = _mm512_testn_epi16_mask(largest, largest);
    let largest = _mm512_max_epu16(largest, _mm512_set1_epi16(LEAST as i16));
    _mm512_mask_mov_epi16(largest, are_zero, _mm512_set1_epi16(NEUTRAL as i16))
}

/// Notes the exponents of both faces.
#[inline]
#[target_feature(enable = "avx512f")]
fn note_exponents(exponents: &mut Exponents, of: [__m512i; 2]) {
    for (face, of) in of.into_iter().enumerate() {
        store(&mut exponents.of, face, of);
    }
    let (least, most) = (_mm512_min_epi32(of[0], of[1]), _mm512_max_epi32(of[0], of[1]));
    exponents.ends = [_mm512_reduce_min_epi32(least), _mm512_reduce_max_epi32(most)];
}

/// Of exponents of bf16, twice in each lane, those of `f32`.
#[inline]
#[target_feature(enable = "avx512f")]
fn as_of_f32(exponents: __m512i) -> __m512i {
    _mm512_and_si512(exponents, _mm512_set1_epi32(-1 << IN_F32))
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

/// Adds twice what pairs of a line add to sums beside what is wanted: the product of the two, and [`OFFSET`] times the one that `offset`,
/// of [`OFFSETS`], is for.
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
    let mut largest_of = [_mm512_setzero_si512(); 2];
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
        largest_of[face] = _mm512_sub_epi32(as_of_f32(exponents), _mm512_set1_epi32(TO_UNIT << IN_F32));
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
    note_exponents(&mut rows.exponents, largest_of);
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
    let mut largest_of = [_mm512_setzero_si512(); 2];
    let faces = pairs.as_chunks::<SIDE>().0.as_chunks::<PAIRS>().0;
    for face in 0..2 {
        // SAFETY: 64 bytes, at any address.
        let load = |half: usize, at: usize| unsafe { _mm512_loadu_si512(faces[half * 2 + face][at].as_ptr().cast()) };
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
        largest_of[face] = as_of_f32(exponents);
    }
    note_exponents(&mut columns.exponents, largest_of);
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
            sum[face] = settled(_mm512_dpbusd_epi32(sum[face], one, other));
        }
    }
}

/// The same vector, of which the compiler does not know so: else it puts off some of the sums until after other work, for which what they
/// are made of has no registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn settled(mut vector: __m512i) -> __m512i {
    // SAFETY: nothing is done.
    unsafe { asm!("/* {0} */", inout(zmm_reg) vector, options(nomem, nostack, preserves_flags)) };
    vector
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
    let of_rows = &rows.exponents.of[first..][..ROWS];
    for ((sum, product), of_row) in sums.iter_mut().zip(products).zip(of_rows) {
        let of_row = _mm512_set1_epi32(*of_row);
        for face in 0..2 {
            let units = match all_count {
                true => _mm512_add_epi32(of_columns[face], of_row),
                false => units(of_row, of_columns[face]),
            };
            sum[face] = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(product[face]), _mm512_castsi512_ps(units), sum[face]);
        }
    }
}

/// As [`unit`](super::unit).
#[inline]
#[target_feature(enable = "avx512f")]
fn units(of_row: __m512i, of_columns: __m512i) -> __m512i {
    let exponents = _mm512_add_epi32(
        _mm512_srai_epi32::<IN_F32>(of_row),
        _mm512_srai_epi32::<IN_F32>(of_columns),
    );
    let above_zero = _mm512_sub_epi32(exponents, _mm512_set1_epi32(1));
    let count = _mm512_cmplt_epu32_mask(above_zero, _mm512_set1_epi32(MOST_UNIT));
    _mm512_maskz_slli_epi32::<IN_F32>(count, exponents)
}
