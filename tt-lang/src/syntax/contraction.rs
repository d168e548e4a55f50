//! The three-index loop `acc[(i, j)] += a[(i, k)] * b[(k, j)]`, which is a product.
//!
//! The target says which index counts rows and which columns; the third is summed over. Each factor has the summed index
//! and one of the others, in either order, which says which operand it is and whether it is transposed. What an index is
//! added to, and indices of other axes, say which part of a block or tensor it is; parts of blocks are moved to blocks of
//! their own.

use super::frontend::Frontend;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Access, Assign, BlockId, Buffer, Element, ElementKind, ElementOp, ElementType, IntExpr, Linear, Op, Place, Region,
    RegionAxis, Span, Spanned, StmtKind, VarId,
};
use crate::tree::Kind;

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
        let rows_columns = axes(&assign.target, loops).filter(|[row, column]| row != column);
        let Some([row, column]) = rows_columns else {
            let message = "the accumulator of a product is `acc[(i, j)]`, two indices of the loop";
            return self.refuse_contraction(assign.target.span, message);
        };
        let summed = loops.into_iter().find(|index| *index != row && *index != column)?;
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
        // The indices stand in no statement that is made here: those that were declared last are forgotten.
        let first = loops[0].0.index();
        if first.saturating_add(loops.len()) == self.variables.len() {
            self.variables.truncate(first);
        }
        let (place_a, place_b) = (self.operand(a.0, a.1, loops), self.operand(b.0, b.1, loops));
        let (place_a, place_b) = (place_a?, place_b?);
        let is_all = self.is_whole(acc, &assign.target, [row, column]);
        if let Some(access) = [a.0, b.0].into_iter().find(|access| {
            let is_target = is_all || access.indices == assign.target.indices;
            is_target && access.buffer == assign.target.buffer
        }) {
            return self.refuse_contraction(access.span, "the accumulator of a product is not a factor of it");
        }
        let acc = self.accumulator(acc, &assign.target, [row, column]);
        Some(Kind::Op(Op::Gemm {
            a: place_a,
            b: place_b,
            acc,
            transpose_a: a.1[0] == summed,
            transpose_b: b.1[1] == summed,
            clear_accum: false,
        }))
    }

    fn refuse_contraction<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(
            Diagnostic::new(&codes::CONTRACTION, span, message)
                .note("with three indices write `acc[(i, j)] += a[(i, k)] * b[(k, j)];` and nothing else"),
        );
        None
    }

    /// The block that a product is added to: `acc`, or one that takes the place of the part of it that `target` is.
    fn accumulator(&mut self, acc: BlockId, target: &Access, axes: [Index; 2]) -> Spanned<BlockId> {
        let span = target.span;
        if self.is_whole(acc, target, axes) {
            return Spanned { value: acc, span };
        }
        let held = self.held(acc, &axes, span);
        let (loops, part, there) = self.part_of(held, target, axes);
        self.fetches.push(Self::element_loop(&loops, part, there, span));
        let (loops, part, there) = self.part_of(held, target, axes);
        self.stores.push(Self::element_loop(&loops, there, part, span));
        Spanned { value: held, span }
    }

    /// Indices of a loop of its own over these axes, the elements of `held` there, and those that `access` is there.
    fn part_of(&mut self, held: BlockId, access: &Access, axes: [Index; 2]) -> (Vec<Index>, Access, Access) {
        let loops = self.new_indices(&axes.map(|(_, extent)| extent), access.span);
        let renamed = |var: VarId| {
            let mut pairs = axes.iter().zip(&loops);
            pairs
                .find(|((old, _), _)| *old == var)
                .map(|(_, (new, _))| IntExpr::Var(*new))
        };
        let indices = access.indices.iter().map(|index| index.substitute(&renamed)).collect();
        let there = Access {
            indices,
            ..access.clone()
        };
        let part = Self::elements_of(held, &loops, access.span);
        (loops, part, there)
    }

    /// Whether `access` runs over all of `block`, and nothing else.
    fn is_whole(&self, block: BlockId, access: &Access, axes: [Index; 2]) -> bool {
        access.indices == axes.map(|(var, _)| IntExpr::Var(var))
            && self.block(block).shape == axes.map(|(_, extent)| extent)
    }

    /// The block or region that a factor runs over.
    fn operand(&mut self, access: &Access, axes: [Index; 2], loops: [Index; 3]) -> Option<Place> {
        match access.buffer {
            Buffer::Block(id) => {
                let span = access.span;
                let value = match self.is_whole(id, access, axes) {
                    true => id,
                    false => {
                        let held = self.held(id, &axes, span);
                        let (loops, part, there) = self.part_of(held, access, axes);
                        let stmt = Self::element_loop(&loops, part, there, span);
                        self.fetches.push(stmt);
                        held
                    }
                };
                Some(Place::Block(Spanned { value, span }))
            }
            Buffer::Tensor(tensor) => {
                let zero = |var: VarId| {
                    loops
                        .iter()
                        .any(|(index, _)| *index == var)
                        .then_some(IntExpr::Const(0))
                };
                let extents = access.indices.iter().map(|index| {
                    let along = axes.iter().find(|(var, _)| index.mentions(*var));
                    along.map_or(1, |(_, extent)| *extent)
                });
                let offsets = access.indices.iter().map(|index| Spanned {
                    value: index.substitute(&zero),
                    span: access.span,
                });
                let axes = offsets.zip(extents.collect::<Vec<_>>());
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

/// The indices of the loop that a factor runs along, in the order of its axes, where each axis runs along at most one, step by
/// step, and two of them along one.
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
    let found: Vec<Option<Index>> = access.indices.iter().map(along).collect::<Option<_>>()?;
    <[Index; 2]>::try_from(found.into_iter().flatten().collect::<Vec<_>>()).ok()
}
