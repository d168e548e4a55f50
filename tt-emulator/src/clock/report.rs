//! What the clock says of a run.

use std::collections::BTreeMap;
use std::fmt;

/// What a run is bound by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// The engines of the busiest core hardly wait.
    Compute,
    /// The DRAM banks.
    Dram,
    /// The busiest link of a NoC.
    Noc,
    /// A processor that moves data: it issues all the time.
    Issue,
    /// Some cores work much longer than others.
    Imbalance,
    /// Nothing is busy: steps wait for each other.
    Latency,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Compute => "compute",
            Bound::Dram => "DRAM",
            Bound::Noc => "a link of the NoC",
            Bound::Issue => "the issue of transfers",
            Bound::Imbalance => "the cores with most work",
            Bound::Latency => "latency",
        })
    }
}

/// How busy units are, of the run's time: 1 is always.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Use {
    /// The unpackers, the matrix engine, the vector unit and the packer of the busiest core, each.
    pub unpack: f64,
    /// As above.
    pub matrix: f64,
    /// As above.
    pub vector: f64,
    /// As above.
    pub pack: f64,
    /// The processors that read and write, of the busiest core, waiting apart.
    pub reader: f64,
    /// As above.
    pub writer: f64,
    /// The DRAM banks, on average.
    pub dram: f64,
    /// The busiest link of each NoC.
    pub links: [f64; 2],
}

/// What a run would take on a chip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modelled {
    /// Cycles of the cores' clock, from the launch to the end of the last kernel.
    pub cycles: u64,
    /// The same in nanoseconds.
    pub nanoseconds: u64,
    /// How busy what was.
    pub used: Use,
    /// Cycles to the end of each core's last kernel, on average.
    pub mean_core: u64,
    /// Operations of the vector unit whose cost nobody measured, and how often each was called: they took no time.
    pub unknown: BTreeMap<String, u64>,
}

impl Modelled {
    /// What the run is bound by.
    pub fn bound(&self) -> Bound {
        let used = &self.used;
        let engines = used.unpack.max(used.matrix + used.vector).max(used.pack);
        let issue = used.reader.max(used.writer);
        let links = used.links[0].max(used.links[1]);
        let all = [
            (used.dram, Bound::Dram),
            (engines, Bound::Compute),
            (links, Bound::Noc),
            (issue, Bound::Issue),
        ];
        let most = all.into_iter().fold(
            (0.0, Bound::Latency),
            |most, one| if one.0 > most.0 { one } else { most },
        );
        match most {
            _ if (self.mean_core as f64) < 0.6 * self.cycles as f64 => Bound::Imbalance,
            (busy, bound) if busy >= 0.6 => bound,
            _ => Bound::Latency,
        }
    }

    /// Adds a run that comes after this one; how busy units are is weighed by time.
    pub fn add(&mut self, other: &Modelled) {
        let [own, more] = [self.cycles, other.cycles].map(|cycles| cycles as f64);
        let all = (own + more).max(1.0);
        let mean = |a: f64, b: f64| (a * own + b * more) / all;
        let (a, b) = (self.used, other.used);
        self.used = Use {
            unpack: mean(a.unpack, b.unpack),
            matrix: mean(a.matrix, b.matrix),
            vector: mean(a.vector, b.vector),
            pack: mean(a.pack, b.pack),
            reader: mean(a.reader, b.reader),
            writer: mean(a.writer, b.writer),
            dram: mean(a.dram, b.dram),
            links: [mean(a.links[0], b.links[0]), mean(a.links[1], b.links[1])],
        };
        self.cycles += other.cycles;
        self.nanoseconds += other.nanoseconds;
        self.mean_core += other.mean_core;
        for (name, times) in &other.unknown {
            *self.unknown.entry(name.clone()).or_default() += times;
        }
    }
}

/// A few lines for people.
impl fmt::Display for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: f64| format!("{:.0} %", part * 100.0);
        let used = &self.used;
        write!(
            f,
            "{} cycles ({:.1} µs), bound by {}\nbusy         unpack {}, matrix {}, vector {}, pack {}, reader {}, writer {}, DRAM {}, links {} and {}",
            self.cycles,
            self.nanoseconds as f64 / 1000.0,
            self.bound(),
            percent(used.unpack),
            percent(used.matrix),
            percent(used.vector),
            percent(used.pack),
            percent(used.reader),
            percent(used.writer),
            percent(used.dram),
            percent(used.links[0]),
            percent(used.links[1]),
        )?;
        for (name, times) in &self.unknown {
            write!(f, "\nunknown      {name}: {times} calls of no known cost")?;
        }
        Ok(())
    }
}
