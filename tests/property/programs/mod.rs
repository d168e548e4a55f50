//! Random whole programs against plain loops, exactly.
//!
//! Blocks carried round loops and read inside them, redefined, written under conditions or never used; several products and
//! outputs. [`program`], [`uses`] and [`terms`] are what they are, [`text`] how they are written down, [`generate`] and [`calm`] make them, [`evaluate`] says what they
//! compute, [`run`] compiles them in all [`ways`] and runs them on both chips, and [`shrink`] makes those that fail small.

mod calm;
mod evaluate;
mod found;
mod generate;
mod program;
mod run;
mod shrink;
mod terms;
mod text;
mod uses;
mod ways;

pub use run::{Verdict, compile};

use super::random::Random;
use super::variable;
use program::{Program, Shape};
use run::{Fault, LIMITS};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use ways::{BUDGETS, is_budget};

/// Programs of a run, unless `TT_PROPERTY_PROGRAMS` says otherwise.
const PROGRAMS: u64 = 64;
/// Programs whose C++ is compiled together.
const TOGETHER: u64 = 64;
/// At most this share of programs may be refused for other limits of the compiler than its budgets.
const MOST_REFUSED: f64 = 0.02;
/// Fewer programs than this tell little of a share.
const TELLING: u64 = 256;

fn program(seed: u64, number: u64) -> Program {
    generate::generate(&mut Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number)))
}

/// The smallest program that fails like `program`.
fn smallest(program: Program, mut fault: Fault) -> (Program, Fault) {
    let kind = fault.kind.clone();
    let is_refused = run::compile(&text::source(&program), &program.options).is_err();
    let check = if is_refused { run::refusals } else { run::check };
    let program = shrink::shrink(program, |candidates| {
        check(candidates).into_iter().enumerate().find_map(|(at, verdict)| {
            fault = verdict.fault().filter(|found| found.kind == kind)?;
            Some(at)
        })
    });
    (program, fault)
}

fn show(name: &str, program: &Program, fault: &Fault) -> String {
    let comment: String = fault.report.lines().map(|line| format!("// {line}\n")).collect();
    let launch = match program.shapes.first() {
        Some(shape) => {
            let Shape {
                m,
                n,
                k,
                l,
                count,
                alpha,
                ..
            } = shape;
            format!("L = {l}, M = {m}, N = {n}, K = {k}, n = {count}, alpha = {alpha}")
        }
        None => String::new(),
    };
    format!(
        "// {name}: {kind}\n{comment}// launch: {launch}\n// options: {options}\n{source}",
        kind = fault.kind,
        options = program.options,
        source = text::source(program)
    )
}

#[test]
fn random_programs_compute_what_plain_loops_do() {
    let seed = variable("TT_PROPERTY_SEED", 1);
    let limit = variable("TT_PROPERTY_SECONDS", 0);
    let programs = variable("TT_PROPERTY_PROGRAMS", if limit > 0 { u64::MAX } else { PROGRAMS });
    // Where to write what fails; then the run goes on.
    let found = std::env::var_os("TT_PROPERTY_FOUND").map(PathBuf::from);
    let start = Instant::now();
    // To see one again.
    let first = variable("TT_PROPERTY_FIRST", 0);
    let (mut right, mut held, mut wrong, mut number) = (0, 0, 0, first);
    let mut also = BTreeMap::<String, u64>::new();
    let mut refused = BTreeMap::<u16, u64>::new();
    let mut kinds = BTreeMap::<String, u64>::new();
    while number < programs && (limit == 0 || start.elapsed() < Duration::from_secs(limit)) {
        let batch: Vec<Program> = (number..programs.min(number + TOGETHER))
            .map(|number| program(seed, number))
            .collect();
        if let [one] = batch.as_slice() {
            println!("{}", text::source(one));
        }
        for (program, verdict) in batch.iter().zip(run::check(&batch)) {
            match &verdict {
                Verdict::Right { of_passes, ways } => {
                    right += 1;
                    held += u64::from(*of_passes);
                    ways.iter()
                        .for_each(|way| *also.entry(way.to_string()).or_default() += 1);
                }
                Verdict::Refused(code) => *refused.entry(*code).or_default() += 1,
                Verdict::Wrong(_) => wrong += 1,
            }
            let is_wrong = matches!(verdict, Verdict::Wrong(_));
            if let Some(fault) = verdict.fault() {
                let name = format!("program {number} of seed {seed}");
                let times = kinds.entry(fault.kind.clone()).or_default();
                *times += 1;
                match &found {
                    None if is_wrong => {
                        let (small, fault) = smallest(program.clone(), fault);
                        panic!("{}", show(&name, &small, &fault));
                    }
                    Some(folder) if *times == 1 => {
                        println!("{name}: {}", fault.report);
                        let (small, fault) = smallest(program.clone(), fault);
                        let path = folder.join(format!("seed{seed}_program{number}.rs"));
                        std::fs::write(path, show(&name, &small, &fault)).expect("the folder can be written to");
                    }
                    Some(_) if is_wrong => println!("{name}: {}", fault.report),
                    None | Some(_) => {}
                }
            }
            number += 1;
        }
        println!(
            "{number} programs after {} s: {right} right, {wrong} wrong",
            start.elapsed().as_secs()
        );
    }
    let also: String = also.iter().map(|(way, times)| format!(", {times} {way}")).collect();
    let limits: Vec<String> = BUDGETS
        .iter()
        .chain(&LIMITS)
        .map(|(code, what)| format!("TT{code:04} {what}: {}", refused.get(code).unwrap_or(&0)))
        .collect();
    println!(
        "{number} programs in {} s: {right} right, of which {held} also as the passes have them{also}, {wrong} wrong, refused for {}",
        start.elapsed().as_secs(),
        limits.join(", ")
    );
    for (kind, times) in &kinds {
        println!("  {times} × {kind}");
    }
    let others = refused.iter().filter(|(code, _)| !is_budget(**code));
    let share = others.map(|(_, times)| times).sum::<u64>() as f64 / (number - first).max(1) as f64;
    assert!(wrong == 0, "{wrong} programs are wrong");
    assert!(
        number - first < TELLING || share <= MOST_REFUSED,
        "{share} of the programs are refused"
    );
}
