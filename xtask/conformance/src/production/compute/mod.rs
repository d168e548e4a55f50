//! Cases of compute kernels.

mod elementwise;
mod rig;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case.
pub fn cases(_arch: ArchName) -> Vec<Case> {
    elementwise::cases()
}
