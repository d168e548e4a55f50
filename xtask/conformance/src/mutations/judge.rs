//! Who notices that emitted kernels are broken: the emulator against the reference interpreter, and the real device headers.

use super::kernels::{SAMPLES, Sample};
use super::padding::Padding;
use super::scratch::write_changed;
use crate::emulated::{self, On, TensorValues};
use crate::fetch::{Cache, Machine};
use crate::headers::{self, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tt_backend::Artifact;
use tt_build::device::{CHIPS, DeviceKernel, Toolchain};
use tt_build::parallel::Jobs;
use tt_emulator::rules;
use tt_lang::ir::Kernel;
use tt_plan::{Bindings, DeviceGrid, Plan};
use xtask::kernels::Turns;

/// The chip that mutants run on; the headers are tried for both.
const ARCH: &str = "wormhole_b0";
/// How long one kernel may run before it counts as one that never ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// A kernel that is written otherwise: its number among the samples, its Tile IR, and what is written.
pub type Changed<'a> = (usize, &'a Kernel, &'a Artifact);

/// What the emulator says of these kernels, run in a process of their own, which may crash or never end: the first
/// thing that is wrong, or none.
///
/// # Errors
/// Where the process cannot be started or says nothing intelligible.
pub fn emulator(scratch: &Path, changed: &[Changed]) -> Result<Option<(usize, String)>, String> {
    for (sample, kernel, artifact) in changed {
        let file = scratch.join("case.json");
        let case = json!({
            "sample": sample,
            "kernel": kernel,
            "reader": artifact.reader,
            "compute": artifact.compute,
            "writer": artifact.writer,
            "main": artifact.main,
            "plan": artifact.plan,
        });
        write_changed(&file, case.to_string().as_bytes())?;
        if let Some(what) = run_apart(scratch, &file)? {
            return Ok(Some((*sample, what)));
        }
    }
    Ok(None)
}

fn run_apart(scratch: &Path, file: &Path) -> Result<Option<String>, String> {
    let said = scratch.join("said.json");
    let _ = std::fs::remove_file(&said);
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut child = Command::new(program)
        .args(["mutations", "--judge"])
        .arg(file)
        .env("TT_EMULATOR_CACHE", scratch.join("kernel-cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start this program again: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Some("never ends".into()));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    // A panic is 101 and a crash has no code.
    if status.code() == Some(1) {
        return Err(format!("`--judge {}` could not do its work", file.display()));
    }
    let Ok(text) = std::fs::read_to_string(&said) else {
        return Ok(Some(format!("the process ended with {status}")));
    };
    let said: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(said["wrong"].as_str().map(str::to_string))
}

/// The other side of [`run_apart`]: runs the case in `file` and writes what is wrong with it into `said.json` beside it.
///
/// # Errors
/// Where the case cannot be read or the answer cannot be written.
pub fn run_case(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let case: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let kernel: Kernel = serde_json::from_value(case["kernel"].clone()).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        let text = case[name].as_str().map(str::to_string);
        text.ok_or_else(|| format!("the case has no `{name}`"))
    };
    let artifact = Artifact {
        reader: text("reader")?,
        compute: text("compute")?,
        writer: text("writer")?,
        main: text("main")?,
        plan: text("plan")?,
        later: Vec::new(),
        stages: Vec::new(),
    };
    let sample = case["sample"]
        .as_u64()
        .and_then(|at| SAMPLES.get(at as usize))
        .ok_or("there is no such sample")?;
    let wrong = run(sample, &kernel, &artifact, &Padding::new()?).err();
    let answer = json!({ "wrong": wrong }).to_string();
    write_changed(&file.with_file_name("said.json"), answer.as_bytes())
}

/// Runs a kernel on its shapes; what is wrong is the error.
fn run(sample: &Sample, kernel: &Kernel, artifact: &Artifact, padding: &Padding) -> Result<(), String> {
    for (extents, cores) in sample.runs() {
        let plan = Plan::from_json(&artifact.plan).map_err(|error| format!("the plan is refused: {error}"))?;
        let inputs = inputs(sample, kernel, &plan, extents)?;
        let on = on(padding, cores);
        let outcome = emulated::run_on(kernel, artifact, plan, inputs, &on).map_err(|message| short(&message))?;
        for tensor in outcome.tensors.iter().filter(|tensor| tensor.written) {
            if !is_right(sample, &tensor.after, &tensor.reference) {
                return Err(format!("wrong numbers in `{}`", tensor.name));
            }
        }
    }
    Ok(())
}

/// Where mutants run: on `cores`, with tensors that have numbers past their edges.
pub fn on(padding: &Padding, cores: DeviceGrid) -> On<'_> {
    On {
        arch: ARCH,
        upload: Box::new(move |device, tensor| padding.upload(device, tensor)),
        cores: Some(cores),
    }
}

/// What `sample` is run on where its extents are these.
///
/// # Errors
/// As [`emulated::tensors`].
pub fn inputs(
    sample: &Sample,
    kernel: &Kernel,
    plan: &Plan,
    extents: &[usize],
) -> Result<(Bindings, Vec<TensorValues>), String> {
    let (mut bindings, mut tensors) = emulated::tensors(plan, extents)?;
    bindings.floats.values_mut().for_each(|value| *value = sample.scalars.0);
    for scalar in &kernel.params {
        if let Some(value) = bindings.integers.get_mut(scalar.name()) {
            *value = sample.scalars.1;
        }
    }
    for (seed, tensor) in tensors.iter_mut().enumerate() {
        tensor.before = values(tensor.before.len(), seed as u64 + 1, sample.scale);
    }
    Ok((bindings, tensors))
}

/// Whether what a kernel left in a tensor is what its source says, within the sample's bound.
pub fn is_right(sample: &Sample, after: &[f32], reference: &[f32]) -> bool {
    after.len() == reference.len() && error(after, reference) <= sample.bound()
}

/// How far the furthest element is from what it should be, as a share of 1 + |expected|.
pub fn error(after: &[f32], reference: &[f32]) -> f32 {
    let errors = after
        .iter()
        .zip(reference)
        .map(|(got, expected)| (got - expected).abs() / (1.0 + expected.abs()));
    // What is no number is as far off as can be.
    errors.fold(
        0.0,
        |most, error| if error.is_nan() { f32::INFINITY } else { error.max(most) },
    )
}

/// Repeatable values in [-scale, scale) but 0, exact in bf16.
fn values(count: usize, seed: u64, scale: f32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from_bits((scale * ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0)).to_bits() & 0xffff_0000)
    })
    .filter(|value| *value != 0.0)
    .take(count)
    .collect()
}

/// The rule that a message names, or that the kernel does not compile, or its first line.
pub fn short(message: &str) -> String {
    if let Some(rule) = rules::all().find(|rule| message.contains(&format!("{}:", rule.code))) {
        return format!("{} {}", rule.code, rule.title);
    }
    if let Some(error) = first_error(message) {
        return format!("does not compile: {error}");
    }
    message.lines().next().unwrap_or_default().to_string()
}

/// What the first error of a C++ compiler says.
fn first_error<'a>(text: &'a str) -> Option<&'a str> {
    let said = |line: &'a str| {
        let error = line.split_once("error: ").map(|(_, error)| error.trim());
        error.or_else(|| line.split_once("undefined reference").map(|_| "undefined reference"))
    };
    text.lines().find_map(said)
}

/// The real device headers, and a compiler that takes them.
pub struct Headers {
    toolchain: Toolchain,
    built: PathBuf,
    work: PathBuf,
}

impl Headers {
    /// Fetches what is needed, or finds it where an earlier check left it.
    ///
    /// # Errors
    /// Where this machine has neither it nor a way to it.
    pub fn new(scratch: &Path) -> Result<Headers, String> {
        let cache = Cache::of_user()?;
        let mut toolchain = headers::toolchain(&cache, &Machine)?;
        headers::refuse_old_names(&mut toolchain);
        Ok(Headers {
            toolchain,
            built: cache.folder("built")?,
            work: scratch.join("headers"),
        })
    }

    /// What they say of these kernels, for every processor of both chips: the first error, or none. Of the files of a kernel
    /// those are compiled that differ from the ones in `known`, which are known to be right.
    ///
    /// # Errors
    /// Where the compiler itself does not work.
    pub fn refuse(&self, changed: &[Changed], known: &[Artifact]) -> Result<Option<String>, String> {
        let mut kernels = Vec::new();
        for (at, kernel, artifact) in changed {
            // A plan that does not load is the emulator's to notice: there are no compile-time arguments to compile with.
            let Ok(files) = DeviceKernel::of_artifact(&kernel.name, artifact) else {
                continue;
            };
            let known = known
                .get(*at)
                .and_then(|known| DeviceKernel::of_artifact(&kernel.name, known).ok());
            let same = |file: &DeviceKernel| known.as_ref().is_some_and(|known| known.contains(file));
            kernels.extend(files.into_iter().filter(|file| !same(file)));
        }
        let options = Options {
            turns: Turns::default(),
            chips: &CHIPS.iter().collect::<Vec<_>>(),
            jobs: Jobs::new(2),
            cache: &self.built,
            work: &self.work,
        };
        let failures = headers::check(&self.toolchain, &kernels, &options)?;
        Ok(failures
            .first()
            .map(|failure| first_error(&failure.reason).unwrap_or("does not compile").to_string()))
    }
}
