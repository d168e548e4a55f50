//! A mutant: one edit of the compiler's sources that breaks what it emits.

use std::path::{Path, PathBuf};

/// Which part of the compiler a mutant breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the host computes and hands over.
    Plan,
    /// The text of the kernels.
    Writer,
    /// The tables of names.
    Names,
}

impl Part {
    /// Every part, in the order of the table.
    pub const ALL: [Part; 3] = [Part::Plan, Part::Writer, Part::Names];

    /// The heading of the part.
    pub fn title(self) -> &'static str {
        match self {
            Part::Plan => "What the host computes and hands over, and how blocks lie in their buffers",
            Part::Writer => "The code writer",
            Part::Names => "The names that it writes",
        }
    }
}

/// One edit.
#[derive(Debug)]
pub struct Mutant {
    /// What it is called.
    pub name: &'static str,
    /// What it breaks.
    pub part: Part,
    /// What the compiler does wrong with it, in a few words.
    pub breaks: &'static str,
    /// The file, below `tt-backend/src`.
    pub file: &'static str,
    /// What stands there, exactly once.
    pub find: &'static str,
    /// What stands there instead.
    pub replace: &'static str,
}

impl Mutant {
    /// The file below `root`.
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join("tt-backend/src").join(self.file)
    }

    /// `text`, which is the file's, with the edit.
    ///
    /// # Errors
    /// Where the text to replace does not stand there exactly once.
    pub fn apply(&self, text: &str) -> Result<String, String> {
        match text.matches(self.find).count() {
            1 => Ok(text.replacen(self.find, self.replace, 1)),
            count => Err(format!(
                "mutant `{}`: what it replaces stands {count} times in tt-backend/src/{}, not once; bring it up to date:\n{}",
                self.name, self.file, self.find
            )),
        }
    }
}

/// Declares mutants: `name: "what it breaks", "file", "what stands there" => "what stands there instead";`
macro_rules! mutants {
    ($(#[$doc:meta])* $table:ident, $part:ident: $($name:ident: $breaks:literal, $file:expr, $find:literal => $replace:literal;)*) => {
        $(#[$doc])*
        pub const $table: &[$crate::mutations::mutant::Mutant] = &[$($crate::mutations::mutant::Mutant {
            name: stringify!($name),
            part: $crate::mutations::mutant::Part::$part,
            breaks: $breaks,
            file: $file,
            find: $find,
            replace: $replace,
        }),*];
    };
}
pub(crate) use mutants;
