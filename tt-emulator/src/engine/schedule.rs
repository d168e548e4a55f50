//! Running a launch: epochs over cores.
//!
//! Before: cores and RISCs are built, nothing has run. After: every kernel has returned, or the first broken rule or
//! deadlock is known.
//!
//! In an epoch every core that can run does so until all its RISCs wait, on whichever thread is free ([`super::workers`]).
//! Between epochs the messages are delivered, in the order of the sending cores. A core never sees another one's semaphores
//! move while it runs, so the course of a run depends neither on the number of threads nor on their speed.

use super::copying;
use super::core::{Core, Message, MessageEffect, MessageTarget};
use super::coroutine::{KernelCoroutine, Resumed};
use super::entries::API;
use super::memory::machine::{Machine, Node};
use super::risc::{Risc, Wait, guard, set_current};
use super::workers::with_workers;
use crate::abi::KernelEntry;

/// Epochs in a row in which RISCs only polled memory, before that counts as a deadlock.
const IDLE_POLLS: u64 = 10_000;

/// Milliseconds of processor time that an epoch takes in which a RISC spins without calls: two looks of the watchdog.
const SPIN_MILLISECONDS: u64 = 40;

/// A core and its RISCs. Boxed, because kernels and RISCs hold pointers to them.
pub(crate) struct CoreRun {
    pub core: Box<Core>,
    pub riscs: Vec<(Box<Risc>, KernelEntry)>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Finished,
    /// A RISC of some core holds a violation.
    Violated,
    /// RISCs wait for what can never come.
    Deadlocked,
    /// The stacks of the kernels could not be mapped.
    OutOfStacks,
}

/// A kernel that has not returned yet.
struct Running {
    risc: *mut Risc,
    coroutine: Option<KernelCoroutine>,
}

/// The kernels of one core. A thread that runs it has it to itself.
pub(super) struct RunningCore {
    core: *mut Core,
    kernels: Vec<Running>,
    violated: bool,
}

// SAFETY: a core, its RISCs and its coroutines are used by one thread at a time, which the workers hand over with release
// and acquire. Nothing on a kernel's stack is tied to a thread: kernels are C++ without thread-locals, and entries read the
// engine's thread-locals only on entering.
unsafe impl Send for RunningCore {}

/// Runs all kernels of `cores`; gives how that ended and how many epochs it took. A RISC may go on without a call for
/// `spin_seconds` while nobody else has anything to do.
pub(crate) fn run(machine: &Machine, cores: &mut [CoreRun], threads: usize, spin_seconds: u64) -> (Ending, u64) {
    let idle_spins = spin_seconds * 1000 / SPIN_MILLISECONDS;
    let mut running: Vec<RunningCore> = Vec::with_capacity(cores.len());
    for run in cores.iter_mut() {
        let kernels = run.riscs.iter_mut().map(|(risc, entry)| start(risc, *entry));
        match kernels.collect::<std::io::Result<_>>() {
            Ok(kernels) => running.push(RunningCore {
                core: &mut *run.core,
                kernels,
                violated: false,
            }),
            Err(_) => return (Ending::OutOfStacks, 0),
        }
    }
    let result = with_workers(threads.clamp(1, cores.len().max(1)), |workers| {
        let mut epoch = 0u64;
        let mut idle = 0u64;
        loop {
            let polled = running.iter_mut().map(RunningCore::wake_pollers).sum::<u64>();
            workers.run(running.iter_mut().filter(|core| core.is_ready()), RunningCore::run);
            epoch += 1;
            let messages = deliver(machine, &mut running);
            idle = if messages == 0 { idle + 1 } else { 0 };
            if running.iter().any(|core| core.violated) {
                return (Ending::Violated, epoch);
            }
            if running.iter().all(RunningCore::is_done) {
                return (Ending::Finished, epoch);
            }
            let polls = polled > 0 || running.iter().any(RunningCore::polls);
            let spins = running.iter().any(|core| core.waits_for(Wait::Spinning));
            let patience = if spins { idle_spins } else { IDLE_POLLS };
            if idle > 0 && (!polls || idle > patience) {
                return (Ending::Deadlocked, epoch);
            }
        }
    });
    copying::fence();
    for kernel in running.into_iter().flat_map(|core| core.kernels) {
        if let Some(coroutine) = kernel.coroutine {
            coroutine.into_pool();
        }
    }
    result
}

fn start(risc: &mut Box<Risc>, entry: KernelEntry) -> std::io::Result<Running> {
    let pointer: *mut Risc = &mut **risc;
    let coroutine = KernelCoroutine::new(move |switch| {
        // SAFETY: the RISC is boxed and outlives its coroutine; only this coroutine uses it while it runs.
        unsafe { (*pointer).switch = switch };
        // SAFETY: the entry was compiled with the header of these very tables, which its key covers.
        unsafe { entry(&raw const API) };
        guard(0, |risc| {
            risc.check_transfers_at_end();
            risc.check_compute_at_end();
            risc.wait = Wait::Done;
        });
    })?;
    Ok(Running {
        risc: pointer,
        coroutine: Some(coroutine),
    })
}

impl Running {
    /// The RISC, while its coroutine does not run.
    fn risc(&self) -> &Risc {
        // SAFETY: RISCs are boxed and outlive the run, and whoever has the core has its RISCs.
        unsafe { &*self.risc }
    }

    /// The RISC, while its coroutine does not run.
    fn risc_mut(&mut self) -> &mut Risc {
        // SAFETY: as above.
        unsafe { &mut *self.risc }
    }

    /// Runs the kernel until it waits or ends, if it can; gives whether it could.
    fn advance(&mut self) -> bool {
        if !self.risc().is_ready() {
            return false;
        }
        let Some(coroutine) = &mut self.coroutine else {
            return false;
        };
        // SAFETY: as in `risc`; the borrow ends before the coroutine runs.
        unsafe { (*self.risc).wait = Wait::Nothing };
        set_current(self.risc);
        let resumed = coroutine.resume();
        set_current(std::ptr::null_mut());
        if let Resumed::Faulted(fault) = resumed {
            self.risc_mut().fault(fault);
        }
        if !matches!(resumed, Resumed::Suspended)
            && let Some(done) = self.coroutine.take()
        {
            done.into_pool();
        }
        true
    }
}

impl RunningCore {
    /// Lets RISCs that poll memory look again; gives how many do.
    fn wake_pollers(&mut self) -> u64 {
        let pollers = self
            .kernels
            .iter_mut()
            .filter(|kernel| matches!(kernel.risc().wait, Wait::Delivery | Wait::Spinning));
        pollers.map(|kernel| kernel.risc_mut().wait = Wait::Nothing).count() as u64
    }

    fn polls(&self) -> bool {
        self.waits_for(Wait::Delivery) || self.waits_for(Wait::Spinning)
    }

    fn waits_for(&self, wait: Wait) -> bool {
        self.kernels.iter().any(|kernel| kernel.risc().wait == wait)
    }

    fn is_ready(&self) -> bool {
        self.kernels
            .iter()
            .any(|kernel| kernel.coroutine.is_some() && kernel.risc().is_ready())
    }

    fn is_done(&self) -> bool {
        self.kernels.iter().all(|kernel| kernel.coroutine.is_none())
    }

    /// Runs the RISCs in turn until none can go on.
    fn run(&mut self) {
        loop {
            let mut progress = false;
            for kernel in &mut self.kernels {
                progress |= kernel.advance();
                if kernel.risc().violation.is_some() {
                    self.violated = true;
                    return;
                }
            }
            if !progress {
                return;
            }
        }
    }
}

/// Delivers what all cores sent in the epoch that has ended; gives how many messages that were.
fn deliver(machine: &Machine, running: &mut [RunningCore]) -> u64 {
    let mut count = 0;
    for source in running {
        // SAFETY: no core runs between epochs.
        let outbox = unsafe { &mut (*source.core).outbox };
        if !outbox.is_empty() {
            // Every RISC that waits has handed over what it issued.
            for kernel in &mut source.kernels {
                kernel.risc_mut().transfers.forget_atomics();
            }
        }
        count += outbox.len() as u64;
        for message in outbox.drain(..) {
            match message.target {
                MessageTarget::Core(core) => deliver_to(machine, core, &message),
                MessageTarget::Rectangle { rectangle, excluded } => {
                    for core in machine.cores_in(rectangle).filter(|core| Some(*core) != excluded) {
                        deliver_to(machine, core, &message);
                    }
                }
            }
        }
    }
    count
}

fn deliver_to(machine: &Machine, core: u16, message: &Message) {
    let pointer = machine.pointer(Node::Core(core), u64::from(message.offset));
    match message.effect {
        MessageEffect::Add(value) => {
            let word = pointer.cast::<u32>();
            // SAFETY: offset and alignment were checked when the increment was issued; no core runs now.
            unsafe { word.write_volatile(word.read_volatile().wrapping_add(value)) };
        }
        MessageEffect::Store { data, bytes } => {
            // SAFETY: the range was checked when the write was issued; no core runs now.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, bytes as usize) };
        }
    }
}
