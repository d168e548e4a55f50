//! Transfers in flight of one RISC, and when they take place.
//!
//! Transfers are deferred. A read copies at its barrier, a write at the latest moment hardware allows: at a flush or
//! barrier, or when the RISC blocks. What kernels do in between is what the checks watch: pushing pages that a read still
//! fills, popping pages that a write still reads, ending with something in flight.

use crate::rules;

use super::copying;
use super::core::{Message, MessageEffect, MessageTarget};
use super::memory::machine::{Node, Rectangle};
use super::risc::Risc;

/// Largest remote write that travels as a message between epochs. It covers flags written by plain writes.
const MESSAGE_BYTES: usize = 32;

/// A read in flight.
pub(super) struct Read {
    pub source: *const u8,
    pub destination: u32,
    pub bytes: u32,
    pub noc: u8,
    pub transaction: u8,
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
    /// Line of the last semaphore increment without a barrier, per NoC.
    pub(super) atomics: [Option<i32>; 2],
    pub(super) read_state: [TransferState; 2],
    pub(super) write_state: [TransferState; 2],
    pub(super) read_transaction: [u8; 2],
    /// Rectangle and line of a linked multicast that is not closed yet, per NoC.
    pub(super) linked: [Option<(Rectangle, i32)>; 2],
}

impl Transfers {
    /// Notes that the increments issued so far have arrived.
    pub fn forget_atomics(&mut self) {
        self.atomics = [None; 2];
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
        self.transfers.reads.retain(|read| {
            let done = selected(read);
            if done {
                // SAFETY: both ranges were checked when the read was issued: the source lies in mapped L1 or in a live
                // DRAM buffer, the destination in this core's L1. They may overlap, so the copy is a move.
                unsafe { std::ptr::copy(read.source, read.destination as usize as *mut u8, read.bytes as usize) };
            }
            !done
        });
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
        let core = self.core();
        let machine = core.machine();
        match effect {
            WriteEffect::Copy {
                source,
                node,
                offset,
                bytes,
            } => {
                let source = source as usize as *const u8;
                match node {
                    Node::Core(target) if target != core.index && bytes as usize <= MESSAGE_BYTES => {
                        let mut data = [0; MESSAGE_BYTES];
                        // SAFETY: the source range was checked to lie in this core's L1, and `bytes` fits the array.
                        unsafe { std::ptr::copy_nonoverlapping(source, data.as_mut_ptr(), bytes as usize) };
                        core.send(Message {
                            target: MessageTarget::Core(target),
                            offset: offset as u32,
                            effect: MessageEffect::Store {
                                data,
                                bytes: bytes as u8,
                            },
                        });
                    }
                    Node::Dram(bank) => {
                        machine.stores.note(core.index, bank, offset, bytes);
                        // SAFETY: both ranges were checked when the write was issued; L1 and DRAM do not overlap.
                        unsafe { copying::stream(source, machine.pointer(node, offset), bytes as usize) }
                    }
                    // SAFETY: both ranges were checked when the write was issued.
                    Node::Core(_) => unsafe { std::ptr::copy(source, machine.pointer(node, offset), bytes as usize) },
                }
            }
            WriteEffect::Multicast {
                source,
                rectangle,
                include_self,
                offset,
                bytes,
            } => {
                let source = source as usize as *const u8;
                let excluded = (!include_self).then_some(core.index);
                if bytes as usize <= MESSAGE_BYTES {
                    let mut data = [0; MESSAGE_BYTES];
                    // SAFETY: as above.
                    unsafe { std::ptr::copy_nonoverlapping(source, data.as_mut_ptr(), bytes as usize) };
                    let effect = MessageEffect::Store {
                        data,
                        bytes: bytes as u8,
                    };
                    if include_self {
                        // As a write to itself: kernels reset their own semaphore right after a flush.
                        let own = machine.pointer(Node::Core(core.index), u64::from(offset));
                        // SAFETY: as above; the offset was checked against the L1 that all cores have.
                        unsafe { std::ptr::copy(source, own, bytes as usize) };
                    }
                    let excluded = Some(core.index);
                    core.send(Message {
                        target: MessageTarget::Rectangle { rectangle, excluded },
                        offset,
                        effect,
                    });
                    return;
                }
                for target in machine.cores_in(rectangle) {
                    if Some(target) != excluded {
                        let destination = machine.pointer(Node::Core(target), u64::from(offset));
                        // SAFETY: as above; the offset was checked against the L1 that all cores have.
                        unsafe { std::ptr::copy(source, destination, bytes as usize) };
                    }
                }
            }
            WriteEffect::Word { value, node, offset } => match node {
                Node::Core(target) if target != core.index => {
                    let mut data = [0; MESSAGE_BYTES];
                    data[..4].copy_from_slice(&value.to_ne_bytes());
                    let effect = MessageEffect::Store { data, bytes: 4 };
                    core.send(Message {
                        target: MessageTarget::Core(target),
                        offset: offset as u32,
                        effect,
                    });
                }
                Node::Dram(bank) => {
                    machine.stores.note(core.index, bank, offset, 4);
                    // SAFETY: the word was checked to be in bounds and aligned when the write was issued.
                    unsafe { machine.pointer(node, offset).cast::<u32>().write_volatile(value) }
                }
                // SAFETY: as above.
                Node::Core(_) => unsafe { machine.pointer(node, offset).cast::<u32>().write_volatile(value) },
            },
            WriteEffect::Increment {
                value,
                core: target,
                offset,
            } if target == core.index => {
                let word = machine.pointer(Node::Core(target), u64::from(offset)).cast::<u32>();
                // SAFETY: as above.
                unsafe { word.write_volatile(word.read_volatile().wrapping_add(value)) };
            }
            WriteEffect::Increment {
                value,
                core: target,
                offset,
            } => {
                core.send(Message {
                    target: MessageTarget::Core(target),
                    offset,
                    effect: MessageEffect::Add(value),
                });
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
                core.send(Message {
                    target,
                    offset,
                    effect: MessageEffect::Add(value),
                });
            }
        }
    }

    /// Completes the writes of a NoC, posted or not.
    #[inline]
    pub fn flush_writes(&mut self, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers
            .writes
            .retain(|write| write.noc != noc || write.posted != posted);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Completes the writes of a NoC that carry a transaction id.
    pub fn flush_writes_with_transaction(&mut self, noc: u8, transaction: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers
            .writes
            .retain(|write| write.noc != noc || write.transaction != transaction);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Waits for the increments of a NoC.
    pub fn atomic_barrier(&mut self, noc: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers.atomics[noc as usize] = None;
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
            self.violation(
                &rules::NOC_WRITE_AT_END,
                issued,
                format!("{count} writes, the first issued at line {issued}"),
            );
        }
        if let Some(issued) = self.transfers.atomics.iter().flatten().next().copied() {
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
