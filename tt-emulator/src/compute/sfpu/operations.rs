// Every SFPU operation, one row each: the call, its init, its arithmetic and how its result is stored (`table.rs`).
//
// A header's rows are its plain calls: the build script writes their C++ (`../../../build/sfpu.rs`), with the width of the
// registers as a template argument where it says `<width>`, and with the parameters in brackets behind the register. Those
// under `by_hand` have something of their own, and stand in a header below `device/include/api/compute`.

operations! {
    "compute_kernel_api.h" [
        "exp2_tile"<width>, "exp2_tile_init"<width>, One(exponential::exp2);
        "abs_tile", "abs_tile_init", One(arithmetic::abs);
        "sign_tile", "sign_tile_init", One(arithmetic::sign);
        "signbit_tile", "signbit_tile_init", One(arithmetic::signbit);
        "square_tile"<width>, "square_tile_init", One(arithmetic::square);
        "power_tile"<width>(param0), "power_tile_init", One(power::power);
        "silu_tile"<width>, "silu_tile_init", One(sigmoid::silu);
        "heaviside_tile"(param0), "heaviside_tile_init", One(arithmetic::heaviside);
        "unary_max_tile"(param0), "unary_max_tile_init", One(arithmetic::max_number);
        "unary_min_tile"(param0), "unary_min_tile_init", One(arithmetic::min_number);
    ]
    "eltwise_unary/cbrt.h" [ "cbrt_tile"<width>, "cbrt_tile_init", One(root::cbrt); ]
    "eltwise_unary/negative.h" [ "negative_tile", "negative_tile_init", One(arithmetic::negative); ]
    "eltwise_unary/identity.h" [ "identity_tile", "identity_tile_init", One(arithmetic::identity); ]
    "eltwise_unary/trigonometry.h" [
        "sin_tile"<width>, "sin_tile_init", One(trigonometry::sin);
        "cos_tile"<width>, "cos_tile_init", One(trigonometry::cos);
        "tan_tile"<width>, "tan_tile_init", One(trigonometry::tan);
        "asin_tile"<width>, "asin_tile_init"<width>, One(trigonometry::asin);
        "acos_tile"<width>, "acos_tile_init"<width>, One(trigonometry::acos);
        "atan_tile"<width>, "atan_tile_init"<width>, One(trigonometry::atan);
        "sinh_tile"<width>, "sinh_tile_init"<width>, One(hyperbolic::sinh);
        "cosh_tile"<width>, "cosh_tile_init"<width>, One(hyperbolic::cosh);
        "asinh_tile"<width>, "asinh_tile_init"<width>, One(hyperbolic::asinh);
        "acosh_tile"<width>, "acosh_tile_init"<width>, One(hyperbolic::acosh);
        "atanh_tile"<width>, "atanh_tile_init"<width>, One(hyperbolic::atanh);
    ]
    "eltwise_unary/hardmish.h" [ "hardmish_tile", "hardmish_tile_init", One(activation::hardmish); ]
    "eltwise_unary/activations.h" [
        "softsign_tile", "softsign_tile_init", One(activation::softsign);
        "hardsigmoid_tile", "hardsigmoid_tile_init", One(activation::hardsigmoid);
        "celu_tile"<width>(alpha, alpha_recip), "celu_tile_init", One(activation::celu);
        "softshrink_tile"(param0), "softshrink_tile_init", One(arithmetic::softshrink);
        "hardshrink_tile"(param0), "hardshrink_tile_init", One(arithmetic::hardshrink) as bits;
    ]
    "eltwise_unary/tanhshrink.h" [
        "tanhshrink_tile"<width>, "tanhshrink_tile_init"<width>, One(activation::tanhshrink);
    ]
    "eltwise_unary/relu.h" [
        "relu_tile", "relu_tile_init", One(arithmetic::relu) as bits;
        "relu_max_tile"(param0), "relu_max_tile_init", One(arithmetic::relu_max);
        "relu_min_tile"(param0), "relu_min_tile_init", One(arithmetic::relu_min) as bits;
    ]
    "eltwise_unary/prelu.h" [ "prelu_tile"(param0), "prelu_tile_init", One(arithmetic::leaky_relu); ]
    "eltwise_unary/elu.h" [ "elu_tile"<width>(param0), "elu_tile_init", One(activation::elu); ]
    "eltwise_unary/selu.h" [ "selu_tile"<width>(scale, alpha), "selu_tile_init", One(activation::selu); ]
    "eltwise_unary/softplus.h" [
        "softplus_tile"<width>(beta, beta_reciprocal, threshold), "softplus_tile_init", One(activation::softplus);
    ]
    "eltwise_unary/hardtanh.h" [ "hardtanh_tile"(param0, param1), "hardtanh_tile_init", One(arithmetic::hardtanh); ]
    "eltwise_unary/clamp.h" [ "clamp_tile"(param0, param1), "clamp_tile_init", One(arithmetic::clamp); ]
    "eltwise_unary/threshold.h" [
        "threshold_tile"(param0, param1), "threshold_tile_init", One(arithmetic::threshold) as bits;
    ]
    "eltwise_unary/erf_erfc.h" [ "erfc_tile", "erfc_tile_init", One(error_function::erfc); ]
    "eltwise_unary/rounding.h" [
        "floor_tile", "rounding_op_tile_init", One(rounding::floor);
        "ceil_tile", "rounding_op_tile_init", One(rounding::ceil);
        "trunc_tile", "rounding_op_tile_init", One(rounding::trunc);
        "frac_tile", "rounding_op_tile_init", One(rounding::frac);
    ]
    // Division multiplies: its parameter is the pattern of the reciprocal.
    "eltwise_unary/binop_with_scalar.h" [
        "add_unary_tile"<width>(param1), "binop_with_scalar_tile_init", One(arithmetic::add_number);
        "sub_unary_tile"<width>(param1), "binop_with_scalar_tile_init", One(arithmetic::sub_number);
        "mul_unary_tile"<width>(param1), "binop_with_scalar_tile_init", One(arithmetic::mul_number);
        "div_unary_tile"<width>(param1), "binop_with_scalar_tile_init", One(arithmetic::mul_number);
        "rsub_unary_tile"<width>(param1), "binop_with_scalar_tile_init", One(arithmetic::rsub_number);
    ]
    "eltwise_unary/rsub.h" [ "rsub_tile"<width>(scalar), "rsub_tile_init", One(arithmetic::rsub_number); ]
    "eltwise_unary/comp.h" [
        "unary_eq_tile"(param0), "unary_eq_tile_init", One(comparison::eq_number);
        "unary_ne_tile"(param0), "unary_ne_tile_init", One(comparison::ne_number);
        "unary_lt_tile"(param0), "unary_lt_tile_init", One(comparison::lt_number);
        "unary_le_tile"(param0), "unary_le_tile_init", One(comparison::le_number);
        "unary_gt_tile"(param0), "unary_gt_tile_init", One(comparison::gt_number);
        "unary_ge_tile"(param0), "unary_ge_tile_init", One(comparison::ge_number);
        "eqz_tile", "eqz_tile_init", One(comparison::eq_zero);
        "nez_tile", "nez_tile_init", One(comparison::ne_zero);
        "ltz_tile", "ltz_tile_init", One(comparison::lt_zero);
        "lez_tile", "lez_tile_init", One(comparison::le_zero);
        "gtz_tile", "gtz_tile_init", One(comparison::gt_zero);
        "gez_tile", "gez_tile_init", One(comparison::ge_zero);
    ]
    "eltwise_unary/isinf_isnan.h" [
        "isinf_tile", "isinf_tile_init", One(comparison::is_infinite);
        "isposinf_tile", "isposinf_tile_init", One(comparison::is_positive_infinity);
        "isneginf_tile", "isneginf_tile_init", One(comparison::is_negative_infinity);
        "isnan_tile", "isnan_tile_init", One(comparison::is_nan);
        "isfinite_tile", "isfinite_tile_init", One(comparison::is_finite);
    ]
    "eltwise_binary_sfpu.h" [
        "mul_binary_tile"<width>, "mul_binary_tile_init", Two(arithmetic::mul);
        "div_binary_tile"<width>, "div_binary_tile_init", Two(reciprocal::div);
        "power_binary_tile"<width>, "power_binary_tile_init", Two(power::power_of);
        "eq_binary_tile", "eq_binary_tile_init", Two(comparison::eq);
        "ne_binary_tile", "ne_binary_tile_init", Two(comparison::ne);
        "lt_binary_tile", "lt_binary_tile_init", Two(comparison::lt);
        "le_binary_tile", "le_binary_tile_init", Two(comparison::le);
        "gt_binary_tile", "gt_binary_tile_init", Two(comparison::gt);
        "ge_binary_tile", "ge_binary_tile_init", Two(comparison::ge);
    ]
    "xlogy.h" [ "xlogy_binary_tile"<width>, "xlogy_binary_tile_init", Two(logarithm::xlogy); ]
    "atan2.h" [ "atan2_binary_tile"<width>, "atan2_binary_tile_init"<width>, Two(trigonometry::atan2); ]
    "binary_fmod.h" [ "fmod_binary_tile"<width>, "fmod_binary_tile_init", Two(remainder::fmod); ]
    "binary_remainder.h" [ "remainder_binary_tile"<width>, "remainder_binary_tile_init", Two(remainder::remainder); ]
    "logaddexp.h" [ "logaddexp_binary_tile"<width>, "logaddexp_binary_tile_init"<width>, Two(logarithm::logaddexp); ]
    "logaddexp2.h" [
        "logaddexp2_binary_tile"<width>, "logaddexp2_binary_tile_init"<width>, Two(logarithm::logaddexp2);
    ]
    "logsigmoid.h" [ "logsigmoid_tile", "logsigmoid_tile_init", Two(activation::logsigmoid); ]
    by_hand [
        "exp_tile", "exp_tile_init", One(exponential::exp);
        "expm1_tile", "expm1_tile_init", One(exponential::expm1);
        "log_tile", "log_tile_init", One(logarithm::log);
        "log_with_base_tile", "log_with_base_tile_init", One(logarithm::log_with_base);
        "log1p_tile", "log1p_tile_init", One(logarithm::log1p);
        "sqrt_tile", "sqrt_tile_init", One(root::sqrt);
        "rsqrt_tile", "rsqrt_tile_init", One(root::rsqrt);
        "recip_tile", "recip_tile_init", One(reciprocal::recip);
        "power_iterative_tile", "power_iterative_tile_init", One(power::power_iterative);
        "tanh_tile", "tanh_tile_init", One(sigmoid::tanh);
        "sigmoid_tile", "sigmoid_tile_init", One(sigmoid::sigmoid);
        "gelu_tile", "gelu_tile_init", One(error_function::gelu);
        "gelu_tile<true>", "gelu_tile_init", One(error_function::gelu_by_lines);
        "gelu_tanh_tile", "gelu_tanh_tile_init", One(activation::gelu_tanh);
        "mish_tile", "mish_tile_init", One(activation::mish);
        "leaky_relu_tile", "leaky_relu_tile_init", One(arithmetic::leaky_relu);
        "erf_tile", "erf_tile_init", One(error_function::erf);
        "round_tile", "rounding_op_tile_init", One(rounding::round);
        "rdiv_tile", "rdiv_tile_init", One(reciprocal::rdiv);
        "rpow_tile", "rpow_tile_init", One(power::power_of_number);
        "fmod_tile", "fmod_tile_init", One(remainder::fmod_number);
        "remainder_tile", "remainder_tile_init", One(remainder::remainder_number);
        "logical_not_tile", "logical_not_tile_init", One(comparison::logical_not);
        "fill_tile", "fill_tile_init", Fill;
        "typecast_tile", "typecast_tile_init", One(arithmetic::identity);
        "typecast_tile to bf16", "typecast_tile_init", One(arithmetic::round_to_bf16);
        "add_binary_tile", "add_binary_tile_init", Two(arithmetic::add);
        "sub_binary_tile", "sub_binary_tile_init", Two(arithmetic::sub);
        "rsub_binary_tile", "rsub_binary_tile_init", Two(arithmetic::rsub);
        "add_binary_tile nearest", "add_binary_tile_init", Two(arithmetic::add_nearest);
        "sub_binary_tile nearest", "sub_binary_tile_init", Two(arithmetic::sub_nearest);
        "rsub_binary_tile nearest", "rsub_binary_tile_init", Two(arithmetic::rsub_nearest);
        "binary_max_tile", "binary_max_tile_init", Two(arithmetic::max);
        "binary_min_tile", "binary_min_tile_init", Two(arithmetic::min);
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
    ]
}
