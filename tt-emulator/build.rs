//! Embeds the device headers, and tells dependents where the host headers and sources lie.
//!
//! `links = "tt_emulator"`: a direct dependent's build script finds `DEP_TT_EMULATOR_HOST_INCLUDE` (include directory) and
//! `DEP_TT_EMULATOR_HOST_SOURCES` (directory of the C++ files to compile with it).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let include = root.join("device/include");
    let mut headers = Vec::new();
    collect(&include, &mut headers)?;
    headers.sort();
    let mut table = String::from("&[\n");
    for header in &headers {
        let name = header.strip_prefix(&include).map_err(io::Error::other)?;
        let _ = writeln!(
            table,
            "    ({:?}, include_str!({:?})),",
            name.display().to_string(),
            header.display().to_string()
        );
    }
    table.push_str("]\n");
    fs::write(out.join("device_headers.rs"), table)?;
    println!("cargo::rerun-if-changed=device/include");
    println!("cargo::rerun-if-changed=host");
    // The tests load the C++ host API as a shared library that calls back into the test binary.
    println!("cargo::rustc-link-arg-tests=-rdynamic");
    println!("cargo::metadata=host_include={}", root.join("host/include").display());
    println!("cargo::metadata=host_sources={}", root.join("host/src").display());
    Ok(())
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
