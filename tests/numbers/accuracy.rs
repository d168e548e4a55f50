//! How far every function of the language is from its value, on every chip and type.

use super::kernel::{CHIPS, Host, compile, rows, run};
use super::page;
use tt::bf16;
use tt_lang::ir::{ELEMENT_OPS, ElementOp, ElementOpRow};

/// A function as it is measured.
struct Function {
    /// As users write it, of `x`.
    text: String,
    row: &'static ElementOpRow,
    /// The numbers after `x`.
    numbers: &'static [f64],
}

/// Every operation that takes one element, over its domain. Those of two are rounded once or not at all, apart from a
/// division, which is one by a number here. Those that widen the registers of their kernel are last.
fn functions() -> Vec<Function> {
    let function = |row: &'static ElementOpRow| {
        let (text, numbers) = match row.arity - row.uniform {
            1 => (row.written(&["x"]), row.trial),
            _ if row.op == ElementOp::Div => (row.written(&["x", "3.0"]), &[3.0][..]),
            _ => return None,
        };
        Some(Function { text, row, numbers })
    };
    let mut functions: Vec<Function> = ELEMENT_OPS.iter().filter_map(function).collect();
    functions.sort_by_key(|function| function.row.wants_wide_registers());
    functions
}

/// Arguments of a launch.
const COUNT: usize = 8192;

/// Half spread evenly, half by magnitude, over a range, and 0; where it is wide evenly means up to 100.
fn arguments<E: Host>((low, high): (f64, f64)) -> Vec<E> {
    let (near_low, near_high) = (low.max(-100.0), high.min(100.0));
    (0..COUNT)
        .map(|at| {
            let part = |count: usize, at: usize| at as f64 / (count - 1) as f64;
            let x = if at < COUNT / 2 {
                near_low + (near_high - near_low) * part(COUNT / 2, at)
            } else {
                // Down to 2^-40 on both sides.
                let side = if at.is_multiple_of(2) { high } else { low };
                let least = 2f64.powi(-40).min(side.abs()).max(if low > 0.0 { low } else { 0.0 });
                let exponent = part(COUNT / 2, at - COUNT / 2);
                let magnitude = least * (side.abs() / least).powf(exponent);
                if low > 0.0 {
                    low.max(magnitude)
                } else {
                    magnitude.copysign(side)
                }
            };
            let x = E::of(x);
            // Rounding may leave the range.
            if at == 0 && (low..=high).contains(&0.0) {
                E::of(0.0)
            } else if (low..=high).contains(&f64::from(x.value())) {
                x
            } else {
                E::of((low + near_high) / 2.0)
            }
        })
        .collect()
}

/// The largest errors of a function.
#[derive(Debug, Clone, Copy, Default)]
struct Worst {
    /// Relative to the value.
    relative: f64,
    /// Where that is.
    at: f64,
    /// The largest difference, where the relative error is above the bound of its type.
    absolute: f64,
}

/// What a function may be off by, relatively: four units in the last place of f32, two of a truncated bf16.
fn bound<E: Host>() -> f64 {
    if E::NAME == "f32" { 5e-7 } else { 1e-2 }
}

/// The device's own functions that are further off somewhere; the page says where and by how much.
const FURTHER_OFF: &[ElementOp] = &[ElementOp::Gelu, ElementOp::Tanhshrink];

fn measure<E: Host>(chip: &str, functions: &[Function]) -> Vec<Worst> {
    let inputs: Vec<Vec<E>> = functions
        .iter()
        .map(|function| arguments(function.row.domain))
        .collect();
    let names: Vec<String> = (0..functions.len()).map(|at| format!("x{at}")).collect();
    let expressions: Vec<String> = functions
        .iter()
        .zip(&names)
        .map(|(function, name)| function.text.replacen('x', &format!("{name}[(i, j)]"), 1))
        .collect();
    let kernel = compile(&rows::<E>(&names, &[], &expressions));
    let inputs: Vec<&[E]> = inputs.iter().map(Vec::as_slice).collect();
    let results = run(chip, kernel, &inputs, &[], functions.len());
    let worst = |(function, (input, got)): (&Function, (&&[E], &Vec<f32>))| {
        let mut worst = Worst::default();
        for (x, got) in input.iter().zip(got) {
            let x = f64::from(x.value());
            let exact = (function.row.value)(&[&[x], function.numbers].concat());
            let got = f64::from(*got);
            let error = if got == exact { 0.0 } else { (got - exact).abs() };
            let least = f64::from(f32::MIN_POSITIVE);
            // What is below the normal range counts as 0.
            let relative = if error < least {
                0.0
            } else {
                error / exact.abs().max(least)
            };
            assert!(!relative.is_nan(), "{} of {x} is {got}", function.text);
            if relative > worst.relative {
                (worst.relative, worst.at) = (relative, x);
            }
            if relative > bound::<E>() {
                worst.absolute = worst.absolute.max(error);
            }
        }
        worst
    };
    functions
        .iter()
        .zip(inputs.iter().zip(&results.device))
        .map(worst)
        .collect()
}

fn cell<E: Host>(worst: Worst) -> String {
    match worst {
        Worst { relative: 0.0, .. } => "exact".into(),
        Worst { relative, at, absolute } if relative > bound::<E>() => {
            format!("**{relative:.1e}** at {at:.4}, {absolute:.1e} in absolute terms")
        }
        Worst { relative, .. } => format!("{relative:.1e}"),
    }
}

#[test]
fn functions_are_as_near_as_the_page_says() {
    let functions = functions();
    let mut table = "| function | from | to | f32: Wormhole | Blackhole | bf16: Wormhole | Blackhole |\n|---|---|---|---|---|---|---|\n".to_string();
    let mut far = Vec::new();
    let widens = |a: &Function, b: &Function| a.row.wants_wide_registers() == b.row.wants_wide_registers();
    for part in functions.chunk_by(widens).flat_map(|alike| alike.chunks(10)) {
        let f32s = CHIPS.map(|chip| measure::<f32>(chip, part));
        let bf16s = CHIPS.map(|chip| measure::<bf16>(chip, part));
        for (at, function) in part.iter().enumerate() {
            let (low, high) = function.row.domain;
            table += &format!("| `{}` | {low:.4e} | {high:.4e} |", function.text);
            for worst in f32s.iter().map(|each| each[at]) {
                table += &format!(" {} |", cell::<f32>(worst));
            }
            for worst in bf16s.iter().map(|each| each[at]) {
                table += &format!(" {} |", cell::<bf16>(worst));
            }
            table += "\n";
            let is_far = f32s.iter().any(|each| each[at].relative > bound::<f32>())
                || bf16s.iter().any(|each| each[at].relative > bound::<bf16>());
            if is_far {
                far.push(function.row.op);
            }
        }
    }
    println!("{table}");
    far.sort_by_key(|op| op.row().name);
    assert_eq!(
        far, FURTHER_OFF,
        "functions that are further off than their type allows"
    );
    page::hold("accuracy", &table);
}
