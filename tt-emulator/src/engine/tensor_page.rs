//! Transfers of whole pages of interleaved buffers, as tensor accessors make them.
//!
//! Here the buffer is known by its base address, so more can be checked than for a bare address: the page id, the page size
//! and the end of the page.

use crate::clock::Event;
use crate::rules;

use super::memory::machine::{Node, address_beyond};
use super::risc::Risc;

/// A tensor accessor as the device code describes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accessor {
    pub base: u64,
    /// Bytes of a page as the kernel says them.
    pub page_bytes: u32,
    pub dram: bool,
}

/// A buffer that an accessor was found to fit. Buffers stay as they are during a run.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    accessor: Accessor,
    pages: u64,
    aligned_page_bytes: u32,
    /// Nobody wants to know who touches it.
    is_unwatched: bool,
}

impl Accessor {
    /// The kind of memory in words.
    fn memory(self) -> &'static str {
        if self.dram { "DRAM" } else { "L1" }
    }
}

impl Risc {
    /// The buffer of an accessor, which is mostly that of the page before, or of the one before that.
    #[inline(always)]
    fn buffer_of(&mut self, accessor: Accessor, page: u32, line: i32) -> &Found {
        let is_of = |found: &Option<Found>| found.as_ref().is_some_and(|found| found.accessor == accessor);
        let at = match self.buffers.each_ref().map(is_of) {
            [true, _] => 0,
            [false, true] => 1,
            [false, false] => {
                let found = self.find_buffer(accessor, page, line);
                self.buffers = [Some(found), self.buffers[0].take()];
                0
            }
        };
        match &self.buffers[at] {
            Some(found) => found,
            None => unreachable!("it was found there"),
        }
    }

    /// Finds the buffer of an accessor, and checks the size of its pages.
    #[cold]
    fn find_buffer(&mut self, accessor: Accessor, page: u32, line: i32) -> Found {
        let machine = &self.core.machine;
        let memory = accessor.memory();
        let Some(buffer) = machine.buffer(accessor.dram, accessor.base) else {
            let rule = if accessor.dram {
                &rules::NOC_DRAM_BUFFER
            } else {
                &rules::NOC_L1_BOUNDS
            };
            self.violation(
                rule,
                line,
                format!(
                    "page {page}: no interleaved {memory} buffer starts at {:#x}",
                    accessor.base
                ),
            );
        };
        // As the device's own accessor of interleaved pages: it rounds what it is told up to the allocator's alignment, so
        // pages are found at the right places whether it is told their bytes or those from one to the next.
        let alignment = machine.arch.page_alignment(accessor.dram);
        let stride = accessor.page_bytes.checked_next_multiple_of(alignment);
        if stride != Some(buffer.aligned_page_bytes) {
            let detail = format!(
                "the accessor has pages of {} bytes, the {memory} buffer at {:#x} of {} ({} from one to the next)",
                accessor.page_bytes, accessor.base, buffer.page_bytes, buffer.aligned_page_bytes
            );
            self.violation(&rules::NOC_PAGE_SIZE, line, detail);
        }
        Found {
            accessor,
            pages: buffer.pages,
            aligned_page_bytes: buffer.aligned_page_bytes,
            is_unwatched: machine
                .stores
                .never_watches(accessor.dram, buffer.base..buffer.base + buffer.bank_bytes),
        }
    }

    /// Checks a page of an accessor and a range in it; gives its node and offset, and whether nobody wants to know who touches it.
    #[inline(always)]
    fn page(&mut self, accessor: Accessor, page: u32, offset: u32, bytes: u32, line: i32) -> (Node, u64, bool) {
        let &Found {
            pages,
            aligned_page_bytes,
            is_unwatched,
            ..
        } = self.buffer_of(accessor, page, line);
        if u64::from(page) >= pages {
            self.no_page(accessor, page, pages, line);
        }
        if u64::from(offset) + u64::from(bytes) > u64::from(aligned_page_bytes) {
            self.no_range(page, offset, bytes, aligned_page_bytes, line);
        }
        let machine = &self.core.machine;
        let (node, start) = machine.page(accessor.dram, accessor.base, aligned_page_bytes, page);
        (node, start + u64::from(offset), is_unwatched)
    }

    #[cold]
    fn no_page(&mut self, accessor: Accessor, page: u32, pages: u64, line: i32) -> ! {
        let (memory, base) = (accessor.memory(), accessor.base);
        let detail = format!("page {page} of the {memory} buffer at {base:#x}, which has {pages} pages");
        self.violation(&rules::NOC_PAGE_ID, line, detail)
    }

    #[cold]
    fn no_range(&mut self, page: u32, offset: u32, bytes: u32, of: u32, line: i32) -> ! {
        let detail = format!("{bytes} bytes from offset {offset} of page {page}, pages have {of}");
        self.violation(&rules::NOC_PAGE_RANGE, line, detail)
    }

    /// The NoC address of an offset in a page. One beyond the buffer has an address too, which no transfer may use.
    pub fn page_address(&mut self, accessor: Accessor, page: u32, offset: u32, line: i32) -> u64 {
        let pages = self
            .core
            .machine
            .buffer(accessor.dram, accessor.base)
            .map(|buffer| buffer.pages);
        if pages.is_some_and(|pages| u64::from(page) >= pages) {
            return address_beyond(page);
        }
        let (node, start, _) = self.page(accessor, page, offset, 0, line);
        self.core.machine.address(node, start)
    }

    /// Issues a read of a page, or of the rest of it from `offset`.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub fn read_page(
        &mut self,
        accessor: Accessor,
        page: u32,
        offset: u32,
        bytes: u32,
        destination: u32,
        noc: u8,
        line: i32,
    ) {
        self.check_noc(noc, line);
        let (node, start, is_unwatched) = self.page(accessor, page, offset, bytes, line);
        self.counters.pages_read += 1;
        self.note_read(node, bytes, noc, true);
        self.turns.note(accessor, page);
        if !is_unwatched {
            self.touch(false, node, start, bytes, line);
        }
        self.issue_read(node, start, destination, bytes, noc, line);
    }

    /// Issues a write of a page, or of a part of it.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub fn write_page(
        &mut self,
        accessor: Accessor,
        page: u32,
        offset: u32,
        bytes: u32,
        source: u32,
        noc: u8,
        posted: bool,
        line: i32,
    ) {
        self.check_noc(noc, line);
        let (node, start, _) = self.page(accessor, page, offset, bytes, line);
        self.counters.pages_written += 1;
        self.note(Event::Write {
            to: node,
            bytes,
            noc,
            is_page: true,
        });
        self.issue_write(source, node, start, bytes, noc, posted, 0, line);
    }
}
