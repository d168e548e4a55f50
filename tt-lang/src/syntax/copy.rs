//! `T.copy(src, dst)` and the regions of tensors it reads and writes.

use super::access::counted;
use super::frontend::{Frontend, plain_name, shape, ungrouped};
use super::linear::Linear;
use super::looping::range_of;
use super::scope::Binding;
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{BlockId, IntExpr, ParamId, Place, Region, Spanned, StmtKind};
use syn::Expr;

/// One side of a copy, before the other side is known.
enum Side {
    Block(Spanned<BlockId>),
    Tensor(Part),
}

/// A region whose extents are still to be taken from the other side.
struct Part {
    tensor: ParamId,
    name: syn::Ident,
    offsets: Vec<Spanned<IntExpr>>,
    /// The lengths of ranges.
    lengths: Vec<Option<u64>>,
    span: crate::ir::Span,
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
                if self.block(src.value).shape != self.block(dst.value).shape {
                    let message = format!("{}, {}", self.shape_of(src.value), self.shape_of(dst.value));
                    let note = "both sides of a copy have the same extents";
                    self.report(Diagnostic::new(&codes::COPY_EXTENTS, dst.span, message).note(note));
                    return None;
                }
                (Place::Block(src), Place::Block(dst))
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
        Some(StmtKind::Copy { src, dst })
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
        match self.resolve(ident)? {
            Binding::Block(id) => Some(Side::Block(Spanned {
                value: id,
                span: self.span(ident),
            })),
            Binding::Tensor(id) => {
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
            other @ (Binding::Integer(_)
            | Binding::Extent(_)
            | Binding::Scalar(_)
            | Binding::Variable(_)
            | Binding::Function(_)
            | Binding::Number(..)
            | Binding::Truth(_)
            | Binding::Poisoned) => {
                let message = format!(
                    "`{ident}` is {}, a block or a region of a tensor is wanted",
                    other.describe()
                );
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
        let tensor = match self.resolve(ident)? {
            Binding::Tensor(id) => id,
            Binding::Block(_) => {
                let note = format!("copies move whole blocks: write `{ident}`");
                self.error(
                    &codes::BLOCK_REGION,
                    index,
                    format!("a part of the block `{ident}`"),
                    note,
                );
                return None;
            }
            other @ (Binding::Integer(_)
            | Binding::Extent(_)
            | Binding::Scalar(_)
            | Binding::Variable(_)
            | Binding::Function(_)
            | Binding::Number(..)
            | Binding::Truth(_)
            | Binding::Poisoned) => {
                let message = format!("`{ident}` is {}, a tensor is wanted", other.describe());
                self.error(
                    &codes::WRONG_KIND,
                    ident,
                    message,
                    "write `T.copy(a[(row, col)], block);`",
                );
                return None;
            }
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
        let axes: Vec<&Expr> = match ungrouped(&index.index) {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        let found: Vec<Option<(Spanned<IntExpr>, Option<u64>)>> = axes.iter().map(|axis| self.axis(axis)).collect();
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
        let (offsets, lengths) = found.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Side::Tensor(Part {
            tensor,
            name: ident.clone(),
            offsets,
            lengths,
            span: self.span(ident),
        }))
    }

    /// An index, or a range and its length.
    fn axis(&mut self, axis: &Expr) -> Option<(Spanned<IntExpr>, Option<u64>)> {
        let span = self.span(axis);
        let Some(range) = range_of(axis) else {
            let value = self.integer(axis)?;
            return Some((Spanned { value, span }, None));
        };
        let usage = "write `row..row + 32`, start and end, the end not included";
        let (Some(start), Some(end), syn::RangeLimits::HalfOpen(_)) = (&range.start, &range.end, &range.limits) else {
            self.error(
                &codes::REGION_RANGE,
                range,
                "this range has no start, no end, or includes its end",
                usage,
            );
            return None;
        };
        let (start_value, end_value) = (self.integer(start), self.integer(end));
        let (value, end_value) = (start_value?, end_value?);
        match Linear::constant_difference(&end_value, &value) {
            Some(length) if length >= 1 => Some((Spanned { value, span }, Some(length as u64))),
            Some(length) => {
                let message = format!("this range has the length {length}");
                self.error(
                    &codes::REGION_RANGE,
                    range,
                    message,
                    "a region has at least one element along each axis",
                );
                None
            }
            None => {
                let shown = format!("`{}` - `{}`", source_text(end), source_text(start));
                let message = format!("the length {shown} is not a constant");
                self.error(
                    &codes::REGION_RANGE,
                    range,
                    message,
                    "write a start and the start plus a constant: `row..row + 32`",
                );
                None
            }
        }
    }

    /// The region whose extents are those of `block`.
    fn region(&mut self, part: Part, block: BlockId) -> Option<Region> {
        let found = self.block(block).shape.clone();
        let last = self.tensor(part.tensor).and_then(|tensor| tensor.extents.last());
        let is_column = last.is_some_and(|last| last.value.as_const() == Some(1));
        let fitting = views(&found, part.lengths.len(), is_column)
            .into_iter()
            .find(|extents| {
                let mut axes = part.lengths.iter().zip(extents);
                axes.all(|(length, extent)| length.is_none_or(|length| length == *extent))
            });
        let Some(extents) = fitting else {
            let lengths: Vec<String> = part
                .lengths
                .iter()
                .map(|l| l.map_or("_".to_string(), |l| l.to_string()))
                .collect();
            let message = format!(
                "the region of `{}` is ({}), {}",
                part.name,
                lengths.join(", "),
                self.shape_of(block)
            );
            let declared = self.block(block).span;
            let note = if part.lengths.iter().all(Option::is_none) {
                format!(
                    "a block of {} cannot be laid over a tensor of {}",
                    shape(&found),
                    counted(part.lengths.len(), "axis", "axes")
                )
            } else {
                "both sides of a copy have the same extents".to_string()
            };
            self.report(
                Diagnostic::new(&codes::COPY_EXTENTS, part.span, message)
                    .label(declared, "allocated here")
                    .note(note),
            );
            return None;
        };
        Some(Region {
            tensor: part.tensor,
            offsets: part.offsets,
            extents,
            span: part.span,
        })
    }
}

/// The ways to lay a block over the axes of a tensor of rank `rank`, the natural one first: the block's axes are the last
/// ones, leading ones have one element. One axis is a row, or a column where the tensor `is_column`, or ranges say so.
fn views(block: &[u64], rank: usize, is_column: bool) -> Vec<Vec<u64>> {
    let forms: Vec<Vec<u64>> = match block {
        [n] if is_column => vec![vec![*n, 1], vec![1, *n]],
        [n] => vec![vec![1, *n], vec![*n, 1]],
        other => vec![other.to_vec()],
    };
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
    views
}

#[cfg(test)]
mod tests {
    use super::views;

    #[test]
    fn blocks_are_laid_over_the_last_axes() {
        assert_eq!(views(&[64, 32], 4, false), [[1, 1, 64, 32]]);
        assert_eq!(views(&[64], 2, true), [[64, 1], [1, 64]]);
        assert_eq!(views(&[64], 2, false), [[1, 64], [64, 1]]);
        for is_column in [false, true] {
            assert_eq!(views(&[64], 1, is_column), [[64]]);
            assert_eq!(views(&[1, 64], 1, is_column), [[64]]);
            assert_eq!(views(&[64, 1], 1, is_column), [[64]]);
        }
        assert_eq!(views(&[2, 64, 32], 3, false), [[2, 64, 32]]);
        assert!(views(&[2, 64, 32], 2, false).is_empty());
        assert!(views(&[32, 64], 1, false).is_empty());
    }
}
