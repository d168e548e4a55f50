//! `cargo xtask conformance simulator`: every operation of the language, run by the real runtime on simulated chips.
//!
//! For each kernel of `case::all`, each chip and each kind of inputs: the launch on the emulator, the same launch from the
//! plan file alone through the runtime's JIT and dispatch on the simulated chip, and the reference interpreter. What they
//! differ by, element by element, is the table docs/simulator.md.

mod blocks;
mod bound;
mod case;
mod distance;
mod elementwise;
mod inputs;
pub(crate) mod npy;
pub(crate) mod oracle;
mod padding;
mod products;
mod row;
mod spec;
mod structures;
mod table;

use case::Case;
use oracle::Oracle;
use row::Row;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xtask::arguments::{Arguments, Chore};
use xtask::project;

/// The chore.
pub const CHECK: Chore = Chore {
    name: "simulator",
    operand: "",
    options: &[
        (
            "oracle",
            "FILE",
            "the tool that runs specs (default: ../shared/oracle/run_oracle)",
        ),
        (
            "only",
            "NAMES",
            "only the kernels that are called so or so and more (`exp`, `gemm-lofi`), separated by commas; writes no table",
        ),
        ("arch", "NAME", "only wormhole_b0 or blackhole; writes no table"),
        ("jobs", "N", "1: one chip after the other (default: 2, both at once)"),
        (
            "out",
            "DIR",
            "where the folder `simulator` of launches is written anew (default: the target folder)",
        ),
        (
            "seed",
            "N",
            "other inputs and scalars than the page's (default: 1, the page's); writes no table",
        ),
        (
            "accept-silent",
            "",
            "takes launches into the page of which the simulator can say nothing any more",
        ),
        ("list", "", "the kernels by their names"),
        ("check", "", "fails where the table would change instead of writing it"),
        (
            "skip-without-simulator",
            "",
            "says so and succeeds where there is no simulator",
        ),
    ],
    about: "runs every operation on the real runtime's simulated chips, against the emulator and the reference\n\n\
            Writes docs/simulator.md. Fails where a launch does not run or differs from the emulator in a bit, where the emulator\n\
            or the chip is farther from the reference than the formats explain, where the simulator can say nothing of a launch\n\
            that the page does not list as such, and where there is no simulator.",
    run,
};

/// The chips, as the emulator and the runtime call them.
const CHIPS: [&str; 2] = [tt_device::WORMHOLE_B0.name, tt_device::BLACKHOLE.name];

fn run(arguments: &Arguments) -> Result<(), String> {
    let cases = selected(arguments)?;
    if arguments.option("list").is_some() {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(());
    }
    let oracle = match Oracle::find(arguments.option("oracle")) {
        Ok(oracle) => oracle,
        Err(why) if arguments.option("skip-without-simulator").is_some() => {
            println!("skipped: {why}");
            return Ok(());
        }
        Err(why) => return Err(format!("{why}; `--skip-without-simulator` does without")),
    };
    let chips: Vec<&str> = match arguments.option("arch") {
        None => CHIPS.to_vec(),
        Some(name) => CHIPS.iter().copied().filter(|chip| *chip == name).collect(),
    };
    if chips.is_empty() {
        return Err(format!("`--arch` is one of {}", CHIPS.join(", ")));
    }
    let out = arguments
        .option("out")
        .map_or_else(project::target, PathBuf::from)
        .join("simulator");
    let seed = match arguments.option("seed") {
        None => 1,
        Some(text) => text
            .parse()
            .map_err(|_| format!("`--seed` is a whole number, not `{text}`"))?,
    };
    exact_products();

    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|error| format!("cannot empty {}: {error}", out.display()))?;
    }
    let mut rows = prepare(&cases, &chips, seed, &out)?;
    oracle.run(&out, arguments.option("jobs").unwrap_or("2"))?;
    for row in &mut rows {
        row.compare(&oracle)?;
    }
    let partial = arguments.option("only").is_some() || chips.len() < CHIPS.len() || seed != 1;
    let mut silent = table::silent(&page()?);
    if arguments.option("accept-silent").is_some() {
        silent.extend(rows.iter().flat_map(Row::silent));
    }
    report(&rows, &silent, partial, arguments.option("check").is_some())
}

fn selected(arguments: &Arguments) -> Result<Vec<Case>, String> {
    let mut cases = case::all();
    if let Some(only) = arguments.list("only") {
        let is_meant = |case: &Case, name: &str| {
            let rest = case.name.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        if let Some(unknown) = only.iter().find(|name| !cases.iter().any(|case| is_meant(case, name))) {
            return Err(format!("no kernel is called `{unknown}`; `--list` shows them"));
        }
        cases.retain(|case| only.iter().any(|name| is_meant(case, name)));
    }
    Ok(cases)
}

/// Bit for bit, also where the emulator has a faster way by default.
fn exact_products() {
    // SAFETY: nothing else runs yet; the emulator reads the variable at its first product.
    unsafe { std::env::set_var("TT_EMULATOR_FPU", "exact") };
}

/// Runs everything on the emulator and writes the specs; two kernels at a time.
fn prepare(cases: &[Case], chips: &[&str], seed: u64, out: &Path) -> Result<Vec<Row>, String> {
    let half = cases.len().div_ceil(2).max(1);
    let of = |cases: &[Case]| {
        cases
            .iter()
            .map(|case| Row::prepare(case, chips, seed, out))
            .collect::<Result<Vec<_>, _>>()
    };
    let parts: Vec<Result<Vec<Row>, String>> = std::thread::scope(|scope| {
        let handles: Vec<_> = cases.chunks(half).map(|part| scope.spawn(move || of(part))).collect();
        handles
            .into_iter()
            .map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|_| Err("a run on the emulator panicked".into()))
            })
            .collect()
    });
    Ok(parts
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

fn page_path() -> PathBuf {
    project::root().join("docs/simulator.md")
}

/// The page as it is.
fn page() -> Result<String, String> {
    let path = page_path();
    std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Prints or writes the table. An error, and nothing written, where a launch fails; `silent` are those that may be
/// without a result.
fn report(rows: &[Row], silent: &BTreeSet<String>, partial: bool, check: bool) -> Result<(), String> {
    let failed: Vec<String> = rows.iter().flat_map(|row| row.failures(silent)).collect();
    let text = table::text(rows);
    let path = page_path();
    if partial {
        println!("{text}");
    } else if check {
        let known = page()?;
        if known != text {
            let news = text.lines().filter(|line| !known.lines().any(|known| known == *line));
            let news: Vec<&str> = news.collect();
            return Err(format!(
                "{} is no longer true; new:\n{}",
                path.display(),
                news.join("\n")
            ));
        }
    } else if failed.is_empty() {
        project::write(&path, &text)?;
    }
    println!("{}", table::summary(rows));
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("{} faults:\n{}", failed.len(), failed.join("\n")))
    }
}
