//! The catalogue of operations: a row for each operation on numbers, one for each that only integers or bits have, then one for
//! each call of the SFPU that is no operation by itself.
//!
//! A row of an operation reads: name in Rust and in the language (and as an operator), arity, what tests give its uniform
//! arguments, its domain, whether it is zero of zeros, `bounded` where it is known to be never −∞ `=>` its value over real numbers
//! `=>` the same in C++. Then, as far as it has them: its own call of the SFPU (header, init, call, operands, what a file must mind
//! that includes the header, template arguments without and with approximation), how else it is computed on tiles than by that
//! call, the call it is on integers and what it is on those without a sign, and what it is where its uniform arguments differ from
//! element to element, which a row with such arguments must say. A row of bits reads: name and operator, arity, whether it is zero
//! of zeros `=>` its value `=>` the call it is on integers, and what it is on those without a sign.
//!
//! Names and arguments of calls are those of the device headers of ttnn 0.81.1, `api/compute/**` (metalium.md §2.4–2.7).

use crate::composed;
use crate::expansion::{
    self,
    PerElement::{self, Is, Refused},
};
use crate::format::ElementType;
use crate::function::{Function, Inclusion};
use crate::operation::Cpp::{Call, Choice, Primary, Product, Sum, Unary as Prefix};
use crate::operation::Lowering::{self, Composed, LastFirst, Own, Power};
use crate::operation::SfpuForm::{Binary, Ternary, Unary};
use crate::operation::{Arithmetic, Cpp, ElementOpRow, OfZeros, OnIntegers, OnUnsigned, SfpuRow};
use crate::special;
use libm::{erf, erfc};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, PI, SQRT_2};

macro_rules! catalogue {
    (
        operations {$(
            $op:ident $name:literal $(as $operator:literal)? $arity:literal $trial:tt $domain:tt $of_zeros:ident $($bounded:ident)?
                => $value:expr => $cpp:expr
                $(=> sfpu $header:literal $init:literal $call:literal $form:expr $(, $inclusion:ident)?
                    $(=> template $exact:literal / $approximate:literal)?)?
                $(=> by $lowering:expr)?
                $(=> integers $integers:expr, $unsigned:expr)?
                $(=> per element $per_element:expr)?;
        )*}
        bits {$(
            $bits:ident $bits_name:literal $(as $bits_operator:literal)? $bits_arity:literal $bits_zeros:ident
                => $bits_value:expr => $bits_integers:expr, $bits_unsigned:expr;
        )*}
        calls {$($more_header:literal: [$(
            $more:ident $more_init:literal $more_call:literal $more_form:expr
                $(=> template $more_template:literal $(of init $init_template:literal)?)?;
        )*])*}
    ) => {
        /// An operation on elements.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ElementOp { $(#[doc = $name] $op,)* $(#[doc = $bits_name] $bits,)* }

        /// Every operation on numbers, in the order of [`ElementOp`]; some are operations on integers, too.
        pub static ELEMENT_OPS: &[ElementOpRow] = &[$(ElementOpRow {
            op: ElementOp::$op,
            name: $name,
            operator: catalogue!(@operator $($operator)?),
            arity: $arity,
            uniform: { const TRIAL: &[f64] = &$trial; TRIAL.len() },
            trial: &$trial,
            domain: $domain,
            of_zeros: OfZeros::$of_zeros,
            is_bounded_below: catalogue!(@bounded $($bounded)?),
            value: $value,
            cpp: $cpp,
            lowering: catalogue!(@lowering $op $($lowering)?),
            integers: catalogue!(@optional $($integers)?),
            unsigned: catalogue!(@optional $($unsigned)?),
            per_element: catalogue!(@per_element $($per_element)?),
        }),*];

        /// Every operation that numbers do not have, in the order of [`ElementOp`] after those.
        pub static BIT_OPS: &[ElementOpRow] = &[$(ElementOpRow {
            op: ElementOp::$bits,
            name: $bits_name,
            operator: catalogue!(@operator $($bits_operator)?),
            arity: $bits_arity,
            uniform: 0,
            trial: &[],
            domain: ALL,
            of_zeros: OfZeros::$bits_zeros,
            is_bounded_below: false,
            value: $bits_value,
            cpp: Call(""),
            lowering: Lowering::IntegersOnly,
            integers: Some($bits_integers),
            unsigned: Some($bits_unsigned),
            per_element: PerElement::NoNumbers,
        }),*];

        /// A call of the SFPU.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum SfpuOp { $($(#[doc = $call] $op,)?)* $($(#[doc = $more_call] $more,)*)* }

        /// Every call of the SFPU that the compiler emits, in the order of [`SfpuOp`].
        pub static SFPU_OPS: &[SfpuRow] = &[
            $($(SfpuRow {
                op: SfpuOp::$op,
                init: Function::new($init, Some($header)),
                call: Function::new($call, Some($header)),
                exact: concat!($($exact)?),
                approximate: concat!($($approximate)?),
                call_template: "",
                form: $form,
                inclusion: catalogue!(@inclusion $($inclusion)?),
            },)?)*
            $($(SfpuRow {
                op: SfpuOp::$more,
                init: Function::new($more_init, Some($more_header)),
                call: Function::new($more_call, Some($more_header)),
                exact: concat!($($($init_template)?)?),
                approximate: concat!($($($init_template)?)?),
                call_template: concat!($($more_template)?),
                form: $more_form,
                inclusion: Inclusion::Plain,
            },)*)*
        ];
    };
    (@operator) => { None };
    (@operator $operator:literal) => { Some($operator) };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
    (@bounded) => { false };
    (@bounded bounded) => { true };
    (@inclusion) => { Inclusion::Plain };
    (@inclusion $inclusion:ident) => { Inclusion::$inclusion };
    (@per_element) => { PerElement::NoNumbers };
    (@per_element $per_element:expr) => { $per_element };
    (@lowering $op:ident) => { Own(SfpuOp::$op, &[]) };
    (@lowering $op:ident $lowering:expr) => { $lowering };
}

/// A domain without bounds of its own.
const ALL: (f64, f64) = (-1e38, 1e38);
/// The domain of logarithms and roots.
const POSITIVE: (f64, f64) = (1e-37, 1e38);
/// Scale and slope of `selu`, for which sums of layers keep mean and variance.
const SELU: [f64; 2] = [1.0507009873554805, 1.6732632423543772];

catalogue! {
operations {
    Add "add" as "+" 2 [] ALL Zero => |x| x[0] + x[1] => Sum("{x} + {y}")
        => sfpu "api/compute/eltwise_binary_sfpu.h" "add_binary_tile_init" "add_binary_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Add)
        => integers OnIntegers::Call(SfpuOp::AddInteger), OnUnsigned::Same;
    Sub "sub" as "-" 2 [] ALL Zero => |x| x[0] - x[1] => Sum("{x} - {y}")
        => sfpu "api/compute/eltwise_binary_sfpu.h" "sub_binary_tile_init" "sub_binary_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Sub)
        => integers OnIntegers::Call(SfpuOp::SubInteger), OnUnsigned::Same;
    Mul "mul" as "*" 2 [] ALL Product => |x| x[0] * x[1] => Product("{x} * {y}")
        => sfpu "api/compute/eltwise_binary_sfpu.h" "mul_binary_tile_init" "mul_binary_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Mul)
        => integers OnIntegers::Call(SfpuOp::MulInteger), OnUnsigned::Same;
    Div "div" as "/" 2 [] ALL Quotient => |x| x[0] / x[1] => Product("{x} / {y}")
        => sfpu "api/compute/eltwise_binary_sfpu.h" "div_binary_tile_init" "div_binary_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Div)
        => integers OnIntegers::Call(SfpuOp::DivInteger), OnUnsigned::Is(ElementOp::DivUnsigned);
    Neg "neg" as "-" 1 [] ALL Zero => |x| -x[0] => Prefix("-{x}")
        => sfpu "api/compute/eltwise_unary/negative.h" "negative_tile_init" "negative_tile" Unary(0)
        => integers OnIntegers::FromZero(SfpuOp::SubInteger), OnUnsigned::Same;
    Exp "exp" 1 [] (-85.0, 88.0) NotZero bounded => |x| x[0].exp() => Call("std::exp")
        => sfpu "api/compute/eltwise_unary/exp.h" "exp_tile_init" "exp_tile" Unary(0) => template "false" / "true";
    Exp2 "exp2" 1 [] (-124.0, 127.0) NotZero bounded => |x| x[0].exp2() => Call("std::exp2")
        => sfpu "api/compute/compute_kernel_api.h" "exp2_tile_init" "exp2_tile" Unary(0);
    Log "log" 1 [] POSITIVE NotZero => |x| x[0].ln() => Call("std::log")
        => sfpu "api/compute/compute_kernel_api.h" "log_tile_init" "log_tile" Unary(0) => template "false" / "true";
    Log2 "log2" 1 [] POSITIVE NotZero => |x| x[0].log2() => Call("std::log2")
        => by Own(SfpuOp::LogBaseTwo, &[std::f32::consts::LOG2_E]);
    Log10 "log10" 1 [] POSITIVE NotZero => |x| x[0].log10() => Call("std::log10")
        => by Own(SfpuOp::LogWithBase, &[std::f32::consts::LOG10_E]);
    // As the device's own, which takes the reciprocal of the base's logarithm and ends in that product.
    LogWithBase "log_with_base" 2 [3.0] POSITIVE NotZero => |x| x[0].ln() / x[1].ln()
        => Product("std::log({x}) / std::log({y})")
        => by Lowering::Expanded
        => per element Is(expansion::LOG_WITH_BASE);
    Log1p "log1p" 1 [] (-0.99, 1e38) Zero => |x| x[0].ln_1p() => Call("std::log1p")
        => sfpu "api/compute/eltwise_unary/log1p.h" "log1p_tile_init" "log1p_tile" Unary(0) => template "false" / "true";
    Expm1 "expm1" 1 [] (-85.0, 88.0) Zero bounded => |x| x[0].exp_m1() => Call("std::expm1")
        => sfpu "api/compute/compute_kernel_api.h" "expm1_tile_init" "expm1_tile" Unary(0) => template "false" / "true";
    Sqrt "sqrt" 1 [] POSITIVE Zero bounded => |x| x[0].sqrt() => Call("std::sqrt")
        => sfpu "api/compute/eltwise_unary/sqrt.h" "sqrt_tile_init" "sqrt_tile" Unary(0);
    Rsqrt "rsqrt" 1 [] POSITIVE NotZero => |x| 1.0 / x[0].sqrt() => Product("1.0 / std::sqrt({x})")
        => sfpu "api/compute/eltwise_unary/rsqrt.h" "rsqrt_tile_init" "rsqrt_tile" Unary(0);
    Cbrt "cbrt" 1 [] ALL Zero => |x| x[0].cbrt() => Call("std::cbrt")
        => sfpu "api/compute/eltwise_unary/cbrt.h" "cbrt_tile_init" "cbrt_tile" Unary(0);
    Recip "recip" 1 [] (-1e37, 1e37) NotZero => |x| 1.0 / x[0] => Product("1.0 / {x}")
        => sfpu "api/compute/eltwise_unary/recip.h" "recip_tile_init" "recip_tile" Unary(0);
    Abs "abs" 1 [] ALL Zero bounded => |x| x[0].abs() => Call("std::abs")
        => sfpu "api/compute/compute_kernel_api.h" "abs_tile_init" "abs_tile" Unary(0)
        => integers OnIntegers::Call(SfpuOp::AbsInteger), OnUnsigned::Operand;
    Sign "sign" 1 [] ALL Zero
        => |x| if x[0] > 0.0 { 1.0 } else if x[0] < 0.0 { -1.0 } else { x[0].abs() }
        => Choice("{x} > 0.0 ? 1.0 : {x} < 0.0 ? -1.0 : 0.0")
        => sfpu "api/compute/compute_kernel_api.h" "sign_tile_init" "sign_tile" Unary(0);
    Signbit "signbit" 1 [] ALL NotZero
        => |x| if x[0].is_nan() { x[0] } else if x[0].is_sign_negative() { 1.0 } else { 0.0 }
        => Choice("std::isnan({x}) ? {x} : std::signbit({x}) ? 1.0 : 0.0")
        => sfpu "api/compute/compute_kernel_api.h" "signbit_tile_init" "signbit_tile" Unary(0);
    // 0 or 1 by the sign, and the number of a zero.
    Heaviside "heaviside" 2 [0.25] ALL NotZero
        => |x| if x[0] < 0.0 { 0.0 } else if x[0] > 0.0 { 1.0 } else if x[0] == 0.0 { x[1] } else { x[0] }
        => Choice("{x} < 0.0 ? 0.0 : {x} > 0.0 ? 1.0 : {x} == 0.0 ? {y} : {x}")
        => sfpu "api/compute/compute_kernel_api.h" "heaviside_tile_init" "heaviside_tile" Unary(1)
        => per element Is(expansion::HEAVISIDE);
    Square "square" 1 [] (-1e18, 1e18) Zero bounded => |x| x[0] * x[0] => Product("{x} * {x}")
        => sfpu "api/compute/compute_kernel_api.h" "square_tile_init" "square_tile" Unary(0);
    // The language leaves powers of -∞ open, and those to an infinity.
    Powf "powf" 2 [2.5] (1e-14, 1e15) NotZero => |x| power(x[0], x[1]) => Call("std::pow") => by Power
        => per element Is(expansion::POWF);
    Powi "powi" 2 [3.0] (-1e12, 1e12) NotZero => |x| x[0].powf(x[1]) => Call("std::pow") => by Power
        => per element Refused;
    Pow "pow" 2 [] (1e-14, 1e15) NotZero => |x| power(x[0], x[1]) => Call("std::pow")
        => sfpu "api/compute/eltwise_binary_sfpu.h" "power_binary_tile_init" "power_binary_tile" Binary;
    Sin "sin" 1 [] (-PI, PI) Zero bounded => |x| x[0].sin() => Call("std::sin")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "sin_tile_init" "sin_tile" Unary(0);
    Cos "cos" 1 [] (-PI, PI) NotZero bounded => |x| x[0].cos() => Call("std::cos")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "cos_tile_init" "cos_tile" Unary(0);
    Tan "tan" 1 [] (-1.5, 1.5) Zero => |x| x[0].tan() => Call("std::tan")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "tan_tile_init" "tan_tile" Unary(0);
    Asin "asin" 1 [] (-1.0, 1.0) Zero => |x| x[0].asin() => Call("std::asin")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "asin_tile_init" "asin_tile" Unary(0);
    Acos "acos" 1 [] (-1.0, 1.0) NotZero => |x| x[0].acos() => Call("std::acos")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "acos_tile_init" "acos_tile" Unary(0);
    Atan "atan" 1 [] ALL Zero => |x| x[0].atan() => Call("std::atan")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "atan_tile_init" "atan_tile" Unary(0);
    Atan2 "atan2" 2 [] (-1e37, 1e37) NotZero => |x| x[0].atan2(x[1]) => Call("std::atan2")
        => sfpu "api/compute/atan2.h" "atan2_binary_tile_init" "atan2_binary_tile" Binary;
    Sinh "sinh" 1 [] (-88.0, 88.0) Zero => |x| x[0].sinh() => Call("std::sinh")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "sinh_tile_init" "sinh_tile" Unary(0);
    Cosh "cosh" 1 [] (-88.0, 88.0) NotZero => |x| x[0].cosh() => Call("std::cosh")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "cosh_tile_init" "cosh_tile" Unary(0);
    Asinh "asinh" 1 [] ALL Zero => |x| x[0].asinh() => Call("std::asinh")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "asinh_tile_init" "asinh_tile" Unary(0);
    Acosh "acosh" 1 [] (1.0, 1e38) NotZero => |x| x[0].acosh() => Call("std::acosh")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "acosh_tile_init" "acosh_tile" Unary(0);
    Atanh "atanh" 1 [] (-0.999, 0.999) Zero => |x| x[0].atanh() => Call("std::atanh")
        => sfpu "api/compute/eltwise_unary/trigonometry.h" "atanh_tile_init" "atanh_tile" Unary(0);
    Tanh "tanh" 1 [] ALL Zero bounded => |x| x[0].tanh() => Call("std::tanh")
        => sfpu "api/compute/compute_kernel_api.h" "tanh_tile_init" "tanh_tile" Unary(0) => template "false" / "true";
    // Near 0 by its series: the difference of two numbers that are nearly equal has no digits left.
    Tanhshrink "tanhshrink" 1 [] ALL Zero
        => |x| if x[0].abs() < 3e-3 { x[0].powi(3) / 3.0 * (1.0 - 0.4 * x[0] * x[0]) } else { x[0] - x[0].tanh() }
        => Choice("std::abs({x}) < 3e-3 ? {x} * {x} * {x} / 3.0 * (1.0 - 0.4 * {x} * {x}) : {x} - std::tanh({x})")
        => sfpu "api/compute/eltwise_unary/tanhshrink.h" "tanhshrink_tile_init" "tanhshrink_tile" Unary(0), Last;
    // The device's own is Blackhole's alone.
    Softcap "softcap" 2 [2.0] ALL Zero
        => |x| x[1] * (x[0] / x[1]).tanh() => Product("{y} * std::tanh({x} / {y})")
        => by Lowering::Expanded
        => per element Is(expansion::SOFTCAP);
    // The device's own takes its numbers from registers, as this does where they differ from element to element.
    SnakeBeta "snake_beta" 3 [0.5, 2.0] (-6.0, 6.0) Zero
        => |x| x[0] + (x[0] * x[1]).sin().powi(2) / x[2]
        => Sum("{x} + std::pow(std::sin({x} * {y}), 2.0) / {z}")
        => by Lowering::Expanded
        => per element Is(expansion::SNAKE_BETA);
    Sigmoid "sigmoid" 1 [] (-85.0, 1e38) NotZero bounded
        => |x| 1.0 / (1.0 + (-x[0]).exp()) => Product("1.0 / (1.0 + std::exp(-{x}))")
        => sfpu "api/compute/compute_kernel_api.h" "sigmoid_tile_init" "sigmoid_tile" Unary(0);
    Silu "silu" 1 [] (-80.0, 1e38) Zero
        => |x| x[0] / (1.0 + (-x[0]).exp()) => Product("{x} / (1.0 + std::exp(-{x}))")
        => sfpu "api/compute/compute_kernel_api.h" "silu_tile_init" "silu_tile" Unary(0);
    // The sum of the device's own is a polynomial, off by 1 % (docs/numbers.md).
    Logsigmoid "logsigmoid" 1 [] (-1e38, 85.0) NotZero
        => |x| -(maximum(-x[0], 0.0) + (-x[0].abs()).exp().ln_1p())
        => Sum("-std::fmax(-{x}, 0.0) - std::log1p(std::exp(-std::abs({x})))")
        => by Composed { program: composed::logsigmoid, wide: false, approximate: None };
    Softsign "softsign" 1 [] (-1e37, 1e37) Zero => |x| x[0] / (1.0 + x[0].abs()) => Product("{x} / (1.0 + std::abs({x}))")
        => sfpu "api/compute/eltwise_unary/activations.h" "softsign_tile_init" "softsign_tile" Unary(0), OfTwoPrecisions;
    Mish "mish" 1 [] (-80.0, 1e38) Zero
        => |x| x[0] * (maximum(x[0], 0.0) + (-x[0].abs()).exp().ln_1p()).tanh()
        => Product("{x} * std::tanh(std::fmax({x}, 0.0) + std::log1p(std::exp(-std::abs({x}))))")
        => sfpu "api/compute/eltwise_unary/mish.h" "mish_tile_init" "mish_tile" Unary(0) => template "false" / "true";
    Gelu "gelu" 1 [] (-12.0, 1e38) Zero
        => |x| 0.5 * x[0] * (1.0 + erf(x[0] / SQRT_2)) => Product("0.5 * {x} * (1.0 + std::erf({x} / std::sqrt(2.0)))")
        => sfpu "api/compute/eltwise_unary/gelu.h" "gelu_tile_init" "gelu_tile" Unary(0) => template "false" / "true";
    // 2 · sqrt(2 / π), and the quotient that 1 + tanh is.
    GeluTanh "gelu_tanh" 1 [] (-5.0, 1e38) Zero
        => |x| x[0] / (1.0 + (-1.5957691216057308 * (x[0] + 0.044715 * x[0] * x[0] * x[0])).exp())
        => Product("{x} / (1.0 + std::exp(-1.5957691216057308 * ({x} + 0.044715 * {x} * {x} * {x})))")
        => sfpu "api/compute/eltwise_unary/gelu.h" "gelu_tanh_tile_init" "gelu_tanh_tile" Unary(0);
    Relu "relu" 1 [] ALL Zero bounded => |x| maximum(x[0], 0.0) => Primary("std::fmax({x}, 0.0)")
        => sfpu "api/compute/eltwise_unary/relu.h" "relu_tile_init" "relu_tile" Unary(0);
    LeakyRelu "leaky_relu" 2 [0.25] ALL Zero
        => |x| if x[0] > 0.0 { x[0] } else { x[0] * x[1] } => Choice("{x} > 0.0 ? {x} : {x} * {y}")
        => sfpu "api/compute/eltwise_unary/relu.h" "leaky_relu_tile_init" "leaky_relu_tile" Unary(1)
        => per element Is(expansion::LEAKY_RELU);
    ReluMax "relu_max" 2 [0.5] ALL NotZero
        => |x| -maximum(-maximum(x[0], 0.0), -x[1]) => Primary("std::fmin(std::fmax({x}, 0.0), {y})")
        => sfpu "api/compute/eltwise_unary/relu.h" "relu_max_tile_init" "relu_max_tile" Unary(1)
        => per element Is(expansion::RELU_MAX);
    Threshold "threshold" 3 [-0.75, 0.5] ALL NotZero
        => |x| if x[0] <= x[1] { x[2] } else { x[0] } => Choice("{x} <= {y} ? {z} : {x}")
        => sfpu "api/compute/eltwise_unary/threshold.h" "threshold_tile_init" "threshold_tile" Unary(2)
        => per element Is(expansion::THRESHOLD);
    // Without a value where NaN is an operand.
    Softshrink "softshrink" 2 [0.5] ALL NotZero
        => |x| if x[0] > x[1] { x[0] - x[1] } else if x[0] < -x[1] { x[0] + x[1] } else { 0.0 * x[0] }
        => Choice("{x} > {y} ? {x} - {y} : {x} < -{y} ? {x} + {y} : 0.0 * {x}")
        => sfpu "api/compute/eltwise_unary/activations.h" "softshrink_tile_init" "softshrink_tile" Unary(1), OfTwoPrecisions
        => per element Is(expansion::SOFTSHRINK);
    Hardshrink "hardshrink" 2 [0.5] ALL Zero
        => |x| if x[0].abs() > x[1] { x[0] } else { 0.0 * x[0] } => Choice("std::abs({x}) > {y} ? {x} : 0.0 * {x}")
        => sfpu "api/compute/eltwise_unary/activations.h" "hardshrink_tile_init" "hardshrink_tile" Unary(1), OfTwoPrecisions
        => per element Is(expansion::HARDSHRINK);
    Elu "elu" 2 [0.25] ALL Zero
        => |x| if x[0] > 0.0 { x[0] } else { x[1] * x[0].exp_m1() } => Choice("{x} > 0.0 ? {x} : {y} * std::expm1({x})")
        => sfpu "api/compute/eltwise_unary/elu.h" "elu_tile_init" "elu_tile" Unary(1), OfTwoPrecisions
        => per element Is(expansion::ELU);
    Selu "selu" 1 [] ALL Zero
        => |x| if x[0] > 0.0 { SELU[0] * x[0] } else { SELU[0] * SELU[1] * x[0].exp_m1() }
        => Choice("{x} > 0.0 ? 1.0507009873554805 * {x} : 1.0507009873554805 * 1.6732632423543772 * std::expm1({x})")
        => sfpu "api/compute/eltwise_unary/selu.h" "selu_tile_init" "selu_tile" Unary(2), OfTwoPrecisions
        => by Own(SfpuOp::Selu, &[SELU[0] as f32, SELU[1] as f32]);
    Celu "celu" 2 [0.25] ALL NotZero
        => |x| if x[0] > 0.0 { x[0] } else { x[1] * (x[0] / x[1]).exp_m1() }
        => Choice("{x} > 0.0 ? {x} : {y} * std::expm1({x} / {y})")
        => sfpu "api/compute/eltwise_unary/activations.h" "celu_tile_init" "celu_tile" Unary(2), OfTwoPrecisions
        => by Lowering::WithReciprocal(SfpuOp::Celu)
        => per element Is(expansion::CELU);
    Hardsigmoid "hardsigmoid" 1 [] ALL NotZero
        => |x| if x[0] < -3.0 { 0.0 } else if x[0] > 3.0 { 1.0 } else { x[0] / 6.0 + 0.5 }
        => Choice("{x} < -3.0 ? 0.0 : {x} > 3.0 ? 1.0 : {x} / 6.0 + 0.5")
        => sfpu "api/compute/eltwise_unary/activations.h" "hardsigmoid_tile_init" "hardsigmoid_tile" Unary(0), OfTwoPrecisions
        => by Composed {
            program: composed::hardsigmoid,
            wide: false,
            approximate: Some((SfpuOp::Hardsigmoid, &[])),
        };
    Hardmish "hardmish" 1 [] ALL Zero
        => |x| x[0] * -maximum(-maximum(x[0] / 2.0 + 1.0, 0.0), -1.0)
        => Product("{x} * std::fmin(std::fmax({x} / 2.0 + 1.0, 0.0), 1.0)")
        => sfpu "api/compute/eltwise_unary/hardmish.h" "hardmish_tile_init" "hardmish_tile" Unary(0);
    Hardswish "hardswish" 1 [] ALL Zero
        => |x| x[0] * (maximum(-maximum(-x[0] - 3.0, -6.0), 0.0) / 6.0)
        => Product("{x} * (std::fmin(std::fmax({x} + 3.0, 0.0), 6.0) / 6.0)")
        => by Composed { program: composed::hardswish, wide: false, approximate: None };
    // The device's own is log(1 + exp(β x)) / β, and x itself above a threshold, where they agree in f32: here β, 1/β, 20.
    Softplus "softplus" 1 [] (-85.0, 1e38) NotZero bounded
        => |x| maximum(x[0], 0.0) + (-x[0].abs()).exp().ln_1p()
        => Sum("std::fmax({x}, 0.0) + std::log1p(std::exp(-std::abs({x})))")
        => sfpu "api/compute/eltwise_unary/softplus.h" "softplus_tile_init" "softplus_tile" Unary(3), OfTwoPrecisions
        => by Composed {
            program: composed::softplus,
            wide: false,
            approximate: Some((SfpuOp::Softplus, &[1.0, 1.0, 20.0])),
        };
    Erf "erf" 1 [] ALL Zero => |x| erf(x[0]) => Call("std::erf")
        => sfpu "api/compute/eltwise_unary/erf_erfc.h" "erf_tile_init" "erf_tile" Unary(0), OfTwoPrecisions => template "false" / "true";
    Erfc "erfc" 1 [] (-1e38, 9.1) NotZero => |x| erfc(x[0]) => Call("std::erfc")
        => sfpu "api/compute/eltwise_unary/erf_erfc.h" "erfc_tile_init" "erfc_tile" Unary(0), OfTwoPrecisions
        => by Composed { program: composed::erfc, wide: true, approximate: Some((SfpuOp::Erfc, &[])) };
    Erfinv "erfinv" 1 [] (-0.99999, 0.99999) Zero => |x| special::erf_inverse(x[0]) => Cpp::None
        => by Composed { program: composed::erf_inverse, wide: true, approximate: None };
    I0 "i0" 1 [] (-85.0, 85.0) NotZero => |x| special::bessel_i(0, x[0]) => Cpp::None
        => by Composed { program: composed::bessel_i0, wide: true, approximate: None };
    I1 "i1" 1 [] (-85.0, 85.0) Zero => |x| special::bessel_i(1, x[0]) => Cpp::None
        => by Composed { program: composed::bessel_i1, wide: true, approximate: None };
    // Of numbers above 0.
    Lgamma "lgamma" 1 [] (1e-30, 1e36) NotZero => |x| special::log_gamma(x[0]) => Cpp::None
        => by Composed { program: composed::log_gamma, wide: true, approximate: None };
    Digamma "digamma" 1 [] (1e-30, 1e38) NotZero => |x| special::digamma(x[0]) => Cpp::None
        => by Composed { program: composed::digamma, wide: true, approximate: None };
    GeluDerivative "gelu_derivative" 1 [] (-12.0, 1e38) NotZero => |x| special::gelu_derivative(x[0]) => Cpp::None
        => by Composed { program: composed::gelu_derivative, wide: true, approximate: None };
    TanhDerivative "tanh_derivative" 1 [] (-42.0, 42.0) NotZero => |x| special::tanh_derivative(x[0]) => Cpp::None
        => by Composed { program: composed::tanh_derivative, wide: true, approximate: None };
    Floor "floor" 1 [] ALL Zero => |x| x[0].floor() => Call("std::floor")
        => sfpu "api/compute/eltwise_unary/rounding.h" "rounding_op_tile_init" "floor_tile" Unary(0);
    Ceil "ceil" 1 [] ALL Zero => |x| x[0].ceil() => Call("std::ceil")
        => sfpu "api/compute/eltwise_unary/rounding.h" "rounding_op_tile_init" "ceil_tile" Unary(0);
    // In C++ to even at halves, in the rounding mode that every program starts with. The number of the device's call is a
    // count of decimals, an integer: only 0 is emitted, whose bits are those of 0.0.
    Round "round" 1 [] ALL Zero => |x| x[0].round_ties_even() => Call("std::nearbyint")
        => sfpu "api/compute/eltwise_unary/rounding.h" "rounding_op_tile_init" "round_tile" Unary(1)
        => by Own(SfpuOp::Round, &[0.0]);
    Trunc "trunc" 1 [] ALL Zero => |x| x[0].trunc() => Call("std::trunc")
        => sfpu "api/compute/eltwise_unary/rounding.h" "rounding_op_tile_init" "trunc_tile" Unary(0);
    Frac "frac" 1 [] ALL Zero => |x| x[0] - x[0].trunc() => Sum("{x} - std::trunc({x})")
        => sfpu "api/compute/eltwise_unary/rounding.h" "rounding_op_tile_init" "frac_tile" Unary(0);
    // With the sign of the dividend. The language leaves open what an infinite divisor leaves.
    Fmod "fmod" 2 [] (-100.0, 100.0) NotZero
        => |x| if x[1].is_infinite() { f64::NAN } else { x[0] % x[1] } => Call("std::fmod")
        => sfpu "api/compute/binary_fmod.h" "fmod_binary_tile_init" "fmod_binary_tile" Binary;
    // With the sign of the divisor.
    Remainder "remainder" 2 [] (-100.0, 100.0) NotZero
        => |x| if x[1].is_infinite() { f64::NAN } else { x[0] - (x[0] / x[1]).floor() * x[1] } => Cpp::None
        => by Composed { program: composed::remainder, wide: false, approximate: None };
    Logaddexp "logaddexp" 2 [] ALL NotZero
        => |x| maximum(x[0], x[1]) + (-(x[0] - x[1]).abs()).exp().ln_1p()
        => Sum("std::fmax({x}, {y}) + std::log1p(std::exp(-std::abs({x} - {y})))")
        => sfpu "api/compute/logaddexp.h" "logaddexp_binary_tile_init" "logaddexp_binary_tile" Binary;
    Logaddexp2 "logaddexp2" 2 [] ALL NotZero
        => |x| maximum(x[0], x[1]) + (-(x[0] - x[1]).abs()).exp2().ln_1p() / LN_2
        => Sum("std::fmax({x}, {y}) + std::log1p(std::exp2(-std::abs({x} - {y}))) / std::log(2.0)")
        => sfpu "api/compute/logaddexp2.h" "logaddexp2_binary_tile_init" "logaddexp2_binary_tile" Binary;
    Min "min" 2 [] ALL Smaller => |x| -maximum(-x[0], -x[1]) => Call("std::fmin")
        => sfpu "api/compute/binary_max_min.h" "binary_min_tile_init" "binary_min_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Min)
        => integers OnIntegers::Call(SfpuOp::MinInteger), OnUnsigned::InOrder;
    Max "max" 2 [] ALL Larger => |x| maximum(x[0], x[1]) => Call("std::fmax")
        => sfpu "api/compute/binary_max_min.h" "binary_max_tile_init" "binary_max_tile" Binary
        => by Lowering::Arithmetic(Arithmetic::Max)
        => integers OnIntegers::Call(SfpuOp::MaxInteger), OnUnsigned::InOrder;
    Clamp "clamp" 3 [-0.75, 0.5] ALL Clamped
        => |x| -maximum(-maximum(x[0], x[1]), -x[2]) => Primary("std::fmin(std::fmax({x}, {y}), {z})")
        => sfpu "api/compute/eltwise_unary/clamp.h" "clamp_tile_init" "clamp_tile" Unary(2)
        => per element Is(expansion::CLAMP);
    Xlogy "xlogy" 2 [] POSITIVE Zero => |x| if x[0] == 0.0 { 0.0 } else { x[0] * x[1].ln() } => Cpp::None
        => by Composed { program: composed::xlogy, wide: false, approximate: None };
    Rsub "rsub" 2 [] ALL Zero => |x| x[1] - x[0] => Sum("{y} - {x}") => by Lowering::Reversed(Arithmetic::Sub);
    Rdiv "rdiv" 2 [] (-1e37, 1e37) NotZero => |x| x[1] / x[0] => Product("{y} / {x}")
        => by Lowering::Reversed(Arithmetic::Div);
    Rpow "rpow" 2 [] (-2.5, 2.5) NotZero => |x| power(x[1], x[0]) => Cpp::None
        => by Composed { program: composed::power_of_other, wide: false, approximate: None };
    Prelu "prelu" 2 [] ALL Zero => |x| if x[0] < 0.0 { x[0] * x[1] } else { x[0] }
        => Choice("{x} < 0.0 ? {x} * {y} : {x}")
        => by Composed { program: composed::prelu, wide: false, approximate: None };
    Lerp "lerp" 3 [] (0.01, 100.0) Zero => |x| x[0] + x[2] * (x[1] - x[0]) => Sum("{x} + {z} * ({y} - {x})")
        => by Own(SfpuOp::LerpTile, &[]);
    Mac "mac" 3 [] (0.01, 100.0) Zero => |x| x[0] * x[1] + x[2] => Sum("{x} * {y} + {z}")
        => by LastFirst(SfpuOp::AddcmulTile, &[1.0]);
    Addcmul "addcmul" 4 [0.5] (0.01, 100.0) Zero => |x| x[0] + x[3] * x[1] * x[2] => Cpp::None
        => by Own(SfpuOp::AddcmulTile, &[])
        => per element Refused;
    Addcdiv "addcdiv" 4 [0.5] (0.01, 100.0) NotZero => |x| x[0] + x[3] * x[1] / x[2] => Cpp::None
        => by Own(SfpuOp::AddcdivTile, &[])
        => per element Refused;
    // Truth values as numbers. What is NaN has no certain value.
    IsClose "isclose" 4 [0.25, 0.5] ALL NotZero => |x| close(x[0], x[1], x[2], x[3]) => Cpp::None
        => by Composed { program: composed::is_close, wide: false, approximate: None }
        => per element Refused;
    LogicalNot "logical_not" 1 [] ALL NotZero => |x| truth(x[0], |x| x == 0.0) => Cpp::None
        => by Own(SfpuOp::EqZero, &[]);
    IsNan "isnan" 1 [] ALL Zero => |x| truth(x[0], f64::is_nan) => Cpp::None
        => sfpu "api/compute/eltwise_unary/isinf_isnan.h" "isnan_tile_init" "isnan_tile" Unary(0);
    IsInfinite "isinf" 1 [] ALL Zero => |x| truth(x[0], f64::is_infinite) => Cpp::None
        => sfpu "api/compute/eltwise_unary/isinf_isnan.h" "isinf_tile_init" "isinf_tile" Unary(0);
    IsPositiveInfinity "isposinf" 1 [] ALL Zero => |x| truth(x[0], |x| x == f64::INFINITY) => Cpp::None
        => sfpu "api/compute/eltwise_unary/isinf_isnan.h" "isposinf_tile_init" "isposinf_tile" Unary(0);
    IsNegativeInfinity "isneginf" 1 [] ALL Zero => |x| truth(x[0], |x| x == f64::NEG_INFINITY) => Cpp::None
        => sfpu "api/compute/eltwise_unary/isinf_isnan.h" "isneginf_tile_init" "isneginf_tile" Unary(0);
    IsFinite "isfinite" 1 [] ALL NotZero => |x| truth(x[0], f64::is_finite) => Cpp::None
        => sfpu "api/compute/eltwise_unary/isinf_isnan.h" "isfinite_tile_init" "isfinite_tile" Unary(0);
    Hardtanh "hardtanh" 3 [-0.75, 0.5] ALL Clamped
        => |x| -maximum(-maximum(x[0], x[1]), -x[2]) => Cpp::None
        => by Own(SfpuOp::Clamp, &[])
        => per element Is(expansion::CLAMP);
}
// Over exact integers of any type; the caller cuts them to the type's width.
bits {
    Rem "rem" as "%" 2 Quotient => |x| x[0] % x[1] => OnIntegers::Remainder, OnUnsigned::Is(ElementOp::RemUnsigned);
    // What `/` and `%` are of elements of `u32`, which are held as `i32`.
    DivUnsigned "div_unsigned" 2 Quotient => |x| integers(x, |x, y| unsigned(x, y, u32::checked_div))
        => OnIntegers::Unsigned, OnUnsigned::Same;
    RemUnsigned "rem_unsigned" 2 Quotient => |x| integers(x, |x, y| unsigned(x, y, u32::checked_rem))
        => OnIntegers::Unsigned, OnUnsigned::Same;
    // The greatest divisor, the least multiple of magnitudes; of `i32::MIN` without a certain value.
    Gcd "gcd" 2 NotZero => |x| integers(x, divisor) => OnIntegers::Call(SfpuOp::GcdInteger), OnUnsigned::Refused;
    Lcm "lcm" 2 NotZero => |x| integers(x, multiple) => OnIntegers::Multiple, OnUnsigned::Refused;
    BitAnd "bit_and" as "&" 2 Zero => |x| integers(x, |x, y| x & y) => OnIntegers::Call(SfpuOp::AndInteger), OnUnsigned::Same;
    BitOr "bit_or" as "|" 2 Zero => |x| integers(x, |x, y| x | y) => OnIntegers::Call(SfpuOp::OrInteger), OnUnsigned::Same;
    BitXor "bit_xor" as "^" 2 Zero => |x| integers(x, |x, y| x ^ y) => OnIntegers::Call(SfpuOp::XorInteger), OnUnsigned::Same;
    // By less than nothing, or by 32 and more, nothing is left, not even a sign (`ckernel_sfpu_shift.h`).
    Shl "shl" as "<<" 2 Zero => |x| integers(x, |x, y| if (0..32).contains(&y) { x << y } else { 0 })
        => OnIntegers::Call(SfpuOp::ShlInteger), OnUnsigned::Same;
    Shr "shr" as ">>" 2 Zero => |x| integers(x, |x, y| if (0..32).contains(&y) { x >> y } else { 0 })
        => OnIntegers::Call(SfpuOp::ShrInteger), OnUnsigned::WithoutSign;
    BitNot "bit_not" as "!" 1 NotZero => |x| integers(x, |x, _| !x) => OnIntegers::Call(SfpuOp::NotInteger), OnUnsigned::Same;
    ToBits "to_bits" 1 Zero => |x| f64::from((x[0] as f32).to_bits() as i32)
        => OnIntegers::Same([ElementType::F32, ElementType::I32]), OnUnsigned::Same;
    FromBits "from_bits" 1 Zero => |x| f64::from(f32::from_bits(x[0] as i64 as u32))
        => OnIntegers::Same([ElementType::I32, ElementType::F32]), OnUnsigned::Same;
}
calls {
    "api/compute/compute_kernel_api.h": [
        AbsInteger "abs_tile_init" "abs_tile_int32" Unary(0);
        LogWithBase "log_with_base_tile_init" "log_with_base_tile" Unary(1) => template "false, false" of init "false";
        // Powers of two are exact.
        LogBaseTwo "log_with_base_tile_init" "log_with_base_tile" Unary(1) => template "false, true" of init "false";
        Power "power_tile_init" "power_tile" Unary(1);
        UnaryMax "unary_max_tile_init" "unary_max_tile" Unary(1);
        UnaryMin "unary_min_tile_init" "unary_min_tile" Unary(1);
        // Down columns, into row 0; along rows, into column 0. What lies elsewhere is of no meaning afterwards.
        SumColumns "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::SUM, DST_FORMAT, ReduceDim::REDUCE_COL" of init "PoolType::SUM, DST_FORMAT";
        SumRows "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::SUM, DST_FORMAT, ReduceDim::REDUCE_ROW" of init "PoolType::SUM, DST_FORMAT";
        MaxColumns "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::MAX, DST_FORMAT, ReduceDim::REDUCE_COL" of init "PoolType::MAX, DST_FORMAT";
        MaxRows "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::MAX, DST_FORMAT, ReduceDim::REDUCE_ROW" of init "PoolType::MAX, DST_FORMAT";
        MinColumns "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::MIN, DST_FORMAT, ReduceDim::REDUCE_COL" of init "PoolType::MIN, DST_FORMAT";
        MinRows "sfpu_reduce_init" "sfpu_reduce" Unary(0)
            => template "PoolType::MIN, DST_FORMAT, ReduceDim::REDUCE_ROW" of init "PoolType::MIN, DST_FORMAT";
    ]
    "api/compute/eltwise_unary/binop_with_scalar.h": [
        AddNumber "binop_with_scalar_tile_init" "add_unary_tile" Unary(1);
        SubNumber "binop_with_scalar_tile_init" "sub_unary_tile" Unary(1);
        MulNumber "binop_with_scalar_tile_init" "mul_unary_tile" Unary(1);
        RsubNumber "binop_with_scalar_tile_init" "rsub_unary_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/comp.h": [
        EqNumber "unary_eq_tile_init" "unary_eq_tile" Unary(1);
        NeNumber "unary_ne_tile_init" "unary_ne_tile" Unary(1);
        LtNumber "unary_lt_tile_init" "unary_lt_tile" Unary(1);
        LeNumber "unary_le_tile_init" "unary_le_tile" Unary(1);
        GtNumber "unary_gt_tile_init" "unary_gt_tile" Unary(1);
        GeNumber "unary_ge_tile_init" "unary_ge_tile" Unary(1);
        EqZero "eqz_tile_init" "eqz_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/fill.h": [
        FillBits "fill_tile_init" "fill_tile_bitcast" Unary(1);
        FillInteger "fill_tile_init" "fill_tile_int" Unary(1) => template "DataFormat::Int32";
    ]
    "api/compute/eltwise_binary_sfpu.h": [
        Eq "eq_binary_tile_init" "eq_binary_tile" Binary;
        Ne "ne_binary_tile_init" "ne_binary_tile" Binary;
        Lt "lt_binary_tile_init" "lt_binary_tile" Binary;
        Le "le_binary_tile_init" "le_binary_tile" Binary;
        Gt "gt_binary_tile_init" "gt_binary_tile" Binary;
        Ge "ge_binary_tile_init" "ge_binary_tile" Binary;
    ]
    // Integers of 32 bits with a sign; comparisons give the integers 1 and 0.
    "api/compute/add_int_sfpu.h": [
        AddInteger "add_int_tile_init" "add_int_tile" Binary => template "DataFormat::Int32";
    ]
    "api/compute/sub_int_sfpu.h": [
        SubInteger "sub_int_tile_init" "sub_int_tile" Binary => template "DataFormat::Int32";
    ]
    "api/compute/mul_int_sfpu.h": [
        MulInteger "mul_int_tile_init" "mul_int_tile" Binary
            => template "DataFormat::Int32" of init "DataFormat::Int32";
    ]
    // Towards zero.
    "api/compute/div_int32_floor.h": [
        DivInteger "div_int32_trunc_tile_init" "div_int32_trunc_tile" Binary;
    ]
    "api/compute/binary_bitwise_sfpu.h": [
        AndInteger "binary_bitwise_tile_init" "bitwise_and_binary_tile" Binary => template "DataFormat::Int32";
        OrInteger "binary_bitwise_tile_init" "bitwise_or_binary_tile" Binary => template "DataFormat::Int32";
        XorInteger "binary_bitwise_tile_init" "bitwise_xor_binary_tile" Binary => template "DataFormat::Int32";
    ]
    "api/compute/binary_shift.h": [
        ShlInteger "binary_shift_tile_init" "binary_left_shift_tile" Binary => template "DataFormat::Int32";
        ShrInteger "binary_shift_tile_init" "binary_right_shift_tile" Binary => template "DataFormat::Int32";
    ]
    "api/compute/eltwise_unary/bitwise_not.h": [
        NotInteger "bitwise_not_tile_init" "bitwise_not_tile" Unary(0);
    ]
    "api/compute/binary_max_min.h": [
        MaxInteger "binary_max_int32_tile_init" "binary_max_int32_tile" Binary;
        MinInteger "binary_min_int32_tile_init" "binary_min_int32_tile" Binary;
    ]
    "api/compute/binary_comp.h": [
        EqInteger "eq_int_tile_init" "eq_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
        NeInteger "ne_int_tile_init" "ne_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
        LtInteger "lt_int_tile_init" "lt_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
        LeInteger "le_int_tile_init" "le_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
        GtInteger "gt_int_tile_init" "gt_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
        GeInteger "ge_int_tile_init" "ge_int_tile" Binary => template "DataFormat::Int32" of init "DataFormat::Int32";
    ]
    "api/compute/eltwise_unary/typecast.h": [
        ToInteger "typecast_tile_init" "typecast_tile" Unary(0)
            => template "(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Int32"
            of init "(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Int32";
        FromInteger "typecast_tile_init" "typecast_tile" Unary(0)
            => template "(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float32"
            of init "(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float32";
        // To nearest, ties to even (`ckernel_sfpu_typecast.h`).
        ToBf16 "typecast_tile_init" "typecast_tile" Unary(0)
            => template "(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b"
            of init "(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b";
    ]
    "api/compute/eltwise_unary/lerp.h": [ LerpTile "lerp_tile_init" "lerp_tile" Ternary(0) => template "DST_FORMAT"; ]
    "api/compute/eltwise_unary/addcmul.h": [
        AddcmulTile "addcmul_tile_init" "addcmul_tile" Ternary(1) => template "DST_FORMAT";
    ]
    "api/compute/eltwise_unary/addcdiv.h": [
        AddcdivTile "addcdiv_tile_init" "addcdiv_tile" Ternary(1) => template "DST_FORMAT";
    ]
    "api/compute/gcd.h": [ GcdInteger "gcd_tile_init" "gcd_tile" Binary; ]
    // where_tile's template names the format of the destination registers, not of a buffer (patterns.md, surprise 3).
    "api/compute/eltwise_unary/where.h": [
        Select "where_tile_init" "where_tile" Ternary(0) => template "DST_FORMAT";
    ]
}
}

/// The larger; NaN where one is, since the language leaves open what chips give there.
fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) }
}

/// `x` to the power of `y`; NaN where the language leaves it open.
fn power(x: f64, y: f64) -> f64 {
    if x == f64::NEG_INFINITY || y.is_infinite() {
        f64::NAN
    } else {
        x.powf(y)
    }
}

/// `value` of one or two integers; NaN where one is none.
fn integers(x: &[f64], value: fn(i64, i64) -> i64) -> f64 {
    match x {
        x if x.iter().any(|x| x.is_nan()) => f64::NAN,
        [x] => value(*x as i64, 0) as f64,
        [x, y, ..] => value(*x as i64, *y as i64) as f64,
        [] => f64::NAN,
    }
}

/// 1 where `holds` of `x`, else 0; NaN of NaN, which is not certain to be one on chips.
fn truth(x: f64, holds: fn(f64) -> bool) -> f64 {
    if x.is_nan() { x } else { f64::from(u8::from(holds(x))) }
}

/// 1 where `x` is within `absolute` and `relative` times `y` of `y`, else 0.
fn close(x: f64, y: f64, relative: f64, absolute: f64) -> f64 {
    let within = (x - y).abs() <= absolute + relative * y.abs() && (x - y).is_finite();
    truth(x + y * 0.0, |_| true) * f64::from(u8::from(x == y || within))
}

/// The greatest integer that divides both.
fn divisor(x: i64, y: i64) -> i64 {
    let (mut x, mut y) = (x.abs(), y.abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

/// The least multiple of two magnitudes, cut to 32 bits: more than numbers hold exactly has 62.
fn multiple(x: i64, y: i64) -> i64 {
    let multiple = x.abs() / divisor(x, y).max(1) * y.abs();
    (multiple as i32).into()
}

/// `value` of the bits of two integers without a sign, as one with a sign; of nothing 0.
fn unsigned(x: i64, y: i64, value: fn(u32, u32) -> Option<u32>) -> i64 {
    (value(x as u32, y as u32).unwrap_or(0) as i32).into()
}

impl ElementOp {
    /// The operation's row.
    pub fn row(self) -> &'static ElementOpRow {
        let at = self as usize;
        match at.checked_sub(ELEMENT_OPS.len()) {
            None => &ELEMENT_OPS[at],
            Some(at) => &BIT_OPS[at],
        }
    }

    /// The operation that users call `name`: on numbers, or one that only integers have.
    pub fn named(name: &str) -> Option<ElementOp> {
        let of_integers = BIT_OPS.iter().filter(|row| ElementOp::OF_INTEGERS.contains(&row.op));
        let mut rows = ELEMENT_OPS.iter().chain(of_integers);
        rows.find(|row| row.name == name).map(|row| row.op)
    }

    /// The operations that only integers have and that are written by name.
    pub const OF_INTEGERS: [ElementOp; 2] = [ElementOp::Gcd, ElementOp::Lcm];
}

impl SfpuOp {
    /// Its row.
    pub fn row(self) -> &'static SfpuRow {
        &SFPU_OPS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_takes_the_operands_of_its_operation() {
        for row in ELEMENT_OPS {
            let elements = row.arity - row.uniform;
            match row.lowering {
                Own(call, numbers) => {
                    let form = match elements {
                        1 => Unary(row.uniform + numbers.len()),
                        2 => Binary,
                        _ => Ternary(row.uniform),
                    };
                    assert_eq!(call.row().form, form, "{}", row.name);
                    assert!(form != Binary || row.arity == 2, "{}", row.name);
                    assert!(elements == 1 || numbers.is_empty(), "{}", row.name);
                }
                LastFirst(call, numbers) => {
                    assert_eq!((elements, row.uniform), (3, 0), "{}", row.name);
                    assert_eq!(call.row().form, Ternary(numbers.len()), "{}", row.name);
                }
                Lowering::WithReciprocal(call) => {
                    assert_eq!((elements, row.uniform), (1, 1), "{}", row.name);
                    assert_eq!(call.row().form, Unary(2), "{}", row.name);
                }
                Composed {
                    program, approximate, ..
                } => {
                    assert!(program().registers >= elements, "{}", row.name);
                    if let Some((call, numbers)) = approximate {
                        assert_eq!((elements, row.uniform), (1, 0), "{}", row.name);
                        assert_eq!(call.row().form, Unary(numbers.len()), "{}", row.name);
                    }
                }
                Power => assert_eq!((elements, row.uniform), (1, 1), "{}", row.name),
                Lowering::Arithmetic(_) | Lowering::Reversed(_) => {
                    assert_eq!((elements, row.uniform), (2, 0), "{}", row.name)
                }
                Lowering::Expanded => assert!(matches!(row.per_element, Is(_)), "{}", row.name),
                Lowering::IntegersOnly => panic!("{} is no operation on numbers", row.name),
            }
        }
    }

    #[test]
    fn rows_of_a_header_agree_on_what_a_file_must_mind() {
        for row in SFPU_OPS {
            for function in [&row.init, &row.call] {
                let inclusion = function.header.map(Inclusion::of);
                assert_eq!(inclusion, Some(row.inclusion), "{}", row.call.name);
            }
        }
    }

    #[test]
    fn every_operation_has_a_value_at_the_ends_of_its_domain() {
        for row in ELEMENT_OPS {
            for x in [row.domain.0, row.domain.1] {
                let others = [vec![0.5; row.arity - row.uniform - 1], row.trial.to_vec()].concat();
                let value = (row.value)(&[vec![x], others].concat());
                assert!(value.is_finite(), "{} of {x} is {value}", row.name);
            }
        }
    }
}
