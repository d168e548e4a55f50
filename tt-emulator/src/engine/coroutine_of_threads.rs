//! Coroutines as Miri can run them: each on a thread of its own, one of which runs at a time.
//!
//! Miri knows no assembly. What it is asked about is the same as in `coroutine.rs`: which references are there while a kernel is
//! suspended, and who uses what they are to.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::risc::{Current, current, set_current};
use super::trap::Fault;

/// Bytes of a kernel's stack, as reports say it.
pub(super) const STACK_BYTES: usize = 2 << 20;

/// The turn of a coroutine, for the RISC that it was resumed for.
struct Turn(Current);

// SAFETY: who gives the turn away does not use the RISC until it has it back.
unsafe impl Send for Turn {}

/// How a RISC leaves its coroutine.
pub(crate) struct Switch(Option<(Sender<Resumed>, Receiver<Turn>)>);

impl Switch {
    /// A switch of a coroutine that has not started.
    pub const fn unset() -> Switch {
        Switch(None)
    }

    /// Goes back to the scheduler until it resumes this coroutine; for ever where it never does.
    pub fn suspend(&self) {
        let turn = self.0.as_ref().and_then(|(back, turns)| {
            back.send(Resumed::Suspended).ok()?;
            turns.recv().ok()
        });
        match turn {
            Some(Turn(current)) => set_current(current),
            None => loop {
                std::thread::park();
            },
        }
    }
}

/// How a kernel came back to the scheduler.
pub(crate) enum Resumed {
    Suspended,
    Returned,
    /// Never here.
    Faulted(Fault),
}

/// A kernel on its own thread.
pub(crate) struct KernelCoroutine {
    turns: Sender<Turn>,
    back: Receiver<Resumed>,
    thread: Option<JoinHandle<()>>,
}

impl KernelCoroutine {
    /// A coroutine that will run `body`; `body` gets the switch to hand to its RISC.
    pub fn new(body: impl FnOnce(Switch) + Send + 'static) -> std::io::Result<KernelCoroutine> {
        let ((turns, own_turns), (own_back, back)) = (channel(), channel());
        let thread = std::thread::Builder::new().spawn(move || {
            if let Ok(Turn(current)) = own_turns.recv() {
                set_current(current);
                body(Switch(Some((own_back.clone(), own_turns))));
                let _ = own_back.send(Resumed::Returned);
            }
        })?;
        Ok(KernelCoroutine {
            turns,
            back,
            thread: Some(thread),
        })
    }

    /// Runs until the kernel suspends or returns.
    pub fn resume(&mut self) -> Resumed {
        let resumed = self
            .turns
            .send(Turn(current()))
            .ok()
            .and_then(|()| self.back.recv().ok());
        match resumed {
            Some(Resumed::Suspended) => Resumed::Suspended,
            _ => {
                let _ = self.thread.take().map(JoinHandle::join);
                Resumed::Returned
            }
        }
    }

    /// Ends what has returned.
    pub fn into_pool(self) {}
}
