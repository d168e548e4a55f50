//! A range of a tensor is no longer than what it is copied to or from: asserted before the copy, unless that is known, or known at
//! launch (`b1_partition_work::ranges`).
//!
//! ```text
//!  copy(a[(0 at most bx + n, 0)], x)   ⟹   assert bx + n <= 32; copy(a[(0 at most bx + n, 0)], x)
//! ```

use super::Unstack;
use crate::ir::Kind;
use crate::passes::b1_partition_work::ranges::may_exceed;
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, Named, Op, Place, Spanned, Stmt};

impl Unstack<'_> {
    /// Asserts in `out` that what `stmt` copies is no longer than its block.
    pub(super) fn assert_lengths(&self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let Kind::Op(Op::Copy { src, dst }) = &stmt.kind else {
            return;
        };
        for place in [src, dst] {
            let Place::Tensor(region) = place else { continue };
            for (count, axis, unit) in may_exceed(region, |count| self.range(count)) {
                if self.is_certain && count.is_launch_constant() {
                    continue;
                }
                let most = axis.extent;
                let end = IntExpr::Const(i64::try_from(most).unwrap_or(i64::MAX));
                let value = BoolExpr::Compare(CompareOp::Le, count.clone(), end);
                let tensor = self.kernel.params[region.tensor.index()].name();
                let count = Named(&self.out, count);
                let text = format!("a range of {tensor}, {count}, is at most the {most} {unit} of its block");
                let span = region.span;
                let cond = Spanned { value, span };
                let kind = Kind::Op(Op::Assert { cond, text });
                if !out.iter().any(|known| known.kind == kind) {
                    out.push(Stmt::new(span, kind));
                }
            }
        }
    }
}
