//! The table of functions through which kernels call the engine.
//!
//! Kernels link to nothing: each exports one entry that takes this table. The layout is mirrored in
//! `device/include/emulator/api.h`; a change here or there raises [`crate::abi_version::ABI_VERSION`].

use crate::compute::abi::ComputeApi;

/// Entry of a compiled kernel.
pub type KernelEntry = unsafe extern "C" fn(*const Api);

/// Everything kernels can call.
#[repr(C)]
pub struct Api {
    /// [`crate::abi_version::ABI_VERSION`].
    pub abi_version: u32,
    /// Bytes of this struct.
    pub size: u32,
    /// Data movement, circular buffers, arguments.
    pub(crate) dataflow: &'static DataflowApi,
    /// Unpack, math and pack.
    pub(crate) compute: &'static ComputeApi,
}

/// Calls of data movement kernels, and those that all kernels share. `line` is the line of the emitted source.
#[repr(C)]
pub(crate) struct DataflowApi {
    pub argument: extern "C" fn(index: u32, line: i32) -> *const u32,
    pub common_argument: extern "C" fn(index: u32, line: i32) -> *const u32,
    pub core_fact: extern "C" fn(fact: u32, line: i32) -> u32,
    pub cb_reserve_back: extern "C" fn(cb: u32, pages: u32, line: i32),
    pub cb_wait_front: extern "C" fn(cb: u32, pages: u32, line: i32),
    pub cb_push_back: extern "C" fn(cb: u32, pages: u32, line: i32),
    pub cb_pop_front: extern "C" fn(cb: u32, pages: u32, line: i32),
    pub cb_pages_reservable: extern "C" fn(cb: u32, pages: u32, line: i32) -> u32,
    pub cb_pages_available: extern "C" fn(cb: u32, pages: u32, line: i32) -> u32,
    pub cb_write_pointer: extern "C" fn(cb: u32, line: i32) -> u32,
    pub cb_read_pointer: extern "C" fn(cb: u32, line: i32) -> u32,
    pub cb_fact: extern "C" fn(cb: u32, fact: u32, line: i32) -> u32,
    pub noc_read: extern "C" fn(source: u64, destination: u32, bytes: u32, one_packet: u32, noc: u32, line: i32),
    pub noc_write:
        extern "C" fn(source: u32, destination: u64, bytes: u32, flags: u32, noc: u32, transaction: u32, line: i32),
    pub noc_set_state: extern "C" fn(write: u32, address: u64, bytes: u32, noc: u32, line: i32),
    pub noc_with_state: extern "C" fn(
        write: u32,
        remote: u32,
        local: u32,
        bytes: u32,
        flags: u32,
        noc: u32,
        transaction: u32,
        line: i32,
    ),
    pub read_page: extern "C" fn(
        base: u64,
        page_bytes: u32,
        dram: u32,
        page: u32,
        offset: u32,
        bytes: u32,
        destination: u32,
        noc: u32,
        line: i32,
    ),
    pub write_page: extern "C" fn(
        base: u64,
        page_bytes: u32,
        dram: u32,
        page: u32,
        offset: u32,
        bytes: u32,
        source: u32,
        flags: u32,
        noc: u32,
        line: i32,
    ),
    pub page_address: extern "C" fn(base: u64, page_bytes: u32, dram: u32, page: u32, offset: u32, line: i32) -> u64,
    pub page_beyond_tensor: extern "C" fn(page: u32, pages: u32, line: i32),
    pub noc_inline_write: extern "C" fn(destination: u64, value: u32, flags: u32, noc: u32, line: i32),
    pub noc_multicast:
        extern "C" fn(source: u32, address: u64, bytes: u32, destinations: u32, flags: u32, noc: u32, line: i32),
    pub read_barrier: extern "C" fn(noc: u32, transaction: i32, line: i32),
    pub flush_writes: extern "C" fn(noc: u32, flags: u32, transaction: i32, line: i32),
    pub atomic_barrier: extern "C" fn(noc: u32, line: i32),
    pub set_read_transaction: extern "C" fn(noc: u32, transaction: u32, line: i32),
    pub semaphore_address: extern "C" fn(id: u32, line: i32) -> u32,
    pub semaphore_wait: extern "C" fn(address: usize, value: u32, at_least: u32, line: i32),
    pub semaphore_increment: extern "C" fn(address: u64, value: u32, posted: u32, noc: u32, line: i32),
    pub semaphore_increment_multicast: extern "C" fn(address: u64, value: u32, destinations: u32, noc: u32, line: i32),
    pub poll: extern "C" fn(line: i32),
}

/// Facts about a core that [`DataflowApi::core_fact`] gives.
pub(crate) mod core_fact {
    pub const VIRTUAL_X: u32 = 0;
    pub const VIRTUAL_Y: u32 = 1;
    pub const ABSOLUTE_LOGICAL_X: u32 = 2;
    pub const ABSOLUTE_LOGICAL_Y: u32 = 3;
    pub const RELATIVE_LOGICAL_X: u32 = 4;
    pub const RELATIVE_LOGICAL_Y: u32 = 5;
    pub const L1_BASE: u32 = 6;
}

/// Facts about a circular buffer that [`DataflowApi::cb_fact`] gives.
pub(crate) mod cb_fact {
    pub const PAGE_BYTES: u32 = 0;
    pub const PAGES: u32 = 1;
    pub const FORMAT: u32 = 2;
    pub const TILE_ROWS: u32 = 3;
    pub const TILE_COLUMNS: u32 = 4;
    pub const TILE_BYTES: u32 = 5;
    pub const LIMIT: u32 = 6;
}

/// Flags of writes, flushes and multicasts.
pub(crate) mod flag {
    pub const POSTED: u32 = 1;
    pub const ONE_PACKET: u32 = 2;
    pub const LOOPBACK: u32 = 4;
    pub const LINKED: u32 = 8;
}
