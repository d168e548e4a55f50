//! The structure of a program, once for every stage: statements one after the other, loops, branches, and statements
//! around others.
//!
//! What a statement does, what a loop runs over and what a branch asks is each [`Stage`]'s own, so that a pass cannot meet
//! what the pass before it has lowered.
//!
//! Passes and checks go through programs by these, which go into all that statements stand in:
//!
//! | for | is |
//! |---|---|
//! | statements or operations by themselves | [`visit`], [`operations`] |
//! | where they stand: what begins and ends around them | [`walk`] |
//! | what stays of a program, or becomes of its operations | [`retained`], [`replaced`] |
//! | a program of the next stage | [`Rewrite`] |
//! | what is known of what came before, on every path | [`Forward`] |
//! | what is known of what comes later, and what has to stand there because of that | [`Backward`] |

use crate::ir::VarId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt::Debug;

/// A stage of the compiler: what its programs are made of.
pub trait Stage: Debug + Clone + PartialEq {
    /// A statement without statements of its own.
    type Op: Debug + Clone + PartialEq;
    /// What a loop runs over.
    type Loop: Debug + Clone + PartialEq;
    /// What a branch asks.
    type Branch: Debug + Clone + PartialEq;
    /// What a statement does around others, which run once.
    type Group: Debug + Clone + PartialEq;
    /// What is known of a statement beside what it does.
    type Note: Debug + Clone + PartialEq;
}

/// The groups of a stage that has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Never {}

/// A statement of stage `S`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "S::Op: Serialize, S::Loop: Serialize, S::Branch: Serialize, S::Group: Serialize, S::Note: Serialize",
    deserialize = "S::Op: Deserialize<'de>, S::Loop: Deserialize<'de>, S::Branch: Deserialize<'de>, S::Group: Deserialize<'de>, \
                   S::Note: Deserialize<'de>"
))]
pub struct Stmt<S: Stage> {
    /// What is known of it.
    pub note: S::Note,
    /// What it does.
    pub kind: Kind<S>,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "S::Op: Serialize, S::Loop: Serialize, S::Branch: Serialize, S::Group: Serialize, S::Note: Serialize",
    deserialize = "S::Op: Deserialize<'de>, S::Loop: Deserialize<'de>, S::Branch: Deserialize<'de>, S::Group: Deserialize<'de>, \
                   S::Note: Deserialize<'de>"
))]
pub enum Kind<S: Stage> {
    /// An operation.
    Op(S::Op),
    /// Something around statements that run once.
    Group(S::Group, Vec<Stmt<S>>),
    /// Statements that run again and again.
    Loop(S::Loop, Vec<Stmt<S>>),
    /// The first where the condition holds, else the second.
    If(S::Branch, Vec<Stmt<S>>, Vec<Stmt<S>>),
}

impl<S: Stage> Stmt<S> {
    /// A statement.
    pub fn new(note: impl Into<S::Note>, kind: Kind<S>) -> Stmt<S> {
        Stmt {
            note: note.into(),
            kind,
        }
    }

    /// The operation that it is, if it is one.
    pub fn op(&self) -> Option<&S::Op> {
        match &self.kind {
            Kind::Op(op) => Some(op),
            Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
        }
    }

    /// The sequences of statements in it.
    pub fn bodies(&self) -> impl Iterator<Item = &Vec<Stmt<S>>> {
        let (first, second) = match &self.kind {
            Kind::Op(_) => (None, None),
            Kind::Group(_, body) | Kind::Loop(_, body) => (Some(body), None),
            Kind::If(_, then, otherwise) => (Some(then), Some(otherwise)),
        };
        first.into_iter().chain(second)
    }

    /// As [`Stmt::bodies`], to be changed.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Vec<Stmt<S>>> {
        let (first, second) = match &mut self.kind {
            Kind::Op(_) => (None, None),
            Kind::Group(_, body) | Kind::Loop(_, body) => (Some(body), None),
            Kind::If(_, then, otherwise) => (Some(then), Some(otherwise)),
        };
        first.into_iter().chain(second)
    }
}

/// All statements of `body`, those within others after what they stand in.
pub fn visit<'a, S: Stage>(body: &'a [Stmt<S>], each: &mut impl FnMut(&'a Stmt<S>)) {
    for stmt in body {
        each(stmt);
        match &stmt.kind {
            Kind::Op(_) => {}
            Kind::Group(_, body) | Kind::Loop(_, body) => visit(body, each),
            Kind::If(_, then, otherwise) => {
                visit(then, each);
                visit(otherwise, each);
            }
        }
    }
}

/// All operations of `body`, in order.
pub fn operations<'a, S: Stage>(body: &'a [Stmt<S>], each: &mut impl FnMut(&'a S::Op)) {
    visit(body, &mut |stmt| {
        if let Kind::Op(op) = &stmt.kind {
            each(op);
        }
    });
}

/// As [`visit`], to be changed: what stands in a statement after it was.
pub fn visit_mut<S: Stage>(body: &mut [Stmt<S>], each: &mut impl FnMut(&mut Stmt<S>)) {
    for stmt in body {
        each(stmt);
        match &mut stmt.kind {
            Kind::Op(_) => {}
            Kind::Group(_, body) | Kind::Loop(_, body) => visit_mut(body, each),
            Kind::If(_, then, otherwise) => {
                visit_mut(then, each);
                visit_mut(otherwise, each);
            }
        }
    }
}

/// As [`operations`], to be changed.
pub fn operations_mut<S: Stage>(body: &mut [Stmt<S>], each: &mut impl FnMut(&mut S::Op)) {
    visit_mut(body, &mut |stmt| {
        if let Kind::Op(op) = &mut stmt.kind {
            each(op);
        }
    });
}

/// What statements stand in, with what is known of that where a walk may look at it: the statements themselves.
#[derive(Debug)]
pub enum Frame<'a, S: Stage, Body = &'a [Stmt<S>]> {
    /// A group.
    Group(&'a S::Group, Body),
    /// A loop.
    Loop(&'a S::Loop),
    /// A branch.
    If(&'a S::Branch),
}

impl<S: Stage, Body: Copy> Clone for Frame<'_, S, Body> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Stage, Body: Copy> Copy for Frame<'_, S, Body> {}

/// What a walk comes by.
#[derive(Debug)]
pub enum Event<'a, S: Stage, Op = &'a <S as Stage>::Op, Body = &'a [Stmt<S>]> {
    /// An operation.
    Op(Op),
    /// What statements stand in begins; in a branch, its first side.
    Enter(Frame<'a, S, Body>),
    /// The second side of the branch begins that was entered last.
    Otherwise,
    /// What was entered last, and not left, ends.
    Leave(Frame<'a, S, Body>),
}

/// A walk through `body` in its order, with what is known of each statement.
pub fn walk<'a, S: Stage>(body: &'a [Stmt<S>], each: &mut impl FnMut(&'a S::Note, Event<'a, S>)) {
    let Ok(()) = try_walk(body, &mut |note, event| {
        each(note, event);
        Ok::<_, Infallible>(())
    });
}

/// As [`walk`], up to the first error.
///
/// # Errors
/// Where `each` has one.
pub fn try_walk<'a, S: Stage, E>(
    body: &'a [Stmt<S>],
    each: &mut impl FnMut(&'a S::Note, Event<'a, S>) -> Result<(), E>,
) -> Result<(), E> {
    for Stmt { note, kind } in body {
        let (frame, first, second) = match kind {
            Kind::Op(op) => {
                each(note, Event::Op(op))?;
                continue;
            }
            Kind::Group(group, body) => (Frame::Group(group, body.as_slice()), body, None),
            Kind::Loop(head, body) => (Frame::Loop(head), body, None),
            Kind::If(branch, then, otherwise) => (Frame::If(branch), then, Some(otherwise)),
        };
        each(note, Event::Enter(frame))?;
        try_walk(first, each)?;
        if let Some(second) = second {
            each(note, Event::Otherwise)?;
            try_walk(second, each)?;
        }
        each(note, Event::Leave(frame))?;
    }
    Ok(())
}

/// As [`walk`], with operations to be changed.
pub fn walk_mut<'a, S: Stage>(
    body: &'a mut [Stmt<S>],
    each: &mut impl FnMut(&'a S::Note, Event<'a, S, &'a mut S::Op, ()>),
) {
    for Stmt { note, kind } in body {
        let note = &*note;
        let (frame, first, second) = match kind {
            Kind::Op(op) => {
                each(note, Event::Op(op));
                continue;
            }
            Kind::Group(group, body) => (Frame::Group(&*group, ()), body, None),
            Kind::Loop(head, body) => (Frame::Loop(&*head), body, None),
            Kind::If(branch, then, otherwise) => (Frame::If(&*branch), then, Some(otherwise)),
        };
        each(note, Event::Enter(frame));
        walk_mut(first, each);
        if let Some(second) = second {
            each(note, Event::Otherwise);
            walk_mut(second, each);
        }
        each(note, Event::Leave(frame));
    }
}

/// What stays of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It; a loop or branch only where something stays in it.
    Itself,
    /// What stays in it.
    Inside,
    /// Nothing.
    Nothing,
}

/// What stays of `body`, as `keep` says of every statement before it is asked of what stands in it.
pub fn retained<S: Stage>(body: Vec<Stmt<S>>, keep: &mut impl FnMut(&mut Stmt<S>) -> Keep) -> Vec<Stmt<S>> {
    let mut out = Vec::new();
    for mut stmt in body {
        let keeps = keep(&mut stmt);
        if keeps == Keep::Nothing {
            continue;
        }
        for inner in stmt.bodies_mut() {
            *inner = retained(std::mem::take(inner), keep);
        }
        let runs_nothing = match stmt.kind {
            Kind::Op(_) | Kind::Group(..) => false,
            Kind::Loop(..) | Kind::If(..) => stmt.bodies().all(Vec::is_empty),
        };
        match keeps {
            Keep::Inside => stmt.bodies_mut().for_each(|inner| out.append(inner)),
            Keep::Itself if !runs_nothing => out.push(stmt),
            Keep::Itself | Keep::Nothing => {}
        }
    }
    out
}

/// `body` with every operation replaced by what `each` makes of it.
pub fn replaced<S: Stage>(body: Vec<Stmt<S>>, each: &mut impl FnMut(S::Note, S::Op) -> Vec<Stmt<S>>) -> Vec<Stmt<S>> {
    let mut out = Vec::new();
    for Stmt { note, kind } in body {
        let kind = match kind {
            Kind::Op(op) => {
                out.extend(each(note, op));
                continue;
            }
            Kind::Group(group, body) => Kind::Group(group, replaced(body, each)),
            Kind::Loop(head, body) => Kind::Loop(head, replaced(body, each)),
            Kind::If(branch, then, otherwise) => Kind::If(branch, replaced(then, each), replaced(otherwise, each)),
        };
        out.push(Stmt { note, kind });
    }
    out
}

/// What a pass makes of a program of stage `From`: one of stage `To`, statement by statement.
pub trait Rewrite<From: Stage, To: Stage> {
    /// Puts what becomes of an operation behind what there is.
    fn op(&mut self, note: From::Note, op: From::Op, out: &mut Vec<Stmt<To>>);
    /// Puts what becomes of a group behind what there is.
    fn group(&mut self, note: From::Note, group: From::Group, body: Vec<Stmt<From>>, out: &mut Vec<Stmt<To>>);
    /// The loop as it is then.
    fn head(&mut self, head: From::Loop) -> To::Loop;
    /// The branch as it is then.
    fn branch(&mut self, branch: From::Branch) -> To::Branch;
    /// What is known of a loop or branch then.
    fn note(&mut self, note: From::Note) -> To::Note;

    /// Puts what becomes of a statement behind what there is.
    fn stmt(&mut self, Stmt { note, kind }: Stmt<From>, out: &mut Vec<Stmt<To>>) {
        let kind = match kind {
            Kind::Op(op) => return self.op(note, op, out),
            Kind::Group(group, body) => return self.group(note, group, body, out),
            Kind::Loop(head, body) => Kind::Loop(self.head(head), self.body(body)),
            Kind::If(branch, then, otherwise) => Kind::If(self.branch(branch), self.body(then), self.body(otherwise)),
        };
        out.push(Stmt {
            note: self.note(note),
            kind,
        });
    }

    /// What becomes of a sequence.
    fn body(&mut self, body: Vec<Stmt<From>>) -> Vec<Stmt<To>> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            self.stmt(stmt, &mut out);
        }
        out
    }
}

/// What tells a loop from all others of a program.
pub trait Head {
    /// Its variable, of this loop alone.
    fn var(&self) -> VarId;
}

/// Whether no two loops of `body` have one variable.
pub fn has_loops_apart<S: Stage<Loop: Head>>(body: &[Stmt<S>]) -> bool {
    let (mut seen, mut are_apart) = (BTreeSet::new(), true);
    visit(body, &mut |stmt| {
        if let Kind::Loop(head, _) = &stmt.kind {
            are_apart &= seen.insert(head.var());
        }
    });
    are_apart
}

/// What is known at every point of a program, from its beginning on, on whatever path a point is reached.
pub trait Forward<S: Stage<Loop: Head>> {
    /// What is known.
    type State: Clone + PartialEq;

    /// What is known before the first statement. Everything is asked again, from here on, until no loop tells anything new.
    fn begin(&mut self) -> Self::State;
    /// What is known after an operation.
    fn op(&mut self, note: &S::Note, op: &S::Op, state: &mut Self::State);
    /// What is known at the beginning of what stands in a group; `state`, before it.
    fn open(&mut self, _group: &S::Group, _state: &mut Self::State) {}
    /// What is known after a group; `state`, at the end of what stands in it, `body`.
    fn close(&mut self, _group: &S::Group, _body: &[Stmt<S>], _state: &mut Self::State) {}
    /// What of `state`, at the end of a turn of a loop before which `before` is known, is known in the next turn.
    fn turn(&mut self, _head: &S::Loop, _before: &Self::State, _state: &mut Self::State) {}
    /// What of `state`, at the end of the last turn of a loop before which `before` is known, is known after the loop.
    fn leave(&mut self, _head: &S::Loop, _before: &Self::State, _state: &mut Self::State) {}
    /// Whether the loop surely has a turn.
    fn runs(&self, head: &S::Loop) -> bool;
    /// What is known where two paths meet.
    fn join(&mut self, state: &mut Self::State, other: &Self::State);
    /// What is known where a turn of a loop that `round` was known after, and that changes what it is otherwise than `before`, meets
    /// what was known before the loop, or after another turn.
    fn join_round(&mut self, state: &mut Self::State, _before: &Self::State, round: &Self::State) {
        self.join(state, round);
    }
    /// Whether `round`, where it is otherwise than `before`, is otherwise than `known`.
    fn is_news(&self, round: &Self::State, _before: &Self::State, known: &Self::State) -> bool {
        round != known
    }

    /// Goes through `body`, to what is known at its end. All loops are gone round together, so that nested ones cost no more than
    /// others. What needs several turns of a loop to come round takes as many rounds: of blocks that are copied to each other
    /// against their order in the loop, one for each.
    fn follow(&mut self, body: &[Stmt<S>]) -> Self::State {
        let mut heads = Heads {
            known: BTreeMap::new(),
            has_news: false,
        };
        loop {
            let mut state = self.begin();
            self.sequence(body, &mut state, &mut heads);
            if !std::mem::take(&mut heads.has_news) {
                return state;
            }
        }
    }

    /// Goes through `body` once, with what is known at the heads of its loops.
    fn sequence(&mut self, body: &[Stmt<S>], state: &mut Self::State, heads: &mut Heads<Self::State>) {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(op) => self.op(&stmt.note, op, state),
                Kind::Group(group, body) => {
                    self.open(group, state);
                    self.sequence(body, state, heads);
                    self.close(group, body, state);
                }
                Kind::If(_, then, otherwise) => {
                    let mut other = state.clone();
                    self.sequence(then, state, heads);
                    self.sequence(otherwise, &mut other, heads);
                    self.join(state, &other);
                }
                Kind::Loop(head, body) => {
                    let before = state.clone();
                    let known = heads.known.remove(&head.var());
                    if let Some(known) = &known {
                        self.join_round(state, &known.before, &known.round);
                    }
                    self.sequence(body, state, heads);
                    let mut round = state.clone();
                    self.turn(head, &before, &mut round);
                    let (known_before, known_round) = known
                        .as_ref()
                        .map_or((&before, &before), |Round { before, round }| (before, round));
                    self.join_round(&mut round, known_before, known_round);
                    heads.has_news |= self.is_news(&round, &before, known_round);
                    let known = Round {
                        before: before.clone(),
                        round,
                    };
                    heads.known.insert(head.var(), known);
                    self.leave(head, &before, state);
                    if !self.runs(head) {
                        self.join(state, &before);
                    }
                }
            }
        }
    }
}

/// What was known before a loop, and what is after a turn of it.
#[derive(Debug)]
struct Round<T> {
    before: T,
    round: T,
}

/// What is known at the heads of the loops of a program, by their variables.
#[derive(Debug)]
pub struct Heads<T> {
    known: BTreeMap<VarId, Round<T>>,
    /// More is known than in the round before.
    has_news: bool,
}

/// What is known at every point of a program of what comes after it, on whatever path, and what has to stand there because of
/// that.
///
/// What is known is a set of names, to which operations add those that they use and from which they take those that they
/// replace: so one turn of a loop tells what all of them do.
pub trait Backward<S: Stage> {
    /// What is known.
    type State: Clone;

    /// What is known before an operation; `state`, after it.
    fn op(&self, op: &S::Op, state: &mut Self::State);
    /// What is known at the end of what stands in a group, `body`; `state`, after it.
    fn close(&self, group: &S::Group, body: &[Stmt<S>], state: &mut Self::State);
    /// Whether the loop surely has a turn.
    fn runs(&self, head: &S::Loop) -> bool;
    /// What is known where two paths part.
    fn join(&self, state: &mut Self::State, other: &Self::State);

    /// What has to stand right after an operation or a group, after which `state` is known.
    fn after(&mut self, stmt: &Stmt<S>, state: &Self::State) -> Vec<Stmt<S>>;
    /// What is known at the head of every turn of a loop, and after the last.
    fn carried(&mut self, _head: &S::Loop, _state: &Self::State) {}
    /// What has to stand on a way from where `from` is known to where `to` is: into a loop and out of it, to the side of a branch.
    fn between(&mut self, note: &S::Note, from: &Self::State, to: &Self::State) -> Vec<Stmt<S>>;

    /// What is known before `body`; `state`, after it.
    fn before(&self, body: &[Stmt<S>], state: &mut Self::State) {
        for stmt in body.iter().rev() {
            match &stmt.kind {
                Kind::Op(op) => self.op(op, state),
                Kind::Group(group, body) => {
                    self.close(group, body, state);
                    self.before(body, state);
                }
                Kind::Loop(head, body) => {
                    let after = state.clone();
                    self.before(body, state);
                    if !self.runs(head) {
                        self.join(state, &after);
                    }
                }
                Kind::If(_, then, otherwise) => {
                    let mut other = state.clone();
                    self.before(then, state);
                    self.before(otherwise, &mut other);
                    self.join(state, &other);
                }
            }
        }
    }

    /// `body` with all that has to stand in it, and as [`Backward::before`].
    fn placed(&mut self, body: Vec<Stmt<S>>, state: &mut Self::State) -> Vec<Stmt<S>> {
        // The last comes first.
        let mut out = Vec::new();
        for stmt in body.into_iter().rev() {
            out.extend(self.placed_around(stmt, state).into_iter().rev());
        }
        out.reverse();
        out
    }

    /// A statement with what has to stand in it, before it and after it.
    fn placed_around(&mut self, stmt: Stmt<S>, state: &mut Self::State) -> Vec<Stmt<S>> {
        let mut after = match stmt.kind {
            Kind::Op(_) | Kind::Group(..) => self.after(&stmt, state),
            Kind::Loop(..) | Kind::If(..) => Vec::new(),
        };
        let mut out = Vec::new();
        let Stmt { note, kind } = stmt;
        let kind = match kind {
            Kind::Op(op) => {
                self.op(&op, state);
                Kind::Op(op)
            }
            Kind::Group(group, body) => {
                self.close(&group, &body, state);
                Kind::Group(group, self.placed(body, state))
            }
            Kind::Loop(head, body) => {
                // What every turn finds and leaves: what is known after the loop, and what a turn says of those before.
                let left = state.clone();
                self.before(&body, state);
                self.join(state, &left);
                let carried = state.clone();
                self.carried(&head, &carried);
                let mut body = self.placed(body, state);
                body.splice(0..0, self.between(&note, &carried, state));
                if !self.runs(&head) {
                    state.clone_from(&carried);
                }
                out = self.between(&note, state, &carried);
                after = self.between(&note, &carried, &left);
                Kind::Loop(head, body)
            }
            Kind::If(branch, then, otherwise) => {
                let (mut of_then, mut of_otherwise) = (state.clone(), state.clone());
                let mut then = self.placed(then, &mut of_then);
                let mut otherwise = self.placed(otherwise, &mut of_otherwise);
                state.clone_from(&of_then);
                self.join(state, &of_otherwise);
                then.splice(0..0, self.between(&note, state, &of_then));
                otherwise.splice(0..0, self.between(&note, state, &of_otherwise));
                Kind::If(branch, then, otherwise)
            }
        };
        out.push(Stmt { note, kind });
        out.extend(after);
        out
    }
}
