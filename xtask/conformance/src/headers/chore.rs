//! The command line of `conformance headers`.

use super::{Options, Outcome, compile_all, list, refuse_old_names, toolchain};
use crate::fetch::{Cache, Machine};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tt_build::device::{CHIPS, Chip, DeviceKernel, Toolchain};
use xtask::arguments::{Arguments, Chore};
use xtask::kernels::SELECTION;

/// The option that replaces the kernels of the repository by others.
pub(crate) const LIST: (&str, &str, &str) = (
    "list",
    "FILE",
    "the kernels that this JSON file lists (path, kind, ct, formats ..), instead of those emitted",
);
/// The option that takes some of them.
pub(crate) const ONLY_KERNELS: (&str, &str, &str) = (
    "kernels",
    "TEXTS",
    "only kernels whose name contains one of these, separated by commas",
);

/// The option that names the compiler.
pub(crate) const TOOLCHAIN: (&str, &str, &str) = (
    "toolchain",
    "DIR",
    "a runtime with its own compiler, instead of Debian's with the wheel's headers",
);
/// The option that takes one of the chips.
pub(crate) const ONE_CHIP: (&str, &str, &str) = ("arch", "NAME", "wormhole_b0 or blackhole only");
/// The option that says how many compilers run at once.
pub(crate) const JOBS: (&str, &str, &str) = (
    "jobs",
    "N",
    "how many compilers run at once (default: as many as there are processors)",
);

/// The check.
pub const CHECK: Chore = Chore {
    name: "headers",
    operand: "",
    options: &[
        SELECTION[0],
        SELECTION[1],
        LIST,
        ONLY_KERNELS,
        TOOLCHAIN,
        ONE_CHIP,
        ("json", "FILE", "where to write the outcomes as JSON"),
        JOBS,
    ],
    about: "compiles every kernel of examples, tests and programs with the device headers of ttnn 0.81.1\n\n\
            For every processor of both chips, with the command lines of the runtime's JIT and the formats and modes of\n\
            each kernel's plan. Takes the wheel through pip and a RISC-V GCC through apt-get, versions and checksums\n\
            pinned, and keeps them in TT_CONFORMANCE_CACHE (default ~/.cache/tt-conformance).",
    run,
};

fn run(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let chips = chips_of(arguments)?;
    let kernels = kernels(arguments)?;
    let cache = Cache::of_user()?;
    let toolchain = chosen(arguments, &cache)?;
    println!("{} kernels, with {}", kernels.len(), toolchain.version);
    let work = xtask::project::target().join("conformance/headers");
    let built = cache.folder("built")?;
    let options = Options {
        chips: &chips,
        jobs: jobs(arguments)?,
        cache: &built,
        work: &work,
    };
    let outcomes = compile_all(&toolchain, &kernels, &options)?;
    if let Some(path) = arguments.option("json") {
        write_json(Path::new(path), &toolchain, &outcomes)?;
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

/// The toolchain that the command line names, or the stock one; to it old names are errors.
pub(crate) fn chosen(arguments: &Arguments, cache: &Cache) -> Result<Toolchain, String> {
    let mut toolchain = match arguments.option("toolchain") {
        Some(root) => {
            let root = std::path::absolute(root).map_err(|error| format!("cannot use {root}: {error}"))?;
            Toolchain::of_runtime(&root).map_err(|error| error.to_string())?
        }
        None => toolchain(cache, &Machine)?,
    };
    refuse_old_names(&mut toolchain);
    Ok(toolchain)
}

/// The chips that the command line names; all where it names none.
pub(crate) fn chips_of(arguments: &Arguments) -> Result<Vec<&'static Chip>, String> {
    match arguments.option("arch") {
        None => Ok(CHIPS.iter().collect()),
        Some(name) => {
            let chip = Chip::named(name)
                .ok_or_else(|| format!("`--arch {name}` is no chip; wormhole_b0 and blackhole are"))?;
            Ok(vec![chip])
        }
    }
}

pub(crate) fn jobs(arguments: &Arguments) -> Result<usize, String> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    match arguments.option("jobs") {
        None => Ok(processors()),
        Some(text) => match text.parse() {
            Ok(jobs) if jobs > 0 => Ok(jobs),
            _ => Err(format!("`--jobs {text}` is not a number from 1 up")),
        },
    }
}

/// The kernels to check: those of a list, or every emitted kernel as the JIT would get it.
pub(crate) fn kernels(arguments: &Arguments) -> Result<Vec<DeviceKernel>, String> {
    let mut kernels = Vec::new();
    match arguments.option("list") {
        Some(path) => kernels = list::read(Path::new(path))?,
        None => {
            for (path, artifact) in xtask::kernels::compiled(arguments)? {
                kernels.extend(DeviceKernel::of_artifact(&path, &artifact).map_err(|error| error.to_string())?);
            }
        }
    }
    if let Some(texts) = arguments.list("kernels") {
        kernels.retain(|kernel| texts.iter().any(|text| kernel.name.contains(text.as_str())));
    }
    if kernels.is_empty() {
        return Err("there is no kernel to check".into());
    }
    Ok(kernels)
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
