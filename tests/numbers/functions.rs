//! Functions of several operands, truth values and remainders, where the tables of the page take no negative numbers or no
//! infinities, against plain Rust.

use super::kernel::{CHIPS, Host, compile, rows, run};
use tt::bf16;

/// A function of `X` and `Y`, as written, and its value.
type Function = (&'static str, fn(f32, f32) -> f32);

const FUNCTIONS: [Function; 24] = [
    ("X % Y", |x, y| x % y),
    ("X.remainder(Y)", |x, y| {
        let left = x % y;
        if left * y < 0.0 { left + y } else { left }
    }),
    ("if X.is_nan() { 1.0 } else { 0.0 }", |_, _| 0.0),
    ("if X.is_infinite() || Y.is_finite() { 1.0 } else { 0.0 }", |x, y| {
        f32::from(x.is_infinite() || y.is_finite())
    }),
    ("T.select(T.is_finite(X), 1.0, 0.0)", |x, _| f32::from(x.is_finite())),
    ("X.isinf() + X.isposinf() + Y.isneginf() * 4.0", |x, y| {
        f32::from(x.is_infinite()) + f32::from(x == f32::INFINITY) + 4.0 * f32::from(y == f32::NEG_INFINITY)
    }),
    ("X.isclose(Y, 0.5, 0.25)", |x, y| {
        let within = (x - y).abs() <= 0.25 + 0.5 * y.abs() && (x - y).is_finite();
        f32::from(x == y || within)
    }),
    ("X.logical_not()", |x, _| f32::from(x == 0.0)),
    ("X.rsub(Y)", |x, y| y - x),
    ("X.prelu(Y)", |x, y| if x < 0.0 { x * y } else { x }),
    ("X.hardtanh(-1.0, 2.0)", |x, _| x.clamp(-1.0, 2.0)),
    ("X.softcap(2.0)", |x, _| 2.0 * (x / 2.0).tanh()),
    ("X.softcap(Y)", |x, y| y * (x / y).tanh()),
    ("X.log_with_base(3.0)", |x, _| x.ln() / 3f32.ln()),
    ("X.log_with_base(Y)", |x, y| x.ln() / y.ln()),
    ("X.snake_beta(0.5, 2.0)", |x, _| x + (x * 0.5).sin().powi(2) / 2.0),
    ("X.snake_beta(0.5, Y)", |x, y| x + (x * 0.5).sin().powi(2) / y),
    ("X.lerp(Y, 0.5)", |x, y| x + 0.5 * (y - x)),
    ("X.mac(Y, X)", |x, y| x * y + x),
    ("X.addcmul(Y, Y, 0.5)", |x, y| x + 0.5 * y * y),
    ("X.addcdiv(X, Y, 0.5)", |x, y| x + 0.5 * x / y),
    ("X.xlogy(Y)", |x, y| if x == 0.0 { 0.0 } else { x * y.ln() }),
    ("1.5.lerp(X, Y)", |x, y| 1.5 + y * (x - 1.5)),
    ("T.rdiv(X, Y)", |x, y| y / x),
];

fn check<E: Host>() -> Vec<String> {
    // Quotients of these are exact, or nothing of them is near a multiple.
    let values = [
        f32::NEG_INFINITY,
        -8.0,
        -3.0,
        -0.75,
        0.0,
        0.5,
        1.0,
        2.5,
        16.0,
        f32::INFINITY,
    ];
    let pairs: Vec<(f32, f32)> = values.iter().flat_map(|x| values.iter().map(|y| (*x, *y))).collect();
    let column = |of: fn(&(f32, f32)) -> f32| pairs.iter().map(|pair| E::of(of(pair).into())).collect::<Vec<E>>();
    let (x, y) = (column(|pair| pair.0), column(|pair| pair.1));
    let mut wrong = Vec::new();
    for some in FUNCTIONS.chunks(9) {
        let written = |(text, _): &Function| text.replace('X', "x[(i, j)]").replace('Y', "y[(i, j)]");
        let expressions: Vec<String> = some.iter().map(written).collect();
        let kernel = compile(&rows::<E>(&["x".into(), "y".into()], &[], &expressions));
        for chip in CHIPS {
            let results = run(chip, kernel, &[&x, &y], &[], some.len());
            for ((text, value), (got, reference)) in some.iter().zip(results.device.iter().zip(&results.reference)) {
                for ((x, y), (got, reference)) in pairs.iter().zip(got.iter().zip(reference)) {
                    let exact = value(*x, *y);
                    let open = exact.is_nan() || reference.is_nan();
                    let near = |of: f32| of == exact || (of - exact).abs() <= exact.abs() * 0.01;
                    if !(open || near(*got) && near(*reference)) {
                        let element = E::NAME;
                        wrong.push(format!(
                            "{chip} {element} {text} of {x} and {y}: {got}, {reference}, not {exact}"
                        ));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn functions_of_any_sign_are_what_they_are_called() {
    let wrong = [check::<f32>(), check::<bf16>()].concat();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
