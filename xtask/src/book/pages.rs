//! The pages and tables that are made of the compiler's own tables.

use crate::explain::{Example, Rule, codes};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tt_device::{
    BIT_OPS, CHIPS, Cpp, DataFormat, ELEMENT_OPS, ElementOpRow, ElementType, Lowering, OnIntegers, OnUnsigned, SfpuOp,
};
use tt_lang::syntax::{ELSEWHERE, usages};

const MADE: &str = "Written by `cargo xtask book`; do not edit.";
/// What the operands of an operation are called.
const OPERANDS: [&str; 4] = ["x", "y", "z", "w"];

/// In a table a bar ends the cell, also in code.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Every word of `T` and every operation on elements.
pub fn operations() -> String {
    let mut text = format!(
        "# Operations\n\n{MADE}\n\nMade of the vocabulary of `T` (`tt-lang/src/syntax/vocabulary.rs`) and the catalogue of operations\n\
         (`tt-device/src/catalogue.rs`). What each means in a kernel is said in [the language](language.md), how near the device comes to\n\
         a value in [numbers](numbers.md).\n\n## Words of T\n\n| written | options |\n|---|---|\n"
    );
    // Writing to a `String` cannot fail.
    for (usage, options) in usages() {
        let options: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
        let _ = writeln!(text, "| `{}` | {} |", cell(usage), options.join(", "));
    }
    text += "\n## Of numbers\n\n\
             `x`, `y` and `z` are elements or numbers; `T.exp(x)` is `x.exp()`. *On tiles* is the call of the vector unit (SFPU) that\n\
             computes it; sums, differences and products of two blocks go through the matrix engine (FPU) instead. *Integers* are\n\
             the types of integers that have it too.\n\n\
             | written | value | tried between | on tiles | integers |\n|---|---|---|---|---|\n";
    for row in ELEMENT_OPS {
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {} | {} | {} |",
            cell(&row.written(&elements(row))),
            cell(&value(row)),
            between(row.domain),
            on_tiles(row),
            integers(row)
        );
    }
    text += "\n## Of integers and bits alone\n\n| written | integers |\n|---|---|\n";
    for row in BIT_OPS {
        let _ = writeln!(text, "| `{}` | {} |", cell(&row.written(&elements(row))), integers(row));
    }
    text
}

/// The operands of a row that may differ from element to element.
fn elements(row: &ElementOpRow) -> Vec<&'static str> {
    OPERANDS.into_iter().take(row.arity - row.uniform).collect()
}

/// The value of a row over its operands, as the host would compute it.
fn value(row: &ElementOpRow) -> String {
    let numbers = row.trial.iter().map(|number| format!("{number:?}"));
    let operands: Vec<String> = elements(row).into_iter().map(str::to_string).chain(numbers).collect();
    let formula = match row.cpp {
        Cpp::None => return row.written(&elements(row)),
        Cpp::Call(name) => format!("{name}({})", operands.join(", ")),
        Cpp::Primary(formula)
        | Cpp::Unary(formula)
        | Cpp::Product(formula)
        | Cpp::Sum(formula)
        | Cpp::Choice(formula) => ["{x}", "{y}", "{z}"]
            .iter()
            .zip(&operands)
            .fold(formula.to_string(), |formula, (mark, operand)| {
                formula.replace(mark, operand)
            }),
    };
    formula.replace("std::", "")
}

fn between((least, most): (f64, f64)) -> String {
    let end = |number: f64| match number.abs() {
        large if large >= 1e4 => format!("{number:e}"),
        small if small < 1e-2 && small > 0.0 => format!("{number:e}"),
        _ => format!("{number:.4}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_string(),
    };
    format!("{} and {}", end(least), end(most))
}

fn on_tiles(row: &ElementOpRow) -> String {
    let call = |op: SfpuOp| format!("`{}`", op.row().call.name);
    match row.lowering {
        Lowering::Own(op, _) | Lowering::LastFirst(op, _) | Lowering::WithReciprocal(op) => call(op),
        Lowering::Arithmetic(_) => "FPU, or a call of two registers".to_string(),
        Lowering::Reversed(_) => "as the operation of the operands the other way round".to_string(),
        Lowering::Power => "a power, or the square".to_string(),
        Lowering::Composed { approximate: None, .. } => "composed of others".to_string(),
        Lowering::Composed {
            approximate: Some((op, _)),
            ..
        } => format!("composed of others; with `approx = true` {}", call(op)),
        Lowering::Expanded => "written out as other operations".to_string(),
        Lowering::IntegersOnly => String::new(),
    }
}

fn integers(row: &ElementOpRow) -> String {
    match (row.integers, row.unsigned) {
        (None, _) => String::new(),
        (Some(OnIntegers::Same([from, to])), _) => format!("`{}` to `{}`", from.name(), to.name()),
        (Some(OnIntegers::Unsigned), _) => "`u32`".to_string(),
        (Some(_), None | Some(OnUnsigned::Refused)) => "`i32`".to_string(),
        (Some(_), Some(_)) => "`i32`, `u32`".to_string(),
    }
}

/// The types of elements, how the device holds them, and the chips.
pub fn types() -> String {
    let mut text = format!(
        "# Types and chips\n\n{MADE}\n\nMade of `tt-device/src/format.rs` and `tt-device/src/chip.rs`. What each type has and lacks is said in\n\
         [the language](language.md#signature); how engines treat formats, bit by bit, in [formats](formats.md).\n\n## Elements\n\n\
         | type | held on the device as | bits of an element | bytes of a tile | integers |\n|---|---|---|---|---|\n"
    );
    for (element, name) in ElementType::ALL {
        let format = DataFormat::of(*element);
        let shared = format.exponent_bytes();
        let bits = match shared {
            0 => format!("{}", format.element_bits()),
            _ => format!("{}, and an exponent for 16", format.element_bits()),
        };
        let bytes = tt_device::TILE_ELEMENTS * format.element_bits() / 8 + shared;
        let range = element
            .integers()
            .map(|range| format!("{} to {}", range.start(), range.end()))
            .unwrap_or_default();
        let _ = writeln!(text, "| `{name}` | `{}` | {bits} | {bytes} | {range} |", format.name());
    }
    text += "\n## Chips\n\nSources that the compiler emits keep the budgets of both.\n\n\
             | | ";
    let row = |title: &str, figure: &dyn Fn(&tt_device::Chip) -> String| {
        let cells: Vec<String> = CHIPS.iter().map(figure).collect();
        format!("{title} | {} |\n", cells.join(" | "))
    };
    text += row("", &|chip| format!("`{}`", chip.name)).trim_start_matches(" | ");
    text += "|---|---|---|\n";
    for (title, figure) in [
        (
            "bytes of L1 for circular buffers, of a core",
            (|chip| chip.l1_bytes) as fn(&tt_device::Chip) -> u64,
        ),
        ("circular buffers of a core", |chip| chip.circular_buffers.into()),
        ("tiles of 16 bits in a half of the destination registers", |chip| {
            chip.dst_half_tiles.into()
        }),
        ("words of runtime arguments of a kernel", |chip| {
            chip.runtime_args.into()
        }),
        ("bytes to which reads of DRAM are aligned", |chip| {
            chip.dram_read_alignment.into()
        }),
    ] {
        text += "| ";
        text += &row(title, &|chip| figure(chip).to_string());
    }
    text
}

/// Every code, with its cause and cure, and with what rustc prints of an example.
pub fn errors(examples: &BTreeMap<u16, Example>) -> String {
    let mut text = format!(
        "# Errors and warnings\n\n{MADE}\n\nMade of `tt-lang/src/codes.rs`, `tt-backend/src/codes.rs` and the cases below `tests/ui`, which the tests hold\n\
         to what rustc prints; the notes in a message say what to write. `cargo xtask explain TT0410` prints the same of one code. Codes of\n\
         the emulator, `EMU0102`, are [rules](rules.md).\n\n| code | |\n|---|---|\n"
    );
    for code in codes() {
        let _ = writeln!(
            text,
            "| [{code}](#{}) | {} |",
            code.to_string().to_lowercase(),
            cell(code.title)
        );
    }
    for code in codes() {
        let _ = writeln!(text, "\n## {code}\n\n**{}.** {}", code.title, code.explanation);
        if let Some(Example { message, .. }) = examples.get(&code.number) {
            let _ = writeln!(text, "\n```text\n{}\n```", message.trim_end());
        }
    }
    text
}

/// The passes, with what stands at the head of each.
///
/// # Errors
/// Where a pass has no file of its name.
pub fn passes(source: &Path) -> Result<String, String> {
    let mut text = format!(
        "# The passes\n\n{MADE}\n\nMade of the pass table, at the end of `tt-backend/src/pipeline.rs`, and of the head of each pass: what holds before it, what holds\n\
         after it, and a picture of a case.\n"
    );
    for pass in tt_backend::PASSES {
        let file = file_of(pass.name, source)?;
        let content = super::read(&source.join(&file))?;
        let head: Vec<&str> = content
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let _ = writeln!(
            text,
            "\n## {}\n\n*{} ⟶ {}.* `tt-backend/src/{file}`\n\n{}",
            pass.name,
            pass.takes,
            pass.gives,
            plain(&head.join("\n"))
        );
    }
    Ok(text)
}

/// The file of a pass, from `source`.
fn file_of(pass: &str, source: &Path) -> Result<String, String> {
    let words = pass.to_lowercase().replace(' ', "_");
    let name = words.rsplit_once(' ').map_or(words.as_str(), |(_, name)| name);
    let candidates = [
        format!("passes/{name}.rs"),
        format!("passes/{name}/mod.rs"),
        // F, G and the one that joins stages have folders and files of their own.
        format!("{}/mod.rs", pass.split(' ').next_back().unwrap_or_default()),
        format!("{}.rs", pass.split('_').next_back().unwrap_or_default()),
    ];
    let found = candidates.into_iter().find(|file| source.join(file).is_file());
    found.ok_or_else(|| format!("the pass `{pass}` has no file below {}", source.display()))
}

/// Documentation without links to items: [`Device`] is `Device`.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[`") {
        out += before;
        match after.split_once("`]") {
            Some((name, behind)) => {
                let _ = write!(out, "`{name}`");
                rest = behind;
            }
            None => {
                out += "[`";
                rest = after;
            }
        }
    }
    out + rest
}

/// The passes in a table.
pub fn table_of_passes() -> String {
    let mut text = "| pass | does | takes | gives |\n|---|---|---|---|\n".to_string();
    for pass in tt_backend::PASSES {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            pass.name, pass.does, pass.takes, pass.gives
        );
    }
    text
}

/// The rules of the emulator in a table.
pub fn table_of_rules(rules: &[Rule]) -> String {
    let mut text = "| code | stops |\n|---|---|\n".to_string();
    for rule in rules {
        let _ = writeln!(
            text,
            "| [{}](rules.md#{}) | {} |",
            rule.code,
            rule.code.to_lowercase(),
            cell(&rule.title)
        );
    }
    text
}

/// What other languages call things, and what they are called here.
pub fn table_of_words_elsewhere() -> String {
    let mut text = "| there | here |\n|---|---|\n".to_string();
    for (there, here) in ELSEWHERE {
        let _ = writeln!(text, "| `{there}` | {} |", cell(here));
    }
    text
}
