//! Every program of the book is run, and prints what its page shows; what fails shows its error.
//! `TT_BLESS=1 cargo test -p tt-book` writes that into the pages.

#[path = "../programs/blocks.rs"]
mod blocks;

use blocks::{Block, blocks, pages};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// What the program `name` prints: its output, then its errors. `Err` where it fails and its page does not show how.
fn printed(name: &str, output: &Output, is_shown: bool) -> Result<String, String> {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let text = text.concat();
    // How long the emulator took is another every time.
    let is_wall_time = |line: &&str| line.starts_with("wall time");
    let text: String = text.split_inclusive('\n').filter(|line| !is_wall_time(line)).collect();
    match output.status.code() {
        Some(0) => Ok(text),
        Some(1) if is_shown && text.contains("Error: ") && !text.contains("panicked") => Ok(text),
        _ => Err(format!("`{name}` ended with {}:\n{text}", output.status)),
    }
}

/// What every program prints, in the order of `names`; several run at once.
fn run(names: &[(String, bool)]) -> BTreeMap<String, Result<String, String>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let worker = || {
        while let Some((name, is_shown)) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            let output = Command::new(env!("CARGO_BIN_EXE_book"))
                .arg(name)
                .env_remove("TT_DEVICE")
                .env_remove("TT_EMULATOR_FPU")
                .env_remove("TT_EMULATOR_TIMELINE")
                .output()
                .expect("the program starts");
            let said = printed(name, &output, *is_shown);
            found.lock().expect("no worker panics").insert(name.clone(), said);
        }
    };
    let count = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..count).for_each(|_| drop(scope.spawn(worker))));
    found.into_inner().expect("no worker panics")
}

#[test]
fn every_program_prints_what_its_page_shows() {
    let pages = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the pages are there");
    let of_pages: Vec<Vec<Block>> = pages.iter().map(|page| blocks(&page.text)).collect();
    let all = || of_pages.iter().flatten();
    let shown: BTreeSet<&str> = all().filter(|block| block.is_printed()).map(Block::name).collect();
    let names: Vec<(String, bool)> = all()
        .filter(|block| block.is_program())
        .map(|block| (block.name().to_string(), shown.contains(block.name())))
        .collect();
    assert!(names.len() > 10, "{names:?}");
    let said = run(&names);
    let mut wrong: Vec<String> = said.values().filter_map(|said| said.clone().err()).collect();
    for (page, blocks) in pages.iter().zip(&of_pages) {
        let mut text = page.text.clone();
        // From the last one on, so that the places of those before it stay.
        for block in blocks.iter().rev().filter(|block| block.is_printed()) {
            let (from, to) = block.place;
            match said.get(block.name()) {
                Some(Ok(said)) => text.replace_range(from..to, &format!("{}\n", said.trim_end())),
                Some(Err(_)) => {}
                None => wrong.push(format!("{}: no program `{}`", page.path.display(), block.name())),
            }
        }
        if text == page.text {
            continue;
        }
        if env::var_os("TT_BLESS").is_some() {
            fs::write(&page.path, text).expect("the page can be written");
        } else {
            let differs = |(old, new): &(&str, &str)| old != new;
            let lines = page.text.lines().zip(text.lines()).find(differs);
            wrong.push(format!(
                "{}: `TT_BLESS=1 cargo test -p tt-book` writes what programs print; the first line that differs: {lines:?}",
                page.path.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rust that is no program and no file of the repository would be neither compiled nor run.
#[test]
fn every_block_of_rust_is_a_file_or_a_program_below_the_command_that_runs_it() {
    for page in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the pages are there") {
        for block in blocks(&page.text) {
            let is_rust = block.words.first().is_some_and(|word| word == "rust");
            let is_checked = block.is_program() || block.file().is_some();
            assert!(!is_rust || is_checked, "{}: {}", page.path.display(), block.text);
            let name = block.name();
            let command = format!("`cargo run --release -p tt-book {name}`\n\n```rust {name}\n");
            let is_below = page.text[..block.place.0].ends_with(&command);
            assert!(!block.is_program() || is_below, "{}: {command}", page.path.display());
        }
    }
}
