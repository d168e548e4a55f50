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
mod known;
pub(crate) mod npy;
pub(crate) mod oracle;
mod padding;
mod products;
mod row;
mod spec;
mod structures;
mod table;

use case::Case;
use clap::Args;
use oracle::Oracle;
use row::Row;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use xtask::project;

/// Runs every operation on the real runtime's simulated chips, against the emulator and the reference
///
/// Writes docs/simulator.md. Fails where a launch does not run or differs from the emulator in a bit, where the emulator or the
/// chip is farther from the reference than the formats explain, where the simulator can say nothing of a launch that the page
/// does not list as such, and where there is no simulator.
#[derive(Args)]
pub struct Arguments {
    /// The tool that runs specs (default: ../shared/oracle/run_oracle)
    #[arg(long, value_name = "FILE")]
    oracle: Option<PathBuf>,
    /// Only the kernels that are called so or so and more (`exp`, `gemm-lofi`), separated by commas; the other rows stay
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Only this chip; writes no table
    #[arg(long, value_name = "NAME", value_parser = CHIPS)]
    arch: Option<String>,
    /// 1: one chip after the other; 2: both at once
    #[arg(long, value_name = "N", default_value = "2")]
    jobs: String,
    /// Where the folder `simulator` of launches is written anew (default: the target folder)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Other inputs and scalars than the page's, which are those of 1; writes no table
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Takes launches into the page of which the simulator can say nothing any more
    #[arg(long)]
    accept_silent: bool,
    /// The folder `simulator` of an earlier run with the same tool, from which the results of launches are taken that are the same now
    #[arg(long, value_name = "DIR")]
    known: Option<PathBuf>,
    /// The kernels by their names
    #[arg(long)]
    list: bool,
    /// Fails where the table would change instead of writing it
    #[arg(long)]
    check: bool,
    /// Says so and succeeds where there is no simulator
    #[arg(long)]
    skip_without_simulator: bool,
}

/// The chips, as the emulator and the runtime call them.
const CHIPS: [&str; 2] = [tt_device::WORMHOLE_B0.name, tt_device::BLACKHOLE.name];

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let cases = selected(arguments)?;
    if arguments.list {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(());
    }
    let oracle = match Oracle::find(arguments.oracle.as_deref()) {
        Ok(oracle) => oracle,
        Err(why) if arguments.skip_without_simulator => {
            println!("skipped: {why}");
            return Ok(());
        }
        Err(why) => return Err(format!("{why}; `--skip-without-simulator` does without")),
    };
    let chips: Vec<&str> = match &arguments.arch {
        None => CHIPS.to_vec(),
        Some(name) => vec![name],
    };
    let out = arguments.out.clone().unwrap_or_else(project::target).join("simulator");
    exact_products();

    if let Some(known) = arguments.known.as_ref().filter(|known| known.starts_with(&out)) {
        return Err(format!("{} is written anew: move it first", known.display()));
    }
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|error| format!("cannot empty {}: {error}", out.display()))?;
    }
    let mut rows = prepare(&cases, &chips, arguments.seed, &out)?;
    oracle.run(&out, &arguments.jobs, arguments.known.as_deref())?;
    for row in &mut rows {
        row.compare(&oracle)?;
    }
    let partial = chips.len() < CHIPS.len() || arguments.seed != 1;
    let page = page()?;
    let mut silent = table::silent(&page);
    if arguments.accept_silent {
        silent.extend(rows.iter().flat_map(Row::silent));
    }
    if arguments.only.is_some() && !partial {
        rows = with_kept(rows, &case::all(), &page)?;
    }
    report(&rows, &silent, partial, arguments.check)
}

/// The rows of all `cases`: those that were run, and of the others what the page has.
fn with_kept(run: Vec<Row>, cases: &[Case], page: &str) -> Result<Vec<Row>, String> {
    let mut lines = table::lines(page);
    let silent = table::silent(page);
    let mut count = HashMap::<_, usize>::new();
    for case in cases {
        *count.entry(table::place(case)).or_default() += 1;
    }
    let mut run: HashMap<String, Row> = run.into_iter().map(|row| (row.name.clone(), row)).collect();
    let rows = cases.iter().map(|case| {
        let place = table::place(case);
        // Rows of one operation stand in the order of their kernels, where none came or went.
        let known = lines.get_mut(&place).filter(|(_, all)| *all == count[&place]);
        let line = known.and_then(|(left, _)| left.pop_front());
        match (run.remove(&case.name), line) {
            (Some(row), _) => Ok(row),
            (None, Some(line)) => Ok(Row::kept(case, line, &silent)),
            (None, None) => Err(format!("the page has no row of `{}`: run it too", case.name)),
        }
    });
    rows.collect()
}

fn selected(arguments: &Arguments) -> Result<Vec<Case>, String> {
    let mut cases = case::all();
    if let Some(only) = &arguments.only {
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
