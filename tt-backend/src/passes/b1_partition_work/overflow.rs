//! Integers that differ from block to block stay within 32 bits: of what may leave them a launch computes the ends, over its grid and
//! the turns of its loops, and refuses what lies beyond.
//!
//! ```text
//!  T.copy(a[(by * n, 0)], x)   ⟹   (M.div_ceil(64) - 1) * n is at most 2147483647, and no further below zero than 2147483648
//! ```
//!
//! What is the same for all blocks is an argument, which a launch holds to 32 bits anyway. Of what is read from tensors nothing is known
//! at launch.

#![warn(clippy::arithmetic_side_effects)]

use std::collections::HashMap;
use tt_lang::ir::{
    ElementType, IntExpr, IntOp, Kernel, Named, Param, Place, PrintItem, Region, ScalarKind, Stmt, StmtKind, VarId,
};
use tt_plan::{RangeLimit, formula};

/// The least and the greatest value, as numbers that hold whatever the values at launch.
type Numbers = [i64; 2];

/// Likewise, as integers of the launch.
type Ends = [IntExpr; 2];

/// How large the ends of an integer may become: they are products of products otherwise.
const MOST_PARTS: usize = 400;

/// The limits of a launch.
pub fn limits(kernel: &Kernel) -> Vec<RangeLimit> {
    // No axis of a tensor is longer than what the memory of a card holds, a tile of which has 1088 bytes and more, but where
    // elements have 4 bits.
    let is_of_4_bits = |param: &Param| match param {
        Param::Tensor(tensor) | Param::Temporary(tensor) => tensor.element.value == ElementType::Bfp4,
        Param::Scalar(_) | Param::Derived(_) => false,
    };
    let most_extent = match kernel.params.iter().any(is_of_4_bits) {
        true => i32::MAX.into(),
        false => 1 << 30,
    };
    let mut limits = Limits {
        kernel,
        most_extent,
        numbers: HashMap::new(),
        ends: HashMap::new(),
        found: Vec::new(),
    };
    for (var, extent) in &kernel.grid.axes {
        limits.variable(*var, &IntExpr::Const(0), &extent.value);
    }
    limits.body(&kernel.body);
    limits.found
}

struct Limits<'k> {
    kernel: &'k Kernel,
    most_extent: i64,
    numbers: HashMap<VarId, Numbers>,
    ends: HashMap<VarId, Ends>,
    found: Vec<RangeLimit>,
}

impl Limits<'_> {
    /// A variable from `start` up to before `end`.
    fn variable(&mut self, var: VarId, start: &IntExpr, end: &IntExpr) {
        let ([low, _], [_, high]) = (self.numbers(start), self.numbers(end));
        self.numbers.insert(var, [low, high.saturating_sub(1).max(low)]);
        if let (Some([low, _]), Some([_, high])) = (self.ends(start), self.ends(end)) {
            let last = IntExpr::binary(IntOp::Sub, high, IntExpr::Const(1));
            self.ends.insert(var, [low, last]);
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For {
                var, start, end, body, ..
            } => {
                self.integer(start);
                self.integer(end);
                self.variable(*var, start, end);
                self.body(body);
            }
            StmtKind::If { cond, then, otherwise } => {
                cond.value.integers(&mut |integer| self.integer(integer));
                self.body(then);
                self.body(otherwise);
            }
            StmtKind::Copy { src: a, dst: b } | StmtKind::Gemm { a, b, .. } => {
                for place in [a, b] {
                    if let Place::Tensor(region) = place {
                        self.region(region);
                    }
                }
            }
            StmtKind::Parallel { indices, .. } => {
                for (var, extent) in indices {
                    let extent = IntExpr::Const(i64::try_from(*extent).unwrap_or(i64::MAX));
                    self.variable(*var, &IntExpr::Const(0), &extent);
                }
                let mut all = Vec::new();
                stmt.accesses(&mut |access, _| all.extend(&access.indices));
                all.into_iter().for_each(|index| self.integer(index));
            }
            StmtKind::Fetch { from, .. } => from.indices.iter().for_each(|index| self.integer(index)),
            StmtKind::ReduceArg { base, .. } => self.integer(base),
            StmtKind::Print { items } => {
                for item in items {
                    match item {
                        PrintItem::Value(value) => self.integer(value),
                        PrintItem::Number(number) => number.integers(&mut |integer| self.integer(integer)),
                        PrintItem::Text(_) | PrintItem::Block { .. } => {}
                    }
                }
            }
            StmtKind::Assert { cond, .. } => cond.value.integers(&mut |integer| self.integer(integer)),
            StmtKind::Fill { .. } | StmtKind::Reduce { .. } | StmtKind::Transpose { .. } => {}
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
        let [low, high] = self.numbers(expr);
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        if low >= least && high <= most {
            return;
        }
        let Some([lowest, highest]) = self.ends(expr) else {
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

    fn numbers(&self, expr: &IntExpr) -> Numbers {
        match expr {
            IntExpr::Const(value) => [*value; 2],
            IntExpr::Extent(_) => [1, self.most_extent],
            IntExpr::Scalar(id) => match &self.kernel.params[id.index()] {
                Param::Derived(_) => [0, 1],
                Param::Scalar(scalar) if scalar.kind == ScalarKind::U32 => [0, i32::MAX.into()],
                Param::Scalar(_) | Param::Tensor(_) | Param::Temporary(_) => [i32::MIN.into(), i32::MAX.into()],
            },
            IntExpr::Var(var) | IntExpr::Fetched(var) => {
                let known = self.numbers.get(var).copied();
                known.unwrap_or([i32::MIN.into(), i32::MAX.into()])
            }
            IntExpr::Binary(op, a, b) => {
                let ([a, c], [b, d]) = (self.numbers(a), self.numbers(b));
                let most = a.saturating_abs().max(c.saturating_abs());
                match op {
                    IntOp::Add => [a.saturating_add(b), c.saturating_add(d)],
                    IntOp::Sub => [a.saturating_sub(d), c.saturating_sub(b)],
                    IntOp::Mul => {
                        let corners = [(a, b), (a, d), (c, b), (c, d)].map(|(x, y)| x.saturating_mul(y));
                        hull(&corners)
                    }
                    IntOp::Div | IntOp::CeilDiv if b > 0 => {
                        let corners = [(a, b), (a, d), (c, b), (c, d)];
                        hull(&corners.map(|(x, y)| op.apply(x, y).unwrap_or(x)))
                    }
                    IntOp::Rem if a >= 0 && b > 0 => [0, c.min(d.saturating_sub(1))],
                    IntOp::Div | IntOp::CeilDiv | IntOp::Rem => [most.saturating_neg(), most],
                    IntOp::Min => [a.min(b), c.min(d)],
                    IntOp::Max => [a.max(b), c.max(d)],
                }
            }
        }
    }

    /// Nothing where something in it is not known at launch.
    fn ends(&self, expr: &IntExpr) -> Option<Ends> {
        if expr.is_launch_constant() {
            return Some([expr.clone(), expr.clone()]);
        }
        let ends = match expr {
            IntExpr::Var(var) => self.ends.get(var)?.clone(),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) => return None,
            IntExpr::Binary(op, of, by) => {
                let ([a, c], [b, d]) = (self.ends(of)?, self.ends(by)?);
                let (left, right) = (self.numbers(of), self.numbers(by));
                let of = |op: IntOp, x: &IntExpr, y: &IntExpr| IntExpr::binary(op, x.clone(), y.clone());
                let each = |x: &IntExpr, y: &IntExpr| of(*op, x, y);
                let all = |op, of_all: &[IntExpr]| of_all.iter().cloned().reduce(|x, y| IntExpr::binary(op, x, y));
                let corners = || {
                    let mut corners = vec![each(&a, &b), each(&c, &b)];
                    corners.extend(
                        [(&a, &d), (&c, &d)]
                            .map(|(x, y)| each(x, y))
                            .into_iter()
                            .filter(|_| b != d),
                    );
                    corners
                };
                match op {
                    IntOp::Add | IntOp::Min | IntOp::Max => [each(&a, &b), each(&c, &d)],
                    IntOp::Sub => [each(&a, &d), each(&c, &b)],
                    IntOp::Mul if left[0] >= 0 && right[0] >= 0 => [each(&a, &b), each(&c, &d)],
                    IntOp::Div | IntOp::CeilDiv if left[0] >= 0 && right[0] > 0 => [each(&a, &d), each(&c, &b)],
                    IntOp::Mul => [all(IntOp::Min, &corners())?, all(IntOp::Max, &corners())?],
                    IntOp::Div | IntOp::CeilDiv if right[0] > 0 => {
                        [all(IntOp::Min, &corners())?, all(IntOp::Max, &corners())?]
                    }
                    // No further from zero than what is divided.
                    IntOp::Div | IntOp::CeilDiv | IntOp::Rem => {
                        let zero = IntExpr::Const(0);
                        let negated = [&a, &c].map(|end| of(IntOp::Sub, &zero, end));
                        let [less, more] = [all(IntOp::Min, &negated)?, all(IntOp::Max, &negated)?];
                        [
                            of(IntOp::Min, &of(IntOp::Min, &a, &less), &zero),
                            of(IntOp::Max, &of(IntOp::Max, &c, &more), &zero),
                        ]
                    }
                }
            }
        };
        let mut parts = 0_usize;
        ends.iter()
            .for_each(|end| end.walk(&mut |_| parts = parts.saturating_add(1)));
        (parts <= MOST_PARTS).then_some(ends)
    }
}

/// The least and the greatest of some.
fn hull(of: &[i64; 4]) -> Numbers {
    let [first, rest @ ..] = of;
    let ends = |[low, high]: Numbers, value: &i64| [low.min(*value), high.max(*value)];
    rest.iter().fold([*first; 2], ends)
}
