//! Elements of blocks at other places than multiples of 32: the writer moves them, in L1, to a block of their own.
//!
//! ```text
//!  y[(i, j)] = x[(i + 1, j)];   ⟹   x_sent = x
//!                                    shift x_shifted from x_sent at (1, 0) to (0, 0) of 31 x 32 elements
//!                                    y(31, 32) = x_shifted
//!  y[(i, j)] = x[(31 - i, j)];  ⟹   shift x_shifted from x_sent at (31, 0) step -1 to (0, 0) of 32 x 32 elements
//! ```

use super::translate::{Refused, Translate, variable};
use crate::flow::{BlockOp, BlockStmt, Broadcast, BufferId, Elementwise, Pace, Shift, ValueKind, Window};
use crate::ir::Kind;
use tt_lang::ir::{BlockId, Buffer, IntExpr, IntOp, Span};

impl Translate<'_> {
    /// The elements of `block` from a row and a column on, with rows at a pace, as a block of `extent`. Those that there are not are
    /// anything: a choice takes others.
    pub(super) fn shifted(
        &mut self,
        block: BlockId,
        (mut from, pace): ([IntExpr; 2], Pace),
        extent: [u64; 2],
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) -> Result<BufferId, Refused> {
        self.of_shared_exponents(Buffer::Block(block), span)?;
        let (mut to, mut count) = ([0, 0].map(IntExpr::Const), extent.map(constant));
        for axis in 0..2 {
            if axis == 0 && pace != Pace::PLAIN {
                if !self.is_chosen {
                    self.assert_paced_inside(block, (&from[0], pace), extent[0], span, out);
                }
            } else if !self.is_chosen {
                self.assert_starts_inside(block, axis, &from[axis], extent[axis], span, out);
            } else if self.starts_inside(block, axis, &from[axis], extent[axis]).is_some() {
                let whole = self.layouts.blocks[block.index()].extent[axis];
                [from[axis], to[axis], count[axis]] = overlap(&from[axis], extent[axis], whole);
            }
        }
        let window = Window {
            from,
            to,
            extent: count,
            pace,
        };
        Ok(self.shift(variable(block), window, extent, span, out))
    }

    /// The elements of `part` at another row and column, in a block of `extent` of which the others are anything.
    pub(super) fn placed(
        &mut self,
        part: BufferId,
        window: ([IntExpr; 2], [u64; 2]),
        extent: [u64; 2],
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) -> BufferId {
        let from = [IntExpr::Const(0), IntExpr::Const(0)];
        let (to, of) = window;
        let window = Window {
            from,
            to,
            extent: of.map(constant),
            pace: Pace::PLAIN,
        };
        self.shift(part, window, extent, span, out)
    }

    fn shift(
        &mut self,
        source: BufferId,
        window: Window,
        extent: [u64; 2],
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) -> BufferId {
        let of = self.variables[source.0].clone();
        // What goes to the writer goes once for all that is read of it.
        let known = out.iter().find_map(|stmt| {
            let Kind::Op(BlockOp::Elementwise(Elementwise { target, value, .. })) = &stmt.kind else {
                return None;
            };
            let ValueKind::Load(load) = &value.kind else {
                return None;
            };
            let held = &self.variables[target.0];
            let is_whole = (load.buffer, load.offset, load.broadcast) == (source, [0, 0], Broadcast::None)
                && (held.extent, held.format) == (of.extent, of.format);
            is_whole.then_some(*target)
        });
        let sent = known.unwrap_or_else(|| {
            let sent = self.temporary(&of.name, "sent", span, of.format, of.extent);
            let kind = ValueKind::Load(self.operand(source, Broadcast::None, [0, 0]));
            self.computed_first(sent, of.extent, kind, span, out);
            sent
        });
        let buffer = self.temporary(&of.name, "shifted", span, of.format, extent);
        let shift = Shift {
            from: sent,
            sees: self.sights.unknown(),
            buffer,
            defines: self.sights.define(),
            window,
        };
        out.push(BlockStmt::new(span, Kind::Op(BlockOp::Shift(shift))));
        buffer
    }
}

fn constant(count: u64) -> IntExpr {
    IntExpr::Const(i64::try_from(count).unwrap_or(i64::MAX))
}

/// What `extent` elements from `first` on, of which not all need be there, have in common with the `whole` elements of a
/// block: the first in the block, the first of the `extent`, and how many. Where that is nothing, nothing is chosen of it, and
/// one element is as good as another.
fn overlap(first: &IntExpr, extent: u64, whole: u64) -> [IntExpr; 3] {
    let last = |count: u64| constant(count.saturating_sub(1));
    let of = |op, a: &IntExpr, b: &IntExpr| IntExpr::binary(op, a.clone(), b.clone());
    let zero = IntExpr::Const(0);
    let from = of(IntOp::Min, &of(IntOp::Max, first, &zero), &last(whole));
    let before = of(IntOp::Max, &of(IntOp::Sub, &zero, first), &zero);
    let to = of(IntOp::Min, &before, &last(extent));
    let [rest, there] = [(extent, &to), (whole, &from)].map(|(end, start)| of(IntOp::Sub, &constant(end), start));
    let count = of(IntOp::Min, &rest, &there);
    [from, to, count]
}
