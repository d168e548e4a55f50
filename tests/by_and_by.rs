//! Blocks that are written element by element, part by part and branch by branch, and read once all that is read was written.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [[usize; 2]; 3] = [[64, 64], [130, 97], [5, 33]];

fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

/// Sums down columns, a row after the other, and sixteen columns at a time.
#[tt::kernel]
fn sums_so_far<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    y: &mut Tensor<f32, M, N>,
    z: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 64);
    let s = T.alloc_fragment::<f32>(32, 64);
    let w = T.alloc_shared::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for j in T.Parallel(64) {
        s[(0, j)] = v[(0, j)];
    }
    for i in 1..32 {
        for j in T.Parallel(64) {
            s[(i, j)] = s[(i - 1, j)] + v[(i, j)];
        }
    }
    for k in (0..4).rev() {
        for (i, j) in T.Parallel(32, 16) {
            w[(i, 16 * k + j)] = v[(i, 16 * k + j)] * 2.0;
        }
    }
    T.copy(s, y[(by * 32, bx * 64)]);
    T.copy(w, z[(by * 32, bx * 64)]);
}

#[test]
fn rows_and_columns_are_written_one_after_the_other() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            let mut z = device.zeros::<f32>([m, n])?;
            sums_so_far(&x, &mut y, &mut z).run()?;
            let (y, z) = (y.download()?, z.download()?);
            for (at, value) in host.iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let sum: f32 = (i / 32 * 32..=i).map(|i| host[i * n + j]).sum();
                assert_eq!((y[at], z[at]), (sum, value * 2.0), "{m}x{n}: ({i}, {j})");
            }
            Ok(())
        });
    }
}

/// A stack whose blocks are loaded one turn ahead, whose turn the launch counts; and which of two blocks is read a scalar says.
#[tt::kernel]
fn ahead<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, n: i32, y: &mut Tensor<f32, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let ring = T.alloc_shared::<bf16>(2, 32, 32);
    let a = T.alloc_fragment::<f32>(32);
    let b = T.alloc_fragment::<f32>(32);
    if n > 1 {
        T.fill(a, 3.0);
    } else {
        T.fill(b, 5.0);
    }
    T.copy(x[(by * 32, 0)], ring[(0, 0..32, 0..32)]);
    for k in 0..N.div_ceil(32) {
        T.copy(x[(by * 32, k * 32 + 32)], ring[((k + 1) % 2, 0..32, 0..32)]);
        if n > 1 {
            for (i, j) in T.Parallel(32, 32) {
                y[(by * 32 + i, k * 32 + j)] = ring[(k % 2, i, j)] + a[i];
            }
        } else {
            for (i, j) in T.Parallel(32, 32) {
                y[(by * 32 + i, k * 32 + j)] = ring[(k % 2, i, j)] + b[j];
            }
        }
    }
}

#[test]
fn what_one_turn_writes_the_next_one_reads() {
    for [m, n] in SHAPES {
        let host: Vec<bf16> = (0..m * n).map(|at| bf16::from_f32(number(at))).collect();
        for (scalar, added) in [(2, 3.0), (1, 5.0)] {
            on_both_chips(|device| {
                let x = device.upload(&host, [m, n])?;
                let mut y = device.zeros::<f32>([m, n])?;
                ahead(&x, scalar, &mut y).run()?;
                for (at, found) in y.download()?.iter().enumerate() {
                    assert_eq!(*found, number(at) + added, "{m}x{n}: {at}");
                }
                Ok(())
            });
        }
    }
}

/// A vector of which one half is taken from a row and the other from a column.
#[tt::kernel]
fn halves_of_two<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let a = T.alloc_shared::<f32>(64, 64);
    let v = T.alloc_fragment::<f32>(64);
    T.copy(x[(by * 64, bx * 64)], a);
    for i in T.Parallel(32) {
        v[i] = a[(3, i)];
    }
    for i in T.Parallel(32) {
        v[i + 32] = a[(i, 3)];
    }
    for (i, j) in T.Parallel(64, 64) {
        y[(by * 64 + i, bx * 64 + j)] = v[i] + v[j];
    }
}

#[test]
fn halves_of_a_vector_come_from_a_row_and_a_column() {
    let [m, n] = [128, 64];
    let host: Vec<f32> = (0..m * n).map(number).collect();
    on_both_chips(|device| {
        let x = device.upload(&host, [m, n])?;
        let mut y = device.zeros::<f32>([m, n])?;
        halves_of_two(&x, &mut y).run()?;
        for (at, found) in y.download()?.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            let block = &host[i / 64 * 64 * n..];
            let v = |k: usize| {
                if k < 32 {
                    block[3 * n + k]
                } else {
                    block[(k - 32) * n + 3]
                }
            };
            assert_eq!(*found, v(i % 64) + v(j), "({i}, {j})");
        }
        Ok(())
    });
}
