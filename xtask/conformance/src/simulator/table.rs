//! docs/simulator.md.

use super::case::Case;
use super::distance::Distance;
use super::inputs::Kind;
use super::oracle::Failure;
use super::row::{Chip, Outcome, Row};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt::Write;

const HEAD: &str = "# Every operation on the simulated chips

Written by `cargo xtask conformance simulator`; not edited by hand.

Each kernel below was compiled from its Rust source, and run from the plan file alone by the real runtime 0.81.1 (JIT, dispatch,
device headers) on the public simulator ttsim (shared/oracle), by the emulator with exact products (`TT_EMULATOR_FPU=exact`), and by the
reference interpreter, on whole blocks and on a ragged shape. *Emulator* is the simulated chip against the emulator; *reference*
is the simulated chip against what the source says over real numbers, rounded once to the result's type.

`equal`: every element has the same bits (any NaN is a NaN). Otherwise: the share of equal elements, and at most how many steps of the
result's type the others are apart, in brackets for 99 of 100 elements. The reference is compared on ordinary inputs (numbers up to
4 for which the operation has a value; up to 1 where they are summed up); the emulator also on *extreme* ones: any exponent, and for
element-wise operations infinities, NaN, subnormal numbers and the ends of the format. Extreme inputs have a note where they differ.

Emulator and chip are also held against the reference: an element may be as far from it as four times what inputs do to it
that are off by what the narrowest format on their way loses, and a few steps of the result's type (xtask/conformance/src/simulator/bound.rs).
Outputs hold a number before the launch that no kernel computes; tensors that are updated in place hold random ones.

¹ The simulated Wormhole lacks the mode that unpacks f32 straight into a destination register. It is left out on both sides: f32 then
passes through a source register, which cuts it to TF32. That is far from the reference, and no matter of the chip.

² The stand-in for the device's compiler (shared/oracle) cannot put this kernel's values into the vector unit's eight registers; the
device's own compiler may.

³ The simulator does not model an instruction of this kernel.
";

/// The head of the launches of which the simulator can say nothing.
const SILENT: &str = "\n## Not judged by the simulator\n\n";

/// The whole file.
pub fn text(rows: &[Row]) -> String {
    let mut text = HEAD.to_string();
    let mut section = "";
    let mut refused = Vec::new();
    for row in rows {
        let Some(line) = line(row) else {
            refused.push(row);
            continue;
        };
        if row.section != section {
            section = row.section;
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n## {section}\n\n| operation | types | fidelity | Dst | Wormhole: emulator | reference | Blackhole: emulator | reference |\n\
                 |---|---|---|---|---|---|---|---|\n"
            );
        }
        text.push_str(&line);
        text.push('\n');
    }
    let silent: BTreeSet<String> = rows.iter().flat_map(Row::silent).collect();
    if !silent.is_empty() {
        text.push_str(SILENT);
        silent.iter().for_each(|name| {
            let _ = writeln!(text, "- {name}");
        });
    }
    if !refused.is_empty() {
        text.push_str("\n## Not compiled yet\n\n| operation | kernel | the compiler says |\n|---|---|---|\n");
        for row in refused {
            if let Outcome::Refused(why) = &row.outcome {
                let _ = writeln!(text, "| {} | {} | {} |", row.operation, row.name, escaped(why));
            }
        }
    }
    text
}

/// The line of a kernel; none of one that is not compiled.
fn line(row: &Row) -> Option<String> {
    let (facts, chips) = match &row.outcome {
        Outcome::Run { facts, chips } => (facts, chips),
        Outcome::Kept { line, .. } => return Some(line.clone()),
        Outcome::Refused(_) => return None,
    };
    let mut text = format!(
        "| {} | {} | {} | {} |",
        escaped(&row.operation),
        facts.types,
        facts.fidelity,
        facts.destination
    );
    for arch in super::CHIPS {
        match chips.iter().find(|chip| chip.arch == arch) {
            Some(chip) => {
                let mark = if chip.without_unpack_to_dest { " ¹" } else { "" };
                let _ = write!(text, " {}{mark} | {} |", emulator(chip), reference(chip));
            }
            None => text.push_str(" not run | not run |"),
        }
    }
    Some(text)
}

/// Under what a page has the row of a kernel: its section and operation.
pub fn place(case: &Case) -> (String, String) {
    (case.section.to_string(), escaped(&case.operation))
}

/// As it stands in a cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The rows of a page by their [`place`], in order, and how many there are of each.
pub fn lines(page: &str) -> HashMap<(String, String), (VecDeque<String>, usize)> {
    let mut out = HashMap::<_, (VecDeque<String>, usize)>::new();
    let mut section = "";
    for line in page.lines() {
        if let Some(head) = line.strip_prefix("## ") {
            section = head;
        } else if let Some((operation, _)) = line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) {
            let (lines, count) = out.entry((section.to_string(), operation.to_string())).or_default();
            lines.push_back(line.to_string());
            *count += 1;
        }
    }
    out
}

/// The launches that a page lists as without a result.
pub fn silent(page: &str) -> BTreeSet<String> {
    let Some((_, rest)) = page.split_once(SILENT) else {
        return BTreeSet::new();
    };
    let lines = rest.lines().take_while(|line| line.starts_with("- "));
    lines.map(|line| line[2..].to_string()).collect()
}

/// How many kernels are equal where, in one line a chip.
pub fn summary(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for arch in super::CHIPS {
        let chips = rows.iter().filter_map(|row| match &row.outcome {
            Outcome::Run { chips, .. } => chips.iter().find(|chip| chip.arch == arch),
            Outcome::Refused(_) | Outcome::Kept { .. } => None,
        });
        let texts: Vec<(String, String)> = chips
            .map(|chip| (of(chip, Kind::Ordinary), of(chip, Kind::Extreme)))
            .collect();
        let run = texts.iter().filter(|both| !both.0.starts_with("not run")).count();
        let equal = texts
            .iter()
            .filter(|both| both.0 == "equal" && both.1 == "equal")
            .count();
        if !texts.is_empty() {
            lines.push(format!(
                "{arch}: of {} kernels the simulator runs {run}; in {equal} the emulator has the same bits on all inputs",
                texts.len()
            ));
        }
    }
    lines.join("\n")
}

/// The distance to the emulator over all launches of a kind; why the simulator does not run one.
fn of(chip: &Chip, kind: Kind) -> String {
    let mut sum = Distance::default();
    for launch in chip.launches.iter().filter(|launch| launch.kind == kind) {
        match &launch.failure {
            Some(Failure::Compiler) => return "not run ²".into(),
            Some(failure @ Failure::Code) => return format!("not run ({failure})"),
            Some(Failure::Instruction(missing)) => return format!("not run ³ ({})", missing.replace('|', "\\|")),
            Some(Failure::Launch(failure)) => return format!("not run ({})", failure.replace('|', "\\|")),
            None => sum.merge(&launch.to_emulator),
        }
    }
    sum.to_string()
}

fn emulator(chip: &Chip) -> String {
    let (ordinary, extreme) = (of(chip, Kind::Ordinary), of(chip, Kind::Extreme));
    if ordinary == extreme {
        ordinary
    } else {
        format!("{ordinary}; extreme: {extreme}")
    }
}

fn reference(chip: &Chip) -> String {
    let mut sum = Distance::default();
    for launch in chip.launches.iter().filter(|launch| launch.kind == Kind::Ordinary) {
        sum.merge(&launch.to_reference);
    }
    sum.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::{case, page, with_kept};
    use super::*;

    #[test]
    fn a_page_of_which_nothing_was_run_stays_as_it_is() {
        let page = page().expect("the page");
        let known = lines(&page);
        // An operation that is new has no row before it is run.
        let mut cases = case::all();
        cases.retain(|case| known.contains_key(&place(case)));
        let rows = with_kept(Vec::new(), &cases, &page).expect("every kernel has its row");
        assert_eq!(text(&rows), page);
    }
}
