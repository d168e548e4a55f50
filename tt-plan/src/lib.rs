//! The execution plan of a kernel (`tt.plan.json`): its types, formulas, loader and validator.
//!
//! The compiler writes a [`Plan`] once per kernel; nothing in it depends on the extents of a launch, what does is a
//! [`Formula`]. A launcher loads it, binds extents and scalars, and gets an [`Execution`]: the core grid, the work of
//! every core and the runtime arguments. The JSON form is described by `tt-plan/schema/tt.plan.schema.json`.

#![deny(clippy::wildcard_enum_match_arm)]

mod core_work;
mod cost;
mod execution;
mod formula;
mod launch_plan;
mod layout;
mod order;
mod placement;
mod plan;
mod region;
mod report;
mod shards;
mod signature;
mod tuning;
mod validate;

pub use core_work::{CoreRange, CoreWork, Rectangle, ranges};
pub use cost::{BlockCost, Direction, EngineCycles, Engines, Estimate, Operand, RunCost, Transfers};
pub use execution::{Bindings, Cores, DeviceGrid, Execution, LayoutRecord, Sharing, WorkItem};
pub use formula::{Formula, FormulaError, FormulaOp, Neighbour, Number};
pub use launch_plan::validate_launch;
pub use layout::{GridStep, Memory, ShardRegion, TensorLayout};
pub use order::BlockOrder;
pub use placement::{CoreLine, InLine, NocAxis, Placement};
pub use plan::{
    CircularBuffer, CompileArg, ComputeConfig, CoreSet, DataMovementProcessor, DerivedInteger, Engine, KernelPlan,
    LoneAxis, Noc, Parameter, PartitionMode, Plan, PlanError, RangeLimit, Role, RuntimeArg, RuntimeValue,
    SCHEMA_VERSION, Semaphore, StagePlan, Temporary, TransferClass, TransferPlan, Way, WorkPartition,
};
pub use region::{BlockRegion, Step};
pub use report::{BufferReport, EngineReport, LaunchReport, MovedReport, OperandReport, Report, StageReport};
pub use shards::{Bank, Banks, OnShard, Shards};
pub use signature::{Signature, formula, number};
pub use tt_device::{ArchName, DataFormat};
pub use tuning::{MeasuredBy, TUNING_FILE, TunedLaunch, TunedVariant, Tuning, TuningKey};
