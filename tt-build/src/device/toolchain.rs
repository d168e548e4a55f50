//! What compiles for the device: a folder laid out as the runtime's, and the compiler in it or beside it.

use super::DeviceError;
use super::adaptation::Adaptation;
use super::chip::Chip;
use super::command::{Unit, include_folders};
use super::processor::Processor;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler's place below the root, and where the vendor's package installs it.
const COMPILER: &str = "compiler/bin/riscv-tt-elf-g++";
const INSTALLED: &str = "/opt/tenstorrent/sfpi";

/// The variable that names a root for device binaries alone.
pub const RUNTIME_VARIABLE: &str = "TT_METAL_RUNTIME";
/// The variables that name an SDK, which tt-host reads too.
const SDK_VARIABLES: [&str; 2] = ["TT_METAL_HOME", "TT_METAL_SDK"];
/// The runtime's own switch: the macros of that instruction are not used where it is set.
const NO_LOADMACRO: &str = "TT_METAL_DISABLE_SFPLOADMACRO";

/// The variables that decide whether and how device binaries are built.
pub const ENVIRONMENT: [&str; 4] = [RUNTIME_VARIABLE, SDK_VARIABLES[0], SDK_VARIABLES[1], NO_LOADMACRO];

/// A compiler for the device and the headers, linker scripts and objects it works with.
#[derive(Debug, Clone)]
pub struct Toolchain {
    /// The folder with `tt_metal/` and `runtime/hw/`.
    pub root: PathBuf,
    /// The compiler.
    pub compiler: PathBuf,
    /// What it says of itself, in one line.
    pub version: String,
    /// The folder of `sfpi.h`.
    pub sfpi: PathBuf,
    /// The folder of `<family>/*.o`.
    pub objects: PathBuf,
    /// What has to be said differently to another compiler than the vendor's.
    pub adaptation: Adaptation,
    /// Builds without the macros of `SFPLOADMACRO`, as the runtime does where `TT_METAL_DISABLE_SFPLOADMACRO` is set.
    pub disable_sfploadmacro: bool,
}

impl Toolchain {
    /// The toolchain that the environment names; `Ok(None)` where it names none.
    ///
    /// `TT_METAL_RUNTIME` names a folder with `tt_metal/` and `runtime/` for device binaries alone: a source tree, an
    /// installed SDK, or the Python package. Where it is not set, `TT_METAL_HOME` and `TT_METAL_SDK` count; an SDK without
    /// a compiler is the error [`DeviceError::NoCompiler`].
    ///
    /// # Errors
    /// Where the folder is not laid out so, or its compiler does not run or has another version than the folder wants.
    pub fn from_environment() -> Result<Option<Toolchain>, DeviceError> {
        let named = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
        let root = [RUNTIME_VARIABLE].iter().chain(&SDK_VARIABLES).find_map(named);
        root.map(|root| Toolchain::of_runtime(Path::new(&root))).transpose()
    }

    /// The toolchain of the runtime at `root`.
    ///
    /// # Errors
    /// As [`Toolchain::from_environment`].
    pub fn of_runtime(root: &Path) -> Result<Toolchain, DeviceError> {
        for folder in ["tt_metal/hw/firmware/src/tt-1xx", "runtime/hw/toolchain"] {
            if !root.join(folder).is_dir() {
                return Err(DeviceError::NoRuntime {
                    root: root.to_path_buf(),
                    missing: folder,
                });
            }
        }
        let places = [root.join("runtime/sfpi"), PathBuf::from(INSTALLED)];
        let Some(sfpi) = places.iter().find(|place| place.join(COMPILER).exists()) else {
            return Err(DeviceError::NoCompiler {
                root: root.to_path_buf(),
                tried: places.iter().map(|place| place.join(COMPILER)).collect(),
            });
        };
        let compiler = sfpi.join(COMPILER);
        let version = version_of(&compiler)?;
        check_version(root, &compiler, &version)?;
        Ok(Toolchain {
            root: root.to_path_buf(),
            compiler,
            version,
            sfpi: sfpi.join("include"),
            objects: root.join("runtime/hw/lib"),
            adaptation: Adaptation::default(),
            disable_sfploadmacro: std::env::var_os(NO_LOADMACRO).is_some_and(|value| value == "1"),
        })
    }

    /// What tells this toolchain from others: two with the same words build the same binaries.
    pub fn identity(&self) -> String {
        let stamp = |path: &Path| {
            let modified = std::fs::metadata(path).and_then(|data| data.modified()).ok();
            modified
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
                .map_or(0, |time| time.as_nanos())
        };
        let scripts = self.root.join("runtime/hw/toolchain/wormhole/kernel_brisc.ld");
        let headers = self.root.join("tt_metal/hw/inc/api");
        format!(
            "{}\n{}\n{} {} {}\n{}\n{:?}\n{}",
            self.root.display(),
            self.compiler.display(),
            stamp(&self.compiler),
            stamp(&scripts),
            stamp(&headers),
            self.version,
            self.adaptation,
            self.disable_sfploadmacro
        )
    }

    pub(super) fn include_words(&self, chip: &Chip, processor: &Processor) -> Vec<OsString> {
        let folders = include_folders(self, chip, processor);
        self.adaptation.include_words(&folders)
    }

    pub(super) fn source(&self, file: &str) -> PathBuf {
        self.root.join("tt_metal/hw/firmware/src/tt-1xx").join(file)
    }

    pub(super) fn linker_script(&self, chip: &Chip, processor: &Processor, unit: Unit<'_>) -> PathBuf {
        let kind = match unit {
            Unit::Firmware => "firmware",
            Unit::Kernel(_) => "kernel",
        };
        let folder = self.root.join("runtime/hw/toolchain").join(chip.family);
        folder.join(format!("{kind}_{}.ld", processor.name))
    }
}

/// The first line of `compiler --version`.
///
/// # Errors
/// Where it does not run.
pub fn version_of(compiler: &Path) -> Result<String, DeviceError> {
    let cannot =
        |why: String| DeviceError::Toolchain(format!("the compiler {} does not run: {why}", compiler.display()));
    let output = Command::new(compiler)
        .arg("--version")
        .output()
        .map_err(|error| cannot(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.to_string()),
        _ => Err(cannot(format!("it ended with {}", output.status))),
    }
}

/// The runtime says in `tt_metal/sfpi-version` which compiler it wants, and refuses others.
fn check_version(root: &Path, compiler: &Path, version: &str) -> Result<(), DeviceError> {
    let path = root.join("tt_metal/sfpi-version");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(());
    };
    let wanted = text
        .lines()
        .find_map(|line| line.strip_prefix("sfpi_version="))
        .map(|value| value.trim_matches(['\'', '"']));
    match wanted {
        Some(wanted) if !version.contains(wanted) => Err(DeviceError::Toolchain(format!(
            "the compiler {} is `{version}`, but {} wants sfpi {wanted}",
            compiler.display(),
            path.display()
        ))),
        _ => Ok(()),
    }
}
