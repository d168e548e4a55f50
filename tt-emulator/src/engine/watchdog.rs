//! Kernels that spin: a loop that reads memory until another RISC has changed it, without any call.
//!
//! On the chip such a loop ends by itself, since everything runs at once. Here a kernel leaves its thread only in calls; so
//! while kernels run, each thread has a timer over its own processor time. When it finds the same kernel twice with no call
//! in between, it suspends the kernel where it is, as a call that polls would, and the others get to run. If they have
//! nothing to do either, that is a deadlock like any other.
//!
//! To start a timer and to stop it takes a tenth of a small launch. So it goes on when the kernels have returned, for the next
//! launch, and stops when it finds the thread without kernels.

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
pub(super) use linux::Watch;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
pub(super) use none::Watch;

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod linux {
    use std::cell::{Cell, OnceCell};
    use std::mem::zeroed;
    use std::ptr::null_mut;
    use std::sync::OnceLock;
    use std::sync::atomic::{Ordering, compiler_fence};

    use super::super::risc;
    use super::super::trap;

    /// Nanoseconds of processor time between two looks at a thread.
    const PERIOD: i64 = 20_000_000;

    thread_local! {
        /// The RISC that the last look found, and how many calls it had made.
        static SEEN: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
        static TIMER: OnceCell<Option<Timer>> = const { OnceCell::new() };
        /// The timer while it goes.
        static GOING: Cell<Option<libc::timer_t>> = const { Cell::new(None) };
        /// Whether the thread runs kernels.
        static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    }

    /// A timer over a thread's processor time; deleted when the thread ends.
    struct Timer(libc::timer_t);

    impl Timer {
        /// A timer of this thread, where the system gives one.
        fn new() -> Option<Timer> {
            static INSTALLED: OnceLock<i32> = OnceLock::new();
            let signal = *INSTALLED.get_or_init(install);
            // SAFETY: plain system calls on values that live as long as the calls; the signal has a handler.
            unsafe {
                let mut event: libc::sigevent = zeroed();
                event.sigev_notify = libc::SIGEV_THREAD_ID;
                event.sigev_signo = signal;
                event.sigev_notify_thread_id = libc::gettid();
                let mut timer: libc::timer_t = zeroed();
                (libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer) == 0).then_some(Timer(timer))
            }
        }
    }

    /// Starts a timer, or stops it with 0.
    ///
    /// # Safety
    /// The timer must be live.
    unsafe fn set(timer: libc::timer_t, period: i64) {
        let time = libc::timespec {
            tv_sec: 0,
            tv_nsec: period,
        };
        let interval = libc::itimerspec {
            it_interval: time,
            it_value: time,
        };
        // SAFETY: by the contract of the call. A timer that does not start only leaves spinning kernels alone.
        unsafe { libc::timer_settime(timer, 0, &interval, null_mut()) };
    }

    impl Drop for Timer {
        fn drop(&mut self) {
            GOING.set(None);
            // SAFETY: the timer is live and not used afterwards.
            unsafe { libc::timer_delete(self.0) };
        }
    }

    /// Looks at this thread from time to time until dropped.
    pub(in super::super) struct Watch(());

    impl Watch {
        pub fn start() -> Watch {
            SEEN.set((0, 0));
            IS_WATCHED.set(true);
            // Only now: a look before would have stopped the timer.
            compiler_fence(Ordering::SeqCst);
            if GOING.get().is_none() {
                // A thread that is ending has no timer any more, and needs none.
                let _ = TIMER.try_with(|timer| {
                    if let Some(Timer(timer)) = timer.get_or_init(Timer::new) {
                        GOING.set(Some(*timer));
                        // SAFETY: it is live as long as it is there.
                        unsafe { set(*timer, PERIOD) };
                    }
                });
            }
            Watch(())
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            IS_WATCHED.set(false);
        }
    }

    fn install() -> i32 {
        let signal = libc::SIGRTMAX() - 3;
        // SAFETY: that is all that the handler touches. It may be left by switching to another stack: it runs on the interrupted
        // one, and blocks no signal.
        unsafe { trap::install(signal, handle, libc::SA_NODEFER | libc::SA_RESTART) };
        signal
    }

    /// # Safety
    /// The system calls it, for this thread.
    unsafe extern "C" fn handle(_signal: i32, _info: &mut libc::siginfo_t, context: &mut libc::ucontext_t) {
        if !IS_WATCHED.get() {
            if let Some(timer) = GOING.take() {
                // SAFETY: one that goes is live.
                unsafe { set(timer, 0) };
            }
            return;
        }
        // In a call the work is the engine's.
        let Some(current) = risc::current_between_calls() else {
            return;
        };
        if !trap::is_watched(context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize) {
            return;
        }
        if SEEN.replace(current) != current {
            return;
        }
        risc::spin();
        // The kernel may go on on another thread than it was left on, and returning from a handler sets the thread's signal stack
        // to the one it saved.
        context.uc_stack = trap::signal_stack();
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
mod none {
    pub(in super::super) struct Watch(());

    impl Watch {
        pub fn start() -> Watch {
            Watch(())
        }
    }
}
