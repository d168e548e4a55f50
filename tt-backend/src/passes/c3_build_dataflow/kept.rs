//! What every block of the grid reads alike: a core reads it once, before its first block, and keeps it until after its last.
//!
//! That is a read whose place in its tensor no variable is in, which happens in every block, of a tensor that nothing is stored to. Where
//! not everything fits in L1 with what is kept, nothing is.

use super::on_shards::definitions;
use super::{bytes, in_use, wanted};
use crate::flow::{BufferId, BufferKind, Flow, Read, SectionOp, SectionStmt, Sections};
use crate::ir::{Event, Frame, Keep, Kind, operations, retained, walk};
use crate::passes::b2_grid_to_cores::Facts;
use crate::target;
use std::collections::BTreeSet;
use tt_lang::ir::IntExpr;

/// Runs the step.
pub fn run(facts: &Facts, flow: &mut Flow<Sections>) {
    let is_one = |extent: &IntExpr| extent.as_const() == Some(1);
    if facts.kernel.grid.axes.iter().all(|(_, extent)| is_one(&extent.value)) {
        return;
    }
    let alike = alike(flow);
    if alike.is_empty() {
        return;
    }
    let mut with = flow.clone();
    keep(&mut with, &alike);
    let in_use = in_use(&with);
    let fits = bytes(&with, &in_use, &wanted(&with)) <= target::least(|target| target.l1_bytes)
        && in_use.len() <= target::least(|target| target.circular_buffers) as usize;
    if fits {
        *flow = with;
    }
}

/// The buffers that hold what every block reads alike, and nothing else.
fn alike(flow: &Flow<Sections>) -> BTreeSet<BufferId> {
    let mut stored = BTreeSet::new();
    operations(&flow.body, &mut |op| stored.extend(op.tensor_stored()));
    let definitions = definitions(&flow.body);
    let mut found = BTreeSet::new();
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
            let is_alike = region.integers().all(IntExpr::is_launch_constant)
                && !stored.contains(&region.tensor)
                && after.is_none()
                && around.iter().all(|happens| *happens);
            if is_alone && is_alike {
                found.insert(*buffer);
            }
        }
        Event::Op(_) => {}
    });
    found
}

/// Reads these first, and releases them last.
fn keep(flow: &mut Flow<Sections>, kept: &BTreeSet<BufferId>) {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let body = retained(std::mem::take(&mut flow.body), &mut |stmt| match &stmt.kind {
        Kind::Op(SectionOp::Read(read)) if kept.contains(&read.buffer) => {
            let release = SectionOp::Release(read.buffer);
            last.push(SectionStmt::new(stmt.note, Kind::Op(release)));
            first.push(stmt.clone());
            Keep::Nothing
        }
        Kind::Op(SectionOp::Release(buffer)) if kept.contains(buffer) => Keep::Nothing,
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => Keep::Itself,
    });
    flow.body = first;
    flow.body.extend(body);
    flow.body.extend(last);
    for buffer in kept {
        flow.buffers[buffer.0].is_kept = true;
    }
}

/// What is read before the first block, what is done for each, and what is released after the last.
pub fn apart(flow: &Flow<Sections>) -> [&[SectionStmt]; 3] {
    let is_kept = |buffer: &BufferId| flow.buffers[buffer.0].is_kept;
    let reads = |stmt: &&SectionStmt| matches!(stmt.op(), Some(SectionOp::Read(read)) if is_kept(&read.buffer));
    let releases = |stmt: &&SectionStmt| matches!(stmt.op(), Some(SectionOp::Release(buffer)) if is_kept(buffer));
    let (first, rest) = flow.body.split_at(flow.body.iter().take_while(reads).count());
    let last = rest.iter().rev().take_while(releases).count();
    let (block, last) = rest.split_at(rest.len().saturating_sub(last));
    [first, block, last]
}
