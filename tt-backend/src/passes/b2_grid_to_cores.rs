//! B2: where blocks run.
//!
//! Before: blocks numbered through (B1). After: a placement. The only one yet: cores in rows, the first takes the first run
//! of numbers, and so on. Each runs the body for block numbers `start_id .. start_id + count`, two runtime arguments that
//! the launcher computes; D1 puts the loop around the programs, `rasterize` gives the grid's variables their values in it.
//!
//! ```text
//!  let (bx, by) = T.Kernel(gx, gy);   ⟹   for block_id in start_id..start_id + count { (bx, by) = position(block_id) .. }
//! ```

use super::a1_infer_layout::Layouts;
use super::b1_partition_work::{Divided, Partition};
use crate::pipeline::{Form, Pass, Unit};
use tt_lang::ir::Kernel;
use tt_plan::RuntimeValue;

/// The pass.
pub const PASS: Pass<Divided, Unit<()>> = Pass {
    name: "B2 grid_to_cores",
    does: "from a running block number to the cores",
    run: |unit| {
        let Divided {
            source,
            kernel,
            layouts,
            partition,
        } = unit;
        Ok(Unit {
            facts: Facts {
                source,
                kernel,
                layouts,
                partition,
                placement: Placement::Linear,
            },
            program: (),
        })
    },
    check: |_| Ok(()),
};

/// What is known of a kernel when its blocks are lowered.
#[derive(Debug, Clone)]
pub struct Facts {
    /// As parsed: what reports and comments quote.
    pub source: Kernel,
    /// As it is compiled.
    pub kernel: Kernel,
    /// Where its tensors and blocks lie (A1, A2).
    pub layouts: Layouts,
    /// Who owns its blocks (B1).
    pub partition: Partition,
    /// Where they run.
    pub placement: Placement,
}

impl Form for Unit<()> {
    const NAME: &'static str = "Tile IR, layouts, partition and placement";

    fn text(&self) -> Option<String> {
        Some(format!("{:#?}\n", self.facts.placement))
    }
}

/// Where blocks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Runs of block numbers, core after core.
    Linear,
}

impl Placement {
    /// The runtime arguments that tell a core its blocks, first in every kernel.
    pub fn arguments(self) -> [(&'static str, RuntimeValue); 2] {
        match self {
            Placement::Linear => [("start_id", RuntimeValue::StartId), ("count", RuntimeValue::Count)],
        }
    }
}

/// The variable that holds the number of the block.
pub const BLOCK_ID: &str = "block_id";
