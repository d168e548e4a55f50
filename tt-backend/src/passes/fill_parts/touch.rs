//! What of blocks a statement reads and writes.

use crate::verify::range::{self, Range};
use std::collections::BTreeMap;
use tt_lang::ir::{
    BlockId, BoolExpr, Buffer, IntExpr, Kernel, Linear, Op, Place, PrintItem, Ranges, Span, Spanned, VarId,
};

/// Variables of loops that have one value.
pub type Known = BTreeMap<VarId, i64>;

/// Rows and columns; a block of one axis is a row.
pub type Part = [std::ops::Range<usize>; 2];

/// Elements of a block that are read or written.
pub struct Touch<'a> {
    /// Of which block.
    pub block: BlockId,
    /// Whether they are written.
    pub is_store: bool,
    /// Where it is said.
    pub span: Span,
    /// Which; all where there is nothing.
    at: Option<Places<'a>>,
}

/// An index for each axis, and those of the parallel loop that they are taken for.
type Places<'a> = (&'a [IntExpr], &'a Ranges);

/// Calls `visit` for what `op` reads and writes, in order.
pub fn of(op: &Op, visit: &mut dyn FnMut(Touch)) {
    let mut whole = |block: &Spanned<BlockId>, is_store: bool| {
        visit(Touch {
            block: block.value,
            is_store,
            span: block.span,
            at: None,
        });
    };
    match op {
        Op::Copy { src, dst } => {
            for (place, is_store) in [(src, false), (dst, true)] {
                if let Place::Block(block) = place {
                    whole(block, is_store);
                }
            }
        }
        Op::Fill { block, .. } => whole(block, true),
        Op::Gemm {
            a, b, acc, clear_accum, ..
        } => {
            for place in [a, b] {
                if let Place::Block(block) = place {
                    whole(block, false);
                }
            }
            if !clear_accum {
                whole(acc, false);
            }
            whole(acc, true);
        }
        Op::Parallel { indices, assigns } => {
            let ranges = Ranges::of(indices);
            for assign in assigns {
                ranges.loads(&assign.value, &mut |access, ranges| {
                    if let Buffer::Block(block) = access.buffer {
                        visit(Touch {
                            block,
                            is_store: false,
                            span: access.span,
                            at: Some((&access.indices, ranges)),
                        });
                    }
                });
                if let Buffer::Block(block) = assign.target.buffer {
                    visit(Touch {
                        block,
                        is_store: true,
                        span: assign.target.span,
                        at: Some((&assign.target.indices, &ranges)),
                    });
                }
            }
        }
        Op::Reduce { src, out, clear, .. } => {
            whole(src, false);
            if !clear {
                whole(out, false);
            }
            whole(out, true);
        }
        Op::ReduceArg {
            src, val, pos, clear, ..
        } => {
            whole(src, false);
            for out in val.iter().chain([pos]) {
                if !clear {
                    whole(out, false);
                }
                whole(out, true);
            }
        }
        Op::Transpose { src, dst } => {
            whole(src, false);
            whole(dst, true);
        }
        Op::Print { items } => {
            for item in items {
                if let PrintItem::Block { block, .. } = item {
                    whole(block, false);
                }
            }
        }
        Op::Fetch { .. } | Op::Assert { .. } => {}
    }
}

impl Touch<'_> {
    /// The elements, where they are known: exactly those that are written, at least those that are read.
    pub fn part(&self, kernel: &Kernel, known: &Known) -> Option<Part> {
        let mut part = whole(kernel, self.block);
        let Some((at, ranges)) = &self.at else {
            return Some(part);
        };
        let first_axis = part.len().saturating_sub(at.len());
        let mut counted = Vec::new();
        for (axis, index) in part.iter_mut().skip(first_axis).zip(*at) {
            let index = Linear::of(&integer(index, known));
            let between = |var| {
                let range = ranges.get(var);
                range.map_or(Range::ANY, |[least, greatest]| Range::new(least, greatest))
            };
            if self.is_store {
                // As many elements as the loop counts, each once.
                let is_one = |atom: &IntExpr| range::of_integer(atom, &between).exact().is_some();
                let varying: Vec<_> = index.terms.iter().filter(|(atom, _)| !is_one(atom)).collect();
                match varying.as_slice() {
                    [] => {}
                    [(IntExpr::Var(var), 1)] if ranges.get(*var).is_some() && !counted.contains(var) => {
                        counted.push(*var);
                    }
                    _ => return None,
                }
            }
            let inside = |value: i64| {
                usize::try_from(value.max(0))
                    .unwrap_or(usize::MAX)
                    .clamp(axis.start, axis.end)
            };
            let Range { low, high } = range::of_integer(&index.to_expr(), &between);
            *axis = inside(low)..inside(high.saturating_add(1));
        }
        Some(part)
    }
}

/// All elements of a block.
pub fn whole(kernel: &Kernel, block: BlockId) -> Part {
    let extent = |extent: &u64| 0..usize::try_from(*extent).unwrap_or(usize::MAX);
    match kernel.block(block).shape.as_slice() {
        [columns] => [0..1, extent(columns)],
        [.., rows, columns] => [extent(rows), extent(columns)],
        [] => [0..1, 0..1],
    }
}

/// `expr` with the values of what is known.
pub fn integer(expr: &IntExpr, known: &Known) -> IntExpr {
    expr.substitute(&|var| known.get(&var).copied().map(IntExpr::Const))
}

/// `cond` with the values of what is known.
pub fn condition(cond: &BoolExpr, known: &Known) -> BoolExpr {
    let mut cond = cond.clone();
    cond.integers_mut(&mut |value| *value = integer(value, known));
    cond
}
