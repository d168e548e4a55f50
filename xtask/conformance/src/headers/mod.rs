//! `conformance headers`: every emitted kernel compiled with the device headers of the real runtime.
//!
//! Each kernel is compiled for every processor that runs it, on both chips, with the command lines of the runtime's JIT
//! and the tables of formats and modes of its own plan. Any warning in a kernel fails, a deprecated name too.

mod chore;
mod list;
mod sfpi;
mod stock;

pub(crate) use chore::Compiles;
pub use chore::{Arguments, run};
pub use stock::toolchain;

use std::path::{Path, PathBuf};
use tt_build::device::{Chip, DeviceCompiler, DeviceKernel, Processor, Toolchain, processors_of};
use tt_build::parallel::Jobs;
use xtask::kernels::Turns;

/// Makes deprecated names errors, which the JIT lets pass.
pub(crate) fn refuse_old_names(toolchain: &mut Toolchain) {
    let adaptation = &mut toolchain.adaptation;
    adaptation.compile.push("-Werror=deprecated-declarations".into());
    if adaptation.system_headers {
        // Where a call has a default argument, the compiler believes to be in the header when it says that the name is an
        // old one, and of system headers it says nothing by default.
        adaptation.compile.push("-Wsystem-headers".into());
    }
}

/// A kernel that does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kernel's name.
    pub kernel: String,
    /// The chip's name.
    pub chip: &'static str,
    /// The processor's name.
    pub processor: &'static str,
    /// What the compiler said.
    pub reason: String,
}

/// What became of a kernel on one processor.
#[derive(Debug, Clone)]
pub struct Outcome<'a, T> {
    /// The kernel.
    pub kernel: &'a DeviceKernel,
    /// The chip.
    pub chip: &'static Chip,
    /// The processor.
    pub processor: &'static Processor,
    /// What it gave, or why it failed.
    pub result: Result<T, String>,
}

/// How to check.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The chips to compile for.
    pub chips: &'a [&'static Chip],
    /// Whether each kernel is compiled for all of them.
    pub turns: Turns,
    /// How many compilers run at once.
    pub jobs: Jobs,
    /// Where precompiled headers and firmware are kept.
    pub cache: &'a Path,
    /// Where objects go; what is there is overwritten.
    pub work: &'a Path,
}

/// Compiles `kernels` for all their processors and gives back those that do not compile cleanly.
///
/// # Errors
/// Where the toolchain itself does not work.
pub fn check(toolchain: &Toolchain, kernels: &[DeviceKernel], options: &Options<'_>) -> Result<Vec<Failure>, String> {
    let outcomes = compile_all(toolchain, kernels, options)?;
    let failures = outcomes.into_iter().filter_map(|outcome| {
        outcome.result.err().map(|reason| Failure {
            kernel: outcome.kernel.name.clone(),
            chip: outcome.chip.name,
            processor: outcome.processor.name,
            reason,
        })
    });
    Ok(failures.collect())
}

/// Compiles `kernels` for all their processors.
fn compile_all<'a>(
    toolchain: &Toolchain,
    kernels: &'a [DeviceKernel],
    options: &Options<'_>,
) -> Result<Vec<Outcome<'a, PathBuf>>, String> {
    let compiler = DeviceCompiler::new(toolchain, options.cache);
    compiler
        .prepare_headers(options.chips)
        .map_err(|error| error.to_string())?;
    Ok(for_each_unit(kernels, options, |kernel, chip, processor, folder| {
        let object = compiler
            .compile(kernel, chip, processor, folder)
            .map_err(|error| error.to_string())?;
        if object.warnings.is_empty() {
            Ok(object.path)
        } else {
            Err(object.warnings)
        }
    }))
}

/// A kernel's name without its role.
pub(crate) fn function(name: &str) -> &str {
    name.rsplit_once(' ').map_or(name, |(function, _)| function)
}

/// Does `work` for every kernel, chip and processor, several at once, each with a folder of its own.
pub(crate) fn for_each_unit<'a, T: Send>(
    kernels: &'a [DeviceKernel],
    options: &Options<'_>,
    work: impl Fn(&DeviceKernel, &Chip, &Processor, &Path) -> Result<T, String> + Sync,
) -> Vec<Outcome<'a, T>> {
    let mut units = Vec::new();
    // Kernels of one function, which are in a row, go to the same chip.
    let functions = kernels.chunk_by(|one, next| function(&one.name) == function(&next.name));
    for (number, kernels) in functions.enumerate() {
        for chip in options.turns.of(number, options.chips) {
            for kernel in kernels {
                units.extend(processors_of(kernel.role).map(|processor| (kernel, chip, processor)));
            }
        }
    }
    tt_build::parallel::map(&units, &options.jobs, |index, (kernel, chip, processor)| Outcome {
        kernel,
        chip,
        processor,
        result: work(kernel, chip, processor, &options.work.join(index.to_string())),
    })
}
