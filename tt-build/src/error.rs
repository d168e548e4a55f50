//! What keeps a build script from doing its work. Errors of kernels are not among it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why [`crate::try_compile`] gave up.
#[derive(Debug)]
pub enum BuildError {
    /// An environment variable that cargo sets for build scripts is not there.
    NoBuildScript(&'static str),
    /// An environment variable has a value that it cannot have.
    Setting {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it can be.
        allowed: &'static str,
    },
    /// `cargo metadata` did not say which targets the package has.
    Metadata(String),
    /// A file or folder could not be read, written or removed.
    File {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The plan that the compiler wrote is not one.
    Plan(String),
    /// A C++ compiler that is there did not do its work.
    Compiler(String),
    /// A device binary could not be built.
    Device(crate::device::DeviceError),
    /// The static library could not be made.
    Archive(String),
}

impl BuildError {
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BuildError {
        move |error| BuildError::File {
            action,
            path: path.to_path_buf(),
            error,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoBuildScript(name) => {
                write!(
                    f,
                    "`{name}` is not set: tt_build::compile() is to be called from a build script"
                )
            }
            BuildError::Setting {
                variable,
                value,
                allowed,
            } => write!(f, "{variable} is `{value}`; it can be {allowed}"),
            BuildError::Metadata(reason) => write!(f, "cannot find the targets of this package: {reason}"),
            BuildError::File { action, path, error } => write!(f, "cannot {action} {}: {error}", path.display()),
            BuildError::Plan(reason) => write!(f, "the compiler wrote a plan that cannot be read: {reason}"),
            BuildError::Compiler(reason) => f.write_str(reason),
            BuildError::Device(error) => error.fmt(f),
            BuildError::Archive(reason) => write!(f, "cannot make the library of kernels: {reason}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<crate::device::DeviceError> for BuildError {
    fn from(error: crate::device::DeviceError) -> BuildError {
        BuildError::Device(error)
    }
}
