//! What a run moved, computed and waited for.

use super::stores::Unstored;
use crate::clock::Modelled;
use crate::compute::ComputeCounters;

/// Most DRAM banks of any architecture.
pub const MAX_DRAM_BANKS: usize = 12;

/// Counts of one RISC, one core or a whole run.
#[derive(Clone, Debug, Default)]
pub struct RiscCounters {
    /// Bytes read over each NoC.
    pub noc_read_bytes: [u64; 2],
    /// Bytes written over each NoC, multicasts counted once.
    pub noc_write_bytes: [u64; 2],
    /// Bytes that multicasts delivered, counted at each receiver.
    pub multicast_bytes: u64,
    /// Bytes read from each DRAM bank.
    pub dram_read_bytes: [u64; MAX_DRAM_BANKS],
    /// Bytes written to each DRAM bank.
    pub dram_write_bytes: [u64; MAX_DRAM_BANKS],
    /// Pages read with page calls.
    pub pages_read: u64,
    /// Pages written with page calls.
    pub pages_written: u64,
    /// Pages pushed to circular buffers.
    pub pages_pushed: u64,
    /// Barriers: times it waited for reads, for writes to leave or to arrive, or for increments.
    pub barriers: u64,
    /// Times a RISC had to wait and another one ran.
    pub stalls: u64,
    /// What the compute engines did.
    pub compute: ComputeCounters,
}

impl RiscCounters {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &RiscCounters) {
        let pairs = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        // Most RISCs read or write, or do neither.
        if other.noc_read_bytes != [0; 2] {
            pairs(&mut self.noc_read_bytes, &other.noc_read_bytes);
            pairs(&mut self.dram_read_bytes, &other.dram_read_bytes);
        }
        if other.noc_write_bytes != [0; 2] {
            pairs(&mut self.noc_write_bytes, &other.noc_write_bytes);
            pairs(&mut self.dram_write_bytes, &other.dram_write_bytes);
        }
        self.multicast_bytes += other.multicast_bytes;
        self.pages_read += other.pages_read;
        self.pages_written += other.pages_written;
        self.pages_pushed += other.pages_pushed;
        self.barriers += other.barriers;
        self.stalls += other.stalls;
        self.compute.add(&other.compute);
    }
}

/// Counts of one core in a run.
#[derive(Clone, Debug)]
pub struct CoreCounters {
    /// Logical coordinates of the core.
    pub core: (usize, usize),
    /// Its RISCs together.
    pub counts: RiscCounters,
}

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub struct RunCounters {
    /// All cores together.
    pub total: RiscCounters,
    /// Each core that ran a kernel, in order.
    pub cores: Vec<CoreCounters>,
    /// Rounds of delivery between cores.
    pub epochs: u64,
    /// Programs run, when accumulated.
    pub programs: u64,
    /// What the run left as it was of the tensors that it said it stores to; not accumulated.
    pub unstored: Vec<Unstored>,
    /// What it would take on a chip, where the clock was on.
    pub modelled: Option<Modelled>,
}

impl RunCounters {
    /// Adds the counts of another run; cores are matched by coordinates.
    pub fn add(&mut self, other: &RunCounters) {
        self.total.add(&other.total);
        self.epochs += other.epochs;
        self.programs += other.programs;
        match (&mut self.modelled, &other.modelled) {
            (Some(modelled), Some(more)) => modelled.add(more),
            (modelled, more) => *modelled = modelled.take().or_else(|| more.clone()),
        }
        for (at, core) in other.cores.iter().enumerate() {
            // Runs on the same cores have them in the same places.
            let same = self.cores.get(at).filter(|mine| mine.core == core.core).map(|_| at);
            match same.or_else(|| self.cores.iter().position(|mine| mine.core == core.core)) {
                Some(at) => self.cores[at].counts.add(&core.counts),
                None => self.cores.push(core.clone()),
            }
        }
    }
}
