//! Every SFPU operation, one row each.
//!
//! A row holds the name of the call and of its init, how its result is stored into a 16-bit register, and what it does to
//! lanes. Device headers name operations; the hash of the name finds the row. A new operation is a row here and its
//! declaration in the header that Metalium has it in.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::{Face, Scalars, binary, unary};
use crate::compute::rounding::Store::{self, Nearest, NearestEven, Truncate};

/// What an operation does.
#[derive(Clone, Copy)]
pub enum Lanes {
    /// In place on one register.
    Unary(fn(&mut [f32], &Scalars)),
    /// From two registers into a third.
    Binary(fn(&Face, &Face, &mut Face, &Scalars)),
    /// From three registers into a fourth.
    Ternary(fn(&Face, &Face, &Face, &mut Face, &Scalars)),
    /// Into one register, whatever it held.
    Fill(fn(&mut [f32], &Scalars)),
    /// On one register with a row or column of another spread over it.
    Broadcast(fn(&Face, &Face, &mut Face, &Scalars)),
    /// Folds one register.
    Reduce,
    /// From one register into another, bit by bit.
    Copy,
}

/// A row.
pub struct Operation {
    /// The call.
    pub name: &'static str,
    /// Its init.
    pub init: &'static str,
    /// How a 16-bit register gets the result.
    pub store: Store,
    /// What it does.
    pub lanes: Lanes,
}

macro_rules! operations {
    ($($name:literal, $init:literal, $store:ident, $kind:ident $(($function:path))?;)*) => {
        &[$(Operation { name: $name, init: $init, store: $store, lanes: Lanes::$kind $(($function))? }),*]
    };
}

/// All operations.
pub static OPERATIONS: &[Operation] = operations! {
    "exp_tile", "exp_tile_init", Nearest, Unary(unary::exp);
    "exp2_tile", "exp2_tile_init", Nearest, Unary(unary::exp2);
    "expm1_tile", "expm1_tile_init", Nearest, Unary(unary::expm1);
    "log_tile", "log_tile_init", Nearest, Unary(unary::log);
    "log_with_base_tile", "log_with_base_tile_init", Nearest, Unary(unary::log_with_base);
    "log1p_tile", "log1p_tile_init", Nearest, Unary(unary::log1p);
    "sqrt_tile", "sqrt_tile_init", Nearest, Unary(unary::sqrt);
    "rsqrt_tile", "rsqrt_tile_init", Nearest, Unary(unary::rsqrt);
    "cbrt_tile", "cbrt_tile_init", Nearest, Unary(unary::cbrt);
    "recip_tile", "recip_tile_init", Nearest, Unary(unary::recip);
    "abs_tile", "abs_tile_init", Truncate, Unary(unary::abs);
    "negative_tile", "negative_tile_init", Truncate, Unary(unary::negative);
    "sign_tile", "sign_tile_init", Truncate, Unary(unary::sign);
    "signbit_tile", "signbit_tile_init", Truncate, Unary(unary::signbit);
    "square_tile", "square_tile_init", NearestEven, Unary(unary::square);
    "identity_tile", "identity_tile_init", Truncate, Unary(unary::identity);
    "power_tile", "power_tile_init", Nearest, Unary(unary::power_scalar);
    "power_iterative_tile", "power_iterative_tile_init", Truncate, Unary(unary::power_scalar);

    "sin_tile", "sin_tile_init", Nearest, Unary(unary::sin_any);
    "cos_tile", "cos_tile_init", Nearest, Unary(unary::cos_any);
    "tan_tile", "tan_tile_init", Nearest, Unary(unary::tan_any);
    "asin_tile", "asin_tile_init", Nearest, Unary(unary::asin);
    "acos_tile", "acos_tile_init", Nearest, Unary(unary::acos);
    "atan_tile", "atan_tile_init", Nearest, Unary(unary::atan);
    "sinh_tile", "sinh_tile_init", Nearest, Unary(unary::sinh);
    "cosh_tile", "cosh_tile_init", Nearest, Unary(unary::cosh);
    "tanh_tile", "tanh_tile_init", Nearest, Unary(unary::tanh);
    "asinh_tile", "asinh_tile_init", Nearest, Unary(unary::asinh);
    "acosh_tile", "acosh_tile_init", Nearest, Unary(unary::acosh);
    "atanh_tile", "atanh_tile_init", Nearest, Unary(unary::atanh);

    "sigmoid_tile", "sigmoid_tile_init", Nearest, Unary(unary::sigmoid);
    "silu_tile", "silu_tile_init", Nearest, Unary(unary::silu);
    "gelu_tile", "gelu_tile_init", Nearest, Unary(unary::gelu);
    "gelu_tile<true>", "gelu_tile_init", Truncate, Unary(unary::gelu_fast);
    "gelu_tanh_tile", "gelu_tanh_tile_init", Nearest, Unary(unary::gelu_tanh);
    "mish_tile", "mish_tile_init", Nearest, Unary(unary::mish);
    "hardmish_tile", "hardmish_tile_init", Truncate, Unary(unary::hardmish);
    "softsign_tile", "softsign_tile_init", Truncate, Unary(unary::softsign);
    "tanhshrink_tile", "tanhshrink_tile_init", Nearest, Unary(unary::tanhshrink);
    "hardsigmoid_tile", "hardsigmoid_tile_init", Truncate, Unary(unary::hardsigmoid);
    "relu_tile", "relu_tile_init", Truncate, Unary(unary::relu);
    "relu_max_tile", "relu_max_tile_init", Truncate, Unary(unary::relu_max);
    "relu_min_tile", "relu_min_tile_init", Truncate, Unary(unary::relu_min);
    "leaky_relu_tile", "leaky_relu_tile_init", Truncate, Unary(unary::leaky_relu);
    "prelu_tile", "prelu_tile_init", Truncate, Unary(unary::leaky_relu);
    "elu_tile", "elu_tile_init", Nearest, Unary(unary::elu);
    "selu_tile", "selu_tile_init", Nearest, Unary(unary::selu);
    "celu_tile", "celu_tile_init", Nearest, Unary(unary::celu);
    "softplus_tile", "softplus_tile_init", Nearest, Unary(unary::softplus);
    "softshrink_tile", "softshrink_tile_init", Truncate, Unary(unary::softshrink);
    "hardshrink_tile", "hardshrink_tile_init", Truncate, Unary(unary::hardshrink);
    "hardtanh_tile", "hardtanh_tile_init", Truncate, Unary(unary::clamp);
    "clamp_tile", "clamp_tile_init", Truncate, Unary(unary::clamp);
    "threshold_tile", "threshold_tile_init", Truncate, Unary(unary::threshold);
    "heaviside_tile", "heaviside_tile_init", Truncate, Unary(unary::heaviside);
    "erf_tile", "erf_tile_init", Truncate, Unary(unary::erf);
    "erfc_tile", "erfc_tile_init", Truncate, Unary(unary::erfc);

    "floor_tile", "rounding_op_tile_init", Truncate, Unary(unary::floor);
    "ceil_tile", "rounding_op_tile_init", Truncate, Unary(unary::ceil);
    "trunc_tile", "rounding_op_tile_init", Truncate, Unary(unary::trunc);
    "frac_tile", "rounding_op_tile_init", Truncate, Unary(unary::frac);
    "round_tile", "rounding_op_tile_init", Truncate, Unary(unary::round);

    "add_unary_tile", "binop_with_scalar_tile_init", Truncate, Unary(unary::add_scalar);
    "sub_unary_tile", "binop_with_scalar_tile_init", Truncate, Unary(unary::sub_scalar);
    "mul_unary_tile", "binop_with_scalar_tile_init", Truncate, Unary(unary::mul_scalar);
    "div_unary_tile", "binop_with_scalar_tile_init", Truncate, Unary(unary::mul_scalar);
    "rsub_unary_tile", "binop_with_scalar_tile_init", NearestEven, Unary(unary::rsub_scalar);
    "rsub_tile", "rsub_tile_init", NearestEven, Unary(unary::rsub_scalar);
    "rdiv_tile", "rdiv_tile_init", Truncate, Unary(unary::rdiv_scalar);
    "rpow_tile", "rpow_tile_init", Nearest, Unary(unary::rpow_scalar);
    "fmod_tile", "fmod_tile_init", Truncate, Unary(unary::fmod_scalar);
    "remainder_tile", "remainder_tile_init", Truncate, Unary(unary::remainder_scalar);
    "unary_max_tile", "unary_max_tile_init", Truncate, Unary(unary::max_scalar);
    "unary_min_tile", "unary_min_tile_init", Truncate, Unary(unary::min_scalar);

    "unary_eq_tile", "unary_eq_tile_init", Truncate, Unary(unary::eq_scalar);
    "unary_ne_tile", "unary_ne_tile_init", Truncate, Unary(unary::ne_scalar);
    "unary_lt_tile", "unary_lt_tile_init", Truncate, Unary(unary::lt_scalar);
    "unary_le_tile", "unary_le_tile_init", Truncate, Unary(unary::le_scalar);
    "unary_gt_tile", "unary_gt_tile_init", Truncate, Unary(unary::gt_scalar);
    "unary_ge_tile", "unary_ge_tile_init", Truncate, Unary(unary::ge_scalar);
    "eqz_tile", "eqz_tile_init", Truncate, Unary(unary::eq_zero);
    "nez_tile", "nez_tile_init", Truncate, Unary(unary::ne_zero);
    "ltz_tile", "ltz_tile_init", Truncate, Unary(unary::lt_zero);
    "lez_tile", "lez_tile_init", Truncate, Unary(unary::le_zero);
    "gtz_tile", "gtz_tile_init", Truncate, Unary(unary::gt_zero);
    "gez_tile", "gez_tile_init", Truncate, Unary(unary::ge_zero);
    "logical_not_tile", "logical_not_tile_init", Truncate, Unary(unary::eq_zero);
    "isinf_tile", "isinf_tile_init", Truncate, Unary(unary::is_infinite);
    "isposinf_tile", "isposinf_tile_init", Truncate, Unary(unary::is_positive_infinity);
    "isneginf_tile", "isneginf_tile_init", Truncate, Unary(unary::is_negative_infinity);
    "isnan_tile", "isnan_tile_init", Truncate, Unary(unary::is_nan);
    "isfinite_tile", "isfinite_tile_init", Truncate, Unary(unary::is_finite);

    "fill_tile", "fill_tile_init", Truncate, Fill(unary::fill);
    "typecast_tile", "typecast_tile_init", Truncate, Unary(unary::identity);
    "typecast_tile to bf16", "typecast_tile_init", Truncate, Unary(unary::round_to_bf16);

    "add_binary_tile", "add_binary_tile_init", Truncate, Binary(binary::add);
    "sub_binary_tile", "sub_binary_tile_init", Truncate, Binary(binary::sub);
    "rsub_binary_tile", "rsub_binary_tile_init", Truncate, Binary(binary::rsub);
    "add_binary_tile nearest", "add_binary_tile_init", NearestEven, Binary(binary::add);
    "sub_binary_tile nearest", "sub_binary_tile_init", NearestEven, Binary(binary::sub);
    "rsub_binary_tile nearest", "rsub_binary_tile_init", NearestEven, Binary(binary::rsub);
    "mul_binary_tile", "mul_binary_tile_init", NearestEven, Binary(binary::mul);
    "div_binary_tile", "div_binary_tile_init", NearestEven, Binary(binary::div);
    "power_binary_tile", "power_binary_tile_init", Nearest, Binary(binary::power);
    "binary_max_tile", "binary_max_tile_init", Truncate, Binary(binary::max);
    "binary_min_tile", "binary_min_tile_init", Truncate, Binary(binary::min);
    "eq_binary_tile", "eq_binary_tile_init", Truncate, Binary(binary::eq);
    "ne_binary_tile", "ne_binary_tile_init", Truncate, Binary(binary::ne);
    "lt_binary_tile", "lt_binary_tile_init", Truncate, Binary(binary::lt);
    "le_binary_tile", "le_binary_tile_init", Truncate, Binary(binary::le);
    "gt_binary_tile", "gt_binary_tile_init", Truncate, Binary(binary::gt);
    "ge_binary_tile", "ge_binary_tile_init", Truncate, Binary(binary::ge);
    "xlogy_binary_tile", "xlogy_binary_tile_init", Truncate, Binary(binary::xlogy);
    "atan2_binary_tile", "atan2_binary_tile_init", Nearest, Binary(binary::atan2);
    "fmod_binary_tile", "fmod_binary_tile_init", Nearest, Binary(binary::fmod);
    "remainder_binary_tile", "remainder_binary_tile_init", Nearest, Binary(binary::remainder);
    "logaddexp_binary_tile", "logaddexp_binary_tile_init", Nearest, Binary(binary::logaddexp);
    "logaddexp2_binary_tile", "logaddexp2_binary_tile_init", Nearest, Binary(binary::logaddexp2);
    "logsigmoid_tile", "logsigmoid_tile_init", Truncate, Binary(binary_logsigmoid);
    "mask_tile", "mask_tile_init", Truncate, Binary(binary::mask);
    "mask_posinf_tile", "mask_tile_init", Truncate, Binary(binary::mask_infinity);

    "where_tile", "where_tile_init", Truncate, Ternary(binary::select);
    "lerp_tile", "lerp_tile_init", NearestEven, Ternary(binary::lerp);
    "mac_tile", "mac_tile_init", Nearest, Ternary(binary::multiply_add);
    "addcmul_tile", "addcmul_tile_init", Nearest, Ternary(binary::addcmul);
    "addcdiv_tile", "addcdiv_tile_init", NearestEven, Ternary(binary::addcdiv);

    "sfpu_add_bcast", "sfpu_bcast_init", Truncate, Broadcast(binary::add);
    "sfpu_sub_bcast", "sfpu_bcast_init", Truncate, Broadcast(binary::sub);
    "sfpu_mul_bcast", "sfpu_bcast_init", Truncate, Broadcast(binary::mul);
    "sfpu_reduce", "sfpu_reduce_init", Truncate, Reduce;
    "copy_dest_values", "copy_dest_values_init", Truncate, Copy;
};

/// The log-sigmoid takes x and e^−x, of which only x is needed.
fn binary_logsigmoid(x: &Face, _: &Face, out: &mut Face, s: &Scalars) {
    out.copy_from_slice(x);
    unary::logsigmoid(out, s);
}

/// The hash by which headers name operations and inits: FNV-1a of 64 bits.
pub const fn hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut value = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        value = (value ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    value
}

/// The operation of a hashed name.
pub fn operation(name: u64) -> Option<&'static Operation> {
    static INDEX: OnceLock<HashMap<u64, &'static Operation>> = OnceLock::new();
    INDEX
        .get_or_init(|| OPERATIONS.iter().map(|row| (hash(row.name), row)).collect())
        .get(&name)
        .copied()
}

/// The init of a hashed name.
pub fn init(name: u64) -> Option<&'static str> {
    static INDEX: OnceLock<HashMap<u64, &'static str>> = OnceLock::new();
    INDEX
        .get_or_init(|| OPERATIONS.iter().map(|row| (hash(row.init), row.init)).collect())
        .get(&name)
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_hashes_do_not_collide() {
        let names: HashSet<_> = OPERATIONS.iter().map(|row| row.name).collect();
        let hashes: HashSet<_> = OPERATIONS.iter().map(|row| hash(row.name)).collect();
        assert_eq!((names.len(), hashes.len()), (OPERATIONS.len(), OPERATIONS.len()));
        let inits: HashSet<_> = OPERATIONS.iter().map(|row| row.init).collect();
        let init_hashes: HashSet<_> = inits.iter().map(|name| hash(name)).collect();
        assert_eq!(inits.len(), init_hashes.len());
        assert!(operation(hash("exp_tile")).is_some() && operation(hash("exp")).is_none());
    }
}
