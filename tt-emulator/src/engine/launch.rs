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
use crate::compute::rules::SFPI;
use crate::kernel_config::{ComputeOptions, KernelRole};
use crate::kernel_object::{CbDescriptor, KernelError};
use crate::report::{Place, Report, RiscName, cited};
use crate::rules;
use crate::settings::{self, SettingError};

use super::circular_buffer::{CbConfig, CoreCb};
use super::core::{Core, no_buffers};
use super::coroutine::Switch;
use super::counters::{CoreCounters, RiscCounters, RunCounters};
use super::deadlock;
use super::device::Device;
use super::memory::l1::L1;
use super::memory::machine::{Machine, Node};
use super::order::Order;
use super::printing::Printed;
use super::program::{CbIndex, CoreCoord, Kernel, Program, ProgramKernel};
use super::risc::{Progress, Risc, RiscMemory};
use super::schedule::{CoreRun, Ending, OfCore, RISCS, run};
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
    check_cores(program, device.arch())?;
    compile(program, device.arch())?;
    place_circular_buffers(program, device)?;
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
    check_cores(program, arch)?;
    let entries = compile(program, arch)?;
    let addresses = place_circular_buffers(program, device)?;
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
    let parts = parts(program, &entries, Modes { fpu, clock, order });
    let mut cores = build(program, &machine, &parts, &addresses);
    let (ending, epochs) = run(&machine, &mut cores, (threads, order), spin_seconds);
    match ending {
        Ending::Finished => {
            if let Some(report) = cores.iter_mut().find_map(|run| run.outcome.forgotten.take()) {
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
    let mut counters = RunCounters {
        epochs,
        programs: 1,
        cores: Vec::with_capacity(cores.len()),
        ..Default::default()
    };
    for run in &cores {
        counters.total.add(&run.outcome.counts);
        counters.cores.push(CoreCounters {
            core: run.core.logical,
            counts: run.outcome.counts.clone(),
        });
    }
    if clock {
        let file = settings::timeline();
        let (modelled, timeline) = modelled(arch, &mut cores, file.is_some());
        counters.modelled = Some(modelled);
        if let (Some(file), Some(timeline)) = (file, timeline) {
            std::fs::write(&file, timeline).map_err(|error| LaunchError::Timeline { file, error })?;
        }
    }
    drop(cores);
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
fn forgotten(risc: &Risc) -> Option<Box<Report>> {
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

fn check_cores(program: &Program, arch: &Arch) -> Result<(), Box<Report>> {
    let kernels = program
        .kernels
        .iter()
        .map(|kernel| (kernel.kernel.file.clone(), &kernel.cores));
    let buffers = program
        .circular_buffers
        .iter()
        .map(|cb| (format!("circular buffer {}", cb.indices[0].id), &cb.cores));
    let semaphores = program
        .semaphores
        .iter()
        .map(|semaphore| (format!("semaphore {}", semaphore.id), &semaphore.cores));
    for (what, cores) in kernels.chain(buffers).chain(semaphores) {
        if let Some((x, y)) = cores.iter().find(|(x, y)| *x >= arch.grid.0 || *y >= arch.grid.1) {
            let (columns, rows) = arch.grid;
            let detail = format!(
                "{what} on core ({x},{y}); the grid of {} has {columns} columns and {rows} rows",
                arch.text
            );
            return Err(Report::launch(&rules::LAUNCH_CORE, detail));
        }
    }
    for index in program.circular_buffers.iter().flat_map(|cb| &cb.indices) {
        if usize::from(index.id) >= arch.circular_buffers {
            let detail = format!(
                "circular buffer {}; {} has ids 0 to {}",
                index.id,
                arch.text,
                arch.circular_buffers - 1
            );
            return Err(Report::launch(&rules::LAUNCH_CB_ID, detail));
        }
    }
    Ok(())
}

/// Compiles what is not compiled yet, several kernels at a time.
fn compile(program: &Program, arch: &Arch) -> Result<Vec<KernelEntry>, LaunchError> {
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = program
            .kernels
            .iter()
            .map(|kernel| {
                let buffers = descriptors(program, &kernel.cores);
                match kernel.kernel.loaded_entry(arch.name, &buffers) {
                    Some(entry) => Err(entry),
                    None => Ok(scope.spawn(move || {
                        let entry = kernel.kernel.entry(arch.name, &buffers);
                        entry.map_err(|error| not_compiled(kernel, error))
                    })),
                }
            })
            .collect();
        let join = |handle| match handle {
            Err(entry) => Ok(entry),
            Ok(thread) => std::thread::ScopedJoinHandle::join(thread)
                .unwrap_or_else(|_| Err(LaunchError::Kernel("the kernel compiler's thread panicked".to_owned()))),
        };
        handles.into_iter().map(join).collect()
    });
    results.into_iter().collect()
}

/// Why a kernel has no machine code: a rule where it is in a language that is not emulated.
fn not_compiled(kernel: &ProgramKernel, error: KernelError) -> LaunchError {
    let KernelError::Sfpi { file, line, word } = error else {
        return LaunchError::Kernel(error.to_string());
    };
    let source = &kernel.kernel.request;
    let (code, marker) = match file == source.file {
        true => cited(&source.source, line),
        false => Default::default(),
    };
    let place = Place {
        code,
        source: marker,
        kernel: file,
        core: kernel.kernel.first_core,
        risc: kernel.kernel.risc(),
        line,
    };
    Box::new(Report {
        rule: &SFPI,
        place: Some(place),
        detail: format!("`{word}`"),
    })
    .into()
}

/// The circular buffers that some of `cores` have, by id.
fn descriptors(program: &Program, cores: &[CoreCoord]) -> Vec<CbDescriptor> {
    let here = program
        .circular_buffers
        .iter()
        .filter(|buffer| buffer.cores.iter().any(|core| cores.contains(core)));
    let describe = |index: &CbIndex| CbDescriptor {
        id: index.id,
        format: index.format,
        tile: index.tile,
    };
    let mut found: Vec<_> = here.flat_map(|buffer| buffer.indices.iter().map(describe)).collect();
    found.sort_by_key(|buffer| buffer.id);
    found.dedup_by_key(|buffer| buffer.id);
    found
}

/// L1 offset of every circular buffer: the same on all its cores, above what these cores have already.
fn place_circular_buffers(program: &Program, device: &Device) -> Result<Vec<u32>, Box<Report>> {
    let arch = device.arch();
    let base = arch.l1_unreserved_base() as u64;
    let limit = device.lowest_l1_buffer();
    // By core, row by row.
    let mut ends = vec![base; arch.cores()];
    let number = |(x, y): &CoreCoord| y * arch.grid.0 + x;
    let mut addresses = Vec::with_capacity(program.circular_buffers.len());
    for buffer in &program.circular_buffers {
        if let Some(address) = buffer.global_address {
            let end = address.saturating_add(u64::from(buffer.total_bytes));
            let range = device.l1_buffer_at(address);
            let Some((address, _)) = u32::try_from(address).ok().zip(range.filter(|range| end <= range.end)) else {
                let detail = format!(
                    "a circular buffer of {} bytes at {address:#x} is not inside an L1 buffer",
                    buffer.total_bytes
                );
                return Err(Report::launch(&rules::LAUNCH_L1, detail));
            };
            addresses.push(address);
            continue;
        }
        let address = buffer.cores.iter().map(|core| ends[number(core)]).max().unwrap_or(base);
        let end = (address + u64::from(buffer.total_bytes)).next_multiple_of(arch.l1_alignment as u64);
        for core in &buffer.cores {
            ends[number(core)] = end;
        }
        addresses.push(address as u32);
    }
    let in_order = (0..arch.grid.0).flat_map(|x| (0..arch.grid.1).map(move |y| (x, y)));
    if let Some((core, end)) = in_order
        .map(|core| (core, ends[number(&core)]))
        .max_by_key(|(_, end)| *end)
        && end > limit
    {
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

/// What is left of a core's RISCs when all have returned.
#[derive(Default)]
pub(crate) struct Outcome {
    pub counts: RiscCounters,
    /// A window of a circular buffer that a RISC opened and then forgot.
    forgotten: Option<Box<Report>>,
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

/// Where a RISC stands among those of its core.
fn turn(risc: RiscName) -> usize {
    match risc {
        RiscName::Ncrisc => 0,
        RiscName::Trisc => 1,
        RiscName::Brisc => 2,
    }
}

/// The cores of a program, in the order of their numbers; each makes its RISCs when it begins.
pub(super) fn build<'run>(
    program: &Program,
    machine: &Arc<Machine>,
    parts: &'run [Part<'run>],
    addresses: &[u32],
) -> Vec<CoreRun<'run>> {
    let arch = machine.arch;
    let clock = parts.iter().any(|part| part.modes.clock);
    let order = parts.iter().find_map(|part| part.modes.order);
    let ids = program.circular_buffers.iter().flat_map(|buffer| &buffer.indices);
    let buffers = ids.map(|index| usize::from(index.id) + 1).max().unwrap_or(0);
    let number = |(x, y): CoreCoord| y * arch.grid.0 + x;
    let most = program
        .kernels
        .iter()
        .map(|kernel| kernel.cores.len())
        .max()
        .unwrap_or(0);
    let mut cores: Vec<(Core, OfCore)> = Vec::with_capacity(most);
    // Where those are in that list, by number, row by row.
    let mut places: Vec<Option<u16>> = vec![None; arch.cores()];
    for (part, kernel) in program.kernels.iter().enumerate() {
        for (place, core) in kernel.cores.iter().enumerate() {
            let at = *places[number(*core)].get_or_insert_with(|| {
                cores.push((new_core(machine, *core, buffers, (clock, order)), [None; RISCS]));
                cores.len() as u16 - 1
            });
            let (_, kernels) = &mut cores[usize::from(at)];
            kernels[turn(kernel.kernel.risc())].get_or_insert((part, place));
        }
    }
    for (buffer, offset) in program.circular_buffers.iter().zip(addresses) {
        for &(x, y) in &buffer.cores {
            let Some(at) = places[number((x, y))] else {
                continue;
            };
            let (core, _) = &mut cores[usize::from(at)];
            for index in &buffer.indices {
                let base = core.l1_base + offset;
                if buffer.global_address.is_none() {
                    // SAFETY: no kernel runs yet, and no RISC has this L1.
                    let mut l1 = unsafe { L1::of(core) };
                    unwritten::mark(l1.get_mut(base, buffer.total_bytes as usize), index.page_bytes as usize);
                }
                core.cbs[usize::from(index.id)] = CoreCb::new(CbConfig {
                    base,
                    bytes: buffer.total_bytes,
                    page_bytes: index.page_bytes,
                    pages: buffer.total_bytes / index.page_bytes,
                    format: index.format,
                    tile_rows: index.tile.0,
                    tile_columns: index.tile.1,
                    on_buffer: buffer.global_address.is_some(),
                });
            }
        }
    }
    for semaphore in &program.semaphores {
        for &(x, y) in &semaphore.cores {
            let index = number((x, y));
            let offset = SEMAPHORE_BASE + semaphore.id as usize * SEMAPHORE_STRIDE;
            // SAFETY: semaphores lie in every core's L1, and no kernel runs yet.
            unsafe { machine.change_word(Node::Core(index as u16), offset as u64, |_| semaphore.initial) };
            if let Some(at) = places[index] {
                let (core, _) = &mut cores[usize::from(at)];
                core.semaphores |= 1 << semaphore.id;
            }
        }
    }
    cores.sort_by_key(|(core, _)| core.index);
    let runs = cores.into_iter();
    runs.map(|(core, kernels)| CoreRun::new(core, parts, kernels)).collect()
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
            buffer: None,
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

    /// Makes a RISC that has returned, of another core and perhaps of another kernel, one of this kernel on `core`.
    pub fn renew(&self, risc: &mut Risc, core: &Rc<Core>, place: usize) {
        if risc.name != self.common.kernel.risc() || risc.progress.violation.get().is_some() {
            *risc = self.risc(core, place);
            return;
        }
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
        risc.buffer = None;
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

impl Outcome {
    /// Adds what a RISC that has returned leaves.
    pub fn add(&mut self, risc: &Risc) {
        self.counts.add(&risc.counters);
        if self.forgotten.is_none() {
            self.forgotten = forgotten(risc);
        }
    }
}

fn new_core(machine: &Arc<Machine>, logical: CoreCoord, buffers: usize, (clock, order): (bool, Option<u64>)) -> Core {
    let arch = machine.arch;
    let index = (logical.1 * arch.grid.0 + logical.0) as u16;
    let (virtual_x, virtual_y) = arch.virtual_core(logical.0, logical.1);
    Core {
        index,
        logical,
        virtual_x,
        virtual_y,
        l1_base: machine.pointer(Node::Core(index), 0).addr() as u32,
        machine: machine.clone(),
        cbs: no_buffers(buffers),
        semaphores: 0,
        to_fetch: Ahead::default(),
        outbox: RefCell::default(),
        fences: Cell::default(),
        order: order.map(|number| Order::of(number, Some(index))),
        signals: clock.then(RefCell::default),
    }
}
