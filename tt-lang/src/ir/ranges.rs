//! Which values the indices of `T.Parallel` have where a part of an expression counts.
//!
//! ```text
//!  for i in T.Parallel(64)   if i > 0 { x[i - 1] } else { .. }      i is 0 to 63; in the first branch, 1 to 63
//!                            if i >= n { x[i - n] } else { .. }     in the first branch n at least, besides
//! ```

use std::mem;
use std::rc::Rc;

use super::{Access, BoolExpr, CompareOp, Element, ElementKind, IntExpr, Linear, VarId};

/// The least and the greatest value of each index, and what else is known of them.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    constant: Vec<(VarId, [i64; 2])>,
    masks: Option<Masks>,
    /// Of each pair one condition at least holds, or does not hold as it says.
    open: Vec<Rc<[(Element, bool); 2]>>,
}

/// What the masks around a part of an expression say beside constants.
#[derive(Debug, Clone, Default)]
pub struct Masks {
    /// What holds of integers that are the same for all elements.
    pub holds: Vec<BoolExpr>,
    /// What an index is not below.
    pub least: Vec<(VarId, IntExpr)>,
    /// What it is not above.
    pub most: Vec<(VarId, IntExpr)>,
    /// Whether that, with the constants, is not all that the masks ask.
    pub is_vague: bool,
}

impl Ranges {
    /// Those of a loop.
    pub fn of(indices: &[(VarId, u64)]) -> Ranges {
        let last = |extent: u64| i64::try_from(extent).unwrap_or(i64::MAX).saturating_sub(1);
        Ranges {
            constant: indices.iter().map(|(var, extent)| (*var, [0, last(*extent)])).collect(),
            masks: None,
            open: Vec::new(),
        }
    }

    /// The least and the greatest value of an index, as far as constants say.
    pub fn get(&self, var: VarId) -> Option<[i64; 2]> {
        let known = self.constant.iter().find(|(known, _)| *known == var);
        known.map(|(_, range)| *range)
    }

    /// Those masks that are around; nothing outside of all branches.
    pub fn masks(&self) -> Option<&Masks> {
        self.masks.as_ref()
    }

    /// Whether nothing counts there at all.
    pub fn is_empty(&self) -> bool {
        self.constant.iter().any(|(_, [least, greatest])| least > greatest)
    }

    /// What is left where `condition` holds, or where it does not: of comparisons of one index with what is the same for all
    /// elements, and what `&&`, `||` and `!` make of them. Of others nothing is known. Where one of two holds, what both leave
    /// is left, and only the one as soon as the other cannot hold.
    pub fn narrowed(&self, condition: &Element, holds: bool) -> Ranges {
        let mut left = self.clone();
        left.narrow(condition, holds);
        for pair in mem::take(&mut left.open) {
            left.either(&pair);
        }
        left
    }

    /// Calls `visit` for every element that `value` reads, with what the indices are where it is read. What is read nowhere is
    /// left out.
    pub fn loads<'a>(&self, value: &'a Element, visit: &mut dyn FnMut(&'a Access, &Ranges)) {
        self.parts(value, &mut |part, ranges| {
            if let ElementKind::Load(access) = &part.kind {
                visit(access, ranges);
            }
        });
    }

    /// Calls `visit` for `value` and everything in it, with what the indices are where it counts. What counts nowhere is left out.
    pub fn parts<'a>(&self, value: &'a Element, visit: &mut dyn FnMut(&'a Element, &Ranges)) {
        if self.is_empty() {
            return;
        }
        visit(value, self);
        let mut choose = |condition: &'a Element, then: Option<&'a Element>, other: Option<&'a Element>| {
            self.parts(condition, visit);
            for (side, holds) in [(then, true), (other, false)] {
                if let Some(side) = side {
                    self.narrowed(condition, holds).parts(side, visit);
                }
            }
        };
        match &value.kind {
            ElementKind::Select(condition, then, other) => choose(condition, Some(then), Some(other)),
            ElementKind::And(condition, then) => choose(condition, Some(then), None),
            ElementKind::Or(condition, other) => choose(condition, None, Some(other)),
            ElementKind::Float(_)
            | ElementKind::Int(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Cast(..)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::Not(_) => {
                value.each_operand(&mut |operand| self.parts(operand, visit));
            }
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what other conditions say of indices is not known"
    )]
    fn narrow(&mut self, condition: &Element, holds: bool) {
        match &condition.kind {
            ElementKind::CompareInt(op, a, b) => {
                let mut masks = self.masks.take().unwrap_or_default();
                masks.is_vague |= self.compare(*op, [a, b], holds, &mut masks).is_none();
                self.masks = Some(masks);
            }
            ElementKind::Not(of) => self.narrow(of, !holds),
            ElementKind::And(a, b) | ElementKind::Or(a, b) => {
                let sides = [a, b].map(|of| (Element::clone(of), holds));
                match matches!(condition.kind, ElementKind::And(..)) == holds {
                    true => sides.iter().for_each(|(of, holds)| self.narrow(of, *holds)),
                    false => self.either(&Rc::new(sides)),
                }
            }
            _ => self.masks.get_or_insert_default().is_vague = true,
        }
    }

    /// What is left where one of two holds.
    fn either(&mut self, pair: &Rc<[(Element, bool); 2]>) {
        let [a, b] = pair.each_ref().map(|(condition, holds)| {
            let mut side = self.clone();
            side.narrow(condition, *holds);
            side
        });
        match (a.is_empty(), b.is_empty()) {
            (true, _) => *self = b,
            (_, true) => *self = a,
            (false, false) => {
                for ((_, range), sides) in self.constant.iter_mut().zip(a.constant.iter().zip(&b.constant)) {
                    let ((_, [least, greatest]), (_, [other_least, other_greatest])) = sides;
                    *range = [*least.min(other_least), *greatest.max(other_greatest)];
                }
                self.masks.get_or_insert_default().is_vague = true;
                self.open.push(Rc::clone(pair));
            }
        }
    }

    /// What a comparison says; nothing where that is not all of it.
    fn compare(&mut self, op: CompareOp, [a, b]: [&IntExpr; 2], holds: bool, masks: &mut Masks) -> Option<()> {
        let difference = Linear::difference(a, b);
        let mut counted = self.constant.iter_mut().filter(|(var, _)| difference.mentions(*var));
        let Some((var, [least, greatest])) = counted.next() else {
            let compared = BoolExpr::Compare(op, a.clone(), b.clone());
            masks.holds.push(match holds {
                true => compared,
                false => BoolExpr::Not(Box::new(compared)),
            });
            return Some(());
        };
        if counted.next().is_some() {
            return None;
        }
        let (coefficient, rest) = (difference.slope(*var)?, difference.without(*var));
        // As `coefficient · var <= room`, and the same of what is negated for the others.
        let constant = |value| Linear::of(&IntExpr::Const(value));
        let at_most = |most: i64| Some((coefficient, constant(most).plus(&rest, -1)?));
        let at_least = |least: i64| Some((coefficient.checked_neg()?, rest.clone().plus(&constant(least), -1)?));
        let bounds = match (op, holds) {
            (CompareOp::Le, true) | (CompareOp::Gt, false) => vec![at_most(0)?],
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => vec![at_most(-1)?],
            (CompareOp::Ge, true) | (CompareOp::Lt, false) => vec![at_least(0)?],
            (CompareOp::Gt, true) | (CompareOp::Le, false) => vec![at_least(1)?],
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => vec![at_most(0)?, at_least(0)?],
            (CompareOp::Eq, false) | (CompareOp::Ne, true) => {
                // It narrows where it leaves out an end.
                let rest = rest.as_const()?;
                let is = |value: i64| coefficient.saturating_mul(value).saturating_add(rest) == 0;
                let ends = [*least, *greatest].map(is);
                *least = least.saturating_add(i64::from(ends[0]));
                *greatest = greatest.saturating_sub(i64::from(ends[1]));
                return ends.contains(&true).then_some(());
            }
        };
        for (coefficient, room) in bounds {
            match (room.as_const(), coefficient) {
                (Some(room), 1..) => *greatest = (*greatest).min(room.div_euclid(coefficient)),
                (Some(room), _) => *least = (*least).max(room.checked_div_euclid(coefficient)?),
                (None, 1) => masks.most.push((*var, room.to_expr())),
                (None, -1) => masks.least.push((*var, Linear::default().plus(&room, -1)?.to_expr())),
                (None, _) => return None,
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{IntOp, Span};

    #[test]
    fn a_range_is_narrowed_as_plain_loops_count() {
        let var = VarId(0);
        let ops = [
            CompareOp::Eq,
            CompareOp::Ne,
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
        ];
        let ranges = Ranges::of(&[(var, 12)]);
        for op in ops {
            for (coefficient, constant, holds) in (-3..=3)
                .flat_map(|c| (-20..=20).map(move |k| (c, k)))
                .flat_map(|(c, k)| [true, false].map(|holds| (c, k, holds)))
            {
                let index = IntExpr::binary(IntOp::Mul, IntExpr::Var(var), IntExpr::Const(coefficient));
                let kind = ElementKind::CompareInt(op, index, IntExpr::Const(constant));
                let condition = Element { kind, span: Span(0) };
                let [least, greatest] = ranges.narrowed(&condition, holds).get(var).unwrap();
                let counted = (0..12).filter(|i| op.apply(coefficient * i, constant) == holds);
                for i in counted.clone() {
                    assert!(
                        least <= i && i <= greatest,
                        "{op:?} {coefficient} {constant} {holds}: {i}"
                    );
                }
                // Where one side of the range is meant, it is the whole truth.
                let is_range = !matches!((op, holds), (CompareOp::Ne, true) | (CompareOp::Eq, false));
                if is_range && coefficient != 0 {
                    assert_eq!(
                        (least..=greatest).count(),
                        counted.count(),
                        "{op:?} {coefficient} {constant} {holds}"
                    );
                }
            }
        }
    }

    #[test]
    fn of_two_conditions_one_holds() {
        let (row, column) = (VarId(0), VarId(1));
        let compared = |op, var, constant| {
            let kind = ElementKind::CompareInt(op, IntExpr::Var(var), IntExpr::Const(constant));
            Element { kind, span: Span(0) }
        };
        let (corner_rows, corner_columns) = (compared(CompareOp::Lt, row, 16), compared(CompareOp::Lt, column, 10));
        let kind = ElementKind::And(Box::new(corner_rows), Box::new(corner_columns));
        let corner = Element { kind, span: Span(0) };
        let outside = Ranges::of(&[(row, 32), (column, 20)]).narrowed(&corner, false);
        let both = |ranges: &Ranges| [row, column].map(|var| ranges.get(var).unwrap());
        assert_eq!(both(&outside), [[0, 31], [0, 19]]);
        let below = compared(CompareOp::Ge, row, 16);
        assert_eq!(both(&outside.narrowed(&below, true)), [[16, 31], [0, 19]]);
        assert_eq!(both(&outside.narrowed(&below, false)), [[0, 15], [10, 19]]);
        // In the first ten rows, or in the first ten columns; then in none of the columns.
        let kind = ElementKind::Or(
            Box::new(compared(CompareOp::Lt, row, 10)),
            Box::new(compared(CompareOp::Lt, column, 10)),
        );
        let bent = outside.narrowed(&Element { kind, span: Span(0) }, true);
        assert_eq!(both(&bent), [[0, 31], [0, 19]]);
        assert_eq!(
            both(&bent.narrowed(&compared(CompareOp::Lt, column, 10), true)),
            [[16, 31], [0, 9]]
        );
    }
}
