//! Sums of two operands into an empty destination, many at a time.
//!
//! What [`datapath::add`](super::datapath::add) gives without a destination, by way of `f32`. The device rounds the smaller operand to
//! the grid of the larger one's eleven bits, halves up, then adds, which is exact. Here both are added to one and a half times 2^13 of
//! the larger one's power of two: the last bit of an `f32` of that size is the grid, and the larger operand lies on it. A little more
//! on each operand, below its own last bit, makes halves go up; then no number lies in the middle between two of the grid. What was
//! added first is taken away in the end.

use crate::compute::ahead::Ahead;
use crate::compute::rounding::{EXPONENT, flush_to_zero, to_bf16_away};
use crate::compute::tile::{FACE, Patterns, SIDE, TILE, Tile};
use crate::compute::vector::vectorised;

/// From this exponent on, sums go through the device's adder step by step.
pub const HIGH_EXPONENT: u32 = 240 << 23;

/// From a power of two to one and a half times 2^13 of it.
const TO_GRID: u32 = 13 << 23 | 1 << 22;
/// A quarter of the last of eleven bits.
const NUDGE: u32 = 1 << 11;

/// The patterns of the rows of faces, as `f32`.
pub trait Rows: Iterator<Item = [u32; SIDE]> {}

impl<T: Iterator<Item = [u32; SIDE]>> Rows for T {}

/// Those of a tile.
#[inline(always)]
pub fn bits(tile: &Tile) -> impl Rows {
    let rows = tile.0.as_chunks::<SIDE>().0.iter();
    rows.map(|row| row.map(f32::to_bits))
}

/// Those of a page of bf16.
#[inline(always)]
pub fn bits_of_bf16(page: &[u8]) -> impl Rows {
    let rows = page.as_chunks::<2>().0.as_chunks::<SIDE>().0;
    rows.iter()
        .map(|row| row.map(|bytes| u32::from(u16::from_le_bytes(bytes)) << 16))
}

/// Sums as `form` has them. False, and undefined sums, where an exponent is too large. Before each face `fetch` is called.
#[inline(always)]
fn sum_of<T>(
    sums: &mut [T; TILE],
    (mut a, mut b): (impl Rows, impl Rows),
    flip: u32,
    wide: bool,
    form: impl Fn(u32) -> T,
    fetch: impl Fn(),
) -> bool {
    let mut most = [0; SIDE];
    for face in sums.as_chunks_mut::<FACE>().0 {
        fetch();
        for ((to, a), b) in face.as_chunks_mut::<SIDE>().0.iter_mut().zip(&mut a).zip(&mut b) {
            for i in 0..SIDE {
                // Zeros have no sign in the end, so they need none here.
                let (a, b) = (flush_to_zero(a[i]), flush_to_zero(b[i] ^ flip));
                let exponent = (a & EXPONENT).max(b & EXPONENT);
                most[i] = most[i].max(exponent);
                let grid = f32::from_bits(exponent + TO_GRID);
                let both = grid + f32::from_bits(a | NUDGE) + f32::from_bits(b | NUDGE);
                let sum = (both - grid).to_bits();
                to[i] = form(flush_to_zero(if wide { sum } else { to_bf16_away(sum) }));
            }
        }
    }
    most.iter().all(|most| *most < HIGH_EXPONENT)
}

vectorised! {
    /// Sums of tiles. False, and an undefined destination, where an exponent is too large.
    pub fn sum(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, wide: bool) -> bool {
        sum_of(&mut destination.0, (bits(a), bits(b)), flip, wide, f32::from_bits, || {})
    }
}

vectorised! {
    /// [`sum`] of pages of bf16, while pages are fetched ahead.
    pub fn sum_of_pages(destination: &mut Tile, a: &[u8], b: &[u8], flip: u32, wide: bool, ahead: &Ahead) -> bool {
        let fetch = || ahead.fetch_lines(FACE / 2 / SIDE);
        sum_of(&mut destination.0, (bits_of_bf16(a), bits_of_bf16(b)), flip, wide, f32::from_bits, fetch)
    }
}

vectorised! {
    /// [`sum_of_pages`] for a 16-bit destination, as the patterns that it holds.
    pub fn sum_of_bf16_pages(out: &mut Patterns, a: &[u8], b: &[u8], flip: u32, ahead: &Ahead) -> bool {
        patterns_plain(out, a, b, flip, ahead)
    }
    avx2 { patterns_plain(out, a, b, flip, ahead) }
    avx512 { x86::sum_of_bf16_pages(out, a, b, flip, ahead) }
}

#[inline(always)]
fn patterns_plain(out: &mut Patterns, a: &[u8], b: &[u8], flip: u32, ahead: &Ahead) -> bool {
    let fetch = || ahead.fetch_lines(FACE / 2 / SIDE);
    let upper_half = |bits| (bits >> 16) as u16;
    sum_of(
        &mut out.0,
        (bits_of_bf16(a), bits_of_bf16(b)),
        flip,
        false,
        upper_half,
        fetch,
    )
}

vectorised! {
    /// [`sum`] where the first operand is zero everywhere.
    pub fn sum_with_zero(destination: &mut Tile, b: &Tile, flip: u32, wide: bool) -> bool {
        let mut most = 0;
        for (to, b) in destination.0.iter_mut().zip(&b.0) {
            let b = flush_to_zero(b.to_bits());
            most = most.max(b & EXPONENT);
            let sum = b ^ flip;
            *to = f32::from_bits(flush_to_zero(if wide { sum } else { to_bf16_away(sum) }));
        }
        most < HIGH_EXPONENT
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Ahead, EXPONENT, FACE, HIGH_EXPONENT, NUDGE, Patterns, SIDE, TO_GRID};
    use std::arch::x86_64::*;

    /// Numbers of bf16 in a vector.
    const LANES: usize = 32;

    /// From this exponent on, sums are right where numbers of exponent 0 are taken as they are and not for zeros: beside an exponent of
    /// 12 they are less than half of what the grid tells apart, and with a smaller one no sum comes to this.
    const LEAST_EXPONENT: u32 = 13 << 23;

    /// As [`patterns_plain`](super::patterns_plain), with 32 numbers at a time but in the sum itself: a compiler widens them first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn sum_of_bf16_pages(out: &mut Patterns, a: &[u8], b: &[u8], flip: u32, ahead: &Ahead) -> bool {
        let quick = sum_of_bf16::<false>(out, a, b, flip, || ahead.fetch_lines(FACE / 2 / SIDE));
        quick
            .or_else(|| sum_of_bf16::<true>(out, a, b, flip, || {}))
            .unwrap_or(false)
    }

    /// Forms sums, and says whether no exponent is too large. Where numbers of exponent 0 are not taken for zeros (`FLUSHES`) it says
    /// nothing where a sum may be wrong for that.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn sum_of_bf16<const FLUSHES: bool>(
        out: &mut Patterns,
        a: &[u8],
        b: &[u8],
        flip: u32,
        fetch: impl Fn(),
    ) -> Option<bool> {
        let upper_half = |bits: u32| _mm512_set1_epi16((bits >> 16) as i16);
        let (exponents, to_grid, flip) = (upper_half(EXPONENT), upper_half(TO_GRID), upper_half(flip));
        let (zero, nudge) = (_mm512_setzero_si512(), _mm512_set1_epi16(NUDGE as i16));
        let half = _mm512_set1_epi32(0x8000);
        let minus_one = _mm512_set1_epi16(-1);
        let flushed = |numbers| match FLUSHES {
            true => _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(numbers, exponents), numbers),
            false => numbers,
        };
        let rounded = |grid, a, b| {
            let grid = _mm512_castsi512_ps(grid);
            let sum = _mm512_add_ps(_mm512_add_ps(grid, _mm512_castsi512_ps(a)), _mm512_castsi512_ps(b));
            let sum = _mm512_castps_si512(_mm512_sub_ps(sum, grid));
            _mm512_add_epi32(sum, half)
        };
        // The upper halves of two vectors, of which one has the first four of every eight numbers.
        let upper_halves = _mm512_set_epi16(
            63, 61, 59, 57, 31, 29, 27, 25, 55, 53, 51, 49, 23, 21, 19, 17, 47, 45, 43, 41, 15, 13, 11, 9, 39, 37, 35,
            33, 7, 5, 3, 1,
        );
        let (mut most, mut least) = (zero, minus_one);
        let (a, b) = (a.as_chunks::<64>().0, b.as_chunks::<64>().0);
        let faces = out.0.as_chunks_mut::<FACE>().0.iter_mut();
        let operands = a.chunks(FACE / LANES).zip(b.chunks(FACE / LANES));
        for (face, (a, b)) in faces.zip(operands) {
            fetch();
            for (to, (a, b)) in face.as_chunks_mut::<LANES>().0.iter_mut().zip(a.iter().zip(b)) {
                // SAFETY: 64 bytes each, at any address.
                let (a, b) = unsafe {
                    (
                        _mm512_loadu_si512(a.as_ptr().cast()),
                        _mm512_loadu_si512(b.as_ptr().cast()),
                    )
                };
                let (a, b) = (flushed(a), flushed(_mm512_xor_si512(b, flip)));
                let exponent = _mm512_max_epu16(_mm512_and_si512(a, exponents), _mm512_and_si512(b, exponents));
                most = _mm512_max_epu16(most, exponent);
                let grid = _mm512_add_epi16(exponent, to_grid);
                let low = rounded(
                    _mm512_unpacklo_epi16(zero, grid),
                    _mm512_unpacklo_epi16(nudge, a),
                    _mm512_unpacklo_epi16(nudge, b),
                );
                let high = rounded(
                    _mm512_unpackhi_epi16(zero, grid),
                    _mm512_unpackhi_epi16(nudge, a),
                    _mm512_unpackhi_epi16(nudge, b),
                );
                let sums = flushed(_mm512_permutex2var_epi16(low, upper_halves, high));
                if !FLUSHES {
                    // Without its sign, and zero the largest of all.
                    let size = _mm512_add_epi16(_mm512_add_epi16(sums, sums), minus_one);
                    least = _mm512_min_epu16(least, size);
                }
                // SAFETY: 64 bytes, at any address.
                unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), sums) };
            }
        }
        let is_right = FLUSHES || _mm512_cmplt_epu16_mask(least, upper_half(LEAST_EXPONENT << 1)) == 0;
        is_right.then(|| _mm512_cmpge_epu16_mask(most, upper_half(HIGH_EXPONENT)) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::datapath::{self, Adder};
    use super::*;
    use crate::compute::rounding::SIGN;

    /// Every pair of two mantissas of bf16 and the signs, `apart` exponents from each other, from `exponent` on: page by page.
    fn pages(exponent: u16, apart: u16) -> impl Iterator<Item = [Vec<u16>; 2]> {
        let pairs = (0..1u32 << 15).map(move |pair| {
            let (a, b) = (pair as u16 & 0x7f, (pair >> 7) as u16 & 0x7f);
            let sign = (pair >> 14) as u16 & 1;
            [(exponent + apart) << 7 | a, sign << 15 | exponent << 7 | b]
        });
        let pairs: Vec<_> = pairs.collect();
        let pages: Vec<_> = pairs
            .chunks(TILE)
            .map(|page| [0, 1].map(|at| page.iter().map(|pair| pair[at]).collect()))
            .collect();
        pages.into_iter()
    }

    #[test]
    fn sums_have_the_bits_of_the_datapath_however_far_operands_lie_apart() {
        let ahead = Ahead::default();
        for (exponent, apart) in [0, 1, 2, 120, 224]
            .into_iter()
            .flat_map(|from| (0..20).map(move |apart| (from, apart)))
        {
            for (turn, pair) in pages(exponent, apart).enumerate() {
                let [a, b] = if turn % 2 == 0 {
                    pair
                } else {
                    [pair[1].clone(), pair[0].clone()]
                };
                let [bytes_a, bytes_b] =
                    [&a, &b].map(|page| page.iter().flat_map(|bits| bits.to_le_bytes()).collect::<Vec<u8>>());
                for flip in [0, SIGN] {
                    let (mut patterns, mut tile) = (Patterns::ZERO, Tile::zero());
                    let is_safe = sum_of_bf16_pages(&mut patterns, &bytes_a, &bytes_b, flip, &ahead);
                    assert_eq!(is_safe, exponent + apart < (HIGH_EXPONENT >> 23) as u16);
                    for wide in [false, true] {
                        assert_eq!(sum_of_pages(&mut tile, &bytes_a, &bytes_b, flip, wide, &ahead), is_safe);
                        let adder = Adder {
                            wide,
                            half: false,
                            loses_minus_one: false,
                        };
                        for i in (0..TILE).filter(|_| is_safe) {
                            let (x, y) = (u32::from(a[i]) << 16, (u32::from(b[i]) << 16) ^ flip);
                            let exact = datapath::add(x, y, None, adder);
                            assert_eq!(tile.0[i].to_bits(), exact, "{x:x} {y:x} wide {wide}");
                            assert!(wide || u32::from(patterns.0[i]) << 16 == exact, "{x:x} {y:x}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sums_of_eleven_bits_have_the_bits_of_the_datapath() {
        for apart in 0..16u32 {
            for step in 0..64u32 {
                let (mut a, mut b, mut sums) = (Tile::zero(), Tile::zero(), Tile::zero());
                for (i, (a, b)) in (0..).zip(a.0.iter_mut().zip(&mut b.0)) {
                    *a = f32::from_bits((100 + apart) << 23 | ((step * 997 + i * 31) & 0x3ff) << 13);
                    *b = f32::from_bits((step & 1) << 31 | 100 << 23 | i << 13);
                }
                for wide in [false, true] {
                    assert!(sum(&mut sums, &a, &b, 0, wide));
                    let adder = Adder {
                        wide,
                        half: false,
                        loses_minus_one: false,
                    };
                    for (sum, (a, b)) in sums.0.iter().zip(a.0.iter().zip(&b.0)) {
                        let exact = datapath::add(a.to_bits(), b.to_bits(), None, adder);
                        assert_eq!(sum.to_bits(), exact, "{a:e} {b:e} wide {wide}");
                    }
                }
            }
        }
    }
}
