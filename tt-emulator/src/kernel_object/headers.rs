//! The device headers: embedded in the crate, written out for the compiler.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use super::KernelError;
use super::key::Hash;
use super::partial::{self, Partial};

/// What folders of headers are called, before their fingerprint.
const FOLDER_PREFIX: &str = "headers-";

/// Path and text of every header, of those too that the build script makes of the crate's own tables and figures.
pub static HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/device_headers.rs"));

/// Whether there is a header of this name.
pub(super) fn has(name: &str) -> bool {
    HEADERS.iter().any(|(path, _)| *path == name)
}

/// Hash over all headers. It is part of the key of every kernel, so an object that was compiled for other tables, numbers or figures
/// than this engine has is never loaded.
pub(super) fn fingerprint() -> &'static str {
    static FINGERPRINT: OnceLock<String> = OnceLock::new();
    FINGERPRINT.get_or_init(|| {
        let hash = HEADERS.iter().fold(Hash::new(), |hash, (path, text)| {
            hash.field(path.as_bytes()).field(text.as_bytes())
        });
        hash.to_string()
    })
}

/// Makes sure that the headers lie in a folder of `directory`, all of them and nothing else; gives that folder.
///
/// The folder appears complete or not at all: it is written under another name and renamed. What is damaged is made again.
pub(super) fn extract_to(directory: &Path) -> Result<PathBuf, KernelError> {
    let folder = directory.join(format!("{FOLDER_PREFIX}{}", fingerprint()));
    if is_intact(&folder) {
        // Whoever tidies up sees that they are used; a folder that can only be read is not tidied.
        let _ = File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::now()));
        return Ok(folder);
    }
    put_into(directory, &folder).map_err(|error| KernelError::Files {
        action: format!("write the device headers to {}", folder.display()),
        error,
    })?;
    Ok(folder)
}

/// Whether a folder of headers, of any version, can be called so.
#[cfg(feature = "engine")]
pub(super) fn is_folder_name(name: &str) -> bool {
    let fingerprint = name.strip_prefix(FOLDER_PREFIX).unwrap_or_default();
    fingerprint.len() == 32
        && fingerprint
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Writes the headers beside `folder` and puts them in its place, one process at a time: nobody takes away a folder that
/// another one has just found to be good.
fn put_into(directory: &Path, folder: &Path) -> io::Result<()> {
    let lock = File::create(directory.join("headers.lock"))?;
    match lock.lock() {
        // A file system without locks: two processes may replace a damaged folder at once, and one of them say so.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        locked => locked?,
    }
    if is_intact(folder) {
        return Ok(());
    }
    let partial = Partial::new(directory, partial::NAME)?;
    let new = partial.path().join("headers");
    for (name, text) in HEADERS {
        let path = new.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    match std::fs::rename(folder, partial.path().join("damaged")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => std::fs::rename(new, folder),
    }
}

/// Whether `folder` has every header as it is in here, and no other file: the compiler would take that.
fn is_intact(folder: &Path) -> bool {
    let mut found = BTreeSet::new();
    let is_readable = files_below(folder, Path::new(""), &mut found).is_ok();
    is_readable
        && found.len() == HEADERS.len()
        && HEADERS.iter().all(|(name, text)| {
            found.contains(Path::new(name))
                && std::fs::read(folder.join(name)).is_ok_and(|present| present == text.as_bytes())
        })
}

/// The files of `folder/below` by their paths in `folder`.
///
/// # Errors
/// Where something is neither a file nor a folder, or cannot be read.
fn files_below(folder: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let place = folder.join(below);
    if !std::fs::symlink_metadata(&place)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files_below(folder, &path, found)?;
        } else if kind.is_file() {
            found.insert(path);
        } else {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_made_again_where_anything_is_not_as_it_was() {
        let scratch = Partial::new(&std::env::temp_dir(), "tt-headers").unwrap();
        let folder = extract_to(scratch.path()).unwrap();
        assert!(is_intact(&folder));
        let api = folder.join("api/dataflow/dataflow_api.h");
        let damages: [(&str, &dyn Fn()); 5] = [
            ("cut off", &|| std::fs::write(&api, "#pragma once\n").unwrap()),
            ("missing", &|| std::fs::remove_file(&api).unwrap()),
            ("one more, before the standard's", &|| {
                std::fs::write(folder.join("cstdint"), "#error planted").unwrap()
            }),
            ("a link", &|| {
                let copy = scratch.path().join("copy.h");
                std::fs::rename(&api, &copy).unwrap();
                std::os::unix::fs::symlink(copy, &api).unwrap();
            }),
            ("a file in its place", &|| {
                std::fs::remove_dir_all(&folder).unwrap();
                std::fs::write(&folder, "").unwrap();
            }),
        ];
        for (what, damage) in damages {
            damage();
            assert!(!is_intact(&folder), "{what}");
            assert_eq!(extract_to(scratch.path()).unwrap(), folder);
            assert!(is_intact(&folder), "{what}");
        }
    }
}
