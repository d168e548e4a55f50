//! Layouts, read out of the library's machine code.
//!
//! `tt-emulator/host/src/layout.inc` says what each member's offset and each class's size is, and in which function of the
//! library that shows. Our headers are held to the numbers by every build (`layout.cpp`); here the library is.

use super::library::Library;
use super::machine_code::{Access, Function};
use std::path::Path;

/// How a function shows a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// It does nothing but give back the address of the argument plus the number.
    Returns,
    /// The first that it reads or writes of the argument is there.
    Reads,
    /// It reads or writes the argument there, or takes that address.
    Uses,
    /// It allocates an object of that many bytes.
    Allocates,
    /// It goes through an array by that many bytes.
    Steps,
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    value: i64,
    expression: String,
    evidence: Evidence,
    /// Which argument, from zero.
    argument: usize,
    function: String,
}

/// Holds every row of the table in `path` against the library.
///
/// # Errors
/// The rows for which the library says otherwise.
pub fn check(library: &Library, path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let rows = parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut wrong = Vec::new();
    for row in &rows {
        let found = library
            .function(&row.function)
            .and_then(|function| row.shows_in(&function));
        if let Err(why) = found {
            wrong.push(format!(
                "  {} is {:#x} in our headers, but {why}",
                row.expression, row.value
            ));
        }
    }
    if wrong.is_empty() {
        Ok(format!(
            "layouts: {} sizes and offsets of our host headers are those in the machine code of {}",
            rows.len(),
            library.path().display()
        ))
    } else {
        Err(format!(
            "layouts differ from {}:\n{}",
            library.path().display(),
            wrong.join("\n")
        ))
    }
}

impl Row {
    /// Whether the function shows the number; else what it shows.
    fn shows_in(&self, function: &Function) -> Result<(), String> {
        let name = super::symbols::demangled(&self.function);
        let seen = match self.evidence {
            Evidence::Returns => match function.returned_offset(self.argument) {
                Some(offset) if offset == self.value => return Ok(()),
                Some(offset) => format!("gives back {offset:#x}"),
                None => "does more than give back an address".into(),
            },
            Evidence::Reads => match function.accesses(self.argument).first() {
                Some(access) if access.offset == self.value => return Ok(()),
                Some(access) => format!("reads {:#x} first", access.offset),
                None => "reads nothing of it".into(),
            },
            Evidence::Uses => {
                let accesses = function.accesses(self.argument);
                if accesses.iter().any(|access| access.offset == self.value) {
                    return Ok(());
                }
                format!("uses {}", listed(accesses.iter().map(|Access { offset }| *offset)))
            }
            Evidence::Allocates => {
                let sizes = function.allocations();
                if sizes.contains(&self.value) {
                    return Ok(());
                }
                format!("allocates {}", listed(sizes))
            }
            Evidence::Steps => {
                let steps = function.steps();
                if steps.contains(&self.value) {
                    return Ok(());
                }
                format!("steps by {}", listed(steps))
            }
        };
        Err(format!("{name} {seen}"))
    }
}

fn listed(numbers: impl IntoIterator<Item = i64>) -> String {
    let mut numbers: Vec<i64> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.is_empty() {
        true => "nothing".into(),
        false => numbers
            .iter()
            .map(|number| format!("{number:#x}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The rows of the table: `LAYOUT(value, expression, evidence, argument, "function")`, one a line.
fn parse(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    let rows: Vec<Row> = rows
        .map(|(number, line)| row(line).ok_or_else(|| format!("line {number} is no row: {line}")))
        .collect::<Result<_, _>>()?;
    match rows.is_empty() {
        true => Err("there is no row".into()),
        false => Ok(rows),
    }
}

fn row(line: &str) -> Option<Row> {
    let fields = line.strip_prefix("LAYOUT(")?.strip_suffix(')')?;
    let (value, rest) = fields.split_once(", ")?;
    // The expression may have commas of its own; neither field after it does.
    let mut last = rest.rsplitn(4, ", ");
    let (function, argument, evidence, expression) = (last.next()?, last.next()?, last.next()?, last.next()?);
    Some(Row {
        value: i64::from_str_radix(value.strip_prefix("0x")?, 16).ok()?,
        expression: expression.to_string(),
        evidence: match evidence {
            "Returns" => Evidence::Returns,
            "Reads" => Evidence::Reads,
            "Uses" => Evidence::Uses,
            "Allocates" => Evidence::Allocates,
            "Steps" => Evidence::Steps,
            _ => return None,
        },
        argument: argument.parse().ok()?,
        function: function.strip_prefix('"')?.strip_suffix('"')?.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GETTER: &str = "  10:\tlea    0x30(%rdi),%rax\n  14:\tret\n";

    fn layout(value: &str, evidence: &str) -> Row {
        row(&format!(
            "LAYOUT({value}, offsetof(A, b), {evidence}, 0, \"_ZNK1A1bEv\")"
        ))
        .unwrap()
    }

    #[test]
    fn a_row_holds_where_the_function_shows_its_number_and_nowhere_else() {
        let function = Function::of_listing(GETTER);
        for (value, evidence, holds) in [
            ("0x30", "Returns", true),
            ("0x38", "Returns", false),
            ("0x30", "Uses", true),
            ("0x38", "Uses", false),
            ("0x30", "Allocates", false),
            ("0x30", "Steps", false),
        ] {
            let shown = layout(value, evidence).shows_in(&function);
            assert_eq!(shown.is_ok(), holds, "{value} {evidence}: {shown:?}");
        }
        let wrong = layout("0x38", "Returns").shows_in(&function).unwrap_err();
        assert_eq!(wrong, "A::b() const gives back 0x30");
    }

    #[test]
    fn the_table_is_read_whole_or_not_at_all() {
        let path = xtask::project::root().join("tt-emulator/host/src/layout.inc");
        let text = std::fs::read_to_string(path).unwrap();
        let rows = parse(&text).unwrap();
        assert_eq!(
            rows.len(),
            text.lines().filter(|line| line.starts_with("LAYOUT(")).count()
        );
        let nested = row("LAYOUT(0xe8, offsetof(A, b) + sizeof(C), Reads, 1, \"f\")").unwrap();
        assert_eq!(
            (nested.value, nested.expression.as_str()),
            (0xe8, "offsetof(A, b) + sizeof(C)")
        );
        assert!(
            parse("LAYOUT(8, sizeof(A), Guesses, 0, \"f\")")
                .unwrap_err()
                .contains("line 1")
        );
        assert_eq!(parse("// nothing\n").unwrap_err(), "there is no row");
    }
}
