//! The same cases on the real runtime and simulated chips, through the tool of the simulator chore.
//!
//! The tool knows interleaved tensors and circular buffers of their own; cases with more than that it is not told. Tensors go
//! as rows of words, a page to a row, so that no conversion touches them.

use super::case::{Arg, Buffer, Case, Kernel};
use super::wheel::Wheel;
use crate::simulator::npy;
use crate::simulator::oracle::{Failure, Oracle};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
use tt_emulator::{ArchName, BufferKind, DataFormat};

/// Whether the tool can be told of a case.
fn can_be_told(case: &Case) -> bool {
    let plain = |kernel: &Kernel| match &kernel.role {
        KernelRole::Compute(options) => options.unpack_to_dest_fp32.is_empty(),
        KernelRole::DataMovement { .. } => true,
    };
    case.fails.is_none_or(|failure| failure.is_of_compiler())
        && case.buffers.len() > 1
        && case.buffers.iter().all(|buffer| buffer.sharding.is_none())
        && case.kernels.iter().all(plain)
        && case
            .circular_buffers
            .iter()
            .all(|buffer| buffer.on.is_none() && buffer.ids.len() == 1 && format(buffer.format).is_some())
}

/// What the simulated chips made of the cases.
#[derive(Default)]
pub struct Outcome {
    pub ran: usize,
    /// Cases of which the tool can say nothing ([`Failure::Compiler`], [`Failure::Code`], [`Failure::Instruction`]).
    pub unknown: Vec<String>,
    pub wrong: Vec<String>,
}

/// Runs those of `cases` that the tool can be told of.
pub fn run(oracle: &Oracle, cases: &[Case], wheel: &Wheel, arch: ArchName, folder: &Path) -> Result<Outcome, String> {
    let folder = folder.join(arch.to_string());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    let told: Vec<&Case> = cases.iter().filter(|case| can_be_told(case)).collect();
    let place = |index: usize| folder.join(format!("{index:03}"));
    for (index, case) in told.iter().enumerate() {
        write(case, wheel, arch, &place(index))?;
    }
    if told.is_empty() {
        return Ok(Outcome::default());
    }
    oracle.run(&folder, "1", None)?;
    let mut result = Outcome::default();
    for (index, case) in told.iter().enumerate() {
        let folder = place(index);
        let outcome = match oracle.failure(&folder) {
            Some(Failure::Compiler | Failure::Code | Failure::Instruction(_)) => {
                result.unknown.push(case.name.clone());
                continue;
            }
            Some(Failure::Launch(failure)) => Err(failure),
            None => check(case, &folder),
        };
        result.ran += 1;
        if let Err(error) = outcome {
            result
                .wrong
                .push(format!("{} on the simulated {arch}: {error}", case.name));
        }
    }
    Ok(result)
}

/// Judges what the simulator left.
fn check(case: &Case, folder: &Path) -> Result<(), String> {
    for (index, buffer) in case.buffers.iter().enumerate() {
        let Some(expected) = &buffer.expected else { continue };
        let found = npy::read_words(&folder.join(output(index)), buffer.content.len() / 4)?;
        expected
            .check(&found)
            .map_err(|wrong| format!("buffer `{}`: {wrong}", buffer.name))?;
    }
    Ok(())
}

fn output(index: usize) -> String {
    format!("{index}.out.npy")
}

fn write(case: &Case, wheel: &Wheel, arch: ArchName, folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut buffers = Map::new();
    for (index, buffer) in case.buffers.iter().enumerate() {
        buffers.insert(buffer.name.to_owned(), tensor(buffer, index, folder)?);
    }
    let cbs = case.circular_buffers.iter().map(|buffer| {
        json!({
            "index": buffer.ids[0],
            "data_format": format(buffer.format),
            "page_size": buffer.page_bytes,
            "num_pages": buffer.pages,
            "cores": cores(&buffer.cores),
        })
    });
    let semaphores = (0..).zip(&case.semaphores);
    let semaphores =
        semaphores.map(|(id, (on, initial)): (u32, _)| json!({"id": id, "cores": cores(on), "init": initial}));
    let kernels: Result<Vec<Value>, String> = (0..)
        .zip(&case.kernels)
        .map(|(index, described)| kernel(described, index, wheel, folder))
        .collect();
    let spec = json!({
        "arch": arch.to_string(),
        "buffers": buffers,
        "cbs": cbs.collect::<Vec<_>>(),
        "semaphores": semaphores.collect::<Vec<_>>(),
        "kernels": kernels?,
    });
    std::fs::write(folder.join("spec.json"), spec.to_string()).map_err(failed)
}

fn tensor(buffer: &Buffer, index: usize, folder: &Path) -> Result<Value, String> {
    let words = buffer.page_bytes as usize / 4;
    let shape = [buffer.content.len() / 4 / words, words];
    let file = format!("{index}.npy");
    npy::write_words(&folder.join(&file), &shape, &buffer.content)?;
    let memory = match buffer.memory {
        BufferKind::Dram => "dram",
        BufferKind::L1 => "l1",
    };
    let mut described = json!({
        "shape": shape, "dtype": "uint32", "layout": "row_major", "memory": memory, "init": file,
    });
    if buffer.expected.is_some() {
        described["out"] = output(index).into();
    }
    Ok(described)
}

fn kernel(kernel: &Kernel, index: usize, wheel: &Wheel, folder: &Path) -> Result<Value, String> {
    let header = kernel.tokens.header();
    let path = match kernel.text {
        None if header.is_empty() => wheel.path(&kernel.path),
        _ => {
            let text = match kernel.text {
                Some(text) => text.to_owned(),
                None => wheel.read(&kernel.path)?,
            };
            let name = Path::new(&kernel.path).file_name().unwrap_or_default();
            let path = folder.join(format!("{index}.{}", name.to_string_lossy()));
            std::fs::write(&path, header + &beside(&text, wheel.directory(&kernel.path)))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            path
        }
    };
    let arguments = |arguments: &[Arg]| arguments.iter().map(argument).collect::<Vec<_>>();
    let per_core = kernel.args.iter();
    let per_core = per_core.map(|((x, y), words)| (format!("{x},{y}"), Value::from(arguments(words))));
    let named = kernel.named_compile_args.iter();
    let defines = kernel.defines.iter();
    let mut described = json!({
        "path": path,
        "cores": cores(&kernel.cores),
        "compile_args": arguments(&kernel.compile_args),
        "named_compile_args": named.map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
        "defines": defines.map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
        "runtime_args": per_core.collect::<Map<_, _>>(),
    });
    match &kernel.role {
        KernelRole::DataMovement { processor, noc } => {
            let (kind, processor) = match processor {
                DataMovementProcessor::Ncrisc => ("reader", 1),
                DataMovementProcessor::Brisc => ("writer", 0),
            };
            described["kind"] = kind.into();
            described["processor"] = processor.into();
            described["noc"] = (*noc).into();
        }
        KernelRole::Compute(options) => {
            described["kind"] = "compute".into();
            described["math_fidelity"] = format!("{:?}", options.math_fidelity).into();
            described["fp32_dest_acc_en"] = options.fp32_dest_acc_en.into();
            described["dst_full_sync_en"] = options.dst_full_sync_en.into();
            described["math_approx_mode"] = options.math_approx_mode.into();
        }
    }
    Ok(described)
}

/// A kernel's text, to stand elsewhere: what it includes from its own folder it includes by whole paths.
fn beside(text: &str, directory: Option<PathBuf>) -> String {
    let moved = |line: &str| {
        let name = line.trim_start().strip_prefix("#include \"")?.split('"').next()?;
        let path = directory.as_ref()?.join(name);
        path.is_file().then(|| format!("#include \"{}\"", path.display()))
    };
    text.lines()
        .map(|line| moved(line).unwrap_or_else(|| line.to_owned()) + "\n")
        .collect()
}

fn argument(argument: &Arg) -> Value {
    match argument {
        Arg::Word(word) => json!(word),
        Arg::Address(name) => json!(format!("addr:{name}")),
        Arg::Accessor(name) => json!(format!("accessor:{name}")),
        Arg::NocX((x, y)) => json!(format!("noc_x:{x},{y}")),
        Arg::NocY((x, y)) => json!(format!("noc_y:{x},{y}")),
    }
}

fn cores(cores: &[(usize, usize)]) -> Value {
    cores.iter().map(|(x, y)| json!([[x, y], [x, y]])).collect()
}

/// The tool's name of a format.
fn format(format: DataFormat) -> Option<&'static str> {
    Some(match format {
        DataFormat::Float16_b => "bfloat16",
        DataFormat::Float32 => "float32",
        DataFormat::Bfp8_b => "bfloat8_b",
        DataFormat::Bfp4_b => "bfloat4_b",
        DataFormat::UInt32 => "uint32",
        DataFormat::Int32 => "int32",
        DataFormat::UInt16 => "uint16",
        _ => return None,
    })
}
