//! Chores that need more than this crate: they are started from crates of their own.

use clap::Args;
use std::ffi::OsString;
use xtask::project;

/// Holds what we emit and what we emulate against TT-Metalium; `conformance --help` lists the checks
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct Words {
    /// A check and its options
    #[arg(value_name = "CHECK", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Runs a program of another crate with the words that stand behind the chore's name.
pub fn start(package: &str, binary: &str, profile: &[&str]) -> Result<(), String> {
    let status = project::cargo()
        .args(["run", "--quiet", "--package", package, "--bin", binary])
        .args(profile)
        .arg("--")
        .args(std::env::args_os().skip(2))
        .current_dir(project::root())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{binary}` ended with {status}"))
    }
}
