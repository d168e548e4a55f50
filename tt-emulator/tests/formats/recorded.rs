//! What the simulated chips gave, as text: a line per experiment.
//!
//! `name <tab> digest of the pages <tab> index=value ..`, with some elements in hexadecimal to look at, or
//! `name <tab> refused <tab> reason`, where simulator or runtime refuse the kernel.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use tt_emulator::DataFormat;

use crate::experiment::Experiment;
use crate::operands::TILES;
use crate::simulator::read_npy;

/// What a chip made of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// Digest of the output pages, and some of their elements.
    Bits { digest: String, samples: String },
    /// Why it did not run.
    Refused(String),
}

/// FNV-1a of 64 bits.
pub fn digest(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Bytes of an element, or of a pack of them.
pub fn element_bytes(format: DataFormat) -> usize {
    match format.tile_bytes(32, 32) {
        4096 => 4,
        2048 => 2,
        _ => 1,
    }
}

/// An element in hexadecimal.
pub fn show(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}

impl Record {
    /// Of output pages.
    pub fn of(pages: &[u8], format: DataFormat) -> Record {
        let size = element_bytes(format);
        let tile = pages.len() / TILES / size;
        let sample = |index: usize| format!("{index}={}", show(&pages[index * size..][..size]));
        // Something of the tile of similar values and of the one with special ones.
        let samples = [tile + 33, 3 * tile + 290].map(sample).join(" ");
        Record::Bits {
            digest: digest(pages),
            samples,
        }
    }

    fn line(&self, name: &str) -> String {
        match self {
            Record::Bits { digest, samples } => format!("{name}\t{digest}\t{samples}\n"),
            Record::Refused(reason) => format!("{name}\trefused\t{reason}\n"),
        }
    }
}

/// Records by name.
pub fn parse(text: &str) -> Result<BTreeMap<String, Record>, String> {
    let mut records = BTreeMap::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(name), Some(digest), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("line {line:?}"));
        };
        let record = if digest == "refused" {
            Record::Refused(rest.to_owned())
        } else {
            Record::Bits {
                digest: digest.to_owned(),
                samples: rest.to_owned(),
            }
        };
        if records.insert(name.to_owned(), record).is_some() {
            return Err(format!("{name} twice"));
        }
    }
    Ok(records)
}

/// The records of experiments that `run_oracle --spec-dir` ran in `folder`.
pub fn collect(folder: &Path, experiments: &[Experiment]) -> Result<String, String> {
    let path = folder.join("summary.json");
    let summary = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let summary: Value = serde_json::from_str(&summary).map_err(|error| error.to_string())?;
    let results: BTreeMap<&str, &Value> = summary["results"]
        .as_array()
        .ok_or("no results")?
        .iter()
        .filter_map(|result| Some((result["spec"].as_str()?, result)))
        .collect();
    let mut text = String::new();
    for experiment in experiments {
        let name = experiment.name();
        let spec = format!("{name}.json");
        let result = results.get(spec.as_str()).ok_or(format!("{name} was not run"))?;
        let record = if result["ok"] == true {
            Record::of(&read_npy(&folder.join(format!("{name}.out.npy")))?, experiment.out)
        } else {
            let error = result["error"].as_str().ok_or(format!("{name}: no error"))?;
            Record::Refused(reason(error).ok_or(format!("{name}: {error}"))?)
        };
        text.write_str(&record.line(&name)).map_err(|error| error.to_string())?;
    }
    Ok(text)
}

/// The simulator's or the runtime's own words.
fn reason(error: &str) -> Option<String> {
    const RUNTIME: &str = "All input data-formats must have the same exponent format";
    if error.contains(RUNTIME) || error.contains("All input data-formats must have the same") {
        return Some(format!("runtime: {RUNTIME}"));
    }
    let said = error.split("ERROR: ").nth(1)?.lines().next()?;
    // What depends on the element that was seen first is left out.
    Some(said.split(" datum=").next()?.trim().to_owned())
}
