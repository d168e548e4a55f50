//! Kernels of which each choice of some constants is compiled.

mod support;

use support::on_both_chips;
use tt::__private::Sharing;
use tt::prelude::*;
use tt::{DeviceGrid, ErrorKind};

#[tt::kernel(variants(BM = [32, 64, 128], BN = [32, 128]))]
fn scaled<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, by: f32, y: &mut Tensor<f32, M, N>) {
    const HALF: usize = BN / 2;
    let (bx, row) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let block = T.alloc_shared::<f32>(BM, 2 * HALF);
    T.copy(x[(row * BM, bx * BN)], block);
    for (i, j) in T.Parallel(BM, BN) {
        block[(i, j)] = block[(i, j)] * by + BM as f32;
    }
    T.copy(block, y[(row * BM, bx * BN)]);
}

/// The constant may stand among the extents too, which it is none of.
#[tt::kernel(variants(ROWS = [32, 64]), multicast = auto)]
fn product<const ROWS: usize, const M: usize, const N: usize, const K: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    y: &mut Tensor<f32, M, N>,
) {
    fn rows(n: usize) -> usize {
        n * ROWS
    }
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(ROWS));
    let left = T.alloc_shared::<bf16>(ROWS, 32);
    let right = T.alloc_shared::<bf16>(32, 64);
    let sums = T.alloc_fragment::<f32>(ROWS, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(rows(by), k * 32)], left);
        T.copy(b[(k * 32, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, y[(by * ROWS, bx * 64)]);
}

/// Constants count turns and copies in flight, cut masks, and may be words of Rust.
#[tt::kernel(variants(r#loop = [1, 3], S = [1, 2], W = [32, 64]))]
fn odd<const W: usize, const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    fn twice(v: f32) -> f32 {
        v * 2.0 + S as f32
    }
    let (bx, by) = T.Kernel(N.div_ceil(W), M.div_ceil(32));
    let b = T.alloc_shared::<f32>(32, W);
    let s = T.alloc_fragment::<f32>(32, W);
    T.clear(s);
    for _k in T.Pipelined(r#loop, num_stages = S) {
        T.copy(x[(by * 32, bx * W)], b);
        for _u in T.unroll(S) {
            for (i, j) in T.Parallel(32, W) {
                s[(i, j)] += if j < W - S { twice(b[(i, j)]) } else { 1.0 };
            }
        }
    }
    T.copy(s, y[(by * 32, bx * W)]);
}

/// Each stage has the constant, and what is shared is so in one of them.
#[tt::kernel(variants(H= [32, 64]), multicast = auto)]
fn staged<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, r: &Tensor<f32, N>, y: &mut Tensor<f32, M, N>) {
    let t = T.alloc_global::<f32>(M, N);
    {
        let (bx, by) = T.Kernel(N.div_ceil(H), M.div_ceil(32));
        let b = T.alloc_shared::<f32>(32, H);
        let v = T.alloc_shared::<f32>(H);
        T.copy(x[(by * 32, bx * H)], b);
        T.copy(r[bx * H], v);
        for (i, j) in T.Parallel(32, H) {
            b[(i, j)] = b[(i, j)] + v[j];
        }
        T.copy(b, t[(by * 32, bx * H)]);
    }
    {
        let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(H));
        let b = T.alloc_shared::<f32>(H, 32);
        T.copy(t[(by * H, bx * 32)], b);
        for (i, j) in T.Parallel(H, 32) {
            b[(i, j)] = b[(i, j)] * 3.0;
        }
        T.copy(b, y[(by * H, bx * 32)]);
    }
}

/// The shapes of the tensors leave one variant.
#[tt::kernel(variants(N= [32, 64]))]
fn literal<const M: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let b = T.alloc_shared::<f32>(32, N);
    T.copy(x[(by * 32, 0)], b);
    T.copy(b, y[(by * 32, 0)]);
}

/// Nobody knows what it takes.
#[tt::kernel(variants(B= [32, 64]))]
fn fetched<const M: usize>(x: &Tensor<f32, M, 64>, n: &Tensor<i32, 1>, y: &mut Tensor<f32, M, 64>) {
    let by = T.Kernel(M.div_ceil(B));
    let b = T.alloc_shared::<f32>(B, 64);
    let s = T.alloc_fragment::<f32>(B, 64);
    T.clear(s);
    let c = n[0];
    for _k in 0..c {
        T.copy(x[(by * B, 0)], b);
        for (i, j) in T.Parallel(B, 64) {
            s[(i, j)] += b[(i, j)];
        }
    }
    T.copy(s, y[(by * B, 0)]);
}

#[test]
fn each_variant_computes_what_its_constants_say() {
    on_both_chips(|device| {
        let [m, n] = [100, 300];
        let x: Vec<f32> = (0..m * n).map(|at| (at % 17) as f32).collect();
        let tensor = device.upload(&x, [m, n])?;
        let mut y = device.zeros::<f32>([m, n])?;
        for bm in [32, 64, 128] {
            for bn in [32, 128] {
                let launch = scaled(&tensor, 2.0, &mut y).with(scaled::BM(bm)).with(scaled::BN(bn));
                assert_eq!(launch.variant()?, [("BM", bm), ("BN", bn)]);
                launch.check(0.0)?;
                let wanted = x.iter().map(|x| x * 2.0 + bm as f32);
                assert!(y.download()?.into_iter().eq(wanted), "BM = {bm}, BN = {bn}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_launch_takes_the_variant_that_is_estimated_to_be_fastest() {
    on_both_chips(|device| {
        for [m, n, k] in [[64, 64, 64], [1024, 512, 256]] {
            let a = device.upload(&vec![bf16::ONE; m * k], [m, k])?;
            let b = device.upload(&vec![bf16::ONE; k * n], [k, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            let mut estimate = |rows| product(&a, &b, &mut y).with(product::ROWS(rows)).estimate();
            let (small, large) = (estimate(32)?.expect("it is known"), estimate(64)?.expect("it is known"));
            let launch = product(&a, &b, &mut y);
            let wanted = if large < small { 64 } else { 32 };
            assert_eq!(launch.variant()?, [("ROWS", wanted)], "{small} and {large} cycles");
            assert_eq!(launch.estimate()?, Some(small.min(large)));
            let profile = launch.profile()?;
            assert_eq!(profile.variant, launch.variant()?);
            assert!(profile.to_string().contains(&format!("ROWS = {wanted}")), "{profile}");
            assert!(y.download()?.into_iter().all(|sum| sum == k as f32));
        }
        Ok(())
    });
}

/// A device keeps what launches decide.
/// `tt-tune.json` has what `cargo xtask tune variants::scaled M=512 N=512 --most 6` measured by the clock of a Wormhole.
#[test]
fn a_launch_takes_the_variant_that_was_measured_to_be_fastest() {
    on_both_chips(|device| {
        for ([m, n], is_measured) in [
            ([512, 512], true),
            ([490, 500], true),
            ([480, 512], false),
            ([544, 512], false),
        ] {
            let x = device.upload(&vec![1.0f32; m * n], [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            let mut estimated = Vec::new();
            for bm in [32, 64, 128] {
                for bn in [32, 128] {
                    let launch = scaled(&x, 1.0, &mut y).with(scaled::BM(bm)).with(scaled::BN(bn));
                    estimated.push((launch.estimate()?.expect("it is known"), [("BM", bm), ("BN", bn)]));
                }
            }
            estimated.sort_by(|a, b| a.0.total_cmp(&b.0));
            let measured = [("BM", 64), ("BN", 32)];
            assert_ne!(estimated[0].1, measured, "nothing is shown where the estimate agrees");
            let launch = scaled(&x, 1.0, &mut y);
            let wanted = match is_measured && device.architecture() == "wormhole_b0" {
                true => measured,
                false => estimated[0].1,
            };
            assert_eq!(launch.variant()?, wanted, "{m} × {n} on {device}");
            launch.check(0.0)?;
            // Of those that are left, too.
            let wide = scaled(&x, 1.0, &mut y).with(scaled::BN(128));
            let fastest = wide.variant()?[0];
            if is_measured && device.architecture() == "wormhole_b0" {
                assert_eq!(fastest, ("BM", 32), "15.6 µs, before 15.7 and 17.7");
            }
        }
        Ok(())
    });
}

#[test]
fn a_launch_takes_the_same_variant_after_other_launches_and_again() {
    type Chosen = Vec<(&'static str, i64)>;
    fn launched(device: &Device, [m, n]: [usize; 2], cores: DeviceGrid, sharing: Sharing) -> tt::Result<Chosen> {
        let a = device.upload(&vec![bf16::ONE; m * 64], [m, 64])?;
        let b = device.upload(&vec![bf16::ONE; 64 * n], [64, n])?;
        let mut y = device.zeros::<f32>([m, n])?;
        let launch = product(&a, &b, &mut y).on_cores(cores).sharing(sharing);
        launch.run()?;
        let chosen = launch.variant()?.to_vec();
        let plan = launch.plan()?;
        assert!(plan.core_grid[0] <= cores.x && plan.core_grid[1] <= cores.y);
        assert!(y.download()?.into_iter().all(|sum| sum == 64.0));
        Ok(chosen)
    }
    on_both_chips(|device| {
        let mut decided = Vec::new();
        for shape in [[64, 64], [32, 512], [1024, 256]] {
            for cores in [DeviceGrid { x: 1, y: 1 }, DeviceGrid { x: 4, y: 4 }] {
                for sharing in [Sharing::Always, Sharing::Never, Sharing::WherePaying] {
                    let alone = Device::open_named(&format!("emulator:{}", device.architecture()))?;
                    let wanted = launched(&alone, shape, cores, sharing)?;
                    assert_eq!(launched(device, shape, cores, sharing)?, wanted);
                    decided.push((shape, cores, sharing, wanted));
                }
            }
        }
        assert!(
            decided.iter().any(|(.., chosen)| *chosen != decided[0].3),
            "all take the same"
        );
        for (shape, cores, sharing, wanted) in decided {
            assert_eq!(launched(device, shape, cores, sharing)?, wanted);
        }
        Ok(())
    });
}

#[test]
fn a_variant_that_is_not_there_is_said_to_be() {
    let device = Device::open_named("emulator").expect("an emulator");
    let x = device.zeros::<f32>([32, 32]).expect("memory");
    let mut y = device.zeros::<f32>([32, 32]).expect("memory");
    let error = scaled(&x, 1.0, &mut y)
        .with(scaled::BM(16))
        .run()
        .expect_err("no such variant");
    assert_eq!(error.kind(), ErrorKind::Argument);
    let message = error.to_string();
    assert!(
        message
            .starts_with("kernel `scaled` has no variant with BM = 16: there are BM = 32, BN = 32; BM = 32, BN = 128"),
        "{message}"
    );
}

#[test]
fn constants_stand_wherever_integers_may() {
    on_both_chips(|device| {
        for [m, n] in [[1, 1], [33, 70], [64, 200]] {
            let values: Vec<f32> = (0..m * n).map(|at| (at % 11) as f32).collect();
            let x = device.upload(&values, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            for [turns, copies, width] in [[1, 1, 32], [3, 2, 64], [3, 1, 64], [1, 2, 32]] {
                let launch = odd(&x, &mut y).with(odd::r#loop(turns)).with(odd::S(copies));
                launch.with(odd::W(width)).check(0.0)?;
                let wanted = values.iter().enumerate().map(|(at, value)| {
                    let each = match (at % n) as i64 % width < width - copies {
                        true => value * 2.0 + copies as f32,
                        false => 1.0,
                    };
                    (turns * copies) as f32 * each
                });
                assert!(
                    y.download()?.into_iter().eq(wanted),
                    "{m} x {n}: {turns}, {copies}, {width}"
                );
            }
            let row: Vec<f32> = (0..n).map(|at| (at % 5) as f32).collect();
            let r = device.upload(&row, [n])?;
            let wanted: Vec<f32> = (0..m * n).map(|at| (values[at] + row[at % n]) * 3.0).collect();
            for sharing in [Sharing::Always, Sharing::Never, Sharing::WherePaying] {
                for h in [32, 64] {
                    let mut z = device.zeros::<f32>([m, n])?;
                    staged(&x, &r, &mut z).with(staged::H(h)).sharing(sharing).run()?;
                    assert!(z.download()? == wanted, "{m} x {n}: {h}, {sharing:?}");
                }
                let mut z = device.zeros::<f32>([m, n])?;
                staged(&x, &r, &mut z).sharing(sharing).enqueue()?;
                assert!(z.download()? == wanted, "{m} x {n}: {sharing:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_launch_takes_a_variant_that_its_tensors_fit() {
    on_both_chips(|device| {
        let values: Vec<f32> = (0..40 * 64).map(|at| at as f32).collect();
        let x = device.upload(&values, [40, 64])?;
        let mut y = device.zeros::<f32>([40, 64])?;
        let launch = literal(&x, &mut y);
        assert_eq!(launch.variant()?, [("N", 64)]);
        launch.run()?;
        assert!(y.download()? == values);
        let refused = literal(&x, &mut y).with(literal::N(32)).run().expect_err("32 columns");
        assert_eq!(
            refused.to_string(),
            "axis 1 of `x` is 64, but kernel `literal` takes 32"
        );
        let count = device.upload(&[3], [1])?;
        let launch = fetched(&x, &count, &mut y);
        assert_eq!((launch.estimate()?, launch.variant()?), (None, &[("B", 32)][..]));
        launch.run()?;
        assert!(
            y.download()?
                .iter()
                .zip(&values)
                .all(|(sum, value)| *sum == 3.0 * value)
        );
        Ok(())
    });
}

/// Blocks of 4096 × 4096 fit in no core.
#[tt::kernel(reference, variants(B = [4096, 32]))]
fn too_large_or_not<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(B), M.div_ceil(B));
    let block = T.alloc_shared::<f32>(B, B);
    T.copy(x[(by * B, bx * B)], block);
    T.copy(block, y[(by * B, bx * B)]);
}

#[test]
fn variants_that_are_refused_have_references_and_the_others_run() {
    on_both_chips(|device| {
        let values: Vec<f32> = (0..64 * 96).map(|at| at as f32).collect();
        let x = device.upload(&values, [64, 96])?;
        let mut y = device.zeros::<f32>([64, 96])?;
        let launch = too_large_or_not(&x, &mut y);
        assert_eq!(launch.variant()?, [("B", 32)]);
        launch.run()?;
        assert!(y.download()? == values);
        let refused = too_large_or_not(&x, &mut y).with(too_large_or_not::B(4096));
        assert_eq!(refused.reference()?["y"], values);
        let error = refused.run().expect_err("it is too large");
        assert_eq!(error.kind(), ErrorKind::Kernel);
        assert!(error.to_string().contains("the compiler refuses it"), "{error}");
        let running = too_large_or_not(&x, &mut y).with(too_large_or_not::B(32));
        assert_eq!(running.reference()?["y"][95], 95.0);
        Ok(())
    });
}
