//! Reductions: sums, means, minima and products of rows, columns and whole tensors, and running sums.

use super::elementwise::zip;
use super::matmul::{stack, tile};
use super::rig::{BF16, Rig};
use crate::production::bounds::{EXACT, PRODUCT, rounded, rounded_factors, rounded_parts};
use crate::production::case::Case;
use crate::production::values::Matrix;

const GENERIC: &str = "operations/reduction/generic/device/kernels/compute";

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    vec![
        sum_of_rows(),
        sum_of_columns(),
        mean_of_all(),
        minimum_of_rows(),
        minimum_of_columns(),
        minimum_of_all(),
        sum_over_batches(),
        sum_of_blocks(),
        product_over_batches(),
        product_of_all(),
        running_sums(),
    ]
}

/// 2 × 4 tiles.
fn matrix(seed: u64) -> Matrix {
    Matrix::random(64, 128, seed, -2.0, 2.0)
}

/// A tile that scales reductions: `value` in the first row of every face.
pub fn scaler(value: f64) -> Matrix {
    Matrix::new(32, 32, |row, _| if row % 16 == 0 { value } else { 0.0 })
}

/// A tensor one tile wide whose first column holds `of` each row, zeros elsewhere.
pub fn in_first_column(rows: usize, of: impl Fn(usize) -> f64) -> Matrix {
    Matrix::new(rows, 32, |row, column| if column == 0 { of(row) } else { 0.0 })
}

/// A tensor one tile high whose first row holds `of` each column, zeros elsewhere.
fn in_first_row(columns: usize, of: impl Fn(usize) -> f64) -> Matrix {
    Matrix::new(32, columns, |row, column| if row == 0 { of(column) } else { 0.0 })
}

pub fn in_first_element(value: f64) -> Matrix {
    Matrix::new(32, 32, |row, column| if (row, column) == (0, 0) { value } else { 0.0 })
}

fn row(x: &Matrix, row: usize) -> impl Iterator<Item = f64> {
    (0..x.columns).map(move |column| x.at(row, column))
}

fn column(x: &Matrix, column: usize) -> impl Iterator<Item = f64> {
    (0..x.rows).map(move |row| x.at(row, column))
}

/// Tiles column by column, as reductions of columns take them, `at_once` columns at a time.
fn by_columns(x: &Matrix, at_once: usize) -> Matrix {
    let (down, across) = (x.rows / 32, x.columns / 32);
    let chunks = (0..across).step_by(at_once);
    stack(chunks.flat_map(|first| {
        (0..down).flat_map(move |row| (first..(first + at_once).min(across)).map(move |column| tile(x, row, column)))
    }))
}

fn generic(name: &str, file: &str, pool: &str, dim: &str) -> Rig {
    Rig::new(name, &format!("{GENERIC}/{file}"))
        .defines(&[
            ("REDUCE_OP", &format!("PoolType::{pool}")),
            ("REDUCE_DIM", &format!("ReduceDim::{dim}")),
        ])
        .dfbs(&[("in0", 0), ("scaler", 2), ("out", 3), ("acc", 4), ("ineg", 5)])
        .argument("Ht", 2u32)
        .argument("Wt", 4u32)
        .argument("NC", 1u32)
        .token("enable_fp32_sfpu", 0u32)
}

fn sum_of_rows() -> Case {
    let x = matrix(51);
    generic("reduction sum of rows", "reduce.cpp", "SUM", "REDUCE_ROW")
        .input_in(0, BF16, &x, 2)
        .input(2, BF16, &scaler(1.0))
        .output(
            3,
            BF16,
            &in_first_column(64, |r| row(&x, r).sum()),
            rounded_parts((0..64).map(|r| row(&x, r))),
        )
        .case()
}

fn sum_of_columns() -> Case {
    let x = matrix(52);
    generic("reduction sum of columns", "reduce.cpp", "SUM", "REDUCE_COL")
        .input(0, BF16, &by_columns(&x, 8))
        .input(2, BF16, &scaler(1.0))
        .output(
            3,
            BF16,
            &in_first_row(128, |c| column(&x, c).sum()),
            rounded_parts((0..128).map(|c| column(&x, c))),
        )
        .case()
}

fn mean_of_all() -> Case {
    let x = matrix(53).map(|x| x + 2.0);
    let mean = x.values.iter().sum::<f64>() / x.values.len() as f64;
    let scale = (1.0 / x.values.len() as f64).sqrt();
    generic("reduction mean of all", "reduce.cpp", "AVG", "REDUCE_SCALAR")
        .input_in(0, BF16, &x, 2)
        .input(2, BF16, &scaler(scale))
        .output(3, BF16, &in_first_element(mean), rounded_factors(2))
        .case()
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

/// The first column holds the minima; they also stay where the pooling unit keeps them while they run, in the first row of
/// every left face: the kernel takes the packer's mask off before it packs, and both simulated chips leave them there.
fn minimum_of_rows() -> Case {
    let x = matrix(54);
    let minima = Matrix::new(64, 32, |r, c| match (r % 16, c) {
        (_, 0) => least(row(&x, r)),
        (0, 1..16) => least(row(&x, r + c)),
        _ => 0.0,
    });
    generic("reduction minimum of rows", "reduce_w_neg.cpp", "MAX", "REDUCE_ROW")
        .defines(&[("REDUCE_FPU_NEGATE", "1")])
        .input_in(0, BF16, &x, 2)
        .input(2, BF16, &scaler(1.0))
        .scratch(4, BF16, 2)
        .scratch(5, BF16, 2)
        .output(3, BF16, &minima, EXACT)
        .case()
}

fn minimum_of_columns() -> Case {
    let x = matrix(55);
    generic("reduction minimum of columns", "reduce_h_neg.cpp", "MAX", "REDUCE_COL")
        .defines(&[("REDUCE_FPU_NEGATE", "1")])
        .input(0, BF16, &by_columns(&x, 8))
        .input(2, BF16, &scaler(1.0))
        .scratch(4, BF16, 8)
        .scratch(5, BF16, 8)
        .output(3, BF16, &in_first_row(128, |c| least(column(&x, c))), EXACT)
        .case()
}

fn minimum_of_all() -> Case {
    let x = matrix(56);
    let minimum = least(x.values.iter().copied());
    generic("reduction minimum of all", "reduce_hw_neg.cpp", "MAX", "REDUCE_SCALAR")
        .input_in(0, BF16, &x, 2)
        .input(2, BF16, &scaler(1.0))
        .scratch(4, BF16, 2)
        .scratch(5, BF16, 2)
        .output(3, BF16, &in_first_element(minimum), EXACT)
        .case()
}

/// Four batches of two tiles are added up.
fn sum_over_batches() -> Case {
    let batches: Vec<Matrix> = (0..8)
        .map(|seed| Matrix::random(32, 32, 60 + seed, -2.0, 2.0))
        .collect();
    let sum = |first: usize| {
        batches[first..first + 4]
            .iter()
            .skip(1)
            .fold(batches[first].clone(), |sum, x| zip(&sum, x, |a, b| a + b))
    };
    let sums = stack([sum(0), sum(4)]);
    let path = "operations/experimental/reduction/fast_reduce_nc/device/kernels/reduce_nc.cpp";
    Rig::new("experimental/fast_reduce_nc", path)
        .dfbs(&[("in0", 0), ("in1", 1), ("out0", 2)])
        .token("num_output_tiles", 2u32)
        .token("num_input_tiles", 4u32)
        .token("input_granularity", 2u32)
        .input_in(0, BF16, &stack(batches.clone()), 4)
        .input(1, BF16, &Matrix::new(32, 32, |_, _| 0.0))
        .output(2, BF16, &sums, rounded(4, 4.0))
        .case()
}

/// Four blocks of three tiles are added up two by two.
fn sum_of_blocks() -> Case {
    let blocks: Vec<Matrix> = (0..4)
        .map(|seed| Matrix::random(96, 32, 70 + seed, -2.0, 2.0))
        .collect();
    let sum = blocks
        .iter()
        .skip(1)
        .fold(blocks[0].clone(), |sum, x| zip(&sum, x, |a, b| a + b));
    let folder = "operations/experimental/transformer/all_reduce_create_qkv_heads/device/kernels/compute";
    Rig::new(
        "experimental/all_reduce_create_qkv_heads sum",
        &format!("{folder}/reduction.cpp"),
    )
    .compile_args([0u32, 16])
    .args([4u32, 3])
    .input(0, BF16, &stack(blocks))
    .output(16, BF16, &sum, rounded(3, 4.0))
    .case()
}

fn product_over_batches() -> Case {
    let batches: Vec<Matrix> = (0..6).map(|seed| Matrix::random(32, 32, 80 + seed, 0.5, 1.5)).collect();
    let product = |first: usize| {
        batches[first..first + 3]
            .iter()
            .skip(1)
            .fold(batches[first].clone(), |sum, x| zip(&sum, x, |a, b| a * b))
    };
    Rig::new(
        "prod over batches",
        "operations/reduction/prod/device/kernels/compute/prod_nc.cpp",
    )
    .dfbs(&[("in", 0), ("out", 16)])
    .argument("num_input_tiles", 3u32)
    .argument("num_output_tiles", 2u32)
    .input_in(0, BF16, &stack(batches.clone()), 2)
    .output(16, BF16, &stack([product(0), product(3)]), (0.0, 2.0 * PRODUCT.1))
    .case()
}

fn product_of_all() -> Case {
    let batches: Vec<Matrix> = (0..3).map(|seed| Matrix::random(32, 32, 90 + seed, 0.5, 1.5)).collect();
    let product = batches
        .iter()
        .skip(1)
        .fold(batches[0].clone(), |sum, x| zip(&sum, x, |a, b| a * b));
    Rig::new(
        "prod of tiles",
        "operations/reduction/prod/device/kernels/compute/prod_all.cpp",
    )
    .dfbs(&[("in", 0), ("out", 16)])
    .token("num_tiles", 3u32)
    .input_in(0, BF16, &stack(batches), 2)
    .output(16, BF16, &product, (0.0, 2.0 * PRODUCT.1))
    .case()
}

/// Sums down two columns of three tiles, integers so that bf16 holds them.
fn running_sums() -> Case {
    let x = Matrix::random(192, 32, 58, -1.0, 1.0).map(|x| x.signum());
    let sums = Matrix::new(192, 32, |r, c| (r / 96 * 96..=r).map(|r| x.at(r, c)).sum());
    let path = "operations/reduction/accumulation/device/kernels/compute/accumulation_tile_axis_compute.cpp";
    Rig::new("accumulation along columns", path)
        .dfbs(&[("in", 0), ("out", 16)])
        .argument("num_rows", 2u32)
        .argument("tiles_per_row", 3u32)
        .input_in(0, BF16, &x, 2)
        .output(16, BF16, &sums, EXACT)
        .case()
}
