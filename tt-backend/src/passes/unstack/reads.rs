//! Reads of places that are chosen each by itself stand in statements of their own.

use super::Unstack;
use super::choices::{Chosen, choices};
use crate::ir::Kind;
use tt_lang::ir::{
    Access, Assign, Block, BlockId, Buffer, Element, ElementKind, ElementType, IntExpr, Op, Span, Stmt, VarId,
};
use tt_plan::DataFormat;

impl Unstack<'_> {
    /// `assign` with what it reads for certain in blocks of their own, where several of its choices are made each by itself: their
    /// branches then stand one after the other, not within each other.
    pub(super) fn read_first(
        &mut self,
        assign: &Assign,
        indices: &[(VarId, u64)],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Assign {
        let parallel = |assign: &Assign| {
            let (indices, assigns) = (indices.to_vec(), vec![assign.clone()]);
            let kind = Kind::Op(Op::Parallel { indices, assigns });
            Stmt::new(span, kind)
        };
        let mut assign = assign.clone();
        let all = choices(self.kernel, &parallel(&assign));
        let first = all.first().map(|chosen| chosen.choice.part.clone());
        if all.iter().all(|chosen| Some(&chosen.choice.part) == first.as_ref()) {
            return assign;
        }
        for Chosen { access, .. } in all.into_iter().filter(|chosen| chosen.certain) {
            let Buffer::Block(block) = access.buffer else { continue };
            let mut is_read = false;
            assign
                .value
                .walk_mut(&mut |element| is_read |= is_load_of(element, &access));
            if !is_read || is_same(&access, &assign.target) {
                continue;
            }
            let of = self.kernel.block(block);
            let held = BlockId(self.out.blocks.len() as u32);
            self.out.blocks.push(Block {
                name: format!("{}_read_{}", of.name, held.0),
                shape: indices.iter().map(|(_, extent)| *extent).collect(),
                // Of elements that share exponents others would be beside each other.
                element: match DataFormat::of(of.element).shares_exponents() {
                    true => ElementType::Bf16,
                    false => of.element,
                },
                ..of.clone()
            });
            let target = Access {
                buffer: Buffer::Block(held),
                indices: indices.iter().map(|(var, _)| IntExpr::Var(*var)).collect(),
                span: access.span,
            };
            let load = |access: &Access| ElementKind::Load(access.clone());
            let mut read = assign.clone();
            read.target = target.clone();
            read.value.kind = load(&access);
            read.compound = false;
            self.choose(parallel(&read), out);
            assign.value.walk_mut(&mut |element| {
                if is_load_of(element, &access) {
                    element.kind = load(&target);
                }
            });
        }
        assign
    }
}

fn is_same(a: &Access, b: &Access) -> bool {
    (a.buffer, &a.indices) == (b.buffer, &b.indices)
}

fn is_load_of(element: &Element, access: &Access) -> bool {
    matches!(&element.kind, ElementKind::Load(of) if is_same(of, access))
}
