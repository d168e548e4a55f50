//! Tile products through a chip's adders, bit for bit: [`datapath`](super::datapath) over 32×32×32.
//!
//! A register gets the phases of the fidelity one after the other, of each the first 16 k and then the others. What is added does
//! not depend on what the register holds, so it is formed of all phases at once, which share the distances between the exponents
//! of products.

use super::datapath::{Adder, Factors, dot};
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

vectorised! {
    /// The first `phases` of `destination += rows · columns`.
    pub fn accumulate(destination: &mut Tile, rows: &Tile, columns: &Tile, phases: u32, adder: Adder) {
        accumulate_plain(destination, rows, columns, phases, adder);
    }
    avx2 { accumulate_plain(destination, rows, columns, phases, adder) }
    avx512 { x86::accumulate(destination, rows, columns, phases, adder) }
}

/// The version for machines without AVX-512.
#[inline(always)]
fn accumulate_plain(destination: &mut Tile, rows: &Tile, columns: &Tile, phases: u32, adder: Adder) {
    let mut a = [[Factors::NONE; SIDE]; 2];
    for (k, to) in a.as_flattened_mut().iter_mut().enumerate() {
        *to = Factors::of_a(&whole_row(columns, k));
    }
    for row in 0..2 * SIDE {
        let b = [
            Factors::of_b(&half_row(rows, row, 0)),
            Factors::of_b(&half_row(rows, row, 1)),
        ];
        let mut sums = whole_row(destination, row);
        for phase in 0..phases {
            for (a, b) in a.iter().zip(&b) {
                dot(a, b, &mut sums, phase, adder);
            }
        }
        for (face_column, sums) in sums.chunks_exact(SIDE).enumerate() {
            let to = &mut destination.0[face_row(row, face_column)..];
            for (to, sum) in to.iter_mut().zip(sums) {
                *to = f32::from_bits(*sum);
            }
        }
    }
}

/// Where a row of a tile begins in the left faces, or in the right ones.
#[inline(always)]
fn face_row(row: usize, face_column: usize) -> usize {
    (row / SIDE * 2 + face_column) * FACE + row % SIDE * SIDE
}

/// The patterns of a row of a tile in one face.
#[inline(always)]
fn half_row(tile: &Tile, row: usize, face_column: usize) -> [u32; SIDE] {
    let mut bits = [0; SIDE];
    for (to, value) in bits.iter_mut().zip(&tile.0[face_row(row, face_column)..][..SIDE]) {
        *to = value.to_bits();
    }
    bits
}

/// Those of both faces beside each other.
#[inline(always)]
fn whole_row(tile: &Tile, row: usize) -> [u32; 2 * SIDE] {
    let mut bits = [0; 2 * SIDE];
    for (face_column, bits) in bits.as_chunks_mut().0.iter_mut().enumerate() {
        *bits = half_row(tile, row, face_column);
    }
    bits
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::datapath::rebias;
    use super::{Adder, FACE, Factors, SIDE, Tile, face_row, half_row};
    use crate::compute::rounding::SIGN;
    use std::arch::x86_64::*;

    /// Rows whose products are formed before they are added: enough sums that do not wait for each other.
    const ROWS: usize = 4;
    /// Phases of the highest fidelity.
    const MOST_PHASES: usize = 4;

    /// The operands of a ternary operation, of which its table is made.
    const A: i32 = 0xf0;
    const B: i32 = 0xcc;
    const C: i32 = 0xaa;

    /// Sums of eight products of 32 columns, aligned to the largest exponent. A lane of 32 bits has a column of the left faces in its
    /// lower half and one of the right faces in its upper half, so that either is widened by one operation.
    #[derive(Clone, Copy)]
    struct Eight {
        /// Without the [`rebias`] of a phase.
        exponents: __m512i,
        /// By phase.
        sums: [__m512i; MOST_PHASES],
    }

    /// One of them in 32 bits: `sum · 2^(exponent - 153)`.
    #[derive(Clone, Copy)]
    struct Term {
        exponent: __m512i,
        sum: __m512i,
    }

    /// See [`accumulate`](super::accumulate).
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn accumulate(destination: &mut Tile, rows: &Tile, columns: &Tile, phases: u32, adder: Adder) {
        let mut a = [[Factors::NONE; SIDE]; 2];
        for (k, to) in a.as_flattened_mut().iter_mut().enumerate() {
            *to = Factors::of_a(&paired(columns, k));
        }
        let encoding = Encoding::of(adder);
        let nothing = Eight {
            exponents: _mm512_setzero_si512(),
            sums: [_mm512_setzero_si512(); MOST_PHASES],
        };
        let mut sums = [[[nothing; 2]; ROWS]; 2];
        for first in (0..2 * SIDE).step_by(ROWS) {
            for (face_k, sums) in sums.iter_mut().enumerate() {
                for (r, sums) in sums.iter_mut().enumerate() {
                    let b = Factors::of_b(&half_row(rows, first + r, face_k));
                    for (half, sums) in sums.iter_mut().enumerate() {
                        *sums = match phases {
                            0 | 1 => eight::<1>(&a[face_k], &b, half * 8),
                            2 => eight::<2>(&a[face_k], &b, half * 8),
                            3 => eight::<3>(&a[face_k], &b, half * 8),
                            _ => eight::<4>(&a[face_k], &b, half * 8),
                        };
                    }
                }
            }
            for phase in 0..phases {
                let rebias = rebias(phase, adder) as i16;
                for sums in &sums {
                    for (r, halves) in sums.iter().enumerate() {
                        match adder.wide {
                            true => add_row::<true>(destination, first + r, halves, (phase, rebias), &encoding),
                            false => add_row::<false>(destination, first + r, halves, (phase, rebias), &encoding),
                        }
                    }
                }
            }
        }
    }

    /// The patterns of a row of a tile, each of the left face before the one of the right face.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn paired(tile: &Tile, row: usize) -> [u32; 2 * SIDE] {
        let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let last = _mm512_add_epi32(first, _mm512_set1_epi32(8));
        let from = &tile.0[face_row(row, 0)..][..FACE + SIDE];
        let mut bits = [0; 2 * SIDE];
        // SAFETY: the row and, a face on, that of the right one lie in the slice; `bits` are two vectors. All may lie anywhere.
        unsafe {
            let left = _mm512_loadu_si512(from.as_ptr().cast());
            let right = _mm512_loadu_si512(from.as_ptr().add(FACE).cast());
            let to = bits.as_mut_ptr().cast::<__m512i>();
            _mm512_storeu_si512(to, _mm512_permutex2var_epi32(left, first, right));
            _mm512_storeu_si512(to.add(1), _mm512_permutex2var_epi32(left, last, right));
        }
        bits
    }

    /// The products of eight values of k from `first` on.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn eight<const PHASES: usize>(a: &[Factors<{ 2 * SIDE }>; SIDE], b: &Factors<SIDE>, first: usize) -> Eight {
        let mut exponents = [_mm512_setzero_si512(); 8];
        let mut largest = _mm512_set1_epi16(i16::MIN);
        for (k, exponent) in (first..).zip(&mut exponents) {
            *exponent = _mm512_add_epi16(load(&a[k].exponents), _mm512_set1_epi16(b.exponents[k]));
            largest = _mm512_max_epi16(largest, *exponent);
        }
        let mut sums = [_mm512_setzero_si512(); MOST_PHASES];
        for (k, exponent) in (first..).zip(exponents) {
            let by = _mm512_sub_epi16(largest, exponent);
            // Nothing of a product of 12 bits is left where it is 0.
            let power = _mm512_srlv_epi16(_mm512_set1_epi16(1 << 13), by);
            let sign = _mm512_xor_si512(load(&a[k].signs), _mm512_set1_epi16(b.signs[k]));
            let of_a = [load(&a[k].parts[0]), load(&a[k].parts[1])];
            let of_b = [_mm512_set1_epi16(b.parts[0][k]), _mm512_set1_epi16(b.parts[1][k])];
            for (phase, sum) in sums[..PHASES].iter_mut().enumerate() {
                // `mulhrs` divides by 2^(by + 2) and rounds halves up. All bits inverted, a product is the negative one less a
                // quarter of its last place: so its halves go down, away from 0, and nothing else is rounded differently.
                let fourfold = _mm512_mullo_epi16(of_a[phase & 1], of_b[phase >> 1]);
                let signed = _mm512_xor_si512(fourfold, sign);
                *sum = _mm512_add_epi16(*sum, _mm512_mulhrs_epi16(signed, power));
            }
        }
        Eight {
            exponents: largest,
            sums,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(lanes: &[i16; 2 * SIDE]) -> __m512i {
        // SAFETY: 64 bytes, which may lie anywhere.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }

    /// Adds both halves of a phase to a row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn add_row<const WIDE: bool>(
        destination: &mut Tile,
        row: usize,
        halves: &[Eight; 2],
        (phase, rebias): (u32, i16),
        encoding: &Encoding,
    ) {
        let zero = _mm512_setzero_si512();
        let upper = _mm512_set1_epi32(0xffff << 16);
        let nothing = Term {
            exponent: zero,
            sum: zero,
        };
        let (mut left, mut right) = ([nothing; 2], [nothing; 2]);
        for (half, eight) in halves.iter().enumerate() {
            // Where all eight are zeros, that of a product of zeros; none where it is not above 0.
            let exponents = _mm512_add_epi16(eight.exponents, _mm512_set1_epi16(rebias));
            let exponents = _mm512_max_epi16(exponents, _mm512_set1_epi16(rebias.max(0)));
            let is_there = _mm512_cmpgt_epi16_mask(exponents, zero);
            let sums = _mm512_maskz_mov_epi16(is_there, eight.sums[phase as usize]);
            left[half] = Term {
                exponent: _mm512_andnot_si512(upper, exponents),
                sum: _mm512_slli_epi32(sums, 16),
            };
            right[half] = Term {
                exponent: _mm512_srli_epi32(exponents, 16),
                sum: _mm512_and_si512(sums, upper),
            };
        }
        let to = &mut destination.0[face_row(row, 0)..][..FACE + SIDE];
        for (face, terms) in [(0, left), (FACE, right)] {
            // SAFETY: the row and, a face on, that of the right one lie in the slice, anywhere.
            unsafe {
                let to = to.as_mut_ptr().add(face).cast();
                _mm512_storeu_si512(to, add::<WIDE>(_mm512_loadu_si512(to), terms, encoding));
            }
        }
    }

    /// As [`accumulate`](super::super::datapath::accumulate): with a sign of its own, a term has its halves rounded up, and the
    /// destination away from 0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add<const WIDE: bool>(destination: __m512i, [first, second]: [Term; 2], encoding: &Encoding) -> __m512i {
        let doubled = _mm512_slli_epi32(destination, 1);
        let own_exponent = _mm512_srli_epi32(doubled, 24);
        let is_number = _mm512_test_epi32_mask(own_exponent, own_exponent);
        let (fraction, hidden) = (_mm512_set1_epi32(0xff_ffff), _mm512_set1_epi32(0x100_0000));
        let own = _mm512_maskz_ternarylogic_epi32(is_number, doubled, fraction, hidden, A & B | C);
        let sign = _mm512_srai_epi32(destination, 31);
        let exponent = _mm512_max_epi32(_mm512_max_epi32(first.exponent, second.exponent), own_exponent);

        // All bits inverted, it is the negative one less half of its last place, as a product in `eight` is less a quarter.
        let own = align(_mm512_xor_si512(own, sign), _mm512_sub_epi32(exponent, own_exponent));
        let further = _mm512_add_epi32(exponent, _mm512_set1_epi32(2));
        let first = align(first.sum, _mm512_sub_epi32(further, first.exponent));
        let second = align(second.sum, _mm512_sub_epi32(further, second.exponent));
        let sum = if WIDE {
            _mm512_add_epi32(_mm512_add_epi32(first, second), own)
        } else {
            let own = cut(_mm512_add_epi32(own, sign));
            _mm512_add_epi32(_mm512_add_epi32(cut(first), cut(second)), own)
        };
        encoding.encode::<WIDE>(sum, exponent)
    }

    /// Twice what is left of half of a value, `by` places down, halves rounded up.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn align(value: __m512i, by: __m512i) -> __m512i {
        let one = _mm512_set1_epi32(1);
        _mm512_andnot_si512(one, _mm512_add_epi32(_mm512_srav_epi32(value, by), one))
    }

    /// Cuts twice a term to 11 bits, halves rounded up.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn cut(term: __m512i) -> __m512i {
        let raised = _mm512_add_epi32(term, _mm512_set1_epi32(0x2000));
        _mm512_andnot_si512(_mm512_set1_epi32(0x3fff), raised)
    }

    /// How sums become patterns.
    struct Encoding {
        /// Added to a pattern, and what is then kept of it.
        rounding: (__m512i, __m512i),
        /// The exponent from which on there is no number, and the pattern that there is instead.
        limit: (__m512i, __m512i),
        /// What the exponent of minus one in the last place is more than it should be.
        of_minus_one: __m512i,
    }

    impl Encoding {
        #[target_feature(enable = "avx512f")]
        fn of(adder: Adder) -> Encoding {
            let lanes = |value: u32| _mm512_set1_epi32(value as i32);
            let (added, kept) = match (adder.wide, adder.half) {
                (true, _) => (0, !0),
                (false, true) => (0x1000, !0x1fff),
                (false, false) => (0x8000, !0xffff),
            };
            let (limit, largest) = adder.limit();
            Encoding {
                rounding: (lanes(added), lanes(kept)),
                limit: (lanes(limit as u32), lanes(largest)),
                of_minus_one: lanes(if adder.loses_minus_one { 27 } else { 0 }),
            }
        }

        /// The pattern of `sum · 2^(exponent - 151)`, rounded half away from zero. `sum` has at most 30 bits and is even.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn encode<const WIDE: bool>(&self, sum: __m512i, exponent: __m512i) -> __m512i {
            let lanes = |value: i32| _mm512_set1_epi32(value);
            let mut magnitude = _mm512_abs_epi32(sum);
            if WIDE {
                // The conversion rounds halves to even: with a bit below it, a half is more than that.
                let is_long = _mm512_cmpge_epi32_mask(magnitude, lanes(1 << 25));
                magnitude = _mm512_mask_ternarylogic_epi32(magnitude, is_long, lanes(1), lanes(1), A | B);
            }
            let mut bits = _mm512_castps_si512(_mm512_cvtepi32_ps(magnitude));
            if !WIDE {
                bits = _mm512_and_si512(_mm512_add_epi32(bits, self.rounding.0), self.rounding.1);
            }
            let exponent = _mm512_sub_epi32(exponent, lanes(151));
            let exponent = _mm512_add_epi32(exponent, _mm512_srli_epi32(bits, 23));
            let is_minus_one = _mm512_cmpeq_epi32_mask(sum, lanes(-2));
            let exponent = _mm512_mask_add_epi32(exponent, is_minus_one, exponent, self.of_minus_one);

            let is_not_zero = _mm512_test_epi32_mask(sum, sum);
            let is_number = _mm512_mask_cmpgt_epi32_mask(is_not_zero, exponent, lanes(0));
            let is_large = _mm512_cmpge_epi32_mask(exponent, self.limit.0);
            let value = _mm512_slli_epi32(exponent, 23);
            let value = _mm512_ternarylogic_epi32(bits, lanes(0x7f_ffff), value, A & B | C);
            let value = _mm512_mask_mov_epi32(value, is_large, self.limit.1);
            _mm512_maskz_ternarylogic_epi32(is_number, sum, lanes(SIGN as i32), value, A & B | C)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::datapath::{Term, ZERO, accumulate as add, align, product};
    use super::*;
    use crate::compute::tile::position;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 40) as u32 % bound
        }

        fn is(&mut self) -> bool {
            self.below(2) == 1
        }

        fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
            all[self.below(all.len() as u32) as usize]
        }

        /// Numbers with mantissas of some bits, whose exponents are among a few or many.
        fn tile(&mut self, mantissa: u32, largest_exponent: u32) -> Tile {
            const EXPONENTS: [(u32, u32); 8] = [
                (0, 256),
                (125, 5),
                (110, 34),
                (127, 1),
                (250, 6),
                (0, 4),
                (30, 3),
                (60, 40),
            ];
            let (first, count) = self.one_of(&EXPONENTS);
            let zeros = self.one_of(&[0, 0, 2, 9]);
            let mut tile = Tile::zero();
            for value in &mut tile.0 {
                let exponent = match self.below(10) < zeros {
                    true => 0,
                    false => (first + self.below(count)) & largest_exponent,
                };
                let bits = self.below(1 << 23);
                let bits = self.one_of(&[bits, bits, 0, !0, 0x70_0000]) & mantissa;
                *value = f32::from_bits(self.below(2) << 31 | exponent << 23 | bits);
            }
            tile
        }
    }

    /// A phase of half of k, product by product.
    fn step(destination: u32, a: &[u32], b: &[u32], phase: u32, adder: Adder) -> u32 {
        let [first, second] = [0, 8].map(|first| {
            let products = (first..first + 8).map(|k| product(a[k], b[k], phase, adder));
            let exponent = products.clone().map(|product| product.exponent).max().unwrap();
            let aligned = products.map(|product| {
                let mantissa = align(product.mantissa, 0, exponent - product.exponent);
                if product.sign == 1 { -mantissa } else { mantissa }
            });
            let sum: i32 = aligned.sum();
            let term = Term {
                sign: (sum < 0).into(),
                exponent,
                mantissa: sum.abs() << 13,
            };
            if exponent > 0 { term } else { ZERO }
        });
        add(first, second, destination, adder)
    }

    fn step_by_step(destination: &mut Tile, rows: &Tile, columns: &Tile, phases: u32, adder: Adder) {
        for row in 0..32 {
            for column in 0..32 {
                let b: [u32; 32] = std::array::from_fn(|k| rows.0[position(row, k)].to_bits());
                let a: [u32; 32] = std::array::from_fn(|k| columns.0[position(k, column)].to_bits());
                let sum = &mut destination.0[position(row, column)];
                for phase in 0..phases {
                    for (a, b) in a.chunks(16).zip(b.chunks(16)) {
                        *sum = f32::from_bits(step(sum.to_bits(), a, b, phase, adder));
                    }
                }
            }
        }
    }

    fn bits(tile: &Tile) -> [u32; 1024] {
        tile.0.map(f32::to_bits)
    }

    #[test]
    fn every_version_takes_the_steps_of_the_datapath() {
        let mut random = Random(1);
        for _ in 0..1000 {
            let adder = Adder {
                wide: random.is(),
                half: random.is(),
                loses_minus_one: random.is(),
            };
            let phases = 1 + random.below(4);
            let of_operands = if adder.half { 31 } else { 255 };
            let rows = random.tile(0x7f_e000, of_operands);
            let columns = random.tile(0x7f_e000, of_operands);
            let mut start = random.tile(!0, if adder.wide { 255 } else { of_operands });
            if random.is() {
                // Nearly what the products add up to: little is left of the sums.
                let mut products = Tile::zero();
                step_by_step(&mut products, &rows, &columns, phases, adder);
                for (start, sum) in start.0.iter_mut().zip(&products.0) {
                    *start = -f32::from_bits(sum.to_bits() ^ random.below(2));
                }
            }
            let mut expected = start.clone();
            step_by_step(&mut expected, &rows, &columns, phases, adder);
            let (mut plain, mut chosen) = (start.clone(), start);
            accumulate_plain(&mut plain, &rows, &columns, phases, adder);
            accumulate(&mut chosen, &rows, &columns, phases, adder);
            assert_eq!(bits(&plain), bits(&expected), "{adder:?}, {phases} phases");
            assert_eq!(bits(&chosen), bits(&expected), "{adder:?}, {phases} phases");
        }
    }
}
