//! The address map of a device during a run: which core or bank a NoC coordinate names, where its memory lies, and which
//! DRAM ranges are live buffers.

use std::fmt;
use std::sync::Arc;

use crate::allowed::Allowed;
use crate::arch::{Arch, L1_SLOT_BYTES, NOC_COORDINATE_BITS, NOC_LOCAL_BITS};
use crate::engine::copying;
use crate::engine::counters::MAX_DRAM_BANKS;
use crate::engine::stores::StoreMap;

/// What a NoC coordinate names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A worker core, by its number in the grid.
    Core(u16),
    /// A DRAM bank.
    Dram(u16),
}

impl Node {
    /// The kind of memory in words.
    pub fn memory(self) -> &'static str {
        match self {
            Node::Core(_) => "L1",
            Node::Dram(_) => "DRAM",
        }
    }
}

/// Values of a NoC coordinate.
const COORDINATES: usize = 1 << NOC_COORDINATE_BITS;

/// Pairs of NoC coordinates.
const NODES: usize = COORDINATES * COORDINATES;

/// A coordinate of a NoC address, from the lowest: x and y, and in an address of a multicast behind those, which are of the end,
/// x and y of the start.
pub(crate) fn coordinate(address: u64, index: u32) -> u8 {
    let above = (address >> (NOC_LOCAL_BITS + index * NOC_COORDINATE_BITS)) as usize;
    (above & (COORDINATES - 1)) as u8
}

/// The local address in a NoC address.
pub(crate) fn local_address(address: u64) -> u64 {
    address & ((1 << NOC_LOCAL_BITS) - 1)
}

/// NoC coordinates of no core and no bank. A kernel may take the address of a page beyond its buffer as long as it does not
/// use it: such an address lies here, with the number of the page.
const BEYOND: u64 = NODES as u64 - 1;

/// The address of a page beyond its buffer.
pub(crate) fn address_beyond(page: u32) -> u64 {
    BEYOND << NOC_LOCAL_BITS | u64::from(page)
}

/// The page that an address of [`address_beyond`] is of.
pub(crate) fn page_beyond(address: u64) -> Option<u32> {
    (address >> NOC_LOCAL_BITS & BEYOND == BEYOND).then_some(address as u32)
}

/// A rectangle of virtual NoC coordinates, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    pub low: (u8, u8),
    pub high: (u8, u8),
}

impl fmt::Display for Rectangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rectangle ({},{}) to ({},{})",
            self.low.0, self.low.1, self.high.0, self.high.1
        )
    }
}

/// A live buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferRange {
    /// Address in every bank.
    pub base: u64,
    /// Bytes of a page as the host asked for.
    pub page_bytes: u32,
    /// Bytes from one page to the next in a bank.
    pub aligned_page_bytes: u32,
    /// Pages in all banks together.
    pub pages: u64,
    /// Bytes taken in every bank.
    pub bank_bytes: u64,
    /// Whether its pages go round all banks in turn.
    pub interleaved: bool,
}

/// Node of every pair of coordinates, by its place in NoC addresses.
pub(crate) struct Nodes([Option<Node>; NODES]);

impl Nodes {
    /// Those of a chip.
    pub fn of(arch: &Arch) -> Nodes {
        let mut nodes = [None; NODES];
        for y in 0..arch.grid.1 {
            for x in 0..arch.grid.0 {
                let (virtual_x, virtual_y) = arch.virtual_core(x, y);
                nodes[usize::from(virtual_y) * COORDINATES + usize::from(virtual_x)] =
                    Some(Node::Core((y * arch.grid.0 + x) as u16));
            }
        }
        for bank in 0..arch.dram_banks {
            nodes[bank * COORDINATES + usize::from(arch.dram_x)] = Some(Node::Dram(bank as u16));
        }
        Nodes(nodes)
    }
}

/// Banks among which the pages of a buffer go round.
struct Banks {
    count: u32,
    /// 2^64 by that number, rounded up: a division takes as long as the rest of what is done to find a page.
    reciprocal: u64,
}

impl Banks {
    fn new(count: usize) -> Banks {
        debug_assert!(count > 1, "pages do not go round one bank");
        Banks {
            count: count as u32,
            reciprocal: (1u128 << 64).div_ceil(count as u128) as u64,
        }
    }

    /// Row and bank of a page: exact for 32 bits and two banks or more, since what is rounded up adds less than 2^-32 of a row.
    #[inline]
    fn of(&self, page: u32) -> (u32, u32) {
        let row = ((u128::from(page) * u128::from(self.reciprocal)) >> 64) as u32;
        (row, page - row * self.count)
    }
}

/// Address map of a device.
pub(crate) struct Machine {
    pub arch: &'static Arch,
    nodes: Arc<Nodes>,
    l1: *mut u8,
    dram: [*mut u8; MAX_DRAM_BANKS],
    /// Among which pages go round, in L1 and in DRAM.
    banks: [Banks; 2],
    /// Live DRAM buffers by address.
    pub dram_buffers: Vec<BufferRange>,
    /// Live L1 buffers by address.
    pub l1_buffers: Vec<BufferRange>,
    /// Rules that may be broken.
    pub allowed: Allowed,
    /// Who stores what, where the launch says what it stores to.
    pub stores: StoreMap,
}

// SAFETY: the pointers are to memory that outlives the machine, as who made it says; accesses through them are ordered by the scheduler.
unsafe impl Send for Machine {}
// SAFETY: as above.
unsafe impl Sync for Machine {}

impl Machine {
    /// The map of a device of these nodes whose L1 and DRAM banks begin there.
    ///
    /// # Safety
    /// As long as the machine is there, so must be the memory that `arch` has for the L1 of all cores, one slot after the other,
    /// and for every bank from which a buffer is. Nobody else may use it meanwhile but in turn with the RISCs of a run.
    pub unsafe fn new(
        arch: &'static Arch,
        nodes: Arc<Nodes>,
        l1: *mut u8,
        dram: [*mut u8; MAX_DRAM_BANKS],
        dram_buffers: Vec<BufferRange>,
        l1_buffers: Vec<BufferRange>,
    ) -> Machine {
        Machine {
            arch,
            nodes,
            l1,
            dram,
            banks: [arch.cores(), arch.dram_banks].map(Banks::new),
            dram_buffers,
            l1_buffers,
            allowed: Allowed::default(),
            stores: StoreMap::default(),
        }
    }

    /// Node and offset of a NoC address.
    #[inline]
    pub fn resolve(&self, address: u64) -> Option<(Node, u64)> {
        let node = self.nodes.0[(address >> NOC_LOCAL_BITS) as usize % NODES]?;
        let local = local_address(address);
        Some(match node {
            Node::Core(_) => (node, local & (L1_SLOT_BYTES as u64 - 1)),
            Node::Dram(_) => (node, local),
        })
    }

    /// The NoC address of an offset in a node.
    pub fn address(&self, node: Node, offset: u64) -> u64 {
        let (x, y) = match node {
            Node::Core(core) => self
                .arch
                .virtual_core(core as usize % self.arch.grid.0, core as usize / self.arch.grid.0),
            Node::Dram(bank) => (self.arch.dram_x, bank as u8),
        };
        (u64::from(y) << NOC_COORDINATE_BITS | u64::from(x)) << NOC_LOCAL_BITS | offset
    }

    /// Host pointer to an offset in a node: to be used where the offset has been checked.
    #[inline]
    pub fn pointer(&self, node: Node, offset: u64) -> *mut u8 {
        match node {
            // All slots of the grid are one mapping.
            Node::Core(core) => self.l1.wrapping_add(core as usize * L1_SLOT_BYTES + offset as usize),
            Node::Dram(bank) => self.dram[bank as usize].wrapping_add(offset as usize),
        }
    }

    /// Copies to a node; to DRAM past the host's caches.
    ///
    /// # Safety
    /// The source must be readable and the target in bounds: of the L1 that a core has, or of a live buffer. Nobody may have a
    /// slice of the target.
    #[inline]
    pub unsafe fn copy(&self, node: Node, offset: u64, source: *const u8, bytes: usize) {
        let target = self.pointer(node, offset);
        // SAFETY: by the contract of the call. L1 and DRAM do not overlap, two places in L1 may: that copy is a move.
        unsafe {
            match node {
                Node::Core(_) => std::ptr::copy(source, target, bytes),
                Node::Dram(_) => copying::stream(source, target, bytes),
            }
        }
    }

    /// As [`copy`](Machine::copy), past the host's caches: to a core that reads it only when they have forgotten it.
    ///
    /// # Safety
    /// As for [`copy`](Machine::copy), and the source must not be in the L1 of that core.
    pub unsafe fn stream(&self, core: u16, offset: u64, source: *const u8, bytes: usize) {
        // SAFETY: by the contract of the call.
        unsafe { copying::stream(source, self.pointer(Node::Core(core), offset), bytes) };
    }

    /// Changes a word of a node.
    ///
    /// # Safety
    /// The word must be aligned, and else as for [`Machine::copy`].
    pub unsafe fn change_word(&self, node: Node, offset: u64, change: impl FnOnce(u32) -> u32) {
        let word = self.pointer(node, offset).cast::<u32>();
        // SAFETY: by the contract of the call.
        unsafe { word.write_volatile(change(word.read_volatile())) };
    }

    /// A word of a core's L1 as it is now.
    ///
    /// # Panics
    /// As indexing does, where there is no such word.
    pub fn word(&self, core: u16, offset: u32) -> u32 {
        let is_there = usize::from(core) < self.arch.cores() && offset as usize + 4 <= self.arch.l1_bytes;
        assert!(is_there && offset.is_multiple_of(4), "no word at L1 offset {offset:#x}");
        let word = self.pointer(Node::Core(core), offset.into()).cast::<u32>();
        // SAFETY: the word is aligned and lies in the L1 that the core has, which is there as who made this says.
        unsafe { word.read_volatile() }
    }

    /// Whether these virtual coordinates are a worker core's.
    pub fn is_worker(&self, (x, y): (u8, u8)) -> bool {
        matches!(
            self.nodes.0[usize::from(y) % COORDINATES * COORDINATES + usize::from(x) % COORDINATES],
            Some(Node::Core(_))
        )
    }

    /// Worker cores of a rectangle, row by row.
    pub fn cores_in(&self, rectangle: Rectangle) -> impl Iterator<Item = u16> + Clone + '_ {
        (rectangle.low.1..=rectangle.high.1).flat_map(move |y| {
            (rectangle.low.0..=rectangle.high.0).filter_map(move |x| {
                match self.nodes.0[usize::from(y) * COORDINATES + usize::from(x)] {
                    Some(Node::Core(core)) => Some(core),
                    _ => None,
                }
            })
        })
    }

    fn dram_buffer_at(&self, offset: u64) -> Option<&BufferRange> {
        let index = self
            .dram_buffers
            .partition_point(|buffer| buffer.base <= offset)
            .checked_sub(1)?;
        let buffer = &self.dram_buffers[index];
        (offset < buffer.base + buffer.bank_bytes).then_some(buffer)
    }

    /// Whether a place in the L1 of a core lies in a live buffer.
    pub fn is_in_l1_buffer(&self, offset: u64) -> bool {
        let after = self.l1_buffers.partition_point(|buffer| buffer.base <= offset);
        let before = after.checked_sub(1).and_then(|at| self.l1_buffers.get(at));
        before.is_some_and(|buffer| offset - buffer.base < buffer.bank_bytes)
    }

    /// Whether a range of a bank lies inside pages of one live buffer.
    #[inline]
    pub fn dram_range_is_live(&self, bank: u16, offset: u64, bytes: u32) -> bool {
        let Some(buffer) = self.dram_buffer_at(offset) else {
            return false;
        };
        let end = offset + u64::from(bytes).max(1) - 1 - buffer.base;
        if !buffer.interleaved {
            return end < buffer.bank_bytes;
        }
        let last = end / u64::from(buffer.aligned_page_bytes);
        last * self.arch.dram_banks as u64 + u64::from(bank) < buffer.pages
    }

    /// What is at an address of a bank, for a message.
    pub fn describe_dram(&self, bank: u16, offset: u64) -> String {
        match self.dram_buffer_at(offset) {
            Some(buffer) if !buffer.interleaved => {
                format!(
                    "the sharded buffer at {:#x} has {} bytes there",
                    buffer.base, buffer.bank_bytes
                )
            }
            Some(buffer) => {
                let row = (offset - buffer.base) / u64::from(buffer.aligned_page_bytes);
                let page = row * self.arch.dram_banks as u64 + u64::from(bank);
                format!(
                    "page {page} of the buffer at {:#x}, which has {} pages",
                    buffer.base, buffer.pages
                )
            }
            None => "no buffer is allocated there".to_owned(),
        }
    }

    /// The live interleaved buffer that starts at `base`.
    #[inline]
    pub fn buffer(&self, dram: bool, base: u64) -> Option<&BufferRange> {
        let buffers = if dram { &self.dram_buffers } else { &self.l1_buffers };
        let index = buffers.partition_point(|buffer| buffer.base < base);
        buffers
            .get(index)
            .filter(|buffer| buffer.base == base && buffer.interleaved)
    }

    /// Node and offset of a page of an interleaved buffer.
    #[inline]
    pub fn page(&self, dram: bool, base: u64, aligned_page_bytes: u32, page: u32) -> (Node, u64) {
        let (row, bank) = self.banks[usize::from(dram)].of(page);
        let offset = base + u64::from(row) * u64::from(aligned_page_bytes);
        (
            if dram {
                Node::Dram(bank as u16)
            } else {
                Node::Core(bank as u16)
            },
            offset,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_go_round_all_banks() {
        for count in 2..=256u32 {
            let banks = Banks::new(count as usize);
            let rows = [0, 1, 2, u32::MAX / count - 1, u32::MAX / count];
            let near = rows
                .iter()
                .flat_map(|row| (row * count).saturating_sub(1)..=(row * count).saturating_add(1));
            for page in near.chain([u32::MAX]) {
                assert_eq!(
                    banks.of(page),
                    (page / count, page % count),
                    "page {page} of {count} banks"
                );
            }
        }
    }
}
