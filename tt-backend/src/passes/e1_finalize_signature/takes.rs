//! Sums of what statements take: how often each thing happens, as formulas over a launch's extents.

use super::hits::Part;
use std::collections::BTreeMap;
use tt_device::ArchName;
use tt_device::costs::Costs;
use tt_lang::ir::{Fidelity, IntOp, ParamId};
use tt_plan::{CoreLine, Direction, Engines, Formula, Transfers};

/// How often statements run, on the average: a product, of which a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    product: Formula,
    /// What it is to be divided by, when all else has been multiplied.
    of: Formula,
}

impl Times {
    pub(super) const ONCE: Times = Times {
        product: Formula::Const(1),
        of: Formula::Const(1),
    };

    /// Each time so many times.
    pub(super) fn by(&self, more: &Formula) -> Times {
        Times {
            product: product(&self.product, more),
            of: self.of.clone(),
        }
    }

    /// A part of them.
    pub(super) fn part(&self, Part { hits, of }: &Part) -> Times {
        if hits == of {
            return self.clone();
        }
        match without(&self.product, of) {
            Some(rest) => Times {
                product: product(&rest, hits),
                of: self.of.clone(),
            },
            // One division is put off, and no more: products of all would leave 64 bits.
            None if self.of == constant(1) => Times {
                product: product(&self.product, hits),
                of: at_least_one(of),
            },
            None => Times {
                product: Formula::binary(IntOp::CeilDiv, product(&self.product, hits), at_least_one(of)),
                of: self.of.clone(),
            },
        }
    }

    fn formula(&self, each: u64) -> Formula {
        let all = product(&self.product, &constant(each));
        match self.of == constant(1) {
            true => all,
            false => Formula::binary(IntOp::CeilDiv, all, self.of.clone()),
        }
    }
}

/// A product without one of its factors.
fn without(of: &Formula, factor: &Formula) -> Option<Formula> {
    if of == factor {
        return Some(constant(1));
    }
    let Formula::Op(op) = of else { return None };
    let (IntOp::Mul, a, b) = op.parts() else { return None };
    match without(b, factor) {
        Some(rest) => Some(product(a, &rest)),
        None => Some(product(&without(a, factor)?, b)),
    }
}

fn at_least_one(formula: &Formula) -> Formula {
    Formula::binary(IntOp::Max, formula.clone(), constant(1))
}

/// How often something happens: so many times each of these.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Count(Vec<(Times, u64)>);

impl Count {
    pub(super) fn add(&mut self, times: &Times, each: u64) {
        if each == 0 || times.product == constant(0) {
            return;
        }
        match self.0.iter_mut().find(|(of, _)| of == times) {
            Some((_, sum)) => *sum = sum.saturating_add(each),
            None => self.0.push((times.clone(), each)),
        }
    }

    pub(super) fn add_each(&mut self, times: &Times, each: &Formula) {
        match each {
            Formula::Const(each) => self.add(times, u64::try_from(*each).unwrap_or(0)),
            Formula::Name(_) | Formula::Op(_) => self.add(&times.by(each), 1),
        }
    }

    fn join(&mut self, other: Count, times: u64) {
        for (of, each) in other.0 {
            self.add(&of, each.saturating_mul(times));
        }
    }

    /// Both, one after the other.
    pub(super) fn sum(&mut self, other: Count) {
        self.join(other, 1);
    }

    /// One of both, whichever is larger.
    pub(super) fn larger(&mut self, other: Count) {
        if *self == other || other.0.is_empty() {
            return;
        }
        if self.0.is_empty() {
            *self = other;
            return;
        }
        let both = Formula::binary(IntOp::Max, self.formula(), other.formula());
        self.0 = vec![(Times::ONCE.by(&both), 1)];
    }

    pub(super) fn formula(&self) -> Formula {
        sum_of(&self.0)
    }
}

/// The sum of all, no deeper than has to be: a reader of JSON goes so deep and no further.
fn sum_of(counts: &[(Times, u64)]) -> Formula {
    match counts {
        [] => Formula::Const(0),
        [(times, each)] => times.formula(*each),
        counts => {
            let (some, rest) = counts.split_at(counts.len().div_ceil(2));
            Formula::binary(IntOp::Add, sum_of(some), sum_of(rest))
        }
    }
}

/// How a count is taken together with another.
type With = fn(&mut Count, Count);

pub(super) fn constant(value: u64) -> Formula {
    Formula::Const(i64::try_from(value).unwrap_or(i64::MAX))
}

pub(super) fn product(a: &Formula, b: &Formula) -> Formula {
    match (a, b) {
        (Formula::Const(1), other) | (other, Formula::Const(1)) => other.clone(),
        (Formula::Const(a), Formula::Const(b)) => Formula::Const(a.saturating_mul(*b)),
        (Formula::Op(op), Formula::Const(more)) => match op.parts() {
            (IntOp::Mul, factor, Formula::Const(times)) => {
                Formula::binary(IntOp::Mul, factor.clone(), Formula::Const(times.saturating_mul(*more)))
            }
            _ => Formula::binary(IntOp::Mul, a.clone(), b.clone()),
        },
        _ => Formula::binary(IntOp::Mul, a.clone(), b.clone()),
    }
}

/// What a processor moves.
#[derive(Debug, Clone, Default)]
pub(super) struct Moved {
    pub(super) count: Count,
    pub(super) bytes: Count,
    pub(super) waits: Count,
}

impl Moved {
    pub(super) fn transfers(&self) -> Transfers {
        Transfers {
            count: self.count.formula(),
            bytes: self.bytes.formula(),
            waits: self.waits.formula(),
        }
    }

    pub(super) fn and(&mut self, other: Moved, with: With) {
        with(&mut self.count, other.count);
        with(&mut self.bytes, other.bytes);
        with(&mut self.waits, other.waits);
    }
}

/// What the engines of a chip compute.
#[derive(Debug, Clone, Default)]
pub(super) struct Computed {
    pub(super) unpack: Count,
    pub(super) math: Count,
    /// What the matrix engine does in every phase.
    pub(super) phases: Count,
    pub(super) pack: Count,
}

impl Computed {
    pub(super) fn and(&mut self, other: Computed, with: With) {
        with(&mut self.unpack, other.unpack);
        with(&mut self.math, other.math);
        with(&mut self.phases, other.phases);
        with(&mut self.pack, other.pack);
    }

    /// The cycles of each engine.
    pub(super) fn cycles(&self, fidelity: Fidelity) -> Engines {
        let mut math = self.math.clone();
        math.join(self.phases.clone(), phases(fidelity));
        Engines {
            unpack: self.unpack.formula(),
            math: math.formula(),
            pack: self.pack.formula(),
        }
    }
}

/// Likewise of every chip, in the order of their names.
pub(super) type OnChips = [Computed; ArchName::ALL.len()];

/// Cycles of each engine for a call.
#[derive(Default)]
pub(super) struct Cycles {
    pub(super) unpack: u64,
    pub(super) math: u64,
    pub(super) phases: u64,
    pub(super) pack: u64,
}

/// Adds to what each chip computes the cycles of a call that is made so often.
pub(super) fn spend(computed: &mut OnChips, times: &Times, cycles: impl Fn(&Costs) -> Cycles) {
    for (chip, computed) in ArchName::ALL.into_iter().zip(computed) {
        let cycles = cycles(Costs::of(chip));
        computed.unpack.add(times, cycles.unpack);
        computed.math.add(times, cycles.math);
        computed.phases.add(times, cycles.phases);
        computed.pack.add(times, cycles.pack);
    }
}

/// Cycles to unpack tiles of two operands, of which these are the bytes.
pub(super) fn unpacked(costs: &Costs, [a, b]: [u64; 2], tiles: u64) -> u64 {
    let [both, each] = costs.unpack;
    let bytes = a.saturating_add(b).div_ceil(both).max(a.max(b).div_ceil(each));
    bytes.saturating_add(tiles.saturating_mul(costs.unpack_tile))
}

/// When statements run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum When {
    /// In every block.
    EachBlock,
    /// Before the first.
    Once,
    /// Where a run of blocks begins in which these axes of the grid stay.
    EachRun(Vec<usize>),
}

/// A tensor, which way it is moved, the line of cores that shares what is read, and when.
pub(super) type Moving = (ParamId, Direction, Option<CoreLine>, When);

/// What statements take.
#[derive(Debug, Clone, Default)]
pub(super) struct Takes {
    pub(super) own: Moved,
    /// What is read before the first block, by a core for itself and by lines of cores.
    pub(super) once: Moved,
    pub(super) shared_once: [Moved; 2],
    /// Likewise, where a run of blocks begins in which these axes of the grid stay.
    pub(super) runs: BTreeMap<Vec<usize>, (Moved, [Moved; 2])>,
    pub(super) operands: BTreeMap<Moving, Moved>,
    pub(super) shared: [Moved; 2],
    pub(super) computed: OnChips,
    /// Of that, what is computed in loops that read.
    pub(super) in_steps: OnChips,
}

impl Takes {
    /// The same, for all blocks together.
    pub(super) fn once(self) -> Takes {
        Takes {
            own: Moved::default(),
            shared: Default::default(),
            once: self.own,
            shared_once: self.shared,
            operands: at(When::Once, self.operands),
            ..self
        }
    }

    /// The same, where a run of blocks begins in which these axes of the grid stay.
    pub(super) fn where_run_begins(self, axes: &[usize]) -> Takes {
        Takes {
            own: Moved::default(),
            shared: Default::default(),
            runs: BTreeMap::from([(axes.to_vec(), (self.own, self.shared))]),
            operands: at(When::EachRun(axes.to_vec()), self.operands),
            ..self
        }
    }

    pub(super) fn and(&mut self, other: Takes, with: With) {
        self.own.and(other.own, with);
        for (operand, moved) in other.operands {
            self.operands.entry(operand).or_default().and(moved, with);
        }
        self.once.and(other.once, with);
        for (axes, (own, shared)) in other.runs {
            let (of_core, of_lines) = self.runs.entry(axes).or_default();
            of_core.and(own, with);
            of_lines
                .iter_mut()
                .zip(shared)
                .for_each(|(of, other)| of.and(other, with));
        }
        let of_lines = self.shared.iter_mut().zip(other.shared);
        for (own, other) in of_lines.chain(self.shared_once.iter_mut().zip(other.shared_once)) {
            own.and(other, with);
        }
        let computed = self.computed.iter_mut().zip(other.computed);
        for (own, other) in computed.chain(self.in_steps.iter_mut().zip(other.in_steps)) {
            own.and(other, with);
        }
    }
}

/// What is moved, at another time.
fn at(when: When, operands: BTreeMap<Moving, Moved>) -> BTreeMap<Moving, Moved> {
    let at = |((tensor, direction, line, _), moved)| ((tensor, direction, line, when.clone()), moved);
    operands.into_iter().map(at).collect()
}

/// How many phases a product of a fidelity has.
fn phases(fidelity: Fidelity) -> u64 {
    match fidelity {
        Fidelity::LoFi => 1,
        Fidelity::HiFi2 => 2,
        Fidelity::HiFi3 => 3,
        Fidelity::HiFi4 => 4,
    }
}
