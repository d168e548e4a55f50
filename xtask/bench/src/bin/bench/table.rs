//! The table of results, on the terminal and in BENCHMARKS.md.

use std::fmt::Write;
use std::path::Path;

/// One figure beside what it is compared to.
#[derive(Debug, Clone)]
pub struct Row {
    what: String,
    ours: String,
    other: String,
    ratio: String,
    target: String,
    met: Option<bool>,
}

impl Row {
    /// `ours` against `other`, whose ratio is to be as `target` says.
    pub fn new(
        what: impl Into<String>,
        ours: impl Into<String>,
        other: impl Into<String>,
        ratio: impl Into<String>,
        target: impl Into<String>,
        met: bool,
    ) -> Row {
        Row {
            what: what.into(),
            ours: ours.into(),
            other: other.into(),
            ratio: ratio.into(),
            target: target.into(),
            met: Some(met),
        }
    }

    /// A figure without a target.
    pub fn plain(what: impl Into<String>, ours: impl Into<String>, other: impl Into<String>) -> Row {
        Row {
            met: None,
            ..Row::new(what, ours, other, "", "", false)
        }
    }

    /// A figure without a target, beside what it is a share of.
    pub fn with_ratio(
        what: impl Into<String>,
        ours: impl Into<String>,
        other: impl Into<String>,
        ratio: impl Into<String>,
    ) -> Row {
        Row {
            met: None,
            ..Row::new(what, ours, other, ratio, "", false)
        }
    }

    /// A measurement that could not be made.
    pub fn missing(what: &str, reason: &str) -> Row {
        Row {
            met: Some(false),
            ..Row::new(
                what,
                format!("not measured: {}", reason.replace('\n', " ")),
                "",
                "",
                "",
                false,
            )
        }
    }

    fn verdict(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        }
    }

    /// All of it in a line.
    pub fn line(&self) -> String {
        let Row {
            what,
            ours,
            other,
            ratio,
            target,
            ..
        } = self;
        format!("{what}: {ours} | {other} | {ratio} | {target} {}", self.verdict())
    }
}

/// Measurements with their rows.
pub type Sections = [(&'static str, Vec<Row>)];

/// The table as Markdown, which reads well enough on a terminal.
pub fn text(sections: &Sections) -> String {
    let head = ["measurement", "ours", "compared to", "ratio", "target", ""].map(str::to_string);
    let rows: Vec<[String; 6]> = sections
        .iter()
        .flat_map(|(_, rows)| rows)
        .map(|row| {
            let Row {
                what,
                ours,
                other,
                ratio,
                target,
                ..
            } = row.clone();
            [what, ours, other, ratio, target, row.verdict().to_string()]
        })
        .collect();
    let all = || std::iter::once(&head).chain(&rows);
    let widths: [usize; 6] = std::array::from_fn(|i| all().map(|row| row[i].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| {
            let pad = " ".repeat(width - cell.chars().count());
            format!(" {cell}{pad} ")
        });
        format!("|{}|\n", cells.collect::<Vec<_>>().join("|"))
    };
    let rule: String = widths
        .iter()
        .map(|width| format!("|{}", "-".repeat(width + 2)))
        .collect();
    let mut text = line(&head);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{rule}|");
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

const BEGIN: &str = "<!-- measured: written by `cargo xtask bench` -->";
const END: &str = "<!-- end of measured -->";

/// Replaces what was measured in BENCHMARKS.md, one part per measurement in the order of `names`; what people wrote around
/// it stays, and so do parts that were not measured this time.
pub fn write(sections: &Sections, names: &[&str]) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../BENCHMARKS.md");
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let present = std::fs::read_to_string(&path).map_err(fail)?;
    let (before, rest) = present
        .split_once(BEGIN)
        .ok_or("BENCHMARKS.md has lost the mark of its measured part")?;
    let (measured, after) = rest
        .split_once(END)
        .ok_or("BENCHMARKS.md has lost the end of its measured part")?;
    let old = |name: &str| {
        let heading = format!("### {name}\n");
        let start = measured.find(&heading)?;
        let part = &measured[start..];
        let end = part[heading.len()..]
            .find("### ")
            .map_or(part.len(), |end| end + heading.len());
        Some(part[..end].trim_end().to_string())
    };
    let parts: Vec<String> = names
        .iter()
        .filter_map(|name| match sections.iter().find(|(measured, _)| measured == name) {
            Some(section) => Some(format!(
                "### {name}\n\n{}, `cargo xtask bench --only {name}`\n\n{}",
                machine(),
                text(std::slice::from_ref(section)).trim_end()
            )),
            None => old(name),
        })
        .collect();
    std::fs::write(
        &path,
        format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", parts.join("\n\n")),
    )
    .map_err(fail)
}

/// The processor and how many threads it gives.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, name)| name);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {threads} threads", model.unwrap_or("unknown processor").trim())
}
