//! Every example of docs/language.md that is compiled is run: on both emulated chips, at ragged shapes, against the reference.

#[path = "../tt-backend/tests/language_page/blocks.rs"]
mod blocks;
#[path = "support/compiled.rs"]
mod compiled;

use blocks::{Block, Says, blocks};
use compiled::{CHIPS, Compiled, DEVICES, check, prepare};
use tt_host::Kernel;
use tt_lang::ir::{ElementType, Param};

/// What the extents and scalars of the examples are, by their names: two launches.
const VALUES: [(&str, [f64; 2]); 13] = [
    ("M", [70.0, 33.0]),
    ("N", [100.0, 64.0]),
    ("K", [50.0, 97.0]),
    ("B", [3.0, 2.0]),
    ("S", [70.0, 31.0]),
    ("H", [2.0, 3.0]),
    ("P", [4.0, 3.0]),
    ("W", [3.0, 2.0]),
    ("A", [20.0, 64.0]),
    ("alpha", [0.75, -0.5]),
    ("scale", [0.5, -2.0]),
    ("beta", [0.5, 1.25]),
    ("n", [5.0, 2.0]),
];

/// The most that a number x may be off, as a part of 1 + |x|: some roundings to `bf16`, which has 8 bits.
const TOLERANCE: f64 = 1.0 / 64.0;

/// A value of a tensor: numbers are exact in every type that has an exponent of its own, integers small enough to be an index.
fn element(of: ElementType, at: usize) -> f64 {
    let mixed = (at * 29 + at / 17) % 23;
    match of.is_integer() {
        true => (mixed % 4) as f64,
        false => (mixed as f64 - 11.0) / 8.0,
    }
}

/// Runs what `block` was compiled to, and says what is wrong.
fn run(block: &Block, tile: &tt_lang::ir::Kernel, kernel: &'static Kernel) -> Result<(), String> {
    let shares_exponents = |param: &Param| match param {
        Param::Tensor(tensor) => matches!(tensor.element.value, ElementType::Bfp8 | ElementType::Bfp4),
        Param::Scalar(_) | Param::Temporary(_) | Param::Derived(_) => false,
    };
    // Such an element is rounded beside the largest of 16: here sums of up to 97 products below 2.
    let tolerance = TOLERANCE
        * if tile.params.iter().any(shares_exponents) {
            8.0
        } else {
            1.0
        };
    for launch in [0, 1] {
        let named = |name: &str| {
            let known = VALUES.iter().find(|(known, _)| *known == name);
            known
                .unwrap_or_else(|| panic!("line {}: `{name}` has no value", block.line))
                .1[launch]
        };
        for name in DEVICES {
            let mut at = 0;
            let next = |of: ElementType| {
                at += 1;
                element(of, at)
            };
            let device = tt::Device::open_named(name).map_err(|error| error.to_string())?;
            let checked = check(&device, (tile, kernel), &named, next, tolerance);
            let what = format!("launch {launch} on {name}");
            match (block.says, checked) {
                (Says::Stops, Err(error)) if block.codes.iter().all(|code| error.to_string().contains(code)) => {}
                (Says::Stops, Err(error)) => return Err(format!("{what}: {:?}, found {error}", block.codes)),
                (Says::Stops, Ok(_)) => return Err(format!("{what}: {:?}, and it runs", block.codes)),
                (_, Err(error)) => return Err(format!("{what}: {error}")),
                (_, Ok(checked)) if checked.elements == 0 => return Err(format!("{what}: nothing is compared")),
                (_, Ok(_)) => {}
            }
        }
    }
    Ok(())
}

#[test]
fn every_example_of_the_language_page_computes_what_the_reference_says() {
    let blocks = blocks();
    let compiled: Vec<(&Block, Compiled)> = blocks
        .iter()
        .filter(|block| block.says != Says::Refused)
        .map(|block| {
            let tile = block.read().kernel;
            let compiled = Compiled::of(tile.unwrap_or_else(|| panic!("line {}: refused", block.line)));
            let compiled = compiled.unwrap_or_else(|errors| panic!("line {}: {errors:?}", block.line));
            (block, compiled)
        })
        .collect();
    prepare(compiled.iter().map(|(_, compiled)| compiled), &CHIPS);
    let (mut right, mut of_passes, mut wrong) = (0, 0, Vec::new());
    for (block, compiled) in compiled {
        // What the passes make of it computes the same; where it stops, that is the device's to say.
        let rewritten = match block.says {
            Says::Stops => None,
            Says::Right | Says::Warned | Says::Refused => compiled.rewritten().expect("it was compiled"),
        };
        of_passes += usize::from(rewritten.is_some());
        for compiled in std::iter::once(compiled).chain(rewritten) {
            let tile = compiled.tile.clone();
            match run(block, &tile, compiled.kernel()) {
                Ok(()) => right += 1,
                Err(error) => {
                    let what = if block.is_fragment { "statements" } else { "kernel" };
                    wrong.push(format!("{what} at line {}: {error}", block.line));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} examples are right, {of_passes} also as the passes have them",
        right - of_passes
    );
}
