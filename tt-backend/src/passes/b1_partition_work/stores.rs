//! The stores of a kernel as B1 looks at them: where each goes along every axis of its tensor, and what stands around it.

use crate::ir::{Event, Frame, walk};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{Assign, BoolExpr, Buffer, For, IntExpr, Linear, Op, ParamId, Place, Region, Span, Stmt, VarId};

/// A store to a tensor.
pub struct Store<'a> {
    /// The tensor.
    pub tensor: ParamId,
    /// The place it is written at.
    pub span: Span,
    /// Where it goes, axis by axis.
    pub axes: Vec<Axis<'a>>,
    /// What decides whether it is met, outermost first.
    pub around: Vec<Around<'a>>,
    /// The variables that what is fetched for these depends on.
    pub fetched_by: BTreeSet<VarId>,
}

/// Something around a statement.
#[derive(Clone, Copy)]
pub enum Around<'a> {
    /// A loop over the variable, from the first number up to the second.
    Loop(VarId, &'a IntExpr, &'a IntExpr),
    /// The side of a branch on which the condition is this.
    Side(&'a BoolExpr, bool),
}

/// What a store goes to along one axis of its tensor.
pub struct Axis<'a> {
    /// The first element.
    pub index: &'a IntExpr,
    /// Indices of `T.Parallel` in it.
    pub parallel: &'a [(VarId, u64)],
    /// The runs of elements from there, whatever is stored along other axes.
    pub runs: Vec<Run>,
    /// Whether there are as many in every launch, and not fewer in some.
    pub is_certain: bool,
}

/// `length` elements, each `step` after the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// From one to the next.
    pub step: i64,
    /// How many.
    pub length: i64,
}

/// Every store of a kernel, in order.
#[derive(Default)]
pub struct Stores<'a> {
    /// Them.
    pub all: Vec<Store<'a>>,
    /// What was fetched so far, with the variables that it depends on.
    fetched: BTreeMap<VarId, BTreeSet<VarId>>,
}

impl<'a> Stores<'a> {
    /// Those of `body`.
    pub fn of(body: &'a [Stmt]) -> Stores<'a> {
        let mut stores = Stores::default();
        let mut around = Vec::new();
        walk(body, &mut |_, event| match event {
            Event::Op(op) => stores.operation(op, &around),
            Event::Enter(Frame::Loop(For { var, start, end, .. })) => around.push(Around::Loop(*var, start, end)),
            Event::Enter(Frame::If(cond)) => around.push(Around::Side(&cond.value, true)),
            Event::Enter(Frame::Group(never, _)) => match *never {},
            Event::Otherwise => {
                if let Some(Around::Side(_, holds)) = around.last_mut() {
                    *holds = false;
                }
            }
            Event::Leave(_) => {
                around.pop();
            }
        });
        stores
    }

    fn operation(&mut self, op: &'a Op, around: &[Around<'a>]) {
        match op {
            Op::Copy {
                dst: Place::Tensor(region),
                ..
            } => self.region(region, around),
            Op::Parallel { indices, assigns } => {
                for assign in assigns {
                    self.assign(indices, assign, around);
                }
            }
            Op::Fetch { var, from } => {
                let by = self.fetched_by(&from.indices, &[], true);
                self.fetched.insert(*var, by);
            }
            Op::Copy {
                dst: Place::Block(_), ..
            }
            | Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
    }

    /// The variables that what is fetched for these integers depends on, and with `all` those that they mention themselves.
    fn fetched_by<'e>(
        &self,
        integers: impl IntoIterator<Item = &'e IntExpr>,
        around: &[Around],
        all: bool,
    ) -> BTreeSet<VarId> {
        let mut by = BTreeSet::new();
        let mut visit = |expr: &IntExpr| {
            expr.walk(&mut |part| {
                if let IntExpr::Fetched(var) = part {
                    by.extend(self.fetched.get(var).into_iter().flatten());
                } else if let (true, IntExpr::Var(var)) = (all, part) {
                    by.insert(*var);
                }
            });
        };
        integers.into_iter().for_each(&mut visit);
        for part in around {
            match part {
                Around::Loop(_, start, end) => [start, end].into_iter().for_each(|bound| visit(bound)),
                Around::Side(cond, _) => cond.integers(&mut visit),
            }
        }
        by
    }

    fn region(&mut self, region: &'a Region, around: &[Around<'a>]) {
        let axes = region.axes.iter().map(|axis| Axis {
            index: &axis.offset.value,
            parallel: &[],
            runs: run(i64::from(axis.step), axis.extent).into_iter().collect(),
            is_certain: axis.count.is_none(),
        });
        self.all.push(Store {
            tensor: region.tensor,
            span: region.span,
            axes: axes.collect(),
            around: around.to_vec(),
            fetched_by: self.fetched_by(region.axes.iter().map(|axis| &axis.offset.value), around, false),
        });
    }

    fn assign(&mut self, parallel: &'a [(VarId, u64)], assign: &'a Assign, around: &[Around<'a>]) {
        let Buffer::Tensor(tensor) = assign.target.buffer else {
            return;
        };
        let indices = &assign.target.indices;
        let runs = |index: &IntExpr| {
            let sum = Linear::of(index);
            let own = parallel.iter().filter(|(var, _)| {
                let alone = indices.iter().filter(|other| other.mentions(*var)).count() == 1;
                alone && sum.coefficient(*var) != 0 && !sum.clone().without(*var).mentions(*var)
            });
            own.filter_map(|(var, extent)| run(sum.coefficient(*var), *extent))
                .collect()
        };
        let axes = indices.iter().map(|index| Axis {
            index,
            parallel,
            runs: runs(index),
            is_certain: true,
        });
        self.all.push(Store {
            tensor,
            span: assign.target.span,
            axes: axes.collect(),
            around: around.to_vec(),
            fetched_by: self.fetched_by(indices, around, false),
        });
    }
}

fn run(step: i64, length: u64) -> Option<Run> {
    let length = i64::try_from(length).ok()?;
    Some(Run { step, length })
}
