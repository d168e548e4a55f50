//! Views of leading axes: parts of tensors that begin anywhere among the pages of a buffer.

mod support;

use support::on_both_chips;
use tt::ErrorKind;
use tt::prelude::*;

/// Whole tiles of one, rows that fit no tile of another.
#[tt::kernel]
fn sum<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<f32, M, N>, c: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(40));
    let v = T.alloc_shared::<bf16>(40, 64);
    let w = T.alloc_shared::<f32>(40, 64);
    T.copy(a[(by * 40, bx * 64)], v);
    T.copy(b[(by * 40, bx * 64)], w);
    for (i, j) in T.Parallel(40, 64) {
        w[(i, j)] += v[(i, j)];
    }
    T.copy(w, c[(by * 40, bx * 64)]);
}

/// Shared operands, over all cores.
#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let a_block = T.alloc_shared::<bf16>(64, 32);
    let b_block = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 64, k * 32)], a_block);
        T.copy(b[(k * 32, bx * 64)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}

/// Rows by an index list, in place of a view in L1.
#[tt::kernel]
fn gather<const R: usize, const N: usize, const S: usize>(
    rows: &Tensor<i32, S>,
    table: &Tensor<f32, R, N>,
    #[layout(l1)] out: &mut Tensor<f32, S, N>,
) {
    let s = T.Kernel(S);
    let row = T.alloc_shared::<f32>(1, 64);
    T.copy(table[(rows[s], 0)], row);
    T.copy(row, out[(s, 0)]);
}

#[tt::kernel]
fn double<const N: usize>(x: &mut Tensor<i32, 3, N>) {
    let bx = T.Kernel(N.div_ceil(32));
    let v = T.alloc_shared::<i32>(3, 32);
    T.copy(x[(0, bx * 32)], v);
    for (i, j) in T.Parallel(3, 32) {
        v[(i, j)] = v[(i, j)] + v[(i, j)];
    }
    T.copy(v, x[(0, bx * 32)]);
}

fn whole(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|x| ((x * seed + 3) % 31) as f32).collect()
}

#[test]
fn kernels_take_what_a_tensor_holds_at_an_index() {
    on_both_chips(|device| {
        for [m, n] in [[70, 100], [32, 33], [1, 1]] {
            let (x, y) = (whole(5 * m * n, 5), whole(3 * 4 * m * n, 7));
            let a = device.upload_f32::<bf16>(&x, [5, m, n])?;
            let b = device.upload(&y, [3, 4, m, n])?;
            let c = device.zeros::<f32>([7, m, n])?;
            let mut wanted = vec![0.0; 7 * m * n];
            for (of_a, of_b, of_c) in [(4, [2, 1], 0), (0, [0, 3], 6), (3, [1, 2], 2), (1, [2, 3], 5)] {
                sum(&a.view(of_a)?, &b.view(of_b[0])?.view(of_b[1])?, &mut c.view(of_c)?).run()?;
                let (a, b) = (&x[of_a * m * n..], &y[(of_b[0] * 4 + of_b[1]) * m * n..]);
                let sums = a.iter().zip(b).map(|(a, b)| a + b);
                wanted[of_c * m * n..][..m * n]
                    .iter_mut()
                    .zip(sums)
                    .for_each(|(to, sum)| *to = sum);
            }
            assert!(c.download()? == wanted);
            assert!(c.view(2)?.download()? == wanted[2 * m * n..3 * m * n]);
            let reference = sum(&a.view(4)?, &b.view(2)?.view(1)?, &mut c.view(3)?).reference()?;
            assert!(reference.get("c").expect("an output") == &wanted[..m * n]);
            assert!(c.download()? == wanted);
        }
        Ok(())
    });
}

#[test]
fn views_of_one_tensor_are_operand_and_result() {
    on_both_chips(|device| {
        let (m, k, n) = (150, 100, 150);
        let (x, y) = (whole(3 * m * k, 3), whole(2 * k * n, 4));
        let a = device.upload_f32::<bf16>(&x, [3, m, k])?;
        let b = device.upload_f32::<bf16>(&y, [2, k, n])?;
        let c = device.zeros::<f32>([4, m, n])?;
        let (low, high) = (c.slice(0..1)?, c.slice(1..4)?);
        matmul(&a.view(2)?, &b.view(1)?, &mut high.view(1)?).run()?;
        matmul(&a.view(1)?, &b.view(0)?, &mut low.view(0)?).enqueue()?;
        let as_bf16 = device.upload_f32::<bf16>(&whole(m * n, 9), [1, m, n])?;
        sum(&as_bf16.view(0)?, &high.view(1)?, &mut high.view(2)?).run()?;
        high.view(0)?.write(&whole(m * n, 2))?;
        let product = |a: &[f32], b: &[f32]| {
            let at = |row: usize, column: usize| (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum::<f32>();
            (0..m * n).map(|at_| at(at_ / n, at_ % n)).collect::<Vec<f32>>()
        };
        let second = product(&x[2 * m * k..], &y[k * n..]);
        let sums = second.iter().zip(whole(m * n, 9)).map(|(a, b)| a + b).collect();
        let wanted = [product(&x[m * k..], &y), whole(m * n, 2), second, sums].concat();
        assert!(c.download()? == wanted);
        Ok(())
    });
}

#[test]
fn slices_have_the_rows_of_their_tiles_and_views_of_l1_too() {
    on_both_chips(|device| {
        let table = device.upload(&whole(200 * 64, 7), [200, 64])?;
        let rows = device.upload(&[5, 0, 39, 17], [4])?;
        let out = device.zeros_in::<f32>(&Layout::l1(), [6, 4, 64])?;
        gather(&rows, &table.slice(160..200)?, &mut out.view(5)?).run()?;
        let wanted = [165, 160, 199, 177].map(|row| whole(200 * 64, 7)[row * 64..][..64].to_vec());
        assert!(out.view(5)?.download()? == wanted.concat());
        assert!(out.slice(0..5)?.download()?.iter().all(|x| *x == 0.0));
        let numbers: Vec<i32> = (0..300).collect();
        let x = device.upload(&numbers, [3, 100])?;
        double(&mut x.slice(0..3)?).run()?;
        let stack = device.upload(&numbers, [5, 3, 20])?;
        double(&mut stack.slice(1..4)?.view(1)?).run()?;
        assert!(x.download()?.iter().zip(&numbers).all(|(x, number)| *x == 2 * number));
        let doubled = |at: usize| if (120..180).contains(&at) { 2 } else { 1 };
        assert!(
            stack
                .download()?
                .iter()
                .enumerate()
                .all(|(at, x)| *x == numbers[at] * doubled(at))
        );
        let line = device.upload(&numbers, [300])?;
        assert_eq!(line.slice(64..300)?.download()?, numbers[64..]);
        Ok(())
    });
}

#[test]
fn what_no_view_has_is_refused() {
    on_both_chips(|device| {
        let a = device.zeros::<f32>([3, 70, 64])?;
        let refused = |error: Result<()>, says: &str| {
            let error = error.expect_err(says);
            assert!(
                error.kind() == ErrorKind::Shape && error.to_string().contains(says),
                "{error}"
            );
        };
        refused(
            a.view(3).map(drop),
            "has no view of 3..4 along its first axis: that is not within 0..3",
        );
        refused(a.view(usize::MAX).map(drop), "not within 0..3");
        refused(a.slice(2..2).map(drop), "or empty");
        let (start, end) = (2, 1);
        refused(a.slice(start..end).map(drop), "or empty");
        refused(a.view(0)?.slice(16..70).map(drop), "its tiles begin at multiples of 32");
        refused(a.view(0)?.slice(0..33).map(drop), "its tiles begin at multiples of 32");
        assert_eq!(a.view(0)?.slice(32..70)?.shape(), [38, 64]);
        refused(a.view(1)?.write(&[0.0; 3]), "3 elements");
        let (x, b) = (device.zeros::<bf16>([70, 64])?, a.slice(1..3)?);
        let error = sum(&x, &b.view(0)?, &mut a.view(1)?)
            .run()
            .expect_err("the same matrix");
        assert!(
            error
                .to_string()
                .contains("`b` and `c` share memory, and kernel `sum` stores"),
            "{error}"
        );
        sum(&x, &b.view(1)?, &mut a.view(1)?).run()?;
        let cut = device.zeros_in::<f32>(&Layout::l1().height_sharded(3)?, [3, 64, 64])?;
        refused(cut.view(0).map(drop), "only tensors without shards have views");
        Ok(())
    });
}
