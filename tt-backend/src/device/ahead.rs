//! Loops whose turns begin ahead: the next version of a buffer is begun as soon as the one before it has been passed on.
//!
//! Device IR has a turn in order: room for a version of each buffer, each with what fills it, then the barrier and all the rest. The emitted
//! code does the first part, buffer by buffer, a turn earlier: before the loop for the first turn, and for each later one right behind the
//! push of the buffer's version in the turn before. Where a core waits for a version that another sends, what it reads itself is under
//! way meanwhile (silicon.md §2.2: a line's sender reads serially first).
//!
//! ```text
//!  for k in 0..n, ahead { reserve a; read a of k; reserve b; read b of k; barrier; push a; push b }
//!  ⟹ begin_a(0); begin_b(0); for k in 0..n { barrier; push a; if (k + 1 < n) begin_a(k + 1); push b; if (k + 1 < n) begin_b(k + 1); }
//! ```
//!
//! What is done earlier concerns its own buffer, and what stands between concerns others (`verify::ahead`); so all is as it was, but for room
//! that is waited for before versions of other buffers are passed on, of which `verify::progress` takes account.

use super::function::{CB_PUSH_BACK, CB_RESERVE_BACK, Function, NOC_ASYNC_READ_BARRIER};
use super::{Calls, Expr, Leaf};
use crate::flow::BufferId;
use crate::ir::{Kind, Stmt};
use std::fmt::Debug;

/// The turn of a loop that begins ahead.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a, V: Debug + Clone + PartialEq> {
    first: &'a [Stmt<Calls<V>>],
    /// What follows, from the barrier on.
    pub rest: &'a [Stmt<Calls<V>>],
}

impl<'a, V: Debug + Clone + PartialEq> Turn<'a, V> {
    /// Of the body of a loop.
    pub fn of(body: &'a [Stmt<Calls<V>>]) -> Turn<'a, V> {
        let is_barrier = |stmt| called(stmt).is_some_and(|(function, _)| *function == NOC_ASYNC_READ_BARRIER);
        let at = body.iter().position(is_barrier);
        let (first, rest) = body.split_at(at.unwrap_or(0));
        Turn { first, rest }
    }

    /// Each buffer with what makes room for a version of it and fills that.
    pub fn begun(self) -> impl Iterator<Item = (BufferId, &'a [Stmt<Calls<V>>])> {
        let begins = |stmt: &Stmt<Calls<V>>| buffer_of(stmt, &CB_RESERVE_BACK);
        self.first
            .chunk_by(move |_, next| begins(next).is_none())
            .filter_map(move |chunk| Some((begins(chunk.first()?)?, chunk)))
    }
}

/// The buffer whose version a statement passes on.
pub fn pushed<V: Debug + Clone + PartialEq>(stmt: &Stmt<Calls<V>>) -> Option<BufferId> {
    buffer_of(stmt, &CB_PUSH_BACK)
}

/// The buffer of which a statement is this call.
fn buffer_of<V: Debug + Clone + PartialEq>(stmt: &Stmt<Calls<V>>, function: &Function) -> Option<BufferId> {
    match called(stmt) {
        Some((called, [Expr::Buffer(buffer), ..])) if called == function => Some(*buffer),
        Some(_) | None => None,
    }
}

fn called<V: Debug + Clone + PartialEq>(stmt: &Stmt<Calls<V>>) -> Option<(&'static Function, &[Expr<V>])> {
    match &stmt.kind {
        Kind::Op(Leaf::Call(call)) => Some((call.function, &call.args)),
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
    }
}
