//! Programs that were wrong once: each file of `tests/property/found` is one as the shrinker wrote it, with what was wrong
//! and the values of a launch (`// launch: L = 2, M = 33, ..`) above the kernel. They are held against the reference, which
//! the random programs hold against plain loops.

use super::super::random::Random;
use super::program::Element;
use super::run;
use std::collections::BTreeMap;
use std::path::Path;
use tt_host::{Argument, Launch};
use tt_lang::ir::{ElementType, IntExpr, Param, ScalarKind};

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
        let compiled = run::compile(&self.source, &self.options).map_err(|verdict| format!("{verdict:?}"))?;
        let tile = compiled.tile().map_err(|error| error.to_string())?;
        run::prepare(std::iter::once(&compiled), &run::CHIPS);
        let kernel = run::kernel(compiled);
        for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
            self.run(&tile, kernel, chip)
                .map_err(|error| format!("{chip}: {error}"))?;
        }
        Ok(())
    }

    fn run(&self, tile: &tt_lang::ir::Kernel, kernel: &'static tt_host::Kernel, chip: &str) -> Result<(), String> {
        let fail = |error: tt::Error| error.to_string();
        let device = tt::Device::open_named(chip).map_err(fail)?;
        let mut random = Random::new(1);
        let mut tensors = Vec::new();
        for param in &tile.params {
            let Param::Tensor(tensor) = param else { continue };
            let extents: Vec<usize> = tensor
                .extents
                .iter()
                .map(|extent| match &extent.value {
                    IntExpr::Const(value) => *value as usize,
                    IntExpr::Extent(id) => self.values[&tile.extents[id.index()].name] as usize,
                    other => panic!("found programs have plain extents, not {other:?}"),
                })
                .collect();
            let count: usize = extents.iter().product();
            let element = match tensor.element.value {
                ElementType::Bf16 => Element::Bf16,
                ElementType::F32 => Element::F32,
                ElementType::Bfp8 => Element::Bfp8,
                ElementType::Bfp4 => Element::Bfp4,
                ElementType::F16 => Element::F16,
                ElementType::I32 => Element::I32,
                ElementType::U32 => Element::U32,
                ElementType::U16 => Element::U16,
                ElementType::U8 => Element::U8,
                ElementType::I8 => Element::I8,
            };
            // 0 and 1 where there are no others.
            let least = if element.is_unsigned() { 0.0 } else { -1.0 };
            let values: Vec<f64> = (0..count).map(|_| (random.below(3) as f64 - 1.0).max(least)).collect();
            tensors.push(run::upload(&device, element, &values, &extents).map_err(fail)?);
        }
        let mut left = tensors.iter_mut();
        let arguments: Vec<Argument<'_>> = tile
            .params
            .iter()
            .filter_map(|param| match param {
                Param::Temporary(_) | Param::Derived(_) => None,
                Param::Tensor(tensor) => left.next().map(|left| left.argument(tensor.mutable)),
                Param::Scalar(scalar) => {
                    let value = self.values[&scalar.name];
                    Some(match scalar.kind {
                        ScalarKind::F32 => Argument::from(value as f32),
                        ScalarKind::I32 => Argument::from(value as i32),
                        ScalarKind::U32 => Argument::from(value as u32),
                    })
                }
            })
            .collect();
        let launch = Launch::new(kernel, arguments);
        let reference = launch.reference().map_err(fail)?;
        launch.run().map_err(fail)?;
        drop(launch);
        let names = tile.params.iter().filter_map(|param| match param {
            Param::Tensor(tensor) => Some((tensor.name.as_str(), tensor.mutable)),
            Param::Scalar(_) | Param::Temporary(_) | Param::Derived(_) => None,
        });
        for ((name, written), tensor) in names.zip(&tensors) {
            if written {
                let got: Vec<f32> = tensor.download().map_err(fail)?.iter().map(|v| *v as f32).collect();
                let expected = &reference[name];
                let mut pairs = got.iter().zip(expected).enumerate();
                if let Some((at, (got, expected))) = pairs.find(|(_, (got, expected))| got != expected) {
                    return Err(format!("{name} is {got} at {at}, the reference says {expected}"));
                }
            }
        }
        Ok(())
    }
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
