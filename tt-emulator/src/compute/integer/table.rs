//! Every operation on integers, one row each: the name of the call and of its init, and what it does to a lane.
//!
//! Lanes are two's complement. What an operation does with a format is said by the [`Kind`] that the call names.

use std::sync::OnceLock;

use crate::compute::sfpu::table::{ByName, hash};

/// How the bits of a lane are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 32 bits with a sign.
    Int32,
    /// 32 bits without.
    UInt32,
    /// 16 bits without a sign.
    UInt16,
}

impl Kind {
    fn compare(self, x: u32, y: u32) -> std::cmp::Ordering {
        match self {
            Kind::Int32 => (x as i32).cmp(&(y as i32)),
            Kind::UInt32 | Kind::UInt16 => x.cmp(&y),
        }
    }

    fn bits(self) -> u32 {
        match self {
            Kind::Int32 | Kind::UInt32 => 32,
            Kind::UInt16 => 16,
        }
    }
}

/// What an operation does to a lane.
#[derive(Clone, Copy)]
pub enum Lane {
    /// From one register, with the call's first parameter.
    Unary(fn(Kind, u32, u32) -> u32),
    /// Into a register, whatever it held, from the call's first parameter.
    Fill(fn(u32) -> u32),
    /// From two registers.
    Binary(fn(Kind, u32, u32) -> u32),
}

/// A row.
pub struct Operation {
    /// The call.
    pub name: &'static str,
    /// Its init.
    pub init: &'static str,
    /// What it does.
    pub lane: Lane,
}

macro_rules! operations {
    ($($name:literal, $init:literal, $kind:ident($function:expr);)*) => {
        &[$(Operation { name: $name, init: $init, lane: Lane::$kind($function) }),*]
    };
}

fn truth(condition: bool) -> u32 {
    u32::from(condition)
}

/// Shifts left; by the width or more gives zero (`ckernel_sfpu_binary_shift.h`).
fn left(kind: Kind, x: u32, by: u32) -> u32 {
    if by >= kind.bits() { 0 } else { x << by }
}

/// Shifts right, filling with the sign of a number that has one; by the width or more gives zero, or the sign.
fn right(kind: Kind, x: u32, by: u32) -> u32 {
    match kind {
        Kind::Int32 => ((x as i32) >> by.min(31)) as u32,
        Kind::UInt32 | Kind::UInt16 => logical_right(kind, x, by),
    }
}

/// Shifts right by a register: numbers with a sign by 32 or more give zero, 32-bit ones without by 31 at most
/// (`ckernel_sfpu_binary_shift.h`).
fn right_by_register(kind: Kind, x: u32, by: u32) -> u32 {
    match kind {
        Kind::Int32 if by >= 32 => 0,
        Kind::Int32 => ((x as i32) >> by) as u32,
        Kind::UInt32 => x >> by.min(31),
        Kind::UInt16 => logical_right(kind, x, by),
    }
}

fn logical_right(kind: Kind, x: u32, by: u32) -> u32 {
    if by >= kind.bits() { 0 } else { x >> by }
}

/// Toward minus infinity (`down`) or toward zero. What a division by zero gives is no number that kernels may use.
fn quotient(x: u32, y: u32, down: bool) -> u32 {
    let (x, y) = (x as i32, y as i32);
    if y == 0 {
        return 0;
    }
    let toward_zero = x.wrapping_div(y);
    let below = down && x.wrapping_rem(y) != 0 && (x < 0) != (y < 0);
    toward_zero.wrapping_sub(i32::from(below)) as u32
}

fn divisor(x: u32, y: u32) -> u32 {
    let (mut a, mut b) = ((x as i32).unsigned_abs(), (y as i32).unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn multiple(x: u32, y: u32) -> u32 {
    match divisor(x, y) {
        0 => 0,
        common => ((x as i32).unsigned_abs() / common).wrapping_mul((y as i32).unsigned_abs()),
    }
}

/// Toward zero, held to 32 bits with a sign; what is no number is beyond every other on the side of its sign
/// (`ckernel_sfpu_typecast.h`).
fn truncated(x: f32) -> i32 {
    match (x.is_nan(), x.is_sign_negative()) {
        (true, true) => i32::MIN,
        (true, false) => i32::MAX,
        (false, _) => x as i32,
    }
}

/// All operations.
pub static OPERATIONS: &[Operation] = operations! {
    "add_int_tile", "add_int_tile_init", Binary(|_, x, y| x.wrapping_add(y));
    "sub_int_tile", "sub_int_tile_init", Binary(|_, x, y| x.wrapping_sub(y));
    "rsub_int_tile", "rsub_int_tile_init", Binary(|_, x, y| y.wrapping_sub(x));
    "mul_int_tile", "mul_int_tile_init", Binary(|_, x, y| x.wrapping_mul(y));
    "bitwise_and_binary_tile", "binary_bitwise_tile_init", Binary(|_, x, y| x & y);
    "bitwise_or_binary_tile", "binary_bitwise_tile_init", Binary(|_, x, y| x | y);
    "bitwise_xor_binary_tile", "binary_bitwise_tile_init", Binary(|_, x, y| x ^ y);
    "binary_left_shift_tile", "binary_shift_tile_init", Binary(left);
    "binary_right_shift_tile", "binary_shift_tile_init", Binary(right_by_register);
    "binary_logical_right_shift_tile", "binary_shift_tile_init", Binary(logical_right);
    "eq_int_tile", "eq_int_tile_init", Binary(|_, x, y| truth(x == y));
    "ne_int_tile", "ne_int_tile_init", Binary(|_, x, y| truth(x != y));
    "lt_int_tile", "lt_int_tile_init", Binary(|kind, x, y| truth(kind.compare(x, y).is_lt()));
    "gt_int_tile", "gt_int_tile_init", Binary(|kind, x, y| truth(kind.compare(x, y).is_gt()));
    "le_int_tile", "le_int_tile_init", Binary(|kind, x, y| truth(kind.compare(x, y).is_le()));
    "ge_int_tile", "ge_int_tile_init", Binary(|kind, x, y| truth(kind.compare(x, y).is_ge()));
    "binary_max_int32_tile", "binary_max_int32_tile_init", Binary(|kind, x, y| if kind.compare(x, y).is_ge() { x } else { y });
    "binary_min_int32_tile", "binary_min_int32_tile_init", Binary(|kind, x, y| if kind.compare(x, y).is_le() { x } else { y });
    "binary_max_uint32_tile", "binary_max_uint32_tile_init", Binary(|_, x, y| x.max(y));
    "binary_min_uint32_tile", "binary_min_uint32_tile_init", Binary(|_, x, y| x.min(y));
    "div_int32_floor_tile", "div_int32_floor_tile_init", Binary(|_, x, y| quotient(x, y, true));
    "div_int32_trunc_tile", "div_int32_trunc_tile_init", Binary(|_, x, y| quotient(x, y, false));
    "gcd_tile", "gcd_tile_init", Binary(|_, x, y| divisor(x, y));
    "lcm_tile", "lcm_tile_init", Binary(|_, x, y| multiple(x, y));

    "bitwise_and_tile", "bitwise_and_tile_init", Unary(|_, x, p| x & p);
    "bitwise_or_tile", "bitwise_or_tile_init", Unary(|_, x, p| x | p);
    "bitwise_xor_tile", "bitwise_xor_tile_init", Unary(|_, x, p| x ^ p);
    "bitwise_not_tile", "bitwise_not_tile_init", Unary(|_, x, _| !x);
    "left_shift_tile", "left_shift_tile_init", Unary(left);
    "right_shift_tile", "right_shift_tile_init", Unary(right);
    "abs_tile_int32", "abs_tile_init", Unary(|_, x, _| (x as i32).wrapping_abs() as u32);
    "relu_tile_int32", "relu_tile_init", Unary(|_, x, _| (x as i32).max(0) as u32);
    "unary_eq_tile_int32", "unary_eq_tile_init", Unary(|_, x, p| truth(x == p));
    "unary_ne_tile_int32", "unary_ne_tile_init", Unary(|_, x, p| truth(x != p));
    "unary_gt_tile_int32", "unary_gt_tile_init", Unary(|kind, x, p| truth(kind.compare(x, p).is_gt()));
    "unary_ge_tile_int32", "unary_ge_tile_init", Unary(|kind, x, p| truth(kind.compare(x, p).is_ge()));
    "unary_lt_tile_int32", "unary_lt_tile_init", Unary(|kind, x, p| truth(kind.compare(x, p).is_lt()));
    "unary_le_tile_int32", "unary_le_tile_init", Unary(|kind, x, p| truth(kind.compare(x, p).is_le()));
    "eqz_tile_int32", "eqz_tile_init", Unary(|_, x, _| truth(x == 0));
    "nez_tile_int32", "nez_tile_init", Unary(|_, x, _| truth(x != 0));
    "gtz_tile_int32", "gtz_tile_init", Unary(|kind, x, _| truth(kind.compare(x, 0).is_gt()));
    "gez_tile_int32", "gez_tile_init", Unary(|kind, x, _| truth(kind.compare(x, 0).is_ge()));
    "ltz_tile_int32", "ltz_tile_init", Unary(|kind, x, _| truth(kind.compare(x, 0).is_lt()));
    "lez_tile_int32", "lez_tile_init", Unary(|kind, x, _| truth(kind.compare(x, 0).is_le()));
    "typecast_tile to int32", "typecast_tile_init", Unary(|_, x, _| truncated(f32::from_bits(x)) as u32);
    "typecast_tile from int32", "typecast_tile_init", Unary(|_, x, _| (x as i32 as f32).to_bits());
    "fill_tile_int", "fill_tile_init", Fill(|p| p);
};

/// The operation of a hashed name.
pub fn operation(name: u64) -> Option<&'static Operation> {
    static INDEX: OnceLock<ByName<&'static Operation>> = OnceLock::new();
    INDEX
        .get_or_init(|| OPERATIONS.iter().map(|row| (hash(row.name), row)).collect())
        .get(&name)
        .copied()
}

/// The init of a hashed name, where it belongs to an operation on integers.
pub fn init(name: u64) -> Option<&'static str> {
    OPERATIONS.iter().map(|row| row.init).find(|init| hash(init) == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let names: HashSet<_> = OPERATIONS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), OPERATIONS.len());
    }

    #[test]
    fn shifts_by_the_width_leave_nothing_but_a_sign() {
        assert_eq!(left(Kind::Int32, 1, 31), 1 << 31);
        assert_eq!(left(Kind::Int32, 1, 32), 0);
        assert_eq!(left(Kind::UInt16, 1, 16), 0);
        assert_eq!(right(Kind::Int32, -8i32 as u32, 1), -4i32 as u32);
        assert_eq!(right(Kind::Int32, -8i32 as u32, 40), u32::MAX);
        assert_eq!(right(Kind::UInt32, 1 << 31, 31), 1);
        assert_eq!(right(Kind::UInt32, 1 << 31, 32), 0);
        assert_eq!(right_by_register(Kind::Int32, -8i32 as u32, 1), -4i32 as u32);
        assert_eq!(right_by_register(Kind::Int32, -8i32 as u32, 32), 0);
        assert_eq!(right_by_register(Kind::UInt32, 1 << 31, 40), 1);
    }

    #[test]
    fn quotients_are_rounded_down_or_toward_zero() {
        assert_eq!(quotient(-7i32 as u32, 2, true), -4i32 as u32);
        assert_eq!(quotient(-7i32 as u32, 2, false), -3i32 as u32);
        assert_eq!(quotient(7, 2, true), 3);
        assert_eq!(quotient(-8i32 as u32, 2, true), -4i32 as u32);
    }

    #[test]
    fn numbers_are_cut_to_integers_and_held_to_their_range() {
        let cases = [
            (2.9, 2),
            (-2.9, -2),
            (0.9, 0),
            (3e9, i32::MAX),
            (-3e9, i32::MIN),
            (f32::INFINITY, i32::MAX),
        ];
        assert!(cases.iter().all(|(x, integer)| truncated(*x) == *integer));
        assert_eq!([truncated(f32::NAN), truncated(-f32::NAN)], [i32::MAX, i32::MIN]);
    }

    #[test]
    fn divisors_and_multiples_are_those_of_the_magnitudes() {
        assert_eq!(divisor(12, -18i32 as u32), 6);
        assert_eq!(divisor(0, 5), 5);
        assert_eq!(multiple(4, -6i32 as u32), 12);
        assert_eq!(multiple(0, 0), 0);
    }
}
