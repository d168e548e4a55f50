//! Loads and stores of one tensor within a block: they take place in the order of the source.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [[usize; 2]; 4] = [[64, 64], [130, 97], [31, 33], [256, 192]];

fn number(at: usize) -> f32 {
    (at * 7 % 31) as f32 - 15.0
}

/// What is stored over what was read was made before it was read.
#[tt::kernel]
fn overwrites<const M: usize, const N: usize>(x: &mut Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let w = T.alloc_shared::<f32>(64, 64);
    T.fill(v, 1.0);
    T.copy(x[(by * 64, bx * 64)], w);
    T.copy(v, x[(by * 64, bx * 64)]);
    T.copy(w, y[(by * 64, bx * 64)]);
}

#[test]
fn a_store_waits_for_the_read_before_it() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        on_both_chips(|device| {
            let mut x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            overwrites(&mut x, &mut y).check(0.0)?;
            assert_eq!(x.download()?, vec![1.0; m * n]);
            assert_eq!(y.download()?, host);
            Ok(())
        });
    }
}

/// Blocks that were stored are read again: moved by whole tiles, and by rows and elements of other places.
#[tt::kernel]
fn reads_again<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    n: i32,
    y: &mut Tensor<f32, M, N>,
    z: &mut Tensor<f32, M, N>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 32);
    let w = T.alloc_shared::<f32>(64, 32);
    for k in T.Pipelined(N.div_ceil(32), num_stages = 2) {
        T.copy(x[(by * 64, k * 32)], v);
        if k % 2 == n {
            for (i, j) in T.Parallel(64, 32) {
                v[(i, j)] *= 2.0;
            }
        }
        T.copy(v, y[(by * 64, k * 32)]);
        T.copy(y[(by * 64, k * 32 - 1)], w);
        for (i, j) in T.Parallel(64, 32) {
            w[(i, j)] += y[(by * 64 + i, k * 32 + j)];
        }
        T.copy(w, z[(by * 64, k * 32)]);
    }
}

#[test]
fn a_read_waits_for_the_store_before_it() {
    for [m, n] in SHAPES {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let stored = |i: usize, j: usize| host[i * n + j] * if j / 32 % 2 == 1 { 2.0 } else { 1.0 };
        let before = |i: usize, j: usize| {
            if j > 0 { stored(i, j - 1) + stored(i, j) } else { -99.0 }
        };
        let all = |of: &dyn Fn(usize, usize) -> f32| (0..m * n).map(|at| of(at / n, at % n)).collect::<Vec<_>>();
        on_both_chips(|device| {
            let x = device.upload(&host, [m, n])?;
            let mut y = device.zeros::<f32>([m, n])?;
            let mut z = device.upload(&vec![-99.0; m * n], [m, n])?;
            reads_again(&x, 1, &mut y, &mut z).check(0.0)?;
            assert_eq!(y.download()?, all(&stored));
            assert_eq!(z.download()?, all(&before));
            Ok(())
        });
    }
}

/// A time loop in one block: every step reads what the step before stored, at the place and beside it.
#[tt::kernel]
fn heat<const M: usize, const N: usize>(steps: i32, u: &mut Tensor<f32, M, N>, v: &mut Tensor<f32, M, N>) {
    let _b = T.Kernel(1);
    for _t in 0..steps {
        for by in 0..M.div_ceil(32) {
            for bx in 0..N.div_ceil(32) {
                for (i, j) in T.Parallel(32, 32) {
                    v[(by * 32 + i, bx * 32 + j)] = u[(by * 32 + i, bx * 32 + j)] * 0.5
                        + (if by * 32 + i > 0 {
                            u[(by * 32 + i - 1, bx * 32 + j)]
                        } else {
                            0.0
                        } + if bx * 32 + j > 0 {
                            u[(by * 32 + i, bx * 32 + j - 1)]
                        } else {
                            0.0
                        }) * 0.25;
                }
            }
        }
        for by in 0..M.div_ceil(32) {
            for bx in 0..N.div_ceil(32) {
                for (i, j) in T.Parallel(32, 32) {
                    u[(by * 32 + i, bx * 32 + j)] = v[(by * 32 + i, bx * 32 + j)];
                }
            }
        }
    }
}

#[test]
fn steps_see_the_step_before() {
    for [m, n] in [[64, 64], [33, 50]] {
        let host: Vec<f32> = (0..m * n).map(number).collect();
        let mut expected = host.clone();
        for _ in 0..5 {
            let before = expected.clone();
            for i in 0..m {
                for j in 0..n {
                    let up = if i > 0 { before[(i - 1) * n + j] } else { 0.0 };
                    let left = if j > 0 { before[i * n + j - 1] } else { 0.0 };
                    expected[i * n + j] = before[i * n + j] * 0.5 + (up + left) * 0.25;
                }
            }
        }
        on_both_chips(|device| {
            let mut u = device.upload(&host, [m, n])?;
            let mut v = device.zeros::<f32>([m, n])?;
            heat(5, &mut u, &mut v).check(1e-6)?;
            let found = u.download()?;
            let worst = found
                .iter()
                .zip(&expected)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(worst < 1e-5, "{worst}");
            Ok(())
        });
    }
}

/// A product whose operand was stored in the round before, and vectors through a tensor.
#[tt::kernel]
fn powers<const N: usize>(a: &Tensor<bf16, N, N>, rounds: i32, p: &mut Tensor<bf16, N, N>, s: &mut Tensor<f32, N>) {
    let by = T.Kernel(N.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let b = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let sums = T.alloc_fragment::<f32>(32);
    T.copy(a[(0, 0)], b);
    for _r in 0..rounds {
        T.clear(acc);
        T.copy(p[(by * 32, 0)], x);
        T.gemm(x, b, acc);
        T.copy(acc, p[(by * 32, 0)]);
        T.copy(p[(by * 32, 0)], x);
        T.copy(s[by * 32], sums);
        T.reduce_sum(x, sums, dim = 1, clear = false);
        T.copy(sums, s[by * 32]);
    }
}

#[test]
fn products_and_vectors_wait_too() {
    let n = 32;
    let a: Vec<bf16> = (0..n * n)
        .map(|at| bf16::from_f32(((at / n + 1) % n == at % n) as u8 as f32))
        .collect();
    let p: Vec<bf16> = (0..n * n).map(|at| bf16::from_f32(number(at))).collect();
    let mut expected = vec![0.0; n];
    let mut turned = p.clone();
    for _ in 0..4 {
        turned = (0..n * n).map(|at| turned[at / n * n + (at % n + n - 1) % n]).collect();
        for (i, sum) in expected.iter_mut().enumerate() {
            *sum += turned[i * n..][..n].iter().map(|x| x.to_f32()).sum::<f32>();
        }
    }
    on_both_chips(|device| {
        let a = device.upload(&a, [n, n])?;
        let mut p = device.upload(&p, [n, n])?;
        let mut s = device.zeros::<f32>([n])?;
        powers(&a, 4, &mut p, &mut s).check(0.0)?;
        assert_eq!(p.download()?, turned);
        assert_eq!(s.download()?, expected);
        Ok(())
    });
}
