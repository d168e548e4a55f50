//! A worker core during a run: its circular buffers, its place in L1, and what it sends to other cores.
//!
//! Its RISCs share it, and run one at a time on one thread: what changes is in cells.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;

use super::circular_buffer::{CbConfig, CoreCb};
use super::memory::machine::{Machine, Rectangle};
use super::order::Order;
use super::risc::Wait;
use crate::compute::ahead::Ahead;

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
    /// How many flushes and barriers its core had called before.
    pub fence: u32,
}

thread_local! {
    /// Memory for circular buffers of cores to come, none of which is there: a launch makes them all before it drops the first, more
    /// than the allocator has at hand.
    static SPARE: RefCell<Vec<Vec<CoreCb>>> = const { RefCell::new(Vec::new()) };
}

/// Cores whose memory a thread keeps: more than any chip has.
const KEPT: usize = 256;

/// Memory for the circular buffers of a core, none of which is there.
pub(crate) fn no_buffers() -> Vec<CoreCb> {
    SPARE.with_borrow_mut(Vec::pop).unwrap_or_default()
}

impl Drop for Core {
    fn drop(&mut self) {
        let mut buffers = take(&mut self.cbs);
        for id in bits(self.configured) {
            buffers[id] = CoreCb::new(CbConfig::NONE);
        }
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(buffers);
            }
        });
    }
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
    /// Address map.
    pub machine: Arc<Machine>,
    /// Circular buffers by id, up to the last that it has and beyond; others are not there.
    pub cbs: Vec<CoreCb>,
    /// Bit i is set where it has circular buffer i; no chip has more than bits.
    pub configured: u64,
    /// Bit i is set where the program created semaphore i on this core.
    pub semaphores: u32,
    /// What its readers are likely to read next.
    pub to_fetch: Ahead,
    /// What was sent in this epoch.
    pub outbox: RefCell<Vec<Message>>,
    /// Flushes and barriers that were called.
    pub fences: Cell<u32>,
    /// What is drawn of its course, where that is asked for.
    pub order: Option<Order>,
    /// How many messages came to each word, where the clock is on.
    pub signals: Option<RefCell<BTreeMap<u32, u32>>>,
}

impl Core {
    /// Gives it a circular buffer.
    #[inline]
    pub fn configure(&mut self, id: u8, config: CbConfig) {
        let at = usize::from(id);
        if self.cbs.len() <= at {
            self.cbs.resize_with(at + 1, || CoreCb::new(CbConfig::NONE));
        }
        self.cbs[at] = CoreCb::new(config);
        self.configured |= 1 << id;
    }

    /// The circular buffers that it has.
    pub fn circular_buffers(&self) -> impl Iterator<Item = &CoreCb> {
        bits(self.configured).map(|id| &self.cbs[id])
    }

    /// Queues a message for delivery after this epoch.
    pub fn send(&self, target: MessageTarget, offset: u32, effect: MessageEffect) {
        let fence = self.fences.get();
        self.outbox.borrow_mut().push(Message {
            target,
            offset,
            effect,
            fence,
        });
    }

    /// What was sent arrives before what will be.
    pub fn fence(&self) {
        self.fences.set(self.fences.get().wrapping_add(1));
    }

    /// Whether a transfer that may take place now does so.
    pub fn is_early(&self) -> bool {
        self.order.as_ref().is_some_and(Order::coin)
    }

    /// How many messages came to a word of this core.
    pub fn signals(&self, offset: u32) -> u32 {
        let counted = self
            .signals
            .as_ref()
            .map(|signals| signals.borrow().get(&offset).copied());
        counted.flatten().unwrap_or(0)
    }

    /// Counts a message.
    pub fn count_signal(&self, offset: u32) {
        if let Some(signals) = &self.signals {
            *signals.borrow_mut().entry(offset).or_default() += 1;
        }
    }

    /// A word of this core's L1 as it is now, by its kernel-visible address. The address must have been checked.
    pub fn word(&self, address: u32) -> u32 {
        self.machine.word(self.index, address - self.l1_base)
    }

    /// Whether what a RISC of this core waits for has come true. Deliveries come true between epochs.
    pub fn fulfils(&self, wait: Wait) -> bool {
        match wait {
            Wait::Nothing => true,
            Wait::Front { cb, pages } => u32::from(self.cbs[cb as usize].filled()) >= pages,
            Wait::Back { cb, pages } => self.cbs[cb as usize].free() >= pages,
            Wait::Semaphore {
                address,
                value,
                at_least,
            } => {
                let now = self.word(address);
                if at_least { now >= value } else { now == value }
            }
            Wait::Delivery | Wait::Spinning | Wait::Done => false,
        }
    }
}

/// The numbers of the bits that are set, from the lowest on.
pub(crate) fn bits(mut left: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lowest < u64::BITS).then_some(lowest as usize)
    })
}
