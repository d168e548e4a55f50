//! Operations with the parameters they are measured with: what a kernel calls, what the table of operations is asked.
//!
//! `cargo xtask conformance sfpu` runs each on the simulated chips and records what they give; the emulator is held to the
//! record by a test.

/// An operation and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name in the record.
    pub name: &'static str,
    /// The row of the table of operations.
    pub operation: &'static str,
    /// The header that declares it, below `api/compute`.
    pub header: &'static str,
    /// The init call.
    pub init: &'static str,
    /// The call; inputs are registers 0, 1, 2, the result goes to 0.
    pub call: &'static str,
    /// Input registers.
    pub inputs: usize,
    /// Parameters.
    pub words: [u32; 3],
    /// Template parameters that the init has too.
    pub variant: u32,
    /// The kernel is built with approximate special functions.
    pub approximate: bool,
    /// The kernel defines `INP_FLOAT32`.
    pub input_f32: bool,
}

impl Case {
    /// A call of one input without parameters.
    const fn new(
        name: &'static str,
        operation: &'static str,
        header: &'static str,
        init: &'static str,
        call: &'static str,
    ) -> Case {
        Case {
            name,
            operation,
            header,
            init,
            call,
            inputs: 1,
            words: [0; 3],
            variant: 0,
            approximate: false,
            input_f32: false,
        }
    }

    const fn inputs(self, inputs: usize) -> Case {
        Case { inputs, ..self }
    }

    const fn words(self, words: [u32; 3]) -> Case {
        Case { words, ..self }
    }

    const fn variant(self, variant: u32) -> Case {
        Case { variant, ..self }
    }

    /// In a kernel that is built with approximate special functions.
    const fn approximate(self) -> Case {
        Case {
            approximate: true,
            ..self
        }
    }

    /// In a kernel that defines `INP_FLOAT32`.
    const fn of_f32(self) -> Case {
        Case {
            input_f32: true,
            ..self
        }
    }
}

/// Every case.
#[rustfmt::skip]
pub const CASES: &[Case] = &[
    Case::new("exp", "exp_tile", "eltwise_unary/exp.h", "exp_tile_init<false>()", "exp_tile<false>(0)").words([0x3f80_0000, 0, 0]),
    Case::new("exp_approx", "exp_tile", "eltwise_unary/exp.h", "exp_tile_init<true>()", "exp_tile<true>(0)").words([0x3f80_0000, 0, 0]).variant(1),
    Case::new("exp_approx_unclamped", "exp_tile", "eltwise_unary/exp.h", "exp_tile_init<true, 0x3f000000, InputClamping::None>()", "exp_tile<true, false, InputClamping::None>(0)").words([0x3f00_0000, 0, 0]).variant(3),
    Case::new("exp_approx_scaled", "exp_tile", "eltwise_unary/exp.h", "exp_tile_init<true, 0x3f000000>()", "exp_tile<true>(0)").words([0x3f00_0000, 0, 0]).variant(1),
    Case::new("expm1", "expm1_tile", "compute_kernel_api.h", "expm1_tile_init<false>()", "expm1_tile<false>(0)"),
    Case::new("expm1_approx", "expm1_tile", "compute_kernel_api.h", "expm1_tile_init<true>()", "expm1_tile<true>(0)").variant(1),
    Case::new("log", "log_tile", "compute_kernel_api.h", "log_tile_init<false>()", "log_tile<false>(0)"),
    Case::new("log_approx", "log_tile", "compute_kernel_api.h", "log_tile_init<true>()", "log_tile<true>(0)").variant(1),
    Case::new("tanh", "tanh_tile", "compute_kernel_api.h", "tanh_tile_init<false>()", "tanh_tile<false>(0)"),
    Case::new("tanh_approx", "tanh_tile", "compute_kernel_api.h", "tanh_tile_init<true>()", "tanh_tile<true>(0)").variant(1),
    Case::new("log1p", "log1p_tile", "eltwise_unary/log1p.h", "log1p_tile_init<false>()", "log1p_tile<false>(0)"),
    Case::new("log1p_approx", "log1p_tile", "eltwise_unary/log1p.h", "log1p_tile_init<true>()", "log1p_tile<true>(0)").variant(1),
    Case::new("gelu", "gelu_tile", "eltwise_unary/gelu.h", "gelu_tile_init<false>()", "gelu_tile<false>(0)"),
    Case::new("gelu_approx", "gelu_tile<true>", "eltwise_unary/gelu.h", "gelu_tile_init<true>()", "gelu_tile<true>(0)").variant(1),
    Case::new("erf", "erf_tile", "eltwise_unary/erf_erfc.h", "erf_tile_init<false>()", "erf_tile<false>(0)"),
    Case::new("erf_f32", "erf_tile", "eltwise_unary/erf_erfc.h", "erf_tile_init<false>()", "erf_tile<false>(0)").of_f32(),
    Case::new("erf_approx", "erf_tile", "eltwise_unary/erf_erfc.h", "erf_tile_init<true>()", "erf_tile<true>(0)").variant(1),
    Case::new("sigmoid", "sigmoid_tile", "compute_kernel_api.h", "sigmoid_tile_init()", "sigmoid_tile(0)"),
    Case::new("exp2", "exp2_tile", "compute_kernel_api.h", "exp2_tile_init()", "exp2_tile(0)"),
    Case::new("silu", "silu_tile", "compute_kernel_api.h", "silu_tile_init()", "silu_tile(0)"),
    Case::new("square", "square_tile", "compute_kernel_api.h", "square_tile_init()", "square_tile(0)"),
    Case::new("abs", "abs_tile", "compute_kernel_api.h", "abs_tile_init()", "abs_tile(0)"),
    Case::new("sign", "sign_tile", "compute_kernel_api.h", "sign_tile_init()", "sign_tile(0)"),
    Case::new("power2", "power_tile", "compute_kernel_api.h", "power_tile_init()", "power_tile(0, 0x40000000u)").words([0x4000_0000, 0, 0]),
    Case::new("power3", "power_tile", "compute_kernel_api.h", "power_tile_init()", "power_tile(0, 0x40400000u)").words([0x4040_0000, 0, 0]),
    Case::new("powerh", "power_tile", "compute_kernel_api.h", "power_tile_init()", "power_tile(0, 0x3f000000u)").words([0x3f00_0000, 0, 0]),
    Case::new("powern", "power_tile", "compute_kernel_api.h", "power_tile_init()", "power_tile(0, 0xbfc00000u)").words([0xbfc0_0000, 0, 0]),
    Case::new("unary_max", "unary_max_tile", "compute_kernel_api.h", "unary_max_tile_init()", "unary_max_tile(0, 0x3f400000u)").words([0x3f40_0000, 0, 0]),
    Case::new("unary_min", "unary_min_tile", "compute_kernel_api.h", "unary_min_tile_init()", "unary_min_tile(0, 0xbf400000u)").words([0xbf40_0000, 0, 0]),
    Case::new("sqrt", "sqrt_tile", "eltwise_unary/sqrt.h", "sqrt_tile_init()", "sqrt_tile(0)"),
    Case::new("rsqrt", "rsqrt_tile", "eltwise_unary/rsqrt.h", "rsqrt_tile_init()", "rsqrt_tile(0)"),
    Case::new("recip", "recip_tile", "eltwise_unary/recip.h", "recip_tile_init()", "recip_tile(0)"),
    Case::new("sqrt_mathapprox", "sqrt_tile", "eltwise_unary/sqrt.h", "sqrt_tile_init()", "sqrt_tile(0)").approximate(),
    Case::new("rsqrt_mathapprox", "rsqrt_tile", "eltwise_unary/rsqrt.h", "rsqrt_tile_init()", "rsqrt_tile(0)").approximate(),
    Case::new("recip_mathapprox", "recip_tile", "eltwise_unary/recip.h", "recip_tile_init()", "recip_tile(0)").approximate(),
    Case::new("negative", "negative_tile", "eltwise_unary/negative.h", "negative_tile_init()", "negative_tile(0)"),
    Case::new("erfc", "erfc_tile", "eltwise_unary/erf_erfc.h", "erfc_tile_init()", "erfc_tile(0)"),
    Case::new("relu", "relu_tile", "eltwise_unary/relu.h", "relu_tile_init()", "relu_tile(0)"),
    Case::new("leaky_relu", "leaky_relu_tile", "eltwise_unary/relu.h", "leaky_relu_tile_init()", "leaky_relu_tile(0, 0x3dcccccdu)").words([0x3dcc_cccd, 0, 0]),
    Case::new("relu_max", "relu_max_tile", "eltwise_unary/relu.h", "relu_max_tile_init()", "relu_max_tile(0, 0x40c00000u)").words([0x40c0_0000, 0, 0]),
    Case::new("relu_min", "relu_min_tile", "eltwise_unary/relu.h", "relu_min_tile_init()", "relu_min_tile(0, 0x3f000000u)").words([0x3f00_0000, 0, 0]),
    Case::new("elu", "elu_tile", "eltwise_unary/elu.h", "elu_tile_init()", "elu_tile(0, 0x3fa66666u)").words([0x3fa6_6666, 0, 0]),
    Case::new("elu_f32", "elu_tile", "eltwise_unary/elu.h", "elu_tile_init()", "elu_tile(0, 0x3fa66666u)").words([0x3fa6_6666, 0, 0]).of_f32(),
    Case::new("softplus", "softplus_tile", "eltwise_unary/softplus.h", "softplus_tile_init()", "softplus_tile(0, 0x3f333333u, 0x3fb6db6eu, 0x41a00000u)").words([0x3f33_3333, 0x3fb6_db6e, 0x41a0_0000]),
    Case::new("softplus_f32", "softplus_tile", "eltwise_unary/softplus.h", "softplus_tile_init()", "softplus_tile(0, 0x3f333333u, 0x3fb6db6eu, 0x41a00000u)").words([0x3f33_3333, 0x3fb6_db6e, 0x41a0_0000]).of_f32(),
    Case::new("floor", "floor_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "floor_tile(0)"),
    Case::new("ceil", "ceil_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "ceil_tile(0)"),
    Case::new("trunc", "trunc_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "trunc_tile(0)"),
    Case::new("frac", "frac_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "frac_tile(0)"),
    Case::new("round", "round_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "round_tile(0, 0u)"),
    Case::new("round2", "round_tile", "eltwise_unary/rounding.h", "rounding_op_tile_init()", "round_tile(0, 2u)").words([0x0000_0002, 0, 0]),
    Case::new("sin", "sin_tile", "eltwise_unary/trigonometry.h", "sin_tile_init()", "sin_tile(0)"),
    Case::new("cos", "cos_tile", "eltwise_unary/trigonometry.h", "cos_tile_init()", "cos_tile(0)"),
    Case::new("tan", "tan_tile", "eltwise_unary/trigonometry.h", "tan_tile_init()", "tan_tile(0)"),
    Case::new("asin", "asin_tile", "eltwise_unary/trigonometry.h", "asin_tile_init()", "asin_tile(0)"),
    Case::new("acos", "acos_tile", "eltwise_unary/trigonometry.h", "acos_tile_init()", "acos_tile(0)"),
    Case::new("atan", "atan_tile", "eltwise_unary/trigonometry.h", "atan_tile_init()", "atan_tile(0)"),
    Case::new("sinh", "sinh_tile", "eltwise_unary/trigonometry.h", "sinh_tile_init()", "sinh_tile(0)"),
    Case::new("cosh", "cosh_tile", "eltwise_unary/trigonometry.h", "cosh_tile_init()", "cosh_tile(0)"),
    Case::new("asinh", "asinh_tile", "eltwise_unary/trigonometry.h", "asinh_tile_init()", "asinh_tile(0)"),
    Case::new("acosh", "acosh_tile", "eltwise_unary/trigonometry.h", "acosh_tile_init()", "acosh_tile(0)"),
    Case::new("atanh", "atanh_tile", "eltwise_unary/trigonometry.h", "atanh_tile_init()", "atanh_tile(0)"),
    Case::new("add_unary", "add_unary_tile", "eltwise_unary/binop_with_scalar.h", "binop_with_scalar_tile_init()", "add_unary_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("sub_unary", "sub_unary_tile", "eltwise_unary/binop_with_scalar.h", "binop_with_scalar_tile_init()", "sub_unary_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("mul_unary", "mul_unary_tile", "eltwise_unary/binop_with_scalar.h", "binop_with_scalar_tile_init()", "mul_unary_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("rsub_unary", "rsub_unary_tile", "eltwise_unary/binop_with_scalar.h", "binop_with_scalar_tile_init()", "rsub_unary_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("div_unary", "div_unary_tile", "eltwise_unary/binop_with_scalar.h", "binop_with_scalar_tile_init()", "div_unary_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("clamp", "clamp_tile", "eltwise_unary/clamp.h", "clamp_tile_init()", "clamp_tile(0, 0xbf400000u, 0x3fa66666u)").words([0xbf40_0000, 0x3fa6_6666, 0]),
    Case::new("unary_eq", "unary_eq_tile", "eltwise_unary/comp.h", "unary_eq_tile_init()", "unary_eq_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("unary_ne", "unary_ne_tile", "eltwise_unary/comp.h", "unary_ne_tile_init()", "unary_ne_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("unary_lt", "unary_lt_tile", "eltwise_unary/comp.h", "unary_lt_tile_init()", "unary_lt_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("unary_le", "unary_le_tile", "eltwise_unary/comp.h", "unary_le_tile_init()", "unary_le_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("unary_gt", "unary_gt_tile", "eltwise_unary/comp.h", "unary_gt_tile_init()", "unary_gt_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("unary_ge", "unary_ge_tile", "eltwise_unary/comp.h", "unary_ge_tile_init()", "unary_ge_tile(0, 0x3f800000u)").words([0x3f80_0000, 0, 0]),
    Case::new("eqz", "eqz_tile", "eltwise_unary/comp.h", "eqz_tile_init()", "eqz_tile(0)"),
    Case::new("nez", "nez_tile", "eltwise_unary/comp.h", "nez_tile_init()", "nez_tile(0)"),
    Case::new("ltz", "ltz_tile", "eltwise_unary/comp.h", "ltz_tile_init()", "ltz_tile(0)"),
    Case::new("lez", "lez_tile", "eltwise_unary/comp.h", "lez_tile_init()", "lez_tile(0)"),
    Case::new("gtz", "gtz_tile", "eltwise_unary/comp.h", "gtz_tile_init()", "gtz_tile(0)"),
    Case::new("gez", "gez_tile", "eltwise_unary/comp.h", "gez_tile_init()", "gez_tile(0)"),
    Case::new("add_binary", "add_binary_tile", "eltwise_binary_sfpu.h", "add_binary_tile_init()", "add_binary_tile(0, 1, 0)").inputs(2),
    Case::new("sub_binary", "sub_binary_tile", "eltwise_binary_sfpu.h", "sub_binary_tile_init()", "sub_binary_tile(0, 1, 0)").inputs(2),
    Case::new("mul_binary", "mul_binary_tile", "eltwise_binary_sfpu.h", "mul_binary_tile_init()", "mul_binary_tile(0, 1, 0)").inputs(2),
    Case::new("div_binary", "div_binary_tile", "eltwise_binary_sfpu.h", "div_binary_tile_init()", "div_binary_tile(0, 1, 0)").inputs(2),
    Case::new("rsub_binary", "rsub_binary_tile", "eltwise_binary_sfpu.h", "rsub_binary_tile_init()", "rsub_binary_tile(0, 1, 0)").inputs(2),
    Case::new("power_binary", "power_binary_tile", "eltwise_binary_sfpu.h", "power_binary_tile_init()", "power_binary_tile(0, 1, 0)").inputs(2),
    Case::new("eq_binary", "eq_binary_tile", "eltwise_binary_sfpu.h", "eq_binary_tile_init()", "eq_binary_tile(0, 1, 0)").inputs(2),
    Case::new("ne_binary", "ne_binary_tile", "eltwise_binary_sfpu.h", "ne_binary_tile_init()", "ne_binary_tile(0, 1, 0)").inputs(2),
    Case::new("lt_binary", "lt_binary_tile", "eltwise_binary_sfpu.h", "lt_binary_tile_init()", "lt_binary_tile(0, 1, 0)").inputs(2),
    Case::new("le_binary", "le_binary_tile", "eltwise_binary_sfpu.h", "le_binary_tile_init()", "le_binary_tile(0, 1, 0)").inputs(2),
    Case::new("gt_binary", "gt_binary_tile", "eltwise_binary_sfpu.h", "gt_binary_tile_init()", "gt_binary_tile(0, 1, 0)").inputs(2),
    Case::new("ge_binary", "ge_binary_tile", "eltwise_binary_sfpu.h", "ge_binary_tile_init()", "ge_binary_tile(0, 1, 0)").inputs(2),
    Case::new("binary_max", "binary_max_tile", "binary_max_min.h", "binary_max_tile_init()", "binary_max_tile(0, 1, 0)").inputs(2),
    Case::new("binary_min", "binary_min_tile", "binary_max_min.h", "binary_min_tile_init()", "binary_min_tile(0, 1, 0)").inputs(2),
    Case::new("where", "where_tile", "eltwise_unary/where.h", "where_tile_init()", "where_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0, 1, 2, 0)").inputs(3),
    Case::new("log_with_base", "log_with_base_tile", "compute_kernel_api.h", "log_with_base_tile_init()", "log_with_base_tile(0, 0x3ede5bd9u)").words([0x3ede_5bd9, 0, 0]),
    Case::new("log_with_base_2", "log_with_base_tile", "compute_kernel_api.h", "log_with_base_tile_init()", "log_with_base_tile<false, true>(0, 0x3fb8aa3bu)").words([0x3fb8_aa3b, 1, 0]),
    Case::new("signbit", "signbit_tile", "compute_kernel_api.h", "signbit_tile_init()", "signbit_tile(0)"),
    Case::new("heaviside", "heaviside_tile", "compute_kernel_api.h", "heaviside_tile_init()", "heaviside_tile(0, 0x3e800000u)").words([0x3e80_0000, 0, 0]),
    Case::new("power_iterative", "power_iterative_tile", "compute_kernel_api.h", "power_iterative_tile_init()", "power_iterative_tile(0, 3u)").words([0x4040_0000, 0, 0]),
    Case::new("identity", "identity_tile", "eltwise_unary/identity.h", "identity_tile_init()", "identity_tile(0)"),
    Case::new("cbrt", "cbrt_tile", "eltwise_unary/cbrt.h", "cbrt_tile_init()", "cbrt_tile(0)"),
    Case::new("gelu_tanh", "gelu_tanh_tile", "eltwise_unary/gelu.h", "gelu_tanh_tile_init()", "gelu_tanh_tile(0)"),
    Case::new("mish", "mish_tile", "eltwise_unary/mish.h", "mish_tile_init<false>()", "mish_tile<false>(0)"),
    Case::new("hardmish", "hardmish_tile", "eltwise_unary/hardmish.h", "hardmish_tile_init()", "hardmish_tile(0)"),
    Case::new("tanhshrink", "tanhshrink_tile", "eltwise_unary/tanhshrink.h", "tanhshrink_tile_init()", "tanhshrink_tile(0)"),
    Case::new("logical_not", "logical_not_tile", "eltwise_unary/logical_not.h", "logical_not_tile_init()", "logical_not_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0)"),
    Case::new("softsign", "softsign_tile", "eltwise_unary/activations.h", "softsign_tile_init()", "softsign_tile(0)"),
    Case::new("hardsigmoid", "hardsigmoid_tile", "eltwise_unary/activations.h", "hardsigmoid_tile_init()", "hardsigmoid_tile(0)"),
    Case::new("celu", "celu_tile", "eltwise_unary/activations.h", "celu_tile_init()", "celu_tile(0, 0x3fa66666u, 0x3f44ec4fu)").words([0x3fa6_6666, 0x3f44_ec4f, 0]),
    Case::new("celu_f32", "celu_tile", "eltwise_unary/activations.h", "celu_tile_init()", "celu_tile(0, 0x3fa66666u, 0x3f44ec4fu)").words([0x3fa6_6666, 0x3f44_ec4f, 0]).of_f32(),
    Case::new("softshrink", "softshrink_tile", "eltwise_unary/activations.h", "softshrink_tile_init()", "softshrink_tile(0, 0x3f000000u)").words([0x3f00_0000, 0, 0]),
    Case::new("hardshrink", "hardshrink_tile", "eltwise_unary/activations.h", "hardshrink_tile_init()", "hardshrink_tile(0, 0x3f000000u)").words([0x3f00_0000, 0, 0]),
    Case::new("selu", "selu_tile", "eltwise_unary/selu.h", "selu_tile_init()", "selu_tile(0, 0x3f867d56u, 0x3fd62d62u)").words([0x3f86_7d56, 0x3fd6_2d62, 0]),
    Case::new("selu_f32", "selu_tile", "eltwise_unary/selu.h", "selu_tile_init()", "selu_tile(0, 0x3f867d56u, 0x3fd62d62u)").words([0x3f86_7d56, 0x3fd6_2d62, 0]).of_f32(),
    Case::new("prelu", "prelu_tile", "eltwise_unary/prelu.h", "prelu_tile_init()", "prelu_tile(0, 0x3e800000u)").words([0x3e80_0000, 0, 0]),
    Case::new("hardtanh", "hardtanh_tile", "eltwise_unary/hardtanh.h", "hardtanh_tile_init()", "hardtanh_tile(0, 0xbf400000u, 0x3fa66666u)").words([0xbf40_0000, 0x3fa6_6666, 0]),
    Case::new("threshold", "threshold_tile", "eltwise_unary/threshold.h", "threshold_tile_init()", "threshold_tile(0, 0x3f000000u, 0x40000000u)").words([0x3f00_0000, 0x4000_0000, 0]),
    Case::new("rsub", "rsub_tile", "eltwise_unary/rsub.h", "rsub_tile_init()", "rsub_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("rdiv", "rdiv_tile", "eltwise_unary/rdiv.h", "rdiv_tile_init()", "rdiv_tile(0, 0x3e99999au)").words([0x3e99_999a, 0, 0]),
    Case::new("rpow", "rpow_tile", "eltwise_unary/rpow.h", "rpow_tile_init()", "rpow_tile(0, 0x40200000u)").words([0x4020_0000, 0, 0]),
    Case::new("fmod", "fmod_tile", "eltwise_unary/fmod.h", "fmod_tile_init(0x3fc00000u, 0x3f2aaaabu)", "fmod_tile(0)").words([0x3fc0_0000, 0x3f2a_aaab, 0]),
    Case::new("remainder", "remainder_tile", "eltwise_unary/remainder.h", "remainder_tile_init(0x3fc00000u, 0x3f2aaaabu)", "remainder_tile(0)").words([0x3fc0_0000, 0x3f2a_aaab, 0]),
    Case::new("isinf", "isinf_tile", "eltwise_unary/isinf_isnan.h", "isinf_tile_init()", "isinf_tile(0)"),
    Case::new("isposinf", "isposinf_tile", "eltwise_unary/isinf_isnan.h", "isposinf_tile_init()", "isposinf_tile(0)"),
    Case::new("isneginf", "isneginf_tile", "eltwise_unary/isinf_isnan.h", "isneginf_tile_init()", "isneginf_tile(0)"),
    Case::new("isnan", "isnan_tile", "eltwise_unary/isinf_isnan.h", "isnan_tile_init()", "isnan_tile(0)"),
    Case::new("isfinite", "isfinite_tile", "eltwise_unary/isinf_isnan.h", "isfinite_tile_init()", "isfinite_tile(0)"),
    Case::new("xlogy_binary", "xlogy_binary_tile", "xlogy.h", "xlogy_binary_tile_init()", "xlogy_binary_tile(0, 1, 0)").inputs(2),
    Case::new("atan2_binary", "atan2_binary_tile", "atan2.h", "atan2_binary_tile_init()", "atan2_binary_tile(0, 1, 0)").inputs(2),
    Case::new("fmod_binary", "fmod_binary_tile", "binary_fmod.h", "fmod_binary_tile_init()", "fmod_binary_tile(0, 1, 0)").inputs(2),
    Case::new("remainder_binary", "remainder_binary_tile", "binary_remainder.h", "remainder_binary_tile_init()", "remainder_binary_tile(0, 1, 0)").inputs(2),
    Case::new("logaddexp_binary", "logaddexp_binary_tile", "logaddexp.h", "logaddexp_binary_tile_init()", "logaddexp_binary_tile(0, 1, 0)").inputs(2),
    Case::new("logaddexp2_binary", "logaddexp2_binary_tile", "logaddexp2.h", "logaddexp2_binary_tile_init()", "logaddexp2_binary_tile(0, 1, 0)").inputs(2),
    Case::new("lerp", "lerp_tile", "eltwise_unary/lerp.h", "lerp_tile_init()", "lerp_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0, 1, 2, 0)").inputs(3),
    Case::new("mac", "mac_tile", "eltwise_unary/mac.h", "mac_tile_init<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>()", "mac_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0, 1, 2, 0)").inputs(3),
    Case::new("addcmul", "addcmul_tile", "eltwise_unary/addcmul.h", "addcmul_tile_init()", "addcmul_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0, 1, 2, 0, 0x3f333333u)").inputs(3).words([0x3f33_3333, 0, 0]),
    Case::new("addcdiv", "addcdiv_tile", "eltwise_unary/addcdiv.h", "addcdiv_tile_init()", "addcdiv_tile<DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b>(0, 1, 2, 0, 0x3f333333u)").inputs(3).words([0x3f33_3333, 0, 0]),
];
