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
    /// The user's source, from the nearest comment `// file.rs:line` above the line.
    pub source: Option<String>,
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
        match &self.source {
            Some(source) => write!(f, ", from {source}"),
            None => Ok(()),
        }
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
        write!(f, "\n  rule: {} [{}]", self.rule.explanation, self.rule.source)
    }
}

impl std::error::Error for Report {}

/// The nearest comment `// <file>.rs:<line>` at or above `line` (counted from 1) of an emitted source.
pub(crate) fn source_marker(source: &str, line: u32) -> Option<String> {
    let above: Vec<&str> = source.lines().take(line as usize).collect();
    above.iter().rev().find_map(|text| {
        let comment = text.split_once("//")?.1;
        comment.split_whitespace().find_map(|word| {
            let (file, number) = word.trim_end_matches([',', ';', ')', '.']).split_once(".rs:")?;
            let digits = number.split(':').next()?;
            (!file.is_empty() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| format!("{file}.rs:{number}"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_is_the_nearest_above() {
        let source = "a\n// matmul.rs:3\nb\n  c; // src/matmul.rs:7:5\nd\n";
        assert_eq!(source_marker(source, 1), None);
        assert_eq!(source_marker(source, 3).as_deref(), Some("matmul.rs:3"));
        assert_eq!(source_marker(source, 5).as_deref(), Some("src/matmul.rs:7:5"));
    }
}
