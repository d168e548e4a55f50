//! Transfers in flight of one RISC, and when they take place.
//!
//! Transfers are deferred. A read copies at its barrier, a write at the latest moment hardware allows: at a flush or
//! barrier, or when the RISC blocks. What kernels do in between is what the checks watch: pushing pages that a read still
//! fills, popping pages that a write still reads, ending with something in flight.

use std::mem::take;

use crate::compute::ahead::FEW;
use crate::rules;

use super::copying;
use super::core::{MessageEffect, MessageTarget};
use super::memory::machine::{Node, Rectangle};
use super::risc::Risc;

/// Largest remote write that travels as a message between epochs. It covers flags written by plain writes, which are no part of a tensor:
/// writes to that arrive in the order in which they were issued, as on a chip, however large they are.
pub(super) const MESSAGE_BYTES: usize = 32;

/// A read in flight.
pub(super) struct Read {
    pub source: *const u8,
    pub destination: u32,
    pub bytes: u32,
    pub noc: u8,
    pub transaction: u8,
    /// It took place when it was issued.
    pub has_arrived: bool,
    pub line: i32,
}

/// What a write in flight will do.
#[derive(Clone, Copy)]
pub(super) enum WriteEffect {
    /// Copy from this core's L1 to one place.
    Copy {
        source: u32,
        node: Node,
        offset: u64,
        bytes: u32,
    },
    /// Copy from this core's L1 to the same place of every core of a rectangle.
    Multicast {
        source: u32,
        rectangle: Rectangle,
        include_self: bool,
        offset: u32,
        bytes: u32,
    },
    /// Store a word.
    Word { value: u32, node: Node, offset: u64 },
    /// Add to a word of one core.
    Increment { value: u32, core: u16, offset: u32 },
    /// Add to the same word of every core of a rectangle.
    IncrementMulticast {
        value: u32,
        rectangle: Rectangle,
        offset: u32,
    },
}

/// A write in flight.
pub(super) struct Write {
    pub effect: WriteEffect,
    pub noc: u8,
    pub posted: bool,
    pub transaction: u8,
    pub line: i32,
}

/// The address that a `set_state` call stored, per NoC.
#[derive(Clone, Copy, Default)]
pub(super) struct TransferState {
    pub address: Option<u64>,
    pub bytes: u32,
}

/// Everything a RISC has in flight.
#[derive(Default)]
pub(crate) struct Transfers {
    pub(super) reads: Vec<Read>,
    pub(super) writes: Vec<Write>,
    /// Leading writes whose effect has already taken place and that only wait for their flush.
    executed: usize,
    pub(super) read_state: [TransferState; 2],
    pub(super) write_state: [TransferState; 2],
    pub(super) read_transaction: [u8; 2],
    /// Rectangle and line of a linked multicast that is not closed yet, per NoC.
    pub(super) linked: [Option<(Rectangle, i32)>; 2],
}

impl Transfers {
    /// Forgets all.
    pub fn clear(&mut self) {
        let (mut reads, mut writes) = (take(&mut self.reads), take(&mut self.writes));
        reads.clear();
        writes.clear();
        *self = Transfers {
            reads,
            writes,
            ..Transfers::default()
        };
    }

    /// Whether a read is in flight.
    #[inline]
    pub fn has_reads(&self) -> bool {
        !self.reads.is_empty()
    }

    /// Whether a write has not been flushed.
    #[inline]
    pub fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }
}

/// Whether two ranges share a byte.
fn overlap(start: u32, bytes: u32, other: u32, other_bytes: u32) -> bool {
    start < other + other_bytes && other < start + bytes
}

/// What the host's second-level cache holds, about: of a multicast that brings more, the first receivers' bytes are gone when the last
/// ones have theirs, and stores past the caches spare fetching what they overwrite.
const CACHED: usize = 1 << 20;

impl Risc {
    /// Completes all reads of a NoC.
    #[inline]
    pub fn read_barrier(&mut self, noc: u8, line: i32) {
        self.check_noc(noc, line);
        self.complete_reads(|read| read.noc == noc);
    }

    /// Completes the reads of a NoC that carry a transaction id.
    pub fn read_barrier_with_transaction(&mut self, noc: u8, transaction: u8, line: i32) {
        self.check_noc(noc, line);
        self.complete_reads(|read| read.noc == noc && read.transaction == transaction);
    }

    #[inline]
    fn complete_reads(&mut self, selected: impl Fn(&Read) -> bool) {
        let reads = &self.transfers.reads;
        let selected_now = |read: &Read| selected(read) && !read.has_arrived;
        for (at, read) in reads.iter().enumerate().filter(|(_, read)| selected_now(read)) {
            if let Some(next) = reads.get(at + 1) {
                // It lies in another bank, where the host's own prefetcher does not look.
                copying::prefetch(next.source, next.bytes as usize);
            }
            self.core.to_fetch.fetch_lines(FEW);
            self.load(read);
        }
        self.transfers.reads.retain(|read| !selected(read));
    }

    /// Lets a read take place.
    #[inline]
    pub(super) fn load(&self, read: &Read) {
        // SAFETY: both ranges were checked when the read was issued: the source lies in mapped L1 or in a live DRAM buffer, the
        // destination in this core's L1. They may overlap.
        unsafe { std::ptr::copy(read.source, self.l1.pointer(read.destination), read.bytes as usize) };
    }

    /// A write is in flight.
    #[inline]
    pub(super) fn issue(&mut self, write: Write) {
        self.transfers.writes.push(write);
        if self.core.is_early() {
            self.execute_writes();
        }
        self.pause();
    }

    /// Lets others go on, where that is drawn.
    #[inline]
    pub(super) fn pause(&mut self) {
        if self.core.is_early() {
            self.switch.suspend();
        }
    }

    /// Lets all writes so far take effect, in order. They stay in flight for the checks until they are flushed.
    pub fn execute_writes(&mut self) {
        for index in self.transfers.executed..self.transfers.writes.len() {
            let effect = self.transfers.writes[index].effect;
            self.execute(effect);
        }
        self.transfers.executed = self.transfers.writes.len();
    }

    fn execute(&mut self, effect: WriteEffect) {
        let core = &*self.core;
        match effect {
            WriteEffect::Copy {
                source,
                node: Node::Core(target),
                offset,
                bytes,
            } if target != core.index && bytes as usize <= MESSAGE_BYTES && !core.machine.is_in_l1_buffer(offset) => {
                let data = self.store_of(source, bytes);
                core.send(MessageTarget::Core(target), offset as u32, data);
            }
            WriteEffect::Copy {
                source,
                node,
                offset,
                bytes,
            } => {
                self.copy_to(node, offset, source, bytes);
            }
            WriteEffect::Multicast {
                source,
                rectangle,
                include_self,
                offset,
                bytes,
            } => {
                if bytes as usize <= MESSAGE_BYTES {
                    let effect = self.store_of(source, bytes);
                    if include_self {
                        // As a write to itself: kernels reset their own semaphore right after a flush.
                        self.copy_to(Node::Core(core.index), offset.into(), source, bytes);
                    }
                    let excluded = Some(core.index);
                    core.send(MessageTarget::Rectangle { rectangle, excluded }, offset, effect);
                    return;
                }
                let receivers = core.machine.cores_in(rectangle);
                let is_streamed = receivers.clone().count() * bytes as usize >= CACHED;
                for target in receivers {
                    if target == core.index && !include_self {
                        continue;
                    }
                    if is_streamed && target != core.index {
                        self.stream_to(target, offset.into(), source, bytes);
                    } else {
                        self.copy_to(Node::Core(target), offset.into(), source, bytes);
                    }
                }
            }
            WriteEffect::Word { value, node, offset } => match node {
                Node::Core(target) if target != core.index => {
                    let mut data = [0; MESSAGE_BYTES];
                    data[..4].copy_from_slice(&value.to_ne_bytes());
                    let effect = MessageEffect::Store { data, bytes: 4 };
                    core.send(MessageTarget::Core(target), offset as u32, effect);
                }
                Node::Dram(_) | Node::Core(_) => self.change_word(node, offset, |_| value),
            },
            WriteEffect::Increment {
                value,
                core: target,
                offset,
            } if target == core.index => {
                self.change_word(Node::Core(target), offset.into(), |word| word.wrapping_add(value));
            }
            WriteEffect::Increment {
                value,
                core: target,
                offset,
            } => {
                core.send(MessageTarget::Core(target), offset, MessageEffect::Add(value));
            }
            WriteEffect::IncrementMulticast {
                value,
                rectangle,
                offset,
            } => {
                let target = MessageTarget::Rectangle {
                    rectangle,
                    excluded: Some(core.index),
                };
                core.send(target, offset, MessageEffect::Add(value));
            }
        }
    }

    /// A message with what lies in this core's L1 now.
    fn store_of(&self, source: u32, bytes: u32) -> MessageEffect {
        let mut data = [0; MESSAGE_BYTES];
        data[..bytes as usize].copy_from_slice(self.l1.get(source, bytes as usize));
        MessageEffect::Store {
            data,
            bytes: bytes as u8,
        }
    }

    /// Copies from this core's L1, as a write says that is executed.
    fn copy_to(&self, node: Node, offset: u64, source: u32, bytes: u32) {
        self.core.to_fetch.fetch_lines(FEW);
        // SAFETY: the ranges were checked when the write was issued. What runs of the engine on this core has no slice of the
        // target meanwhile; two cores of which one writes what the other uses are the program's own race.
        unsafe {
            self.core
                .machine
                .copy(node, offset, self.l1.pointer(source), bytes as usize)
        };
    }

    /// As [`copy_to`](Risc::copy_to), past the host's caches, to another core.
    fn stream_to(&self, target: u16, offset: u64, source: u32, bytes: u32) {
        self.core.to_fetch.fetch_lines(FEW);
        // SAFETY: as in `copy_to`; this core's L1 is not the target's.
        unsafe {
            self.core
                .machine
                .stream(target, offset, self.l1.pointer(source), bytes as usize)
        };
    }

    /// Changes a word, as a write says that is executed.
    fn change_word(&self, node: Node, offset: u64, change: impl FnOnce(u32) -> u32) {
        // SAFETY: the word was checked to be in bounds and aligned when the write was issued; else as for `copy_to`.
        unsafe { self.core.machine.change_word(node, offset, change) };
    }

    /// Completes the writes of a NoC, posted or not.
    #[inline]
    pub fn flush_writes(&mut self, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.core.fence();
        self.transfers
            .writes
            .retain(|write| write.noc != noc || write.posted != posted);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Completes the writes of a NoC that carry a transaction id.
    pub fn flush_writes_with_transaction(&mut self, noc: u8, transaction: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.core.fence();
        self.transfers
            .writes
            .retain(|write| write.noc != noc || write.transaction != transaction);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Waits for the increments of a NoC.
    pub fn atomic_barrier(&mut self, noc: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.core.fence();
        self.note_atomic(noc, None);
        self.transfers.writes.retain(|write| {
            write.noc != noc
                || !matches!(
                    write.effect,
                    WriteEffect::Increment { .. } | WriteEffect::IncrementMulticast { .. }
                )
        });
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Checks a push against reads in flight.
    #[cold]
    pub(super) fn check_pushed_reads(&mut self, cb: u32, start: u32, bytes: u32, line: i32) {
        if let Some(read) = self
            .transfers
            .reads
            .iter()
            .find(|read| overlap(start, bytes, read.destination, read.bytes))
        {
            let detail = format!(
                "circular buffer {cb}: a read of {} bytes issued at line {} has not been waited for with noc_async_read_barrier",
                read.bytes, read.line
            );
            self.violation(&rules::CB_PUSH_OUTSTANDING_READ, line, detail);
        }
    }

    /// Checks a pop against writes in flight.
    #[cold]
    pub(super) fn check_popped_writes(&mut self, cb: u32, start: u32, bytes: u32, line: i32) {
        let source_of = |write: &Write| match write.effect {
            WriteEffect::Copy { source, bytes, .. } | WriteEffect::Multicast { source, bytes, .. } => {
                Some((source, bytes))
            }
            WriteEffect::Word { .. } | WriteEffect::Increment { .. } | WriteEffect::IncrementMulticast { .. } => None,
        };
        let found = self.transfers.writes.iter().find_map(|write| {
            let (source, length) = source_of(write)?;
            overlap(start, bytes, source, length).then_some((length, write.line))
        });
        if let Some((length, issued)) = found {
            let detail = format!(
                "circular buffer {cb}: a write of {length} bytes issued at line {issued} has not been flushed with noc_async_writes_flushed or noc_async_write_barrier"
            );
            self.violation(&rules::CB_POP_UNFLUSHED_WRITE, line, detail);
        }
    }

    /// Checks at kernel end that nothing is in flight.
    pub fn check_transfers_at_end(&mut self) {
        if let Some(read) = self.transfers.reads.first() {
            let detail = format!(
                "{} reads, the first of {} bytes issued at line {}",
                self.transfers.reads.len(),
                read.bytes,
                read.line
            );
            self.violation(&rules::NOC_READ_AT_END, read.line, detail);
        }
        let is_atomic = |write: &&Write| {
            matches!(
                write.effect,
                WriteEffect::Increment { .. } | WriteEffect::IncrementMulticast { .. }
            )
        };
        if let Some(write) = self.transfers.writes.iter().find(|write| !is_atomic(write)) {
            let (issued, count) = (
                write.line,
                self.transfers.writes.iter().filter(|write| !is_atomic(write)).count(),
            );
            let (rule, detail) = (
                &rules::NOC_WRITE_AT_END,
                format!("{count} writes, the first issued at line {issued}"),
            );
            if !self.is_allowed(rule, issued, &detail) {
                self.violation(rule, issued, detail);
            }
        }
        if let Some(issued) = self.progress.atomics.get().into_iter().flatten().next() {
            self.violation(
                &rules::NOC_ATOMIC_AT_END,
                issued,
                format!("the last was issued at line {issued}"),
            );
        }
        if let Some((_, issued)) = self.transfers.linked.iter().flatten().next().copied() {
            self.violation(
                &rules::MULTICAST_LINKED,
                issued,
                format!("the kernel ended after the linked multicast of line {issued}"),
            );
        }
        self.execute_writes();
        self.transfers.writes.clear();
        self.transfers.executed = 0;
    }
}
