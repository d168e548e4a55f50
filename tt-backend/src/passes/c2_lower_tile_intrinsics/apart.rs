//! Blocks that the FPU takes, and that are read otherwise too.

use crate::flow::{
    Arg, BlockOp, BlockStmt, Blocks, Broadcast, BufferId, Elementwise, Flow, Operand, SectionOp, Sections, Sees, Value,
    ValueKind,
};
use crate::ir::{Kind, operations, replaced};
use crate::tile_ops::TileOp;
use std::collections::BTreeSet;
use tt_device::elements_along;
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
        let mut copied = |factor: &mut BufferId, sees: &mut Sees| {
            if !blocks.contains(factor) {
                return;
            }
            let of = &buffers[factor.0];
            let (name, tiles) = (format!("{}_factor", of.name), of.tiles);
            let target = buffers.local(&name, span, DataFormat::Float32, tiles);
            let load = Operand {
                buffer: *factor,
                offset: [0, 0],
                broadcast: Broadcast::None,
                sees: Some(*sees),
            };
            let defines = sights.define();
            let copy = Elementwise {
                target,
                defines,
                extent: tiles.map(elements_along),
                compound: false,
                value: Value {
                    kind: ValueKind::Load(load),
                    span,
                },
            };
            out.push(BlockStmt::new(span, Kind::Op(BlockOp::Elementwise(copy))));
            (*factor, *sees) = (target, sights.sees(BTreeSet::from([defines])));
        };
        copied(&mut gemm.a, &mut gemm.sees.a);
        copied(&mut gemm.b, &mut gemm.sees.b);
        out.push(BlockStmt::new(span, Kind::Op(BlockOp::Gemm(gemm))));
        out
    });
}
