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

/// A shared object that may be loaded.
pub(super) struct Object<'a> {
    bytes: &'a [u8],
    symbols: &'a [String],
}

/// A file as the loader is to find it, and what keeps it there meanwhile.
type Placed<T> = io::Result<(PathBuf, T)>;

impl<'a> Object<'a> {
    /// The object with these bytes, whose entries are `symbols`.
    ///
    /// # Safety
    /// It must be one that can be loaded at any time, and each of `symbols` that it has a [`KernelEntry`] of it.
    pub unsafe fn new(bytes: &'a [u8], symbols: &'a [String]) -> Object<'a> {
        Object { bytes, symbols }
    }

    /// Its entries, in the order of their symbols; it stays loaded. `file` is the kernel's, for messages.
    pub fn entries(&self, file: &str) -> Result<Vec<KernelEntry>, KernelError> {
        let failed = |output: String| KernelError::Load {
            file: file.to_owned(),
            output,
        };
        let library = match self.open(from_memory) {
            Ok(library) => library,
            Err(first) => {
                let folder = temporary_folder()?;
                let second = self.open(|bytes| from_folder(&folder, bytes));
                second.map_err(|second| failed(format!("{first}; from {}: {second}", folder.display())))?
            }
        };
        let found = self.found_in(&library);
        // Entries are kept for the life of the process, and so is their code.
        std::mem::forget(library);
        found.map_err(|error| failed(words(&error)))
    }

    /// Loads it from where `place` puts it.
    fn open<T>(&self, place: impl FnOnce(&[u8]) -> Placed<T>) -> Result<Library, String> {
        let (path, _kept) = place(self.bytes).map_err(|error| error.to_string())?;
        // SAFETY: who made this says that it can be loaded.
        unsafe { Library::new(&path) }.map_err(|error| words(&error))
    }

    /// Its entries in the library that it was loaded as.
    fn found_in(&self, library: &Library) -> Result<Vec<KernelEntry>, libloading::Error> {
        // SAFETY: who made this says that its symbols are entries.
        let entry = |symbol: &String| unsafe { library.get::<KernelEntry>(symbol.as_bytes()) }.map(|entry| *entry);
        self.symbols.iter().map(entry).collect()
    }
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

    /// An object whose functions take what a kernel's entry takes, where they are there.
    fn with_functions<'a>(bytes: &'a [u8], symbols: &'a [String]) -> Object<'a> {
        // SAFETY: all tests have a library without initialisers, or nothing that could be loaded.
        unsafe { Object::new(bytes, symbols) }
    }

    /// What comes of loading it.
    fn loaded(bytes: &[u8], function: &str) -> Result<Vec<KernelEntry>, String> {
        let symbols = [function.to_owned()];
        let entries = with_functions(bytes, &symbols).entries("k.cpp");
        entries.map_err(|error| error.to_string())
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
            let (bytes, symbols) = (object(function), [function.to_owned()]);
            let object = with_functions(&bytes, &symbols);
            let library = object.open(|bytes| from_folder(&temporary, bytes)).unwrap();
            assert!(object.found_in(&library).is_ok(), "{function}");
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
