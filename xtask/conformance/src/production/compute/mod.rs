//! Cases of compute kernels.

mod arrangement;
mod elementwise;
mod matmul;
mod normalization;
mod reduction;
mod rig;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case.
pub fn cases(_arch: ArchName) -> Vec<Case> {
    [
        arrangement::cases(),
        elementwise::cases(),
        matmul::cases(),
        normalization::cases(),
        reduction::cases(),
    ]
    .concat()
}
