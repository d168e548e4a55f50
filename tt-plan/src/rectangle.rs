//! Rectangles of cores that share what they read: where they lie on the chip, and which of their cores is where.

use crate::{CoreLine, CoreWork, DeviceGrid, InLine};

/// A rectangle of cores that share what they read. What it takes of the chip begins at a multiple of its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    /// How many cores a row and a column of it has.
    pub cores: [u32; 2],
    /// Whether its rows lie along the columns of the chip.
    pub is_turned: bool,
    /// The lines that lie on the chip in two halves, the second ones beside the first: the chip has no room for whole ones.
    pub halved: Option<CoreLine>,
}

impl Rectangle {
    /// A core alone.
    pub const ALONE: Rectangle = Rectangle {
        cores: [1, 1],
        is_turned: false,
        halved: None,
    };

    /// Which coordinate on the chip goes along a line: 0, the column, or 1, the row.
    fn coordinate(self, line: CoreLine) -> usize {
        usize::from((line == CoreLine::Column) != self.is_turned)
    }

    /// How many cores a line has.
    fn cores(self, line: CoreLine) -> u32 {
        self.cores[line.number()].max(1)
    }

    /// In how many pieces lines of this kind lie on the chip.
    pub fn pieces(self, line: CoreLine) -> u32 {
        if self.halved == Some(line) { 2 } else { 1 }
    }

    /// How many cores of a line follow each other on the chip.
    fn piece(self, line: CoreLine) -> u32 {
        self.cores(line) / self.pieces(line)
    }

    /// The columns and rows that it takes of the chip.
    fn extent(self) -> [u32; 2] {
        let mut extent = [0; 2];
        for line in CoreLine::ALL {
            extent[self.coordinate(line)] = self.piece(line) * self.pieces(line.other());
        }
        extent
    }

    /// The rectangle for a grid of blocks of which these axes lie along its rows and columns, and in how many rounds it takes those of a
    /// plane: as few as the device has room for, of as few cores as those rounds need. It is turned where that takes fewer rounds, or as
    /// many on more columns of the chip: cores in a row move twice to four times as much as in a column (silicon.md §2.1).
    fn for_grid([along, down]: [u64; 2], device: DeviceGrid) -> (Rectangle, u64) {
        let laid = |is_turned: bool, [row, column]: [u32; 2]| {
            let rounds = [along.div_ceil(u64::from(row)), down.div_ceil(u64::from(column))];
            let rectangle = Rectangle {
                cores: [along.div_ceil(rounds[0]) as u32, down.div_ceil(rounds[1]) as u32],
                is_turned,
                halved: None,
            };
            (rectangle, rounds[0] * rounds[1])
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

    /// It with lines of twice as many cores, or as few as their fewer rounds need, in two halves; none where a line has all of its blocks in
    /// one round, or is of one core.
    fn with_halves(self, line: CoreLine, blocks: [u64; 2]) -> Option<Rectangle> {
        let along = blocks[line.number()];
        let longest = 2 * u64::from(self.cores(line));
        if longest == 2 || along <= longest / 2 {
            return None;
        }
        // Not more than `longest`, which the device has.
        let half = along.div_ceil(along.div_ceil(longest)).div_ceil(2) as u32;
        let mut halved = self;
        halved.cores[line.number()] = 2 * half;
        halved.halved = Some(line);
        Some(halved)
    }
}

/// Blocks in rounds of rectangles of cores, in each way that they can lie; none where they would be of one core. There are as many
/// rectangles as the device has room for and rounds to give them, in rows, and each takes the next run of rounds, the first ones one more.
/// Those whose lines lie in halves, of which more cores share, come first.
pub(crate) fn in_rounds(grid: [u64; 6], axes: [usize; 2], device: DeviceGrid) -> Vec<Vec<CoreWork>> {
    let blocks = axes.map(|axis| grid[axis]);
    let planes = grid.iter().product::<u64>() / (blocks[0] * blocks[1]);
    let (whole, _) = Rectangle::for_grid(blocks, device);
    if whole.cores == Rectangle::ALONE.cores {
        return Vec::new();
    }
    let halved = CoreLine::ALL.map(|line| whole.with_halves(line, blocks));
    let ways = halved.into_iter().flatten().chain([whole]);
    ways.filter_map(|rectangle| dealt(rectangle, blocks, planes, device))
        .collect()
}

/// The rounds of so many planes of blocks on as many of these rectangles as the device has room for; none where that is none.
fn dealt(rectangle: Rectangle, blocks: [u64; 2], planes: u64, device: DeviceGrid) -> Option<Vec<CoreWork>> {
    let of_line = |line: CoreLine| blocks[line.number()].div_ceil(u64::from(rectangle.cores(line)));
    let rounds = of_line(CoreLine::Row) * of_line(CoreLine::Column) * planes;
    let [columns, rows] = rectangle.extent();
    let in_row = device.x / columns;
    let rectangles = rounds.min(u64::from(in_row) * u64::from(device.y / rows));
    let (share, more) = (rounds.checked_div(rectangles)?, rounds.checked_rem(rectangles)?);
    let of_rectangle = |nth: u64| {
        // They are not more than the device has cores.
        let [left, top] = [nth as u32 % in_row * columns, nth as u32 / in_row * rows];
        let (start, count) = (nth * share + nth.min(more), share + u64::from(nth < more));
        let cores = (top..top + rows).flat_map(move |y| (left..left + columns).map(move |x| [x, y]));
        cores.map(move |[x, y]| CoreWork {
            rectangle,
            ..CoreWork::run_of(x, y, start, count)
        })
    };
    let mut work: Vec<CoreWork> = (0..rectangles).flat_map(of_rectangle).collect();
    work.sort_by_key(|core| (core.y, core.x));
    Some(work)
}

impl CoreWork {
    /// Its coordinate along a line.
    fn along(self, line: CoreLine) -> u32 {
        [self.x, self.y][self.rectangle.coordinate(line)]
    }

    /// In which piece of its line it stands.
    fn nth_piece(self, line: CoreLine) -> u32 {
        let beside = self.rectangle.cores(line.other());
        match self.rectangle.pieces(line) {
            1 => 0,
            pieces => self.along(line.other()) / beside % pieces,
        }
    }

    /// Its place in a line of its rectangle.
    pub(crate) fn place(self, line: CoreLine) -> u32 {
        let piece = self.rectangle.piece(line);
        self.nth_piece(line) * piece + self.along(line) % piece
    }

    /// How many cores a line of its rectangle has.
    pub(crate) fn cores(self, line: CoreLine) -> u32 {
        self.rectangle.cores(line)
    }

    /// How many cores of a line of its rectangle stand in the half that it does not.
    pub(crate) fn far(self, line: CoreLine) -> u32 {
        self.cores(line) - self.rectangle.piece(line)
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
        let rectangle = self.rectangle;
        let (piece, own) = (rectangle.piece(line), self.nth_piece(line));
        let far = rectangle.pieces(line) - 1 - own;
        let place = match core {
            InLine::Sender => self.sender(line),
            InLine::First => own * piece,
            InLine::Last => own * piece + piece - 1,
            InLine::FarFirst => far * piece,
            InLine::FarLast => far * piece + piece - 1,
        };
        let mut found = [self.x, self.y];
        let along = &mut found[rectangle.coordinate(line)];
        *along = *along - *along % piece + place % piece;
        let beside = &mut found[rectangle.coordinate(line.other())];
        let step = rectangle.cores(line.other());
        *beside = *beside - own * step + place / piece * step;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The cores of every line stand once each in one place of it, its sender and the ends of its halves are among them, and the halves are
    /// rectangles of the chip that have all of them.
    #[test]
    fn lines_in_one_piece_and_in_halves_are_of_the_cores_that_say_so() {
        let mut halves = 0;
        for device in [[8, 8], [13, 10], [8, 7], [1, 9], [5, 2]].map(|[x, y]| DeviceGrid { x, y }) {
            for along in 1..=30 {
                for down in 1..=30 {
                    for work in in_rounds([along, down, 3, 1, 1, 1], [0, 1], device) {
                        halves += usize::from(work[0].rectangle.halved.is_some());
                        are_consistent(&work, device);
                        let taken: u64 = CoreLine::ALL
                            .map(|line| [along, down][line.number()].div_ceil(u64::from(work[0].cores(line))))
                            .iter()
                            .product();
                        let cores = u64::from(work[0].cores(CoreLine::Row) * work[0].cores(CoreLine::Column));
                        let counts: u64 = work.iter().map(|core| core.count).sum();
                        assert_eq!(counts, taken * 3 * cores, "{along} x {down} on {device:?}");
                    }
                }
            }
        }
        assert!(halves > 500, "{halves}");
    }

    fn are_consistent(work: &[CoreWork], device: DeviceGrid) {
        for line in CoreLine::ALL {
            let mut lines: BTreeMap<(u64, u32, [u32; 2]), Vec<CoreWork>> = BTreeMap::new();
            for core in work {
                assert!(core.x < device.x && core.y < device.y);
                let sender = core.in_line(line, InLine::Sender);
                let key = (core.start, core.place(line.other()), sender);
                lines.entry(key).or_default().push(*core);
            }
            for ((.., sender), cores) in lines {
                let mut places: Vec<u32> = cores.iter().map(|core| core.place(line)).collect();
                places.sort_unstable();
                assert_eq!(places, (0..cores[0].cores(line)).collect::<Vec<_>>());
                assert!(
                    cores
                        .iter()
                        .any(|core| [core.x, core.y] == sender && core.place(line) == core.sender(line))
                );
                for core in &cores {
                    let mut sent = within(core, line, [InLine::First, InLine::Last]);
                    assert!(sent.contains(&[core.x, core.y]));
                    if core.far(line) > 0 {
                        sent.extend(within(core, line, [InLine::FarFirst, InLine::FarLast]));
                    }
                    sent.sort_unstable();
                    let mut all: Vec<[u32; 2]> = cores.iter().map(|core| [core.x, core.y]).collect();
                    all.sort_unstable();
                    assert_eq!(sent, all, "{core:?} in its {line:?}");
                }
            }
        }
    }

    /// The cores between two corners.
    fn within(core: &CoreWork, line: CoreLine, corners: [InLine; 2]) -> Vec<[u32; 2]> {
        let [[left, top], [right, bottom]] = corners.map(|corner| core.in_line(line, corner));
        (top..=bottom)
            .flat_map(|y| (left..=right).map(move |x| [x, y]))
            .collect()
    }
}
