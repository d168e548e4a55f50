//! `cargo xtask oracle`: the launches of the emulator, written down for the real runtime on a chip simulator.
//!
//! For every kernel and shape a folder: the three kernels, the inputs, the emulator's outputs as the expectation, and
//! spec.json, which comes from the plan file alone (`spec`). `shared/oracle/run_oracle --spec-dir` runs them.

mod npy;
mod run;
mod spec;

use std::path::PathBuf;
use std::process::ExitCode;

/// The programs whose kernels are run.
const PROGRAMS: [&str; 3] = ["matmul", "tir_matmul", "elementwise"];

/// Values of the extents to try, by how many a kernel has.
const SHAPES: [&[&[usize]]; 4] = [
    &[&[]],
    &[&[64], &[100]],
    &[&[256, 256], &[64, 1024], &[33, 65], &[1, 1]],
    &[&[256, 256, 256], &[96, 32, 160], &[100, 70, 130], &[1, 200, 17]],
];

struct Options {
    out: PathBuf,
    programs: PathBuf,
    arch: String,
}

fn main() -> ExitCode {
    match options().and_then(|options| write_all(&options)) {
        Ok(count) => {
            println!("{count} specs written");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("oracle: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let (mut out, mut programs, mut arch) = (None, None, "wormhole_b0".to_string());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--out" => out = Some(PathBuf::from(value)),
            "--programs" => programs = Some(PathBuf::from(value)),
            "--arch" => arch = value,
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/programs");
    Ok(Options {
        out: out.ok_or("`--out` is missing")?,
        programs: programs.unwrap_or_else(|| PathBuf::from(shared)),
        arch,
    })
}

fn write_all(options: &Options) -> Result<usize, String> {
    let mut count = 0;
    for program in PROGRAMS {
        let file = options.programs.join(program).with_extension("rs");
        if !file.is_file() {
            return Err(format!("there is no {}", file.display()));
        }
        for emitted in tt_build::kernels_of_crate(&file) {
            let (kernel, artifact) = emitted.outcome.map_err(|errors| errors.join("\n"))?;
            let shapes = SHAPES
                .get(kernel.extents.len())
                .ok_or_else(|| format!("`{}` has more extents than there are shapes for", emitted.path))?;
            for extents in *shapes {
                let outcome = run::on_emulator(&kernel, &artifact, extents, &options.arch)?;
                let numbers: Vec<String> = extents.iter().map(usize::to_string).collect();
                let name = [vec![kernel.name.clone()], numbers].concat().join("-");
                spec::write(&options.out.join(name), &artifact, &outcome, &options.arch)?;
                count += 1;
            }
        }
    }
    Ok(count)
}
