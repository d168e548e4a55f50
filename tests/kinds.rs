//! Kernels that differ in kind, on shapes that do: the emulator's result against the reference interpreter's.

use tt::prelude::*;

#[path = "../tt-backend/tests/kernels/assorted.rs"]
mod assorted;

#[path = "../tt-backend/tests/kernels/unusual.rs"]
mod unusual;

/// `n` repeatable values in [-1, 1).
fn values(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

fn bf16s(n: usize, seed: u64) -> Vec<bf16> {
    values(n, seed).into_iter().map(bf16::from_f32).collect()
}

/// Every element within `tolerance` · (1 + |expected|).
fn close(what: &str, actual: impl IntoIterator<Item = f32>, expected: &[f32], tolerance: f32) {
    let mut count = 0;
    for (at, (actual, expected)) in actual.into_iter().zip(expected).enumerate() {
        let error = (actual - expected).abs() / (1.0 + expected.abs());
        assert!(error <= tolerance, "{what}[{at}] is {actual}, expected {expected}");
        count += 1;
    }
    assert_eq!(count, expected.len(), "{what}: length");
}

#[test]
fn a_transposed_left_operand_over_a_filled_accumulator() -> Result<()> {
    let device = Device::open()?;
    for (m, k, n) in [(96, 64, 64), (100, 70, 130), (1, 33, 1), (200, 300, 65)] {
        let a = device.upload(&bf16s(k * m, 1), [k, m])?;
        let b = device.upload(&bf16s(k * n, 2), [k, n])?;
        let mut c = device.zeros::<f32>([m, n])?;
        let expected = assorted::tall(&a, &b, &mut c).reference()?;
        assorted::tall(&a, &b, &mut c).run()?;
        // 32-bit accumulation of exact products: what differs is the order of the sum.
        close(&format!("tall {m}×{k}×{n}"), c.download()?, &expected["c"], 1e-4);
    }
    Ok(())
}

#[test]
fn a_serial_loop_of_any_count_and_a_branch_on_a_scalar() -> Result<()> {
    let device = Device::open()?;
    for (m, n, count, s) in [(64, 64, 3, 0.75), (33, 65, 0, 0.75), (40, 31, 5, 0.25)] {
        let x = device.upload(&bf16s(m * n, 3), [m, n])?;
        let mut c = device.zeros::<bf16>([m, n])?;
        let mut d = device.zeros::<f32>([m, n])?;
        let expected = assorted::two(&x, s, count, &mut c, &mut d).reference()?;
        assorted::two(&x, s, count, &mut c, &mut d).run()?;
        // A square block is transposed; its padding past the edge must not show.
        close(
            &format!("two {m}×{n} c"),
            c.download()?.into_iter().map(f32::from),
            &expected["c"],
            1e-2,
        );
        close(&format!("two {m}×{n} d"), d.download()?, &expected["d"], 1e-5);
    }
    Ok(())
}

#[test]
fn two_products_in_one_kernel() -> Result<()> {
    let device = Device::open()?;
    for (m, k, h, n) in [(32, 64, 64, 128), (70, 100, 130, 128), (5, 7, 9, 11)] {
        let x = device.upload(&bf16s(m * k, 4), [m, k])?;
        // Weights as a network has them, so that the intermediate result's rounding to bf16 stays small against the sum.
        let scaled = |n: usize, seed| {
            values(n, seed)
                .into_iter()
                .map(|x| bf16::from_f32(x / 8.0))
                .collect::<Vec<_>>()
        };
        let w = device.upload(&scaled(k * h, 5), [k, h])?;
        let v = device.upload(&scaled(h * n, 6), [h, n])?;
        let mut y = device.zeros::<bf16>([m, n])?;
        let expected = assorted::mlp(&x, &w, &v, &mut y).reference()?;
        assorted::mlp(&x, &w, &v, &mut y).run()?;
        close(
            &format!("mlp {m}×{k}×{h}×{n}"),
            y.download()?.into_iter().map(f32::from),
            &expected["y"],
            1e-2,
        );
    }
    Ok(())
}

#[test]
fn rows_columns_and_corners_are_broadcast() -> Result<()> {
    let device = Device::open()?;
    for (m, n) in [(64, 64), (100, 70), (1, 200), (65, 1)] {
        let a = device.upload(&bf16s(m * n, 7), [m, n])?;
        let r = device.upload(&bf16s(n, 8), [n])?;
        let q = device.upload(&bf16s(m, 9), [m, 1])?;
        let mut o = device.zeros::<bf16>([m, n])?;
        let expected = assorted::vectors(&a, &r, &q, &mut o).reference()?;
        assorted::vectors(&a, &r, &q, &mut o).run()?;
        close(
            &format!("vectors {m}×{n}"),
            o.download()?.into_iter().map(f32::from),
            &expected["o"],
            2e-2,
        );
    }
    Ok(())
}

#[test]
fn a_transpose_of_every_matrix_of_a_batch() -> Result<()> {
    let device = Device::open()?;
    for (b, m, k) in [(2, 64, 96), (3, 33, 70)] {
        let a = device.upload(&values(b * m * k, 10), [b, m, k])?;
        let mut c = device.zeros::<f32>([b, k, m])?;
        let expected = assorted::batched(&a, &mut c).reference()?;
        assorted::batched(&a, &mut c).run()?;
        // Transposed through SrcA: TF32, ten bits of fraction.
        close(&format!("batched {b}×{m}×{k}"), c.download()?, &expected["c"], 1e-3);
    }
    Ok(())
}

#[test]
fn a_product_in_a_branch_of_a_nested_loop() -> Result<()> {
    let device = Device::open()?;
    for (m, k, n, flag) in [(64, 96, 64, 0), (70, 100, 65, 0), (70, 100, 65, 1)] {
        let a = device.upload(&bf16s(m * k, 11), [m, k])?;
        let b = device.upload(&bf16s(k * n, 12), [k, n])?;
        let mut c = device.zeros::<f32>([m, n])?;
        let expected = unusual::gemm_in_if(&a, &b, flag, &mut c).reference()?;
        unusual::gemm_in_if(&a, &b, flag, &mut c).run()?;
        close(
            &format!("gemm_in_if {m}×{k}×{n} {flag}"),
            c.download()?,
            &expected["c"],
            1e-4,
        );
    }
    Ok(())
}

#[test]
fn two_accumulators_of_one_loop() -> Result<()> {
    let device = Device::open()?;
    for (m, k, n) in [(64, 128, 64), (33, 70, 100)] {
        let a = device.upload(&bf16s(m * k, 13), [m, k])?;
        let b = device.upload(&bf16s(k * n, 14), [k, n])?;
        let d = device.upload(&bf16s(n * k, 15), [n, k])?;
        let mut c = device.zeros::<bf16>([m, n])?;
        let expected = unusual::two_accumulators(&a, &b, &d, &mut c).reference()?;
        unusual::two_accumulators(&a, &b, &d, &mut c).run()?;
        close(
            &format!("two_accumulators {m}×{k}×{n}"),
            c.download()?.into_iter().map(f32::from),
            &expected["c"],
            1e-2,
        );
    }
    Ok(())
}

#[test]
fn an_expression_larger_than_the_registers() -> Result<()> {
    let device = Device::open()?;
    for (m, n) in [(64, 64), (70, 33)] {
        let a = device.upload(&values(m * n, 16), [m, n])?;
        let b = device.upload(&values(m * n, 17), [m, n])?;
        let mut c = device.zeros::<f32>([m, n])?;
        let expected = unusual::big_expression(&a, &b, 0.5, &mut c).reference()?;
        unusual::big_expression(&a, &b, 0.5, &mut c).run()?;
        // 32-bit buffers go to 32-bit registers unrounded.
        close(&format!("big_expression {m}×{n}"), c.download()?, &expected["c"], 1e-5);
    }
    Ok(())
}

#[test]
fn functions_of_f32_blocks_have_the_precision_of_f32() -> Result<()> {
    let device = Device::open()?;
    let a = device.upload(&values(70 * 33, 18), [70, 33])?;
    let mut c = device.zeros::<f32>([70, 33])?;
    let expected = unusual::long_polynomials(&a, &mut c).reference()?;
    unusual::long_polynomials(&a, &mut c).run()?;
    // The device's softplus is off by 4.2e-5 at 0; what bf16 kernels take is off by 3e-3 (erf) and 1e-3 (softplus).
    close("long_polynomials", c.download()?, &expected["c"], 4.5e-5);
    Ok(())
}

#[test]
fn low_fidelity_in_another_order() -> Result<()> {
    let device = Device::open()?;
    let (m, k, n) = (100, 64, 130);
    let scaled = |n: usize, seed| {
        values(n, seed)
            .into_iter()
            .map(|x| bf16::from_f32(x / 8.0))
            .collect::<Vec<_>>()
    };
    let a = device.upload(&scaled(m * k, 18), [m, k])?;
    let b = device.upload(&scaled(k * n, 19), [k, n])?;
    let mut c = device.zeros::<bf16>([m, n])?;
    let expected = unusual::options(&a, &b, &mut c).reference()?;
    unusual::options(&a, &b, &mut c).run()?;
    // LoFi drops all but 4 and 6 bits of the factors, and the approximate gelu is a table (0.024).
    close(
        "options",
        c.download()?.into_iter().map(f32::from),
        &expected["c"],
        5e-2,
    );
    Ok(())
}

#[test]
fn a_value_carried_by_a_loop_and_one_that_stays() -> Result<()> {
    let device = Device::open()?;
    for (m, n) in [(32, 128), (40, 200)] {
        let a = device.upload(&bf16s(m * n, 20), [m, n])?;
        let mut c = device.zeros::<bf16>([m, n])?;
        let expected = unusual::loop_carried(&a, &mut c).reference()?;
        unusual::loop_carried(&a, &mut c).run()?;
        close(
            &format!("loop_carried {m}×{n}"),
            c.download()?.into_iter().map(f32::from),
            &expected["c"],
            2e-2,
        );

        let q = device.upload(&bf16s(m * 64, 21), [m, 64])?;
        let b = device.upload(&bf16s(64 * n, 22), [64, n])?;
        let expected = unusual::resident(&q, &b, &mut c).reference()?;
        unusual::resident(&q, &b, &mut c).run()?;
        close(
            &format!("resident {m}×{n}"),
            c.download()?.into_iter().map(f32::from),
            &expected["c"],
            1e-2,
        );
    }
    Ok(())
}

#[test]
fn a_kernel_that_stores_nothing_leaves_its_output_alone() -> Result<()> {
    let device = Device::open()?;
    let a = device.upload(&bf16s(64 * 64, 23), [64, 64])?;
    let before = bf16s(64 * 64, 24);
    let mut c = device.upload(&before, [64, 64])?;
    unusual::nothing(&a, &mut c).run()?;
    assert_eq!(c.download()?, before);
    Ok(())
}

#[test]
fn elements_are_read_at_other_places() -> Result<()> {
    let device = Device::open()?;
    let a = device.upload(&bf16s(128 * 192, 25), [128, 192])?;
    let mut c = device.zeros::<f32>([64, 128])?;
    unusual::shifted(&a, &mut c).check(1e-2)?;
    Ok(())
}
