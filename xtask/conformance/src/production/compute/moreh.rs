//! Kernels of the moreh operations, which come with reductions and optimizers of their own.

use super::elementwise::zip;
use super::matmul::{stack, tile};
use super::reduction::{in_first_element, scaler};
use super::rig::{BF16, Rig, destination};
use crate::production::bounds::{EXACT, ROUNDED, rounded, rounded_factors};
use crate::production::case::Case;
use crate::production::values::Matrix;
use tt_emulator::DataFormat::Int32;
use tt_emulator::kernel_config::ComputeOptions;

/// Every case of this file. Most include `kernel/compute/moreh_common.hpp`, whose alias templates of constants that depend on
/// parameters (`BinaryFpu<Op, moreh_input<Dfb0>, ..>`) the compiler of Debian 12 does not survive, with or without the
/// emulator.
pub fn cases() -> Vec<Case> {
    let beyond_the_compiler = [
        sum_over_batches(),
        sum_of_integers(),
        mean_over_batches(),
        sum_of_columns(),
        softmax_of_rows(),
        descent(),
    ];
    let failing = beyond_the_compiler.map(|case| {
        case.fails(
            "g++ 12 crashes on kernel/compute/moreh_common.hpp",
            "internal compiler error: Segmentation fault",
        )
    });
    [vec![dot(), dot_backward()], failing.to_vec()].concat()
}

fn batches(seed: u64, count: u64) -> Vec<Matrix> {
    (0..count)
        .map(|index| Matrix::random(32, 32, seed + index, -2.0, 2.0))
        .collect()
}

fn total(batches: &[Matrix]) -> Matrix {
    Matrix::new(32, 32, |r, c| batches.iter().map(|batch| batch.at(r, c)).sum())
}

fn sum_over_batches() -> Case {
    let x = batches(131, 6);
    let path = "operations/moreh/moreh_sum/device/moreh_sum_nc_impl_kernels/moreh_sum_nc.cpp";
    Rig::new("moreh sum over batches", path)
        .dfbs(&[("input", 0), ("zero", 1), ("out", 2)])
        .token("num_output_tiles", 2u32)
        .token("num_input_tiles", 3u32)
        .input_in(0, BF16, &stack(x.clone()), 2)
        .input(1, BF16, &in_first_element(0.0))
        .output(2, BF16, &stack([total(&x[..3]), total(&x[3..])]), rounded(3, 6.0))
        .case()
}

fn sum_of_integers() -> Case {
    let x: Vec<Matrix> = batches(141, 6)
        .into_iter()
        .map(|x| x.map(|x| (x * 1e6).trunc()))
        .collect();
    let path = "operations/moreh/moreh_sum/device/moreh_sum_nc_impl_kernels/moreh_int_sum_nc.cpp";
    let options = ComputeOptions {
        unpack_to_dest_fp32: vec![true, true],
        ..destination(true)
    };
    Rig::with("moreh sum of integers", path, options)
        .dfbs(&[("input", 0), ("intermed0", 1), ("out", 2)])
        .token("num_output_tiles", 2u32)
        .token("num_input_tiles", 3u32)
        .input_in(0, Int32, &stack(x.clone()), 2)
        .scratch(1, Int32, 1)
        .output(2, Int32, &stack([total(&x[..3]), total(&x[3..])]), EXACT)
        .case()
}

fn mean_over_batches() -> Case {
    let x = batches(151, 8);
    let path = "operations/moreh/moreh_mean/device/kernels/moreh_mean_nc.cpp";
    Rig::new("moreh mean over batches", path)
        .dfbs(&[("input", 0), ("in1", 1), ("scalar", 2), ("intermed0", 3), ("out", 16)])
        .argument("num_input_tiles", 4u32)
        .argument("num_output_tiles", 2u32)
        .input_in(0, BF16, &stack(x.clone()), 2)
        .input(1, BF16, &in_first_element(0.0))
        .input(2, BF16, &in_first_element(0.25))
        .scratch(3, BF16, 1)
        .output(
            16,
            BF16,
            &stack([total(&x[..4]).map(|x| x / 4.0), total(&x[4..]).map(|x| x / 4.0)]),
            // Four sums, which are then quartered, and the product.
            rounded(5, 2.0),
        )
        .case()
}

/// Three tiles down, the last of which is masked below its row 20; two columns of tiles.
fn sum_of_columns() -> Case {
    let x = Matrix::random(96, 64, 161, -2.0, 2.0);
    let sums = Matrix::new(32, 64, |r, c| match r {
        0 => (0..84).map(|r| x.at(r, c)).sum(),
        _ => 0.0,
    });
    let columns = (0..2).flat_map(|column| (0..3).map(move |row| (row, column)));
    let path = "operations/moreh/moreh_sum/device/moreh_sum_h_impl_kernels/moreh_sum_h.cpp";
    Rig::new("moreh sum of columns, the last tile masked", path)
        .defines(&[("REDUCE_OP", "PoolType::SUM"), ("REDUCE_DIM", "ReduceDim::REDUCE_COL")])
        .dfbs(&[("input", 0), ("scaler", 2), ("mask_h", 3), ("out", 16)])
        .dfbs(&[("accum_dst", 24), ("masked_input", 25)])
        .token("Ht", 3u32)
        .token("origin_H", 84u32)
        .argument("units_per_core", 2u32)
        .argument("NC", 1u32)
        .input_in(0, BF16, &stack(columns.map(|(row, column)| tile(&x, row, column))), 2)
        .input(2, BF16, &scaler(1.0))
        .input(3, BF16, &Matrix::new(32, 32, |r, _| if r < 20 { 1.0 } else { 0.0 }))
        .scratch(24, BF16, 1)
        .scratch(25, BF16, 1)
        .output(16, BF16, &sums, rounded(3, 32.0))
        .case()
}

/// Vectors in the first rows of three tiles.
fn dot() -> Case {
    let vector = |seed| Matrix::random(96, 32, seed, 0.0, 1.0);
    let in_first_rows = |x: Matrix| Matrix::new(96, 32, |r, c| if r % 32 == 0 { x.at(r, c) } else { 0.0 });
    let (x, y) = (in_first_rows(vector(171)), in_first_rows(vector(172)));
    let sum: f64 = zip(&x, &y, |x, y| x * y).values.iter().sum();
    Rig::new("moreh dot", "operations/moreh/moreh_dot/device/kernels/moreh_dot.cpp")
        .defines(&[("REDUCE_OP", "PoolType::SUM"), ("REDUCE_DIM", "ReduceDim::REDUCE_ROW")])
        .dfbs(&[
            ("in0", 0),
            ("in1", 1),
            ("scaler", 2),
            ("out", 16),
            ("im0", 24),
            ("im1", 25),
        ])
        .argument("per_core_block_cnt", 3u32)
        .input_in(0, BF16, &x, 2)
        .input_in(1, BF16, &y, 2)
        .input(2, BF16, &scaler(1.0))
        .scratch(24, BF16, 1)
        .scratch(25, BF16, 1)
        .output(16, BF16, &in_first_element(sum), rounded_factors(5))
        .case()
}

fn dot_backward() -> Case {
    let (x, y) = (
        Matrix::random(96, 32, 181, -2.0, 2.0),
        Matrix::random(96, 32, 182, -2.0, 2.0),
    );
    let grad = 1.25;
    let path = "operations/moreh/moreh_dot_backward/device/kernels/moreh_dot_backward.cpp";
    Rig::new("moreh dot backward", path)
        .dfbs(&[("in0", 0), ("in1", 1), ("in2", 2), ("out0", 16), ("out1", 17)])
        .argument("has_input_grad", 1u32)
        .argument("has_other_grad", 1u32)
        .argument("per_core_block_cnt", 3u32)
        .input(0, BF16, &in_first_element(grad))
        .input(1, BF16, &x)
        .input(2, BF16, &y)
        .output(16, BF16, &y.map(|y| y * grad), ROUNDED)
        .output(17, BF16, &x.map(|x| x * grad), ROUNDED)
        .case()
}

/// Rows of 84 values in three tiles: the last one is masked.
fn softmax_of_rows() -> Case {
    let x = Matrix::random(64, 96, 191, -3.0, 3.0);
    let result = Matrix::new(64, 96, |r, c| {
        let most = (0..84).map(|c| x.at(r, c)).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..84).map(|c| (x.at(r, c) - most).exp()).sum();
        if c < 84 { (x.at(r, c) - most).exp() / sum } else { 0.0 }
    });
    let path = "operations/moreh/moreh_softmax/device/kernels/moreh_softmax_w.cpp";
    Rig::new("moreh softmax of rows, the last tile masked", path)
        .defines(&[("SOFTMAX", "1")])
        .dfbs(&[
            ("in0", 0),
            ("mask", 1),
            ("max_scaler", 2),
            ("sum_scaler", 3),
            ("out0", 16),
        ])
        .dfbs(&[
            ("exps", 24),
            ("recip_sum_exps", 25),
            ("max", 26),
            ("x_minus_max", 27),
            ("tmp", 28),
        ])
        .token("N", 2u32)
        .token("Wt", 3u32)
        .input_in(0, BF16, &x, 6)
        .input(1, BF16, &Matrix::new(32, 32, |_, c| if c < 20 { 1.0 } else { 0.0 }))
        .input(2, BF16, &scaler(1.0))
        .input(3, BF16, &scaler(1.0))
        .scratch(24, BF16, 3)
        .scratch(25, BF16, 1)
        .scratch(26, BF16, 1)
        .scratch(27, BF16, 3)
        .scratch(28, BF16, 1)
        .output(16, BF16, &result, rounded_factors(7))
        .case()
}

/// A step of gradient descent with momentum and weight decay.
fn descent() -> Case {
    let [param, grad, momentum] = [201, 202, 203].map(|seed| Matrix::random(96, 32, seed, -2.0, 2.0));
    let (rate, keep, damp, decay) = (0.125, 0.5, 0.25, 0.0625);
    let decayed = zip(&grad, &param, |grad, param| grad + param * decay);
    let next = zip(&decayed, &momentum, |grad, momentum| {
        grad * (1.0 - damp) + momentum * keep
    });
    let updated = zip(&param, &next, |param, next| param - rate * next);
    let scalars = stack([rate, keep, damp, decay, 1.0].map(|value| Matrix::new(32, 32, |_, _| value)));
    let path = "operations/moreh/moreh_sgd/device/kernels/moreh_sgd.cpp";
    Rig::new("moreh sgd with momentum and weight decay", path)
        .defines(&[("WEIGHT_DECAY", "1"), ("MOMENTUM", "1"), ("MOMENTUM_INITIALIZED", "1")])
        .compile_args([3u32])
        .input(0, BF16, &param)
        .input(1, BF16, &grad)
        .input(2, BF16, &momentum)
        .input(24, BF16, &scalars)
        .scratch(25, BF16, 1)
        .scratch(26, BF16, 1)
        .scratch(27, BF16, 1)
        .scratch(28, BF16, 1)
        .output(16, BF16, &updated, rounded(4, 2.6))
        .output(17, BF16, &next, rounded(4, 2.6))
        .case()
}
