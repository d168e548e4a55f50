//! A clock: what a run would take on a chip.
//!
//! The engine runs kernels in an order of its own, which says nothing of time. With the clock on, every RISC writes down what it
//! does ([`Event`]): a few words for each call. When the run is over, [`replay`] goes through all of it once more in the order of
//! time: each processor has a time of its own, each circular buffer hands on when it was pushed, each link of a NoC, port and
//! DRAM bank serves one transfer at a time. What the kernels compute does not depend on time, so the events are those that a chip would see.
//!
//! What a step costs has a cause and a source, one row each in [`tt_device::costs`]; nothing is fitted to whole programs. An operation of
//! the vector unit whose cost nobody measured takes no time, and is named ([`Modelled::unknown`]).
//!
//! It is the same for any number of host threads, since what it goes by is. Off, it costs a branch for each call.

mod event;
mod network;
mod replay;
mod report;
mod timeline;

pub use report::{Bound, Modelled, Use};

pub(crate) use event::{Event, MatrixWork, RegisterStep};
pub(crate) use replay::{Trace, replay};

use crate::arch::{Arch, ArchName};
use tt_device::costs::Costs;

/// What steps cost on a chip.
fn costs(arch: &Arch) -> &'static Costs {
    Costs::of(match arch.name {
        ArchName::WormholeB0 => tt_device::ArchName::WormholeB0,
        ArchName::Blackhole => tt_device::ArchName::Blackhole,
    })
}
