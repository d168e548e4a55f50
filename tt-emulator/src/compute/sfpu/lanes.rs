//! The lanes of a register of the vector unit, a face at a time, and its instructions but the multiply-add.
//!
//! A register of the device has 32 lanes; instructions do the same to each, so a whole face goes through at once. Lanes are
//! bit patterns: `f32`, two's complement and sign-magnitude integers share them. Conditions are lanes of all ones or zeros,
//! and what the device executes under a condition is a [`select`](Lanes::select) here. Source of the facts: the simulator
//! ttsim 1.10.0, `src/tensix.cpp`, `TENSIX_EXECUTE_SFP*`.

use std::mem::MaybeUninit;

use super::Face;
use crate::compute::rounding::{flush_keeping_sign, to_bf16_even};
use crate::compute::tile::FACE;
use crate::compute::vector::vectorised;

/// Lanes of a face.
#[derive(Clone)]
#[repr(transparent)]
pub struct Lanes(pub [u32; FACE]);

/// How a store takes lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stores {
    /// As real numbers: denormals become zeros of their sign.
    Reals,
    /// As bits: by the integer modes of the store, or into some lanes only, so that the others keep what they held.
    Bits,
}

/// Where the lanes of a number may be written.
pub type Room = MaybeUninit<Lanes>;

/// Where lanes are written one by one.
pub type Space = [MaybeUninit<u32>; FACE];

/// What an instruction reads: lanes, or a number in every lane.
pub trait Operand {
    /// Its lanes, those of a number written where there is room.
    fn lanes<'lanes>(&'lanes self, room: &'lanes mut Room) -> &'lanes Lanes;
}

impl Operand for &Lanes {
    fn lanes<'lanes>(&'lanes self, _: &'lanes mut Room) -> &'lanes Lanes {
        self
    }
}

impl Operand for Lanes {
    fn lanes<'lanes>(&'lanes self, _: &'lanes mut Room) -> &'lanes Lanes {
        self
    }
}

/// A number that every lane may hold.
pub trait Number {
    /// Its pattern.
    fn pattern(self) -> u32;
}

macro_rules! numbers {
    ($($number:ident($value:ident) = $pattern:expr;)*) => {
        $(
            impl Number for $number {
                #[inline(always)]
                fn pattern(self) -> u32 {
                    let $value = self;
                    $pattern
                }
            }

            impl Operand for $number {
                #[inline(always)]
                fn lanes<'lanes>(&'lanes self, room: &'lanes mut Room) -> &'lanes Lanes {
                    room.write(Lanes([self.pattern(); FACE]))
                }
            }
        )*
    };
}

numbers! {
    f32(value) = value.to_bits();
    i32(value) = value as u32;
    u32(value) = value;
}

/// Sign and magnitude as a two's complement order.
#[inline(always)]
fn order(bits: u32) -> i32 {
    (bits ^ (((bits as i32 >> 31) as u32) >> 1)) as i32
}

#[inline(always)]
fn mask(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

/// Shifts left by a positive distance, right by a negative one; five bits of it count.
#[inline(always)]
fn shift(bits: u32, distance: i32) -> u32 {
    if distance >= 0 {
        bits << (distance & 31)
    } else {
        bits >> (distance.wrapping_neg() & 31)
    }
}

/// The nearest bf16, halves away from zero; denormals become +0 and NaNs infinities.
#[inline(always)]
fn bf16(bits: u32) -> u32 {
    let exponent = bits & 0x7f80_0000;
    let rounded = bits.wrapping_add(0x8000) & 0xffff_0000;
    let rounded = if exponent == 0x7f80_0000 {
        bits & 0xff80_0000
    } else {
        rounded
    };
    if exponent == 0 { 0 } else { rounded }
}

/// The nearest integer as sign and magnitude, halves away from zero, no larger than `limit`.
#[inline(always)]
fn integer(bits: u32, limit: u32, signed: bool) -> u32 {
    let sign = if signed { bits & 0x8000_0000 } else { 0 };
    let exponent = ((bits >> 23) & 255) as i32 - 127;
    let mantissa = (bits & 0x7f_ffff) | 0x80_0000;
    let distance = exponent.clamp(-1, 15);
    // 2^-1 of a unit is kept below the integer.
    let doubled = mantissa >> (22 - distance);
    let magnitude = (doubled + 1) >> 1;
    let magnitude = if (magnitude > limit) | (exponent >= 16) {
        limit
    } else {
        magnitude
    };
    if (exponent < -1) | (magnitude == 0) {
        0
    } else {
        sign | magnitude
    }
}

/// A sign-magnitude integer as the nearest `f32`, halves to even.
#[inline(always)]
fn real(bits: u32) -> u32 {
    (bits & 0x8000_0000) | ((bits & 0x7fff_ffff) as i32 as f32).to_bits()
}

/// Seven bits of a reciprocal's mantissa by the seven leading bits of the argument's: `⌊2^15 / (128 + i + ½) − 127.5⌉`.
const RECIPROCAL: [u8; 128] = reciprocal_table();

const fn reciprocal_table() -> [u8; 128] {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        // 2^15 / (128 + i + 1/2) = 2^16 / (257 + 2 i), rounded to nearest, less 128.
        let divisor = 257 + 2 * i as u32;
        table[i] = ((65_536 + divisor / 2) / divisor - 128) as u8;
        i += 1;
    }
    table
}

#[inline(always)]
fn approximate_reciprocal(bits: u32) -> u32 {
    let magnitude = bits & 0x7fff_ffff;
    let exponent = magnitude >> 23;
    let mantissa = u32::from(RECIPROCAL[((magnitude >> 16) & 127) as usize]) << 16;
    let normal = (253u32.wrapping_sub(exponent) << 23) | mantissa;
    let value = if magnitude < 0x7e80_0000 { normal } else { 0 };
    (bits & 0x8000_0000) | if exponent == 0 { 0x7f80_0000 } else { value }
}

macro_rules! instructions {
    ($($(#[$meta:meta])* $name:ident($first:ident $(, $more:ident)* $(; $($given:ident: $type:ty),+)?) = $body:expr;)*) => {
        impl Lanes {
            $(
                $(#[$meta])*
                pub fn $name(&self $(, $more: impl Operand)* $($(, $given: $type)+)?) -> Lanes {
                    vectorised! {
                        // A call of its own, which writes where the result goes: behind several it would be copied there.
                        #[inline(never)]
                        fn each($first: &[u32; FACE] $(, $more: &[u32; FACE])* $($(, $given: $type)+)?, out: &mut Space) {
                            for i in 0..FACE {
                                let $first = $first[i];
                                $(let $more = $more[i];)*
                                out[i].write($body);
                            }
                        }
                    }
                    // SAFETY: every lane is written.
                    unsafe { Lanes::written(|out| each(&self.0 $(, &$more.lanes(&mut Room::uninit()).0)* $($(, $given)+)?, out)) }
                }
            )*
        }
    };
}

instructions! {
    /// `self` where the condition holds, else `other`.
    select(yes, condition, other) = (yes & condition) | (other & !condition);
    /// Bitwise and.
    and(a, b) = a & b;
    /// Bitwise or.
    or(a, b) = a | b;
    /// Bitwise exclusive or.
    xor(a, b) = a ^ b;
    /// Denormals become zeros of their sign, as a store of real numbers makes them.
    flushed(a) = flush_keeping_sign(a);
    /// All bits turned.
    not(a) = !a;
    /// Integer sum.
    iadd(a, b) = a.wrapping_add(b);
    /// Integer difference.
    isub(a, b) = a.wrapping_sub(b);
    /// Shifted left by a positive distance, right by a negative one, zeros shifted in.
    shift(a, distance) = shift(a, distance as i32);
    /// The sign turned.
    neg(a) = a ^ 0x8000_0000;
    /// The sign cleared, except of negative NaNs.
    abs(a) = if a <= 0xff80_0000 { a & 0x7fff_ffff } else { a };
    /// Magnitude of a two's complement integer.
    iabs(a) = (a as i32).wrapping_abs() as u32;
    /// With this sign bit.
    set_sign(a; negative: bool) = (a & 0x7fff_ffff) | if negative { 0x8000_0000 } else { 0 };
    /// With the sign of another.
    copy_sign(a, sign) = (a & 0x7fff_ffff) | (sign & 0x8000_0000);
    /// The exponent without its bias.
    exponent(a) = ((a >> 23) & 255).wrapping_sub(127);
    /// The exponent with its bias.
    biased_exponent(a) = (a >> 23) & 255;
    /// With an exponent, eight bits of an integer.
    set_exponent(a, exponent) = (a & 0x807f_ffff) | ((exponent & 255) << 23);
    /// With the exponent of another.
    copy_exponent(a, from) = (a & 0x807f_ffff) | (from & 0x7f80_0000);
    /// The exponent plus an integer, wrapping, except of infinities and NaNs.
    add_to_exponent(a; amount: i32) = {
        let exponent = (a >> 23) & 255;
        let moved = exponent.wrapping_add(amount as u32) & 255;
        (a & 0x807f_ffff) | ((if exponent == 255 { exponent } else { moved }) << 23)
    };
    /// The mantissa with its implicit bit.
    mantissa(a) = (a & 0x7f_ffff) | 0x80_0000;
    /// The mantissa without its implicit bit.
    fraction(a) = a & 0x7f_ffff;
    /// With the mantissa of another.
    set_mantissa(a, from) = (a & 0xff80_0000) | (from & 0x7f_ffff);
    /// The nearest bf16 by the conversion instruction, halves away from zero.
    to_bf16(a) = bf16(a);
    /// The nearest bf16, halves to even, by integer arithmetic.
    to_bf16_even(a) = to_bf16_even(a);
    /// The nearest integer of 16 bits and a sign, as sign and magnitude.
    to_signed_16(a) = integer(a, 32_767, true);
    /// The nearest integer of 8 bits with a sign, as sign and magnitude.
    to_signed_8(a) = integer(a, 127, true);
    /// The nearest integer of 16 bits.
    to_unsigned_16(a) = integer(a, 65_535, false);
    /// The nearest integer of 8 bits.
    to_unsigned_8(a) = integer(a, 255, false);
    /// A sign-magnitude integer as `f32`.
    to_real(a) = real(a);
    /// Blackhole's table of reciprocals.
    approximate_reciprocal(a) = approximate_reciprocal(a);
    /// The smaller in sign-and-magnitude order.
    min(a, b) = if order(a) < order(b) { a } else { b };
    /// The larger in sign-and-magnitude order.
    max(a, b) = if order(a) > order(b) { a } else { b };
    /// Sign bit set.
    negative(a) = (a as i32 >> 31) as u32;
    /// Sign bit clear.
    non_negative(a) = !(a as i32 >> 31) as u32;
    /// All bits zero: of real numbers, +0 alone.
    is_zero(a) = mask(a == 0);
    /// Any bit set.
    is_nonzero(a) = mask(a != 0);
    /// Greater in sign-and-magnitude order.
    above(a, b) = mask(order(a) > order(b));
    /// Integer comparison, by the sign of the difference.
    iless(a, b) = ((a.wrapping_sub(b) as i32) >> 31) as u32;
    /// Same bits.
    same(a, b) = mask(a == b);
}

impl Lanes {
    /// Zero in every lane.
    pub const ZERO: Lanes = Lanes([0; FACE]);

    /// The same in every lane.
    #[inline(always)]
    pub fn all(value: impl Number) -> Lanes {
        Lanes([value.pattern(); FACE])
    }

    /// Lanes that are written one by one.
    ///
    /// # Safety
    /// `write` writes every one.
    #[inline(always)]
    pub unsafe fn written(write: impl FnOnce(&mut Space)) -> Lanes {
        let mut lanes = Room::uninit();
        // SAFETY: lanes are an array of as many words; where each may be written, they all may.
        write(unsafe { &mut *lanes.as_mut_ptr().cast::<Space>() });
        // SAFETY: as who calls says.
        unsafe { lanes.assume_init() }
    }

    /// The lanes of a face of a register, where they are.
    pub fn of(face: &Face) -> &Lanes {
        // SAFETY: lanes are an array of as many words as a face has numbers, of the same size and alignment; every pattern is one.
        unsafe { &*std::ptr::from_ref(face).cast::<Lanes>() }
    }

    /// As a store leaves them in a register of 32 or 16 bits.
    pub fn store(&self, stores: Stores, wide: bool, face: &mut Face) {
        vectorised! {
            fn reals(lanes: &[u32; FACE], kept: u32, face: &mut Face) {
                for (value, bits) in face.iter_mut().zip(lanes) {
                    *value = f32::from_bits(flush_keeping_sign(*bits) & kept);
                }
            }
        }
        vectorised! {
            fn bits(lanes: &[u32; FACE], kept: u32, face: &mut Face) {
                for (value, bits) in face.iter_mut().zip(lanes) {
                    *value = f32::from_bits(bits & kept);
                }
            }
        }
        let kept = if wide { u32::MAX } else { 0xffff_0000 };
        match stores {
            Stores::Reals => reals(&self.0, kept, face),
            Stores::Bits => bits(&self.0, kept, face),
        }
    }
}
