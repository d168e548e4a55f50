//! The chips, as data. Nothing in the compiler branches on a chip's name.

/// What the compiler must know of a chip.
#[derive(Debug, Clone, Copy)]
pub struct Target {
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
}

/// Every chip a kernel is compiled for: its sources must keep the budgets of all of them.
pub const TARGETS: [Target; 2] = [
    Target {
        name: "wormhole_b0",
        l1_bytes: 1_463_968,
        circular_buffers: 32,
        dst_half_tiles: 8,
        runtime_args: 341,
    },
    Target {
        name: "blackhole",
        l1_bytes: 1_531_776,
        circular_buffers: 64,
        dst_half_tiles: 8,
        runtime_args: 341,
    },
];

/// The smallest budget over all chips.
pub fn least<T: Ord>(budget: impl Fn(&Target) -> T) -> T {
    TARGETS
        .iter()
        .map(budget)
        .min()
        .unwrap_or_else(|| unreachable!("TARGETS is not empty"))
}
