//! The chips and their budgets, one row each. Nothing branches on a chip's name. What only one crate asks of a chip (the
//! geometry that the emulator emulates, the options of the device's compiler) stands there, beside the row of its name.

use std::fmt;
use std::str::FromStr;

/// The name of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArchName {
    /// Wormhole B0 (n150, n300, galaxy).
    WormholeB0,
    /// Blackhole (p100, p150).
    Blackhole,
}

/// What a chip offers to kernels.
#[derive(Debug, Clone, Copy)]
pub struct Chip {
    /// Its name, as in `tt.plan.json` and `TT_DEVICE`.
    pub name: &'static str,
    /// Bytes of L1 that circular buffers may take on a core: `get_max_worker_l1_unreserved_size` (metalium.md §9).
    pub l1_bytes: u64,
    /// Circular buffers of a core (metalium.md §5).
    pub circular_buffers: u32,
    /// 16-bit tiles in one half of the destination registers (metalium.md §2.2).
    pub dst_half_tiles: u32,
    /// Runtime argument words of one kernel (metalium.md §1.2).
    pub runtime_args: u32,
    /// What transfers from DRAM, and its pages, are aligned to (metalium.md §1.8).
    pub dram_read_alignment: u32,
}

/// Semaphores of a core, on every chip (metalium.md §1.6).
pub const SEMAPHORES: u32 = 16;

/// Runtime argument words of one kernel, unique and common together, on every chip (`max_runtime_args` of the host API).
pub const MAX_RUNTIME_ARGS: u32 = 341;

/// Wormhole B0.
pub const WORMHOLE_B0: Chip = Chip {
    name: "wormhole_b0",
    l1_bytes: 1_463_968,
    circular_buffers: 32,
    dst_half_tiles: 8,
    runtime_args: MAX_RUNTIME_ARGS,
    dram_read_alignment: 32,
};

/// Blackhole.
pub const BLACKHOLE: Chip = Chip {
    name: "blackhole",
    l1_bytes: 1_531_776,
    circular_buffers: 64,
    dst_half_tiles: 8,
    runtime_args: MAX_RUNTIME_ARGS,
    dram_read_alignment: 64,
};

/// Every chip a kernel is compiled for: its sources must keep the budgets of all of them.
pub const CHIPS: [Chip; 2] = [WORMHOLE_B0, BLACKHOLE];

impl ArchName {
    /// Every architecture.
    pub const ALL: [ArchName; 2] = [ArchName::WormholeB0, ArchName::Blackhole];

    /// The chip's row.
    pub fn chip(self) -> &'static Chip {
        match self {
            ArchName::WormholeB0 => &WORMHOLE_B0,
            ArchName::Blackhole => &BLACKHOLE,
        }
    }

    /// The architecture of exactly this name.
    pub fn named(name: &str) -> Option<ArchName> {
        ArchName::ALL.into_iter().find(|arch| arch.chip().name == name)
    }
}

impl fmt::Display for ArchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.chip().name)
    }
}

impl FromStr for ArchName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = if text == "wormhole" { WORMHOLE_B0.name } else { text };
        ArchName::named(known).ok_or_else(|| {
            let names = CHIPS.map(|chip| format!("`{}`", chip.name));
            format!("no architecture is called `{text}`: known are {}", names.join(" and "))
        })
    }
}
