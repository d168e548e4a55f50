//! Kernels of several stages against plain loops: what a stage stores the next one reads, whatever their grids are. All values
//! are exact, on both chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, different from element to element.
fn counted(count: usize, modulus: usize) -> Vec<f64> {
    (0..count).map(|at| (at * 7 % modulus) as f64 - 3.0).collect()
}

fn narrow(values: &[f64]) -> Vec<bf16> {
    values.iter().map(|value| bf16::from_f64(*value)).collect()
}

/// Whether `got` is `expected` to the last bit.
fn same(what: &str, got: &[f32], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (at, (got, wanted)) in got.iter().zip(expected).enumerate() {
        assert_eq!(f64::from(*got), *wanted, "{what}: element {at}");
    }
}

/// Sums over parts of the inner axis, and their sum.
#[tt::kernel]
fn split<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    parts: u32,
    c: &mut Tensor<f32, M, N>,
) {
    const B: usize = 32;
    let rows = M.div_ceil(B);
    let partial = T.alloc_global::<f32>(parts, M, N);
    {
        const STEP: usize = 32;
        let (bx, by, part) = T.Kernel(N.div_ceil(B), rows, parts);
        let x = T.alloc_shared::<bf16>(B, STEP);
        let y = T.alloc_shared::<bf16>(STEP, B);
        let acc = T.alloc_fragment::<f32>(B, B);
        let n = K.div_ceil(STEP).div_ceil(parts);
        T.clear(acc);
        for k in T.Pipelined(part * n..((part + 1) * n).min(K.div_ceil(STEP)), num_stages = 2) {
            T.copy(a[(by * B, k * STEP)], x);
            T.copy(b[(k * STEP, bx * B)], y);
            T.gemm(x, y, acc);
        }
        T.copy(acc, partial[(part, by * B, bx * B)]);
    }
    {
        // Names of the stage before, for other things.
        let (by, bx) = T.Kernel(rows, N.div_ceil(64));
        const STEP: usize = 64;
        let x = T.alloc_shared::<f32>(B, STEP);
        let acc = T.alloc_fragment::<f32>(B, STEP);
        let n = parts;
        T.clear(acc);
        for k in T.serial(n) {
            T.copy(partial[(k, by * B, bx * STEP)], x);
            for (i, j) in T.Parallel(B, STEP) {
                acc[(i, j)] += x[(i, j)];
            }
        }
        T.copy(acc, c[(by * B, bx * STEP)]);
    }
}

#[test]
fn parts_of_a_product_add_up_whatever_the_shapes() {
    on_both_chips(|device| {
        for (m, k, n, parts) in [
            (64, 256, 96, 4),
            (33, 70, 40, 3),
            (1, 5, 7, 2),
            (40, 300, 130, 1),
            (5, 64, 64, 7),
        ] {
            let (a, b) = (counted(m * k, 5), counted(k * n, 3));
            let mut c = device.zeros::<f32>([m, n])?;
            let (a_tensor, b_tensor) = (device.upload(&narrow(&a), [m, k])?, device.upload(&narrow(&b), [k, n])?);
            let expected: Vec<f64> = (0..m * n)
                .map(|at| (0..k).map(|l| a[at / n * k + l] * b[l * n + at % n]).sum())
                .collect();
            let launch = split(&a_tensor, &b_tensor, parts, &mut c);
            same("the reference", &launch.reference()?["c"], &expected);
            launch.run()?;
            drop(launch);
            same("the device", &c.download()?, &expected);
        }
        Ok(())
    });
}

/// Three stages, each over another grid; two of them read the parameter, one only temporaries.
#[tt::kernel]
fn three<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, scale: f32, c: &mut Tensor<f32, M, N>) {
    let sums = T.alloc_global::<f32>(M, 1);
    let doubled = T.alloc_global::<bf16>(M, N);
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<bf16>(32, 64);
        let sum = T.alloc_fragment::<f32>(32);
        T.clear(sum);
        for k in T.Pipelined(N.div_ceil(64), num_stages = 2) {
            T.copy(a[(b * 32, k * 64)], x);
            T.reduce_sum(x, sum, dim = 1, clear = false);
        }
        T.copy(sum, sums[(b * 32, 0)]);
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
        let x = T.alloc_shared::<bf16>(64, 32);
        T.copy(a[(by * 64, bx * 32)], x);
        for (i, j) in T.Parallel(64, 32) {
            doubled[(by * 64 + i, bx * 32 + j)] = x[(i, j)] * scale;
        }
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
        let x = T.alloc_shared::<bf16>(32, 64);
        let sum = T.alloc_fragment::<f32>(32);
        let y = T.alloc_fragment::<f32>(32, 64);
        T.copy(doubled[(by * 32, bx * 64)], x);
        T.copy(sums[(by * 32, 0)], sum);
        for (i, j) in T.Parallel(32, 64) {
            y[(i, j)] = x[(i, j)] + sum[i];
        }
        T.copy(y, c[(by * 32, bx * 64)]);
    }
}

#[test]
fn three_stages_each_see_what_was_stored_before() {
    on_both_chips(|device| {
        for (m, n) in [(64, 128), (33, 65), (7, 31), (100, 40)] {
            let a = counted(m * n, 5);
            let a_tensor = device.upload(&narrow(&a), [m, n])?;
            let mut c = device.zeros::<f32>([m, n])?;
            let sum = |i: usize| -> f64 { a[i * n..(i + 1) * n].iter().sum() };
            let expected: Vec<f64> = (0..m * n).map(|at| a[at] * 2.0 + sum(at / n)).collect();
            let launch = three(&a_tensor, 2.0, &mut c);
            same("the reference", &launch.reference()?["c"], &expected);
            launch.run()?;
            // Another launch takes the programs and the temporaries of the one before.
            launch.enqueue()?;
            drop(launch);
            same("the device", &c.download()?, &expected);
        }
        Ok(())
    });
}

#[test]
fn a_launch_shows_the_plan_the_sources_and_the_counters_of_every_stage() -> tt::Result<()> {
    let device = Device::open_named("emulator:wormhole_b0")?;
    let a = device.upload(&narrow(&counted(64 * 128, 5)), [64, 128])?;
    let mut c = device.zeros::<f32>([64, 128])?;
    let launch = three(&a, 2.0, &mut c);
    let plan = launch.plan()?;
    assert_eq!(plan.later.len(), 2);
    assert_eq!(plan.layouts["doubled"].shape, [64, 128]);
    assert_eq!(plan.work_partition.len(), 2);
    assert_eq!(plan.later[0].work_partition.len(), 4);
    let profile = launch.profile()?;
    assert_eq!(profile.stages.len(), 3);
    let written: Vec<u64> = profile.stages.iter().map(|stage| stage.total.pages_written).collect();
    assert_eq!(written, [2, 8, 8]);
    let counters = profile.counters.as_ref().expect("the emulator counts");
    assert_eq!(counters.total.pages_written, 18);
    assert!(profile.to_string().contains("stage 3"), "{profile}");
    assert_eq!(three::SOURCES.later.len(), 2);
    assert!(three::SOURCES.later[1].reader.contains("the reader kernel of stage 3"));
    assert!(three::PLAN.contains("\"later\"") && three::PLAN.contains("writer_3.cpp"));
    assert!(three::IR.iter().any(|(name, _)| *name == "D1 split_kernel, stage 2"));
    Ok(())
}

/// The first stage has as many blocks as the scalar says, also none; the second is told how many rows there are.
#[tt::kernel]
fn some_rows<const M: usize>(a: &Tensor<f32, M, 32>, n: u32, c: &mut Tensor<f32, M, 32>) {
    let kept = T.alloc_global::<f32>(M, 32);
    {
        let b = T.Kernel(n);
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(a[(b * 32, 0)], x);
        T.copy(x, kept[(b * 32, 0)]);
    }
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<f32>(32, 32);
        T.fill(x, 9.0);
        if b < n {
            T.copy(kept[(b * 32, 0)], x);
        }
        T.copy(x, c[(b * 32, 0)]);
    }
}

#[test]
fn a_stage_whose_grid_is_empty_runs_nothing() {
    on_both_chips(|device| {
        let m = 70;
        let a = counted(m * 32, 5);
        let values: Vec<f32> = a.iter().map(|value| *value as f32).collect();
        let a_tensor = device.upload(&values, [m, 32])?;
        for n in [0, 2, 0, 3] {
            let mut c = device.zeros::<f32>([m, 32])?;
            let expected: Vec<f64> = (0..m * 32)
                .map(|at| if at / 32 < n * 32 { a[at] } else { 9.0 })
                .collect();
            let launch = some_rows(&a_tensor, n as u32, &mut c);
            same("the reference", &launch.reference()?["c"], &expected);
            launch.run()?;
            drop(launch);
            same("the device", &c.download()?, &expected);
        }
        Ok(())
    });
}

/// A temporary that is read and then stored to anew, by every stage.
#[tt::kernel]
fn passed_on<const N: usize>(a: &Tensor<f32, N>, c: &mut Tensor<f32, N>) {
    fn step(x: f32) -> f32 {
        x * 2.0 + 1.0
    }
    let t = T.alloc_global::<f32>(N);
    {
        let b = T.Kernel(N.div_ceil(32));
        for i in T.Parallel(32) {
            t[b * 32 + i] = step(a[b * 32 + i]);
        }
    }
    {
        let b = T.Kernel(N.div_ceil(32));
        for i in T.Parallel(32) {
            t[b * 32 + i] = step(t[b * 32 + i]);
        }
    }
    let half = N.div_ceil(64);
    {
        let b = T.Kernel(half);
        for i in T.Parallel(64) {
            c[b * 64 + i] = step(t[b * 64 + i]);
        }
    }
}

#[test]
fn a_temporary_is_read_and_stored_to_again_by_later_stages() {
    on_both_chips(|device| {
        for n in [1, 32, 33, 200] {
            let a = counted(n, 5);
            let values: Vec<f32> = a.iter().map(|value| *value as f32).collect();
            let a_tensor = device.upload(&values, [n])?;
            let mut c = device.zeros::<f32>([n])?;
            let expected: Vec<f64> = a.iter().map(|x| x * 8.0 + 7.0).collect();
            let launch = passed_on(&a_tensor, &mut c);
            same("the reference", &launch.reference()?["c"], &expected);
            launch.run()?;
            drop(launch);
            same("the device", &c.download()?, &expected);
        }
        Ok(())
    });
}

/// Whose sums a block takes is clamped at either end, by the grid, a scalar and an extent.
#[tt::kernel]
fn clamped<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, n: i32, c: &mut Tensor<f32, M, N>) {
    const WIDE: usize = 64;
    let width = if WIDE > 32 && WIDE % 32 == 0 { 32 } else { WIDE };
    let (bx, by) = T.Kernel((N.div_ceil(width)).clamp(1, 1000), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, width);
    let sum = T.alloc_fragment::<f32>(32, width);
    T.clear(sum);
    for k in T.Pipelined((bx + n).clamp(0, N.div_ceil(width)), num_stages = 2) {
        T.copy(a[(by * 32, k * width)], x);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += x[(i, j)];
        }
    }
    T.copy(a[(by * 32, (bx + n).clamp(0, 1) * width)], x);
    for (i, j) in T.Parallel(32, 32) {
        sum[(i, j)] += x[(i, j)] * 16.0;
    }
    T.copy(sum, c[(by * 32, bx * width)]);
}

#[test]
fn trip_counts_and_offsets_are_clamped() {
    on_both_chips(|device| {
        for (m, n, by) in [(32, 128, 1), (40, 96, -2), (33, 64, 100), (5, 160, 0)] {
            let a = counted(m * n, 5);
            let a_tensor = device.upload(&narrow(&a), [m, n])?;
            let mut c = device.zeros::<f32>([m, n])?;
            let element = |at: usize| -> f64 {
                let (i, j, bx) = (at / n, at % n % 32, (at % n / 32) as i32);
                let steps = (bx + by).clamp(0, n.div_ceil(32) as i32) as usize;
                let own = (bx + by).clamp(0, 1) as usize;
                (0..steps).map(|k| a[i * n + k * 32 + j]).sum::<f64>() + 16.0 * a[i * n + own * 32 + j]
            };
            let expected: Vec<f64> = (0..m * n).map(element).collect();
            let launch = clamped(&a_tensor, by, &mut c);
            same("the reference", &launch.reference()?["c"], &expected);
            launch.run()?;
            drop(launch);
            same("the device", &c.download()?, &expected);
        }
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_told_before_anything_runs() -> tt::Result<()> {
    let device = Device::open_named("emulator:wormhole_b0")?;
    let a = device.upload(&narrow(&counted(64, 5)), [2, 32])?;
    let b = device.upload(&narrow(&counted(32 * 2, 3)), [32, 2])?;
    let mut c = device.zeros::<f32>([2, 2])?;
    let none = split(&a, &b, 0, &mut c).run().unwrap_err().to_string();
    let wanted = "axis 0 of the temporary `partial` is `parts` = 0, it must be at least 1";
    assert!(none.contains(wanted), "{none}");
    let many = split(&a, &b, 2_000_000_000, &mut c).run().unwrap_err().to_string();
    assert!(many.contains("kernel `split`"), "{many}");
    let large = split(&a, &b, 40_000_000, &mut c).run().unwrap_err().to_string();
    assert!(
        large.contains("the temporaries of kernel `split`: cannot allocate"),
        "{large}"
    );
    // The device is as it was.
    split(&a, &b, 2, &mut c).run()
}

/// What a stage counts says how far the next one goes, and where to: integers of a temporary.
#[tt::kernel]
fn counted_rows<const B: usize, const M: usize>(
    a: &Tensor<f32, B, M, 32>,
    limit: f32,
    out: &mut Tensor<f32, B, 32, 32>,
    order: &mut Tensor<i32, B>,
) {
    let counts = T.alloc_global::<i32>(B);
    let places = T.alloc_global::<u16>(2, B);
    {
        let b = T.Kernel(B);
        let x = T.alloc_shared::<f32>(32, 32);
        let above = T.alloc_fragment::<i32>(32, 32);
        let all = T.alloc_fragment::<i32>(1);
        let p = T.alloc_fragment::<u16>(2, 1);
        T.clear(all);
        for k in 0..M.div_ceil(32) {
            T.copy(a[(b, k * 32, 0)], x);
            for (i, j) in T.Parallel(32, 32) {
                above[(i, j)] = if j == 0 && x[(i, j)] > limit { 1 } else { 0 };
            }
            T.reduce_sum(above, all, dim = (0, 1), clear = false);
        }
        T.copy(all, counts[b]);
        for (i, j) in T.Parallel(2, 1) {
            p[(i, j)] = (B - 1 - b + i) as u16;
        }
        T.copy(p, places[(0..2, b)]);
    }
    {
        let b = T.Kernel(B);
        let x = T.alloc_shared::<f32>(32, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        let q = T.alloc_fragment::<i32>(1);
        let n = counts[b];
        let first = places[(0, b)];
        let next = places[(1, b)];
        T.clear(acc);
        for k in T.Pipelined(n, num_stages = 2) {
            T.copy(a[(b, k, 0)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] += x[(0, j)] + (next - first) as f32;
            }
        }
        T.copy(acc, out[(places[(0, b)], 0, 0)]);
        T.fill(q, n);
        T.copy(q, order[first]);
    }
}

#[test]
fn integers_of_a_temporary_are_read_in_a_later_stage() {
    for [b, m] in [[1, 1], [3, 33], [5, 64]] {
        let host = counted(b * m * 32, 23);
        let values: Vec<f32> = host.iter().map(|value| *value as f32).collect();
        on_both_chips(|device| {
            let a = device.upload(&values, [b, m, 32])?;
            let mut out = device.zeros::<f32>([b, 32, 32])?;
            let mut order = device.zeros::<i32>([b])?;
            let limit = 3.5;
            counted_rows(&a, limit, &mut out, &mut order).check(0.0)?;
            let (out, order) = (out.download()?, order.download()?);
            for block in 0..b {
                let row = |row: usize| &host[(block * m + row) * 32..][..32];
                let n = (0..m).filter(|at| row(*at)[0] > f64::from(limit)).count();
                let place = b - 1 - block;
                assert_eq!(order[place], n as i32, "{b}, {m}: block {block}");
                for (i, j) in (0..32).flat_map(|i| (0..32).map(move |j| (i, j))) {
                    let wanted: f64 = (0..n).map(|k| row(k)[j] + 1.0).sum();
                    let found = f64::from(out[(place * 32 + i) * 32 + j]);
                    assert_eq!(found, wanted, "{b}, {m}: block {block} ({i}, {j})");
                }
            }
            Ok(())
        });
    }
}

/// The second stage reads what the first has stored, in every block.
#[tt::kernel]
fn keeps<const M: usize>(x: &Tensor<f32, M, 32>, y: &mut Tensor<f32, M, 32>) {
    let sum = T.alloc_global::<f32>(32, 32);
    {
        let _one = T.Kernel(1);
        let a = T.alloc_shared::<f32>(32, 32);
        T.copy(x[(0, 0)], a);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] = a[(i, j)] * 2.0;
        }
    }
    {
        let by = T.Kernel(M.div_ceil(32));
        let a = T.alloc_shared::<f32>(32, 32);
        let b = T.alloc_shared::<f32>(32, 32);
        T.copy(sum[(0, 0)], a);
        T.copy(x[(by * 32, 0)], b);
        for (i, j) in T.Parallel(32, 32) {
            y[(by * 32 + i, j)] = a[(i, j)] + b[(i, j)];
        }
    }
}

#[test]
fn a_stage_keeps_what_the_one_before_has_made() {
    let m = 32 * 200;
    let x: Vec<f32> = counted(m * 32, 13).into_iter().map(|value| value as f32).collect();
    let wanted: Vec<f32> = (0..m * 32).map(|at| x[at % 1024] * 2.0 + x[at]).collect();
    on_both_chips(|device| {
        let x = device.upload(&x, [m, 32])?;
        let mut y = device.zeros::<f32>([m, 32])?;
        for _ in 0..2 {
            keeps(&x, &mut y).run()?;
            assert!(y.download()? == wanted);
        }
        Ok(())
    });
}
