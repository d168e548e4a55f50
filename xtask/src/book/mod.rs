//! `cargo xtask book`: the pages of the book that are made of tables, and the book as HTML.
//!
//! Whole pages are made by `pages`: operations, types, errors and passes. A page that is written by hand may have a table of the same
//! making between `<!-- table: NAME -->` and `<!-- end of table -->`, and shows a file of the repository where a block of code names one
//! behind its language. What programs print is written by the tests of `tt-book`.

#[path = "../../../book/programs/blocks.rs"]
mod blocks;
mod html;
mod pages;
mod timeline;

use crate::{explain, project};
use clap::Args;
use std::path::{Path, PathBuf};

/// Writes the pages of the book that are made of tables, and builds the book into target/book
///
/// mdBook is installed into target/tools the first time. Fails where a link of the book leads nowhere.
#[derive(Args)]
pub struct Options {
    /// Write no page; fail where one is not up to date
    #[arg(long)]
    check: bool,
    /// Draw the core that is busiest in a trace of TT_EMULATOR_TIMELINE as book/src/timeline.svg, and do nothing else
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
}

/// Does it.
///
/// # Errors
/// Where a page cannot be made or is out of date, mdBook cannot be had, or a link leads nowhere.
pub fn run(options: &Options) -> Result<(), String> {
    let source = project::root().join("book/src");
    if let Some(trace) = &options.timeline {
        return project::write(&source.join("timeline.svg"), timeline::drawn(&read(trace)?)?);
    }
    let mut outdated = Vec::new();
    for (path, text) in made(&source)? {
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if options.check {
            outdated.push(path.display().to_string());
        } else {
            project::write(&path, text)?;
            println!("{} written", path.display());
        }
    }
    if !outdated.is_empty() {
        return Err(format!("`cargo xtask book` writes {}", outdated.join(", ")));
    }
    html::built()
}

/// Every page that has something made in it, with its path.
fn made(source: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let rules = explain::rules()?;
    let mut all: Vec<(PathBuf, String)> = [
        ("operations.md", pages::operations()),
        ("types.md", pages::types()),
        ("errors.md", pages::errors(&explain::examples()?)),
        ("passes.md", pages::passes(&project::root().join("tt-backend/src"))?),
    ]
    .into_iter()
    .map(|(name, text)| (source.join(name), text))
    .collect();
    let by_hand = blocks::pages(source).map_err(|error| format!("cannot read {}: {error}", source.display()))?;
    for page in by_hand {
        let text = with_files(&page.text)?;
        let text = with_tables(&text, &rules).map_err(|wrong| format!("{}: {wrong}", page.path.display()))?;
        all.push((page.path, text));
    }
    Ok(all)
}

/// The page with the text of files in the blocks that name them.
fn with_files(page: &str) -> Result<String, String> {
    let mut text = page.to_string();
    // From the last one on, so that the places of those before it stay.
    for block in blocks::blocks(page).iter().rev() {
        if let Some(file) = block.file() {
            let (from, to) = block.place;
            text.replace_range(from..to, &read(&project::root().join(file))?);
        }
    }
    Ok(text)
}

const END: &str = "<!-- end of table -->";

/// The page with its tables.
fn with_tables(page: &str, rules: &[explain::Rule]) -> Result<String, String> {
    let mut parts = page.split("<!-- table: ");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(" -->").ok_or("a table without a name")?;
        let (_, after) = rest.split_once(END).ok_or("a table without an end")?;
        let table = match name {
            "rules" => pages::table_of_rules(rules),
            "passes" => pages::table_of_passes(),
            "elsewhere" => pages::table_of_words_elsewhere(),
            other => return Err(format!("there is no table `{other}`")),
        };
        text += &format!("<!-- table: {name} -->\n{table}{END}{after}");
    }
    Ok(text)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{blocks, made, with_tables};
    use crate::project;

    #[test]
    fn the_pages_are_as_the_tables_are() {
        let source = project::root().join("book/src");
        for (path, text) in made(&source).expect("the pages are made") {
            let old = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(old == text, "`cargo xtask book` writes {}", path.display());
        }
    }

    #[test]
    fn a_block_is_what_the_words_behind_its_fence_say() {
        let page = "a\n```rust first\nfn main() {}\n```\n\n```text first\n1\n```\n\n```text tests/x.stderr\n```\n\n```python\nx\n```\n";
        let blocks = blocks::blocks(page);
        let said: Vec<_> = blocks
            .iter()
            .map(|block| {
                (
                    block.is_program(),
                    block.is_printed(),
                    block.file(),
                    block.text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                (true, false, None, "fn main() {}\n"),
                (false, true, None, "1\n"),
                (false, false, Some("tests/x.stderr"), ""),
                (false, false, None, "x\n"),
            ]
        );
        assert_eq!(&page[blocks[1].place.0..blocks[1].place.1], "1\n");
    }

    #[test]
    fn a_table_that_there_is_not_is_named() {
        let page = "<!-- table: fish -->\n<!-- end of table -->\n";
        assert_eq!(with_tables(page, &[]), Err("there is no table `fish`".to_string()));
    }
}
