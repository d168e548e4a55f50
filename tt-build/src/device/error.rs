//! What keeps a device binary from being built.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no device binary.
#[derive(Debug)]
pub enum DeviceError {
    /// The toolchain is not laid out as it has to be, does not run, or has the wrong version.
    Toolchain(String),
    /// The folder has no device side of TT-Metalium.
    NoRuntime {
        /// The folder.
        root: PathBuf,
        /// What is not in it.
        missing: &'static str,
    },
    /// The runtime is there, its compiler is not.
    NoCompiler {
        /// The runtime's root.
        root: PathBuf,
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
    /// A plan that cannot be read or that contradicts its kernels.
    Plan(String),
    /// A file or folder could not be read or written.
    File {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The compiler refused.
    Refused {
        /// What it was to do: "compile", "link".
        action: &'static str,
        /// The kernel, or what else was compiled.
        name: String,
        /// For which chip and processor.
        place: String,
        /// The compiler's words.
        output: String,
    },
    /// A binary has more than the linker script allows.
    TooLarge {
        /// The kernel.
        name: String,
        /// For which chip and processor.
        place: String,
        /// What is too large: "code", "data".
        part: &'static str,
        /// Bytes it has.
        bytes: u32,
        /// Bytes it may have.
        limit: u32,
    },
    /// The binaries of one program have more together than the kernel configuration buffer holds.
    ProgramTooLarge {
        /// The program.
        name: String,
        /// For which chip.
        chip: &'static str,
        /// Bytes of each processor.
        parts: Vec<(&'static str, u32)>,
        /// Bytes they may have together.
        limit: u32,
    },
}

impl DeviceError {
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> DeviceError {
        move |error| DeviceError::File {
            action,
            path: path.to_path_buf(),
            error,
        }
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Toolchain(reason) | DeviceError::Plan(reason) => f.write_str(reason),
            DeviceError::NoRuntime { root, missing } => write!(
                f,
                "{} has no {missing}: name a folder with tt_metal/ and runtime/ of TT-Metalium 0.81",
                root.display()
            ),
            DeviceError::NoCompiler { root, tried } => {
                let tried: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
                write!(
                    f,
                    "{} has no device compiler (looked for {})",
                    root.display(),
                    tried.join(" and ")
                )
            }
            DeviceError::File { action, path, error } => write!(f, "cannot {action} {}: {error}", path.display()),
            DeviceError::Refused {
                action,
                name,
                place,
                output,
            } => write!(f, "cannot {action} `{name}` for {place}:\n{output}"),
            DeviceError::TooLarge {
                name,
                place,
                part,
                bytes,
                limit,
            } => write!(
                f,
                "`{name}` is too large for {place}: its {part} has {bytes} bytes, {} more than the {limit} that fit",
                bytes.saturating_sub(*limit)
            ),
            DeviceError::ProgramTooLarge {
                name,
                chip,
                parts,
                limit,
            } => {
                let total: u32 = parts.iter().map(|(_, bytes)| bytes).sum();
                let parts: Vec<String> = parts.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
                write!(
                    f,
                    "the programs of `{name}` are too large for {chip}: together they have {total} bytes ({}), {} more than \
                     the {limit} of the kernel configuration buffer",
                    parts.join(", "),
                    total.saturating_sub(*limit)
                )
            }
        }
    }
}

impl std::error::Error for DeviceError {}
