//! What only rustc can show: its own errors where a kernel is called or is no Rust, in `tests/ui`, and, for a few of the cases
//! in `tests/ui/cases`, that it prints their pages as `tt-macros` writes them. Each file is a crate that does not compile.
//! `TT_BLESS=1 cargo test -p tt --test ui` rewrites the pages in `tests/ui`; review them like code.
//!
//! rustc is run on the libraries that cargo made for this very test: nothing is compiled a second time.

#[path = "../tt-macros/src/tests/expected.rs"]
mod expected;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Of every kind one: places in options, heads and bodies, several errors and several kernels in a file, kernels that leave
/// no module or nothing at all, warnings, and callers.
const CASES: [&str; 8] = [
    "backend_several",
    "callers_are_quiet",
    "kernel_in_impl",
    "kernel_name_taken",
    "not_a_function",
    "several_in_one",
    "several_kernels",
    "warnings",
];

#[test]
fn rustc_says_what_it_is_expected_to_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    expected::check(&folder, "cargo test -p tt --test ui", |case| said("tests/ui", case));
}

#[test]
fn rustc_prints_the_pages_that_are_written_without_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/cases");
    let check = |case| said("tests/ui/cases", case).and_then(|said| expected::compare(&folder, case, &said));
    let wrong: Vec<String> = CASES.into_iter().filter_map(|case| check(case).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases\n\n{}",
        wrong.len(),
        CASES.len(),
        wrong.join("\n\n")
    );
}

/// Its folder is where rustc runs, so that it names files as from here.
const WORKSPACE: &str = env!("CARGO_MANIFEST_DIR");

/// The library of the facade, as it was linked into this test.
static FACADE: LazyLock<PathBuf> = LazyLock::new(facade);

/// What rustc prints for the crate `folder/case.rs`, or why there is none.
fn said(folder: &str, case: &str) -> Result<String, String> {
    let metadata = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ui-{case}.rmeta"));
    let deps = FACADE.parent().expect("the library is in a folder");
    let output = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"))
        .current_dir(WORKSPACE)
        // Cargo sets it for this test; the case has no build script.
        .env_remove("OUT_DIR")
        .args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata"])
        // Types in full; that nobody calls a caller is no matter.
        .args(["--error-format", "json", "--verbose", "--allow", "dead_code"])
        .args(["--extern", &format!("tt={}", FACADE.display())])
        .args(["-L", &format!("dependency={}", deps.display())])
        .arg("-o")
        .arg(metadata)
        .arg(format!("{folder}/{case}.rs"))
        .output()
        .map_err(|error| format!("rustc cannot be run: {error}"))?;
    if output.status.success() {
        return Err(format!("{case}.rs: it compiles"));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let pages = text
        .lines()
        .map(|line| page(line).ok_or_else(|| format!("{case}.rs: {text}")))
        .collect::<Result<Vec<String>, String>>()?;
    let pages: Vec<String> = pages.into_iter().filter(|page| !is_summary(page)).collect();
    Ok(pages.join("\n"))
}

/// A diagnostic as rustc prints it, without blanks at the ends of lines and without what is this machine's.
fn page(diagnostic: &str) -> Option<String> {
    let diagnostic: Value = serde_json::from_str(diagnostic).ok()?;
    let toolchain = Path::new(env!("CARGO")).parent()?.parent()?;
    let library = toolchain.join("lib/rustlib/src/rust");
    let text = diagnostic["rendered"].as_str()?;
    let text = text
        .replace(library.to_str()?, "$RUST")
        .replace(WORKSPACE, "$WORKSPACE");
    Some(
        text.trim_end()
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect(),
    )
}

/// Whether it is one of those that end what rustc prints.
fn is_summary(page: &str) -> bool {
    [
        "error: aborting due to ",
        "For more information about ",
        "Some errors have detailed ",
    ]
    .iter()
    .any(|start| page.starts_with(start))
}

/// Asks cargo for it, which knows and has nothing to compile: the same packages are selected as they were for this test, as
/// their features decide which of the libraries in the folder it is.
fn facade() -> PathBuf {
    let packages: &[&str] = if cfg!(feature = "whole-workspace") {
        &["--workspace"]
    } else {
        &["--package", "tt"]
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it is in the target folder");
    let test = std::env::current_exe().expect("this test is a file");
    let profile = test
        .ancestors()
        .nth(2)
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let profile = match profile.expect("target/PROFILE/deps/ui") {
        "debug" => "test",
        other => other,
    };
    let output = Command::new(env!("CARGO"))
        .current_dir(WORKSPACE)
        .args([
            "test",
            "--no-run",
            "--offline",
            "--message-format",
            "json",
            "--test",
            "ui",
        ])
        .args(packages)
        .args(["--profile", profile, "--target-dir"])
        .arg(target)
        .output()
        .expect("cargo can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["kind"][0] == "lib")
        .filter(|message| message["target"]["name"] == "tt")
        .find_map(|message| message["filenames"][0].as_str().map(PathBuf::from))
        .unwrap_or_else(|| {
            panic!(
                "cargo names no library `tt`:\n{}",
                String::from_utf8_lossy(&output.stderr)
            )
        })
}
