//! What passes find out beside a program, as text: a line a fact, in the order of the kernel.

use super::a1_infer_layout::{BlockLayout, Layouts, Orientation};
use super::a2_propagate_layout::{Depth, Geometry};
use super::a3_attach_tensor_accessor::AbstractAccessor;
use super::b1_partition_work::Partition;
use super::d2_bind_tensor_accessors::Bound;
use super::multicast_reuse::Shared;
use crate::device::print::accessor;
use crate::flow::Buffer;
use std::fmt::Write;
use tt_lang::ir::Kernel;
use tt_plan::{BlockOrder, PartitionMode, RuntimeValue};

/// A1: formats, tiles and orientations.
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
        } = layout;
        let [tile_rows, tile_columns] = layout.tiles();
        let orientation = match orientation {
            None => "",
            Some(Orientation::Column) => ", down a column",
            Some(Orientation::Row) => ", along a row",
        };
        let tiles = format!("{tile_rows} x {tile_columns} tiles of {}", format.name());
        line(
            &mut out,
            format!("{}: {rows} x {columns} elements, {tiles}{orientation}", block.name),
        );
    }
    let bits = if layouts.fp32_dest { 32 } else { 16 };
    line(&mut out, format!("destination registers of {bits} bits"));
    out
}

/// A2: the buffers that blocks become.
pub fn geometry(kernel: &Kernel, geometry: &[Geometry]) -> String {
    let mut out = String::new();
    for (block, geometry) in kernel.blocks.iter().zip(geometry) {
        let Geometry {
            page_bytes,
            tiles,
            depth,
        } = geometry;
        let asked = if matches!(depth, Depth::Asked(_)) {
            " as asked"
        } else {
            ""
        };
        let depth = depth.versions();
        let text = format!(
            "{}: {tiles} pages of {page_bytes} bytes, {depth} versions{asked}",
            block.name
        );
        line(&mut out, text);
    }
    out
}

/// A3: who touches the tensors.
pub fn accessors(kernel: &Kernel, accessors: &[AbstractAccessor]) -> String {
    let mut out = String::new();
    for accessor in accessors {
        let touched = match (accessor.read, accessor.written) {
            (true, true) => "read and written",
            (true, false) => "read",
            (false, true) => "written",
            (false, false) => "not touched",
        };
        let name = kernel.params[accessor.tensor.index()].name();
        line(
            &mut out,
            format!("{name}: pages of {} bytes, {touched}", accessor.page_bytes),
        );
    }
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
    };
    line(&mut out, format!("{owner}, {order}"));
    for lone in &partition.lone {
        line(
            &mut out,
            format!("one block along {}: {}", axis(lone.axis), lone.reason),
        );
    }
    out
}

/// B2: the runtime arguments of the persistent loop.
pub fn arguments(arguments: &[(&str, RuntimeValue)]) -> String {
    let mut out = String::new();
    for (name, value) in arguments {
        line(&mut out, format!("{name}: {value:?}"));
    }
    out
}

/// D2: the accessors of reader and writer.
pub fn bound(kernel: &Kernel, bound: &Bound) -> String {
    let mut out = String::new();
    for (role, accessors) in [("reader", &bound.reader), ("writer", &bound.writer)] {
        for of in accessors {
            line(&mut out, format!("{role}: {}", accessor(kernel, of)));
        }
    }
    out
}

/// multicast_reuse: the reads that several blocks share.
pub fn shared(kernel: &Kernel, buffers: &[Buffer], shared: &[Shared]) -> String {
    let mut out = String::new();
    for Shared { buffer, along } in shared {
        let along: Vec<&str> = along.iter().map(|var| kernel.variable(*var)).collect();
        line(
            &mut out,
            format!("{}: along {}", buffers[buffer.0].name, along.join(" and ")),
        );
    }
    out
}

fn line(out: &mut String, text: String) {
    writeln!(out, "{text}").unwrap_or_default();
}
