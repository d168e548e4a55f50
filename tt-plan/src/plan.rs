//! The plan as written by the compiler.

use crate::layout::{ShardRegion, TensorLayout};
use crate::{BlockCost, BlockOrder, CoreLine, DataFormat, Formula, InLine, NocAxis, Number, Placement};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};
use tt_lang::ir::{CompareOp, ElementType, Fidelity, ScalarKind};

/// The version of the JSON schema written and read here.
pub const SCHEMA_VERSION: u32 = 9;

/// Everything a launcher must know of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`SCHEMA_VERSION`].
    pub schema: u32,
    /// The kernel's name.
    pub kernel: String,
    /// The architectures whose budgets it keeps.
    pub architectures: Vec<String>,
    /// The symbolic extents, in order.
    pub extents: Vec<String>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Tensors that the launcher allocates itself; not written where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temporaries: Vec<Temporary>,
    /// Integers that the launcher computes itself, each over those before it; not written where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedInteger>,
    /// The extents of the grid of blocks, the fastest first; 1 to 6. Of several stages that of the first, as all below.
    pub grid: Vec<Formula>,
    /// How blocks go to cores.
    pub work_partition: WorkPartition,
    /// The axes of the grid that must have extent 1; not written where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lone_axes: Vec<LoneAxis>,
    /// Ranges of tensors that must be no longer than their blocks, and integers of kernels that must fit in 32 bits; not written
    /// where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<RangeLimit>,
    /// The circular buffers of every core.
    pub circular_buffers: Vec<CircularBuffer>,
    /// The semaphores of every core.
    pub semaphores: Vec<Semaphore>,
    /// The compute kernel's configuration.
    pub compute: ComputeConfig,
    /// Reader, compute and writer.
    pub kernels: Vec<KernelPlan>,
    /// What a block of the grid takes; not written where that depends on what tensors hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<BlockCost>,
    /// The stages after the first, each a program of its own; not written where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<StagePlan>,
}

/// A stage: what runs once those before it have stored everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagePlan {
    /// As [`Plan::grid`].
    pub grid: Vec<Formula>,
    /// As [`Plan::work_partition`].
    pub work_partition: WorkPartition,
    /// As [`Plan::lone_axes`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lone_axes: Vec<LoneAxis>,
    /// As [`Plan::ranges`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<RangeLimit>,
    /// As [`Plan::circular_buffers`].
    pub circular_buffers: Vec<CircularBuffer>,
    /// As [`Plan::semaphores`].
    pub semaphores: Vec<Semaphore>,
    /// As [`Plan::compute`].
    pub compute: ComputeConfig,
    /// As [`Plan::kernels`].
    pub kernels: Vec<KernelPlan>,
    /// As [`Plan::cost`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<BlockCost>,
}

/// A tensor that lives for one launch, from the stage that stores it to those that read it. Nothing is in it at first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Temporary {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub element: ElementType,
    /// Its extents, outermost first.
    pub extents: Vec<Formula>,
    /// Where it lives.
    pub layout: TensorLayout,
}

/// An integer that a launch computes, and formulas name: 1 where the comparison of two numbers, each rounded to `f32`, holds, else 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivedInteger {
    /// Its name.
    pub name: String,
    /// The comparison.
    pub op: CompareOp,
    /// Its left side.
    pub a: Number,
    /// Its right side.
    pub b: Number,
}

/// A parameter of the launcher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Parameter {
    /// A tensor.
    Tensor {
        /// Its name.
        name: String,
        /// Its element type.
        element: ElementType,
        /// `&mut`.
        mutable: bool,
        /// Its extents, outermost first.
        extents: Vec<Formula>,
        /// Where it lives.
        layout: TensorLayout,
    },
    /// A scalar.
    Scalar {
        /// Its name.
        name: String,
        /// Its type.
        kind: ScalarKind,
    },
}

impl Parameter {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Tensor { name, .. } | Parameter::Scalar { name, .. } => name,
        }
    }
}

/// How blocks go to cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkPartition {
    /// Who owns the blocks.
    pub mode: PartitionMode,
    /// In which order a core takes them.
    pub order: BlockOrder,
    /// Which core takes which.
    pub placement: Placement,
    /// Whether somebody asked for cores that take blocks in turn (`order = row_major`), however a launch would deal them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turn: bool,
}

/// What a launch may not exceed: the length of a range that every block copies, which is no longer than what it is copied to or from;
/// the end of what an integer is in all blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeLimit {
    /// How long it is, or how far it goes.
    pub length: Formula,
    /// How long or far it may be.
    pub most: u64,
    /// What must hold: the first half of what a launch that exceeds it is told.
    pub reason: String,
}

/// An axis of the grid that must have extent 1, since all blocks along it store the same elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoneAxis {
    /// Which, in the order of the grid.
    pub axis: usize,
    /// What is stored and what must hold: the first half of what a launch with more blocks is told.
    pub reason: String,
}

/// Who owns the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartitionMode {
    /// All blocks, numbered through, dealt to the cores one by one.
    Global,
    /// Each core the blocks of its own shard.
    LocalShard,
}

/// How a kernel runs: the compiler adds other ways than it was written in where it may, and a launch takes the one that it estimates to
/// be fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As it was written.
    Written,
    /// With its sum cut into as many parts as its last scalar says, which the launch passes behind the parameters of its Tile IR.
    InParts,
    /// With every core taking the blocks whose shards lie with it ([`PartitionMode::LocalShard`]).
    OnShards,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Way::Written => "written",
            Way::InParts => "in_parts",
            Way::OnShards => "on_shards",
        })
    }
}

/// A circular buffer of every core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBuffer {
    /// Its index.
    pub index: u8,
    /// Its name in the emitted code.
    pub name: String,
    /// Its format.
    pub data_format: DataFormat,
    /// Bytes of a page (one tile).
    pub page_size: u32,
    /// How many pages.
    pub pages: u32,
    /// Unpacked straight into a 32-bit destination register.
    pub unpack_to_dest_fp32: bool,
    /// The first and the last line of the source that use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// Where every block moves it once, to or from a tensor in shards of L1, the pages that it has of it: a launch whose blocks go where
    /// their shards are lays it on the shard, where those pages follow each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardRegion>,
}

/// A semaphore of every core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Semaphore {
    /// Its id.
    pub id: u8,
    /// Its value at the start of a launch.
    pub initial: u32,
}

/// `ComputeConfig` of the compute kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputeConfig {
    /// How many passes the multiplier makes.
    pub math_fidelity: Fidelity,
    /// 32-bit destination registers.
    pub fp32_dest_acc_en: bool,
    /// One destination section instead of two.
    pub dst_full_sync_en: bool,
    /// Approximate SFPU functions.
    pub math_approx_mode: bool,
}

/// Which of the three kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Role {
    Reader,
    Compute,
    Writer,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Compute => "compute",
            Role::Writer => "writer",
        }
    }
}

/// What runs a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Engine {
    /// A processor that moves data, and its NoC.
    DataMovement {
        /// The processor.
        processor: DataMovementProcessor,
        /// The NoC.
        noc: Noc,
    },
    /// The three processors around matrix engine and SFPU, as [`Plan::compute`] configures them.
    Compute,
}

impl Engine {
    /// What runs a kernel of this role: what reads has the NoC that reads DRAM best, what writes the other
    /// (`ReaderDataMovementConfig` and `WriterDataMovementConfig` of `tt-metalium/kernel_types.hpp`).
    pub fn of(role: Role) -> Engine {
        match role {
            Role::Reader => Engine::DataMovement {
                processor: DataMovementProcessor::Ncrisc,
                noc: Noc::DramRead,
            },
            Role::Compute => Engine::Compute,
            Role::Writer => Engine::DataMovement {
                processor: DataMovementProcessor::Brisc,
                noc: Noc::DramWrite,
            },
        }
    }
}

/// A processor that moves data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum DataMovementProcessor {
    Brisc,
    Ncrisc,
}

/// A network of the chip, by what it is best at: which of the two that is, is the chip's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noc {
    /// The one that is best at reading DRAM.
    DramRead,
    /// The one that is best at writing DRAM.
    DramWrite,
}

/// The cores that a kernel runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoreSet {
    /// All that take blocks.
    Busy,
}

/// An instance of a kernel: what runs it where, and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelPlan {
    /// Its part in the launch.
    pub role: Role,
    /// What runs it.
    pub engine: Engine,
    /// On which cores.
    pub cores: CoreSet,
    /// The file name of its source.
    pub file: String,
    /// Compile-time arguments, in order.
    pub compile_args: Vec<CompileArg>,
    /// Runtime arguments, in order, one word each.
    pub runtime_args: Vec<RuntimeArg>,
    /// What its statements move to and from tensors, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferPlan>,
}

/// What a statement moves between a tensor and a core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferPlan {
    /// The tensor's name.
    pub tensor: String,
    /// The line of the statement in its file.
    pub line: u32,
    /// In which pieces.
    pub class: TransferClass,
}

/// The pieces of a transfer, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferClass {
    /// Whole tiles, one each.
    Page,
    /// Rows of 16 elements, 64 of a tile, as faces hold them.
    Row,
    /// Rows of 16 elements, each of another matrix: rows that follow each other along a leading axis.
    Axis,
    /// What no face holds as a row: through a page of the core, element by element.
    Element,
}

/// One or more compile-time argument words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompileArg {
    /// The `TensorAccessorArgs` words of the tensor of this name.
    Accessor(String),
}

/// One runtime argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeArg {
    /// Its name in the emitted code.
    pub name: String,
    /// Its value.
    pub value: RuntimeValue,
}

/// Where a runtime argument's word comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RuntimeValue {
    /// The address of the tensor of this name.
    Address(String),
    /// The page of its buffer at which the tensor of this name begins: not 0 of a view.
    FirstPage(String),
    /// The number of the core's first block.
    StartId,
    /// How many blocks the core takes.
    Count,
    /// From the number of a block to that of the core's next one.
    Step,
    /// How many of its blocks follow each other, of a core that takes those of its shards ([`PartitionMode::LocalShard`]).
    RunLength,
    /// From the first block of such a run to that of the next.
    RunPitch,
    /// The place of the core in a line of its rectangle, from 0: in its row, the column ([`Placement::Rectangle`]).
    Place(CoreLine),
    /// How many cores a line of its rectangle has.
    Cores(CoreLine),
    /// After how many rounds the place of its rectangle's blocks along a line of it moves on: 1 where rounds follow the line.
    Every(CoreLine),
    /// The place in a line of its rectangle of the one that reads and sends to the others.
    Sender(CoreLine),
    /// A coordinate on the NoC of a core in the same line.
    Noc {
        /// Which line.
        line: CoreLine,
        /// Which core.
        core: InLine,
        /// Which coordinate.
        axis: NocAxis,
    },
    /// An integer.
    Formula(Formula),
    /// The bits of an `f32`.
    Number(Number),
    /// 1 where the comparison of two numbers, each rounded to `f32`, holds, else 0.
    Flag {
        /// The comparison.
        op: CompareOp,
        /// Its left side.
        a: Number,
        /// Its right side.
        b: Number,
    },
}

/// What is wrong with a plan, or with a launch of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError(pub String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Reads and validates a plan.
    ///
    /// # Errors
    /// Where the text is no JSON, does not follow the schema, has another version, or contradicts itself.
    pub fn from_json(text: &str) -> Result<Plan, PlanError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| PlanError(format!("the plan is not JSON: {error}")))?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(SCHEMA_VERSION) => {}
            Some(version) => {
                return Err(PlanError(format!(
                    "the plan has schema version {version}, this library reads {SCHEMA_VERSION}"
                )));
            }
            None => return Err(PlanError("the plan has no schema version".into())),
        }
        let plan: Plan = serde_json::from_value(value)
            .map_err(|error| PlanError(format!("the plan does not follow schema {SCHEMA_VERSION}: {error}")))?;
        match plan.validate().as_slice() {
            [] => Ok(plan),
            errors => Err(PlanError(format!("the plan contradicts itself: {}", errors.join("; ")))),
        }
    }

    /// The plan as JSON, indented.
    pub fn to_json(&self) -> String {
        let mut json = Json(Vec::new());
        // Serialising plain data with string keys cannot fail, and what is written is UTF-8.
        let written = serde_json::to_writer_pretty(&mut json, self).map(|()| String::from_utf8(json.0));
        let mut text = written.ok().and_then(Result::ok).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The stages in order, each as a plan that has no other.
    pub fn stages(&self) -> Vec<Plan> {
        let first = Plan {
            later: Vec::new(),
            ..self.clone()
        };
        let later = self.later.iter().map(|stage| {
            let StagePlan {
                grid,
                work_partition,
                lone_axes,
                ranges,
                circular_buffers,
                semaphores,
                compute,
                kernels,
                cost,
            } = stage.clone();
            Plan {
                grid,
                work_partition,
                lone_axes,
                ranges,
                circular_buffers,
                semaphores,
                compute,
                kernels,
                cost,
                ..first.clone()
            }
        });
        let later: Vec<Plan> = later.collect();
        std::iter::once(first).chain(later).collect()
    }

    /// The plan with `stage`, another plan of the same kernel, as its last stage.
    #[must_use]
    pub fn then(mut self, stage: Plan) -> Plan {
        self.later.push(StagePlan {
            grid: stage.grid,
            work_partition: stage.work_partition,
            lone_axes: stage.lone_axes,
            ranges: stage.ranges,
            circular_buffers: stage.circular_buffers,
            semaphores: stage.semaphores,
            compute: stage.compute,
            kernels: stage.kernels,
            cost: stage.cost,
        });
        self.later.extend(stage.later);
        self
    }

    /// The layout of the tensor `name`, a parameter or a temporary.
    pub fn layout(&self, name: &str) -> Option<&TensorLayout> {
        self.tensor(name).map(|(layout, _)| layout)
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<(&TensorLayout, &[Formula])> {
        let parameter = self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Tensor {
                name: other,
                layout,
                extents,
                ..
            } => (other == name).then_some((layout, extents.as_slice())),
            Parameter::Scalar { .. } => None,
        });
        let temporary = || self.temporaries.iter().find(|temporary| temporary.name == name);
        parameter.or_else(|| temporary().map(|temporary| (&temporary.layout, temporary.extents.as_slice())))
    }

    /// The compile-time arguments of the kernel with the role `role`: the words of its tensors' accessors. Those of a tensor in shards,
    /// which depend on its extents, are those of some extents. `None` where it accesses what is no tensor, or there is no such kernel.
    pub fn compile_args(&self, role: Role) -> Option<Vec<u32>> {
        let accessors = self.kernel(role)?.compile_args.iter();
        let words = accessors.map(|CompileArg::Accessor(name)| {
            let (layout, extents) = self.tensor(name)?;
            Some(layout.words_of_any(extents.len()))
        });
        Some(words.collect::<Option<Vec<_>>>()?.concat())
    }

    /// Whether the compile-time arguments of the kernel with the role `role` depend on the extents of a launch: it accesses a tensor in
    /// shards.
    pub fn compiles_for_extents(&self, role: Role) -> bool {
        let kernel = self.kernel(role);
        let mut accessors = kernel.iter().flat_map(|kernel| &kernel.compile_args);
        accessors.any(|CompileArg::Accessor(name)| self.layout(name).is_some_and(|layout| !layout.interleave))
    }

    /// The kernel with the role `role`.
    pub fn kernel(&self, role: Role) -> Option<&KernelPlan> {
        self.kernels.iter().find(|kernel| kernel.role == role)
    }
}

/// JSON as it grows. Most of what is written is one character or a step of an indentation, which in builds without optimisation takes a
/// fraction of what a slice takes.
struct Json(Vec<u8>);

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match bytes {
            [one] => self.0.push(*one),
            [one, other] => {
                self.0.push(*one);
                self.0.push(*other);
            }
            bytes => self.0.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
