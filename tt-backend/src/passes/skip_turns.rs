//! skip_turns: turns of loops in which a mask leaves nothing are not run, where they change nothing then.
//!
//! Before: Tile IR as parsed. After: the same, but that the body of a loop may stand in a branch, taken where no mask in it is known
//! to choose the same side in all elements with which the turn would leave every block that is used later as it was. What a turn does
//! then is computed over numbers and over what blocks held before it (`values`); what elements are NaN or infinite there, and are
//! multiplied by 0, is not seen. A turn that stores, prints or asserts is run.
//!
//! ```text
//!  for r in 0..n {                                          for r in 0..n {
//!      gemm(q, k, s)                                            if r * 64 - q0 - 63 <= 0 {
//!      s = if r * 64 + j <= q0 + i { s } else { -INF }   ⟹          gemm(q, k, s)
//!      reduce_max(s, m, clear = false)                              ..
//!      ..                                                       }
//! ```

#![warn(clippy::arithmetic_side_effects)]

mod limits;
mod live;
mod values;

use crate::ir::{Kind, visit};
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::tile::keeps;
use limits::{Around, may_hold, of_masks};
use live::{Loops, in_loops};
use std::cell::OnceCell;
use tt_lang::ir::{BoolExpr, CompareOp, For, IntExpr, Kernel, Linear, Span, Spanned, Stmt, VarId};
use values::{Whole, changes_nothing};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "skip_turns",
    does: "turns of loops in which a mask leaves nothing are not run",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel);
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, []),
};

/// The most masks of one loop that are tried.
const MOST_LIMITS: usize = 8;

/// Runs the pass.
pub fn run(kernel: Kernel) -> Kernel {
    let mut has_loops = false;
    visit(&kernel.body, &mut |stmt| {
        has_loops |= matches!(stmt.kind, Kind::Loop(..))
    });
    if !has_loops {
        return kernel;
    }
    let pass = SkipTurns {
        kernel: &kernel,
        live: in_loops(&kernel),
        whole: OnceCell::new(),
    };
    let mut body = kernel.body.clone();
    pass.statements(&mut body, &mut Around::of(&kernel));
    Kernel { body, ..kernel }
}

struct SkipTurns<'a> {
    kernel: &'a Kernel,
    live: Loops,
    /// Computed once it is needed.
    whole: OnceCell<Whole>,
}

impl SkipTurns<'_> {
    fn statements(&self, body: &mut [Stmt], around: &mut Around) {
        for stmt in body {
            self.statement(stmt, around);
        }
    }

    fn statement(&self, stmt: &mut Stmt, around: &mut Around) {
        let span = stmt.note;
        let Kind::Loop(For { var, start, end, .. }, body) = &mut stmt.kind else {
            stmt.bodies_mut().for_each(|body| self.statements(body, around));
            return;
        };
        around.enter(*var, [start.clone(), end.clone()]);
        let cond = self.skipped(*var, span, body, around);
        self.statements(body, around);
        around.leave();
        if let Some(cond) = cond {
            let kind = Kind::If(cond, std::mem::take(body), Vec::new());
            body.push(Stmt::new(span, kind));
        }
    }

    /// Where a turn of the loop over `var` is run: nothing where all are.
    fn skipped(&self, var: VarId, span: Span, body: &[Stmt], around: &Around) -> Option<Spanned<BoolExpr>> {
        let live = self.live.get(&var)?;
        let of_turn = |limit: &Linear| limit.mentions(var) && may_hold(limit, around);
        let limits = of_masks(body).into_iter().filter(of_turn);
        let empties = |limit: &Linear| {
            let whole = self.whole.get_or_init(|| Whole::of(self.kernel));
            changes_nothing(self.kernel, whole, body, limit, live)
        };
        let conditions = limits.take(MOST_LIMITS).filter(empties).map(|limit| {
            let value = BoolExpr::Compare(CompareOp::Lt, limit.to_expr(), IntExpr::Const(0));
            Spanned { value, span }
        });
        conditions.reduce(|all, one| Spanned {
            value: BoolExpr::And(Box::new(all.value), Box::new(one.value)),
            span: all.span,
        })
    }
}
