//! The one error of the library.

use std::fmt;

/// What the library's operations give back. The second parameter is there so that a glob import of it takes nothing away
/// from code that names its own error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in general.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No such device, or it cannot be opened.
    Device,
    /// The device was closed or dropped.
    Closed,
    /// Lengths or extents do not agree or are not possible.
    Shape,
    /// An argument of a launch does not fit the kernel.
    Argument,
    /// The device's memory is used up.
    Memory,
    /// The kernel cannot run on this device, or its artifact is damaged.
    Kernel,
    /// The run failed: a kernel could not be built, broke a rule of the device, or waits forever.
    Run,
    /// The reference result could not be computed.
    Reference,
    /// The result differs from the reference.
    Difference,
}

/// A failed operation: its kind and a message in the user's words.
///
/// ```
/// let error = tt_host::Device::open_named("gpu").unwrap_err();
/// assert_eq!(error.kind(), tt_host::ErrorKind::Device);
/// assert!(error.to_string().contains("`gpu`"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
        }
    }

    /// The same, and that `more` is so.
    pub(crate) fn and(mut self, more: &str) -> Error {
        self.message = format!("{}; {more}", self.message);
        self
    }

    /// What went wrong, in general.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// As `main` returns it: the kind, then the message as people read it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {}
