//! What blocks of the grid read alike: a core reads it once and keeps it, instead of reading it in every block.
//!
//! That is a read whose place in its tensor mentions no variable but those of the grid, which happens in every block, of a tensor that
//! nothing is stored to.
//!
//! - Where it mentions none, all blocks read the same: it is read before the core's first block and released after its last.
//! - Where it mentions some and not others, the same is read by every run of the core's blocks in which those stay. In its place stands a
//!   branch that all programs take together: where one of them is another than in the block before, the old version is released and the
//!   new one read. So there is one version before every block, and one after it; before the first there is one that nobody uses, since in
//!   no block a variable of the grid is [`BEFORE_ALL`](crate::flow::BEFORE_ALL). As many versions fit as without this, by default two: the
//!   next run's is read while the last block of this one is computed, so that where every run is of one block nothing is lost but that
//!   its read and those beside it arrive one after the other.
//!
//! Where not everything fits in L1 with what is kept over runs, that is not; and where it does not without them, nothing is.
//!
//! ```text
//!  read a from x tile (by, 0)              if by != by_before { release a; read a from x tile (by, 0) }
//!  read b from y tile (by, bx)      ⟹      read b from y tile (by, bx)
//!  .. release b; release a                 .. release b
//! ```

use super::on_shards::definitions;
use super::{bytes, in_use, wanted};
use crate::flow::{BufferId, BufferKind, Flow, Kept, Read, SectionOp, SectionStmt, Sections, Unchanged};
use crate::ir::{Event, Frame, Keep, Kind, operations, retained, walk};
use crate::target;
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{BoolExpr, CompareOp, IntExpr, Kernel, VarId, Variable};

/// What is alike in which blocks: buffers, each with the variables of the grid that its place mentions.
type Alike = BTreeMap<BufferId, BTreeSet<VarId>>;

/// Runs the step. The variables of a block before are added to those of the kernel.
pub fn run(kernel: &mut Kernel, flow: &mut Flow<Sections>) {
    let over_runs = alike(kernel, flow);
    let mut always = over_runs.clone();
    always.retain(|_, mentioned| mentioned.is_empty());
    for alike in [over_runs, always] {
        if alike.is_empty() {
            return;
        }
        let (mut with, mut variables) = (flow.clone(), kernel.variables.clone());
        keep(&mut with, &alike, &mut variables);
        let in_use = in_use(&with);
        let fits = bytes(&with, &in_use, &wanted(&with)) <= target::least(|target| target.l1_bytes)
            && in_use.len() <= target::least(|target| target.circular_buffers) as usize;
        if fits {
            *flow = with;
            kernel.variables = variables;
            return;
        }
    }
}

/// The buffers that hold what several blocks read alike, and nothing else.
fn alike(kernel: &Kernel, flow: &Flow<Sections>) -> Alike {
    let grid: BTreeSet<VarId> = kernel.grid.axes.iter().map(|(var, _)| *var).collect();
    // Along the others there is one block.
    let has_blocks = |(_, extent): &&(VarId, tt_lang::ir::Spanned<IntExpr>)| extent.value.as_const() != Some(1);
    let wide: BTreeSet<VarId> = kernel
        .grid
        .axes
        .iter()
        .filter(has_blocks)
        .map(|(var, _)| *var)
        .collect();
    let mut stored = BTreeSet::new();
    operations(&flow.body, &mut |op| stored.extend(op.tensor_stored()));
    let definitions = definitions(&flow.body);
    let mut found = Alike::new();
    // Whether what stands in it happens in every block.
    let mut around: Vec<bool> = Vec::new();
    walk(&flow.body, &mut |_, event| match event {
        Event::Enter(frame) => around.push(match frame {
            Frame::Group(..) => true,
            Frame::Loop(head) => head.runs,
            Frame::If(_) => false,
        }),
        Event::Leave(_) => {
            around.pop();
        }
        Event::Otherwise => {}
        Event::Op(SectionOp::Read(Read {
            buffer, region, after, ..
        })) => {
            let of = &flow.buffers[buffer.0];
            let is_alone = of.kind == BufferKind::Incoming
                && of.shard.is_none()
                && definitions.get(buffer).is_some_and(|(count, _)| *count == 1);
            let mentioned = mentioned(region.integers());
            let is_alike = mentioned.is_subset(&grid)
                && !mentioned.is_superset(&wide)
                && !stored.contains(&region.tensor)
                && after.is_none()
                && around.iter().all(|happens| *happens);
            if is_alone && is_alike {
                found.insert(*buffer, mentioned);
            }
        }
        Event::Op(_) => {}
    });
    found
}

/// The variables that integers mention.
pub fn mentioned<'a>(integers: impl Iterator<Item = &'a IntExpr>) -> BTreeSet<VarId> {
    let mut mentioned = BTreeSet::new();
    integers.for_each(|of| {
        of.walk(&mut |part| {
            if let IntExpr::Var(var) | IntExpr::Fetched(var) = part {
                mentioned.insert(*var);
            }
        });
    });
    mentioned
}

/// Reads these first, or where a run of blocks begins, and releases them last, or where the next one does.
fn keep(flow: &mut Flow<Sections>, kept: &Alike, variables: &mut Vec<Variable>) {
    let mut befores = BTreeMap::new();
    let mut unchanged = |mentioned: &BTreeSet<VarId>| -> Vec<Unchanged> {
        let mut before = |axis: VarId| {
            *befores.entry(axis).or_insert_with(|| {
                let Variable { name, span } = &variables[axis.index()];
                let (name, span) = (format!("{name}_before"), *span);
                variables.push(Variable { name, span });
                VarId((variables.len() - 1) as u32)
            })
        };
        let axes = mentioned.iter().copied();
        axes.map(|axis| Unchanged {
            axis,
            before: before(axis),
        })
        .collect()
    };
    let (mut first, mut last) = (Vec::new(), Vec::new());
    // What stands in a loop is read where the block begins, what does not where it stood.
    let (mut begin, mut block) = (Begins::default(), Begins::default());
    for stmt in std::mem::take(&mut flow.body) {
        let is_read = matches!(stmt.op(), Some(SectionOp::Read(_)));
        if !is_read {
            block.end_step();
        }
        let stays = retained(vec![stmt], &mut |stmt| match &stmt.kind {
            Kind::Op(SectionOp::Read(read)) => {
                let Some(mentioned) = kept.get(&read.buffer) else {
                    return Keep::Itself;
                };
                let statement = |op| SectionStmt::new(stmt.note, Kind::Op(op));
                last.push(statement(SectionOp::Release(read.buffer)));
                flow.buffers[read.buffer.0].kept = Some(match mentioned.is_empty() {
                    true => {
                        first.push(stmt.clone());
                        Kept::Always
                    }
                    false => {
                        first.push(statement(SectionOp::Blank(read.buffer)));
                        let unchanged = unchanged(mentioned);
                        let begins = if is_read { &mut block } else { &mut begin };
                        begins.read(&unchanged, read.buffer, stmt);
                        Kept::While(unchanged)
                    }
                });
                Keep::Nothing
            }
            Kind::Op(SectionOp::Release(buffer)) if kept.contains_key(buffer) => Keep::Nothing,
            Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => Keep::Itself,
        });
        block.body.extend(stays);
    }
    flow.body = [first, begin.body, block.body, last].concat();
}

/// Statements in which runs of blocks begin: before the step of reads in which what they read stood, which D1 makes of those that follow
/// each other, so that the others stay one.
#[derive(Default)]
struct Begins {
    body: Vec<SectionStmt>,
    /// Where the step begins, and the branches before it, each with the variables that it asks about.
    step: Option<(usize, Vec<Vec<Unchanged>>)>,
}

impl Begins {
    /// What comes next is no read.
    fn end_step(&mut self) {
        self.step = None;
    }

    /// Reads a buffer anew where one of these variables changes.
    fn read(&mut self, unchanged: &[Unchanged], buffer: BufferId, read: &SectionStmt) {
        let release = SectionStmt::new(read.note, Kind::Op(SectionOp::Release(buffer)));
        let reads = |stmt: &&SectionStmt| matches!(stmt.op(), Some(SectionOp::Read(_)));
        let before = self.body.len() - self.body.iter().rev().take_while(reads).count();
        let (at, asked) = self.step.get_or_insert_with(|| (before, Vec::new()));
        let begun = asked
            .iter()
            .position(|of| of == unchanged)
            .and_then(|nth| self.body.get_mut(*at + nth));
        if let Some(Kind::If(_, begins, _)) = begun.map(|stmt| &mut stmt.kind) {
            // As many are released as read, and those first.
            begins.insert(begins.len() / 2, release);
            begins.push(read.clone());
        } else if let Some(cond) = changes(unchanged) {
            let branch = Kind::If(cond, vec![release, read.clone()], Vec::new());
            self.body.insert(*at + asked.len(), SectionStmt::new(read.note, branch));
            asked.push(unchanged.to_vec());
        }
    }
}

/// Whether one of these variables is another than in the block before; none where there are no variables.
pub fn changes(unchanged: &[Unchanged]) -> Option<BoolExpr> {
    let changes = unchanged
        .iter()
        .map(|Unchanged { axis, before }| BoolExpr::Compare(CompareOp::Ne, IntExpr::Var(*axis), IntExpr::Var(*before)));
    changes.reduce(|a, b| BoolExpr::Or(Box::new(a), Box::new(b)))
}

/// What is done before the first block, what is for each, and what is released after the last.
pub fn apart(flow: &Flow<Sections>) -> [&[SectionStmt]; 3] {
    let is_kept = |buffer: &BufferId| flow.buffers[buffer.0].kept.is_some();
    let begins = |stmt: &&SectionStmt| match stmt.op() {
        Some(SectionOp::Read(read)) => is_kept(&read.buffer),
        Some(SectionOp::Blank(buffer)) => is_kept(buffer),
        _ => false,
    };
    let releases = |stmt: &&SectionStmt| matches!(stmt.op(), Some(SectionOp::Release(buffer)) if is_kept(buffer));
    let (first, rest) = flow.body.split_at(flow.body.iter().take_while(begins).count());
    let last = rest.iter().rev().take_while(releases).count();
    let (block, last) = rest.split_at(rest.len().saturating_sub(last));
    [first, block, last]
}
