//! Where in a tensor blocks of the grid lie: what they move at a time, and how much further that is for each next block.

use crate::ir::{Stmt as Statement, visit};
use std::collections::BTreeMap;
use tt_device::TILE;
use tt_lang::ir::{Buffer, IntExpr, Kernel, Linear, Op, ParamId, Place, Region, VarId};
use tt_plan::{BlockRegion, Direction, Step};

/// Of each tensor, by which way it goes, the region that the first statement moves; none where that is no sum of multiples of the grid's
/// variables.
pub fn of(kernel: &Kernel) -> BTreeMap<(ParamId, Direction), Option<BlockRegion>> {
    let mut found = BTreeMap::new();
    let grid: Vec<VarId> = kernel.grid.axes.iter().map(|(var, _)| *var).collect();
    let mut add = |tensor, direction, axes: Vec<(&IntExpr, u64)>| {
        found.entry((tensor, direction)).or_insert_with(|| region(&grid, &axes));
    };
    visit(&kernel.body, &mut |stmt: &Statement<_>| {
        let Some(op) = stmt.op() else { return };
        let mut place = |place: &Place, direction| {
            if let Place::Tensor(Region { tensor, axes, .. }) = place {
                let axes = axes.iter().map(|axis| (&axis.offset.value, axis.extent));
                add(*tensor, direction, axes.collect());
            }
        };
        match op {
            Op::Copy { src, dst } => {
                place(src, Direction::Read);
                place(dst, Direction::Written);
            }
            Op::Gemm { a, b, .. } => [a, b].into_iter().for_each(|of| place(of, Direction::Read)),
            Op::Parallel { indices, .. } => op.accesses(&mut |access, is_stored| {
                let Buffer::Tensor(tensor) = access.buffer else { return };
                let extent = |index: &IntExpr| {
                    let mut extent = 1;
                    index.walk(&mut |part| {
                        if let Some((_, of)) = indices.iter().find(|(var, _)| *part == IntExpr::Var(*var)) {
                            extent = *of;
                        }
                    });
                    extent
                };
                let direction = if is_stored { Direction::Written } else { Direction::Read };
                let axes = access.indices.iter().map(|index| (index, extent(index)));
                add(tensor, direction, axes.collect());
            }),
            Op::Fill { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
    });
    found
}

/// The region of indices with their extents, along the axes of a tensor.
fn region(grid: &[VarId], axes: &[(&IntExpr, u64)]) -> Option<BlockRegion> {
    let mut steps = Vec::new();
    for (at, (index, _)) in axes.iter().enumerate() {
        for (atom, elements) in Linear::of(index).terms {
            if let IntExpr::Var(var) = atom {
                let along = grid.iter().position(|axis| *axis == var);
                steps.extend(along.map(|along| Step { at, along, elements }));
                continue;
            }
            let mut depends = false;
            atom.walk(&mut |part| {
                depends |=
                    matches!(part, IntExpr::Fetched(_)) || matches!(part, IntExpr::Var(var) if grid.contains(var));
            });
            if depends {
                return None;
            }
        }
    }
    let tiles = |extent: Option<&(&IntExpr, u64)>| {
        let tiles = extent.map_or(1, |(_, extent)| extent.div_ceil(TILE as u64));
        u32::try_from(tiles).ok()
    };
    let mut last = axes.iter().rev();
    let (columns, rows) = (tiles(last.next())?, tiles(last.next())?);
    Some(BlockRegion {
        steps,
        tiles: [rows, columns],
    })
}
