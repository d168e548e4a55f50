//! The table of `docs/formats.md`: what the emulator was compared with, and how.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::experiment::Experiment;
use crate::operands::TILES;
use crate::recorded::Record;

/// Where it lies.
pub const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md");

#[derive(Default)]
struct Row {
    equal: usize,
    rules: BTreeMap<&'static str, usize>,
    reasons: BTreeMap<String, Vec<&'static str>>,
}

/// The document.
pub fn of(records: &[(Experiment, Record)]) -> String {
    let mut rows: BTreeMap<(String, &str, String), Row> = BTreeMap::new();
    let mut order = Vec::new();
    for (experiment, record) in records {
        let key = (
            format!("{:?}, {:?} → {:?}", experiment.a, experiment.b, experiment.out),
            if experiment.wide { "32" } else { "16" },
            experiment.arch.to_string(),
        );
        if !rows.contains_key(&key) {
            order.push(key.clone());
        }
        let row = rows.entry(key).or_default();
        match (experiment.refusal(), record) {
            (Some(code), _) => *row.rules.entry(code).or_default() += 1,
            (None, Record::Bits { .. }) => row.equal += 1,
            (None, Record::Refused(reason)) => {
                let operations = row.reasons.entry(reason.clone()).or_default();
                if !operations.contains(&experiment.operation.name) {
                    operations.push(experiment.operation.name);
                }
            }
        }
    }
    let mut text = include_str!("table_head.md").replace("{elements}", &(TILES * 1024).to_string());
    let total: usize = rows.values().map(|row| row.equal).sum();
    writeln!(
        text,
        "\n{total} experiments give equal bits in every element.\n\n\
         | operands → result | Dst bits | chip | equal bits | refused by a rule | refused by simulator or runtime |\n\
         |---|---|---|---|---|---|"
    )
    .expect("a string");
    for key in order {
        let row = &rows[&key];
        let rules: Vec<_> = row
            .rules
            .iter()
            .map(|(code, count)| format!("{count}: {code}"))
            .collect();
        let reasons: Vec<_> = row
            .reasons
            .iter()
            .map(|(reason, operations)| match operations.len() {
                1..=3 => format!("{}: `{reason}`", operations.join(", ")),
                count => format!("{count} operations: `{reason}`"),
            })
            .collect();
        let (formats, bits, chip) = key;
        writeln!(
            text,
            "| {formats} | {bits} | {chip} | {} | {} | {} |",
            row.equal,
            rules.join("; "),
            reasons.join("; ")
        )
        .expect("a string");
    }
    text
}
