//! `cargo xtask conformance launch`: Rust launchers on the real library.
//!
//! `xtask/launches` and the examples are built twice: with the emulator, and against the `ttnn` wheel, which is the real
//! library behind our own host headers. The second runs through the runtime's own compilation and dispatch on a simulated
//! chip. What the two print must be the same, line by line: hashes of every output's bits, kinds of every error.

use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::project;

/// Runs Rust launchers on the real libtt_metal.so over a simulated chip, and compares with the emulator
///
/// Builds against the ttnn wheel that shared/oracle installed, with our own host headers. Every output must have the bits that
/// the emulator computes with TT_EMULATOR_FPU=exact, every refusal the same kind.
#[derive(Args)]
pub struct Arguments {
    /// The installation that shared/oracle/setup.sh made (default: ~/.cache/tt-oracle)
    #[arg(long, value_name = "DIR")]
    oracle: Option<PathBuf>,
    /// Only these chips, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = CHIPS.map(|chip| chip.name))]
    chips: Option<Vec<String>>,
    /// Also the examples as they stand, which take a quarter of an hour
    #[arg(long, value_name = "yes")]
    examples: Option<String>,
}

/// A chip, as the emulator and the oracle call it.
pub struct Chip {
    /// The emulator's name of it.
    pub name: &'static str,
    simulator: &'static str,
    /// Whether the simulator unpacks 32-bit inputs to the destination.
    wide: bool,
}

impl Chip {
    /// What the compared program is told.
    fn words(&self) -> &'static [&'static str] {
        match self.wide {
            true => &[],
            false => &["narrow"],
        }
    }
}

/// The chips.
pub const CHIPS: [Chip; 2] = [
    Chip {
        name: tt_device::WORMHOLE_B0.name,
        simulator: "sim_wh/libttsim.so",
        wide: false,
    },
    Chip {
        name: tt_device::BLACKHOLE.name,
        simulator: "sim_bh/libttsim.so",
        wide: true,
    },
];

/// The program whose output is compared.
const COMPARED: &str = "launches";

/// An example, which judges its results itself.
struct Example {
    name: &'static str,
    /// What keeps it small.
    words: &'static [&'static str],
    /// It unpacks 32-bit inputs to the destination.
    wide: bool,
}

const EXAMPLES: [Example; 2] = [
    Example {
        name: "launches-elementwise",
        words: &[],
        wide: false,
    },
    Example {
        name: "launches-matmul",
        words: &["130", "70", "150"],
        wide: true,
    },
];

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let oracle = match arguments.oracle.clone() {
        Some(path) => path,
        None => default_oracle()?,
    };
    let wanted = |chip: &&Chip| {
        let chips = arguments.chips.as_ref();
        chips.is_none_or(|names| names.iter().any(|name| name == chip.name))
    };
    let chips: Vec<&Chip> = CHIPS.iter().filter(wanted).collect();
    let wheel = installed_wheel(&oracle)?;
    for chip in &chips {
        let simulator = oracle.join(chip.simulator);
        if !simulator.is_file() {
            return Err(format!("no simulator: there is no {}", simulator.display()));
        }
    }
    let scratch = project::target().join("launch");
    let emulated = build(None, &project::target())?;
    let real = build(Some(&wheel), &scratch.join("wheel"))?;
    let mut wrong = Vec::new();
    for chip in chips {
        match compare(chip, &emulated, &real, &oracle, &wheel, &scratch) {
            Ok(lines) => println!(
                "{}: {lines} results of the real library are the emulator's, bit for bit",
                chip.name
            ),
            Err(error) => wrong.push(format!("{}: {error}", chip.name)),
        }
        if arguments.examples.is_some() {
            for Example { name, words, wide } in EXAMPLES {
                if wide && !chip.wide {
                    println!(
                        "{}: {name} not run: it unpacks 32-bit inputs to the destination, which the simulator does not",
                        chip.name
                    );
                    continue;
                }
                match on_real(chip, &real.join(name), words, &oracle, &wheel, &scratch) {
                    Ok(_) => println!("{}: {name} is right on the real library", chip.name),
                    Err(error) => wrong.push(format!("{}: {name}: {error}", chip.name)),
                }
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

/// Where `setup.sh` of shared/oracle installs.
///
/// # Errors
/// Where no variable says.
pub fn default_oracle() -> Result<PathBuf, String> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    set("TT_ORACLE")
        .or_else(|| Some(cache()?.join("tt-oracle")))
        .ok_or_else(|| "neither TT_ORACLE nor HOME says where the simulators are: name them with --oracle".into())
}

/// The folder of the wheel in the oracle's Python environment.
///
/// # Errors
/// Where there is none.
pub fn installed_wheel(oracle: &Path) -> Result<PathBuf, String> {
    let versions = oracle.join("venv/lib");
    let entries = std::fs::read_dir(&versions).map_err(|error| {
        format!(
            "no wheel: cannot read {}: {error}; run shared/oracle/setup.sh",
            versions.display()
        )
    })?;
    let wheels = entries.flatten().map(|entry| entry.path().join("site-packages/ttnn"));
    wheels
        .filter(|path| path.join("build/lib/libtt_metal.so").is_file())
        .min()
        .ok_or_else(|| {
            format!(
                "no wheel: there is no ttnn below {}; run shared/oracle/setup.sh",
                versions.display()
            )
        })
}

/// Builds the programs with the emulator, or against a wheel; gives their folder.
fn build(wheel: Option<&Path>, target: &Path) -> Result<PathBuf, String> {
    let mut command = project::cargo();
    command
        .args(["build", "--quiet", "--package", "tt-launches"])
        .env("CARGO_TARGET_DIR", target)
        .env_remove("TT_METAL_SDK")
        .current_dir(project::root());
    match wheel {
        Some(wheel) => command.env("TT_METAL_HOME", wheel),
        None => command.env_remove("TT_METAL_HOME"),
    };
    let output = command
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        let how = wheel.map_or("with the emulator".into(), |wheel| {
            format!("against {}", wheel.display())
        });
        return Err(format!(
            "the programs do not build {how}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(target.join("debug"))
}

/// Runs the program on both; gives how many lines they agree in.
fn compare(
    chip: &Chip,
    emulated: &Path,
    real: &Path,
    oracle: &Path,
    wheel: &Path,
    scratch: &Path,
) -> Result<usize, String> {
    let mut emulator = Command::new(emulated.join(COMPARED));
    emulator
        .args(chip.words())
        .env("TT_DEVICE", format!("emulator:{}", chip.name))
        .env("TT_EMULATOR_FPU", "exact");
    let expected = results(&output_of(emulator, "the emulator")?);
    let got = results(&on_real(
        chip,
        &real.join(COMPARED),
        chip.words(),
        oracle,
        wheel,
        scratch,
    )?);
    agreeing(&expected, &got)
}

/// Runs a program on the real library over the simulated chip.
fn on_real(
    chip: &Chip,
    program: &Path,
    words: &[&str],
    oracle: &Path,
    wheel: &Path,
    scratch: &Path,
) -> Result<String, String> {
    let mut command = on_simulator(chip, program, oracle, wheel, scratch)?;
    command.args(words);
    output_of(command, "the real library")
}

/// A program on the real library over the simulated chip; what the runtime compiles is kept below `scratch`.
///
/// # Errors
/// Where no folder can be made for it.
pub fn on_simulator(
    chip: &Chip,
    program: &Path,
    oracle: &Path,
    wheel: &Path,
    scratch: &Path,
) -> Result<Command, String> {
    // The runtime leaves files where it is started.
    let folder = scratch.join(chip.name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot write {}: {error}", folder.display()))?;
    let mut command = Command::new(program);
    command
        .current_dir(&folder)
        .env("LD_LIBRARY_PATH", wheel.join("build/lib"))
        .env("TT_METAL_HOME", wheel)
        .env("TT_METAL_RUNTIME_ROOT", wheel)
        .env("TT_METAL_SIMULATOR", oracle.join(chip.simulator))
        .env("TT_METAL_SLOW_DISPATCH_MODE", "1")
        .env("TT_METAL_DISABLE_SFPLOADMACRO", "1")
        .env("TT_METAL_CACHE", scratch.join("jit"))
        .env("TT_LOGGER_LEVEL", "error")
        .env("TT_DEVICE", "0");
    Ok(command)
}

fn output_of(mut command: Command, on: &str) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = printed.lines().chain(said.lines()).collect();
    let last = lines[lines.len().saturating_sub(20)..].join("\n");
    Err(format!("on {on} it ended with {}:\n{last}", output.status))
}

/// The lines of results; the runtime and the simulator print lines of their own between them.
fn results(printed: &str) -> Vec<String> {
    let marked = printed.lines().filter_map(|line| line.strip_prefix("result: "));
    marked.map(str::to_string).collect()
}

/// How many results there are, all the same.
fn agreeing(expected: &[String], got: &[String]) -> Result<usize, String> {
    if expected.is_empty() {
        return Err("the emulator printed no result".into());
    }
    let differing = expected.iter().zip(got).find(|(expected, got)| expected != got);
    match differing {
        Some((expected, got)) => Err(format!(
            "the real library gives\n    {got}\nand the emulator\n    {expected}"
        )),
        None if expected.len() != got.len() => Err(format!(
            "the real library gives {} results, the emulator {}",
            got.len(),
            expected.len()
        )),
        None => Ok(expected.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_agree_only_where_every_line_does() {
        let printed = "2026 | critical | x\nresult: add: 12\n[3] 1 seconds\nresult: sum: 7\n";
        let expected = results(printed);
        assert_eq!(expected, ["add: 12", "sum: 7"]);
        assert_eq!(agreeing(&expected, &results(printed)), Ok(2));
        let other = results(&printed.replace("7", "8"));
        assert!(agreeing(&expected, &other).unwrap_err().contains("sum: 8"));
        assert!(agreeing(&expected, &expected[..1]).unwrap_err().contains("1 results"));
        assert!(agreeing(&[], &[]).is_err());
    }
}
