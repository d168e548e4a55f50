//! `cargo xtask conformance abi`: what we call of Metalium is what the real library exports.
//!
//! - every function of Metalium that the bridge's object calls is exported by the wheel's `libtt_metal.so`;
//! - every function that the emulator's host API defines is exported there under the same mangled name, or is inline in the
//!   real headers by a list that names them (`inline`);
//! - the emitted `main.cpp` of every kernel is built by a C++ compiler alone against the emulator as a library, calls nothing
//!   that the real library does not export, and computes what the Rust launcher computes.
//!
//! - members lie where the library's code reads them, and objects are as large as it makes them (`layout`);
//! - virtual functions have the library's slots (`tables`);
//! - the bridge builds against the wheel alone: its library, our headers.

pub mod host_programs;
mod inline;
mod layout;
mod library;
mod machine_code;
mod objects;
mod symbols;
mod tables;

use clap::Args;
use library::Library;
use std::collections::BTreeSet;
use std::path::PathBuf;
use symbols::{Kind, Symbol, demangled, is_of_metalium};
use xtask::kernels::{Selection, Turns};
use xtask::project;

/// Holds the bridge and the emulator's host API against the symbols of the real library, and runs every main.cpp
///
/// Host programs are built by the C++ compiler alone, as a user without Rust builds them, and run on both emulated chips; their
/// checksums must be those of the Rust launcher.
#[derive(Args)]
pub struct Arguments {
    /// The real libtt_metal.so (default: that of the pinned wheel)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Also the bridge as built against this SDK's headers (`TT_METAL_HOME`)
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
    /// Only this part
    #[arg(long, value_name = "NAME", value_parser = ["layouts", "symbols", "programs"])]
    part: Option<String>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    turns: Turns,
    /// Of the host programs only those whose path has one of these in it
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    kernels: Option<Vec<String>>,
}

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let wanted = |name: &str| arguments.part.as_ref().is_none_or(|part| part == name);
    let scratch = project::target().join("abi");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("cannot write {}: {error}", scratch.display()))?;
    let real = real_library(arguments)?;
    let objects = match wanted("layouts") || wanted("symbols") {
        true => objects::host_api(&scratch)?,
        false => Vec::new(),
    };
    if wanted("layouts") {
        let table = project::root().join("tt-emulator/host/src/layout.inc");
        println!("{}", layout::check(&real.library, &table)?);
        println!("{}", tables::check(&real.library, &objects)?);
    }
    if wanted("symbols") {
        let built = objects::bridge(None, &scratch)?;
        println!("{}", bridge(&real, "with the emulator's headers", &built)?);
        if let Some(sdk) = &arguments.sdk {
            let built = objects::bridge(Some(sdk), &scratch)?;
            println!("{}", bridge(&real, "against the SDK", &built)?);
        }
        println!("{}", host_api(&real, &objects::symbols_of(&objects)?)?);
    }
    if wanted("programs") {
        println!("{}", host_programs::check(arguments, &scratch, &real.exports)?);
    }
    Ok(())
}

/// The real library.
struct Real {
    library: Library,
    exports: BTreeSet<String>,
}

impl Real {
    fn path(&self) -> std::path::Display<'_> {
        self.library.path().display()
    }
}

fn real_library(arguments: &Arguments) -> Result<Real, String> {
    let path = match arguments.library.clone() {
        Some(path) => path,
        None => crate::fetch::library(&crate::fetch::Cache::of_user()?, &crate::fetch::Machine)?,
    };
    let library = Library::open(&path)?;
    let exports = library.exports();
    Ok(Real { library, exports })
}

/// Every function of Metalium that the bridge calls is exported.
fn bridge(real: &Real, how: &str, objects: &[Symbol]) -> Result<String, String> {
    let defined: BTreeSet<&str> = objects
        .iter()
        .filter(|symbol| symbol.kind != Kind::Undefined)
        .map(|symbol| symbol.name.as_str())
        .collect();
    let called: BTreeSet<&str> = objects
        .iter()
        .filter(|symbol| symbol.kind == Kind::Undefined && is_of_metalium(&symbol.name))
        .map(|symbol| symbol.name.as_str())
        .filter(|name| !defined.contains(name))
        .collect();
    let missing: Vec<String> = called
        .iter()
        .filter(|name| !real.exports.contains(**name))
        .map(|name| format!("  {}", demangled(name)))
        .collect();
    if called.is_empty() {
        return Err(format!(
            "the bridge built {how} calls nothing of Metalium: that cannot be"
        ));
    }
    if missing.is_empty() {
        Ok(format!(
            "bridge built {how}: {} functions of Metalium called, all exported by {}",
            called.len(),
            real.path()
        ))
    } else {
        Err(format!(
            "the bridge built {how} calls what {} does not export:\n{}",
            real.path(),
            missing.join("\n")
        ))
    }
}

/// Every function that the emulator's host API defines is exported, or known to be inline.
fn host_api(real: &Real, objects: &[Symbol]) -> Result<String, String> {
    let mut wrong = Vec::new();
    let (mut exported, mut inlined) = (0, BTreeSet::new());
    let unique: BTreeSet<&Symbol> = objects
        .iter()
        .filter(|symbol| symbol.kind != Kind::Undefined && is_of_metalium(&symbol.name))
        .collect();
    for symbol in unique {
        let name = demangled(&symbol.name);
        if real.exports.contains(&symbol.name) {
            exported += 1;
        } else if inline::is_ours(&name) || inline::is_implicit(&name) {
        } else if let (Kind::Inline, Some(entry)) = (symbol.kind, inline::entry(&name)) {
            inlined.insert(entry.name);
        } else {
            wrong.push(format!("  {name}"));
        }
    }
    let stale = inline::INLINE.iter().filter(|entry| !inlined.contains(entry.name));
    wrong.extend(stale.map(|entry| {
        format!(
            "  {} is listed as inline in {}, but not defined here",
            entry.name, entry.header
        )
    }));
    if wrong.is_empty() {
        Ok(format!(
            "host API of the emulator: {exported} functions under the mangled names of the real library, {} inline in its headers too",
            inlined.len()
        ))
    } else {
        Err(format!(
            "the emulator's host API is not that of {}:\n{}",
            real.path(),
            wrong.join("\n")
        ))
    }
}
