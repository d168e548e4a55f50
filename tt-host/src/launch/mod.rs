//! Launches: a kernel with its arguments, lazy until it is run.

mod argument;
mod binding;
mod check;
mod decision;
mod profile;
mod reference;
mod workload;

pub use argument::Argument;
pub use check::Comparison;
pub(crate) use decision::Decisions;
pub use profile::Profile;
pub use reference::Reference;
pub(crate) use workload::WorkloadCache;

use crate::bridge::{DeviceFacts, MeshBuffer};
use crate::device::Session;
use crate::kernel::Kernel;
use crate::tensor::Placed;
use crate::tile::Tiling;
use crate::{Error, ErrorKind, Result};
use binding::{Bound, bind};
use cxx::SharedPtr;
use decision::{Choice, Chosen, Work};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use tt_emulator::{StoredBlocks, StoredPages, StoredTensor, Stores};
use tt_lang::ir::ElementType;
use tt_plan::{
    Bank, Bindings, CoreWork, Cores, DataFormat, DeviceGrid, Execution, Memory, OnShard, PartitionMode, Plan,
    PlanError, Report, Role, Sharing, Temporary, TransferClass,
};
pub(crate) use workload::Workload;
use workload::{ByName, OnTensor, WorkloadKey, build};

/// A kernel with its arguments. Nothing happens before [`run`](Launch::run) or [`enqueue`](Launch::enqueue).
///
/// Made by calling the function that `#[tt::kernel]` leaves behind.
#[must_use = "a launch does nothing until `.run()?` or `.enqueue()?`"]
pub struct Launch<'t> {
    kernel: &'static Kernel,
    arguments: Vec<Argument<'t>>,
    /// Constants of the variant that is asked for.
    wanted: Vec<Constant>,
    /// What it runs.
    choice: Cell<Choice>,
    cores: Option<DeviceGrid>,
    sharing: Sharing,
    /// In how many parts its sum is cut, where that is asked for.
    parts: Option<u32>,
}

/// A constant of the option `variants` with the value that a launch asks for: `matmul::BM(64)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    name: &'static str,
    value: i64,
}

impl Constant {
    /// The constant `name`; launchers make these.
    #[doc(hidden)]
    pub const fn new(name: &'static str, value: i64) -> Constant {
        Constant { name, value }
    }
}

impl<'t> Launch<'t> {
    /// A launch of `kernel`; `arguments` in the order of its parameters.
    pub fn new(kernel: &'static Kernel, arguments: Vec<Argument<'t>>) -> Launch<'t> {
        Launch {
            kernel,
            arguments,
            wanted: Vec::new(),
            choice: Cell::default(),
            cores: None,
            sharing: Sharing::WherePaying,
            parts: None,
        }
    }

    /// The same launch of a variant in which a constant of the option `variants` has this value: `.with(matmul::BM(64))`. Of the
    /// variants that are left, a launch takes the one that it [estimates](Launch::estimate) to be fastest for its shapes and device; of those within 3 % of
    /// it the one that moves least from and to DRAM.
    ///
    /// That there is such a variant is seen when the launch is run.
    pub fn with(mut self, constant: Constant) -> Launch<'t> {
        self.wanted.push(constant);
        self.choice = Cell::default();
        self
    }

    /// The same launch on the first `cores.x` columns and `cores.y` rows of the device only, so that more blocks fall to a
    /// core: for checks.
    #[doc(hidden)]
    pub fn on_cores(self, cores: DeviceGrid) -> Launch<'t> {
        Launch {
            cores: Some(cores),
            choice: Cell::default(),
            ..self
        }
    }

    /// The same launch with what cores can share read so or not, whichever is estimated to be faster: for checks.
    #[doc(hidden)]
    pub fn sharing(self, sharing: Sharing) -> Launch<'t> {
        Launch {
            sharing,
            choice: Cell::default(),
            ..self
        }
    }

    /// The same launch with its sum cut into so many parts, 1 where it is not cut: for checks.
    #[doc(hidden)]
    pub fn in_parts(self, parts: u32) -> Launch<'t> {
        Launch {
            parts: Some(parts),
            choice: Cell::default(),
            ..self
        }
    }

    /// Runs the kernel and waits for it and everything enqueued before.
    ///
    /// Where L1 has no room for it beside the tensors that lie there, another of its variants runs, or the same in another way, if one fits;
    /// from then on [`plan`](Launch::plan), [`variant`](Launch::variant) and [`report`](Launch::report) tell of that.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, their device is closed, or the run fails. Everything about
    /// the arguments is checked before anything is enqueued.
    pub fn run(&self) -> Result<()> {
        self.start(Waiting::AtTheEnd).map(drop)
    }

    /// Hands the kernel to the device without waiting. What is enqueued runs in order; [`download`](crate::Tensor::download)
    /// and [`finish`](crate::Device::finish) wait, and tell if it failed.
    ///
    /// # Errors
    /// As [`run`](Launch::run), but for what goes wrong while the kernel runs.
    pub fn enqueue(&self) -> Result<()> {
        self.start(Waiting::Not).map(drop)
    }

    /// The concrete plan of this launch: the cores, the blocks of each, and where the tensors lie.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or their device is closed.
    pub fn plan(&self) -> Result<Execution> {
        self.choose()?;
        let (plan, bound) = self.bind(self.chosen())?;
        plan.instantiate(&bound.bindings, self.cores(self.kernel(), &bound))
            .map_err(|error| self.refused(&error))
    }

    /// Cycles of the chip that the launch is estimated to take, from the plan alone, without running it; none where that depends on
    /// what tensors hold. It is for comparing launches: [`profile`](Launch::profile) has what the emulator's clock says of a run.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn estimate(&self) -> Result<Option<f64>> {
        self.choose()?;
        Ok(self.estimate_of(self.chosen())?.map(|estimate| estimate.cycles))
    }

    /// What the launch takes of the chip, from the plan alone, without running it: circular buffers in L1, bytes of each tensor against its
    /// own, how busy its cores are, what bounds it, and what to change.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn report(&self) -> Result<Report> {
        self.choose()?;
        let (plan, bound) = self.bind(self.chosen())?;
        plan.report_of(&bound.bindings, self.cores(self.kernel(), &bound))
            .map_err(|error| self.refused(&error))
    }

    /// The constants of the variant that the launch takes; none of a kernel without variants.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn variant(&self) -> Result<&'static [(&'static str, i64)]> {
        self.choose()?;
        Ok(self.kernel().constants())
    }

    /// In how many parts the launch cuts the sum of its kernel, each of which other cores take; 1 where it does not. That is where a grid
    /// has few blocks and a loop many steps, and it is estimated to be faster; `#[tt::kernel(split = off)]` turns it off.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn parts(&self) -> Result<u32> {
        self.choose()?;
        Ok(self.chosen().parts.unwrap_or(1))
    }

    /// Runs the kernel, waits, and tells what the run took and, on the emulator, what it moved and computed.
    ///
    /// # Errors
    /// As [`run`](Launch::run).
    pub fn profile(&self) -> Result<Profile> {
        self.start(Waiting::AfterEveryStage)
    }

    /// The reference result: what the kernel's source says over real numbers, computed on the host from what the tensors
    /// hold now. The device's tensors are not changed. Of a kernel that the compiler refuses, `#[tt::kernel(reference)]`, this is
    /// the only result.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or the source has no meaning for them.
    pub fn reference(&self) -> Result<Reference> {
        let bound = self.bind_signature()?;
        reference::run(self.kernel(), &bound)
    }

    /// The values of the launch as its source has them: also of a kernel without a plan.
    fn bind_signature(&self) -> Result<Bound<'t>> {
        self.choose()?;
        let kernel = self.kernel();
        let signature = kernel.signature()?;
        bind(kernel, &signature.parameters, &signature.extents, &self.arguments)
    }

    fn bind(&self, Chosen { kernel, parts }: Chosen) -> Result<(&'static Plan, Bound<'t>)> {
        let plan = kernel.plan()?;
        let mut arguments = Cow::Borrowed(&self.arguments);
        if let Some(parts) = parts {
            arguments.to_mut().push(Argument::from(parts));
        }
        let mut bound = bind(kernel, &plan.parameters, &plan.extents, &arguments)?;
        let derived = plan.derive(&mut bound.bindings);
        derived.map_err(|error| self.refused(&error))?;
        Ok((plan, bound))
    }

    /// The cores that blocks of `kernel` are given to.
    fn cores(&self, kernel: &Kernel, bound: &Bound<'_>) -> Cores {
        Cores {
            grid: match kernel.stages() {
                // Shards lie where the device has them.
                Ok(stages)
                    if stages
                        .iter()
                        .any(|of| of.work_partition.mode == PartitionMode::LocalShard) =>
                {
                    bound.device.grid()
                }
                Ok(_) | Err(_) => self.cores.unwrap_or(bound.device.grid()),
            },
            chip: bound.device.chip(),
            sharing: self.sharing,
        }
    }

    /// Starts the launch.
    fn start(&self, waiting: Waiting) -> Result<Profile> {
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
                match self.ready(session, stage, &bound, &tensors) {
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
        let mut profile = Profile::default();
        for (at, run) in runs.iter_mut().enumerate() {
            let blocking = match waiting {
                Waiting::Not => false,
                Waiting::AtTheEnd => at + 1 == count,
                Waiting::AfterEveryStage => true,
            };
            let is_watched = waiting == Waiting::AfterEveryStage;
            if is_watched {
                bound.device.set_clock(true);
            }
            let start = Instant::now();
            bound
                .device
                .expect_stores(|| self.stores(tensors, run, several, bound.device.grid()));
            let ran = session.run(
                &mut run.workload,
                std::mem::take(&mut run.args),
                blocking,
                self.kernel().name(),
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

    /// The extents of the temporaries of this launch.
    fn temporary_shapes(&self, plan: &Plan, bound: &Bound<'_>) -> Result<Vec<Box<[usize]>>> {
        let shape = |temporary: &Temporary| {
            let shape = plan
                .temporary_shape(temporary, &bound.bindings)
                .map_err(|error| self.refused(&error))?;
            // They are positive.
            Ok(shape.into_iter().map(|extent| extent as usize).collect())
        };
        plan.temporaries.iter().map(shape).collect()
    }

    /// The tensors of this launch: those that were passed, and the temporaries, with memory.
    fn tensors(
        &self,
        session: &mut Session,
        plan: &Plan,
        bound: &Bound<'_>,
        shapes: Vec<Box<[usize]>>,
    ) -> Result<Tensors> {
        let passed = bound.tensors.iter().map(|(name, mutable, tensor)| LaunchTensor {
            name: name.clone(),
            mutable: *mutable,
            buffer: tensor.buffer.number,
            address: tensor.buffer.address,
            element: tensor.element,
            shape: tensor.shape.clone(),
            words: tensor.words(),
            in_dram: tensor.layout.of_pages(0).shard == Memory::Dram,
            first_page: tensor.first_page,
            shards: tensor.shards.clone(),
        });
        let mut tensors: Vec<LaunchTensor> = passed.collect();
        let failed = |error: Error| {
            let message = format!("the temporaries of kernel `{}`: {error}", self.kernel().name());
            Error::new(error.kind(), message)
        };
        let sizes = plan.temporaries.iter().zip(&shapes).map(|(temporary, shape)| {
            let tiles = Tiling::of(shape).map_err(failed)?.tiles();
            Ok((tiles as u64, temporary.layout.page_size))
        });
        let sizes: Vec<(u64, u32)> = sizes.collect::<Result<_>>()?;
        let memory = session
            .temporaries(std::ptr::from_ref(self.kernel()).addr(), &sizes)
            .map_err(failed)?;
        for ((temporary, shape), memory) in plan.temporaries.iter().zip(shapes).zip(memory) {
            tensors.push(LaunchTensor {
                name: temporary.name.clone(),
                mutable: true,
                buffer: memory.buffer,
                address: memory.address,
                element: temporary.element,
                shape,
                words: None,
                in_dram: true,
                first_page: 0,
                shards: None,
            });
        }
        let mut bindings = bound.bindings.clone();
        let addresses = tensors.iter().map(|tensor| (tensor.name.clone(), tensor.address));
        bindings.addresses.extend(addresses);
        Ok(Tensors { tensors, bindings })
    }

    /// The program of a stage with its arguments: one of a launch before, or a new one.
    fn ready<'d>(
        &self,
        session: &mut Session,
        (stage, plan, work): (usize, &'static Plan, &'d Work),
        bound: &Bound<'_>,
        tensors: &Tensors,
    ) -> Result<Run<'d>> {
        let Work { cores: work, on_shards } = work;
        let args = self.runtime_args(plan, (&tensors.bindings, bound.device.facts()), work)?;
        let on_shards = tensors.on_shards(on_shards);
        let mut words = tensors.words();
        if plan.work_partition.mode == PartitionMode::LocalShard {
            words.extend(work.iter().flat_map(|core| [core.x, core.y]));
            words.extend(on_shards.iter().map(|on| on.address));
        }
        let key = WorkloadKey::new(self.kernel(), stage, work, words);
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
                    work,
                    &tensors,
                    &on_shards,
                )?
            }
        };
        Ok(Run {
            stage,
            plan,
            work,
            args,
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
        let blocks = run.work.iter().flat_map(|core| {
            let runs = (0..core.count).step_by(core.run.max(1) as usize);
            runs.map(move |nth| StoredBlocks {
                core: (core.x as usize, core.y as usize),
                start: core.number(nth),
                count: core.run.min(core.count - nth),
                step: core.step,
            })
        });
        let kernel = match several {
            true => format!("{}, stage {}", self.kernel().name(), run.stage + 1),
            false => self.kernel().name().to_owned(),
        };
        Stores {
            kernel,
            tensors: written.map(tensor).collect(),
            blocks: blocks.collect(),
        }
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

    fn refused(&self, error: &PlanError) -> Error {
        Error::new(
            ErrorKind::Argument,
            format!("kernel `{}`: {error}", self.kernel().name()),
        )
    }
}

/// When a launch waits for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Not,
    AtTheEnd,
    AfterEveryStage,
}

/// A tensor of a launch, passed or temporary.
struct LaunchTensor {
    name: String,
    mutable: bool,
    buffer: u64,
    address: u32,
    element: ElementType,
    shape: Box<[usize]>,
    /// Of a tensor in shards the words of its accessor, which the device does not know.
    words: Option<Vec<u32>>,
    in_dram: bool,
    /// The page of its buffer at which it begins.
    first_page: u32,
    shards: Option<Arc<Placed>>,
}

impl LaunchTensor {
    /// Where its pages are, as the emulator of a device with this grid of cores counts banks.
    fn stored_pages(&self, grid: DeviceGrid) -> StoredPages {
        let Some((shards, places)) = self.shards.as_deref() else {
            return StoredPages::Interleaved(self.first_page.into());
        };
        let bank = |bank: &Bank| match *bank {
            Bank::Dram(number) => number,
            Bank::L1(x, y) => y * grid.x + x,
        };
        StoredPages::Placed {
            banks: shards.banks.iter().map(bank).collect(),
            of_bank: shards.pages_of_bank(),
            places: places.clone(),
        }
    }
}

/// All tensors of a launch, and its values with their addresses.
struct Tensors {
    tensors: Vec<LaunchTensor>,
    bindings: Bindings,
}

/// The tensors of a launch and their buffers.
struct OfSession<'l> {
    kernel: &'static Kernel,
    tensors: &'l Tensors,
    session: &'l Session,
}

impl ByName for OfSession<'_> {
    fn accessor_words(&self, name: &str) -> Result<Vec<u32>> {
        match self.tensors.tensors.iter().find(|tensor| tensor.name == name) {
            Some(LaunchTensor { words: Some(words), .. }) => Ok(words.clone()),
            Some(tensor) => self.session.accessor_words(tensor.buffer),
            None => Err(self
                .kernel
                .damaged(&format!("the plan accesses `{name}`, which is no tensor"))),
        }
    }

    fn buffer(&self, number: u64) -> Result<&SharedPtr<MeshBuffer>> {
        self.session.buffer(number)
    }
}

impl Tensors {
    /// The circular buffers that lie on shards, with the buffers of their tensors.
    fn on_shards(&self, of: &[OnShard<'_>]) -> Vec<OnTensor> {
        let on = of.iter().filter_map(|on| {
            let tensor = self.tensors.iter().find(|tensor| tensor.name == on.tensor)?;
            Some(OnTensor {
                circular_buffer: on.buffer,
                pages: on.pages,
                buffer: tensor.buffer,
                address: tensor.address,
            })
        });
        on.collect()
    }

    /// The words of all tensors in shards.
    fn words(&self) -> Vec<u32> {
        let words = self.tensors.iter().flat_map(|tensor| &tensor.words);
        words.flatten().copied().collect()
    }
}

/// A stage that is ready to run.
struct Run<'d> {
    stage: usize,
    plan: &'static Plan,
    work: &'d [CoreWork],
    args: Vec<(Role, Vec<u32>)>,
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

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch({})", self.kernel().name())
    }
}
