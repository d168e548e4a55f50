//! The network on chip as one RISC sees it: addresses, transfers in flight, barriers.
//!
//! Transfers are deferred. A read copies at its barrier, a write at the latest moment hardware allows: at a flush or
//! barrier, or when the RISC blocks. What kernels do in between is what the checks watch: pushing pages that a read still
//! fills, popping pages that a write still reads.

use crate::arch::{L1_SLOT_BYTES, MEM_ZEROS_BASE, MEM_ZEROS_BYTES, SEMAPHORE_BASE, SEMAPHORE_STRIDE, SEMAPHORES};
use crate::rules;

use super::copying;
use super::core::{Message, MessageEffect, MessageTarget};
use super::memory::machine::{Node, Rectangle};
use super::risc::Risc;

/// Largest remote write that travels as a message between epochs. It covers flags written by plain writes.
const MESSAGE_BYTES: usize = 32;

/// A read in flight.
struct Read {
    source: *const u8,
    destination: u32,
    bytes: u32,
    noc: u8,
    transaction: u8,
    line: i32,
}

/// What a write in flight will do.
#[derive(Clone, Copy)]
pub(super) enum WriteEffect {
    /// Copy from this core's L1 to one place.
    Copy { source: u32, node: Node, offset: u64, bytes: u32 },
    /// Copy from this core's L1 to the same place of every core of a rectangle.
    Multicast { source: u32, rectangle: Rectangle, include_self: bool, offset: u32, bytes: u32 },
    /// Store a word.
    Word { value: u32, node: Node, offset: u64 },
    /// Add to a word of one core.
    Increment { value: u32, core: u16, offset: u32 },
    /// Add to the same word of every core of a rectangle.
    IncrementMulticast { value: u32, rectangle: Rectangle, offset: u32 },
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
    reads: Vec<Read>,
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
    /// The L1 offset of a local address, after checking that it is this core's.
    #[inline]
    pub(super) fn local_offset(&mut self, address: u32, line: i32) -> u32 {
        let slot = address & !(L1_SLOT_BYTES as u32 - 1);
        let base = self.core().l1_base;
        if slot != 0 && slot != base {
            let detail = format!("address {address:#x} does not lie in the L1 of this core, which starts at {base:#x}");
            self.violation(&rules::NOC_FOREIGN_ADDRESS, line, detail);
        }
        address & (L1_SLOT_BYTES as u32 - 1)
    }

    /// The kernel-visible address of a local range, after checking that programs may use it.
    #[inline]
    pub(super) fn local_range(&mut self, address: u32, bytes: u32, write: bool, line: i32) -> u32 {
        let offset = self.local_offset(address, line);
        self.check_l1(u64::from(offset), bytes, write, line);
        self.core().l1_base + offset
    }

    #[inline]
    pub(super) fn check_l1(&mut self, offset: u64, bytes: u32, write: bool, line: i32) {
        let end = offset + u64::from(bytes);
        let usable = offset >= self.arch.l1_unreserved_base() as u64 && end <= self.arch.l1_bytes as u64;
        if usable {
            return;
        }
        let semaphores = offset >= SEMAPHORE_BASE as u64 && end <= (SEMAPHORE_BASE + SEMAPHORES * SEMAPHORE_STRIDE) as u64;
        let zeros = !write && offset >= MEM_ZEROS_BASE as u64 && end <= (MEM_ZEROS_BASE + MEM_ZEROS_BYTES) as u64;
        if !semaphores && !zeros {
            let detail = format!(
                "{bytes} bytes at L1 offset {offset:#x}; programs may use {:#x} to {:#x}",
                self.arch.l1_unreserved_base(),
                self.arch.l1_bytes
            );
            self.violation(&rules::NOC_L1_BOUNDS, line, detail);
        }
    }

    #[inline]
    pub(super) fn check_noc(&mut self, noc: u8, line: i32) {
        if noc > 1 {
            self.violation(&rules::NOC_INDEX, line, format!("NoC {noc}"));
        }
    }

    /// Core or bank and offset of a NoC address, after checking bounds.
    #[inline]
    pub(super) fn resolve(&mut self, address: u64, bytes: u32, write: bool, line: i32) -> (Node, u64) {
        let machine = self.core().machine();
        let Some((node, offset)) = machine.resolve(address) else {
            let (x, y) = ((address >> 36) & 63, (address >> 42) & 63);
            self.violation(&rules::NOC_COORDINATE, line, format!("({x},{y}) in NoC address {address:#x}"));
        };
        match node {
            Node::Core(_) => self.check_l1(offset, bytes, write, line),
            Node::Dram(bank) => {
                if !machine.dram_range_is_live(bank, offset, bytes) {
                    let detail = format!("{bytes} bytes at address {offset:#x} of DRAM bank {bank}: {}", machine.describe_dram(bank, offset));
                    self.violation(&rules::NOC_DRAM_BUFFER, line, detail);
                }
            }
        }
        (node, offset)
    }

    #[inline]
    pub(super) fn check_alignment(&mut self, remote: u64, local: u32, node: Node, write: bool, line: i32) {
        let alignment = match (node, write) {
            (Node::Core(_), _) => self.arch.l1_alignment,
            (Node::Dram(_), false) => self.arch.dram_read_alignment,
            (Node::Dram(_), true) => self.arch.dram_write_alignment,
        } as u64;
        if (remote ^ u64::from(local)) & (alignment - 1) != 0 {
            let (verb, memory) = (if write { "write to" } else { "read from" }, node.memory());
            let local = local & (L1_SLOT_BYTES as u32 - 1);
            let detail = format!("{verb} {memory} address {remote:#x} with L1 address {local:#x}: they differ modulo {alignment}");
            self.violation(&rules::NOC_ALIGNMENT, line, detail);
        }
    }

    #[inline]
    pub(super) fn check_burst(&mut self, bytes: u32, line: i32) {
        if bytes as usize > self.arch.noc_max_burst_bytes {
            let detail = format!("{bytes} bytes, the longest burst is {}", self.arch.noc_max_burst_bytes);
            self.violation(&rules::NOC_BURST, line, detail);
        }
    }

    /// Issues a read of `bytes` bytes from a NoC address to this core's L1.
    #[inline]
    pub fn noc_read(&mut self, source: u64, destination: u32, bytes: u32, noc: u8, line: i32) {
        self.check_noc(noc, line);
        if bytes == 0 {
            return;
        }
        let (node, offset) = self.resolve(source, bytes, false, line);
        self.issue_read(node, offset, destination, bytes, noc, line);
    }

    /// Issues a read whose remote side is already checked.
    #[inline]
    pub(super) fn issue_read(&mut self, node: Node, offset: u64, destination: u32, bytes: u32, noc: u8, line: i32) {
        let destination = self.local_range(destination, bytes, true, line);
        self.check_alignment(offset, destination, node, false, line);
        self.counters.noc_read_bytes[noc as usize] += u64::from(bytes);
        if let Node::Dram(bank) = node {
            self.counters.dram_read_bytes[bank as usize] += u64::from(bytes);
        }
        let source = self.core().machine().pointer(node, offset).cast_const();
        copying::prefetch(source, bytes as usize);
        let transaction = self.transfers.read_transaction[noc as usize];
        self.transfers.reads.push(Read { source, destination, bytes, noc, transaction, line });
    }

    /// Issues a write of `bytes` bytes from this core's L1 to a NoC address.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub fn noc_write(&mut self, source: u32, destination: u64, bytes: u32, noc: u8, posted: bool, transaction: u8, line: i32) {
        self.check_noc(noc, line);
        if bytes == 0 {
            return;
        }
        let (node, offset) = self.resolve(destination, bytes, true, line);
        self.issue_write(source, node, offset, bytes, noc, posted, transaction, line);
    }

    /// Issues a write whose remote side is already checked.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub(super) fn issue_write(
        &mut self,
        source: u32,
        node: Node,
        offset: u64,
        bytes: u32,
        noc: u8,
        posted: bool,
        transaction: u8,
        line: i32,
    ) {
        let source = self.local_range(source, bytes, false, line);
        self.check_alignment(offset, source, node, true, line);
        self.counters.noc_write_bytes[noc as usize] += u64::from(bytes);
        if let Node::Dram(bank) = node {
            self.counters.dram_write_bytes[bank as usize] += u64::from(bytes);
        }
        let effect = WriteEffect::Copy { source, node, offset, bytes };
        self.transfers.writes.push(Write { effect, noc, posted, transaction, line });
    }

    /// Issues the store of a word to a NoC address.
    pub fn noc_inline_write(&mut self, destination: u64, value: u32, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        let (node, offset) = self.resolve(destination, 4, true, line);
        if offset % 4 != 0 {
            self.violation(&rules::NOC_ALIGNMENT, line, format!("word written to address {offset:#x}, which is no multiple of 4"));
        }
        self.counters.noc_write_bytes[noc as usize] += 4;
        let effect = WriteEffect::Word { value, node, offset };
        self.transfers.writes.push(Write { effect, noc, posted, transaction: 0, line });
    }

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
            WriteEffect::Copy { source, node, offset, bytes } => {
                let source = source as usize as *const u8;
                match node {
                    Node::Core(target) if target != core.index && bytes as usize <= MESSAGE_BYTES => {
                        let mut data = [0; MESSAGE_BYTES];
                        // SAFETY: the source range was checked to lie in this core's L1, and `bytes` fits the array.
                        unsafe { std::ptr::copy_nonoverlapping(source, data.as_mut_ptr(), bytes as usize) };
                        core.send(Message {
                            target: MessageTarget::Core(target),
                            offset: offset as u32,
                            effect: MessageEffect::Store { data, bytes: bytes as u8 },
                        });
                    }
                    // SAFETY: both ranges were checked when the write was issued; L1 and DRAM do not overlap.
                    Node::Dram(_) => unsafe { copying::stream(source, machine.pointer(node, offset), bytes as usize) },
                    // SAFETY: both ranges were checked when the write was issued.
                    Node::Core(_) => unsafe { std::ptr::copy(source, machine.pointer(node, offset), bytes as usize) },
                }
            }
            WriteEffect::Multicast { source, rectangle, include_self, offset, bytes } => {
                let source = source as usize as *const u8;
                let excluded = (!include_self).then_some(core.index);
                if bytes as usize <= MESSAGE_BYTES {
                    let mut data = [0; MESSAGE_BYTES];
                    // SAFETY: as above.
                    unsafe { std::ptr::copy_nonoverlapping(source, data.as_mut_ptr(), bytes as usize) };
                    let effect = MessageEffect::Store { data, bytes: bytes as u8 };
                    core.send(Message { target: MessageTarget::Rectangle { rectangle, excluded }, offset, effect });
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
                    core.send(Message { target: MessageTarget::Core(target), offset: offset as u32, effect });
                }
                // SAFETY: the word was checked to be in bounds and aligned when the write was issued.
                _ => unsafe { machine.pointer(node, offset).cast::<u32>().write_volatile(value) },
            },
            WriteEffect::Increment { value, core: target, offset } if target == core.index => {
                let word = machine.pointer(Node::Core(target), u64::from(offset)).cast::<u32>();
                // SAFETY: as above.
                unsafe { word.write_volatile(word.read_volatile().wrapping_add(value)) };
            }
            WriteEffect::Increment { value, core: target, offset } => {
                core.send(Message { target: MessageTarget::Core(target), offset, effect: MessageEffect::Add(value) });
            }
            WriteEffect::IncrementMulticast { value, rectangle, offset } => {
                let target = MessageTarget::Rectangle { rectangle, excluded: Some(core.index) };
                core.send(Message { target, offset, effect: MessageEffect::Add(value) });
            }
        }
    }

    /// Completes the writes of a NoC, posted or not.
    #[inline]
    pub fn flush_writes(&mut self, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers.writes.retain(|write| write.noc != noc || write.posted != posted);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Completes the writes of a NoC that carry a transaction id.
    pub fn flush_writes_with_transaction(&mut self, noc: u8, transaction: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers.writes.retain(|write| write.noc != noc || write.transaction != transaction);
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Waits for the increments of a NoC.
    pub fn atomic_barrier(&mut self, noc: u8, line: i32) {
        self.check_noc(noc, line);
        self.execute_writes();
        self.transfers.atomics[noc as usize] = None;
        self.transfers.writes.retain(|write| {
            write.noc != noc || !matches!(write.effect, WriteEffect::Increment { .. } | WriteEffect::IncrementMulticast { .. })
        });
        self.transfers.executed = self.transfers.writes.len();
    }

    /// Checks a push against reads in flight.
    #[cold]
    pub(super) fn check_pushed_reads(&mut self, cb: u32, start: u32, bytes: u32, line: i32) {
        if let Some(read) = self.transfers.reads.iter().find(|read| overlap(start, bytes, read.destination, read.bytes)) {
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
            WriteEffect::Copy { source, bytes, .. } | WriteEffect::Multicast { source, bytes, .. } => Some((source, bytes)),
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
            let detail = format!("{} reads, the first of {} bytes issued at line {}", self.transfers.reads.len(), read.bytes, read.line);
            self.violation(&rules::NOC_READ_AT_END, read.line, detail);
        }
        let is_atomic =
            |write: &&Write| matches!(write.effect, WriteEffect::Increment { .. } | WriteEffect::IncrementMulticast { .. });
        if let Some(write) = self.transfers.writes.iter().find(|write| !is_atomic(write)) {
            let (issued, count) = (write.line, self.transfers.writes.iter().filter(|write| !is_atomic(write)).count());
            self.violation(&rules::NOC_WRITE_AT_END, issued, format!("{count} writes, the first issued at line {issued}"));
        }
        if let Some(issued) = self.transfers.atomics.iter().flatten().next().copied() {
            self.violation(&rules::NOC_ATOMIC_AT_END, issued, format!("the last was issued at line {issued}"));
        }
        if let Some((_, issued)) = self.transfers.linked.iter().flatten().next().copied() {
            self.violation(&rules::MULTICAST_LINKED, issued, format!("the kernel ended after the linked multicast of line {issued}"));
        }
        self.execute_writes();
        self.transfers.writes.clear();
        self.transfers.executed = 0;
    }
}
