//! Where elements have a value, as conditions on indices.

use super::super::edges::{Age, Edge, Past};
use super::{Beyond, Both, Found, State};
use crate::flow::{Broadcast, Elementwise, Index, Operand, Reduction, Sees, Value, ValueKind};
use tt_device::TILE;
use tt_lang::hash::HashMap;
use tt_lang::ir::{ElementOp, IntExpr, IntOp, Linear};

/// Where an element has a value: where of each of these, an integer is below zero.
pub type Mask = Vec<Vec<Index>>;

/// The bits of the number that changes no sum, maximum or minimum.
pub type Neutral = u32;

/// Conditions of edges, all in all: branches of elements that are stored one after the other, around a loop too, may each hold or not.
const MOST_WHENS: usize = 32;

/// What is reduced.
pub struct Reduced {
    /// The reduction, as it stands before the pass.
    pub value: Value,
    /// Where it has a value, if conditions on indices say so.
    pub mask: Option<Mask>,
    /// The block that it is, where it is one as it stands, and the number that changes no fold of it.
    pub block: Option<(Sees, Neutral)>,
}

/// The conditions of edges, each once: where all these integers are below zero. The first is none.
pub(super) struct Whens {
    numbers: HashMap<Vec<Index>, usize>,
    all: Vec<Vec<Index>>,
}

impl Default for Whens {
    fn default() -> Whens {
        Whens {
            numbers: HashMap::from_iter([(Vec::new(), 0)]),
            all: vec![Vec::new()],
        }
    }
}

impl Whens {
    /// The condition of an edge.
    pub(super) fn of(&self, edge: &Edge) -> &[Index] {
        &self.all[edge.when]
    }

    /// The number of a condition.
    pub(super) fn number(&mut self, when: Vec<Index>) -> usize {
        *self.numbers.entry(when).or_insert_with_key(|when| {
            self.all.push(when.clone());
            self.all.len() - 1
        })
    }
}

impl Beyond<'_> {
    /// Where an element within an edge lies: where all of these are below zero. Nothing where it is another turn's edge.
    pub(super) fn inside(&self, edge: &Edge, axis: usize) -> Option<Vec<Index>> {
        if edge.age != Age::Now {
            return None;
        }
        let place = &self.places.borrow().all[edge.place];
        let step = if edge.whole { 0 } else { place.step };
        let (row, column) = if axis == 0 { (step, 0) } else { (0, step) };
        let first = IntExpr::binary(IntOp::Mul, place.at.clone(), IntExpr::Const(place.unit));
        let shift = IntExpr::Const(i64::from(edge.shift).saturating_mul(TILE).saturating_mul(place.step));
        let first = IntExpr::binary(IntOp::Add, first, shift);
        let rest = Linear::difference(&first, &place.extent).to_expr();
        let mut mask = vec![Index { row, column, rest }];
        if place.precedes {
            let rest = Linear::of(&first).to_expr();
            mask.push(Index { row, column, rest }.negated(1));
        }
        Some(mask)
    }

    /// Where a value has one, if conditions on indices say so.
    pub(super) fn mask(&self, past: &Both) -> Option<Mask> {
        let mut mask = Mask::new();
        for (axis, past) in past.iter().enumerate() {
            if past.unsure().next().is_some() || past.wrong().next().is_some() {
                return None;
            }
            for edge in past.edges() {
                let outside_when = self
                    .whens
                    .borrow()
                    .of(edge)
                    .iter()
                    .map(|index| index.negated(1))
                    .collect::<Vec<_>>();
                for index in self.inside(edge, axis)? {
                    let any = [vec![index], outside_when.clone()].concat();
                    if !mask.contains(&any) {
                        mask.push(any);
                    }
                }
            }
        }
        Some(mask)
    }

    /// A choice by indices alone: what it reads of either side is what the condition leaves of it.
    pub(super) fn chosen(&self, condition: &Value, a: Found, b: Found) -> Found {
        let of = a.of.and(b.of);
        let known = [true, false].map(|holds| {
            let mut known = Vec::new();
            let is_all = conditions(condition, holds, &mut known);
            (known, is_all)
        });
        let within = |found: &Found, known: &[Index], axis: usize| {
            found.past[axis].clone().within(|edge| {
                let inside = self.inside(edge, axis);
                inside.is_some_and(|inside| {
                    inside
                        .iter()
                        .all(|index| known.iter().any(|known| implies(known, index)))
                })
            })
        };
        let past = [0, 1].map(|axis| {
            let mut both = [within(&a, &known[0].0, axis), within(&b, &known[1].0, axis)];
            for side in 0..2 {
                both[side] = self.told_by(&both[side], &known[side].0, &both[1 - side], axis);
            }
            Past::either(both, |side, edge| {
                let (known, is_all) = &known[side];
                is_all.then(|| self.when(edge, known))
            })
            .told()
        });
        Found { of, past }
    }

    /// The edges of `past` as those of `other`, where they are the same for elements of which all of `known` is below zero: of
    /// a row that was picked out and stands in its place again, the edge that it lies past as a whole is the block's.
    fn told_by(&self, past: &Past, known: &[Index], other: &Past, axis: usize) -> Past {
        let zeros: Vec<Index> = zeros(known).collect();
        if zeros.is_empty() {
            return past.clone();
        }
        let moved = |index: &Index, to: &Index| {
            index == to
                || zeros.iter().any(|zero| {
                    let [row, column] = [to.row - index.row, to.column - index.column];
                    let times = if zero.row == 0 {
                        column * zero.column
                    } else {
                        row * zero.row
                    };
                    let zero = zero.times(times);
                    (row, column) == (zero.row, zero.column) && index.plus(&zero).rest == to.rest
                })
        };
        let is_same = |edge: &Edge, known: &Edge| match (self.inside(edge, axis), self.inside(known, axis)) {
            (Some(inside), Some(of_other)) => {
                edge.when == known.when
                    && inside.len() == of_other.len()
                    && inside.iter().zip(&of_other).all(|(index, to)| moved(index, to))
            }
            _ => false,
        };
        past.map(|edge| {
            other
                .edges()
                .find(|known| is_same(&edge, known))
                .copied()
                .unwrap_or(edge)
        })
    }

    /// `edge`, past which only those elements have no value of which all of `known` is below zero too: of more conditions than
    /// [`MOST_WHENS`] nothing is told by indices.
    pub(super) fn when(&self, edge: &Edge, known: &[Index]) -> Edge {
        let mut whens = self.whens.borrow_mut();
        let mut all = whens.of(edge).to_vec();
        all.extend(known.iter().filter(|index| !whens.of(edge).contains(index)).cloned());
        if !whens.numbers.contains_key(&all) && whens.all.len() >= MOST_WHENS {
            return Edge {
                when: 0,
                age: Age::Unknown,
                ..*edge
            };
        }
        let when = whens.number(all);
        Edge { when, ..*edge }
    }

    /// What is past the edges of a definition. Where it is compound, elements past an edge that only the second operand has stay
    /// as they were: once that is asked for, by a mask.
    pub(super) fn kept(&mut self, elementwise: &Elementwise, state: &State) -> Both {
        let past = self.value(&elementwise.value, state).past;
        let operands = elementwise.value.operands();
        let [target, other, ..] = operands.as_slice() else {
            return past;
        };
        if !elementwise.compound {
            return past;
        }
        let [held, other] = [target, other].map(|operand| self.value(operand, state).past);
        let beyond = [0, 1].map(|axis| other[axis].without(&held[axis]));
        if beyond.iter().all(|past| past.edges().next().is_none()) {
            return past;
        }
        self.compounds.insert(elementwise.defines, None);
        match self.mask(&beyond).filter(|_| self.keeps) {
            Some(mask) => {
                self.compounds.insert(elementwise.defines, Some(mask));
                let [rows, columns] = [0, 1].map(|axis| other[axis].wrong_within(&beyond[axis]));
                let [down, along] = held.map(Past::not_zero);
                [down.wrong_past(rows), along.wrong_past(columns)]
            }
            None => {
                let [rows, columns] = beyond.map(|past| past.edges().copied().collect());
                let [down, along] = past;
                match self.keeps {
                    false => [down.unsure_past(rows), along.unsure_past(columns)],
                    true => [down.wrong_past(rows), along.wrong_past(columns)],
                }
            }
        }
    }

    /// What a definition reduces; where all that it may see is neutral past its edges, no mask is needed.
    pub(super) fn what_is_reduced(
        &self,
        value: &Value,
        reduction: &Reduction,
        source: &Value,
        mask: Option<Mask>,
    ) -> Reduced {
        let mut load = Some(source);
        if let ValueKind::Call(ElementOp::Abs, args) = &source.kind {
            load = args.first();
        }
        // A mean counts what has a value.
        let is_abs = load != Some(source);
        let block = match load.map(|load| &load.kind) {
            Some(ValueKind::Load(Operand {
                broadcast: Broadcast::None,
                offset: [0, 0],
                sees: Some(sees),
                ..
            })) if !reduction.fold.is_per_element() => {
                // No magnitude is below 0.
                let neutral = if is_abs { 0.0 } else { reduction.fold.neutral() };
                Some((*sees, neutral.to_bits()))
            }
            _ => None,
        };
        let is_neutral = |(sees, neutral): &(Sees, Neutral)| {
            let mut definitions = self.sights.definitions(*sees).iter();
            definitions.all(|id| self.masked.get(id) == Some(neutral) && matches!(self.masks.get(id), Some(Some(_))))
        };
        let mask = mask.or_else(|| block.as_ref().is_some_and(is_neutral).then(Mask::new));
        let value = value.clone();
        Reduced { value, mask, block }
    }

    /// Whether a use asks where elements have a value of which nothing says so, while compound definitions may say it.
    pub fn asks_to_keep(&self) -> bool {
        !self.keeps
            && !self.compounds.is_empty()
            && (self.reduced.values().flatten().any(|reduced| reduced.mask.is_none())
                || self.stored.values().any(|(_, mask)| mask.is_none()))
    }
}

/// What is below zero where `condition` holds, or where it does not; whether it holds, or not, wherever all of that is.
fn conditions(condition: &Value, holds: bool, known: &mut Vec<Index>) -> bool {
    match (&condition.kind, holds) {
        (ValueKind::Negative(index), true) => known.push(index.clone()),
        (ValueKind::Negative(index), false) => known.push(index.negated(1)),
        (ValueKind::Not(a), holds) => return conditions(a, !holds, known),
        (ValueKind::And(a, b), true) | (ValueKind::Or(a, b), false) => {
            let first = conditions(a, holds, known);
            return conditions(b, holds, known) && first;
        }
        _ => return false,
    }
    true
}

/// What is zero where all of `known` is below zero: each with a row or column of 1 or -1, and no others.
fn zeros(known: &[Index]) -> impl Iterator<Item = Index> {
    let is_one = |index: &Index| index.row.abs() + index.column.abs() == 1;
    known.iter().enumerate().filter_map(move |(at, index)| {
        let others = known.get(at + 1..)?;
        let is_other = |other: &&Index| {
            let sum = index.plus(other);
            (sum.row, sum.column, sum.rest) == (0, 0, IntExpr::Const(-2))
        };
        let above = others.iter().find(is_other).filter(|_| is_one(index))?;
        // Neither is above -1, and their sum is -2.
        Some(above.negated(1))
    })
}

/// Whether `index` is below zero wherever `known` is.
fn implies(known: &Index, index: &Index) -> bool {
    let more = Linear::difference(&known.rest, &index.rest);
    (known.row, known.column) == (index.row, index.column) && more.terms.is_empty() && more.constant >= 0
}

/// Where a block's elements end along an axis, where that is within a tile.
pub fn end(axis: usize, extent: u64) -> Option<Index> {
    let extent = i64::try_from(extent).ok().filter(|extent| extent % TILE != 0)?;
    Some(Index {
        row: i64::from(axis == 0),
        column: i64::from(axis == 1),
        rest: IntExpr::Const(extent.saturating_neg()),
    })
}

/// How many elements `mask` leaves of each that a reduction makes, where that is the same for all.
pub fn count(reduction: &Reduction, mask: &Mask) -> Option<Index> {
    let integer = |value: u64| IntExpr::Const(i64::try_from(value).unwrap_or(i64::MAX));
    let mut count = IntExpr::Const(1);
    for axis in (0..2).filter(|axis| reduction.along[*axis]) {
        let (mut first, mut end) = (IntExpr::Const(0), integer(reduction.extent[axis]));
        for any in mask {
            let [index] = any.as_slice() else { return None };
            let bound = |less| index.negated(less).rest;
            match [index.row, index.column][axis] {
                0 => {}
                step @ 1.. => {
                    let before = IntExpr::binary(IntOp::CeilDiv, bound(0), IntExpr::Const(step));
                    end = IntExpr::binary(IntOp::Min, end, before);
                }
                step => {
                    let step = step.saturating_neg();
                    let after = IntExpr::binary(IntOp::Add, index.rest.clone(), IntExpr::Const(step));
                    let after = IntExpr::binary(IntOp::Div, after, IntExpr::Const(step));
                    first = IntExpr::binary(IntOp::Max, first, after);
                }
            }
        }
        let along = IntExpr::binary(IntOp::Sub, end, first);
        // The mean of nothing has no value: any will do.
        let along = IntExpr::binary(IntOp::Max, along, IntExpr::Const(1));
        count = IntExpr::binary(IntOp::Mul, count, along);
    }
    Some(Index {
        row: 0,
        column: 0,
        rest: count,
    })
}
