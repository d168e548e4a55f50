//! Compiled kernels on disk.
//!
//! A file of the cache is complete or absent: compilers write under another name, and the result is renamed. So two
//! processes may compile the same kernel at once, and a killed compiler leaves nothing that is ever loaded. The name holds
//! the compiler's identity and, through the key, the headers; a change of either makes other names.
//!
//! Where the cache cannot be written (read-only, full), the kernel is compiled into the system's temporary folder and kept
//! only in memory.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::compiler::{self, Compiler, Output};
use super::key::{Hash, kernel_key};
use super::{CbDescriptor, KernelError, KernelSource, descriptors, headers, includes, wrapper};
use crate::arch::ArchName;
use crate::kernel_config::KernelRole;

/// Age at which unfinished files of others are taken for leftovers.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// A compiled kernel on disk.
#[derive(Debug)]
pub struct SharedKernel {
    /// The shared object.
    pub path: PathBuf,
    /// Its key, which names its entry.
    pub key: String,
    /// Whether the file is for this process only and should be removed once loaded.
    pub transient: bool,
}

/// The folder of the cache: `TT_EMULATOR_CACHE`, else `tt-emulator` in `XDG_CACHE_HOME` or `~/.cache`.
fn cache_directory() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    variable("TT_EMULATOR_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("tt-emulator")))
        .or_else(|| variable("HOME").map(|path| path.join(".cache/tt-emulator")))
}

/// A name that no other thread or process uses.
pub(super) fn temporary_name(what: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "partial-{what}-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
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
#[cfg(feature = "engine")]
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
    let (prologue, key) = prologue_and_key(source, role, arch, buffers)?;
    let compiler = compiler::find()?;
    let text = wrapper::translation_unit(source, &prologue, &key);
    let file = format!(
        "{key}-{}.so",
        &Hash::new().field(compiler.identity.as_bytes()).to_string()[..16]
    );
    let refused = match cache_directory() {
        Some(directory) => match compile_into(&directory, &file, source, &text, &compiler) {
            Ok(path) => {
                return Ok(SharedKernel {
                    path,
                    key,
                    transient: false,
                });
            }
            Err(error) if is_about_storage(&error) => Some((directory, error)),
            Err(error) => return Err(error),
        },
        None => None,
    };
    let compiled = private_folder().and_then(|folder| {
        compile_into(&folder, &file, source, &text, &compiler).inspect_err(|_| {
            // What is left is only clutter.
            let _ = std::fs::remove_dir_all(&folder);
        })
    });
    match compiled {
        Ok(path) => Ok(SharedKernel {
            path,
            key,
            transient: true,
        }),
        Err(error) => Err(match (refused, error) {
            (Some((directory, first)), KernelError::Files { action, error }) => KernelError::Files {
                action: format!("use the kernel cache {} ({first}), nor {action}", directory.display()),
                error,
            },
            (_, error) => error,
        }),
    }
}

/// Whether an error is about the place, so that another place may do.
fn is_about_storage(error: &KernelError) -> bool {
    match error {
        KernelError::Files { .. } => true,
        KernelError::Compile { output, .. } => {
            let told = [
                "No space left on device",
                "Read-only file system",
                "Disk quota exceeded",
            ];
            told.iter().any(|text| output.contains(text))
        }
        KernelError::NoCompiler { .. } | KernelError::Killed { .. } | KernelError::Load { .. } => false,
    }
}

/// Creates a folder for temporary files that was not there and that nobody else can put anything into: what comes out of it
/// is run.
fn private_folder() -> Result<PathBuf, KernelError> {
    let mut attempts = 0;
    loop {
        let folder = std::env::temp_dir().join(temporary_name("tt-emulator"));
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            // Left by a killed process of the same number.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempts < 100 => attempts += 1,
            Err(error) => {
                return Err(KernelError::Files {
                    action: format!("create {}", folder.display()),
                    error,
                });
            }
        }
    }
}

fn compile_into(
    directory: &Path,
    file: &str,
    source: &KernelSource,
    text: &str,
    compiler: &Compiler,
) -> Result<PathBuf, KernelError> {
    let path = directory.join(file);
    if path.is_file() {
        return Ok(path);
    }
    let failed = |action: String| move |error| KernelError::Files { action, error };
    std::fs::create_dir_all(directory).map_err(failed(format!("create {}", directory.display())))?;
    remove_leftovers(directory);
    let include = headers::extract_to(directory)?;
    let partial = directory.join(format!("{}.so", temporary_name("kernel")));
    // The compiler's own words about a folder it cannot write to vary; this says it in the system's.
    std::fs::write(&partial, b"").map_err(failed(format!("write to {}", directory.display())))?;
    let compiled = compiler.compile(source, text, &include, Output::Shared(&partial));
    let renamed = compiled.and_then(|()| {
        std::fs::rename(&partial, &path).map_err(failed(format!("rename {} to {}", partial.display(), path.display())))
    });
    if renamed.is_err() {
        // What is left is only clutter.
        let _ = std::fs::remove_file(&partial);
    }
    renamed.map(|()| path)
}

/// Removes what killed processes left. Failures do not matter: the next one tries again.
fn remove_leftovers(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_partial = entry.file_name().to_string_lossy().starts_with("partial-");
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = modified.is_ok_and(|time| {
            SystemTime::now()
                .duration_since(time)
                .is_ok_and(|age| age > LEFTOVER_AGE)
        });
        if is_partial && is_old {
            let path = entry.path();
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }
}
