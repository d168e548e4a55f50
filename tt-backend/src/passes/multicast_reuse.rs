//! multicast_reuse: what a row or column of cores needs alike is read once.
//!
//! Before: every core reads what its block needs. After: a read whose place in its tensor names nothing that differs along a line of
//! cores, under loops and branches that do not either, is shared by the line: one core reads the version and multicasts it to the
//! others. Two axes of the grid then lie along the rows and columns of a rectangle of cores, all of which take part in every round
//! ([`Placement::Rectangle`]): the two along which the most elements are read once, of those with as many the first. The axis of a grid
//! that has no other lies along the rows, one after the other. Elsewhere nothing changes.
//!
//! A version comes to the same place on every core of the line, so all versions of its buffer must be made in the same turns of the same
//! loops there. Then every core does the same for the line at the same place of its program, and none waits for one that waits for
//! it: where it waits, the others are no further in the program, and the one that is least far is not waiting (`verify::shared`).
//!
//! What is the same for all cores is shared along the rows. Nothing is shared by a kernel that reads what it stores, whose blocks may store
//! the same elements (a core without a block goes along with the last one), that asks for an order of its blocks or
//! for `multicast = off`; and nothing under integers from tensors, whose values only the launch has.
//!
//! ```text
//!  grid (bx, by);  read x from a tile (by * 4, k * 2)     ⟹     read x from a tile (by * 4, k * 2) for the row
//!                  read y from b tile (k * 2, bx * 4)            read y from b tile (k * 2, bx * 4) for the column
//! ```

use super::b2_grid_to_cores::Facts;
use super::d1_split_kernel::Split;
use crate::device::{Move, Moves, Parts, Protocol, SourceBranch, SourceLoop};
use crate::flow::{BufferId, TileRegion};
use crate::ir::{Kind, Stmt, operations, operations_mut};
use crate::pipeline::{Pass, Unit};
use crate::verify::progress::proved;
use std::collections::BTreeSet;
use tt_lang::ir::{IntExpr, ParamId, VarId, WherePaying};
use tt_plan::{BlockOrder, CoreLine, PartitionMode, Placement};

/// A kernel of reader, compute and writer.
type Moving = Unit<Parts<Split, ()>>;

/// The pass.
pub const PASS: Pass<Moving, Moving> = Pass {
    name: "multicast_reuse",
    does: "what a row or column of cores needs alike is read once",
    run: |mut unit| {
        unit.facts.partition.work.placement = run(&unit.facts, &mut unit.program.programs);
        Ok(unit)
    },
    check: proved,
};

/// Runs the pass: which core takes which blocks.
pub fn run(facts: &Facts, programs: &mut Split) -> Placement {
    let grid: Vec<VarId> = facts.kernel.grid.axes.iter().map(|(var, _)| *var).collect();
    let axes = may_share(facts, programs)
        .then(|| best(&grid, &programs.reader))
        .flatten();
    match axes {
        Some(axes) => {
            share(&grid, axes, &mut programs.reader);
            Placement::Rectangle { axes }
        }
        None => facts.partition.work.placement,
    }
}

/// The two axes of the grid along which the most elements are shared, its only one as both; none where nothing is.
fn best(grid: &[VarId], reader: &[Stmt<Moves>]) -> Option<[usize; 2]> {
    let shared: Vec<Shared> = grid.iter().map(|differs| Shared::of(*differs, reader)).collect();
    let mut best = None;
    // Pairs of axes, or the only one with itself.
    let apart = usize::from(shared.len() > 1);
    for (second, of_second) in shared.iter().enumerate() {
        for (first, of_first) in shared.iter().take((second + 1).saturating_sub(apart)).enumerate() {
            let mut elements: u64 = 0;
            operations(reader, &mut |op| {
                if let Move::Read(buffer, region, _) = op
                    && (of_first.has(*buffer, region) || of_second.has(*buffer, region))
                {
                    let [rows, columns] = region.extent;
                    elements = elements.saturating_add(rows.saturating_mul(columns));
                }
            });
            if best.is_none_or(|(most, axes)| elements > most || elements == most && [first, second] < axes) {
                best = Some((elements, [first, second]));
            }
        }
    }
    best.filter(|(elements, _)| *elements > 0).map(|(_, axes)| axes)
}

/// What is alike on the cores of a line, along which this variable of the grid differs.
struct Shared {
    differs: VarId,
    /// Buffers of which a version is made where not all cores of the line come in the same turn.
    out_of_step: BTreeSet<BufferId>,
}

impl Shared {
    fn of(differs: VarId, reader: &[Stmt<Moves>]) -> Shared {
        let mut out_of_step = BTreeSet::new();
        versions(differs, reader, true, &mut out_of_step);
        Shared { differs, out_of_step }
    }

    /// Whether the read of a version is.
    fn has(&self, buffer: BufferId, region: &TileRegion) -> bool {
        !self.out_of_step.contains(&buffer) && region.integers().all(|index| is_alike(index, self.differs))
    }
}

/// Whether cores may go along with blocks that are not theirs, and the grid lie along them as it likes.
fn may_share(facts: &Facts, programs: &Split) -> bool {
    let partition = &facts.partition;
    let mut read = BTreeSet::new();
    let mut stored = BTreeSet::new();
    for program in [&programs.reader, &programs.writer] {
        operations(program, &mut |op| {
            let (set, tensor): (&mut BTreeSet<ParamId>, _) = match op {
                Move::Read(_, region, _) => (&mut read, region.tensor),
                Move::Fetch(_, fetch) => (&mut read, fetch.tensor),
                Move::Write(_, region, _) => (&mut stored, region.tensor),
                Move::Protocol(_) | Move::Make(..) | Move::Shift { .. } | Move::Inspect(_) => return,
            };
            set.insert(tensor);
        });
    }
    facts.kernel.options.multicast == WherePaying::Auto
        && partition.work.mode == PartitionMode::Global
        && partition.work.order == BlockOrder::RowMajor
        && partition.apart
        && read.is_disjoint(&stored)
}

/// Marks the reads of `reader` that a line of cores shares where these axes of the grid lie along lines.
fn share(grid: &[VarId], axes: [usize; 2], reader: &mut [Stmt<Moves>]) {
    for line in CoreLine::ALL {
        let Some(differs) = grid.get(axes[line.number()]) else {
            continue;
        };
        let shares = Shared::of(*differs, reader);
        operations_mut(reader, &mut |op| {
            if let Move::Read(buffer, region, shared @ None) = op
                && shares.has(*buffer, region)
            {
                *shared = Some(line);
            }
        });
    }
}

/// Collects the buffers of which a version is made where not all cores of a line come in the same turn, along which `differs` does.
fn versions(differs: VarId, body: &[Stmt<Moves>], in_step: bool, out_of_step: &mut BTreeSet<BufferId>) {
    for stmt in body {
        let stays = match &stmt.kind {
            Kind::Op(Move::Protocol(Protocol::Reserve(buffer))) if !in_step => {
                out_of_step.insert(*buffer);
                continue;
            }
            Kind::Op(_) => continue,
            Kind::Group(never, _) => match *never {},
            Kind::Loop(SourceLoop::Blocks, _) => true,
            Kind::Loop(SourceLoop::Over { start, end, .. }, _) => {
                [start, end].into_iter().all(|bound| is_alike(bound, differs))
            }
            Kind::If(SourceBranch { cond, .. }, ..) => {
                let mut alike = true;
                cond.integers(&mut |of| alike &= is_alike(of, differs));
                alike
            }
        };
        for inner in stmt.bodies() {
            versions(differs, inner, in_step && stays, out_of_step);
        }
    }
}

/// Whether an integer is the same where only `differs` does. Variables of loops are: their bounds are asked where they stand.
fn is_alike(of: &IntExpr, differs: VarId) -> bool {
    let mut alike = true;
    of.walk(&mut |part| match part {
        IntExpr::Var(var) => alike &= *var != differs,
        IntExpr::Fetched(_) => alike = false,
        IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Binary(..) => {}
    });
    alike
}
