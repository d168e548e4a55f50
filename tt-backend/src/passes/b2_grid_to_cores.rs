//! B2: what runs on which cores.
//!
//! Before: blocks numbered through, and which core takes which (B1). After: the kernels of a launch, each with its processor,
//! NoC and cores. Each runs the body for block numbers `start_id .. start_id + count`, two runtime arguments that the
//! launcher computes; D1 puts the loop around the programs, `rasterize` gives the grid's variables their values in it.
//!
//! ```text
//!  let (bx, by) = T.Kernel(gx, gy);   ⟹   for block_id in start_id..start_id + count { (bx, by) = position(block_id) .. }
//! ```

use super::a1_infer_layout::Layouts;
use super::b1_partition_work::{Divided, Partition};
use super::facts;
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::tile::placed;
use tt_lang::ir::Kernel;
use tt_plan::{CoreSet, Engine, Placement, Role, RuntimeValue};

/// The pass.
pub const PASS: Pass<Divided, Unit<()>> = Pass {
    name: "B2 grid_to_cores",
    does: "reader, compute and writer with their processors, NoCs and cores",
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
                instances: [Role::Reader, Role::Compute, Role::Writer].map(|role| Instance {
                    role,
                    engine: Engine::of(role),
                    cores: CoreSet::Busy,
                }),
            },
            program: (),
        })
    },
    check: placed,
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
    /// The kernels of a launch: reader, compute and writer.
    pub instances: [Instance; 3],
}

/// A kernel of a launch: its part, what runs it, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    /// Its part.
    pub role: Role,
    /// What runs it.
    pub engine: Engine,
    /// On which cores.
    pub cores: CoreSet,
}

impl Form for Unit<()> {
    const NAME: &'static str = "Tile IR, layouts, partition and placement";

    fn text(&self) -> Option<String> {
        Some(facts::instances(&self.facts.instances))
    }
}

/// The runtime arguments that tell a core its blocks, first in every kernel.
pub fn blocks_of(placement: Placement) -> [(&'static str, RuntimeValue); 2] {
    match placement {
        Placement::Linear => [("start_id", RuntimeValue::StartId), ("count", RuntimeValue::Count)],
    }
}

/// The variable that holds the number of the block.
pub const BLOCK_ID: &str = "block_id";
