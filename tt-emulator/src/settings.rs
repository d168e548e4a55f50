//! What the environment may set, read in one place: a value that nobody knows is refused by name, never taken for another.

use std::ffi::OsStr;
use std::fmt;
#[cfg(feature = "engine")]
use std::path::PathBuf;

#[cfg(feature = "engine")]
use crate::compute::Fpu;

/// A variable of the environment with a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// What it can be.
    pub allowed: String,
}

impl SettingError {
    pub(crate) fn new(variable: &'static str, value: &OsStr, allowed: impl Into<String>) -> SettingError {
        SettingError {
            variable,
            value: value.to_string_lossy().into_owned(),
            allowed: allowed.into(),
        }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is `{}`; it can be {}", self.variable, self.value, self.allowed)
    }
}

impl std::error::Error for SettingError {}

/// The value of a variable as `read` understands it; `None` where it is not set or empty.
fn read<T>(
    variable: &'static str,
    allowed: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, SettingError> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match value.to_str().and_then(read) {
        Some(value) => Ok(Some(value)),
        None => Err(SettingError::new(variable, &value, allowed)),
    }
}

/// `TT_EMULATOR_FPU`.
#[cfg(feature = "engine")]
pub(crate) fn fpu() -> Result<Fpu, SettingError> {
    let value = read(
        "TT_EMULATOR_FPU",
        "`exact` or `fast`, which it is unset",
        |text| match text {
            "exact" => Some(Fpu::Exact),
            "fast" => Some(Fpu::Fast),
            _ => None,
        },
    );
    Ok(value?.unwrap_or(Fpu::Fast))
}

/// `TT_EMULATOR_ORDER`: which of the courses that a chip may take; unset, the usual one.
#[cfg(feature = "engine")]
pub(crate) fn order() -> Result<Option<u64>, SettingError> {
    let allowed =
        "a whole number, each of which is another order of cores, transfers and messages; unset, it is the usual one";
    read("TT_EMULATOR_ORDER", allowed, |text| text.parse().ok())
}

/// Most threads that a run can be given.
#[cfg(feature = "engine")]
const MAX_THREADS: usize = 1024;

/// Threads that runs take: `TT_EMULATOR_THREADS`, else all of the machine's.
///
/// # Errors
/// Where the variable is no number from 1 to 1024.
#[cfg(feature = "engine")]
pub fn default_threads() -> Result<usize, SettingError> {
    let allowed = format!("a number of threads from 1 to {MAX_THREADS}; unset, it is the machine's");
    let asked = read("TT_EMULATOR_THREADS", &allowed, |text| {
        text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count))
    });
    Ok(asked?.unwrap_or_else(machine_threads))
}

/// Threads that the machine gives this process, asked once: the answer is in files of the system, and takes longer than a small launch.
#[cfg(feature = "engine")]
pub(crate) fn machine_threads() -> usize {
    static THREADS: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |count| count.get()))
}

/// `TT_EMULATOR_ARCH`: the chip that a device is opened as where the program chose none.
#[cfg(feature = "engine")]
pub(crate) fn arch() -> Result<Option<crate::ArchName>, SettingError> {
    read(
        "TT_EMULATOR_ARCH",
        "`wormhole_b0`, which it is unset, or `blackhole`",
        |text| text.parse().ok(),
    )
}

/// Bytes of compiled kernels that are kept where `TT_EMULATOR_CACHE_MIB` does not say.
#[cfg(feature = "engine")]
const DEFAULT_CACHE_MIB: u64 = 512;

/// `TT_EMULATOR_CACHE_MIB`: how many bytes of compiled kernels are kept.
#[cfg(feature = "engine")]
pub(crate) fn cache_limit() -> Result<u64, SettingError> {
    let allowed = format!("a number of MiB, 0 to keep nothing; unset, it is {DEFAULT_CACHE_MIB}");
    let mebibytes = read("TT_EMULATOR_CACHE_MIB", &allowed, |text| {
        text.parse::<u64>().ok().filter(|count| *count <= u64::MAX >> 20)
    });
    Ok(mebibytes?.unwrap_or(DEFAULT_CACHE_MIB) << 20)
}

/// Where compiled kernels are kept: `TT_EMULATOR_CACHE`, else `tt-emulator` in `XDG_CACHE_HOME` or `~/.cache`.
#[cfg(feature = "engine")]
pub(crate) fn cache_directory() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    variable("TT_EMULATOR_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("tt-emulator")))
        .or_else(|| variable("HOME").map(|path| path.join(".cache/tt-emulator")))
}

/// `TT_EMULATOR_TIMELINE`: where the timeline of a run with the clock on goes, as a Chrome trace.
#[cfg(feature = "engine")]
pub(crate) fn timeline() -> Option<PathBuf> {
    std::env::var_os("TT_EMULATOR_TIMELINE")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The environment variable that says for how many seconds a RISC may go on without a call while nobody else can run.
#[cfg(feature = "engine")]
pub(crate) const SPIN_SECONDS: &str = "TT_EMULATOR_SPIN_SECONDS";

/// Its value: seconds of processor time.
#[cfg(feature = "engine")]
pub(crate) fn spin_seconds() -> Result<u64, SettingError> {
    seconds(SPIN_SECONDS, 2)
}

/// The environment variable that says how many seconds a C++ compiler may take.
pub(crate) const COMPILER_SECONDS: &str = "TT_EMULATOR_COMPILER_SECONDS";

/// Its value; unset, many times what the largest kernel takes on a busy machine.
pub(crate) fn compiler_seconds() -> Result<u64, SettingError> {
    seconds(COMPILER_SECONDS, 300)
}

/// Most seconds that can be asked for: a year is as good as forever, and cannot overflow what is computed from it.
const MAX_SECONDS: u64 = 365 * 24 * 60 * 60;

/// A number of whole seconds.
fn seconds(variable: &'static str, default: u64) -> Result<u64, SettingError> {
    let allowed = format!("a number of seconds from 1 to {MAX_SECONDS}; unset, it is {default}");
    let asked = read(variable, &allowed, |text| {
        text.parse().ok().filter(|seconds| (1..=MAX_SECONDS).contains(seconds))
    });
    Ok(asked?.unwrap_or(default))
}

/// Refuses values that no run could use, before anything runs.
#[cfg(feature = "engine")]
pub(crate) fn check() -> Result<(), SettingError> {
    fpu()?;
    default_threads()?;
    cache_limit()?;
    spin_seconds()?;
    compiler_seconds()?;
    Ok(())
}
