//! Tensors in L1 and in shards, and cores that take the blocks of their shards. The first seven are the test matrix of the
//! seeds (architecture, "Layout-Aware Metadata").

mod support;

use serde_json::Value;
use support::on_both_chips;
use tt::prelude::*;
use tt::{ErrorKind, Profile};

/// Tensors of four layouts; none moves results.
#[tt::kernel(order = row_major)]
fn sum<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<bf16, M, N>,
    #[layout(dram, width_sharded(5))] b: &Tensor<bf16, M, N>,
    #[layout(l1, block_sharded(2, 3))] c: &mut Tensor<bf16, M, N>,
    #[layout(l1)] d: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let f = T.alloc_fragment::<f32>(64, 64);
    T.copy(a[(by * 64, bx * 64)], v);
    T.copy(b[(by * 64, bx * 64)], w);
    for (i, j) in T.Parallel(64, 64) {
        f[(i, j)] = v[(i, j)] * 2.0 + w[(i, j)];
    }
    T.copy(f, c[(by * 64, bx * 64)]);
    T.copy(f, d[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn plain<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(a[(by * 64, bx * 64)], v);
    T.copy(v, c[(by * 64, bx * 64)]);
}

/// Along three axes, blocks and rows that fit no shard.
#[tt::kernel]
fn nd<const B: usize, const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "B M N", grid = [2, 3, 3], shard = [2, 32, 64]))] a: &Tensor<f32, B, M, N>,
    #[layout(dram, nd_sharded(axes = "B M N", grid = [4, 2, 8], shard = [1, 64, 32]))] c: &mut Tensor<f32, B, M, N>,
) {
    let (bx, by, b) = T.Kernel(N.div_ceil(32), M.div_ceil(40), B);
    let v = T.alloc_shared::<f32>(40, 32);
    T.copy(a[(b, by * 40, bx * 32)], v);
    for (i, j) in T.Parallel(40, 32) {
        v[(i, j)] += 1.0;
    }
    T.copy(v, c[(b, by * 40, bx * 32)]);
}

#[tt::kernel(order = match_shard)]
fn rows<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<bf16, M, N>,
    #[layout(l1, height_sharded(8))] b: &Tensor<bf16, M, N>,
    #[layout(l1, height_sharded(8))] c: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 128);
    let w = T.alloc_shared::<bf16>(64, 128);
    T.copy(a[(by * 64, 0)], v);
    T.copy(b[(by * 64, 0)], w);
    for (i, j) in T.Parallel(64, 128) {
        v[(i, j)] = v[(i, j)] * 2.0 + w[(i, j)];
    }
    T.copy(v, c[(by * 64, 0)]);
}

#[tt::kernel(order = match_shard)]
fn blocks<const M: usize, const N: usize>(
    #[layout(l1, block_sharded(4, 5))] a: &Tensor<f32, M, N>,
    #[layout(l1, block_sharded(4, 5))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] + 1.0;
    }
}

#[tt::kernel(order = match_shard)]
fn columns<const M: usize, const N: usize>(
    #[layout(l1, width_sharded(6))] a: &Tensor<f32, M, N>,
    #[layout(l1, width_sharded(6))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] + 1.0;
    }
}

/// Blocks of one tile, and a row of them more than there is.
#[tt::kernel(order = match_shard)]
fn tiles<const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] a: &Tensor<f32, M, N>,
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32) + 1);
    for (i, j) in T.Parallel(32, 32) {
        c[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] + 1.0;
    }
}

/// Blocks of one tile, of several shards a core.
#[tt::kernel(order = match_shard)]
fn shards_in_turn<const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] a: &Tensor<f32, M, N>,
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 32) {
        c[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] + 1.0;
    }
}

/// No order asked for.
#[tt::kernel]
fn anyhow<const M: usize, const N: usize>(
    #[layout(l1, block_sharded(8, 8))] a: &Tensor<bf16, M, N>,
    #[layout(l1, block_sharded(8, 8))] c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

#[tt::kernel(order = row_major)]
fn in_rows<const M: usize, const N: usize>(
    #[layout(l1, block_sharded(8, 8))] a: &Tensor<bf16, M, N>,
    #[layout(l1, block_sharded(8, 8))] c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        c[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

/// Exponentials, in eight cores or in all.
#[tt::kernel]
fn raised<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<bf16, M, N>,
    #[layout(l1, height_sharded(8))] c: &mut Tensor<bf16, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 128);
    T.copy(a[(by * 32, 0)], v);
    for (i, j) in T.Parallel(32, 128) {
        v[(i, j)] = v[(i, j)].exp();
    }
    T.copy(v, c[(by * 32, 0)]);
}

/// Long rows of blocks, and much to compute.
#[tt::kernel]
fn tall<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<f32, M, N>,
    #[layout(l1, height_sharded(8))] b: &Tensor<f32, M, N>,
    #[layout(l1, height_sharded(8))] c: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(512));
    let x = T.alloc_shared::<f32>(512, 64);
    let y = T.alloc_shared::<f32>(512, 64);
    let z = T.alloc_shared::<f32>(512, 64);
    T.copy(a[(by * 512, 0)], x);
    T.copy(b[(by * 512, 0)], y);
    for (i, j) in T.Parallel(512, 64) {
        z[(i, j)] = x[(i, j)] + y[(i, j)].sin().exp().tanh().exp().sin().exp().tanh() * 0.0;
    }
    T.copy(z, c[(by * 512, 0)]);
}

/// As `shards_in_turn`, but no order asked for.
#[tt::kernel]
fn in_turn<const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] a: &Tensor<f32, M, N>,
    #[layout(l1, nd_sharded(axes = "M N", grid = [12, 12], shard = [64, 64]))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 32) {
        c[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] + 1.0;
    }
}

/// Bands of columns through all matrices.
#[tt::kernel(order = match_shard)]
fn bands<const B: usize, const M: usize, const N: usize>(
    #[layout(l1, width_sharded(3))] a: &Tensor<f32, B, M, N>,
    #[layout(l1, width_sharded(3))] c: &mut Tensor<f32, B, M, N>,
) {
    let (bx, by, b) = T.Kernel(N.div_ceil(32), M.div_ceil(32), B);
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(b, by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] += 1.0;
    }
    T.copy(v, c[(b, by * 32, bx * 32)]);
}

/// Two blocks store every element of this one, wherever it lies.
#[tt::kernel]
fn twice<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    #[layout(l1, height_sharded(4))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], v);
    T.copy(v, c[(by / 2 * 32, bx * 32)]);
}

/// Every other row of tiles, to the L1 of all cores.
#[tt::kernel]
fn every_other<const M: usize, const N: usize>(
    #[layout(dram, width_sharded(2))] a: &Tensor<f32, M, N>,
    #[layout(l1)] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(by * 64, bx * 32)], v);
    T.copy(v, c[(by * 64, bx * 32)]);
}

/// What a block leaves is what it found: results come to where operands are.
#[tt::kernel(order = match_shard)]
fn in_place<const M: usize>(#[layout(l1, height_sharded(4))] x: &mut Tensor<f32, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let turned = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, 0)], v);
    for (i, j) in T.Parallel(64, 64) {
        turned[(i, j)] = v[(j, i)];
    }
    T.copy(turned, x[(by * 64, 0)]);
}

/// Rows to columns of cores: every core reads from all others.
#[tt::kernel]
fn reshard<const M: usize, const N: usize>(
    #[layout(l1, height_sharded(8))] a: &Tensor<f32, M, N>,
    #[layout(l1, width_sharded(8))] c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], v);
    T.copy(v, c[(by * 32, bx * 32)]);
}

fn whole(count: usize, seed: usize) -> Vec<bf16> {
    (0..count)
        .map(|x| bf16::from_f32(((x * seed + 3) % 31) as f32))
        .collect()
}

/// Bytes over the NoCs and of DRAM.
fn moved(profile: &Profile) -> u64 {
    let total = &profile.counters.as_ref().expect("the emulator counts").total;
    let noc = total.noc_read_bytes.iter().chain(&total.noc_write_bytes);
    let dram = total.dram_read_bytes.iter().chain(&total.dram_write_bytes);
    noc.chain(dram).sum()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The plan of a launch, which keeps the rules of such.
fn launch_plan(execution: &tt::Execution, tensors: &[&str]) -> Value {
    let plan = serde_json::to_string(execution).expect("it is plain data");
    assert_eq!(tt_plan::validate_launch(&plan, tensors), [""; 0]);
    json(&plan)
}

#[test]
fn dram_interleaved() {
    let plan = json(plain::PLAN);
    assert_eq!(plan["work_partition"]["mode"], "global");
    assert_eq!(
        plan["kernels"][0]["compile_args"],
        serde_json::json!([{ "accessor": "a" }])
    );
    let buffer = &plan["circular_buffers"][0];
    assert_eq!((&buffer["page_size"], &buffer["pages"]), (&2048.into(), &8.into()));
    on_both_chips(|device| {
        let x = whole(70 * 100, 5);
        let a = device.upload(&x, [70, 100])?;
        assert_eq!(a.layout(), Layout::dram());
        let mut c = device.zeros::<bf16>([70, 100])?;
        plain(&a, &mut c).run()?;
        assert!(c.download()? == x);
        Ok(())
    });
}

#[test]
fn dram_sharded() {
    let plan = json(sum::PLAN);
    assert_eq!(plan["work_partition"]["mode"], "global");
    assert_eq!(plan["kernels"][0]["runtime_args"][0]["name"], "start_id");
    assert_eq!(
        plan["parameters"][1]["tensor"]["layout"]["sharding"],
        serde_json::json!({ "width": 5 })
    );
    on_both_chips(|device| {
        for [m, n] in [[256, 192], [70, 100], [200, 33]] {
            let (x, y) = (whole(m * n, 5), whole(m * n, 7));
            let a = device.upload_in(&Layout::l1().height_sharded(8)?, &x, [m, n])?;
            let b = device.upload_in(&Layout::dram().width_sharded(5)?, &y, [m, n])?;
            let mut c = device.zeros_in::<bf16>(&Layout::l1().block_sharded(2, 3)?, [m, n])?;
            let mut d = device.zeros_in::<f32>(&Layout::l1(), [m, n])?;
            sum(&a, &b, &mut c, &mut d).run()?;
            let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x.to_f32() * 2.0 + y.to_f32()).collect();
            assert!(d.download()? == wanted);
            assert!(c.download_f32()? == wanted);
            assert!(a.download()? == x && b.download()? == y);
        }
        Ok(())
    });
}

#[test]
fn l1_sharded() {
    assert_eq!(json(rows::PLAN)["work_partition"]["mode"], "local_shard");
    on_both_chips(|device| {
        let layout = Layout::l1().height_sharded(8)?;
        // Several blocks a shard, and shards that are not full.
        for (m, is_moved) in [(512, false), (2048, false), (500, false), (200, true)] {
            let (x, y) = (whole(m * 128, 5), whole(m * 128, 7));
            let a = device.upload_in(&layout, &x, [m, 128])?;
            let b = device.upload_in(&layout, &y, [m, 128])?;
            let mut c = device.zeros_in::<bf16>(&layout, [m, 128])?;
            let launch = rows(&a, &b, &mut c);
            let plan = launch_plan(&launch.plan()?, &["a", "b", "c"]);
            // Of 200 rows every second shard begins a block.
            let ranges = match m {
                200 => {
                    serde_json::json!([0, 2, 4, 6].map(|x| serde_json::json!({ "start": [x, 0], "extent": [1, 1] })))
                }
                _ => serde_json::json!([{ "start": [0, 0], "extent": [8, 1] }]),
            };
            assert_eq!(plan["core_ranges"], ranges);
            assert_eq!(
                plan["layouts"]["a"]["shard_grid"],
                serde_json::json!([m.div_ceil(32).div_ceil(m.div_ceil(256)), 1])
            );
            assert_eq!(moved(&launch.profile()?) > 0, is_moved, "{m}");
            let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x.to_f32() * 2.0 + y.to_f32()).collect();
            assert!(c.download_f32()? == wanted);
            assert!(a.download()? == x && b.download()? == y);
        }
        let of = |count: usize| (0..count).map(|x| x as f32).collect::<Vec<f32>>();
        for (m, n, is_moved) in [(256, 320, false), (250, 300, false), (64, 64, true)] {
            let layout = Layout::l1().block_sharded(4, 5)?;
            let a = device.upload_in(&layout, &of(m * n), [m, n])?;
            let mut c = device.zeros_in::<f32>(&layout, [m, n])?;
            assert_eq!(moved(&blocks(&a, &mut c).profile()?) > 0, is_moved, "{m} x {n}");
            assert!(c.download()?.iter().zip(of(m * n)).all(|(c, x)| *c == x + 1.0));
        }
        for (m, n, is_moved) in [(256, 384, false), (100, 384, false), (128, 768, true)] {
            let layout = Layout::l1().width_sharded(6)?;
            let a = device.upload_in(&layout, &of(m * n), [m, n])?;
            let mut c = device.zeros_in::<f32>(&layout, [m, n])?;
            assert_eq!(moved(&columns(&a, &mut c).profile()?) > 0, is_moved, "{m} x {n}");
            assert!(c.download()?.iter().zip(of(m * n)).all(|(c, x)| *c == x + 1.0));
        }
        Ok(())
    });
}

#[test]
fn nd_sharding_projection() {
    on_both_chips(|device| {
        for shape @ [b, m, n] in [[3, 90, 150], [4, 96, 192], [1, 5, 7]] {
            let x: Vec<f32> = (0..b * m * n).map(|x| x as f32).collect();
            let a = device.upload_in(&Layout::l1().nd_sharded(&[2, 3, 3], &[2, 32, 64])?, &x, shape)?;
            let mut c = device.zeros_in::<f32>(&Layout::dram().nd_sharded(&[4, 2, 8], &[1, 64, 32])?, shape)?;
            let launch = nd(&a, &mut c);
            let plan = launch_plan(&launch.plan()?, &["a", "c"]);
            let layout = &plan["layouts"]["a"];
            // All axes but the last one below the other.
            let rows = b.div_ceil(2) * m.div_ceil(32);
            assert_eq!(layout["shard_grid"], serde_json::json!([rows, n.div_ceil(64)]));
            assert_eq!(layout["shard_tiles"], serde_json::json!([2, 2]));
            launch.run()?;
            drop(launch);
            assert!(c.download()?.iter().zip(&x).all(|(c, x)| *c == x + 1.0));
        }
        let too_many = device.zeros_in::<f32>(&Layout::l1().nd_sharded(&[1, 3, 3], &[2, 32, 64])?, [3, 90, 150]);
        let error = too_many.expect_err("two shards along the first axis").to_string();
        assert!(error.contains("axis 0 takes 2 shards, its layout has 1"), "{error}");
        Ok(())
    });
}

#[test]
fn negative_halo() {
    let source = "#[tt::kernel] fn k(#[layout(l1, halo(1, 1))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }";
    let function = syn::parse_str(source).expect("it is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "k.rs").expect("it is a kernel");
    let errors = parsed.diagnostics;
    assert!(
        errors.iter().any(|error| error.message.contains("halo unsupported")),
        "{errors:?}"
    );
}

#[test]
fn l1_overflow() {
    on_both_chips(|device| {
        let layout = Layout::l1().height_sharded(8)?;
        let error = device
            .zeros_in::<bf16>(&layout, [8 * 32, 800 * 32])
            .expect_err("800 tiles a core");
        assert_eq!(error.kind(), ErrorKind::Memory);
        // What tensors leave is too little for the circular buffers, until one goes.
        let a = device.zeros_in::<bf16>(&layout, [256, 192])?;
        let b = device.zeros_in::<bf16>(&Layout::dram().width_sharded(5)?, [256, 192])?;
        let mut c = device.zeros_in::<bf16>(&Layout::l1().block_sharded(2, 3)?, [256, 192])?;
        let mut d = device.zeros_in::<f32>(&Layout::l1(), [256, 192])?;
        let large = device.zeros_in::<bf16>(&layout, [8 * 32, 690 * 32])?;
        let error = sum(&a, &b, &mut c, &mut d).run().expect_err("no room");
        assert!(error.to_string().contains("not enough L1"), "{error}");
        drop(large);
        sum(&a, &b, &mut c, &mut d).run()
    });
}

#[test]
fn guardrail() {
    // A kernel that reaches a tensor has its accessor's words.
    let mut plan = json(rows::PLAN);
    plan["kernels"][0]["compile_args"] = serde_json::json!([]);
    let error = tt_plan::Plan::from_json(&plan.to_string()).expect_err("a reader without accessors");
    assert!(error.to_string().contains("accessor"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    on_both_chips(|device| {
        let layout = Layout::l1().height_sharded(8)?;
        let (plain_one, a) = (
            device.zeros::<bf16>([64, 128])?,
            device.zeros_in::<bf16>(&layout, [64, 128])?,
        );
        let mut c = device.zeros_in::<bf16>(&layout, [64, 128])?;
        let error = rows(&a, &plain_one, &mut c).run().expect_err("it lies elsewhere");
        let wanted = "`b` lies in `dram, interleaved`, but kernel `rows` takes it in `l1, height_sharded(8)`";
        assert!(error.to_string().contains(wanted), "{error}");
        let error = device
            .zeros_in::<f32>(&Layout::l1().block_sharded(1, 40)?, [32, 40 * 32])
            .expect_err("40 columns");
        assert!(
            error
                .to_string()
                .contains("1 × 40 shards take as many rows and columns of cores"),
            "{error}"
        );
        // Several shards of several rows and columns of blocks a core.
        let layout = Layout::l1().nd_sharded(&[12, 12], &[64, 64])?;
        let a = device.zeros_in::<f32>(&layout, [768, 768])?;
        let mut c = device.zeros_in::<f32>(&layout, [768, 768])?;
        let error = tiles(&a, &mut c).run().expect_err("every core has a shard");
        let wanted = "block (0, 24) lies past the shards of `c`, and no core is left for it";
        assert!(error.to_string().contains(wanted), "{error}");
        let error = shards_in_turn(&a, &mut c)
            .run()
            .expect_err("blocks of a core are apart");
        let wanted = "the blocks of the shards of `c` on core (0,0) are not runs of numbers as long and as far apart";
        assert!(error.to_string().contains(wanted), "{error}");
        let huge = Layout::l1().nd_sharded(&[1, 1], &[1 << 32, 1 << 32])?;
        let error = device.zeros_in::<f32>(&huge, [32, 128]).expect_err("no such room");
        assert!(error.to_string().contains("its shards are too large"), "{error}");
        Ok(())
    });
    assert!(Layout::l1().height_sharded(0).is_err());
    assert!(Layout::l1().nd_sharded(&[1, 1], &[48, 32]).is_err());
}

/// Blocks go to their shards where that is estimated to be faster: by the clock it is, and the numbers are the same.
#[test]
fn cores_take_the_blocks_of_their_shards_where_it_pays() {
    on_both_chips(|device| {
        let cycles = |profile: &Profile| {
            let modelled = profile.counters.as_ref().and_then(|counters| counters.modelled.clone());
            modelled.expect("the emulator has a clock").cycles
        };
        let layout = Layout::l1().block_sharded(8, 8)?;
        for n in [512, 1024, 2048] {
            let x = whole(n * n, 5);
            let a = device.upload_in(&layout, &x, [n, n])?;
            let mut c = device.zeros_in::<bf16>(&layout, [n, n])?;
            let rows = in_rows(&a, &mut c).profile()?;
            let in_order = c.download()?;
            let mut c = device.zeros_in::<bf16>(&layout, [n, n])?;
            let shards = anyhow(&a, &mut c).profile()?;
            assert!(c.download()? == in_order, "{n}");
            // Larger shards are several rows of blocks, which a core copies to itself.
            assert!(moved(&rows) > 0 && (moved(&shards) == 0) == (n == 512), "{n}");
            assert!(cycles(&shards) < cycles(&rows), "{n}");
        }
        // Eight cores lose nothing against all where each has one block, and much where it has eight.
        for (m, stays) in [(256, true), (2048, false)] {
            let layout = Layout::l1().height_sharded(8)?;
            let a = device.upload_in(&layout, &whole(m * 128, 5), [m, 128])?;
            let mut c = device.zeros_in::<bf16>(&layout, [m, 128])?;
            assert_eq!(moved(&raised(&a, &mut c).profile()?) == 0, stays, "{m}");
        }
        // All cores are estimated to be faster than eight, and have no room for blocks beside the tensors.
        let layout = Layout::l1().height_sharded(8)?;
        let x: Vec<f32> = (0..12288 * 64).map(|x| x as f32).collect();
        let [a, b] = [&x, &x].map(|x| device.upload_in(&layout, x, [12288, 64]));
        let (a, b) = (a?, b?);
        let mut c = device.zeros_in::<f32>(&layout, [12288, 64])?;
        let launch = tall(&a, &b, &mut c);
        assert_ne!(launch.plan()?.core_grid, [8, 1]);
        launch.run()?;
        // The launch tells what ran, and runs that again.
        assert_eq!(launch.plan()?.core_grid, [8, 1]);
        launch.run()?;
        assert!(c.download()? == x);
        // On some of the cores, of which shards know nothing.
        let cores = tt::DeviceGrid { x: 2, y: 7 };
        let error = tall(&a, &b, &mut c)
            .on_cores(cores)
            .run()
            .expect_err("there is no room");
        assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
        // Of several shards a core, which are no runs of blocks.
        let layout = Layout::l1().nd_sharded(&[12, 12], &[64, 64])?;
        let shape = [640, 768];
        let x: Vec<f32> = (0..640 * 768).map(|x| x as f32).collect();
        let a = device.upload_in(&layout, &x, shape)?;
        let mut c = device.zeros_in::<f32>(&layout, shape)?;
        in_turn(&a, &mut c).run()?;
        assert!(c.download()?.iter().zip(&x).all(|(c, x)| *c == x + 1.0));
        Ok(())
    });
}

#[test]
fn blocks_of_a_core_are_runs_of_numbers() {
    on_both_chips(|device| {
        let of = |count: usize| (0..count).map(|x| x as f32).collect::<Vec<f32>>();
        let is_more = |c: Vec<f32>| c.iter().zip(0..).all(|(c, x)| *c == x as f32 + 1.0);
        // Shards of several rows and columns of blocks, full and not.
        for [m, n] in [[512, 640], [1000, 700], [256, 1280]] {
            let layout = Layout::l1().block_sharded(4, 5)?;
            let a = device.upload_in(&layout, &of(m * n), [m, n])?;
            let mut c = device.zeros_in::<f32>(&layout, [m, n])?;
            let launch = blocks(&a, &mut c);
            launch_plan(&launch.plan()?, &["a", "c"]);
            launch.run()?;
            assert!(is_more(c.download()?), "{m} x {n}");
        }
        for shape @ [b, m, n] in [[3, 64, 300], [2, 100, 192]] {
            let layout = Layout::l1().width_sharded(3)?;
            let a = device.upload_in(&layout, &of(b * m * n), shape)?;
            let mut c = device.zeros_in::<f32>(&layout, shape)?;
            bands(&a, &mut c).run()?;
            assert!(is_more(c.download()?), "{shape:?}");
        }
        // A shard a core, and a row of blocks that stores nothing.
        let layout = Layout::l1().nd_sharded(&[12, 12], &[64, 64])?;
        let a = device.upload_in(&layout, &of(320 * 256), [320, 256])?;
        let mut c = device.zeros_in::<f32>(&layout, [320, 256])?;
        tiles(&a, &mut c).run()?;
        assert!(is_more(c.download()?));
        Ok(())
    });
}

#[test]
fn stores_are_watched_wherever_a_tensor_lies() {
    on_both_chips(|device| {
        let a = device.zeros::<f32>([128, 70])?;
        let mut c = device.zeros_in::<f32>(&Layout::l1().height_sharded(4)?, [128, 70])?;
        let error = twice(&a, &mut c).run().expect_err("two blocks store");
        assert!(
            error.to_string().contains("EMU0420") && error.to_string().contains("element [0, 0] of `c`"),
            "{error}"
        );
        let a = device.zeros_in::<f32>(&Layout::dram().width_sharded(2)?, [128, 70])?;
        let mut c = device.zeros_in::<f32>(&Layout::l1(), [128, 70])?;
        let profile = every_other(&a, &mut c).profile()?;
        let left: Vec<String> = profile
            .counters
            .expect("the emulator counts")
            .unstored
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(left, ["4480 elements of `c`, the first at [32, 0]"]);
        Ok(())
    });
}

#[test]
fn tensors_that_are_read_and_stored_stay_apart() {
    on_both_chips(|device| {
        let x: Vec<f32> = (0..256 * 64).map(|x| x as f32).collect();
        let mut on_device = device.upload_in(&Layout::l1().height_sharded(4)?, &x, [256, 64])?;
        in_place(&mut on_device).run()?;
        let got = on_device.download()?;
        let wanted = |row: usize, column: usize| x[(row / 64 * 64 + column) * 64 + row % 64];
        assert!((0..256).all(|row| (0..64).all(|column| got[row * 64 + column] == wanted(row, column))));
        Ok(())
    });
}

#[test]
fn a_copy_reshards() {
    on_both_chips(|device| {
        let x: Vec<f32> = (0..200 * 300).map(|x| x as f32).collect();
        let a = device.upload_in(&Layout::l1().height_sharded(8)?, &x, [200, 300])?;
        let mut c = device.zeros_in::<f32>(&Layout::l1().width_sharded(8)?, [200, 300])?;
        reshard(&a, &mut c).run()?;
        assert!(c.download()? == x);
        // The tiles of a band of rows stay where they are under another shape, those of a band of columns do not.
        assert_eq!(
            device
                .upload_in(&Layout::l1().height_sharded(8)?, &x[..64 * 64], [64, 64])?
                .reshape([2, 32, 64])?
                .shape(),
            [2, 32, 64]
        );
        Ok(())
    });
}

#[test]
fn a_program_on_a_shard_goes_with_its_tensor() {
    on_both_chips(|device| {
        let layout = Layout::l1().height_sharded(8)?;
        for seed in 1..4 {
            // Each time at addresses of its own, and with the programs of the tensors before gone.
            let _held = device.zeros_in::<bf16>(&layout, [256, 32 * seed])?;
            let (x, y) = (whole(512 * 128, seed), whole(512 * 128, 11));
            let (a, b) = (
                device.upload_in(&layout, &x, [512, 128])?,
                device.upload_in(&layout, &y, [512, 128])?,
            );
            let mut c = device.zeros_in::<bf16>(&layout, [512, 128])?;
            rows(&a, &b, &mut c).enqueue()?;
            drop((a, b));
            let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x.to_f32() * 2.0 + y.to_f32()).collect();
            assert!(c.download_f32()? == wanted);
        }
        Ok(())
    });
}
