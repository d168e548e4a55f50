//! Every diagnostic as a user sees it: each `.rs` file of `tests/ui/cases` is expanded as the attribute expands it, and what
//! rustc would print for that is the `.stderr` beside it. That rustc does print it so is what `tests/ui.rs` shows for some of
//! them. `TT_BLESS=1 cargo test -p tt-macros` rewrites the pages; review them like code.

mod expansion;
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the cases are, as rustc names it.
const FOLDER: &str = "tests/ui/cases";

#[test]
fn mistakes_are_reported_where_they_stand() {
    let bless = std::env::var_os("TT_BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
    let (cases, mut pages) = (stems(&folder, "rs"), stems(&folder, "stderr"));
    let mut wrong = Vec::new();
    for case in &cases {
        let known = pages.remove(case);
        let page = folder.join(format!("{case}.stderr"));
        match said(&folder, case) {
            Err(problem) => wrong.push(format!("{case}.rs: {problem}")),
            Ok(said) if bless => fs::write(&page, said).expect("the page can be written"),
            Ok(_) if !known => wrong.push(format!("{case}.rs: {case}.stderr is missing")),
            Ok(said) => {
                let expected = fs::read_to_string(&page).expect("the page can be read");
                if said != expected {
                    wrong.push(format!("{case}.rs:\n{}", difference(&expected, &said)));
                }
            }
        }
    }
    for page in pages {
        match bless {
            true => fs::remove_file(folder.join(format!("{page}.stderr"))).expect("the page can be removed"),
            false => wrong.push(format!("{page}.stderr: there is no {page}.rs")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases; `TT_BLESS=1 cargo test -p tt-macros` rewrites their pages\n\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n\n")
    );
}

/// The names of the files in `folder` that end so, without that.
fn stems(folder: &Path, extension: &str) -> BTreeSet<String> {
    let paths = fs::read_dir(folder).expect("the folder of cases");
    let paths = paths.map(|entry| entry.expect("an entry").path());
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_string());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(name)
        .collect()
}

/// What rustc prints for `case`, or why it is none.
fn said(folder: &Path, case: &str) -> Result<String, String> {
    let text = fs::read_to_string(folder.join(format!("{case}.rs"))).map_err(|error| error.to_string())?;
    let reports = expansion::reports(&format!("{case}.rs"), &text)?;
    page::page(&format!("{FOLDER}/{case}.rs"), &text, &reports)
}

/// The lines from the first to the last that differ.
fn difference(expected: &str, found: &str) -> String {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (mut old, mut new) = (old.split_off(same), new.split_off(same));
    while old.last().is_some_and(|last| new.last() == Some(last)) {
        old.pop();
        new.pop();
    }
    let old = old.iter().map(|line| format!("  - {line}"));
    let new = new.iter().map(|line| format!("  + {line}"));
    old.chain(new).collect::<Vec<_>>().join("\n")
}
