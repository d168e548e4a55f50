//! Buffers that may lie on the shard of a tensor: of a kernel whose blocks go where their shards are, those that hold whole tiles of such
//! a tensor, once in a block. A launch puts them there where the blocks of a core are its shard's pages, one after the other
//! ([`tt_plan::Plan::on_shards`]); then nothing is moved.
//!
//! A tensor that is both read and stored to stays apart: its results would come to where operands still are. Its blocks go to its shards all
//! the same.

use crate::codes;
use crate::flow::{BufferId, BufferKind, Flow, SectionOp, SectionStmt, Sections, ShardOf, TileRegion, Transfer};
use crate::ir::{Kind, operations, visit};
use crate::passes::b2_grid_to_cores::Facts;
use std::collections::HashMap;
use tt_device::TILE_SIDE;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{IntExpr, Linear, Param, ParamId, Residence, Sharding, VarId};
use tt_plan::{DataFormat, GridStep, PartitionMode};

/// Runs the step.
///
/// # Errors
/// Where blocks are to go where their shards are, and there is no such buffer.
pub fn run(facts: &Facts, flow: &mut Flow<Sections>) -> Result<(), Vec<Diagnostic>> {
    if facts.partition.work.mode != PartitionMode::LocalShard {
        return Ok(());
    }
    let (mut read, mut written) = (Vec::new(), Vec::new());
    operations(&flow.body, &mut |op| match op {
        SectionOp::Read(of) => read.push(of.region.tensor),
        SectionOp::Fetch(of) => read.push(of.tensor),
        SectionOp::Write(of) => written.push(of.region.tensor),
        SectionOp::Inspect(_)
        | SectionOp::Shift(_)
        | SectionOp::Blank(_)
        | SectionOp::Release(_)
        | SectionOp::Tile { .. }
        | SectionOp::Matmul(_) => {}
    });
    let definitions = definitions(&flow.body);
    let grid: Vec<VarId> = facts.kernel.grid.axes.iter().map(|(var, _)| *var).collect();
    let mut found = Vec::new();
    for stmt in &flow.body {
        let (buffer, region, kind, others) = match &stmt.kind {
            Kind::Op(SectionOp::Read(of)) => (of.buffer, &of.region, BufferKind::Incoming, &written),
            Kind::Op(SectionOp::Write(of)) if of.stored.is_none() => {
                (of.buffer, &of.region, BufferKind::Outgoing, &read)
            }
            Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => continue,
        };
        let of = &flow.buffers[buffer.0];
        let is_whole = of.kind == kind
            && !of.column_major
            && of.tiles.map(|tiles| u64::from(tiles) * u64::from(TILE_SIDE))
                == region.extent.map(|extent| extent.next_multiple_of(TILE_SIDE.into()))
            && in_shards(facts, region.tensor) == Some(of.format)
            && region.may_precede == [false; 2];
        // One version in a block, made and used outside of loops and branches.
        let is_once = definitions.get(&buffer) == Some(&(1, 1));
        if is_whole
            && is_once
            && let Some(first) = first(
                &grid,
                facts.kernel.tensor(region.tensor).map_or(0, |of| of.extents.len()),
                region,
            )
        {
            found.push((
                buffer,
                ShardOf {
                    tensor: region.tensor,
                    first,
                    lies_there: !others.contains(&region.tensor),
                },
            ));
        }
    }
    if found.is_empty() {
        let message = "no tensor lies in shards that blocks of the grid match";
        let note = "`match_shard` takes a tensor in shards of `l1` of which every block of the grid copies whole tiles once, outside of \
                    loops and branches: `T.copy(a[(by * 64, bx * 64)], v)`";
        let order = facts.kernel.options.order.span;
        return Err(vec![Diagnostic::new(&codes::BLOCK_ORDER, order, message).note(note)]);
    }
    for (buffer, shard) in found {
        let of = &mut flow.buffers[buffer.0];
        of.shard = Some(shard);
    }
    Ok(())
}

/// How many statements define each buffer, and how many of them stand outside of loops and branches.
fn definitions(body: &[SectionStmt]) -> HashMap<BufferId, (usize, usize)> {
    let mut found: HashMap<BufferId, (usize, usize)> = HashMap::new();
    let defines = |kind: &Kind<Sections>| match kind {
        Kind::Op(op) => op.defines(),
        Kind::Group(around, _) => around.defines(),
        Kind::Loop(..) | Kind::If(..) => None,
    };
    visit(body, &mut |stmt| {
        if let Some(buffer) = defines(&stmt.kind) {
            found.entry(buffer).or_default().0 += 1;
        }
    });
    for stmt in body {
        if let Some(buffer) = defines(&stmt.kind) {
            found.entry(buffer).or_default().1 += 1;
        }
    }
    found
}

/// The format of the pages of a tensor that lies in shards of L1.
fn in_shards(facts: &Facts, tensor: ParamId) -> Option<DataFormat> {
    match facts.kernel.params.get(tensor.index())? {
        Param::Tensor(of) if of.layout.residence == Residence::L1 && of.layout.sharding != Sharding::Interleaved => {
            Some(DataFormat::of(of.element.value))
        }
        Param::Tensor(_) | Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => None,
    }
}

/// The first page of a region along every axis of its tensor, where each goes with one axis of the grid.
fn first(grid: &[VarId], rank: usize, region: &TileRegion) -> Option<Vec<GridStep>> {
    let Transfer::Pages(tiles) = &region.transfer else {
        return None;
    };
    let step = |at: &IntExpr| {
        let Linear { constant, terms } = Linear::of(at);
        let first = u64::try_from(constant).ok()?;
        match terms.as_slice() {
            [] => Some(GridStep {
                first,
                step: 0,
                axis: 0,
            }),
            [(IntExpr::Var(var), step)] => Some(GridStep {
                first,
                step: u64::try_from(*step).ok()?,
                axis: grid.iter().position(|axis| axis == var)?,
            }),
            _ => None,
        }
    };
    // A tensor of one axis is one row.
    let tiles = match rank {
        1 if tiles[0].as_const() == Some(0) => &tiles[1..],
        1 => return None,
        _ => &tiles[..],
    };
    let leading = region
        .matrix
        .iter()
        .map(|index| if index.may_miss { None } else { step(&index.at) });
    leading.chain(tiles.iter().map(step)).collect()
}
