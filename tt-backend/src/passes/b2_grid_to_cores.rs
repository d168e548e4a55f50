//! B2: what runs on which cores.
//!
//! Before: blocks numbered through, and which core takes which (B1). After: the kernels of a launch, each with its processor,
//! NoC and cores. Each runs the body for `count` block numbers from `start_id` on, `block_step` apart: runtime arguments that
//! the launcher computes; D1 puts the loop around the programs, `rasterize` gives the grid's variables their values in it.
//!
//! ```text
//!  let (bx, by) = T.Kernel(gx, gy);   ⟹   for block_id in start_id, start_id + block_step .. { (bx, by) = position(block_id) .. }
//! ```

use super::a1_infer_layout::Layouts;
use super::b1_partition_work::{Divided, Partition};
use super::facts;
use crate::flow::Buffer;
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::tile::placed;
use tt_lang::ir::Kernel;
use tt_plan::{CoreLine, CoreSet, Engine, InLine, NocAxis, PartitionMode, Placement, Role, RuntimeValue};

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
pub fn blocks_of(mode: PartitionMode, placement: Placement) -> Vec<(String, RuntimeValue)> {
    let named = |(name, value): (&str, RuntimeValue)| (name.to_string(), value);
    let own = [
        (START_ID, RuntimeValue::StartId),
        (COUNT, RuntimeValue::Count),
        (STEP, RuntimeValue::Step),
    ];
    let runs = [
        (RUN_LENGTH, RuntimeValue::RunLength),
        (RUN_PITCH, RuntimeValue::RunPitch),
    ];
    let own = own.map(named).into_iter();
    match placement {
        Placement::Linear if mode == PartitionMode::LocalShard => own.chain(runs.map(named)).collect(),
        Placement::Linear => own.collect(),
        Placement::Rectangle { .. } => own
            .chain(CoreLine::ALL.into_iter().flat_map(|line| {
                [
                    (place_in(line), RuntimeValue::Place(line)),
                    (cores_of(line), RuntimeValue::Cores(line)),
                    (sender_of(line), RuntimeValue::Sender(line)),
                ]
            }))
            .collect(),
    }
}

/// The runtime arguments that tell along which lines the rounds of a rectangle go: of a kernel that keeps what it reads while an axis of the
/// grid stays.
pub fn rounds_of(placement: Placement, buffers: &[Buffer]) -> Vec<(String, RuntimeValue)> {
    let keeps = buffers.iter().any(|buffer| !buffer.kept_while().is_empty());
    let is_plane = placement.rectangle().is_some() && placement.folded().is_none();
    let every = |line| (every_of(line), RuntimeValue::Every(line));
    let lines = (keeps && is_plane).then(|| CoreLine::ALL.map(every));
    lines.into_iter().flatten().collect()
}

/// The variable that holds the place of the core in a line of its rectangle, from 0.
pub fn place_in(line: CoreLine) -> String {
    format!("place_in_{}", line.name())
}

/// The variable that holds how many cores a line of the rectangle has.
pub fn cores_of(line: CoreLine) -> String {
    format!("{}_cores", line.name())
}

/// The variable that holds after how many rounds the place of the blocks along a line moves on.
pub fn every_of(line: CoreLine) -> String {
    format!("{}_every", line.name())
}

/// The variable that holds the place in a line of the rectangle of the core that reads for it.
pub fn sender_of(line: CoreLine) -> String {
    format!("{}_sender", line.name())
}

/// The variable of the reader that counts what a line of cores shared so far.
pub fn versions_of(line: CoreLine) -> String {
    format!("{}_versions", line.name())
}

/// The variables that hold where a core of a line is on the NoC: x and y.
pub fn noc_of(line: CoreLine, core: InLine) -> [(String, RuntimeValue); 2] {
    NocAxis::ALL.map(|axis| {
        let name = format!("{}_{}_{}", line.name(), core.name(), axis.name());
        (name, RuntimeValue::Noc { line, core, axis })
    })
}

/// The semaphores of a line of cores: at its sender, how often the others were ready for a version; at those, how many it sent.
pub fn semaphores_of(line: CoreLine) -> [u8; 2] {
    match line {
        CoreLine::Row => [0, 1],
        CoreLine::Column => [2, 3],
    }
}

/// The argument that holds the number of the core's first block.
pub const START_ID: &str = "start_id";

/// The argument that holds how many blocks the core has.
pub const COUNT: &str = "count";

/// The argument that says how far apart the numbers of the core's blocks are.
pub const STEP: &str = "block_step";

/// The argument that says how many blocks of a core follow each other.
pub const RUN_LENGTH: &str = "run_length";

/// The argument that says how far apart such runs begin.
pub const RUN_PITCH: &str = "run_pitch";

/// The variable that holds the number of a block, where those of a core are several runs.
pub const SHARD_BLOCK: &str = "shard_block";

/// The variable that holds the number of the block; in a rectangle of cores, of the round.
pub const BLOCK_ID: &str = "block_id";

/// The variable that says whether the block is the core's own: in a rectangle of cores it may be one that it goes along with.
pub const IS_OWN: &str = "is_own";
