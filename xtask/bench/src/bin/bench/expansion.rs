//! What kernels cost at `cargo check`: a crate with 20 copies of the largest kernels here, against the same without them.

use crate::inputs::seconds;
use crate::table::Row;
use crate::{Measured, Scale};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The kernels are those of this file, again and again.
const SOURCE: &str = include_str!("kernels.rs");

pub fn expansion(scale: Scale) -> Measured {
    let copies = if scale.quick { 1 } else { 5 };
    let kernels = SOURCE.matches("#[tt::kernel]").count();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/bench-expansion");
    let with = crate_at(&folder.join("with"), &root, copies)?;
    let without = crate_at(&folder.join("without"), &root, 0)?;
    // Both once, so that only the touched file is left to check.
    check(&with)?;
    check(&without)?;
    let (mut most, mut least) = (Duration::MAX, Duration::MAX);
    for _ in 0..5 {
        most = most.min(check(&with)?);
        least = least.min(check(&without)?);
    }
    let more = most.saturating_sub(least);
    let mut rows = vec![Row::new(
        format!("cargo check after a touch, {} kernels", copies * kernels),
        seconds(most),
        format!("the same crate without them: {}", seconds(least)),
        format!("{:.2} s more", more.as_secs_f64()),
        "at most 1 s more",
        more <= Duration::from_secs(1),
    )];
    rows.extend(passes(&root)?);
    Ok(rows)
}

/// A crate whose library has `copies` modules with the kernels.
fn crate_at(folder: &Path, root: &Path, copies: usize) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"expansion\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ntt = {{ path = {:?} }}\n\n[workspace]\n",
        root.canonicalize()?.display().to_string()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut text = String::from("//! Kernels.\n");
    for copy in 0..copies {
        // Inner documentation cannot stand in the middle of a file.
        let body: String = SOURCE
            .lines()
            .filter(|line| !line.starts_with("//!"))
            .map(|line| format!("{line}\n"))
            .collect();
        writeln!(text, "#[allow(dead_code)]\nmod copy{copy} {{\n{body}}}")?;
    }
    std::fs::write(folder.join("src/lib.rs"), text)?;
    Ok(folder.to_path_buf())
}

/// Touches the crate's file and checks it.
fn check(folder: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    let file = folder.join("src/lib.rs");
    let text = std::fs::read(&file)?;
    std::fs::write(&file, text)?;
    let start = Instant::now();
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()?;
    let time = start.elapsed();
    if !output.status.success() {
        return Err(format!("cargo check failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(time)
}

/// What each pass takes, for the kernels of this file together.
fn passes(root: &Path) -> Measured {
    let file = root.join("xtask/bench/src/bin/bench/kernels.rs");
    let start = Instant::now();
    let emitted = tt_build::kernels_of_crate(&file);
    let total = start.elapsed();
    let count = emitted.len();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for kernel in emitted {
        let (kernel, _) = kernel.outcome.map_err(|errors| errors.join("\n"))?;
        let (_, passes) = tt_backend::timed(&kernel).map_err(|errors| format!("{errors:?}"))?;
        for (pass, time) in passes {
            match times.iter_mut().find(|(name, _)| *name == pass) {
                Some((_, sum)) => *sum += time,
                None => times.push((pass, time)),
            }
        }
    }
    times
        .iter()
        .for_each(|(pass, time)| eprintln!("  {pass:28} {:>8.1} µs", time.as_secs_f64() * 1e6));
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let slowest: Vec<String> = times
        .iter()
        .take(3)
        .map(|(pass, time)| format!("{pass} {}", seconds(*time)))
        .collect();
    Ok(vec![Row::plain(
        format!("parsing and compiling {count} kernels, no rustc"),
        seconds(total),
        format!("slowest passes: {}", slowest.join(", ")),
    )])
}
