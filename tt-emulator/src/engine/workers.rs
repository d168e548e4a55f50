//! Threads that share the cores of an epoch.
//!
//! The calling thread begins an epoch alone, because most epochs of programs that talk a lot are over in microseconds. What
//! takes longer it offers to the others as tickets, one per core, and at once where an epoch of no more cores took longer before. It
//! never waits for a thread, only for cores that a thread has taken; so a thread that the system does not schedule costs nothing. Threads are started when what they could have taken
//! over so far, with what is left of the epoch at its pace so far, is more than it takes to start one: small launches have none. They
//! could not have taken over all of an epoch but one core, so the one that took longest does not count.

use std::cell::UnsafeCell;
use std::mem::replace;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::copying;
use super::schedule::{CoreRun, Spares};
use super::trap;
use super::watchdog::Watch;

/// Time after which the rest of an epoch is offered to other threads.
const ALONE: Duration = Duration::from_micros(20);

/// Time that it takes to start a thread and to end it, on both sides: 60 to 250 µs on machines that others use too.
const STARTING: Duration = Duration::from_micros(250);

/// Turns of an idle thread before it sleeps.
const SPINS: u32 = 20_000;

/// What a ticket stands for: a core and how to run it.
#[derive(Clone, Copy)]
struct Offer<'run> {
    core: *mut CoreRun<'run>,
    run: fn(&mut CoreRun<'run>),
}

/// What the threads of a run share.
#[derive(Default)]
struct Board<'run> {
    /// Offers that nobody has taken are those below this number.
    tickets: AtomicUsize,
    /// Offers that have been run.
    done: AtomicUsize,
    /// Written by the calling thread while no ticket is out.
    offers: UnsafeCell<Vec<Offer<'run>>>,
    stop: AtomicBool,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

// SAFETY: `offers` changes only while there are no tickets and all offers taken are done, and is read only by who holds a
// ticket; each offer is run by the one thread that took its ticket, and `CoreRun` may move between threads.
unsafe impl Sync for Board<'_> {}

impl Board<'_> {
    /// Takes a ticket and runs its core; gives whether there was one.
    fn run_one(&self) -> bool {
        let taken = self
            .tickets
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        let Ok(left) = taken else { return false };
        // SAFETY: the ticket makes this offer ours, and offers do not change while one is not done; the calling thread keeps the
        // core alive until then.
        let (run, core) = unsafe {
            let offer = (&(*self.offers.get()))[left - 1];
            (offer.run, &mut *offer.core)
        };
        run(core);
        copying::fence();
        self.done.fetch_add(1, Ordering::Release);
        true
    }

    /// Runs offers until told to stop.
    fn work(&self) {
        trap::prepare_thread();
        let (_watch, _spares) = (Watch::start(), Spares::keep());
        loop {
            let mut spins = 0;
            while !self.run_one() {
                if self.stop.load(Ordering::Acquire) {
                    return;
                }
                spins += 1;
                if spins > SPINS {
                    self.wait_for_tickets();
                }
                std::hint::spin_loop();
            }
        }
    }

    fn wait_for_tickets(&self) {
        let mut guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while self.tickets.load(Ordering::SeqCst) == 0 && !self.stop.load(Ordering::SeqCst) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake_all(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            let _guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.wake.notify_all();
        }
    }
}

/// The threads of a run, as its calling thread sees them.
pub(super) struct Workers<'scope, 'board, 'run> {
    board: &'board Board<'run>,
    scope: &'scope Scope<'scope, 'board>,
    threads: usize,
    started: bool,
    /// Cores from which on an epoch is taken to be a long one.
    long_from: usize,
    /// Time that epochs took while there were cores for other threads, and none was started.
    missed: Duration,
}

/// Calls `body` with up to `threads` threads at its service, the calling one among them.
pub(super) fn with_workers<'run, R>(threads: usize, body: impl FnOnce(&mut Workers<'_, '_, 'run>) -> R) -> R {
    /// Tells the threads to stop, also when the body panics.
    struct Stop<'board, 'run>(&'board Board<'run>);
    impl Drop for Stop<'_, '_> {
        fn drop(&mut self) {
            self.0.stop.store(true, Ordering::SeqCst);
            self.0.wake_all();
        }
    }
    let board = Board::default();
    trap::prepare_thread();
    let (_watch, _spares) = (Watch::start(), Spares::keep());
    std::thread::scope(|scope| {
        let _stop = Stop(&board);
        body(&mut Workers {
            board: &board,
            scope,
            threads,
            started: false,
            long_from: usize::MAX,
            missed: Duration::ZERO,
        })
    })
}

impl<'run> Workers<'_, '_, 'run> {
    /// Runs every core once.
    pub fn run(&mut self, cores: Vec<&mut CoreRun<'run>>, run: fn(&mut CoreRun<'run>)) {
        let count = cores.len();
        let mut cores = cores.into_iter();
        let start = Instant::now();
        if self.started && count >= self.long_from {
            self.share(cores, run);
            if start.elapsed() < ALONE {
                self.long_from = usize::MAX;
            }
            return;
        }
        let (mut done, mut alone, mut longest) = (0, Duration::ZERO, Duration::ZERO);
        while let Some(core) = cores.next() {
            run(core);
            done += 1;
            let left = cores.len() as u32;
            if self.threads == 1 || left == 0 {
                continue;
            }
            let before = replace(&mut alone, start.elapsed());
            longest = longest.max(alone - before);
            // The system may have taken the thread's processor for longer than all cores take: one of them is not counted.
            let pace = || match done {
                1 => alone,
                _ => (alone - longest) / (done - 1),
            };
            if alone > ALONE && (self.started || self.missed + pace() * left > STARTING) {
                self.share(cores, run);
                self.long_from = count;
                return;
            }
        }
        if done > 1 && self.threads > 1 && !self.started {
            let took = start.elapsed();
            self.missed += (took - longest.max(took - alone)).saturating_sub(ALONE);
        }
    }

    /// Offers cores to all threads, helps, and waits until all are done.
    fn share<'cores>(&mut self, cores: impl Iterator<Item = &'cores mut CoreRun<'run>>, run: fn(&mut CoreRun<'run>))
    where
        'run: 'cores,
    {
        let board = self.board;
        // SAFETY: there are no tickets, and all offers of the last time are done.
        let offers = unsafe { &mut *board.offers.get() };
        offers.clear();
        offers.extend(cores.map(|core| Offer { core, run }));
        let count = offers.len();
        copying::fence();
        board.done.store(0, Ordering::Relaxed);
        board.tickets.store(count, Ordering::SeqCst);
        if !replace(&mut self.started, true) {
            for _ in 1..self.threads {
                // A thread that the system does not give is done without.
                let _ = std::thread::Builder::new().spawn_scoped(self.scope, move || board.work());
            }
        }
        board.wake_all();
        while board.run_one() {}
        let mut spins = 0;
        while board.done.load(Ordering::Acquire) < count {
            spins += 1;
            if spins > SPINS {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}
