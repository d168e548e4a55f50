//! `if` as a value.

use super::frontend::{Frontend, Loads};
use super::spans::Node;
use super::value::Value;
use crate::codes;
use crate::ir::{Element, ElementKind};
use syn::Expr;

impl Frontend {
    /// `if c { x } else { y }` as a value.
    pub(super) fn branch_value(&mut self, branch: &syn::ExprIf) -> Option<Value> {
        if let Expr::Let(_) = *branch.cond {
            self.refuse(&branch.cond);
            return None;
        }
        let condition = self
            .value(&branch.cond)
            .and_then(|value| self.truth(value, &*branch.cond));
        let then = self.within(condition.as_ref(), true, |frontend| {
            frontend.tail_value(&branch.then_branch)
        });
        let Some((_, otherwise)) = &branch.else_branch else {
            let note = "write `if c { x } else { y }`";
            self.error(
                &codes::MISSING_ELSE,
                &branch.if_token,
                "`if` as a value has no `else`",
                note,
            );
            return None;
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
        let other = self.within(condition.as_ref(), false, |frontend| match &**otherwise {
            Expr::Block(block) => frontend.tail_value(&block.block),
            other => frontend.value(other).map(|value| (value, other)),
        });
        self.choose(condition?, then?, other?, branch)
    }

    /// What `read` reads where `condition` holds, or where it does not.
    pub(super) fn within<R>(
        &mut self,
        condition: Option<&Element>,
        holds: bool,
        read: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let narrowed = condition.map(|condition| self.indices.narrowed(condition, holds));
        let outer = std::mem::replace(&mut self.indices, narrowed.unwrap_or_default());
        let value = read(self);
        self.indices = outer;
        value
    }

    /// The selection between two values of one kind.
    pub(super) fn choose(
        &mut self,
        condition: Element,
        (then, then_node): (Value, &Expr),
        (other, other_node): (Value, &Expr),
        node: &(impl Node + ?Sized),
    ) -> Option<Value> {
        let (a, b, class) = match (then, other) {
            (Value::Truth(a), Value::Truth(b)) => (a, b, None),
            // An integer that is chosen when the kernel is compiled.
            (Value::Integer(a), Value::Integer(b)) if constant_truth(&condition).is_some() => {
                let holds = constant_truth(&condition).unwrap_or_default();
                return Some(Value::Integer(if holds { a } else { b }));
            }
            (Value::Integer(a), Value::Integer(b)) => match self.integer_choice(&condition, &a, &b) {
                Ok(holds) => return self.chosen_integer(holds, a, b, node).map(Value::Integer),
                Err([found, note]) if matches!(self.loads, Loads::Index | Loads::Let) => {
                    let message = format!("an integer is wanted, found an `if` {found}");
                    self.error(&codes::INTEGER_WANTED, node, message, note);
                    return None;
                }
                Err(_) => {
                    let (a, b, class) = self.unify(Value::Integer(a), Value::Integer(b), then_node, other_node)?;
                    (a, b, Some(class))
                }
            },
            (then, other) => {
                let (a, b, class) = self.unify(then, other, then_node, other_node)?;
                (a, b, Some(class))
            }
        };
        let kind = ElementKind::Select(Box::new(condition), Box::new(a), Box::new(b));
        let element = self.element(kind, node);
        Some(class.map_or_else(
            || Value::Truth(element.clone()),
            |class| Value::Number(element.clone(), class),
        ))
    }

    /// The value of a block of integer `let`s that ends in an expression.
    fn tail_value<'a>(&mut self, block: &'a syn::Block) -> Option<(Value, &'a Expr)> {
        let Some((last, before)) = block.stmts.split_last() else {
            let note = "write one expression";
            self.error(&codes::MISSING_ELSE, block, "this branch has no value", note);
            return None;
        };
        self.scoped(|this| {
            for stmt in before {
                this.integer_declaration(stmt);
            }
            let Some(expr) = tail(last) else {
                let note = "end the branch with one expression, without `;`";
                this.error(&codes::MISSING_ELSE, last, "this branch has no value", note);
                return None;
            };
            this.value(expr).map(|value| (value, expr))
        })
    }
}

/// The value of a condition over constants.
fn constant_truth(condition: &Element) -> Option<bool> {
    match &condition.kind {
        ElementKind::Bool(value) => Some(*value),
        ElementKind::CompareInt(op, a, b) => Some(op.apply(a.as_const()?, b.as_const()?)),
        ElementKind::And(a, b) => Some(constant_truth(a)? && constant_truth(b)?),
        ElementKind::Or(a, b) => Some(constant_truth(a)? || constant_truth(b)?),
        ElementKind::Not(a) => Some(!constant_truth(a)?),
        ElementKind::Float(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Load(_)
        | ElementKind::Call(..)
        | ElementKind::Compare(..)
        | ElementKind::Select(..)
        | ElementKind::Cast(..) => None,
    }
}

/// The expression that ends a block of statements.
fn tail(stmt: &syn::Stmt) -> Option<&Expr> {
    match stmt {
        syn::Stmt::Expr(expr, None) => Some(expr),
        syn::Stmt::Expr(_, Some(_)) | syn::Stmt::Local(_) | syn::Stmt::Item(_) | syn::Stmt::Macro(_) => None,
    }
}
