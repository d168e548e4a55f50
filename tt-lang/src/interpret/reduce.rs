//! Reductions: elements without a value are left out. What is left of nothing has one, but for the mean.

use super::error::InterpretErrorKind as Kind;
use super::storage::{BlockData, COLUMN, Marks, PADDING, ROW};
use crate::ir::{ArgOp, ReduceDim, ReduceOp};

/// Reduces `from` along `dim` into `out`.
pub(super) fn reduce(
    op: ReduceOp,
    dim: ReduceDim,
    clear: bool,
    from: &BlockData,
    out: &mut BlockData,
) -> Result<(), Kind> {
    if op.is_per_element() && !clear {
        return Err(Kind::Unsupported("a mean does not fold into an earlier one"));
    }
    let Lines {
        results,
        start,
        step,
        count,
    } = lines(from, out, dim)?;
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
        if op.is_per_element() {
            value /= members as f64;
        }
        if clear {
            let has_value = !op.is_per_element() || members > 0;
            (out.values[result], out.marks[result]) = (value, if has_value { 0 } else { kept });
        } else if members > 0 {
            out.values[result] = fold(op, value, out.values[result]);
        }
    }
    Ok(())
}

/// The extreme of `from` along `dim` into `val`, and into `pos` the first place that it stands at, plus `base`: 0 of nothing.
/// Where `clear` is not set, what `val` holds is compared with first, and stays on a tie.
pub(super) fn reduce_arg(
    (op, dim, base, clear): (ArgOp, ReduceDim, i64, bool),
    from: &BlockData,
    mut val: Option<&mut BlockData>,
    pos: &mut BlockData,
) -> Result<(), Kind> {
    let Lines {
        results,
        start,
        step,
        count,
    } = lines(from, pos, dim)?;
    for result in 0..results {
        // What is compared with no value has none.
        if let Some(lacking) = val
            .as_ref()
            .map(|val| val.marks[result] & PADDING)
            .filter(|lacking| !clear && *lacking != 0)
        {
            pos.marks[result] |= lacking;
            continue;
        }
        let held = val.as_ref().filter(|_| !clear).map(|val| val.values[result]);
        let (mut best, mut place) = match held {
            Some(held) => (held, None),
            None => (neutral(op.extreme()), Some(0)),
        };
        let mut found = !clear;
        for i in 0..count {
            let at = result * start + i * step;
            if from.marks[at] & PADDING != 0 {
                continue;
            }
            let value = from.values[at];
            let exceeds = match op {
                ArgOp::Max => value > best,
                ArgOp::Min => value < best,
            };
            if exceeds || !found {
                (best, place, found) = (value, Some(i), true);
            }
        }
        if let Some(val) = &mut val {
            val.values[result] = best;
            if clear {
                val.marks[result] = 0;
            }
        }
        if let Some(place) = place {
            pos.values[result] = (base + place as i64) as f64;
        }
        if clear {
            pos.marks[result] = 0;
        }
    }
    Ok(())
}

/// The elements of each result.
struct Lines {
    results: usize,
    /// Where the first one of a result starts, over that of the result before.
    start: usize,
    /// How far they lie apart.
    step: usize,
    /// How many they are.
    count: usize,
}

fn lines(from: &BlockData, out: &BlockData, dim: ReduceDim) -> Result<Lines, Kind> {
    let extents = || Kind::Extents {
        what: "a reduction",
        found: [from.shape.clone(), out.shape.clone()],
    };
    let (rows, columns) = from.matrix().filter(|_| from.shape.len() > 1).ok_or_else(extents)?;
    let (results, start, step, count) = match dim {
        ReduceDim::Rows => (rows, columns, 1, columns),
        ReduceDim::Columns => (columns, 1, columns, rows),
        ReduceDim::All => (1, 0, 1, rows * columns),
    };
    if out.values.len() != results {
        return Err(extents());
    }
    Ok(Lines {
        results,
        start,
        step,
        count,
    })
}

fn neutral(op: ReduceOp) -> f64 {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::AbsMax => 0.0,
        ReduceOp::Prod => 1.0,
        ReduceOp::Max => f64::NEG_INFINITY,
        ReduceOp::Min => f64::INFINITY,
    }
}

fn fold(op: ReduceOp, a: f64, b: f64) -> f64 {
    match op {
        ReduceOp::Sum | ReduceOp::Mean => a + b,
        ReduceOp::Prod => a * b,
        ReduceOp::Max => a.max(b),
        ReduceOp::Min => a.min(b),
        ReduceOp::AbsMax => a.abs().max(b.abs()),
    }
}
