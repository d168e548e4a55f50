//! What parallel loops store: to whole blocks, to parts of them, and to tensors.

#![warn(clippy::arithmetic_side_effects)]

use super::access::Classified;
use super::regions::{Purpose, integer};
use super::translate::{Refused, Translate, variable};
use crate::codes;
use crate::flow::{BlockOp, BlockStmt, Broadcast, Elementwise, Index, Pace, Pick, Value, ValueKind, Write};
use crate::ir::Kind;
use crate::passes::a1_infer_layout::BlockLayout;
use tt_device::{FACE_SIDE, are_whole_tiles, whole_tiles_along};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Assign, BlockId, Buffer, IntExpr, IntOp, Linear, VarId};

impl Translate<'_> {
    pub(super) fn assign(
        &mut self,
        indices: &[(VarId, u64)],
        assign: &Assign,
        out: &mut Vec<BlockStmt>,
    ) -> Result<(), Refused> {
        let result = self.result_of(indices, assign);
        // Loads come first: the tensors among them are read before the expression runs.
        let mut reads = Vec::new();
        let element = assign.target.buffer.element(self.kernel);
        let value = self.value(&assign.value, element, &result, &mut reads)?;
        let whole = |this: &Self| {
            let name = this.name_of(assign.target.buffer);
            let message = format!("this is no place of `{name}` that a parallel loop stores to");
            let note = "store at the loop's indices, plus what is the same for all elements: `x[(i + n, j)] = ..`, or to one row or column, `x[(k, j)] = ..`";
            Diagnostic::new(&codes::PLACE, assign.target.span, message).note(note)
        };
        let lies = match (self.place(&assign.target, &result), assign.target.buffer) {
            (Err(error), _) if error.code.number == tt_lang::codes::RESERVED.number => return Err(error),
            (Err(error), Buffer::Tensor(_)) => return Err(whole(self).note(error.message)),
            (lies, _) => lies.map_err(|_| whole(self))?,
        };
        if !lies.pace.is_of_steps() {
            return Err(whole(self).note(
                "what is divided is the same for several indices: store at a factor of one index, `x[(2 * i, j)]`",
            ));
        }
        let place = &lies.meets;
        let is_of_block = matches!(assign.target.buffer, Buffer::Block(_));
        if is_of_block && lies.pace != Pace::PLAIN {
            return Err(whole(self).note(
                "rows that are not next to each other are chosen: `x[(i, j)] = if i % 2 == 0 { y[(i / 2, j)] } else { x[(i, j)] }`",
            ));
        }
        if place.broadcast != Broadcast::None || place.crossed {
            return Err(whole(self));
        }
        out.append(&mut reads);
        match assign.target.buffer {
            Buffer::Block(block) => {
                let extent = self.layouts.blocks[block.index()].extent;
                let target = variable(block);
                let along = [0, 1].map(|axis| Along::of(place, axis, extent[axis], result.extent[axis]));
                let [Some(rows), Some(columns)] = along else {
                    return Err(whole(self));
                };
                if [&rows, &columns] != [&Along::All; 2] {
                    let along = [rows, columns];
                    // Those that share an exponent are together in parts of so many columns.
                    let are_alone = along.iter().any(|along| along.one().is_some())
                        || along[1] != Along::All && !result.extent[1].is_multiple_of(FACE_SIDE.into())
                        || assign.target.buffer.element(self.kernel).is_integer();
                    if are_alone {
                        self.of_lone_elements(assign.target.buffer, assign.target.span)?;
                    }
                    for (axis, along) in along.iter().enumerate() {
                        if let Along::At(start) = along {
                            self.of_shared_exponents(assign.target.buffer, assign.target.span)?;
                            self.assert_starts_inside(block, axis, start, result.extent[axis], assign.target.span, out);
                        }
                    }
                    let at = along.each_ref().map(Along::one);
                    self.assert_inside(block, &at, assign.target.span, out);
                    self.assign_part(block, along, value, result.extent, assign, out);
                    return Ok(());
                }
                let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
                    target,
                    defines: self.sights.define(),
                    extent,
                    value,
                    compound: assign.compound,
                }));
                out.push(BlockStmt::new(assign.span, kind));
            }
            Buffer::Tensor(tensor) => {
                let region =
                    self.tile_region(self.rectangle(tensor, &assign.target, &lies, result.extent, Purpose::Store))?;
                let target = self.direct(tensor, result.extent, assign.target.span);
                let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
                    target,
                    defines: self.sights.define(),
                    extent: result.extent,
                    value,
                    compound: assign.compound,
                }));
                out.push(BlockStmt::new(assign.span, kind));
                out.push(BlockStmt {
                    kind: Kind::Op(BlockOp::Write(Write {
                        buffer: target,
                        sees: self.sights.unknown(),
                        region,
                        stored: None,
                        after: None,
                    })),
                    note: assign.span,
                });
            }
        }
        Ok(())
    }

    /// A part of a block: what is stored there takes its place among the other elements.
    fn assign_part(
        &mut self,
        block: BlockId,
        along: [Along; 2],
        value: Value,
        extent: [u64; 2],
        assign: &Assign,
        out: &mut Vec<BlockStmt>,
    ) {
        let span = assign.span;
        let of = |kind| Value { kind, span };
        let computed = |this: &mut Self, out: &mut Vec<BlockStmt>, target, extent, value, compound| {
            let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
                target,
                defines: this.sights.define(),
                extent,
                value,
                compound,
            }));
            out.push(BlockStmt::new(span, kind));
        };
        let BlockLayout {
            format, extent: whole, ..
        } = self.layouts.blocks[block.index()];
        let part = self.temporary(&self.kernel.block(block).name, "part", span, format, extent);
        computed(self, out, part, extent, value, assign.compound);
        let broadcast = match &along {
            [Along::One(_), Along::One(_)] => Broadcast::Scalar,
            [Along::One(_), _] => Broadcast::Row,
            [_, Along::One(_)] => Broadcast::Column,
            [Along::All | Along::From(_) | Along::At(_), _] => Broadcast::None,
        };
        let start = |along: &Along| match along {
            Along::All | Along::One(_) => IntExpr::Const(0),
            Along::From(start) => integer(*start),
            Along::At(start) => start.clone(),
        };
        let starts = along.each_ref().map(start);
        let (part, offset) = match along.iter().any(|along| matches!(along, Along::At(_))) {
            true => {
                let mut placed = whole;
                for axis in (0..2).filter(|axis| along[*axis].one().is_some()) {
                    placed[axis] = extent[axis];
                }
                (self.placed(part, (starts.clone(), extent), placed, span, out), [0, 0])
            }
            false => {
                let tiles = |start: &IntExpr| tiles_from(start.as_const().unwrap_or_default().unsigned_abs());
                (part, starts.each_ref().map(|start| tiles(start).saturating_neg()))
            }
        };
        let stored = of(ValueKind::Load(self.operand(part, broadcast, offset)));
        let held = of(ValueKind::Load(self.operand(variable(block), Broadcast::None, [0, 0])));
        let at = along.each_ref().map(Along::one);
        let mut is_there = Pick { at, extent: whole }.is_there();
        for (axis, along) in along.iter().enumerate() {
            if let Along::From(_) | Along::At(_) = along {
                let start = &starts[axis];
                let end = IntExpr::binary(IntOp::Add, start.clone(), integer(extent[axis]));
                let first = (start.as_const() != Some(0)).then(|| before(axis, start).negated(1));
                let is_inner = end.as_const() != integer(whole[axis]).as_const();
                is_there.extend(first.into_iter().chain(is_inner.then(|| before(axis, &end))));
            }
        }
        let is_there = is_there.into_iter().map(|index| of(ValueKind::Negative(index)));
        let is_there = is_there.reduce(|a, b| of(ValueKind::And(Box::new(a), Box::new(b))));
        let value = match is_there {
            Some(is_there) => of(ValueKind::Select(Box::new(is_there), Box::new(stored), Box::new(held))),
            None => stored,
        };
        computed(self, out, variable(block), whole, value, false);
    }
}

/// What of a block is stored to along an axis.
#[derive(PartialEq)]
enum Along {
    All,
    /// One row or column.
    One(IntExpr),
    /// As many as the loop counts from here on, a multiple of 32.
    From(u64),
    /// As many as the loop counts from anywhere on.
    At(IntExpr),
}

impl Along {
    /// What a place says of an axis of so many elements, where the loop counts so many of them.
    fn of(place: &Classified, axis: usize, whole: u64, extent: u64) -> Option<Along> {
        let offset = &place.offset[axis];
        if extent == whole && *offset == Linear::default() {
            return Some(Along::All);
        }
        if place.uniform[axis] {
            return Some(Along::One(offset.to_expr()));
        }
        if !offset.terms.is_empty() {
            return (extent <= whole).then(|| Along::At(offset.to_expr()));
        }
        let start = u64::try_from(offset.constant).ok()?;
        let is_within = start.checked_add(extent).is_some_and(|end| end <= whole);
        is_within.then(|| match are_whole_tiles(start) {
            true => Along::From(start),
            false => Along::At(offset.to_expr()),
        })
    }

    /// The row or column, where it is one.
    fn one(&self) -> Option<IntExpr> {
        match self {
            Along::One(at) => Some(at.clone()),
            Along::All | Along::From(_) | Along::At(_) => None,
        }
    }
}

/// So many elements as tiles.
pub(super) fn tiles_from(elements: u64) -> i32 {
    i32::try_from(whole_tiles_along(elements)).unwrap_or(i32::MAX)
}

/// What is below zero before the row (0) or column (1) `end` of a block.
fn before(axis: usize, end: &IntExpr) -> Index {
    Index {
        row: i64::from(axis == 0),
        column: i64::from(axis == 1),
        rest: Linear::of(&IntExpr::binary(IntOp::Sub, IntExpr::Const(0), end.clone())).to_expr(),
    }
}
