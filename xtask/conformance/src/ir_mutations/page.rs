//! docs/ir-mutations.md: how many mutants of each kind there are, and who notices them.

use super::made::{Judged, Made, Outcome, RUN};
use super::{DRAWN, reasons};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tt_backend::mutate::Kind;

/// What became of some mutants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    made: usize,
    verifier: usize,
    writer: usize,
    unchanged: usize,
    emulator: usize,
    within: usize,
    same: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.made += 1;
        match outcome {
            Outcome::Verifier(_) => self.verifier += 1,
            Outcome::Writer(_) => self.writer += 1,
            Outcome::Unchanged => self.unchanged += 1,
            Outcome::Emulator(_) => self.emulator += 1,
            Outcome::Within(_) => self.within += 1,
            Outcome::Same => self.same += 1,
            // The last two fail the chore.
            Outcome::Run(..) | Outcome::NoResult | Outcome::Panic(_) | Outcome::Ended(_) => {}
        }
    }

    fn of<'a>(mutants: impl Iterator<Item = &'a Made>) -> Count {
        let mut count = Count::default();
        mutants.for_each(|made| count.add(&made.outcome));
        count
    }

    /// The cells that do not need the emulator.
    fn beginning(&self) -> String {
        format!(
            "{} | {} | {} | {}",
            self.made, self.verifier, self.writer, self.unchanged
        )
    }

    fn row(&self, title: &str) -> String {
        let (emulator, within, same) = (self.emulator, self.within, self.same);
        format!("| {title} | {} | {emulator} | {same} | {within} |", self.beginning())
    }
}

/// The numbers in a sentence.
pub fn summary(mutants: &[Made]) -> String {
    let count = Count::of(mutants.iter());
    format!(
        "{} mutants: the verifier refuses {}, the code writer {}; {} are written as the healthy program is; of the others\n\
         the emulator notices {}, {} leave every bit as it is, and {} change numbers within the kernel's bound.",
        count.made, count.verifier, count.writer, count.unchanged, count.emulator, count.same, count.within
    )
}

/// The page.
pub fn page(judged: &Judged) -> String {
    let mutants = &judged.mutants;
    let kernels = judged
        .healthy
        .iter()
        .filter(|kernel| !kernel.samples.is_empty())
        .count();
    let mut text = format!(
        "# Mutants of the program\n\n\
         Written by `cargo xtask conformance ir-mutations`; do not edit.\n\n\
         A mutant is the program as the compiler has it before it writes C++ (Device IR), with one thing wrong\n\
         (`tt-backend/src/mutate/`). All mutants of {kernels} kernels are judged: by the verifier; what it lets pass is written, and\n\
         where it is written otherwise than the healthy program, run on the emulator and compared with the reference\n\
         interpreter and, bit by bit, with the healthy program.\n\n{}\n\n{}\n\n\
         | what is wrong | mutants | verifier | code writer | written the same | emulator | same bits | within the bound |\n\
         |---|---|---|---|---|---|---|---|\n",
        summary(mutants),
        seal(mutants)
    );
    for kind in Kind::ALL {
        let count = Count::of(mutants.iter().filter(|made| made.mutant.kind == *kind));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", count.row(kind.title()));
    }
    text.push_str(
        "\n## What only the emulator notices\n\n\
         The verifier proves that programs wait for each other, stay within their buffers and set their engines up. Which\n\
         number comes out is not its subject, and these mutants compute another one or are stopped by a check of the emulator.\n\n\
         | what is wrong | with what | where | mutants | for example |\n|---|---|---|---|---|\n",
    );
    table(&mut text, mutants, |made| match &made.outcome {
        Outcome::Emulator(what) => Some(what.clone()),
        _ => None,
    });
    let of = |wanted: fn(&Made) -> bool| mutants.iter().filter(|made| wanted(made)).collect::<Vec<&Made>>();
    text.push_str(
        "\n## What changes nothing\n\n\
         What shows in the program itself, by `tt-backend/src/mutate/same.rs`; the emulator agrees for each:\n\n\
         | why | mutants | what is wrong |\n|---|---|---|\n",
    );
    explained(
        &mut text,
        &of(|made| matches!(made.outcome, Outcome::Same) && made.mutant.same.is_some()),
        |made| made.mutant.same.unwrap_or("?"),
    );
    text.push_str("\nWhat is argued for in `xtask/conformance/src/ir_mutations/reasons.rs`:\n\n| why | mutants | what is wrong |\n|---|---|---|\n");
    explained(
        &mut text,
        &of(|made| matches!(made.outcome, Outcome::Same) && made.mutant.same.is_none()),
        |made| reasons::harmless(&made.kernel, &made.mutant).unwrap_or("?"),
    );
    text.push_str("\n## What changes numbers within the bound\n\n| why | mutants | what is wrong |\n|---|---|---|\n");
    explained(
        &mut text,
        &of(|made| matches!(made.outcome, Outcome::Within(_))),
        |made| reasons::within(&made.mutant).unwrap_or("?"),
    );
    text + &others(judged)
}

/// The part of the page that is about the kernels without samples.
pub fn others(judged: &Judged) -> String {
    let Judged {
        healthy,
        others,
        all_others,
        ..
    } = judged;
    let kernels = healthy.iter().filter(|kernel| kernel.samples.is_empty()).count();
    let [may_differ, must_not] = RUN;
    let all = Count::of(others.iter());
    let without = others.iter().filter(|made| matches!(made.outcome, Outcome::NoResult));
    let without: BTreeSet<&str> = without.map(|made| made.kernel.as_str()).collect();
    let mut text = format!(
        "\n## The other kernels of the examples, the tests and `../shared/programs`\n\n\
         {all_others} changes are named for these {kernels} kernels, up to {DRAWN} of each are drawn, and {} of those make a program. The verifier\n\
         refuses {} of them, the code writer {}, and {} are written as the healthy program is. Of what is left up to {may_differ} programs of each\n\
         kernel are run, and {must_not} that `same.rs` knows to change nothing, on what the kernel's host program would start from\n\
         (`conformance abi`), and every bit is compared with the healthy kernel's: {} are stopped, {} have other bits, and {} the same. The\n\
         same bits need no reason here, and say that nothing is changed only where there is one: these inputs were not made to tell\n\
         mutants apart, and tensors of integers are zeros. {} kernels have no result there without any mutant either: they assert, or\n\
         are refused for it.\n\n\
         | what is wrong | mutants | verifier | code writer | written the same | run | stopped | other bits | same bits | of these for a reason |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        all.made,
        all.verifier,
        all.writer,
        all.unchanged,
        all.emulator,
        all.within,
        all.same,
        without.len()
    );
    for kind in Kind::ALL {
        let of_kind = || others.iter().filter(|made| made.mutant.kind == *kind);
        let count = Count::of(of_kind());
        let Count {
            emulator, within, same, ..
        } = count;
        let same_bits = of_kind().filter(|made| matches!(made.outcome, Outcome::Same));
        let explained = same_bits.filter(|made| reasons::harmless(&made.kernel, &made.mutant).is_some());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {emulator} | {within} | {same} | {} |",
            kind.title(),
            count.beginning(),
            emulator + within + same,
            explained.count()
        );
    }
    text
}

/// Rows of the mutants of which `say` says something, by kind, subject and program, each with what it says of the first.
fn table(text: &mut String, mutants: &[Made], say: impl Fn(&Made) -> Option<String>) {
    let mut rows: BTreeMap<(Kind, &str, &str), (usize, String)> = BTreeMap::new();
    for made in mutants {
        if let Some(said) = say(made) {
            let key = (made.mutant.kind, made.mutant.subject.as_str(), made.mutant.program);
            rows.entry(key).or_insert((0, said)).0 += 1;
        }
    }
    for ((kind, subject, program), (count, said)) in rows {
        let (title, said) = (kind.title(), said.replace('|', "\\|").replace('<', "&lt;"));
        let _ = writeln!(text, "| {title} | `{subject}` | {program} | {count} | {said} |");
    }
}

/// Rows of the mutants that `why` explains, reason by reason, those that explain most first: how many of each kind there are.
fn explained(text: &mut String, mutants: &[&Made], why: impl Fn(&Made) -> &'static str) {
    let mut reasons: BTreeMap<&str, BTreeMap<Kind, usize>> = BTreeMap::new();
    for made in mutants {
        *reasons
            .entry(why(made))
            .or_default()
            .entry(made.mutant.kind)
            .or_default() += 1;
    }
    let mut rows: Vec<_> = reasons
        .into_iter()
        .map(|(why, kinds)| (kinds.values().sum::<usize>(), why, kinds))
        .collect();
    rows.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    for (count, why, kinds) in rows {
        let kinds: Vec<String> = kinds
            .into_iter()
            .map(|(kind, count)| format!("{} ({count})", kind.title()))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {count} | {} |",
            why.replace('|', "\\|"),
            kinds.join(", ").replace('<', "&lt;")
        );
    }
}

/// A line that changes with the mutants, and with what is written of those that are run.
pub fn seal(mutants: &[Made]) -> String {
    let mut text = String::new();
    for made in mutants {
        let digest = made.digest.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{} {} {digest}", made.kernel, made.mutant);
    }
    format!(
        "Mutants and programs: {:016x}.",
        crate::mutations::digest(text.as_bytes())
    )
}

/// Whether `page` was made of these mutants, as far as that shows without running them.
///
/// # Errors
/// Where it is out of date.
pub fn check(page: &str, Judged { mutants, .. }: &Judged) -> Result<(), String> {
    let mut wrong = Vec::new();
    for kind in Kind::ALL {
        let count = Count::of(mutants.iter().filter(|made| made.mutant.kind == *kind));
        let beginning = format!("| {} | {} |", kind.title(), count.beginning());
        if !page.lines().any(|line| line.starts_with(&beginning)) {
            wrong.push(format!("no row `{beginning}`"));
        }
    }
    let seal = seal(mutants);
    if !page.lines().any(|line| line == seal) {
        wrong.push("the mutants, or what is written of them, have changed since the page was made".into());
    }
    out_of_date(&wrong)
}

/// Whether `page` says of the kernels without samples what became of their mutants.
///
/// # Errors
/// Where it is out of date.
pub fn check_others(page: &str, judged: &Judged) -> Result<(), String> {
    let others = others(judged);
    let wrong = others.lines().filter(|line| !page.lines().any(|known| known == *line));
    let wrong: Vec<String> = wrong.map(|line| format!("no line `{line}`")).collect();
    out_of_date(&wrong)
}

fn out_of_date(wrong: &[String]) -> Result<(), String> {
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "docs/ir-mutations.md is not up to date; run `cargo xtask conformance ir-mutations`:\n{}",
        wrong.join("\n")
    ))
}
