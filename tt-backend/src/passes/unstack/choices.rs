//! Which blocks of stacks and which parts of blocks a parallel loop means, where no constant says it.

use super::MOST_PLACES;
use crate::ir::Kind;
use crate::passes::a1_infer_layout::MOST_TILES;
use crate::verify::range::Range;
use std::ops::RangeInclusive;
use tt_device::{TILE, tiles_along, whole_tiles_along};
use tt_lang::ir::{Access, Buffer, Element, ElementKind, IntExpr, IntOp, Kernel, Linear, Op, Stmt, VarId};

/// An index that chooses a block of a stack, or where a part of a block begins, by what is no constant.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// What is no constant in it.
    pub part: IntExpr,
    /// What that is multiplied by, and what is added: the block, or the first element.
    coefficient: i64,
    constant: i64,
    /// From one place to the next, in elements or blocks.
    pub step: i64,
    /// How many places there are, not more than a block that is compiled has.
    pub places: i64,
    /// The places of which some elements are there: the first may lie before the block, the last end past it.
    partly: RangeInclusive<i64>,
}

impl Choice {
    /// The choice between `places` places that `index` makes.
    fn of(index: &Linear, step: i64, places: u64, partly: RangeInclusive<i64>) -> Choice {
        let (part, coefficient) = match index.terms.as_slice() {
            [(part, coefficient)] => (part.clone(), *coefficient),
            terms => {
                let terms = terms.to_vec();
                (Linear { constant: 0, terms }.to_expr(), 1)
            }
        };
        Choice {
            part,
            coefficient,
            constant: index.constant,
            step,
            places: places.min(u64::from(MOST_TILES)) as i64,
            partly,
        }
    }

    /// The index: a block, or the first element of a part.
    pub fn index(&self) -> IntExpr {
        let product = IntExpr::binary(IntOp::Mul, self.part.clone(), IntExpr::Const(self.coefficient));
        Linear::of(&IntExpr::binary(IntOp::Add, product, IntExpr::Const(self.constant))).to_expr()
    }

    /// What the index is below.
    pub fn end(&self) -> i64 {
        self.places.saturating_mul(self.step)
    }

    /// The index where `part` is `value`; of a stack that of the nearest block where it means none.
    pub fn at(&self, value: i64) -> i64 {
        let at = value.saturating_mul(self.coefficient).saturating_add(self.constant);
        match self.step {
            1 => at.clamp(0, self.end().saturating_sub(1)),
            _ => at,
        }
    }

    /// What `part` is at the places, of what it may be; where not all need be there, at those that overlap the block.
    pub fn values(&self, within: Range, certain: bool) -> impl Iterator<Item = i64> + '_ {
        let places = match certain {
            true => 0..=self.places.saturating_sub(1),
            false => self.partly.clone(),
        };
        places.filter_map(move |place| {
            let product = place.checked_mul(self.step)?.checked_sub(self.constant)?;
            let value = product.checked_div(self.coefficient)?;
            let is_one = value.checked_mul(self.coefficient) == Some(product);
            (is_one && (within.low..=within.high).contains(&value)).then_some(value)
        })
    }
}

/// A choice where it stands.
pub(super) struct Chosen {
    pub choice: Choice,
    /// Whether it is read whatever the elements are.
    pub certain: bool,
    pub access: Access,
    pub axis: usize,
}

/// The choices of a parallel loop; none of any other statement.
pub(super) fn choices(kernel: &Kernel, stmt: &Stmt) -> Vec<Chosen> {
    let Kind::Op(Op::Parallel { indices, assigns }) = &stmt.kind else {
        return Vec::new();
    };
    let mut found = Found {
        kernel,
        indices,
        choices: Vec::new(),
    };
    for assign in assigns {
        found.access(&assign.target, true);
        found.element(&assign.value, true);
    }
    found.choices
}

struct Found<'a> {
    kernel: &'a Kernel,
    indices: &'a [(VarId, u64)],
    choices: Vec<Chosen>,
}

impl Found<'_> {
    fn element(&mut self, element: &Element, certain: bool) {
        if let ElementKind::Load(access) = &element.kind {
            self.access(access, certain);
        }
        let is_choice = matches!(
            element.kind,
            ElementKind::Select(..) | ElementKind::And(..) | ElementKind::Or(..)
        );
        for (number, operand) in element.operands().into_iter().enumerate() {
            self.element(operand, certain && !(is_choice && number > 0));
        }
    }

    fn access(&mut self, access: &Access, certain: bool) {
        for axis in 0..access.indices.len() {
            if let Some(choice) = choice(self.kernel, access, axis, self.indices) {
                let access = access.clone();
                self.choices.push(Chosen {
                    choice,
                    certain,
                    access,
                    axis,
                });
            }
        }
    }
}

/// The choice that `access` makes along `axis` in a loop over `indices`.
pub(super) fn choice(kernel: &Kernel, access: &Access, axis: usize, indices: &[(VarId, u64)]) -> Option<Choice> {
    let Buffer::Block(block) = access.buffer else {
        return None;
    };
    let shape = &kernel.blocks.get(block.index())?.shape;
    let index = Linear::of(&access.indices[axis]);
    let varies = |of: &Linear| !of.terms.is_empty() && indices.iter().all(|(var, _)| !of.mentions(*var));
    if axis == 0 && shape.len() == 3 {
        let last = i64::try_from(shape[0].min(u64::from(MOST_TILES))).unwrap_or(i64::MAX);
        return varies(&index).then(|| Choice::of(&index, 1, shape[0], 0..=last.saturating_sub(1)));
    }
    let (var, extent) = indices.iter().find(|(var, _)| index.coefficient(*var) == 1)?;
    let first = index.without(*var);
    let places = whole_tiles_along(shape[axis].checked_sub(*extent)?).saturating_add(1);
    // Elements that begin anywhere else are moved by the writer.
    let is_part = varies(&first) && first.is_multiple_of(TILE) && places <= MOST_PLACES as u64;
    let tiles = |extent: u64| i64::try_from(tiles_along(extent)).unwrap_or(i64::MAX);
    let partly = 1i64.saturating_sub(tiles(*extent))..=tiles(shape[axis]).saturating_sub(1);
    is_part.then(|| Choice::of(&first, TILE, places, partly))
}
