//! Kernels at the edges of what is allowed, on both emulated chips: odd names, and regions that begin before their tensor.

#![allow(
    non_snake_case,
    non_upper_case_globals,
    uncommon_codepoints,
    mixed_script_confusables,
    reason = "odd names are what is tested"
)]

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, exact in every format.
fn values(count: usize) -> Vec<bf16> {
    (0..count)
        .map(|at| bf16::from_f64((at * 7 % 31) as f64 - 15.0))
        .collect()
}

#[tt::kernel]
fn r#match<const r#type: usize, const TTI_NOP: usize>(
    x_: &Tensor<bf16, r#type, TTI_NOP>,
    вход: &Tensor<bf16, r#type, TTI_NOP>,
    wait_front: &Tensor<bf16, r#type, TTI_NOP>,
    class: &mut Tensor<f32, r#type, TTI_NOP>,
    cb_wait_front: f32,
    get_arg_val: i32,
    x_page_bytes: f32,
) {
    let (row, block_id) = T.Kernel(TTI_NOP.div_ceil(32), r#type.div_ceil(32));
    let template = T.alloc_shared::<bf16>(32, 32);
    let x__ = T.alloc_shared::<bf16>(32, 32);
    let __x = T.alloc_shared::<bf16>(32, 32);
    let 変 = T.alloc_fragment::<f32>(32, 32);
    T.clear(変);
    for _ in 0..2 {
        for _ in 0..get_arg_val {
            T.copy(x_[(block_id * 32, row * 32)], template);
            T.copy(вход[(block_id * 32, row * 32)], x__);
            T.copy(wait_front[(block_id * 32, row * 32)], __x);
            for (first_row, noc_async_read_page) in T.Parallel(32, 32) {
                変[(first_row, noc_async_read_page)] += template[(first_row, noc_async_read_page)] * cb_wait_front
                    + x__[(first_row, noc_async_read_page)] * x_page_bytes
                    + __x[(first_row, noc_async_read_page)];
            }
        }
    }
    T.copy(変, class[(block_id * 32, row * 32)]);
}

#[test]
fn names_of_cpp_and_of_the_headers_are_names_like_others() {
    let (m, n) = (40, 70);
    on_both_chips(|device| {
        let x = values(m * n);
        let a = device.upload(&x, [m, n])?;
        let mut c = device.zeros::<f32>([m, n])?;
        r#match(&a, &a, &a, &mut c, 2.0, 3, 0.5).run()?;
        let expected: Vec<f32> = x.iter().map(|x| x.to_f64() as f32 * 3.5 * 6.0).collect();
        assert_eq!(c.download()?, expected);
        Ok(())
    });
}

#[tt::kernel]
fn before<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>, up: i32) {
    let (bx, by) = T.Kernel(N.div_ceil(32) + 1, M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    let sum = T.alloc_fragment::<f32>(32, 32);
    T.clear(sum);
    for k in -2..up {
        T.copy(x[((by + k) * 32, bx * 32 - 32)], v);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += v[(i, j)];
        }
    }
    for k in -1..0 {
        T.copy(x[(k * 32, 0)], v);
        for (i, j) in T.Parallel(32, 32) {
            sum[(i, j)] += v[(i, j)];
        }
    }
    T.copy(sum, y[(by * 32, bx * 32 - 32)]);
}

#[test]
fn what_lies_before_a_tensor_is_zero_and_takes_nothing() {
    for (m, n) in [(32, 32), (70, 100)] {
        on_both_chips(|device| {
            let x = values(m * n);
            let a = device.upload(&x, [m, n])?;
            let at = |row: i64, column: usize| match usize::try_from(row) {
                Ok(row) if row < m => x[row * n + column].to_f64() as f32,
                _ => 0.0,
            };
            let expected: Vec<f32> = (0..m * n)
                .map(|place| (-2..2).map(|k| at((place / n) as i64 + k * 32, place % n)).sum())
                .collect();
            let mut y = device.zeros::<f32>([m, n])?;
            before(&a, &mut y, 2).run()?;
            assert_eq!(y.download()?, expected, "{m} x {n}");
            let reference = before(&a, &mut y, 2).reference()?;
            assert_eq!(reference["y"], expected[..], "{m} x {n}");
            Ok(())
        });
    }
}

#[tt::kernel]
fn shifted<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(64, 64);
    let z = T.alloc_shared::<bf16>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        z[(i, j)] = v[(i + 32, j + 32)] + 1.0;
    }
    T.copy(z, y[(by * 32, bx * 32)]);
}

#[tt::kernel]
fn enlarged<const M: usize, const N: usize, const P: usize, const Q: usize>(
    x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, P, Q>,
) {
    let (bx, by) = T.Kernel(Q.div_ceil(64), P.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    T.copy(v, y[(by * 32, bx * 64)]);
}

#[tt::kernel]
fn mirrored<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    let z = T.alloc_shared::<bf16>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        z[(i, j)] = v[(j, i)] + 2.0;
    }
    T.copy(z, y[(by * 32, bx * 32)]);
}

/// `value` of what a tensor holds at `(row, column)`; where it has nothing there, what was in the other before.
fn read(x: &[bf16], [m, n]: [usize; 2], [row, column]: [usize; 2], value: impl Fn(f64) -> f64) -> f64 {
    if row < m && column < n {
        value(x[row * n + column].to_f64())
    } else {
        BEFORE
    }
}

const BEFORE: f64 = 77.0;

/// `value` of every row and column.
fn matrix([m, n]: [usize; 2], value: impl Fn(usize, usize) -> f64) -> Vec<bf16> {
    (0..m * n).map(|at| bf16::from_f64(value(at / n, at % n))).collect()
}

#[test]
fn what_lies_past_another_edge_is_not_stored() {
    for shape in [[40, 70], [33, 97], [64, 64], [100, 31]] {
        on_both_chips(|device| {
            let x = values(shape[0] * shape[1]);
            let a = device.upload(&x, shape)?;
            let before = |shape| device.upload(&matrix(shape, |_, _| BEFORE), shape);
            let mut y = before(shape)?;
            shifted(&a, &mut y).run()?;
            let expected = matrix(shape, |r, c| read(&x, shape, [r + 32, c + 32], |x| x + 1.0));
            assert_eq!(y.download()?, expected, "shifted {shape:?}");
            let mut y = before(shape)?;
            mirrored(&a, &mut y).run()?;
            let expected = matrix(shape, |r, c| {
                let from = [r / 32 * 32 + c % 32, c / 32 * 32 + r % 32];
                read(&x, shape, from, |x| x + 2.0)
            });
            assert_eq!(y.download()?, expected, "mirrored {shape:?}");
            for larger in [[shape[0] + 1, shape[1]], [shape[0], shape[1] + 40], [130, 130]] {
                let mut y = before(larger)?;
                enlarged(&a, &mut y).run()?;
                let expected = matrix(larger, |r, c| read(&x, shape, [r, c], |x| x));
                assert_eq!(y.download()?, expected, "{shape:?} in {larger:?}");
            }
            Ok(())
        });
    }
}

#[tt::kernel]
fn of_six_axes<const M: usize, const N: usize>(
    x: &Tensor<bf16, 2, 3, 2, 4, M, N>,
    y: &mut Tensor<bf16, 3, 2, 4, 2, M, N>,
) {
    let (n, m, d, c, b, a) = T.Kernel(N.div_ceil(32), M.div_ceil(32), 4, 2, 3, 2);
    for (i, j) in T.Parallel(32, 32) {
        y[(b, a, d, c, m * 32 + i, n * 32 + j)] = x[(a, b, c, d, m * 32 + i, n * 32 + j)] + 1.0;
    }
}

#[test]
fn a_grid_has_up_to_six_axes() {
    let [a, b, c, d, m, n] = [2, 3, 2, 4, 33, 40];
    on_both_chips(|device| {
        let values: Vec<bf16> = (0..a * b * c * d * m * n)
            .map(|at| bf16::from_f64((at % 251) as f64))
            .collect();
        let x = device.upload(&values, [a, b, c, d, m, n])?;
        let mut y = device.zeros::<bf16>([b, a, d, c, m, n])?;
        of_six_axes(&x, &mut y).run()?;
        let got = y.download()?;
        for (at, got) in got.iter().enumerate() {
            let (place, matrix) = (at % (m * n), at / (m * n));
            let (ci, di, ai, bi) = (matrix % c, matrix / c % d, matrix / c / d % a, matrix / c / d / a);
            let from = ((ai * b + bi) * c + ci) * d + di;
            assert_eq!(
                got.to_f64(),
                ((from * m * n + place) % 251) as f64 + 1.0,
                "element {at}"
            );
        }
        Ok(())
    });
}

/// Computed operands of which all lies past an edge: by a leading index, by a row or column that stands for all.
mod whole {
    use tt::prelude::*;

    #[tt::kernel]
    pub fn plane(a: &Tensor<bf16, 1, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 2, 32, 32>) {
        let z = T.Kernel(2);
        let x = T.alloc_shared::<bf16>(32, 32);
        let y = T.alloc_shared::<bf16>(32, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(a[(z, 0, 0)], x);
        T.copy(b[(0, 0)], y);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(i, j)] + 1.0;
        }
        T.clear(acc);
        T.gemm(x, y, acc);
        T.copy(acc, c[(z, 0, 0)]);
    }

    #[tt::kernel]
    pub fn repeated_before(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 64, 32>) {
        let by = T.Kernel(2);
        let x = T.alloc_shared::<bf16>(32, 32);
        let y = T.alloc_shared::<bf16>(32, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(a[(by * 32, 0)], x);
        T.copy(b[(0, 0)], y);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(0, j)] + 1.0;
        }
        T.clear(acc);
        T.gemm(x, y, acc);
        T.copy(acc, c[(by * 32, 0)]);
    }

    #[tt::kernel]
    pub fn repeated_after(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 64, 32>) {
        let by = T.Kernel(2);
        let x = T.alloc_shared::<bf16>(32, 32);
        let y = T.alloc_shared::<bf16>(32, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.copy(a[(by * 32, 0)], x);
        T.copy(b[(0, 0)], y);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(i, j)] + 1.0;
        }
        T.clear(acc);
        T.gemm(x, y, acc);
        for (i, j) in T.Parallel(32, 32) {
            c[(by * 32 + i, j)] = acc[(0, j)];
        }
    }

    #[tt::kernel]
    pub fn inner(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 64, 32>, c: &mut Tensor<f32, 32, 32>) {
        let _g = T.Kernel(1);
        let x = T.alloc_shared::<bf16>(32, 32);
        let y = T.alloc_shared::<bf16>(32, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.clear(acc);
        for k in 0..2 {
            T.copy(a[(0, k * 32)], x);
            T.copy(b[(k * 32, 0)], y);
            for (i, j) in T.Parallel(32, 32) {
                x[(i, j)] = x[(i, 0)] + 1.0;
            }
            T.gemm(x, y, acc);
        }
        T.copy(acc, c[(0, 0)]);
    }
}

#[test]
fn what_lies_past_an_edge_as_a_whole_is_not_summed() {
    let [a, b] = [values(32 * 32), values(64 * 32)];
    let at = |i: usize, k: usize| a[i * 32 + k].to_f64();
    // What a block of all of `a`, prepared by `of`, gives with `b`; the block past the edge leaves the sums at 0.
    let sums = |blocks: usize, of: &dyn Fn(usize, usize) -> f64| -> Vec<f32> {
        let inside = (0..32 * 32).map(|e| {
            (0..32)
                .map(|k| of(e / 32, k) * b[k * 32 + e % 32].to_f64())
                .sum::<f64>() as f32
        });
        inside.chain((0..(blocks - 1) * 32 * 32).map(|_| 0.0)).collect()
    };
    on_both_chips(|device| {
        let plane = device.upload(&a, [1, 32, 32])?;
        let matrix = device.upload(&a, [32, 32])?;
        let right = device.upload(&b[..32 * 32], [32, 32])?;
        let longer = device.upload(&b, [64, 32])?;
        let mut planes = device.zeros::<f32>([2, 32, 32])?;
        whole::plane(&plane, &right, &mut planes).run()?;
        assert_eq!(planes.download()?, sums(2, &|i, k| at(i, k) + 1.0));
        let mut rows = device.zeros::<f32>([64, 32])?;
        whole::repeated_before(&matrix, &right, &mut rows).run()?;
        assert_eq!(rows.download()?, sums(2, &|_, k| at(0, k) + 1.0));
        whole::repeated_after(&matrix, &right, &mut rows).run()?;
        assert_eq!(rows.download()?, sums(2, &|_, k| at(0, k) + 1.0));
        let mut one = device.zeros::<f32>([32, 32])?;
        whole::inner(&matrix, &longer, &mut one).run()?;
        assert_eq!(one.download()?, sums(1, &|i, _| at(i, 0) + 1.0));
        Ok(())
    });
}
