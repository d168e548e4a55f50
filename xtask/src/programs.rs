//! `cargo xtask programs`: complete programs, as they stand, in a crate that knows nothing but the facade.
//!
//! Each folder of programs is built twice: with the one-line build script, and then run where no C++ compiler can be found,
//! which shows that nothing is left to compile; and without one, and then run with an empty kernel cache.

use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::project;

/// Builds and runs every program DIR/*.rs as it stands, with and without a build script
///
/// Each program becomes a binary of a scratch crate under the target folder that depends on `tt` alone. With the one-line
/// build script it is run without a C++ compiler in reach, without it with an empty kernel cache. Fails where a program does
/// not compile, or ends with anything but success.
#[derive(Args)]
pub struct Options {
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Only these programs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
}

/// One way of building the scratch crate.
struct Variant {
    title: &'static str,
    package: &'static str,
    build_script: bool,
}

const VARIANTS: [Variant; 2] = [
    Variant {
        title: "with build.rs",
        package: "tt-programs-built",
        build_script: true,
    },
    Variant {
        title: "without",
        package: "tt-programs-plain",
        build_script: false,
    },
];

/// Does it.
pub fn run(options: &Options) -> Result<(), String> {
    let programs = project::rust_files(&options.folder, options.only.as_deref())?;
    let names: Vec<String> = programs
        .iter()
        .map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    let mut results: Vec<Vec<Result<Duration, String>>> = Vec::new();
    for variant in &VARIANTS {
        let scratch = scratch_crate(variant, &options.folder, &programs)?;
        results.push(
            names
                .iter()
                .map(|name| build_and_run(variant, &scratch, name))
                .collect(),
        );
    }
    report(&names, &results)
}

/// Makes the scratch crate anew and gives back its folder.
fn scratch_crate(variant: &Variant, folder: &Path, programs: &[PathBuf]) -> Result<PathBuf, String> {
    let root = project::root();
    let scratch = project::target().join("programs").join(variant.package);
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).map_err(|error| format!("cannot remove {}: {error}", scratch.display()))?;
    }
    let bin = scratch.join("src/bin");
    std::fs::create_dir_all(&bin).map_err(|error| format!("cannot create {}: {error}", bin.display()))?;
    let mut manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\ntt = {{ path = {:?} }}\n\n[workspace]\n",
        variant.package,
        root.display().to_string()
    );
    if variant.build_script {
        let path = root.join("tt-build").display().to_string();
        let _ = write!(manifest, "\n[build-dependencies]\ntt-build = {{ path = {path:?} }}\n");
        project::write(&scratch.join("build.rs"), "fn main() {\n    tt_build::compile()\n}\n")?;
    }
    project::write(&scratch.join("Cargo.toml"), &manifest)?;
    // The versions of the workspace, so that nothing has to be fetched.
    copy(&root.join("Cargo.lock"), &scratch.join("Cargo.lock"))?;
    for program in programs {
        copy(program, &bin.join(program.file_name().unwrap_or_default()))?;
    }
    copy_folders(folder, &bin)?;
    Ok(scratch)
}

/// Copies the folders in `from` (modules that programs share) into `to`.
fn copy_folders(from: &Path, to: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(from).map_err(|error| format!("cannot read {}: {error}", from.display()))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let copied = to.join(path.file_name().unwrap_or_default());
        std::fs::create_dir_all(&copied).map_err(|error| format!("cannot create {}: {error}", copied.display()))?;
        let files = std::fs::read_dir(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        for file in files.flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
            copy(&file, &copied.join(file.file_name().unwrap_or_default()))?;
        }
        copy_folders(&path, &copied)?;
    }
    Ok(())
}

fn build_and_run(variant: &Variant, scratch: &Path, name: &str) -> Result<Duration, String> {
    let build = project::cargo()
        .args(["build", "--release", "--bin", name, "--manifest-path"])
        .arg(scratch.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", project::target())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !build.status.success() {
        return Err(format!("does not build:\n{}", tail(&build.stderr)));
    }
    let cache = scratch.join(format!("cache-{name}"));
    let mut program = Command::new(project::target().join("release").join(name));
    program
        .current_dir(scratch)
        .env("TT_EMULATOR_CACHE", &cache)
        .env_remove("TT_METAL_HOME");
    if variant.build_script {
        // Everything was compiled with the crate: a program that still wants a compiler is caught here.
        program.env("CXX", scratch.join("no-compiler-here"));
    }
    let start = Instant::now();
    let output = program.output().map_err(|error| format!("cannot start: {error}"))?;
    let time = start.elapsed();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        return Err(format!("ended with {}:\n{}", output.status, tail(&output.stderr)));
    }
    Ok(time)
}

/// The last lines of what a process said.
fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(40);
    lines[from..].iter().map(|line| format!("    {line}\n")).collect()
}

fn report(names: &[String], results: &[Vec<Result<Duration, String>>]) -> Result<(), String> {
    let width = names.iter().map(String::len).max().unwrap_or(0).max("program".len());
    println!(
        "\n{:width$}  {:>14}  {:>14}",
        "program", VARIANTS[0].title, VARIANTS[1].title
    );
    let mut failures = Vec::new();
    for (row, name) in names.iter().enumerate() {
        let cells: Vec<String> = results
            .iter()
            .map(|column| match &column[row] {
                Ok(time) => format!("ok {:.2} s", time.as_secs_f64()),
                Err(_) => "FAILED".into(),
            })
            .collect();
        println!("{name:width$}  {:>14}  {:>14}", cells[0], cells[1]);
        for (variant, column) in VARIANTS.iter().zip(results) {
            if let Err(reason) = &column[row] {
                failures.push(format!("{name} ({}) {reason}", variant.title));
            }
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} of {} runs failed\n{}",
        failures.len(),
        names.len() * VARIANTS.len(),
        failures.join("\n")
    ))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let copied = std::fs::copy(from, to).map(|_| ());
    copied.map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
}
