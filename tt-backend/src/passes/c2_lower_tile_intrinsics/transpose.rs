//! Transposed operands of gemms.

use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, BufferKind, Buffers, Elementwise, Flow, Gemm, Operand, ProductSees, Sights,
    Value, ValueKind,
};
use crate::ir::{Kind, operations, replaced};
use std::collections::BTreeSet;
use tt_device::elements_along;

/// Runs the step.
pub fn run(flow: &mut Flow<Blocks>) {
    // Right operands that come from a tensor and serve no other purpose are laid column by column.
    let mut uses: Vec<Vec<bool>> = vec![Vec::new(); flow.buffers.len()];
    count(&flow.body, &mut uses);
    for (buffer, uses) in flow.buffers.iter_mut().zip(&uses) {
        buffer.column_major =
            buffer.kind == BufferKind::Incoming && !uses.is_empty() && uses.iter().all(|right| *right);
    }
    let body = std::mem::take(&mut flow.body);
    flow.body = left(body, &mut flow.buffers, &mut flow.sights);
}

/// For every use of a buffer: whether it is as a transposed right operand.
fn count(body: &[BlockStmt], uses: &mut [Vec<bool>]) {
    operations(body, &mut |op| match op {
        BlockOp::Gemm(gemm) => {
            uses[gemm.a.0].push(false);
            uses[gemm.b.0].push(gemm.transpose_b);
        }
        BlockOp::Elementwise(elementwise) => elementwise
            .value
            .loads(&mut |operand, _| uses[operand.buffer.0].push(false)),
        BlockOp::Shift(shift) => uses[shift.from.0].push(false),
        BlockOp::Read(_) | BlockOp::Write(_) | BlockOp::Inspect(_) | BlockOp::Fetch(_) => {}
    });
}

/// Left operands get a transposed copy.
fn left(body: Vec<BlockStmt>, buffers: &mut Buffers, sights: &mut Sights) -> Vec<BlockStmt> {
    replaced(body, &mut |span, op| {
        let gemm = match op {
            BlockOp::Gemm(gemm) if gemm.transpose_a => gemm,
            op @ (BlockOp::Read(_)
            | BlockOp::Write(_)
            | BlockOp::Inspect(_)
            | BlockOp::Shift(_)
            | BlockOp::Fetch(_)
            | BlockOp::Elementwise(_)
            | BlockOp::Gemm(_)) => return vec![BlockStmt::new(span, Kind::Op(op))],
        };
        let name = format!("{}_t", buffers[gemm.a.0].name);
        let format = buffers[gemm.a.0].format;
        let target = buffers.local(&name, span, format, [gemm.m, gemm.k]);
        let load = Operand {
            buffer: gemm.a,
            offset: [0, 0],
            broadcast: Broadcast::Transpose,
            sees: Some(gemm.sees.a),
        };
        let defines = sights.define();
        let copy = Elementwise {
            target,
            defines,
            extent: [gemm.m, gemm.k].map(elements_along),
            compound: false,
            value: Value {
                kind: ValueKind::Load(load),
                span,
            },
        };
        let product = Gemm {
            a: target,
            sees: ProductSees {
                a: sights.sees(BTreeSet::from([defines])),
                ..gemm.sees
            },
            transpose_a: false,
            ..gemm
        };
        [BlockOp::Elementwise(copy), BlockOp::Gemm(product)]
            .map(|op| BlockStmt::new(span, Kind::Op(op)))
            .into()
    })
}
