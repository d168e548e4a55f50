//! Transposed operands of gemms.

use super::copied;
use crate::flow::{BlockOp, BlockStmt, Blocks, Broadcast, BufferKind, Buffers, Flow, Gemm, ProductSees, Sights};
use crate::ir::{Kind, operations, replaced};

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
        let of = (gemm.a, gemm.sees.a);
        let (copy, (a, sees)) = copied::factor((&mut *buffers, &mut *sights), of, Broadcast::Transpose, "t", span);
        let product = Gemm {
            a,
            sees: ProductSees { a: sees, ..gemm.sees },
            transpose_a: false,
            ..gemm
        };
        vec![copy, BlockStmt::new(span, Kind::Op(BlockOp::Gemm(product)))]
    })
}
