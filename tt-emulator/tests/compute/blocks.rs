//! Kernels over blocks: reductions, softmax, a fused epilogue, tilizing and untilizing, integer counts.

use crate::rig::*;

fn scaler(value: f32) -> Matrix {
    Matrix::new(32, 32, |row, _| if row % 16 == 0 { value } else { 0.0 })
}

/// Reduces 2×4 tiles of buffer 0 into one tile per row or column of tiles.
fn reduction(pool: &str, dim: &str, wide: bool, data: &Matrix, scale: f32) -> Case {
    let row = dim == "REDUCE_ROW";
    let mut case = Case::of("reduce.cpp", wide)
        .input(1, BF16, 1, scaler(scale), 1)
        .input(0, BF16, 8, data.clone(), 8)
        .define("POOL", &format!("PoolType::{pool}"))
        .define("DIM", &format!("ReduceDim::{dim}"))
        .result(if row { 64 } else { 32 }, if row { 32 } else { 128 }, 1);
    case.out = (16, BF16, 2);
    case
}

#[test]
fn rows_and_columns_are_reduced_over_several_tiles() {
    let data = Matrix::random(64, 128, 21, 1.0);
    let sum_of_row = |r: usize| (0..128).map(|c| data.at(r, c)).sum::<f64>();
    let sum_of_column = |c: usize| (0..64).map(|r| data.at(r, c)).sum::<f64>();
    let max_of_row = |r: usize| (0..128).map(|c| data.at(r, c)).fold(f64::NEG_INFINITY, f64::max);
    let max_of_column = |c: usize| (0..64).map(|r| data.at(r, c)).fold(f64::NEG_INFINITY, f64::max);
    for wide in [true, false] {
        let slack = if wide { 0.1 } else { 0.5 };
        let in_column = |value: f64, c: usize| if c == 0 { value } else { 0.0 };
        let in_row = |value: f64, r: usize| if r == 0 { value } else { 0.0 };
        reduction("SUM", "REDUCE_ROW", wide, &data, 1.0).check(slack, 0.01, |r, c| in_column(sum_of_row(r), c));
        reduction("SUM", "REDUCE_COL", wide, &data, 1.0).check(slack, 0.01, |r, c| in_row(sum_of_column(c), r));
        reduction("AVG", "REDUCE_ROW", wide, &data, 1.0 / 128.0)
            .check(0.01, 0.01, |r, c| in_column(sum_of_row(r) / 128.0, c));
        reduction("MAX", "REDUCE_ROW", wide, &data, 1.0).check(0.0, 0.0, |r, c| in_column(max_of_row(r), c));
        reduction("MAX", "REDUCE_COL", wide, &data, 1.0).check(0.0, 0.0, |r, c| in_row(max_of_column(c), r));
    }
}

#[test]
fn softmax_over_rows_of_several_tiles() {
    let data = Matrix::random(64, 128, 22, 4.0);
    for (wide, tolerance) in [(true, 0.004), (false, 0.02)] {
        let mut case = Case::of("softmax.cpp", wide)
            .input(1, BF16, 1, scaler(1.0), 1)
            .input(0, BF16, 8, data.clone(), 4)
            .result(64, 128, 4);
        let running = if wide { F32 } else { BF16 };
        case.scratch = vec![(24, BF16, 1), (25, running, 4), (26, running, 1)];
        case.runtime_args = vec![2];
        let largest = |r: usize| (0..128).map(|c| data.at(r, c)).fold(f64::NEG_INFINITY, f64::max);
        let sums: Vec<f64> = (0..64)
            .map(|r| (0..128).map(|c| (data.at(r, c) - largest(r)).exp()).sum())
            .collect();
        case.check(tolerance, tolerance, |r, c| {
            (data.at(r, c) - largest(r)).exp() / sums[r]
        });
    }
}

#[test]
fn a_bias_preloaded_into_the_destination_and_relu_in_the_packer() {
    let (a, b, bias) = (
        Matrix::random(64, 64, 23, 1.0),
        Matrix::random(64, 64, 24, 1.0),
        Matrix::random(32, 64, 25, 4.0),
    );
    for (wide, tolerance) in [(true, 0.03), (false, 0.4)] {
        let mut case = Case::of("linear.cpp", wide)
            .input(0, BF16, 4, a.clone(), 4)
            .input(1, BF16, 4, b.clone(), 4)
            .input(2, BF16, 2, bias.clone(), 2)
            .input(3, BF16, 1, Matrix::new(32, 32, |_, _| 0.0), 1)
            .result(64, 64, 4);
        case.out = (16, BF16, 4);
        let linear = |r: usize, c: usize| (0..64).map(|k| a.at(r, k) * b.at(k, c)).sum::<f64>() + bias.at(0, c);
        case.check(tolerance, 0.01, |r, c| linear(r, c).max(0.0));
    }
}

/// A row-major block, told to the rig as the tiles whose bytes it would be.
fn rows_as_tiles(matrix: &Matrix) -> Matrix {
    let bytes: Vec<u8> = matrix
        .values
        .iter()
        .flat_map(|v| ((v.to_bits() >> 16) as u16).to_le_bytes())
        .collect();
    Matrix::from_pages(matrix.rows, matrix.columns, BF16, &bytes)
}

#[test]
fn tilizing_and_untilizing_are_inverse() {
    let data = Matrix::random(32, 128, 26, 3.0);
    for wide in [false, true] {
        let tilized = Case::of("tilize.cpp", wide)
            .input(0, BF16, 4, rows_as_tiles(&data), 4)
            .result(32, 128, 4);
        assert_eq!(tilized.run(), data);
        for name in ["untilize_block.cpp", "untilize_dest.cpp"] {
            let untilized = Case::of(name, wide)
                .input(0, BF16, 4, data.clone(), 4)
                .result(32, 128, 4);
            assert_eq!(untilized.run(), rows_as_tiles(&data), "{name}");
        }
    }
}

#[test]
fn every_call_of_the_headers_compiles() {
    // Calls with every argument, and with only those that have no default; it is not run.
    let source = include_str!("kernels/every_call.cpp");
    let call = source.replace("void kernel_main() {", "void every_call() {")
        + "void kernel_main() { compute_kernel_hw_startup(0, 16); }\n";
    for wide in [false, true] {
        Case::text("every_call.cpp", &call, wide)
            .input(0, BF16, 1, Matrix::random(32, 32, 1, 1.0), 1)
            .report();
    }
}
