//! Every diagnostic as a user sees it: each `.rs` file of `tests/ui/cases` is expanded as the attribute expands it, and what
//! rustc would print for that is the `.stderr` beside it. That rustc does print it so is what `tests/ui.rs` shows for some of
//! them. `TT_BLESS=1 cargo test -p tt-macros` rewrites the pages; review them like code.

mod expansion;
mod expected;
mod page;

use std::fs;
use std::path::Path;

/// Where the cases are, as rustc names it.
const FOLDER: &str = "tests/ui/cases";

#[test]
fn mistakes_are_reported_where_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
    expected::check(&folder, "cargo test -p tt-macros", |case| {
        said(&folder, case).map_err(|problem| format!("{case}.rs: {problem}"))
    });
}

/// What rustc prints for `case`, or why it is none.
fn said(folder: &Path, case: &str) -> Result<String, String> {
    let text = fs::read_to_string(folder.join(format!("{case}.rs"))).map_err(|error| error.to_string())?;
    let reports = expansion::reports(&format!("{case}.rs"), &text)?;
    page::page(&format!("{FOLDER}/{case}.rs"), &text, &reports)
}
