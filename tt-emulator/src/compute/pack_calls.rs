//! Calls of the packer.

use super::destination::Broken;
use super::engine_state::{Operand, PackMode};
use super::pack::Packer;
use super::rules;
use super::state::ComputeState;

/// A pack that waits for math to hand its section over: on silicon the packer's thread stands still at `tile_regs_wait`
/// while math works on.
pub struct WaitingPack {
    pub packer: Packer,
    pub register: u32,
    /// The buffer of the page.
    pub cb: u32,
    /// The mask of a reduction is set.
    pub masked: bool,
    /// The line of the call.
    pub line: i32,
    /// The address of a page that the kernel has reserved, and its bytes.
    pub page: u32,
    pub bytes: usize,
}

impl ComputeState {
    /// Checks a pack of `count` registers, and how the packer is set for it.
    pub fn require_pack(&self, first: u32, count: u32, operand: Operand) -> Result<Packer, Broken> {
        self.engines.require_pack(operand)?;
        self.registers.require_pack_in_turn(first, count)?;
        if self.engines.pack_mode != PackMode::Tiles {
            return Err((&rules::UNTILIZE_MODE, "the packer is set to untilize".to_owned()));
        }
        self.packer(operand)
    }

    /// Checks a pack of what a register holds now, and notes what it leaves in its buffer: without the reduce mask a register
    /// goes there whole, and a reduction can go on from it. With the mask only what the reduction defines arrives.
    pub fn note_packed(&mut self, cb: u32, register: u32, masked: bool) -> Result<(), Broken> {
        let reduced = self.registers.holds_reduced(register);
        if masked && !reduced {
            return Err((&rules::REDUCE_MASK, format!("register {register} into buffer {cb}")));
        }
        let bit = 1u64 << cb;
        self.reduced_buffers = if reduced && !masked {
            self.reduced_buffers | bit
        } else {
            self.reduced_buffers & !bit
        };
        Ok(())
    }

    /// The buffer last got a whole register of a reduction.
    pub fn holds_reduced(&self, cb: u32) -> bool {
        self.reduced_buffers & (1u64 << cb) != 0
    }

    /// Packs a register into a page.
    pub fn pack(&mut self, packer: &Packer, register: u32, page: &mut [u8]) {
        if packer.accumulate {
            self.next_sums.note(page);
        }
        if packer.stores_patterns()
            && let Some(patterns) = self.registers.patterns(register)
        {
            return patterns.store(page);
        }
        packer.pack(self.registers.read(register), page);
    }
}
