//! B1: who owns the blocks of the grid.
//!
//! Before: layouts, with depths (A2). After: how blocks are numbered and dealt to cores, whether two may store one element, and what a
//! launch has to hold its values to.
//!
//! Tensors interleaved over DRAM belong to no core, so work is partitioned globally: blocks are numbered through, and
//! the cores take them in turn (`tt_plan::Plan::partition` does the arithmetic at launch, when the
//! extents are known).
//!
//! ```text
//!  T.Kernel(N.div_ceil(128), M.div_ceil(128))   ⟹   global, grid [N.div_ceil(128), M.div_ceil(128)], row_major
//! ```
//!
//! No two blocks may store the same element: `overlap` finds those that certainly do, `apart` says whether certainly none do.
//! What a launch holds its values to is found too: `ranges`, and `overflow`.
//!
//! Runs on Tile IR as parsed: what a condition around a store decides is the user's, not `split_conditions`'.

mod apart;
mod overflow;
mod overlap;
pub(super) mod ranges;
mod stores;

use super::a1_infer_layout::{Laid, Layouts};
use super::facts;
use crate::pipeline::{Form, Pass};
use crate::verify::tile::divided;
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Order, Param, Sharding};
use tt_plan::{BlockOrder, Formula, LoneAxis, PartitionMode, Placement, RangeLimit, WorkPartition, formula};

/// The pass.
pub const PASS: Pass<Laid, Divided> = Pass {
    name: "B1 partition_work",
    does: "who owns the blocks of the grid",
    run: |Laid {
              source,
              kernel,
              layouts,
          }| {
        let partition = run(&source)?;
        Ok(Divided {
            source,
            kernel,
            layouts,
            partition,
        })
    },
    check: divided,
};

/// Tile IR with its work divided.
#[derive(Debug, Clone)]
pub struct Divided {
    /// As parsed.
    pub source: Kernel,
    /// As it is compiled.
    pub kernel: Kernel,
    /// Where its tensors and blocks lie.
    pub layouts: Layouts,
    /// Who owns its blocks.
    pub partition: Partition,
}

impl Form for Divided {
    const NAME: &'static str = "Tile IR, layouts and partition";

    fn text(&self) -> Option<String> {
        Some(facts::partition(&self.kernel, &self.partition))
    }
}

/// The partition of a kernel's work.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// Extents of the grid of blocks, the fastest first.
    pub grid: Vec<Formula>,
    /// Who owns blocks, in which order a core takes them, and which core which.
    pub work: WorkPartition,
    /// Axes of the grid along which a launch may have one block only.
    pub lone: Vec<LoneAxis>,
    /// Ranges of tensors that a launch may not make longer than their blocks, and integers that it may not take beyond 32 bits.
    pub ranges: Vec<RangeLimit>,
    /// No two blocks store the same element, for certain.
    pub apart: bool,
}

/// Runs the pass.
pub fn run(kernel: &Kernel) -> Result<Partition, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let grid = kernel
        .grid
        .axes
        .iter()
        .map(|(_, extent)| {
            formula(kernel, &extent.value).unwrap_or_else(|| {
                let fault = Fault("a grid extent is not known at launch".to_string());
                errors.push(unproved(kernel.span, &fault));
                Formula::Const(1)
            })
        })
        .collect();
    let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).max(1);
    let order = match kernel.options.order.value {
        Order::Auto | Order::RowMajor => BlockOrder::RowMajor,
        Order::ColumnMajor => BlockOrder::ColumnMajor,
        Order::BlockLinear(h, w) => BlockOrder::BlockLinear(small(h), small(w)),
        Order::ZOrder => BlockOrder::ZOrder,
        Order::Hilbert => BlockOrder::Hilbert,
        Order::MatchShard => match_shard(kernel),
    };
    let mode = match kernel.options.order.value {
        Order::MatchShard => PartitionMode::LocalShard,
        Order::Auto
        | Order::RowMajor
        | Order::ColumnMajor
        | Order::BlockLinear(..)
        | Order::ZOrder
        | Order::Hilbert => PartitionMode::Global,
    };
    let stores = stores::Stores::of(&kernel.body);
    let lone = overlap::check(kernel, &stores).unwrap_or_else(|found| {
        errors.extend(found);
        Vec::new()
    });
    if errors.is_empty() {
        let apart = apart::stay_apart(kernel, &stores, &lone);
        Ok(Partition {
            grid,
            work: WorkPartition {
                mode,
                order,
                placement: Placement::Linear,
                in_turn: kernel.options.order.value == Order::RowMajor,
            },
            lone,
            ranges: [ranges::limits(kernel), overflow::limits(kernel)].concat(),
            apart,
        })
    } else {
        Err(errors)
    }
}

/// The order in which the blocks of a shard are one run: down columns where tensors are cut into bands of columns, else along rows.
fn match_shard(kernel: &Kernel) -> BlockOrder {
    let in_columns = |param: &Param| match param {
        Param::Tensor(tensor) => matches!(tensor.layout.sharding, Sharding::Width(_)),
        Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => false,
    };
    match kernel.params.iter().any(in_columns) {
        true => BlockOrder::ColumnMajor,
        false => BlockOrder::RowMajor,
    }
}
