//! The L1 of a core as a RISC uses it in a call: pages as slices, by the addresses that kernels have.
//!
//! A slice borrows the RISC's [`L1`]. Whoever waits needs the whole RISC, so no slice outlives the time in which its RISC is the
//! one of its core that runs; nor can there be two, of which one is `mut`.

use super::machine::Node;
use crate::compute::kept;
use crate::engine::core::Core;

/// What a RISC has of its core's L1.
pub(crate) struct L1 {
    start: *mut u8,
    bytes: usize,
}

impl L1 {
    /// The L1 of a core.
    ///
    /// # Safety
    /// The core's machine must be there as long as this is. Of what is made of one core only one may be used at a time, and
    /// while a slice of it is there, nothing else may use that part of the memory.
    pub unsafe fn of(core: &Core) -> L1 {
        L1 {
            start: core.machine.pointer(Node::Core(core.index), 0),
            bytes: core.machine.arch.l1_bytes,
        }
    }

    /// The place of `bytes` bytes at an address.
    ///
    /// # Panics
    /// As indexing does, where they do not lie in here.
    #[inline]
    fn place(&self, address: u32, bytes: usize) -> *mut u8 {
        let offset = (address as usize).wrapping_sub(self.start.addr());
        assert!(
            offset <= self.bytes && bytes <= self.bytes - offset,
            "{bytes} bytes at {address:#x} do not lie in this L1"
        );
        self.start.wrapping_add(offset)
    }

    /// A pointer to an address, which lies in here.
    #[inline]
    pub fn pointer(&self, address: u32) -> *mut u8 {
        self.place(address, 0)
    }

    /// `bytes` bytes at an address.
    ///
    /// # Panics
    /// As indexing does, where they do not lie in here.
    #[inline]
    pub fn get(&self, address: u32, bytes: usize) -> &[u8] {
        let place = self.place(address, bytes);
        // SAFETY: the range lies in here; who made this says that nobody writes it meanwhile, and who has this does not.
        unsafe { std::slice::from_raw_parts(place, bytes) }
    }

    /// `bytes` bytes at an address.
    ///
    /// # Panics
    /// As indexing does, where they do not lie in here.
    #[inline]
    pub fn get_mut(&mut self, address: u32, bytes: usize) -> &mut [u8] {
        let place = self.place(address, bytes);
        kept::written(place.addr(), bytes);
        // SAFETY: as for `get`; and who has this has it alone.
        unsafe { std::slice::from_raw_parts_mut(place, bytes) }
    }
}
