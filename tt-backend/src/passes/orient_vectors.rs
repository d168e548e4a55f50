//! orient_vectors: a vector that is used as values of rows and of columns has a block for each.
//!
//! Before: Tile IR. A block of one axis has no orientation: `v[i]` is a value per row, `v[j]` one per column. After: every such
//! block lies one way, as it is first used; where it is used the other way, a block of two axes is in its place, `(n, 1)` or
//! `(1, n)`, which is made of it by a transposition right before the statement, or it of that right after. So is one where a block
//! of one column or of one row is copied from or to elements that lie the other way in their tensor.
//!
//! ```text
//!  for (i, j) in Parallel { d[(i, j)] = v[i] - v[j] }   ⟹   transpose v to v_across;
//!                                                            for (i, j) in Parallel { d[(i, j)] = v[i] - v_across[(0, j)] }
//! ```

mod orientation;

use super::split_conditions::Tile;
use crate::ir::{Kind, replaced};
use crate::pipeline::Pass;
use crate::verify::tile::{has_no_stacks, holds_elements, keeps, vectors_lie_one_way};
use orientation::of_reduction;
pub use orientation::{Orientation, Orientations};
pub use orientation::{of_region, of_shape};
use std::collections::BTreeMap;
use tt_lang::ir::{
    Access, Assign, Block, BlockId, Buffer, Element, ElementKind, IntExpr, Kernel, Linear, Op, Place, Span, Spanned,
    Stmt, VarId,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "orient_vectors",
    does: "a vector that is used as values of rows and of columns has a block for each",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel);
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [holds_elements, has_no_stacks, vectors_lie_one_way]),
};

/// Runs the pass.
pub fn run(mut kernel: Kernel) -> Kernel {
    let orientations = Orientations::of(&kernel);
    let mut orient = Orient {
        orientations: &orientations,
        blocks: kernel.blocks.clone(),
        across: BTreeMap::new(),
    };
    let body = replaced(std::mem::take(&mut kernel.body), &mut |span, op| {
        orient.operation(span, op)
    });
    let blocks = orient.blocks;
    Kernel { blocks, body, ..kernel }
}

struct Orient<'a> {
    orientations: &'a Orientations,
    blocks: Vec<Block>,
    /// The block for the other use of each vector that has one.
    across: BTreeMap<BlockId, BlockId>,
}

/// A vector's other block, filled before a statement or emptied after it.
fn turn(src: BlockId, dst: BlockId, span: Span) -> Stmt {
    let at = |value| Spanned { value, span };
    let kind = Kind::Op(Op::Transpose {
        src: at(src),
        dst: at(dst),
    });
    Stmt::new(span, kind)
}

impl Orient<'_> {
    /// How the elements of a vector, or of a block of one column or one row, lie.
    fn way(&self, block: BlockId) -> Option<Orientation> {
        let of = &self.blocks[block.index()];
        self.orientations.vector(block).or(of_shape(&of.shape))
    }

    /// The block to use in place of `block` where a statement wants it this way, if that is another.
    fn across(&mut self, block: BlockId, wanted: Option<Orientation>) -> Option<BlockId> {
        let (known, wanted) = (self.way(block)?, wanted?);
        if known == wanted {
            return None;
        }
        let of = &self.blocks[block.index()];
        let n = of.shape.iter().product();
        let made = Block {
            name: format!("{}_across", of.name),
            shape: match wanted {
                Orientation::Column => vec![n, 1],
                Orientation::Row => vec![1, n],
            },
            ..of.clone()
        };
        let blocks = &mut self.blocks;
        Some(*self.across.entry(block).or_insert_with(|| {
            blocks.push(made);
            BlockId(blocks.len() as u32 - 1)
        }))
    }

    fn operation(&mut self, span: Span, mut op: Op) -> Vec<Stmt> {
        let (mut out, mut after) = (Vec::new(), Vec::new());
        match &mut op {
            Op::Copy { src, dst } => match (src, dst) {
                (Place::Block(src), Place::Block(dst)) => {
                    let ways = [src.value, dst.value].map(|block| self.orientations.vector(block));
                    if let [Some(a), Some(b)] = ways
                        && a != b
                    {
                        return vec![turn(src.value, dst.value, span)];
                    }
                }
                (Place::Block(src), Place::Tensor(region)) => {
                    if let Some(across) = self.across(src.value, of_region(region)) {
                        out.push(turn(src.value, across, span));
                        src.value = across;
                    }
                }
                (Place::Tensor(region), Place::Block(dst)) => {
                    if let Some(across) = self.across(dst.value, of_region(region)) {
                        after.push(turn(across, dst.value, span));
                        dst.value = across;
                    }
                }
                (Place::Tensor(_), Place::Tensor(_)) => {}
            },
            Op::Parallel { indices, assigns } => {
                let vars: Vec<VarId> = indices.iter().map(|(var, _)| *var).collect();
                if assigns.iter().any(|assign| self.turns(assign, &vars)) {
                    for assign in assigns.iter() {
                        self.assign(assign, indices, &vars, &mut out, span);
                    }
                    return out;
                }
            }
            Op::Reduce {
                out: to, dim, clear, ..
            } => {
                if let Some(across) = self.across(to.value, of_reduction(*dim)) {
                    if !*clear {
                        out.push(turn(to.value, across, span));
                    }
                    after.push(turn(across, to.value, span));
                    to.value = across;
                }
            }
            Op::ReduceArg {
                val, pos, dim, clear, ..
            } => {
                for to in val.iter_mut().chain([pos]) {
                    if let Some(across) = self.across(to.value, of_reduction(*dim)) {
                        if !*clear {
                            out.push(turn(to.value, across, span));
                        }
                        after.push(turn(across, to.value, span));
                        to.value = across;
                    }
                }
            }
            Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
        out.push(Stmt::new(span, Kind::Op(op)));
        out.append(&mut after);
        out
    }

    /// How a statement over these indices wants the vector that it accesses.
    fn wanted(&self, access: &Access, vars: &[VarId], of_statement: Option<Orientation>) -> Option<Orientation> {
        let (Buffer::Block(block), [index]) = (access.buffer, access.indices.as_slice()) else {
            return None;
        };
        self.orientations.vector(block)?;
        let mentions = |var: &VarId| Linear::of(index).coefficient(*var) != 0;
        match vars {
            [i, _] if mentions(i) => Some(Orientation::Column),
            [_, j] if mentions(j) => Some(Orientation::Row),
            [_] => of_statement,
            _ => None,
        }
    }

    /// How the values of a statement over one index lie: as those of a block of two axes or a tensor in it do, else as the vector
    /// that is assigned to.
    fn of_statement(&self, assign: &Assign, vars: &[VarId]) -> Option<Orientation> {
        let [i] = vars else { return None };
        let plain = |access: &Access| match access.indices.as_slice() {
            [.., row, column] if Linear::of(column).coefficient(*i) != 0 && !row.mentions(*i) => Some(Orientation::Row),
            [.., row, column] if Linear::of(row).coefficient(*i) != 0 && !column.mentions(*i) => {
                Some(Orientation::Column)
            }
            [index] if matches!(access.buffer, Buffer::Tensor(_)) && index.mentions(*i) => Some(Orientation::Row),
            _ => None,
        };
        let mut found = plain(&assign.target);
        assign.value.walk(&mut |element| {
            if let ElementKind::Load(access) = &element.kind {
                found = found.or(plain(access));
            }
        });
        found.or(match assign.target.buffer {
            Buffer::Block(block) => self.orientations.vector(block),
            Buffer::Tensor(_) => None,
        })
    }

    /// Whether a statement uses a vector otherwise than it lies.
    fn turns(&self, assign: &Assign, vars: &[VarId]) -> bool {
        let of_statement = self.of_statement(assign, vars);
        let differs = |access: &Access| match access.buffer {
            Buffer::Block(block) => {
                let wanted = self.wanted(access, vars, of_statement);
                wanted.is_some() && wanted != self.orientations.vector(block)
            }
            Buffer::Tensor(_) => false,
        };
        let mut turns = differs(&assign.target);
        assign.value.walk(&mut |element| {
            if let ElementKind::Load(access) = &element.kind {
                turns |= differs(access);
            }
        });
        turns
    }

    /// A statement of `T.Parallel`, in a loop of its own.
    fn assign(&mut self, assign: &Assign, indices: &[(VarId, u64)], vars: &[VarId], out: &mut Vec<Stmt>, span: Span) {
        let of_statement = self.of_statement(assign, vars);
        let mut assign = assign.clone();
        let mut filled = Vec::new();
        self.element(&mut assign.value, &mut |this, access| {
            let before = this.access(access, vars, of_statement);
            filled.extend(before.filter(|turned| !filled.contains(turned)));
        });
        let is_whole = self.is_whole(&assign.target, indices);
        let stored = self.access(&mut assign.target, vars, of_statement);
        // Of a vector that is stored to in part the rest stays.
        filled.extend(stored.filter(|turned| !is_whole && !filled.contains(turned)));
        out.extend(filled.into_iter().map(|(block, across)| turn(block, across, span)));
        out.push(Stmt {
            kind: Kind::Op(Op::Parallel {
                indices: indices.to_vec(),
                assigns: vec![assign],
            }),
            note: span,
        });
        out.extend(stored.map(|(block, across)| turn(across, block, span)));
    }

    /// Whether a loop over `indices` stores to all elements of the vector that it stores to.
    fn is_whole(&self, target: &Access, indices: &[(VarId, u64)]) -> bool {
        let Buffer::Block(block) = target.buffer else {
            return true;
        };
        let [index] = target.indices.as_slice() else {
            return true;
        };
        let counts =
            |(var, extent): &(VarId, u64)| index.mentions(*var) && self.blocks[block.index()].shape == [*extent];
        indices.iter().any(counts)
    }

    /// Makes an access one of the vector's other block, where that is wanted: the vector, and that block.
    fn access(
        &mut self,
        access: &mut Access,
        vars: &[VarId],
        of_statement: Option<Orientation>,
    ) -> Option<(BlockId, BlockId)> {
        let Buffer::Block(block) = access.buffer else {
            return None;
        };
        let wanted = self.wanted(access, vars, of_statement);
        let across = self.across(block, wanted)?;
        access.buffer = Buffer::Block(across);
        let at = match wanted {
            Some(Orientation::Row) => 0,
            _ => access.indices.len(),
        };
        access.indices.insert(at, IntExpr::Const(0));
        Some((block, across))
    }

    /// Calls `each` for every load in an expression.
    fn element(&mut self, element: &mut Element, each: &mut impl FnMut(&mut Self, &mut Access)) {
        if let ElementKind::Load(access) = &mut element.kind {
            each(self, access);
        }
        for operand in element.operands_mut() {
            self.element(operand, each);
        }
    }
}
