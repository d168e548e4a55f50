//! One kernel of the table: its launches, and how far their results are apart.

use super::case::Case;
use super::distance::Distance;
use super::inputs::{self, Kind};
use super::oracle::{Failure, Oracle};
use super::{npy, spec};
use crate::emulated::{self, TensorValues};
use std::path::{Path, PathBuf};
use tt_plan::{Parameter, Plan};

/// A kernel with what was found out about it.
pub struct Row {
    pub name: String,
    pub operation: String,
    pub section: &'static str,
    pub outcome: Outcome,
}

/// What became of a kernel.
pub enum Outcome {
    /// The compiler does not take it; its words.
    Refused(String),
    /// It was run.
    Run { facts: Facts, chips: Vec<Chip> },
}

/// What the plan says.
pub struct Facts {
    /// Element types of what is read and what is written.
    pub types: String,
    pub fidelity: String,
    /// Bits of a destination register.
    pub destination: u32,
}

/// The launches on one chip.
pub struct Chip {
    pub arch: &'static str,
    /// Whether the mode that the simulated Wormhole lacks was left out, on both sides.
    pub without_unpack_to_dest: bool,
    pub launches: Vec<Launch>,
}

/// One launch.
pub struct Launch {
    folder: PathBuf,
    pub kind: Kind,
    tensors: Vec<TensorValues>,
    /// Why it did not run on the simulator.
    pub failure: Option<Failure>,
    pub to_emulator: Distance,
    pub to_reference: Distance,
}

impl Row {
    /// Compiles the kernel, runs it on the emulator and writes its specs below `out`.
    pub fn prepare(case: &Case, chips: &[&str], out: &Path) -> Result<Row, String> {
        let folder = out.join(&case.name);
        let fail = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let file = folder.join("case.rs");
        std::fs::write(&file, &case.source).map_err(fail)?;
        let row = |outcome| Row {
            name: case.name.clone(),
            operation: case.operation.clone(),
            section: case.section,
            outcome,
        };
        let emitted = tt_build::kernels_of_crate(&file);
        let [emitted] = emitted.as_slice() else {
            return Err(format!("{} has {} kernels, not one", file.display(), emitted.len()));
        };
        let (kernel, artifact) = match &emitted.outcome {
            Ok(both) => both,
            // A mistake of the case itself is not the compiler's limit.
            Err(errors) if !errors.iter().all(|error| is_a_limit(error)) => {
                return Err(format!("{}: {}", case.name, errors.join("\n")));
            }
            Err(errors) => return Ok(row(Outcome::Refused(first_line(errors)))),
        };
        let kernels = spec::Kernels::write(artifact)?;
        let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
        let mut run = Vec::new();
        for chip in super::CHIPS.into_iter().filter(|chip| chips.contains(chip)) {
            let (plan, left_out) = plan_for(chip, plan.clone());
            let mut launches = Vec::new();
            for extents in case.shapes {
                for (kind, name) in Kind::ALL {
                    let (bindings, mut tensors) = emulated::tensors(&plan, extents)?;
                    inputs::fill(case, kind, &mut tensors);
                    let outcome = emulated::run(kernel, artifact, plan.clone(), (bindings, tensors), chip)
                        .map_err(|error| format!("{} on the emulated {chip}: {error}", case.name))?;
                    let shape: Vec<String> = extents.iter().map(usize::to_string).collect();
                    let folder = folder.join(format!("{chip}-{name}-{}", shape.join("x")));
                    spec::write(&folder, &kernels, &outcome, chip)?;
                    launches.push(Launch {
                        folder,
                        kind,
                        tensors: outcome.tensors.into_iter().filter(|tensor| tensor.written).collect(),
                        failure: None,
                        to_emulator: Distance::default(),
                        to_reference: Distance::default(),
                    });
                }
            }
            run.push(Chip {
                arch: chip,
                without_unpack_to_dest: left_out,
                launches,
            });
        }
        Ok(row(Outcome::Run {
            facts: facts(&plan),
            chips: run,
        }))
    }

    /// Reads what the simulator left.
    pub fn compare(&mut self, oracle: &Oracle) -> Result<(), String> {
        let Outcome::Run { chips, .. } = &mut self.outcome else {
            return Ok(());
        };
        for launch in chips.iter_mut().flat_map(|chip| &mut chip.launches) {
            launch.failure = oracle.failure(&launch.folder);
            if launch.failure.is_some() {
                continue;
            }
            for tensor in &launch.tensors {
                let path = launch.folder.join(spec::output(&tensor.name));
                let found = npy::read(&path, tensor.after.len())?;
                launch.to_emulator.add(tensor.element, &found, &tensor.after);
                launch.to_reference.add(tensor.element, &found, &tensor.reference);
            }
        }
        Ok(())
    }

    /// The launches that did not run or differ from the emulator. The simulator may refuse extreme inputs, which the
    /// table says.
    pub fn failures(&self) -> Vec<String> {
        let Outcome::Run { chips, .. } = &self.outcome else {
            return Vec::new();
        };
        let launches = chips.iter().flat_map(|chip| &chip.launches);
        launches
            .filter_map(|launch| {
                let what = match &launch.failure {
                    None if launch.to_emulator.is_equal() => return None,
                    None => format!("differs from the emulator: {}", launch.to_emulator),
                    Some(Failure::Launch(failure)) if launch.kind == Kind::Ordinary => failure.clone(),
                    Some(_) => return None,
                };
                Some(format!("{}: {what}", launch.folder.display()))
            })
            .collect()
    }
}

/// Whether an error is one of the compiler (codes 400 to 599), not of the language.
fn is_a_limit(error: &str) -> bool {
    error.contains("error[TT04") || error.contains("error[TT05")
}

fn first_line(errors: &[String]) -> String {
    let line = errors.iter().flat_map(|error| error.lines()).next();
    line.unwrap_or_default().to_string()
}

/// The plan as the simulated chip can run it. The simulated Wormhole does not have the mode that unpacks 32 bits
/// straight into a destination register (shared/oracle/README.md, limits): f32 then passes through a source register,
/// which keeps 19 bits.
fn plan_for(chip: &str, mut plan: Plan) -> (Plan, bool) {
    let mut left_out = false;
    if chip == "wormhole_b0" {
        for cb in &mut plan.circular_buffers {
            left_out |= std::mem::take(&mut cb.unpack_to_dest_fp32);
        }
    }
    (plan, left_out)
}

fn facts(plan: &Plan) -> Facts {
    let mut sides: [Vec<&str>; 2] = Default::default();
    for parameter in &plan.parameters {
        if let Parameter::Tensor { element, mutable, .. } = parameter {
            let side = &mut sides[usize::from(*mutable)];
            if !side.contains(&element.name()) {
                side.push(element.name());
            }
        }
    }
    Facts {
        types: sides.map(|side| side.join(", ")).join(" → "),
        fidelity: format!("{:?}", plan.compute.math_fidelity),
        destination: if plan.compute.fp32_dest_acc_en { 32 } else { 16 },
    }
}
