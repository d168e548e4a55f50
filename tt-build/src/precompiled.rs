//! Kernels as machine code for the emulator, and the notes that tell the macro of them.

use crate::artifacts::{PRECOMPILED, write_if_changed};
use crate::error::BuildError;
use crate::parallel;
use crate::sealed;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tt_backend::Artifact;
use tt_emulator::ArchName;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use tt_emulator::kernel_object::{
    KernelError, KernelSource, aot_key, compile_to_object, compiler_fingerprint, entry_symbol,
};
use tt_lang::ir::Fidelity;
use tt_plan::{ComputeConfig, Engine, Noc, Plan, Role};

/// Variables that decide what is compiled, and with what.
pub(crate) const ENVIRONMENT: [&str; 3] = ["CXX", "PATH", "TT_BUILD_ARCH"];

/// What was compiled.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// One object per kernel, each with one symbol.
    pub objects: Vec<PathBuf>,
    pub warnings: Vec<String>,
}

/// One kernel to compile.
struct Job {
    digest: String,
    role: Role,
    source: KernelSource,
    config: KernelRole,
    arch: ArchName,
    key: String,
}

/// Compiles every kernel of `artifacts` (by digest) below `root`, and writes `root/precompiled/<digest>`.
pub(crate) fn compile(
    root: &Path,
    artifacts: &BTreeMap<String, &Artifact>,
    archs: &[ArchName],
) -> Result<Compiled, BuildError> {
    let folder = root.join(PRECOMPILED);
    let objects = folder.join("objects");
    std::fs::create_dir_all(&objects).map_err(BuildError::file("create", &objects))?;
    let mut compiled = Compiled::default();
    let mut jobs = Vec::new();
    for (digest, artifact) in artifacts {
        let plan = Plan::from_json(&artifact.plan).map_err(|error| BuildError::Plan(error.to_string()))?;
        for arch in archs {
            for (stage, plan) in artifact.sources().iter().zip(plan.stages()) {
                for (role, _, text) in stage {
                    if plan.compiles_for_extents(*role) {
                        // Compiled at the first launch with such extents.
                        continue;
                    }
                    jobs.push(job(digest, text, &plan, *role, *arch)?);
                }
            }
        }
    }

    let outcomes = parallel::map(&jobs, parallel::Jobs::of_cargo(), |_, job| {
        object(job, &folder, &objects)
    });
    let mut notes: BTreeMap<&str, String> = BTreeMap::new();
    let mut keep = BTreeSet::new();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        match outcome {
            Ok(object) => {
                let line = format!("{} {} {}\n", job.role.name(), job.key, entry_symbol(&job.key));
                notes.entry(&job.digest).or_default().push_str(&line);
                keep.insert(sealed::beside(&object));
                if keep.insert(object.clone()) {
                    compiled.objects.push(object);
                }
            }
            Err(NoObject::Kernel(KernelError::NoCompiler { tried })) => {
                compiled.warnings.push(format!(
                    "no C++ compiler found (tried {}): kernels will be compiled at their first launch, which needs one too",
                    tried.join(", ")
                ));
                compiled.objects.clear();
                notes.clear();
                break;
            }
            Err(NoObject::Kernel(error)) => return Err(BuildError::Compiler(error.to_string())),
            Err(NoObject::Build(error)) => return Err(error),
        }
    }
    for (digest, text) in notes {
        let path = folder.join(digest);
        write_if_changed(&path, text.as_bytes())?;
        keep.insert(path);
    }
    for place in [&folder, &objects] {
        remove_others(place, &keep)?;
    }
    Ok(compiled)
}

/// Which chips to compile for, by the value of `TT_BUILD_ARCH`: a name or `all`; else the one the emulator is by default.
///
/// # Errors
/// [`BuildError::Setting`] where it is something else.
pub(crate) fn architectures(value: Option<&OsStr>) -> Result<Vec<ArchName>, BuildError> {
    let value = value.unwrap_or_default();
    let chip = match value.to_str() {
        Some("") => return Ok(vec![ArchName::WormholeB0]),
        Some("all") => return Ok(ArchName::ALL.to_vec()),
        name => name.and_then(ArchName::named),
    };
    chip.map(|arch| vec![arch]).ok_or_else(|| BuildError::Setting {
        variable: "TT_BUILD_ARCH",
        value: value.to_string_lossy().into_owned(),
        allowed: "`wormhole_b0`, which it is unset, `blackhole` or `all`",
    })
}

/// The kernels of `artifact`, three for every stage, as `arch` would run them, for tests that compile many together.
///
/// # Errors
/// Where the plan does not load.
#[doc(hidden)]
pub fn kernels_of(
    artifact: &Artifact,
    arch: ArchName,
) -> Result<Vec<(KernelSource, KernelRole, ArchName)>, BuildError> {
    let plan = Plan::from_json(&artifact.plan).map_err(|error| BuildError::Plan(error.to_string()))?;
    let mut kernels = Vec::new();
    for (stage, plan) in artifact.sources().iter().zip(plan.stages()) {
        for (role, _, text) in stage {
            let (source, config) = source_and_config(text, &plan, *role)?;
            kernels.push((source, config, arch));
        }
    }
    Ok(kernels)
}

fn job(digest: &str, text: &str, plan: &Plan, role: Role, arch: ArchName) -> Result<Job, BuildError> {
    let (source, config) = source_and_config(text, plan, role)?;
    let key = aot_key(&source, &config, arch).map_err(|error| BuildError::Compiler(error.to_string()))?;
    Ok(Job {
        digest: digest.to_string(),
        role,
        source,
        config,
        arch,
        key,
    })
}

/// A kernel of `plan`, the plan of its stage.
fn source_and_config(text: &str, plan: &Plan, role: Role) -> Result<(KernelSource, KernelRole), BuildError> {
    let kernel = plan
        .kernel(role)
        .ok_or_else(|| BuildError::Plan(format!("it has no {} kernel", role.name())))?;
    let compile_args = plan.compile_args(role);
    let compile_args = compile_args.ok_or_else(|| BuildError::Plan("it accesses what is no tensor".into()))?;
    // The NoC of either role is the same on both chips.
    let config = match kernel.engine {
        Engine::DataMovement { processor, noc } => KernelRole::DataMovement {
            processor: match processor {
                tt_plan::DataMovementProcessor::Ncrisc => DataMovementProcessor::Ncrisc,
                tt_plan::DataMovementProcessor::Brisc => DataMovementProcessor::Brisc,
            },
            noc: match noc {
                Noc::DramRead => 0,
                Noc::DramWrite => 1,
            },
        },
        Engine::Compute => KernelRole::Compute(options(&plan.compute)),
    };
    let source = KernelSource {
        // A launch hands sources over as text, which the runtime names by what runs them, whatever the stage.
        file: format!("{}.cpp", role.name()),
        source: text.to_string(),
        compile_args,
        ..KernelSource::default()
    };
    Ok((source, config))
}

fn options(config: &ComputeConfig) -> ComputeOptions {
    ComputeOptions {
        math_fidelity: match config.math_fidelity {
            Fidelity::LoFi => MathFidelity::LoFi,
            Fidelity::HiFi2 => MathFidelity::HiFi2,
            Fidelity::HiFi3 => MathFidelity::HiFi3,
            Fidelity::HiFi4 => MathFidelity::HiFi4,
        },
        fp32_dest_acc_en: config.fp32_dest_acc_en,
        dst_full_sync_en: config.dst_full_sync_en,
        math_approx_mode: config.math_approx_mode,
        ..ComputeOptions::default()
    }
}

/// Why there is no object of a kernel.
enum NoObject {
    Kernel(KernelError),
    Build(BuildError),
}

/// The object of one kernel: from an earlier build where that had the same key, the same compiler and left it whole, else
/// compiled.
fn object(job: &Job, work: &Path, objects: &Path) -> Result<PathBuf, NoObject> {
    let compiler = compiler_fingerprint().map_err(NoObject::Kernel)?;
    let path = objects.join(format!("{}-{compiler}.o", job.key));
    if sealed::is_intact(&path) {
        return Ok(path);
    }
    // Two jobs may have the same key; each writes a file of its own and the last one stays.
    let partial = objects.join(format!("{}-{:?}.partial", job.key, std::thread::current().id()));
    compile_to_object(&job.source, &job.config, job.arch, work, &partial).map_err(NoObject::Kernel)?;
    let kept = std::fs::rename(&partial, &path).and_then(|()| sealed::seal(&path));
    kept.map_err(|error| NoObject::Build(BuildError::file("write", &path)(error)))?;
    Ok(path)
}

/// Removes the files directly in `folder` that are not to be kept.
fn remove_others(folder: &Path, keep: &BTreeSet<PathBuf>) -> Result<(), BuildError> {
    for entry in std::fs::read_dir(folder).map_err(BuildError::file("read", folder))? {
        let path = entry.map_err(BuildError::file("read", folder))?.path();
        if path.is_file() && !keep.contains(&path) {
            std::fs::remove_file(&path).map_err(BuildError::file("remove", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_that_nobody_knows_is_refused_by_name() {
        assert_eq!(architectures(None).unwrap(), [ArchName::WormholeB0]);
        assert_eq!(architectures(Some("".as_ref())).unwrap(), [ArchName::WormholeB0]);
        assert_eq!(architectures(Some("all".as_ref())).unwrap().len(), 2);
        let error = architectures(Some("grayskull".as_ref())).unwrap_err().to_string();
        assert!(
            error.starts_with("TT_BUILD_ARCH is `grayskull`; it can be `wormhole_b0`"),
            "{error}"
        );
        assert!(architectures(Some(std::os::unix::ffi::OsStrExt::from_bytes(b"\xff"))).is_err());
    }

    #[test]
    fn a_damaged_object_is_compiled_again() {
        let root = std::env::temp_dir().join(format!("tt-build-objects-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/matmul.rs");
        let kernel = crate::kernels_of_crate(&file).into_iter().next().unwrap();
        let (_, artifact) = kernel.outcome.unwrap();
        let artifacts = BTreeMap::from([(artifact.digest(), &artifact)]);
        let build = || compile(&root, &artifacts, &[ArchName::WormholeB0]).unwrap().objects;
        let first = build();
        assert_eq!(first.len(), 3);
        let whole = std::fs::read(&first[0]).unwrap();
        std::fs::write(&first[0], &whole[..whole.len() / 2]).unwrap();
        let unchanged = std::fs::metadata(&first[1]).unwrap().modified().unwrap();
        assert_eq!(build(), first);
        assert_eq!(std::fs::read(&first[0]).unwrap(), whole);
        assert_eq!(
            std::fs::metadata(&first[1]).unwrap().modified().unwrap(),
            unchanged,
            "what is whole is kept"
        );
        std::fs::remove_dir_all(&root).unwrap();
    }
}
