//! `cargo xtask kernels`: every emitted kernel as a file, with the list that the compile check against the real device
//! headers reads.

use crate::project;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use tt_backend::Artifact;
use tt_lang::ir::Kernel;
use tt_plan::Plan;

/// Writes the emitted C++ and the plan of every kernel of the examples, the tests and the programs
///
/// Beside it goes list.json, which shared/oracle/headers/compile_check.py --list reads: kind, architectures, compile-time
/// arguments and modes of each. Fails where a kernel does not compile.
#[derive(Args)]
pub struct Options {
    /// Where to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What an earlier compiler wrote with --out: fails where a byte of a source or plan differs
    #[arg(long, value_name = "DIR")]
    compare: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

/// Which kernels [`compiled`] takes.
#[derive(Args, Default)]
pub struct Selection {
    /// Also the programs DIR/*.rs (default: ../shared/programs where it exists)
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Of those only these, separated by commas (default: the list in .ci/programs)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
}

/// For which chips a check takes each kernel.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Turns {
    /// Take every kernel for one chip only, each next one for the next chip, the first for that of this number (default: for all)
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
}

impl Turns {
    /// Of `chips` those that the kernel of this number is taken for.
    pub fn of<C: Copy>(self, number: usize, chips: &[C]) -> Vec<C> {
        match self.turn {
            Some(turn) if !chips.is_empty() => vec![chips[number.wrapping_add(turn) % chips.len()]],
            Some(_) | None => chips.to_vec(),
        }
    }
}

impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.turn {
            Some(_) => "for one chip each, by turns",
            None => "for each chip",
        })
    }
}

/// Does it.
///
/// # Errors
/// Where a kernel does not compile, differs, or cannot be written.
pub fn run(
    Options {
        out,
        compare: before,
        selection,
    }: &Options,
) -> Result<(), String> {
    let found = compiled(selection)?;
    let mut list = Vec::new();
    for (kernel, artifact) in &found {
        list.extend(write(out, kernel, artifact)?);
    }
    let text = serde_json::to_string_pretty(&Value::from(list.clone())).map_err(|error| error.to_string())?;
    project::write(&out.join("list.json"), &text)?;
    println!(
        "{} kernels of {} functions in {}",
        list.len(),
        found.len(),
        out.display()
    );
    match before {
        Some(before) => compare(before, out, &found),
        None => Ok(()),
    }
}

/// Holds what was written below `out` against what is below `before`, file by file.
fn compare(before: &Path, out: &Path, found: &[(String, Artifact)]) -> Result<(), String> {
    let files = |kernel: &str| FILES.map(|file| Path::new(&kernel.replace("::", "/")).join(file));
    let differs = |file: &PathBuf| match (std::fs::read(before.join(file)), std::fs::read(out.join(file))) {
        (Ok(before), Ok(after)) => before != after,
        _ => true,
    };
    let written: Vec<PathBuf> = found.iter().flat_map(|(kernel, _)| files(kernel)).collect();
    let differing: Vec<String> = written
        .iter()
        .filter(|file| differs(file))
        .map(|file| file.display().to_string())
        .collect();
    match differing.is_empty() {
        true => {
            println!("{} files are as in {}", written.len(), before.display());
            Ok(())
        }
        false => Err(format!(
            "{} of {} files are not as in {}:\n{}",
            differing.len(),
            written.len(),
            before.display(),
            differing.join("\n")
        )),
    }
}

/// What is written of one function.
const FILES: [&str; 5] = ["tt.plan.json", "reader.cpp", "compute.cpp", "writer.cpp", "main.cpp"];

/// Every kernel function of the examples, the tests and the programs, by its path; the same text only once.
///
/// # Errors
/// Where one does not compile, or a program is missing.
pub fn compiled(selection: &Selection) -> Result<Vec<(String, Artifact)>, String> {
    let emitted = emitted(selection)?.into_iter();
    Ok(emitted.map(|(path, _, artifact)| (path, artifact)).collect())
}

/// [`compiled`], with the kernels as Tile IR.
///
/// # Errors
/// As [`compiled`].
pub fn emitted(selection: &Selection) -> Result<Vec<(String, Kernel, Artifact)>, String> {
    let root = project::root();
    let mut found = tt_build::kernels_of_package(&root).map_err(|error| error.to_string())?;
    for file in project::rust_files(&root.join("tt-backend/tests/kernels"), None)? {
        found.extend(tt_build::kernels_of_crate(&file));
    }
    let only = selection.only.clone();
    let (programs, only) = match selection.programs.clone() {
        Some(folder) => (Some(folder), only),
        None => (
            project::shared_programs(),
            Some(only.map_or_else(project::working_programs, Ok)?),
        ),
    };
    if let Some(folder) = &programs {
        for file in project::rust_files(folder, only.as_deref())? {
            found.extend(tt_build::kernels_of_crate(&file));
        }
    }
    let mut digests = BTreeSet::new();
    let mut refused = Vec::new();
    let mut kernels = Vec::new();
    for kernel in found {
        match kernel.outcome {
            Ok((tile, artifact)) if digests.insert(artifact.digest()) => {
                for (way, tile) in tt_backend::other_ways(&tile) {
                    let artifact = tt_backend::compile(&tile);
                    kernels.extend(artifact.map(|artifact| (format!("{}-{way}", kernel.path), tile, artifact)));
                }
                kernels.push((kernel.path, tile, artifact));
            }
            Ok(_) => {}
            Err(_) if kernel.is_reference => {}
            Err(errors) => refused.push(format!("`{}` does not compile:\n{}", kernel.path, errors.join("\n"))),
        }
    }
    if refused.is_empty() {
        Ok(kernels)
    } else {
        Err(refused.join("\n"))
    }
}

/// Writes the kernels of one function, three for every stage, and gives back their entries in the list.
fn write(out: &Path, kernel: &str, artifact: &Artifact) -> Result<Vec<Value>, String> {
    let plan = Plan::from_json(&artifact.plan).map_err(|error| format!("`{kernel}`: {error}"))?;
    let folder = kernel.replace("::", "/");
    project::write(&out.join(&folder).join("tt.plan.json"), &artifact.plan)?;
    project::write(&out.join(&folder).join("main.cpp"), &artifact.main)?;
    let mut entries = Vec::new();
    for (number, (stage, plan)) in artifact.sources().into_iter().zip(plan.stages()).enumerate() {
        let kernel = match number {
            0 => kernel.to_string(),
            later => format!("{kernel} stage {}", later + 1),
        };
        for (role, file, text) in stage {
            let path = format!("{folder}/{file}");
            project::write(&out.join(&path), text)?;
            entries.push(json!({
                "path": path,
                "name": format!("{kernel} {}", role.name()),
                "kind": role.name(),
                "arch": "both",
                "ct": plan.compile_args(role),
                "defines": {},
                "named": {},
                "fp32": plan.compute.fp32_dest_acc_en,
                "math_fidelity": format!("{:?}", plan.compute.math_fidelity),
            }));
        }
    }
    Ok(entries)
}
