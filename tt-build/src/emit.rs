//! The kernels of a package or a file with all that is emitted for them, for tools.

use crate::error::BuildError;
use crate::kernels;
use crate::modules;
use crate::targets::{self, Target};
use std::path::{Path, PathBuf};
use tt_backend::Artifact;
use tt_lang::ir::Kernel;
use tt_plan::Way;

/// A kernel and what is emitted for it.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The crate, the modules and the function, of several variants with their constants: `matmul::matmul-BM-64`.
    pub path: String,
    /// The same without constants: `matmul::matmul`.
    pub function: String,
    /// Of one of several variants its constants.
    pub constants: Vec<(String, i64)>,
    /// The file that it stands in.
    pub file: PathBuf,
    /// It says that it need not compile: `#[tt::kernel(reference)]`.
    pub is_reference: bool,
    /// The kernel as Tile IR, and its sources and plan; or its errors, each as text with file, line and column.
    pub outcome: Result<(Kernel, Artifact), Vec<String>>,
}

/// The kernels of every target of the package at `manifest` (a folder).
///
/// # Errors
/// Where cargo does not describe the package.
pub fn kernels_of_package(manifest: &Path) -> Result<Vec<Emitted>, BuildError> {
    Ok(targets::of_package(manifest)?.iter().flat_map(of_target).collect())
}

/// The kernels of the crate whose first file is `root`.
pub fn kernels_of_crate(root: &Path) -> Vec<Emitted> {
    let crate_name = root.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
    of_target(&Target {
        crate_name,
        root: PathBuf::from(root),
        is_library: false,
    })
}

fn of_target(target: &Target) -> Vec<Emitted> {
    let files = modules::of_target(target);
    let found = files.iter().flat_map(|file| {
        // Other ways to run them tools make themselves.
        let found = kernels::in_file(file)
            .into_iter()
            .filter(|found| found.way == Way::Written);
        found.map(|found| (file.path.clone(), found))
    });
    found
        .map(|(file, found)| {
            let modules = found.modules.join("::");
            Emitted {
                path: format!("{modules}::{}", found.name()),
                function: format!("{modules}::{}", found.function),
                file,
                is_reference: found.is_reference,
                constants: found.constants,
                outcome: found.outcome,
            }
        })
        .collect()
}
