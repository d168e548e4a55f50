//! The network on chip as one RISC sees it: addresses, the checks on them, and issuing reads and writes.

use crate::arch::{L1_SLOT_BYTES, NOCS};
use crate::clock::Event;
use crate::compute::ahead::FEW;
use crate::rules;

use super::memory::machine::{Node, coordinate, page_beyond};
use super::risc::Risc;
use super::stores::Touch;
use super::transfers::{Read, Write, WriteEffect};

impl Risc {
    /// The L1 offset of a local address, after checking that it is this core's.
    #[inline]
    pub(super) fn local_offset(&mut self, address: u32, line: i32) -> u32 {
        let slot = address & !(L1_SLOT_BYTES as u32 - 1);
        let base = self.core.l1_base;
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
        self.core.l1_base + offset
    }

    #[inline]
    pub(super) fn check_l1(&mut self, offset: u64, bytes: u32, write: bool, line: i32) {
        if !self.arch.l1_is_usable(offset, bytes, write) {
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
        if usize::from(noc) >= NOCS {
            self.violation(&rules::NOC_INDEX, line, format!("NoC {noc}"));
        }
    }

    /// Core or bank and offset of a NoC address, after checking bounds.
    #[inline]
    pub(super) fn resolve(&mut self, address: u64, bytes: u32, write: bool, line: i32) -> (Node, u64) {
        let machine = &self.core.machine;
        let Some((node, offset)) = machine.resolve(address) else {
            if let Some(page) = page_beyond(address) {
                let detail = format!("page {page}, or near it, by an address taken of a buffer that has fewer pages");
                self.violation(&rules::NOC_PAGE_ID, line, detail);
            }
            let (x, y) = (coordinate(address, 0), coordinate(address, 1));
            self.violation(
                &rules::NOC_COORDINATE,
                line,
                format!("({x},{y}) in NoC address {address:#x}"),
            );
        };
        match node {
            Node::Core(_) => self.check_l1(offset, bytes, write, line),
            Node::Dram(bank) => {
                if !machine.dram_range_is_live(bank, offset, bytes) {
                    let detail = format!(
                        "{bytes} bytes at address {offset:#x} of DRAM bank {bank}: {}",
                        machine.describe_dram(bank, offset)
                    );
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
            let detail = format!(
                "{verb} {memory} address {remote:#x} with L1 address {local:#x}: they differ modulo {alignment}"
            );
            self.violation(&rules::NOC_ALIGNMENT, line, detail);
        }
    }

    /// Notes an increment on its way over a NoC, by its line, or that it has arrived.
    pub(super) fn note_atomic(&self, noc: u8, line: Option<i32>) {
        let mut atomics = self.progress.atomics.get();
        atomics[noc as usize] = line;
        self.progress.atomics.set(atomics);
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
        self.note_read(node, bytes, noc, false);
        self.touch(false, node, offset, bytes, line);
        self.issue_read(node, offset, destination, bytes, noc, line);
    }

    /// Notes a read for the clock; one of a page has its address to find.
    #[inline]
    pub(super) fn note_read(&mut self, from: Node, bytes: u32, noc: u8, is_page: bool) {
        let transaction = self.transfers.read_transaction[noc as usize];
        self.note(Event::Read {
            from,
            bytes,
            noc,
            transaction,
            is_page,
        });
    }

    /// Notes that a line stores to a bank or reads it.
    #[inline]
    pub(super) fn touch(&mut self, is_store: bool, node: Node, offset: u64, bytes: u32, line: i32) {
        let stores = &self.core.machine.stores;
        let Some(tensor) = stores.note(self.writer, is_store, node, offset, bytes) else {
            return;
        };
        let touch = Touch { tensor, is_store, line };
        if self.touched.last() != Some(&touch) && !self.touched.contains(&touch) {
            self.touched.push(touch);
        }
    }

    /// Issues a read whose remote side is already checked and noted.
    #[inline]
    pub(super) fn issue_read(&mut self, node: Node, offset: u64, destination: u32, bytes: u32, noc: u8, line: i32) {
        let destination = self.local_range(destination, bytes, true, line);
        self.check_alignment(offset, destination, node, false, line);
        self.counters.noc_read_bytes[noc as usize] += u64::from(bytes);
        if let Node::Dram(bank) = node {
            self.counters.dram_read_bytes[bank as usize] += u64::from(bytes);
        }
        let source = self.core.machine.pointer(node, offset).cast_const();
        self.core.to_fetch.fetch_lines(FEW);
        let transaction = self.transfers.read_transaction[noc as usize];
        let read = Read {
            source,
            destination,
            bytes,
            noc,
            transaction,
            has_arrived: self.core.is_early(),
            line,
        };
        if read.has_arrived {
            self.load(&read);
        }
        self.transfers.reads.push(read);
        self.pause();
    }

    /// Issues a write of `bytes` bytes from this core's L1 to a NoC address.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub fn noc_write(
        &mut self,
        source: u32,
        destination: u64,
        bytes: u32,
        noc: u8,
        posted: bool,
        transaction: u8,
        line: i32,
    ) {
        self.check_noc(noc, line);
        if bytes == 0 {
            return;
        }
        let (node, offset) = self.resolve(destination, bytes, true, line);
        self.note(Event::Write {
            to: node,
            bytes,
            noc,
            is_page: false,
        });
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
        self.touch(true, node, offset, bytes, line);
        self.core.to_fetch.fetch_lines(FEW);
        let effect = WriteEffect::Copy {
            source,
            node,
            offset,
            bytes,
        };
        self.issue(Write {
            effect,
            noc,
            posted,
            transaction,
            line,
        });
    }

    /// Issues the store of a word to a NoC address.
    pub fn noc_inline_write(&mut self, destination: u64, value: u32, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        let (node, offset) = self.resolve(destination, 4, true, line);
        if !offset.is_multiple_of(4) {
            self.violation(
                &rules::NOC_ALIGNMENT,
                line,
                format!("word written to address {offset:#x}, which is no multiple of 4"),
            );
        }
        self.counters.noc_write_bytes[noc as usize] += 4;
        self.touch(true, node, offset, 4, line);
        if let Node::Core(to) = node {
            let offset = offset as u32;
            self.note(Event::Signal { to, offset, noc });
        }
        let effect = WriteEffect::Word { value, node, offset };
        self.issue(Write {
            effect,
            noc,
            posted,
            transaction: 0,
            line,
        });
    }
}
