//! multicast_reuse: operands that several cores read.
//!
//! Before: every core reads its own blocks. After: for every read of the reader, along which grid axes its region does not
//! change: cores that differ only along those read the same tiles. No transfer is changed yet: every core reads for
//! itself, which is right on any grid; what the pass finds is in the IR dump for those who choose blockings.
//!
//! ```text
//!  a_block ← a[by .., k ..] on a grid (bx, by)   ⟹   shared along bx
//! ```

use crate::device::{Node, Step};
use crate::flow::{BufferId, TileRegion};
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
pub fn run(kernel: &Kernel, reader: &[Node<Step>]) -> Vec<Shared> {
    let mut out = Vec::new();
    reads(reader, &mut |buffer, region| {
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
            out.push(Shared { buffer, along });
        }
    });
    out
}

fn reads(nodes: &[Node<Step>], visit: &mut impl FnMut(BufferId, &TileRegion)) {
    for node in nodes {
        match node {
            Node::Leaf(Step::Read(buffer, region)) => visit(*buffer, region),
            Node::Loop { body, .. } | Node::Tiles { body, .. } | Node::Scope(body) => reads(body, visit),
            Node::If { then, otherwise, .. } | Node::When { then, otherwise, .. } => {
                reads(then, visit);
                reads(otherwise, visit);
            }
            Node::Leaf(_) | Node::Source(_) => {}
        }
    }
}
