//! What operations make of infinities, NaN, subnormal numbers and the negative zero, per type and chip.

use super::kernel::{CHIPS, Host, compile, rows, run};
use super::page;
use tt::bf16;
use tt_lang::ir::{ELEMENT_OPS, ElementOpRow};

/// Expressions over `x` beside every operation; what the language fixes stands beside what it leaves open.
const MORE: [&str; 18] = [
    "x.powi(-1)",
    "x.powi(-2)",
    "x.powi(-3)",
    "x.powf(-0.5)",
    "x.powf(0.5)",
    "x.powf(-1.5)",
    "x.max(1.0)",
    "x.min(1.0)",
    "x + 1.0",
    "x - x",
    "x * 0.0",
    "x / x",
    "(x - x).exp()",
    "if x < y { 1.0 } else { 0.0 }",
    "if x >= y { 1.0 } else { 0.0 }",
    "if x == x { 1.0 } else { 0.0 }",
    "if x < 1.0 { 1.0 } else { 0.0 }",
    "if x >= 1.0 { 1.0 } else { 0.0 }",
];

/// `x`, every operation on numbers, of two elements with `y` on either side, and [`MORE`]; and how many of the last widen the
/// registers of their kernel.
fn expressions() -> (Vec<String>, usize) {
    let of = |row: &ElementOpRow, elements: &[f64]| (row.value)(&[elements, row.trial].concat());
    let commutes = |row: &ElementOpRow| of(row, &[2.0, 3.0]) == of(row, &[3.0, 2.0]);
    let written = |row: &'static ElementOpRow| match row.arity - row.uniform {
        1 => vec![row.written(&["x"])],
        2 if commutes(row) => vec![row.written(&["x", "y"])],
        2 => vec![row.written(&["x", "y"]), row.written(&["y", "x"])],
        _ => vec![row.written(&["x", "y", "y"]), row.written(&["y", "x", "y"])],
    };
    let (wide, narrow): (Vec<&ElementOpRow>, Vec<&ElementOpRow>) =
        ELEMENT_OPS.iter().partition(|row| row.wants_wide_registers(false));
    let mut all = vec!["x".to_string()];
    all.extend(narrow.into_iter().flat_map(written));
    all.extend(MORE.iter().map(ToString::to_string));
    let wide: Vec<String> = wide.into_iter().flat_map(written).collect();
    let count = wide.len();
    all.extend(wide);
    (all, count)
}

/// The values of `x`; `y` is 1.
const VALUES: [(&str, f32); 7] = [
    ("∞", f32::INFINITY),
    ("−∞", f32::NEG_INFINITY),
    ("NaN", f32::NAN),
    ("subnormal", 1e-40),
    ("−subnormal", -1e-40),
    ("0", 0.0),
    ("−0", -0.0),
];

fn shown(value: f32) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "∞" } else { "−∞" }.into()
    } else if value.is_subnormal() {
        if value > 0.0 { "subnormal" } else { "−subnormal" }.into()
    } else if value == 0.0 {
        if value.is_sign_negative() { "−0" } else { "0" }.into()
    } else if value.abs() > 1e37 {
        format!("{value:.2e}")
    } else {
        format!("{:.4}", value)
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_string()
    }
}

/// Whether a chip's value is the reference's, rounded to bf16; zeros have any sign.
fn agrees(got: f32, reference: f32) -> bool {
    got == reference || (got - reference).abs() <= reference.abs() / 128.0
}

/// By expression, then by value.
fn results<E: Host>(chip: &str) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let x: Vec<E> = VALUES.iter().map(|(_, value)| E::of((*value).into())).collect();
    let y: Vec<E> = VALUES.iter().map(|_| E::of(1.0)).collect();
    let (mut device, mut reference) = (Vec::new(), Vec::new());
    let (expressions, wide) = expressions();
    let (narrow, wide) = expressions.split_at(expressions.len() - wide);
    for some in narrow.chunks(13).chain(wide.chunks(13)) {
        let expressions: Vec<String> = some
            .iter()
            .map(|text| {
                // `x` and `y` stand alone, in no name.
                text.split_inclusive(|c: char| !c.is_alphanumeric())
                    .map(|word| {
                        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric());
                        match name {
                            "x" | "y" => word.replacen(name, &format!("{name}[(i, j)]"), 1),
                            _ => word.to_string(),
                        }
                    })
                    .collect()
            })
            .collect();
        let kernel = compile(&rows::<E>(&["x".into(), "y".into()], &[], &expressions));
        let results = run(chip, kernel, &[&x, &y], &[], some.len());
        device.extend(results.device);
        reference.extend(results.reference);
    }
    (device, reference)
}

#[test]
fn the_ends_of_the_formats_come_out_as_the_page_says() {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for element in ["f32", "bf16"] {
        let chips = CHIPS.map(|chip| match element {
            "f32" => results::<f32>(chip),
            _ => results::<bf16>(chip),
        });
        let names: Vec<&str> = VALUES.iter().map(|(name, _)| *name).collect();
        table += &format!(
            "| {element}: `x` is | {} |\n|---|{}\n",
            names.join(" | "),
            "---|".repeat(names.len())
        );
        for (at, text) in expressions().0.iter().enumerate() {
            table += &format!("| `{text}` |");
            for (value, name) in names.iter().enumerate() {
                let [wormhole, blackhole] = [0, 1].map(|chip: usize| shown(chips[chip].0[at][value]));
                let reference = chips[0].1[at][value];
                // The language fixes what has a value at infinities and at 0.
                let open = reference.is_nan() || !(name.contains('∞') || *name == "0");
                if !open {
                    wrong.extend(
                        (0..2)
                            .filter(|chip| !agrees(chips[*chip].0[at][value], reference))
                            .map(|chip| {
                                format!(
                                    "{element} {text} of {name}: {}, not {reference}",
                                    chips[chip].0[at][value]
                                )
                            }),
                    );
                }
                let cell = if wormhole == blackhole {
                    wormhole
                } else {
                    format!("{wormhole}; Blackhole: {blackhole}")
                };
                table += &match open {
                    true => format!(" *{cell}* |"),
                    false => format!(" {cell} |"),
                };
            }
            table += "\n";
        }
        table += "\n";
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    page::hold("ends", &table);
}
