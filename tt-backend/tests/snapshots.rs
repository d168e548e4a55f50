//! The three kernels written and the plan, of kernels that differ in kind: `tests/snapshots/<kernel>/`. What each pass does has
//! cases of its own (`tests/passes`). `TT_BLESS=1` rewrites the snapshots: review the difference like code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tt_backend::Artifact;

const KERNELS: [(&str, &str); 2] = [
    ("classic.rs", include_str!("kernels/classic.rs")),
    ("assorted.rs", include_str!("kernels/assorted.rs")),
];

/// Every kernel of the test files with its artifact.
fn artifacts() -> Vec<(String, Artifact)> {
    let mut out = Vec::new();
    for (file, text) in KERNELS {
        for item in syn::parse_file(text).expect("the test kernels are Rust").items {
            let syn::Item::Fn(function) = item else { continue };
            let Some(parsed) = tt_lang::syntax::parse_item_fn(&function, file) else {
                continue;
            };
            let kernel = parsed
                .kernel
                .unwrap_or_else(|| panic!("{file}: {:#?}", parsed.diagnostics));
            let artifact = tt_backend::compile(&kernel).unwrap_or_else(|errors| panic!("{}: {errors:#?}", kernel.name));
            out.push((kernel.name, artifact));
        }
    }
    out
}

fn folder(kernel: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/snapshots")
        .join(kernel)
}

/// The files of one kernel: name and text.
fn files(artifact: &Artifact) -> BTreeMap<String, String> {
    let written = [
        ("reader.cpp", &artifact.reader),
        ("compute.cpp", &artifact.compute),
        ("writer.cpp", &artifact.writer),
        ("tt.plan.json", &artifact.plan),
    ];
    written
        .map(|(name, text)| (name.to_string(), text.clone()))
        .into_iter()
        .collect()
}

/// The first line in which two texts differ, with what stands there.
fn first_difference(expected: &str, found: &str) -> String {
    let (mut old, mut new) = (expected.lines(), found.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return "they differ in line breaks".to_string(),
            (old, new) if old != new => {
                let show = |line: Option<&str>| line.unwrap_or("(the end)").to_string();
                return format!("line {number}\n  - {}\n  + {}", show(old), show(new));
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_written_is_what_was_written_before() {
    let bless = std::env::var_os("TT_BLESS").is_some();
    let mut changed = Vec::new();
    let artifacts = artifacts();
    assert!(artifacts.len() >= 12, "a dozen kernels that differ in kind");
    for (kernel, artifact) in artifacts {
        let folder = folder(&kernel);
        let files = files(&artifact);
        if bless {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            for (name, text) in &files {
                fs::write(folder.join(name), text).unwrap();
            }
            continue;
        }
        for (name, text) in &files {
            match fs::read_to_string(folder.join(name)) {
                Ok(expected) if expected == *text => {}
                Ok(expected) => changed.push(format!("{kernel}/{name}: {}", first_difference(&expected, text))),
                Err(error) => changed.push(format!("{kernel}/{name}: {error}")),
            }
        }
        let stale = fs::read_dir(&folder).into_iter().flatten().flatten();
        for file in stale.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
            if !files.contains_key(&file) {
                changed.push(format!("{kernel}/{file}: nothing writes it any more"));
            }
        }
    }
    assert!(
        changed.is_empty(),
        "TT_BLESS=1 rewrites the snapshots\n{}",
        changed.join("\n")
    );
}

#[test]
fn the_same_kernel_gives_the_same_text() {
    let digests = || {
        artifacts()
            .into_iter()
            .map(|(name, artifact)| (name, artifact.digest()))
            .collect::<Vec<_>>()
    };
    assert_eq!(digests(), digests());
}
