//! What a launch takes, estimated from its plan.
//!
//! The compiler counts what a block of the grid does ([`BlockCost`]); a launch, which knows the extents, the chip and its cores, makes
//! cycles of it. It is for choosing between ways to run the same kernel: reads that cores share or not, blocks of this size or
//! that. Every core is taken to do the average of all blocks; what overlaps does so fully. The emulator's clock, which goes
//! through a run step by step, is what it is held against (`cargo xtask bench --only modelled`).

use crate::execution::{Bindings, Cores};
use crate::region::{BlockRegion, busiest};
use crate::{Banks, CircularBuffer, CoreLine, CoreWork, Formula, Memory, PartitionMode, Plan, Rectangle};
use serde::{Deserialize, Serialize};
use tt_device::ArchName;
use tt_device::costs::Costs;

/// What a block of the grid takes, on the average of all blocks. Where loops count by a variable of the grid or of a loop around them,
/// that is in the middle of its values; of the sides of a branch the one that takes more is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockCost {
    /// What a core reads for itself.
    pub reads: Transfers,
    /// What a row and what a column of cores shares, where it does; else every core reads that too.
    #[serde(default, skip_serializing_if = "shares_nothing")]
    pub shared: [Transfers; 2],
    /// Whether that is read while what was read before is sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ahead: bool,
    /// What a core reads for all of its blocks, before the first.
    #[serde(default, skip_serializing_if = "Transfers::are_none")]
    pub once: Transfers,
    /// As `shared`, of that.
    #[serde(default, skip_serializing_if = "shares_nothing")]
    pub shared_once: [Transfers; 2],
    /// What a core reads where a run of its blocks begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunCost>,
    /// What a core writes.
    pub writes: Transfers,
    /// What the engines compute, by chip.
    pub compute: Vec<EngineCycles>,
    /// Tiles of destination registers in use at once, at most.
    #[serde(default)]
    pub registers: u32,
    /// Operations of the vector unit whose cost nobody measured: they count nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// What is moved of each tensor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Operand>,
}

/// What is read by every run of a core's blocks in which some axes of the grid stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCost {
    /// The axes.
    pub axes: Vec<usize>,
    /// What a core reads for itself.
    pub reads: Transfers,
    /// What a row and what a column of cores shares.
    #[serde(default, skip_serializing_if = "shares_nothing")]
    pub shared: [Transfers; 2],
}

/// What a block moves of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Its name.
    pub tensor: String,
    /// Which way.
    pub direction: Direction,
    /// The line of cores that shares what is read, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<CoreLine>,
    /// Whether that is for all blocks of a core together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// The axes of the grid, where that is for every run of a core's blocks in which they stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<usize>,
    /// How many transfers that is.
    pub count: Formula,
    /// Bytes.
    pub bytes: Formula,
    /// Where in the tensor blocks lie, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<BlockRegion>,
}

/// Which way bytes go between a tensor and a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the core.
    Read,
    /// From it.
    Written,
}

/// What a launch is thought to take, in cycles of the cores' clock. What overlaps does so fully, so that no sum of parts is the whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// From the launch to its end.
    pub cycles: f64,
    /// What the busiest engine of the core with the most blocks computes.
    pub engines: f64,
    /// What its reader moves and waits for.
    pub reader: f64,
    /// What its writer does.
    pub writer: f64,
    /// What DRAM moves for all cores.
    pub dram: f64,
}

impl Estimate {
    /// This, and then the other.
    pub fn then(self, other: Estimate) -> Estimate {
        Estimate {
            cycles: self.cycles + other.cycles,
            engines: self.engines + other.engines,
            reader: self.reader + other.reader,
            writer: self.writer + other.writer,
            dram: self.dram + other.dram,
        }
    }
}

fn shares_nothing(shared: &[Transfers; 2]) -> bool {
    shared.iter().all(Transfers::are_none)
}

/// Transfers between a tensor and a core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfers {
    /// How many there are.
    pub count: Formula,
    /// Their bytes.
    pub bytes: Formula,
    /// How often the processor waits for those before; of what is shared, how often it is multicast.
    pub waits: Formula,
}

impl Transfers {
    fn are_none(&self) -> bool {
        *self == Transfers::default()
    }
}

impl Default for Transfers {
    fn default() -> Self {
        let [count, bytes, waits] = [0; 3].map(Formula::Const);
        Transfers { count, bytes, waits }
    }
}

/// Cycles of the engines of a chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineCycles {
    /// The chip.
    pub architecture: String,
    /// All that a block takes.
    pub all: Engines,
    /// Of that, what is computed in loops that read: the steps, whose reads go on meanwhile.
    #[serde(default, skip_serializing_if = "Engines::are_idle")]
    pub in_steps: Engines,
}

/// Cycles of each engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    /// The unpackers.
    pub unpack: Formula,
    /// The matrix engine and the vector unit.
    pub math: Formula,
    /// The packer.
    pub pack: Formula,
}

impl Default for Engines {
    fn default() -> Self {
        let [unpack, math, pack] = [0; 3].map(Formula::Const);
        Engines { unpack, math, pack }
    }
}

impl Engines {
    fn are_idle(&self) -> bool {
        *self == Engines::default()
    }

    /// Those of the busiest.
    fn busiest(&self, value: &impl Fn(&Formula) -> Option<f64>) -> Option<f64> {
        let [unpack, math, pack] = [&self.unpack, &self.math, &self.pack].map(value);
        Some(unpack?.max(math?).max(pack?))
    }
}

/// The values of [`Transfers`] in a launch.
#[derive(Clone, Copy)]
struct Moved {
    count: f64,
    bytes: f64,
    waits: f64,
}

/// Of what a block reads, and of what it writes, the bytes of tensors that are not in DRAM, and what is not moved at all, since circular
/// buffers lie on the shards.
#[derive(Default, Clone, Copy)]
struct Near {
    in_l1: [f64; 2],
    /// Of what a core reads before its first block.
    once_in_l1: f64,
    in_place: [f64; 2],
    pages_in_place: [f64; 2],
    /// Cycles that a block of every core takes of the cores in whose L1 tensors lie.
    owners: [f64; 2],
    /// Cycles that a block of every core takes of the few banks in which all cores move at a time, by [`Direction`].
    in_step: [f64; 2],
    /// Cycles that a block of every core takes of banks for transfers of a few bytes, beside what their bytes take.
    asked: [f64; 2],
}

/// Cycles that what a block of every core moves of an operand takes of banks.
struct AtBanks {
    /// Of the one that has most of it.
    in_step: f64,
    /// For transfers of a few bytes, beside what their bytes take.
    asked: f64,
}

impl Moved {
    /// What is left of it without what lies in place.
    fn without(self, near: Near, direction: Direction) -> Moved {
        let at = direction as usize;
        let count = (self.count - near.pages_in_place[at]).max(0.0);
        Moved {
            count,
            bytes: (self.bytes - near.in_place[at]).max(0.0),
            // Where all is in place there is nothing to wait for; what is shared has its waits here too.
            waits: if count < self.count && count == 0.0 {
                0.0
            } else {
                self.waits
            },
        }
    }

    /// This, and so much of another.
    fn and(self, other: Moved, part: f64) -> Moved {
        Moved {
            count: self.count + other.count * part,
            bytes: self.bytes + other.bytes * part,
            waits: self.waits + other.waits * part,
        }
    }

    fn of(transfers: &Transfers, value: &impl Fn(&Formula) -> Option<f64>) -> Option<Moved> {
        Some(Moved {
            count: value(&transfers.count)?,
            bytes: value(&transfers.bytes)?,
            waits: value(&transfers.waits)?,
        })
    }
}

/// How much of the shorter of reading and sending a line takes beside the longer, where both go on at once: they meet on the links of the
/// NoC. By the clock it is 0.4 to 0.9 for the blocks of 2048 × 256 × 1024, 1024³ and 512³ on both chips.
const CONTENDED: f64 = 0.7;

/// How many rounds of blocks are looked at to see in how few banks they lie.
const ROUNDS_SEEN: u64 = 4;

/// How many blocks of a core are gone through to see how often a run of them begins: an estimate is made for every launch.
const RUNS_SEEN: u64 = 64;

/// How much of what cores take that move to and from the same few banks at a time is left when some are ahead of others: by the clock 0.4 to
/// 0.8 for products of 384 to 3072 along the sum, shared and not, on both chips; of kernels that keep what they read 0.4 chooses well.
const IN_STEP: f64 = 0.4;

/// How often in a round cores wait for their row, and for their column, so that none comes to be ahead of another: not once in many rounds,
/// and not in steps, of which some are under way. Of 1007 launches a chip of kernels that share along one or two lines, the way taken is then
/// slower by the clock than the better one by 3.3 % on a Blackhole and 2.2 % on a Wormhole on the average, else by 5.4 and 2.8 %.
const HELD: std::ops::RangeInclusive<f64> = 0.25..=1.0;

/// Cycles of `bytes` at so many tenths of a byte a cycle.
pub(crate) fn at_rate(bytes: f64, tenths: u64) -> f64 {
    bytes * 10.0 / tenths as f64
}

/// How cores read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    costs: &'a Costs,
    /// From a question to its answer, in cycles.
    answer: f64,
    cores: f64,
    /// The cores of a row and of a column that share.
    lines: [f64; 2],
    /// Whether senders read the next version while they send one.
    ahead: bool,
    /// Cycles that a block of every core takes of the few banks in which all read at a time.
    in_step: f64,
}

/// What a core takes for what it reads.
struct Taken {
    cycles: f64,
    /// Its part of what comes from memory.
    bytes: f64,
    /// How often it waits for lines.
    waits: f64,
}

impl Reading<'_> {
    /// Cycles of one core, while so many read the same pages at the same time: from few banks, if they are few.
    fn alone(&self, moved: Moved, cores: f64) -> f64 {
        let costs = self.costs;
        let issued = moved.count * costs.read[1] as f64;
        let spread = (moved.count / moved.waits.max(1.0)).clamp(1.0, costs.dram.len() as f64);
        let at_banks = at_rate(moved.bytes * cores, costs.bank_tenths) / spread;
        issued.max(at_rate(moved.bytes, costs.read_tenths)).max(at_banks)
    }

    /// What it takes to read `own`, of which `in_l1` bytes do not come from DRAM, and the part of what lines share, while so many cores read
    /// the same of each.
    fn of(&self, own: Moved, in_l1: f64, shared: [Moved; 2], [alike, lines @ ..]: [f64; 3]) -> Taken {
        let costs = self.costs;
        let mut from_dram = own.bytes - in_l1;
        let mut taken = Taken {
            cycles: self.alone(own, alike) + own.waits * self.answer,
            bytes: own.bytes,
            waits: 0.0,
        };
        // The senders of rows are other cores than those of columns, and all read at the same time. Then they send, to the same cores.
        let (mut reading, mut sending, mut arriving): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let mut at_once = 0.0;
        for ((moved, cores), alike) in shared.into_iter().zip(self.lines).zip(lines) {
            if cores > 1.0 {
                let [alone, of_eight] = costs.multicast;
                let set_up = alone as f64 + of_eight as f64 * (cores / 8.0).ceil();
                let told = (2 * costs.write[0] + 2 * costs.notice) as f64;
                let sent = at_rate(moved.bytes, costs.write_tenths);
                reading = reading.max(self.alone(moved, 1.0));
                at_once += moved.bytes * self.cores / cores;
                sending = sending.max(moved.waits * (set_up + told) + sent);
                arriving += sent;
            } else {
                taken.cycles += self.alone(moved, alike);
                from_dram += moved.bytes;
            }
            taken.waits = taken.waits.max(moved.waits);
            taken.bytes += moved.bytes / cores;
        }
        // All cores read for themselves at the same time, and for each other only afterwards.
        taken.cycles = taken.cycles.max(at_rate(from_dram * self.cores, costs.chip_tenths));
        let (reading, sending) = (reading.max(at_rate(at_once, costs.chip_tenths)), sending.max(arriving));
        // What few banks take is no less for going to lines.
        let reading = reading.max(self.in_step - taken.cycles);
        let (longer, shorter) = (reading.max(sending), reading.min(sending));
        taken.cycles += longer + shorter * if self.ahead { CONTENDED } else { 1.0 };
        taken
    }
}

impl BlockCost {
    /// What a launch takes on `chip` with the blocks of its cores; none where an extent has no value, or there is no core.
    fn estimate(
        &self,
        bindings: &Bindings,
        chip: ArchName,
        work: &[CoreWork],
        (alike, near): ([f64; 2], Near),
        begun: impl Fn(&[usize]) -> f64,
    ) -> Option<Estimate> {
        let costs = Costs::of(chip);
        let integer = |name: &str| bindings.integers.get(name).copied();
        let value = |formula: &Formula| formula.evaluate(&integer).ok().map(|value| value.max(0) as f64);
        let engines = self.compute.iter().find(|of| of.architecture == chip.chip().name)?;
        let compute = engines.all.busiest(&value)?;
        let in_steps = engines.in_steps.busiest(&value)?.min(compute);
        let two = |of: &[Transfers; 2]| Some([Moved::of(&of[0], &value)?, Moved::of(&of[1], &value)?]);
        let mut own = Moved::of(&self.reads, &value)?;
        let mut shared = two(&self.shared)?;
        for run in &self.runs {
            let part = begun(&run.axes);
            own = own.and(Moved::of(&run.reads, &value)?, part);
            let of_lines = shared.iter_mut().zip(two(&run.shared)?);
            of_lines.for_each(|(moved, of_run)| *moved = moved.and(of_run, part));
        }
        let own = own.without(near, Direction::Read);
        let written = Moved::of(&self.writes, &value)?.without(near, Direction::Written);
        let first = work.first()?;
        let rounds = work.iter().map(|core| core.count).max()? as f64;
        // A core that takes part in every round does nothing less in those that have no block for it.
        let blocks = work.iter().map(|core| core.count as f64).sum::<f64>();

        let way = (costs.hop * (u64::from(costs.torus[0]) + u64::from(costs.torus[1]))) as f64;
        let answer = way + (costs.round_trip + costs.dram_access) as f64;
        let lines = first.rectangle.cores.map(|cores| f64::from(cores.max(1)));
        let holds = |(moved, cores): (&Moved, f64)| cores > 1.0 && HELD.contains(&moved.waits);
        let are_held = !self.ahead && shared.iter().zip(lines).all(holds);
        let in_step = near.in_step.map(|cycles| cycles * if are_held { 1.0 } else { IN_STEP });
        let reading = Reading {
            costs,
            answer,
            cores: work.len() as f64,
            lines,
            ahead: self.ahead,
            in_step: in_step[Direction::Read as usize],
        };
        let in_l1 = near.in_l1[Direction::Read as usize];
        let of_block = reading.of(own, in_l1, shared, [1.0, alike[0], alike[1]]);
        // What blocks read alike, all cores read at the same time.
        let all = [reading.cores; 3];
        let once = Moved::of(&self.once, &value)?;
        let at_first = Reading {
            in_step: 0.0,
            ..reading
        };
        let before = at_first.of(once, near.once_in_l1, two(&self.shared_once)?, all);
        let from_dram = (of_block.bytes - in_l1) * blocks + (before.bytes - near.once_in_l1) * reading.cores;
        let reader = of_block.cycles.max(near.owners[Direction::Read as usize]) + near.asked[Direction::Read as usize];
        let issued = written.count * costs.write[1] as f64;
        let writer = issued.max(at_rate(written.bytes, costs.write_tenths)) + written.waits * answer;
        let writer = writer.max(near.owners[Direction::Written as usize]);
        let writer = writer.max(in_step[Direction::Written as usize]) + near.asked[Direction::Written as usize];
        // What the cores write of their last blocks is written when all have been read.
        let to_dram = written.bytes - near.in_l1[Direction::Written as usize];
        let last = to_dram * work.len() as f64;
        let earlier = to_dram * blocks - last;
        let moved = |written: f64| {
            let read = at_rate(from_dram, costs.chip_tenths);
            read.max(at_rate(from_dram + written, costs.both_ways_tenths))
        };
        let dram = moved(earlier) + near.asked.iter().sum::<f64>() * rounds;
        let computing = compute * rounds;
        let steps = own.waits.max(of_block.waits).max(1.0);
        // Reads go on while steps are computed; what follows them has the first step of the next block to be read meanwhile, and no more.
        let (in_steps, rest) = if in_steps > 0.0 {
            (in_steps, compute - in_steps)
        } else {
            (compute, 0.0)
        };
        let of_each = in_steps.max(reader - rest.min(reader / steps)) + rest;
        let of_first = before.cycles + in_steps.max(reader) + rest;
        let at_banks = in_step.iter().sum::<f64>() * rounds;
        let busy = (of_first + of_each * (rounds - 1.0))
            .max(writer * (rounds - 1.0))
            .max(at_banks)
            .max(dram);
        // Nothing is computed before the first step has been read, and all of the last is afterwards.
        let other = if busy > dram && in_steps > reader {
            reader
        } else {
            in_steps
        };
        let written_last = writer.max(at_rate(last, costs.chip_tenths));
        let ends = costs.start as f64 + answer + other / steps + written_last;
        Some(Estimate {
            cycles: busy + ends,
            engines: computing,
            reader: reader * rounds,
            writer: writer * rounds,
            dram: moved(earlier + last),
        })
    }
}

impl Plan {
    /// What a launch of this stage with these extents is thought to take on a chip, with its blocks on the cores of `work`; none where that
    /// depends on what tensors hold, or there is no block.
    pub fn estimate(&self, bindings: &Bindings, cores: Cores, work: &[CoreWork]) -> Option<Estimate> {
        let alike = self.cores_alike(bindings, work);
        let near = self.near(bindings, cores, work)?;
        let begun = |axes: &[usize]| self.begun(bindings, work, axes);
        self.cost
            .as_ref()?
            .estimate(bindings, cores.chip, work, (alike, near), begun)
    }

    /// In which part of its blocks, or rounds, a core begins a run of those in which these axes of the grid stay: of the one that has the
    /// most, as far as [`RUNS_SEEN`] of them tell.
    fn begun(&self, bindings: &Bindings, work: &[CoreWork], axes: &[usize]) -> f64 {
        let grid = self.grid_of(bindings);
        let of_most = work.iter().max_by_key(|core| core.count);
        of_most.map_or(1.0, |core| {
            let [begun, seen] = core.runs(self.work_partition, grid, axes, RUNS_SEEN);
            begun as f64 / seen.max(1) as f64
        })
    }

    /// What a block moves of tensors in L1, and what of those stays where it is.
    fn near(&self, bindings: &Bindings, cores: Cores, work: &[CoreWork]) -> Option<Near> {
        let mut near = Near::default();
        let on_shards = self
            .on_shards(bindings, cores.grid, (self.grid_of(bindings), work))
            .ok()?;
        for operand in self.cost.iter().flat_map(|cost| &cost.operands) {
            let Some((layout, _)) = self.tensor(&operand.tensor) else {
                continue;
            };
            if layout.shard == Memory::Dram && !operand.once {
                let at = operand.direction as usize;
                if let Some(at_banks) = self.at_banks(operand, bindings, cores, work) {
                    near.in_step[at] += at_banks.in_step;
                    near.asked[at] += at_banks.asked;
                }
            }
            // What a line shares is read from L1 as from DRAM, but once.
            if layout.shard == Memory::Dram || operand.line.is_some() {
                continue;
            }
            let bytes = operand
                .bytes
                .evaluate(&|name| bindings.integers.get(name).copied())
                .ok()?
                .max(0) as f64
                * self.part(operand, bindings, work);
            if operand.once {
                near.once_in_l1 += bytes;
                continue;
            }
            let at = operand.direction as usize;
            match on_shards.iter().any(|on| on.tensor == operand.tensor) {
                true => {
                    near.in_place[at] += bytes;
                    near.pages_in_place[at] += bytes / f64::from(layout.page_size.max(1));
                }
                false => {
                    near.in_l1[at] += bytes;
                    let owners = self.at_owners(&operand.tensor, bytes, bindings, cores, work)?;
                    near.owners[at] = near.owners[at].max(owners);
                }
            }
        }
        Some(near)
    }

    /// In which part of its blocks a core moves an operand.
    fn part(&self, operand: &Operand, bindings: &Bindings, work: &[CoreWork]) -> f64 {
        match operand.run.as_slice() {
            [] => 1.0,
            axes => self.begun(bindings, work, axes),
        }
    }

    /// What a block of every core moves of an operand takes of banks. Pages go round the banks, so that a column of tiles of which a row has
    /// a multiple of the banks lies in one of them.
    fn at_banks(&self, operand: &Operand, bindings: &Bindings, cores: Cores, work: &[CoreWork]) -> Option<AtBanks> {
        let value = |formula: &Formula| formula.evaluate(&|name| bindings.integers.get(name).copied()).ok();
        let costs = Costs::of(cores.chip);
        let of_line = |line: CoreLine| work.first().map(|core| core.rectangle.cores[line.number()].max(1));
        let alike = operand.line.and_then(of_line).unwrap_or(1);
        let rounds = work.iter().map(|core| core.count).max()?.max(1);
        let at_a_time = work.iter().map(|core| core.count).sum::<u64>() as f64 / rounds as f64;
        let times = self.part(operand, bindings, work) * at_a_time / f64::from(alike);
        let [count, bytes] = [value(&operand.count)?, value(&operand.bytes)?].map(|of| of.max(0) as f64 * times);
        let of_bytes = at_rate(bytes, costs.bank_tenths);
        let request = match operand.direction {
            Direction::Read => costs.bank_request,
            Direction::Written => costs.bank_write,
        };
        let small = (count * request as f64 - of_bytes).max(0.0);
        let banks = costs.dram.len();
        let Some(region) = &operand.region else {
            return Some(AtBanks {
                in_step: 0.0,
                asked: small / banks as f64,
            });
        };
        let (_, extents) = self.tensor(&operand.tensor)?;
        let extents: Vec<i64> = extents.iter().map(value).collect::<Option<_>>()?;
        let grid = self.grid_of(bindings);
        let seen = rounds.min(ROUNDS_SEEN);
        let (mut all, mut each) = (vec![0u64; banks], 0.0);
        for nth in (0..seen).map(|nth| nth * rounds / seen) {
            let reads = |core: &&CoreWork| nth < core.count && operand.line.is_none_or(|line| core.place(line) == 0);
            let blocks = work
                .iter()
                .filter(reads)
                .map(|core| core.round(self.work_partition, grid, nth));
            let firsts = blocks.map(|block| region.first_page(&extents, block, grid));
            let pages = region.in_banks(&extents, firsts, banks);
            each += busiest(&pages) / seen as f64;
            all.iter_mut().zip(pages).for_each(|(all, pages)| *all += pages);
        }
        Some(AtBanks {
            in_step: of_bytes * each,
            asked: small * (IN_STEP * each).max(busiest(&all)),
        })
    }

    /// Cycles in which every core moves `bytes` of a tensor in L1, for a block each, as far as those take that hold it: cores that are dealt
    /// blocks one by one have neighbours, which lie in few shards, and those in few rows of cores.
    fn at_owners(&self, tensor: &str, bytes: f64, bindings: &Bindings, cores: Cores, work: &[CoreWork]) -> Option<f64> {
        let is_matched = |buffer: &CircularBuffer| buffer.shard.as_ref().is_some_and(|shard| shard.tensor == tensor);
        if self.work_partition.mode == PartitionMode::LocalShard && self.circular_buffers.iter().any(is_matched) {
            // From a core to itself.
            return Some(0.0);
        }
        let costs = Costs::of(cores.chip);
        let blocks: u64 = work.iter().map(|core| core.count).sum();
        let first = work.first()?;
        let are_apart = first.step <= 1 && first.rectangle == Rectangle::ALONE;
        let part = match are_apart {
            true => 1.0,
            false => (work.len() as f64 / blocks.max(1) as f64).min(1.0),
        };
        let [owners, rows] = match self.shards_of(tensor, bindings, Banks::of_cores(cores.grid)).ok()? {
            Some(shards) => shards.touched(part),
            None => [cores.grid.x * cores.grid.y, cores.grid.y],
        };
        let moved = bytes * work.len() as f64;
        // What comes from a row goes along it first, half of its way round: its links carry two flits a cycle together.
        let [owners, rows] = [owners, rows].map(|of| f64::from(of.max(1)));
        let along = moved / (rows * (2 * costs.flit) as f64);
        Some(along.max(at_rate(moved / owners, costs.read_tenths)))
    }

    /// The extents of the grid of blocks; 1 where one has no value.
    pub(crate) fn grid_of(&self, bindings: &Bindings) -> [u64; 6] {
        let mut grid = [1u64; 6];
        for (extent, formula) in grid.iter_mut().zip(&self.grid) {
            let value = formula.evaluate(&|name| bindings.integers.get(name).copied());
            *extent = value.ok().and_then(|value| u64::try_from(value).ok()).unwrap_or(1);
        }
        grid
    }

    /// How many cores that take blocks of their own begin with what a row, and what a column, of a rectangle would share.
    fn cores_alike(&self, bindings: &Bindings, work: &[CoreWork]) -> [f64; 2] {
        let is_alone = |core: &CoreWork| core.rectangle == Rectangle::ALONE;
        let Some(axes) = self.work_partition.placement.rectangle() else {
            return [1.0; 2];
        };
        if !work.first().is_some_and(is_alone) {
            return [1.0; 2];
        }
        let grid = self.grid_of(bindings);
        let firsts: Vec<[u64; 6]> = work
            .iter()
            .filter_map(|core| core.blocks(self.work_partition, grid).next())
            .collect();
        axes.map(|axis| {
            // A number for each place along the other axes.
            let others = firsts.iter().map(|block| {
                let others = block.iter().zip(grid).enumerate().filter(|(at, _)| *at != axis);
                others.fold(0u64, |number, (_, (at, extent))| {
                    number.wrapping_mul(extent).wrapping_add(*at)
                })
            });
            let mut others: Vec<u64> = others.collect();
            others.sort_unstable();
            others.dedup();
            firsts.len() as f64 / others.len().max(1) as f64
        })
    }
}
