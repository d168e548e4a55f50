//! The object files whose symbols are compared.

use super::symbols::{Symbol, of_objects};
use serde_json::Value;
use std::path::{Path, PathBuf};
use xtask::{library, project};

/// The symbols of the bridge: cxx's half and ours, built with the emulator's headers or against an SDK.
///
/// # Errors
/// Where it does not build.
pub fn bridge(sdk: Option<&Path>, scratch: &Path) -> Result<Vec<Symbol>, String> {
    let mut command = project::cargo();
    command
        .args(["build", "--quiet", "--package", "tt-host", "--lib"])
        .args(["--message-format", "json-render-diagnostics"])
        .env_remove("TT_METAL_SDK")
        .current_dir(project::root());
    match sdk {
        Some(sdk) => command
            .env("TT_METAL_HOME", sdk)
            .env("CARGO_TARGET_DIR", scratch.join("sdk")),
        None => command.env_remove("TT_METAL_HOME"),
    };
    let output = command
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "the bridge does not build:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let folder = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "build-script-executed")
        .filter(|message| message["package_id"].as_str().is_some_and(|id| id.contains("tt-host")))
        .find_map(|message| message["out_dir"].as_str().map(PathBuf::from))
        .ok_or("cargo does not say where tt-host's build script left its library")?;
    // The emulator's host API is in the same library; its objects are no part of the bridge.
    of_objects(&folder.join("libtt_host_bridge.a"), |member| {
        member.ends_with("bridge.o") || member.ends_with("mod.rs.o")
    })
}

/// The object files of the emulator's host API, with the inline functions of its headers.
///
/// # Errors
/// Where it does not compile.
pub fn host_api(scratch: &Path) -> Result<Vec<PathBuf>, String> {
    let host = project::root().join("tt-emulator/host");
    let tables = library::tables()?;
    let mut objects = Vec::new();
    for source in library::sources(&host.join("src"))? {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let object = scratch.join(name).with_extension("o");
        let output = library::compiler()
            .args(["-std=c++20", "-O0", "-fkeep-inline-functions", "-I"])
            .arg(host.join("include"))
            .arg("-I")
            .arg(&tables)
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(&object)
            .output()
            .map_err(|error| format!("cannot start the C++ compiler: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "{} does not compile:\n{}",
                source.display(),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        objects.push(object);
    }
    Ok(objects)
}

/// The symbols of object files.
///
/// # Errors
/// Where one cannot be read.
pub fn symbols_of(objects: &[PathBuf]) -> Result<Vec<Symbol>, String> {
    let mut symbols = Vec::new();
    for object in objects {
        symbols.extend(of_objects(object, |_| true)?);
    }
    Ok(symbols)
}
