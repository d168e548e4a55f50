//! Semaphores: words of L1 that cores set, add to and wait on.

use crate::arch::{SEMAPHORE_BASE, SEMAPHORE_STRIDE};
use crate::clock::Event;
use crate::rules;

use super::memory::machine::Node;
use super::risc::{Risc, Wait};
use super::transfers::{Write, WriteEffect};

impl Risc {
    /// Kernel-visible address of semaphore `id` of this core.
    pub fn semaphore_address(&mut self, id: u32, line: i32) -> u32 {
        let count = self.core.semaphores;
        if id >= 32 || count & (1 << id) == 0 {
            self.violation(&rules::SEMAPHORE_ID, line, format!("semaphore {id}"));
        }
        self.core.l1_base + (SEMAPHORE_BASE + id as usize * SEMAPHORE_STRIDE) as u32
    }

    pub(super) fn check_semaphore_offset(&mut self, offset: u32, line: i32) {
        if !offset.is_multiple_of(4) {
            self.violation(
                &rules::SEMAPHORE_ADDRESS,
                line,
                format!("L1 offset {offset:#x} is no multiple of 4"),
            );
        }
        self.check_l1(u64::from(offset), 4, true, line);
    }

    /// Waits until the word at a local address equals `value`, or is at least `value`.
    pub fn semaphore_wait(&mut self, address: usize, value: u32, at_least: bool, line: i32) {
        let Ok(address) = u32::try_from(address) else {
            self.violation(&rules::SEMAPHORE_ADDRESS, line, format!("{address:#x} lies outside L1"));
        };
        let offset = self.local_offset(address, line);
        self.check_semaphore_offset(offset, line);
        let wait = Wait::Semaphore {
            address: self.core.l1_base + offset,
            value,
            at_least,
        };
        if !self.core.fulfils(wait) {
            self.block(wait, line);
        }
        let signals = self.core.signals(offset);
        self.note(Event::Semaphore { offset, signals });
    }

    /// Issues an increment of a word of one core.
    pub fn semaphore_increment(&mut self, address: u64, value: u32, noc: u8, posted: bool, line: i32) {
        self.check_noc(noc, line);
        let (node, offset) = self.resolve(address, 4, true, line);
        let Node::Core(core) = node else {
            self.violation(
                &rules::SEMAPHORE_ADDRESS,
                line,
                format!("NoC address {address:#x} is DRAM"),
            );
        };
        self.check_semaphore_offset(offset as u32, line);
        if !posted {
            self.note_atomic(noc, Some(line));
        }
        self.note(Event::Signal {
            to: core,
            offset: offset as u32,
            noc,
        });
        let effect = WriteEffect::Increment {
            value,
            core,
            offset: offset as u32,
        };
        self.issue(Write {
            effect,
            noc,
            posted,
            transaction: 0,
            line,
        });
    }
}
