//! Coroutines that kernels run on, and their stacks.
//!
//! A kernel that breaks a rule, or that can never go on, is not unwound: its frames are C++. Its stack is taken back as it
//! is, which is sound because nothing on it owns anything (see [`Kernel coroutines`](KernelCoroutine::into_pool)).

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::trap::{self, Fault};

/// Bytes of a kernel's stack; committed only where touched, with a guard page below. Kernels touch every page that their
/// stack grows by (`-fstack-clash-protection`), so that no array reaches beyond the guard. Without optimization
/// (`Output::Together`) each temporary has a place of its own, and a random program took more than 256 KiB.
pub(super) const STACK_BYTES: usize = 2 << 20;

/// Stacks kept for the next run.
const POOLED_STACKS: usize = 512;

/// Stacks that a thread keeps to itself: those of a core or two.
const OWN_STACKS: usize = 8;

static POOL: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

/// The stacks of a thread; everybody's when it ends.
struct Own(Vec<DefaultStack>);

impl Drop for Own {
    fn drop(&mut self) {
        self.0.drain(..).for_each(keep);
    }
}

/// A stack that was used before, where there is one.
fn used() -> Option<DefaultStack> {
    let own = OWN.with_borrow_mut(|own| own.0.pop());
    own.or_else(|| POOL.lock().unwrap_or_else(PoisonError::into_inner).pop())
}

/// Keeps a stack for everybody.
fn keep(stack: DefaultStack) {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.len() < POOLED_STACKS {
        pool.push(stack);
    }
}

/// How a RISC leaves its coroutine.
pub(crate) struct Switch {
    yielder: *const Yielder<(), ()>,
}

impl Switch {
    /// A switch of a coroutine that has not started.
    pub const fn unset() -> Switch {
        Switch {
            yielder: std::ptr::null(),
        }
    }

    /// Goes back to the scheduler until it resumes this coroutine.
    #[inline]
    pub fn suspend(&self) {
        // SAFETY: the yielder is set when the coroutine starts and lives as long as its stack; entries, which alone
        // suspend, run on that stack.
        unsafe { (*self.yielder).suspend(()) };
    }
}

/// How a kernel came back to the scheduler.
pub(crate) enum Resumed {
    Suspended,
    Returned,
    /// A fault ended it.
    Faulted(Fault),
}

/// A kernel on its own stack.
pub(crate) struct KernelCoroutine {
    coroutine: Coroutine<(), (), (), DefaultStack>,
}

impl KernelCoroutine {
    /// A coroutine that will run `body`; `body` gets the switch to hand to its RISC.
    #[inline]
    pub fn new(body: impl FnOnce(Switch) + 'static) -> std::io::Result<KernelCoroutine> {
        let stack = match used() {
            Some(stack) => stack,
            None => DefaultStack::new(STACK_BYTES)?,
        };
        Ok(KernelCoroutine {
            coroutine: Coroutine::with_stack(stack, move |yielder, ()| body(Switch { yielder })),
        })
    }

    /// Runs until the kernel suspends, returns or faults.
    #[inline]
    pub fn resume(&mut self) -> Resumed {
        trap::watch(Some(self.coroutine.trap_handler()));
        let result = self.coroutine.resume(());
        trap::watch(None);
        match result {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => trap::take_fault().map_or(Resumed::Returned, Resumed::Faulted),
        }
    }

    /// Takes the stack back, whether the kernel has returned or not.
    #[inline(always)]
    pub fn into_pool(mut self) {
        if !self.coroutine.done() {
            if !self.coroutine.started() {
                return;
            }
            // SAFETY: kernels are compiled without exceptions and own nothing on their stack; the entries of the engine that
            // suspend (blocking calls, violations) have moved what they own into the RISC before they do.
            unsafe { self.coroutine.force_reset() };
        }
        let stack = self.coroutine.into_stack();
        OWN.with_borrow_mut(|own| {
            if own.0.len() < OWN_STACKS {
                own.0.push(stack);
            } else {
                keep(stack);
            }
        });
    }
}
