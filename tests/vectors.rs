//! Vectors have no orientation: they repeat along columns and along rows, and go to and from either axis of a tensor.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Numbers that have all 24 bits of an `f32`, so that what is rounded on the way is seen.
fn values(count: usize) -> Vec<f32> {
    (0..count as u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0 - 0.5)
        .collect()
}

#[tt::kernel]
fn distances<const N: usize>(x: &Tensor<f32, N>, d: &mut Tensor<f32, N, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), N.div_ceil(64));
    let rows = T.alloc_shared::<f32>(64);
    let columns = T.alloc_shared::<f32>(64);
    let out = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[by * 64], rows);
    T.copy(x[bx * 64], columns);
    for (i, j) in T.Parallel(64, 64) {
        out[(i, j)] = rows[i] - columns[j];
    }
    T.copy(out, d[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn own_distances(x: &Tensor<f32, 40>, d: &mut Tensor<f32, 40, 40>, sums: &mut Tensor<f32, 40, 1>) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<f32>(64);
    let out = T.alloc_fragment::<f32>(64, 64);
    let sum = T.alloc_fragment::<f32>(64);
    T.copy(x[0], v);
    for (i, j) in T.Parallel(64, 64) {
        out[(i, j)] = v[j] - v[i];
    }
    T.copy(out, d[(0, 0)]);
    for (i, j) in T.Parallel(64, 64) {
        out[(i, j)] = v[j] + v[i] * 0.0;
    }
    T.reduce_sum(out, sum, dim = 1);
    T.copy(sum, sums[(0, 0)]);
}

#[test]
fn a_value_per_row_meets_one_per_column() {
    for n in [1, 31, 64, 100] {
        let host = values(n);
        on_both_chips(|device| {
            let x = device.upload(&host, [n])?;
            let mut d = device.zeros::<f32>([n, n])?;
            distances(&x, &mut d).run()?;
            let expected: Vec<f32> = (0..n * n).map(|at| host[at / n] - host[at % n]).collect();
            assert_eq!(d.download()?, expected, "{n}");
            Ok(())
        });
    }
    let host = values(40);
    on_both_chips(|device| {
        let x = device.upload(&host, [40])?;
        let (mut d, mut sums) = (device.zeros::<f32>([40, 40])?, device.zeros::<f32>([40, 1])?);
        own_distances(&x, &mut d, &mut sums).run()?;
        let expected: Vec<f32> = (0..1600).map(|at| host[at % 40] - host[at / 40]).collect();
        assert_eq!(d.download()?, expected);
        let total: f64 = host.iter().map(|x| f64::from(*x)).sum();
        let sums: Vec<f32> = sums.download()?;
        assert!(
            sums.iter().all(|sum| (f64::from(*sum) - total).abs() < 1e-4),
            "{sums:?}, not {total}"
        );
        Ok(())
    });
}

#[tt::kernel]
fn extremes<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    largest: &mut Tensor<f32, M>,
    smallest: &mut Tensor<f32, N, 1>,
    place: &mut Tensor<i32, M>,
) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<f32>(64, 96);
    let most = T.alloc_fragment::<f32>(64);
    let least = T.alloc_fragment::<f32>(96);
    let at = T.alloc_fragment::<i32>(64);
    let both = T.alloc_fragment::<f32>(64);
    T.copy(x[(0, 0)], v);
    T.reduce_argmax(v, most, at, dim = 1);
    T.reduce_min(v, least, dim = 0);
    for i in T.Parallel(64) {
        both[i] = most[i] * 1.0;
    }
    T.copy(both, largest[0]);
    T.copy(least, smallest[(0, 0)]);
    T.copy(at, place[0]);
}

#[test]
fn what_a_reduction_leaves_goes_along_either_axis_exactly() {
    for (m, n) in [(64, 96), (33, 65), (1, 2)] {
        let host = values(m * n);
        let row = |i: usize| host[i * n..(i + 1) * n].iter().copied();
        let most: Vec<f32> = (0..m).map(|i| row(i).fold(f32::NEG_INFINITY, f32::max)).collect();
        let place: Vec<i32> = (0..m)
            .map(|i| row(i).position(|x| x == most[i]).unwrap() as i32)
            .collect();
        let least: Vec<f32> = (0..n)
            .map(|j| (0..m).map(|i| host[i * n + j]).fold(f32::INFINITY, f32::min))
            .collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let (mut largest, mut smallest) = (device.zeros::<f32>([m])?, device.zeros::<f32>([n, 1])?);
            let mut places = device.zeros::<i32>([m])?;
            extremes(&x, &mut largest, &mut smallest, &mut places).run()?;
            assert_eq!(largest.download()?, most, "{m} x {n}");
            assert_eq!(smallest.download()?, least, "{m} x {n}");
            assert_eq!(places.download()?, place, "{m} x {n}");
            Ok(())
        });
    }
}

#[tt::kernel]
fn turned<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, N, M>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 32);
    let w = T.alloc_shared::<f32>(32, 64);
    T.copy(x[(by * 64, bx * 32)], v);
    T.transpose(v, w);
    T.copy(w, y[(bx * 32, by * 64)]);
}

#[test]
fn a_transpose_of_numbers_of_32_bits_loses_none_of_them() {
    for (m, n) in [(64, 32), (70, 33)] {
        let host = values(m * n);
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([n, m])?;
            turned(&x, &mut y).run()?;
            let expected: Vec<f32> = (0..m * n).map(|at| host[at % m * n + at / m]).collect();
            assert_eq!(y.download()?, expected, "{m} x {n}");
            Ok(())
        });
    }
}

/// A block of one column, and one of one row, to and from elements that lie the other way.
#[tt::kernel]
fn columns_and_rows(
    v: &Tensor<f32, 70>,
    x: &Tensor<f32, 6, 48>,
    copied: &mut Tensor<f32, 70>,
    moved: &mut Tensor<f32, 70>,
    column: &mut Tensor<f32, 48, 6, 6>,
    row: &mut Tensor<f32, 70, 1>,
    sums: &mut Tensor<f32, 48>,
) {
    let b = T.Kernel(1);
    let long = T.alloc_shared::<f32>(70, 1);
    let short = T.alloc_shared::<f32>(48, 1);
    let along = T.alloc_shared::<f32>(1, 70);
    let all = T.alloc_shared::<f32>(48, 70);
    let sum = T.alloc_fragment::<f32>(48, 1);
    T.copy(v[b], long);
    T.copy(long, copied[0..70]);
    for (i, j) in T.Parallel(48, 70) {
        all[(i, j)] = long[(i, 0)];
    }
    T.reduce_max(all, sum, dim = 1);
    T.copy(sum, sums[0]);
    T.copy(v[1..71], long);
    T.copy(long, moved[0]);
    T.copy(x[(4, 0..48)], short);
    T.copy(short, column[(0..48, 5, 5)]);
    T.copy(v[0], along);
    T.copy(along, row[(0..70, 0)]);
}

#[test]
fn blocks_of_one_column_and_of_one_row_are_copied_along_any_axis() {
    let (host, matrix) = (values(70), values(6 * 48));
    on_both_chips(|device| {
        let (v, x) = (device.upload(&host, [70])?, device.upload(&matrix, [6, 48])?);
        let [mut copied, mut moved] = [device.upload(&[9.0; 70], [70])?, device.upload(&[9.0; 70], [70])?];
        let mut column = device.zeros::<f32>([48, 6, 6])?;
        let (mut row, mut sums) = (device.zeros::<f32>([70, 1])?, device.zeros::<f32>([48])?);
        columns_and_rows(&v, &x, &mut copied, &mut moved, &mut column, &mut row, &mut sums).run()?;
        assert_eq!(copied.download()?, host);
        // What the tensor has not is not stored.
        assert_eq!(moved.download()?, [&host[1..], &[9.0]].concat());
        assert_eq!(row.download()?, host);
        assert_eq!(sums.download()?, host[..48]);
        let expected: Vec<f32> = (0..48 * 36)
            .map(|at| if at % 36 == 35 { matrix[4 * 48 + at / 36] } else { 0.0 })
            .collect();
        assert_eq!(column.download()?, expected);
        Ok(())
    });
}
