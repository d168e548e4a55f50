//! C3: the lifetimes, depths and indices of the circular buffers.
//!
//! Before: sections over buffers. After: statements whose results nobody uses are gone; every version of a buffer is
//! released right after its last use, on every path; transfers of one tensor wait for each other where nothing else orders them;
//! what is fetched comes to the programs that need it; every buffer has as many versions as are alive at once, and more
//! where overlap was asked for; buffers have device indices, and there are no others.
//!
//! At any point of the program a version of a buffer is in its FIFO if and only if it is live: that is what the verifier
//! proves again on the final code.
//!
//! What all blocks of the grid read alike stands before everything else and is released after it: a core reads it once (D1). What only
//! the blocks of a run do, of which some variables of the grid are the same, a core reads where such a run begins. Of a kernel whose
//! blocks go where their shards are, buffers that may lie on a tensor's shard say so.
//!
//! ```text
//!  read a; read b; section y ← a + b; write y      ⟹      read a; read b; section y ← a + b; release a; release b;
//!                                                          write y; release y          depths 2, indices 0 1 16
//! ```

mod dead;
mod fetches;
pub mod kept;
mod liveness;
mod on_shards;
mod order;
mod share;

use crate::flow::{self, BufferId, BufferKind, Depth, Flow, Kept, SectionOp, Sections, constants};
use crate::ir::operations;
use crate::passes::c2_lower_tile_intrinsics::packer;
use crate::pipeline::{Pass, Unit};
use crate::target;
use crate::verify::budgets::circular_buffers;
use crate::verify::flow::lifetimes;
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::diagnostic::Diagnostic;
use tt_plan::Role;

/// The pass.
pub const PASS: Pass<Unit<Flow<Sections>>, Unit<Flow<Sections>>> = Pass {
    name: "C3 build_dataflow",
    does: "lifetimes, depths and indices of the circular buffers",
    run: |mut unit| {
        let Unit { facts, program: flow } = &mut unit;
        // What nobody uses matches no shard.
        dead::remove(flow);
        on_shards::run(facts, flow)?;
        live(flow);
        kept::run(&mut facts.kernel, flow);
        allot(flow)?;
        Ok(unit)
    },
    check: lifetimes,
};

/// Runs the pass, without what blocks have in common.
pub fn run(flow: &mut Flow<Sections>) -> Result<(), Vec<Diagnostic>> {
    dead::remove(flow);
    live(flow);
    allot(flow)
}

/// Lifetimes.
fn live(flow: &mut Flow<Sections>) {
    order::run(flow);
    liveness::run(flow);
    fetches::run(flow);
    // Compute makes zeros by the SFPU.
    let mut makes_zeros = false;
    operations(&flow.body, &mut |op| {
        if let SectionOp::Blank(buffer) = op {
            makes_zeros |= flow.buffers[buffer.0].kind.producer() == Role::Compute;
        }
    });
    if makes_zeros {
        packer::leave_to_math(&mut flow.body);
    }
}

/// How many versions of each buffer there are to be: those alive at once, and more where overlap was asked for.
fn wanted(flow: &Flow<Sections>) -> Vec<u32> {
    let needed = liveness::most_alive(flow);
    let versions = |(buffer, needed): (&flow::Buffer, u32)| match (buffer.kind, buffer.depth) {
        (BufferKind::Constant(_) | BufferKind::Scratch(_) | BufferKind::Token(_), _) => 1,
        (BufferKind::Incoming, _) if buffer.kept == Some(Kept::Always) => needed,
        (BufferKind::Incoming, depth) => needed.max(depth.versions()),
        (BufferKind::Outgoing | BufferKind::Shifted, _) => needed.max(Depth::Default.versions()),
        (BufferKind::Local, _) => needed,
    };
    flow.buffers.iter().zip(needed).map(versions).collect()
}

/// Depths and indices.
fn allot(flow: &mut Flow<Sections>) -> Result<(), Vec<Diagnostic>> {
    let wanted = wanted(flow);
    for (buffer, wanted) in flow.buffers.iter_mut().zip(wanted) {
        buffer.versions = wanted;
    }
    let limit = target::least(|target| target.circular_buffers) as usize;
    share::run(flow, BufferKind::Local);
    // Counted once more: a buffer that others share may need what one of them does.
    let counted = |flow: &Flow<Sections>| (in_use(flow), liveness::most_alive(flow));
    let (mut used, mut needed) = counted(flow);
    for kind in [BufferKind::Outgoing, BufferKind::Shifted, BufferKind::Incoming] {
        if used.len() > limit || bytes(flow, &used, &needed) > target::least(|target| target.l1_bytes) {
            share::run(flow, kind);
            (used, needed) = counted(flow);
        }
    }
    fit_in_l1(flow, &used, &needed);
    indices(flow, &used)?;
    keep_in_use(flow, &used);
    Ok(())
}

/// The buffers that there is something to do with.
fn in_use(flow: &Flow<Sections>) -> BTreeSet<BufferId> {
    let mut out = flow::buffers(&flow.body);
    let is_scratch = |(_, buffer): &(usize, &flow::Buffer)| matches!(buffer.kind, BufferKind::Scratch(_));
    let scratch = flow.buffers.iter().enumerate().filter(is_scratch);
    out.extend(scratch.map(|(buffer, _)| BufferId(buffer)));
    out.extend(constants(&flow.buffers).map(|(buffer, _)| buffer));
    out
}

/// Drops the buffers that are not in use: what comes after looks at all of them, at every loop and branch.
fn keep_in_use(flow: &mut Flow<Sections>, in_use: &BTreeSet<BufferId>) {
    let numbers: BTreeMap<BufferId, BufferId> = in_use.iter().copied().zip((0..).map(BufferId)).collect();
    let buffers = in_use.iter().map(|buffer| flow.buffers[buffer.0].clone());
    flow.buffers = buffers.collect::<Vec<_>>().into();
    flow::buffers_mut(&mut flow.body, &mut |buffer| *buffer = numbers[buffer]);
}

/// Bytes of L1 that the buffers in use take with `versions` of each.
#[warn(clippy::arithmetic_side_effects)]
fn bytes(flow: &Flow<Sections>, in_use: &BTreeSet<BufferId>, versions: &[u32]) -> u64 {
    in_use
        .iter()
        .map(|BufferId(index)| {
            let buffer = &flow.buffers[*index];
            u64::from(buffer.version_tiles())
                .saturating_mul(u64::from(versions[*index]))
                .saturating_mul(u64::from(buffer.format.tile_bytes()))
        })
        .fold(0, u64::saturating_add)
}

/// Takes back the overlap that nobody asked for, buffer by buffer, the largest first, until all fit in L1. What then does
/// not fit is the verifier's to report, with all sizes.
#[warn(clippy::arithmetic_side_effects)]
fn fit_in_l1(flow: &mut Flow<Sections>, in_use: &BTreeSet<BufferId>, most_alive: &[u32]) {
    let limit = target::least(|target| target.l1_bytes);
    let as_they_are = |flow: &Flow<Sections>| {
        let versions: Vec<u32> = flow.buffers.iter().map(|buffer| buffer.versions).collect();
        bytes(flow, in_use, &versions)
    };
    let mut order: Vec<usize> = (0..flow.buffers.len()).collect();
    order.sort_by_key(|index| {
        let buffer = &flow.buffers[*index];
        let page = u64::from(buffer.format.tile_bytes());
        std::cmp::Reverse(u64::from(buffer.version_tiles()).saturating_mul(page))
    });
    for index in order {
        if as_they_are(flow) <= limit {
            return;
        }
        let buffer = &mut flow.buffers[index];
        let asked = buffer.depth != Depth::Default && buffer.kind == BufferKind::Incoming;
        if !asked {
            buffer.versions = most_alive[index];
        }
    }
}

/// Buffers from the reader and into compute count from 0, into the writer or back to the reader from 16, those within compute from
/// 24, each where the ones before leave room.
fn indices(flow: &mut Flow<Sections>, in_use: &BTreeSet<BufferId>) -> Result<(), Vec<Diagnostic>> {
    let limit = target::least(|target| target.circular_buffers) as usize;
    if let Some(error) = circular_buffers(in_use.iter().map(|buffer| &flow.buffers[buffer.0])) {
        return Err(vec![error]);
    }
    let mut taken = vec![false; limit];
    for BufferId(index) in in_use {
        let buffer = &mut flow.buffers[*index];
        let first = match buffer.kind.ends() {
            [Role::Compute, Role::Compute] => 24,
            [Role::Reader, _] | [Role::Writer, Role::Compute] => 0,
            [Role::Compute | Role::Writer, Role::Reader | Role::Writer] => 16,
        };
        if let Some(slot) = (first..limit).chain(0..first).find(|slot| !taken[*slot]) {
            taken[slot] = true;
            buffer.index = Some(slot as u8);
        }
    }
    Ok(())
}
