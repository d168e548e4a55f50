//! Tile products of bf16 numbers in pairs, for processors whose vector units multiply and add two at a time (`VDPBF16PS`).
//!
//! The instruction adds the product of the upper halves, rounds, adds that of the lower halves and rounds, so the bits are those
//! of two fused multiply-adds and of the versions in [`matmul`](super::matmul): [`are_multiplied`] asks the processor, since its
//! manuals promise that for one maker only. Numbers below 2^-126 count as zero, as they do on the device, and so do sums, which the other
//! versions keep. Of a pair the first lies in the lower half, as in the words of a page, and is added last.

use super::fidelity::Cut;
use crate::compute::tile::{SIDE, Tile};
use crate::compute::vector::vectorised;

/// Words of a tile: two numbers each.
const WORDS: usize = 512;

/// A tile as pairs of neighbours along k. Of a left operand the eight words of a row of a face lie together, of a right one the words of
/// the 16 columns.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Pairs([u32; WORDS]);

/// Pairs along the rows of a tile, least byte first: a page of bf16 is such.
pub type RowPairs = [[u8; 4]; WORDS];

impl Pairs {
    /// Zeros.
    pub const ZERO: Pairs = Pairs([0; WORDS]);

    /// Pairs as bytes, as of a left operand in a page where the least byte of a word comes first, as on every processor that multiplies pairs.
    pub fn as_bytes(&self) -> &RowPairs {
        // SAFETY: a word is four bytes, and bytes may lie anywhere.
        unsafe { &*std::ptr::from_ref(&self.0).cast::<RowPairs>() }
    }
}

/// A page of bf16 as pairs of a left operand.
pub fn along_rows(page: &[u8]) -> Option<&RowPairs> {
    page.as_chunks::<4>().0.try_into().ok()
}

vectorised! {
    /// Pairs along the rows of a tile.
    pub fn of_rows(tile: &Tile, pairs: &mut Pairs) {
        for (pair, values) in pairs.0.iter_mut().zip(tile.0.as_chunks::<2>().0) {
            *pair = values[1].to_bits() & 0xffff_0000 | values[0].to_bits() >> 16;
        }
    }
}

vectorised! {
    /// Pairs down the columns of a tile.
    pub fn of_columns(tile: &Tile, pairs: &mut Pairs) {
        columns_plain(tile, pairs);
    }
    avx2 { columns_plain(tile, pairs) }
    avx512 { x86::of_columns(tile, pairs) }
}

#[inline(always)]
fn columns_plain(tile: &Tile, pairs: &mut Pairs) {
    let rows = tile.0.as_chunks::<16>().0.as_chunks::<2>().0;
    for (pairs, [lower, upper]) in pairs.0.as_chunks_mut::<16>().0.iter_mut().zip(rows) {
        for ((pair, upper), lower) in pairs.iter_mut().zip(upper).zip(lower) {
            *pair = upper.to_bits() & 0xffff_0000 | lower.to_bits() >> 16;
        }
    }
}

vectorised! {
    /// The parts of a page of bf16 as pairs along its rows; whether a number has the largest exponent.
    pub fn of_row_page(page: &[u8], cut: Cut, parts: &mut [Pairs; 2]) -> bool {
        let whole = page.as_chunks::<4>().0.iter();
        cut_pairs(whole.map(|bytes| u32::from_le_bytes(*bytes)), cut, parts)
    }
}

/// Cuts pairs to their parts; whether a number has the largest exponent.
#[inline(always)]
fn cut_pairs(whole: impl Iterator<Item = u32>, cut: Cut, parts: &mut [Pairs; 2]) -> bool {
    let bits = cut.first.0;
    match cut.rest {
        true => cut_to(whole, bits, |pair| Some(rest(pair, bits)), parts),
        false => cut_to(whole, bits, |_| None, parts),
    }
}

/// The same to bits of an `f32` and what `second` makes of a pair, if it makes anything.
#[inline(always)]
fn cut_to(
    whole: impl Iterator<Item = u32>,
    first: u32,
    second: impl Fn(u32) -> Option<u32>,
    [first_part, second_part]: &mut [Pairs; 2],
) -> bool {
    let mut special = 0;
    for ((pair, to), second_to) in whole.zip(&mut first_part.0).zip(&mut second_part.0) {
        special |= largest_exponents(pair);
        *to = pair & both(first);
        if let Some(second) = second(pair) {
            *second_to = second;
        }
    }
    special != 0
}

vectorised! {
    /// Whether a number has the largest exponent.
    pub fn has_largest_exponent(pairs: &RowPairs) -> bool {
        let carried = pairs.iter().map(|bytes| largest_exponents(u32::from_le_bytes(*bytes)));
        carried.fold(0, |all, carried| all | carried) != 0
    }
}

vectorised! {
    /// As [`of_row_page`], of pairs down the columns.
    pub fn of_column_page(page: &[u8], cut: Cut, parts: &mut [Pairs; 2]) -> bool {
        column_page_plain(page, cut, parts)
    }
    avx2 { column_page_plain(page, cut, parts) }
    avx512 { x86::of_column_page(page, cut, parts) }
}

#[inline(always)]
fn column_page_plain(page: &[u8], cut: Cut, parts: &mut [Pairs; 2]) -> bool {
    let rows = page.as_chunks::<2>().0.as_chunks::<SIDE>().0.as_chunks::<2>().0;
    let half = |bytes| u32::from(u16::from_le_bytes(bytes));
    let whole = rows.iter().flat_map(|[lower, upper]| {
        let columns = lower.iter().zip(upper);
        columns.map(|(lower, upper)| half(*upper) << 16 | half(*lower))
    });
    cut_pairs(whole, cut, parts)
}

/// These bits of an `f32` in each of a pair.
#[inline(always)]
fn both(bits: u32) -> u32 {
    bits & 0xffff_0000 | bits >> 16
}

/// What is left of each of a pair without these bits of an `f32`.
#[inline(always)]
fn rest(pair: u32, bits: u32) -> u32 {
    let left = |number: u32| (f32::from_bits(number) - f32::from_bits(number & bits)).to_bits();
    left(pair & 0xffff_0000) | left(pair << 16) >> 16
}

/// Not zero where one of a pair has the largest exponent.
#[inline(always)]
fn largest_exponents(pair: u32) -> u32 {
    // What is added to an exponent of ones alone carries out of it.
    ((pair & 0x7f80_7f80) + 0x0080_0080) & 0x8000_8000
}

/// Rows of faces that a tile is summed in.
pub const BANDS: usize = 2;

/// Rows and columns of a product.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    pub rows: &'a RowPairs,
    pub columns: &'a Pairs,
}

/// Whether this processor multiplies pairs, and adds them up as two fused multiply-adds do.
#[cfg(not(target_arch = "x86_64"))]
pub fn are_multiplied() -> bool {
    false
}

/// Adds products of rows and columns: see [`are_multiplied`], without which there is nothing to call this for.
#[cfg(not(target_arch = "x86_64"))]
pub fn accumulate(_: &mut Tile, _: &[Factors], _: Option<super::left_out::Both>, _: bool, _: impl Fn()) {
    unreachable!("pairs are not multiplied here")
}

#[cfg(target_arch = "x86_64")]
pub use x86::{accumulate, are_multiplied, later};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BANDS, Cut, Factors, Pairs, Tile};
    use crate::compute::fpu::left_out;
    use crate::compute::fpu::matmul::x86::rounded;
    use crate::compute::tile::{FACE, SIDE};
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::ops::Range;
    use std::sync::OnceLock;

    /// Pairs along k in a face.
    const ACROSS: usize = SIDE / 2;

    /// Whether this processor multiplies pairs, and adds them up as two fused multiply-adds do.
    pub fn are_multiplied() -> bool {
        static ARE: OnceLock<bool> = OnceLock::new();
        let has_them = || {
            std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512bf16")
                && std::is_x86_feature_detected!("avx512vnni")
        };
        // SAFETY: asked for the features before.
        *ARE.get_or_init(|| has_them() && unsafe { are_two_multiply_adds() })
    }

    /// Tries sums that another order, or one rounding for two, would give other bits.
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn are_two_multiply_adds() -> bool {
        let mut state = 1u32;
        let mut word = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        // Signs, seven bits of the mantissa, exponents from 2^-8 to 2^7.
        let mut number = |mantissa: u32| word() << 15 & 0x8000_0000 | (119 + word() % 16) << 23 | word() & mantissa;
        (0..256).all(|_| {
            let (a, b) = (
                number(0x007f_0000) | number(0x007f_0000) >> 16,
                number(0x007f_0000) | number(0x007f_0000) >> 16,
            );
            let sum = f32::from_bits(number(0x007f_ffff));
            // SAFETY: 64 bytes are read as such.
            let [left, right] =
                [a, b].map(|word| unsafe { std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(word as i32)) });
            let found = _mm512_cvtss_f32(_mm512_dpbf16_ps(_mm512_set1_ps(sum), left, right));
            let [upper, lower] = [|word: u32| word & 0xffff_0000, |word: u32| word << 16]
                .map(|half| (f32::from_bits(half(a)), f32::from_bits(half(b))));
            let first = upper.0.mul_add(upper.1, sum);
            found.to_bits() == lower.0.mul_add(lower.1, first).to_bits()
        })
    }

    /// Pairs down the columns, row by row: what the compiler makes of the loop gathers.
    #[target_feature(enable = "avx512f")]
    pub fn of_columns(tile: &Tile, pairs: &mut Pairs) {
        let (rows, to) = (tile.0.as_ptr(), pairs.0.as_mut_ptr());
        let upper_half = _mm512_set1_epi32(0xffff_0000u32 as i32);
        for pair in 0..super::WORDS / SIDE {
            // SAFETY: two rows of a face, each one aligned vector, become one of words; both tiles have twice as many rows.
            unsafe {
                let lower = _mm512_load_si512(rows.add(2 * pair * SIDE).cast());
                let upper = _mm512_load_si512(rows.add((2 * pair + 1) * SIDE).cast());
                let words = _mm512_or_si512(_mm512_and_si512(upper, upper_half), _mm512_srli_epi32::<16>(lower));
                _mm512_store_si512(to.add(pair * SIDE).cast(), words);
            }
        }
    }

    /// As [`column_page_plain`](super::column_page_plain), two rows of a face at a time, which lie beside each other in a page.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn of_column_page(page: &[u8], cut: Cut, parts: &mut [Pairs; 2]) -> bool {
        let bits = _mm512_set1_epi32(cut.first.0 as i32);
        let left = |number| {
            let kept = _mm512_castsi512_ps(_mm512_and_si512(number, bits));
            _mm512_castps_si512(_mm512_sub_ps(_mm512_castsi512_ps(number), kept))
        };
        let upper_half = _mm512_set1_epi32(0xffff_0000u32 as i32);
        let rest = |pairs| {
            let upper = left(_mm512_and_si512(pairs, upper_half));
            let lower = left(_mm512_slli_epi32::<16>(pairs));
            _mm512_or_si512(upper, _mm512_srli_epi32::<16>(lower))
        };
        match cut.rest {
            true => cut_columns(page, cut.first.0, |pairs| Some(rest(pairs)), parts),
            false => cut_columns(page, cut.first.0, |_| None, parts),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn cut_columns(
        page: &[u8],
        first: u32,
        second: impl Fn(__m512i) -> Option<__m512i>,
        [first_part, second_part]: &mut [Pairs; 2],
    ) -> bool {
        // Of every word, the upper half is of the second row.
        let zipped = _mm512_add_epi32(
            _mm512_mullo_epi32(
                _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                _mm512_set1_epi32(0x0001_0001),
            ),
            _mm512_set1_epi32(16 << 16),
        );
        let exponent = _mm512_set1_epi16(0x7f80);
        let first = _mm512_set1_epi32(super::both(first) as i32);
        let mut special = 0;
        let [first_part, second_part] = [first_part, second_part].map(|part| part.0.as_chunks_mut::<SIDE>().0);
        let lines = page.as_chunks::<64>().0.iter();
        for ((bytes, to), second_to) in lines.zip(first_part).zip(second_part) {
            // SAFETY: 64 bytes are read and written, at any address.
            unsafe {
                let rows = _mm512_loadu_si512(bytes.as_ptr().cast());
                special |= _mm512_cmpeq_epi16_mask(_mm512_and_si512(rows, exponent), exponent);
                let pairs = _mm512_permutexvar_epi16(zipped, rows);
                _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_and_si512(pairs, first));
                if let Some(second) = second(pairs) {
                    _mm512_storeu_si512(second_to.as_mut_ptr().cast(), second);
                }
            }
        }
        special != 0
    }

    /// Adds products over one tile, in their order, to a 32-bit (`wide`) destination, from which then what is left out is taken
    /// away, or, rounded to bf16 after every 16 values of k, to a 16-bit one. Before each of [`BANDS`] `fetch` is called.
    ///
    /// # Panics
    ///
    /// Where pairs are not multiplied, or something is left out of several products.
    pub fn accumulate(
        destination: &mut Tile,
        products: &[Factors],
        left_out: Option<left_out::Both>,
        wide: bool,
        fetch: impl Fn(),
    ) {
        assert!(are_multiplied(), "pairs are not multiplied here");
        assert!(
            left_out.is_none() || products.len() == 1,
            "what is left out is of one product"
        );
        for first in (0..BANDS).map(|band| band * SIDE) {
            fetch();
            // SAFETY: the processor has what `are_multiplied` asks for.
            unsafe {
                match left_out {
                    Some(both) => sum_without(destination, &products[0], both, first),
                    None if wide => blocks(first).for_each(|first| sum(destination, products, first)),
                    None => blocks(first).for_each(|first| sum_rounded(destination, products, first)),
                }
            }
        }
    }

    /// Rows of a block: eight by both face columns stay in registers.
    const ROWS: usize = SIDE / 2;

    /// Where the blocks of a row of faces begin.
    fn blocks(first: usize) -> impl Iterator<Item = usize> {
        [first, first + ROWS].into_iter()
    }

    /// The sums of a block of rows over all products.
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn sum(destination: &mut Tile, products: &[Factors], first: usize) {
        let mut sums = loaded::<ROWS>(destination, first);
        for product in products {
            add(&mut sums, product, first, 0..STEPS);
        }
        store(destination, first, &sums);
    }

    /// The same of one product and a row of faces, without what is left out of it: bytes are added while pairs are multiplied. Five or six
    /// rows at a time leave registers for both kinds of sums, and are enough for a processor that begins two products of pairs a cycle,
    /// each of which takes six cycles (Zen 5).
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16,avx512vnni")]
    fn sum_without(destination: &mut Tile, product: &Factors, both: left_out::Both, first: usize) {
        const { assert!(5 + 5 + 6 == SIDE) };
        rows_without::<5>(destination, product, both, first);
        rows_without::<5>(destination, product, both, first + 5);
        rows_without::<6>(destination, product, both, first + 10);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16,avx512vnni")]
    fn rows_without<const ROWS: usize>(destination: &mut Tile, product: &Factors, both: left_out::Both, first: usize) {
        let mut sums = loaded::<ROWS>(destination, first);
        let mut without = left_out::x86::starts::<ROWS>(both, first);
        for step in 0..STEPS {
            left_out::x86::add(&mut without, both, first, step);
            add(&mut sums, product, first, step..step + 1);
        }
        left_out::x86::take_away(&mut sums, &without, both, first);
        store(destination, first, &sums);
    }

    /// The same, rounded after every 16 values of k.
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn sum_rounded(destination: &mut Tile, products: &[Factors], first: usize) {
        let mut sums = loaded::<ROWS>(destination, first);
        for product in products {
            for half in [0..STEPS / 2, STEPS / 2..STEPS] {
                add(&mut sums, product, first, half);
                for sum in sums.as_flattened_mut() {
                    *sum = rounded(*sum);
                }
            }
        }
        store(destination, first, &sums);
    }

    /// Where a row begins in a tile; of the right face it does a face later.
    fn row(row: usize) -> usize {
        row / SIDE * 2 * FACE + row % SIDE * SIDE
    }

    /// Sums of rows of a tile from `first` on, none of another face.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn loaded<const ROWS: usize>(tile: &Tile, first: usize) -> [[__m512; 2]; ROWS] {
        let from = &tile.0[row(first)..][..FACE + ROWS * SIDE];
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        for (r, sum) in sums.iter_mut().enumerate() {
            for (face, sum) in sum.iter_mut().enumerate() {
                // SAFETY: the rows of both faces lie in the slice, whose tile is aligned to 64 bytes; every row is one vector.
                *sum = unsafe { _mm512_load_ps(from.as_ptr().add(face * FACE + r * SIDE)) };
            }
        }
        sums
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store<const ROWS: usize>(tile: &mut Tile, first: usize, sums: &[[__m512; 2]; ROWS]) {
        let to = &mut tile.0[row(first)..][..FACE + ROWS * SIDE];
        for (r, sum) in sums.iter().enumerate() {
            for (face, sum) in sum.iter().enumerate() {
                // SAFETY: as in `loaded`.
                unsafe { _mm512_store_ps(to.as_mut_ptr().add(face * FACE + r * SIDE), *sum) };
            }
        }
    }

    /// Pairs along k whose products are added in one step.
    const STEP: usize = 4;

    /// Steps along k of a tile: of what is left out each has its fours.
    const STEPS: usize = left_out::FOURS;
    const _: () = assert!(STEPS * STEP == 2 * ACROSS);

    /// Adds to sums of rows the products of the pairs along k of these steps.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn add<const ROWS: usize>(sums: &mut [[__m512; 2]; ROWS], product: &Factors, first: usize, steps: Range<usize>) {
        let rows = &product.rows[row(first) / 2..][..FACE / 2 + ROWS * ACROSS];
        assert!(steps.end <= STEPS);
        for step in steps {
            let (face_k, k) = (step / (STEPS / 2), step % (STEPS / 2) * STEP);
            // SAFETY: `k` and what follows in the step is below the pairs of a row of a face of `rows`, of which there are ROWS in each face,
            // and of a column of the faces of `columns`, whose rows of 16 words are vectors, aligned as pairs are.
            unsafe {
                let columns = product.columns.0.as_ptr().add(face_k * FACE + k * SIDE);
                let rows = rows.as_ptr().add(face_k * FACE / 2 + k);
                for k in 0..STEP {
                    let (columns, rows) = (later(columns), later(rows));
                    let column = |face: usize| {
                        let words = _mm512_load_si512(columns.add(face * FACE / 2 + k * SIDE).cast());
                        std::mem::transmute::<__m512i, __m512bh>(words)
                    };
                    let (low, high) = (column(0), column(1));
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let word = _mm512_set1_epi32(i32::from_le_bytes(*rows.add(r * ACROSS + k)));
                        let value = std::mem::transmute::<__m512i, __m512bh>(word);
                        sum[0] = _mm512_dpbf16_ps(sum[0], value, low);
                        sum[1] = _mm512_dpbf16_ps(sum[1], value, high);
                    }
                }
            }
        }
    }

    /// The same address, of which the compiler does not know so: else it loads what later steps need before the first one, and has no
    /// registers left.
    #[inline(always)]
    pub fn later<T>(mut address: *const T) -> *const T {
        // SAFETY: nothing is done.
        unsafe { asm!("/* {0} */", inout(reg) address, options(readonly, nostack, preserves_flags)) };
        address
    }
}
