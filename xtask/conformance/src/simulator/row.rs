//! One kernel of the table: its launches, and how far their results are apart.

use super::case::Case;
use super::distance::Distance;
use super::inputs::{self, Kind};
use super::oracle::{Failure, Oracle};
use super::{bound, npy, padding, spec};
use crate::emulated::{self, TensorValues};
use std::collections::BTreeSet;
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
    /// It was not run now: its line of the page, and the launches that the page lists as without a result.
    Kept { line: String, silent: BTreeSet<String> },
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
    /// How far each tensor may be from the reference; nothing for extreme inputs, where it has no bound.
    allowed: Option<Vec<Vec<f64>>>,
    /// What is farther: on the emulator, on the simulated chip.
    beyond: Vec<String>,
}

impl Row {
    /// What the page says of a kernel; `silent` are all launches that it lists.
    pub fn kept(case: &Case, line: String, silent: &BTreeSet<String>) -> Row {
        let own = silent
            .iter()
            .filter(|launch| launch.split(' ').next() == Some(&case.name));
        let silent = own.cloned().collect();
        Row {
            name: case.name.clone(),
            operation: case.operation.clone(),
            section: case.section,
            outcome: Outcome::Kept { line, silent },
        }
    }

    /// Compiles the kernel, runs it on the emulator and writes its specs below `out`.
    pub fn prepare(case: &Case, chips: &[&str], seed: u64, out: &Path) -> Result<Row, String> {
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
                    let mut values = emulated::tensors(&plan, extents)?;
                    inputs::fill(case, kind, seed, &plan, &mut values);
                    let allowed = match kind {
                        Kind::Ordinary => Some(bound::allowed(kernel, &values.0, &values.1, &plan)?),
                        Kind::Extreme => None,
                    };
                    let outcome = emulated::run(kernel, artifact, plan.clone(), values, chip)
                        .map_err(|error| format!("{} on the emulated {chip}: {error}", case.name))?;
                    let shape: Vec<String> = extents.iter().map(usize::to_string).collect();
                    let folder = folder.join(format!("{chip}-{name}-{}", shape.join("x")));
                    spec::write(&folder, &kernels, &outcome, chip)?;
                    let tensors = outcome.tensors.into_iter().filter(|tensor| tensor.written);
                    let mut launch = Launch {
                        folder,
                        kind,
                        tensors: tensors.collect(),
                        failure: None,
                        to_emulator: Distance::default(),
                        to_reference: Distance::default(),
                        allowed,
                        beyond: Vec::new(),
                    };
                    for at in 0..launch.tensors.len() {
                        let found = launch.tensors[at].after.clone();
                        launch.judge("the emulator", at, &found);
                    }
                    launches.push(launch);
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
            for at in 0..launch.tensors.len() {
                let tensor = &launch.tensors[at];
                let path = launch.folder.join(spec::output(&tensor.name));
                let found = npy::read(&path, padding::padded(&tensor.shape).iter().product())?;
                let found = padding::crop(&found, &tensor.shape);
                launch.to_emulator.add(tensor.element, &found, &tensor.after);
                launch.to_reference.add(tensor.element, &found, &tensor.reference);
                launch.judge("the simulated chip", at, &found);
            }
        }
        Ok(())
    }

    /// The launches that did not run, that differ from the emulator, and those whose results are beyond the bound of
    /// their formats. What the simulator can say nothing of, `silent` knows: by the kernel, the chip and the inputs.
    pub fn failures(&self, silent: &BTreeSet<String>) -> Vec<String> {
        let mut out = Vec::new();
        for (launch, name) in self.launches() {
            let mut say = |what: String| out.push(format!("{}: {what}", launch.folder.display()));
            match &launch.failure {
                None if launch.to_emulator.is_equal() => {}
                None => say(format!("differs from the emulator: {}", launch.to_emulator)),
                Some(Failure::Launch(failure)) if launch.kind == Kind::Ordinary => say(failure.clone()),
                Some(_) if silent.contains(&name) => {}
                Some(failure) => say(format!("was judged before, and now {failure}")),
            }
            launch.beyond.iter().cloned().for_each(say);
        }
        out
    }

    /// The launches of which the simulator can say nothing.
    pub fn silent(&self) -> BTreeSet<String> {
        if let Outcome::Kept { silent, .. } = &self.outcome {
            return silent.clone();
        }
        let silent = self.launches().filter(|(launch, _)| match &launch.failure {
            Some(Failure::Compiler | Failure::Code | Failure::Instruction(_)) => true,
            Some(Failure::Launch(_)) => launch.kind == Kind::Extreme,
            None => false,
        });
        silent.map(|(_, name)| name).collect()
    }

    /// Every launch, with the name under which the page lists it where it is not judged.
    fn launches(&self) -> impl Iterator<Item = (&Launch, String)> {
        let chips = match &self.outcome {
            Outcome::Run { chips, .. } => chips.as_slice(),
            Outcome::Refused(_) | Outcome::Kept { .. } => &[],
        };
        chips.iter().flat_map(|chip| {
            chip.launches.iter().map(|launch| {
                let folder = launch.folder.file_name().unwrap_or_default().to_string_lossy();
                (launch, format!("{} {folder}", self.name))
            })
        })
    }
}

impl Launch {
    /// Holds a tensor as somebody left it against the reference.
    fn judge(&mut self, whose: &str, at: usize, found: &[f32]) {
        let Some(allowed) = &self.allowed else {
            return;
        };
        if let Some(beyond) = bound::exceeded(found, &self.tensors[at].reference, &allowed[at]) {
            self.beyond
                .push(format!("`{}` of {whose}: {beyond}", self.tensors[at].name));
        }
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
