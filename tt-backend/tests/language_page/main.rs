//! docs/language.md says what is compiled and what is refused today: every block of code on it is held to that.

mod blocks;

use blocks::{PAGE, Says, blocks};
use std::fmt::Write;
use tt_lang::ir::{ELEMENT_OPS, ElementOpRow};
use tt_lang::syntax::render_text;

#[test]
fn every_block_of_the_language_page_is_compiled_or_refused_as_it_says() {
    let mut wrong = String::new();
    for block in &blocks() {
        let parsed = block.read();
        let expected = |says| {
            if block.says == says {
                block.codes.as_slice()
            } else {
                &[]
            }
        };
        let diagnostics = match &parsed.kernel {
            Some(kernel) => tt_backend::compile(kernel).err().unwrap_or_default(),
            None => parsed.diagnostics,
        };
        let found: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.to_string())
            .collect();
        let refused = expected(Says::Refused);
        if found != refused {
            let locations = parsed.spans.locations();
            let reports: Vec<String> = diagnostics
                .iter()
                .map(|diagnostic| render_text(diagnostic, locations, "block"))
                .collect();
            let _ = writeln!(
                wrong,
                "line {}: {refused:?}, found {found:?}\n{}",
                block.line,
                reports.join("\n")
            );
        }
        let warned: Vec<String> = parsed.warnings.iter().map(|warning| warning.code.to_string()).collect();
        if !block.is_fragment && block.says != Says::Refused && warned != expected(Says::Warned) {
            let _ = writeln!(wrong, "line {}: {:?}, warned {warned:?}", block.line, block.codes);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What numbers have as methods, wrapped as the page is.
fn methods() -> String {
    let is_method = |row: &&ElementOpRow| row.operator.is_none() || row.arity == 1;
    let mut lines = vec![String::new()];
    for row in ELEMENT_OPS.iter().filter(is_method) {
        let line = lines.last_mut().expect("there is a first line");
        if line.len() + row.name.len() + 3 > 130 {
            lines.push(format!("`{}`", row.name));
        } else {
            let space = if line.is_empty() { "" } else { " " };
            let _ = write!(line, "{space}`{}`", row.name);
        }
    }
    lines.join("\n") + "\n"
}

/// `TT_BLESS=1` writes the list.
#[test]
fn the_page_lists_every_operation() {
    let (before, rest) = PAGE.split_once("<!-- operations -->\n").expect("the comment before");
    let (known, after) = rest
        .split_once("<!-- end of operations -->")
        .expect("the comment after");
    let methods = methods();
    if std::env::var_os("TT_BLESS").is_some() {
        let page = format!("{before}<!-- operations -->\n{methods}<!-- end of operations -->{after}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/language.md");
        std::fs::write(path, page).expect("docs/language.md is written");
        return;
    }
    assert_eq!(known, methods, "`TT_BLESS=1` rewrites the list");
}

/// Codes that the page names in its text exist.
#[test]
fn the_page_names_codes_that_exist() {
    let known: Vec<String> = tt_lang::codes::ALL
        .iter()
        .chain(tt_backend::codes::CODES)
        .map(|code| code.to_string())
        .collect();
    for (at, _) in PAGE.match_indices("TT0") {
        let code = &PAGE[at..at + 6];
        assert!(known.iter().any(|known| known == code), "{code}");
    }
}
