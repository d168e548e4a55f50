//! Compiled kernels on disk.
//!
//! What lies in the cache is run, so it is a folder that nobody but this user can change (`folder`), and what is loaded are
//! bytes that were checked (`entry`). A file of the cache is complete or absent: it is made under another name and renamed.
//! So two processes may compile the same kernel at once, and a killed compiler leaves nothing that is ever loaded. The name
//! holds the compiler's identity and, through the key, the headers; a change of either makes other names. What is damaged is
//! made again, what was used longest ago goes where the cache grows too large (`eviction`). All of it is in a folder of the
//! cache's own below the one that the user names.
//!
//! Where there is no such folder (it is unsafe, read-only, full), that is said, and the kernel is compiled in a folder for
//! temporary files and kept only in memory.

mod entry;
mod eviction;
mod folder;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::compiler::{self, Compiler, Output};
use super::key::kernel_key;
use super::partial::{self, Partial};
use super::{CbDescriptor, KernelError, KernelSource, descriptors, headers, includes, wrapper};
use crate::arch::ArchName;
use crate::kernel_config::KernelRole;
use crate::settings;
use entry::Found;
use folder::Refused;

/// The cache's own folder below the one that the user names. Another form of what is in it would have another number.
const OWN_FOLDER: &str = "kernels-1";

/// What entries end in.
const ENTRY_SUFFIX: &str = ".kernel";

/// A compiled kernel.
#[derive(Debug)]
pub struct SharedKernel {
    /// The shared object.
    pub object: Vec<u8>,
    /// Its key, which names its entry.
    pub key: String,
    /// Where it lies in the cache, where it does.
    pub path: Option<PathBuf>,
    /// Whether it was in the cache, and not compiled now.
    pub was_cached: bool,
}

/// Everything before the text of a kernel that is compiled at run time, and its key.
fn prologue_and_key(
    source: &KernelSource,
    role: &KernelRole,
    arch: ArchName,
    buffers: &[CbDescriptor],
) -> Result<(String, String), KernelError> {
    let includes = includes::of(source)?;
    let mut prologue = wrapper::prologue(source, &includes, role, arch);
    prologue.push_str(&descriptors::define(buffers, role));
    prologue.push('\n');
    let key = kernel_key(source, &includes, &prologue).to_string();
    Ok((prologue, key))
}

/// The key of a kernel that is compiled at run time, for these circular buffers.
pub(super) fn run_time_key(
    source: &KernelSource,
    role: &KernelRole,
    arch: ArchName,
    buffers: &[CbDescriptor],
) -> Result<String, KernelError> {
    prologue_and_key(source, role, arch, buffers).map(|(_, key)| key)
}

/// Compiles a kernel into a shared object, or finds it in the cache. `buffers` are the circular buffers of its cores.
///
/// # Errors
/// Every [`KernelError`] but loading.
pub fn compile_to_shared(
    source: &KernelSource,
    role: &KernelRole,
    arch: ArchName,
    buffers: &[CbDescriptor],
) -> Result<SharedKernel, KernelError> {
    let limit = settings::cache_limit().map_err(KernelError::Setting)?;
    let (prologue, key) = prologue_and_key(source, role, arch, buffers)?;
    let job = Job {
        compiler: compiler::find()?,
        text: wrapper::translation_unit(source, &prologue, &key),
        source,
        key,
    };
    let refused = match settings::cache_directory() {
        Some(directory) => match job.in_cache(&directory, limit) {
            Ok(kernel) => return Ok(kernel),
            Err(error) if error.is_about_storage() => {
                said_once(&format!(
                    "the kernel cache {} is not used: {error}",
                    directory.display()
                ));
                Some((directory, error))
            }
            Err(error) => return Err(error),
        },
        None => {
            said_once("there is no home folder to keep compiled kernels in, and TT_EMULATOR_CACHE is not set");
            None
        }
    };
    job.in_memory().map_err(|error| match (refused, error) {
        (Some((directory, first)), KernelError::Files { action, error }) => KernelError::Files {
            action: format!("use the kernel cache {} ({first}), nor {action}", directory.display()),
            error,
        },
        (_, error) => error,
    })
}

/// Removes what the cache has of a kernel that turned out not to load: it was made on another machine, or by a compiler
/// that is no more what it says.
pub(super) fn forget(path: &Path) -> Result<(), KernelError> {
    std::fs::remove_file(path).map_err(|error| KernelError::Files {
        action: format!("remove {}, which does not load", path.display()),
        error,
    })
}

/// A kernel to compile.
struct Job<'a> {
    source: &'a KernelSource,
    compiler: Compiler,
    text: String,
    key: String,
}

impl Job<'_> {
    /// The kernel as it is in the cache in `directory`, or is there afterwards.
    fn in_cache(&self, directory: &Path, limit: u64) -> Result<SharedKernel, KernelError> {
        let user = folder::user();
        let folder = private_folder(&directory.join(OWN_FOLDER))?;
        let name = format!("{}-{}{ENTRY_SUFFIX}", self.key, self.compiler.fingerprint());
        debug_assert!(eviction::is_entry(&name));
        let path = folder.join(&name);
        match entry::read(&path, user) {
            Found::Object(object) => {
                return Ok(SharedKernel {
                    object,
                    key: self.key.clone(),
                    path: Some(path),
                    was_cached: true,
                });
            }
            Found::Nothing => {}
            Found::Damaged => remove(&path)?,
        }
        let object = {
            let include = headers::extract_to(&folder)?;
            self.compile_in(&unfinished(&folder, partial::NAME)?, &include)?
        };
        let failed = |error| KernelError::Files {
            action: format!("write {}", path.display()),
            error,
        };
        let stored = Partial::new(&folder, partial::NAME).and_then(|partial| {
            let unfinished = partial.path().join("entry");
            entry::write(&unfinished, &name, &object)?;
            std::fs::rename(unfinished, &path)
        });
        // What could not be kept can be run all the same.
        if let Err(error) = stored.map_err(failed) {
            said_once(&error.to_string());
        }
        eviction::tidy(&folder, limit);
        Ok(SharedKernel {
            object,
            key: self.key.clone(),
            path: path.exists().then_some(path),
            was_cached: false,
        })
    }

    /// The kernel, compiled in the folder for temporary files.
    fn in_memory(&self) -> Result<SharedKernel, KernelError> {
        let partial = unfinished(&temporary_folder()?, "tt-emulator")?;
        let include = headers::extract_to(partial.path())?;
        Ok(SharedKernel {
            object: self.compile_in(&partial, &include)?,
            key: self.key.clone(),
            path: None,
            was_cached: false,
        })
    }

    /// Compiles in a new folder, with the device headers in `include`; gives the object.
    fn compile_in(&self, partial: &Partial, include: &Path) -> Result<Vec<u8>, KernelError> {
        let output = partial.path().join("kernel.so");
        let failed = |action: &str| {
            let action = format!("{action} {}", output.display());
            move |error| KernelError::Files { action, error }
        };
        // The compiler's own words about a folder it cannot write to vary; this says it in the system's.
        std::fs::write(&output, b"").map_err(failed("write"))?;
        self.compiler
            .compile(self.source, &self.text, include, Output::Shared(&output))?;
        std::fs::read(&output).map_err(failed("read"))
    }
}

fn unfinished(folder: &Path, name: &str) -> Result<Partial, KernelError> {
    Partial::new(folder, name).map_err(|error| KernelError::Files {
        action: format!("create a folder in {}", folder.display()),
        error,
    })
}

/// Removes what stands in the place of an entry.
fn remove(path: &Path) -> Result<(), KernelError> {
    let removed = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(KernelError::Files {
            action: format!("remove the damaged {}", path.display()),
            error,
        }),
        _ => Ok(()),
    }
}

/// The folder `directory`, for files that are run: made for this user alone where it is not there, and without links in its
/// path.
///
/// # Errors
/// [`KernelError::Unsafe`] where others could have put something there, or exchange a folder above; [`KernelError::Files`]
/// where it cannot be made.
pub fn private_folder(directory: &Path) -> Result<PathBuf, KernelError> {
    folder::private(directory, folder::user()).map_err(|refused| match refused {
        Refused::Unsafe(why) => KernelError::Unsafe(why),
        Refused::Failed(path, error) => KernelError::Files {
            action: format!("create {}", path.display()),
            error,
        },
    })
}

/// The system's folder for temporary files, where nobody can exchange what this process makes in it.
pub(super) fn temporary_folder() -> Result<PathBuf, KernelError> {
    let folder = std::env::temp_dir();
    folder::shared(&folder, folder::user()).map_err(|refused| match refused {
        Refused::Unsafe(why) => KernelError::Unsafe(why),
        Refused::Failed(path, error) => KernelError::Files {
            action: format!("write temporary files to {}", path.display()),
            error,
        },
    })
}

/// Says something on the standard error stream, once per process.
fn said_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(text.to_owned()) {
        eprintln!("tt-emulator: {text}; kernels are compiled for this process alone");
    }
}
