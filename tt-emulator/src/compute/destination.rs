//! The destination registers and who may touch them when.
//!
//! ```text
//! idle ──acquire──► acquired ──commit──► committed ──wait──► waited ──release──► idle
//!                   (math)                                   (packer)
//! ```
//! The packer's thread may start to wait while math still works. It may have the vector unit work on what it packs, while math is at
//! the next section: that one is without it then. A released register reads as zero for the matrix engine
//! and the packer, and is undefined for the SFPU. Registers are kept as 32-bit values; with a 16-bit destination the low
//! halves are zero. What the SFPU makes of a 16-bit register by a table is not looked up before somebody reads it: what
//! follows may be one table with it. And what the matrix engine has as patterns of bf16 is not widened before then: the packer
//! takes them as they are.

use super::reused::{Reused, reusable};
use super::rules;
use super::sfpu::tables::Function;
use super::tile::{Patterns, Tile};
use crate::rules::Rule;

/// Registers of a full section of 16-bit tiles.
const REGISTERS: usize = 16;

/// The registers themselves. What they held before is never read: one that was not written in an acquire counts as zeros, or not
/// at all.
struct Registers {
    tiles: Box<[Tile]>,
    /// What is still to be applied to each; nothing where it was not written.
    pending: [Option<&'static Function>; REGISTERS],
    /// What some hold instead.
    patterns: Box<[Patterns]>,
    /// Bit i is set where register i is what its patterns say, and nothing is to be applied to it.
    narrow: u16,
}

reusable!(
    Registers,
    Registers {
        tiles: vec![Tile::zero(); REGISTERS].into_boxed_slice(),
        pending: [None; REGISTERS],
        patterns: vec![Patterns::ZERO; REGISTERS].into_boxed_slice(),
        narrow: 0,
    }
);

/// A broken rule and what is to be said about it.
pub type Broken = (&'static Rule, String);

/// Where a section is between math and packer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nobody has it.
    Idle,
    /// Math has it.
    Acquired,
    /// Math has it, and the packer already waits for it.
    Awaited,
    /// Math has handed it over.
    Committed,
    /// The packer has it.
    Waited,
    /// Math and packer have it: the deprecated `acquire_dst`.
    Shared,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Idle => "released",
            Phase::Acquired => "acquired",
            Phase::Awaited => "acquired, with the packer waiting",
            Phase::Committed => "committed",
            Phase::Waited => "waited for",
            Phase::Shared => "held by acquire_dst",
        }
    }
}

/// What a register holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Content {
    written: bool,
    /// Comes from a reduction.
    reduced: bool,
}

/// The destination registers of a core.
pub struct Destination {
    registers: Reused<Registers>,
    /// A section was taken before.
    is_used: bool,
    contents: [Content; REGISTERS],
    phase: Phase,
    capacity: usize,
    wide: bool,
    /// Sections that math may be ahead of the packer.
    ahead: u64,
    /// Sections so far.
    sections: u64,
    /// What the packer has said of the vector unit in this section.
    packer: PackerSaid,
    /// The last section, counted from 1, in which the vector unit may be the packer's, and the last in which it was math's.
    vector_of_packer: u64,
    vector_of_math: u64,
}

/// What the packer's thread has said of the vector unit.
#[derive(Clone, Copy, Debug, Default)]
struct PackerSaid {
    /// It is held until math is done.
    is_held: bool,
    /// Then the vector unit was sent to its section.
    is_aimed: bool,
    /// The vector unit was called, and not waited for.
    is_busy: bool,
}

/// The registers of a kernel that broke a rule become another's too: nothing is left to be done to them.
impl Drop for Destination {
    fn drop(&mut self) {
        self.forget();
    }
}

impl Destination {
    /// Registers of 32 (`wide`) or 16 bits, in one section (`full`) or two.
    pub fn new(wide: bool, full: bool) -> Destination {
        let capacity = REGISTERS / if wide { 2 } else { 1 } / if full { 1 } else { 2 };
        Destination {
            registers: Reused::none(),
            is_used: false,
            contents: [Content::default(); REGISTERS],
            phase: Phase::Idle,
            capacity,
            wide,
            ahead: u64::from(!full),
            sections: 0,
            packer: PackerSaid::default(),
            vector_of_packer: 0,
            vector_of_math: 0,
        }
    }

    /// Registers are 32 bits wide.
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// Tiles of a section.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    fn step(&mut self, from: Phase, to: Phase, rule: &'static Rule) -> Result<(), Broken> {
        if self.phase != from {
            return Err((rule, format!("the destination registers are {}", self.phase.name())));
        }
        self.is_used = true;
        self.phase = to;
        Ok(())
    }

    /// `tile_regs_acquire`.
    pub fn acquire(&mut self) -> Result<(), Broken> {
        self.step(Phase::Idle, Phase::Acquired, &rules::DST_ACQUIRED_TWICE)?;
        self.sections += 1;
        Ok(())
    }

    /// `tile_regs_commit`.
    pub fn commit(&mut self) -> Result<(), Broken> {
        match self.phase {
            Phase::Awaited => self.step(Phase::Awaited, Phase::Waited, &rules::DST_COMMIT),
            _ => self.step(Phase::Acquired, Phase::Committed, &rules::DST_COMMIT),
        }
    }

    /// `tile_regs_wait`. The packer's thread may wait before math has handed the section over, even before math begins.
    pub fn wait(&mut self) -> Result<(), Broken> {
        match self.phase {
            Phase::Acquired => self.step(Phase::Acquired, Phase::Awaited, &rules::DST_WAIT),
            _ => self.step(Phase::Committed, Phase::Waited, &rules::DST_WAIT),
        }
    }

    /// The packer's `TTI_SEMWAIT`: as [`wait`](Self::wait), but nothing of its thread goes on before math is done.
    pub fn hold(&mut self) -> Result<(), Broken> {
        self.wait()?;
        self.packer.is_held = true;
        Ok(())
    }

    /// The packer's `TT_SETC16`. What comes before the thread is held does not hold what follows.
    pub fn aim(&mut self) {
        self.packer.is_aimed = self.packer.is_held;
    }

    /// The packer's `TTI_STALLWAIT`.
    pub fn await_vector(&mut self) {
        self.packer.is_busy = false;
    }

    /// `tile_regs_release`.
    pub fn release(&mut self) -> Result<(), Broken> {
        self.step(Phase::Waited, Phase::Idle, &rules::DST_RELEASE)?;
        self.forget();
        Ok(())
    }

    /// A section was given back and none is taken: a further release finds nothing to do.
    pub fn is_released(&self) -> bool {
        self.phase == Phase::Idle && self.is_used
    }

    /// The deprecated `acquire_dst`: math and packer at once.
    pub fn acquire_shared(&mut self) -> Result<(), Broken> {
        self.step(Phase::Idle, Phase::Shared, &rules::DST_ACQUIRED_TWICE)?;
        self.sections += 1;
        Ok(())
    }

    /// The deprecated `release_dst`.
    pub fn release_shared(&mut self) -> Result<(), Broken> {
        self.step(Phase::Shared, Phase::Idle, &rules::DST_RELEASE)?;
        self.forget();
        Ok(())
    }

    /// A released section holds nothing.
    fn forget(&mut self) {
        self.contents = [Content::default(); REGISTERS];
        self.packer = PackerSaid::default();
        if let Some(registers) = self.registers.taken_mut() {
            registers.pending = [None; REGISTERS];
            registers.narrow = 0;
        }
    }

    /// Makes a register's tile what it holds: applies what is still to be applied, or widens its patterns.
    #[inline]
    fn settle(&mut self, index: u32) {
        let Some(registers) = self.registers.taken_mut() else {
            return;
        };
        if let Some(function) = registers.pending[index as usize].take() {
            function.apply(&mut registers.tiles[index as usize]);
        }
        if registers.narrow & 1 << index != 0 {
            registers.narrow &= !(1 << index);
            registers.patterns[index as usize].widen(&mut registers.tiles[index as usize]);
        }
    }

    fn tiles(&mut self) -> &mut [Tile] {
        &mut self.registers.get().tiles[..self.capacity]
    }

    /// What the kernel leaves behind; the registers are another's from now on.
    pub fn finish(&mut self) -> Result<(), Broken> {
        self.forget();
        self.registers.give_back();
        match self.phase {
            Phase::Idle => Ok(()),
            phase => Err((
                &rules::DST_AT_END,
                format!("the destination registers are {}", phase.name()),
            )),
        }
    }

    fn check_index(&self, index: usize) -> Result<(), Broken> {
        if index < self.capacity {
            return Ok(());
        }
        let width = if self.wide { 32 } else { 16 };
        Err((
            &rules::DST_CAPACITY,
            format!("register {index} of {} ({width}-bit destination)", self.capacity),
        ))
    }

    /// Math may use registers `first..first + count`.
    pub fn require_math(&self, first: u32, count: u32) -> Result<(), Broken> {
        if !self.is_maths() {
            return Err((
                &rules::DST_NOT_ACQUIRED,
                format!("the destination registers are {}", self.phase.name()),
            ));
        }
        if count == 0 {
            return Ok(());
        }
        self.check_index((first as usize).saturating_add(count as usize - 1))
    }

    /// The packer may pack registers `first..first + count`.
    pub fn require_pack(&self, first: u32, count: u32) -> Result<(), Broken> {
        self.require_packer(first, count)?;
        match self.packer.is_busy {
            true => Err((&rules::DST_VECTOR_BUSY, format!("register {first}"))),
            false => Ok(()),
        }
    }

    /// The packer's thread may use registers `first..first + count`.
    pub fn require_packer(&self, first: u32, count: u32) -> Result<(), Broken> {
        if !matches!(self.phase, Phase::Waited | Phase::Shared) {
            return Err((
                &rules::DST_PACK,
                format!("the destination registers are {}", self.phase.name()),
            ));
        }
        if count == 0 {
            return Ok(());
        }
        self.check_index((first as usize).saturating_add(count as usize - 1))
    }

    /// Whether math has the section.
    fn is_maths(&self) -> bool {
        matches!(self.phase, Phase::Acquired | Phase::Awaited | Phase::Shared)
    }

    /// Math uses the vector unit, in this section or for the next.
    pub fn require_vector_for_math(&mut self) -> Result<(), Broken> {
        let section = self.sections + u64::from(!self.is_maths());
        if section <= self.vector_of_packer {
            return Err((&rules::VECTOR_SHARED, format!("section {section} of math")));
        }
        self.vector_of_math = section;
        Ok(())
    }

    /// The packer has the vector unit work on its section, while math is at the next one.
    pub fn require_vector_for_packer(&mut self, operation: &str) -> Result<(), Broken> {
        if !self.packer.is_aimed {
            return Err((&rules::DST_NOT_HELD, operation.to_owned()));
        }
        self.packer.is_busy = true;
        self.vector_of_packer = self.vector_of_packer.max(self.sections + self.ahead);
        Ok(())
    }

    /// The packer's thread sets the vector unit: as soon as it has released the section before.
    pub fn set_vector_for_packer(&mut self) -> Result<(), Broken> {
        let section = self.sections + u64::from(self.phase == Phase::Idle);
        if section <= self.vector_of_math && !self.packer.is_held {
            return Err((
                &rules::VECTOR_SHARED,
                format!("an init of the packer, section {section} of math"),
            ));
        }
        self.vector_of_packer = self.vector_of_packer.max(section + self.ahead);
        Ok(())
    }

    /// The packer waits for a section that math still has: what it packs now it packs once math has handed it over.
    pub fn is_awaited(&self) -> bool {
        self.phase == Phase::Awaited
    }

    /// The packer may be told to pack registers `first..first + count`: now, or as soon as the section is handed over.
    pub fn require_pack_in_turn(&self, first: u32, count: u32) -> Result<(), Broken> {
        if self.is_awaited() && count > 0 {
            return self.check_index((first as usize).saturating_add(count as usize - 1));
        }
        self.require_pack(first, count)
    }

    /// A register to be overwritten entirely; [`require_math`](Self::require_math) holds.
    pub fn overwrite(&mut self, index: u32) -> &mut Tile {
        self.contents[index as usize] = Content {
            written: true,
            reduced: false,
        };
        let registers = self.registers.get();
        registers.pending[index as usize] = None;
        registers.narrow &= !(1 << index);
        &mut self.tiles()[index as usize]
    }

    /// A 16-bit register to be overwritten entirely by patterns of bf16.
    pub fn overwrite_patterns(&mut self, index: u32) -> &mut Patterns {
        self.overwrite(index);
        let registers = self.registers.get();
        registers.narrow |= 1 << index;
        &mut registers.patterns[index as usize]
    }

    /// The patterns that a register holds, where it was overwritten by such and nothing has widened them.
    pub fn patterns(&self, index: u32) -> Option<&Patterns> {
        let registers = self.registers.taken()?;
        (registers.narrow & 1 << index != 0).then(|| &registers.patterns[index as usize])
    }

    /// A register to be added to, zero if it was not written in this acquire.
    pub fn accumulate(&mut self, index: u32) -> &mut Tile {
        self.settle(index);
        let index = index as usize;
        let was_written = std::mem::replace(&mut self.contents[index].written, true);
        let tile = &mut self.tiles()[index];
        if !was_written {
            tile.clear();
        }
        tile
    }

    /// A register to be reduced into, and whether it was not written in this acquire.
    pub fn reduce(&mut self, index: u32) -> (&mut Tile, bool) {
        let fresh = !self.contents[index as usize].written;
        self.accumulate(index);
        self.contents[index as usize].reduced = true;
        (&mut self.tiles()[index as usize], fresh)
    }

    /// The register was written in this acquire, but not by a reduction.
    pub fn holds_unreduced(&self, index: u32) -> bool {
        let content = self.contents[index as usize];
        content.written && !content.reduced
    }

    /// The register holds the result of a reduction.
    pub fn holds_reduced(&self, index: u32) -> bool {
        self.contents[index as usize].reduced
    }

    /// What the matrix engine and the packer read: `None` stands for zeros.
    pub fn read(&mut self, index: u32) -> Option<&Tile> {
        self.settle(index);
        let registers = self.registers.taken()?;
        self.contents[index as usize]
            .written
            .then(|| &registers.tiles[index as usize])
    }

    /// The SFPU may read this register.
    pub fn require_written(&self, index: u32) -> Result<(), Broken> {
        if self.contents[index as usize].written {
            return Ok(());
        }
        Err((&rules::DST_UNWRITTEN, format!("register {index}")))
    }

    /// A register got back a whole register of a reduction.
    pub fn mark_reduced(&mut self, index: u32) {
        self.contents[index as usize].reduced = true;
    }

    /// Registers as the SFPU works on them: `out` marked as written and derived from `inputs`.
    pub fn sfpu(&mut self, inputs: &[u32], out: u32) -> &mut [Tile] {
        let reduced = inputs.iter().any(|input| self.contents[*input as usize].reduced);
        self.contents[out as usize] = Content { written: true, reduced };
        inputs.iter().chain([&out]).for_each(|register| self.settle(*register));
        self.tiles()
    }

    /// A written register of 16 bits gets what a function makes of it.
    pub fn follow(&mut self, index: u32, function: &'static Function) {
        let registers = self.registers.get();
        if registers.narrow & 1 << index != 0 {
            self.settle(index);
        }
        let pending = &mut self.registers.get().pending[index as usize];
        let both = pending.and_then(|before| before.followed_by(function));
        if both.is_none() {
            self.settle(index);
        }
        self.registers.get().pending[index as usize] = both.or(Some(function));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: Result<(), Broken>) -> &'static str {
        result.expect_err("a rule is broken").0.code
    }

    #[test]
    fn capacity_follows_width_and_sections() {
        for (wide, full, tiles) in [(false, false, 8), (true, false, 4), (false, true, 16), (true, true, 8)] {
            let mut registers = Destination::new(wide, full);
            registers.acquire().expect("idle");
            registers.require_math(tiles - 1, 1).expect("the last register");
            assert_eq!(code(registers.require_math(tiles, 1)), "EMU0507");
            assert_eq!(code(registers.require_math(1, tiles)), "EMU0507");
        }
    }

    #[test]
    fn the_protocol_has_one_order() {
        let mut registers = Destination::new(true, false);
        assert_eq!(code(registers.require_math(0, 1)), "EMU0502");
        assert_eq!(code(registers.commit()), "EMU0503");
        assert_eq!(code(registers.wait()), "EMU0504");
        registers.acquire().expect("idle");
        assert_eq!(code(registers.acquire()), "EMU0501");
        assert_eq!(code(registers.require_pack(0, 1)), "EMU0505");
        registers.commit().expect("acquired");
        assert_eq!(code(registers.require_math(0, 1)), "EMU0502");
        assert_eq!(code(registers.require_pack(0, 1)), "EMU0505");
        assert_eq!(code(registers.release()), "EMU0506");
        registers.wait().expect("committed");
        registers.require_pack(3, 1).expect("waited for");
        assert_eq!(code(registers.finish()), "EMU0509");
        registers.release().expect("waited for");
        registers.finish().expect("released");
    }

    #[test]
    fn the_packer_may_wait_while_math_works() {
        let mut registers = Destination::new(true, false);
        registers.acquire().expect("idle");
        registers.wait().expect("acquired");
        assert_eq!(code(registers.wait()), "EMU0504");
        registers.require_math(0, 1).expect("still math's");
        assert_eq!(code(registers.require_pack(0, 1)), "EMU0505");
        registers.commit().expect("acquired");
        registers.require_pack(0, 1).expect("handed over");
        registers.release().expect("waited for");
    }

    /// Registers in a section of the packer.
    fn of_packer(hold: impl Fn(&mut Destination)) -> Destination {
        let mut registers = Destination::new(true, false);
        registers.acquire().expect("idle");
        registers.commit().expect("acquired");
        hold(&mut registers);
        registers
    }

    fn held(registers: &mut Destination) {
        registers.hold().expect("committed");
        registers.aim();
    }

    #[test]
    fn the_packer_calls_the_vector_unit_where_its_thread_is_held() {
        let unheld: [fn(&mut Destination); 3] = [
            |registers| registers.wait().expect("committed"),
            |registers| registers.hold().expect("committed"),
            |registers| {
                registers.aim();
                registers.hold().expect("committed");
            },
        ];
        for hold in unheld {
            assert_eq!(code(of_packer(hold).require_vector_for_packer("gelu_tile")), "EMU0510");
        }
        let mut registers = of_packer(held);
        registers.require_vector_for_packer("gelu_tile").expect("held");
        assert_eq!(code(registers.require_pack(0, 1)), "EMU0511");
        registers.await_vector();
        registers.require_pack(0, 1).expect("waited for");
        registers.release().expect("waited for");
        // Every section is held by itself.
        registers.acquire().expect("idle");
        registers.commit().expect("acquired");
        registers.wait().expect("committed");
        assert_eq!(code(registers.require_vector_for_packer("gelu_tile")), "EMU0510");
    }

    #[test]
    fn the_vector_unit_is_one_threads_at_a_time() {
        let mut registers = of_packer(held);
        registers.require_vector_for_packer("gelu_tile").expect("held");
        registers.await_vector();
        assert_eq!(code(registers.require_vector_for_math()), "EMU0512");
        registers.release().expect("waited for");
        registers.acquire().expect("idle");
        assert_eq!(code(registers.require_vector_for_math()), "EMU0512");
        registers.commit().expect("acquired");
        registers.wait().expect("committed");
        registers.release().expect("waited for");
        // The packer has released the section of its own before math can be here.
        registers.acquire().expect("idle");
        registers.require_vector_for_math().expect("nobody else's");
        // The packer's thread would get here before math is done.
        assert_eq!(code(registers.set_vector_for_packer()), "EMU0512");
        registers.commit().expect("acquired");
        held(&mut registers);
        registers.set_vector_for_packer().expect("held");
        registers.require_vector_for_packer("gelu_tile").expect("held");
        // With one section for both, the next one begins when the packer is done.
        let mut registers = Destination::new(true, true);
        registers.acquire().expect("idle");
        registers.commit().expect("acquired");
        held(&mut registers);
        registers.require_vector_for_packer("gelu_tile").expect("held");
        registers.await_vector();
        registers.release().expect("waited for");
        registers.require_vector_for_math().expect("nobody else's");
    }

    #[test]
    fn an_init_of_the_packer_is_at_any_time_since_its_last_section() {
        let mut registers = Destination::new(true, false);
        registers.set_vector_for_packer().expect("nobody's");
        for _ in 0..2 {
            assert_eq!(code(registers.require_vector_for_math()), "EMU0512");
            registers.acquire().expect("idle");
            registers.commit().expect("acquired");
            registers.wait().expect("committed");
            registers.release().expect("waited for");
        }
        registers.require_vector_for_math().expect("nobody else's");
    }

    #[test]
    fn a_released_register_is_zero_for_math_and_undefined_for_the_sfpu() {
        let mut registers = Destination::new(true, false);
        registers.acquire().expect("idle");
        registers.overwrite(1).0.fill(5.0);
        registers.require_written(1).expect("written");
        registers.commit().expect("acquired");
        registers.wait().expect("committed");
        registers.release().expect("waited for");
        registers.acquire().expect("idle");
        assert_eq!(code(registers.require_written(1)), "EMU0508");
        assert!(registers.read(1).is_none());
        assert_eq!(registers.accumulate(1).0[7], 0.0);
        registers.require_written(1).expect("written by the matrix engine");
    }

    #[test]
    fn patterns_are_what_a_register_holds_until_it_is_written_or_released() {
        let acquired = || {
            let mut registers = Destination::new(false, false);
            registers.acquire().expect("idle");
            registers
        };
        let held = |registers: &mut Destination| {
            registers.overwrite_patterns(1).0.fill(0x40a0);
            registers.patterns(1).map(|patterns| patterns.0[7])
        };
        let mut registers = acquired();
        assert_eq!(held(&mut registers), Some(0x40a0));
        assert_eq!(registers.read(1).map(|tile| tile.0[7]), Some(5.0));
        assert!(registers.patterns(1).is_none());
        assert_eq!(held(&mut registers), Some(0x40a0));
        assert_eq!(registers.accumulate(1).0[7], 5.0);
        assert_eq!(held(&mut registers), Some(0x40a0));
        assert_eq!(registers.sfpu(&[1], 0)[1].0[7], 5.0);
        assert_eq!(held(&mut registers), Some(0x40a0));
        registers.overwrite(1).0.fill(3.0);
        assert!(registers.patterns(1).is_none());
        assert_eq!(registers.read(1).map(|tile| tile.0[7]), Some(3.0));
        assert_eq!(held(&mut registers), Some(0x40a0));
        // A kernel that breaks a rule ends without having released them.
        drop(registers);
        let mut registers = acquired();
        assert_eq!(registers.accumulate(1).0[7], 0.0);
        assert_eq!(registers.read(1).map(|tile| tile.0[7]), Some(0.0));
        assert_eq!(held(&mut registers), Some(0x40a0));
        registers.commit().expect("acquired");
        registers.wait().expect("committed");
        registers.release().expect("waited for");
        assert!(registers.patterns(1).is_none() && registers.read(1).is_none());
    }

    #[test]
    fn what_is_derived_from_a_reduction_counts_as_reduced() {
        let mut registers = Destination::new(true, false);
        registers.acquire().expect("idle");
        assert!(registers.reduce(0).1);
        assert!(!registers.reduce(0).1);
        registers.overwrite(1);
        registers.sfpu(&[0, 1], 2);
        assert!(registers.holds_reduced(2) && registers.holds_unreduced(1));
        registers.overwrite(0);
        assert!(!registers.holds_reduced(0));
    }
}
