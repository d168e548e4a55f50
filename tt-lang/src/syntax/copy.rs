//! `T.copy(src, dst)` and the regions of tensors it reads and writes.

use super::access::counted;
use super::frontend::{Frontend, plain_name, shape, ungrouped};
use super::looping::range_of;
use super::part::{self, BlockPart};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    BlockId, Buffer, IntExpr, IntOp, Linear, Op, ParamId, Place, Region, RegionAxis, Spanned, Stmt, StmtKind,
};
use crate::tree::Kind;
use syn::Expr;

/// One side of a copy, before the other side is known.
enum Side {
    Block(Spanned<BlockId>),
    Part(BlockPart),
    Tensor(Part),
}

/// A region whose extents are still to be taken from the other side.
struct Part {
    tensor: ParamId,
    name: syn::Ident,
    axes: Vec<PartAxis>,
    span: crate::ir::Span,
}

/// What a region says of one axis.
pub(super) struct PartAxis {
    pub offset: Spanned<IntExpr>,
    pub length: Length,
    pub step: u32,
}

/// How much of an axis a region takes.
pub(super) enum Length {
    /// From a point on, as much as the block has.
    Point,
    /// A range of so many elements.
    Of(u64),
    /// A range whose length is known at run time.
    AtMost(IntExpr),
}

impl Length {
    /// Whether an axis of so many elements is this.
    pub(super) fn fits(&self, extent: u64) -> bool {
        match self {
            Length::Point | Length::AtMost(_) => true,
            Length::Of(length) => *length == extent,
        }
    }

    /// Whether an axis of so many elements holds this, and may have more.
    fn is_within(&self, extent: u64) -> bool {
        match self {
            Length::Point | Length::AtMost(_) => true,
            Length::Of(length) => *length <= extent,
        }
    }
}

impl Frontend {
    /// Reads the two sides of a copy.
    pub(super) fn copy(&mut self, src: &Expr, dst: &Expr, call: &syn::ExprMethodCall) -> Option<StmtKind> {
        let (src, dst) = (self.side(src), self.side(dst));
        if let Some(Side::Tensor(part)) = &dst {
            self.check_stored(part.tensor, &part.name);
        }
        let (src, dst) = match (src?, dst?) {
            (Side::Block(src), Side::Block(dst)) => {
                if src.value == dst.value {
                    return self.same_block(&src, &dst, "copied to itself");
                }
                let (from, to) = (self.block(src.value).shape.clone(), self.block(dst.value).shape.clone());
                if from != to {
                    if let (Some(from), Some(to)) = (line(&from), line(&to))
                        && from == to
                    {
                        return Some(self.moved_line(&src, &dst, from).kind);
                    }
                    let message = format!("{}, {}", self.shape_of(src.value), self.shape_of(dst.value));
                    let note = "both sides of a copy have the same extents";
                    self.report(Diagnostic::new(&codes::COPY_EXTENTS, dst.span, message).note(note));
                    return None;
                }
                (Place::Block(src), Place::Block(dst))
            }
            (Side::Part(src), Side::Block(dst)) => {
                let shape = self.block(dst.value).shape.clone();
                return self.part_copy(part::Side::Part(&src), part::Side::Block(dst.value), &shape);
            }
            (Side::Block(src), Side::Part(dst)) => {
                let shape = self.block(src.value).shape.clone();
                return self.part_copy(part::Side::Block(src.value), part::Side::Part(&dst), &shape);
            }
            (Side::Part(src), Side::Part(dst)) => {
                let shape = match (self.known_shape(&src), self.known_shape(&dst)) {
                    (None, Some(_)) => self.shape_beside(&dst, &src.axes)?,
                    (Some(_), _) | (None, None) => self.shape_beside(&src, &dst.axes)?,
                };
                // Blocks of one stack are all read before one is stored to.
                if src.block == dst.block && shape.len() > 2 {
                    let held = part::Side::Block(self.hidden(&src, shape.clone()));
                    let stmt = self.moved(part::Side::Part(&src), held, &shape)?;
                    self.fetches.push(stmt);
                    return self.part_copy(held, part::Side::Part(&dst), &shape);
                }
                return self.part_copy(part::Side::Part(&src), part::Side::Part(&dst), &shape);
            }
            (Side::Tensor(region), Side::Part(part)) => {
                let shape = self.shape_beside(&part, &region.axes)?;
                let held = self.hidden(&part, shape.clone());
                let stmt = self.moved(part::Side::Block(held), part::Side::Part(&part), &shape)?;
                let (region, span) = (self.region(region, held)?, part.span);
                let kind = Kind::Op(Op::Copy {
                    src: Place::Tensor(region),
                    dst: Place::Block(Spanned { value: held, span }),
                });
                self.fetches.push(Stmt::new(span, kind));
                return Some(stmt.kind);
            }
            (Side::Part(part), Side::Tensor(region)) => {
                let shape = self.shape_beside(&part, &region.axes)?;
                let held = self.hidden(&part, shape.clone());
                let stmt = self.moved(part::Side::Part(&part), part::Side::Block(held), &shape)?;
                self.fetches.push(stmt);
                let (region, span) = (self.region(region, held)?, part.span);
                (Place::Block(Spanned { value: held, span }), Place::Tensor(region))
            }
            (Side::Tensor(part), Side::Block(block)) => {
                let region = self.region(part, block.value)?;
                (Place::Tensor(region), Place::Block(block))
            }
            (Side::Block(block), Side::Tensor(part)) => {
                let region = self.region(part, block.value)?;
                (Place::Block(block), Place::Tensor(region))
            }
            (Side::Tensor(_), Side::Tensor(_)) => {
                self.error(
                    &codes::COPY_SIDES,
                    &call.method,
                    "both sides of this copy are tensors",
                    "copy into a block and from there: `T.copy(a[..], block); T.copy(block, c[..]);`",
                );
                return None;
            }
        };
        Some(Kind::Op(Op::Copy { src, dst }))
    }

    fn side(&mut self, expr: &Expr) -> Option<Side> {
        let expr = ungrouped(expr);
        if let Expr::Index(index) = expr {
            return self.part(index);
        }
        let Some(ident) = plain_name(expr) else {
            // Constructs that are not in the language say so themselves.
            let value = self.value(expr)?;
            let message = format!(
                "a side of a copy is a block or a region of a tensor, found {}",
                value.describe()
            );
            self.error(
                &codes::WRONG_KIND,
                expr,
                message,
                "write `T.copy(a[(row, col)], block);`",
            );
            return None;
        };
        match self.resolve(ident)?.buffer() {
            Ok(Buffer::Block(id)) => Some(Side::Block(Spanned {
                value: id,
                span: self.span(ident),
            })),
            Ok(Buffer::Tensor(id)) => {
                let rank = self.tensor(id).map_or(2, |tensor| tensor.extents.len());
                let zeros = vec!["0"; rank].join(", ");
                let region = if rank == 1 {
                    format!("{ident}[0]")
                } else {
                    format!("{ident}[({zeros})]")
                };
                let note = format!("say where the region starts, such as `{region}`; its extent is that of the block");
                self.error(
                    &codes::WHOLE_TENSOR,
                    ident,
                    format!("`{ident}` is a whole tensor"),
                    note,
                );
                None
            }
            Err(what) => {
                let message = format!("`{ident}` is {what}, a block or a region of a tensor is wanted");
                self.error(
                    &codes::WRONG_KIND,
                    ident,
                    message,
                    "write `T.copy(a[(row, col)], block);`",
                );
                None
            }
        }
    }

    /// `a[(row, col)]`
    fn part(&mut self, index: &syn::ExprIndex) -> Option<Side> {
        let Some(ident) = plain_name(&index.expr) else {
            let message = "only tensors have regions";
            self.error(
                &codes::WRONG_KIND,
                &index.expr,
                message,
                "write the name of a tensor: `a[(row, col)]`",
            );
            return None;
        };
        let tensor = match self.resolve(ident)?.buffer() {
            Ok(Buffer::Tensor(id)) => id,
            Ok(Buffer::Block(block)) => return self.block_part(index, ident, block).map(Side::Part),
            Err(what) => {
                let message = format!("`{ident}` is {what}, a tensor is wanted");
                self.error(
                    &codes::WRONG_KIND,
                    ident,
                    message,
                    "write `T.copy(a[(row, col)], block);`",
                );
                return None;
            }
        };
        let extents = self.tensor(tensor)?.extents.iter().map(|extent| extent.value.clone());
        let axes = self.part_axes(&index.index, extents.collect())?;
        let (rank, declared) = self.tensor(tensor).map(|tensor| (tensor.extents.len(), tensor.span))?;
        let span = self.span(index);
        if axes.len() != rank {
            let message = format!(
                "`{ident}` has {}, found {}",
                counted(rank, "axis", "axes"),
                counted(axes.len(), "index", "indices")
            );
            let note = match rank {
                1 => format!("write `{ident}[start]`"),
                2 => format!("write `{ident}[(row, col)]`"),
                _ => "one index or range per axis, the leading ones select the matrix".to_string(),
            };
            self.report(
                Diagnostic::new(&codes::REGION_RANK, span, message)
                    .label(declared, "declared here")
                    .note(note),
            );
            return None;
        }
        Some(Side::Tensor(Part {
            tensor,
            name: ident.clone(),
            axes,
            span: self.span(ident),
        }))
    }

    /// What a region says of every axis of something with these extents.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    pub(super) fn part_axes(&mut self, index: &Expr, extents: Vec<IntExpr>) -> Option<Vec<PartAxis>> {
        let axes: Vec<&Expr> = match ungrouped(index) {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        let found: Vec<Option<PartAxis>> = axes
            .iter()
            .enumerate()
            .map(|(at, axis)| self.axis(axis, extents.get(at)))
            .collect();
        found.into_iter().collect()
    }

    /// An index, or a range, its length and its step, along an axis with this extent.
    fn axis(&mut self, axis: &Expr, all: Option<&IntExpr>) -> Option<PartAxis> {
        let span = self.span(axis);
        if let Expr::MethodCall(call) = ungrouped(axis)
            && call.method == "step_by"
            && call.args.len() == 1
            && range_of(&call.receiver).is_some()
        {
            let (range, by) = (
                self.axis(&call.receiver, all),
                self.constant(&call.args[0], "a step", 1),
            );
            let (range, by) = (range?, by?);
            let Ok(step) = u32::try_from(by) else {
                let note = "a step is at most 4294967295";
                self.error(&codes::OPTION_VALUE, &call.args, "this step is too long", note);
                return None;
            };
            let length = match range.length {
                Length::Point => Length::Point,
                Length::Of(length) => Length::Of(length.div_ceil(by)),
                Length::AtMost(length) => {
                    let by = i64::from(step);
                    Length::AtMost(match Linear::of(&length).divided_by(by) {
                        Some(count) => count.to_expr(),
                        None => self.integer_op(IntOp::CeilDiv, length, IntExpr::Const(by), axis)?,
                    })
                }
            };
            let offset = range.offset;
            return Some(PartAxis { offset, length, step });
        }
        let Some(range) = range_of(axis) else {
            let value = self.integer(axis)?;
            let offset = Spanned { value, span };
            let length = Length::Point;
            return Some(PartAxis {
                offset,
                length,
                step: 1,
            });
        };
        let start = match &range.start {
            Some(start) => self.integer(start),
            None => Some(IntExpr::Const(0)),
        };
        let end = match (&range.end, range.limits) {
            (Some(end), syn::RangeLimits::HalfOpen(_)) => self.integer(end),
            (Some(end), syn::RangeLimits::Closed(_)) => {
                let last = self.integer(end);
                last.and_then(|last| self.integer_op(IntOp::Add, last, IntExpr::Const(1), range))
            }
            // One index too many is reported as that.
            (None, _) => Some(all.cloned().unwrap_or(IntExpr::Const(1))),
        };
        let (value, end_value) = (start?, end?);
        let difference = Linear::difference(&end_value, &value);
        let length = match difference.as_const() {
            Some(length) if length >= 1 => Length::Of(length as u64),
            Some(length) => {
                let message = format!("this range has the length {length}");
                self.error(
                    &codes::REGION_RANGE,
                    range,
                    message,
                    "a region has at least one element along each axis",
                );
                return None;
            }
            None => Length::AtMost(difference.to_expr()),
        };
        let offset = Spanned { value, span };
        Some(PartAxis {
            offset,
            length,
            step: 1,
        })
    }

    /// The region whose extents are those of `block`.
    fn region(&mut self, part: Part, block: BlockId) -> Option<Region> {
        let found = self.block(block).shape.clone();
        let last = self.tensor(part.tensor).and_then(|tensor| tensor.extents.last());
        let is_column = last.is_some_and(|last| last.value.as_const() == Some(1));
        let is_range: Vec<bool> = part
            .axes
            .iter()
            .map(|axis| !matches!(axis.length, Length::Point))
            .collect();
        let views = views(&found, &is_range, is_column);
        let fitting = |fits: fn(&Length, u64) -> bool| {
            let mut views = views.iter();
            views.find(|extents| {
                let mut axes = part.axes.iter().zip(*extents);
                axes.all(|(axis, extent)| fits(&axis.length, *extent))
            })
        };
        let Some(extents) = fitting(Length::fits).or_else(|| fitting(Length::is_within)).cloned() else {
            let lengths: Vec<String> = part
                .axes
                .iter()
                .map(|axis| match axis.length {
                    Length::Point => "_".to_string(),
                    Length::Of(length) => length.to_string(),
                    Length::AtMost(_) => "..".to_string(),
                })
                .collect();
            let message = format!(
                "the region of `{}` is ({}), {}",
                part.name,
                lengths.join(", "),
                self.shape_of(block)
            );
            let declared = self.block(block).span;
            let note = if !is_range.contains(&true) {
                format!(
                    "a block of {} cannot be laid over a tensor of {}",
                    shape(&found),
                    counted(part.axes.len(), "axis", "axes")
                )
            } else {
                "a range has the extent of the block, or a smaller one".to_string()
            };
            self.report(
                Diagnostic::new(&codes::COPY_EXTENTS, part.span, message)
                    .label(declared, "allocated here")
                    .note(note),
            );
            return None;
        };
        if let Some(last) = part.axes.last().filter(|axis| axis.step > 1) {
            let span = last.offset.span;
            self.refuse_reserved_at("step", "a step along the last axis", span);
            return None;
        }
        let axes = part.axes.into_iter().zip(extents);
        Some(Region {
            tensor: part.tensor,
            axes: axes
                .map(|(axis, extent)| RegionAxis {
                    offset: axis.offset,
                    extent,
                    step: axis.step,
                    count: match axis.length {
                        Length::Of(length) if length < extent => Some(IntExpr::Const(length as i64)),
                        Length::Point | Length::Of(_) => None,
                        Length::AtMost(count) => Some(count),
                    },
                })
                .collect(),
            span: part.span,
        })
    }
}

/// The elements of a block that is a vector, one row or one column.
fn line(shape: &[u64]) -> Option<u64> {
    match shape {
        [n] | [1, n] | [n, 1] => Some(*n),
        _ => None,
    }
}

/// The ways to lay a block over the axes of a tensor, the natural one first: the block's axes are the ranges, where there are as
/// many, however short they are, or else the last axes, and the others have one element. One axis is a row, or a column where the tensor `is_column`,
/// or ranges say so; a block of one row or one column lies along the only range at last.
pub(super) fn views(block: &[u64], is_range: &[bool], is_column: bool) -> Vec<Vec<u64>> {
    let rank = is_range.len();
    let forms: Vec<Vec<u64>> = match block {
        [n] if is_column => vec![vec![*n, 1], vec![1, *n]],
        [n] => vec![vec![1, *n], vec![*n, 1]],
        other => vec![other.to_vec()],
    };
    let ranges = is_range.iter().filter(|is_range| **is_range).count();
    if ranges > 0 && ranges == block.len() {
        let mut axes = block.iter();
        let extent = |is_range: &bool| {
            if *is_range {
                axes.next().copied().unwrap_or(1)
            } else {
                1
            }
        };
        return vec![is_range.iter().map(extent).collect()];
    }
    let mut views: Vec<Vec<u64>> = Vec::new();
    for form in forms {
        let spare = form.len().saturating_sub(rank);
        let view = if spare == 0 {
            let mut view = vec![1; rank - form.len()];
            view.extend(form);
            Some(view)
        } else if form[..spare].iter().all(|extent| *extent == 1) {
            Some(form[spare..].to_vec())
        } else if rank == 1 && form.len() == 2 && form[1] == 1 {
            Some(vec![form[0]])
        } else {
            None
        };
        views.extend(
            view.filter(|view| !views.contains(view))
                .into_iter()
                .collect::<Vec<_>>(),
        );
    }
    // Elements that all lie along one axis lie along the only range, where no other way fits.
    if let (1, Some(n)) = (ranges, line(block)) {
        let view = is_range.iter().map(|is_range| if *is_range { n } else { 1 }).collect();
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::views;

    #[test]
    fn blocks_are_laid_over_ranges_or_the_last_axes() {
        let points = [false; 4];
        assert_eq!(views(&[64, 32], &points, false), [[1, 1, 64, 32]]);
        assert_eq!(views(&[64], &points[2..], true), [[64, 1], [1, 64]]);
        assert_eq!(views(&[64], &points[2..], false), [[1, 64], [64, 1]]);
        for is_column in [false, true] {
            assert_eq!(views(&[64], &points[3..], is_column), [[64]]);
            assert_eq!(views(&[1, 64], &points[3..], is_column), [[64]]);
            assert_eq!(views(&[64, 1], &points[3..], is_column), [[64]]);
        }
        assert_eq!(views(&[2, 64, 32], &points[1..], false), [[2, 64, 32]]);
        assert!(views(&[2, 64, 32], &points[2..], false).is_empty());
        assert!(views(&[32, 64], &points[3..], false).is_empty());
        let rows_of_matrices = [false, true, false, true];
        assert_eq!(views(&[64, 32], &rows_of_matrices, false), [[1, 64, 1, 32]]);
        assert_eq!(views(&[64], &[true, false, false], false), [[64, 1, 1]]);
        assert_eq!(views(&[64, 1], &[false, true], false), [[64, 1], [1, 64]]);
        assert_eq!(views(&[1, 64], &[true, false, false], false), [[1, 1, 64], [64, 1, 1]]);
    }
}
