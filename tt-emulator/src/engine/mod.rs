//! The engine: cores, RISCs as coroutines, memories, NoC, scheduling.
//!
//! A launch builds one [`core::Core`] per used worker core and one [`risc::Risc`] per kernel on it. Kernels are C++ and call
//! the engine through a table of functions ([`crate::abi`]); an entry finds its RISC through a thread-local.
//!
//! Time advances in epochs. Within an epoch every core runs on its own until all its RISCs wait or are done; what one core
//! tells another about progress (semaphores) is delivered between epochs, in a fixed order. So a run has the same course,
//! the same counters and the same report with any number of threads. [`order`] draws other courses.

#![cfg_attr(miri, allow(dead_code, unused_imports, reason = "there are no signals under Miri"))]

pub(crate) mod ahead;
#[cfg(test)]
mod aliasing;
pub(crate) mod argument;
pub(crate) mod circular_buffer;
#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub(crate) mod copying;
pub(crate) mod core;
#[cfg(not(miri))]
pub(crate) mod coroutine;
#[cfg(miri)]
#[path = "coroutine_of_threads.rs"]
pub(crate) mod coroutine;
pub mod counters;
pub(crate) mod deadlock;
pub mod device;
#[cfg(any(test, all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) mod division;
pub(crate) mod entries;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod multicast;
pub(crate) mod noc;
pub(crate) mod order;
pub(crate) mod prepared;
pub(crate) mod printing;
pub mod program;
pub(crate) mod queue;
pub(crate) mod risc;
pub(crate) mod schedule;
pub(crate) mod semaphore;
pub mod sharding;
pub mod stores;
pub(crate) mod tensor_page;
pub(crate) mod transfers;
pub(crate) mod trap;
pub(crate) mod unwritten;
pub(crate) mod watchdog;
pub(crate) mod workers;
pub(crate) mod writers;

#[cfg(all(not(any(test, doc)), tt_emulator_apart))]
pub(crate) use tt_emulator_calculation::copying;
