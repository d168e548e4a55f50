//! The emulated chips, as data.
//!
//! One row per architecture; nothing else in the crate knows a chip by name. Figures are those of TT-Metalium 0.81
//! (`hal`, `noc_parameters.h`, core descriptors) and of the public simulator.

use std::fmt;
use std::str::FromStr;

pub use crate::enumerations::ArchName;

/// Bytes of address space that a core's L1 takes in a NoC address.
pub const L1_SLOT_BYTES: usize = 2 << 20;

/// Bits of the local address in a NoC address; the coordinates of the node lie above.
pub const NOC_LOCAL_BITS: u32 = 36;

/// Bits of a coordinate in a NoC address.
pub const NOC_COORDINATE_BITS: u32 = 6;

/// Networks on chip.
pub const NOCS: usize = 2;

/// Semaphores of a core.
pub const SEMAPHORES: usize = 16;

/// Bytes between two semaphores of a core.
pub const SEMAPHORE_STRIDE: usize = 16;

/// Largest number of runtime argument words of one kernel, unique and common together.
pub const MAX_RUNTIME_ARGS: usize = 341;

/// Largest number of circular buffers of any architecture.
pub const MAX_CIRCULAR_BUFFERS: usize = 64;

/// Offset in L1 of the words that always hold zero.
pub const MEM_ZEROS_BASE: usize = 0x2000;

/// Bytes that always hold zero at [`MEM_ZEROS_BASE`].
pub const MEM_ZEROS_BYTES: usize = 512;

/// Offset in L1 of the first semaphore.
pub const SEMAPHORE_BASE: usize = 0x3000;

/// What an architecture offers to programs.
#[derive(Debug)]
pub struct Arch {
    /// Its name.
    pub name: ArchName,
    /// The name as Metalium prints it.
    pub text: &'static str,
    /// Preprocessor symbol that device code tests.
    pub define: &'static str,
    /// Columns and rows of the compute grid.
    pub grid: (usize, usize),
    /// Virtual NoC x coordinate of every logical column.
    pub virtual_x: &'static [u8],
    /// Virtual NoC y coordinate of logical row 0; rows follow without gaps.
    pub virtual_y0: u8,
    /// Virtual NoC x coordinate of all DRAM banks; bank b has y coordinate b.
    pub dram_x: u8,
    /// Bytes of L1 of a core.
    pub l1_bytes: usize,
    /// Bytes of L1 that circular buffers and L1 buffers may take; they end where L1 ends.
    pub l1_unreserved_bytes: usize,
    /// Circular buffers per core.
    pub circular_buffers: usize,
    /// DRAM banks.
    pub dram_banks: usize,
    /// Bytes of one DRAM bank.
    pub dram_bank_bytes: u64,
    /// Address of the first DRAM buffer.
    pub dram_base: u64,
    /// Alignment of DRAM reads and of DRAM pages.
    pub dram_read_alignment: usize,
    /// Alignment of DRAM writes.
    pub dram_write_alignment: usize,
    /// Alignment of L1 transfers and L1 pages.
    pub l1_alignment: usize,
    /// Largest transfer of one packet.
    pub noc_max_burst_bytes: usize,
    /// Clock of the cores in MHz.
    pub clock_mhz: u32,
    /// The matrix engine normalises a 32-bit sum of minus one unit in the last place wrongly.
    pub loses_minus_one: bool,
    /// Moves from destination registers into SrcB cut to the format that SrcA is set for, else to that of SrcB.
    pub moves_by_source_a: bool,
    /// `fast_tilize_block` goes through 16-bit registers even where they have 32; else it moves past the adder, cut to bf16
    /// or TF32.
    pub fast_tilize_is_narrow: bool,
}

/// Wormhole B0 with the 8 × 8 grid that every board has.
pub static WORMHOLE_B0: Arch = Arch {
    name: ArchName::WormholeB0,
    text: "wormhole_b0",
    define: "ARCH_WORMHOLE",
    grid: (8, 8),
    virtual_x: &[18, 19, 20, 21, 22, 23, 24, 25],
    virtual_y0: 18,
    dram_x: 48,
    l1_bytes: 1464 << 10,
    l1_unreserved_bytes: 1_463_968,
    circular_buffers: 32,
    dram_banks: 12,
    dram_bank_bytes: 1 << 30,
    dram_base: 1_048_640,
    dram_read_alignment: 32,
    dram_write_alignment: 16,
    l1_alignment: 16,
    noc_max_burst_bytes: 8192,
    clock_mhz: 1000,
    loses_minus_one: true,
    moves_by_source_a: true,
    fast_tilize_is_narrow: false,
};

/// Blackhole with the 13 × 10 grid of an unharvested chip.
pub static BLACKHOLE: Arch = Arch {
    name: ArchName::Blackhole,
    text: "blackhole",
    define: "ARCH_BLACKHOLE",
    grid: (13, 10),
    virtual_x: &[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15],
    virtual_y0: 2,
    dram_x: 48,
    l1_bytes: 1536 << 10,
    l1_unreserved_bytes: 1_531_776,
    circular_buffers: 64,
    dram_banks: 8,
    dram_bank_bytes: 0xFF00_0000,
    dram_base: 1_048_704,
    dram_read_alignment: 64,
    dram_write_alignment: 16,
    l1_alignment: 16,
    noc_max_burst_bytes: 16384,
    clock_mhz: 1350,
    loses_minus_one: false,
    moves_by_source_a: false,
    fast_tilize_is_narrow: true,
};

impl Arch {
    /// The row of `name`.
    pub fn of(name: ArchName) -> &'static Arch {
        match name {
            ArchName::WormholeB0 => &WORMHOLE_B0,
            ArchName::Blackhole => &BLACKHOLE,
        }
    }

    /// Number of worker cores.
    pub fn cores(&self) -> usize {
        self.grid.0 * self.grid.1
    }

    /// Offset in L1 of the first byte that circular buffers may take.
    pub fn l1_unreserved_base(&self) -> usize {
        self.l1_bytes - self.l1_unreserved_bytes
    }

    /// Whether programs may use these bytes of L1: those of buffers, the semaphores, and, to read, the zeros.
    #[inline]
    pub fn l1_is_usable(&self, offset: u64, bytes: u32, write: bool) -> bool {
        let end = offset + u64::from(bytes);
        if offset >= self.l1_unreserved_base() as u64 && end <= self.l1_bytes as u64 {
            return true;
        }
        let semaphores =
            offset >= SEMAPHORE_BASE as u64 && end <= (SEMAPHORE_BASE + SEMAPHORES * SEMAPHORE_STRIDE) as u64;
        let zeros = offset >= MEM_ZEROS_BASE as u64 && end <= (MEM_ZEROS_BASE + MEM_ZEROS_BYTES) as u64;
        semaphores || zeros && !write
    }

    /// What the allocator rounds pages of interleaved buffers up to.
    pub fn page_alignment(&self, dram: bool) -> u32 {
        if dram {
            self.dram_read_alignment as u32
        } else {
            self.l1_alignment as u32
        }
    }

    /// Virtual NoC coordinate of a logical worker core inside the grid.
    pub fn virtual_core(&self, x: usize, y: usize) -> (u8, u8) {
        (self.virtual_x[x], self.virtual_y0 + y as u8)
    }
}

impl ArchName {
    /// Every architecture.
    pub const ALL: [ArchName; 2] = [ArchName::WormholeB0, ArchName::Blackhole];

    /// The architecture of exactly this name.
    pub fn named(name: &str) -> Option<ArchName> {
        ArchName::ALL.into_iter().find(|arch| Arch::of(*arch).text == name)
    }
}

impl fmt::Display for ArchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Arch::of(*self).text)
    }
}

impl FromStr for ArchName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = if text == "wormhole" { WORMHOLE_B0.text } else { text };
        ArchName::named(known)
            .ok_or_else(|| format!("no architecture is called `{text}`: known are `wormhole_b0` and `blackhole`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::{FACE, SIDE, TILE};

    /// The emulator has the figures for itself: so that a wrong one of the compiler is seen, and so that what takes time needs no
    /// other crate. Both mean the same chips.
    #[test]
    fn the_chips_are_those_that_the_compiler_knows() {
        for (own, chip) in ArchName::ALL.into_iter().map(Arch::of).zip(tt_device::CHIPS) {
            assert_eq!(own.text, chip.name);
            assert_eq!(own.l1_unreserved_bytes as u64, chip.l1_bytes);
            assert_eq!(own.circular_buffers as u64, u64::from(chip.circular_buffers));
            assert_eq!(own.dram_read_alignment as u64, u64::from(chip.dram_read_alignment));
        }
        let of_every_chip = [tt_device::SEMAPHORES, tt_device::MAX_RUNTIME_ARGS];
        assert_eq!(
            [SEMAPHORES, MAX_RUNTIME_ARGS].map(|count| count as u64),
            of_every_chip.map(u64::from)
        );
        let tile = [tt_device::TILE_ELEMENTS, tt_device::FACE_ELEMENTS, tt_device::FACE_SIDE];
        assert_eq!([TILE, FACE, SIDE].map(|size| size as u64), tile.map(u64::from));
    }
}
