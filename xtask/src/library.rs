//! `cargo xtask library`: the emulator as a C++ library, for host programs without Rust.
//!
//! Its folder looks like that of the real thing: `include/tt-metalium/..` and `lib/libtt_metal.so`, which has the
//! engine and the device headers in it. A stand-alone `main.cpp` is built against it with one line of the C++ compiler.

use crate::project;
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a C++ library of the emulator: DIR/include and DIR/lib/libtt_metal.so
///
/// Then, without Rust: c++ -std=c++20 main.cpp -IDIR/include -LDIR/lib -ltt_metal -Wl,-rpath,DIR/lib -o main
#[derive(Args)]
pub struct Options {
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Does it.
///
/// # Errors
/// As [`build`].
pub fn run(options: &Options) -> Result<(), String> {
    let library = build(&options.folder, &["--release"])?;
    println!("{}", library.display());
    Ok(())
}

/// Builds the library into `folder`, the engine in a profile of cargo's; gives the shared library.
///
/// # Errors
/// Where the engine or the shim does not build, or files cannot be written.
pub fn build(folder: &Path, profile: &[&str]) -> Result<PathBuf, String> {
    let Engine {
        library: engine,
        tables,
    } = engine(profile)?;
    let host = project::root().join("tt-emulator/host");
    let fail = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    let lib = folder.join("lib");
    std::fs::create_dir_all(&lib).map_err(|error| fail(&lib, error))?;
    let include = folder.join("include");
    copy(&host.join("include"), &include).map_err(|error| fail(&include, error))?;

    let library = lib.join("libtt_metal.so");
    let new = lib.join("libtt_metal.so.new");
    let output = compiler()
        .args([
            "-std=c++20",
            "-O2",
            "-fPIC",
            "-shared",
            "-Wl,-soname,libtt_metal.so",
            "-Wl,--no-undefined",
        ])
        // Called by host programs alone.
        .arg("-Wl,--undefined=tt_emulator_select_arch")
        .arg("-I")
        .arg(host.join("include"))
        .arg("-I")
        .arg(tables)
        .args(sources(&host.join("src"))?)
        .arg(&engine)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&new)
        .output()
        .map_err(|error| format!("cannot start the C++ compiler: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "the host API does not build:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    std::fs::rename(&new, &library).map_err(|error| fail(&library, error))?;
    Ok(library)
}

/// The C++ compiler of this machine: what `CXX` names, else `c++`.
pub fn compiler() -> Command {
    Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()))
}

/// The C++ files of the emulator's host API.
///
/// # Errors
/// Where they cannot be listed.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

/// The engine as it was built.
struct Engine {
    /// A static library.
    library: PathBuf,
    /// The folder of the header that says what the library and the shim pass each other.
    tables: PathBuf,
}

/// The folder of the header that says what the host API and the engine pass each other.
///
/// # Errors
/// Where the engine does not build.
pub fn tables() -> Result<PathBuf, String> {
    engine(&[]).map(|engine| engine.tables)
}

fn engine(profile: &[&str]) -> Result<Engine, String> {
    let output = project::cargo()
        .args([
            "rustc",
            "--quiet",
            "--package",
            "tt-emulator",
            "--lib",
            "--crate-type",
            "staticlib",
        ])
        .args(["--message-format", "json-render-diagnostics"])
        .args(profile)
        .current_dir(project::root())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the engine does not build:\n{said}"));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let of = |reason| messages.iter().filter(move |message| message["reason"] == reason);
    let library = of("compiler-artifact")
        .filter_map(|message| message["filenames"].as_array())
        .flatten()
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .rfind(|path| path.extension().is_some_and(|extension| extension == "a"))
        .ok_or("cargo made no static library of the engine")?;
    let tables = of("build-script-executed")
        .filter_map(|message| message["out_dir"].as_str().map(|out| Path::new(out).join("host")))
        .find(|folder| folder.join("engine_tables.h").is_file())
        .ok_or("the engine's build script wrote no tables")?;
    Ok(Engine { library, tables })
}

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
