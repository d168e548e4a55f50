//! Sums through L1, the last turn of which packs straight to the result, whose rows are stored as they come.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// As it is.
#[tt::kernel]
fn product<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let left = T.alloc_shared::<bf16>(128, 64);
    let right = T.alloc_shared::<bf16>(64, 128);
    let sums = T.alloc_fragment::<f32>(128, 128);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 128, k * 64)], left);
        T.copy(b[(k * 64, bx * 128)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 128, bx * 128)]);
}

/// From a number on, of a transposed block, in blocks whose last row of chunks is shorter; what is stored is not what was summed.
#[tt::kernel]
fn positive<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, K, M>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(160));
    let left = T.alloc_shared::<bf16>(32, 160);
    let right = T.alloc_shared::<bf16>(32, 32);
    let sums = T.alloc_fragment::<f32>(160, 32);
    T.fill(sums, 3.0);
    for k in 0..K.div_ceil(32) {
        T.copy(a[(k * 32, by * 160)], left);
        T.copy(b[(k * 32, bx * 32)], right);
        T.gemm(left, right, sums, transpose_a = true);
    }
    for (i, j) in T.Parallel(160, 32) {
        sums[(i, j)] = (sums[(i, j)] * 2.0).max(0.0);
    }
    T.copy(sums, c[(by * 160, bx * 32)]);
}

/// Of several matrices each, onto what the result holds; each is stored, and summed on.
#[tt::kernel]
fn onto<const B: usize, const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, B, M, K>,
    b: &Tensor<bf16, B, K, N>,
    c: &mut Tensor<f32, M, N>,
    so_far: &mut Tensor<bf16, B, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 32);
    let right = T.alloc_shared::<bf16>(32, 128);
    let sums = T.alloc_fragment::<f32>(64, 128);
    T.copy(c[(by * 64, bx * 128)], sums);
    for bz in 0..B {
        for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
            T.copy(a[(bz, by * 64, k * 32)], left);
            T.copy(b[(bz, k * 32, bx * 128)], right);
            T.gemm(left, right, sums);
        }
        T.copy(sums, so_far[(bz, by * 64, bx * 128)]);
    }
    T.copy(sums, c[(by * 64, bx * 128)]);
}

/// A row is added by the FPU, of 19 bits of each sum.
#[tt::kernel(approx = true)]
fn biased<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, N>,
    c: &mut Tensor<f32, M, N>,
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
        sums[(i, j)] += row[j];
    }
    T.copy(sums, c[(by * 128, bx * 128)]);
}

const SHAPES: [[usize; 3]; 6] = [
    [128, 64, 128],
    [128, 128, 256],
    [300, 20, 200],
    [97, 190, 33],
    [256, 250, 128],
    [33, 65, 700],
];

/// -1, 0 and 1, so that every sum is a whole number which bf16 has.
fn whole(seed: usize, count: usize) -> Vec<bf16> {
    let value = |at: usize| bf16::from_f32(((at.wrapping_mul(2_654_435_761) >> 7).wrapping_add(seed) % 3) as f32 - 1.0);
    (0..count).map(value).collect()
}

/// The element (i, j) of a product over `k`.
fn sum(k: usize, a: impl Fn(usize) -> bf16, b: impl Fn(usize) -> bf16) -> f32 {
    (0..k).map(|at| a(at).to_f32() * b(at).to_f32()).sum()
}

#[test]
fn it_is_done_in_the_last_turn() {
    let sources = [product::SOURCES, positive::SOURCES];
    for sources in sources {
        assert!(sources.compute.contains("k + 1 < "), "{}", sources.compute);
        assert!(
            sources.writer.contains(", row + 1") || sources.writer.contains("(row + 1) * 4"),
            "{}",
            sources.writer
        );
    }
    let of_sums = "add_tiles_bcast_rows(cb_sums, cb_row";
    assert!(biased::SOURCES.compute.contains(of_sums), "{}", biased::SOURCES.compute);
}

#[test]
fn products() {
    on_both_chips(|device| {
        for [m, k, n] in SHAPES {
            let (a, b) = (whole(0, m * k), whole(1, k * n));
            let mut c = device.zeros::<bf16>([m, n])?;
            product(&device.upload(&a, [m, k])?, &device.upload(&b, [k, n])?, &mut c).run()?;
            for (at, found) in c.download()?.into_iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let expected = sum(k, |l| a[i * k + l], |l| b[l * n + j]);
                assert_eq!(found.to_f32(), expected, "{m} x {k} x {n} at ({i}, {j})");
            }
        }
        Ok(())
    });
}

#[test]
fn what_is_stored_is_computed_from_sums() {
    on_both_chips(|device| {
        for [m, k, n] in SHAPES {
            let (a, b) = (whole(2, k * m), whole(0, k * n));
            let mut c = device.zeros::<f32>([m, n])?;
            positive(&device.upload(&a, [k, m])?, &device.upload(&b, [k, n])?, &mut c).run()?;
            for (at, found) in c.download()?.into_iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let expected = ((sum(k, |l| a[l * m + i], |l| b[l * n + j]) + 3.0) * 2.0).max(0.0);
                assert_eq!(found, expected, "{m} x {k} x {n} at ({i}, {j})");
            }
        }
        Ok(())
    });
}

#[test]
fn sums_go_on() {
    on_both_chips(|device| {
        for ([m, k, n], batches) in SHAPES.into_iter().zip([1, 2, 3, 1, 2, 3]) {
            let (a, b) = (whole(1, batches * m * k), whole(2, batches * k * n));
            let before: Vec<f32> = whole(0, m * n).into_iter().map(f32::from).collect();
            let mut c = device.upload(&before, [m, n])?;
            let mut so_far = device.zeros::<bf16>([batches, m, n])?;
            let (left, right) = (device.upload(&a, [batches, m, k])?, device.upload(&b, [batches, k, n])?);
            onto(&left, &right, &mut c, &mut so_far).run()?;
            let (c, so_far) = (c.download()?, so_far.download()?);
            for at in 0..m * n {
                let (i, j) = (at / n, at % n);
                let mut expected = before[at];
                for batch in 0..batches {
                    let (a, b) = (&a[batch * m * k..], &b[batch * k * n..]);
                    expected += sum(k, |l| a[i * k + l], |l| b[l * n + j]);
                    let found = so_far[batch * m * n + at];
                    assert_eq!(
                        found.to_f32(),
                        bf16::from_f32(expected).to_f32(),
                        "{m} x {k} x {n} at ({i}, {j})"
                    );
                }
                assert_eq!(c[at], expected, "{m} x {k} x {n} at ({i}, {j})");
            }
        }
        Ok(())
    });
}

#[test]
fn rows_are_added_by_the_fpu() {
    on_both_chips(|device| {
        for [m, k, n] in SHAPES {
            let (a, b, bias) = (whole(0, m * k), whole(1, k * n), whole(2, n));
            let mut c = device.zeros::<f32>([m, n])?;
            let (left, right, row) = (
                device.upload(&a, [m, k])?,
                device.upload(&b, [k, n])?,
                device.upload(&bias, [n])?,
            );
            biased(&left, &right, &row, &mut c).run()?;
            for (at, found) in c.download()?.into_iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let expected = sum(k, |l| a[i * k + l], |l| b[l * n + j]) + bias[j].to_f32();
                assert_eq!(found, expected, "{m} x {k} x {n} at ({i}, {j})");
            }
        }
        Ok(())
    });
}
