//! `cargo xtask bench`: speed and memory, each figure beside what it is compared to, measured in one run.

mod attention;
mod chains;
mod children;
mod expansion;
mod inputs;
mod kernels;
mod launches;
mod memory;
mod modelled;
mod peer;
mod peer_clock;
mod rows;
mod table;
mod throughput;
mod traffic;
mod transfer;

use clap::Parser;
use std::process::ExitCode;
use table::Row;
use xtask::bench::Options;

/// What a measurement gives, or why it could not be made.
type Measured = Result<Vec<Row>, Box<dyn std::error::Error>>;

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Smaller sizes, which show that everything runs and nothing more.
    pub quick: bool,
}

/// A measurement.
struct Measurement {
    name: &'static str,
    about: &'static str,
    run: fn(Scale) -> Measured,
}

const MEASUREMENTS: &[Measurement] = &[
    Measurement {
        name: "gemm",
        about: "a bf16 matmul with f32 sums on the emulator, against the crate `gemm` in f32 on the same threads",
        run: throughput::gemm,
    },
    Measurement {
        name: "sums",
        about: "a bf16 matmul with bf16 sums, and with a chip's adders (`TT_EMULATOR_FPU=exact`), against f32 sums on the emulator",
        run: throughput::sums,
    },
    Measurement {
        name: "add",
        about: "a bf16 addition on the emulator, against a plain loop over the same values on the same threads",
        run: throughput::add,
    },
    Measurement {
        name: "chains",
        about: "ten functions of the vector unit one after the other on the emulator, against a plain loop of the same functions",
        run: chains::chains,
    },
    Measurement {
        name: "launches",
        about: "processor time of launches that compute next to nothing",
        run: launches::launches,
    },
    Measurement {
        name: "softmax",
        about: "a bf16 softmax on the emulator, against its addition of the same size and one sweep over DRAM",
        run: rows::softmax,
    },
    Measurement {
        name: "reduction",
        about: "reductions of a block in L1 on the emulator, against an addition to it",
        run: rows::reduction,
    },
    Measurement {
        name: "attention",
        about: "causal flash attention on the emulator, against three kernels with the scores in DRAM",
        run: attention::attention,
    },
    Measurement {
        name: "modelled",
        about: "bf16 matmuls in blocks that the launch chooses, by the emulator's clock, against their products alone",
        run: modelled::modelled,
    },
    Measurement {
        name: "peer-clock",
        about: "bf16 matmuls by the emulator's clock, against the multicast matmul of the `ttnn` wheel, which is fetched (100 MB)",
        run: peer_clock::peer_clock,
    },
    Measurement {
        name: "threads",
        about: "the same bits with one and with two threads",
        run: children::threads,
    },
    Measurement {
        name: "transfer",
        about: "upload and download of a bf16 matrix, against a copy of its bytes in memory",
        run: transfer::transfer,
    },
    Measurement {
        name: "expansion",
        about: "cargo check of 20 large kernels and of the examples' longest after touching them, against the same without them",
        run: expansion::expansion,
    },
    Measurement {
        name: "peer-elementwise",
        about: "(a·b + c)·d, against tt-lang-sim",
        run: peer::elementwise,
    },
    Measurement {
        name: "peer-rows",
        about: "a broadcast, softmax and sums of rows, against tt-lang-sim",
        run: peer::rows,
    },
    Measurement {
        name: "memory",
        about: "peak memory of a matmul, against its three tensors",
        run: memory::memory,
    },
    Measurement {
        name: "peer-matmul",
        about: "relu(A·B + C), against tt-lang-sim",
        run: peer::matmul,
    },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // A measurement that needs a process of its own starts this program again.
    if let [first, rest @ ..] = words.as_slice()
        && first == "child"
    {
        return children::answer(rest);
    }
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what is asked for; gives back whether every measurement could be made.
fn run(Options { only, quick, list }: Options) -> Result<bool, String> {
    if list {
        MEASUREMENTS
            .iter()
            .for_each(|measurement| println!("{:18} {}", measurement.name, measurement.about));
        return Ok(true);
    }
    let scale = Scale { quick };
    if let Some(names) = &only
        && let Some(unknown) = names
            .iter()
            .find(|name| !MEASUREMENTS.iter().any(|known| known.name == **name))
    {
        return Err(format!(
            "there is no measurement `{unknown}`; `cargo xtask bench --list` shows them"
        ));
    }
    let mut sections = Vec::new();
    let mut complete = true;
    for measurement in MEASUREMENTS {
        if only
            .as_ref()
            .is_some_and(|names| !names.iter().any(|name| name == measurement.name))
        {
            continue;
        }
        eprintln!("measuring {}: {}", measurement.name, measurement.about);
        let rows = (measurement.run)(scale).unwrap_or_else(|error| {
            complete = false;
            vec![Row::missing(measurement.about, &error.to_string())]
        });
        rows.iter().for_each(|row| eprintln!("  {}", row.line()));
        sections.push((measurement.name, rows));
    }
    print!("{}", table::text(&sections));
    if !scale.quick {
        let names: Vec<&str> = MEASUREMENTS.iter().map(|measurement| measurement.name).collect();
        table::write(&sections, &names)?;
    }
    Ok(complete)
}
