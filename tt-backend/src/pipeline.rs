//! The pipeline: a table of passes, each of which takes what the one before it gives.
//!
//! A kernel of several stages goes through it stage by stage, each a kernel of its own (`stages` has what holds between them, and joins
//! them for the code writer).
//!
//! A [`Pass`] is a value of its module: its name, what it does, `run`, and `check`, which proves of what it gives all that
//! must hold there. The table is written once, at the end of this file; running, [`PASSES`], dumps and timings are made
//! of it.

use crate::artifact::{Artifact, Stage};
use crate::device::Device;
use crate::passes::b2_grid_to_cores::Facts;
use crate::passes::split_conditions::Tile;
use crate::passes::*;
use crate::stages::Joined;
use crate::verify::Verified;
use crate::{codegen, stages, verify};
use std::borrow::Cow;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{self, Kernel};

/// Why a kernel is not compiled.
pub type Errors = Vec<Diagnostic>;

/// A pass from `I` to `O`.
pub struct Pass<I, O> {
    /// Its name, of dumps and timings (`D1 split_kernel`).
    pub name: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    /// Makes `O` of `I`.
    pub run: fn(I) -> Result<O, Errors>,
    /// What must hold of `O`. Errors are faults of the compiler, and budgets that the kernel exceeds.
    pub check: fn(&O) -> Result<(), Errors>,
}

impl<I: Form, O: Form> Pass<I, O> {
    /// What the table shows of it.
    const fn row(&self) -> Row {
        Row {
            name: self.name,
            does: self.does,
            takes: I::NAME,
            gives: O::NAME,
        }
    }
}

/// What a pass takes or gives.
pub trait Form {
    /// What it is called.
    const NAME: &'static str;

    /// Its text form; none where it is what is written anyway.
    fn text(&self) -> Option<String>;

    /// The kernel, of which alone the text form is: most passes from the language to itself leave most kernels as they are.
    fn kernel(&self) -> Option<&Kernel> {
        None
    }
}

/// A pass as the table shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub does: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// What it gives.
    pub gives: &'static str,
}

/// A kernel whose blocks are lowered: what is known of it, and its program.
#[derive(Debug, Clone)]
pub struct Unit<P> {
    /// What is known of it.
    pub facts: Facts,
    /// What one block of its grid does.
    pub program: P,
}

impl<P> Unit<P> {
    /// This kernel with the program that `lower` makes.
    pub fn lowered<Q>(self, lower: impl FnOnce(&Facts, P) -> Result<Q, Errors>) -> Result<Unit<Q>, Errors> {
        let program = lower(&self.facts, self.program)?;
        Ok(Unit {
            facts: self.facts,
            program,
        })
    }

    /// This kernel with its program changed.
    pub fn changed(mut self, change: impl FnOnce(&Facts, &mut P) -> Result<(), Errors>) -> Result<Unit<P>, Errors> {
        change(&self.facts, &mut self.program)?;
        Ok(self)
    }
}

/// Compiles `kernel`: runs the whole pipeline, verifies the result and writes the artifact.
///
/// # Errors
/// Every reason found why the kernel cannot be compiled, at the tokens at fault.
pub fn compile(kernel: &Kernel) -> Result<Artifact, Errors> {
    timed(kernel).map(|(artifact, _)| artifact)
}

/// As [`compile`], of several kernels beside each other.
pub fn compile_each(kernels: &[&Kernel]) -> Vec<Result<Artifact, Errors>> {
    of_each(kernels, |_, kernel| compile(kernel))
}

/// How long each pass took, in order.
pub type Times = Vec<(&'static str, Duration)>;

/// As [`compile`], with the time each pass took.
///
/// # Errors
/// As [`compile`].
pub fn timed(kernel: &Kernel) -> Result<(Artifact, Times), Errors> {
    let mut log = Log::new(kernel, Unproved::Refused);
    let artifact = run(kernel, &mut log)?;
    let stages = log.stages;
    Ok((Artifact { stages, ..artifact }, log.times))
}

/// Every stage of `kernel` through the pipeline, and what is written of all.
fn run(kernel: &Kernel, log: &mut Log) -> Result<Artifact, Errors> {
    let mut errors = stages::check(kernel);
    let mut verified = Vec::new();
    let stages = kernel.stages();
    let is_one = stages.len() == 1;
    let empty = &*log;
    // None knows of another.
    let made = of_each(&stages, |number, stage| {
        let mut log = empty.of_stage((!is_one).then_some(number));
        let unit = lower(Tile::of(stage), &mut log);
        (unit.and_then(|unit| prove(unit, &mut log)), log)
    });
    for (stage, of_stage) in made {
        log.and(of_stage);
        match stage {
            Ok(stage) => verified.push(stage),
            // What is wrong with a parameter is so in every stage.
            Err(found) => found.into_iter().for_each(|error| {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }),
        }
    }
    match errors.is_empty() {
        true => write(verified, log),
        false => Err(errors),
    }
}

/// What `make` makes of each of `items`, by its number: several on a thread each, where there are threads to be had.
pub(crate) fn of_each<T: Sync, R: Send>(items: &[T], make: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    if let [one] = items {
        return vec![make(0, one)];
    }
    let make = &make;
    thread::scope(|scope| {
        let numbered = || items.iter().enumerate();
        let start = |(at, item)| thread::Builder::new().spawn_scoped(scope, move || make(at, item));
        let running: Vec<_> = numbered().map(start).collect();
        let ended = numbered().zip(running).map(|((at, item), running)| match running {
            Ok(running) => running.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => make(at, item),
        });
        ended.collect()
    })
}

/// As [`compile`], but writes also what could not be proved, with the reasons: for the mutation test, which has to see
/// that more than the verifier notices a broken pass. Nothing that is to run comes this way.
///
/// # Errors
/// As [`compile`], but for what the verifier finds.
#[doc(hidden)]
pub fn unverified(kernel: &Kernel) -> Result<(Artifact, Errors), Errors> {
    let mut log = Log::new(kernel, Unproved::Kept(Vec::new()));
    let artifact = run(kernel, &mut log)?;
    let faults = match log.unproved {
        Unproved::Refused => Vec::new(),
        Unproved::Kept(faults) => faults,
    };
    Ok((artifact, faults))
}

/// The program of a kernel of one stage as it leaves E1, before it is verified: what mutants are made of.
///
/// # Errors
/// As [`compile`], but for what the verifier finds.
#[doc(hidden)]
pub fn lowered(kernel: &Kernel) -> Result<Device, Errors> {
    let mut log = Log::new(kernel, Unproved::Refused);
    lower(Tile::of(kernel), &mut log).map(|unit| unit.program)
}

/// The kernel that the passes from the language to itself make of `kernel`: it computes the same, which tests ask the reference.
///
/// # Errors
/// As [`compile`], of these passes.
#[doc(hidden)]
pub fn rewritten(kernel: &Kernel) -> Result<Kernel, Errors> {
    let mut log = Log::new(kernel, Unproved::Refused);
    let stages = kernel.stages();
    let stages = stages.iter().map(|stage| rewrite(Tile::of(stage), &mut log));
    let mut stages = stages.collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = stages.next().ok_or_else(Vec::new)?.kernel;
    let later = stages.map(|Tile { kernel, .. }| ir::Stage {
        grid: kernel.grid,
        blocks: kernel.blocks,
        variables: kernel.variables,
        body: kernel.body,
    });
    let later = later.collect();
    Ok(Kernel { later, ..first })
}

/// What is written of a kernel's stages, verified or not: for mutants, to see who else notices them.
///
/// # Errors
/// What the code writer refuses.
#[doc(hidden)]
pub fn written(stages: impl IntoIterator<Item = (Kernel, Device)>) -> Result<Artifact, Errors> {
    codegen::artifact(&Joined::of(stages).ok_or_else(Vec::new)?)
}

/// What becomes of a kernel of which something is not proved.
enum Unproved {
    /// It is refused.
    Refused,
    /// It is written nevertheless; these are the reasons.
    Kept(Errors),
}

/// The stages and times so far.
struct Log<'k> {
    /// The number of the kernel's stage, where it has several.
    stage: Option<usize>,
    /// The kernel that was written last, where nothing else was since, and its text.
    last: Option<(Cow<'k, Kernel>, String)>,
    stages: Vec<Stage>,
    times: Times,
    unproved: Unproved,
}

impl<'k> Log<'k> {
    fn new(kernel: &'k Kernel, unproved: Unproved) -> Log<'k> {
        let name = "tile".to_string();
        let text = kernel.to_string();
        Log {
            stage: None,
            last: Some((Cow::Borrowed(kernel), text.clone())),
            stages: vec![Stage { name, text }],
            times: Vec::new(),
            unproved,
        }
    }

    /// That of a stage, with nothing in it yet.
    fn of_stage(&self, stage: Option<usize>) -> Log<'k> {
        Log {
            stage,
            last: self.last.clone(),
            stages: Vec::new(),
            times: Vec::new(),
            unproved: match self.unproved {
                Unproved::Refused => Unproved::Refused,
                Unproved::Kept(_) => Unproved::Kept(Vec::new()),
            },
        }
    }

    /// This one, and behind it what is in that of a stage.
    fn and(&mut self, of_stage: Log<'k>) {
        self.stages.extend(of_stage.stages);
        self.times.extend(of_stage.times);
        if let (Unproved::Kept(faults), Unproved::Kept(more)) = (&mut self.unproved, of_stage.unproved) {
            faults.extend(more);
        }
    }

    fn run<I: Form, O: Form>(&mut self, pass: &Pass<I, O>, input: I) -> Result<O, Errors> {
        let start = Instant::now();
        let output = (pass.run)(input)?;
        if let Err(reasons) = (pass.check)(&output) {
            match &mut self.unproved {
                Unproved::Refused => return Err(reasons),
                Unproved::Kept(faults) => faults.extend(reasons),
            }
        }
        self.times.push((pass.name, start.elapsed()));
        if let Some(text) = self.text(&output) {
            let name = match self.stage {
                None => pass.name.to_string(),
                Some(number) => format!("{}, stage {}", pass.name, number.saturating_add(1)),
            };
            self.stages.push(Stage { name, text });
        }
        Ok(output)
    }

    /// The text form of what a pass gives.
    fn text(&mut self, output: &impl Form) -> Option<String> {
        let kernel = output.kernel();
        if let (Some(kernel), Some((last, text))) = (kernel, &self.last)
            && *kernel == **last
        {
            return Some(text.clone());
        }
        let text = output.text();
        self.last = kernel.cloned().map(Cow::Owned).zip(text.clone());
        text
    }
}

/// The passes as a table, and as functions that run them: those from the language to itself, those to E1, on to the proof and over
/// all stages. Types that do not meet do not compile.
macro_rules! pipeline {
    ($($tile:path,)+; $($lower:path,)+; $($prove:path,)+; $($write:path,)+) => {
        /// Every pass, in the order they run.
        pub const PASSES: &[Row] =
            &[$($tile.row(),)+ $($lower.row(),)+ $($prove.row(),)+ $($write.row(),)+];

        fn rewrite(tile: Tile, log: &mut Log) -> Result<Tile, Errors> {
            $(let tile = log.run(&$tile, tile)?;)+
            Ok(tile)
        }

        fn lower(tile: Tile, log: &mut Log) -> Result<Unit<Device>, Errors> {
            let unit = rewrite(tile, log)?;
            $(let unit = log.run(&$lower, unit)?;)+
            Ok(unit)
        }

        fn prove(unit: Unit<Device>, log: &mut Log) -> Result<Verified, Errors> {
            $(let unit = log.run(&$prove, unit)?;)+
            Ok(unit)
        }

        fn write(stages: Vec<Verified>, log: &mut Log) -> Result<Artifact, Errors> {
            $(let stages = log.run(&$write, stages)?;)+
            Ok(stages)
        }
    };
}

pipeline![
    skip_turns::PASS,
    reduce_integers::PASS,
    hold_elements::PASS,
    split_conditions::PASS,
    assert_integers::PASS,
    unstack::PASS,
    fill_parts::PASS,
    ;
    orient_vectors::PASS,
    a1_infer_layout::PASS,
    a2_propagate_layout::PASS,
    b1_partition_work::PASS,
    b2_grid_to_cores::PASS,
    c1_lower_shared_to_cb::PASS,
    pad_tiles::PASS,
    c2_lower_tile_intrinsics::PASS,
    c3_build_dataflow::PASS,
    d1_split_kernel::PASS,
    multicast_reuse::PASS,
    d2_bind_tensor_accessors::PASS,
    d3_lower_cb_protocol::PASS,
    d4_insert_compute_init::PASS,
    d5_insert_dst_management::PASS,
    give_names::PASS,
    rasterize::PASS,
    e1_finalize_signature::PASS,
    ;
    verify::PASS,
    ;
    stages::PASS,
    codegen::PASS,
];
