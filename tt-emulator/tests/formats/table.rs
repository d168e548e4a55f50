//! The table of `docs/formats.md`: what the emulator was compared with, and how.

use std::collections::{BTreeMap, BTreeSet};

use tt_emulator::ArchName;

use crate::experiment::Experiment;
use crate::operands::TILES;
use crate::recorded::Record;

/// Where it lies.
pub const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md");

/// What became of the experiments of a row on the two chips.
#[derive(Default)]
struct Row {
    equal: [usize; 2],
    rules: BTreeMap<&'static str, usize>,
    /// Operations and chips that were refused, by reason.
    reasons: BTreeMap<String, (BTreeSet<&'static str>, BTreeSet<String>)>,
}

impl Row {
    fn add(&mut self, experiment: &Experiment, record: &Record) {
        match (experiment.refusal(), record) {
            (Some(code), _) => *self.rules.entry(code).or_default() += 1,
            (None, Record::Bits { .. }) => self.equal[usize::from(experiment.arch == ArchName::Blackhole)] += 1,
            (None, Record::Refused(reason)) => {
                let (operations, chips) = self.reasons.entry(reason.clone()).or_default();
                operations.insert(experiment.operation.name);
                chips.insert(experiment.arch.to_string());
            }
        }
    }

    fn refusals(&self) -> String {
        let reasons = self.reasons.iter().map(|(reason, (operations, chips))| {
            let operations: Vec<_> = operations.iter().copied().collect();
            let what = match operations.len() {
                1..=3 => operations.join(", "),
                count => format!("{count} operations"),
            };
            let chips: Vec<_> = chips.iter().map(String::as_str).collect();
            let place = if let [chip] = chips[..] {
                format!(" on {chip}")
            } else {
                String::new()
            };
            format!("{what}{place}: `{reason}`")
        });
        reasons.collect::<Vec<_>>().join("; ")
    }
}

/// The document.
pub fn of(records: &[(Experiment, Record)]) -> String {
    let mut rows: Vec<((String, &str), Row)> = Vec::new();
    for (experiment, record) in records {
        let key = (
            format!("{:?}, {:?} → {:?}", experiment.a, experiment.b, experiment.out),
            if experiment.wide { "32" } else { "16" },
        );
        let known = rows.iter().position(|(other, _)| *other == key);
        let at = known.unwrap_or_else(|| {
            rows.push((key, Row::default()));
            rows.len() - 1
        });
        rows[at].1.add(experiment, record);
    }
    let total: usize = rows.iter().flat_map(|(_, row)| row.equal).sum();
    let head = include_str!("table_head.md").replace("{elements}", &(TILES * 1024).to_string());
    let mut text = format!(
        "{head}\n{total} experiments give equal bits in every element.\n\n\
         | operands → result | Dst bits | equal on Wormhole | on Blackhole | refused by a rule | refused by simulator or runtime |\n\
         |---|---|---|---|---|---|\n"
    );
    for ((formats, bits), row) in &rows {
        let rules: Vec<_> = row
            .rules
            .iter()
            .map(|(code, count)| format!("{count}: {code}"))
            .collect();
        let [wormhole, blackhole] = row.equal;
        let (rules, refusals) = (rules.join("; "), row.refusals());
        text += &format!("| {formats} | {bits} | {wormhole} | {blackhole} | {rules} | {refusals} |\n");
    }
    text
}
