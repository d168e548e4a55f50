//! Blocks that the FPU takes 19 bits of are whole everywhere else.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// 24 significant bits, of both signs, near 4.
fn number(at: usize) -> f32 {
    let bits = (at as u32).wrapping_mul(2_654_435_761) >> 8;
    (bits as f32 / (1u32 << 22) as f32 - 2.0) * 2.0 + 1.0e-4
}

fn numbers(count: usize, from: usize) -> Vec<f32> {
    (0..count).map(|at| number(at + from)).collect()
}

/// A factor that is stored, turned, added to a row of itself and reduced, before and behind the product.
#[tt::kernel]
fn factor<const M: usize>(
    a: &Tensor<f32, M, 64>,
    b: &Tensor<f32, 64, 64>,
    sums: &mut Tensor<f32, M, 64>,
    stored: &mut Tensor<f32, M, 64>,
    turned: &mut Tensor<f32, 64, M>,
    rows: &mut Tensor<f32, M, 64>,
    most: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let left = T.alloc_shared::<f32>(64, 64);
    let right = T.alloc_shared::<f32>(64, 64);
    let across = T.alloc_fragment::<f32>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let plus = T.alloc_fragment::<f32>(64, 64);
    let largest = T.alloc_fragment::<f32>(64);
    T.copy(a[(by * 64, 0)], left);
    T.copy(b[(0, 0)], right);
    T.transpose(left, across);
    T.clear(acc);
    T.gemm(left, right, acc);
    for (i, j) in T.Parallel(64, 64) {
        plus[(i, j)] = left[(i, j)] * 2.0 + right[(0, j)] * 0.0;
    }
    T.reduce_max(left, largest, dim = 1);
    T.copy(left, stored[(by * 64, 0)]);
    T.copy(across, turned[(0, by * 64)]);
    T.copy(plus, rows[(by * 64, 0)]);
    T.copy(largest, most[by * 64]);
    T.copy(acc, sums[(by * 64, 0)]);
}

#[test]
fn a_factor_of_a_gemm_is_whole_where_it_is_read_otherwise() {
    const M: usize = 192;
    let (a, b) = (numbers(M * 64, 0), numbers(64 * 64, 7));
    on_both_chips(|device| {
        let (x, y) = (device.upload(&a, [M, 64])?, device.upload(&b, [64, 64])?);
        let mut sums = device.zeros::<f32>([M, 64])?;
        let mut stored = device.zeros::<f32>([M, 64])?;
        let mut turned = device.zeros::<f32>([64, M])?;
        let mut rows = device.zeros::<f32>([M, 64])?;
        let mut most = device.zeros::<f32>([M])?;
        factor(&x, &y, &mut sums, &mut stored, &mut turned, &mut rows, &mut most).run()?;
        assert!(stored.download()? == a);
        let turned = turned.download()?;
        assert!((0..M * 64).all(|at| turned[at % 64 * M + at / 64] == a[at]));
        assert!(rows.download()?.iter().zip(&a).all(|(row, a)| *row == a * 2.0));
        let largest = |row: &[f32]| row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert!(most.download()? == a.chunks(64).map(largest).collect::<Vec<_>>());
        let sums = sums.download()?;
        for (at, sum) in sums.iter().enumerate() {
            let wanted: f32 = (0..64).map(|k| a[at / 64 * 64 + k] * b[k * 64 + at % 64]).sum();
            assert!((sum - wanted).abs() < 0.5, "{at}: {sum} for {wanted}");
        }
        Ok(())
    });
}

/// Sums that are a factor, and are added to again.
#[tt::kernel]
fn chained<const K: usize>(
    a: &Tensor<f32, 64, K>,
    b: &Tensor<f32, K, 64>,
    c: &mut Tensor<f32, 64, 64>,
    d: &mut Tensor<f32, 64, 64>,
) {
    let _block = T.Kernel(1);
    let left = T.alloc_shared::<f32>(64, 32);
    let right = T.alloc_shared::<f32>(32, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let squares = T.alloc_fragment::<f32>(64, 64);
    T.fill(acc, 1.000_000_1);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(0, k * 32)], left);
        T.copy(b[(k * 32, 0)], right);
        T.gemm(left, right, acc);
    }
    T.clear(squares);
    T.gemm(acc, acc, squares);
    T.copy(acc, c[(0, 0)]);
    T.copy(squares, d[(0, 0)]);
}

#[test]
fn sums_that_are_a_factor_are_whole() {
    const K: usize = 96;
    // Products of whole numbers, so that the sums are exact but for the fill.
    let whole = |count: usize, from: usize| {
        (0..count)
            .map(|at| ((at + from) * 7 % 5) as f32 - 2.0)
            .collect::<Vec<f32>>()
    };
    let (a, b) = (whole(64 * K, 0), whole(K * 64, 3));
    on_both_chips(|device| {
        let (x, y) = (device.upload(&a, [64, K])?, device.upload(&b, [K, 64])?);
        let mut c = device.zeros::<f32>([64, 64])?;
        let mut d = device.zeros::<f32>([64, 64])?;
        chained(&x, &y, &mut c, &mut d).run()?;
        for (at, sum) in c.download()?.iter().enumerate() {
            let wanted: f32 = (0..K).map(|k| a[at / 64 * K + k] * b[k * 64 + at % 64]).sum::<f32>() + 1.000_000_1;
            assert!(
                (sum - wanted).abs() <= wanted.abs() * 2.0e-7 + 2.0e-7,
                "{at}: {sum} for {wanted}"
            );
        }
        Ok(())
    });
}

/// Operands of a sum that may be off, stored and rounded to integers beside it.
#[tt::kernel(approx = true)]
fn approximate<const M: usize>(
    a: &Tensor<f32, M, 64>,
    b: &Tensor<f32, M, 64>,
    stored: &mut Tensor<f32, M, 64>,
    whole: &mut Tensor<i32, M, 64>,
    sums: &mut Tensor<f32, M, 64>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let p = T.alloc_shared::<f32>(64, 64);
    let q = T.alloc_shared::<f32>(64, 64);
    let kept = T.alloc_fragment::<f32>(64, 64);
    let integers = T.alloc_fragment::<i32>(64, 64);
    T.copy(a[(by * 64, 0)], p);
    T.copy(b[(by * 64, 0)], q);
    for (i, j) in T.Parallel(64, 64) {
        kept[(i, j)] = p[(i, j)] * 4.0;
        integers[(i, j)] = q[(i, j)] as i32;
        p[(i, j)] = p[(i, j)] + q[(i, j)];
    }
    T.copy(kept, stored[(by * 64, 0)]);
    T.copy(integers, whole[(by * 64, 0)]);
    T.copy(p, sums[(by * 64, 0)]);
}

/// Integers spread along rows and columns.
#[tt::kernel(approx = true)]
fn integers<const M: usize>(a: &Tensor<i32, M, 32>, b: &Tensor<i32, M, 32>, c: &mut Tensor<i32, M, 32>) {
    let by = T.Kernel(M.div_ceil(32));
    let p = T.alloc_shared::<i32>(32, 32);
    let q = T.alloc_shared::<i32>(32, 32);
    T.copy(a[(by * 32, 0)], p);
    T.copy(b[(by * 32, 0)], q);
    for (i, j) in T.Parallel(32, 32) {
        c[(by * 32 + i, j)] = (p[(i, j)] - q[(0, j)]) * q[(i, 5)] + p[(7, j)];
    }
}

#[test]
fn with_approx_a_sum_is_off_and_its_operands_are_not() {
    const M: usize = 128;
    let a = numbers(M * 64, 0);
    let b: Vec<f32> = numbers(M * 64, 7).iter().map(|value| value * 100_000.0).collect();
    on_both_chips(|device| {
        let (x, y) = (device.upload(&a, [M, 64])?, device.upload(&b, [M, 64])?);
        let mut stored = device.zeros::<f32>([M, 64])?;
        let mut whole = device.zeros::<i32>([M, 64])?;
        let mut sums = device.zeros::<f32>([M, 64])?;
        approximate(&x, &y, &mut stored, &mut whole, &mut sums).run()?;
        assert!(stored.download()?.iter().zip(&a).all(|(stored, a)| *stored == a * 4.0));
        assert!(whole.download()?.iter().zip(&b).all(|(whole, b)| *whole == *b as i32));
        for (at, sum) in sums.download()?.iter().enumerate() {
            let wanted = a[at] + b[at];
            let bound = (a[at].abs() + b[at].abs() + wanted.abs()) / 1024.0;
            assert!((sum - wanted).abs() <= bound, "{at}: {sum} for {wanted}");
        }
        let value = |at: usize| (at * 7 % 1009) as i32 - 500;
        let (p, q): (Vec<i32>, Vec<i32>) = (0..M * 32).map(|at| (value(at), value(at + 11))).unzip();
        let (x, y) = (device.upload(&p, [M, 32])?, device.upload(&q, [M, 32])?);
        let mut c = device.zeros::<i32>([M, 32])?;
        integers(&x, &y, &mut c).run()?;
        let row = |at: usize| at / (32 * 32) * 32 * 32;
        let wanted = (0..M * 32).map(|at| {
            let (block, j) = (row(at), at % 32);
            (p[at] - q[block + j]) * q[at / 32 * 32 + 5] + p[block + 7 * 32 + j]
        });
        assert!(c.download()? == wanted.collect::<Vec<i32>>());
        Ok(())
    });
}
