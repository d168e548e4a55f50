//! How far every function of the language is from its value, on every chip and type.

use super::kernel::{CHIPS, Host, compile_with, rows, run};
use super::page;
use tt::{bf16, f16};
use tt_lang::ir::{ELEMENT_OPS, ElementOp, ElementOpRow};

/// A function as it is measured.
struct Function {
    /// As users write it, of `x`, and of `y` and `z` where it takes more elements.
    text: String,
    row: &'static ElementOpRow,
    /// Where those come from.
    others: Vec<(f64, f64)>,
}

impl Function {
    /// Whether it widens the registers of its kernel, exact or approximate.
    fn widens(&self) -> [bool; 2] {
        [false, true].map(|approximate| self.row.wants_wide_registers(approximate))
    }
}

/// Where the second operand comes from, if not from where the first does.
const SECOND: [(ElementOp, (f64, f64)); 8] = [
    // The reciprocal of more is no normal number.
    (ElementOp::Div, (-1e37, 1e37)),
    (ElementOp::Pow, (-2.5, 2.5)),
    (ElementOp::Rpow, (1e-14, 1e15)),
    (ElementOp::Fmod, (0.5, 10.0)),
    (ElementOp::Remainder, (0.5, 10.0)),
    (ElementOp::Xlogy, (1e-30, 1e30)),
    (ElementOp::Prelu, (-100.0, 100.0)),
    (ElementOp::Rdiv, (-1e38, 1e38)),
];

/// Every operation on numbers, over its domain. Those that widen the registers of their kernel are last.
fn functions() -> Vec<Function> {
    let function = |row: &'static ElementOpRow| {
        let elements = &["x", "y", "z"][..row.arity - row.uniform];
        let known = SECOND.iter().find(|(op, _)| *op == row.op);
        let range = known.map_or(row.domain, |(_, range)| *range);
        Function {
            text: row.written(elements),
            row,
            others: vec![range; elements.len() - 1],
        }
    };
    let mut functions: Vec<Function> = ELEMENT_OPS.iter().map(function).collect();
    functions.sort_by_key(Function::widens);
    functions
}

/// Arguments of a launch.
const COUNT: usize = 8192;

/// Half spread evenly, half by magnitude, over a range, and 0; where it is wide evenly means up to 100, and up to 4.
fn arguments<E: Host>((low, high): (f64, f64)) -> Vec<E> {
    let most = f64::from(E::MOST);
    let (low, high) = (low.max(-most), high.min(most));
    let (low, high) = (
        if low > 0.0 { low.max(E::LEAST) } else { low },
        if high < 0.0 { high.min(-E::LEAST) } else { high },
    );
    let (near_low, near_high) = (low.max(-100.0), high.min(100.0));
    let nearest = (low.max(-4.0), high.min(4.0));
    (0..COUNT)
        .map(|at| {
            let part = |count: usize, at: usize| at as f64 / (count - 1) as f64;
            let x = if at < COUNT / 4 {
                near_low + (near_high - near_low) * part(COUNT / 4, at)
            } else if at < COUNT / 2 {
                nearest.0 + (nearest.1 - nearest.0) * part(COUNT / 4, at - COUNT / 4)
            } else {
                // Down to 2^-40 on both sides, or the least normal number.
                let side = if at.is_multiple_of(2) { high } else { low };
                let least = 2f64
                    .powi(-40)
                    .max(E::LEAST)
                    .min(side.abs())
                    .max(if low > 0.0 { low } else { 0.0 });
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

/// Second and third arguments: those of a range, each beside another first one.
fn others<E: Host>(range: (f64, f64), place: usize) -> Vec<E> {
    let straight = arguments(range);
    // Odd, so that it goes through all of them.
    let step = [2731, 4567][place];
    (0..COUNT).map(|at| straight[at * step % COUNT]).collect()
}

/// The largest errors of a function.
#[derive(Debug, Clone, Default, PartialEq)]
struct Worst {
    /// In units in the last place of the value.
    units: f64,
    /// Where that is.
    at: Vec<f64>,
    /// The largest difference, where the error is above the bound of its type.
    absolute: f64,
}

/// What a function may be off by, in units in the last place.
fn bound<E: Host>() -> f64 {
    if E::NAME == "f32" { 8.0 } else { 2.5 }
}

/// The functions that are further off somewhere; the page says where and by how much.
const FURTHER_OFF: &[ElementOp] = &[
    ElementOp::Digamma,
    ElementOp::Fmod,
    ElementOp::Gelu,
    ElementOp::GeluDerivative,
    ElementOp::GeluTanh,
    ElementOp::Lerp,
    ElementOp::Logaddexp,
    ElementOp::Logaddexp2,
    ElementOp::Remainder,
    ElementOp::Tanhshrink,
];

fn measure<E: Host>(chip: &str, attribute: &str, functions: &[Function]) -> Vec<Worst> {
    let mut inputs: Vec<Vec<E>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut expressions: Vec<String> = Vec::new();
    for (at, function) in functions.iter().enumerate() {
        inputs.push(arguments(function.row.domain));
        names.push(format!("x{at}"));
        for (place, range) in function.others.iter().enumerate() {
            inputs.push(others(*range, place));
            names.push(format!("{}{at}", ["y", "z"][place]));
        }
        let element = |name: &str| format!("{name}{at}[(i, j)]");
        let elements = ["x", "y", "z"].map(element);
        let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
        expressions.push(
            function
                .row
                .written(&elements[..function.row.arity - function.row.uniform]),
        );
    }
    let kernel = compile_with(attribute, &rows::<E>(&names, &[], &expressions));
    let inputs: Vec<&[E]> = inputs.iter().map(Vec::as_slice).collect();
    let results = run(chip, kernel, &inputs, &[], functions.len());
    let mut operands = inputs.iter();
    let mut worst = |(function, got): (&Function, &Vec<f32>)| {
        let x = operands.next().expect("an input");
        let others: Vec<&&[E]> = operands.by_ref().take(function.others.len()).collect();
        let mut worst = Worst::default();
        for (at, got) in got.iter().enumerate() {
            let x = f64::from(x[at].value());
            let y: Vec<f64> = others.iter().map(|y| f64::from(y[at].value())).collect();
            let numbers = [&[x], y.as_slice(), function.row.trial].concat();
            let (exact, got) = ((function.row.value)(&numbers), f64::from(*got));
            // Two operands may have no value, or none that the format holds.
            if exact.is_nan() || exact.abs() > f64::from(E::MOST) {
                // One that is a little off may still be below the end.
                let is_infinite = got == f64::from(E::of(exact).value()) || exact.abs() < 2.0 * f64::from(E::MOST);
                assert!(!y.is_empty() || is_infinite, "{} of {x} is {got}", function.text);
                continue;
            }
            let error = if got == exact { 0.0 } else { (got - exact).abs() };
            // What is below the normal range of the registers counts as 0.
            let units = if error < f64::from(f32::MIN_POSITIVE) {
                0.0
            } else {
                error / (exact.abs().max(E::LEAST).log2().floor() - f64::from(E::FRACTION)).exp2()
            };
            assert!(!units.is_nan(), "{} of {x} and {y:?} is {got}", function.text);
            if units > worst.units {
                (worst.units, worst.at) = (units, [&[x], y.as_slice()].concat());
            }
            if units > bound::<E>() {
                worst.absolute = worst.absolute.max(error);
            }
        }
        worst
    };
    functions.iter().zip(&results.device).map(&mut worst).collect()
}

fn cell<E: Host>(worst: &Worst) -> String {
    let units = match worst.units {
        0.0 => return "exact".into(),
        few if few < 100.0 => format!("{few:.1}"),
        many => format!("{many:.1e}"),
    };
    if worst.units <= bound::<E>() {
        return units;
    }
    let place: Vec<String> = worst.at.iter().map(|x| format!("{x:.4e}")).collect();
    let place = place.join(", ");
    format!("**{units}** at {place}, {:.1e} in absolute terms", worst.absolute)
}

/// What all functions are off by, by function: each type on both chips.
fn measured(attribute: &str, functions: &[Function]) -> Vec<[Worst; 6]> {
    let parts = functions
        .chunk_by(|a, b| a.widens() == b.widens())
        .flat_map(|alike| alike.chunks(10));
    let mut all = Vec::new();
    for part in parts {
        let [a, b] = CHIPS.map(|chip| measure::<f32>(chip, attribute, part));
        let [c, d] = CHIPS.map(|chip| measure::<bf16>(chip, attribute, part));
        let [e, f] = CHIPS.map(|chip| measure::<f16>(chip, attribute, part));
        all.extend((0..part.len()).map(|at| [&a, &b, &c, &d, &e, &f].map(|all| all[at].clone())));
    }
    all
}

fn line(function: &Function, [a, b, c, d, e, f]: &[Worst; 6]) -> String {
    let ranges: Vec<String> = ([function.row.domain].iter().chain(&function.others))
        .map(|(low, high)| format!("{low:.4e} to {high:.4e}"))
        .collect();
    let mut ranges = ranges;
    ranges.dedup();
    let wide = [cell::<f32>(a), cell::<f32>(b)];
    let narrow = [cell::<bf16>(c), cell::<bf16>(d), cell::<f16>(e), cell::<f16>(f)];
    let cells = [wide.as_slice(), narrow.as_slice()].concat();
    format!(
        "| `{}` | {} | {} |\n",
        function.text,
        ranges.join("; "),
        cells.join(" | ")
    )
}

const HEAD: &str = "| function | between | f32: Wormhole | Blackhole | bf16: Wormhole | Blackhole | f16: Wormhole | Blackhole |\n|---|---|---|---|---|---|---|---|\n";

#[test]
fn functions_are_as_near_as_the_page_says() {
    let functions = functions();
    let (accurate, approximate) = (measured("", &functions), measured("approx = true", &functions));
    let (mut table, mut faster) = (HEAD.to_string(), HEAD.to_string());
    let mut far = Vec::new();
    for (function, (accurate, approximate)) in functions.iter().zip(accurate.iter().zip(&approximate)) {
        table += &line(function, accurate);
        if approximate != accurate {
            faster += &line(function, approximate);
        }
        let [a, b, c, d, e, f] = accurate.each_ref().map(|worst| worst.units);
        if a.max(b) > bound::<f32>() || c.max(d) > bound::<bf16>() || e.max(f) > bound::<f16>() {
            far.push(function.row.op);
        }
    }
    println!("{table}\n{faster}");
    far.sort_by_key(|op| op.row().name);
    assert_eq!(
        far, FURTHER_OFF,
        "functions that are further off than their type allows"
    );
    page::hold("accuracy", &table);
    page::hold("approximate accuracy", &faster);
}
