//! Every SFPU operation, one row each.
//!
//! A row holds the name of the call and of its init, how its result is stored into a 16-bit register, and what it does to
//! lanes. Device headers name operations; the hash of the name finds the row. A new operation is a row here and its
//! declaration in the header that Metalium has it in.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::algorithms::{
    activation, arithmetic, comparison, error_function, exponential, hyperbolic, logarithm, power, reciprocal,
    remainder, root, rounding, sigmoid, trigonometry,
};
use super::lanes::{Lanes, Stores};
use super::unit::Unit;

/// What an operation on one register does to lanes.
pub type Compute = fn(&Unit, &Lanes) -> Lanes;

/// What an operation does.
#[derive(Clone, Copy)]
pub enum Work {
    /// On one register.
    One(Compute),
    /// From two registers.
    Two(fn(&Unit, &Lanes, &Lanes) -> Lanes),
    /// From three registers.
    Three(fn(&Unit, &Lanes, &Lanes, &Lanes) -> Lanes),
    /// Into one register, whatever it held: the first parameter.
    Fill,
    /// On one register with a row or column of another spread over it.
    Broadcast(fn(&Unit, &Lanes, &Lanes) -> Lanes),
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
    /// What it does.
    pub work: Work,
    /// How its result is stored.
    pub stores: Stores,
}

macro_rules! operations {
    (@stores) => { Stores::Reals };
    (@stores bits) => { Stores::Bits };
    ($($name:literal, $init:literal, $kind:ident $(($($argument:path),+))? $(as $stores:ident)?;)*) => {
        &[$(Operation {
            name: $name,
            init: $init,
            work: Work::$kind $(($($argument),+))?,
            stores: operations!(@stores $($stores)?),
        }),*]
    };
}

/// All operations.
pub static OPERATIONS: &[Operation] = operations! {
    "exp_tile", "exp_tile_init", One(exponential::exp);
    "exp2_tile", "exp2_tile_init", One(exponential::exp2);
    "expm1_tile", "expm1_tile_init", One(exponential::expm1);
    "log_tile", "log_tile_init", One(logarithm::log);
    "log_with_base_tile", "log_with_base_tile_init", One(logarithm::log_with_base);
    "log1p_tile", "log1p_tile_init", One(logarithm::log1p);
    "sqrt_tile", "sqrt_tile_init", One(root::sqrt);
    "rsqrt_tile", "rsqrt_tile_init", One(root::rsqrt);
    "cbrt_tile", "cbrt_tile_init", One(root::cbrt);
    "recip_tile", "recip_tile_init", One(reciprocal::recip);
    "abs_tile", "abs_tile_init", One(arithmetic::abs);
    "negative_tile", "negative_tile_init", One(arithmetic::negative);
    "sign_tile", "sign_tile_init", One(arithmetic::sign);
    "signbit_tile", "signbit_tile_init", One(arithmetic::signbit);
    "square_tile", "square_tile_init", One(arithmetic::square);
    "identity_tile", "identity_tile_init", One(arithmetic::identity);
    "power_tile", "power_tile_init", One(power::power);
    "power_iterative_tile", "power_iterative_tile_init", One(power::power_iterative);

    "sin_tile", "sin_tile_init", One(trigonometry::sin);
    "cos_tile", "cos_tile_init", One(trigonometry::cos);
    "tan_tile", "tan_tile_init", One(trigonometry::tan);
    "asin_tile", "asin_tile_init", One(trigonometry::asin);
    "acos_tile", "acos_tile_init", One(trigonometry::acos);
    "atan_tile", "atan_tile_init", One(trigonometry::atan);
    "sinh_tile", "sinh_tile_init", One(hyperbolic::sinh);
    "cosh_tile", "cosh_tile_init", One(hyperbolic::cosh);
    "tanh_tile", "tanh_tile_init", One(sigmoid::tanh);
    "asinh_tile", "asinh_tile_init", One(hyperbolic::asinh);
    "acosh_tile", "acosh_tile_init", One(hyperbolic::acosh);
    "atanh_tile", "atanh_tile_init", One(hyperbolic::atanh);

    "sigmoid_tile", "sigmoid_tile_init", One(sigmoid::sigmoid);
    "silu_tile", "silu_tile_init", One(sigmoid::silu);
    "gelu_tile", "gelu_tile_init", One(error_function::gelu);
    "gelu_tile<true>", "gelu_tile_init", One(error_function::gelu_by_lines);
    "gelu_tanh_tile", "gelu_tanh_tile_init", One(activation::gelu_tanh);
    "mish_tile", "mish_tile_init", One(activation::mish);
    "hardmish_tile", "hardmish_tile_init", One(activation::hardmish);
    "softsign_tile", "softsign_tile_init", One(activation::softsign);
    "tanhshrink_tile", "tanhshrink_tile_init", One(activation::tanhshrink);
    "hardsigmoid_tile", "hardsigmoid_tile_init", One(activation::hardsigmoid);
    "relu_tile", "relu_tile_init", One(arithmetic::relu) as bits;
    "relu_max_tile", "relu_max_tile_init", One(arithmetic::relu_max);
    "relu_min_tile", "relu_min_tile_init", One(arithmetic::relu_min) as bits;
    "leaky_relu_tile", "leaky_relu_tile_init", One(arithmetic::leaky_relu);
    "prelu_tile", "prelu_tile_init", One(arithmetic::leaky_relu);
    "elu_tile", "elu_tile_init", One(activation::elu);
    "selu_tile", "selu_tile_init", One(activation::selu);
    "celu_tile", "celu_tile_init", One(activation::celu);
    "softplus_tile", "softplus_tile_init", One(activation::softplus);
    "softshrink_tile", "softshrink_tile_init", One(arithmetic::softshrink);
    "hardshrink_tile", "hardshrink_tile_init", One(arithmetic::hardshrink) as bits;
    "hardtanh_tile", "hardtanh_tile_init", One(arithmetic::hardtanh);
    "clamp_tile", "clamp_tile_init", One(arithmetic::clamp);
    "threshold_tile", "threshold_tile_init", One(arithmetic::threshold) as bits;
    "heaviside_tile", "heaviside_tile_init", One(arithmetic::heaviside);
    "erf_tile", "erf_tile_init", One(error_function::erf);
    "erfc_tile", "erfc_tile_init", One(error_function::erfc);

    "floor_tile", "rounding_op_tile_init", One(rounding::floor);
    "ceil_tile", "rounding_op_tile_init", One(rounding::ceil);
    "trunc_tile", "rounding_op_tile_init", One(rounding::trunc);
    "frac_tile", "rounding_op_tile_init", One(rounding::frac);
    "round_tile", "rounding_op_tile_init", One(rounding::round);

    "add_unary_tile", "binop_with_scalar_tile_init", One(arithmetic::add_number);
    "sub_unary_tile", "binop_with_scalar_tile_init", One(arithmetic::sub_number);
    "mul_unary_tile", "binop_with_scalar_tile_init", One(arithmetic::mul_number);
    "div_unary_tile", "binop_with_scalar_tile_init", One(arithmetic::mul_number);
    "rsub_unary_tile", "binop_with_scalar_tile_init", One(arithmetic::rsub_number);
    "rsub_tile", "rsub_tile_init", One(arithmetic::rsub_number);
    "rdiv_tile", "rdiv_tile_init", One(reciprocal::rdiv);
    "rpow_tile", "rpow_tile_init", One(power::power_of_number);
    "fmod_tile", "fmod_tile_init", One(remainder::fmod_number);
    "remainder_tile", "remainder_tile_init", One(remainder::remainder_number);
    "unary_max_tile", "unary_max_tile_init", One(arithmetic::max_number);
    "unary_min_tile", "unary_min_tile_init", One(arithmetic::min_number);

    "unary_eq_tile", "unary_eq_tile_init", One(comparison::eq_number);
    "unary_ne_tile", "unary_ne_tile_init", One(comparison::ne_number);
    "unary_lt_tile", "unary_lt_tile_init", One(comparison::lt_number);
    "unary_le_tile", "unary_le_tile_init", One(comparison::le_number);
    "unary_gt_tile", "unary_gt_tile_init", One(comparison::gt_number);
    "unary_ge_tile", "unary_ge_tile_init", One(comparison::ge_number);
    "eqz_tile", "eqz_tile_init", One(comparison::eq_zero);
    "nez_tile", "nez_tile_init", One(comparison::ne_zero);
    "ltz_tile", "ltz_tile_init", One(comparison::lt_zero);
    "lez_tile", "lez_tile_init", One(comparison::le_zero);
    "gtz_tile", "gtz_tile_init", One(comparison::gt_zero);
    "gez_tile", "gez_tile_init", One(comparison::ge_zero);
    "logical_not_tile", "logical_not_tile_init", One(comparison::logical_not);
    "isinf_tile", "isinf_tile_init", One(comparison::is_infinite);
    "isposinf_tile", "isposinf_tile_init", One(comparison::is_positive_infinity);
    "isneginf_tile", "isneginf_tile_init", One(comparison::is_negative_infinity);
    "isnan_tile", "isnan_tile_init", One(comparison::is_nan);
    "isfinite_tile", "isfinite_tile_init", One(comparison::is_finite);

    "fill_tile", "fill_tile_init", Fill;
    "typecast_tile", "typecast_tile_init", One(arithmetic::identity);
    "typecast_tile to bf16", "typecast_tile_init", One(arithmetic::round_to_bf16);

    "add_binary_tile", "add_binary_tile_init", Two(arithmetic::add);
    "sub_binary_tile", "sub_binary_tile_init", Two(arithmetic::sub);
    "rsub_binary_tile", "rsub_binary_tile_init", Two(arithmetic::rsub);
    "add_binary_tile nearest", "add_binary_tile_init", Two(arithmetic::add_nearest);
    "sub_binary_tile nearest", "sub_binary_tile_init", Two(arithmetic::sub_nearest);
    "rsub_binary_tile nearest", "rsub_binary_tile_init", Two(arithmetic::rsub_nearest);
    "mul_binary_tile", "mul_binary_tile_init", Two(arithmetic::mul);
    "div_binary_tile", "div_binary_tile_init", Two(reciprocal::div);
    "power_binary_tile", "power_binary_tile_init", Two(power::power_of);
    "binary_max_tile", "binary_max_tile_init", Two(arithmetic::max);
    "binary_min_tile", "binary_min_tile_init", Two(arithmetic::min);
    "eq_binary_tile", "eq_binary_tile_init", Two(comparison::eq);
    "ne_binary_tile", "ne_binary_tile_init", Two(comparison::ne);
    "lt_binary_tile", "lt_binary_tile_init", Two(comparison::lt);
    "le_binary_tile", "le_binary_tile_init", Two(comparison::le);
    "gt_binary_tile", "gt_binary_tile_init", Two(comparison::gt);
    "ge_binary_tile", "ge_binary_tile_init", Two(comparison::ge);
    "xlogy_binary_tile", "xlogy_binary_tile_init", Two(logarithm::xlogy);
    "atan2_binary_tile", "atan2_binary_tile_init", Two(trigonometry::atan2);
    "fmod_binary_tile", "fmod_binary_tile_init", Two(remainder::fmod);
    "remainder_binary_tile", "remainder_binary_tile_init", Two(remainder::remainder);
    "logaddexp_binary_tile", "logaddexp_binary_tile_init", Two(logarithm::logaddexp);
    "logaddexp2_binary_tile", "logaddexp2_binary_tile_init", Two(logarithm::logaddexp2);
    "logsigmoid_tile", "logsigmoid_tile_init", Two(activation::logsigmoid);
    "mask_tile", "mask_tile_init", Two(arithmetic::mask) as bits;
    "mask_posinf_tile", "mask_tile_init", Two(arithmetic::mask_infinity) as bits;

    "where_tile", "where_tile_init", Three(arithmetic::choose) as bits;
    "lerp_tile", "lerp_tile_init", Three(arithmetic::lerp);
    "mac_tile", "mac_tile_init", Three(arithmetic::multiply_add);
    "addcmul_tile", "addcmul_tile_init", Three(arithmetic::addcmul);
    "addcdiv_tile", "addcdiv_tile_init", Three(arithmetic::addcdiv);

    "sfpu_add_bcast", "sfpu_bcast_init", Broadcast(arithmetic::add);
    "sfpu_sub_bcast", "sfpu_bcast_init", Broadcast(arithmetic::sub);
    "sfpu_mul_bcast", "sfpu_bcast_init", Broadcast(arithmetic::product);
    "sfpu_reduce", "sfpu_reduce_init", Reduce;
    "copy_dest_values", "copy_dest_values_init", Copy;
};

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
