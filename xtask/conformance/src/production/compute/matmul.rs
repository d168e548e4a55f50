//! Matrix products: tile by tile, and by blocks with partial results in circular buffers.

use super::rig::{BF16, Rig, destination};
use crate::production::bounds::{Bound, rounded, rounded_product};
use crate::production::case::Case;
use crate::production::values::Matrix;

/// A sum of up to 128 products below 1, kept in fp32 and rounded to bf16 once. The chips cut every 16 products below the
/// largest of them (`TT_EMULATOR_FPU=exact` does, and both simulated chips), which is up to 0.002 here.
const ONE_SUM: Bound = (2e-3, 1.0 / 256.0);

const FOLDER: &str = "operations/matmul/device/kernels/compute";

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    vec![
        tile_by_tile(),
        by_blocks(1, true),
        by_blocks(2, false),
        with_bias_and_relu(),
    ]
}

/// The tile in row `row` and column `column` of tiles.
pub fn tile(matrix: &Matrix, row: usize, column: usize) -> Matrix {
    Matrix::new(32, 32, |r, c| matrix.at(32 * row + r, 32 * column + c))
}

/// Tiles one below the other, as circular buffers take them.
pub fn stack(tiles: impl IntoIterator<Item = Matrix>) -> Matrix {
    let values: Vec<f64> = tiles.into_iter().flat_map(|tile| tile.values).collect();
    Matrix::new(values.len() / 32, 32, |row, column| values[row * 32 + column])
}

fn tile_by_tile() -> Case {
    let (mt, kt, nt) = (2, 3, 2);
    let a = Matrix::random(32 * mt, 32 * kt, 21, -1.0, 1.0);
    let b = Matrix::random(32 * kt, 32 * nt, 22, -1.0, 1.0);
    let pairs = || (0..mt).flat_map(move |m| (0..nt).flat_map(move |n| (0..kt).map(move |k| (m, k, n))));
    Rig::with("bmm", &format!("{FOLDER}/bmm.cpp"), destination(true))
        .compile_args([1, mt as u32, kt as u32, nt as u32])
        .named("cb_in0", 0)
        .named("cb_in1", 1)
        .named("cb_out", 16)
        .input_in(0, BF16, &stack(pairs().map(|(m, k, _)| tile(&a, m, k))), 2)
        .input_in(1, BF16, &stack(pairs().map(|(_, k, n)| tile(&b, k, n))), 2)
        .output(16, BF16, &a.times(&b), ONE_SUM)
        .case()
}

/// 4 × 2 blocks of 2 × 1 tiles; with several blocks along k partial results are spilled and reloaded.
fn by_blocks(blocks: usize, wide: bool) -> Case {
    let (mt, nt, width) = (4, 2, 2);
    let kt = width * blocks;
    let (height, across) = (2, 1);
    let a = Matrix::random(32 * mt, 32 * kt, 23, -1.0, 1.0);
    let b = Matrix::random(32 * kt, 32 * nt, 24, -1.0, 1.0);
    let rows = (0..blocks).flat_map(|block| (0..mt).flat_map(move |m| (0..width).map(move |k| (m, width * block + k))));
    let columns = (0..kt).flat_map(|k| (0..nt).map(move |n| (k, n)));
    let c = a.times(&b);
    let subblocks = (0..mt / height).flat_map(|m| (0..nt / across).map(move |n| (m, n)));
    let results = subblocks
        .flat_map(|(m, n)| (0..height).flat_map(move |h| (0..across).map(move |w| (m * height + h, n * across + w))));
    let results = stack(results.map(|(m, n)| tile(&c, m, n)));
    let words = [
        width,
        mt / height,
        mt * width,
        height * width,
        nt / across,
        nt * width,
        nt,
        blocks,
        height,
        across,
        height * across,
        1,
    ];
    Rig::with(
        &format!("bmm by blocks, {blocks} along k"),
        &format!("{FOLDER}/bmm_large_block_zm.cpp"),
        destination(wide),
    )
    .compile_args(words.map(|word| word as u32))
    .named("cb_in0", 0)
    .named("cb_in1", 1)
    .named("cb_out", 16)
    .named("cb_intermed0", 24)
    .input_in(
        0,
        BF16,
        &stack(rows.map(|(m, k)| tile(&a, m, k))),
        (2 * mt * width) as u32,
    )
    .input_in(
        1,
        BF16,
        &stack(columns.map(|(k, n)| tile(&b, k, n))),
        (2 * nt * width) as u32,
    )
    .scratch(24, BF16, (mt * nt) as u32)
    .output(16, BF16, &results, if wide { ONE_SUM } else { rounded_product(&a, &b) })
    .case()
}

/// [4, 4] by [4, 2] tiles in two blocks along k and 2 × 2 subblocks of 2 × 1 tiles; a row of offsets is added to the
/// sums, and the packer keeps what is positive.
fn with_bias_and_relu() -> Case {
    let (mt, kt, nt, width, blocks) = (4, 4, 2, 2, 2);
    let a = Matrix::random(32 * mt, 32 * kt, 25, -1.0, 1.0);
    let b = Matrix::random(32 * kt, 32 * nt, 26, -1.0, 1.0);
    let offsets = Matrix::random(32, 32 * nt, 27, -4.0, 4.0);
    let c = a.times(&b);
    let c = Matrix::new(c.rows, c.columns, |row, column| {
        (c.at(row, column) + offsets.at(0, column)).max(0.0)
    });
    let rows = (0..blocks).flat_map(|block| (0..mt).flat_map(move |m| (0..width).map(move |k| (m, width * block + k))));
    let columns = (0..kt).flat_map(|k| (0..nt).map(move |n| (k, n)));
    let results = (0..2).flat_map(|m| (0..nt).flat_map(move |n| (0..2).map(move |h| (2 * m + h, n))));
    let words = [
        width,
        2,
        mt * width,
        2 * width,
        nt,
        nt * width,
        nt,
        blocks,
        1,
        1,
        2,
        1,
        2,
        1,
        mt * nt,
        0,
        0,
        0,
        1,
    ];
    Rig::with(
        "bmm with bias and relu",
        &format!("{FOLDER}/bmm_large_block_zm_fused_bias_activation.cpp"),
        destination(true),
    )
    .defines(&[("FUSE_BIAS", "1"), ("PACK_RELU", "1")])
    .compile_args(words.map(|word| word as u32))
    .named("cb_in0", 0)
    .named("cb_in1", 1)
    .named("cb_bias", 3)
    .named("bias_ntiles", nt as u32)
    .named("cb_out", 16)
    .named("cb_intermed0", 24)
    .input(0, BF16, &stack(rows.map(|(m, k)| tile(&a, m, k))))
    .input(1, BF16, &stack(columns.map(|(k, n)| tile(&b, k, n))))
    .input(3, BF16, &stack((0..nt).map(|n| tile(&offsets, 0, n))))
    .scratch(24, BF16, (mt * nt) as u32)
    .output(16, BF16, &stack(results.map(|(m, n)| tile(&c, m, n))), rounded(2, 12.0))
    .case()
}
