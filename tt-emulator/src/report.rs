//! What the emulator says when a program breaks a rule.

use std::fmt;

use crate::rules::Rule;

/// A RISC of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RiscName {
    /// RISCV_0, data movement, by convention the writer.
    Brisc,
    /// RISCV_1, data movement, by convention the reader.
    Ncrisc,
    /// The compute RISCs, which the emulator runs as one.
    Trisc,
}

impl RiscName {
    /// Position in a core's list of RISCs.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The role a kernel on this RISC has by convention.
    pub fn role(self) -> &'static str {
        match self {
            RiscName::Brisc => "writer",
            RiscName::Ncrisc => "reader",
            RiscName::Trisc => "compute",
        }
    }
}

impl fmt::Display for RiscName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RiscName::Brisc => "BRISC",
            RiscName::Ncrisc => "NCRISC",
            RiscName::Trisc => "TRISC",
        })
    }
}

/// Where in a running program something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the kernel's file.
    pub kernel: String,
    /// Logical coordinates of the core.
    pub core: (usize, usize),
    /// The RISC.
    pub risc: RiscName,
    /// Line of the emitted source.
    pub line: u32,
    /// What the emitted source has there.
    pub code: String,
    /// The user's source, from the nearest comment `// file.rs:line: statement` above the line.
    pub source: Option<SourceMarker>,
}

/// A place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMarker {
    /// File and line.
    pub line: String,
    /// The statement there; empty where the comment has none.
    pub statement: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.core;
        write!(
            f,
            "{}:{}, {} kernel on core ({x},{y}), {}",
            self.kernel,
            self.line,
            self.risc.role(),
            self.risc
        )?;
        if let Some(source) = &self.source {
            write!(f, ", from {}", source.line)?;
        }
        let emitted = quote(&format!("{}:{}", self.kernel, self.line), &self.code);
        let source = self.source.as_ref().map(SourceMarker::quoted);
        write!(f, "{emitted}{}", source.unwrap_or_default())
    }
}

impl SourceMarker {
    /// The statement as a line of a report; nothing where the comment has none.
    pub(crate) fn quoted(&self) -> String {
        quote(&self.line, &self.statement)
    }
}

/// A line of a source as a line of a report; nothing where nothing stands there.
pub(crate) fn quote(place: &str, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("\n     {place} | {text}"),
    }
}

/// A broken rule: what, where, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The rule.
    pub rule: &'static Rule,
    /// Where it happened; launches break rules before any kernel runs.
    pub place: Option<Place>,
    /// What was seen.
    pub detail: String,
}

impl Report {
    /// A report about a program that was refused before it ran.
    pub(crate) fn launch(rule: &'static Rule, detail: impl Into<String>) -> Box<Report> {
        Box::new(Report {
            rule,
            place: None,
            detail: detail.into(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.rule.code, self.rule.title, self.detail)?;
        if let Some(place) = &self.place {
            write!(f, "\n  at {place}")?;
        }
        write!(f, "\n  rule: {} [{}]", self.rule.explanation, self.rule.source)?;
        write!(
            f,
            "\n  more: `cargo xtask explain {}` in the folder of tt",
            self.rule.code
        )
    }
}

impl std::error::Error for Report {}

/// Line `line` (counted from 1) of an emitted source, and the nearest comment `// <file>.rs:<line>` at or above it.
pub(crate) fn cited(source: &str, line: u32) -> (String, Option<SourceMarker>) {
    let above: Vec<&str> = source.lines().take(line as usize).collect();
    let code = above.last().filter(|_| above.len() == line as usize);
    let marker = above
        .iter()
        .rev()
        .find_map(|text| marker(text))
        .map(|(_, marker)| marker);
    (code.map_or("", |code| code.trim()).to_owned(), marker)
}

/// The comment of an emitted source that says what stands in `line` of the user's.
pub(crate) fn statement_of(source: &str, line: u32) -> Option<SourceMarker> {
    let mut markers = source.lines().filter_map(marker);
    markers
        .find(|(number, marker)| *number == line && !marker.statement.is_empty())
        .map(|(_, marker)| marker)
}

/// What a comment `// <file>.rs:<line>: <statement>` in a line of an emitted source says, and its line.
fn marker(text: &str) -> Option<(u32, SourceMarker)> {
    let comment = text.split_once("//")?.1;
    comment.split_whitespace().find_map(|word| {
        let line = word.trim_end_matches([',', ';', ')', '.', ':']);
        let (file, number) = line.split_once(".rs:")?;
        let number = number.split(':').next()?.parse().ok().filter(|_| !file.is_empty())?;
        let said = comment
            .split_once(&format!("{line}: "))
            .map_or("", |(_, said)| said.trim());
        let marker = SourceMarker {
            line: line.to_owned(),
            statement: said.to_owned(),
        };
        Some((number, marker))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_is_the_nearest_above() {
        let source = "a\n// matmul.rs:3: T.clear(x)\n  b\n  c; // src/matmul.rs:7:5\nd\n";
        let marker = |line: &str, statement: &str| {
            let (line, statement) = (line.to_owned(), statement.to_owned());
            Some(SourceMarker { line, statement })
        };
        assert_eq!(cited(source, 1), ("a".to_owned(), None));
        assert_eq!(cited(source, 3), ("b".to_owned(), marker("matmul.rs:3", "T.clear(x)")));
        assert_eq!(cited(source, 5), ("d".to_owned(), marker("src/matmul.rs:7:5", "")));
        assert_eq!(cited(source, 9), (String::new(), marker("src/matmul.rs:7:5", "")));
        assert_eq!(statement_of(source, 3), marker("matmul.rs:3", "T.clear(x)"));
        assert_eq!([7, 4].map(|line| statement_of(source, line)), [None, None]);
    }
}
