//! Split-K matmul: where C has few blocks and K is long, most cores of a chip would have nothing to do. The first stage gives each
//! block of C to SPLIT blocks of the grid, each of which sums over a part of K and leaves its sums in f32 in a temporary; the second adds
//! the parts up and rounds once.
//!
//! How many parts there are and how many rows a block has are constants with four values and two, so the kernel is compiled eight times,
//! and a launch takes what it estimates to be fastest: many parts and small blocks for a small C and a long K, one part and
//! large blocks for a large C. With one part the first stage stores to C itself, and the second has an empty grid.
//!
//! Each operand is read as often as without the split; the parts are written and read once, 4 bytes for an element of C each.
//!
//!     cargo run --release --example split_k

mod support;

use std::process::ExitCode;
use support::{PRODUCTS, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

#[tt::kernel(variants(SPLIT = [1, 2, 4, 8], BM = [32, 128]))]
fn split_k<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let parts = T.alloc_global::<f32>(SPLIT, M, N);
    {
        let (bx, by, part) = T.Kernel(N.div_ceil(64), M.div_ceil(BM), SPLIT);
        let a_block = T.alloc_shared::<bf16>(BM, 64);
        let b_block = T.alloc_shared::<bf16>(64, 64);
        let acc = T.alloc_fragment::<f32>(BM, 64);
        let steps = K.div_ceil(64);
        let each = steps.div_ceil(SPLIT);
        T.clear(acc);
        // The last parts are shorter, or empty where there are fewer steps than parts.
        for k in T.Pipelined(part * each..((part + 1) * each).min(steps), num_stages = 2) {
            T.copy(a[(by * BM, k * 64)], a_block);
            T.copy(b[(k * 64, bx * 64)], b_block);
            T.gemm(a_block, b_block, acc);
        }
        if SPLIT == 1 {
            T.copy(acc, c[(by * BM, bx * 64)]);
        } else {
            T.copy(acc, parts[(part, by * BM, bx * 64)]);
        }
    }
    {
        let rows = if SPLIT == 1 { 0 } else { M.div_ceil(32) };
        let (bx, by) = T.Kernel(N.div_ceil(32), rows);
        let sum = T.alloc_fragment::<f32>(32, 32);
        T.clear(sum);
        for part in T.unroll(SPLIT) {
            for (i, j) in T.Parallel(32, 32) {
                sum[(i, j)] += parts[(part, by * 32 + i, bx * 32 + j)];
            }
        }
        T.copy(sum, c[(by * 32, bx * 32)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, k, n) in [(64, 1024, 64), (33, 1000, 70), (5, 40, 3)] {
        let (a_host, b_host) = (numbers(m * k, 1), numbers(k * n, 2));
        let (a, b) = (exact(&a_host), exact(&b_host));
        let mut expected = Vec::new();
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            expected.push((0..k).map(|at| a[i * k + at] * b[at * n + j]).sum());
        }
        let a = device.upload(&a_host, [m, k])?;
        let b = device.upload(&b_host, [k, n])?;
        let taken = choice(device, m, k, n)?;
        for split in [1, 2, 4, 8] {
            let mut c = device.zeros::<bf16>([m, n])?;
            let profile = split_k(&a, &b, &mut c).with(split_k::SPLIT(split)).profile()?;
            is_right &= is_within(
                &format!(
                    "SPLIT = {split}{}",
                    if split == taken { ", which is taken" } else { "" }
                ),
                c.download()?.iter().map(|x| x.to_f64()),
                &expected,
                &PRODUCTS,
            );
            show_counters(&profile);
        }
    }
    // A small C with a long K is split, one that fills the chip is not.
    is_right &= choice(device, 64, 4096, 64)? > 1;
    is_right &= choice(device, 1024, 512, 1024)? == 1;
    Ok(is_right)
}

/// How many parts a launch takes; shows what every number of them is estimated to take, with its best blocks.
fn choice(device: &Device, m: usize, k: usize, n: usize) -> tt::Result<i64> {
    let a = device.zeros::<bf16>([m, k])?;
    let b = device.zeros::<bf16>([k, n])?;
    let mut c = device.zeros::<bf16>([m, n])?;
    print!("{m} × {k} · {k} × {n}, estimated cycles:");
    for split in [1, 2, 4, 8] {
        let cycles = split_k(&a, &b, &mut c).with(split_k::SPLIT(split)).estimate()?;
        print!(" {:.0} with {split},", cycles.unwrap_or(f64::NAN));
    }
    let taken = split_k(&a, &b, &mut c).variant()?;
    println!(" so {taken:?}");
    Ok(taken[0].1)
}
