//! Cases of data movement kernels.

mod interleaved;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case.
pub fn cases(_arch: ArchName) -> Vec<Case> {
    interleaved::cases()
}
