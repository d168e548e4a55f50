//! The arithmetic of the matrix engine's adders and multipliers, bit for bit.
//!
//! Operands come from SrcA and SrcB with 11 significant bits (hidden bit included), products use 5 bits of A and 7 of B per
//! fidelity phase, and a sum is formed by aligning every term to the largest exponent, rounding what is shifted out.
//! There are no infinities and no NaNs: exponent 255 is just the largest exponent, and a result that reaches it becomes the
//! pattern of infinity. Values of the formats with five exponent bits keep their own exponent, with its own bias, where an
//! `f32` has its eight; a 32-bit destination gets them as `f32`. Source: the public chip simulator's description of
//! `ELWADD`, `ELWMUL` and `MVMUL`, and `reference/patterns.md` section 6, whose table of special values follows from it.

use crate::compute::rounding::{EXPONENT, SIGN, to_bf16_away};

/// How the accumulator of a chip is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adder {
    /// Destination registers are 32 bits wide.
    pub wide: bool,
    /// Operands have five exponent bits.
    pub half: bool,
    /// A 32-bit sum of minus one unit in the last place is normalised wrongly: Wormhole counts the leading signs of minus
    /// one as one too many.
    pub loses_minus_one: bool,
}

impl Adder {
    /// The exponent that a sum without any term has.
    #[inline(always)]
    fn empty_exponent(self) -> i32 {
        if self.half && self.wide { 97 } else { 0 }
    }

    /// The exponent from which on there is no number, and the pattern that there is instead.
    #[inline(always)]
    pub fn limit(self) -> (i32, u32) {
        match (self.half, self.wide) {
            (true, false) => (32, HALF_LARGEST),
            _ => (255, EXPONENT),
        }
    }
}

/// A term of a sum: `mantissa · 2^(exponent - 150)`, negative if `sign` is 1.
#[derive(Clone, Copy)]
pub struct Term {
    /// 0 or 1.
    pub sign: i32,
    /// Biased exponent; may lie beyond 255.
    pub exponent: i32,
    /// Up to 25 bits.
    pub mantissa: i32,
}

/// The largest value with five exponent bits.
const HALF_LARGEST: u32 = (31 << 23) | 0x7f_e000;

/// None.
pub const ZERO: Term = Term {
    sign: 0,
    exponent: 0,
    mantissa: 0,
};

/// A mantissa `by` places down, halves rounded up where the sign is 0.
#[inline(always)]
pub fn align(mantissa: i32, sign: i32, by: i32) -> i32 {
    let by = by.min(31) as u32;
    let half = (1u32 << by) >> 1;
    let shifted = (mantissa as u32).wrapping_add(half).wrapping_sub(sign as u32) >> by;
    if by == 0 { mantissa } else { shifted as i32 }
}

/// `destination + first + second`, as the accumulator forms it. Into a 16-bit destination every term is first cut to 11
/// bits, and the result has the significant bits of bf16 or fp16.
#[inline(always)]
pub fn accumulate(first: Term, second: Term, destination: u32, adder: Adder) -> u32 {
    let destination_sign = (destination >> 31) as i32;
    let destination_exponent = ((destination >> 23) & 255) as i32;
    let destination_mantissa = if destination_exponent == 0 {
        0
    } else {
        ((destination & 0x7f_ffff) | 0x80_0000) as i32
    };
    let exponent = first.exponent.max(second.exponent).max(destination_exponent);

    let mut a = align(first.mantissa, first.sign, exponent - first.exponent);
    let mut b = align(second.mantissa, second.sign, exponent - second.exponent);
    let mut d = align(destination_mantissa, 0, exponent - destination_exponent);
    if !adder.wide {
        a = (a + 0x1000 - first.sign) & !0x1fff;
        b = (b + 0x1000 - second.sign) & !0x1fff;
        d = (d + 0x1000) & !0x1fff;
    }
    let signed =
        d + if first.sign == destination_sign { a } else { -a } + if second.sign == destination_sign { b } else { -b };
    let sign = (destination_sign ^ (signed < 0) as i32) as u32;
    encode(signed.unsigned_abs(), exponent, sign, adder)
}

/// The pattern of `mantissa · 2^(exponent - 150)`, rounded half away from zero. `mantissa` has at most 29 bits: twice eight
/// products of 12 bits, 13 bits up, and a destination of 24.
#[inline(always)]
fn encode(mantissa: u32, exponent: i32, sign: u32, adder: Adder) -> u32 {
    // By as many places as it has bits beyond 24: from the exponent of its upper bits, which an `f32` holds exactly.
    let right = (((mantissa >> 5) as i32 as f32).to_bits() >> 23).saturating_sub(127 + 18);
    let normal = (mantissa + ((1u32 << right) >> 1)) >> right;
    let mut bits = (normal as i32 as f32).to_bits();
    if !adder.wide {
        bits = if adder.half {
            bits.wrapping_add(0x1000) & 0xffff_e000
        } else {
            to_bf16_away(bits)
        };
    }
    let result_exponent = (bits >> 23) as i32 - 150 + right as i32 + exponent;
    let value = ((result_exponent as u32) << 23) | (bits & 0x7f_ffff);
    let (limit, largest) = adder.limit();
    let magnitude = if result_exponent >= limit { largest } else { value };
    let magnitude = if result_exponent <= 0 {
        0
    } else {
        magnitude | (sign << 31)
    };
    let result = if mantissa == 0 || exponent <= 0 { 0 } else { magnitude };
    if adder.loses_minus_one && mantissa == 1 && sign == 1 {
        return minus_one(exponent);
    }
    result
}

/// What a chip that [loses minus one](Adder::loses_minus_one) makes of it: 2^27 times too much.
#[inline(always)]
fn minus_one(exponent: i32) -> u32 {
    let wrong = exponent + 4;
    let bits = if wrong >= 255 { EXPONENT } else { (wrong as u32) << 23 };
    if exponent <= 0 { 0 } else { SIGN | bits }
}

/// `ELWADD` of two source values: `a + b`, plus `destination` if there is one to accumulate on.
#[inline(always)]
pub fn add(a: u32, b: u32, destination: Option<u32>, adder: Adder) -> u32 {
    let a = if a & EXPONENT == 0 { 0 } else { a };
    let b = if b & EXPONENT == 0 { 0 } else { b };
    let swap = (a & !SIGN) < (b & !SIGN);
    let (large, small) = if swap { (b, a) } else { (a, b) };
    let large_exponent = ((large >> 23) & 255) as i32;
    let small_exponent = ((small >> 23) & 255) as i32;
    let large_mantissa = if large == 0 {
        0
    } else {
        (((large >> 13) & 0x3ff) | 0x400) as i32
    };
    let small_mantissa = if small == 0 {
        0
    } else {
        (((small >> 13) & 0x3ff) | 0x400) as i32
    };
    let small_mantissa = align(small_mantissa, 0, large_exponent - small_exponent);
    let same = (large ^ small) & SIGN == 0;
    let sum = large_mantissa + if same { small_mantissa } else { -small_mantissa };
    let exponent = match (adder.half && adder.wide, large_exponent) {
        (false, exponent) => exponent,
        (true, 0) => adder.empty_exponent(),
        (true, exponent) => exponent + 112,
    };
    let term = Term {
        sign: (large >> 31) as i32,
        exponent,
        mantissa: sum << 13,
    };
    match destination {
        Some(destination) => accumulate(term, ZERO, destination, adder),
        None => encode(term.mantissa as u32, term.exponent, term.sign as u32, adder),
    }
}

/// The significant bits of a value in SrcA that a phase multiplies: five.
#[inline(always)]
fn part_of_a(bits: u32, phase: u32) -> u32 {
    let mantissa = ((bits >> 13) & 0x3ff) | 0x400;
    if phase & 1 != 0 {
        (mantissa >> 1) & 31
    } else {
        mantissa >> 6
    }
}

/// Those of a value in SrcB: seven.
#[inline(always)]
fn part_of_b(bits: u32, phase: u32) -> u32 {
    let mantissa = ((bits >> 13) & 0x3ff) | 0x400;
    if phase & 2 != 0 {
        (mantissa & 15) << 3
    } else {
        mantissa >> 4
    }
}

/// What the exponent of a product of a phase is more than the sum of those of its factors.
#[inline(always)]
pub fn rebias(phase: u32, adder: Adder) -> i32 {
    let lowered = if phase & 1 != 0 { 5 } else { 0 } + if phase & 2 != 0 { 7 } else { 0 };
    match (adder.half, adder.wide) {
        (false, _) => -127 - lowered,
        (true, true) => adder.empty_exponent() - lowered,
        (true, false) => -15 - lowered,
    }
}

/// The product of one fidelity phase: bit 0 of `phase` selects the low bits of A, bit 1 those of B.
#[inline(always)]
pub fn product(a: u32, b: u32, phase: u32, adder: Adder) -> Term {
    let (part_a, part_b) = (part_of_a(a, phase), part_of_b(b, phase));
    let rebias = rebias(phase, adder);
    let exponent = ((a >> 23) & 255) as i32 + ((b >> 23) & 255) as i32 + rebias;
    let zero = a & EXPONENT == 0 || b & EXPONENT == 0;
    Term {
        sign: if zero { 0 } else { ((a ^ b) >> 31) as i32 },
        exponent: if zero { rebias.max(0) } else { exponent },
        mantissa: if zero { 0 } else { (part_a * part_b) as i32 },
    }
}

/// One phase of `ELWMUL`: `destination + a · b` with the bits that the phase multiplies.
#[inline(always)]
pub fn multiply_phase(a: u32, b: u32, destination: u32, phase: u32, adder: Adder) -> u32 {
    let p = product(a, b, phase, adder);
    let term = Term {
        mantissa: p.mantissa << 13,
        ..p
    };
    let term = if term.exponent <= 0 { ZERO } else { term };
    accumulate(term, ZERO, destination, adder)
}

/// The exponent of a factor that is zero: with any other, far below those of products that are not.
const NO_FACTOR: i16 = -8192;

/// What the phases multiply of some values: in 16 bits, of which a vector unit takes twice as many at a time.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Factors<const N: usize> {
    /// Biased; that of a product is the sum of both and the phase's [`rebias`]. Far below all others where the value is zero.
    pub exponents: [i16; N],
    /// All bits of each.
    pub signs: [i16; N],
    /// The high bits and the low ones, of which a phase takes [either](parts_of). Those of SrcB four times, so that a product has
    /// two more places.
    pub parts: [[i16; N]; 2],
}

impl<const N: usize> Factors<N> {
    /// None yet.
    pub const NONE: Factors<N> = Factors {
        exponents: [0; N],
        signs: [0; N],
        parts: [[0; N]; 2],
    };

    /// Of values in SrcA.
    #[inline(always)]
    pub fn of_a(values: &[u32; N]) -> Factors<N> {
        Factors::of(values, |bits| [part_of_a(bits, 0), part_of_a(bits, 1)])
    }

    /// Of values in SrcB.
    #[inline(always)]
    pub fn of_b(values: &[u32; N]) -> Factors<N> {
        Factors::of(values, |bits| [part_of_b(bits, 0) << 2, part_of_b(bits, 2) << 2])
    }

    #[inline(always)]
    fn of(values: &[u32; N], parts: impl Fn(u32) -> [u32; 2]) -> Factors<N> {
        let mut factors = Factors::NONE;
        for (i, &bits) in values.iter().enumerate() {
            let is_zero = bits & EXPONENT == 0;
            let [high, low] = parts(bits);
            factors.exponents[i] = if is_zero {
                NO_FACTOR
            } else {
                ((bits >> 23) & 255) as i16
            };
            factors.signs[i] = ((bits as i32) >> 31) as i16;
            factors.parts[0][i] = if is_zero { 0 } else { high as i16 };
            factors.parts[1][i] = if is_zero { 0 } else { low as i16 };
        }
        factors
    }
}

/// The parts of A and of B that a phase multiplies.
#[inline(always)]
fn parts_of(phase: u32) -> [usize; 2] {
    [(phase & 1) as usize, (phase >> 1) as usize]
}

/// One phase of `MVMUL` for 16 columns: `destination[c] + Σ_k b[k] · a[k][c]` over 16 values of k. The products of each half
/// are aligned to their largest exponent before they are summed.
#[inline(always)]
pub fn dot_phase(a: &[[u32; 16]; 16], b: &[u32; 16], destination: &mut [u32; 16], phase: u32, adder: Adder) {
    let mut lanes = [Factors::<16>::NONE; 16];
    for (to, row) in lanes.iter_mut().zip(a) {
        *to = Factors::of_a(row);
    }
    dot(&lanes, &Factors::of_b(b), destination, phase, adder);
}

/// The same for 16 rows at once, each against one column: `destination[r] + Σ_k b[k][r] · a[k]`.
#[inline(always)]
pub fn dot_phase_exchanged(b: &[[u32; 16]; 16], a: &[u32; 16], destination: &mut [u32; 16], phase: u32, adder: Adder) {
    let mut lanes = [Factors::<16>::NONE; 16];
    for (to, row) in lanes.iter_mut().zip(b) {
        *to = Factors::of_b(row);
    }
    let [of_a, of_b] = parts_of(phase);
    add_products(
        (&lanes, of_b),
        (&Factors::of_a(a), of_a),
        destination,
        rebias(phase, adder),
        adder,
    );
}

/// [`dot_phase`] of what is multiplied of some columns.
#[inline(always)]
pub fn dot<const N: usize>(
    a: &[Factors<N>; 16],
    b: &Factors<16>,
    destination: &mut [u32; N],
    phase: u32,
    adder: Adder,
) {
    let [of_a, of_b] = parts_of(phase);
    add_products((a, of_a), (b, of_b), destination, rebias(phase, adder), adder);
}

/// `destination[c] + Σ_k ones[k] · lanes[k][c]`, of one phase: one operand's factors in lanes, the other's the same for all, and of
/// either a part.
#[inline(always)]
fn add_products<const N: usize>(
    (lanes, of_lanes): (&[Factors<N>; 16], usize),
    (ones, of_ones): (&Factors<16>, usize),
    destination: &mut [u32; N],
    rebias: i32,
    adder: Adder,
) {
    // By half, lane by lane: exponents, and sums with their signs.
    let mut halves = [([0i32; N], [0i32; N]); 2];
    for (half, terms) in halves.iter_mut().enumerate() {
        let mut exponents = [[0i16; N]; 8];
        let mut largest = [i16::MIN; N];
        for (k, exponents) in exponents.iter_mut().enumerate() {
            let (lane, one) = (&lanes[half * 8 + k], ones.exponents[half * 8 + k]);
            for c in 0..N {
                exponents[c] = lane.exponents[c] + one;
                largest[c] = largest[c].max(exponents[c]);
            }
        }
        // Eight products of 12 bits.
        let mut sums = [0i16; N];
        for (k, exponents) in exponents.iter().enumerate() {
            let lane = &lanes[half * 8 + k];
            let (part, sign) = (ones.parts[of_ones][half * 8 + k], ones.signs[half * 8 + k]);
            for c in 0..N {
                // Of 14 bits 15 places leave nothing, and no vector unit has to choose.
                let by = (largest[c] - exponents[c]).min(15);
                let fourfold = (lane.parts[of_lanes][c] * part) as u16;
                let aligned = (((fourfold >> by) + 2) >> 2) as i16;
                let sign = lane.signs[c] ^ sign;
                sums[c] += (aligned ^ sign) - sign;
            }
        }
        for c in 0..N {
            // Where all are zeros, that of a product of zeros.
            let exponent = (i32::from(largest[c]) + rebias).max(rebias).max(0);
            terms.0[c] = exponent;
            terms.1[c] = if exponent > 0 { sums[c].into() } else { 0 };
        }
    }
    for (c, sum) in destination.iter_mut().enumerate() {
        let [first, second] = [0, 1].map(|half| Term {
            sign: (halves[half].1[c] < 0) as i32,
            exponent: halves[half].0[c],
            mantissa: halves[half].1[c].abs() << 13,
        });
        *sum = accumulate(first, second, *sum, adder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn adder(wide: bool) -> Adder {
        Adder {
            wide,
            half: false,
            loses_minus_one: false,
        }
    }

    fn value(bits: u32) -> f64 {
        f64::from(f32::from_bits(bits))
    }

    fn source(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let random = (*seed >> 33) as u32;
        let exponent = 120 + (random >> 8) % 14;
        ((random & 1) << 31) | (exponent << 23) | ((random & 0x7f) << 16)
    }

    #[test]
    fn sums_of_bf16_values_are_within_an_ulp_of_eleven_bits() {
        let mut seed = 1;
        for _ in 0..100_000 {
            let (a, b) = (source(&mut seed), source(&mut seed));
            let exact = value(a) + value(b);
            let wide = value(add(a, b, None, adder(true)));
            assert!(
                (wide - exact).abs() <= value(a).abs().max(value(b).abs()) / 1024.0,
                "{a:x} {b:x}"
            );
            let narrow = value(add(a, b, None, adder(false)));
            assert!(
                (narrow - exact).abs() <= exact.abs() / 256.0 + value(a).abs().max(value(b).abs()) / 1024.0,
                "{a:x} {b:x}"
            );
        }
    }

    #[test]
    fn the_four_phases_multiply_bf16_exactly_into_a_wide_destination() {
        let mut seed = 7;
        for _ in 0..100_000 {
            let (a, b) = (source(&mut seed), source(&mut seed));
            let result = (0..4).fold(0, |d, phase| multiply_phase(a, b, d, phase, adder(true)));
            assert_eq!(value(result), value(a) * value(b), "{a:x} {b:x}");
        }
    }

    #[test]
    fn phases_see_five_bits_of_a_and_seven_of_b() {
        let (a, b) = (1.992_187_5f32.to_bits(), 1.984_375f32.to_bits());
        let low = value(multiply_phase(a, b, 0, 0, adder(true)));
        assert_eq!(low, 1.9375 * 1.984_375);
    }

    /// `reference/patterns.md` section 6: what the chips gave.
    #[test]
    fn special_values_are_those_of_the_chips() {
        let (inf, ninf) = (f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits());
        let quiet = 0x7fc0_0000;
        for wide in [false, true] {
            assert_eq!(add(ninf, ninf, None, adder(wide)), ninf);
            assert_eq!(add(inf, ninf, None, adder(wide)), 0);
            assert_eq!(add(ninf, ninf ^ SIGN, None, adder(wide)), 0);
            assert!((value(add(quiet, ninf, None, adder(wide))) - 1.7e38).abs() < 1e36);
            assert!((value(add(3e38f32.to_bits() & 0xffff_0000, ninf, None, adder(wide))) + 4e37).abs() < 2e36);
            assert_eq!(add((-1e30f32).to_bits() & 0xffff_0000, ninf, None, adder(wide)), ninf);
            let mul = |a: u32, b: u32| (0..4).fold(0, |d, phase| multiply_phase(a, b, d, phase, adder(wide)));
            assert_eq!(mul(ninf, 0), 0);
            assert_eq!(mul(ninf, ninf), 0);
            assert_eq!(mul(inf, ninf), 0);
            assert_eq!(mul((-1e30f32).to_bits() & 0xffff_0000, ninf), 0);
            assert_eq!(mul(89f32.to_bits(), ninf), ninf);
            assert_eq!(mul(0x0000_0001, ninf), 0);
        }
    }

    /// Sixteen of the largest products, 31 · 127 = 3937, are sums of 15 bits that stand 13 bits above the destination's last;
    /// what the destination adds below the 24 bits that remain is rounded half away from zero.
    #[test]
    fn the_largest_sums_are_rounded_once() {
        let largest = 1.992_187_5f32.to_bits();
        let sum = (16 * 3937) << 13;
        for low in [0, 1, 15, 16, 17, 31, 32, 48] {
            let destination = (1u32 << 23 | low) as i32;
            let bits = (127 << 23) | low;
            let mut results = [bits; 16];
            dot_phase(&[[largest; 16]; 16], &[largest; 16], &mut results, 0, adder(true));
            let exact = sum + destination;
            let shift = exact.ilog2() - 23;
            let rounded = (exact + (1 << (shift - 1))) >> shift << shift;
            assert_eq!(value(results[0]), f64::from(rounded) / f64::from(1 << 23), "{low}");
        }
    }

    #[test]
    fn a_dot_of_small_integers_is_exact() {
        let mut a = [[0u32; 16]; 16];
        let mut b = [0u32; 16];
        for k in 0..16 {
            b[k] = ((k as f32) - 7.0).to_bits();
            for (c, value) in a[k].iter_mut().enumerate() {
                *value = (((k * 3 + c * 5) % 9) as f32 - 4.0).to_bits();
            }
        }
        let mut destination = [2f32.to_bits(); 16];
        for phase in 0..4 {
            dot_phase(&a, &b, &mut destination, phase, adder(true));
        }
        for c in 0..16 {
            let exact: f64 = (0..16).map(|k| value(a[k][c]) * value(b[k])).sum::<f64>() + 2.0;
            assert_eq!(value(destination[c]), exact);
        }
    }
}
