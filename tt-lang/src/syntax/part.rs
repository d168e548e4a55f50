//! Parts of blocks, `x[(32..64, 0..32)]`: sides of copies, what products, reductions and transposes read, and where they and
//! fills leave what they give.
//!
//! A loop over its elements moves a part: to or from the other side of a copy, or into and out of a block of its own for what
//! takes whole blocks alone.

use super::copy::{Length, PartAxis, views};
use super::frontend::{Frontend, plain_name};
use super::scope::Binding;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Access, Assign, Block, BlockId, BlockScope, Buffer, Element, ElementKind, For, IntExpr, IntOp, LoopKind, Op, Span,
    Spanned, Stmt, StmtKind, VarId, Variable,
};
use crate::tree::Kind;
use syn::Expr;

/// A part of a block, as it is written.
pub(super) struct BlockPart {
    pub block: BlockId,
    pub name: syn::Ident,
    pub axes: Vec<PartAxis>,
    pub span: Span,
}

impl Frontend {
    /// The block that `expr` stands for: the one that it names, or one that holds the part that it is.
    pub(super) fn block_operand(&mut self, expr: &Expr) -> Option<Spanned<BlockId>> {
        let Some(part) = self.part_argument(expr)? else {
            return self.block_argument(expr);
        };
        let shape = self.known_shape(&part).or_else(|| self.unknown_part(&part))?;
        let held = self.hidden(&part, shape.clone());
        let stmt = self.moved(Side::Part(&part), Side::Block(held), &shape)?;
        self.fetches.push(stmt);
        Some(Spanned {
            value: held,
            span: part.span,
        })
    }

    /// `x[(32..64, 0..32)]`
    pub(super) fn block_part(
        &mut self,
        index: &syn::ExprIndex,
        name: &syn::Ident,
        block: BlockId,
    ) -> Option<BlockPart> {
        let extents = self
            .block(block)
            .shape
            .iter()
            .map(|extent| IntExpr::Const(*extent as i64));
        let axes = self.part_axes(&index.index, extents.collect())?;
        let span = self.span(name);
        let rank = self.block(block).shape.len();
        if axes.len() != rank {
            let message = format!("{}, and is indexed by {}", self.shape_of(block), axes.len());
            let note = "write an index or a range for every axis";
            self.report(Diagnostic::new(&codes::BLOCK_REGION, span, message).note(note));
            return None;
        }
        if let Some(axis) = axes.iter().find(|axis| axis.step != 1 || !axis.length.is_constant()) {
            let message = format!("this is not a constant range of `{name}`");
            let note = "parts of blocks are constant ranges without steps: `x[(0..32, 32..64)]`";
            self.report(Diagnostic::new(&codes::BLOCK_REGION, axis.offset.span, message).note(note));
            return None;
        }
        Some(BlockPart {
            block,
            name: name.clone(),
            axes,
            span,
        })
    }

    /// The extents of a part that is all ranges, or one row or column; of a stack also of such a part of one of its blocks.
    pub(super) fn known_shape(&self, part: &BlockPart) -> Option<Vec<u64>> {
        let axes = match part.axes.as_slice() {
            [block, of_block @ ..] if of_block.len() == 2 && block.length.is_point() => of_block,
            axes => axes,
        };
        match axes
            .iter()
            .map(|axis| axis.length.known())
            .collect::<Vec<_>>()
            .as_slice()
        {
            [Some(rows), None] => Some(vec![*rows, 1]),
            [None, Some(columns)] => Some(vec![1, *columns]),
            lengths => lengths.iter().copied().collect(),
        }
    }

    /// Those of a part whose other side has these axes: a row or a column is a vector where ranges say how that lies.
    pub(super) fn shape_beside(&mut self, part: &BlockPart, other: &[PartAxis]) -> Option<Vec<u64>> {
        let mut shape = self.known_shape(part).or_else(|| self.unknown_part(part))?;
        if part.ranges() == 1 && other.iter().any(|axis| !axis.length.is_point()) {
            shape = vec![shape.iter().product()];
        }
        Some(shape)
    }

    pub(super) fn unknown_part<T>(&mut self, part: &BlockPart) -> Option<T> {
        let name = &part.name;
        let message = format!("this does not say how much of `{name}` it is");
        let note = format!("write a constant range for every axis: `{name}[(0..32, 32..64)]`");
        self.report(Diagnostic::new(&codes::BLOCK_REGION, part.span, message).note(note));
        None
    }

    /// A copy with a part on one side.
    pub(super) fn part_copy(&mut self, from: Side<'_>, to: Side<'_>, shape: &[u64]) -> Option<StmtKind> {
        self.moved(from, to, shape).map(|stmt| stmt.kind)
    }

    /// A block of this shape for what a part holds.
    pub(super) fn hidden(&mut self, part: &BlockPart, shape: Vec<u64>) -> BlockId {
        self.hidden_block(part.block, shape, part.span)
    }

    /// A block of this shape for what a part of `block` holds.
    pub(super) fn hidden_block(&mut self, block: BlockId, shape: Vec<u64>, span: Span) -> BlockId {
        let Block { name, element, .. } = self.block(block).clone();
        self.blocks.push(Block {
            name: format!("{name}_part"),
            span,
            scope: BlockScope::Shared,
            element,
            shape,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// A block for the elements of `block` over these indices.
    pub(super) fn held(&mut self, block: BlockId, loops: &[(VarId, u64)], span: Span) -> BlockId {
        let shape = loops.iter().map(|(_, extent)| *extent).collect();
        self.hidden_block(block, shape, span)
    }

    /// The elements of `block` over these indices.
    pub(super) fn elements_of(block: BlockId, loops: &[(VarId, u64)], span: Span) -> Access {
        Access {
            buffer: Buffer::Block(block),
            indices: loops.iter().map(|(var, _)| IntExpr::Var(*var)).collect(),
            span,
        }
    }

    /// The loop that moves elements from `source` to `target`.
    pub(super) fn element_loop(loops: &[(VarId, u64)], target: Access, source: Access, span: Span) -> Stmt {
        let kind = ElementKind::Load(source);
        Self::assigning_loop(loops, target, Element { kind, span }, span)
    }

    /// The loop that assigns `value` to the elements of `target`, of a stack to its blocks one after the other.
    fn assigning_loop(loops: &[(VarId, u64)], target: Access, value: Element, span: Span) -> Stmt {
        let assign = Assign {
            target,
            value,
            compound: false,
            span,
        };
        let (blocks, elements) = loops.split_at(loops.len().saturating_sub(2));
        let kind = Kind::Op(Op::Parallel {
            indices: elements.to_vec(),
            assigns: vec![assign],
        });
        blocks.iter().fold(Stmt::new(span, kind), |stmt, (var, count)| {
            let kind = Kind::Loop(
                For {
                    var: *var,
                    start: IntExpr::Const(0),
                    end: IntExpr::Const(*count as i64),
                    kind: LoopKind::Serial,
                },
                vec![stmt],
            );
            Stmt::new(span, kind)
        })
    }

    /// Indices over so many elements.
    pub(super) fn new_indices(&mut self, shape: &[u64], span: Span) -> Vec<(VarId, u64)> {
        let names: &[&str] = match shape.len() {
            1 => &["element"],
            2 => &["row", "column"],
            _ => &["block", "row", "column"],
        };
        let axes = names.iter().zip(shape);
        axes.map(|(axis, extent)| {
            let (id, name) = (VarId(self.variables.len() as u32), axis.to_string());
            self.variables.push(Variable { name, span });
            (id, *extent)
        })
        .collect()
    }

    /// The block that a result goes to: the one that `expr` names, or one that holds the part that it is, and is stored to that
    /// after the statement; before it the part is read where the result is added to what is there (`is_kept`). A row or column
    /// is a vector where the statement `takes_vectors`.
    pub(super) fn block_result(&mut self, expr: &Expr, is_kept: bool, takes_vectors: bool) -> Option<Spanned<BlockId>> {
        let Some(part) = self.part_argument(expr)? else {
            return self.block_argument(expr);
        };
        let mut shape = self.known_shape(&part).or_else(|| self.unknown_part(&part))?;
        if takes_vectors && part.ranges() == 1 {
            shape = vec![shape.iter().product()];
        }
        let held = self.hidden(&part, shape.clone());
        if is_kept {
            let before = self.moved(Side::Part(&part), Side::Block(held), &shape)?;
            self.fetches.push(before);
        }
        let after = self.moved(Side::Block(held), Side::Part(&part), &shape)?;
        self.stores.push(after);
        Some(Spanned {
            value: held,
            span: part.span,
        })
    }

    /// The part of a block that `expr` is; nothing where it is something else.
    fn part_argument(&mut self, expr: &Expr) -> Option<Option<BlockPart>> {
        let Expr::Index(index) = expr else {
            return Some(None);
        };
        let Some(ident) = plain_name(&index.expr) else {
            return Some(None);
        };
        let Binding::Block(block) = self.resolve(ident)? else {
            return Some(None);
        };
        self.block_part(index, ident, block).map(Some)
    }

    /// The loop that moves the `count` elements of a vector, row or column to another.
    pub(super) fn moved_line(&mut self, src: &Spanned<BlockId>, dst: &Spanned<BlockId>, count: u64) -> Stmt {
        let shape = self.block(dst.value).shape.clone();
        let loops = self.new_indices(&shape, dst.span);
        let along = loops.iter().find(|(_, extent)| *extent == count).map(|(var, _)| *var);
        let along = along.map_or(IntExpr::Const(0), IntExpr::Var);
        let from = &self.block(src.value).shape;
        let indices = match from.as_slice() {
            [_] => vec![along],
            [1, _] => vec![IntExpr::Const(0), along],
            _ => vec![along, IntExpr::Const(0)],
        };
        let source = Access {
            buffer: Buffer::Block(src.value),
            indices,
            span: src.span,
        };
        let target = Self::elements_of(dst.value, &loops, dst.span);
        Self::element_loop(&loops, target, source, dst.span)
    }

    /// `T.fill` of what `expr` is, a block or a part of one, with the value that `value` gives for its elements.
    pub(super) fn filled(
        &mut self,
        expr: &Expr,
        value: impl FnOnce(&mut Self, Option<BlockId>) -> Option<Element>,
    ) -> Option<StmtKind> {
        let part = self.part_argument(expr);
        if let Some(Some(part)) = part {
            let value = value(self, Some(part.block))?;
            let shape = self.known_shape(&part).or_else(|| self.unknown_part(&part))?;
            let loops = self.new_indices(&shape, part.span);
            let target = self.side_access(Side::Part(&part), &loops)?;
            return Some(Self::assigning_loop(&loops, target, value, part.span).kind);
        }
        let block = part.and_then(|_| self.block_argument(expr));
        let value = value(self, block.as_ref().map(|block| block.value));
        Some(Kind::Op(Op::Fill {
            block: block?,
            value: value?,
        }))
    }

    /// The loop that moves `shape` elements.
    pub(super) fn moved(&mut self, from: Side<'_>, to: Side<'_>, shape: &[u64]) -> Option<Stmt> {
        let part = match (&from, &to) {
            (Side::Part(part), _) | (_, Side::Part(part)) => *part,
            (Side::Block(_), Side::Block(_)) => return None,
        };
        let (span, indices) = (part.span, self.new_indices(shape, part.span));
        let (source, target) = (self.side_access(from, &indices)?, self.side_access(to, &indices)?);
        Some(Self::element_loop(&indices, target, source, span))
    }

    fn side_access(&mut self, side: Side<'_>, loops: &[(VarId, u64)]) -> Option<Access> {
        let part = match side {
            Side::Part(part) => part,
            Side::Block(block) => {
                return Some(Access {
                    buffer: Buffer::Block(block),
                    indices: loops.iter().map(|(var, _)| IntExpr::Var(*var)).collect(),
                    span: self.block(block).span,
                });
            }
        };
        let shape: Vec<u64> = loops.iter().map(|(_, extent)| *extent).collect();
        let is_range: Vec<bool> = part.axes.iter().map(|axis| !axis.length.is_point()).collect();
        let fitting = views(&shape, &is_range, false).into_iter().find(|extents| {
            let mut axes = part.axes.iter().zip(extents);
            axes.all(|(axis, extent)| axis.length.fits(*extent))
        });
        let Some(extents) = fitting else {
            let message = format!("this part of `{}` has not the extents of the other side", part.name);
            let note = "both sides of a copy have the same extents";
            self.report(Diagnostic::new(&codes::COPY_EXTENTS, part.span, message).note(note));
            return None;
        };
        let mut counted = loops.iter().filter(|(_, extent)| *extent != 1);
        let axes = part.axes.iter().zip(extents);
        let indices = axes.map(|(axis, extent)| {
            let offset = axis.offset.value.clone();
            let var = if extent == 1 { None } else { counted.next() };
            match var {
                Some((var, _)) => IntExpr::binary(IntOp::Add, IntExpr::Var(*var), offset),
                None => offset,
            }
        });
        Some(Access {
            buffer: Buffer::Block(part.block),
            indices: indices.collect(),
            span: part.span,
        })
    }
}

impl BlockPart {
    /// How many of its axes have ranges.
    fn ranges(&self) -> usize {
        self.axes.iter().filter(|axis| !axis.length.is_point()).count()
    }
}

/// A side of a loop that moves elements.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    Block(BlockId),
    Part(&'a BlockPart),
}

impl Length {
    fn is_point(&self) -> bool {
        matches!(self, Length::Point)
    }

    fn is_constant(&self) -> bool {
        !matches!(self, Length::AtMost(_))
    }

    fn known(&self) -> Option<u64> {
        match self {
            Length::Of(length) => Some(*length),
            Length::Point | Length::AtMost(_) => None,
        }
    }
}
