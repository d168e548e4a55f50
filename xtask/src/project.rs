//! Where things are: the repository, its target folder, the programs shared between projects.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The repository's root.
pub fn root() -> PathBuf {
    // This crate lies directly below it.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// The folder cargo builds in.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// The programs that several projects share, where this machine has them.
pub fn shared_programs() -> Option<PathBuf> {
    let path = root().join("../shared/programs");
    path.is_dir().then_some(path)
}

/// The programs that are to work, by `.ci/programs`.
pub fn working_programs() -> Result<Vec<String>, String> {
    let path = root().join(".ci/programs");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let names = text.lines().map(|line| {
        line.split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_end_matches(".rs")
    });
    Ok(names.filter(|name| !name.is_empty()).map(str::to_string).collect())
}

/// Writes a file, whole or not at all, and the folders above it.
///
/// # Errors
/// What cannot be written, and why.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    // Another thread or process may write the same file.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}-{count}.partial", std::process::id()));
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))
        .and_then(|()| std::fs::write(&partial, content))
        .and_then(|()| std::fs::rename(&partial, path))
        .map_err(|error| {
            // What is left is only clutter.
            let _ = std::fs::remove_file(&partial);
            format!("cannot write {}: {error}", path.display())
        })
}

/// Cargo, as it started us.
pub fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The `.rs` files directly in `folder` (paths), restricted to the names in `only`, which must all be there.
pub fn rust_files(folder: &Path, only: Option<&[String]>) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(only) = only {
        let wanted: Vec<&str> = only.iter().map(|name| name.trim_end_matches(".rs")).collect();
        if let Some(missing) = wanted
            .iter()
            .find(|wanted| !files.iter().any(|path| name(path) == **wanted))
        {
            return Err(format!("there is no {missing}.rs in {}", folder.display()));
        }
        files.retain(|path| wanted.contains(&name(path).as_str()));
    }
    if files.is_empty() {
        return Err(format!("there is no program in {}", folder.display()));
    }
    Ok(files)
}
