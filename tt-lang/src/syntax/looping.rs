//! Serial loops: `0..n`, `T.serial`, `T.unroll`, `T.Pipelined`. `T.Parallel` is in `parallel`.

use super::frontend::{Frontend, name_of, ungrouped};
use super::limits;
use super::scope::Binding;
use super::source_text::source_text;
use super::statement::vocabulary_call;
use super::vocabulary::{Role, Word, word};
use crate::codes;
use crate::ir::{For, IntExpr, IntOp, LoopKind, Stmt, VarId};
use crate::tree::Kind;
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
            && let Some(row) = word(&name_of(&call.method))
            && row.role == Role::Loop
        {
            let arguments = self.arguments(call, row);
            if row.word == Word::Parallel {
                return self.parallel_loop(this, call, arguments);
            }
            let bounds = match arguments.as_ref().map(|arguments| arguments.positional.as_slice()) {
                Some([bound]) => self.turns(bound),
                _ => None,
            };
            #[expect(clippy::wildcard_enum_match_arm, reason = "words of another role are no loops")]
            let kind = match row.word {
                Word::Pipelined => {
                    let stages = arguments.as_ref().and_then(|arguments| arguments.option("num_stages"));
                    self.stages(stages).map(LoopKind::Pipelined)
                }
                Word::Unroll => Some(LoopKind::Unroll),
                Word::Serial => Some(LoopKind::Serial),
                _ => {
                    self.word_out_of_place(&call.method, row, "is not compiled");
                    None
                }
            };
            return self.serial_loop(this, bounds, kind);
        }
        if let Some(call) = vocabulary_call(&this.expr) {
            match word(&name_of(&call.method)) {
                Some(row) => {
                    let message = format!("`T.{}` is not a loop", row.name);
                    self.error(&codes::LOOP_RANGE, &call.method, message, LOOPS);
                }
                None => self.unknown_word(&call.method),
            }
            return self.serial_loop(this, None, None);
        }
        let bounds = match is_range(&this.expr) {
            true => self.turns(&this.expr),
            false => {
                let shown = source_text(&this.expr);
                let message = if shown.len() > 40 {
                    "this is not a loop of the language".to_string()
                } else {
                    format!("`{shown}` is not a loop of the language")
                };
                self.error(&codes::LOOP_RANGE, &*this.expr, message, LOOPS);
                None
            }
        };
        self.serial_loop(this, bounds, Some(LoopKind::Serial))
    }

    /// `n`, `start..end`, or a range with `.rev()` and `.step_by(n)`.
    fn turns(&mut self, expr: &Expr) -> Option<Turns> {
        if let Some(range) = range_of(expr) {
            let (start, end) = self.range_bounds(range)?;
            return Some(Turns::Range(start, end));
        }
        let Expr::MethodCall(call) = ungrouped(expr) else {
            return Some(Turns::Range(IntExpr::Const(0), self.integer(expr)?));
        };
        if !is_range(expr) {
            return Some(Turns::Range(IntExpr::Const(0), self.integer(expr)?));
        }
        let inner = self.turns(&call.receiver)?;
        let (first, count, step) = match inner {
            Turns::Range(start, end) => {
                // The ends of an empty range may be further apart than an integer holds.
                let end = match start.as_const() {
                    Some(0) => end,
                    _ => self.integer_op(IntOp::Max, end, start.clone(), expr)?,
                };
                let count = self.integer_op(IntOp::Sub, end, start.clone(), expr)?;
                (start, count, IntExpr::Const(1))
            }
            Turns::Steps { first, count, step } => (first, count, step),
        };
        if call.method == "rev" {
            let last = self.integer_op(IntOp::Sub, count.clone(), IntExpr::Const(1), expr)?;
            let way = self.integer_op(IntOp::Mul, last, step.clone(), expr)?;
            let first = self.integer_op(IntOp::Add, first, way, expr)?;
            let step = self.integer_op(IntOp::Sub, IntExpr::Const(0), step, expr)?;
            return Some(Turns::Steps { first, count, step });
        }
        let by = self.integer(call.args.first()?)?;
        if by.as_const().is_some_and(|by| by < 1) {
            let note = "a loop that counts down is `(lo..hi).rev()`";
            self.error(&codes::OPTION_VALUE, &call.args, "a step is at least 1", note);
            return None;
        }
        let count = self.integer_op(IntOp::CeilDiv, count, by.clone(), expr)?;
        let step = self.integer_op(IntOp::Mul, step, by, expr)?;
        Some(Turns::Steps { first, count, step })
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
        let (start, end) = (self.integer(start), self.integer(end));
        let (start, end) = (start?, end?);
        let end = match range.limits {
            syn::RangeLimits::HalfOpen(_) => end,
            syn::RangeLimits::Closed(_) => self.integer_op(IntOp::Add, end, IntExpr::Const(1), range)?,
        };
        Some((start, end))
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

    /// The loop with these turns; its body is read also where they are wrong.
    fn serial_loop(&mut self, this: &syn::ExprForLoop, turns: Option<Turns>, kind: Option<LoopKind>) -> Option<Stmt> {
        self.loops = self.loops.saturating_add(1);
        if self.loops == limits::LOOPS.saturating_add(1) {
            let message = format!("more than {} loops within each other", limits::LOOPS);
            let note = "write one loop over the product of the counts, and take quotients and remainders";
            self.error(&codes::TOO_DEEP, &this.for_token, message, note);
        }
        let (var, body) = self.scoped(|frontend| {
            let var = frontend.loop_variable(&this.pat, turns.as_ref());
            (var, frontend.statements(&this.body.stmts))
        });
        self.loops = self.loops.saturating_sub(1);
        let (start, end) = match turns? {
            Turns::Range(start, end) => (start, end),
            Turns::Steps { count, .. } => (IntExpr::Const(0), count),
        };
        let (var, kind) = (var?, kind?);
        let head = For { var, start, end, kind };
        Some(Stmt::new(self.span(&this.for_token), Kind::Loop(head, body)))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn loop_variable(&mut self, pat: &Pat, turns: Option<&Turns>) -> Option<VarId> {
        match pat {
            Pat::Wild(wild) => Some(self.declare_variable(&syn::Ident::new("_", wild.underscore_token.span))),
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none() => {
                Some(self.counted(&ident.ident, turns))
            }
            Pat::Paren(inner) => self.loop_variable(&inner.pat, turns),
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

    /// The variable that counts the turns of a loop whose index is called `ident`: the index itself where it goes up by one.
    fn counted(&mut self, ident: &syn::Ident, turns: Option<&Turns>) -> VarId {
        let Some(Turns::Steps { first, step, .. }) = turns else {
            return self.declare_variable(ident);
        };
        let name = name_of(ident);
        let turn = self.new_variable(format!("{name}_turn"), ident);
        let way = IntExpr::binary(IntOp::Mul, IntExpr::Var(turn), step.clone());
        let value = IntExpr::binary(IntOp::Add, first.clone(), way);
        let span = self.span(ident);
        self.scope.declare(name, span, Binding::Integer(value));
        turn
    }
}

/// What the index of a loop is, turn by turn.
enum Turns {
    /// From the first up to but not including the second.
    Range(IntExpr, IntExpr),
    /// `first`, `first + step`, ..: so many.
    Steps {
        first: IntExpr,
        count: IntExpr,
        step: IntExpr,
    },
}

const LOOPS: &str = "loops run over `0..n`, `(lo..hi).rev()`, `(lo..hi).step_by(n)`, `T.serial(n)`, `T.unroll(n)`, \
     `T.Pipelined(n, num_stages = 2)` or `T.Parallel(h, w)`";

/// Whether `expr` is a range, with or without `.rev()` and `.step_by(n)`.
fn is_range(expr: &Expr) -> bool {
    let Expr::MethodCall(call) = ungrouped(expr) else {
        return range_of(expr).is_some();
    };
    let known = match call.args.len() {
        0 => call.method == "rev",
        1 => call.method == "step_by",
        _ => false,
    };
    known && is_range(&call.receiver)
}

/// The range that `expr` is.
pub(super) fn range_of(expr: &Expr) -> Option<&syn::ExprRange> {
    let Expr::Range(range) = ungrouped(expr) else {
        return None;
    };
    Some(range)
}
