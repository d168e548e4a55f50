//! The page of the examples.

use super::list::{EXAMPLES, Example, Outcome};
use std::fmt::Write;

/// An example with what it is called with.
pub fn title(example: &Example) -> String {
    let words = [&[example.host][..], example.arguments].concat();
    words.join(" ")
}

/// The page.
pub fn page() -> String {
    let count = |is: fn(&Outcome) -> bool| EXAMPLES.iter().filter(|example| is(&example.outcome)).count();
    let verified = count(|outcome| matches!(outcome, Outcome::Verified(_)));
    let ran = count(|outcome| matches!(outcome, Outcome::Runs(_)));
    let stopped = count(|outcome| matches!(outcome, Outcome::Stopped(..)));
    let outside = count(|outcome| matches!(outcome, Outcome::Outside(_)));
    let mut text = format!(
        "# Upstream's programming examples on the emulator\n\n\
         Written by `cargo xtask conformance examples --write`; do not edit.\n\n\
         The programs of `tt_metal/programming_examples` of February 2026, host and kernels from their sources, with the names of\n\
         0.81 (a table of includes and calls, `xtask/conformance/src/examples/names.rs`), built against the emulator as a C++\n\
         library (`cargo xtask library`) and run on both emulated chips. Nothing of them is part of this repository:\n\
         `cargo xtask conformance examples --upstream CHECKOUT` runs them from a checkout of tt-metal, and fails where one comes\n\
         to another end than this table says.\n\n\
         {verified} runs compare their own results and find them right, {ran} end without an error and compare nothing,\n\
         {stopped} are stopped, {outside} are about what the emulator has not.\n\n\
         | example | on the emulator |\n|---|---|\n"
    );
    for example in EXAMPLES {
        let what = match &example.outcome {
            Outcome::Verified(_) => "verified".to_owned(),
            Outcome::Runs(_) => "ran".to_owned(),
            Outcome::Stopped(words, why) => format!("stopped, `{words}`: {why}"),
            Outcome::Outside(what) => format!("not run: {what}"),
        };
        let allowed = match example.allow {
            "" => String::new(),
            codes => format!(", with `TT_EMULATOR_ALLOW={codes}`"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{}` | {what}{allowed} |", title(example));
    }
    text.push_str(
        "\nWhat `TT_EMULATOR_ALLOW` lets pass is in [rules.md](rules.md): pages written or pushed that were free but not reserved,\n\
         pages of a buffer that was filled before the run, read and given back without waiting for them, writes that nobody waits\n\
         for at the end of a kernel, and a section of the destination registers given back twice. Printing from kernels by streams\n\
         (`DPRINT << ..`) is gone in 0.81 and left out; by format strings it prints on stderr on the emulator.\n",
    );
    text
}
