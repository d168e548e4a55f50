//! Real kernels, and the Tile IR they give. `UPDATE_SNAPSHOTS=1 cargo test -p tt-lang` rewrites the `.tile` files.

use super::super::{parse_item_fn, render_text};
use std::fmt::Write;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/syntax/tests/kernels")
}

/// The Tile IR of every kernel of a file.
fn tile_ir(name: &str, source: &str) -> String {
    let file: syn::File = syn::parse_str(source).expect("it is Rust");
    let mut text = String::new();
    for item in &file.items {
        let syn::Item::Fn(function) = item else { continue };
        let Some(parsed) = parse_item_fn(function, name) else {
            continue;
        };
        for diagnostic in &parsed.diagnostics {
            let _ = writeln!(text, "{}", render_text(diagnostic, parsed.spans.locations(), name));
        }
        if let Some(kernel) = &parsed.kernel {
            let _ = writeln!(text, "{kernel}");
        }
    }
    text
}

#[test]
fn every_kernel_gives_the_tile_ir_beside_it() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of kernels")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    sources.sort();
    assert!(sources.len() >= 6, "the programs are here");
    for path in sources {
        let source = std::fs::read_to_string(&path).expect("a source");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let found = tile_ir(&name, &source);
        let snapshot = path.with_extension("tile");
        if update {
            std::fs::write(&snapshot, &found).expect("the snapshot can be written");
        }
        let expected = std::fs::read_to_string(&snapshot).unwrap_or_default();
        assert_eq!(
            found, expected,
            "{name}: run with UPDATE_SNAPSHOTS=1 and review the difference"
        );
        assert!(!found.contains("error["), "{name} has errors:\n{found}");
    }
}
