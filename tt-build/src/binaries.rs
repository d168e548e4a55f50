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
use crate::sealed;
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
        Err(error @ (DeviceError::NoCompiler { .. } | DeviceError::NoRuntime { .. }))
            if std::env::var_os(RUNTIME_VARIABLE).is_none_or(|value| value.is_empty()) =>
        {
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
    let results = parallel::map(&jobs, parallel::Jobs::of_cargo(), |index, job| {
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
        keep.insert(sealed::beside(&kept));
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
    if !sealed::is_intact(&kept) {
        let object = compiler.compile(kernel, chip, processor, work)?;
        let program = compiler.link(kernel, chip, processor, &object)?;
        let bytes = std::fs::read(&program).map_err(BuildError::file("read", &program))?;
        write_if_changed(&kept, &bytes)?;
        sealed::seal(&kept).map_err(BuildError::file("write", &kept))?;
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
        let is_binary = path.file_name().is_some_and(|name| {
            name.to_string_lossy()
                .trim_end_matches(sealed::SUFFIX)
                .ends_with(".elf")
        });
        if is_binary && !keep.contains(&path) {
            std::fs::remove_file(&path).map_err(BuildError::file("remove", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::testing::{elf, program};
    use crate::device::{CHIPS, PROCESSORS};
    use crate::kernels::Found;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    /// What is emitted for a kernel of the examples.
    fn artifact() -> Artifact {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/matmul.rs");
        let kernel = crate::kernels_of_crate(&file).into_iter().next().unwrap();
        kernel.outcome.unwrap().1
    }

    /// A runtime whose compiler is a script: it notes what it is called for and copies files that lie ready.
    struct Runtime(PathBuf);

    impl Runtime {
        fn new(name: &str) -> Runtime {
            let root = std::env::temp_dir().join(format!("tt-build-runtime-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&root);
            for folder in [
                "tt_metal/hw/firmware/src/tt-1xx",
                "runtime/hw/toolchain",
                "runtime/sfpi/compiler/bin",
            ] {
                std::fs::create_dir_all(root.join(folder)).unwrap();
            }
            std::fs::write(root.join("tt_metal/sfpi-version"), "sfpi_version='7.89.0'\n").unwrap();
            let runtime = Runtime(root);
            let path = runtime.0.display();
            // Written by another process: a file that this one has open for writing could not be run.
            let script = format!(
                "#!/bin/sh\n[ \"$1\" = --version ] && {{ cat {path}/version; exit; }}\n\
                 case \"$*\" in *\" -c \"*) ready=object;; *c++-header*) ready=object;; *) ready=program;; esac\n\
                 case \"$*\" in *KERNEL_BUILD*) echo k >> {path}/calls;; esac\n\
                 for word; do [ \"$before\" = -o ] && out=$word; before=$word; done\n\
                 [ -f {path}/refuse ] && {{ cat {path}/refuse >&2; exit 1; }}\n\
                 cp {path}/$ready \"$out\"\n"
            );
            let compiler = runtime.0.join("runtime/sfpi/compiler/bin/riscv-tt-elf-g++");
            let mut shell = Command::new("sh")
                .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
                .arg(&compiler)
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
            assert!(shell.wait().unwrap().success());
            runtime.put("version", b"riscv-tt-elf-g++ (tenstorrent/sfpi:7.89.0[1050]) 15.1.0\n");
            runtime.put("object", &elf(&[], &[]));
            runtime.put("program", &program(1000, 20, 4000));
            runtime
        }

        fn put(&self, name: &str, bytes: &[u8]) {
            std::fs::write(self.0.join(name), bytes).unwrap();
        }

        /// How often a kernel was compiled.
        fn calls(&self) -> usize {
            std::fs::read_to_string(self.0.join("calls")).map_or(0, |text| text.lines().count())
        }

        /// Emits `artifact` as the kernel `twice` and builds its binaries.
        fn build(&self, artifact: &Artifact) -> Result<Built, BuildError> {
            let toolchain = Toolchain::of_runtime(&self.0).map_err(BuildError::Device)?;
            let root = self.0.join("out/tt");
            let mut folders = Folders::new(root.clone());
            let found = Found {
                modules: vec!["shop".into()],
                function: "twice".into(),
                constants: Vec::new(),
                way: tt_plan::Way::Written,
                is_reference: false,
                outcome: Err(Vec::new()),
            };
            folders.write(&found, artifact)?;
            let artifacts = BTreeMap::from([(artifact.digest(), artifact)]);
            let chips: Vec<&'static Chip> = CHIPS.iter().collect();
            let built = build(
                &toolchain,
                &root.join(PRECOMPILED).join("device"),
                &mut folders,
                &artifacts,
                &chips,
            )?;
            folders.remove_others()?;
            Ok(built)
        }
    }

    impl Drop for Runtime {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn every_processor_gets_a_file_beside_the_sources_and_only_changes_are_compiled() {
        let runtime = Runtime::new("files");
        let mut artifact = artifact();
        let built = runtime.build(&artifact).unwrap();
        assert_eq!(built.binaries.len(), 2 * PROCESSORS.len());
        let folder = runtime.0.join("out/tt/shop/twice");
        for chip in &CHIPS {
            for processor in &PROCESSORS {
                let path = folder.join(chip.name).join(format!("{}.elf", processor.name));
                assert_eq!(
                    std::fs::read(&path).unwrap(),
                    program(1000, 20, 4000),
                    "{}",
                    path.display()
                );
            }
        }
        let sizes = std::fs::read_to_string(folder.join("wormhole_b0/sizes.txt")).unwrap();
        assert!(sizes.contains("trisc1  code     1000 of     4000 bytes"), "{sizes}");
        // Each of the five is 1020 bytes, at a multiple of 16.
        assert!(
            sizes.contains("5120 of    70656 bytes of the kernel configuration buffer"),
            "{sizes}"
        );

        let calls = runtime.calls();
        assert_eq!(calls, 2 * PROCESSORS.len());
        runtime.build(&artifact).unwrap();
        assert_eq!(runtime.calls(), calls, "nothing changed");
        let place = runtime.0.join("out/tt").join(PRECOMPILED).join("device");
        let mut kept = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
        let damaged = kept.find(|path| path.extension().is_some_and(|extension| extension == "elf"));
        std::fs::write(damaged.unwrap(), "half").unwrap();
        runtime.build(&artifact).unwrap();
        assert_eq!(runtime.calls(), calls + 1, "what is damaged is made again");

        artifact.reader.push_str("// changed\n");
        runtime.build(&artifact).unwrap();
        assert_eq!(
            runtime.calls(),
            calls + 3,
            "the reader runs on one processor of each chip"
        );
    }

    #[test]
    fn too_large_says_by_how_much() {
        let runtime = Runtime::new("large");
        runtime.put("program", &program(4321, 20, 4000));
        let error = runtime.build(&artifact()).unwrap_err().to_string();
        assert!(
            error.contains("`shop::twice reader` is too large for ncrisc of wormhole_b0"),
            "{error}"
        );
        assert!(
            error.contains("its code has 4321 bytes, 321 more than the 4000 that fit"),
            "{error}"
        );

        let runtime = Runtime::new("together");
        runtime.put("program", &program(20_000, 0, 30_000));
        let error = runtime.build(&artifact()).unwrap_err().to_string();
        assert!(
            error.contains("the programs of `shop::twice` are too large for wormhole_b0"),
            "{error}"
        );
        assert!(
            error.contains("together they have 100000 bytes") && error.contains("29344 more than the 70656"),
            "{error}"
        );
    }

    #[test]
    fn what_the_compiler_refuses_is_told_with_kernel_and_processor() {
        let runtime = Runtime::new("refused");
        runtime.build(&artifact()).unwrap();
        let mut artifact = artifact();
        artifact.writer.push_str("// changed\n");
        runtime.put("refuse", b"writer.cpp:7: error: no such thing\n");
        let error = runtime.build(&artifact).unwrap_err().to_string();
        assert!(
            error.contains("cannot compile `shop::twice writer` for brisc of wormhole_b0:"),
            "{error}"
        );
        assert!(error.contains("writer.cpp:7: error: no such thing"), "{error}");
    }

    #[test]
    fn a_toolchain_that_is_not_whole_or_another_is_refused() {
        let runtime = Runtime::new("toolchain");
        runtime.put("version", b"riscv-tt-elf-g++ (tenstorrent/sfpi:7.10.0) 15.1.0\n");
        let error = Toolchain::of_runtime(&runtime.0).unwrap_err().to_string();
        assert!(
            error.contains("sfpi:7.10.0") && error.contains("wants sfpi 7.89.0"),
            "{error}"
        );
        std::fs::remove_dir_all(runtime.0.join("runtime/sfpi")).unwrap();
        let error = Toolchain::of_runtime(&runtime.0).unwrap_err().to_string();
        assert!(error.contains("has no device compiler (looked for"), "{error}");
        std::fs::remove_dir_all(runtime.0.join("runtime/hw")).unwrap();
        let error = Toolchain::of_runtime(&runtime.0).unwrap_err().to_string();
        assert!(error.contains("has no runtime/hw/toolchain"), "{error}");
    }
}
