//! Which core takes which blocks, and what tells a core where others are.

use serde::{Deserialize, Serialize};

/// Which core takes which blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The cores in rows, each in turn the next number, all cores again and again; or as a launch deals them that keeps what it reads over
    /// runs of blocks ([`Plan::partition`](crate::Plan::partition)).
    Linear,
    /// One axis of the grid along the rows of a rectangle of cores, another along its columns; all of them take part in every round, so
    /// that what is the same for a row or a column of them is read once and multicast. A core that a round has no block for goes along
    /// with the last one there is, and stores nothing. Rounds go along the rows of blocks, or down the columns where cores keep more of what
    /// they read so ([`RuntimeValue::Every`](crate::RuntimeValue::Every)). The other axes are rounds, those before the faster ones. Where the device has room
    /// for several such rectangles, rounds are spread over them. A launch lays the rows along the columns of the chip where that takes
    /// fewer rounds, or as many on more columns; where sharing is estimated to take longer, as [`Placement::Linear`]: every core is a
    /// rectangle of its own then.
    Rectangle {
        /// The axes of the grid along the rows and along the columns, counted from 0. A grid of one axis has it as both: it lies along the
        /// rows, one after the other.
        axes: [usize; 2],
    },
}

impl Placement {
    /// The axes of the grid along the rows and the columns of a rectangle of cores that take part in rounds.
    pub fn rectangle(self) -> Option<[usize; 2]> {
        match self {
            Placement::Linear => None,
            Placement::Rectangle { axes } => Some(axes),
        }
    }

    /// The axis of a grid of one axis that lies along the rows of a rectangle of cores, one after the other.
    pub fn folded(self) -> Option<usize> {
        self.rectangle()
            .and_then(|[along, down]| (along == down).then_some(along))
    }

    /// All axes of a grid in the order that blocks, or rounds, are numbered in, the fastest first.
    pub fn axes(self) -> [usize; 6] {
        let [first, second] = self.rectangle().unwrap_or([0, 1]);
        let mut axes = [0, 1, 2, 3, 4, 5];
        // Whichever it is, it comes first, and the others keep their order.
        axes.sort_by_key(|axis| (*axis != first, *axis != second));
        axes
    }
}

/// A line of cores in the rectangle that shares what it reads: of the rectangle, whichever way it lies on the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoreLine {
    /// The cores of a row.
    Row,
    /// The cores of a column.
    Column,
}

impl CoreLine {
    /// Both.
    pub const ALL: [CoreLine; 2] = [CoreLine::Row, CoreLine::Column];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CoreLine::Row => "row",
            CoreLine::Column => "column",
        }
    }

    /// Its place in what is given of both, as the [axes](Placement::Rectangle) of the grid that lie along them.
    pub fn number(self) -> usize {
        match self {
            CoreLine::Row => 0,
            CoreLine::Column => 1,
        }
    }
}

/// A core of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InLine {
    /// The one that reads, and sends to the others.
    Sender,
    /// The first.
    First,
    /// The last.
    Last,
}

impl InLine {
    /// All.
    pub const ALL: [InLine; 3] = [InLine::Sender, InLine::First, InLine::Last];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            InLine::Sender => "sender",
            InLine::First => "first",
            InLine::Last => "last",
        }
    }
}

/// An axis of the NoC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum NocAxis {
    X,
    Y,
}

impl NocAxis {
    /// Both.
    pub const ALL: [NocAxis; 2] = [NocAxis::X, NocAxis::Y];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            NocAxis::X => "x",
            NocAxis::Y => "y",
        }
    }
}
