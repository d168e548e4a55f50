//! What passes find out beside a program, as text: a line a fact, in the order of the kernel.

use super::a1_infer_layout::{BlockLayout, Layouts, Orientation};
use super::b1_partition_work::Partition;
use super::b2_grid_to_cores::Instance;
use crate::device::Accessors;
use crate::device::print::accessor;
use crate::flow::Depth;
use std::fmt::Write;
use tt_lang::ir::Kernel;
use tt_plan::{BlockOrder, Engine, PartitionMode, Placement};

/// A1 and A2: formats, tiles, orientations, and depths that were asked for.
pub fn layouts(kernel: &Kernel, layouts: &Layouts) -> String {
    let mut out = String::new();
    for (param, layout) in kernel.params.iter().zip(&layouts.tensors) {
        if let Some(layout) = layout {
            line(
                &mut out,
                format!("{}: tensor of {}", param.name(), layout.format.name()),
            );
        }
    }
    for (block, layout) in kernel.blocks.iter().zip(&layouts.blocks) {
        let BlockLayout {
            format,
            extent: [rows, columns],
            orientation,
            depth,
        } = layout;
        let [tile_rows, tile_columns] = layout.tiles();
        let orientation = match orientation {
            None => "",
            Some(Orientation::Column) => ", down a column",
            Some(Orientation::Row) => ", along a row",
        };
        let depth = match depth {
            Depth::Default => String::new(),
            Depth::Asked(versions) => format!(", {versions} versions asked"),
        };
        let tiles = format!("{tile_rows} x {tile_columns} tiles of {}", format.name());
        line(
            &mut out,
            format!(
                "{}: {rows} x {columns} elements, {tiles}{orientation}{depth}",
                block.name
            ),
        );
    }
    let bits = if layouts.fp32_dest { 32 } else { 16 };
    line(&mut out, format!("destination registers of {bits} bits"));
    out
}

/// B1: the grid, who owns its blocks, and where it may have one only.
pub fn partition(kernel: &Kernel, partition: &Partition) -> String {
    let mut out = String::new();
    let axis = |axis: usize| kernel.grid.axes.get(axis).map_or("", |(var, _)| kernel.variable(*var));
    for (number, extent) in partition.grid.iter().enumerate() {
        line(&mut out, format!("{} in 0..{extent}", axis(number)));
    }
    let owner = match partition.work.mode {
        PartitionMode::Global => "all blocks numbered through",
        PartitionMode::LocalShard => "every core the blocks of its shard",
    };
    let order = match partition.work.order {
        BlockOrder::RowMajor => "row_major".to_string(),
        BlockOrder::ColumnMajor => "column_major".to_string(),
        BlockOrder::BlockLinear(h, w) => format!("block_linear({h}, {w})"),
        BlockOrder::ZOrder => "z_order".to_string(),
        BlockOrder::Hilbert => "hilbert".to_string(),
    };
    let placement = match partition.work.placement {
        Placement::Linear => "to cores in rows".to_string(),
        Placement::Rectangle { axes: [along, down] } if along == down => {
            format!(
                "{} along the rows of a rectangle of cores, one after the other",
                axis(along)
            )
        }
        Placement::Rectangle { axes } => {
            let [along, down] = axes.map(axis);
            format!("{along} along the rows and {down} along the columns of a rectangle of cores")
        }
    };
    line(&mut out, format!("{owner}, {order}, {placement}"));
    if !partition.apart {
        line(&mut out, "blocks may store the same elements".to_string());
    }
    for lone in &partition.lone {
        line(
            &mut out,
            format!("one block along {}: {}", axis(lone.axis), lone.reason),
        );
    }
    for range in &partition.ranges {
        line(
            &mut out,
            format!("{} at most {}: {}", range.length, range.most, range.reason),
        );
    }
    out
}

/// B2: what runs where.
pub fn instances(instances: &[Instance]) -> String {
    let mut out = String::new();
    for Instance { role, engine, cores } in instances {
        let engine = match engine {
            Engine::DataMovement { processor, noc } => format!("{processor:?}, NoC {noc:?}"),
            Engine::Compute => "Compute".to_string(),
        };
        line(&mut out, format!("{}: {engine}, cores {cores:?}", role.name()));
    }
    out
}

/// D2: the accessors of reader and writer.
pub fn bound(kernel: &Kernel, bound: &Accessors) -> String {
    let mut out = String::new();
    for (role, accessors) in [("reader", &bound.reader), ("writer", &bound.writer)] {
        for of in accessors {
            line(&mut out, format!("{role}: {}", accessor(kernel, of)));
        }
    }
    out
}

fn line(out: &mut String, text: String) {
    writeln!(out, "{text}").unwrap_or_default();
}
