//! What a block holds over loops: read and added to in the same loop, redefined, dead on some paths, seen after the loop.
//! All values are exact, so a version that is lost or stale shows, on both chips.

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

/// Rows of the tensors, and columns, in tiles and in elements.
const M: usize = 64;
const STEPS: usize = 4;
const N: usize = STEPS * 32;

/// What `launch` writes for a tensor `a` (M × N) and a matrix `b` (N × 32), compared element by element.
fn check(
    launch: impl Fn(&Tensor<bf16, 2>, &Tensor<bf16, 2>, &mut Tensor<f32, 2>) -> tt::Result<()>,
    expected: impl Fn(&[f64], &[f64], usize, usize) -> f64,
) {
    let (a, b) = (counted(M * N, 5), counted(N * 32, 3));
    on_both_chips(|device| {
        let a_tensor = device.upload(&narrow(&a), [M, N])?;
        let b_tensor = device.upload(&narrow(&b), [N, 32])?;
        let mut out = device.zeros::<f32>([M, N])?;
        launch(&a_tensor, &b_tensor, &mut out)?;
        for (at, got) in out.download()?.into_iter().enumerate() {
            let wanted = expected(&a, &b, at / N, at % N);
            assert_eq!(f64::from(got), wanted, "element ({}, {})", at / N, at % N);
        }
        Ok(())
    });
}

/// The product of the first `steps` steps of row `i` of `a` with column `j` of `b`.
fn dot(a: &[f64], b: &[f64], i: usize, j: usize, steps: usize) -> f64 {
    (0..steps * 32).map(|k| a[i * N + k] * b[k * 32 + j]).sum()
}

#[tt::kernel]
fn partial_sums<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.fill(acc, 5.0);
    for k in T.Pipelined(N.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        T.gemm(x, y, acc);
        T.copy(acc, out[(by * 32, k * 32)]);
    }
}

#[test]
fn sums_that_a_loop_stores_go_on_in_it() {
    check(
        |a, b, out| partial_sums(a, b, out).run(),
        |a, b, i, j| 5.0 + dot(a, b, i, j % 32, j / 32 + 1),
    );
}

#[tt::kernel]
fn partial_sums_doubled<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let r = T.alloc_fragment::<f32>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in 0..N.div_ceil(32) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        T.gemm(x, y, acc);
        for (i, j) in T.Parallel(32, 32) {
            r[(i, j)] = acc[(i, j)] * 2.0;
        }
        T.copy(r, out[(by * 32, k * 32)]);
    }
}

#[test]
fn sums_that_a_loop_reads_go_on_in_it() {
    check(
        |a, b, out| partial_sums_doubled(a, b, out).run(),
        |a, b, i, j| 2.0 * dot(a, b, i, j % 32, j / 32 + 1),
    );
}

#[tt::kernel]
fn sums_over_two_loops<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for q in 0..N.div_ceil(32) {
        for k in 0..N.div_ceil(32) {
            T.copy(a[(by * 32, k * 32)], x);
            T.copy(b[(k * 32, 0)], y);
            T.gemm(x, y, acc);
        }
        T.copy(acc, out[(by * 32, q * 32)]);
    }
}

#[test]
fn sums_of_an_inner_loop_go_on_in_the_outer() {
    check(
        |a, b, out| sums_over_two_loops(a, b, out).run(),
        |a, b, i, j| (j / 32 + 1) as f64 * dot(a, b, i, j % 32, STEPS),
    );
}

/// `spare` is never stored, `acc` neither; what is left of the loop still redefines `kept`.
#[tt::kernel(allow(TT0351))]
fn beside_dead_sums<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let kept = T.alloc_shared::<f32>(32, 32);
    let other = T.alloc_shared::<f32>(32, 32);
    let spare = T.alloc_shared::<f32>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    T.fill(kept, -1.0);
    T.fill(other, 3.0);
    for k in 0..N.div_ceil(32) {
        for (i, j) in T.Parallel(32, 32) {
            spare[(i, j)] = kept[(i, j)] + other[(i, j)];
        }
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        T.gemm(x, y, acc);
        for (i, j) in T.Parallel(32, 32) {
            kept[(i, j)] = -other[(i, j)];
        }
    }
    T.copy(kept, out[(by * 32, bx * 32)]);
}

#[test]
fn what_stands_beside_dead_sums_is_done() {
    check(|a, b, out| beside_dead_sums(a, b, out).run(), |_, _, _, _| -3.0);
}

/// The sums are never stored; the block that the loop reads is.
#[tt::kernel(allow(TT0351))]
fn operand_of_dead_sums<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let wide = T.alloc_fragment::<f32>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    for q in 0..N.div_ceil(32) {
        T.clear(acc);
        for k in 0..3 {
            T.copy(a[(by * 32, q * 32)], x);
            T.copy(b[(k * 32, 0)], y);
            T.gemm(x, y, acc);
        }
        T.copy(x, wide);
        T.copy(wide, out[(by * 32, q * 32)]);
    }
}

#[test]
fn reads_of_dead_sums_that_something_else_sees_are_done() {
    check(
        |a, b, out| operand_of_dead_sums(a, b, out).run(),
        |a, _, i, j| a[i * N + j],
    );
}

/// Blocks of every kind of buffer that a loop makes anew each time: only the last is seen.
#[tt::kernel]
fn made_in_loops<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let read = T.alloc_shared::<bf16>(64, 32);
    let computed = T.alloc_shared::<f32>(64, 32);
    let stored = T.alloc_shared::<f32>(64, 32);
    for q in 0..4 {
        for (i, j) in T.Parallel(64, 32) {
            stored[(i, j)] = 7.0;
        }
    }
    T.copy(stored, out[(by * 64, 0)]);
    for q in 0..2 {
        for r in 1..3 {
            T.copy(a[(by * 64, q * 32 + r * 32)], read);
        }
    }
    for (i, j) in T.Parallel(64, 32) {
        computed[(i, j)] = read[(i, j)] + 0.5;
    }
    T.copy(computed, out[(by * 64, 32)]);
    for q in 0..3 {
        T.copy(a[(by * 64, q * 32)], read);
        for (i, j) in T.Parallel(64, 32) {
            computed[(i, j)] = read[(i, j)] * 2.0;
        }
        if q == 1 {
            T.copy(computed, out[(by * 64, 64)]);
        }
    }
    T.copy(computed, out[(by * 64, 96)]);
}

#[test]
fn a_block_made_in_a_loop_is_seen_after_it() {
    check(
        |a, b, out| made_in_loops(a, b, out).run(),
        |a, _, i, j| match j / 32 {
            0 => 7.0,
            1 => a[i * N + 96 + j % 32] + 0.5,
            2 => 2.0 * a[i * N + 32 + j % 32],
            _ => 2.0 * a[i * N + 64 + j % 32],
        },
    );
}

/// Forty redefinitions of two blocks: more versions than a core has circular buffers.
#[tt::kernel]
fn alternating<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, N, 32>,
    out: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_fragment::<f32>(32, 32);
    let w = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 1.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 2.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 3.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 4.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 5.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 6.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 7.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 8.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 9.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 10.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 11.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 12.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 13.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 14.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 15.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 16.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 17.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 18.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 19.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = v[(i, j)] + 20.0;
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = w[(i, j)] + w[(i, j)];
    }
    T.copy(v, out[(by * 32, bx * 32)]);
}

#[test]
fn versions_of_two_blocks_share_circular_buffers() {
    check(
        |a, b, out| alternating(a, b, out).run(),
        |a, _, i, j| (1..=20).fold(a[i * N + j], |v, n| 2.0 * (v + f64::from(n))),
    );
}

/// The tiles of `a` that loops of every kind come by, in order: a digit of base 8 each.
#[tt::kernel]
fn turns<const N: usize>(a: &Tensor<bf16, 32, N>, o: &mut Tensor<f32, 5, 32, 32>, lo: i32, hi: i32, n: u32) {
    let kind = T.Kernel(5);
    let x = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    if kind == 0 {
        for k in (lo..hi).rev() {
            T.copy(a[(0, k * 32)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] = acc[(i, j)] * 8.0 + x[(i, j)];
            }
        }
    } else if kind == 1 {
        for k in (lo..hi).step_by(n) {
            T.copy(a[(0, k * 32)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] = acc[(i, j)] * 8.0 + x[(i, j)];
            }
        }
    } else if kind == 2 {
        for k in T.Pipelined((lo..hi).rev().step_by(n), num_stages = 3) {
            T.copy(a[(0, k * 32)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] = acc[(i, j)] * 8.0 + x[(i, j)];
            }
        }
    } else if kind == 3 {
        for k in (lo..hi).step_by(n).rev() {
            T.copy(a[(0, k * 32)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] = acc[(i, j)] * 8.0 + x[(i, j)];
            }
        }
    } else {
        for k in T.unroll((1..=7).step_by(2).step_by(2)) {
            T.copy(a[(0, k * 32)], x);
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] = acc[(i, j)] * 8.0 + x[(i, j)];
            }
        }
    }
    T.copy(acc, o[(kind, 0, 0)]);
}

#[test]
fn loops_count_as_the_iterators_of_rust() {
    fn digits(turns: impl Iterator<Item = i32>) -> f32 {
        turns.fold(0.0, |number, k| number * 8.0 + k as f32)
    }
    let values: Vec<f64> = (0..32 * 8 * 32).map(|at| (at / 32 % 8) as f64).collect();
    on_both_chips(|device| {
        let a = device.upload(&narrow(&values), [32, 8 * 32])?;
        for (lo, hi, n) in [(0, 7, 2), (1, 7, 3), (2, 3, 5), (0, 7, 1), (4, 4, 2), (5, 2, 2)] {
            let mut o = device.zeros::<f32>([5, 32, 32])?;
            turns(&a, &mut o, lo, hi, n).run()?;
            let by = n as usize;
            let wanted = [
                digits((lo..hi).rev()),
                digits((lo..hi).step_by(by)),
                digits((lo..hi).rev().step_by(by)),
                digits((lo..hi).step_by(by).rev()),
                digits((1..=7).step_by(2).step_by(2)),
            ];
            let got = o.download()?;
            for (kind, wanted) in wanted.into_iter().enumerate() {
                assert_eq!(got[kind * 32 * 32], wanted, "loop {kind} over {lo}..{hi} by {n}");
            }
        }
        Ok(())
    });
}
