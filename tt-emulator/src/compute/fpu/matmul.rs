//! Tile products: `C += A · B` over 32×32×32, the hot loop of the emulator.
//!
//! Sources carry at most 11 significant bits, so every product is exact in `f32` and fused and separate multiply-adds give
//! the same bits: the versions below (AVX-512, AVX2, plain, and for bf16 [`pairs`]) agree, sums running over k in pairs, the second
//! of a pair first. (Only sums that pass below 2^-126 can differ, which the device flushes to zero anyway.) A 32-bit destination
//! accumulates in `f32`; a 16-bit one is rounded to bf16 after every 16 values of k and every fidelity phase, as the device's is.
//! Operands with the largest exponent, where `f32` would make infinities and NaNs and the device does not, go through
//! [`exact`](super::exact).

use super::fidelity::{self, Cut, Part, Product};
use super::left_out;
use super::pairs::{self, Pairs};
pub use super::pairs::{RowPairs, are_multiplied as pairs_are_multiplied, has_largest_exponent};
use crate::compute::rounding::to_bf16_away;
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

/// The order of sums along k of a face.
#[inline(always)]
fn by_pairs() -> impl Iterator<Item = usize> {
    (0..SIDE).map(|k| k ^ 1)
}

vectorised! {
    /// `destination += rows · columns` in `f32`, over one tile.
    pub fn accumulate(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        accumulate_plain(destination, rows, columns);
    }
    avx2 { x86::accumulate_avx2(destination, rows, columns) }
    avx512 { x86::accumulate_avx512(destination, rows, columns) }
}

/// The version for machines without a vector unit of their own version.
fn accumulate_plain(destination: &mut Tile, rows: &Tile, columns: &Tile) {
    for face_row in 0..2 {
        for r in 0..SIDE {
            for face_column in 0..2 {
                let to: &mut [f32] = &mut destination.0[(face_row * 2 + face_column) * FACE + r * SIDE..][..SIDE];
                let mut sums = [0f32; SIDE];
                sums.copy_from_slice(to);
                for face_k in 0..2 {
                    let row = &rows.face(face_row, face_k)[r * SIDE..][..SIDE];
                    let column = columns.face(face_k, face_column);
                    for k in by_pairs() {
                        let factor = row[k];
                        for (sum, &value) in sums.iter_mut().zip(&column[k * SIDE..][..SIDE]) {
                            *sum += factor * value;
                        }
                    }
                }
                to.copy_from_slice(&sums);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{FACE, SIDE, Tile, by_pairs};
    use std::arch::x86_64::*;

    /// Eight rows by both face columns stay in registers over all of k.
    #[target_feature(enable = "avx512f")]
    pub fn accumulate_avx512(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        accumulate::<false>(destination, rows, columns);
    }

    /// The same into a 16-bit destination: sums are rounded after half of k.
    #[target_feature(enable = "avx512f")]
    pub fn accumulate_rounded_avx512(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        accumulate::<true>(destination, rows, columns);
    }

    /// Nearest bf16, halves away from zero.
    #[target_feature(enable = "avx512f")]
    pub fn rounded(value: __m512) -> __m512 {
        let bits = _mm512_add_epi32(_mm512_castps_si512(value), _mm512_set1_epi32(0x8000));
        _mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(0xffff_0000u32 as i32)))
    }

    #[target_feature(enable = "avx512f")]
    fn accumulate<const ROUNDED: bool>(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        const ROWS: usize = 8;
        for block in 0..4 {
            let (face_row, r0) = (block / 2, block % 2 * ROWS);
            let left = &mut destination.0[face_row * 2 * FACE + r0 * SIDE..];
            let to = left.as_mut_ptr();
            // SAFETY: the eight rows of the left face and, one face on, of the right one lie inside the tile, which is
            // aligned to 64 bytes; every row is one vector.
            unsafe {
                let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
                for (r, sum) in sums.iter_mut().enumerate() {
                    sum[0] = _mm512_load_ps(to.add(r * SIDE));
                    sum[1] = _mm512_load_ps(to.add(FACE + r * SIDE));
                }
                for face_k in 0..2 {
                    let factor = rows.0.as_ptr().add((face_row * 2 + face_k) * FACE + r0 * SIDE);
                    let column = columns.0.as_ptr().add(face_k * 2 * FACE);
                    for k in by_pairs() {
                        let low = _mm512_load_ps(column.add(k * SIDE));
                        let high = _mm512_load_ps(column.add(FACE + k * SIDE));
                        for (r, sum) in sums.iter_mut().enumerate() {
                            let value = _mm512_set1_ps(*factor.add(r * SIDE + k));
                            sum[0] = _mm512_fmadd_ps(value, low, sum[0]);
                            sum[1] = _mm512_fmadd_ps(value, high, sum[1]);
                        }
                    }
                    if ROUNDED {
                        for sum in &mut sums {
                            *sum = [rounded(sum[0]), rounded(sum[1])];
                        }
                    }
                }
                for (r, sum) in sums.iter().enumerate() {
                    _mm512_store_ps(to.add(r * SIDE), sum[0]);
                    _mm512_store_ps(to.add(FACE + r * SIDE), sum[1]);
                }
            }
        }
    }

    /// Four rows by one face column stay in registers over all of k.
    #[target_feature(enable = "avx2,fma")]
    pub fn accumulate_avx2(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        const ROWS: usize = 4;
        for block in 0..16 {
            let (face_row, face_column, r0) = (block / 8, block / 4 % 2, block % 4 * ROWS);
            let to = destination.0[(face_row * 2 + face_column) * FACE + r0 * SIDE..].as_mut_ptr();
            // SAFETY: the four rows lie inside one face of the tile; unaligned loads are used throughout.
            unsafe {
                let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
                for (r, sum) in sums.iter_mut().enumerate() {
                    sum[0] = _mm256_loadu_ps(to.add(r * SIDE));
                    sum[1] = _mm256_loadu_ps(to.add(r * SIDE + 8));
                }
                for face_k in 0..2 {
                    let factor = rows.0.as_ptr().add((face_row * 2 + face_k) * FACE + r0 * SIDE);
                    let column = columns.0.as_ptr().add((face_k * 2 + face_column) * FACE);
                    for k in by_pairs() {
                        let low = _mm256_loadu_ps(column.add(k * SIDE));
                        let high = _mm256_loadu_ps(column.add(k * SIDE + 8));
                        for (r, sum) in sums.iter_mut().enumerate() {
                            let value = _mm256_set1_ps(*factor.add(r * SIDE + k));
                            sum[0] = _mm256_fmadd_ps(value, low, sum[0]);
                            sum[1] = _mm256_fmadd_ps(value, high, sum[1]);
                        }
                    }
                }
                for (r, sum) in sums.iter().enumerate() {
                    _mm256_storeu_ps(to.add(r * SIDE), sum[0]);
                    _mm256_storeu_ps(to.add(r * SIDE + 8), sum[1]);
                }
            }
        }
    }
}

vectorised! {
    /// One phase into a 16-bit destination: 16 products are added, and the sum is rounded to bf16.
    pub fn accumulate_rounded(destination: &mut Tile, rows: &Tile, columns: &Tile) {
        accumulate_rounded_plain(destination, rows, columns);
    }
    avx2 { accumulate_rounded_plain(destination, rows, columns) }
    avx512 { x86::accumulate_rounded_avx512(destination, rows, columns) }
}

/// The version for machines without AVX-512.
#[inline(always)]
fn accumulate_rounded_plain(destination: &mut Tile, rows: &Tile, columns: &Tile) {
    for face_row in 0..2 {
        for face_column in 0..2 {
            let to = &mut destination.0[(face_row * 2 + face_column) * FACE..][..FACE];
            for face_k in 0..2 {
                let row_face = rows.face(face_row, face_k);
                let column: &[f32; FACE] = columns.face(face_k, face_column).try_into().expect("a face");
                for (to, row) in to.chunks_exact_mut(SIDE).zip(row_face.chunks_exact(SIDE)) {
                    for k in by_pairs() {
                        for c in 0..SIDE {
                            to[c] += row[k] * column[k * SIDE + c];
                        }
                    }
                    for sum in to {
                        *sum = f32::from_bits(to_bf16_away(sum.to_bits()));
                    }
                }
            }
        }
    }
}

/// The bits of an `f32` that bf16 has.
const EVERYTHING: u32 = 0xffff_0000;

/// An operand of a product in the parts that fidelity phases multiply.
#[repr(C)]
pub struct Parts {
    /// Both as pairs of bf16, where products are formed of such.
    pairs: [Pairs; 2],
    /// The whole source value, or its high part: what the first product wants.
    pub first: Tile,
    /// The rest, where there are several products. Where one of low bits is left out, and products are not formed of pairs, their integers.
    pub rest: Tile,
}

impl Parts {
    /// Zeros.
    pub const fn zero() -> Parts {
        Parts {
            pairs: [Pairs::ZERO; 2],
            first: Tile::zero(),
            rest: Tile::zero(),
        }
    }

    /// Pairs a left operand, whose values bf16 holds.
    pub fn pair_rows(&mut self, cut: Cut) {
        self.pair(pairs::of_rows, cut);
    }

    /// As [`pair_rows`](Parts::pair_rows), of a right operand.
    pub fn pair_columns(&mut self, cut: Cut) {
        self.pair(pairs::of_columns, cut);
    }

    /// As [`pair_rows`](Parts::pair_rows), of a page of bf16. Whether a number has the largest exponent.
    pub fn pair_row_page(&mut self, page: &[u8], cut: Cut) -> bool {
        pairs::of_row_page(page, cut, &mut self.pairs)
    }

    /// Whether of numbers of bf16 only a first part is wanted, and all of its bits.
    pub fn are_whole(cut: Cut) -> bool {
        !cut.rest && cut.first.0 & EVERYTHING == EVERYTHING
    }

    /// The pairs of a page of bf16 as it lies there.
    pub fn of_row_page(page: &[u8]) -> Option<&RowPairs> {
        pairs::along_rows(page)
    }

    /// As [`pair_row_page`](Parts::pair_row_page), of a right operand.
    pub fn pair_column_page(&mut self, page: &[u8], cut: Cut) -> bool {
        pairs::of_column_page(page, cut, &mut self.pairs)
    }

    fn pair(&mut self, of: fn(&Tile, &mut Pairs), cut: Cut) {
        let [first_pairs, rest_pairs] = &mut self.pairs;
        of(&self.first, first_pairs);
        if cut.rest {
            of(&self.rest, rest_pairs);
        }
    }

    fn part(&self, part: Part) -> &Tile {
        match part {
            Part::First => &self.first,
            Part::Rest => &self.rest,
        }
    }

    /// A part as pairs.
    pub fn paired(&self, part: Part) -> &Pairs {
        match part {
            Part::First => &self.pairs[0],
            Part::Rest => &self.pairs[1],
        }
    }
}

/// Times that [`multiply`] fetches.
pub const FETCHES: usize = pairs::BANDS;

/// All products of a fidelity on one tile, without what it leaves out; `paired` operands have their pairs, but for the first part of rows
/// where that is a `page`. Meanwhile `fetch` is called [`FETCHES`] times.
pub fn multiply(
    destination: &mut Tile,
    (rows, page): (&Parts, Option<&RowPairs>),
    columns: &Parts,
    (products, left_out): (&[Product], Option<left_out::Both>),
    (wide, paired): (bool, bool),
    fetch: impl Fn(),
) {
    if paired {
        let factors = |product: &Product| {
            let page = page.filter(|_| product.b == Part::First);
            pairs::Factors {
                rows: page.unwrap_or_else(|| rows.paired(product.b).as_bytes()),
                columns: columns.paired(product.a),
            }
        };
        // The processor reads a list that was just written a dozen cycles later.
        if let [product] = products {
            return pairs::accumulate(destination, &[factors(product)], left_out, wide, fetch);
        }
        let mut all = [factors(&products[0]); fidelity::MOST_PRODUCTS];
        for (to, product) in all.iter_mut().zip(products) {
            *to = factors(product);
        }
        return pairs::accumulate(destination, &all[..products.len()], left_out, wide, fetch);
    }
    (0..FETCHES).for_each(|_| fetch());
    for product in products {
        let (b, a) = (rows.part(product.b), columns.part(product.a));
        match wide {
            true => accumulate(destination, b, a),
            false => accumulate_rounded(destination, b, a),
        }
    }
    if let Some(both) = left_out {
        let mut products = Tile::zero();
        accumulate(&mut products, &rows.rest, &columns.rest);
        left_out::take_away(destination, &products, both);
    }
}

#[cfg(test)]
mod tests {
    use super::super::datapath::Adder;
    use super::super::exact;
    use super::super::fidelity::Plan;
    use super::*;
    use crate::compute::tile::{TILE, position};
    use crate::compute::unpack::Keep;
    #[cfg(target_arch = "x86_64")]
    use crate::compute::vector::{VectorUnit, vector_unit};
    use crate::kernel_config::MathFidelity;

    fn tile(seed: u32) -> Tile {
        let mut state = seed;
        let mut tile = Tile::zero();
        for value in &mut tile.0 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let v = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
            *value = f32::from_bits(v.to_bits() & 0xffff_0000);
        }
        tile
    }

    fn reference(start: &Tile, rows: &Tile, columns: &Tile) -> Vec<f64> {
        let mut out = vec![0f64; TILE];
        for r in 0..32 {
            for c in 0..32 {
                let sum: f64 = (0..32)
                    .map(|k| f64::from(rows.0[position(r, k)]) * f64::from(columns.0[position(k, c)]))
                    .sum();
                out[position(r, c)] = f64::from(start.0[position(r, c)]) + sum;
            }
        }
        out
    }

    #[test]
    fn every_version_gives_the_same_bits_and_the_right_product() {
        let (rows, columns, start) = (tile(1), tile(2), tile(3));
        let mut plain = start.clone();
        accumulate_plain(&mut plain, &rows, &columns);
        for (value, exact) in plain.0.iter().zip(reference(&start, &rows, &columns)) {
            assert!((f64::from(*value) - exact).abs() < 33.0 * 32.0 * 2f64.powi(-24));
        }
        let mut chosen = start.clone();
        accumulate(&mut chosen, &rows, &columns);
        assert!(chosen.0.iter().zip(&plain.0).all(|(a, b)| a.to_bits() == b.to_bits()));
        #[cfg(target_arch = "x86_64")]
        if vector_unit() >= VectorUnit::Avx2 {
            let mut avx2 = start.clone();
            // SAFETY: the processor has AVX2 and FMA.
            unsafe { x86::accumulate_avx2(&mut avx2, &rows, &columns) };
            assert!(avx2.0.iter().zip(&plain.0).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
        if pairs_are_multiplied() {
            let mut paired = start.clone();
            let mut parts = [&rows, &columns].map(|tile| Parts {
                first: tile.clone(),
                ..Parts::zero()
            });
            let cut = Plan::of(MathFidelity::HiFi4, true, true).cut_a(Keep::Bf16);
            parts[0].pair_rows(cut);
            parts[1].pair_columns(cut);
            let whole = [Product {
                a: Part::First,
                b: Part::First,
            }];
            multiply(
                &mut paired,
                (&parts[0], None),
                &parts[1],
                (&whole, None),
                (true, true),
                || {},
            );
            assert!(paired.0.iter().zip(&plain.0).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }

    #[test]
    fn every_version_rounds_a_narrow_destination_alike() {
        for seed in 0..50 {
            let (rows, columns) = (tile(3 * seed), tile(3 * seed + 1));
            let mut plain = tile(3 * seed + 2);
            let mut chosen = plain.clone();
            for _ in 0..4 {
                accumulate_rounded_plain(&mut plain, &rows, &columns);
                accumulate_rounded(&mut chosen, &rows, &columns);
            }
            assert!(chosen.0.iter().zip(&plain.0).all(|(a, b)| a.to_bits() == b.to_bits()));
            if pairs_are_multiplied() {
                let mut paired = tile(3 * seed + 2);
                let [mut b, mut a] = [Pairs::ZERO; 2];
                pairs::of_rows(&rows, &mut b);
                pairs::of_columns(&columns, &mut a);
                let factors = pairs::Factors {
                    rows: b.as_bytes(),
                    columns: &a,
                };
                pairs::accumulate(&mut paired, &[factors; 4], None, false, || {});
                assert!(paired.0.iter().zip(&plain.0).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
        }
    }

    #[test]
    fn a_narrow_destination_is_bf16_after_every_step() {
        let (rows, columns) = (tile(4), tile(5));
        let mut narrow = Tile::zero();
        accumulate_rounded(&mut narrow, &rows, &columns);
        for (value, exact) in narrow.0.iter().zip(reference(&Tile::zero(), &rows, &columns)) {
            assert_eq!(value.to_bits() & 0xffff, 0);
            // Two roundings to 8 significant bits of values below 8.
            assert!((f64::from(*value) - exact).abs() <= 8.0 / 256.0, "{value} {exact}");
        }
    }

    #[test]
    fn the_exact_datapath_agrees_with_the_fast_one_to_its_precision() {
        let (rows, columns) = (tile(6), tile(7));
        let (mut exact, mut fast) = (Tile::zero(), Tile::zero());
        let adder = Adder {
            wide: true,
            half: false,
            loses_minus_one: true,
        };
        exact::accumulate(&mut exact, &rows, &columns, 4, adder);
        accumulate(&mut fast, &rows, &columns);
        for (a, b) in exact.0.iter().zip(&fast.0) {
            // Products are rounded to 1/2048 of the largest of their eight.
            assert!((a - b).abs() < 32.0 / 2048.0, "{a} {b}");
        }
    }
}
