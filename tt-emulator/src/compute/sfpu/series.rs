//! Polynomials by Horner's rule, whose steps are multiply-adds with a constant.
//!
//! A step is computed with the fused operation of the machine where the product lies between −1/2 and 1 of the constant; then the unit
//! gives the same. The constant has the larger exponent, so that it is aligned without loss; the sum is not shifted left by more than one
//! place, nor does it carry twice; so the lowest bit, which collects what the product loses, only decides the rounding. A product too
//! small to leave a trace changes nothing by IEEE either. The sums stay in the registers of the machine from step to step. Groups of
//! lanes in which a product is larger are computed step by step.

use super::lanes::{Lanes, Space};
use super::multiply_add::{GROUP, LARGE, SMALL, multiply_add};
use crate::compute::tile::FACE;
use crate::compute::vector::vectorised;

/// The polynomial of these coefficients, the constant one first.
///
/// # Panics
/// Where there is none.
pub fn series(blackhole: bool, x: &Lanes, coefficients: &[f32]) -> Lanes {
    let steps = if blackhole {
        by_steps_on_blackhole
    } else {
        by_steps_on_wormhole
    };
    let is_plain = |coefficient: &f32| (SMALL..=LARGE).contains(&coefficient.abs());
    let tried = coefficients.iter().all(is_plain);
    // SAFETY: every lane is written.
    unsafe {
        Lanes::written(|out| {
            let doubtful = if tried {
                quick(&x.0, coefficients, out)
            } else {
                u32::MAX
            };
            if doubtful != 0 {
                steps(&x.0, coefficients, doubtful, out);
            }
        })
    }
}

vectorised! {
    /// By fused operations of the machine; gives a bit for each group of lanes in which the unit might give something else.
    fn quick(x: &[u32; FACE], coefficients: &[f32], out: &mut Space) -> u32 {
        let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
        let mut doubtful = 0;
        for (group, (x, out)) in x.as_chunks::<GROUP>().0.iter().zip(out.as_chunks_mut::<GROUP>().0).enumerate() {
            let x = x.map(f32::from_bits);
            let mut sum = [*last; GROUP];
            let mut outside = [0; GROUP];
            for coefficient in rest.iter().rev() {
                // Between −1/2 and 1 is less than 3/4 from 1/4, with room for the rounding.
                let (middle, limit) = (coefficient * -0.25, coefficient.abs() * 0.749);
                for i in 0..GROUP {
                    let is_inside = x[i].mul_add(sum[i], middle).abs() <= limit;
                    outside[i] |= u32::from(!is_inside);
                    sum[i] = x[i].mul_add(sum[i], *coefficient);
                }
            }
            for i in 0..GROUP {
                out[i].write(sum[i].to_bits());
            }
            let is_outside = outside.iter().fold(0, |any, outside| any | outside);
            doubtful |= is_outside << group;
        }
        doubtful
    }
}

/// The steps one by one, in those groups of lanes that have their bit set.
macro_rules! by_steps {
    ($name:ident, $blackhole:literal) => {
        vectorised! {
            fn $name(x: &[u32; FACE], coefficients: &[f32], groups: u32, out: &mut Space) {
                let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
                for (group, (x, out)) in x.as_chunks::<GROUP>().0.iter().zip(out.as_chunks_mut::<GROUP>().0).enumerate() {
                    if groups & 1 << group == 0 {
                        continue;
                    }
                    let mut sum = [last.to_bits(); GROUP];
                    for coefficient in rest.iter().rev() {
                        for i in 0..GROUP {
                            sum[i] = multiply_add::<$blackhole>(x[i], sum[i], coefficient.to_bits());
                        }
                    }
                    for i in 0..GROUP {
                        out[i].write(sum[i]);
                    }
                }
            }
        }
    };
}

by_steps!(by_steps_on_wormhole, false);
by_steps!(by_steps_on_blackhole, true);

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all kinds among those near 1, and coefficients near each other.
    #[test]
    fn polynomials_of_the_machine_are_those_of_the_steps() {
        let mut state = 9u64;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let near =
            |bits: u32, exponent: u32, spread: u32| bits & 0x807f_ffff | (exponent + (bits >> 24 & spread)) << 23;
        let mut quick_groups = 0;
        for round in 0..40_000 {
            let coefficients: [f32; 6] = std::array::from_fn(|_| f32::from_bits(near(next(), 124, 3)));
            let x = Lanes(std::array::from_fn(|i| match (i / GROUP, next()) {
                (0, bits) => bits,
                (1, bits) => near(bits, 0, 3),
                (2, bits) => near(bits, 252, 3),
                (3, bits) => near(bits, 96, 15) & 0xffff_0000,
                (group, bits) => near(bits, 127 - group as u32, 1),
            }));
            let doubtful = quick(&x.0, &coefficients, &mut [std::mem::MaybeUninit::uninit(); FACE]);
            quick_groups += (FACE / GROUP) as u32 - doubtful.count_ones();
            for blackhole in [false, true] {
                let found = series(blackhole, &x, &coefficients);
                for (x, found) in x.0.iter().zip(found.0) {
                    let step = |sum: u32, coefficient: &f32| match blackhole {
                        true => multiply_add::<true>(*x, sum, coefficient.to_bits()),
                        false => multiply_add::<false>(*x, sum, coefficient.to_bits()),
                    };
                    let steps = coefficients[..5].iter().rev().fold(coefficients[5].to_bits(), step);
                    assert_eq!(found, steps, "{x:#x} in {coefficients:?}, round {round}");
                }
            }
        }
        assert!(quick_groups > 40_000, "{quick_groups}");
    }
}
