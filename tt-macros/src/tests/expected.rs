//! A folder of cases: what is said of each `.rs` file stands in the `.stderr` beside it. `tests/ui.rs` of the facade is made of
//! this module too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Holds what `said` gives for each case in `folder`, or why it gives nothing, to what is expected there. Under `TT_BLESS` it is
/// what is expected from now on; `test` is the command that is run for that.
pub fn check(folder: &Path, test: &str, said: impl Fn(&str) -> Result<String, String>) {
    let bless = std::env::var_os("TT_BLESS").is_some();
    let (cases, mut pages) = (stems(folder, "rs"), stems(folder, "stderr"));
    let mut wrong = Vec::new();
    for case in &cases {
        pages.remove(case);
        match said(case) {
            Ok(said) if bless => fs::write(page(folder, case), said).expect("the page can be written"),
            said => wrong.extend(said.and_then(|said| compare(folder, case, &said)).err()),
        }
    }
    for case in pages {
        match bless {
            true => fs::remove_file(page(folder, &case)).expect("the page can be removed"),
            false => wrong.push(format!("{case}.stderr: there is no {case}.rs")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases; `TT_BLESS=1 {test}` rewrites their pages\n\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n\n")
    );
}

/// How what is `said` of `case` differs from what is expected.
pub fn compare(folder: &Path, case: &str, said: &str) -> Result<(), String> {
    let expected =
        fs::read_to_string(page(folder, case)).map_err(|error| format!("{case}.rs: {case}.stderr: {error}"))?;
    match said == expected {
        true => Ok(()),
        false => Err(format!("{case}.rs:\n{}", difference(&expected, said))),
    }
}

fn page(folder: &Path, case: &str) -> PathBuf {
    folder.join(format!("{case}.stderr"))
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
