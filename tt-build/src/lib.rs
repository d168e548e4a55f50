//! Ahead-of-time compilation of a crate's kernels, for its `build.rs`:
//!
//! ```text
//! fn main() {
//!     tt_build::compile()
//! }
//! ```
//!
//! with `tt-build` under `[build-dependencies]`. It finds every `#[tt::kernel]` function of the package (library, binaries,
//! examples, tests and benches, and the modules they declare), and leaves in `OUT_DIR`:
//!
//! - `tt/<crate>/<modules>/<kernel>/`: `reader.cpp`, `compute.cpp`, `writer.cpp`, `main.cpp`, `tt.plan.json` and
//!   `ir/NN_<pass>.txt`, the same text that the macro carries, and `report.txt` and `report.json`: what the kernel takes of L1, and
//!   what a block of its grid moves and computes;
//! - `tt/precompiled/<digest>`: one line `<role> <key> <symbol>` per kernel compiled for the emulator, which tells the macro
//!   what to register;
//! - where `TT_METAL_RUNTIME` (or `TT_METAL_HOME`) names a TT-Metalium with its device compiler ([`device`]), also
//!   `<kernel>/<chip>/{brisc,ncrisc,trisc0,trisc1,trisc2}.elf` as the runtime's JIT would build them, for the chips of
//!   `TT_BUILD_ARCH`, and `sizes.txt` with their sizes and limits; a binary that is too large ends the build;
//! - one static library with those kernels, linked into everything the package builds.
//!
//! Nothing here decides whether a kernel is right: mistakes are shown by the macro, at the token. A kernel that this crate
//! does not find (made by another macro, or `include!`d) is compiled at its first launch, and so are all of them where the
//! machine has no C++ compiler, which is a warning.

mod archive;
mod artifacts;
mod binaries;
pub mod device;
mod emit;
mod error;
mod kernels;
mod modules;
pub mod parallel;
mod precompiled;
mod sealed;
mod targets;

pub use binaries::DeviceBinary;
pub use emit::{Emitted, kernels_of_crate, kernels_of_package};
pub use error::BuildError;
#[doc(hidden)]
pub use precompiled::kernels_of;

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What [`try_compile`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The folder of every kernel that was emitted.
    pub kernels: Vec<PathBuf>,
    /// The binaries for the device, where the environment names a toolchain for it.
    pub binaries: Vec<DeviceBinary>,
    /// How many machine-code objects the archive has.
    pub objects: usize,
    /// The lines printed for cargo.
    pub directives: Vec<String>,
}

/// Compiles the kernels of the package whose build script calls this, and tells cargo.
///
/// A failure that is not a kernel's (no `OUT_DIR`, a full disk) ends the build script with a message.
pub fn compile() {
    match try_compile() {
        Ok(summary) => summary.directives.iter().for_each(|line| println!("{line}")),
        Err(error) => {
            println!("cargo::error=tt-build: {}", error.to_string().replace('\n', " "));
            std::process::exit(1);
        }
    }
}

/// [`compile`], giving back what it would print.
///
/// # Errors
/// Where this is no build script, cargo does not describe the package, or files cannot be written.
pub fn try_compile() -> Result<Summary, BuildError> {
    let variable = |name: &'static str| std::env::var(name).map_err(|_| BuildError::NoBuildScript(name));
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let package = variable("CARGO_PKG_NAME")?;
    let root = out.join("tt");

    let targets = targets::of_package(&manifest)?;
    let mut directives = vec!["cargo::rerun-if-changed=Cargo.toml".to_string()];
    for folder in ["src/bin", "examples", "tests", "benches"] {
        // A new file there is a new target. A folder that does not exist would make cargo rerun every time.
        if manifest.join(folder).is_dir() {
            directives.push(format!("cargo::rerun-if-changed={folder}"));
        }
    }
    let mut found = Vec::new();
    let mut read = std::collections::BTreeSet::new();
    for target in &targets {
        for file in modules::of_target(target) {
            found.extend(kernels::in_file(&file));
            read.insert(file.path);
        }
    }
    directives.extend(
        read.iter()
            .map(|path| format!("cargo::rerun-if-changed={}", path.display())),
    );

    let mut folders = artifacts::Folders::new(root.clone());
    // The same text twice is compiled once.
    let mut by_digest = BTreeMap::new();
    for kernel in &found {
        // Its errors are the macro's to show.
        let Ok((_, artifact)) = &kernel.outcome else { continue };
        folders.write(kernel, artifact)?;
        by_digest.entry(artifact.digest()).or_insert(artifact);
    }
    let mut warnings = Vec::new();
    let archs = precompiled::architectures(std::env::var_os("TT_BUILD_ARCH").as_deref())?;
    let chips: Vec<_> = archs
        .iter()
        .filter_map(|arch| device::Chip::named(&arch.to_string()))
        .collect();
    let built = binaries::compile(&root, &mut folders, &by_digest, &chips)?;
    folders.remove_others()?;

    let compiled = precompiled::compile(&root, &by_digest, &archs)?;
    warnings.extend(built.warnings);
    warnings.extend(compiled.warnings);
    directives.extend(warnings.iter().map(|text| format!("cargo::warning=tt-build: {text}")));
    directives.extend(
        precompiled::ENVIRONMENT
            .iter()
            .chain(&device::ENVIRONMENT)
            .map(|name| format!("cargo::rerun-if-env-changed={name}")),
    );
    if !compiled.objects.is_empty() {
        let name = format!("tt_kernels_{}", package.replace('-', "_"));
        let path = archive::write(&out, &name, &compiled.objects)?;
        if targets.iter().any(|target| target.is_library) {
            // Goes into the library, and with it into whatever links that.
            directives.push(format!("cargo::rustc-link-search=native={}", out.display()));
            directives.push(format!("cargo::rustc-link-lib=static={name}"));
        }
        // For binaries, examples, tests and benches, which may have kernels of their own. A member of the archive is only
        // taken where its symbol is still missing, so a kernel that also came with the library is not there twice.
        directives.push(format!("cargo::rustc-link-arg={}", path.display()));
    }
    Ok(Summary {
        kernels: folders.into_written(),
        binaries: built.binaries,
        objects: compiled.objects.len(),
        directives,
    })
}
