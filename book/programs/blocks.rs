//! The blocks of code on the pages of the book, for those who make programs of them, run them and fill in what they print.
//!
//! The words behind the fence say what a block is: `rust NAME` is a program, `LANGUAGE NAME` what it prints, and `LANGUAGE PATH`
//! the file at that path of the repository. Others are neither compiled nor compared, and have one word.

#![allow(dead_code, reason = "who includes this module uses parts of it")]

use std::path::{Path, PathBuf};
use std::{fs, io};

/// A page of the book.
pub struct Page {
    /// Where it is.
    pub path: PathBuf,
    /// What stands there.
    pub text: String,
}

/// A block of code.
pub struct Block {
    /// The words behind the fence.
    pub words: Vec<String>,
    /// What it shows, and where that lies in the text of the page.
    pub text: String,
    /// The first byte of it, and the first behind it.
    pub place: (usize, usize),
}

impl Block {
    /// The program that it is or that printed it; else empty.
    pub fn name(&self) -> &str {
        match self.words.get(1) {
            Some(name) if !name.contains('/') => name,
            Some(_) | None => "",
        }
    }

    /// Whether it is a program.
    pub fn is_program(&self) -> bool {
        self.words.first().is_some_and(|word| word == "rust") && !self.name().is_empty()
    }

    /// Whether it is what a program prints.
    pub fn is_printed(&self) -> bool {
        !self.is_program() && !self.name().is_empty()
    }

    /// The file of the repository that it shows.
    pub fn file(&self) -> Option<&str> {
        self.words.get(1).map(String::as_str).filter(|path| path.contains('/'))
    }
}

/// The pages in `folder` that are written by hand, by name.
///
/// # Errors
/// What cannot be read.
pub fn pages(folder: &Path) -> io::Result<Vec<Page>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path)?;
            if !text.contains("Written by `cargo xtask book`") {
                pages.push(Page { text, path });
            }
        }
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pages)
}

/// The blocks of code of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(Vec<String>, usize)> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let next = at + line.len();
        match (line.trim_end().strip_prefix("```"), open.take()) {
            (Some(words), None) => open = Some((words.split_whitespace().map(str::to_string).collect(), next)),
            (Some(""), Some((words, from))) => blocks.push(Block {
                words,
                text: page[from..at].to_string(),
                place: (from, at),
            }),
            (_, still) => open = still,
        }
        at = next;
    }
    blocks
}
