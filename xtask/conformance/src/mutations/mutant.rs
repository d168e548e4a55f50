//! A mutant: one edit of the compiler's sources that breaks what it emits.

use std::path::{Path, PathBuf};

/// Which part of the compiler a mutant breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Splitting into three programs.
    D1,
    /// Tensor accessors.
    D2,
    /// The protocol of circular buffers and transfers.
    D3,
    /// Engine state.
    D4,
    /// Destination registers.
    D5,
    /// The code writer and its tables of names.
    Writer,
}

impl Part {
    /// Every part, in the order of the table.
    pub const ALL: [Part; 6] = [Part::D1, Part::D2, Part::D3, Part::D4, Part::D5, Part::Writer];

    /// The heading of the part.
    pub fn title(self) -> &'static str {
        match self {
            Part::D1 => "D1 split_kernel",
            Part::D2 => "D2 bind_tensor_accessors, and the signature that carries what it binds",
            Part::D3 => "D3 lower_cb_protocol",
            Part::D4 => "D4 insert_compute_init",
            Part::D5 => "D5 insert_dst_management",
            Part::Writer => "The code writer and its tables of names",
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
