//! A2: how deep the circular buffers of blocks are to be.
//!
//! Before: layouts (A1). After: every block says how many versions of it are to be in flight: what `T.Pipelined` asks for
//! around its copies, else the default.
//!
//! ```text
//!  x: 128 × 64 bf16, copied under T.Pipelined(.., num_stages = 3)   ⟹   depth 3
//! ```

use super::a1_infer_layout::{Laid, Layouts};
use crate::flow::Depth;
use crate::ir::Kind;
use crate::pipeline::Pass;
use crate::verify::tile::deep;
use tt_lang::ir::{For, Kernel, LoopKind, Op, Place, Stmt};

/// The pass.
pub const PASS: Pass<Laid, Laid> = Pass {
    name: "A2 propagate_layout",
    does: "depth of the circular buffer of every block",
    run: |mut unit| {
        run(&unit.kernel, &mut unit.layouts);
        Ok(unit)
    },
    check: deep,
};

/// Runs the pass.
pub fn run(kernel: &Kernel, layouts: &mut Layouts) {
    copies(&kernel.body, None, layouts);
}

fn copies(body: &[Stmt], stages: Option<u32>, layouts: &mut Layouts) {
    for stmt in body {
        let mut stages = stages;
        if let Kind::Loop(
            For {
                kind: LoopKind::Pipelined(own),
                ..
            },
            _,
        ) = &stmt.kind
        {
            stages = Some(*own);
        }
        if let Kind::Op(Op::Copy {
            src: Place::Tensor(_),
            dst: Place::Block(block),
        }) = &stmt.kind
            && let Some(stages) = stages
        {
            let depth = &mut layouts.blocks[block.value.index()].depth;
            *depth = match *depth {
                Depth::Asked(known) => Depth::Asked(known.max(stages)),
                Depth::Default => Depth::Asked(stages),
            };
        }
        stmt.bodies().for_each(|body| copies(body, stages, layouts));
    }
}
