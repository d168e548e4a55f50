//! Element-wise operations of the matrix engine, with the device's own arithmetic.

use super::datapath::{self, Adder};
use super::sums::{HIGH_EXPONENT, Rows, bits, bits_of_bf16, sum, sum_of_bf16_pages, sum_of_pages, sum_with_zero};
use crate::compute::ahead::Ahead;
pub use crate::compute::enumerations::Binary;
use crate::compute::rounding::{EXPONENT, SIGN, flush_keeping_sign, flush_to_zero, nan_to_infinity, to_bf16_away};
use crate::compute::tile::{FACE, Patterns, SIDE, Tile};
use crate::compute::vector::vectorised;

/// Below this exponent, products go through the device's multiplier phase by phase.
const LOW_EXPONENT: u32 = 14 << 23;

vectorised! {
    fn sum_of_any(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, adder: Adder) {
        for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
            *to = f32::from_bits(datapath::add(a.to_bits(), b.to_bits() ^ flip, None, adder));
        }
    }
}

vectorised! {
    fn sum_onto(destination: &mut Tile, a: &Tile, b: &Tile, flip: u32, adder: Adder) {
        for ((to, a), b) in rows_mut(destination).zip(rows(a)).zip(rows(b)) {
            for i in 0..SIDE {
                let (a, b, held) = (a[i].to_bits(), b[i].to_bits() ^ flip, to[i].to_bits());
                to[i] = f32::from_bits(datapath::add(a, b, Some(held), adder));
            }
        }
    }
}

/// Rows of faces; with a fixed number of lanes and one tally per lane, loops over them become vector code.
#[inline(always)]
fn rows(tile: &Tile) -> impl Iterator<Item = &[f32; SIDE]> {
    tile.0.as_chunks::<SIDE>().0.iter()
}

#[inline(always)]
fn rows_mut(tile: &mut Tile) -> impl Iterator<Item = &mut [f32; SIDE]> {
    tile.0.as_chunks_mut::<SIDE>().0.iter_mut()
}

/// What becomes of products as they are formed.
trait Seen {
    /// The product of two factors in a lane, or +0 where a factor is zero or a denormal.
    fn see(&mut self, lane: usize, a: u32, b: u32, product: u32) -> u32;

    /// Whether all of them were in the range in which they are the device's.
    fn is_safe(&self) -> bool;
}

/// The range of the magnitudes of products, lane by lane.
struct Range {
    least: [u32; SIDE],
    most: [u32; SIDE],
}

impl Range {
    #[inline(always)]
    fn new() -> Range {
        Range {
            least: [u32::MAX; SIDE],
            most: [0; SIDE],
        }
    }
}

impl Seen for Range {
    #[inline(always)]
    fn see(&mut self, lane: usize, a: u32, b: u32, product: u32) -> u32 {
        let kept = if (a & EXPONENT == 0) | (b & EXPONENT == 0) {
            0
        } else {
            u32::MAX
        };
        let magnitude = product & !SIGN;
        self.least[lane] = self.least[lane].min(magnitude | !kept);
        self.most[lane] = self.most[lane]
            .max(magnitude & kept)
            .max(a & EXPONENT)
            .max(b & EXPONENT);
        product & kept
    }

    #[inline(always)]
    fn is_safe(&self) -> bool {
        let (least, most) = (self.least.iter().min(), self.most.iter().max());
        least.is_some_and(|least| *least >= LOW_EXPONENT) && most.is_some_and(|most| *most < HIGH_EXPONENT)
    }
}

/// The bits of SrcA and SrcB that one phase multiplies, as values: high and low parts.
#[inline(always)]
fn parts(bits: u32, high: u32, all: u32) -> (f32, f32) {
    let part = f32::from_bits(bits & high);
    (part, f32::from_bits(bits & all) - part)
}

const HIGH_A: u32 = 0xfff8_0000;
const HIGH_B: u32 = 0xfffe_0000;
/// No phase sees the eleventh bit of A.
const ALL_A: u32 = 0xffff_c000;
const ALL_B: u32 = 0xffff_e000;

/// Of factors that are [in the middle](are_in_the_middle), of which a product is zero only where a factor is.
struct Middle;

impl Seen for Middle {
    #[inline(always)]
    fn see(&mut self, _: usize, _: u32, _: u32, product: u32) -> u32 {
        flush_to_zero(product)
    }

    #[inline(always)]
    fn is_safe(&self) -> bool {
        true
    }
}

/// The least and the largest exponent of factors of which every product is within [`LOW_EXPONENT`] and [`HIGH_EXPONENT`].
const MIDDLE: [u16; 2] = [72, 180];

vectorised! {
    /// Whether every number of a page of bf16 is zero or has an exponent in the [middle](MIDDLE).
    fn are_in_the_middle(page: &[u8]) -> bool {
        let mut outside = [0u16; 2 * SIDE];
        for numbers in page.as_chunks::<2>().0.as_chunks::<{ 2 * SIDE }>().0 {
            for (outside, bytes) in outside.iter_mut().zip(numbers) {
                let magnitude = u16::from_le_bytes(*bytes) & 0x7fff;
                let above = magnitude.wrapping_sub(MIDDLE[0] << 7);
                *outside |= u16::from((magnitude != 0) & (above >= (MIDDLE[1] + 1 - MIDDLE[0]) << 7));
            }
        }
        outside == [0; 2 * SIDE]
    }
}

/// All phases of a product into an empty 32-bit destination, where they add up without rounding. False, and an undefined
/// destination, where a phase would leave the range of exponents. Before each face `fetch` is called.
#[inline(always)]
fn product_of(
    destination: &mut Tile,
    (mut a, mut b): (impl Rows, impl Rows),
    phases: u32,
    mut seen: impl Seen,
    fetch: impl Fn(),
) -> bool {
    let a_mask = if phases >= 2 { ALL_A } else { HIGH_A };
    let b_mask = if phases >= 4 { ALL_B } else { HIGH_B };
    let third = if phases == 3 { 1.0 } else { 0.0 };
    for face in destination.0.as_chunks_mut::<FACE>().0 {
        fetch();
        for ((to, a), b) in face.as_chunks_mut::<SIDE>().0.iter_mut().zip(&mut a).zip(&mut b) {
            for i in 0..SIDE {
                // Denormals count as zeros, which `seen` gives for them.
                let (a, b) = (a[i], b[i]);
                let (a_high, _) = parts(a, HIGH_A, ALL_A);
                let (_, b_low) = parts(b, HIGH_B, ALL_B);
                let product = f32::from_bits(a & a_mask) * f32::from_bits(b & b_mask) + a_high * b_low * third;
                to[i] = f32::from_bits(seen.see(i, a, b, product.to_bits()));
            }
        }
    }
    seen.is_safe()
}

vectorised! {
    fn product_wide(destination: &mut Tile, a: &Tile, b: &Tile, phases: u32) -> bool {
        product_of(destination, (bits(a), bits(b)), phases, Range::new(), || {})
    }
}

/// Rounds a phase to the grid of what a 16-bit destination holds, and adds it.
#[inline(always)]
fn add_phase(held: u32, term: f32, nudge: f32) -> u32 {
    let grid = f32::from_bits(held & EXPONENT) * 8192.0;
    let rounded = (term * nudge + grid) - grid;
    to_bf16_away((f32::from_bits(held) + rounded).to_bits())
}

/// All `PHASES` of a product into an empty 16-bit destination: the first is rounded to bf16, every further one is rounded
/// to eleven bits of what the destination holds (halves up, by value), added, and the sum rounded to bf16. The phases of
/// a product have one sign, so magnitudes only grow. False, and an undefined destination, out of range. Before each face `fetch` is
/// called.
#[inline(always)]
fn narrow_product_in<const PHASES: u32>(
    destination: &mut Tile,
    (mut a, mut b): (impl Rows, impl Rows),
    mut seen: impl Seen,
    fetch: impl Fn(),
) -> bool {
    for face in destination.0.as_chunks_mut::<FACE>().0 {
        fetch();
        for ((to, a), b) in face.as_chunks_mut::<SIDE>().0.iter_mut().zip(&mut a).zip(&mut b) {
            for i in 0..SIDE {
                let (a, b) = (a[i], b[i]);
                let sign = (a ^ b) & SIGN;
                let (a_high, a_low) = parts(a & !SIGN, HIGH_A, ALL_A);
                let (b_high, b_low) = parts(b & !SIGN, HIGH_B, ALL_B);
                let nudge = if sign != 0 {
                    1.0 - 1.0 / 4096.0
                } else {
                    1.0 + 1.0 / 4096.0
                };
                let mut held = to_bf16_away((a_high * b_high).to_bits());
                if PHASES > 1 {
                    held = add_phase(held, a_low * b_high, nudge);
                }
                if PHASES > 2 {
                    held = add_phase(held, a_high * b_low, nudge);
                }
                if PHASES > 3 {
                    held = add_phase(held, a_low * b_low, nudge);
                }
                to[i] = f32::from_bits(seen.see(i, a, b, held | sign));
            }
        }
    }
    seen.is_safe()
}

/// [`narrow_product_in`] so many phases.
#[inline(always)]
fn narrow_product_of(
    destination: &mut Tile,
    factors: (impl Rows, impl Rows),
    phases: u32,
    seen: impl Seen,
    fetch: impl Fn(),
) -> bool {
    match phases {
        1 => narrow_product_in::<1>(destination, factors, seen, fetch),
        2 => narrow_product_in::<2>(destination, factors, seen, fetch),
        3 => narrow_product_in::<3>(destination, factors, seen, fetch),
        _ => narrow_product_in::<4>(destination, factors, seen, fetch),
    }
}

vectorised! {
    fn product_narrow(destination: &mut Tile, a: &Tile, b: &Tile, phases: u32) -> bool {
        narrow_product_of(destination, (bits(a), bits(b)), phases, Range::new(), || {})
    }
}

vectorised! {
    /// The product of pages whose numbers are [in the middle](are_in_the_middle).
    fn product_of_pages(destination: &mut Tile, a: &[u8], b: &[u8], phases: u32, wide: bool, ahead: &Ahead) {
        let (factors, fetch) = ((bits_of_bf16(a), bits_of_bf16(b)), || ahead.fetch_lines(FACE / 2 / SIDE));
        match wide {
            true => product_of(destination, factors, phases, Middle, fetch),
            false => narrow_product_of(destination, factors, phases, Middle, fetch),
        };
    }
}

vectorised! {
    fn product_onto(destination: &mut Tile, a: &Tile, b: &Tile, phases: u32, adder: Adder) {
        for phase in 0..phases {
            for ((to, a), b) in rows_mut(destination).zip(rows(a)).zip(rows(b)) {
                for i in 0..SIDE {
                    let (a, b, held) = (a[i].to_bits(), b[i].to_bits(), to[i].to_bits());
                    to[i] = f32::from_bits(datapath::multiply_phase(a, b, held, phase, adder));
                }
            }
        }
    }
}

/// How an element-wise operation treats the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// It is overwritten.
    Nothing,
    /// It is added to; it was not written in this acquire, so it holds zeros.
    Zeros,
    /// It is added to.
    Values,
}

/// What an operation does to the signs of its second operand.
fn flip(op: Binary) -> u32 {
    if op == Binary::Sub { SIGN } else { 0 }
}

/// `0 ± b` over the destination, which is how a broadcast comes into a register. False, and an undefined destination, where only
/// [`binary`] knows what that is.
pub fn binary_with_zero(destination: &mut Tile, op: Binary, b: &Tile, adder: Adder) -> bool {
    op != Binary::Mul && !adder.half && sum_with_zero(destination, b, flip(op), adder.wide)
}

/// `a op b` of pages of bf16, over the destination, or into one that holds zeros, while pages are fetched ahead. False, and an undefined
/// destination, where only [`binary`] knows what that is.
pub fn binary_of_pages(
    destination: &mut Tile,
    op: Binary,
    [a, b]: [&[u8]; 2],
    phases: u32,
    adder: Adder,
    ahead: &Ahead,
) -> bool {
    match op {
        _ if adder.half => false,
        Binary::Mul => {
            let are_in_range = are_in_the_middle(a) && are_in_the_middle(b);
            if are_in_range {
                product_of_pages(destination, a, b, phases, adder.wide, ahead);
            }
            are_in_range
        }
        Binary::Add | Binary::Sub => sum_of_pages(destination, a, b, flip(op), adder.wide, ahead),
    }
}

/// Whether `a op b` of pages of bf16 over the destination is [`patterns_of_pages`], where that knows it.
pub fn is_patterns(op: Binary, adder: Adder) -> bool {
    op != Binary::Mul && !adder.wide && !adder.half
}

/// The sum or difference of pages of bf16 as the patterns that a 16-bit destination has of it, while pages are fetched ahead. False, and
/// undefined patterns, where only [`binary`] knows what that is.
pub fn patterns_of_pages(out: &mut Patterns, op: Binary, [a, b]: [&[u8]; 2], ahead: &Ahead) -> bool {
    sum_of_bf16_pages(out, a, b, flip(op), ahead)
}

/// `a op b` over the destination.
pub fn binary(destination: &mut Tile, op: Binary, a: &Tile, b: &Tile, phases: u32, onto: Onto, adder: Adder) {
    let flip = flip(op);
    match (op, onto) {
        (Binary::Mul, _) => {
            if onto != Onto::Values {
                let product = if adder.wide { product_wide } else { product_narrow };
                if !adder.half && product(destination, a, b, phases) {
                    return;
                }
                destination.clear();
            }
            product_onto(destination, a, b, phases, adder);
        }
        (_, Onto::Nothing) => {
            if adder.half || !sum(destination, a, b, flip, adder.wide) {
                sum_of_any(destination, a, b, flip, adder);
            }
        }
        (_, Onto::Zeros | Onto::Values) => sum_onto(destination, a, b, flip, adder),
    }
}

vectorised! {
    /// A source through the adder into a 32-bit destination: neither NaNs nor negative zeros nor denormals arrive.
    fn copy_wide(destination: &mut Tile, source: &Tile) {
        for (to, from) in destination.0.iter_mut().zip(&source.0) {
            *to = f32::from_bits(flush_to_zero(nan_to_infinity(from.to_bits())));
        }
    }
}

/// A source into the destination. A 16-bit destination gets the bits as they are; a 32-bit one is reached through the adder.
pub fn copy(destination: &mut Tile, source: &Tile, adder: Adder) {
    match (adder.wide, adder.half) {
        (false, _) => destination.0.copy_from_slice(&source.0),
        (true, false) => copy_wide(destination, source),
        (true, true) => sum_of_any(destination, source, &Tile::zero(), 0, adder),
    }
}

vectorised! {
    /// A row of SrcB moved into a 32-bit destination past the adder: NaNs arrive.
    pub fn copy_moved(destination: &mut Tile, source: &Tile) {
        for (to, from) in destination.0.iter_mut().zip(&source.0) {
            *to = f32::from_bits(flush_to_zero(from.to_bits()));
        }
    }
}

vectorised! {
    /// What a source register keeps of a destination register that is moved into it.
    pub fn destination_as_source(destination: &Tile, mask: u32, out: &mut Tile) {
        for (to, from) in out.0.iter_mut().zip(&destination.0) {
            *to = f32::from_bits(flush_keeping_sign(from.to_bits() & mask));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::TILE;

    fn adder(wide: bool) -> Adder {
        Adder {
            wide,
            half: false,
            loses_minus_one: false,
        }
    }

    fn bf16(seed: u32) -> Tile {
        let mut state = seed;
        let mut tile = Tile::zero();
        for value in &mut tile.0 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            *value = f32::from_bits((((state >> 9) as f32 / (1 << 22) as f32 - 1.0) * 4.0).to_bits() & 0xffff_0000);
        }
        tile
    }

    fn check(op: Binary, wide: bool, accumulate: bool, relative: f64, exact: impl Fn(f64, f64, f64) -> f64) {
        let (a, b, start) = (bf16(1), bf16(2), bf16(3));
        let mut destination = start.clone();
        let onto = if accumulate { Onto::Values } else { Onto::Nothing };
        binary(&mut destination, op, &a, &b, 4, onto, adder(wide));
        for i in 0..TILE {
            let (x, y, z) = (f64::from(a.0[i]), f64::from(b.0[i]), f64::from(start.0[i]));
            let error = (f64::from(destination.0[i]) - exact(x, y, z)).abs();
            let scale = x.abs() + y.abs() + z.abs() + (x * y).abs();
            assert!(
                error <= relative * scale,
                "{op:?} wide {wide}: {x} {y} {z} -> {}",
                destination.0[i]
            );
        }
    }

    #[test]
    fn sums_differences_and_products_are_right_to_their_format() {
        for (wide, relative) in [(true, 1.0 / 1024.0), (false, 3.0 / 256.0)] {
            check(Binary::Add, wide, false, relative, |x, y, _| x + y);
            check(Binary::Sub, wide, false, relative, |x, y, _| x - y);
            check(Binary::Add, wide, true, relative, |x, y, z| x + y + z);
            check(Binary::Mul, wide, true, relative, |x, y, z| x * y + z);
        }
    }

    #[test]
    fn low_fidelity_multiplies_fewer_bits() {
        let (a, b) = (bf16(4), bf16(5));
        let mut worst = [0f64; 2];
        for (worst, phases) in worst.iter_mut().zip([1, 4]) {
            let mut destination = Tile::zero();
            binary(&mut destination, Binary::Mul, &a, &b, phases, Onto::Zeros, adder(true));
            for i in 0..TILE {
                let exact = f64::from(a.0[i]) * f64::from(b.0[i]);
                *worst = worst.max((f64::from(destination.0[i]) - exact).abs() / exact.abs().max(1e-30));
            }
        }
        assert!(
            worst[0] > 0.05 && worst[0] < 1.0 / 16.0 + 1.0 / 64.0,
            "five bits of a, seven of b: {worst:?}"
        );
        assert_eq!(worst[1], 0.0, "bf16 products are exact in all phases");
    }

    /// Source values of every exponent, with up to 11 significant bits, in pairs that lie near each other, and zeros.
    fn pairs(seed: u32, exponents: std::ops::Range<u32>) -> (Tile, Tile) {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state >> 7
        };
        let (mut a, mut b) = (Tile::zero(), Tile::zero());
        for i in 0..TILE {
            let exponent = exponents.start + next() % (exponents.end - exponents.start);
            let other = (exponent + next() % 17)
                .saturating_sub(8)
                .clamp(exponents.start, exponents.end - 1);
            let mut value =
                |exponent: u32| f32::from_bits(((next() & 1) << 31) | (exponent << 23) | ((next() & 0x3ff) << 13));
            a.0[i] = value(exponent);
            b.0[i] = if i % 61 == 0 { -a.0[i] } else { value(other) };
        }
        (a, b)
    }

    #[test]
    fn the_fast_paths_give_the_bits_of_the_datapath() {
        for (seed, exponents) in [
            (1, 100..150),
            (2, 1..40),
            (3, 0..30),
            (4, 200..256),
            (5, 0..256),
            (6, 120..131),
            (7, 126..128),
            (8, 127..129),
        ] {
            let (a, b) = pairs(seed, exponents);
            for wide in [true, false] {
                for (op, flip) in [(Binary::Add, 0), (Binary::Sub, SIGN)] {
                    let mut destination = Tile::zero();
                    if binary_with_zero(&mut destination, op, &b, adder(wide)) {
                        for (to, b) in destination.0.iter().zip(&b.0) {
                            assert_eq!(
                                to.to_bits(),
                                datapath::add(0, b.to_bits() ^ flip, None, adder(wide)),
                                "{b:e} wide {wide}"
                            );
                        }
                    }
                    binary(&mut destination, op, &a, &b, 4, Onto::Nothing, adder(wide));
                    for i in 0..TILE {
                        let (x, y) = (a.0[i].to_bits(), b.0[i].to_bits() ^ flip);
                        assert_eq!(
                            destination.0[i].to_bits(),
                            datapath::add(x, y, None, adder(wide)),
                            "{x:x} {y:x} wide {wide}"
                        );
                    }
                }
                for phases in 1..=4 {
                    let mut destination = Tile::zero();
                    binary(&mut destination, Binary::Mul, &a, &b, phases, Onto::Zeros, adder(wide));
                    for i in 0..TILE {
                        let (x, y) = (a.0[i].to_bits(), b.0[i].to_bits());
                        let exact =
                            (0..phases).fold(0, |d, phase| datapath::multiply_phase(x, y, d, phase, adder(wide)));
                        assert_eq!(
                            destination.0[i].to_bits(),
                            exact,
                            "{x:x} {y:x} wide {wide}, {phases} phases"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn pages_of_bf16_give_the_bits_of_their_tiles() {
        for (seed, exponents, is_taken) in [
            (1, 100..150, true),
            (2, 0..30, false),
            (3, 220..256, false),
            (4, 0..256, false),
            (5, 126..128, true),
            (6, 72..181, true),
            (7, 71..181, false),
            (8, 72..182, false),
        ] {
            let (mut a, mut b) = pairs(seed, exponents);
            let [pages_a, pages_b] = [&mut a, &mut b].map(|tile| {
                let cut = |value: &mut f32| {
                    *value = f32::from_bits(value.to_bits() & 0xffff_0000);
                    ((value.to_bits() >> 16) as u16).to_le_bytes()
                };
                tile.0.iter_mut().flat_map(cut).collect::<Vec<u8>>()
            });
            for (wide, op, phases) in [true, false]
                .into_iter()
                .flat_map(|wide| [Binary::Add, Binary::Sub, Binary::Mul].map(|op| (wide, op)))
                .flat_map(|(wide, op)| (1..=4).map(move |phases| (wide, op, phases)))
            {
                let (mut of_tiles, mut of_pages, ahead) = (Tile::zero(), Tile::zero(), Ahead::default());
                let onto = if op == Binary::Mul { Onto::Zeros } else { Onto::Nothing };
                binary(&mut of_tiles, op, &a, &b, phases, onto, adder(wide));
                if binary_of_pages(&mut of_pages, op, [&pages_a, &pages_b], phases, adder(wide), &ahead) {
                    let same = |(tile, page): (&f32, &f32)| tile.to_bits() == page.to_bits();
                    assert!(
                        of_tiles.0.iter().zip(&of_pages.0).all(same),
                        "{op:?} {wide} {phases} {seed}"
                    );
                } else {
                    assert!(!is_taken, "{op:?} {wide} {phases} {seed}");
                }
            }
        }
    }

    #[test]
    fn copies_know_neither_nan_nor_denormals_where_they_pass_the_adder() {
        let mut source = Tile::zero();
        source.0[..3].copy_from_slice(&[f32::NAN, -0.0, f32::from_bits(0x8000_0001)]);
        let copied = |wide| {
            let mut destination = Tile::zero();
            copy(&mut destination, &source, adder(wide));
            destination.0[..3].iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(copied(true), [EXPONENT, 0, 0]);
        assert_eq!(copied(false), [f32::NAN.to_bits(), SIGN, 0x8000_0001]);
    }
}
