//! Where the elements of a tensor lie that a parallel loop reads or stores: columns along the last axis, rows along any other,
//! one after the other or at a pace.
//!
//! ```text
//!  a[(b, s * 64 + i, h, j)]     rows along axis 1, row h of all its matrices
//!  a[((by * 64 + i) / 2, j)]    rows at a pace: (by * 64 + r) / 2
//!  a[(63 - i, j)]               (63 - r)
//! ```

#![warn(clippy::arithmetic_side_effects)]

use super::access::{Classified, Result2d};
use super::regions::{Purpose, Rectangle};
use super::translate::{Refused, Translate};
use crate::codes;
use crate::flow::Pace;
use tt_device::TILE_SIDE;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Access, IntExpr, IntOp, Linear, ParamId, Span, VarId};

/// Turns of a remainder in one block, of which some may end with the tensor: each has an edge of its own.
const MOST_TURNS: i64 = 64;

/// How far rows of one block are from each other at most, and from row 0 of the tensor where nothing moves them at run time.
const MOST: u64 = 1 << 30;

/// Where elements of a tensor lie.
pub(super) struct TensorPlace {
    /// How they meet those of the result.
    pub meets: Classified,
    /// How rows follow each other.
    pub pace: Pace,
    /// The leading axis that rows go along, and the row of all its matrices.
    pub along: Option<(usize, IntExpr)>,
}

/// An index of rows: a sum with one index of the loop, what it is divided by, and what of is the remainder.
struct Paced {
    sum: Linear,
    var: VarId,
    pace: Pace,
}

impl Paced {
    /// Whether rows are computed in 32 bits, whatever is added to them at run time.
    fn is_small(&self, vars: &[(VarId, u64)]) -> bool {
        let Pace { step, over, modulo } = self.pace;
        let extent = vars
            .iter()
            .find(|(var, _)| *var == self.var)
            .map_or(1, |(_, extent)| *extent);
        let way = u64::from(step.unsigned_abs()).saturating_mul(extent.next_multiple_of(TILE_SIDE.into()));
        let turn = u64::from(over).saturating_mul(u64::from(modulo.unwrap_or(1)));
        [way, turn, self.sum.constant.unsigned_abs()]
            .iter()
            .all(|size| *size < MOST)
    }
}

impl Translate<'_> {
    /// The first of the rows that `index` counts in a parallel loop with this result, plus an index of the loop, and their pace;
    /// nothing where they follow each other, or are not counted so.
    pub(super) fn rows_at_pace(&self, index: &IntExpr, result: &Result2d) -> Option<(Linear, Pace)> {
        let vars: Vec<(VarId, u64)> = [result.row, result.column]
            .into_iter()
            .zip(result.extent)
            .filter_map(|(var, extent)| Some((var?, extent)))
            .collect();
        let linear = Linear::of(index);
        let is_plain = |(var, _): &(VarId, u64)| linear.slope(*var).is_some_and(|slope| slope == 0 || slope == 1);
        if vars.iter().all(is_plain) {
            return None;
        }
        let Paced { sum, var, pace } = self.paced(index, &vars).filter(|paced| paced.is_small(&vars))?;
        let row = sum.without(var).plus(&Linear::of(&IntExpr::Var(var)), 1)?;
        Some((row, pace))
    }

    /// Where the elements of `tensor` lie that `access` means, for a parallel loop with this result.
    pub(super) fn tensor_place(
        &self,
        tensor: ParamId,
        access: &Access,
        result: &Result2d,
    ) -> Result<TensorPlace, Refused> {
        let name = self.kernel.params[tensor.index()].name();
        let refused = |what: &str| refused(name, what, access.span);
        let Some((column, before)) = access.indices.split_last() else {
            return Err(refused("it has no axis"));
        };
        let vars: Vec<(VarId, u64)> = [result.row, result.column]
            .into_iter()
            .zip(result.extent)
            .filter_map(|(var, extent)| Some((var?, extent)))
            .collect();
        let mentions = |index: &IntExpr| vars.iter().any(|(var, _)| index.mentions(*var));
        let zero = IntExpr::Const(0);
        let row = before.last().unwrap_or(&zero);
        let plain = |this: &Self, row: &Linear, along| {
            let column = this.columns(column, &vars, name, access.span)?;
            let meets = result.classify(row, &column, name, access.span)?;
            Ok(TensorPlace {
                meets,
                pace: Pace::PLAIN,
                along,
            })
        };
        let mut along_which = (0..before.len()).filter(|axis| mentions(&before[*axis]));
        let Some(axis) = along_which.next() else {
            return plain(self, &Linear::of(row), None);
        };
        if along_which.next().is_some() {
            let ones = vars.iter().filter(|(_, extent)| *extent == 1);
            let ones: Vec<VarId> = ones.map(|(var, _)| *var).collect();
            if !ones.is_empty() {
                // An index of a loop over one element is 0.
                let fixed = |index: &IntExpr| index.substitute(&|var| ones.contains(&var).then_some(IntExpr::Const(0)));
                let access = Access {
                    indices: access.indices.iter().map(fixed).collect(),
                    ..access.clone()
                };
                let fewer = Result2d {
                    row: result.row.filter(|var| !ones.contains(var)),
                    column: result.column.filter(|var| !ones.contains(var)),
                    ..*result
                };
                return self.tensor_place(tensor, &access, &fewer);
            }
            let is_one = vars
                .iter()
                .any(|(var, _)| access.indices.iter().filter(|index| index.mentions(*var)).count() > 1);
            return Err(match is_one {
                true => refused("one index stands for a row and a column"),
                false => refused("its columns lie along another axis than the last")
                    .note("copy a block whose columns lie along the last axis, and `T.transpose` it"),
            });
        }
        let along = (axis.checked_add(1) != Some(before.len())).then(|| (axis, row.clone()));
        let index = &before[axis];
        let is_plain = {
            let sum = Linear::of(index);
            let is_plain = |(var, _): &(VarId, u64)| sum.slope(*var).is_some_and(|slope| slope == 0 || slope == 1);
            vars.iter().all(is_plain)
        };
        if is_plain {
            return plain(self, &Linear::of(index), along);
        }
        let Some(Paced { sum, var, pace }) = self.paced(index, &vars).filter(|paced| paced.is_small(&vars)) else {
            return Err(refused(
                "an index is not a loop index with constant factors, quotients and remainders, plus an offset",
            )
            .note("what a remainder is of is never below 0: of a scalar that may be write `n.max(0)`"));
        };
        let first = sum.without(var);
        let one = Linear::of(&IntExpr::Var(var));
        let row = first.plus(&one, 1).ok_or_else(|| refused("an offset is too large"))?;
        let place = TensorPlace {
            pace,
            ..plain(self, &row, along)?
        };
        self.turns_are_few(tensor, &place, result, access.span)?;
        Ok(place)
    }

    /// The elements of a tensor that are at `place`.
    pub(super) fn rectangle(
        &self,
        tensor: ParamId,
        access: &Access,
        place: &TensorPlace,
        extent: [u64; 2],
        purpose: Purpose,
    ) -> Rectangle {
        Rectangle {
            tensor,
            matrix: access.indices[..access.indices.len().saturating_sub(2)].to_vec(),
            first: place
                .meets
                .offset
                .each_ref()
                .map(|offset| (offset.to_expr(), access.span)),
            extent,
            count: [None, None],
            pace: place.pace,
            along: place.along.clone(),
            span: access.span,
            purpose,
        }
    }

    /// The index along the last axis, whose elements lie one after the other.
    fn columns(&self, index: &IntExpr, vars: &[(VarId, u64)], name: &str, span: Span) -> Result<Linear, Refused> {
        let sum = Linear::of(index);
        let is_plain = |(var, _): &(VarId, u64)| sum.slope(*var).is_some_and(|slope| slope == 0 || slope == 1);
        if vars.iter().all(is_plain) || self.paced(index, vars).is_none() {
            return Ok(sum);
        }
        let message = format!("`{name}` is indexed with a step, quotient or remainder along its last axis");
        Err(Diagnostic::new(
            &tt_lang::codes::RESERVED,
            span,
            format!("{message}, which is not built yet"),
        )
        .note("read the elements that lie there into a block, and take those that are wanted from it"))
    }

    /// An index of one of `vars` with constant factors, quotients and remainders.
    fn paced(&self, index: &IntExpr, vars: &[(VarId, u64)]) -> Option<Paced> {
        let sum = Linear::of(index);
        let mentioned = |expr: &IntExpr| vars.iter().find(|(var, _)| expr.mentions(*var));
        let mut atoms = sum.terms.iter().filter(|(atom, _)| mentioned(atom).is_some());
        let ((atom, factor), None) = (atoms.next()?.clone(), atoms.next()) else {
            return None;
        };
        if let IntExpr::Var(var) = atom {
            let step = i32::try_from(factor).ok()?;
            return Some(Paced {
                sum,
                var,
                pace: Pace::by(step),
            });
        }
        let IntExpr::Binary(op, inner, by) = &atom else {
            return None;
        };
        let by = by
            .as_const()
            .and_then(|by| u32::try_from(by).ok())
            .filter(|by| *by > 0)?;
        let by_before = i64::from(by).checked_sub(1)?;
        let mut of = self.paced(inner, vars)?;
        let Pace { over, modulo, .. } = &mut of.pace;
        match (op, &modulo) {
            (IntOp::Div, None) => *over = over.checked_mul(by)?,
            // A part of the remainder by more.
            (IntOp::Div, Some(of)) if of.is_multiple_of(by) => {
                *modulo = of.checked_div(by);
                *over = over.checked_mul(by)?;
            }
            (IntOp::CeilDiv, None) if *over == 1 => {
                *over = by;
                of.sum.constant = of.sum.constant.checked_add(by_before)?;
            }
            (IntOp::Rem, None) => *modulo = Some(by),
            (IntOp::Rem, Some(of)) if of.is_multiple_of(by) || *of <= by => *modulo = Some(by.min(*of)),
            _ => return None,
        }
        // What a remainder is of is never below zero, nor what something is added to after it was divided.
        let rest = Linear {
            terms: sum.terms.into_iter().filter(|(term, _)| *term != atom).collect(),
            constant: sum.constant,
        };
        let Pace { step, over, modulo } = of.pace;
        let last = vars.iter().find(|(var, _)| *var == of.var)?.1.checked_sub(1)?;
        let way = i64::from(step).checked_mul(i64::try_from(last).ok()?)?;
        let lowest = IntExpr::binary(
            IntOp::Add,
            of.sum.clone().without(of.var).to_expr(),
            IntExpr::Const(way.min(0)),
        );
        let lowest = Linear::of(&lowest).to_expr();
        let is_natural = self.signs.is_at_least(&lowest, 0);
        let is_alone = rest == Linear::default();
        let is_known = match is_alone {
            true => is_natural || *op == IntOp::Div,
            false => is_natural && modulo.is_none() && self.signs.is_at_least(&rest.to_expr(), 0),
        };
        if factor != 1 || !is_known {
            return None;
        }
        of.sum = of.sum.plus(&rest, i64::from(over))?;
        // Quotients of multiples are none, and so are remainders of what is less.
        let highest = of.sum.clone().without(of.var).as_const();
        let highest = highest.and_then(|first| first.checked_add(way.max(0))?.checked_div(i64::from(over)));
        if let (Some(highest), Some(by)) = (highest, modulo)
            && highest < i64::from(by)
        {
            of.pace.modulo = None;
        }
        Some(of)
    }

    /// Refuses a remainder by more rows than the tensor may have with more turns in a block than anybody would tell apart.
    fn turns_are_few(
        &self,
        tensor: ParamId,
        place: &TensorPlace,
        result: &Result2d,
        span: Span,
    ) -> Result<(), Refused> {
        let Some(modulo) = place.pace.modulo else { return Ok(()) };
        let extent = self.extent_along(tensor, 0, &place.along);
        if self.signs.is_at_least(&extent, i64::from(modulo)) {
            return Ok(());
        }
        let rows = i64::try_from(result.extent.into_iter().max().unwrap_or(1)).unwrap_or(i64::MAX);
        let way = rows.saturating_mul(i64::from(place.pace.step).saturating_abs());
        let turn = i64::from(modulo).saturating_mul(i64::from(place.pace.over)).max(1);
        if way.checked_div(turn).is_some_and(|turns| turns < MOST_TURNS) {
            return Ok(());
        }
        let name = self.kernel.params[tensor.index()].name();
        let what = format!("of the rows that come again, `{name}` may have fewer than {modulo}");
        Err(refused(name, &what, span).note(format!(
            "give `{name}` a literal extent there, or count fewer of their turns, at most {MOST_TURNS}"
        )))
    }
}

fn refused(name: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::new(
        &codes::ACCESS,
        span,
        format!("`{name}` is indexed in a way that is not compiled: {what}"),
    )
    .note("write the loop's indices themselves, plus what is the same for all elements, or that alone; swap both for the transpose")
}
