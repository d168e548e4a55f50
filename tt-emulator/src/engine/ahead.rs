//! Pages that a reader is likely to read next, fetched into the host's caches while others of its core compute.
//!
//! A reader fills its circular buffers, waits, and goes on. What its n-th read of such a turn takes usually lies as many pages
//! behind that of the turn before as that lay behind the one before it: block after block along a row. So when it begins to wait,
//! the pages of its next turn are guessed, and whoever computes has them fetched ([`crate::compute::ahead`]). Else
//! the host waits for DRAM while it reads and lets it idle while it computes, and an addition takes twice as long. It is a hint
//! to the host alone: nothing is read, no order changes, and a wrong guess costs what was fetched.

use super::memory::machine::Machine;
use super::risc::Risc;
use super::tensor_page::Accessor;

/// The most reads of a turn that are kept: of tiles of bf16 what a third of a second-level cache of 1 MiB holds.
const LONGEST_TURN: usize = 160;

/// A read of a page.
#[derive(Clone, Copy)]
struct PageRead {
    accessor: Accessor,
    page: u32,
}

/// The reads of a RISC, turn by turn.
#[derive(Default)]
pub(crate) struct Turns {
    now: Vec<PageRead>,
    before: Vec<PageRead>,
}

impl Turns {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.now.clear();
        self.before.clear();
    }

    /// Notes a read.
    #[inline]
    pub fn note(&mut self, accessor: Accessor, page: u32) {
        if self.now.len() < LONGEST_TURN {
            self.now.push(PageRead { accessor, page });
        }
    }
}

impl Risc {
    /// This RISC has to wait: what it reads when it goes on is guessed.
    pub(super) fn end_turn(&mut self) {
        let Turns { now, before } = &mut self.turns;
        if now.is_empty() {
            return;
        }
        if now.len() == before.len() {
            let guesses = now.iter().zip(before.iter()).rev();
            let guesses = guesses.filter_map(|(now, before)| guess(&self.core.machine, now, before));
            self.core.to_fetch.replace(guesses);
        }
        std::mem::swap(now, before);
        now.clear();
    }
}

/// Where the page lies that follows two at their pace.
fn guess(machine: &Machine, now: &PageRead, before: &PageRead) -> Option<(*const u8, u32)> {
    let Accessor { base, dram, .. } = now.accessor;
    if !dram || before.accessor.base != base || now.page == before.page {
        return None;
    }
    let page = now.page.checked_add(now.page.wrapping_sub(before.page))?;
    let buffer = machine
        .buffer(dram, base)
        .filter(|buffer| u64::from(page) < buffer.pages)?;
    let (node, offset) = machine.page(dram, base, buffer.aligned_page_bytes, page);
    Some((machine.pointer(node, offset).cast_const(), buffer.aligned_page_bytes))
}
