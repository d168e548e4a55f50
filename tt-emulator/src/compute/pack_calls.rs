//! Calls of the packer.

use super::destination::Broken;
use super::engine_state::{Operand, PackMode};
use super::pack::Packer;
use super::rules;
use super::state::ComputeState;

impl ComputeState {
    /// Checks a pack of `count` registers, and how the packer is set for it.
    pub(super) fn require_pack(&self, first: u32, count: u32, operand: Operand) -> Result<Packer, Broken> {
        self.engines.require_pack(operand)?;
        self.registers.require_pack(first, count)?;
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

    /// Packs a register into a page.
    pub(super) fn pack(&self, packer: &Packer, register: u32, page: &mut [u8]) {
        packer.pack(self.registers.read(register), page);
    }
}
