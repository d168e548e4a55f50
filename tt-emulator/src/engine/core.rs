//! A worker core during a run: its circular buffers, its place in L1, and what it sends to other cores.

use super::circular_buffer::CoreCb;
use super::memory::machine::{Machine, Rectangle};

/// What a message does at its destination.
#[derive(Clone, Copy)]
pub(crate) enum MessageEffect {
    /// Adds to a word.
    Add(u32),
    /// Stores the leading bytes.
    Store { data: [u8; 32], bytes: u8 },
}

/// Where a message goes.
#[derive(Clone, Copy)]
pub(crate) enum MessageTarget {
    /// One core.
    Core(u16),
    /// All cores of a rectangle but the excluded one.
    Rectangle {
        rectangle: Rectangle,
        excluded: Option<u16>,
    },
}

/// Something small that one core tells others: a semaphore, a flag. Delivered between epochs.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub target: MessageTarget,
    pub offset: u32,
    pub effect: MessageEffect,
}

/// A core that runs kernels.
pub(crate) struct Core {
    /// Number in the grid, row by row.
    pub index: u16,
    /// Logical coordinates.
    pub logical: (usize, usize),
    pub virtual_x: u8,
    pub virtual_y: u8,
    /// Kernel-visible address of L1 offset 0.
    pub l1_base: u32,
    /// Address map; outlives the core.
    pub machine: *const Machine,
    /// All circular buffers, configured or not.
    pub cbs: Vec<CoreCb>,
    /// Bit i is set where the program created semaphore i on this core.
    pub semaphores: u32,
    /// What was sent in this epoch.
    pub outbox: Vec<Message>,
}

impl Core {
    /// The address map of the device.
    #[inline]
    pub fn machine<'a>(&self) -> &'a Machine {
        // SAFETY: a launch keeps its machine until all its cores are gone, and nothing changes it meanwhile.
        unsafe { &*self.machine }
    }

    /// Queues a message for delivery after this epoch.
    pub fn send(&mut self, message: Message) {
        self.outbox.push(message);
    }
}
