//! What the emulator says of mutants: many of them compiled together and run in a process of their own, which may crash.
//!
//! ```text
//! this process                          child
//! batch.json  ───────────────────────►  compiles all kernels of the batch, runs them one by one
//! one line for each mutant  ◄─────────  said.jsonl
//! ```
//! Where the child ends early the mutant that has no line yet is to blame, and another child takes the rest.

use crate::abi::host_programs;
use crate::emulated::{self, TensorValues};
use crate::mutations::judge;
use crate::mutations::kernels::{self, Sample};
use crate::mutations::padding::Padding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tt_backend::{Artifact, Programs};
use tt_emulator::ArchName;
use tt_emulator::kernel_object::{compile_together, precompile_standard_headers};
use tt_lang::ir::Kernel;
use tt_plan::{Bindings, DeviceGrid, Plan};

/// Mutants of one batch.
const BATCH: usize = 128;
/// How long a child may say nothing: it compiles a batch, or runs one mutant.
const PATIENCE: Duration = Duration::from_secs(300);
/// Children at a time.
const CHILDREN: usize = 2;

/// What the emulator says of a mutant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// It stops it, or numbers are wrong.
    Wrong(String),
    /// Some numbers are not those of the healthy program; every one is within the bound, where the kernel has one.
    Within(String),
    /// Every bit is that of the healthy program.
    Same,
    /// The process that ran it ended, or never does.
    Ended(String),
    /// The kernel has no result without any mutant either.
    NoResult,
}

/// A kernel as it is without mutants.
#[derive(Serialize, Deserialize)]
pub struct Healthy {
    /// Its Tile IR.
    pub kernel: Kernel,
    /// The numbers of its samples; without any it is run on what its host program would be.
    pub samples: Vec<usize>,
    /// What is written of it.
    pub artifact: Files,
}

/// A mutant as it is written.
#[derive(Clone, Serialize, Deserialize)]
pub struct Case {
    /// The number of its kernel.
    pub of: usize,
    /// What is written of it.
    pub artifact: Files,
}

/// The files of an artifact that a launch takes.
#[derive(Clone, Serialize, Deserialize)]
pub struct Files {
    /// Reader, compute and writer of every stage.
    stages: Vec<[String; 3]>,
    plan: String,
}

impl From<Artifact> for Files {
    fn from(artifact: Artifact) -> Files {
        let later = artifact.later.into_iter();
        let later = later.map(|programs| [programs.reader, programs.compute, programs.writer]);
        Files {
            stages: iter::once([artifact.reader, artifact.compute, artifact.writer])
                .chain(later)
                .collect(),
            plan: artifact.plan,
        }
    }
}

impl Files {
    /// A name for exactly these files.
    pub fn digest(&self) -> String {
        self.artifact().digest()
    }

    fn artifact(&self) -> Artifact {
        let mut stages = self.stages.iter().cloned().map(|[reader, compute, writer]| Programs {
            reader,
            compute,
            writer,
        });
        let (reader, compute, writer) = stages
            .next()
            .map(|first| (first.reader, first.compute, first.writer))
            .unwrap_or_default();
        Artifact {
            reader,
            compute,
            writer,
            main: String::new(),
            plan: self.plan.clone(),
            later: stages.collect(),
            stages: Vec::new(),
        }
    }
}

/// What a child is given.
#[derive(Serialize, Deserialize)]
struct Batch {
    /// The kernels of its cases, by number.
    healthy: BTreeMap<usize, Healthy>,
    cases: Vec<Case>,
}

/// What the emulator says of `cases`, in their order.
///
/// # Errors
/// Where a child cannot be started, or a kernel is wrong without any mutant.
pub fn judge(folder: &Path, healthy: &[Healthy], cases: &[&Case]) -> Result<Vec<Said>, String> {
    let mut said = judge_with("fast", folder, healthy, cases)?;
    // In the fast way of adding products, how a tile is added depends on what else it holds: in the device's way it does not.
    // Kernels without samples have no bound that would ask how far.
    let within: Vec<usize> = (0..said.len())
        .filter(|at| matches!(said[*at], Said::Within(_)) && !healthy[cases[*at].of].samples.is_empty())
        .collect();
    let again: Vec<&Case> = within.iter().map(|at| cases[*at]).collect();
    for (at, exact) in within.into_iter().zip(judge_with("exact", folder, healthy, &again)?) {
        said[at] = exact;
    }
    Ok(said)
}

/// The same with products added as `fpu` says, a value of `TT_EMULATOR_FPU`.
fn judge_with(fpu: &str, folder: &Path, healthy: &[Healthy], cases: &[&Case]) -> Result<Vec<Said>, String> {
    let batches: Vec<&[&Case]> = cases.chunks(BATCH).collect();
    let done: Vec<Mutex<Result<Vec<Said>, String>>> = batches.iter().map(|_| Mutex::new(Ok(Vec::new()))).collect();
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..CHILDREN {
            let (batches, done, next) = (&batches, &done, &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(batch) = batches.get(at) else { break };
                    let said = batch_said(fpu, &folder.join(format!("child-{worker}")), healthy, batch);
                    let seconds = start.elapsed().as_secs();
                    eprintln!("batch {} of {} after {seconds} s", at + 1, batches.len());
                    if let Ok(mut place) = done[at].lock() {
                        *place = said;
                    }
                }
            });
        }
    });
    let mut all = Vec::new();
    for said in done {
        all.extend(said.into_inner().map_err(|error| error.to_string())??);
    }
    Ok(all)
}

fn batch_said(fpu: &str, folder: &Path, healthy: &[Healthy], cases: &[&Case]) -> Result<Vec<Said>, String> {
    let mut all = Vec::new();
    while all.len() < cases.len() {
        let rest = &cases[all.len()..];
        let batch = Batch {
            healthy: rest
                .iter()
                .map(|case| {
                    let Healthy {
                        kernel,
                        samples,
                        artifact,
                    } = &healthy[case.of];
                    let copy = Healthy {
                        kernel: kernel.clone(),
                        samples: samples.clone(),
                        artifact: artifact.clone(),
                    };
                    (case.of, copy)
                })
                .collect(),
            cases: rest.iter().map(|case| (*case).clone()).collect(),
        };
        let (said, ended) = run_apart(fpu, folder, &batch)?;
        all.extend(said);
        if let Some(how) = ended.filter(|_| all.len() < cases.len()) {
            all.push(Said::Ended(how));
        }
    }
    Ok(all)
}

/// What a child says of a batch, and how it ended where it did not say all.
fn run_apart(fpu: &str, folder: &Path, batch: &Batch) -> Result<(Vec<Said>, Option<String>), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let file = folder.join("batch.json");
    let text = serde_json::to_string(batch).map_err(|error| error.to_string())?;
    xtask::project::write(&file, text)?;
    let said = answers(&file);
    let _ = std::fs::remove_file(&said);
    let errors = folder.join("errors");
    let errors =
        std::fs::File::create(&errors).map_err(|error| format!("cannot write {}: {error}", errors.display()))?;
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let child = Command::new(program)
        .args(["ir-mutations", "--judge"])
        .arg(&file)
        .env("TT_EMULATOR_CACHE", folder.join("kernel-cache"))
        .env("TT_EMULATOR_SPIN_SECONDS", "2")
        .env("TT_EMULATOR_FPU", fpu)
        .stdout(Stdio::null())
        // Kernels that print do so there, more than a pipe holds.
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("cannot start this program again: {error}"))?;
    let ended = wait(child, &said, &folder.join("errors"))?;
    let text = std::fs::read_to_string(&said).unwrap_or_default();
    // A line that was cut off is none.
    let lines: Vec<Said> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    Ok((lines, ended))
}

/// Waits for a child as long as it says something; how it ended, unless well.
fn wait(mut child: Child, said: &Path, errors: &Path) -> Result<Option<String>, String> {
    let length = || std::fs::metadata(said).map_or(0, |file| file.len());
    let (mut last, mut since) = (length(), Instant::now());
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return match status.code() {
                Some(0) => Ok(None),
                // A panic is 101 and a crash has no code.
                Some(1) => Err(std::fs::read_to_string(errors).unwrap_or_default()),
                _ => Ok(Some(format!("the process ended with {status}"))),
            };
        }
        if length() != last {
            (last, since) = (length(), Instant::now());
        }
        if since.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(Some("never ends".into()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn answers(batch: &Path) -> PathBuf {
    batch.with_file_name("said.jsonl")
}

/// The other side of [`judge`]: runs the batch in `file`.
///
/// # Errors
/// Where it cannot be read, or a kernel is wrong without any mutant.
pub fn run_batch(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let batch: Batch = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut kernels = Vec::new();
    let healthy = batch.healthy.values().map(|healthy| &healthy.artifact);
    for files in healthy.chain(batch.cases.iter().map(|case| &case.artifact)) {
        // A plan that does not load is told when it is launched.
        kernels.extend(tt_build::kernels_of(&files.artifact(), ArchName::WormholeB0).unwrap_or_default());
    }
    let work = file.with_file_name("objects");
    std::fs::create_dir_all(&work).map_err(|error| format!("cannot create {}: {error}", work.display()))?;
    precompile_standard_headers(&work).map_err(|error| error.to_string())?;
    compile_together(&kernels, &work).map_err(|error| error.to_string())?;

    let padding = Padding::new()?;
    let mut known = BTreeMap::new();
    for (of, healthy) in &batch.healthy {
        match right(healthy, &padding) {
            Ok(written) => drop(known.insert(*of, written)),
            // What a host program starts from is made for no kernel.
            Err(_) if healthy.samples.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    let path = answers(file);
    let mut out = std::fs::File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    for case in &batch.cases {
        let healthy = batch.healthy.get(&case.of).ok_or("a case without its kernel")?;
        let said = known
            .get(&case.of)
            .map_or(Said::NoResult, |known| said_of(case, healthy, known, &padding));
        let line = serde_json::to_string(&said).map_err(|error| error.to_string())?;
        writeln!(out, "{line}").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// A tensor that the healthy kernel wrote: its name, what it held afterwards, what it should hold.
type Written = (String, Vec<f32>, Vec<f32>);

/// What a kernel writes without any mutant, run by run.
fn right(healthy: &Healthy, padding: &Padding) -> Result<Vec<Vec<Written>>, String> {
    let artifact = healthy.artifact.artifact();
    let mut runs = Vec::new();
    for Run { sample, extents, cores } in runs_of(healthy)? {
        let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
        let inputs = inputs(sample, &healthy.kernel, &plan, &extents)?;
        let on = judge::on(padding, cores);
        let tensors = match sample {
            Some(_) => emulated::run_on(&healthy.kernel, &artifact, plan, inputs, &on)?.tensors,
            None => emulated::results_on(&healthy.kernel, &artifact, plan, inputs, &on)?,
        };
        let mut written = Vec::new();
        for tensor in tensors.into_iter().filter(|tensor| tensor.written) {
            let (after, reference) = (&tensor.after, &tensor.reference);
            if sample.is_some_and(|sample| !judge::is_right(sample, after, reference)) {
                let (kernel, tensor) = (&healthy.kernel.name, &tensor.name);
                return Err(format!(
                    "without any mutant `{kernel}` leaves wrong numbers in `{tensor}` where its extents are {extents:?}: off by {:.1e}",
                    judge::error(after, reference)
                ));
            }
            written.push((tensor.name, tensor.after, tensor.reference));
        }
        runs.push(written);
    }
    Ok(runs)
}

/// A run of a kernel: the sample, where it has any, its extents, and the cores.
struct Run {
    sample: Option<&'static Sample>,
    extents: Vec<usize>,
    cores: DeviceGrid,
}

/// Every run of a kernel.
fn runs_of(healthy: &Healthy) -> Result<Vec<Run>, String> {
    if healthy.samples.is_empty() {
        let plan = Plan::from_json(&healthy.artifact.plan).map_err(|error| error.to_string())?;
        return Ok(vec![Run {
            sample: None,
            extents: host_programs::extents(&plan).ok_or("it has more extents than there are numbers for")?,
            cores: DeviceGrid { x: 3, y: 1 },
        }]);
    }
    let samples = kernels::samples().filter(|(at, _)| healthy.samples.contains(at));
    let runs = samples.flat_map(|(_, sample)| {
        sample.runs().map(|(extents, cores)| Run {
            sample: Some(sample),
            extents: extents.to_vec(),
            cores,
        })
    });
    Ok(runs.collect())
}

/// What a run starts from.
fn inputs(
    sample: Option<&Sample>,
    kernel: &Kernel,
    plan: &Plan,
    extents: &[usize],
) -> Result<(Bindings, Vec<TensorValues>), String> {
    match sample {
        Some(sample) => judge::inputs(sample, kernel, plan, extents),
        None => host_programs::inputs(plan, extents),
    }
}

fn said_of(case: &Case, healthy: &Healthy, known: &[Vec<Written>], padding: &Padding) -> Said {
    let artifact = case.artifact.artifact();
    let mut within = None;
    for (Run { sample, extents, cores }, known) in runs_of(healthy).unwrap_or_default().into_iter().zip(known) {
        let ran = Plan::from_json(&artifact.plan)
            .map_err(|error| format!("the plan is refused: {error}"))
            .and_then(|plan| {
                let inputs = inputs(sample, &healthy.kernel, &plan, &extents)?;
                emulated::results_on(&healthy.kernel, &artifact, plan, inputs, &judge::on(padding, cores))
            });
        let tensors = match ran {
            Ok(tensors) => tensors,
            Err(message) => return Said::Wrong(judge::short(&message)),
        };
        let written = tensors.iter().filter(|tensor| tensor.written);
        for (tensor, (name, after, reference)) in written.zip(known) {
            if sample.is_some_and(|sample| !judge::is_right(sample, &tensor.after, reference)) {
                return Said::Wrong("wrong numbers".into());
            }
            let pairs = tensor.after.iter().zip(after);
            let others: Vec<f32> = pairs
                .filter(|(now, before)| now.to_bits() != before.to_bits())
                .map(|(now, before)| (now - before).abs())
                .collect();
            if !others.is_empty() {
                let most = others.iter().copied().fold(0.0, f32::max);
                let (count, all) = (others.len(), after.len());
                within.get_or_insert_with(|| format!("{count} of {all} elements of `{name}`, by {most:.1e} at most"));
            }
        }
    }
    within.map_or(Said::Same, Said::Within)
}
