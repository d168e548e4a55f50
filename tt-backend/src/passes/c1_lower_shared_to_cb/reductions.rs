//! Reductions, to values and to positions.

use super::translate::{Refused, Translate, variable};
use crate::flow::{BlockOp, BlockStmt, Blocks, Broadcast, Elementwise, Fold, Index, Reduction, Value, ValueKind};
use crate::ir::Kind;
use crate::verify::{Fault, unproved};
use tt_lang::ir::{ArgOp, BlockId, CompareOp, ElementOp, ElementType, IntExpr, ReduceDim, ReduceOp, Span};
use tt_plan::{DataFormat, Number};

/// How a block is reduced to positions.
pub(super) struct ArgReduction<'a> {
    pub op: ArgOp,
    pub dim: ReduceDim,
    pub base: &'a IntExpr,
    pub clear: bool,
}

impl Translate<'_> {
    /// A block that becomes another reduced, folded with what it holds unless that is forgotten. What has to be computed before
    /// goes to `first`.
    pub(super) fn reduce(
        &mut self,
        (op, dim, clear): (ReduceOp, ReduceDim, bool),
        [src, out]: [BlockId; 2],
        span: Span,
        first: &mut Vec<BlockStmt>,
    ) -> Result<Kind<Blocks>, Refused> {
        let value = |kind| Value { kind, span };
        let call = |op, operands| value(ValueKind::Call(op, operands));
        let (fold, both, of_magnitudes) = match op {
            ReduceOp::Sum => (Fold::Sum, ElementOp::Add, false),
            ReduceOp::Mean => (Fold::Mean, ElementOp::Add, false),
            ReduceOp::Prod => (Fold::Product, ElementOp::Mul, false),
            ReduceOp::Max => (Fold::Max, ElementOp::Max, false),
            ReduceOp::Min => (Fold::Min, ElementOp::Min, false),
            ReduceOp::AbsMax => (Fold::Max, ElementOp::Max, true),
        };
        let reduction = Reduction {
            fold,
            along: along(dim),
            extent: self.extent(src),
        };
        let left = self.leaves(&reduction, out, span)?;
        let load = |this: &mut Self, of| value(ValueKind::Load(this.operand(of, Broadcast::None, [0, 0])));
        let mut of = load(self, variable(src));
        if of_magnitudes {
            of = call(ElementOp::Abs, vec![of]);
        }
        let reduced = ValueKind::Reduce(reduction, Box::new(of));
        let reduced = match (of_magnitudes, clear) {
            (true, true) => call(both, vec![value(reduced), number(0.0, span)]), // of nothing it is 0
            (true, false) => {
                // Of nothing it leaves what is there, whose sign may be lost otherwise.
                let name = &self.kernel.block(src).name;
                let most = self.temporary(name, "most", span, DataFormat::Float32, left);
                self.computed_first(most, left, reduced, span, first);
                let [most, again] = [(); 2].map(|()| load(self, most));
                let [before, kept] = [(); 2].map(|()| load(self, variable(out)));
                let is_none = ValueKind::Compare(CompareOp::Lt, Box::new(most), Box::new(number(0.0, span)));
                let more = call(both, vec![call(ElementOp::Abs, vec![before]), again]);
                value(ValueKind::Select(
                    Box::new(value(is_none)),
                    Box::new(kept),
                    Box::new(more),
                ))
            }
            (false, true) => value(reduced),
            (false, false) => {
                let before = load(self, variable(out));
                call(both, vec![before, value(reduced)])
            }
        };
        Ok(self.computed(out, reduced))
    }

    /// Whether a reduction leaves what `out` has room for.
    fn leaves(&self, reduction: &Reduction, out: BlockId, span: Span) -> Result<[u64; 2], Refused> {
        let left = [0, 1].map(|axis| {
            if reduction.along[axis] {
                1
            } else {
                reduction.extent[axis]
            }
        });
        if self.extent(out) != left {
            let [rows, columns] = self.extent(out);
            let reason = format!(
                "a reduction leaves {} × {}, and goes to {rows} × {columns}",
                left[0], left[1]
            );
            return Err(unproved(span, &Fault(reason)));
        }
        Ok(left)
    }

    /// The extremes of a block, the first index of each within the block, and what `val` and `pos` become of the two: positions
    /// are numbers until the end, exact since no block has 2²⁴ rows or columns, and become integers before the base is added.
    pub(super) fn reduce_arg(
        &mut self,
        arg: &ArgReduction<'_>,
        src: BlockId,
        (val, pos): (Option<BlockId>, BlockId),
        span: Span,
    ) -> Result<Vec<Kind<Blocks>>, Refused> {
        let value = |kind| Value { kind, span };
        let (fold, both, exceeds) = match arg.op {
            ArgOp::Max => (Fold::Max, ElementOp::Max, CompareOp::Gt),
            ArgOp::Min => (Fold::Min, ElementOp::Min, CompareOp::Lt),
        };
        let extremes = Reduction {
            fold,
            along: along(arg.dim),
            extent: self.extent(src),
        };
        let left = self.leaves(&extremes, pos, span)?;
        if let Some(out) = val {
            self.leaves(&extremes, out, span)?;
        }
        let (row, column, spread) = match arg.dim {
            ReduceDim::Columns => (1, 0, Broadcast::Row),
            ReduceDim::Rows | ReduceDim::All => (0, 1, Broadcast::Column),
        };
        let [best, first] = ["best", "first"].map(|name| {
            let of = self.kernel.block(src);
            self.temporary(&of.name, name, of.span, DataFormat::Float32, left)
        });
        let load = |this: &mut Self, buffer, broadcast| value(ValueKind::Load(this.operand(buffer, broadcast, [0, 0])));
        let mut out = Vec::new();
        let mut computed = |this: &mut Self, target, value| {
            out.push(Kind::Op(BlockOp::Elementwise(Elementwise {
                target,
                defines: this.sights.define(),
                extent: left,
                value,
                compound: false,
            })));
        };

        let of = Box::new(load(self, variable(src), Broadcast::None));
        computed(self, best, value(ValueKind::Reduce(extremes, of)));

        let [element, extreme] =
            [(variable(src), Broadcast::None), (best, spread)].map(|(of, how)| load(self, of, how));
        let hit = value(ValueKind::Compare(CompareOp::Eq, Box::new(element), Box::new(extreme)));
        let index = value(ValueKind::Index(Index {
            row,
            column,
            rest: IntExpr::Const(0),
        }));
        let nowhere = number(Fold::Min.neutral(), span);
        let place = ValueKind::Select(Box::new(hit), Box::new(index), Box::new(nowhere.clone()));
        let earliest = Reduction {
            fold: Fold::Min,
            ..extremes
        };
        computed(self, first, value(ValueKind::Reduce(earliest, Box::new(value(place)))));

        let mut place = load(self, first, Broadcast::None);
        if arg.clear {
            // Of nothing it is 0.
            let found = ValueKind::Compare(CompareOp::Lt, Box::new(place.clone()), Box::new(nowhere));
            let again = load(self, first, Broadcast::None);
            place = value(ValueKind::Select(
                Box::new(value(found)),
                Box::new(again),
                Box::new(number(0.0, span)),
            ));
        }
        place = value(ValueKind::Cast(ElementType::I32, Box::new(place)));
        if *arg.base != IntExpr::Const(0) {
            let base = value(ValueKind::Integer(Index {
                row: 0,
                column: 0,
                rest: arg.base.clone(),
            }));
            place = value(ValueKind::Call(ElementOp::Add, vec![place, base]));
        }
        if let Some(val) = val {
            let mut extreme = load(self, best, Broadcast::None);
            if !arg.clear {
                let held = [(); 2].map(|()| load(self, variable(val), Broadcast::None));
                let [compared, kept] = held;
                let exceeds = ValueKind::Compare(exceeds, Box::new(extreme.clone()), Box::new(compared));
                let before = load(self, variable(pos), Broadcast::None);
                place = value(ValueKind::Select(
                    Box::new(value(exceeds)),
                    Box::new(place),
                    Box::new(before),
                ));
                let again = load(self, best, Broadcast::None);
                extreme = value(ValueKind::Call(both, vec![kept, again]));
            }
            computed(self, variable(pos), place);
            computed(self, variable(val), extreme);
        } else {
            computed(self, variable(pos), place);
        }
        Ok(out)
    }
}

/// Whether columns, and rows, become one element.
fn along(dim: ReduceDim) -> [bool; 2] {
    match dim {
        ReduceDim::Columns => [true, false],
        ReduceDim::Rows => [false, true],
        ReduceDim::All => [true, true],
    }
}

/// A number as a value.
fn number(number: f32, span: Span) -> Value {
    Value {
        kind: ValueKind::Number(Number::constant(number)),
        span,
    }
}
