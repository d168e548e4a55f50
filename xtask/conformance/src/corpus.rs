//! `cargo xtask conformance corpus`: every kernel of the examples, the tests and the programs on the real library.
//!
//! The host program of a kernel, `main.cpp`, is built once, as `conformance abi` builds it. It runs with the emulator's library and
//! with the real one over a simulated chip, which compiles and dispatches the same sources. What the two print, a hash of the bits
//! of every tensor that the kernel stores to, must be the same.

use crate::abi::host_programs::{built, command_line, extents};
use crate::launch::{CHIPS, Chip, default_oracle, installed_wheel, on_simulator};
use crate::simulator::oracle::Failure;
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tt_plan::Plan;
use xtask::kernels::Selection;
use xtask::{library, project};

/// Runs the host program of every kernel on the real libtt_metal.so over the simulated chips, and compares with the emulator
///
/// Every tensor must have the bits that the emulator computes with TT_EMULATOR_FPU=exact. Kernels with an instruction that the
/// simulator does not model are listed in docs/corpus.md with what it lacks.
#[derive(Args)]
pub struct Arguments {
    /// The installation that shared/oracle/setup.sh made (default: ~/.cache/tt-oracle)
    #[arg(long, value_name = "DIR")]
    oracle: Option<PathBuf>,
    /// Only kernels whose path has one of these in it; the page is left as it is then
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    kernels: Option<Vec<String>>,
    #[command(flatten)]
    selection: Selection,
}

/// How many programs are run at a time.
const JOBS: usize = 2;

/// How long a program may take: the simulator waits for ever for what a kernel waits for.
const LONGEST: Duration = Duration::from_secs(900);

/// Kernels of tests in which one block reads or stores what another stores, so that the emulator's launcher says EMU0420 or EMU0421; a host
/// program, which says nothing of its tensors, has whatever comes first.
const RACES: [&str; 4] = [
    "stores::adds_the_first",
    "stores::half_tiles",
    "stores::columns_apart",
    "layouts::twice",
];

/// How a kernel fared on a chip.
enum Outcome {
    /// All bits are the emulator's.
    Equal,
    /// It has no result with these inputs, and the emulator says why.
    None,
    /// The simulator cannot run it: what it lacks.
    Unmodelled(String),
    /// What is wrong.
    Wrong(String),
}

/// Runs the check; an error says what it found.
///
/// # Errors
/// Kernels that differ or do not run, and why nothing can be run.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let oracle = arguments.oracle.clone().map_or_else(default_oracle, Ok)?;
    let wheel = installed_wheel(&oracle)?;
    let mut kernels = xtask::kernels::emitted(&arguments.selection)?;
    if let Some(names) = &arguments.kernels {
        kernels.retain(|(path, ..)| names.iter().any(|name| path.contains(name)));
    }
    kernels.retain(|(path, ..)| !RACES.contains(&path.as_str()));
    if kernels.is_empty() {
        return Err("there is no such kernel".into());
    }
    let scratch = project::target().join("corpus");
    let sdk = scratch.join("metalium");
    library::build(&sdk, &[])?;
    let next = AtomicUsize::new(0);
    let work = |worker: usize| {
        // The runtime's cache is no place for two.
        let own = scratch.join(format!("worker-{worker}"));
        let mut outcomes = Vec::new();
        while let Some((path, _, artifact)) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            let folder = scratch.join("programs").join(path.replace("::", "/"));
            let program = built(artifact, &folder, (&sdk, None)).and_then(|program| {
                let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
                let extents = extents(&plan).ok_or("it has more extents than there are numbers for")?;
                Ok((program, command_line(&plan, &extents)))
            });
            for chip in &CHIPS {
                let outcome = match &program {
                    Ok((program, words)) => judge(chip, program, words, &oracle, &wheel, &own),
                    Err(error) => Err(error.clone()),
                };
                let outcome = outcome.unwrap_or_else(Outcome::Wrong);
                if let Outcome::Wrong(why) = &outcome {
                    eprintln!("{path}, {}: {why}", chip.name);
                }
                outcomes.push((chip.name, path.clone(), outcome));
            }
        }
        outcomes
    };
    let mut outcomes: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..JOBS).map(|worker| scope.spawn(move || work(worker))).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    outcomes.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    report(&outcomes, kernels.len(), arguments.kernels.is_none())
}

/// Runs a program on the emulator, and on the real library over a simulated chip.
fn judge(
    chip: &Chip,
    program: &Path,
    words: &[String],
    oracle: &Path,
    wheel: &Path,
    own: &Path,
) -> Result<Outcome, String> {
    let mut emulated = Command::new(program);
    emulated
        .args(words)
        .env("TT_EMULATOR_ARCH", chip.name)
        .env("TT_EMULATOR_FPU", "exact");
    let expected = said(emulated, own)?;
    if expected.status != "0" {
        return Ok(Outcome::None);
    }
    let mut real = on_simulator(chip, program, oracle, wheel, own)?;
    real.args(words);
    let got = said(real, own)?;
    if got.status != "0" {
        let lines: Vec<&str> = got.text.lines().collect();
        return Ok(match Failure::told(&got.status, &lines) {
            failure @ (Failure::Compiler | Failure::Code | Failure::Instruction(_)) => {
                Outcome::Unmodelled(failure.to_string())
            }
            Failure::Launch(why) => Outcome::Wrong(why),
        });
    }
    let (expected, got) = (checksums(&expected.text), checksums(&got.text));
    Ok(match expected == got && !expected.is_empty() {
        true => Outcome::Equal,
        false => Outcome::Wrong(format!("the real library gives {got:?}, the emulator {expected:?}")),
    })
}

/// What a program printed, and how it ended.
struct Said {
    text: String,
    status: String,
}

fn said(mut command: Command, own: &Path) -> Result<Said, String> {
    let named = format!("{command:?}");
    let fail = |error: std::io::Error| format!("cannot run {named}: {error}");
    fs::create_dir_all(own).map_err(|error| format!("cannot write {}: {error}", own.display()))?;
    let log = own.join("said");
    let file = File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let both = file
        .try_clone()
        .map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(both)
        .spawn()
        .map_err(fail)?;
    let start = Instant::now();
    let status = loop {
        let ended = child
            .try_wait()
            .map_err(|error| format!("cannot wait for a program: {error}"))?;
        match ended {
            Some(status) => {
                break status
                    .code()
                    .map_or_else(|| status.to_string(), |code| code.to_string());
            }
            None if start.elapsed() > LONGEST => {
                // It may have ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                break format!("still running after {} s", LONGEST.as_secs());
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = fs::read(&log).map_err(|error| format!("cannot read {}: {error}", log.display()))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(Said { text, status })
}

/// The lines of results; the runtime and the simulator print lines of their own between them.
fn checksums(printed: &str) -> Vec<&str> {
    printed
        .lines()
        .filter(|line| line.starts_with("checksum of "))
        .collect()
}

/// Says how all fared, and writes the page where `is_whole`.
fn report(outcomes: &[(&str, String, Outcome)], kernels: usize, is_whole: bool) -> Result<(), String> {
    let mut page = String::from(
        "# Kernels on the real library\n\n\
         Written by `cargo xtask conformance corpus`: the host program of every kernel of the examples, the tests and\n\
         `../shared/programs`, linked with the real `libtt_metal.so` 0.81.1 over the simulated chips. Every tensor has the bits that the\n\
         emulator computes with `TT_EMULATOR_FPU=exact`, but for the kernels in the lists, of which the simulator runs nothing.\n",
    );
    let mut wrong = Vec::new();
    for Chip { name, .. } in &CHIPS {
        let of_chip = || outcomes.iter().filter(|(chip, ..)| chip == name);
        let equal = of_chip()
            .filter(|(.., outcome)| matches!(outcome, Outcome::Equal))
            .count();
        let none = of_chip()
            .filter(|(.., outcome)| matches!(outcome, Outcome::None))
            .count();
        let mut lacks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (_, path, outcome) in of_chip() {
            match outcome {
                Outcome::Equal | Outcome::None => {}
                Outcome::Unmodelled(what) => lacks.entry(what).or_default().push(path),
                Outcome::Wrong(why) => wrong.push(format!("{path}, {name}: {why}")),
            }
        }
        let unmodelled: usize = lacks.values().map(Vec::len).sum();
        let line = format!(
            "{name}: of {kernels} kernels {equal} have the same bits on the real library; {unmodelled} the simulator does not run, {none} \
             have no result with these inputs (they assert, or are refused for them)"
        );
        println!("{line}");
        let _ = write!(page, "\n{line}.\n");
        for (what, paths) in lacks {
            let _ = write!(page, "\n- {what}: `{}`\n", paths.join("`, `"));
        }
    }
    if !wrong.is_empty() {
        return Err(format!("{} launches are wrong:\n{}", wrong.len(), wrong.join("\n")));
    }
    match is_whole {
        true => project::write(&project::root().join("docs/corpus.md"), &page),
        false => Ok(()),
    }
}
