//! Embeds the device headers, writes those of the tables and numbers that cross between Rust and C++ and of the plain calls of the
//! SFPU, and tells dependents where the host headers and sources lie.
//!
//! `links = "tt_emulator"`: a direct dependent's build script finds `DEP_TT_EMULATOR_HOST_INCLUDE` (include directory),
//! `DEP_TT_EMULATOR_HOST_SOURCES` (directory of the C++ files to compile with it) and `DEP_TT_EMULATOR_HOST_TABLES` (include
//! directory of what those share with the engine).

// What has no other crate's names, so that the build script can write its figures for C++.
#[allow(dead_code, reason = "not all that the crate has crosses to C++")]
#[path = "../src/arch.rs"]
mod arch;
mod cpp;
#[path = "../src/data_format.rs"]
mod data_format;
#[allow(dead_code, reason = "not all that the crate has crosses to C++")]
#[path = "../src/enumerations.rs"]
mod enumerations;
mod numbers;
mod sfpu;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let include = root.join("device/include");
    let mut headers = Vec::new();
    collect(&include, &mut headers)?;
    headers.sort();
    let mut table = String::from("&[\n");
    let mut embed = |name: &Path, header: &Path| {
        let (name, header) = (name.display().to_string(), header.display().to_string());
        let _ = writeln!(table, "    ({name:?}, include_str!({header:?})),");
    };
    for header in &headers {
        embed(header.strip_prefix(&include).map_err(io::Error::other)?, header);
    }
    let tables = out.join("tables.h");
    fs::write(&tables, cpp::kernel_tables())?;
    embed(Path::new("emulator/tables.h"), &tables);
    for (name, text) in [
        ("data_format.h", numbers::device_header("")),
        ("compute_enumerations.h", numbers::device_header("ckernel")),
        ("figures.h", numbers::figures()),
        ("stride_checks.h", numbers::stride_checks()),
    ] {
        let header = out.join(name);
        fs::write(&header, text)?;
        embed(&Path::new("emulator").join(name), &header);
    }
    // A header that has more than its plain calls includes them.
    for (header, text) in sfpu::plain_calls() {
        let by_hand = include.join("api/compute").join(header).exists();
        let name = Path::new(if by_hand { "emulator/plain" } else { "api/compute" }).join(header);
        let plain = out.join(&name);
        fs::create_dir_all(plain.parent().unwrap_or(&out))?;
        fs::write(&plain, text)?;
        embed(&name, &plain);
    }
    let host = out.join("host");
    fs::create_dir_all(&host)?;
    fs::write(host.join("engine_tables.h"), cpp::host_tables())?;
    fs::write(host.join("engine_checks.h"), numbers::host_checks())?;
    table.push_str("]\n");
    fs::write(out.join("device_headers.rs"), table)?;
    println!("cargo::rerun-if-changed=device/include");
    println!("cargo::rerun-if-changed=host");
    // The tests load the C++ host API as a shared library that calls back into the test binary.
    println!("cargo::rustc-link-arg-tests=-rdynamic");
    compile_apart(&root, &out);
    println!("cargo::metadata=host_include={}", root.join("host/include").display());
    println!("cargo::metadata=host_tables={}", host.display());
    println!("cargo::metadata=host_sources={}", root.join("host/src").display());
    Ok(())
}

/// Compiles what takes time as a crate of its own, optimised, where Cargo asks for no optimisation of this one (`src/apart.rs`).
fn compile_apart(root: &Path, out: &Path) {
    println!("cargo::rustc-check-cfg=cfg(tt_emulator_apart)");
    println!("cargo::rerun-if-changed=src");
    let level = env::var("OPT_LEVEL").unwrap_or_default();
    if env::var_os("CARGO_FEATURE_ENGINE").is_none() || !matches!(level.as_str(), "0" | "1") {
        return;
    }
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args([
        "--crate-name",
        "tt_emulator_calculation",
        "--crate-type",
        "rlib",
        "--edition",
        "2024",
    ]);
    command.args([
        "-C",
        "opt-level=3",
        "-C",
        "debuginfo=0",
        "-C",
        "metadata=tt-emulator-apart",
        "--cap-lints",
        "allow",
    ]);
    command.args(["--cfg", "feature=\"engine\""]);
    let variable = |name| env::var(name).unwrap_or_default();
    if variable("TARGET") != variable("HOST") {
        command.args(["--target", &variable("TARGET")]);
    }
    command.args(
        variable("CARGO_ENCODED_RUSTFLAGS")
            .split('\x1f')
            .filter(|flag| !flag.is_empty()),
    );
    command.arg("--out-dir").arg(out).arg(root.join("src/apart.rs"));
    match command.output() {
        Ok(output) if output.status.success() => {
            println!("cargo::rustc-cfg=tt_emulator_apart");
            println!("cargo::rustc-link-search={}", out.display());
            show_to_rustdoc(out);
        }
        failed => {
            let why = match failed {
                Ok(output) => String::from_utf8_lossy(&output.stderr)
                    .lines()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join("; "),
                Err(error) => error.to_string(),
            };
            println!(
                "cargo::warning=the emulator will be many times slower than it could be, since it is built without optimisation \
                 and its calculations could not be compiled apart ({why}); `--release` helps"
            );
        }
    }
}

/// Cargo tells rustdoc no link paths, but looks for what crates depend on among all dependencies: the library stands there too.
fn show_to_rustdoc(out: &Path) {
    let Some(package) = out.parent() else { return };
    let (Some(profile), Some(of)) = (package.parent().and_then(Path::parent), package.file_name()) else {
        return;
    };
    let dependencies = profile.join("deps");
    if dependencies.is_dir() {
        let name = format!("libtt_emulator_calculation-{}.rlib", of.to_string_lossy());
        // Where it cannot be, only `cargo doc` misses it, and says so.
        let _ = fs::copy(out.join("libtt_emulator_calculation.rlib"), dependencies.join(name));
    }
}

fn collect(directory: &Path, headers: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, headers)?;
        } else {
            headers.push(path);
        }
    }
    Ok(())
}
