//! The three-index loop `acc[(i, j)] += a[(i, k)] * b[(k, j)]`, which is a product.
//!
//! The target says which index counts rows and which columns; the third is summed over. Each factor has the summed index
//! and one of the others, in either order, which says which operand it is and whether it is transposed.

use super::frontend::Frontend;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Access, Assign, Buffer, Element, ElementKind, ElementOp, ElementType, IntExpr, Linear, Place, Region, RegionAxis,
    Span, Spanned, StmtKind, VarId,
};

/// An index of the loop and its extent.
type Index = (VarId, u64);

impl Frontend {
    /// The product that a loop over three indices with these assignments is.
    pub(super) fn contraction(&mut self, loops: [Index; 3], assigns: &[Assign], span: Span) -> Option<StmtKind> {
        let [assign] = assigns else {
            return self.refuse_contraction(span, "a product stands alone in its loop");
        };
        let Some((x, y)) = factors(assign) else {
            return self.refuse_contraction(assign.span, "a loop over three indices adds up products");
        };
        let Buffer::Block(acc) = assign.target.buffer else {
            return self.refuse_contraction(
                assign.target.span,
                "a product is accumulated in a block, not in a tensor",
            );
        };
        let by_var = |index: &IntExpr| loops.iter().copied().find(|(var, _)| *index == IntExpr::Var(*var));
        let rows_columns = match assign.target.indices.as_slice() {
            [row, column] => by_var(row).zip(by_var(column)).filter(|(row, column)| row != column),
            _ => None,
        };
        let Some((row, column)) = rows_columns else {
            let message = "the accumulator of a product is `acc[(i, j)]`, two indices of the loop";
            return self.refuse_contraction(assign.target.span, message);
        };
        let summed = loops.into_iter().find(|index| *index != row && *index != column)?;
        if self.block(acc).shape != [row.1, column.1] {
            let message = format!("{}, the loop counts ({}, {})", self.shape_of(acc), row.1, column.1);
            return self.refuse_contraction(assign.target.span, message);
        }
        let (a, b) = match (axes(x, loops), axes(y, loops)) {
            (Some(of_x), Some(of_y)) if of_x.contains(&row) && of_y.contains(&column) => ((x, of_x), (y, of_y)),
            (Some(of_x), Some(of_y)) if of_x.contains(&column) && of_y.contains(&row) => ((y, of_y), (x, of_x)),
            _ => {
                let message = "each factor has two indices of the loop, of which one is summed over";
                return self.refuse_contraction(assign.value.span, message);
            }
        };
        if !a.1.contains(&summed) || !b.1.contains(&summed) {
            let message = "both factors have the index that is summed over";
            return self.refuse_contraction(assign.value.span, message);
        }
        let (place_a, place_b) = (self.operand(a.0, a.1, loops), self.operand(b.0, b.1, loops));
        let (place_a, place_b) = (place_a?, place_b?);
        for (place, access) in [(&place_a, a.0), (&place_b, b.0)] {
            if matches!(place, Place::Block(block) if block.value == acc) {
                return self.refuse_contraction(access.span, "the accumulator of a product is not a factor of it");
            }
        }
        Some(StmtKind::Gemm {
            a: place_a,
            b: place_b,
            acc: Spanned {
                value: acc,
                span: assign.target.span,
            },
            transpose_a: a.1[0] == summed,
            transpose_b: b.1[1] == summed,
            clear_accum: false,
        })
    }

    fn refuse_contraction<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(
            Diagnostic::new(&codes::CONTRACTION, span, message)
                .note("with three indices write `acc[(i, j)] += a[(i, k)] * b[(k, j)];` and nothing else"),
        );
        None
    }

    /// The block or region that a factor runs over.
    fn operand(&mut self, access: &Access, axes: [Index; 2], loops: [Index; 3]) -> Option<Place> {
        match access.buffer {
            Buffer::Block(id) => {
                let whole = access.indices == axes.map(|(var, _)| IntExpr::Var(var))
                    && self.block(id).shape == axes.map(|(_, extent)| extent);
                if !whole {
                    let message = format!("a product runs over whole blocks: {}", self.shape_of(id));
                    return self.refuse_contraction(access.span, message);
                }
                Some(Place::Block(Spanned {
                    value: id,
                    span: access.span,
                }))
            }
            Buffer::Tensor(tensor) => {
                let zero = |var: VarId| {
                    loops
                        .iter()
                        .any(|(index, _)| *index == var)
                        .then_some(IntExpr::Const(0))
                };
                let leading = access.indices.len() - 2;
                let extents = std::iter::repeat_n(1, leading).chain(axes.map(|(_, extent)| extent));
                let offsets = access.indices.iter().map(|index| Spanned {
                    value: index.substitute(&zero),
                    span: access.span,
                });
                let axes = offsets.zip(extents);
                Some(Place::Tensor(Region {
                    tensor,
                    axes: axes.map(|(offset, extent)| RegionAxis::run(offset, extent)).collect(),
                    span: access.span,
                }))
            }
        }
    }
}

/// The two factors of `acc[..] += x * y`, also where it is written `acc[..] = acc[..] + x * y`.
fn factors(assign: &Assign) -> Option<(&Access, &Access)> {
    let ElementKind::Call(ElementOp::Add, sum) = &assign.value.kind else {
        return None;
    };
    let is_target = |element: &Element| {
        matches!(&element.kind, ElementKind::Load(access)
            if access.buffer == assign.target.buffer && access.indices == assign.target.indices)
    };
    let product = match sum.as_slice() {
        [acc, product] if is_target(acc) => product,
        [product, acc] if is_target(acc) => product,
        _ => return None,
    };
    let ElementKind::Call(ElementOp::Mul, factors) = &product.kind else {
        return None;
    };
    match factors.as_slice() {
        [x, y] => Some((loaded(x)?, loaded(y)?)),
        _ => None,
    }
}

/// The element that a factor loads; products are taken in `f32` anyway, so `as f32` changes nothing.
fn loaded(factor: &Element) -> Option<&Access> {
    match &factor.kind {
        ElementKind::Load(access) => Some(access),
        ElementKind::Cast(ElementType::F32, inner) => loaded(inner),
        ElementKind::Float(_)
        | ElementKind::Bool(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Call(..)
        | ElementKind::Compare(..)
        | ElementKind::CompareInt(..)
        | ElementKind::And(..)
        | ElementKind::Or(..)
        | ElementKind::Not(_)
        | ElementKind::Select(..)
        | ElementKind::Cast(..) => None,
    }
}

/// The indices of the loop that the last two axes of a factor run along, where each runs along exactly one, step by step.
fn axes(access: &Access, loops: [Index; 3]) -> Option<[Index; 2]> {
    let along = |index: &IntExpr| -> Option<Option<Index>> {
        let linear = Linear::of(index);
        let mut found = None;
        for (var, extent) in loops {
            match linear.slope(var)? {
                0 => {}
                1 if found.is_none() => found = Some((var, extent)),
                _ => return None,
            }
        }
        Some(found)
    };
    let (leading, last) = access.indices.split_at(access.indices.len().checked_sub(2)?);
    if leading.iter().any(|index| along(index) != Some(None)) {
        return None;
    }
    match last {
        [row, column] => Some([along(row)??, along(column)??]),
        _ => None,
    }
}
