//! Factors of gemms that are copies of blocks.

use crate::flow::{
    BlockOp, BlockStmt, Broadcast, BufferId, Buffers, Elementwise, Operand, Sees, Sights, Value, ValueKind,
};
use crate::ir::Kind;
use std::collections::BTreeSet;
use tt_device::elements_along;
use tt_lang::ir::Span;

/// A block, and what a gemm sees of it.
pub type Factor = (BufferId, Sees);

/// Makes a copy of a factor, which the gemm takes instead: the statement that copies it, as it is or transposed, to a block of its name and
/// `suffix`.
pub fn factor(
    (buffers, sights): (&mut Buffers, &mut Sights),
    (buffer, sees): Factor,
    broadcast: Broadcast,
    suffix: &str,
    span: Span,
) -> (BlockStmt, Factor) {
    let of = &buffers[buffer.0];
    let (name, format, [rows, columns]) = (format!("{}_{suffix}", of.name), of.format, of.tiles);
    let tiles = if broadcast == Broadcast::Transpose {
        [columns, rows]
    } else {
        [rows, columns]
    };
    let target = buffers.local(&name, span, format, tiles);
    let load = Operand {
        buffer,
        offset: [0, 0],
        broadcast,
        sees: Some(sees),
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
    let copy = BlockStmt::new(span, Kind::Op(BlockOp::Elementwise(copy)));
    (copy, (target, sights.sees(BTreeSet::from([defines]))))
}
