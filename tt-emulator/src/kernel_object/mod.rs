//! Compiling kernels: from the source that a program names to machine code with one entry.
//!
//! The emitted C++ is wrapped into one translation unit (`wrapper`), identified by a key (`key`), and compiled with the
//! machine's own compiler (`compiler`). At build time [`compile_to_object`] makes objects to be linked into the
//! application and registered under their [`aot_key`]; at run time what is not registered is compiled once and kept on disk
//! (`cache`).

#[cfg(feature = "engine")]
mod cache;
mod casts;
mod compiler;
#[cfg(feature = "engine")]
mod descriptors;
mod headers;
mod includes;
mod key;
#[cfg(feature = "engine")]
mod library;
mod partial;
#[cfg(feature = "engine")]
mod precompiled;
#[cfg(feature = "engine")]
mod registry;
mod sfpi;
mod time_limit;
#[cfg(feature = "engine")]
mod together;
mod wrapper;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::arch::ArchName;
use crate::kernel_config::KernelRole;
use crate::settings::{COMPILER_SECONDS, SettingError};

#[cfg(feature = "engine")]
pub use cache::{SharedKernel, compile_to_shared, private_folder};
#[cfg(feature = "engine")]
pub use descriptors::CbDescriptor;
#[cfg(all(test, feature = "engine"))]
pub(crate) use headers::HEADERS;
#[cfg(feature = "engine")]
pub use precompiled::precompile_standard_headers;
#[cfg(feature = "engine")]
pub(crate) use registry::load;
#[cfg(feature = "engine")]
pub use registry::register_precompiled;
#[cfg(feature = "engine")]
pub use together::compile_together;

/// A kernel's source and everything that its preprocessor sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSource {
    /// Name of the file, for messages.
    pub file: String,
    /// The text.
    pub source: String,
    /// Directory that quoted includes are relative to, for kernels that came from a file.
    pub directory: Option<PathBuf>,
    /// Directories that includes are looked for in after the emulator's own headers.
    pub include_directories: Vec<PathBuf>,
    /// Compile-time arguments by position.
    pub compile_args: Vec<u32>,
    /// Compile-time arguments by name.
    pub named_compile_args: BTreeMap<String, u32>,
    /// Preprocessor defines.
    pub defines: BTreeMap<String, String>,
}

/// Why a kernel could not be compiled or loaded.
#[derive(Debug)]
pub enum KernelError {
    /// There is no C++ compiler.
    NoCompiler {
        /// What was looked for.
        tried: Vec<String>,
    },
    /// The compiler refused the source.
    Compile {
        /// Name of the kernel's file.
        file: String,
        /// The compiler's words.
        output: String,
    },
    /// The kernel is in SFPI, the language of the vector unit, which only Tenstorrent's compiler knows.
    Sfpi {
        /// Name of the file, the kernel's or one that it includes.
        file: String,
        /// The line.
        line: u32,
        /// The name of the language there.
        word: &'static str,
    },
    /// The compiler did not end by itself.
    Killed {
        /// Name of the kernel's file.
        file: String,
        /// How it ended.
        status: String,
    },
    /// The compiler took too long, and was ended.
    TooLong {
        /// What for.
        task: String,
        /// The compiler and what it was given.
        command: String,
        /// How long it had.
        seconds: u64,
    },
    /// Files could not be read or written.
    Files {
        /// What was tried.
        action: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A folder that others can put something into, in words: nothing is run out of it.
    Unsafe(String),
    /// A variable of the environment has a value that it cannot have.
    Setting(SettingError),
    /// The compiled kernel could not be loaded.
    Load {
        /// Name of the kernel's file.
        file: String,
        /// What the loader said.
        output: String,
    },
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::NoCompiler { tried } => write!(
                f,
                "no C++ compiler found to build kernels with (tried {}): install g++ or clang++ with support for C++20, or set CXX",
                tried.join(", ")
            ),
            KernelError::Compile { file, output } => write!(f, "the C++ compiler refused kernel {file}:\n{output}"),
            KernelError::Sfpi { file, line, word } => write!(
                f,
                "{file}:{line}: `{word}` is of SFPI, the language of the vector unit, which only Tenstorrent's compiler knows: \
                 the emulator runs kernels that call functions of the compute API"
            ),
            KernelError::Killed { file, status } => write!(
                f,
                "the C++ compiler was stopped while it compiled kernel {file}: {status}"
            ),
            KernelError::TooLong { task, command, seconds } => write!(
                f,
                "the C++ compiler took more than {seconds} seconds {task} and was ended; {COMPILER_SECONDS} allows it \
                 more; it was: {command}"
            ),
            KernelError::Files { action, error } => write!(f, "cannot {action}: {error}"),
            KernelError::Unsafe(why) => f.write_str(why),
            KernelError::Setting(error) => error.fmt(f),
            KernelError::Load { file, output } => write!(f, "cannot load compiled kernel {file}: {output}"),
        }
    }
}

impl std::error::Error for KernelError {}

impl KernelError {
    /// Whether it is about the place, so that another place may do.
    #[cfg(feature = "engine")]
    fn is_about_storage(&self) -> bool {
        match self {
            KernelError::Files { .. } | KernelError::Unsafe(_) => true,
            KernelError::Compile { output, .. } => {
                let told = [
                    "No space left on device",
                    "Read-only file system",
                    "Disk quota exceeded",
                ];
                told.iter().any(|text| output.contains(text))
            }
            KernelError::NoCompiler { .. }
            | KernelError::Sfpi { .. }
            | KernelError::Killed { .. }
            | KernelError::TooLong { .. }
            | KernelError::Setting(_)
            | KernelError::Load { .. } => false,
        }
    }
}

/// The key of a kernel: covers its text, arguments, role, architecture, headers and flags, but not the compiler.
///
/// It names the entry `tt_kernel_<key>` and is what precompiled kernels are registered under.
///
/// # Errors
/// [`KernelError::Files`] where a file that the kernel includes cannot be read.
pub fn aot_key(source: &KernelSource, role: &KernelRole, arch: ArchName) -> Result<String, KernelError> {
    let includes = includes::of(source)?;
    let prologue = wrapper::prologue(source, &includes, role, arch);
    Ok(key::kernel_key(source, &includes, &prologue).to_string())
}

/// Name of the C function that a kernel with this key exports.
pub fn entry_symbol(key: &str) -> String {
    format!("tt_kernel_{key}")
}

/// What tells the C++ compiler that kernels are compiled with from others, fit to be part of a file's name.
///
/// # Errors
/// [`KernelError::NoCompiler`], [`KernelError::TooLong`] and [`KernelError::Setting`].
pub fn compiler_fingerprint() -> Result<String, KernelError> {
    Ok(compiler::find()?.fingerprint())
}

/// Compiles a kernel into the object file `output`, to be linked into an application; gives its key.
///
/// `work` is a directory for the device headers; build scripts pass `OUT_DIR`.
///
/// # Errors
/// Every [`KernelError`] but loading.
pub fn compile_to_object(
    source: &KernelSource,
    role: &KernelRole,
    arch: ArchName,
    work: &Path,
    output: &Path,
) -> Result<String, KernelError> {
    let includes = includes::of(source)?;
    let prologue = wrapper::prologue(source, &includes, role, arch);
    let key = key::kernel_key(source, &includes, &prologue).to_string();
    let text = wrapper::translation_unit(source, &prologue, &key);
    let include = headers::extract_to(work)?;
    compiler::find()?.compile(source, &text, &include, compiler::Output::Object(output))?;
    Ok(key)
}
