//! Cases of data movement kernels.

mod interleaved;
mod several_inputs;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case.
pub fn cases(_arch: ArchName) -> Vec<Case> {
    [interleaved::cases(), several_inputs::cases()].concat()
}
