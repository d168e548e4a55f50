//! Ranges of tensors whose lengths are known at launch, and that every block copies: no longer than what they are copied to or from.
//!
//! What a branch or a loop that may be empty copies, and a length that differs from block to block, is asserted (`unstack`).

use crate::flow::FlowLoop;
use crate::ir::Kind;
use crate::linear::Signs;
use crate::verify::range::{self, Range};
use tt_lang::ir::{For, IntExpr, Kernel, Op, Place, Region, RegionAxis, Stmt};
use tt_plan::{RangeLimit, formula};

/// The limits of a launch.
pub fn limits(kernel: &Kernel) -> Vec<RangeLimit> {
    let mut limits = Limits {
        kernel,
        signs: Signs::of(kernel),
        found: Vec::new(),
    };
    limits.body(&kernel.body);
    limits.found
}

/// Whether a loop has a turn in every block, whatever the values at launch.
pub fn always_runs(signs: &Signs, start: &IntExpr, end: &IntExpr) -> bool {
    signs.is_at_least(&FlowLoop::count(start, end), 1)
}

/// The axes of a region that may be longer than the block beside it, given what is known of variables, with their lengths and what
/// they are of the block.
pub fn may_exceed(
    region: &Region,
    known: impl Fn(&IntExpr) -> Range,
) -> impl Iterator<Item = (&IntExpr, &RegionAxis, &'static str)> {
    let rows = region.rows_and_columns().and_then(|(rows, _)| rows);
    let axes = region.axes.iter().enumerate();
    axes.filter_map(move |(at, axis)| {
        let count = axis.count.as_ref()?;
        let most = i64::try_from(axis.extent).unwrap_or(i64::MAX);
        let unit = match rows {
            None => "elements",
            Some(rows) if rows == at => "rows",
            Some(_) => "columns",
        };
        (known(count).high > most).then_some((count, axis, unit))
    })
}

struct Limits<'k> {
    kernel: &'k Kernel,
    signs: Signs,
    found: Vec<RangeLimit>,
}

impl Limits<'_> {
    /// Of statements that every block runs.
    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                Kind::Loop(For { start, end, .. }, body) if always_runs(&self.signs, start, end) => self.body(body),
                Kind::Op(Op::Copy { src, dst }) => {
                    for place in [src, dst] {
                        if let Place::Tensor(region) = place {
                            self.region(region);
                        }
                    }
                }
                Kind::Op(
                    Op::Fill { .. }
                    | Op::Gemm { .. }
                    | Op::Parallel { .. }
                    | Op::Reduce { .. }
                    | Op::ReduceArg { .. }
                    | Op::Transpose { .. }
                    | Op::Fetch { .. }
                    | Op::Print { .. }
                    | Op::Assert { .. },
                )
                | Kind::Group(..)
                | Kind::Loop(..)
                | Kind::If(..) => {}
            }
        }
    }

    fn region(&mut self, region: &Region) {
        let any = |count: &IntExpr| range::of_integer(count, &|_| Range::ANY);
        for (count, axis, unit) in may_exceed(region, any) {
            if !count.is_launch_constant() {
                continue;
            }
            let Some(length) = formula(self.kernel, count) else {
                continue;
            };
            let tensor = self.kernel.params[region.tensor.index()].name();
            let most = axis.extent;
            let limit = RangeLimit {
                length,
                most,
                reason: format!("a range of `{tensor}` must be at most the {most} {unit} of its block"),
            };
            if !self.found.contains(&limit) {
                self.found.push(limit);
            }
        }
    }
}
