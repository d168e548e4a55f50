//! Casts between numbers are Rust's: to the nearest, ties to even, in whatever a kernel computes.

use super::kernel::{CHIPS, compile, rows, run};
use tt::{bf16, f16};

/// Ties of `bf16` and of `f16`, their neighbours, and the ends.
fn numbers() -> Vec<f32> {
    let mut all = vec![
        0.0,
        1.0,
        -1.0,
        0.1,
        1e-20,
        65504.0,
        65520.0,
        3.39e38,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
    ];
    for at in 0..128u32 {
        let tie = 0x3F80_8000 + (at << 16) + (at % 3) * 0x0200_0000;
        all.extend([tie - 1, tie, tie + 1, tie | 1 << 31].map(f32::from_bits));
        all.push(f32::from_bits(0x3F80_1000 + (at << 13)));
    }
    all
}

/// What is cast, as written over `x`, and its value.
type Cast = (&'static str, fn(f32) -> f32);

const CASTS: [Cast; 9] = [
    ("(x as bf16) as f32", |x| bf16::from_f32(x).to_f32()),
    ("x as bf16 as f32 - x", |x| bf16::from_f32(x).to_f32() - x),
    ("(x * 0.5) as bf16 * 2.0", |x| bf16::from_f32(x * 0.5).to_f32() * 2.0),
    ("if x as bf16 == x { 1.0 } else { 0.0 }", |x| {
        f32::from(bf16::from_f32(x).to_f32() == x)
    }),
    ("x * (0.1 as bf16)", |x| x * bf16::from_f32(0.1).to_f32()),
    ("x * (s as bf16)", |x| x * bf16::from_f32(0.3).to_f32()),
    ("x as f16 as f32", |x| f16::from_f32(x).to_f32()),
    ("(x.to_bits() as bf16) as f32", |x| {
        bf16::from_f32(x.to_bits() as i32 as f32).to_f32()
    }),
    ("((x.to_bits() as u32) as bf16) as f32", |x| {
        bf16::from_f32(x.to_bits() as f32).to_f32()
    }),
];

#[test]
fn casts_between_numbers_round_to_nearest_ties_to_even() {
    let x = numbers();
    let expressions: Vec<String> = CASTS.iter().map(|(text, _)| text.replace('x', "x[(i, j)]")).collect();
    let kernel = compile(&rows::<f32>(&["x".into()], &["s"], &expressions));
    let mut wrong = Vec::new();
    for chip in CHIPS {
        let results = run(chip, kernel, &[&x], &[0.3], expressions.len());
        for (at, (text, value)) in CASTS.iter().enumerate() {
            for (x, [got, reference]) in x.iter().zip(
                results.device[at]
                    .iter()
                    .zip(&results.reference[at])
                    .map(|(got, reference)| [*got, *reference]),
            ) {
                let exact = value(*x);
                // Infinities less infinities are open.
                if exact.is_nan() || got == exact && (reference == exact || reference.is_nan()) {
                    continue;
                }
                wrong.push(format!(
                    "{chip} {text} of {x:e}: {got:e}, reference {reference:e}, not {exact:e}"
                ));
            }
        }
    }
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbers_that_share_exponents_are_cast_to_by_no_expression() {
    for expression in [
        "x as bfp8",
        "x as bfp4 as f32",
        "x.to_bits() as bfp8",
        "(x.to_bits() as u32) as bfp4",
    ] {
        let expression = expression.replace('x', "x[(i, j)]");
        let source = rows::<f32>(&["x".into()], &[], std::slice::from_ref(&expression));
        let parsed = tt_lang::syntax::parse(Default::default(), source.parse().expect("Rust"), "generated.rs");
        let kernel = parsed
            .kernel
            .unwrap_or_else(|| panic!("{source}\n{:#?}", parsed.diagnostics));
        let errors = tt_backend::compile(&kernel).expect_err("an error");
        assert!(
            errors.iter().all(|error| error.message.contains("a cast to `bfp")),
            "{expression}: {errors:?}"
        );
    }
}
