//! The command line of `conformance headers`.

use super::{Options, Outcome, compile_all, list, refuse_old_names, toolchain};
use crate::fetch::{Cache, Machine};
use clap::Args;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tt_build::device::{CHIPS, Chip, DeviceKernel, Toolchain};
use tt_build::parallel::Jobs;
use xtask::kernels::{Selection, Turns};

/// Compiles every kernel of examples, tests and programs with the device headers of ttnn 0.81.1
///
/// For every processor of both chips, with the command lines of the runtime's JIT and the formats and modes of each kernel's
/// plan. Takes the wheel through pip and a RISC-V GCC through apt-get, versions and checksums pinned, and keeps them in
/// TT_CONFORMANCE_CACHE (default ~/.cache/tt-conformance).
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    compiles: Compiles,
    /// Where to write the outcomes as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let compiles = &arguments.compiles;
    let chips = compiles.chips();
    let kernels = compiles.kernels()?;
    let cache = Cache::of_user()?;
    let toolchain = compiles.toolchain(&cache)?;
    println!("{} kernels, with {}", kernels.len(), toolchain.version);
    let work = xtask::project::target().join("conformance/headers");
    let built = cache.folder("built")?;
    let options = Options {
        chips: &chips,
        turns: compiles.turns,
        jobs: compiles.jobs(),
        cache: &built,
        work: &work,
    };
    let outcomes = compile_all(&toolchain, &kernels, &options)?;
    if let Some(path) = &arguments.json {
        write_json(path, &toolchain, &outcomes)?;
    }
    let failures = report(&outcomes);
    println!(
        "{} of {} compiles are clean, in {:.0} s",
        outcomes.len() - failures,
        outcomes.len(),
        start.elapsed().as_secs_f64()
    );
    if failures == 0 {
        Ok(())
    } else {
        Err(format!("{failures} compiles fail"))
    }
}

/// What to compile, and with what.
#[derive(Args)]
pub(crate) struct Compiles {
    #[command(flatten)]
    selection: Selection,
    /// The kernels that this JSON file lists (path, kind, ct, formats ..), instead of those emitted
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Only kernels whose name contains one of these, separated by commas
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    kernels: Option<Vec<String>>,
    /// A runtime with its own compiler, instead of Debian's with the wheel's headers
    #[arg(long, value_name = "DIR")]
    pub toolchain: Option<PathBuf>,
    /// Only this chip
    #[arg(long, value_name = "NAME", value_parser = CHIPS.map(|chip| chip.name))]
    arch: Option<String>,
    #[command(flatten)]
    pub turns: Turns,
    /// How many compilers run at once (default: as many as there are processors)
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl Compiles {
    /// The toolchain that is named, or the stock one; to it old names are errors.
    pub fn toolchain(&self, cache: &Cache) -> Result<Toolchain, String> {
        let mut toolchain = match &self.toolchain {
            Some(root) => {
                let root =
                    std::path::absolute(root).map_err(|error| format!("cannot use {}: {error}", root.display()))?;
                Toolchain::of_runtime(&root).map_err(|error| error.to_string())?
            }
            None => toolchain(cache, &Machine)?,
        };
        refuse_old_names(&mut toolchain);
        Ok(toolchain)
    }

    /// The chip that is named; all where none is.
    pub fn chips(&self) -> Vec<&'static Chip> {
        let named = |chip: &&Chip| self.arch.as_ref().is_none_or(|name| name == chip.name);
        CHIPS.iter().filter(named).collect()
    }

    pub fn jobs(&self) -> Jobs {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        Jobs::new(self.jobs.map_or_else(processors, usize::from))
    }

    /// Whether every emitted kernel is meant.
    pub fn is_of_all(&self) -> bool {
        self.list.is_none() && self.kernels.is_none()
    }

    /// The kernels to check: those of a list, or every emitted kernel as the JIT would get it.
    pub fn kernels(&self) -> Result<Vec<DeviceKernel>, String> {
        let mut kernels = Vec::new();
        match &self.list {
            Some(path) => kernels = list::read(path)?,
            None => {
                for (path, artifact) in xtask::kernels::compiled(&self.selection)? {
                    kernels.extend(DeviceKernel::of_artifact(&path, &artifact).map_err(|error| error.to_string())?);
                }
            }
        }
        if let Some(texts) = &self.kernels {
            kernels.retain(|kernel| texts.iter().any(|text| kernel.name.contains(text.as_str())));
        }
        if kernels.is_empty() {
            return Err("there is no kernel to check".into());
        }
        Ok(kernels)
    }
}

/// Prints the failures and gives back how many there are.
fn report(outcomes: &[Outcome<'_, PathBuf>]) -> usize {
    let mut failures = 0;
    for outcome in outcomes {
        if let Err(reason) = &outcome.result {
            failures += 1;
            println!(
                "`{}` on {} of {}:\n{reason}\n",
                outcome.kernel.name, outcome.processor.name, outcome.chip.name
            );
        }
    }
    failures
}

fn write_json(path: &Path, toolchain: &Toolchain, outcomes: &[Outcome<'_, PathBuf>]) -> Result<(), String> {
    let rows: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "kernel": outcome.kernel.name,
                "arch": outcome.chip.name,
                "processor": outcome.processor.name,
                "ok": outcome.result.is_ok(),
                "errors": outcome.result.as_ref().err(),
            })
        })
        .collect();
    let text = json!({ "compiler": toolchain.version, "results": rows });
    let text = serde_json::to_string_pretty(&text).map_err(|error| error.to_string())?;
    // Not `project::write`: it may be a pipe or a device that the user names.
    std::fs::write(path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))
}
