//! fill_parts: blocks that are written part by part are filled before.
//!
//! Before: Tile IR whose parts begin at constants where they can. After: every block is written before it is read, as C1 has it: a store
//! to a part is a use of the rest, and one in a branch may not happen. Where element by element everything that is read was written
//! and that does not hold of itself, the block is filled before the first store, in the innermost loop in every turn of which
//! it is so. What else is read of blocks that are written in parts is refused, where it is read.
//!
//! ```text
//!  for k in 0..4 { for i in Parallel(16) { v[k * 16 + i] = .. } }   ⟹   fill(v, 0.0); for k in 0..4 { .. }
//! ```

#![warn(clippy::arithmetic_side_effects)]

pub(crate) mod touch;
mod written;

use self::touch::{Known, Touch};
use self::written::Written;
use crate::codes;
use crate::flow::FlowLoop;
use crate::ir::{Event, Forward, Frame, Kind, walk};
use crate::linear::Signs;
use crate::passes::split_conditions::Tile;
use crate::persistent::Persistent;
use crate::pipeline::Pass;
use crate::verify::tile::{has_no_stacks, holds_elements, keeps};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    BlockId, BoolExpr, Element, ElementKind, For, IntExpr, Kernel, Language, Op, Real, Span, Spanned, Stmt, VarId,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "fill_parts",
    does: "blocks that are written part by part are filled before",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel)?;
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [holds_elements, has_no_stacks]),
};

/// States that are followed beside each other, one for each way through branches.
const MOST_WAYS: usize = 16;

/// Turns that a loop of unknown count is followed one by one; after them comes any of the rest.
const TURNS: i64 = 8;

/// Words of 64 elements that are looked at in all.
const MOST_WORK: usize = 1 << 25;

/// What runs in every turn of the loop of this variable; where there is none, the kernel.
type Sequence = Option<VarId>;

/// Runs the pass.
pub fn run(mut kernel: Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let Suspects { found, in_part, .. } = Suspects::of(&kernel);
    let mut unwritten = Follow::new(&kernel, &found, &BTreeMap::new()).unwritten();
    let of_which_all: Vec<BlockId> = found
        .iter()
        .filter(|block| !unwritten.contains_key(block))
        .copied()
        .collect();
    // The reads of others are where C1 says.
    unwritten.retain(|block, _| in_part.contains(block));
    if !unwritten.is_empty() {
        return Err(refused(&kernel, unwritten));
    }
    let mut around = touched_in(&kernel.body);
    let mut open: BTreeSet<BlockId> = of_which_all
        .into_iter()
        .filter(|block| around.contains_key(block))
        .collect();
    let mut fills: BTreeMap<Sequence, BTreeSet<BlockId>> = BTreeMap::new();
    while !open.is_empty() {
        let innermost = |block: &BlockId| (*block, around.get(block).and_then(|around| around.last()).copied());
        let afresh: BTreeMap<BlockId, Sequence> = open.iter().map(innermost).collect();
        let unwritten = Follow::new(&kernel, &open, &afresh).unwritten();
        for (block, sequence) in afresh {
            if !unwritten.contains_key(&block) {
                fills.entry(sequence).or_default().insert(block);
                open.remove(&block);
            } else if around.get_mut(&block).and_then(Vec::pop).is_none() {
                open.remove(&block);
            }
        }
    }
    let body = std::mem::take(&mut kernel.body);
    let of_kernel = fills.remove(&None).unwrap_or_default();
    kernel.body = filled(&kernel, body, of_kernel, &mut fills);
    Ok(kernel)
}

/// What is said of blocks that are read and not written: of several at one place, as a stack's are, of one.
fn refused(kernel: &Kernel, unwritten: BTreeMap<BlockId, Unwritten>) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (id, Unwritten { span, how }) in unwritten {
        let block = kernel.block(id);
        let name = &block.name;
        let message = match how {
            How::Never => format!("`{name}` is read before it is written"),
            How::Perhaps => format!("`{name}` may be read before it is written"),
            How::InPart => format!("`{name}` is read where it may not be written"),
            How::Untold => format!("nothing tells soon that all of `{name}` that is read was written"),
        };
        if errors.iter().all(|error| error.span != span) {
            errors.push(read_before_write(message, span, block.span));
        }
    }
    errors
}

/// What is said of a read of a block, declared at `declared`, that is not written before on every path.
pub(super) fn read_before_write(message: String, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::new(&codes::READ_BEFORE_WRITE, span, message)
        .label(declared, "allocated here")
        .note("write it on every path first: `T.clear`, `T.fill`, `T.copy` or `clear_accum = true`")
}

/// A read of what was not written.
struct Unwritten {
    span: Span,
    how: How,
}

/// How it was not.
enum How {
    /// By no statement before.
    Never,
    /// Not on every path.
    Perhaps,
    /// Other elements of the block were.
    InPart,
    /// It takes too long to tell.
    Untold,
}

/// The variables of the loops that everything stands in which touches a block, for every block.
fn touched_in(body: &[Stmt]) -> BTreeMap<BlockId, Vec<VarId>> {
    let mut blocks: BTreeMap<BlockId, Vec<VarId>> = BTreeMap::new();
    let mut loops = Vec::new();
    walk(body, &mut |_, event| match event {
        Event::Enter(Frame::Loop(head)) => loops.push(head.var),
        Event::Leave(Frame::Loop(_)) => {
            loops.pop();
        }
        Event::Op(op) => touch::of(op, &mut |touch| {
            let around = blocks.entry(touch.block).or_insert_with(|| loops.clone());
            let shared = around.iter().zip(&loops).take_while(|(a, b)| a == b).count();
            around.truncate(shared);
        }),
        Event::Enter(Frame::Group(..) | Frame::If(_))
        | Event::Otherwise
        | Event::Leave(Frame::Group(..) | Frame::If(_)) => {}
    });
    blocks
}

/// `body` with each block of `open` filled before the first statement that touches it, and in its loops those of `fills`.
fn filled(
    kernel: &Kernel,
    body: Vec<Stmt>,
    mut open: BTreeSet<BlockId>,
    fills: &mut BTreeMap<Sequence, BTreeSet<BlockId>>,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    for stmt in body {
        if !open.is_empty() {
            let touched = touched_in(std::slice::from_ref(&stmt)).into_keys();
            let first: Vec<BlockId> = touched.filter(|block| open.remove(block)).collect();
            out.extend(first.into_iter().rev().map(|block| fill(kernel, block, stmt.note)));
        }
        let Stmt { note, kind } = stmt;
        let kind = match kind {
            Kind::Op(op) => Kind::Op(op),
            Kind::Group(never, _) => match never {},
            Kind::Loop(head, body) => {
                let open = fills.remove(&Some(head.var)).unwrap_or_default();
                Kind::Loop(head, filled(kernel, body, open, fills))
            }
            Kind::If(cond, then, otherwise) => {
                let [then, otherwise] = [then, otherwise].map(|body| filled(kernel, body, BTreeSet::new(), fills));
                Kind::If(cond, then, otherwise)
            }
        };
        out.push(Stmt { note, kind });
    }
    out
}

/// The statement that fills a block with zeros, at `span`.
fn fill(kernel: &Kernel, id: BlockId, span: Span) -> Stmt {
    let kind = match kernel.block(id).element.is_integer() {
        true => ElementKind::Int(IntExpr::Const(0)),
        false => ElementKind::Float(Real(0.0)),
    };
    let block = Spanned { value: id, span };
    let value = Element { kind, span };
    Stmt::new(span, Kind::Op(Op::Fill { block, value }))
}

/// Which blocks C1 would say are read before they are written: a part that is stored to counts as read, and what a branch or a loop
/// that may not run writes counts as not written.
struct Suspects<'k> {
    kernel: &'k Kernel,
    signs: Signs,
    found: BTreeSet<BlockId>,
    /// Blocks to a part of which something is stored.
    in_part: BTreeSet<BlockId>,
}

impl Suspects<'_> {
    fn of(kernel: &Kernel) -> Suspects<'_> {
        let mut suspects = Suspects {
            kernel,
            signs: Signs::of(kernel),
            found: BTreeSet::new(),
            in_part: BTreeSet::new(),
        };
        suspects.follow(&kernel.body);
        suspects
    }
}

impl Forward<Language> for Suspects<'_> {
    /// Whether each block is written.
    type State = Persistent<bool>;

    fn begin(&mut self) -> Self::State {
        Persistent::new(self.kernel.blocks.len())
    }

    fn op(&mut self, _: &Span, op: &Op, written: &mut Self::State) {
        touch::of(op, &mut |touch| {
            let part = touch.part(self.kernel, &Known::new());
            let is_part = touch.is_store && part != Some(touch::whole(self.kernel, touch.block));
            if is_part {
                self.in_part.insert(touch.block);
            }
            let uses = !touch.is_store || is_part;
            if uses && written.get(touch.block.index()) != Some(&true) {
                self.found.insert(touch.block);
            }
            if touch.is_store {
                *written.at_mut(touch.block.index()) = Some(true);
            }
        });
    }

    fn runs(&self, head: &For) -> bool {
        self.signs.is_at_least(&FlowLoop::count(&head.start, &head.end), 1)
    }

    fn join(&mut self, written: &mut Self::State, other: &Self::State) {
        written.merge(other, both);
    }

    fn join_round(&mut self, written: &mut Self::State, before: &Self::State, round: &Self::State) {
        written.merge_since(before, round, both);
    }

    fn is_news(&self, round: &Self::State, before: &Self::State, known: &Self::State) -> bool {
        round.differs_since(before, known)
    }
}

/// Whether a block is written on both of two paths.
fn both(written: Option<&bool>, other: Option<&bool>) -> Option<bool> {
    Some(written == Some(&true) && other == Some(&true))
}

/// One way through branches.
#[derive(Clone)]
struct Way {
    /// Which conditions hold and which do not.
    assumed: Vec<(BoolExpr, bool)>,
    written: Written,
}

impl Way {
    /// Whether `cond` holds, as far as this way tells.
    fn decides(&self, cond: &BoolExpr) -> Option<bool> {
        let known = self.assumed.iter().find(|(known, _)| known == cond);
        let known = known.map(|(_, holds)| *holds).or_else(|| cond.as_const());
        known.or_else(|| match cond {
            BoolExpr::And(a, b) => match [a, b].map(|part| self.decides(part)) {
                [Some(true), Some(true)] => Some(true),
                [Some(false), _] | [_, Some(false)] => Some(false),
                [None, _] | [_, None] => None,
            },
            BoolExpr::Or(a, b) => match [a, b].map(|part| self.decides(part)) {
                [Some(false), Some(false)] => Some(false),
                [Some(true), _] | [_, Some(true)] => Some(true),
                [None, _] | [_, None] => None,
            },
            BoolExpr::Not(a) => self.decides(a).map(|holds| !holds),
            BoolExpr::Const(_) | BoolExpr::Compare(..) | BoolExpr::CompareNumbers(..) => None,
        })
    }

    /// Takes it that `cond` holds, or does not, and what follows for its parts.
    fn assume(&mut self, cond: &BoolExpr, holds: bool) {
        match cond {
            BoolExpr::And(a, b) if holds => [a, b].iter().for_each(|part| self.assume(part, true)),
            BoolExpr::Or(a, b) if !holds => [a, b].iter().for_each(|part| self.assume(part, false)),
            BoolExpr::Not(a) => self.assume(a, !holds),
            BoolExpr::And(..)
            | BoolExpr::Or(..)
            | BoolExpr::Const(_)
            | BoolExpr::Compare(..)
            | BoolExpr::CompareNumbers(..) => {}
        }
        self.assumed.push((cond.clone(), holds));
    }
}

/// Follows a kernel element by element. What has been written is written on, so that a first turn of a loop stands for all of
/// them.
struct Follow<'k> {
    kernel: &'k Kernel,
    signs: Signs,
    blocks: &'k BTreeSet<BlockId>,
    /// The sequences at whose begin nothing of blocks is written.
    afresh: BTreeMap<Sequence, Vec<BlockId>>,
    /// The variables of the loops around that have one value.
    known: Known,
    /// Blocks of which something is read that was not written, and where first.
    unwritten: BTreeMap<BlockId, Unwritten>,
    /// Blocks that something was stored to.
    stored: BTreeSet<BlockId>,
    work: usize,
}

impl<'k> Follow<'k> {
    fn new(kernel: &'k Kernel, blocks: &'k BTreeSet<BlockId>, afresh_at: &BTreeMap<BlockId, Sequence>) -> Self {
        let mut afresh: BTreeMap<Sequence, Vec<BlockId>> = BTreeMap::new();
        for (block, sequence) in afresh_at {
            afresh.entry(*sequence).or_default().push(*block);
        }
        Follow {
            kernel,
            signs: Signs::of(kernel),
            blocks,
            afresh,
            known: Known::new(),
            unwritten: BTreeMap::new(),
            stored: BTreeSet::new(),
            work: 0,
        }
    }

    /// The blocks of which something may be read that was not written; all of them where it takes too long to tell.
    fn unwritten(mut self) -> BTreeMap<BlockId, Unwritten> {
        let begin = Way {
            assumed: Vec::new(),
            written: Written::nothing(self.kernel, self.blocks),
        };
        self.whole(None, &self.kernel.body, begin);
        if self.is_spent() {
            for block in self.blocks {
                let (span, how) = (self.kernel.block(*block).span, How::Untold);
                self.unwritten.entry(*block).or_insert(Unwritten { span, how });
            }
        }
        self.unwritten
    }

    fn is_spent(&self) -> bool {
        self.work > MOST_WORK
    }

    /// What is written at the end of all that a sequence is.
    fn whole(&mut self, sequence: Sequence, body: &[Stmt], mut begin: Way) -> Written {
        for block in self.afresh.get(&sequence).into_iter().flatten() {
            begin.written.forget(self.kernel, *block);
        }
        self.statements(body, begin)
    }

    /// What is written after statements.
    fn statements(&mut self, body: &[Stmt], begin: Way) -> Written {
        let mut ways = vec![begin];
        for stmt in body {
            if self.is_spent() {
                break;
            }
            self.work = self.work.saturating_add(1);
            let mut after = Vec::new();
            for way in ways {
                self.statement(stmt, way, &mut after);
            }
            ways = match after.len() <= MOST_WAYS {
                true => after,
                false => vec![Way {
                    assumed: Vec::new(),
                    written: self.in_all(after),
                }],
            };
        }
        self.in_all(ways)
    }

    fn in_all(&mut self, ways: Vec<Way>) -> Written {
        let (written, words) = Written::in_all(ways);
        self.work = self.work.saturating_add(words);
        written
    }

    fn statement(&mut self, stmt: &Stmt, mut way: Way, after: &mut Vec<Way>) {
        match &stmt.kind {
            Kind::Loop(For { var, start, end, .. }, body) => {
                way.written = self.turns((*var, start, end), body, way.clone());
                after.push(way);
            }
            Kind::If(cond, then, otherwise) => {
                let cond = touch::condition(&cond.value, &self.known);
                let decided = way.decides(&cond);
                for (holds, body) in [(true, then), (false, otherwise)] {
                    if decided == Some(!holds) {
                        continue;
                    }
                    let mut taken = way.clone();
                    if decided.is_none() {
                        taken.assume(&cond, holds);
                    }
                    taken.written = self.statements(body, taken.clone());
                    after.push(taken);
                }
            }
            Kind::Op(op) => {
                touch::of(op, &mut |touch| self.touch(&touch, &mut way.written));
                after.push(way);
            }
            Kind::Group(never, _) => match *never {},
        }
    }

    /// What is written after the turns of a loop.
    fn turns(&mut self, (var, start, end): (VarId, &IntExpr, &IntExpr), body: &[Stmt], mut way: Way) -> Written {
        let [first, last] = [start, end].map(|bound| touch::integer(bound, &self.known).as_const());
        // Of a loop of unknown count the first turns may be all; after them comes any other.
        let one_by_one = match (first, last) {
            (Some(first), Some(last)) => first..last,
            (Some(first), None) => first..first.saturating_add(TURNS),
            (None, _) => 0..0,
        };
        let runs = self.signs.is_at_least(&FlowLoop::count(start, end), 1);
        let mut surely = way.written.clone();
        let mut turns: usize = 0;
        for value in one_by_one.map(Some).chain(first.zip(last).is_none().then_some(None)) {
            if self.is_spent() {
                break;
            }
            match value {
                Some(value) => self.known.insert(var, value),
                None => self.known.remove(&var),
            };
            way.written = self.whole(Some(var), body, way.clone());
            turns = turns.saturating_add(1);
            if first.zip(last).is_some() || runs && turns == 1 {
                surely = way.written.clone();
            }
        }
        self.known.remove(&var);
        surely
    }

    fn touch(&mut self, touch: &Touch, written: &mut Written) {
        if !self.blocks.contains(&touch.block) {
            return;
        }
        if touch.is_store {
            self.stored.insert(touch.block);
        }
        let part = touch.part(self.kernel, &self.known);
        let words = match (touch.is_store, part) {
            (true, Some(part)) => written.write(touch.block, &part),
            (true, None) => 0,
            (false, part) => {
                let part = part.unwrap_or_else(|| touch::whole(self.kernel, touch.block));
                let (holds, words) = written.has(touch.block, &part);
                if !holds {
                    let how = match (self.stored.contains(&touch.block), written.has_any(touch.block)) {
                        (false, _) => How::Never,
                        (true, false) => How::Perhaps,
                        (true, true) => How::InPart,
                    };
                    let span = touch.span;
                    self.unwritten.entry(touch.block).or_insert(Unwritten { span, how });
                }
                words
            }
        };
        self.work = self.work.saturating_add(words);
    }
}
