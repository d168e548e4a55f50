//! Regions of tensors in tiles, and what can be known of them before the launch.

#![warn(clippy::arithmetic_side_effects)]

use super::translate::{Refused, Translate};
use crate::codes;
use crate::flow::TileRegion;
use crate::linear::{Linear, lower_bound};
use crate::passes::a1_infer_layout::tiles;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{IntExpr, IntOp, ParamId, Region, Span};

impl Translate<'_> {
    /// A region of a tensor for a copy, in tiles.
    pub(super) fn region(&self, region: &Region, extent: [u64; 2]) -> Result<TileRegion, Refused> {
        let count = region.offsets.len();
        let given = match region.extents.as_slice() {
            [n] => [1, *n],
            [.., rows, columns] => [*rows, *columns],
            [] => [1, 1],
        };
        // A block of one axis lies as A1 decided; the region must cover the same elements.
        if given != extent && given.iter().product::<u64>() != extent.iter().product::<u64>() {
            return Err(Diagnostic::new(
                &codes::SHAPES,
                region.span,
                format!(
                    "the region has {} × {} elements, the block {} × {}",
                    given[0], given[1], extent[0], extent[1]
                ),
            ));
        }
        let zero = IntExpr::Const(0);
        let leading = count.saturating_sub(2);
        if let Some(axis) = (0..leading).find(|axis| region.extents[*axis] != 1) {
            return Err(Diagnostic::new(
                &codes::SHAPES,
                region.offsets[axis].span,
                "a copy moves one matrix at a time",
            )
            .note("give one index for every leading axis"));
        }
        let matrix = region.offsets[..leading]
            .iter()
            .map(|offset| offset.value.clone())
            .collect();
        let (row, column) = match &region.offsets[leading..] {
            [column] => ((zero, region.span), (column.value.clone(), column.span)),
            [row, column] => ((row.value.clone(), row.span), (column.value.clone(), column.span)),
            _ => ((zero.clone(), region.span), (zero, region.span)),
        };
        self.tile_region(region.tensor, matrix, [row, column], extent, region.span, true)
    }

    /// The tiles of a rectangle; `exact` where no element beyond `extent` may be touched.
    pub(super) fn tile_region(
        &self,
        tensor: ParamId,
        matrix: Vec<IntExpr>,
        offsets: [(IntExpr, Span); 2],
        extent: [u64; 2],
        span: Span,
        exact: bool,
    ) -> Result<TileRegion, Refused> {
        let name = self.kernel.params[tensor.index()].name();
        let mut tile = [IntExpr::Const(0), IntExpr::Const(0)];
        let mut may_exceed = [false; 2];
        let mut may_precede = [false; 2];
        let mut zero_edge = [false; 2];
        for axis in 0..2 {
            let (offset, offset_span) = &offsets[axis];
            let linear = Linear::of(offset);
            let start = linear.divided_by(32).ok_or_else(|| {
                Diagnostic::new(
                    &codes::UNALIGNED,
                    *offset_span,
                    "this offset is not a multiple of 32 whatever the values at launch",
                )
                .note(format!(
                    "`{name}` is stored in tiles of 32 × 32; start at multiples of 32"
                ))
            })?;
            let whole = self.tensor_extent(tensor, axis);
            if exact
                && !extent[axis].is_multiple_of(32)
                && (whole.as_const() != Some(extent[axis] as i64) || offset.as_const() != Some(0))
            {
                return Err(Diagnostic::new(
                    &codes::PART_OF_TILE,
                    span,
                    format!(
                        "{} elements of `{name}`, which is longer, are a part of a tile",
                        extent[axis]
                    ),
                )
                .note("use a block extent that is a multiple of 32, or make the tensor's extent this literal"));
            }
            tile[axis] = start.to_expr();
            may_precede[axis] = !self.signs.is_at_least(&tile[axis], 0);
            may_exceed[axis] = !self.within(&start, u64::from(tiles(extent)[axis]), &whole);
            zero_edge[axis] = whole.as_const().is_none_or(|extent| extent % 32 != 0);
        }
        let matrix_may_miss = matrix
            .iter()
            .enumerate()
            .map(|(axis, index)| !self.selects(tensor, axis, index))
            .collect();
        Ok(TileRegion {
            tensor,
            matrix,
            tile,
            extent,
            may_exceed,
            may_precede,
            matrix_may_miss,
            zero_edge,
        })
    }

    /// Whether `index` is always one of the tensor's along the leading axis `axis`.
    pub(super) fn selects(&self, tensor: ParamId, axis: usize, index: &IntExpr) -> bool {
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
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Binary(..) => false,
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
            && *end == IntExpr::binary(IntOp::CeilDiv, whole.clone(), IntExpr::Const(32))
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
        end.zip(IntOp::CeilDiv.apply(whole, 32))
            .is_some_and(|(end, tiles)| end <= tiles)
    }
}
