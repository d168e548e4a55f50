//! `conformance binaries`: every emitted kernel as the ELF files that `cargo build` leaves where a device compiler is there.
//!
//! Compiles and links each kernel for every processor of both chips, against firmware built with the same toolchain, and
//! holds the sizes against their limits. With `--toolchain` that is the vendor's compiler or the stand-in of the oracle;
//! without, Debian's GCC with the stand-in for the vector library, whose binaries lack SFPU instructions and are larger in
//! other places, having no whole-program optimisation. It holds all that `conformance headers` does: a warning fails too.

use crate::fetch::Cache;
use crate::headers::{Compiles, Options, Outcome, for_each_unit, function};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tt_build::device::{DeviceCompiler, DeviceKernel, Size, check_together, loaded};

/// Links every kernel for every processor of both chips, and holds sizes against their limits
///
/// As `cargo build` does with TT_METAL_RUNTIME set. Without --toolchain it takes Debian's GCC: then no SFPU instructions are
/// generated, so sizes are not those of the vendor's compiler.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    compiles: Compiles,
    /// Where to leave the ELF files
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where to write all sizes as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What is known of a binary.
type Parts = Vec<Size>;

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let compiles = &arguments.compiles;
    let chips = compiles.chips();
    let kernels = compiles.kernels()?;
    let cache = Cache::of_user()?;
    let toolchain = compiles.toolchain(&cache)?;
    let stock = if compiles.toolchain.is_none() {
        " (no SFPU instructions are generated)"
    } else {
        ""
    };
    println!("{} kernels, with {}{stock}", kernels.len(), toolchain.version);
    let built = cache.folder("built")?;
    let work = xtask::project::target().join("conformance/binaries");
    let options = Options {
        chips: &chips,
        turns: compiles.turns,
        jobs: compiles.jobs(),
        cache: &built,
        work: &work,
    };
    let compiler = DeviceCompiler::new(&toolchain, options.cache);
    compiler.prepare_firmware(&chips).map_err(|error| error.to_string())?;
    let out = arguments.out.as_deref();
    let outcomes = for_each_unit(&kernels, &options, |kernel, chip, processor, folder| {
        let object = compiler
            .compile(kernel, chip, processor, folder)
            .map_err(|error| error.to_string())?;
        if !object.warnings.is_empty() {
            return Err(object.warnings);
        }
        let program = compiler
            .link(kernel, chip, processor, &object)
            .map_err(|error| error.to_string())?;
        if let Some(out) = out {
            keep(
                &program,
                &out.join(kernel.name.replace([':', ' '], "_")).join(chip.name),
            )?;
        }
        compiler
            .sizes(kernel, chip, processor, &program)
            .map_err(|error| error.to_string())
    });
    let mut failures: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| outcome.result.as_ref().err().cloned())
        .collect();
    failures.extend(too_large_together(&outcomes));
    if compiles.toolchain.is_none() {
        let all = compiles.is_of_all().then_some(kernels.as_slice());
        failures.extend(not_as_pinned(&outcomes, all)?);
    } else {
        println!("bytes of code are not held to {PINNED}, which is of Debian's compiler");
    }
    if let Some(path) = &arguments.json {
        write_json(path, &toolchain.version, &outcomes)?;
    }
    for failure in &failures {
        println!("{failure}\n");
    }
    print!("{}", table(&outcomes));
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} binaries, kernels {}, in {seconds:.0} s",
        outcomes.len(),
        compiles.turns
    );
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("{} binaries fail", failures.len()))
    }
}

/// Copies a binary to where the user wants it.
fn keep(program: &Path, folder: &Path) -> Result<(), String> {
    let place = folder.join(program.file_name().unwrap_or_default());
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(program, &place))
        .map_err(|error| format!("cannot write {}: {error}", place.display()))?;
    Ok(())
}

/// The functions whose programs do not fit into a core together.
fn too_large_together(outcomes: &[Outcome<'_, Parts>]) -> Vec<String> {
    let mut functions: BTreeMap<(&str, &str), Vec<&Outcome<'_, Parts>>> = BTreeMap::new();
    for outcome in outcomes {
        functions
            .entry((function(&outcome.kernel.name), outcome.chip.name))
            .or_default()
            .push(outcome);
    }
    let check = |((name, _), outcomes): (&(&str, &str), &Vec<&Outcome<'_, Parts>>)| {
        let parts = outcomes.iter().filter_map(|outcome| {
            let sizes = outcome.result.as_ref().ok()?;
            Some((outcome.processor.name, loaded(sizes)))
        });
        check_together(name, outcomes[0].chip, parts.collect())
            .err()
            .map(|error| error.to_string())
    };
    functions.iter().filter_map(check).collect()
}

/// The largest of every processor and part, with its limit.
fn table(outcomes: &[Outcome<'_, Parts>]) -> String {
    let mut largest: BTreeMap<(&str, &str, &str), (Size, &str)> = BTreeMap::new();
    for outcome in outcomes {
        for size in outcome.result.iter().flatten() {
            let key = (outcome.chip.name, outcome.processor.name, size.part);
            let entry = largest.entry(key).or_insert((*size, &outcome.kernel.name));
            if size.bytes > entry.0.bytes {
                *entry = (*size, &outcome.kernel.name);
            }
        }
    }
    let mut text = String::from("the largest:\n");
    for ((chip, processor, part), (size, kernel)) in largest {
        text += &format!(
            "  {chip:<12} {processor:<7} {part:<4} {:>8} of {:>8} bytes  {kernel}\n",
            size.bytes, size.limit
        );
    }
    text
}

/// Bytes of code of the kernels of tests/ratchet.rs: one line a binary.
const PINNED: &str = "tests/ratchet_code.tsv";

/// The ratchet's kernels whose code is not as large as is pinned. `TT_BLESS=1` pins what has become smaller, `TT_BLESS=more` also what has
/// become larger; either drops what is pinned of none of `all` kernels.
fn not_as_pinned(outcomes: &[Outcome<'_, Parts>], all: Option<&[DeviceKernel]>) -> Result<Vec<String>, String> {
    const HEAD: &str = "kernel\tchip\tprocessor\tbytes of code\n";
    let path = xtask::project::root().join(PINNED);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let row = line
            .rsplit_once('\t')
            .and_then(|(key, bytes)| Some((key, bytes.parse().ok()?)));
        let (key, bytes) = row.ok_or_else(|| format!("{PINNED} has a line that is none of it: {line}"))?;
        known.insert(key.to_string(), bytes);
    }
    let bless = std::env::var("TT_BLESS").unwrap_or_default();
    let mut failures = Vec::new();
    for outcome in outcomes {
        let Outcome {
            kernel,
            chip,
            processor,
            ..
        } = outcome;
        let (Ok(sizes), true) = (&outcome.result, kernel.name.starts_with("ratchet::")) else {
            continue;
        };
        let code = sizes.iter().filter(|size| size.part == "code");
        let bytes: u64 = code.map(|size| u64::from(size.bytes)).sum();
        let key = format!("{}\t{}\t{}", kernel.name, chip.name, processor.name);
        let (is_more, how) = match known.get(&key) {
            Some(before) if bytes == *before => continue,
            Some(before) => (bytes > *before, format!("{before} are pinned")),
            None => (false, "none is pinned".to_string()),
        };
        let wanted = if is_more { "more" } else { "1" };
        if bless == "more" || bless == wanted {
            known.insert(key, bytes);
        } else {
            failures.push(format!(
                "{key}: {bytes} bytes of code, {how} in {PINNED}; TT_BLESS={wanted} pins them"
            ));
        }
    }
    let is_gone =
        |key: &String| all.is_some_and(|all| !all.iter().any(|kernel| key.split('\t').next() == Some(&kernel.name)));
    if bless.is_empty() {
        let gone = known.keys().filter(|key| is_gone(key));
        failures
            .extend(gone.map(|key| format!("{key}: no kernel is called so; TT_BLESS=1 drops the line of {PINNED}")));
    } else {
        known.retain(|key, _| !is_gone(key));
        let rows: String = known.iter().map(|(key, bytes)| format!("{key}\t{bytes}\n")).collect();
        xtask::project::write(&path, &(HEAD.to_string() + &rows))?;
    }
    Ok(failures)
}

fn write_json(path: &Path, compiler: &str, outcomes: &[Outcome<'_, Parts>]) -> Result<(), String> {
    let rows: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            let parts = outcome
                .result
                .iter()
                .flatten()
                .map(|size| (size.part.to_string(), json!([size.bytes, size.limit])));
            json!({
                "kernel": outcome.kernel.name,
                "arch": outcome.chip.name,
                "processor": outcome.processor.name,
                "sizes": parts.collect::<serde_json::Map<_, _>>(),
                "errors": outcome.result.as_ref().err(),
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&json!({ "compiler": compiler, "results": rows }));
    let text = text.map_err(|error| error.to_string())?;
    // Not `project::write`: it may be a pipe or a device that the user names.
    std::fs::write(path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))
}
