//! Long sums of small grids, which a launch may cut into parts.

mod support;

use support::on_both_chips;
use tt::prelude::*;

#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 64);
    let right = T.alloc_shared::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], left);
        T.copy(b[(k * 64, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 64, bx * 64)]);
}

/// Begins with what `y` holds, and goes on with what is read before the loop.
#[tt::kernel]
fn linear<const B: usize, const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, B, M, K>,
    b: &Tensor<bf16, K, N>,
    bias: &Tensor<f32, N>,
    y: &mut Tensor<f32, B, M, N>,
) {
    let (bx, by, bz) = T.Kernel(N.div_ceil(32), M.div_ceil(64), B);
    let left = T.alloc_shared::<bf16>(64, 32);
    let right = T.alloc_shared::<bf16>(32, 32);
    let twice = T.alloc_shared::<bf16>(32, 32);
    let row = T.alloc_shared::<f32>(32);
    let sums = T.alloc_fragment::<f32>(64, 32);
    T.copy(y[(bz, by * 64, bx * 32)], sums);
    T.copy(bias[(bx * 32)], row);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(bz, by * 64, k * 32)], left);
        T.copy(b[(k * 32, bx * 32)], right);
        for (i, j) in T.Parallel(32, 32) {
            twice[(i, j)] = right[(i, j)] * 2.0;
        }
        T.gemm(left, twice, sums);
    }
    for (i, j) in T.Parallel(64, 32) {
        sums[(i, j)] = (sums[(i, j)] + row[j]).max(0.0);
    }
    T.copy(sums, y[(bz, by * 64, bx * 32)]);
}

/// Two sums of one loop, one of them under a condition, from a bound up to another.
#[tt::kernel]
fn two_sums<const M: usize, const N: usize>(first: i32, x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, 32>) {
    let by = T.Kernel(M.div_ceil(32));
    let part = T.alloc_shared::<f32>(32, 32);
    let of_rows = T.alloc_fragment::<f32>(32, 1);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(of_rows);
    T.fill(sums, 1.0);
    for k in first..N / 32 {
        T.copy(x[(by * 32, k * 32)], part);
        T.reduce_sum(part, of_rows, dim = 1, clear = false);
        if k % 3 == 0 {
            for (i, j) in T.Parallel(32, 32) {
                sums[(i, j)] += part[(i, j)] * 2.0;
            }
        }
    }
    for (i, j) in T.Parallel(32, 32) {
        sums[(i, j)] += of_rows[(i, 0)];
    }
    T.copy(sums, y[(by * 32, 0)]);
}

/// Each turn needs what the one before left.
#[tt::kernel]
fn carried<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, 32>) {
    let by = T.Kernel(M.div_ceil(32));
    let part = T.alloc_shared::<f32>(32, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for k in T.Pipelined(N.div_ceil(32), num_stages = 2) {
        T.copy(x[(by * 32, k * 32)], part);
        for (i, j) in T.Parallel(32, 32) {
            sums[(i, j)] = sums[(i, j)] * 0.5 + part[(i, j)];
        }
    }
    T.copy(sums, y[(by * 32, 0)]);
}

#[tt::kernel(split = off)]
fn whole<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 32);
    let right = T.alloc_shared::<bf16>(32, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], left);
        T.copy(b[(k * 32, bx * 32)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 32, bx * 32)]);
}

/// Whole numbers, so small that no sum of them is rounded.
fn number(at: usize) -> f32 {
    (at * 7 % 5) as f32 - 2.0
}

fn numbers(count: usize, from: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f32(number(at + from))).collect()
}

/// More than there are steps, as many as do not divide them, and one.
const PARTS: [u32; 5] = [1, 2, 3, 7, 16];

#[test]
fn parts_add_up_to_the_sum_on_edges_and_behind_other_axes() {
    for [b, m, k, n] in [[1, 64, 320, 32], [2, 70, 200, 33], [3, 5, 31, 100]] {
        let (a_host, b_host) = (numbers(b * m * k, 0), numbers(k * n, 3));
        let (bias, held): (Vec<f32>, Vec<f32>) = ((0..n).map(number).collect(), (0..b * m * n).map(number).collect());
        let wanted: Vec<f32> = (0..b * m * n)
            .map(|at| {
                let [z, i, j] = [at / n / m, at / n % m, at % n];
                let products =
                    (0..k).map(|k_at| a_host[(z * m + i) * k + k_at].to_f32() * b_host[k_at * n + j].to_f32());
                (held[at] + 2.0 * products.sum::<f32>() + bias[j]).max(0.0)
            })
            .collect();
        on_both_chips(|device| {
            let a = device.upload(&a_host, [b, m, k])?;
            let right = device.upload(&b_host, [k, n])?;
            let bias = device.upload(&bias, [n])?;
            for parts in PARTS {
                let mut y = device.upload(&held, [b, m, n])?;
                let launch = linear(&a, &right, &bias, &mut y).in_parts(parts);
                launch.check(0.0)?;
                assert!(y.download()? == wanted, "{b} {m} {k} {n} in {parts}");
            }
            Ok(())
        });
    }
}

#[test]
fn a_loop_may_have_several_sums_and_any_bounds() {
    for [m, n] in [[32, 32 * 9], [70, 32 * 20], [1, 32]] {
        let x_host: Vec<f32> = (0..m * n).map(number).collect();
        // From behind the end on there is nothing to sum.
        for first in [0, 2, 40] {
            let wanted: Vec<f32> = (0..m * 32)
                .map(|at| {
                    let [i, j] = [at / 32, at % 32];
                    let row = |k: usize| &x_host[i * n + k * 32..][..32];
                    let steps = || (first..n / 32).map(|k| (k, row(k)));
                    let of_row: f32 = steps().flat_map(|(_, row)| row).sum();
                    let chosen = steps().filter(|(k, _)| k % 3 == 0);
                    1.0 + of_row + chosen.map(|(_, row)| row[j] * 2.0).sum::<f32>()
                })
                .collect();
            on_both_chips(|device| {
                let x = device.upload(&x_host, [m, n])?;
                let mut y = device.zeros::<f32>([m, 32])?;
                for parts in PARTS {
                    two_sums(first as i32, &x, &mut y).in_parts(parts).check(0.0)?;
                    assert!(y.download()? == wanted, "{m} {n} from {first} in {parts}");
                }
                Ok(())
            });
        }
    }
}

#[test]
fn a_launch_takes_as_many_parts_as_the_clock_finds_faster() {
    // Few blocks of many steps; one block; as many blocks as cores.
    for ([m, n, k], is_cut) in [
        ([256, 256, 4096], true),
        ([64, 64, 4096], true),
        ([256, 256, 256], false),
        ([1024, 1024, 512], false),
    ] {
        on_both_chips(|device| {
            let a = device.upload(&vec![bf16::ONE; m * k], [m, k])?;
            let b = device.upload(&vec![bf16::ONE; k * n], [k, n])?;
            let mut c = device.zeros::<bf16>([m, n])?;
            let chosen = matmul(&a, &b, &mut c).parts()?;
            assert_eq!(chosen > 1, is_cut, "{m} {n} {k}: {chosen}");
            let stages = matmul(&a, &b, &mut c).plan()?.later.len() + 1;
            assert_eq!(stages, if is_cut { 2 } else { 1 });
            let mut run = |parts| {
                let profile = matmul(&a, &b, &mut c).in_parts(parts).profile()?;
                let counters = profile.counters.expect("the emulator counts");
                assert!(c.download()?.iter().all(|x| x.to_f32() == k as f32));
                Ok::<_, tt::Error>(counters.modelled.expect("the clock was on").cycles)
            };
            let (whole, cut) = (run(1)?, run(chosen.max(2))?);
            assert_eq!(cut < whole, is_cut, "{m} {n} {k}: {cut} in {chosen}, {whole} in one");
            Ok(())
        });
    }
}

#[test]
fn what_is_not_to_be_cut_is_not() {
    on_both_chips(|device| {
        let x = device.zeros::<f32>([32, 8192])?;
        let mut y = device.zeros::<f32>([32, 32])?;
        assert_eq!(carried(&x, &mut y).parts()?, 1);
        let refused = carried(&x, &mut y).in_parts(2).run().unwrap_err().to_string();
        assert!(
            refused.ends_with("kernel `carried` has no sum to cut into 2 parts"),
            "{refused}"
        );
        let (a, b) = (device.zeros::<bf16>([32, 8192])?, device.zeros::<bf16>([8192, 32])?);
        assert_eq!(whole(&a, &b, &mut y).parts()?, 1);
        Ok(())
    });
}

#[test]
fn without_room_for_its_parts_a_sum_is_not_cut() {
    on_both_chips(|device| {
        let (a, b) = (numbers(64 * 4096, 0), numbers(4096 * 64, 1));
        let (a, b) = (device.upload(&a, [64, 4096])?, device.upload(&b, [4096, 64])?);
        let mut c = device.zeros::<bf16>([64, 64])?;
        let launch = matmul(&a, &b, &mut c);
        let (parts, profile) = (launch.parts()?, launch.profile()?);
        assert!(parts > 1 && profile.parts == parts);
        assert!(profile.to_string().contains(&format!("in {parts} parts")), "{profile}");
        // All memory that there is, in ever smaller pieces; nobody touches it.
        let mut all = Vec::new();
        for rows in (0..25).rev().map(|power| 32 << power) {
            while let Ok(piece) = device.zeros::<f32>([rows, 32]) {
                all.push(piece);
            }
        }
        matmul(&a, &b, &mut c).check(0.01)?;
        Ok(())
    });
}
