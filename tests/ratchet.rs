//! What kernels cost by the emulator's clock and counters: it may only become less. These kernels are not to be changed.
//!
//! `TT_BLESS=1 cargo test --test ratchet` pins what has become less, in `tests/ratchet.tsv`; what has become more is pinned by `TT_BLESS=more`
//! alone, for a reason that the commit says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use tt::prelude::*;
use tt::{Launch, Sources};

#[tt::kernel(variants(BM = [64, 128, 256], BN = [64, 128], BK = [64]))]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let left = T.alloc_shared::<bf16>(BM, BK);
    let right = T.alloc_shared::<bf16>(BK, BN);
    let sums = T.alloc_fragment::<f32>(BM, BN);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], left);
        T.copy(b[(k * BK, bx * BN)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * BM, bx * BN)]);
}

/// Senders of lines read ahead.
#[tt::kernel]
fn three_in_flight<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 128);
    let right = T.alloc_shared::<bf16>(128, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(128), num_stages = 3) {
        T.copy(a[(by * 64, k * 128)], left);
        T.copy(b[(k * 128, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn linear_gelu<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let left = T.alloc_shared::<bf16>(128, 64);
    let right = T.alloc_shared::<bf16>(64, 128);
    let row = T.alloc_shared::<bf16>(128);
    let sums = T.alloc_fragment::<f32>(128, 128);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 128, k * 64)], left);
        T.copy(b[(k * 64, bx * 128)], right);
        T.gemm(left, right, sums);
    }
    T.copy(bias[bx * 128], row);
    for (i, j) in T.Parallel(128, 128) {
        sums[(i, j)] = (sums[(i, j)] + row[j]).gelu();
    }
    T.copy(sums, c[(by * 128, bx * 128)]);
}

#[tt::kernel]
fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 128);
    let right = T.alloc_shared::<bf16>(64, 128);
    let out = T.alloc_fragment::<bf16>(64, 128);
    T.copy(a[(by * 64, bx * 128)], left);
    T.copy(b[(by * 64, bx * 128)], right);
    for (i, j) in T.Parallel(64, 128) {
        out[(i, j)] = left[(i, j)] + right[(i, j)];
    }
    T.copy(out, y[(by * 64, bx * 128)]);
}

#[tt::kernel]
fn chain<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 128);
    let row = T.alloc_shared::<bf16>(128);
    let out = T.alloc_fragment::<bf16>(64, 128);
    T.copy(a[(by * 64, bx * 128)], left);
    T.copy(b[bx * 128], row);
    for (i, j) in T.Parallel(64, 128) {
        out[(i, j)] = ((left[(i, j)] + row[j]) * left[(i, j)] - 1.5).max(0.0).sqrt() * 0.5;
    }
    T.copy(out, y[(by * 64, bx * 128)]);
}

#[tt::kernel]
fn softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 512);
    let powers = T.alloc_fragment::<f32>(32, 512);
    let most = T.alloc_fragment::<f32>(32);
    let sum = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], block);
    T.reduce_max(block, most, dim = 1);
    for (i, j) in T.Parallel(32, 512) {
        powers[(i, j)] = (block[(i, j)] - most[i]).exp();
    }
    T.reduce_sum(powers, sum, dim = 1);
    for (i, j) in T.Parallel(32, 512) {
        powers[(i, j)] = powers[(i, j)] / sum[i];
    }
    T.copy(powers, y[(by * 32, 0)]);
}

#[tt::kernel]
fn rms_norm<const M: usize>(x: &Tensor<bf16, M, 512>, gain: &Tensor<bf16, 512>, y: &mut Tensor<bf16, M, 512>) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 512);
    let scale = T.alloc_shared::<bf16>(512);
    let squares = T.alloc_fragment::<f32>(32, 512);
    let sum = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, 0)], block);
    T.copy(gain[0], scale);
    for (i, j) in T.Parallel(32, 512) {
        squares[(i, j)] = block[(i, j)] * block[(i, j)];
    }
    T.reduce_sum(squares, sum, dim = 1);
    for i in T.Parallel(32) {
        sum[i] = (sum[i] * 0.001953125 + 1.0e-5).rsqrt();
    }
    for (i, j) in T.Parallel(32, 512) {
        block[(i, j)] = block[(i, j)] * sum[i] * scale[j];
    }
    T.copy(block, y[(by * 32, 0)]);
}

#[tt::kernel]
fn attention<const H: usize, const M: usize, const N: usize>(
    q: &Tensor<bf16, H, M, 64>,
    k: &Tensor<bf16, H, N, 64>,
    v: &Tensor<bf16, H, N, 64>,
    y: &mut Tensor<bf16, H, M, 64>,
) {
    let (by, h) = T.Kernel(M.div_ceil(64), H);
    let queries = T.alloc_shared::<bf16>(64, 64);
    let keys = T.alloc_shared::<bf16>(64, 64);
    let values = T.alloc_shared::<bf16>(64, 64);
    let scores = T.alloc_fragment::<f32>(64, 64);
    let weights = T.alloc_fragment::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    let most = T.alloc_fragment::<f32>(64);
    let before = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    T.copy(q[(h, by * 64, 0)], queries);
    T.clear(sums);
    T.clear(total);
    T.fill(most, -1.0e9);
    for step in T.Pipelined(N.div_ceil(64), num_stages = 2) {
        T.copy(k[(h, step * 64, 0)], keys);
        T.copy(v[(h, step * 64, 0)], values);
        T.clear(scores);
        T.gemm(queries, keys, scores, transpose_b = true);
        T.copy(most, before);
        T.reduce_max(scores, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(64, 64) {
            scores[(i, j)] = ((scores[(i, j)] - most[i]) * 0.125).exp();
        }
        T.reduce_sum(scores, part, dim = 1);
        for i in T.Parallel(64) {
            total[i] = total[i] * ((before[i] - most[i]) * 0.125).exp() + part[i];
        }
        for (i, j) in T.Parallel(64, 64) {
            sums[(i, j)] = sums[(i, j)] * ((before[i] - most[i]) * 0.125).exp();
            weights[(i, j)] = scores[(i, j)];
        }
        T.gemm(weights, values, sums);
    }
    for (i, j) in T.Parallel(64, 64) {
        sums[(i, j)] = sums[(i, j)] / total[i];
    }
    T.copy(sums, y[(h, by * 64, 0)]);
}

#[tt::kernel]
fn column_sums<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let block = T.alloc_shared::<f32>(128, 64);
    let part = T.alloc_fragment::<f32>(64);
    let sum = T.alloc_fragment::<f32>(64);
    T.clear(sum);
    for k in T.Pipelined(M.div_ceil(128), num_stages = 2) {
        T.copy(x[(k * 128, bx * 64)], block);
        T.reduce_sum(block, part, dim = 0);
        for j in T.Parallel(64) {
            sum[j] = sum[j] + part[j];
        }
    }
    T.copy(sum, y[bx * 64]);
}

#[tt::kernel]
fn moved<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let block = T.alloc_shared::<f32>(64, 64);
    T.copy(x[(by * 64 - 1, bx * 64 + 3)], block);
    T.copy(block, y[(by * 64, bx * 64)]);
}

/// Names of the figures, in the order of their columns.
const FIGURES: [&str; 10] = [
    "cycles",
    "bytes read from DRAM",
    "bytes written to DRAM",
    "bytes over the NoCs",
    "inits",
    "formats changed",
    "sections",
    "barriers",
    "bytes of circular buffers",
    "bytes of C++",
];

type Figures = [u64; FIGURES.len()];

fn figures(sources: Sources, plan: &str, launch: &Launch<'_>) -> tt::Result<Figures> {
    let counters = launch.profile()?.counters.expect("the emulator counts");
    let total = &counters.total;
    let cycles = counters.modelled.as_ref().expect("the clock was on").cycles;
    let all = |bytes: &[u64]| bytes.iter().sum::<u64>();
    let texts = [sources.reader, sources.compute, sources.writer];
    let plan: serde_json::Value = serde_json::from_str(plan).expect("the plan is JSON");
    let buffers = plan["circular_buffers"].as_array().expect("it has circular buffers");
    let bytes = buffers.iter().map(|buffer| {
        let [pages, page] = ["pages", "page_size"].map(|field| buffer[field].as_u64().expect("it is a number"));
        pages * page
    });
    Ok([
        cycles,
        all(&total.dram_read_bytes),
        all(&total.dram_write_bytes),
        all(&total.noc_read_bytes) + all(&total.noc_write_bytes) + total.multicast_bytes,
        total.compute.inits,
        total.compute.reconfigurations,
        total.compute.sections,
        total.barriers,
        bytes.sum(),
        texts.iter().map(|text| text.len() as u64).sum(),
    ])
}

/// Every kernel's figures on a chip, by its name.
fn on(chip: &str) -> tt::Result<Vec<(&'static str, Figures)>> {
    let device = Device::open_named(&format!("emulator:{chip}"))?;
    macro_rules! tensor {
        ($element:ty, $($extent:expr),+) => { device.zeros::<$element>([$($extent),+])? };
    }
    let mut out = Vec::new();
    macro_rules! of {
        ($kernel:ident, $what:literal, $launch:expr) => {
            out.push((
                concat!(stringify!($kernel), " ", $what),
                figures($kernel::SOURCES, $kernel::PLAN, &$launch)?,
            ))
        };
    }
    let (a, b) = (tensor!(bf16, 512, 512), tensor!(bf16, 512, 512));
    let mut c = tensor!(bf16, 512, 512);
    of!(matmul, "512 x 512 x 512", matmul(&a, &b, &mut c));
    let (wide, tall) = (tensor!(bf16, 256, 1024), tensor!(bf16, 1024, 512));
    let mut flat = tensor!(bf16, 256, 512);
    of!(matmul, "256 x 512 x 1024", matmul(&wide, &tall, &mut flat));
    of!(three_in_flight, "512 x 512 x 512", three_in_flight(&a, &b, &mut c));
    let bias = tensor!(bf16, 512);
    of!(linear_gelu, "512 x 512 x 512", linear_gelu(&a, &b, &bias, &mut c));
    of!(add, "512 x 512", add(&a, &b, &mut c));
    of!(chain, "512 x 512", chain(&a, &bias, &mut c));
    of!(softmax, "512 x 512", softmax(&a, &mut c));
    let (long, mut normal) = (tensor!(bf16, 8192, 512), tensor!(bf16, 8192, 512));
    of!(rms_norm, "8192 x 512", rms_norm(&long, &bias, &mut normal));
    let (q, k, v) = (
        tensor!(bf16, 4, 256, 64),
        tensor!(bf16, 4, 256, 64),
        tensor!(bf16, 4, 256, 64),
    );
    let mut y = tensor!(bf16, 4, 256, 64);
    of!(attention, "4 heads of 256", attention(&q, &k, &v, &mut y));
    let x = tensor!(f32, 500, 300);
    let (mut sums, mut z) = (tensor!(f32, 300), tensor!(f32, 500, 300));
    of!(column_sums, "500 x 300", column_sums(&x, &mut sums));
    of!(moved, "500 x 300", moved(&x, &mut z));
    Ok(out)
}

#[test]
fn nothing_costs_more() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ratchet.tsv");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let pinned: BTreeMap<&str, Vec<u64>> = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let (name, figures) = line.split_once('\t')?;
            Some((
                name,
                figures
                    .split('\t')
                    .map(|figure| figure.parse().expect("a figure is a number"))
                    .collect(),
            ))
        })
        .collect();
    let mut table = format!("kernel\t{}\n", FIGURES.join("\t"));
    let (mut more, mut less) = (String::new(), String::new());
    for chip in ["wormhole_b0", "blackhole"] {
        let kernels = on(chip).unwrap_or_else(|error| panic!("{chip}: {error}"));
        for (kernel, figures) in kernels {
            let name = format!("{kernel}, {chip}");
            let of_each = figures.map(|figure| figure.to_string());
            let _ = writeln!(table, "{name}\t{}", of_each.join("\t"));
            let Some(before) = pinned.get(name.as_str()) else {
                let _ = writeln!(less, "{name} is not pinned");
                continue;
            };
            for ((what, now), before) in FIGURES.iter().zip(figures).zip(before) {
                let out = if now > *before { &mut more } else { &mut less };
                if now != *before {
                    let _ = writeln!(out, "{name}: {what}: {before} before, {now} now");
                }
            }
        }
    }
    match std::env::var("TT_BLESS").as_deref() {
        Ok("more") => more.clear(),
        Ok("1") => {}
        _ => {
            assert!(
                more.is_empty() && less.is_empty(),
                "more:\n{more}less, to be pinned by TT_BLESS=1:\n{less}"
            );
            assert_eq!(table, text, "a kernel is pinned that is not there");
            return;
        }
    }
    assert!(more.is_empty(), "more, and nothing is pinned:\n{more}");
    std::fs::write(path, table).expect("the table is written");
}
