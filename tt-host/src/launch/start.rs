//! How a launch starts: its stages are made ready, all of them, and run one after the other.

use super::decision::{Decision, Work};
use super::profile::which;
use super::tensors::{LaunchTensor, OfSession, Tensors};
use super::workload::{RuntimeArguments, Workload, WorkloadKey, build};
use super::{Bound, Launch, Profile};
use crate::Result;
use crate::bridge::DeviceFacts;
use crate::device::Session;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tt_emulator::{StoredTensor, Stores};
use tt_plan::{Bindings, CoreWork, DataFormat, DeviceGrid, PartitionMode, Plan, Role, TransferClass};

impl Launch<'_> {
    /// Starts the launch.
    pub(super) fn start(&self, waiting: Waiting) -> Result<Profile> {
        self.where_there_is_room(|| self.start_stages(waiting))
    }

    /// Starts the stages of the kernel, one after the other.
    fn start_stages(&self, waiting: Waiting) -> Result<Profile> {
        let decision = self.decide()?;
        let (plan, bound) = self.bind(self.chosen())?;
        let stages = self.kernel().stages()?.iter().zip(&decision.work).enumerate();
        let stages = stages.map(|(number, (plan, work))| (number, plan, work));
        // A grid without blocks runs nothing.
        let stages = stages.filter(|(_, _, work)| !work.cores.is_empty());
        let shapes = self.temporary_shapes(plan, &bound)?;
        bound.device.with(|session| {
            if waiting != Waiting::Not {
                session.finish()?;
            }
            let tensors = self.tensors(session, plan, &bound, shapes)?;
            let mut runs = Vec::with_capacity(decision.work.len());
            for stage in stages {
                match self.ready(session, stage, &decision, &bound, &tensors) {
                    Ok(run) => runs.push(run),
                    Err(error) => {
                        keep(session, runs)?;
                        return Err(error);
                    }
                }
            }
            let started = self.run_all(session, &mut runs, waiting, &bound, &tensors);
            if started.is_err() {
                // A program whose run failed is not kept, nor freed while another runs.
                let _ = session.finish();
            } else {
                keep(session, runs)?;
            }
            started
        })
    }

    /// Enqueues all stages.
    fn run_all(
        &self,
        session: &mut Session,
        runs: &mut [Run<'_>],
        waiting: Waiting,
        bound: &Bound<'_>,
        tensors: &Tensors,
    ) -> Result<Profile> {
        let several = self.kernel().stages()?.len() > 1;
        let count = runs.len();
        let mut profile = Profile {
            variant: self.kernel().constants(),
            parts: self.chosen().count(),
            ..Profile::default()
        };
        for (at, run) in runs.iter_mut().enumerate() {
            let blocking = match waiting {
                Waiting::Not => false,
                Waiting::AtTheEnd => at + 1 == count,
                Waiting::AfterEveryStage => true,
            };
            let is_watched = waiting == Waiting::AfterEveryStage;
            let stage = run.stage;
            if is_watched {
                bound.device.set_clock(true);
            }
            let start = Instant::now();
            bound
                .device
                .expect_stores(|| self.stores(tensors, run, several, bound.device.grid()));
            let ran = session.run(
                &mut run.workload,
                run.arguments.take(),
                blocking,
                (self.kernel().name(), || self.described(several.then_some(stage))),
            );
            if is_watched {
                bound.device.set_clock(false);
            }
            ran?;
            if is_watched {
                profile.wall_time += start.elapsed();
                let counters = bound.device.counters();
                profile.stages.extend(counters);
            }
        }
        if waiting == Waiting::AfterEveryStage {
            profile.sum(several);
        }
        Ok(profile)
    }

    /// The program of a stage with its arguments: one of a launch before, or a new one.
    fn ready<'d>(
        &self,
        session: &mut Session,
        (stage, plan, work): (usize, &'static Plan, &'d Work),
        decision: &Arc<Decision>,
        bound: &Bound<'_>,
        tensors: &Tensors,
    ) -> Result<Run<'d>> {
        let Work { cores, on_shards, .. } = work;
        let on_shards = tensors.on_shards(on_shards);
        let mut words = tensors.words();
        if plan.work_partition.mode == PartitionMode::LocalShard {
            words.extend(cores.iter().flat_map(|core| [core.x, core.y]));
            words.extend(on_shards.iter().map(|on| on.address));
        }
        let key = WorkloadKey::new(self.kernel(), stage, cores, words);
        let kept = session.workloads.get(&key).and_then(|kept| kept.arguments.as_ref());
        let arguments = match kept.is_some_and(|has| has.are_of(decision, &tensors.bindings)) {
            true => None,
            false => Some(RuntimeArguments {
                words: self.runtime_args(plan, (&tensors.bindings, bound.device.facts()), cores)?,
                decision: decision.clone(),
                bindings: tensors.bindings.clone(),
            }),
        };
        let workload = match session.workloads.take(&key) {
            Some(workload) => workload,
            None => {
                let tensors = OfSession {
                    kernel: self.kernel,
                    tensors,
                    session,
                };
                build(
                    session.mesh(),
                    bound.device.facts(),
                    self.kernel(),
                    (stage, plan),
                    cores,
                    &tensors,
                    &on_shards,
                )?
            }
        };
        Ok(Run {
            stage,
            plan,
            work,
            arguments,
            key,
            workload,
        })
    }

    /// The tensors that the kernel may store to, of several stages those that this one stores to, and where its blocks run.
    fn stores(&self, tensors: &Tensors, run: &Run<'_>, several: bool, grid: DeviceGrid) -> Stores {
        // What lies on a circular buffer is stored by the packer, which nobody watches.
        let stored = |tensor: &&LaunchTensor| {
            let is_moved = !run.workload.lies_on.contains(&tensor.buffer);
            is_moved && tensor.mutable && (!several || run.stores(&tensor.name))
        };
        let written = tensors.tensors.iter().filter(stored);
        let transfers_of = |role: Role, tensor: &LaunchTensor| {
            let kernels = run.plan.kernels.iter().filter(move |kernel| kernel.role == role);
            let name = tensor.name.clone();
            kernels
                .flat_map(|kernel| &kernel.transfers)
                .filter(move |transfer| transfer.tensor == name)
        };
        let tensor = |tensor: &LaunchTensor| {
            let lines = |role: Role| {
                let lines = transfers_of(role, tensor).map(|transfer| transfer.line);
                lines.collect::<BTreeSet<u32>>().into_iter().collect()
            };
            let mut reads = transfers_of(Role::Reader, tensor);
            StoredTensor {
                name: tensor.name.clone(),
                base: tensor.address.into(),
                in_dram: tensor.in_dram,
                pages: tensor.stored_pages(grid),
                shape: tensor.shape.to_vec(),
                format: DataFormat::of(tensor.element),
                lines: lines(Role::Writer),
                read_lines: lines(Role::Reader),
                read_by_element: reads.any(|transfer| transfer.class == TransferClass::Element),
            }
        };
        Stores {
            kernel: self.described(several.then_some(run.stage)),
            others_may_store: several,
            tensors: written.map(tensor).collect(),
            blocks: run.work.blocks.clone(),
        }
    }

    /// What runs, for messages: the kernel, which of what it was compiled into, and a `stage` of several.
    fn described(&self, stage: Option<usize>) -> String {
        let (name, parts) = (self.kernel().name(), self.chosen().count());
        let which = which(self.kernel().constants(), parts).map_or(String::new(), |which| format!(" ({which})"));
        let stage = match (stage, parts) {
            (Some(1..), 2..) => ", adding up its parts".to_owned(),
            (None, _) | (_, 2..) => String::new(),
            (Some(stage), _) => format!(", stage {}", stage + 1),
        };
        format!("{name}{which}{stage}")
    }

    /// The runtime argument words of each kernel, core after core.
    fn runtime_args(
        &self,
        plan: &Plan,
        (bindings, device): (&Bindings, &DeviceFacts),
        work: &[CoreWork],
    ) -> Result<Vec<(Role, Vec<u32>)>> {
        let noc = |[x, y]: [u32; 2]| {
            let (places, _) = device.noc.as_chunks::<2>();
            let inside = x < device.columns && y < device.rows;
            inside.then(|| places.get((y * device.columns + x) as usize).copied())?
        };
        let mut all = Vec::with_capacity(plan.kernels.len());
        for kernel in &plan.kernels {
            let words = plan.runtime_args(kernel.role, bindings, work, &noc);
            all.push((kernel.role, words.map_err(|error| self.refused(&error))?));
        }
        Ok(all)
    }
}

/// When a launch waits for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    Not,
    AtTheEnd,
    AfterEveryStage,
}

/// A stage that is ready to run.
struct Run<'d> {
    stage: usize,
    plan: &'static Plan,
    work: &'d Work,
    /// The runtime arguments that its kernels get; none where they have them.
    arguments: Option<RuntimeArguments>,
    key: WorkloadKey,
    workload: Workload,
}

impl Run<'_> {
    /// Whether its writer stores to the tensor `name`, which it may also go to for integers.
    fn stores(&self, name: &str) -> bool {
        let writer = self.plan.kernel(Role::Writer);
        writer.is_some_and(|writer| writer.transfers.iter().any(|transfer| transfer.tensor == name))
    }
}

/// Keeps the programs for later launches.
fn keep(session: &mut Session, runs: Vec<Run<'_>>) -> Result<()> {
    for run in runs {
        if let Some(displaced) = session.workloads.put(run.key, run.workload) {
            session.finish()?;
            drop(displaced);
        }
    }
    Ok(())
}
