//! A RISC while its kernel runs: its views of the circular buffers, its transfers in flight, what it waits for.
//!
//! Entries of the function table reach it through [`guard`]. Blocking calls switch to another RISC, and so does every call after
//! [`TURN`] others: on the chip all run at once, so that a kernel that computes for hours does not keep another from stopping it.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use crate::allowed;
use crate::arch::{Arch, L1_SLOT_BYTES};
use crate::clock::Event;
use crate::compute::{ComputeState, kept};
use crate::kernel_config::KernelRole;
use crate::report::RiscName;
use crate::rules::{self, Rule};

use super::ahead::Turns;
use super::circular_buffer::CbView;
use super::core::Core;
use super::coroutine::{STACK_BYTES, Switch};
use super::counters::RiscCounters;
use super::deadlock;
use super::launch::Common;
use super::memory::l1::L1;
use super::printing::Printed;
use super::stores::Touch;
use super::tensor_page::Found;
use super::transfers::Transfers;
use super::trap::Fault;
use super::writers::Writer;

/// How many calls a RISC makes before the others of its core get to run; a power of 2.
const TURN: u64 = 1 << 16;

/// What a RISC waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing: it can run.
    Nothing,
    /// Filled pages of a circular buffer.
    Front { cb: u32, pages: u32 },
    /// Free pages of a circular buffer.
    Back { cb: u32, pages: u32 },
    /// A semaphore to reach a value, or to be at least that value.
    Semaphore { address: u32, value: u32, at_least: bool },
    /// What is under way between cores to be delivered.
    Delivery,
    /// Memory to change that it reads in a loop without calls.
    Spinning,
    /// Nothing any more: the kernel has returned.
    Done,
}

/// A rule broken by a running kernel, before it becomes a report.
pub(crate) struct Violation {
    pub rule: &'static Rule,
    pub line: i32,
    pub detail: String,
}

/// What is seen of a RISC while its kernel has the rest of it, suspended or not: by the scheduler, and by signal handlers of
/// its thread.
pub(crate) struct Progress {
    pub wait: Cell<Wait>,
    /// What ended the kernel, if it was not itself.
    pub violation: OnceCell<Violation>,
    /// Line of the last semaphore increment without a barrier, per NoC, that has not been delivered.
    pub atomics: Cell<[Option<i32>; 2]>,
    /// Kernel-visible address of L1 offset 0, and the L1 that follows.
    l1: Cell<(u32, &'static Arch)>,
    /// Which of its core's RISCs it is.
    name: RiscName,
    /// Whether the kernel was told where something lies in L1.
    knows_addresses: Cell<bool>,
    /// Calls entered and left, together: odd while the kernel is in one.
    calls: AtomicU64,
}

impl Progress {
    pub fn new(core: &Core, name: RiscName) -> Progress {
        Progress {
            l1: Cell::new((core.l1_base, core.machine.arch)),
            name,
            knows_addresses: Cell::new(false),
            wait: Cell::new(Wait::Nothing),
            violation: OnceCell::new(),
            atomics: Cell::default(),
            calls: AtomicU64::new(0),
        }
    }

    /// Makes that of a kernel that has returned one of the same RISC of another core, at its beginning.
    pub fn renew(&self, core: &Core) {
        self.l1.set((core.l1_base, core.machine.arch));
        self.wait.set(Wait::Nothing);
        self.atomics.take();
        self.knows_addresses.set(false);
        self.calls.store(0, Ordering::Relaxed);
    }

    /// Whether the kernel may store to L1 without a call: it was told an address there, which it has from nowhere else.
    pub fn knows_addresses(&self) -> bool {
        self.knows_addresses.get()
    }

    /// Notes that the kernel is told an address in L1.
    pub fn tell_address(&self) {
        self.knows_addresses.set(true);
    }

    /// Whether the kernel is in a call of the engine.
    #[inline]
    fn is_in_call(&self) -> bool {
        self.calls.load(Ordering::Relaxed) % 2 == 1
    }

    /// Whether the call that the kernel is in is the last one of its turn.
    #[inline]
    fn ends_turn(&self) -> bool {
        self.calls.load(Ordering::Relaxed) % (2 * TURN) == 2 * TURN - 1
    }

    /// Counts an entry's beginning or its end, for the watchdog: a signal handler of this very thread, so that no other one
    /// writes the number.
    #[inline]
    fn count_edge(&self) {
        compiler_fence(Ordering::SeqCst);
        let count = self.calls.load(Ordering::Relaxed);
        self.calls.store(count.wrapping_add(1), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }
}

/// A RISC of a core during a run. Its kernel has it from its first call on until the run is over: the scheduler looks at its
/// progress alone.
pub(crate) struct Risc {
    pub core: Rc<Core>,
    pub progress: Rc<Progress>,
    pub l1: L1,
    pub name: RiscName,
    pub arch: &'static Arch,
    /// What it shares with those of the same kernel.
    pub part: Arc<Common>,
    /// Unique runtime arguments; kernels may keep pointers into them.
    pub arguments: Vec<u32>,
    /// Pointers and windows of this RISC by circular buffer, of those that it has looked at.
    pub views: Vec<CbView>,
    /// Bit i is set where it has looked at circular buffer i; no chip has more than bits.
    pub viewed: u64,
    pub transfers: Transfers,
    /// What it read before it waited, and before that.
    pub turns: Turns,
    /// The two buffers whose pages it last moved, on this core or another of the run.
    pub buffers: [Option<Found>; 2],
    /// Whose stores are issued now.
    pub writer: Writer,
    /// Which lines of its kernel touch what is watched, on this core or others.
    pub touched: Vec<Touch>,
    /// What it prints.
    pub printed: Printed,
    /// Line of the last call that says its line.
    pub line: i32,
    pub switch: Switch,
    pub counters: RiscCounters,
    /// What it did, for the clock; none where that is off.
    pub trace: Option<Vec<Event>>,
    /// State of the compute engines; unused by data movement.
    pub compute: ComputeState,
}

impl Drop for Risc {
    fn drop(&mut self) {
        self.part.note_touched(&self.touched);
        RiscMemory {
            arguments: take(&mut self.arguments),
            views: take(&mut self.views),
            transfers: take(&mut self.transfers),
            turns: take(&mut self.turns),
            touched: take(&mut self.touched),
        }
        .keep();
    }
}

/// RISCs whose memory a thread keeps: more than any chip has.
const KEPT: usize = 512;

/// The memory that a RISC has to itself. One takes it over from another whose launch is over: small launches would spend a
/// tenth of their time on asking the system for it.
#[derive(Default)]
pub(crate) struct RiscMemory {
    pub arguments: Vec<u32>,
    pub views: Vec<CbView>,
    pub transfers: Transfers,
    pub turns: Turns,
    pub touched: Vec<Touch>,
}

thread_local! {
    static SPARE: RefCell<Vec<RiscMemory>> = const { RefCell::new(Vec::new()) };
}

impl RiscMemory {
    /// Memory with nothing in it.
    pub fn take() -> RiscMemory {
        SPARE.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Empties it, for another launch of this thread; a thread that ends keeps nothing.
    fn keep(mut self) {
        self.arguments.clear();
        self.views.clear();
        self.transfers.clear();
        self.turns.clear();
        self.touched.clear();
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(self);
            }
        });
    }
}

/// The RISC whose kernel a thread runs.
#[derive(Clone, Copy)]
pub(crate) struct Current {
    risc: *mut Risc,
    progress: *const Progress,
}

impl Current {
    /// No RISC.
    pub const NONE: Current = Current {
        risc: null_mut(),
        progress: null(),
    };

    /// # Safety
    /// The RISC must live, at that place, and nothing else use it, as long as kernels are resumed with this.
    pub unsafe fn new(risc: *mut Risc, progress: &Progress) -> Current {
        Current { risc, progress }
    }
}

thread_local! {
    static CURRENT: Cell<Current> = const { Cell::new(Current::NONE) };
}

/// Makes a RISC the one that entries of this thread act for.
pub(crate) fn set_current(current: Current) {
    CURRENT.set(current);
    kept::turn_over();
}

/// The RISC that entries of this thread act for.
#[cfg(miri)]
pub(crate) fn current() -> Current {
    CURRENT.get()
}

/// The progress of the RISC that this thread runs; none outside of kernels.
#[inline]
fn progress<'a>() -> Option<&'a Progress> {
    // SAFETY: a current RISC is live, with its progress, until its coroutine has suspended; who asks is on that coroutine's stack
    // and asks for no longer than until then.
    unsafe { CURRENT.get().progress.as_ref() }
}

/// Whether the current RISC is in a call of the engine, as a signal handler of this thread sees it.
pub(crate) fn current_is_in_call() -> bool {
    progress().is_some_and(Progress::is_in_call)
}

/// The current RISC and how many calls it has entered and left, where it is in none, as a signal handler of this thread sees it.
pub(crate) fn current_between_calls() -> Option<(usize, u64)> {
    let progress = progress().filter(|progress| !progress.is_in_call())?;
    let (base, _) = progress.l1.get();
    // The L1 of cores lies far apart.
    let risc = base as usize + progress.name as usize;
    Some((risc, progress.calls.load(Ordering::Relaxed)))
}

/// The pointer that an address in L1, counted from its start, is on the current RISC's core: one that programs may use, or the
/// end of L1. Any other stays as it is.
///
/// It is no call as the others are: kernels make pointers in loops that wait for memory, which the watchdog has to see as such.
pub(crate) fn l1_pointer(address: u32) -> usize {
    let Some(progress) = progress() else {
        return address as usize;
    };
    progress.tell_address();
    let (base, arch) = progress.l1.get();
    let is_end = address as usize == arch.l1_bytes;
    if is_end || arch.l1_is_usable(address.into(), 1, false) {
        base as usize + address as usize
    } else {
        address as usize
    }
}

/// Runs the body of an entry for the current RISC; a panic in it becomes a violation instead of crossing into C++.
///
/// # Panics
/// Outside of kernels, and in a call.
#[inline]
pub(crate) fn guard<R>(line: i32, body: impl FnOnce(&mut Risc) -> R) -> R {
    let progress = progress().expect("a kernel called the emulator outside a run");
    assert!(!progress.is_in_call(), "a call of the engine within another");
    progress.count_edge();
    // SAFETY: by the contract of `Current::new` the RISC is its kernel's alone, which is in no other call; nor is it in another
    // until this one is over, since the edge is counted.
    let risc = unsafe { &mut *CURRENT.get().risc };
    if line != 0 {
        risc.line = line;
    }
    if progress.ends_turn() {
        risc.give_way();
    }
    match catch_unwind(AssertUnwindSafe(|| body(risc))) {
        Ok(value) => {
            progress.count_edge();
            value
        }
        Err(payload) => panicked(risc, line, payload),
    }
}

/// Makes a panic in a call of the RISC's kernel what ends it.
#[cold]
fn panicked(risc: &mut Risc, line: i32, payload: Box<dyn Any + Send>) -> ! {
    let text = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default();
    drop(payload);
    risc.violation(&rules::INTERNAL, line, text)
}

/// Suspends the current kernel, which makes no calls, until others have run; nothing where it is in one.
#[cold]
pub(crate) fn spin() {
    if !current_is_in_call() {
        guard(0, |risc| {
            risc.execute_writes();
            risc.progress.wait.set(Wait::Spinning);
            risc.switch.suspend();
        });
    }
}

impl Risc {
    /// Whether this RISC runs a compute kernel.
    pub fn is_compute(&self) -> bool {
        matches!(self.part.kernel.role, KernelRole::Compute(_))
    }

    /// Writes down what takes time, where the clock is on.
    #[inline]
    pub fn note(&mut self, event: Event) {
        if let Some(trace) = &mut self.trace {
            trace.push(event);
        }
    }

    /// Stops the run. Does not return: the coroutine stays suspended until its stack is dropped.
    #[cold]
    pub fn violation(&mut self, rule: &'static Rule, line: i32, detail: String) -> ! {
        // What was broken first counts.
        let _ = self.progress.violation.set(Violation { rule, line, detail });
        loop {
            self.switch.suspend();
        }
    }

    /// Whether the user allows `rule` to be broken. The place is said then.
    #[cold]
    pub fn is_allowed(&mut self, rule: &'static Rule, line: i32, detail: &str) -> bool {
        let allowed = self.core.machine.allowed.contains(rule);
        if allowed {
            allowed::warn(rule, &deadlock::place(self, line), detail);
        }
        allowed
    }

    /// Notes what ended the kernel.
    #[cold]
    pub fn fault(&mut self, fault: Fault) {
        let (line, base) = (self.line, self.core.l1_base as usize);
        let (rule, what) = match fault {
            Fault::Memory(address) => {
                let hint = if address < L1_SLOT_BYTES {
                    format!(
                        "this looks like an address in L1 that programs do not use, or one that was cast to a pointer where the \
                         emulator does not see it; the L1 of this core starts at {base:#x}"
                    )
                } else if (base + self.arch.l1_bytes..base + L1_SLOT_BYTES).contains(&address) {
                    format!("the L1 of this core ends at {:#x}", base + self.arch.l1_bytes)
                } else {
                    String::new()
                };
                let separator = if hint.is_empty() { "" } else { "; " };
                (&rules::MEMORY_FAULT, format!("address {address:#x}{separator}{hint}"))
            }
            Fault::Stack => (
                &rules::MEMORY_FAULT,
                format!("the kernel's stack of {} KiB is used up", STACK_BYTES >> 10),
            ),
            Fault::Division => (&rules::DIVISION, "an integer division by zero, or one that overflows".to_owned()),
            Fault::Trap => (
                &rules::KERNEL_STOPS,
                "a trap: __builtin_trap, exit, or what the C++ compiler saw to be undefined, as a division by a constant 0"
                    .to_owned(),
            ),
            Fault::Abort => (&rules::KERNEL_STOPS, "abort".to_owned()),
        };
        let detail = format!("{what}; some time after the call in line {line}");
        let _ = self.progress.violation.set(Violation { rule, line, detail });
    }

    /// Suspends until the scheduler sees `wait` come true.
    pub fn block(&mut self, wait: Wait, line: i32) {
        self.execute_writes();
        self.end_turn();
        self.progress.wait.set(wait);
        self.line = line;
        self.counters.stalls += 1;
        self.switch.suspend();
    }

    /// Lets the others of this core run first.
    #[cold]
    fn give_way(&mut self) {
        self.execute_writes();
        self.switch.suspend();
    }

    /// Checks at kernel end that the compute protocol was finished.
    pub fn check_compute_at_end(&mut self) {
        if self.is_compute()
            && let Err((rule, detail)) = self.compute.finish()
        {
            self.violation(rule, self.line, detail);
        }
    }
}
