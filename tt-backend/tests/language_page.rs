//! docs/language.md says what is compiled and what is refused today: every block of code on it is held to that.

use std::fmt::Write;
use tt_lang::ir::{ELEMENT_OPS, ElementOpRow};
use tt_lang::syntax::{Parsed, parse_item_fn, render_text};

const PAGE: &str = include_str!("../../docs/language.md");

/// The line of the frame that statements take the place of.
const MARK: &str = "    // here\n";

/// A block of code and what the page says of it.
struct Block {
    /// Its first line on the page.
    line: usize,
    source: String,
    /// `refused` codes.
    refused: Vec<String>,
    /// `warned` codes.
    warned: Vec<String>,
}

/// Every block of Rust on the page.
fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = PAGE.lines().enumerate();
    while let Some((line, text)) = lines.next() {
        let Some(info) = text.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace();
        assert_eq!(words.next(), Some("rust"), "line {}: {text}", line + 1);
        let verdict = words.next();
        let codes: Vec<String> = words.map(str::to_string).collect();
        let source: String = lines
            .by_ref()
            .map(|(_, text)| text)
            .take_while(|text| *text != "```")
            .fold(String::new(), |source, text| source + text + "\n");
        let (refused, warned) = match verdict {
            None => (Vec::new(), Vec::new()),
            Some("refused") => (codes, Vec::new()),
            Some("warned") => (Vec::new(), codes),
            Some(other) => panic!("line {}: `{other}`", line + 1),
        };
        blocks.push(Block {
            line: line + 2,
            source,
            refused,
            warned,
        });
    }
    blocks
}

/// The kernel that `source` is.
fn read(source: &str) -> Option<Parsed> {
    let file = syn::parse_file(source).ok()?;
    match file.items.as_slice() {
        [syn::Item::Fn(function)] => parse_item_fn(function, "language.md"),
        _ => None,
    }
}

#[test]
fn every_block_of_the_language_page_is_compiled_or_refused_as_it_says() {
    let blocks = blocks();
    assert!(blocks.len() > 30, "{} blocks", blocks.len());
    let frame = blocks[0].source.clone();
    assert!(frame.contains(MARK), "{frame}");
    let mut wrong = String::new();
    for block in &blocks {
        let statements = !block.source.contains("#[tt::kernel");
        let source = if statements {
            frame.replace(MARK, &block.source)
        } else {
            block.source.clone()
        };
        let parsed = read(&source).unwrap_or_else(|| panic!("line {}: no kernel", block.line));
        let diagnostics = match &parsed.kernel {
            Some(kernel) => tt_backend::compile(kernel).err().unwrap_or_default(),
            None => parsed.diagnostics,
        };
        let found: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.to_string())
            .collect();
        if found != block.refused {
            let locations = parsed.spans.locations();
            let reports: Vec<String> = diagnostics
                .iter()
                .map(|diagnostic| render_text(diagnostic, locations, "block"))
                .collect();
            let _ = writeln!(
                wrong,
                "line {}: {:?}, found {found:?}\n{}",
                block.line,
                block.refused,
                reports.join("\n")
            );
        }
        let warned: Vec<String> = parsed.warnings.iter().map(|warning| warning.code.to_string()).collect();
        if !statements && block.refused.is_empty() && warned != block.warned {
            let _ = writeln!(
                wrong,
                "line {}: warned {:?}, found {warned:?}",
                block.line, block.warned
            );
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
