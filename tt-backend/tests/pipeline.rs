//! The table of passes and the page that shows it, and the paths of the glossary.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use tt_backend::PASSES;

const BEGIN: &str = "<!-- the table of passes, written by TT_BLESS=1 cargo test -p tt-backend --test pipeline -->\n";
const END: &str = "<!-- end of the table -->\n";

fn table() -> String {
    let mut out = String::from("| pass | does | takes | gives |\n|---|---|---|---|\n");
    for pass in PASSES {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            pass.name, pass.does, pass.takes, pass.gives
        );
    }
    out
}

#[test]
fn the_map_lists_every_pass() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
    let page = std::fs::read_to_string(&path).expect("the map is there");
    let (before, rest) = page.split_once(BEGIN).expect("the table begins");
    let (written, after) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("TT_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{}{END}{after}", table())).expect("the map can be written");
    } else {
        assert_eq!(written, table(), "TT_BLESS=1 writes the table");
    }
}

#[test]
fn every_pass_takes_what_the_one_before_it_gives() {
    let names: BTreeSet<&str> = PASSES.iter().map(|pass| pass.name).collect();
    assert_eq!(names.len(), PASSES.len(), "names are unique");
    for pair in PASSES.windows(2) {
        assert_eq!(pair[0].gives, pair[1].takes, "{} and {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn every_path_of_the_glossary_is_there() {
    let backend = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(backend.join("../docs/glossary.md")).expect("the glossary is there");
    let is_path = |word: &&str| !word.contains(' ') && (word.contains('/') || word.ends_with(".rs"));
    // What stands between backticks.
    let words = page.split('`').skip(1).step_by(2);
    let paths: BTreeSet<&str> = words.filter(is_path).collect();
    assert!(paths.len() > 50, "{paths:?}");
    for path in paths {
        let places = ["..", "src"].map(|folder| backend.join(folder).join(path));
        assert!(places.iter().any(|place| place.exists()), "{path}");
    }
}
