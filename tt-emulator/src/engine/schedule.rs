//! Running a launch: epochs over cores, cores over threads.
//!
//! Before: cores and RISCs are built, nothing has run. After: every kernel has returned, or the first broken rule or
//! deadlock is known.
//!
//! In an epoch each thread runs its cores one after the other, each until all its RISCs wait. Then all threads meet, and
//! each delivers the messages for its own cores, in the order of the sending cores. A core never sees another one's
//! semaphores move while it runs, so the course of a run does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::copying;
use super::core::{Core, Message, MessageEffect, MessageTarget};
use super::coroutine::{KernelCoroutine, Resumed};
use super::entry::API;
use super::memory::machine::{Machine, Node};
use super::risc::{Risc, Wait, guard, set_current};
use super::trap;
use crate::abi::KernelEntry;

/// Epochs in a row in which RISCs only polled memory, before that counts as a deadlock.
const IDLE_POLLS: u64 = 10_000;

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

/// What all threads share. Cores are reached through pointers: each by its own thread while an epoch runs, the outboxes by
/// all threads between epochs.
struct Shared<'run> {
    machine: &'run Machine,
    cores: Vec<*mut CoreRun>,
    /// Thread that delivers to a core of the grid.
    owner: Vec<usize>,
    threads: usize,
    meeting: Meeting,
    /// What happened in an epoch; slot e % 3.
    epochs: [EpochFacts; 3],
}

// SAFETY: see the field comment of `cores`; the meeting between epochs orders the accesses.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn core(&self, position: usize) -> *mut CoreRun {
        self.cores[position]
    }
}

#[derive(Default)]
struct EpochFacts {
    messages: AtomicU64,
    polls: AtomicU64,
    waiting: AtomicU64,
    violated: AtomicBool,
    failed: AtomicBool,
}

impl EpochFacts {
    fn clear(&self) {
        self.messages.store(0, Ordering::Relaxed);
        self.polls.store(0, Ordering::Relaxed);
        self.waiting.store(0, Ordering::Relaxed);
        self.violated.store(false, Ordering::Relaxed);
        self.failed.store(false, Ordering::Relaxed);
    }
}

/// Where threads wait for each other.
struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Meeting {
    fn new(threads: usize) -> Meeting {
        Meeting {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            sleepers: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            let _sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            self.round.store(round + 1, Ordering::Release);
            self.wake.notify_all();
            return;
        }
        for _ in 0..4000 {
            if self.round.load(Ordering::Acquire) != round {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        while self.round.load(Ordering::Acquire) == round {
            sleepers = self.wake.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Runs all kernels of `cores`; gives how that ended and how many epochs it took.
pub(crate) fn run(machine: &Machine, cores: &mut [CoreRun], threads: usize) -> (Ending, u64) {
    let threads = threads.clamp(1, cores.len().max(1));
    let mut owner = vec![0; machine.arch.cores()];
    for (position, run) in cores.iter().enumerate() {
        owner[run.core.index as usize] = position % threads;
    }
    let shared = Shared {
        machine,
        cores: cores.iter_mut().map(|run| run as *mut CoreRun).collect(),
        owner,
        threads,
        meeting: Meeting::new(threads),
        epochs: Default::default(),
    };
    std::thread::scope(|scope| {
        for thread in 1..threads {
            let shared = &shared;
            scope.spawn(move || run_thread(shared, thread));
        }
        run_thread(&shared, 0)
    })
}

/// A kernel that has not returned yet.
struct Running {
    risc: *mut Risc,
    coroutine: Option<KernelCoroutine>,
}

fn run_thread(shared: &Shared<'_>, thread: usize) -> (Ending, u64) {
    trap::prepare_thread();
    let mine: Vec<usize> = (thread..shared.cores.len()).step_by(shared.threads).collect();
    let mut failed = false;
    let mut running: Vec<Vec<Running>> = Vec::with_capacity(mine.len());
    for &position in &mine {
        // SAFETY: this thread owns the core while the run lasts.
        let core = unsafe { &mut *shared.core(position) };
        running.push(
            core.riscs
                .iter_mut()
                .map(|(risc, entry)| start(risc, *entry, &mut failed))
                .collect(),
        );
    }
    let mut epoch = 0u64;
    let mut idle = 0u64;
    let ending = loop {
        let facts = &shared.epochs[(epoch % 3) as usize];
        facts.failed.fetch_or(failed, Ordering::Relaxed);
        for (&position, kernels) in mine.iter().zip(&mut running) {
            // SAFETY: as above.
            let core = unsafe { &mut *shared.core(position) };
            core.core.outbox.clear();
            if !failed {
                run_core(kernels, facts);
            }
            facts
                .messages
                .fetch_add(core.core.outbox.len() as u64, Ordering::Relaxed);
        }
        copying::fence();
        shared.meeting.wait();
        epoch += 1;
        idle = if facts.messages.load(Ordering::Relaxed) == 0 {
            idle + 1
        } else {
            0
        };
        let ending = if facts.failed.load(Ordering::Relaxed) {
            Some(Ending::OutOfStacks)
        } else if facts.violated.load(Ordering::Relaxed) {
            Some(Ending::Violated)
        } else if facts.waiting.load(Ordering::Relaxed) == 0 {
            Some(Ending::Finished)
        } else if idle > 0 && (facts.polls.load(Ordering::Relaxed) == 0 || idle > IDLE_POLLS) {
            Some(Ending::Deadlocked)
        } else {
            None
        };
        deliver(shared, thread);
        if let Some(ending) = ending {
            break ending;
        }
        if thread == 0 {
            shared.epochs[((epoch + 1) % 3) as usize].clear();
        }
        // Outboxes are cleared only when all threads have read them.
        shared.meeting.wait();
    };
    for kernel in running.into_iter().flatten() {
        if let Some(coroutine) = kernel.coroutine {
            coroutine.into_pool();
        }
    }
    (ending, epoch)
}

fn start(risc: &mut Box<Risc>, entry: KernelEntry, failed: &mut bool) -> Running {
    let pointer: *mut Risc = &mut **risc;
    let coroutine = KernelCoroutine::new(move |switch| {
        // SAFETY: the RISC is boxed and outlives its coroutine; only this coroutine uses it while it runs.
        unsafe { (*pointer).switch = switch };
        // SAFETY: the entry was made by the wrapper of this very table's version, which its key covers.
        unsafe { entry(&raw const API) };
        guard(0, |risc| {
            risc.check_transfers_at_end();
            risc.check_cbs_at_end();
            risc.check_compute_at_end();
            risc.wait = Wait::Done;
        });
    });
    *failed |= coroutine.is_err();
    Running {
        risc: pointer,
        coroutine: coroutine.ok(),
    }
}

/// Runs the RISCs of a core, in turn, until none can go on.
fn run_core(kernels: &mut [Running], facts: &EpochFacts) {
    for kernel in kernels.iter_mut() {
        // SAFETY: this thread owns the core and its RISCs, and none of them runs now.
        let risc = unsafe { &mut *kernel.risc };
        if risc.wait == Wait::Delivery {
            risc.wait = Wait::Nothing;
            facts.polls.fetch_add(1, Ordering::Relaxed);
        }
    }
    loop {
        let mut progress = false;
        for kernel in kernels.iter_mut() {
            let Some(coroutine) = &mut kernel.coroutine else {
                continue;
            };
            // SAFETY: as above; the borrow ends before the coroutine runs.
            let ready = unsafe {
                let risc = &mut *kernel.risc;
                let ready = risc.is_ready();
                if ready {
                    risc.wait = Wait::Nothing;
                }
                ready
            };
            if !ready {
                continue;
            }
            progress = true;
            set_current(kernel.risc);
            let resumed = coroutine.resume();
            set_current(std::ptr::null_mut());
            // SAFETY: as above; the coroutine has suspended or ended.
            let risc = unsafe { &mut *kernel.risc };
            if let Resumed::Faulted(address) = resumed {
                risc.fault(address);
            }
            if risc.violation.is_some() {
                facts.violated.store(true, Ordering::Relaxed);
                return;
            }
            if !matches!(resumed, Resumed::Suspended)
                && let Some(done) = kernel.coroutine.take()
            {
                done.into_pool();
            }
        }
        if !progress {
            break;
        }
    }
    let waiting = kernels.iter().filter(|kernel| kernel.coroutine.is_some()).count();
    facts.waiting.fetch_add(waiting as u64, Ordering::Relaxed);
}

/// Delivers to the cores of `thread` what all cores sent in the epoch that has ended.
fn deliver(shared: &Shared<'_>, thread: usize) {
    for &source in &shared.cores {
        // SAFETY: between the meetings around a delivery nobody changes an outbox.
        let outbox = unsafe { &(*source).core.outbox };
        for message in outbox {
            match message.target {
                MessageTarget::Core(core) => deliver_to(shared, thread, core, message),
                MessageTarget::Rectangle { rectangle, excluded } => {
                    for core in shared
                        .machine
                        .cores_in(rectangle)
                        .filter(|core| Some(*core) != excluded)
                    {
                        deliver_to(shared, thread, core, message);
                    }
                }
            }
        }
    }
}

fn deliver_to(shared: &Shared<'_>, thread: usize, core: u16, message: &Message) {
    if shared.owner[core as usize] != thread {
        return;
    }
    let pointer = shared.machine.pointer(Node::Core(core), u64::from(message.offset));
    match message.effect {
        MessageEffect::Add(value) => {
            let word = pointer.cast::<u32>();
            // SAFETY: offset and alignment were checked when the increment was issued; only this thread touches the core now.
            unsafe { word.write_volatile(word.read_volatile().wrapping_add(value)) };
        }
        MessageEffect::Store { data, bytes } => {
            // SAFETY: the range was checked when the write was issued; only this thread touches the core now.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, bytes as usize) };
        }
    }
}
