//! What a run took and did.

use std::fmt;
use std::time::Duration;
use tt_emulator::RunCounters;

/// What a run took and, on the emulator, what it did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Profile {
    /// From the launch to its end, as the host saw it; on the emulator with what its clock takes.
    pub wall_time: Duration,
    /// The constants of the variant that ran ([`Launch::variant`](super::Launch::variant)).
    pub variant: &'static [(&'static str, i64)],
    /// In how many parts its sum was cut ([`Launch::parts`](super::Launch::parts)); 1 where it was not.
    pub parts: u32,
    /// What the emulator counted: pages and bytes moved, per NoC and DRAM bank, tile operations, stalls, for the whole run
    /// and for each core, and what the run would take on a chip ([`RunCounters::modelled`]). Cards count nothing.
    pub counters: Option<RunCounters>,
    /// The counters of each stage that ran, where the kernel has several; `counters` is their sum.
    pub stages: Vec<RunCounters>,
}

impl Profile {
    /// Adds up the counters of the stages, which are kept only of a kernel that has `several`.
    pub(super) fn sum(&mut self, several: bool) {
        self.counters = self.stages.iter().cloned().reduce(|mut sum, stage| {
            sum.add(&stage);
            // What one stage leaves of a tensor another may store.
            sum.unstored.clear();
            sum
        });
        if !several {
            self.stages.clear();
        }
    }
}

/// Which of what a kernel was compiled into runs; none where there is one only.
pub(super) fn which(variant: &[(&str, i64)], parts: u32) -> Option<String> {
    let constants = variant.iter().map(|(name, value)| format!("{name} = {value}"));
    let parts = (parts > 1).then(|| format!("in {parts} parts"));
    let words: Vec<String> = constants.chain(parts).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// A few lines for people.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wall time    {:?}", self.wall_time)?;
        if let Some(which) = which(self.variant, self.parts) {
            write!(f, "\nran          {which}")?;
        }
        let Some(counters) = &self.counters else { return Ok(()) };
        let total = &counters.total;
        write!(f, "\ncores        {}", counters.cores.len())?;
        write!(
            f,
            "\ntiles        {} read, {} written",
            total.pages_read, total.pages_written
        )?;
        for (noc, (read, written)) in total.noc_read_bytes.iter().zip(&total.noc_write_bytes).enumerate() {
            write!(f, "\nNoC {noc}        {read} bytes read, {written} written")?;
        }
        let (read, written) = (&total.dram_read_bytes, &total.dram_write_bytes);
        write!(
            f,
            "\nDRAM         {} bytes read, {} written",
            read.iter().sum::<u64>(),
            written.iter().sum::<u64>()
        )?;
        write!(f, "\nper bank    ")?;
        for (read, written) in read
            .iter()
            .zip(written)
            .filter(|(read, written)| **read + **written > 0)
        {
            write!(f, " {read}/{written}")?;
        }
        let compute = &total.compute;
        write!(
            f,
            "\ncompute      {} tile products, {} element-wise, {} SFPU, {} reduced, {} copied, {} packed",
            compute.matmul_tiles,
            compute.eltwise_tiles,
            compute.sfpu_tiles,
            compute.reduced_tiles,
            compute.copied_tiles,
            compute.packed_tiles
        )?;
        if let (Some(larger), Some(of_32)) = (compute.from_chip.larger(), compute.from_chip.of_32()) {
            write!(
                f,
                "\non a chip    sums of products are larger by {larger:+.1e} of their value, give or take {of_32:.1e} (rms) for 32 of them, √n times that for 32 n"
            )?;
        }
        write!(f, "\nstalls       {}", total.stalls)?;
        if let Some(modelled) = &counters.modelled {
            write!(f, "\nmodelled     {modelled}")?;
        }
        for (number, stage) in (1..).zip(&self.stages) {
            let total = &stage.total;
            let (read, written) = (total.pages_read, total.pages_written);
            write!(
                f,
                "\nstage {number}      {read} tiles read, {written} written, {} stalls",
                total.stalls
            )?;
            if let Some(modelled) = &stage.modelled {
                write!(f, ", {} cycles, bound by {}", modelled.cycles, modelled.bound())?;
            }
        }
        for left in &counters.unstored {
            write!(f, "\nnot stored   {left}")?;
        }
        Ok(())
    }
}
