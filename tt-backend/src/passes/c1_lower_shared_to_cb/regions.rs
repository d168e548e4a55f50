//! Regions of tensors in tiles, and what can be known of them before the launch.

#![warn(clippy::arithmetic_side_effects)]

use super::translate::{Refused, Translate};
use crate::codes;
use crate::flow::{Pace, Rows, TensorIndex, TileRegion, Transfer};
use crate::linear::lower_bound;
use crate::passes::a1_infer_layout::tiles;
use crate::verify::{Fault, unproved};
use tt_device::{FACE_SIDE, TILE, are_whole_tiles};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{IntExpr, IntOp, Linear, ParamId, Region, Span};
use tt_plan::DataFormat;

/// A rectangle of a tensor that a statement reads or stores, in elements.
pub(super) struct Rectangle {
    pub tensor: ParamId,
    /// An index along every leading axis; what stands along one that rows go along is not looked at.
    pub matrix: Vec<IntExpr>,
    /// The first row and column.
    pub first: [(IntExpr, Span); 2],
    pub extent: [u64; 2],
    /// How many rows and columns there are, where these may be fewer.
    pub count: [Option<IntExpr>; 2],
    /// How rows follow each other.
    pub pace: Pace,
    /// The leading axis that rows go along, and the row of all its matrices.
    pub along: Option<(usize, IntExpr)>,
    pub span: Span,
    pub purpose: Purpose,
}

/// What a rectangle of a tensor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Operands of an element expression, which knows how many there are of them.
    Operand,
    /// The contents of a block.
    Contents,
    /// A store.
    Store,
}

impl Translate<'_> {
    /// A region of a tensor for a copy of a block of this extent.
    pub(super) fn region(&self, region: &Region, extent: [u64; 2], purpose: Purpose) -> Result<TileRegion, Refused> {
        let name = self.kernel.params[region.tensor.index()].name();
        let last = region.axes.len().saturating_sub(1);
        let leading = last.saturating_sub(1);
        let Some((rows, columns)) = region.rows_and_columns() else {
            let extents: Vec<String> = region.extents().iter().map(u64::to_string).collect();
            let reason = format!("a region of `{name}` is {}", extents.join(" × "));
            return Err(unproved(region.span, &Fault(reason)));
        };
        if columns != last {
            let message =
                format!("the columns of this region lie along axis {columns} of `{name}`, not along its last");
            return Err(Diagnostic::new(&codes::UNALIGNED, region.axes[columns].offset.span, message)
                .note("every element would be a transfer of its own, of 16 bytes for 2")
                .note(format!(
                    "let axis {columns} be the last of `{name}`; or copy a block of the axes {columns} and {last}, and `T.transpose` it"
                )));
        }
        let given = [
            rows.map_or(1, |rows| region.axes[rows].extent),
            region.axes[columns].extent,
        ];
        // orient_vectors has laid blocks of one column or one row as their regions lie.
        if given != extent {
            let reason = format!(
                "a region has {} × {} elements, its block {} × {}",
                given[0], given[1], extent[0], extent[1]
            );
            return Err(unproved(region.span, &Fault(reason)));
        }
        let first = |axis: usize| {
            let offset = &region.axes[axis].offset;
            (offset.value.clone(), offset.span)
        };
        let offset = |axis: usize| region.axes[axis].offset.value.clone();
        self.tile_region(Rectangle {
            tensor: region.tensor,
            matrix: (0..leading).map(offset).collect(),
            first: [rows.map_or((IntExpr::Const(0), region.span), first), first(columns)],
            extent,
            count: [rows, Some(columns)].map(|axis| region.axes[axis?].count.clone()),
            pace: Pace::by(rows.map_or(1, |rows| i32::try_from(region.axes[rows].step).unwrap_or(i32::MAX))),
            along: rows.filter(|rows| *rows < leading).map(|rows| (rows, offset(leading))),
            span: region.span,
            purpose,
        })
    }

    /// How a rectangle is moved: in whole tiles where it begins and ends with tiles whatever the values at launch, otherwise in
    /// rows.
    pub(super) fn tile_region(&self, rectangle: Rectangle) -> Result<TileRegion, Refused> {
        let (tensor, extent) = (rectangle.tensor, rectangle.extent);
        let starts = rectangle.first.each_ref().map(|(offset, _)| Linear::of(offset));
        let whole = [0, 1].map(|axis| self.extent_along(tensor, axis, &rectangle.along));
        // A part of a tile that ends with the tensor is the tensor's last.
        let ends_with_tiles = |axis: usize| {
            are_whole_tiles(extent[axis])
                || rectangle.purpose == Purpose::Operand
                || whole[axis].as_const() == i64::try_from(extent[axis]).ok() && starts[axis] == Linear::default()
        };
        let in_pages = rectangle.pace == Pace::PLAIN
            && rectangle.along.is_none()
            && rectangle.count.iter().all(Option::is_none)
            && (0..2).all(|axis| starts[axis].is_multiple_of(TILE) && ends_with_tiles(axis));
        let tile = starts.each_ref().map(|start| start.divided_by(TILE));
        let (transfer, may_precede, may_exceed, zero_edge) = match tile {
            [Some(rows), Some(columns)] if in_pages => {
                let tile = [rows.to_expr(), columns.to_expr()];
                let may_precede = tile.each_ref().map(|tile| !self.signs.is_at_least(tile, 0));
                let within = |axis: usize, start| self.within(start, u64::from(tiles(extent)[axis]), &whole[axis]);
                let may_exceed = [!within(0, &rows), !within(1, &columns)];
                let zero_edge = whole
                    .each_ref()
                    .map(|whole| whole.as_const().is_none_or(|extent| extent % TILE != 0));
                (Transfer::Pages(tile), may_precede, may_exceed, zero_edge)
            }
            _ => {
                self.in_whole_tiles(&rectangle)?;
                let transfer = self.rows(&rectangle, starts.each_ref());
                let pace = [rectangle.pace, Pace::PLAIN];
                // What the first of all rows, or columns, is over the first one.
                let ways = [0, 1].map(|axis| {
                    let length = i64::try_from(extent[axis]).unwrap_or(i64::MAX).saturating_sub(1);
                    length.saturating_mul(i64::from(pace[axis].step))
                });
                let may_precede = [0, 1].map(|axis| {
                    let back = IntExpr::Const(ways[axis].min(0));
                    let least = IntExpr::binary(IntOp::Add, transfer.first[axis].clone(), back);
                    !self.signs.is_at_least(&Linear::of(&least).to_expr(), 0)
                });
                let reaches = |axis: usize| {
                    let Pace { over, modulo, .. } = pace[axis];
                    if modulo.is_some_and(|modulo| self.signs.is_at_least(&whole[axis], i64::from(modulo))) {
                        return Some(false);
                    }
                    let first = starts[axis].terms.is_empty().then_some(starts[axis].constant)?;
                    let last = first.checked_add(ways[axis].max(0))?.checked_div(i64::from(over))?;
                    Some(!self.signs.is_at_least(&whole[axis], last.checked_add(1)?))
                };
                let may_exceed = [0, 1].map(|axis| reaches(axis).unwrap_or(true));
                // Rows are zero wherever the tensor has none, in the last columns there are whole faces.
                let is_part = rectangle.count[1].is_some() || !are_whole_tiles(extent[1]);
                let zero_edge = [false, may_precede[1] || may_exceed[1] || is_part];
                (Transfer::Rows(transfer), may_precede, may_exceed, zero_edge)
            }
        };
        let mut matrix = self.indices(tensor, &rectangle.matrix);
        if let Some((axis, _)) = rectangle.along {
            matrix[axis] = TensorIndex {
                at: IntExpr::Const(0),
                may_miss: false,
            };
        }
        Ok(TileRegion {
            tensor,
            matrix,
            transfer,
            extent,
            may_exceed,
            may_precede,
            zero_edge,
        })
    }

    /// Refuses a part of a tile of elements that share exponents, which lie apart from them.
    fn in_whole_tiles(&self, rectangle: &Rectangle) -> Result<(), Refused> {
        let Some(tensor) = self.kernel.tensor(rectangle.tensor) else {
            return Ok(());
        };
        let element = tensor.element.value;
        if !DataFormat::of(element).shares_exponents() {
            return Ok(());
        }
        let name = self.kernel.params[rectangle.tensor.index()].name();
        let message = format!(
            "a region of `{name}` begins or ends within tiles of `{}`",
            element.name()
        );
        Err(Diagnostic::new(&codes::PART_OF_TILE, rectangle.span, message)
            .note("rows of 16 elements share an exponent, which lies elsewhere")
            .note("begin at multiples of 32, and end there or with the tensor"))
    }

    /// A rectangle moved in rows of 16 elements.
    fn rows(&self, rectangle: &Rectangle, starts: [&Linear; 2]) -> Rows {
        let (tensor, extent, count) = (rectangle.tensor, rectangle.extent, &rectangle.count);
        let whole = self.extent_along(tensor, 1, &None);
        let ends =
            Linear::of(&IntExpr::binary(IntOp::Add, starts[1].to_expr(), integer(extent[1]))) == Linear::of(&whole);
        let is_store = rectangle.purpose == Purpose::Store;
        // Beyond whole tiles nothing is moved; within the last one, what the block has not must not be.
        let count = [0, 1].map(|axis| match &count[axis] {
            Some(count) if are_whole_tiles(extent[axis]) => count.clone(),
            Some(count) => IntExpr::binary(IntOp::Min, count.clone(), integer(extent[axis])),
            // What a piece has past the end of the tensor is nobody's.
            None if axis == 1 && is_store && ends => integer(extent[1].next_multiple_of(FACE_SIDE.into())),
            None => integer(extent[axis]),
        });
        Rows {
            first: starts.map(Linear::to_expr),
            count,
            pace: rectangle.pace,
            along: rectangle.along.clone(),
        }
    }

    /// The extent of a tensor along its rows (0), which may go along a leading axis, or columns (1).
    pub(super) fn extent_along(&self, tensor: ParamId, axis: usize, along: &Option<(usize, IntExpr)>) -> IntExpr {
        match (along, self.kernel.tensor(tensor)) {
            (Some((leading, _)), Some(of)) if axis == 0 => of.extents[*leading].value.clone(),
            _ => self.tensor_extent(tensor, axis),
        }
    }

    /// These indices along the first axes of a tensor.
    pub(super) fn indices(&self, tensor: ParamId, indices: &[IntExpr]) -> Vec<TensorIndex> {
        let index = |(axis, index): (usize, &IntExpr)| TensorIndex {
            at: index.clone(),
            may_miss: !self.selects(tensor, axis, index),
        };
        indices.iter().enumerate().map(index).collect()
    }

    /// Whether `index` is always one of the tensor's along the leading axis `axis`.
    fn selects(&self, tensor: ParamId, axis: usize, index: &IntExpr) -> bool {
        let Some(extent) = self.kernel.tensor(tensor).and_then(|tensor| tensor.extents.get(axis)) else {
            return false;
        };
        match index {
            // An extent is at least 1.
            IntExpr::Const(index) => (0..lower_bound(&extent.value).unwrap_or(0)).contains(index),
            IntExpr::Var(_) if !self.signs.is_at_least(index, 0) => false,
            IntExpr::Var(var) => self
                .ranges
                .iter()
                .rev()
                .find(|(known, _)| known == var)
                .is_some_and(|(_, end)| {
                    *end == extent.value
                        || end
                            .as_const()
                            .zip(extent.value.as_const())
                            .is_some_and(|(end, extent)| end <= extent)
                }),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => false,
        }
    }

    /// The extent of a tensor along its rows (0) or columns (1).
    pub(super) fn tensor_extent(&self, tensor: ParamId, axis: usize) -> IntExpr {
        let Some(tensor) = self.kernel.tensor(tensor) else {
            return IntExpr::Const(1);
        };
        let counted = tensor.extents.iter().rev().nth(1_usize.saturating_sub(axis));
        counted.map_or(IntExpr::Const(1), |extent| extent.value.clone())
    }

    /// Whether `count` tiles from tile `start` are always tiles of an extent of `whole` elements.
    pub(super) fn within(&self, start: &Linear, count: u64, whole: &IntExpr) -> bool {
        // v < whole.div_ceil(32 · count) and the tensor in whole blocks, or one tile each.
        if let [(IntExpr::Var(var), 1)] = start.terms.as_slice()
            && start.constant == 0
            && count == 1
            && let Some((_, end)) = self.ranges.iter().rev().find(|(v, _)| v == var)
            && *end == IntExpr::binary(IntOp::CeilDiv, whole.clone(), IntExpr::Const(TILE))
        {
            return true;
        }
        let Some(whole) = whole.as_const() else {
            // An extent is at least 1, so the first tile always exists.
            return start.terms.is_empty()
                && start.constant == 0
                && count == 1
                && lower_bound(whole).is_some_and(|low| low >= 1);
        };
        let mut last = Some(start.constant);
        for (atom, coefficient) in &start.terms {
            let IntExpr::Var(var) = atom else { return false };
            let Some(end) = self
                .ranges
                .iter()
                .rev()
                .find(|(v, _)| v == var)
                .and_then(|(_, end)| end.as_const())
            else {
                return false;
            };
            if *coefficient < 0 {
                return false;
            }
            let reach = coefficient.checked_mul(end.saturating_sub(1).max(0));
            last = last.zip(reach).and_then(|(last, reach)| last.checked_add(reach));
        }
        let end = last
            .zip(i64::try_from(count).ok())
            .and_then(|(last, count)| last.checked_add(count));
        end.zip(IntOp::CeilDiv.apply(whole, TILE))
            .is_some_and(|(end, tiles)| end <= tiles)
    }
}

pub(super) fn integer(value: u64) -> IntExpr {
    IntExpr::Const(i64::try_from(value).unwrap_or(i64::MAX))
}
