//! Normalizations: softmax, layer norm, rms norm, batch norm; and rotary embedding.

use super::reduction::{in_first_column, in_first_element, scaler};
use super::rig::{BF16, Rig};
use crate::production::bounds::{rounded, rounded_factors};
use crate::production::case::Case;
use crate::production::values::Matrix;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    vec![
        softmax(false),
        softmax(true),
        layer_norm(false),
        layer_norm(true),
        mean_of_squares(),
        rms_norm(),
        batch_norm(),
        rotary_of_one_tile(),
        rotary_of_halves(),
    ]
}

/// 2 × 4 tiles.
fn matrix(seed: u64) -> Matrix {
    Matrix::random(64, 128, seed, -2.0, 2.0)
}

/// One value everywhere.
fn filled(value: f64) -> Matrix {
    Matrix::new(32, 32, |_, _| value)
}

/// One value in the first column, as the kernels broadcast it.
fn column(value: f64) -> Matrix {
    in_first_column(32, |_| value)
}

/// The mean of what `of` makes of the values of a row.
fn mean(x: &Matrix, row: usize, of: impl Fn(f64) -> f64) -> f64 {
    (0..x.columns).map(|column| of(x.at(row, column))).sum::<f64>() / x.columns as f64
}

fn softmax(stable: bool) -> Case {
    let x = matrix(101);
    let result = Matrix::new(64, 128, |row, column| {
        let sum: f64 = (0..128).map(|c| x.at(row, c).exp()).sum();
        x.at(row, column).exp() / sum
    });
    let name = if stable { "softmax, less the maximum" } else { "softmax" };
    let path = "operations/normalization/softmax/device/kernels/attention/compute/softmax.cpp";
    let mut rig = Rig::new(name, path)
        .defines(&[("EXP_APPROX", "0")])
        .dfbs(&[
            ("in0", 0),
            ("max_scaler", 2),
            ("sum_scaler", 13),
            ("exps", 6),
            ("recip_sum_exps", 7),
            ("max", 9),
            ("x", 10),
            ("out0", 11),
        ])
        .argument("num_rows", 2u32)
        .argument("Ht", 2u32)
        .argument("Wt", 4u32)
        .argument("blk", 2u32)
        .argument("start_ht", 0u32)
        .token("in0_t", 4u32)
        .input_in(0, BF16, &x, 4)
        .input(2, BF16, &scaler(1.0))
        .input(13, BF16, &scaler(1.0))
        .scratch(6, BF16, 4)
        .scratch(7, BF16, 1)
        .output(11, BF16, &result, rounded_factors(6));
    if stable {
        rig = rig
            .defines(&[("NUMERIC_STABLE", "1")])
            .scratch(9, BF16, 1)
            .scratch(10, BF16, 4);
    }
    rig.case()
}

/// With or without a gain and an offset for every column.
fn layer_norm(affine: bool) -> Case {
    let x = matrix(102);
    let (gamma, beta) = (
        Matrix::random(32, 128, 103, 0.5, 1.5),
        Matrix::random(32, 128, 104, -1.0, 1.0),
    );
    let result = Matrix::new(64, 128, |row, column| {
        let (average, epsilon) = (mean(&x, row, |x| x), 1e-5);
        let variance = mean(&x, row, |x| (x - average).powi(2));
        let normal = (x.at(row, column) - average) / (variance + epsilon).sqrt();
        if affine {
            normal * gamma.at(0, column) + beta.at(0, column)
        } else {
            normal
        }
    });
    let name = if affine {
        "layer norm with gain and offset"
    } else {
        "layer norm"
    };
    let path = "operations/normalization/layernorm/device/kernels/compute/layernorm.cpp";
    let mut rig = Rig::new(name, path)
        .dfbs(&[
            ("in", 0),
            ("scaler", 2),
            ("eps", 3),
            ("gamma", 5),
            ("beta", 6),
            ("out", 16),
            ("ex", 18),
            ("ex2", 19),
            ("xmm2", 20),
            ("ex2pe", 21),
            ("fusion", 22),
            ("xmm", 24),
        ])
        .argument("NCHt", 2u32)
        .token("Wt", 4u32)
        .token("block_size", 2u32)
        .token("do_gamma", u32::from(affine))
        .token("do_beta", u32::from(affine))
        .token("fp32_dest_acc_en", 0u32)
        .token("float32_reduction", 0u32)
        .token("W", 128u32)
        .token("tile_width", 32u32)
        .input_in(0, BF16, &x, 8)
        .input(2, BF16, &scaler(1.0))
        .input(3, BF16, &column(1e-5))
        .scratch(18, BF16, 1)
        .scratch(19, BF16, 1)
        .scratch(20, BF16, 4)
        .scratch(21, BF16, 2)
        .scratch(24, BF16, 4)
        .output(16, BF16, &result, rounded(6, 2.0));
    if affine {
        rig = rig
            .defines(&[("FUSE_GAMMA", "1"), ("FUSE_BETA", "1")])
            .input(5, BF16, &gamma)
            .input(6, BF16, &beta)
            .scratch(22, BF16, 4);
    }
    rig.case()
}

fn mean_of_squares() -> Case {
    let x = matrix(105);
    let path = "operations/normalization/rmsnorm_distributed/device/kernels/compute/rmsnorm_pre_allgather.cpp";
    Rig::new("rms norm, mean of squares", path)
        .dfbs(&[("in0", 0), ("reduce", 1), ("x2", 6), ("out", 14)])
        .argument("NCHt", 2u32)
        .token("Wt", 4u32)
        .token("blk", 2u32)
        .token("unpack_fp32_active", 0u32)
        .input(0, BF16, &x)
        .input(1, BF16, &scaler(1.0 / 128.0))
        .scratch(6, BF16, 4)
        .output(
            14,
            BF16,
            &in_first_column(64, |row| mean(&x, row, |x| x * x)),
            rounded_factors(3),
        )
        .case()
}

/// From the means of squares of two halves of a row.
fn rms_norm() -> Case {
    let x = matrix(106);
    let gamma = Matrix::random(32, 128, 107, 0.5, 1.5);
    let statistics = Matrix::new(64, 64, |row, column| {
        let half = column / 32 * 64;
        let squares = (half..half + 64).map(|c| x.at(row, c).powi(2));
        if column % 32 == 0 {
            squares.sum::<f64>() / 64.0
        } else {
            0.0
        }
    });
    let result = Matrix::new(64, 128, |row, column| {
        x.at(row, column) / (mean(&x, row, |x| x * x) + 1e-5).sqrt() * gamma.at(0, column)
    });
    let path = "operations/normalization/rmsnorm_distributed/device/kernels/compute/rmsnorm_post_allgather.cpp";
    Rig::new("rms norm from gathered means", path)
        .compile_args([4u32, 2, 2, 1, 0, 0])
        .args([2u32])
        .input(0, BF16, &x)
        .input(1, BF16, &statistics)
        .input(2, BF16, &gamma)
        .input(4, BF16, &column(1e-5))
        .input(5, BF16, &scaler(0.5))
        .scratch(3, BF16, 1)
        .scratch(8, BF16, 1)
        .scratch(10, BF16, 1)
        .scratch(12, BF16, 4)
        .scratch(13, BF16, 4)
        .output(14, BF16, &result, rounded_factors(5))
        .case()
}

fn batch_norm() -> Case {
    let x = Matrix::random(192, 32, 108, -2.0, 2.0);
    let (average, variance, gain, offset) = (0.25, 1.5, 1.25, -0.5);
    let result = x.map(|x| (x - average) / (variance + 1e-5f64).sqrt() * gain + offset);
    Rig::new(
        "batch norm",
        "operations/normalization/batch_norm/device/kernels/compute/batch_norm_kernel.cpp",
    )
    .dfbs(&[
        ("input", 0),
        ("batch_mean", 1),
        ("out", 2),
        ("batch_var", 3),
        ("eps", 4),
        ("den", 5),
        ("weight", 6),
        ("bias", 18),
    ])
    .argument("num_tiles", 6u32)
    .argument("tile_freq", 6u32)
    .argument("tile_start", 0u32)
    .token("weight_has_value", 1u32)
    .token("bias_has_value", 1u32)
    .input_in(0, BF16, &x, 2)
    .input(1, BF16, &filled(average))
    .input(3, BF16, &filled(variance))
    .input(4, BF16, &filled(1e-5))
    .input(6, BF16, &filled(gain))
    .input(18, BF16, &filled(offset))
    .scratch(5, BF16, 1)
    // Difference, root, two products and sum.
    .output(2, BF16, &result, rounded(5, 2.3))
    .case()
}

/// x·cos + (x·rotation)·sin, with a matrix that rotates.
fn rotary_of_one_tile() -> Case {
    let x = Matrix::random(64, 32, 109, -2.0, 2.0);
    let angle = |row: usize, column: usize| 0.1 * row as f64 * 0.5f64.powi((column % 16) as i32 / 2);
    let (cos, sin) = (
        Matrix::new(64, 32, |r, c| crate::production::values::to_bf16(angle(r, c).cos())),
        Matrix::new(64, 32, |r, c| crate::production::values::to_bf16(angle(r, c).sin())),
    );
    let rotation = Matrix::new(32, 32, |row, column| match (row + 16) % 32 == column {
        true if row < 16 => 1.0,
        true => -1.0,
        false => 0.0,
    });
    let rotated = x.times(&rotation);
    let result = Matrix::new(64, 32, |r, c| {
        x.at(r, c) * cos.at(r, c) + rotated.at(r, c) * sin.at(r, c)
    });
    let folder = "operations/experimental/transformer/rotary_embedding/device/kernels/compute";
    Rig::new(
        "rotary embedding of one tile",
        &format!("{folder}/rotary_embedding_single_tile.cpp"),
    )
    .compile_args([0u32, 1, 2, 3, 24, 25, 26, 16, 2])
    .input(0, BF16, &x)
    .input(1, BF16, &cos)
    .input(2, BF16, &sin)
    .input(3, BF16, &rotation)
    .scratch(24, BF16, 1)
    .scratch(25, BF16, 1)
    .scratch(26, BF16, 1)
    .output(16, BF16, &result, rounded(3, 2.0))
    .case()
}

/// x·cos + rotated·sin, where the reader brings the rotated halves and the first of them is negated.
fn rotary_of_halves() -> Case {
    let x = matrix(110);
    let rotated = Matrix::new(64, 128, |row, column| x.at(row, (column + 64) % 128));
    let (cos, sin) = (
        Matrix::random(64, 128, 111, -1.0, 1.0),
        Matrix::random(64, 128, 112, -1.0, 1.0),
    );
    let result = Matrix::new(64, 128, |r, c| {
        let sign = if c < 64 { -1.0 } else { 1.0 };
        x.at(r, c) * cos.at(r, c) + sign * rotated.at(r, c) * sin.at(r, c)
    });
    let folder = "operations/experimental/transformer/rotary_embedding_hf/device/kernels/compute";
    Rig::new(
        "rotary embedding of halves",
        &format!("{folder}/rotary_embedding_hf.cpp"),
    )
    .compile_args([0u32, 1, 2, 3, 4, 24, 25, 26, 16, 2, 4, 2])
    .input(0, BF16, &x)
    .input(1, BF16, &rotated)
    .input(2, BF16, &cos)
    .input(3, BF16, &sin)
    .input(4, BF16, &in_first_element(-1.0))
    .scratch(24, BF16, 1)
    .scratch(25, BF16, 1)
    .scratch(26, BF16, 1)
    .output(16, BF16, &result, rounded(3, 2.0))
    .case()
}
