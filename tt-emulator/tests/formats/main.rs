//! Unpackers, matrix engine and packer against the chips: every experiment of a matrix of operations, formats, widths of the
//! destination and fidelities gives the bits that the simulated chips gave.

mod emulated;
mod experiment;
mod operands;
mod operation;
mod simulator;

use std::path::PathBuf;

use tt_emulator::{ArchName, DataFormat};

use experiment::{Experiment, matrix};

const CHIPS: [ArchName; 2] = [ArchName::WormholeB0, ArchName::Blackhole];

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
#[ignore = "compares with the results beside the specs in TT_FORMATS_SPECS"]
fn compare() {
    let folder = folder();
    let (mut same, mut refused, mut missing) = (0, 0, 0);
    for experiment in selected() {
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

/// How many elements of how many differ, tile by tile, and the first of them.
fn difference(ours: &[u8], chip: &[u8], format: DataFormat) -> String {
    let size = match format.tile_bytes(32, 32) {
        4096 => 4,
        2048 => 2,
        _ => 1,
    };
    let pairs: Vec<_> = ours.chunks(size).zip(chip.chunks(size)).enumerate().collect();
    let wrong: Vec<_> = pairs.iter().filter(|(_, (a, b))| a != b).collect();
    let show = |bytes: &[u8]| bytes.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    let tile = pairs.len() / operands::TILES;
    let by_tile: Vec<_> = (0..operands::TILES)
        .map(|t| wrong.iter().filter(|(i, _)| i / tile == t).count())
        .collect();
    let first: Vec<_> = wrong
        .iter()
        .take(3)
        .map(|(i, (a, b))| format!("[{},{}] {} not {}", i / tile, i % tile, show(a), show(b)))
        .collect();
    format!(
        "{} of {} differ {by_tile:?}: {}",
        wrong.len(),
        pairs.len(),
        first.join("; ")
    )
}
