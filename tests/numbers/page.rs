//! The tables of docs/numbers.md.

use std::path::Path;
use std::sync::Mutex;

/// One test at a time has the page.
static PAGE: Mutex<()> = Mutex::new(());

/// Fails unless the page has `table` between the comments that carry its name; with `TT_BLESS`, puts it there.
pub fn hold(name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/numbers.md");
    let _alone = PAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let text = std::fs::read_to_string(&path).expect("docs/numbers.md");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = text.split_once(&begin).expect("the comment before the table");
    let (known, after) = rest.split_once(&end).expect("the comment after the table");
    if std::env::var_os("TT_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("docs/numbers.md is written");
        return;
    }
    assert_eq!(table, known, "{name} of docs/numbers.md; `TT_BLESS=1` rewrites it");
}
