//! Running a launch: epochs over cores.
//!
//! Before: cores and RISCs are built, nothing has run. After: every kernel has returned, or the first broken rule or
//! deadlock is known.
//!
//! In an epoch every core that can run does so until all its RISCs wait, on whichever thread is free ([`super::workers`]).
//! Between epochs the messages are delivered, in the order of the sending cores. A core never sees another one's semaphores
//! move while it runs, so the course of a run depends neither on the number of threads nor on their speed.

use std::cell::RefCell;
use std::mem::take;
use std::rc::Rc;

use super::copying;
use super::core::{Core, Message, MessageEffect, MessageTarget};
use super::coroutine::{KernelCoroutine, Resumed, Switch};
use super::counters::RiscCounters;
use super::entries::API;
use super::launch::{Part, forgotten};
use super::memory::machine::{Machine, Node};
use super::order::Messages;
use super::risc::{Current, Progress, Risc, Wait, guard, set_current};
use super::workers::with_workers;
use crate::abi::KernelEntry;
use crate::report::{Report, RiscName};

/// Epochs in a row in which RISCs only polled memory, before that counts as a deadlock.
const IDLE_POLLS: u64 = 10_000;

/// Milliseconds of processor time that an epoch takes in which a RISC spins without calls: two looks of the watchdog.
const SPIN_MILLISECONDS: u64 = 40;

/// RISCs of a core: two that move data, and one that computes.
pub(crate) const RISCS: usize = 3;

/// The kernels of a core by the turns of its RISCs: the number of each, and the place of the core among the kernel's.
pub(crate) type OfCore = [Option<(usize, usize)>; RISCS];

/// Where a RISC stands among those of its core.
pub(crate) fn turn(risc: RiscName) -> usize {
    match risc {
        RiscName::Ncrisc => 0,
        RiscName::Trisc => 1,
        RiscName::Brisc => 2,
    }
}

/// A core of a run. A thread that runs it has it to itself.
pub(crate) struct CoreRun<'run> {
    pub core: Rc<Core>,
    /// The kernels of the launch.
    pub parts: &'run [Part<'run>],
    /// Which of them its RISCs have, in the order in which these run.
    kernels: OfCore,
    is_begun: bool,
    /// Its RISCs from when it begins until they have returned. While they run nothing changes the list: kernels hold pointers to
    /// them.
    pub riscs: Vec<Risc>,
    running: Vec<Running>,
    /// What RISCs that have returned did.
    counts: &'run mut RiscCounters,
    /// A window of a circular buffer that one of them opened and then forgot.
    pub forgotten: Option<Box<Report>>,
    violated: bool,
    /// There was no stack for one of its kernels.
    lacks_stack: bool,
}

// SAFETY: a core, its RISCs and its coroutines are used by one thread at a time, which the workers hand over with release
// and acquire, and so are the counts of what they share: whoever made them has no handle that it uses meanwhile. Nothing on a
// kernel's stack is tied to a thread: kernels are C++ without thread-locals, and entries read the engine's thread-locals only
// on entering. A thread has handles of cores that it ended until it has done its work for the run; until then nobody else makes
// or drops one of those cores.
unsafe impl Send for CoreRun<'_> {}

/// Cores whose lists of RISCs a thread keeps: more than any chip has.
const KEPT: usize = 256;

/// RISCs, and how far their kernels are.
type Lists = (Vec<Risc>, Vec<Running>);

thread_local! {
    /// Lists for cores to come: each takes more than the allocator has at hand. As long as a thread works for a run, the RISCs of
    /// cores that are over stay in them, to become those of others.
    static SPARE: RefCell<Vec<Lists>> = const { RefCell::new(Vec::new()) };
}

/// The time in which a thread works for a run: what it keeps of the run's cores goes at the end.
pub(super) struct Spares(());

impl Spares {
    /// Of this thread.
    pub fn keep() -> Spares {
        Spares(())
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        SPARE.with_borrow_mut(|spare| {
            for (riscs, running) in spare {
                running.clear();
                riscs.clear();
            }
        });
    }
}

impl Drop for CoreRun<'_> {
    fn drop(&mut self) {
        self.running.clear();
        self.riscs.clear();
        self.give_back();
    }
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

/// A kernel of a run.
struct Running {
    risc: *mut Risc,
    progress: Rc<Progress>,
    stage: Stage,
}

/// How far a kernel is. It gets its stack when it begins: of those that have returned by then, as long as that lies in the caches.
enum Stage {
    Waiting(KernelEntry),
    Begun(KernelCoroutine),
    Over,
}

/// Runs all kernels of `cores`; gives how that ended and how many epochs it took. A RISC may go on without a call for
/// `spin_seconds` while nobody else has anything to do. What a chip leaves open is drawn where there is a number for it.
pub(crate) fn run(
    machine: &Machine,
    cores: &mut [CoreRun],
    (threads, order): (usize, Option<u64>),
    spin_seconds: u64,
) -> (Ending, u64) {
    let idle_spins = spin_seconds * 1000 / SPIN_MILLISECONDS;
    let threads = if order.is_some() { 1 } else { threads };
    let mut drawn = order.map(Messages::new);
    let result = with_workers(threads.clamp(1, cores.len().max(1)), |workers| {
        let mut epoch = 0u64;
        let mut idle = 0u64;
        loop {
            let polled = cores.iter_mut().map(CoreRun::wake_pollers).sum::<u64>();
            let mut ready: Vec<&mut CoreRun> = cores.iter_mut().filter(|core| core.is_ready()).collect();
            if let Some(order) = drawn.as_ref().map(Messages::order) {
                ready.retain(|run| order.runs(run.core.index));
                order.shuffle(&mut ready);
            }
            workers.run(ready, CoreRun::run);
            epoch += 1;
            let messages = deliver(machine, cores, drawn.as_mut());
            let are_held = drawn.as_ref().is_some_and(Messages::are_underway)
                || order.is_some() && cores.iter().any(CoreRun::is_ready);
            idle = if messages == 0 && !are_held { idle + 1 } else { 0 };
            if cores.iter().any(|core| core.lacks_stack) {
                return (Ending::OutOfStacks, epoch);
            }
            if cores.iter().any(|core| core.violated) {
                return (Ending::Violated, epoch);
            }
            if cores.iter().all(CoreRun::is_done) {
                return (Ending::Finished, epoch);
            }
            let polls = polled > 0 || cores.iter().any(CoreRun::polls);
            let spins = cores.iter().any(|core| core.waits_for(Wait::Spinning));
            let patience = if spins { idle_spins } else { IDLE_POLLS };
            if idle > 0 && (!polls || idle > patience) {
                return (Ending::Deadlocked, epoch);
            }
        }
    });
    copying::fence();
    for kernel in cores.iter_mut().flat_map(|core| core.running.drain(..)) {
        if let Stage::Begun(coroutine) = kernel.stage {
            coroutine.into_pool();
        }
    }
    result
}

/// A coroutine that will run the kernel of `entry`.
fn coroutine(entry: KernelEntry) -> std::io::Result<KernelCoroutine> {
    KernelCoroutine::new(move |switch| {
        begin(switch);
        // SAFETY: the entry was compiled with the header of these very tables, which its key covers.
        unsafe { entry(&raw const API) };
        end();
    })
}

// Between its beginning and its end a kernel may move to another thread, and with it goes what a compiler has found out about
// where the thread-locals of the first one are: each is a function of its own.

/// What a kernel's coroutine does first.
#[inline(never)]
fn begin(switch: Switch) {
    guard(0, |risc| risc.switch = switch);
}

/// What a kernel's coroutine does when the kernel has returned.
#[inline(never)]
fn end() {
    guard(0, |risc| {
        risc.check_transfers_at_end();
        risc.check_compute_at_end();
        risc.end_printing();
        risc.progress.wait.set(Wait::Done);
    });
}

impl Running {
    fn new(risc: &mut Risc, entry: KernelEntry) -> Running {
        Running {
            progress: risc.progress.clone(),
            risc,
            stage: Stage::Waiting(entry),
        }
    }

    /// Makes one that is over that of another kernel, or of another core.
    fn renew(&mut self, risc: &mut Risc, entry: KernelEntry) {
        if !Rc::ptr_eq(&self.progress, &risc.progress) {
            self.progress = risc.progress.clone();
        }
        self.risc = risc;
        self.stage = Stage::Waiting(entry);
    }

    /// Runs the kernel until it waits or ends, if it can; gives whether it could.
    fn advance(&mut self, core: &Core) -> std::io::Result<bool> {
        if !core.fulfils(self.progress.wait.get()) {
            return Ok(false);
        }
        if let Stage::Waiting(entry) = self.stage {
            self.stage = Stage::Begun(coroutine(entry)?);
        }
        let Stage::Begun(coroutine) = &mut self.stage else {
            return Ok(false);
        };
        self.progress.wait.set(Wait::Nothing);
        // SAFETY: who runs the RISC keeps it where it is and does not touch it until all kernels are gone.
        set_current(unsafe { Current::new(self.risc, &self.progress) });
        let resumed = coroutine.resume();
        set_current(Current::NONE);
        if let Resumed::Faulted(fault) = resumed {
            // SAFETY: as above; and nothing goes on on the coroutine's stack that could use the RISC.
            unsafe { &mut *self.risc }.fault(fault);
        }
        if !matches!(resumed, Resumed::Suspended)
            && let Stage::Begun(done) = std::mem::replace(&mut self.stage, Stage::Over)
        {
            done.into_pool();
        }
        Ok(true)
    }

    fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }
}

impl<'run> CoreRun<'run> {
    /// A core whose RISCs have these of the kernels; what they do is added to `counts`.
    pub fn new(
        core: Core,
        parts: &'run [Part<'run>],
        kernels: OfCore,
        counts: &'run mut RiscCounters,
    ) -> CoreRun<'run> {
        CoreRun {
            core: Rc::new(core),
            parts,
            kernels,
            is_begun: false,
            riscs: Vec::new(),
            running: Vec::new(),
            counts,
            forgotten: None,
            violated: false,
            lacks_stack: false,
        }
    }

    /// Makes its RISCs. They are made only now, and go when they have returned, so that those of one core after the other have the
    /// same place in the host's caches.
    fn begin(&mut self) {
        self.is_begun = true;
        (self.riscs, self.running) = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        let kernels = self.kernels.iter().flatten();
        let count = kernels.clone().count();
        for (index, &(part, place)) in kernels.clone().enumerate() {
            let part = &self.parts[part];
            match self.riscs.get_mut(index) {
                Some(spare) => part.renew(spare, &self.core, place),
                None => self.riscs.push(part.risc(&self.core, place)),
            }
        }
        self.riscs.truncate(count);
        self.running.truncate(count);
        for (index, (risc, (part, _))) in self.riscs.iter_mut().zip(kernels).enumerate() {
            let entry = self.parts[*part].entry;
            match self.running.get_mut(index) {
                Some(spare) => spare.renew(risc, entry),
                None => self.running.push(Running::new(risc, entry)),
            }
        }
    }

    /// Takes down what RISCs that have all returned leave. Those with a trace stay, for the clock.
    fn end(&mut self) {
        for risc in &self.riscs {
            self.counts.add(&risc.counters);
            if self.forgotten.is_none() {
                self.forgotten = forgotten(risc);
            }
        }
        if self.riscs.iter().all(|risc| risc.trace.is_none()) {
            self.give_back();
        }
    }

    /// Keeps its RISCs and their lists for another core of this thread.
    fn give_back(&mut self) {
        let lists = (take(&mut self.riscs), take(&mut self.running));
        if lists.0.capacity() == 0 {
            return;
        }
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(lists);
            }
        });
    }

    /// Lets RISCs that poll memory look again; gives how many do.
    fn wake_pollers(&mut self) -> u64 {
        let pollers = self
            .running
            .iter_mut()
            .filter(|kernel| matches!(kernel.progress.wait.get(), Wait::Delivery | Wait::Spinning));
        pollers.map(|kernel| kernel.progress.wait.set(Wait::Nothing)).count() as u64
    }

    fn polls(&self) -> bool {
        self.waits_for(Wait::Delivery) || self.waits_for(Wait::Spinning)
    }

    fn waits_for(&self, wait: Wait) -> bool {
        self.running.iter().any(|kernel| kernel.progress.wait.get() == wait)
    }

    fn is_ready(&self) -> bool {
        let is_ready = |kernel: &Running| !kernel.is_over() && self.core.fulfils(kernel.progress.wait.get());
        !self.is_begun || self.running.iter().any(is_ready)
    }

    fn is_done(&self) -> bool {
        self.is_begun && self.running.iter().all(Running::is_over)
    }

    /// Begins, goes on until none of the RISCs can, and ends where all have returned.
    fn run(&mut self) {
        if !self.is_begun {
            self.begin();
        }
        self.advance();
        if self.is_done() && !self.violated {
            self.end();
        }
    }

    /// Runs the RISCs in turn until none can go on.
    fn advance(&mut self) {
        let mut turns: [usize; RISCS] = std::array::from_fn(|turn| turn);
        let turns = &mut turns[..self.running.len()];
        loop {
            let mut progress = false;
            if let Some(order) = &self.core.order {
                order.shuffle(turns);
            }
            for turn in turns.iter() {
                let kernel = &mut self.running[*turn];
                match kernel.advance(&self.core) {
                    Ok(could) => progress |= could,
                    Err(_) => {
                        self.lacks_stack = true;
                        return;
                    }
                }
                if kernel.progress.violation.get().is_some() {
                    self.violated = true;
                    return;
                }
            }
            if !progress || self.running.iter().all(Running::is_over) || self.core.is_early() {
                return;
            }
        }
    }
}

/// Delivers what all cores sent in the epoch that has ended, or what of it and of earlier messages arrives now; gives how many messages that
/// were.
fn deliver(machine: &Machine, running: &mut [CoreRun], mut drawn: Option<&mut Messages>) -> u64 {
    let mut count = 0;
    for at in 0..running.len() {
        let messages: Vec<Message> = running[at].core.outbox.take();
        if messages.is_empty() {
            continue;
        }
        // Every RISC that waits has handed over what it issued.
        for kernel in &running[at].running {
            kernel.progress.atomics.set([None; 2]);
        }
        count += messages.len() as u64;
        for message in messages {
            if let Some(drawn) = &mut drawn {
                drawn.send(machine, running[at].core.index, message);
                continue;
            }
            match message.target {
                MessageTarget::Core(core) => deliver_to(machine, running, core, &message),
                MessageTarget::Rectangle { rectangle, excluded } => {
                    for core in machine.cores_in(rectangle).filter(|core| Some(*core) != excluded) {
                        deliver_to(machine, running, core, &message);
                    }
                }
            }
        }
    }
    for (core, message) in drawn.into_iter().flat_map(Messages::arrive) {
        deliver_to(machine, running, core, &message);
        count += 1;
    }
    count
}

fn deliver_to(machine: &Machine, running: &[CoreRun], core: u16, message: &Message) {
    // Cores are in the order of their numbers.
    if let Ok(at) = running.binary_search_by_key(&core, |running| running.core.index) {
        running[at].core.count_signal(message.offset);
    }
    let (node, offset) = (Node::Core(core), u64::from(message.offset));
    // SAFETY: range and alignment were checked when the write or increment was issued; no core runs now.
    unsafe {
        match message.effect {
            MessageEffect::Add(value) => machine.change_word(node, offset, |word| word.wrapping_add(value)),
            MessageEffect::Store { data, bytes } => machine.copy(node, offset, data.as_ptr(), bytes as usize),
        }
    }
}
