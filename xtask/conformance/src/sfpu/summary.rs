//! The results as docs/sfpu.md shows them.

use super::Outcome;
use super::spec::Run;
use std::collections::BTreeMap;
use tt_emulator::ArchName;
use tt_emulator::vector_unit::name;

/// The line of docs/sfpu.md below which all is written by this check.
const HEAD: &str = "## Results\n";

/// The document with the results in place of those that it had.
pub fn rewritten(document: &str, outcomes: &[(Run, Outcome)]) -> Result<String, String> {
    let (kept, _) = document
        .split_once(HEAD)
        .ok_or_else(|| format!("docs/sfpu.md has no line `{}`", HEAD.trim()))?;
    Ok(format!("{kept}{HEAD}\n{}", summary(outcomes)))
}

fn summary(outcomes: &[(Run, Outcome)]) -> String {
    let mut text = String::from(
        "Written by `cargo xtask conformance sfpu --record`, from here to the end.\n\n\
         | chip | registers | operations | equal | differ | no result of the simulator |\n|---|---|---|---|---|---|\n",
    );
    for (chip, title) in [(ArchName::WormholeB0, "Wormhole"), (ArchName::Blackhole, "Blackhole")] {
        for (wide, bits) in [(false, "16 bits"), (true, "32 bits")] {
            let here = |kind: fn(&Outcome) -> bool| {
                let of = |run: &Run| run.chip == chip && run.wide == wide;
                outcomes
                    .iter()
                    .filter(|(run, outcome)| of(run) && kind(outcome))
                    .count()
            };
            let equal = here(|outcome| matches!(outcome, Outcome::Equal(_)));
            let differ = here(|outcome| matches!(outcome, Outcome::Differs { .. }));
            let refused = here(|outcome| matches!(outcome, Outcome::Refused(_)));
            let all = equal + differ + refused;
            text += &format!("| {title} | {bits} | {all} | {equal} | {differ} | {refused} |\n");
        }
    }
    let mut differ = String::new();
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (run, outcome) in outcomes {
        let name = name(run.case, run.chip, run.wide);
        match outcome {
            Outcome::Equal(_) => {}
            Outcome::Differs { share, distance, .. } => {
                differ += &format!("| `{name}` | {:.3} % | {distance} |\n", share * 100.0);
            }
            Outcome::Refused(why) => refused.entry(why.to_string()).or_default().push(format!("`{name}`")),
        }
    }
    if !differ.is_empty() {
        text += &format!("\n| differs | equal | at most, in the last place |\n|---|---|---|\n{differ}");
    }
    for (why, names) in refused {
        text += &format!("\nNo result ({why}): {}.\n", names.join(", "));
    }
    text
}
