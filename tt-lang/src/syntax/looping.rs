//! Serial loops: `0..n`, `T.serial`, `T.unroll`, `T.Pipelined`. `T.Parallel` is in `parallel`.

use super::frontend::{Frontend, ungrouped};
use super::limits;
use super::source_text::source_text;
use super::statement::vocabulary_call;
use super::vocabulary::{Role, Word, word};
use crate::codes;
use crate::ir::{IntExpr, IntOp, LoopKind, Stmt, StmtKind};
use syn::ext::IdentExt;
use syn::{Expr, Pat};

/// The stages of `T.Pipelined` where none are given: one block in use, one on its way.
const DEFAULT_STAGES: u32 = 2;

impl Frontend {
    /// Reads a loop.
    pub(super) fn for_loop(&mut self, this: &syn::ExprForLoop) -> Option<Stmt> {
        if let Some(label) = &this.label {
            self.refuse_label(label);
        }
        if let Some(call) = vocabulary_call(&this.expr)
            && let Some(row) = word(&call.method.unraw().to_string())
            && row.role == Role::Loop
        {
            let arguments = self.arguments(call, row);
            if row.word == Word::Parallel {
                return self.parallel_loop(this, call, arguments);
            }
            let bounds = match arguments.as_ref().map(|arguments| arguments.positional.as_slice()) {
                Some([bound]) => self.bounds(bound),
                _ => None,
            };
            #[expect(clippy::wildcard_enum_match_arm, reason = "words of another role are no loops")]
            let kind = match row.word {
                Word::Pipelined => {
                    let stages = arguments.as_ref().and_then(|arguments| arguments.option("num_stages"));
                    self.stages(stages).map(LoopKind::Pipelined)
                }
                Word::Unroll => Some(LoopKind::Unroll),
                _ => Some(LoopKind::Serial),
            };
            return self.serial_loop(this, bounds, kind);
        }
        if let Some(call) = vocabulary_call(&this.expr) {
            match word(&call.method.unraw().to_string()) {
                Some(row) => {
                    let message = format!("`T.{}` is not a loop", row.name);
                    self.error(&codes::LOOP_RANGE, &call.method, message, LOOPS);
                }
                None => self.unknown_word(&call.method),
            }
            return self.serial_loop(this, None, None);
        }
        let bounds = match range_of(&this.expr) {
            Some(range) => self.range_bounds(range),
            None => {
                #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
                let note = match &*this.expr {
                    Expr::MethodCall(call) if call.method == "rev" => {
                        "count upwards and compute `n - 1 - k`".to_string()
                    }
                    Expr::MethodCall(call) if call.method == "step_by" => {
                        "count rounds and multiply: `for k in 0..n.div_ceil(step)`, then `k * step`".to_string()
                    }
                    _ => LOOPS.to_string(),
                };
                let shown = source_text(&this.expr);
                let message = if shown.len() > 40 {
                    "this is not a loop of the language".to_string()
                } else {
                    format!("`{shown}` is not a loop of the language")
                };
                self.error(&codes::LOOP_RANGE, &*this.expr, message, note);
                None
            }
        };
        self.serial_loop(this, bounds, Some(LoopKind::Serial))
    }

    /// `n` or `start..end`.
    fn bounds(&mut self, expr: &Expr) -> Option<(IntExpr, IntExpr)> {
        match range_of(expr) {
            Some(range) => self.range_bounds(range),
            None => Some((IntExpr::Const(0), self.loop_bound(expr)?)),
        }
    }

    fn range_bounds(&mut self, range: &syn::ExprRange) -> Option<(IntExpr, IntExpr)> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.error(
                &codes::LOOP_RANGE,
                range,
                "a loop has a start and an end",
                "write `for k in 0..n`",
            );
            return None;
        };
        let (start, end) = (self.loop_bound(start), self.loop_bound(end));
        let (start, end) = (start?, end?);
        let end = match range.limits {
            syn::RangeLimits::HalfOpen(_) => end,
            syn::RangeLimits::Closed(_) => self.integer_op(IntOp::Add, end, IntExpr::Const(1), range)?,
        };
        Some((start, end))
    }

    fn loop_bound(&mut self, expr: &Expr) -> Option<IntExpr> {
        let value = self.integer(expr)?;
        (!self.beyond_31_bits(&value, expr, "the bound of a loop")).then_some(value)
    }

    fn stages(&mut self, value: Option<&Expr>) -> Option<u32> {
        let Some(value) = value else {
            return Some(DEFAULT_STAGES);
        };
        let stages = self.constant(value, "`num_stages`", 1)?;
        let fits = u32::try_from(stages).ok().filter(|_| stages <= limits::STAGES);
        if fits.is_none() {
            self.error(
                &codes::OPTION_VALUE,
                value,
                format!("`num_stages` is at most {}, found {stages}", limits::STAGES),
                "two or three stages keep a core busy",
            );
        }
        fits
    }

    /// The loop over `bounds`; its body is read also where they are wrong.
    fn serial_loop(
        &mut self,
        this: &syn::ExprForLoop,
        bounds: Option<(IntExpr, IntExpr)>,
        kind: Option<LoopKind>,
    ) -> Option<Stmt> {
        self.loops = self.loops.saturating_add(1);
        if self.loops == limits::LOOPS.saturating_add(1) {
            let message = format!("more than {} loops within each other", limits::LOOPS);
            let note = "write one loop over the product of the counts, and take quotients and remainders";
            self.error(&codes::TOO_DEEP, &this.for_token, message, note);
        }
        let (var, body) = self.scoped(|frontend| {
            let var = frontend.loop_variable(&this.pat);
            (var, frontend.statements(&this.body.stmts))
        });
        self.loops = self.loops.saturating_sub(1);
        let (start, end) = bounds?;
        Some(Stmt {
            kind: StmtKind::For {
                var: var?,
                start,
                end,
                kind: kind?,
                body,
            },
            span: self.span(&this.for_token),
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn loop_variable(&mut self, pat: &Pat) -> Option<crate::ir::VarId> {
        match pat {
            Pat::Wild(wild) => Some(self.declare_variable(&syn::Ident::new("_", wild.underscore_token.span))),
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none() => {
                Some(self.declare_variable(&ident.ident))
            }
            Pat::Paren(inner) => self.loop_variable(&inner.pat),
            other => {
                self.error(
                    &codes::LOOP_PATTERN,
                    other,
                    "a serial loop binds one name",
                    "write `for k in 0..n`",
                );
                self.poison_pattern(other);
                None
            }
        }
    }
}

const LOOPS: &str =
    "loops run over `0..n`, `T.serial(n)`, `T.unroll(n)`, `T.Pipelined(n, num_stages = 2)` or `T.Parallel(h, w)`";

/// The range that `expr` is.
pub(super) fn range_of(expr: &Expr) -> Option<&syn::ExprRange> {
    let Expr::Range(range) = ungrouped(expr) else {
        return None;
    };
    Some(range)
}
