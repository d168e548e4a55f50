//! Whole kernels from source text, against the mathematics they stand for.

use super::super::{Inputs, run};
use super::{near, values};
use crate::ir::Kernel;

fn kernel(source: &str) -> Kernel {
    let parsed = crate::syntax::parse(Default::default(), source.parse().unwrap(), "test.rs");
    parsed.kernel.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics))
}

#[test]
fn softmax_of_any_width() {
    let kernel = kernel(
        "fn softmax<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
            let by = T.Kernel(M.div_ceil(32));
            let block = T.alloc_shared::<bf16>(32, 64);
            let e = T.alloc_fragment::<f32>(32, 64);
            let row_max = T.alloc_fragment::<f32>(32);
            let row_sum = T.alloc_fragment::<f32>(32);
            T.fill(row_max, f32::NEG_INFINITY);
            for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
                T.copy(x[(by * 32, j * 64)], block);
                T.reduce_max(block, row_max, dim = 1, clear = false);
            }
            T.clear(row_sum);
            for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
                T.copy(x[(by * 32, j * 64)], block);
                for (i, c) in T.Parallel(32, 64) {
                    e[(i, c)] = (block[(i, c)] - row_max[i]).exp();
                }
                T.reduce_sum(e, row_sum, dim = 1, clear = false);
            }
            for j in T.Pipelined(N.div_ceil(64), num_stages = 2) {
                T.copy(x[(by * 32, j * 64)], block);
                for (i, c) in T.Parallel(32, 64) {
                    e[(i, c)] = (block[(i, c)] - row_max[i]).exp() / row_sum[i];
                }
                T.copy(e, y[(by * 32, j * 64)]);
            }
        }",
    );
    for (m, n) in [(32, 64), (3, 7), (70, 100)] {
        // All negative: a padded 0 would win the maximum.
        let x: Vec<f64> = values(m * n, 1).iter().map(|v| v - 3.0).collect();
        let expected: Vec<f64> = x
            .chunks(n)
            .flat_map(|row| {
                let sum: f64 = row.iter().map(|v| v.exp()).sum();
                row.iter().map(move |v| v.exp() / sum)
            })
            .collect();
        let zero = vec![0.0; m * n];
        let inputs = Inputs::new()
            .tensor("x", &[m, n], &x[..])
            .tensor("y", &[m, n], &zero[..]);
        near(run(&kernel, &inputs).unwrap().tensor("y").unwrap(), &expected);
    }
}

#[test]
fn attention_past_the_edge_of_its_keys() {
    let kernel = kernel(ATTENTION);
    let (b, h, s, r, d) = (2, 1, 50, 45, 32);
    let (q, k, v) = (
        values(b * h * s * d, 1),
        values(b * h * r * d, 2),
        values(b * h * r * d, 3),
    );
    let zero = vec![0.0; b * h * s * d];
    let inputs = Inputs::new()
        .tensor("q", &[b, h, s, d], &q[..])
        .tensor("k", &[b, h, r, d], &k[..])
        .tensor("v", &[b, h, r, d], &v[..])
        .tensor("out", &[b, h, s, d], &zero[..])
        .float("scale", 0.25);
    let mut expected = Vec::new();
    for row in 0..b * h * s {
        let head = row / s;
        let weights: Vec<f64> = (0..r)
            .map(|j| {
                let dot: f64 = (0..d).map(|c| q[row * d + c] * k[(head * r + j) * d + c]).sum();
                (dot * 0.25).exp()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        expected.extend((0..d).map(|c| (0..r).map(|j| weights[j] * v[(head * r + j) * d + c]).sum::<f64>() / total));
    }
    near(run(&kernel, &inputs).unwrap().tensor("out").unwrap(), &expected);
}

const ATTENTION: &str = "fn attention<const B: usize, const H: usize, const S: usize, const R: usize>(
    q: &Tensor<bf16, B, H, S, 32>, k: &Tensor<bf16, B, H, R, 32>, v: &Tensor<bf16, B, H, R, 32>, scale: f32,
    out: &mut Tensor<bf16, B, H, S, 32>,
) {
    let (block, head, batch) = T.Kernel(S.div_ceil(32), H, B);
    let q_block = T.alloc_shared::<bf16>(32, 32);
    let k_block = T.alloc_shared::<bf16>(32, 32);
    let v_block = T.alloc_shared::<bf16>(32, 32);
    let s = T.alloc_fragment::<f32>(32, 32);
    let p = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let m_old = T.alloc_fragment::<f32>(32);
    let m_new = T.alloc_fragment::<f32>(32);
    let rescale = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let total = T.alloc_fragment::<f32>(32);
    T.copy(q[(batch, head, block * 32, 0)], q_block);
    T.clear(acc);
    T.clear(total);
    T.fill(m_new, f32::NEG_INFINITY);
    for r in T.Pipelined(R.div_ceil(32), num_stages = 2) {
        T.copy(k[(batch, head, r * 32, 0)], k_block);
        T.gemm(q_block, k_block, s, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(32, 32) {
            // Products leave what no key reaches as it was, 0, and that is no score.
            s[(i, j)] = if r * 32 + j < R { s[(i, j)] * scale } else { f32::NEG_INFINITY };
        }
        T.copy(m_new, m_old);
        T.reduce_max(s, m_new, dim = 1, clear = false);
        for i in T.Parallel(32) { rescale[i] = (m_old[i] - m_new[i]).exp(); }
        for (i, j) in T.Parallel(32, 32) { p[(i, j)] = (s[(i, j)] - m_new[i]).exp(); }
        T.reduce_sum(p, part, dim = 1);
        for i in T.Parallel(32) { total[i] = total[i] * rescale[i] + part[i]; }
        for (i, j) in T.Parallel(32, 32) { acc[(i, j)] *= rescale[i]; }
        T.copy(v[(batch, head, r * 32, 0)], v_block);
        T.gemm(p, v_block, acc);
    }
    for (i, j) in T.Parallel(32, 32) { acc[(i, j)] /= total[i]; }
    T.copy(acc, out[(batch, head, block * 32, 0)]);
}";

#[test]
fn what_lies_before_a_tensor_is_read_as_what_lies_past_it_and_not_stored_to() {
    let kernel = kernel(
        "fn shifted<const M: usize, const N: usize>(
            x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, z: &mut Tensor<f32, M, N>, up: i32, left: i32,
        ) {
            let (bx, by) = T.Kernel(N.div_ceil(32) + 2, M.div_ceil(32) + 2);
            let block = T.alloc_shared::<f32>(32, 32);
            T.copy(x[(by * 32 - up, bx * 32 - left)], block);
            T.copy(block, y[(by * 32, bx * 32)]);
            for (i, j) in T.Parallel(32, 32) {
                z[(by * 32 + i - 32, bx * 32 + j - 32)] = x[(by * 32 + i - up, bx * 32 + j - left)] + 1.0;
            }
        }",
    );
    for (m, n) in [(32, 32), (40, 70), (3, 100)] {
        for (up, left) in [
            (0, 0),
            (32, 0),
            (5, 33),
            (64, 64),
            (1000, 7),
            (-8, -40),
            (i64::from(i32::MAX), 0),
        ] {
            let x = values(m * n, 3);
            let at = |row: i64, column: i64, more: f64| {
                let inside = (0..m as i64).contains(&row) && (0..n as i64).contains(&column);
                // What has no value is not stored.
                if inside {
                    x[row as usize * n + column as usize] + more
                } else {
                    0.0
                }
            };
            let each = |by: i64, more: f64| {
                let place = (0..m as i64).flat_map(move |row| (0..n as i64).map(move |column| (row + by, column + by)));
                place
                    .map(|(row, column)| at(row - up, column - left, more))
                    .collect::<Vec<f64>>()
            };
            let zero = vec![0.0; m * n];
            let inputs = Inputs::new()
                .integer("up", up)
                .integer("left", left)
                .tensor("x", &[m, n], &x[..])
                .tensor("y", &[m, n], &zero[..])
                .tensor("z", &[m, n], &zero[..]);
            let outputs = run(&kernel, &inputs).unwrap();
            near(outputs.tensor("y").unwrap(), &each(0, 0.0));
            // The first block of `z` lies before it.
            near(outputs.tensor("z").unwrap(), &each(32, 1.0));
        }
    }
}

#[test]
fn what_the_language_leaves_open_is_nan() {
    let value = |expression: &str, x: f64| {
        let kernel = kernel(&format!(
            "fn open(x: &Tensor<f32, 1, 1>, y: &mut Tensor<f32, 1, 1>) {{
                let bx = T.Kernel(1);
                let v = T.alloc_shared::<f32>(1, 1);
                let w = T.alloc_shared::<f32>(1, 1);
                T.copy(x[(0, 0)], v);
                for (i, j) in T.Parallel(1, 1) {{ w[(i, j)] = {expression}; }}
                T.copy(w, y[(0, 0)]);
            }}"
        ));
        let (x, zero) = ([x], [0.0]);
        let inputs = Inputs::new()
            .tensor("x", &[1, 1], &x[..])
            .tensor("y", &[1, 1], &zero[..]);
        run(&kernel, &inputs).unwrap().tensor("y").unwrap()[0]
    };
    let choose = |condition: &str| format!("if {condition} {{ 1.0 }} else {{ 2.0 }}");
    let x = "v[(i, j)]";
    for open in [
        format!("{x}.relu()"),
        format!("{x}.sign()"),
        format!("{x}.max(1.0)"),
        format!("{x}.min(1.0)"),
        format!("{x}.clamp(-1.0, 1.0)"),
        choose(&format!("{x} > 1.0")),
        choose(&format!("!({x} == {x})")),
        choose(&format!("{x} > 1.0 && 0.0 < 1.0")),
        choose(&format!("1.0 < 0.0 || {x} > 1.0")),
    ] {
        assert!(value(&open, f64::NAN).is_nan(), "{open}");
        assert!(!value(&open, 0.5).is_nan(), "{open}");
    }
    // What does not depend on it is not open.
    assert_eq!(value(&choose(&format!("{x} > 1.0 && 1.0 < 0.0")), f64::NAN), 2.0);
    assert_eq!(value(&choose(&format!("{x} > 1.0 || 0.0 < 1.0")), f64::NAN), 1.0);
    // What is subnormal counts as 0, and infinities are compared like numbers.
    assert_eq!(value(&choose(&format!("{x} > 0.0")), 1e-40), 2.0);
    assert_eq!(value(&choose(&format!("{x} == f32::INFINITY")), f64::INFINITY), 1.0);
    assert_eq!(value(&choose(&format!("{x} < f32::INFINITY")), f64::INFINITY), 2.0);
}
