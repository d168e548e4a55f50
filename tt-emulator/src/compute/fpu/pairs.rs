//! Tile products of bf16 numbers in pairs, for processors whose vector units multiply and add two at a time (`VDPBF16PS`).
//!
//! The instruction adds the product of the upper halves, rounds, adds that of the lower halves and rounds, so the bits are those
//! of two fused multiply-adds and of the versions in [`matmul`](super::matmul): [`are_multiplied`] asks the processor, since its
//! manuals promise that for one maker only. Numbers below 2^-126 count as zero, as they do on the device.

use crate::compute::tile::Tile;
use crate::compute::vector::vectorised;

/// Words of a tile: two numbers each.
const WORDS: usize = 512;

/// A tile as pairs of neighbours along k, the first in the upper half. Of a left operand the eight words of a row of a face lie
/// together, of a right one the words of the 16 columns.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Pairs([u32; WORDS]);

impl Pairs {
    /// Zeros.
    pub const ZERO: Pairs = Pairs([0; WORDS]);
}

vectorised! {
    /// Pairs along the rows of a tile.
    pub fn of_rows(tile: &Tile, pairs: &mut Pairs) {
        for (pair, values) in pairs.0.iter_mut().zip(tile.0.as_chunks::<2>().0) {
            *pair = values[0].to_bits() & 0xffff_0000 | values[1].to_bits() >> 16;
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
    for (pairs, [upper, lower]) in pairs.0.as_chunks_mut::<16>().0.iter_mut().zip(rows) {
        for ((pair, upper), lower) in pairs.iter_mut().zip(upper).zip(lower) {
            *pair = upper.to_bits() & 0xffff_0000 | lower.to_bits() >> 16;
        }
    }
}

vectorised! {
    /// What these bits of an `f32` keep of every number.
    pub fn masked(whole: &Pairs, bits: u32, pairs: &mut Pairs) {
        let both = bits & 0xffff_0000 | bits >> 16;
        for (pair, whole) in pairs.0.iter_mut().zip(&whole.0) {
            *pair = whole & both;
        }
    }
}

/// Whether this processor multiplies pairs, and adds them up as two fused multiply-adds do.
#[cfg(not(target_arch = "x86_64"))]
pub fn are_multiplied() -> bool {
    false
}

/// `destination += rows · columns`: see [`are_multiplied`], without which there is nothing to call this for.
#[cfg(not(target_arch = "x86_64"))]
pub fn accumulate(_: &mut Tile, _: &Pairs, _: &Pairs, _: bool) {
    unreachable!("pairs are not multiplied here")
}

#[cfg(target_arch = "x86_64")]
pub use x86::{accumulate, are_multiplied};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Pairs, Tile};
    use crate::compute::fpu::matmul::x86::rounded;
    use crate::compute::tile::{FACE, SIDE};
    use std::arch::x86_64::*;
    use std::sync::OnceLock;

    /// Pairs along k in a face.
    const ACROSS: usize = SIDE / 2;

    /// Whether this processor multiplies pairs, and adds them up as two fused multiply-adds do.
    pub fn are_multiplied() -> bool {
        static ARE: OnceLock<bool> = OnceLock::new();
        let has_them = || std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512bf16");
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
                let upper = _mm512_load_si512(rows.add(2 * pair * SIDE).cast());
                let lower = _mm512_load_si512(rows.add((2 * pair + 1) * SIDE).cast());
                let words = _mm512_or_si512(_mm512_and_si512(upper, upper_half), _mm512_srli_epi32::<16>(lower));
                _mm512_store_si512(to.add(pair * SIDE).cast(), words);
            }
        }
    }

    /// `destination += rows · columns` over one tile, into a 32-bit (`wide`) destination or, rounded to bf16 after every 16 values
    /// of k, into a 16-bit one.
    ///
    /// # Panics
    ///
    /// Where pairs are not multiplied.
    pub fn accumulate(destination: &mut Tile, rows: &Pairs, columns: &Pairs, wide: bool) {
        assert!(are_multiplied(), "pairs are not multiplied here");
        // SAFETY: the processor has what `are_multiplied` asks for.
        unsafe {
            if wide {
                sum::<false>(destination, rows, columns);
            } else {
                sum::<true>(destination, rows, columns);
            }
        }
    }

    /// Eight rows by both face columns stay in registers over all of k.
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn sum<const ROUNDED: bool>(destination: &mut Tile, rows: &Pairs, columns: &Pairs) {
        const ROWS: usize = 8;
        for block in 0..4 {
            let (face_row, r0) = (block / 2, block % 2 * ROWS);
            let to = destination.0[face_row * 2 * FACE + r0 * SIDE..].as_mut_ptr();
            // SAFETY: the eight rows of the left face and, one face on, of the right one lie inside the tile, which is
            // aligned to 64 bytes; every row is one vector. Half as many words lie in the pairs, so aligned too.
            unsafe {
                let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
                if !ROUNDED {
                    for (r, sum) in sums.iter_mut().enumerate() {
                        sum[0] = _mm512_load_ps(to.add(r * SIDE));
                        sum[1] = _mm512_load_ps(to.add(FACE + r * SIDE));
                    }
                }
                for face_k in 0..2 {
                    let factor = rows.0.as_ptr().add(((face_row * 2 + face_k) * FACE + r0 * SIDE) / 2);
                    let column = columns.0.as_ptr().add(face_k * FACE);
                    for k in 0..ACROSS {
                        let [low, high] = [0, FACE / 2].map(|face| {
                            let words = _mm512_load_si512(column.add(face + k * SIDE).cast());
                            std::mem::transmute::<__m512i, __m512bh>(words)
                        });
                        for (r, sum) in sums.iter_mut().enumerate() {
                            let word = _mm512_set1_epi32(*factor.add(r * ACROSS + k) as i32);
                            let value = std::mem::transmute::<__m512i, __m512bh>(word);
                            sum[0] = _mm512_dpbf16_ps(sum[0], value, low);
                            sum[1] = _mm512_dpbf16_ps(sum[1], value, high);
                        }
                    }
                    if ROUNDED {
                        for (r, sum) in sums.iter_mut().enumerate() {
                            let (low, high) = (to.add(r * SIDE), to.add(FACE + r * SIDE));
                            _mm512_store_ps(low, rounded(_mm512_add_ps(_mm512_load_ps(low), sum[0])));
                            _mm512_store_ps(high, rounded(_mm512_add_ps(_mm512_load_ps(high), sum[1])));
                            *sum = [_mm512_setzero_ps(); 2];
                        }
                    }
                }
                if ROUNDED {
                    continue;
                }
                for (r, sum) in sums.iter().enumerate() {
                    _mm512_store_ps(to.add(r * SIDE), sum[0]);
                    _mm512_store_ps(to.add(FACE + r * SIDE), sum[1]);
                }
            }
        }
    }
}
