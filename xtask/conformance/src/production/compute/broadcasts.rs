//! Kernels that repeat rows, columns or single elements of one tensor over the tiles of another.

use super::elementwise::{matrix, zip};
use super::matmul::{stack, tile};
use super::rig::{BF16, Rig};
use crate::arguments;
use crate::production::bounds::{EXACT, PRODUCT, rounded_sum};
use crate::production::case::Case;
use crate::production::values::Matrix;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        row_over_tiles(),
        column_over_tiles(),
        element_over_tiles(),
        row_and_column(),
    ];
    cases.extend(selections());
    cases.extend(selections_of_three());
    cases
}

fn classic(name: &str, file: &str, op: &str, dim: &str) -> Rig {
    let path = format!("operations/data_movement/bcast/device/kernels/compute/{file}.cpp");
    Rig::new(name, &path).defines(&[
        ("CHAIN_BCAST_OP", &format!("compute_kernel_lib::BinaryFpuOp::{op}")),
        ("CHAIN_BCAST_DIM", &format!("compute_kernel_lib::BroadcastDim::{dim}")),
    ])
}

fn with_shape(rig: Rig) -> Rig {
    rig.dfbs(&[("in0", 0), ("in1", 1), ("out", 16)])
        .argument("B", 1u32)
        .argument("Ht", 3u32)
        .argument("Wt", 2u32)
}

fn row_over_tiles() -> Case {
    let (x, y) = (matrix(101), Matrix::random(32, 64, 102, -2.0, 2.0));
    let sum = Matrix::new(96, 64, |r, c| x.at(r, c) + y.at(0, c));
    let rows = stack((0..6).map(|index| tile(&y, 0, index % 2)));
    with_shape(classic("broadcast of a row, added", "bcast_h", "Add", "Row"))
        .input_in(0, BF16, &x, 2)
        .input_in(1, BF16, &rows, 2)
        .output(16, BF16, &sum, rounded_sum(3.0))
        .case()
}

fn column_over_tiles() -> Case {
    let (x, y) = (matrix(103), Matrix::random(96, 32, 104, -2.0, 2.0));
    let difference = Matrix::new(96, 64, |r, c| x.at(r, c) - y.at(r, 0));
    with_shape(classic("broadcast of a column, subtracted", "bcast_w", "Sub", "Col"))
        .input_in(0, BF16, &x, 2)
        .input_in(1, BF16, &y, 2)
        .output(16, BF16, &difference, rounded_sum(3.0))
        .case()
}

fn element_over_tiles() -> Case {
    let (x, y) = (matrix(105), Matrix::random(32, 32, 106, -2.0, 2.0));
    classic("broadcast of an element, multiplied", "bcast_hw", "Mul", "Scalar")
        .defines(&[("BCAST_SCALAR", "1")])
        .args([1u32, 3, 2])
        .input_in(0, BF16, &x, 2)
        .input(1, BF16, &y)
        .output(16, BF16, &x.map(|x| x * y.at(0, 0)), PRODUCT)
        .case()
}

/// Rows of the one, the column of the other; a row comes with every tile.
fn row_and_column() -> Case {
    let (rows, columns) = (
        Matrix::random(192, 32, 107, -2.0, 2.0),
        Matrix::random(32, 32, 108, -2.0, 2.0),
    );
    let sum = Matrix::new(192, 32, |r, c| rows.at(r / 32 * 32, c) + columns.at(r % 32, 0));
    let spread = Matrix::new(32, 32, |r, _| columns.at(r, 0));
    let path = "operations/eltwise/binary_ng/device/kernels_ng/compute/eltwise_binary_row_col_bcast.cpp";
    Rig::new("binary_ng add a column to rows", path)
        .defines(&[
            ("BINARY_OP", "add_tiles"),
            ("BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD"),
            ("PROCESS_LHS_ACTIVATIONS(i)", ""),
            ("PROCESS_RHS_ACTIVATIONS(i)", ""),
            ("PROCESS_POST_ACTIVATIONS(i)", ""),
            ("BCAST_INPUT", "1"),
            ("BCAST_OP", "RHS"),
            ("OTHER_OP", "LHS"),
        ])
        .compile_args([1u32])
        .args([6u32, 6, 0])
        .input_in(0, BF16, &rows, 2)
        .input(1, BF16, &spread)
        .scratch(5, BF16, 2)
        .output(2, BF16, &sum, rounded_sum(3.0))
        .case()
}

/// `binary_ng`'s choice between a tensor and a scalar, the tensor being repeated.
fn selections() -> Vec<Case> {
    let x = matrix(109).map(|x| f64::from(u8::from(x > 0.0)));
    let y = Matrix::random(32, 32, 110, -2.0, 2.0);
    let select = |name: &str, file: &str| {
        let path = format!("operations/eltwise/binary_ng/device/{file}.cpp");
        Rig::new(&format!("binary_ng where, {name}"), &path)
            .defines(&[
                ("BINARY_SFPU_INIT", "where_tile_init();"),
                ("BINARY_SFPU_OP", "where_tile<DataFormat::Float16_b>"),
                ("BCAST_INPUT", "1"),
                ("SRC_BCAST", "0"),
                ("SRC_BCAST_B", "1"),
                ("WHERE_TTS", "1"),
                ("FILL_WITH_VALUE_FLOAT", "1"),
                ("FILL_LLK", "fill_tile"),
            ])
            .compile_args([1u32])
            .args(arguments![6u32, 6u32, 0u32, -0.5f32])
            .input(0, BF16, &x)
    };
    let chosen = |of: &dyn Fn(usize, usize) -> f64| {
        Matrix::new(96, 64, |r, c| if x.at(r, c) > 0.0 { of(r % 32, c % 32) } else { -0.5 })
    };
    let every = Matrix::new(192, 32, |r, c| y.at(r % 32, c));
    vec![
        select("one tile for six", "kernels/compute/eltwise_where_sfpu")
            .input(1, BF16, &y)
            .output(2, BF16, &chosen(&|r, c| y.at(r, c)), EXACT)
            .case(),
        select("one tile for all", "kernels/compute/eltwise_where_sfpu_scalar")
            .input(1, BF16, &y)
            .output(2, BF16, &chosen(&|r, c| y.at(r, c)), EXACT)
            .case(),
        select("rows repeated", "kernels_ng/compute/eltwise_where_sfpu_row_bcast")
            .input(1, BF16, &every)
            .scratch(6, BF16, 2)
            .output(2, BF16, &chosen(&|_, c| y.at(0, c)), EXACT)
            .case(),
    ]
}

/// The same choice of the ternary operation.
fn selections_of_three() -> Vec<Case> {
    let condition = matrix(111).map(|x| f64::from(u8::from(x > 0.0)));
    let (y, z) = (matrix(112), Matrix::random(32, 32, 113, -2.0, 2.0));
    let select = |name: &str, file: &str| {
        let path = format!("operations/eltwise/ternary/device/kernels/compute/{file}.cpp");
        Rig::new(&format!("ternary where, {name}"), &path)
            .defines(&[
                ("TERNARY_SFPU_OP_INIT", "where_tile_init"),
                ("TERNARY_SFPU_OP_FUNC", "where_tile<DataFormat::Float16_b>"),
                ("FILL_WITH_VALUE_FLOAT", "1"),
                ("FILL_LLK", "fill_tile"),
            ])
            .input(0, BF16, &condition)
            .input(1, BF16, &y)
    };
    let pairs = zip(&condition, &y, |x, y| if x > 0.0 { y } else { 0.25 });
    let last = Matrix::new(96, 64, |r, c| {
        if condition.at(r, c) > 0.0 {
            y.at(r, c)
        } else {
            z.at(r % 32, c % 32)
        }
    });
    vec![
        select("a scalar", "ternary_sfpu_no_bcast_tts_tst")
            .compile_args([1u32, 0])
            .args(arguments![6u32, 0u32, 0u32, 0.25f32])
            .output(3, BF16, &pairs, EXACT)
            .case(),
        select("one tile for six", "ternary_sfpu_col_scalar_bcast_ttt")
            .defines(&[("BCAST_A", "0"), ("BCAST_B", "0"), ("BCAST_C", "1")])
            .compile_args([1u32])
            .args([6u32, 6, 0])
            .input(2, BF16, &z)
            .output(3, BF16, &last, EXACT)
            .case(),
        select("a scalar, tile by tile", "ternary_sfpu_col_scalar_bcast_tts_tst")
            .defines(&[("BCAST_A", "0"), ("BCAST_B", "0"), ("BCAST_C", "0")])
            .compile_args([1u32, 0])
            .args(arguments![6u32, 6u32, 0u32, 0.25f32])
            .output(3, BF16, &pairs, EXACT)
            .case(),
    ]
}
