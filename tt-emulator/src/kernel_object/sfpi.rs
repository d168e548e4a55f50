//! Kernels in SFPI, the language of the vector unit inside C++: `vFloat x = dst_reg[0]; v_if (x < 0.0f) { .. } v_endif;`.
//!
//! It needs Tenstorrent's own compiler. The machine's C++ compiler refuses such a kernel for names it does not know; this
//! finds them in what it said, so that the refusal can say what is the matter.

/// Names of the language.
const WORDS: &[&str] = &[
    "sfpi.h",
    "sfpi",
    "vFloat",
    "vInt",
    "vUInt",
    "vMag",
    "vSMag",
    "dst_reg",
    "l_reg",
    "v_if",
    "v_elseif",
    "v_else",
    "v_and",
    "v_block",
    "v_endif",
    "v_endblock",
];

/// Where a compiler stumbled over the language.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub file: String,
    pub line: u32,
    pub word: &'static str,
}

/// The first name of the language that a compiler's words are about: `<file>:<line>:<column>: error: 'vFloat' ..`.
pub(super) fn in_output(output: &str) -> Option<Found> {
    output.lines().find_map(|text| {
        let mut fields = text.splitn(4, ':');
        let (file, line, column) = (fields.next()?, fields.next()?, fields.next()?);
        let line = line.parse().ok()?;
        column.parse::<u32>().ok()?;
        let word = word_in(fields.next()?)?;
        let file = file.to_owned();
        Some(Found { file, line, word })
    })
}

/// The name of the language that stands in a text as a word of its own.
fn word_in(text: &str) -> Option<&'static str> {
    let is_part = |symbol: char| symbol.is_alphanumeric() || symbol == '_' || symbol == '.';
    let mut words = text.split(|symbol| !is_part(symbol));
    words.find_map(|word| WORDS.iter().copied().find(|known| *known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_language_are_found_in_both_compilers_words() {
        let found = |output| in_output(output).map(|found| (found.file, found.line, found.word));
        let gcc = "add.cpp: In function 'void face()':\nadd.cpp:7:5: error: 'vFloat' was not declared in this scope\n    7 | vFloat a;";
        assert_eq!(found(gcc), Some(("add.cpp".to_owned(), 7, "vFloat")));
        let clang = "lib/add.h:9:3: error: use of undeclared identifier 'v_if'\n";
        assert_eq!(found(clang), Some(("lib/add.h".to_owned(), 9, "v_if")));
        let header = "add.cpp:1:10: fatal error: sfpi.h: No such file or directory\n";
        assert_eq!(found(header), Some(("add.cpp".to_owned(), 1, "sfpi.h")));
        assert_eq!(
            found("add.cpp:7:5: error: 'my_vFloat' was not declared\nvFloat: 3"),
            None
        );
    }
}
