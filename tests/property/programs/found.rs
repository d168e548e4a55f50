//! Programs that were wrong once: each file of `tests/property/found` is one as the shrinker wrote it, with what was wrong
//! and the values of a launch (`// launch: L = 2, M = 33, ..`) above the kernel. They are held against the reference, which
//! the random programs hold against plain loops.

use super::super::compiled::{self, CHIPS, Compiled, DEVICES, launched, prepare};
use super::super::random::Random;
use super::run;
use std::collections::BTreeMap;
use std::path::Path;
use tt_host::Kernel;
use tt_lang::ir::{ElementType, Kernel as Tile};

/// A found program with the values of its launch.
struct Found {
    source: String,
    options: String,
    values: BTreeMap<String, i64>,
}

impl Found {
    fn read(path: &Path) -> Found {
        let source = std::fs::read_to_string(path).expect("the file was listed");
        let header = |name: &str| {
            let line = source.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{} has no `{name}`", path.display()))
                .trim()
        };
        let values = header("// launch:").split(',').map(|pair| {
            let (name, value) = pair.split_once('=').expect("a name and a value");
            (name.trim().to_owned(), value.trim().parse().expect("a whole number"))
        });
        Found {
            options: header("// options:").to_owned(),
            values: values.collect(),
            source: source.clone(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let (compiled, _) = run::compile(&self.source, &self.options).map_err(|verdict| format!("{verdict:?}"))?;
        let tile = compiled.tile.clone();
        prepare(std::iter::once(&compiled), &CHIPS);
        let rewritten = compiled.rewritten().map_err(|errors| format!("{errors:?}"))?;
        let kernel = compiled.kernel();
        for name in DEVICES {
            let mut random = Random::new(1);
            // 0 and 1 where there are no others.
            let mut element = |element: ElementType| {
                let is_unsigned = matches!(element, ElementType::U32 | ElementType::U16 | ElementType::U8);
                let least = if is_unsigned { 0.0 } else { -1.0 };
                (random.below(3) as f64 - 1.0).max(least)
            };
            let named = |name: &str| self.values[name] as f64;
            let checked = tt::Device::open_named(name)
                .and_then(|device| compiled::check(&device, (&tile, kernel), &named, &mut element, 0.0))
                .map_err(|error| format!("{name}: {error}"))?;
            if checked.elements == 0 || checked.skipped > 0 {
                return Err(format!("{name}: {checked}"));
            }
        }
        match rewritten {
            Some(rewritten) => self.keeps(&tile, kernel, rewritten),
            None => Ok(()),
        }
    }

    /// What the passes from the language to itself made of the program computes the same.
    fn keeps(&self, tile: &Tile, kernel: &'static Kernel, rewritten: Compiled) -> Result<(), String> {
        let of_passes = rewritten.tile.clone();
        let reference = |tile, kernel| {
            let mut random = Random::new(1);
            let named = |name: &str| self.values[name] as f64;
            let element = |_| random.below(2) as f64;
            tt::Device::open()
                .and_then(|device| launched(&device, (tile, kernel), &named, element, |launch| launch.reference()))
                .map_err(|error| format!("the reference: {error}"))
        };
        let (whole, passes) = (reference(tile, kernel)?, reference(&of_passes, rewritten.kernel())?);
        if whole.prints() != passes.prints() {
            return Err("what the passes make of it prints other lines".to_string());
        }
        match whole.names().find(|name| bits(&whole[name]) != bits(&passes[name])) {
            Some(name) => Err(format!("what the passes make of it computes another `{name}`")),
            None => Ok(()),
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn programs_that_were_wrong_once_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/property/found");
    let files = std::fs::read_dir(&folder).expect("the folder is part of the repository");
    let mut checked = 0;
    for file in files {
        let path = file.expect("the folder can be read").path();
        Found::read(&path)
            .check()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        checked += 1;
    }
    assert!(checked > 0, "{} is empty", folder.display());
}
