//! The matrix engine on integers of 8 bits: exact products and sums into 32-bit destination registers, which saturate.
//!
//! Sources and registers hold sign and magnitude. The multipliers take the bits in the same phases as those of numbers: of
//! SrcA the upper three of eight bits, then the lower five; of SrcB the upper six of ten, then the lower four. Source: the
//! public chip simulator's description of `ELWADD`, `ELWMUL` and `MVMUL` with integer math enabled.

use super::eltwise::{Binary, Onto};
use crate::compute::rounding::SIGN;
use crate::compute::tile::{Tile, position};

/// The value of sign and magnitude.
fn value(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN) as i32;
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

fn pattern(value: i32) -> f32 {
    let sign = if value < 0 { SIGN } else { 0 };
    f32::from_bits(sign | value.unsigned_abs())
}

/// A sum that stays within what sign and magnitude can hold.
fn saturating_add(a: i32, b: i32) -> i32 {
    a.saturating_add(b).max(-i32::MAX)
}

fn part(bits: u32, mask: u32) -> i32 {
    value(bits & (SIGN | mask))
}

fn parts(a: u32, b: u32, phase: u32) -> (i32, i32) {
    let a_mask = if phase & 1 != 0 { 0x1f } else { 0xe0 };
    let b_mask = if phase & 2 != 0 { 0xf } else { 0x3f0 };
    (part(a, a_mask), part(b, b_mask))
}

/// `a op b` over the destination.
pub fn binary(destination: &mut Tile, op: Binary, a: &Tile, b: &Tile, phases: u32, onto: Onto) {
    for ((to, a), b) in destination.0.iter_mut().zip(&a.0).zip(&b.0) {
        let (a, b) = (a.to_bits(), b.to_bits());
        let held = if onto == Onto::Values { value(to.to_bits()) } else { 0 };
        *to = pattern(match op {
            Binary::Add => saturating_add(held, value(a) + value(b)),
            Binary::Sub => saturating_add(held, value(a) - value(b)),
            Binary::Mul => (0..phases).fold(held, |sum, phase| {
                let (a, b) = parts(a, b, phase);
                saturating_add(sum, a * b)
            }),
        });
    }
}

/// `destination += rows · columns`: in every phase, sums of 16 products are added one after the other.
pub fn accumulate(destination: &mut Tile, rows: &Tile, columns: &Tile, phases: u32) {
    for r in 0..32 {
        for c in 0..32 {
            let to = &mut destination.0[position(r, c)];
            let mut sum = value(to.to_bits());
            for phase in 0..phases {
                for half in [0, 16] {
                    let products = (half..half + 16).map(|k| {
                        let (a, b) = (columns.0[position(k, c)].to_bits(), rows.0[position(r, k)].to_bits());
                        let (a, b) = parts(a, b, phase);
                        a * b
                    });
                    sum = saturating_add(sum, products.sum());
                }
            }
            *to = pattern(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::TILE;

    fn tile(of: impl Fn(usize) -> i32) -> Tile {
        let mut tile = Tile::zero();
        for (index, to) in tile.0.iter_mut().enumerate() {
            *to = pattern(of(index));
        }
        tile
    }

    #[test]
    fn four_phases_multiply_all_bits() {
        let (a, b) = (tile(|i| i as i32 % 511 - 255), tile(|i| (i as i32 * 7) % 509 - 254));
        let mut product = Tile::zero();
        binary(&mut product, Binary::Mul, &a, &b, 4, Onto::Zeros);
        let mut sum = product.clone();
        binary(&mut sum, Binary::Sub, &a, &b, 1, Onto::Values);
        for i in 0..TILE {
            let (x, y) = (value(a.0[i].to_bits()), value(b.0[i].to_bits()));
            assert_eq!(value(product.0[i].to_bits()), x * y);
            assert_eq!(value(sum.0[i].to_bits()), x * y + x - y);
        }
    }

    #[test]
    fn matmuls_are_exact_and_saturate() {
        let (rows, columns) = (tile(|i| i as i32 % 200), tile(|i| 100 - i as i32 % 201));
        let start = tile(|i| i as i32 * 1000);
        let mut product = start.clone();
        accumulate(&mut product, &rows, &columns, 4);
        let at = |tile: &Tile, r, c| value(tile.0[position(r, c)].to_bits());
        for (r, c) in [(0, 0), (31, 5), (17, 29)] {
            let exact: i32 = (0..32).map(|k| at(&rows, r, k) * at(&columns, k, c)).sum();
            assert_eq!(at(&product, r, c), at(&start, r, c) + exact);
        }
        let (most, ones) = (tile(|_| i32::MAX - 5), tile(|_| 1));
        for (factor, limit) in [(1, i32::MAX), (-1, i32::MAX - 5 - 32)] {
            let mut sum = most.clone();
            accumulate(&mut sum, &ones, &tile(|_| factor), 4);
            assert!(sum.0.iter().all(|bits| value(bits.to_bits()) == limit));
        }
    }
}
