//! Tile products from a kernel.

use tt_emulator::kernel_config::{ComputeOptions, MathFidelity};

use crate::rig::*;

/// Blocks of K by blocks: the reader feeds A and B block by block.
fn blocked(m: usize, n: usize, kb: usize, blocks: usize, options: ComputeOptions) -> (Case, Matrix, Matrix) {
    let (a, b) = (
        Matrix::random(m * 32, kb * blocks * 32, 1, 1.0),
        Matrix::random(kb * blocks * 32, n * 32, 2, 1.0),
    );
    let kt = kb * blocks;
    let mut case = Case::of("matmul_blocks.cpp", true)
        .input(0, BF16, (2 * m * kb) as u32, a.clone(), 1)
        .input(1, BF16, (2 * n * kb) as u32, b.clone(), 1);
    // The compute kernel wants blocks: rows of A's block, then B's block.
    case.feed.clear();
    for block in 0..blocks {
        case.feed
            .extend((0..m).map(|row| (0, (row * kt + block * kb) as u32, kb as u32)));
        case.feed.push((1, (block * kb * n) as u32, (kb * n) as u32));
    }
    case.options = options;
    case.scratch = vec![(24, F32, (m * n) as u32)];
    case.compile_args = vec![m as u32, n as u32, kb as u32, blocks as u32];
    (case.result(m * 32, n * 32, 2), a, b)
}

fn product(a: &Matrix, b: &Matrix, row: usize, column: usize) -> f64 {
    (0..a.columns).map(|k| a.at(row, k) * b.at(k, column)).sum()
}

#[test]
fn blocks_accumulate_through_the_packer() {
    let wide = ComputeOptions {
        fp32_dest_acc_en: true,
        ..Default::default()
    };
    let (case, a, b) = blocked(4, 6, 2, 3, wide);
    // TF32 partials, then bf16.
    case.check(0.01, 1.0 / 256.0 + 1.0 / 1024.0, |r, c| product(&a, &b, r, c));
    let counters = case.counters().total.compute;
    assert_eq!(
        (counters.matmul_tiles, counters.packed_tiles, counters.copied_tiles),
        (4 * 6 * 6, 4 * 6 * 4, 24)
    );
}

#[test]
fn fidelities_differ_as_their_phases_do() {
    let mut errors = Vec::new();
    for fidelity in [
        MathFidelity::LoFi,
        MathFidelity::HiFi2,
        MathFidelity::HiFi3,
        MathFidelity::HiFi4,
    ] {
        let options = ComputeOptions {
            fp32_dest_acc_en: true,
            math_fidelity: fidelity,
            ..Default::default()
        };
        let (case, a, b) = blocked(2, 2, 2, 2, options);
        let result = Case {
            out: (16, F32, 8),
            ..case
        }
        .run();
        let mean = (0..64 * 64)
            .map(|i| (result.at(i / 64, i % 64) - product(&a, &b, i / 64, i % 64)).abs())
            .sum::<f64>()
            / 4096.0;
        errors.push(mean);
    }
    assert!(
        errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2] && errors[2] >= errors[3],
        "{errors:?}"
    );
}

/// A times x, and that times A in place, `times` times, and once more.
fn in_place(times: usize) -> Case {
    // Moves rows up by one and doubles them.
    let a = Matrix::new(32, 32, |row, k| if k == (row + 1) % 32 { 2.0 } else { 0.0 });
    let x = Matrix::new(32, 32, |row, column| (row * 4 + column % 4) as f32);
    let mut case = Case::of("matmul_in_place.cpp", true)
        .input(0, BF16, 1, a, 1)
        .input(1, BF16, 1, x, 1)
        .define("TIMES", &times.to_string());
    case.scratch = vec![(24, BF16, 1)];
    case.result(32, 32, 1)
}

#[test]
fn a_page_that_is_packed_again_is_read_again() {
    for times in [0, 1, 3] {
        in_place(times).check(0.0, 0.0, |row, column| {
            let from = (row + times + 2) % 32;
            f64::from(1 << (times + 2)) * (from * 4 + column % 4) as f64
        });
    }
}

#[test]
fn a_page_that_is_stored_to_is_read_again() {
    // The second product is the opposite of the first.
    for how in ["1", "2"] {
        in_place(2).define("STORED", how).check(0.0, 0.0, |_, _| 0.0);
    }
}
