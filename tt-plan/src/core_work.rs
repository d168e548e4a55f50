//! Which cores take which blocks, and in which order: blocks dealt to cores that share nothing, or to rectangles of cores in rounds.

use crate::execution::DeviceGrid;
use crate::{CoreLine, InLine, Placement, WorkPartition};
use serde::{Deserialize, Serialize};

/// A rectangle of cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreRange {
    /// Its first column and row.
    pub start: [u32; 2],
    /// Its columns and rows.
    pub extent: [u32; 2],
}

/// A core and its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreWork {
    /// Its column.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// The number of its first block.
    pub start: u64,
    /// How many blocks it takes.
    pub count: u64,
    /// From the number of one to that of the next.
    pub step: u64,
    /// So many of them follow each other; then the next such run begins [`pitch`](CoreWork::pitch) after the one before. One run of all
    /// blocks, unless a core takes those of its shards.
    pub run: u64,
    /// From the first block of a run to that of the next.
    pub pitch: u64,
    /// In a kernel that shares what its cores read, after how many of its rounds the place of its blocks along a row and a column of its
    /// rectangle moves on: the faster one after each.
    pub every: [u64; 2],
    /// The cores that share what they read, this one among them. Of more than one all have the same `start` and `count`, those of their
    /// rounds.
    pub rectangle: Rectangle,
}

/// A rectangle of cores that share what they read; it begins at a multiple of its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    /// How many cores a row and a column of it has.
    pub cores: [u32; 2],
    /// Whether its rows lie along the columns of the chip.
    pub is_turned: bool,
}

impl Rectangle {
    /// A core alone.
    pub const ALONE: Rectangle = Rectangle {
        cores: [1, 1],
        is_turned: false,
    };

    /// Which coordinate on the chip goes along a line: 0, the column, or 1, the row.
    fn coordinate(self, line: CoreLine) -> usize {
        usize::from((line == CoreLine::Column) != self.is_turned)
    }
}

impl CoreWork {
    /// A core with `count` blocks from `start` on.
    pub fn run_of(x: u32, y: u32, start: u64, count: u64) -> CoreWork {
        CoreWork {
            x,
            y,
            start,
            count,
            step: 1,
            run: count.max(1),
            pitch: count,
            every: [1; 2],
            rectangle: Rectangle::ALONE,
        }
    }

    /// The number of one of its blocks, or of its rounds.
    pub fn number(self, nth: u64) -> u64 {
        let run = self.run.max(1);
        self.start + nth / run * self.pitch + nth % run * self.step
    }

    /// Its place in a line of its rectangle.
    pub(crate) fn place(self, line: CoreLine) -> u32 {
        [self.x, self.y][self.rectangle.coordinate(line)] % self.cores(line)
    }

    /// How many cores a line of its rectangle has.
    pub(crate) fn cores(self, line: CoreLine) -> u32 {
        self.rectangle.cores[line.number()].max(1)
    }

    /// The place in a line of its rectangle of the one that reads for it. Those of neighbouring lines are one further each, since cores
    /// that stand in one column of the chip read through the same links (silicon.md §2.1: eight of them take four times as long as on a
    /// diagonal), and those of rows and of columns are different cores.
    pub(crate) fn sender(self, line: CoreLine) -> u32 {
        let number = match line {
            CoreLine::Row => self.place(CoreLine::Column),
            CoreLine::Column => self.place(CoreLine::Row) + 1,
        };
        number % self.cores(line)
    }

    /// A core in the same line of its rectangle: column and row.
    pub fn in_line(self, line: CoreLine, core: InLine) -> [u32; 2] {
        let at = match core {
            InLine::Sender => self.sender(line),
            InLine::First => 0,
            InLine::Last => self.cores(line) - 1,
        };
        let mut found = [self.x, self.y];
        let own = &mut found[self.rectangle.coordinate(line)];
        *own = *own - self.place(line) + at;
        found
    }

    /// The positions in `grid` of the blocks that it takes, in order; those that it goes along with are left out.
    pub fn blocks(self, work: WorkPartition, grid: [u64; 6]) -> impl Iterator<Item = [u64; 6]> {
        let is_own = move |found: &[u64; 6]| found.iter().zip(grid).all(|(at, extent)| *at < extent);
        self.rounds(work, grid).filter(is_own)
    }

    /// Of its first `most` blocks, or rounds, with how many a run begins in which these axes of the grid stay, and how many those are.
    pub(crate) fn runs(self, work: WorkPartition, grid: [u64; 6], axes: &[usize], most: u64) -> [u64; 2] {
        let mut before = None;
        let [mut begun, mut seen] = [0; 2];
        for round in self
            .rounds(work, grid)
            .take(usize::try_from(most).unwrap_or(usize::MAX))
        {
            let mut stay = [0; 6];
            for axis in axes {
                if let (Some(stay), Some(at), Some(extent)) = (stay.get_mut(*axis), round.get(*axis), grid.get(*axis)) {
                    // It goes along with the last one there is.
                    *stay = *at.min(&extent.saturating_sub(1));
                }
            }
            begun += u64::from(before != Some(stay));
            seen += 1;
            before = Some(stay);
        }
        [begun, seen]
    }

    /// Where in `grid` it is in each of its blocks, or rounds, which may be past its end. The emitted kernels do the same arithmetic
    /// (`tt-backend`, pass rasterize).
    fn rounds(self, work: WorkPartition, grid: [u64; 6]) -> impl Iterator<Item = [u64; 6]> {
        (0..self.count).map(move |nth| self.round(work, grid, nth))
    }

    /// Where it is in one of them.
    pub(crate) fn round(self, work: WorkPartition, grid: [u64; 6], nth: u64) -> [u64; 6] {
        let axes = work.placement.axes();
        let is_folded = work.placement.folded().is_some();
        let row = u64::from(self.cores(CoreLine::Row));
        let mut rounds = axes.map(|axis| grid[axis]);
        if is_folded {
            [rounds[0], rounds[1]] = [row, rounds[0].div_ceil(row)];
        }
        for line in CoreLine::ALL {
            let along = &mut rounds[line.number()];
            *along = along.div_ceil(u64::from(self.cores(line)));
        }
        let number = self.number(nth);
        let mut round = work.order.position(number, rounds);
        for line in CoreLine::ALL {
            let at = &mut round[line.number()];
            if work.placement != Placement::Linear {
                *at = number / self.every[line.number()].max(1) % rounds[line.number()].max(1);
            }
            *at = *at * u64::from(self.cores(line)) + u64::from(self.place(line));
        }
        if is_folded {
            [round[0], round[1]] = [round[1] * row + round[0], 0];
        }
        let mut found = [0; 6];
        axes.into_iter().zip(round).for_each(|(axis, at)| found[axis] = at);
        found
    }
}

/// How blocks are dealt to cores that share nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deal {
    /// One by one: what all cores read at the same time is what blocks read that follow each other, which lies in all banks alike.
    OneByOne,
    /// Each core takes those that follow each other.
    InRuns,
}

/// Blocks on as many of so many cores as there are blocks for, row by row; a row of blocks of a kernel that can share has `across`.
pub(crate) fn dealt((blocks, across): (u64, u64), deal: Deal, cores: u64, device: DeviceGrid) -> Vec<CoreWork> {
    let width = u64::from(device.x);
    let cores = blocks.min(cores);
    let (share, more) = (blocks / cores, blocks % cores);
    let work = (0..cores).map(|core| {
        let (start, step) = match deal {
            Deal::OneByOne => (core, cores),
            Deal::InRuns => (core * share + core.min(more), 1),
        };
        let (x, y) = ((core % width) as u32, (core / width) as u32);
        CoreWork {
            step,
            every: [1, across],
            ..CoreWork::run_of(x, y, start, share + u64::from(core < more))
        }
    });
    work.collect()
}

/// How rounds of a rectangle go through a plane of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
}

/// Blocks in rounds of rectangles of cores; none where they would be of one core. There are as many rectangles as the device has room
/// for and rounds to give them, in rows, and each takes the next run of rounds, the first ones one more.
pub(crate) fn in_rounds(grid: [u64; 6], axes: [usize; 2], follow: Follow, device: DeviceGrid) -> Option<Vec<CoreWork>> {
    let (rectangle, rounds) = rectangle(grid, axes, device);
    let along = |line: CoreLine| grid[axes[line.number()]].div_ceil(u64::from(rectangle.cores[line.number()].max(1)));
    let every = match follow {
        // One axis: rounds go down.
        _ if axes[0] == axes[1] => [1; 2],
        Follow::Rows => [1, along(CoreLine::Row)],
        Follow::Columns => [along(CoreLine::Column), 1],
    };
    let [columns, rows] = match (rectangle.cores, rectangle.is_turned) {
        ([1, 1], _) => return None,
        (cores, false) => cores,
        ([row, column], true) => [column, row],
    };
    let in_row = device.x / columns;
    let rectangles = rounds.min(u64::from(in_row) * u64::from(device.y / rows));
    let (share, more) = (rounds / rectangles, rounds % rectangles);
    let of_rectangle = |nth: u64| {
        // They are not more than the device has cores.
        let [left, top] = [nth as u32 % in_row * columns, nth as u32 / in_row * rows];
        let (start, count) = (nth * share + nth.min(more), share + u64::from(nth < more));
        let cores = (top..top + rows).flat_map(move |y| (left..left + columns).map(move |x| [x, y]));
        cores.map(move |[x, y]| CoreWork {
            every,
            rectangle,
            ..CoreWork::run_of(x, y, start, count)
        })
    };
    let mut work: Vec<CoreWork> = (0..rectangles).flat_map(of_rectangle).collect();
    work.sort_by_key(|core| (core.y, core.x));
    Some(work)
}

/// The rectangle of cores for a grid of blocks of which these axes lie along its rows and columns, and in how many rounds it takes them:
/// as few as the device has room for, of as few cores as those rounds need. It is turned where that takes fewer rounds, or as many on more
/// columns of the chip: cores in a row move twice to four times as much as in a column (silicon.md §2.1).
fn rectangle(grid: [u64; 6], axes: [usize; 2], device: DeviceGrid) -> (Rectangle, u64) {
    let blocks: u64 = grid.iter().product();
    let laid = |is_turned: bool, [row, column]: [u32; 2]| {
        let ([along, down], planes) = match axes.map(|axis| grid[axis]) {
            // One axis, in as few rows as there are, of as few cores.
            [blocks, _] if axes[0] == axes[1] => {
                let along = blocks.div_ceil(blocks.div_ceil(u64::from(row)));
                ([along, blocks.div_ceil(along)], 1)
            }
            [along, down] => ([along, down], blocks / (along * down)),
        };
        let rounds = [along.div_ceil(u64::from(row)), down.div_ceil(u64::from(column))];
        let cores = [along.div_ceil(rounds[0]) as u32, down.div_ceil(rounds[1]) as u32];
        (Rectangle { cores, is_turned }, rounds[0] * rounds[1] * planes)
    };
    let (upright, turned) = (laid(false, [device.x, device.y]), laid(true, [device.y, device.x]));
    let on_columns = |(rectangle, rounds): &(Rectangle, u64), line: CoreLine| {
        (*rounds, std::cmp::Reverse(rectangle.cores[line.number()]))
    };
    if on_columns(&turned, CoreLine::Column) < on_columns(&upright, CoreLine::Row) {
        turned
    } else {
        upright
    }
}

/// Cores given row by row as few disjoint rectangles: runs within a row, and equal runs of neighbouring rows together.
pub fn ranges(cores: &[CoreWork]) -> Vec<CoreRange> {
    let mut ranges: Vec<CoreRange> = Vec::new();
    let mut run: Option<CoreRange> = None;
    let mut close = |run: CoreRange| match ranges.last_mut() {
        Some(above)
            if (above.start[0], above.extent[0], above.start[1] + above.extent[1])
                == (run.start[0], run.extent[0], run.start[1]) =>
        {
            above.extent[1] += 1;
        }
        _ => ranges.push(run),
    };
    for core in cores {
        match &mut run {
            Some(run) if run.start[1] == core.y && run.start[0] + run.extent[0] == core.x => run.extent[0] += 1,
            _ => {
                let next = CoreRange {
                    start: [core.x, core.y],
                    extent: [1, 1],
                };
                if let Some(done) = run.replace(next) {
                    close(done);
                }
            }
        }
    }
    if let Some(done) = run {
        close(done);
    }
    ranges
}
