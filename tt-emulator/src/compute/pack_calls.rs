//! Calls of the packer.

use super::destination::Broken;
use super::engine_state::{Operand, PackMode};
use super::pack::Packer;
use super::rules;
use super::state::ComputeState;

/// A pack that waits for math to hand its section over: on silicon the packer's thread stands still at `tile_regs_wait`
/// while math works on.
pub(super) struct WaitingPack {
    pub packer: Packer,
    pub register: u32,
    /// A page that the kernel has reserved, and its bytes.
    pub page: *mut u8,
    pub bytes: usize,
}

impl ComputeState {
    /// Checks a pack of `count` registers, and how the packer is set for it.
    pub(super) fn require_pack(&self, first: u32, count: u32, operand: Operand) -> Result<Packer, Broken> {
        self.engines.require_pack(operand)?;
        self.registers.require_pack_in_turn(first, count)?;
        if self.engines.pack_mode != PackMode::Tiles {
            return Err((&rules::UNTILIZE_MODE, "the packer is set to untilize".to_owned()));
        }
        if self.engines.mask.is_some()
            && let Some(register) = (first..first + count).find(|register| !self.registers.holds_reduced(*register))
        {
            return Err((
                &rules::REDUCE_MASK,
                format!("register {register} into buffer {}", operand.cb),
            ));
        }
        self.packer(operand)
    }

    /// Notes what a pack leaves in its buffer: without the reduce mask a register goes there whole, and a reduction can go on
    /// from it. With the mask only what the reduction defines arrives.
    pub(super) fn note_packed(&mut self, cb: u32, register: u32) {
        let whole = self.engines.mask.is_none() && self.registers.holds_reduced(register);
        let bit = 1u64 << cb;
        self.reduced_buffers = if whole {
            self.reduced_buffers | bit
        } else {
            self.reduced_buffers & !bit
        };
    }

    /// The buffer last got a whole register of a reduction.
    pub(super) fn holds_reduced(&self, cb: u32) -> bool {
        self.reduced_buffers & (1u64 << cb) != 0
    }

    /// Packs what the packer was told to while it waited for math.
    pub(super) fn pack_waiting(&mut self) {
        for waiting in std::mem::take(&mut self.waiting_packs) {
            // SAFETY: the page lies in what the kernel has reserved; nobody else runs on this core during the call.
            let page = unsafe { std::slice::from_raw_parts_mut(waiting.page, waiting.bytes) };
            self.pack(&waiting.packer, waiting.register, page);
        }
    }

    /// Packs a register into a page.
    pub(super) fn pack(&self, packer: &Packer, register: u32, page: &mut [u8]) {
        packer.pack(self.registers.read(register), page);
    }
}
