//! What a kernel takes of a chip, for people: circular buffers in L1, registers, what a block moves and computes; and of a launch, how busy
//! its cores are, what bounds it, and what to change.
//!
//! Everything is from the plan. Of a kernel the figures are formulas over its extents where it has any, of a launch numbers.

use crate::cost::at_rate;
use crate::execution::{Bindings, Cores};
use crate::{
    BlockCost, CoreLine, CoreWork, Direction, Estimate, Formula, Memory, OnShard, Operand, Parameter, PartitionMode,
    Placement, Plan, PlanError, Rectangle,
};
use serde::Serialize;
use std::fmt;
use tt_device::costs::Costs;
use tt_device::{CHIPS, DataFormat};
use tt_lang::ir::ElementType;

/// What a kernel, or a launch of it, takes. `Display` writes it for people; it is also written as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The kernel's name.
    pub kernel: String,
    /// The chip, of a launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<String>,
    /// Its stages, each a program of its own.
    pub stages: Vec<StageReport>,
}

/// What a stage takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageReport {
    /// The extents of the grid of blocks, the fastest first.
    pub grid: Vec<String>,
    /// How its blocks go to cores.
    pub placement: String,
    /// The circular buffers of a core, as they lie in L1.
    pub buffers: Vec<BufferReport>,
    /// Bytes of all of them.
    pub l1_bytes: u64,
    /// Bytes of L1 that they may take, on the chip of the launch, or the one that has the least.
    pub l1_limit: u64,
    /// How many passes the multiplier makes.
    pub fidelity: String,
    /// Tiles that compute holds in destination registers at once, at most; none where what a block takes is not known.
    pub registers: Option<u32>,
    /// Tiles that there is room for in a half of the destination registers: math fills one while the other is packed.
    pub register_limit: u32,
    /// Bits of a destination register.
    pub register_bits: u32,
    /// What a block moves of each tensor.
    pub operands: Vec<OperandReport>,
    /// What a block takes of the engines, by chip.
    pub engines: Vec<EngineReport>,
    /// Operations of the vector unit whose cost nobody measured: they count nothing.
    pub unknown: Vec<String>,
    /// Of a launch that has blocks, and whose figures do not depend on what tensors hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchReport>,
}

/// A circular buffer of every core.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BufferReport {
    /// Its name in the emitted code.
    pub name: String,
    /// Its index.
    pub index: u8,
    /// Its format.
    pub format: String,
    /// How many pages it has.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Where it begins, counted from the first; none where it lies on a shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The tensor on whose shards it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The first and the last line of the source that use it.
    pub lines: Option<[u32; 2]>,
}

/// Cycles that a block takes of a chip's engines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineReport {
    /// The chip.
    pub chip: String,
    /// The unpackers.
    pub unpack: String,
    /// The matrix engine and the vector unit.
    pub math: String,
    /// The packer.
    pub pack: String,
}

/// What is moved of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperandReport {
    /// Its name.
    pub tensor: String,
    /// Which way.
    pub direction: Direction,
    /// The line of cores that shares what is read, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<CoreLine>,
    /// Whether it is read once for all blocks of a core.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// The axes of the grid, where it is read once for all blocks of a core in which they stay and that follow each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<usize>,
    /// Bytes that a block moves, a run of blocks, or a core for all of its blocks.
    pub block_bytes: String,
    /// What a launch moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<MovedReport>,
}

/// Bytes that a launch moves of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MovedReport {
    /// Between its memory and cores, in whole blocks: tiles past the tensor's edge count, though nobody moves them. None where circular
    /// buffers lie on its shards.
    pub bytes: u64,
    /// Whether its memory is DRAM.
    pub in_dram: bool,
    /// Those that the tensor has, in whole tiles.
    pub tensor_bytes: u64,
}

impl MovedReport {
    /// How often all of the tensor is moved.
    pub fn times(self) -> f64 {
        self.bytes as f64 / self.tensor_bytes.max(1) as f64
    }
}

/// How a launch uses the chip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchReport {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Cores that take some.
    pub cores: u64,
    /// Cores that there are.
    pub cores_there: u64,
    /// Blocks that the core with the most takes.
    pub rounds: u64,
    /// The share of all cores' rounds in which they have a block.
    pub busy: f64,
    /// Whether lines of cores share what they read.
    pub shares: bool,
    /// What it is estimated to take.
    pub estimate: Estimate,
    /// What takes the most of that.
    pub bound: &'static str,
    /// Cycles that a core computes for each byte that its share of DRAM moves.
    pub cycles_per_byte: f64,
    /// Cycles that the launch cannot fall below with these blocks: what all cores of the chip compute of them if they share it evenly, or what
    /// DRAM takes to move once what it moves of every tensor.
    pub roofline: f64,
    /// What would make it faster.
    pub advice: Vec<String>,
}

impl Plan {
    /// What the kernel takes, for any launch.
    pub fn report(&self) -> Report {
        let stages = self.stages();
        Report {
            kernel: self.kernel.clone(),
            chip: None,
            stages: stages.iter().map(|stage| stage.stage_report(None)).collect(),
        }
    }

    /// What a launch takes with these extents on these cores.
    ///
    /// # Errors
    /// As [`Plan::partition`].
    pub fn report_of(&self, bindings: &Bindings, cores: Cores) -> Result<Report, PlanError> {
        let mut stages = Vec::new();
        for stage in self.stages() {
            let (_, work) = stage.partition(bindings, cores)?;
            stages.push(stage.stage_report(Some((bindings, cores, &work))));
        }
        Ok(Report {
            kernel: self.kernel.clone(),
            chip: Some(cores.chip.chip().name.to_string()),
            stages,
        })
    }

    fn stage_report(&self, launch: Option<(&Bindings, Cores, &[CoreWork])>) -> StageReport {
        let shown = |formula: &Formula| match launch.and_then(|(bindings, ..)| value(formula, bindings)) {
            Some(value) => value.to_string(),
            None => formula.to_string(),
        };
        let on_shards = launch.and_then(|(bindings, cores, work)| {
            let found = self.on_shards(bindings, cores.grid, (self.grid_of(bindings), work));
            found.ok()
        });
        let on_shards = on_shards.unwrap_or_default();
        let mut offset = 0;
        let buffers = self.circular_buffers.iter().map(|buffer| {
            let shard = on_shards.iter().find(|on| on.buffer == buffer.index);
            let report = BufferReport {
                name: buffer.name.clone(),
                index: buffer.index,
                format: buffer.data_format.name().to_string(),
                pages: buffer.pages,
                page_bytes: buffer.page_size,
                offset: shard.is_none().then_some(offset),
                shard: shard.map(|on| on.tensor.to_string()),
                lines: buffer.lines,
            };
            if shard.is_none() {
                offset += u64::from(buffer.pages) * u64::from(buffer.page_size);
            }
            report
        });
        let buffers = buffers.collect();
        let least = CHIPS.iter().map(|chip| chip.l1_bytes).min().unwrap_or(0);
        let half = CHIPS.iter().map(|chip| chip.dst_half_tiles).min().unwrap_or(0);
        let wide = self.compute.fp32_dest_acc_en;
        let chips = self.cost.iter().flat_map(|cost| &cost.compute);
        let chips = chips.filter(|of| launch.is_none_or(|(_, cores, _)| cores.chip.chip().name == of.architecture));
        let engines = chips.map(|of| EngineReport {
            chip: of.architecture.clone(),
            unpack: shown(&of.all.unpack),
            math: shown(&of.all.math),
            pack: shown(&of.all.pack),
        });
        let operands = self.cost.iter().flat_map(|cost| &cost.operands);
        StageReport {
            grid: self.grid.iter().map(shown).collect(),
            placement: match self.work_partition.placement {
                Placement::Linear if self.work_partition.mode == PartitionMode::LocalShard => {
                    "each on the core of its shard".to_string()
                }
                Placement::Linear => format!("in {} order, row by row of cores", self.work_partition.order.name()),
                Placement::Rectangle { axes: [along, down] } if along == down => {
                    "along the rows of a rectangle of cores, one after the other, where sharing pays".to_string()
                }
                Placement::Rectangle { axes: [along, down] } => format!(
                    "axis {along} along the rows and axis {down} along the columns of a rectangle of cores, where sharing pays"
                ),
            },
            buffers,
            l1_bytes: offset,
            l1_limit: launch.map_or(least, |(_, cores, _)| cores.chip.chip().l1_bytes),
            fidelity: format!("{:?}", self.compute.math_fidelity),
            registers: self.cost.as_ref().map(|cost| cost.registers),
            register_limit: half / if wide { 2 } else { 1 },
            register_bits: if wide { 32 } else { 16 },
            operands: operands
                .map(|operand| OperandReport {
                    tensor: operand.tensor.clone(),
                    direction: operand.direction,
                    line: operand.line,
                    once: operand.once,
                    run: operand.run.clone(),
                    block_bytes: shown(&operand.bytes),
                    moved: launch.and_then(|(bindings, _, work)| self.moved(operand, bindings, work, &on_shards)),
                })
                .collect(),
            engines: engines.collect(),
            unknown: self.cost.iter().flat_map(|cost| cost.unknown.clone()).collect(),
            launch: launch.and_then(|(bindings, cores, work)| self.launch_report(bindings, cores, work, &on_shards)),
        }
    }

    /// Bytes that a launch moves of a tensor between DRAM and cores, and those that the tensor has.
    fn moved(
        &self,
        operand: &Operand,
        bindings: &Bindings,
        work: &[CoreWork],
        on_shards: &[OnShard<'_>],
    ) -> Option<MovedReport> {
        let stays = on_shards.iter().any(|on| on.tensor == operand.tensor);
        let of_block = u64::try_from(value(&operand.bytes, bindings)?).ok()?;
        let rectangle = work.first()?.rectangle;
        let blocks: u64 = match operand.direction {
            Direction::Read if operand.once => work.len() as u64,
            Direction::Read if !operand.run.is_empty() => {
                let grid = self.grid_of(bindings);
                let runs = |core: &CoreWork| core.runs(self.work_partition, grid, &operand.run, core.count);
                work.iter().map(runs).map(|[begun, _]| begun).sum()
            }
            Direction::Read => work.iter().map(|core| core.count).sum(),
            // What a core goes along with is not stored.
            Direction::Written => self.blocks(bindings)?,
        };
        let sharers = operand.line.map_or(1, |line| rectangle.cores[line.number()].max(1));
        let (element, extents) = self
            .parameters
            .iter()
            .find_map(|parameter| match parameter {
                Parameter::Tensor {
                    name, element, extents, ..
                } if *name == operand.tensor => Some((*element, extents.as_slice())),
                Parameter::Tensor { .. } | Parameter::Scalar { .. } => None,
            })
            .or_else(|| {
                let own = self.temporaries.iter().find(|own| own.name == operand.tensor)?;
                Some((own.element, own.extents.as_slice()))
            })?;
        Some(MovedReport {
            bytes: if stays {
                0
            } else {
                of_block.checked_mul(blocks)? / u64::from(sharers)
            },
            in_dram: self
                .tensor(&operand.tensor)
                .is_none_or(|(layout, _)| layout.shard == Memory::Dram),
            tensor_bytes: tensor_bytes(element, extents, bindings)?,
        })
    }

    /// Blocks of the grid.
    fn blocks(&self, bindings: &Bindings) -> Option<u64> {
        self.grid.iter().try_fold(1u64, |blocks, extent| {
            blocks.checked_mul(u64::try_from(value(extent, bindings)?).ok()?)
        })
    }

    fn launch_report(
        &self,
        bindings: &Bindings,
        cores: Cores,
        work: &[CoreWork],
        on_shards: &[OnShard<'_>],
    ) -> Option<LaunchReport> {
        let cost = self.cost.as_ref()?;
        let estimate = self.estimate(bindings, cores, work)?;
        let blocks = self.blocks(bindings)?;
        let rounds = work.iter().map(|core| core.count).max()?;
        let there = u64::from(cores.grid.x) * u64::from(cores.grid.y);
        let rectangle = work.first()?.rectangle;
        let shares = rectangle.cores != Rectangle::ALONE.cores;
        let parts = [
            (estimate.engines, "the engines of a core"),
            (estimate.reader, "reading, and waiting for it"),
            (estimate.dram, "DRAM"),
            (estimate.writer, "writing"),
        ];
        let (most, bound) = parts
            .into_iter()
            .reduce(|most, part| if part.0 > most.0 { part } else { most })?;
        let operands = cost.operands.iter();
        let moved: Vec<(&Operand, MovedReport)> = operands
            .filter_map(|operand| Some((operand, self.moved(operand, bindings, work, on_shards)?)))
            .collect();
        let of_dram = moved.iter().map(|(_, moved)| moved).filter(|moved| moved.in_dram);
        let bytes: u64 = of_dram.clone().map(|moved| moved.bytes).sum();
        let once = of_dram.map(|moved| moved.bytes.min(moved.tensor_bytes));
        let computed = estimate.engines / rounds.max(1) as f64 * blocks as f64 / there.max(1) as f64;
        let steps = [&cost.reads].into_iter().chain(&cost.shared);
        let steps = steps.filter_map(|transfers| value(&transfers.waits, bindings)).max();
        let mut report = LaunchReport {
            blocks,
            cores: work.len() as u64,
            cores_there: there,
            rounds,
            busy: blocks as f64 / (rounds * there).max(1) as f64,
            shares,
            estimate,
            bound: if most < estimate.cycles / 2.0 {
                "the beginning and the end"
            } else {
                bound
            },
            cycles_per_byte: estimate.engines * work.len() as f64 / bytes.max(1) as f64,
            roofline: computed.max(at_rate(
                once.sum::<u64>() as f64,
                Costs::of(cores.chip).both_ways_tenths,
            )),
            advice: Vec::new(),
        };
        report.advise(self, cost, &moved, steps.is_some_and(|steps| steps > 1));
        Some(report)
    }
}

impl LaunchReport {
    fn advise(&mut self, plan: &Plan, cost: &BlockCost, moved: &[(&Operand, MovedReport)], in_steps: bool) {
        // Larger ones would leave more cores without one.
        let are_few = self.busy < 0.8 && self.rounds <= 1;
        if self.busy < 0.8 {
            let blocks = if are_few {
                "smaller blocks"
            } else {
                "another size of blocks"
            };
            self.advice.push(format!(
                "cores have a block in {:.0} % of their rounds: {blocks} (`variants`)",
                self.busy * 100.0
            ));
        }
        let by_reads = self.estimate.reader.max(self.estimate.dram) > self.estimate.engines;
        for (operand, moved) in moved {
            let times = moved.times();
            if by_reads && !are_few && operand.direction == Direction::Read && times > 1.5 {
                let how = match (self.shares, plan.work_partition.placement) {
                    (false, Placement::Linear) => "larger blocks, or a grid along an axis of which cores read the same",
                    (false, Placement::Rectangle { .. }) | (true, _) => "larger blocks",
                };
                self.advice
                    .push(format!("`{}` is read {times:.1} times: {how}", operand.tensor));
            }
        }
        if in_steps && self.estimate.reader > self.estimate.dram.max(self.estimate.engines) * 1.2 {
            self.advice
                .push("a core waits for what it reads: larger steps (`BK`), so that it waits less often".to_string());
        }
        if !cost.unknown.is_empty() {
            self.advice.push(format!(
                "nobody measured {}: they count nothing here",
                cost.unknown.join(", ")
            ));
        }
    }
}

fn value(formula: &Formula, bindings: &Bindings) -> Option<i64> {
    formula.evaluate(&|name| bindings.integers.get(name).copied()).ok()
}

/// Bytes of a tensor, whose matrices are made of whole tiles.
fn tensor_bytes(element: ElementType, extents: &[Formula], bindings: &Bindings) -> Option<u64> {
    let mut tiles = 1u64;
    for (behind, extent) in extents.iter().rev().enumerate() {
        let extent = u64::try_from(value(extent, bindings)?).ok()?;
        tiles = tiles.checked_mul(if behind < 2 { extent.div_ceil(32) } else { extent })?;
    }
    tiles.checked_mul(u64::from(DataFormat::of(element).tile_bytes()))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kernel)?;
        if let Some(chip) = &self.chip {
            write!(f, " on {chip}")?;
        }
        writeln!(f)?;
        for (number, stage) in self.stages.iter().enumerate() {
            if self.stages.len() > 1 {
                writeln!(f, "stage {}", number + 1)?;
            }
            stage.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for StageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  grid       {} blocks, {}", self.grid.join(" × "), self.placement)?;
        writeln!(f, "  L1         {} of {} bytes", self.l1_bytes, self.l1_limit)?;
        for buffer in &self.buffers {
            let BufferReport {
                name,
                index,
                format,
                pages,
                page_bytes,
                offset,
                shard,
                lines,
            } = buffer;
            let place = match (offset, shard) {
                (Some(offset), _) => offset.to_string(),
                (None, shard) => format!("shard of {}", shard.as_deref().unwrap_or_default()),
            };
            let lines = match lines {
                Some([first, last]) if first == last => format!(", on line {first}"),
                Some([first, last]) => format!(", from line {first} to {last}"),
                None => String::new(),
            };
            writeln!(
                f,
                "    {place:>8}  c_{index} {name}: {pages} pages of {page_bytes} bytes, {format}{lines}"
            )?;
        }
        let used = self.registers.map_or_else(String::new, |used| format!("{used} of "));
        writeln!(
            f,
            "  registers  {used}{} tiles of {} bits in each half; products in {}",
            self.register_limit, self.register_bits, self.fidelity
        )?;
        for operand in &self.operands {
            let direction = match operand.direction {
                Direction::Read => "read",
                Direction::Written => "written",
            };
            let line = operand.line.map_or_else(String::new, |line| {
                format!(", by a {} of cores at once where they share", line.name())
            });
            let each = if operand.once {
                "core, before its first block"
            } else if !operand.run.is_empty() {
                "run of blocks"
            } else {
                "block"
            };
            match operand.moved {
                Some(moved) if moved.bytes == 0 => writeln!(f, "  {:<9}  {direction}: where it lies", operand.tensor)?,
                Some(moved) => writeln!(
                    f,
                    "  {:<9}  {direction}: {} bytes, {:.2} of the tensor's{line}",
                    operand.tensor,
                    moved.bytes,
                    moved.times()
                )?,
                None => writeln!(
                    f,
                    "  {:<9}  {direction}: {} bytes a {each}{line}",
                    operand.tensor, operand.block_bytes
                )?,
            }
        }
        for of in &self.engines {
            writeln!(f, "  {}: cycles a block", of.chip)?;
            for (engine, cycles) in [("unpack", &of.unpack), ("math", &of.math), ("pack", &of.pack)] {
                writeln!(f, "    {engine:<6}   {cycles}")?;
            }
        }
        if !self.unknown.is_empty() {
            writeln!(f, "  not known  what {} take", self.unknown.join(", "))?;
        }
        if let Some(launch) = &self.launch {
            launch.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate {
            cycles,
            engines,
            reader,
            writer,
            dram,
        } = self.estimate;
        let sharing = if self.shares {
            ", lines of which share what they read"
        } else {
            ""
        };
        writeln!(
            f,
            "  cores      {} of {}{sharing}; {} rounds, busy in {:.0} %",
            self.cores,
            self.cores_there,
            self.rounds,
            self.busy * 100.0
        )?;
        writeln!(
            f,
            "  estimated  {cycles:.0} cycles: engines {engines:.0}, reader {reader:.0}, writer {writer:.0}, DRAM {dram:.0}"
        )?;
        writeln!(
            f,
            "  bound by   {}; {:.2} cycles computed a byte moved",
            self.bound, self.cycles_per_byte
        )?;
        let share = self.roofline / cycles.max(1.0) * 100.0;
        writeln!(
            f,
            "  roofline   {:.0} cycles: this is at {share:.0} % of it",
            self.roofline
        )?;
        for advice in &self.advice {
            writeln!(f, "  to change  {advice}")?;
        }
        Ok(())
    }
}
