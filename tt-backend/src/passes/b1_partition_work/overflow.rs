//! Integers that differ from block to block stay within 32 bits: of what may leave them a launch computes the ends, over its grid and
//! the turns of its loops, and refuses what lies beyond.
//!
//! ```text
//!  T.copy(a[(by * n, 0)], x)   ⟹   (M.div_ceil(64) - 1) * n is at most 2147483647, and no further below zero than 2147483648
//! ```
//!
//! What is the same for all blocks is an argument, which a launch holds to 32 bits anyway. What goes by integers that are read from
//! tensors no launch knows: the kernel asserts it (`assert_integers`).

#![warn(clippy::arithmetic_side_effects)]

use crate::bounds::{ANY, Bounds};
use crate::ir::{Event, Frame, walk};
use tt_lang::ir::{For, IntExpr, IntOp, Kernel, Language, Named, Op, Place, PrintItem, Region};
use tt_plan::{RangeLimit, formula};

/// The limits of a launch.
pub fn limits(kernel: &Kernel) -> Vec<RangeLimit> {
    let mut limits = Limits {
        kernel,
        bounds: Bounds::of(kernel),
        found: Vec::new(),
    };
    walk(&kernel.body, &mut |_, event| limits.event(&event));
    limits.found
}

struct Limits<'k> {
    kernel: &'k Kernel,
    bounds: Bounds<'k>,
    found: Vec<RangeLimit>,
}

impl Limits<'_> {
    fn event(&mut self, event: &Event<'_, Language>) {
        match *event {
            Event::Op(op) => self.operation(op),
            Event::Enter(Frame::Loop(For { var, start, end, .. })) => {
                self.integer(start);
                self.integer(end);
                self.bounds.variable(*var, start, end);
            }
            Event::Enter(Frame::If(cond)) => cond.value.integers(&mut |integer| self.integer(integer)),
            Event::Enter(Frame::Group(never, _)) => match *never {},
            Event::Otherwise | Event::Leave(_) => {}
        }
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Copy { src: a, dst: b } | Op::Gemm { a, b, .. } => {
                for place in [a, b] {
                    if let Place::Tensor(region) = place {
                        self.region(region);
                    }
                }
            }
            Op::Parallel { indices, .. } => {
                for (var, extent) in indices {
                    let extent = IntExpr::Const(i64::try_from(*extent).unwrap_or(i64::MAX));
                    self.bounds.variable(*var, &IntExpr::Const(0), &extent);
                }
                let mut all = Vec::new();
                op.accesses(&mut |access, _| all.extend(&access.indices));
                all.into_iter().for_each(|index| self.integer(index));
            }
            Op::Fetch { var, from } => {
                from.indices.iter().for_each(|index| self.integer(index));
                self.bounds.fetched(*var, from);
            }
            Op::ReduceArg { base, .. } => self.integer(base),
            Op::Print { items } => {
                for item in items {
                    match item {
                        PrintItem::Value(value) => self.integer(value),
                        PrintItem::Number(number) => number.integers(&mut |integer| self.integer(integer)),
                        PrintItem::Text(_) | PrintItem::Block { .. } => {}
                    }
                }
            }
            Op::Assert { cond, .. } => cond.value.integers(&mut |integer| self.integer(integer)),
            Op::Fill { .. } | Op::Reduce { .. } | Op::Transpose { .. } => {}
        }
    }

    fn region(&mut self, region: &Region) {
        for axis in &region.axes {
            self.integer(&axis.offset.value);
            if let Some(count) = &axis.count {
                self.integer(count);
            }
        }
    }

    /// What `expr` is, and what it is computed from.
    fn integer(&mut self, expr: &IntExpr) {
        let IntExpr::Binary(_, a, b) = expr else { return };
        if expr.is_launch_constant() {
            return;
        }
        self.integer(a);
        self.integer(b);
        let [low, high] = self.bounds.numbers(expr);
        let [least, most] = ANY;
        if low >= least && high <= most {
            return;
        }
        let Some([lowest, highest]) = self.bounds.ends(expr) else {
            return;
        };
        let name = Named(self.kernel, expr).to_string();
        if high > most {
            let reason = format!("`{name}` must be at most {most} in every block");
            self.limit(&highest, most.unsigned_abs(), reason);
        }
        if low < least {
            let below = IntExpr::binary(IntOp::Sub, IntExpr::Const(0), lowest);
            let reason = format!(
                "`{name}` must be no further below zero than {} in any block",
                least.unsigned_abs()
            );
            self.limit(&below, least.unsigned_abs(), reason);
        }
    }

    fn limit(&mut self, length: &IntExpr, most: u64, reason: String) {
        let Some(length) = formula(self.kernel, length) else {
            return;
        };
        let limit = RangeLimit { length, most, reason };
        if !self.found.contains(&limit) {
            self.found.push(limit);
        }
    }
}
