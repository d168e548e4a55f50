//! Device binaries of a package's kernels: `<kernel>/<chip>/<processor>.elf` beside the emitted sources.
//!
//! Built where the environment names a toolchain ([`Toolchain::from_environment`]), as [`crate::device`] describes. A binary
//! is kept under a name made of everything that went into it and taken from there while nothing of that changes.

use crate::artifacts::{Folders, PRECOMPILED, write_if_changed};
use crate::device::{
    Chip, DeviceCompiler, DeviceError, DeviceKernel, Processor, RUNTIME_VARIABLE, Size, Toolchain, check_together,
    loaded, processors_of,
};
use crate::error::BuildError;
use crate::parallel;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tt_backend::Artifact;

/// A device binary of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceBinary {
    /// The ELF file.
    pub path: PathBuf,
    /// The kernel with its role: `matmul::matmul reader`.
    pub kernel: String,
    /// The chip.
    pub chip: &'static str,
    /// The processor.
    pub processor: &'static str,
    /// Its parts, with how large they may be.
    pub sizes: Vec<Size>,
}

/// What was built.
#[derive(Debug, Default)]
pub(crate) struct Built {
    pub binaries: Vec<DeviceBinary>,
    pub warnings: Vec<String>,
}

struct Job<'a> {
    folder: &'a Path,
    kernel: DeviceKernel,
    chip: &'static Chip,
    processor: &'static Processor,
}

/// Builds the binaries of every kernel in `folders`, for `chips`, where the environment names a toolchain.
pub(crate) fn compile(
    root: &Path,
    folders: &mut Folders,
    artifacts: &BTreeMap<String, &Artifact>,
    chips: &[&'static Chip],
) -> Result<Built, BuildError> {
    let toolchain = match Toolchain::from_environment() {
        Ok(Some(toolchain)) => toolchain,
        Ok(None) => return Ok(Built::default()),
        // An SDK that was named for the host alone. Whoever named a runtime wants binaries.
        Err(error @ DeviceError::NoCompiler { .. }) if std::env::var_os(RUNTIME_VARIABLE).is_none() => {
            return Ok(Built {
                binaries: Vec::new(),
                warnings: vec![format!("{error}: device binaries are not built")],
            });
        }
        Err(error) => return Err(BuildError::Device(error)),
    };
    let place = root.join(PRECOMPILED).join("device");
    build(&toolchain, &place, folders, artifacts, chips)
}

/// [`compile`] with the toolchain and the folder where binaries are kept.
fn build(
    toolchain: &Toolchain,
    place: &Path,
    folders: &mut Folders,
    artifacts: &BTreeMap<String, &Artifact>,
    chips: &[&'static Chip],
) -> Result<Built, BuildError> {
    let written = folders.written();
    let mut jobs = Vec::new();
    for (folder, digest) in &written {
        let Some(artifact) = artifacts.get(digest) else {
            continue;
        };
        let name = name_of(root_of(place), folder);
        for mut kernel in DeviceKernel::of_artifact(&name, artifact)? {
            kernel.file = folder.join(&kernel.file).display().to_string();
            for chip in chips {
                jobs.extend(processors_of(kernel.role).map(|processor| Job {
                    folder,
                    kernel: kernel.clone(),
                    chip,
                    processor,
                }));
            }
        }
    }
    let compiler = DeviceCompiler::new(toolchain, &place.join("toolchains"));
    if !jobs.is_empty() {
        compiler.prepare_firmware(chips)?;
    }
    let results = parallel::map(&jobs, parallel::threads_of_cargo(), |index, job| {
        binary(&compiler, job, place, &place.join(format!("work-{index}")))
    });
    let mut built = Built::default();
    let mut keep = BTreeSet::new();
    for (job, result) in jobs.iter().zip(results) {
        let (kept, sizes) = result?;
        let path = job
            .folder
            .join(job.chip.name)
            .join(format!("{}.elf", job.processor.name));
        let bytes = std::fs::read(&kept).map_err(BuildError::file("read", &kept))?;
        folders.bytes(path.clone(), &bytes)?;
        keep.insert(kept);
        built.binaries.push(DeviceBinary {
            path,
            kernel: job.kernel.name.clone(),
            chip: job.chip.name,
            processor: job.processor.name,
            sizes,
        });
    }
    for folder in written.keys() {
        for chip in chips {
            report(folders, folder, chip, &built.binaries)?;
        }
    }
    remove_old(place, &keep)?;
    Ok(built)
}

/// The folder below which all kernels are.
fn root_of(place: &Path) -> &Path {
    place.parent().and_then(Path::parent).unwrap_or(place)
}

/// The path of a kernel as Rust writes it, by its folder below `root`.
fn name_of(root: &Path, folder: &Path) -> String {
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("::")
}

/// The binary of one job: from an earlier build where nothing changed, else compiled and linked in `work`.
fn binary(
    compiler: &DeviceCompiler<'_>,
    job: &Job<'_>,
    place: &Path,
    work: &Path,
) -> Result<(PathBuf, Vec<Size>), BuildError> {
    let Job {
        kernel,
        chip,
        processor,
        ..
    } = job;
    let kept = place.join(format!("{}.elf", compiler.key(kernel, chip, processor)));
    if !kept.is_file() {
        let object = compiler.compile(kernel, chip, processor, work)?;
        let program = compiler.link(kernel, chip, processor, &object)?;
        let bytes = std::fs::read(&program).map_err(BuildError::file("read", &program))?;
        write_if_changed(&kept, &bytes)?;
        std::fs::remove_dir_all(work).map_err(BuildError::file("remove", work))?;
    }
    let sizes = compiler.sizes(kernel, chip, processor, &kept)?;
    Ok((kept, sizes))
}

/// Checks that the programs of a kernel's core fit together and writes their sizes to `<folder>/<chip>/sizes.txt`.
fn report(folders: &mut Folders, folder: &Path, chip: &Chip, binaries: &[DeviceBinary]) -> Result<(), BuildError> {
    let place = folder.join(chip.name);
    let mine: Vec<&DeviceBinary> = binaries
        .iter()
        .filter(|binary| binary.path.parent() == Some(place.as_path()))
        .collect();
    let Some(first) = mine.first() else { return Ok(()) };
    let parts: Vec<(&'static str, u32)> = mine
        .iter()
        .map(|binary| (binary.processor, loaded(&binary.sizes)))
        .collect();
    let total: u32 = parts.iter().map(|(_, bytes)| bytes).sum();
    let mut text = String::new();
    for binary in &mine {
        for size in &binary.sizes {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{:<7} {:<4} {:>8} of {:>8} bytes",
                binary.processor, size.part, size.bytes, size.limit
            );
        }
    }
    let _ = writeln!(
        text,
        "together     {total:>8} of {:>8} bytes of the kernel configuration buffer",
        chip.kernel_config_bytes
    );
    folders.bytes(place.join("sizes.txt"), text.as_bytes())?;
    let name = first
        .kernel
        .rsplit_once(' ')
        .map_or(first.kernel.as_str(), |(name, _)| name);
    check_together(name, chip, parts)?;
    Ok(())
}

/// Removes binaries of earlier builds that no kernel has any more.
fn remove_old(place: &Path, keep: &BTreeSet<PathBuf>) -> Result<(), BuildError> {
    let Ok(entries) = std::fs::read_dir(place) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry.map_err(BuildError::file("read", place))?.path();
        if path.extension().is_some_and(|extension| extension == "elf") && !keep.contains(&path) {
            std::fs::remove_file(&path).map_err(BuildError::file("remove", &path))?;
        }
    }
    Ok(())
}
