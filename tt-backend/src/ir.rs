//! The structure of a program, once for every stage: statements one after the other, loops, branches, and statements
//! around others.
//!
//! What a statement does, what a loop runs over and what a branch asks is each [`Stage`]'s own, so that a pass cannot meet
//! what the pass before it has lowered.

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
#[derive(Debug, Clone, PartialEq)]
pub enum Never {}

/// A statement of stage `S`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt<S: Stage> {
    /// What is known of it.
    pub note: S::Note,
    /// What it does.
    pub kind: Kind<S>,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
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
        for inner in stmt.bodies() {
            visit(inner, each);
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

/// As [`operations`], to be changed.
pub fn operations_mut<S: Stage>(body: &mut [Stmt<S>], each: &mut impl FnMut(&mut S::Op)) {
    for stmt in body {
        if let Kind::Op(op) = &mut stmt.kind {
            each(op);
        }
        for inner in stmt.bodies_mut() {
            operations_mut(inner, each);
        }
    }
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
    /// What becomes of an operation.
    fn op(&mut self, note: From::Note, op: From::Op) -> Vec<Stmt<To>>;
    /// What becomes of a group.
    fn group(&mut self, note: From::Note, group: From::Group, body: Vec<Stmt<From>>) -> Vec<Stmt<To>>;
    /// The loop as it is then.
    fn head(&mut self, head: From::Loop) -> To::Loop;
    /// The branch as it is then.
    fn branch(&mut self, branch: From::Branch) -> To::Branch;
    /// What is known of a loop or branch then.
    fn note(&mut self, note: From::Note) -> To::Note;

    /// What becomes of a sequence.
    fn body(&mut self, body: Vec<Stmt<From>>) -> Vec<Stmt<To>> {
        let mut out = Vec::new();
        for Stmt { note, kind } in body {
            match kind {
                Kind::Op(op) => out.extend(self.op(note, op)),
                Kind::Group(group, body) => out.extend(self.group(note, group, body)),
                Kind::Loop(head, body) => {
                    let kind = Kind::Loop(self.head(head), self.body(body));
                    out.push(Stmt::new(self.note(note), kind));
                }
                Kind::If(branch, then, otherwise) => {
                    let kind = Kind::If(self.branch(branch), self.body(then), self.body(otherwise));
                    out.push(Stmt::new(self.note(note), kind));
                }
            }
        }
        out
    }
}

/// What is known at every point of a program, from its beginning on, on whatever path a point is reached.
pub trait Forward<S: Stage> {
    /// What is known.
    type State: Clone + PartialEq;

    /// What is known before the first statement. Everything is asked again, from here on, until no loop tells anything new.
    fn begin(&mut self) -> Self::State;
    /// What is known after an operation.
    fn op(&mut self, note: &S::Note, op: &S::Op, state: &mut Self::State);
    /// What of `state`, at the end of a turn, is known in the next turn.
    fn turn(&mut self, head: &S::Loop, state: &mut Self::State);
    /// What of `state`, at the end of the last turn, is known after the loop.
    fn leave(&mut self, head: &S::Loop, state: &mut Self::State);
    /// Whether the loop surely has a turn.
    fn runs(&self, head: &S::Loop) -> bool;
    /// What is known where two paths meet.
    fn join(&mut self, state: &mut Self::State, other: &Self::State);

    /// Goes through `body`. All loops are gone round together, so that nested ones cost no more than others.
    fn follow(&mut self, body: &[Stmt<S>]) {
        let mut heads = Heads {
            known: Vec::new(),
            next: 0,
            has_news: true,
        };
        while std::mem::take(&mut heads.has_news) {
            heads.next = 0;
            let mut state = self.begin();
            self.sequence(body, &mut state, &mut heads);
        }
    }

    /// Goes through `body` once, with what is known at the heads of its loops.
    fn sequence(&mut self, body: &[Stmt<S>], state: &mut Self::State, heads: &mut Heads<Self::State>) {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(op) => self.op(&stmt.note, op, state),
                Kind::Group(_, body) => self.sequence(body, state, heads),
                Kind::If(_, then, otherwise) => {
                    let mut other = state.clone();
                    self.sequence(then, state, heads);
                    self.sequence(otherwise, &mut other, heads);
                    self.join(state, &other);
                }
                Kind::Loop(head, body) => {
                    let before = state.clone();
                    let at = heads.next;
                    heads.next += 1;
                    match heads.known.get(at) {
                        Some(known) => self.join(state, known),
                        None => heads.known.push(before.clone()),
                    }
                    self.sequence(body, state, heads);
                    let mut next = state.clone();
                    self.turn(head, &mut next);
                    self.join(&mut next, &heads.known[at]);
                    heads.has_news |= next != heads.known[at];
                    heads.known[at] = next;
                    self.leave(head, state);
                    if !self.runs(head) {
                        self.join(state, &before);
                    }
                }
            }
        }
    }
}

/// What is known at the heads of the loops of a program, in their order.
#[derive(Debug)]
pub struct Heads<T> {
    known: Vec<T>,
    /// The loop that comes next.
    next: usize,
    /// More is known than in the round before.
    has_news: bool,
}
