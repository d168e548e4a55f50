//! Cases of compute kernels.

mod arrangement;
mod broadcasts;
mod elementwise;
mod functions;
mod matmul;
mod moreh;
mod normalization;
mod reduction;
mod rig;

use super::case::Case;
use tt_emulator::ArchName;

/// Every case.
pub fn cases(_arch: ArchName) -> Vec<Case> {
    [
        arrangement::cases(),
        broadcasts::cases(),
        elementwise::cases(),
        functions::cases(),
        matmul::cases(),
        moreh::cases(),
        normalization::cases(),
        reduction::cases(),
    ]
    .concat()
}
