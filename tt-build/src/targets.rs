//! The targets of a package, as cargo itself sees them.

use crate::error::BuildError;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library, binary, example, test or bench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The name of its crate, as in `module_path!()`.
    pub crate_name: String,
    /// Its first file.
    pub root: PathBuf,
    /// Whether others can link it.
    pub is_library: bool,
}

/// The targets of the package at `manifest` that can have kernels.
pub(crate) fn of_package(manifest: &Path) -> Result<Vec<Target>, BuildError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let file = manifest.join("Cargo.toml");
    let output = Command::new(&cargo)
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--offline",
            "--manifest-path",
        ])
        .arg(&file)
        .output()
        .map_err(|error| BuildError::Metadata(format!("{}: {error}", cargo.to_string_lossy())))?;
    if !output.status.success() {
        return Err(BuildError::Metadata(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| BuildError::Metadata(error.to_string()))?;
    let same = |path: &Value| {
        path.as_str().is_some_and(|path| {
            Path::new(path) == file || std::fs::canonicalize(path).ok() == std::fs::canonicalize(&file).ok()
        })
    };
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let package = packages
        .iter()
        .find(|package| same(&package["manifest_path"]))
        .ok_or_else(|| BuildError::Metadata(format!("cargo metadata does not list {}", file.display())))?;
    Ok(package["targets"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(target)
        .collect())
}

fn target(target: &Value) -> Option<Target> {
    let kinds: Vec<&str> = target["kind"].as_array()?.iter().filter_map(Value::as_str).collect();
    // A build script runs before its own kernels would be compiled, and a proc macro cannot have any.
    if kinds.iter().any(|kind| matches!(*kind, "custom-build" | "proc-macro")) {
        return None;
    }
    Some(Target {
        crate_name: target["name"].as_str()?.replace('-', "_"),
        root: PathBuf::from(target["src_path"].as_str()?),
        is_library: kinds.iter().any(|kind| kind.ends_with("lib")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_the_targets_of_this_crate() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let targets = of_package(manifest).unwrap();
        let library = targets.iter().find(|target| target.is_library).unwrap();
        assert_eq!(library.crate_name, "tt_build");
        assert!(library.root.ends_with("src/lib.rs"));
        let missing = of_package(&manifest.join("nowhere")).unwrap_err();
        assert!(matches!(missing, BuildError::Metadata(_)), "{missing}");
    }
}
