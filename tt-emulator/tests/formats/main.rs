//! Unpackers, matrix engine and packer against the chips: every experiment of a matrix of operations, formats, widths of the
//! destination and fidelities gives the bits that the simulated chips gave.
//!
//! To record anew, with `TT_FORMATS_SPECS` naming a folder: `cargo test -p tt-emulator --test formats -- --ignored
//! write_specs`, then `../shared/oracle/run_oracle --spec-dir $TT_FORMATS_SPECS`, then the same `cargo test` with
//! `record`. It also writes `docs/formats.md`. Formats that the runtime's tensors do not have (fp16, Bfp2_b, Bfp8) are
//! ids of `tt::DataFormat` in the specs, which that tool has to pass on. `compare` tells which elements differ;
//! `TT_FORMATS_MATCH=part,part` selects experiments by their names.

mod emulated;
mod experiment;
mod operands;
mod operation;
mod recorded;
mod simulator;
mod table;

use std::path::PathBuf;

use tt_emulator::{ArchName, DataFormat};

use experiment::{Experiment, matrix};
use recorded::Record;

const CHIPS: [ArchName; 2] = ArchName::ALL;

fn selected() -> Vec<Experiment> {
    let wanted = std::env::var("TT_FORMATS_MATCH").unwrap_or_default();
    CHIPS
        .into_iter()
        .flat_map(matrix)
        .filter(|experiment| wanted.split(',').all(|part| experiment.name().contains(part)))
        .collect()
}

fn folder() -> PathBuf {
    PathBuf::from(std::env::var("TT_FORMATS_SPECS").expect("TT_FORMATS_SPECS names a folder"))
}

#[test]
#[ignore = "writes specs for ../shared/oracle into TT_FORMATS_SPECS"]
fn write_specs() {
    let folder = folder();
    std::fs::create_dir_all(&folder).expect("a folder");
    for experiment in selected() {
        experiment.write_spec(&folder).expect("a spec");
    }
}

#[test]
#[ignore = "writes the records of what run_oracle left in TT_FORMATS_SPECS"]
fn record() {
    for arch in CHIPS {
        let text = recorded::collect(&folder(), &matrix(arch)).expect("a run of every experiment");
        std::fs::write(records(arch), text).expect("a place to write to");
    }
    std::fs::write(table::PATH, table::of(&all_records())).expect("a place to write to");
}

#[test]
#[ignore = "tells differences from the results beside the specs in TT_FORMATS_SPECS"]
fn compare() {
    let folder = folder();
    let (mut same, mut refused, mut missing) = (0, 0, 0);
    let selected = selected();
    emulated::compile(&selected);
    for experiment in selected {
        let name = experiment.name();
        let Ok(chip) = simulator::read_npy(&folder.join(format!("{name}.out.npy"))) else {
            missing += 1;
            continue;
        };
        match experiment.emulate() {
            Err(told) => {
                refused += 1;
                println!("{name}: refused: {}", told.lines().next().unwrap_or_default());
            }
            Ok(ours) if ours == chip => same += 1,
            Ok(ours) => println!("{name}: {}", difference(&ours, &chip, experiment.out)),
        }
    }
    println!("{same} equal, {refused} refused, {missing} without a chip's result");
}

fn records(arch: ArchName) -> PathBuf {
    let chip = if arch == ArchName::Blackhole {
        "blackhole"
    } else {
        "wormhole"
    };
    PathBuf::from(format!(
        "{}/tests/formats/recorded/{chip}.txt",
        env!("CARGO_MANIFEST_DIR")
    ))
}

fn all_records() -> Vec<(Experiment, Record)> {
    let mut all = Vec::new();
    for arch in CHIPS {
        let path = records(arch);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut records = recorded::parse(&text).expect("records");
        for experiment in matrix(arch) {
            let name = experiment.name();
            let record = records.remove(&name);
            all.push((experiment, record.unwrap_or_else(|| panic!("no record of {name}"))));
        }
        assert!(records.is_empty(), "records without experiments: {:?}", records.keys());
    }
    all
}

fn check(arch: ArchName) {
    let mut failures = Vec::new();
    emulated::compile(&matrix(arch));
    for (experiment, record) in all_records().into_iter().filter(|(e, _)| e.arch == arch) {
        let name = experiment.name();
        if let Some(code) = experiment.refusal() {
            match experiment.emulate() {
                Err(told) if told.contains(code) => {}
                other => failures.push(format!("{name}: should be {code}, is {}", tell(other, &experiment))),
            }
        } else if let Record::Bits { .. } = record {
            let emulated = experiment.emulate();
            if emulated.as_ref().map(|pages| Record::of(pages, experiment.out)) != Ok(record.clone()) {
                failures.push(format!("{name}: {record:?}, but {}", tell(emulated, &experiment)));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ from the chip:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn tell(emulated: Result<Vec<u8>, String>, experiment: &Experiment) -> String {
    match emulated {
        Ok(pages) => format!("{:?}", Record::of(&pages, experiment.out)),
        Err(told) => told.lines().next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn wormhole_gives_the_recorded_bits() {
    check(ArchName::WormholeB0);
}

#[test]
fn blackhole_gives_the_recorded_bits() {
    check(ArchName::Blackhole);
}

#[test]
fn the_table_in_the_documentation_is_that_of_the_records() {
    let written = std::fs::read_to_string(table::PATH).expect("the table");
    assert!(
        written == table::of(&all_records()),
        "{} is not that of the records: see the head of tests/formats/main.rs",
        table::PATH
    );
}

/// How many elements of how many differ, tile by tile, and the first of them.
fn difference(ours: &[u8], chip: &[u8], format: DataFormat) -> String {
    let size = recorded::element_bytes(format);
    let pairs: Vec<_> = ours.chunks(size).zip(chip.chunks(size)).enumerate().collect();
    let wrong: Vec<_> = pairs.iter().filter(|(_, (a, b))| a != b).collect();
    let tile = pairs.len() / operands::TILES;
    let by_tile: Vec<_> = (0..operands::TILES)
        .map(|t| wrong.iter().filter(|(i, _)| i / tile == t).count())
        .collect();
    let first: Vec<_> = wrong
        .iter()
        .take(3)
        .map(|(i, (a, b))| {
            format!(
                "[{},{}] {} not {}",
                i / tile,
                i % tile,
                recorded::show(a),
                recorded::show(b)
            )
        })
        .collect();
    format!(
        "{} of {} differ {by_tile:?}: {}",
        wrong.len(),
        pairs.len(),
        first.join("; ")
    )
}
