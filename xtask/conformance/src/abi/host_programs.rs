//! The emitted `main.cpp` of every kernel as a user without Rust has it: built by the C++ compiler alone, run, compared. By turns, seven of
//! eight are built with the headers that they include compiled before, which hides what one of those does not include.

use super::Arguments;
use super::symbols::{self, demangled, is_of_metalium};
use crate::emulated::{self, TensorValues};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tt_backend::Artifact;
use tt_lang::ir::{ElementType, Kernel, ScalarKind};
use tt_plan::{Bindings, Parameter, Plan};
use xtask::library;
use xtask::project;

/// The chips, as the emulator calls them.
const CHIPS: [&str; 2] = [tt_device::WORMHOLE_B0.name, tt_device::BLACKHOLE.name];

/// What symbolic extents are, in order: ragged ones, and more than one block.
const EXTENTS: [usize; 6] = [70, 96, 33, 64, 40, 32];

/// How many programs are built at a time.
const JOBS: usize = 2;

/// Which of the programs that are taken by turns are built with nothing compiled before.
const ALONE: [bool; 8] = [true, false, false, false, false, false, false, false];

/// Builds and runs all of them.
///
/// # Errors
/// What is wrong with each that does not build, run, or compute what the launcher computes.
pub fn check(arguments: &Arguments, scratch: &Path, exports: &BTreeSet<String>) -> Result<String, String> {
    let mut kernels = xtask::kernels::emitted(&arguments.selection)?;
    if let Some(names) = &arguments.kernels {
        kernels.retain(|(path, ..)| names.iter().any(|name| path.contains(name)));
    }
    if kernels.is_empty() {
        return Err("there is no such kernel".into());
    }
    let sdk = scratch.join("metalium");
    library::build(&sdk, &[])?;
    let headers = Headers::new(scratch.join("headers"));
    let is_alone = |number| arguments.turns.of(number, &ALONE).contains(&true);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, kernel, artifact)) = kernels.get(number) else {
                break;
            };
            let folder = scratch.join("programs").join(path.replace("::", "/"));
            let chips = arguments.turns.of(number, &CHIPS);
            let headers = (!is_alone(number)).then_some(&headers);
            if let Err(error) = one(kernel, artifact, &folder, (&sdk, headers), exports, &chips) {
                wrong.push(format!("{path}: {error}"));
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .flat_map(|result| result.unwrap_or_else(|_| vec!["a worker panicked".into()]))
            .collect()
    });
    if wrong.is_empty() {
        Ok(format!(
            "host programs: {} built by the C++ compiler alone, {} with nothing compiled before, and run on the emulator, {}, checksums as the launcher's",
            kernels.len(),
            (0..kernels.len()).filter(|number| is_alone(*number)).count(),
            arguments.turns
        ))
    } else {
        Err(format!(
            "{} host programs are wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        ))
    }
}

fn one(
    kernel: &Kernel,
    artifact: &Artifact,
    folder: &Path,
    sdk: (&Path, Option<&Headers>),
    exports: &BTreeSet<String>,
    chips: &[&str],
) -> Result<(), String> {
    let program = built(artifact, folder, sdk)?;
    let called: Vec<String> = symbols::imports(&program)?
        .into_iter()
        .filter(|name| is_of_metalium(name))
        .collect();
    if called.is_empty() {
        return Err("it calls nothing of Metalium: that cannot be".into());
    }
    if let Some(missing) = called.iter().find(|name| !exports.contains(*name)) {
        let name = demangled(missing);
        return Err(format!("it calls {name}, which the real library does not export"));
    }
    let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
    let extents = &extents(&plan).ok_or("it has more extents than there are numbers for")?[..];
    let words = command_line(&plan, extents);
    for chip in chips {
        let expected = expected(kernel, artifact, &plan, extents, chip);
        if let Err(error) = &expected
            && ["EMU0420", "EMU0421"].iter().any(|code| error.contains(code))
        {
            // Two blocks store one element, or one reads what another stores, and which comes last is chance: there is nothing
            // to compare.
            println!("`{}` has no result on {chip}: {error}", kernel.name);
            continue;
        }
        let output = Command::new(&program)
            .args(&words)
            .env("TT_EMULATOR_ARCH", chip)
            .output()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim();
        if let Err(error) = &expected
            && plan.stages().iter().any(|stage| {
                let lone = stage.lone_axes.iter().map(|lone| &lone.reason);
                let mut reasons = lone.chain(stage.ranges.iter().map(|range| &range.reason));
                reasons.any(|reason| error.contains(reason))
            })
        {
            // The launcher refuses the grid or a range, and so does the program, in the same words.
            if output.status.success() || said.is_empty() || !error.contains(said) {
                let words = words.join(" ");
                return Err(format!(
                    "`main {words}` on {chip} said `{said}`, but the launcher `{error}`"
                ));
            }
            continue;
        }
        if let Err(error) = &expected
            && [
                "assertion failed",
                "is outside of",
                "do not fit together",
                "overflows or divides by zero",
            ]
            .iter()
            .any(|reason| error.contains(reason))
        {
            // The kernel asserts something that these inputs are not, an integer of theirs overflows, or a range is longer than its block, which the reference
            // says first, and the program stops as the launch does.
            if output.status.success() {
                let words = words.join(" ");
                return Err(format!(
                    "`main {words}` on {chip} ended well, but the launcher says `{error}`"
                ));
            }
            continue;
        }
        let expected = expected?;
        if !output.status.success() {
            return Err(format!(
                "`main {}` on {chip} ended with {}: {said}",
                words.join(" "),
                output.status
            ));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        if printed != expected {
            return Err(format!(
                "`main {}` on {chip} printed\n{printed}but the launcher computes\n{expected}",
                words.join(" ")
            ));
        }
    }
    Ok(())
}

/// Headers of Metalium and of C++ that are compiled once for all programs that include the same: half of what one takes to build.
pub struct Headers {
    folder: PathBuf,
    /// What was included, and where the header is that includes it.
    made: Mutex<BTreeMap<String, PathBuf>>,
}

impl Headers {
    fn new(folder: PathBuf) -> Headers {
        Headers {
            folder,
            made: Mutex::default(),
        }
    }

    /// The header that includes what `main` does, compiled.
    fn of(&self, main: &str, sdk: &Path) -> Result<PathBuf, String> {
        let included = main.lines().filter(|line| line.starts_with("#include"));
        let text: String = included.flat_map(|line| [line, "\n"]).collect();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(header) = made.get(&text) {
            return Ok(header.clone());
        }
        let header = self.folder.join(format!("{}.h", made.len()));
        project::write(&header, &text)?;
        let compiled = header.with_extension("h.gch");
        let command = compiler(
            sdk,
            &["-x".as_ref(), "c++-header".as_ref(), header.as_os_str()],
            &compiled,
        );
        run(command, "the headers do not compile")?;
        made.insert(text, header.clone());
        Ok(header)
    }
}

/// The compiler with what docs/host-programs.md says.
fn compiler(sdk: &Path, of: &[&OsStr], to: &Path) -> Command {
    let mut command = library::compiler();
    command
        .args([
            "-std=c++20",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-missing-field-initializers",
            // Every program has the same support functions; not every one calls all of them.
            "-Wno-unused-function",
        ])
        .args(of)
        .arg("-I")
        .arg(sdk.join("include"))
        .arg("-o")
        .arg(to);
    command
}

fn run(mut command: Command, otherwise: &str) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot start the C++ compiler: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{otherwise}:\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Builds the program with one line of the compiler, as docs/host-programs.md says; with `headers`, beside it, which are compiled.
pub fn built(artifact: &Artifact, folder: &Path, (sdk, headers): (&Path, Option<&Headers>)) -> Result<PathBuf, String> {
    for (_, name, text) in artifact.sources().into_iter().flatten() {
        project::write(&folder.join(name), text)?;
    }
    let main = folder.join("main.cpp");
    project::write(&main, &artifact.main)?;
    let header = headers.map(|headers| headers.of(&artifact.main, sdk)).transpose()?;
    let of_header = header
        .iter()
        .flat_map(|header| ["-include".as_ref(), header.as_os_str()]);
    let of: Vec<&OsStr> = of_header.chain([main.as_os_str()]).collect();
    let program = folder.join("main");
    let lib = sdk.join("lib");
    let mut command = compiler(sdk, &of, &program);
    command
        .arg("-L")
        .arg(&lib)
        .arg("-ltt_metal")
        .arg(format!("-Wl,-rpath,{}", lib.display()));
    run(command, "main.cpp does not build")?;
    Ok(program)
}

/// The symbolic extents: small ones for those that only count matrices, so that a launch takes no minute.
pub fn extents(plan: &Plan) -> Option<Vec<usize>> {
    let mut of_matrices = std::collections::BTreeSet::new();
    for parameter in &plan.parameters {
        if let Parameter::Tensor { extents, .. } = parameter {
            for extent in &extents[extents.len().saturating_sub(2)..] {
                extent.names(&mut |name| {
                    of_matrices.insert(name.to_string());
                });
            }
        }
    }
    let mut large = EXTENTS.into_iter();
    let mut small = [2, 3].into_iter().cycle();
    let each = plan.extents.iter().map(|name| match of_matrices.contains(name) {
        true => large.next(),
        false => small.next(),
    });
    each.collect()
}

/// Extents, then scalars, as `main` reads them.
pub fn command_line(plan: &Plan, extents: &[usize]) -> Vec<String> {
    let scalars = plan.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Scalar {
            kind: ScalarKind::F32, ..
        } => Some(emulated::FLOAT.to_string()),
        Parameter::Scalar { .. } => Some(emulated::INTEGER.to_string()),
        Parameter::Tensor { .. } => None,
    });
    extents.iter().map(usize::to_string).chain(scalars).collect()
}

/// What `main` must print: the launcher's result on the same inputs.
fn expected(
    kernel: &Kernel,
    artifact: &Artifact,
    plan: &Plan,
    extents: &[usize],
    chip: &str,
) -> Result<String, String> {
    let outcome = emulated::run(kernel, artifact, plan.clone(), inputs(plan, extents)?, chip)?;
    let written = outcome.tensors.iter().filter(|tensor| tensor.written);
    written
        .map(|tensor| {
            let sum: f64 = tensor.after.iter().map(|value| f64::from(*value)).sum();
            let hash = fnv_1a(tensor.element, &tensor.after)?;
            Ok(format!(
                "checksum of {}: {hash:016x}, sum {}\n",
                tensor.name,
                nine_digits(sum)
            ))
        })
        .collect()
}

/// What `main` gives a launch of these extents.
///
/// # Errors
/// As [`emulated::tensors`].
pub fn inputs(plan: &Plan, extents: &[usize]) -> Result<(Bindings, Vec<TensorValues>), String> {
    let (bindings, mut tensors) = emulated::tensors(plan, extents)?;
    let mut remaining = tensors.iter_mut();
    for (position, parameter) in plan.parameters.iter().enumerate() {
        if let Parameter::Tensor { mutable, .. } = parameter {
            let tensor = remaining.next().ok_or("a tensor is missing")?;
            if !mutable {
                fill(position as u64 + 1, tensor.element, &mut tensor.before);
            }
        }
    }
    Ok((bindings, tensors))
}

/// The numbers that `main` fills a tensor with: of a linear congruential generator, between -1 and 1.
fn fill(mut seed: u64, element: ElementType, values: &mut [f32]) {
    for value in values {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let drawn = (seed >> 32) as u32 as i32 as f32 / 2_147_483_648.0;
        *value = match element {
            ElementType::Bf16 => tt_host::bf16::from_f32(drawn).to_f32(),
            ElementType::F32 => drawn,
            // `main` leaves others as they are allocated: not every number is one of theirs.
            _ => 0.0,
        };
    }
}

/// FNV-1a over the bytes of these elements, as `print_checksum` of tt-backend's `support.cpp` computes it.
///
/// # Errors
/// Where the emulated launch gives no elements of this type.
fn fnv_1a(element: ElementType, values: &[f32]) -> Result<u64, String> {
    use ElementType::*;
    let bytes = |value: f32| match element {
        // The upper half of an f32.
        Bf16 => Ok(value.to_le_bytes()[2..].to_vec()),
        F32 | F16 => Ok(value.to_le_bytes().to_vec()),
        I32 => Ok((value as i32).to_le_bytes().to_vec()),
        U32 | U16 => Ok((value as u32).to_le_bytes().to_vec()),
        U8 => Ok((value as u8).to_le_bytes().to_vec()),
        I8 => Ok((value as i8).to_le_bytes().to_vec()),
        Bfp8 | Bfp4 => Err(format!("there is no checksum of {element:?}")),
    };
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for value in values {
        for byte in bytes(*value)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    Ok(hash)
}

/// As C's `%.9g` writes it.
fn nine_digits(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{value:.8e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..9).contains(&exponent) {
        trimmed(&format!("{value:.*}", (8 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::nine_digits;

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (-47.203125, "-47.203125"),
            (0.1 + 0.2, "0.3"),
            (123456789.0, "123456789"),
            (1234567891.0, "1.23456789e+09"),
            (0.00001, "1e-05"),
            (0.000123456789123, "0.000123456789"),
            (999999999.7, "1e+09"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(nine_digits(value), text, "{value}");
        }
    }
}
