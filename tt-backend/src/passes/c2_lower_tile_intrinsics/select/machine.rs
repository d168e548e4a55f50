//! Expressions over operations of the device.

use crate::flow::{Arg, Constant, Fold, Index, Integer, Operand, Reduction};
use crate::passes::a1_infer_layout::tiles;
use crate::tile_ops::{FpuOp, SfpuOp};
use tt_device::composed::Composed;
use tt_plan::Number;

/// An expression over operations of the device.
pub enum Machine {
    Load(Operand),
    /// What register 0 holds.
    Sums,
    Constant(Constant),
    /// A number, or an integer of each tile.
    Fill(Arg),
    /// An integer of each tile, as such.
    FillInteger(Integer),
    Unary(SfpuOp, Vec<Arg>, Box<Machine>),
    Binary(SfpuOp, Box<Machine>, Box<Machine>),
    Fpu(FpuOp, Operand, Operand),
    Where(Box<Machine>, Box<Machine>, Box<Machine>),
    /// The second where the first is 1, else the third. It is 1 wherever the integer is below zero: in tiles where that is
    /// everywhere, the second alone.
    Masked(Index, Box<Machine>, Box<Machine>, Box<Machine>),
    /// All elements of each row, of each column or of the block: how, along which axes, over how many tiles.
    Reduce(Reduction, Box<Machine>),
    /// A program over operands and uniform arguments.
    Composed(Composed, Vec<Machine>, Vec<Number>),
    /// Three registers, and numbers, into one.
    Three(SfpuOp, Vec<Number>, Box<[Machine; 3]>),
}

impl Machine {
    /// Registers its evaluation takes.
    pub fn need(&self) -> u32 {
        match self {
            Machine::Load(_) | Machine::Constant(_) | Machine::Fill(_) | Machine::FillInteger(_) | Machine::Fpu(..) => {
                1
            }
            Machine::Sums => 0,
            Machine::Unary(_, _, x) => x.need(),
            Machine::Binary(_, a, b) => {
                let (a, b) = (a.need(), b.need());
                if a == b { a + 1 } else { a.max(b) }
            }
            Machine::Where(c, a, b) => in_order([c, a, b].map(|of| &**of)),
            Machine::Three(_, _, operands) => in_order(operands.iter()),
            Machine::Masked(_, mask, a, b) => a.need().max(1 + mask.need()).max(2 + b.need()),
            Machine::Reduce(reduction, x) => {
                let tiles = x.need() + u32::from(is_folded(reduction));
                match reduction.fold {
                    Fold::Product => tiles.max(WITHIN_PRODUCT),
                    Fold::Sum | Fold::Max | Fold::Min | Fold::Mean => tiles,
                }
            }
            Machine::Composed(composed, operands, _) => {
                let held: u32 = operands.iter().map(|of| of.need().min(1)).sum();
                let others = composed.registers.saturating_sub(operands.len()) as u32;
                in_order(operands).max(held + others)
            }
        }
    }
}

/// Registers that operands take which are evaluated one after the other, each beside those before it.
fn in_order<'m>(operands: impl IntoIterator<Item = &'m Machine>) -> u32 {
    let mut held = 0;
    operands.into_iter().fold(0, |most, of| {
        let need = held + of.need();
        held += of.need().min(1);
        most.max(need)
    })
}

pub fn composed(composed: Composed, x: Machine) -> Machine {
    Machine::Composed(composed, vec![x], Vec::new())
}

pub fn unary(op: SfpuOp, x: Machine) -> Machine {
    Machine::Unary(op, Vec::new(), Box::new(x))
}

pub fn with(op: SfpuOp, numbers: impl IntoIterator<Item = Number>, x: Machine) -> Machine {
    Machine::Unary(op, numbers.into_iter().map(Arg::Number).collect(), Box::new(x))
}

pub fn with_integer(op: SfpuOp, integer: Integer, x: Machine) -> Machine {
    Machine::Unary(op, vec![Arg::Integer(integer)], Box::new(x))
}

pub fn fill(number: Number) -> Machine {
    Machine::Fill(Arg::Number(number))
}

pub fn binary(op: SfpuOp, a: Machine, b: Machine) -> Machine {
    Machine::Binary(op, Box::new(a), Box::new(b))
}

/// What an integer is in each element, over what it is in the first of the tile; `None` where that is nothing.
pub fn within_tile(index: &Index) -> Option<Machine> {
    let along = |step: i64, constant: Constant| match step {
        0 => None,
        1 => Some(Machine::Constant(constant)),
        step => Some(with(
            SfpuOp::MulNumber,
            [Number::constant(step as f32)],
            Machine::Constant(constant),
        )),
    };
    match (along(index.row, Constant::Rows), along(index.column, Constant::Columns)) {
        (Some(row), Some(column)) => Some(binary(SfpuOp::Add, row, column)),
        (row, column) => row.or(column),
    }
}

/// 1 where the integer is below zero, else 0. It is compared within the tile, where it is small, divided so that registers hold it
/// ([`Index::divisor`]): with what is nearest to the rest between its least and one more than its most.
pub fn below_zero(index: &Index, divisor: i64) -> Machine {
    let within = index.over(divisor);
    let [least, most] = within.span();
    let limit = Integer {
        // Below is what is so after a division that rounds up.
        first: index.negated(1_i64.saturating_sub(divisor)).rest,
        per_tile: index.per_tile().map(i64::saturating_neg),
        over: divisor,
        between: Some([least, most.saturating_add(1)]),
    };
    match within_tile(&within) {
        Some(within) => with_integer(SfpuOp::LtNumber, limit, within),
        None => Machine::Fill(Arg::Integer(limit)),
    }
}

/// Whether a reduction is of more than one tile.
pub fn is_folded(reduction: &Reduction) -> bool {
    let tiles = tiles(reduction.extent);
    (0..2).any(|axis| reduction.along[axis] && tiles[axis] > 1)
}

/// Registers that the product of the elements of one takes: that one, the product, one element, and zeros.
pub const WITHIN_PRODUCT: u32 = 4;

/// How two registers are folded, and what folds the columns and the rows within one.
pub fn fold_ops(fold: Fold) -> (SfpuOp, [SfpuOp; 2]) {
    match fold {
        Fold::Sum | Fold::Mean => (SfpuOp::Add, [SfpuOp::SumColumns, SfpuOp::SumRows]),
        // Sums of one element and zeros take it out of its tile.
        Fold::Product => (SfpuOp::Mul, [SfpuOp::SumColumns, SfpuOp::SumRows]),
        Fold::Max => (SfpuOp::Max, [SfpuOp::MaxColumns, SfpuOp::MaxRows]),
        Fold::Min => (SfpuOp::Min, [SfpuOp::MinColumns, SfpuOp::MinRows]),
    }
}
