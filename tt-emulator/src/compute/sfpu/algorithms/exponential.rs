//! Powers of e and of 2.
//!
//! 16-bit registers take `exp_21f` (Moroz et al. 2022): the integer part of a scaled argument becomes the exponent, a
//! parabola of the fractional part the mantissa. 32-bit ones take a Cody-Waite reduction and a polynomial. The approximate
//! form is Schraudolph's: a linear function of the argument read as a bit pattern.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::multiply_add::{GROUP, multiply_add};
use crate::compute::sfpu::unit::Unit;
use crate::compute::tile::FACE;
use crate::compute::vector::vectorised;

const INVERSE_LN_2: f32 = 1.442_695;
/// −ln 2 in two parts; the first has 15 bits.
const LN_2_HIGH: f32 = -0.693_145_75;
const LN_2_LOW: f32 = -1.428_606_8e-6;
/// (e^f − 1) / f.
const SERIES: [f32; 6] = [
    1.0,
    0.499_999_85,
    0.166_664_72,
    0.041_669_536,
    0.008_373_124_5,
    0.001_378_059_4,
];
const PARABOLA: [f32; 3] = [1.001_724_8, 7.839_635_4e-8, 4.791_75e-15];
/// The parabola's constant where an instruction loads it as fp16.
const CONSTANT_FP16: f32 = 1.001_953_1;

/// 2^(scaled − 127), for arguments of `exp_21f` between 0 and 255.
pub fn power_of_two(unit: &Unit, scaled: &Lanes, parabola: [f32; 3]) -> Lanes {
    let fixed = scaled.mantissa().shift(scaled.exponent());
    let fraction = fixed.fraction().to_real();
    unit.polynomial(&fraction, parabola).copy_exponent(&fixed)
}

/// `exp_21f` before it is rounded.
pub fn exp_21f(unit: &Unit, x: &Lanes) -> Lanes {
    let scaled = unit.mad(x, INVERSE_LN_2, 127.0).max(0.0).min(255.0);
    power_of_two(unit, &scaled, PARABOLA)
}

/// As `exp_tile` has it for 16-bit registers.
fn exp_narrow(unit: &Unit, x: &Lanes, clamp: bool) -> Lanes {
    let parabola = [CONSTANT_FP16, PARABOLA[1], PARABOLA[2]];
    let scaled = unit.mad(x, INVERSE_LN_2, 127.0);
    if unit.is_blackhole() {
        let scaled = scaled.min(255.0);
        let fixed = scaled.mantissa().shift(scaled.exponent());
        let fraction = fixed.fraction().to_real();
        let fixed = fixed.and(scaled.above(0.0));
        return unit.polynomial(&fraction, parabola).copy_exponent(fixed).to_bf16();
    }
    let scaled = if clamp { scaled.max(0.0) } else { scaled };
    power_of_two(unit, &scaled.min(255.0), parabola).to_bf16()
}

/// e^x for 32-bit registers, whatever the registers are.
pub fn exp_accurate(unit: &Unit, x: &Lanes) -> Lanes {
    let mut out = Lanes::ZERO;
    if !exp_certain(unit.is_blackhole(), x, &mut out) {
        out = exp_by_steps(unit, x);
    }
    out
}

/// The instructions of [`exp_accurate`], one by one.
fn exp_by_steps(unit: &Unit, x: &Lanes) -> Lanes {
    let (y, r, i) = exp_parts(unit, x);
    let e = r.biased_exponent().iadd(&i);
    let scaled = r.set_exponent(&e);
    if unit.is_blackhole() {
        let overflow = unit.mul(y, f32::INFINITY);
        let value = Lanes::ZERO.select(e.iless(1), scaled);
        value.select(e.iless(255), overflow)
    } else {
        // A NaN less one bit is an infinity, which zero makes a NaN again.
        let underflow = unit.mul(y.iadd(-1), 0.0);
        let overflow = unit.add(&underflow, f32::INFINITY);
        let large = scaled.select(e.iless(255), overflow);
        underflow.select(e.iless(1), large)
    }
}

/// [`exp_accurate`] with the arithmetic of the machine, and whether that is certain of every lane: it is unless one is no number.
///
/// Step by step, with |f| ≤ 0.35 and all steps but one as IEEE rounds them (`multiply_add.rs` says when that is so): the first
/// product adds nothing; `j · −0.693…` has at most 22 bits and differs from x by a factor below 4, so that both terms are aligned
/// without loss; and in the polynomial the constant's exponent is larger by at least two than the product's. Only of the second
/// product with j is that not known: where its sum is not far above it, it is computed bit by bit.
fn exp_certain(blackhole: bool, x: &Lanes, out: &mut Lanes) -> bool {
    vectorised! {
        fn on_wormhole(x: &[u32; FACE], out: &mut [u32; FACE]) -> bool {
            exp_of_face::<false>(x, out)
        }
    }
    vectorised! {
        fn on_blackhole(x: &[u32; FACE], out: &mut [u32; FACE]) -> bool {
            exp_of_face::<true>(x, out)
        }
    }
    let work = if blackhole { on_blackhole } else { on_wormhole };
    work(&x.0, &mut out.0)
}

#[inline(always)]
fn exp_of_face<const BLACKHOLE: bool>(x: &[u32; FACE], out: &mut [u32; FACE]) -> bool {
    const LARGE: f32 = 150.0;
    let mut numbers = true;
    for (x, out) in x.as_chunks::<GROUP>().0.iter().zip(out.as_chunks_mut::<GROUP>().0) {
        let (mut whole, mut rest, mut reduced) = ([0.0f32; GROUP], [0.0f32; GROUP], [0.0f32; GROUP]);
        let mut doubtful = false;
        for i in 0..GROUP {
            let x = f32::from_bits(x[i]);
            numbers &= !x.is_nan();
            let scaled = x * INVERSE_LN_2;
            let below = scaled.trunc();
            // Halves away from zero.
            let one = if (scaled - below).abs() >= 0.5 {
                1f32.copysign(scaled)
            } else {
                0.0
            };
            whole[i] = below + one;
            rest[i] = whole[i].mul_add(LN_2_HIGH, x);
            reduced[i] = whole[i].mul_add(LN_2_LOW, rest[i]);
            doubtful |= (rest[i].abs() < 16.0 * (whole[i] * LN_2_LOW).abs()) & (x.abs() < LARGE);
        }
        if doubtful {
            for i in 0..GROUP {
                let [j, low, f] = [whole[i], LN_2_LOW, rest[i]].map(f32::to_bits);
                reduced[i] = f32::from_bits(multiply_add::<BLACKHOLE>(j, low, f));
            }
        }
        for i in 0..GROUP {
            let f = reduced[i];
            let mut y = SERIES[SERIES.len() - 1];
            for coefficient in SERIES[..SERIES.len() - 1].iter().rev() {
                y = f.mul_add(y, *coefficient);
            }
            let r = y.mul_add(f, 1.0).to_bits();
            // The whole number in the low bits, by the rounding of the sum.
            let j = (whole[i] + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32;
            let e = ((r >> 23) & 255) as i32 + j;
            let value = (r & 0x807f_ffff) | ((e as u32 & 255) << 23);
            let x = f32::from_bits(x[i]);
            let large = (e >= 255) | (x >= LARGE);
            let small = (e < 1) & (x < LARGE) | (x <= -LARGE);
            let value = if large { f32::INFINITY.to_bits() } else { value };
            out[i] = if small { 0 } else { value };
        }
    }
    numbers
}

/// e^x for arguments that neither over- nor underflow.
pub fn exp_in_range(unit: &Unit, x: &Lanes) -> Lanes {
    let (_, r, i) = exp_parts(unit, x);
    r.set_exponent(r.biased_exponent().iadd(i))
}

/// x less the nearest multiple k of ln 2; and k + [`ROUND`], whose last bits are those of k.
fn reduced(unit: &Unit, x: &Lanes) -> (Lanes, Lanes) {
    let sum = unit.mad(x, INVERSE_LN_2, ROUND);
    let k = unit.sub(&sum, ROUND);
    let r = unit.mad(&k, -0.693_115_23, x);
    (unit.mad(&k, -3.194_618_3e-5, r), sum)
}

/// e^x for x below zero: where it underflows, zero.
pub fn exp_of_negative(unit: &Unit, x: &Lanes) -> Lanes {
    let (r, sum) = reduced(unit, x);
    let series = [
        1.0,
        1.0,
        0.5,
        0.166_666_67,
        0.041_666_668,
        0.008_333_334,
        0.001_388_888_9,
        1.984_127e-4,
    ];
    let power = unit.polynomial(&r, series);
    let exponent = power.biased_exponent().iadd(sum.isub(ROUND.to_bits()));
    Lanes::ZERO.select(exponent.iless(1), power.set_exponent(&exponent))
}

/// `exp_21f` of arguments that neither over- nor underflow, rounded.
pub fn exp_21f_in_range(unit: &Unit, x: &Lanes) -> Lanes {
    power_of_two(unit, &unit.mad(x, INVERSE_LN_2, 127.0), PARABOLA).to_bf16()
}

/// The polynomial before its last step and after it, and the exponent to add.
fn exp_parts(unit: &Unit, x: &Lanes) -> (Lanes, Lanes, Lanes) {
    let whole = unit.mul(INVERSE_LN_2, x).to_signed_16();
    let j = whole.to_real();
    let f = unit.mad(&j, LN_2_HIGH, x);
    let f = unit.mad(&j, LN_2_LOW, f);
    let y = unit.polynomial(&f, SERIES);
    let r = unit.mad(&y, &f, 1.0);
    (y, r, two_complement(&whole, &j))
}

/// A sign-magnitude integer with the sign of a real number, in two's complement.
fn two_complement(whole: &Lanes, sign: &Lanes) -> Lanes {
    whole.iabs().copy_sign(sign)
}

/// e^x as other functions take it, for the width of the registers.
pub fn exp_for_width(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        exp_accurate(unit, x)
    } else {
        exp_21f(unit, x)
    }
}

/// e^(x · scale). The accurate one is told by its second parameter not to clamp, the approximate one by its variant.
pub fn exp(unit: &Unit, x: &Lanes) -> Lanes {
    const APPROXIMATE: u32 = 1;
    const UNCLAMPED: u32 = 2;
    if unit.variant & APPROXIMATE != 0 {
        return schraudolph(unit, x, unit.variant & UNCLAMPED == 0);
    }
    let clamp = unit.words[1] == 0;
    let scaled = if unit.words[0] == 1f32.to_bits() {
        None
    } else {
        Some(unit.mul(x, unit.real(0)))
    };
    let x = scaled.as_ref().unwrap_or(x);
    if unit.wide {
        exp_accurate(unit, x)
    } else {
        exp_narrow(unit, x, clamp)
    }
}

fn schraudolph(unit: &Unit, x: &Lanes, clamp: bool) -> Lanes {
    const SLOPE: f32 = 369.329_93;
    const OFFSET: f32 = 32_500.818;
    let (slope, threshold) = (SLOPE * unit.real(0), -88.5 / unit.real(0));
    if clamp {
        return unit.mad(slope, x.max(threshold), OFFSET).to_unsigned_16().shift(15);
    }
    let line = unit.mad(slope, x, OFFSET).to_signed_16();
    line.shift(15).copy_sign(line)
}

/// 2^x.
pub fn exp2(unit: &Unit, x: &Lanes) -> Lanes {
    if !unit.wide {
        let scaled = unit.add(x, 127.0).max(0.0).min(255.0);
        return power_of_two(unit, &scaled, PARABOLA).to_bf16();
    }
    let whole = x.to_signed_16();
    let j = whole.to_real();
    let f = unit.sub(x, &j);
    let y = unit.polynomial(
        &f,
        [
            f32::from_bits(0x3d63_57ec),
            f32::from_bits(0x3c1d_a000),
            f32::from_bits(0x3aaf_a000),
            f32::from_bits(0x3920_e000),
        ],
    );
    let r = unit.mad(&y, &f, f32::from_bits(0x3e75_fdd0));
    let r = unit.mad(r, &f, f32::from_bits(0x3f31_7217));
    let r = unit.mad(r, &f, 1.0);
    let overflow = unit.mul(y, f32::INFINITY);
    let e = r.biased_exponent().iadd(two_complement(&whole, &j));
    let value = Lanes::ZERO.select(e.iless(1), r.set_exponent(&e));
    let value = value.select(e.iless(255), &overflow);
    value.select(x.abs().non_negative(), overflow)
}

/// e^x − 1.
pub fn expm1(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        expm1_wide(unit, x)
    } else {
        expm1_narrow(unit, x).to_bf16()
    }
}

/// 1.5 · 2^23: added and subtracted, it rounds to an integer.
const ROUND: f32 = 1.258_291_2e+7;
/// The bits of 1/2.
pub const HALF: u32 = 0x3f00_0000;

/// Half of 2^j in bits, from j still in the rounding sum's low bits.
fn half_power(rounding_sum: &Lanes) -> Lanes {
    rounding_sum.shift(23).iadd(HALF)
}

/// What `expm1` is where 2^j is out of reach: ±∞ or −1/2, doubled afterwards.
fn expm1_tail(unit: &Unit, less_two: &Lanes, value: Lanes) -> Lanes {
    let far = less_two.abs().to_signed_8().iless(127).not();
    let tail = unit.mul(less_two, f32::INFINITY);
    let tail = Lanes::all(-0.5).select(less_two.negative(), tail);
    tail.select(far, value)
}

fn expm1_narrow(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.mad(INVERSE_LN_2, x, ROUND);
    let j = unit.sub(&sum, ROUND);
    let f = unit.mad(&j, -0.693_147_2, x);
    let r = unit.polynomial(&f, [0.5, 0.166_625_98, 0.041_778_564, 0.008_361_816]);
    let r = unit.mad(r, unit.mul(&f, &f), &f);
    let less_two = unit.add(&j, -2.0);
    let scale = half_power(&sum);
    let scaled = unit.mad(&scale, &r, unit.sub(&scale, 0.5));
    let scaled = unit.mul(expm1_tail(unit, &less_two, scaled), 2.0);
    scaled.select(j.is_nonzero(), r)
}

fn expm1_wide(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.mad(INVERSE_LN_2, x, ROUND);
    let j = unit.sub(&sum, ROUND);
    let f = unit.mad(&j, -0.693_145_75, x);
    let f = unit.mad(&j, -1.428_606_8e-6, f);
    let s = unit.mul(&f, &f);
    let below_half = f32::from_bits(HALF - 1);
    let r = unit.polynomial(
        &f,
        [
            below_half,
            0.166_666_72,
            0.041_666_802,
            0.008_333_44,
            0.001_393_107_9,
            1.974_105_8e-4,
        ],
    );
    let less_one = unit.add(&j, -1.0);
    let u = unit.add(&f, 0.5).select(less_one.is_zero(), &f);
    let r = unit.mad(r, s, u);

    let t = half_power(&sum);
    let y = unit.sub(&t, 0.5);
    let rest = unit.sub(unit.sub(&t, &y), 0.5);
    let less_two = unit.add(&less_one, -1.0);
    let scaled = unit.add(unit.mad(&r, t, rest), y);
    let scaled = expm1_tail(unit, &less_two, scaled).select(less_one.is_nonzero(), &r);
    unit.mul(scaled, 2.0).select(j.is_nonzero(), r)
}

/// e^x − 1 for x above −87, as the exponential units take it.
pub fn expm1_clamped(unit: &Unit, x: &Lanes) -> Lanes {
    let (r, sum) = reduced(unit, &x.max(-87.0));
    let h = if unit.input_f32 {
        let longer = [1.0, 0.5, 0.166_665_05, 0.041_666_24, 0.008_369_151, 0.001_394_858_3];
        unit.polynomial(&r, longer)
    } else {
        unit.polynomial(&r, [1.0, 0.499_993_7, 0.166_664_33, 0.041_875_664, 0.008_375_131_5])
    };
    let h = unit.mul(r, h);
    let power = Lanes::all(1.0).set_exponent(sum.isub(ROUND.to_bits() - 127));
    unit.mad(&power, h, unit.sub(&power, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchName;

    /// Every argument with `TT_EVERY_ARGUMENT`; else one in 1021, which takes a second.
    #[test]
    fn the_exponential_of_the_machine_is_that_of_the_steps() {
        let step = if std::env::var_os("TT_EVERY_ARGUMENT").is_some() {
            1
        } else {
            1021
        };
        for chip in [ArchName::WormholeB0, ArchName::Blackhole] {
            let unit = Unit {
                chip,
                wide: true,
                approximate: false,
                input_f32: false,
                variant: 0,
                words: [0; 3],
            };
            let mut arguments = (0..=u32::MAX)
                .step_by(step)
                .filter(|bits| !f32::from_bits(*bits).is_nan());
            loop {
                let mut x = Lanes::ZERO;
                let filled = x.0.iter_mut().zip(&mut arguments).map(|(x, bits)| *x = bits).count();
                if filled == 0 {
                    break;
                }
                let steps = exp_by_steps(&unit, &x);
                let machine = exp_accurate(&unit, &x);
                for ((x, machine), steps) in x.0.iter().zip(machine.0).zip(steps.0) {
                    assert_eq!(machine, steps, "e to the power of {x:#x} on {chip:?}");
                }
            }
        }
    }
}
