//! A RISC while its kernel runs: its views of the circular buffers, its transfers in flight, what it waits for.
//!
//! Entries of the function table reach it through [`guard`]. Only blocking calls switch to another RISC.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use crate::allowed;
use crate::arch::{Arch, L1_SLOT_BYTES, MAX_CIRCULAR_BUFFERS};
use crate::compute::ComputeState;
use crate::kernel_config::KernelRole;
use crate::report::RiscName;
use crate::rules::{self, Rule};

use super::circular_buffer::CbView;
use super::core::Core;
use super::coroutine::{STACK_BYTES, Switch};
use super::counters::RiscCounters;
use super::deadlock;
use super::program::Kernel;
use super::transfers::Transfers;
use super::trap::Fault;

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

/// A RISC of a core during a run.
pub(crate) struct Risc {
    /// The core; outlives the RISC.
    pub core: *mut Core,
    pub name: RiscName,
    pub arch: &'static Arch,
    pub kernel: Arc<Kernel>,
    /// Unique and common runtime arguments; kernels may keep pointers into them.
    pub arguments: Vec<u32>,
    pub common_arguments: Arc<Vec<u32>>,
    /// Pointers and windows of this RISC, one per circular buffer.
    pub views: Box<[CbView; MAX_CIRCULAR_BUFFERS]>,
    pub transfers: Transfers,
    pub wait: Wait,
    /// Line of the last call that says its line.
    pub line: i32,
    /// Calls entered and left, together: odd while the kernel is in one.
    pub calls: AtomicU64,
    pub switch: Switch,
    pub violation: Option<Violation>,
    pub counters: RiscCounters,
    /// State of the compute engines; unused by data movement.
    pub compute: ComputeState,
}

thread_local! {
    static CURRENT: Cell<*mut Risc> = const { Cell::new(null_mut()) };
}

/// Makes `risc` the one that entries of this thread act for.
pub(crate) fn set_current(risc: *mut Risc) {
    CURRENT.set(risc);
}

/// The RISC that this thread runs; null outside of kernels.
pub(crate) fn current() -> *mut Risc {
    CURRENT.get()
}

/// Whether the current RISC is in a call of the engine, as a signal handler of this thread sees it.
pub(crate) fn current_is_in_call() -> bool {
    let current = current();
    if current.is_null() {
        return false;
    }
    // SAFETY: a current RISC is live, and the counter may be read while the interrupted code changes it.
    unsafe { (*std::ptr::addr_of!((*current).calls)).load(Ordering::Relaxed) % 2 == 1 }
}

/// Runs the body of an entry for the current RISC; a panic in it becomes a violation instead of crossing into C++.
#[inline]
pub(crate) fn guard<R>(line: i32, body: impl FnOnce(&mut Risc) -> R) -> R {
    let risc = CURRENT.get();
    assert!(!risc.is_null(), "a kernel called the emulator outside a run");
    // SAFETY: the scheduler sets CURRENT to a live RISC before it resumes the RISC's coroutine, and only that coroutine
    // runs on this thread until it suspends; entries do not nest.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as said above.
        let risc = unsafe { &mut *risc };
        risc.count_edge();
        if line != 0 {
            risc.line = line;
        }
        body(risc)
    }));
    match outcome {
        Ok(value) => {
            // SAFETY: as above; the body's borrow has ended.
            unsafe { &*risc }.count_edge();
            value
        }
        Err(payload) => {
            let text = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_default();
            drop(payload);
            // SAFETY: as above; the body's borrow has ended.
            unsafe { &mut *risc }.violation(&rules::INTERNAL, line, text)
        }
    }
}

impl Risc {
    /// Counts an entry's beginning or its end, for the watchdog: a signal handler of this very thread, so that no other one
    /// writes the number.
    #[inline]
    fn count_edge(&self) {
        compiler_fence(Ordering::SeqCst);
        let count = self.calls.load(Ordering::Relaxed);
        self.calls.store(count.wrapping_add(1), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// The core this RISC belongs to.
    #[inline]
    #[allow(
        clippy::mut_from_ref,
        reason = "cores are reached only from their own thread, one RISC at a time"
    )]
    pub fn core<'a>(&self) -> &'a mut Core {
        // SAFETY: the core outlives its RISCs, and the RISCs of a core run one at a time on one thread.
        unsafe { &mut *self.core }
    }

    /// Whether this RISC runs a compute kernel.
    pub fn is_compute(&self) -> bool {
        matches!(self.kernel.role, KernelRole::Compute(_))
    }

    /// Stops the run. Does not return: the coroutine stays suspended until its stack is dropped.
    #[cold]
    pub fn violation(&mut self, rule: &'static Rule, line: i32, detail: String) -> ! {
        self.violation = Some(Violation { rule, line, detail });
        loop {
            self.switch.suspend();
        }
    }

    /// Whether the user allows `rule` to be broken. The place is said then.
    #[cold]
    pub fn is_allowed(&mut self, rule: &'static Rule, line: i32, detail: &str) -> bool {
        let allowed = self.core().machine().allowed.contains(rule);
        if allowed {
            allowed::warn(rule, &deadlock::place(self, line), detail);
        }
        allowed
    }

    /// Notes what ended the kernel.
    #[cold]
    pub fn fault(&mut self, fault: Fault) {
        let (line, base) = (self.line, self.core().l1_base as usize);
        let (rule, what) = match fault {
            Fault::Memory(address) => {
                let hint = if address < L1_SLOT_BYTES {
                    format!("this looks like an L1 offset, and the L1 of this core starts at {base:#x}")
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
        self.violation = Some(Violation { rule, line, detail });
    }

    /// Suspends until the scheduler sees `wait` come true.
    pub fn block(&mut self, wait: Wait, line: i32) {
        self.execute_writes();
        self.wait = wait;
        self.line = line;
        self.counters.stalls += 1;
        self.switch.suspend();
    }

    /// Suspends a kernel that makes no calls, until others have run.
    #[cold]
    pub fn spin(&mut self, wait: Wait) {
        self.execute_writes();
        self.wait = wait;
        self.switch.suspend();
    }

    /// Whether what this RISC waits for has come true. Deliveries come true between epochs.
    pub fn is_ready(&self) -> bool {
        match self.wait {
            Wait::Nothing => true,
            Wait::Front { cb, pages } => u32::from(self.core().cbs[cb as usize].filled()) >= pages,
            Wait::Back { cb, pages } => self.core().cbs[cb as usize].free() >= pages,
            Wait::Semaphore {
                address,
                value,
                at_least,
            } => {
                // SAFETY: the address was checked to lie in this core's L1 when the wait began.
                let now = unsafe { (address as usize as *const u32).read_volatile() };
                if at_least { now >= value } else { now == value }
            }
            Wait::Delivery | Wait::Spinning | Wait::Done => false,
        }
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
