//! A plan with the values of one launch: the core grid, every core's work and the runtime arguments.

use crate::core_work::{CoreRange, CoreWork, Deal, Follow, dealt, in_rounds, ranges};
use crate::{
    ArchName, Banks, BlockOrder, DerivedInteger, Formula, KernelPlan, Memory, NocAxis, Number, Parameter,
    PartitionMode, Plan, PlanError, Role, RuntimeValue, Temporary,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The values of one launch.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    /// Extents and integer scalars (`u32` as its value, `i32` signed), by name, and what [`Plan::derive`] computes of them.
    pub integers: BTreeMap<String, i64>,
    /// `f32` scalars, by name.
    pub floats: BTreeMap<String, f32>,
    /// Addresses of the tensors, by name.
    pub addresses: BTreeMap<String, u32>,
    /// At which page of their buffers tensors begin, by name, where that is not 0.
    pub first_pages: BTreeMap<String, u32>,
}

impl Bindings {
    /// Whether all values are the same, numbers bit by bit.
    pub fn are(&self, others: &Bindings) -> bool {
        let Bindings {
            integers,
            floats,
            addresses,
            first_pages,
        } = self;
        let bits = |(name, value): (_, &f32)| (name, value.to_bits());
        *integers == others.integers
            && Iterator::eq(floats.iter().map(bits), others.floats.iter().map(bits))
            && *addresses == others.addresses
            && *first_pages == others.first_pages
    }
}

/// The grid of worker cores of a device: columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceGrid {
    /// Columns.
    pub x: u32,
    /// Rows.
    pub y: u32,
}

/// What a launch runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores {
    /// The cores that blocks are given to, from (0, 0) on.
    pub grid: DeviceGrid,
    /// The chip.
    pub chip: ArchName,
    /// Where the kernel can share what its cores read alike.
    pub sharing: Sharing,
}

impl Cores {
    /// All cores of a grid, which share where that is estimated to be faster.
    pub fn of(chip: ArchName, grid: DeviceGrid) -> Cores {
        Cores {
            grid,
            chip,
            sharing: Sharing::WherePaying,
        }
    }
}

/// When cores share what they read alike, of kernels that can ([`crate::Placement::Rectangle`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Where the launch is estimated to be faster so.
    WherePaying,
    /// In every launch with more than one block: for checks.
    Always,
    /// In none: for checks.
    Never,
}

/// A launch in full. Its JSON form is the run-time plan of the seeds (architecture, appendix A).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Execution {
    /// Columns and rows of the smallest grid from (0, 0) that holds every core used.
    pub core_grid: [u32; 2],
    /// The cores used, as disjoint rectangles.
    pub core_ranges: Vec<CoreRange>,
    /// The blocks of every core, by `"(x,y)"`.
    pub work_partition: BTreeMap<String, Vec<WorkItem>>,
    /// Where every tensor lives.
    pub layouts: BTreeMap<String, LayoutRecord>,
    /// The grid of blocks; 1 along axes that it does not have.
    #[serde(skip)]
    pub grid: [u64; 6],
    /// The cores with their blocks, row by row.
    #[serde(skip)]
    pub cores: Vec<CoreWork>,
    /// The stages after the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Execution>,
}

/// One block of a core's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkItem {
    /// The block's index along the second grid axis (rows).
    pub io: u64,
    /// The block's index along the first grid axis (columns).
    pub jo: u64,
    /// The block's index along the third grid axis; its number over all axes from the third on, where there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The order in which the core takes its blocks.
    pub tile_order: &'static str,
}

/// Where a tensor lives, with its extents in this launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayoutRecord {
    /// In which memory.
    pub shard: Memory,
    /// Page by page over all banks.
    pub interleave: bool,
    /// Extents, outermost first.
    pub shape: Vec<i64>,
    /// Of a tensor in shards, projected to rows and columns: how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard_grid: Option<[u32; 2]>,
    /// Likewise, rows and columns of tiles of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard_tiles: Option<[u32; 2]>,
}

impl Bindings {
    fn integer(&self, formula: &Formula) -> Result<i64, PlanError> {
        formula
            .evaluate(&|name| self.integers.get(name).copied())
            .map_err(|error| PlanError(error.to_string()))
    }

    fn number(&self, number: &Number) -> Result<f32, PlanError> {
        number
            .evaluate(&|name| self.integers.get(name).copied(), &|name| {
                self.floats.get(name).copied()
            })
            .map(|value| value as f32)
            .map_err(|error| PlanError(error.to_string()))
    }
}

/// Blocks are dealt otherwise than in turn, or shared, for the runs that a core reads something for, where that is estimated to take this part
/// at most. Of 168 launches of kernels that keep one or two operands, on both chips, the way taken is then by 2 % slower by the clock than
/// the best way on the average.
const CLEARLY: f64 = 0.95;

impl Plan {
    /// Binds what a launch computes from its scalars.
    ///
    /// # Errors
    /// Where a number has no value.
    pub fn derive(&self, bindings: &mut Bindings) -> Result<(), PlanError> {
        for DerivedInteger { name, op, a, b } in &self.derived {
            let holds = op.apply(bindings.number(a)?, bindings.number(b)?);
            bindings.integers.insert(name.clone(), holds.into());
        }
        Ok(())
    }

    /// The cores and their blocks for a launch with these extents; cheap, allocates only `cores`.
    ///
    /// Blocks are numbered through and dealt to all cores one by one, row by row, in runs where an order was asked for or what a core keeps
    /// from block to block makes that faster; of kernels that share what they read, all cores of a rectangle take part in each of its rounds ([`crate::Placement::Rectangle`]) where that is estimated to be faster.
    /// Of several stages this is the first. A grid without blocks has no cores.
    ///
    /// # Errors
    /// Where an extent of the grid is negative, blocks of it would store the same elements, or its product overflows, and where a range
    /// of a tensor is longer than its block.
    pub fn partition(&self, bindings: &Bindings, cores: Cores) -> Result<([u64; 6], Vec<CoreWork>), PlanError> {
        let mut grid = [1u64; 6];
        for (axis, formula) in self.grid.iter().enumerate() {
            let extent = bindings.integer(formula)?;
            grid[axis] = u64::try_from(extent).map_err(|_| {
                PlanError(format!(
                    "the grid extent `{formula}` is {extent}, it must be at least 0"
                ))
            })?;
        }
        if grid.contains(&0) {
            return Ok((grid, Vec::new()));
        }
        if cores.grid.x == 0 || cores.grid.y == 0 {
            return Err(PlanError("there is no core to run on".to_string()));
        }
        for lone in &self.lone_axes {
            if let (Some(extent @ 2..), Some(formula)) = (grid.get(lone.axis), self.grid.get(lone.axis)) {
                return Err(PlanError(format!("{}, but is {extent} ({formula})", lone.reason)));
            }
        }
        for range in &self.ranges {
            let length = bindings.integer(&range.length)?;
            if length > i64::try_from(range.most).unwrap_or(i64::MAX) {
                return Err(PlanError(format!(
                    "{}, but is {length} ({})",
                    range.reason, range.length
                )));
            }
        }
        let too_many = || {
            let extents: Vec<String> = grid.iter().take(self.grid.len()).map(u64::to_string).collect();
            PlanError(format!("a grid of {} blocks is too large", extents.join(" × ")))
        };
        let blocks = grid.iter().try_fold(1u64, |blocks, extent| blocks.checked_mul(*extent));
        let blocks = blocks.ok_or_else(too_many)?;
        // Kernels number blocks in 32 bits with a sign.
        if blocks > i32::MAX as u64 {
            return Err(too_many());
        }
        if self.work_partition.mode == PartitionMode::LocalShard {
            return Ok((grid, self.by_shards(bindings, grid, cores.grid)?));
        }
        let alone = self.alone(bindings, (grid, blocks), cores);
        let rectangle = self.work_partition.placement.rectangle();
        let in_rounds = |follow| rectangle.and_then(|axes| in_rounds(grid, axes, follow, cores.grid));
        let is_told = |kernel: &KernelPlan| {
            kernel
                .runtime_args
                .iter()
                .any(|arg| matches!(arg.value, RuntimeValue::Every(_)))
        };
        let may_follow = self.may_follow_runs() && self.kernels.iter().any(is_told);
        let together = in_rounds(Follow::Rows).map(|by_rows| match may_follow {
            false => by_rows,
            true => self.clearly_fastest(bindings, cores, by_rows, in_rounds(Follow::Columns)),
        });
        let pays = |together: &Vec<CoreWork>| match cores.sharing {
            Sharing::Always => true,
            Sharing::Never => false,
            Sharing::WherePaying => {
                let [together, alone] = [together, &alone].map(|work| self.estimate(bindings, cores, work));
                let both = together.zip(alone);
                let clearly = if self.reads_runs() { CLEARLY } else { 1.0 };
                both.is_some_and(|(together, alone)| together.cycles <= alone.cycles * clearly)
            }
        };
        Ok((grid, together.filter(pays).unwrap_or(alone)))
    }

    /// Blocks on cores that share nothing. In an order that somebody asked for a core takes those that follow each other. Row by row they
    /// are dealt one by one, unless a core reads something where a run of blocks begins, and it is estimated to be faster that it takes
    /// those that follow each other, of few rows, or those below each other, of one column: of as many cores as fill whole rows.
    ///
    /// Curves are not among the candidates. From one block to the next every order changes a coordinate of two, so that of `n` blocks with a
    /// panel of rows and one of columns, as large as each other, a core reads at least `n + 1` panels: as many as of one column, or of one row
    /// where that has as many blocks. A Hilbert curve reads no fewer, and more where only one of the panels is kept.
    fn alone(&self, bindings: &Bindings, (grid, blocks): ([u64; 6], u64), cores: Cores) -> Vec<CoreWork> {
        let most = u64::from(cores.grid.x) * u64::from(cores.grid.y);
        let placement = self.work_partition.placement;
        let [row, ..] = placement.axes().map(|axis| grid[axis]);
        let across = if placement.folded().is_some() { 1 } else { row };
        let of = |deal, most| dealt((blocks, across), deal, most, cores.grid);
        if self.work_partition.order != BlockOrder::RowMajor {
            return of(Deal::InRuns, most);
        }
        let plain = of(Deal::OneByOne, most);
        if !self.may_follow_runs() {
            return plain;
        }
        let in_columns = (most >= row).then(|| of(Deal::OneByOne, most - most % row));
        let others = [Some(of(Deal::InRuns, most)), in_columns];
        self.clearly_fastest(bindings, cores, plain, others.into_iter().flatten())
    }

    /// Whether a launch may go through blocks in another order than row by row, and something is read less in one.
    fn may_follow_runs(&self) -> bool {
        !self.work_partition.in_turn && self.reads_runs()
    }

    /// The fastest of `others`, where it is estimated to be clearly faster than `plain`.
    fn clearly_fastest(
        &self,
        bindings: &Bindings,
        cores: Cores,
        plain: Vec<CoreWork>,
        others: impl IntoIterator<Item = Vec<CoreWork>>,
    ) -> Vec<CoreWork> {
        let cycles = |work: &Vec<CoreWork>| self.estimate(bindings, cores, work).map(|estimate| estimate.cycles);
        let least = cycles(&plain).map(|cycles| cycles * CLEARLY);
        let mut best = (least, plain);
        for other in others {
            let taken = cycles(&other);
            if let (Some(least), Some(taken)) = (best.0, taken)
                && taken < least
            {
                best = (Some(taken), other);
            }
        }
        let (_, work) = best;
        work
    }

    /// Whether a core reads something where a run of its blocks begins.
    fn reads_runs(&self) -> bool {
        self.cost.iter().any(|cost| !cost.runs.is_empty())
    }

    /// The launch in full, for people and tools.
    ///
    /// # Errors
    /// As [`Plan::partition`], and where an extent of a tensor has no value.
    pub fn instantiate(&self, bindings: &Bindings, cores: Cores) -> Result<Execution, PlanError> {
        let (grid, work) = self.partition(bindings, cores)?;
        let later = self.stages().into_iter().skip(1);
        let later = later
            .map(|stage| stage.instantiate(bindings, cores))
            .collect::<Result<_, _>>()?;
        let mut layouts = BTreeMap::new();
        for parameter in &self.parameters {
            if let Parameter::Tensor {
                name, extents, layout, ..
            } = parameter
            {
                let shape = extents
                    .iter()
                    .map(|extent| bindings.integer(extent))
                    .collect::<Result<_, _>>()?;
                let shards = self.shards_of(name, bindings, Banks::of_cores(cores.grid))?;
                let shards = shards.map(|shards| shards.projected());
                let record = LayoutRecord {
                    shard: layout.shard,
                    interleave: layout.interleave,
                    shape,
                    shard_grid: shards.map(|[grid, _]| grid),
                    shard_tiles: shards.map(|[_, tiles]| tiles),
                };
                layouts.insert(name.clone(), record);
            }
        }
        for temporary in &self.temporaries {
            let record = LayoutRecord {
                shard: temporary.layout.shard,
                interleave: temporary.layout.interleave,
                shape: self.temporary_shape(temporary, bindings)?,
                shard_grid: None,
                shard_tiles: None,
            };
            layouts.insert(temporary.name.clone(), record);
        }
        let work_partition = work
            .iter()
            .map(|core| {
                let items = core
                    .blocks(self.work_partition, grid)
                    .map(|[jo, io, above @ ..]| {
                        let slower_last = above.iter().zip(&grid[2..]).rev();
                        let batch = slower_last.fold(0, |slower, (above, extent)| above + extent * slower);
                        WorkItem {
                            io,
                            jo,
                            batch: (self.grid.len() > 2).then_some(batch),
                            tile_order: self.work_partition.order.name(),
                        }
                    })
                    .collect();
                (format!("({},{})", core.x, core.y), items)
            })
            .collect();
        let core_ranges = ranges(&work);
        let core_grid = [
            work.iter().map(|core| core.x + 1).max().unwrap_or(0),
            work.iter().map(|core| core.y + 1).max().unwrap_or(0),
        ];
        Ok(Execution {
            core_grid,
            core_ranges,
            work_partition,
            layouts,
            grid,
            cores: work,
            later,
        })
    }

    /// The extents of a temporary in this launch, outermost first.
    ///
    /// # Errors
    /// Where one has no value, or is not positive.
    pub fn temporary_shape(&self, temporary: &Temporary, bindings: &Bindings) -> Result<Vec<i64>, PlanError> {
        let extent = |(axis, formula): (usize, &Formula)| match bindings.integer(formula)? {
            extent @ 1.. => Ok(extent),
            extent => Err(PlanError(format!(
                "axis {axis} of the temporary `{}` is `{formula}` = {extent}, it must be at least 1",
                temporary.name
            ))),
        };
        temporary.extents.iter().enumerate().map(extent).collect()
    }

    /// The runtime argument words of the kernel `role`, core after core of `cores`. `noc` tells where on the NoC the core of a column
    /// and row is.
    ///
    /// # Errors
    /// Where a formula has no value or does not fit in a word.
    pub fn runtime_args(
        &self,
        role: Role,
        bindings: &Bindings,
        cores: &[CoreWork],
        noc: &dyn Fn([u32; 2]) -> Option<[u32; 2]>,
    ) -> Result<Vec<u32>, PlanError> {
        let kernel = self
            .kernel(role)
            .ok_or_else(|| PlanError(format!("the plan has no {} kernel", role.name())))?;
        let word = |what: fmt::Arguments, value: i64| {
            // Kernels take integers with a sign.
            i32::try_from(value)
                .map(|value| value as u32)
                .map_err(|_| PlanError(format!("{what} is {value}, which does not fit in 32 bits with a sign")))
        };
        let count = kernel.runtime_args.len();
        let mut words = vec![0; count * cores.len()];
        for (at, arg) in kernel.runtime_args.iter().enumerate() {
            let mut fill = |value: &dyn Fn(CoreWork) -> Result<u32, PlanError>| {
                let mut of_cores = words.iter_mut().skip(at).step_by(count).zip(cores);
                of_cores.try_for_each(|(to, core)| value(*core).map(|word| *to = word))
            };
            // What does not depend on the core is computed once.
            match &arg.value {
                RuntimeValue::Address(name) => {
                    let address = bindings.addresses.get(name).copied();
                    let address = address.ok_or_else(|| PlanError(format!("`{name}` has no address")))?;
                    fill(&|_| Ok(address))?;
                }
                RuntimeValue::FirstPage(name) => {
                    let page = bindings.first_pages.get(name).copied().unwrap_or(0);
                    fill(&|_| Ok(page))?;
                }
                RuntimeValue::Formula(formula) => {
                    let value = word(format_args!("`{formula}`"), bindings.integer(formula)?)?;
                    fill(&|_| Ok(value))?;
                }
                RuntimeValue::Number(number) => {
                    let bits = bindings.number(number)?.to_bits();
                    fill(&|_| Ok(bits))?;
                }
                RuntimeValue::Flag { op, a, b } => {
                    let holds = op.apply(bindings.number(a)?, bindings.number(b)?);
                    fill(&|_| Ok(holds.into()))?;
                }
                RuntimeValue::StartId => {
                    fill(&|core| word(format_args!("the first block of a core"), core.start as i64))?;
                }
                RuntimeValue::Count => {
                    fill(&|core| word(format_args!("the number of blocks of a core"), core.count as i64))?;
                }
                RuntimeValue::Step => fill(&|core| word(format_args!("from block to block"), core.step as i64))?,
                RuntimeValue::RunLength => fill(&|core| word(format_args!("a run of blocks"), core.run as i64))?,
                RuntimeValue::RunPitch => {
                    fill(&|core| word(format_args!("from run to run of blocks"), core.pitch as i64))?;
                }
                RuntimeValue::Place(line) => fill(&|core| Ok(core.place(*line)))?,
                RuntimeValue::Cores(line) => fill(&|core| Ok(core.cores(*line)))?,
                RuntimeValue::Every(line) => {
                    fill(&|core| word(format_args!("the rounds of a line"), core.every[line.number()] as i64))?;
                }
                RuntimeValue::Sender(line) => fill(&|core| Ok(core.sender(*line)))?,
                RuntimeValue::Noc {
                    line,
                    core: other,
                    axis,
                } => fill(&|core| {
                    let at = core.in_line(*line, *other);
                    let [x, y] = noc(at).ok_or_else(|| PlanError(format!("there is no core {at:?}")))?;
                    Ok(match axis {
                        NocAxis::X => x,
                        NocAxis::Y => y,
                    })
                })?,
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_bit_by_bit() {
        let of = |number: f32, address, page| Bindings {
            integers: BTreeMap::from([("N".to_owned(), 64)]),
            floats: BTreeMap::from([("scale".to_owned(), number)]),
            addresses: BTreeMap::from([("a".to_owned(), address)]),
            first_pages: BTreeMap::from([("a".to_owned(), page)]),
        };
        assert!(of(f32::NAN, 32, 1).are(&of(f32::NAN, 32, 1)));
        assert!(!of(0.0, 32, 1).are(&of(-0.0, 32, 1)));
        assert!(!of(0.0, 32, 1).are(&of(0.0, 64, 1)));
        assert!(!of(0.0, 32, 1).are(&of(0.0, 32, 2)));
        assert!(!of(0.0, 32, 1).are(&Bindings::default()));
    }
}
