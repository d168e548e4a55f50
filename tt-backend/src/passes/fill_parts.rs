//! fill_parts: blocks that are written part by part are filled before.
//!
//! Before: Tile IR whose parts begin at constants where they can. After: of a block that is read nothing was left unwritten on the way,
//! or it is C1 that refuses it. C1 takes a store to a part for a use of the rest, and a store in a branch for one that may not
//! happen; where element by element everything that is read was written, the block is filled before the first store instead, in the
//! innermost loop in every turn of which that holds.
//!
//! ```text
//!  for k in 0..4 { for i in Parallel(16) { v[k * 16 + i] = .. } }   ⟹   fill(v, 0.0); for k in 0..4 { .. }
//! ```

#![warn(clippy::arithmetic_side_effects)]

mod touch;
mod written;

use self::touch::{Known, Touch};
use self::written::Written;
use crate::flow::FlowLoop;
use crate::linear::Signs;
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use std::collections::BTreeSet;
use tt_lang::ir::{BlockId, BoolExpr, Element, ElementKind, IntExpr, Kernel, Span, Spanned, Stmt, StmtKind, VarId};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "fill_parts",
    does: "blocks that are written part by part are filled before",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel);
        Ok(Tile { source, kernel })
    },
    check: |_| Ok(()),
};

/// States that are followed beside each other, one for each way through branches.
const MOST_WAYS: usize = 16;

/// Turns that a loop of unknown count is followed one by one; after them comes any of the rest.
const TURNS: i64 = 8;

/// Words of 64 elements that are looked at in all.
const MOST_WORK: usize = 1 << 22;

/// Where a sequence of statements stands: the statement and the one of its bodies, from the outermost on.
type Path = Vec<(usize, usize)>;

/// Runs the pass.
pub fn run(mut kernel: Kernel) -> Kernel {
    let suspects = Suspects::of(&kernel);
    if suspects.is_empty() {
        return kernel;
    }
    let left_unwritten = Follow::new(&kernel, &suspects, None).unwritten();
    let mut fills = Vec::new();
    for block in suspects.difference(&left_unwritten) {
        let of_block = BTreeSet::from([*block]);
        for path in paths(&kernel.body, *block).into_iter().rev() {
            if Follow::new(&kernel, &of_block, Some(path.clone()))
                .unwritten()
                .is_empty()
            {
                fills.push((path, *block));
                break;
            }
        }
    }
    // The last first, so that those before are where they were.
    fills.sort_by(|a, b| b.cmp(a));
    for (path, block) in fills {
        fill(&mut kernel, &path, block);
    }
    kernel
}

/// The sequences that all statements which touch `block` stand in, the outermost first.
fn paths(mut body: &[Stmt], block: BlockId) -> Vec<Path> {
    let mut path = Path::new();
    let mut out = vec![path.clone()];
    loop {
        let mut touching = body.iter().enumerate().filter(|(_, stmt)| touches(stmt, block));
        let (Some((at, stmt)), None) = (touching.next(), touching.next()) else {
            return out;
        };
        let mut bodies = stmt.bodies().enumerate();
        let mut inner = bodies
            .by_ref()
            .filter(|(_, body)| body.iter().any(|stmt| touches(stmt, block)));
        let (Some((side, within)), None) = (inner.next(), inner.next()) else {
            return out;
        };
        path.push((at, side));
        out.push(path.clone());
        body = within;
    }
}

/// Whether a statement or one in it reads or writes of `block`.
fn touches(stmt: &Stmt, block: BlockId) -> bool {
    let mut found = false;
    touch::of(stmt, &mut |touch| found |= touch.block == block);
    found || stmt.bodies().flatten().any(|stmt| touches(stmt, block))
}

/// Fills `block` before the first statement of the sequence at `path` that touches it.
fn fill(kernel: &mut Kernel, path: &Path, block: BlockId) {
    let element = kernel.block(block).element;
    let mut body = &mut kernel.body;
    for (at, side) in path {
        let Some(within) = body.get_mut(*at).and_then(|stmt| stmt.bodies_mut().nth(*side)) else {
            return;
        };
        body = within;
    }
    let Some(at) = body.iter().position(|stmt| touches(stmt, block)) else {
        return;
    };
    let span: Span = body[at].span;
    let kind = match element.is_integer() {
        true => ElementKind::Int(IntExpr::Const(0)),
        false => ElementKind::Float(0.0),
    };
    let block = Spanned { value: block, span };
    let value = Element { kind, span };
    body.insert(
        at,
        Stmt {
            kind: StmtKind::Fill { block, value },
            span,
        },
    );
}

/// Which blocks C1 would say are read before they are written: a part that is stored to counts as read, and what a branch or a loop
/// that may not run writes counts as not written.
struct Suspects<'k> {
    kernel: &'k Kernel,
    signs: Signs,
    found: BTreeSet<BlockId>,
}

impl Suspects<'_> {
    fn of(kernel: &Kernel) -> BTreeSet<BlockId> {
        let signs = Signs::of(kernel);
        let found = BTreeSet::new();
        let mut suspects = Suspects { kernel, signs, found };
        suspects.follow(&kernel.body, BTreeSet::new());
        suspects.found
    }

    fn follow(&mut self, body: &[Stmt], mut written: BTreeSet<BlockId>) -> BTreeSet<BlockId> {
        for stmt in body {
            touch::of(stmt, &mut |touch| {
                let part = touch.part(self.kernel, &Known::new());
                let uses = !touch.is_store || part != Some(touch::whole(self.kernel, touch.block));
                if uses && !written.contains(&touch.block) {
                    self.found.insert(touch.block);
                }
                if touch.is_store {
                    written.insert(touch.block);
                }
            });
            match &stmt.kind {
                StmtKind::For { start, end, body, .. } => {
                    let after = self.follow(body, written.clone());
                    if self.signs.is_at_least(&FlowLoop::count(start, end), 1) {
                        written = after;
                    }
                }
                StmtKind::If { then, otherwise, .. } => {
                    let [a, b] = [then, otherwise].map(|side| self.follow(side, written.clone()));
                    written = a.intersection(&b).copied().collect();
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
                | StmtKind::Assert { .. } => {}
            }
        }
        written
    }
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
        cond.as_const().or(known.map(|(_, holds)| *holds))
    }
}

/// Follows a kernel element by element. What has been written is written on, so that a first turn of a loop stands for all of
/// them.
struct Follow<'k> {
    kernel: &'k Kernel,
    signs: Signs,
    blocks: &'k BTreeSet<BlockId>,
    /// The sequence at whose begin nothing is written.
    afresh: Option<Path>,
    /// The sequence that is followed.
    path: Path,
    /// The variables of the loops around that have one value.
    known: Known,
    /// Blocks of which something is read that was not written.
    unwritten: BTreeSet<BlockId>,
    work: usize,
}

impl<'k> Follow<'k> {
    fn new(kernel: &'k Kernel, blocks: &'k BTreeSet<BlockId>, afresh: Option<Path>) -> Self {
        Follow {
            kernel,
            signs: Signs::of(kernel),
            blocks,
            afresh,
            path: Path::new(),
            known: Known::new(),
            unwritten: BTreeSet::new(),
            work: 0,
        }
    }

    /// The blocks of which something may be read that was not written; all of them where it takes too long to tell.
    fn unwritten(mut self) -> BTreeSet<BlockId> {
        let begin = Way {
            assumed: Vec::new(),
            written: Written::nothing(self.kernel, self.blocks),
        };
        self.sequence(&self.kernel.body, begin);
        match self.is_spent() {
            true => self.blocks.clone(),
            false => self.unwritten,
        }
    }

    fn is_spent(&self) -> bool {
        self.work > MOST_WORK
    }

    /// What is written at the end of a sequence.
    fn sequence(&mut self, body: &[Stmt], begin: Way) -> Written {
        let mut ways = vec![begin];
        if self.afresh.as_ref() == Some(&self.path) {
            ways[0].written = Written::nothing(self.kernel, self.blocks);
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
                    written: Written::in_all(after),
                }],
            };
        }
        Written::in_all(ways)
    }

    fn inner(&mut self, at: usize, side: usize, body: &[Stmt], begin: Way) -> Written {
        self.work = self.work.saturating_add(begin.written.size());
        self.path.push((at, side));
        let written = self.sequence(body, begin);
        self.path.pop();
        written
    }

    fn statement(&mut self, at: usize, stmt: &Stmt, mut way: Way, after: &mut Vec<Way>) {
        touch::of(stmt, &mut |touch| self.touch(&touch, &mut way.written));
        match &stmt.kind {
            StmtKind::For {
                var, start, end, body, ..
            } => {
                way.written = self.turns(at, (*var, start, end), body, way.clone());
                after.push(way);
            }
            StmtKind::If { cond, then, otherwise } => {
                let cond = touch::condition(&cond.value, &self.known);
                let decided = way.decides(&cond);
                for (side, body) in [then, otherwise].into_iter().enumerate() {
                    let holds = side == 0;
                    if decided == Some(!holds) {
                        continue;
                    }
                    let mut taken = way.clone();
                    if decided.is_none() {
                        taken.assumed.push((cond.clone(), holds));
                    }
                    taken.written = self.inner(at, side, body, taken.clone());
                    after.push(taken);
                }
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
            | StmtKind::Assert { .. } => after.push(way),
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
        let part = touch.part(self.kernel, &self.known);
        let words = match (touch.is_store, part) {
            (true, Some(part)) => written.write(touch.block, &part),
            (true, None) => 0,
            (false, part) => {
                let part = part.unwrap_or_else(|| touch::whole(self.kernel, touch.block));
                let (holds, words) = written.has(touch.block, &part);
                if !holds {
                    self.unwritten.insert(touch.block);
                }
                words
            }
        };
        self.work = self.work.saturating_add(words);
    }
}
