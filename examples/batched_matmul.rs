//! Batched matmul: C[b] = A[b] · B[b / (BATCH / GROUPS)] for every matrix of a batch, where each of GROUPS matrices on the right
//! serves as many on the left: all of them have their own where GROUPS is BATCH, and share one where it is 1.
//!
//! The batch is an axis of the grid. A block of the grid makes 64 × 64 results of one matrix: it goes along K in steps of 64, and
//! two blocks of each operand are in flight, so that the next are read while these are multiplied. The sums stay in L1 in f32 and
//! are rounded to bf16 once. A is read N / 64 times, and B as often as matrices share it, times M / 64; where cores of one row
//! or column of the chip need the same block at the same time, the compiler has it read once and multicast.
//!
//!     cargo run --release --example batched_matmul

mod support;

use std::process::ExitCode;
use support::{PRODUCTS, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

#[tt::kernel]
fn batched_matmul<const BATCH: usize, const GROUPS: usize, const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, BATCH, M, K>,
    b: &Tensor<bf16, GROUPS, K, N>,
    c: &mut Tensor<bf16, BATCH, M, N>,
) {
    let (bx, by, batch) = T.Kernel(N.div_ceil(64), M.div_ceil(64), BATCH);
    let a_block = T.alloc_shared::<bf16>(64, 64);
    let b_block = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let group = batch / (BATCH / GROUPS);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(batch, by * 64, k * 64)], a_block);
        T.copy(b[(group, k * 64, bx * 64)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(batch, by * 64, bx * 64)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (batch, groups, m, k, n) in [(4, 4, 64, 128, 128), (6, 2, 50, 70, 90), (3, 1, 1, 33, 65)] {
        let (a_host, b_host) = (numbers(batch * m * k, 1), numbers(groups * k * n, 2));
        let a = device.upload(&a_host, [batch, m, k])?;
        let b = device.upload(&b_host, [groups, k, n])?;
        let mut c = device.zeros::<bf16>([batch, m, n])?;
        let profile = batched_matmul(&a, &b, &mut c).profile()?;

        let (a, b) = (exact(&a_host), exact(&b_host));
        let mut expected = Vec::new();
        for matrix in 0..batch {
            let (left, right) = (&a[matrix * m * k..], &b[matrix * groups / batch * k * n..]);
            for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
                expected.push((0..k).map(|at| left[i * k + at] * right[at * n + j]).sum());
            }
        }
        is_right &= is_within(
            &format!("{batch} times {m} × {k} · {k} × {n}, {groups} on the right"),
            c.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &PRODUCTS,
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
