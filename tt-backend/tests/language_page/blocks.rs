//! The blocks of code of docs/language.md. `tests/language_page.rs` of the facade, which runs them, is made of this module too.

use tt_lang::syntax::{Parsed, parse_item_fn};

/// The page.
pub const PAGE: &str = include_str!("../../../docs/language.md");

/// The line of the frame that statements take the place of.
const MARK: &str = "    // here\n";

/// What the page says becomes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// It computes what the reference says.
    Right,
    /// The macro refuses it, with these codes.
    Refused,
    /// It is right, and rustc warns with these codes.
    Warned,
    /// A launch on the emulator stops, with this code.
    Stops,
}

/// A block of code and what the page says of it.
pub struct Block {
    /// Its first line on the page.
    pub line: usize,
    /// A kernel: statements stand in the frame.
    pub source: String,
    /// Whether it shows statements only.
    pub is_fragment: bool,
    pub says: Says,
    pub codes: Vec<String>,
}

impl Block {
    /// The kernel.
    ///
    /// # Panics
    /// Where it is none.
    pub fn read(&self) -> Parsed {
        let file = syn::parse_file(&self.source).unwrap_or_else(|error| panic!("line {}: {error}", self.line));
        match file.items.as_slice() {
            [syn::Item::Fn(function)] => parse_item_fn(function, "language.md"),
            _ => None,
        }
        .unwrap_or_else(|| panic!("line {}: no kernel", self.line))
    }
}

/// Every block of Rust on the page.
///
/// # Panics
/// Where a block is marked as none can be.
pub fn blocks() -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = PAGE.lines().enumerate();
    while let Some((line, text)) = lines.next() {
        let Some(info) = text.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace();
        assert_eq!(words.next(), Some("rust"), "line {}: {text}", line + 1);
        let says = match words.next() {
            None => Says::Right,
            Some("refused") => Says::Refused,
            Some("warned") => Says::Warned,
            Some("stops") => Says::Stops,
            Some(other) => panic!("line {}: `{other}`", line + 1),
        };
        let shown: String = lines
            .by_ref()
            .map(|(_, text)| text)
            .take_while(|text| *text != "```")
            .fold(String::new(), |source, text| source + text + "\n");
        let is_fragment = !shown.contains("#[tt::kernel");
        let source = match blocks.first() {
            Some(frame) if is_fragment => frame.source.replace(MARK, &shown),
            Some(_) | None => shown,
        };
        blocks.push(Block {
            line: line + 2,
            source,
            is_fragment,
            says,
            codes: words.map(str::to_string).collect(),
        });
    }
    assert!(blocks.len() > 30, "{} blocks", blocks.len());
    assert!(blocks[0].source.contains(MARK), "{}", blocks[0].source);
    blocks
}
