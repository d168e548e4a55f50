//! The command line of `cargo xtask tune`, so that its help needs no build of what it measures.

use clap::Parser;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Measures the variants of a kernel at given shapes, and writes the times to the file from which its launches choose
///
/// The variants that are estimated to be fastest are run: on a card, else on the emulator, whose clock gives the time. What is in the
/// file already is not measured again, so that a run that was stopped goes on. The package's next build takes the file,
/// `tt-tune.json` beside its Cargo.toml, which is meant to be committed.
#[derive(Parser)]
#[command(name = "cargo xtask tune", bin_name = "cargo xtask tune")]
pub struct Options {
    /// The kernel: its function, with as much of its crate and modules before it as it takes (`layers::matmul`)
    pub kernel: String,
    /// Its extents and integers (`M=2048`); other scalars do not matter
    #[arg(value_name = "NAME=VALUE", value_parser = number)]
    pub numbers: Vec<(String, i64)>,
    /// The folder of the package that it is in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub package: PathBuf,
    /// The device, as `TT_DEVICE` names one, which is taken if unset
    #[arg(long)]
    pub device: Option<String>,
    /// How many variants to measure
    #[arg(long, value_name = "COUNT", default_value = "4")]
    pub most: NonZeroUsize,
    /// Measures also what is in the file already
    #[arg(long)]
    pub again: bool,
}

fn number(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a number is given as NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number"))?;
    Ok((name.to_string(), value))
}
