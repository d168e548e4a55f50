//! Buffers that may lie on the shard of a tensor: of a kernel whose blocks go where their shards are, those that hold whole tiles of such
//! a tensor, once in a block. A launch puts them there where the blocks of a core are its shard's pages, one after the other
//! ([`tt_plan::Plan::on_shards`]); then nothing is moved.
//!
//! A tensor that is both read and stored to stays apart: its results would come to where operands still are. Its blocks go to its shards all
//! the same.

use crate::codes;
use crate::flow::{
    Buffer, BufferId, BufferKind, Flow, SectionOp, SectionStmt, Sections, ShardOf, TileRegion, Transfer,
};
use crate::ir::{Kind, operations, visit};
use crate::passes::b2_grid_to_cores::Facts;
use std::collections::BTreeMap;
use tt_device::TILE_SIDE;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashMap;
use tt_lang::ir::{IntExpr, Linear, Param, ParamId, VarId};
use tt_plan::{DataFormat, GridStep, PartitionMode};

/// Runs the step.
///
/// # Errors
/// Where blocks are to go where their shards are, and there is no such buffer.
pub fn run(facts: &Facts, flow: &mut Flow<Sections>) -> Result<(), Vec<Diagnostic>> {
    if facts.partition.work.mode != PartitionMode::LocalShard {
        return Ok(());
    }
    let (mut read, mut stored) = (Vec::new(), Vec::new());
    operations(&flow.body, &mut |op| {
        read.extend(op.tensor_read());
        stored.extend(op.tensor_stored());
    });
    let definitions = definitions(&flow.body);
    let mut found = Vec::new();
    // Of each tensor in shards of L1 that is copied otherwise, why that is no match.
    let mut others: Vec<(ParamId, &'static str)> = Vec::new();
    operations(&flow.body, &mut |op| {
        let tensor = op.tensor_read().or_else(|| op.tensor_stored());
        if let Some(tensor) = tensor
            && in_shards(facts, tensor).is_some()
        {
            others.push((tensor, "within a loop or branch, or as integers"));
        }
    });
    for stmt in &flow.body {
        let (buffer, region, kind, opposite, is_masked) = match &stmt.kind {
            Kind::Op(SectionOp::Read(of)) => (of.buffer, &of.region, BufferKind::Incoming, &stored, false),
            Kind::Op(SectionOp::Write(of)) => (of.buffer, &of.region, BufferKind::Outgoing, &read, of.stored.is_some()),
            Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => continue,
        };
        let Some(format) = in_shards(facts, region.tensor) else {
            continue;
        };
        // One version in a block, made and used outside of loops and branches.
        let is_once = definitions.get(&buffer) == Some(&(1, 1));
        let of = &flow.buffers[buffer.0];
        let matched = match () {
            () if is_masked => {
                Err("from a block that may lack values, since what was copied to it may reach past an edge")
            }
            () if !is_once || of.kind != kind => Err("in parts, or by several statements"),
            () if of.format != format => Err("to or from a block of another type"),
            () => first(facts, of, region),
        };
        match matched {
            Ok(first) => {
                let shard = ShardOf {
                    tensor: region.tensor,
                    first,
                    lies_there: !opposite.contains(&region.tensor),
                };
                found.push((buffer, shard));
            }
            Err(why) => others.push((region.tensor, why)),
        }
    }
    if found.is_empty() {
        let message = "no tensor lies in shards that blocks of the grid match";
        let order = facts.kernel.options.order.span;
        let mut error = Diagnostic::new(&codes::BLOCK_ORDER, order, message).note(
            "`match_shard` takes a tensor in shards of `l1` of which every block of the grid copies whole tiles once, outside of loops and \
             branches: `T.copy(a[(by * 64, bx * 64)], v)`",
        );
        // What was seen last of a tensor says most.
        let tensors: BTreeMap<ParamId, &str> = others.into_iter().collect();
        for (tensor, why) in tensors {
            let name = facts.kernel.params.get(tensor.index()).map_or("", |param| param.name());
            error = error.note(format!("`{name}` is copied {why}"));
        }
        return Err(vec![error]);
    }
    for (buffer, shard) in found {
        let of = &mut flow.buffers[buffer.0];
        of.shard = Some(shard);
    }
    Ok(())
}

/// How many statements define each buffer, and how many of them stand outside of loops and branches.
pub(super) fn definitions(body: &[SectionStmt]) -> HashMap<BufferId, (usize, usize)> {
    let mut found: HashMap<BufferId, (usize, usize)> = HashMap::default();
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
        Param::Tensor(of) if of.layout.is_in_shards_of_l1() => Some(DataFormat::of(of.element.value)),
        Param::Tensor(_) | Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => None,
    }
}

/// The first page of a region along every axis of its tensor, where it is whole tiles and each goes with one axis of the grid; else how it is
/// copied.
fn first(facts: &Facts, buffer: &Buffer, region: &TileRegion) -> Result<Vec<GridStep>, &'static str> {
    const PARTS: &str = "in parts of tiles";
    const ELSEWHERE: &str = "from or to where an index is no multiple of one axis of the grid and a constant";
    let Transfer::Pages(tiles) = &region.transfer else {
        return Err(PARTS);
    };
    let extent = buffer.tiles.map(|tiles| u64::from(tiles) * u64::from(TILE_SIDE));
    if buffer.column_major || extent != region.extent.map(|extent| extent.next_multiple_of(TILE_SIDE.into())) {
        return Err(PARTS);
    }
    if region.may_precede != [false; 2] {
        return Err("from or to where it may begin before the tensor");
    }
    let grid: Vec<VarId> = facts.kernel.grid.axes.iter().map(|(var, _)| *var).collect();
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
    let tiles = match facts.kernel.tensor(region.tensor).map_or(0, |of| of.extents.len()) {
        1 if tiles[0].as_const() == Some(0) => &tiles[1..],
        1 => return Err(ELSEWHERE),
        _ => &tiles[..],
    };
    let leading = region
        .matrix
        .iter()
        .map(|index| if index.may_miss { None } else { step(&index.at) });
    let steps: Option<Vec<GridStep>> = leading.chain(tiles.iter().map(step)).collect();
    steps.ok_or(ELSEWHERE)
}
