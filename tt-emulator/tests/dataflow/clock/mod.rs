//! The clock against what was measured on silicon (reference/silicon.md): pairs of programs, which of two is faster, and by how
//! much.

mod computations;
mod moves;
mod pairs;
mod programs;

use std::sync::Arc;
use tt_emulator::{ArchName, Buffer, CoreCoord, Device, Program, launch};

use computations::computations;
use moves::moves;
use pairs::{OFF, PAIRS};
use programs::row;

use crate::rig::*;

/// Nine of ten in their order; a run within 1.3 of silicon's where a unit is busy most of the time, within 1.7 elsewhere. What is not is
/// listed with a cause, and nothing else is.
#[test]
fn it_orders_pairs_as_silicon_does() {
    for pair in PAIRS.iter() {
        let (ratios, factors) = (pair.ratios(), pair.factors());
        assert_eq!(
            pair.is_off(),
            pair.cause().is_some(),
            "{}: {ratios:.2?}, {factors:.2?}",
            pair.what
        );
    }
    let right = PAIRS.iter().filter(|pair| pair.is_right()).count();
    assert!(right * 10 >= PAIRS.len() * 9, "{right} of {}", PAIRS.len());
}

#[test]
fn moves_take_as_long_as_on_silicon() {
    for (what, modelled, measured) in moves() {
        let ratio = modelled as f64 / measured as f64;
        assert!((1.0 / 1.3..1.3).contains(&ratio), "{what}: {ratio:.2}");
    }
}

#[test]
fn its_engines_take_as_long_as_those_of_silicon() {
    for (what, modelled, measured) in computations() {
        let ratio = modelled / measured;
        assert!((1.0 / 1.3..1.3).contains(&ratio), "{what}: {ratio:.2}");
    }
}

/// A timeline is JSON, with what every processor did in its order.
#[test]
fn a_timeline_shows_every_processor() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline.json");
    let _ = std::fs::remove_file(&file);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "clock::it_is_the_same_for_any_number_of_threads_and_off_unless_asked_for",
        ])
        .env("TT_EMULATOR_TIMELINE", &file)
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    for name in [
        "\"core (7,1)\"",
        "\"NCRISC\"",
        "\"BRISC\"",
        "\"read barrier\"",
        "\"cb_wait_front\"",
    ] {
        assert!(text.contains(name), "{name}");
    }
    assert!(text.trim_end().ends_with("]}"));
}

/// docs/clock.md is as the clock has it; `TT_BLESS=1` writes it.
#[test]
fn the_page_is_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/clock.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (head, _) = page.split_once("<!-- measured -->").unwrap();
    let mut text = format!(
        "{head}<!-- measured -->\n\n| moves | modelled, cycles | measured, cycles | ratio |\n|---|---|---|---|\n"
    );
    for (what, modelled, measured) in moves() {
        let ratio = modelled as f64 / measured as f64;
        text += &format!("| {what} | {modelled} | {measured} | {ratio:.2} |\n");
    }
    text += "\n| computes | modelled, cycles a tile | measured | ratio |\n|---|---|---|---|\n";
    for (what, modelled, measured) in computations() {
        text += &format!(
            "| {what} | {modelled:.1} | {measured:.1} | {:.2} |\n",
            modelled / measured
        );
    }
    let right = PAIRS.iter().filter(|pair| pair.is_right()).count();
    text += &format!("\n{right} of {} pairs are in silicon's order.\n\n", PAIRS.len());
    text +=
        "| row | a decision: first, second | first / second on silicon | by the clock | in order | first | second |\n";
    text += "|---|---|---|---|---|---|---|\n";
    for pair in PAIRS.iter() {
        let [silicon, clock] = pair.ratios();
        let order = if pair.is_right() { "yes" } else { "**no**" };
        text += &format!("| {} | {} | {silicon:.2} | {clock:.2} | {order} |", pair.id, pair.what);
        for ((factor, is_near), time) in pair.factors().iter().zip(&pair.modelled) {
            let busy = if time.saturated { ", busy" } else { "" };
            text += &match is_near {
                true => format!(" {factor:.2}{busy} |"),
                false => format!(" **{factor:.2}**{busy} |"),
            };
        }
        text += "\n";
    }
    text += "\nWhat is off, and why as far as it is known:\n\n";
    for (start, cause) in OFF {
        text += &format!("- {start}: {cause}.\n");
    }
    if std::env::var_os("TT_BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    } else {
        assert!(page == text, "docs/clock.md is out of date: TT_BLESS=1 writes it");
    }
}

#[test]
fn it_is_the_same_for_any_number_of_threads_and_off_unless_asked_for() {
    let times = [1, 3].map(|threads| {
        let (device, program, _buffers) = copy_program(ArchName::WormholeB0, &row(16), 512, 4, 2);
        assert_eq!(launch(&device, &program, threads).unwrap().modelled, None);
        device.set_clock(true);
        launch(&device, &program, threads).unwrap().modelled
    });
    assert!(times[0].is_some());
    assert_eq!(times[0], times[1]);
}

fn copy_program(
    arch: ArchName,
    cores: &[CoreCoord],
    pages: usize,
    block: u32,
    depth: u32,
) -> (Arc<Device>, Program, [Buffer; 2]) {
    let device = device(arch);
    let buffers = [0; 2].map(|_| dram(&device, pages));
    let program = copy_program_over("copy_writer.cpp", &buffers, cores, block, depth);
    (device, program, buffers)
}
