//! Rows, columns and elements of blocks that are named at run time lie inside of their blocks: what is not known to do so is
//! asserted before the statement, as `T.assert` is.
//!
//! ```text
//!  y[(i, j)] = x[(n, j)];   ⟹   assert n >= 0 && n < 64 as "n is a row of x, which has 64"
//!                                picked(64, 64) = pick row n of x
//! ```

use super::translate::Translate;
use crate::flow::{BlockOp, BlockStmt, Inspection, Pace};
use crate::ir::Kind;
use crate::verify::range::{self, LIMIT, Range};
use tt_lang::ir::{BlockId, BoolExpr, IntExpr, IntOp, Linear, Named, Span};

impl Translate<'_> {
    /// Asserts in `out` that the row and the column `at`, where they are given, are some of `block`.
    pub(super) fn assert_inside(
        &self,
        block: BlockId,
        at: &[Option<IntExpr>; 2],
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) {
        let extent = self.layouts.blocks[block.index()].extent;
        let of = self.kernel.block(block);
        for axis in 0..2 {
            let Some(index) = &at[axis] else { continue };
            let end = i64::try_from(extent[axis]).unwrap_or(i64::MAX);
            let Some(cond) = range::inside(index, self.range(index), end) else {
                continue;
            };
            let what = match (of.shape.len(), axis) {
                (1, _) => "an element",
                (_, 0) => "a row",
                _ => "a column",
            };
            let text = format!(
                "{} is {what} of {}, which has {end}",
                Named(self.kernel, index),
                of.name
            );
            assert_once(Inspection::Assertion { cond, text }, span, out);
        }
    }

    /// Asserts in `out` that so many rows (0) or columns (1) from `first` on are some of `block`, where that is not known.
    pub(super) fn assert_starts_inside(
        &self,
        block: BlockId,
        axis: usize,
        first: &IntExpr,
        count: u64,
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) {
        let Some(cond) = self.starts_inside(block, axis, first, count) else {
            return;
        };
        let what = if axis == 0 { "rows" } else { "columns" };
        let (first_name, name) = (Named(self.kernel, first), &self.kernel.block(block).name);
        let text = format!("the {what} from {first_name} on are some of {name}");
        assert_once(Inspection::Assertion { cond, text }, span, out);
    }

    /// Asserts in `out` that `count` rows at a pace from `first` on are some of `block`, where that is not known.
    pub(super) fn assert_paced_inside(
        &self,
        block: BlockId,
        (first, pace): (&IntExpr, Pace),
        count: u64,
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) {
        let whole = i64::try_from(self.layouts.blocks[block.index()].extent[0]).unwrap_or(i64::MAX);
        let last = i64::try_from(count).unwrap_or(i64::MAX).saturating_sub(1);
        let quotient = |way: i64| {
            let way = way.saturating_mul(i64::from(pace.step));
            let index = IntExpr::binary(IntOp::Add, first.clone(), IntExpr::Const(way));
            let index = Linear::of(&index).to_expr();
            IntExpr::binary(IntOp::Div, index, IntExpr::Const(i64::from(pace.over)))
        };
        // A remainder is never below 0, and below what it is of.
        let is_less = pace.modulo.is_some_and(|modulo| i64::from(modulo) <= whole);
        let ends = [0, last].into_iter().filter(|_| !is_less);
        for index in ends.map(quotient) {
            let Some(cond) = range::inside(&index, self.range(&index), whole) else {
                continue;
            };
            let name = &self.kernel.block(block).name;
            let text = format!("{} is a row of {name}, which has {whole}", Named(self.kernel, &index));
            assert_once(Inspection::Assertion { cond, text }, span, out);
        }
    }

    /// What has to hold for `count` rows or columns from `first` on to be some of a block; nothing where that is known.
    pub(super) fn starts_inside(&self, block: BlockId, axis: usize, first: &IntExpr, count: u64) -> Option<BoolExpr> {
        let whole = self.layouts.blocks[block.index()].extent[axis];
        match whole.checked_sub(count) {
            Some(last) => {
                let end = i64::try_from(last).unwrap_or(i64::MAX).saturating_add(1);
                range::inside(first, self.range(first), end)
            }
            None => Some(BoolExpr::Const(false)),
        }
    }

    /// Runs `translate` on a branch of a choice between elements, which may be of none.
    pub(super) fn chosen<R>(&mut self, translate: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.is_chosen, true);
        let result = translate(self);
        self.is_chosen = outer;
        result
    }

    /// What is known of `expr` before the launch.
    pub(super) fn range(&self, expr: &IntExpr) -> Range {
        range::of_integer(expr, &|var| {
            let end = self.ranges.iter().rev().find(|(known, _)| *known == var);
            let is_natural = self.signs.is_at_least(&IntExpr::Var(var), 0);
            Range {
                low: if is_natural { 0 } else { -LIMIT },
                high: end.map_or(LIMIT, |(_, end)| match self.range(end).high {
                    LIMIT => LIMIT,
                    end => end - 1,
                }),
            }
        })
    }
}

/// An assertion in `out`, where it does not stand there yet.
fn assert_once(assertion: Inspection, span: Span, out: &mut Vec<BlockStmt>) {
    let assertion = BlockStmt::new(span, Kind::Op(BlockOp::Inspect(assertion)));
    if !out.iter().any(|known| known.kind == assertion.kind) {
        out.push(assertion);
    }
}
