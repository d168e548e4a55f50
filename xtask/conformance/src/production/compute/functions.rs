//! Functions of one value with kernels of their own, and gradients of such.

use super::elementwise::{matrix, zip};
use super::rig::{BF16, F32, Rig, destination};
use crate::production::bounds::{EXACT, IN_FP32, ROUNDED, rounded};
use crate::production::case::Case;
use crate::production::values::{Matrix, to_bf16};

/// Why some fail.
const NOT_COMPUTED: &str = "the emulator does not compute this operation of the vector unit";

const FOLDER: &str = "operations/eltwise/unary/device/kernels/compute";

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![logit(), chosen_scalars(), multiplied_and_added(), log_gamma()];
    cases.extend(derivatives());
    cases.extend(casts());
    cases
}

fn function(name: &str, wide: bool) -> Rig {
    let path = format!("{FOLDER}/{name}_kernel.cpp");
    Rig::with(&format!("eltwise/unary {name}"), &path, destination(wide)).dfbs(&[("in", 0), ("tmp0", 1), ("out", 2)])
}

/// Kept within 0.05 and 0.95 first.
fn logit() -> Case {
    let x = Matrix::random(96, 64, 121, 0.0, 1.0);
    let result = x.map(|x| {
        let x = to_bf16(x.clamp(to_bf16(0.05), to_bf16(0.95)));
        (x / (1.0 - x)).ln()
    });
    function("logit", false)
        .token("do_clamp", 1u32)
        .argument("num_tiles", 6u32)
        .argument("packed_scalar1", to_bf16(0.05) as f32)
        .argument("packed_scalar2", to_bf16(0.95) as f32)
        .input_in(0, BF16, &x, 2)
        .scratch(1, BF16, 2)
        .output(2, BF16, &result, rounded(3, 3.0))
        .case()
}

fn chosen_scalars() -> Case {
    let x = matrix(122).map(|x| f64::from(u8::from(x > 0.0)));
    function("where_tss", false)
        .argument("num_tiles", 6u32)
        .argument("packed_scalar1", 1.5f32)
        .argument("packed_scalar2", -2.25f32)
        .input_in(0, BF16, &x, 2)
        .output(2, BF16, &x.map(|x| if x > 0.0 { 1.5 } else { -2.25 }), EXACT)
        .case()
}

fn multiplied_and_added() -> Case {
    let x = matrix(123);
    function("mac_tss", false)
        .defines(&[
            ("SFPU_OP_MAC_INCLUDE", "1"),
            (
                "SFPU_OP_CHAIN_0",
                "mac_tile_init<DataFormat::Float16_b>(); mac_tile<DataFormat::Float16_b>(0, 1, 2, 0);",
            ),
        ])
        .argument("num_tiles", 6u32)
        .argument("packed_scalar1", 1.5f32)
        .argument("packed_scalar2", -0.75f32)
        .input_in(0, BF16, &x, 2)
        .output(2, BF16, &x.map(|x| x * 1.5 - 0.75), ROUNDED)
        .case()
}

/// ln Γ(x) for x > 0, by Stirling's series after `shift` steps of the recurrence.
fn ln_gamma(x: f64) -> f64 {
    let shift = 10;
    let below: f64 = (0..shift).map(|step| (x + f64::from(step)).ln()).sum();
    let z = x + f64::from(shift);
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - below
}

fn log_gamma() -> Case {
    let x = Matrix::random(96, 64, 124, 0.6, 9.0);
    function("lgamma", true)
        .argument("num_tiles", 6u32)
        .input_in(0, F32, &x, 2)
        .output(2, F32, &x.map(ln_gamma), IN_FP32)
        .case()
        .fails(
            NOT_COMPUTED,
            "EMU0712: operation that the emulator does not compute: lgamma_stirling_float_tile_init",
        )
}

/// Gradients times the derivative of a function.
fn derivatives() -> Vec<Case> {
    let folder = "operations/eltwise/unary_backward/device/kernels/compute";
    let (grad, x) = (matrix(125), matrix(126));
    let rig = |name: &str, file: &str| {
        Rig::new(name, &format!("{folder}/{file}"))
            .args([6u32])
            .defines(&[("BF16_ROUNDING_MODE", "ckernel::DstRoundingMode::NearestEven")])
            .input(0, BF16, &grad)
            .input(1, BF16, &x)
    };
    let tanh = zip(&grad, &x, |grad, x| grad * (1.0 - x.tanh().powi(2)));
    // The integral of the normal density by Simpson's rule over 200 steps.
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let normal = |x: f64| {
        let step = x / 200.0;
        let pair = |i: usize| {
            let left = 2.0 * i as f64 * step;
            density(left) + 4.0 * density(left + step) + density(left + 2.0 * step)
        };
        0.5 + (0..100).map(pair).sum::<f64>() * step / 3.0
    };
    let gelu = zip(&grad, &x, |grad, x| grad * (normal(x) + x * density(x)));
    vec![
        rig("eltwise/unary_backward tanh", "eltwise_bw_tanh.cpp")
            .output(2, BF16, &tanh, rounded(4, 3.0))
            .case()
            .fails(
                NOT_COMPUTED,
                "EMU0712: operation that the emulator does not compute: tanh_derivative_tile_init",
            ),
        rig("eltwise/unary_backward gelu", "eltwise_bw_gelu_poly.cpp")
            .output(2, BF16, &gelu, rounded(4, 3.0))
            .case()
            .fails(
                NOT_COMPUTED,
                "EMU0712: operation that the emulator does not compute: gelu_derivative_tile_init",
            ),
    ]
}

/// Values of one format in another: what bf16 cannot hold is rounded.
fn casts() -> Vec<Case> {
    use tt_emulator::DataFormat::{self, Int32};
    let fine = Matrix::random(96, 64, 127, -3.0, 3.0).map(|x| f64::from((x / 3.0) as f32));
    let integers = matrix(128).map(|x| (x * 30.0).trunc());
    let cast = |name: &str, from: DataFormat, to: DataFormat, x: &Matrix, result: &Matrix| {
        Rig::with(
            &format!("typecast of {name}"),
            "operations/copy/typecast/device/kernels/compute/eltwise_typecast.cpp",
            destination(true),
        )
        .dfbs(&[("in", 0), ("out", 2)])
        .token("per_core_block_cnt", 3u32)
        .token("per_core_block_dim", 2u32)
        .token("in_data_format", from as u32)
        .token("out_data_format", to as u32)
        .input_in(0, from, x, 2)
        .output(2, to, result, EXACT)
        .case()
    };
    vec![
        cast("fp32 to bf16", F32, BF16, &fine, &fine.map(to_bf16)),
        cast("integers to fp32", Int32, F32, &integers, &integers),
    ]
}
