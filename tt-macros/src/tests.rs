//! Every diagnostic as a user sees it: each `.rs` file of `tests/ui/cases` is expanded as the attribute expands it, and what
//! rustc would print for that is the `.stderr` beside it. That rustc does print it so is what `tests/ui.rs` shows for some of
//! them. `TT_BLESS=1 cargo test -p tt-macros` rewrites the pages; review them like code.

mod expansion;
mod expected;
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tt_lang::diagnostic::Code;

/// Where the cases are, as rustc names it.
const FOLDER: &str = "tests/ui/cases";

#[test]
fn mistakes_are_reported_where_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
    expected::check(&folder, "cargo test -p tt-macros", |case| {
        said(&folder, case).map_err(|problem| format!("{case}.rs: {problem}"))
    });
}

/// Codes that no page shows, and why.
const WITHOUT_PAGE: [(&Code, &str); 1] = [(
    &tt_backend::codes::UNPROVED,
    "a fault of the compiler: a kernel that brings it is repaired, not kept",
)];

#[test]
fn every_code_has_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Those that only rustc can show stand beside the folder of cases.
    let folders = [root.join(FOLDER), root.join("tests/ui")];
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the folder of cases"));
    let paths = files.map(|file| file.expect("an entry").path());
    let pages = paths.filter(|path| path.extension().is_some_and(|found| found == "stderr"));
    let text: String = pages.map(|page| fs::read_to_string(page).expect("a page")).collect();
    let shown = |code: &Code| text.contains(&format!("error: {code}: ")) || text.contains(&format!("`_::{code}`: "));
    let all = tt_lang::codes::ALL.iter().chain(tt_backend::codes::CODES);
    let missing: BTreeSet<u16> = all.filter(|code| !shown(code)).map(|code| code.number).collect();
    let excused: BTreeSet<u16> = WITHOUT_PAGE.iter().map(|(code, _)| code.number).collect();
    assert_eq!(
        missing, excused,
        "codes without a page in {FOLDER}, and those of which it is said why"
    );
}

/// What rustc prints for `case`, or why it is none.
fn said(folder: &Path, case: &str) -> Result<String, String> {
    let text = fs::read_to_string(folder.join(format!("{case}.rs"))).map_err(|error| error.to_string())?;
    let reports = expansion::reports(&format!("{case}.rs"), &text)?;
    page::page(&format!("{FOLDER}/{case}.rs"), &text, &reports)
}
