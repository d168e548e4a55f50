//! `cargo xtask tune`: the variants of a kernel, measured, for its launches to choose from.

use clap::Parser;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Instant, SystemTime};
use tt_build::Emitted;
use tt_conformance::emulated::{OnDevice, TensorValues, arguments, load, tensors, upload};
use tt_host::{Device, Kernel, Launch};
use tt_plan::{Bindings, MeasuredBy, Plan, Signature, TUNING_FILE, TunedVariant, Tuning, TuningKey};
use xtask::project;
use xtask::tune::Options;

/// Launches on a card, of which the fastest counts.
const RUNS: usize = 5;

fn main() -> ExitCode {
    xtask::exit("cargo xtask tune", tune(&Options::parse()))
}

/// One of the variants of the kernel.
struct Candidate {
    constants: BTreeMap<String, i64>,
    kernel: &'static Kernel,
    plan: Plan,
}

fn tune(options: &Options) -> Result<(), String> {
    let variants = variants(options)?;
    let (function, file) = (&variants[0].function, &variants[0].file);
    let device = match &options.device {
        Some(name) => Device::open_named(name),
        None => Device::open(),
    };
    let device = device.map_err(|error| error.to_string())?;
    let mut candidates = Vec::new();
    for variant in &variants {
        match &variant.outcome {
            Err(reasons) => println!("{}: refused: {}", variant.path, reasons.join("\n")),
            Ok((kernel, artifact)) => {
                let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
                candidates.push(Candidate {
                    constants: variant.constants.iter().cloned().collect(),
                    kernel: load(kernel, artifact, &plan)?,
                    plan,
                });
            }
        }
    }
    let first = variants.iter().find_map(|variant| variant.outcome.as_ref().ok());
    let (tile, _) = first.ok_or_else(|| format!("no variant of `{function}` compiles"))?;
    let signature = Signature::of(tile).ok_or("an extent of the kernel is no formula")?;
    let numbers = numbers(options, &signature)?;
    let class = signature.class(&|name| numbers.get(name).copied());
    let key = TuningKey::new(function, class, device.architecture(), device.grid());

    let path = options.package.join(TUNING_FILE);
    let mut tuning = read(&path)?;
    let by = if device.is_emulated() {
        MeasuredBy::Clock
    } else {
        MeasuredBy::Card
    };
    let shapes: Vec<String> = key
        .class
        .iter()
        .map(|(name, class)| format!("{name}: {class}"))
        .collect();
    println!("{function} at {} on {device}", shapes.join(", "));
    let ranked = ranked(&device, candidates, &numbers)?;
    if ranked.is_empty() {
        return Err(format!("no variant of `{function}` runs there"));
    }
    for (estimate, candidate) in ranked.into_iter().take(options.most.get()) {
        let known = tuning.of(&key).filter(|launch| launch.measured_by == by);
        let known = known.and_then(|launch| {
            launch
                .variants
                .iter()
                .find(|variant| variant.constants == candidate.constants)
        });
        let (nanoseconds, note) = match known {
            Some(variant) if !options.again => (variant.nanoseconds, ", measured before"),
            _ => (measured(&device, &candidate, &numbers)?, ""),
        };
        let constants: Vec<String> = candidate
            .constants
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        println!(
            "  {}: {:.1} µs{note} ({:.1} k cycles estimated)",
            constants.join(", "),
            nanoseconds / 1e3,
            estimate / 1e3
        );
        let variant = TunedVariant {
            constants: candidate.constants,
            nanoseconds,
        };
        tuning.add(&key, by, variant);
        project::write(&path, tuning.to_json())?;
    }
    // Cargo does not know of a file that was not there, also where the run that made it was stopped.
    let touched = std::fs::File::options().append(true).open(file);
    let touched = touched.and_then(|file| file.set_modified(SystemTime::now()));
    touched.map_err(|error| format!("cannot mark {} as changed: {error}", file.display()))?;
    println!("{} is written: the next build takes it", path.display());
    Ok(())
}

/// The variants of the kernel that the options name.
fn variants(options: &Options) -> Result<Vec<Emitted>, String> {
    let all = tt_build::kernels_of_package(&options.package).map_err(|error| error.to_string())?;
    let wanted = format!("::{}", options.kernel);
    let (mut named, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|kernel| format!("::{}", kernel.function).ends_with(&wanted));
    let mut functions: Vec<&str> = named.iter().map(|kernel| kernel.function.as_str()).collect();
    functions.dedup();
    match functions.as_slice() {
        [] => {
            let mut known: Vec<&str> = others
                .iter()
                .filter(|kernel| !kernel.constants.is_empty())
                .map(|kernel| kernel.function.as_str())
                .collect();
            known.dedup();
            return Err(format!(
                "there is no kernel `{}`; with variants there are: {}",
                options.kernel,
                known.join(", ")
            ));
        }
        [_] => {}
        several => return Err(format!("`{}` is one of: {}", options.kernel, several.join(", "))),
    }
    named.retain(|kernel| !kernel.constants.is_empty());
    if named.is_empty() {
        return Err(format!("kernel `{}` has no variants to choose from", options.kernel));
    }
    Ok(named)
}

/// The numbers of the launch by name, each of which the kernel has, and every extent.
fn numbers(options: &Options, signature: &Signature) -> Result<BTreeMap<String, i64>, String> {
    let numbers: BTreeMap<String, i64> = options.numbers.iter().cloned().collect();
    let scalars = signature.parameters.iter().map(|parameter| parameter.name());
    let known: Vec<&str> = signature.extents.iter().map(String::as_str).chain(scalars).collect();
    if let Some(other) = numbers.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("the kernel has no extent or integer `{other}`"));
    }
    if let Some(missing) = signature.extents.iter().find(|name| !numbers.contains_key(*name)) {
        return Err(format!("its extent is missing: `{missing}=..`"));
    }
    Ok(numbers)
}

/// The variants that run, those estimated to be fastest first.
fn ranked(
    device: &Device,
    candidates: Vec<Candidate>,
    numbers: &BTreeMap<String, i64>,
) -> Result<Vec<(f64, Candidate)>, String> {
    let mut ranked = Vec::new();
    for candidate in candidates {
        let mut launched = Launched::new(device, &candidate, numbers)?;
        match launched.launch(&candidate)?.estimate() {
            Ok(estimate) => ranked.push((estimate.unwrap_or(f64::INFINITY), candidate)),
            Err(error) => println!("  does not run: {error}"),
        }
    }
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(ranked)
}

/// How long a launch takes, in nanoseconds.
fn measured(device: &Device, candidate: &Candidate, numbers: &BTreeMap<String, i64>) -> Result<f64, String> {
    let mut launched = Launched::new(device, candidate, numbers)?;
    let launch = launched.launch(candidate)?;
    let failed = |error: tt_host::Error| error.to_string();
    if device.is_emulated() {
        let profile = launch.profile().map_err(failed)?;
        let modelled = profile.counters.and_then(|counters| counters.modelled);
        return Ok(modelled.ok_or("the emulator's clock said nothing")?.nanoseconds as f64);
    }
    launch.run().map_err(failed)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        launch.run().map_err(failed)?;
        fastest = fastest.min(start.elapsed().as_nanos() as f64);
    }
    Ok(fastest)
}

/// The tensors of a launch, all zero, and its scalars.
struct Launched {
    bindings: Bindings,
    tensors: Vec<Box<dyn OnDevice>>,
}

impl Launched {
    fn new(device: &Device, candidate: &Candidate, numbers: &BTreeMap<String, i64>) -> Result<Launched, String> {
        let extents = candidate
            .plan
            .extents
            .iter()
            .map(|name| numbers.get(name).copied().unwrap_or_default());
        let extents = extents.map(|extent| usize::try_from(extent).map_err(|_| format!("{extent} is no extent")));
        let (mut bindings, values): (Bindings, Vec<TensorValues>) =
            tensors(&candidate.plan, &extents.collect::<Result<Vec<_>, _>>()?)?;
        bindings
            .integers
            .extend(numbers.iter().map(|(name, value)| (name.clone(), *value)));
        let tensors = values.iter().map(|tensor| upload(device, tensor));
        let tensors = tensors.collect::<Result<_, _>>()?;
        Ok(Launched { bindings, tensors })
    }

    fn launch(&mut self, candidate: &Candidate) -> Result<Launch<'_>, String> {
        Ok(Launch::new(
            candidate.kernel,
            arguments(&candidate.plan, &self.bindings, &mut self.tensors)?,
        ))
    }
}

fn read(path: &Path) -> Result<Tuning, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Tuning::from_json(&text).map_err(|error| format!("{}: {error}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Tuning::default()),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    }
}
