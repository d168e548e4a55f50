//! Reductions: elements without a value are left out. What is left of nothing has one, but for the mean.

use super::error::InterpretErrorKind as Kind;
use super::storage::{BlockData, COLUMN, Marks, PADDING, ROW};
use crate::ir::{ReduceDim, ReduceOp};

/// Reduces `from` along `dim` into `out`.
pub(super) fn reduce(
    op: ReduceOp,
    dim: ReduceDim,
    clear: bool,
    from: &BlockData,
    out: &mut BlockData,
) -> Result<(), Kind> {
    let extents = || Kind::Extents {
        what: "a reduction",
        found: [from.shape.clone(), out.shape.clone()],
    };
    let (rows, columns) = from.matrix().filter(|_| from.shape.len() > 1).ok_or_else(extents)?;
    if op == ReduceOp::Mean && !clear {
        return Err(Kind::Unsupported("a mean does not fold into an earlier one"));
    }
    // For each result: where its elements start, how far they lie apart, how many they are.
    let (results, start, step, count): (usize, usize, usize, usize) = match dim {
        ReduceDim::Rows => (rows, columns, 1, columns),
        ReduceDim::Columns => (columns, 1, columns, rows),
        ReduceDim::All => (1, 0, 1, rows * columns),
    };
    if out.values.len() != results {
        return Err(extents());
    }
    // Where the axis that stays ends.
    let kept: Marks = match (dim, out.shape.len()) {
        (ReduceDim::Rows, _) | (ReduceDim::Columns, 1) => ROW,
        (ReduceDim::Columns, _) => COLUMN,
        (ReduceDim::All, 1) => ROW,
        (ReduceDim::All, _) => PADDING,
    };
    for result in 0..results {
        let (mut value, mut members) = (neutral(op), 0u64);
        for i in 0..count {
            let at = result * start + i * step;
            if from.marks[at] & PADDING == 0 {
                value = fold(op, value, from.values[at]);
                members += 1;
            }
        }
        if op == ReduceOp::Mean {
            value /= members as f64;
        }
        if clear {
            let has_value = op != ReduceOp::Mean || members > 0;
            (out.values[result], out.marks[result]) = (value, if has_value { 0 } else { kept });
        } else {
            out.values[result] = fold(op, value, out.values[result]);
        }
    }
    Ok(())
}

fn neutral(op: ReduceOp) -> f64 {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::AbsMax => 0.0,
        ReduceOp::Max => f64::NEG_INFINITY,
        ReduceOp::Min => f64::INFINITY,
    }
}

fn fold(op: ReduceOp, a: f64, b: f64) -> f64 {
    match op {
        ReduceOp::Sum | ReduceOp::Mean => a + b,
        ReduceOp::Max => a.max(b),
        ReduceOp::Min => a.min(b),
        ReduceOp::AbsMax => a.max(b.abs()),
    }
}
