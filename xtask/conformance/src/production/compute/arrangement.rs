//! Kernels that rearrange: transpositions, copies, tilizing and untilizing.

use super::elementwise::matrix;
use super::matmul::{stack, tile};
use super::rig::{BF16, F32, Rig, destination};
use crate::production::bounds::EXACT;
use crate::production::case::Case;
use crate::production::values::{Matrix, encode};
use tt_emulator::DataFormat;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![transposition_of_a_tensor(), rows_to_transposed_rows(), concatenation()];
    cases.extend(transpositions_of_tiles());
    cases.extend(copies());
    cases.extend(tilizing());
    cases.extend(untilizing());
    cases.extend(broadcasts());
    cases
}

/// Every tile transposed in its place.
fn tiles_transposed(matrix: &Matrix) -> Matrix {
    Matrix::new(matrix.rows, matrix.columns, |row, column| {
        matrix.at(row / 32 * 32 + column % 32, column / 32 * 32 + row % 32)
    })
}

fn transpositions_of_tiles() -> Vec<Case> {
    let x = matrix(31);
    let of = |name: &str, path: &str| Rig::new(name, path);
    let done = |rig: Rig, from, to| {
        rig.input_in(from, BF16, &x, 2)
            .output(to, BF16, &tiles_transposed(&x), EXACT)
            .case()
    };
    let split = "operations/experimental/transformer/split_query_key_value_and_split_heads/device/kernels/compute";
    vec![
        done(
            of("transpose of tiles", "kernel/compute/transpose_wh.cpp").compile_args([6u32]),
            0,
            16,
        ),
        done(
            of(
                "data_movement/transpose wh",
                "operations/data_movement/transpose/device/kernels/compute/transpose_wh.cpp",
            )
            .args([6u32]),
            0,
            16,
        ),
        done(
            of("transpose of heads", &format!("{split}/transpose_wh_sharded.cpp")).compile_args([6u32]),
            24,
            17,
        ),
    ]
}

fn transposition_of_a_tensor() -> Case {
    let x = matrix(32);
    let transposed = Matrix::new(64, 96, |row, column| x.at(column, row));
    let path = "operations/data_movement/transpose/device/kernels/compute/transpose_wh_sharded.cpp";
    Rig::new("data_movement/transpose wh, sharded", path)
        .compile_args([0u32, 16])
        .args([6u32, 6, 1, 3, 2])
        .input(0, BF16, &x)
        .output(16, BF16, &transposed, EXACT)
        .case()
}

/// Rows of the tensor as pages of one row of tiles.
fn rows_to_transposed_rows() -> Case {
    let x = matrix(33);
    let transposed = Matrix::new(64, 96, |row, column| x.at(column, row));
    let page = BF16.tile_bytes(32, 32) as u32;
    let path = "operations/data_movement/transpose/device/kernels/compute/transpose_wh_rm.cpp";
    Rig::new("data_movement/transpose wh of rows", path)
        .compile_args([3u32, 2, 6])
        .args([1u32])
        .input_pages(0, BF16, page, x.sticks(BF16), 6)
        .scratch(24, BF16, 6)
        .output_pages(16, BF16, page, transposed.sticks(BF16), 6)
        .case()
}

/// A band of two tiles is untilized, put together elsewhere as rows, and tilized again.
fn concatenation() -> Case {
    let (x, y) = (matrix(34), Matrix::random(32, 64, 35, -3.0, 3.0));
    let band = Matrix::new(32, 64, |row, column| x.at(row, column));
    let page = BF16.tile_bytes(32, 32) as u32;
    let path = "operations/data_movement/concat/device/kernels/compute/concat_untilize_retilize.cpp";
    let rows_of_tiles = stack((0..2).map(|column| tile(&band, 0, column)));
    Rig::new("data_movement/concat, through rows", path)
        .compile_args([0u32, 1, 2, 16, 2, 2, 0])
        .args([1u32])
        .input(0, BF16, &band)
        .input_pages(2, BF16, page, y.sticks(BF16), 2)
        .output_pages(1, BF16, page, rows_of_tiles.sticks(BF16), 2)
        .output(16, BF16, &y, EXACT)
        .case()
}

fn copies() -> Vec<Case> {
    let x = matrix(36);
    let copy = |rig: Rig| rig.input_in(0, BF16, &x, 2).output(16, BF16, &x, EXACT).case();
    let to_fp32 = Rig::with(
        "copy of bf16 to fp32",
        "operations/data_movement/sharded/device/kernels/compute/eltwise_copy.cpp",
        destination(true),
    );
    vec![
        copy(Rig::new("copy in the compute kernel", "kernel/compute/eltwise_copy.cpp").compile_args([6u32])),
        copy(
            Rig::new(
                "clone",
                "operations/data_movement/clone/device/kernels/compute_kernel.cpp",
            )
            .dfbs(&[("src", 0), ("dst", 16)])
            .token("num_tiles", 6u32),
        ),
        copy(
            Rig::new(
                "eltwise/unary identity",
                "operations/eltwise/unary/device/kernels/compute/eltwise_identity_kernel.cpp",
            )
            .dfbs(&[("in", 0), ("out", 16)])
            .argument("num_tiles", 6u32),
        ),
        to_fp32
            .args([6u32])
            .input_in(0, BF16, &x, 2)
            .output(16, F32, &x, EXACT)
            .case(),
    ]
}

fn tilizing() -> Vec<Case> {
    let x = matrix(37);
    let pages = |format: DataFormat| format.tile_bytes(32, 32) as u32;
    let tilize = "operations/data_movement/tilize/device/kernels/compute";
    let fill = |rig: Rig, to: u8| {
        rig.input_pages(0, BF16, pages(BF16), x.sticks(BF16), 4)
            .output(to, BF16, &x, EXACT)
            .case()
    };
    vec![
        fill(
            Rig::new("tilize", "kernel/compute/tilize.cpp").compile_args([3u32, 2]),
            16,
        ),
        fill(
            Rig::new("data_movement/tilize", &format!("{tilize}/tilize.cpp")).compile_args([0u32, 16, 3, 2]),
            16,
        ),
        fill(
            Rig::new("data_movement/tilize by blocks", &format!("{tilize}/tilize_wh.cpp"))
                .dfbs(&[("in", 0), ("out", 16)])
                .token("block_size_col", 3u32)
                .token("block_size_row", 2u32)
                .token("third_dim", 1u32),
            16,
        ),
    ]
}

fn untilizing() -> Vec<Case> {
    let x = matrix(38);
    let page = BF16.tile_bytes(32, 32) as u32;
    let folder = "operations/data_movement/untilize";
    let rows = |rig: Rig| {
        rig.input_in(0, BF16, &x, 4)
            .output_pages(16, BF16, page, x.sticks(BF16), 4)
            .case()
    };
    let tile_by_tile = stack(
        (0..3)
            .flat_map(|row| (0..2).map(move |column| (row, column)))
            .map(|(r, c)| tile(&x, r, c)),
    );
    // The blocks alternate between two buffers.
    let bands = |first: usize| {
        let rows = (first..3).step_by(2).flat_map(|band| band * 32..band * 32 + 32);
        encode(
            BF16,
            &rows
                .flat_map(|row| (0..64).map(move |column| (row, column)))
                .map(|(r, c)| x.at(r, c))
                .collect::<Vec<_>>(),
        )
    };
    let halo = "operations/sliding_window/halo/device/kernels/compute/pack_untilize.cpp";
    vec![
        rows(
            Rig::new(
                "data_movement/untilize, generated",
                &format!("{folder}/codegen/kernels/compute_untilize.cpp"),
            )
            .compile_args([3u32, 2, 0, 16, 8]),
        ),
        rows(
            Rig::new(
                "data_movement/untilize",
                &format!("{folder}/device/kernels/compute/untilize.cpp"),
            )
            .compile_args([3u32, 2, 0, 16]),
        ),
        rows(
            Rig::new(
                "data_movement/untilize a given number of blocks",
                &format!("{folder}/device/kernels/compute/untilize_variable_num_blocks.cpp"),
            )
            .compile_args([2u32, 0, 16])
            .args([3u32]),
        ),
        Rig::new(
            "data_movement/untilize tile by tile",
            &format!("{folder}/device/kernels/compute/untilize_w.cpp"),
        )
        .compile_args([3u32, 2, 1])
        .input_in(0, BF16, &x, 4)
        .output_pages(16, BF16, page, tile_by_tile.sticks(BF16), 4)
        .case(),
        Rig::new("halo untilize into two buffers", halo)
            .compile_args([0u32, 16, 17, 2, 1])
            .args([3u32])
            .input_in(0, BF16, &x, 4)
            .output_pages(16, BF16, page, bands(0), 4)
            .output_pages(17, BF16, page, bands(1), 4)
            .case(),
    ]
}

fn broadcasts() -> Vec<Case> {
    let folder = "operations/experimental/bcast_to/device/kernels/compute";
    let x = matrix(39);
    let spread = |name: &str, [n, ht]: [u32; 2], of: &dyn Fn(usize, usize) -> f64| {
        Rig::new(
            &format!("experimental/bcast_to, {name}"),
            &format!("{folder}/compute_interleaved_{name}_bcast_to.cpp"),
        )
        .compile_args([0u32, 16])
        .args([0u32, 0, 0, 0, 0, 6, 0, 0, n, 1, ht, 1])
        .input_in(0, BF16, &x, 2)
        .output(16, BF16, &Matrix::new(x.rows, x.columns, of), EXACT)
        .case()
    };
    let origin = |at: usize| at / 32 * 32;
    vec![
        spread("row", [1, 6], &|row, column| x.at(origin(row), column)),
        spread("col", [1, 6], &|row, column| x.at(row, origin(column))),
        spread("scalar", [6, 1], &|row, column| x.at(origin(row), origin(column))),
    ]
}
