//! What was enqueued on a device: programs that run in order while the host goes on.
//!
//! A program is taken as it is when it is enqueued: its arguments may be set for the next launch at once. One thread, started
//! when there is something to do, runs one program after the other. Whoever touches the memories of the device waits for it
//! first, so that the host sees what a host sees that waits for every launch. A failure is kept until somebody asks for it
//! ([`Device::finish`]); what was enqueued behind it does not run, for it may read what was never written.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::device::Device;
use super::launch::{LaunchError, refuse, run_now};
use super::program::Program;

/// The first failure since somebody asked.
struct Failure {
    error: LaunchError,
    /// Programs behind it that did not run.
    dropped: usize,
}

#[derive(Default)]
struct State {
    /// Programs, and how many threads each may take.
    waiting: VecDeque<(Program, usize)>,
    /// There is a thread that runs programs.
    busy: bool,
    failure: Option<Failure>,
}

/// The queue of a device.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    idle: Condvar,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing is enqueued; keeps others from enqueueing as long as the result lives.
    fn wait(&self) -> MutexGuard<'_, State> {
        let idle = self.idle.wait_while(self.state(), |state| state.busy);
        idle.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device {
    /// Hands `program` to the device and does not wait for it. What can be refused before anything runs is refused here.
    ///
    /// # Errors
    /// As [`launch`](super::launch::launch), but for what happens while kernels run.
    pub fn enqueue(self: &Arc<Device>, program: &Program, threads: usize) -> Result<(), LaunchError> {
        refuse(self, program)?;
        let mut state = self.queue().state();
        if let Some(failure) = &mut state.failure {
            failure.dropped += 1;
            return Ok(());
        }
        state.waiting.push_back((program.clone(), threads));
        if std::mem::replace(&mut state.busy, true) {
            return Ok(());
        }
        drop(state);
        let device = self.clone();
        let work = move || device.work();
        if std::thread::Builder::new()
            .name("tt-emulator queue".to_owned())
            .spawn(work)
            .is_err()
        {
            // The system gives no thread: nothing is lost but time.
            self.work();
        }
        Ok(())
    }

    /// Waits for everything that was enqueued.
    ///
    /// # Errors
    /// The first failure since this was asked last.
    pub fn finish(&self) -> Result<(), LaunchError> {
        match self.queue().wait().failure.take() {
            None => Ok(()),
            Some(Failure { error, dropped: 0 }) => Err(error),
            Some(Failure { error, dropped }) => Err(LaunchError::Queued {
                error: Box::new(error),
                dropped,
            }),
        }
    }

    /// Waits until nothing enqueued runs any more, however it ended.
    pub(crate) fn wait(&self) {
        drop(self.queue().wait());
    }

    /// Runs what is enqueued until there is nothing left.
    fn work(self: &Arc<Device>) {
        loop {
            let mut state = self.queue().state();
            let Some((program, threads)) = state.waiting.pop_front() else {
                state.busy = false;
                self.queue().idle.notify_all();
                return;
            };
            drop(state);
            let run = catch_unwind(AssertUnwindSafe(|| run_now(self, &program, threads)));
            let result = run.unwrap_or_else(|_| Err(LaunchError::Kernel("the emulator panicked".to_owned())));
            if let Err(error) = result {
                let mut state = self.queue().state();
                let dropped = std::mem::take(&mut state.waiting).len();
                state.failure.get_or_insert(Failure { error, dropped });
            }
        }
    }
}

/// Waits for what is enqueued, and runs `program`.
///
/// # Errors
/// The failure of something enqueued, else as [`launch`](super::launch::launch).
pub(crate) fn launch_after(device: &Arc<Device>, program: &Program, threads: usize) -> Result<(), LaunchError> {
    device.finish()?;
    run_now(device, program, threads).map(drop)
}
