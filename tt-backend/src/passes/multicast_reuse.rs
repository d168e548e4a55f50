//! multicast_reuse: operands that several cores read.
//!
//! Before: every core reads its own blocks. After: for every read of the reader, along which grid axes its region does not
//! change: cores that differ only along those read the same tiles. No transfer is changed yet: every core reads for
//! itself, which is right on any grid; what the pass finds is in the IR dump for those who choose blockings.
//!
//! ```text
//!  a_block ← a[by .., k ..] on a grid (bx, by)   ⟹   shared along bx
//! ```

use crate::device::{Move, Moves};
use crate::flow::BufferId;
use crate::ir::{Stmt, operations};
use tt_lang::ir::{Kernel, VarId};

/// A read whose tiles several blocks of the grid share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The buffer read into.
    pub buffer: BufferId,
    /// The grid axes along which the region does not change.
    pub along: Vec<VarId>,
}

/// Runs the pass.
pub fn run(kernel: &Kernel, reader: &[Stmt<Moves>]) -> Vec<Shared> {
    let mut out = Vec::new();
    operations(reader, &mut |op| {
        let Move::Read(buffer, region) = op else { return };
        let along: Vec<VarId> = kernel
            .grid
            .axes
            .iter()
            .map(|(var, _)| *var)
            .filter(|var| {
                !region
                    .matrix
                    .iter()
                    .chain(&region.tile)
                    .any(|index| index.mentions(*var))
            })
            .collect();
        if !along.is_empty() {
            out.push(Shared { buffer: *buffer, along });
        }
    });
    out
}
