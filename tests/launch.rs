//! The program of a user: kernels in the language, launched through what the attribute leaves behind.

use tt::prelude::*;

/// c = a + alpha · b
#[tt::kernel]
pub fn axpy<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, M, N>,
    alpha: f32,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 64) {
        c[(by * 32 + i, bx * 64 + j)] = a[(by * 32 + i, bx * 64 + j)] + alpha * b[(by * 32 + i, bx * 64 + j)];
    }
}

/// Only for tensors of 64 × 64.
#[tt::kernel]
pub fn double_64(x: &Tensor<bf16, 64, 64>, y: &mut Tensor<bf16, 64, 64>) {
    let bx = T.Kernel(2);
    let block = T.alloc_shared::<bf16>(64, 32);
    T.copy(x[(0, bx * 32)], block);
    for (i, j) in T.Parallel(64, 32) {
        block[(i, j)] = block[(i, j)] * 2.0;
    }
    T.copy(block, y[(0, bx * 32)]);
}

fn emulator() -> Device {
    Device::open_named("emulator").unwrap()
}

fn ramp(n: usize) -> Vec<bf16> {
    (0..n).map(|i| bf16::from_f32((i % 37) as f32 / 8.0 - 2.0)).collect()
}

#[test]
fn a_launch_agrees_with_its_reference() -> tt::Result<()> {
    let device = emulator();
    for [m, n] in [[32, 64], [100, 70], [1, 1]] {
        let (a, b) = (
            device.upload(&ramp(m * n), [m, n])?,
            device.upload(&ramp(m * n), [m, n])?,
        );
        let mut c = device.zeros::<bf16>([m, n])?;
        let launch = axpy(&a, &b, 0.5, &mut c);
        let reference = launch.reference()?.into_single()?;
        launch.run()?;
        for (found, expected) in c.download()?.iter().zip(&reference) {
            assert!(
                (found.to_f32() - expected).abs() <= expected.abs() / 64.0,
                "{found} for {expected}"
            );
        }
    }
    Ok(())
}

#[test]
fn every_scalar_and_every_shape_goes_through_one_program() -> tt::Result<()> {
    let device = emulator();
    let ones = device.upload(&[bf16::ONE; 64 * 64], [64, 64])?;
    let mut c = device.zeros::<bf16>([64, 64])?;
    for alpha in [0.0f32, 1.0, -3.0] {
        axpy(&ones, &ones, alpha, &mut c).enqueue()?;
        assert_eq!(c.download()?, [bf16::from_f32(1.0 + alpha); 64 * 64]);
    }
    Ok(())
}

#[test]
fn extents_are_checked_at_launch_and_named() -> tt::Result<()> {
    let device = emulator();
    let (a, b) = (device.zeros::<bf16>([32, 64])?, device.zeros::<bf16>([32, 96])?);
    let mut c = device.zeros::<bf16>([32, 64])?;
    let error = axpy(&a, &b, 1.0, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), tt::ErrorKind::Shape);
    assert_eq!(
        error.to_string(),
        "the extent `N` is 64 in `a` (axis 1) but 96 in `b` (axis 1)"
    );
    let mut y = device.zeros::<bf16>([64, 64])?;
    let error = double_64(&a, &mut y).run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "axis 0 of `x` is 32, but kernel `double_64` takes 64"
    );
    Ok(())
}

#[test]
fn the_module_holds_the_artifact() {
    assert!(axpy::SOURCES.reader.contains("kernel_main"));
    assert!(axpy::SOURCES.compute.contains("kernel_main"));
    assert!(axpy::SOURCES.writer.contains("kernel_main"));
    assert!(axpy::SOURCES.host.contains("main("));
    assert_eq!(axpy::IR[0].0, "tile");
    assert!(axpy::PLAN.contains("\"alpha\""));
}

#[test]
fn a_literal_kernel_runs() -> tt::Result<()> {
    let device = emulator();
    let values = ramp(64 * 64);
    let x = device.upload(&values, [64, 64])?;
    let mut y = device.zeros::<bf16>([64, 64])?;
    let plan = double_64(&x, &mut y).plan()?;
    assert_eq!(plan.core_grid, [2, 1]);
    let profile = double_64(&x, &mut y).profile()?;
    assert_eq!(profile.counters.map(|counters| counters.total.pages_written), Some(4));
    let expected: Vec<bf16> = values
        .iter()
        .map(|value| bf16::from_f32(value.to_f32() * 2.0))
        .collect();
    assert_eq!(y.download()?, expected);
    Ok(())
}

#[tt::kernel]
fn counted(n: u32, c: &mut Tensor<f32, 32>) {
    let b = T.Kernel(1);
    for i in T.Parallel(32) {
        c[b * 32 + i] = n as f32;
    }
}

#[test]
fn an_integer_beyond_31_bits_is_an_error_of_the_launch_and_of_the_reference() -> tt::Result<()> {
    let device = emulator();
    let mut c = device.zeros::<f32>([32])?;
    let most = i32::MAX.unsigned_abs();
    counted(most, &mut c).check(0.0)?;
    let launch = counted(most + 1, &mut c);
    for error in [launch.run().err(), launch.reference().err()] {
        let error = error.expect("it is beyond 31 bits");
        assert_eq!(error.kind(), tt::ErrorKind::Argument);
        assert_eq!(
            error.to_string(),
            "`n` is 2147483648, but the integers of kernel `counted` are at most 2147483647"
        );
    }
    Ok(())
}
