//! Stores that meet: two blocks of the grid that store the same element.
//!
//! Blocks run in any order, so which of them is last is chance. Two blocks that differ in one grid variable alone agree in
//! everything that does not mention it, loop variables among it. A store that neither stands under a condition nor in a loop
//! that the variable decides is therefore met by both, and it goes to the same elements where no index mentions the variable,
//! or where each index that does moves by less than the block stores along its axis.
//!
//! ```text
//!  let (bx, by) = T.Kernel(2, 64); T.copy(v, c[(by * 64, 0)])                          ⟹   an error: 2 blocks store each element
//!  let (bx, by) = T.Kernel(N.div_ceil(64), ..); T.copy(v, c[(by * 64, 0)])             ⟹   the plan: one block along bx
//!  let (bx, by) = T.Kernel(N.div_ceil(64), ..); if bx == 0 { T.copy(v, c[(by * 64, 0)]) }   ⟹   nothing
//! ```
//!
//! What is not certain is no error; where it is not certain either that blocks stay apart (`apart`), the emulator sees at the
//! end of the launch what two of them stored.

use super::stores::{Around, Axis, Run, Store, Stores};
use crate::codes;
use crate::linear::lower_bound;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{BoolExpr, IntExpr, IntOp, Kernel, Linear, Spanned, VarId};
use tt_plan::LoneAxis;

/// The axes of the grid along which a launch may have one block only.
///
/// # Errors
/// Stores of the same elements by blocks that every launch has.
pub fn check(kernel: &Kernel, stores: &Stores) -> Result<Vec<LoneAxis>, Vec<Diagnostic>> {
    let mut lone = Vec::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (number, (var, extent)) in kernel.grid.axes.iter().enumerate() {
        let axis = GridAxis {
            var: *var,
            extent,
            known: constant(&extent.value),
        };
        if axis.known.is_some_and(|blocks| blocks <= 1) {
            continue;
        }
        let mut meeting = stores
            .all
            .iter()
            .filter_map(|store| Some((store, store.overlap(*var)?, store.happens(kernel, &axis)?)));
        if let Some(blocks) = axis.known {
            errors.extend(meeting.map(|(store, overlap, _)| error(kernel, &axis, blocks, store, &overlap)));
        } else if let Some((store, overlap, _)) = meeting.find(|(.., happens)| *happens == Happens::Certainly) {
            lone.push(LoneAxis {
                axis: number,
                reason: format!(
                    "{}, so the grid must be 1 there",
                    overlap.reason(kernel.params[store.tensor.index()].name(), kernel.variable(*var))
                ),
            });
        }
    }
    errors.dedup();
    if errors.is_empty() { Ok(lone) } else { Err(errors) }
}

fn error(kernel: &Kernel, axis: &GridAxis, blocks: i64, store: &Store, overlap: &Overlap) -> Diagnostic {
    let variable = kernel.variable(axis.var);
    let tensor = kernel.params[store.tensor.index()].name();
    let note = match overlap.shared.first() {
        None => format!(
            "make an index of `{tensor}` out of `{variable}`, store under a condition such as `if {variable} == 0`, or let \
             the grid be 1 there"
        ),
        Some(shared) => {
            let (own, unit, step) = (shared.own, shared.unit, shared.run.step.abs());
            let apart = own.saturating_mul(step);
            format!("a block stores {own} {unit}: let the index grow by as many, `{variable} * {apart}`")
        }
    };
    Diagnostic::new(&codes::STORED_TWICE, store.span, overlap.reason(tensor, variable))
        .label(axis.extent.span, format!("`{variable}` has {blocks} blocks"))
        .note(note)
}

/// A grid variable and how many blocks it has.
struct GridAxis<'a> {
    var: VarId,
    extent: &'a Spanned<IntExpr>,
    /// The extent, where it is the same in every launch.
    known: Option<i64>,
}

/// What two neighbours along a grid variable both store.
struct Overlap {
    /// The axes along which they do not store all the same.
    shared: Vec<Shared>,
}

/// What two blocks share along one axis of the tensor.
struct Shared {
    /// Elements that both store.
    both: i64,
    /// Elements that each stores.
    own: i64,
    unit: &'static str,
    /// The axis, its run, and by how many of its elements the second block is further.
    axis: usize,
    run: Run,
    ahead: i64,
}

/// Whether a store that two blocks share is met, and inside the tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Happens {
    /// In every launch that has two blocks there.
    Certainly,
    /// In some launches, as far as can be seen.
    Possibly,
}

impl Overlap {
    /// What is wrong with it, without the rest of the sentence.
    fn reason(&self, tensor: &str, variable: &str) -> String {
        if self.shared.is_empty() {
            return format!("`{tensor}` is stored at the same place by all blocks along `{variable}`");
        }
        let parts: Vec<String> = self
            .shared
            .iter()
            .map(|shared| format!("{} of {} {}", shared.both, shared.own, shared.unit))
            .collect();
        format!(
            "blocks next to each other along `{variable}` both store {} of `{tensor}`",
            parts.join(" and ")
        )
    }
}

impl Store<'_> {
    /// What two blocks both store that differ by one in `var` and in nothing else, where that is certain.
    fn overlap(&self, var: VarId) -> Option<Overlap> {
        let decided = self.around.iter().any(|around| match around {
            Around::Loop(_, start, end) => start.mentions(var) || end.mentions(var),
            Around::Side(cond, _) => mentions(cond, var),
        });
        if decided || self.fetched_by.contains(&var) {
            return None;
        }
        let rank = self.axes.len();
        let mut shared = Vec::new();
        for (number, axis) in self.axes.iter().enumerate() {
            let index = Linear::of(axis.index);
            if !index.mentions(var) {
                continue;
            }
            let moves = index.coefficient(var);
            if index.without(var).mentions(var) || !axis.is_certain {
                return None;
            }
            let (run, ahead) = axis.runs.iter().find_map(|run| {
                let ahead = moves.checked_div(run.step)?;
                let meets = moves.checked_rem(run.step)? == 0 && ahead.checked_abs()? < run.length;
                meets.then_some((*run, ahead))
            })?;
            shared.push(Shared {
                both: run.length.checked_sub(ahead.checked_abs()?)?,
                own: run.length,
                unit: match rank.saturating_sub(number) {
                    1 if rank == 1 => "elements",
                    1 => "columns",
                    2 => "rows",
                    _ => "matrices",
                },
                axis: number,
                run,
                ahead,
            });
        }
        Some(Overlap { shared })
    }

    /// Whether two blocks along `axis` meet this store, and store inside the tensor what they share; `None` where they
    /// certainly do not. Looked at is the first block along all other variables, and the first iteration of every loop.
    fn happens(&self, kernel: &Kernel, axis: &GridAxis) -> Option<Happens> {
        let mut happens = Happens::Certainly;
        let mut first: Vec<(VarId, i64)> = kernel.grid.axes.iter().map(|(var, _)| (*var, 0)).collect();
        for around in &self.around {
            match around {
                Around::Loop(var, start, end) => {
                    let count = IntExpr::binary(IntOp::Sub, (*end).clone(), (*start).clone());
                    if constant(&count).is_some_and(|count| count < 1) {
                        return None;
                    }
                    let count = Linear::of(&at(&count, &first)).to_expr();
                    if lower_bound(&count).is_none_or(|count| count < 1) {
                        happens = Happens::Possibly;
                    }
                    if let Some(start) = constant(&at(start, &first)) {
                        first.push((*var, start));
                    }
                }
                Around::Side(cond, side) => {
                    if decide(cond, &[]).is_some_and(|holds| holds != *side) {
                        return None;
                    }
                    if decide(cond, &first) != Some(*side) {
                        happens = Happens::Possibly;
                    }
                }
            }
        }
        let overlap = self.overlap(axis.var)?;
        let extents = kernel.tensor(self.tensor).map_or(&[][..], |tensor| &tensor.extents);
        for (number, (stored, extent)) in self.axes.iter().zip(extents).enumerate() {
            let shared = overlap.shared.iter().find(|shared| shared.axis == number);
            match stored.inside(shared, &first, extent, axis) {
                Some(true) if stored.is_certain => {}
                Some(false) if stored.is_fixed(shared.map(|_| axis.var)) => return None,
                // Other blocks or iterations may be inside.
                Some(_) | None => happens = Happens::Possibly,
            }
        }
        Some(happens)
    }
}

impl Axis<'_> {
    /// Whether an element that two blocks store lies within the tensor along this axis of extent `extent`, for the values
    /// `first` of variables and every launch with two blocks along `grid`; `None` where that is open.
    fn inside(
        &self,
        shared: Option<&Shared>,
        first: &[(VarId, i64)],
        extent: &Spanned<IntExpr>,
        grid: &GridAxis,
    ) -> Option<bool> {
        let mut values = first.to_vec();
        values.extend(self.parallel.iter().map(|(var, _)| (*var, 0)));
        let start = constant(&at(self.index, &values))?;
        let (run, ahead) = match shared {
            Some(shared) => (shared.run, shared.ahead),
            None => (self.runs.first().copied().unwrap_or(Run { step: 1, length: 1 }), 0),
        };
        // What both store: the last elements of the block that is behind, the first of the one ahead.
        let start = start.checked_add(run.step.checked_mul(ahead.max(0))?)?;
        let length = run.length.checked_sub(ahead.checked_abs()?)?;
        if run.step < 1 {
            return None;
        }
        let before = start.checked_neg()?.max(0);
        let skipped = IntOp::CeilDiv.apply(before, run.step)?;
        let nearest = start.checked_add(skipped.checked_mul(run.step)?)?;
        if skipped >= length {
            return Some(false);
        }
        match constant(&extent.value) {
            Some(extent) => Some(nearest < extent),
            None => (nearest < least(&extent.value, &grid.extent.value)).then_some(true),
        }
    }

    /// Whether the index is the same for all blocks and iterations, but for `var`.
    fn is_fixed(&self, var: Option<VarId>) -> bool {
        let mut fixed = true;
        self.index.walk(&mut |part| match part {
            IntExpr::Var(other) => {
                fixed &= Some(*other) == var || self.parallel.iter().any(|(index, _)| index == other);
            }
            IntExpr::Fetched(_) => fixed = false,
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Binary(..) => {}
        });
        fixed
    }
}

/// What `extent` is never below in a launch whose grid has at least two blocks along an axis of extent `grid`.
fn least(extent: &IntExpr, grid: &IntExpr) -> i64 {
    let whatever = lower_bound(extent).unwrap_or(1).max(1);
    let two_blocks = || {
        let (over, least) = at_two(grid)?;
        let more = constant(&IntExpr::binary(IntOp::Sub, extent.clone(), over.clone()))?;
        least.checked_add(more)
    };
    two_blocks().map_or(whatever, |two| two.max(whatever))
}

/// Something that is at least the number where `grid` is at least 2.
fn at_two(grid: &IntExpr) -> Option<(&IntExpr, i64)> {
    match grid {
        IntExpr::Const(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => None,
        IntExpr::Extent(_) | IntExpr::Scalar(_) => Some((grid, 2)),
        IntExpr::Binary(IntOp::CeilDiv, a, b) => {
            let by = b.as_const().filter(|by| *by >= 1)?;
            Some((a, by.checked_add(1)?))
        }
        IntExpr::Binary(IntOp::Div, a, b) => {
            let by = b.as_const().filter(|by| *by >= 1)?;
            Some((a, by.checked_mul(2)?))
        }
        IntExpr::Binary(IntOp::Max, a, b) => match (a.as_const(), b.as_const()) {
            (None, Some(..2)) => at_two(a),
            (Some(..2), None) => at_two(b),
            _ => None,
        },
        IntExpr::Binary(IntOp::Min, a, b) => at_two(a).or_else(|| at_two(b)),
        IntExpr::Binary(IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Rem, ..) => None,
    }
}

/// The value of `expr`, where it is the same whatever it mentions.
pub(super) fn constant(expr: &IntExpr) -> Option<i64> {
    let sum = Linear::of(expr);
    sum.terms.is_empty().then_some(sum.constant)
}

/// `expr` where the variables have these values.
fn at(expr: &IntExpr, values: &[(VarId, i64)]) -> IntExpr {
    expr.substitute(&|var| {
        let value = values.iter().rev().find(|(known, _)| *known == var);
        value.map(|(_, value)| IntExpr::Const(*value))
    })
}

/// Whether `cond` holds where the variables have these values, as far as that says it.
fn decide(cond: &BoolExpr, values: &[(VarId, i64)]) -> Option<bool> {
    match cond {
        BoolExpr::Const(value) => Some(*value),
        BoolExpr::Compare(op, a, b) => {
            let difference = IntExpr::binary(IntOp::Sub, at(a, values), at(b, values));
            constant(&difference).map(|difference| op.apply(difference, 0))
        }
        BoolExpr::CompareNumbers(..) => None,
        BoolExpr::And(a, b) => match (decide(a, values), decide(b, values)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            (None, _) | (_, None) => None,
        },
        BoolExpr::Or(a, b) => match (decide(a, values), decide(b, values)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            (None, _) | (_, None) => None,
        },
        BoolExpr::Not(a) => decide(a, values).map(|holds| !holds),
    }
}

/// Whether `cond` mentions `var`.
fn mentions(cond: &BoolExpr, var: VarId) -> bool {
    let mut found = false;
    cond.integers(&mut |integer| found |= integer.mentions(var));
    found
}

#[cfg(test)]
mod tests {
    use super::{Stores, check};

    /// What is said of a kernel with this grid and body: errors, or what a launch checks.
    fn said(grid: &str, body: &str) -> Vec<String> {
        let source = format!(
            "fn kernel<const M: usize, const N: usize>(
                a: &Tensor<bf16, M, N>, f: f32, n: u32,
                c: &mut Tensor<bf16, M, N>, d: &mut Tensor<bf16, 32, 32>, r: &mut Tensor<bf16, N>
            ) {{
                let (bx, by) = T.Kernel({grid});
                let v = T.alloc_shared::<bf16>(64, 64);
                let w = T.alloc_shared::<bf16>(64);
                {body}
            }}"
        );
        let parsed = tt_lang::syntax::parse(Default::default(), source.parse().expect("tokens"), "overlap.rs");
        let kernel = parsed
            .kernel
            .unwrap_or_else(|| panic!("{body}: {:#?}", parsed.diagnostics));
        match check(&kernel, &Stores::of(&kernel.body)) {
            Ok(lone) => lone
                .into_iter()
                .map(|lone| format!("{}: {}", lone.axis, lone.reason))
                .collect(),
            Err(errors) => errors.into_iter().map(|error| error.message).collect(),
        }
    }

    const KNOWN: &str = "2, M.div_ceil(64)";
    const SYMBOLIC: &str = "N.div_ceil(64), M.div_ceil(64)";
    const SAME_PLACE: &str = "`c` is stored at the same place by all blocks along `bx`";

    #[test]
    fn blocks_that_certainly_store_an_element_twice_are_seen() {
        let half = "blocks next to each other along `bx` both store 32 of 64 columns of `c`";
        let cases = [
            // No index mentions the grid variable.
            ("T.copy(v, c[(by * 64, 0)]);", SAME_PLACE),
            ("T.copy(v, c[(by * 64, bx * 64 - 64 * bx)]);", SAME_PLACE),
            (
                "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + i, j)] = 1.0; }",
                SAME_PLACE,
            ),
            (
                "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + j, i)] += a[(by * 64 + i, bx * 64 + j)]; }",
                SAME_PLACE,
            ),
            // What is around it is the same for both.
            (
                "for k in 0..N.div_ceil(64) { T.copy(v, c[(by * 64, k * 64)]); }",
                SAME_PLACE,
            ),
            ("for k in by..by + 2 { T.copy(v, c[(k * 64, 0)]); }", SAME_PLACE),
            ("if by == 0 { T.copy(v, c[(0, 0)]); }", SAME_PLACE),
            // A choice between values is no condition around the store.
            (
                "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + i, j)] = if bx == 0 { 1.0 } else { v[(i, j)] }; }",
                SAME_PLACE,
            ),
            // Blocks that overlap.
            ("T.copy(v, c[(by * 64, bx * 32)]);", half),
            ("T.copy(v, c[(by * 64, (bx + by) * 32)]);", half),
            (
                "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + i, bx * 32 + j)] = 1.0; }",
                half,
            ),
            (
                "if by == 0 { T.copy(w, r[bx * 32]); }",
                "blocks next to each other along `bx` both store 32 of 64 elements of `r`",
            ),
        ];
        for (body, message) in cases {
            assert_eq!(said(KNOWN, body), [message], "{body}");
            let at_launch = format!("0: {message}, so the grid must be 1 there");
            assert_eq!(said(SYMBOLIC, body), [at_launch], "{body}");
        }
        assert_eq!(
            said("2, 1", "T.copy(v, c[(bx * 32, bx * 32)]);"),
            ["blocks next to each other along `bx` both store 32 of 64 rows and 32 of 64 columns of `c`"]
        );
        assert_eq!(
            said("4, 4", "T.copy(v, c[(0, 0)]);"),
            [SAME_PLACE, "`c` is stored at the same place by all blocks along `by`"]
        );
    }

    #[test]
    fn what_is_not_certain_is_no_error() {
        for body in [
            "T.copy(v, c[(by * 64, bx * 64)]);",
            "T.copy(v, c[(bx * 64, by * 64)]);",
            "for (i, j) in T.Parallel(64, 64) { c[(bx * 64 + j, by * 64 + i)] = v[(i, j)]; }",
            "T.copy(v, c[(by * 64, bx * 128)]); T.copy(v, c[(by * 64, bx * 128 + 64)]);",
            // The grid variable decides whether, or how often.
            "if bx == 0 { T.copy(v, c[(by * 64, 0)]); }",
            "if n > 2 && by + bx < 3 { T.copy(v, c[(by * 64, 0)]); } else { T.clear(v); }",
            "for k in 0..bx { T.copy(v, c[(by * 64, k * 64)]); }",
            "for k in bx..bx + 1 { T.copy(v, c[(by * 64, k * 64)]); }",
            "for k in 0..bx + 1 { for l in 0..2 { T.copy(v, c[(by * 64, l * 64)]); } }",
            // Offsets that are no sum.
            "T.copy(v, c[(by * 64, bx / 2 * 64)]);",
            "T.copy(v, c[(by * 64, bx % 2 * 64)]);",
            "T.copy(v, c[(by * 64, bx * n)]);",
            "T.copy(v, c[(by * 64, bx.min(1) * 64 + bx * 32)]);",
            "T.copy(v, c[(by * 64 + bx / 2 * 32, bx * 32)]);",
            // One axis apart is enough.
            "if by == 0 { T.copy(v, c[(bx * 64, bx * 32)]); }",
            // Both indices move with `i`: block 1 goes on where block 0 does not.
            "if by == 0 { for i in T.Parallel(32) { c[(bx * 16 + i, i)] = 1.0; } }",
            // Every other column: neighbours interleave.
            "for (i, j) in T.Parallel(32, 32) { c[(by * 32 + i, bx + 2 * j)] = 1.0; }",
            // Nothing is stored there, or nothing by the second block.
            "if 1 > 2 { T.copy(v, c[(by * 64, 0)]); }",
            "for k in 0..0 { T.copy(v, c[(by * 64, 0)]); }",
            "if by == 0 { T.copy(v, d[(32, 0)]); }",
            "T.copy(v, d[(by * 64, bx * 32)]);",
        ] {
            for grid in [KNOWN, SYMBOLIC, "n, M.div_ceil(64)"] {
                assert_eq!(said(grid, body), [""; 0], "{grid}: {body}");
            }
        }
    }

    #[test]
    fn a_grid_of_one_block_may_store_anywhere() {
        for grid in ["1, M.div_ceil(64)", "N - N + 1, M.div_ceil(64)"] {
            assert_eq!(said(grid, "T.copy(v, c[(by * 64, 0)]);"), [""; 0], "{grid}");
        }
    }

    /// With another grid than the tensor's own, the second block may be past its end; under a condition, no block may store.
    #[test]
    fn a_launch_is_refused_only_where_it_would_store_twice() {
        for body in [
            "T.copy(v, c[(by * 64, bx * 32)]);",
            "if n > 2 { T.copy(v, c[(by * 64, 0)]); }",
            "if f > 1.0 { T.copy(v, c[(by * 64, 0)]); }",
            "if by > 0 { T.copy(v, c[(by * 64, 0)]); }",
            "for k in 0..n { T.copy(v, c[(by * 64, k * 64)]); }",
            "T.copy(v, c[(by * 64, 64)]);",
            "T.copy(v, c[(by * 64 - 64, 0)]);",
            "T.copy(v, c[(n, 0)]);",
        ] {
            assert_eq!(said("n, M.div_ceil(64)", body), [""; 0], "{body}");
            assert_eq!(said(KNOWN, body).len(), 1, "{body}");
        }
        let overlap = "T.copy(v, c[(by * 64, bx * 32)]);";
        for (grid, seen) in [
            ("N.div_ceil(32)", true),
            ("N / 16", false),
            ("N / 17", true),
            ("(N + 63) / 64", true),
            ("N.div_ceil(64).max(1)", true),
            ("N.div_ceil(64).max(2)", false),
            ("N.div_ceil(64).min(8)", true),
            ("N.div_ceil(16)", false),
            ("M.div_ceil(64)", false),
        ] {
            let found = said(&format!("{grid}, M.div_ceil(64)"), overlap);
            assert_eq!(found.len(), usize::from(seen), "{grid}: {found:?}");
        }
    }
}
