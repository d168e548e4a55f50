//! Every comparison, of every kind of operands, over the ends of the formats.

use super::kernel::{CHIPS, Host, compile, rows, run};
use tt::bf16;

/// In the order of the bits of a result.
const OPERATORS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// What `x` compares to `y` as, a bit for each of [`OPERATORS`]; subnormal numbers are zeros of their sign.
fn expected(x: f32, y: f32) -> u32 {
    let counted = |x: f32| if x.is_subnormal() { 0.0f32.copysign(x) } else { x };
    let (x, y) = (counted(x), counted(y));
    let truths = [x < y, x <= y, x > y, x >= y, x == y, x != y];
    truths.iter().rev().fold(0, |bits, truth| bits * 2 + u32::from(*truth))
}

/// The ends of the format, zeros, what is subnormal, and neighbours whose difference is.
fn specials<E: Host>() -> Vec<f32> {
    let tiny = f32::MIN_POSITIVE;
    let mut all = vec![f32::NAN];
    for value in [
        0.0,
        1.0,
        1.5,
        1.0078125,
        E::MOST,
        f32::INFINITY,
        tiny,
        1.5 * tiny,
        1.0078125 * tiny,
        1e-40,
        1e-20,
        3.0,
    ] {
        all.extend([value, -value].map(|value| E::of(value.into()).value()));
    }
    all
}

/// The comparisons of two operands as one number.
fn bits(x: &str, y: &str) -> String {
    let term = |(at, operator): (usize, &&str)| format!("(if {x} {operator} {y} {{ {}.0 }} else {{ 0.0 }})", 1 << at);
    OPERATORS.iter().enumerate().map(term).collect::<Vec<_>>().join(" + ")
}

/// What differs, as lines; where an operand is NaN the language says nothing.
fn differences(what: &str, pairs: &[(f32, f32)], got: &[f32]) -> Vec<String> {
    let wrong = pairs
        .iter()
        .zip(got)
        .filter(|((x, y), got)| !x.is_nan() && !y.is_nan() && **got != expected(*x, *y) as f32);
    wrong
        .map(|((x, y), got)| format!("{what}: {x:e} with {y:e} gives {got:?}, not {}", expected(*x, *y)))
        .collect()
}

fn check<E: Host>(chip: &str) -> Vec<String> {
    let what = |kind: &str| format!("{chip} {} {kind}", E::NAME);
    let specials = specials::<E>();
    let mut wrong = Vec::new();

    let pairs: Vec<(f32, f32)> = specials
        .iter()
        .flat_map(|x| specials.iter().map(|y| (*x, *y)))
        .collect();
    let column = |of: fn(&(f32, f32)) -> f32| pairs.iter().map(|pair| E::of(of(pair).into())).collect::<Vec<E>>();
    let (a, b) = (column(|pair| pair.0), column(|pair| pair.1));
    let blocks = compile(&rows::<E>(
        &["a".into(), "b".into()],
        &[],
        &[bits("a[(i, j)]", "b[(i, j)]")],
    ));
    let results = run(chip, blocks, &[&a, &b], &[], 1);
    wrong.extend(differences(&what("blocks"), &pairs, &results.device[0]));

    let row: Vec<E> = specials.iter().map(|value| E::of((*value).into())).collect();
    let text = |value: f32| match value {
        f32::INFINITY => "f32::INFINITY".to_string(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".to_string(),
        value => format!("({value:?})"),
    };
    // A number need not be one that the elements hold.
    let numbers: Vec<f32> = specials
        .iter()
        .copied()
        .chain([0.1, -0.1, f32::MAX, f32::MIN])
        .collect();
    let literals: Vec<f32> = numbers.iter().copied().filter(|value| !value.is_nan()).collect();
    for some in literals.chunks(7) {
        let expressions: Vec<String> = some
            .iter()
            .flat_map(|value| [bits("a[(i, j)]", &text(*value)), bits(&text(*value), "a[(i, j)]")])
            .collect();
        let kernel = compile(&rows::<E>(&["a".into()], &[], &expressions));
        let results = run(chip, kernel, &[&row], &[], expressions.len());
        for (value, both) in some.iter().zip(results.device.chunks(2)) {
            let right: Vec<_> = specials.iter().map(|x| (*x, *value)).collect();
            let left: Vec<_> = specials.iter().map(|x| (*value, *x)).collect();
            wrong.extend(differences(&what("with a literal"), &right, &both[0]));
            wrong.extend(differences(&what("a literal with"), &left, &both[1]));
        }
    }

    let expressions = [bits("a[(i, j)]", "s"), bits("s", "a[(i, j)]"), bits("s", "t")];
    let scalar = compile(&rows::<E>(&["a".into()], &["s", "t"], &expressions));
    for value in &numbers {
        let results = run(chip, scalar, &[&row], &[*value, 1.0], 3);
        let pairs = |pair: &dyn Fn(f32) -> (f32, f32)| specials.iter().map(|x| pair(*x)).collect::<Vec<_>>();
        wrong.extend(differences(
            &what("with a scalar"),
            &pairs(&|x| (x, *value)),
            &results.device[0],
        ));
        wrong.extend(differences(
            &what("a scalar with"),
            &pairs(&|x| (*value, x)),
            &results.device[1],
        ));
        wrong.extend(differences(
            &what("scalars"),
            &pairs(&|_| (*value, 1.0)),
            &results.device[2],
        ));
    }
    wrong
}

#[test]
fn comparisons_are_exact_at_the_ends_of_the_formats() {
    let wrong: Vec<String> = CHIPS
        .iter()
        .flat_map(|chip| [check::<f32>(chip), check::<bf16>(chip)])
        .flatten()
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
