//! Whole kernels, each different in kind, through the macro, the host library and the emulator, against plain loops in
//! `f64` that know nothing of blocks. Every kernel runs on ragged shapes and on both chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Repeatable values in [-1, 1), exact in bf16.
fn values(count: usize, seed: u64) -> Vec<bf16> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bf16::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    })
    .take(count)
    .collect()
}

fn wide(values: &[bf16]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

/// `a (m × k) · b (k × n)`
fn dot(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
    (0..m * n)
        .map(|at| (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum())
        .collect()
}

/// Fails unless every element is within `tolerance` of 1 + |expected|.
#[track_caller]
fn near<T: Into<f64> + Copy>(what: &str, got: &[T], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        let got: f64 = (*got).into();
        let error = (got - expected).abs() / (1.0 + expected.abs());
        assert!(error <= tolerance, "{what}[{at}] is {got}, expected {expected}");
    }
}

#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(96), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 96);
    let acc = T.alloc_fragment::<f32>(64, 96);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 96)], y);
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 64, bx * 96)]);
}

#[test]
fn a_matmul_of_any_shape() {
    on_both_chips(|device| {
        for [m, k, n] in [[1, 1, 1], [64, 64, 96], [65, 130, 97], [31, 1000, 33], [200, 5, 300]] {
            let (a, b) = (values(m * k, 1), values(k * n, 2));
            let mut c = device.zeros::<bf16>([m, n])?;
            matmul(&device.upload(&a, [m, k])?, &device.upload(&b, [k, n])?, &mut c).run()?;
            near(
                &format!("{m}x{k}x{n}"),
                &c.download()?,
                &dot(&wide(&a), &wide(&b), [m, k, n]),
                2e-2,
            );
        }
        Ok(())
    });
}

/// A block whose sums do not fit the destination registers, over matrices selected by two leading axes.
#[tt::kernel]
fn batched<const B: usize, const H: usize, const M: usize, const K: usize>(
    a: &Tensor<bf16, B, H, M, K>,
    b: &Tensor<bf16, B, H, 64, K>,
    c: &mut Tensor<bf16, B, H, M, 64>,
) {
    let (by, head, batch) = T.Kernel(M.div_ceil(256), H, B);
    let x = T.alloc_shared::<bf16>(256, 32);
    let y = T.alloc_shared::<bf16>(64, 32);
    let acc = T.alloc_fragment::<f32>(256, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(batch, head, by * 256, k * 32)], x);
        T.copy(b[(batch, head, 0, k * 32)], y);
        T.gemm(x, y, acc, transpose_b = true);
    }
    T.copy(acc, c[(batch, head, by * 256, 0)]);
}

#[test]
fn batched_products_with_a_transposed_operand() {
    on_both_chips(|device| {
        for [b, h, m, k] in [[1, 1, 256, 32], [2, 3, 300, 70], [3, 1, 10, 33]] {
            let (x, y) = (values(b * h * m * k, 3), values(b * h * 64 * k, 4));
            let mut c = device.zeros::<bf16>([b, h, m, 64])?;
            batched(
                &device.upload(&x, [b, h, m, k])?,
                &device.upload(&y, [b, h, 64, k])?,
                &mut c,
            )
            .run()?;
            let (x, y) = (wide(&x), wide(&y));
            let expected: Vec<f64> = (0..b * h * m * 64)
                .map(|at| {
                    let (matrix, row, column) = (at / 64 / m, at / 64 % m, at % 64);
                    (0..k)
                        .map(|p| x[(matrix * m + row) * k + p] * y[(matrix * 64 + column) * k + p])
                        .sum()
                })
                .collect();
            near(&format!("{b}x{h}x{m}x{k}"), &c.download()?, &expected, 2e-2);
        }
        Ok(())
    });
}

/// y = gelu(x · w + bias) · scale where `scale` is positive, else without gelu.
#[tt::kernel]
fn linear<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, 1, N>,
    scale: f32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x_block = T.alloc_shared::<bf16>(64, 32);
    let w_block = T.alloc_shared::<bf16>(32, 64);
    let bias_row = T.alloc_shared::<bf16>(1, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.copy(bias[(0, bx * 64)], bias_row);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 3) {
        T.copy(x[(by * 64, k * 32)], x_block);
        T.copy(w[(k * 32, bx * 64)], w_block);
        T.gemm(x_block, w_block, acc);
    }
    if scale > 0.0 {
        for (i, j) in T.Parallel(64, 64) {
            acc[(i, j)] = (acc[(i, j)] + bias_row[(0, j)]).relu() * scale;
        }
    } else {
        for (i, j) in T.Parallel(64, 64) {
            acc[(i, j)] += bias_row[(0, j)];
        }
    }
    T.copy(acc, y[(by * 64, bx * 64)]);
}

#[test]
fn a_linear_layer_with_a_branch_on_a_scalar() {
    on_both_chips(|device| {
        for (scale, [m, k, n]) in [(0.5f32, [64, 64, 64]), (-1.0, [64, 64, 64]), (1.5, [45, 77, 130])] {
            let (x, w, bias) = (values(m * k, 5), values(k * n, 6), values(n, 7));
            let mut y = device.zeros::<f32>([m, n])?;
            let launch_inputs = (
                device.upload(&x, [m, k])?,
                device.upload(&w, [k, n])?,
                device.upload(&bias, [1, n])?,
            );
            linear(&launch_inputs.0, &launch_inputs.1, &launch_inputs.2, scale, &mut y).run()?;
            let bias = wide(&bias);
            let expected: Vec<f64> = dot(&wide(&x), &wide(&w), [m, k, n])
                .iter()
                .enumerate()
                .map(|(at, sum)| {
                    let sum = sum + bias[at % n];
                    if scale > 0.0 {
                        sum.max(0.0) * f64::from(scale)
                    } else {
                        sum
                    }
                })
                .collect();
            near(&format!("scale {scale}, {m}x{k}x{n}"), &y.download()?, &expected, 1e-2);
        }
        Ok(())
    });
}

/// out = (x + xᵀ) · row + column, by direct access and through blocks.
#[tt::kernel]
fn symmetric<const N: usize>(
    x: &Tensor<bf16, N, N>,
    row: &Tensor<bf16, 1, N>,
    column: &Tensor<bf16, N, 1>,
    out: &mut Tensor<bf16, N, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), N.div_ceil(64));
    let here = T.alloc_shared::<bf16>(64, 64);
    let there = T.alloc_shared::<bf16>(64, 64);
    let r = T.alloc_shared::<bf16>(1, 64);
    let c = T.alloc_shared::<bf16>(64, 1);
    let sum = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], here);
    T.copy(x[(bx * 64, by * 64)], there);
    T.copy(row[(0, bx * 64)], r);
    T.copy(column[(by * 64, 0)], c);
    for (i, j) in T.Parallel(64, 64) {
        sum[(i, j)] = (here[(i, j)] + there[(j, i)]) * r[(0, j)] + c[(i, 0)];
    }
    T.copy(sum, out[(by * 64, bx * 64)]);
}

#[test]
fn transposed_reads_and_broadcasts() {
    on_both_chips(|device| {
        for n in [1, 64, 100, 161] {
            let (x, row, column) = (values(n * n, 8), values(n, 9), values(n, 10));
            let mut out = device.zeros::<bf16>([n, n])?;
            let inputs = (
                device.upload(&x, [n, n])?,
                device.upload(&row, [1, n])?,
                device.upload(&column, [n, 1])?,
            );
            symmetric(&inputs.0, &inputs.1, &inputs.2, &mut out).run()?;
            let (x, row, column) = (wide(&x), wide(&row), wide(&column));
            let expected: Vec<f64> = (0..n * n)
                .map(|at| {
                    let (i, j) = (at / n, at % n);
                    (x[i * n + j] + x[j * n + i]) * row[j] + column[i]
                })
                .collect();
            near(&format!("{n}"), &out.download()?, &expected, 2e-2);
        }
        Ok(())
    });
}

/// f32 throughout, in place: y = clamp(y + step · (x − y), −limit, limit), `repeats` times.
#[tt::kernel]
fn relax<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    step: f32,
    limit: f32,
    repeats: u32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let target = T.alloc_shared::<f32>(32, 64);
    let state = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], target);
    T.copy(y[(by * 32, bx * 64)], state);
    for _ in 0..repeats {
        for (i, j) in T.Parallel(32, 64) {
            state[(i, j)] = (state[(i, j)] + (target[(i, j)] - state[(i, j)]) * step)
                .min(limit)
                .max(-limit);
        }
    }
    T.copy(state, y[(by * 32, bx * 64)]);
}

#[test]
fn a_loop_counted_by_a_scalar_over_a_tensor_in_place() {
    on_both_chips(|device| {
        for (repeats, [m, n]) in [(0u32, [32, 64]), (1, [33, 65]), (5, [70, 10])] {
            let x: Vec<f32> = values(m * n, 11).iter().map(|v| v.to_f32()).collect();
            let start: Vec<f32> = values(m * n, 12).iter().map(|v| v.to_f32()).collect();
            let input = device.upload(&x, [m, n])?;
            let mut y = device.upload(&start, [m, n])?;
            relax(&input, 0.25, 0.75, repeats, &mut y).run()?;
            let expected: Vec<f64> = x
                .iter()
                .zip(&start)
                .map(|(x, y)| {
                    let step = |y: f64, _| (y + (f64::from(*x) - y) * 0.25).clamp(-0.75, 0.75);
                    (0..repeats).fold(f64::from(*y), step)
                })
                .collect();
            near(&format!("{repeats} times, {m}x{n}"), &y.download()?, &expected, 5e-3);
        }
        Ok(())
    });
}

/// Leaves something else than zeros in the padding of `y`.
#[tt::kernel]
fn padded_with_ones<const M: usize, const K: usize>(x: &Tensor<bf16, M, K>, y: &mut Tensor<bf16, M, K>) {
    let (bx, by) = T.Kernel(K.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = (v[(i, j)] * 0.0).exp() * v[(i, j)] + (v[(i, j)] * 0.0).exp();
    }
    T.copy(v, y[(by * 32, bx * 64)]);
}

/// Both operands are computed, and zero past the edge since what they come from is.
#[tt::kernel]
fn gated_gram<const M: usize, const K: usize>(x: &Tensor<bf16, M, K>, y: &mut Tensor<f32, M, M>) {
    let (bx, by) = T.Kernel(M.div_ceil(32), M.div_ceil(32));
    let u = T.alloc_shared::<bf16>(32, 64);
    let v = T.alloc_shared::<bf16>(32, 64);
    let gu = T.alloc_shared::<bf16>(32, 64);
    let gv = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64)) {
        T.copy(x[(by * 32, k * 64)], u);
        T.copy(x[(bx * 32, k * 64)], v);
        for (i, j) in T.Parallel(32, 64) {
            gu[(i, j)] = u[(i, j)].max(-0.25) * u[(i, j)];
            gv[(i, j)] = v[(i, j)].relu() + 0.5 * v[(i, j)];
        }
        T.gemm(gu, gv, acc, transpose_b = true);
    }
    T.copy(acc, y[(by * 32, bx * 32)]);
}

#[test]
fn computed_operands_that_are_zero_past_the_edge() {
    on_both_chips(|device| {
        for [m, k] in [[33, 70], [5, 3], [64, 128]] {
            let one = bf16::from_f32(1.0);
            // What is stored below is x + 1.
            let x: Vec<bf16> = values(m * k, 21)
                .iter()
                .map(|v| bf16::from_f64(v.to_f64() - 1.0))
                .collect();
            let mut stored = device.upload(&vec![one; m * k], [m, k])?;
            padded_with_ones(&device.upload(&x, [m, k])?, &mut stored).run()?;
            let mut y = device.zeros::<f32>([m, m])?;
            gated_gram(&stored, &mut y).run()?;
            let x = wide(&stored.download()?);
            let rounded = |v: f64| bf16::from_f64(v).to_f64();
            let left: Vec<f64> = x.iter().map(|v| rounded(v.max(-0.25) * v)).collect();
            let gate = |v: f64| rounded(v.max(0.0) + 0.5 * v);
            let right: Vec<f64> = (0..k * m).map(|at| gate(x[at % m * k + at / m])).collect();
            near(
                &format!("gated_gram {m} x {k}"),
                &y.download()?,
                &dot(&left, &right, [m, k, m]),
                2e-2,
            );
        }
        Ok(())
    });
}

/// Every function of the table that is smooth on (0, 1), added up.
#[tt::kernel]
fn functions<const N: usize>(x: &Tensor<bf16, 1, N>, y: &mut Tensor<f32, 1, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let v = T.alloc_shared::<bf16>(1, 64);
    let sum = T.alloc_fragment::<f32>(1, 64);
    T.copy(x[(0, bx * 64)], v);
    T.clear(sum);
    for (i, j) in T.Parallel(1, 64) {
        sum[(i, j)] = v[(i, j)].exp() + v[(i, j)].sqrt() + v[(i, j)].sigmoid() - v[(i, j)].square();
        sum[(i, j)] += v[(i, j)].tanh() * v[(i, j)].silu() + v[(i, j)].abs().recip();
        sum[(i, j)] -= v[(i, j)].log();
    }
    T.copy(sum, y[(0, bx * 64)]);
}

/// To whole numbers, all four ways in one sum, with weights of their own.
#[tt::kernel]
fn whole<const N: usize>(x: &Tensor<f32, 1, N>, y: &mut Tensor<f32, 1, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let v = T.alloc_shared::<f32>(1, 64);
    let w = T.alloc_shared::<f32>(1, 64);
    T.copy(x[(0, bx * 64)], v);
    for (i, j) in T.Parallel(1, 64) {
        w[(i, j)] = v[(i, j)].floor() + 8.0 * v[(i, j)].ceil() + 64.0 * v[(i, j)].trunc() + 512.0 * v[(i, j)].round();
    }
    T.copy(w, y[(0, bx * 64)]);
}

#[test]
fn whole_numbers_with_halves_to_even() {
    on_both_chips(|device| {
        let x: Vec<f32> = (-40..40).map(|quarter| quarter as f32 / 4.0).collect();
        let shape = [1, x.len()];
        let x_on_device = device.upload(&x, shape)?;
        let mut y = device.zeros::<f32>(shape)?;
        let reference = whole(&x_on_device, &mut y).reference()?;
        whole(&x_on_device, &mut y).run()?;
        let expected: Vec<f32> = x
            .iter()
            .map(|v| v.floor() + 8.0 * v.ceil() + 64.0 * v.trunc() + 512.0 * v.round_ties_even())
            .collect();
        assert_eq!(reference["y"], expected);
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

#[test]
fn functions_of_the_sfpu() {
    on_both_chips(|device| {
        let n = 150;
        // From 0.25 to 0.75.
        let x: Vec<bf16> = values(n, 13)
            .iter()
            .map(|v| bf16::from_f64(v.to_f64() / 4.0 + 0.5))
            .collect();
        let mut y = device.zeros::<f32>([1, n])?;
        functions(&device.upload(&x, [1, n])?, &mut y).run()?;
        let expected: Vec<f64> = wide(&x)
            .iter()
            .map(|v| {
                let sigmoid = 1.0 / (1.0 + (-v).exp());
                v.exp() + v.sqrt() + sigmoid - v * v + v.tanh() * v * sigmoid + 1.0 / v - v.ln()
            })
            .collect();
        near("functions", &y.download()?, &expected, 2e-2);
        Ok(())
    });
}

#[test]
fn a_launch_shows_its_plan_sources_and_stages() -> tt::Result<()> {
    let device = Device::open_named("emulator:wormhole_b0")?;
    let a = device.upload(&values(128 * 96, 1), [128, 96])?;
    let b = device.upload(&values(96 * 192, 2), [96, 192])?;
    let mut c = device.zeros::<bf16>([128, 192])?;
    let launch = matmul(&a, &b, &mut c);
    let plan = launch.plan()?;
    assert_eq!(plan.core_grid, [4, 1]);
    assert_eq!(plan.work_partition.len(), 4);
    let reference = launch.reference()?;
    assert_eq!(reference.names().collect::<Vec<_>>(), ["c"]);
    let profile = launch.profile()?;
    near(
        "c",
        &c.download()?,
        &reference["c"].iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
        2e-2,
    );
    let counters = profile.counters.expect("the emulator counts");
    // 4 × 6 tiles of the result, each written once.
    assert_eq!(counters.total.pages_written, 24);
    assert!(matmul::SOURCES.compute.contains("kernel_main"));
    assert!(matmul::PLAN.contains("\"schema\""));
    assert!(matmul::IR.len() > 10, "a text for every stage");
    Ok(())
}
