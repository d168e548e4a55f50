//! Stores that stay apart: no two blocks of the grid store the same element, whatever the launch.
//!
//! An element says which block stored it where each grid variable can be read off it. Along an axis of a tensor every store
//! goes to a sum of digits (a grid variable, its quotient or remainder by something) times their weights, plus a rest of known
//! range, and a digit whose weight is more than all below it can make is read off as in a number. Any axis will do, but it
//! has to read alike for all stores to the tensor. A condition around them says it too.
//!
//! ```text
//!  c[(by * 64 + i, bx * 64 + j)]                  i, j < 64                ⟹   apart
//!  c[(p / 4 * 64 + i, p % 4 * 64 + j)]            i, j < 64                ⟹   apart: p is its quotient and its remainder
//!  if bx == 0 { c[(by * 64 + i, k * 64 + j)] }    for any k                ⟹   apart
//!  c[(by * 64 + i, bx / 2 * 64 + j)]                                       ⟹   not known
//! ```
//!
//! Where it is not known, the writer says at which block it is, so that the emulator sees what two of one core stored.

#![warn(clippy::arithmetic_side_effects)]

use super::overlap::constant;
use super::stores::{Around, Axis, Store, Stores};
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, IntOp, Kernel, Linear, ParamId, VarId};
use tt_plan::LoneAxis;

/// Whether no two blocks store the same element, for certain; a launch has one block along the axes of `lone`.
pub fn stay_apart(kernel: &Kernel, stores: &Stores, lone: &[LoneAxis]) -> bool {
    let grid: Vec<GridVariable> = kernel
        .grid
        .axes
        .iter()
        .enumerate()
        .map(|(axis, (var, extent))| GridVariable {
            var: *var,
            blocks: match lone.iter().any(|lone| lone.axis == axis) {
                true => Some(1),
                false => constant(&extent.value),
            },
        })
        .collect();
    let tensors = stores.all.iter().map(|store| store.tensor);
    tensors.enumerate().all(|(first, tensor)| {
        let before = &stores.all[..first];
        before.iter().any(|store| store.tensor == tensor) || of_tensor(stores, tensor, &grid)
    })
}

/// Whether an element of `tensor` says which block stored it.
fn of_tensor(stores: &Stores, tensor: ParamId, grid: &[GridVariable]) -> bool {
    let stores: Vec<&Store> = stores.all.iter().filter(|store| store.tensor == tensor).collect();
    let axes = stores.first().map_or(0, |store| store.axes.len());
    let read: Vec<IntExpr> = (0..axes)
        .filter_map(|axis| {
            let sums = stores.iter().map(|store| Sum::of(store, store.axes.get(axis)?, grid));
            Sum::read(&sums.collect::<Option<Vec<_>>>()?, grid)
        })
        .flatten()
        .collect();
    grid.iter().all(|variable| {
        variable.blocks.is_some_and(|blocks| blocks <= 1)
            || is_read(&IntExpr::Var(variable.var), &read)
            || is_pinned(&stores, variable.var)
    })
}

/// A grid variable, and how many blocks there are along it where every launch has as many.
struct GridVariable {
    var: VarId,
    blocks: Option<i64>,
}

/// Whether digits that were read say what `expr` is.
fn is_read(expr: &IntExpr, read: &[IntExpr]) -> bool {
    read.contains(expr)
        || read.iter().any(|digit| match digit {
            IntExpr::Binary(IntOp::Rem, of, by) if **of == *expr => {
                let quotient = IntExpr::binary(IntOp::Div, expr.clone(), (**by).clone());
                quotient != *expr && is_read(&quotient, read)
            }
            IntExpr::Const(_)
            | IntExpr::Extent(_)
            | IntExpr::Scalar(_)
            | IntExpr::Var(_)
            | IntExpr::Fetched(_)
            | IntExpr::Binary(..) => false,
        })
}

/// Whether all of `stores` stand under conditions that give `var` the same value.
fn is_pinned(stores: &[&Store], var: VarId) -> bool {
    let mut values = stores.iter().map(|store| {
        store.around.iter().find_map(|around| match around {
            Around::Side(cond, side) => pinned(cond, *side, var),
            Around::Loop(..) => None,
        })
    });
    let Some(Some(first)) = values.next() else { return false };
    values.all(|value| value == Some(first))
}

/// The value that `var` has where `cond` is `side`.
fn pinned(cond: &BoolExpr, side: bool, var: VarId) -> Option<i64> {
    match cond {
        BoolExpr::Compare(op, a, b) if *op == if side { CompareOp::Eq } else { CompareOp::Ne } => {
            let difference = Linear::difference(a, b);
            let rest = difference.clone().without(var);
            match (difference.coefficient(var), rest.terms.is_empty()) {
                (1, true) => rest.constant.checked_neg(),
                (-1, true) => Some(rest.constant),
                _ => None,
            }
        }
        BoolExpr::And(a, b) if side => pinned(a, side, var).or_else(|| pinned(b, side, var)),
        BoolExpr::Or(a, b) if !side => pinned(a, side, var).or_else(|| pinned(b, side, var)),
        BoolExpr::Not(a) => pinned(a, !side, var),
        BoolExpr::Const(_)
        | BoolExpr::Compare(..)
        | BoolExpr::CompareNumbers(..)
        | BoolExpr::And(..)
        | BoolExpr::Or(..) => None,
    }
}

/// Where a store goes along one axis: digits of the block times their weights, what is the same for all blocks, and a rest from
/// `low` to `high`.
struct Sum {
    digits: Vec<(IntExpr, i64)>,
    same: Vec<(IntExpr, i64)>,
    low: i64,
    high: i64,
}

impl Sum {
    /// What `store` goes to along `axis`; `None` where that is no such sum.
    fn of(store: &Store, axis: &Axis, grid: &[GridVariable]) -> Option<Sum> {
        let mut sum = Linear::of(axis.index);
        let (mut low, mut high) = (0i64, 0i64);
        let mut widen = |weight: i64, count: i64| {
            let far = weight.checked_mul(count.checked_sub(1)?)?;
            low = low.checked_add(far.min(0))?;
            high = high.checked_add(far.max(0))?;
            Some(())
        };
        for (var, count) in axis.parallel {
            widen(sum.coefficient(*var), i64::try_from(*count).ok()?)?;
            sum = sum.without(*var);
        }
        // A region: the elements from its offset on. What `T.Parallel` stores is one element for each of its indices.
        if axis.parallel.is_empty() {
            let run = axis.runs.first()?;
            widen(run.step, run.length)?;
        }
        for around in store.around.iter().rev() {
            let Around::Loop(var, start, end) = around else {
                continue;
            };
            let weight = sum.coefficient(*var);
            if weight == 0 {
                continue;
            }
            let count = constant(&IntExpr::binary(IntOp::Sub, (*end).clone(), (*start).clone()))?;
            widen(weight, count.max(1))?;
            let first = IntExpr::binary(IntOp::Mul, (*start).clone(), IntExpr::Const(weight));
            sum = Linear::of(&IntExpr::binary(IntOp::Add, sum.without(*var).to_expr(), first));
        }
        let (mut digits, mut same) = (Vec::new(), Vec::new());
        for (atom, weight) in sum.terms {
            if is_same(&atom) {
                same.push((atom, weight));
            } else if is_digit(&atom, grid) {
                digits.push((atom, weight));
            } else {
                return None;
            }
        }
        Some(Sum {
            digits,
            same,
            low: low.checked_add(sum.constant)?,
            high: high.checked_add(sum.constant)?,
        })
    }

    /// The digits that an element says, whichever of `sums` it was stored by; none where they differ in more than their rests.
    fn read(sums: &[Sum], grid: &[GridVariable]) -> Option<Vec<IntExpr>> {
        let first = sums.first()?;
        let alike =
            |a: &[(IntExpr, i64)], b: &[(IntExpr, i64)]| a.len() == b.len() && a.iter().all(|term| b.contains(term));
        if !sums
            .iter()
            .all(|sum| alike(&sum.digits, &first.digits) && alike(&sum.same, &first.same))
        {
            return None;
        }
        let low = sums.iter().map(|sum| sum.low).min()?;
        let high = sums.iter().map(|sum| sum.high).max()?;
        // How far what is below a digit goes.
        let mut below = Some(high.checked_sub(low)?);
        let mut digits = first.digits.clone();
        digits.sort_by_key(|(_, weight)| weight.unsigned_abs());
        for (digit, weight) in &digits {
            let weight = weight.checked_abs()?;
            if weight <= below? {
                return None;
            }
            below = highest(digit, grid).and_then(|highest| below?.checked_add(weight.checked_mul(highest)?));
        }
        Some(digits.into_iter().map(|(digit, _)| digit).collect())
    }
}

/// Whether `atom` is the same for all blocks and in all loops.
fn is_same(atom: &IntExpr) -> bool {
    let mut same = true;
    atom.walk(&mut |part| same &= !matches!(part, IntExpr::Var(_) | IntExpr::Fetched(_)));
    same
}

/// Whether `atom` is a grid variable, or a quotient or remainder of one by something that is the same for all blocks.
fn is_digit(atom: &IntExpr, grid: &[GridVariable]) -> bool {
    match atom {
        IntExpr::Var(var) => grid.iter().any(|variable| variable.var == *var),
        IntExpr::Binary(IntOp::Div | IntOp::Rem, of, by) => is_digit(of, grid) && is_same(by),
        IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
            false
        }
    }
}

/// What a digit is never above; it is never below 0.
fn highest(digit: &IntExpr, grid: &[GridVariable]) -> Option<i64> {
    match digit {
        IntExpr::Var(var) => {
            let blocks = grid.iter().find(|variable| variable.var == *var)?.blocks?;
            blocks.checked_sub(1)
        }
        IntExpr::Binary(IntOp::Rem, of, by) => {
            let by = by.as_const().filter(|by| *by > 0)?.checked_sub(1)?;
            Some(highest(of, grid).map_or(by, |of| of.min(by)))
        }
        IntExpr::Binary(IntOp::Div, of, by) => {
            let by = by.as_const().filter(|by| *by > 0)?;
            highest(of, grid)?.checked_div(by)
        }
        IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{overlap, stores::Stores};
    use super::stay_apart;

    /// Whether blocks of a kernel with this grid and body are seen to stay apart.
    fn apart(grid: &str, body: &str) -> bool {
        let source = format!(
            "fn kernel<const M: usize, const N: usize>(
                a: &Tensor<bf16, M, N>, n: u32, m: i32,
                c: &mut Tensor<bf16, M, N>, d: &mut Tensor<bf16, M, N>, t: &mut Tensor<bf16, 4, M, N>, r: &mut Tensor<bf16, N>
            ) {{
                let (bx, by) = T.Kernel({grid});
                let v = T.alloc_shared::<bf16>(64, 64);
                let w = T.alloc_shared::<bf16>(64);
                {body}
            }}"
        );
        let parsed = tt_lang::syntax::parse(Default::default(), source.parse().expect("tokens"), "apart.rs");
        let kernel = parsed
            .kernel
            .unwrap_or_else(|| panic!("{body}: {:#?}", parsed.diagnostics));
        let stores = Stores::of(&kernel.body);
        let lone = overlap::check(&kernel, &stores).unwrap_or_else(|errors| panic!("{body}: {errors:#?}"));
        stay_apart(&kernel, &stores, &lone)
    }

    const SYMBOLIC: &str = "N.div_ceil(64), M.div_ceil(64)";
    const KNOWN: &str = "3, 5";

    #[test]
    fn blocks_whose_numbers_can_be_read_off_an_element_stay_apart() {
        for body in [
            "T.copy(v, c[(by * 64, bx * 64)]);",
            "T.copy(v, c[(bx * 64, by * 64)]);",
            "T.copy(v, c[(by * 64 + 7 * n - 64, 32 - bx * 96)]);",
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, d[(bx * 64, by * 128 + 32)]);",
            "T.copy(v, t[(bx, by * 64, 0)]);",
            "for (i, j) in T.Parallel(64, 64) { c[(bx * 64 + j, by * 64 + i)] = v[(i, j)]; }",
            "for (i, j) in T.Parallel(32, 64) { c[(by * 64 + 2 * i + 1, bx * 64 + j)] = 1.0; }",
            // Several stores that fill what a block has.
            "T.copy(v, c[(by * 64, bx * 128)]); T.copy(v, c[(by * 64, bx * 128 + 64)]);",
            "T.copy(v, c[(by * 64, bx * 128)]); for k in 0..2 { T.copy(v, c[(by * 64, bx * 128 + k * 64)]); }",
            "for k in bx * 2..bx * 2 + 2 { T.copy(v, c[(by * 64, k * 64)]); }",
            "for k in 0..2 { for l in k..k + 3 { T.copy(v, c[(by * 64, bx * 256 + l * 64)]); } }",
            // One axis of the tensor is enough for a grid variable, whatever the others are.
            "if bx == 0 { for k in 0..n { T.copy(v, c[(by * 64, k * 64)]); } }",
            "if 3 == bx && n > 2 { T.copy(v, c[(by * 64, 0)]); }",
            "if !(bx != 1 || n > 2) { T.copy(v, c[(by * 64, n * 64)]); T.clear(v); }",
            "if bx != 2 { T.clear(v); } else { T.copy(v, c[(by * 64, 0)]); }",
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, d[(by * 64, bx * 64 + n)]);",
            // Quotients and remainders.
            "T.copy(v, c[(by * 64, bx / 2 * 128 + bx % 2 * 64)]);",
            "T.copy(v, t[(bx % 4, by * 64, bx / 4 * 64)]);",
            "T.copy(v, t[(bx % n, by * 64, bx / n * 64)]);",
            "T.copy(v, t[(bx % 2, by * 64, bx / 2 % 3 * 64 + bx / 2 / 3 * 192)]);",
        ] {
            for grid in [SYMBOLIC, KNOWN] {
                assert!(apart(grid, body), "{grid}: {body}");
            }
        }
        for (grid, body) in [
            // Two variables in one index, of which the lower has a known end.
            ("4, M.div_ceil(64)", "T.copy(v, c[(0, by * 256 + bx * 64)]);"),
            ("3, M.div_ceil(64)", "T.copy(w, r[bx * 64 - by * 192]);"),
            // One block along an axis needs nothing.
            ("1, M.div_ceil(64)", "T.copy(v, c[(by * 64, n * 64)]);"),
            (SYMBOLIC, "T.copy(v, c[(by * 64, 0)]);"),
            (SYMBOLIC, "T.copy(v, c[(by * 64, bx * 32)]);"),
        ] {
            assert!(apart(grid, body), "{grid}: {body}");
        }
        assert!(apart(SYMBOLIC, "T.clear(v);"));
    }

    #[test]
    fn what_cannot_be_read_off_is_not_taken_for_granted() {
        for body in [
            "T.copy(v, c[(by * 64, bx / 2 * 64)]);",
            "T.copy(v, c[(by * 64, bx % 2 * 64)]);",
            "T.copy(v, c[(by * 64, bx * n * 64)]);",
            "T.copy(v, c[(by * 64, (bx * 64).min(64))]);",
            "T.copy(v, c[(by * 64, bx / 2 * 64 + bx % 2 * 64)]);",
            "T.copy(v, t[(bx % 4, by * 64, bx / 3 * 64)]);",
            "T.copy(v, c[(by * 64, bx / 2 * 64 + bx % 2 * 32)]);",
            // Each store alone would do.
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, c[(by * 64, bx * 64 + 64)]);",
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, c[(by * 64, bx * 128)]);",
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, c[(bx * 64, by * 64)]);",
            "T.copy(v, c[(by * 64, bx * 64)]); T.copy(v, c[(by * 64, bx * 64 + n)]);",
            "if bx == 0 { T.copy(v, c[(by * 64, 0)]); } else { T.copy(v, c[(by * 64, 64)]); }",
            // A loop that goes on into the next block's.
            "for k in 0..2 { T.copy(v, c[(by * 64, bx * 64 + k * 64)]); }",
            "for k in bx..bx + 2 { T.copy(v, c[(by * 64, k * 64)]); }",
            "for k in 0..n { T.copy(v, c[(by * 64, bx * 64 + k * 64)]); }",
            "for k in 0..bx { T.copy(v, c[(by * 64, k * 64)]); }",
            // A condition that is no single block.
            "if bx < 2 { T.copy(v, c[(by * 64, 0)]); }",
            "if bx == 0 || n > 2 { T.copy(v, c[(by * 64, 0)]); }",
            "for k in 0..2 { if bx == k { T.copy(v, c[(by * 64, 0)]); } }",
            // Two variables in one index.
            "T.copy(v, c[(0, by * 64 + bx * 32)]);",
            "T.copy(v, c[(0, by * 192 + bx * 64)]);",
        ] {
            assert!(!apart("n, M.div_ceil(64)", body), "{body}");
        }
        assert!(!apart("4, M.div_ceil(64)", "T.copy(v, c[(0, by * 192 + bx * 64)]);"));
    }
}
