//! Kernels that store too little or too much: what no block stores is counted, what two blocks store is an error, of the launch
//! where the compiler sees it, else of the run.

use tt::prelude::*;

/// A grid that is short: what is left of `n / 64` has no block.
#[tt::kernel(allow(TT0352))]
fn short_grid<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N / 64, M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// An offset that is forgotten: all blocks of a row store the same, which the compiler sees.
#[tt::kernel]
fn forgotten_offset<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// A step that is too short: neighbours store a half twice.
#[tt::kernel]
fn short_step<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(a[(by * 64, bx * 32)], v);
    T.copy(v, c[(by * 64, bx * 32)]);
}

/// Two blocks of a row store the same, which only the run shows.
#[tt::kernel]
fn in_pairs<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx / 2 * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// One block of a row stores all of it, in as many steps as there are blocks.
#[tt::kernel]
fn one_of_the_row<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    if bx == 0 {
        for k in 0..N.div_ceil(64) {
            for (i, j) in T.Parallel(64, 64) {
                c[(by * 64 + i, k * 64 + j)] = a[(by * 64 + i, k * 64 + j)] * 2.0;
            }
        }
    }
}

/// Loops whose bounds name the block.
#[tt::kernel]
fn own_rounds<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for k in bx..bx + 1 {
        for (i, j) in T.Parallel(64, 64) {
            c[(by * 64 + i, k * 64 + j)] = a[(by * 64 + i, k * 64 + j)] * 2.0;
        }
    }
}

/// Two grid variables make one offset.
#[tt::kernel]
fn paired<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (p, by) = T.Kernel(2 * N.div_ceil(128), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, p / 2 * 128 + p % 2 * 64 + j)] = a[(by * 64 + i, p / 2 * 128 + p % 2 * 64 + j)] * 2.0;
    }
}

/// A block stores both halves, the second under an offset of its own.
#[tt::kernel]
fn halves<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 128 + j)] = a[(by * 64 + i, bx * 128 + j)] * 2.0;
        c[(by * 64 + i, bx * 128 + 64 + j)] = a[(by * 64 + i, bx * 128 + 64 + j)] * 2.0;
    }
}

/// The transpose: rows of `c` go with `bx`.
#[tt::kernel]
fn transposed<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, N, M>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    T.copy(a[(by * 64, bx * 64)], v);
    T.transpose(v, w);
    for (i, j) in T.Parallel(64, 64) {
        c[(bx * 64 + i, by * 64 + j)] = w[(i, j)] * 2.0;
    }
}

/// Which block stores is a matter of the launch: with `n` of 1 every block its own columns, else the blocks of a row the first.
#[tt::kernel]
fn chosen<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, n: u32, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
    if n == 1 {
        T.copy(v, c[(by * 64, bx * 64)]);
    } else {
        T.copy(v, c[(by * 64, 0)]);
    }
}

/// Two neighbours store one tile, in a tensor of half as many columns.
#[tt::kernel(order = column_major)]
fn halved<const M: usize, const N: usize, const H: usize>(a: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, H>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(by * 32, bx * 32)], v);
    T.copy(v, y[(by * 32, bx / 2 * 32)]);
}

/// How far blocks of a row are apart is a matter of the launch.
#[tt::kernel]
fn spread<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, n: u32, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = a[(by * 32 + i, bx * 32 + j)] * 2.0;
    }
    T.copy(v, c[(by * 32, bx * n * 32)]);
}

/// Every block stores its own columns twice, where the launch says so; the second store is the one that stays.
#[tt::kernel(order = column_major)]
fn stored_again<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, n: u32, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    let w = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] * 2.0;
    }
    for k in 0..2 {
        T.copy(v, c[(by * 32, bx * n * 32)]);
    }
    T.copy(w, c[(by * 32, bx * 32)]);
}

/// As it should be.
#[tt::kernel]
fn doubled<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// Runs a kernel.
type Run<'a> = &'a dyn Fn(&Tensor<bf16, 2>, &mut Tensor<bf16, 2>) -> tt::Result<()>;

const CHIPS: [&str; 2] = ["emulator", "emulator:blackhole"];

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
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let (a, mut c) = tensors(&device, [70, 130])?;
        let run = in_pairs(&a, &mut c).run().unwrap_err().to_string();
        let message = "EMU0420: element stored by two blocks: kernel `in_pairs`: element [0, 0] of `c` is stored by block 0 on core (0,0) and by block 1 on core (1,0)";
        for part in [
            message,
            "writer.cpp:",
            "| noc_async_write(",
            "stores.rs:38 | c[(by * 64 + i, bx / 2 * 64 + j)] =",
        ] {
            assert!(run.contains(part), "{part}: {name}: {run}");
        }
        in_pairs(&a, &mut c).enqueue()?;
        let enqueued = device.finish().unwrap_err().to_string();
        assert!(enqueued.contains(message), "{enqueued}");
        let profile = doubled(&a, &mut c).profile()?;
        assert!(profile.counters.is_some_and(|counters| counters.unstored.is_empty()));
        assert!(c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)));
    }
    Ok(())
}

/// A row of blocks of which every core has as many as `each`, so that blocks `each * i` to `each * i + each - 1` are one core's.
fn row_of_blocks(device: &tt::Device, each: usize) -> usize {
    let grid = device.grid();
    grid.x as usize * grid.y as usize * each
}

#[test]
fn what_two_blocks_of_one_core_store_is_an_error_that_names_them() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        // Pairs of neighbours are one core's each: two blocks of it, or two of its four.
        for each in [2, 4] {
            let blocks = row_of_blocks(&device, each);
            let (a, _) = tensors(&device, [20, 32 * blocks])?;
            let mut y = device.zeros::<bf16>([20, 16 * blocks])?;
            let run = halved(&a, &mut y).run().unwrap_err().to_string();
            let message = "EMU0420: element stored by two blocks: kernel `halved`: element [0, 0] of `y` is stored by block 0 on core (0,0) and by block 1 on core (0,0)";
            assert!(run.contains(message), "{name}: {run}");
            halved(&a, &mut y).enqueue()?;
            let enqueued = device.finish().unwrap_err().to_string();
            assert!(enqueued.contains(message), "{enqueued}");
        }
        // All blocks of all cores.
        let blocks = row_of_blocks(&device, 2);
        let (a, mut c) = tensors(&device, [20, 32 * blocks])?;
        let error = spread(&a, 0, &mut c).run().unwrap_err().to_string();
        let message = format!(
            "element [0, 0] of `c` is stored by block 0 on core (0,0) and by block {} on core",
            blocks - 1
        );
        assert!(error.contains(&message), "{name}: {error}");
        // The device is as good as before.
        spread(&a, 1, &mut c).run()?;
        assert!(
            c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)),
            "{name}"
        );
    }
    Ok(())
}

#[test]
fn a_block_may_store_an_element_again() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let blocks = row_of_blocks(&device, 2);
        let (a, mut c) = tensors(&device, [20, 32 * blocks - 5])?;
        stored_again(&a, 1, &mut c).run()?;
        assert!(
            c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)),
            "{name}"
        );
        // Blocks 1 and 2: the one stores its own columns, the other those of twice its number.
        let error = stored_again(&a, 2, &mut c).run().unwrap_err().to_string();
        assert!(
            error.contains("element [0, 64] of `c` is stored by block 1 on core (0,0) and by block 2 on core (1,0); lines 144, 146 store to it"),
            "{name}: {error}"
        );
    }
    Ok(())
}

#[test]
fn blocks_that_store_the_same_are_refused_where_there_are_several() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let (a, mut c) = tensors(&device, [70, 130])?;
        let same = "kernel `forgotten_offset`: `c` is stored at the same place by all blocks along `bx`, so the grid must be 1 there, but is 3 (N.div_ceil(64))";
        let launch = forgotten_offset(&a, &mut c);
        for refused in [
            launch.run(),
            launch.enqueue(),
            launch.plan().map(drop),
            launch.profile().map(drop),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), same, "{name}");
        }
        let half = "kernel `short_step`: blocks next to each other along `bx` both store 32 of 64 columns of `c`, so the grid must be 1 there, but is 3 (N.div_ceil(64))";
        assert_eq!(short_step(&a, &mut c).run().unwrap_err().to_string(), half, "{name}");
        // More blocks than cores.
        let (a, mut c) = tensors(&device, [32, 64 * 150])?;
        let many = forgotten_offset(&a, &mut c).run().unwrap_err().to_string();
        assert!(many.contains("must be 1 there, but is 150"), "{name}: {many}");
        // Nothing was stored, and nothing is left behind.
        assert!(c.download()?.iter().all(|value| *value == bf16::ZERO));

        // One block along `bx`, whose region is longer than the tensor.
        for columns in [64, 40] {
            let (a, mut c) = tensors(&device, [130, columns])?;
            forgotten_offset(&a, &mut c).run()?;
            assert!(
                c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)),
                "{name}"
            );
            short_step(&a, &mut c).run()?;
            assert!(c.download()?.iter().all(|value| *value == bf16::ONE), "{name}");
        }
    }
    Ok(())
}

#[test]
fn blocks_that_need_not_meet_are_not_refused() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let (a, mut c) = tensors(&device, [70, 130])?;
        let mut doubles = |launch: Run| {
            c = device.zeros::<bf16>([70, 130])?;
            launch(&a, &mut c)?;
            assert!(
                c.download()?.iter().all(|value| *value == bf16::from_f32(2.0)),
                "{name}"
            );
            tt::Result::Ok(())
        };
        doubles(&|a, c| one_of_the_row(a, c).run())?;
        doubles(&|a, c| own_rounds(a, c).run())?;
        doubles(&|a, c| paired(a, c).run())?;
        doubles(&|a, c| halves(a, c).run())?;
        doubles(&|a, c| chosen(a, 1, c).run())?;
        let mut other = device.zeros::<bf16>([130, 70])?;
        transposed(&a, &mut other).run()?;
        assert!(
            other.download()?.iter().all(|value| *value == bf16::from_f32(2.0)),
            "{name}"
        );
    }
    Ok(())
}

/// Every block adds to its own part what the first part holds: all but the first read what another stores.
#[tt::kernel]
fn adds_the_first<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = y[(i, j)] + a[(by * 64 + i, bx * 64 + j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn what_one_block_reads_and_another_stores_is_an_error() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let (a, mut c) = tensors(&device, [64, 64])?;
        adds_the_first(&a, &mut c).run()?;
        let (a, mut c) = tensors(&device, [64, 70])?;
        let error = adds_the_first(&a, &mut c).run().unwrap_err().to_string();
        let message = "EMU0421: element read by one block that another stores: kernel `adds_the_first`: element [0, 0] of `y` is read by block 1 on core (1,0) and stored by block 0 on core (0,0)";
        assert!(error.contains(message), "{name}: {error}");
    }
    Ok(())
}

/// Every block stores 16 rows of 40, half of a tile, and reads as many from another row on.
#[tt::kernel]
fn half_tiles<const N: usize>(ahead: u32, y: &mut Tensor<f32, N, 40>, sums: &mut Tensor<f32, N, 40>) {
    let b = T.Kernel(N.div_ceil(16));
    let x = T.alloc_shared::<f32>(16, 40);
    let one = T.alloc_shared::<f32>(16, 40);
    T.copy(y[(b * 16 + ahead, 0)], x);
    T.fill(one, 1.0);
    T.copy(one, y[(b * 16, 0)]);
    T.copy(x, sums[(b * 16, 0)]);
}

#[test]
fn a_row_that_one_block_reads_and_another_stores_is_an_error() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let [mut y, mut sums] = [device.zeros::<f32>([64, 40])?, device.zeros::<f32>([64, 40])?];
        // Each reads its own half of a tile before it stores it.
        half_tiles(0, &mut y, &mut sums).run()?;
        let error = half_tiles(16, &mut y, &mut sums).run().unwrap_err().to_string();
        let message = "EMU0421: element read by one block that another stores: kernel `half_tiles`: element [16, 0] of `y` is read by block 0 on core (0,0) and stored by block 1 on core (1,0)";
        for part in [message, "reader.cpp:", "writer.cpp:", "| T.copy(y[", "| T.copy(one, y["] {
            assert!(error.contains(part), "{part}: {name}: {error}");
        }
        // The last of its rows is the first of the next block's.
        let error = half_tiles(1, &mut y, &mut sums).run().unwrap_err().to_string();
        assert!(
            error.contains("element [16, 0] of `y` is read by block 0"),
            "{name}: {error}"
        );
    }
    Ok(())
}

/// Every block stores 8 columns, half of what a face holds as a row, and reads 5 of those.
#[tt::kernel]
fn columns_apart<const N: usize>(y: &mut Tensor<f32, 32, N>, sums: &mut Tensor<f32, 32, N>) {
    let b = T.Kernel(N.div_ceil(8));
    let x = T.alloc_shared::<f32>(32, 8);
    let z = T.alloc_shared::<f32>(32, 8);
    let place = b * 8;
    T.copy(y[(0..32, place + 3..place + 8)], x);
    T.fill(z, 1.0);
    T.copy(z, y[(0, place)]);
    T.copy(x, sums[(0, place)]);
}

#[test]
fn blocks_that_read_and_store_other_elements_of_a_page_are_not_refused() -> tt::Result<()> {
    for name in CHIPS {
        let device = tt::Device::open_named(name)?;
        let [mut y, mut sums] = [device.zeros::<f32>([32, 64])?, device.zeros::<f32>([32, 64])?];
        columns_apart(&mut y, &mut sums).run()?;
        assert_eq!(y.download()?, vec![1.0; 32 * 64], "{name}");
    }
    Ok(())
}
