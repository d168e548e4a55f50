//! Pairs of programs of which silicon.md says how long each takes: a decision, made the one way and the other. A row is called as there.

mod compute;
mod dram;
mod network;

use std::sync::LazyLock;

use super::programs::Time;
use compute::*;
use dram::*;
use network::*;

/// A decision, made both ways.
pub struct Pair {
    pub id: &'static str,
    pub what: String,
    pub modelled: [Time; 2],
    /// Cycles on silicon.
    pub measured: [f64; 2],
}

impl Pair {
    /// How many times as long the first takes as the second, on silicon and by the clock.
    pub fn ratios(&self) -> [f64; 2] {
        let [a, b] = self.modelled;
        [self.measured[0] / self.measured[1], a.cycles / b.cycles]
    }

    /// Whether the same one is faster. What silicon found to be the same within 3 % may differ by 10 %.
    pub fn is_right(&self) -> bool {
        let [silicon, clock] = self.ratios().map(f64::ln);
        if silicon.abs() < 1.03f64.ln() {
            clock.abs() < 1.1f64.ln()
        } else {
            silicon * clock > 0.0 && clock.abs() > 1.005f64.ln()
        }
    }

    /// Whether the clock has them as silicon does, both in their order and in the time that each takes.
    pub fn is_off(&self) -> bool {
        !self.is_right() || self.factors().iter().any(|(_, is_near)| !is_near)
    }

    /// Why it is off, as far as that is known.
    pub fn cause(&self) -> Option<&'static str> {
        OFF.iter()
            .find(|(start, _)| self.what.starts_with(start))
            .map(|(_, cause)| *cause)
    }

    /// Of each, how many times as long as measured it takes by the clock, and whether that is as near as it should be.
    pub fn factors(&self) -> [(f64, bool); 2] {
        [0, 1].map(|of| {
            let factor = self.modelled[of].cycles / self.measured[of];
            let bound = if self.modelled[of].saturated { 1.3 } else { 1.7 };
            (factor, (1.0 / bound..bound).contains(&factor))
        })
    }
}

const TURNS: &str =
    "a bank turns around for every read between writes, where a chip's controller takes several of a kind";
const CHANNELS: &str = "links on which many packets meet carry less on a chip than they could: its routers choose channels that cannot go on";
const NEAR_FIRST: &str = "a bank serves all cores alike, so that they go from bank to bank together; on a chip those near to it come first, and spread out";

/// What the clock has otherwise than silicon, by how it begins, and the likely cause.
pub const OFF: &[(&str, &str)] = &[
    ("WH copy, 12 cores, 512 B: far", TURNS),
    ("WH copy, 12 cores, 512 B: in a line with a bank each", TURNS),
    ("WH copy, 12 cores, 2048 B: far", CHANNELS),
    ("WH copy, 12 cores, 8192 B: far", CHANNELS),
    ("WH copy, 12 cores, 8192 B: in a line with all banks", CHANNELS),
    ("BH tilize, 8 blocks a core", NEAR_FIRST),
    ("BH tilize, 16 blocks a core, rows of 1024", NEAR_FIRST),
    (
        "BH products, blocks of 32",
        "a product of one tile in a section takes some 95 cycles on a Blackhole; which step takes them is not known",
    ),
    (
        "WH rows of 2, 1 × 2048 B",
        "a multicast to one receiver sets up a path as for several, and its word waits for the data",
    ),
    (
        "BH writes of",
        "what makes flows to several cores slower than their links is not known",
    ),
    (
        "WH sums of rows, 32 tiles: products, the packer first",
        "the packer takes 13 cycles a tile besides its bytes, which an accumulating one seems to hide",
    ),
    (
        "WH sums of rows, 32 tiles in pairs",
        "`sfpu_reduce` is counted from its instructions, as if none waited for another's result",
    ),
    (
        "WH copy of",
        "the clock does not know a kernel's own loads and stores, here 2.8 cycles a byte",
    ),
    (
        "WH rings of 4",
        "the way back around the torus, which shares every link, gets less than its half where routers serve what is near first",
    ),
];

/// A Blackhole's cycles in so many nanoseconds.
fn bh(nanoseconds: f64) -> f64 {
    nanoseconds * 1.35
}

struct Pairs(Vec<Pair>);

impl Pairs {
    fn add(
        &mut self,
        id: &'static str,
        what: impl Into<String>,
        (a, silicon_a): (Time, f64),
        (b, silicon_b): (Time, f64),
    ) {
        self.0.push(Pair {
            id,
            what: what.into(),
            modelled: [a, b],
            measured: [silicon_a, silicon_b],
        });
    }

    /// Several against the same.
    fn against(&mut self, id: &'static str, first: (Time, f64), others: Vec<(&str, (Time, f64))>) {
        for (what, other) in others {
            self.add(id, what, first, other);
        }
    }
}

/// All pairs that programs of one chip can express.
pub static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let mut pairs = Pairs(Vec::new());
    bank_placement(&mut pairs);
    bank_stagger(&mut pairs);
    block_sizes(&mut pairs);
    buffering(&mut pairs);
    saturation(&mut pairs);
    two_readers(&mut pairs);
    accumulation(&mut pairs);
    handshakes(&mut pairs);
    subblocks(&mut pairs);
    multicasts(&mut pairs);
    destinations(&mut pairs);
    placement(&mut pairs);
    walks(&mut pairs);
    reductions(&mut pairs);
    scopes(&mut pairs);
    split_reads(&mut pairs);
    alignment(&mut pairs);
    sums_of_blocks(&mut pairs);
    rings(&mut pairs);
    transactions(&mut pairs);
    widths(&mut pairs);
    pairs.0
});
