//! Cases of data movement kernels.

mod beyond;
mod interleaved;
mod multicast;
mod rearranged;
mod several_inputs;
mod sharded;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case, for a chip.
pub fn cases(arch: ArchName) -> Vec<Case> {
    [
        interleaved::cases(),
        several_inputs::cases(),
        sharded::cases(arch),
        rearranged::cases(arch),
        beyond::cases(),
        multicast::cases(arch),
    ]
    .concat()
}
