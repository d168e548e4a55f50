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

pub(super) mod touch;
mod written;

use self::touch::{Known, Touch};
use self::written::Written;
use crate::codes;
use crate::flow::FlowLoop;
use crate::ir::{Forward, Kind};
use crate::linear::Signs;
use crate::passes::split_conditions::Tile;
use crate::persistent::Persistent;
use crate::pipeline::Pass;
use crate::verify::tile::{has_no_stacks, holds_elements, keeps};
use std::cmp::Reverse;
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

/// Where a sequence of statements stands: the statement and the one of its bodies, from the outermost on.
type Path = Vec<(usize, usize)>;

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
    let mut places = BTreeMap::new();
    touched(&kernel.body, &mut Path::new(), &mut |path, at, block| {
        let place = places.entry(block).or_insert_with(|| Place::of(path, at));
        place.reaches(path);
    });
    let innermost = |block: BlockId| Some((block, places.get(&block)?.innermost.clone()));
    let mut open: BTreeMap<BlockId, Path> = of_which_all.into_iter().filter_map(innermost).collect();
    let mut fills: BTreeMap<Path, Vec<(usize, BlockId)>> = BTreeMap::new();
    while !open.is_empty() {
        let blocks = open.keys().copied().collect();
        let unwritten = Follow::new(&kernel, &blocks, &open).unwritten();
        for (block, mut path) in std::mem::take(&mut open) {
            if !unwritten.contains_key(&block) {
                let at = places[&block].first[path.len()];
                fills.entry(path).or_default().push((at, block));
            } else if path.pop().is_some() {
                open.insert(block, path);
            }
        }
    }
    // The last first, so that those before are where they were.
    for (path, fills) in fills.into_iter().rev() {
        fill(&mut kernel, &path, fills);
    }
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

/// Where a block is touched.
struct Place {
    /// The innermost sequence that all statements which do stand in.
    innermost: Path,
    /// The first of them, and those that it stands in, each by its number in its sequence.
    first: Vec<usize>,
}

impl Place {
    /// That of a statement.
    fn of(path: &Path, at: usize) -> Place {
        Place {
            innermost: path.clone(),
            first: path.iter().map(|(at, _)| *at).chain([at]).collect(),
        }
    }

    /// A statement in the sequence at `path` touches it too.
    fn reaches(&mut self, path: &Path) {
        let shared = self.innermost.iter().zip(path).take_while(|(a, b)| a == b).count();
        self.innermost.truncate(shared);
    }
}

/// Calls `visit` for every block that an operation touches, with the sequence it stands in and its number there.
fn touched(body: &[Stmt], path: &mut Path, visit: &mut impl FnMut(&Path, usize, BlockId)) {
    for (at, stmt) in body.iter().enumerate() {
        if let Some(op) = stmt.op() {
            touch::of(op, &mut |touch| visit(path, at, touch.block));
        }
        for (side, inner) in stmt.bodies().enumerate() {
            path.push((at, side));
            touched(inner, path, visit);
            path.pop();
        }
    }
}

/// Fills blocks in the sequence at `path`, each before a statement.
fn fill(kernel: &mut Kernel, path: &Path, mut fills: Vec<(usize, BlockId)>) {
    let mut body = &mut kernel.body;
    for (at, side) in path {
        let Some(within) = body.get_mut(*at).and_then(|stmt| stmt.bodies_mut().nth(*side)) else {
            return;
        };
        body = within;
    }
    fills.sort_by_key(|(at, block)| (*at, Reverse(*block)));
    let mut fills = fills.into_iter().peekable();
    for (at, stmt) in std::mem::take(body).into_iter().enumerate() {
        while let Some((_, id)) = fills.next_if(|(before, _)| *before == at) {
            let span: Span = stmt.note;
            let kind = match kernel.blocks[id.index()].element.is_integer() {
                true => ElementKind::Int(IntExpr::Const(0)),
                false => ElementKind::Float(Real(0.0)),
            };
            let block = Spanned { value: id, span };
            let value = Element { kind, span };
            let kind = Kind::Op(Op::Fill { block, value });
            body.push(Stmt { kind, note: span });
        }
        body.push(stmt);
    }
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
    afresh: BTreeMap<Path, Vec<BlockId>>,
    /// The sequence that is followed.
    path: Path,
    /// The variables of the loops around that have one value.
    known: Known,
    /// Blocks of which something is read that was not written, and where first.
    unwritten: BTreeMap<BlockId, Unwritten>,
    /// Blocks that something was stored to.
    stored: BTreeSet<BlockId>,
    work: usize,
}

impl<'k> Follow<'k> {
    fn new(kernel: &'k Kernel, blocks: &'k BTreeSet<BlockId>, afresh_at: &BTreeMap<BlockId, Path>) -> Self {
        let mut afresh: BTreeMap<Path, Vec<BlockId>> = BTreeMap::new();
        for (block, path) in afresh_at {
            afresh.entry(path.clone()).or_default().push(*block);
        }
        Follow {
            kernel,
            signs: Signs::of(kernel),
            blocks,
            afresh,
            path: Path::new(),
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
        self.sequence(&self.kernel.body, begin);
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

    /// What is written at the end of a sequence.
    fn sequence(&mut self, body: &[Stmt], begin: Way) -> Written {
        let mut ways = vec![begin];
        for block in self.afresh.get(&self.path).into_iter().flatten() {
            ways[0].written.forget(self.kernel, *block);
        }
        for (at, stmt) in body.iter().enumerate() {
            if self.is_spent() {
                break;
            }
            self.work = self.work.saturating_add(1);
            let mut after = Vec::new();
            for way in ways {
                self.statement(at, stmt, way, &mut after);
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

    fn inner(&mut self, at: usize, side: usize, body: &[Stmt], begin: Way) -> Written {
        self.path.push((at, side));
        let written = self.sequence(body, begin);
        self.path.pop();
        written
    }

    fn statement(&mut self, at: usize, stmt: &Stmt, mut way: Way, after: &mut Vec<Way>) {
        match &stmt.kind {
            Kind::Loop(For { var, start, end, .. }, body) => {
                way.written = self.turns(at, (*var, start, end), body, way.clone());
                after.push(way);
            }
            Kind::If(cond, then, otherwise) => {
                let cond = touch::condition(&cond.value, &self.known);
                let decided = way.decides(&cond);
                for (side, body) in [then, otherwise].into_iter().enumerate() {
                    let holds = side == 0;
                    if decided == Some(!holds) {
                        continue;
                    }
                    let mut taken = way.clone();
                    if decided.is_none() {
                        taken.assume(&cond, holds);
                    }
                    taken.written = self.inner(at, side, body, taken.clone());
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
    fn turns(
        &mut self,
        at: usize,
        (var, start, end): (VarId, &IntExpr, &IntExpr),
        body: &[Stmt],
        mut way: Way,
    ) -> Written {
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
            way.written = self.inner(at, 0, body, way.clone());
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
