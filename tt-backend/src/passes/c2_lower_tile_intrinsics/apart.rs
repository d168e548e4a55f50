//! Blocks that the FPU takes, and that are read otherwise too.

use super::copied;
use crate::flow::{Arg, BlockOp, BlockStmt, Blocks, Broadcast, BufferId, Flow, Operand, SectionOp, Sections};
use crate::ir::{Kind, operations, replaced};
use crate::tile_ops::TileOp;
use std::collections::BTreeSet;
use tt_plan::DataFormat;

/// The f32 blocks that sections load to the registers although they pass the FPU, `through_fpu`, and so are unpacked for it.
pub fn cut(made: &Flow<Sections>, through_fpu: &BTreeSet<BufferId>) -> BTreeSet<BufferId> {
    let mut out = BTreeSet::new();
    operations(&made.body, &mut |op| {
        if let SectionOp::Tile {
            op: TileOp::Load, args, ..
        } = op
            && let [Arg::Tile(Operand { buffer, .. })] = args.as_slice()
            && made.buffers[buffer.0].format == DataFormat::Float32
            && through_fpu.contains(buffer)
        {
            out.insert(*buffer);
        }
    });
    out
}

/// Makes copies of these blocks the factors of gemms.
pub fn factors(flow: &mut Flow<Blocks>, blocks: &BTreeSet<BufferId>) {
    let body = std::mem::take(&mut flow.body);
    let (buffers, sights) = (&mut flow.buffers, &mut flow.sights);
    flow.body = replaced(body, &mut |span, op| {
        let BlockOp::Gemm(mut gemm) = op else {
            return vec![BlockStmt::new(span, Kind::Op(op))];
        };
        let mut out = Vec::new();
        for (factor, sees) in [(&mut gemm.a, &mut gemm.sees.a), (&mut gemm.b, &mut gemm.sees.b)] {
            if blocks.contains(factor) {
                let of = (*factor, *sees);
                let (copy, copied) = copied::factor((&mut *buffers, &mut *sights), of, Broadcast::None, "factor", span);
                out.push(copy);
                (*factor, *sees) = copied;
            }
        }
        out.push(BlockStmt::new(span, Kind::Op(BlockOp::Gemm(gemm))));
        out
    });
}
