//! What kernels cost at `cargo check`: a crate with 20 copies of the largest kernels here, ones with copies of the longest kernel of the
//! examples and with kernels of 200 and 400 statements, against the same without them. Its profile is Cargo's for development, with the
//! lines that README gives to every crate with kernels; for the longest kernel and many statements, also without those.

use crate::inputs::seconds;
use crate::table::Row;
use crate::{Measured, Scale};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The kernels are those of this file, again and again.
const SOURCE: &str = include_str!("kernels.rs");

/// What README has a crate with kernels say.
const PROFILE: &str = "[profile.dev.build-override]\nopt-level = 2\n";

/// Copies of the longest kernel, for a time well above that of the rest.
const LONGEST_COPIES: usize = 5;

pub fn expansion(scale: Scale) -> Measured {
    let copies = if scale.quick { 1 } else { 5 };
    let kernels = SOURCE.matches("\n#[tt::kernel").count();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/bench-expansion");
    let (name, longest) = longest_example(&root)?;
    let with = crate_at(&folder.join("with"), &root, PROFILE, SOURCE, copies)?;
    let long = crate_at(&folder.join("longest"), &root, PROFILE, &longest, LONGEST_COPIES)?;
    let without = crate_at(&folder.join("without"), &root, PROFILE, "", 0)?;
    let plain = crate_at(&folder.join("plain"), &root, "", &longest, LONGEST_COPIES)?;
    let many = |name: &str, profile, count| {
        let source = of_statements(count);
        crate_at(&folder.join(name), &root, profile, &source, LONGEST_COPIES)
    };
    let many_as_told = many("200-as-told", PROFILE, 200)?;
    let (many, twice) = (many("200", "", 200)?, many("400", "", 400)?);
    let crates = [&with, &long, &many_as_told, &plain, &many, &twice, &without];
    // All once, so that only the touched file is left to check.
    crates.into_iter().try_for_each(|folder| check(folder).map(drop))?;
    let mut least = [Duration::MAX; 7];
    for _ in 0..5 {
        for (least, folder) in least.iter_mut().zip(crates) {
            *least = check(folder)?.min(*least);
        }
    }
    let [most, of_longest, of_many_as_told, of_plain, of_many, of_twice, least] = least;
    let more = most.saturating_sub(least);
    let each = |time: Duration| time.saturating_sub(least) / LONGEST_COPIES as u32;
    let without = format!("without them: {}", seconds(least));
    let of_each = |what: String, time: Duration, most: u64| {
        Row::new(
            what,
            seconds(time),
            without.clone(),
            format!("{} more each", seconds(each(time))),
            format!("at most {most} ms each"),
            each(time) <= Duration::from_millis(most),
        )
    };
    let lines = longest.lines().count();
    let mut rows = vec![
        Row::new(
            format!("cargo check after a touch, {} kernels", copies * kernels),
            seconds(most),
            format!("the same crate {without}"),
            format!("{:.2} s more", more.as_secs_f64()),
            "at most 1 s more",
            more <= Duration::from_secs(1),
        ),
        of_each(
            format!("the same, {LONGEST_COPIES} copies of the examples' longest kernel, `{name}`, {lines} lines"),
            of_longest,
            50,
        ),
        of_each("the same without README's `build-override`".to_string(), of_plain, 50),
        of_each(
            format!("{LONGEST_COPIES} kernels of 200 statements"),
            of_many_as_told,
            100,
        ),
        of_each("the same without README's `build-override`".to_string(), of_many, 100),
        Row::with_ratio(
            format!("likewise, {LONGEST_COPIES} kernels of 400 statements"),
            seconds(of_twice),
            format!("{without}; of 200 {} more each", seconds(each(of_many))),
            format!("{} more each", seconds(each(of_twice))),
        ),
    ];
    rows.extend(passes(&root)?);
    Ok(rows)
}

/// The name and the text of the longest kernel of the examples.
fn longest_example(root: &Path) -> Result<(String, String), Box<dyn std::error::Error>> {
    let mut longest = (String::new(), String::new());
    for entry in std::fs::read_dir(root.join("examples"))? {
        let path = entry?.path();
        let file = if path.is_dir() { path.join("main.rs") } else { path };
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        for (start, _) in text.match_indices("\n#[tt::kernel") {
            let kernel = &text[start + 1..];
            // A kernel ends where its function does: at the first brace in the first column.
            let Some(end) = kernel.find("\n}\n") else { continue };
            let kernel = &kernel[..end + 3];
            let name = kernel.split_once("fn ").and_then(|(_, rest)| rest.split_once('<'));
            if let Some((name, _)) = name
                && kernel.lines().count() > longest.1.lines().count()
            {
                longest = (name.to_string(), format!("use tt::prelude::*;\n{kernel}"));
            }
        }
    }
    if longest.0.is_empty() {
        return Err("the examples have no kernel".into());
    }
    Ok(longest)
}

/// A kernel with so many statements over two blocks.
fn of_statements(count: usize) -> String {
    let mut text = String::from(
        "use tt::prelude::*;\n#[tt::kernel]\nfn long<const M: usize, const N: usize>(a: &Tensor<f32, M, N>, b: &Tensor<f32, M, N>, c: &mut Tensor<f32, M, N>) {\n    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));\n    let x = T.alloc_fragment::<f32>(64, 64);\n    let y = T.alloc_fragment::<f32>(64, 64);\n    T.copy(a[(by * 64, bx * 64)], x);\n    T.copy(b[(by * 64, bx * 64)], y);\n",
    );
    for statement in 0..count {
        let (to, with) = if statement % 2 == 0 { ("x", "y") } else { ("y", "x") };
        let value = format!("{to}[(i, j)] = {to}[(i, j)] * 0.5 + {with}[(i, j)];");
        text += &format!("    for (i, j) in T.Parallel(64, 64) {{ {value} }}\n");
    }
    text + "    T.copy(x, c[(by * 64, bx * 64)]);\n}\n"
}

/// A crate whose library has `copies` modules with the kernels of a text.
fn crate_at(
    folder: &Path,
    root: &Path,
    profile: &str,
    source: &str,
    copies: usize,
) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"expansion\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ntt = {{ path = {:?} }}\n\n[workspace]\n\n{profile}",
        root.canonicalize()?.display().to_string()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut text = String::from("//! Kernels.\n");
    for copy in 0..copies {
        // Inner documentation cannot stand in the middle of a file.
        let body: String = source
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
        // One for all: what they depend on is built once a profile.
        .env("CARGO_TARGET_DIR", folder.with_file_name("target"))
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
