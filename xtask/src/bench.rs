//! The command line of `cargo xtask bench`, so that its help needs no build of what it measures.

use clap::Parser;

/// Measures speed and memory, prints a table and writes it to BENCHMARKS.md
///
/// Everything is measured in one run, side by side with what it is compared to.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
pub struct Options {
    /// Only these measurements, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Option<Vec<String>>,
    /// Smaller sizes, to see that everything runs; writes nothing
    #[arg(long)]
    pub quick: bool,
    /// The measurements with what each is compared to
    #[arg(long)]
    pub list: bool,
}
