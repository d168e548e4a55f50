//! C3: the lifetimes, depths and indices of the circular buffers.
//!
//! Before: sections over buffers. After: statements whose results nobody uses are gone; every version of a buffer is
//! released right after its last use, on every path; every buffer has as many versions as are alive at once, and more
//! where overlap was asked for; buffers have device indices.
//!
//! At any point of the program a version of a buffer is in its FIFO if and only if it is live: that is what the verifier
//! proves again on the final code.
//!
//! ```text
//!  read a; read b; section y ← a + b; write y      ⟹      read a; read b; section y ← a + b; release a; release b;
//!                                                          write y; release y          depths 2, indices 0 1 16
//! ```

mod dead;
mod liveness;
mod share;

use super::a2_propagate_layout::Depth;
use crate::codes;
use crate::flow::{Arg, BufferId, BufferKind, Flow, FlowOp, PackMode, Section, Step, operations};
use crate::target;
use std::collections::BTreeSet;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Span;

/// Runs the pass.
pub fn run(flow: &mut Flow, depths: &[Depth]) -> Result<(), Vec<Diagnostic>> {
    dead::remove(flow);
    let most_alive = liveness::run(flow);
    for (index, buffer) in flow.buffers.iter_mut().enumerate() {
        let needed = most_alive[index].max(1);
        let depth = depths.get(index).copied().unwrap_or(Depth::Default);
        buffer.versions = match (buffer.kind, depth) {
            (BufferKind::Zeros, _) => 1,
            (BufferKind::Incoming, depth) => needed.max(depth.versions()),
            (BufferKind::Outgoing, _) => needed.max(Depth::Default.versions()),
            (BufferKind::Local, _) => needed,
        };
    }
    let limit = target::least(|target| target.circular_buffers) as usize;
    for kind in [BufferKind::Local, BufferKind::Outgoing, BufferKind::Incoming] {
        if in_use(flow).len() > limit || bytes(flow, &most_alive) > target::least(|target| target.l1_bytes) {
            share::run(flow, kind);
        }
    }
    fit_in_l1(flow, depths, &most_alive);
    indices(flow)
}

/// The buffers that there is something to do with.
fn in_use(flow: &Flow) -> BTreeSet<BufferId> {
    let mut out = BTreeSet::new();
    operations(&flow.body, &mut |op| match op {
        FlowOp::Read { buffer, .. } | FlowOp::Write { buffer, .. } => drop(out.insert(*buffer)),
        FlowOp::Section(section) => {
            out.extend(section_uses(section));
            out.insert(section.pack.buffer);
        }
        FlowOp::Multiply(matmul) => out.extend([matmul.a, matmul.b]),
        FlowOp::Blank { .. } | FlowOp::Release { .. } | FlowOp::Elementwise(_) | FlowOp::Gemm(_) => {}
    });
    let zeros = (0..flow.buffers.len()).filter(|index| flow.buffers[*index].kind == BufferKind::Zeros);
    out.extend(zeros.map(BufferId));
    out
}

/// Bytes of L1 that the buffers take with `versions` of each.
#[warn(clippy::arithmetic_side_effects)]
fn bytes(flow: &Flow, versions: &[u32]) -> u64 {
    in_use(flow)
        .into_iter()
        .map(|BufferId(index)| {
            let buffer = &flow.buffers[index];
            u64::from(buffer.version_tiles())
                .saturating_mul(u64::from(versions[index].max(1)))
                .saturating_mul(u64::from(buffer.format.tile_bytes()))
        })
        .fold(0, u64::saturating_add)
}

/// The buffers that a section reads, outside of its control steps.
pub fn section_uses(section: &Section) -> BTreeSet<BufferId> {
    let mut uses = BTreeSet::new();
    for step in &section.steps {
        match step {
            Step::Tile { args, .. } => uses.extend(args.iter().filter_map(|arg| match arg {
                Arg::Tile(operand) => Some(operand.buffer),
                Arg::Register(_) | Arg::Number(_) => None,
            })),
            Step::Matmul(matmul) => uses.extend([matmul.a, matmul.b]),
            Step::Control(_) => {}
        }
    }
    uses
}

/// The buffer that a section appends a version to.
fn section_defines(section: &Section) -> Option<BufferId> {
    (section.pack.mode == PackMode::Publish).then_some(section.pack.buffer)
}

/// The buffer whose front version a section replaces: it uses it and appends a new one.
pub fn replaces(section: &Section) -> Option<BufferId> {
    section_defines(section).filter(|buffer| section_uses(section).contains(buffer))
}

/// Takes back the overlap that nobody asked for, buffer by buffer, the largest first, until all fit in L1. What then does
/// not fit is the verifier's to report, with all sizes.
#[warn(clippy::arithmetic_side_effects)]
fn fit_in_l1(flow: &mut Flow, depths: &[Depth], most_alive: &[u32]) {
    let limit = target::least(|target| target.l1_bytes);
    let as_they_are = |flow: &Flow| {
        let versions: Vec<u32> = flow.buffers.iter().map(|buffer| buffer.versions).collect();
        bytes(flow, &versions)
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
        let asked =
            matches!(depths.get(index), Some(Depth::Asked(_))) && flow.buffers[index].kind == BufferKind::Incoming;
        if !asked {
            flow.buffers[index].versions = most_alive[index].max(1);
        }
    }
}

/// Incoming buffers count from 0, outgoing from 16, local from 24, each where the ones before leave room.
fn indices(flow: &mut Flow) -> Result<(), Vec<Diagnostic>> {
    let limit = target::least(|target| target.circular_buffers) as usize;
    let in_use = in_use(flow);
    let mut taken = vec![false; limit];
    let mut over: Option<Span> = None;
    for (index, buffer) in flow.buffers.iter_mut().enumerate() {
        if !in_use.contains(&BufferId(index)) {
            continue;
        }
        let first = match buffer.kind {
            BufferKind::Incoming | BufferKind::Zeros => 0,
            BufferKind::Outgoing => 16,
            BufferKind::Local => 24,
        };
        let free = (first..limit).chain(0..first).find(|slot| !taken[*slot]);
        match free {
            Some(slot) => {
                taken[slot] = true;
                buffer.index = Some(slot as u8);
            }
            None => over = over.or(Some(buffer.span)),
        }
    }
    match over {
        None => Ok(()),
        Some(span) => {
            let count = in_use.len();
            Err(vec![
                Diagnostic::new(
                    &codes::CIRCULAR_BUFFERS,
                    span,
                    format!("this kernel needs {count} circular buffers, a core has {limit}"),
                )
                .note("use fewer blocks, or split the kernel"),
            ])
        }
    }
}
