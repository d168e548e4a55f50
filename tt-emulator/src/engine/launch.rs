//! Launching a program on a device.
//!
//! Before: a program, a device. After: all kernels have run and the counters are recorded, or a report says what was wrong.
//! Everything that can be refused is refused before the first kernel runs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::abi::KernelEntry;
use crate::arch::{Arch, SEMAPHORE_BASE, SEMAPHORE_STRIDE};
use crate::clock::{Modelled, Trace, replay};
use crate::compute::ComputeState;
use crate::compute::Fpu;
use crate::compute::ahead::Ahead;
use crate::kernel_config::{ComputeOptions, KernelRole};
use crate::report::Report;
use crate::rules;
use crate::settings::{self, SettingError};

use super::circular_buffer::CbConfig;
use super::core::{Core, no_buffers};
use super::coroutine::Switch;
use super::counters::{CoreCounters, RiscCounters, RunCounters};
use super::deadlock;
use super::device::Device;
use super::memory::l1::L1;
use super::memory::machine::{Machine, Node};
use super::order::Order;
use super::prepared::{Prepared, PreparedCore, prepared};
use super::printing::Printed;
use super::program::{CircularBuffer, Kernel, Program, ProgramKernel};
use super::risc::{Progress, Risc, RiscMemory};
use super::schedule::{CoreRun, Ending, run, turn};
use super::stores::{Misused, StoreMap, Stores, Touch, Unstored};
use super::unwritten;
use super::writers::Writer;

/// Why a launch gave no result.
#[derive(Debug)]
pub enum LaunchError {
    /// A rule was broken, before or while kernels ran.
    Report(Box<Report>),
    /// A kernel could not be compiled or loaded.
    Kernel(String),
    /// A variable of the environment has a value that it cannot have.
    Setting(SettingError),
    /// The machine gave no memory for the kernels' stacks.
    Stacks,
    /// The timeline of a run could not be written; the run itself is over.
    Timeline {
        /// Where to.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// Something enqueued failed, and what was enqueued behind it did not run.
    Queued {
        /// The failure.
        error: Box<LaunchError>,
        /// Programs that did not run.
        dropped: usize,
    },
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LaunchError::Report(report) => report.fmt(f),
            LaunchError::Kernel(text) => f.write_str(text),
            LaunchError::Setting(error) => error.fmt(f),
            LaunchError::Stacks => f.write_str("no memory for the stacks of the kernels"),
            LaunchError::Timeline { file, error } => {
                write!(f, "cannot write the timeline to {}: {error}", file.display())
            }
            LaunchError::Queued { error, dropped } => {
                let programs = if *dropped == 1 { "program" } else { "programs" };
                write!(f, "{error}\n    {dropped} {programs} enqueued behind it did not run")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

impl From<Box<Report>> for LaunchError {
    fn from(report: Box<Report>) -> Self {
        LaunchError::Report(report)
    }
}

/// Runs `program` on `device` to its end, after everything that was enqueued there.
pub fn launch(device: &Arc<Device>, program: &Program, threads: usize) -> Result<RunCounters, LaunchError> {
    device.wait();
    run_now(device, program, threads).map(Arc::unwrap_or_clone)
}

/// Refuses what can be refused before anything runs, and compiles.
pub(crate) fn refuse(device: &Arc<Device>, program: &Program) -> Result<(), LaunchError> {
    let prepared = prepared(program, device.arch())?;
    place_circular_buffers(program, &prepared, device)?;
    Ok(())
}

/// Runs `program` on `device` to its end, whatever is enqueued.
pub(crate) fn run_now(
    device: &Arc<Device>,
    program: &Program,
    threads: usize,
) -> Result<Arc<RunCounters>, LaunchError> {
    let _running = device.lock_for_run();
    let arch = device.arch();
    let spin_seconds = settings::spin_seconds().map_err(LaunchError::Setting)?;
    let fpu = settings::fpu().map_err(LaunchError::Setting)?;
    let prepared = prepared(program, arch)?;
    let addresses = place_circular_buffers(program, &prepared, device)?;
    // SAFETY: the run is ours until the end, before which the machine goes; who calls has the device until then.
    let mut machine = unsafe { device.machine() };
    machine.stores = match &program.stores {
        Some(stores) => StoreMap::new(stores, arch),
        None => StoreMap::of_blocks_alone(arch.dram_banks),
    };
    let machine = Arc::new(machine);
    let clock = device.has_clock();
    let fpu = match fpu {
        Fpu::Fast if clock => Fpu::Compared,
        fpu => fpu,
    };
    let order = settings::order().map_err(LaunchError::Setting)?;
    let parts = parts(program, &prepared.entries, Modes { fpu, clock, order });
    let mut counters = RunCounters {
        programs: 1,
        cores: prepared.counters(),
        ..Default::default()
    };
    let placed = (&addresses[..], &machine);
    let mut cores = build(program, &prepared, placed, &parts, &mut counters.cores);
    let (ending, epochs) = run(&machine, &mut cores, (threads, order), spin_seconds);
    match ending {
        Ending::Finished => {
            if let Some(report) = cores.iter_mut().find_map(|run| run.forgotten.take()) {
                return Err(report.into());
            }
        }
        Ending::OutOfStacks => return Err(LaunchError::Stacks),
        Ending::Deadlocked => return Err(deadlock::report(&cores, spin_seconds).into()),
        Ending::Violated => {
            let mut riscs = cores.iter().flat_map(|run| &run.riscs);
            let broken = riscs.find_map(|risc| Some((risc, risc.progress.violation.get()?)));
            if let Some((risc, violation)) = broken {
                return Err(Box::new(Report {
                    rule: violation.rule,
                    place: Some(deadlock::place(risc, violation.line)),
                    detail: violation.detail.clone(),
                })
                .into());
            }
        }
    }
    counters.epochs = epochs;
    if clock {
        let file = settings::timeline();
        let (modelled, timeline) = modelled(arch, &mut cores, file.is_some());
        counters.modelled = Some(modelled);
        if let (Some(file), Some(timeline)) = (file, timeline) {
            std::fs::write(&file, timeline).map_err(|error| LaunchError::Timeline { file, error })?;
        }
    }
    drop(cores);
    for core in &counters.cores {
        counters.total.add(&core.counts);
    }
    // All cores are gone, and nothing else has the machine.
    if let Some(machine) = Arc::into_inner(machine) {
        let misused = |of: Misused| of.report(&touched(&parts), program.stores.as_ref());
        match &program.stores {
            Some(stores) => {
                counters.unstored = machine.stores.judge(stores, arch.grid.0).map_err(misused)?;
                tell_once(stores, &counters.unstored);
            }
            None => machine.stores.judge_blocks().map_err(misused)?,
        }
    }
    let counters = Arc::new(counters);
    device.record_run(counters.clone());
    Ok(counters)
}

/// The lines of kernels that touch what is watched, each once, in the order in which RISCs of a core run.
fn touched(parts: &[Part]) -> Vec<(Touch, Arc<Kernel>)> {
    let mut parts: Vec<&Common> = parts.iter().map(|part| &*part.common).collect();
    parts.sort_by_key(|part| turn(part.kernel.risc()));
    let mut found: Vec<(Touch, Arc<Kernel>)> = Vec::new();
    for part in parts {
        let mut touched = part.touched.lock().unwrap_or_else(PoisonError::into_inner).clone();
        touched.sort_by_key(|touch| touch.line);
        for touch in touched {
            let is_known = |(known, other): &(Touch, Arc<Kernel>)| *known == touch && other.file == part.kernel.file;
            if !found.iter().any(is_known) {
                found.push((touch, part.kernel.clone()));
            }
        }
    }
    found
}

/// What the run would take on a chip, by what its RISCs wrote down.
fn modelled(arch: &'static Arch, cores: &mut [CoreRun], with_timeline: bool) -> (Modelled, Option<String>) {
    let traces = cores.iter_mut().flat_map(|run| {
        let core = &run.core;
        run.riscs.iter_mut().map(|risc| Trace {
            core: core.index,
            risc: risc.name,
            events: risc.trace.take().unwrap_or_default(),
            pages: core.cbs.iter().map(|cb| cb.config.pages).collect(),
            sections: match &risc.part.kernel.role {
                KernelRole::Compute(options) if !options.dst_full_sync_en => 2,
                KernelRole::Compute(_) | KernelRole::DataMovement { .. } => 1,
            },
        })
    });
    replay(arch, &traces.collect::<Vec<_>>(), with_timeline)
}

/// Says on stderr what a kernel left as it was, the first time that it does.
fn tell_once(stores: &Stores, unstored: &[Unstored]) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if unstored.is_empty()
        || !TOLD
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(stores.kernel.clone())
    {
        return;
    }
    let words: Vec<String> = unstored.iter().map(Unstored::to_string).collect();
    let but = if stores.others_may_store {
        ", but for what another stage stores"
    } else {
        ""
    };
    eprintln!(
        "tt: no block of kernel `{}` stored {}; they are as they were before{but} (said once; `.profile()` counts)",
        stores.kernel,
        words.join("; ")
    );
}

/// Refuses a run in which a RISC opened a window of a circular buffer and then forgot it.
pub(super) fn forgotten(risc: &Risc) -> Option<Box<Report>> {
    let (rule, cb, detail) = if let Some((cb, pages)) = risc.forgotten_reserve() {
        (
            &rules::CB_DIRTY_RESERVE,
            cb,
            format!("{pages} pages reserved, none was ever pushed"),
        )
    } else {
        let (cb, pages) = risc.forgotten_wait()?;
        (
            &rules::CB_DIRTY_WAIT,
            cb,
            format!("{pages} pages waited for, none was ever popped"),
        )
    };
    Some(Box::new(Report {
        rule,
        place: Some(deadlock::place(risc, risc.line)),
        detail: format!("circular buffer {cb}: {detail}"),
    }))
}

/// L1 offset of every circular buffer, the same on all its cores; all are inside of L1 buffers or below them.
fn place_circular_buffers(program: &Program, prepared: &Prepared, device: &Device) -> Result<Vec<u32>, Box<Report>> {
    let arch = device.arch();
    let limit = device.lowest_l1_buffer();
    let mut addresses = prepared.addresses.clone();
    for (buffer, offset) in program.circular_buffers.iter().zip(&mut addresses) {
        let Some(address) = buffer.global_address else {
            continue;
        };
        let end = address.saturating_add(u64::from(buffer.total_bytes));
        let range = device.l1_buffer_at(address);
        let Some((address, _)) = u32::try_from(address).ok().zip(range.filter(|range| end <= range.end)) else {
            let detail = format!(
                "a circular buffer of {} bytes at {address:#x} is not inside an L1 buffer",
                buffer.total_bytes
            );
            return Err(Report::launch(&rules::LAUNCH_L1, detail));
        };
        *offset = address;
    }
    let (core, end) = prepared.fullest;
    if end > limit {
        let base = arch.l1_unreserved_base() as u64;
        let free = limit - base;
        let what = if limit < arch.l1_bytes as u64 {
            ", below the L1 buffers"
        } else {
            ""
        };
        let detail = format!(
            "the circular buffers of core {core:?} take {} bytes, there are {free}{what}",
            end - base
        );
        return Err(Report::launch(&rules::LAUNCH_L1, detail));
    }
    Ok(addresses)
}

/// How a run is computed and watched.
#[derive(Clone, Copy)]
pub(crate) struct Modes {
    pub fpu: Fpu,
    /// What takes time is written down.
    pub clock: bool,
    /// Which of the courses that a chip may take; none is the usual one.
    pub order: Option<u64>,
}

/// A kernel of a launch, as its RISCs are made of it.
pub(crate) struct Part<'run> {
    common: Arc<Common>,
    pub entry: KernelEntry,
    /// Unique arguments, in the order of the kernel's cores.
    arguments: &'run [Option<Vec<u32>>],
    options: ComputeOptions,
    modes: Modes,
}

/// What all RISCs of a kernel share in a launch.
pub(crate) struct Common {
    pub kernel: Arc<Kernel>,
    /// Common runtime arguments; kernels may keep pointers into them.
    pub arguments: Vec<u32>,
    /// The kernel that the launch is of, else the file: who prints.
    pub name: String,
    /// Lines that touch what is watched, of RISCs that are gone.
    touched: Mutex<Vec<Touch>>,
}

impl Common {
    /// Adds lines that touch what is watched.
    pub fn note_touched(&self, touched: &[Touch]) {
        if touched.is_empty() {
            return;
        }
        let mut known = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        for touch in touched {
            if !known.contains(touch) {
                known.push(*touch);
            }
        }
    }
}

/// The kernels of a program, in the order in which RISCs of a core run: the direction that data flows, so that a core switches as
/// rarely as it can.
pub(super) fn parts<'run>(program: &'run Program, entries: &[KernelEntry], modes: Modes) -> Vec<Part<'run>> {
    let part = |(kernel, entry): (&'run ProgramKernel, &KernelEntry)| {
        let launched = program.stores.as_ref().map(|launch| &launch.kernel);
        Part {
            common: Arc::new(Common {
                kernel: kernel.kernel.clone(),
                arguments: kernel.common_arguments.clone().unwrap_or_default(),
                name: launched.unwrap_or(&kernel.kernel.file).clone(),
                touched: Mutex::default(),
            }),
            entry: *entry,
            arguments: &kernel.arguments,
            options: match &kernel.kernel.role {
                KernelRole::DataMovement { .. } => ComputeOptions::default(),
                KernelRole::Compute(options) => options.clone(),
            },
            modes,
        }
    };
    program.kernels.iter().zip(entries).map(part).collect()
}

/// The cores of a program, in the order of their numbers; each makes its RISCs when it begins.
pub(super) fn build<'run>(
    program: &Program,
    prepared: &Prepared,
    (addresses, machine): (&[u32], &Arc<Machine>),
    parts: &'run [Part<'run>],
    counters: &'run mut [CoreCounters],
) -> Vec<CoreRun<'run>> {
    let clock = parts.iter().any(|part| part.modes.clock);
    let order = parts.iter().find_map(|part| part.modes.order);
    for semaphore in &program.semaphores {
        for &(x, y) in &semaphore.cores {
            let core = Node::Core((y * machine.arch.grid.0 + x) as u16);
            let offset = SEMAPHORE_BASE + semaphore.id as usize * SEMAPHORE_STRIDE;
            // SAFETY: semaphores lie in every core's L1, and no kernel runs yet.
            unsafe { machine.change_word(core, offset as u64, |_| semaphore.initial) };
        }
    }
    let run = |(of, counters): (&PreparedCore, &'run mut CoreCounters)| {
        let mut core = new_core(machine, of, (clock, order));
        for &number in &of.circular_buffers {
            configure(&mut core, &program.circular_buffers[number], addresses[number]);
        }
        CoreRun::new(core, parts, of.kernels, &mut counters.counts)
    };
    prepared.cores.iter().zip(counters).map(run).collect()
}

/// Gives a core one of its circular buffers, at an offset of its L1.
fn configure(core: &mut Core, buffer: &CircularBuffer, offset: u32) {
    let base = core.l1_base + offset;
    for index in &buffer.indices {
        if buffer.global_address.is_none() {
            // SAFETY: no kernel runs yet, and no RISC has this L1.
            let mut l1 = unsafe { L1::of(core) };
            unwritten::mark(l1.get_mut(base, buffer.total_bytes as usize), index.page_bytes as usize);
        }
        let config = CbConfig {
            base,
            bytes: buffer.total_bytes,
            page_bytes: index.page_bytes,
            pages: buffer.total_bytes / index.page_bytes,
            format: index.format,
            tile_rows: index.tile.0,
            tile_columns: index.tile.1,
            on_buffer: buffer.global_address.is_some(),
        };
        core.configure(index.id, config);
    }
}

impl Part<'_> {
    /// A RISC of this kernel on a core, which is at this place among the kernel's.
    pub fn risc(&self, core: &Rc<Core>, place: usize) -> Risc {
        let (arch, Modes { fpu, clock, .. }) = (core.machine.arch, self.modes);
        let mut memory = RiscMemory::take();
        memory.arguments.extend_from_slice(self.arguments_at(place));
        Risc {
            core: core.clone(),
            progress: Rc::new(Progress::new(core, self.common.kernel.risc())),
            // SAFETY: the RISC keeps its core. RISCs of a core run one at a time, and what a RISC has a slice of is given
            // back when it waits for another.
            l1: unsafe { L1::of(core) },
            name: self.common.kernel.risc(),
            arch,
            part: self.common.clone(),
            arguments: memory.arguments,
            views: memory.views,
            viewed: 0,
            transfers: memory.transfers,
            turns: memory.turns,
            buffers: [None; 2],
            writer: Writer::Core(core.index),
            touched: memory.touched,
            printed: Printed::default(),
            line: 0,
            switch: Switch::unset(),
            counters: RiscCounters::default(),
            trace: clock.then(Vec::new),
            compute: ComputeState::new(&self.options, arch, fpu),
        }
    }

    /// The unique arguments for a core, by its place among the kernel's.
    fn arguments_at(&self, place: usize) -> &[u32] {
        self.arguments[place].as_deref().unwrap_or(&[])
    }

    /// Makes a RISC that has returned, of another core of the run and perhaps of another kernel, one of this kernel on `core`.
    pub fn renew(&self, risc: &mut Risc, core: &Rc<Core>, place: usize) {
        if risc.name != self.common.kernel.risc() || risc.progress.violation.get().is_some() {
            *risc = self.risc(core, place);
            return;
        }
        // What it found out of buffers stays true.
        debug_assert!(Arc::ptr_eq(&risc.core.machine, &core.machine), "a RISC of another run");
        risc.core.clone_from(core);
        risc.progress.renew(core);
        // SAFETY: as for a new one.
        risc.l1 = unsafe { L1::of(core) };
        if !Arc::ptr_eq(&risc.part, &self.common) {
            risc.part.note_touched(&risc.touched);
            risc.touched.clear();
            risc.part = self.common.clone();
        }
        risc.arguments.clear();
        risc.arguments.extend_from_slice(self.arguments_at(place));
        risc.viewed = 0;
        risc.transfers.clear();
        risc.turns.clear();
        risc.writer = Writer::Core(core.index);
        risc.printed = Printed::default();
        risc.line = 0;
        risc.switch = Switch::unset();
        risc.counters = RiscCounters::default();
        risc.trace = self.modes.clock.then(Vec::new);
        // Data movement leaves its engines as they are.
        if risc.is_compute() {
            risc.compute = ComputeState::new(&self.options, core.machine.arch, self.modes.fpu);
        }
    }
}

/// A core without circular buffers.
fn new_core(machine: &Arc<Machine>, of: &PreparedCore, (clock, order): (bool, Option<u64>)) -> Core {
    let (x, y) = of.logical;
    let (virtual_x, virtual_y) = machine.arch.virtual_core(x, y);
    Core {
        index: of.index,
        logical: of.logical,
        virtual_x,
        virtual_y,
        l1_base: machine.pointer(Node::Core(of.index), 0).addr() as u32,
        machine: machine.clone(),
        cbs: no_buffers(),
        configured: 0,
        semaphores: of.semaphores,
        to_fetch: Ahead::default(),
        outbox: RefCell::default(),
        fences: Cell::default(),
        order: order.map(|number| Order::of(number, Some(of.index))),
        signals: clock.then(RefCell::default),
    }
}
