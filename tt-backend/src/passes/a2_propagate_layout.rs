//! A2: the geometry of the circular buffers that blocks become: page size and depth.
//!
//! Before: layouts. After: every block has the bytes of a page (one tile of its format) and how many versions of it are to
//! be in flight: what `T.Pipelined` asks for around its copies, else two.
//!
//! ```text
//!  x: 128 × 64 bf16, copied under T.Pipelined(.., num_stages = 3)   ⟹   pages of 2048 B, 8 tiles, depth 3
//! ```

#![warn(clippy::arithmetic_side_effects)]

use super::a1_infer_layout::Layouts;
use tt_lang::ir::{Kernel, LoopKind, Place, Stmt, StmtKind};

/// How deep a buffer is where nothing asks for more: one version in use, one on its way.
pub const DEFAULT_DEPTH: u32 = 2;

/// The geometry of one block's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Tiles of one version.
    pub tiles: u32,
    /// Versions in flight, and whether the user asked for just that.
    pub depth: Depth,
}

/// Versions in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The default, which may be lowered to fit in L1.
    Default,
    /// As asked.
    Asked(u32),
}

impl Depth {
    /// How many versions.
    pub fn versions(self) -> u32 {
        match self {
            Depth::Default => DEFAULT_DEPTH,
            Depth::Asked(versions) => versions,
        }
    }
}

/// Runs the pass: by block.
pub fn run(kernel: &Kernel, layouts: &Layouts) -> Vec<Geometry> {
    let mut depths = vec![Depth::Default; kernel.blocks.len()];
    copies(&kernel.body, None, &mut depths);
    layouts
        .blocks
        .iter()
        .zip(depths)
        .map(|(layout, depth)| {
            let [rows, columns] = layout.tiles();
            Geometry {
                page_bytes: layout.format.tile_bytes(),
                tiles: rows.saturating_mul(columns),
                depth,
            }
        })
        .collect()
}

fn copies(body: &[Stmt], stages: Option<u32>, depths: &mut [Depth]) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Copy {
                src: Place::Tensor(_),
                dst: Place::Block(block),
            } => {
                if let Some(stages) = stages {
                    let depth = &mut depths[block.value.index()];
                    *depth = match *depth {
                        Depth::Asked(known) => Depth::Asked(known.max(stages)),
                        Depth::Default => Depth::Asked(stages),
                    };
                }
            }
            StmtKind::For { kind, body, .. } => {
                let stages = if let LoopKind::Pipelined(stages) = kind {
                    Some(*stages)
                } else {
                    stages
                };
                copies(body, stages, depths);
            }
            StmtKind::If { then, otherwise, .. } => {
                copies(then, stages, depths);
                copies(otherwise, stages, depths);
            }
            _ => {}
        }
    }
}
