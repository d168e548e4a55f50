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

use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::tile::keeps;
use limits::{Bounds, may_hold, of_masks};
use live::Live;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use tt_lang::ir::{BlockId, BoolExpr, CompareOp, IntExpr, Kernel, Linear, Spanned, Stmt, StmtKind, VarId};
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
    let pass = SkipTurns {
        kernel: &kernel,
        whole: OnceCell::new(),
    };
    let mut bounds = Bounds::of(&kernel);
    let mut live = Live::new();
    let body = pass.statements(&kernel.body, &mut live, &mut bounds);
    Kernel { body, ..kernel.clone() }
}

struct SkipTurns<'a> {
    kernel: &'a Kernel,
    /// Computed once it is needed.
    whole: OnceCell<Whole>,
}

impl SkipTurns<'_> {
    /// The statements, with `live` from what is used after them to what is used from them on.
    fn statements(&self, body: &[Stmt], live: &mut Live, bounds: &mut Bounds) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = body
            .iter()
            .rev()
            .map(|stmt| self.statement(stmt, live, bounds))
            .collect();
        out.reverse();
        out
    }

    fn statement(&self, stmt: &Stmt, live: &mut Live, bounds: &mut Bounds) -> Stmt {
        let kind = match &stmt.kind {
            StmtKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => {
                live::around(self.kernel, body, live);
                let (start, end) = (start.clone(), end.clone());
                bounds.enter(*var, [start.clone(), end.clone()]);
                let cond = self.skipped(stmt, *var, body, live, bounds);
                let mut body = self.statements(body, &mut live.clone(), bounds);
                bounds.leave();
                if let Some(cond) = cond {
                    let kind = StmtKind::If {
                        cond,
                        then: body,
                        otherwise: Vec::new(),
                    };
                    body = vec![Stmt { kind, span: stmt.span }];
                }
                StmtKind::For {
                    var: *var,
                    start,
                    end,
                    kind: *kind,
                    body,
                }
            }
            StmtKind::If { cond, then, otherwise } => {
                let mut other = live.clone();
                let cond = cond.clone();
                let then = self.statements(then, live, bounds);
                let otherwise = self.statements(otherwise, &mut other, bounds);
                live.extend(other);
                StmtKind::If { cond, then, otherwise }
            }
            StmtKind::Copy { .. }
            | StmtKind::Fill { .. }
            | StmtKind::Gemm { .. }
            | StmtKind::Parallel { .. }
            | StmtKind::Reduce { .. }
            | StmtKind::ReduceArg { .. }
            | StmtKind::Transpose { .. }
            | StmtKind::Fetch { .. }
            | StmtKind::Print { .. }
            | StmtKind::Assert { .. } => {
                live::before(self.kernel, stmt, live);
                stmt.kind.clone()
            }
        };
        Stmt { kind, span: stmt.span }
    }

    /// Where a turn of the loop over `var` is run: nothing where all are.
    fn skipped(
        &self,
        stmt: &Stmt,
        var: VarId,
        body: &[Stmt],
        live: &BTreeSet<BlockId>,
        bounds: &Bounds,
    ) -> Option<Spanned<BoolExpr>> {
        let of_turn = |limit: &Linear| limit.mentions(var) && may_hold(limit, bounds);
        let limits = of_masks(body).into_iter().filter(of_turn);
        let empties = |limit: &Linear| {
            let whole = self.whole.get_or_init(|| Whole::of(self.kernel));
            changes_nothing(self.kernel, whole, body, limit, live)
        };
        let conditions = limits.take(MOST_LIMITS).filter(empties).map(|limit| {
            let span = stmt.span;
            let value = BoolExpr::Compare(CompareOp::Lt, limit.to_expr(), IntExpr::Const(0));
            Spanned { value, span }
        });
        conditions.reduce(|all, one| Spanned {
            value: BoolExpr::And(Box::new(all.value), Box::new(one.value)),
            span: all.span,
        })
    }
}
