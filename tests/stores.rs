//! Kernels that store too little or too much: what no block stores is counted, what two cores store is an error.

use tt::prelude::*;

/// A grid that is short: what is left of `n / 64` has no block.
#[tt::kernel(allow(TT0352))]
fn short_grid<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N / 64, M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// An offset that is forgotten: all blocks of a row store the same.
#[tt::kernel]
fn forgotten_offset<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// As it should be.
#[tt::kernel]
fn doubled<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

fn tensors(device: &tt::Device, shape: [usize; 2]) -> tt::Result<(Tensor<bf16, 2>, Tensor<bf16, 2>)> {
    let ones = vec![bf16::ONE; shape[0] * shape[1]];
    Ok((device.upload(&ones, shape)?, device.zeros::<bf16>(shape)?))
}

#[test]
fn what_no_block_stores_is_counted_with_its_first_place() -> tt::Result<()> {
    let device = tt::Device::open_named("emulator")?;
    let (a, mut c) = tensors(&device, [70, 130])?;
    let profile = short_grid(&a, &mut c).profile()?;
    let text = profile.to_string();
    assert!(
        text.ends_with("not stored   140 elements of `c`, the first at [0, 128]"),
        "{text}"
    );
    let left = &profile
        .counters
        .as_ref()
        .map(|counters| &counters.unstored[..])
        .unwrap_or_default()[0];
    assert_eq!(
        (left.tensor.as_str(), left.elements, &left.first[..]),
        ("c", 140, &[0, 128][..])
    );
    assert_eq!(c.download()?.iter().filter(|value| **value == bf16::ZERO).count(), 140);
    Ok(())
}

#[test]
fn what_two_cores_store_is_an_error_that_names_them() -> tt::Result<()> {
    for name in ["emulator", "emulator:blackhole"] {
        let device = tt::Device::open_named(name)?;
        let (a, mut c) = tensors(&device, [70, 130])?;
        let run = forgotten_offset(&a, &mut c).run().unwrap_err().to_string();
        let message = "EMU0420: element stored by two cores: kernel `forgotten_offset`: element [0, 0] of `c` is stored by block 0 on core (0,0) and by block 2 on core (2,0)";
        assert!(run.contains(message), "{name}: {run}");
        forgotten_offset(&a, &mut c).enqueue()?;
        let enqueued = device.finish().unwrap_err().to_string();
        assert!(enqueued.contains(message), "{enqueued}");
        let profile = doubled(&a, &mut c).profile()?;
        assert!(profile.counters.is_some_and(|counters| counters.unstored.is_empty()));
        assert!(c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)));
    }
    Ok(())
}
