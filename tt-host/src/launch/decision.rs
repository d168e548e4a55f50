//! What a launch decides before it runs, kept for the launches that ask the same: of several variants the one that is estimated to
//! be fastest, and which core takes which blocks.
//!
//! Both follow from the kernel, the extents and scalars of its arguments, what the launch asks for, and the device. To estimate them takes
//! longer than a small launch, so a device keeps them, as it keeps programs.

use super::argument::{Argument, Value};
use super::binding::bind;
use super::workload::check_budgets;
use super::{Constant, Launch};
use crate::device::DeviceCore;
use crate::kernel::Kernel;
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;
use tt_emulator::StoredBlocks;
use tt_plan::{CoreWork, DeviceGrid, Estimate, OnShard, Sharing, TunedVariant, TuningKey, Way};

/// Decisions that a device keeps.
const KEPT: usize = 256;

/// All that decides, but for the device.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The address of the static of the kernel that was called, the first of its variants.
    kernel: usize,
    /// Of every tensor its extents behind their number, of every scalar its value.
    arguments: Vec<u64>,
    /// The constants asked for.
    wanted: Vec<Constant>,
    cores: Option<DeviceGrid>,
    sharing: Sharing,
    parts: Option<u32>,
    /// What has room, if what is estimated to be fastest has none.
    for_room: Option<Chosen>,
}

/// What a launch takes: a kernel, and of one whose sum is cut how many parts.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// The kernel.
    pub(super) kernel: &'static Kernel,
    /// The number of parts.
    pub(super) parts: Option<u32>,
}

/// What a launch runs, as far as it is known.
#[derive(Clone, Copy, Default)]
pub(super) enum Choice {
    /// Nothing is chosen.
    #[default]
    Open,
    /// What is estimated to be fastest.
    Fastest(Chosen),
    /// What comes after that, for which there was no room.
    ForRoom(Chosen),
}

impl Choice {
    fn chosen(self) -> Option<Chosen> {
        match self {
            Choice::Open => None,
            Choice::Fastest(chosen) | Choice::ForRoom(chosen) => Some(chosen),
        }
    }

    fn for_room(self) -> Option<Chosen> {
        match self {
            Choice::ForRoom(chosen) => Some(chosen),
            Choice::Open | Choice::Fastest(_) => None,
        }
    }
}

/// Estimates are not exact enough to tell those apart that differ by less than this factor: of matmuls from 256³ to 8192³ they are 1 to 9 %
/// off the clock's cycles, of some that move much more (BENCHMARKS.md, `modelled`).
const ALIKE: f64 = 1.1;

/// What a cycle of DRAM weighs among estimates that are alike: it is what they are least sure of, and what all cores share.
const WEIGHT_OF_DRAM: f64 = 0.6;

/// In how many parts a sum is cut, where it is. With more, adding them up takes longer than what is left of each.
const PARTS: [u32; 4] = [2, 4, 8, 16];

impl Chosen {
    /// In how many parts its sum is cut; 1 where it is not.
    pub(super) fn count(self) -> u32 {
        self.parts.unwrap_or(1)
    }

    /// The ways in which `launch` may run `kernel`.
    fn of(kernel: &'static Kernel, launch: &Launch<'_>) -> Vec<Chosen> {
        let cut = match launch.parts {
            Some(parts) => vec![parts],
            None => PARTS.to_vec(),
        };
        let cut = cut.into_iter().filter(|parts| *parts > 1).map(Some);
        let is_whole = matches!(launch.parts, None | Some(1));
        match kernel.way() {
            Way::InParts => cut.map(|parts| Chosen { kernel, parts }).collect(),
            Way::Written if is_whole => vec![Chosen { kernel, parts: None }],
            // Shards lie where the device has them.
            Way::OnShards if is_whole && launch.cores.is_none() => vec![Chosen { kernel, parts: None }],
            Way::Written | Way::OnShards => Vec::new(),
        }
    }

    /// Of two that are estimated alike that is better which moves less between cores.
    fn moves_more(self) -> bool {
        self.kernel.way() != Way::OnShards
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Chosen) -> bool {
        std::ptr::eq(self.kernel, other.kernel) && self.parts == other.parts
    }
}

impl Eq for Chosen {}

impl std::fmt::Debug for Chosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.kernel.name(), self.kernel.way(), self.parts)
    }
}

impl Question {
    /// What `launch` asks. A number that is no integer decides only where the plan derives integers of such.
    pub(super) fn of(launch: &Launch<'_>) -> Question {
        let derives = |kernel: &Kernel| kernel.plan().is_ok_and(|plan| !plan.derived.is_empty());
        let with_floats = launch.kernel.variants().any(derives);
        let mut arguments = Vec::with_capacity(4 * launch.arguments.len());
        for Argument(value) in &launch.arguments {
            match value {
                Value::Tensor { tensor, .. } => {
                    arguments.push(tensor.shape.len() as u64);
                    arguments.extend(tensor.shape.iter().map(|extent| *extent as u64));
                }
                Value::F32(value) => arguments.push(if with_floats { value.to_bits().into() } else { 0 }),
                Value::I32(value) => arguments.push(*value as u64),
                Value::U32(value) => arguments.push((*value).into()),
            }
        }
        Question {
            kernel: std::ptr::from_ref(launch.kernel).addr(),
            arguments,
            wanted: launch.wanted.clone(),
            cores: launch.cores,
            sharing: launch.sharing,
            parts: launch.parts,
            for_room: launch.choice.get().for_room(),
        }
    }
}

/// A launch that may run: the device has room for every stage of its kernel.
pub(crate) struct Decision {
    /// What is run.
    pub(super) chosen: Chosen,
    /// The cores of each of its stages with their blocks.
    pub(super) work: Vec<Work>,
}

/// What a stage runs on.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Its cores with their blocks.
    pub(super) cores: Vec<CoreWork>,
    /// The same blocks, as who watches stores wants them.
    pub(super) blocks: Arc<[StoredBlocks]>,
    /// Its circular buffers that lie on shards of tensors.
    pub(super) on_shards: Vec<OnShard<'static>>,
}

impl Work {
    fn new(cores: Vec<CoreWork>, on_shards: Vec<OnShard<'static>>) -> Work {
        let blocks = cores.iter().flat_map(|core| {
            let runs = (0..core.count).step_by(core.run.max(1) as usize);
            runs.map(move |nth| StoredBlocks {
                core: (core.x as usize, core.y as usize),
                start: core.number(nth),
                count: core.run.min(core.count - nth),
                step: core.step,
            })
        });
        Work {
            blocks: blocks.collect(),
            cores,
            on_shards,
        }
    }
}

/// The decisions that a device keeps, the one used last at the end.
#[derive(Default)]
pub(crate) struct Decisions {
    kept: Vec<(Question, Arc<Decision>)>,
}

impl Decisions {
    /// What was decided on the same question.
    pub(crate) fn get(&mut self, question: &Question) -> Option<Arc<Decision>> {
        let at = self.kept.iter().rposition(|(kept, _)| kept == question)?;
        self.kept[at..].rotate_left(1);
        self.kept.last().map(|(_, decision)| decision.clone())
    }

    /// Keeps a decision, for one that was not asked for longest.
    pub(crate) fn put(&mut self, question: Question, decision: Arc<Decision>) {
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push((question, decision));
    }
}

/// Brings what is estimated to be fastest to the front, among what is estimated alike with a weight for what it moves from and to DRAM.
fn best_first(estimated: &mut [(Estimate, Chosen)]) {
    let cycles = estimated.iter().map(|(estimate, _)| estimate.cycles);
    let alike = cycles.fold(f64::INFINITY, f64::min) * ALIKE;
    let weighed = |estimate: &Estimate| match estimate.cycles <= alike {
        true => estimate.cycles + WEIGHT_OF_DRAM * estimate.dram,
        false => f64::INFINITY,
    };
    estimated.sort_by(|(one, chosen), (other, others)| {
        let order = weighed(one).total_cmp(&weighed(other));
        let order = order.then_with(|| one.cycles.total_cmp(&other.cycles));
        order.then_with(|| chosen.moves_more().cmp(&others.moves_more()))
    });
}

impl Launch<'_> {
    /// What the launch runs: as it was decided before, or now, and then kept.
    ///
    /// # Errors
    /// As [`run`](Launch::run), as far as that does not depend on anything but the [question](Question).
    pub(super) fn decide(&self) -> Result<Arc<Decision>> {
        if let Some(kept) = self.kept() {
            return Ok(kept);
        }
        self.choose()?;
        let chosen = self.chosen();
        let kernel = chosen.kernel;
        let (_, bound) = self.bind(chosen)?;
        let cores = self.cores(kernel, &bound);
        let mut work = Vec::new();
        for plan in kernel.stages()? {
            check_budgets(kernel, plan, &bound.device)?;
            let partition = plan.partition(&bound.bindings, cores);
            let (grid, of_cores) = partition.map_err(|error| self.refused(&error))?;
            let on_shards = plan.on_shards(&bound.bindings, cores.grid, (grid, &of_cores));
            let on_shards = on_shards.map_err(|error| self.refused(&error))?;
            work.push(Work::new(of_cores, on_shards));
        }
        let decision = Arc::new(Decision { chosen, work });
        bound.device.decisions().put(Question::of(self), decision.clone());
        Ok(decision)
    }

    /// What was decided on the same question; the launch takes its variant.
    fn kept(&self) -> Option<Arc<Decision>> {
        let kept = self.device()?.decisions().get(&Question::of(self))?;
        self.chose(kept.chosen);
        Some(kept)
    }

    /// The device of its first tensor, which is that of all where the launch runs.
    fn device(&self) -> Option<&DeviceCore> {
        self.arguments.iter().find_map(|Argument(value)| match value {
            Value::Tensor { tensor, .. } => Some(&*tensor.core),
            Value::F32(_) | Value::I32(_) | Value::U32(_) => None,
        })
    }

    /// What all stages of `chosen` are estimated to take, one after the other.
    pub(super) fn estimate_of(&self, chosen: Chosen) -> Result<Option<Estimate>> {
        let kernel = chosen.kernel;
        let (_, bound) = self.bind(chosen)?;
        let cores = self.cores(kernel, &bound);
        let mut all = Estimate::default();
        for plan in kernel.stages()? {
            check_budgets(kernel, plan, &bound.device)?;
            let (_, work) = plan
                .partition(&bound.bindings, cores)
                .map_err(|error| self.refused(&error))?;
            match plan.estimate(&bound.bindings, cores, &work) {
                Some(stage) => all = all.then(stage),
                None if work.is_empty() => {}
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// What is run: of several variants the one that was chosen.
    pub(super) fn chosen(&self) -> Chosen {
        self.choice.get().chosen().unwrap_or(Chosen {
            kernel: self.kernel,
            parts: None,
        })
    }

    /// The kernel that runs.
    pub(super) fn kernel(&self) -> &'static Kernel {
        self.chosen().kernel
    }

    /// Chooses a variant and the way it is run in, if none is chosen yet: the first of those [there are](Launch::ranked).
    pub(super) fn choose(&self) -> Result<()> {
        if self.choice.get().chosen().is_none() && self.kept().is_none() {
            let first = self.ranked()?.into_iter().next();
            self.chose(first.ok_or_else(|| self.no_variant())?);
        }
        Ok(())
    }

    fn chose(&self, fastest: Chosen) {
        if self.choice.get().chosen().is_none() {
            self.choice.set(Choice::Fastest(fastest));
        }
    }

    /// Does `start` with what the launch runs. Where there is no room for that, beside the tensors that there are, it is done with what comes
    /// next, which the launch runs from then on.
    pub(super) fn where_there_is_room<T>(&self, start: impl Fn() -> Result<T>) -> Result<T> {
        let started = start();
        let lacks_room = |result: &Result<T>| result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Memory);
        // The first stage of several may have run; that of parts stores nothing that is seen.
        let Chosen { kernel, parts } = self.chosen();
        let is_as_before = parts.is_some() || kernel.stages().is_ok_and(|stages| stages.len() == 1);
        if !lacks_room(&started) || !is_as_before {
            return started;
        }
        let before = self.choice.get();
        let others = self
            .ranked()?
            .into_iter()
            .filter(|other| Some(*other) != before.chosen());
        let mut tried = 0;
        for other in others {
            self.choice.set(Choice::ForRoom(other));
            let started = start();
            if !lacks_room(&started) {
                return started;
            }
            tried += 1;
        }
        self.choice.set(before);
        started.map_err(|error| match tried {
            0 => error,
            1 => error.and("the other variant or way in which it runs here has no room either"),
            tried => error.and(&format!(
                "none of the {tried} other variants and ways in which it runs here has room"
            )),
        })
    }

    /// What the launch may run: of the variants that have the constants asked for, and run with these arguments on this device, the one
    /// that was measured to be fastest, else all, in the ways there are. Those come first that are estimated to be fastest
    /// ([`best_first`]), and last those of which nothing is known.
    fn ranked(&self) -> Result<Vec<Chosen>> {
        let is_wanted = |variant: &&Kernel| {
            let has = |wanted: &Constant| variant.constants().contains(&(wanted.name, wanted.value));
            self.wanted.iter().all(has)
        };
        let mut kernels: Vec<&'static Kernel> = self.kernel.variants().filter(is_wanted).collect();
        if let Some(measured) = self.measured(&kernels)? {
            kernels.retain(|kernel| kernel.constants() == measured.constants());
        }
        let ways = kernels.into_iter().flat_map(|kernel| Chosen::of(kernel, self));
        let candidates: Vec<Chosen> = ways.collect();
        let [first, _, ..] = candidates.as_slice() else {
            return Ok(candidates);
        };
        let (mut estimated, mut unknown, mut refused) = (Vec::new(), Vec::new(), None);
        for candidate in &candidates {
            match self.estimate_of(*candidate) {
                Ok(Some(estimate)) => estimated.push((estimate, *candidate)),
                Ok(None) => unknown.push(*candidate),
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        best_first(&mut estimated);
        let run: Vec<Chosen> = estimated.into_iter().map(|(_, way)| way).chain(unknown).collect();
        let are_variants = candidates
            .iter()
            .any(|way| way.kernel.constants() != first.kernel.constants());
        match refused {
            _ if !run.is_empty() => Ok(run),
            // What the compiler refuses has a reference, and so has what one variant refuses.
            Some(error) if are_variants && !candidates.iter().all(|way| way.kernel.is_refused()) => Err(error),
            Some(_) | None => Ok(vec![*first]),
        }
    }

    /// The one of `candidates`, if they are several variants, that was measured to be fastest for these shapes on this device.
    fn measured(&self, candidates: &[&'static Kernel]) -> Result<Option<&'static Kernel>> {
        if self.cores.is_some() || candidates.iter().all(|kernel| kernel.constants().is_empty()) {
            return Ok(None);
        }
        let key = |path: &str| {
            // The first of which the arguments are: extents may be among the constants.
            candidates.iter().find_map(|kernel| {
                let signature = kernel.signature().ok()?;
                let bound = bind(kernel, &signature.parameters, &signature.extents, &self.arguments).ok()?;
                let class = signature.class(&|name| bound.bindings.integers.get(name).copied());
                let (arch, grid) = (bound.device.architecture(), bound.device.grid());
                Some(TuningKey::new(path, class, arch, grid))
            })
        };
        let measured = self.kernel.measured(key)?;
        let of_constants = |measured: &TunedVariant| {
            let has = |kernel: &&Kernel| {
                let mut constants = kernel.constants().iter();
                measured.constants.len() == constants.len()
                    && constants.all(|(name, value)| measured.constants.get(*name) == Some(value))
            };
            candidates.iter().copied().find(has)
        };
        // One that no longer runs was measured before the kernel was changed.
        let runs = |kernel: &&'static Kernel| {
            let kernel = *kernel;
            self.estimate_of(Chosen { kernel, parts: None }).is_ok()
        };
        Ok(measured.iter().filter_map(of_constants).find(runs))
    }

    fn no_variant(&self) -> Error {
        let shown = |constants: &[(&str, i64)]| {
            let each: Vec<String> = constants
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            each.join(", ")
        };
        if let Some(parts) = self.parts {
            let message = format!("kernel `{}` has no sum to cut into {parts} parts", self.kernel.name());
            return Error::new(ErrorKind::Argument, message);
        }
        if self.kernel.constants().is_empty() {
            let message = format!("kernel `{}` has no variants to choose from", self.kernel.name());
            return Error::new(ErrorKind::Argument, message);
        }
        let wanted: Vec<(&str, i64)> = self.wanted.iter().map(|wanted| (wanted.name, wanted.value)).collect();
        let known: Vec<String> = self
            .kernel
            .variants()
            .filter(|variant| variant.way() == Way::Written)
            .map(|variant| shown(variant.constants()))
            .collect();
        let message = format!(
            "kernel `{}` has no variant with {}: there are {}",
            self.kernel.name(),
            shown(&wanted),
            known.join("; ")
        );
        Error::new(ErrorKind::Argument, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Sources;

    static KERNEL: Kernel = Kernel::new("kernel", Sources::NONE, "", b"", &[]);

    fn question(extent: usize) -> Question {
        Question {
            kernel: 1,
            arguments: vec![1, extent as u64],
            wanted: Vec::new(),
            cores: None,
            sharing: Sharing::WherePaying,
            parts: None,
            for_room: None,
        }
    }

    #[test]
    fn among_estimates_that_are_alike_dram_has_a_weight() {
        let candidate = |cycles, dram, parts| {
            let estimate = Estimate {
                cycles,
                dram,
                ..Estimate::default()
            };
            let kernel = &KERNEL;
            let parts = Some(parts);
            (estimate, Chosen { kernel, parts })
        };
        let mut estimated = [
            candidate(1105.0, 10.0, 4),
            candidate(1000.0, 500.0, 2),
            candidate(1005.0, 500.0, 3),
            candidate(1060.0, 370.0, 1),
            candidate(2000.0, 0.0, 5),
        ];
        best_first(&mut estimated);
        assert_eq!(estimated.map(|(_, chosen)| chosen.parts), [1, 2, 3, 4, 5].map(Some));
    }

    #[test]
    fn what_was_not_asked_for_longest_is_forgotten() {
        let mut decisions = Decisions::default();
        let decision = |stages| Decision {
            chosen: Chosen {
                kernel: &KERNEL,
                parts: None,
            },
            work: vec![Work::default(); stages],
        };
        for extent in 0..KEPT {
            decisions.put(question(extent), Arc::new(decision(extent)));
        }
        assert!(decisions.get(&question(0)).is_some());
        decisions.put(question(KEPT), Arc::new(decision(KEPT)));
        assert!(decisions.get(&question(1)).is_none());
        for extent in [0, 2, KEPT] {
            let kept = decisions.get(&question(extent)).expect("it was asked for since");
            assert_eq!(kept.work.len(), extent);
        }
        let other = Question {
            sharing: Sharing::Never,
            ..question(2)
        };
        assert!(decisions.get(&other).is_none());
    }
}
