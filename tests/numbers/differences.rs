//! A power of the difference of two −∞ is 0 or 1 and never NaN, however the difference is written, and every other power of
//! a difference is what it was.

use super::kernel::{CHIPS, Host, compile_with, run};
use tt::bf16;
use tt::prelude::*;

/// A power of a difference of `A` and `B`, as written, and its value.
type Power = (&'static str, fn(f32, f32) -> f32);

const POWERS: [Power; 10] = [
    ("(A - B).exp()", |a, b| (a - b).exp()),
    ("(A - B).exp2()", |a, b| (a - b).exp2()),
    ("(A - B).expm1() + 1.0", |a, b| (a - b).exp()),
    ("((A - B) * 0.5).exp()", |a, b| ((a - b) * 0.5).exp()),
    ("((A - B) / 2.0).exp()", |a, b| ((a - b) * 0.5).exp()),
    ("(0.25 * (A - B) + 1.0).exp()", |a, b| (0.25 * (a - b) + 1.0).exp()),
    ("(A - B - 2.0).exp()", |a, b| (a - b - 2.0).exp()),
    ("(-(B - A)).exp()", |a, b| (a - b).exp()),
    ("((B - A) * -0.5).exp2()", |a, b| ((a - b) * 0.5).exp2()),
    ("less(A * 0.5, B * 0.5).exp()", |a, b| (a * 0.5 - b * 0.5).exp()),
];

/// A kernel with an output for each of [`POWERS`]: `a` is a block of one type, `b` one of another.
fn source(tensor: &str, [a, b]: [&str; 2]) -> String {
    let mut parameters = String::new();
    let mut body = String::new();
    for (at, (power, _)) in POWERS.iter().enumerate() {
        let power = power.replace('A', "a[(i, j)]").replace('B', "b[(i, j)]");
        parameters += &format!(", o{at}: &mut Tensor<{tensor}, 1, N>");
        body += &format!("for (i, j) in T.Parallel(1, 64) {{ r[(i, j)] = {power}; }}\n");
        body += &format!("T.copy(r, o{at}[(0, bx * 64)]);\n");
    }
    format!(
        "fn kernel<const N: usize>(x: &Tensor<{tensor}, 1, N>, y: &Tensor<{tensor}, 1, N>{parameters}) {{
            fn less(x: f32, y: f32) -> f32 {{ let d = x - y; d }}
            let bx = T.Kernel(N.div_ceil(64));
            let a = T.alloc_shared::<{a}>(1, 64);
            let b = T.alloc_shared::<{b}>(1, 64);
            let r = T.alloc_shared::<{tensor}>(1, 64);
            T.copy(x[(0, bx * 64)], a);
            T.copy(y[(0, bx * 64)], b);
            {body}
        }}"
    )
}

fn check<E: Host>(attribute: &str, types: [&str; 2]) -> Vec<String> {
    let lowest = if E::NAME == "f32" && types == ["f32"; 2] {
        f32::MIN
    } else {
        -E::MOST
    };
    let ends = [f32::NEG_INFINITY, lowest, -1e38, -2.5, 0.0, 1.0, 40.0];
    let pairs: Vec<(f32, f32)> = ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b))).collect();
    let column = |of: fn(&(f32, f32)) -> f32| pairs.iter().map(|pair| bf16_or(types, of(pair))).collect::<Vec<f32>>();
    let (a, b) = (column(|pair| pair.0), column(|pair| pair.1));
    let [x, y] = [&a, &b].map(|of| of.iter().map(|value| E::of((*value).into())).collect::<Vec<E>>());
    let kernel = compile_with(attribute, &source(E::NAME, types));
    let mut wrong = Vec::new();
    for chip in CHIPS {
        let results = run(chip, kernel, &[&x, &y], &[], POWERS.len());
        for ((text, value), got) in POWERS.iter().zip(&results.device) {
            for ((a, b), got) in x.iter().zip(&y).zip(got) {
                let (a, b) = (a.value(), b.value());
                let exact = value(a, b);
                let is_right = match exact.is_nan() {
                    true => *got == 0.0 || (*got - value(0.0, 0.0)).abs() < 0.05,
                    false => *got == exact || (got - exact).abs() <= exact.abs() * 0.1 + 0.01,
                };
                if !is_right {
                    wrong.push(format!(
                        "{chip} {attribute} {types:?} {text} of {a:e} and {b:e}: {got}, not {exact}"
                    ));
                }
            }
        }
    }
    wrong
}

/// What blocks of both types hold of `value`.
fn bf16_or(types: [&str; 2], value: f32) -> f32 {
    if types == ["f32"; 2] {
        value
    } else {
        bf16::from_f32(value).to_f32()
    }
}

#[test]
fn powers_of_differences_of_two_infinities_are_0_or_1() {
    let mut wrong = Vec::new();
    for types in [["f32", "f32"], ["bf16", "f32"], ["f32", "bf16"]] {
        wrong.extend(check::<f32>("", types));
    }
    wrong.extend(check::<bf16>("", ["bf16", "bf16"]));
    wrong.extend(check::<bf16>("fp32_acc = true", ["bf16", "bf16"]));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The softmax of each row's valid scores, block by block: what is masked is −∞.
#[tt::kernel]
fn online_softmax<const M: usize, const N: usize>(s: &Tensor<f32, M, N>, first: u32, p: &mut Tensor<f32, M>) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 64);
    let m = T.alloc_fragment::<f32>(32);
    let new = T.alloc_fragment::<f32>(32);
    let sum = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    T.fill(m, f32::NEG_INFINITY);
    T.clear(sum);
    for k in T.serial(N.div_ceil(64)) {
        T.copy(s[(by * 32, k * 64)], x);
        for (i, j) in T.Parallel(32, 64) {
            x[(i, j)] = if k * 64 + j >= first {
                x[(i, j)]
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(m, new);
        T.reduce_max(x, new, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 64) {
            x[(i, j)] = (x[(i, j)] - new[i]).exp();
        }
        T.reduce_sum(x, part, dim = 1);
        for i in T.Parallel(32) {
            sum[i] = sum[i] * (m[i] - new[i]).exp() + part[i];
        }
        T.copy(new, m);
    }
    for i in T.Parallel(32) {
        sum[i] = m[i] + sum[i].log();
    }
    T.copy(sum, p[by * 32]);
}

#[test]
fn rows_without_a_valid_key_before_the_first_leave_nothing_in_an_online_softmax() -> tt::Result<()> {
    let (m, n, first) = (33, 200, 150);
    let scores: Vec<f32> = (0..m * n).map(|at| ((at * 37 % 101) as f32 - 50.0) * 0.1).collect();
    for chip in CHIPS {
        let device = tt::Device::open_named(chip)?;
        let s = device.upload(&scores, [m, n])?;
        let mut p = device.zeros::<f32>([m])?;
        online_softmax(&s, first as u32, &mut p).run()?;
        for (row, got) in scores.chunks(n).zip(p.download()?) {
            let expected = row[first..].iter().map(|x| f64::from(*x).exp()).sum::<f64>().ln();
            assert!(
                (f64::from(got) - expected).abs() < 5e-3,
                "{chip}: {got}, not {expected}"
            );
        }
    }
    Ok(())
}
