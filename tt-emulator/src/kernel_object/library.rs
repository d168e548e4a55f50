//! From the bytes of a shared object to its entry.
//!
//! The loader takes files, and files can change while it maps them. So the bytes that were checked go into a file that has no
//! name, in memory, and that is loaded: no other process can change it, and no file system forbids to run what is in it. Where
//! the system gives no such file, a new folder for temporary files has to do.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use libloading::Library;

use super::KernelError;
use super::cache::temporary_folder;
use super::partial::Partial;
use crate::abi::KernelEntry;

/// The entries `symbols` of a shared object, in their order; it stays loaded. `file` is the kernel's, for messages.
///
/// # Safety
/// The object must be one that can be loaded at any time, and each of `symbols` a [`KernelEntry`] of it.
pub(super) unsafe fn entries(file: &str, object: &[u8], symbols: &[String]) -> Result<Vec<KernelEntry>, KernelError> {
    let failed = |output: String| KernelError::Load {
        file: file.to_owned(),
        output,
    };
    // SAFETY: by the contract of the call.
    let library = match unsafe { open(object, from_memory) } {
        Ok(library) => library,
        Err(first) => {
            let folder = temporary_folder()?;
            // SAFETY: as above.
            let second = unsafe { open(object, |object| from_folder(&folder, object)) };
            second.map_err(|second| failed(format!("{first}; from {}: {second}", folder.display())))?
        }
    };
    let found: Result<Vec<KernelEntry>, libloading::Error> = symbols
        .iter()
        // SAFETY: by the contract of the call.
        .map(|symbol| unsafe { library.get::<KernelEntry>(symbol.as_bytes()) }.map(|symbol| *symbol))
        .collect();
    // Entries are kept for the life of the process, and so is their code.
    std::mem::forget(library);
    found.map_err(|error| failed(words(&error)))
}

/// A file as the loader is to find it, and what keeps it there meanwhile.
type Placed<T> = io::Result<(PathBuf, T)>;

/// # Safety
/// As for [`entries`].
unsafe fn open<T>(object: &[u8], place: impl FnOnce(&[u8]) -> Placed<T>) -> Result<Library, String> {
    let (path, _kept) = place(object).map_err(|error| error.to_string())?;
    // SAFETY: by the contract of the call.
    unsafe { Library::new(&path) }.map_err(|error| words(&error))
}

/// What went wrong, with the loader's own words, which libloading keeps as the cause.
fn words(error: &libloading::Error) -> String {
    use std::error::Error;
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Puts an object into a file in memory.
#[cfg(target_os = "linux")]
fn from_memory(object: &[u8]) -> Placed<File> {
    use std::os::fd::{AsRawFd, FromRawFd};
    // SAFETY: the name is a C string; a descriptor that is given is new and nobody else's.
    let mut file = unsafe {
        match libc::memfd_create(c"tt-kernel".as_ptr(), libc::MFD_CLOEXEC) {
            ..0 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    file.write_all(object)?;
    let path = spelled_anew("/proc/self/fd", &file.as_raw_fd().to_string());
    Ok((path, file))
}

#[cfg(not(target_os = "linux"))]
fn from_memory(_: &[u8]) -> Placed<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Puts an object into a new folder for temporary files.
fn from_folder(folder: &Path, object: &[u8]) -> Placed<Partial> {
    let partial = Partial::new(folder, "tt-emulator")?;
    let path = partial.path().join("kernel.so");
    File::create_new(&path)?.write_all(object)?;
    Ok((
        spelled_anew(&partial.path().display().to_string(), "kernel.so"),
        partial,
    ))
}

/// A path to `folder/file` that was not given before: the loader takes a path that it knows for the library that it loaded
/// from there, and numbers of descriptors come again. The bits of a count are spelled as `/` and `./`.
fn spelled_anew(folder: &str, file: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let bits = (0..u64::BITS - count.leading_zeros()).map(|bit| if count >> bit & 1 == 0 { "/" } else { "./" });
    PathBuf::from(format!("{folder}/{}{file}", bits.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A library with one function.
    fn object(function: &str) -> Vec<u8> {
        let folder = Partial::new(&std::env::temp_dir(), "tt-library").unwrap();
        let (source, object) = (folder.path().join("k.cpp"), folder.path().join("k.so"));
        std::fs::write(&source, format!("extern \"C\" void {function}(const void*) {{}}")).unwrap();
        let compiler = Command::new("c++")
            .args(["-shared", "-fPIC", "-o"])
            .args([&object, &source])
            .status();
        assert!(compiler.unwrap().success());
        std::fs::read(object).unwrap()
    }

    /// What comes of loading an object for a function that takes what a kernel's entry takes, if it is there.
    fn loaded(object: &[u8], function: &str) -> Result<Vec<KernelEntry>, String> {
        // SAFETY: a library without initialisers, or nothing that could be loaded.
        unsafe { entries("k.cpp", object, &[function.to_owned()]) }.map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_of_descriptors_come_again_and_libraries_do_not() {
        for function in ["first_library", "second_library"] {
            assert!(loaded(&object(function), function).is_ok(), "{function}");
        }
    }

    #[test]
    fn a_folder_serves_where_memory_does_not() {
        let temporary = temporary_folder().unwrap();
        for function in ["in_a_folder", "in_another_folder"] {
            let object = object(function);
            // SAFETY: a library without initialisers, and a function of it.
            let found = unsafe {
                let library = open(&object, |object| from_folder(&temporary, object)).unwrap();
                library.get::<KernelEntry>(function.as_bytes()).is_ok()
            };
            assert!(found, "{function}");
        }
    }

    #[test]
    fn the_loaders_own_words_are_told() {
        let error = loaded(b"not an object, and longer than its head would be", "k").unwrap_err();
        assert!(error.starts_with("cannot load compiled kernel k.cpp: "), "{error}");
        assert!(
            error.contains("file too short") || error.contains("invalid ELF header"),
            "{error}"
        );
        let error = loaded(&object("here"), "elsewhere").unwrap_err();
        assert!(error.contains("undefined symbol: elsewhere"), "{error}");
    }

    #[test]
    fn paths_are_spelled_in_as_many_ways_as_are_asked_for() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-spelled").unwrap();
        std::fs::write(folder.path().join("file"), "text").unwrap();
        let text = folder.path().display().to_string();
        let paths: std::collections::HashSet<String> = (0..1000)
            .map(|_| {
                let path = spelled_anew(&text, "file");
                assert!(path.is_file());
                path.display().to_string()
            })
            .collect();
        assert_eq!(paths.len(), 1000);
    }
}
