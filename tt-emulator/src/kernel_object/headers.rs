//! The device headers: embedded in the crate, written out for the compiler.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::KernelError;
use super::key::Hash;

/// Path and text of every header.
static HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/device_headers.rs"));

/// Whether there is a header of this name.
pub(super) fn has(name: &str) -> bool {
    HEADERS.iter().any(|(path, _)| *path == name)
}

/// Hash over all headers.
pub(super) fn fingerprint() -> &'static str {
    static FINGERPRINT: OnceLock<String> = OnceLock::new();
    FINGERPRINT.get_or_init(|| {
        let hash = HEADERS.iter().fold(Hash::new(), |hash, (path, text)| {
            hash.field(path.as_bytes()).field(text.as_bytes())
        });
        hash.to_string()
    })
}

/// Makes sure that the headers lie in a folder of `directory`; gives that folder.
///
/// The folder appears complete or not at all: it is written under another name and renamed.
pub(super) fn extract_to(directory: &Path) -> Result<PathBuf, KernelError> {
    let folder = directory.join(format!("headers-{}", fingerprint()));
    if folder.is_dir() {
        return Ok(folder);
    }
    let partial = directory.join(super::cache::temporary_name("headers"));
    let written = write_all(&partial).and_then(|()| match std::fs::rename(&partial, &folder) {
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(()),
        result => result,
    });
    if partial.exists() {
        // What is left is only clutter.
        let _ = std::fs::remove_dir_all(&partial);
    }
    written.map_err(|error| KernelError::Files {
        action: format!("write the device headers to {}", folder.display()),
        error,
    })?;
    Ok(folder)
}

fn write_all(folder: &Path) -> io::Result<()> {
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
